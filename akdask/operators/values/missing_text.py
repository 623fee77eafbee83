"""Operations that only exist for text with missing values; moves and comparisons treat it like other text."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns.dtypes import BOOL, NULLABLE_STR, STR, ColumnType
from akdask.columns.strings import demanded, filled, make_missing, missing_rows
from akdask.deferred import pa
from akdask.engine.operations import Operation


def _is_missing(strings: Any, out: Any = None) -> Any:
    found = missing_rows(strings)
    if out is None:
        return found
    out[...] = found
    return out


def _as_it_is(strings: Any, out: Any = None) -> Any:
    return strings


def _filled(strings: Any, text: Any, out: Any = None) -> Any:
    return filled(strings, text)


def _with_missing(strings: Any, missing: Any, out: Any = None) -> Any:
    if isinstance(strings, str):
        strings = pa.repeat(pa.scalar(strings, pa.large_string()), np.size(missing))
    return make_missing(strings, np.broadcast_to(missing, len(strings)))


def _text_to(result: ColumnType) -> Any:
    return lambda strings: result if strings.kind == "str" else None


def _filled_type(strings: ColumnType, text: ColumnType) -> ColumnType | None:
    return text if strings.kind == text.kind == "str" else None


def _with_missing_type(strings: ColumnType, missing: ColumnType) -> ColumnType | None:
    return NULLABLE_STR if strings.kind == "str" and missing == BOOL else None


MISSING_TEXT_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("is_missing", 1, lambda strings: BOOL if strings == NULLABLE_STR else None, _is_missing),
        Operation("as_nullable", 1, _text_to(NULLABLE_STR), _as_it_is),
        Operation("as_text", 1, _text_to(STR), _as_it_is),
        Operation("demand_text", 1, _text_to(STR), lambda strings, out=None: demanded(strings)),
        Operation("fill_missing", 2, _filled_type, _filled),
        Operation("make_missing", 2, _with_missing_type, _with_missing),
    )
}
