"""Scripts as people write them for Arkouda, and the same in pandas and polars: from Parquet files to a small answer."""
