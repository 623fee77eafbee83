"""DataFrame, Series and Index, and their groups, windows, joins, labels and display."""
