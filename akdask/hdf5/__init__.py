"""Arkouda's HDF5 files: what they hold, reading and writing them.  The only place with h5py."""
