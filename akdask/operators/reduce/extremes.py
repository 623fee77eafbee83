"""Minima and maxima, their positions, and the first row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from akdask.columns.arrow import arrow_text, numpy_numbers
from akdask.columns.bigint import first_extreme, limbs_of, to_ints
from akdask.columns.dtypes import BIGINT, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType, bigint_
from akdask.columns.strings import make_missing, missing_rows, offsets_and_bytes
from akdask.columns.table import is_encoded, take_rows
from akdask.deferred import is_arrow, pa
from akdask.engine.operations import LEAST, MOST, Opcode
from akdask.engine.reduction import (
    ANYTHING,
    NUMBERS,
    AccumulatorForm,
    CompiledForm,
    GroupedForm,
    GroupState,
    ListForm,
    MergeByUfuncs,
    Reduction,
    RowGroups,
    ScalarForm,
    State,
    giving,
    nonempty,
    reduce_by_rank,
    select_rows,
    themselves,
)
from akdask.operators.reduce import loops
from akdask.typing import Column, NumberArray

NOWHERE = np.iinfo(np.int64).max
"""The position for no row."""

_NO_ROWS: NumberArray = np.empty(0, np.int64)

# ---------------------------------------------------------------------------------------------------- extremes of text


def _first_of_groups(
    groups: RowGroups, strings: pa.LargeStringArray, largest: bool, positions: NumberArray = _NO_ROWS
) -> NumberArray:
    """Return the row of the first or last string of each group, -1 where all are missing; see `find_extremes`."""
    return _first_strings(groups.spread(np.arange(groups.count)), strings, largest, groups.count, positions)


def _first_strings(
    codes: NumberArray, strings: pa.LargeStringArray, largest: bool, count: int = 1, positions: NumberArray = _NO_ROWS
) -> NumberArray:
    rows = np.empty(count, np.int64)
    loops.find_extremes(codes, *offsets_and_bytes(strings), positions, largest, np.empty(count, np.uint64), rows)
    return rows


def _strings_at(strings: pa.LargeStringArray, rows: NumberArray) -> pa.LargeStringArray:
    """Return strings, missing ones for rows below 0."""
    if not len(strings):
        return make_missing(arrow_text([""] * len(rows)), np.ones(len(rows), np.bool_))
    lacks = rows < 0
    found = take_rows(strings, np.maximum(rows, 0))
    return make_missing(found, lacks) if lacks.any() else found


def _first_string(strings: Any, largest: bool) -> tuple[int, str | None]:
    """Return the position of the first extreme of some strings, and the string; None for the first missing one."""
    if is_encoded(strings):
        # Strings of a dictionary are compared once; they may be there twice.
        codes, first = numpy_numbers(strings.indices), np.full(len(strings.dictionary), -1)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        rows = np.sort(first[first >= 0])
        at, value = _first_string(take_rows(strings.dictionary, codes[rows]), largest)
        return int(rows[at]), value
    lacks = missing_rows(strings)
    if lacks.any():
        return int(lacks.argmax()), None
    (row,) = _first_strings(_NO_ROWS, strings, largest).tolist()
    return row, strings[row].as_py()


# ------------------------------------------------------------------------------------------------------------ extremes


class MergeExtremes(MergeByUfuncs):
    """Merges minima or maxima; integers of any size and text by their order."""

    def __call__(self, groups: RowGroups, skipna: bool, *state: Column) -> GroupState:
        """Merge the states of rows in the same group."""
        (column,) = state
        if is_arrow(column, "LargeStringArray"):
            return (_strings_at(column, _first_of_groups(groups, column, self.ufuncs[False][0] is np.maximum)),)
        if not isinstance(column, np.ndarray):
            return (reduce_by_rank(groups, self.ufuncs[False][0], column),)
        return super().__call__(groups, skipna and column.dtype == np.float64, column)


def without_sign_of_zero(found: Any) -> Any:
    """Return extremes with 0.0 in place of -0.0: the two are equal, and which one stands depends on how rows are read.

    Processors and NumPy keep either, even from one vector of rows to the next.
    """
    if isinstance(found, np.ndarray | np.generic) and found.dtype.kind == "f":
        return np.add(found, 0.0, out=found if isinstance(found, np.ndarray) and found.flags.writeable else None)
    return found


def _extreme(
    name: str,
    ufunc: np.ufunc,
    skipping: np.ufunc,
    *,
    of_integers: Callable[[list[int]], int],
    opcodes: Mapping[ColumnType, Opcode],
    accumulated: Callable[..., GroupState],
    of_bools: str,
) -> Reduction:
    """Declare minimum or maximum; NaN wins, unless it is skipped in groups and lists.  The state is (value,), or ().

    For no rows, the result is NaN if `nan_of_none` is given to the last step, and otherwise an error.
    """

    def partial(column: NumberArray, mask: NumberArray | None) -> State:
        rows = select_rows(column, mask)
        return (ufunc.reduce(rows),) if len(rows) else ()

    def merge(left: State, right: State) -> State:
        return (ufunc(*left, *right),) if left and right else left or right

    def finish(state: State, *, nan_of_none: bool = False) -> Any:
        return np.float64(np.nan) if nan_of_none and not state else without_sign_of_zero(nonempty(state, name)[0])

    merge_groups, largest = MergeExtremes(ufunc, skipping=[skipping]), ufunc is np.maximum
    return Reduction(
        name,
        themselves(*NUMBERS, BIGINT, STR),
        scalar=ScalarForm(partial, merge, finish),
        integers=_of_first_row(name, _first_integer, largest=largest, finish=lambda _, value: bigint_(value)),
        strings=_of_first_row(
            name,
            _first_string,
            largest=largest,
            finish=lambda _, value: np.float64(np.nan) if value is None else value,
        ),
        compiled=CompiledForm(opcodes, lambda nrows, value: (value,)),
        grouped=GroupedForm(
            lambda groups, column, skipna: merge_groups(groups, skipna, column),
            merge_groups,
            without_sign_of_zero,
            types=themselves(INT64, UINT64, FLOAT64, UINT8, BIGINT, STR),
            accumulated=AccumulatorForm(accumulated, extremes=True),
        ),
        lists=ListForm(of_integers, types=themselves(*NUMBERS, BIGINT)),
        of_bools=of_bools,
    )


def _of_first_row(
    name: str, find: Callable[[Any, bool], tuple[int, Any]], *, largest: bool, finish: Callable[..., Any]
) -> ScalarForm:
    """Return the form of state (rows, position, value) on values that NumPy has not: the first row wins among equals.

    A missing value, None, wins over all others.
    """

    def partial(column: Any, mask: NumberArray | None) -> State:
        rows = select_rows(column, mask)
        return (len(rows), *find(rows, largest)) if len(rows) else (0, None, None)

    def merge(left: State, right: State) -> State:
        count = left[0] + right[0]
        if not left[0] or not right[0]:
            return count, *(left if left[0] else right)[1:]
        one, other = left[2], right[2]
        if one is not None and (other is None or (other > one if largest else other < one)):
            return count, left[0] + right[1], other
        return count, *left[1:]

    def last(state: State, *, nan_of_none: bool = False) -> Any:
        if nan_of_none and not state[0]:
            return np.float64(np.nan)
        return finish(*nonempty(state[1:] if state[0] else (), name))

    return ScalarForm(partial, merge, last, takes_encoded=find is _first_string)


def _first_integer(integers: Any, largest: bool) -> tuple[int, int]:
    row = first_extreme(limbs_of(integers), largest=largest)
    return row, to_ints(integers.slice(row, 1))[0]


MINIMUM = _extreme(
    "min",
    np.minimum,
    np.fmin,
    of_integers=min,
    opcodes=LEAST,
    accumulated=lambda slots: (slots.minima,),
    of_bools="all",
)
MAXIMUM = _extreme(
    "max",
    np.maximum,
    np.fmax,
    of_integers=max,
    opcodes=MOST,
    accumulated=lambda slots: (slots.maxima,),
    of_bools="any",
)

# ----------------------------------------------------------------------------------------------------------- positions


def first_extremes(values: NumberArray, length: int, inner: int, largest: bool) -> NumberArray:
    """Return the first positions of extremes along the second of three dimensions; NaN is an extreme.

    NumPy copies arrays that may not be written to.

    Examples
    --------
    >>> first_extremes(np.array([3, 1, 1, 2]), 2, 2, largest=False).tolist()
    [1, 0]
    """
    found = np.empty(len(values) // max(length, 1), np.int64)
    values = np.ascontiguousarray(values.view(np.uint8) if values.dtype == np.bool_ else values)
    if len(found):
        loops.find_positions(values, length, inner, largest, found)
    return found


def _position(
    name: str,
    *,
    beats: np.ufunc,
    extreme: np.ufunc,
    skipping: np.ufunc,
    of_integers: Callable[[list[int]], int],
) -> Reduction:
    """Declare argmin or argmax, of state (rows, position, value).

    The first row wins among equals, and the first NaN over everything, as in NumPy. In groups NaN are skipped, and the
    position is -1 if there are no other rows.
    """
    largest = extreme is np.maximum

    def partial(column: NumberArray, mask: NumberArray | None) -> State:
        rows = select_rows(column, mask)
        if not len(rows):
            return 0, None, None
        position = int(first_extremes(rows, len(rows), 1, largest)[0])
        return len(rows), position, rows[position]

    def merge(left: State, right: State) -> State:
        count = left[0] + right[0]
        if not left[0] or not right[0]:
            # Positions in the later block are counted from its own start.
            return (count, *left[1:]) if left[0] else (count, *right[1:])
        is_nan = left[2] != left[2], right[2] != right[2]
        if not is_nan[0] and (is_nan[1] or beats(right[2], left[2])):
            return count, left[0] + right[1], right[2]
        return count, left[1], left[2]

    def finish(state: State) -> Any:
        return np.int64(nonempty(state[1:] if state[0] else (), name)[0])

    def partial_groups(groups: RowGroups, column: Any, skipna: bool, positions: NumberArray) -> GroupState:
        if is_arrow(column, "LargeStringArray"):
            rows = _first_of_groups(groups, column, largest, positions)
            found = positions.take(rows, mode="clip") if len(positions) else rows
            return _strings_at(column, rows), np.where(rows < 0, NOWHERE, found)
        values = column.view(np.uint8) if column.dtype == np.bool_ else column
        best = groups.reduce(skipping if values.dtype == np.float64 else extreme, values)
        found = np.where(values == groups.spread(best), positions, NOWHERE)
        return best, groups.reduce(np.minimum, found)

    def merge_groups(groups: RowGroups, skipna: bool, best: NumberArray, positions: NumberArray) -> GroupState:
        return partial_groups(groups, best, skipna, positions)

    grouped = GroupedForm(
        partial_groups,
        merge_groups,
        lambda best, positions: np.where(positions == NOWHERE, -1, positions),
        types=giving(INT64, *NUMBERS, STR),
        by_position=True,
    )
    return Reduction(
        name,
        giving(INT64, *NUMBERS, BIGINT, STR),
        scalar=ScalarForm(partial, merge, finish),
        integers=_of_first_row(name, _first_integer, largest=largest, finish=lambda position, _: np.int64(position)),
        strings=_of_first_row(name, _first_string, largest=largest, finish=lambda position, _: np.int64(position)),
        grouped=grouped,
        # For a list of nothing but NaN, it is the first position.
        lists=ListForm(
            of_integers,
            types=giving(INT64, *NUMBERS, BIGINT),
            grouped=GroupedForm(
                partial_groups,
                merge_groups,
                lambda best, positions: np.where(positions == NOWHERE, 0, positions),
                by_position=True,
            ),
        ),
    )


ARGMIN = _position(
    "argmin",
    beats=np.less,
    extreme=np.minimum,
    skipping=np.fmin,
    of_integers=lambda numbers: numbers.index(min(numbers)),
)
ARGMAX = _position(
    "argmax",
    beats=np.greater,
    extreme=np.maximum,
    skipping=np.fmax,
    of_integers=lambda numbers: numbers.index(max(numbers)),
)


def _first(groups: RowGroups, column: Column, skipna: bool, positions: NumberArray) -> GroupState:
    first = groups.reduce(np.minimum, positions)
    return take_rows(column, groups.pick(positions == groups.spread(first))), first


def _merge_first(groups: RowGroups, skipna: bool, column: Column, positions: NumberArray) -> GroupState:
    return _first(groups, column, skipna, positions)


FIRST = Reduction(
    "first",
    themselves(*ANYTHING),
    grouped=GroupedForm(_first, _merge_first, lambda column, positions: column, by_position=True),
)
