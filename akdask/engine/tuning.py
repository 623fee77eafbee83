"""Tuning constants of the engine: sizes and thresholds, each with what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.
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
"""Rows up to which a partition is one block, since each block has a fixed cost."""

MOST_OPEN_FILES = 16
"""Largest number of files that a thread keeps open."""

OPEN_PARTITIONS, OPEN_AHEAD = 4, 16
"""Partitions that are open at a time, maybe of several files; remote ones wait for their bytes."""

# ---- pipeline

SMALL_ROWS = 2**18
"""Up to this number of rows, splitting does not pay."""

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

SMALL_TASKS = 64
"""Number of tasks that this thread may run alone, if they have few rows."""

SMALL_CHAIN_ROWS = 2**22
"""Rows up to which this thread runs tasks that wait for each other anyway; more rows would delay interruptions."""
