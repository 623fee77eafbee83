"""ArrayView: an array of several dimensions, stored flat in row-major order with its shape as attributes.

Files of v2022.07.28 to v2022.10.13, and foreign ones, may store it with its true rank instead.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from akdask.formats.hdf5 import layout, pdarray
from akdask.formats.hdf5.description import Described
from akdask.formats.hdf5.metadata import Dataset, Group, NotFlatError
from akdask.storage.objects import Columns, ObjectSpec, ObjType

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share

KINDS = (ObjType.ARRAYVIEW,)


def describe(node: Group | Dataset, kind: ObjType) -> Described:
    """Describe the flat values, and the shape.

    The shape of a dataset of true rank begins with -1: each file has rows of its own.
    """
    if isinstance(node, Dataset) and node.shape and len(node.shape) > 1:
        found = pdarray.describe_numbers(node, kind, flat=False)
        shape = (-1, *node.shape[1:]) if math.prod(node.shape[1:]) else node.shape
    else:
        found = pdarray.describe(node, kind)
        stored = node.integers(layout.SHAPE)
        if stored is None:
            raise NotFlatError("has no shape")
        shape = stored
    return replace(found, schema=replace(found.schema, params=(*found.schema.params, ("shape", shape))))


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out the flat values; every file stores the shape of the whole array."""
    return pdarray.lay_out(spec, columns, tables, share)
