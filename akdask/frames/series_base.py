"""The base class of a Series' methods: its values and labels on common rows, its plan, and its operators."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.arrays.array import Array
from akdask.arrays.base import Collection, Labelled, unlabelled
from akdask.arrays.operators import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.registered import Registered
from akdask.arrays.substitutes import Substitutes
from akdask.columns.table import Table
from akdask.deferred import pd
from akdask.engine.node import RowSpace
from akdask.engine.run import CollectionRows, run
from akdask.engine.tokens import token
from akdask.engine.values import Call
from akdask.frames.alignment import (
    OnAllLabels,
    RowLabelled,
    RowLabels,
    as_labelled,
    check_same,
    on_all_labels,
    on_rows_of,
)
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.frames.missing import of_columns, present_among
from akdask.frames.to_pandas import ToPandas

VALUES = "values"
"""Name of the column of values in the rows of a Series; levels of labels are called by their numbers."""


LACKING = "lacking"
"""Name of a column beside lists: which of them are missing, as those of missing text are."""


@dataclass(frozen=True, slots=True)
class ToSeries:
    """Makes a pandas Series from the DataFrame of `ToPandas`.

    Parameters
    ----------
    to_pandas : ToPandas
        Makes the DataFrame.
    level_names : tuple of hashable
        Names of the levels that are columns there, none for labels of one level.
    name : hashable
        Name of the Series.
    """

    to_pandas: ToPandas
    level_names: tuple[Hashable, ...]
    name: Hashable

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return token("to Series", self.to_pandas.token, self.level_names, self.name)

    def __call__(self, table: Table, *labels: Table, start: int = 0) -> pd.Series:
        """Return the Series; rows without labels are numbered from `start`."""
        frame = self.to_pandas(table, *labels, start=start)
        if self.level_names:
            levels = [frame[level_column(number)] for number in range(len(self.level_names))]
            frame.index = pd.MultiIndex.from_arrays(levels, names=list(self.level_names))
        series: pd.Series = frame[VALUES]
        if LACKING in frame:
            series = series.mask(frame[LACKING], None)
        series.name = self.name
        return series


def level_column(number: int) -> str:
    """Return the name of the column that holds a level of labels."""
    return str(number)


class SeriesBase(Labelled, Registered, Substitutes, Collection, RowLabelled):
    """An array with labels on the same rows."""

    name: Any
    _labelled: DataFrame
    _level_names: tuple[Any, ...]

    def _set(self, values: Array, index: Index | None, name: Any) -> None:
        """Bring values and labels onto common rows; rows without labels are labelled by their numbers.

        Raises
        ------
        AlignmentError
            If values and labels do not share rows, as where there are not as many of both.
        """
        self.name = name
        if index is None or not isinstance(index, MultiIndex):
            labels = (None, None) if index is None else (index.values, index.name)
            columns = ColumnSet.of({VALUES: values}, *labels)
            self._level_names = ()
        else:
            levels = {level_column(number): level for number, level in enumerate(index.values)}
            columns = ColumnSet.of({VALUES: values, **levels})
            self._level_names = tuple(index.names)
        self._labelled = DataFrame._of(columns)

    def _moved(self, rows: Any) -> Self:
        """Return a Series of the same names on other rows."""
        moved = type(self).__new__(type(self))
        moved.name, moved._level_names, moved._labelled = self.name, self._level_names, rows
        return moved

    def _with(self, values: Any) -> Self:
        """Return other values with these labels and this name."""
        columns = self._labelled._columns
        if LACKING in columns.values:
            columns = columns.only([name for name in columns.values if name != LACKING])
        moved = self._moved(DataFrame._of(columns))
        moved.values = values
        return moved

    def _with_lists(self, lists: Array, lacking: Array) -> Self:
        """Return lists with these labels, of which some are missing."""
        found = self._with(lists)
        found._labelled = DataFrame._of(found._labelled._columns.having(LACKING, lacking))
        return found

    @property
    def _lacking(self) -> Array | None:
        """Which lists are missing, None where none is."""
        columns = self._labelled._columns
        return columns.array(LACKING) if LACKING in columns.values else None

    def _framed(self, arrays: Mapping[str, Array]) -> Any:
        """Return arrays on these rows as a DataFrame with these labels; levels of labels are columns there."""
        columns = self._labelled._columns
        if not self._level_names:
            return DataFrame._of(columns.beside(arrays))
        levels = {
            f"level_{number}" if name is None else str(name): columns.array(level_column(number))
            for number, name in enumerate(self._level_names)
        }
        return DataFrame._of(ColumnSet.of({**levels, **arrays}))

    def _value_columns(self) -> ColumnSet:
        return self._labelled._columns.only([VALUES])

    def _with_columns(self, arrays: Mapping[str, Array]) -> Self:
        return self._with(arrays[VALUES])

    # parts

    @property
    def values(self) -> Any:
        """The values: a pdarray, Strings, Categorical and so on, the same object each time.

        Assignments to its elements change the Series.
        """
        return self._labelled._column(VALUES)

    @values.setter
    def values(self, values: Any) -> None:
        self._labelled[VALUES] = unlabelled(values)

    @property
    def index(self) -> Index:
        """The labels of the rows: an `Index`, or a `MultiIndex`; their numbers unless others were given.  Lazy."""
        if not self._level_names:
            return self._labelled.index
        columns = self._labelled._columns
        levels = [columns.array(level_column(number)) for number in range(len(self._level_names))]
        return MultiIndex(levels, names=self._level_names)

    @index.setter
    def index(self, labels: Any) -> None:
        self._set(self.values, None if labels is None else Index.factory(labels), self.name)

    @property
    def _row_labels(self) -> RowLabels:
        columns = self._labelled._columns
        if not self._level_names:
            return RowLabels.of(columns)
        levels = (columns.array(level_column(number)) for number in range(len(self._level_names)))
        return RowLabels(columns.frame, tuple(levels))

    def _named_index(self, levels: Sequence[Array]) -> Index:
        """Return labels with the names of the labels of this Series."""
        index = self.index
        return MultiIndex(list(levels), names=index.names) if len(levels) > 1 else Index(levels[0], index.name)

    def _on_rows(self, item: Any) -> Any:
        """Align an argument to the rows of this Series: a Series by labels, an array by position."""
        return on_rows_of(self._row_labels, item)

    def _given_labels(self) -> Index | None:
        """Return the labels, None where rows are labelled by their numbers."""
        return None if self._labelled._columns.index is None and not self._level_names else self.index

    @property
    def rows(self) -> RowSpace:
        """The row space: identity of the rows, partitions, and partition lengths if known."""
        return self._labelled.rows

    @property
    def npartitions(self) -> int:
        """Number of partitions."""
        return self._labelled.npartitions

    @property
    def size(self) -> int:
        """Number of values; counts them, once, where a filter has left that open."""
        return len(self._labelled)

    @property
    def shape(self) -> tuple[int]:
        """``(size,)``."""
        return (self.size,)

    @property
    def ndim(self) -> int:
        """Always 1."""
        return 1

    @property
    def dtype(self) -> Any:
        """Type of the values."""
        return self.values.dtype

    def __len__(self) -> int:
        return self.size

    # plan

    @property
    def expr(self) -> CollectionRows:
        """The plan."""
        form, project, labels = self._conversion()
        return CollectionRows(project, form, tuple(labels), None)

    def _conversion(self, *, nullable: bool = False) -> tuple[ToSeries, Any, list[Any]]:
        columns = self._labelled._columns
        converter, labels = ToPandas.of(columns, with_index=True, nullable=nullable)
        return ToSeries(converter, self._level_names, self.name), columns.apart(), labels

    def __dask_postpersist__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        return self._persisted, ()

    def _persisted(self, graph: Mapping[Any, Any], rename: Mapping[str, str] | None = None) -> Self:
        return self._moved(self._labelled._persisted(graph, rename))

    def to_pandas(self, *, nullable: bool = False) -> pd.Series:
        """Return the values and labels as a pandas Series; computes.

        Parameters
        ----------
        nullable : bool, default False
            Give pandas' nullable types, in which integers stay exact where some are missing; see `DataFrame.to_pandas`.

        Raises
        ------
        TransferError
            If they would take more than the setting ``max_transfer_bytes`` allows: half of the memory unless set.
        """
        form, project, labels = self._conversion(nullable=nullable)
        rows = CollectionRows(project, form, tuple(labels), None)
        (result,) = run(rows.here(chunked=True))
        found: pd.Series = result
        return found


BY_OPERATOR: dict[np.ufunc, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.invert: operator.invert,
    np.negative: operator.neg,
}
"""Ufuncs that are operators: text, Categoricals and times have their own meaning of these."""

COMPARISONS = frozenset({operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge})
"""Operators that need equal labels, as in pandas."""


class SeriesOperators(NDArrayOperatorsMixin, SeriesBase):
    """Arithmetic and comparison, with scalars, arrays of the same rows and other Series.

    Two Series of other labels meet on the labels of both, in order, where repeated labels are paired with each other;
    a number that one of them lacks is 0, as in Arkouda.  Comparisons need equal labels.
    """

    __array_priority__ = 2000
    __hash__ = None  # type: ignore[assignment]  # comparison gives a Series, as in pandas

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute a ufunc of values with equal labels; in-place operators pass ``out=``."""
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs or any(_is_frame(item) for item in inputs):
            return NotImplemented
        result = self._computed(BY_OPERATOR.get(ufunc, ufunc), inputs)
        if out is None:
            return result
        (target,) = out
        if not isinstance(target, SeriesBase):
            return NotImplemented
        target._labelled = result._labelled
        return target

    def _computed(self, function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
        inputs = tuple(map(as_labelled, inputs))
        series = [item for item in inputs if isinstance(item, SeriesBase)]
        given = [one._row_labels for one in series]
        name = _common_name(series)
        if function in COMPARISONS and len(series) > 1:
            are_same = [check_same(given[0], other) for other in given[1:]]
            found = of_columns(function, *map(unlabelled, inputs))
            for same in filter(None, are_same):
                found = pdarray(found._frame, Call("of_same_labels", found._value, same))
            return series[0]._with(found)._called(name)
        labels, values = given[0], [series[0].values]
        for one, own in zip(series[1:], given[1:], strict=True):
            joined = on_all_labels(labels, values, own, [one.values], self._rules.absent_operand)
            labels, values = joined.labels, [*joined.ones, *joined.others]
        remaining = iter(values)
        sides = [next(remaining) if isinstance(item, SeriesBase) else unlabelled(item) for item in inputs]
        found = of_columns(function, *sides)
        for one, own in zip(series, given, strict=True):
            if labels is own:
                return one._with(found)._called(name)
        return self._of(found, series[0]._named_index(labels.levels), name)

    def _on_joined(self, joined: OnAllLabels, found: Any, other: SeriesBase) -> Any:
        """Return a result of this Series and another one as a Series on the labels of both."""
        name = _common_name([self, other])
        if joined.labels.frame is self._labelled._columns.frame and self._row_labels.are_those_of(joined.labels):
            return self._with(found)._called(name)
        return self._of(found, self._named_index(joined.labels.arrays), name)

    def _called(self, name: Any) -> Any:
        self.name = name
        return self

    @classmethod
    def _of(cls, values: Any, index: Any, name: Any = None) -> Any:
        """Return a Series of values and labels."""
        made = cls.__new__(cls)
        made._set(values, index, name)
        return made

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __abs__(self) -> Any:
        return self._with(abs(self.values))

    def __bool__(self) -> bool:
        return bool(self.values)


def where_present(one: Any, other: Any) -> Any:
    """Return a column with values of another one where it is missing."""
    return where(pdarray(one._frame, present_among(one, one._value)), one, other)


def filled(sides: Sequence[Any], fill_value: Any) -> list[Any]:
    """Return two columns, filled with a value where only one is missing."""
    one, other = sides
    lacks = [pdarray(side._frame, Call("logical_not", present_among(side, side._value))) for side in sides]
    return [where(lacks[0] & ~lacks[1], fill_value, one), where(lacks[1] & ~lacks[0], fill_value, other)]


def _is_frame(item: Any) -> bool:
    """Whether an item is a DataFrame, which handles operations with a Series itself."""
    return isinstance(item, RowLabelled) and not isinstance(item, SeriesBase)


def _common_name(series: list[SeriesBase]) -> Any:
    """Return the name that all have, None where they differ, as in pandas."""
    names = [one.name for one in series]
    return names[0] if all(name == names[0] for name in names) else None
