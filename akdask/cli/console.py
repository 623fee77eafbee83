"""Telling on the terminal what is being done, how far it is, how long it took, and whether it was right."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from time import perf_counter
from typing import Any

import numpy as np
from dask.callbacks import Callback

from akdask.testing import assert_equal

INDENT = " " * 6
_BAR = 40
"""Characters of a progress bar, at most."""


def say(text: object = "") -> None:
    """Print text, indented below its step."""
    print("\n".join((INDENT + line).rstrip() for line in str(text).splitlines()) or "", flush=True)


def duration(seconds: float) -> str:
    """Write a duration with a fitting unit.

    Examples
    --------
    >>> duration(0.0123), duration(2.5)
    ('12.3 ms', '2.5 s')
    """
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def size(nbytes: float) -> str:
    """Write a number of bytes with a fitting unit.

    Examples
    --------
    >>> size(812), size(123_456_789)
    ('812 B', '123.5 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if nbytes < 1000:
            return f"{nbytes:.0f} B" if unit == "B" else f"{nbytes:.1f} {unit}"
        nbytes /= 1000
    return f"{nbytes:,.1f} TB"


class Steps:
    """Numbered steps, each announced when it begins and timed when it ends.

    Parameters
    ----------
    total : int
        How many there will be.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.begun = 0

    @contextmanager
    def __call__(self, title: str) -> Iterator[None]:
        """Announce a step, and tell how long what is done inside took."""
        self.begun += 1
        print(f"\n[{self.begun}/{self.total}] {title}", flush=True)
        start = perf_counter()
        yield
        say(f"({duration(perf_counter() - start)})")


def progress_bar(done: int, total: int, seconds: float, columns: int) -> str:
    """Return a line that shows how much of something is done; as long as what it says if the terminal is narrow.

    Examples
    --------
    >>> progress_bar(3, 4, 12.34, 60)
    '      [██████████████████      ]  75%  3 of 4 tasks, 12.3 s'
    """
    said = f"] {done / max(total, 1):4.0%}  {done} of {total} tasks, {duration(seconds)}"
    width = min(max(columns - len(INDENT) - len(said) - 2, 1), _BAR)
    return f"{INDENT}[{('█' * (width * done // max(total, 1))).ljust(width)}{said}"


class TaskProgress(Callback):  # type: ignore[misc]  # Dask is not typed
    """While active, shows on a terminal how many tasks of a computation are done, if it takes long.

    The line is wiped out when the computation ends, well or not.  Dask's own progress bar makes every computation wait
    for its thread, which small ones would notice.
    """

    def _start_state(self, dsk: Any, state: Any) -> None:
        self.begun = self.told = perf_counter()
        self.shown = 0

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        now = perf_counter()
        if now - self.begun > 1 and now - self.told > 0.2 and sys.stderr.isatty():
            self.told = now
            done = len(state["finished"])
            total = done + sum(len(state[name]) for name in ("waiting", "ready", "running"))
            line = progress_bar(done, total, now - self.begun, get_terminal_size().columns)
            self._show(line)

    def _finish(self, dsk: Any, state: Any, errored: bool) -> None:
        if self.shown:
            self._show("")
            print("\r", end="", file=sys.stderr, flush=True)

    def _show(self, line: str) -> None:
        print(f"\r{line.ljust(self.shown)}", end="", file=sys.stderr, flush=True)
        self.shown = len(line)


class Checks:
    """Comparisons of answers with those found in another way."""

    def __init__(self) -> None:
        self.count = 0
        self.failed: list[str] = []

    def number(self, what: str, found: Any, expected: Any) -> None:
        """Compare numbers: floats up to rounding, for their sums depend on the order."""
        equal = np.isclose(float(found), expected, rtol=1e-9) if isinstance(expected, float) else found == expected
        self._note(what, None if equal else f"{found} != {expected}")

    def arrays(self, what: str, found: Any, expected: Any) -> None:
        """Compare arrays: every value, the order and the type."""
        try:
            assert_equal(found, expected)
        except AssertionError as error:
            self._note(what, str(error))
        else:
            self._note(what)

    def _note(self, what: str, problem: str | None = None) -> None:
        self.count += 1
        if problem is not None:
            self.failed.append(what)
            say(f"WRONG {what}: {problem}")
