"""Describe and lay out objects that consist of others, by the codecs of their members."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from akdask.columns.dtypes import INT64
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.codec_registry import describe_object, lay_out_object
from akdask.formats.hdf5.description import ColumnSchema, Described, ObjectSchema, Slot
from akdask.formats.hdf5.metadata import Group, NotFlatError, StoredNode
from akdask.storage.objects import Columns, ObjectSpec, ObjType

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import Attributes, NewObject, Share

Found: TypeAlias = tuple[ColumnSchema, tuple[Slot, ...]]
"""A column of an object, and where its datasets are."""

INNER_KINDS = (ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4)
"""Kinds that servers do not take as levels or keys, where they are written as the numbers that they are."""


COLUMN_KINDS = (ObjType.PDARRAY, ObjType.STRINGS, ObjType.SEGARRAY, ObjType.CATEGORICAL, *INNER_KINDS)
"""Kinds of members.  Others would be no columns, and might hold themselves."""


def describe_member(group: Group, encoded: bytes) -> Described:
    """Describe a member that must be a readable object.

    Raises
    ------
    NotFlatError
        If it is none.
    """
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


def describe_numbered(group: Group, prefix: str) -> dict[str, Described]:
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
    return {f"{prefix}{number}": describe_member(group, found[number]) for number in sorted(found)}


def describe_integers(group: Group, member: str) -> Found:
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


def describe_group(
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


def lay_out_children(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> list[NewObject]:
    """Lay out the children of an object."""
    return [lay_out_object(child, columns, tables, share) for child in spec.children.values()]


def lay_out_group(
    spec: ObjectSpec, columns: Columns, tables: Columns, share: Share, attributes: Attributes
) -> NewObject:
    """Lay out a group that contains other objects only."""
    from akdask.formats.hdf5.new_file import NewGroup, NewObject

    return NewObject.group(NewGroup(spec.name, spec.kind, attributes), lay_out_children(spec, columns, tables, share))
