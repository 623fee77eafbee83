"""Make objects: store the columns of a frame as an array or as attributes, at their places in a document."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from akdask.arrays.categorical import Categorical
from akdask.errors import ArgumentError
from akdask.evo.canonical import canonical_names, table_of
from akdask.evo.description import ArrayDescription
from akdask.evo.errors import KindError, ObjectError, UnsupportedTableError
from akdask.evo.families import LATEST, SCHEMAS, ArrayRule, AttributesRule, family_name
from akdask.evo.references import Document, load_object
from akdask.evo.rows import lazy_rows
from akdask.evo.store import Store
from akdask.frames.dataframe import DataFrame

PlacedRule = ArrayRule | AttributesRule
_PART = re.compile(r"(.+)\[(\d+)\]")
_STEP = re.compile(r"\.?([^.\[\]]+)(?:\[(\d*)\])?")


def to_object(
    frame: Any, schema: str, store: Store, path: str | None = None, *, document: Document | None = None
) -> dict[str, Any]:
    """Store columns of a frame as arrays of an object, and return its document: the inverse of `frame_of`; computes.

    Parameters
    ----------
    frame : DataFrame or mapping
        Columns of akdask, pandas or Arrow, or a dict of columns.
    schema : str
        Name of the object's schema, such as ``"pointset"``, or the schema itself, such as
        ``"/objects/pointset/1.2.0/pointset.schema.json"``.  A name means the latest version that is known.
    store : Store
        Where the blobs go.
    path : str, optional
        Place of an array of the schema, or of a list of its attributes, or the end of that place, as in `frame_of`.  By
        default columns with the names of the first array, such as x, y and z, become that, and the others attributes
        of the same rows.
    document : mapping or path, optional
        The rest of the object, which is copied: its name, its bounding box, other arrays.

    Returns
    -------
    dict
        The JSON of the object.  Attributes have the names of their columns, also as keys.  Categoricals become codes
        with a lookup table, text, times, bools and whole numbers attributes of these types, floats scalars, and floats
        named ``name[0]``, ``name[1]``, … one vector.

    Raises
    ------
    ObjectError
        If the schema is unknown, or has no such place.
    KindError, ContentError, UnsupportedTableError, BlobWriteError
        As for `Store.put`.

    Examples
    --------
    >>> from akdask import evo
    >>> store = evo.Store("memory://objects")
    >>> points = {"x": [0.0, 1.0], "y": [2.0, 3.0], "z": [4.0, 5.0], "grade": [0.5, 0.25]}
    >>> made = evo.to_object(points, "pointset", store)
    >>> evo.check_object(made, store), evo.frame_of(made, store, "attributes")["grade"].tolist()
    ([], [0.5, 0.25])
    """
    given = {} if document is None else copy.deepcopy(dict(load_object(document)))
    name = family_name({"schema": schema}) or schema
    if name not in SCHEMAS:
        raise ObjectError(
            f"nothing is known of the schema {schema!r:.100}.", details=[f"schemas: {', '.join(sorted(SCHEMAS))}"]
        )
    given["schema"] = f"/objects/{name}/{LATEST[name]}/{name}.schema.json" if name == schema else schema
    columns = _columns_of(frame)
    rules = [rule for rule in SCHEMAS[name].rules if isinstance(rule, ArrayRule | AttributesRule)]
    for rule, some in _placed(columns, rules, path, name):
        place = _place(path, rule)
        if isinstance(rule, AttributesRule):
            _set(given, place, _attributes(some, store))
        else:
            old = _get(given, place)
            more = {key: value for key, value in old.items() if key == "attributes"} if isinstance(old, Mapping) else {}
            _set(given, place, {**store.put(some, role=rule.role), **more})
    return given


def _columns_of(frame: Any) -> dict[str, Any]:
    """Return the columns of a frame by their names."""
    if isinstance(frame, DataFrame):
        found = {str(name): frame[name] for name in frame.columns}
    elif lazy_rows(frame) is not None and isinstance(frame, Mapping):
        found = {str(name): column for name, column in frame.items()}
    elif lazy_rows(frame) is not None:
        raise UnsupportedTableError(
            f"a {type(frame).__name__} is no frame of columns.", hint="give a DataFrame, or a dict of arrays."
        )
    else:
        table = table_of(frame)
        found = dict(zip(table.column_names, table.columns, strict=True))
    if not found:
        raise ArgumentError("a frame without columns has nothing to store.")
    return found


def _placed(
    columns: Mapping[str, Any], rules: Sequence[PlacedRule], path: str | None, name: str
) -> list[tuple[PlacedRule, Mapping[str, Any]]]:
    """Return rules with the columns that each takes, arrays before the attributes within them."""
    if path is not None:
        wanted = re.sub(r"\[\d+\]", "[]", path)
        ends = [rule for rule in rules if rule.path == wanted or rule.path.endswith(f".{wanted}")]
        ends = [rule for rule in ends if rule.path == wanted] or ends
        if len(ends) != 1:
            raise ObjectError(
                f"{path!r} is {'several places' if ends else 'no place'} of a {name}.",
                details=[rule.path for rule in ends or rules],
                hint="name one of these places, or the end of one.",
            )
        return [(ends[0], columns)]
    lists = [rule for rule in rules if isinstance(rule, AttributesRule) and "[]" not in rule.path]
    if not lists:
        raise ObjectError(f"a {name} has no attributes of its own.", hint="name a place with path=.")
    attributes = lists[0]
    for rule in rules:
        if isinstance(rule, ArrayRule) and rule.rows == attributes.rows:
            kind = rule.kinds[0]
            names = canonical_names(kind, int(kind[-1])) if kind.startswith("float-array-") else ()
            if len(names) > 1 and set(names) <= columns.keys():
                rest = {label: column for label, column in columns.items() if label not in names}
                found: list[tuple[PlacedRule, Mapping[str, Any]]] = [(rule, {label: columns[label] for label in names})]
                return [*found, (attributes, rest)] if rest else found
    return [(attributes, columns)]


def _place(path: str | None, rule: PlacedRule) -> str:
    """Return the place of a rule, with the numbers of items that a path names."""
    if "[]" not in rule.path:
        return rule.path
    numbers = re.findall(r"\[(\d+)\]", path or "")
    if len(numbers) != rule.path.count("[]"):
        raise ObjectError(
            f"{rule.path!r} is in a list, and the item is not named.", hint="give its number, as in collections[0]."
        )
    found = rule.path
    for number in numbers:
        found = found.replace("[]", f"[{number}]", 1)
    return found


def _get(document: Any, place: str) -> Any:
    for name, number in _STEP.findall(place):
        document = document.get(name) if isinstance(document, Mapping) else None
        if number:
            document = document[int(number)] if isinstance(document, list) and int(number) < len(document) else None
    return document


def _set(document: dict[str, Any], place: str, value: Any) -> None:
    """Put a value at a place of a document, whose maps and items of lists are made where they are missing."""
    steps: list[Any] = []
    for name, number in _STEP.findall(place):
        steps += [name, int(number)] if number else [name]
    inner: Any = document
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(step, int) and step == len(inner):
            inner.append({})
        if following is None:
            inner[step] = value
            return
        wanted: Any = list if isinstance(following, int) else dict
        if isinstance(step, str) and inner.get(step) is None:
            inner[step] = wanted()
        if (isinstance(step, int) and step > len(inner)) or not isinstance(inner[step], wanted):
            raise ObjectError(f"the document has no place {place!r}.", hint="append items of lists one by one.")
        inner = inner[step]


def _attributes(columns: Mapping[str, Any], store: Store) -> list[dict[str, Any]]:
    """Return the attributes of columns."""
    found = []
    for label, some in _joined(columns).items():
        kind, values = _attribute(some, store)
        missing: dict[str, Any] = (
            {} if kind in ("bool", "string", "color", "indices") else {"nan_description": {"values": []}}
        )
        found.append({"name": label, "key": label, "attribute_type": kind, **missing, **values})
    return found


def _joined(columns: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return columns by attributes: floats that are numbered from 0 on are one attribute."""
    parts = {name: match for name in columns if (match := _PART.fullmatch(name))}
    names = {match[1] for match in parts.values()}
    vectors = {}
    for name in names - columns.keys():
        own = [f"{name}[{number}]" for number in range(sum(match[1] == name for match in parts.values()))]
        if len(own) > 1 and all(one in columns and pa.types.is_floating(_type_of(columns[one])) for one in own):
            vectors[name] = own
    found: dict[str, dict[str, Any]] = {}
    for label, column in columns.items():
        name = parts[label][1] if label in parts else label
        if name in vectors:
            found.setdefault(name, {one: columns[one] for one in vectors[name]})
        else:
            found[label] = {label: column}
    return found


def _type_of(column: Any) -> Any:
    """Return the Arrow type of a column."""
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column.type
    lazy = lazy_rows({"data": column})
    return (lazy.schema if lazy is not None else table_of({"data": column}).schema).field(0).type


def _attribute(columns: dict[str, Any], store: Store) -> tuple[str, dict[str, Any]]:
    """Return the type of an attribute, and its values as they are described."""
    first = next(iter(columns.values()))
    if len(columns) > 1:
        return "vector", {"values": store.put(columns)}
    kind = _type_of(first)
    if isinstance(first, Categorical) or pa.types.is_dictionary(kind):
        return "category", store.put_categories(DataFrame(columns) if isinstance(first, Categorical) else columns)
    values = store.put(columns)
    stored = ArrayDescription.from_json(values).kind
    if stored not in _TYPES:
        raise KindError(f"no attribute has values of kind {stored}.", hint="cast the column to int64 or float64.")
    return _TYPES[stored], {"values": values}


_TYPES = {
    "float-array-1": "scalar",
    "integer-array-1-int32": "integer",
    "integer-array-1-int64": "integer",
    "bool-array-1": "bool",
    "string-array": "string",
    "date-time-array": "date_time",
    "color-array": "color",
    "index-array-1": "indices",
}
"""Types of attributes by the kinds of their arrays."""
