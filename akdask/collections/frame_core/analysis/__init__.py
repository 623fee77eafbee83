"""What is found of the rows of a DataFrame: expressions, windows, ranks, bins and other shapes."""
