"""Validate one blob or very many: choose the checks, their order, and their tasks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from hashlib import sha256
from typing import Any

import dask
import numpy as np
import pyarrow as pa

from akdask.cluster import default_client, shares_memory
from akdask.errors import AkdaskError, ArgumentError, MissingFileError
from akdask.evo.content import ContentRules, RowFacts, conclude, examine
from akdask.evo.description import ArrayDescription
from akdask.evo.findings import Finding
from akdask.evo.footer import FooterFacts, check_description, check_footer, check_pages, check_role, check_rows
from akdask.evo.identity import STEP, is_digest
from akdask.evo.kinds import ROLES, Role, role_named
from akdask.evo.reader import Path, lookup_of
from akdask.formats.parquet.chunks import open_parquet
from akdask.formats.parquet.footers import PARQUET_ERRORS
from akdask.formats.parquet.thrift import CODECS
from akdask.storage.files import FileIdentity, absolute, identify, is_remote
from akdask.storage.ranges import RangeReader, range_reader
from akdask.storage.remote import accessing, current_options, takes_storage_options

_ROWS = 2**18


@dataclass(frozen=True, slots=True)
class RowGroupReport:
    """The findings for a row group.

    Parameters
    ----------
    number : int
        Its number.
    findings : tuple of Finding
        Errors of the row group.
    facts : RowFacts
        Facts about its values.
    """

    number: int
    findings: tuple[Finding, ...]
    facts: RowFacts


def check_row_group(facts: FooterFacts, number: int, rules: ContentRules) -> RowGroupReport:
    """Return the findings for one row group, read in steps of bounded size."""
    try:
        with range_reader(facts.file) as ranges:
            stretch = _stretch(facts, number)
            ranges.expect([[stretch]] if stretch[1] > stretch[0] else [], goes_back=True)
            found = _check_all_pages(ranges, facts, number)
            if found:
                return RowGroupReport(number, tuple(found), RowFacts())
            return _check_values(ranges, facts, number, rules)
    except AkdaskError as error:
        text = " ".join([error.message, *error.details])
        return RowGroupReport(number, (Finding("error", "unreadable", text, row_group=number),), RowFacts())


def _stretch(facts: FooterFacts, number: int) -> tuple[int, int]:
    chunks = facts.chunks[:, number]
    ends = chunks["offset"] + chunks["size"]
    return int(chunks["offset"].min(initial=2**62)), int(ends.max(initial=0))


def _check_all_pages(ranges: RangeReader, facts: FooterFacts, number: int) -> list[Finding]:
    found: list[Finding] = []
    for position, field in enumerate(facts.schema):
        chunk = facts.chunks[position, number]
        if not chunk["problem"] and facts.rows[number]:
            is_gzip = CODECS[int(chunk["codec"])] == "GZIP"
            found += check_pages(ranges, chunk, field.type, field.name, number, gzip=is_gzip)
    return found


def _check_values(ranges: RangeReader, facts: FooterFacts, number: int, rules: ContentRules) -> RowGroupReport:
    noted = RowFacts()
    row = 0
    try:
        opened = open_parquet(ranges)
        for batch in opened.iter_batches(_ROWS, row_groups=[number], use_threads=False):
            batch.validate(full=True)
            noted = noted.joined(examine(pa.Table.from_batches([batch]), rules, row))
            row += batch.num_rows
    except PARQUET_ERRORS as error:
        column = _column_at_fault(ranges, facts, number)
        text = f"values behind row {row:,} cannot be read: {str(error).strip() or type(error).__name__}"
        return RowGroupReport(
            number, (Finding("error", "data", f"{text}; fetch the blob again.", column, number),), noted
        )
    found = noted.findings(rules, number)
    if row != facts.rows[number]:
        text = f"the row group has {row:,} rows, its footer says {facts.rows[number]:,}; fetch the blob again."
        found.append(Finding("error", "data", text, row_group=number))
    return RowGroupReport(number, tuple(found), noted)


def _column_at_fault(ranges: RangeReader, facts: FooterFacts, number: int) -> str | None:
    """Return the first column that cannot be read alone."""
    for position, field in enumerate(facts.schema):
        try:
            opened = open_parquet(ranges)
            batches = opened.reader.iter_batches(
                _ROWS, row_groups=[number], column_indices=[position], use_threads=False
            )
            for batch in batches:
                batch.validate(full=True)
        except PARQUET_ERRORS:
            return str(field.name)
    return None


def digest_of_remote(file: FileIdentity) -> str:
    """Return the SHA-256 of a file anywhere, which is read in steps of 4 MiB.

    Raises
    ------
    FileError
        If it cannot be read, or changes meanwhile.
    """
    digest = sha256()
    memory = np.empty(STEP, np.uint8)
    with range_reader(file) as ranges:
        ranges.expect([[(0, file.size)]])
        for start in range(0, file.size, STEP):
            part = memory[: min(STEP, file.size - start)]
            ranges.read_into(part, start, "bytes")
            digest.update(part.data)
    return digest.hexdigest()


def check_digest(file: FileIdentity, names: Sequence[Any]) -> list[Finding]:
    """Return errors in the bytes of a file that is named by its digest."""
    try:
        found = digest_of_remote(file)
    except AkdaskError as error:
        return [Finding("error", "unreadable", " ".join([error.message, *error.details]))]
    return [
        Finding("error", "digest", f"the SHA-256 of the bytes is {found}, not {name}; fetch the blob again.")
        for name in dict.fromkeys(names)
        if found != name
    ]


_AT_ONCE = 64
"""Number of blobs whose footers one task checks."""

_ROWS_OF_TASK = 2**17
"""Rows up to which a blob is checked without tasks."""


@dataclass(frozen=True, slots=True)
class Expectations:
    """Expectations of a blob besides the rules for all blobs.

    Parameters
    ----------
    role : Role, optional
        Role of the array.
    vertices : int, optional
        Number of vertices.
    rows : int, optional
        Rows of the component that the array belongs to.
    active : int, optional
        Number of active cells, which a mask has as many true values of.
    keys : ndarray, optional
        Keys of the lookup table of codes.
    """

    role: Role | None = None
    vertices: int | None = None
    rows: int | None = None
    active: int | None = None
    keys: Any = dataclass_field(default=None, compare=False)


@takes_storage_options
def validate(
    path_or_url: Path,
    description: ArrayDescription | Mapping[str, Any] | None = None,
    *,
    role: str | None = None,
    footer_only: bool = False,
    vertices: int | ArrayDescription | Mapping[str, Any] | None = None,
    rows: int | ArrayDescription | Mapping[str, Any] | None = None,
    active: int | None = None,
    lookup: Any = None,
    storage_options: Mapping[str, Any] | None = None,
) -> list[Finding]:
    """Return all errors and oddities of a blob; computes.

    Any file gives findings rather than an exception.  Row groups of a large blob are checked concurrently, on a cluster
    if there is a client. A blob that is named by its digest is read once more to hash it.

    Parameters
    ----------
    path_or_url : str or path
        The file.
    description : ArrayDescription or mapping, optional
        Expected description of the blob.
    role : str, optional
        Role of the array: see `akdask.evo.kinds`.  By default any value is allowed.
    footer_only : bool, default False
        Check the footer only.
    vertices : int or description, optional
        Number of vertices, or a description of their array: indices must be below.
    rows : int or description, optional
        Number of rows of the array's component, or a description of one of its arrays; for a mask, of cells.
    active : int, optional
        Number of active cells, which a mask has as many true values of.
    lookup : mapping, DataFrame, table or path, optional
        The lookup table of codes, keys first.
    storage_options : mapping of str to value, optional
        Options with which fsspec opens URLs, such as keys or ``anon=True``.

    Returns
    -------
    list of Finding
        Errors and warnings, each with the blob and where there are such with column and row group.

    Raises
    ------
    ArgumentError
        If an argument makes no sense.
    """
    expected = _expectations(role, vertices, rows, active, lookup)
    return _checked(absolute(path_or_url), description, expected, footer_only=footer_only, in_tasks=True)


@takes_storage_options
def validate_many(
    blobs: Iterable[Path] | Mapping[Path, ArrayDescription | Mapping[str, Any] | None],
    *,
    role: str | None = None,
    footer_only: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, list[Finding]]:
    """Return all errors and oddities of very many blobs, by path; computes, in tasks of many blobs each.

    Parameters
    ----------
    blobs : iterable of path, or mapping of path to description
        The files, and their expected descriptions.
    role, footer_only, storage_options
        As in `validate`.

    Returns
    -------
    dict of str to list of Finding
        Findings for each blob; valid blobs are left out.
    """
    expected = _expectations(role, None, None, None, None)
    given = blobs if isinstance(blobs, Mapping) else dict.fromkeys(blobs)
    items = [(absolute(path), description) for path, description in given.items()]
    options = current_options()
    if footer_only and shares_memory() and not any(is_remote(path) for path, _ in items):
        # Threads would wait for Python's lock, and for each other.
        return dict(_check_some(items, expected, footer_only, options))
    step = _AT_ONCE if footer_only else 1
    tasks = [
        dask.delayed(_check_some, pure=False)(items[start : start + step], expected, footer_only, options)
        for start in range(0, len(items), step)
    ]
    parts = dask.compute(*tasks) if tasks else ()
    return {path: findings for part in parts for path, findings in part}


def _check_some(
    items: Sequence[tuple[str, Any]], expected: Expectations, footer_only: bool, options: Any
) -> list[tuple[str, list[Finding]]]:
    """Check some blobs: the function of a task."""
    with accessing(options):
        return [
            (path, _checked(path, description, expected, footer_only=footer_only, in_tasks=False))
            for path, description in items
        ]


def _checked(
    path: str, description: Any, expected: Expectations, *, footer_only: bool, in_tasks: bool
) -> list[Finding]:
    found = _check(path, description, expected, footer_only=footer_only, in_tasks=in_tasks)
    order = sorted(dict.fromkeys(found), key=lambda item: (not item.is_error, item.row_group is not None))
    return [finding.within(path) for finding in order]


def _check(path: str, description: Any, expected: Expectations, *, footer_only: bool, in_tasks: bool) -> list[Finding]:
    found: list[Finding] = []
    try:
        file = identify(path)
    except MissingFileError as error:
        return [Finding("error", "missing", error.message)]
    except AkdaskError as error:
        return [Finding("error", "unreadable", error.message)]
    facts, found = check_footer(file)
    described = None
    if description is not None:
        described, some = check_description(facts, description)
        found += some
    if facts is not None:
        found += _of_footer(facts, expected)
    if footer_only:
        return found
    names = [os.path.basename(path).lower(), None if described is None else described.data]
    digests = [name for name in names if is_digest(name)]
    if facts is not None and _can_be_read(facts):
        reports, rules = _of_data(facts, expected, in_tasks=in_tasks)
        counted = {(item.code, item.column, item.row_group) for report in reports for item in report.findings}
        found = [
            item for item in found if item.code != "null" or (item.code, item.column, item.row_group) not in counted
        ]
        found += [finding for report in reports for finding in report.findings]
        found += conclude([report.facts for report in reports], rules, facts.schema.names[0])
    return found + (check_digest(file, digests) if digests else [])


def _of_footer(facts: FooterFacts, expected: Expectations) -> list[Finding]:
    found: list[Finding] = []
    if expected.role is not None:
        found += check_role(facts, expected.role)
    if expected.rows is not None:
        is_mask = expected.role is not None and expected.role.name == "mask"
        found += check_rows(facts, expected.rows, "cells" if is_mask else "rows of the component")
    return found


def _can_be_read(facts: FooterFacts) -> bool:
    """Whether the blob has values that Arrow can safely read."""
    return len(facts.schema) > 0 and len(facts.chunks) == len(facts.schema) and not facts.chunks["problem"].any()


def _of_data(
    facts: FooterFacts, expected: Expectations, *, in_tasks: bool
) -> tuple[Sequence[RowGroupReport], ContentRules]:
    role = expected.role or ROLES["attribute"]
    rules = ContentRules(role, facts.kind or "", expected.vertices, expected.keys, expected.active)
    numbers = range(len(facts.rows))
    if not in_tasks or len(numbers) == 1 or (facts.nrows <= _ROWS_OF_TASK and default_client() is None):
        return [check_row_group(facts, number, rules) for number in numbers], rules
    shared = dask.delayed((facts, rules), pure=False, traverse=False)
    tasks = [dask.delayed(_check_group, pure=False)(shared, number) for number in numbers]
    return dask.compute(*tasks), rules


def _check_group(shared: tuple[FooterFacts, ContentRules], number: int) -> RowGroupReport:
    return check_row_group(shared[0], number, shared[1])


def _expectations(role: str | None, vertices: Any, rows: Any, active: Any, lookup: Any) -> Expectations:
    table = lookup_of(lookup)
    return Expectations(
        None if role is None else role_named(role),
        _count("vertices", vertices),
        _count("rows", rows),
        _count("active", active),
        None if table is None else np.sort(table.keys.to_numpy()),
    )


def _count(name: str, value: Any) -> int | None:
    if isinstance(value, Mapping | ArrayDescription):
        return ArrayDescription.from_json(value).length
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ArgumentError(f"{name} is a whole number from 0 on, not {value!r:.100}.")
    return int(value)
