"""Notes of users, `attrs`, are passed on as pandas passes them on, also by lazy methods."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pandas
import pytest

import akdask.pandas
from akdask import config
from akdask.pandas import tuning

STEPS = """
f.merge(g, on='k')
f.merge(f.copy(), on='k')
f[['k']].join(g[['x']])
n + g[['k', 'x']]
f['k'] + g['k']
f['k'].add(g['k'])
1 + f['k']
f['k'] > 1
~(f['k'] > 1)
n.sum()
n.quantile([.5])
n.describe()
f['k'].describe()
f['k'].value_counts()
f['k'].isin([1])
f['k'].map({1: 2})
n.agg(['sum'])
f['k'].agg(['sum'])
f['k'].quantile([.5])
f.corr(numeric_only=True)
f.melt(id_vars='k')
f.groupby('k').sum(numeric_only=True)
f.groupby('k')['x'].sum()
f.groupby('k').size()
f.groupby('k')['x'].agg(['sum'])
f.groupby('k')['x'].agg('sum')
f.groupby('k').agg(z=('x', 'sum'))
f.groupby('k')['x'].transform('sum')
f.groupby('k')[['x']].transform('sum')
f.groupby('k')['x'].cumsum()
f.groupby('k')['x'].shift()
f.groupby('k').head(1)
f.groupby('k')['x'].describe()
f.groupby('k')['x'].rolling(2).sum()
f['x'].rolling(2).sum()
f['s'].str.upper()
f['t'].dt.year
f.set_index('t')
f.reset_index()
f['k'].reset_index()
f['k'].to_frame()
f.loc[f['k'] > 1]
f.loc[[0]]
f.iloc[:1]
f.isna()
f.duplicated()
f.assign(z=1)
f.assign(z=f['k'] * 2)
f.nlargest(1, 'k')
f.filter(['k'])
f.reindex([0])
f['k'].diff()
n.shift()
f.sample(1, random_state=1)
f.eval('k + x')
f.eval('z = k + x')
f.eval('k + x', engine='python')
f.query('k > 1')
f['k'].astype(str)
f['k'].where(f['k'] > 1)
f['k'].fillna(0).head(2)
f['k'].rename('z')
f.drop(columns='k')
f.drop_duplicates()
f.sort_values('k')
f['k'].sort_values()
f.sort_values('k').head(2).copy()
np.sqrt(f['x'])
""".strip().splitlines()


def notes_after(step: str, pd: Any) -> dict[Any, Any]:
    """Return the notes of what a step makes of a frame with notes."""
    rows = {"k": [1, 2, 2], "x": [1.0, 2.0, np.nan], "s": ["a", "b", "c"], "t": pandas.to_datetime(["2026-01-01"] * 3)}
    f, g = pd.DataFrame(pandas.DataFrame(rows)), pd.DataFrame(pandas.DataFrame(rows))
    f.attrs["unit"], g.attrs["source"] = "m", "here"
    n = f[["k", "x"]]
    return dict(eval(step, {"f": f, "g": g, "n": n, "np": np}).attrs)


@pytest.mark.parametrize("step", STEPS)
def test_notes_are_passed_on(step):
    with mock.patch.object(tuning, "EAGER_VALUES", -1), config.set(pandas_fallback="silent"):
        assert notes_after(step, akdask.pandas) == notes_after(step, pandas)


@pytest.mark.parametrize("by_numexpr", [True, False])
def test_values_of_expressions_have_notes_as_the_engine_of_pandas_gives(by_numexpr):
    with pandas.option_context("compute.use_numexpr", by_numexpr):
        test_notes_are_passed_on("f.eval('k + x')")


def test_notes_outlive_assignment():
    with mock.patch.object(tuning, "EAGER_VALUES", -1):
        frame = akdask.pandas.DataFrame({"k": [2, 1]})
        frame.attrs["unit"] = "m"
        frame["z"] = frame["k"] * 2
        assert frame.sort_values("z").attrs == {"unit": "m"}


def test_notes_take_the_place_of_others():
    with mock.patch.object(tuning, "EAGER_VALUES", -1), config.set(pandas_fallback="silent"):
        rows = pandas.DataFrame({"k": [2, 1]})
        lazily = akdask.pandas.DataFrame._of(akdask.pandas.DataFrame(rows).lazy(), None)
        for own in (lazily, lazily["k"], akdask.pandas.DataFrame(rows)):
            own.attrs = {"unit": "m"}
            assert own.attrs == own.head(1).attrs == {"unit": "m"}
            own.attrs = {"source": "here"}
            assert own.attrs == own.copy().attrs == {"source": "here"}
            assert own.to_pandas().attrs == {"source": "here"}


def test_notes_of_results_are_their_own():
    with mock.patch.object(tuning, "EAGER_VALUES", -1):
        frame = akdask.pandas.DataFrame({"k": [2, 1]})
        frame.attrs["unit"] = ["m"]
        found = frame.sort_values("k")
        found.attrs["unit"].append("km")
        assert frame.attrs == {"unit": ["m"]}
