"""The base classes of lazy objects and of one-dimensional arrays, and how values become users' objects.

Each kind of array registers for the types that it shows, or for the NumPy dtypes that it is made from.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload
from weakref import WeakValueDictionary

import numpy as np
from dask.base import DaskMethodsMixin

from akdask import config
from akdask.arrays import row_selection as row_tools
from akdask.arrays.rules import ARKOUDA, Rules
from akdask.arrays.writable import Writable, facts_of_array, written
from akdask.columns.arrow import nulls_for_nan
from akdask.columns.dtypes import Kind
from akdask.columns.table import Table
from akdask.deferred import compliant, is_na, is_pandas, pa, registered
from akdask.engine.alignment import Limit
from akdask.engine.cache import within_rounds
from akdask.engine.node import Frame, RowSpace
from akdask.engine.rowwise import SELECTIONS, Project, column_identity
from akdask.engine.run import CollectionRows, Root, partitions_in_memory, resolve_lengths, run
from akdask.engine.sources import Literal, Persisted, as_column, integers_apart, literal, literal_table, without_mask
from akdask.engine.values import ResidentColumn, Value, as_floats, token, with_missing
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    AxisError,
    UnfitArgumentError,
    UnsupportedError,
    errors_end_at_caller,
)
from akdask.typing import Column

if TYPE_CHECKING:
    from akdask.arrays.writing import Storable
    from akdask.engine.explain import Explanation, Profile

SHOWN = 100
"""How many elements an array may have that is shown whole: Arkouda's ``pdarrayIterThresh``."""

GAP = "..."


@errors_end_at_caller
class Collection(Root, DaskMethodsMixin):
    """A lazy object: a plan, and the means to run it.

    Works with ``dask.compute``, ``dask.persist``, ``dask.visualize`` and with the methods of a distributed `Client`.
    """

    _rules: ClassVar[Rules] = ARKOUDA

    @property
    def dask(self) -> Mapping[Any, Any]:
        """The task graph; building it reads nothing.

        Examples
        --------
        >>> len(ak.array([3, 1]).dask) > 0
        True
        """
        return self.__dask_graph__()

    def __dask_postcompute__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        raise NotImplementedError

    def __dask_postpersist__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        raise NotImplementedError

    def compute(self, **options: Any) -> Any:
        """Return the values in the memory of this process, of the type that NumPy or pandas has for them.

        Parameters
        ----------
        **options
            As ``dask.compute`` takes them.

        Examples
        --------
        >>> (ak.arange(3) ** 2).compute()
        array([0, 1, 4])
        """
        # Without `dask.compute`, which imports `distributed` to find that there is no client.
        return super().compute(**options) if options else run(self.expr)[0]

    def persist(self, **options: Any) -> Self:
        """Return the object with its rows computed and kept in memory, on the workers of a cluster.

        In this process, results take at most about half of its memory, the setting ``memory_limit``; beyond it the
        oldest partitions wait on disk, until the object is gone.

        Parameters
        ----------
        **options
            As ``dask.persist`` takes them.

        Examples
        --------
        >>> squares = (ak.arange(5) ** 2).persist()
        >>> squares.sum()
        np.int64(30)
        """
        # Without `dask.persist`, whose overhead takes as long as planning does.
        found = None if options else partitions_in_memory(self.expr)
        if found is None:
            return super().persist(**options)
        rebuild, state = self.__dask_postpersist__()
        return rebuild(found, *state)

    def explain(self) -> Explanation:
        """Return the plan before and after optimisation; nothing is computed.

        Examples
        --------
        >>> print(ak.array([3, 1, 3]).sum().explain())
        As written
          Aggregate sum(values)
            Rows in memory  1 partition, lengths (3)
        As it will run
          combine partial results  1 task
            go through rows  1 task, 3 rows
              reduce sum(values)
              rows in memory  1 partition
        """
        from akdask.engine.explain import explain

        return explain(self.expr)

    def profile(self) -> Profile:
        """Compute the object, and return its plan with the cost of each step; ``.result`` is the value.

        Examples
        --------
        >>> taken = ak.arange(10).sum().profile()
        >>> int(taken.result), taken.seconds < 60
        (45, True)
        """
        from akdask.engine.explain import profile

        return profile(self.expr)


@errors_end_at_caller
class OneAxis:
    """What has elements on one axis: an array, labels, or an array with labels."""

    @property
    def size(self) -> int:
        """Number of elements."""
        raise NotImplementedError

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array; computes."""
        raise NotImplementedError

    def tolist(self) -> list[Any]:
        """Return the elements as a list of Python objects; computes.

        Examples
        --------
        >>> ak.array(["b", "a"]).tolist()
        ['b', 'a']
        """
        return self.to_ndarray().tolist()

    @property
    def shape(self) -> tuple[int]:
        """``(size,)``.

        Examples
        --------
        >>> ak.array([3, 1, 3]).shape
        (3,)
        """
        return (self.size,)

    @property
    def ndim(self) -> int:
        """Always 1.

        Examples
        --------
        >>> ak.Series([3, 1, 3]).ndim
        1
        """
        return 1

    def __len__(self) -> int:
        return self.size

    def to_list(self) -> list[Any]:
        """Return the elements as a list, as `tolist` does: the name of older Arkouda releases.  Computes.

        Examples
        --------
        >>> ak.array([3, 1]).to_list()
        [3, 1]
        """
        return self.tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.to_ndarray(), dtype=dtype)

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array; pandas uses this name, and Matplotlib looks for it.  Computes.

        Parameters
        ----------
        dtype : dtype-like, optional
            Type to convert to.
        copy : bool
            Accepted for compatibility with pandas; the array is the caller's in any case.

        Examples
        --------
        >>> ak.array([3, 1, 3]).to_numpy()
        array([3, 1, 3])
        """
        return np.asarray(self, dtype=dtype)


class Labelled(OneAxis):
    """An array with labels, or the labels themselves, such as a `Series` or an `Index`; operations take its array."""

    values: Any
    """The array; of a `MultiIndex` the list of its levels."""


def unlabelled(item: Any) -> Any:
    """Return the array of an item that has labels, and any other item as it is."""
    item = of_house(item)
    return item.values if isinstance(item, Labelled) else item


def of_house(item: Any) -> Any:
    """Return a frame or Series of pandas' face as one of Arkouda's, and any other item as it is."""
    convert = getattr(type(item), "_as_house", None)
    return item if convert is None else convert(item)


def at_hand(array: Array) -> np.ndarray[Any, Any] | None:
    """Return the elements of an array that was made from memory; None if they are still to be read or computed.

    What a call promises about values can be checked at the call then, as a server does.
    """
    return array.to_ndarray() if type(array._frame) is Literal else None


@errors_end_at_caller
class Array(OneAxis, Writable, Collection):
    """A lazy column: a value on the rows of a frame."""

    _most_shown: ClassVar[int] = SHOWN
    _separator: ClassVar[str] = " "
    _gap: ClassVar[str] = GAP
    flags_missing: ClassVar[bool] = False
    """Whether missing elements are marked beside the numbers of the others, which stand for something else."""

    _frame: Frame
    _value: Value

    def __init__(self, frame: Frame, value: Value) -> None:
        if not isinstance(frame, Frame):
            raise UnfitArgumentError(
                f"{type(self).__name__} is not made of {type(frame).__name__}.", hint="ak.array(…) makes it of data."
            )
        self._frame, (self._value,) = within_rounds(frame, (value,))
        if config.get("eager"):
            self._frame, self._value = computed(self._frame, self._value)

    def _like(self, frame: Frame, value: Value) -> Self:
        """Return the same kind of array with other rows or another value."""
        return type(self)(frame, value)

    def _converter(self) -> Callable[..., Any]:
        """Return the function that makes the user's object of a table whose only column is the value."""
        raise NotImplementedError

    def _type_name(self) -> str:
        """Return the type as DataFrames name it."""
        return self._value.dtype.name

    @property
    def _arrow_meaning(self) -> str:
        """Arrow's meaning of the numbers: ``timestamp`` or ``duration``; empty for plain numbers."""
        return ""

    def _pandas_converter(self) -> Callable[[Column], Any] | None:
        """Return a function that converts a column of the plan for pandas; None if it needs no conversion."""
        return None

    def _extras(self) -> tuple[Frame, ...]:
        """Return one-partition nodes whose results `_converter` needs too."""
        return ()

    @property
    def expr(self) -> CollectionRows:
        """The plan."""
        return CollectionRows(self._project(), self._converter(), self._extras(), None)

    @property
    def _shown(self) -> CollectionRows:
        """The plan of elements that are printed."""
        return self.expr

    def _as_operand(self) -> tuple[Frame, Value]:
        """Return the frame and the value of the elements as operands of an expression."""
        return self._frame, self._value

    def _sort_key(self, ascending: bool = True) -> tuple[Frame, Value]:
        """Return a sort key of the elements, ascending or descending; missing elements come last."""
        return self._frame, self._value

    def _in_common(self, operation: str, others: Sequence[Any]) -> list[Any]:
        """Return this array and others in a common form, such as one unit of time."""
        return [self, *others]

    def _in_my_order(self, values: Any) -> Any:
        """Return values to search for among the elements in a form that sorts like the elements."""
        return values

    def _key(self) -> tuple[Frame, Value]:
        """Return the key for grouping rows; groups are in ascending order."""
        return self._frame, self._value

    def _of_key(self, frame: Frame, key: Value) -> Self:
        """Return the elements that `_key` made keys of."""
        return self._like(frame, key)

    def _storable(self) -> Storable:
        from akdask.arrays.writing import stored_column

        return stored_column(self._frame, self._value)

    def _project(self) -> Project:
        return Project(self._frame, (0,), (self._value,))

    def __dask_postpersist__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        return self._persisted, ()

    def _persisted(self, graph: Mapping[Any, Any], rename: Mapping[str, str] | None = None) -> Self:
        frame = Persisted.of(self._project(), graph, self.__dask_keys__)
        return self._like(frame, frame.column(0))

    # rows

    @property
    def rows(self) -> RowSpace:
        """The row space: identity of the rows, number of partitions, and their lengths if known."""
        return self._frame.rows

    @property
    def npartitions(self) -> int:
        """Number of partitions.

        Examples
        --------
        >>> ak.arange(6).repartition(3).npartitions
        3
        """
        return self._frame.npartitions

    @property
    def size(self) -> int:
        """Number of elements; counts them once after a filter.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.size
        3
        """
        size = self.rows.size
        return sum(row_tools.known_lengths(self._frame)) if size is None else size

    def __bool__(self) -> bool:
        """Return the truth of the only element; as in NumPy, any other number of elements is an error."""
        if self.size != 1:
            raise ArgumentError(
                f"the truth value of an array of {self.size} elements is ambiguous.",
                hint="use .any() or .all(); write (a > 1) & (b < 2) for `a > 1 and b < 2` and for `1 < a < 2`.",
            )
        return bool(self[0])

    def resolve_lengths(self) -> Self:
        """Count the rows of each partition if they are unknown; returns the array itself.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a[a > 1].resolve_lengths().size
        2
        """
        resolve_lengths(self._frame)
        return self

    # selection

    @overload
    def __getitem__(self, key: slice | Array) -> Self: ...

    @overload
    def __getitem__(self, key: Any) -> Any: ...

    def __getitem__(self, key: Any) -> Any:
        """Select rows.

        Parameters
        ----------
        key : int, slice, pdarray of bool (mask) or of int (positions), or data that become one; ``...`` for all
            rows, and None beside one of them for a further dimension
            An int finds the element at once.  Everything else is lazy, but rows of unknown number are counted where
            positions matter.
        """
        if key is None or key is ... or isinstance(key, tuple):
            key, axis, ndim = row_tools.along_axes(key)
            if ndim > 1:
                return self._with_axes(self[key], axis, ndim)
        if isinstance(key, Array):
            return key._rows_of(self)
        key = row_tools.row_key(key)
        if isinstance(key, int):
            return self._element(key)
        if isinstance(key, slice):
            frame, (value,) = row_tools.slice_columns(self._frame, [self._value], key)
            return self._like(frame, value)
        return self._select(*literal(as_column(key)))

    def _with_axes(self, chosen: Any, axis: int, ndim: int) -> Any:
        """Return chosen rows along one dimension of several; the other dimensions have length 1."""
        if not isinstance(chosen, Array) or not hasattr(chosen, "reshape"):
            raise UnsupportedError(
                f"a {type(self).__name__} has one dimension.", hint="to_ndarray() gives what NumPy adds dimensions to."
            )
        return chosen.reshape([-1 if number == axis else 1 for number in range(ndim)])

    def _rows_of(self, array: Array) -> Any:
        """Return the rows of another array that this one chooses."""
        return array._select(*self._as_operand())

    def _select(self, key_frame: Frame, key: Value) -> Self:
        frame, (moved,) = row_tools.select_columns(self._frame, [self._value], key_frame, key)
        return self._like(frame, moved)

    def _element(self, position: int) -> Any:
        return self._like(row_tools.one_row(self._frame, position), self._value).to_ndarray()[0]

    def take(self, indices: Any, axis: int | None = None) -> Self:
        """Return the elements at the given positions; lazy.

        Parameters
        ----------
        indices : array of int
            Positions; negative ones count from the end.
        axis : None or 0
            There is only one axis.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.take([2, 1]).tolist()
        [3, 1]
        """
        return self[indices]

    def head(self, n: int = 5) -> Self:
        """Return the first `n` elements; lazy.

        Examples
        --------
        >>> ak.array([3, 1, 2]).head(2).tolist()
        [3, 1]
        """
        count = row_tools.position(n)
        return self[:count] if count < 0 or self.rows.is_fixed else self._limit(count)

    def tail(self, n: int = 5) -> Self:
        """Return the last `n` elements; lazy.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.tail(2).tolist()
        [1, 3]
        """
        count = row_tools.position(n)
        if count > 0 and not self.rows.is_fixed:
            return self._limit(-count)
        return self[-count:] if count else self[:0]

    def _limit(self, count: int) -> Self:
        limited = Limit(self._project(), count)
        return self._like(limited, limited.column(0))

    def copy(self) -> Self:
        """Return a copy; lazy objects share immutable parts.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> b = a.copy()
        >>> b[0] = 9
        >>> a.tolist()
        [3, 1, 3]
        """
        return self._like(self._frame, self._value)

    # conversion

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array; computes.

        Raises
        ------
        TransferError
            If they would take more than the setting ``max_transfer_bytes`` allows: half of the memory unless set.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.to_ndarray()
        array([3, 1, 3])
        """
        (result,) = run(self.expr.here())
        return result

    def to_arrow(self) -> pa.ChunkedArray:
        """Return the elements as an Arrow array; computes.

        Numbers and text are not copied, but for bools, which Arrow packs.  Times are timestamps and durations of
        their unit and zone with nulls for NaT, Categoricals are dictionaries, integers of any size are decimals, and
        addresses are numbers.

        Raises
        ------
        TransferError
            If they would take more than the setting ``max_transfer_bytes`` allows: half of the memory unless set.
        UnsupportedError
            If integers have more digits than Arrow's decimals.

        Examples
        --------
        >>> ak.array(["b", "a"]).to_arrow().to_pylist()
        ['b', 'a']
        """
        from akdask.arrays.to_arrow import ToArrow

        extras = self._extras()
        labelled = tuple((0, number) for number in range(len(extras)))
        nullable = frozenset({0} if self._value.dtype.nullable else ())
        # A search for an attribute that is lacking would load pandas, to tell whether it has one.
        ordered = frozenset({0} if hasattr(type(self), "ordered") and self.ordered else ())
        form = ToArrow(((0, "", self._arrow_meaning),), labelled, nullable, ordered)
        return CollectionRows(self._project(), form, extras, None).result(chunked=True).column(0)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the elements to any library that reads Arrow's stream of arrays; see `to_arrow`.  Computes."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __narwhals_series__(self) -> Any:
        """Hand the elements to libraries that read columns by narwhals; see `to_arrow`.  Computes.

        Missing floats are null, as the missing of all other types are.
        """
        return compliant(nulls_for_nan(self.to_arrow()))

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        """Hand the elements to any library that reads an Arrow array; see `to_arrow`.  Computes."""
        found = self.to_arrow()
        joined = found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()
        return joined.__arrow_c_array__(requested_schema)

    def to_dask(self) -> Any:
        """Return a Dask array with the same elements and partitions; lazy.

        Text and integers of any size are Python objects.  Chunks of unknown length have NaN for it, as Dask writes it.

        Examples
        --------
        >>> ak.array([3, 1]).to_dask().sum().compute().item()
        4
        """
        from akdask.engine.dask_bridges import to_dask_array

        plain = self._like(self._frame, as_floats(self._value))
        return to_dask_array(plain._project(), plain._converter(), plain._extras(), plain._value.dtype)

    def repartition(self, npartitions: int) -> Self:
        """Return the elements in another number of partitions of about equal length.

        Lazy, but for counting elements of unknown number.

        Raises
        ------
        ArgumentError
            If that is no number of partitions.

        Examples
        --------
        >>> ak.arange(6).repartition(2).npartitions
        2
        """
        frame, (value,) = row_tools.repartitioned(self._project(), npartitions)
        return self._like(frame, value)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        from akdask.arrays.functions import array_function

        return array_function(func, types, args, kwargs)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements; computes them all."""
        return iter(self.to_ndarray())

    # display

    def __str__(self) -> str:
        from akdask.arrays.display import text_of

        return text_of(self)

    def __repr__(self) -> str:
        shown = str(self)
        return f"array({shown})" if shown.startswith("[") else shown

    def _repr_html_(self) -> str:
        from akdask.arrays.display import html_of

        return html_of(self)

    def _title(self) -> str:
        from akdask.arrays.display import title_of

        return title_of(self)

    def _describe(self) -> str:
        return f"{type(self).__name__}({self._value.dtype}, {self.rows.describe()})"

    def _printed(self, items: Any) -> list[str]:
        """Return elements as text, each for itself."""
        from akdask.arrays.display import printed_numbers

        return printed_numbers(items)

    def _listed(self, printed: Sequence[str]) -> str:
        """Return text of elements as `str` writes them together."""
        from akdask.arrays.display import listed

        return listed(self, printed)

    @property
    def _footer(self) -> str | None:
        """The line below elements that are shown one per line; None where elements share lines."""
        return None

    def _is_cheap(self) -> bool:
        from akdask.engine.explain import is_cheap

        return is_cheap(self._frame, [self._value])

    def info(self) -> str:
        """Return facts about the array as JSON, see `akdask.information`; counts rows of unknown number.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.name in a.info()
        True
        """
        return json.dumps([facts_of_array(self)])

    def pretty_print_info(self) -> None:
        """Print facts about the array on one line; counts rows of unknown number.

        Examples
        --------
        >>> ports = ak.array([80, 443]).register("ports")
        >>> ports.pretty_print_info()
        InfoEntry(name=ports, dtype=int64, size=2, ndim=1, shape=[2], itemsize=8, registered=True)
        >>> ports.unregister()
        """
        print(written(facts_of_array(self)))

    if not TYPE_CHECKING:  # by this method, every misspelt name would be one for type checkers

        def __getattr__(self, name: str) -> Any:
            from akdask.arrays.missing_attributes import of_series

            return of_series(self, name)


_COMPUTED: WeakValueDictionary[str, Persisted] = WeakValueDictionary()
"""What eager arrays hold of plans, by the names of these."""


class _ComputedColumns(Collection):
    """A projection that is to be computed, before there is an object that it belongs to."""

    def __init__(self, project: Project) -> None:
        self._project = project

    @property
    def expr(self) -> CollectionRows:
        return CollectionRows(self._project, tuple, (), None)

    def __dask_postpersist__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._persisted, ()

    def _persisted(self, graph: Mapping[Any, Any], rename: Mapping[str, str] | None = None) -> Any:
        return Persisted.of(self._project, graph, self.__dask_keys__)


def computed(frame: Frame, value: Value) -> tuple[Frame, Value]:
    """Return a value of rows that are in memory; compute it if necessary."""
    if not isinstance(frame, SELECTIONS) and _is_persisted(value):
        return frame, value
    project = Project(frame, (0,), (value,))
    # The same column of the same rows is the same node, so that labels are known to be equal.
    name = token("computed", column_identity(frame, value))
    persisted: Any = _COMPUTED.get(name)
    if persisted is None:
        persisted = _COMPUTED[name] = _ComputedColumns(project).persist()
    return persisted, persisted.column(0)


def _is_persisted(value: Value) -> bool:
    return isinstance(value, ResidentColumn) and isinstance(value.frame, Persisted)


def of_rows(array: Any) -> Any:
    """Return an array of one dimension; refuse others.

    Raises
    ------
    ArgumentTypeError
        If it has not one dimension.
    """
    if not isinstance(getattr(array, "ndim", None), int):
        raise ArgumentTypeError(f"a lazy array is wanted, not a {type(array).__name__}.", hint="use ak.array(…).")
    if array.ndim != 1:
        raise ArgumentTypeError(
            f"rows are those of arrays of one dimension, not of {array.ndim}.", hint="flatten() it."
        )
    return array


def check_axis(name: str, axis: Any) -> None:
    """Refuse an axis that arrays of one dimension do not have.

    Raises
    ------
    AxisError
        If it is neither None nor the only one, counted from either end.
    """
    given = (axis,) if not isinstance(axis, tuple | list) else axis
    if not all(item in (None, 0, -1) for item in given):
        raise AxisError(f"{name}(axis={axis}): the array has one dimension.", hint="leave axis.")


def as_ndarray(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table of numbers; the user may change it."""
    column: Any = table.columns[0]
    return column if column.flags.writeable else column.copy()


# how values become arrays

MakeArray = TypeVar("MakeArray", bound=Callable[[Frame, Value], Array])

ArrayType = TypeVar("ArrayType", bound=type[Array])

_asked_for: dict[str, type[Array]] = {}
_shown_by: dict[Kind, Callable[[Frame, Value], Array]] = {}
_made_of: dict[str, Callable[[Any], Array]] = {}

ASKED_FOR = {"Strings": "arrays.strings", "Categorical": "arrays.categorical"}
SHOWN_BY = {**dict.fromkeys(("int", "uint", "float", "bool", "bigint"), "arrays.pdarray"), "str": "arrays.strings"}
SHOWN_BY["list"] = "arrays.segarray"
MADE_OF = {"M": "arrays.datetimes", "m": "arrays.datetimes"}
"""Modules of akdask that register classes, by the names, kinds and NumPy kinds for which they do."""


def shows(*kinds: Kind) -> Callable[[MakeArray], MakeArray]:
    """Register a class, or a function that makes its objects, for values of some kinds of column types."""

    def register(make: MakeArray) -> MakeArray:
        _shown_by.update(dict.fromkeys(kinds, make))
        return make

    return register


def wrap(frame: Frame, value: Value) -> Array:
    """Return the array of the kind that belongs to the value's type."""
    kind = value.dtype.kind
    return (_shown_by.get(kind) or registered(_shown_by, kind, SHOWN_BY))(frame, value)


def made_of(dtype_kind: str) -> Callable[[ArrayType], ArrayType]:
    """Register a class for data at hand of a kind of NumPy dtype; its ``at_hand`` converts them."""

    def register(cls: ArrayType) -> ArrayType:
        _made_of[dtype_kind] = cls
        return cls

    return register


def special(items: Any) -> Array | None:
    """Return data at hand as an array of the class that fits their dtype or their elements, None if none fits.

    Integers and bools with gaps become an array that keeps values and gaps; masked elements are missing.
    """
    items = without_mask(items)
    apart = integers_apart(items)
    if apart is not None:
        frame = literal_table(Table(dict(enumerate(apart)), len(apart[0])))
        return wrap(frame, with_missing(frame.column(0), frame.column(1)))
    kind = getattr(getattr(items, "dtype", None), "kind", "O" if isinstance(items, list | tuple) else "")
    maker: Any = registered(_made_of, _kind_of_first(items) if kind == "O" else kind, MADE_OF)
    return None if maker is None else maker.at_hand(items)


def _kind_of_first(items: Any) -> str:
    """Return the kind of NumPy dtype that times are of, by the first of them that is not missing."""
    for item in items:
        if isinstance(item, np.datetime64 | datetime.date):
            return "M"
        if isinstance(item, np.timedelta64 | datetime.timedelta):
            return "m"
        if item is not None and not is_na(item):
            break
    return ""


def can_be_asked_for(cls: ArrayType) -> ArrayType:
    """Register a class that casts can name, by itself or by its name; its ``_cast_from`` converts an array."""
    _asked_for[cls.__name__] = cls
    return cls


def class_asked_for(dtype: Any) -> Any:
    """Return the class of arrays that a cast names instead of a dtype, None for a dtype."""
    if is_pandas(dtype, "CategoricalDtype"):
        dtype = "Categorical"
    name = dtype.__name__ if isinstance(dtype, type) and issubclass(dtype, Array) else dtype
    return registered(_asked_for, name, ASKED_FOR) if isinstance(name, str) else None
