"""The native core: loops that are compiled when the package is built.

Each ``loops.cpp`` stands with its noun and becomes one extension module for each level of instructions, of which the
processor's is imported.  ``AKDASK_CPU_LEVEL`` caps it; results have the same bits on all, but for
the sign of NaN.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from akdask.errors import ArgumentError, NotCompiledError

try:
    from akdask.native import _level
except ImportError as error:
    raise NotCompiledError(
        "the loops of akdask are not compiled, or not for this Python.",
        details=[str(error)],
        hint="`make` compiles them in a clone of the repository, and `pip install .` installs them.",
    ) from error

BUILT = _level.built().split()
"""Levels that were built, the lowest first: ``v2``, ``v3`` and ``v4``, or ``base``."""

COMPILER = _level.compiler()
"""What compiled the loops, and its version."""


def _level_in_use() -> str:
    """Return the highest level that was built, that the processor has, and that is not above the cap."""
    cap = os.environ.get("AKDASK_CPU_LEVEL") or BUILT[-1]
    if cap not in BUILT:
        raise ArgumentError(
            f"AKDASK_CPU_LEVEL is {cap!r}, and names no level of instructions that the loops are compiled for.",
            hint=f"set it to one of {', '.join(BUILT)}, or not at all.",
        )
    lowest, *others = BUILT[: BUILT.index(cap) + 1]
    return max([level for level in others if int(level.removeprefix("v")) <= _level.highest()], default=lowest)


LEVEL = _level_in_use()


def loops_of(module: str) -> dict[str, Callable[..., Any]]:
    """Return the compiled loops of a module ``….loops`` by their names."""
    package = module.rpartition(".")[0]
    found = vars(import_module(f"{package}._loops_{LEVEL}"))
    return {name: loop for name, loop in found.items() if not name.startswith("_")}
