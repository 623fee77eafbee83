"""The numbers of SipHash-2-4 (Aumasson and Bernstein, 2012), with the key 0, 1, …, 15 of its authors' test vectors."""

from __future__ import annotations

import numpy as np

KEY = 0x0706050403020100, 0x0F0E0D0C0B0A0908

START = np.array(
    [
        KEY[0] ^ 0x736F6D6570736575,
        KEY[1] ^ 0x646F72616E646F6D ^ 0xEE,
        KEY[0] ^ 0x6C7967656E657261,
        KEY[1] ^ 0x7465646279746573,
    ],
    np.uint64,
)
"""The state before the first word."""

WORD = 8
"""Bytes that are taken at a time."""

LENGTH_SHIFT = 56
"""How far the length of the bytes is shifted in the last word, which has those bytes that are left, below it."""

MIXES, LAST_MIXES = 2, 4
"""How often the state is mixed after each word, and before each half of the result."""

FIRST_XOR, SECOND_XOR = np.uint64(0xEE), np.uint64(0xDD)
