"""Pages of bits, packed by gzip: codes of dictionaries and truth values, beside their definition levels."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from akdask.columns.arrow import arrow_numbers, numpy_numbers
from akdask.deferred import pc
from akdask.formats.parquet import loops
from akdask.formats.parquet.thrift import Fields, changed_fields, read_fields, write_fields
from akdask.formats.tuning import PARQUET_PAGE_ROWS

_SAMPLE_BYTES = 2**12
"""Bytes of a page that are packed in both ways to see which is smaller."""

_FEW_REPEATS = 0.99
"""Part of its size that LZ4 leaves of a page that hardly repeats; LZ4 looks as far back as gzip, in a fiftieth of the
time."""

_GZIP_WINDOW, _MOST_MEMORY = 31, 9
"""Arguments of zlib: a header of gzip, and blocks of the largest size, each of which has its own lengths of codes."""

_NUMBERED_RANGE = 2**16
"""Range of integers that are numbered by a table of all in it, which fits into a cache; others are by a hash table."""

_TYPE, _UNPACKED_SIZE, _PACKED_SIZE, _DATA = 1, 2, 3, 5
"""Fields of the header of a page: its type, sizes, and what a page of data has."""

_DICTIONARY_TYPE = 2

_VALUES, _STATISTICS = 1, 5
"""Fields of a page of data: the number of its values, with nulls, and their extremes, which need not be told."""


class Page(NamedTuple):
    """A packed page with its header, and the bytes that both have if the page is not packed."""

    data: bytes
    unpacked: int


def codes_of(values: pa.ChunkedArray) -> tuple[Any, pa.Array]:
    """Return the positions of values in their dictionary, int32, and the dictionary: each value where it comes first.

    Parameters
    ----------
    values : pyarrow.ChunkedArray
        At least one, none of them null.

    Examples
    --------
    >>> positions, dictionary = codes_of(pa.chunked_array([[7, 9, 7]]))
    >>> positions.tolist(), dictionary.to_pylist()
    ([0, 1, 0], [7, 9])
    """
    if pa.types.is_int32(values.type) or pa.types.is_int64(values.type):
        low, high = pc.min_max(values).as_py().values()
        if high - low < _NUMBERED_RANGE:
            numbers = numpy_numbers(values.combine_chunks())
            positions = np.empty(len(numbers), np.int32)
            distinct = np.empty(high - low + 1, numbers.dtype)
            count = loops.number_values(numbers, low, np.empty(len(distinct), np.int32), distinct, positions)
            return positions, arrow_numbers(distinct[:count])
    encoded = values.dictionary_encode()
    positions = pa.chunked_array([chunk.indices for chunk in encoded.chunks], pa.int32()).combine_chunks()
    return numpy_numbers(positions), encoded.chunk(0).dictionary  # each chunk has the dictionary of all


def packed_pages(model: bytes, values: Any, width: int, valid: Any, level: int, *, is_optional: bool) -> Iterator[Page]:
    """Yield the packed pages of a column chunk.

    Parameters
    ----------
    model : bytes
        Pages that are not packed: the dictionary, if there is one, and data of any number of rows.
    values : numpy.ndarray
        Those that are not null: positions in the dictionary, int32, or truth values, bool.
    width : int
        Bits of a position.
    valid : numpy.ndarray
        Which rows are not null, shape (n,), bool.
    level : int
        Level of gzip where a page repeats.
    is_optional : bool
        Whether the column may have nulls.
    """
    header, size = read_fields(model)
    prefix = b""
    if header[_TYPE].value == _DICTIONARY_TYPE:
        stop = size + header[_UNPACKED_SIZE].value
        yield _page(header, model[size:stop], level)
        header, _ = read_fields(model[stop:])
        prefix = bytes([width])
    fields = {number: field for number, field in header[_DATA].value.items() if number != _STATISTICS}
    stop = 0
    for first in range(0, len(valid), PARQUET_PAGE_ROWS):
        rows = valid[first : first + PARQUET_PAGE_ROWS]
        start, stop = stop, stop + int(np.count_nonzero(rows))
        levels = _runs(rows.astype(np.int32), 1) if is_optional else b""
        part = values[start:stop]
        body = b"".join(
            [
                len(levels).to_bytes(4, "little") if is_optional else b"",
                levels,
                prefix,
                _runs(part, width) if prefix else np.packbits(part, bitorder="little").tobytes(),
            ]
        )
        yield _page(changed_fields(header, {_DATA: changed_fields(fields, {_VALUES: len(rows)})}), body, level)


def _runs(positions: Any, width: int) -> bytes:
    packed = np.empty((len(positions) // 8 + 1) * (width + 6) + 16, np.uint8)
    return packed[: loops.pack_positions(positions, width, packed)].tobytes()


def _page(header: Fields, body: bytes, level: int) -> Page:
    packed = gzipped(body, level)
    head = write_fields(changed_fields(header, {_UNPACKED_SIZE: len(body), _PACKED_SIZE: len(packed)}))
    return Page(head + packed, len(head) + len(body))


def gzipped(data: bytes, level: int) -> bytes:
    """Return bytes packed by gzip, without a search for repeats where they hardly repeat.

    There, codes of single bytes are as short as those of a search, in a third of its time.  A sample packed in both
    ways tells whether they are, and LZ4 whether all of the bytes are such.

    Examples
    --------
    >>> zlib.decompress(gzipped(b"granite" * 9, 6), 31) == b"granite" * 9
    True
    """
    strategy = zlib.Z_HUFFMAN_ONLY if _has_few_repeats(data, level) else zlib.Z_DEFAULT_STRATEGY
    return _deflated(data, level, strategy)


def _has_few_repeats(data: bytes, level: int) -> bool:
    if pa.compress(data, "lz4_raw").size < _FEW_REPEATS * len(data):
        return False
    sample = data[:_SAMPLE_BYTES]
    searched = _deflated(sample, level, zlib.Z_DEFAULT_STRATEGY)
    return len(_deflated(sample, level, zlib.Z_HUFFMAN_ONLY)) <= len(searched)


def _deflated(data: bytes, level: int, strategy: int) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, _GZIP_WINDOW, _MOST_MEMORY, strategy)
    return packer.compress(data) + packer.flush()
