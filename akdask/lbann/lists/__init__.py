"""Sample lists: which samples of which files, in which order."""
