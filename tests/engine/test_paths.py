"""Tests run by each path of the kernels, and not twice by one of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from akdask import compiled
from akdask.engine import node


def test_kernels_take_the_path_that_the_test_is_run_by(either_path):
    assert compiled.should_compile(1) == (either_path == "compiled")
    assert compiled.is_loaded() == (either_path == "compiled")
    assert either_path != "compiled" or "numba" in sys.modules


def test_nothing_is_known_from_the_other_path():
    compiled.is_loaded()  # has this test run by both paths
    assert node.known_lengths("rows") is None
    node.remember_lengths("rows", (1,))


runs: list[str] = []


def test_what_meets_no_kernel_runs_once():
    runs.append("by one path")
    assert runs == ["by one path"]


@pytest.mark.slow
def test_what_meets_a_kernel_runs_by_each_path_that_is_asked_for():
    names = ["test_kernels_take_the_path_that_the_test_is_run_by", "test_what_meets_no_kernel_runs_once"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"{__file__}::{name}" for name in names)],
        env=os.environ | {"AKDASK_TEST_PATHS": "general compiled"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "3 passed" in done.stdout
