"""Parquet files of any writer: what they hold, reading and writing them.  The only place with pyarrow.parquet for sets."""
