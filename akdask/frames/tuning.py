"""Tuning constants of frames, each with the figure that chose it."""

ITERATED = 40_000
"""Rows that are brought into this process at a time: 100,000 take 79, 42 and 29 ms with 2,500, 10,000 and this many."""
