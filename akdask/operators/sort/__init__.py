"""Rows in order."""
