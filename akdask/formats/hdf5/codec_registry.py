"""Registry of codecs by kind of object; codecs of composite objects look up their members here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from akdask.cluster import check_memory
from akdask.errors import UnsupportedError
from akdask.formats.hdf5.description import ColumnLocation, Described, ObjectSchema, Problem
from akdask.formats.hdf5.elements import Elements
from akdask.formats.hdf5.metadata import Dataset, Foreign, Group, NotFlatError
from akdask.storage.objects import Columns, ObjectSpec, ObjType
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share


class Codec(Protocol):
    """Protocol of a module that describes and lays out objects of some kinds."""

    @property
    def KINDS(self) -> Sequence[ObjType]:
        """Kinds that the module is for."""
        ...

    def describe(self, node: Group | Dataset, kind: ObjType) -> Described:
        """Return schema and places of an object of an open file.

        Raises
        ------
        NotFlatError
            If the object does not have the structure of its kind; the text continues "the object …".
        """
        ...

    def lay_out(self, spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
        """Return an object's layout in one partition's file.

        Raises
        ------
        SchemaError
            If a column cannot be stored as the object wants it.
        """
        ...


class ColumnCodec(Protocol):
    """Protocol of a module that reads columns of some types."""

    @property
    def COLUMNS(self) -> Sequence[str]:
        """Kinds of column types that the module reads."""
        ...

    def read(
        self, elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
    ) -> Column:
        """Return rows `start` to `stop` of the file, at least one.

        `out`, where given, is a contiguous array of the column's dtype with at least as many elements.  Numbers are
        read into it, and the result is a view of it.

        Raises
        ------
        FileFormatError
            If the data is damaged, or the file ends early.
        """
        ...


_UNCHECKED_ROWS = 2**23
"""Rows that are read without checking the available memory."""

_COPIES = 3
"""Copies of about the stored size that reading needs: the stored bytes, the segments and the decoded column."""

CODECS: dict[ObjType, Codec] = {}
COLUMN_CODECS: dict[str, ColumnCodec] = {}


def register(codec: Codec) -> None:
    """Put a module in charge of its kinds of objects."""
    CODECS.update(dict.fromkeys(codec.KINDS, codec))


def register_columns(codec: ColumnCodec) -> None:
    """Put a module in charge of reading its kinds of columns."""
    COLUMN_CODECS.update(dict.fromkeys(codec.COLUMNS, codec))


def read_column(
    elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
) -> Column:
    """Return rows of a column of any type; see `ColumnCodec.read`.

    Raises
    ------
    TransferError
        If they would take more memory than this process may use for them: a short list may claim any number of values.
    """
    if stop - start > _UNCHECKED_ROWS:
        check_memory(_COPIES * (stop - start) * place.dtype.itemsize, "these rows take", "read fewer rows")
    return COLUMN_CODECS[place.dtype.kind].read(elements, place, start, stop, out)


def describe_object(group: Group, encoded: bytes, allowed: Collection[ObjType] = tuple(ObjType)) -> Described | None:
    """Describe one member of a group, or root, as an object; None if it is neither group nor dataset.

    Errors in one object do not affect the others, so they are noted in its description, including a kind that is not
    allowed there.
    """
    name, kind = group.path_of(encoded), ObjType.UNKNOWN
    try:
        node = group.open(encoded)
        if isinstance(node, Foreign):
            return None
        found = node.find_kind()
        if isinstance(found, Problem):
            return Described(ObjectSchema(name, kind, problem=found))
        kind = found
        codec = CODECS.get(kind) if kind in allowed else None
        if codec is None:
            return _unreadable(name, kind, f"is of kind {kind.label}, which cannot be read")
        return codec.describe(node, kind)
    except NotFlatError as error:
        return _unreadable(name, kind, str(error))


def _unreadable(name: str, kind: ObjType, text: str) -> Described:
    return Described(ObjectSchema(name, kind, problem=Problem(UnsupportedError, text)))


def lay_out_object(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Return the layout of an object of any kind in one partition's file; for errors see `Codec.lay_out`."""
    return CODECS[spec.kind].lay_out(spec, columns, tables, share)
