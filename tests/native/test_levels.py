"""Levels of instructions: which is taken, and what a wrong cap says."""

from __future__ import annotations

import pytest

from akdask import native
from akdask.errors import ArgumentError


@pytest.mark.parametrize(
    ("built", "has_third", "cap", "level"),
    [
        ("v2 v3", True, None, "v3"),
        ("v2 v3", True, "", "v3"),
        ("v2 v3", True, "v2", "v2"),
        ("v2 v3", False, None, "v2"),
        ("v2 v3", False, "v3", "v2"),
        ("v2", True, None, "v2"),
        ("base", False, None, "base"),
    ],
)
def test_the_highest_level_is_taken_that_is_built_and_allowed_and_that_the_processor_has(
    built, has_third, cap, level, monkeypatch
):
    monkeypatch.setattr(native, "BUILT", built.split())
    monkeypatch.setattr(native, "_level", type("Level", (), {"has_third": staticmethod(lambda: has_third)}))
    if cap is None:
        monkeypatch.delenv("AKDASK_CPU_LEVEL", raising=False)
    else:
        monkeypatch.setenv("AKDASK_CPU_LEVEL", cap)
    assert native._level_in_use() == level


def test_a_cap_that_is_no_level_says_what_levels_there_are(monkeypatch):
    monkeypatch.setenv("AKDASK_CPU_LEVEL", "avx512")
    with pytest.raises(ArgumentError, match=r"AKDASK_CPU_LEVEL is 'avx512'(?s:.*)set it to one of .*v3"):
        native._level_in_use()


def test_the_compiler_is_told():
    assert native.COMPILER.startswith(("GCC ", "Clang "))
