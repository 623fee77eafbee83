"""Sets of files with text in Arkouda's layout, written with h5py alone: as Strings, and as codes of categories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa

from benchmarks.data import Array, FileSet, Make, make_once, mark, pieces, shares
from benchmarks.setting import Setting

NUMBERS, STRINGS, CATEGORICAL = 1, 2, 4
"""What the files call the kinds of objects."""

MISSING = "N/A"
"""The label of what is missing, which comes last."""


def make_text_set(setting: Setting, name: str, labels: Sequence[str], values: Make) -> FileSet:
    """Return the set of random labels, as Strings `s` and as Categorical `c`, and of values `v`."""
    rows, files = setting.rows, setting.files
    ended = pa.array([f"{label}\0" for label in (*labels, MISSING)], pa.large_string())

    def write(target: Path) -> None:
        # The table of categories is cut like a column.
        cuts = zip(pieces(rows, files), shares(len(ended), files), strict=True)
        for index, (drawn, (first, last)) in enumerate(cuts):
            made = [(np.random.default_rng(seed), count) for seed, count in drawn]
            codes = np.concatenate([random.integers(0, len(labels), count) for random, count in made])
            with h5py.File(target / f"set_LOCALE{index:04d}", "w") as file:
                file.attrs["File_Format"] = 1
                write_numbers(file, "v", np.concatenate([values(random, count) for random, count in made]))
                write_strings(file, "s", ended.take(pa.array(codes)))
                mark(file.create_group("c"), CATEGORICAL)
                write_numbers(file, "c/codes", codes)
                write_strings(file, "c/categories", ended.take(pa.array(np.arange(first, last))))
                write_numbers(file, "c/NA_Codes", np.full(int(index == 0), len(labels)))

    return make_once(setting.folder / f"{name}-{len(labels)}-labels-{rows}-rows-{files}-files", write)


def write_numbers(file: h5py.File, path: str, values: Array) -> None:
    mark(file.create_dataset(path, data=values), NUMBERS)


def write_strings(file: h5py.File, path: str, ended: pa.LargeStringArray) -> None:
    _, offsets, values = ended.buffers()
    starts = np.frombuffer(offsets, np.int64)[: len(ended) + 1]
    mark(file.create_group(path), STRINGS)
    write_numbers(file, f"{path}/values", np.frombuffer(values, np.uint8)[: starts[-1]])
    write_numbers(file, f"{path}/segments", starts[:-1])
