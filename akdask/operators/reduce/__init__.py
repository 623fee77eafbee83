"""Reductions of columns to one value."""
