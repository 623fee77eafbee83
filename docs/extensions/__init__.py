"""What Sphinx does for the site beyond its own."""
