"""Sizes that decide which way pandas' face takes."""

EAGER_VALUES = 2**21
"""Most values of an object in memory that pandas computes with at once, without a plan.

Of 13 common questions on five columns, pandas takes 0.6 times the CPU of plans at 1 million values, 1.5 times at 5
million.
"""

CACHED_VALUES = 2**22
"""Most values of a computed object that stay in memory for later calls, and that a look at an object computes."""

CACHED_SHARE = 8
"""Part of the memory of the process that computed objects may take together."""

READ_VALUES = 2**20
"""Most values of Parquet files that pandas reads at once: the rows are at hand then.

Of ten questions on five columns, two of them text, plans take 0.6 times the CPU of reading all columns at once for one
question at 1 million values, 1.1 times for all ten; at 2 million 0.4 and 0.7 times, at half a million 0.8 and 1.6.
"""

READ_AT_ONCE = 2**24
"""Most bytes of a small Parquet file that are read before its values are wanted."""

READ_BYTES = 2**28
"""Most bytes of CSV files that pandas reads at once."""

WRITTEN_BYTES = 2**28
"""Most bytes of lazy columns that are computed at once to be written."""

SORTED_BY_PANDAS = 2**20
"""Most rows whose equal values come in the order in which pandas' quicksort leaves them."""

FIRST_GROUPS = 2**10
"""Most first groups in some order that are sought without all others in memory."""

SELECTED_ROWS = 2**24
"""Fewest rows of which some are sorted by their key without its being in memory first."""

PARSED_BYTES = 2**24
"""Bytes of a CSV file that are parsed at a time."""

NUMBERED_VALUES = 2**27
"""Most cells of a frame whose rows pandas chooses by label; the numbers of the rows take no memory of their own."""

REDUCED_ROWS = 64
"""Most rows that reductions of columns are thought to give; whatever has more is not in memory."""

ARRANGED_ROWS = 2**17
"""Most rows whose values get other rows and columns in memory, as results of groups do by `unstack`."""

GROUPED_BYTES = 2**28
"""Most bytes of the columns concerned that are grouped by pandas at once."""

CHUNK_ROWS = 2**18
"""Most rows of whole groups on which pandas is called at a time, unless one group has more."""
