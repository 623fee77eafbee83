"""Rows of one partition read as columns, and the sources that plans scan."""
