"""Columns of any kind for peers that compute with Arrow: h5py reads, and what h5py leaves undone is done by Arrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def read_arrays(path: Path, names: tuple[str, ...]) -> list[Any]:
    """Return whole columns of one file: numbers, Strings as an Arrow array, and of a Categorical the codes."""
    with h5py.File(path, "r") as file:
        return [_read(file[name]) for name in names]


def _read(item: h5py.Dataset | h5py.Group) -> Any:
    if isinstance(item, h5py.Dataset):
        return item[:]
    return item["codes"][:] if "codes" in item else _as_arrow(item["values"][:], item["segments"][:])


def _as_arrow(values: Any, segments: Any) -> pa.LargeStringArray:
    """Read as one would with what is there: the NULs go by Arrow's own means, and nothing is checked."""
    buffers = [None, pa.py_buffer(np.append(segments, len(values))), pa.py_buffer(values)]
    ended = pa.Array.from_buffers(pa.large_binary(), len(segments), buffers)
    return pc.binary_slice(ended, 0, -1).view(pa.large_string())
