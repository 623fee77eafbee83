"""Group-by: partial aggregation of partitions, splitters, merging by ranges of the keys, and the grouping cache."""
