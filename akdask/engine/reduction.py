"""Reductions: the types of each, and its forms for a column, for groups and for lists.

Every form has the same three steps: the state of some rows, the merge of states, and the result.  Scalar reductions,
GroupBy, DataFrame.groupby, reductions along an axis and SegArray take theirs from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np

from akdask.columns.arrow import values_of
from akdask.columns.bigint import from_ints, limbs_of, to_ints
from akdask.columns.dtypes import (
    BIGINT,
    BOOL,
    FLOAT64,
    INT64,
    STR,
    UINT8,
    UINT64,
    ColumnType,
    bigint_of,
    list_of,
    unlimited,
)
from akdask.columns.table import filter_rows, take_rows, type_of
from akdask.deferred import is_arrow, pc
from akdask.engine.operations import Opcode
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError
from akdask.operators.reduce import loops
from akdask.records import record
from akdask.typing import Column, NumberArray

GroupState: TypeAlias = tuple[Column, ...]
"""The state of a grouped reduction: columns with one row for each group."""


class RowGroups(Protocol):
    """Rows by group: the operations that grouped reductions use."""

    count: int
    """Number of groups."""

    def sizes(self) -> NumberArray:
        """Return the number of rows of each group as int64."""
        ...

    def reduce(self, ufunc: np.ufunc, values: NumberArray) -> NumberArray:
        """Reduce the values of each group; groups without rows get the ufunc's neutral value."""
        ...

    def spread(self, values: NumberArray) -> NumberArray:
        """Return, for each row, the value of its group."""
        ...

    def adjacent(self, values: NumberArray) -> tuple[NumberArray, NumberArray]:
        """Return the values with each group adjacent and in order, and the first and last position of each group."""
        ...

    def pick(self, mask: NumberArray) -> NumberArray:
        """Return the position of the one row of each group where a mask holds, 0 for groups without rows."""
        ...


class AdjacentRowGroups(RowGroups, Protocol):
    """Groups whose rows are adjacent."""

    segments: NumberArray
    """The position of the first row of each group."""

    nrows: int
    """Number of rows."""


class MergeByUfuncs:
    """Merges each column of a state by a ufunc of its own.

    Parameters
    ----------
    *ufuncs : numpy.ufunc
        One for each column.
    skipping : sequence of numpy.ufunc, optional
        Ufuncs used instead if NaN are skipped.
    """

    def __init__(self, *ufuncs: np.ufunc, skipping: Sequence[np.ufunc] | None = None) -> None:
        self.ufuncs = ufuncs, ufuncs if skipping is None else tuple(skipping)

    def __call__(self, groups: RowGroups, skipna: bool, *state: Column) -> GroupState:
        """Merge the states of rows in the same group."""
        ufuncs = self.ufuncs[skipna]
        return tuple(reduce_column(groups, ufunc, column) for ufunc, column in zip(ufuncs, state, strict=True))

    def in_place(self, skipna: bool, total: GroupState, more: GroupState) -> None:
        """Merge number states of the same groups into the first state."""
        for ufunc, column, other in zip(self.ufuncs[skipna], total, more, strict=True):
            ufunc(column, other, out=column)


def itself(result: Column) -> Column:
    """Return a state of one column as the result."""
    return result


def reduce_column(groups: RowGroups, ufunc: np.ufunc, column: Column) -> Column:
    """Reduce a column of numbers, or integers of any size as Python integers."""
    if isinstance(column, np.ndarray):
        return groups.reduce(ufunc, column)
    return from_ints(groups.reduce(ufunc, np.array(to_ints(column), object)).tolist())


def reduce_by_rank(groups: RowGroups, ufunc: np.ufunc, column: Column) -> Column:
    """Reduce values that NumPy cannot compare by their ranks."""
    from akdask.operators.sort.kernels import argsort

    order = argsort([column], [True])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    # Groups without rows get an arbitrary value here.
    return take_rows(column, order.take(groups.reduce(ufunc, ranks), mode="clip"))


def missing_rows(column: Column, skipna: bool) -> NumberArray | None:
    """Return the mask of rows to skip, None to skip none."""
    if not skipna or not isinstance(column, np.ndarray) or column.dtype != np.float64:
        return None
    missing = np.isnan(column)
    return missing if missing.any() else None


def count_rows_of_groups(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
    """Return the number of rows of each group, whatever their values."""
    return (groups.sizes(),)


def count_values(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
    """Return the number of values of each group that are not NaN."""
    missing = missing_rows(column, True)
    if missing is None:
        return (groups.sizes(),)
    return (groups.reduce(np.add, (~missing).astype(np.int64)),)


def totals(
    ufunc: np.ufunc, identity: float, types: Mapping[ColumnType, ColumnType]
) -> Callable[[RowGroups, Column, bool], GroupState]:
    """Return the reduction that sums or multiplies the values of each group, in the types of the results."""
    wanted = {given.numpy: total.numpy for given, total in types.items() if given.is_number}

    def partial(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
        if not isinstance(column, np.ndarray):
            return (reduce_column(groups, ufunc, column),)
        if skipna and column.dtype == np.float64:
            # Checking the results is faster than looking for NaN among the rows.
            reduced = groups.reduce(ufunc, column)
            if not np.isnan(reduced).any():
                return (reduced,)
        missing = missing_rows(column, skipna)
        values = column if missing is None else np.where(missing, identity, column)
        return (groups.reduce(ufunc, values.astype(wanted[values.dtype], copy=False)),)

    return partial


TOTALS = {BOOL: INT64, UINT8: UINT64, INT64: INT64, UINT64: UINT64, FLOAT64: FLOAT64}
"""Types of sums and products, as in NumPy and Arkouda.  Integers wrap."""

NUMBERS = tuple(TOTALS)
ANYTHING = (*NUMBERS, STR, BIGINT)

State: TypeAlias = Any
"""The state of a scalar reduction: small, and picklable."""

Types: TypeAlias = Mapping[ColumnType, ColumnType]
"""Type of the result for every supported type of column."""


def giving(result: ColumnType, *types: ColumnType) -> Types:
    """Return a type table with one result type for all given types, by default all number types."""
    return dict.fromkeys(types or NUMBERS, result)


def themselves(*types: ColumnType) -> Types:
    """Return a type table of results that are elements of the column."""
    return {dtype: dtype for dtype in types}


@record
class ScalarForm:
    """How a column is reduced to one value.

    Parameters
    ----------
    partial : callable
        ``(column, mask)`` to the state of the rows where the mask holds; ``(column, mask, positions)`` if `adds_floats`
        is set.
    merge : callable
        The states of some rows and of later ones to that of all.
    finish : callable
        ``(state, **params)`` to a NumPy scalar of exactly the result's type.
    adds_floats : bool
        Whether the positions of rows matter, since float sums depend on them; see `akdask.columns.summation`.
    takes_encoded : bool
        Whether text may be positions in a dictionary.
    """

    partial: Callable[..., State]
    merge: Callable[[State, State], State]
    finish: Callable[..., Any]
    adds_floats: bool = False
    takes_encoded: bool = False


@record
class CompiledForm:
    """How a vector program reduces a column: see `akdask.engine.operations`.

    Parameters
    ----------
    opcodes : mapping of ColumnType to Opcode
        The instruction that accumulates values of each type; none if rows are only counted.
    state : callable
        ``(number of rows, accumulated value)`` to the state of the scalar form.
    as_floats : bool
        Whether values are accumulated as float64.
    """

    opcodes: Mapping[ColumnType, Opcode]
    state: Callable[[int, Any], State]
    as_floats: bool = False


class Slots(Protocol):
    """Values that accumulators have found for each group; NaN are skipped."""

    @property
    def sizes(self) -> NumberArray:
        """Return the number of rows."""
        ...

    @property
    def counts(self) -> NumberArray:
        """Return the number of values that are not NaN."""
        ...

    @property
    def totals(self) -> NumberArray:
        """Return the sums; sums of integers wrap."""
        ...

    @property
    def wide_totals(self) -> tuple[NumberArray, NumberArray]:
        """Return the sums of integers, and how often they have wrapped: see `akdask.columns.summation`."""
        ...

    @property
    def minima(self) -> NumberArray:
        """Return the smallest values, NaN for groups without values."""
        ...

    @property
    def maxima(self) -> NumberArray:
        """Return the largest values, NaN for groups without values."""
        ...


@record
class AccumulatorForm:
    """How accumulators find the state of groups; they go over the rows once for all reductions of a column.

    Parameters
    ----------
    state : callable
        `Slots` to the state of the grouped form.
    counts : bool
        Whether rows have to be counted.
    extremes : bool
        Whether the smallest and the largest values are looked for.
    exact : bool
        Whether sums of integers must not wrap.
    """

    state: Callable[[Slots], GroupState]
    counts: bool = True
    extremes: bool = False
    exact: bool = False

    @classmethod
    def of_column(cls, name: str, *, counts: bool = True) -> AccumulatorForm:
        """Return the form whose state is one column of `Slots`."""
        return cls(lambda slots: (getattr(slots, name),), counts)


@record
class GroupedForm:
    """How the rows of each group are reduced to one value.

    The state is a tuple of columns with one row for each group.  All rules are Arkouda's. NaN are skipped by default,
    sums of integers wrap, products and means are float64, and positions count all rows.  Where skipping NaN leaves a
    group nothing, sum and product are 0 and 1, count is 0, and the others are NaN, as in pandas.

    Parameters
    ----------
    partial_state : callable
        ``(groups, column, skipna)`` to the state of some rows; ``(groups, column, skipna, positions)`` if
        `by_position`.
    merge_states : callable
        ``(groups, skipna, *state)`` to the merged state; `groups` groups the rows of the states again.
    result : callable
        ``(*state, **params)`` to the result.
    types : mapping, optional
        Argument and result types, if they differ from the reduction's.
    by_position : bool
        Whether the numbers of the rows matter.
    accumulated : AccumulatorForm, optional
        How accumulators find the same state.
    keeps_values : bool
        Whether the state holds all values, so that it is not made block by block.
    """

    partial_state: Callable[..., GroupState]
    merge_states: Callable[..., GroupState]
    result: Callable[..., Column]
    types: Types | None = None
    by_position: bool = False
    accumulated: AccumulatorForm | None = None
    keeps_values: bool = False

    def partial(self, groups: RowGroups, column: Column, *positions: NumberArray, skipna: bool = True) -> GroupState:
        """Return the state of some rows."""
        with np.errstate(all="ignore"):
            return self.partial_state(groups, column, skipna, *positions)

    def merge(self, groups: RowGroups, *state: Column, skipna: bool = True) -> GroupState:
        """Merge the states of rows in the same group."""
        with np.errstate(all="ignore"):
            return self.merge_states(groups, skipna, *state)

    @property
    def merges_in_place(self) -> bool:
        """Whether states of the same groups can be merged in place, column by column."""
        return isinstance(self.merge_states, MergeByUfuncs)

    def merge_in_place(self, total: GroupState, more: GroupState, skipna: bool = True) -> None:
        """Merge states of the same groups into the first of them; see `merges_in_place`."""
        assert isinstance(self.merge_states, MergeByUfuncs), "only ufuncs work in place"
        with np.errstate(all="ignore"):
            self.merge_states.in_place(skipna, total, more)

    def finalize(self, *state: Column, **params: Any) -> Column:
        """Return the results."""
        with np.errstate(all="ignore"):
            return self.result(*state, **params)


@record
class DistinctForm:
    """How groups are reduced to one value if all rows of a group have to be in one task.

    Partial results are the distinct values of each group with the number of rows of each.

    Parameters
    ----------
    compute : callable
        ``(groups, values, counts, missing, **params)`` to the results. The values of each group ascend, and `missing`
        is the mask of NaN.
    types : mapping, optional
        Argument and result types, if they differ from the reduction's.
    by_position : bool
        Whether `compute` takes the number of the first row of each value as well, behind `missing`.
    of_numbers : bool
        Whether the result depends on the values themselves, so that codes cannot replace them.
    """

    compute: Callable[..., Column]
    types: Types | None = None
    by_position: bool = False
    of_numbers: bool = False


@record
class ListForm:
    """How each list is reduced to one value; lists are groups with adjacent rows.

    Parameters
    ----------
    of_integers : callable
        A list of Python integers to the result.
    grouped : GroupedForm, optional
        The form for lists of numbers, if it is not the grouped form.
    types : mapping, optional
        Argument and result types, if they differ from the reduction's.
    """

    of_integers: Callable[[list[int]], Any]
    grouped: GroupedForm | None = None
    types: Types | None = None


@record
class Reduction:
    """The specification of a reduction.

    Parameters
    ----------
    name : str
        Its key in `akdask.operators.reduce.reductions.REDUCTIONS`.
    types : mapping of ColumnType to ColumnType
        Type of the result for every supported type of column; forms with fewer types have their own table.
    scalar, integers, strings : ScalarForm, optional
        How columns are reduced to one value, and how those of integers of any size and those of strings are where that
        is another way.
    modular : callable, optional
        A number of bits to the scalar form of integers limited to that many.
    compiled : CompiledForm, optional
        How a vector program finds the state of the scalar form.
    grouped : GroupedForm, optional
        How groups are reduced.
    distinct : DistinctForm, optional
        How groups are reduced if partial results of some rows are not enough.
    lists : ListForm, optional
        How lists are reduced.
    identity : object
        The result for no rows; None if there is none.
    of_bools : str, optional
        The reduction that has the same result for groups of bools.
    types_with : callable, optional
        Arguments of the last step to the types, if the types depend on them.
    rounds : bool
        Whether floats are added or multiplied, so that results depend on the order of these steps.
    of_neighbours : bool
        Whether values are compared with the values of the next rows.
    """

    name: str
    types: Types
    scalar: ScalarForm | None = None
    integers: ScalarForm | None = None
    strings: ScalarForm | None = None
    modular: Callable[[int], ScalarForm] | None = None
    compiled: CompiledForm | None = None
    grouped: GroupedForm | None = None
    distinct: DistinctForm | None = None
    lists: ListForm | None = None
    identity: Any = None
    of_bools: str | None = None
    types_with: Callable[..., Types] | None = None
    rounds: bool = False
    of_neighbours: bool = False

    @property
    def by_order(self) -> bool:
        """Whether results depend on the order of rows by more than rounding."""
        return self.by_position or self.of_neighbours

    def takes(self, dtype: ColumnType) -> bool:
        """Whether the reduction has a form for groups of values of a type."""
        dtype = FLOAT64 if dtype.is_nullable_number else unlimited(dtype)
        return dtype in self.group_types or (dtype == BOOL and self.of_bools is not None)

    @property
    def group_types(self) -> Types:
        """The argument and result types for groups."""
        forms = [form for form in (self.distinct, self.grouped) if form is not None]
        return {given: found for form in forms for given, found in (form.types or self.types).items()}

    def has_grouped_form(self, dtype: ColumnType) -> bool:
        """Whether groups of values of a type are reduced in one pass over the rows, rather than by distinct values."""
        dtype = FLOAT64 if dtype.is_nullable_number else dtype
        return self.grouped is not None and (self.distinct is None or dtype in (self.grouped.types or self.types))

    @property
    def list_types(self) -> Types:
        """The element types of lists, and the result types."""
        return {} if self.lists is None else self.types if self.lists.types is None else self.lists.types

    @property
    def by_position(self) -> bool:
        """Whether groups need their row numbers."""
        form = self.grouped or self.distinct
        return form is not None and form.by_position

    def result_type(self, dtype: ColumnType, **params: Any) -> ColumnType:
        """Return the type of the result for a column of type `dtype`, given the arguments of the last step.

        Integers of a nullable type have a result of such a type where it is no float.

        Raises
        ------
        ArgumentTypeError
            If the reduction does not take such columns.
        """
        types = self.types if self.types_with is None else self.types_with(**params)
        given = dtype.plain if dtype.is_nullable_number else dtype
        found = limited(_looked_up(types, given, self.name), given)
        return replace(found, nullable=True) if given is not dtype and found != FLOAT64 else found

    def group_result_type(self, dtype: ColumnType, **params: Any) -> ColumnType:
        """Return the type of the results for groups of values of type `dtype`; see `result_type`."""
        types = self.group_types if self.types_with is None else self.types_with(**params)
        return _nullable_like(_looked_up(types, dtype, f"{self.name} of groups"), dtype)

    def scalar_form(self, dtype: ColumnType) -> ScalarForm:
        """Return the scalar form for columns of a type."""
        if dtype.kind == "bigint" and dtype.max_bits > 0 and self.modular is not None:
            return self.modular(dtype.max_bits)
        form = self.scalar if self.integers is None or (dtype.kind != "bigint" and self.scalar) else self.integers
        if dtype.kind == "str" and self.strings is not None:
            form = self.strings
        assert form is not None, f"{self.name} is for groups and lists"
        return form


def _looked_up(types: Types, dtype: ColumnType, asked: str) -> ColumnType:
    found = types.get(unlimited(dtype))
    if found is not None and found.kind == "list" and dtype.nullable:
        raise ArgumentTypeError(
            f"{asked} gives lists, which have nothing for missing text.",
            hint="put other text in its place: fillna('').",
        )
    if found is None:
        raise ArgumentTypeError(
            f"{asked} does not take a column of type {dtype}.",
            details=[f"types that it takes: {', '.join(map(str, types))}"],
        )
    return found


def limited(result: ColumnType, dtype: ColumnType) -> ColumnType:
    """Return the type of a result with its column's limit of bits, or with missing text if the column has it."""
    return bigint_of(dtype.max_bits) if result == BIGINT else _nullable_like(result, dtype)


def _nullable_like(result: ColumnType, dtype: ColumnType) -> ColumnType:
    return dtype if result == STR and dtype.nullable else result


def nonempty(state: State, name: str) -> State:
    """Return the state of at least one row; raise for no rows."""
    if not state:
        raise ArgumentError(
            f"{name} of no rows.",
            details=["the column is empty, or a filter left nothing of it"],
            hint="check the size first.",
        )
    return state


def count_rows(column: Column, mask: NumberArray | None) -> int:
    """Return the number of rows, or of rows where the mask holds."""
    return len(column) if mask is None else int(np.count_nonzero(mask))


def select_rows(column: Any, mask: NumberArray | None) -> Any:
    """Return the rows where the mask holds; the column itself without one."""
    return column if mask is None else filter_rows(column, mask)


def sum_rows(column: NumberArray, mask: NumberArray | None) -> Any:
    """Return the wrapping sum of integers where the mask holds."""
    dtype = TOTALS[type_of(column)].numpy.type
    if column.dtype == np.bool_:
        return dtype(np.count_nonzero(column if mask is None else column & mask))
    if mask is None:
        return np.add.reduce(column, dtype=dtype)
    return dtype(loops.sum_selected(np.ascontiguousarray(column), np.ascontiguousarray(mask)))


def _is_sorted(column: Column, mask: NumberArray | None) -> State:
    """Whether rows ascend, with the first and last row; without rows, whether they ascend alone."""
    rows = select_rows(column, mask)
    if not len(rows):
        return (True,)
    if isinstance(rows, np.ndarray):
        return bool(np.all(rows[:-1] <= rows[1:])), rows[0], rows[-1]
    ascending = pc.all(pc.less_equal(rows[:-1], rows[1:]), min_count=0).as_py()
    return ascending, *(rows[position].as_buffer().to_pybytes() for position in (0, len(rows) - 1))


def _are_integers_sorted(column: Any, mask: NumberArray | None) -> State:
    numbers = to_ints(select_rows(column, mask))
    ascending = all(left <= right for left, right in pairwise(numbers))
    return (ascending, numbers[0], numbers[-1]) if numbers else (True,)


def _merge_sorted(left: State, right: State) -> State:
    if len(left) == 1 or len(right) == 1:
        return right if len(left) == 1 else left
    return bool(left[0] and right[0] and left[2] <= right[1]), left[1], right[2]


def _limbs(column: Any, mask: NumberArray | None) -> State:
    """Return the number of limbs that the stored integers need without a sign; lists count their elements."""
    rows = select_rows(column, mask)
    limbs = limbs_of(values_of(rows, BIGINT) if is_arrow(rows, "LargeListArray") else rows)
    if (limbs[:, -1] >> np.uint64(63)).any():
        raise SchemaError(
            "integers below 0 cannot be stored as bigint.",
            hint="limit the bits first, with max_bits: they are stored modulo 2**max_bits then.",
        )
    used = np.flatnonzero(limbs.any(axis=0))
    return int(used[-1]) + 1 if len(used) else 1


IS_SORTED = Reduction(
    "is_sorted",
    giving(BOOL, *ANYTHING),
    scalar=ScalarForm(_is_sorted, _merge_sorted, lambda state: np.bool_(state[0])),
    integers=ScalarForm(_are_integers_sorted, _merge_sorted, lambda state: np.bool_(state[0])),
    of_neighbours=True,
)

LIMBS = Reduction("limbs", giving(INT64, BIGINT, list_of(BIGINT)), integers=ScalarForm(_limbs, max, np.int64))
