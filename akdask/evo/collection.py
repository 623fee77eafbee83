"""Remove blobs that no object refers to, and verify blobs by their digests."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dask.system import CPU_COUNT

from akdask.caches import Cache
from akdask.errors import ArgumentError, FileError
from akdask.evo.description import ArrayDescription, digest_of_stream, is_digest, is_identifier
from akdask.evo.findings import Finding
from akdask.evo.folders import MARK, SUFFIX, BlobFolder, EntryKind, StoreEntry
from akdask.evo.reader import open_footer
from akdask.evo.references import identifiers_in, load_document
from akdask.records import record
from akdask.storage import tuning as storage_tuning
from akdask.storage.files import accessing, current_options

_MAGIC = b"PAR1"

_TICK = 2.0
"""Seconds within which a file may change twice and look the same."""

_KNOWN: Cache[tuple[str, int, str], str] = Cache("digests of blobs", entries=100_000)


@record
class Collected:
    """The files that a collection has removed, or would remove.

    Parameters
    ----------
    removed : tuple of StoreEntry
        Blobs without references.
    temporaries : int
        Temporary files of abandoned writes.
    recent : int
        Blobs without references that are younger than the grace time, and stay.
    problems : tuple of str
        Files that could not be removed, or have the name of a blob without being one.
    """

    removed: tuple[StoreEntry, ...]
    temporaries: int
    recent: int
    problems: tuple[str, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the removed blobs."""
        return sum(entry.size for entry in self.removed)

    @property
    def names(self) -> list[str]:
        """Names of the removed blobs."""
        return sorted(entry.name for entry in self.removed)


def collect(
    folder: BlobFolder, used: Collection[str], grace: float, abandoned_after: float, *, dry_run: bool
) -> Collected:
    """Remove blobs that are not used and were not written or put again for some time.

    Parameters
    ----------
    folder : BlobFolder
        The folder of the blobs.
    used : collection of str
        Names of blobs that stay.
    grace : float
        Seconds for which a blob stays after it was put, as the object that refers to it may be on its way.
    abandoned_after : float
        Seconds without a change after which an unlocked temporary file is removed.
    dry_run : bool
        Report without removing.
    """
    entries = list(folder.entries())
    last_uses = {entry.identifier: entry for entry in entries if entry.kind is EntryKind.MARK}
    before = time.time() - grace
    removed: list[StoreEntry] = []
    problems: list[str] = []
    recent = temporaries = 0
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.kind is EntryKind.TEMPORARY:
            is_gone = folder.is_abandoned(entry, abandoned_after) and (dry_run or _removed(folder, entry, problems))
            temporaries += is_gone
        if entry.kind is not EntryKind.BLOB or entry.name.endswith(SUFFIX) or entry.identifier in used:
            continue  # Files with an extension were put there by others.
        mark = last_uses.get(entry.identifier)
        if max(entry.modified, 0.0 if mark is None else mark.modified) > before:
            recent += 1
        elif not _is_parquet(folder, entry):
            problems.append(f"{entry.name}: it has the name of a blob and is no Parquet file; it stays")
        elif dry_run or (_is_unchanged(folder, entry, mark) and _removed(folder, entry, problems)):
            removed.append(entry)
    names = {entry.identifier for entry in removed}
    there = {entry.identifier for entry in entries if entry.kind is EntryKind.BLOB}
    for name, mark in last_uses.items():
        if not dry_run and mark.modified <= before and (name in names or name not in there or name in used):
            _removed(folder, mark, problems)
    return Collected(tuple(removed), temporaries, recent, tuple(problems))


def _is_unchanged(folder: BlobFolder, entry: StoreEntry, mark: StoreEntry | None) -> bool:
    """Whether the blob was not put again since the folder was listed."""
    return folder.find(entry.name) == entry and folder.find(MARK + entry.identifier) == mark


def _is_parquet(folder: BlobFolder, entry: StoreEntry) -> bool:
    try:
        with folder.open(entry.name) as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return True  # reported when it is removed


def _removed(folder: BlobFolder, entry: StoreEntry, problems: list[str]) -> bool:
    try:
        folder.remove(entry.name)
    except FileNotFoundError:
        return False
    except OSError as error:
        problems.append(f"{entry.name}: it cannot be removed: {error.strerror or error}")
        return False
    return True


def used_by(roots: Any) -> set[str]:
    """Return the names of all blobs that roots refer to.

    Raises
    ------
    ObjectError
        If a root cannot be read.
    ArgumentError
        If it is of no type that refers to blobs.
    """
    single = isinstance(roots, str | os.PathLike | Mapping | ArrayDescription)
    if not single and not isinstance(roots, Iterable):
        raise ArgumentError(f"a {type(roots).__name__} refers to no blobs.", hint="pass a list of roots.")
    used: set[str] = set()
    for root in [roots] if single else roots:
        match root:
            case str() if is_identifier(root):
                used.add(root.lower())
            case str() | os.PathLike():
                used |= identifiers_in(load_document(root))
            case Mapping() | ArrayDescription() | list() | tuple():
                used |= identifiers_in(root)
            case _:
                raise ArgumentError(
                    f"a {type(root).__name__} refers to no blobs.",
                    hint="roots are JSON documents, paths of such, descriptions or names of blobs.",
                )
    return used


def findings_of(folder: BlobFolder, names: Iterable[str] | None) -> list[Finding]:
    """Return the errors of blobs, in the order of their names: missing, damaged, or not a file.

    Parameters
    ----------
    folder : BlobFolder
        The folder of the blobs.
    names : iterable of str, optional
        Names of blobs; all present ones by default.
    """
    found = {entry.name: entry for entry in folder.entries()}
    if names is None:
        wanted = [entry for entry in found.values() if entry.kind is EntryKind.BLOB]
        findings = [_no_file(entry) for entry in found.values() if _is_strange(entry)]
    else:
        wanted, findings = _wanted(folder, names, found)
    digests = digests_of(folder, [entry for entry in wanted if is_digest(entry.identifier)])
    for entry in wanted:
        is_hashed = is_digest(entry.identifier)
        problem = _digest_problem(entry, digests[entry.name]) if is_hashed else _footer_problem(folder, entry)
        findings += [] if problem is None else [problem]
    return sorted(findings, key=lambda finding: finding.blob or "")


def _wanted(
    folder: BlobFolder, names: Iterable[str], found: Mapping[str, StoreEntry]
) -> tuple[list[StoreEntry], list[Finding]]:
    """Return the files of blobs, and findings for missing ones."""
    wanted, findings = [], []
    for name in dict.fromkeys(names):
        entry = found.get(name) or found.get(name.upper()) or found.get(f"{name}{SUFFIX}")
        if entry is not None and entry.kind is EntryKind.BLOB:
            wanted.append(entry)
        elif entry is not None:
            findings.append(_no_file(entry))
        else:
            findings.append(Finding("error", "missing", f"the blob is not in {folder.place}.", blob=name))
    return wanted, findings


def _is_strange(entry: StoreEntry) -> bool:
    """Whether an entry that is not a file has the name of a blob."""
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


def digest_of_entry(folder: BlobFolder, entry: StoreEntry) -> str:
    """Return the lower-case SHA-256 of the bytes that a file of a store has now.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    began = time.time()
    with folder.open(entry.name) as file:
        found = digest_of_stream(file)
    # A file that has changed meanwhile is not known, nor one that may change again within the same tick of its clock.
    if began - entry.changed > _TICK and folder.find(entry.name) == entry:
        _KNOWN.put(_key(folder, entry), found)
    return found


def known_digest(folder: BlobFolder, entry: StoreEntry) -> str:
    """Return the SHA-256 of a file, cached in this process while its state is unchanged."""
    found = _KNOWN.get(_key(folder, entry))
    return digest_of_entry(folder, entry) if found is None else found


def digests_of(folder: BlobFolder, entries: Iterable[StoreEntry]) -> dict[str, str | OSError]:
    """Return the SHA-256 of files by name, or the error of reading.  Many are read concurrently."""
    # The largest first, so that no thread is left with one when the others have ended.
    ordered = sorted(entries, key=lambda entry: -entry.size)
    options = current_options()

    def digest(entry: StoreEntry) -> str | OSError:
        with accessing(options):
            try:
                return digest_of_entry(folder, entry)
            except OSError as error:
                return error

    workers = storage_tuning.AT_ONCE if "://" in folder.place else CPU_COUNT
    with ThreadPoolExecutor(max(min(workers, len(ordered)), 1)) as pool:
        return dict(zip([entry.name for entry in ordered], pool.map(digest, ordered), strict=True))


def _key(folder: BlobFolder, entry: StoreEntry) -> tuple[str, int, str]:
    return folder.location(entry.name), entry.size, entry.version
