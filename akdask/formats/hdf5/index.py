"""Index and MultiIndex: a group with one object for each level, ``IDX_0``, ``IDX_1`` and so on.

Files of servers in single-file mode have numeric levels without attributes; their types are then inferred.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.composite import describe_group, describe_numbered, lay_out_group
from akdask.formats.hdf5.description import Described
from akdask.formats.hdf5.metadata import Dataset, Group, group_of
from akdask.storage.objects import LEVEL, Columns, ObjectSpec, ObjType

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share

KINDS = (ObjType.INDEX, ObjType.MULTIINDEX)


def describe(node: Group | Dataset, kind: ObjType) -> Described:
    """Describe the levels, in the order of their numbers."""
    levels = describe_numbered(group_of(node), LEVEL)
    return describe_group(node.path, kind, {}, levels, node.integer(layout.NUM_IDX))


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the levels."""
    return lay_out_group(spec, columns, tables, share, ((layout.NUM_IDX, len(spec.children)),))
