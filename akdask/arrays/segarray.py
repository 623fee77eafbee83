"""`SegArray`: a lazy array of lists, each with any number of values of one type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from akdask import config
from akdask.arrays import lists
from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import Array, of_rows, shows, wrap
from akdask.arrays.creation import array
from akdask.arrays.display import EDGE
from akdask.arrays.elementwise import combine
from akdask.arrays.families import member, reduction, shown_by
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.stored_arrays import from_stored
from akdask.arrays.text import count_of
from akdask.arrays.writing import Path
from akdask.columns.dtypes import UINT64
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentError, ArgumentTypeError, errors_end_at_caller
from akdask.operators.rows.plan import Flatten, Nest
from akdask.storage.files import absolute, takes_storage_options
from akdask.storage.locales import locale_files
from akdask.storage.registry import format_named, open_files

_OF_LISTS = """
>>> ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3])).{name}().tolist()
{of_lists}
"""

_OF_BOOLS = """
>>> ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]) > 0).{name}().tolist()
{of_lists}
"""


@shown_by(_OF_LISTS)
def _of_lists(segarray: SegArray, name: str, x: Any = None) -> Any:
    """Return {what} of each list; lazy.

    Sums and products of bools are int64, others of the type of the values; means are float64.

    Parameters
    ----------
    x : object, optional
        Accepted for compatibility with Arkouda.
    """
    return lists.reduced(segarray, name, x)


@shown_by(_OF_BOOLS)
def _truth_in_lists(segarray: SegArray, name: str, x: Any = None) -> Any:
    """Return {what} in each list of bools; lazy.

    Parameters
    ----------
    x : object, optional
        Accepted for compatibility with Arkouda.
    """
    return lists.reduced(segarray, name, x)


@shown_by(_OF_LISTS)
def _position_in_lists(segarray: SegArray, name: str, x: Any = None) -> Any:
    """Return {what} of each list, among the values of all lists; lazy.

    Parameters
    ----------
    x : object, optional
        Accepted for compatibility with Arkouda.
    """
    return lists.placed(segarray, name, x)


_OF_LISTS_BESIDE_OTHERS = """
>>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
>>> lists.{name}(ak.SegArray(ak.array([0, 1]), ak.array([4, 5]))).tolist()
{shown}
"""


@shown_by(_OF_LISTS_BESIDE_OTHERS)
def _combined(segarray: SegArray, operation: str, other: Any) -> Any:
    """Return the values that {what} of a row, each once and in ascending order."""
    return lists.combined(segarray, operation, other)


@errors_end_at_caller
class SegArray(Array):
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
    >>> s = SegArray(ak.array([0, 2, 2]), ak.array([10, 11, 12]))
    >>> s.tolist(), s.lengths.tolist()
    ([[10, 11], [], [12]], [2, 0, 1])
    >>> s[0].tolist(), s.sum().tolist()
    ([10, 11], [21, 12])
    """

    objType = "SegArray"

    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _default_dataset = "segarray"

    _is_appended = False

    _parts: tuple[Array, Array]

    _longest: int | None = None
    """The length of the longest list, if it is known when the lists are made."""

    def __init__(self, segments: Any, values: Any, lengths: Any = None, grouping: Any = None) -> None:
        if isinstance(segments, list | tuple):
            raise ArgumentTypeError(
                f"segments are a lazy array, not a {type(segments).__name__}.", hint="SegArray.from_multi_array(lists)."
            )
        if not isinstance(values, Array):
            raise ArgumentTypeError(f"values are a lazy array, not {type(values).__name__}.", hint="ak.array(…)")
        if isinstance(segments, Array) and segments._value.dtype == UINT64:
            raise ArgumentTypeError("segments are int64, not uint64.", hint="use astype(int).")
        nest = lists.nested(of_rows(array(segments)), of_rows(array(values)))
        longest = lists.check_starts(segments, values)
        super().__init__(nest, nest.lists)
        self._longest = longest

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
        return lists.nested(*self._parts)

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
        """Return the SegArray of segments and values, as the class itself does.

        Examples
        --------
        >>> ak.SegArray.from_parts(ak.array([0, 2]), ak.array([2, 4, 3])).tolist()
        [[2, 4], [3]]
        """
        return cls(segments, values, lengths, grouping)

    @classmethod
    def from_multi_array(cls, m: Sequence[Any]) -> Self:
        """Return the SegArray of a list of lists or arrays.

        Parameters
        ----------
        m : sequence of lists or of arrays, or pdarray
            All values are of one type; each value of a pdarray becomes a list of its own.

        Raises
        ------
        ArgumentError
            If arrays are of several types.

        Examples
        --------
        >>> SegArray.from_multi_array([[1, 2], [], [3]]).tolist()
        [[1, 2], [], [3]]
        """
        if isinstance(m, pdarray):
            m = [[value] for value in m.tolist()]
        types = {str(row.dtype) for row in m if isinstance(row, Array)}
        if len(types) > 1:
            raise ArgumentError("all values are of one type.", details=[f"types: {', '.join(sorted(types))}"])
        segments, values = lists.parts_of(m)
        return cls(segments, array(values))

    # parts

    @property
    def values(self) -> Any:
        """The values of all lists as a pdarray or Strings; lazy, and their number is unknown until it is counted.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.values.tolist()
        [2, 4, 3]
        """
        flat = Flatten(Project(self._frame, (0,), (self._value,)))
        return wrap(flat, flat.column(0))

    @property
    def lengths(self) -> Any:
        """The number of values in each list as int64; lazy.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.lengths.tolist()
        [2, 1]
        """
        return wrap(self._frame, lists.lengths(self))

    @property
    def segments(self) -> Any:
        """Where each list starts among the values of all, as int64; lazy.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.segments.tolist()
        [0, 2]
        """
        return lists.starts(self)

    @property
    def non_empty(self) -> Any:
        """Which lists have values; lazy.

        Examples
        --------
        >>> ak.SegArray(ak.array([0, 2]), ak.array([2, 4])).non_empty.tolist()
        [True, False]
        """
        return self.lengths > 0

    @property
    def grouping(self) -> GroupBy:
        """The values grouped by list; empty lists have no number; lazy.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.grouping.size()[1].tolist()
        [2, 1]
        """
        return GroupBy(lists.numbers_of_values(self))

    @property
    def dtype(self) -> Any:
        """Type of the values: a NumPy dtype, of integers of any size ``ak.bigint``.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.dtype
        dtype('int64')
        """
        return self.values.dtype

    @property
    def valsize(self) -> int:
        """Number of values in all lists; computes.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.valsize
        3
        """
        return int(self.lengths.sum())

    @property
    def nbytes(self) -> int:
        """Bytes of the values; computes.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.nbytes
        24
        """
        return int(self.values.nbytes)

    def _element(self, position: int) -> Any:
        return self._like(row_tools.one_row(self._frame, position), self._value).values

    # one value for each list

    # Results have a row for each list that is not empty, as in Arkouda.  So they have the rows of ``s[s.non_empty]``,
    # which are the rows of the SegArray, once counted, if no list is empty.  If `x` is given, its elements take the
    # place of the values: it has as many elements, in the same order.  NaN is left out, except in lists of nothing
    # but NaN.

    sum = reduction("sum", _of_lists)
    prod = reduction("prod", _of_lists)
    min = reduction("min", _of_lists)
    max = reduction("max", _of_lists)
    mean = reduction("mean", _of_lists)
    any = reduction("any", _truth_in_lists)
    all = reduction("all", _truth_in_lists)
    argmin = reduction("argmin", _position_in_lists)
    argmax = reduction("argmax", _position_in_lists)
    nunique = reduction("nunique", _of_lists)
    OR = reduction("OR", _of_lists)
    AND = reduction("AND", _of_lists)
    XOR = reduction("XOR", _of_lists)

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

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.aggregate("max")[1].tolist()
        [4, 3]
        """
        return lists.aggregated(self, op, x)

    def unique(self, x: Any = None) -> Any:
        """Return the distinct values of each list in ascending order; empty lists stay.

        Examples
        --------
        >>> ak.SegArray(ak.array([0, 3]), ak.array([4, 2, 4, 3])).unique().tolist()
        [[2, 4], [3]]
        """
        frame, values = lists.with_values(self, x)
        return self._like(frame, Call("list_unique", values))

    # values at some positions of the lists

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

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> values, origins = lists.get_jth(1)
        >>> values.tolist(), origins.tolist()
        ([4, 0], [True, False])
        """
        return lists.items_at(self, j, return_origins, compressed, default)

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

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> prefixes, origins = lists.get_prefixes(1)
        >>> prefixes[0].tolist(), origins.tolist()
        ([2], [True, False])
        """
        return lists.columns(self, range(n), lists.having(self, n + proper), return_origins)

    def get_suffixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """Return the last `n` values of each list that is longer than that; see `get_prefixes`.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> suffixes, origins = lists.get_suffixes(1)
        >>> suffixes[0].tolist(), origins.tolist()
        ([4], [True, False])
        """
        return lists.columns(self, range(-n, 0), lists.having(self, n + proper), return_origins)

    def get_length_n(self, n: int, return_origins: bool = True) -> Any:
        """Return the lists of `n` values, as first values, second values and so on; see `get_prefixes`.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> columns, origins = lists.get_length_n(2)
        >>> [column.tolist() for column in columns], origins.tolist()
        ([[2], [4]], [True, False])
        """
        return lists.columns(self, range(n), Call("equal", lists.lengths(self), Constant(n)), return_origins)

    def get_ngrams(self, n: int, return_origins: bool = True) -> Any:
        """Return all runs of `n` values in the lists.

        Returns
        -------
        list of pdarray, and pdarray of int64
            First values of the runs, second values and so on, and the number of the list of each run.

        Raises
        ------
        ArgumentError
            If all lists are shorter, and are known at the call; others give no runs.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> columns, origins = lists.get_ngrams(2)
        >>> [column.tolist() for column in columns], origins.tolist()
        ([[2], [4]], [0])
        """
        if self._longest is not None and count_of(n) > self._longest:
            raise ArgumentError(f"no list has {n} values.", details=[f"the longest has {self._longest}"])
        return lists.runs(self, n, return_origins)

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

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.set_jth(0, 1, 9)
        >>> lists.tolist()
        [[2, 9], [3]]
        """
        lists.assign(self, i, j, v)

    def append_single(self, x: Any, prepend: bool = False) -> Any:
        """Return lists with one more value each.

        Parameters
        ----------
        x : scalar, pdarray or Strings
            The value, or one for each list, of the type of the others.
        prepend : bool, default False
            Put it before the others.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.append_single(ak.array([7, 8])).tolist()
        [[2, 4, 7], [3, 8]]
        """
        return lists.with_one_more(self, x, prepend=bool(prepend))

    def prepend_single(self, x: Any) -> Any:
        """Return lists with one more value each, before the others; see `append_single`.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.prepend_single(ak.array([7, 8])).tolist()
        [[7, 2, 4], [8, 3]]
        """
        return self.append_single(x, prepend=True)

    # sets

    intersect = member(_combined, "intersect", "list_intersect", what="are in both lists", shown="[[4], []]")
    union = member(_combined, "union", "list_union", what="are in either list", shown="[[2, 4], [3, 5]]")
    setdiff = member(_combined, "setdiff", "list_setdiff", what="are not in the other list", shown="[[2], [3]]")
    setxor = member(_combined, "setxor", "list_setxor", what="are in just one list", shown="[[2], [3, 5]]")

    def remove_repeats(self, return_multiplicity: bool = False) -> Any:
        """Return the lists without values that equal the value before them.

        Parameters
        ----------
        return_multiplicity : bool, default False
            Return a SegArray of the number of repetitions of each value, too.

        Examples
        --------
        >>> ak.SegArray(ak.array([0, 3]), ak.array([4, 4, 2, 3])).remove_repeats().tolist()
        [[4, 2], [3]]
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

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.filter(4).tolist()
        [[2], [3]]
        """
        remaining = lists.without(self, filter)
        return remaining[remaining.non_empty] if discard_empty else remaining

    # lists as single things

    def __eq__(self, other: object) -> Any:
        """Return which lists equal the lists of another SegArray, row by row; lazy."""
        return wrap(*combine("equal", [self, other])) if isinstance(other, SegArray) else NotImplemented

    def __ne__(self, other: object) -> Any:
        """Return which lists differ from the lists of another SegArray, row by row; lazy."""
        return wrap(*combine("not_equal", [self, other])) if isinstance(other, SegArray) else NotImplemented

    def equals(self, other: Any) -> bool:
        """Whether the other SegArray has the same lists in the same order; computes.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.equals(lists.copy())
        True
        """
        if not isinstance(other, SegArray) or self.size != other.size:
            return False
        return bool((self == other).all())

    def hash(self) -> tuple[Any, Any]:
        """Return the SipHash of 128 bits of each list as two arrays of uint64; lazy.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> [part.size for part in lists.hash()]
        [2, 2]
        """
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

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> ak.SegArray.concat([lists, lists]).tolist()
        [[2, 4], [3], [2, 4], [3]]
        """
        return lists.concatenated(x, axis, ordered)

    def append(self, other: SegArray, axis: int = 0) -> SegArray:
        """Return the lists followed by another SegArray's, or joined row by row with ``axis=1``; see `concat`.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.append(lists, axis=1).tolist()
        [[2, 4, 2, 4], [3, 3]]
        """
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

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.to_hdf("lists")
        >>> ak.SegArray.read_hdf("lists", "segarray")["segarray"].tolist()
        [[2, 4], [3]]
        """
        files = open_files(locale_files(absolute(prefix_path)) or absolute(prefix_path), format_named("HDF5"))
        return {dataset: from_stored(files.objects([dataset])[dataset])}

    # conversion

    def _converter(self) -> Callable[..., Any]:
        return lists.as_arrays

    def tolist(self) -> list[list[Any]]:
        """Return the lists as lists of Python objects; computes.

        Examples
        --------
        >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
        >>> lists.tolist()
        [[2, 4], [3]]
        """
        return [row.tolist() for row in self.to_ndarray()]

    _most_shown = 2 * EDGE

    def _printed(self, items: Any) -> list[str]:
        return [lists.row_text(row) for row in items]

    def _listed(self, printed: Sequence[str]) -> str:
        return "\n".join(["SegArray([", *printed, "])"])


shows("list")(SegArray.of)
