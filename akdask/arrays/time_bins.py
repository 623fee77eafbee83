"""Bins of time: the bin of each time and the labels of bins, as in pandas' `resample` and `Grouper`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask.arrays.calendar import EXAMPLES, Frequency, frequency_of
from akdask.arrays.creation import arange, array
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.pdarray import pdarray
from akdask.arrays.sorting import insertion_points
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import NOT_A_TIME, PER_SECOND
from akdask.deferred import pd
from akdask.engine.alignment import align_by_plan
from akdask.engine.run import run
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.operators.rows.plan import broadcast
from akdask.records import record

MOST_BINS = 2**31
"""Largest number of bins."""

LAST_DAYS = frozenset({"BME", "ME", "BQE", "BYE", "QE", "YE", "W"})
"""Frequencies named by the last day of a bin, all of which belongs to it, as in pandas' ``_adjust_bin_edges``."""

LIMITS = np.iinfo(np.int64)


@record
class Binning:
    """A user's arguments for bins, checked by pandas.

    Parameters
    ----------
    frequency : Frequency
        How far apart bins are.
    grouper : pandas.Grouper
        Which side is closed, which gives the label, and where bins of fixed length begin.
    """

    frequency: Frequency
    grouper: Any

    @classmethod
    def of(cls, asked: str, freq: Any, **params: Any) -> Binning:
        """Return the bins that the arguments of `resample` or `Grouper` describe.

        Raises
        ------
        ArgumentError
            If pandas refuses the frequency or an argument.
        ArgumentTypeError
            If the frequency is of another type.
        """
        frequency = frequency_of(freq, asked=asked)
        try:
            grouper: Any = pd.Grouper(freq=frequency.offset, **params)
        except (ValueError, TypeError, NotImplementedError) as error:
            raise ArgumentError(f"{asked}: {error}", hint=f"a frequency is one {EXAMPLES}") from error
        return cls.of_grouper(asked, grouper)

    @classmethod
    def of_grouper(cls, asked: str, grouper: Any) -> Binning:
        """Return the bins that a ``pandas.Grouper`` with a frequency describes."""
        frequency = frequency_of(grouper.freq, asked=asked)
        if frequency.span is not None and frequency.span < 1:
            raise ArgumentError(f"{asked}: a bin is longer than nothing, which {frequency.offset} is not.")
        return cls(frequency, grouper)

    @property
    def is_right_closed(self) -> bool:
        """Whether bins contain their upper bound, and not the lower one."""
        return bool(self.grouper.closed == "right")

    @property
    def is_right_labelled(self) -> bool:
        """Whether bins are called by their upper bound."""
        return bool(self.grouper.label == "right")

    def bins(self, times: TimeArray) -> TimeBins:
        """Return the bins from the first to the last of some times; computes first and last time.

        Raises
        ------
        ArgumentError
            If there are too many bins, or pandas has none for such times.
        ArgumentTypeError
            If the elements are spans, and the frequency follows the calendar.
        """
        extent = TimeExtent.of(times)
        if isinstance(times, Timedelta):
            return self._of_spans(times, extent)
        if extent.is_empty:
            return RegularBins(times, extent.has_missing, 0, 1, 0, 0, self.is_right_closed)
        span = self.frequency.span
        # Days have 23 or 25 hours in a zone.
        if span is None or (self.frequency.is_days and extent.zone is not None):
            return self._of_calendar(times, extent)
        return self._of_span(times, extent, span)

    def _of_span(self, times: TimeArray, extent: TimeExtent, span: int) -> RegularBins:
        """Return bins of fixed length, as pandas' ``_adjust_dates_anchored`` counts them."""
        step, right = extent.ticks(span), self.is_right_closed
        first, last = extent.first, extent.last
        offset = self.grouper.offset
        shift = 0 if offset is None else extent.ticks(int(offset.as_unit("ns").value))
        start_of = self._origin(extent, step)
        if self.grouper.origin in ("end", "end_day"):
            first = start_of
        past, rest = ((time - start_of - shift) % step for time in (first, last))
        start = first - past if past or not right else first - step
        if start > extent.first:
            raise ArgumentError(
                f"there are no bins of {self.frequency.offset} from {extent.stamp(extent.first)}: Values falls before "
                "first bin, which the offset puts later.",
                hint="leave out the offset, or count bins from the first time: origin='start'.",
            )
        end = last + (step - rest) if rest or not right else last
        return _regular(times, extent, start, step, end, self)

    def _origin(self, extent: TimeExtent, step: int) -> int:
        """Return a tick at which a bin begins, but for the offset."""
        origin = self.grouper.origin
        if origin == "start_day":
            return extent.ticks_of(extent.stamp(extent.first).normalize())
        if origin == "start":
            return extent.first
        if origin == "epoch":
            return extent.ticks_of(pd.Timestamp("1970-01-01", tz=extent.zone))
        if origin in ("end", "end_day"):
            end = extent.last
            if origin == "end_day":
                end = extent.ticks_of(extent.stamp(end).ceil("D"))
            return end - ((end - extent.first) // step + (not self.is_right_closed)) * step
        if (origin.tz is None) != (extent.zone is None):
            raise ArgumentError("The origin must have the same timezone as the index.", hint="origin='epoch' has none.")
        return extent.ticks_of(origin)

    def _of_calendar(self, times: TimeArray, extent: TimeExtent) -> EdgeBins:
        """Return bins with bounds from pandas, for the first and the last time."""
        ends = pd.DatetimeIndex(np.array([extent.first, extent.last], f"M8[{extent.unit}]"))
        if extent.zone is not None:
            ends = ends.tz_localize("UTC").tz_convert(extent.zone)
        two = pd.Series([0, 0], index=ends)
        closed, offset = self.grouper.closed, self.frequency.offset
        try:
            sizes: list[Any] = [two.resample(offset, closed=closed, label=side).size() for side in ("left", "right")]
            left, right = (size.index for size in sizes)
            edges: Any = left[:1].append(right)
            rule = offset.rule_code.split("-")[0]
            if closed == "right" and rule in LAST_DAYS:
                # By the clock, as bins end with the last moment of a day.
                day = pd.Timedelta(days=1).as_unit(extent.unit) - pd.Timedelta(1, unit=extent.unit).as_unit(extent.unit)  # type: ignore[arg-type]
                edges = (edges.tz_localize(None) + day).tz_localize(edges.tz)
        except (ValueError, OverflowError, NotImplementedError, IndexError) as error:
            raise ArgumentError(
                f"there are no bins of {offset} from {ends[0]} to {ends[1]}: {error}", hint=f"take others, {EXAMPLES}"
            ) from error
        # The spans that asfreq and ffill fill, whatever the labels of the bins.
        filled = right if closed == "right" else left
        return EdgeBins(
            times,
            extent.has_missing,
            edges.asi8,
            (right if self.is_right_labelled else left).asi8,
            filled.asi8,
            self.is_right_closed,
        )

    def _of_spans(self, times: TimeArray, extent: TimeExtent) -> RegularBins:
        """Return bins of spans of time, which begin with the shortest one; pandas' ``_get_time_delta_bins``."""
        if self.frequency.span is None:
            raise ArgumentTypeError(
                f"spans of time are put into bins of fixed length, not of {self.frequency.offset}.",
                hint="take one such as '24h' or '3D'.",
            )
        if extent.is_empty:
            return RegularBins(times, extent.has_missing, 0, 1, 0, 0, False)
        step, right = extent.ticks(self.frequency.span), self.is_right_closed
        offset = self.grouper.offset
        shift = 0 if offset is None else extent.ticks(int(offset.as_unit("ns").value))
        count = (extent.last - extent.first) // step + 1 + right
        # Of bins closed on the right, the first one ends with the shortest span.
        start = extent.first - (step if right else 0)
        made = RegularBins(times, extent.has_missing, start, step, count, extent.first + shift - start, right)
        return made.checked()


@record
class TimeExtent:
    """The first and the last of some times, as numbers of their unit.

    Parameters
    ----------
    first, last : int
        The bounds; if there are no times, the last one is smaller.
    has_missing : bool
        Whether some are NaT.
    unit : str
        The unit of the numbers.
    zone : str, optional
        The zone of the clocks that show them.
    """

    first: int
    last: int
    has_missing: bool
    unit: str
    zone: str | None

    @classmethod
    def of(cls, times: TimeArray) -> TimeExtent:
        """Return the extent of times; computes it."""
        value = times._value
        there = Call("not_equal", value, Constant(NOT_A_TIME))
        low, high = (Call("where", there, value, Constant(np.int64(limit))) for limit in (LIMITS.max, LIMITS.min))
        counts = (AggregateExpr("count_nonzero", there), AggregateExpr("count_nonzero", Call("logical_not", there)))
        bounds = (AggregateExpr("min", low, nan_of_none=True), AggregateExpr("max", high, nan_of_none=True))
        ((count, missing, first, last),) = run(Aggregate(times._frame, (*counts, *bounds)))
        span = (int(first), int(last)) if count else (0, -1)
        return cls(*span, bool(missing), times._form.unit, times._form.zone)

    @property
    def is_empty(self) -> bool:
        """Whether there are no times."""
        return self.last < self.first

    def ticks(self, nanoseconds: int) -> int:
        """Return the number of units in a length.

        Raises
        ------
        ArgumentError
            If the length has a fraction of a unit.
        """
        count, rest = divmod(nanoseconds * PER_SECOND[self.unit], 10**9)
        if rest:
            raise ArgumentError(
                f"a length of {pd.Timedelta(nanoseconds)} is no whole number of {self.unit}, which the times count.",
                hint="take a multiple of that, or make the times finer: times.as_unit('ns').",
            )
        return count

    def stamp(self, ticks: int) -> Any:
        """Return a time as pandas has it."""
        time = pd.Timestamp(np.datetime64(ticks, self.unit))  # type: ignore[call-overload]
        return time if self.zone is None else time.tz_localize("UTC").tz_convert(self.zone)

    def ticks_of(self, time: Any) -> int:
        """Return the number of a time of pandas."""
        # `value` counts nanoseconds, whatever the unit is.
        return int(time.as_unit(self.unit).to_numpy().astype(np.int64))


@record
class TimeBins:
    """Bins that follow each other from the first to the last of some times.

    Parameters
    ----------
    times : TimeArray
        The times.
    has_missing : bool
        Whether some of them are NaT, which is in no bin.
    """

    times: TimeArray
    has_missing: bool

    @property
    def count(self) -> int:
        """Number of bins."""
        raise NotImplementedError

    @cached_property
    def numbers(self) -> pdarray:
        """The number of the bin of each time: int64, missing where a time is NaT; lazy."""
        frame, number = self._numbers()
        if not self.has_missing:
            return pdarray(frame, number)
        frame, (number, time) = align_by_plan("bin", [(frame, number), (self.times._frame, self.times._value)])
        # NaN is the key of no group.
        there = Call("not_equal", time, Constant(NOT_A_TIME))
        return pdarray(frame, Call("where", there, Call("cast", number, dtype="float64"), Constant(np.nan)))

    def labels(self) -> TimeArray:
        """Return the labels of the bins; lazy."""
        raise NotImplementedError

    def filled(self) -> TimeArray:
        """Return the times that `asfreq` and `ffill` have, one for each bin; lazy."""
        raise NotImplementedError

    def labels_of_rows(self) -> TimeArray:
        """Return the label of the bin of each time, NaT for NaT; lazy."""
        frame, number = self._numbers()
        frame, (number, time) = align_by_plan("bin", [(frame, number), (self.times._frame, self.times._value)])
        label = self._label(number)
        if self.has_missing:
            there = Call("not_equal", time, Constant(NOT_A_TIME))
            label = Call("where", there, label, Constant(NOT_A_TIME))
        return self.times._like(frame, label)._lacking(self.has_missing)

    def _numbers(self) -> tuple[Any, Value]:
        """Return the number of the bin of each time, anything for NaT."""
        raise NotImplementedError

    def _label(self, number: Value) -> Value:
        """Return the labels of bins by their numbers."""
        raise NotImplementedError


@record
class RegularBins(TimeBins):
    """Bins of the same length.

    Parameters
    ----------
    start : int
        Where the first one begins.
    step : int
        The length.
    size : int
        Number of bins.
    label : int
        How far past its beginning a bin is called by.
    is_right_closed : bool
        Whether they contain their upper bound.
    holds_start : bool
        Whether the first one contains its lower bound as well, as in pandas where an offset puts it at the first time.
    """

    start: int
    step: int
    size: int
    label: int
    is_right_closed: bool
    holds_start: bool = False

    @property
    def count(self) -> int:
        """Number of bins."""
        return self.size

    def checked(self) -> RegularBins:
        """Return the bins, unless there are too many or their bounds do not fit 64 bits."""
        if self.size > MOST_BINS:
            raise ArgumentError(
                f"there would be {self.size:,} bins.",
                hint="take longer ones; groups of times.floor(…) have only the bins that have rows.",
            )
        low, high = self.start + min(self.label, 0), self.start + self.size * self.step + max(self.label, 0)
        if low <= LIMITS.min or high > LIMITS.max:
            raise ArgumentError(
                "the bounds of the bins are beyond what 64 bits hold.", hint="leave out the earliest and latest times."
            )
        return self

    def labels(self) -> TimeArray:
        """Return the labels of the bins; lazy."""
        return self._times(self.label)

    def filled(self) -> TimeArray:
        """Return the times that `asfreq` and `ffill` have; lazy."""
        return self._times(self.step if self.is_right_closed else 0)

    def _times(self, shift: int) -> TimeArray:
        numbers: Any = arange(self.size)
        found: pdarray = numbers * self.step + (self.start + shift)
        return self.times._like(found._frame, found._value)._lacking(False)

    def _numbers(self) -> tuple[Any, Value]:
        value = self.times._value
        step = Constant(np.int64(self.step))
        origin = self.start + self.is_right_closed
        if self.start + self.size * self.step - origin <= LIMITS.max:
            number = Call("floor_divide", Call("subtract", value, Constant(np.int64(origin))), step)
        else:
            # Differences of more than 292 years of nanoseconds overflow; quotients and remainders do not.
            quotient, rest = divmod(origin, self.step)
            late = Call("less", Call("remainder", value, step), Constant(np.int64(rest)))
            quotients = Call("subtract", Call("floor_divide", value, step), Constant(np.int64(quotient)))
            number = Call("subtract", quotients, Call("cast", late, dtype="int64"))
        if self.holds_start:
            number = Call("maximum", number, Constant(np.int64(0)))
        return self.times._frame, number

    def _label(self, number: Value) -> Value:
        product = Call("multiply", number, Constant(np.int64(self.step)))
        return Call("add", product, Constant(np.int64(self.start + self.label)))


@record
class EdgeBins(TimeBins):
    """Bins with bounds of their own.

    Parameters
    ----------
    edges : ndarray of int64
        The bounds, one more than bins.
    called : ndarray of int64
        The labels of the bins.
    targets : ndarray of int64
        The times that `asfreq` has.
    is_right_closed : bool
        Whether bins contain their upper bound.
    """

    edges: np.ndarray[Any, Any]
    called: np.ndarray[Any, Any]
    targets: np.ndarray[Any, Any]
    is_right_closed: bool

    @property
    def count(self) -> int:
        """Number of bins."""
        return len(self.called)

    def labels(self) -> TimeArray:
        """Return the labels of the bins; lazy."""
        return self._of(self.called)

    def filled(self) -> TimeArray:
        """Return the times that `asfreq` and `ffill` have; lazy."""
        return self._of(self.targets)

    def _of(self, ticks: np.ndarray[Any, Any]) -> TimeArray:
        found: pdarray = array(ticks)
        return self.times._like(found._frame, found._value)._lacking(False)

    def _numbers(self) -> tuple[Any, Value]:
        times = pdarray(self.times._frame, self.times._value)
        found = insertion_points(array(self.edges), times, side="left" if self.is_right_closed else "right")
        return found._frame, Call("subtract", found._value, Constant(np.int64(1)))

    def _label(self, number: Value) -> Value:
        labels: pdarray = array(self.called)
        # NaT is before all bins, and takes the label of the first one until it is left out.
        number = Call("maximum", number, Constant(np.int64(0)))
        return Call("lookup", broadcast(labels._frame, labels._value), number)


def _regular(  # noqa: PLR0917 - what bins are made of
    times: TimeArray, extent: TimeExtent, start: int, step: int, end: int, binning: Binning
) -> RegularBins:
    label = step if binning.is_right_labelled else 0
    count = (end - start) // step
    right = binning.is_right_closed
    made = RegularBins(
        times, extent.has_missing, start, step, count, label, right, holds_start=right and start == extent.first
    )
    return made.checked()


def labels_of_rows(asked: str, times: Any, grouper: Any) -> TimeArray:
    """Return the label of each time's bin by a ``pandas.Grouper``; computes the first and the last time.

    Raises
    ------
    ArgumentTypeError
        If they are no times.
    """
    return Binning.of_grouper(asked, grouper).bins(demand_times(asked, times)).labels_of_rows()


def demand_times(asked: str, times: Any, columns: Sequence[str] = ()) -> TimeArray:
    """Return times, and refuse other values.

    Raises
    ------
    ArgumentTypeError
        If they are neither times nor spans.
    """
    if not isinstance(times, Datetime | Timedelta):
        raise ArgumentTypeError(
            f"{asked} needs times, not {times._type_name()}.",
            details=[f"columns of times: {', '.join(columns)}"] if columns else [],
            hint="name the column of times: df.resample('h', on='t'), or label rows by it: df.set_index('t').",
        )
    return times
