"""Columns as Parquet stores them, and files of these put into place at once."""
