"""Joins, and tables in which rows are looked up."""
