"""64-bit words: what NumPy kernels and compiled loops must agree on about keys and hashes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Words: TypeAlias = npt.NDArray[np.uint64]
"""One word of each row."""

WORD_BITS = 64
TEXT_BYTES = 7
"""Bytes of a string in one word."""

SIGN = np.uint64(1 << 63)
LAST = np.uint64(2**64 - 1)
"""The word of NaN and of missing times, whether ascending or descending: after all others."""

VACANT = np.uint64(2**64 - 1)
"""The word of an empty slot of an open-addressing table: no search goes on beyond it."""

FIRST = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xD6E8FEB86659FD93)
"""Factors by which words are multiplied to mix their bits."""

HALF = np.uint64(32)
LAST_BITS = np.uint64(2**32 - 1)
