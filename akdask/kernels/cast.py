"""Conversion of columns to another type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from akdask.errors import ArgumentError
from akdask.kernels.rules import Operation
from akdask.schema import FLOAT64, STR, UINT64, ColumnType, column_type
from akdask.typing import NumberArray

BOOLS = {"true": True, "1": True, "false": False, "0": False}

IGNORED = {"float": np.nan, "int": -(2**63), "uint": 0, "bool": False}
"""What Arkouda puts for text that is not a number where errors are ignored."""


def _cast(values: Any, out: Any = None, *, dtype: str, errors: str = "strict") -> Any:
    wanted = column_type(dtype)
    if isinstance(values, pa.Array | str):
        if wanted == STR:
            return values
        numbers = _parse(values, wanted, errors)
    elif wanted == STR:
        return _format(values)
    else:
        numbers = _convert(values, wanted, out)
    if out is None or numbers is out:
        return numbers
    out[...] = numbers
    return out


def _cast_type(given: ColumnType, *, dtype: str, errors: str = "strict") -> ColumnType:
    if errors not in ("strict", "ignore"):
        raise ArgumentError(f"cast: errors={errors!r} is neither 'strict' nor 'ignore'.")
    return column_type(dtype)


def _convert(values: Any, wanted: ColumnType, out: Any) -> Any:
    """Floats lose their fraction; integers wrap; what is not 0 is True, NaN included."""
    if wanted == UINT64 and values.dtype == FLOAT64.numpy:
        values = _whole(values)
    if out is None:
        return values.astype(wanted.numpy, copy=False)
    np.copyto(out, values, casting="unsafe")
    return out


def _whole(values: Any) -> Any:
    """Processors disagree about negative floats as uint64, even from one element to the next; take them by int64."""
    upper = values >= 2.0**63
    low = np.where(upper, values - 2.0**63, values).astype(np.int64).view(np.uint64)
    return low + (upper.astype(np.uint64) << np.uint64(63))


def _format(values: Any) -> Any:
    """Write numbers as Python does: ``True``, ``-3``, ``1.0``, ``1e+16``, ``nan``."""
    if np.ndim(values) == 0:
        return str(values.item())
    if values.dtype.kind in "iu":
        return pc.cast(pa.array(values), pa.large_string())
    if values.dtype.kind == "b":
        return pc.if_else(values, pa.scalar("True", pa.large_string()), pa.scalar("False", pa.large_string()))
    return pa.array(map(repr, values.tolist()), pa.large_string())


def _parse(strings: Any, wanted: ColumnType, errors: str) -> Any:
    """Let Arrow read plain numbers; what it does not take is read, or refused, one by one."""
    if isinstance(strings, str):
        return _parse_each([strings], wanted, errors)[0]
    if wanted.kind != "bool":
        try:
            return pc.cast(strings, pa.from_numpy_dtype(wanted.numpy)).to_numpy()
        except pa.ArrowInvalid:
            pass
    return _parse_each(strings.to_pylist(), wanted, errors)


def _parse_each(texts: list[str], wanted: ColumnType, errors: str) -> NumberArray:
    read = _READERS[wanted.kind]
    numbers = np.empty(len(texts), wanted.numpy)
    for row, text in enumerate(texts):
        try:
            numbers[row] = read(text)
        except (KeyError, ValueError, OverflowError) as error:
            if errors == "strict":
                raise ArgumentError(
                    f"the text {text[:100]!r} is no {wanted}.",
                    details=[f"row {row} of a block of {len(texts)}"],
                    hint="errors='ignore' gives NaN, the smallest int64, 0 or False instead.",
                ) from error
            numbers[row] = IGNORED[wanted.kind]
    return numbers


def _read_int(text: str) -> int:
    return int(text, 16 if text.strip().lower().startswith(("0x", "-0x", "+0x")) else 10)


_READERS: dict[str, Callable[[str], Any]] = {
    "int": _read_int,
    "uint": _read_int,
    "float": float,
    "bool": lambda text: BOOLS[text.strip().lower()],
}

CAST_OPERATIONS: dict[str, Operation] = {"cast": Operation("cast", 1, _cast_type, _cast)}
