"""Values and segments against what Python makes of the same texts, in pieces cut anywhere."""

from __future__ import annotations

import itertools
import tracemalloc
from contextlib import contextmanager
from unittest.mock import patch

import h5py
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from akdask.errors import FileFormatError
from akdask.formats import tuning
from akdask.formats.hdf5 import loops
from akdask.formats.hdf5 import null_terminated as nulended
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.null_terminated import (
    PrefixRange,
    StringError,
    decode,
    encode,
    segments_of,
    starts_from_ends,
)

CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.lists(st.text(CHARACTERS, max_size=9) | st.text("ab", max_size=70), max_size=12)
PIECES = st.integers(1, 5)
IN_FIXTURES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def arrow(texts):
    """An array that begins in the middle of its buffers."""
    return pa.array(["skipped", *texts, "behind"], pa.large_string()).slice(1, len(texts))


def encoded(strings):
    """The bytes of strings, and the range that was found on the way."""
    prefixes = PrefixRange()
    return b"".join(block.tobytes() for block in encode(strings, prefixes)), prefixes.bounds


def values_of(texts):
    return b"".join(text.encode() + b"\0" for text in texts)


def bounds_of(texts):
    return np.cumsum([0, *(len(text.encode()) + 1 for text in texts)])


def decoded(values, bounds):
    return decode(np.frombuffer(values, np.uint8), np.array(bounds, np.int64))


@contextmanager
def pieces_of(rows, nbytes=2**22):
    with patch.object(tuning, "BLOCK_ROWS", rows), patch.object(nulended, "BLOCK_BYTES", nbytes):
        yield


@given(texts=TEXTS, start=st.integers(0, 2**40))
def test_decoding_gives_the_texts_wherever_their_segments_start(texts, start):
    strings = decoded(values_of(texts), bounds_of(texts) + start)
    strings.validate(full=True)
    assert strings.type == pa.large_string()
    assert strings.to_pylist() == texts


@given(texts=TEXTS, rows=PIECES, nbytes=st.integers(0, 50))
def test_encoding_in_pieces_cut_anywhere_gives_the_bytes_of_all(texts, rows, nbytes):
    with pieces_of(rows, nbytes):
        values, bounds = encoded(arrow(texts))
    spelled = sorted(text.encode() for text in texts)
    assert values == values_of(texts)
    assert bounds == ((spelled[0][:16], spelled[-1][:16]) if texts else None)


# Few letters, so that strings often begin alike; the first of four bytes in UTF-8.
@given(st.lists(st.lists(st.text(st.sampled_from("\U0001f600éaz"), max_size=24), min_size=1, max_size=40), max_size=3))
@example([["a" * 16 + "z", "a" * 17]])
@example([["a" * 8], ["a" * 7], ["a" * 9]])
@example([["a" * 8 + letter for letter in "bac"]])
@example([[""]])
def test_the_smallest_and_the_largest_string_are_found_by_their_first_bytes(pieces):
    prefixes = PrefixRange()
    for texts in pieces:
        assert b"".join(block.tobytes() for block in encode(arrow(texts), prefixes)) == values_of(texts)
    spelled = sorted(text.encode() for texts in pieces for text in texts)
    assert prefixes.bounds == ((spelled[0][:16], spelled[-1][:16]) if spelled else None)


@pytest.mark.parametrize("length", [0, 1, 7, 31, 32, 33, 64, 71, 72, 73, 200])
@pytest.mark.parametrize("before", [0, 1, 40, 100])
def test_last_strings_are_encoded_without_a_byte_behind_them(before, length):
    texts = ["b" * before, "a" * length]
    offsets, data = np.array([0, before, before + length]), np.frombuffer("".join(texts).encode(), np.uint8)
    values = np.empty(before + length + 34, np.uint8)
    least, most = np.full(2, 2**64 - 1, np.uint64), np.zeros(2, np.uint64)
    assert not loops.put_nuls_on(data, offsets, values, least, most)
    assert values[:-32].tobytes() == values_of(texts)


def test_loops_refuse_strings_beyond_their_text():
    words, values = np.zeros(2, np.uint64), np.empty(64, np.uint8)
    text = np.ones(4, np.uint8)
    for offsets in ([0, 5], [0, 3, 2], [0, -1, 4]):
        with pytest.raises(ValueError, match=r"strings|offsets"):
            loops.put_nuls_on(text, np.array(offsets), values, words, words.copy())
    with pytest.raises(ValueError, match="strings"):
        loops.put_nuls_on(text, np.array([0, 4]), values[:36], words, words.copy())
    with pytest.raises(ValueError, match="strings"):
        loops.take_nuls_off(text, np.array([0, 4]), np.zeros(2, np.int64), np.empty(35, np.uint8))


@given(texts=TEXTS, rows=PIECES)
def test_segments_in_pieces_are_the_starts_of_all(texts, rows):
    with pieces_of(rows):
        found = [segments for piece in segments_of(arrow(texts)) for segments in piece.tolist()]
    assert found == bounds_of(texts)[:-1].tolist()


@given(TEXTS)
def test_starts_follow_from_the_positions_of_nuls(texts):
    nuls = np.flatnonzero(np.frombuffer(values_of(texts), np.uint8) == 0)
    assert starts_from_ends([nuls[:3], nuls[3:]]).tolist() == bounds_of(texts).tolist()


@pytest.mark.parametrize("texts", [[""], ["", "", ""], ["a"], ["ü"], ["", "日本", ""], ["x" * 100_000, "y"]])
def test_few_texts_come_back_from_their_bytes(texts):
    values, _ = encoded(arrow(texts))
    assert values == values_of(texts)
    assert decoded(values, bounds_of(texts)).to_pylist() == texts


def check_rows(values, bounds):
    """Say which rows are strings, by Python's own means, from the first on; None if a segment is none."""
    if any(start >= stop for start, stop in itertools.pairwise(bounds)):
        return None
    rows = [values[start:stop] for start, stop in itertools.pairwise(bounds)]
    if not all(row.endswith(b"\0") and row.count(b"\0") == 1 for row in rows):
        return None
    try:
        return [row[:-1].decode() for row in rows]
    except UnicodeDecodeError:
        return None


@given(
    values=st.lists(st.sampled_from([b"\0", b"a", b"\xc3", b"\xa9", "é".encode()]), max_size=10).map(b"".join),
    data=st.data(),
)
def test_bytes_are_decoded_if_and_only_if_each_row_is_a_string(values, data):
    inner = data.draw(st.lists(st.integers(0, len(values)), max_size=5))
    bounds = [0, *inner, len(values)]
    expected = check_rows(values, bounds)
    if expected is None:
        with pytest.raises(StringError):
            decoded(values, bounds)
    else:
        assert decoded(values, bounds).to_pylist() == expected


@pytest.mark.parametrize(
    ("values", "bounds", "row", "text"),
    [
        (b"aa\0bb\0", [0, 2, 6], 0, "does not end with its one NUL"),
        (b"a\0b\0cc\0", [0, 2, 2, 7], 1, "does not end with its one NUL"),
        (b"aa\0b\0b\0", [0, 3, 7], 1, "does not end with its one NUL"),
        (b"a\0bb\0c", [0, 2, 6], 1, "does not end with its one NUL"),
        (b"aa\0b\0", [0, 5], 0, "does not end with its one NUL"),
        (b"aa\0\xff\0b\0", [0, 3, 5, 7], 1, "not UTF-8"),
        (b"a\0\xc3\0\xa9\0", [0, 2, 4, 6], 1, "not UTF-8"),
    ],
)
def test_an_error_names_the_first_row_that_is_no_string(values, bounds, row, text):
    with pytest.raises(StringError, match=text) as caught:
        decoded(values, bounds)
    assert caught.value.row == row


@given(texts=st.lists(st.text("ab", max_size=3), min_size=1), rows=PIECES, data=st.data())
def test_a_nul_inside_a_text_is_refused_by_row_in_whatever_piece(texts, rows, data):
    row = data.draw(st.integers(0, len(texts) - 1))
    bad = [*texts[:row], texts[row] + "\0", *texts[row + 1 :]]
    with pieces_of(rows), pytest.raises(StringError, match="contains NUL") as caught:
        encoded(arrow(bad))
    assert caught.value.row == row


# ---------------------------------------------------------------------------------------------- from files


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("nulended") / "x.h5"


def read_rows(path, values, segments, rows, **options):
    path.unlink(missing_ok=True)
    with h5py.File(path, "w") as file:
        file["s/values"] = np.frombuffer(values, np.uint8)
        file["s/segments"] = np.array(segments, np.int64)
    stored = open_set(path, **options).select()["s"].members["values"]
    with stored.source.part(0, ["s"]).open() as reader:
        return reader.read("s", *rows)


@IN_FIXTURES
@given(texts=TEXTS, without=st.booleans(), data=st.data())
def test_rows_read_are_the_texts(path, texts, without, data):
    start = data.draw(st.integers(0, len(texts)))
    stop = data.draw(st.integers(start, len(texts)))
    segments = bounds_of(texts)[:-1]
    found = read_rows(path, values_of(texts), segments, (start, stop), calc_string_offsets=without)
    found.validate(full=True)
    assert found.to_pylist() == texts[start:stop]


@IN_FIXTURES
@given(
    texts=st.lists(st.text("ab", max_size=3), min_size=2, max_size=8),
    wrong=st.sampled_from([-(2**60), -3, 0, 5, 2**31, 2**60]) | st.integers(0, 30),
    data=st.data(),
)
def test_a_wrong_segment_anywhere_is_an_error(path, texts, wrong, data):
    segments = bounds_of(texts)[:-1]
    row = data.draw(st.integers(1, len(texts) - 1))
    right, segments[row] = segments[row], wrong
    if wrong == right:
        assert read_rows(path, values_of(texts), segments, (0, len(texts))).to_pylist() == texts
        return
    with pytest.raises(FileFormatError, match="holds no valid strings"):
        read_rows(path, values_of(texts), segments, (0, len(texts)))
    # Where the rows asked for end there, the size taken for all of them is wrong too.
    with pytest.raises(FileFormatError, match="holds no valid strings"):
        read_rows(path, values_of(texts), segments, (0, row))


def test_the_place_of_an_error_is_found_without_the_places_of_all_nuls():
    values = np.zeros(2**25, np.uint8)
    tracemalloc.start()
    try:
        with pytest.raises(StringError, match="NUL"):
            decode(values, np.array([0, 1, len(values)]))
        assert tracemalloc.get_traced_memory()[1] < 4 * len(values)
    finally:
        tracemalloc.stop()
