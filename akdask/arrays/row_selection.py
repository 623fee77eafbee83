"""Selection of rows by mask, slice or positions, for all collections."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from akdask.columns.dtypes import BOOL, INT64, NULLABLE_BOOL, UINT8
from akdask.engine.alignment import Reverse, align
from akdask.engine.cache import within_rounds
from akdask.engine.missing import as_mask
from akdask.engine.node import Frame
from akdask.engine.rowwise import Filter, Project, Slice, column_identity
from akdask.engine.run import resolve_lengths
from akdask.engine.values import Call, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError, AxisError, PositionError, UnfitArgumentError

Columns = tuple[Frame, list[Value]]


def known_lengths(frame: Frame) -> tuple[int, ...]:
    """Return the number of rows in each partition; counts them unless they are known."""
    resolve_lengths(frame)
    lengths = frame.rows.lengths
    assert lengths is not None, "resolve_lengths has just found them"
    return lengths


def filter_columns(frame: Frame, values: Sequence[Value], mask_frame: Frame, mask: Value) -> Columns:
    """Return the columns on the rows where a mask holds; lazy."""
    common, aligned = align("filter", [*((frame, value) for value in values), (mask_frame, mask)])
    identity = column_identity(mask_frame, mask).partitioned_like(mask_frame.rows, common.rows)
    filtered, found = within_rounds(Filter(common, aligned[-1], identity), aligned[:-1])
    return filtered, list(found)


def select_columns(frame: Frame, values: Sequence[Value], key_frame: Frame, key: Value) -> Columns:
    """Return the columns on rows given by a mask, which chooses none that it lacks, or by positions."""
    if key.dtype == NULLABLE_BOOL:
        key = as_mask(key)
    if key.dtype == BOOL:
        return filter_columns(frame, values, key_frame, key)
    if key.dtype.kind in ("int", "uint") and not key.dtype.nullable:
        # Kernels compare positions in their own type, and one byte has no negative positions of more than 256 rows.
        return take_columns(frame, values, key_frame, cast(key, INT64) if key.dtype == UINT8 else key)
    raise ArgumentTypeError(
        f"cannot select rows by an array of {key.dtype}.", hint="use a mask of bool or positions of int."
    )


def take_columns(frame: Frame, values: Sequence[Value], at_frame: Frame, at: Value) -> Columns:
    """Return the columns at positions given by an integer column; lazy, but rows of unknown number may be counted.

    If the positions are the permutation that sorts the same rows, the columns are sorted along.
    """
    from akdask.operators.rows.plan import take_broadcast, take_exchanged, takes_broadcast
    from akdask.operators.sort.plan import sorted_along

    along = sorted_along(frame, values, at_frame, at)
    if along is not None:
        return along[0], list(along[1])
    if takes_broadcast(frame, values, at_frame):
        return at_frame, take_broadcast(frame, values, at)
    return take_exchanged(frame, values, at_frame, at, known_lengths(frame))


def slice_columns(frame: Frame, values: Sequence[Value], key: slice) -> Columns:
    """Return the columns on a slice of the rows; lazy, but a slice of rows of unknown number counts them."""
    if key.start is None and key.stop is None:
        # All rows, whatever their number is.
        step = 1 if key.step is None else index(key.step)
        if step in (1, -1):
            return (frame, list(values)) if step == 1 else Reverse.of(frame, values)
    lengths = known_lengths(frame)
    start, stop, step = key.indices(sum(lengths))
    if step < 0:
        frame, values = Reverse.of(frame, values)
        last = sum(lengths) - 1
        start, stop, step = last - start, last - stop, -step
        lengths = lengths[::-1]
    if (start, step) == (0, 1) and stop >= sum(lengths):
        return frame, list(values)
    return _taken_anew(Slice(frame, slice_ranges(lengths, start, stop, step)), values)


def _taken_anew(frame: Slice, values: Sequence[Value]) -> Columns:
    """Return columns on a slice; if rows were taken from whole columns and now are few, only these are read."""
    from akdask.operators.rows.plan import BroadcastColumn, take_exchanged, takes_broadcast

    taken = [value.args for value in values if isinstance(value, Call) and value.operation == "take"]
    sources = [source for column, _ in taken if (source := BroadcastColumn.of(column)) is not None]
    if len(sources) < len(values) or not sources or len({at.token for _, at in taken}) > 1:
        return frame, list(values)
    rows, columns = sources[0].frame, [source.value for source in sources]
    is_one = all(source.frame is rows for source in sources) and rows.rows.is_fixed
    if not is_one or takes_broadcast(rows, columns, frame):
        return frame, list(values)
    return take_exchanged(rows, columns, frame, taken[0][1], known_lengths(rows))


def slice_ranges(lengths: Sequence[int], start: int, stop: int, step: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return the row ranges of the partitions that a slice with a positive step touches, at least one.

    Examples
    --------
    >>> slice_ranges([3, 2, 4], 1, 8, 3)
    ((0, 1, 3, 3), (1, 1, 2, 3), (2, 2, 3, 3))
    """
    ranges = []
    first = 0
    for partition, length in enumerate(lengths):
        begin = start - first if start >= first else (start - first) % step
        end = min(stop - first, length)
        if begin < end:
            ranges.append((partition, begin, end, step))
        first += length
    return tuple(ranges) or ((0, 0, 0, 1),)


def one_row(frame: Frame, position: int) -> Slice:
    """Return the frame with a single row, counted from the end if negative."""
    start = row_position(frame, position)
    return Slice(frame, slice_ranges(known_lengths(frame), start, start + 1, 1))


def row_position(frame: Frame, position: int) -> int:
    """Return a position counted from the start.

    Raises
    ------
    PositionError
        If the row does not exist.
    """
    size = sum(known_lengths(frame))
    if not -size <= position < size:
        raise PositionError(
            f"position {position} is outside an array of {size} rows.",
            hint=f"positions run from {-size} to {size - 1}." if size else "the array has no rows.",
        )
    return position % size


def position(key: SupportsIndex) -> int:
    """Return a position of a row as an int; refuse anything else."""
    try:
        return index(key)
    except TypeError:
        raise ArgumentTypeError(f"{key!r} is no position of a row.", hint="pass an int.") from None


def along_axes(key: Any) -> tuple[Any, int, int]:
    """Return the selection of rows in a key with ``...`` and None, its dimension, and the number of dimensions.

    Raises
    ------
    AxisError
        If rows are chosen along several dimensions.

    Examples
    --------
    >>> along_axes((slice(None), None)), along_axes(...)
    ((slice(None, None, None), 0, 2), (slice(None, None, None), 0, 1))
    """
    parts = list(key) if isinstance(key, tuple) else [key]
    if len(parts) != 1 and all(isinstance(part, SupportsIndex) for part in parts):
        # A tuple of positions, even an empty one, chooses as a list does.
        return parts, 0, 1
    named = [part for part in parts if part is not None and part is not ...]
    if len(named) > 1:
        raise AxisError(f"{len(named)} selections are too many for an array of one dimension.", hint="pass one.")
    entries = [part for part in parts if part is not ... or not named]
    axis = next((number for number, part in enumerate(entries) if part is not None), len(entries))
    rows = named[0] if named else slice(None)
    return rows, axis, 1 + sum(part is None for part in parts)


def row_key(key: Any) -> Any:
    """Return a key for rows in one of the forms int, slice, or array-like; refuse anything else."""
    if isinstance(key, bool | np.bool_):
        raise ArgumentTypeError("a single bool does not select rows.", hint="pass a mask with one bool a row.")
    if isinstance(key, slice):
        return key
    if isinstance(key, list | tuple):
        # NumPy would make floats of no elements.
        return key or np.empty(0, np.int64)
    if isinstance(key, np.ndarray) and key.ndim:
        return key
    if isinstance(key, SupportsIndex):
        return position(key)
    raise UnfitArgumentError(
        f"cannot select rows by {type(key).__name__}.",
        hint="use an int, a slice, a bool array as mask, or an int array of positions.",
    )


def repartitioned(project: Project, npartitions: Any) -> Columns:
    """Return columns in another number of partitions of about equal length; counts rows of unknown number.

    Raises
    ------
    ArgumentError
        If that is no number of partitions.
    """
    from akdask.engine.file_writes import fitted

    if isinstance(npartitions, bool) or not isinstance(npartitions, int | np.integer) or npartitions < 1:
        raise ArgumentError(f"rows are cut into a number of partitions, at least 1, not into {npartitions!r}.")
    frame: Any = fitted(project, int(npartitions))
    return frame, [frame.column(name) for name in project.names]


def check_sample(n: Any, frac: Any) -> None:
    """Refuse arguments that are neither a number nor a share of rows.

    Raises
    ------
    ArgumentTypeError
        If one of them is no number.
    """
    if not isinstance(n, SupportsIndex) or not isinstance(frac, int | float | np.number | None):
        raise ArgumentTypeError(f"sample takes a whole n or a number frac, not n={n!r:.100}, frac={frac!r:.100}.")


def sample_of(size: int, n: Any, frac: Any, random_state: Any) -> tuple[int, np.random.Generator]:
    """Return the number of rows to draw from `size` rows, `n` or a share `frac`, and the generator to draw them.

    Raises
    ------
    ArgumentTypeError
        If they are no numbers, or `random_state` is none of NumPy's seeds.
    ArgumentError
        If there cannot be so many, or the seed is negative.
    """
    check_sample(n, frac)
    if index(n) < 0 or (frac is not None and not 0 <= frac <= 1):
        raise ArgumentError(f"a sample has no fewer than 0 rows, and no more than all: n={n!r}, frac={frac!r}.")
    count = index(n) if frac is None else round(frac * size)
    try:
        return count, np.random.default_rng(random_state)
    except TypeError:
        raise ArgumentTypeError(f"random_state is a seed or generator of NumPy, not {random_state!r:.100}.") from None
    except ValueError:
        raise ArgumentError(f"random_state is a whole number from 0, not {random_state!r:.100}.") from None
