"""Lazy arrays of numbers, text, times, lists and categories, their groups, and functions of them."""
