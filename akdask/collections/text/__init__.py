"""`Strings` and `Categorical`."""
