"""Parquet files of any writer: what they hold, reading and writing them."""
