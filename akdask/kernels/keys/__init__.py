"""Normalized keys: columns as unsigned words that order and hash like the values."""
