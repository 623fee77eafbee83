"""The manifest of a set as a file: one Arrow table in a hidden file beside the set, and whether it can be trusted.

It is a cache.  A manifest that is absent, cut short, damaged or of another version is no manifest, never an error.

Its checksum finds accidental damage.  Against forgery, a manifest is only believed if it has the right owner, and size,
types and every offset are checked before any of it is used.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Container
from time import sleep
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns.arrow import arrow_numbers, numpy_numbers
from akdask.deferred import pa
from akdask.storage.data.checksum import checksum
from akdask.storage.paths.directory import check_status, open_regular

_FORMAT = b"akdask\0\4"
"""Ends every manifest, before its checksum; the last byte is the version."""

_END = 16  # bytes of format and checksum
_LARGEST = 2**31  # bytes; 10,000 files of 1,000 columns take half of it

_PLACE = b"place"
"""Under which the metadata of the table say which file this manifest was written to, and when."""

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
    with open(path, "wb") as file:
        status = os.fstat(file.fileno())
        told = {**(batch.schema.metadata or {}), _PLACE: _place(status)}
        batch = batch.replace_schema_metadata(told)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        table = sink.getvalue()
        file.write(table)
        file.write(_FORMAT)
        file.write(checksum(np.frombuffer(table, np.uint8)).to_bytes(8, "little"))
        file.flush()
        # What is written moves the time on, and a copy has another inode or another time.
        os.utime(file.fileno(), ns=(status.st_mtime_ns, status.st_mtime_ns))


def is_original(path: str, batch: pa.RecordBatch) -> bool:
    """Whether a manifest is the very file that it was written to, and no copy; it may have been renamed.

    Parameters
    ----------
    path : str
        Where it is.
    batch : pyarrow.RecordBatch
        Its table.
    """
    try:
        return bool((batch.schema.metadata or {}).get(_PLACE) == _place(os.lstat(path)))
    except OSError:
        return False


def _place(status: os.stat_result) -> bytes:
    return f"{status.st_ino}/{status.st_mtime_ns}".encode()


def read_manifest(
    path: str, owners: Container[int] | None = None, schema: Callable[[], pa.Schema] | None = None
) -> pa.RecordBatch | None:
    """Return the table of a manifest; None if it is missing, damaged, of another version or of another schema.

    Parameters
    ----------
    path : str
        The manifest; a link in its place is none.
    owners : container of int, optional
        Users one of whom must own the file; any user unless given.
    schema : callable, optional
        Returns the schema that the table must have before any of it is read; metadata do not count.
    """
    try:
        raw = _content(path, owners)
    except (OSError, ValueError):
        return None
    try:
        end = len(raw) - _END
        if end < 0 or raw[end:].tobytes() != _FORMAT + checksum(raw[:end]).to_bytes(8, "little"):
            return None
        return _table(pa.py_buffer(raw[:end]), None if schema is None else schema())
    except (OSError, ValueError, TypeError, struct.error, pa.ArrowException, StopIteration):
        return None


def _content(path: str, owners: Container[int] | None) -> np.typing.NDArray[np.uint8]:
    with os.fdopen(open_regular(path), "rb") as file:
        check_status(os.fstat(file.fileno()), _LARGEST, owners, path)
        return np.fromfile(file, np.uint8)


def _table(stream: pa.Buffer, schema: pa.Schema | None) -> pa.RecordBatch | None:
    """Return the one table of a stream, None if it is not made as `write_manifest` makes it.

    Arrow believes a stream until it is asked to validate it, and acts on dictionaries, compressed bodies and a foreign
    byte order even before.  A manifest has none of these, so they are refused first.
    """
    messages = pa.ipc.MessageReader.open_stream(stream)
    head, rows = messages.read_next_message(), messages.read_next_message()
    if (head.type, rows.type) != ("schema", "record batch") or _is_compressed(rows.metadata.to_pybytes()):
        return None
    found = pa.ipc.read_schema(head)
    if schema is not None and not found.equals(schema):
        return None
    batch = pa.ipc.read_record_batch(rows, found)
    batch.validate(full=True)
    return None if any(map(_has_nulls, batch.columns)) else batch


def _is_compressed(metadata: bytes) -> bool:
    """Whether the header of a record batch, which Arrow has verified, says that its body is compressed.

    It is a FlatBuffers table: the third member of the message is the header, the fourth of that names the compression.
    """
    (message,) = struct.unpack_from("<I", metadata)
    header = _member(metadata, message, 2)
    if header is None:
        return True
    (offset,) = struct.unpack_from("<I", metadata, header)
    return _member(metadata, header + offset, 3) is not None


def _member(metadata: bytes, table: int, number: int) -> int | None:
    """Return where a member of a FlatBuffers table is, None if it has none."""
    (back,) = struct.unpack_from("<i", metadata, table)
    members = table - back
    (size,) = struct.unpack_from("<H", metadata, members)
    place = 4 + 2 * number
    if place + 2 > size:
        return None
    (offset,) = struct.unpack_from("<H", metadata, members + place)
    return table + offset if offset else None


def _has_nulls(column: pa.Array) -> bool:
    if column.null_count:
        return True
    if pa.types.is_struct(column.type):
        return any(map(_has_nulls, column.flatten()))
    return pa.types.is_list(column.type) and _has_nulls(column.values)


def to_struct(*arrays: npt.NDArray[np.void]) -> pa.StructArray:
    """Return the fields of structured arrays as those of one Arrow struct."""
    columns = {name: _to_arrow(array[name]) for array in arrays for name in array.dtype.names or ()}
    return pa.StructArray.from_arrays(list(columns.values()), list(columns))


def _to_arrow(values: npt.NDArray[Any]) -> pa.Array:
    if values.dtype.kind != "S":
        return arrow_numbers(values)
    raw = pa.py_buffer(np.ascontiguousarray(values))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(values.itemsize), len(values), [None, raw])


def from_struct(struct: pa.StructArray, dtype: np.dtype[np.void]) -> npt.NDArray[np.void]:
    """Return the fields of an Arrow struct as those of a structured array."""
    found = np.empty(len(struct), dtype)
    for name in dtype.names or ():
        column = struct.field(name)
        if column.type == pa.binary(dtype[name].itemsize):
            found[name] = np.frombuffer(column.buffers()[1], dtype[name], len(column))
        else:
            found[name] = numpy_numbers(column)
    return found
