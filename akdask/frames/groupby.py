"""`DataFrameGroupBy`: rows grouped by columns, arrays, labels or bins of time, and reductions of the other columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

from akdask.arrays.array import Array, Labelled, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.families import reduction, scan, shown_by
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.deferred import is_pandas, pd
from akdask.errors import ArgumentError, UnsupportedError, errors_end_at_caller
from akdask.frames import group_reductions
from akdask.frames.alignment import on_rows_of
from akdask.frames.columnset import names_of
from akdask.frames.dataframe import DataFrame

if TYPE_CHECKING:
    from akdask.frames.group_rows import DiffAggregate
    from akdask.frames.series import Series


Template = TypeVar("Template", bound=Callable[..., Any])


_PARAMETERS = {
    "colnames": "str or list of str, optional\n    The columns to reduce; all {taken} unless given.",
    "numeric_only": "True\n    Accepted for compatibility with pandas.",
    "min_count": "int\n    Groups that have fewer values are missing in the result.",
    "ddof": "int\n    Subtracted from the number of values.",
}


_DOCSTRING = """
Return {what} of each group; lazy.

Parameters
----------
{parameters}

Returns
-------
DataFrame
    One row for each group, one column for each reduced column; types as in `GroupBy`.

Raises
------
MissingColumnError
    If there is no column of a name.
"""


_OF_GROUPS = """
>>> df = ak.DataFrame({"key": ["a", "a", "b"], "x": [2, 4, 3]})
>>> df.groupby("key").{name}()["x"].tolist()
{of_groups}
"""


def _documented(template: Template, taken: str = "columns of numbers") -> Template:
    """Return a template of reductions with a docstring that has its parameters."""
    parameters = "\n".join(f"{name} : {text}" for name, text in _PARAMETERS.items() if name in template.__annotations__)
    template.__doc__ = _DOCSTRING.replace("{parameters}", parameters).replace("{taken}", taken)
    return shown_by(_OF_GROUPS)(template)


@_documented
def _of_many_numbers(
    groups: DataFrameGroupBy, name: str, colnames: Any = None, *, numeric_only: bool = True, min_count: int = 0
) -> DataFrame:
    return group_reductions.reduce_columns(groups, name, colnames, min_count=min_count)


@_documented
def _extreme_of_numbers(
    groups: DataFrameGroupBy, name: str, colnames: Any = None, *, numeric_only: bool = True, min_count: int = -1
) -> DataFrame:
    return group_reductions.reduce_columns(groups, name, colnames, min_count=min_count)


@_documented
def _of_numbers(groups: DataFrameGroupBy, name: str, colnames: Any = None, *, numeric_only: bool = True) -> DataFrame:
    return group_reductions.reduce_columns(groups, name, colnames)


@_documented
def _of_chosen_numbers(groups: DataFrameGroupBy, name: str, colnames: Any = None) -> DataFrame:
    return group_reductions.reduce_columns(groups, name, colnames)


@_documented
def _spread_of_numbers(
    groups: DataFrameGroupBy, name: str, colnames: Any = None, *, numeric_only: bool = True, ddof: int = 1
) -> DataFrame:
    return group_reductions.reduce_columns(groups, name, colnames, ddof=ddof)


@partial(_documented, taken="columns")
def _of_columns(groups: DataFrameGroupBy, name: str, colnames: Any = None) -> DataFrame:
    return group_reductions.reduce_columns(groups, name, colnames, numbers=False)


_OF_GROUPED_ROWS = """
>>> ak.DataFrame({"k": [1, 2, 1], "x": [2, 4, 3]}).groupby("k").{name}()["x"].tolist()
{of_groups}
"""


@shown_by(_OF_GROUPED_ROWS)
def _scanned(groups: DataFrameGroupBy, name: str, numeric_only: bool = False) -> DataFrame:
    """Return {what} of each value and all before it in its group, missing ones left out; counts rows.

    Parameters
    ----------
    numeric_only : bool, default False
        Leave out columns without numbers.

    Raises
    ------
    ArgumentTypeError
        If a column has no numbers.
    """
    from akdask.frames import group_rows

    return group_rows.running(groups, name, numeric_only)


@errors_end_at_caller
class DataFrameGroupBy:
    """Rows of a DataFrame, grouped by some of its columns.

    Parameters
    ----------
    gb : GroupBy
        The groups.
    df : DataFrame
        The rows.
    gb_key_names : list of str, optional
        Names of the keys, which are the columns that the rows are grouped by; ``key_0`` and so on unless given.
    as_index : bool
        Label the rows of results by the keys where there is one key; otherwise keys are columns.
    observed : bool
        Whether reductions leave out categories of keys that no row has.
    sort : bool
        Have groups in order of their keys; otherwise in the order of their first rows.
    group_keys : bool
        Add the keys to the labels of results of `apply`.

    Notes
    -----
    Results are lazy DataFrames with one row for each group.  All reductions of one call are found in one pass, apart
    from medians, modes and distinct counts.

    Examples
    --------
    >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 2.0, 3.0]})
    >>> df.groupby("k", as_index=False).sum().to_pandas()
       k    x
    0  1  4.0
    1  2  2.0
    """

    def __init__(
        self,
        gb: GroupBy,
        df: DataFrame,
        gb_key_names: Sequence[str] | None = None,
        as_index: bool = True,
        observed: bool = True,
        *,
        sort: bool = True,
        group_keys: bool = True,
    ) -> None:
        self.gb = gb
        # The copy keeps the grouped columns, as later assignments may change the frame.
        self.df = df.copy()
        self.gb_key_names = (
            [f"key_{number}" for number in range(gb.nkeys)] if gb_key_names is None else list(gb_key_names)
        )
        self.as_index = as_index
        self.observed = observed or not any(isinstance(key, Categorical) for key in gb._arrays)
        if not (self.observed or sort):
            raise UnsupportedError(
                "groups of categories that no row has come in order.", hint="leave out sort=False, or observed=False."
            )
        self.sort = sort
        self.group_keys = group_keys
        self._chosen: list[str] | None = None

    def __repr__(self) -> str:
        from akdask.arrays.display import counted

        keys = ", ".join(map(str, self.gb_key_names))
        return f"<DataFrameGroupBy of {counted(self.gb._arrays[0].rows, 'row')}; keys: {keys}; lazy>"

    def _repr_html_(self) -> str:
        return self.gb._html(type(self).__name__, self.gb_key_names)

    def __getitem__(self, names: str | Sequence[str]) -> Any:
        """Return the same groups with only some columns to reduce.

        As in pandas, one name gives a `SeriesGroupBy`, unless keys are columns of results.
        """
        if isinstance(names, str) and self.as_index:
            from akdask.frames.series_groupby import groups_of_column

            return groups_of_column(self, self._columns(names)[0])
        options = {"sort": self.sort, "group_keys": self.group_keys}
        chosen = DataFrameGroupBy(self.gb, self.df, self.gb_key_names, self.as_index, self.observed, **options)
        chosen._chosen = self._columns(names)
        return chosen

    def __getattr__(self, name: str) -> Any:
        """Return the groups of the column of that name: ``g.x`` for ``g["x"]``."""
        from akdask.arrays.missing_attributes import missing_attribute

        df = self.__dict__.get("df")
        if df is None or name not in df.columns:
            raise missing_attribute(type(self), name, of="attribute or column")
        return self[name]

    def __iter__(self) -> Iterator[tuple[Any, DataFrame]]:
        """Iterate over keys and the rows of each group, which are lazy; computes the keys."""
        return group_reductions.iterate(self)

    def __len__(self) -> int:
        return self.gb.ngroups

    @property
    def ngroups(self) -> int:
        """Number of groups; counts them, once.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.ngroups
        2
        """
        return self.gb.ngroups

    def persist(self) -> DataFrameGroupBy:
        """Find the groups now and keep them in memory, as `GroupBy.persist` does; returns the object itself.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.persist().sum()["x"].tolist()
        [5, 1]
        """
        self.gb.persist()
        return self

    def get_group(self, name: Any) -> DataFrame:
        """Return the rows of one group, by its key, or by a tuple of its keys; computes whether there is one.

        Raises
        ------
        MissingLabelError
            If there is none.

        Examples
        --------
        >>> df = ak.DataFrame({"key": ["a", "a", "b"], "x": [2, 4, 3]})
        >>> df.groupby("key").get_group("a")["x"].tolist()
        [2, 4]
        """
        from akdask.frames import group_rows

        return group_rows.get_group(self, name)

    def _columns(self, names: Any) -> list[str]:
        if names is None:
            others = [name for name in self.df.columns if name not in self.gb_key_names]
            return others if self._chosen is None else self._chosen
        names = names_of(names)
        self.df._columns.only(names)
        return names

    # reductions

    def size(self, as_series: bool | None = None, sort_index: bool = True) -> Series | DataFrame:
        """Return the number of rows of each group, NaN included; lazy.

        Parameters
        ----------
        as_series : bool, optional
            Return a Series labelled by the keys; otherwise a DataFrame with the column ``size``.  As `as_index` of
            `DataFrame.groupby` says unless given.
        sort_index : bool, default True
            Accepted for compatibility with Arkouda; keys are in order in any case.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 2]})
        >>> df.groupby("k").size().to_pandas().to_dict()
        {1: 1, 2: 2}
        """
        return group_reductions.size(self, as_series)

    count = reduction("count", _of_columns)
    sum = reduction("sum", _of_many_numbers)
    prod = reduction("prod", _of_many_numbers)
    mean = reduction("mean", _of_numbers)
    min = reduction("min", _extreme_of_numbers)
    max = reduction("max", _extreme_of_numbers)
    std = reduction("std", _spread_of_numbers)
    var = reduction("var", _spread_of_numbers)
    median = reduction("median", _of_numbers)

    def quantile(self, q: float = 0.5, interpolation: str = "linear", colnames: Any = None) -> DataFrame:
        """Return a quantile of each group, NaN left out; lazy.  See `sum` and `GroupBy.quantile`.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.quantile(0.5)["x"].tolist()
        [2.5, 1.0]
        """
        return group_reductions.reduce_columns(self, "quantile", colnames, q=q, method=interpolation)

    def sem(self, colnames: Any = None) -> DataFrame:
        """Return the standard error of the mean of each group, NaN left out; lazy.  See `sum`.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.sem()["x"].tolist()
        [0.5, nan]
        """
        return group_reductions.reduce_columns(self, "sem", colnames)

    def skew(self, colnames: Any = None) -> DataFrame:
        """Return the skewness of each group without bias, NaN of fewer than three values; lazy.  See `sum`.

        Examples
        --------
        >>> ak.DataFrame({"k": ["a", "a", "a"], "x": [1, 2, 3]}).groupby("k").skew()["x"].tolist()
        [0.0]
        """
        return group_reductions.reduce_columns(self, "skew", colnames)

    def kurt(self, colnames: Any = None) -> DataFrame:
        """Return the excess kurtosis of each group without bias, NaN of fewer than four values; lazy.  See `sum`.

        Examples
        --------
        >>> round(ak.DataFrame({"k": ["a"] * 4, "x": [1, 2, 3, 4]}).groupby("k").kurt()["x"].tolist()[0], 6)
        -1.2
        """
        return group_reductions.reduce_columns(self, "kurt", colnames)

    def corr(self, colnames: Any = None) -> DataFrame:
        """Return the correlation of each two columns in each group; counts groups.

        Parameters
        ----------
        colnames : str or list of str, optional
            The columns of numbers; all unless given.

        Returns
        -------
        DataFrame
            A row for each group and column: the keys, the name of the column as ``column``, and the correlations with
            all columns, of the rows where neither is missing.

        Raises
        ------
        ArgumentTypeError
            If a column has no numbers.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 1, 1], "x": [1, 2, 4], "y": [3, 2, 0]})
        >>> df.groupby("k").corr().to_pandas()
           k column    x    y
        0  1      x  1.0 -1.0
        1  1      y -1.0  1.0
        """
        from akdask.frames import group_moments

        return group_moments.of_pairs(self, "corr", colnames)

    def cov(self, colnames: Any = None, *, ddof: int = 1) -> DataFrame:
        """Return the covariance of each two columns in each group, with `ddof`; counts groups.  See `corr`.

        Examples
        --------
        >>> df = ak.DataFrame({"k": ["a", "a"], "x": [1, 2], "y": [4, 8]})
        >>> df.groupby("k").cov()["y"].tolist()
        [2.0, 8.0]
        """
        from akdask.frames import group_moments

        return group_moments.of_pairs(self, "cov", colnames, ddof=ddof)

    mode = reduction("mode", _of_columns)
    nunique = reduction("nunique", _of_columns)
    unique = reduction("unique", _of_columns)
    first = reduction("first", _of_columns)

    def last(self, colnames: Any = None) -> DataFrame:
        """Return the last value of each group that is not missing; lazy.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.last()["x"].tolist()
        [2, 1]
        """
        return group_reductions.edge_values(self, self._columns(colnames), last=True)

    any = reduction("any", _of_chosen_numbers)
    all = reduction("all", _of_chosen_numbers)
    or_ = reduction("or_", _of_chosen_numbers)
    and_ = reduction("and_", _of_chosen_numbers)
    xor = reduction("xor", _of_chosen_numbers)
    argmin = reduction("argmin", _of_chosen_numbers)
    argmax = reduction("argmax", _of_chosen_numbers)

    def idxmin(self, colnames: Any = None, *, skipna: bool = True) -> DataFrame:
        """Return the label of the row with the first smallest value of each group; lazy.  See `idxmax`.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.idxmin()["x"].tolist()
        [2, 1]
        """
        return group_reductions.labels_of_extremes(self, "idxmin", self.argmin(colnames), skipna)

    def idxmax(self, colnames: Any = None, *, skipna: bool = True) -> DataFrame:
        """Return the label of the row with the first largest value of each group; lazy.

        Parameters
        ----------
        colnames : str or list of str, optional
            The columns to look at; all columns of numbers unless given.
        skipna : bool, default True
            Leave missing values out; otherwise there must be none.

        Raises
        ------
        ArgumentError
            When it is computed, if a group has only missing values, or any without `skipna`.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [5, 6, 7]})
        >>> df.groupby("k").idxmax().to_pandas()["x"].tolist()
        [2, 1]
        """
        return group_reductions.labels_of_extremes(self, "idxmax", self.argmax(colnames), skipna)

    def agg(self, func: Any = None, **named: Any) -> DataFrame:
        """Return several reductions of each group; lazy.

        Parameters
        ----------
        func : str, list of str, or mapping of column to str or list of str, optional
            Names of reductions, for all columns or for each.  Several of one column are called ``column_reduction``.
        **named : (str, str or callable)
            Results by name: ``total=("x", "sum")``.  A function gets the values of each group as a pandas Series, in
            this process, so that all of the column must fit into its memory; it computes.

        Raises
        ------
        ArgumentError
            If there is no such reduction.
        MissingColumnError
            If there is no such column.

        Examples
        --------
        >>> df = ak.DataFrame({"key": ["a", "a", "b"], "x": [2, 4, 3]})
        >>> df.groupby("key").agg(total=("x", "sum"), largest=("x", "max")).to_pandas()
             total  largest
        key
        a        6        4
        b        3        3
        """
        return group_reductions.agg(self, func, **named)

    aggregate = agg

    def apply(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function with each group, and combine its results as pandas does; computes.

        Parameters
        ----------
        func : callable
            Takes the rows of a group as a pandas DataFrame.  It is called in this process, so that all rows must fit
            into its memory.
        *args, **kwargs
            Further arguments of the function.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            As ``pandas.core.groupby.DataFrameGroupBy.apply``.

        Raises
        ------
        TransferError
            If the rows would take more memory than the setting ``max_transfer_bytes`` allows.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.apply(lambda rows: rows["x"].max() - rows["x"].min()).to_dict()
        {'a': 1, 'b': 0}
        """
        by_key = group_reductions.in_pandas(self, numbered=False, sort=self.sort)
        return (by_key if self._chosen is None else by_key[self._chosen]).apply(func, *args, **kwargs)

    # results for each row

    def transform(self, func: str | Callable[[pd.Series], Any]) -> DataFrame:
        """Return for each row the reduction of its group, a running result, or a rank; lazy.

        Parameters
        ----------
        func : str or callable
            A reduction such as ``"mean"``, or one of ``"cumsum"``, ``"cumprod"``, ``"cummin"``, ``"cummax"``,
            ``"shift"``, ``"diff"``, ``"pct_change"``, ``"ffill"``, ``"bfill"``, ``"rank"``, ``"ngroup"`` and
            ``"cumcount"``.  A function of users gets each column of each group as a pandas Series, in this process, so
            that all rows must fit into its memory; computes.

        Returns
        -------
        DataFrame
            With the rows and labels of the frame.  Rows that are in no group, for their key is missing, have missing
            values.

        Raises
        ------
        ArgumentError
            If there is no such reduction.
        ArgumentTypeError
            If a column is not of its types.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").transform("mean").to_pandas()["x"].tolist()
        [2.0, 5.0, 2.0]
        """
        from akdask.frames import group_rows

        return group_rows.transform(self, func)

    def broadcast(self, x: Any, permute: bool = True) -> Any:
        """Spread one value per group back to the rows, as a Series with their labels; see `GroupBy.broadcast`.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.broadcast(ak.array([10, 20])).tolist()
        [10, 20, 10]
        """
        from akdask.frames.series import series_of

        return series_of(self.df._columns, self.gb.broadcast(unlabelled(x), permute))

    def cumcount(self, ascending: bool = True) -> Any:
        """Return the number of each row within its group, from 0, as a Series; counts rows.

        Parameters
        ----------
        ascending : bool, default True
            Count from the first row; otherwise from the last one.

        Examples
        --------
        >>> ak.DataFrame({"k": [1, 2, 1]}).groupby("k").cumcount().tolist()
        [0, 0, 1]
        """
        from akdask.frames import group_rows

        return group_rows.cumcount(self, ascending)

    def ngroup(self, ascending: bool = True) -> Any:
        """Return the number of each row's group, in the order of the groups, as a Series; counts groups.

        Rows whose key is missing have -1, or NaN if the keys are of a type that has missing ones.

        Parameters
        ----------
        ascending : bool, default True
            Count from the first group; otherwise from the last one.

        Examples
        --------
        >>> ak.DataFrame({"k": ["b", "a", "b"]}).groupby("k").ngroup().tolist()
        [1, 0, 1]
        """
        from akdask.frames import group_rows

        return group_rows.ngroup(self, ascending)

    def rank(
        self, method: str = "average", ascending: bool = True, na_option: str = "keep", pct: bool = False
    ) -> DataFrame:
        """Return the rank of each value in its group, from 1, as float64; counts groups.  See `DataFrame.rank`.

        Parameters
        ----------
        method : {"average", "min", "max", "first", "dense"}
            Which rank equal values have.
        ascending : bool, default True
            Whether the smallest value is the first.
        na_option : {"keep", "top", "bottom"}
            Whether missing values are missing ranks, the first ones or the last ones.
        pct : bool, default False
            Return parts of the ranks of the group.

        Raises
        ------
        ArgumentError
            If there is no such method or `na_option`.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [9.0, 5.0, 3.0]})
        >>> df.groupby("k").rank().to_pandas()["x"].tolist()
        [2.0, 1.0, 1.0]
        """
        from akdask.frames import sorting

        names = self._columns(None)
        return sorting.rank(self.df, method, ascending, pct, na_option=na_option, groups=self.gb, names=names)

    def shift(self, periods: int = 1, freq: None = None, fill_value: Any = None) -> DataFrame:
        """Return the values `periods` rows further down in their groups; counts rows.  See `DataFrame.shift`.

        Parameters
        ----------
        periods : int, default 1
            How many rows, or up if negative.
        freq : None
            Refused: labels are moved by ``df.shift(freq=…)``, whatever the groups.
        fill_value : scalar, optional
            Value of rows without a source; missing unless given.

        Raises
        ------
        ArgumentTypeError
            If `periods` is no whole number.
        UnsupportedError
            If `freq` is given.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").shift().to_pandas()["x"].tolist()
        [nan, nan, 1.0]
        """
        from akdask.frames import group_rows

        return group_rows.shift(self, periods, freq, fill_value)

    @overload
    def diff(self, colname: str) -> DiffAggregate: ...

    @overload
    def diff(self, colname: int | None = None, *, periods: int = 1) -> DataFrame: ...

    def diff(self, colname: Any = None, *, periods: int = 1) -> DiffAggregate | DataFrame:
        """Return the differences of successive values of a column in each group, to be reduced; counts rows.

        Parameters
        ----------
        colname : str, optional
            A column of numbers; an integer stands for `periods`, as in pandas.
        periods : int, default 1
            How many rows are between a value and the one that it is lessened by, without `colname`.

        Returns
        -------
        DiffAggregate, or without `colname` a DataFrame of the differences of all columns, as in pandas
            Its `values` are float64 with the rows of the frame, NaN for the first row of each group; its methods
            reduce them to Series labelled by the keys.

        Raises
        ------
        MissingColumnError
            If there is no such column.
        ArgumentTypeError
            If it has no numbers.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": [1, 2, 2, 2], "x": [3, 9, 11, 27]}).groupby("k")
        >>> groups.diff("x").values.tolist()
        [nan, nan, 2.0, 16.0]
        >>> groups.diff("x").max().to_pandas()
        1     NaN
        2    16.0
        dtype: float64
        """
        from akdask.frames import group_rows

        return group_rows.diff(self, colname, periods=periods)

    def pct_change(self, periods: int = 1) -> DataFrame:
        """Return the relative change from the value `periods` rows before in its group; counts rows.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").pct_change().to_pandas()["x"].tolist()
        [nan, nan, 2.0]
        """
        from akdask.frames import group_rows

        return group_rows.pct_change(self, periods)

    def ffill(self, limit: int | None = None) -> DataFrame:
        """Fill missing values with the last value before them in their group; counts rows.

        Parameters
        ----------
        limit : int, optional
            Fill at most this number of consecutive values.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, float("nan"), float("nan")]})
        >>> df.groupby("k").ffill().to_pandas()["x"].tolist()
        [1.0, nan, 1.0]
        """
        from akdask.frames import group_rows

        return group_rows.ffill(self, limit)

    def bfill(self, limit: int | None = None) -> DataFrame:
        """Fill missing values with the next value after them in their group; counts rows.

        Examples
        --------
        >>> df = ak.DataFrame({"k": ["a", "b", "a"], "x": [np.nan, np.nan, 2.0]})
        >>> df.groupby("k").bfill()["x"].tolist()
        [2.0, nan, 2.0]
        """
        from akdask.frames import group_rows

        return group_rows.bfill(self, limit)

    cumsum = scan("cumsum", _scanned)
    cumprod = scan("cumprod", _scanned)
    cummin = scan("cummin", _scanned)
    cummax = scan("cummax", _scanned)

    # rows of groups

    def head(self, n: int = 5, sort_index: bool = True) -> DataFrame:
        """Return the first rows of each group; lazy.

        Parameters
        ----------
        n : int, default 5
            How many rows of each group, at most.
        sort_index : bool, default True
            Keep the order of the rows; otherwise rows of a group are adjacent.

        Examples
        --------
        >>> ak.DataFrame({"k": [1, 2, 1], "x": [5, 6, 7]}).groupby("k").head(2).to_pandas()
           k  x
        0  1  5
        1  2  6
        2  1  7
        """
        from akdask.frames import group_rows

        return group_rows.head(self, n, sort_index)

    def tail(self, n: int = 5, sort_index: bool = True) -> DataFrame:
        """Return the last rows of each group; lazy.  See `head`.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.tail(1)["x"].tolist()
        [1, 2]
        """
        from akdask.frames import group_rows

        return group_rows.tail(self, n, sort_index)

    def nth(self, n: int) -> DataFrame:
        """Return the row of number `n` of each group, counted from its end if negative; counts rows.

        Of groups whose columns were chosen, it has these.

        Examples
        --------
        >>> ak.DataFrame({"k": [1, 2, 1], "x": [1, 5, 3]}).groupby("k").nth(-1).to_pandas()
           k  x
        1  2  5
        2  1  3
        """
        from akdask.frames import group_rows

        return group_rows.nth(self, n)

    def nlargest(self, n: int = 5, columns: str | Sequence[str] | None = None) -> DataFrame:
        """Return the rows of each group with the largest values, the largest first; lazy, and without sorting others.

        Parameters
        ----------
        n : int, default 5
            How many rows of each group, at most.
        columns : str or list of str, optional
            The columns to order by, the first one first; the columns of ``groups[columns]`` unless given.

        Returns
        -------
        DataFrame
            Rows keep their labels, and rows of a group are adjacent.  Equal rows keep their order.  Rows with missing
            values appear only if a group has too few others.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If `columns` are no names.

        Notes
        -----
        Pandas' groups of a Series have such a method, which gives the values alone.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1, 1], "x": [5, 6, 9, 7]})
        >>> df.groupby("k").nlargest(2, "x").to_pandas()
           k  x
        2  1  9
        3  1  7
        1  2  6
        """
        from akdask.frames import group_rows

        return group_rows.extreme_rows(self, n, columns, ascending=False)

    def nsmallest(self, n: int = 5, columns: str | Sequence[str] | None = None) -> DataFrame:
        """Return the rows of each group with the smallest values, the smallest first; lazy.  See `nlargest`.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> groups.nsmallest(1, "x")["x"].tolist()
        [2, 1]
        """
        from akdask.frames import group_rows

        return group_rows.extreme_rows(self, n, columns, ascending=True)

    def sample(
        self,
        n: int | None = None,
        frac: float | None = None,
        replace: bool = False,
        weights: Any = None,
        random_state: Any = None,
    ) -> DataFrame:
        """Return a random choice of the rows of each group; see `GroupBy.sample`.

        Examples
        --------
        >>> groups = ak.DataFrame({"k": ["a", "b", "a"], "x": [3, 1, 2]}).groupby("k")
        >>> len(groups.sample(1, random_state=1))
        2
        """
        from akdask.frames import group_rows

        return group_rows.sample(self, n, frac, replace, weights, random_state)

    def filter(self, func: Callable[[pd.DataFrame], Any]) -> DataFrame:
        """Return the rows of groups for which a function is true, in the order of the frame; computes.

        Parameters
        ----------
        func : callable
            Takes the rows of a group as a pandas DataFrame, and returns a bool.  It is called in this process, so that
            all rows must fit into its memory.

        Notes
        -----
        Where a reduction will do, ``df[df.groupby("k").transform("size")["x"] > 10]`` stays lazy.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1, 5, 3]})
        >>> df.groupby("k").filter(lambda rows: len(rows) > 1).to_pandas()["x"].tolist()
        [1, 3]
        """
        from akdask.frames import group_rows

        return group_rows.filter_groups(self, func)

    # windows and time

    def rolling(
        self,
        window: Any,
        min_periods: int | None = None,
        center: bool = False,
        win_type: None = None,
        on: str | None = None,
        closed: str | None = None,
        method: str = "single",
    ) -> Any:
        """Return moving windows of the rows of each group, to be reduced: ``df.groupby("k").rolling(3).mean()``.

        Parameters
        ----------
        window : int, str or timedelta
            Rows of a window, or a span of time, for which the rows of each group are in the order of their times.
        min_periods : int, optional
            Fewest rows that must not be missing: all, of a span 1, unless given.
        center : bool, default False
            Let a row stand in the middle of its window.
        win_type : optional
            Raises unless it is the default; see `DataFrame.rolling`.
        on : str, optional
            For a span, the column of times; the labels of the rows unless given.
        closed : {"right", "left", "both", "neither"}, optional
            Which ends belong to a window; see `DataFrame.rolling`.
        method : optional
            Raises unless it is the default; see `DataFrame.rolling`.

        Returns
        -------
        GroupRolling
            Its reductions have the rows and labels of the frame, in their order; they count rows.

        Raises
        ------
        ArgumentTypeError
            If a column has no numbers, or there are no times.
        ArgumentError
            If `window` is less than 1, or `min_periods` is not from 0 to `window`.
        UnsupportedError
            If `win_type` is given, or `method` is another one.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").rolling(2).sum().to_pandas()["x"].tolist()
        [nan, nan, 4.0]
        """
        from akdask.frames import group_rows

        return group_rows.rolling(self, window, min_periods, center, win_type, on, closed, method)

    def expanding(self, min_periods: int = 1, method: str = "single") -> Any:
        """Return windows of each row and all rows of its group before it; see `rolling` and `DataFrame.expanding`.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").expanding().mean().to_pandas()["x"].tolist()
        [1.0, 5.0, 2.0]
        """
        from akdask.frames import group_rows

        return group_rows.expanding(self, min_periods, method)

    def ewm(
        self,
        com: float | None = None,
        span: float | None = None,
        halflife: Any = None,
        alpha: float | None = None,
        min_periods: int | None = 0,
        adjust: bool = True,
        ignore_na: bool = False,
        times: Any = None,
        method: str = "single",
    ) -> Any:
        """Return windows of each row and all rows of its group before it, with weights that decay.

        See `rolling`, and `DataFrame.ewm` for the parameters.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [8.0, 5.0, 0.0]})
        >>> df.groupby("k").ewm(alpha=0.5, adjust=False).mean().to_pandas()["x"].tolist()
        [8.0, 5.0, 4.0]
        """
        from akdask.frames import group_rows

        return group_rows.ewm(self, com, span, halflife, alpha, min_periods, adjust, ignore_na, times, method)

    def resample(
        self,
        rule: Any,
        closed: str | None = None,
        label: str | None = None,
        on: str | None = None,
        origin: Any = "start_day",
        offset: Any = None,
    ) -> Any:
        """Return the rows of each group in bins of time, to be reduced; counts groups.

        See `DataFrame.resample` for the parameters.

        Returns
        -------
        GroupResampler
            Its reductions have a row for each bin of a group from the first to the last time of that group.  They are
            DataFrames with the keys and times as columns, or of one column Series with both as labels.

        Raises
        ------
        UnsupportedError
            If bins by the calendar begin at another multiple in each group, such as ``"2ME"``.

        Examples
        --------
        >>> times = ak.Datetime(["2024-01-01", "2024-01-03", "2024-01-03"])
        >>> df = ak.DataFrame({"k": [1, 1, 2], "t": times, "x": [5, 6, 7]})
        >>> df.groupby("k").resample("D", on="t").sum()["x"].tolist()
        [5, 0, 6, 7]
        """
        asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
        from akdask.frames.group_windows import resampler_of_groups

        return resampler_of_groups(self, rule, on, asked)


def grouped(
    frame: DataFrame,
    keys: Any,
    use_series: bool,
    as_index: bool,
    dropna: bool,
    *,
    sort: bool,
    level: Any,
    observed: bool,
    group_keys: bool,
) -> DataFrameGroupBy | GroupBy:
    if level is not None:
        keys = _labels_as_key(frame, keys, level)
    several = isinstance(keys, list | tuple)
    given = list(keys) if several else [keys]
    if any(is_pandas(key, "Grouper") for key in given):
        from akdask.frames.resampling import grouped_by_time

        binned: DataFrameGroupBy = grouped_by_time(frame, given, use_series, as_index, dropna)
        return binned
    names, arrays = keys_of(frame, given)
    groups = ColumnGroups(arrays if several else arrays[0], dropna=dropna)
    if not use_series:
        return groups
    return DataFrameGroupBy(groups, frame, names, as_index, observed, sort=sort, group_keys=group_keys)


def _labels_as_key(frame: DataFrame, keys: Any, level: Any) -> Any:
    if keys is not None:
        raise ArgumentError("rows are grouped either by keys or by a level of their labels.")
    labels: Any = frame.index
    if level not in (0, -1, labels.name) or isinstance(level, bool):
        raise ArgumentError(f"the labels of a DataFrame have one level, and not {level!r}.", hint="pass level=0.")
    return labels


def keys_of(frame: DataFrame, keys: Sequence[Any]) -> tuple[list[str], list[Array]]:
    """Return the names and arrays of keys, which are columns by name, or arrays with the rows of the frame."""
    names, arrays = [], []
    for number, key in enumerate(keys):
        item = key if isinstance(key, str) else on_rows_of(frame._row_labels, key)
        if isinstance(item, Array):
            given = getattr(key, "name", None) if isinstance(key, Labelled) else None
            names.append(given if isinstance(given, str) else f"key_{number}")
            arrays.append(item)
        else:
            found = names_of(item)
            names += found
            arrays += [frame._columns.array(name) for name in found]
    if not arrays:
        raise ArgumentError("rows are grouped by at least one column.", hint=f"columns: {', '.join(frame.columns)}.")
    return names, arrays


def filter_by_range(frame: DataFrame, keys: str | Sequence[str], low: int, high: int | None) -> pdarray:
    if low < 0 or (high is not None and high < low):
        raise ArgumentError(f"group sizes range from low to high, neither below 0; got low={low}, high={high}.")
    groups = frame.groupby(keys, use_series=False)
    sizes = groups.broadcast(groups.size()[1])
    # Rows that are in no group have the size 0.
    mask: pdarray = sizes >= max(low, 1)
    return mask if high is None else mask & (sizes <= high)
