"""Reductions: one specification for each, in a module for each family, and their registry."""
