"""Frequencies: what text, offsets of pandas and spans of time say of how times follow each other.

A frequency has a fixed length, as hours have, or goes by the calendar, as months do.  pandas' parser reads all of them.
"""

from __future__ import annotations

import datetime
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.collections.core.rules import Rules
from akdask.collections.core.scalar import value_of
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.rowwise.times import DAY

EXAMPLES = "such as '15min', 'h', 'D', 'W', 'MS' (first of the month), 'ME' (its last day) or pd.offsets.MonthEnd()."

UNIT_SPANS = {
    "w": 7 * DAY,
    "d": DAY,
    "h": DAY // 24,
    "m": DAY // 1440,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
    "weeks": 7 * DAY,
    "days": DAY,
    "hours": DAY // 24,
    "hrs": DAY // 24,
    "minutes": DAY // 1440,
    "t": DAY // 1440,
    "seconds": 10**9,
    "milliseconds": 10**6,
    "l": 10**6,
    "microseconds": 10**3,
    "u": 10**3,
    "nanoseconds": 1,
    "n": 1,
}
"""Nanoseconds of Arkouda's units by their names, `_unit2factor` and `_unit2normunit` of its ``timeclass.py``."""


@dataclass(frozen=True, slots=True)
class Frequency:
    """A frequency: an offset of pandas, and its length where that is always the same.

    Parameters
    ----------
    offset : pandas.tseries.offsets.BaseOffset
        The offset.
    span : int, optional
        Nanoseconds of a fixed length; None where the calendar decides.
    """

    offset: Any
    span: int | None

    @property
    def is_days(self) -> bool:
        """Whether it counts days, which have 23 or 25 hours where clocks change."""
        return isinstance(self.offset, pd.offsets.Day)


def frequency_of(freq: Any, *, asked: str) -> Frequency:
    """Return what a frequency of a user means, in pandas' reading.

    Parameters
    ----------
    freq : str, pandas offset, timedelta, numpy.timedelta64 or lazy scalar of a span
        The frequency; the case of text matters.
    asked : str
        What needs it, for messages.

    Raises
    ------
    ArgumentError
        If pandas refuses the text.
    ArgumentTypeError
        If it is of another type.
    """
    freq = value_of(freq)
    if isinstance(freq, np.timedelta64):
        freq = pd.Timedelta(freq)
    if not (isinstance(freq, str | datetime.timedelta) or is_offset(freq)) or freq is pd.NaT:
        raise ArgumentTypeError(f"{asked} takes a frequency, not {type(freq).__name__}.", hint=EXAMPLES)
    try:
        offset: Any = pd.tseries.frequencies.to_offset(freq)
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{asked}: {error}", hint=EXAMPLES) from error
    if isinstance(offset, pd.offsets.Day):
        return Frequency(offset, offset.n * DAY)
    return Frequency(offset, int(offset.nanos) if isinstance(offset, pd.offsets.Tick) else None)


def is_offset(item: Any) -> bool:
    """Whether an object is one of pandas' offsets, such as ``pd.DateOffset(months=1)``."""
    return "pandas" in sys.modules and isinstance(item, pd.offsets.BaseOffset)


def fixed_span(freq: Any, *, asked: str) -> int:
    """Return the nanoseconds of a frequency of fixed length.

    Raises
    ------
    ArgumentError
        If pandas refuses it, its length depends on the calendar, or it is not longer than nothing.
    ArgumentTypeError
        If it is no frequency.
    """
    found = frequency_of(freq, asked=asked)
    if found.span is None:
        raise ArgumentError(
            f"{asked}: {found.offset} is a non-fixed frequency.",
            hint="use a fixed one such as 'D', '7D' or 'h'; the calendar is for resample, Grouper and + pd.offsets.",
        )
    if found.span < 1:
        raise ArgumentError(f"{asked}: a frequency is longer than nothing, which {freq!r} is not.")
    return found.span


def rounding_span(freq: Any, rules: Rules, *, asked: str) -> int:
    """Return the nanoseconds that times are rounded to multiples of.

    Where the rules keep them, Arkouda's names of units stand before pandas' reading: ``m`` is a minute.  A beginning of
    a full name will do, as in Arkouda.

    Raises
    ------
    ArgumentError
        If it is no frequency of fixed length.
    ArgumentTypeError
        If it is no frequency.
    """
    if rules.rounds_to_units and isinstance(freq, str) and freq:
        span = UNIT_SPANS.get(freq)
        if span is None and freq.islower():
            span = next((UNIT_SPANS[name] for name in UNIT_SPANS if len(freq) > 2 and name.startswith(freq)), None)
        if span is not None:
            return span
    return fixed_span(freq, asked=asked)
