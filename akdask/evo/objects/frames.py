"""Arrays and attributes of objects as lazy DataFrames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from akdask.collections.frame.dataframe import DataFrame
from akdask.errors import MissingColumnError
from akdask.evo.errors import ObjectError
from akdask.evo.objects.paths import resolve
from akdask.evo.objects.references import Document, load_object
from akdask.evo.store.store import Store


def frame_of(
    document: Document,
    store: Store,
    path: str,
    *,
    columns: Sequence[str] | None = None,
    rows: slice | None = None,
    verify: bool = True,
) -> DataFrame:
    """Return an array of an object, or a list of its attributes, as a lazy DataFrame.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.
    store : Store
        Where its blobs are.
    path : str
        Where the array, the attribute or the list of attributes is, or the end of that path if no other ends so:
        ``"vertices"``, ``"vertices.attributes"``, ``"collections[0].from_to.attributes"``.
    columns : sequence of str, optional
        Names of attributes, or of columns of the array, to read; all unless given.
    rows : slice, optional
        Rows to read.
    verify : bool, default True
        Compare the digests of the blobs with their names.

    Returns
    -------
    DataFrame
        Of an array its columns; of attributes a column for each, with its name, or several called ``name[0]``,
        ``name[1]``, … where it has several.  Codes are text, and what attributes name as missing is missing.

    Raises
    ------
    ObjectError
        If there is no such place, or several, or there are no arrays.
    MissingColumnError
        If there is no attribute of a name.
    EvoError
        As `Store.get` does.
    """
    found, value = resolve(load_object(document), path)
    if isinstance(value, list):
        attributes = {_label(item, number): item for number, item in enumerate(value) if _has_values(item)}
        if not attributes:
            raise ObjectError(f"there are no attributes with arrays at {found!r}.")
        return DataFrame(_columns_of(_named(attributes, columns, found), store, rows, verify))
    if isinstance(value, Mapping) and "data" in value:
        return store.get(value, columns=columns, rows=rows, verify=verify)
    if _has_values(value):
        frame = DataFrame(_columns_of({_label(value, 0): value}, store, rows, verify))
        return frame if columns is None else frame[list(columns)]
    inner = [name for name, item in value.items() if isinstance(item, Mapping | list)]
    raise ObjectError(
        f"there is no array at {found!r}.", details=[f"in it: {', '.join(inner) or 'nothing'}"], hint="name one in it."
    )


def _has_values(value: Any) -> bool:
    """Whether something is an attribute, or text that is stored as codes."""
    return isinstance(value, Mapping) and isinstance(value.get("values"), Mapping) and "data" in value["values"]


def _label(attribute: Any, number: int) -> str:
    """Return what an attribute is called: by its name, else its key."""
    known = attribute if isinstance(attribute, Mapping) else {}
    return str(known.get("name") or known.get("key") or (f"attribute {number}" if number else "values"))


def _named(attributes: Mapping[str, Any], names: Sequence[str] | None, path: str) -> Mapping[str, Any]:
    if names is None:
        return attributes
    chosen = [names] if isinstance(names, str) else list(names)
    missing = [name for name in chosen if name not in attributes]
    if missing:
        raise MissingColumnError(
            f"there is no attribute {missing[0]!r} at {path!r}.", details=[f"there are: {', '.join(attributes)}"]
        )
    return {name: attributes[name] for name in chosen}


def _columns_of(attributes: Mapping[str, Any], store: Store, rows: slice | None, verify: bool) -> dict[str, Any]:
    """Return the lazy columns of attributes."""
    made: dict[str, Any] = {}
    for label, attribute in attributes.items():
        frame = store.get(
            attribute["values"],
            rows=rows,
            role="color" if attribute.get("attribute_type") == "color" else None,
            nan_description=attribute.get("nan_description"),
            lookup=attribute.get("table"),
            verify=verify,
        )
        names = list(frame.columns)
        for number, name in enumerate(names):
            made[label if len(names) == 1 else f"{label}[{number}]"] = frame[name]
    return made
