"""The blobs of objects: fetching, verifying and copying all that an object refers to."""

from __future__ import annotations

from typing import Any

from akdask.errors import AkdaskError, warn
from akdask.evo.blobs.findings import Finding
from akdask.evo.errors import EvoError
from akdask.evo.objects.references import Document, Reference, find_references, load_object, references_in
from akdask.evo.store.store import Store


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
        If blobs are missing or damaged; all are told.

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
    """Return what is wrong with the blobs of an object: missing, damaged, or not as described; of all arrays.

    Digests are compared and footers looked at, many blobs at a time; for the rules of the object's schema see
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
    """Copy the blobs of an object to another store, and return the names of those that were not there.

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
        If blobs are missing or damaged; all are told, and the others are copied.
    """
    names = [reference.name for reference in find_references(document)]
    return source.copy([name for name in names if name is not None], target)
