"""Reductions of frames to scalars, small tables and running results."""
