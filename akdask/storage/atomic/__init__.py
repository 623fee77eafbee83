"""Sets and folders that appear whole or not at all: locks, journals, recovery, manifests."""
