"""Lazy forms of categories: `cat`, conversion to categories, intervals of numbers, and columns of dummies.

pandas itself says what becomes of the categories, of one row for each of them; the codes of the rows follow lazily.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import DEFAULT_NA, in_one_partition, looked_up, strings_of
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.sorting import insertion_points
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.engine.missing import is_missing
from akdask.engine.sources import literal
from akdask.engine.values import Call, Constant, apart, nearest_floats, with_missing
from akdask.frames import binning
from akdask.frames.columnset import VALUES
from akdask.frames.series import Series
from akdask.frames.series_accessors import CategoricalAccessor
from akdask.pandas.encoded import AnyCategories, EncodedArray, Narrow, categories, columns_of, series_of
from akdask.pandas.face import words
from akdask.pandas.refusals import NotLazyError


class CategoriesOf:
    """Codes and categories of a lazy Series.

    Parameters
    ----------
    series : Series
        AnyCategories of any type.
    """

    def __init__(self, series: Any) -> None:
        array: Any = columns_of(series).array(VALUES)
        self.series = series
        if isinstance(array, EncodedArray) and isinstance(array.coding, AnyCategories):
            self.dtype = array.coding.categories
            value = array._value
            if value.dtype.is_nullable_number:
                codes, missing = apart(value)
                value = Call("where", missing, Constant(np.int64(-1)), codes)
            self.numbers = pdarray(array._frame, value)
        elif isinstance(array, Categorical):
            self.dtype = series.head(0).to_pandas().dtype
            self.numbers = CategoricalAccessor(series).codes.values
        else:
            raise NotLazyError("the values are no categories")

    @property
    def categories(self) -> pandas.Index:
        """The categories."""
        found: pandas.Index = self.dtype.categories
        return found

    @property
    def ordered(self) -> bool:
        """Whether their order has a meaning."""
        return bool(self.dtype.ordered)

    @property
    def codes(self) -> Any:
        """The positions of values among the categories, -1 for missing ones."""
        name = pandas.Categorical.from_codes([], dtype=self.dtype).codes.dtype.name
        found: Any = self.numbers
        if name != "int64":
            found = EncodedArray(self.numbers._frame, self.numbers._value, Narrow(name))
        made = series_of(self.series, found).copy()
        made.name = None
        return made

    def changed(self, name: str, given: dict[str, Any]) -> Any:
        """Return the values with what a method of pandas makes of the categories."""
        count = len(self.categories)
        each = pandas.Series(pandas.Categorical.from_codes([*range(count), -1], dtype=self.dtype))
        after = getattr(each.cat, name)(**given)
        positions = after.cat.codes.to_numpy(np.int64)
        codes = self.numbers
        if not np.array_equal(positions, [*range(count), -1]):
            frame, (value) = literal(positions)
            at = Call(
                "where", Call("less", codes._value, Constant(np.int64(0))), Constant(np.int64(count)), codes._value
            )
            codes = pdarray(codes._frame, looked_up(frame, value, at))
        return of_codes(self.series, codes, after.dtype)


CHANGING = words(
    """rename_categories reorder_categories add_categories remove_categories set_categories as_ordered as_unordered"""
)


def changing(name: str) -> Callable[..., Any]:
    def method(cat: CategoriesOf, **given: Any) -> Any:
        return cat.changed(name, given)

    return method


def remove_unused(cat: CategoriesOf) -> Any:
    """Leave out categories that no value has; finds those which are used."""
    used = np.unique(series_of(cat.series, cat.numbers).drop_duplicates().to_pandas().to_numpy())
    return cat.changed("set_categories", {"new_categories": cat.categories.take(used[used >= 0])})


FORMS: Mapping[str, Callable[..., Any]] = {
    **{name: changing(name) for name in CHANGING},
    "remove_unused_categories": remove_unused,
    "codes": lambda cat: cat.codes,
    "categories": lambda cat: cat.categories,
    "ordered": lambda cat: cat.ordered,
}
"""Lazy forms of `cat`."""


def counted(series: Any, normalize: bool, sort: bool, ascending: bool, bins: Any, dropna: bool) -> pandas.Series:
    """Return how often each category occurs; all of them are listed."""
    if bins is not None:
        raise NotLazyError("categories are put into bins")
    cat = CategoriesOf(series)
    found = series_of(series, cat.numbers).value_counts().to_pandas()
    size = len(cat.categories)
    positions = [*range(size), *([-1] if not dropna and -1 in found.index else [])]
    counts = [int(found.get(place, 0)) for place in positions]
    index = pandas.CategoricalIndex(pandas.Categorical.from_codes(positions, dtype=cat.dtype), name=series.name)
    made = pandas.Series(counts, index=index, name="count", dtype="int64")
    if sort:
        made = made.sort_values(ascending=ascending, kind="stable")
    if normalize:
        return (made / made.sum()).rename("proportion")
    return made


# conversion


def as_categories(series: Any, dtype: Any) -> Any:
    """Return values as categories: those given, or the different values in order, which are found for it."""
    array: Any = columns_of(series).array(VALUES)
    if isinstance(array, Categorical) or (isinstance(array, EncodedArray) and isinstance(array.coding, AnyCategories)):
        cat = CategoriesOf(series)
        if not isinstance(dtype, pandas.CategoricalDtype):
            return series
        categories: Any = dtype.categories
        if categories is None:
            return cat.changed("as_ordered" if dtype.ordered else "as_unordered", {})
        return cat.changed("set_categories", {"new_categories": categories, "ordered": bool(dtype.ordered)})
    given = dtype.categories if isinstance(dtype, pandas.CategoricalDtype) else None
    ordered = bool(dtype.ordered) if isinstance(dtype, pandas.CategoricalDtype) else False
    if isinstance(array, TimeArray) or not isinstance(array, pdarray | Strings | EncodedArray):
        raise NotLazyError("categories of other types are not found lazily")
    if given is None:
        distinct = series.drop_duplicates().to_pandas()
        given = pandas.Categorical(distinct).categories
    wanted = pandas.CategoricalDtype(given, ordered)
    if isinstance(array, Strings):
        if given.dtype != "str":
            raise NotLazyError("categories are no text")
        return of_codes(series, pdarray(array._frame, _codes_of_text(array, given)), wanted)
    if isinstance(array, EncodedArray) and not (isinstance(array.coding, Narrow) and array.dtype.kind in "iu"):
        raise NotLazyError("categories of other types are not found lazily")
    plain: Any = array.plain() if isinstance(array, EncodedArray) else array
    if given.dtype != series.head(0).to_pandas().dtype or plain._value.dtype.kind == "bool":
        raise NotLazyError("categories are of another type")
    if plain._value.dtype.is_nullable_number or not len(given):
        raise NotLazyError("integers are missing")
    order = np.argsort(given.to_numpy(), kind="stable")
    bounds = given.to_numpy().astype(plain._value.dtype.numpy)[order]
    if np.isnan(bounds).any():
        raise NotLazyError("NaN is a category")
    place = insertion_points(wrap(*literal(bounds)), plain, side="left")
    inside = Call("minimum", place._value, Constant(np.int64(len(bounds) - 1)))
    frame, value = literal(bounds)
    is_one = Call("equal", looked_up(frame, value, inside), plain._value)
    frame, value = literal(order.astype(np.int64))
    codes = Call("where", is_one, looked_up(frame, value, inside), Constant(np.int64(-1)))
    if not place._frame.rows.same_rows(plain._frame.rows) or place._frame is not plain._frame:
        raise NotLazyError("rows are elsewhere")
    return of_codes(series, pdarray(place._frame, codes), wanted)


def _codes_of_text(text: Strings, categories: pandas.Index) -> Any:
    from akdask.arrays.categories import DEFAULT_NA, in_one_partition, strings_of
    from akdask.operators.join.plan import CategoryTable

    labels = CategoryTable(in_one_partition(strings_of(categories.astype(str))), DEFAULT_NA)
    found = labels.code_of(text._value)
    # The label for what is missing is the last one.
    return Call("where", Call("equal", found, labels.na_code), Constant(np.int64(-1)), found)


# intervals


def cut(
    x: Any,
    bins: Any,
    right: bool = True,
    labels: Any = None,
    retbins: bool = False,
    precision: int = 3,
    include_lowest: bool = False,
    duplicates: str = "raise",
    ordered: bool = True,
) -> Any:
    """Return the interval that each value is in."""
    if isinstance(bins, pandas.IntervalIndex):
        raise NotLazyError("intervals are given")
    # Of narrow floats, and of nullable numbers, pandas computes bounds otherwise; given ones are the same.
    values = _numbers(x, are_bounded=not isinstance(bins, int | np.integer))
    options: dict[str, Any] = {
        "right": right,
        "include_lowest": include_lowest,
        "precision": precision,
        "duplicates": duplicates,
    }
    codes, bounds = binning.cut(values, bins, labels=False, retbins=True, **options)
    return _in_intervals(x, codes, bounds, bins, labels, retbins, {**options, "ordered": ordered})


def qcut(
    x: Any, q: Any, labels: Any = None, retbins: bool = False, precision: int = 3, duplicates: str = "raise"
) -> Any:
    """Return the range of quantiles that each value is in."""
    values = _numbers(x)
    codes, bounds = binning.qcut(values, q, labels=False, retbins=True, precision=precision, duplicates=duplicates)
    options = {"right": True, "include_lowest": True, "precision": precision, "duplicates": duplicates}
    return _in_intervals(x, codes, bounds, None, labels, retbins, options)


def _numbers(series: Any, *, are_bounded: bool = False) -> Any:
    if not hasattr(series, "_labelled"):
        raise NotLazyError("the values are no Series")
    array = columns_of(series).array(VALUES)
    if isinstance(array, EncodedArray):
        if not array.coding.is_number(floats=are_bounded, nullable=are_bounded):
            raise NotLazyError("the values are no numbers")
        return pdarray(array._frame, nearest_floats(array._value)) if array._value.dtype.nullable else array.plain()
    if array._value.dtype.kind == "bool":
        raise NotLazyError("the values are bools")
    return array


def _in_intervals(
    series: Any, codes: Any, bounds: Any, bins: Any, labels: Any, retbins: bool, options: dict[str, Any]
) -> Any:
    if labels is False:
        missing = Call("less", codes._value, Constant(np.int64(0)))
        found = series_of(series, pdarray(codes._frame, with_missing(codes._value, missing)))
    if labels is not None and labels is not False and len(set(labels)) < len(labels):
        raise NotLazyError("labels repeat")
    has_edges = not (bins is None or isinstance(bins, int | np.integer))
    edges = bins if has_edges else bounds
    made: Any = pandas
    shown, edges = made.cut(pandas.Series(bounds[:1]), edges, labels=labels, retbins=True, **options)
    if labels is not False:
        found = of_codes(series, codes, shown.dtype)
    return (found, edges if has_edges else bounds) if retbins else found


# dummies


def get_dummies(
    data: Any,
    prefix: Any = None,
    prefix_sep: Any = "_",
    dummy_na: bool = False,
    columns: Any = None,
    drop_first: bool = False,
    dtype: Any = None,
) -> Any:
    """Return a column for each different value, which says where it is."""
    from akdask.pandas.labels import FrameLabels, labelled, labels_of_frame
    from akdask.pandas.lazy import LazyFrame, column_of

    if dummy_na or not isinstance(prefix_sep, str) or dtype not in DUMMY_TYPES:
        raise NotLazyError("missing values, and other types, have no columns")
    if hasattr(data, "_labelled"):
        if isinstance(prefix, list | dict):
            raise NotLazyError("a Series has one prefix")
        names, arrays = _dummies(data, prefix, prefix_sep, drop_first, dtype)
        given = {f"column {number}": array for number, array in enumerate(arrays)}
        if not given:
            raise NotLazyError("there are no values")
        return labelled(LazyFrame.under(data._framed(given)), FrameLabels(names))
    if labels_of_frame(data) is not None:
        raise NotLazyError("columns are not named by text")
    kinds = data._columns.kinds
    if columns is None:
        chosen = [name for name in data._columns.values if isinstance(kinds[name], Strings | Categorical)]
    else:
        chosen = list(columns)
    if isinstance(prefix, str):
        prefix = [prefix] * len(chosen)
    if isinstance(prefix, dict):
        prefix = [prefix[name] for name in chosen]
    prefixes = chosen if prefix is None else list(prefix)
    if len(prefixes) != len(chosen):
        raise NotLazyError("pandas refuses the prefixes")
    made = {name: data._columns.array(name) for name in data._columns.values if name not in chosen}
    for name, start in zip(chosen, prefixes, strict=True):
        names_of_dummies, arrays = _dummies(column_of(data, name, name), start, prefix_sep, drop_first, dtype)
        if not made.keys().isdisjoint(names_of_dummies) or not names_of_dummies.is_unique:
            raise NotLazyError("names repeat")
        made |= dict(zip(names_of_dummies, arrays, strict=True))
    return data._of(data._columns.beside(made))


def _different(series: Any) -> pandas.Series:
    """Return the different values of a Series, in order, and a missing one if some are."""
    keys: Any = GroupBy(series.values, dropna=False).unique_keys
    return Series(keys).to_pandas()


def _dummies(series: Any, prefix: Any, sep: str, drop_first: bool, dtype: Any) -> tuple[pandas.Index, list[Any]]:
    array: Any = columns_of(series).array(VALUES)
    coding = array.coding if isinstance(array, EncodedArray) else None
    if isinstance(array, TimeArray) or not isinstance(coding, AnyCategories | Narrow | None):
        raise NotLazyError("values of the type have no lazy columns")
    if isinstance(coding, Narrow):
        numbers = series_of(series, array.plain())
        found = _different(numbers)
        is_float = coding.dtype.kind != "f" and found.hasnans
        names: Any = pandas.Index(found.dropna()).astype("float64" if is_float else coding.dtype)
        masks = [(numbers == value).values for value in names.tolist()]
    elif isinstance(array, Categorical | EncodedArray):
        cat = CategoriesOf(series)
        codes = series_of(series, cat.numbers)
        masks = [(codes == number).values for number in range(len(cat.categories))]
        names = pandas.CategoricalIndex(cat.categories, dtype=cat.dtype)
    else:
        names = pandas.Categorical(_different(series)).categories
        masks = [(series == value).values for value in names.tolist()]
    if len(names) > MOST_DUMMIES:
        raise NotLazyError("there are many different values")
    if drop_first:
        names, masks = names[1:], masks[1:]
    if prefix is not None:
        names = pandas.Index([f"{prefix}{sep}{value}" for value in names], dtype="str")
    if np.dtype(dtype or bool) != np.bool_:
        masks = [mask.astype(np.dtype(dtype).name) for mask in masks]
    return names, masks


DUMMY_TYPES = (None, bool, int, float, "bool", "int", "float", "int64", "float64")
"""Types of columns of dummies, bools unless given."""

MOST_DUMMIES = 1000
"""Most different values that get columns lazily."""


def of_codes(series: Any, codes: Any, dtype: pandas.CategoricalDtype) -> Any:
    """Return a Series of categories, by their positions, -1 for missing ones; text as a Categorical of the house."""
    value, frame = codes._value, codes._frame
    if value.dtype.nullable:
        missing = is_missing(value)
        value, _ = apart(value)
    else:
        missing = Call("less", value, Constant(np.int64(0)))
    if dtype.categories.dtype == "str":
        from akdask.operators.join.plan import CategoryTable

        if DEFAULT_NA in dtype.categories:
            raise NotLazyError(f"{DEFAULT_NA!r} is a category")
        labels = CategoryTable(in_one_partition(strings_of(dtype.categories.astype(str))), DEFAULT_NA)
        labels = labels.arranged().in_order(bool(dtype.ordered))
        return series_of(series, Categorical.of(frame, Call("where", missing, labels.na_code, value), labels))
    return series_of(series, EncodedArray(frame, with_missing(value, missing), categories(dtype)))
