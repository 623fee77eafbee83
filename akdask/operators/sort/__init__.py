"""Sorts: range-partitioned rows, splitters, runs, and first or last rows."""
