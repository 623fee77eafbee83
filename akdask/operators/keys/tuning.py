"""Tuning constants of keys, with the figures that chose them.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are CPU times at a quarter of
the value, at the value, and at four times the value.
"""

BLOCK_ROWS = 2**15
"""Rows that are hashed, encoded or looked for at a time, so that intermediate results stay in the processor's cache.
Hashes of two columns of 2 M rows: 4.8, 3.8 and 3.6 ms; looking for them: 24, 22 and 21 ms."""

ROWS_OF_THREADS = 2**19
"""Rows from which on threads make parts of a table of first rows.  A table of 5 M words takes one thread 69 ms, and
each of two 42 ms."""

MOST_PARTS = 8
"""Threads that make one table, at most: each reads all words, which takes a tenth of the time of one thread."""

FEWEST_KEYS = 2**11
"""Keys that a table has memory for at first.  Numbering 4,096 rows of 1,000 words takes 35, 27 and 31 µs, and 4,096
strings 74, 57 and 54 µs."""
