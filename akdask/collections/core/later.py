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
    "DataFrame": "frame.dataframe",
    "SegArray": "lists.segarray",
    "Series": "series.series",
    "along_axis": "arrays.shaped.along_axis",
    "apply": "functions.apply",
    "array function": "functions.numpy_functions",
    "by column": "series.series",
    "column Series": "series.series",
    "find": "lookups.finding",
    "from_dask": "functions.from_dask",
    "grouped by time": "frame.resampling",
    "groups of a Series": "frame.series_groupby",
    "groups of a column": "frame.series_groupby",
    "indexof1d": "lookups.finding",
    "lookup": "lookups.finding",
    "map": "lookups.finding",
    "matmul": "functions.shapes.matrices",
    "operated": "arrays.shaped.ndarray",
    "outer join of labels": "frame.joining",
    "plots": "akdask.plotting.accessor",
    "reduced_along": "groups.axes",
    "resampler": "frame.resampling",
    "resampler of a Series": "frame.resampling",
    "reshaped": "arrays.shaped.ndarray",
    "resampler of a column in groups": "frame.group_resampling",
    "resampler of groups": "frame.group_resampling",
    "rows at regular times": "frame.resampling",
    "rows below": "frame.concat",
    "series of": "series.series",
    "span windows": "frame_core.analysis.moving.spans",
    "spaced between arrays": "functions.shapes.broadcast",
    "spread": "arrays.shaped.ndarray",
    "stack": "functions.shapes.joining",
    "values grouped by time": "frame.resampling",
    "vecdot": "functions.shapes.matrices",
}
"""Modules of akdask.collections, by what they provide, and one of a layer above them by its full name."""

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
        import_module(module if module.startswith("akdask.") else f"akdask.collections.{module}")
    return registry.get(key)
