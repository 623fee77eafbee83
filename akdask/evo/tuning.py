"""Tuning constants of blobs: sizes and thresholds, each with what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.
"""

from __future__ import annotations

# ---- files

READ_BYTES = 2**22
"""Bytes that are read, hashed and copied at a time; the speed of hashing depends little on them."""

BLOCK_BYTES = 2**22
"""Bytes of a block in which the service takes blobs."""

COPIED_BLOBS = 8
"""Blobs that are copied at a time."""

# ---- rows

SLICE_BYTES = 2**24
"""Bytes of a slice of an array that is not in memory."""

WRITTEN_BYTES = 2**27
"""Bytes of row groups that are in memory at a time, unless one alone has more."""

CHUNK_BYTES, LARGE_CHUNKS = 2**24, 4
"""Bytes of a chunk of a grid, of which a write holds several in memory; chunks may be so many times as large if each
stored chunk is then unpacked once."""

# ---- validation

CHECKED_ROWS = 2**18
"""Rows whose values are checked at a time."""

CHECKED_FOOTERS = 64
"""Blobs whose footers one task checks."""

ROWS_WITHOUT_TASKS = 2**17
"""Up to this number of rows, a blob is checked without tasks."""
