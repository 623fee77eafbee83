"""Hashing blobs anew, and what is found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from akdask.errors import FileError
from akdask.evo.blobs.findings import Finding
from akdask.evo.identity import is_digest
from akdask.evo.reader import open_footer
from akdask.evo.store.digests import digests_of
from akdask.evo.store.entries import BlobFolder, EntryKind, StoreEntry, is_identifier


def findings_of(folder: BlobFolder, names: Iterable[str] | None) -> list[Finding]:
    """Return what is wrong with blobs: missing, damaged, or no file; in the order of their names.

    Parameters
    ----------
    folder : BlobFolder
        Where they are.
    names : iterable of str, optional
        Which; all that are there unless given.
    """
    found = {entry.name: entry for entry in folder.entries()}
    if names is None:
        wanted = [entry for entry in found.values() if entry.kind is EntryKind.BLOB]
        findings = [_no_file(entry) for entry in found.values() if _is_strange(entry)]
    else:
        wanted, findings = _wanted(folder, names, found)
    digests = digests_of(folder, [entry for entry in wanted if is_digest(entry.name)])
    for entry in wanted:
        is_hashed = is_digest(entry.name)
        problem = _digest_problem(entry, digests[entry.name]) if is_hashed else _footer_problem(folder, entry)
        findings += [] if problem is None else [problem]
    return sorted(findings, key=lambda finding: finding.blob or "")


def _wanted(
    folder: BlobFolder, names: Iterable[str], found: Mapping[str, StoreEntry]
) -> tuple[list[StoreEntry], list[Finding]]:
    """Return the files of some blobs, and findings of those that are not there."""
    wanted, findings = [], []
    for name in dict.fromkeys(names):
        entry = found.get(name) or found.get(name.upper())
        if entry is not None and entry.kind is EntryKind.BLOB:
            wanted.append(entry)
        elif entry is not None:
            findings.append(_no_file(entry))
        else:
            findings.append(Finding("error", "missing", f"the blob is not in {folder.place}.", blob=name))
    return wanted, findings


def _is_strange(entry: StoreEntry) -> bool:
    """Whether something that is no file has the name of a blob."""
    return entry.kind is EntryKind.FOREIGN and is_identifier(entry.name)


def _no_file(entry: StoreEntry) -> Finding:
    return Finding("error", "no-file", "a link or a folder has the name of a blob; remove it.", blob=entry.name)


def _digest_problem(entry: StoreEntry, found: str | Exception) -> Finding | None:
    if isinstance(found, Exception):
        return Finding("error", "unreadable", f"the blob cannot be read: {found}", blob=entry.name)
    if found == entry.identifier:
        return None
    text = f"the blob is damaged: the SHA-256 of its bytes is {found}; fetch it again."
    return Finding("error", "digest", text, blob=entry.name)


def _footer_problem(folder: BlobFolder, entry: StoreEntry) -> Finding | None:
    try:
        open_footer(folder.location(entry.name))
    except FileError as error:
        text = "; ".join([error.message, *error.details])
        return Finding("error", "unreadable", text, blob=entry.name)
    return None
