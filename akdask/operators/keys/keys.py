"""Keys: unsigned 64-bit integers in the order of a column's values, and keys packed together with row numbers.

Fast sorting and grouping rest on one trick. NumPy sorts plain uint64 many times faster than it finds the positions that
would sort them, so a row's number travels in the low bits of its key. Only this module decides the key of a column, and
whether key and row number fit 64 bits together.

A number is one word. A string is words of 7 bytes each, with the first byte in the highest place. The lowest byte is
the number of the string's bytes in the word, or 8 if the string goes on. It distinguishes strings that differ by
trailing NUL bytes only. A big integer (Arrow's fixed-size binary: little-endian limbs of 64 bits in two's complement)
is one word for each limb, the highest first. Comparing words one after the other compares values.

All combinations of small integer keys are numbered as slots, without sorting.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.bigint import from_limbs, limbs_of, with_limbs
from akdask.columns.dtypes import FLOAT64, UINT64
from akdask.columns.memory import new_array
from akdask.columns.table import by_column, of_arrow
from akdask.deferred import is_arrow, pa
from akdask.engine.operations import Operation, wide_integers
from akdask.errors import ArgumentTypeError
from akdask.operators.keys import loops
from akdask.records import record
from akdask.typing import Column, NumberArray

Words: TypeAlias = npt.NDArray[np.uint64]
"""One word for each row."""

WORD_BITS = 64
TEXT_BYTES = 7
"""Bytes of a string in one word."""

SIGN = np.uint64(1 << 63)
LAST = np.uint64(2**64 - 1)
"""The word of NaN and of missing times, which sorts last in both directions."""

VACANT = np.uint64(2**64 - 1)
"""The word of an empty slot of an open-addressing table, where every search ends."""

FIRST = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xD6E8FEB86659FD93)
"""Factors that mix the bits of words."""

HALF = np.uint64(32)
LAST_BITS = np.uint64(2**32 - 1)


ONE = np.uint64(1)
WIDTH_MASK = np.uint64(63)


def _bits(values: Any) -> Any:
    return None if values is None else values.view(np.uint64)


def _popcount(values: Any, out: Any = None) -> Any:
    # NumPy counts the ones of the absolute value of signed integers, so they are counted as unsigned.
    return np.bitwise_count(_bits(values), out=out, dtype=np.uint8).astype(values.dtype, copy=False)


def _parity(values: Any, out: Any = None) -> Any:
    ones = _popcount(values, out=out)
    return np.bitwise_and(ones, ones.dtype.type(1), out=out)


def _clz(values: Any, out: Any = None) -> Any:
    """Fill every place below the leading one with ones; the remaining zeros are the leading ones."""
    filled = np.bitwise_or(_bits(values), _bits(values) >> ONE, out=_bits(out))
    for shift in (2, 4, 8, 16, 32):
        filled = np.bitwise_or(filled, filled >> np.uint64(shift), out=_bits(out))
    return _popcount(np.invert(filled, out=_bits(out)).view(values.dtype), out=out)


def _ctz(values: Any, out: Any = None) -> Any:
    """Arkouda defines ``ctz(0)`` as 0."""
    bits = _bits(values)
    below = np.subtract(bits & -bits, bits != 0, out=_bits(out), dtype=np.uint64)
    return _popcount(below.view(values.dtype), out=out)


def _rotate_left(values: Any, count: Any, out: Any = None) -> Any:
    bits, count = _bits(values), _bits(count)
    upper = np.left_shift(bits, count & WIDTH_MASK, out=_bits(out))
    return np.bitwise_or(upper, bits >> (-count & WIDTH_MASK), out=_bits(out)).view(values.dtype)


def _rotate_right(values: Any, count: Any, out: Any = None) -> Any:
    return _rotate_left(values, -_bits(count), out=out)


def _missing_first(values: Any, out: Any = None) -> Any:
    """Return unsigned integers in the order of floats, whose NaN come first: their words end with that of NaN."""
    return np.add(word(np.atleast_1d(values), 0), ONE, out=out).reshape(np.shape(values))


BIT_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("popcount", 1, wide_integers, _popcount),
        Operation("parity", 1, wide_integers, _parity),
        Operation("clz", 1, wide_integers, _clz),
        Operation("ctz", 1, wide_integers, _ctz),
        Operation("rotl", 2, wide_integers, _rotate_left),
        Operation("rotr", 2, wide_integers, _rotate_right),
        Operation("missing_first", 1, lambda dtype: UINT64 if dtype == FLOAT64 else None, _missing_first),
    )
}


@record
class Key:
    """Words in the order of the rows' values.

    Parameters
    ----------
    codes : ndarray of uint64
        One word for each row.
    low : int
        The smallest of them, 0 if there are none.
    bits : int
        Width of the range: bits of the largest after subtracting `low`.
    exact : bool
        Whether equal codes mean equal values; False where a string or big integer has further words.

    Examples
    --------
    >>> key = ordered(np.array([7, 5, 6]))
    >>> (key.codes - np.uint64(key.low)).tolist(), key.bits, key.exact
    ([2, 0, 1], 2, True)
    """

    codes: Words
    low: int
    bits: int
    exact: bool = True

    @classmethod
    def of(cls, codes: Words, exact: bool = True) -> Key:
        """Return the key of words whose range is unknown."""
        low, high = least_and_most(codes) if len(codes) else (0, 0)
        return cls(codes, low, (high - low).bit_length(), exact)


def ordered(column: Column, ascending: bool = True) -> Key:
    """Return the key of a column: its values in order, or their first words where they have several.

    Parameters
    ----------
    column : ndarray of numbers or bool, datetime64 or timedelta64; Arrow large_string, or fixed-size binary of limbs
        ``-0.0`` equals ``0.0``; all NaN are equal, and come last in both directions.  Strings are ordered by their
        bytes.
    ascending : bool
        Order of the codes.

    Returns
    -------
    Key
        Exact unless the values have more than one word.
    """
    return Key.of(word(column, 0, ascending), exact=word_count(column) == 1)


def combine(keys: Sequence[Key]) -> Key | None:
    """Return one key of several columns, the first the most significant; None if they do not fit 64 bits together.

    Codes of the result begin at 0. Only the last key may be inexact.

    Examples
    --------
    >>> combine([ordered(np.array([1, 0, 0])), ordered(np.array([5, 9, 6]))]).codes.tolist()
    [8, 4, 1]
    """
    bits = sum(key.bits for key in keys)
    if bits > WORD_BITS or not all(key.exact for key in keys[:-1]):
        return None
    codes = _counted_from(keys[0])
    for key in keys[1:]:
        loops.append_bits(np.ascontiguousarray(key.codes), key.low, 0, key.bits, codes)
    return Key(codes, 0, bits, keys[-1].exact)


def lead(keys: Sequence[Key]) -> Words:
    """Return as many leading bits of several keys as fit a word.

    Examples
    --------
    >>> first, second = Key.of(np.array([4, 7], np.uint64)), Key.of(np.array([0, 2**63], np.uint64))
    >>> [hex(code) for code in lead([first, second]).tolist()]
    ['0x0', '0xe000000000000000']
    """
    codes, free = _counted_from(keys[0]), WORD_BITS - keys[0].bits
    for key in keys[1:]:
        taken = min(key.bits, free)
        if taken:
            loops.append_bits(np.ascontiguousarray(key.codes), key.low, key.bits - taken, taken, codes)
        free -= taken
    return codes


def span(column: Column, ascending: bool = True) -> tuple[int, int] | None:
    """Return the smallest and largest word of a column; None for values of several words, or without rows."""
    if not len(column) or word_count(column) > 1:
        return None
    if isinstance(column, np.ndarray) and column.dtype.kind in "iub":
        # In the order of the words already, so that only the extremes become words.
        column = np.array(least_and_most(column), column.dtype)
    return least_and_most(word(column, 0, ascending))


def least_and_most(numbers: NumberArray) -> tuple[int, int]:
    """Return the smallest and the largest of some integers or truth values, at least one.

    Examples
    --------
    >>> least_and_most(np.array([5, 2, 9]))
    (2, 9)
    """
    return loops.least_and_most(np.ascontiguousarray(numbers))


def row_bits(nrows: int) -> int:
    """Return the bits of a row number below `nrows`.

    Examples
    --------
    >>> row_bits(1), row_bits(4), row_bits(5)
    (0, 2, 3)
    """
    return max(nrows - 1, 0).bit_length()


def pack_words(key: Key, shift: int) -> Words:
    """Return the highest bits of each code with the number of its row in the lowest `shift` bits.

    They sort by value, then by row. If key and row number do not fit 64 bits together, low bits of the key are lost.
    Rows that differ only in these stay in the order of their numbers.
    """
    packed = _counted_from(key)
    lost = max(key.bits + shift - WORD_BITS, 0)
    if lost:
        np.right_shift(packed, np.uint64(lost), out=packed)
    if shift < WORD_BITS:
        np.left_shift(packed, np.uint64(shift), out=packed)
    for start in range(0, len(packed), len(_ROWS)):
        part = packed[start : start + len(_ROWS)]
        part |= _ROWS[: len(part)]
        if start:
            part |= np.uint64(start)
    return packed


def sort_words(words: Words, shift: int = 0) -> None:
    """Sort words in place; those that differ in their lowest `shift` bits alone are in order already.

    Many are distributed by their digits.  Where vectors are compressed slowly, as on Zen 4, NumPy's sort takes three to
    eight times as long; it is the faster one for few.

    Examples
    --------
    >>> words = np.array([5, 3, 4], np.uint64)
    >>> sort_words(words)
    >>> words.tolist()
    [3, 4, 5]
    """
    if len(words) < FEWEST_DISTRIBUTED:
        words.sort()
    else:
        loops.sort_words(words, new_array(len(words), np.uint64), shift)


def sort_numbers(values: NumberArray) -> None:
    """Sort numbers in place, with all NaN at the end; zeros of both signs are in any order.

    Examples
    --------
    >>> values = np.array([2.5, np.nan, -1.0])
    >>> sort_numbers(values)
    >>> values.tolist()
    [-1.0, 2.5, nan]
    """
    if len(values) < FEWEST_DISTRIBUTED or values.dtype not in (np.int64, np.uint64, np.float64):
        values.sort()
        return
    words = values.view(np.uint64)
    if values.dtype == np.float64:
        np.copyto(values, np.nan, where=np.isnan(values))
        words ^= _signs(values) | SIGN
        sort_words(words)
        words ^= ~_signs(values) | SIGN
    elif values.dtype == np.int64:
        words ^= SIGN
        sort_words(words)
        words ^= SIGN
    else:
        sort_words(words)


def _signs(values: NumberArray) -> Words:
    """Return words all of whose bits are the highest bit of the values."""
    return np.right_shift(values.view(np.int64), 63).view(np.uint64)


FEWEST_DISTRIBUTED = 1024
"""Fewer words are sorted by NumPy: of 1,000 either way takes 12 ns for each."""


_ROWS = np.arange(2**15, dtype=np.uint64)
"""The first row numbers, few enough for the fastest cache; their number is a power of two."""


def _counted_from(key: Key) -> Words:
    """Return the codes of a key, counted from the lowest."""
    counted: Words = new_array(len(key.codes), np.uint64)
    return np.subtract(key.codes, np.uint64(key.low), out=counted)


def unpack_rows(packed: Words, shift: int, out: NumberArray | None = None) -> NumberArray:
    """Return the row numbers, as int64, of packed keys."""
    mask = np.uint64((1 << shift) - 1)
    rows = new_array(len(packed), np.int64) if out is None else out
    np.bitwise_and(packed, mask, out=rows.view(np.uint64))
    return rows


# --------------------------------------------------------------------------------------------------------------- words


@by_column
def word_count(column: Any) -> int:
    """Return the number of words of a column's values."""
    raise ArgumentTypeError(f"values of {type(column).__name__} have no order.")


@by_column
def word(column: Any, number: int, ascending: bool = True, rows: NumberArray | None = None) -> Words:
    """Return word `number` of each value, from the most significant; the smaller the earlier in the order.

    `rows`, if given, are the positions of the wanted rows.
    """
    raise ArgumentTypeError(f"values of {type(column).__name__} have no order.")


@word_count.register
def _(column: np.ndarray) -> int:
    return 1


@word.register
def _(column: np.ndarray, number: int, ascending: bool = True, rows: NumberArray | None = None) -> Words:
    column = column if rows is None else column.take(rows)
    match column.dtype.kind:
        case "i" | "m" | "M":
            codes = new_array(len(column), np.uint64)
            np.bitwise_xor(column.astype(np.int64, copy=False).view(np.uint64), SIGN, out=codes)
            if ascending and column.dtype.kind != "i":
                # NaT is the least integer; subtracting one makes it the last in both directions.
                codes -= np.uint64(1)
        case "f":
            bits = np.ascontiguousarray(column, np.float64).view(np.uint64)
            codes = new_array(len(bits), np.uint64)
            loops.float_words(bits, 0 if ascending else int(LAST), codes)
            return codes
        case _:
            codes = column.astype(np.uint64)
    return codes if ascending else np.invert(codes, out=codes)


@of_arrow(word_count, "LargeStringArray")
def _(column: pa.LargeStringArray) -> int:
    longest = int(np.diff(_offsets(column)).max(initial=0))
    return max(-(-longest // TEXT_BYTES), 1)


@of_arrow(word, "LargeStringArray")
def _(column: pa.LargeStringArray, number: int, ascending: bool = True, rows: NumberArray | None = None) -> Words:
    offsets = _offsets(column)
    starts = offsets[:-1] if rows is None else offsets[rows]
    stops = offsets[1:] if rows is None else offsets[1:][rows]
    codes = _bytes_at(column, starts + number * TEXT_BYTES, stops)
    return codes if ascending else np.invert(codes, out=codes)


def _offsets(column: pa.LargeStringArray) -> NumberArray:
    if not len(column):
        # Arrow need not allocate offsets for no strings.
        return np.zeros(1, np.int64)
    return np.frombuffer(column.buffers()[1], np.int64, len(column) + 1, column.offset * 8)


LEADING_BYTES = np.array([(1 << 64) - (1 << 8 * (8 - count)) for count in range(8)] + [(1 << 64) - (1 << 8)], np.uint64)
"""For the number of remaining bytes of a string, the mask of their places in a word."""


def _bytes_at(column: pa.LargeStringArray, starts: NumberArray, stops: NumberArray) -> Words:
    """Return 7 bytes of each string, and the number of bytes left there, at most 8."""
    text = np.frombuffer(column.buffers()[2] or b"", np.uint8)
    if len(text) < 8:
        text = np.concatenate([text, np.zeros(8, np.uint8)])
    # Every 8 consecutive bytes as one word; the array is a view of the text.
    windows = np.ndarray(len(text) - 7, np.dtype(np.uint64), text, strides=(1,))
    last = len(windows) - 1
    # Near the end of the text the window moves to the left, and its word is shifted.
    surplus = starts - last
    near_end = len(starts) > 0 and int(surplus.max()) > 0
    codes: Words = windows[np.minimum(starts, last)] if near_end else windows[starts]
    if sys.byteorder == "little":
        codes.byteswap(inplace=True)
    if near_end:
        codes <<= np.clip(surplus * 8, 0, WORD_BITS - 1).astype(np.uint64)
    left = np.clip(stops - starts, 0, 8)
    # Bytes after the end of a string belong to the next one.
    codes &= LEADING_BYTES[left]
    codes |= left.view(np.uint64)
    return codes


@of_arrow(word_count, "FixedSizeBinaryArray")
def _(column: pa.FixedSizeBinaryArray) -> int:
    return int(column.type.byte_width) // 8


@of_arrow(word, "FixedSizeBinaryArray")
def _(column: pa.FixedSizeBinaryArray, number: int, ascending: bool = True, rows: NumberArray | None = None) -> Words:
    count = column.type.byte_width // 8
    flat = np.frombuffer(column.buffers()[1] or b"", np.dtype("<u8"))
    limbs = flat.reshape(-1, count)[column.offset : column.offset + len(column), count - 1 - number]
    codes = (limbs if rows is None else limbs[rows]).astype(np.uint64)
    if number == 0:
        codes ^= SIGN
    return codes if ascending else np.invert(codes, out=codes)


def with_words(column: Any, count: int) -> Any:
    """Return a column whose integers of any size have at least `count` words, to match other rows.

    Words are numbered from the most significant, so word numbers of a narrower column would differ. Strings can give
    any number of words.
    """
    if not is_arrow(column, "FixedSizeBinaryArray") or word_count(column) >= count:
        return column
    return from_limbs(with_limbs(limbs_of(column), count))


def from_word(words: Words, dtype: np.dtype[Any]) -> NumberArray:
    """Return the integers of some type with the given words.

    Examples
    --------
    >>> from_word(word(np.array([-3, 5]), 0), np.dtype(np.int64)).tolist()
    [-3, 5]
    """
    numbers = words if dtype.kind == "u" else (words ^ SIGN).view(np.int64)
    return numbers.astype(dtype, copy=False)


def from_words(words: Sequence[Words]) -> pa.FixedSizeBinaryArray:
    """Return the integers of any size with the given words, the highest first."""
    limbs = np.stack([words[0] ^ SIGN, *words[1:]][::-1], axis=1)
    return from_limbs(limbs)


@record
class SlotGrid:
    """All combinations of the values that integer keys can have, numbered in the order of the keys.

    Parameters
    ----------
    lows : tuple of int
        The smallest value of each key.
    sizes : tuple of int
        The number of values from there on.
    """

    lows: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def around(cls, keys: Sequence[Column]) -> Self | None:
        """Return the smallest grid that holds some rows, at least one; None if a key is of another type."""
        lows, sizes = [], []
        for key in keys:
            if not isinstance(key, np.ndarray) or key.dtype.kind not in "iub":
                return None
            low, high = least_and_most(key)
            lows.append(low)
            sizes.append(high - low + 1)
        return cls(tuple(lows), tuple(sizes))

    @classmethod
    def within(cls, keys: Sequence[Column], most: int) -> Self | None:
        """Return the same grid, or None above `most` slots."""
        grid = cls.around(keys)
        return None if grid is None or grid.nslots > most else grid

    @property
    def nslots(self) -> int:
        """Number of combinations."""
        return prod(self.sizes)

    def with_bits(self) -> SlotGrid:
        """Return a larger grid in which each key has bits of its own: keys of slots are found without a division."""
        return SlotGrid(self.lows, tuple(1 << (size - 1).bit_length() for size in self.sizes))

    def covers(self, other: SlotGrid) -> bool:
        """Whether it contains all slots of the other grid."""
        return self.united(other) == self

    def united(self, other: SlotGrid) -> SlotGrid:
        """Return the grid that contains the slots of both."""
        lows = tuple(map(min, self.lows, other.lows))
        ends = [max(a + n, b + m) for a, n, b, m in zip(self.lows, self.sizes, other.lows, other.sizes, strict=True)]
        return SlotGrid(lows, tuple(end - low for end, low in zip(ends, lows, strict=True)))

    def grown_by(self, other: SlotGrid, dtype: np.dtype[Any], most: int) -> SlotGrid:
        """Return a grid that contains the slots of both; of one key, with room for as many slots again where it grows.

        So keys that ascend from block to block move each slot few times. Room ends at the bounds of the type of the
        first key, and has no slots above `most`.
        """
        grid = self.united(other)
        if len(grid.lows) > 1 or dtype.kind == "b":
            return grid
        (low,), (size,) = grid.lows, grid.sizes
        bounds = np.iinfo(dtype)
        spare = max(min(self.nslots, most - size), 0)
        if low < self.lows[0]:
            spare = min(spare, low - int(bounds.min))
            return SlotGrid((low - spare,), (size + spare,))
        return SlotGrid((low,), (size + min(spare, int(bounds.max) - (low + size - 1)),))

    def codes(self, keys: Sequence[Column]) -> NumberArray:
        """Return the slot of each row, as int64."""
        codes = _distances(keys[0], self.lows[0])
        for number, (key, low, size) in enumerate(zip(keys[1:], self.lows[1:], self.sizes[1:], strict=True)):
            # An array of the caller must stay unchanged.
            codes = np.multiply(codes, size, out=None if number == 0 and codes is keys[0] else codes)
            codes += _distances(key, low)
        return codes

    def codes_within(self, keys: Sequence[Column]) -> NumberArray:
        """Return the slot of each row, as int64; rows outside the grid get `nslots`."""
        codes, outside = None, None
        for key, low, size in zip(keys, self.lows, self.sizes, strict=True):
            # A value below the lowest wraps around to a distance of at least the size.
            wide = key.view(np.uint8) if key.dtype == np.bool_ else key
            unsigned = wide.view(f"u{wide.itemsize}")
            distance = (unsigned - np.array(low, wide.dtype).view(unsigned.dtype)).astype(np.uint64, copy=False)
            if len(keys) == 1:
                return np.minimum(distance, np.uint64(size), out=distance).view(np.int64)
            beyond = distance >= np.uint64(size)
            outside = beyond if outside is None else outside | beyond
            codes = distance if codes is None else codes * np.uint64(size) + distance
        assert codes is not None, "a grid has keys"
        codes[outside] = self.nslots
        return codes.view(np.int64)

    def offset_codes(self, keys: Sequence[Column]) -> tuple[Words, np.uint64]:
        """Return words, and the offset to subtract from them to get the slot of each row.

        Rows outside the grid get any number from `nslots` on.
        """
        key, low = keys[0], self.lows[0]
        if len(keys) == 1 and key.dtype.itemsize == 8:
            return np.ascontiguousarray(key).view(np.uint64), np.uint64(low % 2**WORD_BITS)
        return self.codes_within(keys).view(np.uint64), np.uint64(0)

    def keys(self, codes: NumberArray, dtypes: Sequence[np.dtype[np.generic]]) -> list[NumberArray]:
        """Return the keys of slots, in the given types."""
        columns = []
        for number in range(len(self.lows) - 1, -1, -1):
            distance = codes
            size = self.sizes[number]
            if number and size.bit_count() == 1:
                codes, distance = codes >> (size.bit_length() - 1), codes & (size - 1)
            elif number:
                codes, distance = np.divmod(codes, size)
            # Distances are the caller's array where there is only one key.
            dtype, low = dtypes[number], self.lows[number]
            key = distance.astype(dtype, copy=len(self.lows) == 1)
            columns.append(np.add(key, dtype.type(low), out=key) if low else key)
        return columns[::-1]


def _distances(key: NumberArray, low: int) -> NumberArray:
    """Return the distances of values from the lowest, as int64; the values themselves if these are the distances."""
    wide = key.view(np.uint8) if key.dtype == np.bool_ else key
    # A distance may exceed the type of the keys, but not the unsigned one of that width.
    near = (wide - wide.dtype.type(low)).view(f"u{wide.itemsize}") if low else wide
    distances: NumberArray = near.astype(np.int64, copy=False)
    return distances
