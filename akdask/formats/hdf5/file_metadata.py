"""The metadata of a file of any origin: every group, dataset, link and attribute, with nothing refused.

Reading needs columns and refuses other structures.  This module shows a file: it keeps everything, damaged or foreign,
under the names of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from h5py import h5a, h5d, h5g, h5t

from akdask.errors import AkdaskError
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.description import Problem
from akdask.formats.hdf5.inspect import HDF5_ERRORS, open_file
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.members import Members, NotFlatError, kind_of, open_member
from akdask.storage.files import identify
from akdask.storage.objects import CODES, PERMUTATION, SEGMENTS, ObjType

_DEEPEST = 4  # a SegArray of Strings in a DataFrame has depth 3; groups that contain themselves have no end
_LARGEST_VALUE = 2**16  # bytes of an attribute that are read
_CLASSES = {h5t.INTEGER: "integer", h5t.FLOAT: "float", h5t.STRING: "text", h5t.ENUM: "enum", h5t.COMPOUND: "compound"}
_NUMBERS = {"integer": h5t.NATIVE_INT64, "unsigned": h5t.NATIVE_UINT64, "float": h5t.NATIVE_DOUBLE}
_LAYOUTS = {h5d.CONTIGUOUS: "contiguous", h5d.CHUNKED: "chunked", h5d.COMPACT: "compact", h5d.VIRTUAL: "virtual"}


@dataclass(frozen=True, slots=True)
class StoredType:
    """A type as HDF5 has it.

    Parameters
    ----------
    family : {"integer", "float", "text", "variable text", "padded text", "enum", "compound", "other"}
        Class of the type; ``text`` is ASCII of fixed length that ends in NUL.
    size : int
        Bytes of one element.
    is_signed, is_little_endian : bool
        Of numbers.
    """

    family: str
    size: int
    is_signed: bool = False
    is_little_endian: bool = True

    def __str__(self) -> str:
        if self.family not in {"integer", "float"}:
            return self.family
        name = f"{'' if self.is_signed or self.family == 'float' else 'u'}{self.family[:5]}{8 * self.size}"
        return name.replace("integ", "int") + ("" if self.is_little_endian or self.size == 1 else " (big-endian)")


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute; `shape` is () for a scalar and None for a null dataspace, `value` None if unreadable."""

    type: StoredType
    shape: tuple[int, ...] | None
    value: Any = None


@dataclass(frozen=True, slots=True)
class DatasetMetadata:
    """A dataset.

    Parameters
    ----------
    path : str
        In the file, without a leading slash.
    kind : ObjType or None
        Kind of the object, None if its ``ObjType`` is not in the schema.
    attributes : mapping of str to Attribute
        All of them.
    type : StoredType
        Of the elements.
    shape : tuple of int, or None
        None for a null dataspace.
    storage : str
        ``contiguous``, ``chunked``, ``compact``, ``virtual`` or ``external``.
    filters : tuple of int
        HDF5's numbers of the filters.
    """

    path: str
    kind: ObjType | None
    attributes: Mapping[str, Attribute]
    type: StoredType
    shape: tuple[int, ...] | None
    storage: str
    filters: tuple[int, ...] = ()

    @property
    def nrows(self) -> int:
        """Length of the first dimension; 0 if there is none."""
        return self.shape[0] if self.shape else 0

    @property
    def is_outside(self) -> bool:
        """Whether its data is, or may be, in other files."""
        return self.storage in {"external", "virtual"}


@dataclass(frozen=True, slots=True)
class Foreign:
    """A member that is neither group nor dataset, or cannot be opened; `text` explains."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group; for shared fields see `DatasetMetadata`.  `members` are by name, without documented second names."""

    path: str
    kind: ObjType | None
    attributes: Mapping[str, Attribute]
    members: Mapping[str, Node] = field(default_factory=dict)

    def dataset(self, name: str) -> DatasetMetadata | None:
        """Return a member that is a dataset."""
        found = self.members.get(name)
        return found if isinstance(found, DatasetMetadata) else None

    def group(self, name: str) -> Group | None:
        """Return a member that is a group."""
        found = self.members.get(name)
        return found if isinstance(found, Group) else None

    def numbered(self, stem: str) -> dict[int, Node]:
        """Return members ``<stem>0``, ``<stem>1`` and so on by number, in order."""
        found = {int(name[len(stem) :]): node for name, node in self.members.items() if _is_numbered(name, stem)}
        return dict(sorted(found.items()))


Node: TypeAlias = Group | DatasetMetadata | Foreign


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """One file: its root group, or why there is none."""

    path: str
    size: int
    root: Group
    problem: str | None = None

    @property
    def objects(self) -> dict[str, Node]:
        """Children of the root group that are objects, or may be."""
        return {name: node for name, node in self.root.members.items() if name != layout.METADATA_GROUP}

    @property
    def era(self) -> str:
        """Which layout the file has: ``v2`` with ``ObjType``, ``v1`` with a metadata group, ``v0`` with neither."""
        is_v2 = any("ObjType" in node.attributes for node in self.objects.values() if not isinstance(node, Foreign))
        is_v1 = layout.METADATA_GROUP in self.root.members
        return "v1 and v2" if is_v1 and is_v2 else "v2" if is_v2 else "v1" if is_v1 else "v0"


def read_file_metadata(path: str) -> FileMetadata:
    """Read the metadata of a file; never fails."""
    nothing = Group("", None, {})
    size = 0
    try:
        size = identify(path).size
        with open_file(path) as opened:
            if opened.id.get_create_plist().get_userblock():
                return FileMetadata(path, size, nothing, "HDF5 does not begin at the first byte of the file")
            root = h5g.open(opened.id, b"/")
            return FileMetadata(path, size, Group("", None, _attributes(root), _members(root, "")))
    except AkdaskError as error:
        return FileMetadata(path, size, nothing, " ".join([error.message, *error.details]))


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it."""
    yield node
    if isinstance(node, Group):
        for member in node.members.values():
            yield from walk(member)


def rows_of(node: Node) -> int | None:
    """Return how many rows an object has in its file, None if that is not to be seen without reading data."""
    if isinstance(node, DatasetMetadata):
        return node.shape[0] if node.shape else None
    if isinstance(node, Foreign) or node.kind is None:
        return None
    counting = next((node.members[name] for name in _COUNTING.get(node.kind, ()) if name in node.members), None)
    return None if counting is None else rows_of(counting)


_COUNTING = {
    ObjType.ARRAYVIEW: ("Limb_0",),
    ObjType.PDARRAY: ("Limb_0", layout.OLD_BOOLEANS),
    ObjType.STRINGS: (SEGMENTS,),
    ObjType.SEGARRAY: (SEGMENTS,),
    ObjType.CATEGORICAL: (CODES,),
    ObjType.GROUPBY: (PERMUTATION,),
    ObjType.DATAFRAME: ("Index",),
    ObjType.INDEX: ("IDX_0",),
    ObjType.MULTIINDEX: ("IDX_0",),
}
"""The member that has an entry for each row."""


def _members(group: H5Object, path: str) -> dict[str, Node]:
    links: list[bytes] = []
    group.links.iterate(links.append)
    names = set(links)
    leaf = path.rpartition("/")[2].encode(errors="surrogateescape")
    found = {}
    for name in links:
        if name.startswith(leaf + b"_") and name[len(leaf) + 1 :] in names:
            continue
        text = name.decode(errors="surrogateescape")
        found[text] = _node(group, name, f"{path}/{text}" if path else text)
    return found


def _node(group: H5Object, name: bytes, path: str) -> Node:
    if path.count("/") >= _DEEPEST:
        return Foreign(path, "is nested too deeply")
    try:
        opened = open_member(group, name)
        if isinstance(opened, h5d.DatasetID):
            return _dataset(opened, path)
        if isinstance(opened, h5g.GroupID):
            kind = _kind(opened, Members(opened, path))
            return Group(path, kind, _attributes(opened), _members(opened, path))
    except NotFlatError as error:
        return Foreign(path, str(error))
    except (*HDF5_ERRORS, AkdaskError) as error:
        return Foreign(path, f"cannot be opened: {error}")
    return Foreign(path, "is a named type")


def _dataset(node: H5Object, path: str) -> DatasetMetadata:
    made = node.get_create_plist()
    storage = "external" if made.get_external_count() else _LAYOUTS.get(made.get_layout(), "other")
    filters = tuple(made.get_filter(index)[0] for index in range(made.get_nfilters()))
    return DatasetMetadata(
        path,
        _kind(node, None),
        _attributes(node),
        _type(node.get_type().encode()),
        node.shape,
        storage,
        filters,
    )


def _kind(node: H5Object, members: Members | None) -> ObjType | None:
    kind = kind_of(node, members)
    return None if isinstance(kind, Problem) else kind


def _attributes(node: H5Object) -> dict[str, Attribute]:
    opened = [h5a.open(node, index=index) for index in range(h5a.get_num_attrs(node))]
    return {found.name.decode(errors="surrogateescape"): _attribute(found) for found in opened}


def _attribute(attribute: H5Object) -> Attribute:
    kind, shape = _type(attribute.get_type().encode()), attribute.shape
    return Attribute(kind, shape, _value(attribute, kind, shape))


def _value(attribute: H5Object, kind: StoredType, shape: tuple[int, ...] | None) -> Any:
    if "text" in kind.family:
        return layout.text_of(attribute)
    if kind.family not in _NUMBERS or shape is None or attribute.get_storage_size() > _LARGEST_VALUE:
        return None
    native = _NUMBERS["unsigned" if kind.family == "integer" and not kind.is_signed else kind.family]
    value = np.zeros(shape, native.dtype)
    attribute.read(value, native)
    return value.tolist()


@lru_cache(maxsize=1024)
def _type(encoded: bytes) -> StoredType:
    kind = h5t.decode(encoded)
    family = _CLASSES.get(kind.get_class(), "other")
    match family:
        case "integer":
            return StoredType(family, kind.get_size(), kind.get_sign() == h5t.SGN_2, kind.get_order() != h5t.ORDER_BE)
        case "float":
            return StoredType(family, kind.get_size(), True, kind.get_order() != h5t.ORDER_BE)
        case "text" if kind.is_variable_str():
            return StoredType("variable text", kind.get_size())
        case "text" if kind.get_strpad() != h5t.STR_NULLTERM:
            return StoredType("padded text", kind.get_size())
    return StoredType(family, kind.get_size())


def _is_numbered(name: str, stem: str) -> bool:
    digits = name[len(stem) :]
    return name.startswith(stem) and digits.isascii() and digits.isdigit() and str(int(digits)) == digits
