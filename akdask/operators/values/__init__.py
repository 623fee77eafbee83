"""Row-wise operations."""
