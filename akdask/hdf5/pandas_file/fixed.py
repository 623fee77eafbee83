"""pandas' fixed layout: the columns of each type as one array with two dimensions, their names as another.

Source: ``GenericFixed`` and its subclasses in ``pandas/io/pytables.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.deferred import pd
from akdask.errors import FileFormatError, UnsupportedError
from akdask.hdf5.pandas_file.labels import Encoding, is_timed, label_missing, labels, timed
from akdask.hdf5.pandas_file.nodes import ArrayNode, GroupNode


def fixed_frame(node: GroupNode) -> pd.DataFrame:
    """Read a DataFrame.

    Raises
    ------
    FileFormatError
        If its parts do not fit together.
    UnsupportedError
        If columns are pickled.
    """
    names, rows = _labels(node, "axis0"), _labels(node, "axis1")
    blocks = node.plain("nblocks")
    if not isinstance(blocks, int) or not 0 <= blocks <= len(node.names):
        raise FileFormatError(f"{node.place} does not tell the number of its blocks.")
    items = [_labels(node, f"block{number}_items") for number in range(blocks)]
    arrays = [node.array(f"block{number}_values") for number in range(blocks)]
    pickled = [repr(name) for own, array in zip(items, arrays, strict=True) if _is_pickled(array) for name in own]
    if pickled:
        raise UnsupportedError(
            f"{node.place} has columns that pandas pickled, which are not read.",
            details=pickled,
            hint="pickles can run any program; write the file again with format='table', which stores text as data, "
            "and leave columns of other objects out.",
        )
    columns: dict[Any, npt.NDArray[Any]] = {}
    for own, array in zip(items, arrays, strict=True):
        values = _values(array)
        if values.shape != (len(own), len(rows)):
            raise FileFormatError(f"{array.place} has the shape {values.shape}, not {(len(own), len(rows))}.")
        columns.update(zip(own, values, strict=True))
    if sorted(map(repr, columns)) != sorted(map(repr, names)):
        raise FileFormatError(f"the columns of {node.place} are not those that it names.")
    return pd.DataFrame({name: columns[name] for name in names}, index=rows)


def fixed_series(node: GroupNode) -> pd.DataFrame:
    """Read a Series, as a DataFrame of one column; for errors see `fixed_frame`."""
    rows, array = _labels(node, "index"), node.array("values")
    name = node.plain("name")
    if _is_pickled(array):
        raise UnsupportedError(
            f"{node.place} is a Series that pandas pickled, which is not read.",
            details=[f"name: {name!r}"],
            hint="pickles can run any program; write the file again with format='table', which stores text as data.",
        )
    values = _values(array)
    if values.shape != (len(rows),):
        raise FileFormatError(f"{array.place} has the shape {values.shape}, not {(len(rows),)}.")
    return pd.Series(values, rows, name=name).to_frame()


def _is_pickled(array: ArrayNode) -> bool:
    return array.is_pickled and array.attribute("shape") is None


def _labels(node: GroupNode, name: str) -> pd.Index:
    variety = node.plain(f"{name}_variety")
    if variety != "regular":
        raise UnsupportedError(f"{name} of {node.place} are labels of several levels, which are not read.")
    array = node.array(name)
    if array.plain("index_class") == "period":
        raise UnsupportedError(f"{array.place} are labels by periods, which are not read.")
    return labels(
        array,
        _values(array),
        kind=array.plain("kind"),
        encoding=Encoding.of(node),
        missing=label_missing(array.plain("nan_rep")),
        name=array.plain("name"),
    )


def _values(array: ArrayNode) -> npt.NDArray[Any]:
    """Return an array as pandas wrote it; an empty one has a shape of its own, since PyTables stores none."""
    kind, shape = array.plain("value_type"), array.plain("shape")
    if shape is not None:
        return _empty(array, shape, kind)
    values = array.read()
    if kind is not None and not is_timed(values, kind):
        raise UnsupportedError(f"{array.place} is of type {kind!r}, which is not read.")
    values = timed(values, kind)
    return values.T if array.plain("transposed") else values


def _empty(array: ArrayNode, shape: Any, kind: Any) -> npt.NDArray[Any]:
    if not isinstance(shape, tuple) or not all(isinstance(size, int) and size >= 0 for size in shape) or all(shape):
        raise FileFormatError(f"{array.place} is not as empty as it says.")
    if max(shape) > 2**16:  # the names of that many columns would be there
        raise FileFormatError(f"{array.place} has the shape {shape}.")
    try:
        dtype = np.dtype(kind if isinstance(kind, str) else "f8")
    except TypeError:
        dtype = np.dtype(object)
    return np.empty(shape, dtype if dtype.kind in "biufMm" else object)
