"""Vector programs: chains of row-wise operations and reductions that one compiled loop reads and runs."""
