"""Catalogs: in object stores, which cannot rename, one object lists the files of a set.

Stores promise little: an object appears or is replaced as a whole, once all of it is uploaded.  Two objects cannot be
replaced at once, and there are no locks.  Arkouda's servers and other tools expect the files under their ``_LOCALE``
names.  So a write takes five steps (`akdask.storage.transaction.StoreTransaction`):

1. Files are uploaded under hidden names of this write, ``.x.h5.akdask-write/TAG/x_LOCALE0000.h5``.
2. One small object beside the set, the catalog ``.x.h5.akdask-set``, is replaced: *staged*, with names, sizes and marks
   (etags) of the uploads.  This is the switch: before it readers find the old set, from now on the new one.
3. The store copies the uploads to their ``_LOCALE`` names, and stale files are removed.
4. The catalog is replaced again: *published*, with sizes and marks under the ``_LOCALE`` names.
5. The uploads are removed.

Readers of akdask read the uploads while the catalog says staged, and the ``_LOCALE`` files when it says published. They
compare size and mark of every file with the catalog.  If some files differ from it, that is an error. If all of them
differ, another program has replaced the set, and a warning says that the catalog is stale.  A set without a catalog was
written by another program, and only its numbering is checked.

A writer that is killed before step 2 leaves the old set. One that is killed later leaves the new set, and the next
writer continues at step 3. Until then other programs, which know no catalogs, may see files of both sets: only akdask's
readers are promised all or nothing.  Of two concurrent writers, the last to begin wins: it removes the uploads of the
other, whose switch fails. Adding objects to a set rewrites all of its files in the same five steps. Readers that opened
the set before a write get an error that its files have changed.  Uploads in parts that were never completed take space
in some stores, until a rule of the bucket removes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from akdask.errors import FileError, InconsistentFilesError, MissingFileError, warn
from akdask.records import record
from akdask.storage.files import FileIdentity, concurrently, file_system, infos_in, is_folder, retrying, version_of
from akdask.storage.locales import (
    MISSING_HINT,
    expand,
    has_magic,
    hidden_folder,
    is_in_hidden_folder,
    locale_path,
    missing_locales,
    set_path,
    sort_key,
    split_extension,
)

_CATALOG = ".akdask-set"
_VERSION = 1
_LARGEST = 2**26  # bytes
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


@record
class Entry:
    """One file of a set: its name there and among the uploads, size in bytes, and mark (see `version_of`)."""

    name: str
    upload: str
    size: int
    mark: str


@record
class Catalog:
    """Which files a set has, and where they are."""

    path: str  # URL under which the set is written
    tag: str  # names the write
    is_published: bool  # whether the files are under their own names
    entries: tuple[Entry, ...]
    stale: tuple[str, ...] = ()  # names of files that are to go when the set is published

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
            If it is damaged: only the catalog lists the files of the set.
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

    def carry_out(self) -> None:
        """Publish the set: copy the uploads to their own names; any writer may repeat this."""
        system, uploads = file_system(self.uploads)
        folder = file_system(self.folder)[1]
        concurrently(
            lambda entry: retrying(lambda: system.cp_file(f"{uploads}/{entry.upload}", f"{folder}/{entry.name}")),
            self.entries,
        )
        concurrently(_remove, [f"{self.folder}/{name}" for name in self.stale])
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
    return {
        f"{folder}/{file[1:].removesuffix(_CATALOG)}": version_of(info)
        for file, info in sorted(infos_in(folder).items())
        if file.startswith(".") and file.endswith(_CATALOG)
    }


def size_of(info: Mapping[str, Any] | None) -> int | None:
    """Return the size of an object in bytes; None if it does not exist or the store does not report it."""
    return None if info is None else info.get("size")


def _remove(path: str) -> None:
    system, inner = file_system(path)
    with suppress(FileNotFoundError):
        retrying(lambda: system.rm_file(inner))


def remove_folder(path: str) -> None:
    """Remove a folder with all objects in it, if it exists."""
    system, inner = file_system(path)
    with suppress(FileNotFoundError):
        retrying(lambda: system.rm(inner, recursive=True))


Catalogs: TypeAlias = Mapping[str, Mapping[str, str]]
"""Sets that have catalogs, with the states of these, by folder."""


def is_stored(path: str) -> bool:
    """Whether a path is a URL to which sets are written, unlike those of web servers and local files."""
    return "://" in path and not path.startswith(("http://", "https://", "file://"))


def catalogs_beside(names: Iterable[str]) -> Catalogs:
    """Return the sets that have catalogs, by the folders of the given URLs; each folder is listed once."""
    return {folder: catalogued(folder) for folder in dict.fromkeys(map(_folder_of, names)) if not has_magic(folder)}


def found_in_store(name: str, known: Catalogs) -> list[str]:
    """Return the files of a URL or URL pattern, with uploads in place of unpublished files.

    The catalogs in some folders are `known` from `catalogs_beside`; others are listed here.

    Raises
    ------
    MissingFileError
        If there are none.
    InconsistentFilesError
        If a file is missing from within the numbering of a set.
    """
    staged = [catalog for catalog in _catalogs_meant(name, known) if not catalog.is_published]
    if not staged:
        return expand(name)
    paths = {catalog.path for catalog in staged}
    others: list[str] = []
    with suppress(FileError):
        others = [path for path in expand(name) if set_path(path) not in paths]
    lost = list(missing_locales(others))
    if lost:
        raise InconsistentFilesError("files are missing from a set.", details=lost[:MOST_TOLD], hint="restore them.")
    wanted = _plain(name)
    uploads = [
        f"{catalog.uploads}/{entry.upload}"
        for catalog in staged
        for entry in catalog.entries
        if wanted in map(_plain, (catalog.path, split_extension(catalog.path)[0], catalog.folder))
        or f"{catalog.folder}/{entry.name}" == name
        or fnmatchcase(_plain(f"{catalog.folder}/{entry.name}"), wanted)
    ]
    if not others and not uploads:
        raise MissingFileError("no files found for the names given.", details=[repr(name)], hint=MISSING_HINT)
    return sorted([*others, *uploads], key=lambda path: sort_key(path.rpartition("/")[2]))


def _folder_of(name: str) -> str:
    return name.rstrip("/").rpartition("/")[0]


def _catalogs_meant(name: str, known: Catalogs) -> list[Catalog]:
    """Return the catalogs of sets that have files which a name may mean."""
    own = name.rstrip("/")
    wanted = _plain(own)
    folders = {_folder_of(own)}
    if not has_magic(own) and is_folder(own):
        folders.add(own)
    found = [
        path
        for folder in folders
        for path in (known[folder] if folder in known else catalogued(folder))
        if folder == own
        or set_path(wanted) in map(_plain, (path, split_extension(path)[0]))
        or any(fnmatchcase(_plain(member), wanted) for member in (path, locale_path(path, 0)))
    ]
    return [catalog for path in found if (catalog := Catalog.read(path)) is not None]


def compare_with_catalogs(files: Sequence[FileIdentity]) -> None:
    """Compare files of sets with their catalogs; reads all of these.

    Warns if all files of a set differ, as where another program has replaced it.

    Raises
    ------
    InconsistentFilesError
        If some files differ from the catalog of their set.
    """
    for catalog, problems in _differing(files):
        raise InconsistentFilesError(
            f"the set {catalog.path!r} is not what its catalog says.",
            details=[f"{name}: {problem}" for name, problem in problems.items()][:MOST_TOLD],
            hint=f"write it again; or remove {catalog_path(catalog.path)!r} to read the files as they are.",
        )


def without_differing(files: Sequence[FileIdentity]) -> tuple[list[FileIdentity], list[str]]:
    """Return the files that agree with the catalogs of their sets, and messages about the others."""
    wrong = {
        f"{catalog.folder}/{name}": problem for catalog, found in _differing(files) for name, problem in found.items()
    }
    told = [f"{path!r}: {problem}, says the catalog of its set" for path, problem in wrong.items()]
    return [file for file in files if file.path not in wrong], told


def _differing(files: Sequence[FileIdentity]) -> Iterator[tuple[Catalog, dict[str, str]]]:
    """Yield catalogs that differ from given files, with the differences by file name."""
    sets: dict[str, dict[str, FileIdentity]] = {}
    for file in [file for file in files if "://" in file.path and is_stored(file.path)]:
        folder, _, name = file.path.rpartition("/")
        if not is_in_hidden_folder(folder):
            sets.setdefault(set_path(file.path), {})[name] = file
    if not sets:
        return
    known = {path for folder in {path.rpartition("/")[0] for path in sets} for path in catalogued(folder)}
    for path, members in sets.items():
        catalog = Catalog.read(path) if path in known else None
        problems = {} if catalog is None else _problems(catalog, members)
        if catalog is not None and problems:
            yield catalog, problems


def _problems(catalog: Catalog, members: Mapping[str, FileIdentity]) -> dict[str, str]:
    entries = {entry.name: entry for entry in catalog.entries}
    present = infos_in(catalog.folder)
    same = {
        n
        for n, e in entries.items()
        if n in present and (e.size, e.mark) == (size_of(present[n]), version_of(present[n]))
    }
    if not same and entries.keys() & present.keys():
        warn(
            f"the catalog {catalog_path(catalog.path)!r} is stale: another program has replaced the set.\n"
            "Whether it has all its files cannot be told; write the set with akdask, or remove the catalog.",
            RuntimeWarning,
        )
        return {}
    problems = {n: "has changed" if n in present else "is gone" for n in entries if n not in same}
    return problems | {n: "is not of the set" for n in members if n not in entries}


def _plain(url: str) -> str:
    """Return a URL without slashes that some file systems put at the beginning of paths."""
    protocol, _, rest = url.partition("://")
    return f"{protocol}://{rest.strip('/')}"
