"""The page of Arkouda's names: true, and complete."""

from __future__ import annotations

import builtins
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arkouda.parity_page import (
    BEHAVIOUR,
    OPERANDS,
    REASONS,
    STATES,
    TIERS,
    Name,
    findings,
    listed_names,
    main,
    page,
    refused_calls,
)

PAGE = Path(__file__).parents[2] / "docs" / "parity.md"


@pytest.fixture(scope="module")
def found():
    return findings()


def test_the_page_is_what_the_command_writes():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m akdask.arkouda.parity_page docs/parity.md"


def test_every_name_of_the_list_is_on_the_page(found):
    text = PAGE.read_text(encoding="utf-8")
    assert [item.name for item in found if f"`{item.name.name}`" not in text] == []


def test_names_are_listed_once_in_known_tiers():
    names = listed_names()
    assert len(names) == len({(name.where, name.name) for name in names}) > 1400
    assert {name.tier for name in names} == TIERS.keys()


def test_all_names_but_those_of_servers_take_what_they_take_in_arkouda(found):
    counts = Counter((item.name.tier, item.state) for item in found)
    assert [counts[tier, "refused"] for tier in "123"] == [0, 0, 0]
    assert sum(counts["1", state] for state in STATES[:1]) > 420


def test_reasons_and_notes_are_of_names_of_the_list():
    assert ({*REASONS} | {*BEHAVIOUR}) - {name.path for name in listed_names()} == set()


def test_the_page_goes_to_a_file_or_to_the_terminal(tmp_path, capsys):
    assert main([str(tmp_path / "page.md")]) == main([]) == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == capsys.readouterr().out


def test_names_that_are_not_there_have_a_reason(found):
    assert [item.name for item in found if item.state != "there" and not item.note] == []
    assert all(isinstance(item.name, Name) for item in found)


@pytest.mark.parametrize("error", refused_calls())
def test_calls_that_arkouda_refuses_are_refused_by_its_errors(error, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = getattr(builtins, error, None) or getattr(ak, error)
    names: dict[str, Any] = {"ak": ak, "np": np, "pd": pd}
    exec(OPERANDS, names)
    wrong = []
    for call in refused_calls()[error]:
        try:
            eval(call, names)
        except expected as found:
            wrong += [] if isinstance(found, ak.AkdaskError | TypeError | ValueError) else [(call, repr(found))]
        except Exception as found:
            wrong.append((call, repr(found)))
        else:
            wrong.append((call, "nothing"))
        for name in ak.list_registry()["Objects"]:
            ak.unregister(name)
    assert wrong == []
