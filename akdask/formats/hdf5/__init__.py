"""HDF5 files, above all those of Arkouda's schema."""
