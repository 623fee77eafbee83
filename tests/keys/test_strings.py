"""Compiled loops over strings against the general path, to the bit."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask import compiled
from akdask.engine.operations import OPERATIONS
from akdask.operators.group import dictionary, tuning
from akdask.operators.group.dictionary import Dictionary, ranked
from akdask.operators.keys.hashing import hash_rows
from akdask.operators.keys.string_codes import EncodedStrings, StringEncoder
from akdask.operators.values.strings import unicode_array

NO_NUMBA = "Numba is not installed"
numbering = pytest.importorskip("akdask.operators.group.dictionary_loops", reason=NO_NUMBA, exc_type=ImportError)

CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXT = st.text(CHARACTERS, max_size=10) | st.text("ab\0", max_size=70) | st.text("ab", min_size=60, max_size=70)


@st.composite
def some_strings(draw, texts=TEXT):
    """An array that is part of its buffers, or ends where they end; what is around it does not matter."""
    plain = [text.encode() for text in draw(st.lists(texts, max_size=30))]
    before, behind = draw(st.binary(max_size=9)), draw(st.binary(max_size=9) | st.just(b""))
    offsets = np.cumsum([0, len(before), *map(len, plain), len(behind)])
    data = np.frombuffer(b"".join([before, *plain, behind]), np.uint8)
    whole = pa.LargeStringArray.from_buffers(len(plain) + 2, pa.py_buffer(offsets), pa.py_buffer(data))
    return whole[1:-1]


def by_either_path(function, *args):
    results = []
    for installed in (False, True):
        with patch.multiple(compiled, INSTALLED=installed, WORTH_LOADING=0):
            results.append(function(*args))
    return results


def test_paths_are_told_apart():
    general, quick = by_either_path(compiled.should_compile, 0)
    assert quick
    assert not general


@given(some_strings())
def test_hashes_are_the_same(strings):
    general, quick = by_either_path(hash_rows, [strings])
    assert quick.tolist() == general.tolist()


@pytest.mark.parametrize("length", range(71))
def test_hashes_of_any_length_are_the_same_up_to_the_end_of_the_buffer(length):
    text = bytes(range(1, 1 + length)) * 2
    bounds = np.array([0, length, 2 * length])
    strings = pa.LargeStringArray.from_buffers(2, pa.py_buffer(bounds), pa.py_buffer(text))
    general, quick = by_either_path(hash_rows, [strings])
    assert quick.tolist() == general.tolist()
    assert quick[0] == quick[1]


def coded(blocks):
    coding = StringEncoder(0)
    for block in blocks:
        coding.append(block)
    return coding.finish()


@given(st.lists(some_strings() | some_strings(st.text("ab", min_size=9, max_size=9)), max_size=4))
def test_forms_and_codes_are_the_same_and_give_the_strings_back(blocks):
    general, quick = by_either_path(coded, blocks)
    strings = pa.concat_arrays([pa.array([], pa.large_string()), *blocks])
    if isinstance(general, EncodedStrings):
        assert quick.form == general.form
        assert [code.tolist() for code in quick.codes] == [code.tolist() for code in general.codes]
        general, quick = by_either_path(general.strings)
    quick.validate()
    assert quick.equals(general)
    assert quick.cast(pa.large_binary()).equals(strings.cast(pa.large_binary()))


def contains(strings, pattern):
    return OPERATIONS["contains"].kernel(strings, substr=pattern)


@given(some_strings(st.text("ab\0", max_size=9) | TEXT), st.text("ab\0", max_size=4) | TEXT)
def test_patterns_are_found_in_the_same_strings(strings, pattern):
    general, quick = by_either_path(contains, strings, pattern)
    assert quick.tolist() == general.tolist()


@pytest.mark.parametrize("length", [1, 7, 1000, 5000])
def test_patterns_are_found_wherever_they_lie_in_long_texts(length):
    plain = ["".join("ab"[number * step % 7 % 2] for number in range(length)) for step in range(1, 6)]
    for pattern in ("abb", "bab", "aabab", "a" * 9):
        general, quick = by_either_path(contains, pa.array(plain, pa.large_string()), pattern)
        assert quick.tolist() == general.tolist() == [pattern in text for text in plain]


@given(some_strings())
def test_strings_of_numpy_are_the_same(strings):
    general, quick = by_either_path(unicode_array, strings)
    assert quick.dtype == general.dtype
    assert quick.tolist() == general.tolist()


def numbered(blocks, limit):
    """Return the numbers of each block's strings, and which strings are known after it."""
    known = Dictionary()
    found = []
    with patch.object(tuning, "MOST_STRINGS", limit):
        for block in blocks:
            codes = known.codes(block)
            found.append((None if codes is None else codes.tolist(), known.values.to_pylist()))
    return found


@given(st.lists(some_strings(st.text("ab", max_size=3) | TEXT.filter(str.isprintable)), max_size=6), st.integers(0, 40))
def test_numbers_are_the_same_in_each_block_and_end_at_the_same_limit(blocks, limit):
    general, quick = by_either_path(numbered, blocks, limit)
    assert quick == general


@given(st.lists(some_strings(), min_size=1, max_size=5), st.integers(1, 4))
def test_strings_met_before_the_compiler_is_loaded_keep_their_numbers(blocks, later):
    known = Dictionary()
    for number, block in enumerate(blocks):
        with patch.multiple(compiled, INSTALLED=number >= later, WORTH_LOADING=0):
            codes = known.codes(block)
        assert known.values.take(pa.array(codes)).to_pylist() == block.to_pylist()
    assert len(known.values.unique()) == len(known.values)


@given(some_strings())
def test_ranks_are_the_same(strings):
    (ranks, table), (quick_ranks, quick_table) = by_either_path(ranked, strings)
    assert quick_ranks.tolist() == ranks.tolist()
    assert quick_table.equals(table)


def test_tables_grow_with_strings_and_their_bytes():
    numbers = np.random.default_rng(0).integers(0, 30_000, 100_000)
    strings = pa.array([f"{number:b}" * (number % 3) + f"{number}" for number in numbers.tolist()], pa.large_string())
    blocks = [strings[start : start + 10_000] for start in range(0, len(strings), 10_000)]
    with patch.object(dictionary, "_are_too_many", return_value=False):
        general, quick = by_either_path(numbered, blocks, 2**15)
    assert quick == general


def test_short_strings_keep_their_numbers_among_long_ones():
    short = ["", "\0", "\0\0", "a", "a\0", "ab", "b\0\0a", "seven c", "8 chars.", "8 chars\0", "é"]
    long = ["9 chars..", "8 chars.\0", "a" * 16, "a" * 24, "a" * 25]
    blocks = [pa.array(some * (2**10 // len(some)), pa.large_string()) for some in (short, [*long, *short], short)]
    with patch.object(dictionary, "_are_too_many", return_value=False):
        general, quick = by_either_path(numbered, blocks, 2**15)
    assert quick == general


def test_long_strings_with_equal_hashes_are_compared_to_their_middle(monkeypatch):
    njit = pytest.importorskip("numba").njit
    for name in ("FIRST", "SECOND", "THIRD"):
        monkeypatch.setattr(numbering, name, np.uint64(0))
    # Compiled anew it takes the constants that are there now, so that all hashes are alike.
    monkeypatch.setattr(numbering, "_number", njit(error_model="numpy")(numbering._number.py_func))
    texts = [f"sixteen letters,{number:012d}the end." for number in (1, 2, 1, 10**11, 2)]
    known = numbering.Numbering()
    assert known.numbers(pa.array(texts, pa.large_string()), 100).tolist() == [0, 1, 0, 2, 1]
    assert known.strings().to_pylist() == list(dict.fromkeys(texts))


def test_hundreds_of_thousands_of_long_strings_that_differ_in_the_middle_have_numbers_of_their_own():
    texts = pa.array([f"sixteen letters,{number:012d}the end." for number in range(400_000)], pa.large_string())
    assert np.array_equal(numbering.Numbering().numbers(texts, len(texts)), np.arange(len(texts)))
