"""Jenkins' lookup3 of 32 bits: HDF5's checksum of metadata, and its hash of names."""

from __future__ import annotations

import struct
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Word: TypeAlias = Any
"""An integer, or an array of them, of which only the lower 32 bits count."""

_START, _MASK, _PART = 0xDEADBEEF, 2**32 - 1, 12
_FEW = 8
"""Rows below which numbers are faster than arrays."""


def lookup3(content: bytes) -> int:
    """Return the hash of bytes.

    Examples
    --------
    >>> hex(lookup3(b"")), hex(lookup3(b"Four score and seven years ago"))
    ('0xdeadbeef', '0x17770551')
    """
    a = b = c = (_START + len(content)) & _MASK
    if not content:
        return c
    *parts, last = struct.iter_unpack("<III", content.ljust(-(-len(content) // _PART) * _PART, b"\0"))
    for part in parts:
        a, b, c = _mixed(*_added((a, b, c), part))
    return int(_last_mixed(*_added((a, b, c), last)))


def lookup3_of_rows(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return the hash of each row.

    Parameters
    ----------
    rows : ndarray of uint8, shape (n, nbytes)
        Bytes; at least one in a row.

    Returns
    -------
    ndarray of uint32, shape (n,)
        Hashes.
    """
    n, nbytes = rows.shape
    if n < _FEW:
        return np.array([lookup3(row.tobytes()) for row in rows], np.uint32)
    padded = np.zeros((n, -(-nbytes // _PART) * _PART), np.uint8)
    padded[:, :nbytes] = rows
    # A word of all rows stands together; sums of 32 bits wrap around by themselves.
    words = np.ascontiguousarray(padded.view("<u4").T)
    state: tuple[Word, Word, Word] = (np.full(n, (_START + nbytes) & _MASK, np.uint32),) * 3
    for at in range(0, len(words) - 3, 3):
        state = _mixed(*_added(state, words[at : at + 3]))
    hashes: npt.NDArray[np.uint32] = _last_mixed(*_added(state, words[-3:]))
    return hashes


def _added(state: tuple[Word, Word, Word], part: Any) -> tuple[Word, Word, Word]:
    a, b, c = ((word + more) & _MASK for word, more in zip(state, part, strict=True))
    return a, b, c


def _turned(word: Word, bits: int) -> Word:
    return ((word << bits) | (word >> (32 - bits))) & _MASK


def _mixed(a: Word, b: Word, c: Word) -> tuple[Word, Word, Word]:
    for bits in (4, 6, 8, 16, 19, 4):
        # The words take turns: after each step the second is the first.
        a, b, c = b, (c + b) & _MASK, ((a - c) & _MASK) ^ _turned(c, bits)
    return a, b, c


def _last_mixed(a: Word, b: Word, c: Word) -> Word:
    a, b, c = c, a, b
    for bits in (14, 11, 25, 16, 4, 14, 24):
        a, b, c = b, c, ((a ^ c) - _turned(c, bits)) & _MASK
    return c
