"""Joins of DataFrames by the values of columns, and pairs of equal rows of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.column_names import names_of
from akdask.collections.core.later import provides
from akdask.collections.core.selection import filter_columns
from akdask.collections.frame.concat import stacked
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import present_among
from akdask.collections.groups.keys import Keys, as_arrays, comparable_keys, is_several, like
from akdask.collections.text.categorical import Categorical
from akdask.collections.time.timearray import TimeArray, may_lack
from akdask.deferred import DeferredModule
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, SchemaError, UnsupportedError
from akdask.plan.expr.missing_integers import exact_type, recombined, separated, with_missing
from akdask.plan.expr.missing_text import missing_text
from akdask.plan.expr.node import Frame
from akdask.plan.expr.times import not_a_time
from akdask.plan.expr.values import Call, Constant, Value
from akdask.plan.join.join import has_match, join_row_numbers, join_rows
from akdask.plan.run.alignment import align
from akdask.plan.shuffle.exchange import partition_count
from akdask.plan.task.materialized import within_rounds
from akdask.schema import FLOAT64

if TYPE_CHECKING:
    from akdask.plan.sort import sort as sort_plan
else:
    sort_plan = DeferredModule("akdask.plan.sort.sort")

FrameType = TypeVar("FrameType", bound=FrameBase)

HOW = ("inner", "left", "right", "outer", "semi", "anti")
KEY = "\0key"
"""Begins the names of columns to sort by, which no user sees."""

Sources = dict[str, tuple[str | None, str | None]]
"""For each column of a join, the columns of left and of right that it comes from; of both where these are equal."""


def merge(  # noqa: PLR0917 - Arkouda's signature
    left: FrameType,
    right: FrameBase,
    on: str | Sequence[str] | None = None,
    left_on: str | Sequence[str] | None = None,
    right_on: str | Sequence[str] | None = None,
    how: str = "inner",
    left_suffix: str = "_x",
    right_suffix: str = "_y",
    convert_ints: bool = True,
    sort: bool = True,
) -> FrameType:
    """Join two DataFrames by equal values of columns; lazy.

    Parameters
    ----------
    left, right : DataFrame
        The frames to join.  Every task gets all rows of one of them: of `left` for a right join, of `right` otherwise.
        If its columns are larger than the setting ``replicate_size``, rows of both are exchanged by their keys instead.
    on : str or list of str, optional
        Key columns that both frames have; all columns that both have unless given.
    left_on, right_on : str or list of str, optional
        Key columns of `left` and of `right`; both stay in the result.
    how : {"inner", "left", "right", "outer", "semi", "anti"}
        Keep the rows that have a match, all of `left`, all of `right`, or all of both.  ``semi`` gives the rows of
        `left` that have a match, ``anti`` those that have none, each once and without columns of `right`.
    left_suffix, right_suffix : str
        Appended to names of other columns that both have.
    convert_ints : bool
        Make integers and bool float64, with NaN, where rows may lack a match; otherwise they have 0 or False there.
        ``to_pandas(nullable=True)`` makes them pandas' nullable integers and bool again.
    sort : bool
        Put the rows in order of the keys, missing ones last.

    Returns
    -------
    DataFrame
        The columns of `left`, then those of `right` that are not in `on`, with rows numbered anew.  Rows with equal
        keys, and without `sort` all rows, come in the order of `left`, and those of one of its rows in the order of
        `right`; in a right join the other way round.  Rows of `right` without a match follow all others in an outer
        join.  Where a match is lacking, floats are NaN, times NaT, Strings and Categoricals missing.

    Raises
    ------
    MissingColumnError
        If there is no column of a name.
    SchemaError
        If two columns of the result would have the same name.
    ArgumentError
        If there are no columns to join by, or `how` is something else.
    ArgumentTypeError
        If a side is no DataFrame, or numbers are to match strings.
    UnsupportedError
        If rows may lack a match that has a column of lists or of big integers.

    Notes
    -----
    NaN matches NaN, and missing text missing text, as in pandas.

    Examples
    --------
    >>> import akdask as ak
    >>> left = ak.DataFrame({"k": [3, 1, 2], "x": [30, 10, 20]})
    >>> right = ak.DataFrame({"k": [1, 3, 1], "y": ["a", "b", "c"]})
    >>> merge(left, right, on="k").to_pandas()
       k   x  y
    0  1  10  a
    1  1  10  c
    2  3  30  b
    """
    if how not in HOW:
        raise ArgumentError(f"how={how!r} is no kind of join.", details=[f"kinds: {', '.join(HOW)}"])
    given: list[Any] = [left, right]
    others = [side for side in given if not isinstance(side, FrameBase)]
    if others:
        raise ArgumentTypeError(f"merge joins DataFrames, not {type(others[0]).__name__}.")
    names = _key_names(left, right, on, left_on, right_on)
    sides = _sides(left._columns, right._columns, *names)
    if how in ("semi", "anti"):
        chosen = _filtered(*sides, invert=how == "anti")
        return left._of(_sorted(chosen, names[0]) if sort else chosen)
    sources = _named(*sides, list(zip(*names, strict=True)), (left_suffix, right_suffix))
    keys = {f"{KEY}{number}": pair for number, pair in enumerate(zip(*names, strict=True))} if sort else {}
    joined = Joined(*sides, {**sources, **keys}, convert_ints).of_kind(how)
    if not sort:
        return left._of(joined)
    pairs = [(left._columns.array(mine), right._columns.array(theirs)) for mine, theirs in zip(*names, strict=True)]
    by = [key for name, pair in zip(keys, pairs, strict=True) for key in _sort_keys(joined.array(name), *pair)]
    return left._of(_in_order(joined, by).only(sources))


@dataclass(frozen=True, slots=True)
class MergeSide:
    """Columns, and the keys that they are joined by."""

    columns: ColumnSet
    keys: Keys


def _key_names(left: FrameBase, right: FrameBase, on: Any, left_on: Any, right_on: Any) -> tuple[list[str], list[str]]:
    if left_on is None and right_on is None:
        left_on = right_on = [name for name in left.columns if name in right.columns] if on is None else on
    names = [names_of(() if item is None else item) for item in (left_on, right_on)]
    if not names[0] or len(names[0]) != len(names[1]):
        raise ArgumentError(
            "a join needs the same number of columns, at least one, of both sides.",
            details=[f"left: {names[0]}", f"right: {names[1]}"],
            hint="name columns that both have by on=, others by left_on= and right_on=.",
        )
    return names[0], names[1]


def _sides(left: ColumnSet, right: ColumnSet, left_on: list[str], right_on: list[str]) -> tuple[MergeSide, MergeSide]:
    """Return both sides, with keys that can be compared as further columns of the same frames."""
    pairs = [(left.array(one), right.array(other)) for one, other in zip(left_on, right_on, strict=True)]
    for one, other in pairs:
        if isinstance(one, TimeArray) != isinstance(other, TimeArray):
            raise ArgumentTypeError(
                f"join cannot compare {one._type_name()} with {other._type_name()}.",
                hint="t.values are the integers of times; ak.Datetime makes times of integers.",
            )
    keys = comparable_keys("join", [one for one, _ in pairs], [other for _, other in pairs])
    return _side(left, keys[0]), _side(right, keys[1])


def _side(columns: ColumnSet, keys: Keys) -> MergeSide:
    """Bring columns and keys onto one frame."""
    bare = columns.labelled(None)
    named = dict(bare.values)
    columns_of_both = [*((keys.frame, key) for key in keys.values), *((bare.frame, value) for value in named.values())]
    frame, values = within_rounds(*align("join", columns_of_both))
    count = len(keys.values)
    placed = ColumnSet(frame, dict(zip(named, values[count:], strict=True)), bare.kinds)
    return MergeSide(placed, Keys(frame, tuple(values[:count])))


def _filtered(left: MergeSide, right: MergeSide, *, invert: bool) -> ColumnSet:
    marked, found = has_match(left.keys.side(), right.keys.side())
    mask = Call("logical_not", found) if invert else found
    return left.columns.on(lambda frame, values: filter_columns(frame, values, marked, mask)).labelled(None)


def _sort_keys(key: Array, mine: Array, theirs: Array) -> list[tuple[Frame, Value]]:
    """Return what rows of a join are sorted by for one key.

    As in pandas, Categoricals of the same categories go by these, and missing ones come first, as missing times do.
    """
    if isinstance(mine, TimeArray):
        is_there = present_among(key, key._value)
        return [(key._frame, is_there), key._sort_key()]
    if isinstance(mine, Categorical) and isinstance(theirs, Categorical):
        same: Any = key
        if mine._category_table is theirs._category_table:
            there = Call("logical_not", same._missing_among(same._value))
            return [(key._frame, there), (key._frame, key._value)]
    return [key._sort_key()]


def _sorted(columns: ColumnSet, names: Sequence[str], count: int | None = None) -> ColumnSet:
    return _in_order(columns, [columns.array(name)._sort_key() for name in names], count)


def _in_order(columns: ColumnSet, by: list[tuple[Frame, Value]], count: int | None = None) -> ColumnSet:
    def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
        ordered, moved = sort_plan.sorted_rows(by, [True] * len(by), [(frame, value) for value in values], count=count)
        return ordered, list(moved)

    return columns.moved(select)


def _named(left: MergeSide, right: MergeSide, on: Sequence[tuple[str, str]], suffixes: tuple[str, str]) -> Sources:
    """Name the columns of a join."""
    same = {name for name, other in on if name == other}
    common = {name for name in left.columns.values if name in right.columns.values} - same
    first, second = suffixes
    named: list[tuple[str, tuple[str | None, str | None]]] = [
        (name + first if name in common else name, (name, name if name in same else None))
        for name in left.columns.values
    ]
    others = (name for name in right.columns.values if name not in same)
    named += [(name + second if name in common else name, (None, name)) for name in others]
    if len(dict(named)) < len(named):
        raise SchemaError(
            "two columns of the join would have the same name.",
            details=[", ".join(name for name, _ in named)],
            hint="choose other suffixes, or rename columns first.",
        )
    return dict(named)


@dataclass(frozen=True, slots=True)
class Joined:
    """What the columns of a join are made of."""

    left: MergeSide
    right: MergeSide
    sources: Sources
    convert_ints: bool

    def of_kind(self, how: str) -> ColumnSet:
        """Return the columns of an inner, left, right or outer join."""
        match how:
            case "right":
                return self._noted(self._probed(1, keep_all=True))
            case "outer":
                return self._noted(stacked([self._probed(0, keep_all=True), self._unmatched()]))
        return self._noted(self._probed(0, keep_all=how == "left"))

    def _noted(self, joined: ColumnSet) -> ColumnSet:
        """Return the columns of a join, with a note of what those were that have been made floats."""
        kinds = dict(joined.kinds)
        for name, (mine, theirs) in self.sources.items():
            given = self.left.columns.array(mine) if mine is not None else self.right.columns.array(str(theirs))
            before, made = exact_type(given._value), joined.values[name].dtype
            if isinstance(given, pdarray) and made == FLOAT64 and before != FLOAT64:
                kind: Any = joined.array(name)
                kind._widened = before
                kinds[name] = kind
        return replace(joined, kinds=kinds)

    def _probed(self, own: int, *, keep_all: bool) -> ColumnSet:
        """Return the rows of one side, 0 for left, each with its matches of the other."""
        sides = self.left, self.right
        arrays: list[dict[str, Array]] = [{}, {}]
        # The values of the columns, on the frame of the keys; those of arrays may be elsewhere.
        given: list[list[Value]] = [[], []]
        for name, pair in self.sources.items():
            side = own if pair[own] is not None else 1 - own
            columns = sides[side].columns
            arrays[side][name] = columns.array(str(pair[side]))
            given[side].append(columns.values[str(pair[side])])
        mine, theirs = arrays[own], arrays[1 - own]
        wanted, others = given[own], given[1 - own]
        if keep_all:
            for array in theirs.values():
                self._check_fillable(array)
        paired = join_rows(
            sides[own].keys.side(separated(wanted)),
            sides[1 - own].keys.side(separated(others)),
            keep_all=keep_all,
        )
        found = [*recombined(wanted, paired.left), *recombined(others, paired.right)]
        values = dict(zip([*mine, *theirs], found, strict=True))
        if keep_all:
            theirs = {name: may_lack(array) for name, array in theirs.items()}
            values |= {name: self._with_missing(theirs[name], values[name], paired.lacks, name) for name in theirs}
        both = mine | theirs
        return ColumnSet.of({name: both[name]._like(paired.frame, values[name]) for name in self.sources})

    def _with_missing(self, array: Array, found: Value, lacks: Value, name: str) -> Value:
        """Return a column of the other side on paired rows, with a value for those that lack a match."""
        if isinstance(array, Categorical | TimeArray):
            return Call("where", lacks, self._missing(array), found)
        if self._becomes_floats(array):
            return with_missing(found, lacks, name)
        if found.dtype.kind != "str":
            return found
        if isinstance(found, Call) and found.operation == "lookup_found":
            return Call("lookup_found", *found.args, missing_text=True)
        return Call("make_missing", found, lacks)

    def _unmatched(self) -> ColumnSet:
        """Return the rows of `right` without a match."""
        rest = _filtered(self.right, self.left, invert=True)
        arrays: dict[str, Array] = {}
        for name, (mine, theirs) in self.sources.items():
            if theirs is not None:
                arrays[name] = rest.array(theirs)
            else:
                array = self.left.columns.array(str(mine))
                arrays[name] = may_lack(array)._like(rest.frame, self._missing(array))
        return ColumnSet.of(arrays)

    def _check_fillable(self, array: Array) -> None:
        """Refuse a column that has nothing for rows without a match."""
        dtype = array._value.dtype
        if not dtype.is_number and dtype.kind != "str":
            raise UnsupportedError(
                f"a column of {dtype} has no value for rows without a match.",
                hint="join with how='inner', or leave the column out.",
            )

    def _becomes_floats(self, array: Array) -> bool:
        """Whether a column, of integers or bool, has no NaN of its own but gets some."""
        is_plain = isinstance(array, pdarray) and array._pandas_converter() is None
        return self.convert_ints and is_plain and exact_type(array._value) != FLOAT64

    def _missing(self, array: Array) -> Value:
        """Return what a column has where there is no match."""
        if isinstance(array, Categorical):
            return array._category_table.na_code
        if isinstance(array, TimeArray):
            return not_a_time()
        self._check_fillable(array)
        dtype = exact_type(array._value)
        if not dtype.is_number:
            return missing_text()
        if self._becomes_floats(array):
            return with_missing(Constant(dtype.numpy.type(0)), Constant(np.bool_(True)))
        return Constant(dtype.numpy.type(np.nan if dtype == FLOAT64 else 0))


LABEL, ORDER, HERE = "\0label", "\0order", "\0here"
"""Begin the names of columns of rows that are joined by their labels."""


@provides("outer join of labels")
def outer_by_labels(left: ColumnSet, left_keys: Keys, right: ColumnSet, right_keys: Keys) -> ColumnSet:
    """Return the rows of both sides by equal labels, in their order; lazy.

    Parameters
    ----------
    left : ColumnSet
        Columns of other names each, and of the same names the levels of labels, which begin with `LABEL`, and the
        columns to sort by before these, which begin with `ORDER`.
    left_keys : Keys
        What its rows are paired by.
    right : ColumnSet
        The other columns, named in the same way.
    right_keys : Keys
        What these are paired by.

    Returns
    -------
    ColumnSet
        Repeated labels are paired with each other.  Integers and bool are 0 and False where a side has no such label.
    """
    common = [name for name in left.values if name in right.values]
    sources: Sources = {name: (name, name) for name in common}
    sources |= {name: (name, None) for name in left.values if name not in sources}
    sources |= {name: (None, name) for name in right.values if name not in sources}
    joined = Joined(_side(left, left_keys), _side(right, right_keys), sources, convert_ints=False).of_kind("outer")
    # No more partitions than a side has: sums of many sides would have more with each of them.
    count = max(partition_count(side.frame) for side in (left, right))
    return _sorted(joined, sorted(common, key=lambda name: not name.startswith(ORDER)), count)


def inner_join(
    left: Any, right: Any, wherefunc: Callable[..., Any] | None = None, whereargs: Any = None
) -> tuple[pdarray, pdarray]:
    """Return the positions of all pairs of equal elements of two arrays; lazy.

    Parameters
    ----------
    left, right : array, or sequence of arrays
        Of several arrays, each row is an element.
    wherefunc : callable, optional
        Takes two arrays with one element for each pair, and returns which pairs to keep.
    whereargs : (array, array), optional
        What the pairs of `wherefunc` are made of: an array with the rows of `left`, and one with those of `right`.  Of
        two sequences of arrays, `wherefunc` gets two lists.

    Returns
    -------
    left_positions : pdarray of int64
        Ascending.
    right_positions : pdarray of int64
        Those of one element of `left` ascend.

    Raises
    ------
    ArgumentError
        If there is a `wherefunc` without `whereargs`, if it does not take two arguments, or fails, or if an argument is
        known to have other rows.

    Examples
    --------
    >>> import akdask as ak
    >>> lefts, rights = inner_join(ak.array([3, 1, 3]), ak.array([1, 3]))
    >>> lefts.tolist(), rights.tolist()
    ([0, 1, 2], [1, 0, 1])
    """
    if (wherefunc is None) != (whereargs is None):
        raise ArgumentError("wherefunc needs whereargs, the two arrays that it is called with, and they need it.")
    arrays = as_arrays(left)
    keys, others = comparable_keys("inner_join", arrays, as_arrays(like(arrays[0], right)))
    paired, numbers = join_row_numbers(keys.side().numbered(), others.side())
    positions = pdarray(paired.frame, paired.left[-1]), pdarray(paired.frame, numbers)
    if wherefunc is None or whereargs is None:
        return positions
    if len(whereargs) != 2 or not _takes_two(wherefunc):
        raise ArgumentError("wherefunc takes two arguments, and whereargs are two, for left and right.")
    chosen = [
        _paired(items, side.frame, at) for items, side, at in zip(whereargs, (keys, others), positions, strict=True)
    ]
    try:
        mask = wherefunc(*chosen)
    except AkdaskError:
        raise
    except Exception as error:
        raise ArgumentError("wherefunc failed.", details=[f"{type(error).__name__}: {error}"]) from error
    return positions[0][mask], positions[1][mask]


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:
        # Some functions of C do not tell.
        return True
    return True


def _paired(items: Any, frame: Frame, positions: pdarray) -> Any:
    """Return the elements at the positions, of each array if there are several."""
    arrays = as_arrays(items)
    for array in arrays:
        sizes = array.rows.size, frame.rows.size
        if None not in sizes and sizes[0] != sizes[1]:
            raise ArgumentError(
                f"whereargs have the rows of what is joined; got {sizes[0]} elements for {sizes[1]} rows."
            )
    chosen = [array[positions] for array in arrays]
    return chosen if is_several(items) else chosen[0]
