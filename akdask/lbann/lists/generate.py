"""Making sample lists: which groups of which files are samples, and where the files are."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from akdask.errors import ArgumentError
from akdask.lbann.errors import LbannListError, MissingSampleError
from akdask.lbann.lists.exclusion import parts
from akdask.lbann.lists.grammar import ListType
from akdask.lbann.lists.hdf5_groups import MAX_DEPTH, GroupTree, groups_like, open_samples, tree_of
from akdask.lbann.lists.sample_list import SampleList, checked_words
from akdask.storage.atomic.recovery import recover_naming
from akdask.storage.atomic.staged_files import write_files


def normal_path(path: str) -> str:
    """Return a path without repeated slashes, and without one at its end.

    Examples
    --------
    >>> [normal_path(path) for path in ("/a//b///c/", "/", "./")]
    ['/a/b/c', '/', '.']
    """
    squeezed = re.sub("/+", "/", path)
    return squeezed if squeezed == "/" else squeezed.removesuffix("/")


def common_directory(paths: Sequence[str]) -> str:
    """Return the longest leading run of path parts that all paths share: the base directory of a list.

    Of one path it is its directory; ``.`` stands for none, and nothing for no paths.

    Raises
    ------
    ArgumentError
        If some paths begin with a slash and others do not.

    Examples
    --------
    >>> common_directory(["a/b/c", "a/b/d"]), common_directory(["a/b/c"]), common_directory(["/a/b/c", "/b/c/d"])
    ('a/b', 'a/b', '/')
    >>> common_directory(["a"]), common_directory([]), common_directory(["a/b/c", "a/bb/c"])
    ('.', '', 'a')
    """
    found = [normal_path(path) for path in paths]
    if not found:
        return ""
    if len({path.startswith("/") for path in found}) > 1:
        details = [next(p for p in found if p.startswith("/")), next(p for p in found if not p.startswith("/"))]
        raise ArgumentError("paths are all to begin with a slash, or none.", details=details)
    split = [path.split("/") for path in found]
    if len(set(found)) == 1:
        split = [split[0][:-1]]
    shared = [names[0] for names in takewhile(lambda names: len(set(names)) == 1, zip(*split, strict=False))]
    return "/".join(shared) or ("/" if found[0].startswith("/") else ".")


@dataclass(frozen=True, slots=True)
class FoundSamples:
    """The samples of files, and those that were left out.

    Parameters
    ----------
    included : SampleList
        What remains: a line for each file.
    left_out : tuple of lists of str
        The samples of each line that are not in it.
    """

    included: SampleList
    left_out: tuple[list[str], ...]

    def exclusion_text(self) -> bytes:
        """Return the exclusion list, which names what is left out."""
        counts = list(map(len, self.left_out))
        found = self.included
        lines = [ListType.CONDUIT_HDF5_EXCLUSION.value, f"{len(found)} {sum(counts)} {len(counts)}"]
        lines.append(found.base_directory)
        for file, n, names in zip(found.files.to_pylist(), found.included.tolist(), self.left_out, strict=True):
            lines.append(" ".join([file, str(n), str(len(names)), *names]))
        return "\n".join([*lines, ""]).encode()

    def write(self, inclusion: str | os.PathLike[str], exclusion: str | os.PathLike[str] | None = None) -> None:
        """Write the inclusion list and, if it is named, the exclusion list: in one folder both appear together."""
        contents: dict[str | os.PathLike[str], list[bytes]] = {inclusion: [self.included.to_text()]}
        if exclusion is not None:
            contents[exclusion] = [self.exclusion_text()]
        write_files(contents)


def list_samples(
    files: Sequence[str | os.PathLike[str]],
    sample: str,
    *,
    exclude: Sequence[str] = (),
    base_directory: str | None = None,
    over: Callable[[Callable[[str], Any], Sequence[str]], Sequence[Any]] | None = None,
) -> FoundSamples:
    """Find the samples of files: the groups that hold what a prototype holds.

    Parameters
    ----------
    files : sequence of str or path-like
        HDF5 files; the prototype is in the first.
    sample : str
        ID of the prototype.  Groups whose datasets have the same names, types and numbers of elements are samples.
    exclude : sequence of str
        IDs of samples to leave out, of whichever file.
    base_directory : str, optional
        Which directory the list names; what all files have in common unless given.
    over : callable, optional
        Applies a function to each of many files, for instance in parallel; one after the other unless given.

    Returns
    -------
    FoundSamples
        The inclusion list, in the order of the files, and what was left out.

    Raises
    ------
    MissingSampleError
        If a file or the prototype is not there.
    LbannListError
        If a file is not HDF5, the prototype holds nothing, or an ID to be left out is in no file.
    ArgumentError
        If there are no files, or they do not lie in the base directory.
    """
    paths = [normal_path(os.fspath(file)) for file in files]
    if not paths:
        raise ArgumentError("no files to look for samples in.")
    recover_naming(paths)
    tree = _prototype(paths[0], sample)
    each = over or (lambda function, given: [function(path) for path in given])
    found = each(_Search(tree), paths)
    base = common_directory(paths) if base_directory is None else base_directory
    names = [_relative(path, base) for path in paths]
    left_out = {"/".join(parts(name)) for name in exclude}
    if unknown := left_out - {name for ids in found for name in ids}:
        raise LbannListError("samples to be left out are in no file.", details=map(repr, sorted(unknown)))
    remaining = [[name for name in ids if name not in left_out] for ids in found]
    absent = tuple([name for name in ids if name in left_out] for ids in found)
    included = SampleList(
        ListType.CONDUIT_HDF5_INCLUSION,
        base,
        checked_words("files", names),
        checked_words("samples", [name for ids in remaining for name in ids]),
        np.cumsum([0, *map(len, remaining)], dtype=np.int64),
        excluded=np.array(list(map(len, absent)), np.int64),
    )
    return FoundSamples(included, absent)


class _Search:
    """Finds samples of a file; can be sent to workers."""

    def __init__(self, tree: GroupTree) -> None:
        self.tree = tree

    def __call__(self, path: str) -> list[str]:
        return groups_like(path, self.tree)


def find_prototype(path: str) -> str:
    """Return the first of the groups of a file that seem to be samples.

    These are the groups of the first depth at which two hold the same datasets; in a file of one sample, the first
    group that holds datasets itself.

    Parameters
    ----------
    path : str
        An HDF5 file.

    Raises
    ------
    MissingSampleError
        If there is no such file.
    LbannListError
        If it has no such group.
    """
    recover_naming([path])
    with open_samples(path) as file:
        level, single = [""], None
        while level and len(level[0].split("/")) < MAX_DEPTH:
            below = [(f"{group}/{name}", is_group) for group in level for name, is_group in file.members(group or "/")]
            level = [group for group, is_group in below if is_group]
            trees = [tree_of(file, group) for group in level[:2]]
            if len(trees) == 2 and trees[0] and trees[0] == trees[1]:
                return level[0].removeprefix("/")
            holds = (group for group in level if any(not is_group for _, is_group in file.members(group)))
            single = single or next(holds, None)
    if single is None:
        raise LbannListError("the file has no group with datasets.", file=path)
    return single.removeprefix("/")


def _prototype(path: str, sample: str) -> GroupTree:
    with open_samples(path) as file:
        name = "/".join(parts(sample))
        if not file.has_group(name or "/"):
            raise MissingSampleError("the prototype is not there, or no group.", file=path, sample=sample)
        tree = tree_of(file, name)
    if not tree:
        raise LbannListError("the prototype holds no datasets.", file=path, sample=sample)
    return tree


def _relative(path: str, base: str) -> str:
    """Return what is glued to the base directory for a file; a directory of ``.`` is in front of what is relative."""
    start = normal_path(base)
    if start == "." and not path.startswith("/"):
        return path
    front = start if start.endswith("/") else f"{start}/"
    if not path.startswith(front):
        raise ArgumentError(f"the file {path!r} does not lie in the base directory {base!r}.")
    return path.removeprefix(front)
