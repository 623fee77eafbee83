"""Grouped aggregation: rows with equal keys are reduced to one row."""
