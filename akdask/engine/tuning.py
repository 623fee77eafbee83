"""Tuning constants of the engine: sizes and thresholds, each with what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are the CPU time of 2 M rows
on two cores: with a quarter of the value, with the value, and with four times the value.
"""

from __future__ import annotations

from dask.system import CPU_COUNT as CORES

from akdask.columns.summation import UNIT

# ---- alignment

MOST_CONCATENATED = 16
"""Largest number of partitions of concatenated rows, as a multiple of the largest base's."""

MOST_CONCATENATED_PARTS = 64
"""Largest number of parts concatenated by one node; earlier parts are concatenated first."""

# ---- blocks

FEW_BLOCK_ROWS = 4 * UNIT
"""Rows up to which a partition is one block, since each block has a fixed cost.  First rows of groups: 212, 200 and
239 ms; filtered rows: 150, 132 and 106 ms."""

JOINED_BLOCK_SHARE = 2
"""The divisor of the rows of a block up to which a filter or a match leaves few of them, which wait for those of other
blocks.  A product summed over 4 % of 6 M rows of Parquet takes 0.16 s, and 0.21 s block by block."""

FEW_PAIRED = 4
"""The divisor of the rows of a block up to which rows that have a pair are few: other columns are read of these alone.
TPC-H's q7 of Parquet takes 0.34 s of CPU so, and 0.42 s where all rows are read."""

MOST_OPEN_FILES = 16
"""Largest number of files that a thread keeps open."""

OPEN_PARTITIONS, OPEN_AHEAD = 4, 16
"""Partitions that are open at a time, maybe of several files; remote ones wait for their bytes."""

DISTINCT_FOR_ROW = 4
"""Strings of a dictionary for each row of a block, up to which they are asked in place of the rows: later blocks of a
partition mostly have the same dictionary."""

# ---- pipeline

SMALL_ROWS = 2**18
"""Up to this number of rows, splitting does not pay.  Unique text: 56, 61 and 67 ms; sorted text: 207, 201 and 193
ms."""

FEW_PARTITIONS = max(4, 2 * CORES)
"""Up to this number of partitions, each has its own task.  It depends on this machine only, as clusters come and go."""

MOST_BATCH_ROWS = 2**23
"""From this number of rows on, the overhead of a task does not matter."""

FEW_GROUP_BATCHES, GROUP_BATCHES = 4, 32
FEW_GROUP_ROWS, MOST_GROUP_ROWS = 2**20, 2**23
"""Numbers of batches for grouping, and rows of a batch. Few rows make few batches, since each batch finds each group
again. Many rows make enough batches to keep many threads busy. The numbers do not depend on the machine, because float
sums are merged batch by batch."""

GROUP_COLUMNS = 2
"""Memory that the keys of a batch and their groups may take where memory is short, in columns of a partition. Grouping
itself takes several times as much."""

MOST_BATCH_FILES = 128
"""Largest number of partitions of a batch; remote files take long to open."""

FAN_IN = 16
"""Results that one task merges, if there are many."""

MOST_RESERVED_ROWS = 2**22
"""Rows for which memory is reserved while the number of rows that are left is unknown; it grows if there are more."""

ENOUGH_LEFT = 2
"""If at most one possible row in so many is left, the rows are copied to smaller arrays."""

STRING_WIDTH = 4
"""Number columns that need as much cache as one string column, stored and decoded."""

SHARE_LEFT = 0.25
"""Share of the cache that a column takes of which only the rows are needed that a first selection leaves.  A sum over
joins of 6 M rows with 33 operations takes 0.19 s, and 0.22 s where such columns count as others do."""

FEWEST_BLOCK_ROWS = 2**14
"""Fewest rows of a block of very many columns, so that the cost of a step is small beside its work."""

# ---- pruning

FEW_ROWS_LEFT = 16
"""A smaller share of the rows than one in so many counts as few."""

NEAR_ROWS, MOST_READS = 2**12, 32
"""Gap of rows up to which two parts are read together, and the most parts of a partition that are read one by one."""

# ---- scheduler

MEMORY_PAUSE = 0.05
"""Seconds after which a thread that waits for memory checks again."""

LOOK_UP = 1.0
"""Seconds after which a waiting thread checks for interruptions, on systems where these do not wake it."""

COMPILED_ROWS = 2**15
"""Fewest rows of a block on which predicates are compiled loops, which take 0.1 ms to make."""

SMALL_TASKS = 64
"""Number of tasks that this thread may run alone, if they have few rows."""

SMALL_CHAIN_ROWS = 2**22
"""Rows up to which this thread runs tasks that wait for each other anyway; more rows would delay interruptions."""

# ---- exchange

EXCHANGED_ROWS = 2**22
"""Rows of a partition that an exchange makes, or fewer if the partition size is small."""

FINE_PARTITIONS = 1024
"""Up to this number, new partitions are small and quick to sort; above it, partitions grow instead."""

MOST_SLICES = 2**18
"""Largest number of slices of an exchange."""

FEWEST_SLICED_GROUPS = 64
"""The slices of this number of old partitions are never concatenated, however many new partitions there are."""

LOST_PAUSE = 0.25
"""Seconds to wait for the scheduler to know that results are lost, before a task is handed back to it."""

MANY_PARTS = 16
"""From this number of source partitions on, parts are concatenated before they travel, to save messages."""

# ---- spilling

SPILL_FILE_BYTES = 2**28
"""Bytes after which a file is full, so that space is freed before all spill files are gone."""

SMALL_ITEM_BYTES = 2**18
"""Bytes of an item that are copied together and written at once.  200 items of 192 kB take 17 ms, and 22 ms if their
buffers are written one by one; items of 24 kB take 6 and 9 ms."""

# ---- results that are kept

CACHE_SHARE = 8
"""The divisor of this machine's memory that bounds the cache by default."""

MOST_ROUNDS = 8
"""Rounds over rows that are streamed again for each round."""

MOST_STEPS = 40
"""Successive operations that are repeated for each result that is computed after them.

A filter, groups by two columns with several reductions and a sort are 34: kept, all columns are sorted for the first
rows of them.  The first ten of 230,000 such groups take 160 ms then, 84 streamed."""

MOST_STEPS_OF_UNKNOWN = 128
"""The same limit for rows whose number is unknown."""

MOST_ROUNDS_OF_MANY = 64
"""The same limit for rows that may not fit in memory: reading them again is faster than spilling them."""

COLUMN_SHARE = 16
"""The divisor of this machine's memory that bounds a kept column."""

# ---- memory

MOST_CACHED_BYTES = 2**25
"""Bytes of the largest array whose space is kept; glibc raises its own threshold up to this value."""

ENOUGH_MEMORY = 64 * MOST_CACHED_BYTES
"""Workers with less memory keep no freed space."""

SPARE_SHARE = 8
"""The divisor of the memory of a worker, or of this process, that bounds the freed space it keeps."""

SHORT_OF_MEMORY = 0.5
"""The fraction of a worker's memory above which memory is short; Dask begins to spill at 0.6."""

WAITING_SHARE = 2
"""The divisor of the memory that bounds waiting results, given all other memory of the process."""

LEFT_TO_TASKS = 2**32
"""Bytes left to tasks beside persisted results, if these are at most half of the memory; a quarter if that is more."""

WAITING_SHARE_ANYWAY = 16
"""The divisor of the memory that bounds waiting results, whatever else the process holds."""

EXHAUSTED = 0.7
"""The fraction of the memory above which no task begins beside others; Dask pauses its workers at 0.8. Where plans keep
much, it is the fraction of the memory left to tasks."""

MEASURED_SECONDS = 0.02
"""Seconds for which a measurement of this process's memory is valid."""

TRIM_INTERVAL = 0.2
"""Seconds between two checks whether freed memory has to be given back to the system."""

TINY_BYTES = 2**12
"""Bytes up to which a result is not spilled. The record of its place takes as many, and a small result could keep a
large spill file alive."""

UNCOUNTED_BYTES = 2**17
"""Bytes up to which a kept table stays in memory without being counted, which would take longer."""

# ---- reading

MOST_REMOTE_TASKS = 32
"""Tasks at a time for remote files; each has several requests under way."""

FUSED_ROWS = 2**18
"""Most rows that a task of a cluster reads for one that waits for other inputs, too; messages take as long as these."""

ROWS_COPIED = 8
"""Rows that a process reads in the time of one that is filtered or indexed, too."""

MOST_COPIED = 64
"""Nodes below one that each process makes for itself, at most: they travel with each task that uses their results."""

MOST_SENT = 128
"""Most results that are sent to workers so that each of them merges or indexes these itself, where others would wait
for one that does so and sends its result on."""

MOST_IN_BUNDLE = 4
"""Partitions of a node for each thread of a cluster, up to which a task for each thread makes them: tasks of a few
hundred thousand rows take as long as the messages for them."""

ROWS_SENT = 2**10
"""Most rows of a table that travels with each task that uses it."""

ONE_TASK_ROWS = 2**20
"""Rows that all tasks of a plan read, up to which a cluster has one task for it: messages take milliseconds each.
TPC-H, wall on two workers: q2 109 ms and 48 with one task, q11 67 and 44, q16 100 and 90; q22, of 1.8 M rows, 70 and
74."""

COLUMNS_ON_WORKERS = 32
"""Columns that workers keep at a time; a plan refers to all earlier rounds, and reads the last ones."""

# ---- optimizer

MOST_PASSES = 4
"""Passes over plans at most; filters that the first one splits move below joins in the second."""

SHARED_ROWS = 2**14
"""Fewest rows of a partition, on average, that several passes read and that are kept for all: a task takes 0.2 ms."""

SHARED_MATCHES, SHARED_FILTERED = 1 / 3, 1 / 10
"""Largest share of rows, by guess, that matches with other tables, or filters alone, leave to be kept for several
passes.  Two passes over 6 M rows of Parquet, which match 1 in 1,000 with 200 keys: 376 ms, and 205 ms if they are kept.
"""

MOST_FOUND_ROWS = 2**16
"""Most first rows of a sort that are found without sorting all: one task has all of them, and earlier tasks as many of
each partition."""
