"""Index and MultiIndex: a group with one object for each level, ``IDX_0``, ``IDX_1`` and so on.

Files of servers in single-file mode have numeric levels without attributes; their types are inferred then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from akdask.deferred import DeferredModule
from akdask.hdf5.codecs.composite import describe_group, describe_numbered, lay_out_group
from akdask.hdf5.schema import layout
from akdask.hdf5.schema.description import Described
from akdask.hdf5.schema.layout import H5Object
from akdask.hdf5.schema.members import Members
from akdask.storage.formats.objects import LEVEL, Columns, ObjectSpec, ObjType

if TYPE_CHECKING:
    from akdask.hdf5.encoding import newfile
else:
    newfile = DeferredModule("akdask.hdf5.encoding.newfile")

KINDS = (ObjType.INDEX, ObjType.MULTIINDEX)


def describe(name: str, kind: ObjType, node: H5Object) -> Described:
    """Describe the levels, in the order of their numbers."""
    levels = describe_numbered(Members(node, name), LEVEL)
    return describe_group(name, kind, {}, levels, layout.read_integer(node, layout.NUM_IDX))


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: newfile.Share) -> newfile.NewObject:
    """Lay out the levels."""
    return lay_out_group(spec, columns, tables, share, ((layout.NUM_IDX, len(spec.children)),))
