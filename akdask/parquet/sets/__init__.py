"""Files that belong together: what they agree on, columns that folders name, the source of their rows."""
