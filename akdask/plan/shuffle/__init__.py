"""Rows that change partition: the exchange, spill files, and on which worker tasks run."""
