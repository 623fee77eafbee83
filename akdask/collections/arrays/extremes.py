"""The few smallest and largest elements of an array; lazy."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from akdask.collections.arrays.sort_methods import sorted_positions
from akdask.collections.core.array import Array
from akdask.collections.core.selection import filter_columns
from akdask.collections.core.wrap import wrap
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.missing_integers import key_parts
from akdask.plan.expr.missing_text import is_present, without_missing
from akdask.plan.run.alignment import align

if TYPE_CHECKING:
    from akdask.plan.reduce import row_numbers as numbering
    from akdask.plan.sort import top_k
else:
    numbering = DeferredModule("akdask.plan.reduce.row_numbers")
    top_k = DeferredModule("akdask.plan.sort.top_k")


class ExtremeMethods(Array):
    """The smallest and largest elements of an array."""

    def mink(self, k: int) -> Any:
        """Return the `k` smallest elements in ascending order; see `akdask.mink`."""
        return few_extremes("mink", self, k)

    def maxk(self, k: int) -> Any:
        """Return the `k` largest elements in ascending order; see `akdask.maxk`."""
        return few_extremes("maxk", self, k)

    def argmink(self, k: int) -> Any:
        """Return the positions of the `k` smallest elements; see `akdask.argmink`."""
        return few_extremes("argmink", self, k)

    def argmaxk(self, k: int) -> Any:
        """Return the positions of the `k` largest elements; see `akdask.argmaxk`."""
        return few_extremes("argmaxk", self, k)


def few_extremes(name: str, pda: Any, k: int) -> Any:
    """Return what ``mink``, ``maxk``, ``argmink`` or ``argmaxk`` does."""
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
    found = top_k.TopK.of(frame, key, -index(k) if "max" in name else index(k))
    positions: Any = wrap(found, found.positions)
    if name.startswith("arg"):
        return positions
    # What is ordered by something else has to be looked up.
    return pda._like(found, found.values) if key == pda._value else pda[positions]


def _extremes_there(name: str, pda: Array, k: int) -> Any:
    """Return extremes of strings without those that are missing, or their positions among all."""
    frame, value = pda._sort_key()
    frame, (value, row) = align("number", [(frame, value), numbering.row_numbers(frame)])
    there, (value, row) = filter_columns(frame, [without_missing(value), row], frame, is_present(value))
    found = few_extremes(name, wrap(there, value), k)
    return wrap(there, row)[found] if name.startswith("arg") else found
