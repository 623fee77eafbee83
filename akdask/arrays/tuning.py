"""Tuning constants of arrays, with the figures that chose them.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are CPU times at a quarter of
the value, at the value, and at four times the value.
"""

AXIS_ELEMENTS = 2**22
"""Elements that one task reduces or puts in order along a dimension at once; of more, parts are reduced first,
whatever the partitions.  Variances of 2,048 columns of 2,048 rows: 39, 13 and 13 ms; sums: 3.1, 2.9 and 3.0 ms."""

AXIS_PART = 2**18
"""Elements of the parts that are reduced first, where a reduction can merge parts.  Sums of 2,048 such columns:
3.8, 3.0 and 3.3 ms, and 5.8 ms in one part.  Sums of floats depend on it."""
