"""Metadata of one HDF5 dataset, through the few low-level calls that a set of thousands of files can afford."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from h5py import h5a, h5d, h5g, h5l, h5o, h5t

from akdask.errors import FileFormatError, ObjTypeError
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.description import DatasetSchema, Problem, Slot
from akdask.formats.hdf5.layout import H5Object
from akdask.storage.objects import CATEGORIES, CODES, LEVEL, ROW_LABELS, UNIQUE_KEY_IDX, VALUES, ObjType
from akdask.storage.ranges import ELSEWHERE, OUTSIDE

MAX_COMPRESSION_RATIO = 2**12
"""Bytes that one stored byte may unpack to where all must be scanned: filters pack a thousand zeros into one."""

_MOST_BYTES = 2**63  # that can be counted


class NotFlatError(Exception):
    """The dataset is not a one-dimensional array of plain numbers; codecs turn this into a `Problem`."""


def is_dataset(node: H5Object) -> bool:
    """Whether an open object is a dataset."""
    return isinstance(node, h5d.DatasetID)


def describe_dataset(node: H5Object, path: str, *, flat: bool = True) -> tuple[DatasetSchema, Slot]:
    """Return stored type, offset and length of a dataset of numbers; one-dimensional, if it must be flat.

    Raises
    ------
    NotFlatError
        If it has another rank or another type.
    """
    shape = node.shape
    if shape is None or (flat and len(shape) != 1):
        raise NotFlatError(f"has shape {shape}, not one dimension")
    dtype, is_canonical = _stored_type(node.get_type().encode())
    length: int = math.prod(shape)
    # The name of a type ends with its number of bytes, at most eight.
    if length >= _MOST_BYTES // 8 and length * int(dtype[2:]) >= _MOST_BYTES:
        raise NotFlatError(f"claims {length:,} elements, more than can be counted")
    offset = node.get_offset() if is_canonical else None
    return _schema(path, dtype), (_place(node, length) if offset is None else offset, length)


def _place(node: H5Object, length: int) -> int:
    """Return the code that replaces the offset of non-contiguous data."""
    made = node.get_create_plist()
    if is_outside(made):
        return OUTSIDE
    if made.get_layout() != h5d.CHUNKED:
        return ELSEWHERE
    # Rows that are stored together: for a multidimensional array, the rows of all chunks along the other axes.
    stored_rows = int(made.get_chunk()[0] * math.prod(node.shape[1:]))
    return ELSEWHERE - min(stored_rows, length)


def is_outside(made: H5Object) -> bool:
    """Whether a dataset with these creation properties may keep its data in other files."""
    return made.get_layout() == h5d.VIRTUAL or bool(made.get_external_count())


def is_plain(node: H5Object, dtype: np.dtype[Any]) -> bool:
    """Whether the stored bytes of a dataset are those of a NumPy type."""
    return _stored_type(node.get_type().encode()) == (dtype.str, True)


@lru_cache(maxsize=65536)
def _schema(path: str, dtype: str) -> DatasetSchema:
    return DatasetSchema(path, dtype)


@lru_cache(maxsize=1024)
def _stored_type(encoded: bytes) -> tuple[str, bool]:
    """Return NumPy's name of an HDF5 type, and whether the stored bytes are those of the NumPy type."""
    kind = h5t.decode(encoded)
    try:
        dtype = kind.dtype
    except (TypeError, ValueError) as error:
        raise NotFlatError(f"has a type that NumPy does not have ({error})") from None
    if dtype.kind not in "iufb" or dtype.itemsize > 8:
        raise NotFlatError(f"holds {dtype}, not numbers")
    return dtype.str, bool(kind.equal(h5t.py_create(dtype)))


_MOST_LINKS = 16  # soft links that one path may lead through, as many as HDF5 follows


def open_path(root: H5Object, path: str) -> H5Object:
    """Open the object at a path below a group.

    Raises
    ------
    NotFlatError
        If the path leads nowhere, or out of the file.
    """
    return _walk(root, path.encode(errors="surrogateescape"), [_MOST_LINKS])


def open_member(group: H5Object, name: bytes) -> H5Object:
    """Open a member of a group; for errors see `open_path`."""
    return _step(group, name, [_MOST_LINKS])


def _walk(node: H5Object, path: bytes, left: list[int]) -> H5Object:
    """Open the object at a path; `left` has one number, of the soft links that may still be followed."""
    if path.startswith(b"/"):
        node = h5g.open(node, b"/")
    for name in path.split(b"/"):
        if name not in {b"", b"."}:
            node = _step(node, name, left)
    return node


def _step(group: H5Object, name: bytes, left: list[int]) -> H5Object:
    if b"/" in name:
        raise NotFlatError("has a name with '/', which would lead elsewhere")
    if not isinstance(group, h5g.GroupID) or not group.links.exists(name):
        raise NotFlatError("is a link that leads nowhere")
    match group.links.get_info(name).type:
        case h5l.TYPE_HARD:
            return h5o.open(group, name)
        case h5l.TYPE_SOFT:
            if not left[0]:
                raise NotFlatError("is a link that leads to links without end")
            left[0] -= 1
            return _walk(group, group.links.get_val(name), left)
    raise NotFlatError("is a link to another file, and these are not followed")


class Members:
    """The members of one group.

    Parameters
    ----------
    group : low-level h5py group
        An open group.
    path : str
        Its path in the file, empty for the root group.

    Raises
    ------
    NotFlatError
        If it is no group.
    """

    def __init__(self, group: H5Object, path: str) -> None:
        if not isinstance(group, h5g.GroupID):
            raise NotFlatError("is a dataset, but its kind is kept in a group")
        self.group = group
        self.path = path
        self.names: list[bytes] = []
        self._indirect: set[bytes] = set()
        group.links.iterate(self._add, info=True)
        if len(set(self.names)) != len(self.names):
            raise FileFormatError(f"group {path or '/'!r} has two members of one name; the file is damaged.")

    def _add(self, name: bytes, info: H5Object) -> None:
        self.names.append(name)
        if info.type != h5l.TYPE_HARD or b"/" in name:
            self._indirect.add(name)

    def find(self, *wanted: str) -> bytes | None:
        """Return the first wanted name that exists, in the same or another case."""
        spelled = [name.encode(errors="surrogateescape") for name in wanted]
        folded = {name.lower(): name for name in self.names}
        exact = (name for name in spelled if name in self.names)
        return next(exact, next((folded[name.lower()] for name in spelled if name.lower() in folded), None))

    def find_values(self, *wanted: str) -> bytes | None:
        """Return the name of ``values`` or ``segments``, also where it is spelled ``<leaf>_values``."""
        leaf = self.path.rpartition("/")[2]
        return self.find(*wanted, *[f"{leaf}_{member}" for member in wanted])

    def open(self, name: bytes) -> H5Object:
        """Open a member.

        Raises
        ------
        NotFlatError
            If it is a link that leads nowhere, or to another file.
        """
        return open_member(self.group, name) if name in self._indirect else h5o.open(self.group, name)

    def path_of(self, name: bytes) -> str:
        """Return the path of a member in the file."""
        leaf = name.decode(errors="surrogateescape")
        return f"{self.path}/{leaf}" if self.path else leaf

    def dataset(self, name: bytes | None, wanted: str) -> tuple[DatasetSchema, Slot]:
        """Describe a member that must be a flat dataset.

        Raises
        ------
        NotFlatError
            If it is missing or is not one.
        """
        if name is None:
            raise NotFlatError(f"has no member {wanted!r}")
        node = self.open(name)
        if not is_dataset(node):
            raise NotFlatError(f"has a member {wanted!r} that is no dataset")
        return describe_dataset(node, self.path_of(name))

    def subgroup(self, name: bytes | None, wanted: str) -> Members:
        """Open a member that must be a group.

        Raises
        ------
        NotFlatError
            If it is missing or is not one.
        """
        node = None if name is None else self.open(name)
        if name is None or not isinstance(node, h5g.GroupID):
            raise NotFlatError(f"has no group {wanted!r}")
        return Members(node, self.path_of(name))


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
