"""Keys of rows as pandas writes them, for lazy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from pandas.api.indexers import check_array_indexer

from akdask.collections.arrays.creation import array
from akdask.collections.core.array import Array
from akdask.errors import PositionError
from akdask.extension.operators import LazyOperators


def row_key(array_: LazyOperators, key: Any) -> Any:
    """Return a key as an int, a slice or a lazy array."""
    if isinstance(key, tuple):
        key = _without_ellipsis(key)
    if isinstance(key, LazyOperators):
        return key._data
    if isinstance(key, Array | slice):
        return key
    checked = check_array_indexer(array_, key)
    if isinstance(checked, np.ndarray):
        return array(checked)
    if isinstance(checked, int | np.integer) and not isinstance(checked, bool):
        return int(checked)
    raise PositionError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
        f"indices, not {type(key).__name__}."
    )


def _without_ellipsis(key: tuple[Any, ...]) -> Any:
    rest = [item for item in key if item is not ...]
    if len(key) - len(rest) > 1:
        raise PositionError("an index can only have a single ellipsis ('...').")
    if len(rest) > 1:
        raise PositionError("too many indices for array: one dimension.")
    return rest[0] if rest else slice(None)
