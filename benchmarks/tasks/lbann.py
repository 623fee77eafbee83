"""Epochs over samples of LBANN: small ones in random order, volumes, and lists of very many samples."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from akdask.lbann import Dataset, write_samples
from benchmarks.report import MEBIBYTES, MILLISECONDS, OURS, SECONDS, Result
from benchmarks.setting import Setting

LOOP, LOADER, PREADV = "h5py loop", "torch DataLoader, 2 workers", "preadv"
FIELDS = ("Epmax", "Etot", "N", "T", "alpha")
BATCH = 128
PER_FILE = 1000
SCHEMA = """
Image: {metadata: {pack: samples, ordering: 0, scale: 0.002, bias: -0.5, coerce: float}}
Epmax: {metadata: {pack: responses, ordering: 10, scale: 0.1, bias: -1.0}}
Etot: {metadata: {pack: responses, ordering: 20, scale: 0.1, bias: -1.0}}
N: {metadata: {pack: responses, ordering: 40, scale: 0.1, bias: -1.0}}
T: {metadata: {pack: responses, ordering: 50, scale: 0.1, bias: -1.0}}
alpha: {metadata: {pack: responses, ordering: 60, scale: 0.1, bias: -1.0}}
"""


def epoch_of_small_samples(setting: Setting) -> list[Result]:
    """Read samples of six fields, shuffled, in batches of 128."""
    folder, n = setting.folder / "lbann-small", max(setting.rows // 200, 256)
    dataset = _made(folder, n, _small_fields, SCHEMA, PER_FILE)
    order = np.random.default_rng(1).permutation(n)
    pairs = [dataset.samples[index] for index in order.tolist()]

    def ours() -> float:
        return sum(_total(batch) for batch in dataset.subset(order).batches(BATCH, prefetch=8))

    def loop() -> float:
        loaded = H5pyLoop(pairs)
        starts = range(0, n, BATCH)
        return sum(_total(loaded.batch(range(start, min(start + BATCH, n)))) for start in starts)

    runs: dict[str, Callable[[], object]] = {OURS: ours, LOOP: loop}
    floors = {LOOP: 5.0}
    if find_spec("torch") is not None:
        runs[LOADER], floors[LOADER] = lambda: _load(H5pyLoop(pairs)), 2.0
    results = [Result("epoch of small samples", SECONDS, setting.interleave(runs), floors)]
    results.append(_memory(folder, n))
    shutil.rmtree(folder)
    return results


def epoch_of_volumes(setting: Setting) -> list[Result]:
    """Read volumes of 128 x 128 x 128 float32 in batches of 4, and the same bytes by preadv."""
    edge, n = (128, 64) if setting.rows >= 1_000_000 else (16, 8)
    folder = setting.folder / "lbann-volumes"
    dataset = _made(folder, n, lambda rows: {"volume": _volumes(rows, edge)}, "volume:\n", 8)
    offsets = [(path, _offset(path, f"{sample}/volume")) for path, sample in map(dataset.location, range(n))]

    def ours() -> float:
        return float(sum(batch["volume"][:, 0].sum(dtype=float) for batch in dataset.batches(4, prefetch=2)))

    def raw() -> float:
        total, files = 0.0, {path: os.open(path, os.O_RDONLY) for path, _ in offsets}
        try:
            for start in range(0, n, 4):
                batch = np.empty((len(offsets[start : start + 4]), edge**3), np.float32)
                for row, (path, offset) in zip(batch, offsets[start : start + 4], strict=True):
                    os.preadv(files[path], [row.data], offset)
                total += float(batch[:, 0].sum(dtype=float))
        finally:
            for descriptor in files.values():
                os.close(descriptor)
        return total

    result = Result("epoch of volumes", MILLISECONDS, setting.interleave({OURS: ours, PREADV: raw}), {PREADV: 0.8})
    shutil.rmtree(folder)
    return [result]


def open_a_list_of_many_samples(setting: Setting) -> list[Result]:
    """Open a list of 1,000 samples in each of many files, in a new process, and read the first sample."""
    folder = setting.folder / "lbann-list"
    files = max(setting.rows // 2000, 10)
    dataset = _made(folder, PER_FILE, _small_fields, SCHEMA, PER_FILE)
    ids = " ".join(dataset.samples.ids_of(range(PER_FILE)))
    path = folder / "many.samples"
    with open(path, "w", encoding="utf-8") as text:
        text.write(f"CONDUIT_HDF5_INCLUSION\n{files * PER_FILE} 0 {files}\n{folder}\n")
        text.writelines(f"file_{number}.h5 {PER_FILE} 0 {ids}\n" for number in range(files))
    (folder / "file_0.h5").symlink_to(dataset.samples.paths[0])
    code = (
        "import json, resource, sys, time\nfrom akdask.lbann import Dataset\nstart = time.perf_counter()\n"
        f"ds = Dataset({str(path)!r}, {str(folder / 'data.yaml')!r})\nopened = time.perf_counter()\nds[0]\n"
        "first = time.perf_counter()\npeak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "print(json.dumps([opened - start, first - opened, peak]))"
    )
    opened, first, peak = _in_a_process(code)
    shutil.rmtree(folder)
    return [
        Result("open a list of many samples", SECONDS, {OURS: opened}, limit=10.0),
        Result("read the first sample", MILLISECONDS, {OURS: first}, limit=0.05),
        Result("memory of a list of many samples", MEBIBYTES, {OURS: peak}, limit=1.5 * 2**30),
    ]


class H5pyLoop:
    """What a user writes: samples read field by field through h5py, transformed by NumPy; a data set for torch, too."""

    def __init__(self, samples: list[tuple[str, str]]) -> None:
        self.samples = samples
        self.files: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        path, sample = self.samples[index]
        if path not in self.files:
            self.files[path] = h5py.File(path, "r")
        group = self.files[path][sample]
        image = (group["Image"][()].astype(np.float32).astype(float) * 0.002 - 0.5).astype(np.float32)
        return {"samples": image, "responses": np.array([group[name][()] * 0.1 - 1.0 for name in FIELDS])}

    def batch(self, indices: range) -> dict[str, np.ndarray]:
        """Return several samples as arrays."""
        rows = [self[index] for index in indices]
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def _load(loop: H5pyLoop) -> float:
    from torch.utils.data import DataLoader

    loader = DataLoader(loop, batch_size=BATCH, num_workers=2)
    return float(sum(_total({name: values.numpy() for name, values in batch.items()}) for batch in loader))


def _total(batch: dict[str, np.ndarray]) -> float:
    return float(sum(values.sum(dtype=float) for values in batch.values()))


def _memory(folder: Path, n: int) -> Result:
    """Measure what an epoch adds to a process that has opened the data set."""
    code = (
        "import json, resource\nfrom akdask.lbann import Dataset\n"
        f"ds = Dataset({str(folder / 'data.samples')!r}, {str(folder / 'data.yaml')!r})\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "before = peak()\n"
        "for epoch in range(2):\n    for batch in ds.batches(128, shuffle=True, seed=epoch): pass\n"
        "print(json.dumps([peak() - before]))"
    )
    (more,) = _in_a_process(code)
    return Result("memory of an epoch of small samples", MEBIBYTES, {OURS: more}, limit=100 * 2**20)


def _made(folder: Path, n: int, fields: Callable[[int], dict[str, np.ndarray]], schema: str, per_file: int) -> Dataset:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = write_samples(fields(n), folder / "data.h5", per_file=per_file, parent="RUN_ID")
    (folder / "data.yaml").write_text(schema)
    return Dataset(made.sample_list, folder / "data.yaml")


def _small_fields(n: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    return {"Image": random.random((n, 12)) * 500, **{name: random.random(n) for name in FIELDS}}


def _volumes(n: int, edge: int) -> np.ndarray:
    return np.random.default_rng(0).random((n, edge, edge, edge), np.float32)


def _offset(path: str, name: str) -> int:
    with h5py.File(path) as file:
        return int(file[name].id.get_offset())


def _in_a_process(code: str) -> list[float]:
    """Run code in a new process, and return the numbers that it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    numbers: list[float] = json.loads(done.stdout)
    return numbers
