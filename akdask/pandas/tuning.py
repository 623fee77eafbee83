"""Sizes that decide which way pandas' face takes."""

EAGER_VALUES = 2**21
"""Most values of an object in memory that pandas computes with at once, without a plan."""

CACHED_VALUES = 2**22
"""Most values of a computed object that stay in memory for later calls."""

READ_VALUES = 2**22
"""Most values of Parquet files that pandas reads at once."""

READ_BYTES = 2**28
"""Most bytes of CSV files that pandas reads at once."""

WRITTEN_BYTES = 2**28
"""Most bytes of lazy columns that are computed at once to be written."""

SORTED_BY_PANDAS = 2**20
"""Most rows whose equal values come in the order in which pandas' quicksort leaves them."""

PARSED_BYTES = 2**24
"""Bytes of a CSV file that are parsed at a time."""
