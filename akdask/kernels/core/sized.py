"""The memory of objects that hold columns, for caches with a memory budget."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from akdask.columns import nbytes
from akdask.deferred import is_arrow


class Sized:
    """Base of classes whose instances hold columns; `sys.getsizeof` counts them.

    Examples
    --------
    >>> held = Sized()
    >>> held.columns = [np.zeros(1000), np.zeros(1000)]
    >>> sys.getsizeof(held) >= 16_000
    True
    """

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(map(_bytes, vars(self).values()))


def _bytes(item: Any) -> int:
    if isinstance(item, list | tuple):
        return sum(map(_bytes, item))
    return nbytes(item) if isinstance(item, np.ndarray) or is_arrow(item, "Array") else sys.getsizeof(item)
