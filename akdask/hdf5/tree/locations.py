"""Where the datasets of many groups of a file lie: found by templates, and remembered."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.errors import FileFormatError
from akdask.hdf5.tree.elements import UnknownElementsError
from akdask.hdf5.tree.library_file import NotThereError
from akdask.hdf5.tree.member_search import find_group
from akdask.hdf5.tree.object_header import UnknownStructureInTreeError
from akdask.hdf5.tree.template import GroupTemplate, Offsets, make_template
from akdask.hdf5.tree.tree_file import TreeFile
from akdask.storage.paths.files import FileIdentity

Paths: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = npt.NDArray[np.int64]

BY_LIBRARY = -1
"""Stands for a template where only the library can read a group."""

_UNKNOWN = -2
_MAX_TEMPLATES = 12
"""Ways in which groups with the same datasets are made; a program's own are few."""

_MAX_TRIES = 24
"""Groups of which templates are made at a time; some lack a dataset, or have a structure that is not known."""

_MAX_TREES = 64
_FEW = 8  # groups that are looked up one by one before the names beside them are listed
_LOOKUPS = 64  # names that are listed in the time of a few lookups
_AHEAD = 4096  # groups that are located together with those that are wanted
_MOST_BYTES = 3 * 2**24
_MOST_COUNTS = 2**17
_IDLE = 100_000  # lookups in other groups after which a group is forgotten, if there is no room for another one


class Located(NamedTuple):
    """Where the datasets of groups lie.

    Parameters
    ----------
    templates : sequence of GroupTemplate
        How groups are made.
    which : ndarray of int64, shape (n,)
        Position of the template of each group; `BY_LIBRARY` where none fits, or the group is not there.
    offsets : ndarray of int64, shape (n, ndatasets)
        Where data begins; -1 where only the library can read it.
    """

    templates: Sequence[GroupTemplate]
    which: Numbers
    offsets: Offsets


def locate(file: TreeFile, groups: Sequence[str], paths: Paths) -> Located:
    """Find where datasets of groups lie.

    Parameters
    ----------
    file : TreeFile
        The open file.
    groups : sequence of str
        Paths of groups in the file, without slashes at their ends.
    paths : tuple of str
        Paths of datasets in each group.

    Raises
    ------
    FileFormatError
        If the file cannot be read as HDF5.
    """
    lookup = _Lookup(file, paths, _templates_for(paths))
    parts = [group.rpartition("/") for group in groups]
    parents = {parent for parent, _, _ in parts}
    if len(parents) == 1 and paths and file.root is not None:
        return Located(lookup.templates, *_locate_in(file, parents.pop(), [name for _, _, name in parts], lookup))
    which = np.full(len(groups), BY_LIBRARY, np.int64)
    offsets: Offsets = np.full((len(groups), len(paths)), -1, np.int64)
    for parent in parents if paths and file.root is not None else ():
        rows = [row for row, (above, _, _) in enumerate(parts) if above == parent]
        which[rows], offsets[rows] = _locate_in(file, parent, [parts[row][2] for row in rows], lookup)
    return Located(lookup.templates, which, offsets)


class _Lookup(NamedTuple):
    """What is looked for in which file."""

    file: TreeFile
    paths: Paths
    templates: list[GroupTemplate]

    def fit(self, addresses: Numbers, names: Sequence[str], n_wanted: int) -> tuple[Numbers, Offsets]:
        """Return template and offsets of groups, given their addresses; -1 of those that are not there.

        Templates are made of the first groups only: those that are wanted, and have names.
        """
        which = np.full(len(addresses), BY_LIBRARY, np.int64)
        offsets: Offsets = np.full((len(addresses), len(self.paths)), -1, np.int64)
        position = 0
        is_tried = np.zeros(len(addresses), np.bool_)
        while True:
            rows = np.flatnonzero((which == BY_LIBRARY) & (addresses >= 0))
            if position == len(self.templates):
                self._add_template(addresses, names, rows[rows < n_wanted], is_tried)
            if position == len(self.templates) or not len(rows):
                return which, offsets
            template = self.templates[position]
            fits, found = template.locate(self.file.descriptor, self.file.identity.size, addresses[rows])
            which[rows[fits]] = position
            offsets[rows[fits]] = found[fits]
            position += 1

    def _add_template(
        self, addresses: Numbers, names: Sequence[str], rows: Numbers, is_tried: npt.NDArray[np.bool_]
    ) -> None:
        """Add the template of one of the groups that no template fits, as long as it is worth to try."""
        for row in rows[~is_tried[rows]].tolist():
            if len(self.templates) >= _MAX_TEMPLATES or is_tried.sum() >= _MAX_TRIES:
                return
            is_tried[row] = True
            template = _make(self.file, names[row], int(addresses[row]), self.paths)
            if template is not None:
                self.templates.append(template)
                return


@dataclass(slots=True)
class _GroupListing:
    """The groups below one group: names in order, addresses, and what has been located."""

    names: npt.NDArray[Any]
    addresses: Numbers
    which: npt.NDArray[np.int8]
    offsets: Offsets
    last_use: int = 0
    lock: Any = field(default_factory=RLock)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.names.nbytes + self.addresses.nbytes + self.which.nbytes + self.offsets.nbytes

    def find(self, names: Sequence[str]) -> Numbers:
        """Return the rows of names, -1 of those that are not there."""
        width = self.names.dtype.itemsize
        encoded = [name.encode(errors="surrogateescape") for name in names]
        wanted = np.array([name if len(name) <= width else b"" for name in encoded], self.names.dtype)
        rows = np.minimum(np.searchsorted(self.names, wanted), len(self.names) - 1)
        return np.where(self.names[rows] == wanted, rows, -1)

    def locate(self, parent: str, names: Sequence[str], lookup: _Lookup) -> tuple[Numbers, Offsets]:
        """Return template and offsets of groups; such as are not known yet are located with others beside them."""
        rows = self.find(names)
        is_there = rows >= 0
        which = self.which[rows].astype(np.int64)
        if _UNKNOWN in which:
            with self.lock:
                self._locate_more(rows[is_there], parent, lookup)
            which = self.which[rows].astype(np.int64)
        offsets = self.offsets[rows]
        if not is_there.all():
            which[~is_there], offsets[~is_there] = BY_LIBRARY, -1
        return which, offsets

    def _locate_more(self, rows: Numbers, parent: str, lookup: _Lookup) -> None:
        """Locate groups that are not known yet, and others with them."""
        new = np.unique(rows[self.which[rows] == _UNKNOWN])
        if not len(new):
            return
        is_more = self.which == _UNKNOWN
        is_more[new] = False
        located = np.concatenate([new, np.flatnonzero(is_more)[:_AHEAD]])
        below = f"{parent}/" if parent else ""
        paths = [below + name.decode(errors="surrogateescape") for name in self.names[new].tolist()]
        which, offsets = lookup.fit(self.addresses[located], paths, len(new))
        # What is no sample is asked for again if it is wanted.
        is_found = (which != BY_LIBRARY) | (np.arange(len(located)) < len(new))
        self.offsets[located[is_found]] = offsets[is_found]
        self.which[located[is_found]] = which[is_found]


class _GroupListings:
    """Listings of groups of files, as many as there is memory for; safe for threads."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._found: OrderedDict[tuple[FileIdentity, str, Paths], _GroupListing] = OrderedDict()
        # How many members have been asked for, and how many there are, 0 if that is not known.
        self._counts: dict[tuple[str, str], tuple[int, int]] = {}
        self._nbytes = 0
        self._uses = 0

    def get(self, file: TreeFile, parent: str, paths: Paths, count: int) -> _GroupListing | None:
        """Return the listing of a group, made if enough of its members have been asked for."""
        key = (file.identity, parent, paths)
        with self.lock:
            self._uses += 1
            known = self._found.get(key)
            if known is not None:
                known.last_use = self._uses
                self._found.move_to_end(key)
                return known
            if len(self._counts) > _MOST_COUNTS:
                self._counts.clear()
            asked, n = self._counts.get((file.path, parent), (0, 0))
            asked += count
            if asked >= _FEW and not n:
                n = file.library.n_members(parent)
            self._counts[file.path, parent] = asked, n
            if asked < _FEW or asked * _LOOKUPS < n or not self._make_space(n * (8 * len(paths) + 32)):
                return None
            made = _list(file, parent, len(paths))
            if made is not None:
                made.last_use = self._uses
                self._found[key] = made
                self._nbytes += made.nbytes
            return made

    def _make_space(self, nbytes: int) -> bool:
        """Forget groups that have not been used for long; those in use stay, as all take turns in an epoch."""
        while self._found and self._nbytes + nbytes > _MOST_BYTES:
            oldest = next(iter(self._found))
            if self._uses - self._found[oldest].last_use < _IDLE:
                return False
            self._nbytes -= self._found.pop(oldest).nbytes
        return nbytes <= _MOST_BYTES


_LISTINGS = _GroupListings()
_TEMPLATES: OrderedDict[Paths, list[GroupTemplate]] = OrderedDict()


def _start_anew() -> None:
    """Make new locks in a forked process: a thread of the parent may hold the old ones, and does not exist here."""
    global _LISTINGS  # noqa: PLW0603 - the state of this process
    _LISTINGS = _GroupListings()


os.register_at_fork(after_in_child=_start_anew)


def _templates_for(paths: Paths) -> list[GroupTemplate]:
    with _LISTINGS.lock:
        templates = _TEMPLATES.setdefault(paths, [])
        _TEMPLATES.move_to_end(paths)
        if len(_TEMPLATES) > _MAX_TREES:
            _TEMPLATES.popitem(last=False)
        return templates


def _locate_in(file: TreeFile, parent: str, names: Sequence[str], lookup: _Lookup) -> tuple[Numbers, Offsets]:
    try:
        listing = None if "" in names else _LISTINGS.get(file, parent, lookup.paths, len(names))
    except NotThereError:
        listing = None
    if listing is not None:
        return listing.locate(parent, names, lookup)
    groups = [f"{parent}/{name}" if parent else name for name in names]
    addresses = np.array([_address(file, group) for group in groups], np.int64)
    return lookup.fit(addresses, groups, len(groups))


def _address(file: TreeFile, group: str) -> int:
    if file.root is not None:
        if not group:
            return file.root
        found = find_group(file.read_at, file.root, group)
        if found is not None:
            return found
    try:
        return file.library.address(group)
    except NotThereError:
        return -1


def _list(file: TreeFile, parent: str, n_paths: int) -> _GroupListing | None:
    names, addresses = file.library.addresses(parent)
    if not names or len(names) * max(map(len, names)) > _MOST_BYTES:
        return None
    table = np.array(names)
    order = np.argsort(table)
    return _GroupListing(
        table[order],
        np.array(addresses, np.int64)[order],
        np.full(len(names), _UNKNOWN, np.int8),
        np.full((len(names), n_paths), -1, np.int64),
    )


def _make(file: TreeFile, group: str, address: int, paths: Paths) -> GroupTemplate | None:
    """Make a template of a group; None if it has not all datasets, or its structure is known to the library only."""
    try:
        found = [file.library.description(f"{group}/{path}") for path in paths]
    except (NotThereError, UnknownElementsError, FileFormatError):
        return None
    try:
        template = make_template(
            file.read_at, address, paths, [one.elements for one in found], [one.is_plain for one in found]
        )
    except UnknownStructureInTreeError:
        return None
    fits, offsets = template.locate(file.descriptor, file.identity.size, np.array([address], np.int64))
    # What the library says of this group is the proof that the walk was right.
    proof = [
        one.offset is None or offset in {one.offset, -1} for one, offset in zip(found, offsets[0].tolist(), strict=True)
    ]
    return template if fits[0] and all(proof) else None
