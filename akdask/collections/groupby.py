"""`GroupBy`: rows grouped by one or more arrays, and what is computed of each group."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from akdask.collections.array import Array
from akdask.collections.categorical import Categorical
from akdask.collections.creation import array
from akdask.collections.pdarray import pdarray
from akdask.collections.rows import known_lengths
from akdask.collections.wrap import wrap
from akdask.errors import AlignmentError, ArgumentError
from akdask.kernels.arrange import Some
from akdask.kernels.grouped import GROUPED
from akdask.kernels.pairs import PAIR_STATISTICS
from akdask.plan.align import align
from akdask.plan.arrange import Arranged, Spread, Starts
from akdask.plan.chain import mask_name
from akdask.plan.group import Grouped, GroupReduction, GroupStatistic
from akdask.plan.node import Frame
from akdask.plan.numbered import row_numbers
from akdask.plan.rowwise import Filter, Project
from akdask.plan.values import Call, Value
from akdask.schema import FLOAT64

Keys = Any
"""One array, or a tuple of arrays where the rows are grouped by several."""

GROUPBY_REDUCTION_TYPES = frozenset([*GROUPED, *PAIR_STATISTICS, "unique"]) - {"size"}


class GroupBy:
    """Rows grouped by equal keys.

    Parameters
    ----------
    keys : pdarray, Strings, Categorical, or sequence of them
        What to group by; several arrays share their rows.
    assume_sorted : bool
        Accepted as Arkouda spells it; sorted rows are grouped quickly anyway.
    dropna : bool
        Leave out rows with NaN among their keys.  Otherwise all NaN are one key.

    Raises
    ------
    ArgumentError
        If there are no keys.
    AlignmentError
        When something is asked for, if the keys do not share rows.

    Notes
    -----
    Groups come in ascending order of their keys, NaN last, Strings by their bytes and Categoricals by their codes; an
    Arkouda server orders Strings by a hash.  Everything is lazy.  Results of one GroupBy share their rows and can be
    combined.

    Examples
    --------
    >>> import akdask as ak
    >>> g = GroupBy(ak.array([3, 1, 3]))
    >>> keys, sums = g.sum(ak.array([10, 20, 30]))
    >>> keys.tolist(), sums.tolist()
    ([1, 3], [20, 40])
    """

    def __init__(self, keys: Any, assume_sorted: bool = False, dropna: bool = True) -> None:
        if isinstance(keys, list | tuple) and not keys:
            raise ArgumentError("rows are grouped by at least one array.")
        several = isinstance(keys, list | tuple) and isinstance(keys[0], Array)
        self.keys: Any = list(keys) if several else _array(keys)
        self.dropna = dropna
        self.assume_sorted = assume_sorted
        self._arrays: list[Array] = [_array(key) for key in (self.keys if several else [self.keys])]

    # the rows

    def _on(self, *values: Array) -> tuple[Frame, tuple[Value, ...], list[Value], Value]:
        """Return common rows, the keys on them, other values, and the numbers of the rows."""
        keys = [(key._frame, key._value) for key in self._arrays]
        frame, aligned = align("group", [*keys, *(value._as_operand() for value in values)])
        frame, (*aligned, numbers) = align("group", [*((frame, value) for value in aligned), row_numbers(frame)])
        count = len(keys)
        if self.dropna:
            frame = _without_missing(frame, aligned[:count])
        return frame, tuple(aligned[:count]), aligned[count:], numbers

    def _grouped(self, *reductions: tuple[str, Array | None, dict[str, Any]]) -> Grouped:
        """Return the node of reductions, given by name, array and arguments; None stands for the row numbers."""
        arrays = [values for _, values, _ in reductions if values is not None]
        frame, keys, aligned, numbers = self._on(*arrays)
        remaining = iter(aligned)
        made = []
        for name, values, params in reductions:
            taken: list[Value] = [numbers] if values is None else [next(remaining)]
            if name == "size":
                taken = []
            elif GROUPED[name].by_position:
                taken.append(numbers)
            made.append(GroupReduction(name, *taken, **params))
        return Grouped(frame, keys, tuple(made))

    def _keys_of(self, frame: Grouped | GroupStatistic) -> Keys:
        """Return the distinct keys that a node has found."""
        made = tuple(_like(key, frame, frame.key(number)) for number, key in enumerate(self._arrays))
        return made if isinstance(self.keys, list) else made[0]

    # parts

    @property
    def nkeys(self) -> int:
        """Number of arrays that the rows are grouped by."""
        return len(self._arrays)

    @property
    def unique_keys(self) -> Keys:
        """The distinct keys: one array, or a tuple of arrays; lazy."""
        return self._keys_of(self._grouped())

    @property
    def unique_key_idx(self) -> pdarray:
        """The number of the first row of each group, as int64; lazy."""
        return self._result(self._grouped(("min", None, {})))

    def edge_rows(self, *, last: bool = False) -> pdarray:
        """Return which rows are the first of their groups, or the last; lazy bool array, where nothing is dropped."""
        edges = self._result(self._grouped(("max" if last else "min", None, {})))
        frame, _ = align("group", [(key._frame, key._value) for key in self._arrays])
        return self.broadcast(edges) == pdarray(*row_numbers(frame))

    @property
    def permutation(self) -> pdarray:
        """The numbers of the rows with those of each group together, as int64; lazy."""
        frame, keys, _, numbers = self._on()
        arranged = Arranged(frame, keys, (numbers,), None)
        return pdarray(arranged, arranged.column(0))

    @property
    def segments(self) -> pdarray:
        """Where each group begins in `permutation`, as int64; lazy."""
        grouped = self._grouped(("size", None, {}))
        starts = Starts(Project(grouped, (0,), (grouped.result(0),)))
        return pdarray(starts, starts.start)

    @property
    def ngroups(self) -> int:
        """Number of groups; counts them, once."""
        return sum(known_lengths(self._grouped()))

    @property
    def length(self) -> int:
        """Number of rows, with those that are left out."""
        return self._arrays[0].size

    def __len__(self) -> int:
        return self.ngroups

    # reductions

    def size(self) -> tuple[Keys, pdarray]:
        """Return the keys and the number of rows of each group, as int64; lazy."""
        grouped = self._grouped(("size", None, {}))
        return self._keys_of(grouped), self._result(grouped)

    def count(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the number of values of each group that are not NaN, as int64; lazy."""
        return self._reduced("count", values)

    def sum(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the sum of each group: int64 of bools and ints, which wraps; lazy.

        Parameters
        ----------
        values : pdarray
            With the rows of the keys.
        skipna : bool
            Leave out NaN.
        """
        return self._reduced("sum", values, skipna=skipna)

    def prod(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the product of each group as float64; see `sum`."""
        return self._reduced("prod", values, skipna=skipna)

    def mean(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the mean of each group as float64; see `sum`."""
        return self._reduced("mean", values, skipna=skipna)

    def var(self, values: Any, skipna: bool = True, ddof: int = 1) -> tuple[Keys, pdarray]:
        """Return the keys and the variance of each group, NaN where there are no more than `ddof` values; see `sum`."""
        return self._reduced("var", values, skipna=skipna, ddof=ddof)

    def std(self, values: Any, skipna: bool = True, ddof: int = 1) -> tuple[Keys, pdarray]:
        """Return the keys and the standard deviation of each group; see `var`."""
        return self._reduced("std", values, skipna=skipna, ddof=ddof)

    def min(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the smallest value of each group; see `sum`."""
        return self._reduced("min", values, skipna=skipna)

    def max(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the largest value of each group; see `sum`."""
        return self._reduced("max", values, skipna=skipna)

    def argmin(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the position in `values` of the first smallest value of each group; lazy.

        NaN are left out; the position is -1 where nothing else is there.
        """
        return self._reduced("argmin", values)

    def argmax(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the position in `values` of the first largest value of each group; see `argmin`."""
        return self._reduced("argmax", values)

    def first(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the first value of each group, of any type; lazy."""
        return self._reduced("first", values)

    def any(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and whether any value of each group is not zero; lazy."""
        return self._reduced("any", values)

    def all(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and whether no value of each group is zero; lazy."""
        return self._reduced("all", values)

    def OR(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the bits that any integer of each group has; lazy."""
        return self._reduced("OR", values)

    def AND(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the bits that all integers of each group have; lazy."""
        return self._reduced("AND", values)

    def XOR(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the bits that an odd number of integers of each group have; lazy."""
        return self._reduced("XOR", values)

    def nunique(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the number of distinct values of each group, NaN left out; lazy."""
        return self._statistic("nunique", values)

    def mode(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the commonest value of each group, the smallest of several, NaN left out; lazy."""
        return self._statistic("mode", values)

    def median(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the median of each group as float64; see `sum`."""
        return self._statistic("median", values, skipna)

    def aggregate(self, values: Any, operator: str, skipna: bool = True, ddof: int = 1) -> tuple[Keys, Any]:
        """Return the keys and a reduction of each group, by its name; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical
            With the rows of the keys.
        operator : str
            The name of one of the methods.
        skipna, ddof
            Where the method takes them.

        Raises
        ------
        ArgumentError
            If there is no such reduction.
        """
        name = operator.upper() if operator.upper() in GROUPED else operator.lower()
        if name not in GROUPBY_REDUCTION_TYPES:
            raise ArgumentError(
                f"groups cannot be reduced by {operator!r}.",
                details=[f"reductions: {', '.join(sorted(GROUPBY_REDUCTION_TYPES))}"],
            )
        if name in ("var", "std"):
            return self._reduced(name, values, skipna=skipna, ddof=ddof)
        if name in ("sum", "prod", "mean", "min", "max"):
            return self._reduced(name, values, skipna=skipna)
        return self.median(values, skipna) if name == "median" else getattr(self, name)(values)

    def reduce_together(self, calls: Sequence[tuple[Any, str]], **params: Any) -> tuple[Keys, list[Any]]:
        """Return the keys and several reductions of the groups, found in one pass over the rows; lazy.

        Parameters
        ----------
        calls : sequence of (array, str)
            What to reduce, and the name of the reduction.
        **params
            Arguments of all of them.
        """
        wanted = [(_array(values), name) for values, name in calls]
        # Everything but the first value works on what the elements are, not on what stands for them.
        taken = [(name, _codes(values) if name in ("first", "size", "count") else values) for values, name in wanted]
        grouped = self._grouped(*((name, values, params) for name, values in taken))
        models = [values if name == "first" else None for values, name in wanted]
        results = [_like(model, grouped, grouped.result(number)) for number, model in enumerate(models)]
        return self._keys_of(grouped), results

    def _reduced(self, name: str, values: Any, **params: Any) -> tuple[Keys, Any]:
        keys, (result,) = self.reduce_together([(values, name)], **params)
        return keys, result

    def _statistic(self, name: str, values: Any, skipna: bool = True) -> tuple[Keys, Any]:
        given = _array(values)
        operand = _codes(given)
        PAIR_STATISTICS[name].result_type(operand._value.dtype)
        frame, keys, (value,), _ = self._on(operand)
        node = GroupStatistic(frame, keys, value, name, skipna)
        return self._keys_of(node), _like(given if name == "mode" else None, node, node.result)

    def _result(self, grouped: Grouped) -> pdarray:
        return pdarray(grouped, grouped.result(0))

    # rows of groups

    def head(self, values: Any, n: int = 5, return_indices: bool = True) -> tuple[Keys, Any]:
        """Return the keys, and the first rows of each group, those of one group together; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical
            With the rows of the keys.
        n : int
            How many rows of each group, at most.
        return_indices : bool
            Return positions in `values` instead of the values there.
        """
        return self._some(Some("head", n), values, return_indices)

    def tail(self, values: Any, n: int = 5, return_indices: bool = True) -> tuple[Keys, Any]:
        """Return the keys, and the last rows of each group; see `head`."""
        return self._some(Some("tail", n), values, return_indices)

    def sample(  # noqa: PLR0917 - Arkouda's signature
        self,
        values: Any,
        n: int | None = None,
        frac: float | None = None,
        replace: bool = False,
        weights: Any = None,
        random_state: int | None = None,
        return_indices: bool = False,
        permute_samples: bool = False,
    ) -> Any:
        """Return a random choice of the rows of each group, those of one group together; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical
            With the rows of the keys.
        n : int, optional
            How many rows of each group, 1 unless `frac` is given.
        frac : float, optional
            Which share of the rows of each group.
        replace : bool
            Whether a row may be chosen several times.
        weights : pdarray of float, optional
            The odds of each row.
        random_state : int, optional
            A seed, for the same choice again.
        return_indices : bool
            Return positions in `values` instead of the values there.
        permute_samples : bool
            Accepted as Arkouda spells it; rows of one group come in random order unless `replace` is given.

        Raises
        ------
        ArgumentError
            If both `n` and `frac` are given, or one of them is negative.
        """
        if (n is not None and frac is not None) or (n or 0) < 0 or (frac or 0) < 0:
            raise ArgumentError(f"sample takes either n or frac, not negative; got n={n}, frac={frac}.")
        seed = secrets.randbits(32) if random_state is None else int(random_state)
        count = n if n is not None or frac is not None else 1
        some = Some("sample", count, 1.0 if frac is None else float(frac), replace, seed, weights is not None)
        _, chosen = self._some(some, values, return_indices, *([] if weights is None else [_array(weights)]))
        return chosen

    def _some(self, some: Some, values: Any, return_indices: bool, *weights: Array) -> tuple[Keys, Any]:
        given = _array(values)
        frame, keys, (value, *odds), numbers = self._on(_codes(given), *weights)
        carried = (numbers, *([] if return_indices else [value]), *odds)
        arranged = Arranged(frame, keys, carried, some)
        number = 0 if return_indices else 1
        return self.unique_keys, _like(None if return_indices else given, arranged, arranged.column(number))

    def broadcast(self, values: Any, permute: bool = True) -> Any:
        """Spread one value per group back to every row of that group.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, shape (ngroups,)
            One value per group, in the order of `unique_keys`.
        permute : bool, default True
            Return rows in the original order; otherwise grouped order.

        Returns
        -------
        pdarray, Strings or Categorical, shape (size,)
            Shares the rows of the keys.  Rows that were left out get NaN, 0, False or no text.  Lazy.

        Raises
        ------
        AlignmentError
            If `values` does not have one entry per group.

        Examples
        --------
        >>> import akdask as ak
        >>> g = GroupBy(ak.array([1, 4, 1]))
        >>> g.broadcast(ak.array([3, 7])).tolist()
        [3, 7, 3]
        """
        given = _array(values)
        operand = _codes(given)
        grouped = self._grouped()
        if not operand.rows.same_rows(grouped.rows):
            counted = known_lengths(grouped), known_lengths(operand._frame)
            if sum(counted[0]) != sum(counted[1]):
                raise AlignmentError(
                    f"broadcast takes one value for each of {sum(counted[0])} groups, got {sum(counted[1])}."
                )
        refs = [(grouped, grouped.key(number)) for number in range(self.nkeys)]
        groups, columns = align("broadcast", [*refs, operand._as_operand()])
        if permute:
            frame, keys = align("group", [(key._frame, key._value) for key in self._arrays])
        else:
            rows, row_keys, _, _ = self._on()
            frame = Arranged(rows, row_keys, row_keys, None)
            keys = list(map(frame.column, range(self.nkeys)))
        spread = Spread(_project(frame, keys), _project(groups, columns))
        return _like(given, spread, spread.value)


def _without_missing(frame: Frame, keys: Sequence[Value]) -> Frame:
    """Leave out the rows with NaN among the keys; named by the keys alone, so that all results share rows."""
    missing: Value | None = None
    for key in keys:
        if key.dtype == FLOAT64:
            is_nan = Call("isnan", key)
            missing = is_nan if missing is None else Call("logical_or", missing, is_nan)
    if missing is None:
        return frame
    present = Call("logical_not", missing)
    return Filter(frame, present, mask_name(frame, present))


def _project(frame: Frame, values: Sequence[Value]) -> Project:
    return Project(frame, tuple(range(len(values))), tuple(values))


def _array(values: Any) -> Array:
    made: Array = values if isinstance(values, Array) else array(values)
    return made


def _codes(values: Array) -> Array:
    """Return what stands for the values where only equality and order matter."""
    return values.codes if isinstance(values, Categorical) else values


def _like(model: Array | None, frame: Frame, value: Value) -> Any:
    """Return an array of the kind of another: a Categorical where that is one."""
    return model._like(frame, value) if isinstance(model, Categorical) else wrap(frame, value)
