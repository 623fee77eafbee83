"""Reductions of a column to one value, scans, histograms, and vector programs that fuse them with a scan."""
