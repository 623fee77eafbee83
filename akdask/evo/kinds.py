"""The kinds of arrays: which columns each has, in the order in which they are matched.

A kind is found by the number of columns and their exact types, never by names.  The first that fits is the kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from akdask.errors import ArgumentError
from akdask.evo.errors import KindError
from akdask.records import record

Form: TypeAlias = Literal["array", "plain", "lookup"]
"""Which keys a description has: ``width`` and ``data_type``, only ``data_type``, or the types of keys and values."""

TYPES: dict[str, Any] = {
    "float64": pa.float64(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint8": pa.uint8(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", "UTC"),
}
"""Exact Arrow types of columns, by the names that descriptions have for them."""

_MOST_SHOWN = 12

_NAMES = {arrow: name for name, arrow in TYPES.items()}


@record
class ArrayKind:
    """One kind of array.

    Parameters
    ----------
    name : str
        Its name.
    types : tuple of str
        Type names of its columns; the one type of all columns where `widths` is given.
    widths : tuple of int, optional
        Allowed numbers of columns, all of one type; empty for any number from 1 on, None where `types` has a type for
        each column.
    form : {"array", "plain", "lookup"}, default "array"
        Which keys its description has.
    """

    name: str
    types: tuple[str, ...]
    widths: tuple[int, ...] | None = None
    form: Form = "array"

    def fits(self, types: Sequence[str]) -> bool:
        """Whether columns of these types make such an array."""
        if self.widths is None:
            return tuple(types) == self.types
        return set(types) == set(self.types) and (not self.widths or len(types) in self.widths)


def _of_each_width(name: str, item: str, *widths: int) -> list[ArrayKind]:
    return [ArrayKind(f"{name}-{width}", (item,), (width,)) for width in widths]


KINDS: tuple[ArrayKind, ...] = (
    *_of_each_width("float-array", "float64", 1, 2, 3, 6),
    ArrayKind("float-array-md", ("float64",), ()),
    *_of_each_width("index-array", "uint64", 1, 2, 3, 4, 8),
    ArrayKind("integer-array-1-int32", ("int32",), (1,)),
    ArrayKind("integer-array-1-int64", ("int64",), (1,)),
    ArrayKind("integer-array-md-int32", ("int32",), ()),
    ArrayKind("integer-array-md-int64", ("int64",), ()),
    ArrayKind("bool-array-1", ("bool",), (1,), "plain"),
    ArrayKind("bool-array-md", ("bool",), ()),
    ArrayKind("brep-container-brep", ("uint8",), (1,)),
    ArrayKind("color-array", ("uint32",), (1,), "plain"),
    ArrayKind("date-time-array", ("timestamp",), (1,), "plain"),
    ArrayKind("string-array", ("string",), (1,), "plain"),
    ArrayKind("downhole-collection-location-holes", ("int32", "uint64", "uint64")),
    ArrayKind("unstructured-grid-geometry-cells", ("int32", "uint64", "int32")),
    ArrayKind("lines-2d-indices", ("uint64", "uint64", "float64")),
    ArrayKind("lookup-table-int32", ("int32", "string"), form="lookup"),
    ArrayKind("lookup-table-int64", ("int64", "string"), form="lookup"),
)
"""All kinds, in the order in which they are matched."""

BY_NAME = {kind.name: kind for kind in KINDS}


def type_name(arrow: Any) -> str | None:
    """Return the name that descriptions have for an Arrow type, None for types that no blob may have.

    Examples
    --------
    >>> type_name(pa.float64()), type_name(pa.float32()), type_name(pa.timestamp("us", "Etc/UTC"))
    ('float64', None, None)
    """
    return _NAMES.get(arrow)


def readable_name(arrow: Any) -> str | None:
    """Return the name of the type that a stored column is read as, None for types that no blob may have.

    Besides the exact types these are the types that Arrow restores from a writer's schema over the right Parquet type:
    other layouts of text, dictionaries of text, and names of other zones.

    Examples
    --------
    >>> readable_name(pa.large_string()), readable_name(pa.timestamp("us", "Pacific/Auckland"))
    ('string', 'timestamp')
    """
    if pa.types.is_dictionary(arrow):
        arrow = arrow.value_type
    if pa.types.is_large_string(arrow) or str(arrow) == "string_view":
        return "string"
    if pa.types.is_timestamp(arrow) and arrow.unit == "us" and arrow.tz is not None:
        return "timestamp"
    return type_name(arrow)


def kind_of_types(types: Sequence[str]) -> ArrayKind | None:
    """Return the kind of array that has columns of some types, None if none has.

    Examples
    --------
    >>> kind_of_types(["float64"] * 3).name, kind_of_types(["uint64"] * 5)
    ('float-array-3', None)
    """
    return next((kind for kind in KINDS if kind.fits(types)), None)


def kind_of_schema(schema: Any, *, blob: str | None = None) -> ArrayKind:
    """Return the kind of array that the columns of an Arrow schema make.

    Parameters
    ----------
    schema : pyarrow.Schema
        The columns; names are ignored.
    blob : str, optional
        Name of the blob, for messages.

    Raises
    ------
    KindError
        If a column has a type that no blob may have, or there is no kind with such columns.
    """
    what = "the table" if blob is None else f"blob {blob!r}"
    if not len(schema):
        raise KindError(f"{what} has no column.", hint="an array has one column or more.")
    names = [type_name(field.type) for field in schema]
    bad = [
        f"column {number} ({field.name!r}): {field.type}" for number, field in enumerate(schema) if not names[number]
    ]
    if bad:
        raise KindError(
            f"{what} has columns of types that no array has.",
            details=bad,
            hint=f"cast them to one of {', '.join(TYPES)}; string is not large_string, and timestamp is [us, UTC].",
        )
    types = [name for name in names if name is not None]
    found = kind_of_types(types)
    if found is None:
        raise KindError(
            f"no kind of array has the {len(types)} columns {'/'.join(types[:_MOST_SHOWN])} of {what}.",
            hint="see akdask.evo.kinds.KINDS: indices have 1, 2, 3, 4 or 8 columns of uint64; colours, times and text"
            " have one column; lookup tables have keys first.",
        )
    return found


def data_type_of(types: Sequence[str]) -> str:
    """Return the ``data_type`` of columns: the one name if all agree, else all names joined by a slash.

    Examples
    --------
    >>> data_type_of(["float64", "float64"]), data_type_of(["int32", "uint64", "uint64"])
    ('float64', 'int32/uint64/uint64')
    """
    return types[0] if len(set(types)) == 1 else "/".join(types)


@record
class Role:
    """The role of an array.

    Parameters
    ----------
    name : str
        Its name.
    has_nulls : bool, default False
        Whether values may be null or NaN.
    types : tuple of str, optional
        Allowed type names of columns; any by default.
    tolerated : mapping of str to str, optional
        Types that are read for others with a warning, and never written.
    """

    name: str
    has_nulls: bool = False
    types: tuple[str, ...] | None = None
    tolerated: Mapping[str, str] | None = None


_ROLES = (
    Role("geometry"),
    Role("attribute", has_nulls=True),
    Role("index", types=("uint64",), tolerated={"int64": "uint64"}),
    Role("category", has_nulls=True, types=("int32", "int64")),
    Role("lookup", types=("int32", "int64", "string")),
    Role("mask", types=("bool",)),
    Role("color", has_nulls=True, types=("uint32",), tolerated={"int32": "uint32"}),
    Role("time", has_nulls=True, types=("timestamp",)),
)

AS_DESCRIBED = {"uint32": "int32"}
"""Types of columns that are read from other ones with a warning where a description says so: images of the vendor's
converters have the bits of colors as int32."""

ROLES = {role.name: role for role in _ROLES}
"""All roles by name: the two of the format, and more specific ones."""


def role_named(name: Any) -> Role:
    """Return the role of a name.

    Raises
    ------
    ArgumentError
        If there is none.

    Examples
    --------
    >>> role_named("geometry").has_nulls
    False
    """
    found = ROLES.get(name) if isinstance(name, str) else None
    if found is None:
        raise ArgumentError(f"role is one of {', '.join(map(repr, ROLES))}, not {name!r:.100}.")
    return found
