"""The text of CSV files, compressed or not.

A file is recognized as compressed by its first bytes.  It can only be read from its beginning, and its length is
unknown until all of it is unpacked.
"""

from __future__ import annotations

import io
from codecs import getincrementaldecoder
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.caches import Cache
from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats import tuning
from akdask.records import record
from akdask.storage import tuning as storage_tuning
from akdask.storage.files import FileIdentity, is_remote
from akdask.storage.ranges import RangeReader, range_reader
from akdask.storage.remote import Stream, buffer_limit
from akdask.storage.tuning import BLOCK_BYTES
from akdask.typing import NumberArray

Bytes = npt.NDArray[np.uint8]


BEGINNINGS: Cache[FileIdentity, Bytes] = Cache(
    "beginnings of text files",
    nbytes=lambda: buffer_limit() // storage_tuning.TASK_SHARE,
    size=lambda found: found.nbytes,
)
"""The first bytes of files."""


class CachingReader(RangeReader):
    """Reads a remote file, its cached first bytes without a request; caches the bytes that it reads from the start.

    Parameters
    ----------
    file : FileIdentity
        The file.
    """

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file)
        self._inner = range_reader(file)
        self._known: Bytes | None = None
        self._begun: Bytes | None = None
        self._filled = 0

    def __enter__(self) -> Self:
        self._inner.__enter__()
        self._known = BEGINNINGS.get(self.file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Raises if the file was replaced while it was read: then nothing is cached.
        self._inner.__exit__(kind, error, trace)
        if error is None and self._begun is not None and self._filled:
            is_complete = self._filled == self.file.size
            known = BEGINNINGS.get(self.file)
            if known is None or len(known) < self._filled:
                BEGINNINGS.put(self.file, self._begun if is_complete else self._begun[: self._filled].copy())

    def expect(self, streams: Sequence[Stream], *, goes_back: bool = False) -> None:
        """Begin to fetch the ranges that are not cached."""
        known = 0 if self._known is None else len(self._known)
        left = [[(max(start, known), stop) for start, stop in stream if stop > known] for stream in streams]
        self._inner.expect(left, goes_back=goes_back)

    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        """Fill an array with the bytes at an offset; see `RangeReader.read_into`."""
        target = out.reshape(-1).view(np.uint8)
        known = self._known
        if known is not None:
            # Cached bytes come first, the rest by requests.
            some = known[offset : offset + len(target)]
            target[: len(some)] = some
            target, offset = target[len(some) :], offset + len(some)
            if self._begun is None and len(known) < self.file.size:
                self._begin(known)
        if not len(target):
            return
        self._inner.read_into(target, offset, dataset)
        if known is None and self._begun is None:
            self._begin(np.empty(0, np.uint8))
        if self._begun is not None and offset <= self._filled:
            some = target[: max(len(self._begun) - offset, 0)]
            self._begun[offset : offset + len(some)] = some
            self._filled = max(self._filled, offset + len(some))

    def _begin(self, known: Bytes) -> None:
        """Make room for the bytes of a small file, or for the first ones of a large one."""
        is_small = self.file.size <= buffer_limit() // storage_tuning.TASK_SHARE**2
        self._begun = np.empty(self.file.size if is_small else min(tuning.FIRST_BYTES, self.file.size), np.uint8)
        self._filled = min(len(known), len(self._begun))
        self._begun[: self._filled] = known[: self._filled]


def remembering_reader(file: FileIdentity) -> RangeReader:
    """Return the reader of a file: a caching one for remote files, a plain one for local files."""
    return CachingReader(file) if is_remote(file.path) else range_reader(file)


CODECS = ("gzip", "bz2", "zstd", "lz4")
"""How files are compressed, by the names that pyarrow has."""

_SIGNATURES = {b"\x1f\x8b\x08": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
_UTF_16_BOMS = (b"\xff\xfe", b"\xfe\xff")
"""How text in UTF-16 begins, which is read as if it were packed text in UTF-8."""

_UTF_16 = "utf-16"
_BZ2_BLOCK = b"1AY&SY"
"""Bytes that follow the level in a bz2 file; the bytes before may also begin a text."""
_OTHERS = {b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip"}
_FIRST = 16


@record
class CompressedFile:
    """A file whose text is to be unpacked.

    Parameters
    ----------
    file : FileIdentity
        The file.
    codec : str
        One of `CODECS`, or ``utf-16``.
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
    """Return a file as text, unpacked if its first bytes show that it is compressed.

    Raises
    ------
    UnsupportedError
        If it is compressed in a way that is not unpacked.
    """
    # The next bytes of a remote file are read soon, and are not worth a request of their own.
    first = np.empty(min(tuning.FIRST_BYTES if is_remote(file.path) else _FIRST, file.size), np.uint8)
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
    return CompressedFile(file, _UTF_16) if begin.startswith(_UTF_16_BOMS) else file


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


def text_blocks(file: TextFile, start: int, size: int) -> Generator[tuple[NumberArray, bool]]:
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


class _Recoded:
    """Reads text in UTF-16 as UTF-8."""

    def __init__(self, raw: io.BufferedIOBase) -> None:
        self._raw = raw
        self._decoder = getincrementaldecoder(_UTF_16)()
        self._rest = b""  # as a character may take more bytes in UTF-8

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most so many, none at the end."""
        while not self._rest:
            data = self._raw.read(size)
            self._rest = self._decoder.decode(data, final=not data).encode()
            if not data:
                break
        found, self._rest = self._rest[:size], self._rest[size:]
        return found


class _Unpacked:
    """Reads the text of a compressed file, from its beginning whenever it is to go back."""

    def __init__(self, file: CompressedFile, reader: RangeReader) -> None:
        self._file = file
        self._reader = reader
        self._rewind()

    def _rewind(self) -> None:
        raw = io.BufferedReader(_Raw(self._reader), BLOCK_BYTES)
        self._stream: Any = (
            _Recoded(raw)
            if self._file.codec == _UTF_16
            else pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), self._file.codec)
        )
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
                found = self._stream.read(min(left, BLOCK_BYTES))
            except (OSError, UnicodeError, pa.ArrowException) as error:
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
        while self._position < offset and self.read(min(offset - self._position, BLOCK_BYTES)):
            pass

    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        """Fill a contiguous array with the bytes at `offset`."""
        self.skip_to(offset)
        target = out.view(np.uint8)
        for start in range(0, len(target), BLOCK_BYTES):
            part = target[start : start + BLOCK_BYTES]
            data = self.read(len(part))
            if len(data) < len(part):
                raise FileFormatError(
                    f"the text of {self._file.path!r} ends before it should.",
                    hint="the file has changed; open it again.",
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
