"""Bytes and names of files: paths, locale numbering, where data lies, reading ranges, writing sets atomically."""
