"""Casts: conversion of columns to another type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.columns.arrow import arrow_numbers, arrow_text, numpy_numbers
from akdask.columns.bigint import from_ints, from_numbers, from_unsigned, limbs_of, modulo_power, to_ints
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, STR, UINT64, ColumnType, bigint_of, column_type
from akdask.columns.exact import first_changed, first_changed_text
from akdask.deferred import is_arrow, pa, pc
from akdask.engine.operations import Operation, is_bigint
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, ConversionError
from akdask.operators.values.bigint import floats_of, ints_of
from akdask.typing import NumberArray

BOOLS = {"true": True, "1": True, "false": False, "0": False}

IGNORED = {"float": np.nan, "int": -(2**63), "uint": 0, "bool": False, "bigint": 0}
"""Arkouda's results for text that is not a number, if errors are ignored."""


def _cast(values: Any, out: Any = None, *, dtype: str, errors: str = "strict", max_bits: int = -1) -> Any:
    wanted = column_type(dtype)
    if wanted == BIGINT:
        return _to_bigint(values, errors, max_bits)
    if is_bigint(values):
        numbers = _from_bigint(values, wanted)
    elif isinstance(values, str) or is_arrow(values, "Array"):
        if wanted == STR:
            return values
        numbers = _parse(values, wanted, errors)
    elif wanted == STR:
        return _format(values)
    else:
        numbers = _convert(values, wanted, out)
    if out is None or numbers is out or wanted == STR:
        return numbers
    out[...] = numbers
    return out


def _cast_type(given: ColumnType, *, dtype: str, errors: str = "strict", max_bits: int = -1) -> ColumnType | None:
    if errors not in ("strict", "ignore"):
        raise ArgumentError(f"cast: errors={errors!r} is neither 'strict' nor 'ignore'.")
    wanted = column_type(dtype)
    return None if given.kind == "list" else bigint_of(max_bits) if wanted == BIGINT else wanted


def _to_bigint(values: Any, errors: str, max_bits: int) -> Any:
    """Truncate floats; take integers modulo ``2**max_bits`` if there is a limit."""
    match values:
        case pa.FixedSizeBinaryArray():
            column = values
        case pa.LargeStringArray():
            column = from_ints(_parse_each(values.to_pylist(), BIGINT, errors).tolist())
        case str():
            column = from_ints(_parse_each([values], BIGINT, errors).tolist())
        case np.ndarray() if values.dtype.kind != "f":
            column = from_numbers(values)
        case _:
            column = from_ints([_parse_integer(number) for number in np.atleast_1d(values).tolist()])
    if max_bits > 0:
        column = from_unsigned(modulo_power(limbs_of(column), max_bits))
    return column if isinstance(values, np.ndarray) or is_arrow(values, "Array") else to_ints(column)[0]


def _parse_integer(number: float) -> int:
    try:
        return int(number)
    except (ValueError, OverflowError) as error:
        raise ArgumentError(
            f"{number} is no integer.", hint="replace NaN and infinities before the cast, with ak.where(…)."
        ) from error


def _from_bigint(values: Any, wanted: ColumnType) -> Any:
    """Wrap integers to 64 bits; as floats they are rounded once, to infinity if too large."""
    match wanted.kind:
        case "str":
            strings = pa.array(map(str, ints_of(values)), pa.large_string())
            return strings[0].as_py() if isinstance(values, int) else strings
        case "float":
            return floats_of(values)
    limbs = limbs_of(from_ints([values]) if isinstance(values, int) else values)
    bits = limbs.any(axis=1) if wanted == BOOL else np.ascontiguousarray(limbs[:, 0])
    numbers = bits.view(wanted.numpy) if wanted.itemsize == bits.itemsize else bits.astype(wanted.numpy)
    return numbers[0] if isinstance(values, int) else numbers


def _convert(values: Any, wanted: ColumnType, out: Any) -> Any:
    """Truncate floats to integers, and wrap integers; all numbers but 0 are True, also NaN."""
    if wanted == UINT64 and values.dtype == FLOAT64.numpy:
        values = _integer(values)
    if out is None:
        return values.astype(wanted.numpy, copy=False)
    np.copyto(out, values, casting="unsafe")
    return out


def _cast_exactly(values: Any, out: Any = None, *, dtype: str) -> Any:
    """Return numbers as integers or bools of a type that holds each of them exactly."""
    wanted = column_type(dtype)
    numbers = np.array(ints_of(values), object) if is_bigint(values) else np.atleast_1d(values)
    low, high = (0, 1) if wanted == BOOL else (np.iinfo(wanted.numpy).min, np.iinfo(wanted.numpy).max)
    if numbers.dtype.kind == "f":
        # The largest integer may equal no float; one more does.
        fitting = (numbers == np.trunc(numbers)) & (numbers >= float(low)) & (numbers < float(high + 1))
    else:
        fitting = ((numbers >= low) & (numbers <= high)).astype(np.bool_)
    if not fitting.all():
        raise ArgumentTypeError(
            f"{numbers[~fitting][0]} is no {wanted}, as the elements of the array are.",
            hint=f"ak.cast(…, {dtype!r}) makes one of it.",
        )
    return _cast(values, out, dtype=dtype)


def _exact_type(given: ColumnType, *, dtype: str) -> ColumnType | None:
    wanted = column_type(dtype)
    return wanted if wanted.kind in ("int", "uint", "bool") and (given.is_number or given.kind == "bigint") else None


def _integer(values: Any) -> Any:
    """Convert to integers; processors disagree about negative floats as uint64, so these go through int64."""
    upper = values >= 2.0**63
    low = np.where(upper, values - 2.0**63, values).astype(np.int64).view(np.uint64)
    return low + (upper.astype(np.uint64) << np.uint64(63))


def _format(values: Any) -> Any:
    """Write numbers as Python does: ``True``, ``-3``, ``1.0``, ``1e+16``, ``nan``."""
    if np.ndim(values) == 0:
        return str(values.item())
    if values.dtype.kind in "iu":
        return pc.cast(arrow_numbers(values), pa.large_string())
    if values.dtype.kind == "b":
        return pc.if_else(arrow_numbers(values), *arrow_text(["True", "False"]))
    return pa.array(map(repr, values.tolist()), pa.large_string())


def _parse(strings: Any, wanted: ColumnType, errors: str) -> Any:
    """Parse numbers: Arrow reads plain ones, and the rest is read or refused one by one."""
    if isinstance(strings, str):
        return _parse_each([strings], wanted, errors)[0]
    if wanted.kind != "bool":
        try:
            return numpy_numbers(pc.cast(strings, pa.from_numpy_dtype(wanted.numpy)))
        except pa.ArrowInvalid:
            pass
    return _parse_each(strings.to_pylist(), wanted, errors)


def _parse_each(strings: list[str], wanted: ColumnType, errors: str) -> NumberArray:
    read = _READERS[wanted.kind]
    numbers: NumberArray = np.empty(len(strings), wanted.numpy)
    for row, text in enumerate(strings):
        try:
            numbers[row] = read(text)
        except (KeyError, ValueError, OverflowError) as error:
            if errors == "strict":
                raise ConversionError(
                    f"the text {text[:100]!r} is no {wanted}.",
                    details=[f"row {row} of a block of {len(strings)}"],
                    hint="errors='ignore' gives NaN, the smallest int64, 0 or False instead.",
                ) from error
            numbers[row] = IGNORED[wanted.kind]
    return numbers


def _demand_equal(floats: Any, strings: Any, out: Any = None) -> Any:
    """Return floats read from text, none of which differs from the integer in its text.

    Raises
    ------
    ConversionError
        If an integer equals no float.
    """
    changed = first_changed_text(np.atleast_1d(floats), pa.array([strings]) if isinstance(strings, str) else strings)
    if changed is not None:
        row, text = changed
        raise ConversionError(
            f"the text {text[:100]!r} is an integer that no float is equal to.",
            details=[f"row {row} of a block of {np.size(floats)}"],
            hint="read it with astype('int64'), astype('uint64') or astype('bigint'), as large as they are.",
        )
    return floats if out is None else np.positive(floats, out=out)


def _is_number(strings: Any, out: Any = None, *, dtype: str) -> Any:
    """Return the mask of strings that are numbers of a type."""
    wanted = column_type(dtype)
    strings = [strings] if isinstance(strings, str) else strings.to_pylist()
    item: NumberArray = np.empty(1, wanted.numpy)
    found = np.fromiter((_is_read(text, wanted, item) for text in strings), np.bool_, len(strings))
    if isinstance(strings, str):
        return found[0]
    return found if out is None else np.logical_or(found, False, out=out)


_DIGITS = r"^\s*[+-]?[0-9]+\s*$"

MOST_DIGITS = 1000
"""Most digits of text that is read as an integer; Python refuses to read thousands."""


def _is_integer(strings: Any, out: Any = None, *, dtype: str) -> Any:
    """Return the mask of strings that are decimal integers within a type."""
    text = pa.array([strings], pa.large_string()) if isinstance(strings, str) else strings
    found = np.asarray(pc.match_substring_regex(text, _DIGITS))
    found &= np.asarray(pc.utf8_length(text)) <= MOST_DIGITS
    if column_type(dtype) != BIGINT:
        _clear_out_of_range(column_type(dtype).numpy, text, found)
    if isinstance(strings, str):
        return found[0]
    return found if out is None else np.logical_or(found, False, out=out)


def _clear_out_of_range(wanted: np.dtype[Any], text: Any, found: Any) -> None:
    """Clear the mask of integers that are beyond a type."""
    try:
        pc.cast(pc.utf8_trim_whitespace(text.filter(pa.array(found))), pa.from_numpy_dtype(wanted))
    except pa.ArrowInvalid:
        limits = np.iinfo(wanted)
        for row in np.flatnonzero(found).tolist():
            found[row] = limits.min <= int(text[row].as_py()) <= limits.max


def _is_read(text: str, wanted: ColumnType, item: NumberArray) -> bool:
    try:
        item[0] = _READERS[wanted.kind](text)
    except (KeyError, ValueError, OverflowError):
        return False
    return True


def _read_int(text: str) -> int:
    base = _BASES.get(text.strip().lstrip("+-")[:2].lower(), 10)
    return int(text, base)


_BASES = {"0x": 16, "0o": 8, "0b": 2}


_READERS: dict[str, Callable[[str], Any]] = {
    "int": _read_int,
    "uint": _read_int,
    "bigint": _read_int,
    "float": float,
    "bool": lambda text: BOOLS[text.strip().lower()],
}


def _is_number_type(given: ColumnType, *, dtype: str) -> ColumnType | None:
    return BOOL if given == STR and column_type(dtype) != STR else None


def missing_as_nan(integers: Any, missing: Any, out: Any = None, *, column: str = "") -> Any:
    """Return integers as floats, NaN where they are missing.

    Raises
    ------
    ConversionError
        If an integer that is not missing equals no float.
    """
    number = first_changed(integers, np.logical_not(missing))
    if number is not None:
        of_column = f" of column {column!r}" if column else ""
        raise ConversionError(
            f"the integer {number}{of_column} would become {int(float(number))} as a float, which integers are "
            "computed as where some are missing.",
            hint="fill what is missing before, with fillna(…) or fill_value=, join with how='inner', or take the "
            "column with to_pandas(nullable=True).",
        )
    found = np.where(missing, np.nan, integers)
    if out is None:
        return found
    out[...] = found
    return out


def _demanded(values: Any, lacking: Any, out: Any, error: Callable[[list[str]], AkdaskError]) -> Any:
    """Return values none of which is lacking; `error` makes the error of the details of the first one that is."""
    lacking = np.atleast_1d(lacking)
    if lacking.any():
        raise error([f"the first of a block of {len(lacking)} at row {lacking.argmax()}"])
    if out is None or not isinstance(values, np.ndarray):
        return values
    out[...] = values
    return out


def _demand_present(values: Any, missing: Any, out: Any = None, *, column: str, filling: str) -> Any:
    """Return a column without missing values.

    Raises
    ------
    ArgumentTypeError
        If a value is missing.
    """
    return _demanded(
        values,
        missing,
        out,
        lambda details: ArgumentTypeError(
            f"column {column!r} has missing values, which are not filled with {filling}.",
            details=details,
            hint="name columns with what fills them: fillna({'column': value}).",
        ),
    )


def _demand_integers(values: Any, are_none: Any, out: Any = None, *, wanted: str) -> Any:
    """Return numbers that all convert to integers.

    Raises
    ------
    ConversionError
        If one is missing, or infinite.
    """
    return _demanded(
        values,
        are_none,
        out,
        lambda details: ConversionError(
            f"a missing or infinite value is no {wanted}.",
            details=details,
            hint="fill what is missing before, with fillna(…), or leave it out with dropna().",
        ),
    )


def _demand_stored(values: Any, missing: Any, out: Any = None, *, column: str) -> Any:
    """Return integers or bools for files that have no value for missing ones.

    Raises
    ------
    ConversionError
        If one is missing.
    """
    return _demanded(
        values,
        missing,
        out,
        lambda details: ConversionError(
            f"{column!r} has missing integers or bools, for which these files have no value.",
            details=details,
            hint="fill them before, with fillna(…), leave them out with dropna(), or write Parquet, which has nulls.",
        ),
    )


def _takes_missing(integers: ColumnType, missing: ColumnType, *, column: str = "") -> ColumnType | None:
    return FLOAT64 if integers.is_number and integers != FLOAT64 and missing == BOOL else None


def _narrow_type(given: ColumnType) -> ColumnType | None:
    return FLOAT64 if given.is_number and not given.nullable else None


def _nearest_narrow(numbers: Any, out: Any = None) -> Any:
    """Return the nearest floats of 32 bits, 64 bits wide; integers are rounded once, as NumPy does."""
    with np.errstate(over="ignore"):
        found = np.asarray(numbers).astype(np.float32).astype(np.float64)
    if out is None:
        return found
    out[...] = found
    return out


CAST_OPERATIONS: dict[str, Operation] = {
    "nearest_narrow": Operation("nearest_narrow", 1, _narrow_type, _nearest_narrow),
    "cast": Operation("cast", 1, _cast_type, _cast),
    "cast_exactly": Operation("cast_exactly", 1, _exact_type, _cast_exactly),
    "demand_equal": Operation("demand_equal", 2, lambda floats, text: FLOAT64, _demand_equal),
    "missing_as_nan": Operation("missing_as_nan", 2, _takes_missing, missing_as_nan),
    "demand_present": Operation("demand_present", 2, lambda given, missing, *, column, filling: given, _demand_present),
    "demand_integers": Operation("demand_integers", 2, lambda given, are_none, *, wanted: given, _demand_integers),
    "demand_stored": Operation("demand_stored", 2, lambda given, missing, *, column: given, _demand_stored),
    "is_number": Operation("is_number", 1, _is_number_type, _is_number),
    "is_integer": Operation("is_integer", 1, _is_number_type, _is_integer),
}
