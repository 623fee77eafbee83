"""Damaged files: commands answer, whatever was done to a file; HDF5 is not trusted with the life of this process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.mutations.mutants import mutants

COUNT = 60
PROGRAM = """
import sys
from akdask.cli import main
for path in sys.stdin.read().splitlines():
    for command in ("validate", "info", "ls", "head"):
        assert main([command, path]) in {0, 1, 2}, (command, path)
"""


@pytest.mark.slow
def test_commands_answer_on_damaged_files_without_a_traceback(tmp_path, golden_files):
    made = "\n".join(str(target) for _, target, _ in mutants(golden_files, tmp_path, COUNT, seed=7))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=made,
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
