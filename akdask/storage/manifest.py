"""The manifest of a set as a file: one Arrow table in a hidden file beside the set, and whether it can be trusted.

It is a cache.  A manifest that is absent, cut short, damaged or of another version is no manifest, never an error.
"""

from __future__ import annotations

import os
from time import sleep

import numpy as np
import pyarrow as pa

from akdask.storage.checksum import checksum

_FORMAT = b"akdask\0\1"
"""Ends every manifest, before its checksum; the last byte is the version."""

_TRIES = 20
_PAUSE = 0.001


def manifest_path(path: str) -> str:
    """Return the manifest of the set that is written under `path`.

    Examples
    --------
    >>> manifest_path("d/flows.h5"), manifest_path("d/flows")
    ('d/.flows.h5.akdask', 'd/.flows.akdask')
    """
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.akdask"


def later_than(time: int, path: str) -> int:
    """Make an empty file and return its time of modification, in ns; wait a little until that is later than `time`.

    Raises
    ------
    OSError
        If the file cannot be made.
    """
    now = 0
    for _ in range(_TRIES):
        with open(path, "wb") as file:
            now = os.fstat(file.fileno()).st_mtime_ns
        if now > time:
            break
        sleep(_PAUSE)
    return now


def write_manifest(path: str, batch: pa.RecordBatch) -> None:
    """Write a table to a new file, as an Arrow stream with format and checksum behind it.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    table = sink.getvalue()
    with open(path, "wb") as file:
        file.write(table)
        file.write(_FORMAT)
        file.write(checksum(np.frombuffer(table, np.uint8)).to_bytes(8, "little"))


def read_manifest(path: str) -> pa.RecordBatch | None:
    """Return the table of a manifest, None if there is none that is whole and of this version."""
    try:
        raw = np.fromfile(path, np.uint8)
        end = len(raw) - 16
        if end < 0 or raw[end:].tobytes() != _FORMAT + checksum(raw[:end]).to_bytes(8, "little"):
            return None
        with pa.ipc.open_stream(pa.py_buffer(raw[:end])) as stream:
            return stream.read_next_batch()
    except (OSError, pa.ArrowException, StopIteration):
        return None
