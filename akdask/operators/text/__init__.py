"""Text, row by row: characters, case, parts and encodings."""
