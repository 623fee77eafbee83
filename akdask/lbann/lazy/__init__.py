"""Samples as lazy objects: rows of a DataFrame, chunks of Dask arrays, partitions of Dask bags."""
