"""Loops over rows at positions and rows that are marked, beside NumPy, for lengths around those of their steps."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.columns import loops

pytestmark = pytest.mark.light

RANDOM = np.random.default_rng(0)
LENGTHS = [0, 1, 7, 8, 9, 15, 16, 17, 40, 100]
TYPES = [np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("count", LENGTHS)
def test_words_at_positions_are_gathered_and_others_are_missing(count):
    table = RANDOM.integers(0, 2**64, 50, np.uint64)
    positions = RANDOM.integers(0, 50, count).astype(np.uint64)
    out = np.zeros(count, np.uint64)
    assert loops.gather_words(table, positions, 7, out) is True
    assert out.tolist() == table[positions.astype(int)].tolist()
    for wrong in range(count):
        for beyond in 50, 2**64 - 1:
            changed = positions.copy()
            changed[wrong] = beyond
            assert loops.gather_words(table, changed, 7, out) is False
            expected = table[positions.astype(int)]
            expected[wrong] = 7
            assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("count", LENGTHS)
def test_strings_at_positions_are_found_and_copied(count):
    texts = [bytes([97 + number % 26]) * (number * 7 % 83) for number in range(30)]
    data = np.frombuffer(b"xyz" + b"".join(texts), np.uint8)
    # The first byte of the text that is kept is not that of the buffer.
    offsets = np.cumsum([3, *map(len, texts)]).astype(np.uint64)
    positions = RANDOM.integers(0, 30, count).astype(np.uint64)
    starts, ends = np.zeros(count, np.uint64), np.full(count + 1, 9, np.uint64)
    assert loops.find_strings(offsets, positions, starts, ends) is True
    wanted = [texts[int(position)] for position in positions]
    assert ends.tolist() == np.cumsum([0, *map(len, wanted)]).tolist()
    for text in data[3:].copy(), np.append(data[3:], np.zeros(200, np.uint8)):
        out = np.full(int(ends[-1]) + 200, 255, np.uint8)
        loops.copy_strings(text, starts, ends, out)
        assert out[: int(ends[-1])].tobytes() == b"".join(wanted)
    for wrong in range(count):
        changed = positions.copy()
        changed[wrong] = 30
        assert loops.find_strings(offsets, changed, starts, ends) is False
        lengths = [0 if number == wrong else len(one) for number, one in enumerate(wanted)]
        assert np.diff(ends.astype(int)).tolist() == lengths


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("count", LENGTHS)
def test_marked_values_are_copied_and_put(dtype, count):
    column = RANDOM.integers(0, np.iinfo(dtype).max, count, dtype, endpoint=True)
    masks = [np.zeros(count, bool), np.ones(count, bool), RANDOM.random(count) < 0.5, RANDOM.random(count) < 0.05]
    for mask in masks:
        out = np.zeros(int(mask.sum()) + 1, dtype)
        assert loops.copy_masked(mask, column, out) == mask.sum()
        assert out[:-1].tolist() == column[mask].tolist()
        items = np.arange(mask.sum()).astype(dtype)
        changed, expected = column.copy(), column.copy()
        expected[mask] = items
        loops.put_masked(mask, items, changed)
        assert changed.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("count", [0, 1, 16, 17, 40])
def test_items_are_put_at_positions_of_some_rows(dtype, count):
    total, first, rows = 30, 10, 12
    positions = RANDOM.integers(-total, total, count)
    items = np.arange(count).astype(dtype)
    whole = np.full(total, 200, dtype)
    for position, item in zip(positions, items, strict=True):
        whole[position] = item
    out = np.full(rows, 200, dtype)
    assert loops.put_at(positions, items, first, total, out) == -1
    assert out.tolist() == whole[first : first + rows].tolist()
    single = np.full(total, 200, dtype)
    single[positions] = 5
    out = np.full(rows, 200, dtype)
    assert loops.put_at(positions, np.array([5], dtype), first, total, out) == -1
    assert out.tolist() == single[first : first + rows].tolist()
    for wrong in range(count):
        for beyond in total, -total - 1:
            changed = positions.copy()
            changed[wrong] = beyond
            assert loops.put_at(changed, items, first, total, out) == wrong


def test_numbers_are_successive_or_not():
    for start in 0, -3, 2**63 - 40:
        for count in range(20):
            numbers = start + np.arange(count)
            assert loops.are_successive(numbers) is True
            for wrong in range(1, count):
                for more in 1, -1, 2**32:
                    if start + count + more < 2**63:
                        changed = numbers.copy()
                        changed[wrong] += more
                        assert loops.are_successive(changed) is False
    assert not loops.are_successive(np.array([3, 2]))
    assert not loops.are_successive(np.array([3, 3]))
