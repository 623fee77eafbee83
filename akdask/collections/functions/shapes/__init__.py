"""Functions on arrays of any number of dimensions: reordered, joined, repeated, broadcast, multiplied."""
