from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask import compiled

if not compiled.load():
    pytest.skip("Numba is not installed", allow_module_level=True)

from akdask.formats.parquet.bit_packed_loops import MARGIN, look_up


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


@given(data=st.data(), width=st.integers(0, 20))
def test_positions_are_looked_up(data, width):
    words = np.arange(min(2**width, 300), dtype=np.uint64) * 7 + 1
    position = st.integers(0, len(words) - 1)
    runs = data.draw(st.lists(st.tuples(position, st.integers(1, 30)) | st.lists(position, min_size=8, max_size=8)))
    expected = [words[p] for run in runs for p in ([run[0]] * run[1] if isinstance(run, tuple) else run)]
    out = np.empty(len(expected), np.uint64)
    assert look_up(packed(runs, width), width, words, out)
    assert out.tolist() == expected


@pytest.mark.parametrize(
    "data",
    [
        b"",  # nothing at all
        b"\x03\x01",  # a group of eight positions of 3 bits, in one byte
        b"\x10",  # a run without its position
        b"\x10\x07",  # a position that there is not
        b"\xff\xff\xff\xff\xff\xff\xff",  # a number without end
        b"\x00\x01\x00\x01",  # runs of no length
    ],
)
def test_what_makes_no_sense_is_refused(data):
    raw = np.frombuffer(data + bytes(MARGIN), np.uint8)
    assert not look_up(raw, 3, np.arange(5, dtype=np.uint64), np.empty(16, np.uint64))
