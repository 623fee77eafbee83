"""What stands on an axis: lazy numbers or times, which of them have a place there, and how far they reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.base import Labelled, unlabelled
from akdask.collections.core.selection import known_lengths
from akdask.collections.time.datetimes import Datetime, Timedelta
from akdask.collections.time.timearray import TimeArray
from akdask.deferred import is_pandas, pd
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Call, Constant, Value, cast
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr
from akdask.plan.run.alignment import align
from akdask.plan.run.run import run
from akdask.schema import FLOAT64, INT64
from akdask.schema.times import NOT_A_TIME

Extent = tuple[Any, Any]
"""Smallest and largest place on an axis: floats, or integers of nanoseconds."""

NOTHING: Extent = (0, 1)
"""Extent of an axis on which there is nothing."""


@dataclass(frozen=True, slots=True)
class AxisValues:
    """A column on an axis.

    Parameters
    ----------
    label : str
        What it is called.
    frame : Frame
        The rows.
    value : Value
        Numbers, or nanoseconds of times.
    time : {"", "time", "span"}
        Whether nanoseconds are since 1970, or a span.
    """

    label: str
    frame: Frame
    value: Value
    time: str = ""

    @classmethod
    def of(cls, operation: str, values: Any, label: str | None = None) -> AxisValues:
        """Return what stands for an array, a Series or data at hand; bool as 0 and 1.

        Raises
        ------
        ArgumentTypeError
            If it has no place on an axis, as text has none.
        """
        is_labelled = isinstance(values, Labelled) or is_pandas(values, "Series", "Index")
        name = getattr(values, "name", None) if label is None and is_labelled else label
        given = unlabelled(values)
        given = given if isinstance(given, Array) else array(given)
        label = "" if name is None else str(name)
        if isinstance(given, TimeArray):
            # Times with a zone are drawn as its clocks show them.
            shown = given.tz_localize(None) if isinstance(given, Datetime) else given
            numbers = shown.as_unit("ns")
            return cls(label, numbers._frame, numbers._value, "time" if isinstance(given, Datetime) else "span")
        kind = given._value.dtype.kind
        if isinstance(given, pdarray) and given._pandas_converter() is None:
            if kind in ("int", "uint", "float"):
                return cls(label, given._frame, given._value)
            if kind in ("bool", "bigint"):
                return cls(label, given._frame, cast(given._value, INT64 if kind == "bool" else FLOAT64))
        raise ArgumentTypeError(
            f"{operation} draws numbers and times, and {label or 'this'} is {given._describe()}.",
            hint="count what there is of each, as in df.groupby('x').size().plot.bar(), or choose other columns.",
        )

    @property
    def present(self) -> Value | None:
        """Whether each row has a place on the axis; None if all have."""
        if self.time:
            return Call("not_equal", self.value, Constant(NOT_A_TIME))
        return Call("isfinite", self.value) if self.value.dtype == FLOAT64 else None

    @property
    def array(self) -> pdarray:
        """The numbers or nanoseconds as a lazy array."""
        return pdarray(self.frame, self.value)

    @property
    def finite(self) -> pdarray:
        """The numbers or times as a lazy array of their type, NaN in place of infinities."""
        if self.time:
            return {"time": Datetime, "span": Timedelta}[self.time].of(self.frame, self.value)
        if self.present is None:
            return self.array
        return pdarray(self.frame, Call("where", self.present, self.value, Constant(np.nan)))

    def on(self, frame: Frame, value: Value) -> AxisValues:
        """Return the column on other rows."""
        return AxisValues(self.label, frame, value, self.time)

    def counted_from(self, extent: Extent) -> tuple[pdarray, Extent]:
        """Return the column for bins of an extent, and the extent for it: of times from 0, to lose no digits."""
        low, high = extent
        if not self.time:
            return self.array, extent
        there = Call("greater_equal", self.value, Constant(np.int64(low)))
        since = Call("subtract", self.value, Constant(np.int64(low)))
        # Earlier times and NaT wrap around.
        return pdarray(self.frame, Call("where", there, since, Constant(np.int64(-1)))), (0, int(high) - int(low))

    def shown(self, positions: Any, extent: Extent) -> Any:
        """Return numbers or NumPy's times for places that `counted_from` counts."""
        if not self.time:
            return np.asarray(positions, np.float64)
        numbers = np.int64(extent[0]) + np.round(positions).astype(np.int64)
        return numbers.view("datetime64[ns]" if self.time == "time" else "timedelta64[ns]")

    def limits(self, bounds: Any) -> Extent:
        """Return the extent that a user gives.

        Raises
        ------
        ArgumentError
            If it is no pair that ascends.
        """
        try:
            low, high = bounds
            if self.time:
                of_pandas = pd.Timestamp if self.time == "time" else pd.Timedelta
                low, high = (of_pandas(bound).as_unit("ns").value for bound in (low, high))
            else:
                low, high = float(low), float(high)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"range={bounds!r} is no pair of {self.time or 'number'}s: {error}.") from error
        if not low <= high:
            raise ArgumentError(f"the range {bounds!r} does not ascend.", hint="pass range=(low, high).")
        return low, high


def on_common_rows(operation: str, columns: Sequence[AxisValues]) -> list[AxisValues]:
    """Return columns on the rows of one frame.

    Raises
    ------
    AlignmentError
        If they do not share rows.
    """
    frame, values = align(operation, [(column.frame, column.value) for column in columns])
    return [column.on(frame, value) for column, value in zip(columns, values, strict=True)]


def extents(columns: Sequence[AxisValues], *, in_pairs: bool = False) -> list[Extent | None]:
    """Return how far columns of one frame reach, None if no value has a place; computes, in one pass.

    Missing values and infinities are left out; where columns are drawn together, whole rows are that have one.
    """
    masks = [column.present for column in columns]
    if in_pairs:
        there = [mask for mask in masks if mask is not None]
        masks = [reduce(lambda one, other: Call("logical_and", one, other), there) if there else None] * len(columns)
    wanted = [expr for column, mask in zip(columns, masks, strict=True) for expr in _extremes(column.value, mask)]
    try:
        (found,) = run(Aggregate(columns[0].frame, tuple(wanted)))
    except ArgumentError:
        if sum(known_lengths(columns[0].frame)):
            raise
        return [None] * len(columns)
    pairs = zip(found[::2], found[1::2], strict=True)
    return [None if low > high else (low.item(), high.item()) for low, high in pairs]


def _extremes(value: Value, mask: Value | None) -> tuple[AggregateExpr, AggregateExpr]:
    if mask is None:
        return AggregateExpr("min", value), AggregateExpr("max", value)
    limits: Any = np.iinfo(value.dtype.numpy) if value.dtype.numpy.kind in "iu" else None
    most, least = (limits.max, limits.min) if limits else (np.inf, -np.inf)
    low, high = (Constant(value.dtype.numpy.type(limit)) for limit in (most, least))
    return (
        AggregateExpr("min", Call("where", mask, value, low)),
        AggregateExpr("max", Call("where", mask, value, high)),
    )
