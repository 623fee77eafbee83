"""Recovery of sets and folders whose writer was killed: the next reader or writer completes or removes the write.

A write is prepared in a hidden folder beside its target.  Without a folder there is nothing to do, which costs one
`stat` for each set. A folder without a record means that the old set is in place, and the folder is removed unless its
writer lives.  With a record, the new set is in place as soon as the record is carried out, so readers wait for a living
writer and act for a dead one.

Trust: many users may write to a folder, so a user may make a hidden folder to trick a reader into changes that this
user has no right to make.

- A hidden folder is acted on only if its owner is this user, or the one user who owns all present files of the set.
  For the superuser too, this user is number 0.  No secret is needed: the file system says who made what.  One for the
  write of a whole folder must also be closed to all other users, since not all that it holds is examined.
- A hidden folder of anybody else is left alone, and the set is read as it is: as long as none of its files belongs to
  that user, none has been replaced.  If some do and others do not, and there is a journal, the set may be half
  replaced, and that is an error.  To write, the folder must be removed first, and the error says so.
- Folders and files are opened once, links are not followed, and the examined file is the one used (`Directory`).  A
  journal moves regular files of the hidden folder's owner, or of this user, from a folder in it to names beside it, or
  removes such names, and can do nothing else.  Hidden names must belong to its own set. Another user's journal may
  replace or remove only files of its own set, or files of that user, who could do the same by hand.
- Only files that writers make are removed, by their names, and only where the folder is signed: somebody who may rename
  folders may have given the hidden name to another one.
- A reader acts only within its user's rights.  Where they do not suffice, it reads the old set if that is complete, and
  otherwise raises an error.

A user who may write to the folder of a set can replace or remove its files by hand as well, unless the folder is
sticky. Nothing here prevents that.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from contextvars import ContextVar
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar

from akdask.errors import AkdaskError, FileError
from akdask.storage import tuning
from akdask.storage.catalog import catalogs_beside, catalogued, found_in_store, is_stored
from akdask.storage.files import absolute, concurrently, is_remote, matching, state_of
from akdask.storage.folders import OWNER, HiddenFolder, Lock, read_owner
from akdask.storage.locales import (
    Filenames,
    expand,
    has_magic,
    hidden_folder,
    hidden_folder_of_folder,
    hidden_folders,
    is_of_set,
    locale_path,
    names_of,
    numbered_set_path,
    replaces_folder,
    set_of,
    set_path,
    sets_of,
)

if TYPE_CHECKING:
    from akdask.storage.transaction import Record

Found = TypeVar("Found")

_LARGEST_BLANK = 4096  # bytes of a signature that a power failure has blanked


def settled(filenames: Filenames, read: Callable[[list[str]], Found]) -> Found:
    """Return the result of `read` for the files that a user means; no file is replaced while it runs.

    Sets of dead writers are recovered before.  Within `read`, further calls for the same files take them as they are.

    Raises
    ------
    FileError
        If files are replaced all the time, or a set is half replaced and cannot be completed from here.
    AkdaskError
        Errors of `expand` and `read`, unless a file was replaced meanwhile.
    """
    outer = _SETTLED.get()
    if outer is not None and outer[0] is filenames:
        return read(outer[1])
    folders = _folders(names_of(filenames))
    stores = _stores(names_of(filenames))
    previous: Found | None = None
    for _ in range(tuning.MOST_TRIES):
        before = _changes(folders, stores)
        try:
            found = _read(filenames, read)
        except AkdaskError:
            if before == _changes(folders, stores):
                raise
            continue
        # Other files of the folder may come and go. Files found before and after were present in between.
        if before == _changes(folders, stores) or found == previous:
            return found
        previous = found
    raise FileError(f"the files {filenames!r} are replaced all the time.", hint="read them when their writers rest.")


_SETTLED: ContextVar[tuple[Filenames, list[str]] | None] = ContextVar("settled files", default=None)
"""What a user means, as it was given, and the files, while they are read."""


def _read(filenames: Filenames, read: Callable[[list[str]], Found]) -> Found:
    paths = _in_order(filenames)
    given = _SETTLED.set((filenames, paths))
    try:
        return read(paths)
    finally:
        _SETTLED.reset(given)


def settled_folder(folder: str, read: Callable[[str], Found]) -> Found:
    """Return the result of `read` for a whole folder, which is not replaced while it runs; see `settled`."""
    for _ in range(tuning.MOST_TRIES):
        # While a folder is replaced, it does not exist for a moment, and listed files may be gone.
        recover_folders(os.path.dirname(folder))
        before = _changes([folder], [])
        try:
            found = read(folder)
        except FileError:
            if before == _changes([folder], []):
                raise
            continue
        if before == _changes([folder], []):
            return found
    raise FileError(f"{folder!r} is replaced all the time.", hint="read it when its writers rest.")


def _in_order(filenames: Filenames) -> list[str]:
    """Return the files that a user means, after recovering their sets."""
    names = names_of(filenames)
    if any(map(is_stored, names)):
        # Each takes some requests, so those of a long list run concurrently.
        known = catalogs_beside(filter(is_stored, names))
        each = concurrently(lambda name: found_in_store(name, known) if is_stored(name) else _in_order(name), names)
        return [path for paths in each for path in paths]
    try:
        found = expand(filenames)
    except FileError:
        changed = list(map(recover_in, _left_of(filenames)))
        if not any(changed):
            raise
        return expand(filenames)
    changed = list(map(recover, sets_of(tuple(path for path in found if not is_remote(path)))))
    return expand(filenames) if any(changed) else found


def recover(path: str) -> bool:
    """Complete or remove the write of a dead writer of a set.

    Parameters
    ----------
    path : str
        The set, or one of its files; absolute, on this machine's file systems.

    Returns
    -------
    bool
        Whether files of the set may have changed.

    Raises
    ------
    FileError
        If the set is half replaced, and that cannot be completed from here.
    """
    return recover_in(hidden_folder(path))


def recover_folder(path: str) -> bool:
    """Complete or remove the write of a dead writer of a whole folder; see `recover`."""
    return recover_in(hidden_folder_of_folder(path))


def recover_folders(parent: str) -> None:
    """Complete or remove the writes of dead writers of all whole folders in a folder; see `recover`."""
    for hidden in filter(replaces_folder, hidden_folders(parent)):
        recover_in(hidden)


def recover_in(folder: str) -> bool:
    """Complete or remove the write of a dead writer in a hidden folder; see `recover`."""
    if not os.path.lexists(folder):
        return False
    give_up = time.monotonic() + 2 * tuning.STALLED_SECONDS
    while (hidden := _opened(folder)) is not None:
        with hidden:
            changed = _act(hidden)
            if changed is not None:
                return changed
            if time.monotonic() > give_up:
                raise FileError(
                    f"{set_of(folder)!r} is being replaced, and its writer does not come to an end.",
                    details=[f"writer: {read_owner(hidden.folder) or 'unknown'}"],
                    hint="end that process; then the write is completed.",
                )
        time.sleep(tuning.PAUSE)
    return not os.path.lexists(folder)


def recover_naming(paths: Iterable[str]) -> None:
    """Complete or remove writes of dead writers that replace given local files, whichever set these were written with.

    The user chooses the name of a list of samples, so it does not show the write that it belongs to.  Each folder is
    listed once; see `recover`.
    """
    names: dict[str, set[str]] = {}
    for path in paths:
        if not is_remote(path):
            folder, name = os.path.split(absolute(path))
            names.setdefault(folder, set()).add(name)
    for folder, wanted in names.items():
        for found in hidden_folders(folder):
            if not replaces_folder(found) and _names_any(found, wanted):
                recover_in(found)


def _names_any(folder: str, wanted: set[str]) -> bool:
    """Whether the write of a hidden folder has happened, and touches one of some files."""
    hidden = _opened(folder)
    if hidden is None:
        return False
    with hidden:
        if any(is_of_set(name, hidden.set_name) for name in wanted):
            return True
        try:
            # Journals of other users are read only if these are believed.
            record = _record(hidden) if hidden.is_believed else None
        except (OSError, AkdaskError):
            return False
        return record is not None and not wanted.isdisjoint(record.beside)


def _opened(folder: str) -> HiddenFolder | None:
    """Open a hidden folder; None if it does not exist or no writer can have made it."""
    with suppress(OSError):
        return HiddenFolder.at(folder)
    return None


def _act(hidden: HiddenFolder) -> bool | None:
    """Act for a dead writer; whether the set may have changed, or None if a living writer is about to replace it."""
    believed = hidden.is_believed
    if not believed and (hidden.replaces_folder or hidden.writer not in hidden.owners or not hidden.has_happened):
        return False
    try:
        if believed:
            if _finish(hidden):
                return True
        elif not _is_living(hidden):
            raise PermissionError(errno.EPERM, "another user has written it")
    except OSError as error:
        if believed and _is_complete(hidden):
            return False
        by = "" if hidden.writer == os.geteuid() else f" of user {hidden.writer}"
        raise FileError(
            f"{set_of(hidden.path)!r} is half replaced, and cannot be completed: {error.strerror or error}.",
            details=[f"its writer{by} has died: {read_owner(hidden.folder) or 'unknown'}"],
            hint="open or write it once where its folder can be written to, as the user who wrote it.",
        ) from error
    return None if hidden.has_happened else False


def _finish(hidden: HiddenFolder) -> bool:
    """Carry out the record of a dead writer and remove its folder; False if the writer may live."""
    try:
        seconds = tuning.STALLED_SECONDS if hidden.has_happened else tuning.ABANDONED_SECONDS
        lock = Lock.take_over(hidden.folder, seconds)
    except FileNotFoundError:
        # Made a moment ago and not signed, or half removed.  Its maker copes with an empty folder being taken away.
        hidden.remove_if_empty()
        return not hidden.is_in_place
    if lock is None:
        return False
    with lock:
        record = _record(hidden)
        if record is not None:
            record.carry_out(hidden, durable=True)
        elif not _is_left_by_a_writer(hidden):
            return False
        hidden.remove()
    return True


def _record(hidden: HiddenFolder) -> Record | None:
    from akdask.storage.transaction import record_in  # few reads find a write that was interrupted

    return record_in(hidden)


def _is_left_by_a_writer(hidden: HiddenFolder) -> bool:
    """Whether a writer made this folder without a record; anyone may give a folder that name."""
    if not hidden.has_only_what_writers_make():
        return False
    # A writer may be killed before it signs, and a power failure may blank its signature.
    return read_owner(hidden.folder) is not None or not hidden.folder.read(OWNER, _LARGEST_BLANK).strip(b"\0")


def _is_living(hidden: HiddenFolder) -> bool:
    """Whether the writer of a folder that is not to be acted on may live."""
    with suppress(OSError), Lock.take_over(hidden.folder, tuning.STALLED_SECONDS) or nullcontext() as lock:
        return lock is None
    return False


def _is_complete(hidden: HiddenFolder) -> bool:
    """Whether the set is complete as it is, though the hidden folder cannot be removed."""
    with suppress(OSError):
        if hidden.replaces_folder and hidden.parent.has(hidden.set_name):
            return True  # the old folder or the new one: each is whole
        record = _record(hidden)
        return record is None or record.is_carried_out(hidden)
    return False


def _left_of(filenames: Filenames) -> list[str]:
    """Return hidden folders of writes that have left no file that the user's names find."""
    names = names_of(filenames)
    wanted = [absolute(name) for name in names]
    return [
        hidden
        for parent in _folders(names)
        for hidden in hidden_folders(parent)
        if any(
            set_of(hidden) in (set_path(name), numbered_set_path(name))
            or fnmatchcase(locale_path(set_of(hidden), 0), name)
            for name in wanted
        )
    ]


def _folders(names: Iterable[str]) -> list[str]:
    """Return the folders of this machine that files are looked for in."""
    # Thousands of files may be named, in few folders.
    parents = [absolute(parent) for parent in {os.path.dirname(name) for name in names} if not is_remote(parent)]
    return [folder for parent in parents for folder in (matching(parent) if has_magic(parent) else [parent])]


def _stores(names: Iterable[str]) -> list[str]:
    """Return the folders of object stores that files are looked for in."""
    return sorted({name.rstrip("/").rpartition("/")[0] for name in names if is_stored(name)})


def _changes(folders: Iterable[str], stores: Iterable[str]) -> list[Any]:
    """Return the times of the last change of names in folders, which any rename updates, and the states of catalogs."""
    found: list[Any] = [catalogued(folder) for folder in stores if not has_magic(folder)]
    for folder in folders:
        found.append("")
        with suppress(OSError):
            found[-1] = state_of(os.stat(folder))
    return found
