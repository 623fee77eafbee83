"""`SegArray`: an array of lists."""
