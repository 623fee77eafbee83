"""Make sample lists: find the samples of files by a prototype, and split sets into parts."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import takewhile
from typing import Any, TypeAlias

import numpy as np

from akdask.errors import ArgumentError, FileFormatError
from akdask.formats.hdf5.open_files import OPEN_FILES, LibraryFile, NotThereError, UnknownElementsError
from akdask.lbann.errors import LbannListError, MissingSampleError, is_no_hdf5
from akdask.lbann.sample_list import ListType, SampleList, checked_words, parts
from akdask.records import record
from akdask.storage.recovery import recover_naming
from akdask.storage.transaction import write_files

GroupTree: TypeAlias = frozenset[tuple[str, str, int]]
"""The datasets below a group: path, type and number of elements of each."""

MAX_DEPTH = 64
"""Maximum depth of groups; links can lead back to a group above."""


@contextmanager
def open_samples(path: str) -> Iterator[LibraryFile]:
    """Give a file of samples that is open until the end of the ``with`` statement.

    Raises
    ------
    MissingSampleError
        If the file does not exist, or lacks the requested object.
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
        if is_no_hdf5(error):
            raise LbannListError("cannot look for samples: it is no HDF5 file.", file=path) from None
        details = error.details if isinstance(error, FileFormatError) else [error.strerror or str(error)]
        raise LbannListError("cannot look for samples: it cannot be read.", file=path, details=details) from error


def tree_of(file: LibraryFile, group: str) -> GroupTree:
    """Return the datasets below a group, unordered.

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
    """Return the paths of the groups with the datasets of a tree, depth first; none within another.

    Parameters
    ----------
    path : str
        An HDF5 file.
    tree : frozenset of tuples
        The datasets of the group that the others are compared with.

    Raises
    ------
    MissingSampleError, LbannListError
        If the file does not exist, or is no HDF5 file.
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

    For one path it is its directory. ``.`` means none; no paths give an empty text.

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


@record
class FoundSamples:
    """The samples of files, and the excluded samples.

    Parameters
    ----------
    included : SampleList
        The included samples: a line for each file.
    left_out : tuple of lists of str
        The samples of each line that are not in it.
    """

    included: SampleList
    left_out: tuple[list[str], ...]

    def exclusion_text(self) -> bytes:
        """Return the exclusion list, which names the excluded samples."""
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
    """Find the samples of files: the groups with the datasets of a prototype.

    Parameters
    ----------
    files : sequence of str or path-like
        HDF5 files; the prototype is in the first.
    sample : str
        ID of the prototype.  Groups whose datasets have the same names, types and numbers of elements are samples.
    exclude : sequence of str
        IDs of samples to leave out, of whichever file.
    base_directory : str, optional
        Directory named by the list; the common directory of all files by default.
    over : callable, optional
        Applies a function to each of many files, for instance in parallel; one after the other by default.

    Returns
    -------
    FoundSamples
        The inclusion list, in the order of the files, and the excluded samples.

    Raises
    ------
    MissingSampleError
        If a file or the prototype does not exist.
    LbannListError
        If a file is not HDF5, the prototype is empty, or no file has an excluded ID.
    ArgumentError
        If there are no files, or they do not lie in the base directory.
    """
    paths = [normal_path(os.fspath(file)) for file in files]
    if not paths:
        raise ArgumentError("no files to look for samples in.")
    recover_naming(paths)
    tree = _prototype(paths[0], sample)
    each = over or (lambda function, given: [function(path) for path in given])
    found = each(partial(groups_like, tree=tree), paths)
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


def find_prototype(path: str) -> str:
    """Return the first of the groups of a file that seem to be samples.

    These are the groups of the first depth at which two hold the same datasets. In a file of one sample it is the first
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
    """Return a file's path relative to the base directory.  Relative paths are below a directory of ``.``."""
    start = normal_path(base)
    if start == "." and not path.startswith("/"):
        return path
    front = start if start.endswith("/") else f"{start}/"
    if not path.startswith(front):
        raise ArgumentError(f"the file {path!r} does not lie in the base directory {base!r}.")
    return path.removeprefix(front)


@record
class SplitIndices:
    """Positions of the samples of each part.

    Parameters
    ----------
    train, validation, tournament : ndarray of int64
        Positions; no position is in two parts, and a few may be in none.
    """

    train: np.ndarray
    validation: np.ndarray
    tournament: np.ndarray


def choose(
    n: int, *, fraction: float | None = None, count: int | None = None, seed: int | None = None, shuffle: bool = False
) -> np.ndarray:
    """Return the positions of the samples that are used at all.

    Parameters
    ----------
    n : int
        Samples there are.
    fraction : float, optional
        Share to use, 0 to 1; the resulting number is truncated.
    count : int, optional
        Number to use; at most one of the two is given.
    seed : int, optional
        Of the shuffle.
    shuffle : bool, default False
        Draw them at random; otherwise use the first ones.

    Raises
    ------
    ArgumentError
        If both are given, there are fewer samples, or none is left.
    """
    if fraction is not None and count is not None:
        raise ArgumentError(
            "a fraction of the data and an absolute count were given.", hint="give one of the two; 0 counts as none."
        )
    if count is not None and not 0 < count <= n:
        raise ArgumentError(f"{count:,} samples were asked for, and there are {n:,}.")
    used = n if count is None else count
    if fraction is not None:
        _check_fraction("the fraction of data to use", fraction)
        used = math.trunc(fraction * n)
        if used == 0:
            raise ArgumentError(f"a fraction of {fraction} of {n:,} samples leaves none.")
    order = np.random.default_rng(seed).permutation(n) if shuffle else np.arange(n, dtype=np.int64)
    return order[:used]


def split_indices(
    n: int, *, validation: float = 0.0, tournament: float = 0.0, seed: int | None = None, shuffle: bool = True
) -> SplitIndices:
    """Split positions into parts.

    Training uses the first samples, all but ``trunc((v + t) * n)``. Validation takes the next ``trunc(v * n)`` and
    tournament the next ``trunc(t * n)``.  The rest from truncation is in no part.

    Parameters
    ----------
    n : int
        Number of samples.
    validation, tournament : float, default 0
        Fractions, from 0 and below 1 in all.
    seed : int, optional
        Of the shuffle.
    shuffle : bool, default True
        Draw the parts at random; otherwise each is in ascending order.

    Raises
    ------
    ArgumentError
        If fractions do not fit, or a positive one yields no samples.

    Examples
    --------
    >>> parts = split_indices(143, validation=0.1, tournament=0.1, seed=1)
    >>> len(parts.train), len(parts.validation), len(parts.tournament)
    (115, 14, 14)
    """
    for name, fraction in (("validation", validation), ("tournament", tournament)):
        _check_fraction(f"the {name} fraction", fraction)
        if fraction > 0 and math.trunc(fraction * n) == 0:
            raise ArgumentError(f"a {name} fraction of {fraction} of {n:,} samples is none.")
    if validation + tournament >= 1:
        raise ArgumentError(f"fractions of {validation} and {tournament} leave nothing to train with.")
    order = np.random.default_rng(seed).permutation(n) if shuffle else np.arange(n, dtype=np.int64)
    train = n - math.trunc((validation + tournament) * n)
    n_validation, n_tournament = math.trunc(validation * n), math.trunc(tournament * n)
    return SplitIndices(
        order[:train], order[train : train + n_validation], order[train + n_validation :][:n_tournament]
    )


def _check_fraction(name: str, fraction: float) -> None:
    if not 0 <= fraction <= 1:
        raise ArgumentError(f"{name} is {fraction}; it is between 0 and 1.")
