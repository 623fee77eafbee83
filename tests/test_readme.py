"""The README is short, and what it shows first is what a new user needs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_sum_that_is_printed_is_numpys():
    row = np.tile(np.arange(250_000), 4)
    nbytes = row % 1000 * 64
    assert f'>>> print(web["bytes"].sum())\n{nbytes[row % 3 != 0].sum()}\n' in README


def test_the_first_commands_are_those_that_a_fresh_machine_needs():
    first = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[0]
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make demo", "make test"]


def test_it_is_read_in_a_few_minutes():
    assert len(README.splitlines()) <= 150
