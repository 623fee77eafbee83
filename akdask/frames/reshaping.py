"""Reshapes, from rows to columns and back: `melt`, `pivot_table`, `crosstab`, `get_dummies`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array, Labelled, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array
from akdask.arrays.elementwise import cast
from akdask.arrays.group_reductions import GROUP_REDUCTIONS
from akdask.arrays.groupby import ColumnGroups
from akdask.arrays.pdarray import pdarray
from akdask.arrays.segarray import SegArray
from akdask.arrays.setops import unique
from akdask.arrays.shapes import chained
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import NULLABLE_BOOL
from akdask.columns.exact import EXACT, as_floats
from akdask.deferred import is_pandas, pd
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError
from akdask.frames.alignment import Matched, as_labelled
from akdask.frames.columnset import ColumnSet, names_of
from akdask.frames.conversion import arrays_of, spread
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import numbers_among
from akdask.frames.index import MultiIndex
from akdask.frames.missing import can_be_missing, present_among
from akdask.frames.row_labelled import RowLabelled

if TYPE_CHECKING:
    from akdask.frames.series import Series

MOST_COLUMNS = 10_000
"""Largest number of columns that are made of values."""


def melt(
    frame: DataFrame,
    id_vars: str | Sequence[str] | None,
    value_vars: str | Sequence[str] | None,
    var_name: str,
    value_name: str,
) -> DataFrame:
    columns = frame._columns
    ids = [] if id_vars is None else names_of(id_vars)
    values = [name for name in columns.values if name not in ids] if value_vars is None else names_of(value_vars)
    columns.only([*ids, *values])
    if len({*ids, var_name, value_name}) < len(ids) + 2:
        raise SchemaError(f"melt: {var_name!r} or {value_name!r} is the name of another column.")
    if not values:
        raise ArgumentError("melt needs columns to put below each other.")
    made = {name: chained([columns.array(name)] * len(values)) for name in ids}
    made[var_name] = chained([spread(columns.frame, name) for name in values])
    made[value_name] = _below_each_other(columns, values)
    return frame._of(ColumnSet.of(made))


def stack(frame: DataFrame) -> Any:
    columns, names = frame._columns, list(frame._columns.values)
    if not names:
        raise ArgumentError("stack needs columns.")
    size = sum(columns.counted())
    number = arange(size * len(names))
    row, column = number // len(names), number % len(names)
    labels = MultiIndex([columns.index_array()[row], array(names)[column]], names=[columns.index_name, None])
    from akdask.frames.series import Series

    return Series(_below_each_other(columns, names)[column * size + row], index=labels)


def unstack(frame: DataFrame) -> Any:
    columns, names = frame._columns, list(frame._columns.values)
    if not names:
        raise ArgumentError("unstack needs columns.")
    size = sum(columns.counted())
    number = arange(size * len(names))
    row, column = number % max(size, 1), number // max(size, 1)
    labels = MultiIndex([array(names)[column], columns.index_array()[row]], names=[None, columns.index_name])
    from akdask.frames.series import Series

    return Series(_below_each_other(columns, names)[number], index=labels)


def pivot(frame: DataFrame, *, columns: str, index: str | None, values: str | Sequence[str] | None) -> DataFrame:
    if index is None:
        index = "index"
        given = frame._columns
        frame = frame._of(given.labelled(None).having(index, given.index_array()))
    keys = [frame._columns.array(name) for name in (index, columns)]
    wanted = values
    if wanted is None:
        wanted = [name for name in frame._columns.values if name not in (index, columns)]
    groups = ColumnGroups(keys, dropna=False)
    if groups.ngroups < groups._row_count:
        raise ArgumentError("two rows have the same keys.", hint="pivot_table reduces them: aggfunc='sum'.")
    return pivot_table(frame, wanted, index, columns, "first", None, dropna=False, observed=True, missing_first=True)


def pivot_table(
    frame: DataFrame,
    values: str | Sequence[str] | None,
    index: str | Sequence[str] | None,
    columns: str | Sequence[str] | None,
    aggfunc: str | Mapping[str, str],
    fill_value: Any,
    *,
    dropna: bool,
    observed: bool,
    missing_first: bool = False,
) -> DataFrame:
    rows, across = _names(index), _names(columns)
    if not rows and not across:
        raise ArgumentError("pivot_table needs index or columns, to group by.")
    wanted = names_of(values) if values is not None else None
    if wanted is None:
        wanted = [name for name in numbers_among(frame._columns) if name not in (*rows, *across)]
    if isinstance(aggfunc, Mapping) and values is None:
        wanted = list(aggfunc)
    frame._columns.only([*rows, *across, *wanted])
    by_column = aggfunc if isinstance(aggfunc, Mapping) else dict.fromkeys(wanted, aggfunc)
    how = {name: GROUP_REDUCTIONS.get(_reduction(by_column.get(name))) for name in wanted}
    if None in how.values() or not wanted:
        raise ArgumentError(
            f"pivot_table reduces columns by a reduction of groups, not by {aggfunc!r}.",
            details=[f"columns: {wanted}", f"reductions: {', '.join(sorted(GROUP_REDUCTIONS))}"],
        )
    keys = [*rows, *across]
    if observed:
        reduced = with_wide_integers(_grouped(frame, keys, wanted, how, dropna))
    else:
        groups = frame.groupby(keys, dropna=dropna, as_index=False, observed=False)
        reduced = with_wide_integers(groups.agg(dict(how)).to_pandas(retain_index=False))
    table: Any = reduced.set_index([*rows, *across])
    table = table.dropna(how="all") if dropna else table
    if across and rows:
        table = table.unstack(across).sort_index(axis=1)
    elif not rows:
        table = table.T
    if not dropna:
        table = _with_all_combinations(table, observed=observed)
        if not missing_first:
            table = table.take(np.argsort(table.index.isna(), kind="stable")) if len(rows) == 1 else table
    elif rows:
        table = table.dropna(axis=1, how="all")
    if table.shape[1] > MOST_COLUMNS:
        raise ArgumentError(f"pivot_table would have {table.shape[1]:,} columns.", hint="exchange index and columns.")
    if fill_value is not None and not pd.isna(fill_value):
        table = _without_gaps(table, fill_value)
    keep_value = len(wanted) > 1 and bool(rows)
    table.columns = [_flat(name, keep_value or not across, bool(rows)) for name in table.columns]
    return _labelled_table(frame, table, rows)


def _grouped(
    frame: DataFrame, keys: Sequence[str], wanted: Sequence[str], how: Mapping[str, Any], dropna: bool = True
) -> pd.DataFrame:
    """Return the reduced columns of groups beside the keys; computes."""
    arrays = [frame._columns.array(name) for name in keys]
    groups = ColumnGroups(arrays, dropna=dropna)
    columns = {name: groups.reduce_column(how[name], frame._columns.array(name)) for name in wanted}
    found = dict(zip(keys, groups.unique_keys, strict=True))
    made = DataFrame({f"v{number}": array for number, array in enumerate([*found.values(), *columns.values()])})
    rows = made.to_pandas(retain_index=False)
    rows.columns = [*keys, *wanted]
    return rows


def _labelled_table(frame: DataFrame, table: pd.DataFrame, rows: Sequence[str]) -> DataFrame:
    names = [str(name) for name in table.columns]
    if len({*names}) < len(names):
        raise SchemaError("two columns would have the same name.", details=names)
    arrays = arrays_of(dict(zip(names, (table.iloc[:, number] for number in range(len(names))), strict=True)))
    if len(rows) > 1:
        labels = {name: table.index.get_level_values(name) for name in rows}
        return frame._of(ColumnSet.of({**arrays_of(labels), **arrays}))
    label = rows[0] if rows else None
    index = arrays_of({"index": table.index.to_series().reset_index(drop=True)})["index"]
    return frame._of(ColumnSet.of(arrays, index, label))


def _below_each_other(columns: ColumnSet, names: Sequence[str]) -> Any:
    """Return columns one below the other, as one array.

    Raises
    ------
    ArgumentTypeError
        If they are of different kinds.
    ConversionError
        When it is computed, if an integer would become another beside floats.
    """
    text = any(isinstance(columns.kinds[name], Strings | Categorical) for name in names)
    parts = [columns.array(name) for name in names]
    kinds = {type(part) for part in parts}
    if len(kinds) > 1 and text and all(isinstance(part, Strings | Categorical) for part in parts):
        parts = [part.to_strings() if isinstance(part, Categorical) else part for part in parts]
    elif len(kinds) > 1:
        raise ArgumentTypeError(
            "values of different kinds do not stand in one column.",
            details=[f"{name}: {columns.array(name)._type_name()}" for name in names],
            hint="choose columns of one kind.",
        )
    return chained(parts)


def _without_gaps(table: Any, fill_value: Any) -> Any:
    """Fill the gaps of a table; integers beside a fraction become floats only if none changes.

    Raises
    ------
    ConversionError
        If an integer beside gaps is no float.
    ArgumentTypeError
        If columns do not hold the value.
    """
    table = table.copy()
    for number in range(table.shape[1]):
        column = table.iloc[:, number]
        if not column.hasnans:
            continue
        if isinstance(fill_value, float) and not fill_value.is_integer() and column.dtype.kind in "iu":
            as_floats(column.dropna().to_numpy(column.dtype.numpy_dtype))
            column = column.astype("Float64").astype(np.float64)
        if column.dtype.kind in "iufb" and not isinstance(fill_value, Number):
            raise ArgumentTypeError(
                f"pivot_table: fill_value={fill_value!r} does not go into a column of {column.dtype}.",
                hint="give a number.",
            )
        table.isetitem(number, column.fillna(fill_value))
    return table


def _reduction(how: Any) -> str:
    """Return the name of a reduction, also of one of NumPy's functions."""
    return str(getattr(how, "__name__", how)).lower()


def _names(keys: Any) -> list[str]:
    return [] if keys is None else names_of(keys)


def _flat(name: Any, keep_value: bool, has_rows: bool) -> str:
    """Return the name of a column from its keys, after the name of the values if there are several."""
    if not isinstance(name, tuple):
        return str(name)
    parts = name if keep_value or not has_rows else name[1:]
    return "_".join(map(str, parts))


def crosstab(
    index: Any, columns: Any, values: Any = None, aggfunc: str | None = None, *, normalize: bool | str = False
) -> Any:
    """Return how often each pair of elements of two arrays occurs, as a DataFrame; computes.

    Parameters
    ----------
    index, columns : array or Series
        Keys of the rows and of the columns of the result.  Series meet on the labels that all of them have.
    values : array or Series, optional
        Values to reduce; unless given, rows are counted.
    aggfunc : str, optional
        The reduction of `values`.
    normalize : bool or {"all", "index", "columns"}, default False
        Give parts of all, of each row, or of each column.

    Returns
    -------
    DataFrame
        See `DataFrame.pivot_table`; pairs that do not occur have 0, or NaN where values are reduced.

    Raises
    ------
    ArgumentError
        If only one of `values` and `aggfunc` is given.

    Examples
    --------
    >>> ak.crosstab(ak.array([1, 1, 2]), ak.array(["a", "b", "a"])).to_pandas()
           a  b
    row_0
    1      1  1
    2      1  0
    """
    if (values is None) != (aggfunc is None):
        raise ArgumentError("crosstab: values and aggfunc are given together.")
    row = _name_of(index, "row_0")
    column = _name_of(columns, "col_0")
    if row == column:
        row, column = "row_0", "col_0"
    counted = "values" if "values" not in (row, column) else "values_"
    given = {row: index, column: columns} | ({} if values is None else {counted: values})
    frame = DataFrame(_on_common_labels(given))
    if aggfunc is None:
        frame[counted] = 1
        found = frame.pivot_table(counted, row, column, "sum", fill_value=0)
        found = found.assign(**{name: cast(found[name], np.int64) for name in found.columns})
    else:
        found = frame.pivot_table(counted, row, column, aggfunc)
    return found if normalize is False else _normalized(found, normalize)


def _on_common_labels(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns on the rows whose labels all Series among them have; everything else goes by position."""
    items = {name: as_labelled(item) for name, item in given.items()}
    series = [item for item in items.values() if isinstance(item, RowLabelled)]
    found = {name: unlabelled(item) for name, item in items.items()}
    labels = [one._row_labels for one in series]
    if all(labels[0].are_those_of(one) for one in labels[1:]):
        return found
    if len(series) < len(items):
        raise ArgumentTypeError("crosstab takes arrays, or Series of other labels, not both.")
    has_all: Any = None
    for name, item in items.items():
        if labels[0].are_those_of(item._row_labels):
            continue
        matched = Matched.of(labels[0], item._row_labels, [item.values])
        found[name] = matched.array(0)
        has_label = pdarray(matched.frame, matched.has_label)
        has_all = has_label if has_all is None else has_all & has_label
    return {name: array[has_all] for name, array in found.items()}


def _normalized(table: Any, by: bool | str) -> Any:
    """Return a table as parts of all, of its rows or of its columns."""
    # Parts are quotients.
    floats = table.astype(np.float64).fillna(0.0)
    if by in (True, "all"):
        return floats / float(floats.sum().sum())
    if by == "index":
        return floats.div(floats.sum(axis=1), axis=0)
    if by == "columns":
        return floats / floats.sum()
    raise ArgumentError(f"crosstab: normalize={by!r} is none of True, 'all', 'index' and 'columns'.")


def _name_of(keys: Any, otherwise: str) -> str:
    name = getattr(keys, "name", None) if isinstance(keys, Labelled) else None
    return name if isinstance(name, str) else otherwise


def get_dummies(
    data: Any,
    prefix: str | Sequence[str] | Mapping[str, str] | None = None,
    prefix_sep: str | Sequence[str] | Mapping[str, str] = "_",
    dummy_na: bool = False,
    columns: Sequence[str] | None = None,
    drop_first: bool = False,
    dtype: Any = bool,
) -> Any:
    """Return a column for each distinct value, which tells where that is; computes the values.

    Parameters
    ----------
    data : DataFrame, Series, array or sequence
        The values; of a DataFrame its columns of text and Categoricals.
    prefix : str, or list or mapping of str, optional
        Prefix of names, for a DataFrame the name of the column unless given.
    prefix_sep : str, or list or mapping of str, default "_"
        Separator of prefix and value.
    dummy_na : bool, default False
        Add a column that tells where values are missing, called ``nan``, ``NaT`` of times, and ``<NA>`` of integers
        and bools.
    columns : list of str, optional
        Which columns of a DataFrame, of whatever type.
    drop_first : bool, default False
        Leave out the column of the first value.
    dtype : dtype-like, default bool
        Type of the columns.

    Returns
    -------
    DataFrame
        With the labels of `data`: the other columns, then a column for each value in ascending order, or for each
        category of a Categorical in its order.  Names are the text of values.

    Raises
    ------
    ArgumentError
        If there would be very many columns, or there are not as many prefixes as columns.
    ArgumentTypeError
        If `data` has no values that can be told apart, such as lists.

    Examples
    --------
    >>> ak.get_dummies(ak.DataFrame({"s": ["a", "b"], "x": [1, 2]})).to_pandas()
       x    s_a    s_b
    0  1   True  False
    1  2  False   True
    """
    if isinstance(data, DataFrame):
        own = data._columns
        if columns is None:
            chosen = [name for name in own.values if isinstance(own.kinds[name], Strings | Categorical)]
        else:
            chosen = list(own.only(names_of(columns)).values)
        begins = _for_each("prefix", prefix, chosen, otherwise=chosen)
        between = _for_each("prefix_sep", prefix_sep, chosen, otherwise=["_"] * len(chosen))
        made = {name: own.array(name) for name in own.values if name not in chosen}
        for name, begin, separator in zip(chosen, begins, between, strict=True):
            made |= _dummies(own.array(name), f"{begin}{separator}", dummy_na, drop_first, dtype)
        return data._of(own.beside(made))
    if is_pandas(data, "DataFrame"):
        return get_dummies(DataFrame(data), prefix, prefix_sep, dummy_na, columns, drop_first, dtype)
    from akdask.frames.series import Series

    series = Series(data)
    (begin,) = _for_each("prefix", prefix, [""], otherwise=[""])
    (separator,) = _for_each("prefix_sep", prefix_sep, [""], otherwise=["_"])
    made = _dummies(series.values, f"{begin}{separator}" if prefix is not None else "", dummy_na, drop_first, dtype)
    return series._framed(made)


def _for_each(what: str, given: Any, names: Sequence[str], otherwise: Sequence[str]) -> list[str]:
    """Return one of the parts of names for each column."""
    if given is None:
        return list(otherwise)
    if isinstance(given, Mapping):
        return [given.get(name, default) for name, default in zip(names, otherwise, strict=True)]
    if isinstance(given, str):
        return [given] * len(names)
    if len(given) != len(names):
        raise ArgumentError(f"{what} has {len(given)} items for {len(names)} columns.", details=[f"columns: {names}"])
    return list(given)


def _dummies(values: Array, begin: str, dummy_na: bool, drop_first: bool, dtype: Any) -> dict[str, Array]:
    """Return a column for each distinct value, and with `dummy_na` one for missing values."""
    if isinstance(values, SegArray):
        raise ArgumentTypeError(f"get_dummies takes values that can be told apart, not {values._type_name()}.")
    there = pdarray(values._frame, present_among(values, values._value))
    if isinstance(values, Categorical):
        known = [label for label in values.categories.tolist() if label != values.na_value]
    else:
        found = unique(values[there] if can_be_missing(values, values._value) else values)
        known = list(found.to_pandas()) if isinstance(found, TimeArray) else found.tolist()
    if values._value.dtype == NULLABLE_BOOL:
        known = [bool(flag) for flag in known]
    if len(known) > MOST_COLUMNS:
        raise ArgumentError(f"get_dummies would make {len(known):,} columns.", hint="cut() makes few values of many.")
    if values._value.dtype.is_nullable_number:
        names = [*known, pd.NA] if dummy_na else known
    else:
        # As in pandas, a column of missing values has integers named like floats.
        names = list(pd.Index(known).insert(len(known), np.nan) if dummy_na else known)
    columns = [*(values == label for label in known), *([~there] if dummy_na else [])]
    made = {f"{begin}{name}": cast(column, dtype) for name, column in zip(names, columns, strict=True)}
    return dict(list(made.items())[1:]) if drop_first else made


def with_wide_integers(table: Any) -> Any:
    """Return pandas' rows with integers as its nullable ones where some of them are no floats.

    Reshaping makes floats of others where it leaves gaps.
    """
    if isinstance(table, pd.Series):
        return with_wide_integers(table.to_frame("values"))["values"].rename(table.name)
    wide = {
        name: {"i": "Int64", "u": "UInt64"}[dtype.kind]
        for name, dtype in table.dtypes.items()
        if isinstance(dtype, np.dtype) and dtype.kind in "iu" and ((table[name] > EXACT) | (table[name] < -EXACT)).any()
    }
    return table.astype(wide) if wide else table


def _with_all_combinations(table: Any, *, observed: bool) -> Any:
    """Return a table with a row and a column for each combination of their keys, or of those that some row has."""
    for axis in (0, 1):
        labels = table.axes[axis]
        if isinstance(labels, pd.MultiIndex):
            labels = labels.remove_unused_levels() if observed else labels
            in_order = [
                level.sort_values() if isinstance(level, pd.CategoricalIndex) else level for level in labels.levels
            ]
            # Levels do not list the missing label, which has the code -1.
            levels = [
                level.insert(len(level), np.nan) if (np.asarray(codes) < 0).any() else level
                for level, codes in zip(in_order, labels.codes, strict=True)
            ]
            table = table.reindex(pd.MultiIndex.from_product(levels, names=labels.names), axis=axis)
    return table


def unstack_series(series: Series, level: Any, fill_value: Any) -> DataFrame:
    if not series._level_names:
        raise ArgumentError("labels of one level are not unstacked.", hint="label by a MultiIndex.")
    try:
        table = with_wide_integers(series.to_pandas()).unstack(level, fill_value=fill_value)
    except (ValueError, KeyError, IndexError) as error:
        raise ArgumentError(f"the level {level!r} cannot become columns.", details=[str(error)]) from None
    table.columns = [str(name) for name in table.columns]
    return DataFrame(table.reset_index() if table.index.nlevels > 1 else table)
