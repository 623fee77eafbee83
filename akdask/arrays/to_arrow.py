"""Conversion of partitions to Arrow, without a copy of numbers and text."""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal
from typing import Any

import numpy as np

from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import with_nulls
from akdask.columns.table import Table, to_objects
from akdask.deferred import pa
from akdask.engine.values import token
from akdask.errors import UnsupportedError
from akdask.operators.join.plan import IS_NA, LABEL
from akdask.records import record

DIGITS = 76
"""Decimal digits of Arrow's widest integers."""

MISSING_TIME = np.iinfo(np.int64).min


@record
class ToArrow:
    """Makes an Arrow table of a table, and of the tables of labels of its Categoricals.

    Parameters
    ----------
    columns : tuple of (hashable, str, str)
        The columns: their names in the table and in Arrow's, and the meaning of their numbers: ``timestamp`` or
        ``duration`` with unit and zone, see `arrow_type_of`, or nothing else.
    labelled : tuple of (hashable, int)
        Columns that are codes, and the position of their labels among the further arguments.
    nullable : frozenset of hashable
        Columns of text that may be missing.
    ordered : frozenset of hashable
        Columns of codes whose labels are ordered: missing elements are null.
    """

    columns: tuple[tuple[Hashable, str, str], ...]
    labelled: tuple[tuple[Hashable, int], ...] = ()
    nullable: frozenset[Hashable] = frozenset()
    ordered: frozenset[Hashable] = frozenset()

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return token(
            "to arrow", self.columns, self.labelled, sorted(map(repr, self.nullable)), sorted(map(repr, self.ordered))
        )

    def __call__(self, table: Table, *labels: Table) -> pa.Table:
        """Return the table; strings in several chunks keep them."""
        positions = dict(self.labelled)
        made = {}
        for name, shown, stands_for in self.columns:
            column: Any = table.columns[name]
            if name in positions:
                made[shown] = _dictionary(column, labels[positions[name]], ordered=name in self.ordered)
            elif isinstance(column, np.ndarray):
                made[shown] = _times(column).view(arrow_type_of(stands_for)) if stands_for else pa.array(column)
            elif isinstance(column, NullableColumn):
                made[shown] = pa.array(column.values, mask=column.missing)
            elif pa.types.is_large_string(column.type):
                made[shown] = with_nulls(column) if name in self.nullable else column
            else:
                made[shown] = _decimals(column, shown) if pa.types.is_fixed_size_binary(column.type) else column
        return pa.table(made)


def arrow_type_of(meaning: str) -> pa.DataType:
    """Return Arrow's type of numbers that are times: ``timestamp us Europe/Berlin`` or ``duration ns``."""
    name, *parts = meaning.split(" ")
    found: pa.DataType = getattr(pa, name)(*parts)
    return found


def _times(column: np.ndarray[Any, Any]) -> pa.Array:
    """Return numbers with nulls for NaT; numbers without NaT are not copied."""
    missing = column == MISSING_TIME
    return pa.array(column, mask=missing) if missing.any() else pa.array(column)


def _dictionary(codes: np.ndarray[Any, Any], labels: Table, *, ordered: bool) -> pa.DictionaryArray:
    named: Any = labels.columns[LABEL]
    if not ordered:
        return pa.DictionaryArray.from_arrays(pa.array(codes), named, safe=True)
    there = ~np.asarray(labels.columns[IS_NA])
    known = np.where(there, np.cumsum(there) - 1, 0)[codes]
    indices = pa.array(known, mask=~there[codes])
    return pa.DictionaryArray.from_arrays(indices, named.filter(pa.array(there)), ordered=True, safe=True)


def _decimals(column: Any, name: str) -> pa.Array:
    """Return integers of any size as decimals.

    Raises
    ------
    UnsupportedError
        If one has more digits than Arrow's decimals.
    """
    integers = to_objects(column)
    if any(abs(number) >= 10**DIGITS for number in integers):
        raise UnsupportedError(
            f"{name!r} has integers of more than {DIGITS} digits, which Arrow has no type for.",
            hint="convert the column with ak.cast(…, str).",
        )
    return pa.array(map(Decimal, integers), pa.decimal256(DIGITS))
