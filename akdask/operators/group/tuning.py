"""Tuning constants of groups: sizes and thresholds, each with what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are the CPU time of 2 M rows
on two cores, where they name no others: with a quarter of the value, with the value, and with four times the value.
"""

from __future__ import annotations

# ---- aggregation

MOST_KNOWN_KEYS = 2**17
"""Distinct keys of which a table still fits the caches; with more, blocks have to have few new ones.  330,000
distinct of 2 M keys: 64 ms, and 101 ms with four times as many; their means: 75 ms with a quarter, and 62 ms."""

FEWEST_ROWS_OF_A_KEY = 8
"""Fewest rows of a block for each new key; with fewer, deduplicating blocks ends."""

# ---- dictionary

MOST_STRINGS = 2**15
"""Most distinct strings of a dictionary that grows from block to block; with more, finding new ones is slow.  20,000
distinct ones: 98, 68 and 70 ms."""

MOST_NUMBERS = 2**15
"""Most distinct numbers, since a larger table does not fit the core's cache: the same for 20,000 distinct ones."""

DICTIONARY_SAMPLE = 2**12
"""Values that are sampled before all are read.  Sums by two keys: 123, 107 and 103 ms, by 700,000 keys: 62, 65 and
70 ms."""

REPEATED = 4
"""Strings for each distinct one from which on ordering these alone pays."""

MOST_DISTINCT = 0.9
"""Largest share of distinct values in a sample of those that are ranked first; ranking others would not pay."""

# ---- grouping

SLICE_ROWS = 2**13
"""Approximate rows of a slice.  A million distinct pairs of keys are ranked in 24, 10 and 9 ms with 2**16, 2**15 and
this, and users of whom each has three rows in 10.5, 9.7 and 9.3 ms."""

FEWEST_SLICED_ROWS = 2**16
"""Rows from which on they are cut into slices: fewer stay in the cache anyway."""

BLOCK_ROWS = 2**17
"""Rows whose slices are found at a time.  Sums by two keys: 113, 107 and 105 ms; medians: 126, 125 and 134 ms."""

MOST_SLICE_BITS = 10
"""Most leading bits of the keys that number slices; with more slices, each gets too few rows of a block."""

SLOTS_PER_ROW = 2
"""Number of slots that take less time than sorting one row.  Sums by two keys: 90, 97 and 101 ms with 1, 2 and 8."""

FEW_SLOTS = 2**16
"""Number of slots that fit the processor's cache.  Medians of 30,000 groups: 65, 51 and 50 ms; sums by two keys: 101,
99 and 112 ms."""

# ---- plan

MOST_SAMPLES = 2**16
"""Sampled rows of all tables, apart from two of each table, and more if there are many ranges."""

RANGE_SAMPLES = 32
"""Fewest sampled rows of a range."""

MOST_SLICES = 2**14
"""Slices of tables in threads that one task makes faster than two tasks for each table."""

FEW_TABLES = 64
"""Most tables that are split without merging some beforehand."""

FEW_MERGED_ROWS = 2**14
"""Most rows of a table that is merged beforehand, if there are many tables."""

MOST_MERGED = 2**20
"""Rows above which tables are not merged beforehand after all."""

CACHE_SHARE = 64
"""The divisor of this machine's memory that bounds one plan's cached groups."""

RANGES_FOR_EXCHANGE = 4
"""Ranges of groups that workers of a cluster merge as one, as an exchange between workers takes as long.  TPC-H on two
workers took 1.3 times as long with 1."""

RANGE_ROWS = 2**21
"""Rows of the input for each planned partition of the result, or fewer if memory is short."""

ENOUGH_FOR_ROWS = 2**30
"""Bytes of a worker's memory for each thread below which it makes tables, which are smaller than rows."""

# ---- radix

FEWEST_RADIX_ROWS = 2**17
"""Fewest rows of a partition that partitioning pays for.  Medians of 700,000 groups, from batches of 250,000 rows: 126,
121 and 191 ms."""

RADIX_SLICE_ROWS = 2**14
"""Approximate rows of a partition in a slice; the slices of several partitions still fit the processor's cache.
Medians of 700,000 groups: 130, 125 and 146 ms; distinct values: 73, 71 and 108 ms."""

MOST_RADIX_BITS = 9
"""Most leading bits that number slices; the processor writes to 512 addresses at a time, and hardly to more.
Medians of 700,000 groups: 143, 132 and 129 ms with 7, 9 and 11."""

ROWS_OF_A_GROUP = 2
"""Most rows of a group in a partition; with more, a table of groups pays.  Medians of 700,000 groups: 239, 134 and
131 ms with 1, 2 and 8."""

MOST_GROUP_BITS = 12
"""Most rows of a group in the slices of all partitions."""

FEWEST_SLICES = 32
"""Fewest slices with rows by the first of several keys; of fewer, tasks would get too different numbers of rows.
Sums by two keys: 107, 115 and 144 ms; distinct values: 75, 75 and 111 ms."""

HEAVIEST = 8
"""Largest ratio of a slice to the others.  Evenly spread keys take the same with any."""

# ---- rows

MOST_TOP_ROWS = 8
"""Most rows of a group that are kept in order while rows come; for more, sorting is faster."""

# ---- slot tables

MOST_SLOTS = 2**18
"""Slots of a grid of which one column still fits the core's cache."""

FEWEST_SLOTS = 2**10
"""Slots that a grid may have for any number of rows."""

PENDING_BLOCKS = 8
"""Blocks whose results are summed at a time."""

CHUNK_SLOTS = 2**16
"""Slots that are merged at a time.  Every table begins at a multiple, so that it has all slots of a chunk or none."""

# ---- strategies

TABLE_SAMPLES = 256
"""Sampled rows of a table."""

MOST_ORDERED_RANGES = 16
"""Most ranges of groups by long text, each of which picks its rows from all groups; with more, tables are sorted."""

MOST_CODE_BITS = 128
"""Most bits of keys with text that are coded.  Sums of 4 M rows by 100,000 texts of 20 random letters take 217 ms by
codes of two words and 312 by hashes, by texts of 30 letters 576 and 371, by 2 M texts of 50 letters 996 and 913."""

MOST_RANKED = 32
"""Most first groups whose numbers are found by counting the groups before each, without sorting all: for each, that
takes 4 ms of 2.4 M addresses, and sorting these 600."""

FEWEST_HASHED = 2**12
"""Fewest rows of a block of long text whose hashes are sorted in place of the text."""

FEW_SPLIT_ROWS = 2**18
"""Number of rows up to which splitting does not pay.  Sums by text: 88, 88 and 83 ms; first rows of groups: 188, 191
and 201 ms."""

STEP_BYTES = 2**13
"""Approximate bytes between two rows that stay in memory; small compared to the part of a table that a range takes."""

FEWEST_STEPS, MOST_STEPS = 64, 1024
"""Largest number of rows of a table that stay in memory; they are the sample of its keys."""

FEW_ROWS = 2
"""Most rows of each group that are found without putting all rows group by group.

The first 2 rows of 1,000 groups of 3 M rows take 0.024 s of CPU time, and 0.090 by groups; 2 of 300,000 groups take
0.11, but 5 of these 0.22 and 0.13.
"""
