"""Scripts and tests that import Arkouda, run with akdask in its place."""

from __future__ import annotations

import subprocess
import sys

import pytest

from akdask.arkouda.__main__ import main

SCRIPT = """
import sys

import arkouda as ak
import neighbour
from arkouda.groupbyclass import GroupBy

ak.connect("localhost", 5555)
print(sys.argv, __name__, neighbour.NUMBER, GroupBy(ak.array([1, 2, 1])).size()[1].tolist())
"""


def run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "neighbour.py").write_text("NUMBER = 7")
    return tmp_path


@pytest.mark.slow
def test_a_script_runs_with_its_arguments_and_its_neighbours(folder):
    found = run("-m", "akdask.arkouda", str(folder / "script.py"), "a", "-b", cwd="/")
    assert found.stdout.split(" ", 1)[1].strip() == "'a', '-b'] __main__ 7 [2, 1]", found.stderr


@pytest.mark.slow
def test_a_test_runs_with_the_plugin(folder):
    (folder / "conftest.py").write_text("import arkouda")
    (folder / "test_x.py").write_text("import arkouda as ak\n\ndef test_sum(): assert ak.arange(3).sum() == 3")
    found = run("-m", "pytest", "-p", "akdask.arkouda.pytest_plugin", "-p", "no:cacheprovider", cwd=folder)
    assert "arkouda: akdask" in found.stdout
    assert "1 passed" in found.stdout


def test_without_a_script_the_usage_is_told(capsys):
    assert main([]) == main(["--wrong"]) == 2
    assert main(["--help"]) == 0
    assert "usage:" in capsys.readouterr().out


def test_a_script_that_is_not_there_is_told(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("akdask.arkouda.__main__.install_as_arkouda", lambda: None)
    monkeypatch.setattr(sys, "argv", [])
    assert main([str(tmp_path / "none.py")]) == 2
    assert "there is no script" in capsys.readouterr().err
