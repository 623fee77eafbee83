"""How the rows of a blob are made, written, read and looked at."""
