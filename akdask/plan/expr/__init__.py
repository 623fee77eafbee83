"""Logical nodes of a plan: frames, which produce rows, and values, which are computed row by row."""
