"""What one partition holds in memory: types, columns and tables."""
