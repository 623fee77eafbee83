"""The model of validation: metadata and facts of a set's files, rules, and the releases that can read them.

Facts about data are found in one pass, block by block: memory does not grow with the data.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from akdask.errors import FileFormatError
from akdask.formats.hdf5.chunks import ChunkReader, ChunkStore, index_of
from akdask.formats.hdf5.layout import METADATA_GROUP, OLD_BOOLEANS
from akdask.formats.hdf5.library import open_file
from akdask.formats.hdf5.metadata import (
    MAX_COMPRESSION_RATIO,
    FileMetadata,
    Node,
    NotFlatError,
    StoredDataset,
    StoredGroup,
    read_file_metadata,
    rows_of,
    walk,
)
from akdask.operators.values.random import STEP, mix_bits
from akdask.records import record
from akdask.storage.files import exists, identify, is_remote
from akdask.storage.locales import missing_locales
from akdask.storage.objects import SEGMENTS, VALUES, ObjType
from akdask.storage.ranges import range_reader
from akdask.storage.tuning import BLOCK_BYTES
from akdask.typing import NumberArray

_MAX_FILL_BYTES = 2**30  # bytes that are scanned even if they are not stored in the file


@record
class NumberFacts:
    """Of integers: how many, the first, last, smallest and largest, and the first row that is below the one before."""

    count: int
    first: int
    last: int
    minimum: int
    maximum: int
    fall: int | None = None


@record
class StringFacts:
    """Of bytes that should be strings.

    Parameters
    ----------
    nuls : int
        How many strings they are.
    is_terminated : bool
        Whether the last byte is NUL.
    astray : int or None
        The first row whose segment differs from the start that the NULs give.
    not_utf8 : str or None
        The error of the first byte that is not UTF-8, and its position.
    checksum : int
        Equal for equal bytes.
    """

    nuls: int = 0
    is_terminated: bool = True
    astray: int | None = None
    not_utf8: str | None = None
    checksum: int = 0


class OpenFile(NamedTuple):
    """A file that is open in HDF5, possibly under the name of a descriptor."""

    path: str
    hdf5: Any


def blocks(opened: OpenFile, dataset: StoredDataset) -> Iterator[NumberArray]:
    """Yield the elements of a dataset of an open file, along its first dimension."""
    step = max(1, BLOCK_BYTES // max(1, dataset.type.size))
    if dataset.shape is None or len(dataset.shape) != 1:
        node = _checked(opened, dataset)
        yield from (node[start : start + step] for start in range(0, dataset.nrows, step))
        return
    read = _reading(opened, dataset)
    for start in range(0, dataset.nrows, step):
        yield read(start, min(start + step, dataset.nrows))


def _reading(opened: OpenFile, dataset: StoredDataset) -> Callable[[int, int], NumberArray]:
    """Return a reader of row ranges of a one-dimensional dataset."""
    node = _checked(opened, dataset)
    if dataset.storage != "chunked" or is_remote(opened.path) or not _is_numbers(node):
        return lambda start, stop: node[start:stop]
    file = identify(opened.path)
    index = index_of(file, dataset.path, node.id)
    if not index.is_own:
        return lambda start, stop: node[start:stop]
    reader = ChunkReader(index, node.dtype, dataset.path, ChunkStore())

    def read(start: int, stop: int) -> NumberArray:
        out = np.empty(stop - start, node.dtype)
        with range_reader(file) as ranges:
            reader.read_into(ranges, out, start)
        return out

    return read


def _is_numbers(node: Any) -> bool:
    """Whether NumPy can compute with the stored elements; text of variable length is stored elsewhere in the file."""
    try:
        return StoredDataset(node.id, "").is_plain(node.dtype)
    except NotFlatError:
        return False


def _checked(opened: OpenFile, dataset: StoredDataset) -> Any:
    """Open a dataset whose data is in the file; one that was never written may claim any size and is refused."""
    if dataset.is_outside:
        raise FileFormatError(f"dataset {dataset.path!r} keeps its data in other files, and these are not read.")
    node = opened.hdf5[dataset.path.encode(errors="surrogateescape")]
    stored = node.id.get_storage_size()
    if node.shape is not None and node.size * node.dtype.itemsize > _MAX_FILL_BYTES + stored * MAX_COMPRESSION_RATIO:
        raise FileFormatError(
            f"dataset {dataset.path!r} claims {node.size:,} elements, for which {stored:,} bytes are stored."
        )
    return node


def number_facts(blocks: Iterable[NumberArray]) -> NumberFacts | None:
    """Find the facts of integers, None if there are none.

    Examples
    --------
    >>> number_facts([np.array([0, 4]), np.array([3])])
    NumberFacts(count=3, first=0, last=3, minimum=0, maximum=4, fall=2)
    """
    found = None
    for block in blocks:
        new = _facts_of(block)
        found = new if found is None else _joined(found, new)
    return found


def _facts_of(block: NumberArray) -> NumberFacts:
    falls = np.flatnonzero(block[1:] < block[:-1])
    fall = int(falls[0]) + 1 if len(falls) else None
    return NumberFacts(len(block), int(block[0]), int(block[-1]), int(block.min()), int(block.max()), fall)


def _joined(left: NumberFacts, right: NumberFacts) -> NumberFacts:
    fall = left.fall
    if fall is None and right.first < left.last:
        fall = left.count
    elif fall is None and right.fall is not None:
        fall = left.count + right.fall
    return NumberFacts(
        left.count + right.count,
        left.first,
        right.last,
        min(left.minimum, right.minimum),
        max(left.maximum, right.maximum),
        fall,
    )


def fingerprint(blocks: Iterable[NumberArray]) -> int:
    """Return a number that depends on which integers there are, and not on their order.

    Two different collections of integers have the same one with a probability of 2**-64.

    Examples
    --------
    >>> fingerprint([np.array([2, 0]), np.array([1])]) == fingerprint([np.arange(3)])
    True
    """
    total = 0
    for block in blocks:
        total += int(mix_bits(block.astype(np.uint64) + STEP).sum(dtype=np.uint64))
    return total % 2**64


def counted(size: int) -> Iterator[NumberArray]:
    """Yield the integers from 0 to `size`, in blocks."""
    step = BLOCK_BYTES // 8
    for start in range(0, size, step):
        yield np.arange(start, min(start + step, size))


def string_facts(opened: OpenFile, values: StoredDataset, segments: StoredDataset | None) -> StringFacts:
    """Find the facts of strings of an open file, and where the segments, if given, leave them."""
    starts = None if segments is None else _reading(opened, segments)
    count = 0 if segments is None else segments.nrows
    decoder = _Utf8()
    facts = StringFacts()
    position = 0
    for block in blocks(opened, values):
        data = block.view(np.uint8)
        ends = np.flatnonzero(data == 0) + position
        astray = facts.astray
        if starts is not None and astray is None:
            row = min(facts.nuls + 1, count)
            astray = _first_astray(starts(row, min(row + len(ends), count)), row, ends + 1)
        decoder.feed(data, position)
        facts = replace(
            facts,
            nuls=facts.nuls + len(ends),
            is_terminated=not data[-1],
            astray=astray,
            checksum=zlib.crc32(data.data, facts.checksum),
        )
        position += len(data)
    return replace(facts, not_utf8=decoder.problem)


def _first_astray(given: NumberArray, row: int, expected: NumberArray) -> int | None:
    """Compare segments with the starts that NULs give; the last NUL of all starts no string."""
    differs = np.flatnonzero(given != expected[: len(given)])
    return row + int(differs[0]) if len(differs) else None


class _Utf8:
    """Whether bytes that come in blocks are UTF-8."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def feed(self, data: NumberArray, position: int) -> None:
        waiting = len(self._decoder.getstate()[0])
        if self.problem is not None or (not waiting and data.max() < 0x80):
            return
        try:
            self._decoder.decode(data.tobytes())
        except UnicodeDecodeError as error:
            self.problem = f"{error.reason} at byte {position - waiting + error.start}"


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
        False to read metadata only; facts of data are then unknown.
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
        """Whether all files exist and are readable, so that shares can be added up."""
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
        """All nodes of all files, at any depth, by path."""
        found: dict[str, list[Placed]] = {}
        for file in self.readable:
            for root in file.objects.values():
                for node in walk(root):
                    found.setdefault(node.path, []).append((file, node))
        return found

    def datasets(self) -> Iterator[tuple[FileMetadata, StoredDataset]]:
        """Yield all datasets."""
        for placed in self.by_path.values():
            yield from ((file, node) for file, node in placed if isinstance(node, StoredDataset))

    def groups(self, *kinds: ObjType) -> Iterator[tuple[str, list[tuple[FileMetadata, StoredGroup]]]]:
        """Yield path and groups of objects of some kinds, wherever they are."""
        for path, placed in self.by_path.items():
            found = [(file, node) for file, node in placed if isinstance(node, StoredGroup) and node.kind in kinds]
            if found:
                yield path, found

    def numbers(self, file: FileMetadata, node: StoredDataset | None) -> NumberFacts | None:
        """Return the facts of integers; None if the node has none or they are unknown."""
        if node is None or node.type.family != "integer" or not node.is_flat:
            return None
        return self._found(number_facts, file, node, lambda opened: number_facts(blocks(opened, node)))

    def fingerprint(self, file: FileMetadata, node: StoredDataset) -> int | None:
        """Return a fingerprint of a collection of integers that does not depend on their order."""
        return self._found(fingerprint, file, node, lambda opened: fingerprint(blocks(opened, node)))

    def strings(self, file: FileMetadata, group: StoredGroup) -> StringFacts | None:
        """Return the facts of the bytes of Strings; None if unknown."""
        values, segments = group.dataset(VALUES), group.dataset(SEGMENTS)
        if values is None or values.type.family != "integer" or values.type.size != 1 or not values.is_flat:
            return None
        usable = segments if segments and segments.type.family == "integer" and segments.is_flat else None
        return self._found(string_facts, file, values, lambda opened: string_facts(opened, values, usable))

    def rows(self, file: FileMetadata, node: Node) -> int | None:
        """Return the rows of an object in one file, reading Strings without segments to count them."""
        if isinstance(node, StoredGroup) and node.kind == ObjType.STRINGS and SEGMENTS not in node.members:
            facts = self.strings(file, node)
            return None if facts is None else facts.nuls
        return rows_of(node)

    def read_through(self, file: FileMetadata, node: StoredDataset) -> None:
        """Read a dataset to see whether that can be done."""
        self._found(blocks, file, node, lambda opened: sum(len(block) for block in blocks(opened, node)))

    def _found(self, what: object, file: FileMetadata, node: StoredDataset, find: Callable[[OpenFile], T]) -> T | None:
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
    """Return the rows of all shares of an object; None if some are unknown.  A missing share has no rows."""
    if not context.is_complete:
        return None
    rows = [0 if node is None else context.rows(file, node) for file, node in placed]
    return None if None in rows else sum(row for row in rows if row is not None)


class Severity(StrEnum):
    """How bad a violation is."""

    ERROR = "error"
    """Servers refuse the object, or give wrong values."""
    WARNING = "warning"
    """Some releases or some functions do."""
    NOTE = "note"
    """No server does, but servers write it otherwise."""


Finding: TypeAlias = tuple[str, str, str]
"""File, object (empty for the file as such) and finding."""

Check: TypeAlias = Callable[[SetContext], Iterator[Finding]]


@record
class Rule:
    """A rule.

    Parameters
    ----------
    id : str
        Stable name: ``strings.terminated``.
    severity : Severity
        Of its violations.
    sentence : str
        The property of valid files.
    check : callable
        Yields the violations of a set.
    """

    id: str
    severity: Severity
    sentence: str
    check: Check


def rule(identifier: str, severity: Severity) -> Callable[[Check], Rule]:
    """Make a rule of a function that checks it; the first line of its docstring is the rule's sentence."""

    def made(check: Check) -> Rule:
        return Rule(identifier, severity, (check.__doc__ or "").partition("\n")[0], check)

    return made


@record
class Span:
    """Releases that support a form of storage: the first and the last, None where unbounded."""

    form: str
    oldest: str | None = None
    newest: str | None = None


@record
class Reach:
    """Releases that can read every object of a set.

    Parameters
    ----------
    oldest, newest : str or None
        The first and the last of them, None where there is no bound.
    reasons : tuple of str
        Reasons of the bounds, and remarks on releases within them.
    """

    oldest: str | None
    newest: str | None
    reasons: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no release reads all objects, because some came after others had gone."""
        return self.oldest is not None and self.newest is not None and self.oldest > self.newest

    def __str__(self) -> str:
        if self.is_empty:
            return f"no release reads all of it: some needs {self.oldest} or later, some {self.newest} or earlier"
        match self.oldest, self.newest:
            case None, None:
                return "all releases"
            case oldest, None:
                return f"{oldest} and later"
            case None, newest:
                return f"up to {newest}"
            case oldest, newest:
                return f"{oldest} to {newest}"


_SPANS = {
    ObjType.SEGARRAY: Span("SegArray", "v2023.03.01"),
    ObjType.CATEGORICAL: Span("Categorical", "v2023.05.05"),
    ObjType.GROUPBY: Span("GroupBy", "v2023.06.16"),
    ObjType.DATAFRAME: Span("DataFrame", "v2023.09.06"),
    ObjType.DATETIME: Span("Datetime", "v2023.09.06"),
    ObjType.TIMEDELTA: Span("Timedelta", "v2023.09.06"),
    ObjType.IPV4: Span("IPv4", "v2023.09.06"),
    ObjType.INDEX: Span("Index", "v2023.10.06"),
    ObjType.MULTIINDEX: Span("MultiIndex", "v2023.10.06"),
    ObjType.ARRAYVIEW: Span("ArrayView", "v2022.11.10", "v2024.06.21"),
}
_OLD_ARRAYVIEW = Span("ArrayView of the old form", "v2022.07.28", "v2022.10.13")
_OLD_BOOL = Span("bool of the old form", "v2020.10", "v2022.10.13")
_BOOL = Span("bool (integers before)", "v2022.11.10")
_BIGINT = Span("bigint", "v2023.06.16")
_NESTED = Span("SegArray of Strings or bigint", "v2023.06.16")
_NESTED_EMPTY = Span("SegArray of Strings with files without rows", "v2023.09.06")
_EMPTY_INSIDE = Span("SegArray with a file without rows before others", "v2023.03.24")
_NO_SEGMENTS = Span("Strings without segments, with calc_string_offsets=True", "v2021.08.20")


def reach_of(context: SetContext) -> Reach:
    """Return the releases that can read the set, provided that it has no violations.

    Sources: the kinds in ``ServerConfig.chpl`` and ``HDF5Msg.chpl`` at each of Arkouda's release tags.
    """
    spans = {(span, name) for name, placed in context.objects.items() for span in _spans_of(placed)}
    ordered = sorted(spans, key=lambda pair: (pair[0].oldest or "", pair[0].newest or "", pair[1]))
    oldest = max((span.oldest for span, _ in spans if span.oldest), default=None)
    newest = min((span.newest for span, _ in spans if span.newest), default=None)
    remarks = _remarks(context, oldest or "", newest or "v9999")
    return Reach(oldest, newest, (*(_words_of(span, name) for span, name in ordered), *remarks))


def _words_of(span: Span, name: str) -> str:
    since = f"since {span.oldest}" if span.oldest else ""
    until = f"until {span.newest}" if span.newest else ""
    return f"{name}: {span.form} {' '.join(filter(None, (since, until)))}"


def _spans_of(placed: list[Placed]) -> Iterator[Span]:
    """Yield the releases that an object needs, judged by its shares in all files."""
    for _, node in placed:
        if isinstance(node, (StoredGroup, StoredDataset)):
            yield from _spans_of_node(node)
    groups = [node for _, node in placed if isinstance(node, StoredGroup) and node.kind == ObjType.SEGARRAY]
    rows = [rows_of(group) for group in groups]
    if 0 in rows and any(rows[rows.index(0) :]):
        yield _EMPTY_INSIDE
    if 0 in rows and any(_has_strings(group) for group in groups):
        yield _NESTED_EMPTY


def _spans_of_node(node: StoredGroup | StoredDataset) -> Iterator[Span]:
    attribute = node.attributes.get("ObjType")
    if attribute is not None and attribute.value == ObjType.ARRAYVIEW.label:
        yield _OLD_ARRAYVIEW
    elif attribute is not None and node.kind in _SPANS:
        yield _SPANS[node.kind]
    if isinstance(node, StoredDataset):
        marked = node.attributes.get("isBool")
        if marked is not None and marked.value == 1:
            yield _BOOL
        return
    match node.kind:
        case ObjType.PDARRAY:
            yield _OLD_BOOL if OLD_BOOLEANS in node.members else _BIGINT
        case ObjType.STRINGS if SEGMENTS not in node.members:
            yield _NO_SEGMENTS
        case ObjType.SEGARRAY if isinstance(node.members.get(VALUES), StoredGroup):
            yield _NESTED
        case ObjType.DATAFRAME | ObjType.INDEX | ObjType.MULTIINDEX | ObjType.GROUPBY:
            columns = (member for member in node.members.values() if isinstance(member, (StoredGroup, StoredDataset)))
            yield from (span for column in columns for span in _spans_of_node(column))


def _has_strings(group: StoredGroup) -> bool:
    inner = group.group(VALUES)
    return inner is not None and inner.kind == ObjType.STRINGS


def _remarks(context: SetContext, oldest: str, newest: str) -> Iterator[str]:
    """Yield remarks on single releases inside the bounds."""
    if newest >= "v2022.11.10" and any(METADATA_GROUP in file.root.members for file in context.readable):
        yield f"load_all of releases since v2022.11.10 fails on the group {METADATA_GROUP}; read by name"
    bare = [name for name, placed in context.objects.items() if any(_is_bare(node) for _, node in placed)]
    if bare and oldest <= "v2022.11.10" <= newest:
        yield f"{', '.join(bare[:5])}{' …' if len(bare) > 5 else ''}: without ObjType, which v2022.11.10 refuses"
    nodes = (node for name in bare for _, node in context.objects[name])
    if oldest <= "v2022.12.09" <= newest and any(isinstance(node, StoredGroup) for node in nodes):
        yield "v2022.12.09 takes Strings without ObjType for pdarrays"


def _is_bare(node: Node) -> bool:
    return isinstance(node, (StoredGroup, StoredDataset)) and "ObjType" not in node.attributes
