"""The lazy layer: plan nodes, row-wise values, the optimiser, and the schedulers that run plans."""
