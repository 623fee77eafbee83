"""`DataFrame`: lazy columns that share their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import pandas as pd

from akdask import config
from akdask.collections.array import Array, check_transfer
from akdask.collections.base import Collection
from akdask.collections.categorical import Categorical
from akdask.collections.columnset import INDEX, ColumnSet
from akdask.collections.creation import full
from akdask.collections.frame_display import DisplayMethods
from akdask.collections.frame_form import ToPandas
from akdask.collections.frame_rows import RowMethods
from akdask.collections.frame_statistics import StatisticsMethods
from akdask.collections.index import Index
from akdask.collections.wrap import wrap
from akdask.columns import Table
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError
from akdask.plan.bridge import to_dask
from akdask.plan.created import as_column, literal_table
from akdask.plan.present import Present
from akdask.plan.rowwise import Project
from akdask.plan.run import resolve_lengths, run
from akdask.plan.sources import Persisted
from akdask.plan.values import ColumnRef, Constant
from akdask.schema import RowSpace


class DataFrame(DisplayMethods, RowMethods, StatisticsMethods, Collection):
    """Named lazy columns that share their rows.

    Parameters
    ----------
    initialdata : mapping, DataFrame, pandas.DataFrame or sequence, optional
        Columns by name (lazy arrays, data at hand, or a scalar for all rows), or arrays in the order of `columns`.  A
        key ``index``, in any case, becomes the index, as `to_hdf` stores it.
    index : Index, lazy array or data at hand, optional
        Labels of the rows, instead of their numbers.
    columns : list of str, optional
        Names of the columns; of a mapping, those to take.

    Raises
    ------
    AlignmentError
        If the columns do not share rows.

    Examples
    --------
    >>> import akdask as ak
    >>> df = DataFrame({"x": ak.arange(4), "y": ["a", "b", "c", "d"]})
    >>> df[df["x"] > 1].to_pandas()
       x  y
    0  2  c
    1  3  d
    """

    def __init__(self, initialdata: Any = None, index: Any = None, columns: Sequence[str] | None = None) -> None:
        named, found = _split_index(_named(initialdata, columns))
        labels = found if index is None else Index(index).values
        self._held = ColumnSet.of(_arrays(named), labels)
        self._handed: dict[str, tuple[Array, Array]] = {}

    @classmethod
    def _of(cls, columns: ColumnSet) -> Self:
        self = cls.__new__(cls)
        self._held = columns
        self._handed = {}
        return self

    @classmethod
    def from_pandas(cls, pd_df: pd.DataFrame) -> Self:
        """Return the columns and index of a pandas DataFrame as lazy columns.

        Categorical columns stay so; column names become str.
        """
        if not isinstance(pd_df, pd.DataFrame):
            raise ArgumentTypeError(f"from_pandas takes a pandas DataFrame, got {type(pd_df).__name__}.")
        index = None if isinstance(pd_df.index, pd.RangeIndex) and pd_df.index.start == 0 else pd_df.index
        return cls({str(name): pd_df[name] for name in pd_df.columns}, index=index)

    @property
    def _columns(self) -> ColumnSet:
        """The columns, with what has been assigned to rows of arrays that ``df["x"]`` has handed out."""
        for name, (array, before) in self._handed.items():
            if array._frame is not before._frame or array._value is not before._value:
                self._handed[name] = array, array.copy()
                self._held = self._held.having(name, array)
        return self._held

    @property
    def expr(self) -> Present:
        """The plan."""
        form, labels = ToPandas.of(self._columns, with_index=True)
        return Present(self._columns.project(with_index=True), form, tuple(labels))

    def __dask_postpersist__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        return self._persisted, ()

    def _persisted(self, graph: Mapping[Any, Any], rename: Mapping[str, str] | None = None) -> Self:
        columns = self._columns
        frame = Persisted.of(columns.project(with_index=True), graph)
        values = {name: ColumnRef(frame._name, name, value.dtype) for name, value in columns.values.items()}
        index = columns.index and ColumnRef(frame._name, INDEX, columns.index.dtype)
        return self._of(ColumnSet(frame, values, columns.kinds, index))

    # columns

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._columns.values)

    @property
    def dtypes(self) -> dict[str, str]:
        """Types of the columns, by name: ``int64``, ``str``, ``Categorical`` …"""
        columns = self._columns
        return {
            name: "Categorical" if isinstance(columns.kinds[name], Categorical) else value.dtype.name
            for name, value in columns.values.items()
        }

    @property
    def index(self) -> Index:
        """Labels of the rows; their numbers unless others were given.  Lazy."""
        return Index(self._columns.index_array())

    @index.setter
    def index(self, labels: Any) -> None:
        self._held = self._columns.labelled(None if labels is None else Index(labels).values)

    def keys(self) -> list[str]:
        """Return the names of the columns."""
        return self.columns

    def values(self) -> list[Array]:
        """Return the columns."""
        return [self[name] for name in self.columns]

    def items(self) -> list[tuple[str, Array]]:
        """Return names and columns."""
        return [(name, self[name]) for name in self.columns]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a column, or a default where there is none of that name."""
        return self[name] if name in self else default

    def pop(self, name: str) -> Array:
        """Take a column out of the frame and return it."""
        array = self._columns.array(name)
        del self[name]
        return array

    def update(self, other: Mapping[str, Any]) -> None:
        """Put columns into the frame, replacing those of the same names."""
        for name in other:
            self[name] = other[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the columns."""
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns.values

    def __getitem__(self, key: Any) -> Any:
        """Return a column, some columns, or some rows.

        Parameters
        ----------
        key : str, list of str, int, slice, or array of bool or int
            A name gives the column, several a DataFrame.  An int gives one row as a dict, at once; other keys choose
            rows as those of an array do, and stay lazy.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, list | tuple) and key and all(isinstance(name, str) for name in key):
            return self._of(self._columns.only(key))
        return self._rows(key)

    def _column(self, name: str) -> Array:
        """Return a column, the same object each time, so that assigning to its rows changes the frame."""
        columns = self._columns
        if name not in self._handed:
            self._handed[name] = columns.array(name), columns.array(name)
        return self._handed[name][0]

    def __setitem__(self, name: str, values: Any) -> None:
        """Put a column into the frame: an array with the same rows, data at hand, or a scalar for all rows.

        Raises
        ------
        AlignmentError
            If an array does not share rows with the other columns.
        """
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"a column is assigned by its name, not by {type(name).__name__}.",
                hint="to change some rows of a column: df['x'][mask] = value.",
            )
        columns = self._columns
        if _is_scalar(values):
            array: Array = wrap(columns.frame, Constant(values))
        else:
            array = _arrays({name: values})[name]
        self._held = columns.having(name, array)
        self._handed.pop(name, None)

    def __delitem__(self, name: str) -> None:
        columns = self._columns
        columns.array(name)
        self._held = columns.only(other for other in columns.values if other != name)
        self._handed.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        """Return a column whose name is no attribute: ``df.x`` for ``df["x"]``."""
        held = self.__dict__.get("_held")
        if held is None or name not in held.values:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute or column {name!r}")
        return self._column(name)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(name for name in self.columns if name.isidentifier())]

    def rename(
        self,
        mapper: Any = None,
        index: Any = None,
        column: Any = None,
        axis: int | str = 0,
        inplace: bool = False,
    ) -> Self | None:
        """Return the frame with other names of columns.

        Parameters
        ----------
        mapper : mapping or callable, optional
            Old to new names, with ``axis=1``.
        index
            Row labels are not renamed yet.
        column : mapping or callable, optional
            Old to new names.
        axis : {0, 1}
            What `mapper` is for; 1 for columns.
        inplace : bool
            Change this frame and return None.
        """
        names = column if column is not None else mapper if axis in (1, "columns") else None
        if names is None or index is not None:
            raise ArgumentError("only columns can be renamed.", hint="df.rename(column={'old': 'new'}).")
        new = {name: names(name) if callable(names) else names.get(name, name) for name in self.columns}
        if len(set(new.values())) < len(new):
            raise ArgumentError("two columns would have the same name.", details=[str(list(new.values()))])
        return self._changed(self._columns.renamed(new), inplace)

    def assign(self, **kwargs: Any) -> Self:
        """Return the frame with more columns; each is what `df[name] = …` takes, or a function of the frame."""
        changed = self.copy()
        for name, values in kwargs.items():
            changed[name] = values(changed) if callable(values) else values
        return changed

    def copy(self, deep: bool = True) -> Self:
        """Return a copy; lazy columns share what cannot change."""
        return self._of(self._columns)

    def _changed(self, columns: ColumnSet, inplace: bool) -> Self | None:
        if not inplace:
            return self._of(columns)
        self._held = columns
        self._handed = {}
        return None

    # rows

    @property
    def rows(self) -> RowSpace:
        """The row space: which rows, in how many partitions, of what lengths if known."""
        return self._columns.frame.rows

    @property
    def npartitions(self) -> int:
        """Number of partitions."""
        return self.rows.npartitions

    @property
    def size(self) -> int:
        """Number of rows, as in Arkouda; counts them, once, where a filter has left that open."""
        return sum(self._columns.counted())

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.size, len(self.columns)

    @property
    def empty(self) -> bool:
        """Whether there are no rows or no columns."""
        return not self.columns or not self.size

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.size

    def resolve_lengths(self) -> Self:
        """Count the rows of each partition if they are unknown; returns the frame itself."""
        resolve_lengths(self._columns.frame)
        return self

    # conversion

    def to_pandas(self, datalimit: int | None = None, retain_index: bool = False) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; computes.

        Parameters
        ----------
        datalimit : int, optional
            Most bytes to bring into this process; ``config.get("max_transfer_bytes")`` unless given.
        retain_index : bool
            Keep the labels of the rows; otherwise they are numbered anew.  ``compute()`` keeps them.

        Raises
        ------
        AkdaskError
            If the data would take more than that.
        """
        columns = self._columns
        width = sum(value.dtype.itemsize for value in columns.values.values())
        limit = config.get("max_transfer_bytes") if datalimit is None else datalimit
        with config.set(max_transfer_bytes=limit):
            check_transfer(self.rows.size, width)
        form, labels = ToPandas.of(columns, with_index=retain_index)
        (result,) = run(Present(columns.project(with_index=retain_index), form, tuple(labels)))
        return result

    def to_dask(self) -> Any:
        """Return a Dask DataFrame with the same rows, labels and partitions; lazy.

        Strings are what Dask's setting ``dataframe.convert-string`` asks for, ``string[pyarrow]`` unless it is off.
        Categoricals have categories that Dask calls unknown.
        """
        import dask
        from dask.dataframe.utils import clear_known_categories

        arrow = dask.config.get("dataframe.convert-string", None) is not False
        columns = self._columns
        form, labels = ToPandas.of(columns, with_index=True, arrow_strings=arrow)
        project = columns.project(with_index=True)
        meta = clear_known_categories(form.of_nothing(project, len(labels)))
        return to_dask(project, form, labels, meta)


def _named(data: Any, columns: Sequence[str] | None) -> dict[str, Any]:
    """Return what a DataFrame is made of, by name."""
    if data is None:
        return {name: [] for name in columns or ()}
    if isinstance(data, pd.DataFrame):
        data = DataFrame.from_pandas(data)
    if isinstance(data, DataFrame):
        index = {"index": data.index} if data._columns.index is not None else {}
        return {**{name: data[name] for name in columns or data.columns}, **index}
    if isinstance(data, Mapping):
        return {name: data[name] for name in columns} if columns is not None else dict(data)
    if columns is None or len(columns) != len(data):
        raise ArgumentError(
            f"{len(data)} arrays need as many names, got {0 if columns is None else len(columns)}.",
            hint="pass a dict of names and arrays, or columns=[…].",
        )
    return dict(zip(columns, data, strict=True))


def _split_index(named: dict[str, Any]) -> tuple[dict[str, Any], Array | None]:
    """Take out the column that is the index by its name, as in Arkouda."""
    bad = [name for name in named if not isinstance(name, str)]
    if bad:
        raise ArgumentTypeError("columns are named by str.", details=[f"found: {bad[0]!r}"])
    index = [name for name in named if name.lower() == "index"]
    if not index:
        return named, None
    return {name: item for name, item in named.items() if name != index[0]}, Index(named[index[0]]).values


def _arrays(named: Mapping[str, Any]) -> dict[str, Array]:
    """Make arrays of columns, those at hand as one frame; scalars take the rows of the others."""
    arrays: dict[str, Array] = {}
    at_hand: dict[str, Any] = {}
    scalars: dict[str, Any] = {}
    for name, item in named.items():
        if isinstance(item, Array):
            arrays[name] = item
        elif isinstance(item, Index):
            arrays[name] = item.values
        elif _is_scalar(item):
            scalars[name] = item
        elif isinstance(getattr(item, "dtype", None), pd.CategoricalDtype):
            arrays[name] = Categorical(item)
        else:
            at_hand[name] = as_column(list(item) if isinstance(item, range) else item)
    arrays.update(_literals(at_hand))
    size = next((array._frame for array in arrays.values()), None)
    for name, item in scalars.items():
        arrays[name] = full(1, item) if size is None else wrap(size, Constant(item))
    return {name: arrays[name] for name in named}


def _literals(columns: Mapping[str, Any]) -> dict[str, Array]:
    made: dict[str, Array] = {}
    for length in dict.fromkeys(len(column) for column in columns.values()):
        same = {name: column for name, column in columns.items() if len(column) == length}
        frame = literal_table(Table(same, length))
        made.update({name: wrap(frame, frame.column(name)) for name in same})
    return made


def _is_scalar(item: Any) -> bool:
    return isinstance(item, str) or pd.api.types.is_scalar(item)
