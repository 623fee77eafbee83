"""Functions of lists, the rows of a `SegArray`: reductions, parts, sets and conversion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, SupportsIndex

import numpy as np

from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import GAP, SHOWN, Array, at_hand, wrap
from akdask.arrays.creation import array
from akdask.arrays.display import EDGE, printed_numbers, quoted
from akdask.arrays.elementwise import combine, fitting, operand
from akdask.arrays.reductions import cumsum
from akdask.arrays.scalar import value_of
from akdask.arrays.shapes import chained
from akdask.columns.arrow import offsets_of, values_of
from akdask.columns.dtypes import BOOL, INT64, STR, ColumnType
from akdask.columns.table import Table, to_objects, type_of
from akdask.engine.alignment import Gather, Realign, align
from akdask.engine.missing import demanded
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project, Slice
from akdask.engine.sources import Literal, row_numbers
from akdask.engine.values import Call, Constant, Replica, Value, cast
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, UnfitArgumentError
from akdask.operators.rows.plan import Flatten, Nest, SegmentStarts
from akdask.operators.values.segarray import LIST_REDUCTIONS

# reductions


def reduced(lists: Any, name: str, x: Any) -> Any:
    """Return a reduction of each list that is not empty, or of lists of other values if `x` is given."""
    is_bool = (item_type(lists) if x is None else array(x)._value.dtype) == BOOL
    if name in ("any", "all") and not is_bool:
        raise ArgumentTypeError(f"{name} of lists is of bool.", hint="compare the values first: values != 0.")
    if name in ("min", "max") and is_bool:
        raise ArgumentTypeError(f"{name} of lists is of numbers, not of bool.", hint="use any or all.")
    frame, values = with_values(lists, x)
    return wrap(frame, Call(f"list_{name}", values))[lists.non_empty]


def placed(lists: Any, name: str, x: Any) -> Any:
    """Return a position of a value of each list that is not empty, among the values of all."""
    frame, values = with_values(lists, x)
    found = wrap(frame, Call(f"list_{name}", values)) + lists.segments
    return found[lists.non_empty]


def aggregated(lists: Any, op: str, x: Any) -> tuple[Any, Any]:
    """Return the numbers of lists that are not empty, and a reduction of each; see `SegArray.aggregate`."""
    names = {name.removeprefix("list_").lower(): name.removeprefix("list_") for name in LIST_REDUCTIONS}
    if op.lower() not in names:
        raise ArgumentError(f"there is no reduction {op!r}.", details=[f"reductions: {', '.join(names)}"])
    results = getattr(lists, names[op.lower()])(x)
    return wrap(*row_numbers(results._frame)), results


def with_values(lists: Any, x: Any) -> tuple[Frame, Value]:
    """Return the lists, or lists of the same lengths with other values if `x` is given.

    Raises
    ------
    ArgumentTypeError
        If `x` is no lazy array.
    AlignmentError
        If it has another number of elements than the lists.
    """
    if x is None:
        return lists._frame, lists._value
    if not isinstance(x, Array):
        raise ArgumentTypeError(
            f"x is {x!r}, but an array of as many elements as the lists have is to stand for them.",
            hint="make one with ak.array, or leave it out.",
        )
    flat: Frame = lists.values._frame
    project: Any = Project(x._frame, (0,), (x._value,))
    if not flat.rows.same_rows(x.rows):
        lengths, given = row_tools.known_lengths(flat), row_tools.known_lengths(x._frame)
        if sum(lengths) != sum(given):
            raise AlignmentError(f"{sum(given)} values cannot stand for the {sum(lengths)} of the lists.")
        project = Realign(project, given, lengths)
    nest = Nest(Project(lists._frame, (0,), (lists._value,)), project, (0,) * lists.npartitions)
    return nest, nest.lists


# parts


def lengths(lists: Any) -> Value:
    """Return the number of values in each list."""
    return Call("list_lengths", lists._value)


def starts(lists: Any) -> Any:
    """Return where each list starts among the values of all."""
    node = SegmentStarts(Project(lists._frame, (0,), (lengths(lists),)))
    return wrap(node, node.starts)


def numbers_of_values(lists: Any) -> Any:
    """Return for each value the number of its list, among the lists that are not empty."""
    numbers = cumsum(lists.non_empty.astype(INT64)) - 1
    frame, values = align("group", [(lists._frame, lists._value), numbers._as_operand()])
    flat = Flatten(Project(frame, (0, 1), tuple(values)))
    return wrap(flat, flat.column(1))


def item_type(lists: Any) -> ColumnType:
    """Return the type of the values."""
    item: ColumnType | None = lists._value.dtype.item
    assert item is not None, "lists of no type are given one when they are read"
    return item


def having(lists: Any, count: int) -> Value:
    """Return which lists have at least a number of values."""
    return Call("greater_equal", lengths(lists), Constant(int(count)))


def items_at(lists: Any, j: Any, return_origins: bool, compressed: bool, default: Any) -> Any:
    """Return the j-th value of each list; see `SegArray.get_jth`."""
    j = value_of(j)
    if isinstance(j, bool) or not isinstance(j, int | np.integer):
        raise ArgumentTypeError(f"a place in lists is an integer, not {type(j).__name__}.")
    place = int(j)
    mask = having(lists, place + 1 if place >= 0 else -place)
    if compressed or item_type(lists) == STR:
        (found,) = _picked(lists, [place], mask)
    else:
        plain = default.item() if hasattr(default, "item") else default
        found = wrap(lists._frame, Call("list_get", lists._value, j=place, default=plain))
    return (found, wrap(lists._frame, mask)) if return_origins else found


def columns(lists: Any, positions: Sequence[int], mask: Value, return_origins: bool) -> Any:
    """Return values at some positions of the lists where a mask holds, and the mask if wanted."""
    found = _picked(lists, positions, mask)
    return (found, wrap(lists._frame, mask)) if return_origins else found


def _picked(lists: Any, positions: Sequence[int], mask: Value) -> list[Any]:
    values = [Call("list_get", lists._value, j=position) for position in positions]
    frame, found = row_tools.filter_columns(lists._frame, values, lists._frame, mask)
    return [wrap(frame, value) for value in found]


def runs(lists: Any, n: int, return_origins: bool) -> Any:
    """Return all runs of `n` values in the lists; see `SegArray.get_ngrams`."""
    if n < 1:
        raise ArgumentError(f"runs have at least one value, not {n}.")
    windows = [Call("list_window", lists._value, n=int(n), place=position) for position in range(n)]
    items = [*((lists._frame, window) for window in windows), row_numbers(lists._frame)]
    frame, values = align("number the rows of", items)
    flat = Flatten(Project(frame, tuple(range(n + 1)), tuple(values)))
    found = [wrap(flat, flat.column(position)) for position in range(n)]
    return (found, wrap(flat, flat.column(n))) if return_origins else found


def assign(lists: Any, i: Any, j: int, v: Any) -> None:
    """Set the j-th value of some of the lists, in place; see `SegArray.set_jth`."""
    if item_type(lists).kind == STR.kind:
        raise ArgumentTypeError("values of text are not replaced.", hint="make a SegArray of other Strings.")
    if not isinstance(j, SupportsIndex):
        raise ArgumentTypeError(f"j is a whole number, not {j!r:.100}.")
    if lists._longest is not None:
        sizes = np.atleast_1d(
            np.asarray(lists.lengths.to_ndarray()[i if isinstance(i, int) else array(i).to_ndarray()])
        )
        if len(sizes) and not -sizes.min() <= j < sizes.min():
            raise ArgumentError(f"a list has no value {j}.", details=[f"the shortest has {sizes.min()}"])
    chosen: Any = wrap(lists._frame, Call("less", lengths(lists), Constant(0)))
    chosen[i] = True
    value = fitting(operand(v)[1], item_type(lists))
    frame: Frame | None = None
    if isinstance(v, Array):
        # The value that is replaced serves to make a column of the right type and rows.
        items: Any = wrap(lists._frame, Call("list_get", lists._value, j=int(j)))
        items[i] = wrap(v._frame, value)
        frame, value = items._as_operand()
    pairs = [(lists._frame, lists._value), chosen._as_operand(), *([] if frame is None else [(frame, value)])]
    lists._frame, aligned = align("set", pairs)
    column, mask, *values = aligned
    lists._value = Call("list_set", column, mask, *(values or [value]), j=int(j))


def with_one_more(lists: Any, x: Any, *, prepend: bool) -> Any:
    """Return lists with one more value each; see `SegArray.append_single`."""
    if item_type(lists).kind == "str":
        raise ArgumentTypeError("lists of text take no single text.", hint="append(…) takes a SegArray.")
    if isinstance(x, Array) and x._value.dtype != item_type(lists):
        raise UnfitArgumentError(f"values are of type {item_type(lists)}, as in the lists, not {x._value.dtype}.")
    frame, value = operand(array(x) if isinstance(x, list | tuple) else x)
    value = fitting(value, item_type(lists))
    common, aligned = align("append", [(lists._frame, lists._value), *([] if frame is None else [(frame, value)])])
    column, *values = aligned
    return lists._like(common, Call("list_append", column, *(values or [value]), prepend=prepend))


# sets


def without(lists: Any, unwanted: Any) -> Any:
    """Return the lists without some values; see `SegArray.filter`."""
    item = item_type(lists)
    are_several = isinstance(unwanted, Array | list | tuple) or hasattr(unwanted, "__array__")
    given = array(unwanted if are_several else [unwanted])
    values = Gather(Project(given._frame, (0,), (cast(given._value, item),)))
    return lists._like(lists._frame, Call("list_without", lists._value, Replica(values, 0, item)))


def combined(lists: Any, operation: str, other: Any) -> Any:
    """Return an operation on the lists of both arrays, row by row."""
    if type(other) is not type(lists):
        raise ArgumentTypeError(f"{operation.removeprefix('list_')} takes a SegArray, not {type(other).__name__}.")
    return lists._like(*combine(operation, [lists, other]))


def concatenated(items: Sequence[Any], axis: int, ordered: bool) -> Any:
    """Return arrays of lists end to end, or joined row by row; see `SegArray.concat`."""
    if not len(items) or not ordered or axis not in {0, 1}:
        raise ArgumentError(f"cannot join {len(items)} SegArrays with axis={axis}, ordered={ordered}.")
    first, *others = items
    kinds = [str(_type(item)) for item in items]
    if len(set(kinds)) > 1:
        raise UnfitArgumentError("only SegArrays of one type can be joined.", details=[f"given: {', '.join(kinds)}"])
    if axis == 0:
        return chained([first, *others])
    for other in others:
        first = first._like(*combine("list_join", [first, other]))
    return first


def _type(item: Any) -> Any:
    is_of_lists = isinstance(item, Array) and item._value.dtype.kind == "list"
    return item._value.dtype if is_of_lists else type(item).__name__


# conversion


def parts_of(rows: Sequence[Any]) -> tuple[np.ndarray[Any, Any], Any]:
    """Return the segments and values of lists at hand."""
    listed = [row.tolist() if hasattr(row, "tolist") else list(row) for row in rows]
    segments = list(accumulate(map(len, listed), initial=0))[:-1]
    return np.array(segments, np.int64), list(chain.from_iterable(listed)) or np.empty(0, np.int64)


def row_text(row: np.ndarray[Any, Any]) -> str:
    """Return the values of a list as text, the first and last ones of many."""
    is_text = row.dtype.kind in "UOT" and any(isinstance(item, str) for item in row)
    as_printed = quoted if is_text else printed_numbers
    fits = len(row) <= SHOWN
    shown = as_printed(row) if fits else [*as_printed(row[:EDGE]), GAP, *as_printed(row[-EDGE:])]
    return f"[{(', ' if is_text else ' ').join(shown)}]"


def as_arrays(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table of lists as a NumPy array of NumPy arrays."""
    lists: Any = table.columns[0]
    values: Any = values_of(lists, type_of(lists).item or INT64)
    if not isinstance(values, np.ndarray):
        is_text, items = type_of(values).kind == "str", to_objects(values)
        # NumPy's text ends before zero bytes.
        is_text = is_text and not any(item is None or item.endswith("\0") for item in items)
        values = np.array(items, str if is_text else object)
    found = np.empty(table.nrows, object)
    for row, (start, stop) in enumerate(pairwise(offsets_of(lists).tolist())):
        found[row] = values[start:stop].copy()
    return found


def check_starts(segments: Any, values: Array) -> int | None:
    """Refuse starts of lists that are at hand and do not ascend from 0, or leave values out.

    Returns the length of the longest list, None if it is not known.
    """
    starts = at_hand(segments) if isinstance(segments, Array) else None
    if starts is None:
        return None
    if len(starts) and (starts[0] != 0 or (starts[1:] < starts[:-1]).any()):
        raise ArgumentError("segments ascend from 0.", details=[f"segments: {starts[:10].tolist()}"])
    if not len(starts) and values.rows.is_fixed and values.size:
        raise ArgumentError("no segments have no values.", details=[f"values: {values.size}"])
    if type(values._frame) is not Literal:
        return None
    return int(np.diff(starts, append=values.size).max(initial=0))


def nested(segments: Array, values: Array) -> Nest:
    """Cut values into the partitions of the segments, and make lists of them."""
    if segments._value.dtype.kind not in ("int", "uint") or values._value.dtype.kind == "list":
        raise ArgumentTypeError(
            "a SegArray is made of segments of int and of values that are no lists.",
            details=[f"segments: {segments._value.dtype}", f"values: {values._value.dtype}"],
        )
    flat: Any = Project(values._frame, (0,), (demanded(values._value),))
    shape = Project(segments._frame, (0,), (cast(segments._value, INT64),))
    if shape.npartitions == 1:
        # All values belong to it, whatever their number; in a loop, counting would run all earlier steps each time.
        return Nest(shape, flat if flat.npartitions == 1 else Gather(flat), (0,))
    given = row_tools.known_lengths(values._frame)
    counts = row_tools.known_lengths(segments._frame)
    bounds = _bounds(segments, counts, sum(given))
    wanted = tuple(stop - start for start, stop in pairwise(bounds))
    if min(wanted) < 0 or bounds[0]:
        raise ArgumentError(
            "the segments do not fit the values.",
            details=[f"partitions of the segments start at {bounds[:-1]} of {bounds[-1]} values"],
            hint="segments ascend from 0 to at most the number of values.",
        )
    realigned = flat if wanted == given else Realign(flat, given, wanted)
    return Nest(shape, realigned, tuple(bounds[:-1]))


def _bounds(segments: Array, counts: Sequence[int], end: int) -> list[int]:
    """Return where the values of each partition start; partitions without segments have none."""
    filled = [partition for partition, count in enumerate(counts) if count]
    first = Slice(segments._frame, tuple((partition, 0, 1, 1) for partition in filled) or ((0, 0, 0, 1),))
    starts = dict(zip(filled, segments._like(first, segments._value).tolist(), strict=True))
    bounds = [end]
    for partition in reversed(range(len(counts))):
        bounds.append(int(starts.get(partition, bounds[-1])))
    return bounds[::-1]
