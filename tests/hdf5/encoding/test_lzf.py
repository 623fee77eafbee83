"""The loop that undoes LZF against plain Python, and against HDF5."""

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.formats.hdf5 import loops
from akdask.formats.hdf5.chunks import LZF, ChunkError, undo


def packed(data):
    """Return what HDF5 stores of some bytes."""
    with h5py.File("x", "w", driver="core", backing_store=False) as file:
        made = file.create_dataset("x", data=data, chunks=(len(data),), compression="lzf")
        mask, stored = made.id.read_direct_chunk((0,))
    return stored if not mask else None


def expected(stored, limit):
    """Return the unpacked bytes, None if they are damaged or more than `limit`."""
    out, stored = bytearray(), iter(stored)
    try:
        for control in stored:
            if control < 32:
                out += bytes(next(stored) for _ in range(control + 1))
                continue
            length = control >> 5
            length += next(stored) if length == 7 else 0
            back = ((control & 31) << 8) + next(stored) + 1
            if back > len(out):
                return None
            for _ in range(length + 2):
                out.append(out[-back])
    except (StopIteration, RuntimeError):
        return None
    return bytes(out) if len(out) <= limit else None


def unpacked(stored, limit):
    out = np.empty(limit, np.uint8)
    count = loops.unpack_lzf(np.frombuffer(stored, np.uint8), out)
    return None if count < 0 else out[:count].tobytes()


@given(st.binary(max_size=200), st.integers(0, 400))
def test_any_bytes_are_unpacked_or_refused(stored, limit):
    assert unpacked(stored, limit) == expected(stored, limit)


@given(st.integers(0, 2**32), st.integers(1, 5000), st.sampled_from([1, 2, 5, 50, 256]), st.data())
def test_what_hdf5_packs_is_unpacked_and_damage_never_leaves_the_arrays(seed, size, different, data):
    rng = np.random.default_rng(seed)
    plain = np.repeat(rng.integers(0, different, size), rng.integers(1, 6, size))[:size].astype(np.uint8)
    stored = packed(plain)
    if stored is None:
        return
    assert unpacked(stored, size) == plain.tobytes()
    assert unpacked(stored, size - 1) is None
    damaged = bytearray(stored)
    damaged[data.draw(st.integers(0, len(stored) - 1))] = data.draw(st.integers(0, 255))
    for some in (damaged, damaged[: data.draw(st.integers(0, len(stored)))]):
        assert unpacked(some, size) == expected(some, size)


def test_a_chunk_is_undone():
    plain = np.arange(10_000) // 7 % 251
    stored = np.frombuffer(packed(plain), np.uint8)
    filters = [(LZF, ())]
    assert undo(stored, filters, plain.nbytes).view(np.int64).tolist() == plain.tolist()
    with pytest.raises(ChunkError, match="unpack"):
        undo(stored[:-1], filters, plain.nbytes)
