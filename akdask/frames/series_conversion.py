"""Conversion of a Series to NumPy, lists, a DataFrame or text, and its display."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Self

import numpy as np

from akdask.arrays.concatenation import concatenate
from akdask.arrays.display import HtmlDisplay, counted, lazy_text
from akdask.deferred import pd
from akdask.errors import ArgumentTypeError, PositionError
from akdask.frames.alignment import on_all_labels
from akdask.frames.dataframe import DataFrame
from akdask.frames.display import edge_rows
from akdask.frames.index import Index, convert_bytes
from akdask.frames.kinds import as_other_type
from akdask.frames.series_base import VALUES, SeriesBase, SeriesOperators, level_column


class SeriesJoining(SeriesOperators):
    """Putting Series together."""

    @classmethod
    def concat(
        cls,
        arrays: Sequence[Any],
        axis: int = 0,
        index_labels: Sequence[str] | None = None,
        value_labels: Sequence[str] | None = None,
        ordered: bool = False,
    ) -> Any:
        """Put Series, or pairs of keys and values of groups, below each other or side by side.

        Parameters
        ----------
        arrays : list of Series, or list of tuple
            At least one, all of one type.
        axis : {0, 1}
            0 puts them below each other; 1 side by side, by their labels.
        index_labels : list of str, optional
            With ``axis=1``, names of the columns of labels.
        value_labels : list of str, optional
            With ``axis=1``, names of the columns of values: ``val_0``, ``val_1`` and so on unless given.
        ordered : bool
            Accepted for compatibility with Arkouda; the order is always kept.

        Returns
        -------
        Series, or DataFrame
            A DataFrame of labels and values with ``axis=1``; values are 0 for labels that a Series lacks.

        Raises
        ------
        PositionError
            If there are none.
        ArgumentTypeError
            If they are of several types.

        Examples
        --------
        >>> import akdask as ak
        >>> one, two = ak.Series([1, 2], index=["a", "b"]), ak.Series([3, 4], index=["b", "c"])
        >>> ak.Series.concat([one, two]).to_pandas().to_dict() == {"a": 1, "b": 3, "c": 4}
        True
        >>> ak.Series.concat([one, two], axis=1).to_pandas()
          idx  val_0  val_1
        0   a      1      0
        1   b      2      3
        2   c      0      4
        """
        series = cls._as_series(arrays)
        if axis == 1:
            names = value_labels or [f"val_{number}" for number in range(len(series))]
            found, values = series[0]._row_labels, [series[0].values]
            for one in series[1:]:
                joined = on_all_labels(found, values, one._row_labels, [one.values], cls._rules.absent_operand)
                found, values = joined.labels, [*joined.ones, *joined.others]
            labels = series[0]._named_index(found.arrays).to_dict(None if index_labels is None else [*index_labels])
            return DataFrame({**labels, **dict(zip(map(str, names), values, strict=True))})
        joined = reduce(lambda one, other: one.concat(other), [one.index for one in series])
        return cls._of(concatenate([one.values for one in series]), joined)

    @classmethod
    def pdconcat(cls, arrays: Sequence[Any], axis: int = 0, labels: Any = None) -> pd.Series | pd.DataFrame:
        """Put Series, or pairs of keys and values of groups, together as pandas does; computes.

        Parameters
        ----------
        arrays : list of Series, or list of tuple
            At least one, all of one type.
        axis : {0, 1}
            Below each other, or side by side, where all have the labels of the first.
        labels : Strings or sequence of str, optional
            With ``axis=1``, names of the columns.

        Raises
        ------
        PositionError
            If there are none.
        ArgumentTypeError
            If they are of several types.
        """
        series = [one.to_pandas() for one in cls._as_series(arrays)]
        if axis != 1:
            return pd.concat(series)
        index = series[0].index
        frame = pd.concat([pd.Series(one.to_numpy(), index=index) for one in series], axis=1)
        if labels is not None:
            frame.columns = pd.Index(np.asarray(labels))
        return frame

    @classmethod
    def _as_series(cls, arrays: Sequence[Any]) -> list[Any]:
        """Return Series, made of pairs of keys and values where these are given."""
        arrays = list(arrays)
        if not arrays:
            raise PositionError("concat needs at least one Series.")
        kinds = {type(item) for item in arrays}
        if len(kinds) > 1 or not isinstance(arrays[0], SeriesBase | tuple):
            raise ArgumentTypeError(
                f"Series are put together with Series, not with {', '.join(sorted(kind.__name__ for kind in kinds))}."
            )
        if isinstance(arrays[0], tuple):
            return [cls._of(values, Index.factory(keys)) for keys, values in arrays]
        return arrays


class SeriesConversion(HtmlDisplay, SeriesJoining):
    """Ways out, and display."""

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array; computes."""
        return np.asarray(self.values.to_ndarray())

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array; see `pdarray.to_numpy`.  Computes."""
        return np.asarray(self, dtype=dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.to_ndarray(), dtype=dtype)

    def tolist(self) -> list[Any]:
        """Return the values as a list; computes."""
        return list(self.values.tolist() if self._lacking is None else self.to_pandas().tolist())

    def to_list(self) -> list[Any]:
        """Return the values as a list: the name of pandas and of older Arkouda releases.  Computes."""
        return self.tolist()

    def to_dict(self) -> dict[Any, Any]:
        """Return the values by their labels; computes."""
        return self.to_pandas().to_dict()

    def to_dataframe(self, index_labels: Sequence[str] | None = None, value_label: str | None = None) -> Any:
        """Return labels and values as columns of a DataFrame; lazy.

        Parameters
        ----------
        index_labels : list of str, optional
            Names of the columns of labels: their own, or ``idx``, unless given.
        value_label : str, optional
            Name of the column of values: ``val_0`` unless given.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([5, 6], index=["a", "b"]).to_dataframe(["letter"], "number").to_pandas()
          letter  number
        0      a       5
        1      b       6
        """
        return self.concat([self], 1, index_labels, None if value_label is None else [value_label])

    def to_frame(self, name: str | None = None) -> Any:
        """Return the values as the only column of a DataFrame with these labels; lazy.

        Parameters
        ----------
        name : str, optional
            Name of the column: that of the Series, or ``0``, unless given.

        Notes
        -----
        Labels of several levels are columns as well, as rows of a DataFrame have labels of one level.
        """
        called = name if name is not None else "0" if self.name is None else str(self.name)
        if self._level_names:
            return self.reset_index(name=called)
        return DataFrame({called: self.values}, self.index)

    def to_markdown(
        self, mode: str = "wt", index: bool = True, tablefmt: str = "grid", storage_options: Any = None, **kwargs: Any
    ) -> str | None:
        """Return labels and values as a table in text, or write it to a file; computes.  See `DataFrame.to_markdown`.

        Parameters
        ----------
        mode : str
            How a file is opened that is named by ``buf=``.
        index : bool
            Show the labels.
        tablefmt : str, default "grid"
            A format of the package tabulate, which must be installed.
        storage_options : dict, optional
            Options with which fsspec opens a URL.
        **kwargs
            Further arguments of ``pandas.Series.to_markdown``.
        """
        rows: Any = self.to_pandas()
        text: str | None = rows.to_markdown(
            mode=mode, index=index, tablefmt=tablefmt, storage_options=storage_options, **kwargs
        )
        return text

    def copy(self) -> Self:
        """Return a copy; it shares the data, which never change."""
        return self._moved(self._labelled.copy())

    def astype(self, dtype: Any) -> Self:
        """Return the values converted to another type, with the same labels; lazy.  See `pdarray.astype`.

        Missing values stay missing as text, and ``"category"`` makes a Categorical of text.

        Raises
        ------
        UnsupportedError
            If times are to become text, which `strftime` makes of them.
        ConversionError
            When computed, if a missing or infinite number becomes an integer.
        """
        return self._with(as_other_type(self.values, dtype))

    def memory_usage(self, index: bool = True, unit: str = "B") -> int | float:
        """Return how much memory the values take when they are in memory, in bytes as an int; computes for text.

        Parameters
        ----------
        index : bool
            Add the labels.
        unit : {"B", "KB", "MB", "GB"}
            The unit.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series(ak.arange(3)).memory_usage()
        48
        """
        own = convert_bytes(self.values.nbytes, unit)
        return own + self.index.memory_usage(unit) if index else own

    def __repr__(self) -> str:
        shown = edge_rows(self._labelled)
        if shown is None:
            return f"<Series({self.values._describe()}): {lazy_text(self._labelled)}>"
        return self._as_text(shown)

    def _as_text(self, shown: pd.DataFrame) -> str:
        """Return first and last rows as pandas writes a Series."""
        if self._level_names:
            levels = [shown[level_column(number)] for number in range(len(self._level_names))]
            shown.index = pd.MultiIndex.from_arrays(levels, names=list(self._level_names))
        values: Any = shown[VALUES].rename(self.name)
        if not len(values):
            return "Series([ -- ][ 0 values : 0 B])"
        size = self.rows.size
        length = "" if size is None or size == len(values) else f"\nLength {size}"
        most = pd.get_option("display.max_rows")
        text = values.to_string(
            dtype=values.dtype, min_rows=pd.get_option("display.min_rows"), max_rows=most, length=False
        )
        return f"{text}{length}"

    def _title(self) -> str:
        return f"Series: {self.values._type_name()}, {counted(self.rows, 'value')}"
