"""Key tables: find the first row of a table with given keys, or whether there is one.

Integers of a small range are looked up directly, by their distance from the smallest. Keys whose ranges leave room for
a row number are looked up in a hash table of words that hold both. All other keys are looked up in a table of hashes.

A hash table with open addressing is a sorted array of words with gaps. The slot of a word is given by its leading bits,
or is the first free one after that, so the stored words ascend. Building a table is sorting. A search goes on from the
slot of its word while it meets smaller words, which is rare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np

from akdask import compiled
from akdask.columns.bigint import to_ints
from akdask.columns.exact import compare, is_mixed
from akdask.columns.memory import full_array, new_array
from akdask.columns.table import Sized, concat_rows, slice_rows, take_rows
from akdask.deferred import is_arrow, pa, pc
from akdask.errors import NonUniqueError
from akdask.operators.group.row_groups import group_rows
from akdask.operators.join import tuning
from akdask.operators.keys import hashing
from akdask.operators.keys.keys import (
    FIRST,
    HALF,
    LAST,
    SECOND,
    VACANT,
    WORD_BITS,
    Key,
    SlotGrid,
    Words,
    pack_words,
    row_bits,
    span,
    unpack_rows,
    word,
)
from akdask.operators.rows.gather import gather
from akdask.operators.values.strings import unpack_bools
from akdask.typing import Column, NumberArray

Wanted: TypeAlias = Callable[[Sequence[Column]], tuple[Words, NumberArray | None]]
"""Makes words from keys, and masks keys that cannot be in the table."""

Meet: TypeAlias = Callable[[Words, NumberArray, Sequence[Column]], tuple[NumberArray, NumberArray]]
"""Takes words, slots and keys; returns the found rows, and the searches that must go on."""


class OpenAddressingTable:
    """Layout of a table of words: `bits` leading bits give the slot of a word, and `shift` bits follow."""

    def __init__(self, nrows: int) -> None:
        self.bits = max((tuning.HASH_SLOTS_PER_ROW * nrows).bit_length(), 1)
        self.shift = np.uint64(WORD_BITS - self.bits)
        self._size = 1 << self.bits

    def slots(self, words: Words) -> NumberArray:
        """Return the slots where searches for words begin."""
        return (words >> self.shift).view(np.int64)

    def positions(self, words: Words) -> tuple[NumberArray, int]:
        """Return the slots of ascending words, and the number of slots, which is at least one more."""
        number = np.arange(len(words))
        positions = self.slots(words)
        positions -= number
        np.maximum.accumulate(positions, out=positions)
        positions += number
        last = int(positions[-1]) if len(positions) else 0
        return positions, max(self._size, last + 1) + 1

    def vacant(self, nrows: int) -> Words:
        """Return a table without words, with room for so many words that may overflow at the end."""
        return full_array(self._size + nrows + 1, VACANT, VACANT.dtype)

    def table(self, order: Words, words: Words) -> tuple[Words, int]:
        """Return the table of some words, and the largest distance of a word from its first slot.

        Parameters
        ----------
        order : ndarray of uint64
            Ascending words that give the slots.
        words : ndarray of uint64
            Words to store.
        """
        if compiled.should_compile(len(words)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import lay_out

            # Room for words far beyond the last slot; untouched memory costs nothing.
            table = new_array(self._size + len(words) + 1, np.uint64)
            end, furthest = lay_out(read_only(order), read_only(words), self.shift, self._size, table)
            return table[:end], furthest
        positions, size = self.positions(order)
        table = full_array(size, VACANT, VACANT.dtype)
        table[positions] = words
        positions -= self.slots(order)
        return table, int(positions.max(initial=0))

    def search(
        self, keys: Sequence[Column], wanted: Wanted, meet: Meet, found: NumberArray, nothing: int
    ) -> NumberArray:
        """Fill `found` with the match of each row of keys, and `nothing` for keys that cannot be in the table."""
        waiting: list[tuple[NumberArray, Words, NumberArray]] = []
        for start in range(0, len(found), tuning.CHUNK_ROWS):
            stop = min(start + tuning.CHUNK_ROWS, len(found))
            part = [slice_rows(key, start, stop) for key in keys]
            words, nowhere = wanted(part)
            slots = self.slots(words)
            here, on = meet(words, slots, part)
            if nowhere is not None:
                here[nowhere] = nothing
                on = on[~nowhere.take(on)]
            found[start:stop] = here
            if len(on):
                waiting.append((on + start, words.take(on), slots.take(on)))
        if waiting:
            rows, words, slots = (np.concatenate(parts) for parts in zip(*waiting, strict=True))
            _search_on(keys, meet, found, (rows, words, slots))
        return found


def _search_on(
    keys: Sequence[Column], meet: Meet, found: NumberArray, waiting: tuple[NumberArray, Words, NumberArray]
) -> None:
    """Probe the next slots for rows whose search has not ended."""
    rows, words, slots = waiting
    while len(rows):
        slots += 1
        here, on = meet(words, slots, [take_rows(key, rows) for key in keys])
        found[rows] = here
        rows, words, slots = rows.take(on), words.take(on), slots.take(on)


EMPTY = -1
"""The row number for no match."""

NOBODY: NumberArray = np.empty(0, np.int64)
"""Marks that a loop searched to the end, so that no rows go on."""


def packable_spans(keys: Sequence[Column]) -> list[tuple[int, int]] | None:
    """Return the ranges of the words of all keys; None if they leave no room for a row number in one word."""
    nrows = len(keys[0])
    spans = [found for key in keys if (found := span(key)) is not None]
    dropped_bits = nrows.bit_length() + _span_bits(spans) - WORD_BITS
    fits = dropped_bits <= 0 or OpenAddressingTable(nrows).bits - dropped_bits >= tuning.TELLING_BITS
    return spans if fits and len(spans) == len(keys) else None


def _span_bits(spans: Sequence[tuple[int, int]]) -> int:
    return sum((high - low).bit_length() for low, high in spans)


def hashed_words(keys: Sequence[Column]) -> tuple[Words, None]:
    """Return the words that searches for hashes compare."""
    return hashing.hash_rows(keys), None


class PackedIndex(Sized):
    """Words of key and row number, for keys whose ranges leave room for one.

    A tag is a well mixed key; different keys have different tags. If a row number takes more bits than a tag has to
    spare, leading bits of the tag are dropped, since the slot of the word gives them.
    """

    def __init__(self, keys: Sequence[Column], spans: Sequence[tuple[int, int]]) -> None:
        nrows = len(keys[0])
        self._keys = list(keys)
        self._spans = spans
        self._nrows = np.uint64(nrows)
        spare = min(nrows.bit_length(), WORD_BITS - _span_bits(spans))
        dropped_bits = nrows.bit_length() - spare
        self._spare, self._dropped_bits = np.uint64(spare), np.uint64(dropped_bits)
        self._spare_mask = np.uint64((1 << spare) - 1)
        self._layout = OpenAddressingTable(nrows)
        self._slots, furthest, self._later = self._inserted() if compiled.should_compile(nrows) else self._laid_out()
        self.is_sound = furthest < 1 << (self._layout.bits - dropped_bits - 1)
        """Whether the remaining bits order any two words, as they do for words in neighbouring slots."""

    def _laid_out(self) -> tuple[Words, int, NumberArray]:
        """Return the table, the largest distance of a word from its first slot, and the rows with repeated keys."""
        order, words, later = self._sorted_words()
        return *self._layout.table(order, words), later

    def _inserted(self) -> tuple[Words, int, NumberArray]:
        """Return the same by insertion instead of sorting."""
        from akdask.compiler import read_only
        from akdask.operators.join.loops import insert_packed

        words, low, _ = self._words_in_range(self._keys)
        table, later = self._layout.vacant(len(words)), new_array(len(words), np.int64)
        end, furthest, count = insert_packed(
            read_only(words), low, self._spare, self._dropped_bits, self._layout.shift, table, later
        )
        return table[:end], furthest, later[:count].copy()

    def _sorted_words(self) -> tuple[Words, Words, NumberArray]:
        """Return the sorted order, one word for each key, and the rows with repeated keys."""
        tags, _ = self._tags(self._keys)
        if self._dropped_bits:
            order, rows = _sorted_with_rows(tags)
            words = order << self._dropped_bits
            words |= rows.view(np.uint64)
        else:
            tags |= np.arange(len(tags), dtype=np.uint64)
            tags.sort()
            order = words = tags
        again = np.flatnonzero((order[1:] ^ order[:-1]) <= self._spare_mask) + 1
        if not len(again):
            return order, words, again
        row_mask = np.uint64((1 << int(self._nrows).bit_length()) - 1)
        later = (words[again] & row_mask).view(np.int64)
        words = np.delete(words, again)
        return np.delete(order, again) if self._dropped_bits else words, words, later

    @property
    def firsts(self) -> NumberArray | None:
        return _firsts(self, self._keys, self._later)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        if not compiled.should_compile(len(found)):
            return self._layout.search(keys, self._tags, self._meet, found, EMPTY)
        from akdask.compiler import read_only
        from akdask.operators.join.loops import find_packed

        words, low, width = self._words_in_range(keys)
        table, rows = read_only(self._slots), found.view(np.uint64)
        find_packed(
            read_only(words), low, width, self._spare, self._dropped_bits, self._layout.shift, self._nrows, table, rows
        )
        return found

    def _words_in_range(self, keys: Sequence[Column]) -> tuple[Words, np.uint64, np.uint64]:
        """Return the lowest stored word of each row's candidates, and the largest distance to the last one."""
        if len(keys) == 1:
            low, high = self._spans[0]
            return word(keys[0], 0), np.uint64(low), np.uint64(high - low)
        distances, outside = self._distances(keys)
        if outside is not None:
            distances[outside] = LAST
        return distances, np.uint64(0), np.uint64((1 << _span_bits(self._spans)) - 1)

    def _meet(self, tags: Words, slots: NumberArray, keys: Sequence[Column]) -> tuple[NumberArray, NumberArray]:
        words = self._slots.take(slots)
        filled = words != VACANT
        # A word with the same tag is larger by its row; a vacant word is larger by no possible row.
        words -= tags << self._dropped_bits
        before = np.flatnonzero((words.view(np.int64) < 0) & filled)
        return _rows_or_empty(words, words < self._nrows), before

    def _tags(self, keys: Sequence[Column]) -> tuple[Words, NumberArray | None]:
        """Return the tags of keys, with spare lowest bits, and the mask of keys outside the ranges."""
        tags, outside = self._distances(keys)
        tags <<= self._spare
        tags *= FIRST
        tags ^= (tags >> HALF) & ~self._spare_mask
        tags *= SECOND
        return tags, outside

    def _distances(self, keys: Sequence[Column]) -> tuple[Words, NumberArray | None]:
        """Return the distances of keys from the lowest ones in one word, and the mask of keys outside the ranges."""
        distances, outside = None, None
        for key, (low, high) in zip(keys, self._spans, strict=True):
            distance = word(key, 0)
            distance -= np.uint64(low)
            beyond = distance > np.uint64(high - low)
            if beyond.any():
                outside = beyond if outside is None else outside | beyond
            if distances is None:
                distances = distance
            else:
                distances <<= np.uint64((high - low).bit_length())
                distances |= distance
        assert distances is not None, "an index has keys"
        return distances, outside


class HashIndex(Sized):
    """Hashes with the number of each row beside its hash, so that both are read at once."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = list(keys)
        self._exact = hashing.is_exact(keys)
        hashes, rows, self._unsure = self._distinct(*_sorted_with_rows(hashing.hash_rows(keys)))
        self._layout = OpenAddressingTable(len(keys[0]))
        positions, size = self._layout.positions(hashes)
        slots = new_array(2 * size, np.uint64).reshape(size, 2)
        slots[:, 0], slots[:, 1] = VACANT, np.int64(EMPTY).view(np.uint64)
        slots[positions, 0], slots[positions, 1] = hashes, rows.view(np.uint64)
        self._slots = slots

    def _distinct(self, hashes: Words, rows: NumberArray) -> tuple[Words, NumberArray, NumberArray]:
        """Drop rows with repeated keys; also return the rows whose keys repeat."""
        again = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1
        if not len(again):
            return hashes, rows, again
        unsure = rows[again]
        if not self._exact:
            # Keys that differ from the first key with the same hash stay.
            begins = np.ones(len(hashes), np.bool_)
            begins[again] = False
            leading = np.flatnonzero(begins)[np.cumsum(begins)[again] - 1]
            again = again[_equal(self._keys, rows[leading], self._keys, rows[again])]
        return np.delete(hashes, again), np.delete(rows, again), unsure

    @property
    def firsts(self) -> NumberArray | None:
        return _firsts(self, self._keys, self._unsure)

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        return self._layout.search(keys, hashed_words, self._meet, found, EMPTY)

    def _meet(self, hashes: Words, slots: NumberArray, keys: Sequence[Column]) -> tuple[NumberArray, NumberArray]:
        if compiled.should_compile(len(hashes)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import meet_pairs

            words = np.empty(len(hashes), np.uint64)
            meet_pairs(hashes, slots.view(np.uint64), read_only(self._slots), words)
            found, before = words.view(np.int64), NOBODY
        else:
            # One complex number reads both halves of a slot at once.
            pairs = self._slots.view(np.complex128)[:, 0].take(slots).view(np.uint64).reshape(-1, 2)
            found, before = _rows_or_empty(pairs[:, 1], pairs[:, 0] == hashes), np.flatnonzero(pairs[:, 0] < hashes)
        if self._exact:
            return found, before
        met = np.flatnonzero(found != EMPTY)
        differ = met[~_equal(self._keys, found.take(met), keys, met)]
        found[differ] = EMPTY
        return found, np.concatenate([before, differ])


def _rows_or_empty(rows: Words, there: NumberArray) -> NumberArray:
    """Return row numbers as int64, -1 for no row; without a branch, which is faster."""
    found = there.astype(np.uint64)
    found -= np.uint64(1)
    found |= rows
    return found.view(np.int64)


def _sorted_with_rows(hashes: Words) -> tuple[Words, NumberArray]:
    """Return hashes in order with their rows, which ascend for equal hashes."""
    shift = row_bits(len(hashes))
    packed = pack_words(Key(hashes, 0, WORD_BITS), shift)
    packed.sort()
    rows = unpack_rows(packed, shift)
    ordered: Words = np.asarray(gather(hashes, rows))
    # The bits that gave way to the row number are not sorted yet; few hashes differ in these alone.
    tied = np.flatnonzero(ordered[1:] < ordered[:-1])
    if len(tied):
        same = np.flatnonzero((packed[1:] ^ packed[:-1]) < np.uint64(1 << shift))
        positions = np.union1d(same, same + 1)
        order = positions[np.lexsort([rows[positions], ordered[positions]])]
        ordered[positions], rows[positions] = ordered[order], rows[order]
    return ordered, rows


def _firsts(index: PackedIndex | HashIndex, keys: Sequence[Column], unsure: NumberArray) -> NumberArray | None:
    """Return the first row with each row's keys, given candidates that may not be first themselves."""
    if not len(unsure):
        return None
    firsts = np.arange(len(keys[0]))
    firsts[unsure] = index.find([take_rows(key, unsure) for key in keys])
    return None if bool((firsts[unsure] == unsure).all()) else firsts


def _equal(left: Sequence[Column], left_rows: NumberArray, right: Sequence[Column], rows: NumberArray) -> NumberArray:
    """Return the mask of pairs of rows of two tables with equal keys."""
    equal = np.ones(len(rows), np.bool_)
    for column, other in zip(left, right, strict=True):
        ours, theirs = take_rows(column, left_rows), take_rows(other, rows)
        if isinstance(ours, np.ndarray):
            equal &= word(ours, 0) == word(theirs, 0)
        else:
            equal &= unpack_bools(pc.equal(ours, theirs))
    return equal


class KeyIndex(Protocol):
    """The keys of a table, in which the keys of other rows are looked up."""

    @property
    def firsts(self) -> NumberArray | None:
        """For each row of the table, the first row with the same keys; None if all keys differ."""
        ...

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        """Return the first row of the table with the keys of each row, as int64; -1 without one."""
        ...


def index_keys(keys: Sequence[Column]) -> KeyIndex:
    """Return the index of a table's keys.

    Parameters
    ----------
    keys : sequence of columns
        At least one.  ``-0.0`` equals ``0.0``, and NaN equals NaN.

    Examples
    --------
    >>> index = index_keys([np.array([7, 5, 7])])
    >>> index.firsts.tolist(), index.find([np.array([5, 6, 7])]).tolist()
    ([0, 1, 0], [1, -1, 0])
    """
    if any(is_arrow(key, "FixedSizeBinaryArray") for key in keys):
        return GroupingIndex(keys)
    if len(keys) == 1 and is_arrow(keys[0], "Array") and len(keys[0]) <= tuning.FEW_STRINGS:
        return StringIndex(keys)
    grid = direct_grid(keys)
    if grid is not None:
        return DirectIndex(keys, grid)
    spans = packable_spans(keys)
    packed = None if spans is None else PackedIndex(keys, spans)
    return packed if packed is not None and packed.is_sound else HashIndex(keys)


def repeated_key(keys: Sequence[Column], firsts: NumberArray) -> tuple[int, str]:
    """Return the first row whose keys repeat those of an earlier row, and these keys in words."""
    again = int(np.argmax(firsts != np.arange(len(firsts))))
    return again, ", ".join(str(key[again]) for key in keys)


def check_distinct(keys: Sequence[Column], index: KeyIndex) -> None:
    """Refuse repeated labels.

    Raises
    ------
    NonUniqueError
        If two rows have the same keys.
    """
    firsts = index.firsts
    if firsts is None:
        return
    _, shown = repeated_key(keys[:1], firsts)
    raise NonUniqueError(
        f"rows are brought to others by their labels, and the label {shown} comes twice.",
        hint="choose one row of each label first, such as by groupby or drop_duplicates.",
    )


def direct_grid(keys: Sequence[Column]) -> SlotGrid | None:
    """Return the grid that holds some rows, None if it is too large for their number."""
    nrows = len(keys[0])
    return (
        SlotGrid.within(keys, min(max(tuning.SLOTS_PER_ROW * nrows, tuning.MIN_SLOTS), tuning.MAX_SLOTS))
        if nrows
        else None
    )


class DirectIndex(Sized):
    """The first row in each cell of a grid, and one more cell for keys outside the grid."""

    def __init__(self, keys: Sequence[Column], grid: SlotGrid) -> None:
        nrows = len(keys[0])
        rows = full_array(grid.nslots + 1, EMPTY, np.int32 if nrows < 2**31 else np.int64)
        if compiled.should_compile(nrows):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import put_rows

            words, low = grid.offset_codes(keys)
            put_rows(read_only(words), low, rows)
        else:
            # Of several rows, the one written last stays.
            rows[grid.codes(keys)[::-1]] = np.arange(nrows, dtype=rows.dtype)[::-1]
        self._keys = list(keys)
        self._grid = grid
        self._rows = rows

    @property
    def firsts(self) -> NumberArray | None:
        if np.count_nonzero(self._rows != EMPTY) == len(self._keys[0]):
            return None
        rows: NumberArray = self._rows.take(self._grid.codes(self._keys)).astype(np.int64)
        return rows

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.int64) if out is None else out
        if compiled.should_compile(len(found)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import look_up_rows

            words, low = self._grid.offset_codes(keys)
            look_up_rows(read_only(words), low, np.uint64(self._grid.nslots), read_only(self._rows), found)
        else:
            found[...] = self._rows.take(self._grid.codes_within(keys))
        return found


class StringIndex(Sized):
    """A few strings, which Arrow finds faster than any index, although it starts over with every block."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._strings = keys[0]

    @property
    def firsts(self) -> NumberArray | None:
        rows = self.find([self._strings])
        return None if bool((rows == np.arange(len(rows))).all()) else rows

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        rows: NumberArray = pc.fill_null(pc.index_in(keys[0], value_set=self._strings), EMPTY).to_numpy()
        if out is None:
            return rows.astype(np.int64)
        out[...] = rows
        return out


class GroupingIndex(Sized):
    """Integers of any size, grouped together with the integers to find.

    Equal integers may have other widths in two columns, so that their bytes differ; in one column they do not.
    """

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = list(keys)

    @property
    def firsts(self) -> NumberArray | None:
        rows = self.find(self._keys)
        return None if bool((rows == np.arange(len(rows))).all()) else rows

    def find(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        count = len(self._keys[0])
        runs = group_rows([concat_rows(columns) for columns in zip(self._keys, keys, strict=True)])
        firsts = runs.firsts()
        rows: NumberArray = runs.spread(np.where(firsts < count, firsts, EMPTY))[count:]
        if out is None:
            return rows
        out[...] = rows
        return out


class KeySet(Protocol):
    """The keys of a table, without their rows."""

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        """Return the mask of rows whose keys are in the table."""
        ...


def key_set(keys: Sequence[Column]) -> KeySet:
    """Return the set of a table's keys.

    Parameters
    ----------
    keys : sequence of columns
        At least one.  ``-0.0`` equals ``0.0``, and NaN equals NaN.

    Examples
    --------
    >>> key_set([np.array([7, 5])]).has([np.array([5, 6, 7])]).tolist()
    [True, False, True]
    """
    grid = direct_grid(keys)
    if grid is not None:
        return DirectSet(keys, grid)
    if hashing.is_exact(keys):
        return HashSet(keys)
    return IndexSet(index_keys(keys))


class DirectSet(Sized):
    """One bit for each cell of a grid, set if there is a key, and one more for keys outside the grid."""

    def __init__(self, keys: Sequence[Column], grid: SlotGrid) -> None:
        self._grid = grid
        if compiled.should_compile(len(keys[0])):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import mark

            words, low = grid.offset_codes(keys)
            self._bits = full_array(grid.nslots // 8 + 1, 0, np.uint8)
            mark(read_only(words), low, self._bits)
        else:
            is_taken = full_array(grid.nslots + 1, False, np.bool_)
            is_taken[grid.codes(keys)] = True
            self._bits = np.packbits(is_taken, bitorder="little")

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.bool_) if out is None else out
        if compiled.should_compile(len(found)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import look_up_bits

            words, low = self._grid.offset_codes(keys)
            look_up_bits(read_only(words), low, np.uint64(self._grid.nslots), read_only(self._bits), found)
            return found
        codes = self._grid.codes_within(keys)
        bits = (codes & 7).astype(np.uint8)
        codes >>= 3
        np.right_shift(self._bits.take(codes), bits, out=bits)
        return np.bitwise_and(bits, 1, out=found.view(np.uint8)).view(np.bool_)


class HashSet(Sized):
    """The hashes of single numbers, which are equal only for equal numbers."""

    def __init__(self, keys: Sequence[Column]) -> None:
        hashes = hashing.hash_rows(keys)
        self._layout = OpenAddressingTable(len(hashes))
        hashes.sort()
        again = np.flatnonzero(hashes[1:] == hashes[:-1])
        if len(again):
            hashes = np.delete(hashes, again)
        self._slots, _ = self._layout.table(hashes, hashes)
        self._has_vacant = bool((hashes[-1:] == VACANT).any())

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        found = np.empty(len(keys[0]), np.bool_) if out is None else out
        if not compiled.should_compile(len(found)):
            return self._layout.search(keys, hashed_words, self._meet, found, 0)
        from akdask.compiler import read_only
        from akdask.operators.join.loops import find_hashed

        find_hashed(read_only(word(keys[0], 0)), self._layout.shift, read_only(self._slots), self._has_vacant, found)
        return found

    def _meet(self, hashes: Words, slots: NumberArray, keys: Sequence[Column]) -> tuple[NumberArray, NumberArray]:
        words = self._slots.take(slots)
        same = words == hashes
        if not self._has_vacant:
            same &= hashes != VACANT
        return same, np.flatnonzero(words < hashes)


class IndexSet(Sized):
    """The keys that an index finds."""

    def __init__(self, index: KeyIndex) -> None:
        self._index = index

    def has(self, keys: Sequence[Column], out: NumberArray | None = None) -> NumberArray:
        return np.not_equal(self._index.find(keys), EMPTY, out=out)


Side = Literal["left", "right"]


class SortedKeys(Sized):
    """An ascending column, for binary searches.

    Examples
    --------
    >>> SortedKeys(np.array([1.5, 2.5, 2.5])).search(np.array([2.5, np.nan]), "left").tolist()
    [1, 3]
    """

    def __init__(self, column: Column) -> None:
        self._dtype = column.dtype if isinstance(column, np.ndarray) else None
        self._table = _comparable(column)

    def search(self, values: Column, side: Side, out: NumberArray | None = None) -> NumberArray:
        """Return the number of rows before each value, or up to it for side "right".

        Numbers may have another type than the column, and are compared exactly.
        """
        if self._dtype is not None and values.dtype != self._dtype and is_mixed(values, np.empty(0, self._dtype)):
            return self._search_others(values, side, out)
        wanted = _comparable(values)
        found = np.empty(len(wanted), np.int64) if out is None else out
        if len(self._table) and wanted.dtype == np.uint64 and compiled.should_compile(len(wanted)):
            from akdask.compiler import read_only
            from akdask.operators.join.loops import search_sorted

            search_sorted(read_only(self._table), read_only(wanted), side == "right", found)
        else:
            found[...] = self._table.searchsorted(wanted, side)
        return found

    def _search_others(self, values: Column, side: Side, out: NumberArray | None) -> NumberArray:
        """Search for neighbouring numbers of the column's type: upwards if equal rows come after, else downwards."""
        assert self._dtype is not None
        if self._dtype.kind == "f":
            # Rounded integers, which the comparisons below put right.
            beside = values.astype(np.float64)
            if side == "left":
                nearest = np.where(compare(np.less, beside, values), np.nextafter(beside, np.inf), beside)
            else:
                nearest = np.where(compare(np.greater, beside, values), np.nextafter(beside, -np.inf), beside)
            return self.search(nearest, side, out)
        limits = np.iinfo(self._dtype)
        below = compare(np.less, values, self._dtype.type(limits.min))
        # NaN is after all numbers.
        above = ~compare(np.less_equal, values, self._dtype.type(limits.max))
        inside = np.where(below | above, values.dtype.type(0), values)
        if values.dtype.kind == "f":
            inside = np.ceil(inside) if side == "left" else np.floor(inside)
        found = self.search(inside.astype(self._dtype), side, out)
        found[below], found[above] = 0, len(self._table)
        return found


def _comparable(column: Column) -> NumberArray:
    """Return the column in a form that NumPy orders like rows: words of numbers, Python integers, or text."""
    if isinstance(column, np.ndarray):
        return word(column, 0)
    if is_arrow(column, "FixedSizeBinaryArray"):
        return np.array(to_ints(column), object)
    # Missing text too, whose byte comes after all text.
    return np.array(column.view(pa.large_binary()).to_pylist(), dtype=bytes)
