"""Row-wise operations on values: numbers, text, times, lists, and look-ups."""
