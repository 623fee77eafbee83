"""Columns of a DataFrame by name, as in a dict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.base import Labelled, unlabelled
from akdask.collections.core.column_names import check_names
from akdask.collections.core.later import later
from akdask.collections.core.substitutes import missing_attribute
from akdask.collections.frame_core.alignment import Matched, RowLabelled, RowLabels, as_labelled, on_rows_of
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.build import arrays_of, is_scalar, spread
from akdask.collections.frame_core.index import Index
from akdask.collections.frame_core.missing import present_among
from akdask.collections.frame_core.rows_by_label import as_mask
from akdask.errors import ArgumentError, ArgumentTypeError, warn
from akdask.plan.expr.created import counted


class ColumnMethods(FrameBase):
    """Access by name, and assignment."""

    @property
    def index(self) -> Index:
        """Labels of the rows; their numbers unless others were given.  Lazy."""
        columns = self._columns
        return Index(columns.index_array(), columns.index_name)

    @index.setter
    def index(self, labels: Any) -> None:
        index = None if labels is None else Index(labels)
        self._content.columns = self._columns.labelled(*((None, None) if index is None else (index.values, index.name)))

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
        """Return a column, or a default where there is no column of that name."""
        return self._column(name) if name in self else default

    def pop(self, name: str) -> Array:
        """Take a column out of the frame and return it."""
        array = self._columns.array(name)
        del self[name]
        return array

    def update(self, other: Any) -> None:
        """Put values of another DataFrame into this frame, by labels; of a mapping put all columns into it.

        Parameters
        ----------
        other : DataFrame, Series or mapping
            The new values of columns of the same names, where they are not missing; rows and columns that only `other`
            has are left out, as in pandas.  A mapping replaces columns, and adds those that are not there.

        Raises
        ------
        NonUniqueError
            When it is computed, if a DataFrame or Series has a label twice, and other labels than this frame.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2, 3]})
        >>> df.update(ak.DataFrame({"x": [30, 10]}, index=[2, 0]))
        >>> df["x"].tolist()
        [10, 2, 30]
        """
        other = as_labelled(other)
        if not isinstance(other, RowLabelled):
            for name in other:
                self[name] = other[name]
            return
        if isinstance(other, Labelled):
            named: Any = other
            other = named.to_frame(str(named.name))
        given: Any = other
        own, columns = self._columns, given._columns
        names = [name for name in own.values if name in columns.values]
        arrays = [columns.array(name) for name in names]
        found = _updated(self._row_labels, [own.array(name) for name in names], given._row_labels, arrays)
        for name, array in zip(names, found, strict=True):
            self[name] = array

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

    def __setitem__(self, name: Any, values: Any) -> None:
        """Put a column into the frame: an array with the same rows, data at hand, or a scalar for all rows.

        With a mask in place of the name, values are assigned to the rows, or of a DataFrame the cells, where it holds.
        With an int in place of the name, a mapping gives some values of that row; with a list of names, another
        DataFrame or a sequence gives a column for each.

        Raises
        ------
        AlignmentError
            If an array does not share rows with the other columns.
        ArgumentError
            If no column can have that name.
        ArgumentTypeError
            If `name` is neither, or a row is given as something else than a mapping.
        MissingColumnError, PositionError
            If a row is given that is not there, or has columns that are not.
        """
        if isinstance(name, int | np.integer) and not isinstance(name, bool):
            return self._set_row(int(name), values)
        if isinstance(name, list) and name and all(isinstance(one, str) for one in name):
            return self._set_columns(name, values)
        if not isinstance(name, str):
            mask = as_labelled(name)
            if isinstance(mask, FrameBase) or as_mask(unlabelled(mask)) is not None:
                return self._set_where(mask, values)
            raise ArgumentTypeError(
                f"a column is assigned by its name, not by {type(name).__name__}.",
                hint="to change some rows of a column: df['x'][mask] = value.",
            )
        check_names([name])
        columns = self._columns
        if isinstance(values := as_labelled(values), RowLabelled):
            values = self._column_of(values)
            if not columns.values and columns.index is None:
                columns = columns.labelled_as(values._labelled._columns)
            array = on_rows_of(RowLabels.of(columns), values)
        elif is_scalar(values):
            array = spread(columns.frame if columns.values else counted(1), values)
        else:
            array = arrays_of({name: values})[name]
        self._content.columns = columns.having(name, array)
        self._content.handed.pop(name, None)
        return None

    def _set_where(self, mask: Any, values: Any) -> None:
        """Assign to the cells or rows where a mask holds."""
        frame: Any = self
        if isinstance(mask, FrameBase):
            self._become(frame.mask(mask, values)._columns)
        else:
            frame.loc[mask] = values

    @staticmethod
    def _column_of(values: Any) -> Any:
        """Return the Series that is assigned to a column: of a DataFrame its only one."""
        if isinstance(values, Labelled):
            return values
        if len(values.columns) != 1:
            raise ArgumentError(f"a column is assigned one column, not {len(values.columns)}.")
        return later("column Series", values, values.columns[0])

    def _set_columns(self, names: list[str], values: Any) -> None:
        """Put several columns into the frame: those of another one in their order, or a scalar for all."""
        values = as_labelled(values)
        if isinstance(values, FrameBase):
            given: list[Any] = [later("column Series", values, name) for name in values.columns]
        else:
            given = [values] * len(names) if is_scalar(values) else list(values)
        if len(given) != len(names):
            raise ArgumentError(f"{len(names)} columns need as many others, got {len(given)}.")
        for name, one in zip(names, given, strict=True):
            self[name] = one

    def _set_row(self, position: int, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise ArgumentTypeError(
                f"a row is assigned as a mapping of names to values, not as {type(values).__name__}."
            )
        changed = {name: self._columns.array(name) for name in values}
        for name, array in changed.items():
            array[position] = values[name]
        # Only now, so that a value that does not fit leaves the row as it was.
        self.update(changed)

    def __delitem__(self, name: str) -> None:
        columns = self._columns
        columns.array(name)
        self._content.columns = columns.only(other for other in columns.values if other != name)
        self._content.handed.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        """Return a column whose name is no attribute, as a Series with the labels of the rows."""
        content = self.__dict__.get("_content")
        if content is None or name not in content.columns.values:
            known = [] if content is None else content.columns.values
            raise missing_attribute(type(self), name, of="attribute or column", columns=known)
        return later("column Series", self, name)

    def __setattr__(self, name: str, values: Any) -> None:
        """Change a column by its name, ``df.x = …`` for ``df["x"] = …``; as in pandas, none is made so."""
        if name.startswith("_") or hasattr(type(self), name):
            super().__setattr__(name, values)
        elif name in self:
            self[name] = values
        else:
            if not is_scalar(values):
                warn(f"df.{name} = … makes no column; write df[{name!r}] = … for one.", UserWarning)
            super().__setattr__(name, values)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(name for name in self.columns if name.isidentifier())]

    def assign(self, **kwargs: Any) -> Self:
        """Return the frame with more columns; each is what `df[name] = …` takes, or a function of the frame."""
        changed = self.copy()
        for name, values in kwargs.items():
            changed[name] = values(changed) if callable(values) else values
        return changed


def _updated(target: RowLabels, owns: Sequence[Array], labels: RowLabels, arrays: Sequence[Array]) -> list[Array]:
    """Return columns of the rows of a target with those of others, by labels, where these are not missing; lazy."""
    if target.are_those_of(labels):
        found, has_label = list(arrays), None
    else:
        matched = Matched.of(target, labels, arrays)
        found = [matched.array(number) for number in range(len(arrays))]
        has_label = pdarray(matched.frame, matched.has_label)
    updated = []
    for own, new in zip(owns, found, strict=True):
        is_new = pdarray(new._frame, present_among(new, new._value))
        updated.append(where(is_new if has_label is None else is_new & has_label, new, own))
    return updated
