"""netCDF-4 files as frames: variables are columns, coordinates are labels, and packed numbers are unpacked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from akdask.arrays import elementwise
from akdask.arrays.array import wrap
from akdask.arrays.creation import arange
from akdask.arrays.datetimes import Datetime
from akdask.arrays.elementwise import where
from akdask.arrays.ndarray import ArrayView
from akdask.arrays.pdarray import pdarray
from akdask.arrays.shapes import broadcast_to
from akdask.columns.dtypes import FLOAT64, PER_SECOND, TIME, TimeForm
from akdask.engine.values import Call, with_missing
from akdask.errors import AlignmentError, warn
from akdask.formats.hdf5.netcdf import Clock, Variable, variables_of
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame

_MOST_NAMED = 10


def frame_of_variables(
    path: str, objects: Mapping[str, Any], read: Callable[[list[str]], Mapping[str, Any]], *, are_named: bool
) -> DataFrame | None:
    """Return the frame of a netCDF-4 file: the variables of the dimensions that most of them have; lazy.

    Each element is a row.  Of one dimension, its coordinates label the rows; of several, they are columns before those
    of the variables.  Stored numbers that stand for missing ones are missing, others are multiplied by
    ``scale_factor``, and ``add_offset`` is added.  Other variables are left out, with one warning.

    Parameters
    ----------
    path : str
        The file.
    objects : mapping of name to lazy object
        What is to be shown of it.
    read : callable
        Returns further objects by their names.
    are_named : bool
        Whether these objects were asked for by their names, so that none may be left out.

    Returns
    -------
    DataFrame or None
        None where the file has no variables with dimensions of netCDF.

    Raises
    ------
    AlignmentError
        If variables that were asked for have several shapes.
    """
    found = variables_of(path)
    columns = {name: one for name, one in found.items() if name in objects and (are_named or not one.is_dimension)}
    # A file may have nothing but coordinates.
    columns = columns or {name: one for name, one in found.items() if name in objects and one.has_coordinates}
    alike: dict[Any, list[str]] = {}
    for name, one in columns.items():
        if any(one.dimensions) and (len(one.shape) == 1 or isinstance(objects[name], ArrayView)):
            alike.setdefault((one.dimensions, one.shape), []).append(name)
    if not alike:
        return None
    dimensions, shape = max(alike, key=lambda key: (len(alike[key]), math.prod(key[1])))
    chosen = alike[dimensions, shape]
    _tell_others({name: one.shape for name, one in columns.items() if name not in chosen}, shape, are_named)
    scales = [name for name in dict.fromkeys(dimensions) if name is not None and name not in objects]
    every = {**objects, **(read(scales) if scales else {})}
    labels = [_labels(name, count, found, every) for name, count in zip(dimensions, shape, strict=True)]
    arrays = {name: unpacked(_flat(objects[name]), found[name]) for name in chosen}
    if len(shape) == 1:
        (name, label) = labels[0]
        return DataFrame(arrays) if label is None else DataFrame._of(ColumnSet.of(arrays, label, name))
    levels: dict[str, Any] = {}
    for axis, (name, label) in enumerate(labels):
        sides = [-1 if axis == own else 1 for own in range(len(shape))]
        along = (arange(shape[axis]) if label is None else label).reshape(*sides)
        levels[name or f"dim_{axis}"] = broadcast_to(along, shape).flatten()
    return DataFrame({name: levels.get(name, arrays.get(name)) for name in [*levels, *arrays]})


def _flat(item: Any) -> Any:
    return item.flatten() if isinstance(item, ArrayView) else item


def _labels(name: str | None, count: int, found: Mapping[str, Variable], objects: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name of a dimension and its coordinates; None in place of these where it has not as many."""
    if name is None:
        return "", None
    shown, scale = name.rpartition("/")[2], found.get(name)
    if name not in objects or scale is None or not scale.has_coordinates:
        return shown, None
    if len(scale.shape) != 1 or scale.shape[0] < count:
        return shown, None
    coordinates = unpacked(objects[name], scale)
    return shown, coordinates if scale.shape[0] == count else coordinates[:count]


def unpacked(array: Any, variable: Variable) -> Any:
    """Return the numbers or times that stored numbers mean; lazy.

    Integers that are not scaled stay such, and may be missing; all other numbers are float64.  Times count seconds, or
    microseconds where stored numbers have fractions.
    """
    found = _numbers(array, variable)
    return found if variable.clock is None or not isinstance(found, pdarray) else _times(found, variable.clock)


def _times(numbers: pdarray, clock: Clock) -> Datetime:
    """Return numbers as times; NaT where they are missing, or beyond what 64 bits hold."""
    dtype = numbers._value.dtype
    are_integers = dtype.kind in {"int", "uint"} and clock.origin % 10**6 == 0
    sizes = {unit: 10**9 // count for unit, count in PER_SECOND.items()}
    finest = sizes["s" if are_integers else "us"]
    unit = next(unit for unit, size in sizes.items() if clock.step % size == 0 and size <= finest)
    step = clock.step // sizes[unit]
    if dtype == FLOAT64:
        # Rounded to the unit: a third of a day has no end.
        numbers, step = elementwise.round(numbers * float(step)), 1
    counted = Call("counted_time", numbers._value, step=step, coerce=True)
    times = Datetime.of(numbers._frame, counted, TimeForm(TIME, unit, None, True))
    return times + np.timedelta64(clock.origin, "us").astype(f"m8[{unit}]")


def _numbers(array: Any, variable: Variable) -> Any:
    """Return the numbers that stored ones mean."""
    if array._value.dtype.kind not in {"int", "uint", "float"}:
        return array
    lacks = None
    for one in variable.missing:
        lacks = array == one if lacks is None else lacks | (array == one)
    if variable.mask is not None:
        array = array & variable.mask
    if variable.scale is not None or variable.offset is not None:
        array = array.astype(FLOAT64) * (1.0 if variable.scale is None else variable.scale)
        array = array if variable.offset is None else array + variable.offset
    if lacks is None:
        return array
    if array._value.dtype == FLOAT64:
        return where(lacks, float("nan"), array)
    return wrap(array._frame, with_missing(array._value, lacks._value))


def _tell_others(others: Mapping[str, tuple[int, ...]], shape: tuple[int, ...], are_named: bool) -> None:
    if not others:
        return
    lines = [f"{name!r}: shape {one}" for name, one in list(others.items())[:_MOST_NAMED]]
    lines += [f"… and {len(others) - _MOST_NAMED} more"] if len(others) > _MOST_NAMED else []
    if are_named:
        raise AlignmentError(
            f"variables of several shapes are no frame: most have {shape}.",
            details=lines,
            hint="name those of one shape, or ak.read gives each of them alone.",
        )
    last = "ak.read gives all of them as they are stored, and datasets=… those that are named."
    told = "\n".join([*lines, last])
    warn(f"the frame has the variables of the shape {shape}, and leaves out:\n{told}", RuntimeWarning)
