"""Frames that pick rows by position, put rows into place, and take lists apart."""
