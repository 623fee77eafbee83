"""DataFrame, Series and Index, and what is done with them."""
