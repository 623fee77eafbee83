"""`SegArray`: a lazy array of lists, each of any number of values of one type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any, Self

import numpy as np

from akdask import config
from akdask.collections.arrays.creation import array
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.scans import cumsum
from akdask.collections.core import selection as row_tools
from akdask.collections.core.array import Array, of_rows
from akdask.collections.core.display import EDGE, GAP, SHOWN, printed_numbers, quoted
from akdask.collections.core.later import provides
from akdask.collections.core.operators import combine
from akdask.collections.core.stored import from_stored
from akdask.collections.core.wrap import shows, wrap
from akdask.collections.core.writing import Path
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.lists.aggregates import ListAggregates
from akdask.collections.lists.parts import ListParts
from akdask.collections.lists.sets import ListSets
from akdask.collections.text.concatenation import concatenate
from akdask.columns import Table, to_objects, type_of
from akdask.columns.lists import offsets_of, values_of
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.missing_text import demanded
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project, Slice
from akdask.plan.expr.values import Call, Value, cast
from akdask.plan.rows.lists import Flatten, Nest
from akdask.plan.rows.segment_starts import SegmentStarts
from akdask.plan.run.alignment import align
from akdask.plan.task.combine import Gather, Realign
from akdask.schema import INT64
from akdask.storage.formats.registry import format_named, open_files
from akdask.storage.paths.files import absolute
from akdask.storage.paths.locales import locale_files
from akdask.storage.paths.remote import takes_storage_options


@provides("SegArray")
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
        If the segments do not fit the values; raised when computed where that needs the data.

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
        """Return the SegArray of stored segments and values, of which none is read before it is used."""
        if config.get("eager"):
            return cls(segments, values)
        self = cls.__new__(cls)
        self._parts = (segments, values)
        return self

    @cached_property
    def _nest(self) -> Nest:
        return _nested(*self._parts)

    # What `deferred` leaves out: an array of any other origin has attributes of these names.

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
        """Return the SegArray of segments and values; the same as the class itself."""
        return cls(segments, values, lengths, grouping)

    @classmethod
    def from_multi_array(cls, m: Sequence[Any]) -> Self:
        """Return the SegArray of a list of lists or arrays.

        Parameters
        ----------
        m : sequence of lists or of arrays, or pdarray
            All of values of one type; of a pdarray each value becomes a list of its own.

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
        """The values grouped by the lists that they are in, numbered without those that are empty; lazy."""
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
        """Tell which lists are equal to those of another SegArray, row by row; lazy."""
        return wrap(*combine("equal", [self, other])) if isinstance(other, SegArray) else NotImplemented

    def __ne__(self, other: object) -> Any:
        """Tell which lists are not equal to those of another SegArray, row by row; lazy."""
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
        """Return the lists and those of another SegArray, end to end, or row by row with ``axis=1``; see `concat`."""
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
            What fsspec needs to open URLs, such as keys or ``anon=True``.

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
        # Whatever their number is, all values belong to it.  In a loop a count would run all steps before at each.
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
