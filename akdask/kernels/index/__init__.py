"""Indices of keys, in which other rows are looked up: the build side of joins and membership tests."""
