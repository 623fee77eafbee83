"""What pandas users write without looking anything up: the same expression of both."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import akdask as ak

N = 40
CUTS = (0, 7, 7, 30, N)
"""Bounds of the partitions, one of which is empty."""


OPERATORS = ("sub", "mul", "div", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge")
GROUPED = (
    *("sum", "mean", "min", "max", "std", "var", "median", "count", "nunique", "first", "size", "sem"),
    *("idxmax", "idxmin", "describe"),
)


def _plain():
    draw = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "k": draw.choice(["a", "b", "c"], N),
            "j": draw.integers(0, 4, N),
            "x": draw.normal(size=N).round(3),
            "y": draw.integers(0, 100, N),
            "t": pd.date_range("2026-01-01", periods=N, freq="7h", unit="ns"),
            "f": draw.random(N) > 0.5,
            "m": np.where(draw.random(N) > 0.8, np.nan, draw.random(N)),
            "s": draw.choice(["Foo bar", "baz-1", "Qux 22", " pad "], N),
        }
    )


PLAIN = _plain()
OTHER = pd.DataFrame({"j": [0, 1, 2, 7], "name": ["zero", "one", "two", "seven"], "y": [1, 2, 3, 4]})
LABELLED = pd.DataFrame({"name": ["zero", "one", "two"]}, index=[0, 1, 2])


@pytest.fixture
def df():
    parts = [ak.DataFrame(PLAIN[cut:end].reset_index(drop=True)) for cut, end in pairwise(CUTS)]
    return ak.DataFrame.concat(parts)


def _computed(item):
    if isinstance(item, list | tuple):
        return [_computed(one) for one in item]
    if hasattr(item, "to_pandas"):
        return item.to_pandas()
    return item.compute() if hasattr(item, "compute") else item


def _comparable(item):
    item = _computed(item)
    if isinstance(item, pd.DataFrame):
        return item.rename(columns=str).apply(_comparable)
    if isinstance(item, pd.Series) and item.dtype.kind not in "ifubMm":
        return item.astype(object).where(item.notna(), None)
    if isinstance(item, pd.Index | np.ndarray):
        return item.tolist()
    return item


def check(df, *expressions):
    """Compare what expressions give of pandas' frame ``df`` and of akdask's."""
    for expression in expressions:
        results = []
        for library, frame, other, labelled in (
            (pd, PLAIN.copy(), OTHER, LABELLED),
            (ak, df.copy(), ak.DataFrame(OTHER), ak.DataFrame(LABELLED)),
        ):
            names = {"pd": library, "np": np, "df": frame, "o": other, "l": labelled}
            *statements, last = expression.split("; ")
            for statement in statements:
                exec(statement, names)
            results.append(_comparable(eval(last, names)))
        wanted, found = results
        if isinstance(wanted, pd.DataFrame):
            assert isinstance(found, pd.DataFrame), expression
            pd.testing.assert_frame_equal(
                found, wanted, check_dtype=False, check_index_type=False, check_names=False, check_freq=False,
                obj=expression, check_column_type=False,
            )  # fmt: skip
        elif isinstance(wanted, pd.Series):
            assert isinstance(found, pd.Series), expression
            pd.testing.assert_series_equal(
                found, wanted, check_dtype=False, check_index_type=False, check_freq=False, obj=expression,
                check_names=False,
            )  # fmt: skip
        elif isinstance(wanted, float):
            assert found == pytest.approx(wanted, nan_ok=True), expression
        else:
            np.testing.assert_equal(found, wanted, expression)


def test_columns_and_rows_are_left_out_renamed_and_chosen(df):
    check(
        df,
        'df.drop(columns=["x"])', 'df.drop(columns="x")', "df.drop(index=[0, 1])", "df.drop(index=3)",
        'df.drop(columns="x", index=39)', 'df.rename(columns={"x": "z"})', "df.rename(columns=str.upper)",
        'df.rename(columns={"x": "z"}, index={0: 100})', 'df.filter(like="x")', 'df.filter(items=["x", "none"])',
        'df.filter(regex="^[xy]$")', 'df.dropna(subset=["m"])', 'df.dropna(subset="x")',
        'df.set_axis(list("abcdefgh"), axis=1)', 'df[["x"]].squeeze()', 'df.rename_axis("id").index.name',
    )  # fmt: skip


def test_rows_are_sorted_with_missing_ones_where_they_are_wanted(df):
    check(
        df,
        'df.sort_values("x", ascending=False, ignore_index=True)', 'df.sort_values("m", na_position="first")',
        'df.sort_values(["m", "x"], ascending=[False, True], na_position="first")',
        'df.sort_values(["k", "x"], ascending=[True, False])',
    )  # fmt: skip
    times = pd.DataFrame({"k": [1, 1, 1, 0], "t": np.array(["NaT", "2026-01-02", "2026-01-01", "NaT"], "M8[ns]")})
    for by in ("t", ["k", "t"]):
        for ascending in (True, False):
            found = ak.DataFrame(times).sort_values(by, ascending=ascending).to_pandas()
            pd.testing.assert_frame_equal(found, times.sort_values(by, ascending=ascending, kind="stable"))
    found = df.sort_values("s", key=lambda s: s.str.lower())["s"].tolist()
    assert found == sorted(PLAIN["s"], key=str.lower)


def test_columns_are_assigned(df):
    check(
        df,
        'df[["p", "q"]] = df[["x", "y"]]; df', 'df[["x", "y"]] = 0; df', 'df.loc[df.k == "a", "new"] = 1; df',
        'df["z"] = df["x"] - df.groupby("k")["x"].transform("mean"); df',
        'df.loc[df.k == "a", "y"] = df.y * 2; df', 'df.loc[df.k == "a", "y"] += 1; df',
        'df["d"] = pd.to_datetime("2026-01-01"); (df.t - df.d).dt.days', 'df["n"] = None; df.n.isna().sum()',
        'df["d"] = np.timedelta64(1, "h"); df.d', 'df["d"] = np.datetime64("2026-01-01T01"); df.d',
    )  # fmt: skip


def test_operators_work_on_all_columns(df):
    check(
        df,
        *(f'df[["x", "y"]] {operator} 2' for operator in ("+", "-", "*", "/", "//", "%", "**", ">", "<=", "==", "!=")),
        '1 - df[["x", "y"]]', '-df[["x", "y"]]', 'abs(df[["x", "y"]])', 'df[["x", "y"]] + df[["x", "y"]]',
        'df[["x", "y"]] - df[["x", "y"]].mean()', 'df[["x", "y"]].sub(df.y, axis=0)', 'df[["x", "y"]].gt(0)',
        'df[["x", "y"]].div(df.y + 1, axis=0)', 'np.exp(df[["x"]])', '~df[["f"]]', 'df[["x", "y"]] > 0',
        'd = df[["x"]]; d += 1; d', 'df[["x", "y"]].where(df[["x", "y"]] > 0, 0)',
        'df[["x", "y"]].mask(df[["x", "y"]] > 0)', 'df[["x"]].eq({"x": 1.0})',
        *(f'df[["x", "y"]].{name}(2)' for name in ("add", *OPERATORS)),
    )  # fmt: skip


def test_columns_and_rows_are_reduced(df):
    wide = 'df[["x", "y"]]'
    check(
        df,
        *(f"{wide}.{how}(axis=1)" for how in ("sum", "mean", "min", "max", "std", "var")),
        *(f'df[["x", "m", "f"]].{how}(axis=1, skipna=True)' for how in ("sum", "mean", "min", "max")),
        *(f'df[["x", "m"]].{how}(axis=1, skipna=True)' for how in ("std", "var")),
        *(f'df[["x", "m", "y"]].{how}(skipna=True)' for how in ("sum", "mean", "min", "max", "std", "var", "prod")),
    )  # fmt: skip


def test_columns_are_aggregated_by_names_and_functions(df):
    wide = 'df[["x", "y"]]'
    check(
        df,
        f'{wide}.agg(["sum", "mean"])', f'{wide}.agg({{"x": "sum", "y": "max"}})', f'{wide}.agg("sum")',
        'df.agg({"x": ["min", "max"], "y": ["sum"]})', f"{wide}.cov()", f"{wide}.idxmax()", f"{wide}.idxmin()",
        'df[["m"]].idxmax()', 'df[["x", "j", "f"]].max()', 'df[["f"]].max()',
        "df.corr(numeric_only=True).shape", "df.mode(numeric_only=True).shape",
        'df[["x", "m"]].agg(["mean", "count", "std"])',
        f"{wide}.apply(np.sum)", f"{wide}.apply(lambda c: c.max() - c.min())", f"{wide}.apply(lambda c: c + 1)",
        f'{wide}.apply(lambda r: r["x"] + r["y"], axis=1)', f"{wide}.map(lambda v: v * 2)",
        "df.equals(df.copy())", 'df.equals(df.drop(columns="x"))', 'df.equals(df.assign(x=0.0))',
    )  # fmt: skip


def test_groups_of_one_column_are_those_of_a_series(df):
    check(
        df,
        *(f'df.groupby("k")["x"].{how}()' for how in GROUPED),
        *(f'df.groupby("k").x.{how}()' for how in ["cumsum", "cummax", "rank", "shift", "diff", "pct_change"]),
        'df.groupby(["k", "j"])["x"].sum()', 'df.groupby("k", as_index=False)["x"].sum()',
        'df.groupby("k")["x"].sum().loc["a"]', 'df.groupby("k")["x"].sum().idxmax()',
        'df.groupby("k")["x"].sum().reset_index()', 'df.groupby("k")["x"].sum().reset_index(name="total")',
        'df.groupby("k")["x"].sum().sort_values(ascending=False)', 'df.groupby(["k", "j"]).x.sum().reset_index()',
        'df.groupby(["k", "j"])["x"].sum().unstack()', 'df.groupby(["k", "j"]).size().unstack(fill_value=0)',
        'df.groupby("k")["x"].agg(["min", "max"])', 'df.groupby("k")["x"].agg(lo="min", hi="max")',
        'df.groupby("k")["x"].agg(np.mean)', 'df.groupby("k")["x"].agg(lambda s: s.max() - s.min())',
        'df.groupby("k")["x"].quantile([0.25, 0.75])', 'df.groupby("k")["j"].value_counts().sort_index()',
        'df.groupby("k")["x"].apply(lambda s: s.max() - s.min())', 'df.groupby(df.x > 0).y.mean()',
        'df.groupby("k")["x"].get_group("a")', 'df.groupby(df.t.dt.floor("D"))["x"].sum()',
        'df.loc[df.index.isin([1, 2])] if hasattr(df.index, "isin") else df.loc[[1, 2]]',
    )  # fmt: skip


def test_groups_take_pandas_arguments(df):
    check(
        df,
        'df[["k", "x", "y"]].groupby("k").sum(numeric_only=True)', 'df.groupby("k").agg(n=("x", "count"))',
        'df.groupby("k").agg(spread=("x", lambda s: s.max() - s.min()), n=("y", "sum"))',
        'df.groupby("k").agg({"x": np.max})', '[(key, len(rows)) for key, rows in df.groupby("k")]',
        '[(key, len(rows)) for key, rows in df.groupby(["k", "j"])]', 'df[["k", "x", "y"]].groupby("k").idxmax()',
        'df[["k", "x", "y"]].groupby("k").diff()',
    )  # fmt: skip


def test_spans_of_time_are_reduced_column_by_column(df):
    check(
        df,
        'df.set_index("t").resample("D").x.sum()', 'df.resample("D", on="t")["x"].mean()',
        'df[["t", "x"]].set_index("t").resample("6h").mean(numeric_only=True)',
        'df.set_index("t").x.resample("D").max()',
        'df.resample("D", on="t")[["x", "y"]].sum()',
    )  # fmt: skip


def test_merges_take_pandas_arguments(df):
    ordered = '.sort_values(["x", "j"], ignore_index=True)'
    check(
        df,
        f'df.merge(o, on="j", suffixes=("_l", "_r")){ordered}',
        *(f'df.drop(columns="f").merge(o, on="j", how="{how}", indicator=True){ordered}' for how in ("left",
        "right", "outer", "inner")),
        f'df.drop(columns=["y", "f"]).merge(o, how="outer", indicator="side"){ordered}',
        f'df.drop(columns="y").merge(l, left_on="j", right_index=True){ordered}',
        'df.merge(l, left_index=True, right_index=True).sort_values("x")["name"].tolist()',
        'df[["x"]].merge(o, how="cross")',
    )  # fmt: skip


def test_tables_change_their_shape(df):
    check(
        df,
        'df.pivot_table(index="k", values=["x", "y"], aggfunc={"x": "mean", "y": "max"})',
        'pd.pivot_table(df, index="k", columns="j", values="x", aggfunc="mean")',
        'df.groupby(["k", "j"]).y.sum().reset_index().pivot(index="k", columns="j", values="y")',
        *(f"pd.crosstab(df.k, df.j, normalize={by!r})" for by in (True, "index", "columns")),
        'pd.melt(df, id_vars=["k"], value_vars=["x", "y"])', 'df[["x", "m"]].unstack()',
        'pd.DataFrame([{"a": 1, "b": 2}, {"a": 3}])', 'pd.DataFrame(np.arange(6).reshape(3, 2), columns=["a", "b"])',
        'pd.DataFrame({"a": 1}, index=[0, 1])', 'pd.DataFrame.from_dict({"a": [1, 2]})',
        'pd.DataFrame.from_dict({"p": [1, 2]}, orient="index", columns=["a", "b"])',
    )  # fmt: skip


def test_series_have_the_methods_of_pandas(df):
    check(
        df,
        "df.x.apply(lambda v: v + 1)", "df.x.apply(np.exp)", "df.k.apply(len)", "df.k.map(str.upper)",
        "df.x.agg('sum')",
        "df.x.agg(['sum', 'max'])", "df.x.corr(df.y)", "df.m.corr(df.x)", "df.x.cov(df.y)", "df.x.autocorr()",
        "df.x.dot(df.y)", "df.x @ df.y", "df.x.skew()", "df.m.kurt()", "df.m.sem()", "df.k.mode()", "df.x.equals(df.x)",
        "df.x.equals(df.y)", "df.y.is_monotonic_increasing", "df.t.is_monotonic_increasing", "df.x.drop([0, 1])",
        "df.x.drop(3)", "df.x.reset_index()", "df.x.reset_index(drop=True)", "df.x.transform(lambda s: s - s.mean())",
        "df.x.pipe(lambda s: s.sum())", "len(df.x.sample(5, random_state=1))", "df.m.fillna(df.m.mean(skipna=True))",
        "df.m.sum(skipna=True)", "df.k.value_counts(normalize=True)", "df.k.value_counts(ascending=True).head(1)",
        "df.m.value_counts(dropna=False).sum()", "df.m.map(lambda v: v * 2, na_action='ignore')",
        *(f"df.x.{name}(2)" for name in OPERATORS),
    )  # fmt: skip


def test_text_has_the_methods_of_pandas(df):
    check(
        df,
        *(f"df.s.str{call if call.startswith(chr(91)) else chr(46) + call}" for call in (
            "len()", "replace('o', '0')", "replace('[aeiou]', '_', regex=True)", "replace('o', 'x', n=1)",
            "[:3]", "[0]",
            "[-1]", "[20]", "slice(0, 2)", "get(1)", "extract(r'(\\d+)', expand=False)", "count('o')", "find('o')",
            "extract(r'(?P<w>[a-z]+)(?P<d>.)')", "zfill(8)", "pad(8)", "rjust(8)", "ljust(8, '*')", "repeat(2)",
            "lstrip('F')", "rstrip()", "strip()", "removeprefix('Foo')", "removesuffix('1')", "swapcase()",
            "casefold()",
            "match('Foo')", "fullmatch('Foo bar')", "split('-').str[0]", "split('-').str[1]", "split('-').str.len()",
            "split('-', expand=True)", "split().str[0]", "cat(df.k, sep='-')", "contains('foo', case=False)",
            "contains('oo|ux', regex=True)", "rfind('o')", "split(' ', n=1).str[-1]", "cat(sep=',')",
        )),
        "df.s.str.center(9, '*').str.strip('*')", "df.s.str.startswith(('F', 'Q'))", "df.s.str.endswith(('r', '1'))",
        "df.s.str.contains('x', na=False)",
    )  # fmt: skip


def test_series_go_into_functions_of_numpy_and_joins(df):
    check(
        df,
        "float(np.mean(df.x))", "float(np.sum(df.y))", "float(np.std(df.x))", "float(np.max(df.y))",
        'df.join(df.groupby("k").x.mean().rename("mx"), on="k").sort_values("x")["mx"].round(9).tolist()',
        "df.t.diff().dt.total_seconds()",
    )  # fmt: skip


def test_times_have_the_fields_of_pandas(df):
    check(
        df,
        *(f"df.t.dt.{field}" for field in (
            "quarter", "days_in_month", "is_month_start", "is_month_end", "is_quarter_start", "is_quarter_end",
            "is_year_start", "is_year_end", "day_name()", "month_name()", "normalize()", "strftime('%Y/%m/%d %H')",
        )),
    )  # fmt: skip


def test_columns_take_the_methods_of_series(df):
    check(
        df,
        'df.loc[df["k"].isin(["a", "b"])]', 'df[(df["x"] > 0) & df["k"].isin(["a"])]', 'df[~df["k"].isin(["a"])]',
        'df["m"].fillna(0).sum()', 'df["m"].isna().sum()', 'df["x"].rolling(3).mean()', 'df["k"].str.upper()',
        'df["m"].ewm(span=3).mean()', 'df["m"].expanding().mean()', 'df["x"].ewm(com=1, min_periods=4).std()',
        'df["t"].dt.hour', 'df["x"].describe()', 'df["y"].between(10, 20)', 'df["k"].map({"a": 1, "b": 2, "c": 3})',
        'df["x"].shift()', 'df["x"].clip(0, 1)', 'df["x"].rank()', 'df["k"].value_counts().sum()',
        'sorted(df["k"].unique().tolist())', 'df["x"].where(df["x"] > 0, 0)', 'df["x"].sort_values()',
    )  # fmt: skip


@pytest.mark.parametrize(
    "query", ["b and k < 3", "b or k < 3", "not b", "~b", "b", "b & (k < 3)", "k > 2 or b", "b | k > 2", "b == False"]
)
def test_bools_that_may_be_missing_choose_rows_as_in_pandas(query):
    rows = pd.DataFrame({"k": [1, 2, 3, 4], "b": pd.array([True, False, None, None], dtype="boolean")})
    joined = ak.DataFrame({"k": [1, 2, 3, 4]}).merge(
        ak.DataFrame({"k": [1, 2], "b": [True, False]}), on="k", how="left"
    )
    wanted = rows.query(query, engine="python")["k"].tolist()
    for found in (ak.DataFrame(rows), joined):
        assert found.query(query)["k"].tolist() == wanted
        assert found[found.eval(query)]["k"].tolist() == wanted
