"""Assignment to rows of a lazy array: a new expression that takes the items where the key holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import Array
from akdask.arrays.elementwise import operand
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, STR, UINT64, ColumnType
from akdask.engine.alignment import Gather, Realign, align
from akdask.engine.node import Frame
from akdask.engine.operations import OPERATIONS
from akdask.engine.rowwise import Filter, Project, column_identity
from akdask.engine.run import resolve_lengths
from akdask.engine.sources import Rows, as_column, literal
from akdask.engine.values import Call, Constant, Value, cast, widened
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.rows.plan import PutAt, PutMasked

AssignedColumns = tuple[Frame, Value]

_NUMBERS = {"bool", "uint", "int", "float", "bigint"}


def assigned(array: Array, key: Any, item: Any) -> AssignedColumns:
    """Return frame and value of an array with an item assigned to some of its rows.

    Lazy, but rows are counted where positions matter, and selected rows if an array of other rows is assigned.

    Raises
    ------
    ArgumentTypeError
        If the item's type does not fit the array's, which does not change; or at compute, if an item array has
        numbers that do not fit the array's type, such as fractions for integers.
    ConversionError
        If an integer is assigned to floats and no float equals it; for an array, at compute.
    ArgumentError
        If the assigned array has another number of elements than rows are selected.
    """
    frame, old = array._frame, array._value
    if isinstance(key, slice) and key.step is not None and key.step < 0:
        key, item = _turned_around(key, item, sum(row_tools.known_lengths(frame)))
    items = operand(item, old)
    if items[1].dtype == NULLABLE_STR and old.dtype == STR:
        old = cast(old, NULLABLE_STR)
    items = items[0], fitting(items[1], old.dtype)
    if not isinstance(key, Array):
        key = row_tools.row_key(key)
    if isinstance(key, int):
        position = row_tools.row_position(frame, key)
        key = slice(position, position + 1)
    if isinstance(key, slice):
        frame, old, mask = _slice_mask(frame, old, key)
        return _assign_masked(Filter(frame, mask, column_identity(frame, mask)), old, *items)
    key_frame, chosen = (key._frame, key._value) if isinstance(key, Array) else literal(as_column(key))
    if chosen.dtype != BOOL:
        return _assign_at(frame, old, (key_frame, chosen), *items)
    common, (old, mask) = align("assign", [(frame, old), (key_frame, chosen)])
    identity = column_identity(key_frame, chosen).partitioned_like(key_frame.rows, common.rows)
    return _assign_masked(Filter(common, mask, identity), old, *items)


def fitting(value: Value, wanted: ColumnType) -> Value:
    """Return the item in the array's type; only conversions that keep the number are silent.

    Whether an array keeps its numbers is known when it is computed.
    """
    given = value.dtype
    if given == wanted:
        return value
    if wanted.kind == given.kind == "str":
        return cast(value, wanted)
    if not {given.kind, wanted.kind} <= _NUMBERS:
        raise ArgumentTypeError(
            f"cannot assign {given} to elements of an array of {wanted}.",
            hint=f"convert first, with ak.cast(…, {str(wanted)!r}).",
        )
    if wanted.kind == "bigint" and given.kind == "float":
        return cast(fitting(value, INT64), wanted)
    if wanted == FLOAT64 and given in (INT64, UINT64):
        if isinstance(value, Constant):
            return Constant(OPERATIONS["exact_floats"].evaluate(value.value))
        return widened(value, wanted)
    if wanted.kind in ("float", "bigint") or given == BOOL:
        return cast(value, wanted)
    if not isinstance(value, Constant):
        return Call("cast_exactly", value, dtype=wanted.name)
    try:
        return Constant(OPERATIONS["cast_exactly"].evaluate(value.value, dtype=wanted.name))
    except ArgumentTypeError as error:
        raise ArgumentTypeError(
            f"cannot assign {value.value} to elements of an array of {wanted}.", hint=error.hint
        ) from None


def _turned_around(key: slice, item: Any, size: int) -> tuple[slice, Any]:
    """Return a slice with a negative step as an ascending slice, and its item in reverse."""
    rows = range(*key.indices(size))[::-1]
    forward = slice(rows.start, rows.stop, rows.step) if rows else slice(0, 0)
    return forward, item if np.ndim(item) == 0 else item[::-1]


def _slice_mask(frame: Frame, old: Value, key: slice) -> tuple[Frame, Value, Value]:
    """Return a mask that holds on the rows of a slice."""
    lengths = row_tools.known_lengths(frame)
    start, stop, step = key.indices(sum(lengths))
    rows = Rows(lengths)
    frame, (old, position) = align("assign", [(frame, old), (rows, rows.position)])
    mask = Call("bitwise_and", _compare("greater_equal", position, start), _compare("less", position, stop))
    if step > 1:
        phase = Call("remainder", Call("subtract", position, Constant(start)), Constant(step))
        mask = Call("bitwise_and", mask, _compare("equal", phase, 0))
    return frame, old, mask


def _compare(operation: str, value: Value, number: int) -> Value:
    return Call(operation, value, Constant(number))


def _assign_masked(chosen: Filter, old: Value, item_frame: Frame | None, items: Value) -> AssignedColumns:
    frame, mask = chosen.frame, chosen.predicate
    if item_frame is None:
        return frame, Call("where", mask, items, old)
    put = PutMasked(Project(frame, (0, 1), (old, mask)), _cut_like(chosen, item_frame, items))
    return put, put.result


def _cut_like(chosen: Filter, item_frame: Frame, items: Value) -> Project:
    """Return items in the partitions of the rows that they are put into.

    Items on the same rows are not counted; in a loop, counting would run all earlier steps in each iteration.
    """
    project = Project(item_frame, (0,), (items,))
    if chosen.rows.same_rows(item_frame.rows):
        return project
    resolve_lengths(chosen, item_frame)
    wanted, given = row_tools.known_lengths(chosen), row_tools.known_lengths(item_frame)
    if sum(given) == 1 != sum(wanted):
        raise ArgumentError("an array of one element is not spread over rows.", hint="assign the element itself, a[0].")
    if sum(wanted) != sum(given):
        raise ArgumentError(f"cannot assign {sum(given)} items to {sum(wanted)} selected rows.")
    realigned = Realign(project, given, wanted)
    return Project(realigned, (0,), (realigned.column(0),))


def _assign_at(
    frame: Frame, old: Value, key: AssignedColumns, item_frame: Frame | None, items: Value
) -> AssignedColumns:
    key_frame, positions = key
    lengths = row_tools.known_lengths(frame)
    if item_frame is None:
        pairs = key_frame, [positions, items]
    else:
        if not key_frame.rows.same_rows(item_frame.rows):
            resolve_lengths(key_frame, item_frame)
        pairs = align("assign", [(key_frame, positions), (item_frame, items)])
    assigned_pairs = Gather(Project(pairs[0], (0, 1), tuple(pairs[1])))
    put = PutAt(Project(frame, (0,), (old,)), assigned_pairs, lengths)
    return put, put.result
