"""`GroupBy`, distinct values and set operations."""
