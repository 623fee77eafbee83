"""Reductions of each row with its neighbours."""
