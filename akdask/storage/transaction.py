"""One write, from its beginning to its end: whatever it writes appears completely or not at all.

The same steps write a set of files, a single file, files of any names (`FileTransaction`), a whole folder
(`FolderTransaction`) and files of an object store, which renames nothing (`StoreTransaction`):

1. *Create*: writes of dead writers are recovered, and a hidden folder is made beside the target, on the same file
   system, locked and signed (`HiddenFolder`, `Lock`).  Each hidden folder belongs to one writer.
2. *Stage*: all files are written into the hidden folder, here or by workers.  A task that runs twice, or after the
   commit, writes to the hidden folder only.
3. *Commit*: when all files are complete, a record of the remaining steps is written (`Journal`, `FolderReplacement`,
   `Catalog`).  From then on the write counts as done: if the process dies, the next one that opens or writes the target
   takes the remaining steps (`akdask.storage.recovery`).  If a step fails, those taken are taken back; in stores the
   next writer repeats them.
4. The hidden folder is removed, and the lock is released.

A write that is discarded before step 3 leaves the old files as they were.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from hashlib import blake2b
from typing import Any, ClassVar, TypeAlias

import dask

from akdask import config
from akdask.errors import AkdaskError, FileError, FileFormatError, WriteError
from akdask.records import record
from akdask.storage import tuning
from akdask.storage.catalog import MOST_TOLD, Catalog, Entry, remove_folder, size_of
from akdask.storage.files import (
    accessing,
    current_options,
    exists,
    file_system,
    identify,
    infos_in,
    is_remote,
    is_single_name,
    retrying,
    state_of,
    version_of,
    written_path,
)
from akdask.storage.folders import (
    JOURNAL,
    NEW,
    OLD,
    PRESERVE,
    REPLACE,
    Directory,
    HiddenFolder,
    Lock,
    is_own_name,
    is_staged_name,
    read_owner,
    unique_tag,
)
from akdask.storage.locales import hidden_folder, hidden_folder_of_folder, is_of_set, set_path
from akdask.storage.manifest import manifest_path
from akdask.storage.recovery import recover_in, recover_naming

_HINTS = {
    errno.ENOSPC: "the disk is full: free space or write elsewhere.",
    errno.EFBIG: "files may not be that large here: write more partitions, or elsewhere.",
    errno.EDQUOT: "your quota is used up: free space or write elsewhere.",
    errno.EACCES: "you may not write there: check the permissions of the folder.",
    errno.EPERM: "you may not write there: check the permissions of the folder.",
    errno.EROFS: "the file system is read-only: write elsewhere.",
    errno.ENOENT: "create the folder first; with a cluster, all workers must see it.",
    errno.EISDIR: "a folder has that name: choose another one.",
    errno.ENOTDIR: "create the folder first; a part of the path is a file.",
    errno.EEXIST: "a file has the name of the folder: choose another one.",
    errno.ENAMETOOLONG: "choose a shorter name: files have more letters in theirs.",
}
_OTHER_HINT = "the reason is the system's: write elsewhere, or mend it there."


def write_error(path: str, error: Exception) -> WriteError:
    """Turn an error of the operating system or a library into one that names the file and the remedy."""
    number = getattr(error, "errno", None) or _number_in(str(error))
    reason = os.strerror(number) if number else str(error)
    return WriteError(
        f"cannot write {path!r}: {reason}.", hint=_HINTS.get(number, _OTHER_HINT) if number else _OTHER_HINT
    )


@contextmanager
def errors_naming(target: str, library_errors: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Turn errors of the operating system, or a library, into errors that name the user's file.

    HDF5 has some errors of the system in the text of others only, as where a full disk is noticed when a file closes.
    """
    try:
        yield
    except AkdaskError:
        raise
    except OSError as error:
        renamed = error.filename2 if isinstance(error.filename2, str) and not is_own_name(error.filename2) else None
        path = os.path.join(os.path.dirname(target), renamed) if renamed else target
        raise write_error(path, error) from error
    except Exception as error:
        is_system = isinstance(error, RuntimeError) and _number_in(str(error)) is not None
        if is_system or isinstance(error, library_errors):
            raise write_error(target, error) from error
        raise


def _number_in(text: str) -> int | None:
    """Return the error number in the text of an HDF5 error, which has it nowhere else."""
    _, found, rest = text.partition("errno = ")
    digits = rest.partition(",")[0]
    return int(digits) if found and digits.isdigit() else None


class Transaction:
    """What writes to folders of this machine have in common: they claim a hidden folder, publish and end.

    Parameters
    ----------
    target : str
        Absolute path given by the user.
    folder : str
        The hidden folder beside it.
    """

    def __init__(self, target: str, folder: str) -> None:
        self.target = target
        self.folder = folder
        self._durable = True
        self._lock: Lock | None = None
        self._hidden: HiddenFolder | None = None

    @contextmanager
    def _or_discarded(self) -> Iterator[None]:
        """Name the target in errors, and discard the write if there is one."""
        try:
            with errors_naming(self.target):
                yield
        except BaseException:
            self.discard()
            raise

    def _claim(self) -> HiddenFolder:
        """Make and lock the hidden folder; try again while another process removes it."""
        for _ in range(tuning.MOST_TRIES):
            recover_in(self.folder)
            with suppress(FileExistsError):
                self._hidden = HiddenFolder.make(self.folder)
                self._lock = Lock.make(self._hidden.folder)
                if self._lock is not None:
                    return self._hidden
                self._release()
            time.sleep(tuning.PAUSE)
        raise self._locked_out()

    def _locked_out(self) -> WriteError:
        """Return the error that names whatever occupies the place of the hidden folder."""
        try:
            hidden = HiddenFolder.at(self.folder)
        except OSError:
            return WriteError(
                f"cannot write {self.target!r}: {self.folder!r} is in the way, and is no folder.", hint="remove it."
            )
        details, where = ["writer: unknown"], "if it has ended on another machine"
        if hidden is not None:
            with hidden:
                details = [f"writer: {read_owner(hidden.folder) or 'unknown'}"]
                if not hidden.is_believed:
                    details.append(f"its folder belongs to user {hidden.writer}, who does not own the set")
                    where = "if that user writes nothing there"
        return WriteError(
            f"cannot write {self.target!r}: another write of it is under way.",
            details=details,
            hint=f"wait for it to end; {where}, remove {self.folder!r}.",
        )

    @property
    def _claimed(self) -> HiddenFolder:
        assert self._hidden is not None, "who commits has created"
        return self._hidden

    def _publish(
        self, record: Record, take_back: Callable[[], None], finishing: Callable[[], object] = lambda: None
    ) -> None:
        """Write the record, take its steps, and remove the hidden folder; `take_back` undoes them if one fails."""
        hidden = self._claimed
        try:
            try:
                record.write(hidden, durable=self._durable)
            except BaseException as error:
                hidden.remove()
                if isinstance(error, OSError) and hidden.has_happened:
                    raise self._left_halfway(error) from error
                raise
            try:
                record.carry_out(hidden, durable=self._durable)
                with suppress(OSError):
                    finishing()
            except OSError as error:
                try:
                    take_back()
                except OSError as second:
                    raise self._left_halfway(second) from error
                hidden.remove()
                raise
            hidden.remove()
        finally:
            self._release()

    def _left_halfway(self, error: OSError) -> WriteError:
        return WriteError(
            f"cannot write {self.target!r}, nor put back what was there: {error.strerror or error}.",
            details=[f"old and new files are in {self.folder!r}"],
            hint="end the cause; then the next that opens or writes it puts it in order.",
        )

    def discard(self) -> None:
        """Remove the hidden folder and its content, but never that of another writer; may be called again."""
        try:
            if self._hidden is not None:
                self._hidden.remove()
        finally:
            self._release()

    def _release(self) -> None:
        if self._hidden is not None:
            self._hidden.close()
            self._hidden = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None


class FileTransaction(Transaction):
    """The write of files that lie in one folder.  Travels to workers, without its lock.

    Files are named by paths that lead through the open folder, so that it cannot be replaced meanwhile.
    """

    def __init__(self, target: str) -> None:
        super().__init__(target, hidden_folder(target))
        # A task of an earlier write that is still running must not add its files to a later write.
        self._tag = unique_tag()
        self._writer = os.geteuid()
        # Open for the lifetime of this object: tasks may be about to write when the write ends.
        self._staged: dict[str, Directory] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_lock": None, "_hidden": None, "_staged": {}}

    def create(self, *, replaces: Callable[[], object] = lambda: True) -> None:
        """Make and lock the hidden folder, after completing or removing the write of a dead writer.

        Parameters
        ----------
        replaces : callable
            Returns whether there are files that the new ones may replace; called once the folder is locked.

        Raises
        ------
        WriteError
            If another write of the set is under way, or the parent folder is missing or not writable.
        FileError
            If the set is half replaced, and cannot be completed.
        """
        with self._or_discarded():
            self._staged[self._tag] = self._claim().folder.make(self._tag)
            self._writer = self._files.status().st_uid
            wanted = config.get("durable")
            self._durable = bool(replaces() if wanted == "replaced" else wanted)

    @property
    def _files(self) -> Directory:
        """The open folder of finished files; raises an `OSError` if it is not the one that was made."""
        # If two threads open it, both use the folder of the first.
        return self._staged.get(self._tag) or self._staged.setdefault(self._tag, self._opened())

    def _opened(self) -> Directory:
        """Open, on a worker, the folder that the client has made."""
        with HiddenFolder(self.folder) as hidden:
            staged = hidden.folder.child(self._tag)
            if {hidden.writer, staged.status().st_uid} <= {self._writer, os.geteuid()}:
                return staged
        staged.close()
        raise PermissionError(errno.EPERM, "It belongs to another user", self.folder)

    def path(self, name: str) -> str:
        """Return where the finished file of that name waits: a path for this process."""
        return os.path.join(self._files.anchor, name)

    def readable(self, path: str) -> AbstractContextManager[str]:
        """Yield where a finished or an existing file can be read inside the ``with``."""
        return nullcontext(path)

    def attempt(self, name: str) -> str:
        """Return a path for one attempt at a file; each attempt gets its own."""
        return self.path(f"{name}.{unique_tag()}")

    def finish(self, attempt: str, name: str) -> str:
        """Make an attempt the finished file of that name, once its bytes are on disk, and return where it waits."""
        made = os.path.basename(attempt)
        if self._durable:
            self._files.sync_file(made)
        self._files.rename(made, name)
        return self.path(name)

    def replace(self, name: str, target: str) -> None:
        """Put an optional finished file beside the folder once the set is in place."""
        self._files.rename(name, os.path.basename(target), self._claimed.parent)

    def commit(
        self,
        renames: Sequence[tuple[str, str]],
        stale: Sequence[str] = (),
        finishing: Callable[[], object] = lambda: None,
    ) -> None:
        """Rename finished files to their targets, in order, then remove stale ones; undo everything on failure.

        Parameters
        ----------
        renames : sequence of (path, path)
            From inside the folder to the target.
        stale : sequence of path
            Files that the new ones make obsolete.
        finishing : callable
            Called when all files are in place, before the next writer may begin. Errors of the disk are ignored.

        Raises
        ------
        WriteError
            If a rename fails; the old files are restored.
        """
        with self._or_discarded():
            back = self._way_back([target for _, target in renames], stale)
            journal = journal_of(self._files, [(os.path.basename(made), target) for made, target in renames], stale)
            if self._durable:
                self._files.sync()
            self._publish(journal, partial(self._take_back, back), finishing)

    def _way_back(self, targets: Sequence[str], stale: Sequence[str]) -> Journal | None:
        """Return the journal that restores all present files, after giving them second names; None without links."""
        hidden, made, backups = self._claimed, [], []
        for number, path in enumerate([*targets, *stale]):
            present = os.path.basename(path)
            if not hidden.parent.has(present):
                made.append(path)
                continue
            if os.path.isdir(path):
                raise write_error(path, IsADirectoryError(errno.EISDIR, ""))
            backups.append((f"{number}{BACKUP}", path))
            try:
                hidden.parent.link(present, backups[-1][0], self._files)
            except OSError:
                return None
        return journal_of(self._files, backups, made)

    def _take_back(self, back: Journal | None) -> None:
        """Put back the old files by a second journal, so that a killed process can be completed here, too."""
        if back is None:
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
        back.write(self._claimed, durable=self._durable)
        back.carry_out(self._claimed, durable=self._durable)


class FolderTransaction(Transaction):
    """The write of a whole folder, which is filled in the hidden one."""

    def __init__(self, target: str) -> None:
        super().__init__(target, hidden_folder_of_folder(target))

    def create(self) -> str:
        """Make and lock the hidden folder, and return the folder to fill; raises as `FileTransaction.create` does."""
        with self._or_discarded():
            os.makedirs(os.path.dirname(self.target), exist_ok=True)
            self._claim().folder.make(NEW).close()
        return os.path.join(self.folder, NEW)

    def commit(self, check: Callable[[str], object], *, preserves: bool) -> None:
        """Put the new folder in its place, and remove the old one or keep it as `previous`.

        Parameters
        ----------
        check : callable
            Given the path of each folder to be removed; raises if it must stay.
        preserves : bool
            Whether the old folder is kept.

        Raises
        ------
        WriteError
            If a step fails; the old folder is restored.
        """
        record = FolderReplacement(PRESERVE if preserves else REPLACE)
        with self._or_discarded():
            for path in [self.target, *([previous(self.target)] if preserves else [])]:
                if os.path.lexists(path):
                    check(path)
            self._publish(record, lambda: record.take_back(self._claimed))


class StoreTransaction:
    """The write of files to an object store, with the methods of `FileTransaction`.  Travels to workers.

    A `Catalog` switches from the old files to uploads.  There is no way back from the switch, and no lock.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self._options = current_options()
        self._tag = unique_tag()
        self._local: dict[str, str] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_local": {}}

    @property
    def _uploads(self) -> str:
        return f"{hidden_folder(self.target)}/{self._tag}"

    def create(self, *, replaces: Callable[[], object] = lambda: True) -> None:
        """Publish the staged files of a dead writer, and remove its uploads."""
        with self._errors_naming():
            left = Catalog.read(set_path(self.target))
            if left is not None and not left.is_published:
                left.carry_out()
            remove_folder(hidden_folder(self.target))

    def path(self, name: str) -> str:
        """Return the URL of the upload of that name."""
        return f"{self._uploads}/{name}"

    @contextmanager
    def readable(self, url: str) -> Iterator[str]:
        """Yield the path of a local copy of an upload or an existing file inside the ``with``."""
        copy = self.attempt(url.rpartition("/")[2])
        try:
            with self._errors_naming():
                system, inner = file_system(url)
                size = identify(url).size
                retrying(lambda: system.get_file(inner, copy))
            if os.path.getsize(copy) != size:
                raise WriteError(f"cannot write {self.target!r}: {url!r} has not come whole.", hint="write it again.")
            yield copy
        finally:
            with suppress(FileNotFoundError):
                os.unlink(copy)

    def attempt(self, name: str) -> str:
        """Return a path of this machine for one attempt at a file; each attempt gets its own."""
        folder = self._local.get(self._tag)
        if folder is None:
            made = tempfile.mkdtemp(prefix="akdask-", dir=dask.config.get("temporary-directory", None))
            weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
            folder = self._local.setdefault(self._tag, made)  # two threads share the folder of the first
        return os.path.join(folder, f"{name}.{unique_tag()}")

    def finish(self, attempt: str, name: str) -> str:
        """Upload an attempt as the file of that name, and return its URL."""
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
        """Switch the set to the uploads, then copy them to their own names; the error names the set that remains."""
        with self._errors_naming():
            catalog = self._switch(renames, stale)
        try:
            with accessing(self._options):
                catalog.carry_out()
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
        catalog = Catalog(set_path(self.target), self._tag, False, tuple(entries), names)
        try:
            catalog.write()
        except (OSError, FileError):
            # The store may have taken it without saying so.
            with suppress(OSError, FileError):
                if Catalog.read(catalog.path) == catalog:
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


def file_transaction(target: str) -> FileTransaction | StoreTransaction:
    """Return a transaction of files at a path or URL."""
    return StoreTransaction(target) if is_remote(target) else FileTransaction(target)


Add: TypeAlias = Callable[[str, Callable[[str], object]], None]
"""Has a file written: given its path, and a function that writes it to the path that it is called with."""


@contextmanager
def staged_files(target: str, paths: Sequence[str], *, stale: Callable[[], Sequence[str]] = tuple) -> Iterator[Add]:
    """Yield a function that adds a file to one write; all files are put in place at the end of the ``with``.

    If an error is raised before, or they cannot be put into place, the old files stay.

    Parameters
    ----------
    target : str
        Path or URL that the write is named after.
    paths : sequence of str
        The files to be written, of any names, all in the same folder.
    stale : callable
        Returns existing files that the new ones make obsolete; called after recovery of earlier writes.
    """
    transaction = file_transaction(target)
    renames: dict[str, str] = {}

    def add(path: str, write: Callable[[str], object]) -> None:
        with errors_naming(path):
            name = os.path.basename(path)
            attempt = transaction.attempt(name)
            write(attempt)
            renames[path] = transaction.finish(attempt, name)

    # A dead writer's journal that names one of these files must not be carried out over the new one later.
    recover_naming(paths)
    transaction.create(replaces=lambda: any(map(exists, paths)))
    try:
        obsolete = [path for path in stale() if path not in paths]
        yield add
        transaction.commit([(made, path) for path, made in renames.items()], obsolete)
    except BaseException:
        transaction.discard()
        raise


def write_files(files: Mapping[str | os.PathLike[str], Iterable[bytes]]) -> None:
    """Write blocks of bytes to files: all files of a folder appear together, once all are written.

    Files of several folders are put into place folder by folder, since no file system does that at once.
    """
    folders: dict[str, dict[str, Iterable[bytes]]] = {}
    for path, blocks in files.items():
        target = written_path(path)
        folders.setdefault(os.path.dirname(target), {})[target] = blocks
    for members in folders.values():
        with staged_files(next(iter(members)), tuple(members)) as add:
            for path, blocks in members.items():
                add(path, partial(_write, blocks))


def write_file(path: str | os.PathLike[str], blocks: Iterable[bytes]) -> None:
    """Write one file; see `write_files`."""
    write_files({path: blocks})


def _write(blocks: Iterable[bytes], path: str) -> None:
    with open(path, "wb") as file:
        file.writelines(blocks)


# ------------------------------------------------------------------------------------------------ the record of a write


BACKUP = ".kept"
"""Suffix of the second names of files that a write replaces, in case they must be restored."""

_VERSION = 1
_LARGEST = 2**28  # bytes; a step takes about 100
_LARGEST_FILE = 2**63 - 1


@record
class Rename:
    """The move of a finished file into place.

    Parameters
    ----------
    source : str
        Folder of finished files inside the hidden folder, slash, name in it.
    target : str
        Name beside the hidden folder.
    size : int
        Its size in bytes, by which a file in place is recognized.
    """

    source: str
    target: str
    size: int


@record
class Journal:
    """The steps that replace files, in order: renames first, then removals.

    It holds names instead of paths, since a folder may be moved or have another path on another machine.

    Parameters
    ----------
    renames : tuple of Rename
        New files, which wait in one folder.
    removals : tuple of str
        Names beside the hidden folder that the new files make obsolete.
    """

    renames: tuple[Rename, ...]
    removals: tuple[str, ...] = ()

    def write(self, hidden: HiddenFolder, *, durable: bool) -> None:
        """Put the complete journal into the hidden folder, replacing an older one.

        A durable journal is on disk afterwards, and so are all names that lead to it and to its files.
        """
        steps = [[step.source, step.target, step.size] for step in self.renames]
        text = json.dumps({"version": _VERSION, "renames": steps, "removals": self.removals}).encode()
        new = f"{JOURNAL}.{unique_tag()}"
        hidden.folder.write(new, _digest(text) + b"\n" + text, durable=durable)
        if durable:
            hidden.parent.sync()
        hidden.folder.rename(new, JOURNAL)
        if durable:
            hidden.folder.sync()

    @classmethod
    def read(cls, hidden: HiddenFolder) -> Journal | None:
        """Return the journal in a hidden folder; None if there is none.

        Raises
        ------
        FileFormatError
            If it is damaged, or names files that a writer does not name.
        OSError
            If it is no file that can be read, or not of the folder's owner.
        """
        try:
            digest, _, text = hidden.folder.read(JOURNAL, _LARGEST, {hidden.writer, os.geteuid()}).partition(b"\n")
        except FileNotFoundError:
            return None
        journal = _parsed(text) if digest == _digest(text) else None
        if journal is None or not journal._is_allowed(hidden):
            raise FileFormatError(
                f"{hidden.folder.path_of(JOURNAL)!r} is damaged: it cannot be known which files of the set are "
                "replaced.",
                hint=f"the new files are in {hidden.path!r}: put them into place or remove that folder.",
            )
        return journal

    @property
    def beside(self) -> tuple[str, ...]:
        """Return all names beside the hidden folder that the journal creates or removes."""
        return (*(step.target for step in self.renames), *self.removals)

    def _is_allowed(self, hidden: HiddenFolder) -> bool:
        """Whether writers give such names, and the owner of the folder may take each step."""
        own = hidden.set_name
        waiting = [step.source.partition("/")[::2] for step in self.renames]
        return (
            len({tag for tag, _ in waiting}) < 2
            and all(is_staged_name(tag) and is_single_name(name) for tag, name in waiting)
            and all(
                is_written_name(name, own) and (is_of_set(name, own) or _belongs_to_writer(hidden, name))
                for name in self.beside
            )
        )

    def _staged(self, hidden: HiddenFolder) -> AbstractContextManager[Directory | None]:
        """Open the folder that the new files wait in; None if it no longer exists."""
        with suppress(FileNotFoundError):
            if self.renames:
                return hidden.folder.child(self.renames[0].source.partition("/")[0])
        return nullcontext()

    def is_carried_out(self, hidden: HiddenFolder) -> bool:
        """Whether no step is left to take."""
        with self._staged(hidden) as staged:
            return all(_is_in_place(hidden, staged, step) for step in self.renames) and not any(
                map(hidden.parent.has, self.removals)
            )

    def carry_out(self, hidden: HiddenFolder, *, durable: bool) -> None:
        """Take all steps that are not taken yet; if one raises an `OSError`, the earlier steps are done."""
        identity = _identity(hidden)
        with self._staged(hidden) as staged:
            for step in self.renames:
                # Another process may have finished this journal, and a later write may have begun.
                if _identity(hidden) != identity:
                    return
                _put(hidden, staged, step)
        for name in self.removals:
            if _identity(hidden) != identity:
                return
            with suppress(FileNotFoundError):
                hidden.parent.unlink(name)
        if durable:
            hidden.parent.sync()


def _is_in_place(hidden: HiddenFolder, staged: Directory | None, step: Rename) -> bool:
    """Whether a file has its new name already, and perhaps still its old one."""
    source = None if staged is None else staged.find(step.source.partition("/")[2])
    placed = hidden.parent.find(step.target)
    return source is None or (placed is not None and os.path.samestat(source, placed))


def _put(hidden: HiddenFolder, staged: Directory | None, step: Rename) -> None:
    """Rename a file, unless that is done."""
    name = step.source.partition("/")[2]
    if staged is not None and not _is_in_place(hidden, staged, step):
        _check(hidden, staged, name)
        with suppress(FileNotFoundError):  # another process has done it just now
            staged.rename(name, step.target, hidden.parent)
    if step.target == manifest_path(hidden.set_name):
        return  # it may have been renewed since, and no set needs one
    placed = hidden.parent.find(step.target)
    if placed is None or placed.st_size != step.size or not (stat.S_ISREG(placed.st_mode) or name.endswith(BACKUP)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), hidden.folder.path_of(step.source))


def _check(hidden: HiddenFolder, staged: Directory, name: str) -> None:
    """Refuse files that the writer cannot have put there: files of other users, links, folders and devices."""
    # A backup may be a link or of another user, in folders that nobody else can have put it into.
    if name.endswith(BACKUP) and hidden.is_closed_to_others and staged.status().st_uid == hidden.writer:
        return
    found = staged.find(name)
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", staged.path_of(name))
    if found is not None and found.st_uid not in {hidden.writer, os.geteuid()}:
        raise PermissionError(errno.EPERM, "It belongs to another user than its folder", staged.path_of(name))


class FolderReplacement:
    """The steps that put one finished folder in the place of another: each is a rename, whose trace is visible.

    Parameters
    ----------
    marker : {"replace", "preserve"}
        Name of the finished folder. The old one is removed, or kept under the name `previous`.
    """

    beside: ClassVar[tuple[str, ...]] = ()
    """Files that it creates or removes: none."""

    def __init__(self, marker: str) -> None:
        self.marker = marker
        self._taken: list[tuple[_Place, _Place]] = []

    def write(self, hidden: HiddenFolder, *, durable: bool) -> None:
        """Rename the filled folder to the marker, once it is on disk where that is asked for."""
        if durable:
            with hidden.folder.child(NEW) as new:
                new.sync_below()
            hidden.parent.sync()
        hidden.folder.rename(NEW, self.marker)
        if durable:
            hidden.folder.sync()

    def is_carried_out(self, hidden: HiddenFolder) -> bool:
        """Whether no step is left to take."""
        return not hidden.folder.has(self.marker)

    def carry_out(self, hidden: HiddenFolder, *, durable: bool) -> None:
        """Take all steps that are not taken yet; if one raises an `OSError`, the earlier steps are done."""
        inside, beside, target = hidden.folder, hidden.parent, hidden.set_name
        former, aside = previous(target), [((target, beside), (OLD, inside))]
        if self.marker == PRESERVE:
            aside = [((former, beside), (OLD, inside)), ((target, beside), (former, beside))]
        if inside.has(self.marker):
            for source, to in [*(aside if beside.has(target) else []), ((self.marker, inside), (target, beside))]:
                if source[1].has(source[0]):
                    _move(source, to)
                    self._taken.append((to, source))
            if durable:
                beside.sync()

    def take_back(self, hidden: HiddenFolder) -> None:
        """Undo the steps that were taken here, and then the record itself, until one raises an `OSError`."""
        while self._taken:
            _move(*self._taken.pop())
        if hidden.folder.has(self.marker):
            hidden.folder.rename(self.marker, NEW)


_Place: TypeAlias = tuple[str, Directory]
"""A name, and the folder that it is in."""


def _move(source: _Place, to: _Place) -> None:
    source[1].rename(source[0], to[0], to[1])


def previous(target: str) -> str:
    """Return the path to which a replaced folder is moved if it is kept."""
    return f"{target}.prev"


Record: TypeAlias = Journal | FolderReplacement


def record_in(hidden: HiddenFolder) -> Record | None:
    """Return the record in a hidden folder, None if there is none; raises as `Journal.read` does."""
    if not hidden.replaces_folder:
        return Journal.read(hidden)
    marker = hidden.record
    return None if marker is None else FolderReplacement(marker)


def journal_of(staged: Directory, renames: Sequence[tuple[str, str]], stale: Sequence[str]) -> Journal:
    """Return the journal of renames of finished files, by name, and removals, both given with paths of targets."""
    tag = os.path.basename(staged.path)
    sizes = [staged.status(name).st_size for name, _ in renames]
    return Journal(
        tuple(
            Rename(f"{tag}/{name}", os.path.basename(path), size)
            for (name, path), size in zip(renames, sizes, strict=True)
        ),
        tuple(map(os.path.basename, stale)),
    )


def is_written_name(name: object, own: str) -> bool:
    """Whether a writer of the set `own` may give a file beside its hidden folder that name.

    It is a single name. Hidden names are refused, since hidden files configure programs; the set's own hidden files and
    its manifest are allowed.

    Examples
    --------
    >>> [is_written_name(name, "x.h5") for name in ("x_LOCALE0000.h5", "x.samples", ".x.h5.akdask", ".bashrc", "a/b")]
    [True, True, True, False, False]
    """
    if not isinstance(name, str) or not is_single_name(name):
        return False
    return not name.startswith(".") or name == manifest_path(own) or (own.startswith(".") and is_of_set(name, own))


def _belongs_to_writer(hidden: HiddenFolder, name: str) -> bool:
    """Whether another user's journal may touch a file whose name does not show that it belongs to the set.

    The present file must belong to that user, who could do the same by hand.  A journal of this user may touch any file
    that it names.
    """
    if hidden.writer == os.geteuid():
        return True
    there = hidden.parent.find(name)
    return there is None or there.st_uid == hidden.writer


def _parsed(text: bytes) -> Journal | None:
    """Return the journal in a text; None if it is malformed or of another version."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match found:
        case {"version": version, "renames": list() as steps, "removals": list() as removals}:
            if version == _VERSION and all(map(_is_step, steps)):
                return Journal(tuple(Rename(*step) for step in steps), tuple(removals))
    return None


def _is_step(step: Any) -> bool:
    match step:
        case [str(), str(), int() as size]:
            return not isinstance(size, bool) and 0 <= size <= _LARGEST_FILE
    return False


def _identity(hidden: HiddenFolder) -> str | None:
    """Return a mark of a folder's present journal that differs from those of earlier and later ones."""
    try:
        return state_of(hidden.folder.status(JOURNAL))
    except OSError:
        return None


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).hexdigest().encode()
