"""A loop that makes NumPy's strings, four bytes for each character."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.columns import new_array, offsets_and_bytes
from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.kernels.compiled.words import Text
from akdask.typing import NumberArray


def from_ascii(strings: pa.LargeStringArray) -> NumberArray | None:
    """Return strings as NumPy's; None where not all of them are ASCII."""
    offsets, text = offsets_and_bytes(strings)
    if text.view(np.int8).min(initial=0) < 0:
        return None
    longest = max(int(np.diff(offsets).max(initial=0)), 1)
    characters = new_array(len(strings) * longest, np.uint32).reshape(len(strings), longest)
    _widen(read_only(offsets), read_only(text), characters)
    return characters.view(f"U{longest}").ravel()


@compiled
def _widen(offsets: NumberArray, text: Text, characters: npt.NDArray[np.uint32]) -> None:
    """Write the bytes of each string to a row."""
    for row in range(len(characters)):
        start, length = offsets[row] - offsets[0], offsets[row + 1] - offsets[row]
        for place in range(length):
            characters[row, place] = text[start + place]
        for place in range(length, characters.shape[1]):
            characters[row, place] = 0
