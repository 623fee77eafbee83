"""Convert stored values to akdask's columns: missing values, text of codes, and units of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, UINT64, ColumnType
from akdask.columns.strings import from_nulls
from akdask.deferred import pc
from akdask.errors import ArgumentError
from akdask.evo.errors import ContentError
from akdask.storage.objects import ObjType
from akdask.typing import Column, NumberArray

NAT = -(2**63)
"""The number of a time that is missing."""

_TO_NANOSECONDS = 1000
_NUMBERS = {"int32": INT64, "int64": INT64, "uint8": UINT64, "uint32": UINT64, "uint64": UINT64, "bool": BOOL}


def missing_values(nan_description: Any) -> tuple[Any, ...]:
    """Return the values for missing, from ``{"values": [...]}`` or a list.

    Raises
    ------
    ArgumentError
        If it is neither.

    Examples
    --------
    >>> missing_values({"values": [-999, None]}), missing_values(None)
    ((-999,), ())
    """
    if nan_description is None:
        return ()
    values = nan_description.get("values") if isinstance(nan_description, Mapping) else nan_description
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ArgumentError(
            "values that stand for missing come as {'values': […]} or as a list.",
            details=[f"given: {nan_description!r:.100}"],
        )
    return tuple(value for value in list(values) if value is not None and value == value)  # noqa: PLR0124 - NaN


@dataclass(frozen=True)
class Lookup:
    """Keys of a lookup table, and the text of each.

    Parameters
    ----------
    keys : pyarrow.Array of int64
        The keys, each once.
    values : pyarrow.Array of large_string
        Their text.
    """

    keys: Any
    values: Any

    @classmethod
    def of(cls, table: pa.Table) -> Lookup:
        """Return the lookup table in two columns, keys first.

        Raises
        ------
        ContentError
            If keys are null or repeat.
        ArgumentError
            If there are other columns.
        """
        types = table.schema.types
        if len(types) != 2 or not pa.types.is_integer(types[0]) or not _is_text(types[1]):
            raise ArgumentError(
                "a lookup table has a column of whole numbers and one of text.",
                details=[f"given: {', '.join(map(str, types))}"],
            )
        keys = table.column(0).combine_chunks().cast(pa.int64())
        if keys.null_count or pc.count_distinct(keys).as_py() < len(keys):
            raise ContentError(
                "keys of a lookup table are null or come more than once.", hint="give each value one key."
            )
        return cls(keys, table.column(1).combine_chunks().cast(pa.large_string()))

    def decode(self, codes: Any) -> Any:
        """Return the text of codes, null for codes that are null or no keys."""
        positions = pc.index_in(codes.cast(pa.int64()), self.keys)
        return self.values.take(positions)


def _is_text(arrow: Any) -> bool:
    return bool(pa.types.is_string(arrow) or pa.types.is_large_string(arrow))


@dataclass(frozen=True)
class ColumnDecoding:
    """Rule for reading one stored column.

    Parameters
    ----------
    stored : str
        Name of its type in the blob.
    may_be_null : bool
        Whether the footer leaves room for nulls.
    missing : tuple, optional
        Values for missing.
    lookup : Lookup, optional
        The lookup table of codes.
    becomes : str, optional
        Name of the type as which the bits of integers are read.
    as_microseconds : bool, default False
        Whether times stay microseconds, as integers.
    is_complete : bool, default False
        Whether nulls and NaN are errors.
    """

    stored: str
    may_be_null: bool
    missing: tuple[Any, ...] = ()
    lookup: Lookup | None = None
    becomes: str | None = None
    as_microseconds: bool = False
    is_complete: bool = False

    @cached_property
    def dtype(self) -> ColumnType:
        """The type of the column that is read."""
        if self.lookup is not None or self.stored == "string":
            return NULLABLE_STR
        if self.stored == "timestamp":
            return INT64
        if self.stored == "float64" or self._has_missing:
            return FLOAT64
        return _NUMBERS[self.becomes or self.stored]

    @property
    def is_plain(self) -> bool:
        """Whether values are read as stored, without any replacement."""
        return self.lookup is None and not self.missing and self.becomes is None and not self.as_microseconds

    @property
    def _has_missing(self) -> bool:
        return not self.is_complete and (self.may_be_null or bool(self.missing))

    @property
    def kind(self) -> ObjType:
        """The kind of object of the column."""
        if self.dtype == NULLABLE_STR:
            return ObjType.STRINGS
        return ObjType.DATETIME if self.stored == "timestamp" and not self.as_microseconds else ObjType.PDARRAY

    def __call__(self, array: Any) -> Column:
        """Return rows, given as an Arrow array.

        Raises
        ------
        ContentError
            If null or NaN occurs where missing values are forbidden, if an integer beside missing values does not fit
            into a float, or if a time does not fit into 64 bits of nanoseconds.
        """
        if self.is_complete and array.null_count:
            raise ContentError(f"{array.null_count:,} values are null, which the role of the array forbids.")
        if self.lookup is not None:
            return from_nulls(self.lookup.decode(self._without(array, self.missing)))
        match self.stored:
            case "string":
                if pa.types.is_dictionary(array.type):
                    array = array.dictionary_decode()
                # Only bytes are validated, as UTF-8.
                return from_nulls(array.cast(pa.large_binary()).cast(pa.large_string()))
            case "timestamp":
                return self._times(array)
            case "float64":
                return self._floats(array)
        return self._integers(array)

    def _floats(self, array: Any) -> NumberArray:
        found: NumberArray = array.to_numpy(zero_copy_only=False)
        if self.missing:
            found = np.where(np.isin(found, np.array(self.missing, np.float64)), np.nan, found)
        if self.is_complete and np.isnan(found).any():
            raise ContentError("values are NaN, which the role of the array forbids.")
        return found

    def _integers(self, array: Any) -> NumberArray:
        if array.null_count and not self._has_missing:
            raise ContentError("values are null, though statistics say that none are; the file is damaged.")
        if self.becomes == "uint32":
            array = pa.Array.from_buffers(pa.uint32(), len(array), array.buffers(), array.null_count, array.offset)
        elif self.becomes == "uint64":
            array = _cast(array, pa.uint64(), "indices are not below 0")
        if not self._has_missing:
            found: NumberArray = array.to_numpy(zero_copy_only=False)
            return found.astype(self.dtype.numpy, copy=False)
        floats = _cast(self._without(array, self.missing), pa.float64(), "missing ones make whole numbers floats")
        return np.asarray(floats.fill_null(np.nan))

    def _times(self, array: Any) -> NumberArray:
        counts = self._without(array.cast(pa.int64()), tuple(map(microseconds_of, self.missing)))
        try:
            if not self.as_microseconds:
                counts = pc.multiply_checked(counts, pa.scalar(_TO_NANOSECONDS, pa.int64()))
        except pa.ArrowException:
            raise ContentError(
                "times are outside of the years 1677 to 2262, which nanoseconds reach.",
                hint="read them with times='microseconds'.",
            ) from None
        found: NumberArray = counts.fill_null(NAT).to_numpy(zero_copy_only=False)
        return found

    @staticmethod
    def _without(array: Any, values: Sequence[Any]) -> Any:
        """Return an array with nulls in place of some integers."""
        numbers = [int(value) for value in values if _fits(value, array.type)]
        if not numbers:
            return array
        is_missing = pc.is_in(array, pa.array(numbers, array.type))
        return pc.if_else(is_missing, pa.scalar(None, array.type), array)


def _fits(value: Any, arrow: Any) -> bool:
    """Whether a value is an integer of a type."""
    try:
        pa.scalar(int(value), arrow)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return bool(int(value) == value)


def _cast(array: Any, arrow: Any, why: str) -> Any:
    try:
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.uint8())
        return array.cast(arrow)
    except pa.ArrowException as error:
        raise ContentError(
            f"values cannot be read as {arrow}: {why}.",
            details=[str(error)],
            hint="read them with akdask.evo.read_arrow.",
        ) from error


def microseconds_of(value: Any) -> Any:
    """Return a time for missing values in microseconds; numbers are microseconds already.

    Examples
    --------
    >>> microseconds_of("1900-01-01T00:00:00Z"), microseconds_of(7)
    (-2208988800000000, 7)
    """
    if not isinstance(value, str):
        return value
    try:
        return pa.scalar(datetime.fromisoformat(value), pa.timestamp("us", "UTC")).value
    except (ValueError, pa.ArrowException):
        raise ArgumentError(f"{value!r:.100} is no time.", hint="write it as 1900-01-01T00:00:00Z.") from None
