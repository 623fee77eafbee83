"""`SegArray`: a lazy array of lists, each with any number of values of one type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any, Self

import numpy as np

from akdask import config
from akdask.arrays import selection as row_tools
from akdask.arrays.array import Array, of_rows
from akdask.arrays.assignment import fitting
from akdask.arrays.concatenation import concatenate
from akdask.arrays.creation import array
from akdask.arrays.display import EDGE, GAP, SHOWN, printed_numbers, quoted
from akdask.arrays.groupby import GroupBy
from akdask.arrays.operators import combine, operand
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import value_of
from akdask.arrays.scans import cumsum
from akdask.arrays.stored import from_stored
from akdask.arrays.wrap import shows, wrap
from akdask.arrays.writing import Path
from akdask.columns.dtypes import INT64, STR, ColumnType
from akdask.columns.lists import offsets_of, values_of
from akdask.columns.rows import to_objects, type_of
from akdask.columns.table import Table
from akdask.engine.alignment import Gather, Realign, align
from akdask.engine.missing import demanded
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project, Slice
from akdask.engine.values import Call, Constant, Replica, Value, cast
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.operators.rows.lists import Flatten, Nest, SegmentStarts
from akdask.operators.rows.numbers import row_numbers
from akdask.operators.values.segarray import LIST_REDUCTIONS
from akdask.storage.files import absolute
from akdask.storage.locales import locale_files
from akdask.storage.registry import format_named, open_files
from akdask.storage.remote import takes_storage_options


class ListAggregates(Array):
    """One value for each list that is not empty, as in Arkouda; all lazy.

    So the results have the rows of ``s[s.non_empty]``, which are the rows of the SegArray, once counted, if no list is
    empty.  If `x` is given, its elements take the place of the values: it has the same number of elements, in the
    same order.  NaN is left out, except in lists of nothing but NaN.
    """

    @property
    def values(self) -> Any:
        """The values of all lists."""
        raise NotImplementedError

    @property
    def segments(self) -> Any:
        """Where each list starts among the values of all."""
        raise NotImplementedError

    @property
    def non_empty(self) -> Any:
        """Which lists have values."""
        raise NotImplementedError

    def sum(self, x: Any = None) -> Any:
        """Return the sum of each list: int64 of bools, else of the type of the values."""
        return self._reduced("sum", x)

    def prod(self, x: Any = None) -> Any:
        """Return the product of each list, of the types that `sum` has."""
        return self._reduced("prod", x)

    def min(self, x: Any = None) -> Any:
        """Return the smallest value of each list."""
        return self._reduced("min", x)

    def max(self, x: Any = None) -> Any:
        """Return the largest value of each list."""
        return self._reduced("max", x)

    def mean(self, x: Any = None) -> Any:
        """Return the mean of each list as float64."""
        return self._reduced("mean", x)

    def any(self, x: Any = None) -> Any:
        """Return which lists have a value that is not zero."""
        return self._reduced("any", x)

    def all(self, x: Any = None) -> Any:
        """Return which lists have no value that is zero."""
        return self._reduced("all", x)

    def argmin(self, x: Any = None) -> Any:
        """Return the position of the first smallest value of each list, among the values of all lists."""
        return self._placed("argmin", x)

    def argmax(self, x: Any = None) -> Any:
        """Return the position of the first largest value of each list, among the values of all lists."""
        return self._placed("argmax", x)

    def nunique(self, x: Any = None) -> Any:
        """Return the number of distinct values of each list as int64."""
        return self._reduced("nunique", x)

    def OR(self, x: Any = None) -> Any:
        """Return the bits that any value of each list has."""
        return self._reduced("OR", x)

    def AND(self, x: Any = None) -> Any:
        """Return the bits that all values of each list have."""
        return self._reduced("AND", x)

    def XOR(self, x: Any = None) -> Any:
        """Return the bits that an odd number of values of each list have."""
        return self._reduced("XOR", x)

    def aggregate(self, op: str, x: Any = None) -> tuple[Any, Any]:
        """Reduce each list that is not empty by the reduction of a name.

        Parameters
        ----------
        op : str
            ``sum``, ``max``, ``OR`` and so on: any method of this class.
        x : pdarray, optional
            Replaces the values.

        Returns
        -------
        keys : pdarray of int64
            Numbers of the lists, without empty lists.
        results : pdarray
            One for each of them.

        Raises
        ------
        ArgumentError
            If the reduction is unknown.
        """
        if f"list_{op}" not in LIST_REDUCTIONS:
            names = ", ".join(name.removeprefix("list_") for name in LIST_REDUCTIONS)
            raise ArgumentError(f"there is no reduction {op!r}.", details=[f"reductions: {names}"])
        results = getattr(self, op)(x)
        return wrap(*row_numbers(results._frame)), results

    def unique(self, x: Any = None) -> Any:
        """Return the distinct values of each list in ascending order; empty lists stay."""
        frame, lists = self._lists(x)
        return self._like(frame, Call("list_unique", lists))

    def _reduced(self, name: str, x: Any) -> Any:
        frame, lists = self._lists(x)
        return wrap(frame, Call(f"list_{name}", lists))[self.non_empty]

    def _placed(self, name: str, x: Any) -> Any:
        frame, lists = self._lists(x)
        found = wrap(frame, Call(f"list_{name}", lists)) + self.segments
        return found[self.non_empty]

    def _lists(self, x: Any) -> tuple[Frame, Value]:
        """Return the lists, or lists of the same lengths with other values."""
        if x is None:
            return self._frame, self._value
        if not isinstance(x, Array):
            raise ArgumentTypeError(
                f"x is {x!r}, but an array of as many elements as the lists have is to stand for them.",
                hint="make one with ak.array, or leave it out.",
            )
        flat: Frame = self.values._frame
        project: Any = Project(x._frame, (0,), (x._value,))
        if not flat.rows.same_rows(x.rows):
            lengths, given = row_tools.known_lengths(flat), row_tools.known_lengths(x._frame)
            if sum(lengths) != sum(given):
                raise AlignmentError(f"{sum(given)} values cannot stand for the {sum(lengths)} of the lists.")
            project = Realign(project, given, lengths)
        nest = Nest(Project(self._frame, (0,), (self._value,)), project, (0,) * self.npartitions)
        return nest, nest.lists


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
            The position in each list; from the end if negative.
        return_origins : bool, default True
            Return which lists have such a value, too.
        compressed : bool, default False
            Leave out lists that are too short; Strings always do.
        default : scalar, default 0
            The value where a list is too short, unless short lists are left out.

        Returns
        -------
        pdarray or Strings, and pdarray of bool
            The values, and which lists have one.

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
            Number of values.
        return_origins : bool, default True
            Return which lists are long enough, too.
        proper : bool, default True
            Leave out lists of just `n` values.

        Returns
        -------
        list of pdarray, and pdarray of bool
            First values, second values and so on, and which lists they come from.
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

        Unlike in Arkouda, lists that are all shorter are no error, and give no runs.

        Returns
        -------
        list of pdarray, and pdarray of int64
            First values of the runs, second values and so on, and the number of the list of each run.
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
            The position; from the end if negative.  An error at compute if one of the lists is too short.
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


class ListSets(Array):
    """Operations that keep the number of lists; all lazy."""

    @property
    def non_empty(self) -> Any:
        """Which lists have values."""
        raise NotImplementedError

    def intersect(self, other: Any) -> Any:
        """Return the values that are in both lists of a row, each once and in ascending order."""
        return self._combined("list_intersect", other)

    def union(self, other: Any) -> Any:
        """Return the values that are in either list of a row, each once and in ascending order."""
        return self._combined("list_union", other)

    def setdiff(self, other: Any) -> Any:
        """Return the values that are not in the other list of a row, each once and in ascending order."""
        return self._combined("list_setdiff", other)

    def setxor(self, other: Any) -> Any:
        """Return the values that are in just one list of a row, each once and in ascending order."""
        return self._combined("list_setxor", other)

    def remove_repeats(self, return_multiplicity: bool = False) -> Any:
        """Return the lists without values that equal the value before them.

        Parameters
        ----------
        return_multiplicity : bool, default False
            Return a SegArray of the number of repetitions of each value, too.
        """
        remaining = self._like(self._frame, Call("list_remove_repeats", self._value))
        if not return_multiplicity:
            return remaining
        return remaining, self._like(self._frame, Call("list_multiplicity", self._value))

    def filter(self, filter: Any, discard_empty: bool = False) -> Any:
        """Return lists without some values.

        Parameters
        ----------
        filter : pdarray, Strings, list or scalar
            The values to leave out.
        discard_empty : bool, default False
            Leave out lists that are empty afterwards.
        """
        item = self._value.dtype.item
        assert item is not None, "lists of no type are given one when they are read"
        given = array(filter if isinstance(filter, Array | list | tuple) or hasattr(filter, "__array__") else [filter])
        unwanted = Project(given._frame, (0,), (cast(given._value, item),))
        remaining = self._like(self._frame, Call("list_without", self._value, Replica(Gather(unwanted), 0, item)))
        return remaining[remaining.non_empty] if discard_empty else remaining

    def _combined(self, operation: str, other: Any) -> Any:
        if type(other) is not type(self):
            raise ArgumentTypeError(f"{operation.removeprefix('list_')} takes a SegArray, not {type(other).__name__}.")
        return self._like(*combine(operation, [self, other]))


class SegArray(ListAggregates, ListParts, ListSets, Array):
    """A lazy array of lists: the values of all lists end to end, and the position where each list starts.

    Parameters
    ----------
    segments : pdarray of int
        Where each list starts among the values: ascending from 0.
    values : pdarray or Strings
        The values of all lists.  They are split into the partitions of the segments.  If there are several, rows of
        unknown number are counted to do so, and the first segment of each partition is computed.
    lengths, grouping
        Accepted for compatibility with Arkouda; they follow from the others.

    Raises
    ------
    ArgumentTypeError
        If the segments are no integers, or the values are lists themselves.
    ArgumentError
        If the segments do not fit the values; raised at compute where that needs the data.

    Examples
    --------
    >>> import akdask as ak
    >>> s = SegArray(ak.array([0, 2, 2]), ak.array([10, 11, 12]))
    >>> s.tolist(), s.lengths.tolist()
    ([[10, 11], [], [12]], [2, 0, 1])
    >>> s[0].tolist(), s.sum().tolist()
    ([10, 11], [21, 12])
    """

    objType = "SegArray"

    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _default_dataset = "segarray"

    _parts: tuple[Array, Array]

    def __init__(self, segments: Any, values: Any, lengths: Any = None, grouping: Any = None) -> None:
        if isinstance(segments, list | tuple):
            raise ArgumentTypeError(
                f"segments are a lazy array, not a {type(segments).__name__}.", hint="SegArray.from_multi_array(lists)."
            )
        nest = _nested(of_rows(array(segments)), of_rows(array(values)))
        super().__init__(nest, nest.lists)

    @classmethod
    def of(cls, frame: Frame, lists: Value) -> Self:
        """Return the SegArray of a column of lists on the rows of a frame."""
        self = cls.__new__(cls)
        Array.__init__(self, frame, lists)
        return self

    @classmethod
    def deferred(cls, segments: Array, values: Array) -> Self:
        """Return the SegArray of stored segments and values; none is read before it is used."""
        if config.get("eager"):
            return cls(segments, values)
        self = cls.__new__(cls)
        self._parts = (segments, values)
        return self

    @cached_property
    def _nest(self) -> Nest:
        return _nested(*self._parts)

    # Attributes that `deferred` leaves out; arrays of any other origin have them.

    @cached_property
    def _frame(self) -> Frame:  # type: ignore[override]
        return self._nest

    @cached_property
    def _value(self) -> Value:  # type: ignore[override]
        return self._nest.lists

    def _like(self, frame: Frame, value: Value) -> Self:
        return self.of(frame, value)

    @classmethod
    def from_parts(cls, segments: Any, values: Any, lengths: Any = None, grouping: Any = None) -> Self:
        """Return the SegArray of segments and values, as the class itself does."""
        return cls(segments, values, lengths, grouping)

    @classmethod
    def from_multi_array(cls, m: Sequence[Any]) -> Self:
        """Return the SegArray of a list of lists or arrays.

        Parameters
        ----------
        m : sequence of lists or of arrays, or pdarray
            All values are of one type; each value of a pdarray becomes a list of its own.

        Examples
        --------
        >>> SegArray.from_multi_array([[1, 2], [], [3]]).tolist()
        [[1, 2], [], [3]]
        """
        if isinstance(m, pdarray):
            m = [[value] for value in m.tolist()]
        rows = [row.tolist() if hasattr(row, "tolist") else list(row) for row in m]
        starts = list(accumulate(map(len, rows), initial=0))[:-1]
        return cls(np.array(starts, np.int64), list(chain.from_iterable(rows)) or np.empty(0, np.int64))

    # parts

    @property
    def values(self) -> Any:
        """The values of all lists as a pdarray or Strings; lazy, and their number is unknown until it is counted."""
        flat = Flatten(Project(self._frame, (0,), (self._value,)))
        return wrap(flat, flat.column(0))

    @property
    def lengths(self) -> Any:
        """The number of values in each list as int64; lazy."""
        return wrap(self._frame, self._lengths)

    @property
    def _lengths(self) -> Value:
        return Call("list_lengths", self._value)

    @property
    def segments(self) -> Any:
        """Where each list starts among the values of all, as int64; lazy."""
        starts = SegmentStarts(Project(self._frame, (0,), (self._lengths,)))
        return wrap(starts, starts.starts)

    @property
    def non_empty(self) -> Any:
        """Which lists have values; lazy."""
        return self.lengths > 0

    @property
    def grouping(self) -> GroupBy:
        """The values grouped by list; empty lists have no number; lazy."""
        numbers = cumsum(self.non_empty.astype(INT64)) - 1
        frame, values = align("group", [(self._frame, self._value), numbers._as_operand()])
        flat = Flatten(Project(frame, (0, 1), tuple(values)))
        return GroupBy(wrap(flat, flat.column(1)))

    @property
    def dtype(self) -> Any:
        """Type of the values: a NumPy dtype, of integers of any size ``ak.bigint``."""
        return self.values.dtype

    @property
    def valsize(self) -> int:
        """Number of values in all lists; computes."""
        return int(self.lengths.sum())

    @property
    def nbytes(self) -> int:
        """Bytes of the values; computes."""
        return int(self.values.nbytes)

    def _element(self, position: int) -> Any:
        return self._like(row_tools.one_row(self._frame, position), self._value).values

    # lists as single things

    def __eq__(self, other: object) -> Any:
        """Return which lists equal the lists of another SegArray, row by row; lazy."""
        return wrap(*combine("equal", [self, other])) if isinstance(other, SegArray) else NotImplemented

    def __ne__(self, other: object) -> Any:
        """Return which lists differ from the lists of another SegArray, row by row; lazy."""
        return wrap(*combine("not_equal", [self, other])) if isinstance(other, SegArray) else NotImplemented

    def equals(self, other: Any) -> bool:
        """Whether the other SegArray has the same lists in the same order; computes."""
        if not isinstance(other, SegArray) or self.size != other.size:
            return False
        return bool((self == other).all())

    def hash(self) -> tuple[Any, Any]:
        """Return the SipHash of 128 bits of each list as two arrays of uint64; lazy."""
        high, low = (wrap(self._frame, Call("list_hash", self._value, part=part)) for part in (0, 1))
        return high, low

    # joining

    @classmethod
    def concat(cls, x: Sequence[SegArray], axis: int = 0, ordered: bool = True) -> SegArray:
        """Join SegArrays of the same type; lazy.

        Parameters
        ----------
        x : sequence of SegArray
            At least one.
        axis : {0, 1}
            0 puts them end to end; 1 joins their lists row by row.
        ordered : True
            The order is always kept.

        Raises
        ------
        ArgumentError
            If there are none, or the axis is another.
        ArgumentTypeError
            If the types differ.
        """
        if not len(x) or not ordered or axis not in {0, 1}:
            raise ArgumentError(f"cannot join {len(x)} SegArrays with axis={axis}, ordered={ordered}.")
        first, *others = x
        if len({str(_type(item)) for item in x}) > 1:
            kinds = ", ".join(str(_type(item)) for item in x)
            raise ArgumentTypeError("only SegArrays of one type can be joined.", details=[f"given: {kinds}"])
        if axis == 0:
            joined: SegArray = concatenate([first, *others])
            return joined
        for other in others:
            first = first._like(*combine("list_join", [first, other]))
        return first

    def append(self, other: SegArray, axis: int = 0) -> SegArray:
        """Return the lists followed by another SegArray's, or joined row by row with ``axis=1``; see `concat`."""
        return self.concat([self, other], axis=axis)

    # files

    @classmethod
    @takes_storage_options
    def read_hdf(
        cls, prefix_path: Path, dataset: str = "segarray", *, storage_options: Mapping[str, Any] | None = None
    ) -> dict[str, SegArray]:
        """Open a SegArray in the files of a prefix; reads metadata only.

        Parameters
        ----------
        storage_options : mapping of str to value, optional
            Arguments of fsspec for URLs, such as keys or ``anon=True``.

        Returns
        -------
        dict of str to SegArray
            With one entry, as `read_hdf` gives it.
        """
        files = open_files(locale_files(absolute(prefix_path)) or absolute(prefix_path), format_named("HDF5"))
        return {dataset: from_stored(files.objects([dataset])[dataset])}

    # conversion

    def _converter(self) -> Callable[..., Any]:
        return as_arrays

    def tolist(self) -> list[list[Any]]:
        """Return the lists as lists of Python objects; computes."""
        return [row.tolist() for row in self.to_ndarray()]

    _most_shown = 2 * EDGE

    def _printed(self, items: Any) -> list[str]:
        return [_row_text(row) for row in items]

    def _listed(self, printed: Sequence[str]) -> str:
        return "\n".join(["SegArray([", *printed, "])"])


shows("list")(SegArray.of)


def _type(item: Any) -> Any:
    return item._value.dtype if isinstance(item, SegArray) else type(item).__name__


def _row_text(row: np.ndarray[Any, Any]) -> str:
    is_text = row.dtype.kind in "UOT" and any(isinstance(item, str) for item in row[:1])
    as_printed = quoted if is_text else printed_numbers
    fits = len(row) <= SHOWN
    shown = as_printed(row) if fits else [*as_printed(row[:EDGE]), GAP, *as_printed(row[-EDGE:])]
    return f"[{(', ' if is_text else ' ').join(shown)}]"


def as_arrays(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table of lists as a NumPy array of NumPy arrays."""
    lists: Any = table.columns[0]
    values: Any = values_of(lists, type_of(lists).item or INT64)
    if not isinstance(values, np.ndarray):
        is_text = type_of(values).kind == "str"
        values = np.array(to_objects(values), str if is_text else object)
    found = np.empty(table.nrows, object)
    for row, (start, stop) in enumerate(pairwise(offsets_of(lists).tolist())):
        found[row] = values[start:stop].copy()
    return found


def _nested(segments: Array, values: Array) -> Nest:
    """Cut values into the partitions of the segments, and make lists of them."""
    if segments._value.dtype.kind not in ("int", "uint") or values._value.dtype.kind == "list":
        raise ArgumentTypeError(
            "a SegArray is made of segments of int and of values that are no lists.",
            details=[f"segments: {segments._value.dtype}", f"values: {values._value.dtype}"],
        )
    flat: Any = Project(values._frame, (0,), (demanded(values._value),))
    shape = Project(segments._frame, (0,), (cast(segments._value, INT64),))
    if shape.npartitions == 1:
        # All values belong to it, whatever their number; in a loop, counting would run all earlier steps each time.
        return Nest(shape, flat if flat.npartitions == 1 else Gather(flat), (0,))
    given = row_tools.known_lengths(values._frame)
    counts = row_tools.known_lengths(segments._frame)
    bounds = _bounds(segments, counts, sum(given))
    wanted = tuple(stop - start for start, stop in pairwise(bounds))
    if min(wanted) < 0 or bounds[0]:
        raise ArgumentError(
            "the segments do not fit the values.",
            details=[f"partitions of the segments start at {bounds[:-1]} of {bounds[-1]} values"],
            hint="segments ascend from 0 to at most the number of values.",
        )
    realigned = flat if wanted == given else Realign(flat, given, wanted)
    return Nest(shape, realigned, tuple(bounds[:-1]))


def _bounds(segments: Array, counts: Sequence[int], end: int) -> list[int]:
    """Return where the values of each partition start; partitions without segments have none."""
    filled = [partition for partition, count in enumerate(counts) if count]
    first = Slice(segments._frame, tuple((partition, 0, 1, 1) for partition in filled) or ((0, 0, 0, 1),))
    starts = dict(zip(filled, segments._like(first, segments._value).tolist(), strict=True))
    bounds = [end]
    for partition in reversed(range(len(counts))):
        bounds.append(int(starts.get(partition, bounds[-1])))
    return bounds[::-1]
