"""Pages of 64-bit numbers, unpacked and decoded one after the other while other threads run.

Each page has definition levels, if nulls are allowed, and then plain numbers or positions in a dictionary; it may be
compressed by Snappy.  Every claim of the bytes is checked against the available data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.compiler import compiled, read_only
from akdask.formats.parquet.bit_packed_loops import WIDEST, look_up_some
from akdask.formats.parquet.page_fields import PageField
from akdask.operators.keys.loop_words import CHUNK, Text, copy_chunk, put_word, word_at
from akdask.typing import NumberArray

_WORD = 8

MARGIN = 2 * CHUNK
"""Bytes read and written beyond the end of packed and unpacked data."""

_FIRST, _NROWS, _OFFSET, _PACKED = map(int, (PageField.FIRST, PageField.NROWS, PageField.OFFSET, PageField.PACKED))
_UNPACKED, _LEVELS = int(PageField.UNPACKED), int(PageField.LEVELS)
_IS_PACKED, _IS_PLAIN = int(PageField.IS_PACKED), int(PageField.IS_PLAIN)


def decode_pages(
    data: NumberArray,
    base: int,
    pages: NumberArray,
    words: NumberArray,
    nwords: int,
    memory: NumberArray,
    start: int,
    out: NumberArray,
    *,
    is_optional: bool,
) -> int:
    """Fill an array with numbers of pages; return the number of pages done, before the first unsupported one.

    Parameters
    ----------
    data : ndarray of uint8
        The bytes of the pages, and `MARGIN` more.
    base : int
        Where these are in the file.
    pages : ndarray of int64, shape (npages, 10)
        The pages that have the numbers, with the columns of `PageField`.
    words : ndarray of uint64
        The dictionary, followed by any numbers; at least one.
    nwords : int
        How many of them are the dictionary.
    memory : ndarray of uint8
        Room for a page unpacked, and `MARGIN` more.
    start : int
        The row of the first number that is wanted.
    out : ndarray of uint64
        The decoded numbers. An unsupported page gives none.
    is_optional : bool
        Whether pages have definition levels.
    """
    octets = out.view(np.uint8)
    return int(_decode(read_only(data), base, pages, read_only(words), nwords, memory, start, out, octets, is_optional))


@compiled
def _decode(
    data: Text,
    base: int,
    pages: NumberArray,
    words: NumberArray,
    nwords: int,
    memory: Text,
    start: int,
    out: NumberArray,
    octets: Text,
    is_optional: bool,
) -> int:
    """Implement `decode_pages`; `octets` are the bytes of `out`."""
    stop = start + len(out)
    for number in range(len(pages)):
        page = pages[number]
        at = page[_OFFSET] - base
        last = at + page[_PACKED]
        text = data
        levels = page[_LEVELS] if page[_LEVELS] > 0 else 0
        # Levels of pages of the second version come first, and are not packed.
        if is_optional and page[_LEVELS] >= 0:
            at = _behind_levels(text, at, last, page[_LEVELS], page[_NROWS])
            if at < 0:
                return number
        else:
            at += levels
        if page[_IS_PACKED]:
            if at > last or not _unpack(data, at, last, memory, page[_UNPACKED] - levels):
                return number
            text, at, last = memory, 0, page[_UNPACKED] - levels
        if is_optional and page[_LEVELS] < 0:
            at = _behind_levels(text, at, last, page[_LEVELS], page[_NROWS])
            if at < 0:
                return number
        # The wanted rows of the page, and their place in the output.
        first = max(start - page[_FIRST], 0)
        end = min(stop - page[_FIRST], page[_NROWS])
        target = out[page[_FIRST] + first - start : page[_FIRST] + end - start]
        if page[_IS_PLAIN]:
            if page[_NROWS] * _WORD > last - at:
                return number
            place = np.uint64(at + first * _WORD)
            into = np.uint64(_WORD * (page[_FIRST] + first - start))
            size = np.uint64(_WORD * len(target))
            aligned = size - size % np.uint64(CHUNK)
            # Plain numbers are copied, in chunks as far as these fit and then word by word.
            for ahead in range(np.uint64(0), aligned, np.uint64(CHUNK)):
                copy_chunk(text, place + ahead, octets, into + ahead)
            for ahead in range(aligned, size, np.uint64(_WORD)):
                put_word(octets, into + ahead, word_at(text, place + ahead))
            continue
        # Positions in the dictionary: their width in bits, then runs.
        if (
            at >= last
            or text[at] > WIDEST
            or not look_up_some(text, at + 1, last, text[at], words, nwords, first, target)
        ):
            return number
    return len(pages)


@compiled
def _behind_levels(text: Text, at: int, last: int, size: Any, nrows: int) -> int:
    """Return the offset of values behind levels without nulls; -1 for other levels."""
    if size < 0:
        if last - at < 4:
            return -1
        size = np.int64(word_at(text, np.uint64(at)) & np.uint64(2**32 - 1))
        at += 4
    if size > last - at:
        return -1
    # The levels must be one run of ones as long as the page: a varint of the length, then the repeated level.
    header: Any = 0
    shift, place = 0, at
    while True:
        if place >= at + size or shift > 35:
            return -1
        byte = np.int64(text[place])
        place += 1
        header |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if header & 1 or header >> 1 < nrows or place >= at + size or text[place] != 1:
        return -1
    return int(at + size)


@compiled
def _unpack(data: Text, at: Any, last: int, memory: Text, size: int) -> bool:
    """Unpack Snappy data; False unless its length agrees with its header and the page."""
    # A varint of the unpacked length comes first.
    claimed: Any = 0
    shift = 0
    while True:
        if at >= last or shift > 28:
            return False
        byte = np.int64(data[at])
        at += 1
        claimed |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if claimed != size or size > len(memory) - MARGIN:
        return False
    into: Any = 0
    while at < last:
        tag = np.int64(data[at])
        at += 1
        if not tag & 3:
            # A literal: its length is in the tag, or in one to four bytes behind it.
            length: Any = (tag >> 2) + 1
            if length > 60:
                extra = length - 60
                if extra > last - at:
                    return False
                mask = (np.uint64(1) << np.uint64(8 * extra)) - np.uint64(1)
                length = np.int64(word_at(data, np.uint64(at)) & mask) + 1
                at += extra
            if length > last - at or length > size - into:
                return False
            # Bytes copied beyond the end are overwritten, or lie in the margin.
            for ahead in range(0, length, CHUNK):
                copy_chunk(data, np.uint64(at + ahead), memory, np.uint64(into + ahead))
            at += length
        else:
            # A copy of earlier output, `back` bytes before; it may overlap what it writes.
            nbytes = 1 << (tag & 3) >> 1
            if nbytes > last - at:
                return False
            if nbytes == 1:
                length = 4 + ((tag >> 2) & 7)
                back = (tag >> 5) << 8 | np.int64(data[at])
            else:
                length = (tag >> 2) + 1
                back = np.int64(word_at(data, np.uint64(at)) & ((np.uint64(1) << np.uint64(8 * nbytes)) - np.uint64(1)))
            at += nbytes
            if not 0 < back <= into or length > size - into:
                return False
            if back >= _WORD:
                # Bytes written beyond the end are overwritten, or lie in the margin.
                for ahead in range(0, length, _WORD):
                    put_word(memory, np.uint64(into + ahead), word_at(memory, np.uint64(into + ahead - back)))
            else:
                for ahead in range(length):
                    memory[into + ahead] = memory[into + ahead - back]
        into += length
    return bool(into == size)
