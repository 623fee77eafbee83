import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Numbers = NDArray[np.int32]

# Returns -1 if a last byte is not NUL or missing, 1 if other bytes are NUL or not ASCII, 0 otherwise.
def take_nuls_off(values: Bytes, bounds: Ints, offsets: Ints, text: Bytes) -> int: ...

# Adds characters to the 128 known numbers; returns their count, -1 if there are strings of other lengths.
def number_characters(values: Bytes, known: Numbers, count: int, numbers: Numbers) -> int: ...

# Returns whether there is NUL among the bytes.
def put_nuls_on(text: Bytes, offsets: Ints, values: Bytes, least: Words, most: Words) -> bool: ...

# Returns how many bytes it makes, -1 if the data is damaged or makes more than there is room for.
def unpack_lzf(packed: Bytes, out: Bytes) -> int: ...

# Returns whether HDF5 would never come to the end of a global heap.
def has_endless_object(heap: Bytes) -> bool: ...
