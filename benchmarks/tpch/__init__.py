"""The 22 queries of TPC-H for each engine: `pandas.txt`, `queries.sql`, and `polars_queries`."""
