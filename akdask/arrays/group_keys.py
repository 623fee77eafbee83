"""Keys of groups: the columns that rows are grouped by, and the keys of the groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Self

from akdask.arrays.array import Array
from akdask.arrays.array_kinds import wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import FLOAT64, NULLABLE_STR
from akdask.engine.alignment import Aligned, align
from akdask.engine.missing import is_missing as is_missing_integer
from akdask.engine.missing import is_missing_text, key_parts
from akdask.engine.node import Frame
from akdask.engine.rowwise import Filter, Project, column_identity
from akdask.engine.times import is_missing_time, of_order
from akdask.engine.values import Call, Constant, Value
from akdask.operators.group.plan import GroupIdentity
from akdask.operators.rows.plan import broadcast


@dataclass(frozen=True)
class GroupKeys:
    """Columns that rows are grouped by.

    Parameters
    ----------
    frame : Frame
        Where they are found.
    values : tuple of Value
        The columns; integers with gaps have two.
    grouped : Value, optional
        Bool column that is True where a row is in a group; None if all rows are.
    """

    frame: Frame
    values: tuple[Value, ...]
    grouped: Value | None = None

    @classmethod
    def of(cls, arrays: Sequence[Array], *, dropna: bool, labels: bool = False) -> Self:
        """Return arrays as keys, with or without the rows that have NaN, NaT or missing text.

        With `labels`, rows whose label stands for missing in a Categorical are left out too.

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
        """Return the number of each row's group as the key; rows with negative numbers are in no group."""
        return cls(numbers._frame, (numbers._value,), Call("greater_equal", numbers._value, Constant(0)))

    @property
    def _columns(self) -> list[Aligned]:
        wanted = self.values if self.grouped is None else (*self.values, self.grouped)
        return [(self.frame, value) for value in wanted]

    @cached_property
    def identity(self) -> GroupIdentity:
        """The identity of the groups, the same on all frames of their rows."""
        frame = self.frame if self.grouped is None else self._selected(self.frame, self.grouped)
        return GroupIdentity.of(frame, self.values)

    def common(self, *others: Aligned) -> Frame:
        """Return the rows on which the keys are found beside other columns."""
        return self._aligned(*others)[0]

    def beside(self, *others: Aligned) -> tuple[Frame, tuple[Value, ...], list[Value]]:
        """Return the rows that are in a group, with their keys and other columns."""
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
    """Return which rows have no NaN, NaT or missing text among their keys, None if no type of key has any."""
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
        return is_missing_text(value)
    return is_missing_time(of_order(value)) if isinstance(array, TimeArray) else is_missing_integer(value)


def looked_up(keys: Array, frame: Frame, number: Value) -> Any:
    """Return the keys of groups by their numbers, on the rows of the groups' results."""
    return like(keys, frame, Call("lookup", broadcast(keys._frame, keys._value), number))


def projected(frame: Frame, values: Sequence[Value]) -> Project:
    """Return values as columns that are named by their numbers."""
    return Project(frame, tuple(range(len(values))), tuple(values))


def codes_of(values: Array) -> Array:
    """Return the values, or codes in their place where only equality and order matter."""
    return values.codes if isinstance(values, Categorical) else values


def like(model: Array | None, frame: Frame, value: Value) -> Any:
    """Return an array of the kind of another array, or of the kind for the value's type."""
    return wrap(frame, value) if model is None else model._like(frame, value)
