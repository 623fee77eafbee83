"""Files of any names that appear together or not at all, such as lists, schemas and other files outside sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

from akdask.storage.commit import Staging, errors_naming, staging
from akdask.storage.files import exists, written_path
from akdask.storage.object_store import ObjectStaging
from akdask.storage.recovery import recover_naming

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
        The files to be written, all in the same folder.
    stale : callable
        Returns existing files that the new ones make obsolete; called after recovery of earlier writes.

    Raises
    ------
    WriteError
        If the disk is full, the folder not writable, or another write of the same under way.
    """
    staged = staging(target)
    renames: dict[str, str] = {}

    def add(path: str, write: Callable[[str], object]) -> None:
        with errors_naming(path):
            renames[path] = _finished(staged, os.path.basename(path), write)

    # A dead writer's journal that names one of these files must not be carried out over the new one later.
    recover_naming(paths)
    staged.create(replaces=lambda: any(map(exists, paths)))
    try:
        obsolete = [path for path in stale() if path not in paths]
        yield add
        staged.commit([(made, path) for path, made in renames.items()], obsolete)
    except BaseException:
        staged.discard()
        raise


def _finished(staged: Staging | ObjectStaging, name: str, write: Callable[[str], object]) -> str:
    attempt = staged.attempt(name)
    write(attempt)
    return staged.finish(attempt, name)


def write_files(files: Mapping[str | os.PathLike[str], Iterable[bytes]]) -> None:
    """Write blocks of bytes to files: all files of a folder appear together, once all are written.

    Files of several folders are put into place folder by folder, since no file system does that at once.

    Raises
    ------
    WriteError
        If the disk is full, or a folder not writable.
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
