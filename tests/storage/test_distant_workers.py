"""Columns of remote files read by the workers of a cluster, processes of their own that are sent pickled partitions."""

import pickle

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import FileError
from akdask.formats.csv.text_file import BEGINNINGS
from akdask.storage import remote
from tests.storage import stores  # noqa: F401 - registers the file system

FILES, ROWS = 6, 4000
NUMBERS = np.arange(FILES * ROWS) * 7 % 1001
TEXT = [f"é{k % 100}" * (k % 4) for k in range(FILES * ROWS)]

pytestmark = pytest.mark.cluster


@pytest.fixture
def client(cluster_client):
    """Return a client whose workers know the file system: others would have it by an entry point of fsspec."""
    cluster_client.run(_register)
    return cluster_client


def _register():
    from tests.storage import stores as known

    return known.DistantFileSystem.protocol


def _held():
    return remote._BUFFERS.nbytes


@pytest.fixture(params=["hdf", "parquet", "csv"])
def urls(request, tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    for number in range(FILES):
        rows = slice(number * ROWS, (number + 1) * ROWS)
        path = folder / f"x_LOCALE{number:04d}"
        if request.param == "hdf":
            with h5py.File(path, "w") as file:
                file.create_dataset("n", data=NUMBERS[rows])
                text = [item.encode() + b"\0" for item in TEXT[rows]]
                group = file.create_group("s")
                group.create_dataset("values", data=np.frombuffer(b"".join(text), np.uint8))
                group.create_dataset("segments", data=np.cumsum([0, *map(len, text)])[:-1])
                group.attrs["segmented_string"] = 1
        elif request.param == "parquet":
            table = pa.table({"n": NUMBERS[rows], "s": TEXT[rows]})
            pq.write_table(table, path, row_group_size=1000, data_page_size=1000)
        else:
            lines = (f"{n},{s}" for n, s in zip(NUMBERS[rows], TEXT[rows], strict=True))
            path.write_text("\n".join(["n,s", *lines, ""]))
    return [f"distant://{path}" for path in sorted(folder.iterdir())]


def opened(urls, log, latency=0.001):
    read = {"n,s": ak.read_csv, "PAR1": ak.read_parquet}
    with open(urls[0].removeprefix("distant://"), "rb") as file:
        first = file.read(4).decode(errors="replace")
    reader = next((way for start, way in read.items() if start.startswith(first[:3])), ak.read_hdf)
    return ak.DataFrame(reader(urls, storage_options={"latency": latency, "log": str(log)}))


def requests(log, method="cat_file"):
    lines = (line.split() for line in log.read_text().splitlines())
    return [(int(process), int(thread), path) for process, thread, kind, path, *_ in lines if kind == method]


def test_workers_read_what_was_written_ahead_and_hold_nothing_afterwards(client, urls, tmp_path):
    log = tmp_path / "log"
    df = opened(urls, log)
    workers = set(client.run(_process).values())
    log.write_text("")
    assert int(df["n"].sum()) == NUMBERS.sum()
    assert df["s"].tolist() == TEXT
    assert int(df[df["n"] > 990]["n"].sum()) == NUMBERS[NUMBERS > 990].sum()
    asked = requests(log)
    assert {process for process, _, _ in asked} <= workers, "this process reads no rows"
    # Threads of the pool that fetches ahead bring the bytes, not the one of the task.
    threads = {(process, thread) for process, thread, _ in asked}
    assert len(threads) > len({process for process, _, _ in asked})
    assert set(client.run(_held).values()) == {0}


def _process():
    import os

    return os.getpid()


def test_few_requests_bring_a_column_to_the_workers(client, urls, tmp_path):
    log = tmp_path / "log"
    df = opened(urls, log)
    log.write_text("")
    assert int(df["n"].sum()) == NUMBERS.sum()
    asked = requests(log)
    assert len(asked) <= 2 * FILES
    assert {path for _, _, path in asked} == {url.removeprefix("distant://") for url in urls}


def test_a_file_that_is_replaced_is_told_by_the_worker_that_reads_it(client, urls, tmp_path):
    df = opened(urls, tmp_path / "log")
    path = urls[3].removeprefix("distant://")
    with open(path, "ab") as file:
        file.write(b" ")
    with pytest.raises(FileError, match="has changed since it was opened"):
        df["n"].tolist()


def test_partitions_travel_with_their_options(urls, tmp_path):
    log = tmp_path / "log"
    df = opened(urls, log)
    BEGINNINGS.clear()
    part = df["n"]._frame.source.part(0, ["n"])
    log.write_text("")
    with pickle.loads(pickle.dumps(part)).open() as reader:
        found = reader.read("n", 0, 100)
    assert np.asarray(found).tolist() == NUMBERS[:100].tolist()
    assert requests(log)
