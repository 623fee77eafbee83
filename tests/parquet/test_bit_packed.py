from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.formats.parquet import loops

MARGIN = 16


def look_up(data, width, words, out, skipped=0):
    return loops.look_up(data, 0, len(data) - MARGIN, width, words, len(words), skipped, out)


def packed(runs, width):
    """Return runs, each a list of positions to be packed or a position with a number of times, as Parquet has them."""
    found = b""
    for run in runs:
        if isinstance(run, tuple):
            position, times = run
            found += varint(times << 1) + position.to_bytes((width + 7) // 8, "little")
        else:
            groups = -(-len(run) // 8)
            bits = sum(position << width * place for place, position in enumerate(run))
            found += varint(groups << 1 | 1) + bits.to_bytes(groups * width, "little")
    return np.frombuffer(found + bytes(MARGIN), np.uint8)


def varint(number):
    found = b""
    while number >= 128:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


@given(data=st.data(), width=st.integers(0, 20), dtype=st.sampled_from([np.uint64, np.uint8]))
def test_positions_are_looked_up(data, width, dtype):
    words = np.arange(min(2**width, 300)).astype(dtype) * dtype(7) + dtype(1)
    position = st.integers(0, len(words) - 1)
    runs = data.draw(st.lists(st.tuples(position, st.integers(1, 30)) | st.lists(position, min_size=8, max_size=8)))
    expected = [words[p] for run in runs for p in ([run[0]] * run[1] if isinstance(run, tuple) else run)]
    skipped = data.draw(st.integers(0, len(expected)))
    out = np.empty(len(expected) - skipped, dtype)
    assert look_up(packed(runs, width), width, words, out, skipped)
    assert out.tolist() == expected[skipped:]


@pytest.mark.parametrize(
    "data",
    [
        b"",  # nothing at all
        b"\x03\x01",  # a group of eight positions of 3 bits, in one byte
        b"\x10",  # a run without its position
        b"\x10\x05",  # a position that there is not
        b"\xff\xff\xff\xff\xff\xff\xff",  # a number without end
        b"\x00\x01\x00\x01",  # runs of no length
    ],
)
def test_what_makes_no_sense_is_refused(data):
    raw = np.frombuffer(data + bytes(MARGIN), np.uint8)
    assert not look_up(raw, 3, np.arange(5, dtype=np.uint64), np.empty(16, np.uint64))


def test_positions_without_a_margin_are_refused():
    words, out = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    for first, last in ((0, 1), (5, 4), (0, 2**62)):
        with pytest.raises(ValueError, match="margin"):
            loops.look_up(np.zeros(MARGIN, np.uint8), first, last, 1, words, 1, 0, out)
