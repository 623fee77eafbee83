"""Validate one blob or very many: its footer, the headers of its pages, its values, and its digest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field as dataclass_field
from hashlib import sha256
from typing import Any

import dask
import numpy as np
import pyarrow as pa

from akdask.cluster import default_client, shares_memory
from akdask.errors import AkdaskError, ArgumentError, MissingFileError
from akdask.evo import tuning
from akdask.evo.canonical import canonical_names
from akdask.evo.description import ArrayDescription, is_digest, surplus_keys
from akdask.evo.errors import EvoError
from akdask.evo.findings import ContentRules, Finding, RowFacts, conclude, examine
from akdask.evo.kinds import AS_DESCRIBED, ROLES, TYPES, Role, kind_of_types, role_named, type_name
from akdask.evo.reader import Path, lookup_of
from akdask.formats.parquet.chunks import open_parquet
from akdask.formats.parquet.columns import leaves_of
from akdask.formats.parquet.footers import PARQUET_ERRORS, parsed, read_footer
from akdask.formats.parquet.thrift import (
    CODECS,
    PROBLEMS,
    CutShortError,
    Struct,
    ThriftError,
    integers,
    read_struct,
    row_groups_of,
)
from akdask.records import record
from akdask.storage.files import (
    FileIdentity,
    absolute,
    accessing,
    current_options,
    identify,
    is_remote,
    takes_storage_options,
)
from akdask.storage.ranges import RangeReader, range_reader

_HUGE, _TINY, _MANY = 2**20, 2**13, 8
"""Rows of a row group that are too many, and on average too few where there are more row groups than `_MANY`."""

_MOST_ROWS_PER_BYTE = 2**20

_TAIL = 8

_HEADS = (2**8, 2**12, 2**16, 2**22)
"""Bytes of a header that are tried."""

_MOST_RATIO = 1040
"""More than deflate packs any bytes: 1032 to 1."""

_LARGEST_TEXT = 2**28
"""Limit of unpacked bytes of a page of text, a hundred times the default size."""

_DATA, _INDEX, _DICTIONARY, _DATA_V2 = 0, 1, 2, 3

_OVERHEAD = 2**10


@record
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
    if there is a client. A blob that is named by its digest is read a second time, to hash it.

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
    step = tuning.CHECKED_FOOTERS if footer_only else 1
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
    if not in_tasks or len(numbers) == 1 or (facts.nrows <= tuning.ROWS_WITHOUT_TASKS and default_client() is None):
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


@record
class FooterFacts:
    """The content of a footer.

    Parameters
    ----------
    file : FileIdentity
        The file.
    schema : pyarrow.Schema
        Its columns, as Arrow reads them.
    rows : tuple of int
        Rows of each row group.
    chunks : ndarray, shape (ncolumns, nrowgroups), dtype `akdask.formats.parquet.thrift.CHUNK`
        Where columns lie.
    is_optional : tuple of bool
        Whether columns may be null for the schema.
    kind : str or None
        The kind of array, None if it is none.
    """

    file: FileIdentity
    schema: Any
    rows: tuple[int, ...]
    chunks: Any
    is_optional: tuple[bool, ...]
    kind: str | None

    @property
    def nrows(self) -> int:
        """Rows of all row groups."""
        return sum(self.rows)


def check_footer(file: FileIdentity) -> tuple[FooterFacts | None, list[Finding]]:
    """Return the content of a file's footer, None if unreadable, and its errors."""
    try:
        footer = read_footer(file)
        tree, _ = read_struct(footer)
        metadata = parsed(file.path, footer)
        rows, chunks = row_groups_of(tree, leaves_of(metadata), file.size - _TAIL - len(footer))
        schema = metadata.schema.to_arrow_schema()
        leaves = [metadata.schema.column(number) for number in range(len(metadata.schema))]
    except ThriftError as error:
        return None, [Finding("error", "footer", f"the footer makes no sense: {error}; fetch the blob again.")]
    except AkdaskError as error:
        code = "encrypted" if "encrypted" in error.message else "parquet"
        return None, [Finding("error", code, " ".join([error.message, *error.details]))]
    except PARQUET_ERRORS as error:
        return None, [Finding("error", "footer", f"the footer makes no sense: {error}; fetch the blob again.")]
    if sum(rows.tolist()) > file.size * _MOST_ROWS_PER_BYTE:
        text = f"the footer claims {sum(rows.tolist()):,} rows in {file.size:,} bytes; the blob is damaged or made up."
        return None, [Finding("error", "footer", text)]
    is_flat = len(leaves) == len(schema) and not any(pa.types.is_nested(field.type) for field in schema)
    types = [type_name(field.type) for field in schema]
    kind = kind_of_types([name for name in types if name is not None]) if is_flat and all(types) else None
    facts = FooterFacts(
        file,
        schema,
        tuple(rows.tolist()),
        chunks,
        tuple(leaf.max_definition_level > 0 for leaf in leaves),
        None if kind is None else kind.name,
    )
    found = [
        *_format(tree),
        *_columns(facts, leaves, is_flat=is_flat),
        *_chunks(facts, tree, leaves),
        *_row_groups(facts),
        *_names(facts),
    ]
    return facts, found


def _format(tree: Mapping[int, Any]) -> Iterator[Finding]:
    (version,) = integers(tree, 1)
    if version == 1:
        text = "the file is of Parquet version 1, in which uint32 is int64; write it with version='2.4'."
        yield Finding("error", "version", text)
    elif version < 1:
        yield Finding("error", "version", "the footer tells no version of the format.")
    if 8 in tree or 9 in tree:
        yield Finding("error", "encrypted", "the footer is signed by an encrypting writer; write the blob in plain.")


def _columns(facts: FooterFacts, leaves: Sequence[Any], *, is_flat: bool) -> Iterator[Finding]:
    if not len(facts.schema):
        yield Finding("error", "no-column", "the file has no column; an array has one or more.")
        return
    if not is_flat:
        for field in facts.schema:
            if pa.types.is_nested(field.type):
                yield Finding("error", "nested", f"the column is nested: {field.type}; arrays are flat.", field.name)
        if not any(pa.types.is_nested(field.type) for field in facts.schema):
            yield Finding("error", "nested", "there are nested columns; arrays are flat.")
        return
    bad = False
    for field, leaf in zip(facts.schema, leaves, strict=True):
        if type_name(field.type) is not None:
            continue
        bad = True
        if pa.types.is_timestamp(field.type) or leaf.physical_type == "INT96":
            text = f"times are {field.type}, and not timestamp[us, tz=UTC]; cast them and write the blob again."
            yield Finding("error", "timestamp", text, field.name)
        else:
            text = f"{field.type} is none of the types {', '.join(TYPES)}; cast the column and write the blob again."
            yield Finding("error", "type", text, field.name)
    if not bad and facts.kind is None:
        shown = "/".join(str(type_name(field.type)) for field in facts.schema)
        yield Finding("error", "kind", f"no kind of array has the columns {shown}; see akdask.evo.kinds.KINDS.")


def _chunks(facts: FooterFacts, tree: Mapping[int, Any], leaves: Sequence[Any]) -> Iterator[Finding]:
    for number, group in enumerate(tree.get(4) or []):
        for position, column in enumerate(group.get(1) or []):
            name = leaves[position].path
            chunk = facts.chunks[position, number]
            if 8 in column or 9 in column:
                yield Finding("error", "encrypted", "the column is encrypted; write it in plain.", name, number)
                continue
            if chunk["problem"]:
                text = f"the column cannot be read: {PROBLEMS[int(chunk['problem'])]}; fetch the blob again."
                yield Finding("error", "chunk", text, name, number)
                continue
            codec = CODECS[int(chunk["codec"])]
            if codec != "GZIP":
                text = f"the column is packed by {codec}, not by GZIP; write the blob with compression='gzip'."
                yield Finding("error", "codec", text, name, number)


def _row_groups(facts: FooterFacts) -> Iterator[Finding]:
    for number, nrows in enumerate(facts.rows):
        if nrows > _HUGE:
            text = f"the row group has {nrows:,} rows, so that single rows are far to reach; {_HUGE:,} are enough."
            yield Finding("warning", "huge-row-group", text, row_group=number)
    count = len(facts.rows)
    if count > _MANY and facts.nrows < _TINY * count:
        text = f"there are {count:,} row groups of {facts.nrows // count:,} rows on average; write fewer, larger ones."
        yield Finding("warning", "tiny-row-groups", text)


def _names(facts: FooterFacts) -> Iterator[Finding]:
    names = facts.schema.names
    index = [name for name in names if name.startswith("__index_level_")]
    for name in index:
        yield Finding("warning", "column-names", "the column is the index of a pandas frame; drop it first.", name)
    if facts.kind is not None and not index:
        usual = canonical_names(facts.kind, len(names))
        if tuple(names) != usual:
            text = (
                f"columns are called {', '.join(map(repr, names[:8]))}{', …' if len(names) > 8 else ''}, where akdask"
                f" writes {', '.join(map(repr, usual[:8]))}; names do not count, but change the digest."
            )
            yield Finding("warning", "column-names", text)


def check_description(
    facts: FooterFacts | None, given: ArrayDescription | Mapping[str, Any]
) -> tuple[ArrayDescription | None, list[Finding]]:
    """Return a description, None if invalid, and the differences between it and a footer."""
    found = [
        Finding("error", "description-keys", f"an array of this kind is described without {key!r}; leave it out.")
        for key in (surplus_keys(given) if isinstance(given, Mapping) else [])
    ]
    try:
        description = ArrayDescription.from_json(given)
    except EvoError as error:
        code = "identifier" if type(error).__name__ == "IdentifierError" else "description"
        told = error.details or ("",)
        return None, [Finding("error", code, f"{error.message} {detail}".strip()) for detail in told]
    if description.data is None:
        found.append(Finding("error", "no-data", "the description says that there is no data, and there is a blob."))
    if facts is None:
        return description, found
    if facts.nrows != description.length:
        text = f"there are {facts.nrows:,} rows, the description says {description.length:,}."
        found.append(Finding("error", "length", text))
    width = len(facts.schema)
    if width != len(description.types):
        text = f"there are {width} columns, the description says {len(description.types)}."
        found.append(Finding("error", "width", text))
    else:
        for field, wanted in zip(facts.schema, description.types, strict=True):
            stored = type_name(field.type)
            if stored == AS_DESCRIBED.get(wanted, ""):
                text = f"{stored} is taken for {wanted}; write {wanted}."
                found.append(Finding("warning", f"{stored}-for-{wanted}", text, field.name))
            elif stored != wanted:
                text = f"the column is {field.type}, the description says {wanted}."
                found.append(Finding("error", "data-type", text, field.name))
    return description, found


def check_role(facts: FooterFacts, role: Role) -> Iterator[Finding]:
    """Yield violations of a role that a footer reveals."""
    counts = facts.chunks["nulls"]
    if role.types is not None:
        for field in facts.schema:
            name = type_name(field.type)
            if name in role.types:
                continue
            instead = (role.tolerated or {}).get(str(name))
            if instead is not None:
                text = f"{name} is taken for {instead}; write {instead}."
                yield Finding("warning", f"{name}-for-{instead}", text, field.name)
            else:
                text = f"an array of role {role.name!r} has columns of {' or '.join(role.types)}, not of {field.type}."
                yield Finding("error", "role-type", text, field.name)
    if role.has_nulls or role.name == "lookup" or len(counts) != len(facts.schema):
        return
    for position, field in enumerate(facts.schema):
        for number in range(len(facts.rows)):
            if counts[position, number] > 0:
                text = (
                    f"{int(counts[position, number]):,} values are null, as the footer tells, which {role.name} must"
                    " not have; leave these rows out or give them values."
                )
                yield Finding("error", "null", text, field.name, number)


def check_rows(facts: FooterFacts, rows: int, what: str) -> Iterator[Finding]:
    """Yield an error if the number of rows differs from that of something else."""
    if facts.nrows != rows:
        yield Finding("error", "rows", f"there are {facts.nrows:,} rows for {rows:,} {what}.")


def check_pages(
    ranges: RangeReader, chunk: Any, arrow: Any, name: str, row_group: int, *, gzip: bool
) -> Iterator[Finding]:
    """Yield errors in the page headers of a column chunk.  Its data is read only if there are none.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    chunk : record of dtype `akdask.formats.parquet.thrift.CHUNK`
        Where the pages lie, and how many values they have.
    arrow : pyarrow.DataType
        The type of the column.
    name : str
        Its name.
    row_group : int
        The number of the row group.
    gzip : bool
        Whether pages are packed by gzip.
    """
    at, end = int(chunk["offset"]), int(chunk["offset"]) + int(chunk["size"])
    values, expected = 0, int(chunk["values"])
    try:
        while at < end:
            header, size = _header(ranges, at, end, name)
            packed, unpacked, count = _sizes(header)
            at += size
            if packed < 0 or unpacked < 0 or packed > end - at:
                raise ThriftError(f"a page of {packed:,} bytes lies at byte {at:,}, {end - at:,} before the end")
            limit = _most_bytes(arrow, count)
            if unpacked > limit or (gzip and unpacked > _MOST_RATIO * packed + _OVERHEAD):
                text = (
                    f"a page at byte {at:,} would have {unpacked:,} bytes unpacked, {packed:,} packed, for {count:,}"
                    " values; it is not unpacked, as the blob is damaged or made up."
                )
                yield Finding("error", "page-size", text, name, row_group)
                return
            if integers(header, 1)[0] in (_DATA, _DATA_V2):
                values += count
            at += packed
    except ThriftError as error:
        yield Finding(
            "error", "page", f"headers of pages make no sense: {error}; fetch the blob again.", name, row_group
        )
        return
    if values != expected:
        text = f"pages have {values:,} values, the footer says {expected:,}; fetch the blob again."
        yield Finding("error", "page", text, name, row_group)


def _most_bytes(arrow: Any, count: int) -> int:
    """Return the maximum size in bytes of a page with `count` values."""
    if pa.types.is_string(arrow) or pa.types.is_large_string(arrow):
        return _LARGEST_TEXT
    # Values, levels of up to a byte each, and heads of runs.
    return 10 * count + _OVERHEAD


def _header(ranges: RangeReader, at: int, end: int, name: str) -> tuple[Struct, int]:
    for size in _HEADS:
        memory = np.empty(min(size, end - at), np.uint8)
        ranges.read_into(memory, at, name)
        try:
            return read_struct(memory.tobytes())
        except CutShortError:
            if len(memory) == end - at:
                raise
    raise ThriftError(f"a header at byte {at:,} has more than {_HEADS[-1]:,} bytes")


def _sizes(header: Struct) -> tuple[int, int, int]:
    """Return the bytes of a page, packed and unpacked, and the number of its values."""
    kind, unpacked, packed = integers(header, 1, 2, 3)
    inner = {_DATA: 5, _DICTIONARY: 7, _DATA_V2: 8}.get(kind)
    if inner is None:
        if kind == _INDEX:
            return packed, unpacked, 0
        raise ThriftError(f"a page is of kind {kind}")
    (count,) = integers(header.get(inner), 1)
    if count < 0:
        raise ThriftError("a page does not tell how many values it has")
    return packed, unpacked, count


@record
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
    start, row = sum(map(int, facts.rows[:number])), 0
    try:
        opened = open_parquet(ranges)
        for batch in opened.iter_batches(tuning.CHECKED_ROWS, row_groups=[number], use_threads=False):
            batch.validate(full=True)
            noted = noted.joined(examine(pa.Table.from_batches([batch]), rules, start + row))
            row += batch.num_rows
    except PARQUET_ERRORS as error:
        column = _column_at_fault(ranges, facts, number)
        text = f"values behind row {start + row:,} cannot be read: {str(error).strip() or type(error).__name__}"
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
                tuning.CHECKED_ROWS, row_groups=[number], column_indices=[position], use_threads=False
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
    memory = np.empty(tuning.READ_BYTES, np.uint8)
    with range_reader(file) as ranges:
        ranges.expect([[(0, file.size)]])
        for start in range(0, file.size, tuning.READ_BYTES):
            part = memory[: min(tuning.READ_BYTES, file.size - start)]
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
