"""Loops over rows that Numba compiles, for what NumPy needs many passes to do.

Numba is optional: ``pip install 'akdask[fast]'``.  Each loop here has its general path beside the call, in NumPy or
Arrow, and a property test proves them equal, so that processes with and without Numba work together; only sums of
floats may differ in their last digits, as they do with the number of partitions.  The modules of this package import
Numba, so they are imported where `pays` says so.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from importlib.util import find_spec

# Words of strings are read as the processor orders bytes.
INSTALLED = find_spec("numba") is not None and sys.byteorder == "little"

WORTH_LOADING = 2**22
"""Rows after which a process loads the compiler, which takes half a second, and several once after an installation."""


class _Process:
    """How many rows this process has been asked about, and whether it has memory for the compiler."""

    seen = 0
    passed = 0
    has_room = True
    plans = True


def pays(nrows: int) -> bool:
    """Whether to take the compiled loop for so many more rows."""
    # Threads may lose a count; it is a matter of speed only.
    _Process.seen += nrows
    return INSTALLED and _Process.seen >= WORTH_LOADING and _Process.has_room and _is_loaded()


def is_at_hand(nrows: int = 0) -> bool:
    """Whether to take a loop that gains too little on so many more rows to load the compiler for it.

    A process that answers one question and ends does without the half second and the 100 MB that loading takes.  One
    that is asked again loads it before it computes: see `expect_more`.
    """
    _Process.passed += nrows
    if not INSTALLED or max(_Process.seen, _Process.passed) < WORTH_LOADING:
        return False
    return sys.modules.get("numba") is not None or (not _Process.plans and _Process.has_room and _is_loaded())


def expect_more(nrows: int) -> None:
    """Load the compiler if this process is about to go over many rows, and has gone over many before."""
    if INSTALLED and min(nrows, _Process.passed) >= WORTH_LOADING and _Process.has_room:
        _is_loaded()


def serve() -> None:
    """Have this process load the compiler amid its tasks, as it never plans: it works for others."""
    _Process.plans = False


def forgo() -> None:
    """Have this process never load the compiler, as it has little memory: it would take 100 MB of it."""
    _Process.has_room = False


@cache
def _is_loaded() -> bool:
    try:
        import numba  # noqa: F401 - whether it can be
    except ImportError as error:
        warnings.warn(
            f"Numba cannot be loaded ({error}), so loops are not compiled; install a release that fits your NumPy.",
            stacklevel=1,
        )
        return False
    return True
