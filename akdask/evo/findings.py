"""Findings: errors and oddities of a blob, and the rules for values that the role of an array makes.

Rows are examined in parts, in any order and place. Properties of the whole blob are concluded from the facts of its
parts.  Writing and checking share these rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import pyarrow as pa

from akdask.deferred import pc
from akdask.evo.kinds import Role
from akdask.records import record

Severity: TypeAlias = Literal["error", "warning"]

HOLES = "downhole-collection-location-holes"
_INDEX_COLUMNS: Mapping[str, tuple[int, ...]] = {"lines-2d-indices": (0, 1)}

_SHAPES = 8
"""Codes of the shapes of cells, from points to pyramids."""

_SHOWN = 5
_MOST_CODES = 1000


@record
class Finding:
    """One thing that is wrong with a blob, or odd about it.

    Parameters
    ----------
    severity : {"error", "warning"}
        Whether the blob breaks a rule, or only a recommendation.
    code : str
        Code of the finding, for programs: ``codec``, ``length``, ``null``, …
    message : str
        Description of the finding, with advice.
    column : str, optional
        Name of the column in the file.
    row_group : int, optional
        Number of the row group.
    blob : str, optional
        Path or name of the blob.
    """

    severity: Severity
    code: str
    message: str
    column: str | None = None
    row_group: int | None = None
    blob: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether a rule is broken."""
        return self.severity == "error"

    def within(self, blob: str) -> Self:
        """Return the finding as one of a blob."""
        return replace(self, blob=blob)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON map; unknown fields are null."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "blob": self.blob,
            "column": self.column,
            "row_group": self.row_group,
        }

    def __str__(self) -> str:
        where = [
            self.blob or "",
            f"column {self.column!r}" if self.column is not None else "",
            f"row group {self.row_group}" if self.row_group is not None else "",
        ]
        shown = ", ".join(filter(None, where))
        return f"{self.severity} {self.code}{f' ({shown})' if shown else ''}: {self.message}"


def errors_among(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that are errors."""
    return [finding for finding in findings if finding.is_error]


def exit_code(findings: Sequence[Finding]) -> int:
    """Return the exit code of a command with these findings: 1 if there are errors, else 0.

    Examples
    --------
    >>> exit_code([]), exit_code([Finding("error", "null", "a null")])
    (0, 1)
    """
    return int(any(finding.is_error for finding in findings))


@record
class ContentRules:
    """Requirements on the values of an array.

    Parameters
    ----------
    role : Role
        Role of the array.
    kind : str
        The kind of array.
    vertices : int, optional
        Number of vertices, which indices must be below.
    keys : ndarray, optional
        Keys of the lookup table for codes; for holes, the keys in the first column.
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
        return self.kind.startswith("lookup-table") or self.role.name == "lookup"

    def is_code(self, column: int) -> bool:
        """Whether integers of a column are codes of a lookup table."""
        return self.keys is not None and not self.is_lookup and (column == 0 or self.kind != HOLES)

    def is_index(self, column: int) -> bool:
        """Whether a column holds vertex numbers."""
        if self.kind.startswith("index-array") or self.role.name == "index":
            return True
        return column in _INDEX_COLUMNS.get(self.kind, ())


@record
class Observation:
    """Values of one column that break a rule.

    Parameters
    ----------
    count : int
        Number of values; for indices, a lower bound.
    first : int
        The first row with one.
    value : int, optional
        The worst value.
    codes : tuple of int, optional
        Codes without a key.
    """

    count: int
    first: int
    value: int | None = None
    codes: tuple[int, ...] = ()

    def joined(self, other: Observation) -> Observation:
        """Return the joined observation of these rows and later rows."""
        codes = tuple(sorted({*self.codes, *other.codes})[:_MOST_CODES])
        value = max((v for v in (self.value, other.value) if v is not None), key=abs, default=None)
        return Observation(self.count + other.count, self.first, value, codes)


@record
class RowFacts:
    """Facts about some rows.

    Parameters
    ----------
    observed : mapping of (str, str) to Observation
        Observed violations, by the code of the rule and the column.
    trues : int
        Number of true values of a mask.
    keys : ndarray, optional
        Keys of a lookup table.
    """

    observed: Mapping[tuple[str, str], Observation] = field(default_factory=dict)
    trues: int = 0
    keys: Any = None

    def joined(self, other: RowFacts) -> RowFacts:
        """Return the joined facts of these rows and later rows, or of other columns of these rows."""
        observed = dict(self.observed)
        for key, item in other.observed.items():
            observed[key] = observed[key].joined(item) if key in observed else item
        keys = [item for item in (self.keys, other.keys) if item is not None]
        return RowFacts(observed, self.trues + other.trues, np.concatenate(keys) if keys else None)

    def moved(self, first: int) -> RowFacts:
        """Return the facts with rows counted from that of a row group in its blob."""
        return replace(
            self, observed={key: replace(one, first=one.first + first) for key, one in self.observed.items()}
        )

    def findings(self, rules: ContentRules, row_group: int) -> list[Finding]:
        """Return the violations in these rows, as findings of a row group."""
        found = []
        for (code, column), item in self.observed.items():
            severity, text = _RULES[code]
            found.append(Finding(severity, code, text(item, rules), column, row_group))
        return found


def examine(table: pa.Table, rules: ContentRules, first: int = 0) -> RowFacts:
    """Return the facts of some rows.

    Parameters
    ----------
    table : pyarrow.Table
        The rows, with the types that blobs have.
    rules : ContentRules
        Requirements on the values.
    first : int, default 0
        The number of the first row in the blob.
    """
    noted = RowFacts()
    for number, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        noted = noted.joined(examine_column(column, name, number, rules, first))
    return noted


def examine_column(column: Any, name: str, number: int, rules: ContentRules, first: int = 0) -> RowFacts:
    """Return the facts of one column of some rows.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Its values, with the type that it has in the blob.
    name : str
        Its name.
    number : int
        Its position among the columns.
    rules : ContentRules
        Requirements on the array.
    first : int, default 0
        The number of the first row in the blob.
    """
    observed = {
        (code, name): replace(item, first=item.first + first) for code, item in _observations(column, number, rules)
    }
    is_mask = number == 0 and pa.types.is_boolean(column.type)
    trues = int(pc.sum(column).as_py() or 0) if is_mask else 0
    has_keys = number == 0 and rules.is_lookup and pa.types.is_integer(column.type)
    return RowFacts(observed, trues, column.drop_null().to_numpy() if has_keys else None)


def conclude(facts: Sequence[RowFacts], rules: ContentRules, name: str) -> Iterator[Finding]:
    """Yield violations of the array as a whole.  Its row groups have their own.

    Parameters
    ----------
    facts : sequence of RowFacts
        Facts of its row groups, in order.
    rules : ContentRules
        Requirements on its values.
    name : str
        Name of its first column.
    """
    keys = [fact.keys for fact in facts if fact.keys is not None]
    if rules.is_lookup and keys:
        values, counts = np.unique(np.concatenate(keys), return_counts=True)
        again = values[counts > 1]
        if len(again):
            shown = ", ".join(map(str, again[:_SHOWN].tolist()))
            text = f"{len(again):,} keys of the lookup table come more than once: {shown}; give each value one key."
            yield Finding("error", "repeated-key", text, name, _group_of(facts, again[0]))
    if rules.active is not None:
        trues = sum(fact.trues for fact in facts)
        if trues != rules.active:
            text = f"the mask has {trues:,} true values, the number of active cells is {rules.active:,}."
            yield Finding("error", "active-count", text, name)


def _group_of(facts: Sequence[RowFacts], key: Any) -> int | None:
    """Return the row group in which a key is repeated."""
    seen = 0
    for number, fact in enumerate(facts):
        seen += int((fact.keys == key).sum()) if fact.keys is not None else 0
        if seen > 1:
            return number
    return None


def _observations(column: Any, number: int, rules: ContentRules) -> Iterator[tuple[str, Observation]]:
    if rules.is_lookup:
        if number == 0 and column.null_count:
            yield "null-key", _where(pc.is_null(column))
    elif not rules.role.has_nulls:
        if column.null_count:
            yield "null", _where(pc.is_null(column))
        if pa.types.is_floating(column.type) and not _is_finite(column):
            is_nan, is_infinite = pc.is_nan(column), pc.is_inf(column)
            if pc.any(is_nan).as_py():
                yield "nan", _where(is_nan)
            if pc.any(is_infinite).as_py():
                yield "infinite", _where(is_infinite)
    if rules.is_index(number):
        yield from _out_of_range(column, rules.vertices)
    if number == 0 and rules.kind == "unstructured-grid-geometry-cells":
        low, high = _extremes(column)
        if low < 0 or high >= _SHAPES:
            is_bad = pc.or_(pc.less(column, 0), pc.greater_equal(column, _SHAPES))
            yield "cell-shape", replace(_where(is_bad), value=low if low < 0 else high)
    if pa.types.is_string(column.type) and any(map(_has_zero_byte, column.chunks)):
        has_nul = pc.match_substring(column, "\0")
        if pc.any(has_nul).as_py():
            yield "nul-character", _where(has_nul)
    if rules.is_code(number) and pa.types.is_integer(column.type):
        codes = pc.unique(column).drop_null().to_numpy()
        unknown = np.sort(codes[~np.isin(codes, rules.keys)])[:_MOST_CODES]
        if len(unknown):
            is_unknown = pc.is_in(column, pa.array(unknown, column.type))
            yield "unknown-code", replace(_where(is_unknown), codes=tuple(unknown.tolist()))


def _extremes(column: Any) -> tuple[int, int]:
    """Return the smallest and the largest number, 0 where there are none."""
    found = pc.min_max(column)
    return found["min"].as_py() or 0, found["max"].as_py() or 0


def _has_zero_byte(text: Any) -> bool:
    """Whether the bytes of text have a zero, also in rows that are null."""
    if not len(text):
        return False
    _, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, np.int32)[[text.offset, text.offset + len(text)]]
    return data is not None and ends[0] < ends[1] and not np.frombuffer(data, np.uint8)[ends[0] : ends[1]].all()


def _is_finite(column: Any) -> bool:
    """Whether floats are surely finite, as their sum is.  Sums of finite floats may overflow."""
    total = pc.sum(column).as_py()
    return total is None or math.isfinite(total)


def _where(mask: Any) -> Observation:
    """Return the number of true rows, at least one, and the first."""
    return Observation(int(pc.sum(mask).as_py()), int(pc.index(mask, pa.scalar(value=True)).as_py()))


def _out_of_range(column: Any, vertices: int | None) -> Iterator[tuple[str, Observation]]:
    if not pa.types.is_integer(column.type):
        return
    low, high = _extremes(column)
    if low < 0:
        yield "negative-index", replace(_where(pc.less(column, 0)), value=low)
    if vertices is not None and high >= vertices and len(column) > column.null_count:
        is_beyond = pc.greater_equal(column, pa.scalar(vertices, column.type))
        yield "index-range", replace(_where(is_beyond), value=high)


Text = Callable[[Observation, ContentRules], str]


def _missing(what: str) -> Text:
    def text(item: Observation, rules: ContentRules) -> str:
        return (
            f"{item.count:,} values are {what}, first at row {item.first:,}, which {rules.role.name}"
            " must not have; leave these rows out or give them values."
        )

    return text


_RULES: Mapping[str, tuple[Severity, Text]] = {
    "null": ("error", _missing("null")),
    "nan": ("error", _missing("NaN")),
    "infinite": (
        "warning",
        lambda item, rules: (
            f"{item.count:,} values are infinite, first at row {item.first:,}; the format allows that,"
            f" but {rules.role.name} of infinite extent is hardly meant."
        ),
    ),
    "null-key": (
        "error",
        lambda item, _: (
            f"{item.count:,} keys of the lookup table are null, first at row {item.first:,}; leave these rows out."
        ),
    ),
    "negative-index": (
        "error",
        lambda item, _: (
            f"{item.count:,} indices are below 0, such as {item.value:,}, first at row {item.first:,}"
            "; indices count from 0."
        ),
    ),
    "index-range": (
        "error",
        lambda item, rules: (
            f"{item.count:,} indices are not below the number of vertices, {rules.vertices:,}: up to"
            f" {item.value:,}, first at row {item.first:,}; indices count from 0."
        ),
    ),
    "cell-shape": (
        "error",
        lambda item, _: (
            f"{item.count:,} cells have unknown shape codes, such as {item.value}, first at row"
            f" {item.first:,}; shapes are 0 to {_SHAPES - 1}."
        ),
    ),
    "nul-character": (
        "warning",
        lambda item, _: (
            f"{item.count:,} strings have NUL characters, first at row {item.first:,},"
            " which some readers do not take; remove them."
        ),
    ),
    "unknown-code": (
        "warning",
        lambda item, _: (
            f"{item.count:,} codes have no key in the lookup table and are read as missing:"
            f" {', '.join(map(str, item.codes[:_SHOWN]))}; first at row {item.first:,}."
        ),
    ),
}
"""Severity and text of each violated rule."""
