"""A folder of blobs, each under its own name: on this machine, or in a file system of fsspec."""
