"""The metadata of files of any origin, as the library finds it: groups, datasets, attributes, types and links.

Nodes read what they are asked for while their file is open, since sets of thousands of files can afford no more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np

from akdask.caches import cached_results
from akdask.errors import AkdaskError, FileFormatError, ObjTypeError
from akdask.formats import tuning
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.chunks import missing_filter
from akdask.formats.hdf5.description import DatasetSchema, Problem, Slot
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.library import HDF5_ERRORS, open_file
from akdask.formats.hdf5.low_level import h5a, h5d, h5ds, h5g, h5l, h5o, h5t, h5z
from akdask.records import record
from akdask.storage.files import FileIdentity, identify
from akdask.storage.objects import (
    CATEGORIES,
    CODES,
    LEVEL,
    PERMUTATION,
    ROW_LABELS,
    SEGMENTS,
    UNIQUE_KEY_IDX,
    VALUES,
    ObjType,
)
from akdask.storage.ranges import ELSEWHERE, OUTSIDE

MAX_COMPRESSION_RATIO = 2**12
"""Bytes that one stored byte may unpack to where all must be scanned: filters pack a thousand zeros into one."""

_MOST_BYTES = 2**63  # that can be counted
_DEEPEST = 4  # a SegArray of Strings in a DataFrame has depth 3; groups that contain themselves have no end
_MOST_LINKS = 16  # soft links that one path may lead through, as many as HDF5 follows
_LARGEST_VALUE = 2**16  # bytes of an attribute of numbers
_MOST_INTEGERS = 2**16  # of an attribute, far more than an array has dimensions
_LARGEST_TEXT = 2**24  # bytes of an attribute that is read; new-style files may have large ones

# Numbers of HDF5's classes of types and of its layouts; the library is loaded when a file is opened.
_CLASSES = {0: "integer", 1: "float", 3: "text", 6: "compound", 8: "enum"}
_LAYOUTS = {0: "compact", 1: "contiguous", 2: "chunked", 3: "virtual"}
_NUMBERS = {"integer": "NATIVE_INT64", "unsigned": "NATIVE_UINT64", "float": "NATIVE_DOUBLE"}


class NotFlatError(Exception):
    """The dataset is not a one-dimensional array of plain numbers; codecs turn this into a `Problem`."""


@record
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


@lru_cache(maxsize=1024)
def _numpy_name(encoded: bytes) -> tuple[str, bool]:
    """Return NumPy's name of an HDF5 type, and whether the stored bytes are those of the NumPy type."""
    kind = h5t.decode(encoded)
    try:
        dtype = kind.dtype
    except (TypeError, ValueError) as error:
        raise NotFlatError(f"has a type that NumPy does not have ({error})") from None
    is_named = kind.get_class() == h5t.ENUM and dtype.kind != "b"
    if is_named or dtype.kind not in "iufb" or dtype.itemsize > 8:
        raise NotFlatError(f"holds {dtype}, not numbers")
    # Numbers of one byte have an order, too, which means nothing.
    is_byte = dtype.itemsize == 1 and kind.get_class() == h5t.INTEGER and kind.get_precision() == 8
    return dtype.str, is_byte or bool(kind.equal(h5t.py_create(dtype)))


@record
class Attribute:
    """An attribute; `shape` is () for a scalar and None for a null dataspace, `value` None if unreadable."""

    type: StoredType
    shape: tuple[int, ...] | None
    value: Any = None


def _attribute(attribute: H5Object) -> Attribute:
    kind, shape = _type(attribute.get_type().encode()), attribute.shape
    return Attribute(kind, shape, _value(attribute, kind, shape))


def _value(attribute: H5Object, kind: StoredType, shape: tuple[int, ...] | None) -> Any:
    if "text" in kind.family:
        return _text(attribute)
    if kind.family not in _NUMBERS or shape is None or attribute.get_storage_size() > _LARGEST_VALUE:
        return None
    native = getattr(h5t, _NUMBERS["unsigned" if kind.family == "integer" and not kind.is_signed else kind.family])
    value = np.zeros(shape, native.dtype)
    attribute.read(value, native)
    return value.tolist()


def _text(attribute: H5Object) -> str | None:
    """Return the text of an open attribute; None if it is no string."""
    if attribute.get_type().get_class() != h5t.STRING or attribute.shape not in {(), (1,)}:
        return None
    if attribute.get_storage_size() > _LARGEST_TEXT:
        return None
    if attribute.get_type().is_variable_str():
        from akdask.formats.hdf5.global_heaps import check_heaps

        check_heaps(attribute, tuning.HDF5_SEARCHED_FOR_ATTRIBUTES)
    value = np.zeros((), attribute.dtype)
    attribute.read(value)
    text: Any = value.item()
    raw = text if isinstance(text, bytes) else str(text).encode()
    return raw.rstrip(b"\0").decode(errors="replace")


_KNOWN = {int(kind): kind for kind in ObjType}


class StoredNode:
    """A group or a dataset.

    Parameters
    ----------
    opened : low-level h5py object
        It, open.
    path : str
        In the file, without a leading slash; empty for the root group.
    """

    def __init__(self, opened: H5Object, path: str) -> None:
        self.opened = opened
        self.path = path

    def integer(self, name: bytes) -> int | None:
        """Return an integer attribute of any width, scalar or of one element; None if absent or not a number."""
        if not h5a.exists(self.opened, name):
            return None
        attribute = h5a.open(self.opened, name)
        # Checking type and shape for every dataset of every file would double the cost.  HDF5 does not check how much
        # it writes: eight bytes hold at most eight integers, for which the buffer has room.
        value = np.zeros(8, np.int64)
        try:
            if attribute.get_storage_size() > 8:
                return None
            attribute.read(value, h5t.NATIVE_INT64)
        except (OSError, RuntimeError, SystemError, TypeError, ValueError):
            return None
        return int(value[0])

    def integers(self, name: bytes) -> tuple[int, ...] | None:
        """Return an attribute of one or several integers; None if it is absent or neither."""
        if not h5a.exists(self.opened, name):
            return None
        attribute = h5a.open(self.opened, name)
        shape = attribute.shape
        # Of no element, of several dimensions, or more of them than an attribute of a file can hold.
        if attribute.get_type().get_class() != h5t.INTEGER or shape is None or len(shape) > 1:
            return None
        if math.prod(shape) > _MOST_INTEGERS:
            return None
        value = np.zeros(shape, np.int64)
        attribute.read(value, h5t.NATIVE_INT64)
        return tuple(value.ravel().tolist())

    def text(self, name: bytes) -> str | None:
        """Return a string attribute, of fixed or variable length; None if absent or not a string."""
        return _text(h5a.open(self.opened, name)) if h5a.exists(self.opened, name) else None

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """All attributes."""
        opened = [h5a.open(self.opened, index=index) for index in range(h5a.get_num_attrs(self.opened))]
        return {found.name.decode(errors="surrogateescape"): _attribute(found) for found in opened}

    @cached_property
    def kind(self) -> ObjType | None:
        """Kind of the object, None if its ``ObjType`` is not in the schema or its layout is unknown."""
        found = self.find_kind()
        return None if isinstance(found, Problem) else found

    def find_kind(self) -> ObjType | Problem:
        """Return the kind of the object.

        A number that the schema does not have is a problem of that object, since other objects of the file may be fine.
        """
        number = self.integer(layout.OBJ_TYPE)
        if number is not None:
            kind = _KNOWN.get(number, ObjType.UNKNOWN)
            if kind is ObjType.PDARRAY and self._has_shape():
                return ObjType.ARRAYVIEW
            return kind if kind != ObjType.UNKNOWN else Problem(ObjTypeError, f"has the unknown ObjType {number}")
        if self.text(layout.OBJ_TYPE) == ObjType.ARRAYVIEW.label:
            return ObjType.ARRAYVIEW
        inferred = self._inferred_kind()
        return Problem(ObjTypeError, self._unknown_kind) if inferred is None else inferred

    @property
    def _unknown_kind(self) -> str:
        """What is said where the layout is unknown."""
        return "is a group of no known layout"

    def _has_shape(self) -> bool:
        """Whether it is an array of several dimensions: flat, with a shape beside it."""
        return bool(h5a.exists(self.opened, layout.RANK)) and self.integers(layout.SHAPE) is not None

    def _inferred_kind(self) -> ObjType | None:
        raise NotImplementedError


class StoredDataset(StoredNode):
    """A dataset."""

    @cached_property
    def shape(self) -> tuple[int, ...] | None:
        """Dimensions; None for a null dataspace."""
        found: tuple[int, ...] | None = self.opened.shape
        return found

    @property
    def nrows(self) -> int:
        """Length of the first dimension; 0 if there is none."""
        return self.shape[0] if self.shape else 0

    @property
    def is_flat(self) -> bool:
        """Whether it has one dimension."""
        return self.shape is not None and len(self.shape) == 1

    @cached_property
    def type(self) -> StoredType:
        """Type of the elements."""
        return _type(self.opened.get_type().encode())

    @cached_property
    def _numpy_type(self) -> tuple[str, bool]:
        return _numpy_name(self.opened.get_type().encode())

    @property
    def is_array_of_numbers(self) -> bool:
        """Whether it has dimensions, and its elements are plain numbers of at most eight bytes."""
        try:
            return bool(self.shape and self._numpy_type)
        except NotFlatError:
            return False

    def is_plain(self, dtype: np.dtype[Any]) -> bool:
        """Whether the stored bytes are those of a NumPy type."""
        return self._numpy_type == (dtype.str, True)

    @cached_property
    def storage(self) -> str:
        """``contiguous``, ``chunked``, ``compact``, ``virtual``, ``external`` or ``other``."""
        made = self.opened.get_create_plist()
        return "external" if made.get_external_count() else _LAYOUTS.get(made.get_layout(), "other")

    @property
    def is_outside(self) -> bool:
        """Whether its data is, or may be, in other files."""
        return self.storage in {"external", "virtual"}

    @cached_property
    def filters(self) -> tuple[int, ...]:
        """HDF5's numbers of the filters."""
        made = self.opened.get_create_plist()
        return tuple(made.get_filter(index)[0] for index in range(made.get_nfilters()))

    @property
    def is_unpacked_by_library(self) -> bool:
        """Whether the library has all filters that its chunks went through."""
        return all(map(h5z.filter_avail, self.filters))

    def describe(self, *, flat: bool = True) -> tuple[DatasetSchema, Slot]:
        """Return stored type, offset and length of a dataset of numbers; one-dimensional, if it must be flat.

        Raises
        ------
        NotFlatError
            If it has another rank or another type.
        """
        shape = self.shape
        if shape is None or (flat and len(shape) != 1):
            raise NotFlatError(f"has shape {shape}, not one dimension")
        dtype, is_canonical = self._numpy_type
        length: int = math.prod(shape)
        # The name of a type ends with its number of bytes, at most eight.
        if length >= _MOST_BYTES // 8 and length * int(dtype[2:]) >= _MOST_BYTES:
            raise NotFlatError(f"claims {length:,} elements, more than can be counted")
        offset = self.opened.get_offset() if is_canonical else None
        return _schema(self.path, dtype), (self.place() if offset is None else offset, length)

    def place(self) -> int:
        """Return the code that replaces the offset of data that is not read past the library.

        Raises
        ------
        NotFlatError
            If it is packed by a filter that is not installed.
        """
        if self.is_outside:
            return OUTSIDE
        if self.storage != "chunked":
            return ELSEWHERE
        missing = missing_filter(self.filters)
        if missing is not None:
            raise NotFlatError(missing)
        # Rows that are stored together: for several dimensions, the rows of all chunks along the other axes.
        stored_rows = int(self.opened.get_create_plist().get_chunk()[0] * math.prod(self.opened.shape[1:]))
        length: int = math.prod(self.opened.shape)
        return ELSEWHERE - min(stored_rows, length)

    def load(self) -> None:
        """Read all of it, to be used after the file is closed."""
        _ = self.kind, self.attributes, self.type, self.shape, self.storage, self.filters
        self.opened = None

    def _has_shape(self) -> bool:
        return len(self.shape or ()) > 1 or super()._has_shape()

    def _inferred_kind(self) -> ObjType:
        return ObjType.ARRAYVIEW if self._has_shape() else ObjType.PDARRAY


@cached_results("HDF5 files with and without dimensions", 4096)
def has_dimensions(file: FileIdentity) -> bool:
    """Whether a file has dimensions as netCDF-4 has them: datasets that are scales of others.

    Raises
    ------
    FileFormatError
        If it cannot be read as HDF5.
    """
    with open_file(file.path) as opened:
        root = root_of(opened)
        if (
            root.is_marked
            or h5a.exists(root.opened, layout.FILE_FORMAT)
            or layout.METADATA_GROUP.encode() in root.names
        ):
            return False
        if h5a.exists(root.opened, b"_NCProperties"):  # since version 4.4.1
            return True
        found = (root.open(name) for name in root.names)
        return any(isinstance(one, StoredDataset) and h5ds.is_scale(one.opened) for one in found)


@cached_results("schemas of HDF5 datasets", 65536)
def _schema(path: str, dtype: str) -> DatasetSchema:
    return DatasetSchema(path, dtype)


@record
class Foreign:
    """A member that is neither group nor dataset, or cannot be opened; `text` explains."""

    path: str
    text: str


EMPTY_GROUP = "is a group without members"


class StoredGroup(StoredNode):
    """A group."""

    @property
    def _unknown_kind(self) -> str:
        return super()._unknown_kind if self.names else EMPTY_GROUP

    @property
    def address(self) -> int:
        """The address in the file, the same for all links to it."""
        return int(h5o.get_info(self.opened).addr)

    @property
    def is_marked(self) -> bool:
        """Whether it says to be an object of Arkouda."""
        return any(h5a.exists(self.opened, name) for name in (layout.OBJ_TYPE, layout.IS_BIGINT))

    @cached_property
    def _links(self) -> tuple[list[bytes], set[bytes]]:
        """Names of all links, and of those that are no plain hard links."""
        names: list[bytes] = []
        indirect: set[bytes] = set()

        def add(name: bytes, info: H5Object) -> None:
            names.append(name)
            if info.type != h5l.TYPE_HARD or b"/" in name:
                indirect.add(name)

        self.opened.links.iterate(add, info=True)
        return names, indirect

    @cached_property
    def names(self) -> list[bytes]:
        """Names of the members.

        Raises
        ------
        FileFormatError
            If two have one name.
        """
        names, _ = self._links
        if len(set(names)) != len(names):
            raise FileFormatError(f"group {self.path or '/'!r} has two members of one name; the file is damaged.")
        return names

    @cached_property
    def _folded(self) -> dict[bytes, bytes]:
        return {name.lower(): name for name in self.names}

    def find(self, *wanted: str) -> bytes | None:
        """Return the first wanted name that exists, in the same or another case."""
        spelled = [name.encode(errors="surrogateescape") for name in wanted]
        exact = (name for name in spelled if name in self.names)
        return next(exact, next((self._folded[n.lower()] for n in spelled if n.lower() in self._folded), None))

    def find_values(self, *wanted: str) -> bytes | None:
        """Return the name of ``values`` or ``segments``, also where it is spelled ``<leaf>_values``."""
        leaf = self.path.rpartition("/")[2]
        return self.find(*wanted, *[f"{leaf}_{member}" for member in wanted])

    def path_of(self, name: bytes) -> str:
        """Return the path of a member in the file."""
        leaf = name.decode(errors="surrogateescape")
        return f"{self.path}/{leaf}" if self.path else leaf

    def open(self, name: bytes) -> Node:
        """Open a member.

        Raises
        ------
        NotFlatError
            If it is a link that leads nowhere, or to another file.
        """
        _, indirect = self._links
        opened = _step(self.opened, name, [_MOST_LINKS]) if name in indirect else h5o.open(self.opened, name)
        return _node(opened, self.path_of(name))

    def at(self, path: str) -> Node:
        """Open the object at a path below this group.

        Raises
        ------
        NotFlatError
            If the path leads nowhere, or out of the file.
        """
        return _node(_walk(self.opened, path.encode(errors="surrogateescape"), [_MOST_LINKS]), path)

    def describe(self, name: bytes | None, wanted: str) -> tuple[DatasetSchema, Slot]:
        """Describe a member that must be a flat dataset.

        Raises
        ------
        NotFlatError
            If it is missing or is not one.
        """
        if name is None:
            raise NotFlatError(f"has no member {wanted!r}")
        node = self.open(name)
        if not isinstance(node, StoredDataset):
            raise NotFlatError(f"has a member {wanted!r} that is no dataset")
        return node.describe()

    def storage_size(self, name: bytes) -> int:
        """Return the bytes in which a member is stored that is a dataset."""
        node = self.open(name)
        return int(node.opened.get_storage_size()) if isinstance(node, StoredDataset) else 0

    def subgroup(self, name: bytes | None, wanted: str) -> StoredGroup:
        """Open a member that must be a group.

        Raises
        ------
        NotFlatError
            If it is missing or is not one.
        """
        node = None if name is None else self.open(name)
        if not isinstance(node, StoredGroup):
            raise NotFlatError(f"has no group {wanted!r}")
        return node

    @cached_property
    def members(self) -> dict[str, Node]:
        """All members by name, completely read, without documented second names."""
        names, _ = self._links
        present = set(names)
        leaf = self.path.rpartition("/")[2].encode(errors="surrogateescape")
        seconds = {name for name in names if name.startswith(leaf + b"_") and name[len(leaf) + 1 :] in present}
        return {name.decode(errors="surrogateescape"): self._member(name) for name in names if name not in seconds}

    def _member(self, name: bytes) -> Node:
        path = self.path_of(name)
        if path.count("/") >= _DEEPEST:
            return Foreign(path, "is nested too deeply")
        try:
            found = self.open(name)
            if not isinstance(found, Foreign):
                found.load()
        except NotFlatError as error:
            return Foreign(path, str(error))
        except (*HDF5_ERRORS, AkdaskError) as error:
            return Foreign(path, f"cannot be opened: {error}")
        return found

    def dataset(self, name: str) -> StoredDataset | None:
        """Return a member that is a dataset."""
        found = self.members.get(name)
        return found if isinstance(found, StoredDataset) else None

    def group(self, name: str) -> StoredGroup | None:
        """Return a member that is a group."""
        found = self.members.get(name)
        return found if isinstance(found, StoredGroup) else None

    def numbered(self, stem: str) -> dict[int, Node]:
        """Return members ``<stem>0``, ``<stem>1`` and so on by number, in order."""
        found = {int(name[len(stem) :]): node for name, node in self.members.items() if _is_numbered(name, stem)}
        return dict(sorted(found.items()))

    def load(self) -> None:
        """Read all of it, to be used after the file is closed."""
        _ = self.kind, self.attributes, self.members
        self.opened = None

    def _inferred_kind(self) -> ObjType | None:
        has = self.find
        if h5a.exists(self.opened, layout.IS_BIGINT) or has("Limb_0") or has(layout.OLD_BOOLEANS):
            return ObjType.PDARRAY
        if has(CODES) and has(CATEGORIES):
            return ObjType.CATEGORICAL
        if has(UNIQUE_KEY_IDX):
            return ObjType.GROUPBY
        if has(f"{LEVEL}0"):
            return ObjType.MULTIINDEX if has(f"{LEVEL}1") else ObjType.INDEX
        if values := self.find_values(VALUES):
            found = self.open(values)
            are_bytes = isinstance(found, StoredDataset) and found.opened.dtype == "u1"
            return ObjType.STRINGS if are_bytes and not self._are_bools(found) else ObjType.SEGARRAY
        return ObjType.DATAFRAME if has(ROW_LABELS) else None

    def _are_bools(self, values: Node) -> bool:
        """Whether bytes are the bools of lists: the columns of a DataFrame in one file have no ``ObjType``."""
        return any(isinstance(part, StoredNode) and part.integer(layout.IS_BOOL) == 1 for part in (values, self))


Node: TypeAlias = StoredGroup | StoredDataset | Foreign


def group_of(node: Node) -> StoredGroup:
    """Return the node, which must be a group.

    Raises
    ------
    NotFlatError
        If it is something else.
    """
    if not isinstance(node, StoredGroup):
        raise NotFlatError("is a dataset, but its kind is kept in a group")
    return node


def _node(opened: H5Object, path: str) -> Node:
    if isinstance(opened, h5d.DatasetID):
        return StoredDataset(opened, path)
    return StoredGroup(opened, path) if isinstance(opened, h5g.GroupID) else Foreign(path, "is a named type")


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


def _is_numbered(name: str, stem: str) -> bool:
    digits = name[len(stem) :]
    return name.startswith(stem) and digits.isascii() and digits.isdigit() and str(int(digits)) == digits


def root_of(file: Any) -> StoredGroup:
    """Return the root group of an open file."""
    return StoredGroup(h5g.open(file.id, b"/"), "")


@record
class FileMetadata:
    """One file: its root group, or why there is none."""

    path: str
    size: int
    root: StoredGroup
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
    size = 0
    try:
        size = identify(path).size
        with open_file(path) as opened:
            if opened.id.get_create_plist().get_userblock():
                return FileMetadata(path, size, _nothing(), "HDF5 does not begin at the first byte of the file")
            root = root_of(opened)
            root.load()
            return FileMetadata(path, size, root)
    except AkdaskError as error:
        return FileMetadata(path, size, _nothing(), " ".join([error.message, *error.details]))


def _nothing() -> StoredGroup:
    """Return a group without anything."""
    found = StoredGroup(None, "")
    found.attributes, found.members = {}, {}
    return found


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it."""
    yield node
    if isinstance(node, StoredGroup):
        for member in node.members.values():
            yield from walk(member)


def rows_of(node: Node) -> int | None:
    """Return how many rows an object has in its file, None if that is not to be seen without reading data."""
    if isinstance(node, StoredDataset):
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
