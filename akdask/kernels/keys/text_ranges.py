"""Strings split into few ranges as codes, and the order of codes: for sorts of text, or of its row numbers, alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from akdask.columns import new_array
from akdask.deferred import pa
from akdask.kernels import compiled
from akdask.kernels.core.string_layout import CodesOfRows, StringLayout
from akdask.kernels.core.words import LAST, Words
from akdask.kernels.keys.sort import argsort
from akdask.kernels.keys.string_codes import codes_of, strings_of
from akdask.kernels.keys.value_ranges import by_number, number_words
from akdask.typing import NumberArray


class TextRanges:
    """Ranges of strings, which begin at splitters.

    Parameters
    ----------
    layout : StringLayout
        That of all strings.
    splitters : large_string array
        Where the second and all further ranges begin; in order.
    rows : ndarray of int64
        Numbers of the rows from which on strings equal to a splitter belong to its range.
    ascending : bool
        The direction.

    Examples
    --------
    >>> strings = pa.array(["gate 07", "gate 11", "gate 01"], pa.large_string())
    >>> layout = StringLayout((0x6761746520303700,), (0x070700,), 7, 7)
    >>> ranges = TextRanges(layout, strings[:1], np.zeros(1, np.int64), True)
    >>> codes, rows, bounds = ranges.split(strings, 0)
    >>> ordered_strings([codes], layout, True).to_pylist(), rows.tolist(), bounds
    (['gate 01', 'gate 07', 'gate 11'], [2, 0, 1], [0, 1, 3])
    """

    def __init__(
        self, layout: StringLayout, splitters: pa.LargeStringArray, rows: NumberArray, ascending: bool
    ) -> None:
        self.layout, self._rows, self._ascending = layout, rows, ascending
        self._splitters = self._codes(splitters)

    def split(self, strings: pa.LargeStringArray, first: int) -> tuple[list[Words], NumberArray, list[int]]:
        """Return the codes of strings and the numbers of their rows by range, and the bounds of the ranges.

        Parameters
        ----------
        strings : large_string array
            At most as many as stay in the cache of the core.
        first : int
            The number of the row of the first one; the others follow one another.

        Returns
        -------
        list of ndarray of uint64
            The most significant first; in descending order of the strings all bits are the other way round.
        ndarray of int64
        list of int
        """
        codes = self._codes(strings)
        numbers = np.empty(len(strings), np.uint8)
        counts = np.zeros(len(self._rows) + 1, np.int64)
        self._number(codes, first, numbers, counts)
        bounds = list(accumulate(counts.tolist(), initial=0))
        rows = by_number(numbers, np.arange(first, first + len(strings)), bounds)
        return [by_number(numbers, part, bounds) for part in codes], rows, bounds

    def _number(self, codes: CodesOfRows, first: int, numbers: NumberArray, counts: NumberArray) -> None:
        """Count for each row, the first of which has a number, the splitters that are not after it, and count those."""
        if compiled.should_compile(len(numbers)):
            from akdask.kernels.compiled.compiler import read_only
            from akdask.kernels.compiled.keys.value_ranges import number_equals

            number_words(codes[0], np.uint64(0), self._splitters[0], numbers, np.zeros(len(self._rows), np.uint64))
            number_equals(codes, read_only(self._splitters), read_only(self._rows), first, numbers, counts)
            return
        numbers[:] = 0
        for number, row in enumerate(self._rows.tolist()):
            is_beyond = np.arange(first, first + len(numbers)) >= row
            for mine, its in zip(codes[::-1], self._splitters[::-1, number], strict=True):
                is_beyond = (mine > its) | ((mine == its) & is_beyond)
            numbers += is_beyond
        counts += np.bincount(numbers, minlength=len(counts))

    def _codes(self, strings: pa.LargeStringArray) -> CodesOfRows:
        codes = codes_of(strings, self.layout) if len(strings) else np.empty((len(self.layout.parts), 0), np.uint64)
        return codes if self._ascending else np.bitwise_xor(codes, LAST, out=codes)


def ordered_strings(parts: Sequence[Sequence[Words]], layout: StringLayout, ascending: bool) -> pa.LargeStringArray:
    """Return the strings of all codes in order; the codes of each part are as `TextRanges` returns them."""
    codes = [_joined(words) for words in zip(*parts, strict=True)]
    if len(codes) == 1:
        codes[0].sort()
    else:
        order = argsort(codes, [True] * len(codes))
        # By mode "clip" alone NumPy writes to `out` without a copy; the positions are right.
        codes = [words.take(order, out=new_array(len(order), np.uint64), mode="clip") for words in codes]
    if not ascending:
        for words in codes:
            np.bitwise_xor(words, LAST, out=words)
    return strings_of(layout, codes)


def ordered_rows(parts: Sequence[Sequence[Words]], rows: Sequence[NumberArray]) -> NumberArray:
    """Return the row numbers of all codes in the order of these; equal ones stay as they are."""
    codes = [_joined(words) for words in zip(*parts, strict=True)]
    order = argsort(codes, [True] * len(codes))
    return _joined(rows).take(order, out=new_array(len(order), np.int64), mode="clip")


def _joined(parts: Sequence[NumberArray]) -> NumberArray:
    """Return a copy of several parts, end to end, in memory that was in use before."""
    return np.concatenate(parts, out=new_array(sum(map(len, parts)), parts[0].dtype))
