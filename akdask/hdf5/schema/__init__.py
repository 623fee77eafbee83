"""Arkouda's HDF5 schema: names, attributes, kinds of objects, and descriptions of files."""
