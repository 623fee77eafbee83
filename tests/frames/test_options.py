"""Methods with all of their options and every kind of column, beside those of pandas."""

from __future__ import annotations

import operator
from collections import Counter
from itertools import cycle, product

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.engine.sources import Persisted
from akdask.errors import ArgumentError, MissingLabelError
from akdask.frames.alignment import _tables_of
from akdask.frames.binning import MOST_BINS

pytestmark = pytest.mark.light

DAYS = ["2020-01-03", "2020-01-01", "NaT", "2020-01-03", "2020-01-02", "NaT", "2020-01-01"]
TIMES = pd.Series(np.array(DAYS, "M8[ns]"))
KINDS: dict[str, pd.Series] = {
    "int": pd.Series([3, 1, 2**53 + 1, 3, -5, 2**53 + 1, 1]),
    "float": pd.Series([1.5, np.nan, -np.inf, 1.5, 0.0, np.nan, -2.0]),
    "bool": pd.Series([True, False, True, True, False, False, True]),
    "nullable": pd.Series([3, None, 2**53 + 1, 3, -5, None, 1], dtype="Int64"),
    "flag": pd.Series([True, None, False, True, None, False, True], dtype="boolean"),
    "text": pd.Series(["b", "a", None, "b", "", None, "ab"], dtype="str"),
    "time": TIMES,
    "zone": TIMES.dt.tz_localize("Europe/Berlin"),
    "span": pd.Series(pd.to_timedelta([3, 1, None, 3, 2, None, 1], unit="h").astype("timedelta64[ns]")),
}
WANTED = pd.DataFrame(KINDS)


@pytest.fixture(scope="module")
def lazy():
    parts = [ak.DataFrame(WANTED[:3]), ak.DataFrame(WANTED[3:3]), ak.DataFrame(WANTED[3:])]
    return ak.concat(parts, ignore_index=True)


def known(column):
    """Return items, None for missing ones, of a column of either library."""
    column = column.to_pandas() if hasattr(column, "to_pandas") else column
    return [None if pd.isna(item) else item for item in column.tolist()]


def numbered(found):
    """Return the numbers of intervals of pandas, and their names."""
    codes = found.cat.codes if hasattr(found, "cat") else found.fillna(-1).astype(int)
    return codes.tolist(), [str(name) for name in found.cat.categories] if hasattr(found, "cat") else []


# ---- intervals

X = np.array([1.0, 5, 9, np.nan, 0, 4, -3, 8.5])
BINS = {
    "int": ([1, 4, 7, 8, 0, -2], [[0, 4, 8], [-2, 1, 8], 1, 3]),
    "float": (X.tolist(), [[0, 4, 8.5], [-3.0, 9.0], 2, 4]),
    "bool": ([True, False, True], [[-1, 0, 1], 2]),
    "time": (
        ["2020-01-01", "2020-01-02", None, "2020-01-04", "2020-01-01"],
        [["2020-01-01", "2020-01-02", "2020-01-04"], 3],
    ),
    "span": ([1, 3, None, 2, 9], [[1, 3, 9], 2]),
}


def given(kind, items):
    """Return values, or bounds, of a kind."""
    if kind == "time":
        return pd.Series(pd.to_datetime(items).astype("datetime64[ns]"))
    if kind == "span":
        return pd.Series(pd.to_timedelta(items, unit="h").astype("timedelta64[ns]"))
    return pd.Series(items)


def check_intervals(found, wanted, labels):
    codes, names = numbered(wanted)
    if labels is False:
        assert found.tolist() == codes
    else:
        assert found.tolist() == [names[code] if code >= 0 else "N/A" for code in codes]


@pytest.mark.parametrize("kind", BINS)
def test_elements_are_in_the_intervals_of_pandas(kind):
    items, all_bins = BINS[kind]
    values = given(kind, items)
    plain = values.astype(np.int64) if kind == "bool" else values
    how = cycle([(None, 3), (False, 3), (None, 1), ("names", 3), (None, 2)])
    for bins, right, include_lowest in product(all_bins, (True, False), (True, False)):
        bounds = bins if isinstance(bins, int) or kind not in ("time", "span") else pd.Index(given(kind, bins))
        labels, precision = next(how)
        count = bins if isinstance(bins, int) else len(bins) - 1
        names = [f"n{k}" for k in range(count)] if labels == "names" else labels
        options = {"right": right, "include_lowest": include_lowest, "precision": precision, "labels": names}
        wanted, ends = pd.cut(plain, bounds, retbins=True, **options)
        found, other = ak.cut(ak.Series(values), bounds, retbins=True, **options)
        check_intervals(found, wanted, labels)
        assert np.asarray(other).tolist() == np.asarray(ends).tolist()
    assert ak.cut(ak.Series(values), bounds, **options).tolist() == found.tolist()


@pytest.mark.parametrize("kind", ["int", "float", "time", "span"])
def test_elements_are_in_the_quantile_ranges_of_pandas(kind):
    values = given(kind, BINS[kind][0])
    how = cycle([None, False])
    for q in (1, 2, 3, [0, 0.25, 0.9, 1], [0.1, 0.5, 0.6]):
        labels = next(how)
        wanted, ends = pd.qcut(values, q, labels=labels, retbins=True, duplicates="drop")
        found, other = ak.qcut(ak.Series(values), q, labels=labels, retbins=True, duplicates="drop")
        check_intervals(found, wanted, labels)
        assert np.asarray(other).tolist() == np.asarray(ends).tolist()


def test_bounds_that_are_equal_are_refused_or_dropped():
    x = ak.array([1.0, 2.0, 3.0])
    with pytest.raises(ArgumentError, match="cut: "):
        ak.cut(x, [0, 1, 1, 3])
    assert ak.cut(x, [0, 1, 1, 3], duplicates="drop").tolist() == ["(0, 1]", "(1, 3]", "(1, 3]"]
    with pytest.raises(ArgumentError, match="qcut: "):
        ak.qcut(ak.array([1, 1, 1, 2]), 4)
    for wrong in (0, -1, MOST_BINS + 1):
        for function in (ak.cut, ak.qcut):
            with pytest.raises(ArgumentError, match=f"is not from 1 to {MOST_BINS}"):
                function(x, wrong)
    for nothing in (ak.array([np.nan]), ak.Datetime(np.array(["NaT"], "M8[ns]"))):
        for function in (ak.cut, ak.qcut):
            with pytest.raises(ArgumentError, match=r"not all missing|there are no"):
                function(nothing, 2)
    for labels in (["a", "a"], ["a", "N/A"]):
        with pytest.raises(ArgumentError, match=r"labels are all different|labels must be unique"):
            ak.cut(x, [0, 1, 3], labels=labels)
    with pytest.raises(ArgumentError, match="cut: "):
        ak.cut(x, [0, 1, 3], labels=["a"])


# ---- orders


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_sorted_with_missing_ones_first_or_last(lazy, kind):
    for ascending, na_position, ignore_index in product((True, False), ("first", "last"), (False, True)):
        options = {"ascending": ascending, "na_position": na_position}
        wanted = WANTED.sort_values(kind, kind="stable", ignore_index=ignore_index, **options)
        found = lazy.sort_values(kind, ignore_index=ignore_index, **options)
        assert known(found[kind]) == known(wanted[kind])
        assert found.index.to_pandas().tolist() == wanted.index.tolist()
        ordered = ak.Series(lazy[kind]).sort_values(ascending=ascending, na_position=na_position)
        assert ordered.index.to_pandas().tolist() == WANTED[kind].sort_values(kind="stable", **options).index.tolist()


@pytest.mark.parametrize("kind", ["float", "nullable", "text", "time"])
def test_labels_are_sorted_with_missing_ones_first_or_last(lazy, kind):
    labelled = WANTED.set_index(kind)[["int"]]
    for ascending, na_position in product((True, False), ("first", "last")):
        wanted = labelled.sort_index(kind="stable", ascending=ascending, na_position=na_position)
        for found in (
            lazy.set_index(kind)[["int"]].sort_index(ascending=ascending, na_position=na_position)["int"],
            ak.Series(lazy["int"], index=lazy[kind]).sort_index(ascending=ascending, na_position=na_position),
        ):
            assert np.asarray(found.tolist()).tolist() == wanted["int"].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_ranks_count_missing_ones_where_they_are_put(lazy, kind):
    methods = cycle(("average", "min", "max", "first", "dense"))
    for ascending, na_option in product((True, False), ("keep", "top", "bottom")):
        method = next(methods)
        wanted = WANTED[[kind]].rank(method=method, ascending=ascending, na_option=na_option)[kind]
        found = lazy[[kind]].rank(method, ascending, na_option=na_option)[kind]
        assert known(found) == known(wanted.astype(float)), (method, ascending, na_option)
    wanted = WANTED[[kind]].rank(pct=True)[kind].astype(float)
    np.testing.assert_allclose(lazy[[kind]].rank(pct=True)[kind].to_ndarray(), wanted)


@pytest.mark.parametrize("kind", ["int", "float", "bool", "nullable", "time", "span"])
def test_the_most_extreme_rows_are_those_of_pandas(lazy, kind):
    plain = WANTED[[kind]]
    there = int(plain[kind].notna().sum())
    for (name, keep), n in product(product(("nlargest", "nsmallest"), ("first", "last")), (0, 1, 4, 9)):
        found = getattr(ak.Series(lazy[kind]), name)(n, keep).index.to_pandas().tolist()
        given_rows = plain[::-1] if keep == "last" else plain
        ordered = given_rows.sort_values(kind, kind="stable", ascending=name == "nsmallest").index.tolist()
        # Missing rows come only where others are too few, as in pandas.
        assert found[:there] == ordered[: min(n, there)], (name, n, keep)
        assert sorted(found[there:]) == sorted(ordered[there:n])
    for name, n in product(("nlargest", "nsmallest"), (1, 2, 4)):
        found = getattr(lazy[[kind]], name)(n, kind, "all").index.to_pandas().tolist()
        ordered = plain[kind].sort_values(kind="stable", ascending=name == "nsmallest")
        assert sorted(found) == plain.index[plain[kind].isin(set(ordered[:n]))].tolist(), (name, n)


# ---- what is equal


@pytest.mark.parametrize("kind", KINDS)
def test_equal_elements_are_found_counted_and_dropped(lazy, kind):
    plain, series = WANTED[[kind]], ak.Series(lazy[kind])
    for keep in ("first", "last", False):
        assert lazy[[kind]].duplicated(keep=keep).tolist() == plain.duplicated(keep=keep).tolist()
        assert lazy.duplicated([kind, "bool"], keep).tolist() == WANTED.duplicated([kind, "bool"], keep).tolist()
    for keep in ("first", "last"):
        found = lazy.drop_duplicates(kind, keep=keep)
        assert found.index.to_pandas().tolist() == WANTED.drop_duplicates(kind, keep=keep).index.tolist()
    for dropna in (True, False):
        assert lazy[[kind]].nunique(dropna=dropna).tolist() == plain.nunique(dropna=dropna).tolist()
        assert int(series.nunique(dropna=dropna)) == WANTED[kind].nunique(dropna=dropna)
    for dropna, ascending, normalize in ((True, False, False), (False, True, False), (False, False, True)):
        options = {"dropna": dropna, "ascending": ascending, "normalize": normalize}
        found, wanted = series.value_counts(**options), WANTED[kind].value_counts(**options)
        np.testing.assert_allclose(found.values.to_ndarray(), wanted.to_numpy(float))
        if kind not in ("nullable", "flag"):
            of_labels, of_wanted = (
                sorted((str(label), count) for label, count in each.items()) for each in (found.to_pandas(), wanted)
            )
            assert of_labels == of_wanted


SOUGHT = {
    "int": [3, 2**53 + 1, 7], "float": [1.5, np.nan, -2.0], "bool": [True], "nullable": [3, 2**53 + 1], "flag": [False],
    "text": ["b", "", "zz"], "time": [pd.Timestamp("2020-01-03"), pd.NaT], "span": [pd.Timedelta(1, "h")],
}  # fmt: skip


@pytest.mark.parametrize("kind", SOUGHT)
def test_elements_are_looked_for_among_others(lazy, kind):
    sought = SOUGHT[kind]
    wanted = WANTED[kind].isin(sought).tolist()
    series = ak.Series(lazy[kind])
    assert series.isin(sought).tolist() == wanted
    assert series.isin(tuple(sought)).tolist() == wanted
    assert lazy[[kind]].isin(sought)[kind].tolist() == wanted
    assert lazy[[kind, "int"]].isin({kind: sought})[kind].tolist() == wanted
    assert not any(lazy[["bool", "int"]].isin({"bool": [True]})["int"].tolist())
    assert not any(series.isin([]).tolist())
    if kind in ("int", "nullable", "bool", "flag"):
        # Text equals no number.
        assert series.isin([*sought, "3"]).tolist() == lazy[[kind]].isin(["3", *sought])[kind].tolist() == wanted
        by_label = lazy[[kind]].isin(ak.Series(lazy[kind]))[kind].tolist()
        assert by_label == WANTED[kind].notna().tolist()


# ---- what is missing


@pytest.mark.parametrize(("how", "thresh"), [("any", None), ("all", None), (None, 1), (None, 2), (None, 3), (None, 9)])
def test_rows_and_columns_are_dropped_for_what_they_lack(lazy, how, thresh):
    options = {"how": how} if thresh is None else {"thresh": thresh}
    for names in (["float", "text", "time"], ["int", "nullable"], ["flag", "float", "span"], ["int"]):
        plain, frame = WANTED[names], lazy[names]
        assert frame.dropna(**options).index.to_pandas().tolist() == plain.dropna(**options).index.tolist()
        assert list(frame.dropna(axis=1, **options).columns) == plain.dropna(axis=1, **options).columns.tolist()
        reset = frame.dropna(ignore_index=True, **options)
        assert reset.index.to_pandas().tolist() == list(range(len(plain.dropna(**options))))
        if thresh is None:
            found = lazy.dropna(subset=names, how=how).index.to_pandas().tolist()
            assert found == WANTED.dropna(subset=names, how=how).index.tolist()


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("float", 7.5), ("float", 3), ("float", -np.inf), ("text", "none"), ("text", ""), ("nullable", 2**53 + 3),
        ("flag", True), ("time", pd.Timestamp("2021-05-05")), ("span", pd.Timedelta(9, "h")), ("int", 5),
    ],
)  # fmt: skip
def test_what_is_missing_is_filled(lazy, kind, value):
    wanted = known(WANTED[kind].fillna(value))
    assert known(lazy[[kind]].fillna(value)[kind]) == wanted
    assert known(lazy[[kind, "bool"]].fillna({kind: value})[kind]) == wanted
    assert known(ak.Series(lazy[kind]).fillna(value)) == wanted
    assert ak.Series(lazy[kind]).isna().tolist() == WANTED[kind].isna().tolist()
    assert lazy[[kind]].notna()[kind].tolist() == WANTED[kind].notna().tolist()
    assert lazy[[kind]].count().tolist() == WANTED[[kind]].count().tolist()


@pytest.mark.parametrize("kind", ["float", "nullable", "text", "time", "span", "flag"])
def test_missing_elements_take_those_before_or_behind_them(lazy, kind):
    for name, limit in product(("ffill", "bfill"), (None, 1, 2)):
        wanted = getattr(WANTED[[kind]], name)(limit=limit)[kind]
        found = getattr(lazy[[kind]], name)(limit=limit)[kind]
        assert known(found) == known(wanted), (name, limit)


# ---- elements beside those of a Series

TAGS = pd.Series(["v", "u", None, "w"], dtype=pd.CategoricalDtype(["w", "u", "v"], ordered=True))
PAIRED: dict[str, pd.Series] = {name: column[:4] for name, column in KINDS.items()} | {"tags": TAGS}
"""The first rows of each kind, and ordered categories."""


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("kind", PAIRED)
def test_arrays_beside_series(kind, name):
    """A column is an array, and what `shift` gives is a Series; each stands on either side."""
    column = PAIRED[kind]
    array, moved = ak.DataFrame({"x": column})["x"], ak.Series(column).shift(1)
    wanted = getattr(operator, name)(ak.Series(column), moved).tolist()
    assert getattr(operator, name)(array, moved).tolist() == wanted
    other_way = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(name, name)
    assert getattr(operator, other_way)(moved, array).tolist() == wanted
    if kind not in ("nullable", "flag", "bool"):
        # pandas knows no answer beside what is missing, or warns of it; here there is one.
        assert wanted == getattr(operator, name)(column, column.shift(1)).tolist()


@pytest.mark.parametrize("kind", ["time", "zone", "span"])
def test_steps_of_times(kind):
    array = ak.DataFrame({"x": KINDS[kind]})["x"]
    moved = ak.Series(KINDS[kind].shift(1))
    assert known(array - moved) == known(KINDS[kind] - KINDS[kind].shift(1))
    array[ak.array(KINDS[kind].isna().to_numpy())] = ak.Series(KINDS[kind][:2])
    assert known(array) == [
        *known(KINDS[kind])[:2],
        known(KINDS[kind])[0],
        *known(KINDS[kind])[3:5],
        known(KINDS[kind])[1],
        known(KINDS[kind])[6],
    ]


@pytest.mark.parametrize("kind", [ak.IPv4, lambda numbers: ak.BitVector(numbers, width=3)])
def test_addresses_and_bits_beside_series(kind):
    items, others = (kind(ak.array(np.array(numbers, np.uint64))) for numbers in ([1, 2, 3], [1, 3, 2]))
    assert (items == ak.Series(others)).tolist() == [True, False, False]
    assert (items < ak.Series(others)).tolist() == [False, True, False]
    items[ak.array([True, True, False])] = ak.Series(others)[:2]
    assert items.values.tolist() == [1, 3, 3]


# ---- tables of what occurs

KEYED = WANTED.assign(
    g=[1, 2, 1, 2, 3, 1, 1],
    h=pd.Series(["x", "y", "x", None, "y", "z", "x"]),
    c=pd.Categorical(["u", "v", "u", "v", "u", "u", "v"], ["v", "w", "u"]),
    v=[1.5, 2, 3, 4, 5, 6, 7],
    q=range(1, 8),
)
ROWS = ["g", "h", "c", "time", "int", "float", "nullable", "bool"]
PAIRS = [(rows, columns) for rows, columns in product(ROWS, ["h", "g", "c"]) if rows != columns]


@pytest.fixture(scope="module")
def keyed():
    return ak.concat([ak.DataFrame(KEYED[:3]), ak.DataFrame(KEYED[3:3]), ak.DataFrame(KEYED[3:])], ignore_index=True)


def cells(table):
    """Return items by the names of columns, and labels, of a table of either library."""
    table = table.to_pandas() if hasattr(table, "to_pandas") else table
    names = ["_".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in table.columns]
    columns = [known(table.iloc[:, number]) for number in range(len(names))]
    return list(zip(names, columns, strict=True)), known(table.index)


@pytest.mark.parametrize(("rows", "columns"), PAIRS)
def test_pivot_tables(keyed, rows, columns):
    for options in (
        *({"aggfunc": how} for how in ("sum", "mean", "count", "min", "max")),
        *({"aggfunc": "sum", "fill_value": value} for value in (0, -1)),
        {"aggfunc": "sum", "observed": False},
        {"aggfunc": "sum", "dropna": False},
    ):
        found, wanted = (
            frame.pivot_table(values="q", index=rows, columns=columns, **{"observed": True} | options)
            for frame in (keyed, KEYED)
        )
        assert cells(found) == cells(wanted), options


@pytest.mark.parametrize("key", ["h", "float", "nullable", "time"])
def test_categories_of_no_row_meet_all_keys_but_missing_ones(keyed, key):
    for keys in ([key, "c"], ["c", key]):
        found, wanted = (frame.groupby(keys, observed=False)["q"].sum() for frame in (keyed, KEYED))
        assert found.tolist() == wanted.tolist()
        assert found.to_pandas().index.tolist() == wanted.index.tolist()


@pytest.mark.parametrize(("rows", "columns"), PAIRS)
def test_crosstab(keyed, rows, columns):
    for options in (
        *({"normalize": how} for how in (False, True, "all", "index", "columns")),
        {"aggfunc": "sum"},
        {"aggfunc": "sum", "normalize": True},
        {"aggfunc": "max", "normalize": "index"},
    ):
        found, wanted = (
            library.crosstab(
                frame[rows], frame[columns], **options | ({"values": frame["v"]} if "aggfunc" in options else {})
            )
            for library, frame in ((ak, keyed), (pd, KEYED))
        )
        assert cells(found) == cells(wanted), options


@pytest.mark.parametrize("kind", [*KINDS, "c", "g"])
def test_dummies(keyed, kind):
    for dummy_na, drop_first, dtype in product([False, True], [False, True], [bool, np.int64, float]):
        found, wanted = (
            library.get_dummies(frame[kind], dummy_na=dummy_na, drop_first=drop_first, dtype=dtype)
            for library, frame in ((ak, keyed), (pd, KEYED))
        )
        assert cells(found) == cells(wanted), (dummy_na, drop_first, dtype)
        assert found.to_pandas().dtypes.tolist() == [np.dtype(dtype)] * len(wanted.columns)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prefix": "p", "prefix_sep": ["1", "2"]},
        {"prefix": ["a", "b"], "prefix_sep": {"h": "!", "c": "?"}},
        {"prefix": {"h": "a", "c": "b"}, "dummy_na": True, "drop_first": True},
        {"columns": ["g"], "prefix": "P", "prefix_sep": "-"},
    ],
)
def test_dummies_of_frames(keyed, options):
    columns = ["h", "v", "c"] if "columns" not in options else ["g", "v"]
    found, wanted = (library.get_dummies(frame[columns], **options) for library, frame in ((ak, keyed), (pd, KEYED)))
    assert cells(found) == cells(wanted)


@pytest.mark.parametrize(
    ("ids", "values"),
    [
        ("g", ["v", "q"]),
        (["g", "h"], ["v"]),
        (None, ["int", "q"]),
        ("c", ["text", "h"]),
        ("g", ["time"]),
        ("g", ["float", "v"]),
        ("text", ["nullable", "q"]),
        ("g", ["bool", "flag"]),
        (None, ["span"]),
    ],
)
def test_columns_below_each_other(keyed, ids, values):
    for names in ({}, {"var_name": "A", "value_name": "B"}):
        found, wanted = (frame.melt(id_vars=ids, value_vars=values, **names) for frame in (keyed, KEYED))
        assert cells(found) == cells(wanted)
    for method in ("stack", "unstack"):
        found, wanted = (getattr(frame[values], method)() for frame in (keyed, KEYED))
        assert known(found) == known(wanted)
        assert found.to_pandas().index.tolist() == wanted.index.tolist()


# ---- labels and functions

PAIRED_LABELS = [("int", "text"), ("int", "int"), ("text", "int"), ("text", "text")]


@pytest.mark.parametrize(("own", "its"), list(product(PAIRED_LABELS, repeat=2)))
def test_labels_of_several_levels_meet_those_of_their_kinds(own, its):
    levels = {"int": [1, 2, 2], "text": ["1", "2", "b"]}
    labels = [
        pd.MultiIndex.from_arrays([levels[kind][::step] for kind, step in zip(kinds, (1, -1), strict=True)])
        for kinds in (own, its)
    ]
    series = [pd.Series(values, index=index) for values, index in zip(([1, 2, 3], [20, 0, 10]), labels, strict=True)]
    lazy = [ak.Series(one) for one in series]
    found = known(lazy[0].where(lazy[1] > 0)), known(lazy[0].clip(lower=lazy[1]))
    if own == its:
        assert found == (known(series[0].where(series[1] > 0)), known(series[0].clip(lower=series[1])))
    else:
        assert found == ([None] * 3, [None] * 3)


@pytest.mark.parametrize("count", [-30, -10, -3, -1, 0, 1, 3, 10, 30])
@pytest.mark.parametrize("is_chosen", [False, True])
def test_first_and_last_rows(count, is_chosen):
    plain, frame = pd.DataFrame({"x": range(20)}), ak.DataFrame({"x": ak.arange(20)})
    if is_chosen:  # how many rows there are is not known
        plain, frame = plain[plain["x"] % 2 == 0], frame[frame["x"] % 2 == 0]
    for method in ("head", "tail"):
        assert getattr(frame, method)(count)["x"].tolist() == getattr(plain, method)(count)["x"].tolist()
        assert getattr(ak.Series(frame["x"]), method)(count).tolist() == getattr(plain["x"], method)(count).tolist()


@pytest.mark.parametrize("kind", ["time", "zone", "span"])
def test_functions_of_times_may_give_nothing(lazy, kind):
    first = KINDS[kind][0]

    def later(item):
        return pd.NaT if item == first or item is pd.NaT else item + pd.Timedelta(1, "h")

    assert known(ak.Series(lazy[kind]).apply(later)) == known(KINDS[kind].apply(later))


SLICES = [
    ("2020-01-03", "2020-01-02"), ("2020-01-03 00:00:00", "2020-01-02 00:00:00"), (None, "2020-01-01 00:00:00"),
    ("2020-01-01 00:00:00", None), ("2020-01-01", None), (None, "2020-01-02"), ("2020-01-05 00:00:00", None),
    (None, "2020-01-05 00:00:00"), ("2020-01-01 00:00:00", "2020-01-05 00:00:00"),
    (pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02")), (pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")),
    (None, pd.Timestamp("2020-01-01")), (pd.Timestamp("2019-01-01"), None), (pd.Timestamp("2020-01-02"), None),
]  # fmt: skip


@pytest.mark.parametrize(("start", "stop"), SLICES)
def test_rows_at_times_in_no_order(start, stop):
    times = pd.to_datetime(["2020-01-03", "2020-01-01", "2020-01-02"]).astype("M8[ns]")
    plain, series = pd.Series([1, 2, 3], index=times), ak.Series(ak.array([1, 2, 3]), index=ak.Datetime(times))
    try:
        wanted = plain.loc[start:stop].tolist()
    except KeyError:
        with pytest.raises(MissingLabelError):
            series.loc[start:stop].tolist()
    else:
        assert series.loc[start:stop].tolist() == wanted


@pytest.mark.parametrize("keys", [["g"], ["g", "h"], ["h", "q"]])
@pytest.mark.parametrize("kind", ["int", "float", "text", "bool", "time"])
def test_values_of_groups_are_counted(keyed, keys, kind):
    """Values that are as common come as in the rows; groups without keys are left out."""
    rows = [(*key, item) for *key, item in zip(*(known(KEYED[name]) for name in [*keys, kind]), strict=True)]
    for ascending, normalize, dropna in product([False, True], repeat=3):
        kept = [row for row in rows if None not in row[:-1] and not (dropna and row[-1] is None)]
        sizes = Counter(row[:-1] for row in kept)
        wanted = Counter(kept)
        order = sorted(wanted, key=lambda row: (row[:-1], wanted[row] if ascending else -wanted[row], kept.index(row)))
        found = keyed.groupby(keys)[kind].value_counts(ascending=ascending, normalize=normalize, dropna=dropna)
        assert found.tolist() == [wanted[row] / (sizes[row[:-1]] if normalize else 1) for row in order]
        labels = [tuple(None if pd.isna(item) else item for item in label) for label in found.to_pandas().index]
        assert labels == order


def test_labels_are_at_hand_while_all_of_them_are_in_memory():
    with ak.config.set(eager=True):
        base = (ak.array(np.arange(10)) * 2).persist()._frame
        (table,) = _tables_of(base)
        assert table.nrows == 10
        for graph in ({}, dict.fromkeys(base.keys)):  # a cluster has futures
            assert _tables_of(Persisted("gone", graph, base.keys, base.rowspace, base.schema)) is None
        several = Persisted("half", base.graph, (*base.keys, "gone"), base.rowspace, base.schema)
        assert _tables_of(several) is None
    assert _tables_of(base) is None
    assert [table.nrows for table in _tables_of(ak.array([1, 2])._frame)] == [2]
