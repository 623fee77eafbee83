"""Loops over rows that Numba compiles, for operations that take NumPy many passes.

Numba is optional: ``pip install 'akdask[fast]'``.  Each loop here has its general path beside the call, in NumPy or
Arrow, and a property test proves them equal to the last bit, so that processes with and without Numba work together,
and it does not matter to a result when the compiler has been loaded.  The modules of this package import Numba, so
they are imported only after `should_compile` or `is_loaded` was true.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from threading import Timer
from time import monotonic
from typing import ClassVar

# Words of strings are read as the processor orders bytes.
INSTALLED = find_spec("numba") is not None and sys.byteorder == "little"

WORTH_LOADING = 2**26
"""Rows of numbers from which on a task waits for the compiler, which takes half a second: loops save some ns a row."""

TEXT = 16
"""How many times as much a loop over text saves for each row."""

WORTH_PREPARING = 2**22
"""Rows of a plan from which on the compiler is loaded for the computations to come."""

DELAY = 0.2
"""Seconds without a call for the compiler until it is loaded beside other computations: a script has ended by then."""

PATIENCE = 2.0
"""Seconds until it is loaded beside computations, if a second one calls for it: a process of many is not idle soon."""


class _Process:
    """Whether this process has memory for the compiler, is about to load it, and has done so; times in seconds.

    `running` computations are under way, and `number` have begun, of which `callers` have called for the compiler.
    """

    is_enabled = True
    is_preparing = False
    is_ready = False
    called_at = 0.0
    running = number = 0
    callers: ClassVar[set[int]] = set()


def should_compile(nrows: int) -> bool:
    """Whether to run the compiled loop on `nrows` rows of numbers; for very many, the compiler is loaded first."""
    if is_loaded():
        return True
    if nrows >= WORTH_PREPARING:
        prepare()
    return nrows >= WORTH_LOADING and load()


def should_compile_text(nrows: int) -> bool:
    """Whether to run the compiled loop on `nrows` rows of text, as `should_compile` says it of numbers."""
    return should_compile(TEXT * nrows)


def is_loaded() -> bool:
    """Whether compiled loops can run without loading the compiler first."""
    return INSTALLED and _Process.is_enabled and _Process.is_ready


def load() -> bool:
    """Load the compiler, and return whether compiled loops can run.

    Results do not depend on it; plans only decide when to call it.
    """
    _Process.is_ready = INSTALLED and _Process.is_enabled and _is_importable()
    return _Process.is_ready


@contextmanager
def computation() -> Iterator[None]:
    """Leave the processors to a computation; modules that it requests are loaded after its end."""
    _Process.number += 1
    _Process.running += 1
    try:
        yield
    finally:
        _Process.running -= 1
        _Process.called_at = monotonic()


def prepare(warm_up: Callable[[], None] | None = None) -> None:
    """Load the compiler, and one loop by calling `warm_up`, in a thread, when the present computations have ended."""
    if is_loaded() or not INSTALLED or not _Process.is_enabled:
        return
    _Process.called_at = monotonic()
    _Process.callers.add(_Process.number)
    if not _Process.is_preparing:
        # Two threads may come here at once, and one of them will find it loaded.
        _Process.is_preparing = True
        _load_later(warm_up or (lambda: None), _Process.called_at + PATIENCE)


def _load_later(warm_up: Callable[[], None], latest: float) -> None:
    timer = Timer(DELAY, _load_when_idle, [warm_up, latest])
    timer.daemon = True
    timer.start()


def _load_when_idle(warm_up: Callable[[], None], latest: float) -> None:
    now = monotonic()
    is_idle = not _Process.running and now >= _Process.called_at + DELAY
    # Tasks of a cluster's worker belong to computations of another process.
    is_one = _Process.number and len(_Process.callers) == 1
    if is_idle or (now >= latest and not is_one):
        _load_loop(warm_up)
    else:
        _load_later(warm_up, latest)


def _load_loop(warm_up: Callable[[], None]) -> None:
    if INSTALLED and _Process.is_enabled and _is_importable():
        warm_up()
        load()


def disable() -> None:
    """Never load the compiler in this process: it takes 100 MB, too much for small workers."""
    _Process.is_enabled = False


@cache
def _is_importable() -> bool:
    try:
        import numba  # noqa: F401 - whether it can be
    except ImportError as error:
        warnings.warn(
            f"Numba cannot be loaded ({error}), so loops are not compiled; install a release that fits your NumPy.",
            stacklevel=1,
        )
        return False
    return True
