"""One module for each kind of object, which describes it in a file and lays it out in a new one.

A new kind is a new module with `KINDS`, `describe` and `lay_out`, and its name in `_MODULES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from akdask.hdf5.codecs import categorical, pdarray, strings
from akdask.hdf5.description import Described
from akdask.hdf5.layout import H5Object, ObjType
from akdask.hdf5.newfile import Columns, NewObject, ObjectSpec, Share


class Codec(Protocol):
    """What a module of this package offers."""

    @property
    def KINDS(self) -> Sequence[ObjType]:
        """Kinds that the module is for."""
        ...

    def describe(self, name: str, kind: ObjType, node: H5Object) -> Described:
        """Return schema and places of an open object.

        Raises
        ------
        NotFlatError
            If the object is not made as its kind should be; the text continues "the object …".
        """
        ...

    def lay_out(self, spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
        """Return what one partition's file will hold of an object.

        Raises
        ------
        SchemaError
            If a column cannot be stored as the object wants it.
        """
        ...


_MODULES: tuple[Codec, ...] = (pdarray, strings, categorical)

CODECS: dict[ObjType, Codec] = {kind: module for module in _MODULES for kind in module.KINDS}
