"""`GroupResampler`: the rows of each group in bins of time, from the group's first time to its last."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.creation import arange
from akdask.arrays.datetimes import Datetime
from akdask.arrays.elementwise import where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cumsum
from akdask.arrays.sorting import argsort, searchsorted
from akdask.arrays.time_bins import LAST_DAYS, MOST_BINS, Binning, TimeBins, TimeExtent
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import NOT_A_TIME
from akdask.engine.values import Call, Constant
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.columnset import ColumnSet
from akdask.frames.groupby import DataFrameGroupBy
from akdask.frames.index import MultiIndex
from akdask.frames.resampling import BIN, Resampler, label_name, times_of
from akdask.frames.series import Series
from akdask.operators.values.times import DAY
from akdask.records import record

GROUP = "number of group"
"""What the numbers of groups are called among the keys."""


@record
class GroupBins:
    """The bins of each group: a number for each row, and the labels of the bins of a group by their numbers.

    Parameters
    ----------
    numbers : pdarray of int64
        The number of the bin of each row; numbers of a group need not begin with 0.
    shared : TimeBins, optional
        Bins that all groups share.
    starts : pdarray of int64, optional
        Where the first bin of each group begins, if groups have bins of their own.
    step, label : int
        Length of these bins, and offset of the label from the beginning of a bin.
    """

    numbers: pdarray
    shared: TimeBins | None
    starts: Any = None
    step: int = 0
    label: int = 0

    def labels(self, times: TimeArray, group: Any, number: Any) -> TimeArray:
        """Return the labels of bins, by the position of their group and their number."""
        if self.shared is not None:
            found = times._like(number._frame, self.shared._label(number._value))
        else:
            ticks = self.starts[group] + number * self.step + self.label
            found = times._like(ticks._frame, ticks._value)
        return found._lacking(False)


class GroupResampler(Resampler[Any]):
    """Rows of each group in bins of time, as ``df.groupby("k").resample("D", on="t")`` gives them.

    Parameters
    ----------
    groups : DataFrameGroupBy
        The groups.
    binning : Binning
        Specification of the bins.
    on : str, optional
        The column of the times, the labels of the rows unless given.

    Notes
    -----
    Results have a row for each bin of a group from its first to its last; a DataFrame has the keys and the times as
    columns, as with several keys, and a Series has labels of several levels.
    """

    def __init__(self, groups: DataFrameGroupBy, binning: Binning, on: str | None) -> None:
        df = groups.df
        times = times_of(df, on)
        number: Any = groups.gb.broadcast(arange(groups.gb.ngroups) + 1) - 1
        there = pdarray(times._frame, Call("not_equal", times._value, Constant(NOT_A_TIME)))
        selected: Any = there & (number >= 0)
        self._binning, self._on, self._as_index = binning, on, True
        self._one, self._series_name = False, None
        self._names = [name for name in groups._columns(None) if name != on]
        self._df = df._rows(selected)
        self._times = times[selected]._lacking(False)
        self._number = number[selected]
        keys = groups.gb.unique_keys
        self._keys: dict[str, Any] = dict(
            zip(groups.gb_key_names, keys if isinstance(keys, tuple) else (keys,), strict=True)
        )
        self._group_bins = _bins_of(binning, self._times, self._number)

    @cached_property
    def _groups(self) -> DataFrameGroupBy:
        return DataFrameGroupBy(GroupBy([self._number, self._group_bins.numbers]), self._df, [GROUP, BIN])

    @cached_property
    def _in_order(self) -> GroupResampler:
        if bool(pdarray(self._times._frame, self._times._value).is_sorted()):
            return self
        moved = copy(self)
        moved.__dict__.pop("_groups", None)
        order = argsort(self._times)
        moved._df, moved._times, moved._number = self._df._rows(order), self._times[order], self._number[order]
        moved._group_bins = replace(self._group_bins, numbers=self._group_bins.numbers[order])
        return moved

    @cached_property
    def _rows_of_results(self) -> tuple[Any, Any, Any]:
        """The position of the group and the number of the bin of each row of results, and the groups that have rows."""
        by_group = GroupBy(self._number)
        groups, first = by_group.min(self._group_bins.numbers)
        last: Any = by_group.max(self._group_bins.numbers)[1]
        counts: Any = last - first + 1
        total = int(counts.sum()) if len(groups) else 0
        if total > MOST_BINS:
            raise ArgumentError(f"there would be {total:,} bins.", hint="take longer ones.")
        begins: Any = cumsum(counts) - counts
        row: Any = arange(total)
        position: Any = searchsorted(begins, row, side="right") - 1
        return position, row - (begins - first)[position], groups

    @cached_property
    def _place(self) -> tuple[Any, Any] | None:
        group, number = self._groups.gb.unique_keys
        position, wanted, groups = self._rows_of_results
        if len(group) == len(wanted):
            return None
        width = int(wanted.max()) + 1
        if width * self._groups_count >= np.iinfo(np.int64).max:
            raise ArgumentError("there are too many groups and bins to number them together.", hint="take longer bins.")
        pairs: Any = group * width + number
        sought: Any = groups[position] * width + wanted
        at: Any = searchsorted(pairs, sought)
        return at, pairs[at] != sought

    @property
    def _groups_count(self) -> int:
        return len(next(iter(self._keys.values())))

    def _labels(self) -> tuple[dict[str, Any], TimeArray]:
        position, number, groups = self._rows_of_results
        keys = {name: key[groups][position] for name, key in self._keys.items()}
        return keys, self._group_bins.labels(self._times, position, number)

    def __len__(self) -> int:
        return len(self._rows_of_results[1])

    @property
    def ngroups(self) -> int:
        """Number of bins of all groups, empty ones included."""
        return len(self)

    def size(self) -> Any:
        """Return the number of rows in each bin of each group, as a Series; lazy."""
        return self._labelled(self._spread("size", self._groups.gb.size()[1]), self._series_name if self._one else None)

    def _frame(self, results: Mapping[str, Array]) -> Any:
        keys, labels = self._labels()
        name = label_name(self._df, self._on)
        return self._df._of(ColumnSet.of({**keys, "index" if name is None else str(name): labels, **results}))

    def _series(self, found: Any, column: str) -> Any:
        return self._labelled(found._columns.array(column), self._series_name)

    def _labelled(self, values: Any, name: Any) -> Any:
        keys, labels = self._labels()
        names = [*self._keys, label_name(self._df, self._on)]
        return Series(values, name, MultiIndex([*keys.values(), labels], names=names))

    def __iter__(self) -> Any:
        raise UnsupportedError(
            "bins of groups are not iterated over.", hint="iterate over df.groupby([…, ak.Grouper(…)])."
        )

    def get_group(self, name: Any) -> Any:
        """Refuse: rows of a group and a bin are rows of ``df.groupby(["k", ak.Grouper(…)])``."""
        raise UnsupportedError("bins of groups have no get_group.", hint="ask df.groupby([…, ak.Grouper(…)]) for it.")

    def _filled(self, method: str | None, limit: int | None, fill_value: Any = None) -> Any:
        raise UnsupportedError(
            "bins of groups are reduced only.", hint="df.groupby('k').apply(lambda rows: rows.resample('D').ffill())"
        )

    def _in_pandas(self) -> Any:
        raise UnsupportedError(
            "bins of groups take names of reductions.",
            hint="df.groupby('k').apply(lambda rows: rows.resample('D', on='t').apply(function)) takes functions.",
        )


def _bins_of(binning: Binning, times: TimeArray, number: Any) -> GroupBins:
    """Return the bins of each group.

    Raises
    ------
    UnsupportedError
        If bins by the calendar begin at another multiple in each group.
    """
    zone, span, origin = times._form.zone, binning.frequency.span, binning.grouper.origin
    if span is None or (binning.frequency.is_days and zone is not None):
        offset = binning.frequency.offset
        ends_on_right = offset.rule_code.split("-")[0] in LAST_DAYS
        if offset.n == 1 and binning.is_right_closed == ends_on_right:
            return _shared(binning, times)
    elif (
        not isinstance(origin, str) or origin == "epoch" or (origin == "start_day" and not DAY % span and zone is None)
    ):
        return _shared(binning, times)
    elif origin in ("start", "start_day") and zone is None:
        return _own(binning, times, number, span)
    raise UnsupportedError(
        f"bins of {binning.frequency.offset} begin at times of their own in each group.",
        details=[f"origin: {origin}, closed: {binning.grouper.closed}"],
        hint="df.groupby('k').apply(lambda rows: rows.resample(…).sum()) finds them in pandas.",
    )


def _shared(binning: Binning, times: TimeArray) -> GroupBins:
    bins = binning.bins(times)
    return GroupBins(bins.numbers, bins)


def _own(binning: Binning, times: TimeArray, number: Any, span: int) -> GroupBins:
    """Return bins of fixed length that are counted from the first time of each group; see `Binning._of_span`."""
    ticks: Any = pdarray(times._frame, times._value)
    extent = TimeExtent(0, 0, False, times._form.unit, None)
    step, right = extent.ticks(span), binning.is_right_closed
    offset = binning.grouper.offset
    shift = 0 if offset is None else extent.ticks(int(offset.as_unit("ns").value))
    by_group = GroupBy(number)
    first: Any = by_group.min(ticks)[1]
    day = extent.ticks(DAY)
    begin: Any = first // day * day if binning.grouper.origin == "start_day" else first
    past: Any = (first - begin - shift) % step
    starts: Any = first - past
    if right:
        # No number is negative, so that a group and a bin make one number together.
        starts = where(past > 0, starts, starts - step)
    numbers: Any = (ticks - by_group.broadcast(starts) - int(right)) // step
    return GroupBins(numbers, None, starts, step, step if binning.is_right_labelled else 0)


def resampler_of_groups(
    groups: DataFrameGroupBy, rule: Any, on: str | None, asked: Mapping[str, Any]
) -> GroupResampler:
    """Return the rows of each group in bins of time; see `DataFrameGroupBy.resample`."""
    binning = Binning.of("resample", rule, **asked)
    if not isinstance(times_of(groups.df, on), Datetime):
        raise ArgumentTypeError("groups are resampled by times, not by spans.")
    return GroupResampler(groups, binning, on)


def resampler_of_column(groups: Any, rule: Any, asked: Mapping[str, Any]) -> Any:
    """Return the values of each group in bins of the times that label them; see `SeriesGroupBy.resample`."""
    made = resampler_of_groups(groups._groups, rule, None, asked)
    made._names, made._one, made._series_name = [groups._groups._columns(None)[0]], True, groups._series.name
    made._keys = dict(zip(groups._names, made._keys.values(), strict=True))
    return made
