"""DataFrame, as snapshots hold it: a group with one object for each column, and the labels of the rows as ``Index``.

Servers store no order of columns, so akdask adds a private attribute. Without it columns come in the byte order of
their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.composite import describe_group, describe_member, lay_out_children
from akdask.formats.hdf5.description import Described
from akdask.formats.hdf5.metadata import Dataset, Group, NotFlatError, group_of
from akdask.storage.objects import ROW_LABELS, Columns, ObjectSpec, ObjType

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share

KINDS = (ObjType.DATAFRAME,)


def describe(node: Group | Dataset, kind: ObjType) -> Described:
    """Describe the columns in the user's order, and ``Index`` first where there is one."""
    group = group_of(node)
    labels = group.find(ROW_LABELS)
    odd = [member for member in group.names if not _is_text(member)]
    if odd:  # pandas has no such names
        raise NotFlatError(f"has a column whose name is no UTF-8: {odd[0]!r}")
    encoded = {member.decode(): member for member in group.names if member != labels}
    order = layout.in_stored_order(encoded, group.text(layout.COLUMN_ORDER))
    children = {} if labels is None else {ROW_LABELS: describe_member(group, labels)}
    children.update((column, describe_member(group, encoded[column])) for column in order)
    return describe_group(group.path, kind, {}, children)


def _is_text(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the columns and the labels."""
    from akdask.formats.hdf5.new_file import NewGroup, NewObject

    order = tuple(name for name in spec.children if name != ROW_LABELS)
    group = NewGroup(spec.name, spec.kind, ((layout.NUM_COLS, len(order)),), order)
    return NewObject.group(group, lay_out_children(spec, columns, tables, share))
