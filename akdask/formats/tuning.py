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

FIRST_BYTES = 2**16
"""Bytes of the first request for the head of a CSV file or the footer of a Parquet file, which mostly contain all of
it: for few files, a second request takes less than more bytes of all."""

BLOCK_ROWS = 2**16
"""Rows of text that are encoded at a time.  1 M short texts take 10.0, 9.3 and 9.6 ms in HDF5; rows of CSV take 141,
140 and 142 ms."""
