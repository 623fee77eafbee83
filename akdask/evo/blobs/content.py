"""What values are against the role of an array: nulls, NaN, indices out of range, keys that repeat.

Row groups are looked at one by one, in any order and place; what only the whole blob tells is concluded from what was
noted of each.  Writing and checking ask the same questions here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from akdask.evo.blobs.findings import Finding
from akdask.evo.roles import Role

_INDICES: Mapping[str, tuple[int, ...] | None] = {"lines-2d-indices": (0, 1)}
_LOOKUP = "lookup-table"
_SHAPES = 8
"""Codes of the shapes of cells, from points to pyramids."""


@dataclass(frozen=True, slots=True)
class ContentRules:
    """What the values of an array must be.

    Parameters
    ----------
    role : Role
        What the array is for.
    kind : str
        The kind of array.
    vertices : int, optional
        Number of vertices, which indices must be below.
    keys : ndarray, optional
        Sorted keys of the lookup table that codes are looked up in.
    active : int, optional
        Number of values of a mask that are true.
    """

    role: Role
    kind: str
    vertices: int | None = None
    keys: Any = field(default=None, compare=False)
    active: int | None = None

    @property
    def is_lookup(self) -> bool:
        """Whether the array is a lookup table."""
        return self.kind.startswith(_LOOKUP) or self.role.name == "lookup"

    @property
    def index_columns(self) -> Sequence[int] | None:
        """Columns that are numbers of vertices; None for all."""
        if self.kind.startswith("index-array") or self.role.name == "index":
            return None
        return _INDICES.get(self.kind, ())


@dataclass(frozen=True, slots=True)
class RowGroupFacts:
    """What was noted of one row group.

    Parameters
    ----------
    findings : tuple of Finding
        What is wrong with it.
    trues : int
        Of a mask, how many values are true.
    keys : ndarray, optional
        Of a lookup table, its keys.
    """

    findings: tuple[Finding, ...]
    trues: int = 0
    keys: Any = None


def examine(table: pa.Table, rules: ContentRules, row_group: int) -> RowGroupFacts:
    """Return what is to be noted of the rows of one row group.

    Parameters
    ----------
    table : pyarrow.Table
        Its rows, with the types that blobs have.
    rules : ContentRules
        What they must be.
    row_group : int
        Its number.
    """
    found: list[Finding] = []
    indices = rules.index_columns
    for number, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        found += _missing(column, name, number, rules, row_group)
        if indices is None or number in indices:
            found += _out_of_range(column, name, rules, row_group)
        if pa.types.is_string(column.type):
            found += _with_nul(column, name, row_group)
    if rules.kind == "unstructured-grid-geometry-cells":
        found += _unknown_shapes(table.column(0), table.column_names[0], row_group)
    if rules.keys is not None and rules.role.name == "category":
        for name, column in zip(table.column_names, table.columns, strict=True):
            found += _without_key(column, name, rules.keys, row_group)
    trues, keys = 0, None
    if pa.types.is_boolean(table.schema.field(0).type):
        trues = int(pc.sum(table.column(0)).as_py() or 0)
    if rules.is_lookup and pa.types.is_integer(table.schema.field(0).type):
        keys = table.column(0).drop_null().to_numpy()
    return RowGroupFacts(tuple(found), trues, keys)


def conclude(facts: Sequence[RowGroupFacts], rules: ContentRules, name: str) -> Iterator[Finding]:
    """Yield what is wrong with the array, and not with one of its row groups.

    Parameters
    ----------
    facts : sequence of RowGroupFacts
        What was noted of its row groups, in order.
    rules : ContentRules
        What its values must be.
    name : str
        Name of its first column.
    """
    keys = [fact.keys for fact in facts if fact.keys is not None]
    if rules.is_lookup and keys:
        values, counts = np.unique(np.concatenate(keys), return_counts=True)
        again = values[counts > 1]
        if len(again):
            shown = ", ".join(map(str, again[:5].tolist()))
            yield Finding(
                "error",
                "repeated-key",
                f"{len(again):,} keys of the lookup table come more than once: {shown}; give each value one key.",
                name,
                _group_of(facts, again[0]),
            )
    if rules.active is not None:
        trues = sum(fact.trues for fact in facts)
        if trues != rules.active:
            yield Finding(
                "error",
                "active-count",
                f"the mask has {trues:,} true values, the number of active cells is {rules.active:,}.",
                name,
            )


def _group_of(facts: Sequence[RowGroupFacts], key: Any) -> int | None:
    """Return the row group in which a key comes for the second time."""
    seen = 0
    for number, fact in enumerate(facts):
        seen += int((fact.keys == key).sum()) if fact.keys is not None else 0
        if seen > 1:
            return number
    return None


def _first(mask: Any) -> int:
    """Return the first row of which something holds."""
    return int(pc.index(mask, pa.scalar(value=True)).as_py())


def _missing(column: Any, name: str, number: int, rules: ContentRules, row_group: int) -> Iterator[Finding]:
    if rules.is_lookup:
        if number == 0 and column.null_count:
            row = _first(pc.is_null(column))
            yield Finding(
                "error",
                "null-key",
                f"{column.null_count:,} keys of the lookup table are null, first at row {row:,} of the row group;"
                " leave these rows out.",
                name,
                row_group,
            )
        return
    if rules.role.has_nulls:
        return
    if column.null_count:
        row = _first(pc.is_null(column))
        yield Finding(
            "error",
            "null",
            f"{column.null_count:,} values are null, first at row {row:,} of the row group, which {rules.role.name}"
            " must not have; leave these rows out or give them values.",
            name,
            row_group,
        )
    if pa.types.is_floating(column.type):
        is_nan = pc.is_nan(column)
        count = pc.sum(is_nan).as_py() or 0
        if count:
            yield Finding(
                "error",
                "nan",
                f"{count:,} values are NaN, first at row {_first(is_nan):,} of the row group, which {rules.role.name}"
                " must not have; leave these rows out or give them values.",
                name,
                row_group,
            )


def _out_of_range(column: Any, name: str, rules: ContentRules, row_group: int) -> Iterator[Finding]:
    if not pa.types.is_integer(column.type) or len(column) == column.null_count:
        return
    extremes = pc.min_max(column)
    low, high = extremes["min"].as_py(), extremes["max"].as_py()
    if low < 0:
        row = _first(pc.less(column, 0))
        yield Finding(
            "error",
            "negative-index",
            f"index {low:,} is below 0; the first such is at row {row:,} of the row group; indices count from 0.",
            name,
            row_group,
        )
    if rules.vertices is not None and high >= rules.vertices:
        limit = pa.scalar(rules.vertices, column.type) if rules.vertices < 2**63 else None
        row = _first(pc.greater_equal(column, limit)) if limit is not None else 0
        yield Finding(
            "error",
            "index-range",
            f"index {high:,} is not below the number of vertices, {rules.vertices:,}; the first such is at row"
            f" {row:,} of the row group; indices count from 0.",
            name,
            row_group,
        )


def _with_nul(column: Any, name: str, row_group: int) -> Iterator[Finding]:
    has_nul = pc.match_substring(column, "\0")
    count = pc.sum(has_nul).as_py() or 0
    if count:
        yield Finding(
            "warning",
            "nul-character",
            f"{count:,} strings have NUL characters, first at row {_first(has_nul):,} of the row group, which some"
            " readers do not take; remove them.",
            name,
            row_group,
        )


def _unknown_shapes(column: Any, name: str, row_group: int) -> Iterator[Finding]:
    if len(column) == column.null_count:
        return
    extremes = pc.min_max(column)
    low, high = extremes["min"].as_py(), extremes["max"].as_py()
    if low < 0 or high >= _SHAPES:
        yield Finding(
            "error",
            "cell-shape",
            f"cells have shape codes from {low} to {high}; those known are 0 to {_SHAPES - 1}.",
            name,
            row_group,
        )


def _without_key(column: Any, name: str, keys: Any, row_group: int) -> Iterator[Finding]:
    codes = np.unique(column.drop_null().to_numpy())
    unknown = codes[~np.isin(codes, keys)]
    if len(unknown):
        shown = ", ".join(map(str, unknown[:5].tolist()))
        yield Finding(
            "warning",
            "unknown-code",
            f"{len(unknown):,} codes have no key in the lookup table and are read as missing: {shown}.",
            name,
            row_group,
        )
