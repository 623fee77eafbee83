"""Sets in object stores, which cannot rename: one object, the set's catalog, lists its files.

Stores promise little: an object appears or is replaced as a whole, once all of it is uploaded.  Two objects cannot be
replaced at once, and there are no locks.  Arkouda's servers and other tools expect the files under their ``_LOCALE``
names.  So a write takes five steps:

1. Files are uploaded under hidden names of this write, ``.x.h5.akdask-write/TAG/x_LOCALE0000.h5``.
2. One small object beside the set, the catalog ``.x.h5.akdask-set``, is replaced: *staged*, with names, sizes and marks
   (etags) of the uploads.  This is the switch: before it the old set is there, from now on the new one.
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
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

import dask

from akdask.errors import AkdaskError, FileError, InconsistentFilesError, MissingFileError, WriteError, warn
from akdask.storage.files import FileIdentity, identify, infos_in, is_folder, version_of
from akdask.storage.hidden import unique_tag
from akdask.storage.locales import (
    MISSING_HINT,
    expand,
    has_magic,
    hidden_folder,
    locale_path,
    missing_locales,
    set_path,
    sort_key,
    split_extension,
)
from akdask.storage.remote import accessing, concurrently, current_options, file_system, retrying

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
        Version of the object: see `version_of`.
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

    def publish(self) -> None:
        """Copy the uploads to their final names; any writer may repeat this.

        Raises
        ------
        OSError, FileError
            If a copy fails; akdask's readers have the new set all the same.
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
    """Return size and mark of an object, in the form of an `Entry`."""
    return size_of(info), version_of(info)


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


class ObjectStaging:
    """The uploads of one write; travels to workers.  Has the methods of `akdask.storage.transaction.FileTransaction`.

    Parameters
    ----------
    target : str
        URL that the user gave.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self._options = current_options()
        self._tag = unique_tag()
        self._local: dict[str, str] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_local": {}}

    @property
    def _path(self) -> str:
        return set_path(self.target)

    @property
    def _uploads(self) -> str:
        return f"{hidden_folder(self.target)}/{self._tag}"

    def create(self, *, replaces: Callable[[], object] = lambda: True) -> None:
        """Publish the staged files of a dead writer, and remove its uploads.

        Raises
        ------
        WriteError
            If the store does not answer, or refuses.
        """
        with self._errors_naming():
            left = Catalog.read(self._path)
            if left is not None and not left.is_published:
                left.publish()
            remove_folder(hidden_folder(self.target))

    def path(self, name: str) -> str:
        """Return the URL of the upload of that name."""
        return f"{self._uploads}/{name}"

    def local(self, name: str) -> str:
        """Return where an upload can be read on this machine, after fetching it."""
        copy = self.attempt(name)
        with self._errors_naming():
            system, inner = file_system(self.path(name))
            retrying(lambda: system.get_file(inner, copy))
        return copy

    @contextmanager
    def present(self, path: str) -> Iterator[str]:
        """Yield the path of a local copy of an existing file of the set, inside the ``with``."""
        copy = self.attempt(path.rpartition("/")[2])
        try:
            with self._errors_naming():
                system, inner = file_system(path)
                size = identify(path).size
                retrying(lambda: system.get_file(inner, copy))
            if os.path.getsize(copy) != size:
                raise WriteError(f"cannot write {self.target!r}: {path!r} has not come whole.", hint="write it again.")
            yield copy
        finally:
            with suppress(FileNotFoundError):
                os.unlink(copy)

    def attempt(self, name: str) -> str:
        """Return a local path for one attempt at a file; each attempt gets its own."""
        folder = self._local.get(self._tag)
        if folder is None:
            made = tempfile.mkdtemp(prefix="akdask-", dir=dask.config.get("temporary-directory", None))
            weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
            folder = self._local.setdefault(self._tag, made)  # two threads share the folder of the first
        return os.path.join(folder, f"{name}.{unique_tag()}")

    def finish(self, attempt: str, name: str) -> str:
        """Upload an attempt as the file of that name, and return its URL.

        Raises
        ------
        WriteError
            If the store does not take it.
        """
        size = os.path.getsize(attempt)
        with self._errors_naming():
            system, inner = file_system(self.path(name))
            retrying(lambda: system.put_file(attempt, inner))
            found = retrying(lambda: system.info(inner))
        if size_of(found) != size:
            raise WriteError(f"cannot write {self.path(name)!r}: {size_of(found)} of {size} bytes have arrived.")
        os.unlink(attempt)
        return self.path(name)

    def replace(self, name: str, target: str) -> None:
        """Discard an optional finished file; sets in stores have none."""

    def commit(
        self,
        renames: Sequence[tuple[str, str]],
        stale: Sequence[str] = (),
        finishing: Callable[[], object] = lambda: None,
    ) -> None:
        """Switch the set to the uploads, then copy them to their own names; see the module.

        Parameters
        ----------
        renames : sequence of (path, path)
            From the upload to its own name.
        stale : sequence of path
            Files that the new ones make obsolete.
        finishing : callable
            Called when all files are in place.

        Raises
        ------
        WriteError
            If an upload is missing or the store refuses; the message names the set that remains.
        """
        with self._errors_naming():
            catalog = self._switch(renames, stale)
        try:
            with accessing(self._options):
                catalog.publish()
        except (OSError, FileError) as error:
            raise WriteError(
                f"{self.target!r} is written, but its files are not all under their own names: {error}",
                hint="akdask reads the new set; for other programs, write it again.",
            ) from error
        finishing()

    def _switch(self, renames: Sequence[tuple[str, str]], stale: Sequence[str]) -> Catalog:
        pairs = [(source.rpartition("/")[2], target.rpartition("/")[2]) for source, target in renames]
        found = infos_in(self._uploads)
        lost = [name for name, _ in pairs if name not in found]
        if lost:
            raise WriteError(
                f"cannot write {self.target!r}: its uploads are gone.",
                details=lost[:MOST_TOLD],
                hint="another write of the set has begun since; write one after the other.",
            )
        entries = [Entry(target, name, int(found[name]["size"]), version_of(found[name])) for name, target in pairs]
        names = tuple(path.rpartition("/")[2] for path in stale)
        catalog = Catalog(self._path, self._tag, False, tuple(entries), names)
        try:
            catalog.write()
        except (OSError, FileError):
            # The store may have taken it without saying so.
            with suppress(OSError, FileError):
                if Catalog.read(self._path) == catalog:
                    return catalog
            self.discard()
            raise
        return catalog

    def discard(self) -> None:
        """Remove the uploads."""
        with suppress(OSError, AkdaskError), accessing(self._options):
            remove_folder(self._uploads)

    @contextmanager
    def _errors_naming(self) -> Iterator[None]:
        """Turn errors of the store into errors that name the set."""
        try:
            with accessing(self._options):
                yield
        except WriteError:
            raise
        except (OSError, FileError) as error:
            raise WriteError(
                f"cannot write {self.target!r}: {error}", hint="check the bucket, and what storage_options allow."
            ) from error


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

    Parameters
    ----------
    name : str
        The URL.
    known : mapping of str to mapping
        Result of `catalogs_beside`; further folders are listed here.

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
    others = [path for path in _files_meant(name) if set_path(path) not in paths]
    lost = list(missing_locales(others))
    if lost:
        raise InconsistentFilesError("files are missing from a set.", details=lost[:MOST_TOLD], hint="restore them.")
    uploads = [
        f"{catalog.uploads}/{entry.upload}"
        for catalog in staged
        for entry in catalog.entries
        if _means(name, catalog, f"{catalog.folder}/{entry.name}")
    ]
    if not others and not uploads:
        raise MissingFileError("no files found for the names given.", details=[repr(name)], hint=MISSING_HINT)
    return sorted([*others, *uploads], key=lambda path: sort_key(path.rpartition("/")[2]))


def _means(name: str, catalog: Catalog, path: str) -> bool:
    if name == path or fnmatchcase(_plain(path), _plain(name)):
        return True
    return _plain(name) in map(_plain, (catalog.path, split_extension(catalog.path)[0], catalog.folder))


def _folder_of(name: str) -> str:
    return name.rstrip("/").rpartition("/")[0]


def _catalogs_meant(name: str, known: Catalogs) -> list[Catalog]:
    """Return the catalogs of sets that have files which a name may mean."""
    own = name.rstrip("/")
    folders = {_folder_of(own)}
    if not has_magic(own) and is_folder(own):
        folders.add(own)
    found = [
        path
        for folder in folders
        for path in (known[folder] if folder in known else catalogued(folder))
        if folder == own or _may_mean(own, path)
    ]
    return [catalog for path in found if (catalog := Catalog.read(path)) is not None]


def _may_mean(name: str, path: str) -> bool:
    """Whether files of the set that is written under a path may be meant by a name."""
    wanted = _plain(name)
    if set_path(wanted) in map(_plain, (path, split_extension(path)[0])):
        return True
    return any(fnmatchcase(_plain(member), wanted) for member in (path, locale_path(path, 0)))


def _files_meant(name: str) -> list[str]:
    try:
        return expand(name)
    except FileError:
        return []


def compare_with_catalogs(files: Sequence[FileIdentity]) -> None:
    """Compare files of sets with their catalogs; reads all of these.

    Raises
    ------
    InconsistentFilesError
        If some files differ from the catalog of their set.

    Warns
    -----
    RuntimeWarning
        If none is, as where another program has replaced the set.
    """
    for catalog, problems in _differing(files):
        raise InconsistentFilesError(
            f"the set {catalog.path!r} is not what its catalog says.",
            details=[f"{name}: {problem}" for name, problem in problems.items()][:MOST_TOLD],
            hint=f"write it again; or remove {catalog_path(catalog.path)!r} to read the files as they are.",
        )


def without_differing(files: Sequence[FileIdentity]) -> tuple[list[FileIdentity], list[str]]:
    """Return the files that agree with the catalogs of their sets, and messages about the others.

    Warns
    -----
    RuntimeWarning
        As `compare_with_catalogs`.
    """
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
        if not _is_upload(folder):
            sets.setdefault(set_path(file.path), {})[name] = file
    if not sets:
        return
    known = {path for folder in {path.rpartition("/")[0] for path in sets} for path in catalogued(folder)}
    for path, members in sets.items():
        catalog = Catalog.read(path) if path in known else None
        problems = {} if catalog is None else _problems(catalog, members)
        if catalog is not None and problems:
            yield catalog, problems


def _is_upload(folder: str) -> bool:
    return folder.rpartition("/")[0].endswith(".akdask-write")


def _problems(catalog: Catalog, members: Mapping[str, FileIdentity]) -> dict[str, str]:
    entries = {entry.name: entry for entry in catalog.entries}
    present = infos_in(catalog.folder)
    same = {n for n, e in entries.items() if n in present and (e.size, e.mark) == state_of(present[n])}
    if not same and entries.keys() & present.keys():
        warn(
            f"the catalog {catalog_path(catalog.path)!r} is stale: another program has replaced the set.\n"
            "Whether all its files are there cannot be told; write the set with akdask, or remove the catalog.",
            RuntimeWarning,
        )
        return {}
    problems = {n: "has changed" if n in present else "is gone" for n in entries if n not in same}
    return problems | {n: "is not of the set" for n in members if n not in entries}


def _plain(url: str) -> str:
    """Return a URL without slashes that some file systems put at the beginning of paths."""
    protocol, _, rest = url.partition("://")
    return f"{protocol}://{rest.strip('/')}"
