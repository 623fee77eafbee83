"""The lazy layer: nodes, values, and the scheduler, exchange and memory that run plans."""
