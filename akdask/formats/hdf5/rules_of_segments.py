"""Rules on Strings and SegArray: values end to end, and where each element starts, counted within its file."""

from __future__ import annotations

from collections.abc import Iterator

from akdask.formats.hdf5.facts import NumberFacts, StringFacts
from akdask.formats.hdf5.metadata import Dataset, FileMetadata, Group
from akdask.formats.hdf5.validation import Finding, SetContext, Severity, rule
from akdask.storage.objects import SEGMENTS, VALUES, ObjType


@rule("strings.values", Severity.ERROR)
def values(context: SetContext) -> Iterator[Finding]:
    """The values of Strings are unsigned bytes."""
    for _, placed in context.groups(ObjType.STRINGS):
        for file, group in placed:
            found = group.members.get(VALUES)
            if found is not None and not (isinstance(found, Dataset) and str(found.type) == "uint8"):
                yield file.path, found.path, f"is {found.type if isinstance(found, Dataset) else 'no dataset'}"


@rule("strings.segments", Severity.WARNING)
def has_segments(context: SetContext) -> Iterator[Finding]:
    """Strings have segments; without, servers want calc_string_offsets=True."""
    for _, placed in context.groups(ObjType.STRINGS):
        for file, group in placed:
            if SEGMENTS not in group.members and VALUES in group.members:
                yield file.path, group.path, "has no segments"


@rule("strings.terminated", Severity.ERROR)
def terminated(context: SetContext) -> Iterator[Finding]:
    """Every string ends in a NUL byte, the last of a file too."""
    for file, group, facts in _strings(context):
        if not facts.is_terminated:
            yield file.path, group.path, "the last byte is not NUL"


@rule("strings.count", Severity.ERROR)
def count(context: SetContext) -> Iterator[Finding]:
    """There are as many NUL bytes as segments; a string cannot contain one."""
    for file, group, facts in _strings(context):
        segments = group.dataset(SEGMENTS)
        if segments is not None and facts.is_terminated and facts.nuls != segments.nrows:
            yield file.path, group.path, f"{facts.nuls} NUL bytes, {segments.nrows} segments"


@rule("strings.agree", Severity.ERROR)
def agree(context: SetContext) -> Iterator[Finding]:
    """Segments are where the NUL bytes say that strings start; servers use now the ones, now the others."""
    for file, group, facts in _strings(context):
        segments = group.dataset(SEGMENTS)
        complete = segments is not None and facts.is_terminated and facts.nuls == segments.nrows
        if complete and facts.astray is not None and _in_order(context, file, group):
            yield file.path, group.path, f"segment {facts.astray} does not follow a NUL byte"


@rule("strings.utf8", Severity.WARNING)
def utf8(context: SetContext) -> Iterator[Finding]:
    """Strings are UTF-8; clients cannot show others."""
    for file, group, facts in _strings(context):
        if facts.not_utf8 is not None:
            yield file.path, group.path, facts.not_utf8


@rule("segments.integers", Severity.ERROR)
def integers(context: SetContext) -> Iterator[Finding]:
    """Segments are a dataset of 8-byte integers."""
    for _, placed in context.groups(ObjType.STRINGS, ObjType.SEGARRAY, ObjType.CATEGORICAL, ObjType.GROUPBY):
        for file, group in placed:
            found = group.members.get(SEGMENTS)
            if found is None:
                continue
            if not isinstance(found, Dataset) or (found.type.family, found.type.size) != ("integer", 8):
                yield file.path, found.path, f"is {found.type if isinstance(found, Dataset) else 'no dataset'}"


@rule("segments.start", Severity.ERROR)
def start(context: SetContext) -> Iterator[Finding]:
    """The first segment of each file is 0: Strings and SegArray count from the first value in their file."""
    for file, group, facts, _ in _segments(context):
        if facts.first != 0:
            yield file.path, group.path, f"the first segment is {facts.first}"


@rule("segments.order", Severity.ERROR)
def order(context: SetContext) -> Iterator[Finding]:
    """Segments never decrease."""
    for file, group, facts, _ in _segments(context):
        if facts.fall is not None:
            yield file.path, group.path, f"segment {facts.fall} is smaller than the one before"


@rule("segments.inside", Severity.ERROR)
def inside(context: SetContext) -> Iterator[Finding]:
    """No segment starts before the first value or after the last."""
    for file, group, facts, size in _segments(context):
        if size is not None and (facts.minimum < 0 or facts.maximum > size):
            yield file.path, group.path, f"segments from {facts.minimum} to {facts.maximum} of {size} values"


@rule("segarray.values", Severity.ERROR)
def segarray_values(context: SetContext) -> Iterator[Finding]:
    """The values of a SegArray without segments are none: each belongs to a segment."""
    for _, placed in context.groups(ObjType.SEGARRAY):
        for file, group in placed:
            segments = group.dataset(SEGMENTS)
            size = _size_of_values(context, file, group)
            if segments is not None and not segments.nrows and size:
                yield file.path, group.path, f"has {size} values and no segments"


@rule("segarray.limbs", Severity.ERROR)
def limbs(context: SetContext) -> Iterator[Finding]:
    """A SegArray of bigint has the same NumLimbs in every file; servers take that of the first for all."""
    for path, placed in context.groups(ObjType.SEGARRAY):
        known: dict[int, str] = {}
        for file, group in placed:
            inner = group.group(VALUES)
            stored = None if inner is None else inner.attributes.get("NumLimbs")
            if stored is not None and stored.value not in known:
                known[stored.value] = file.path
        if len(known) > 1:
            yield list(known.values())[1], path, f"NumLimbs is {' and '.join(map(str, known))}"


@rule("segarray.bool", Severity.WARNING)
def segarray_bool(context: SetContext) -> Iterator[Finding]:
    """The first file of a SegArray of bool has isBool=1 on its values; else servers give integers."""
    for _, placed in context.groups(ObjType.SEGARRAY):
        file, group = placed[0]
        first = group.dataset(VALUES)
        flags = [node.attributes.get("isBool") for node in (group, first) if node is not None]
        if first is not None and [None if flag is None else flag.value for flag in flags] == [1, None]:
            yield file.path, first.path, "has no isBool, the group has"


@rule("segarray.nested", Severity.WARNING)
def nested(context: SetContext) -> Iterator[Finding]:
    """A SegArray of Strings or bigint keeps its structure in files without values; else servers misjudge its type."""
    for _, placed in context.groups(ObjType.SEGARRAY):
        inner = [group.members.get(VALUES) for _, group in placed]
        if any(isinstance(node, Group) for node in inner):
            (file, _), first = placed[0], inner[0]
            if isinstance(first, Dataset) and not first.nrows:
                yield file.path, first.path, "is an empty dataset in the first file, a group in others"


def _strings(context: SetContext) -> Iterator[tuple[FileMetadata, Group, StringFacts]]:
    for _, placed in context.groups(ObjType.STRINGS):
        for file, group in placed:
            facts = context.strings(file, group)
            if facts is not None:
                yield file, group, facts


def _segments(context: SetContext) -> Iterator[tuple[FileMetadata, Group, NumberFacts, int | None]]:
    """Yield files and groups that have segments, with the facts of these and the number of values."""
    for _, placed in context.groups(ObjType.STRINGS, ObjType.SEGARRAY):
        for file, group in placed:
            facts = context.numbers(file, group.dataset(SEGMENTS))
            if facts is not None:
                yield file, group, facts, _size_of_values(context, file, group)


def _size_of_values(context: SetContext, file: FileMetadata, group: Group) -> int | None:
    found = group.members.get(VALUES)
    return None if found is None else context.rows(file, found)


def _in_order(context: SetContext, file: FileMetadata, group: Group) -> bool:
    """Whether segments follow the rules whose findings are more exact."""
    facts, size = context.numbers(file, group.dataset(SEGMENTS)), _size_of_values(context, file, group)
    if facts is None or size is None:
        return False
    return facts.first == 0 and facts.fall is None and facts.minimum >= 0 and facts.maximum <= size
