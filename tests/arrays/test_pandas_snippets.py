"""Lines as notebooks have them, on rows with gaps and labels out of order, give what pandas gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError, UnsupportedError

NAT = np.datetime64("NaT", "ns")
PLAIN = pd.DataFrame(
    {
        "k": [2, 1, 2, 0, 1, 2],
        "b": [True, False, True, True, False, False],
        "x": [1.5, np.nan, -0.5, np.nan, 1.5, 3.0],
        "y": [4.0, 1.0, 5.0, 2.0, 2.0, -1.0],
        "i": [5, 3, 9, 2**53 + 1, 7, 1],
        "s": pd.Series(["b", None, "a", "c", "b", None], dtype="str"),
        "t": np.array(["2026-03-01T05", NAT, "2026-01-31T23", "2026-01-05", NAT, "2026-02-28"], "M8[ns]"),
        "g": pd.Categorical.from_codes([0, -1, 1, -1, 0, 2], pd.Index(["q", "p", "r"], dtype="str")),
    },
    index=pd.Index([30, 10, 50, 20, 40, 0]),
)
OTHER = pd.DataFrame({"k": [1, 2, 3], "z": [10, 20, 30]}, index=pd.Index([10, 0, 60]))


def checked(expression: str) -> None:
    """Compare what an expression of the frames ``d`` and ``e`` gives with what it gives in pandas."""
    theirs = eval(expression, {"d": PLAIN.copy(), "e": OTHER.copy(), "np": np, "pd": pd})
    ours = eval(expression, {"d": ak.DataFrame(PLAIN), "e": ak.DataFrame(OTHER), "np": np, "pd": pd})
    ours = ours.to_pandas() if hasattr(ours, "to_pandas") else ours
    if isinstance(theirs, pd.DataFrame):
        pd.testing.assert_frame_equal(
            ours, theirs, check_dtype=False, check_categorical=False, check_index_type=False, check_column_type=False
        )
    elif isinstance(theirs, pd.Series):
        pd.testing.assert_series_equal(ours, theirs, check_dtype=False, check_categorical=False, check_index_type=False)
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    "expression",
    [
        *(f"d.groupby({key}, sort=False, dropna=False).{call}" for key, call in (
            ("'k'", "y.sum()"), ("'s'", "size()"), ("['s', 'k']", "y.max()"), ("'k'", "ngroup()"),
            ("'k'", "agg(n=('x', 'count'), m=('y', lambda s: s.max()))"), ("'k'", "y.agg(['sum', 'max'])"),
            ("'k'", "y.quantile([0.1, 0.9])"), ("'k'", "y.idxmax()"), ("'k'", "y.agg(lambda s: s.max())"),
            ("'g'", "y.last()"),
        )),
        "[key for key, _ in d.groupby('k', sort=False)]", "d.y.groupby(d.k, sort=False).sum()",
        "d.groupby('k').count()", "d.groupby('k').nunique()", "d.groupby('k').g.transform('count')",
        "d.groupby('k').g.nunique(dropna=False)", "d.groupby('k').x.nunique(dropna=False)",
        "d.groupby('k').x.sum(min_count=2)", "d.groupby('k')[['x', 'y']].sum(min_count=2)",
        "d.groupby('k').x.min(min_count=2)", "d.groupby('k').y.std(ddof=0)", "d.groupby('k')[['y']].var(ddof=0)",
        "d.groupby('k').i.shift(1, fill_value=-1)", "d.groupby('k').y.diff(-1)", "d.groupby('k')[['y']].diff(2)",
        "d.groupby('k').y.pct_change(2)", "d.groupby('k').ngroup(ascending=False)",
        "d.groupby('k').x.rank(pct=True)", "d.groupby('k').y.rank('dense', pct=True)",
        "d.groupby('k').s.value_counts(normalize=True).sort_index()",
        "d.groupby('k').s.value_counts()", "d.groupby('b').y.value_counts()",
        "d.groupby('b').y.value_counts(ascending=True)", "d.groupby('x').k.value_counts()",
        "d.groupby('k').y.quantile(0.5, interpolation='higher')",
        "len(d.groupby('k'))", "d.groupby('g', observed=False).y.sum()",
        "d.groupby('k')[['x', 'y']].apply(lambda rows: rows.sum())",
        "d.groupby('k', group_keys=False).y.apply(lambda rows: rows.head(1))",
        "d.groupby('t').s.ffill()", "d.assign(t=d.t.where(d.y > 99)).groupby('t').s.shift(1)",
    ],
)  # fmt: skip
def test_groups(expression):
    checked(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "d.join(e.set_index('k'), on='k')", "d.join(e.set_index('k'), on='k', how='inner')",
        "d[['y']].join(e[['z']], how='outer')",
        "d[['y']].merge(e[['z']], left_index=True, right_index=True, sort=False)",
        "d[['y']].merge(e[['z']], left_index=True, right_index=True, how='left', sort=False)",
        "d.merge(e.set_index('k'), left_on='k', right_index=True, how='left', sort=False)",
        "d.set_index('k')[['y']].merge(e, left_index=True, right_on='k', how='right', sort=False)",
    ],
)  # fmt: skip
def test_rows_of_joins_have_labels(expression):
    checked(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "d.x.astype(str)", "d.g.astype(str)", "d.astype({'x': 'str', 'g': str})[['x', 'g']]", "d.s.astype('category')",
        "d.x.iloc[::-1]", "d.s.iloc[::-2]", "d[['x', 'y', 'k']].cov()",
        "d.s.apply(lambda text: text if isinstance(text, str) else 'none')", "d.s.map(len, na_action='ignore')",
        "d.s.apply(lambda text: np.nan if text != text else len(text))",
        "d.assign(r=d.t.diff()).select_dtypes('number')",
        "d.fillna({'i': 0.0, 'x': 0})[['i', 'x']]",
        "d.sort_values(['g', 'y']).y", "d.g.rank()", "d.g.mode()",
        "d.assign(h=d.g.cat.reorder_categories(['r', 'q', 'p'])).sort_values(['h', 'y']).y",
        *(f"d.g.str.{call}" for call in ("len()", "upper()", "contains('A')", "startswith('N')", "get(0)")),
        *(f"d.t.apply(lambda time: {call})" for call in ("time", "time.month", "str(time)", "time is pd.NaT")),
        "d.t.diff().apply(lambda span: span * 2)", "d.iloc[0].y", "d.y.ewm(com=1, adjust=False).mean()",
        "d.x.ewm(span=3, adjust=False).mean()", "d.x.ewm(span=3, adjust=False).var()",
    ],
)  # fmt: skip
def test_columns(expression):
    checked(expression)


def test_what_has_no_meaning_is_refused():
    df = ak.DataFrame(PLAIN)
    with pytest.raises(ArgumentTypeError, match="join cannot compare"):
        df[["i", "y"]].merge(df[["t"]], left_on="i", right_on="t")
    with pytest.raises(UnsupportedError, match="strftime"):
        df.t.astype(str)
    with pytest.raises(UnsupportedError, match="come in order"):
        df.groupby("g", observed=False, sort=False)
