"""The compiled loop that undoes LZF against the general path, and against HDF5."""

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask import compiled
from akdask.formats.hdf5.chunks import LZF, ChunkError, _unpack_lzf, undo

compiled_lzf = pytest.importorskip(
    "akdask.formats.hdf5.lzf_loops", reason="Numba is not installed", exc_type=ImportError
)


def packed(data):
    """Return what HDF5 stores of some bytes."""
    with h5py.File("x", "w", driver="core", backing_store=False) as file:
        made = file.create_dataset("x", data=data, chunks=(len(data),), compression="lzf")
        mask, stored = made.id.read_direct_chunk((0,))
    return stored if not mask else None


def by_either_path(stored, limit):
    found = compiled_lzf.unpack_lzf(np.frombuffer(stored, np.uint8), limit)
    general = _unpack_lzf(bytes(stored), limit)
    assert (found is None) == (general is None)
    if found is not None:
        assert found.tobytes() == general.tobytes()
    return found


@given(st.binary(max_size=200), st.integers(0, 400))
def test_any_bytes_are_unpacked_the_same_way_or_refused_by_both_paths(stored, limit):
    by_either_path(stored, limit)


@given(st.integers(0, 2**32), st.integers(1, 5000), st.sampled_from([1, 2, 5, 50, 256]), st.data())
def test_what_hdf5_packs_is_unpacked_and_damage_never_leaves_the_arrays(seed, size, different, data):
    rng = np.random.default_rng(seed)
    plain = np.repeat(rng.integers(0, different, size), rng.integers(1, 6, size))[:size].astype(np.uint8)
    stored = packed(plain)
    if stored is None:
        return
    assert by_either_path(stored, size).tobytes() == plain.tobytes()
    assert by_either_path(stored, size - 1) is None
    damaged = bytearray(stored)
    damaged[data.draw(st.integers(0, len(stored) - 1))] = data.draw(st.integers(0, 255))
    by_either_path(damaged, size)
    by_either_path(damaged[: data.draw(st.integers(0, len(stored)))], size)


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_chunk_is_undone_on_either_path(monkeypatch, is_compiled):
    monkeypatch.setattr("akdask.formats.hdf5.chunks.should_compile", lambda nrows: is_compiled)
    plain = np.arange(10_000) // 7 % 251
    stored = np.frombuffer(packed(plain), np.uint8)
    filters = [(LZF, ())]
    assert undo(stored, filters, plain.nbytes).view(np.int64).tolist() == plain.tolist()
    with pytest.raises(ChunkError, match="unpack"):
        undo(stored[:-1], filters, plain.nbytes)


def test_a_large_chunk_is_worth_loading_the_compiler(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "akdask.formats.hdf5.chunks.should_compile", lambda nrows: asked.append(nrows) or compiled.is_loaded()
    )
    plain = np.zeros(2**16, np.int64)
    undo(np.frombuffer(packed(plain), np.uint8), [(LZF, ())], plain.nbytes)
    assert asked[0] >= plain.nbytes
