"""Rows of partitions: page by page or through Arrow, and the bounds that statistics tell."""
