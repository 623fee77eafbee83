"""Which files have been hashed by this process, so that each is hashed once in a state."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from dask.system import CPU_COUNT

from akdask.evo.store.entries import BlobFolder, StoreEntry
from akdask.storage.paths.remote import AT_ONCE, accessing, current_options

_STEP = 2**18
"""Bytes that are hashed at a time: few enough to stay in the cache of a core between reading and hashing."""

_TICK = 2.0
"""Seconds within which a file may change twice and look the same."""

_MOST = 100_000
_KNOWN: OrderedDict[tuple[str, int, str], str] = OrderedDict()
_LOCK = Lock()


def digest_of_entry(folder: BlobFolder, entry: StoreEntry) -> str:
    """Return the lower-case SHA-256 of the bytes that a file of a store has now.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    began = time.time()
    digest = hashlib.sha256()
    memory = bytearray(_STEP)
    view = memoryview(memory)
    with folder.open(entry.name) as file:
        while count := file.readinto(memory):  # type: ignore[attr-defined]  # buffered and raw files have it
            digest.update(view[:count])
    found = digest.hexdigest()
    # A file that has changed meanwhile is not known, nor one that may change again within the same tick of its clock.
    if began - entry.changed > _TICK and folder.find(entry.name) == entry:
        with _LOCK:
            _KNOWN[_key(folder, entry)] = found
            while len(_KNOWN) > _MOST:
                _KNOWN.popitem(last=False)
    return found


def known_digest(folder: BlobFolder, entry: StoreEntry) -> str:
    """Return the SHA-256 of a file; reads it only if this process has not read it in this state."""
    with _LOCK:
        found = _KNOWN.get(_key(folder, entry))
    return digest_of_entry(folder, entry) if found is None else found


def digests_of(folder: BlobFolder, entries: Iterable[StoreEntry]) -> dict[str, str | OSError]:
    """Return the SHA-256 of files by name, or the error with which reading one ended; many are read at a time."""
    # The largest first, so that no thread is left with one when the others have ended.
    ordered = sorted(entries, key=lambda entry: -entry.size)
    options = current_options()

    def digest(entry: StoreEntry) -> str | OSError:
        with accessing(options):
            try:
                return digest_of_entry(folder, entry)
            except OSError as error:
                return error

    workers = AT_ONCE if "://" in folder.place else CPU_COUNT
    with ThreadPoolExecutor(max(min(workers, len(ordered)), 1)) as pool:
        return dict(zip([entry.name for entry in ordered], pool.map(digest, ordered), strict=True))


def _key(folder: BlobFolder, entry: StoreEntry) -> tuple[str, int, str]:
    return folder.location(entry.name), entry.size, entry.version
