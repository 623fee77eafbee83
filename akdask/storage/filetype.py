"""Which format a file has, told from its first bytes and never from its extension."""

from __future__ import annotations

import os
from enum import Enum

import fsspec

from akdask.errors import FileFormatError, MissingFileError
from akdask.storage.directory import open_regular
from akdask.storage.files import identify, is_remote


class FileType(Enum):
    """Formats that are recognised; the values are Arkouda's names for them."""

    HDF5 = "HDF5"
    PARQUET = "Parquet"
    CSV = "CSV"


_SIGNATURES = {b"\x89HDF\r\n\x1a\n": FileType.HDF5, b"PAR1": FileType.PARQUET, b"**HEADER": FileType.CSV}
_ARROW = b"ARROW1\0\0"


def file_type(path: str) -> FileType:
    """Return the format of a file.

    Raises
    ------
    MissingFileError
        If there is no such file.
    FileFormatError
        If the first bytes are those of none of the formats, or the file cannot be read.
    """
    first = _first_bytes(path)
    for signature, kind in _SIGNATURES.items():
        if first.startswith(signature):
            return kind
    found = "an Arrow IPC file" if first == _ARROW else f"first bytes {first!r}"
    raise FileFormatError(
        f"{path!r} is none of HDF5, Parquet or CSV with Arkouda's header.",
        details=[found],
        hint="a CSV file without the header can be read with read_csv.",
    )


def _first_bytes(path: str) -> bytes:
    try:
        if is_remote(path):
            with fsspec.open(path, "rb") as file:
                return bytes(file.read(8))
        identify(path)  # a folder or a device is told of as such
        with os.fdopen(open_regular(path, follows=True), "rb") as file:
            return file.read(8)
    except FileNotFoundError:
        raise MissingFileError(f"no file {path!r}.") from None
    except OSError as error:
        raise FileFormatError(f"cannot read {path!r}: {error.strerror or error}.") from error
