"""What is done to the elements of one field: coerced, normalised, channels brought to the front."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.errors import warn
from akdask.hdf5.tree.elements import TEXT, StoredElements
from akdask.lbann.errors import LbannWarning, SampleSizeError, SampleTypeError
from akdask.lbann.schema import FieldMetadata
from akdask.lbann.transform.normalize import Normalization

Values = npt.NDArray[Any]

_LARGE = 2**14
"""Elements of a sample from which samples are transformed one by one."""


class FieldTransform:
    """The transformation of a field whose stored elements are known; works on any number of samples at once.

    Parameters
    ----------
    metadata : FieldMetadata
        What is demanded.
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
            As they are stored.
        out : ndarray, shape (n, size)
            Takes the result, of type `dtype`; it may be `values` itself if `is_in_place`.
        """
        if self.size >= _LARGE and len(values) > 1:
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
            with np.errstate(all="ignore"):  # what C leaves open is no reason to stop
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
