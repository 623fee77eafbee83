"""Bytes of datasets: strings ended by NUL, chunks and their filters, the layout of new files."""
