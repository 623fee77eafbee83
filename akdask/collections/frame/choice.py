"""Rows of a DataFrame chosen by membership, by the size of their group, or at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any, Self

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.selection import sample_of
from akdask.collections.frame.grouping import GroupMethods
from akdask.collections.frame_core.alignment import Matched, RowLabelled, as_labelled
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columns import ColumnMethods
from akdask.collections.frame_core.index import Index
from akdask.collections.groups.keys import as_arrays, like
from akdask.collections.groups.setops import in1d
from akdask.collections.series.base import SeriesBase
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.values import Constant


class ChoiceMethods(GroupMethods):
    """Membership, ranges of group sizes, and samples."""

    def isin(self, values: Any) -> Self:
        """Return which values are among given ones, as a DataFrame of bool; lazy.

        Parameters
        ----------
        values : array or sequence, mapping, Series, or DataFrame
            What to look for in all columns; in each column by its name; in each row the value that a Series, or another
            frame in the column of that name, has of its label.  A column of strings has no numbers and the other way
            round.

        Raises
        ------
        ArgumentTypeError
            If it is nothing to look among, such as one number or str.
        """
        columns = self._columns
        values = as_labelled(values)
        if isinstance(values, RowLabelled):
            return self._of(columns.beside(_equal_by_label(self, values)))
        found = {name: _is_in(columns.array(name), name, values) for name in columns.values}
        return self._of(columns.beside(found))

    def filter_by_range(self, keys: str | Sequence[str], low: int = 1, high: int | None = None) -> pdarray:
        """Return which rows have keys that occur in a given number of rows; lazy bool array.

        Parameters
        ----------
        keys : str or list of str
            The columns that must be equal.
        low, high : int
            Fewest and most rows, both included; no most if None.

        Returns
        -------
        pdarray of bool
            With the rows of the frame; False for rows with NaN among their keys, which are in no group.

        Raises
        ------
        ArgumentError
            If `low` is negative, or `high` is less than `low`.
        ArgumentTypeError
            If `keys` are no names.
        MissingColumnError
            If there is no column of a name.
        """
        if low < 0 or (high is not None and high < low):
            raise ArgumentError(f"group sizes range from low to high, neither below 0; got low={low}, high={high}.")
        groups = self.groupby(keys, use_series=False)
        sizes = groups.broadcast(groups.size()[1])
        # Rows that are in no group have the size 0.
        mask: pdarray = sizes >= max(low, 1)
        return mask if high is None else mask & (sizes <= high)

    def sample(self, n: int = 5, *, frac: float | None = None, random_state: Any = None) -> Self:
        """Return `n` rows chosen at random, all of them if there are no more; counts rows of unknown number.

        Parameters
        ----------
        n : int, default 5
            How many rows.
        frac : float, optional
            Or which part of them, from 0 to 1.
        random_state : int or numpy.random.Generator, optional
            Seed for a choice that can be repeated.

        Raises
        ------
        ArgumentError
            If there cannot be so many.
        ArgumentTypeError
            If numbers are none.
        """
        size = len(self)
        count, draw = sample_of(size, n, frac, random_state)
        chosen: Self = self if count >= size else self._rows(draw.choice(size, count, replace=False))
        return chosen


def intx(a: FrameBase, b: FrameBase) -> pdarray:
    """Return which rows of a DataFrame another one has too; lazy bool array with the rows of `a`.

    Raises
    ------
    ArgumentTypeError
        If one is no DataFrame.
    ArgumentError
        If their columns differ, in names or order.

    Examples
    --------
    >>> import akdask as ak
    >>> a, b = ak.DataFrame({"x": [1, 2], "y": [5, 6]}), ak.DataFrame({"x": [2, 1], "y": [6, 7]})
    >>> ak.intx(a, b).tolist()
    [False, True]
    """
    given: list[Any] = [a, b]
    if not all(isinstance(frame, FrameBase) for frame in given):
        raise ArgumentTypeError("rows are compared with those of another DataFrame.")
    if not a.columns or a.columns != b.columns:
        raise ArgumentError(
            "only rows with the same columns in the same order can be compared.",
            details=[", ".join(frame.columns) for frame in (a, b)],
        )
    lefts, rights = ([frame._columns.array(name) for name in frame.columns] for frame in (a, b))
    found: pdarray = in1d(lefts, rights)
    return found


def _equal_by_label(frame: ColumnMethods, given: Any) -> dict[str, pdarray]:
    """Return which elements of each column equal what a Series, or the column of that name, has for their label."""
    own, labels = frame._columns, given._row_labels
    if isinstance(given, SeriesBase):
        sought = dict.fromkeys(own.values, given.values)
    else:
        sought = {name: given._columns.array(name) for name in own.values if name in given.columns}
    target = frame._row_labels
    if target.are_those_of(labels):
        return {name: _equal(own.array(name), sought.get(name)) for name in own.values}
    matched = Matched.of(target, labels, list(sought.values()))
    has_label = pdarray(matched.frame, matched.has_label)
    arrays = {name: matched.array(number) for number, name in enumerate(sought)}
    return {name: _equal(own.array(name), arrays.get(name)) & has_label for name in own.values}


def _equal(array: Any, sought: Any) -> pdarray:
    """Return which elements equal others, none where these are of another kind."""
    if sought is None or _is_number(array) != _is_number(sought):
        return pdarray(array._frame, Constant(np.False_))
    found: pdarray = array == sought
    return found


def _is_in(column: Array, name: str, values: Any) -> pdarray:
    """Return which elements of a column are among values as `isin` takes them."""
    sought: Any = values.get(name, []) if isinstance(values, Mapping) else values
    if isinstance(sought, Index):
        sought = sought.values
    if isinstance(sought, str) or not isinstance(sought, Array | Sized):
        raise ArgumentTypeError(
            f"isin looks among the values of an array, mapping or DataFrame, not of {type(sought).__name__}.",
            hint="put a single value into a list.",
        )
    if not isinstance(sought, Array):
        sought = as_arrays(like(column, sought))[0]
    if _is_number(column) != _is_number(sought):
        return pdarray(column._frame, Constant(np.False_))
    found: pdarray = in1d(column, sought)
    return found


def _is_number(array: Array) -> bool:
    return array._as_operand()[1].dtype.is_number
