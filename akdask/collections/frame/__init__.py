"""`DataFrame` and its methods, one module for each family."""
