"""Facts of data against NumPy, whatever the blocks that it comes in."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.formats.hdf5 import validation as facts
from akdask.formats.hdf5.metadata import StoredDataset

NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30)
CUTS = st.lists(st.integers(0, 30), max_size=5).map(sorted)


def pieces(values, cuts):
    return [piece for piece in np.split(np.array(values, np.int64), cuts) if len(piece)]


@given(values=NUMBERS, cuts=CUTS)
def test_facts_of_numbers_do_not_depend_on_blocks(values, cuts):
    found = facts.number_facts(pieces(values, cuts))
    if not values:
        assert found is None
        return
    falls = [row for row in range(1, len(values)) if values[row] < values[row - 1]]
    assert found == facts.NumberFacts(
        len(values), values[0], values[-1], min(values), max(values), falls[0] if falls else None
    )


def test_numbers_above_the_range_of_int64_are_compared_as_they_are():
    found = facts.number_facts([np.array([1, 2**64 - 1], np.uint64), np.array([2**63], np.uint64)])
    assert (found.maximum, found.fall) == (2**64 - 1, 2)


@given(values=st.lists(st.integers(-5, 12), max_size=12), cuts=CUTS)
def test_a_fingerprint_is_that_of_the_first_numbers_only_for_a_permutation_of_them(values, cuts):
    same = facts.fingerprint(pieces(values, cuts)) == facts.fingerprint(facts.counted(len(values)))
    assert same == (sorted(values) == list(range(len(values))))


@pytest.mark.parametrize("block", [1, 2, 5, 4 * 2**20])
@given(
    texts=st.lists(st.text("aé\u20ac", max_size=3), max_size=8),
    wrong=st.none() | st.integers(0, 7),
    cut=st.booleans(),
)
def test_facts_of_strings_do_not_depend_on_blocks(block, texts, wrong, cut):
    encoded = [text.encode() + b"\0" for text in texts]
    data = b"".join(encoded)
    data = data[:-1] if cut else data
    starts = np.cumsum([0, *map(len, encoded)])[:-1]
    moved = wrong is not None and 0 < wrong < len(starts)
    if moved:
        starts[wrong] += 1
    found = found_in(np.frombuffer(data, np.uint8), starts, block)
    assert found.nuls == data.count(b"\0")
    assert found.is_terminated == (not data or data.endswith(b"\0"))
    assert found.astray == (wrong if moved else None)
    assert found.not_utf8 is None


@given(data=st.binary(min_size=1, max_size=20).filter(lambda data: data[-1] < 0x80), block=st.integers(1, 20))
def test_bytes_that_are_not_utf8_are_found_in_any_blocks(data, block):
    found = found_in(np.frombuffer(data, np.uint8), None, block)
    assert found.not_utf8 == first_not_utf8(data)


def first_not_utf8(data):
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"{error.reason} at byte {error.start}"
    return None


def found_in(values, starts, block):
    with h5py.File("memory", "w", driver="core", backing_store=False) as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(facts, "BLOCK_BYTES", block)
        file["values"] = values
        if starts is not None:
            file["segments"] = starts
        described = [StoredDataset(file[name].id, name) for name in ("values", "segments") if name in file]
        return facts.string_facts(
            facts.OpenFile("memory", file), described[0], described[1] if len(described) > 1 else None
        )
