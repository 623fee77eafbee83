"""Stored objects as every format describes them, and the registry of formats."""
