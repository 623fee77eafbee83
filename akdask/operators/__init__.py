"""Operators of plans, a folder for each: its nodes, its kernels and its loops."""
