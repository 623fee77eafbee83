"""User functions, called with one element at a time."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from akdask.caches import cached_results
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import ColumnType, column_type
from akdask.columns.exact import first_changed
from akdask.columns.table import is_scalar, spread, to_objects
from akdask.deferred import pa
from akdask.engine.operations import Operation, scalar_type
from akdask.errors import ArgumentError, ConversionError
from akdask.typing import Column, NumberArray


@cached_results("functions of users", 64)
def _function(pickled: bytes) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = pickle.loads(pickled)
    return function


def _applied(values: Any, out: Any = None, *, pickled: bytes, dtype: str) -> Any:
    function, wanted = _function(pickled), column_type(dtype)
    if is_scalar(values):
        item = values.item() if isinstance(values, np.generic) else values
        return _applied(spread(item, scalar_type(item), 1), pickled=pickled, dtype=dtype)[0]
    items = values.tolist() if isinstance(values, np.ndarray) else to_objects(values)
    made = _column([function(item) for item in items], wanted)
    if out is None or not wanted.is_number:
        return made
    out[...] = made
    return out


def _column(results: Sequence[Any], wanted: ColumnType) -> Column:
    """Return results as a column, each of the wanted type."""
    number = first_changed(np.array([*results, None], object)) if wanted.kind == "float" else None
    if number is not None:
        raise ConversionError(
            f"the integer {number} that the applied function returns is no {wanted}.",
            hint="let it return float(…) for the nearest float, or name the type of its results: 'int64', 'bigint'.",
        )
    try:
        if wanted.kind == "str":
            return pa.array(results, pa.large_string())
        if wanted.kind == "bigint":
            return from_ints([int(item) for item in results])
        are_integers = wanted.kind in ("int", "uint") and all(isinstance(item, int | np.integer) for item in results)
        # NumPy makes floats of integers from 2**63 on beside others.
        found = np.array(results, wanted.numpy if are_integers else None)
        if found.ndim == 1 and _fits(found, wanted):
            return found.astype(wanted.numpy, copy=False)
        kinds = f"{found.dtype} of shape {found.shape}"
    except (TypeError, ValueError, OverflowError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
        kinds = str(error)
    raise ArgumentError(
        f"the function that is applied returns what is no {wanted}.",
        details=[kinds],
        hint="name the type of its results: ak.apply(a, function, 'float64').",
    )


def _fits(found: NumberArray, wanted: ColumnType) -> bool:
    """Whether the conversion of results loses nothing but digits of floats."""
    if found.dtype.kind in "iu" and wanted.kind in ("int", "uint"):
        return bool((found.astype(wanted.numpy) == found).all())
    return np.can_cast(found.dtype, wanted.numpy, "same_kind")


def _applied_type(values: ColumnType, *, pickled: bytes, dtype: str) -> ColumnType | None:
    return column_type(dtype) if values.kind != "list" else None


USER_OPERATIONS: dict[str, Operation] = {
    "apply_function": Operation("apply_function", 1, _applied_type, _applied),
}
