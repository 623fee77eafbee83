"""CSV files: Arkouda's, whose header tells the types, and those of any other writer."""
