"""Schemas of objects as JSON and back, exactly: every class by its name with its fields in order, tuples as lists.

The JSON may be of any origin, so decoding accepts only schemas that a codec could have made: all other modules rely on
that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from akdask import errors
from akdask.hdf5.codecs.categorical import OPTIONAL
from akdask.hdf5.codecs.composite import COLUMN_KINDS
from akdask.hdf5.codecs.groupby import PARTS
from akdask.hdf5.schema.description import ColumnSchema, DatasetSchema, ObjectSchema, Problem
from akdask.schema import BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType, bigint_of, list_of
from akdask.storage.formats.objects import CATEGORIES, CODES, NA_CODES, VALUES, ObjType

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
    AttributeError, KeyError, RecursionError, TypeError, ValueError
        If it is something else.
    """
    if isinstance(item, list):
        return tuple(decode(part) for part in item)
    if isinstance(item, str):
        item.encode(errors="surrogateescape")  # names in files are bytes
        return item
    if not isinstance(item, dict):
        return item
    ((name, content),) = item.items()
    match name:
        case "ObjType":
            return ObjType(content)
        case "error":
            return _error(content)
    made = _CLASSES[name](*decode(content))
    if not _is_sound(made):
        raise ValueError(f"no codec makes this {name}")
    return made


def _error(name: str) -> type[errors.AkdaskError]:
    """Return an error class of akdask and of nothing else."""
    found: type[errors.AkdaskError] = getattr(errors, name)
    if not issubclass(found, errors.AkdaskError):
        raise TypeError(name)
    return found


_STORED_TYPE = re.compile(r"[<>|][iufb][1248]")


def _is_sound(made: Any) -> bool:
    """Whether a codec could have made it; its parts are sound."""
    match made:
        case ColumnType(name=str(), max_bits=int()):
            return _is_sound_type(made)
        case DatasetSchema(path=str(), dtype=str() as name):
            return _STORED_TYPE.fullmatch(name) is not None and np.dtype(name).str == name
        case ColumnSchema(name=str(), dtype=ColumnType() as dtype, datasets=tuple() as datasets):
            stored = [one.dtype for one in datasets if isinstance(one, DatasetSchema)]
            return len(stored) == len(datasets) > 0 and _may_hold(dtype, stored)
        case Problem(error=type(), text=str()):
            return True
        case ObjectSchema(name=str(), kind=ObjType(), members=tuple(), children=tuple(), params=tuple()):
            return _is_sound_object(made)
    return False


def _is_sound_type(dtype: ColumnType) -> bool:
    item: Any = dtype.item
    match dtype.kind:
        case "bigint":
            return dtype == bigint_of(dtype.max_bits)
        case "list":
            return (item is None or (isinstance(item, ColumnType) and item.kind != "list")) and dtype == list_of(item)
    return dtype in {INT64, UINT64, UINT8, FLOAT64, BOOL, STR}


def _may_hold(dtype: ColumnType, stored: list[str]) -> bool:
    """Whether a column can be of this type where its datasets are stored so."""
    kinds = "".join(one[1] for one in stored)
    match dtype.kind:
        case "int":
            return kinds in {"i", "u"}
        case "uint":
            return stored[0][1:] == ("u1" if dtype == UINT8 else "u8") and len(stored) == 1
        case "float":
            return kinds == "f"
        case "bool":
            return kinds in {"i", "u", "b"}
        case "str":
            return stored[0] in {"|u1", "|i1"} and kinds[1:] in {"", "i", "u"}
        case "bigint":
            return all(one[1:] in {"i8", "u8"} for one in stored)
    if kinds[-1] not in {"i", "u"} or len(stored) == 1:
        return False
    if dtype.item is None:
        return len(stored) == 2
    # Of strings without segments only the data tells how many there are.
    return _may_hold(dtype.item, stored[:-1]) and (dtype.item.kind != "str" or len(stored) == 3)


def _is_sound_object(schema: ObjectSchema) -> bool:
    problem: Any = schema.problem
    members, children = _pairs(schema.members, ColumnSchema), _pairs(schema.children, ObjectSchema)
    if members is None or children is None or not all(map(_is_param, schema.params)):
        return False
    if problem is not None:
        return isinstance(problem, Problem) and not members and not children
    if any(child.kind not in COLUMN_KINDS or child.problem is not None for child in children.values()):
        return False
    kinds = {member: column.dtype.kind for member, column in members.items()}
    match schema.kind:
        case ObjType.STRINGS:
            return kinds == {VALUES: "str"} and not children
        case ObjType.SEGARRAY:
            return kinds == {VALUES: "list"} and not children
        case ObjType.CATEGORICAL:
            grouping = [kinds.pop(member, None) for member in OPTIONAL]
            kinds.setdefault(NA_CODES, "int")
            expected = {CODES: "int", CATEGORIES: "str", NA_CODES: "int"}
            return kinds == expected and grouping in (["int", "int"], [None, None]) and not children
        case ObjType.GROUPBY:
            return kinds == dict.fromkeys(PARTS, "int") and bool(children)
        case ObjType.INDEX | ObjType.MULTIINDEX:
            return not members and bool(children)
        case ObjType.DATAFRAME:
            return not members
        case ObjType.ARRAYVIEW if not isinstance(dict(schema.params).get("shape"), tuple):
            return False
        case ObjType.ARRAYVIEW | ObjType.PDARRAY | ObjType.DATETIME | ObjType.TIMEDELTA | ObjType.IPV4:
            return list(kinds) == [VALUES] and kinds[VALUES] not in {"str", "list"} and not children
    return False


def _pairs(given: tuple[Any, ...], wanted: type) -> Mapping[str, Any] | None:
    """Return named parts, None if they are something else or two have one name."""
    for pair in given:
        match pair:
            case (str(), part) if isinstance(part, wanted):
                continue
        return None
    found = dict(given)
    return found if len(found) == len(given) else None


def _is_param(pair: Any) -> bool:
    match pair:
        case (str(), int()):
            return True
        case (str(), tuple() as numbers):
            return all(isinstance(number, int) for number in numbers)
    return False
