"""Groups of an HDF5 file: those at a depth, and those that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import h5py

from akdask.errors import MissingFileError
from akdask.lbann.errors import LbannListError, MissingSampleError

Tree = frozenset[tuple[str, str, int]]
"""The datasets below a group: path, type and number of elements of each."""


@contextmanager
def open_samples(path: str) -> Iterator[Any]:
    """Open a file of samples for reading.

    Raises
    ------
    MissingSampleError
        If there is no such file.
    LbannListError
        If it is no HDF5 file, or damaged.
    """
    try:
        with h5py.File(path, "r", locking=False) as file:
            yield file
    except (FileNotFoundError, MissingFileError):
        raise MissingSampleError("there is no such file.", file=path) from None
    except (OSError, RuntimeError, ValueError, KeyError, UnicodeError) as error:
        raise LbannListError(f"cannot look for samples: {error}.", file=path) from error


def groups_at_depth(path: str, depth: int) -> list[str]:
    """Return the paths of the groups at a depth, 1 for the children of the root.

    They are in the order of creation where the file tracks it, else in that of their names.

    Parameters
    ----------
    path : str
        An HDF5 file.
    depth : int
        Names in each path.

    Raises
    ------
    MissingSampleError, LbannListError
        If the file is not there, or no HDF5 file.
    """
    with open_samples(path) as file:
        found = [("", file["/"])]
        for _ in range(depth):
            found = [(f"{name}/{child}", group) for name, parent in found for child, group in _subgroups(parent)]
        return [name.removeprefix("/") for name, _ in found]


def links(group: Any) -> list[str]:
    """Return the names of what a group holds, in the order of creation where it is tracked.

    Groups that do not track it are in the order of names, whatever the file does.
    """
    plist = group.id.get_create_plist()
    tracked = plist.get_link_creation_order() & h5py.h5p.CRT_ORDER_TRACKED
    order = h5py.h5.INDEX_CRT_ORDER if tracked else h5py.h5.INDEX_NAME
    names: list[bytes] = []
    group.id.links.iterate(names.append, idx_type=order)
    return [name.decode(errors="surrogateescape") for name in names]


def _subgroups(group: Any) -> Iterator[tuple[str, Any]]:
    for name in links(group):
        child = child_of(group, name)
        if isinstance(child, h5py.Group):
            yield name, child


def child_of(group: Any, name: str) -> Any:
    """Return what a group holds under a name, None where the link leads out of the file or nowhere."""
    if not isinstance(group.get(name, getlink=True), h5py.HardLink):
        return None
    return group[name]


def tree_of(group: Any) -> Tree:
    """Return the datasets below a group, in whatever order it holds them."""
    return frozenset(_leaves(group, ""))


def _leaves(group: Any, prefix: str, depth: int = 0) -> Iterator[tuple[str, str, int]]:
    for name in links(group):
        child = child_of(group, name)
        if isinstance(child, h5py.Dataset):
            # The byte order is not part of the type; it is converted when samples are read.
            yield f"{prefix}{name}", child.dtype.newbyteorder("=").str, child.size or 0
        elif isinstance(child, h5py.Group) and depth < 64:
            yield from _leaves(child, f"{prefix}{name}/", depth + 1)


def groups_like(path: str, tree: Tree) -> list[str]:
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
        return list(_matches(file["/"], "", tree, first))


def _matches(group: Any, prefix: str, tree: Tree, first: set[str], depth: int = 0) -> Iterator[str]:
    for name in links(group):
        child = child_of(group, name)
        if not isinstance(child, h5py.Group):
            continue
        # Names are compared first, as the types of all datasets below take long to look up.
        if set(child) == first and tree_of(child) == tree:
            yield f"{prefix}{name}"
        elif depth < 64:
            yield from _matches(child, f"{prefix}{name}/", tree, first, depth + 1)
