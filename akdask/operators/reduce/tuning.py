"""Tuning constants of reductions, with the figures that chose them.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are CPU times.
"""

ROWS_OF_A_VALUE = 2
"""Fewest rows of a distinct value, on average, for which quantiles count distinct values.  3 M rows of 100 values take
10 ms, and 23 ms without counts; 3 M rows of many values take 19 ms, and 118 ms with counts."""

MOST_MERGED_VALUES = 2**16
"""Distinct values above which a run of counts is not merged any more: 40 runs of 145,000 take 2 ms, merged 103 ms."""

SAMPLED_ROWS = 256
"""Rows of a block that tell whether values repeat; sorting all to find out takes 8 times as long as copying them."""

SAMPLE = 2**15
"""Rows that tell where about a rank is: 2 % of 20 M rows are then between the bounds, and sorting these takes 1 ms."""

MOST_PASSES = 12
"""Ranks, apart from neighbours, that are looked for by a pass over all rows; more are found in sorted rows."""
