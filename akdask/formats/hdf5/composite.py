"""Objects that consist of others: Categorical, DataFrame, GroupBy, Index and MultiIndex.

- A Categorical has codes for each row, and the labels that the codes index.
- A DataFrame, as snapshots hold it, has one object for each column, and the labels of the rows as ``Index``.  Servers
  store no order of columns, so akdask adds a private attribute; without it columns come in the byte order of names.
- A GroupBy has the keys, and the permutation and segments that bring equal keys together.  Parts have positions in all
  rows, so joining files does not change them.
- An Index has one object for each level, ``IDX_0``, ``IDX_1`` and so on.  In files of servers in single-file mode,
  numeric levels have no attributes; their types are inferred.

No part is repeated in every file.  Each is cut on its own, so labels are complete only when all files are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from akdask.columns.dtypes import INT64
from akdask.columns.table import slice_rows
from akdask.formats.hdf5 import layout, pdarray, strings
from akdask.formats.hdf5.description import ColumnSchema, Described, ObjectSchema, Slot
from akdask.formats.hdf5.metadata import NotFlatError, StoredDataset, StoredGroup, StoredNode, group_of
from akdask.storage.objects import (
    CATEGORIES,
    CODES,
    KEY,
    LEVEL,
    NA_CODES,
    PERMUTATION,
    ROW_LABELS,
    SEGMENTS,
    UNIQUE_KEY_IDX,
    Columns,
    ObjectSpec,
    ObjType,
)
from akdask.typing import Column

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import Attributes, NewObject, Share

Found: TypeAlias = tuple[ColumnSchema, tuple[Slot, ...]]
"""A column of an object, and where its datasets are."""

INNER_KINDS = (ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4)
"""Kinds that servers do not take as levels or keys, where they are written as the numbers that they are."""


COLUMN_KINDS = (ObjType.PDARRAY, ObjType.STRINGS, ObjType.SEGARRAY, ObjType.CATEGORICAL, *INNER_KINDS)
"""Kinds of members.  Others would be no columns, and might hold themselves."""


OPTIONAL = (PERMUTATION, SEGMENTS)
"""Members of a Categorical that group the rows by their codes."""

_WRONG_GROUPING = "v2023.05.05"
"""This release wrote the codes as both `permutation` and `segments`."""

PARTS = (SEGMENTS, PERMUTATION, UNIQUE_KEY_IDX)
"""Members of a GroupBy beside the keys."""


def _describe_member(group: StoredGroup, encoded: bytes) -> Described:
    """Describe a member that must be a readable object.

    Raises
    ------
    NotFlatError
        If it is none.
    """
    from akdask.formats.hdf5.codecs import describe_object  # whose table has the functions of this module

    found = describe_object(group, encoded, COLUMN_KINDS)
    name = group.path_of(encoded)
    if found is None:
        raise NotFlatError(f"has a member {name!r} that is neither group nor dataset")
    if found.schema.problem is not None:
        raise NotFlatError(f"has a member {name!r} that {found.schema.problem.text}")
    node = group.open(encoded)
    inner = node.integer(layout.INNER_KIND) if isinstance(node, StoredNode) else None
    if found.schema.kind != ObjType.PDARRAY or inner not in INNER_KINDS:
        return found
    return replace(found, schema=replace(found.schema, kind=ObjType(inner)))


def _describe_numbered(group: StoredGroup, prefix: str) -> dict[str, Described]:
    """Describe the members ``KEY_0``, ``KEY_1`` and so on, in the order of their numbers.

    Raises
    ------
    NotFlatError
        If there are none, or one of them cannot be read.
    """
    wanted = re.compile(re.escape(prefix.encode()) + rb"(\d+)", re.IGNORECASE)
    found = {int(match[1]): match[0] for match in map(wanted.fullmatch, group.names) if match}
    if not found:
        raise NotFlatError(f"has no member {prefix}0")
    return {f"{prefix}{number}": _describe_member(group, found[number]) for number in sorted(found)}


def _describe_integers(group: StoredGroup, member: str) -> Found:
    """Describe a member that must be a dataset of integers.

    Raises
    ------
    NotFlatError
        If it is missing, or is none.
    """
    dataset, slot = group.describe(group.find(member), member)
    if dataset.dtype[1] not in "iu":
        raise NotFlatError(f"holds {dataset.dtype} as {member}, not integers")
    # Judged like any dataset: its type may be an unsigned number where a signed one is needed.
    dtype = layout.column_type_of(dataset.dtype) or INT64
    return ColumnSchema(f"{group.path}/{member}", dtype, (dataset,)), (slot,)


def _describe_group(
    name: str,
    kind: ObjType,
    columns: Mapping[str, Found],
    children: Mapping[str, Described] | None = None,
    count: int | None = None,
) -> Described:
    """Return the description of an object that consists of columns and other objects.

    `count` is the number of numbered members, from an attribute.
    """
    children = children or {}
    schema = ObjectSchema(
        name,
        kind,
        tuple((member, column) for member, (column, _) in columns.items()),
        tuple((member, child.schema) for member, child in children.items()),
        () if count is None else (("count", count),),
    )
    slots = [slot for _, own in columns.values() for slot in own]
    slots += [slot for child in children.values() for slot in child.slots]
    return Described(schema, tuple(slots))


def _lay_out_children(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> list[NewObject]:
    """Lay out the children of an object."""
    from akdask.formats.hdf5.codecs import lay_out_object  # whose table has the functions of this module

    return [lay_out_object(child, columns, tables, share) for child in spec.children.values()]


def _lay_out_group(
    spec: ObjectSpec,
    columns: Columns,
    tables: Columns,
    share: Share,
    attributes: Attributes,
    *,
    column_order: tuple[str, ...] = (),
) -> NewObject:
    """Lay out a group that contains other objects only."""
    from akdask.formats.hdf5.new_file import NewGroup, NewObject

    return NewObject.group(
        NewGroup(spec.name, spec.kind, attributes, column_order), _lay_out_children(spec, columns, tables, share)
    )


def describe_categorical(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe a Categorical: codes, categories, NA code and, where there are any, permutation and segments."""
    group = group_of(node)
    labels = group.subgroup(group.find(CATEGORIES), CATEGORIES)
    found = {
        CODES: _describe_integers(group, CODES),
        CATEGORIES: strings.describe_column(f"{group.path}/{CATEGORIES}", labels),
    }
    wanted = [NA_CODES] if group.find(NA_CODES) else []
    if all(map(group.find, OPTIONAL)) and group.text(layout.ARKOUDA_VERSION) != _WRONG_GROUPING:
        wanted += OPTIONAL
    found.update((member, _describe_integers(group, member)) for member in wanted)
    return _describe_group(group.path, kind, found)


def lay_out_categorical(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out this partition's codes of a Categorical, and its share of all other parts."""
    from akdask.formats.hdf5.new_file import NewGroup, NewObject

    labels = tables[spec.tables[CATEGORIES]]
    na_codes = tables[spec.tables[NA_CODES]]
    made = (
        pdarray.numbers(f"{spec.name}/{CODES}", columns[spec.members[CODES]], INT64),
        strings.group_of_strings(f"{spec.name}/{CATEGORIES}", _share(labels, share)),
        pdarray.numbers(f"{spec.name}/{NA_CODES}", _share(na_codes, share), INT64),
        # Permutation and segments are children, for they have other numbers of rows than the codes.
        *_lay_out_children(spec, columns, tables, share),
    )
    return NewObject.group(NewGroup(spec.name, ObjType.CATEGORICAL), made)


def _share(table: Column, share: Share) -> Column:
    rows = share.of(len(table))
    return slice_rows(table, rows.start, rows.stop)


def describe_dataframe(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe the columns of a DataFrame in the user's order, and ``Index`` first where there is one."""
    group = group_of(node)
    labels = group.find(ROW_LABELS)
    odd = [member for member in group.names if not _is_text(member)]
    if odd:  # pandas has no such names
        raise NotFlatError(f"has a column whose name is no UTF-8: {odd[0]!r}")
    encoded = {member.decode(): member for member in group.names if member != labels}
    order = layout.in_stored_order(encoded, group.text(layout.COLUMN_ORDER))
    children = {} if labels is None else {ROW_LABELS: _describe_member(group, labels)}
    children.update((column, _describe_member(group, encoded[column])) for column in order)
    return _describe_group(group.path, kind, {}, children)


def _is_text(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def lay_out_dataframe(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the columns of a DataFrame, and the labels of its rows."""
    order = tuple(name for name in spec.children if name != ROW_LABELS)
    return _lay_out_group(spec, columns, tables, share, ((layout.NUM_COLS, len(order)),), column_order=order)


def describe_groupby(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe the parts of a GroupBy, and the keys in the order of their numbers."""
    group = group_of(node)
    columns = {part: _describe_integers(group, part) for part in PARTS}
    keys = _describe_numbered(group, KEY)
    return _describe_group(group.path, kind, columns, keys, group.integer(layout.NUM_KEYS))


def lay_out_groupby(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the keys and the parts of a GroupBy, which are children too: their numbers of rows differ."""
    keys = [name for name in spec.children if name.startswith(KEY)]
    return _lay_out_group(spec, columns, tables, share, ((layout.NUM_KEYS, len(keys)),))


def describe_index(node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
    """Describe the levels of an Index or a MultiIndex, in the order of their numbers."""
    levels = _describe_numbered(group_of(node), LEVEL)
    return _describe_group(node.path, kind, {}, levels, node.integer(layout.NUM_IDX))


def lay_out_index(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the levels of an Index or a MultiIndex."""
    return _lay_out_group(spec, columns, tables, share, ((layout.NUM_IDX, len(spec.children)),))
