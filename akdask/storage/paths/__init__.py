"""Paths and open folders: which files a user means, and whether they are still the same."""
