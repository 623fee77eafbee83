"""`GroupBy`: rows grouped by one or more arrays, with reductions, rows and broadcasts of the groups."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from inspect import signature
from itertools import count, islice
from operator import index
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeAlias

import dask
import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.display import HtmlDisplay, counted
from akdask.arrays.group_columns import column_rule
from akdask.arrays.keys import as_array, as_arrays, is_several, lazy_array
from akdask.arrays.pdarray import pdarray
from akdask.arrays.registered import Registered
from akdask.arrays.selection import check_sample, known_lengths, position
from akdask.arrays.sorting import sort
from akdask.arrays.storage_methods import StorageMethods
from akdask.arrays.strings import Strings
from akdask.arrays.substitutes import Substitutes
from akdask.arrays.timearray import TimeArray
from akdask.arrays.wrap import wrap
from akdask.arrays.writing import Storable
from akdask.columns.dtypes import BOOL, FLOAT64, NULLABLE_STR
from akdask.engine.alignment import Aligned, align
from akdask.engine.cache import CacheLease, lease
from akdask.engine.missing import demanded, is_missing, is_missing_text, key_parts, of_key_parts
from akdask.engine.missing import is_missing as is_missing_integer
from akdask.engine.node import Frame
from akdask.engine.rowwise import Filter, Project, column_identity
from akdask.engine.times import is_missing_time, of_order
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.operators.group.aggregate import GroupAggregate, GroupIdentity, GroupReduction, GroupStatistic
from akdask.operators.reduce.quantiles import checked_quantiles
from akdask.operators.reduce.registry import REDUCTIONS
from akdask.operators.rows.lists import SegmentStarts
from akdask.operators.rows.numbers import row_numbers
from akdask.operators.rows.take import broadcast
from akdask.storage.objects import KEY, PERMUTATION, SEGMENTS, UNIQUE_KEY_IDX, ObjType

if TYPE_CHECKING:
    from akdask.operators.group.arrange import TopRowsOfGroups
    from akdask.operators.group.sorted_rows import RowsPerGroup


@dataclass(frozen=True)
class GroupKeys:
    """Columns that rows are grouped by.

    Parameters
    ----------
    frame : Frame
        Where they are found.
    values : tuple of Value
        The columns; integers with gaps have two.
    grouped : Value, optional
        Bool column that is True where a row is in a group; None if all rows are.
    """

    frame: Frame
    values: tuple[Value, ...]
    grouped: Value | None = None

    @classmethod
    def of(cls, arrays: Sequence[Array], *, dropna: bool, labels: bool = False) -> Self:
        """Return arrays as keys, with or without the rows that have NaN, NaT or missing text.

        With `labels`, rows whose label stands for missing in a Categorical are left out too.

        Raises
        ------
        AlignmentError
            If they do not share rows.
        """
        frame, values = align("group", [array._key() for array in arrays])
        present = _is_present(arrays, values, labels) if dropna else None
        return cls(frame, tuple(part for value in values for part in key_parts(value)), present)

    @classmethod
    def of_numbers(cls, numbers: Array) -> Self:
        """Return the number of each row's group as the key; rows with negative numbers are in no group."""
        return cls(numbers._frame, (numbers._value,), Call("greater_equal", numbers._value, Constant(0)))

    @property
    def _columns(self) -> list[Aligned]:
        wanted = self.values if self.grouped is None else (*self.values, self.grouped)
        return [(self.frame, value) for value in wanted]

    @cached_property
    def identity(self) -> GroupIdentity:
        """The identity of the groups, the same on all frames of their rows."""
        frame = self.frame if self.grouped is None else self._selected(self.frame, self.grouped)
        return GroupIdentity.of(frame, self.values)

    def common(self, *others: Aligned) -> Frame:
        """Return the rows on which the keys are found beside other columns."""
        return self._aligned(*others)[0]

    def beside(self, *others: Aligned) -> tuple[Frame, tuple[Value, ...], list[Value]]:
        """Return the rows that are in a group, with their keys and other columns."""
        count = len(self.values)
        frame, values = self._aligned(*others)
        if self.grouped is None:
            return frame, tuple(values[:count]), values[count:]
        return self._selected(frame, values[count]), tuple(values[:count]), values[count + 1 :]

    def _aligned(self, *others: Aligned) -> tuple[Frame, list[Value]]:
        # Several partitions of groups have bounds that depend on how the rows are partitioned.
        keeps_rows = self.identity.npartitions > 1
        return align("group", [*self._columns, *others], keeps_rows=keeps_rows)

    def _selected(self, frame: Frame, grouped: Value) -> Frame:
        assert self.grouped is not None, "there are rows to leave out"
        identity = column_identity(self.frame, self.grouped)
        return Filter(frame, grouped, identity.partitioned_like(self.frame.rows, frame.rows))


def _is_present(arrays: Sequence[Array], values: Sequence[Value], labels: bool) -> Value | None:
    """Return which rows have no NaN, NaT or missing text among their keys, None if no type of key has any."""
    missing: list[Value] = [
        _is_missing(array, value)
        for array, value in zip(arrays, values, strict=True)
        if value.dtype in (FLOAT64, NULLABLE_STR)
        or isinstance(array, TimeArray)
        or (labels and isinstance(array, Categorical))
    ]
    if not missing:
        return None
    return Call("logical_not", reduce(lambda one, other: Call("logical_or", one, other), missing))


def _is_missing(array: Array, value: Value) -> Value:
    if isinstance(array, Categorical):
        return array._missing_among(value)
    if value.dtype == NULLABLE_STR:
        return is_missing_text(value)
    return is_missing_time(of_order(value)) if isinstance(array, TimeArray) else is_missing_integer(value)


Keys = Any
"""One array, or a tuple of arrays where the rows are grouped by several."""


class GroupBase(Substitutes):
    """Rows grouped by equal keys."""

    _drops_labels = False
    """Whether `dropna` leaves out the label of a Categorical that stands for missing; Arkouda's groups keep it."""

    def __init__(self, keys: Any = None, assume_sorted: bool = False, dropna: bool = True) -> None:
        if keys is None or (isinstance(keys, list | tuple) and not keys):
            raise ArgumentError("rows are grouped by at least one array.")
        if not isinstance(assume_sorted, bool | np.bool_):
            raise ArgumentTypeError(
                f"assume_sorted is a bool, not {type(assume_sorted).__name__}.",
                hint="to group by several arrays, put them into a list.",
            )
        several = isinstance(keys, list | tuple) and isinstance(keys[0], Array)
        self.dropna = dropna
        self.assume_sorted = assume_sorted
        self._several = several
        # Users may assign to their arrays; the groups keep the values that the arrays had.
        self._arrays: list[Array] = [lazy_array("GroupBy", key).copy() for key in (keys if several else [keys])]
        lists = [key for key in self._arrays if key._value.dtype.kind == "list"]
        if lists:
            raise ArgumentTypeError(
                f"rows are not grouped by lists; got {lists[0]._describe()}.",
                hint="group by what tells the lists apart, such as their lengths or their hash().",
            )
        self._by = GroupKeys.of(self._arrays, dropna=self.dropna, labels=self._drops_labels)
        self._leases: dict[str, CacheLease] = {}
        # The keys of the groups, if the number of each row's group is known.
        self._known_keys: list[Array] | None = None

    @property
    def keys(self) -> Any:
        """The arrays that the rows are grouped by, one or a list, as they were when the groups were made."""
        copies = [key.copy() for key in self._arrays]
        return copies if self._several else copies[0]

    @property
    def nkeys(self) -> int:
        """Number of arrays that the rows are grouped by."""
        return len(self._arrays)

    @property
    def unique_keys(self) -> Keys:
        """The distinct keys: one array, or a tuple of arrays; lazy."""
        return self._keys_of(self._grouped())

    def _on(self, *values: Array) -> tuple[Frame, tuple[Value, ...], list[Value], Value]:
        """Return common rows, the keys on them, other values, and the numbers of the rows."""
        others = [value._as_operand() for value in values]
        frame, keys, (*aligned, numbers) = self._by.beside(*others, row_numbers(self._by.common(*others)))
        return frame, keys, aligned, numbers

    def _grouped(self, *reductions: tuple[str, Array | None, dict[str, Any]]) -> GroupAggregate:
        """Return the node of reductions, given by name, array and arguments; None stands for the row numbers."""
        arrays = [values for _, values, _ in reductions if values is not None]
        frame, keys, aligned, numbers = self._on(*arrays)
        remaining = iter(aligned)
        made = []
        for name, values, params in reductions:
            taken: list[Value] = [numbers] if values is None else [next(remaining)]
            if name == "size":
                taken = []
            elif REDUCTIONS[name].by_position:
                taken.append(numbers)
            made.append(GroupReduction(name, *taken, **params))
        grouped = GroupAggregate(frame, keys, self._by.identity, tuple(made))
        self._leases[grouped.grouping] = lease(grouped.grouping)
        return grouped

    def _keys_of(self, frame: GroupAggregate | GroupStatistic) -> Keys:
        """Return the distinct keys that a node has found."""
        if self._known_keys is None:
            numbers, arranged = count(), [(array, array._key()[1]) for array in self._arrays]
            made = tuple(
                array._of_key(frame, of_key_parts(key, [frame.key(next(numbers)) for _ in key_parts(key)]))
                for array, key in arranged
            )
        else:
            made = tuple(_looked_up(key, frame, frame.key(0)) for key in self._known_keys)
        return made if self._several else made[0]

    def _use_numbers(self, numbers: Array, keys: Sequence[Array]) -> None:
        """Group by given group numbers from now on, -1 for rows in no group; `keys` are the keys of the groups."""
        self._by = GroupKeys.of_numbers(numbers)
        self._known_keys = list(keys)

    def _tuple_of(self, keys: Keys) -> tuple[Array, ...]:
        return keys if isinstance(keys, tuple) else (keys,)

    def _result(self, grouped: GroupAggregate) -> pdarray:
        return pdarray(grouped, grouped.result(0))


def _looked_up(keys: Array, frame: Frame, number: Value) -> Any:
    """Return the keys of groups by their numbers, on the rows of the groups' results."""
    return like(keys, frame, Call("lookup", broadcast(keys._frame, keys._value), number))


def projected(frame: Frame, values: Sequence[Value]) -> Project:
    """Return values as columns that are named by their numbers."""
    return Project(frame, tuple(range(len(values))), tuple(values))


def codes_of(values: Array) -> Array:
    """Return the values, or codes in their place where only equality and order matter."""
    return values.codes if isinstance(values, Categorical) else values


def like(model: Array | None, frame: Frame, value: Value) -> Any:
    """Return an array of the kind of another array, or of the kind for the value's type."""
    return wrap(frame, value) if model is None else model._like(frame, value)


GROUP_REDUCTIONS = {
    name.lower(): name
    for name, item in REDUCTIONS.items()
    if item.group_types and name not in ("size", "time_quantile")
}
"""The name that each reduction of values has here, by the name that users write in any case."""

GROUPBY_REDUCTION_TYPES = frozenset(GROUP_REDUCTIONS)


class GroupReductionMethods(GroupBase):
    """Reductions by name.  Reductions that ``dask.compute`` computes together share one pass over the rows.

    NaT is skipped as NaN is.  Minima, maxima, means, medians and quantiles of times are times, exact but for
    fractions of a unit.  Sums and standard deviations of spans are spans; the latter are as exact as floats.
    """

    Reductions = GROUPBY_REDUCTION_TYPES
    """The names that `aggregate` takes."""

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
        """Return the keys and the variance of each group, NaN with no more than `ddof` values; see `sum`."""
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

        NaN are left out; the position is -1 in a group that has only NaN.
        """
        return self._reduced("argmin", values)

    def argmax(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the position in `values` of the first largest value of each group; see `argmin`."""
        return self._reduced("argmax", values)

    def first(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the first value of each group, of any type; lazy."""
        return self._reduced("first", values)

    def any(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and whether any value of each group is True; lazy."""
        return self._reduced("any", _truth("any", values))

    def all(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and whether all values of each group are True; lazy."""
        return self._reduced("all", _truth("all", values))

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
        """Return the keys and the number of distinct values of each group, without NaN; several arrays make rows."""
        return self._statistic("nunique", self._numbered_rows(values)[0] if is_several(values) else values)

    def unique(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the distinct values of each group, ascending, as a SegArray; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, or sequence of them
            With the rows of the keys.  All NaN are one value, after all others; Categoricals give their labels.  For
            several arrays, the distinct rows are found, and each array gives one SegArray of a list.

        Examples
        --------
        >>> import akdask as ak
        >>> keys, found = ak.GroupBy(ak.array([1, 2, 1])).unique(ak.array([5, 3, 4]))
        >>> found.tolist()
        [[4, 5], [3]]
        """
        if is_several(values):
            numbers, arrays = self._numbered_rows(values)
            keys, found = self._statistic("unique", numbers, skipna=False)
            from akdask.arrays.segarray import SegArray

            return keys, [SegArray(found.segments, _as_text(array)[found.values]) for array in arrays]
        labels = as_array(_as_text(values))
        there = labels._like(labels._frame, demanded(labels._value))
        return self._statistic("unique", there, skipna=False)

    def mode(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the commonest value of each group; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, or sequence of them
            With the rows of the keys.  Of several equally common values, the one that comes first counts.  NaN are
            left out.  For several arrays, the commonest row is found, as a list of its values.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.GroupBy(ak.array([1, 1, 1, 2, 2])).mode(ak.array([5, 3, 3, 9, 4]))[1].tolist()
        [3, 9]
        """
        if not is_several(values):
            return self._statistic("mode", values)
        numbers, arrays = self._numbered_rows(values)
        keys, commonest = self._statistic("mode", numbers)
        return keys, [array[commonest] for array in arrays]

    def _numbered_rows(self, values: Sequence[Any]) -> tuple[pdarray, tuple[Any, ...]]:
        """Return the number of each row of several arrays among their distinct rows, and the distinct rows."""
        groups: Any = type(self)(list(values), dropna=False)
        grouped = groups._grouped()
        return groups.broadcast(pdarray(*row_numbers(grouped))), groups._tuple_of(groups._keys_of(grouped))

    def _numbered(self, values: Array) -> pdarray:
        """Return the number of each value among the distinct ones, as floats; NaN for missing values."""
        numbers, _ = self._numbered_rows([values])
        frame, (number, given) = align("number", [numbers._as_operand(), values._as_operand()])
        return pdarray(frame, Call("where", is_missing(given), Constant(np.nan), cast(number, FLOAT64)))

    def median(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the median of each group as float64; see `sum`."""
        return self._statistic("median", values, skipna)

    def quantile(
        self, values: Any, q: float = 0.5, skipna: bool = True, method: str = "linear"
    ) -> tuple[Keys, pdarray]:
        """Return the keys and a quantile of each group, exactly; see `sum` and `pdarray.quantile`.

        Parameters
        ----------
        values : pdarray
            With the rows of the keys.
        q : float, default 0.5
            Which quantile, from 0 to 1.
        skipna : bool
            Leave out NaN; otherwise groups with NaN give NaN.
        method : str
            How to choose between two values, by the names of ``numpy.quantile``.

        Raises
        ------
        ArgumentError
            If `q` is not one number from 0 to 1, or the method is unknown.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.GroupBy(ak.array([1, 2, 1])).quantile(ak.array([5, 3, 7]), 0.25)[1].tolist()
        [5.5, 3.0]
        """
        wanted = checked_quantiles(q, method)
        if not isinstance(wanted, float):
            raise ArgumentError("one quantile of groups is found at a time.", hint="call quantile for each.")
        return self._statistic("quantile", values, skipna, q=wanted, method=method)

    def aggregate(
        self, values: Any, operator: str | Sequence[str], skipna: bool = True, ddof: int = 1
    ) -> tuple[Keys, Any]:
        """Return the keys and a reduction of each group by its name, or a list for several names; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical
            With the rows of the keys.
        operator : str or sequence of str
            The name of one of the methods, or several.
        skipna, ddof
            Where the method takes them.

        Raises
        ------
        ArgumentError
            If the reduction is unknown.
        """
        if not isinstance(operator, str):
            found = [self.aggregate(values, name, skipna, ddof) for name in operator]
            return found[0][0], [result for _, result in found]
        name = GROUP_REDUCTIONS.get(operator.lower())
        if name is None:
            raise ArgumentError(
                f"groups cannot be reduced by {operator!r}.",
                details=[f"reductions: {', '.join(sorted(GROUPBY_REDUCTION_TYPES))}"],
            )
        if name in ("any", "all"):
            # By name they take numbers for truth, in Arkouda too.
            return self._reduced(name, values)
        method = getattr(self, name)
        given = {"skipna": skipna, "ddof": ddof}
        return method(values, **{name: given[name] for name in signature(method).parameters if name in given})

    def reduce_column(self, name: str, values: Any, **params: Any) -> Any:
        """Return a reduction of each group, by its name, without the keys; lazy."""
        reduce = self._reduced if reduces_at_once(name, values) else self._statistic
        return reduce(name, values, **params)[1]

    def reduce_at_once(self, calls: Sequence[tuple[Any, str]], **params: Any) -> tuple[Keys, list[Any]]:
        """Return the keys and several reductions of the groups, found in one pass over the rows; lazy.

        Parameters
        ----------
        calls : sequence of (array, str)
            The values to reduce, and the name of the reduction.
        **params
            Arguments of all of them.

        Raises
        ------
        ArgumentTypeError
            If `skipna` or `ddof` are of other types than bool and numbers.
        """
        _check_types(**params)
        arrays = [(self._counted(name, lazy_array(name, values)), name) for values, name in calls]
        rules = [column_rule(name, values, params.get("skipna", True)) for values, name in arrays]
        reductions = [
            (name, wrap(values._frame, value), params)
            for rule, (values, _) in zip(rules, arrays, strict=True)
            for name, value in rule.reductions
        ]
        grouped = self._grouped(*reductions)
        found = map(grouped.result, range(len(reductions)))
        results = [rule.make(grouped, rule.finish(*islice(found, len(rule.reductions)))) for rule in rules]
        return self._keys_of(grouped), results

    def _reduced(self, name: str, values: Any, **params: Any) -> tuple[Keys, Any]:
        keys, (result,) = self.reduce_at_once([(values, name)], **params)
        return keys, result

    def _counted(self, name: str, values: Array) -> Array:
        """Return the column to count: codes or numbers of values, with NaN for missing values."""
        if name == "nunique" and len(key_parts(values._value)) > 1:
            return self._numbered(values)
        if not (self._drops_labels and isinstance(values, Categorical) and name in ("count", "nunique")):
            return values
        lacks = values._missing_among(values._value)
        return pdarray(values._frame, Call("where", lacks, Constant(np.nan), cast(values._value, FLOAT64)))

    def _statistic(self, name: str, values: Any, skipna: bool = True, **params: Any) -> tuple[Keys, Any]:
        given = self._counted(name, lazy_array(name, values))
        if reduces_at_once(name, given):
            return self._reduced(name, given, skipna=skipna, **params)
        are_times = isinstance(given, TimeArray)
        if are_times and name in ("median", "quantile"):
            name = "time_quantile"
        form = REDUCTIONS[name].distinct
        assert form is not None, "others are reduced in one pass"
        operand = given if form.of_numbers else codes_of(given)
        frame, keys, (value,), numbers = self._on(operand)
        arguments = tuple(sorted(params.items()))
        node = GroupStatistic(frame, keys, self._by.identity, value, name, skipna, are_times, numbers, arguments)
        # Before the keys, as columns without such a statistic are refused.
        if form.of_numbers and are_times:
            result: Any = given._lacking()._like(node, node.result)
        else:
            result = like(given if name == "mode" else None, node, node.result)
        return self._keys_of(node), result


def reduces_at_once(name: str, values: Any) -> bool:
    """Whether groups of an array are reduced in one pass over the rows, with other reductions."""
    reduction = REDUCTIONS[name]
    return reduction.distinct is None or (
        isinstance(values, Array) and reduction.has_grouped_form(values._as_operand()[1].dtype)
    )


def _as_text(values: Any) -> Any:
    return values.to_strings() if isinstance(values, Categorical) else values


def _check_types(skipna: Any = True, ddof: Any = 1, **_: Any) -> None:
    if not isinstance(skipna, bool | np.bool_) or not isinstance(ddof, int | float | np.number):
        raise ArgumentTypeError(f"skipna is a bool and ddof a number, not {skipna!r:.50} and {ddof!r:.50}.")


def _truth(name: str, values: Any) -> Any:
    """Return bools, and refuse numbers, as Arkouda does."""
    if getattr(values, "dtype", BOOL.numpy) != BOOL.numpy:
        raise ArgumentTypeError(f"{name} of groups is of bool, not of {values.dtype}.", hint="compare: values != 0.")
    return values


class GroupRowMethods(GroupBase):
    """Some rows of each group, and broadcasting."""

    def head(self, values: Any, n: int = 5, return_indices: bool = True) -> tuple[Keys, Any]:
        """Return the keys, and the first rows of each group, sorted by group; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical
            With the rows of the keys.
        n : int
            Number of rows of each group, at most; all but the last ``-n`` if it is negative.
        return_indices : bool
            Return positions in `values` instead of the values there.
        """
        from akdask.operators.group.sorted_rows import RowsPerGroup

        return self._some(RowsPerGroup("head", position(n)), values, return_indices)

    def tail(self, values: Any, n: int = 5, return_indices: bool = True) -> tuple[Keys, Any]:
        """Return the keys, and the last rows of each group; see `head`."""
        from akdask.operators.group.sorted_rows import RowsPerGroup

        return self._some(RowsPerGroup("tail", position(n)), values, return_indices)

    def sample(  # noqa: PLR0917 - Arkouda's signature
        self,
        values: Any,
        n: SupportsIndex | None = None,
        frac: float | None = None,
        replace: bool = False,
        weights: Any = None,
        random_state: Any = None,
        return_indices: bool = False,
        permute_samples: bool = False,
    ) -> Any:
        """Return a random choice of the rows of each group; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, or sequence of them
            With the rows of the keys; several arrays give a list.
        n : int, optional
            Number of rows of each group, 1 unless `frac` is given.
        frac : float, optional
            Which share of the rows of each group.
        replace : bool
            Whether a row may be chosen several times.
        weights : pdarray of float, optional
            The odds of each row.
        random_state : int or Generator, optional
            A seed, for the same choice again.
        return_indices : bool
            Return positions in `values` instead of the values there.
        permute_samples : bool
            Return the rows of each group together, in random order unless `replace` is given.  Otherwise rows keep
            their order.

        Raises
        ------
        ArgumentError
            If both `n` and `frac` are given, or one of them is negative.  When it is computed, if a group has fewer
            rows than are to be drawn and `replace` is not given, or odds are negative, or all 0 in a group.
        ArgumentTypeError
            If `n` is not whole, or `frac` no number.
        """
        from akdask.operators.group.sorted_rows import RowsPerGroup

        check_sample(0 if n is None else n, frac)
        if (n is not None and frac is not None) or (n is not None and index(n) < 0) or (frac or 0) < 0:
            raise ArgumentError(f"sample takes either n or frac, not negative; got n={n}, frac={frac}.")
        seed = secrets.randbits(32) if random_state is None else _seed_of(random_state)
        count = 1 if n is None and frac is None else None if n is None else index(n)
        some = RowsPerGroup("sample", count, 1.0 if frac is None else float(frac), replace, seed, weights is not None)
        arrays = as_arrays(values)
        odds = [] if weights is None else [as_array(weights)]
        if permute_samples and (return_indices or not is_several(values)):
            return self._some(some, arrays[0], return_indices, *odds)[1]
        self._on(*map(codes_of, arrays))
        positions: Any = self._some(some, arrays[0], True, *odds)[1]
        if not permute_samples:
            positions = sort(positions)
        chosen = [array[positions] for array in arrays]
        return positions if return_indices else chosen if is_several(values) else chosen[0]

    def _some(self, some: RowsPerGroup, values: Any, return_indices: bool, *weights: Array) -> tuple[Keys, Any]:
        from akdask.operators.group.arrange import RowsByGroup

        given = as_array(values)
        frame, keys, (value, *odds), numbers = self._on(codes_of(given), *weights)
        carried = (numbers, *([] if return_indices else [value]), *odds)
        arranged = RowsByGroup(frame, keys, self._by.identity, carried, some)
        number = 0 if return_indices else 1
        return self.unique_keys, like(None if return_indices else given, arranged, arranged.column(number))

    def _first_in_order(self, by: Sequence[Aligned], ascending: Sequence[bool], count: int) -> TopRowsOfGroups:
        """Return the node of the positions of the first rows of each group in some order, group by group."""
        from akdask.operators.group.arrange import TopRowsOfGroups

        frame, keys, values, numbers = self._on(*(wrap(*given) for given in by))
        return TopRowsOfGroups(frame, keys, self._by.identity, tuple(values), tuple(ascending), numbers, max(count, 0))

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
        >>> g = ak.GroupBy(ak.array([1, 4, 1]))
        >>> g.broadcast(ak.array([3, 7])).tolist()
        [3, 7, 3]
        """
        from akdask.operators.group.arrange import BroadcastToRows, RowsByGroup

        given = as_array(values)
        operand = codes_of(given)
        grouped = self._grouped()
        if not operand.rows.same_rows(grouped.rows):
            counted = known_lengths(grouped), known_lengths(operand._frame)
            if sum(counted[0]) != sum(counted[1]):
                raise AlignmentError(
                    f"broadcast takes one value for each of {sum(counted[0])} groups, got {sum(counted[1])}."
                )
        refs = [(grouped, grouped.key(number)) for number in range(len(grouped.keys))]
        groups, columns = align("broadcast", [*refs, operand._as_operand()])
        if permute:
            frame, keys = self._by.frame, list(self._by.values)
        else:
            rows, row_keys, _, _ = self._on()
            frame = RowsByGroup(rows, row_keys, self._by.identity, row_keys, None)
            keys = list(map(frame.column, range(len(row_keys))))
        spread = BroadcastToRows(projected(frame, keys), projected(groups, columns))
        return like(given, spread, spread.value)


def _seed_of(random_state: Any) -> int:
    """Return a seed, drawn from a generator if one is given."""
    try:
        return int(random_state.integers(2**32) if hasattr(random_state, "integers") else random_state)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"random_state is a seed or a generator, not {random_state!r:.100}.") from None


groupable: TypeAlias = pdarray | Strings | Categorical | Sequence[pdarray | Strings | Categorical]
"""What a GroupBy is made of, for annotations."""


class GroupBy(GroupReductionMethods, GroupRowMethods, HtmlDisplay, StorageMethods, Registered):
    """Rows grouped by equal keys.

    Parameters
    ----------
    keys : pdarray, Strings, Categorical, or sequence of them
        The keys to group by; several arrays share their rows.
    assume_sorted : bool
        Accepted for compatibility with Arkouda; sorted rows are grouped fast without it.
    dropna : bool
        Leave out rows with NaN, NaT or missing text among their keys.  Otherwise all NaN are one key, and so is all
        missing text, which comes last.

    Raises
    ------
    ArgumentError
        If there are no keys.
    AlignmentError
        If the keys do not share rows.

    Notes
    -----
    Groups come in ascending order of their keys, NaN last, Strings by their bytes and Categoricals by their codes; an
    Arkouda server orders Strings by a hash.  Everything is lazy.  Results of one GroupBy share their rows and can be
    combined.

    The first computation sorts the rows by their keys.  This process caches that order for as long as the GroupBy
    exists, so that later computations neither sort nor read the keys again.  All GroupBys together cache at most
    ``ak.config.get("cache_size")`` bytes.  On a cluster, and for larger ones, use `persist`.

    Examples
    --------
    >>> import akdask as ak
    >>> g = ak.GroupBy(ak.array([3, 1, 3]))
    >>> keys, sums = g.sum(ak.array([10, 20, 30]))
    >>> keys.tolist(), sums.tolist()
    ([1, 3], [20, 40])
    """

    objType = "GroupBy"

    _default_dataset = "groupby"

    @classmethod
    def build_from_components(
        cls,
        user_defined_name: str | None = None,
        *,
        orig_keys: Any = None,
        permutation: Any = None,
        segments: Any = None,
        unique_keys: Any = None,
        unique_key_idx: Any = None,
        dropna: bool = True,
    ) -> Self:
        """Return the GroupBy of parts that were computed before; rows are not sorted again.

        Parameters
        ----------
        user_defined_name : str, optional
            Accepted for compatibility with Arkouda.
        orig_keys : pdarray, Strings, Categorical, or sequence of them
            The keys of the rows.
        permutation : pdarray of int
            Row numbers sorted by group.
        segments : pdarray of int
            Where each group begins among them.
        unique_keys : array or sequence of arrays, optional
            The keys of the groups.
        unique_key_idx : pdarray of int, optional
            The number of one row of each group, if `unique_keys` is not given.
        dropna : bool
            Whether rows with NaN among their keys were left out.

        Raises
        ------
        ArgumentError
            If one of the first three parts is missing; at compute, if `permutation` and `segments` do
            not describe groups.
        """
        from akdask.operators.group.arrange import GroupNumbers

        parts_given = {"orig_keys": orig_keys, "permutation": permutation, "segments": segments}
        missing = [name for name, part in parts_given.items() if part is None]
        if missing:
            raise ArgumentError(f"a GroupBy is not made without {', '.join(missing)}.")
        made = cls(orig_keys, dropna=dropna)
        parts = [as_array(part)._project() for part in (permutation, segments)]
        numbers = GroupNumbers(*parts, made.length)
        if unique_keys is not None:
            given = unique_keys if isinstance(unique_keys, list | tuple) else [unique_keys]
            keys = [as_array(key).copy() for key in given]
        else:
            at = as_array(permutation)[segments] if unique_key_idx is None else unique_key_idx
            keys = [key[at] for key in made._arrays]
        made._use_numbers(pdarray(numbers, numbers.number), keys)
        return made

    def persist(self) -> Self:
        """Find the groups now and keep them in memory, so that no later reduction sorts or compares keys; computes.

        Returns the object itself.  On a cluster, workers keep them.
        """
        grouped = self._grouped()
        numbers = pdarray(*row_numbers(grouped))
        # Rows that are in no group get 0 before the subtraction.
        found = (self.broadcast(numbers + 1) - 1, *(self._tuple_of(self._keys_of(grouped))))
        codes, *keys = dask.persist(*found)
        self._use_numbers(codes, keys)
        return self

    # parts

    @property
    def unique_key_idx(self) -> pdarray:
        """The number of the first row of each group, as int64; lazy."""
        return self._result(self._grouped(("min", None, {})))

    def edge_rows(self, *, last: bool = False) -> pdarray:
        """Return which rows are the first or last of their groups; lazy bool array.  No row may be dropped."""
        edges = self._result(self._grouped(("max" if last else "min", None, {})))
        frame, _ = align("group", [(key._frame, key._value) for key in self._arrays])
        return self.broadcast(edges) == pdarray(*row_numbers(frame))

    @property
    def permutation(self) -> pdarray:
        """Row numbers sorted by group, as int64; lazy."""
        from akdask.operators.group.arrange import RowsByGroup

        frame, keys, _, numbers = self._on()
        arranged = RowsByGroup(frame, keys, self._by.identity, (numbers,), None)
        return pdarray(arranged, arranged.column(0))

    @property
    def segments(self) -> pdarray:
        """Where each group begins in `permutation`, as int64; lazy."""
        grouped = self._grouped(("size", None, {}))
        starts = SegmentStarts(Project(grouped, (0,), (grouped.result(0),)))
        return pdarray(starts, starts.starts)

    @property
    def ngroups(self) -> int:
        """Number of groups; counts them once."""
        return sum(known_lengths(self._grouped()))

    @property
    def length(self) -> int:
        """Number of rows, including rows in no group."""
        return self._arrays[0].size

    def __len__(self) -> int:
        return self.ngroups

    # files

    def __repr__(self) -> str:
        keys = ", ".join(f"{array._type_name()}" for array in self._arrays)
        return f"<GroupBy of {counted(self._arrays[0].rows, 'row')}; keys: {keys}; lazy>"

    def _title(self) -> str:
        return "GroupBy: .size() shows the groups and how many rows each has"

    def _storable(self) -> Storable:
        parts = {SEGMENTS: self.segments, PERMUTATION: self.permutation, UNIQUE_KEY_IDX: self.unique_key_idx}
        children = {name: part._storable() for name, part in parts.items()}
        children |= {f"{KEY}{number}": key._storable().as_inner() for number, key in enumerate(self._arrays)}
        return Storable(ObjType.GROUPBY, self._arrays[0]._frame, children=children)


class ColumnGroups(GroupBy):
    """The groups of frames and Series, in which a Categorical's label for missing is no key, as in pandas."""

    _drops_labels = True
