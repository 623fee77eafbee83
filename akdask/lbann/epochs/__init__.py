"""Epochs: the order of samples, and their batches, read ahead by threads."""
