"""The native core: loops that are compiled when the package is built.

Each ``loops.cpp`` stands with its noun and becomes one extension module for each level of instructions, of which the
processor's is imported.  ``AKDASK_CPU_LEVEL`` caps it; results have the same bits on all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from akdask.native import _level

LEVELS = _level.levels().split()
"""Levels that this processor has, of those that were built, the lowest first: ``v2`` and ``v3``, or ``base``."""

LEVEL = min(os.environ.get("AKDASK_CPU_LEVEL", LEVELS[-1]), LEVELS[-1])


def loops_of(module: str) -> dict[str, Callable[..., Any]]:
    """Return the compiled loops of a module ``….loops`` by their names."""
    package = module.rpartition(".")[0]
    found = vars(import_module(f"{package}._loops_{LEVEL}"))
    return {name: loop for name, loop in found.items() if not name.startswith("_")}
