"""Arguments that loops cannot take, or that are wrong: an error tells it, and nothing else is read or written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from akdask.columns import loops as rows
from akdask.formats.parquet import loops as parquet_loops
from akdask.operators.group import loops as groups
from akdask.operators.join import loops as tables
from akdask.operators.keys import loops as keys
from akdask.operators.reduce import loops as reductions
from akdask.operators.sort import loops as sorts
from akdask.operators.text import loops as text

TREE = Path(__file__).parents[2]

WORDS = np.arange(4, dtype=np.uint64)
LAST = 2**64 - 1


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)
    found = memory[1:].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


def read_only(array):
    found = array.copy()
    found.flags.writeable = False
    return found


@pytest.mark.slow
@pytest.mark.parametrize("_round", range(1 if "CI" in os.environ else 2))
def test_loops_of_every_noun_refuse_wrong_arguments_or_do_what_they_can(_round, request):
    seed = int(request.config.getoption("--hypothesis-seed") or 0) + _round
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.native.bad_calls", str(seed)],
        cwd=TREE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    counts = {line.split()[0]: list(map(int, line.split()[1:])) for line in done.stdout.splitlines()}
    assert sum(bool(called) for called, _ in counts.values()) > 50
    assert sum(refused for _, refused in counts.values()) > sum(called for called, _ in counts.values())


@pytest.mark.parametrize(
    "table",
    [
        WORDS.astype(np.float64),
        WORDS.astype(np.uint32),
        WORDS.astype(WORDS.dtype.newbyteorder()),
        WORDS[::-1],
        WORDS[::2],
        WORDS.reshape(2, 2),
        WORDS.tolist(),
        None,
        b"",
    ],
    ids=["floats", "half", "swapped", "backwards", "gaps", "matrix", "list", "nothing", "bytes"],
)
def test_arrays_of_another_type_or_layout_are_no_arguments(table):
    out = np.empty(4, np.uint64)
    with pytest.raises(TypeError, match="no loop takes these arguments"):
        rows.gather_words(table, WORDS, 0, out)
    with pytest.raises(TypeError, match="no loop takes these arguments"):
        rows.gather_words(WORDS, WORDS, 0, table)


def test_arrays_that_are_written_to_are_writable_and_those_that_are_read_need_not_be():
    out = np.empty(4, np.uint64)
    assert rows.gather_words(read_only(WORDS), read_only(WORDS), 0, out)
    assert out.tolist() == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="read-only"):
        rows.gather_words(WORDS, WORDS, 0, read_only(out))


def test_items_at_odd_addresses_are_read_and_not_written():
    out = np.empty(4, np.uint64)
    assert rows.gather_words(unaligned(WORDS), unaligned(WORDS[::-1].copy()), 0, out)
    assert out.tolist() == [3, 2, 1, 0]
    found = np.empty(4, np.int64)
    keys.find_words(WORDS, unaligned(np.zeros((2, 2), np.uint64)), found)
    assert found.tolist() == [-1] * 4
    with pytest.raises(ValueError, match="odd addresses"):
        rows.gather_words(WORDS, WORDS, 0, unaligned(out))
    # Nothing is at no address, and bytes are at any.
    assert rows.gather_words(unaligned(WORDS[:0]), unaligned(WORDS[:0]), 0, unaligned(out[:0]))
    assert text.count_beyond_ascii(unaligned(np.frombuffer(b"a\xff", np.uint8))) == 1


def test_numbers_that_words_cannot_hold_are_no_arguments():
    for number in (-1, 2**64, 0.5, None, "1"):
        with pytest.raises(TypeError, match="no loop takes these arguments"):
            rows.gather_words(WORDS, WORDS, number, np.empty(4, np.uint64))


INTS = np.zeros(1, np.int64)
BYTE = np.zeros(1, np.uint8)
ONE = np.array([0, 1])


def words(*numbers):
    return np.array(numbers, np.uint64)


def rank(leading, rest, bounds, *, count=0, codes=4, firsts=4, memory=100):
    given = np.empty(codes, np.int32), np.empty(firsts, np.int64), np.empty(memory, np.uint64)
    return groups.rank_slices(leading, rest, np.array(bounds), count, *given)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rank(WORDS, WORDS[:0], [0, 4], codes=3),
        lambda: rank(WORDS, WORDS[:0], [0, 4], firsts=3),
        lambda: rank(WORDS, WORDS[:0], [0, 4], memory=4 * 4 + 63),
        lambda: rank(WORDS, WORDS[:3], [0, 4]),
        lambda: rank(WORDS, WORDS[:0], [0, 5]),
        lambda: rank(WORDS, WORDS[:0], [-1, 4]),
        lambda: rank(WORDS, WORDS[:0], [2, 1]),
        lambda: rank(WORDS, WORDS[:0], [0, 4], count=1),
        lambda: keys.append_bits(WORDS, 0, 64, 0, WORDS.copy()),
        lambda: keys.append_bits(WORDS, 0, 0, 65, WORDS.copy()),
        lambda: keys.append_bits(WORDS, 0, 0, 1, WORDS[:3].copy()),
        lambda: groups.partition(np.zeros(9, np.uint8), INTS - 3, words(*range(9)), np.empty(9, np.uint64)),
        lambda: groups.keep_first(
            INTS, words(0), INTS, 1, words(0), INTS + 9, 0, 1
        ),
        lambda: rows.copy_strings(
            np.zeros(40, np.uint8), WORDS[:1], words(LAST - np.uint64(2), LAST), np.empty(64, np.uint8)
        ),
        lambda: tables.insert_packed(WORDS, INTS[:0], 0, 1, 1, 60, 0, 1, np.zeros(40, np.uint64), INTS + 0, INTS + 0),
        lambda: tables.insert_packed(WORDS, INTS[:0], 0, 1, 1, 60, 2, 2, np.full(40, LAST), INTS + 0, INTS + 0),
        lambda: tables.insert_packed(WORDS, INTS[:0], 0, 1, 1, 60, 0, 3, np.full(40, LAST), INTS + 0, INTS + 0),
        lambda: tables.insert_packed(WORDS, INTS[:0], 0, 1, 1, 60, 0, 2, np.full(40, LAST), INTS + 0, INTS[:0]),
        lambda: tables.insert_packed(WORDS, INTS[:1], 0, 1, 1, 60, 0, 1, np.full(40, LAST), INTS + 0, INTS + 0),
        lambda: tables.find_hashed(WORDS, 0, np.full(4, LAST), False, np.empty(4, np.bool_)),
        lambda: keys.hash_words(words(0, LAST - np.uint64(70)), np.zeros(80, np.uint8), np.empty(1, np.uint64)),
        lambda: keys.siphash(words(0, LAST), np.zeros(80, np.uint8), False, np.empty(1, np.uint64)),
        lambda: sorts.number_ranges(
            words(LAST), INTS, WORDS, np.zeros(4, np.int64), 0, 0, np.zeros(2, np.uint16), np.zeros(1, np.uint16)
        ),
        lambda: sorts.search_text(ONE, BYTE, ONE, BYTE, False, INTS - 1, INTS + 0),
        lambda: reductions.select_ranks(
            np.full(40, np.nan), np.array([0, 40]), INTS + 20, INTS + 20, np.empty((2, 1)), 0, 1
        ),
        lambda: rows.put_at(INTS, WORDS[:2], 0, 9, WORDS.copy()),
        lambda: rows.put_at(INTS, WORDS[:1], 3, 2, WORDS.copy()),
        lambda: rows.put_masked(np.ones(4, np.bool_), WORDS[:3], WORDS.copy()),
        lambda: rows.put_masked(np.ones(3, np.bool_), WORDS[:3], WORDS.copy()),
        lambda: reductions.sum_squares(np.zeros(4), 3, 1, np.empty(1)),
        lambda: reductions.sum_squares(np.zeros(4), 2, 2**62, np.empty(2)),
        lambda: reductions.sum_squares(np.zeros(4), 0, 0, np.empty(0)),
        lambda: reductions.keep_between(WORDS, 0, 1, WORDS[:1].copy(), np.empty(2, np.int64)),
        lambda: text.copy_padded(ONE, BYTE, 2**62, np.zeros(4, np.uint8), 0, INTS.repeat(2), np.empty(9, np.uint8)),
    ],
)  # fmt: skip
def test_numbers_and_positions_beyond_are_errors(call):
    with pytest.raises(ValueError, match=r"\w"):
        call()


def test_nothing_is_repeated_at_once():
    offsets, ends = np.zeros(3, np.int64), np.ones(3, np.int64)
    text.copy_repeated(offsets, np.empty(0, np.uint8), 2**62, ends, np.empty(0, np.uint8))
    assert ends.tolist() == [0, 0, 0]


def test_pages_are_not_decoded_from_a_row_behind_the_last_possible_one():
    pages = np.array([[0, 4, 0, 32, 32, -1, 0, 1, -1, -1]])
    room = np.zeros(4096, np.uint8)
    given = -1, room, 0, room, pages, room, np.array([-1, 0, -1])
    nothing = np.zeros(0, np.int64)
    about = nothing, False, np.zeros(0, np.bool_), nothing.reshape(0, 6), np.zeros(1, np.uint64), 0, 8, 1, 1.0, 0
    for start in (2**63 - 1, 2**63 - 4, 2**40 + 1):
        with pytest.raises(ValueError, match="no row to start at"):
            parquet_loops.decode_pages(*given, start, *about, np.zeros(4, np.uint64))
    assert parquet_loops.decode_pages(*given, 0, *about, np.zeros(4, np.uint64)) == 4
