"""Headers of pages, looked at before anything is unpacked, so that sizes which cannot be true are not believed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.evo.blobs.findings import Finding
from akdask.parquet.metadata.thrift import CutShortError, Struct, ThriftError, integers, read_struct
from akdask.storage.data.ranges import RangeReader

_HEADS = (2**8, 2**12, 2**16, 2**22)
"""Bytes of a header that are tried."""

_MOST_RATIO = 1040
"""More than deflate packs any bytes: 1032 to 1."""

_LARGEST_TEXT = 2**28
"""Bytes of a page of text that are unpacked, a hundred times those of the default."""

_DATA, _INDEX, _DICTIONARY, _DATA_V2 = 0, 1, 2, 3
_OVERHEAD = 2**10


def check_pages(
    ranges: RangeReader, chunk: Any, arrow: Any, name: str, row_group: int, *, gzip: bool
) -> Iterator[Finding]:
    """Yield what is wrong with the headers of the pages of a column chunk; if there is anything, its data is not read.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    chunk : record of dtype `akdask.parquet.metadata.row_groups.CHUNK`
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
    """Return how many bytes a page of so many values has at most."""
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
