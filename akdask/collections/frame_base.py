"""What every part of a DataFrame builds on: its columns, their rows, and its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from akdask.collections.array import Array
from akdask.collections.base import Collection
from akdask.collections.columnset import INDEX, ColumnSet
from akdask.collections.frame_form import ToPandas
from akdask.plan.present import Present
from akdask.plan.run import resolve_lengths
from akdask.plan.sources import Persisted
from akdask.plan.values import ColumnRef
from akdask.schema import RowSpace


class FrameBase(Collection):
    """Named lazy columns that share their rows."""

    _held: ColumnSet
    _handed: dict[str, tuple[Array, Array]]

    @classmethod
    def _of(cls, columns: ColumnSet) -> Self:
        self = cls.__new__(cls)
        self._held = columns
        self._handed = {}
        return self

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
        frame = Persisted.of(columns.project(with_index=True), graph, self.__dask_keys__())
        values = {name: ColumnRef(frame._name, name, value.dtype) for name, value in columns.values.items()}
        index = columns.index and ColumnRef(frame._name, INDEX, columns.index.dtype)
        return self._of(ColumnSet(frame, values, columns.kinds, index))

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._columns.values)

    @property
    def dtypes(self) -> dict[str, str]:
        """Types of the columns, by name: ``int64``, ``str``, ``Categorical`` and so on."""
        columns = self._columns
        return {name: columns.array(name)._type_name() for name in columns.values}

    def copy(self, deep: bool = True) -> Self:
        """Return a copy; lazy columns share what cannot change."""
        return self._of(self._columns)

    def _changed(self, columns: ColumnSet, inplace: bool) -> Self | None:
        if not inplace:
            return self._of(columns)
        self._held = columns
        self._handed = {}
        return None

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
        size = self.rows.size
        return sum(self._columns.counted()) if size is None else size

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
