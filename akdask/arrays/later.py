"""What later layers have for classes of earlier ones: found by name, and loaded, when it is first called for.

A time has a calendar, which is a DataFrame, and a DataFrame has columns of times.  The earlier layer names what it
needs, and the later one provides it, so that imports still point one way, and nobody waits for what is never needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

Provided = TypeVar("Provided", bound=Callable[..., Any])

MODULES = {
    "DataFrame": "frames.dataframe",
    "SegArray": "arrays.segarray",
    "Series": "frames.series",
    "along_axis": "arrays.along_axis",
    "apply": "arrays.functions",
    "array function": "arrays.numpy_functions",
    "by column": "frames.series",
    "column Series": "frames.series",
    "find": "frames.lookups",
    "from_dask": "frames.from_dask",
    "grouped by time": "frames.resampling",
    "groups of a Series": "frames.series_groupby",
    "groups of a column": "frames.series_groupby",
    "indexof1d": "frames.lookups",
    "lookup": "frames.lookups",
    "map": "frames.lookups",
    "matmul": "arrays.matrices",
    "operated": "arrays.ndarray",
    "outer join of labels": "frames.join",
    "plots": "plotting.accessor",
    "reduced_along": "arrays.axes",
    "resampler": "frames.resampling",
    "resampler of a Series": "frames.resampling",
    "reshaped": "arrays.ndarray",
    "resampler of a column in groups": "frames.group_resampling",
    "resampler of groups": "frames.group_resampling",
    "rows at regular times": "frames.resampling",
    "rows below": "frames.join",
    "series of": "frames.series",
    "span windows": "frames.spans",
    "spaced between arrays": "arrays.shapes",
    "spread": "arrays.ndarray",
    "stack": "arrays.shapes",
    "values grouped by time": "frames.resampling",
    "vecdot": "arrays.matrices",
}
"""Modules by what they provide."""

_provided: dict[str, Callable[..., Any]] = {}


def provides(name: str) -> Callable[[Provided], Provided]:
    """Register a function or class under a name that earlier layers look up, and that is in `MODULES`."""

    def register(function: Provided) -> Provided:
        _provided[name] = function
        return function

    return register


def later(name: str, *args: Any, **params: Any) -> Any:
    """Call what a later layer provides."""
    return registered(_provided, name, MODULES)(*args, **params)


def registered(registry: Mapping[Any, Any], key: Any, modules: Mapping[Any, str]) -> Any:
    """Return what is registered under a key, None if nothing is; a module of `modules` registers it if it is loaded."""
    if key not in registry and key in modules:
        module = modules[key]
        import_module(f"akdask.{module}")
    return registry.get(key)
