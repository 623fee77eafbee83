"""Columns that rows are grouped by, as they were when the groups were made: later assignments do not change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Self

from akdask.collections.core.array import Array
from akdask.collections.text.categorical import Categorical
from akdask.collections.time.timearray import TimeArray
from akdask.deferred import DeferredModule
from akdask.plan.expr.chain import column_identity
from akdask.plan.expr.missing_integers import is_missing as is_missing_integer
from akdask.plan.expr.missing_integers import key_parts
from akdask.plan.expr.missing_text import is_missing
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Filter
from akdask.plan.expr.times import is_missing_time, of_order
from akdask.plan.expr.values import Call, Constant, Value
from akdask.plan.run.alignment import align
from akdask.plan.task.align import Aligned
from akdask.schema import FLOAT64, NULLABLE_STR

if TYPE_CHECKING:
    from akdask.plan.group import aggregate as group_nodes
else:
    group_nodes = DeferredModule("akdask.plan.group.aggregate")


@dataclass(frozen=True)
class GroupKeys:
    """Columns that rows are grouped by.

    Parameters
    ----------
    frame : Frame
        Where they are found.
    values : tuple of Value
        The columns; two of integers of which some are missing.
    grouped : Value, optional
        Bool column: which rows are in a group; None where every row is.
    """

    frame: Frame
    values: tuple[Value, ...]
    grouped: Value | None = None

    @classmethod
    def of(cls, arrays: Sequence[Array], *, dropna: bool, labels: bool = False) -> Self:
        """Return arrays as keys, with or without the rows that have NaN, NaT or missing text.

        If `labels`, rows with the label of a Categorical that stands for missing are left out with them.

        Raises
        ------
        AlignmentError
            If they do not share rows.
        """
        frame, values = align("group", [array._key() for array in arrays])
        present = _is_present(arrays, values, labels) if dropna else None
        return cls(frame, tuple(part for value in values for part in key_parts(value)), present)

    @classmethod
    def of_numbers(cls, numbers: Array) -> Self:
        """Return the number of each row's group as the key; rows with negative ones are in none."""
        return cls(numbers._frame, (numbers._value,), Call("greater_equal", numbers._value, Constant(0)))

    @property
    def _columns(self) -> list[Aligned]:
        wanted = self.values if self.grouped is None else (*self.values, self.grouped)
        return [(self.frame, value) for value in wanted]

    @cached_property
    def identity(self) -> group_nodes.GroupIdentity:
        """The identity of the groups, the same on all frames of their rows."""
        frame = self.frame if self.grouped is None else self._selected(self.frame, self.grouped)
        return group_nodes.GroupIdentity.of(frame, self.values)

    def common(self, *others: Aligned) -> Frame:
        """Return the rows on which the keys are found beside other columns."""
        return self._aligned(*others)[0]

    def beside(self, *others: Aligned) -> tuple[Frame, tuple[Value, ...], list[Value]]:
        """Return the rows that are in a group, and the keys and other columns as they are found there."""
        count = len(self.values)
        frame, values = self._aligned(*others)
        if self.grouped is None:
            return frame, tuple(values[:count]), values[count:]
        return self._selected(frame, values[count]), tuple(values[:count]), values[count + 1 :]

    def _aligned(self, *others: Aligned) -> tuple[Frame, list[Value]]:
        # Several partitions of groups have bounds that depend on how the rows are partitioned.
        keeps_rows = self.identity.npartitions > 1
        return align("group", [*self._columns, *others], keeps_rows=keeps_rows)

    def _selected(self, frame: Frame, grouped: Value) -> Frame:
        assert self.grouped is not None, "there are rows to leave out"
        identity = column_identity(self.frame, self.grouped)
        return Filter(frame, grouped, identity.partitioned_like(self.frame.rows, frame.rows))


def _is_present(arrays: Sequence[Array], values: Sequence[Value], labels: bool) -> Value | None:
    """Return which rows have no NaN, NaT or missing text among their keys, None where no type of key has any."""
    missing: list[Value] = [
        _is_missing(array, value)
        for array, value in zip(arrays, values, strict=True)
        if value.dtype in (FLOAT64, NULLABLE_STR)
        or isinstance(array, TimeArray)
        or (labels and isinstance(array, Categorical))
    ]
    if not missing:
        return None
    return Call("logical_not", reduce(lambda one, other: Call("logical_or", one, other), missing))


def _is_missing(array: Array, value: Value) -> Value:
    if isinstance(array, Categorical):
        return array._missing_among(value)
    if value.dtype == NULLABLE_STR:
        return is_missing(value)
    return is_missing_time(of_order(value)) if isinstance(array, TimeArray) else is_missing_integer(value)
