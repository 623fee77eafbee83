"""The lists of a SegArray as sets, and lists with some of their values left out."""

from __future__ import annotations

from typing import Any

from akdask.collections.arrays.creation import array
from akdask.collections.core.array import Array
from akdask.collections.core.operators import combine
from akdask.errors import ArgumentTypeError
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Replica, cast
from akdask.plan.task.combine import Gather


class ListSets(Array):
    """Operations that keep the number of lists; all lazy."""

    @property
    def non_empty(self) -> Any:
        """Which lists have values."""
        raise NotImplementedError

    def intersect(self, other: Any) -> Any:
        """Return the values that are in both lists of a row, each once and in ascending order."""
        return self._combined("list_intersect", other)

    def union(self, other: Any) -> Any:
        """Return the values that are in either list of a row, each once and in ascending order."""
        return self._combined("list_union", other)

    def setdiff(self, other: Any) -> Any:
        """Return the values that are not in the other list of a row, each once and in ascending order."""
        return self._combined("list_setdiff", other)

    def setxor(self, other: Any) -> Any:
        """Return the values that are in just one list of a row, each once and in ascending order."""
        return self._combined("list_setxor", other)

    def remove_repeats(self, return_multiplicity: bool = False) -> Any:
        """Return lists in which no value stands behind an equal one.

        Parameters
        ----------
        return_multiplicity : bool, default False
            Return a SegArray of how often each value was repeated, too.
        """
        remaining = self._like(self._frame, Call("list_remove_repeats", self._value))
        if not return_multiplicity:
            return remaining
        return remaining, self._like(self._frame, Call("list_multiplicity", self._value))

    def filter(self, filter: Any, discard_empty: bool = False) -> Any:
        """Return lists without some values.

        Parameters
        ----------
        filter : pdarray, Strings, list or scalar
            The values to leave out.
        discard_empty : bool, default False
            Leave out lists that are empty afterwards.
        """
        item = self._value.dtype.item
        assert item is not None, "lists of no type are given one when they are read"
        given = array(filter if isinstance(filter, Array | list | tuple) or hasattr(filter, "__array__") else [filter])
        unwanted = Project(given._frame, (0,), (cast(given._value, item),))
        remaining = self._like(self._frame, Call("list_without", self._value, Replica(Gather(unwanted), 0, item)))
        return remaining[remaining.non_empty] if discard_empty else remaining

    def _combined(self, operation: str, other: Any) -> Any:
        if type(other) is not type(self):
            raise ArgumentTypeError(f"{operation.removeprefix('list_')} takes a SegArray, not {type(other).__name__}.")
        return self._like(*combine(operation, [self, other]))
