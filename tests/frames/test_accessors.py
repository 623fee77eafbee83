"""What accessors and methods of Series give has the labels and the name of the Series; the reference is pandas."""

import numpy as np
import pandas as pd
import pytest

import akdask as ak

TIMES = pd.to_datetime(
    ["2024-02-29 12:30:15.5", "2023-12-31", "2025-01-01", "2024-07-01 23:59:59", "2024-03-31", "1969-12-31"],
    format="mixed",
)
SPANS = pd.to_timedelta([90061.5, 0, -3600, 86399.25, 5, 172800], unit="s")
TEXT = ["b-1", "Apple-22 x", "c", "", "été-3", "b-1"]

ROWS = pd.DataFrame(
    {
        "n": [3, 1, 6, 2, 5, 4],
        "t": TIMES,
        "d": SPANS,
        "s": TEXT,
        "x": [1.5, -2.0, np.nan, 0.25, 7.0, 3.0],
        "b": [True, False, True, True, False, True],
        "c": pd.Categorical(["u", "v", "u", "w", "v", "u"]),
    },
    index=[10, 20, 30, 40, 50, 60],
)


def chosen(rows):
    """Filtered and sorted rows, whose labels are neither numbers of rows nor in order."""
    return rows[rows["n"] != 2].sort_values("n")


def column(rows, name):
    return getattr(chosen(rows), name)


def same(name, call):
    wanted = call(column(ROWS, name))
    found = call(column(ak.DataFrame(ROWS), name)).to_pandas()
    if isinstance(wanted, pd.DataFrame):
        wanted.columns = [str(one) for one in wanted.columns]
        pd.testing.assert_frame_equal(found, wanted, check_dtype=False)
    else:
        if found.dtype == "boolean":
            wanted = wanted.astype("boolean")
        pd.testing.assert_series_equal(found, wanted, check_dtype=False, check_categorical=False)
        assert found.name == name


OF_TIMES = [
    "year", "month", "day", "hour", "minute", "second", "nanosecond", "date", "day_of_year", "dayofyear",
    "day_of_week", "dayofweek", "weekday", "quarter", "days_in_month", "daysinmonth", "is_month_start",
    "is_month_end",
    "is_quarter_start", "is_quarter_end", "is_year_start", "is_year_end", "is_leap_year", "isocalendar()",
    "day_name()",
    "month_name()", "normalize()", "strftime('%Y-%m-%d')", "floor('h')", "ceil('h')", "round('h')", "floor('D')",
]  # fmt: skip
OF_SPANS = [
    "days",
    "seconds",
    "microseconds",
    "nanoseconds",
    "components",
    "total_seconds()",
    "floor('h')",
    "ceil('s')",
]
OF_TEXT = [
    "len()", "contains('b')", "startswith('b')", "endswith('1')", "match('[a-z]')", "fullmatch('.')",
    "replace('-', '+')",
    "slice(0, 2)", "get(0)", "split('-')", "split('-', expand=True)", "split(expand=True)", "extract(r'(\\d)')",
    "extract(r'(?P<letter>[a-z])-(?P<digit>\\d)')", "extract(r'(\\d)', expand=False)", "count('p')", "find('-')",
    "rfind('-')",
    "zfill(5)", "pad(5)", "rjust(6)", "ljust(6)", "center(6)", "repeat(2)", "strip('b')", "lstrip('b')",
    "rstrip('1')",
    "removeprefix('b')", "removesuffix('1')", "swapcase()", "casefold()", "lower()", "upper()", "title()",
    "capitalize()",
    "isalpha()", "isdigit()", "isupper()", "islower()", "istitle()", "isalnum()", "isspace()", "isdecimal()",
    "partition('-')", "rpartition('-')", "get_dummies('-')", "cat(sep='-')",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Series.dt")
@pytest.mark.parametrize("member", [one for one in OF_TIMES if one != "date"])
def test_parts_of_times_have_labels(member):
    same("t", eval(f"lambda s: s.dt.{member}"))


def test_dates_have_labels():
    found = column(ak.DataFrame(ROWS), "t").dt.date.to_pandas()
    wanted = column(ROWS, "t").dt.normalize()
    pd.testing.assert_series_equal(found, wanted, check_dtype=False)


@pytest.mark.parametrize("member", OF_SPANS)
def test_parts_of_spans_have_labels(member):
    same("d", eval(f"lambda s: s.dt.{member}"))


@pytest.mark.parametrize("member", [one for one in OF_TEXT if not one.startswith(("cat", "split('-')"))])
def test_parts_of_text_have_labels(member):
    same("s", eval(f"lambda s: s.str.{member}"))


def test_fields_and_joined_text_have_labels():
    found, wanted = column(ak.DataFrame(ROWS), "s"), column(ROWS, "s")
    fields = found.str.split("-")
    assert fields.index.tolist() == wanted.index.tolist()
    assert [list(one) for one in fields.values.tolist()] == wanted.str.split("-").tolist()
    assert found.str.cat(sep="-") == wanted.str.cat(sep="-")
    same("s", lambda s: s.str.cat(s, sep="+"))
    same("s", lambda s: s.str[:2])
    same("s", lambda s: s.str[0])
    same("s", lambda s: s.str.split("-").str[0])
    for part in found.str.peel("-"):
        assert part.index.tolist() == wanted.index.tolist()


def test_codes_have_labels():
    codes = column(ak.DataFrame(ROWS), "c").cat.codes.to_pandas()
    pd.testing.assert_series_equal(codes, column(ROWS, "c").cat.codes, check_dtype=False, check_names=False)
    found = column(ak.DataFrame(ROWS), "c")
    assert found.cat.to_strings().index.tolist() == column(ROWS, "c").index.tolist()
    assert found.cat.isna().index.tolist() == column(ROWS, "c").index.tolist()
    same("c", lambda s: s.cat.set_categories(["w", "v", "u"]))


@pytest.mark.parametrize("name", ["s", "x", "n", "b", "c", "t"])
@pytest.mark.parametrize(

    "options", [{}, {"prefix": "p"}, {"drop_first": True}, {"dummy_na": True}, {"dtype": "int64"}, {"prefix_sep": ":"},
                {"prefix": "p", "prefix_sep": ".", "dummy_na": True, "dtype": "float64"}], ids=repr,
)  # fmt: skip
def test_dummies_have_labels(name, options):
    plain, lazy = column(ROWS, name), column(ak.DataFrame(ROWS), name)
    wanted, found = pd.get_dummies(plain, **options), ak.get_dummies(lazy, **options).to_pandas()
    wanted.columns = [str(one) for one in wanted.columns]
    pd.testing.assert_frame_equal(found, wanted, check_dtype="dtype" in options)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"columns": ["n"]}, {"columns": ["x", "s"]}, {"columns": ["b", "c"], "prefix": ["p", "q"]},
        {"columns": ["s", "c"], "prefix": {"s": "p", "c": "q"}, "prefix_sep": {"s": "-", "c": "+"}},
        {"columns": ["s"], "prefix": "p", "drop_first": True}, {"columns": ["x", "c"], "dummy_na": True},
        {"prefix_sep": ["-", "+"]},
    ],
    ids=repr,
)  # fmt: skip
def test_dummies_of_columns(options):
    wanted, found = pd.get_dummies(chosen(ROWS), **options), ak.get_dummies(chosen(ak.DataFrame(ROWS)), **options)
    pd.testing.assert_frame_equal(found.to_pandas(), wanted, check_dtype=False, check_categorical=False)


def test_dummies_of_what_is_at_hand_and_of_labels_of_several_levels():
    for given in (["b", "a", "b"], np.array([2, 1, 2]), pd.Series([1.5, 2.5], index=["a", "b"]), [True, False]):
        wanted = pd.get_dummies(given)
        wanted.columns = [str(one) for one in wanted.columns]
        pd.testing.assert_frame_equal(ak.get_dummies(given).to_pandas(), wanted)
    grouped = ak.DataFrame(ROWS).groupby(["b", "c"])["n"].sum()
    found = ak.get_dummies(grouped).reset_index().to_pandas()
    wanted = pd.get_dummies(ROWS.groupby(["b", "c"], observed=True)["n"].sum()).reset_index()
    assert found.to_numpy().tolist() == wanted.to_numpy().tolist()
    with pytest.raises(ValueError, match="2 items for 1"):
        ak.get_dummies(ak.DataFrame({"s": ["a"]}), prefix=["p", "q"])


OF_SERIES = [
    ("x", "abs()"), ("x", "cumsum()"), ("n", "cumprod()"), ("n", "cummax()"), ("n", "cummin()"), ("n", "diff()"),
    ("n", "shift()"),
    ("n", "shift(-2)"), ("n", "pct_change()"), ("n", "rank()"), ("x", "round(1)"), ("n", "clip(2, 4)"), ("x",
    "isna()"), ("x", "notna()"),
    ("x", "fillna(0)"), ("x", "ffill()"), ("x", "bfill()"), ("n", "between(2, 4)"), ("n", "isin([3, 4])"),
    ("s", "isin(['c'])"), ("n", "where(s > 3)"), ("n", "mask(s > 3, 0)"), ("n", "duplicated()"), ("s",
    "duplicated()"),
    ("n", "map({3: 30, 1: 10, 6: 60, 5: 50, 4: 40})"), ("n", "map(lambda x: x + 1)"), ("n", "apply(lambda x: x + 1)"),
    ("n", "astype(float)"), ("n", "replace(3, 30)"), ("n", "transform(lambda s: s - s.mean())"), ("n",
    "rolling(2).sum()"),
    ("n", "expanding().sum()"), ("n", "ewm(span=2).mean()"), ("n", "sub(1)"), ("n", "mul(2)"), ("n", "div(2)"),
    ("n", "mod(2)"), ("n", "pow(2)"), ("n", "floordiv(2)"), ("n", "eq(3)"), ("n", "lt(3)"), ("n",
    "drop_duplicates()"), ("n", "nlargest(3)"),
    ("n", "nsmallest(2)"), ("n", "head(3)"), ("n", "tail(2)"), ("n", "sort_values()"), ("n", "sort_index()"), ("x",
    "dropna()"),
    ("n", "copy()"), ("n", "drop(10)"), ("n", "reindex([10, 30, 99])"), ("n", "iloc[1:3]"), ("n", "loc[[30, 10]]"),
    ("t", "shift(1)"),
    ("t", "diff()"), ("s", "fillna('z')"), ("s", "shift(1)"), ("b", "cumsum()"), ("b", "where(s)"), ("n",
    "rename('n')"),
    ("n", "groupby(s % 2).cumsum()"), ("n", "groupby(s % 2).transform('sum')"), ("n", "groupby(s % 2).shift()"), ("n",
    "groupby(s % 2).rank()"),
    ("n", "groupby(s % 2).cumcount()"), ("n", "groupby(s % 2).head(1)"), ("n", "to_frame()"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call"), OF_SERIES, ids=repr)
def test_methods_have_labels(name, call):
    function = eval(f"lambda s: s.{call}")
    if "cumcount" in call:
        found, wanted = function(column(ak.DataFrame(ROWS), name)), function(column(ROWS, name))
        pd.testing.assert_series_equal(found.to_pandas(), wanted, check_names=False)
        return
    same(name, function)


@pytest.mark.parametrize(
    "of",
    [
        lambda text: text.len(),
        lambda text: text[:2],
        lambda text: text[1],
        lambda text: text.find("b"),
        lambda text: text.replace("b", "xy"),
        lambda text: text.zfill(4),
        lambda text: text.strip(),
        lambda text: text.swapcase(),
    ],
)
def test_methods_of_text_answer_for_categoricals_once_for_each_label(of):
    text = pd.Series(["ab", None, " é", "ab", "", "bab"], dtype="str")
    wanted = [None if pd.isna(one) else one for one in of(text.str)]
    for count in (6, 0):
        series = ak.Series(text.astype("category")).iloc[:count]
        assert [None if pd.isna(one) else one for one in of(series.str).to_pandas()] == wanted[:count]
