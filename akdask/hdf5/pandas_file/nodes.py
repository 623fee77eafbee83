"""Groups, arrays and attributes of files that PyTables wrote, with nothing unpickled and no other file looked into."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
from h5py import h5d, h5o, h5t

from akdask.errors import FileFormatError, UnsupportedError
from akdask.hdf5.pandas_file.literals import Opaque, literal

_EXPANSION = 2**11
"""How many times as large as on disk data may be that is compressed: deflate's most is 1032."""


class GroupNode:
    """A group of the file, or a dataset of PyTables with attributes of its own.

    Parameters
    ----------
    node : h5py.Group or h5py.Dataset
        What h5py has opened.
    path : str
        The file.
    name : str
        Where in the file.
    """

    def __init__(self, node: Any, path: str, name: str) -> None:
        self._node = node
        self._path = path
        self.name = name

    @property
    def place(self) -> str:
        """What messages call it."""
        return f"{self.name!r} of {self._path!r}"

    @property
    def address(self) -> int:
        """What is the same for all links to it."""
        return int(h5o.get_info(self._node.id).addr)

    @property
    def names(self) -> list[str]:
        """Names of the members."""
        return list(self._node)

    def kind(self, name: str) -> type | None:
        """Return the h5py class of a member, None if it is missing, or not in this file."""
        link = self._node.get(name, getlink=True) if name in self._node.keys() else None  # noqa: SIM118
        return self._node.get(name, getclass=True) if isinstance(link, h5py.HardLink) else None

    def group(self, name: str) -> GroupNode:
        """Return a member that is a group."""
        return self._member(name, h5py.Group)

    def array(self, name: str) -> ArrayNode:
        """Return a member that is a dataset."""
        found = self._member(name, h5py.Dataset)
        return ArrayNode(found._node, self._path, found.name)

    def _member(self, name: str, kind: type) -> GroupNode:
        place = f"{self.name.rstrip('/')}/{name}"
        if self.kind(name) is not kind:
            raise FileFormatError(f"{place!r} of {self._path!r} is missing, or not what pandas writes.")
        return GroupNode(self._node[name], self._path, place)

    def attribute(self, name: str) -> Any:
        """Return the value of an attribute, None if there is none; `Opaque` where it is the pickle of an object."""
        value = self._node.attrs.get(name)
        if isinstance(value, h5py.Empty):
            return ""
        if isinstance(value, bytes):
            try:
                return literal(value) if value.endswith(b".") else _text(value)
            except ValueError:
                return _text(value)
        return value.item() if isinstance(value, np.generic) else value

    def plain(self, name: str) -> Any:
        """Return the value of an attribute.

        Raises
        ------
        UnsupportedError
            If it is the pickle of an object.
        """
        value = self.attribute(name)
        if type(value) is Opaque:
            raise UnsupportedError(
                f"the attribute {name!r} of {self.place} is a pickled Python object, which is not read.",
                details=[f"it names {value.name!r}"],
                hint="pickles can run any program; write the file again with plain names and numbers.",
            )
        return value


class ArrayNode(GroupNode):
    """A dataset."""

    @property
    def is_pickled(self) -> bool:
        """Whether it holds Python objects."""
        return self.attribute("PSEUDOATOM") is not None or self._type.get_class() in {h5t.VLEN, h5t.OPAQUE}

    @property
    def _type(self) -> Any:
        return self._node.id.get_type()

    def read(self) -> npt.NDArray[Any]:
        """Read all of it.

        Raises
        ------
        UnsupportedError
            If it holds Python objects, or its bytes are in other files.
        FileFormatError
            If it is said to be larger than what is there can be.
        """
        self._check()
        values: npt.NDArray[Any] = self._node[()]
        # PyTables stores truth values as fields of bits, of which h5py makes numbers.
        return values != 0 if self._type.get_class() == h5t.BITFIELD else values

    def _check(self) -> None:
        if self.is_pickled:
            raise UnsupportedError(
                f"{self.place} holds pickled Python objects, which are not read.",
                hint="pickles can run any program; write text with format='table', and leave other objects out.",
            )
        made = self._node.id.get_create_plist()
        if made.get_external_count() or made.get_layout() == h5d.VIRTUAL:
            raise UnsupportedError(f"{self.place} has its bytes in other files, which are not read.")
        declared = self._node.size * self._node.dtype.itemsize
        if declared > _EXPANSION * self._node.id.get_storage_size():
            raise FileFormatError(f"{self.place} is said to have {declared} bytes, which are not there.")


def _text(raw: bytes) -> str:
    return raw.decode(errors="surrogateescape")
