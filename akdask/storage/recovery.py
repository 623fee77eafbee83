"""What a writer that was killed has left is finished, or cleared away, by whoever comes next.

A write is prepared in a hidden folder beside its set.  No folder: nothing to do, which costs one `stat` for each set.
A folder without a journal: the old set is there, and the folder goes unless its writer lives.  With a journal: the new
set is there as soon as the journal is carried out, so readers wait for a living writer and act for a dead one.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from akdask.errors import AkdaskError, FileError
from akdask.storage.files import absolute, is_remote, matching
from akdask.storage.journal import JOURNAL, Journal
from akdask.storage.locales import (
    Filenames,
    expand,
    has_magic,
    hidden_folder,
    hidden_folders,
    locale_path,
    names_of,
    set_of,
    set_path,
    sets_of,
)
from akdask.storage.lock import OWNER, Lock, read_owner

Found = TypeVar("Found")

# Of writers on machines that share no locks with this one: how long nothing may happen until they are taken for dead.
_ABANDONED = 24 * 3600.0  # while they compute and write
_STALLED = 60.0  # while they rename; to act for one that lives does no harm
_PATIENCE = 2 * _STALLED
_PAUSE = 0.01
_MOST_LOOKS = 100


def settled(filenames: Filenames, look: Callable[[list[str]], Found]) -> Found:
    """Return what `look` finds in the files that a user means, with no file replaced between its beginning and end.

    Sets whose writers have died are put in order before.

    Raises
    ------
    FileError
        If files are replaced all the time, or a set is half replaced and cannot be completed from here.
    AkdaskError
        What `expand` and `look` raise, unless a file was replaced meanwhile.
    """
    folders = _folders(names_of(filenames))
    previous: Found | None = None
    for _ in range(_MOST_LOOKS):
        before = _changes(folders)
        try:
            found = look(_in_order(filenames))
        except AkdaskError:
            if before == _changes(folders):
                raise
            continue
        # Other files of the folder may come and go; what is found twice was there between both.
        if before == _changes(folders) or found == previous:
            return found
        previous = found
    raise FileError(f"the files {filenames!r} are replaced all the time.", hint="read them when their writers rest.")


def _in_order(filenames: Filenames) -> list[str]:
    """Return the files that a user means, after their sets are put in order."""
    try:
        found = expand(filenames)
    except FileError:
        if not _recover_all(_sets_meant(filenames)):
            raise
        return expand(filenames)
    return expand(filenames) if _recover_all(path for path in found if not is_remote(path)) else found


def recover(path: str) -> bool:
    """Put a set in order whose writer has died.

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
    folder = hidden_folder(path)
    if not os.path.lexists(folder):
        return False
    give_up = time.monotonic() + _PATIENCE
    while os.path.lexists(folder):
        try:
            if _finished(folder):
                return True
        except OSError as error:
            if _has_nothing_to_do(folder):
                return False
            raise FileError(
                f"the set {set_of(folder)!r} is half replaced, and cannot be completed: {error.strerror or error}.",
                details=[f"its writer has died: {read_owner(folder) or 'unknown'}"],
                hint="open or write the set once where its folder can be written to.",
            ) from error
        if not os.path.lexists(os.path.join(folder, JOURNAL)):
            return False
        if time.monotonic() > give_up:
            raise FileError(
                f"the set {set_of(folder)!r} is being replaced, and its writer does not come to an end.",
                details=[f"writer: {read_owner(folder) or 'unknown'}"],
                hint="end that process; then the set is completed.",
            )
        time.sleep(_PAUSE)
    return True


def remove(folder: str) -> None:
    """Remove a hidden folder as far as possible: the journal first, what shows that its writer lives last."""
    with suppress(OSError):
        Path(folder, JOURNAL).unlink(missing_ok=True)
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != OWNER:
                os.unlink(entry.path)
        Path(folder, OWNER).unlink(missing_ok=True)
        os.rmdir(folder)


def _finished(folder: str) -> bool:
    """Act for the writer of a folder, if it is dead."""
    has_journal = os.path.lexists(os.path.join(folder, JOURNAL))
    try:
        lock = Lock.take_over(folder, _STALLED if has_journal else _ABANDONED)
    except FileNotFoundError:
        # Made a moment ago and not signed, or half removed.  Its maker copes with an empty folder being taken away.
        with suppress(OSError):
            os.rmdir(folder)
        return not os.path.lexists(folder)
    if lock is None:
        return False
    with lock:
        journal = Journal.read(folder)
        if journal is not None:
            journal.carry_out(folder, durable=True)
        remove(folder)
    return True


def _has_nothing_to_do(folder: str) -> bool:
    """Whether the set is whole as it is, though the folder cannot be removed."""
    try:
        journal = Journal.read(folder)
        return journal is None or journal.is_carried_out(folder)
    except OSError:
        return False


def _recover_all(paths: Iterable[str]) -> bool:
    recovered = [recover(path) for path in sets_of(tuple(paths))]
    return any(recovered)


def _sets_meant(filenames: Filenames) -> list[str]:
    """Return sets that a writer has left without a file that the user's names find."""
    names = names_of(filenames)
    left = [set_of(folder) for parent in _folders(names) for folder in hidden_folders(parent)]
    wanted = [absolute(name) for name in names]
    return [
        path
        for path in left
        if any(set_path(name) == path or fnmatchcase(locale_path(path, 0), name) for name in wanted)
    ]


def _folders(names: Iterable[str]) -> list[str]:
    """Return the folders of this machine that files are looked for in."""
    # Thousands of files may be named, in few folders.
    parents = [absolute(parent) for parent in {os.path.dirname(name) for name in names} if not is_remote(parent)]
    return [folder for parent in parents for folder in (matching(parent) if has_magic(parent) else [parent])]


def _changes(folders: Iterable[str]) -> list[int]:
    """Return when the names in folders changed last: any rename shows."""
    found = []
    for folder in folders:
        try:
            found.append(os.stat(folder).st_mtime_ns)
        except OSError:
            found.append(0)
    return found
