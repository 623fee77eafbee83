"""What a `DataFrame` is made of: its columns, labels, display and storage."""
