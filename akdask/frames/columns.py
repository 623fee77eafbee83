"""Columns of a DataFrame by name, as in a dict, and renaming."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Self

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import Labelled, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.column_names import axis_number, check_names
from akdask.arrays.creation import array as as_array
from akdask.arrays.operators import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.substitutes import missing_attribute
from akdask.engine.sources import counted
from akdask.errors import ArgumentError, ArgumentTypeError, warn
from akdask.frames.alignment import Matched, RowLabelled, RowLabels, as_labelled, on_rows_of
from akdask.frames.base import FrameBase
from akdask.frames.build import arrays_of, is_scalar, spread
from akdask.frames.columnset import ColumnSet
from akdask.frames.index import Index
from akdask.frames.missing import present_among
from akdask.frames.rows_by_label import as_mask


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

    def get(self, name: str | list[str], default: Any = None) -> Any:
        """Return a column, or a frame of a list of columns; the default if a column is missing."""
        if isinstance(name, list):
            return self._of(self._columns.only(name)) if all(one in self for one in name) else default
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
            has are left out, as in pandas.  A mapping replaces columns and adds new ones.

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

        A mask in place of the name assigns to the rows, a DataFrame of bool to the cells, where it is True.  An int
        assigns the values of a mapping to that row.  A list of names takes another DataFrame, or a sequence with a
        column for each name.

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
        from akdask.frames.series import column_series

        return column_series(values, values.columns[0])

    def _set_columns(self, names: list[str], values: Any) -> None:
        """Assign several columns: the columns of another frame in their order, or a scalar for all."""
        values = as_labelled(values)
        if isinstance(values, FrameBase):
            from akdask.frames.series import column_series

            given: list[Any] = [column_series(values, name) for name in values.columns]
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
        from akdask.frames.series import column_series

        return column_series(self, name)

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
        """Return the frame with more columns; each is a value as for `df[name] = …`, or a function of the frame."""
        changed = self.copy()
        for name, values in kwargs.items():
            changed[name] = values(changed) if callable(values) else values
        return changed


def _updated(target: RowLabels, owns: Sequence[Array], labels: RowLabels, arrays: Sequence[Array]) -> list[Array]:
    """Return columns of a target, replaced by the values of others, by labels, unless these are missing; lazy."""
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


Renaming = Mapping[Any, Any] | Callable[[Any], Any]


class RenameMethods(FrameBase):
    """Renaming."""

    def rename(
        self,
        mapper: Renaming | None = None,
        index: Renaming | None = None,
        column: Renaming | None = None,
        axis: int | str = 0,
        inplace: bool = False,
        *,
        columns: Renaming | None = None,
    ) -> Self | None:
        """Return the frame with other names of columns, other labels of rows, or both; lazy.

        Parameters
        ----------
        mapper : mapping or callable, optional
            Old to new names or labels, as `axis` has it.
        index : mapping or callable, optional
            Old to new labels of rows.  A function computes, for it is given every label.
        column : mapping or callable, optional
            Old to new names of columns.
        axis : {0, 1, "index", "column"}
            Use of `mapper`: labels of rows, or names of columns.
        inplace : bool
            Change this frame and return None.
        columns : mapping or callable, optional
            The same as `column`, as pandas spells it.

        Raises
        ------
        ArgumentError
            If neither names nor labels are to change, or both by `index` and `column`, which Arkouda does one at a
            time; or if two columns would have the same name.
        ArgumentTypeError
            If new labels are of another type than the old ones.

        Notes
        -----
        Names and labels that are not there are passed over, as in Arkouda.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"A": [1, 2, 3]})
        >>> df.rename(column={"A": "a"}).rename(index={0: 99, 2: 11}).to_pandas(retain_index=True)
            a
        99  1
        1   2
        11  3
        """
        if column is not None and index is not None:
            raise ArgumentError(
                "either columns or labels of rows are renamed.", hint="columns= and index= go together."
            )
        column = columns if column is None else column
        if axis_number(axis) == 1:
            column = mapper if column is None else column
        else:
            index = mapper if index is None else index
        if column is None and index is None:
            raise ArgumentError("nothing is renamed.", hint="pass columns= or index=.")
        found = self._columns
        found = found if column is None else _renamed(found, column)
        return self._changed(found if index is None else relabelled(found, index), inplace)


def _renamed(columns: ColumnSet, names: Any) -> ColumnSet:
    new = {name: _one(names, name) for name in columns.values}
    check_names(new.values())
    if len(set(new.values())) < len(new):
        raise ArgumentError("two columns would have the same name.", details=[str(list(new.values()))])
    return columns.renamed(new)


def relabelled(columns: ColumnSet, names: Any) -> ColumnSet:
    """Return columns with other labels of their rows, by a mapping or a function, which computes."""
    labels: Any = columns.index_array()
    labels = labels.to_strings() if isinstance(labels, Categorical) else labels
    if callable(names):
        columns.counted()
        new = _same_kind(labels, [names(label) for label in labels.tolist()])
    elif not isinstance(names, Mapping):
        raise _no_renaming(names)
    else:
        # Only for their types.
        _same_kind(labels, list(names)), _same_kind(labels, list(names.values()))
        new = reduce(lambda found, pair: where(labels == pair[0], pair[1], found), names.items(), labels)
    return columns.labelled(new, columns.index_name)


def _one(names: Any, name: str) -> Any:
    if callable(names):
        return names(name)
    if isinstance(names, Mapping):
        return names.get(name, name)
    raise _no_renaming(names)


def _no_renaming(names: Any) -> ArgumentTypeError:
    return ArgumentTypeError(f"names are changed by a mapping or a function, not by {type(names).__name__}.")


def _same_kind(labels: Array, items: list[Any]) -> Array:
    """Return items as an array of the type of labels, which they keep when some are renamed."""
    made: Array = as_array(items) if items else labels[:0]
    if made._value.dtype.kind != labels._value.dtype.kind:
        raise ArgumentTypeError(
            f"labels of {labels._value.dtype} are renamed to others of the same type, not to {made._value.dtype}."
        )
    return made
