"""Which kind of object a root child is: by its ``ObjType``, else by what it is made of (files of any age or origin)."""

from __future__ import annotations

from h5py import h5a

from akdask.errors import ObjTypeError
from akdask.hdf5.schema import layout
from akdask.hdf5.schema.datasets import is_dataset
from akdask.hdf5.schema.description import Problem
from akdask.hdf5.schema.layout import H5Object
from akdask.hdf5.schema.members import Members
from akdask.storage.formats.objects import CATEGORIES, CODES, LEVEL, ROW_LABELS, UNIQUE_KEY_IDX, VALUES, ObjType

_KNOWN = {int(kind): kind for kind in ObjType}


def kind_of(node: H5Object, members: Members | None) -> ObjType | Problem:
    """Return the kind of an open object; `members` is given for groups.

    A number that the schema does not have is a problem of that object, since other objects of the file may be fine.
    """
    number = layout.read_integer(node, layout.OBJ_TYPE)
    if number is not None:
        kind = _KNOWN.get(number, ObjType.UNKNOWN)
        if kind is ObjType.PDARRAY and _has_shape(node):
            return ObjType.ARRAYVIEW
        return kind if kind != ObjType.UNKNOWN else Problem(ObjTypeError, f"has the unknown ObjType {number}")
    if layout.read_text(node, layout.OBJ_TYPE) == ObjType.ARRAYVIEW.label:
        return ObjType.ARRAYVIEW
    if members is None:
        return ObjType.ARRAYVIEW if _has_shape(node) else ObjType.PDARRAY
    return _kind_of_group(node, members) or Problem(ObjTypeError, "is a group of no known layout")


def _has_shape(node: H5Object) -> bool:
    """Whether an object is an array of several dimensions: stored so, or flat with a shape beside it."""
    told = h5a.exists(node, layout.RANK) and layout.read_integers(node, layout.SHAPE) is not None
    return told or (is_dataset(node) and node.rank > 1)


def _are_bools(node: H5Object, values: H5Object) -> bool:
    """Whether bytes are the bools of lists: the columns of a DataFrame in one file have no ``ObjType``."""
    return any(layout.read_integer(part, layout.IS_BOOL) == 1 for part in (values, node))


def _kind_of_group(node: H5Object, members: Members) -> ObjType | None:
    has = members.find
    if h5a.exists(node, layout.IS_BIGINT) or has("Limb_0") or has(layout.OLD_BOOLEANS):
        return ObjType.PDARRAY
    if has(CODES) and has(CATEGORIES):
        return ObjType.CATEGORICAL
    if has(UNIQUE_KEY_IDX):
        return ObjType.GROUPBY
    if has(f"{LEVEL}0"):
        return ObjType.MULTIINDEX if has(f"{LEVEL}1") else ObjType.INDEX
    if values := members.find_values(VALUES):
        found = members.open(values)
        are_bytes = is_dataset(found) and found.dtype == "u1"
        return ObjType.STRINGS if are_bytes and not _are_bools(node, found) else ObjType.SEGARRAY
    return ObjType.DATAFRAME if has(ROW_LABELS) else None
