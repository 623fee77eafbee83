"""Tuning constants of taken rows: sizes and thresholds, each with what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.
"""

from __future__ import annotations

BROADCAST_SHARE = 16
"""The part of a worker's memory that broadcast columns may take; an index of them takes several times as much."""

BROADCAST_SHARE_HERE = 6
"""The same part for this process, whose threads share the columns; exchanging rows takes several times as long."""

FEW_WANTED = 64
"""If at most one row in this number is wanted, a broadcast does not pay.  2 M rows take 44, 42 and 44 ms of CPU
time with 16, 64 and 256."""

MOST_PICKS = 2**14
"""Most tasks that pick rows; for more, partitions are concatenated first."""

FEWEST_SOURCES = 16
"""Fewest groups of partitions from which each partition of positions picks."""
