"""Codecs of pages: the size that packed bytes claim, and Zstandard; loops unpack Snappy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Bytes = npt.NDArray[np.uint8]


@cache
def _zstandard() -> pa.Codec:
    """Return the decompressor of pages, which any number of threads may use."""
    return pa.Codec("zstd")


def unpack_zstandard(packed: Bytes, into: Bytes) -> None:
    """Fill an array with what packed bytes, which claim its size, stand for.

    Raises
    ------
    pyarrow.ArrowException, OSError, ValueError, MemoryError
        If they are damaged.
    """
    found = _zstandard().decompress(pa.py_buffer(packed), decompressed_size=len(into))
    into[:] = np.frombuffer(found, np.uint8)


def claimed_size(codec: str, packed: Bytes) -> Any:
    """Return the unpacked size that compressed data claims, None if it does not claim any."""
    head = packed[:18].tobytes()
    if codec == "SNAPPY":
        size = 0
        for place, byte in enumerate(head[:5]):
            size |= (byte & 127) << 7 * place
            if byte < 128:
                return size
        return None
    return _claimed_by_frame(head)


def _claimed_by_frame(head: bytes) -> int | None:
    """Return the content size of a Zstandard frame."""
    if head[:4] != b"\x28\xb5\x2f\xfd" or len(head) < 5:
        return None
    descriptor = head[4]
    is_single = descriptor >> 5 & 1
    width = (1 if is_single else 0, 2, 4, 8)[descriptor >> 6]
    at = 5 + (not is_single) + (0, 1, 2, 4)[descriptor & 3]
    size = int.from_bytes(head[at : at + width], "little")
    return None if not width or at + width > len(head) else size + 256 if width == 2 else size
