"""The code in the README runs, and gives what is printed there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_examples_give_what_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("akdask.plan.task.batches.CORES", 4)
    code = "\n".join(blocks("python"))
    example = doctest.DocTestParser().get_doctest(code, {}, "README.md", "README.md", 0)
    assert len(example.examples) > 12
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert not report, "".join(report)


def test_the_sum_that_is_printed_is_numpys():
    row = np.tile(np.arange(250_000), 4)
    nbytes = row % 1000 * 64
    assert f'>>> print(web["bytes"].sum())\n{nbytes[row % 3 != 0].sum()}\n' in README


def test_the_first_commands_are_those_that_a_fresh_machine_needs():
    assert [line.split("#")[0].strip() for line in blocks("sh")[0].splitlines()] == ["make demo", "make test"]


def test_every_make_target_that_is_named_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {name for line in re.findall(r"make ([a-z ]+)", "\n".join(blocks("sh"))) for name in line.split()}
    assert {"demo", "test", "lint", "types", "check"} <= targets
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


@pytest.mark.parametrize("path", re.findall(r"`([a-z]+/[\w./]+\.\w+)`", README))
def test_every_file_that_is_named_exists(path):
    assert (ROOT / path).is_file()
