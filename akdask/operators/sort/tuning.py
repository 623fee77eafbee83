"""Tuning constants of sorts: sizes and thresholds, each with what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are the CPU time of 2 M rows
on two cores: with a quarter of the value, with the value, and with four times the value.
"""

from __future__ import annotations

# ---- kernels

FEW_EQUAL_ROWS = 8
"""Up to this mean number of rows, groups of equal rows are sorted one by one."""

# ---- partition

RANGE_ROWS = 2**15
"""Rows of a range: several of its columns fit in the cache of the core.  Floats with a column: 100, 93 and 95 ms, text:
228, 204 and 200 ms."""

COARSER = 4
"""Fine ranges in a coarse one; sorts of blocks use coarse ranges, to have enough rows in each.  Two
columns: 151, 162 and 182 ms, text: 224, 227 and 195 ms."""

MOST_RANGES = 2**11
"""Most ranges, unless there are more partitions; more write streams would be slow.  Text: 221, 203 and 207 ms."""

MANY_SLICES = 512
"""From this number of new partitions on, all rows are split at once; a block would give each very few."""

MOST_RADIX_RANGES = 2**16
"""Most ranges of radix partitioning."""

MOST_WORDS = 2
"""Words of text that go to a new partition in place of it."""

WORTH_RANGES = 2**18
"""From this number of values on, splitting a partition into ranges that fit the core's cache pays: the same for 2 M."""

# ---- plan

MOST_SAMPLED = 2**11
"""At least one row in this number is sampled for splitters.  Two columns: 154, 148 and 145 ms, text: 188, 193 and
199 ms."""

SAMPLES = 32
"""Sampled rows of a partition, if it has that many.  Two columns: 143, 141 and 151 ms."""

ALL_SAMPLES = 2**23
"""Most sampled rows of all partitions, which one task sorts; with more rows, a smaller share is sampled.
Text: 203, 192 and 208 ms."""

# ---- ranges

MOST_COMPARED_RANGES = 16
"""Up to this number of ranges, values are compared with every splitter, which is faster than a search.  Text:
196, 184 and 188 ms."""

SLOT_BITS = 11
"""Leading bits of the look-up table of fine ranges, which stays in the fastest cache."""

LARGE_SHARE = 16
"""The divisor of all splitters that bounds the splitters in a range which is cut at one of them."""

PARTITION_SLOT_BITS = 15
"""Leading bits of the look-up table of splitters; most slots have at most one splitter, so that searches are rare.
Floats: 94, 98 and 100 ms with 13, 15 and 17."""

# ---- top k

SAMPLED_OF_EACH, MANY_TIMES = 256, 4
"""Sampled rows for each wanted one, which give a bound for all, if there are so many times more rows.  The first
100 of floats: 40, 38 and 39 ms; of text: 109, 112 and 104 ms."""
