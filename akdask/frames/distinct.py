"""Distinct rows and values: membership, duplicates, counts and the commonest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.elementwise import where
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.keys import as_arrays, as_comparable
from akdask.arrays.pdarray import pdarray
from akdask.arrays.setops import contained
from akdask.arrays.setops import value_counts as counted
from akdask.arrays.shapes import chained
from akdask.arrays.sorting import argsort
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.deferred import pd
from akdask.engine import tuning
from akdask.engine.missing import negated, parts
from akdask.engine.node import Node
from akdask.engine.rowwise import numbers_in_order
from akdask.engine.run import compute, run
from akdask.engine.values import Constant
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError, UnsupportedError
from akdask.frames.alignment import Matched, as_labelled
from akdask.frames.columnset import ColumnSet, axis_number, names_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import numbers_among
from akdask.frames.elementwise import is_nothing
from akdask.frames.index import Index
from akdask.frames.missing import can_be_missing, present, present_among
from akdask.frames.row_labelled import RowLabelled
from akdask.frames.series import Series, by_column
from akdask.frames.sorting import KEEPS, in_order
from akdask.operators.group.plan import GroupAggregate, GroupReduction
from akdask.operators.reduce.plan import Aggregate, AggregateExpr, Element

COUNT = "count"


def drop_duplicates(frame: DataFrame, subset: str | Sequence[str] | None, keep: str) -> DataFrame:
    if keep not in ("first", "last"):
        raise ArgumentError(f"keep={keep!r} is neither 'first' nor 'last'.")
    names = names_of(frame.columns if subset is None else subset)
    if not names:
        return frame._of(frame._columns)
    groups = GroupBy([frame._columns.array(name) for name in names], dropna=False)
    return frame._rows(groups.edge_rows(keep))


def unique(series: Series) -> Any:
    """Return the distinct values in the order in which they come first.

    Equal text is the same text, so that keys of groups do for it, and its rows are read once.
    """
    values = series.values
    if not isinstance(values, Strings):
        return series.drop_duplicates().values
    keys, first = GroupBy(values, dropna=False).min(pdarray(*numbers_in_order(values._frame)))
    return keys[argsort(first)]


def isin(frame: DataFrame, values: Any) -> DataFrame:
    columns = frame._columns
    values = as_labelled(values)
    if isinstance(values, RowLabelled):
        return frame._of(columns.beside(_equal_by_label(frame, values)))
    found = {name: _is_in(columns.array(name), name, values) for name in columns.values}
    return frame._of(columns.beside(found))


def intx(a: DataFrame, b: DataFrame) -> pdarray:
    """Return which rows of a DataFrame another one has too; lazy bool array with the rows of `a`.

    Raises
    ------
    ArgumentTypeError
        If one is no DataFrame.
    ArgumentError
        If their columns differ, in names or order.

    Examples
    --------
    >>> a, b = ak.DataFrame({"x": [1, 2], "y": [5, 6]}), ak.DataFrame({"x": [2, 1], "y": [6, 7]})
    >>> ak.intx(a, b).tolist()
    [False, True]
    """
    given: list[Any] = [a, b]
    if not all(isinstance(frame, DataFrame) for frame in given):
        raise ArgumentTypeError("rows are compared with those of another DataFrame.")
    if not a.columns or a.columns != b.columns:
        raise ArgumentError(
            "only rows with the same columns in the same order can be compared.",
            details=[", ".join(frame.columns) for frame in (a, b)],
        )
    lefts, rights = ([frame._columns.array(name) for name in frame.columns] for frame in (a, b))
    found: pdarray = contained(lefts, rights)
    return found


def _equal_by_label(frame: DataFrame, given: Any) -> dict[str, pdarray]:
    """Return which elements of each column equal the value of a Series, or of a DataFrame's column, for their label."""
    own, labels = frame._columns, given._row_labels
    if isinstance(given, Series):
        sought = dict.fromkeys(own.values, given.values)
    else:
        sought = {name: given._columns.array(name) for name in own.values if name in given.columns}
    target = frame._row_labels
    if target.are_those_of(labels):
        return {name: _equal(own.array(name), sought.get(name)) for name in own.values}
    matched = Matched.of(target, labels, list(sought.values()))
    has_label = pdarray(matched.frame, matched.has_label)
    arrays = {name: matched.array(number) for number, name in enumerate(sought)}
    return {name: _equal(own.array(name), arrays.get(name)) & has_label for name in own.values}


def _equal(array: Any, sought: Any) -> pdarray:
    """Return which elements equal others, none where these are of another kind."""
    if sought is None or _is_number(array) != _is_number(sought):
        return pdarray(array._frame, Constant(np.False_))
    found: pdarray = array == sought
    return found


def _is_in(column: Array, name: str, values: Any) -> pdarray:
    """Return which elements of a column are among values as `isin` takes them."""
    sought: Any = values.get(name, []) if isinstance(values, Mapping) else values
    if isinstance(sought, Index):
        sought = sought.values
    if isinstance(sought, str) or not isinstance(sought, Array | Sized):
        raise ArgumentTypeError(
            f"isin looks among the values of an array, mapping or DataFrame, not of {type(sought).__name__}.",
            hint="put a single value into a list.",
        )
    if isinstance(sought, list | tuple | set | frozenset) and len(sought):
        is_number = _is_number(column)
        return _among(column, [item for item in sought if is_nothing(item) or isinstance(item, str) != is_number])
    if not isinstance(sought, Array):
        sought = as_arrays(as_comparable(column, sought))[0]
    if _is_number(column) != _is_number(sought):
        return pdarray(column._frame, Constant(np.False_))
    found: pdarray = contained(column, sought)
    return found


def _of_its_kind(column: Array, items: Collection[Any]) -> list[Any]:
    """Return those of some values that a column may have, where text and numbers are mixed: text equals no number."""
    is_text = [isinstance(item, str) for item in items if not is_nothing(item)]
    if all(is_text) or not any(is_text):
        return list(items)
    return [item for item in items if is_nothing(item) or isinstance(item, str) != _is_number(column)]


def _among(column: Array, items: Collection[Any]) -> pdarray:
    """Return which elements are among values at hand; a missing one stands for all, but None for no NaN."""
    there = [item for item in _of_its_kind(column, items) if not is_nothing(item)]
    is_number = isinstance(column, pdarray) and column._pandas_converter() is None
    others = type(None) if is_number else float if isinstance(column, TimeArray) else ()
    stands_for_missing = any(is_nothing(item) and not isinstance(item, others) for item in items)
    found: pdarray = contained(column, there) if there else pdarray(column._frame, Constant(np.False_))
    return found | Series(column).isna().values if stands_for_missing else found


def _is_number(array: Array) -> bool:
    dtype = array._as_operand()[1].dtype
    return dtype.is_number or dtype.is_nullable_number


def nunique(frame: DataFrame, axis: int, dropna: bool) -> Series:
    if axis_number(axis):
        raise UnsupportedError("distinct values are counted in columns, not in rows.")
    columns = frame._columns
    size = columns.frame.rows.size
    if size is not None and size <= tuning.SMALL_ROWS:
        counts = _distinct_counts_of_few(columns, dropna)
    else:
        counts = list(run(*[_distinct_count(columns, name, dropna) for name in columns.values]))
    return by_column(counts, columns.values, np.int64)


def value_counts(
    frame: DataFrame, subset: str | Sequence[str] | None, sort: bool, ascending: bool, dropna: bool
) -> DataFrame:
    names = names_of(frame.columns if subset is None else subset)
    if COUNT in names:
        raise SchemaError(f"a column is called {COUNT!r}, as the counts are.", hint="rename it first.")
    keys, counts = ColumnGroups([frame._columns.array(name) for name in names], dropna=dropna).size()
    counted = frame._of(ColumnSet.of({**dict(zip(names, keys, strict=True)), COUNT: counts}))
    if not sort:
        return counted
    return counted._of(counted.sort_values(COUNT, ascending=ascending)._columns.labelled(None))


def _distinct_counts_of_few(columns: ColumnSet, dropna: bool) -> list[int]:
    """Count distinct values of all columns of few rows in one pass, without grouping most of them."""
    # Grouped are Categoricals, as several labels may mean missing, and nullable integers, which floats may not hold.
    grouped = [
        name
        for name, value in columns.values.items()
        if value.dtype.is_nullable_number or (dropna and isinstance(columns.kinds[name], Categorical))
    ]
    plain = {name: value for name, value in columns.values.items() if name not in grouped}
    nullable = [name for name in plain if dropna and can_be_missing(columns.kinds[name], plain[name])]
    reductions = [AggregateExpr("nunique", value) for value in plain.values()]
    reductions += [AggregateExpr("all", present(columns, name)) for name in nullable]
    plans: list[Node] = [_distinct_count(columns, name, dropna) for name in grouped]
    if reductions:
        plans.append(Aggregate(columns.frame, tuple(reductions)))
    results = list(run(*plans))
    found = results.pop() if reductions else []
    counts = dict(zip(grouped, results, strict=True)) | dict(zip(plain, found, strict=False))
    for name, all_present in zip(nullable, found[len(plain) :], strict=True):
        # All that are missing are one value.
        counts[name] -= 0 if all_present else 1
    return [counts[name] for name in columns.values]


def _distinct_count(columns: ColumnSet, name: str, dropna: bool) -> Element:
    """Return the number of distinct values of a column, which are grouped, for there may be many."""
    value = columns.values[name]
    groups = GroupAggregate.of(columns.frame, [value])
    (found,) = groups.keys_of([value])
    counted = present_among(columns.kinds[name], found) if dropna else Constant(True)
    return Element(Aggregate(groups, (AggregateExpr("count_nonzero", counted),)), 0, None)


def series_isin(series: Series, lst: Any) -> Series:
    values = series.values
    if not isinstance(lst, list | tuple | set | frozenset):
        return series._with(contained(values, lst.values if isinstance(lst, Series) else lst))
    return series._with(_among(values, lst))


def duplicated(frame: DataFrame, subset: str | Sequence[str] | None, keep: str | bool) -> Any:
    names = names_of(frame._columns.values if subset is None else subset)
    arrays = [frame._columns.array(name) for name in names]
    from akdask.frames.series import series_of

    return series_of(frame._columns, repeated(arrays, keep))


def repeated(arrays: Sequence[Array], keep: str | bool) -> pdarray:
    """Return which rows of some arrays are equal to another one; lazy.  See `DataFrame.duplicated`."""
    if keep not in KEEPS and keep is not False:
        raise ArgumentError(f"duplicated: keep={keep!r} is none of 'first', 'last' and False.")
    if not arrays:
        raise ArgumentError("rows are compared by at least one column.")
    return ~GroupBy(list(arrays), dropna=False).edge_rows(keep or "only")


def mode(frame: DataFrame, numeric_only: bool, dropna: bool) -> pd.DataFrame:
    columns = frame._columns
    names = numbers_among(columns) if numeric_only else list(columns.values)
    found = {name: pd.Series(commonest(columns, name, dropna)) for name in names}
    for name, values in found.items():
        zone = getattr(columns.array(name), "tz", None)
        if zone is not None:
            found[name] = values.dt.tz_localize("UTC").dt.tz_convert(zone)
    return pd.DataFrame(found)


def _counts(columns: ColumnSet, name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the distinct values of a column that are not missing, in order, and how often each occurs; computes."""
    known, numbers = compute(*counted(_there(columns, name)))
    return np.asarray(known), np.asarray(numbers)


def _there(columns: ColumnSet, name: str) -> Any:
    """Return the values of a column that are not missing, integers and bools as such; lazy."""
    array = columns.array(name)[pdarray(columns.frame, present(columns, name))]
    apart = parts(array._value)
    return array if apart is None else pdarray(array._frame, apart[0])


def commonest(columns: ColumnSet, name: str, dropna: bool = True) -> Any:
    """Return the commonest values of a column, in order, and a missing one if not `dropna`; computes."""
    values, counts = _counts(columns, name)
    missing = 0 if dropna else int(pdarray(columns.frame, negated(present(columns, name))).sum())
    most = max(missing, int(counts.max()) if len(counts) else 0)
    found = values[counts == most] if len(counts) else values
    if not isinstance(columns.kinds[name], Categorical):
        # Labels come in the order of their categories.
        found = np.sort(found)
    has_missing = missing > 0 and missing == most
    if columns.values[name].dtype.is_nullable_number:
        return pd.array([*found.tolist(), *[None] * has_missing], pd.array(found).dtype)
    if not has_missing:
        return found
    nothing = np.array("NaT", found.dtype) if found.dtype.kind in "mM" else np.nan
    known = found if found.dtype.kind in "mMf" else found.astype(object)
    # Among times and labels pandas has the missing one first.
    is_first = isinstance(columns.kinds[name], TimeArray | Categorical)
    return np.insert(known, 0, nothing) if is_first else np.append(known, nothing)


def count_values(series: Series, sort: bool, *, normalize: bool, ascending: bool, dropna: bool) -> Series:
    values, counts, first = _counted(series.values, dropna)
    keys = [*([(counts, ascending)] if sort else []), *([] if first is None else [(first, True)])]
    if keys:
        by, directions = zip(*keys, strict=True)
        ordered = in_order(ColumnSet.of({"values": values, "counts": counts}), by, directions)
        values, counts = ordered.array("values"), ordered.array("counts")
    found, name = (counts / counts.sum(), "proportion") if normalize else (counts, "count")
    return series._of(found, Index(values, series.name), name)


def _counted(values: Array, dropna: bool) -> tuple[Any, Any, Any]:
    """Return distinct values, their counts, and numbers in the order of their first rows; has unused categories."""
    if not isinstance(values, Categorical):
        groups = ColumnGroups(values, dropna=dropna)
        frame, by, (number,) = groups._by.beside(numbers_in_order(groups._by.frame))
        reductions = GroupReduction("size"), GroupReduction("min", number)
        found = GroupAggregate(frame, by, groups._by.identity, reductions, True)
        return groups._keys_of(found), *(pdarray(found, found.result(number)) for number in range(2))
    # Each category is added once, so that categories without rows are counted too.
    each = values._each_category()
    keys, counts = ColumnGroups(chained([values, each]), dropna=dropna).size()
    return keys, where(keys.isna(), counts, counts - 1), None
