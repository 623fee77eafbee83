"""The order of rows: positions that sort them, whether they are sorted, and their extremes."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from operator import index
from typing import Any, SupportsIndex

from akdask.arrays.array import Array, check_axis, of_rows, wrap
from akdask.arrays.reductions import reduced
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.scalar import Scalar
from akdask.engine.alignment import align, share_rows
from akdask.engine.missing import is_present, key_parts, without_missing
from akdask.engine.sources import row_numbers
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.sort.top_k import TopK


class SortingAlgorithm(Enum):
    """The algorithms of an Arkouda server; accepted and ignored, as akdask chooses by the data."""

    RadixSortLSD = "RadixSortLSD"
    TwoArrayRadixSort = "TwoArrayRadixSort"


def sorted_positions(arrays: Sequence[Any], ascending: bool | Sequence[bool]) -> Any:
    """Return the positions that sort the rows of several arrays, as pdarray; see `akdask.coargsort`."""
    from akdask.operators.sort.plan import sorted_rows

    ascending = directions(ascending, len(arrays))
    keys = share_rows(
        "sort", [of_rows(sortable(item))._sort_key(up) for item, up in zip(arrays, ascending, strict=True)]
    )
    frame, (row,) = sorted_rows(keys, ascending, with_row=True)
    return wrap(frame, row)


def directions(ascending: bool | Sequence[bool], count: int) -> list[bool]:
    """Return the direction of each of some keys.

    Raises
    ------
    ArgumentError
        If there are no keys, or not as many directions as keys.
    """
    if not count:
        raise ArgumentError("there is nothing to sort by.", hint="pass at least one array or column.")
    if not isinstance(ascending, Sequence):
        return [bool(ascending)] * count
    if len(ascending) != count:
        raise ArgumentError(
            f"{count} keys to sort by have as many directions, not {len(ascending)}.",
            hint="ascending is one bool, or one for each key.",
        )
    return [bool(item) for item in ascending]


def sortable(item: Any) -> Array:
    """Return the array to sort by; an error says what is expected of other arguments."""
    if isinstance(item, Array):
        return item
    values = getattr(item, "values", None)
    if isinstance(values, Array):
        return values
    raise ArgumentTypeError(
        f"cannot sort by {type(item).__name__}.", hint="pass a lazy array; ak.array(…) makes one of data at hand."
    )


def is_sorted(array: Array, axis: int | None) -> Scalar:
    """Return whether the elements of an array ascend, which no NaN or missing text is part of; lazy."""
    check_axis("is_sorted", axis)
    frame, value = array._sort_key()
    *lacks, value = key_parts(value)
    found = reduced(wrap(frame, value), "is_sorted")
    if lacks:
        return found & ~reduced(wrap(frame, lacks[0]), "any")
    return found if not value.dtype.nullable else found & reduced(wrap(frame, is_present(value)), "all")


def few_extremes(name: str, pda: Any, k: int) -> Any:
    """Return the result of ``mink``, ``maxk``, ``argmink`` or ``argmaxk``."""
    if not isinstance(pda, Array):
        raise ArgumentTypeError(f"{name} needs a lazy array, got {type(pda).__name__}.")
    if not isinstance(k, SupportsIndex):
        raise ArgumentTypeError(f"{name}: k is a whole number, not {k!r:.100}.")
    if index(k) < 1:
        raise ArgumentError(f"{name}: k is a whole number from 1, not {k!r}.")
    if pda._frame.rows.size == 0:
        raise ArgumentError(f"{name} needs an array with elements; it has none.")
    frame, key = pda._sort_key()
    if key.dtype.nullable:
        return _extremes_there(name, pda, k)
    if len(key_parts(key)) > 1:
        ordered = sorted_positions([pda], "min" in name)[: index(k)]
        first = ordered if "min" in name else ordered[::-1]
        return first if name.startswith("arg") else pda[first]
    found = TopK.of(frame, key, -index(k) if "max" in name else index(k))
    positions: Any = wrap(found, found.positions)
    if name.startswith("arg"):
        return positions
    # Elements that are ordered by a separate key have to be looked up.
    return pda._like(found, found.values) if key == pda._value else pda[positions]


def _extremes_there(name: str, pda: Array, k: int) -> Any:
    """Return extremes of strings without missing ones, or their positions among all."""
    frame, value = pda._sort_key()
    frame, (value, row) = align("number", [(frame, value), row_numbers(frame)])
    there, (value, row) = filter_columns(frame, [without_missing(value), row], frame, is_present(value))
    found = few_extremes(name, wrap(there, value), k)
    return wrap(there, row)[found] if name.startswith("arg") else found
