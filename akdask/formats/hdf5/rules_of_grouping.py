"""Rules on Categorical and GroupBy: codes, labels, permutations and segments that count rows of the whole set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from akdask.formats.hdf5.facts import NumberFacts, counted, fingerprint
from akdask.formats.hdf5.metadata import Dataset, FileMetadata, Group, Node
from akdask.formats.hdf5.validation import Finding, SetContext, Severity, rule, total_rows
from akdask.storage.objects import CATEGORIES, CODES, NA_CODES, PERMUTATION, SEGMENTS, ObjType

Parts = Sequence[tuple[FileMetadata, Group]]
"""One object: its groups in all files."""

_WRONG_GROUPING = "v2023.05.05"
"""This release wrote the codes of a Categorical as both permutation and segments; readers ignore them."""

_KEY_KINDS = {ObjType.PDARRAY, ObjType.STRINGS, ObjType.CATEGORICAL}


@rule("categorical.members", Severity.ERROR)
def members(context: SetContext) -> Iterator[Finding]:
    """A Categorical has codes and NA_Codes, datasets of 8-byte integers, and categories, a group of Strings."""
    for _, placed in context.groups(ObjType.CATEGORICAL):
        for file, group in placed:
            for name in (CODES, NA_CODES):
                found = group.dataset(name)
                if found is not None and (found.type.family, found.type.size) != ("integer", 8):
                    yield file.path, found.path, f"holds {found.type}"
            found_labels = group.group(CATEGORIES)
            if found_labels is None or found_labels.kind != ObjType.STRINGS:
                yield file.path, group.path, f"has no {CATEGORIES} that are Strings"


@rule("categorical.codes", Severity.ERROR)
def codes(context: SetContext) -> Iterator[Finding]:
    """Codes are positions of categories, from 0 to their number, in all files together; -1 is none."""
    for path, placed in context.groups(ObjType.CATEGORICAL):
        labels = _rows(context, placed, CATEGORIES)
        for file, facts in _facts(context, placed, CODES):
            if labels is not None and (facts.minimum < 0 or facts.maximum >= labels):
                yield file.path, path, f"codes from {facts.minimum} to {facts.maximum}, {labels} categories"


@rule("categorical.na-code", Severity.ERROR)
def na_code(context: SetContext) -> Iterator[Finding]:
    """NA_Codes has one entry in all files together, the position of the category of missing values."""
    for path, placed in context.groups(ObjType.CATEGORICAL):
        labels, count = _rows(context, placed, CATEGORIES), _rows(context, placed, NA_CODES)
        if count not in {None, 1}:
            yield placed[0][0].path, path, f"NA_Codes has {count} entries"
        for file, facts in _facts(context, placed, NA_CODES):
            if labels is not None and not 0 <= facts.minimum <= facts.maximum < labels:
                yield file.path, path, f"NA_Codes is {facts.minimum}, {labels} categories"


@rule("categorical.shares", Severity.ERROR)
def shares(context: SetContext) -> Iterator[Finding]:
    """Each file has its share of the categories; repeated in every file they give wrong labels."""
    for path, placed in context.groups(ObjType.CATEGORICAL):
        known = set()
        for file, group in placed:
            labels = group.group(CATEGORIES)
            facts = None if labels is None else context.strings(file, labels)
            if facts is not None and facts.nuls:
                if (facts.nuls, facts.checksum) in known:
                    yield file.path, path, "has the same categories as a file before"
                known.add((facts.nuls, facts.checksum))


@rule("grouping.parts", Severity.ERROR)
def parts(context: SetContext) -> Iterator[Finding]:
    """Permutation and segments are there together; of a Categorical both may be absent."""
    for path, placed in _grouped(context):
        has = [any(name in group.members for _, group in placed) for name in (PERMUTATION, SEGMENTS)]
        if has[0] != has[1]:
            there, absent = (PERMUTATION, SEGMENTS) if has[0] else (SEGMENTS, PERMUTATION)
            yield placed[0][0].path, path, f"has {there}, and no {absent}"


@rule("grouping.permutation", Severity.ERROR)
def permutation(context: SetContext) -> Iterator[Finding]:
    """The permutation has every row number of the set once."""
    for path, placed in _grouped(context):
        found = [(file, node) for file, group in placed if (node := group.dataset(PERMUTATION)) is not None]
        rows = sum(node.nrows for _, node in found)
        if not context.is_complete:
            continue
        prints = [context.fingerprint(file, node) for file, node in found if node.type.family == "integer"]
        known = [value for value in prints if value is not None]
        if found and len(known) == len(found) and sum(known) % 2**64 != fingerprint(counted(rows)):
            yield found[0][0].path, path, f"is no permutation of {rows} rows"


@rule("grouping.rows", Severity.ERROR)
def rows(context: SetContext) -> Iterator[Finding]:
    """The permutation is as long as the codes of a Categorical, or as each key of a GroupBy."""
    for path, placed in _grouped(context):
        expected = _rows(context, placed, PERMUTATION)
        if not any(PERMUTATION in group.members for _, group in placed) or expected is None:
            continue
        for name in [CODES, *_keys(placed)] if placed[0][1].kind == ObjType.CATEGORICAL else _keys(placed):
            found = _rows(context, placed, name)
            if found is not None and found != expected:
                yield placed[0][0].path, f"{path}/{name}", f"has {found} rows, the permutation {expected}"


@rule("grouping.segments", Severity.ERROR)
def segments(context: SetContext) -> Iterator[Finding]:
    """Segments of groups count rows of the whole set: from 0 on, never less than before, below the number of rows."""
    for path, placed in _grouped(context):
        size, before = _rows(context, placed, PERMUTATION), None
        for file, facts in _facts(context, placed, SEGMENTS):
            if before is None and facts.first != 0 and context.is_complete:
                yield file.path, path, f"the first segment is {facts.first}"
            if facts.fall is not None or (before is not None and facts.first < before):
                yield file.path, path, f"segment {facts.fall or 0} of the file is smaller than the one before"
            if size is not None and facts.maximum >= size:
                yield file.path, path, f"segments reach {facts.maximum}, there are {size} rows"
            before = facts.last


@rule("groupby.keys", Severity.ERROR)
def keys(context: SetContext) -> Iterator[Finding]:
    """NumKeys is the number of keys, which are KEY_0, KEY_1 and so on."""
    for path, placed in context.groups(ObjType.GROUPBY):
        for file, group in placed:
            stored, found = group.attributes.get("NumKeys"), list(group.numbered("KEY_"))
            if stored is None or found != list(range(len(found))) or stored.value != len(found) or not found:
                told = "no NumKeys" if stored is None else f"NumKeys={stored.value}"
                yield file.path, path, f"has {told}, and keys {', '.join(f'KEY_{n}' for n in found) or 'none'}"


@rule("groupby.key-kinds", Severity.ERROR)
def key_kinds(context: SetContext) -> Iterator[Finding]:
    """Keys are pdarrays, Strings or Categoricals; servers refuse others."""
    for _, placed in context.groups(ObjType.GROUPBY):
        for file, group in placed:
            for node in group.numbered("KEY_").values():
                kind = getattr(node, "kind", None)
                if kind not in _KEY_KINDS:
                    yield file.path, node.path, f"is {'of no known kind' if kind is None else kind.label}"


@rule("groupby.unique-keys", Severity.ERROR)
def unique_keys(context: SetContext) -> Iterator[Finding]:
    """There is one unique_key_idx for each segment, a row of the set."""
    for path, placed in context.groups(ObjType.GROUPBY):
        size = _rows(context, placed, PERMUTATION)
        groups, found = (_rows(context, placed, name) for name in (SEGMENTS, "unique_key_idx"))
        if None not in {found, groups} and found != groups:
            yield placed[0][0].path, path, f"{found} entries of unique_key_idx, {groups} segments"
        for file, facts in _facts(context, placed, "unique_key_idx"):
            if size is not None and not 0 <= facts.minimum <= facts.maximum < size:
                yield file.path, path, f"unique_key_idx from {facts.minimum} to {facts.maximum}, {size} rows"


@rule("groupby.float-keys", Severity.WARNING)
def float_keys(context: SetContext) -> Iterator[Finding]:
    """Of several keys none is float64; clients of releases since v2023.10.06 cannot load them."""
    for _, placed in context.groups(ObjType.GROUPBY):
        file, group = placed[0]
        found = group.numbered("KEY_").values()
        floats = [node for node in found if isinstance(node, Dataset) and node.type.family == "float"]
        if floats and len(found) > 1:
            yield file.path, floats[0].path, "is float64, one of several keys"


def _grouped(context: SetContext) -> Iterator[tuple[str, Parts]]:
    for path, placed in context.groups(ObjType.CATEGORICAL, ObjType.GROUPBY):
        version = placed[0][1].attributes.get("arkouda_version")
        is_wrong = placed[0][1].kind == ObjType.CATEGORICAL and version and version.value == _WRONG_GROUPING
        if not is_wrong:
            yield path, placed


def _keys(placed: Parts) -> list[str]:
    return [f"KEY_{number}" for number in placed[0][1].numbered("KEY_")]


def _rows(context: SetContext, placed: Parts, member: str) -> int | None:
    found: list[tuple[FileMetadata, Node | None]] = [(file, group.members.get(member)) for file, group in placed]
    return total_rows(context, found)


def _facts(context: SetContext, placed: Parts, member: str) -> Iterator[tuple[FileMetadata, NumberFacts]]:
    """Yield the facts of a member of integers for each file that has some."""
    for file, group in placed:
        facts = context.numbers(file, group.dataset(member))
        if facts is not None:
            yield file, facts
