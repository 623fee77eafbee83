"""Samples of the older layout, one in each file: a volume with channels first, and labels or responses beside it."""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.formats.hdf5.open_files import OPEN_FILES, NotThereError, UnknownElementsError
from akdask.lbann.errors import LbannError, MissingSampleError, SampleSizeError, SampleTypeError
from akdask.lbann.reader import SampleReader, explained
from akdask.lbann.schema import FieldMetadata, MetadataEntry, SampleFields
from akdask.lbann.transform import resolve

Values: TypeAlias = npt.NDArray[Any]

_RANK = 4
_SAMPLES, _LABELS, _RESPONSES = "samples", "labels", "responses"


class FileSampleReader:
    """Reads files that are one sample each, as the readers ``hdf5`` and ``cosmoflow_hdf5`` of LBANN do.

    It holds no open files and can be pickled.  The ID of a sample is not needed and may be empty.

    Parameters
    ----------
    data : str, default "full"
        Path of a dataset with the dimensions channels, depth, height, width; ``volume`` in files of 3-D U-Net.
    labels : str, optional
        Path of a dataset of the same dimensions, as ``segmentation``.
    responses : str, optional
        Path of a dataset of one dimension, as ``unitPar``.
    dtype : str, optional
        Type of all values, as for ``coerce``: ``float``, ``double``, ``int``, ``long``.  The stored type by default.

    Attributes
    ----------
    names : tuple of str
        ``samples``, and ``labels`` and ``responses`` if they are read.
    fields : SampleFields
        The datasets.
    keep_packed_fields : bool
        Always False, as no field is packed.

    Raises
    ------
    LbannSchemaError
        If there is no such type.
    """

    def __init__(
        self, data: str = "full", *, labels: str | None = None, responses: str | None = None, dtype: str | None = None
    ) -> None:
        keys = {_SAMPLES: data, _LABELS: labels, _RESPONSES: responses}
        self._keys = {name: key.strip("/") for name, key in keys.items() if key is not None}
        self.names = tuple(self._keys)
        self._reader = SampleReader(SampleFields({key: _field(key, dtype) for key in self._keys.values()}))
        self._dims: dict[str, tuple[int, ...]] = {}
        self.keep_packed_fields = False

    @property
    def fields(self) -> SampleFields:
        """The datasets that are read, with their directives."""
        return self._reader.fields

    def select(self, names: Collection[str]) -> FileSampleReader:
        """Return a reader of only some of the datasets.

        Parameters
        ----------
        names : collection of str
            Some of `names`, also by their older spelling.

        Raises
        ------
        UnknownNameError
            If there is no such name.
        """
        wanted = {resolve(name, self.names) for name in names}
        made = copy.copy(self)
        made._keys = {name: key for name, key in self._keys.items() if name in wanted}
        made.names = tuple(made._keys)
        made._reader = SampleReader(SampleFields({key: self.fields[key] for key in made._keys.values()}))
        made._dims = {}
        return made

    def read(self, path: str, sample_id: str = "") -> dict[str, Values]:
        """Read the sample of a file.

        Parameters
        ----------
        path : str
            The file.
        sample_id : str, default ""
            Group of the datasets; the root by default.

        Returns
        -------
        dict of str to ndarray
            One-dimensional arrays; `dims_of` gives the dimensions.

        Raises
        ------
        LbannError
            As for `SampleReader.read_samples`; or if a dataset has the wrong number of dimensions.
        """
        return {name: values[0] for name, values in self.read_samples([path], [sample_id]).items()}

    def read_batch(self, path: str, ids: Sequence[str]) -> dict[str, Values]:
        """Read the sample of a file once per ID; see `read_samples`."""
        return self.read_samples([path] * len(ids), ids)

    def read_samples(
        self, paths: Sequence[str], ids: Sequence[str] | None = None, out: Mapping[str, Values] | None = None
    ) -> dict[str, Values]:
        """Read the samples of files, a row for each.

        Parameters
        ----------
        paths : sequence of str, shape (n,)
            The files.
        ids : sequence of str, shape (n,), optional
            Groups that the datasets are in.
        out : mapping of str to ndarray, shape (n, size), optional
            Arrays that take the values.

        Returns
        -------
        dict of str to ndarray, shape (n, size)
            By name.

        Raises
        ------
        LbannError
            As for `SampleReader.read_samples`; or if a dataset has the wrong number of dimensions.
        """
        groups = [""] * len(paths) if ids is None else ids
        if paths and not self._dims:
            self._dims = self._described(paths[0], groups[0])
        arrays = None if out is None else {key: out[name] for name, key in self._keys.items()}
        found = self._reader.read_samples(paths, groups, arrays)
        for name, key in self._keys.items():
            if self._dims and found[key].shape[1] != math.prod(self._dims[name]):
                raise SampleSizeError(
                    f"the dataset has {found[key].shape[1]:,} elements, but those of the first file make "
                    f"{' x '.join(map(str, self._dims[name]))}.",
                    file=paths[0],
                    field=key,
                )
        return {name: found[key] for name, key in self._keys.items()}

    def size_of(self, name: str) -> int:
        """Return how many elements a sample has under a name.

        Parameters
        ----------
        name : str
            One of `names`, or its older spelling.

        Raises
        ------
        UnknownNameError
            If there is no such name.
        LbannError
            If no sample has been read.
        """
        return math.prod(self.dims_of(name))

    def dims_of(self, name: str) -> tuple[int, ...]:
        """Return the dimensions of a dataset in the first file; for errors see `size_of`."""
        found = resolve(name, self.names)
        if not self._dims:
            raise LbannError(
                "sizes are those of the first sample, and none has been read.", hint="read a sample first."
            )
        return self._dims[found]

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return the type of the elements under a name; for errors see `size_of`."""
        return self._reader.dtype_of(self._keys[resolve(name, self.names)])

    def _described(self, path: str, sample_id: str) -> dict[str, tuple[int, ...]]:
        """Return the dimensions of the first file's datasets, which must agree with the layout."""
        with explained(path, sample_id), OPEN_FILES.lease(path) as file:
            shapes = {}
            for name, key in self._keys.items():
                try:
                    shape = file.library.description(f"{sample_id.strip('/')}/{key}").shape
                except NotThereError as error:
                    raise MissingSampleError(
                        f"the dataset cannot be read: it {error}.",
                        field=key,
                        hint="name the dataset that the files have.",
                    ) from None
                except UnknownElementsError as error:
                    raise SampleTypeError(f"the dataset holds {error}, not numbers.", field=key) from None
                shapes[name] = () if shape is None else tuple(shape)
            _check_shapes(shapes, self._keys)
            return shapes


AnyReader: TypeAlias = SampleReader | FileSampleReader
"""Reads samples of either layout."""


def _field(key: str, dtype: str | None) -> FieldMetadata:
    entries = {} if dtype is None else {"coerce": MetadataEntry(dtype, "dtype of the reader", key, 1, dtype)}
    return FieldMetadata(key, entries)


def _check_shapes(shapes: Mapping[str, tuple[int, ...]], keys: Mapping[str, str]) -> None:
    wanted = {_SAMPLES: _RANK, _RESPONSES: 1}
    for name, rank in wanted.items():
        if name in shapes and len(shapes[name]) != rank:
            raise SampleSizeError(
                f"the dataset has {len(shapes[name])} dimensions, {shapes[name]}, but {name} have {rank}.",
                field=keys[name],
                hint="samples have the dimensions channels, depth, height and width; responses have one.",
            )
    if _LABELS in shapes and _SAMPLES in shapes and shapes[_LABELS] != shapes[_SAMPLES]:
        raise SampleSizeError(
            f"labels have the dimensions {shapes[_LABELS]}, samples {shapes[_SAMPLES]}; they must be the same.",
            field=keys[_LABELS],
        )
