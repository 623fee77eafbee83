"""Grouping rows by key, and aggregating groups: one module for each strategy."""
