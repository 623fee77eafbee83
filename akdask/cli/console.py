"""Telling on the terminal what is being done, how far it is, how long it took, and whether it was right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np

from akdask.testing import assert_equal

INDENT = " " * 6


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
