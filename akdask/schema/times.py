"""What int64 numbers of a column mean that are times: their unit, their zone, and whether some may be NaT."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from akdask.deferred import pd

Unit: TypeAlias = Literal["s", "ms", "us", "ns"]

PER_SECOND: dict[str, int] = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""The units that times have, from coarse to fine, and how many of each make a second."""

NOT_A_TIME = np.iinfo(np.int64).min
"""The number of NaT, as NumPy and pandas have it."""

TIME, SPAN = "time", "span"


def finer(*units: str) -> str:
    """Return the finest of some units.

    Examples
    --------
    >>> finer("s", "us", "ms")
    'us'
    """
    return max(units, key=PER_SECOND.__getitem__)


@dataclass(frozen=True, slots=True)
class TimeForm:
    """What a number stands for.

    Parameters
    ----------
    kind : {"time", "span"}
        A point in time, counted from 1970, or a length.
    unit : {"s", "ms", "us", "ns"}
        What is counted.
    zone : str, optional
        The name of the zone whose clocks show the time, as ``zoneinfo`` has it, or an offset such as ``+02:00``.  The
        numbers are those of UTC.  None for times that clocks show, wherever they are.
    may_lack : bool
        Whether some of the numbers may be NaT.
    ordered : bool
        Whether numbers are one less than those of times, which puts NaT last: see `akdask.plan.expr.times.ordered`.
    """

    kind: str
    unit: str = "ns"
    zone: str | None = None
    may_lack: bool = False
    ordered: bool = False

    @property
    def token(self) -> str:
        """Names the form in plans."""
        return f"{self.kind} {self.unit} {self.zone} {self.may_lack} {self.ordered}"

    @property
    def is_time(self) -> bool:
        """Whether it is a point in time."""
        return self.kind == TIME

    @property
    def numpy(self) -> np.dtype[Any]:
        """NumPy's dtype, which has no zone."""
        return np.dtype(f"{'M' if self.is_time else 'm'}8[{self.unit}]")

    @property
    def pandas(self) -> Any:
        """The dtype that pandas has for it."""
        return self.numpy if self.zone is None else pd.DatetimeTZDtype(self.unit, self.zone)  # type: ignore[call-overload]  # a str

    @property
    def per_second(self) -> int:
        """How many units make a second."""
        return PER_SECOND[self.unit]

    def lacking(self, may_lack: bool = True) -> TimeForm:
        """Return the form of numbers some of which may be NaT, or of none that is."""
        return self if self.may_lack == may_lack else replace(self, may_lack=may_lack)

    def of_span(self) -> TimeForm:
        """Return the form of differences."""
        return replace(self, kind=SPAN, zone=None)

    def __call__(self, number: Any) -> Any:
        """Return one number as pandas' Timestamp or Timedelta; NaN is NaT."""
        if number != number:  # noqa: PLR0124 - so is NaN found in any type
            return pd.NaT
        count = int(number)
        if self.ordered:
            count = NOT_A_TIME if count == -NOT_A_TIME - 1 else count + 1
        if count == NOT_A_TIME:
            return pd.NaT
        if self.is_time:
            time: Any = pd.Timestamp(np.int64(count).view(self.numpy))
            return time if self.zone is None else time.tz_localize("UTC").tz_convert(self.zone)
        span: Any = np.int64(count).view(self.numpy)
        return pd.Timedelta(span)

    def __str__(self) -> str:
        return str(self.pandas)


NANOSECONDS = {TIME: TimeForm(TIME), SPAN: TimeForm(SPAN)}
"""The forms that Arkouda has."""
