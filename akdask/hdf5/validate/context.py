"""A set of files as rules see it: metadata of all files, objects by path, and facts of data, each found once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from akdask.errors import FileFormatError
from akdask.hdf5.metadata.file_metadata import (
    DatasetMetadata,
    FileMetadata,
    Group,
    Node,
    read_file_metadata,
    rows_of,
    walk,
)
from akdask.hdf5.metadata.inspect import open_file
from akdask.hdf5.validate.facts import (
    NumberFacts,
    OpenFile,
    StringFacts,
    blocks,
    fingerprint,
    number_facts,
    string_facts,
)
from akdask.storage.formats.objects import SEGMENTS, VALUES, ObjType
from akdask.storage.paths.files import exists
from akdask.storage.paths.locales import missing_locales

T = TypeVar("T")

Placed = tuple[FileMetadata, Node]
"""A node, and the file that it is in."""


class SetContext:
    """Files that belong together.

    Parameters
    ----------
    paths : sequence of str
        The files, in order.
    read_data : bool
        False to look at metadata only: what needs data is then unknown.
    """

    def __init__(self, paths: Sequence[str], *, read_data: bool) -> None:
        self.files = tuple(read_file_metadata(path) for path in paths)
        self.read_data = read_data
        self.damage: dict[tuple[str, str], str] = {}
        self._facts: dict[tuple[object, ...], Any] = {}

    @property
    def readable(self) -> list[FileMetadata]:
        """Files that could be opened."""
        return [file for file in self.files if file.problem is None]

    @cached_property
    def is_complete(self) -> bool:
        """Whether all files are there and readable, so that shares can be added up."""
        missing = (path for path in missing_locales(file.path for file in self.files) if not exists(path))
        return len(self.readable) == len(self.files) and next(missing, None) is None

    @cached_property
    def objects(self) -> dict[str, list[Placed]]:
        """Root objects of all files by name."""
        found: dict[str, list[Placed]] = {}
        for file in self.readable:
            for name, node in file.objects.items():
                found.setdefault(name, []).append((file, node))
        return found

    @cached_property
    def by_path(self) -> dict[str, list[Placed]]:
        """All nodes of all files, and those below them, by path."""
        found: dict[str, list[Placed]] = {}
        for file in self.readable:
            for root in file.objects.values():
                for node in walk(root):
                    found.setdefault(node.path, []).append((file, node))
        return found

    def datasets(self) -> Iterator[tuple[FileMetadata, DatasetMetadata]]:
        """Yield all datasets."""
        for placed in self.by_path.values():
            yield from ((file, node) for file, node in placed if isinstance(node, DatasetMetadata))

    def groups(self, *kinds: ObjType) -> Iterator[tuple[str, list[tuple[FileMetadata, Group]]]]:
        """Yield path and groups of objects of some kinds, wherever they are."""
        for path, placed in self.by_path.items():
            found = [(file, node) for file, node in placed if isinstance(node, Group) and node.kind in kinds]
            if found:
                yield path, found

    def numbers(self, file: FileMetadata, node: DatasetMetadata | None) -> NumberFacts | None:
        """Return the facts of integers; None if there are none, or they cannot be known."""
        if node is None or node.type.family != "integer" or not _is_flat(node):
            return None
        return self._found(number_facts, file, node, lambda opened: number_facts(blocks(opened, node)))

    def fingerprint(self, file: FileMetadata, node: DatasetMetadata) -> int | None:
        """Return what identifies a collection of integers whatever their order."""
        return self._found(fingerprint, file, node, lambda opened: fingerprint(blocks(opened, node)))

    def strings(self, file: FileMetadata, group: Group) -> StringFacts | None:
        """Return the facts of the bytes of Strings; None if they cannot be known."""
        values, segments = group.dataset(VALUES), group.dataset(SEGMENTS)
        if values is None or values.type.family != "integer" or values.type.size != 1 or not _is_flat(values):
            return None
        usable = segments if segments and segments.type.family == "integer" and _is_flat(segments) else None
        return self._found(string_facts, file, values, lambda opened: string_facts(opened, values, usable))

    def rows(self, file: FileMetadata, node: Node) -> int | None:
        """Return the rows of an object in one file; reads Strings without segments to count them."""
        if isinstance(node, Group) and node.kind == ObjType.STRINGS and SEGMENTS not in node.members:
            facts = self.strings(file, node)
            return None if facts is None else facts.nuls
        return rows_of(node)

    def read_through(self, file: FileMetadata, node: DatasetMetadata) -> None:
        """Read a dataset to see whether that can be done."""
        self._found(blocks, file, node, lambda opened: sum(len(block) for block in blocks(opened, node)))

    def _found(
        self, what: object, file: FileMetadata, node: DatasetMetadata, find: Callable[[OpenFile], T]
    ) -> T | None:
        # That data is in other files is a violation of its own.
        if not self.read_data or node.is_outside:
            return None
        key = (what, file.path, node.path)
        if key not in self._facts:
            self._facts[key] = None
            try:
                with open_file(file.path) as opened:
                    self._facts[key] = find(OpenFile(file.path, opened))
            except FileFormatError as error:
                self.damage[file.path, node.path] = "; ".join(error.details) or error.message
        found: T | None = self._facts[key]
        return found


def total_rows(context: SetContext, placed: Sequence[tuple[FileMetadata, Node | None]]) -> int | None:
    """Return the rows of all shares of an object; None if some are unknown.  A share that is not there has none."""
    if not context.is_complete:
        return None
    rows = [0 if node is None else context.rows(file, node) for file, node in placed]
    return None if None in rows else sum(row for row in rows if row is not None)


def _is_flat(node: DatasetMetadata) -> bool:
    return node.shape is not None and len(node.shape) == 1
