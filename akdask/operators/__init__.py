"""What plans are made of, a folder for each operator: its nodes, its kernels and its loops."""
