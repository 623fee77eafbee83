"""Joins, membership tests and look-ups of rows by key."""
