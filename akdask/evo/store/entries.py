"""What a folder of blobs holds: blobs, temporary files of writes, marks of use, and what is none of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import BinaryIO, Protocol

from akdask.evo.blobs.sink import TEMPORARY, BlobSink
from akdask.evo.identity import is_digest, is_uuid

MARK = ".evo-used-"
"""How the names of marks begin: the rest is the name of a blob that was put again, and so is in use."""

_TEMPORARY = re.compile(rf"{re.escape(TEMPORARY)}[0-9a-f]{{32}}")


class EntryKind(StrEnum):
    """What an entry of the folder is."""

    BLOB = "blob"
    TEMPORARY = "temporary"
    MARK = "mark"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """One entry of the folder.

    Parameters
    ----------
    name : str
        Its name in the folder.
    kind : EntryKind
        What it is; a link or a folder that has the name of a blob is foreign.
    size : int
        Bytes.
    modified : float
        When it was last written, in seconds since 1970; 0 where that is not known.
    version : str
        Changes whenever its bytes do.
    changed : float
        When its bytes were last changed, as far as the file system knows by itself.
    """

    name: str
    kind: EntryKind
    size: int
    modified: float
    version: str
    changed: float

    @property
    def identifier(self) -> str:
        """The name of the blob that it is, or that it is the mark of."""
        return self.name.removeprefix(MARK).lower()


def kind_of_name(name: str, *, is_file: bool) -> EntryKind:
    """Return what an entry is by its name; what is no file is foreign.

    Examples
    --------
    >>> str(kind_of_name("ab" * 32, is_file=True)), str(kind_of_name("notes.txt", is_file=True))
    ('blob', 'foreign')
    """
    if not is_file:
        return EntryKind.FOREIGN
    if is_identifier(name):
        return EntryKind.BLOB
    if name.startswith(MARK) and is_identifier(name.removeprefix(MARK)):
        return EntryKind.MARK
    return EntryKind.TEMPORARY if _TEMPORARY.fullmatch(name) else EntryKind.FOREIGN


def is_identifier(name: str) -> bool:
    """Whether a blob may have that name."""
    return is_digest(name) or is_uuid(name)


class BlobFolder(Protocol):
    """Where a store keeps its blobs.  Names are checked by the store before they come here."""

    @property
    def place(self) -> str:
        """Absolute path or URL."""
        ...

    def location(self, name: str) -> str:
        """Return the path or URL of an entry."""
        ...

    def find(self, name: str) -> StoreEntry | None:
        """Return the entry of a name, None if there is none."""
        ...

    def entries(self) -> Iterator[StoreEntry]:
        """Yield all entries, in no particular order; none if there is no folder."""
        ...

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        ...

    def sink(self) -> BlobSink:
        """Begin a new blob."""
        ...

    def mark(self, name: str) -> None:
        """Note that a blob is in use from now on."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file."""
        ...

    def is_abandoned(self, entry: StoreEntry, age: float) -> bool:
        """Whether nobody writes a temporary file any more that has not changed for so many seconds."""
        ...
