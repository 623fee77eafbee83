"""Files of any format: paths, byte ranges, transactions, manifests, and the registry of formats."""
