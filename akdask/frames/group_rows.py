"""Group methods with a result for each row: broadcast reductions, running results, ranks, and user functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array
from akdask.arrays.datetimes import Timedelta
from akdask.arrays.group_columns import has_meaning
from akdask.arrays.groupby import GROUP_REDUCTIONS, ColumnGroups, GroupBy
from akdask.arrays.operators import cast, where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.selection import position
from akdask.arrays.sorting import argsort
from akdask.arrays.timearray import TimeArray
from akdask.deferred import pd
from akdask.engine.alignment import align_by_plan
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentError, ArgumentTypeError, MissingLabelError, UnsupportedError
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.expanding import Weights, as_column_of_times
from akdask.frames.kinds import demand_numbers, is_number, missing_rows, numbers_among
from akdask.frames.missing import can_be_missing, present
from akdask.frames.spans import GroupDecaying, GroupExpanding, group_windows
from akdask.frames.summaries import NA_OPTIONS, RANKS, place_ranks, rank_of_missing, ranked_sizes
from akdask.frames.windows import (
    Arranged,
    as_integer,
    checked_limit,
    demand_plain_windows,
    differences_in_groups,
    filled_in_groups,
    numbers_in_groups,
    running_of_groups,
    running_times_of_groups,
    shifted_in_groups,
)
from akdask.operators.rows.numbers import row_numbers

Rows = TypeVar("Rows", bound=DataFrame)

RUNNING = ("cumsum", "cumprod", "cummin", "cummax")
RUNNING_OF_TIMES: dict[str, tuple[type, ...]] = {
    "cumsum": (Timedelta,),
    "cumprod": (),
    "cummin": (TimeArray,),
    "cummax": (TimeArray,),
}
"""The types of times that have running results."""


class FrameGroupMethods(Generic[Rows]):
    """Methods of `DataFrameGroupBy` whose results have the rows of the frame."""

    gb: GroupBy
    df: Rows
    gb_key_names: list[str]
    sort: bool
    group_keys: bool
    _chosen: list[str] | None

    def _columns(self, names: Any) -> list[str]:
        raise NotImplementedError

    def _frame(self, keys: Any, results: Mapping[str, Array]) -> Rows:
        raise NotImplementedError

    @property
    def ngroups(self) -> int:
        """Number of groups; counts them, once."""
        return self.gb.ngroups

    def __len__(self) -> int:
        return self.gb.ngroups

    def transform(self, func: str | Callable[[pd.Series], Any]) -> Rows:
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
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").transform("mean").to_pandas()["x"].tolist()
        [2.0, 5.0, 2.0]
        """
        if not isinstance(func, str):
            return self._transformed_by_pandas(func)
        if func in (*RUNNING, "shift", "pct_change", "ffill", "bfill", "rank", "cumcount", "ngroup"):
            found: Any = getattr(self, func)()
            return found
        if func == "diff":
            return self._differences(1)
        name = GROUP_REDUCTIONS.get(func.lower(), func)
        if name not in {*GROUP_REDUCTIONS.values(), "size"}:
            raise ArgumentError(
                f"groups are not transformed by {func!r}.",
                details=[f"reductions: {', '.join(sorted(GROUP_REDUCTIONS))}"],
            )
        if name == "size":
            return self._of_rows({column: self.gb.size()[1] for column in self._columns(None)})
        chosen = {column: self.df._columns.array(column) for column in self._columns(None)}
        bad = [f"{column}: {given._type_name()}" for column, given in chosen.items() if not has_meaning(name, given)]
        if bad:
            raise ArgumentTypeError(
                f"{func} has no meaning for these columns.", details=bad, hint="choose others first."
            )
        return self._of_rows({column: self.gb.reduce_column(name, given) for column, given in chosen.items()})

    def shift(self, periods: int = 1, freq: None = None, fill_value: Any = None) -> Rows:
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
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").shift().to_pandas()["x"].tolist()
        [nan, nan, 1.0]
        """
        if freq is not None:
            raise UnsupportedError(
                "groups are shifted by rows, and not by freq=.", hint="df.shift(freq=…) moves the labels."
            )
        periods = as_integer("periods", periods)
        return self._on_arranged(
            lambda columns, numbers: shifted_in_groups(columns, numbers, periods, fill_value), fill_value
        )

    def _differences(self, periods: int) -> Rows:
        """Return the difference of each value and the value `periods` rows before in its group; counts rows."""
        self._demand_numbers("diff", (TimeArray,))
        return self._on_arranged(lambda columns, numbers: differences_in_groups(columns, numbers, periods))

    def pct_change(self, periods: int = 1) -> Rows:
        """Return the relative change from the value `periods` rows before in its group; counts rows.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").pct_change().to_pandas()["x"].tolist()
        [nan, nan, 2.0]
        """
        periods = as_integer("periods", periods)
        self._demand_numbers("pct_change")

        def growth(columns: ColumnSet, numbers: pdarray) -> dict[str, Array]:
            earlier = shifted_in_groups(columns, numbers, periods)
            # A quotient is a float, as pandas' is.
            return {
                name: cast(columns.array(name), np.float64) / cast(earlier[name], np.float64) - 1
                for name in columns.values
            }

        return self._on_arranged(growth)

    def ffill(self, limit: int | None = None) -> Rows:
        """Fill missing values with the last value before them in their group; counts rows.

        Parameters
        ----------
        limit : int, optional
            Fill at most this number of consecutive values.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, float("nan"), float("nan")]})
        >>> df.groupby("k").ffill().to_pandas()["x"].tolist()
        [1.0, nan, 1.0]
        """
        checked_limit(limit)
        return self._on_arranged(
            lambda columns, numbers: filled_in_groups(columns, numbers, backwards=False, limit=limit)
        )

    def bfill(self, limit: int | None = None) -> Rows:
        """Fill missing values with the next value after them in their group; counts rows."""
        checked_limit(limit)
        return self._on_arranged(
            lambda columns, numbers: filled_in_groups(columns, numbers, backwards=True, limit=limit)
        )

    def cumsum(self, numeric_only: bool = False) -> Rows:
        """Return the sum of each value and all before it in its group, missing ones left out; counts rows.

        Parameters
        ----------
        numeric_only : bool, default False
            Leave out columns without numbers.

        Raises
        ------
        ArgumentTypeError
            If a column has no numbers.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"k": [1, 2, 1], "x": [1, 5, 3]}).groupby("k").cumsum().to_pandas()["x"].tolist()
        [1, 5, 4]
        """
        return self._running("cumsum", numeric_only)

    def cumprod(self, numeric_only: bool = False) -> Rows:
        """Return the product of each value and all before it in its group; counts rows.  See `cumsum`."""
        return self._running("cumprod", numeric_only)

    def cummin(self, numeric_only: bool = False) -> Rows:
        """Return the smallest of each value and all before it in its group; counts rows.  See `cumsum`."""
        return self._running("cummin", numeric_only)

    def cummax(self, numeric_only: bool = False) -> Rows:
        """Return the largest of each value and all before it in its group; counts rows.  See `cumsum`."""
        return self._running("cummax", numeric_only)

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
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").rolling(2).sum().to_pandas()["x"].tolist()
        [nan, nan, 4.0]
        """
        demand_plain_windows(win_type, method, center)
        return group_windows(self, self._columns(None), window, min_periods, center, on, closed)

    def expanding(self, min_periods: int = 1, method: str = "single") -> Any:
        """Return windows of each row and all rows of its group before it; see `rolling` and `DataFrame.expanding`.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 5.0, 3.0]})
        >>> df.groupby("k").expanding().mean().to_pandas()["x"].tolist()
        [1.0, 5.0, 2.0]
        """
        demand_plain_windows(None, method)
        return GroupExpanding(self, self._columns(None), as_integer("min_periods", min_periods))

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
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [8.0, 5.0, 0.0]})
        >>> df.groupby("k").ewm(alpha=0.5, adjust=False).mean().to_pandas()["x"].tolist()
        [8.0, 5.0, 4.0]
        """
        when = None if times is None else as_column_of_times(times)
        weights = Weights.of(com, span, halflife, alpha, min_periods, adjust, ignore_na, when, method)
        return GroupDecaying(self, self._columns(None), weights)

    def cumcount(self, ascending: bool = True) -> Any:
        """Return the number of each row within its group, from 0, as a Series; counts rows.

        Parameters
        ----------
        ascending : bool, default True
            Count from the first row; otherwise from the last one.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"k": [1, 2, 1]}).groupby("k").cumcount().tolist()
        [0, 0, 1]
        """
        numbers = numbers_in_groups(self.gb)
        if not ascending:
            numbers = self.gb.broadcast(self.gb.size()[1]) - 1 - numbers
        from akdask.frames.series import series_of

        return series_of(self.df._columns, self._without_group(numbers))

    def ngroup(self, ascending: bool = True) -> Any:
        """Return the number of each row's group, in the order of the groups, as a Series; counts groups.

        Rows whose key is missing have -1, or NaN if the keys are of a type that has missing ones.

        Parameters
        ----------
        ascending : bool, default True
            Count from the first group; otherwise from the last one.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"k": ["b", "a", "b"]}).groupby("k").ngroup().tolist()
        [1, 0, 1]
        """
        count = self.gb.ngroups
        ranks = arange(count) if self.sort else argsort(argsort(self.gb.unique_key_idx))
        numbers = self.gb.broadcast(ranks if ascending else count - 1 - ranks)
        from akdask.frames.series import series_of

        return series_of(self.df._columns, self._without_group(numbers))

    def rank(self, method: str = "average", ascending: bool = True, na_option: str = "keep", pct: bool = False) -> Rows:
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
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [9.0, 5.0, 3.0]})
        >>> df.groupby("k").rank().to_pandas()["x"].tolist()
        [2.0, 1.0, 1.0]
        """
        if method not in RANKS:
            raise ArgumentError(f"there is no rank {method!r}.", details=[f"methods: {', '.join(RANKS)}"])
        if na_option not in NA_OPTIONS:
            raise ArgumentError(f"na_option={na_option!r} is none of {', '.join(NA_OPTIONS)}.")
        arrays = {name: self.df._columns.array(name) for name in self._columns(None)}
        return self._beside(
            {name: self._ranks(array, method, ascending, na_option, pct) for name, array in arrays.items()}
        )

    def nth(self, n: int) -> Rows:
        """Return the row of number `n` of each group, counted from its end if negative; counts rows.

        Of groups whose columns were chosen, it has these.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"k": [1, 2, 1], "x": [1, 5, 3]}).groupby("k").nth(-1).to_pandas()
           k  x
        1  2  5
        2  1  3
        """
        n = position(n)
        numbers = numbers_in_groups(self.gb)
        if n < 0:
            sizes = self.gb.broadcast(self.gb.size()[1])
            rows: Rows = self.df._rows((numbers >= 0) & (sizes - numbers == -n))
        else:
            rows = self.df._rows(numbers == n)
        return rows if self._chosen is None else rows._of(rows._columns.only(self._chosen))

    def last(self, colnames: Any = None) -> Rows:
        """Return the last value of each group that is not missing; lazy."""
        return self._edge_values(self._columns(colnames), last=True)

    def _edge_values(self, names: Sequence[str], *, last: bool) -> Rows:
        """Return the first or the last value of each group that is not missing."""
        edges = {name: self._edge_value(name, last=last) for name in names}
        keys: Any = next(iter(edges.values()))[0] if edges else self.gb.unique_keys
        return self._frame(keys, {name: found for name, (_, found) in edges.items()})

    def _edge_value(self, name: str, *, last: bool) -> tuple[Any, Array]:
        """Return the keys, and the first or the last value of a column in each group that is not missing."""
        columns = self.df._columns
        # Floats hold all numbers of rows.
        numbers = cast(pdarray(*row_numbers(columns.frame)), np.float64)
        there = present(columns, name)
        frame, (value, is_there) = align_by_plan(
            "find the last", [(numbers._frame, numbers._value), (columns.frame, there)]
        )
        marked = pdarray(frame, Call("where", is_there, value, Constant(np.nan)))
        keys, rows = self.gb.max(marked) if last else self.gb.min(marked)
        lacks = Call("isnan", rows._value)
        at = pdarray(rows._frame, Call("cast", Call("where", lacks, Constant(0.0), rows._value), dtype="int64"))
        taken = columns.array(name)[at]
        common, (item, lacking) = align_by_plan("take the last", [(taken._frame, taken._value), (rows._frame, lacks)])
        is_plain = item.dtype.kind in ("int", "uint", "bool") and not isinstance(taken, TimeArray | Categorical)
        return keys, taken if is_plain else missing_rows(taken, common, item, lacking)

    def get_group(self, name: Any) -> Rows:
        """Return the rows of one group, by its key, or by a tuple of its keys; computes whether there is one.

        Raises
        ------
        MissingLabelError
            If there is none.
        """
        wanted = name if isinstance(name, tuple) else (name,)
        if len(wanted) != self.gb.nkeys:
            raise ArgumentError(f"a group has {self.gb.nkeys} keys, not {len(wanted)}.")
        mask: Any = None
        for key, item in zip(self.gb._arrays, wanted, strict=True):
            is_equal = key == item
            mask = is_equal if mask is None else mask & is_equal
        rows: Rows = self.df._rows(mask)
        if not len(rows):
            raise MissingLabelError(f"there is no group {name!r}.")
        return rows

    def filter(self, func: Callable[[pd.DataFrame], Any]) -> Rows:
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
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1], "x": [1, 5, 3]})
        >>> df.groupby("k").filter(lambda rows: len(rows) > 1).to_pandas()["x"].tolist()
        [1, 3]
        """
        groups = self._pandas_groups()
        remaining = groups.filter(func).index
        rows: Rows = self.df._rows(array(np.sort(np.asarray(remaining, np.int64))))
        return rows

    def apply(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function with each group, and combine its results as pandas does; computes.

        Parameters
        ----------
        func : callable
            Takes the rows of a group as a pandas DataFrame.  It is called in this process, so that all rows must fit
            into its memory.
        *args, **kwargs
            Further arguments of it.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            As ``pandas.core.groupby.DataFrameGroupBy.apply``.

        Raises
        ------
        TransferError
            If the rows would take more memory than the setting ``max_transfer_bytes`` allows.
        """
        groups = self._pandas_groups(numbered=False, sort=self.sort)
        return (groups if self._chosen is None else groups[self._chosen]).apply(func, *args, **kwargs)

    # how

    def _ranks(self, values: Array, method: str, ascending: bool, na_option: str, pct: bool) -> Any:
        keeps = na_option == "keep"
        by: list[Array] = list(self.gb._arrays)
        if not self.gb.dropna or not keeps:
            # Rows with a missing key, or with a missing value, may be in a group.
            numbers, lacks = self.gb.broadcast(arange(self.gb.ngroups)), self._lacks_group()
            by = [numbers if lacks is None or not self.gb.dropna else where(lacks, -1, numbers)]
        # Where ranks descend, the first ones belong to the last groups.
        there = [] if keeps else [rank_of_missing(values, is_first=(na_option == "top") == ascending)]
        groups = ColumnGroups([*by, *there, values], dropna=keeps)
        keys, counts = groups.size()
        sizes = ranked_sizes(counts, method)
        outer = GroupBy(list(keys[: len(by)]), dropna=False)
        numbers = outer.broadcast(arange(outer.ngroups))
        upto = running_of_groups("cumsum", sizes, numbers)
        below = upto - sizes if ascending else outer.broadcast(outer.sum(sizes)[1]) - upto
        placed: Any = place_ranks(groups, sizes, below, method)
        if pct:
            placed = placed / groups.broadcast(outer.broadcast(outer.sum(sizes)[1]))
        return placed if keeps else self._without_group(placed)

    def _running(self, name: str, numeric_only: bool) -> Rows:
        names = self._columns(None)
        if numeric_only:
            names = [one for one in names if one in numbers_among(self.df._columns)]
        else:
            self._demand_numbers(name, RUNNING_OF_TIMES[name])

        def run(columns: ColumnSet, numbers: pdarray) -> dict[str, Array]:
            arrays = {column: columns.array(column) for column in columns.values}
            return {
                column: running_times_of_groups(name, array, numbers)
                if isinstance(array, TimeArray)
                else running_of_groups(name, array, numbers)
                for column, array in arrays.items()
            }

        return self._on_arranged(run, names=names)

    def _demand_numbers(self, name: str, others: tuple[type, ...] = ()) -> None:
        """Refuse columns that have neither numbers nor are of another type that will do."""
        kinds = self.df._columns.kinds
        demand_numbers(
            name, self.df._columns, [one for one in self._columns(None) if not isinstance(kinds[one], others)]
        )

    def _on_arranged(
        self,
        find: Callable[[ColumnSet, pdarray], dict[str, Array]],
        fill_value: Any = None,
        names: Sequence[str] | None = None,
    ) -> Rows:
        arranged = Arranged(self.gb)
        names = self._columns(None) if names is None else names
        found = find(arranged.columns(self.df._columns, names), arranged.numbers)
        return self._beside(arranged.back(found, fill_value))

    def _of_rows(self, results: Mapping[str, Array]) -> Rows:
        """Return one value for each group spread back to the rows, missing for rows in no group."""
        return self._beside({name: self._without_group(self.gb.broadcast(found)) for name, found in results.items()})

    def _without_group(self, spread: Array) -> Array:
        """Return values of rows, missing where a key is missing, if the types of the keys have that."""
        lacks = self._lacks_group() if self.gb.dropna else None
        if lacks is None:
            return spread
        frame, (value, lacking) = align_by_plan(
            "transform", [(spread._frame, spread._value), (lacks._frame, lacks._value)]
        )
        return missing_rows(spread, frame, value, lacking) if _can_be_missing(spread) else spread

    def _lacks_group(self) -> pdarray | None:
        columns = ColumnSet.of({str(number): key for number, key in enumerate(self.gb._arrays)})
        may_lack = [name for name, value in columns.values.items() if can_be_missing(columns.kinds[name], value)]
        if not may_lack:
            return None
        lacks: Value = Call("logical_not", present(columns, may_lack[0]))
        for name in may_lack[1:]:
            lacks = Call("logical_or", lacks, Call("logical_not", present(columns, name)))
        return pdarray(columns.frame, lacks)

    def _beside(self, arrays: Mapping[str, Array]) -> Rows:
        return self.df._of(self.df._columns.beside(arrays))

    def _pandas_groups(self, *, numbered: bool = True, columns: Sequence[str] | None = None, sort: bool = True) -> Any:
        rows = self.df._of(self.df._columns.labelled(None)) if numbered else self.df
        rows = rows if columns is None else rows._of(rows._columns.only(columns))
        given: Any = rows.to_pandas()
        keys = [key.to_pandas() if isinstance(key, Categorical) else key.to_ndarray() for key in self.gb._arrays]
        in_frame = [name for name in self.gb_key_names if name in given]
        by: Any = self.gb_key_names if len(in_frame) == len(keys) else keys
        by = by[0] if len(by) == 1 else by
        options = {"dropna": self.gb.dropna, "sort": sort, "group_keys": self.group_keys}
        return given.groupby(by, observed=True, **options)

    def _transformed_by_pandas(self, func: Callable[[pd.Series], Any]) -> Rows:
        names: Sequence[str] = self._columns(None)
        found = self._pandas_groups()[list(names)].transform(func)
        made = {name: array(found[name].to_numpy()) for name in found}
        return self._beside(made)


def _can_be_missing(array: Array) -> bool:
    return is_number(array) or array._value.dtype.kind == "str" or isinstance(array, Categorical | TimeArray)
