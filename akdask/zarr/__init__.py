"""Zarr stores of version 2: the folders of arrays that Arkouda's servers, zarr and others read and write."""
