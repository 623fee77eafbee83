"""The blobs of objects: fetch, verify and copy all blobs that an object refers to, and read them as frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from akdask.errors import AkdaskError, MissingColumnError, warn
from akdask.evo.errors import EvoError, ObjectError
from akdask.evo.findings import Finding
from akdask.evo.references import Document, Reference, find_references, load_object, references_in, resolve
from akdask.evo.store import Store
from akdask.frames.dataframe import DataFrame


def fetch_object(document: Document, store: Store, *, verify: bool = True) -> dict[str, Any]:
    """Return lazy DataFrames of all arrays of an object, by their paths.

    Values that attributes name as missing are missing.  Of the blobs only the footers are read, and with `verify` their
    digests are compared, many at a time.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.
    store : Store
        Where the blobs are.
    verify : bool, default True
        Compare the digests of the blobs first.

    Raises
    ------
    DescriptionError
        If descriptions make no sense.
    EvoError
        If blobs are missing or damaged; all of them are listed.

    Warns
    -----
    UserWarning
        If arrays are left out, as their columns make no kind.
    """
    references = find_references(document)
    if verify:
        wrong = store.verify([reference.name for reference in references if reference.name is not None])
        if wrong:
            raise EvoError(
                "blobs of the object are missing or damaged.",
                details=[str(finding) for finding in wrong],
                hint="fetch or write them again.",
            )
    strange = [reference.path for reference in references if not reference.has_kind]
    if strange:
        warn(f"arrays of no kind are left out: {', '.join(strange)}.", UserWarning)
    return {
        reference.path: store.get(reference.json, nan_description=reference.nan_description, verify=False)
        for reference in references
        if reference.has_kind
    }


def verify_object(document: Document, store: Store) -> list[Finding]:
    """Return errors in the blobs of all arrays of an object: missing, damaged, or not as described.

    Digests and footers of many blobs are checked concurrently; for the rules of the object's schema see
    `akdask.evo.check_object`.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.
    store : Store
        Where the blobs are.
    """
    found = []
    described: dict[str, list[Reference]] = {}
    for reference in references_in(load_object(document)):
        try:
            has_kind, name = reference.has_kind, reference.name
        except EvoError as error:
            found.append(
                Finding("error", "description", "; ".join([error.message, *error.details]), blob=reference.path)
            )
            continue
        if not has_kind:
            found.append(Finding("warning", "kind", "its columns make no kind of array.", blob=reference.path))
        if name is not None:
            described.setdefault(name, []).append(reference)
    found += store.verify(list(described))
    gone = {finding.blob for finding in found if finding.is_error}
    for name, references in described.items():
        if name in gone:
            continue
        for reference in filter(lambda item: item.has_kind, references):
            try:
                store.check(reference.json)
            except AkdaskError as error:
                text = "; ".join([error.message, *error.details])
                found.append(Finding("error", "description", f"{reference.path}: {text}", blob=name))
    return found


def copy_object(document: Document, source: Store, target: Store) -> list[str]:
    """Copy the blobs of an object to another store, and return the names of the new ones.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.
    source, target : Store
        Where the blobs are, and where they go.

    Raises
    ------
    DescriptionError
        If descriptions make no sense.
    EvoError
        If blobs are missing or damaged; all of them are listed, and the others are copied.
    """
    names = [reference.name for reference in find_references(document)]
    return source.copy([name for name in names if name is not None], target)


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
        Names of attributes, or of columns of the array, to read; all by default.
    rows : slice, optional
        Rows to read.
    verify : bool, default True
        Compare the digests of the blobs with their names.

    Returns
    -------
    DataFrame
        The columns of an array; or a column for each attribute, by its name, or several named ``name[0]``, ``name[1]``,
        … if it has several.  Codes become text, and missing values of attributes are missing.

    Raises
    ------
    ObjectError
        If there is no such place, or several, or there are no arrays.
    MissingColumnError
        If there is no attribute of a name.
    EvoError
        As for `Store.get`.
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
    """Return the label of an attribute: its name, else its key."""
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
