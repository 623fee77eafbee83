"""Columns of one partition in memory: their types, tables of them, text, lists and integers of any size."""
