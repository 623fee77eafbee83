"""Groups of an HDF5 file that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from akdask.errors import FileFormatError
from akdask.hdf5.tree.elements import UnknownElementsError
from akdask.hdf5.tree.library_file import LibraryFile, NotThereError
from akdask.hdf5.tree.open_files import OPEN_FILES
from akdask.lbann.errors import LbannListError, MissingSampleError

GroupTree: TypeAlias = frozenset[tuple[str, str, int]]
"""The datasets below a group: path, type and number of elements of each."""

MAX_DEPTH = 64
"""Groups within groups that are looked into; links can lead back to a group above."""


@contextmanager
def open_samples(path: str) -> Iterator[LibraryFile]:
    """Give a file of samples that is open until the end of the ``with`` statement.

    Raises
    ------
    MissingSampleError
        If there is no such file, or not what is looked for in it.
    LbannListError
        If it is no HDF5 file, or damaged.
    """
    try:
        with OPEN_FILES.lease(path) as file:
            yield file.library
    except FileNotFoundError:
        raise MissingSampleError("there is no such file.", file=path) from None
    except NotThereError as error:
        raise MissingSampleError(f"cannot look for samples: it {error}.", file=path) from None
    except (FileFormatError, OSError) as error:
        details = error.details if isinstance(error, FileFormatError) else [error.strerror or str(error)]
        raise LbannListError("cannot look for samples: it cannot be read.", file=path, details=details) from error


def tree_of(file: LibraryFile, group: str) -> GroupTree:
    """Return the datasets below a group, in whatever order it holds them.

    Parameters
    ----------
    file : LibraryFile
        An open file.
    group : str
        Path in it.
    """
    return frozenset(_leaves(file, group, "", 0))


def _leaves(file: LibraryFile, group: str, prefix: str, depth: int) -> Iterator[tuple[str, str, int]]:
    for name, is_group in file.members(group or "/"):
        path = f"{group}/{name}"
        if is_group and depth < MAX_DEPTH:
            yield from _leaves(file, path, f"{prefix}{name}/", depth + 1)
        elif not is_group:
            try:
                elements = file.description(path).elements
            except (UnknownElementsError, NotThereError) as error:
                yield f"{prefix}{name}", str(error), 0
            else:
                # The byte order is not part of the type: it is converted when samples are read.
                yield f"{prefix}{name}", elements.dtype.newbyteorder("=").str, elements.size


def groups_like(path: str, tree: GroupTree) -> list[str]:
    """Return the paths of the groups whose datasets are those of a tree, depth first; none within another.

    Parameters
    ----------
    path : str
        An HDF5 file.
    tree : frozenset of tuples
        The datasets of the group that the others are compared with.

    Raises
    ------
    MissingSampleError, LbannListError
        If the file is not there, or no HDF5 file.
    """
    first = {name.partition("/")[0] for name, _, _ in tree}
    with open_samples(path) as file:
        return list(_matches(file, "", tree, first, 0))


def _matches(file: LibraryFile, group: str, tree: GroupTree, first: set[str], depth: int) -> Iterator[str]:
    for name, is_group in file.members(group or "/"):
        path = f"{group}/{name}"
        if not is_group:
            continue
        # Names are compared first, as the types of all datasets below take long to look up.
        if {member for member, _ in file.members(path)} == first and tree_of(file, path) == tree:
            yield path.removeprefix("/")
        elif depth < MAX_DEPTH:
            yield from _matches(file, path, tree, first, depth + 1)
