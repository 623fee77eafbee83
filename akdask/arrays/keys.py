"""Keys: of groups, and of two sets of rows, which become comparable for membership, look-ups and joins."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.arrays.array import Array, of_rows, unlabelled, wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import BIGINT, FLOAT64, INT64, NULLABLE_STR, STR, UINT64
from akdask.deferred import is_pandas
from akdask.engine.alignment import Aligned, align
from akdask.engine.missing import is_missing, is_missing_text, lacks_numbers
from akdask.engine.node import Frame
from akdask.engine.operations import promote
from akdask.engine.rowwise import Filter, Project, column_identity
from akdask.engine.times import is_missing_time, of_order
from akdask.engine.values import Call, Constant, Value, as_floats, cast, key_parts, present_keys, split_keys
from akdask.errors import ArgumentTypeError, UnfitArgumentError
from akdask.operators.group.plan import GroupIdentity
from akdask.records import record

if TYPE_CHECKING:
    from akdask.operators.join.plan import BuildIndex, JoinSide, Need


@record
class Keys:
    """Keys on common rows."""

    frame: Frame
    values: tuple[Value, ...]

    def indexed(self, need: Need = "rows") -> BuildIndex:
        """Return the index of the rows by their keys."""
        from akdask.operators.join.plan import BuildIndex

        return BuildIndex.of(self.frame, self.values, need)

    def side(self, columns: Sequence[Value] = ()) -> JoinSide:
        """Return the rows as a side of a join, with columns for its result."""
        from akdask.operators.join.plan import JoinSide

        return JoinSide(self.frame, self.values, columns)


def comparable_keys(operation: str, left: Any, right: Any) -> tuple[Keys, Keys]:
    """Return the keys of both sides; each pair has one type, or two if numbers have no exact common type.

    Parameters
    ----------
    operation : str
        The operation that needs them, for error messages.
    left, right : array, or list or tuple of arrays
        Of several arrays, each row is a key.

    Raises
    ------
    ArgumentError
        If one side has more arrays than the other.
    ArgumentTypeError
        If numbers are compared with strings.
    AlignmentError
        If the arrays of one side do not share rows.
    """
    lefts, rights = as_arrays(left), as_arrays(right)
    if len(lefts) != len(rights):
        raise UnfitArgumentError(
            f"{operation} needs as many arrays on both sides.", details=[f"given: {len(lefts)} and {len(rights)}"]
        )
    pairs = [pair for sides in zip(lefts, rights, strict=True) for pair in _comparable(operation, *sides)]
    left_frame, left_values = align(operation, [one for one, _ in pairs])
    right_frame, right_values = align(operation, [other for _, other in pairs])
    return Keys(left_frame, tuple(left_values)), Keys(right_frame, tuple(right_values))


def as_arrays(items: Any) -> list[Array]:
    """Return one array, or several that are given as a list or tuple of lazy arrays."""
    return [as_array(item) for item in (items if is_several(items) else [items])]


def as_array(values: Any) -> Array:
    """Return a lazy array unchanged, and data at hand as a lazy array.

    Raises
    ------
    ArgumentTypeError
        If it has several dimensions.
    """
    made: Array = of_rows(values if isinstance(values, Array) else array(values))
    return made


def lazy_array(operation: str, values: Any) -> Array:
    """Return a lazy array unchanged, also out of an object of pandas, and refuse data at hand, as Arkouda does.

    Raises
    ------
    ArgumentTypeError
        If it is something else, or has several dimensions.
    """
    has_array = is_pandas(values, "Series", "Index") and not is_pandas(values, "MultiIndex")
    values = unlabelled(values.array if has_array else values)
    if not isinstance(values, Array):
        raise ArgumentTypeError(
            f"{operation} takes a lazy array, not a {type(values).__name__}.", hint="make it one with ak.array(…)."
        )
    return as_array(values)


def is_several(items: Any) -> bool:
    """Whether the keys are several arrays, so that each row is one key."""
    return isinstance(items, list | tuple) and bool(items) and all(isinstance(item, Array) for item in items)


def _comparable(operation: str, left: Array, right: Array) -> list[tuple[Aligned, Aligned]]:
    """Return keys of two arrays that are equal exactly where their elements are, for all types of numbers."""
    if isinstance(left, Categorical) and isinstance(right, Categorical):
        if left._category_table is not right._category_table:
            left, right = Categorical.standardize_categories([left, right])
        return [((left._frame, left._value), (right._frame, right._value))]
    left, right = left._in_common(operation, [right])
    one, other = left._as_operand(), right._as_operand()
    if any(len(key_parts(value)) > 1 for _, value in (one, other)):
        (missing, number), (other_missing, other_number) = map(_apart, (one, other))
        return [(missing, other_missing), *_comparable_values(operation, number, other_number)]
    return _comparable_values(operation, (one[0], as_floats(one[1])), (other[0], as_floats(other[1])))


def _apart(item: Aligned) -> tuple[Aligned, Aligned]:
    """Return where numbers are missing, and the numbers without gaps; text is never missing in that sense."""
    frame, value = item
    keys = key_parts(value)
    if len(keys) == 1 and lacks_numbers(value.dtype):
        keys = [is_missing(value), Call("where", is_missing(value), Constant(0.0), value)]
    elif len(keys) == 1:
        keys = [Call("not_equal", value, value), value]
    return (frame, keys[0]), (frame, keys[1])


def _comparable_values(operation: str, one: Aligned, other: Aligned) -> list[tuple[Aligned, Aligned]]:
    kinds = one[1].dtype, other[1].dtype
    if kinds[0] == kinds[1] and kinds[0].kind != "bigint":
        return [(one, other)]
    wanted = promote(*kinds)
    if {kind.kind for kind in kinds} == {"bigint", "float"}:
        return [((one[0], _digits(one[1])), (other[0], _digits(other[1])))]
    if wanted is None:
        raise ArgumentTypeError(
            f"{operation} cannot compare {kinds[0]} with {kinds[1]}.", hint="cast() converts between types."
        )
    if wanted.kind == "bigint":
        return [((one[0], _digits(one[1])), (other[0], _digits(other[1])))]
    if wanted == FLOAT64 and not {INT64, UINT64}.isdisjoint(kinds):
        # Two words distinguish numbers that one word cannot.
        return [((one[0], Call(part, one[1])), (other[0], Call(part, other[1]))) for part in ("key_word", "key_kind")]
    return [((one[0], cast(one[1], wanted)), (other[0], cast(other[1], wanted)))]


def _digits(value: Value) -> Value:
    """Return the digits of integers; equal integers of any size may differ in memory and in their limits."""
    return Call("key_text", value) if value.dtype == FLOAT64 else cast(cast(value, BIGINT), STR)


def as_comparable(model: Array, items: Any) -> Any:
    """Return data at hand as an array; without elements, as an array of a comparable type."""
    if isinstance(items, Array) or is_several(items) or not isinstance(items, Sized) or len(items):
        return items
    dtype = model._as_operand()[1].dtype
    # NumPy has no type for integers of any size that others could be compared with.
    return array(np.array([], str if dtype.kind == "str" else INT64.numpy if dtype.kind == "bigint" else dtype.numpy))


# keys of groups


@record
class GroupKeys:
    """Columns that rows are grouped by.

    Parameters
    ----------
    frame : Frame
        Where they are found.
    values : tuple of Value
        What rows are compared by; integers with missing rows that are in a group have two.
    given : tuple of Value
        The columns; those of rows in no group are unlike those of groups.
    grouped : Value, optional
        Bool column that is True where a row is in a group; None if all rows are.
    """

    frame: Frame
    values: tuple[Value, ...]
    given: tuple[Value, ...]
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
        return cls(frame, split_keys(values) if present is None else present_keys(values), tuple(values), present)

    @classmethod
    def of_numbers(cls, numbers: Array) -> Self:
        """Return the number of each row's group as the key; rows with negative numbers are in no group."""
        value = numbers._value
        return cls(numbers._frame, (value,), (value,), Call("greater_equal", value, Constant(0)))

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
        if value.dtype == FLOAT64
        or value.dtype.nullable
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
    return is_missing_time(of_order(value)) if isinstance(array, TimeArray) else is_missing(value)


def looked_up(keys: Array, frame: Frame, number: Value) -> Any:
    """Return the keys of groups by their numbers, on the rows of the groups' results."""
    from akdask.operators.rows.plan import broadcast

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
