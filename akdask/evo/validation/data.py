"""Checks that read a blob: one pass over the values, a row group at a time, and one over the bytes for the digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.errors import AkdaskError
from akdask.evo.blobs.content import ContentRules, RowFacts, examine
from akdask.evo.blobs.findings import Finding
from akdask.evo.identity import STEP
from akdask.evo.validation.footer import FooterFacts
from akdask.evo.validation.pages import check_pages
from akdask.parquet.metadata.footers import PARQUET_ERRORS
from akdask.parquet.metadata.row_groups import CODECS
from akdask.parquet.reading.chunks import open_parquet
from akdask.storage.data.ranges import RangeReader, range_reader
from akdask.storage.paths.files import FileIdentity

_ROWS = 2**18


@dataclass(frozen=True, slots=True)
class RowGroupReport:
    """What a row group was found to be.

    Parameters
    ----------
    number : int
        Its number.
    findings : tuple of Finding
        What is wrong with it.
    facts : RowFacts
        What was noted of its values.
    """

    number: int
    findings: tuple[Finding, ...]
    facts: RowFacts


def check_row_group(facts: FooterFacts, number: int, rules: ContentRules) -> RowGroupReport:
    """Return what one row group is found to be: read in steps, whatever its rows are."""
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
    """Return what is wrong with the bytes of a file that is named by its digest."""
    try:
        found = digest_of_remote(file)
    except AkdaskError as error:
        return [Finding("error", "unreadable", " ".join([error.message, *error.details]))]
    return [
        Finding("error", "digest", f"the SHA-256 of the bytes is {found}, not {name}; fetch the blob again.")
        for name in dict.fromkeys(names)
        if found != name
    ]
