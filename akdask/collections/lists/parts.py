"""Values at positions in the lists of a SegArray: taken out, set, put before or after."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.core import selection as row_tools
from akdask.collections.core.array import Array
from akdask.collections.core.assignment import fitting
from akdask.collections.core.operators import operand
from akdask.collections.core.scalar import value_of
from akdask.collections.core.wrap import wrap
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Constant, Value
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.rows.lists import Flatten
from akdask.plan.run.alignment import align
from akdask.schema import STR, ColumnType


class ListParts(Array):
    """Columns of a SegArray, as it were; all lazy."""

    @property
    def _lengths(self) -> Value:
        raise NotImplementedError

    def get_jth(self, j: int, return_origins: bool = True, compressed: bool = False, default: Any = 0) -> Any:
        """Return the j-th value of each list.

        Parameters
        ----------
        j : int
            Which; from the end if negative.
        return_origins : bool, default True
            Return which lists have such a value, too.
        compressed : bool, default False
            Leave out lists that have none; so it is with Strings in any case.
        default : scalar, default 0
            What stands for values that are not there, unless they are left out.

        Returns
        -------
        pdarray or Strings, and pdarray of bool
            The values; which lists have one.

        Raises
        ------
        ArgumentTypeError
            If `j` is no integer.
        """
        j = value_of(j)
        if isinstance(j, bool) or not isinstance(j, int | np.integer):
            raise ArgumentTypeError(f"a place in lists is an integer, not {type(j).__name__}.")
        mask = self._having(j + 1 if j >= 0 else -j)
        if compressed or self._item == STR:
            (found,) = self._picked([j], mask)
        else:
            found = wrap(self._frame, Call("list_get", self._value, j=int(j), default=_plain(default)))
        return (found, wrap(self._frame, mask)) if return_origins else found

    def get_prefixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """Return the first `n` values of each list that is longer than that.

        Parameters
        ----------
        n : int
            How many.
        return_origins : bool, default True
            Return which lists are long enough, too.
        proper : bool, default True
            Leave out lists of just `n` values.

        Returns
        -------
        list of pdarray, and pdarray of bool
            First values, second values and so on; which lists they come from.
        """
        return self._columns_of(range(n), self._having(n + proper), return_origins)

    def get_suffixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """Return the last `n` values of each list that is longer than that; see `get_prefixes`."""
        return self._columns_of(range(-n, 0), self._having(n + proper), return_origins)

    def get_length_n(self, n: int, return_origins: bool = True) -> Any:
        """Return the lists of `n` values, as first values, second values and so on; see `get_prefixes`."""
        return self._columns_of(range(n), Call("equal", self._lengths, Constant(n)), return_origins)

    def get_ngrams(self, n: int, return_origins: bool = True) -> Any:
        """Return all runs of `n` values in the lists.

        Unlike Arkouda's, it is no error if no list is as long; there are no runs then.

        Returns
        -------
        list of pdarray, and pdarray of int64
            First values of the runs, second values and so on; the number of the list that each run is from.
        """
        if n < 1:
            raise ArgumentError(f"runs have at least one value, not {n}.")
        windows = [Call("list_window", self._value, n=int(n), place=position) for position in range(n)]
        items = [*((self._frame, window) for window in windows), row_numbers(self._frame)]
        frame, values = align("number the rows of", items)
        flat = Flatten(Project(frame, tuple(range(n + 1)), tuple(values)))
        found = [wrap(flat, flat.column(position)) for position in range(n)]
        return (found, wrap(flat, flat.column(n))) if return_origins else found

    def set_jth(self, i: Any, j: int, v: Any) -> None:
        """Set the j-th value of some of the lists; lazy.

        Parameters
        ----------
        i : pdarray of int or bool, or int
            Which lists.
        j : int
            Which value; from the end if negative.  An error, when computed, if one of the lists has none.
        v : scalar, pdarray or Strings
            The value, or one for each of the chosen lists.
        """
        chosen: Any = wrap(self._frame, Call("less", self._lengths, Constant(0)))
        chosen[i] = True
        value = fitting(operand(v)[1], self._item)
        frame: Frame | None = None
        if isinstance(v, Array):
            # The value that is replaced serves to make a column of the right type and rows.
            items: Any = wrap(self._frame, Call("list_get", self._value, j=int(j)))
            items[i] = wrap(v._frame, value)
            frame, value = items._as_operand()
        pairs = [(self._frame, self._value), chosen._as_operand(), *([] if frame is None else [(frame, value)])]
        self._frame, aligned = align("set", pairs)
        lists, mask, *column = aligned
        self._value = Call("list_set", lists, mask, *(column or [value]), j=int(j))

    def append_single(self, x: Any, prepend: bool = False) -> Any:
        """Return lists with one more value each.

        Parameters
        ----------
        x : scalar, pdarray or Strings
            The value, or one for each list, of the type of the others.
        prepend : bool, default False
            Put it before the others.
        """
        frame, value = operand(array(x) if isinstance(x, list | tuple) else x)
        value = fitting(value, self._item)
        common, aligned = align("append", [(self._frame, self._value), *([] if frame is None else [(frame, value)])])
        lists, *column = aligned
        return self._like(common, Call("list_append", lists, *(column or [value]), prepend=bool(prepend)))

    def prepend_single(self, x: Any) -> Any:
        """Return lists with one more value each, before the others; see `append_single`."""
        return self.append_single(x, prepend=True)

    @property
    def _item(self) -> ColumnType:
        item = self._value.dtype.item
        assert item is not None, "lists of no type are given one when they are read"
        return item

    def _having(self, count: int) -> Value:
        """Return which lists have at least a number of values."""
        return Call("greater_equal", self._lengths, Constant(int(count)))

    def _picked(self, positions: Any, mask: Value) -> list[Any]:
        """Return values at some positions of the lists where a mask holds."""
        values = [Call("list_get", self._value, j=position) for position in positions]
        frame, found = row_tools.filter_columns(self._frame, values, self._frame, mask)
        return [wrap(frame, value) for value in found]

    def _columns_of(self, positions: Any, mask: Value, return_origins: bool) -> Any:
        found = self._picked(positions, mask)
        return (found, wrap(self._frame, mask)) if return_origins else found


def _plain(item: Any) -> Any:
    return item.item() if hasattr(item, "item") else item
