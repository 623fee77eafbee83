"""The arrays that a sample becomes: which fields go into which, one after the other, and their sizes and types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.errors import ArgumentError
from akdask.hdf5.tree.elements import TEXT, StoredElements
from akdask.lbann.errors import SampleSizeError, SampleTypeError
from akdask.lbann.schema import FieldMetadata, SampleFields
from akdask.lbann.transform.field import FieldTransform
from akdask.lbann.transform.recycled import empty

Values = npt.NDArray[Any]


def groups_of(fields: SampleFields) -> dict[str, list[FieldMetadata]]:
    """Return the members of each group in the order in which they are packed.

    Parameters
    ----------
    fields : SampleFields
        Ties of `ordering` are broken by their order.
    """
    groups: dict[str, list[FieldMetadata]] = {}
    for field in fields.values():
        if field.directives.pack is not None:
            groups.setdefault(field.directives.pack, []).append(field)
    return {name: sorted(members, key=_ordering) for name, members in groups.items()}


def _ordering(field: FieldMetadata) -> int:
    return 0 if field.directives.ordering is None else field.directives.ordering


def names_of(fields: SampleFields, *, keep_packed_fields: bool) -> tuple[str, ...]:
    """Return under which names arrays of a sample can be retrieved: groups first, then fields.

    Parameters
    ----------
    fields : SampleFields
        What is read.
    keep_packed_fields : bool
        Whether packed fields stay; a group that has the name of one stands in its place.
    """
    single = [path for path, field in fields.items() if keep_packed_fields or field.directives.pack is None]
    return tuple(dict.fromkeys([*groups_of(fields), *single]))


class Target(NamedTuple):
    """Where the elements of a field go: columns of the array of a name."""

    name: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class SampleLayout:
    """The arrays of a sample whose stored elements are known.

    Parameters
    ----------
    transforms : mapping of str to FieldTransform
        By field, in the order of the fields.
    targets : mapping of str to sequence of Target
        Where the elements of each field go; twice, if a packed field stays.
    dtypes : mapping of str to numpy.dtype
        By name.
    sizes : mapping of str to int
        Elements of a sample, by name.
    dims : mapping of str to tuple of int
        By name.
    """

    transforms: Mapping[str, FieldTransform]
    targets: Mapping[str, Sequence[Target]]
    dtypes: Mapping[str, np.dtype[Any]]
    sizes: Mapping[str, int]
    dims: Mapping[str, tuple[int, ...]]

    def allocate(self, n: int) -> dict[str, Values]:
        """Return arrays for n samples, with anything in them."""
        return {name: empty((n, self.sizes[name]), _storable(dtype)) for name, dtype in self.dtypes.items()}

    def fitting(self, out: Mapping[str, Values], n: int) -> dict[str, Values]:
        """Return arrays that take n samples, if they can.

        Raises
        ------
        ArgumentError
            If one is missing, or has another shape or type.
        """
        for name, dtype in self.dtypes.items():
            given = out.get(name)
            if given is None or given.shape != (n, self.sizes[name]) or given.dtype != _storable(dtype):
                shown = "nothing" if given is None else f"an array of shape {given.shape} and type {given.dtype}"
                raise ArgumentError(
                    f"{name!r} needs an array of shape {(n, self.sizes[name])} and type {dtype}, not {shown}."
                )
        return {name: out[name] for name in self.dtypes}

    def check_same(self, path: str, first: SampleLayout) -> None:
        """Refuse a field that becomes elements of another type or number than in another layout.

        Raises
        ------
        SampleTypeError, SampleSizeError
            If it does.
        """
        own, other = self.transforms[path], first.transforms[path]
        if own.size != other.size:
            raise SampleSizeError(
                f"the field has {own.size:,} elements, but {other.size:,} in the samples before.",
                field=path,
                hint="leave the sample out, or write it again with as many elements as the others have.",
            )
        if own.dtype != other.dtype:
            raise SampleTypeError(
                f"the field has {own.dtype} elements, but {other.dtype} in the samples before.",
                field=path,
                hint="add 'coerce: float' or 'coerce: double' to its metadata.",
            )


def _storable(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(object) if dtype == TEXT else dtype


def layout_of(fields: SampleFields, stored: Mapping[str, StoredElements], *, keep_packed_fields: bool) -> SampleLayout:
    """Return the arrays that samples become.

    Parameters
    ----------
    fields : SampleFields
        What is read, and what is done to it.
    stored : mapping of str to StoredElements
        What a sample has in the file, by field.
    keep_packed_fields : bool
        Whether packed fields are arrays of their own as well.

    Raises
    ------
    SampleTypeError
        If a field has elements that cannot be transformed as demanded, or members of a group have different types.
    SampleSizeError
        If a field has not as many elements as it needs.
    """
    transforms = {path: FieldTransform(field, stored[path]) for path, field in fields.items()}
    dtypes: dict[str, np.dtype[Any]] = {}
    sizes: dict[str, int] = {}
    dims: dict[str, tuple[int, ...]] = {}
    targets: dict[str, list[Target]] = {path: [] for path in fields}
    groups = groups_of(fields)
    for name, members in groups.items():
        end = 0
        for field in members:
            transform = transforms[field.path]
            targets[field.path].append(Target(name, end, end + transform.size))
            end += transform.size
        dtypes[name] = _common_type(name, [transforms[field.path] for field in members])
        sizes[name], dims[name] = end, (end,)
    for name in names_of(fields, keep_packed_fields=keep_packed_fields):
        if name not in groups:
            transform = transforms[name]
            targets[name].append(Target(name, 0, transform.size))
            dtypes[name], sizes[name] = transform.dtype, transform.size
            dims[name] = _dims(fields[name], transform.size)
    return SampleLayout(transforms, targets, dtypes, sizes, dims)


def _common_type(name: str, members: Sequence[FieldTransform]) -> np.dtype[Any]:
    first = members[0]
    for other in members[1:]:
        if other.dtype != first.dtype:
            raise SampleTypeError(
                f"group {name!r} would have elements of two types.",
                field=other.path,
                details=list(_types(members)),
                hint="coerce all members to 'float', or all to 'double'.",
            )
    return first.dtype


def _types(members: Sequence[FieldTransform]) -> Iterator[str]:
    for member in members:
        yield f"{member.path} is {member.dtype}"


def _dims(field: FieldMetadata, size: int) -> tuple[int, ...]:
    channels, dims = field.directives.channels, field.directives.dims
    return (size,) if channels is None or dims is None else (channels, *dims)
