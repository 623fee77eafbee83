"""Transform the elements of one field: coerce, normalize, move channels to the front."""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.errors import ArgumentError, warn
from akdask.formats.hdf5.open_files import TEXT, StoredElements
from akdask.lbann import tuning
from akdask.lbann.errors import LbannWarning, SampleSizeError, SampleTypeError, UnknownNameError
from akdask.lbann.schema import FieldMetadata, SampleFields
from akdask.records import record

Values = npt.NDArray[Any]


class _Elements(NamedTuple):
    """Consecutive elements of a sample with their factors: one number, or one each."""

    start: int
    stop: int
    scale: float | Values
    bias: float | Values


class Normalization:
    """Scale and bias for fields of one size.

    Parameters
    ----------
    scale, bias : tuple of float
        One number, or one for each channel.
    size : int
        Elements of a sample.
    is_blockwise : bool
        Whether the elements of a channel are contiguous; otherwise channels are interleaved.
    """

    def __init__(self, scale: tuple[float, ...], bias: tuple[float, ...], size: int, *, is_blockwise: bool) -> None:
        self._block = tuning.BLOCK_ELEMENTS
        self._columns = list(_columns(scale, bias, size, self._block, is_blockwise=is_blockwise))

    def apply(self, values: Values, out: Values) -> None:
        """Normalise samples.

        Parameters
        ----------
        values : ndarray, shape (n, size)
            float32 or float64.
        out : ndarray, shape (n, size)
            Receives the result, of the same type; may be `values` itself.
        """
        scratch = np.empty(self._block)
        with np.errstate(all="ignore"):  # infinities and NaN are values as any other, as in C
            for columns in self._columns:
                width = columns.stop - columns.start
                step = max(self._block // max(width, 1), 1)
                for first in range(0, len(values), step):
                    block = values[first : first + step, columns.start : columns.stop]
                    doubles = scratch[: block.size].reshape(block.shape)
                    np.multiply(block, columns.scale, out=doubles, dtype=np.float64)
                    np.add(doubles, columns.bias, out=doubles)
                    out[first : first + step, columns.start : columns.stop] = doubles


def _columns(
    scale: tuple[float, ...], bias: tuple[float, ...], size: int, block: int, *, is_blockwise: bool
) -> Iterator[_Elements]:
    """Yield blocks of columns that are no longer than `block`."""
    channels = len(scale)
    if channels == 1:
        for start in range(0, size, block):
            yield _Elements(start, min(start + block, size), scale[0], bias[0])
    elif is_blockwise and size // channels >= block:
        length = size // channels
        for channel in range(channels):
            for start in range(0, length, block):
                stop = min(start + block, length)
                yield _Elements(channel * length + start, channel * length + stop, scale[channel], bias[channel])
    elif is_blockwise:
        numbers = [np.repeat(np.array(one), size // channels) for one in (scale, bias)]
        for start in range(0, size, block):
            stop = min(start + block, size)
            yield _Elements(start, stop, numbers[0][start:stop], numbers[1][start:stop])
    else:
        # Each block begins with the first channel.
        step = max(block // channels, 1) * channels
        numbers = [np.resize(np.array(one), min(step, size)) for one in (scale, bias)]
        for start in range(0, size, step):
            stop = min(start + step, size)
            yield _Elements(start, stop, numbers[0][: stop - start], numbers[1][: stop - start])


class FieldTransform:
    """The transformation of a field with known stored elements.  Works on any number of samples at once.

    Parameters
    ----------
    metadata : FieldMetadata
        Directives of the field.
    stored : StoredElements
        Type and number of the elements of a sample in the file.

    Attributes
    ----------
    dtype : numpy.dtype
        Type of the result, in native byte order.
    nbytes : int
        Stored bytes of a sample.
    is_plain : bool
        Whether the stored bytes are the result.
    is_in_place : bool
        Whether stored bytes can be transformed where they lie.

    Raises
    ------
    SampleTypeError
        If elements of this type cannot be transformed as demanded.
    SampleSizeError
        If there are not as many as there are to be transposed, or not the same number in each channel.
    """

    def __init__(self, metadata: FieldMetadata, stored: StoredElements) -> None:
        self.path = metadata.path
        self.stored = stored
        directives = metadata.directives
        native = stored.dtype.newbyteorder("=")
        self.dtype = native if directives.dtype is None else directives.dtype
        self.size = stored.size
        self.nbytes = stored.size * stored.dtype.itemsize
        self._channels = directives.channels or 1
        self._is_transposed = directives.is_transposed
        _check_types(metadata, stored)
        _check_sizes(metadata, stored.size)
        self._normalization = None
        if directives.scale is not None and directives.bias is not None:
            self._normalization = Normalization(
                directives.scale, directives.bias, stored.size, is_blockwise=directives.is_blockwise
            )
        is_same = stored.dtype == self.dtype and self.dtype != TEXT
        self.is_in_place = is_same and not self._is_transposed
        self.is_plain = self.is_in_place and self._normalization is None

    def apply(self, values: Values, out: Values) -> None:
        """Transform samples.

        Parameters
        ----------
        values : ndarray, shape (n, size)
            The stored values.
        out : ndarray, shape (n, size)
            Receives the result, of type `dtype`; may be `values` itself if `is_in_place`.
        """
        if self.size >= tuning.LARGE_ELEMENTS and len(values) > 1:
            for row, target in zip(values, out, strict=True):
                self.apply(row[None], target[None])
            return
        if self._is_transposed:
            same = values if values.dtype == self.dtype else _converted(values, self.dtype)
            if self._normalization is not None:
                normal = np.empty_like(same) if same is values else same
                self._normalization.apply(same, normal)
                same = normal
            n, channels = len(values), self._channels
            shape = (n, channels, self.size // channels)
            # Rows of `out` may lie apart, which reshaping would copy: each channel is a run of columns.
            source = same.reshape(n, shape[2], channels)
            for channel in range(channels):
                out[:, channel * shape[2] : (channel + 1) * shape[2]] = source[:, :, channel]
            return
        if values is not out and not (values.dtype == self.dtype and self._normalization is not None):
            with np.errstate(all="ignore"):  # undefined in C, but no error here
                out[...] = values
            values = out
        if self._normalization is not None:
            self._normalization.apply(values, out)


def _converted(values: Values, dtype: np.dtype[Any]) -> Values:
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def _check_types(metadata: FieldMetadata, stored: StoredElements) -> None:
    directives = metadata.directives
    if stored.dtype == TEXT:
        for key in ("coerce", "scale", "bias", "pack"):
            if key in metadata:
                raise SampleTypeError(
                    f"the field is text, to which {key!r} cannot be applied.",
                    field=metadata.path,
                    schema=metadata.entries[key].place,
                    hint="leave the field out of the experiment schema, or the key out of its metadata.",
                )
        return
    dtype = stored.dtype if directives.dtype is None else directives.dtype
    if dtype.kind == "f":
        return
    steps = {
        "normalised": directives.scale is not None,
        "packed": directives.pack is not None,
        "transposed": directives.is_transposed,
    }
    for step, is_demanded in steps.items():
        if is_demanded:
            raise SampleTypeError(
                f"the field has {dtype.newbyteorder('=')} elements, and only float32 and float64 are {step}.",
                field=metadata.path,
                schema=_first_place(metadata),
                hint="add 'coerce: float' or 'coerce: double' to its metadata.",
            )


def _check_sizes(metadata: FieldMetadata, size: int) -> None:
    directives = metadata.directives
    if directives.is_blockwise and directives.scale is not None and size % len(directives.scale):
        raise SampleSizeError(
            f"the field has {size:,} elements, which do not divide by {len(directives.scale)} channels.",
            field=metadata.path,
            schema=_first_place(metadata),
        )
    if directives.dims is None or directives.channels is None:
        return
    expected = directives.channels
    for length in directives.dims:  # Python integers do not overflow
        expected *= length
    if expected == size:
        return
    shown = " x ".join(map(str, (directives.channels, *directives.dims)))
    if directives.is_transposed:
        raise SampleSizeError(
            f"the field has {size:,} elements, but channels and dims make {shown} = {expected:,}.",
            field=metadata.path,
            schema=_first_place(metadata),
            hint="correct 'dims' or 'channels'; what is transposed must have just as many.",
        )
    warn(
        f"field {metadata.path!r} has {size:,} elements, but channels and dims make {shown} = {expected:,}.",
        LbannWarning,
    )


def _first_place(metadata: FieldMetadata) -> str | None:
    return next((entry.place for entry in metadata.entries.values()), None)


_IDLE: deque[npt.NDArray[np.uint8]] = deque(maxlen=tuning.IDLE_ARRAYS)
"""Unused memory.  Appending and popping are atomic, since memory is returned wherever an array is dropped."""


class _Lease:
    """Memory of an array; released when no array and no view refers to it."""

    __slots__ = ("__array_interface__", "__weakref__")

    def __init__(self, memory: npt.NDArray[np.uint8]) -> None:
        self.__array_interface__ = memory.__array_interface__
        weakref.finalize(self, _give_back, memory).atexit = False


def _give_back(memory: npt.NDArray[np.uint8]) -> None:
    if not _IDLE or memory.nbytes + sum([one.nbytes for one in list(_IDLE)]) <= tuning.IDLE_BYTES:
        _IDLE.append(memory)


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Values:
    """Return an array with anything in it.

    Parameters
    ----------
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        Its type.
    """
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes < tuning.RECYCLED_BYTES or dtype.hasobject:
        return np.empty(shape, dtype)
    leased: npt.NDArray[np.uint8] = np.asarray(_Lease(_memory(nbytes)))
    return leased[:nbytes].view(dtype).reshape(shape)


def _memory(nbytes: int) -> npt.NDArray[np.uint8]:
    """Return memory of at least `nbytes` and less than twice as many.  Blocks of other sizes are freed."""
    for _ in range(tuning.IDLE_ARRAYS):
        try:
            memory = _IDLE.popleft()
        except IndexError:
            break
        if nbytes <= memory.nbytes < 2 * nbytes:
            return memory
    return np.empty(nbytes, np.uint8)


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


def _ordering(field: FieldMetadata) -> tuple[bool, int]:
    """Return the sort key of a member of a group: those without `ordering` come last, in the order of the fields."""
    ordering = field.directives.ordering
    return ordering is None, ordering or 0


def names_of(fields: SampleFields, *, keep_packed_fields: bool) -> tuple[str, ...]:
    """Return under which names arrays of a sample can be retrieved: groups first, then fields.

    Parameters
    ----------
    fields : SampleFields
        The fields that are read.
    keep_packed_fields : bool
        Whether packed fields stay; a group of the same name replaces such a field.
    """
    single = [path for path, field in fields.items() if keep_packed_fields or field.directives.pack is None]
    return tuple(dict.fromkeys([*groups_of(fields), *single]))


class Target(NamedTuple):
    """Where the elements of a field go: columns of the array of a name."""

    name: str
    start: int
    stop: int


@record
class SampleLayout:
    """The arrays of a sample whose stored elements are known.

    Parameters
    ----------
    transforms : mapping of str to FieldTransform
        By field, in the order of the fields.
    targets : mapping of str to sequence of Target
        Places of the elements of each field; two if a packed field stays.
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
        The fields that are read, with their directives.
    stored : mapping of str to StoredElements
        Stored data of a sample, by field.
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
                details=[f"{member.path} is {member.dtype}" for member in members],
                hint="coerce all members to 'float', or all to 'double'.",
            )
    return first.dtype


def _dims(field: FieldMetadata, size: int) -> tuple[int, ...]:
    channels, dims = field.directives.channels, field.directives.dims
    return (size,) if channels is None or dims is None else (channels, *dims)


_SYNONYMS = {
    "datum": "samples",
    "label": "labels",
    "response": "responses",
    "samples": "datum",
    "labels": "label",
    "responses": "response",
}
"""Names of groups before and after they were renamed upstream."""


class SampleValues(dict[str, Any]):
    """The values of a sample by name, which are also found by the other spellings that `resolve` knows."""

    def __missing__(self, name: str) -> Any:
        return self[resolve(name, self)]


def resolve(name: str, names: Collection[str]) -> str:
    """Return the name that is meant among the existing ones.

    Parameters
    ----------
    name : str
        A group or a field; ``datum``, ``label`` and ``response`` also match ``samples``, ``labels`` and ``responses``,
        and vice versa.
    names : collection of str
        The existing names.

    Raises
    ------
    UnknownNameError
        If there is no such name.

    Examples
    --------
    >>> resolve("datum", ["samples", "responses"])
    'samples'
    """
    if name in names:
        return name
    if (other := _SYNONYMS.get(name)) is not None and other in names:
        return other
    close = get_close_matches(name, names, 1)
    raise UnknownNameError(
        f"nothing can be retrieved as {name!r}.",
        details=[f"there are: {', '.join(names)}"],
        hint=f"did you mean {close[0]!r}?" if close else "packed fields are kept with keep_packed_fields=True only.",
    )
