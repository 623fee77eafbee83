"""Tuning constants of joins: sizes and thresholds, each with what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.
"""

from __future__ import annotations

# ---- key tables

HASH_SLOTS_PER_ROW = 3
"""Fewest slots for each row; with fewer, searches would visit more slots.  2 M rows among 300,000
far keys: 36 ms with one, 22 ms with three, and 28 ms with twelve."""

TELLING_BITS = 6
"""Fewest bits of a slot number stored with a word; no word is so many slots away from its own."""

SLOTS_PER_ROW = 8
"""Most cells of a direct table for each row.  2 M rows among 700,000 keys: 19 ms with two, 6 ms with eight or more."""

MIN_SLOTS = 2**16
"""Cells that a direct table may have for any number of rows."""

BITS_PER_ROW, MIN_BITS = 64, 2**21
"""Most bits for each row, and those that there may be for any number of rows, of a table that has bits for cells: so
many take less memory than hashes, and so few stay in the cache of a core."""

MAX_SLOTS = 2**28
"""Most cells of a direct table."""

FEW_STRINGS = 2**14
"""Strings that are kept in a table of their own.  A row among 2 short ones takes 4 ns there, and 13 ns in a table of
hashes; the table of 1 M rows takes 54 ns a row to make, and that of hashes 25 ns."""

# ---- plan

BLOCK_ROWS = 2**16
"""Rows that are split at a time, which stay in the cache of the core."""

SLICE_ROWS = 2**6
"""Rows that are split at a time for each of many buckets, since each slice has a fixed cost."""

SAMPLED_ROWS = 2**12
"""Sampled rows of a partition, to find heavy keys."""

FEW_SAMPLED = 16
"""A sampled key with up to this number of rows is not heavy."""

SMALLER_SIDE = 4
"""How many times as many rows the other side has, at least, if the left one is indexed, whose order is
restored.  Of sides of the same size: 119 ms if the left one is, and 27 ms if not."""

SMALL_SIDE = 2**17
"""Most rows of the smaller side of a join where nothing tells how many the other has: groups are fewer than rows."""

FILTERED_ROWS = 2**10
"""Fewest rows of a table that is filtered by the keys of another before it is indexed, for a task takes 0.2 ms."""

FEW_LEFT = 4
"""One in how many rows is left, at most, where their keys filter a larger table before it is indexed for them."""

NUMBER_COST, TEXT_COST = 0.5, 8
"""What conditions on numbers and on text take, where 1 is a search for a number in a table that the cache of a core
holds."""

MANY_INDEXED = 2**24
"""Rows of a table of which the plan does not tell how many it has."""

PAIRS = 2**20
"""Pairs of rows made at a time.  2 M of them take 128 ms, as with a quarter, and 146 ms with four times as many."""
