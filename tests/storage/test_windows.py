"""Columns of files in windows: the same rows, no more bytes than allowed, and no crash when a file gets shorter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask import caches, cluster
from akdask.errors import FileError
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.parquet.file_set import open_set as open_parquet_set
from akdask.storage import tuning, windows
from akdask.storage.files import identity_of

STORED = ["i1", "<i2", "<i4", "<i8", ">i8", "u1", "<u4", "<u8", "<f4", "<f8", ">f8", "?"]
NROWS = 3000


@pytest.fixture(autouse=True)
def _small_windows(monkeypatch):
    monkeypatch.setattr(tuning, "LEAST_WINDOW_BYTES", 1)
    monkeypatch.setattr(tuning, "IDLE_SECONDS", 1e9)
    caches.clear_caches()
    yield
    caches.clear_caches()


def mapped():
    """Return how many windows there are, and their bytes."""
    return next(((number, size) for name, number, size in caches.caches() if name == "windows of files"), (0, 0))


def columns_of(seed):
    rng = np.random.default_rng(seed)
    columns = {}
    for stored in STORED:
        dtype = np.dtype(stored)
        if dtype.kind == "f":
            columns[stored] = rng.standard_normal(NROWS).astype(dtype)
        elif dtype.kind == "b":
            columns[stored] = rng.random(NROWS) < 0.5
        else:
            limits = np.iinfo(dtype)
            columns[stored] = rng.integers(limits.min, limits.max, NROWS, dtype.newbyteorder("="), endpoint=True)
            columns[stored] = columns[stored].astype(dtype)
    return columns


def write(path, columns):
    with h5py.File(path, "w") as file:
        for number, (name, values) in enumerate(columns.items()):
            file[name] = values
            # What follows begins at an odd address.
            file[f"odd {number}"] = np.zeros(number, "u1")


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    path = tmp_path_factory.mktemp("windows") / "numbers.h5"
    columns = columns_of(1)
    write(path, columns)
    return path, columns


def reader_of(path, name):
    source = open_set(path).select()[name].members["values"].source
    return source.part(0, [name]).open()


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(STORED),
    st.lists(st.integers(0, NROWS - 1), min_size=1, max_size=200, unique=True).map(sorted),
    st.tuples(st.integers(0, NROWS), st.integers(0, NROWS)).map(sorted),
)
def test_windows_have_the_rows_that_h5py_reads(numbers, name, rows, bounds):
    path, columns = numbers
    expected = columns[name].astype(columns[name].dtype.newbyteorder("="))
    with reader_of(path, name) as reader:
        for _ in range(2):
            chosen = reader.read_rows(name, np.array(rows))
            assert chosen is None or chosen.tolist() == expected[rows].tolist()
            assert reader.read(name, *bounds).tolist() == expected[slice(*bounds)].tolist()
    assert mapped()[0] >= 1


@pytest.mark.parametrize("is_cached", [True, False])
def test_filtered_frames_are_alike_with_windows_and_without(numbers, monkeypatch, is_cached):
    path, columns = numbers
    monkeypatch.setattr(windows, "are_cached", lambda *_: is_cached)
    frame = ak.DataFrame({name: ak.read_hdf(str(path), name)[name] for name in STORED})
    chosen = columns["<i8"] > 0
    found = frame[frame["<i8"] > 0].to_pandas()
    for name in STORED:
        assert found[name].tolist() == columns[name][chosen].tolist(), name
    assert float(frame["<f8"].sum()) == pytest.approx(columns["<f8"].sum(), rel=1e-12)


def test_numbers_at_even_addresses_are_taken_from_the_window_alone(tmp_path, monkeypatch):
    path = tmp_path / "x.h5"
    write(path, {"x": np.arange(NROWS)})
    with reader_of(path, "x") as reader:
        monkeypatch.setattr(os, "preadv", lambda *given: 1)
        assert reader.read_rows("x", np.array([3, 2999])).tolist() == [3, 2999]


def test_a_file_that_gets_shorter_is_an_error_and_no_crash(tmp_path):
    path = tmp_path / "x.h5"
    write(path, {"x": np.arange(100_000)})
    reader = reader_of(path, "x").__enter__()
    assert reader.read_rows("x", np.array([5, 99_999])).tolist() == [5, 99_999]
    os.truncate(path, 8192)
    (window,) = reader._extents._ranges._windows.values()
    assert window.numbers[-8:].tolist() == [0] * 8
    with pytest.raises(FileError, match="has changed since it was opened"):
        reader.__exit__(None, None, None)


@pytest.fixture
def parquet(tmp_path):
    """Return a function that writes numbers with few values to a Parquet file, and returns its reader."""

    def made(codec, *, dictionary):
        values = np.random.default_rng(7).integers(0, 300, 50_000)
        pq.write_table(
            pa.table({"x": values}),
            tmp_path / "x.parquet",
            compression=codec,
            use_dictionary=dictionary,
            data_page_size=2**14,
            row_group_size=20_000,
        )
        source = open_parquet_set(str(tmp_path / "x.parquet")).objects(["x"])["x"].members["values"].source
        return values, source.part(0, ["x"]).open()

    return made


@pytest.mark.parametrize("is_cached", [True, False])
@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("codec", ["none", "snappy"])
def test_pages_of_parquet_are_read_from_a_window(parquet, monkeypatch, codec, dictionary, is_cached):
    monkeypatch.setattr(windows, "are_cached", lambda *_: is_cached)
    values, opened = parquet(codec, dictionary=dictionary)
    some = np.flatnonzero(np.random.default_rng(8).random(len(values)) < 0.01)
    with opened as reader:
        for start, stop in ((0, 50_000), (19_990, 20_010), (123, 456)):
            assert reader.read("x", start, stop).tolist() == values[start:stop].tolist()
        assert reader.read_rows("x", some).tolist() == values[some].tolist()
        # Of all row groups, and of one.
        for pages in (reader._joined["x"], reader._page_readers["x"].reader):
            assert (len(pages._window) > 0) == is_cached
    assert mapped()[0] == 1


@pytest.mark.parametrize("codec", ["none", "snappy"])
def test_a_parquet_file_that_gets_shorter_is_an_error_and_no_crash(parquet, tmp_path, codec):
    values, opened = parquet(codec, dictionary=False)
    size = (tmp_path / "x.parquet").stat().st_size

    def read():
        with opened as reader:
            assert reader.read("x", 0, 100).tolist() == values[:100].tolist()
            os.truncate(tmp_path / "x.parquet", size // 4)
            reader.read("x", 100, 50_000)

    # What lies behind the end is not in the system's cache, and a call that reads says so.
    with pytest.raises(FileError, match=r"has changed since it was opened|ends before the last byte"):
        read()


SHORTENED = """
import faulthandler, os, sys
import numpy as np
from akdask.storage import loops, windows
from akdask.storage.files import identity_of
path = sys.argv[1]
with open(path, "wb") as file:
    file.write(bytes([7]) * 2**20)
descriptor = os.open(path, os.O_RDONLY)
window = windows.window_of(identity_of(path, os.stat(path)), descriptor, 100, 2**19)
if "handler" in sys.argv:
    faulthandler.enable()
    assert loops.guard()
assert (window.numbers == 7).all() and not window.is_torn
os.truncate(path, 4096)
assert (window.numbers[:3996] == 7).all()
assert not window.numbers[3996:].any() and window.is_torn
print("alive", flush=True)
if "fault" in sys.argv:
    import mmap
    with open(path, "r+b") as file:
        file.truncate(2**16)
        other = mmap.mmap(file.fileno(), 2**16)
        file.truncate(0)
    other[2**15]
if "sent" in sys.argv:
    import signal
    os.kill(os.getpid(), signal.SIGBUS)
    print("not here")
"""


@pytest.mark.parametrize("also", [(), ("handler",), ("fault",), ("sent",), ("handler", "fault"), ("handler", "sent")])
def test_only_lost_bytes_of_windows_are_survived(tmp_path, also):
    command = [sys.executable, "-c", SHORTENED, str(tmp_path / "x"), *also]
    given = {name: value for name, value in os.environ.items() if name != "PYTHONFAULTHANDLER"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=given)
    assert done.stdout == "alive\n", done.stderr
    is_killed = "fault" in also or "sent" in also
    assert done.returncode == (-signal.SIGBUS if is_killed else 0)
    assert ("Bus error" in done.stderr) == ("handler" in also and is_killed)


def made(folder, numbers):
    """Return the windows of files of 1,000 bytes each, None where there is none."""
    found = []
    for number in numbers:
        path = folder / f"{number}"
        path.write_bytes(bytes([number]) * 1000)
        with path.open("rb") as file:
            state = identity_of(str(path), os.stat(path))
            found.append(windows.window_of(state, file.fileno(), 0, 1000))
    return found


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(windows, "monotonic", lambda: now[0])
    monkeypatch.setattr(tuning, "IDLE_SECONDS", 5.0)
    monkeypatch.setattr(tuning, "MOST_WINDOW_BYTES", 2500)
    return now


def test_windows_take_no_more_bytes_than_allowed(tmp_path, clock):
    assert [window is not None for window in made(tmp_path, range(4))] == [True, True, False, False]
    assert mapped() == (2, 2000)


def test_windows_that_are_not_used_make_room(tmp_path, clock):
    made(tmp_path, [0, 1])
    clock[0] = 4.0
    made(tmp_path, [])
    assert made(tmp_path, [2]) == [None]
    clock[0] = 5.0
    assert made(tmp_path, [3])[0].numbers.tolist() == [3] * 1000
    assert mapped() == (2, 2000)


def test_memory_that_is_short_leaves_less_for_windows(tmp_path, clock):
    with ak.config.set(memory_limit=1000 * tuning.WINDOW_SHARE):
        assert [window is not None for window in made(tmp_path, range(2))] == [True, False]


@pytest.mark.parametrize(("limit", "windows_of_two"), [(1000, 1), (10_000, 2), (None, 2)])
def test_the_limit_of_a_worker_leaves_less_for_windows(tmp_path, clock, monkeypatch, limit, windows_of_two):
    limit = limit and limit * tuning.WINDOW_SHARE
    worker = SimpleNamespace(memory_manager=SimpleNamespace(memory_limit=limit))
    monkeypatch.setattr(cluster, "current_worker", lambda: worker)
    assert len([window for window in made(tmp_path, range(2)) if window is not None]) == windows_of_two


def test_a_torn_window_is_made_anew(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(bytes([7]) * 10_000)
    with path.open("rb") as file:
        state = identity_of(str(path), os.stat(path))
        torn = windows.window_of(state, file.fileno(), 0, 10_000)
        # As an error of the disk does, while the file keeps its state.
        os.truncate(path, 0)
        assert not torn.numbers.any()
        path.write_bytes(bytes([7]) * 10_000)
        found = windows.window_of(state, file.fileno(), 0, 10_000)
        assert (found.numbers == 7).all()
        assert torn.is_torn
        assert not found.is_torn
        assert windows.window_of(state, file.fileno(), 0, 10_000) is found
    assert mapped() == (1, 10_000)


@pytest.mark.parametrize("least", [8 * NROWS, 8 * NROWS + 1])
def test_bytes_of_few_rows_have_no_window(tmp_path, monkeypatch, least):
    monkeypatch.setattr(tuning, "LEAST_WINDOW_BYTES", least)
    write(tmp_path / "x.h5", {"x": np.arange(NROWS)})
    with reader_of(tmp_path / "x.h5", "x") as reader:
        assert reader.read("x", 0, 3).tolist() == [0, 1, 2]
    assert mapped()[0] == (least == 8 * NROWS)


def test_a_replaced_file_is_read_anew_and_its_window_goes(tmp_path):
    path = tmp_path / "x.h5"
    for value in (1, 2):
        write(tmp_path / "new", {"x": np.full(NROWS, value)})
        (tmp_path / "new").rename(path)
        assert ak.read_hdf(str(path), "x")["x"].to_ndarray().tolist() == [value] * NROWS
        assert mapped()[0] == 1


def test_arrays_hold_their_window(tmp_path):
    (window,) = made(tmp_path, [9])
    numbers = window.numbers
    del window
    caches.clear_caches()
    assert numbers.tolist() == [9] * 1000
    assert not numbers.flags.writeable


def test_windows_that_are_in_use_at_the_end_of_a_process_are_closed_in_silence(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(100_000)
    script = (
        "import sys, akdask.pandas as pd; frame = pd.read_arkouda(sys.argv[1]); print(frame[frame.x > 5].x.sum())\n"
        "from akdask.storage.windows import _windows; held = _windows.values()"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{100_000 * 99_999 // 2 - 15}\n", "")


def test_threads_share_windows(tmp_path):
    path = tmp_path / "x.h5"
    columns = {f"c{number}": np.arange(NROWS) + number for number in range(8)}
    write(path, columns)
    frame = ak.DataFrame({name: ak.read_hdf(str(path), name)[name] for name in columns})
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: int(frame[f"c{number % 8}"].sum()), range(40)))
    assert found == [int(columns[f"c{number % 8}"].sum()) for number in range(40)]
