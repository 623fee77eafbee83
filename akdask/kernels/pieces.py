"""Rows divided by ranges of their keys into pieces that fit the processor's cache, where grouping is much faster.

Sorting a few million rows spends most of its time fetching values from memory in the order of the keys.  Rows are
therefore first brought near their place, a block at a time, and each piece is grouped for itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from akdask.columns import Table, slice_rows, take_rows
from akdask.kernels.keys import WORD_BITS, Key, combine, span, word
from akdask.typing import Column, NumberArray

PIECE_ROWS = 2**16
"""Rows of a piece, about."""

BLOCK_BITS = 17
BLOCK_ROWS = 2**BLOCK_BITS
"""Rows that are brought near their place at a time."""

MOST_BITS = 10
"""Leading bits of the keys that tell pieces apart, at most: of more pieces, too little comes from each block."""


def scattered(keys: Sequence[Column], columns: Sequence[Column]) -> list[list[Column]] | None:
    """Return the columns in pieces whose keys do not overlap, in the order of the keys; rows of a piece stay in order.

    None where the first key does not fit one word, or where there are too few rows.
    """
    nrows = len(keys[0])
    wanted = min((nrows // PIECE_ROWS).bit_length(), MOST_BITS)
    if wanted < 2:
        return None
    spans, bits = _leading_spans(keys)
    if bits <= wanted:
        return None
    keys = keys[: len(spans)]
    blocks = []
    for start in range(0, nrows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, nrows)
        blocks.append(_by_piece(_leading_bits(keys, spans, start, stop, wanted), 2**wanted))
    counts = sum(np.diff(bounds) for _, bounds in blocks)
    starts = np.cumsum(counts) - counts
    # Columns may be keys and values at once.
    placed = {id(column): _scatter(column, blocks, starts) for column in columns}
    bounds = zip(starts.tolist(), (starts + counts).tolist(), strict=True)
    return [
        [slice_rows(placed[id(column)], start, stop) for column in columns] for start, stop in bounds if stop > start
    ]


def _scatter(column: Column, blocks: Sequence[tuple[NumberArray, NumberArray]], starts: NumberArray) -> Column:
    """Return a column with its rows in the order of the pieces."""
    if not isinstance(column, np.ndarray):
        rows = np.arange(len(column))
        return take_rows(column, np.asarray(_scatter(rows, blocks, starts)))
    target = np.empty_like(column)
    places = starts.tolist()
    for number, (rows, bounds) in enumerate(blocks):
        near = column[number * BLOCK_ROWS : (number + 1) * BLOCK_ROWS].take(rows)
        first = 0
        for piece, last in enumerate(bounds[1:].tolist()):
            if last > first:
                place = places[piece]
                places[piece] = place + last - first
                target[place : place + last - first] = near[first:last]
                first = last
    return target


def _leading_spans(keys: Sequence[Column]) -> tuple[list[tuple[int, int]], int]:
    """Return the smallest and the largest word of as many leading keys as fit one word together, and their bits."""
    spans, bits = [], 0
    for key in keys:
        found = span(key)
        if found is None or bits + (found[1] - found[0]).bit_length() > WORD_BITS:
            break
        spans.append(found)
        bits += (found[1] - found[0]).bit_length()
    return spans, bits


def _leading_bits(
    keys: Sequence[Column], spans: Sequence[tuple[int, int]], start: int, stop: int, wanted: int
) -> NumberArray:
    """Return which piece each row of a block belongs to."""
    parts = [
        Key(word(slice_rows(key, start, stop), 0), low, (high - low).bit_length())
        for key, (low, high) in zip(keys, spans, strict=True)
    ]
    key = combine(parts)
    assert key is not None, "keys that do not fit one word are not scattered"
    return np.right_shift(key.codes, np.uint64(key.bits - wanted), out=key.codes)


def _by_piece(piece: NumberArray, count: int) -> tuple[NumberArray, NumberArray]:
    """Return the rows of a block ordered by piece, and where each piece begins and ends among them."""
    packed = piece.astype(np.uint32)
    packed <<= np.uint32(BLOCK_BITS)
    packed |= np.arange(len(packed), dtype=np.uint32)
    packed.sort()
    bounds = np.searchsorted(packed, np.arange(count, dtype=np.uint32) << np.uint32(BLOCK_BITS))
    packed &= np.uint32(BLOCK_ROWS - 1)
    return packed.view(np.int32), np.append(bounds, len(packed))


def sliced(tables: Sequence[Table]) -> list[list[Table]]:
    """Return tables that are sorted by column 0 in slices whose values there do not overlap, in their order."""
    longest = max(tables, key=lambda table: table.nrows)
    first = longest.columns[0]
    total = sum(table.nrows for table in tables)
    count = total // PIECE_ROWS
    if count < 2 or not isinstance(first, np.ndarray):
        return [list(tables)]
    marks = first[np.linspace(0, longest.nrows, count, endpoint=False).astype(np.int64)[1:]]
    cuts = [[0, *np.searchsorted(table.columns[0], marks).tolist(), table.nrows] for table in tables]
    lots = (
        [table.slice(ends[number], ends[number + 1]) for table, ends in zip(tables, cuts, strict=True)]
        for number in range(count)
    )
    return [used for lot in lots if (used := [table for table in lot if table.nrows])]


assert BLOCK_BITS + MOST_BITS <= WORD_BITS // 2, "pieces and rows of a block are packed into 32 bits"
