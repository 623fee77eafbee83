"""Sorting across partitions: sampling, splitters, range partitioning and the sort of each new partition."""
