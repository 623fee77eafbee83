"""What the namespace offers: ``xp.__array_namespace_info__()`` of the standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.array_api.array_object import DEVICE, check_device
from akdask.array_api.creation_functions import isdtype

TYPES = {name: np.dtype(name) for name in ("bool", "int64", "uint8", "uint64", "float64")}
"""The types of elements by their names in the standard."""

DEFAULTS = {"real floating": "float64", "integral": "int64", "indexing": "int64"}
"""The names of types that are taken where none is given."""


class NamespaceInfo:
    """Capabilities, types and devices of `akdask.array_api`.

    Examples
    --------
    >>> xp.__array_namespace_info__().dtypes(kind="unsigned integer")
    {'uint8': dtype('uint8'), 'uint64': dtype('uint64')}
    """

    def capabilities(self) -> dict[str, Any]:
        """Return that masks work, and shapes may depend on values; they may have NumPy's number of dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Return the only device."""
        return DEVICE

    def devices(self) -> list[str]:
        """Return the only device in a list."""
        return [DEVICE]

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """Return the types that are taken where none is given; there is none of complex numbers."""
        check_device(device)
        return {kind: TYPES[name] for kind, name in DEFAULTS.items()}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """Return the types of elements by name, those of a kind or of several if it is given; see `isdtype`."""
        check_device(device)
        return {name: dtype for name, dtype in TYPES.items() if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> NamespaceInfo:
    """Return the capabilities of the namespace."""
    return NamespaceInfo()
