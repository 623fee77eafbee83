"""Arrays of Evo geoscience objects: Parquet blobs, how they are described, stored, read and checked.

``import akdask.evo as evo``; each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "ArrayDescription": "description",
    "EvoError": "errors",
    "Finding": "findings",
    "Store": "store",
    "cell_count": "grids",
    "count_active": "grids",
    "check_object": "objects",
    "copy_object": "objects",
    "digest_of_file": "description",
    "fetch_object": "objects",
    "find_references": "references",
    "flatten": "grids",
    "frame_of": "objects",
    "load_document": "references",
    "UploadBlock": "description",
    "read_arrow": "reader",
    "read_blob": "reader",
    "to_object": "making",
    "unflatten": "grids",
    "validate": "validation",
    "validate_many": "validation",
    "verify_object": "objects",
    "vertex_size": "grids",
    "write_blob": "writer",
}
"""Where each public name is, below this package."""

_PUBLIC_MODULES = ("categories", "colors", "errors", "grids", "kinds", "timestamps")
"""Public modules."""

__all__ = sorted([*_MODULES, *_PUBLIC_MODULES])  # noqa: PLE0605 - a list of str


def __getattr__(name: str) -> Any:
    """Return a public name from the module that defines it, or a public module."""
    if name in _PUBLIC_MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_PUBLIC_MODULES})
