"""Rows and those before or after them: moving, expanding and decaying windows, and rows of groups in order."""
