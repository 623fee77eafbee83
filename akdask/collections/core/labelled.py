"""`Labelled`: what has an array as its values, and stands for it where an array is wanted."""

from __future__ import annotations

from typing import Any


class Labelled:
    """An array with labels, or the labels themselves: a `Series` or an `Index`."""

    values: Any
    """The array; of a `MultiIndex` the list of its levels."""


def unlabelled(item: Any) -> Any:
    """Return the array of an item that has labels, and any other item as it is."""
    return item.values if isinstance(item, Labelled) else item
