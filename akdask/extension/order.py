"""`OrderedElements`: positions that lazy arrays in pandas compute: orders, extremes, numbers of distinct elements."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd

from akdask.collections.arrays.creation import arange, array
from akdask.collections.arrays.sorting import argsort
from akdask.collections.groups.groupby import GroupBy
from akdask.errors import ArgumentError
from akdask.extension.operators import LazyOperators


class OrderedElements(LazyOperators):
    """What pandas asks of elements that have an order or are equal to each other."""

    def argsort(
        self, *, ascending: bool = True, kind: str = "quicksort", na_position: str = "last", **kwargs: Any
    ) -> np.ndarray[Any, Any]:
        """Return the positions that put the elements in order, as a NumPy array; computes.

        Parameters
        ----------
        ascending : bool, default True
            The direction.
        kind : str
            Accepted for compatibility with pandas; the order is always stable.
        na_position : {"last", "first"}
            Where missing elements go.
        **kwargs
            What else pandas passes makes no difference.
        """
        missing = self.isna()
        there = np.flatnonzero(~missing)
        order = argsort(self._data[array(there)], ascending=ascending).to_ndarray() if len(there) else there
        parts = [there[order], np.flatnonzero(missing)]
        return np.concatenate(parts if na_position == "last" else parts[::-1]).astype(np.intp)

    def argmin(self, axis: Any = None, out: Any = None, *, skipna: bool = True) -> int:
        """Return the position of the first smallest element that is not missing; computes."""
        return self._extreme("argmin", skipna)

    def argmax(self, axis: Any = None, out: Any = None, *, skipna: bool = True) -> int:
        """Return the position of the first largest element that is not missing; computes."""
        return self._extreme("argmax", skipna)

    def _extreme(self, name: str, skipna: bool) -> int:
        if skipna not in (True, False):
            raise ArgumentError(f'For argument "skipna" expected type bool, received type {type(skipna).__name__}.')
        missing = self.isna()
        if not len(missing):
            raise ArgumentError(f"attempt to get {name} of an empty sequence")
        if missing.any() and not skipna:
            raise ArgumentError("Encountered an NA value with skipna=False")
        there = np.flatnonzero(~missing)
        if not len(there):
            raise ArgumentError("Encountered all NA values")
        order = argsort(self._data[array(there)], ascending=name == "argmin")
        return int(there[int(order[0])])

    def factorize(
        self, use_na_sentinel: bool = True, sort: bool = False, **kwargs: Any
    ) -> tuple[np.ndarray[Any, Any], OrderedElements]:
        """Return a number for each element, and the distinct elements that they count; computes.

        Parameters
        ----------
        use_na_sentinel : bool, default True
            Number missing elements -1; otherwise they are one element more.
        sort : bool
            Count the elements in their order; otherwise as they come first.
        **kwargs
            What else pandas passes makes no difference.
        """
        missing = self.isna()
        there = np.flatnonzero(~missing)
        codes = np.full(len(missing), -1, np.intp)
        if not len(there):
            uniques = self._wrapped(self._data[:0])
        else:
            groups = GroupBy(self._data[array(there)])
            codes[there] = groups.broadcast(arange(groups.ngroups)).to_ndarray()
            uniques = self._wrapped(groups.unique_keys)
            if not sort:
                _, first = np.unique(codes[there], return_index=True)
                order = np.argsort(first, kind="stable")
                ranks = np.empty(len(order), np.intp)
                ranks[order] = np.arange(len(order))
                codes[there] = ranks[codes[there]]
                uniques = uniques.take(order)
        if not use_na_sentinel and missing.any():
            codes, uniques = _with_missing(codes, uniques, missing, self, sort)
        return codes, uniques

    def unique(self) -> Self:
        """Return the distinct elements as they come first; computes which."""
        codes, _ = self.factorize(use_na_sentinel=False)
        _, first = np.unique(codes, return_index=True)
        return self.take(np.sort(first))

    def value_counts(self, dropna: bool = True) -> pd.Series:
        """Return how often each element occurs, the commonest first, labelled by the elements; computes."""
        codes, uniques = self.factorize(use_na_sentinel=dropna)
        counts = np.bincount(codes[codes >= 0], minlength=len(uniques))
        order = np.argsort(-counts, kind="stable")
        index = pd.Index(uniques.take(order))
        return pd.Series(counts[order], index=index, name="count", dtype=np.int64)

    def duplicated(self, keep: Any = "first") -> np.ndarray[Any, Any]:
        """Return which elements occur before (or after, or elsewhere at all) as well; computes."""
        codes, _ = self.factorize(use_na_sentinel=False)
        return np.asarray(pd.Series(codes).duplicated(keep))


def _with_missing(
    codes: np.ndarray[Any, Any],
    uniques: OrderedElements,
    missing: np.ndarray[Any, Any],
    elements: OrderedElements,
    sort: bool,
) -> tuple[np.ndarray[Any, Any], OrderedElements]:
    """Return numbers and distinct elements with what is missing as one more, where it comes first or last in order."""
    first = int(np.flatnonzero(missing)[0])
    position = len(uniques) if sort else len(np.unique(codes[:first][codes[:first] >= 0]))
    codes = np.where(missing, position, np.where(codes >= position, codes + 1, codes))
    one = elements.take([first])
    parts = [uniques[:position], one, uniques[position:]]
    kind: Any = type(uniques)
    return codes, kind._concat_same_type(parts)
