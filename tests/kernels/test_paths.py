"""Tests run by each path of the kernels, and not twice by one of them."""

from __future__ import annotations

import sys

from akdask.kernels import compiled
from akdask.plan.expr import lengths


def test_kernels_take_the_path_that_the_test_is_run_by(either_path):
    assert compiled.should_compile(1) == (either_path == "compiled")
    assert compiled.is_loaded() == (either_path == "compiled")
    assert either_path != "compiled" or "numba" in sys.modules


def test_nothing_is_known_from_the_other_path():
    assert lengths.known_lengths("rows") is None
    lengths.remember_lengths("rows", (1,))
