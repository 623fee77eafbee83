"""Tuning constants of columns: sizes and thresholds, each with the figures that chose it or what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are CPU times.
"""

# ---- sums

FEW_SELECTED = 32
"""If a mask selects one row in this number, or fewer, only the selected rows are added, without zeros between them.  Of
2 M rows, one in 16 takes 3.9 ms so, and 2.2 ms with zeros; one in 32 2.1 and 2.0 ms, and one in 256 0.8 and 1.9 ms."""

FEW_PLACED = 2
"""The same for rows that were selected before: one in 2 takes 3.0 and 2.1 ms, one in 4 1.5 and 1.7 ms."""

# ---- memory

TRIED_BYTES, MOST_TRIED = 2**21, 2**9
"""Bytes of new memory of which one large page is tried, all pages, and the most pages of a block that are. They are
written to anyway. 400 MB on a machine whose host takes memory back take 72 ms so, 367 where every second page is tried,
267 with one in eight, and 439 without a trial: pages at hand come first, and may be just as many as are tried."""

PAGE_TIME = 1e-3
"""Seconds of work in which the system maps as many bytes of small pages; it clears a large one at hand in a tenth."""

PAUSED_BYTES, MOST_PAUSED_BYTES = 2**26, 2**29
"""Bytes of new memory that do without large pages after a slow one, and after many slow ones in a row."""

IDLE_SECONDS = 30.0
"""Seconds for which freed memory is kept."""

MOST_SCRATCH_BYTES = 2**26
"""Bytes that a thread keeps."""

SPARE_ROWS = 4
"""If more than this multiple of the rows was reserved, the rest is freed."""
