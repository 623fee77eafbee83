"""Operations between numbers with missing rows, and the numbers and masks that such columns are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from akdask.columns.dtypes import BOOL, ColumnType, column_type
from akdask.columns.nullable import NullableColumn
from akdask.engine.operations import Operation
from akdask.typing import NumberArray


def _nullable(integers: Any, missing: Any, out: None = None, **_: Any) -> NullableColumn:
    return NullableColumn.of(integers, missing)


def _nullable_type(integers: ColumnType, missing: ColumnType, **_: Any) -> ColumnType | None:
    has_a_value_for_it = integers.kind == "float" or not integers.is_number
    return None if has_a_value_for_it or missing != BOOL else replace(integers, nullable=True)


def _values(column: NullableColumn, out: Any = None) -> NumberArray:
    # A view, which is cheaper than a copy to the given memory.
    return column.values


def _missing(column: NullableColumn, out: NumberArray | None = None) -> NumberArray:
    if column.missing is not None:
        return column.missing
    found = np.empty(len(column), np.bool_) if out is None else out
    found[:] = False
    return found


def _piecewise(*columns: Any, out: Any = None, function: Callable[..., Any], **_: Any) -> Any:
    return function(*columns)


def _piecewise_type(*types: ColumnType, dtype: str, nullable: bool, **_: Any) -> ColumnType:
    return replace(column_type(dtype), nullable=nullable)


NULLABLE_OPERATIONS: dict[str, Operation] = {
    "piecewise": Operation("piecewise", None, _piecewise_type, _piecewise),
    "nullable": Operation("nullable", 2, _nullable_type, _nullable),
    "present_numbers": Operation(
        "present_numbers", 1, lambda given: given.plain if given.is_nullable_number else None, _values
    ),
    "missing_numbers": Operation(
        "missing_numbers", 1, lambda given: BOOL if given.is_nullable_number else None, _missing
    ),
}
