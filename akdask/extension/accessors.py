"""``s.ak``, ``df.ak`` and ``index.ak``: from pandas' own arrays to lazy ones, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import register_dataframe_accessor, register_index_accessor, register_series_accessor

from akdask._pandas_names import remove_accessors
from akdask.arrays.array import Array
from akdask.arrays.groupby import GroupBy
from akdask.errors import ArgumentTypeError
from akdask.extension.base import ArkoudaExtensionArray, as_lazy
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.frames.series import Series

remove_accessors()


def wrapped(data: Array) -> ArkoudaExtensionArray:
    """Return a lazy array as pandas wants it."""
    return ArkoudaExtensionArray._from_sequence(data)


def _is_lazy(values: Any) -> bool:
    return isinstance(getattr(values, "array", None), ArkoudaExtensionArray)


def _collected(values: Any) -> Any:
    """Return the elements of a Series or Index in pandas' own types."""
    if not _is_lazy(values):
        return values.array
    found = values.array._in_pandas()
    # pandas has a type of its own for text since version 3.
    return pd.array(found, dtype=pd.Series([""]).dtype) if values.dtype.type is str else found


@register_index_accessor("ak")
class ArkoudaIndexAccessor:
    """Labels of pandas as lazy ones.

    Parameters
    ----------
    pandas_obj : pandas.Index
        The labels.

    Examples
    --------
    >>> index = pd.Index([3, 1]).ak.to_ak()
    >>> index.ak.is_arkouda, index.ak.collect().tolist()
    (True, [3, 1])
    """

    def __init__(self, pandas_obj: pd.Index) -> None:
        self._obj = pandas_obj

    def to_ak(self) -> pd.Index:
        """Return the labels as lazy arrays; each level has its own.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.to_ak().dtype
        ArkoudaInt64Dtype('int64')
        """
        if isinstance(self._obj, pd.MultiIndex):
            levels: list[Any] = [pd.Index(wrapped(as_lazy(level))) for level in self._obj.levels]
            return self._obj.set_levels(levels, verify_integrity=False)
        return pd.Index(wrapped(as_lazy(self._obj)), name=self._obj.name)

    def collect(self) -> pd.Index:
        """Return the labels in pandas' own types; computes.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.to_ak().ak.collect()
        Index([3, 1], dtype='int64')
        """
        if isinstance(self._obj, pd.MultiIndex):
            levels: list[Any] = [pd.Index(_collected(level)) for level in self._obj.levels]
            return self._obj.set_levels(levels, verify_integrity=False)
        labels: pd.Index = pd.Index(_collected(self._obj), name=self._obj.name)
        return labels

    def to_ak_legacy(self) -> Index:
        """Return the labels as an `akdask.Index` or `MultiIndex`.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.to_ak().ak.to_ak_legacy().tolist()
        [3, 1]
        """
        if isinstance(self._obj, pd.MultiIndex):
            levels = [as_lazy(self._obj.get_level_values(number)) for number in range(self._obj.nlevels)]
            return MultiIndex(levels, names=list(self._obj.names))
        return Index(as_lazy(self._obj), self._obj.name)

    @staticmethod
    def from_ak_legacy(akidx: Index) -> pd.Index:
        """Return an `akdask.Index` as labels of pandas; several levels are computed.

        Parameters
        ----------
        akidx : Index or MultiIndex
            The labels.

        Raises
        ------
        ArgumentTypeError
            If it is neither.

        Examples
        --------
        >>> pd.Index.ak.from_ak_legacy(ak.Index(ak.array([3, 1]))).tolist()
        [3, 1]
        """
        if not isinstance(akidx, Index | MultiIndex):
            raise ArgumentTypeError(f"from_ak_legacy takes an akdask.Index, not {type(akidx).__name__}.")
        if isinstance(akidx, MultiIndex):
            arrays = [pd.Index(wrapped(level)) for level in akidx.levels]
            return pd.MultiIndex.from_arrays(arrays, names=akidx.names)
        return pd.Index(wrapped(akidx.values), name=akidx.name)

    @property
    def is_arkouda(self) -> bool:
        """Whether the labels, or the labels of all levels, are lazy.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.is_arkouda
        False
        """
        if isinstance(self._obj, pd.MultiIndex):
            return all(map(_is_lazy, self._obj.levels))
        return _is_lazy(self._obj)

    def concat(self, other: Any) -> pd.Index:
        """Return the labels followed by others; see `Index.concat`.

        Raises
        ------
        ArgumentTypeError
            If the others are no Index of pandas.

        Examples
        --------
        >>> index = pd.Index([3, 1]).ak.to_ak()
        >>> index.ak.concat(index).tolist()
        [3, 1, 3, 1]
        """
        if not isinstance(other, pd.Index):
            raise ArgumentTypeError(f"concat puts an Index of pandas behind, not {type(other).__name__}.")
        return self.from_ak_legacy(self.to_ak_legacy().concat(_legacy_index(other)))

    def lookup(self, key: Any) -> Any:
        """Return which labels are among given ones, as a lazy array; see `Index.lookup`.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.to_ak().ak.lookup(ak.array([1])).tolist()
        [False, True]
        """
        return self.to_ak_legacy().lookup(_legacy_index(key) if isinstance(key, pd.Index) else key)

    def to_dict(self, labels: Any = None) -> dict[Any, Any]:
        """Return the levels as lazy arrays by their names; see `Index.to_dict`.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.to_ak().ak.to_dict("x")["x"].tolist()
        [3, 1]
        """
        return self.to_ak_legacy().to_dict(labels)

    def to_hdf(
        self, prefix_path: Any, dataset: str = "index", mode: str = "truncate", file_type: str = "distribute"
    ) -> None:
        """Write the labels to HDF5 files; see `Index.to_hdf`.  Computes.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.to_ak().ak.to_hdf("labels")
        >>> ak.get_datasets("labels*")
        ['index']
        """
        self.to_ak_legacy().to_hdf(prefix_path, dataset, mode, file_type)

    def update_hdf(self, prefix_path: Any, dataset: str = "index", repack: bool = True) -> None:
        """Replace labels in HDF5 files; see `Index.update_hdf`.  Computes.

        Examples
        --------
        >>> index = pd.Index([3, 1]).ak.to_ak()
        >>> index.ak.to_hdf("labels")
        >>> index.ak.update_hdf("labels", "more")
        >>> ak.get_datasets("labels*")
        ['index', 'more']
        """
        self.to_ak_legacy().update_hdf(prefix_path, dataset, repack)

    def to_parquet(self, prefix_path: Any, dataset: str = "index", mode: str = "truncate") -> None:
        """Write the labels to Parquet files; see `Index.to_parquet`.  Computes.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.to_ak().ak.to_parquet("labels")
        >>> ak.get_datasets("labels*")
        ['index']
        """
        self.to_ak_legacy().to_parquet(prefix_path, dataset, mode)

    def to_csv(self, prefix_path: Any, dataset: str = "index") -> None:
        """Write the labels to CSV files; see `Index.to_csv`.  Computes.

        Examples
        --------
        >>> pd.Index([3, 1]).ak.to_ak().ak.to_csv("labels")
        >>> ak.get_datasets("labels*")
        ['index']
        """
        self.to_ak_legacy().to_csv(prefix_path, dataset)


def _legacy_index(index: Any) -> Index:
    return ArkoudaIndexAccessor(index).to_ak_legacy() if isinstance(index, pd.Index) else index


@register_series_accessor("ak")
class ArkoudaSeriesAccessor:
    """A Series of pandas as a lazy one.

    Parameters
    ----------
    pandas_obj : pandas.Series
        The Series.

    Examples
    --------
    >>> s = pd.Series([1, 2, 3], name="n").ak.to_ak()
    >>> s.dtype, s.ak.is_arkouda, (s + 1).ak.collect().tolist()
    (ArkoudaInt64Dtype('int64'), True, [2, 3, 4])
    """

    def __init__(self, pandas_obj: pd.Series) -> None:
        self._obj = pandas_obj

    def to_ak(self) -> pd.Series:
        """Return the Series with values and labels in lazy arrays.

        Examples
        --------
        >>> pd.Series([3, 1]).ak.to_ak().dtype
        ArkoudaInt64Dtype('int64')
        """
        if self.is_arkouda:
            return self._obj
        index = ArkoudaIndexAccessor(self._obj.index).to_ak()
        return pd.Series(wrapped(as_lazy(self._obj)), index=index, name=self._obj.name)

    def collect(self) -> pd.Series:
        """Return the Series with values and labels in pandas' own types; computes.

        Examples
        --------
        >>> pd.Series([3, 1]).ak.to_ak().ak.collect().tolist()
        [3, 1]
        """
        index = ArkoudaIndexAccessor(self._obj.index).collect()
        return pd.Series(_collected(self._obj), index=index, name=self._obj.name)

    def to_ak_legacy(self) -> Series:
        """Return the Series as an `akdask.Series`.

        Examples
        --------
        >>> pd.Series([3, 1]).ak.to_ak_legacy().values
        array([3 1])
        """
        return Series(as_lazy(self._obj), self._obj.name, ArkoudaIndexAccessor(self._obj.index).to_ak_legacy())

    @staticmethod
    def from_ak_legacy(akarr: Any, name: Any = None) -> pd.Series:
        """Return a lazy array, or an `akdask.Series`, as a Series of pandas.

        Parameters
        ----------
        akarr : pdarray, Strings, Categorical or Series
            The values.
        name : hashable, optional
            Name of the values; unchanged by default.

        Examples
        --------
        >>> pd.Series.ak.from_ak_legacy(ak.array([3, 1]), name="x").dtype
        ArkoudaInt64Dtype('int64')
        """
        if isinstance(akarr, Series):
            index = ArkoudaIndexAccessor.from_ak_legacy(akarr.index)
            return pd.Series(wrapped(akarr.values), index=index, name=akarr.name if name is None else name)
        values = wrapped(akarr)
        index = ArkoudaIndexAccessor(pd.RangeIndex(len(values))).to_ak()
        return pd.Series(values, index=index, name=name)

    @property
    def is_arkouda(self) -> bool:
        """Whether values and labels are lazy.

        Examples
        --------
        >>> pd.Series([3, 1]).ak.is_arkouda
        False
        """
        return _is_lazy(self._obj) and ArkoudaIndexAccessor(self._obj.index).is_arkouda

    def locate(self, key: Any) -> pd.Series:
        """Return the entries with given labels; see `Series.locate`.

        Parameters
        ----------
        key : scalar, array, Index, list or tuple, or Series
            Labels, of pandas or lazy.

        Examples
        --------
        >>> pd.Series([3, 1], index=[7, 8]).ak.to_ak().ak.locate(8).tolist()
        [1]
        """
        if isinstance(key, pd.Index):
            key = _legacy_index(key)
        elif isinstance(key, pd.Series):
            key = ArkoudaSeriesAccessor(key).to_ak_legacy()
        return self.from_ak_legacy(self.to_ak_legacy().locate(key))

    def groupby(self) -> GroupBy:
        """Return the values grouped, as an `akdask.GroupBy`; lazy.

        Examples
        --------
        >>> pd.Series([3, 1, 3]).ak.to_ak().ak.groupby().size()[1].tolist()
        [1, 2]
        """
        self._check("groupby")
        return GroupBy(as_lazy(self._obj))

    def argsort(self, *, ascending: bool = True, na_position: str = "last", **kwargs: Any) -> pd.Series:
        """Return the positions that put the values in order, with the labels of the Series; computes.

        Parameters
        ----------
        ascending : bool, default True
            The direction.
        na_position : {"last", "first"}
            Where missing values go.
        **kwargs
            Further arguments of pandas, which are ignored.

        Raises
        ------
        ArgumentTypeError
            If the Series is not lazy.
        ArgumentError
            If `na_position` is another word.

        Examples
        --------
        >>> pd.Series([3, 1]).ak.to_ak().ak.argsort().tolist()
        [1, 0]
        """
        self._check("argsort")
        positions: Any = self._obj.array
        order = positions.argsort(ascending=ascending, na_position=na_position)
        found = as_lazy(np.asarray(order, np.int64))
        return pd.Series(wrapped(found), index=self._obj.index, name=self._obj.name)

    def apply(self, func: Callable[[Any], Any], result_dtype: Any = None) -> pd.Series:
        """Return a function's result for each value; computes.

        Parameters
        ----------
        func : callable
            Runs in this process.
        result_dtype : dtype-like, optional
            Type of the results; inferred by default.

        Raises
        ------
        ArgumentTypeError
            If the Series is not lazy.

        Examples
        --------
        >>> pd.Series([3, 1]).ak.to_ak().ak.apply(lambda x: x + 1).tolist()
        [4, 2]
        """
        self._check("apply")
        found = [func(item) for item in self._obj]
        made = as_lazy(np.array(found) if result_dtype is None else np.array(found, result_dtype))
        return pd.Series(wrapped(made), index=self._obj.index, name=self._obj.name)

    def _check(self, name: str) -> None:
        if not _is_lazy(self._obj):
            raise ArgumentTypeError(f"{name} needs a lazy Series.", hint="s.ak.to_ak() makes one.")


@register_dataframe_accessor("ak")
class ArkoudaDataFrameAccessor:
    """A DataFrame of pandas as a lazy one.

    Parameters
    ----------
    pandas_obj : pandas.DataFrame
        The DataFrame.

    Examples
    --------
    >>> df = pd.DataFrame({"x": [1, 2], "s": ["a", "b"]}).ak.to_ak()
    >>> [dtype.name for dtype in df.dtypes]
    ['int64', 'string']
    """

    def __init__(self, pandas_obj: pd.DataFrame) -> None:
        self._obj = pandas_obj

    def to_ak(self) -> pd.DataFrame:
        """Return the DataFrame with all columns in lazy arrays.

        Examples
        --------
        >>> pd.DataFrame({"x": [3, 1]}).ak.to_ak().dtypes["x"]
        ArkoudaInt64Dtype('int64')
        """
        columns = {name: wrapped(as_lazy(self._obj[name])) for name in self._obj.columns}
        return pd.DataFrame(columns, index=self._obj.index)

    def collect(self) -> pd.DataFrame:
        """Return the DataFrame with all columns in pandas' own types; computes.

        Examples
        --------
        >>> pd.DataFrame({"x": [3, 1]}).ak.to_ak().ak.collect().dtypes["x"]
        dtype('int64')
        """
        columns = {name: _collected(self._obj[name]) for name in self._obj.columns}
        return pd.DataFrame(columns, index=ArkoudaIndexAccessor(self._obj.index).collect())

    def to_ak_legacy(self) -> DataFrame:
        """Return the DataFrame as an `akdask.DataFrame`, with its labels unless they are row numbers.

        Examples
        --------
        >>> pd.DataFrame({"x": [3, 1]}).ak.to_ak().ak.to_ak_legacy()["x"]
        array([3 1])
        """
        columns = {str(name): as_lazy(self._obj[name]) for name in self._obj.columns}
        numbers = pd.RangeIndex(len(self._obj))
        is_numbered = isinstance(self._obj.index, pd.RangeIndex) and self._obj.index.identical(numbers)
        return DataFrame(columns, None if is_numbered else ArkoudaIndexAccessor(self._obj.index).to_ak_legacy())

    @staticmethod
    def from_ak_legacy(akdf: DataFrame) -> pd.DataFrame:
        """Return an `akdask.DataFrame` as one of pandas with lazy columns.

        Parameters
        ----------
        akdf : DataFrame
            The frame.

        Examples
        --------
        >>> pd.DataFrame.ak.from_ak_legacy(ak.DataFrame({"x": [3, 1]})).dtypes["x"]
        ArkoudaInt64Dtype('int64')
        """
        columns = {name: wrapped(akdf[name]) for name in akdf.columns}
        return pd.DataFrame(columns, index=ArkoudaIndexAccessor.from_ak_legacy(akdf.index))

    @staticmethod
    def _assert_all_arkouda(df: Any, side: str) -> None:
        if not isinstance(df, pd.DataFrame):
            raise ArgumentTypeError(f"{side} must be a DataFrame of pandas, not {type(df).__name__}.")
        others = [name for name in df.columns if not _is_lazy(df[name])]
        if others:
            raise ArgumentTypeError(
                f"merge needs DataFrames with lazy columns, and some of the {side} one are not: {others}.",
                hint="df.ak.to_ak() makes one.",
            )

    def merge(  # noqa: PLR0917 - Arkouda's signature
        self,
        right: pd.DataFrame,
        on: Any = None,
        left_on: Any = None,
        right_on: Any = None,
        how: str = "inner",
        left_suffix: str = "_x",
        right_suffix: str = "_y",
        convert_ints: bool = True,
        sort: bool = True,
    ) -> pd.DataFrame:
        """Return the rows of two DataFrames joined by equal keys, in lazy columns; see `akdask.merge`.

        Raises
        ------
        ArgumentTypeError
            If columns of one are not lazy.

        Examples
        --------
        >>> left = pd.DataFrame({"k": [1, 2], "x": [3, 4]}).ak.to_ak()
        >>> left.ak.merge(pd.DataFrame({"k": [2], "y": [9]}).ak.to_ak(), on="k")["y"].tolist()
        [9]
        """
        frames: tuple[Any, Any] = (self._obj, right)
        for frame in frames:
            self._assert_all_arkouda(frame, "right" if frame is right else "left")
        left, other = self.to_ak_legacy(), ArkoudaDataFrameAccessor(right).to_ak_legacy()
        joined = left.merge(
            other, on, how, left_suffix, right_suffix, convert_ints, sort, left_on=left_on, right_on=right_on
        )
        return self.from_ak_legacy(joined)
