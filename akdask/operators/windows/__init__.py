"""Windows: reductions of each row with its neighbours, scans, and shifts."""
