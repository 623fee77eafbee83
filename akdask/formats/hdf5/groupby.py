"""GroupBy: the keys, and the permutation and segments that bring equal keys together.

Each part is cut on its own and has positions in all rows, so joining files does not change them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.composite import describe_group, describe_integers, describe_numbered, lay_out_children
from akdask.formats.hdf5.description import Described
from akdask.formats.hdf5.metadata import Dataset, Group, group_of
from akdask.storage.objects import KEY, PERMUTATION, SEGMENTS, UNIQUE_KEY_IDX, Columns, ObjectSpec, ObjType

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share

KINDS = (ObjType.GROUPBY,)

PARTS = (SEGMENTS, PERMUTATION, UNIQUE_KEY_IDX)


def describe(node: Group | Dataset, kind: ObjType) -> Described:
    """Describe the parts, and the keys in the order of their numbers."""
    group = group_of(node)
    columns = {part: describe_integers(group, part) for part in PARTS}
    keys = describe_numbered(group, KEY)
    return describe_group(group.path, kind, columns, keys, group.integer(layout.NUM_KEYS))


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the keys and the parts, which are children too: their numbers of rows differ."""
    from akdask.formats.hdf5.new_file import NewGroup, NewObject

    keys = [name for name in spec.children if name.startswith(KEY)]
    group = NewGroup(spec.name, spec.kind, ((layout.NUM_KEYS, len(keys)),))
    return NewObject.group(group, lay_out_children(spec, columns, tables, share))
