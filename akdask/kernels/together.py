"""Groups of rows of several lots by one key, found by compiled loops where the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.kernels import compiled
from akdask.kernels.collapse import Collapse
from akdask.kernels.grouping import CELLS_PER_ROW
from akdask.kernels.keys import SIGN, WORD_BITS, Words, row_bits
from akdask.kernels.lanes import Lanes, readable
from akdask.kernels.output import Output
from akdask.typing import Column

Codes: TypeAlias = npt.NDArray[np.int32]


def group_together(collapse: Collapse, lots: Sequence[Sequence[Column]], low: int, bits: int, output: Output) -> bool:
    """Append the groups of some rows, sorted by key; False where compiled loops do not do it, and nothing is appended.

    Parameters
    ----------
    collapse : Collapse
        What is computed.
    lots : sequence of sequences of columns
        The key and the values of each lot of rows; at least one.
    low : int
        The smallest word that a key may have.
    bits : int
        All words are less than ``2 ** bits`` from there.
    output : Output
        Of groups whose keys are smaller.
    """
    key, *values = lots[0]
    nrows = sum(len(lot[0]) for lot in lots)
    is_integer = isinstance(key, np.ndarray) and key.dtype in (np.int64, np.uint64)
    if not nrows or not is_integer or not Lanes.knows(collapse, values) or not compiled.pays(nrows):
        return False
    # Words count from the smallest number that there is, keys from 0.
    first = np.uint64(low) ^ SIGN if key.dtype == np.int64 else np.uint64(low)
    keys = [readable(lot[0]).view(np.uint64) for lot in lots]
    in_cells = 1 << bits <= CELLS_PER_ROW * nrows
    numbered = _cells(keys, first, 1 << bits) if in_cells else _numbers(keys, first, bits, nrows)
    if numbered is None:
        return False
    codes, words = numbered
    lanes = Lanes(collapse, len(words), values)
    for codes_of_lot, (_, *of_lot) in zip(codes, lots, strict=True):
        lanes.add(codes_of_lot, of_lot)
    table = collapse.table([(words + first).view(key.dtype)], lanes.states())
    if in_cells:
        output.add_marked(table, lanes.marks)
    else:
        output.add(table)
    return True


def _cells(keys: Sequence[Words], first: np.uint64, size: int) -> tuple[Iterator[Codes], Words]:
    """Return how far each row's key is from the first for each lot, one of which is used at a time, and all keys."""
    from akdask.kernels.compiled.onepass import encode

    room = np.empty(max(map(len, keys)), np.int32)

    def distances(key: Words) -> Codes:
        codes = room[: len(key)]
        encode(key, first, np.uint64(size), np.uint64(0), codes)
        return codes

    return map(distances, keys), np.arange(size, dtype=np.uint64)


def _numbers(keys: Sequence[Words], first: np.uint64, bits: int, nrows: int) -> tuple[Iterator[Codes], Words] | None:
    """Return the number of each row's key for each lot, and the keys, ascending and counted from the first.

    None where bits that give way to row numbers would change the order, which is seldom.
    """
    from akdask.kernels.compiled.grouping import number_sorted, pack

    shift = row_bits(nrows)
    lost = max(bits + shift - WORD_BITS, 0)
    whole, packed = np.empty((2, nrows), np.uint64)
    bounds = np.cumsum([0, *map(len, keys)]).tolist()
    for key, start in zip(keys, bounds, strict=False):
        pack(key, first, np.uint64(lost), np.uint64(shift), np.uint64(start), whole, packed)
    packed.sort()
    codes, firsts = np.empty(nrows, np.int32), np.empty(nrows, np.int64)
    count = int(number_sorted(packed, np.uint64(shift), whole, not lost, codes, firsts))
    if count < 0:
        return None
    return (codes[start:stop] for start, stop in pairwise(bounds)), whole.take(firsts[:count])
