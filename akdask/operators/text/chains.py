"""Chains of pandas' methods of text, row by row: pandas itself computes each block of rows."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from akdask.caches import cached_results
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, ColumnType
from akdask.columns.strings import from_nulls, with_nulls
from akdask.deferred import is_arrow, pa, pd
from akdask.engine.operations import Operation

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
    """Return what pandas makes of strings by methods, one after the other: a Series or DataFrame.

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


def _computed(
    strings: Any, out: Any = None, *, pickled: bytes, gives: str, column: int = -1, dtype: str = "str"
) -> Any:
    if not is_arrow(strings, "Array"):
        row = pa.array([str(strings)], pa.large_string())
        one = _computed(row, pickled=pickled, gives=gives, column=column, dtype=dtype)
        return one[0].as_py() if gives == "text" else one[0]
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
