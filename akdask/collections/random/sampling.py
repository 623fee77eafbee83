"""Elements in random order, or some of them: `permutation`, `shuffle` and `choice` of generators."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import arange, array
from akdask.collections.arrays.elementwise import cast, where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.scans import argmink, cumsum
from akdask.collections.arrays.sorting import argsort, searchsorted
from akdask.collections.arrays.ufuncs import log1p
from akdask.collections.core.array import Array
from akdask.collections.random.arrays import shaped
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.values import Call

METHODS = ("fisheryates", "argsort", "mergeshuffle", "feistel")


class SamplingMethods:
    """Random orders and choices; what draws is the seed of each call."""

    def _next_seed(self) -> int:
        raise NotImplementedError

    def permutation(self, x: Any, method: str = "Argsort") -> Any:
        """Return the elements of an array in random order; lazy.

        Parameters
        ----------
        x : int, pdarray, Strings or Categorical
            The elements; of an int those of ``arange(x)``.
        method : {"Argsort", "FisherYates", "Feistel"}
            Random numbers are sorted, whichever of the first two; or each position is enciphered, which needs no
            exchange of rows to be found.

        Raises
        ------
        ArgumentTypeError
            If it is neither.
        ArgumentError
            If there is no such method.

        Examples
        --------
        >>> import akdask as ak
        >>> sorted(ak.random.default_rng(1).permutation(5).tolist())
        [0, 1, 2, 3, 4]
        """
        if not isinstance(x, Array):
            return self._order(_count("permutation", x), method)
        return x[self._order(len(x), method)]

    def shuffle(
        self, x: Any, method: str = "FisherYates", *, feistel_rounds: int = 16, feistel_key: int | None = None
    ) -> None:
        """Put the elements of an array in random order, in place; lazy.  What was derived from it before keeps its own.

        Parameters
        ----------
        x : pdarray, Strings or Categorical
            The array.
        method : {"FisherYates", "Argsort", "MergeShuffle", "Feistel"}
            As in `permutation`.
        feistel_rounds : int, default 16
            Rounds of the cipher.
        feistel_key : int, optional
            Its key, drawn unless given.

        Raises
        ------
        ArgumentTypeError
            If it is no array.
        ArgumentError
            If there is no such method.
        """
        if not isinstance(x, Array):
            raise ArgumentTypeError(
                f"shuffle changes a lazy array, not {type(x).__name__}.", hint="ak.array(…) makes one."
            )
        mixed = x[self._order(len(x), method, feistel_rounds, feistel_key)]
        x._frame, x._value = mixed._frame, mixed._value

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Return random elements of an array; lazy.

        Parameters
        ----------
        a : int, pdarray, Strings or Categorical
            The elements; of an int those of ``arange(a)``.
        size : int, optional
            How many; a single element, at once, unless given.
        replace : bool, default True
            Whether an element may be drawn again.
        p : array, optional
            Weights of the elements, at least 0; all alike unless given.

        Raises
        ------
        ArgumentError
            If more elements are to be drawn than there are, or weights are not as many as the elements, or negative.
        ArgumentTypeError
            If it is no array, or the weights are no numbers.

        Notes
        -----
        Without `replace`, elements with weights are those with the least exponential numbers of their rates: Efraimidis
        and Spirakis, Weighted random sampling with a reservoir, 2006.

        Examples
        --------
        >>> import akdask as ak
        >>> drawn = ak.random.default_rng(3).choice(ak.array([10, 20, 30]), 2, replace=False)
        >>> len(set(drawn.tolist()))
        2
        """
        count = len(a) if isinstance(a, Array) else _count("choice", a)
        wanted = 1 if size is None else _count("choice", size)
        if not count and wanted:
            raise ArgumentError("there are no elements to choose from.")
        if not replace and wanted > count:
            raise ArgumentError(f"{wanted} of {count} elements cannot be drawn without drawing one again.")
        positions = self._positions(count, wanted, replace, None if p is None else _weights(p, count))
        chosen = a[positions] if isinstance(a, Array) else positions
        return chosen[0] if size is None else chosen

    def _positions(self, count: int, wanted: int, replace: bool, weights: pdarray | None) -> Any:
        seed = self._next_seed()
        if weights is None and replace:
            return shaped(wanted, lambda rows: Call("random_integers", rows.position, seed=seed, low=0, high=count))
        if weights is None:
            return self._order(count, "Argsort")[:wanted]
        if replace:
            drawn = shaped(wanted, lambda rows: Call("random_uniform", rows.position, seed=seed))
            summed = cumsum(weights)
            found = searchsorted(summed, drawn * float(summed[count - 1]), side="right")
            return where(found >= count, count - 1, found)
        drawn = shaped(count, lambda rows: Call("random_uniform", rows.position, seed=seed))
        if int((weights > 0).sum()) < wanted:
            raise ArgumentError(f"fewer than {wanted} elements have a weight above 0.")
        return argmink(-log1p(-drawn) / weights, wanted) if wanted else arange(0)

    def _order(self, count: int, method: str, rounds: int = 16, key: int | None = None) -> Any:
        """Return the positions of elements in random order."""
        if str(method).lower() not in METHODS:
            raise ArgumentError(f"there is no method {method!r}.", details=["methods: Argsort, FisherYates, Feistel"])
        seed = self._next_seed()
        if str(method).lower() == "feistel":
            if index(rounds) < 1:
                raise ArgumentError(f"feistel_rounds is at least 1, not {rounds}.")
            found = {"seed": seed if key is None else index(key), "size": count, "rounds": index(rounds)}
            return shaped(count, lambda rows: Call("shuffled", rows.position, **found))
        drawn = shaped(count, lambda rows: Call("random_integers", rows.position, seed=seed, low=-(2**63), high=2**63))
        return argsort(drawn)


def _count(name: str, given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise ArgumentTypeError(f"{name} takes a lazy array or a number, not {type(given).__name__}.")
    if given < 0:
        raise ArgumentError(f"{name}: {given} is below 0.")
    return int(given)


def _weights(p: Any, count: int) -> pdarray:
    """Return weights as float64, which compute whether they are right."""
    weights = p if isinstance(p, Array) else array(p)
    if not isinstance(weights, pdarray) or not weights._value.dtype.is_number:
        raise ArgumentTypeError("weights are an array of numbers.")
    if weights.size != count:
        raise ArgumentError(f"{count} elements have as many weights, got {weights.size}.")
    weights = cast(weights, np.float64)
    if count and not (float(weights.min()) >= 0 and 0 < float(weights.sum()) < np.inf):
        raise ArgumentError("weights are at least 0, and not all of them 0.")
    return weights
