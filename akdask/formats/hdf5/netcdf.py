"""What netCDF-4 says about the datasets of a file: dimensions, coordinates, missing values and packing.

A dimension is a dataset that other datasets name as their scale.  It holds coordinates, or nothing but its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import h5py
import numpy as np

from akdask.formats.hdf5.library import open_file
from akdask.records import record

_WITHOUT_COORDINATES = b"This is a netCDF dimension but not a netCDF variable"
"""How the names begin of dimensions without coordinates."""

_MISSING = ("_FillValue", "missing_value")


@record
class Variable:
    """A dataset as netCDF sees it.

    Parameters
    ----------
    dimensions : tuple of str or None
        The path of the scale of each dimension, None where it has none.
    shape : tuple of int
        Its dimensions.
    missing : tuple of number
        Stored numbers that stand for missing ones.
    scale, offset : float, optional
        What stored numbers are multiplied by, and what is added then.
    mask : int, optional
        The bits of numbers that are stored as signed ones, but have no sign.
    is_dimension : bool
        Whether it is the scale of a dimension.
    has_coordinates : bool
        Whether it holds numbers that mean something.
    """

    dimensions: tuple[str | None, ...]
    shape: tuple[int, ...]
    missing: tuple[Any, ...] = ()
    scale: float | None = None
    offset: float | None = None
    mask: int | None = None
    is_dimension: bool = False
    has_coordinates: bool = True


def variables_of(path: str) -> Mapping[str, Variable]:
    """Return what a file says about its datasets by their paths.

    Raises
    ------
    FileFormatError
        If it cannot be read as HDF5.
    """
    found: dict[str, h5py.Dataset] = {}
    with open_file(path) as opened:
        opened.visititems(lambda name, one: found.update({name: one}) if isinstance(one, h5py.Dataset) else None)
        return {name: _variable(dataset) for name, dataset in found.items()}


def _variable(dataset: h5py.Dataset) -> Variable:
    is_dimension = bool(h5py.h5ds.is_scale(dataset.id))
    name = h5py.h5ds.get_scale_name(dataset.id) if is_dimension else b""
    own = (dataset.name.strip("/"),) if is_dimension and len(dataset.shape or ()) == 1 else None
    found = Variable(
        own or tuple(_scale_of(dataset, axis) for axis in range(len(dataset.shape or ()))),
        dataset.shape or (),
        is_dimension=is_dimension,
        has_coordinates=not name.startswith(_WITHOUT_COORDINATES),
    )
    return found if dataset.dtype.kind not in "iuf" else _packed(found, dataset)


def _scale_of(dataset: h5py.Dataset, axis: int) -> str | None:
    scales = dataset.dims[axis].values()
    return scales[0].name.strip("/") if scales and scales[0].name else None


def _packed(variable: Variable, dataset: h5py.Dataset) -> Variable:
    """Return a variable of numbers with what its attributes say of these."""
    missing = [one for name in _MISSING for one in _numbers(dataset, name)]
    (scale, *_), (offset, *_) = ((*_numbers(dataset, name), None) for name in ("scale_factor", "add_offset"))
    # NumPy's way of text in attributes depends on their length.
    signs = str(dataset.attrs.get("_Unsigned", "")).strip("b'\"").lower()
    bits = 8 * dataset.dtype.itemsize
    return replace(
        variable,
        missing=tuple(dict.fromkeys(_as_stored(missing, dataset.dtype))),
        scale=None if scale is None else float(scale),
        offset=None if offset is None else float(offset),
        mask=2**bits - 1 if signs == "true" and dataset.dtype.kind == "i" and bits < 64 else None,
    )


def _numbers(dataset: h5py.Dataset, name: str) -> list[Any]:
    """Return an attribute of one or several numbers; nothing where it is absent or of another type."""
    found = np.asarray(dataset.attrs[name]) if name in dataset.attrs else np.empty(0)
    return list(found.ravel()) if found.dtype.kind in "iuf" else []


def _as_stored(missing: list[Any], dtype: np.dtype[Any]) -> Iterator[Any]:
    """Yield numbers that elements of a type can be equal to, as plain ones."""
    for one in missing:
        with np.errstate(all="ignore"):
            stored = dtype.type(one) if dtype.kind == "f" or _fits(one, dtype) else None
        if stored is not None and not np.isnan(stored):
            yield stored.item()


def _fits(number: Any, dtype: np.dtype[Any]) -> bool:
    bounds = np.iinfo(dtype)
    return bool(np.isfinite(number) and bounds.min <= number <= bounds.max and int(number) == number)
