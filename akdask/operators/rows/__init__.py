"""Rows at positions: taken, scattered, flattened, numbered."""
