"""The text of CSV files, as their bytes are or as they are once unpacked.

A file is known to be compressed by its first bytes.  It can only be read from its beginning: what lies behind is passed
over, and nobody knows how long it is before all is unpacked.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from akdask.csv.remembered import FIRST, remembering_reader
from akdask.errors import FileFormatError, UnsupportedError
from akdask.storage.data.ranges import RangeReader
from akdask.storage.paths.files import FileIdentity, is_remote
from akdask.typing import NumberArray

CODECS = ("gzip", "bz2", "zstd", "lz4")
"""How files are compressed, by the names that pyarrow has."""

_SIGNATURES = {b"\x1f\x8b\x08": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
_BZ2_BLOCK = b"1AY&SY"
"""What follows the level in a bz2 file; text may begin as the rest does."""
_OTHERS = {b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip"}
_FIRST = 16
_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class CompressedFile:
    """A file whose text is to be unpacked.

    Parameters
    ----------
    file : FileIdentity
        The file.
    codec : str
        One of `CODECS`.
    """

    file: FileIdentity
    codec: str

    @property
    def path(self) -> str:
        """Where the file is."""
        return self.file.path


TextFile: TypeAlias = FileIdentity | CompressedFile


class TextReader(Protocol):
    """Reads ranges of the text of one file."""

    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        """Fill a contiguous array with the bytes at `offset`; see `RangeReader.read_into`."""
        ...


def text_file(file: FileIdentity) -> TextFile:
    """Return a file as one of text, told from its first bytes.

    Raises
    ------
    UnsupportedError
        If it is compressed in a way that is not unpacked.
    """
    # What follows in a remote file is looked at next, and is not worth a request of its own.
    first = np.empty(min(FIRST if is_remote(file.path) else _FIRST, file.size), np.uint8)
    with remembering_reader(file) as reader:
        reader.read_into(first, 0, "CSV")
    begin = first.tobytes()
    for signature, name in _OTHERS.items():
        if begin.startswith(signature):
            raise UnsupportedError(
                f"{file.path!r} is compressed by {name}, which is not unpacked.",
                hint=f"unpack it, or compress it by one of {', '.join(CODECS)}.",
            )
    for signature, name in _SIGNATURES.items():
        if begin.startswith(signature) and (name != "bz2" or begin[4:10] == _BZ2_BLOCK):
            return CompressedFile(file, name)
    return file


@contextmanager
def text_reader(file: TextFile) -> Iterator[TextReader]:
    """Open a file to read ranges of its text."""
    if isinstance(file, FileIdentity):
        with remembering_reader(file) as reader:
            yield reader
    else:
        with remembering_reader(file.file) as reader:
            yield _Unpacked(file, reader)


def read_text(file: TextFile, start: int, stop: int) -> bytes:
    """Return the bytes of a text from `start` on, up to `stop` or its end."""
    if isinstance(file, FileIdentity):
        data = np.empty(max(min(stop, file.size) - start, 0), np.uint8)
        with remembering_reader(file) as reader:
            reader.read_into(data, start, "CSV")
        return data.tobytes()
    with remembering_reader(file.file) as reader:
        unpacked = _Unpacked(file, reader)
        unpacked.skip_to(start)
        return unpacked.read(stop - start)


def text_blocks(file: TextFile, start: int, size: int) -> Iterator[tuple[NumberArray, bool]]:
    """Yield the text of a file from `start` on, some bytes at a time, each with whether they are the last.

    The array that is yielded is not to be written to, and is used again.
    """
    if not isinstance(file, FileIdentity):
        with remembering_reader(file.file) as packed:
            packed.expect([[(0, file.file.size)]])
            yield from _Unpacked(file, packed).blocks(start, size)
        return
    with remembering_reader(file) as reader:
        reader.expect([[(start, file.size)]])
        buffer = np.empty(size, np.uint8)
        position = start
        while position < file.size:
            data = buffer[: min(size, file.size - position)]
            reader.read_into(data, position, "CSV")
            position += len(data)
            yield data, position == file.size


class _Raw(io.RawIOBase):
    """The bytes of a file, one after the other."""

    def __init__(self, reader: RangeReader) -> None:
        self._reader = reader
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        target = np.frombuffer(buffer, np.uint8)
        count = min(len(target), self._reader.file.size - self._position)
        self._reader.read_into(target[:count], self._position, "CSV")
        self._position += count
        return count


class _Unpacked:
    """Reads the text of a compressed file, from its beginning whenever it is to go back."""

    def __init__(self, file: CompressedFile, reader: RangeReader) -> None:
        self._file = file
        self._reader = reader
        self._rewind()

    def _rewind(self) -> None:
        raw = pa.PythonFile(io.BufferedReader(_Raw(self._reader), _BLOCK), mode="r")
        self._stream = pa.CompressedInputStream(raw, self._file.codec)
        self._position = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer only at the end.

        Raises
        ------
        FileFormatError
            If the file is damaged or truncated.
        """
        parts, left = [], size
        while left > 0:
            try:
                found = self._stream.read(min(left, _BLOCK))
            except (OSError, pa.ArrowException) as error:
                raise FileFormatError(
                    f"{self._file.path!r} cannot be unpacked by {self._file.codec}: {error}."[:400],
                    hint="the file is damaged or truncated; write it again.",
                ) from error
            if not found:
                break
            parts.append(found)
            left -= len(found)
        data = b"".join(parts)
        self._position += len(data)
        return data

    def skip_to(self, offset: int) -> None:
        """Go to a place in the text."""
        if offset < self._position:
            self._rewind()
        while self._position < offset and self.read(min(offset - self._position, _BLOCK)):
            pass

    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        """Fill a contiguous array with the bytes at `offset`."""
        self.skip_to(offset)
        target = out.view(np.uint8)
        for start in range(0, len(target), _BLOCK):
            part = target[start : start + _BLOCK]
            data = self.read(len(part))
            if len(data) < len(part):
                raise FileFormatError(
                    f"the text of {self._file.path!r} ends before it should.",
                    hint="the file has changed; open it anew.",
                )
            part[:] = np.frombuffer(data, np.uint8)

    def blocks(self, start: int, size: int) -> Iterator[tuple[NumberArray, bool]]:
        """Yield the text from `start` on; see `text_blocks`."""
        self.skip_to(start)
        data = self.read(size)
        while data:
            following = self.read(size)
            yield np.frombuffer(data, np.uint8), not following
            data = following
