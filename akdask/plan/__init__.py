"""The lazy layer: expression nodes, their rewriting, and their way to a Dask graph."""
