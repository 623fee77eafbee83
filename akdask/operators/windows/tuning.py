"""Tuning constants of windows, with the figures that chose them.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are CPU times at a quarter of
the value, at the value, and at four times the value.
"""

STEPS = 2**8
"""Rows of the blocks in which expanding reductions and recurrences are computed step by step.  Expanding sums of 1 M
rows: 44, 25 and 24 ms; of 32,768 rows: 1.4, 1.4 and 3.8 ms.  Sums of floats depend on it."""

WINDOW_VALUES = 2**17
"""Values of windows that are sorted or reduced at a time, which stay in the cache.  Variances of 300,000 windows of 20
rows: 33, 31 and 34 ms, and 63 ms at sixteen times the value."""

ROWS_PER_STATE = 1
"""Fewest rows for each running result that a partition keeps, one for each group; else rows are put group by group.
Running sums of 4 M rows in 2 M groups: 52 ms in their order, 430 ms group by group; in 1,000 groups 20 and 190 ms."""

BLOCK_VALUES = 2**8
"""Values of windows for each block of rows, from which windows are found from running results of blocks.  Means of
50,000 windows of 72 rows: 8.1, 8.3 and 7.3 ms, and 17 ms without blocks; of 2,016 rows 7 and 834 ms."""
