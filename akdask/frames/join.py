"""Joins of DataFrames: `merge` by the values of columns, joins by labels, and concatenation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import reduce
from inspect import signature
from operator import index
from typing import Any, Literal, TypeVar

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.elementwise import where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.keys import Keys, as_array, as_arrays, as_comparable, comparable_keys, is_several, projected
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.sorting import argsort, coargsort
from akdask.arrays.timearray import TimeArray, may_lack
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT64
from akdask.deferred import pd
from akdask.engine.alignment import align, joined, partition_count
from akdask.engine.cache import within_rounds
from akdask.engine.explain import is_small
from akdask.engine.missing import missing_text
from akdask.engine.node import Frame
from akdask.engine.operations import promote
from akdask.engine.rowwise import Project
from akdask.engine.sources import row_numbers
from akdask.engine.times import not_a_time
from akdask.engine.values import Call, Constant, Value, cast, nearest_floats, widened, with_missing
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    AxisError,
    ColumnKindError,
    MissingColumnError,
    PositionError,
    SchemaError,
    UnsupportedError,
)
from akdask.frames.alignment import on_all_labels
from akdask.frames.columnset import INDEX, ColumnSet, names_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.missing import present_among
from akdask.frames.series import Series
from akdask.operators.join.plan import has_match, join_row_numbers, join_rows
from akdask.operators.rows.plan import ConcatRanges, SegmentStarts
from akdask.operators.sort.plan import sorted_rows
from akdask.records import record

FrameType = TypeVar("FrameType", bound=DataFrame)


HOW = ("inner", "left", "right", "outer", "semi", "anti")


KEY = "\0key"
"""Begins the names of columns to sort by, which no user sees."""


Sources = dict[str, tuple[str | None, str | None]]
"""For each column of a join, the columns of left and of right that it comes from; of both where these are equal."""


Fill = Literal["floats", "missing", "cast of NaN", "zero"]
"""What rows without a match have in columns of integers and bool; with "floats", int64 are floats, others missing."""


CASTS_OF_NAN = {INT64: -(2**63), UINT64: 2**63, BOOL: True}
"""What a server, as NumPy on most machines, makes of NaN in an array of a type; 0 in others."""


AS_FLOATS = "\0floats of "
"""Begins the names of columns of floats that stand for integers."""


LACKING = (("right", "outer"), ("left", "outer"))
"""Joins in which rows may lack a match that columns of left, or of right, come from."""


LABEL, ORDER, HERE = "\0label", "\0order", "\0here"
"""Begin the names of columns of rows that are joined by their labels."""


LABELS = "\0labels"
"""The column of labels to join by, which no user sees."""


ROW = "\0row"
"""The column of labels of one side, which its rows keep, and which no user sees."""


FROM_LEFT, FROM_RIGHT = "\0left", "\0right"
"""Columns that tell from which side a row of a join comes."""


PREDICATES = ("true_dt", "abs_dt", "pos_dt")


PAIR_BYTES = 16


LEFT, RIGHT = "left", "right"


def concat(items: Sequence[DataFrame]) -> DataFrame:
    if not items:
        raise ArgumentError("concat needs at least one DataFrame.")
    return DataFrame._of(stacked([_columns_of(item) for item in items]))


def _columns_of(item: Any) -> ColumnSet:
    if not isinstance(item, DataFrame):
        raise ArgumentTypeError(f"only DataFrames can be put below each other, not {type(item).__name__}.")
    return item._columns


def stacked(parts: Sequence[ColumnSet]) -> ColumnSet:
    """Return the rows of several sets of columns, one below the other."""
    parts = [part for part in parts if part.values] or parts[:1]
    names: list[Hashable] = list(parts[0].values)
    for part in parts[1:]:
        if set(part.values) != set(names):
            raise MissingColumnError(
                "only rows with the same columns can be put below each other.",
                details=[", ".join(map(str, item.values)) for item in parts],
            )
    unified: dict[Hashable, list[Array]] = {
        name: _unified(str(name), [part.array(str(name)) for part in parts]) for name in names
    }
    if all(part.index is not None for part in parts):
        unified[INDEX] = _unified("the index", [part.index_array() for part in parts])
    projects = []
    for number, part in enumerate(parts):
        # Columns that are brought to a common type may be kept in memory, each for itself.  Integers that may be
        # missing are plain floats once they are on the rows of others.
        own = [arrays[number] for arrays in unified.values()]
        columns = [(array._frame, array._value) for array in own]
        rows, values = align("put below each other", columns) if columns else (part.frame, [])
        projects.append(Project(rows, tuple(range(len(values))), tuple(values)))
    frame = joined(projects)
    stacks = map(frame.column, projects[0].names)
    made = {name: arrays[0]._like(frame, value) for (name, arrays), value in zip(unified.items(), stacks, strict=True)}
    for name, array in made.items():
        if isinstance(array, pdarray):
            array._made_of(unified[name])
    called = {part.index_name for part in parts}
    index_name = called.pop() if len(called) == 1 else None
    return ColumnSet.of({str(name): made[name] for name in names}, made.get(INDEX), index_name)


def _unified(name: str, arrays: list[Array]) -> list[Array]:
    """Return arrays as ones of the same kind and type, each on its own rows."""
    categoricals = [array for array in arrays if isinstance(array, Categorical)]
    if len(categoricals) == len(arrays):
        same = all(array._category_table is categoricals[0]._category_table for array in categoricals)
        return [*categoricals] if same else [*Categorical.standardize_categories(categoricals)]
    plain: list[Any] = [array.to_strings() if isinstance(array, Categorical) else array for array in arrays]
    kinds = {type(array) for array in plain}
    wanted = promote(*[array._value.dtype for array in plain]) or plain[0]._value.dtype
    if len(kinds) > 1 or any(array._value.dtype.kind != wanted.kind and not wanted.is_numeric for array in plain):
        raise ColumnKindError(
            f"column {name!r} has values of kinds that cannot be put below each other.",
            details=[f"{type(array).__name__} of {array._value.dtype}" for array in plain],
        )
    plain = plain[0]._in_common(f"column {name!r}", plain[1:])
    return [array._like(array._frame, widened(array._value, wanted)) for array in plain]


def merge(
    left: FrameType,
    right: DataFrame,
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
        The frames to join.  Every task gets all rows of one of them: of the other side than the join keeps, or of
        `left` in an inner join with a `right` of many times as many rows.  If its columns are larger than the setting
        ``replicate_size``, rows of both are exchanged by their keys instead.
    on : str or list of str, optional
        Key columns that both frames have; all columns that both have unless given.
    left_on, right_on : str or list of str, optional
        Key columns of `left` and of `right`; both stay in the result.
    how : {"inner", "left", "right", "outer", "semi", "anti"}
        Keep the rows that have a match, all of `left`, all of `right`, or all of both.  ``semi`` gives the rows of
        `left` with a match, ``anti`` the rows without one, each once and without columns of `right`.
    left_suffix, right_suffix : str
        Appended to names of other columns that both have.
    convert_ints : bool
        Make float64 of columns of int64 whose rows may lack a match, NaN where they do, as Arkouda does; integers above
        2**53 are rounded.  uint64 and bool keep their types, and are missing there: ``to_pandas()`` gives ``UInt64``
        and ``boolean`` where some are.  With False no type changes, and rows without a match have what a server's cast
        of NaN gives: -2**63 in int64, 2**63 in uint64, True in bool.
    sort : bool
        Put the rows in order of the keys, missing ones last.

    Returns
    -------
    DataFrame
        The columns of `left`, then the columns of `right` that are not in `on`, with rows numbered from 0.  Rows with
        equal keys, and without `sort` all rows, keep the order of `left`; the matches of one row keep the order of
        `right`.  A right join swaps the sides.  In an outer join, rows of `right` without a match are last.  Without a
        match, floats are NaN, times NaT, Strings and Categoricals missing.

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
    >>> left = ak.DataFrame({"k": [3, 1, 2], "x": [30, 10, 20]})
    >>> right = ak.DataFrame({"k": [1, 3, 1], "y": ["a", "b", "c"]})
    >>> merge(left, right, on="k").to_pandas()
       k   x  y
    0  1  10  a
    1  1  10  c
    2  3  30  b
    """
    given: list[Any] = [left, right]
    others = [side for side in given if not isinstance(side, DataFrame)]
    if others:
        raise ArgumentTypeError(f"merge joins DataFrames, not {type(others[0]).__name__}.")
    names = _key_names(left, right, on, left_on, right_on)
    converted: Fill = "floats" if left._rules.floats_unmatched else "missing"
    return _merged(
        left,
        right,
        names,
        how,
        suffixes=(left_suffix, right_suffix),
        fill=converted if convert_ints else "cast of NaN",
        sort=sort,
    )


def _merged(
    left: FrameType,
    right: DataFrame,
    names: tuple[list[str], list[str]],
    how: str,
    *,
    suffixes: tuple[str, str],
    fill: Fill,
    sort: bool,
) -> FrameType:
    """Join two DataFrames by the named keys of both."""
    if how not in HOW:
        raise ArgumentError(f"how={how!r} is no kind of join.", details=[f"kinds: {', '.join(HOW)}"])
    sides = _sides(left._columns, right._columns, *names)
    if how in ("semi", "anti"):
        chosen = _filtered(*sides, invert=how == "anti")
        return left._of(_sorted(chosen, names[0]) if sort else chosen)
    sources = _named(*sides, list(zip(*names, strict=True)), suffixes)
    keys = {f"{KEY}{number}": pair for number, pair in enumerate(zip(*names, strict=True))} if sort else {}
    joined = Joined(*sides, {**sources, **keys}, fill).of_kind(how)
    if not sort:
        return left._of(joined)
    pairs = [(left._columns.array(mine), right._columns.array(theirs)) for mine, theirs in zip(*names, strict=True)]
    by = [key for name, pair in zip(keys, pairs, strict=True) for key in _sort_keys(joined.array(name), *pair)]
    return left._of(_in_order(joined, by).only(sources))


@record
class MergeSide:
    """Columns, and the keys that they are joined by."""

    columns: ColumnSet
    keys: Keys


def _key_names(left: DataFrame, right: DataFrame, on: Any, left_on: Any, right_on: Any) -> tuple[list[str], list[str]]:
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
    """Return the columns by which one key sorts the rows of a join.

    As in pandas, Categoricals with equal categories sort by these, and missing ones come first, as missing times do.
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
        ordered, moved = sorted_rows(by, [True] * len(by), [(frame, value) for value in values], count=count)
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


@record
class Joined:
    """The sides of a join, and the sources of its columns."""

    left: MergeSide
    right: MergeSide
    sources: Sources
    fill: Fill

    def of_kind(self, how: str) -> ColumnSet:
        """Return the columns of an inner, left, right or outer join."""
        if self.fill == "floats":
            return self._with_floats(how)._of_kind(how)
        return self._of_kind(how)

    def _with_floats(self, how: str) -> Joined:
        """Return the same join with int64 as float64 in columns whose rows may lack a match.

        The keys stay integers.
        """
        columns = [self.left.columns, self.right.columns]
        sources = dict(self.sources)
        for name, pair in self.sources.items():
            side = 0 if pair[1] is None else 1
            if pair[1 - side] is not None or how not in LACKING[side]:
                continue
            own = str(pair[side])
            array = columns[side].array(own)
            if _is_plain(array) and array._value.dtype.plain == INT64:
                of = columns[side]
                floats = {AS_FLOATS + own: nearest_floats(of.values[own])}
                columns[side] = ColumnSet(of.frame, {**of.values, **floats}, {**of.kinds, AS_FLOATS + own: array})
                sources[name] = (AS_FLOATS + own, None) if side == 0 else (None, AS_FLOATS + own)
        sides = [replace(side, columns=of) for side, of in zip((self.left, self.right), columns, strict=True)]
        return replace(self, left=sides[0], right=sides[1], sources=sources)

    def _of_kind(self, how: str) -> ColumnSet:
        match how:
            case "right":
                return self._probed(1, keep_all=True)
            case "outer":
                return stacked([self._probed(0, keep_all=True), self._unmatched()])
        return self._probed(0, keep_all=how == "left")

    def _probed(self, own: int, *, keep_all: bool) -> ColumnSet:
        """Return the rows of one side, 0 for left, each with its matches of the other."""
        sides = self.left, self.right
        kinds: list[dict[str, Array]] = [{}, {}]
        # The values of the columns on the frame of the keys; arrays may have other frames.
        given: list[list[Value]] = [[], []]
        for name, pair in self.sources.items():
            side = own if pair[own] is not None else 1 - own
            columns = sides[side].columns
            # Arrays know the types of rows without a match.
            kinds[side][name] = columns.array(str(pair[side])) if keep_all else columns.kind(str(pair[side]))
            given[side].append(columns.values[str(pair[side])])
        mine, theirs = kinds[own], kinds[1 - own]
        wanted, others = given[own], given[1 - own]
        if keep_all:
            for array in theirs.values():
                self._check_fillable(array)
        paired = join_rows(
            sides[own].keys.side(wanted),
            sides[1 - own].keys.side(others),
            keep_all=keep_all,
        )
        values = dict(zip([*mine, *theirs], [*paired.left, *paired.right], strict=True))
        if keep_all:
            theirs = {name: may_lack(array) for name, array in theirs.items()}
            values |= {name: self._with_missing(theirs[name], values[name], paired.lacks, name) for name in theirs}
        frame, found = within_rounds(paired.frame, [values[name] for name in self.sources])
        both: dict[Hashable, Array] = dict([*mine.items(), *theirs.items()])
        return ColumnSet(frame, dict(zip(self.sources, found, strict=True)), both)

    def _with_missing(self, array: Array, found: Value, lacks: Value, name: str) -> Value:
        """Return a column of the other side on paired rows, with a value for rows without a match."""
        if isinstance(array, Categorical | TimeArray):
            return Call("where", lacks, self._missing(array), found)
        if self._becomes_missing(array):
            return with_missing(found, lacks, name)
        if found.dtype.kind != "str":
            return Call("where", lacks, self._missing(array), found) if self._is_cast(array) else found
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
        if not dtype.is_numeric and dtype.kind != "str":
            raise UnsupportedError(
                f"a column of {dtype} has no value for rows without a match.",
                hint="join with how='inner', or leave the column out.",
            )

    def _becomes_missing(self, array: Array) -> bool:
        """Whether integers or bool are missing in rows without a match."""
        is_filled = self.fill in ("cast of NaN", "zero")
        return not is_filled and (_is_plain(array) or array.flags_missing) and array._value.dtype.plain != FLOAT64

    def _is_cast(self, array: Array) -> bool:
        return self.fill == "cast of NaN" and _is_plain(array) and array._value.dtype.plain in CASTS_OF_NAN

    def _missing(self, array: Array) -> Value:
        """Return the value of a column for rows without a match."""
        if isinstance(array, Categorical):
            return array._category_table.na_code
        if isinstance(array, TimeArray):
            return not_a_time()
        self._check_fillable(array)
        dtype = array._value.dtype.plain
        if not dtype.is_number:
            return missing_text()
        if self._becomes_missing(array):
            return with_missing(Constant(dtype.numpy.type(0)), Constant(np.bool_(True)))
        if self._is_cast(array):
            return Constant(dtype.numpy.type(CASTS_OF_NAN[dtype]))
        return Constant(dtype.numpy.type(np.nan if dtype == FLOAT64 else 0))


def _is_plain(array: Array) -> bool:
    """Whether the elements of an array are the numbers of its column."""
    return isinstance(array, pdarray) and array._pandas_converter() is None


def outer_by_labels(left: ColumnSet, left_keys: Keys, right: ColumnSet, right_keys: Keys) -> ColumnSet:
    """Return the rows of both sides by equal labels, in their order; lazy.

    Parameters
    ----------
    left : ColumnSet
        Columns of other names each, and of the same names the levels of labels, which begin with `LABEL`, and the
        columns to sort by before these, which begin with `ORDER`.
    left_keys : Keys
        Keys of its rows.
    right : ColumnSet
        The other columns, named in the same way.
    right_keys : Keys
        Keys of the rows of `right`.

    Returns
    -------
    ColumnSet
        Each pair of equal labels is a row.  Integers and bool are 0 and False for labels that a side lacks.
    """
    common = [name for name in left.values if name in right.values]
    sources: Sources = {name: (name, name) for name in common}
    sources |= {name: (name, None) for name in left.values if name not in sources}
    sources |= {name: (None, name) for name in right.values if name not in sources}
    joined = Joined(_side(left, left_keys), _side(right, right_keys), sources, fill="zero").of_kind("outer")
    # No more partitions than a side has, since a chain of additions would get more with each operand.
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
        Source of the arguments of `wherefunc`: an array on the rows of `left`, and one on the rows of `right`.  For
        two sequences of arrays, `wherefunc` gets two lists.

    Returns
    -------
    left_positions : pdarray of int64
        Ascending.
    right_positions : pdarray of int64
        Ascending for each element of `left`.

    Raises
    ------
    ArgumentError
        If there is a `wherefunc` without `whereargs`, if it does not take two arguments, or fails, or if an argument is
        known to have other rows.

    Examples
    --------
    >>> lefts, rights = inner_join(ak.array([3, 1, 3]), ak.array([1, 3]))
    >>> lefts.tolist(), rights.tolist()
    ([0, 1, 2], [1, 0, 1])
    """
    if (wherefunc is None) != (whereargs is None):
        raise ArgumentError("wherefunc needs whereargs, the two arrays that it is called with, and they need it.")
    arrays = as_arrays(left)
    keys, others = comparable_keys("inner_join", arrays, as_arrays(as_comparable(arrays[0], right)))
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
    except ArgumentError:
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


def merge_frames(
    frame: DataFrame,
    right: DataFrame,
    on: str | Sequence[str] | None,
    how: str,
    left_suffix: str,
    right_suffix: str,
    convert_ints: bool,
    sort: bool,
    *,
    left_on: str | Sequence[str] | None,
    right_on: str | Sequence[str] | None,
    suffixes: tuple[str, str] | None,
    indicator: bool | str,
    left_index: bool,
    right_index: bool,
) -> DataFrame:
    if suffixes is not None:
        given: Any = suffixes
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise ArgumentTypeError(f"suffixes are two, for left and right, not {suffixes!r:.100}.")
        left_suffix, right_suffix = (suffix or "" for suffix in given)
    ours: Any = frame
    theirs = _as_frame(right)
    label_column = None
    if left_index or right_index:
        label_column = LABELS if left_index and right_index else ROW
        if right_index and not left_index and how in ("inner", "left"):
            ours = ours.assign(**{ROW: ours.index})
        elif left_index and not right_index and how in ("inner", "right"):
            theirs = theirs.assign(**{ROW: theirs.index})
        elif label_column == ROW:
            label_column = None
        ours, left_on = _by_labels(ours, left_on if on is None else on, is_by_label=left_index)
        theirs, right_on = _by_labels(theirs, right_on if on is None else on, is_by_label=right_index)
        on = None
    if how == "cross":
        if on is not None or left_on is not None or right_on is not None:
            raise ArgumentError("a cross join pairs all rows, and has no columns to join by.")
        ours, theirs, on, how = ours.assign(**{LABELS: 0}), theirs.assign(**{LABELS: 0}), LABELS, "inner"
    name = indicator if isinstance(indicator, str) else "_merge"
    if indicator:
        ours, theirs = (side.assign(**{of: 1.0}) for side, of in ((ours, FROM_LEFT), (theirs, FROM_RIGHT)))
        if on is None and left_on is None:
            on = [one for one in ours.columns if one in theirs.columns]
    by_both = left_index and right_index
    found: Any = merge(
        ours, theirs, on, left_on, right_on, how, left_suffix, right_suffix, convert_ints, sort and not by_both
    )
    if by_both and (sort or how == "outer"):
        labels = [side._columns.index_array() for side in (frame, _as_frame(right))]
        found = _in_order_of_labels(found, *labels)
    if indicator:
        found[name] = _sources(found)
    hidden = (LABELS, ROW, FROM_LEFT, FROM_RIGHT)
    shown = found._columns.only(one for one in found.columns if one not in hidden)
    if label_column is None:
        return frame._of(shown)
    sides = [frame, _as_frame(right)] if by_both else [frame if right_index else _as_frame(right)]
    names = {side._columns.index_name for side in sides}
    return frame._of(shown.labelled(found._columns.array(label_column), names.pop() if len(names) == 1 else None))


def join(
    frame: DataFrame,
    other: Any,
    on: str | None,
    how: str,
    lsuffix: str,
    rsuffix: str,
    sort: bool,
) -> DataFrame:
    given = _as_frame(other)
    ours, theirs = frame._columns, given._columns
    labels = ours.index_array() if on is None else ours.array(on)
    left = frame._of(ours.labelled(None).having(LABELS, labels))
    keeps_rows = on is not None and how in ("left", "inner", "semi", "anti")
    if keeps_rows:
        left = left._of(left._columns.having(ROW, ours.index_array()))
    right = given._of(theirs.labelled(None).having(LABELS, theirs.index_array()))
    keys = [LABELS], [LABELS]
    has_order = sort and on is not None
    found: Any = _merged(left, right, keys, how, suffixes=(lsuffix, rsuffix), fill="missing", sort=has_order)
    if on is None and (sort or how == "outer"):
        found = _in_order_of_labels(found, labels, theirs.index_array())
    joined = found._columns
    columns = joined.only(name for name in joined.values if name not in (LABELS, ROW))
    if on is not None and not keeps_rows:
        return frame._of(columns)
    return frame._of(columns.labelled(joined.array(ROW if keeps_rows else LABELS), ours.index_name))


def _as_frame(other: Any) -> Any:
    """Return the other side of a join, a Series as a DataFrame of one column."""
    found = other.to_frame() if isinstance(other, Series) else other
    if not isinstance(found, DataFrame):
        raise ArgumentTypeError(f"a DataFrame is joined with DataFrames and Series, not {type(other).__name__}.")
    return found


def _in_order_of_labels(joined: Any, mine: Array, theirs: Array) -> Any:
    """Return joined rows in order of their labels; as in pandas, Categoricals of the same categories go by these."""
    labels: Any = joined._columns.array(LABELS)
    same: list[Any] = [side._category_table for side in (mine, theirs) if isinstance(side, Categorical)]
    is_by_code = len(same) > 1 and same[0] is same[1]
    order = coargsort([labels.isna(), labels.codes]) if is_by_code else argsort(labels)
    return joined._of(joined._rows(order)._columns.labelled(None))


def _by_labels(frame: Any, names: Any, *, is_by_label: bool) -> tuple[Any, Any]:
    """Return a side with its labels as a column, and the names of the columns to join by."""
    if not is_by_label:
        return frame, names
    if names is not None:
        raise ArgumentError("a side is joined either by its labels or by columns.")
    return frame.assign(**{LABELS: frame.index}), LABELS


def _sources(joined: Any) -> Any:
    """Return from which sides the rows of an outer join come."""
    present = joined[[FROM_LEFT, FROM_RIGHT]].notna()
    there = [present[name] for name in (FROM_LEFT, FROM_RIGHT)]
    return where(there[0], where(there[1], "both", "left_only"), "right_only")


def concat_series(
    kind: type[Series],
    arrays: Sequence[Any],
    axis: int,
    index_labels: Sequence[str] | None,
    value_labels: Sequence[str] | None,
    ordered: bool,
) -> Any:
    from akdask.arrays.shapes import chained

    if axis not in (0, 1):
        raise AxisError(f"concat puts Series below each other (axis=0) or side by side (axis=1), not along {axis!r}.")
    series = _as_series(kind, arrays)
    if axis == 1:
        names = value_labels or [f"val_{number}" for number in range(len(series))]
        found, values = series[0]._row_labels, [series[0].values]
        for one in series[1:]:
            joined = on_all_labels(found, values, one._row_labels, [one.values], kind._rules.absent_operand)
            found, values = joined.labels, [*joined.ones, *joined.others]
        index = series[0]._named_index(found.arrays)
        unnamed = ["idx"] if index.nlevels == 1 else [f"idx_{number}" for number in range(index.nlevels)]
        named = [name or other for name, other in zip(index.names, unnamed, strict=True)]
        labels = index.to_dict(named if index_labels is None else [*index_labels])
        return DataFrame({**labels, **dict(zip(map(str, names), values, strict=True))})
    joined = reduce(lambda one, other: one.concat(other), [one.index for one in series])
    return kind._of(chained([one.values for one in series]), joined)


def concat_as_pandas(kind: type[Series], arrays: Sequence[Any], axis: int, labels: Any) -> pd.Series | pd.DataFrame:
    series = [one.to_pandas() for one in _as_series(kind, arrays)]
    if axis != 1:
        return pd.concat(series)
    index = series[0].index
    frame = pd.concat([pd.Series(one.to_numpy(), index=index) for one in series], axis=1)
    if labels is not None:
        frame.columns = pd.Index(np.asarray(labels))
    return frame


def _as_series(kind: type[Series], arrays: Sequence[Any]) -> list[Any]:
    """Return Series, made of pairs of keys and values where these are given."""
    arrays = list(arrays)
    if not arrays:
        raise PositionError("concat needs at least one Series.")
    kinds = {type(item) for item in arrays}
    if len(kinds) > 1 or not isinstance(arrays[0], Series | tuple):
        raise ArgumentTypeError(
            f"Series are put together with Series, not with {', '.join(sorted(kind.__name__ for kind in kinds))}."
        )
    if isinstance(arrays[0], tuple):
        return [kind._of(values, Index.factory(keys)) for keys, values in arrays]
    return arrays


def left_join(left: Any, right: Any) -> tuple[pdarray, pdarray]:
    """Return the positions of all pairs of equal elements, and of the elements of `left` that have none; lazy.

    Parameters
    ----------
    left, right : array, or sequence of arrays
        Of several arrays, each row is an element.

    Returns
    -------
    left_positions : pdarray of int64
        Ascending, every position at least once.
    right_positions : pdarray of int64
        Ascending for each element of `left`; -1 without a match.

    Examples
    --------
    >>> lefts, rights = ak.left_join(ak.array([3, 5, 1]), ak.array([1, 3, 3]))
    >>> lefts.tolist(), rights.tolist()
    ([0, 0, 1, 2], [1, 2, -1, 0])
    """
    arrays = as_arrays(left)
    others = as_arrays(as_comparable(arrays[0], right))
    names = [f"key {number}" for number in range(len(arrays))]
    if len(arrays) != len(others):
        raise ArgumentError(
            "left_join needs as many arrays on both sides.", details=[f"given: {len(arrays)} and {len(others)}"]
        )
    numbered, others_numbered = _numbered(names, arrays, LEFT), _numbered(names, others, RIGHT)
    joined = _merged(numbered, others_numbered, (names, names), "left", suffixes=("_x", "_y"), fill="zero", sort=False)
    # Positions count from 1 in the join, whose integers are 0 where there is no match.
    return joined[LEFT] - 1, joined[RIGHT] - 1


def join_on_eq_with_dt(
    a1: pdarray, a2: pdarray, t1: pdarray, t2: pdarray, dt: Any, pred: str, result_limit: int = 1000
) -> tuple[pdarray, pdarray]:
    """Return the positions of pairs of equal elements whose times are close to each other; lazy.

    Parameters
    ----------
    a1, a2 : pdarray
        The elements.
    t1, t2 : pdarray, Datetime or Timedelta
        The times of the elements of `a1` and `a2`.
    dt : int or span of time
        Largest distance of times.
    pred : {"true_dt", "abs_dt", "pos_dt"}
        Ignore times, pair times at most `dt` apart, or pair times of `a2` from 0 to `dt` after times of `a1`.
    result_limit : int, default 1000
        Most pairs.

    Returns
    -------
    left_positions : pdarray of int64
        Positions in `a1`, ascending, of the first of all pairs; an Arkouda server returns any pairs.
    right_positions : pdarray of int64
        Positions in `a2`.

    Raises
    ------
    ArgumentError
        If `pred` is something else, or `result_limit` is below 0.

    Examples
    --------
    >>> keys, times = ak.array([1, 1, 2]), ak.array([10, 20, 30])
    >>> lefts, rights = ak.join_on_eq_with_dt(keys, keys, times, times, 10, "pos_dt")
    >>> lefts.tolist(), rights.tolist()
    ([0, 0, 1, 2], [0, 1, 1, 2])
    """
    if pred not in PREDICATES:
        raise ArgumentError(f"pred={pred!r} is no predicate.", details=[f"predicates: {', '.join(PREDICATES)}"])
    given: dict[str, Any] = {"a1": a1, "a2": a2, "t1": t1, "t2": t2}
    for name, item in given.items():
        if not isinstance(item, Array):
            raise ArgumentTypeError(f"{name} is a lazy array, not {type(item).__name__}.")
        if isinstance(item, pdarray) and item._value.dtype == FLOAT64:
            raise ArgumentError(f"{name} is an array of whole numbers, not of {item._type_name()}.")
    if isinstance(dt, str):
        raise ArgumentTypeError(f"dt is a span, not {dt!r:.100}.")
    if isinstance(dt, int | float | np.number) and dt < 0:
        raise ArgumentError(f"dt is a span from 0, not {dt!r}.")
    if index(result_limit) < 0:
        raise ArgumentError(f"result_limit is a whole number from 0, not {result_limit!r}.")

    def is_close(first: Any, second: Any) -> Any:
        later = (second >= first) & (second - first <= dt)
        return later if pred == "pos_dt" else later | ((first >= second) & (first - second <= dt))

    lefts, rights = inner_join(a1, a2) if pred == "true_dt" else inner_join(a1, a2, is_close, (t1, t2))
    return lefts.head(result_limit), rights.head(result_limit)


def compute_join_size(a: Any, b: Any) -> tuple[int, int]:
    """Return how many pairs an inner join of two arrays has, and how many bytes their positions take; computes.

    Examples
    --------
    >>> ak.compute_join_size(ak.array([3, 1, 3]), ak.array([3, 3, 2]))
    (4, 64)
    """
    keys, counts = GroupBy(a, dropna=False).size()
    others, other_counts = GroupBy(b, dropna=False).size()
    lefts, rights = inner_join(keys, others)
    pairs = int((counts[lefts] * other_counts[rights]).sum())
    return pairs, PAIR_BYTES * pairs


def gen_ranges(starts: pdarray, ends: pdarray, stride: int = 1, return_lengths: bool = False) -> tuple[pdarray, ...]:
    """Return the numbers of many ranges, end to end; lazy.

    Parameters
    ----------
    starts, ends : pdarray of int
        The first number of each range, and its exclusive end.
    stride : int, default 1
        The distance of numbers of one range, at least 1.
    return_lengths : bool
        Return how many numbers each range has as well.

    Returns
    -------
    segments : pdarray of int64
        Where each range begins among the numbers.
    ranges : pdarray of int64
    lengths : pdarray of int64, with `return_lengths`

    Raises
    ------
    ArgumentError
        If `stride` is below 1, or a range ends before it starts.  Ranges of little data are checked at once, others
        when they are computed.

    Examples
    --------
    >>> segments, ranges = ak.gen_ranges(ak.array([0, 5]), ak.array([3, 7]))
    >>> segments.tolist(), ranges.tolist()
    ([0, 3], [0, 1, 2, 5, 6])
    """
    if index(stride) < 1:
        raise ArgumentError(f"the stride of ranges is a whole number from 1, not {stride!r}.")
    firsts, lasts = as_array(starts), as_array(ends)
    frame, (first, last) = align("generate ranges", [firsts._as_operand(), lasts._as_operand()])
    first, last = (cast(bound, INT64) if bound.dtype.kind == "uint" else bound for bound in (first, last))
    length = Call("range_length", first, last, stride=index(stride))
    if is_small(frame, [length]):
        # As scripts expect it, bounds in the wrong order are told where they are given, if that takes no time.
        pdarray(frame, length).to_ndarray()
    intervals = ConcatRanges(projected(frame, [first, length]), index(stride))
    begins = SegmentStarts(projected(frame, [length]))
    found = pdarray(begins, begins.starts), pdarray(intervals, intervals.number)
    return (*found, pdarray(frame, length)) if return_lengths else found


def _numbered(names: list[str], arrays: list[Array], number: str) -> DataFrame:
    """Return arrays as columns, with the number of each row, from 1, as one more."""
    frame, _ = align("left_join", [(array._frame, array._value) for array in arrays])
    return DataFrame.of({**dict(zip(names, arrays, strict=True)), number: pdarray(*row_numbers(frame)) + 1})
