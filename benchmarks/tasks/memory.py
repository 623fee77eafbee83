"""How much memory an answer takes, whatever the size of a partition."""

from __future__ import annotations

from pathlib import Path

import akdask as ak
from benchmarks.data import FileSet
from benchmarks.peers import find_peers
from benchmarks.process import fresh
from benchmarks.report import MEBIBYTES, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import compare, peak, reset_peak

PARTITION_BYTES = 2_000_000_000
WORKER_LIMIT = 512 * 2**20
WHOLE_FILES = 2**40
"""A partition size that no file reaches, so that a file is a partition."""
LEFT_OUT = {
    "NumPy, in memory": "has read all before it is asked",
    "vaex": "runs in a process that is not measured",
}


def memory_of_a_filtered_sum(setting: Setting) -> list[Result]:
    """Measure the peak above the idle process, on one partition of 2 GB a column, in a fresh process each."""
    large = setting.numbers(rows=setting.scaled(PARTITION_BYTES // 8), files=1)
    small = setting.numbers(rows=1000, files=1)
    names = [peer.name for peer in setting.peers() if peer.name not in LEFT_OUT]
    found = {
        name: fresh(peak_of_filtered_sum, name, setting.threads, str(small.folder), str(large.folder)) for name in names
    }
    compare({name: answer for name, (answer, _) in found.items()})
    peaks = {name: bytes_above for name, (_, bytes_above) in found.items()}
    return [Result("memory of a filtered sum", MEBIBYTES, peaks, limit=100 * 2**20)]


def peak_of_filtered_sum(name: str, threads: int, small: str, large: str) -> tuple[object, int]:
    """Return the answer and the peak of memory above what the process had after a small warm-up."""
    (peer,) = (peer for peer in find_peers(threads) if peer.name == name)
    with ak.config.set(partition_size=WHOLE_FILES):
        warm_up, run = (peer.filtered_sum(FileSet(Path(folder))) for folder in (small, large))
        if warm_up is None or run is None:
            raise LookupError(f"{name} cannot filter")
        warm_up()
        idle = reset_peak()
        return run(), peak() - idle


def memory_of_workers(setting: Setting) -> list[Result]:
    """Filter and sum a set of four times a worker's memory limit, with files as large as the limit, on a cluster."""
    files = setting.numbers(rows=setting.scaled(4 * WORKER_LIMIT // 16))
    answer, highest = fresh(peak_of_workers, str(files.folder))
    expected = fresh(peak_of_filtered_sum, "NumPy + h5py", setting.threads, str(files.folder), str(files.folder))[0]
    compare({OURS: answer, "NumPy + h5py": expected})
    return [Result("highest worker, set of 4x its limit", MEBIBYTES, {OURS: highest}, limit=WORKER_LIMIT)]


def peak_of_workers(folder: str) -> tuple[float, int]:
    """Return the answer and the highest peak of resident memory of the workers of a local cluster."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=WORKER_LIMIT, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        ak.config.set(partition_size=WHOLE_FILES),
    ):
        client.run(reset_peak)
        frame = ak.DataFrame(ak.read_hdf(FileSet(Path(folder)).pattern))
        answer = float(frame[frame["a"] > 0.5]["b"].sum())
        return answer, max(client.run(peak).values())
