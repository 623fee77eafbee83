"""The base class of a DataFrame's methods: its columns, their rows, and its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import Collection
from akdask.arrays.column_names import ColumnNames, names_of
from akdask.arrays.registered import Registered
from akdask.engine.node import RowSpace
from akdask.engine.run import CollectionRows, resolve_lengths
from akdask.engine.sources import Persisted
from akdask.engine.values import ColumnRef
from akdask.errors import ArgumentError
from akdask.frames.alignment import RowLabelled, RowLabels
from akdask.frames.columnset import ColumnSet
from akdask.frames.to_pandas import ToPandas


@dataclass(slots=True)
class Content:
    """Content of a DataFrame, which its shallow copies share.

    Parameters
    ----------
    columns : ColumnSet
        The columns.
    handed : dict of str to (Array, Array)
        The arrays that ``df["x"]`` has returned, and their expressions at that time.
    """

    columns: ColumnSet
    handed: dict[str, tuple[Array, Array]] = field(default_factory=dict)


class FrameBase(Registered, Collection, RowLabelled):
    """Named lazy columns that share their rows."""

    _content: Content

    @classmethod
    def _of(cls, columns: ColumnSet) -> Self:
        return cls._with(Content(columns))

    @classmethod
    def _with(cls, content: Content) -> Self:
        self = cls.__new__(cls)
        self._content = content
        return self

    @property
    def _columns(self) -> ColumnSet:
        """The columns, with assignments to rows of arrays that came from ``df["x"]``."""
        content = self._content
        for name, (array, before) in content.handed.items():
            if array._frame is not before._frame or array._value != before._value:
                content.handed[name] = array, array.copy()
                content.columns = content.columns.having(name, array)
        return content.columns

    @property
    def _row_labels(self) -> RowLabels:
        return RowLabels.of(self._columns)

    @property
    def expr(self) -> CollectionRows:
        """The plan."""
        converter, labels = ToPandas.of(self._columns, with_index=True)
        return CollectionRows(self._columns.apart(), converter, tuple(labels), None)

    def __dask_postpersist__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        return self._persisted, ()

    def _persisted(self, graph: Mapping[Any, Any], rename: Mapping[str, str] | None = None) -> Self:
        columns = self._columns
        project = columns.apart()
        frame = Persisted.of(project, graph, self.__dask_keys__)
        named = zip(project.names, project.values, strict=True)
        return self._of(columns.of_parts(frame, [ColumnRef(frame._name, name, value.dtype) for name, value in named]))

    @property
    def columns(self) -> ColumnNames:
        """Names of the columns, in order."""
        return ColumnNames(self._columns.values)

    @columns.setter
    def columns(self, names: Sequence[str]) -> None:
        columns, wanted = self._columns, names_of(names)
        if len(wanted) != len(columns.values) or len({*wanted}) < len(wanted):
            raise ArgumentError(
                f"{len(columns.values)} columns need as many names, all different.", details=[f"given: {wanted!r:.200}"]
            )
        self._become(columns.renamed(dict(zip(columns.values, wanted, strict=True))))

    @property
    def dtypes(self) -> dict[str, str]:
        """Types of the columns, by name: ``int64``, ``str``, ``Categorical`` and so on."""
        columns = self._columns
        return {name: columns.array(name)._type_name() for name in columns.values}

    def copy(self, deep: bool = True) -> Self:
        """Return a copy; it shares the data, which never change.

        Parameters
        ----------
        deep : bool, default True
            Make an independent frame; otherwise assignments to one of the two change both.
        """
        columns = self._columns
        return self._of(columns) if deep else self._with(self._content)

    def _changed(self, columns: ColumnSet, inplace: bool) -> Self | None:
        if not inplace:
            return self._of(columns)
        self._become(columns)
        return None

    def _become(self, columns: ColumnSet) -> None:
        """Hold other columns from now on, with other rows perhaps."""
        self._content.columns = columns
        self._content.handed = {}

    @property
    def rows(self) -> RowSpace:
        """The row space: identity of the rows, partitions, and partition lengths if known."""
        return self._columns.frame.rows

    @property
    def npartitions(self) -> int:
        """Number of partitions."""
        return self.rows.npartitions

    @property
    def size(self) -> int:
        """Number of rows times columns, as in Arkouda and pandas; counts rows, once, where a filter left that open."""
        return len(self) * len(self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self), len(self.columns)

    @property
    def empty(self) -> bool:
        """Whether there are no rows or no columns."""
        return not self.columns or not len(self)

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array of two dimensions; see `pdarray.to_numpy`.  Computes."""
        return np.asarray(self, dtype=dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array of two dimensions, converted as pandas does; computes."""
        return np.asarray(self.compute(), dtype=dtype)

    def __len__(self) -> int:
        """Return the number of rows; counts them, once, where a filter has left that open."""
        size = self.rows.size
        return sum(self._columns.counted()) if size is None else size

    def update_nrows(self) -> None:
        """Count the rows, once, where a filter has left their number open."""
        len(self)

    def resolve_lengths(self) -> Self:
        """Count the rows of each partition if they are unknown; returns the frame itself."""
        resolve_lengths(self._columns.frame)
        return self
