"""Sets of files: opening, writing, manifests, objects of old releases."""
