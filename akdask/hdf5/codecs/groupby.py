"""GroupBy: the keys, and the permutation and segments that bring equal keys together.

Each part is cut on its own and holds positions in all rows, so they stay as they are when files are joined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from akdask.deferred import DeferredModule
from akdask.hdf5.codecs.composite import (
    describe_group,
    describe_integers,
    describe_numbered,
    lay_out_children,
)
from akdask.hdf5.schema import layout
from akdask.hdf5.schema.description import Described
from akdask.hdf5.schema.layout import H5Object
from akdask.hdf5.schema.members import Members
from akdask.storage.formats.objects import KEY, PERMUTATION, SEGMENTS, UNIQUE_KEY_IDX, Columns, ObjectSpec, ObjType

if TYPE_CHECKING:
    from akdask.hdf5.encoding import newfile
else:
    newfile = DeferredModule("akdask.hdf5.encoding.newfile")

KINDS = (ObjType.GROUPBY,)

PARTS = (SEGMENTS, PERMUTATION, UNIQUE_KEY_IDX)


def describe(name: str, kind: ObjType, node: H5Object) -> Described:
    """Describe the parts, and the keys in the order of their numbers."""
    members = Members(node, name)
    columns = {part: describe_integers(name, members, part) for part in PARTS}
    keys = describe_numbered(members, KEY)
    return describe_group(name, kind, columns, keys, layout.read_integer(node, layout.NUM_KEYS))


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: newfile.Share) -> newfile.NewObject:
    """Lay out the keys and the parts, which are children too: their numbers of rows differ."""
    keys = [name for name in spec.children if name.startswith(KEY)]
    group = newfile.NewGroup(spec.name, spec.kind, ((layout.NUM_KEYS, len(keys)),))
    return newfile.NewObject.group(group, lay_out_children(spec, columns, tables, share))
