"""Columns of a DataFrame by name, as in a dict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from akdask.collections.array import Array
from akdask.collections.frame_base import FrameBase
from akdask.collections.frame_build import arrays_of, is_scalar, spread
from akdask.collections.index import Index
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.created import counted


class ColumnMethods(FrameBase):
    """Access by name, assignment, and other names."""

    @property
    def index(self) -> Index:
        """Labels of the rows; their numbers unless others were given.  Lazy."""
        return Index(self._columns.index_array())

    @index.setter
    def index(self, labels: Any) -> None:
        self._content.columns = self._columns.labelled(None if labels is None else Index(labels).values)

    def keys(self) -> list[str]:
        """Return the names of the columns."""
        return self.columns

    def values(self) -> list[Array]:
        """Return the columns."""
        return [self._column(name) for name in self.columns]

    def items(self) -> list[tuple[str, Array]]:
        """Return names and columns."""
        return [(name, self._column(name)) for name in self.columns]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a column, or a default where there is none of that name."""
        return self._column(name) if name in self else default

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

    def _column(self, name: str) -> Array:
        """Return a column, the same object each time, so that assigning to its rows changes the frame."""
        columns = self._columns
        handed = self._content.handed
        if name not in handed:
            handed[name] = columns.array(name), columns.array(name)
        return handed[name][0]

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
        if is_scalar(values):
            array = spread(columns.frame if columns.values else counted(1), values)
        else:
            array = arrays_of({name: values})[name]
        self._content.columns = columns.having(name, array)
        self._content.handed.pop(name, None)

    def __delitem__(self, name: str) -> None:
        columns = self._columns
        columns.array(name)
        self._content.columns = columns.only(other for other in columns.values if other != name)
        self._content.handed.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        """Return a column whose name is no attribute: ``df.x`` for ``df["x"]``."""
        content = self.__dict__.get("_content")
        if content is None or name not in content.columns.values:
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
