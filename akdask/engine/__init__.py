"""The lazy layer: nodes, values, the optimiser, and what runs plans."""
