"""What objects of the known schemas hold: which arrays, of which kinds, with how many rows."""
