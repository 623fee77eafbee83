"""Schemas of objects as JSON and back, exactly: every class by its name with its fields in order, tuples as lists."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from akdask import errors
from akdask.hdf5.description import ColumnSchema, DatasetSchema, ObjectSchema, Problem
from akdask.hdf5.layout import ObjType
from akdask.schema import ColumnType

_CLASSES: dict[str, Any] = {c.__name__: c for c in (ObjectSchema, ColumnSchema, ColumnType, DatasetSchema, Problem)}


def encode(item: Any) -> Any:
    """Return what `json.dumps` takes of a schema, or of tuples and plain values with schemas in them."""
    match item:
        case ObjType():
            return {"ObjType": int(item)}
        case tuple():
            return [encode(part) for part in item]
        case type():
            return {"error": item.__name__}
    if is_dataclass(item):
        return {type(item).__name__: [encode(getattr(item, field.name)) for field in fields(item)]}
    return item


def decode(item: Any) -> Any:
    """Return what was encoded.

    Raises
    ------
    AttributeError, KeyError, TypeError, ValueError
        If it is something else.
    """
    if isinstance(item, list):
        return tuple(decode(part) for part in item)
    if not isinstance(item, dict):
        return item
    ((name, content),) = item.items()
    match name:
        case "ObjType":
            return ObjType(content)
        case "error":
            return _error(content)
    return _CLASSES[name](*decode(content))


def _error(name: str) -> type[errors.AkdaskError]:
    """Return an error class of akdask and of nothing else."""
    found: type[errors.AkdaskError] = getattr(errors, name)
    if not issubclass(found, errors.AkdaskError):
        raise TypeError(name)
    return found
