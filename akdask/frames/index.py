"""`Index` and `MultiIndex`: the labels of rows, of one level or of several."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import reduce
from inspect import isfunction
from typing import TYPE_CHECKING, Any, Self

import dask
import numpy as np

from akdask.arrays.array import Array, Labelled, of_rows, unlabelled
from akdask.arrays.elementwise import cast, where
from akdask.arrays.families import shown_as
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.arrays.writable import Writable
from akdask.deferred import is_pandas, pd
from akdask.engine.alignment import align
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    CallError,
    UnfitArgumentError,
    UnsupportedError,
    errors_end_at_caller,
)
from akdask.frames.columnset import ColumnSet
from akdask.storage.objects import LEVEL, ObjType

if TYPE_CHECKING:
    from akdask.arrays.writing import Storable

MEMORY_UNITS = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


def convert_bytes(nbytes: int, unit: str = "B") -> int | float:
    """Return a number of bytes in another unit: ``B``, ``KB``, ``MB`` or ``GB``, of 1024 each.

    Raises
    ------
    ArgumentError
        If there is no such unit.

    Examples
    --------
    >>> convert_bytes(3 * 2**20, "MB")
    3.0
    """
    if unit not in MEMORY_UNITS:
        raise ArgumentError(f"memory is measured in {', '.join(MEMORY_UNITS)}, not {unit!r}.")
    return nbytes if unit == "B" else nbytes / MEMORY_UNITS[unit]


INFERRED = {"int": "integer", "uint": "integer", "bigint": "integer", "float": "floating", "bool": "boolean"}
INFERRED |= {"str": "string"}
"""Names that pandas has for kinds of labels, by the kind of their type."""


def as_labels(given: Any) -> Any:
    """Convert labels to an array; raises unless they are an array or a sequence."""
    from akdask.arrays.categorical import Categorical
    from akdask.arrays.creation import array

    if isinstance(given, Array):
        return of_rows(given).copy()  # Later assignments to the given array do not change labels.
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise ArgumentTypeError(f"labels are an array or a sequence, not {type(given).__name__}.")
    if is_pandas(getattr(given, "dtype", None), "CategoricalDtype"):
        return Categorical(given)
    return of_rows(array(given))


def converted(labels: Any, dtype: Any) -> Any:
    """Convert labels to a type, or by a function that makes an array of one."""
    makes = isfunction(dtype) or (isinstance(dtype, type) and issubclass(dtype, Array))
    return dtype(labels) if makes else cast(labels, dtype)


def check_na_position(given: str) -> None:
    """Refuse to put missing labels anywhere but last."""
    if given == "first":
        raise UnsupportedError("na_position='first': missing labels of several levels come last.")
    if given != "last":
        raise ArgumentError(f"na_position={given!r} is neither 'last' nor 'first'.")


def present_labels(labels: Any) -> Any:
    """Return which labels are not missing, as a lazy bool array."""
    from akdask.frames.missing import present

    columns = ColumnSet.of({"labels": labels})
    return pdarray(columns.frame, present(columns, "labels"))


def for_pandas(labels: Any) -> Any:
    """Return labels as pandas has them: text as objects."""
    found = labels.to_pandas() if hasattr(labels, "to_pandas") else labels.to_ndarray()
    return found.astype(object) if isinstance(found, np.ndarray) and found.dtype.kind == "U" else found


_shown_by_labels = shown_as("index = ak.Index(ak.array([3, 1, 2]))", "index.{name}")


@errors_end_at_caller
class Index(Labelled, Writable):
    """Labels of rows: an array with the name of index.

    Parameters
    ----------
    values : pdarray, Strings, Categorical, Index or data at hand
        The labels.
    name : str, optional
        Name of the labels.
    allow_list : bool, default False
        Leave a list as `values`; otherwise it becomes an array.  Positions that put it in order are a list as well.
    max_list_size : int, default 1000
        Most labels that a list may have with `allow_list`.

    Raises
    ------
    ArgumentTypeError
        If the labels are no array or sequence.
    ArgumentError
        If there are too many for `allow_list`.

    Examples
    --------
    >>> Index(ak.array([3, 1, 2]))[1:].tolist()
    [1, 2]
    """

    objType = "Index"

    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _default_dataset = "index"

    name: Any
    _labels: Any
    _list: list[Hashable] | None

    # construction

    def __init__(self, values: Any, name: Hashable = None, allow_list: bool = False, max_list_size: int = 1000) -> None:
        if allow_list and isinstance(values, list) and len(values) > max_list_size:
            raise ArgumentError(f"{len(values)} labels are more than the max_list_size of {max_list_size}.")
        if allow_list and isinstance(values, list) and len({type(item) for item in values}) > 1:
            kinds = sorted({type(item).__name__ for item in values})
            raise UnfitArgumentError("the labels of a list are of one type.", details=[f"given: {', '.join(kinds)}"])
        given: Any = values.values if isinstance(values, Index) else unlabelled(values)
        self._labels: Any = as_labels(given)
        self._list = list(values) if allow_list and isinstance(values, list) else None
        self.name: Any = getattr(values, "name", None) if name is None and not isinstance(values, Array) else name

    @staticmethod
    def factory(index: Any) -> Index:
        """Return the labels as a `MultiIndex` if they have several levels, else as an `Index`.

        Examples
        --------
        >>> ak.Index.factory(ak.array([3, 1])).tolist()
        [3, 1]
        """
        several = (
            isinstance(index, MultiIndex)
            or is_pandas(index, "MultiIndex")
            or (isinstance(index, list | tuple) and any(isinstance(level, Array | Index) for level in index))
        )
        return MultiIndex(index) if several else Index(index)

    def persist(self) -> Index:
        """Return the index with its labels computed and kept in memory, on the workers of a cluster.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.persist().tolist()
        [3, 1, 2]
        """
        return Index(self._labels.persist(), self.name)

    def _refuse_list(self, name: str) -> None:
        if self._list is not None:
            raise ArgumentTypeError(
                f"{name}: labels that are a list are of this process.", hint="make an Index of an array."
            )

    def register(self, user_defined_name: str) -> Self:
        """Give the labels a name, by which `attach` finds them again; labels that are a list are refused.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1])).register("labels")
        >>> ak.attach("labels").tolist()
        [3, 1]
        >>> index.unregister()
        """
        self._refuse_list("register")
        return super().register(user_defined_name)

    def _write(self, *args: Any, **kwargs: Any) -> None:
        self._refuse_list("writing")
        super()._write(*args, **kwargs)

    # attributes

    @property
    @_shown_by_labels("array([3 1 2])")
    def values(self) -> Any:
        """The labels: an array, or the list that `allow_list` has left."""
        return self._labels if self._list is None else self._list

    @property
    @_shown_by_labels("array([3 1 2])")
    def index(self) -> Any:
        """The labels: the older name of `values`."""
        return self.values

    @property
    @_shown_by_labels("dtype('int64')")
    def dtype(self) -> Any:
        """Type of the labels."""
        return self._labels.dtype

    @property
    @_shown_by_labels("3")
    def size(self) -> int:
        """Number of labels; counts them, once, where a filter has left that open."""
        return int(self._labels.size)

    @property
    @_shown_by_labels("1")
    def nlevels(self) -> int:
        """Number of levels."""
        return 1

    @property
    def names(self) -> list[Any]:
        """Names of the levels.

        Examples
        --------
        >>> ak.Index(ak.array([3, 1]), name="port").names
        ['port']
        """
        return [self.name]

    @property
    @_shown_by_labels("'integer'")
    def inferred_type(self) -> str:
        """The type of the labels, as pandas names it."""
        from akdask.arrays.categorical import Categorical

        if isinstance(self._labels, Categorical):
            return "categorical"
        return INFERRED[self._labels._value.dtype.kind]

    @property
    @_shown_by_labels("True")
    def is_unique(self) -> bool:
        """Whether no label occurs twice; computes."""
        from akdask.arrays.categorical import Categorical

        labels = self._labels.codes if isinstance(self._labels, Categorical) else self._labels
        return bool(labels.nunique() == self.size)

    @property
    @_shown_by_labels("24")
    def nbytes(self) -> int:
        """Bytes of all labels; counts rows if their number is unknown, and computes to measure strings."""
        return sum(level.nbytes for level in self._levels)

    def memory_usage(self, unit: str = "B") -> int | float:
        """Return how much memory the labels take when they are in memory, in bytes as an int; computes for text.

        Parameters
        ----------
        unit : {"B", "KB", "MB", "GB"}
            The unit.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.memory_usage()
        24
        """
        return convert_bytes(self.nbytes, unit)

    @property
    def rows(self) -> Any:
        """The row space of the labels."""
        return self._levels[0].rows

    @property
    def _levels(self) -> list[Any]:
        return [self._labels]

    # selection

    def __getitem__(self, key: Any) -> Any:
        """Return one label, or the labels of chosen rows as an `Index`; see `pdarray.__getitem__`."""
        found = self._labels[key.values if isinstance(key, Index) else key]
        if not isinstance(found, Array):
            return found
        return Index(found.tolist(), self.name, allow_list=True) if self._list else Index(found, self.name)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the labels; computes them all."""
        return iter(self._labels)

    def lookup(self, key: Any) -> pdarray:
        """Return which labels are the given one, or among some given ones; lazy bool array.

        Raises
        ------
        ArgumentTypeError
            If several labels are no lazy array.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.lookup(ak.array([1, 2])).tolist()
        [False, True, True]
        """
        if isinstance(key, list | tuple | np.ndarray):
            raise ArgumentTypeError(f"several labels are looked up as a lazy array, not as a {type(key).__name__}.")
        return self._having(key)

    def _having(self, key: Any) -> pdarray:
        """Return which labels are the given one, or among some given ones; lazy bool array."""
        key = key.values if isinstance(key, Index) else key
        if isinstance(key, Array):
            from akdask.arrays.setops import contained

            return contained(self._labels, key)
        matches = [self._labels == one for one in (key if isinstance(key, list | tuple | np.ndarray) else [key])]
        return reduce(operator.or_, matches) if matches else self._labels != self._labels

    # comparison and arithmetic

    def __eq__(self, other: object) -> Any:
        """Return where labels are equal; lazy bool array."""
        return self._labels == (other.values if isinstance(other, Index) else other)

    def __ne__(self, other: object) -> Any:
        """Return where labels are not equal; lazy bool array."""
        equal = self == other
        return ~equal if isinstance(equal, Array) else equal

    def equals(self, other: Any) -> Any:
        """Whether the other index has the same labels in the same order; computes.

        Raises
        ------
        ArgumentTypeError
            If it is no index.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.equals(ak.Index(ak.array([3, 1, 2])))
        np.True_
        """
        demand_index("compared", other)
        return not isinstance(other, MultiIndex) and self._labels.equals(other._labels)

    def __add__(self, other: Any) -> Any:
        """Return the labels and a number, span or offset of pandas added to each; lazy."""
        return NotImplemented if isinstance(self, MultiIndex) else Index(self._labels + unlabelled(other), self.name)

    def __sub__(self, other: Any) -> Any:
        """Return the labels less a number, span or offset of pandas; lazy."""
        return NotImplemented if isinstance(self, MultiIndex) else Index(self._labels - unlabelled(other), self.name)

    # conversion

    def map(self, arg: Any) -> Index:
        """Return the labels with some replaced by others; lazy.

        Parameters
        ----------
        arg : dict or Series
            New labels by old ones, all of them numbers or all of them text.

        Returns
        -------
        Index
            Of Strings if the labels were a Categorical.  Labels that are not in the dict stay as they are.  If numbers
            become text, or text numbers, they become ``"null"`` or NaN.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.map({1: "a", 2: "b", 3: "c"}).tolist()
        ['c', 'a', 'b']
        """
        return _mapped(self, arg)

    def set_dtype(self, dtype: Any) -> Self:
        """Convert the labels to a type, or by a function such as `ip_address`; returns the index itself.  Lazy.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.set_dtype(ak.float64).tolist()
        [3.0, 1.0, 2.0]
        """
        self._labels, self._list = converted(self._labels, dtype), None
        return self

    def concat(self, other: Index) -> Index:
        """Append the labels of another index; lazy.

        Raises
        ------
        ArgumentTypeError
            If it is no index, or has several levels.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.concat(ak.Index(ak.array([9]))).tolist()
        [3, 1, 2, 9]
        """
        demand_index("joined", other)
        if isinstance(other, MultiIndex):
            raise ArgumentTypeError("labels of one level are not joined with labels of several.")
        from akdask.arrays.shapes import chained

        return Index(chained([self._labels, other._labels]), self.name)

    # order

    def argsort(self, ascending: bool = True) -> Any:
        """Return the positions that put the labels in order, as int64; lazy, but for a list.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.argsort().tolist()
        [1, 2, 0]
        """
        from akdask.arrays.sorting import argsort

        positions = argsort(self._labels, ascending=ascending)
        return positions if self._list is None else positions.tolist()

    def sort_values(self, return_indexer: bool = False, ascending: bool = True, na_position: str = "last") -> Any:
        """Return the labels in order; lazy.

        Parameters
        ----------
        return_indexer : bool
            Return the positions that put them in order as well.
        ascending : bool, default True
            The direction.
        na_position : {"last", "first"}
            Where missing labels go, in both directions.

        Returns
        -------
        Index, or Index and pdarray

        Raises
        ------
        ArgumentError
            If `na_position` is something else.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.sort_values().tolist()
        [1, 2, 3]
        """
        return _sorted(self, return_indexer, ascending, na_position)

    # times

    def shift(self, periods: int = 1, freq: Any = None) -> Index:
        """Return labels that are times, moved by a number of steps of a frequency; lazy.

        Raises
        ------
        ArgumentTypeError
            If the labels are no times, or `freq` is none.
        ArgumentError
            If pandas refuses `freq`.

        Examples
        --------
        >>> index = ak.Index(ak.Datetime(["2024-01-01"]))
        >>> index.shift(2, "D").to_pandas()[0]
        Timestamp('2024-01-03 00:00:00')
        """
        from akdask.arrays.timearray import TimeArray

        if not isinstance(self._labels, TimeArray):
            raise ArgumentTypeError(f"labels that are times are shifted, not {self._labels._type_name()}.")
        from akdask.arrays.calendar import frequency_of

        offset = frequency_of(freq, asked="shift").offset
        return Index(self._labels + offset * periods, self.name)

    @property
    def tz(self) -> str | None:
        """The zone of labels that are times, None without one.

        Examples
        --------
        >>> ak.Index(ak.Datetime(["2024-07-01"]).tz_localize("Europe/Berlin")).tz
        'Europe/Berlin'
        """
        return self._times("tz").tz

    def tz_convert(self, tz: Any) -> Index:
        """Return labels that are times as the clocks of another zone show them; see `Datetime.tz_convert`.  Lazy.

        Examples
        --------
        >>> index = ak.Index(ak.Datetime(["2024-07-01"]).tz_localize("UTC"))
        >>> index.tz_convert("Europe/Berlin").to_pandas()[0]
        Timestamp('2024-07-01 02:00:00+0200', tz='Europe/Berlin')
        """
        return Index(self._times("tz_convert").tz_convert(tz), self.name)

    def tz_localize(self, tz: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Index:
        """Return the times at which the clocks of a zone show the labels; see `Datetime.tz_localize`.  Lazy.

        Examples
        --------
        >>> ak.Index(ak.Datetime(["2024-07-01"])).tz_localize("Europe/Berlin").to_pandas()[0]
        Timestamp('2024-07-01 00:00:00+0200', tz='Europe/Berlin')
        """
        return Index(self._times("tz_localize").tz_localize(tz, ambiguous, nonexistent), self.name)

    def _times(self, asked: str) -> Any:
        from akdask.arrays.datetimes import Datetime

        if not isinstance(self._labels, Datetime):
            raise ArgumentTypeError(f"{asked} is for labels that are times, not for {self._labels._type_name()}.")
        return self._labels

    if not TYPE_CHECKING:  # by this method, every misspelt name would be one for type checkers

        def __getattr__(self, name: str) -> Any:
            """Return a field of labels that are times, or a method of theirs that has a label for each: as an Index."""
            from akdask.arrays.datetimes import Datetime
            from akdask.arrays.missing_attributes import missing_attribute
            from akdask.arrays.timearray import TimeArray

            labels = self.__dict__.get("_labels")
            if name.startswith("_") or not isinstance(labels, TimeArray) or not hasattr(Datetime, name):
                raise missing_attribute(type(self), name)
            return self._of_times(getattr(labels, name))

    def _of_times(self, found: Any) -> Any:
        if callable(found):
            return lambda *args, **kwargs: self._of_times(found(*args, **kwargs))
        return Index(found, self.name) if isinstance(found, Array) and found.rows.same_rows(self.rows) else found

    # export

    def to_pandas(self) -> pd.Index:
        """Return the labels as a pandas Index; computes.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.to_pandas()
        Index([3, 1, 2], dtype='int64')
        """
        return pd.Index(for_pandas(self._labels), name=self.name)

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the labels as a NumPy array; computes.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.to_ndarray()
        array([3, 1, 2])
        """
        return np.asarray(self._labels.to_ndarray())

    def to_dict(self, label: str | list[str] | None = None) -> dict[Any, Array]:
        """Return the labels by a name, the first if there are several, and ``idx`` without one.

        Examples
        --------
        >>> index = ak.Index(ak.array([3, 1, 2]))
        >>> index.to_dict("port")["port"].tolist()
        [3, 1, 2]
        """
        if isinstance(label, list):
            label = label[0]
        return {"idx" if label is None else label: self.values.copy()}

    def _storable(self) -> Storable:
        from akdask.arrays.writing import Storable

        levels = [level._storable().as_inner() for level in self._levels]
        kind = ObjType.INDEX if len(levels) == 1 else ObjType.MULTIINDEX
        children = {f"{LEVEL}{number}": level for number, level in enumerate(levels)}
        return Storable(kind, levels[0].frame, children=children)

    # display

    def __repr__(self) -> str:
        return f"Index({self.values!r}, dtype={str(self.dtype)!r})"

    def _repr_html_(self) -> str:
        from akdask.arrays.display import html_of_columns

        names = (
            []
            if all(name is None for name in self.names)
            else ["" if name is None else str(name) for name in self.names]
        )
        return html_of_columns(self._title(), self._levels, names)

    def _title(self) -> str:
        from akdask.arrays.display import counted

        names = ", ".join(repr(name) for name in self.names if name is not None)
        return f"{type(self).__name__} {names}".rstrip() + f": {counted(self._levels[0].rows, 'label')}"


_shown_by_levels = shown_as(
    'index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])', "index.{name}"
)


@errors_end_at_caller
class MultiIndex(Index):
    """Labels of rows that have several levels.

    Parameters
    ----------
    data : sequence of arrays, or pandas.MultiIndex
        The levels: for each a label a row.
    name : str, optional
        Name of the labels.
    names : sequence of str, optional
        Names of the levels.

    Raises
    ------
    AlignmentError
        If the levels do not share rows.

    Examples
    --------
    >>> index = MultiIndex([ak.array([1, 1, 2]), ak.array(["a", "b", "a"])], names=["n", "s"])
    >>> index.lookup((1, "b")).tolist(), index.get_level_values("s").tolist()
    ([False, True, False], ['a', 'b', 'a'])
    """

    objType = "MultiIndex"

    def __init__(self, data: Any, name: str | None = None, names: Sequence[Any] | None = None) -> None:
        if is_pandas(data, "MultiIndex"):
            names = data.names if names is None else names
            data = [data.get_level_values(number) for number in range(data.nlevels)]
        if isinstance(data, MultiIndex):
            names = data.names if names is None else names
            data = data.levels
        if not isinstance(data, list | tuple) or not data:
            raise ArgumentTypeError("a MultiIndex is made of a list of at least one level.")
        given = [item.name if isinstance(item, Index) else None for item in data]
        self._names = list(names) if names is not None else given
        if len(self._names) != len(data):
            raise ArgumentError(f"{len(data)} levels need as many names, got {len(self._names)}.")
        levels = [as_labels(item.values if isinstance(item, Index) else item) for item in data]
        frame, values = align("make a MultiIndex", [(level._frame, level._value) for level in levels])
        self.levels: list[Any] = [level._like(frame, value) for level, value in zip(levels, values, strict=True)]
        self.name, self._list = name, None

    def persist(self) -> MultiIndex:
        """Return the index with its levels computed together and kept in memory, on the workers of a cluster.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.persist().size
        3
        """
        return MultiIndex(dask.persist(*self.levels), self.name, self.names)

    @property
    def values(self) -> list[Any]:
        """The levels.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> [level.tolist() for level in index.values]
        [[2, 1, 1], ['b', 'a', 'b']]
        """
        return self.levels

    @property
    def index(self) -> list[Any]:
        """The levels.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> [level.tolist() for level in index.index]
        [[2, 1, 1], ['b', 'a', 'b']]
        """
        return self.levels

    @property
    @_shown_by_levels("['x', 'y']")
    def names(self) -> list[Any]:
        """Names of the levels."""
        return list(self._names)

    @property
    @_shown_by_levels("2")
    def nlevels(self) -> int:
        """Number of levels."""
        return len(self.levels)

    @property
    @_shown_by_levels("3")
    def size(self) -> int:
        """Number of rows; counts them, once, where a filter has left that open."""
        return int(self.levels[0].size)

    @property
    @_shown_by_levels("dtype('O')")
    def dtype(self) -> Any:
        """``dtype('O')``: labels are tuples."""
        return np.dtype(object)

    @property
    @_shown_by_levels("'mixed'")
    def inferred_type(self) -> str:
        """Always ``mixed``."""
        return "mixed"

    @property
    @_shown_by_levels("True")
    def is_unique(self) -> bool:
        """Whether no combination of labels occurs twice; computes."""
        return bool(self.to_pandas().is_unique)

    @property
    def _levels(self) -> list[Any]:
        return self.levels

    def get_level_values(self, level: Any) -> Index:
        """Return one level, by its number or name, as an `Index`.

        Raises
        ------
        ArgumentError
            If there is none.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.get_level_values("y").tolist()
        ['b', 'a', 'b']
        """
        number = self._names.index(level) if level in self._names else level
        if not isinstance(number, int) or not -self.nlevels <= number < self.nlevels:
            raise CallError(f"there is no level {level!r}.", details=[f"levels: {self._names}"])
        return Index(self.levels[number], self._names[number])

    def equal_levels(self, other: MultiIndex) -> bool:
        """Whether the other index has as many levels with the same labels; computes.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.equal_levels(index)
        True
        """
        return self.nlevels == other.nlevels and all(
            type(own) is type(its) and own.equals(its) for own, its in zip(self.levels, other._levels, strict=True)
        )

    def equals(self, other: Any) -> bool:
        """Whether the other index has the same labels in the same order; computes.  See `Index.equals`.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.equals(index)
        True
        """
        demand_index("compared", other)
        return isinstance(other, MultiIndex) and self.equal_levels(other)

    def lookup(self, key: Any) -> pdarray:
        """Return which rows have the labels of a tuple; lazy bool array.

        Parameters
        ----------
        key : tuple or list
            A label or a list of labels for each level; or one array for each level, whose rows are looked up.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.lookup([1, "a"]).tolist()
        [False, True, False]
        """
        if not isinstance(key, list | tuple) or len(key) != self.nlevels:
            raise UnfitArgumentError(f"rows are looked up by a tuple of {self.nlevels} labels.")
        if all(isinstance(one, Array) for one in key):
            from akdask.arrays.setops import contained

            return contained(self.levels, list(key))
        if any(isinstance(one, Array) for one in key):
            raise ArgumentTypeError(
                "rows are looked up by a label of each level, or by an array for each, not by both."
            )
        matches = [Index(level)._having(one) for level, one in zip(self.levels, key, strict=True)]
        return reduce(operator.and_, matches)

    def _having(self, key: Any) -> pdarray:
        return self.lookup(key)

    def map(self, arg: Mapping[Any, Any]) -> Index:
        """Refuse: labels of several levels are not mapped.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.map({})
        Traceback (most recent call last):
            ...
        akdask.errors.ArgumentTypeError: labels of several levels cannot be mapped. ...
        """
        raise ArgumentTypeError("labels of several levels cannot be mapped.", hint="map one level.")

    def concat(self, other: Index) -> MultiIndex:
        """Append the labels of another index of as many levels; lazy.  See `Index.concat`.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.concat(index).size
        6
        """
        demand_index("joined", other)
        from akdask.arrays.shapes import chained

        levels = [chained(pair) for pair in zip(self.levels, MultiIndex(other).levels, strict=True)]
        return MultiIndex(levels, self.name, self._names)

    def argsort(self, ascending: bool = True) -> Any:
        """Return the positions that put the rows in order, by the first level first, as int64; lazy.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.argsort().tolist()
        [1, 2, 0]
        """
        from akdask.arrays.sorting import coargsort

        return coargsort(self.levels, ascending=ascending)

    def sort_values(self, return_indexer: bool = False, ascending: bool = True, na_position: str = "last") -> Any:
        """Return the rows in order, by the first level first; see `Index.sort_values`.  Lazy.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> [level.tolist() for level in index.sort_values().levels]
        [[1, 1, 2], ['a', 'b', 'b']]
        """
        check_na_position(na_position)
        positions = self.argsort(ascending)
        return (self[positions], positions) if return_indexer else self[positions]

    def set_dtype(self, dtype: Any) -> Self:
        """Convert all levels to a type, or by a function; returns the index itself.  Lazy.

        Examples
        --------
        >>> ak.MultiIndex([ak.array([1, 2]), ak.array([3, 4])]).set_dtype(ak.float64).levels[0].tolist()
        [1.0, 2.0]
        """
        self.levels = [converted(level, dtype) for level in self.levels]
        return self

    def __getitem__(self, key: Any) -> Any:
        """Return one tuple of labels, or the labels of several rows as a `MultiIndex`; see `pdarray.__getitem__`."""
        found = [level[key] for level in self.levels]
        return MultiIndex(found, self.name, self._names) if isinstance(found[0], Array) else tuple(found)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over tuples of labels; computes them all."""
        return iter(self.to_pandas())

    def __eq__(self, other: object) -> Any:
        """Return where all labels are equal; lazy bool array."""
        if not isinstance(other, Index | list | tuple):
            raise ArgumentTypeError(f"labels of several levels are not compared with one {type(other).__name__}.")
        its = other._levels if isinstance(other, Index) else list(other)
        if len(its) != self.nlevels:
            raise ArgumentTypeError(f"labels of {self.nlevels} levels are not compared with those of {len(its)}.")
        return reduce(operator.and_, [a == b for a, b in zip(self.levels, its, strict=True)])

    def to_dict(self, labels: Sequence[str] | None = None) -> dict[Any, Array]:
        """Return the levels by given names, or by ``idx_0``, ``idx_1`` and so on.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.to_dict()["idx_1"].tolist()
        ['b', 'a', 'b']
        """
        names = labels or [f"idx_{number}" for number in range(self.nlevels)]
        return dict(zip(names, [level.copy() for level in self.levels], strict=True))

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the labels as a NumPy array of tuples; computes.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.to_ndarray()
        array([(2, 'b'), (1, 'a'), (1, 'b')], dtype=object)
        """
        return np.asarray(self.to_pandas().to_numpy())

    def to_pandas(self) -> pd.MultiIndex:
        """Return the labels as a pandas MultiIndex; computes.

        Examples
        --------
        >>> index = ak.MultiIndex([ak.array([2, 1, 1]), ak.array(["b", "a", "b"])], names=["x", "y"])
        >>> index.to_pandas().tolist()
        [(2, 'b'), (1, 'a'), (1, 'b')]
        """
        return pd.MultiIndex.from_arrays([for_pandas(level) for level in self.levels], names=self._names)

    def __repr__(self) -> str:
        return f"MultiIndex({self.levels!r})"


def demand_index(what: str, other: Any) -> None:
    """Refuse anything but an index.

    Raises
    ------
    ArgumentTypeError
        If `other` is something else.
    """
    if not isinstance(other, Index):
        raise ArgumentTypeError(
            f"labels are {what} with those of an Index, not with a {type(other).__name__}.",
            hint="make one with ak.Index(…).",
        )


def _mapped(index: Index, arg: Any) -> Index:
    from akdask.arrays.categorical import Categorical

    series: Any = arg
    if isinstance(arg, Labelled) and not isinstance(arg, Index):
        arg = series.to_pandas()
    if not (is_pandas(arg, "Series") or isinstance(arg, Mapping)):
        raise ArgumentTypeError(f"labels are mapped by a dict, not by {type(arg).__name__}.")
    news = dict(arg.items())
    to_text = {isinstance(new, str) for new in news.values()}
    if len(to_text) > 1:
        raise ArgumentTypeError("labels become all numbers or all text.", details=[f"given: {news!r:.100}"])
    given = index._labels.to_strings() if isinstance(index._labels, Categorical) else index._labels
    found = given if to_text <= {isinstance(given, Strings)} else "null" if True in to_text else np.nan
    for old, new in news.items():
        found = where(given == old, new, found)
    return Index(found, index.name)


def _sorted(index: Index, return_indexer: bool, ascending: bool, na_position: str) -> Any:
    from akdask.arrays.sorting import coargsort, in_order, reversed_positions

    if na_position != "first":
        check_na_position(na_position)
    labels = index._labels
    if not (return_indexer or na_position == "first" or index._list is not None):
        return Index(in_order(labels, ascending=ascending), index.name)
    if not ascending:
        positions = reversed_positions([labels], missing_first=na_position == "first")
    elif na_position == "first":
        positions = coargsort([present_labels(labels), labels])
    else:
        positions = index.argsort()
    if index._list is not None:
        positions = positions if isinstance(positions, list) else positions.tolist()
        ordered = Index([index._list[at] for at in positions], index.name, allow_list=True)
    else:
        ordered = Index(labels[positions], index.name)
    return (ordered, positions) if return_indexer else ordered
