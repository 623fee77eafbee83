"""`GroupBy`: rows grouped by one or more arrays, with reductions, rows and broadcasts of the groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeAlias

import dask
import numpy as np

from akdask.arrays import group_reductions as reductions
from akdask.arrays import group_rows as rows
from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.families import reduction, shown_by
from akdask.arrays.group_reductions import GROUPBY_REDUCTION_TYPES, Keys
from akdask.arrays.keys import GroupKeys, lazy_array, looked_up
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import known_lengths
from akdask.arrays.strings import Strings
from akdask.arrays.writable import Writable
from akdask.engine.cache import CacheLease, lease
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.sources import row_numbers
from akdask.engine.values import Value
from akdask.errors import ArgumentError, ArgumentTypeError, errors_end_at_caller
from akdask.operators.group.plan import GroupAggregate, GroupReduction, GroupStatistic
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.storage.objects import KEY, PERMUTATION, SEGMENTS, UNIQUE_KEY_IDX, ObjType

if TYPE_CHECKING:
    from akdask.arrays.writing import Storable

groupable: TypeAlias = pdarray | Strings | Categorical | Sequence[pdarray | Strings | Categorical]
"""What a GroupBy is made of, for annotations."""


_OF_BOOLS = """
>>> keys, found = ak.GroupBy(ak.array(["a", "a", "b"])).{name}(ak.array([2, 4, 3]) > 0)
>>> keys.tolist(), found.tolist()
(['a', 'b'], {of_groups})
"""


_OF_GROUPS = """
>>> keys, found = ak.GroupBy(ak.array(["a", "a", "b"])).{name}(ak.array([2, 4, 3]))
>>> keys.tolist(), found.tolist()
(['a', 'b'], {of_groups})
"""


@shown_by(_OF_GROUPS)
def _of_values(groups: GroupBy, name: str, values: Any) -> tuple[Keys, Any]:
    """Return the keys and {what} of each group; lazy.

    Parameters
    ----------
    values : pdarray
        With the rows of the keys; for `first`, an array of any type.
    """
    return reductions.reduced(groups, name, values)


@shown_by(_OF_GROUPS)
def _of_values_or_rows(groups: GroupBy, name: str, values: Any = None) -> tuple[Keys, Any]:
    """Return the keys and {what} of each group; lazy.

    Parameters
    ----------
    values : pdarray, optional
        With the rows of the keys.  Without values, rows are counted, as `size` does and Arkouda's tutorials write it.
    """
    return groups.size() if values is None else reductions.reduced(groups, name, values)


@shown_by(_OF_GROUPS)
def _of_known_values(groups: GroupBy, name: str, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
    """Return the keys and {what} of each group; lazy.

    Sums and extremes are of the type of the values, where sums of bools are int64, and integers wrap around; products
    and means are float64.

    Parameters
    ----------
    values : pdarray
        With the rows of the keys.
    skipna : bool
        Leave out NaN; otherwise groups with NaN give NaN.
    """
    return reductions.reduced(groups, name, values, skipna=skipna)


@shown_by(_OF_GROUPS)
def _extreme_of_values(groups: GroupBy, name: str, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
    """Return the keys and {what} of each group, of the type of the values, which are no bools; lazy.

    Parameters
    ----------
    values : pdarray
        With the rows of the keys.
    skipna : bool
        Leave out NaN; otherwise groups with NaN give NaN.
    """
    return reductions.reduced(groups, name, reductions.no_bools(name, values), skipna=skipna)


@shown_by(_OF_GROUPS)
def _spread_of_values(
    groups: GroupBy, name: str, values: Any, skipna: bool = True, ddof: int = 1
) -> tuple[Keys, pdarray]:
    """Return the keys and {what} of each group as float64, NaN with no more than `ddof` values; lazy.

    Parameters
    ----------
    values : pdarray
        With the rows of the keys.
    skipna : bool
        Leave out NaN; otherwise groups with NaN give NaN.
    ddof : int
        Subtracted from the number of values.
    """
    return reductions.reduced(groups, name, values, skipna=skipna, ddof=ddof)


@shown_by(_OF_GROUPS)
def _statistic_of_values(groups: GroupBy, name: str, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
    """Return the keys and {what} of each group as float64; lazy.

    Parameters
    ----------
    values : pdarray
        With the rows of the keys.
    skipna : bool
        Leave out NaN; otherwise groups with NaN give NaN.
    """
    return reductions.statistic(groups, name, values, skipna)


@shown_by(_OF_GROUPS)
def _position_of_values(groups: GroupBy, name: str, values: Any) -> tuple[Keys, pdarray]:
    """Return the keys and {what} of each group, among all `values`; lazy.

    NaN are left out; the position is -1 in a group that has only NaN.
    """
    return reductions.reduced(groups, name, values)


@shown_by(_OF_BOOLS)
def _truth_of_values(groups: GroupBy, name: str, values: Any) -> tuple[Keys, pdarray]:
    """Return the keys and {what} in each group of bools; lazy."""
    return reductions.reduced(groups, name, reductions.bools(name, values))


@errors_end_at_caller
class GroupBy(Writable):
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

    Reductions that ``dask.compute`` computes together share one pass over the rows.  NaT is skipped as NaN is.  Minima,
    maxima, means, medians and quantiles of times are times, exact but for fractions of a unit.  Sums and standard
    deviations of spans are spans; the latter are as exact as floats.

    Examples
    --------
    >>> g = ak.GroupBy(ak.array([3, 1, 3]))
    >>> keys, sums = g.sum(ak.array([10, 20, 30]))
    >>> keys.tolist(), sums.tolist()
    ([1, 3], [20, 40])
    """

    objType = "GroupBy"

    _default_dataset = "groupby"

    Reductions = GROUPBY_REDUCTION_TYPES
    """The names that `aggregate` takes."""

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
        for key in keys if several else [keys]:
            if isinstance(key, Categorical):
                key._is_grouped = True
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

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> parts = {"orig_keys": g.keys, "permutation": g.permutation, "segments": g.segments}
        >>> ak.GroupBy.build_from_components(**parts, unique_keys=g.unique_keys).size()[1].tolist()
        [1, 2]
        """
        parts = {"orig_keys": orig_keys, "permutation": permutation, "segments": segments}
        return rows.of_components(cls, parts, unique_keys, unique_key_idx, dropna)

    def persist(self) -> Self:
        """Find the groups now and keep them in memory, so that no later reduction sorts or compares keys; computes.

        Returns the object itself.  On a cluster, workers keep them.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.persist().size()[1].tolist()
        [1, 2]
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
    def keys(self) -> Any:
        """The arrays that the rows are grouped by, one or a list, as they were when the groups were made.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.keys.tolist()
        [2, 1, 2]
        """
        copies = [key.copy() for key in self._arrays]
        return copies if self._several else copies[0]

    @property
    def nkeys(self) -> int:
        """Number of arrays that the rows are grouped by.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.nkeys
        1
        """
        return len(self._arrays)

    @property
    def unique_keys(self) -> Keys:
        """The distinct keys: one array, or a tuple of arrays; lazy.

        Examples
        --------
        >>> groups = ak.GroupBy(ak.array(["a", "a", "b"]))
        >>> groups.unique_keys.tolist()
        ['a', 'b']
        """
        return self._keys_of(self._grouped())

    @property
    def unique_key_idx(self) -> pdarray:
        """The number of the first row of each group, as int64; lazy.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.unique_key_idx.tolist()
        [1, 0]
        """
        return self._result(self._grouped(("min", None, {})))

    def edge_rows(self, which: str) -> pdarray:
        """Return which rows are the first, last or only ones of their groups; lazy bools.  No row may be dropped."""
        return rows.edges(self, which)

    @property
    def permutation(self) -> pdarray:
        """Row numbers sorted by group, as int64; lazy.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.permutation.tolist()
        [1, 0, 2]
        """
        from akdask.operators.group.rows import RowsByGroup

        frame, keys, _, numbers = self._on()
        arranged = RowsByGroup(frame, keys, self._by.identity, (numbers,), None)
        return pdarray(arranged, arranged.column(0))

    @property
    def segments(self) -> pdarray:
        """Where each group begins in `permutation`, as int64; lazy.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.segments.tolist()
        [0, 1]
        """
        from akdask.operators.rows.plan import SegmentStarts

        grouped = self._grouped(("size", None, {}))
        starts = SegmentStarts(Project(grouped, (0,), (grouped.result(0),)))
        return pdarray(starts, starts.starts)

    @property
    def ngroups(self) -> int:
        """Number of groups; counts them once.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.ngroups
        2
        """
        return sum(known_lengths(self._grouped()))

    @property
    def length(self) -> int:
        """Number of rows in groups: those whose keys are not missing, unless `dropna` is False; may count them once.

        Examples
        --------
        >>> ak.GroupBy(ak.array([2.0, float("nan"), 2.0])).length
        2
        """
        return self._row_count if self._by.grouped is None else int(self.size()[1].sum())

    @property
    def _row_count(self) -> int:
        """Number of rows, including rows in no group."""
        return self._arrays[0].size

    def __len__(self) -> int:
        return self.ngroups

    # reductions

    def size(self) -> tuple[Keys, pdarray]:
        """Return the keys and the number of rows of each group, as int64; lazy.

        Examples
        --------
        >>> groups = ak.GroupBy(ak.array(["a", "a", "b"]))
        >>> keys, rows = groups.size()
        >>> keys.tolist(), rows.tolist()
        (['a', 'b'], [2, 1])
        """
        grouped = self._grouped(("size", None, {}))
        return self._keys_of(grouped), self._result(grouped)

    count = reduction("count", _of_values_or_rows)
    sum = reduction("sum", _of_known_values)
    prod = reduction("prod", _of_known_values)
    mean = reduction("mean", _of_known_values)
    var = reduction("var", _spread_of_values)
    std = reduction("std", _spread_of_values)
    min = reduction("min", _extreme_of_values)
    max = reduction("max", _extreme_of_values)
    argmin = reduction("argmin", _position_of_values)
    argmax = reduction("argmax", _position_of_values)
    first = reduction("first", _of_values)
    any = reduction("any", _truth_of_values)
    all = reduction("all", _truth_of_values)
    OR = reduction("OR", _of_values)
    AND = reduction("AND", _of_values)
    XOR = reduction("XOR", _of_values)

    def nunique(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the number of distinct values of each group, not of floats; several arrays make rows.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.nunique(ak.array([5, 6, 7]))[1].tolist()
        [1, 2]
        """
        return reductions.nunique(self, reductions.exact_values("nunique", values))

    def unique(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the distinct values of each group, ascending, as a SegArray; lazy.

        Parameters
        ----------
        values : pdarray, or sequence of them
            With the rows of the keys; no floats.  For several arrays, the distinct rows are found, and each array gives
            one SegArray of a list.

        Raises
        ------
        ArgumentTypeError
            If it has floats or text.

        Examples
        --------
        >>> keys, found = ak.GroupBy(ak.array([1, 2, 1])).unique(ak.array([5, 3, 4]))
        >>> found.tolist()
        [[4, 5], [3]]
        """
        return reductions.unique(self, reductions.exact_values("unique", values, of_text=False))

    def mode(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the commonest value of each group; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, or sequence of them
            With the rows of the keys; no floats.  Of several equally common values, the one that comes first counts.
            For several arrays, the commonest row is found, as a list of its values.

        Examples
        --------
        >>> ak.GroupBy(ak.array([1, 1, 1, 2, 2])).mode(ak.array([5, 3, 3, 9, 4]))[1].tolist()
        [3, 9]
        """
        return reductions.mode(self, reductions.exact_values("mode", values))

    median = reduction("median", _statistic_of_values)

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
        >>> ak.GroupBy(ak.array([1, 2, 1])).quantile(ak.array([5, 3, 7]), 0.25)[1].tolist()
        [5.5, 3.0]
        """
        return reductions.quantile(self, values, q, skipna, method)

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

        Examples
        --------
        >>> groups = ak.GroupBy(ak.array(["a", "a", "b"]))
        >>> keys, largest = groups.aggregate(ak.array([2, 4, 3]), "max")
        >>> keys.tolist(), largest.tolist()
        (['a', 'b'], [4, 3])
        """
        return reductions.aggregated(self, values, operator, skipna, ddof)

    def reduce_column(self, name: str, values: Any, **params: Any) -> Any:
        """Return a reduction of each group, by its name, without the keys; lazy."""
        return reductions.reduced_column(self, name, values, **params)

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
        return reductions.reduced_at_once(self, calls, **params)

    # rows

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

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.head(ak.array([5, 6, 7]), 1, return_indices=False)[1].tolist()
        [6, 5]
        """
        return rows.some(self, "head", n, values, return_indices)

    def tail(self, values: Any, n: int = 5, return_indices: bool = True) -> tuple[Keys, Any]:
        """Return the keys, and the last rows of each group; see `head`.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.tail(ak.array([5, 6, 7]), 1, return_indices=False)[1].tolist()
        [6, 7]
        """
        return rows.some(self, "tail", n, values, return_indices)

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
            A seed, for the same choice again, or a generator, which goes on by as many numbers as there are rows.
        return_indices : bool
            Return positions in `values` instead of the values there.
        permute_samples : bool
            Return the rows of each group together, in random order unless `replace` is given.  Otherwise rows keep
            their order.

        Raises
        ------
        ArgumentError
            If both `n` and `frac` are given, or one of them is negative.  When it is computed, if a group has fewer
            rows, or rows with odds above 0, than are to be drawn and `replace` is not given, or odds are negative or
            infinite, or all 0 in a group.
        ArgumentTypeError
            If `n` is not whole, or `frac` no number.

        Notes
        -----
        Rows are those that an Arkouda server draws for the seed, where its groups have the same order: not those of
        Strings.  Drawing takes all rows of a group into memory.

        Examples
        --------
        >>> g = ak.GroupBy(ak.array([2, 1, 2]))
        >>> g.sample(ak.array([5, 6, 7]), n=1, random_state=1).size
        2
        """
        how = {"n": n, "frac": frac, "replace": replace, "weights": weights, "random_state": random_state}
        return rows.sample(self, values, return_indices, permute_samples, **how)

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
        >>> g = ak.GroupBy(ak.array([1, 4, 1]))
        >>> g.broadcast(ak.array([3, 7])).tolist()
        [3, 7, 3]
        """
        return rows.broadcast_values(self, values, permute)

    # plan

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
        grouped = GroupAggregate(frame, keys, self._by.identity, tuple(made), True)
        self._leases[grouped.grouping] = lease(grouped.grouping)
        return grouped

    def _keys_of(self, frame: GroupAggregate | GroupStatistic) -> Keys:
        """Return the distinct keys that a node has found."""
        if self._known_keys is None:
            keys = frame.keys_of([array._key()[1] for array in self._arrays])
            made = tuple(array._of_key(frame, key) for array, key in zip(self._arrays, keys, strict=True))
        else:
            made = tuple(looked_up(key, frame, frame.key(0)) for key in self._known_keys)
        return made if self._several else made[0]

    def _use_numbers(self, numbers: Array, keys: Sequence[Array]) -> None:
        """Group by given group numbers from now on, -1 for rows in no group; `keys` are the keys of the groups."""
        self._by = GroupKeys.of_numbers(numbers)
        self._known_keys = list(keys)

    def _tuple_of(self, keys: Keys) -> tuple[Array, ...]:
        return keys if isinstance(keys, tuple) else (keys,)

    def _result(self, grouped: GroupAggregate) -> pdarray:
        return pdarray(grouped, grouped.result(0))

    # display and files

    def __repr__(self) -> str:
        from akdask.arrays.display import counted

        keys = ", ".join(f"{array._type_name()}" for array in self._arrays)
        return f"<GroupBy of {counted(self._arrays[0].rows, 'row')}; keys: {keys}; lazy>"

    def _repr_html_(self) -> str:
        return self._html(type(self).__name__, [str(number) for number in range(len(self._arrays))])

    def _html(self, name: str, keys: Sequence[Any]) -> str:
        """Return a table of the keys, which have names or numbers, and their types."""
        from akdask.arrays.display import counted, framed, types_table

        rows = counted(self._arrays[0].rows, "row")
        types = [(str(key), str(array._type_name())) for key, array in zip(keys, self._arrays, strict=True)]
        title = f"{name} of {rows}; .size() shows the groups and how many rows each has"
        return framed(title, types_table(types, "key"))

    def _storable(self) -> Storable:
        from akdask.arrays.writing import Storable

        parts = {SEGMENTS: self.segments, PERMUTATION: self.permutation, UNIQUE_KEY_IDX: self.unique_key_idx}
        children = {name: part._storable() for name, part in parts.items()}
        children |= {f"{KEY}{number}": key._storable().as_inner() for number, key in enumerate(self._arrays)}
        return Storable(ObjType.GROUPBY, self._arrays[0]._frame, children=children)

    if not TYPE_CHECKING:  # by this method, every misspelt name would be one for type checkers

        def __getattr__(self, name: str) -> Any:
            from akdask.arrays.missing_attributes import missing_attribute

            raise missing_attribute(type(self), name)


@errors_end_at_caller
class ColumnGroups(GroupBy):
    """The groups of frames and Series, in which a Categorical's label for missing is no key, as in pandas."""

    _drops_labels = True
