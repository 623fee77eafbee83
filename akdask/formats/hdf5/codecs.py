"""Describe objects in files, read their columns, and lay them out in new files, by tables of kinds."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple, Protocol

from akdask.cluster import check_memory
from akdask.errors import UnsupportedError
from akdask.formats.hdf5 import bigint, composite, pdarray, segarray, strings
from akdask.formats.hdf5.description import ColumnLocation, Described, Elements, ObjectSchema, Problem
from akdask.formats.hdf5.metadata import Foreign, NotFlatError, StoredDataset, StoredGroup
from akdask.storage.objects import Columns, ObjectSpec, ObjType
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share


class Describe(Protocol):
    """Describes objects of a kind."""

    def __call__(self, node: StoredGroup | StoredDataset, kind: ObjType) -> Described:
        """Return schema and places of an object of an open file.

        Raises
        ------
        NotFlatError
            If the object does not have the structure of its kind; the text continues "the object …".
        """
        ...


class LayOut(Protocol):
    """Lays out objects of a kind."""

    def __call__(self, spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
        """Return an object's layout in one partition's file.

        Raises
        ------
        SchemaError
            If a column cannot be stored as the object wants it.
        """
        ...


class ReadColumn(Protocol):
    """Reads columns of a type."""

    def __call__(
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


class Codec(NamedTuple):
    """How objects of a kind are described and laid out."""

    describe: Describe
    lay_out: LayOut


_NUMBERS = Codec(pdarray.describe, pdarray.lay_out)
_INDEX = Codec(composite.describe_index, composite.lay_out_index)

CODECS: dict[ObjType, Codec] = {
    ObjType.PDARRAY: _NUMBERS,
    ObjType.DATETIME: _NUMBERS,
    ObjType.TIMEDELTA: _NUMBERS,
    ObjType.IPV4: _NUMBERS,
    ObjType.ARRAYVIEW: Codec(pdarray.describe_shaped, pdarray.lay_out),
    ObjType.STRINGS: Codec(strings.describe, strings.lay_out),
    ObjType.SEGARRAY: Codec(segarray.describe, segarray.lay_out),
    ObjType.CATEGORICAL: Codec(composite.describe_categorical, composite.lay_out_categorical),
    ObjType.INDEX: _INDEX,
    ObjType.MULTIINDEX: _INDEX,
    ObjType.DATAFRAME: Codec(composite.describe_dataframe, composite.lay_out_dataframe),
    ObjType.GROUPBY: Codec(composite.describe_groupby, composite.lay_out_groupby),
}
"""Codecs by kind of object."""

READERS: dict[str, ReadColumn] = {
    "int": pdarray.read,
    "uint": pdarray.read,
    "float": pdarray.read,
    "bool": pdarray.read,
    "bigint": bigint.read,
    "str": strings.read,
    "list": segarray.read,
}
"""Readers by kind of column type."""

_UNCHECKED_ROWS = 2**23
"""Rows that are read without checking the available memory."""

_COPIES = 3
"""Copies of about the stored size that reading needs: the stored bytes, the segments and the decoded column."""


def read_column(
    elements: Elements, place: ColumnLocation, start: int, stop: int, out: NumberArray | None = None
) -> Column:
    """Return rows of a column of any type; see `ReadColumn`.

    Raises
    ------
    TransferError
        If they would take more memory than this process may use for them: a short list may claim any number of values.
    """
    if stop - start > _UNCHECKED_ROWS:
        check_memory(_COPIES * (stop - start) * place.dtype.itemsize, "these rows take", "read fewer rows")
    return READERS[place.dtype.kind](elements, place, start, stop, out)


def describe_object(
    group: StoredGroup, encoded: bytes, allowed: Collection[ObjType] = tuple(ObjType)
) -> Described | None:
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
    """Return the layout of an object of any kind in one partition's file; for errors see `LayOut`."""
    return CODECS[spec.kind].lay_out(spec, columns, tables, share)
