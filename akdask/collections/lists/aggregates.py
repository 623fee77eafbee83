"""Reductions of each list of a SegArray to one value."""

from __future__ import annotations

from typing import Any

from akdask.collections.core import selection as row_tools
from akdask.collections.core.array import Array
from akdask.collections.core.wrap import wrap
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.kernels.rowwise.segarray_reduce import LIST_REDUCTIONS
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Value
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.rows.lists import Nest
from akdask.plan.task.combine import Realign


class ListAggregates(Array):
    """One value for each list that is not empty, as in Arkouda; all lazy.

    So the results have the rows of ``s[s.non_empty]``: those of the SegArray itself, once counted, if no list is
    empty.  If `x` is given, its elements take the place of the values: it has the same number of elements, in the
    same order.  NaN is left out, except in lists of nothing but NaN.
    """

    @property
    def values(self) -> Any:
        """The values of all lists."""
        raise NotImplementedError

    @property
    def segments(self) -> Any:
        """Where each list starts among the values of all."""
        raise NotImplementedError

    @property
    def non_empty(self) -> Any:
        """Which lists have values."""
        raise NotImplementedError

    def sum(self, x: Any = None) -> Any:
        """Return the sum of each list: int64 of bools, else of the type of the values."""
        return self._reduced("sum", x)

    def prod(self, x: Any = None) -> Any:
        """Return the product of each list, of the types that `sum` has."""
        return self._reduced("prod", x)

    def min(self, x: Any = None) -> Any:
        """Return the smallest value of each list."""
        return self._reduced("min", x)

    def max(self, x: Any = None) -> Any:
        """Return the largest value of each list."""
        return self._reduced("max", x)

    def mean(self, x: Any = None) -> Any:
        """Return the mean of each list as float64."""
        return self._reduced("mean", x)

    def any(self, x: Any = None) -> Any:
        """Return which lists have a value that is not zero."""
        return self._reduced("any", x)

    def all(self, x: Any = None) -> Any:
        """Return which lists have no value that is zero."""
        return self._reduced("all", x)

    def argmin(self, x: Any = None) -> Any:
        """Return where the first smallest value of each list is, among the values of all lists."""
        return self._placed("argmin", x)

    def argmax(self, x: Any = None) -> Any:
        """Return where the first largest value of each list is, among the values of all lists."""
        return self._placed("argmax", x)

    def nunique(self, x: Any = None) -> Any:
        """Return the number of distinct values of each list as int64."""
        return self._reduced("nunique", x)

    def OR(self, x: Any = None) -> Any:
        """Return the bits that any value of each list has."""
        return self._reduced("OR", x)

    def AND(self, x: Any = None) -> Any:
        """Return the bits that all values of each list have."""
        return self._reduced("AND", x)

    def XOR(self, x: Any = None) -> Any:
        """Return the bits that an odd number of values of each list have."""
        return self._reduced("XOR", x)

    def aggregate(self, op: str, x: Any = None) -> tuple[Any, Any]:
        """Reduce each list that is not empty by the reduction of a name.

        Parameters
        ----------
        op : str
            ``sum``, ``max``, ``OR`` and so on: any method of this class.
        x : pdarray, optional
            What stands for the values.

        Returns
        -------
        keys : pdarray of int64
            Numbers of the lists among those that are not empty.
        results : pdarray
            One for each of them.

        Raises
        ------
        ArgumentError
            If there is no such reduction.
        """
        if f"list_{op}" not in LIST_REDUCTIONS:
            names = ", ".join(name.removeprefix("list_") for name in LIST_REDUCTIONS)
            raise ArgumentError(f"there is no reduction {op!r}.", details=[f"reductions: {names}"])
        results = getattr(self, op)(x)
        return wrap(*row_numbers(results._frame)), results

    def unique(self, x: Any = None) -> Any:
        """Return the distinct values of each list in ascending order; empty lists stay."""
        frame, lists = self._lists(x)
        return self._like(frame, Call("list_unique", lists))

    def _reduced(self, name: str, x: Any) -> Any:
        frame, lists = self._lists(x)
        return wrap(frame, Call(f"list_{name}", lists))[self.non_empty]

    def _placed(self, name: str, x: Any) -> Any:
        frame, lists = self._lists(x)
        found = wrap(frame, Call(f"list_{name}", lists)) + self.segments
        return found[self.non_empty]

    def _lists(self, x: Any) -> tuple[Frame, Value]:
        """Return the lists, or lists of the same lengths with other values."""
        if x is None:
            return self._frame, self._value
        if not isinstance(x, Array):
            raise ArgumentTypeError(
                f"x is {x!r}, but an array of as many elements as the lists have is to stand for them.",
                hint="make one with ak.array, or leave it out.",
            )
        flat: Frame = self.values._frame
        project: Any = Project(x._frame, (0,), (x._value,))
        if not flat.rows.same_rows(x.rows):
            lengths, given = row_tools.known_lengths(flat), row_tools.known_lengths(x._frame)
            if sum(lengths) != sum(given):
                raise AlignmentError(f"{sum(given)} values cannot stand for the {sum(lengths)} of the lists.")
            project = Realign(project, given, lengths)
        nest = Nest(Project(self._frame, (0,), (self._value,)), project, (0,) * self.npartitions)
        return nest, nest.lists
