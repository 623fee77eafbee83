"""LBANN's samples in HDF5 files, the schemas that select and prepare their fields, and lists of samples."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "Dataset": "dataset",
    "LbannError": "errors",
    "LbannWarning": "errors",
    "SampleList": "sample_list",
    "SampleReader": "reader",
    "generate": "schema",
    "list_samples": "make_lists",
    "normalized_schema": "statistics",
    "read_list": "read_lists",
    "read_prototext": "prototext",
    "verify": "verification",
    "worker_init": "torch",
    "write_samples": "write",
}
"""Where public names are: a module is imported with the first use of one of its names."""

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name == "schema":
        return import_module(f"{__name__}.schema")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
