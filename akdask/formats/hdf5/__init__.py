"""HDF5 files, mainly those of Arkouda's schema."""
