"""`Series`: an array with labels."""
