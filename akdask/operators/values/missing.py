"""Operations between numbers with missing rows, and the numbers and masks that such columns are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from akdask.columns.dtypes import BOOL, ColumnType
from akdask.columns.nullable import NullableColumn
from akdask.engine.operations import Operation
from akdask.errors import ConversionError
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


def _demand_numbers(values: Any, missing: Any, out: Any = None, *, column: str) -> Any:
    """Return integers or bools none of which is missing.

    Raises
    ------
    ConversionError
        If one is missing.
    """
    lacking = np.atleast_1d(missing)
    if lacking.any():
        raise ConversionError(
            f"{column!r} has missing integers or bools, for which these files have no value.",
            details=[f"the first of a block of {len(lacking):,} at row {lacking.argmax():,}"],
            hint="fill them before, with fillna(…), leave them out with dropna(), or write Parquet, which has nulls.",
        )
    return values


NULLABLE_OPERATIONS: dict[str, Operation] = {
    "nullable": Operation("nullable", 2, _nullable_type, _nullable),
    "present_numbers": Operation(
        "present_numbers", 1, lambda given: given.plain if given.is_nullable_number else None, _values
    ),
    "demand_numbers": Operation("demand_numbers", 2, lambda given, missing, *, column: given, _demand_numbers),
    "missing_numbers": Operation(
        "missing_numbers", 1, lambda given: BOOL if given.is_nullable_number else None, _missing
    ),
}
