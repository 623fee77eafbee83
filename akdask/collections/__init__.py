"""What users hold: thin objects over plans."""
