"""Rows at positions: take, scatter, flatten and number rows."""
