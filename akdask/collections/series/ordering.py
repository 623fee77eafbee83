"""First, last, largest and sorted entries of a Series, and how often its values occur."""

from __future__ import annotations

from typing import Any, Self

from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.scans import argmaxk
from akdask.collections.arrays.sorting import argsort, coargsort
from akdask.collections.core.array import Array
from akdask.collections.frame_core.analysis.cells import is_nothing
from akdask.collections.frame_core.index import Index, MultiIndex
from akdask.collections.frame_core.labels import check_na_position, is_there
from akdask.collections.groups.groupby import ColumnGroups, GroupBy
from akdask.collections.groups.setops import in1d
from akdask.collections.series.base import SeriesBase
from akdask.collections.series.operators import SeriesOperators
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.concatenation import concatenate
from akdask.collections.time.timearray import TimeArray
from akdask.errors import ArgumentError, ArgumentTypeError


class SeriesOrder(SeriesOperators):
    """Entries by their place, and values by their order."""

    def head(self, n: int = 10) -> Self:
        """Return the first `n` entries; lazy."""
        return self._moved(self._labelled.head(n))

    def tail(self, n: int = 10) -> Self:
        """Return the last `n` entries; lazy."""
        return self._moved(self._labelled.tail(n))

    def topn(self, n: int = 10) -> Self:
        """Return the `n` entries of the largest values, the largest first; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([3, 9, 5]).topn(2).to_pandas().to_dict()
        {1: 9, 2: 5}
        """
        return self._chosen(argmaxk(self.values, n)[::-1])

    def sort_index(self, ascending: bool = True, *, na_position: str = "last") -> Self:
        """Return the entries in the order of their labels; lazy."""
        if na_position == "first" and not isinstance(self.index, MultiIndex):
            labels = self.index.values
            return self._chosen(coargsort([is_there(labels), labels], ascending=[True, ascending]))
        check_na_position(na_position)
        return self._chosen(self.index.argsort(ascending=ascending))

    def sort_values(self, ascending: bool = True, *, na_position: str = "last", ignore_index: bool = False) -> Self:
        """Return the entries in the order of their values; lazy.  Equal values keep their order.

        Parameters
        ----------
        ascending : bool, default True
            The direction.
        na_position : {"last", "first"}
            Where missing values come.
        ignore_index : bool, default False
            Number the entries anew.

        Raises
        ------
        ArgumentError
            If `na_position` is something else.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series(["b", None, "a"]).sort_values(na_position="first").tolist()
        [None, 'a', 'b']
        """
        if na_position not in ("first", "last"):
            raise ArgumentError(f"na_position={na_position!r} is neither 'first' nor 'last'.")
        if na_position == "last":
            ordered = self._chosen(argsort(self.values, ascending=ascending))
        else:
            ordered = self._chosen(coargsort([self.notna().values, self.values], ascending=[True, ascending]))
        return ordered.reset_index(drop=True) if ignore_index else ordered

    def value_counts(
        self, sort: bool = True, *, normalize: bool = False, ascending: bool = False, dropna: bool = True
    ) -> Self:
        """Return how often each value occurs, as int64 labelled by the values; lazy.

        As in pandas, the labels are called as the values are, and the result is called ``count`` or ``proportion``.

        Parameters
        ----------
        sort : bool, default True
            Put the commonest first; otherwise the values are in order.
        normalize : bool, default False
            Return parts of all values, as float64, not numbers of them.
        ascending : bool, default False
            Put the rarest first.
        dropna : bool, default True
            Leave out missing values; otherwise NaN are counted as well.

        Notes
        -----
        Categories that no value has are counted as 0, as in pandas; the function ``ak.value_counts`` leaves them out.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([2, 0, 2]).value_counts().to_pandas().to_dict()
        {2: 2, 0: 1}
        """
        values, counts = _counted(self.values, dropna)
        found, name = (counts / counts.sum(), "proportion") if normalize else (counts, "count")
        counted = self._of(found, Index(values, self.name), name)
        return counted.sort_values(ascending=ascending) if sort else counted

    def isin(self, lst: Any) -> Self:
        """Return which values are among some, as a Series of bool; lazy.

        Parameters
        ----------
        lst : pdarray, Strings, Series or list
            The values to look for.  A missing one stands for all that are missing, but None for no NaN, as in pandas.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series(["a", None, "b"]).isin(["a", None]).tolist()
        [True, True, False]
        """
        values = self.values
        if not isinstance(lst, list | tuple | set | frozenset):
            return self._with(in1d(values, lst.values if isinstance(lst, SeriesBase) else lst))
        there = [item for item in lst if not is_nothing(item)]
        is_number = isinstance(values, pdarray) and values._pandas_converter() is None
        others = type(None) if is_number else float if isinstance(values, TimeArray) else ()
        stands_for_missing = any(is_nothing(item) and not isinstance(item, others) for item in lst)
        found = in1d(values, there) if there else self.notna().values & False
        return self._with(found | self.isna().values if stands_for_missing else found)

    def add(self, b: SeriesBase) -> Self:
        """Return the sums of the values of each label, of both Series; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> one, two = ak.Series([1, 2], index=["a", "b"]), ak.Series([10, 20], index=["b", "c"])
        >>> one.add(two).to_pandas().to_dict() == {"a": 1, "b": 12, "c": 20}
        True
        """
        if not isinstance(b, SeriesBase):
            raise ArgumentTypeError(f"add takes a Series, not {type(b).__name__}.", hint="s + 1 adds to every value.")
        index = self.index.concat(b.index)
        keys, sums = GroupBy(index.values).sum(concatenate([self.values, b.values]))
        return self._of(sums, Index.factory(keys))

    def _chosen(self, positions: Array) -> Self:
        return self._moved(self._labelled._rows(positions))


def _counted(values: Array, dropna: bool) -> tuple[Any, Any]:
    """Return distinct values in order, and how often each occurs; categories that do not occur as well."""
    if not isinstance(values, Categorical):
        found: tuple[Any, Any] = ColumnGroups(values, dropna=dropna).size()
        return found
    # Each category is there once more, so that none is left out.
    each = values._each_category()
    keys, counts = ColumnGroups(concatenate([values, each]), dropna=dropna).size()
    return keys, where(keys.isna(), counts, counts - 1)
