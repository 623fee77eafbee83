"""The text of a sample list, block by block, unpacked if it is compressed."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from akdask.errors import MissingFileError
from akdask.lbann.errors import LbannListError
from akdask.storage.paths.files import absolute

BLOCK = 1 << 24
"""Bytes of text that are split into words at a time."""

_GZIP = b"\x1f\x8b"
_ZLIB_METHOD = 8
_AUTOMATIC = 47
"""Window size of zlib that stands for: gzip or zlib, as the first bytes say."""


def text_blocks(path: str | os.PathLike[str], block: int = BLOCK) -> Iterator[bytes]:
    """Yield the text of a file in blocks of whole lines; the last line may lack its line feed.

    Parameters
    ----------
    path : str or path-like
        A local file, which may be compressed by gzip or zlib.
    block : int, default 16777216
        Bytes of a block, or more where a line is longer.

    Raises
    ------
    MissingFileError
        If there is no such file.
    LbannListError
        If it cannot be read, or is compressed and damaged.
    """
    name = absolute(path)
    rest = [b""]
    for data in _unpacked(name, block):
        head, feed, tail = data.rpartition(b"\n")
        if feed:
            yield b"".join((*rest, head, feed))
            rest = [tail]
        else:
            rest.append(data)
    if last := b"".join(rest):
        yield last


def _unpacked(path: str, block: int) -> Iterator[bytes]:
    try:
        with open(path, "rb") as file:
            start = file.read(2)
            file.seek(0)
            if not is_compressed(start):
                yield from iter(lambda: file.read(block), b"")
                return
            yield from _decompressed(file, path, block)
    except FileNotFoundError:
        raise MissingFileError(f"no sample list {path!r}.") from None
    except OSError as error:
        raise LbannListError(f"cannot read the sample list {path!r}: {error.strerror or error}.") from error


def is_compressed(start: bytes) -> bool:
    r"""Whether text that begins with these two bytes is compressed by gzip or zlib.

    Examples
    --------
    >>> is_compressed(b"\x1f\x8b"), is_compressed(b"\x78\x9c"), is_compressed(b"CO")
    (True, True, False)
    """
    if start == _GZIP:
        return True
    # No list begins with such letters: the check bits of zlib's header are those of few pairs.
    return len(start) == 2 and start[0] & 15 == _ZLIB_METHOD and start[0] >> 4 <= 7 and int.from_bytes(start) % 31 == 0


def _decompressed(file: BinaryIO, path: str, block: int) -> Iterator[bytes]:
    """Yield what is compressed, at most a block at a time however well it is packed."""
    unpacker, data = zlib.decompressobj(_AUTOMATIC), b""
    try:
        while data or (data := file.read(1 << 20)):
            if unpacker.eof:  # gzip files may follow one another in one file
                unpacker = zlib.decompressobj(_AUTOMATIC)
            yield unpacker.decompress(data, block)
            data = unpacker.unused_data or unpacker.unconsumed_tail
        yield unpacker.flush()
    except zlib.error as error:
        raise LbannListError(f"the compressed sample list {path!r} is damaged: {error}.") from error
    if not unpacker.eof:
        raise LbannListError(f"the compressed sample list {path!r} is cut short.", hint="copy it once more.")
