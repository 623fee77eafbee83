"""Sparse matrices: those of which only elements that are not zero are stored."""
