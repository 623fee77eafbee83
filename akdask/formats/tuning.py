"""Sizes that formats read and write at a time, with the figures that chose them.

Figures are the CPU time of 4 M rows of an integer, a float and a short text: at a quarter of the size, at the size, and
at four times the size.
"""

PARQUET_BATCH_ROWS = 2**16
"""Rows of a batch of Arrow's reader: 102, 105 and 485 ms, as more leave the cache."""

PARQUET_GROUP_ROWS = 2**20
"""Most rows of a row group, the unit that is skipped, or read by a task: 332, 181 and 170 ms of writing."""

PARQUET_WINDOW = 2**20
"""Bytes of a chunk of a column that are held in memory: 104, 97 and 132 ms."""
