"""Orders of arrays as methods, and what functions that sort share with them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from akdask.collections.arrays.reductions import reduced
from akdask.collections.core.array import Array, check_axis, of_rows
from akdask.collections.core.scalar import Scalar
from akdask.collections.core.wrap import wrap
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.missing_integers import key_parts
from akdask.plan.expr.missing_text import is_present
from akdask.plan.run.alignment import share_rows

if TYPE_CHECKING:
    from akdask.plan.sort import sort
else:
    sort = DeferredModule("akdask.plan.sort.sort")

Positions = TypeVar("Positions", bound=Array)


class SortingAlgorithm(Enum):
    """The algorithms of an Arkouda server; accepted and ignored, for akdask chooses by the data."""

    RadixSortLSD = "RadixSortLSD"
    TwoArrayRadixSort = "TwoArrayRadixSort"


class SortMethods(Array, Generic[Positions]):
    """Sorting of arrays; positions come as `Positions`, which is pdarray."""

    def argsort(
        self, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int = 0, ascending: bool = True
    ) -> Positions:
        """Return the positions that put the elements in order, as int64; lazy.

        Parameters
        ----------
        algorithm : SortingAlgorithm
            Accepted for compatibility with Arkouda.
        axis : 0
            There is only one axis.
        ascending : bool, default True
            The direction.

        Returns
        -------
        pdarray
            As many positions as elements, in partitions of their own.  Indexing an array that shares rows with this one
            by it sorts that array along, without looking up single rows.
        """
        check_axis("argsort", axis)
        return sorted_positions([self], ascending)

    def is_sorted(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return whether the elements are in ascending order, which no NaN or missing text is part of; lazy."""
        check_axis("is_sorted", axis)
        frame, value = self._sort_key()
        *lacks, value = key_parts(value)
        found = reduced(wrap(frame, value), "is_sorted")
        if lacks:
            return found & ~reduced(wrap(frame, lacks[0]), "any")
        return found if not value.dtype.nullable else found & reduced(wrap(frame, is_present(value)), "all")


class TextSortMethods(SortMethods[Positions]):
    """Sorting of arrays of text, whose methods never had an axis."""

    def argsort(  # type: ignore[override]  # Arkouda's parameters
        self, algorithm: Any = SortingAlgorithm.RadixSortLSD, ascending: bool = True
    ) -> Positions:
        """Return the positions that put the elements in order, as int64; lazy.

        Parameters
        ----------
        algorithm : SortingAlgorithm
            Accepted for compatibility with Arkouda.
        ascending : bool, default True
            The direction.
        """
        return sorted_positions([self], ascending)


def sorted_positions(arrays: Sequence[Any], ascending: bool | Sequence[bool]) -> Any:
    """Return the positions that put rows of several arrays in order, as pdarray; see `akdask.coargsort`."""
    ascending = directions(ascending, len(arrays))
    keys = share_rows(
        "sort", [of_rows(sortable(item))._sort_key(up) for item, up in zip(arrays, ascending, strict=True)]
    )
    frame, (row,) = sort.sorted_rows(keys, ascending, with_row=True)
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
    """Return the array that something to sort by is or has; for anything else an error says what is expected."""
    if isinstance(item, Array):
        return item
    values = getattr(item, "values", None)
    if isinstance(values, Array):
        return values
    raise ArgumentTypeError(
        f"cannot sort by {type(item).__name__}.", hint="pass a lazy array; ak.array(…) makes one of data at hand."
    )
