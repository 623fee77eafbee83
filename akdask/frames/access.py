"""Access to a DataFrame: rows and cells by labels and positions, and columns by type."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import Labelled, unlabelled
from akdask.arrays.column_names import axis_number, check_names
from akdask.arrays.selection import position
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError, PositionError, SchemaError
from akdask.frames.columns import ColumnMethods
from akdask.frames.index import Index
from akdask.frames.indexers import CellIndexer, FrameILocIndexer, FrameLocIndexer
from akdask.frames.kinds import as_other_type
from akdask.frames.missing import MissingMethods
from akdask.frames.rows import RowMethods
from akdask.frames.to_pandas import with_exact_rows

ITERATED = 10_000
"""Rows that are brought into this process at a time."""

ORIENTS = ("dict", "list", "series", "split", "tight", "records", "index")

NUMBER_TYPES = ("int64", "uint64", "uint8", "float64")


class AccessMethods(ColumnMethods, RowMethods, MissingMethods):
    """Rows, cells and columns in pandas' ways."""

    @property
    def ndim(self) -> int:
        """Always 2."""
        return 2

    @property
    def loc(self) -> FrameLocIndexer:
        """Rows and columns by label: ``df.loc[df["x"] > 1, ["x", "y"]]``."""
        return FrameLocIndexer(self)

    @property
    def iloc(self) -> FrameILocIndexer:
        """Rows and columns by position: ``df.iloc[:10, 0]``."""
        return FrameILocIndexer(self)

    @property
    def at(self) -> CellIndexer:
        """One value by label and column: ``df.at["a", "x"]``."""
        return CellIndexer(self, by_position=False)

    @property
    def iat(self) -> CellIndexer:
        """One value by the positions of its row and column: ``df.iat[0, 1]``."""
        return CellIndexer(self, by_position=True)

    @classmethod
    def from_records(
        cls, data: Any, columns: Sequence[str] | None = None, exclude: Sequence[str] | None = None
    ) -> Self:
        """Return the DataFrame of rows at hand.

        Parameters
        ----------
        data : sequence of tuples or dicts, structured ndarray, or mapping
            The rows.
        columns : sequence of str, optional
            Names of the columns, and which to take of dicts.
        exclude : sequence of str, optional
            Columns to leave out.

        Raises
        ------
        ArgumentError
            If pandas makes no rows of it.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame.from_records([(1, "a"), (2, "b")], columns=["n", "s"]).to_pandas()
           n  s
        0  1  a
        1  2  b
        """
        try:
            names: Any = columns
            without: Any = exclude
            made = pd.DataFrame.from_records(data, columns=names, exclude=without)
        except (TypeError, ValueError, AssertionError) as error:
            raise ArgumentError(f"from_records: {error}.") from error
        from akdask.frames.dataframe import DataFrame

        frame: Self = DataFrame(made)
        return frame

    def to_dict(self, orient: str = "dict") -> Any:
        """Return the rows as dicts and lists of Python; computes.

        Parameters
        ----------
        orient : {"dict", "list", "series", "split", "tight", "records", "index"}
            Which: by columns and labels, by columns, one dict for each row, and so on, as
            ``pandas.DataFrame.to_dict`` has them.

        Raises
        ------
        ArgumentError
            If it is none of these.
        TransferError
            If they would take more than the setting ``max_transfer_bytes`` allows.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1, 2]}).to_dict("records")
        [{'x': 1}, {'x': 2}]
        """
        if orient not in ORIENTS:
            raise ArgumentError(f"to_dict: orient={orient!r} is none of {', '.join(ORIENTS)}.")
        rows: Any = self._at_hand()
        return rows.to_dict(orient)

    def iterrows(self, limit: int | None = None) -> Iterator[tuple[Hashable, pd.Series]]:
        """Iterate over labels and rows, these as pandas Series; computes some thousand rows at a time.

        Parameters
        ----------
        limit : int, optional
            Stop after so many rows.

        Examples
        --------
        >>> import akdask as ak
        >>> [(label, row["x"]) for label, row in ak.DataFrame({"x": [5, 6, 7]}).iterrows(limit=2)]
        [(0, np.int64(5)), (1, np.int64(6))]
        """
        for part in self._in_parts(limit):
            yield from with_exact_rows(part).iterrows()

    def itertuples(self, index: bool = True, name: str | None = "Pandas", limit: int | None = None) -> Iterator[Any]:
        """Iterate over rows as named tuples; computes some thousand rows at a time.

        Parameters
        ----------
        index : bool, default True
            Let the label of the row be the first field.
        name : str or None, default "Pandas"
            Name of the tuples' class; None for plain tuples.
        limit : int, optional
            Stop after so many rows.

        Examples
        --------
        >>> import akdask as ak
        >>> list(ak.DataFrame({"x": [5, 6, 7]}).itertuples(limit=2))
        [Pandas(Index=0, x=5), Pandas(Index=1, x=6)]
        """
        for part in self._in_parts(limit):
            yield from part.itertuples(index=index, name=name)

    def select_dtypes(self, include: Any = None, exclude: Any = None) -> Self:
        """Return the columns of some types; lazy.

        Parameters
        ----------
        include, exclude : str, type or list of them, optional
            Types as `dtypes` names them, such as ``"int64"``, ``"str"`` or ``"Categorical"``, types of NumPy, and
            ``"number"``, which includes spans of time, ``"object"`` for text, ``"category"``, ``"datetime"`` and
            ``"timedelta"``.

        Raises
        ------
        ArgumentError
            If neither is given, or both name a type.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1], "y": [1.5], "s": ["a"]}).select_dtypes("number").columns.tolist()
        ['x', 'y']
        """
        wanted, unwanted = _type_names(include), _type_names(exclude)
        if not wanted and not unwanted:
            raise ArgumentError("select_dtypes needs include or exclude.")
        if wanted & unwanted:
            raise ArgumentError(f"select_dtypes includes and excludes {', '.join(sorted(wanted & unwanted))}.")
        names = [
            name for name, dtype in self.dtypes.items() if (not wanted or dtype in wanted) and dtype not in unwanted
        ]
        return self._of(self._columns.only(names))

    def filter(self, items: Sequence[str] | None = None, like: str | None = None, regex: str | None = None) -> Self:
        """Return the columns whose names are chosen; lazy.

        Parameters
        ----------
        items : sequence of str, optional
            Names of columns; unknown names are ignored.
        like : str, optional
            Or part of names.
        regex : str, optional
            Or a regular expression that is found in names.

        Raises
        ------
        ArgumentError
            If not exactly one of them is given.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x1": [1], "x2": [2], "y": [3]}).filter(like="x").columns.tolist()
        ['x1', 'x2']
        """
        if sum(one is not None for one in (items, like, regex)) != 1:
            raise ArgumentError("filter takes one of items, like and regex.", hint="df[mask] chooses rows.")
        names = list(self._columns.values)
        if items is not None:
            chosen = [name for name in items if name in names]
        elif like is not None:
            chosen = [name for name in names if like in name]
        else:
            chosen = [name for name in names if re.search(str(regex), name)]
        return self._of(self._columns.only(chosen))

    def set_axis(self, labels: Any, axis: int | str = 0) -> Self:
        """Return the frame with other labels of rows, or with ``axis=1`` other names of columns; lazy."""
        changed = self.copy()
        if axis_number(axis) == 1:
            changed.columns = list(labels)
        else:
            changed.index = labels
        return changed

    def rename_axis(self, mapper: Hashable) -> Self:
        """Return the frame with another name of the labels of its rows; lazy."""
        columns = self._columns
        return self._of(columns.labelled(columns.index_array(), mapper))

    def squeeze(self, axis: int | str | None = None) -> Any:
        """Return the only column of a frame as a Series, and its only value where it has one row; else the frame."""
        if len(self.columns) != 1:
            return self
        (name,) = self.columns
        if axis is None and len(self) == 1:
            return self._column(name)[0]
        from akdask.frames.series import column_series

        return column_series(self, name)

    @property
    def axes(self) -> list[Any]:
        """Labels of the rows, and names of the columns."""
        return [self.index, self.columns]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], orient: str = "columns", columns: Sequence[str] | None = None) -> Self:
        """Return the DataFrame of a mapping.

        Parameters
        ----------
        data : mapping
            Columns by name, or with ``orient="index"`` rows by label.
        orient : {"columns", "index"}
            Meaning of the keys.
        columns : sequence of str, optional
            Names of the columns of rows.

        Raises
        ------
        ArgumentError
            If `orient` is something else.
        """
        from akdask.frames.dataframe import DataFrame

        if orient == "columns":
            frame: Self = DataFrame(dict(data))
            return frame
        if orient != "index":
            raise ArgumentError(f"from_dict: orient={orient!r} is neither 'columns' nor 'index'.")
        names: Any = columns
        made: Self = DataFrame(pd.DataFrame.from_dict(dict(data), orient="index", columns=names))
        return made

    def set_index(self, keys: Any, drop: bool = True, inplace: bool = False) -> Self | None:
        """Return the frame with its rows labelled by a column or an array; lazy.

        Parameters
        ----------
        keys : str, array or Series
            The labels.
        drop : bool, default True
            Take the column out of the others.
        inplace : bool, default False
            Change this frame and return None.

        Raises
        ------
        MissingColumnError
            If there is no column of that name.
        ArgumentTypeError
            If `keys` has several columns; rows of a DataFrame have labels of one level here.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"k": ["a", "b"], "x": [1, 2]}).set_index("k").to_pandas()
           x
        k
        a  1
        b  2
        """
        if isinstance(keys, list) and len(keys) == 1:
            (keys,) = keys
        columns = self._columns
        if isinstance(keys, str):
            labelled = columns.labelled(columns.array(keys), keys)
            if drop:
                labelled = labelled.only(name for name in columns.values if name != keys)
            return self._changed(labelled, inplace)
        item = unlabelled(keys)
        if isinstance(item, list | tuple) and (
            not item or not pd.api.types.is_scalar(item[0]) or item[0] in columns.values
        ):
            raise ArgumentTypeError(
                "rows of a DataFrame have labels of one level.", hint="keep further keys as columns; group by several."
            )
        labels = Index(item)
        name = getattr(keys, "name", None) if isinstance(keys, Labelled) else None
        return self._changed(columns.labelled(labels.values, name), inplace)

    def insert(self, loc: int, column: str, value: Any, allow_duplicates: bool = False) -> None:
        """Put a column into this frame at a place among the others.

        Parameters
        ----------
        loc : int
            How many columns stand before it.
        column : str
            Its name.
        value : array, data at hand, or scalar
            Values as for `df[column] = …`.
        allow_duplicates : False
            Accepted for compatibility with pandas; names are all different.

        Raises
        ------
        SchemaError
            If there is a column of that name.
        PositionError
            If there are not as many columns.
        """
        names = list(self.columns)
        if column in names:
            raise SchemaError(f"there is a column {column!r} already.", hint="assign to it: df['x'] = …")
        if not 0 <= position(loc) <= len(names):
            raise PositionError(f"a column is inserted at 0 to {len(names)}, not at {loc}.")
        check_names([column])
        self[column] = value
        self._become(self._columns.only([*names[:loc], column, *names[loc:]]))

    def isnull(self) -> Self:
        """Return which values are missing; the same as `isna`."""
        return self.isna()

    def notnull(self) -> Self:
        """Return which values are not missing; the same as `notna`."""
        return self.notna()

    def take(self, indices: Any) -> Self:
        """Return the rows at positions; lazy, but rows of unknown number may be counted."""
        rows: Self = self._rows(indices if isinstance(indices, Array) else np.asarray(indices, np.int64))
        return rows

    def astype(self, dtype: Any) -> Self:
        """Return the columns converted to another type; lazy.

        Parameters
        ----------
        dtype : dtype-like, or mapping of str to dtype-like
            One type for all columns, or types by name.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError, ArgumentError
            If a column cannot become of that type; see `cast`.
        ConversionError
            When computed, if a missing or infinite number becomes an integer.  Missing values stay missing as text.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1, 2], "y": [3, 4]}).astype({"x": float}).dtypes
        {'x': 'float64', 'y': 'int64'}
        """
        columns = self._columns
        wanted = dict(dtype) if isinstance(dtype, Mapping) else dict.fromkeys(columns.values, dtype)
        made: dict[str, Array] = {name: columns.array(name) for name in columns.values}
        for name, kind in wanted.items():
            made[name] = as_other_type(columns.array(name), kind)
        return self._of(columns.beside(made))

    def add_prefix(self, prefix: str) -> Self:
        """Return the columns with text before their names."""
        return self._of(self._columns.renamed({name: f"{prefix}{name}" for name in self.columns}))

    def add_suffix(self, suffix: str) -> Self:
        """Return the columns with text behind their names."""
        return self._of(self._columns.renamed({name: f"{name}{suffix}" for name in self.columns}))

    def pipe(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function with the frame: ``df.pipe(f, 1)`` for ``f(df, 1)``."""
        return func(self, *args, **kwargs)

    def _at_hand(self) -> pd.DataFrame:
        found: pd.DataFrame = self.compute()
        return found

    def _in_parts(self, limit: int | None) -> Iterator[pd.DataFrame]:
        """Yield some thousand rows at a time."""
        rows = self if limit is None else self.head(max(int(limit), 0))
        total = len(rows)
        for start in range(0, total, ITERATED):
            part = rows._rows(slice(start, start + ITERATED))
            yield part._at_hand()


def _type_names(types: Any) -> set[str]:
    """Return types as `DataFrame.dtypes` names them."""
    if types is None:
        return set()
    found: set[str] = set()
    for one in types if isinstance(types, list | tuple | set | frozenset) else [types]:
        known = _GENERIC.get(one if isinstance(one, str) else getattr(one, "__name__", ""))
        if known is not None:
            found |= set(known)
            continue
        try:
            name = np.dtype(one).name
        except TypeError:
            name = one if isinstance(one, str) else getattr(one, "__name__", str(one))
        found.add(name)
    return found


_GENERIC: dict[str, tuple[str, ...]] = {
    "number": (*NUMBER_TYPES, "bigint", "Timedelta"),
    "integer": ("int64", "uint64", "uint8", "bigint"),
    "floating": ("float64",),
    "int": ("int64",),
    "float": ("float64",),
    "bool": ("bool",),
    "bool_": ("bool",),
    "object": ("str",),
    "object_": ("str",),
    "str": ("str",),
    "string": ("str",),
    "category": ("Categorical",),
    "Categorical": ("Categorical",),
    "datetime": ("Datetime",),
    "datetime64": ("Datetime",),
    "timedelta": ("Timedelta",),
    "timedelta64": ("Timedelta",),
}
