"""Whether any or all values are not zero; bits that they have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from typing import Any

import numpy as np

from akdask.columns.bigint import limbs_of
from akdask.kernels.aggregates.by_group import GroupState, MergeByUfuncs, RowGroups, itself, reduce_column
from akdask.kernels.aggregates.select import select_rows
from akdask.kernels.aggregates.specification import (
    NUMBERS,
    CompiledForm,
    GroupedForm,
    ListForm,
    Reduction,
    ScalarForm,
    giving,
    themselves,
)
from akdask.kernels.aggregates.sums import nonzero_integers
from akdask.kernels.core.opcodes import Opcode
from akdask.schema import BIGINT, BOOL, INT64, UINT64
from akdask.typing import Column, NumberArray


def _nonzero(column: Column) -> NumberArray:
    nonzero: Any = column != 0 if isinstance(column, np.ndarray) else limbs_of(column).any(axis=1)
    return np.asarray(nonzero)


def _truth(
    name: str,
    find: Callable[[Any], Any],
    *,
    ufunc: np.ufunc,
    extreme: np.ufunc,
    compiled: Callable[[int, int], bool],
    identity: bool,
) -> Reduction:
    """Declare any or all; the state is a bool, that of groups uint8, which ufuncs reduce faster."""

    def partial_groups(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
        return (groups.reduce(extreme, _nonzero(column).view(np.uint8)),)

    return Reduction(
        name,
        giving(BOOL, *NUMBERS, BIGINT),
        scalar=ScalarForm(lambda column, mask: find(select_rows(column, mask)), ufunc, np.bool_),
        integers=ScalarForm(lambda column, mask: find(nonzero_integers(column, mask)), ufunc, np.bool_),
        compiled=CompiledForm({BOOL: Opcode.COUNT_BOOLS}, lambda nrows, total: np.bool_(compiled(nrows, int(total)))),
        grouped=GroupedForm(partial_groups, MergeByUfuncs(extreme), lambda found: found.astype(np.bool_)),
        lists=ListForm(lambda numbers: find(np.array([number != 0 for number in numbers]))),
        identity=identity,
    )


ANY = _truth(
    "any",
    np.any,
    ufunc=np.logical_or,
    extreme=np.maximum,
    compiled=lambda nrows, count: count > 0,
    identity=False,
)
ALL = _truth(
    "all",
    np.all,
    ufunc=np.logical_and,
    extreme=np.minimum,
    compiled=lambda nrows, count: count == nrows,
    identity=True,
)


def _bits(name: str, ufunc: np.ufunc, operation: Callable[[int, int], int]) -> Reduction:
    def partial_groups(groups: RowGroups, column: Column, skipna: bool) -> GroupState:
        return (reduce_column(groups, ufunc, column),)

    types = (INT64, UINT64, BIGINT)
    return Reduction(
        name,
        themselves(*types),
        grouped=GroupedForm(partial_groups, MergeByUfuncs(ufunc), itself),
        lists=ListForm(lambda numbers: reduce(operation, numbers), types=themselves(BOOL, *types)),
    )


OR = _bits("OR", np.bitwise_or, or_)
AND = _bits("AND", np.bitwise_and, and_)
XOR = _bits("XOR", np.bitwise_xor, xor)
