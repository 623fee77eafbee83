"""Files with flipped bits, cut ends and swapped parts: an error of akdask's own, or what other readers read of them.

Mutations are seeded, so that a failure is seen again.  The references read the same bytes: h5py, pyarrow, and Python.
"""

from __future__ import annotations

import csv
import shutil
import signal
import warnings
from contextlib import contextmanager

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

import akdask as ak
from akdask.errors import AkdaskError

NROWS = 500
MUTATIONS = 40
SECONDS = 20  # that reading a few kilobytes may take, at most


def _bits(data, random):
    for place in random.integers(0, len(data), random.integers(1, 4)):
        data[place] ^= np.uint8(1 << random.integers(8))
    return data


def _bytes(data, random):
    place = random.integers(0, len(data))
    data[place : place + random.integers(1, 9)] = random.integers(256)
    return data


def _cut(data, random):
    return data[: random.integers(0, len(data))]


def _swapped(data, random):
    size = int(random.integers(1, max(len(data) // 4, 2)))
    one, other = sorted(random.integers(0, len(data) - size, 2).tolist())
    first = data[one : one + size].copy()
    data[one : one + size] = data[other : other + size]
    data[other : other + size] = first
    return data


def _repeated(data, random):
    start, stop = sorted(random.integers(0, len(data), 2).tolist())
    return np.concatenate([data[:stop], data[start:]])


WAYS = [_bits, _bits, _bytes, _cut, _swapped, _repeated]


def _numbers():
    random = np.random.default_rng(1)
    return {
        "i": random.integers(-(2**62), 2**62, NROWS),
        "n": np.arange(NROWS, dtype="<i4"),
        "f": random.normal(size=NROWS),
        "u": random.integers(0, 2**63, NROWS).astype("u8"),
    }


def _hdf5(path, **options):
    with h5py.File(path, "w") as file:
        for name, values in _numbers().items():
            file.create_dataset(name, data=values, **options)


def _read_hdf5(path):
    with h5py.File(path) as file:
        return {name: file[name][:] for name in file}


def _parquet(path, **options):
    values = {**_numbers(), "s": [f"text {row % 9}" for row in range(NROWS)]}
    values["o"] = pa.array([None if row % 7 == 0 else row for row in range(NROWS)])
    pq.write_table(pa.table(values), path, data_page_size=1000, write_batch_size=100, **options)


def _read_parquet(path):
    table = pq.read_table(path)
    return {name: table.column(name).to_pylist() for name in table.column_names}


def _csv(path):
    with open(path, "w") as file:
        file.write("a,b,s\n" + "".join(f'{row},{row / 4},"t,{row}"\n' for row in range(NROWS // 5)))


def _read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    assert all(len(row) == len(names) for row in rows)
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


FORMATS = {
    "HDF5": (_hdf5, {}, _read_hdf5, ak.read_hdf),
    "HDF5 in chunks": (_hdf5, {"chunks": (64,)}, _read_hdf5, ak.read_hdf),
    "HDF5, packed": (_hdf5, {"chunks": (64,), "compression": "gzip", "shuffle": True}, _read_hdf5, ak.read_hdf),
    "HDF5 with checksums": (_hdf5, {"chunks": (64,), "fletcher32": True}, _read_hdf5, ak.read_hdf),
    "Parquet": (_parquet, {}, _read_parquet, ak.read_parquet),
    "plain Parquet": (_parquet, {"compression": "none", "use_dictionary": False}, _read_parquet, ak.read_parquet),
    "second Parquet": (_parquet, {"data_page_version": "2.0", "compression": "zstd"}, _read_parquet, ak.read_parquet),
    "CSV": (_csv, {}, _read_csv, lambda path: dict(ak.read_csv(path))),
}


@contextmanager
def _limited():
    """Fail where something does not end."""

    def late(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _found(read, path):
    """Return all that is read, name by name; what is refused is left out."""
    with warnings.catch_warnings(), _limited():
        warnings.simplefilter("ignore")
        try:
            arrays = read(path)
        except AkdaskError:
            return {}
        found = {}
        for name, array in arrays.items():
            try:
                found[name] = array.to_ndarray() if hasattr(array, "to_ndarray") else array.tolist()
            except AkdaskError:
                continue
    return found


def _same(found, expected):
    """Whether two columns have the same values; nulls of whole numbers are NaN, of text empty or None."""
    if len(found) != len(expected):
        return False
    if isinstance(expected, list) and any(row is None for row in expected):
        expected = [np.nan if row is None else row for row in expected]
    if getattr(found, "dtype", None) == getattr(expected, "dtype", ""):
        return bool(np.array_equal(found, expected, equal_nan=found.dtype.kind == "f"))
    try:
        return bool(np.array_equal(np.asarray(found, float), np.asarray(expected, float), equal_nan=True))
    except (TypeError, ValueError):
        return [str(row) for row in found] == [str(row) for row in expected]


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("form", FORMATS)
def test_a_mutated_file_is_refused_or_read_as_others_read_it(tmp_path, form, seed):
    write, options, reference, read = FORMATS[form]
    write(tmp_path / "whole", **options)
    whole = np.frombuffer((tmp_path / "whole").read_bytes(), np.uint8)
    # Where an index is damaged, the library may not find a chunk that is there, and show nothing in its place.
    written = reference(tmp_path / "whole")
    random = np.random.default_rng([seed, len(form)])
    compared = 0
    for number in range(MUTATIONS):
        path = tmp_path / f"{number}.x"
        path.write_bytes(WAYS[number % len(WAYS)](whole.copy(), random).tobytes())
        found = _found(read, path)
        try:
            expected = reference(path)
        except Exception:  # whatever a library raises: there is nothing to compare with
            continue
        for name, rows in found.items():
            if name in expected and form != "CSV":
                is_as_written = name in written and _same(rows, written[name])
                assert is_as_written or _same(rows, expected[name]), f"{name} of mutation {number}"
                compared += 1
            elif name in expected:
                assert len(rows) == len(expected[name]), f"{name} of mutation {number}"
    assert compared or form == "CSV"


def test_a_store_with_mutated_chunks_and_metadata_is_refused_or_read(tmp_path):
    whole = tmp_path / "whole"
    group = zarr.open_group(whole, mode="w", zarr_format=2)
    for name, values in _numbers().items():
        made = group.create_array(name, shape=values.shape, dtype=values.dtype, chunks=(64,))
        made[:] = values
    files = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())
    random = np.random.default_rng(5)
    for number in range(MUTATIONS):
        store = tmp_path / f"{number}"
        shutil.copytree(whole, store)
        path = store / files[int(random.integers(len(files)))]
        data = np.frombuffer(path.read_bytes(), np.uint8).copy()
        path.write_bytes(WAYS[number % len(WAYS)](data, random).tobytes())
        found = _found(ak.read_zarr, store)
        for name, rows in found.items():
            try:
                expected = zarr.open_group(store, mode="r", zarr_format=2)[name][:]
            except Exception:  # there is nothing to compare with
                continue
            assert _same(rows, expected), f"{name} of mutation {number}: {path.name}"
