"""A loop that makes NumPy's strings, four bytes for each character."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.columns import offsets_and_bytes
from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.kernels.compiled.words import Text
from akdask.typing import NumberArray


def from_ascii(strings: pa.LargeStringArray) -> NumberArray | None:
    """Return strings as NumPy's; None where not all of them are ASCII."""
    offsets, text = offsets_and_bytes(strings)
    if text.view(np.int8).min(initial=0) < 0:
        return None
    longest = max(int(np.diff(offsets).max(initial=0)), 1)
    characters = np.zeros((len(strings), longest), np.uint32)
    _widen(read_only(offsets), read_only(text), characters)
    return characters.view(f"U{longest}").ravel()


@compiled
def _widen(offsets: NumberArray, text: Text, characters: npt.NDArray[np.uint32]) -> None:
    """Write the bytes of each string to a row."""
    for row in range(len(characters)):
        start = offsets[row] - offsets[0]
        for place in range(offsets[row + 1] - offsets[row]):
            characters[row, place] = text[start + place]
