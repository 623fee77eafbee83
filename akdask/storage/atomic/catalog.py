"""The catalog of a set in an object store: one object beside the set that says which files the set has.

When it is written, and how readers use it, is told in `akdask.storage.atomic.object_store`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from akdask.errors import FileError
from akdask.storage.paths.files import infos_in, version_of
from akdask.storage.paths.locales import hidden_folder, set_path
from akdask.storage.paths.remote import concurrently, file_system, retrying

_CATALOG = ".akdask-set"
_VERSION = 1
_LARGEST = 2**26
MOST_TOLD = 10
"""How many files messages name."""

_TAG = re.compile(r"[0-9A-Za-z_-]+")


def catalog_path(path: str) -> str:
    """Return the catalog of the set that is written under a URL.

    Examples
    --------
    >>> catalog_path("s3://b/flows.h5")
    's3://b/.flows.h5.akdask-set'
    """
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}{_CATALOG}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a set in a catalog.

    Parameters
    ----------
    name : str
        Its name in the folder of the set.
    upload : str
        Its name among the uploads of the write.
    size : int
        Bytes.
    mark : str
        What tells its states apart: see `version_of`.
    """

    name: str
    upload: str
    size: int
    mark: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """Which files a set has, and where they are.

    Parameters
    ----------
    path : str
        URL under which the set is written.
    tag : str
        Names the write.
    is_published : bool
        Whether the files are under their own names.
    entries : tuple of Entry
        The files, in order.
    stale : tuple of str
        Names of files that are to go when the set is published.
    """

    path: str
    tag: str
    is_published: bool
    entries: tuple[Entry, ...]
    stale: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The folder of the set."""
        return self.path.rpartition("/")[0]

    @property
    def uploads(self) -> str:
        """The folder of the uploads."""
        return f"{hidden_folder(self.path)}/{self.tag}"

    def write(self) -> None:
        """Replace the catalog of the set."""
        content = {
            "akdask": _VERSION,
            "tag": self.tag,
            "published": self.is_published,
            "files": [asdict(entry) for entry in self.entries],
            "stale": list(self.stale),
        }
        raw = json.dumps(content).encode()
        system, inner = file_system(catalog_path(self.path))
        retrying(lambda: system.pipe_file(inner, raw))

    @classmethod
    def read(cls, path: str) -> Catalog | None:
        """Return the catalog of a set, None if it has none.

        Raises
        ------
        FileError
            If it is damaged: it alone says which files the set has.
        """
        place = catalog_path(path)
        system, inner = file_system(place)
        try:
            size = size_of(retrying(lambda: system.info(inner)))
            raw = retrying(lambda: system.cat_file(inner)) if size is not None and size <= _LARGEST else b""
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FileError(f"cannot read {place!r}: {error.strerror or error}.") from error
        try:
            return cls._parsed(path, json.loads(raw))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise FileError(
                f"the catalog {place!r} of a set is damaged.",
                details=[f"{type(error).__name__}: {error}"],
                hint="write the set again; or remove the catalog to read the files as they are.",
            ) from error

    @classmethod
    def _parsed(cls, path: str, content: Any) -> Catalog:
        if content["akdask"] != _VERSION or not isinstance(content["published"], bool):
            raise ValueError("it is of another version")
        entries = tuple(Entry(**entry) for entry in content["files"])
        names = [entry.name for entry in entries]
        own = path.rpartition("/")[2]
        if not entries or len(set(names)) < len(names) or not _TAG.fullmatch(content["tag"]):
            raise ValueError("it names no files, or one twice")
        for name in [*names, *(entry.upload for entry in entries), *content["stale"]]:
            if "/" in name or set_path(name) != own:
                raise ValueError(f"it names {name!r}, which is not of the set")
        if not all(type(entry.size) is int and isinstance(entry.mark, str) for entry in entries):
            raise TypeError("sizes are numbers, and marks are text")
        return cls(path, content["tag"], content["published"], entries, tuple(content["stale"]))

    def publish(self) -> None:
        """Put the uploads under their own names; may be repeated by any writer.

        Raises
        ------
        OSError, FileError
            If that fails; akdask's readers have the new set all the same.
        """
        system, uploads = file_system(self.uploads)
        folder = file_system(self.folder)[1]
        concurrently(
            lambda entry: retrying(lambda: system.cp_file(f"{uploads}/{entry.upload}", f"{folder}/{entry.name}")),
            self.entries,
        )
        concurrently(lambda name: _remove(f"{self.folder}/{name}"), self.stale)
        found = infos_in(self.folder)
        lost = [entry.name for entry in self.entries if size_of(found.get(entry.name)) != entry.size]
        if lost:
            raise FileError(f"files of {self.path!r} were not copied whole.", details=lost[:MOST_TOLD])
        present = Catalog.read(self.path)
        if present is not None and present.tag == self.tag:  # else another writer has switched meanwhile
            entries = [Entry(old.name, old.upload, old.size, version_of(found[old.name])) for old in self.entries]
            Catalog(self.path, self.tag, True, tuple(entries)).write()
            remove_folder(self.uploads)


def catalogued(folder: str) -> dict[str, str]:
    """Return the sets in a folder that have catalogs, and the states of these."""
    found = {file: version_of(info) for file, info in infos_in(folder).items()}
    return {
        f"{folder}/{file[1:].removesuffix(_CATALOG)}": state
        for file, state in sorted(found.items())
        if file.startswith(".") and file.endswith(_CATALOG)
    }


def state_of(info: Mapping[str, Any]) -> tuple[int | None, str]:
    """Return size and mark of an object, as an `Entry` has them."""
    return size_of(info), version_of(info)


def size_of(info: Mapping[str, Any] | None) -> int | None:
    """Return the bytes of an object, None if it is not there or the store does not say."""
    return None if info is None else info.get("size")


def _remove(path: str) -> None:
    system, inner = file_system(path)
    with suppress(FileNotFoundError):
        retrying(lambda: system.rm_file(inner))


def remove_folder(path: str) -> None:
    """Remove a folder with all objects in it, if it is there."""
    system, inner = file_system(path)
    with suppress(FileNotFoundError):
        retrying(lambda: system.rm(inner, recursive=True))
