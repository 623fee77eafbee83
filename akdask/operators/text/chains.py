"""Chains of pandas' methods of text, row by row: pandas itself computes each block of rows."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np

from akdask.caches import cached_results
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, ColumnType
from akdask.columns.strings import from_nulls, missing_rows, offsets_and_bytes, with_nulls
from akdask.deferred import is_arrow, pa, pd
from akdask.engine.operations import Operation
from akdask.operators.text import loops

RESULTS = {"text": NULLABLE_STR, "bool": BOOL, "int": INT64, "missing": BOOL, "float": FLOAT64, "whole": BOOL}
"""What a chain gives: its results, integers with 0 for missing ones, which results are missing, or whether all of a
block are integers."""

TIMES = "times "
"""Before a unit, of which a chain gives times or spans."""

Chain = tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...]
"""Names of methods, and their arguments."""


@cached_results("chains of methods", 64)
def _chain(pickled: bytes) -> Chain:
    found: Chain = pickle.loads(pickled)
    return found


def applied(strings: Any, chain: Chain, dtype: str = "str") -> Any:
    """Apply methods of pandas to strings, one after the other, and return the Series or DataFrame.

    Methods of objects, the other `dtype`, are those of Python, and leave objects.

    Examples
    --------
    >>> import pyarrow as pa
    >>> applied(pa.array(["a-b", "c"], pa.large_string()), (("split", ("-",), {}), ("get", (0,), {}))).tolist()
    ['a', 'c']
    """
    found: Any = pd.Series(with_nulls(strings).to_pandas() if len(strings) else [], dtype=dtype)
    for name, args, kwargs in chain:
        found = getattr(pd if name in FUNCTIONS else found.str, name)(*_with(name, found, args), **kwargs)
    return found


FUNCTIONS = frozenset({"to_datetime", "to_timedelta", "to_numeric"})
"""Functions of pandas that chains take as methods."""


def _with(name: str, found: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    return (found, *args) if name in FUNCTIONS else args


def _part(strings: Any, chain: Chain, column: int) -> Any:
    """Return one of the fields of text, or what a group of a pattern matches, without lists; None for other chains.

    Examples
    --------
    >>> fields = (("split", (), {"pat": "-"}), ("get", (1,), {}))
    >>> with_nulls(_part(pa.array(["a-b", "c", "-"], pa.large_string()), fields, -1)).to_pylist()
    ['b', None, '']
    """
    name, args, given = chain[0]
    if args:
        return None
    if len(chain) == 1 and name == "extract" and not given.get("flags"):
        from akdask.operators.text.patterns import extracted_by_arrow

        return extracted_by_arrow(with_nulls(strings), given["pat"], max(column, 0) + 1)
    if len(chain) != 2 or chain[1][0] != "get" or name not in ("split", "rsplit") or column >= 0:
        return None
    pat, number = given.get("pat"), chain[1][1][0]
    if not isinstance(pat, str) or len(pat) != 1 or given.get("n") not in (None, -1, 0) or given.get("expand"):
        return None
    if given.get("regex") and re.escape(pat) != pat:
        return None
    return field(strings, pat, number)


def field(strings: Any, delimiter: str, number: int) -> Any:
    """Return the field of each text of a number, from the right if it is negative; missing where there are fewer.

    Examples
    --------
    >>> with_nulls(field(pa.array(["a-b-c", "d"], pa.large_string()), "-", -2)).to_pylist()
    ['b', None]
    """
    (offsets, data), text = offsets_and_bytes(strings), np.frombuffer(delimiter.encode(), np.uint8)
    first, last = offsets[:-1] - offsets[0], offsets[1:] - offsets[0]
    before, step = (number, 1) if number >= 0 else (-number - 1, -1)
    near, far = (np.full(len(strings), -1, np.int64) for _ in range(2))
    # No text has more delimiters than bytes.
    most = len(data) + 1
    if before:
        loops.find_delimiter(offsets, data, text, min(before, most), step, near)
    loops.find_delimiter(offsets, data, text, min(before + 1, most), step, far)
    lacks = missing_rows(strings) | (near < 0 if before else False)
    if number >= 0:
        starts = near + len(text) if before else first
        stops = np.where(far < 0, last, far)
    else:
        starts = np.where(far < 0, first, far + len(text))
        stops = near if before else last
    starts, stops = np.where(lacks, first, starts), np.where(lacks, first, stops)
    bounds = np.append(np.column_stack([starts, stops]).ravel(), len(data))
    parts = pa.LargeStringArray.from_buffers(2 * len(strings), pa.py_buffer(bounds), pa.py_buffer(data))
    rows = np.arange(0, 2 * len(strings), 2)
    return from_nulls(parts.take(pa.array(rows, mask=lacks) if lacks.any() else pa.array(rows)))


def _computed(
    strings: Any, out: Any = None, *, pickled: bytes, gives: str, column: int = -1, dtype: str = "str"
) -> Any:
    if not is_arrow(strings, "Array"):
        row = pa.array([str(strings)], pa.large_string())
        one = _computed(row, pickled=pickled, gives=gives, column=column, dtype=dtype)
        return one[0].as_py() if gives == "text" else one[0]
    if gives == "text" and len(strings):
        part = _part(strings, _chain(pickled), column)
        if part is not None:
            return part
    if not len(strings):
        found: Any = pd.Series([], dtype="timedelta64[s]" if gives.startswith(TIMES) else object)
    else:
        found = applied(strings, _chain(pickled), dtype)
        if column >= 0:
            # In other blocks texts may have more parts.
            found = found.iloc[:, column] if column < found.shape[1] else pd.Series([None] * len(strings), dtype="str")
    if gives == "text":
        made = pa.array(found.array, pa.large_string(), from_pandas=True)
        return from_nulls(made.combine_chunks() if is_arrow(made, "ChunkedArray") else made)
    if gives == "missing":
        numbers = found.isna().to_numpy(np.bool_)
    elif gives == "int":
        numbers = found.fillna(0).to_numpy(np.int64)
    elif gives == "float":
        numbers = found.to_numpy(np.float64)
    elif gives == "whole":
        numbers = np.full(len(found), found.dtype.kind == "i" or not found.notna().any())
    elif gives.startswith(TIMES):
        numbers = found.array.as_unit(gives.removeprefix(TIMES)).asi8
    else:
        numbers = found.to_numpy(np.bool_)
    if out is None:
        return np.ascontiguousarray(numbers)
    out[...] = numbers
    return out


def _type(
    strings: ColumnType, *, pickled: bytes, gives: str, column: int = -1, dtype: str = "str"
) -> ColumnType | None:
    return RESULTS.get(gives, INT64) if strings.kind == "str" else None


CHAIN_OPERATIONS: dict[str, Operation] = {"text_chain": Operation("text_chain", 1, _type, _computed)}
