"""Random programs in pandas' words, run with pandas and with `akdask.pandas`; no difference is documented.

``python -m tests.pandas_face.programs 500`` runs programs and shows those that end otherwise.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pandas

import akdask.pandas
from akdask import config
from akdask.errors import AkdaskError, NonUniqueError
from akdask.pandas import tuning
from akdask.pandas.face import Face
from tests.pandas_face.compare import computed, difference
from tests.pandas_programs import NULLABLE, Program, as_made, small_limits

COMMON = [
    words.strip()
    for words in """
        merge(o[['k', 'x']].head(3), on='k', how='left', suffixes=('', '_o')).fillna({'x_o': 0})
        merge(o[['k', 'w']].drop_duplicates('k').head(2), on='k', how='left').dropna()
        merge(o[['k', 'x']].head(2), left_on='k', right_on='x', how='left')
        assign(n1=f['k'].shift(1)).iloc[1:]
        assign(n1=f['k'].where(f['x'] > 0)).query('n1 > 0')
        assign(n1=f['k'].shift(1).fillna(0).astype(int))
        assign(n1=f['k'].shift(1).fillna(0) // 2)
        assign(n1=f['x'].interpolate())
        assign(n1=f['x'].ffill(limit=1))
        assign(n1=np.where(f['x'] > 0, f['k'], -1))
        assign(n1=pd.cut(f['x'].to_numpy(), [-3, 0, 3]).codes)
        assign(n1=f['k'].map({0: 'a', 1: 'b'}))
        assign(n1=f['k'].replace({0: 9}))
        assign(n1=f['x'].rank(pct=True, method='average'))
        assign(n1=f['x'].rank(method='first', na_option='bottom'))
        assign(n1=f['x'].pct_change())
        assign(n1=f.groupby('k')['x'].transform('mean'))
        assign(n1=f.groupby('k')['x'].rank(method='dense'))
        assign(n1=f.groupby('k').cumcount() + 1)
        assign(n1=f.groupby('k')['x'].shift(1).fillna(0))
        groupby('k')[['x']].agg(['mean', 'max', 'count'])
        groupby('k').agg(a=('x', 'sum'), b=('x', 'size'), c=('k', 'first'))
        groupby('k', as_index=False)['x'].mean()
        groupby('k')['x'].agg(['sum', 'std']).reset_index()
        groupby('k')['x'].quantile(0.5)
        groupby('k')['x'].describe()
        groupby('k')['x'].nlargest(1)
        groupby('k')['x'].idxmax()
        groupby('k')['x'].pct_change()
        groupby('k', sort=False)['x'].sum().sort_values(kind='stable')
        groupby('k')['x'].value_counts(normalize=True)
        groupby('k').apply(lambda rows: rows['x'].sum())
        groupby(f['x'] > 0)['k'].sum()
        pivot_table(index='k', values='x', aggfunc=['sum', 'count'], margins=True)
        pivot_table(index='k', columns=f['x'] > 0, values='x', aggfunc='mean', fill_value=0)
        k.value_counts(normalize=True, ascending=True)
        x.value_counts(bins=2, sort=False)
        x.value_counts(dropna=False).sort_index()
        k.nunique()
        x.isna().sum()
        isna().sum()
        isna().mean()
        nunique()
        count()
        dtypes
        shape
        x.quantile([0.25, 0.75])
        x.agg(['min', 'max', 'mean'])
        agg({'k': 'sum', 'x': ['min', 'max']})
        sort_values(['k', 'x'], ascending=[False, True], kind='stable')
        sort_values('x', na_position='first', kind='stable')
        set_index('k').sort_index(kind='stable')
        set_index('k').loc[[0]] if (f['k'] == 0).any() else f
        reset_index()
        rename(columns=str.upper)
        drop(columns='x').head(2)
        drop_duplicates(['k'], keep=False)
        duplicated(['k']).sum()
        isin({'k': [0, 1]})[['k', 'x']]
        nlargest(3, ['x', 'k'])
        sample(2, random_state=1) if len(f) > 1 else f
        x.clip(lower=0).cumsum()
        x.diff().abs().max()
        x.expanding().max()
        x.ewm(span=2).mean()
        x.rolling(2, min_periods=1).agg(['sum', 'max'])
        corr(numeric_only=True).nsmallest(3, ['k', 'x'])
        filter(items=['k', 'x']).T
        set_index(['k', 'x']).index.nlevels
        set_index(['k', 'x']).sort_index().reset_index()[['k', 'x']]
        eval('y = k + x')[['k', 'x', 'y']]
        loc[f['k'] > 0, ['k', 'x']]
        loc[:, 'k':'x']
        iloc[[0]] if len(f) else f
        mask(f['x'] > 0)[['k', 'x']]
        stack().head(3)
        to_dict('records')
        k.to_list()
        x.unique()
        x.max() - f['x'].min()
        memory_usage(index=False).shape
        squeeze()
        any()
        melt(id_vars='k', value_vars=['x'], var_name='what', value_name='much')
    """.strip().splitlines()
]
"""Steps of notebooks, for frames that have the columns k and x."""


OF_TYPES: dict[str, list[str]] = {
    "s": [
        "s.str[99]",
        "s.str[0]",
        "s.str.get(1)",
        "s.str.split('b')",
        "s.str.split('b', expand=True)",
        "s.str.extract('(a)(.)?')",
        "s.str.contains('A', case=False, na=False)",
        "s.str.startswith('a')",
        "s.str.pad(3, fillchar='_')",
        "s.str.zfill(3)",
        "s.str.cat(f['s'], sep='-')",
        "s.str.count('a')",
        "s.str.find('b')",
        "s.str.title()",
        "s.str.strip('a')",
        "s.str.slice(0, 1).value_counts().sort_index()",
        "s.fillna('none').astype('category').cat.codes",
        "s.isin(['a', 'ab'])",
        "s.factorize()[0]",
        "s.sort_values(kind='stable')",
        "s.max() if f['s'].notna().all() else 0",
        "s.eq('a').sum()",
        "s.map(len, na_action='ignore')",
        "s + '_'",
        "s.replace('a', 'z')",
    ],
    "t": [
        "t.dt.month.value_counts().sort_index()",
        "t.dt.strftime('%Y-%m')",
        "t.dt.date",
        "t.dt.normalize()",
        "t.dt.day_name()",
        "t.dt.quarter",
        "t.dt.to_period('M')",
        "t.dt.tz_localize('UTC').dt.tz_convert('Europe/Berlin')",
        "t.dt.tz_localize('UTC').dt.hour",
        "t.dt.isocalendar().week",
        "t.dt.ceil('h')",
        "t.max() - f['t'].min()",
        "t.between('2026-01-01', '2026-02-01')",
        "t.isna().sum()",
        "dropna(subset='t').set_index('t').resample('W')['x'].mean()",
        "dropna(subset='t').groupby(pd.Grouper(key='t', freq='MS'))['x'].sum()",
        "t.fillna(pd.Timestamp('2026-01-01'))",
        "t.rank()",
        "sort_values('t', kind='stable').t.diff()",
    ],
    "c": [
        "c.cat.codes",
        "c.value_counts()",
        "c.astype(str)",
        "c.cat.categories",
        "c.cat.rename_categories(str.upper)",
        "c.cat.remove_unused_categories()",
        "c.min() if len(f) else 0",
        "groupby('c', observed=False)['x'].sum()",
        "groupby('c', observed=True).size()",
        "c >= 'mid'",
        "c.isin(['lo'])",
        "sort_values('c', kind='stable').c",
    ],
    "n": [
        "n.sum()",
        "n.astype('float64')",
        "n.fillna(-1).astype(int)",
        "n > 0",
        "n.mean()",
        "n.value_counts()",
        "n * 2",
    ],
    "m": ["m.sum()", "m.fillna(False).astype(bool)", "m.any()", "m & (f['k'] > 0)", "~f['m']"],
    "d": ["d.dt.total_seconds()", "d.dt.days", "d.sum()", "d.mean()", "d / pd.Timedelta('1h')", "d.abs()", "d.max()"],
}
"""Steps for columns of one type."""


LABELLED: list[str] = [
    words.strip()
    for words in """
        rename(columns={'k': 0, 'x': 1}).assign(z=1)
        rename(columns={'k': 0, 'x': 1})[[0, 1]].cumsum()
        rename(columns={'k': 0, 'x': 1})[0].reset_index()
        rename(columns={'k': 0, 'x': 1}).groupby(0)[1].sum().reset_index()
        rename(columns={'k': 0, 'x': 1})[[0, 1]].melt(id_vars=0)
        rename(columns={'k': 0, 'x': 1}).sort_values([0, 1], kind='stable')[[1, 0]]
        rename(columns={'k': 0}).merge(f[['k']].rename(columns={'k': 0}).head(2), on=0, how='left')[[0, 'x']]
        rename(columns={'k': 0, 'x': 'one'})[[0, 'one']].describe()
        rename(columns={'k': 0})[[0, 'x']].mean()
        rename(columns={'k': 0})[[0, 'x']].sum(axis=1)
        rename(columns={'k': 0})[[0, 'x']].isna().sum()
        rename(columns={'k': 0})[[0, 'x']].dtypes
        rename(columns={'k': 0})[[0, 'x']].where(f['x'] > 0)
        rename(columns={'k': 0})[[0, 'x']].loc[f['x'] > 0, 0]
        rename(columns={'k': 0})[[0, 'x']].reset_index()
        rename(columns={'k': 0})[[0, 'x']].set_index(0)
        rename(columns={'k': 0})[[0, 'x']].drop_duplicates(0)
        rename(columns={'k': ('a', 1), 'x': ('a', 2)})[[('a', 1), ('a', 2)]]
        k.rename(None).reset_index()
        k.rename(None).to_frame()
        k.rename(None).value_counts().reset_index()
        k.rename(None).groupby(f['k']).sum()
        k.rename(None).groupby(f['x'] > 0).sum().reset_index()
        k.rename(None) + f['x']
        k.rename(None).rename_axis('row').reset_index()
        k.rename(3).to_frame()
        k.rename(3).reset_index()
        k.rename(('a', 1)).to_frame()
        k.rename(None).describe()
        k.rename(None).sort_values(kind='stable').head(2)
        k.rename(None).isin([1]).value_counts()
        x.rename(None).dropna().cumsum()
        x.rename(None).to_frame('y').merge(f, left_index=True, right_index=True).head(3)
        x.rename(None).shift(1).to_frame().assign(z=1)
        assign(n1=f['k'].rename(None) * 2)
        set_index(['k', 'x'])
        set_index(['k', 'x'])['w'] if 'w' in f else f
        set_index(['k', 'x']).index.names
        set_index('k', append=True)['x']
        set_index('k', append=True)['x'].reset_index()
        set_index('k', append=True)[['x']].reset_index(level='k')
        set_index('k', append=True)['x'].groupby(level='k').sum()
        set_index('k', append=True)['x'].groupby(level=0).max()
        set_index('k', append=True)['x'].cumsum()
        set_index('k', append=True)['x'].sort_index(kind='stable')
        set_index('k', append=True)[['x']].sort_values('x', kind='stable')
        set_index('k', append=True)['x'].isna()
        set_index('k', append=True)['x'].droplevel(0)
        set_index('k', append=True)[['x']].query('x > 0')
        set_index('k', append=True)[['x']].swaplevel()
        set_index('k', append=True)['x'].value_counts()
        set_index('k', append=True)[['x']].mean()
        set_index('k', append=True)['x'].shift(1)
        set_index('k', append=True)['x'].rank()
        set_index('k', append=True)['x'] * 2
        set_index('k', append=True)['x'].where(lambda x: x > 0).fillna(0)
        set_index(['k', 'x']).xs(0, level='k') if (f['k'] == 0).any() else f
        groupby(['k', f['x'] > 0])['x'].sum()
        groupby(['k', f['x'] > 0])['x'].sum().reset_index(name='y')
        groupby(['k', f['x'] > 0])['x'].sum().unstack()
        groupby(['k', f['x'] > 0])['x'].sum().unstack(fill_value=0)
        groupby(['k', f['x'] > 0])['x'].agg(['sum', 'count'])
        groupby(['k', f['x'] > 0])['x'].agg(['sum', 'count']).reset_index()
        groupby(['k', f['x'] > 0])[['x']].agg(['sum', 'count'])
        groupby(['k', f['x'] > 0])[['x']].agg(['sum', 'count'])['x']
        groupby(['k', f['x'] > 0])[['x']].agg(['sum', 'count']).reset_index()
        groupby(['k', f['x'] > 0])[['x']].agg(['sum', 'count'])['x', 'sum']
        groupby(['k', f['x'] > 0]).size().groupby(level=0).sum()
        groupby(['k', f['x'] > 0]).size().to_frame()
        groupby(['k', f['x'] > 0]).size().loc[0] if (f['k'] == 0).any() else f
        groupby('k').agg({'x': ['sum', 'max']}).droplevel(0, axis=1)
        groupby('k').agg({'x': ['sum', 'max']}).T
        groupby('k')[['x']].describe().stack()
        pivot_table(index='k', columns=f['x'] > 0, values=['x'], aggfunc=['sum', 'max'])
        pivot_table(index='k', columns=f['x'] > 0, values='x', aggfunc='sum').reset_index()
        stack().to_frame().reset_index()
        stack().unstack()
        filter(['k', 'x']).agg(['min', 'max'])
    """.strip().splitlines()
]
"""Steps that make labels other than plain text: unnamed Series, integers, tuples, several levels."""


LABELS: dict[str, Callable[[Any], Any]] = {
    "integers": lambda f: f.set_axis(range(f.shape[1]), axis=1),
    "mixed": lambda f: f.set_axis([1.5, *range(1, f.shape[1] - 1), "last"], axis=1),
    "tuples": lambda f: f.set_axis([(name, number) for number, name in enumerate(f)], axis=1),
    "levels": lambda f: f.set_axis(
        pandas.MultiIndex.from_tuples([(name, number % 2) for number, name in enumerate(f)], names=["a", None]), axis=1
    ),
    "named": lambda f: f.rename_axis(columns="names"),
    "rows": lambda f: f.assign(y=f.iloc[:, 0]).set_index([*f.columns[:2]]),
    "rows and numbers": lambda f: f.set_index([*f.columns[:1]], append=True),
}
"""Other labels of columns or rows, by what they are."""


UNDER_LABELS: list[str] = [
    words.strip()
    for words in """
        iloc[:, 0].reset_index()
        iloc[:, -1].reset_index()
        iloc[:, 0].to_frame()
        iloc[:, [0]].sum()
        iloc[:, [-1]].mean()
        iloc[:, 0].value_counts()
        iloc[:, 0] + f.iloc[:, -1]
        iloc[:, 0].groupby(f.iloc[:, 0].to_numpy()).size()
        iloc[:, 0].groupby(f.iloc[:, -1]).sum()
        groupby(f.columns[0]).size()
        groupby(f.columns[0]).size().reset_index()
        groupby(f.columns[0])[f.columns[-1]].sum()
        groupby(f.columns[0])[[f.columns[-1]]].agg(['sum', 'max'])
        groupby(f.columns[0])[f.columns[-1]].transform('max')
        groupby(f.columns[0])[f.columns[-1]].cumsum()
        groupby(f.columns[0])[f.columns[-1]].shift(1)
        groupby(level=0).size()
        groupby(level=0).sum()
        reset_index()
        reset_index(drop=True)
        reset_index().iloc[:, :2]
        sort_index(kind='stable')
        sort_index(axis=1)
        sort_values(f.columns[0], kind='stable')
        sort_values([*f.columns], kind='stable')
        drop_duplicates([f.columns[0]])
        duplicated()
        rename_axis('row') if f.index.nlevels == 1 else f
        isna().sum()
        isna().any()
        nunique()
        count()
        mean()
        sum()
        max()
        quantile(0.5)
        describe()
        std(axis=1)
        sum(axis=1)
        cumsum()
        diff()
        shift(1)
        shift(1).dropna()
        rank()
        fillna(0)
        ffill()
        where(f > 0)
        clip(lower=0)
        round(0)
        abs()
        astype('float64')
        astype(float).dtypes
        dtypes
        T
        stack()
        melt()
        head(2)
        tail(1)
        iloc[::2]
        iloc[[0]] if len(f) else f
        loc[f.index[:1]] if f.index.is_unique else f
        loc[f.iloc[:, 0] > 0]
        drop(columns=[f.columns[0]])
        rename(columns=str)
        add_prefix('p_')
        set_axis([*'ab'[: f.shape[1]], *range(f.shape[1] - 2)], axis=1)
        assign(z=1)
        assign(z=f.iloc[:, 0])
        set_index(f.columns[0])
        set_index(f.columns[0]).reset_index()
        columns.tolist()
        index.names
        agg(['min', 'max'])
        apply(lambda column: column.max())
        apply(lambda column: column * 2)
        apply(lambda row: row.sum(), axis=1)
        transform('cumsum')
        nlargest(2, f.columns[-1])
        merge(f.iloc[:2], on=f.columns[0], how='left')
        merge(f.iloc[:2], how='inner')
        pivot_table(index=f.columns[0], aggfunc='sum')
        value_counts()
        to_dict('list')
        squeeze(axis=1)
        corr()
        eq(f)
        f + f
        f * 2
        isin([0, 1])
        idxmax() if len(f) and f.notna().all(axis=None) else f
        rolling(2).sum()
        expanding().max()
        unstack() if f.index.is_unique and f.index.nlevels == 2 else f
        swaplevel() if f.index.nlevels == 2 else f
        droplevel(0) if f.index.nlevels == 2 else f
        xs(f.index[0]) if len(f) and f.index.is_unique else f
        join(f.iloc[:, [0]].set_axis(['other'], axis=1)) if f.index.is_unique and f.columns.nlevels == 1 else f
    """.strip().splitlines()
]
"""Steps of frames with any labels."""


BINNED: list[str] = [
    f"{chosen}.{how}"
    for rule in ("D", "W", "12h", "MS", "QE")
    for chosen in (
        f"set_index('t').sort_index().resample({rule!r})['x']",
        f"set_index('t').sort_index()[['k', 'x']].resample({rule!r})",
        f"resample({rule!r}, on='t')['k']",
        f"set_index('t').x.resample({rule!r}, closed='right', label='left')",
        f"groupby(pd.Grouper(key='t', freq={rule!r}))['x']",
        f"groupby(['k', pd.Grouper(key='t', freq={rule!r})])['x']",
    )
    for how in ("sum()", "mean()", "count()", "max()", "size()", "agg(['min', 'count'])", "last()", "nunique()")
]
"""Bins of time."""


IN_CHUNKS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("group k x.apply(most - least)", lambda f, o: f.groupby("k")["x"].apply(lambda x: x.max() - x.min())),
    ("group k x.agg(last)", lambda f, o: f.groupby("k")["x"].agg(lambda x: x.iloc[-1])),
    ("group k apply(rows)", lambda f, o: f.groupby("k")[["x"]].apply(len)),
    ("group k x.transform(less mean)", lambda f, o: f.groupby("k")["x"].transform(lambda x: x - x.mean())),
    ("group k filter(several)", lambda f, o: f.groupby("k").filter(lambda rows: len(rows) > 1)),
    ("group k, k % 2 nth", lambda f, o: f.groupby(["k", f["k"] % 2]).nth([0, -1])),
    ("group k sort=False head(-1)", lambda f, o: f.groupby("k", sort=False).head(-1)),
    ("group k x.value_counts()", lambda f, o: f.groupby("k")["x"].value_counts()),
    ("group k x.rolling(2).apply", lambda f, o: f.groupby("k")["x"].rolling(2).apply(lambda x: x.sum())),
    ("x.rolling(3).corr(k)", lambda f, o: f["x"].rolling(3).cov(f["k"])),
    ("apply(row)", lambda f, o: f[["k", "x"]].apply(lambda row: row["x"] * 2, axis=1)),
    ("concat keys", lambda f, o: pandas_of(f).concat([f, o], keys=["f", "o"])),
    ("concat beside", lambda f, o: pandas_of(f).concat([f["k"], f["x"] * 2], axis=1, keys=["k", "x"])),
    ("merge indicator", lambda f, o: f.merge(o[["k", "x"]], on="k", how="left", indicator=True)),
    ("merge validate", lambda f, o: f.merge(o[["k", "x"]], on="k", validate="1:1")),
]
"""Steps that pandas takes for chunks of rows, or by keys alone."""


CONCERNED: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("nlargest(3, k)", lambda f, o: f.nlargest(3, "k")),
    ("nsmallest(3, narrow)", lambda f, o: f.nsmallest(3, "narrow")),
    ("nlargest(2, single)", lambda f, o: f.nlargest(2, "single")),
    ("melt k", lambda f, o: f.melt(id_vars=["k"], value_vars=["x"])),
    ("melt narrow, single", lambda f, o: f.melt(id_vars=["narrow"], value_vars=["single", "x"])),
    ("melt day", lambda f, o: f.melt(id_vars=["day", "month"], value_vars=["k", "narrow"])),
    ("pivot_table", lambda f, o: f.pivot_table(index="k", columns=f["k"] % 2, values="x", aggfunc="max")),
    ("corr", lambda f, o: f.corr(numeric_only=True)),
    ("mean", lambda f, o: f.drop(columns="w", errors="ignore").mean(numeric_only=True)),
    ("quantile", lambda f, o: f.quantile([0.2, 0.5], numeric_only=True)),
    ("describe", lambda f, o: f.describe()),
    ("select number", lambda f, o: f.select_dtypes("number")),
    ("select others", lambda f, o: f.select_dtypes(exclude=["int32", "float64"])),
    ("query k, narrow", lambda f, o: f.query("k > 1 and narrow < 3")),
    ("query narrow in", lambda f, o: f.query("narrow in [1, 2] or k == narrow")),
    ("single > .3", lambda f, o: f[f["single"] > 0.3]),
    ("duplicates of day", lambda f, o: f.drop_duplicates(["day", "narrow"])),
    ("group day", lambda f, o: f.groupby("day")["x"].max()),
    ("day count", lambda f, o: f[["day", "month"]].count()),
]
"""Steps that concern some columns, where others have types that the engine lacks."""


def of_words(words: str) -> Callable[[Any, Any], Any]:
    """Return a step that is written as a method of ``f``."""
    text = words if words.startswith(("~", "f ")) else f"f.{words}"
    step: Callable[[Any, Any], Any] = eval(f"lambda f, o: {text}", {"np": np, "pd": pandas})
    return step


class Refused(Exception):
    """A program that pandas runs further than the face."""


def in_microseconds(rows: pandas.DataFrame) -> pandas.DataFrame:
    """Return rows with rounded times."""
    kinds = pandas.Timestamp, pandas.Timedelta
    return rows.map(lambda item: item.round("us") if isinstance(item, kinds) and item is not pandas.NaT else item)


def with_rare_types(frame: pandas.DataFrame, random: Any) -> pandas.DataFrame:
    """Return a frame with narrow numbers, days in objects and periods."""
    rows = len(frame)
    days = pandas.Series(pandas.to_datetime(random.integers(0, 3, rows), unit="D").date, frame.index, dtype=object)
    days[random.random(rows) < 0.2] = (pandas.NaT, None)[int(random.integers(2))]
    single = random.choice([0.1, 0.3, -2.5, np.nan], rows).astype(np.float32)
    periods: Any = pandas.PeriodIndex
    return frame.assign(
        narrow=random.integers(-3, 4, rows).astype(np.int32),
        single=single,
        day=days,
        month=periods.from_ordinals(random.integers(600, 603, rows), freq="M"),
    )


def pandas_of(frame: Any) -> Any:
    """Return the module of a frame."""
    return pandas if isinstance(frame, pandas.DataFrame) else akdask.pandas


class FaceProgram(Program):
    """One random program, for a frame of pandas' face and one of pandas."""

    has_differences = False

    def step(self, plain: pandas.DataFrame) -> tuple[str, Callable[[Any, Any], Any]]:
        """Return a step of any library, or one in chunks."""
        if {"k", "x"} <= as_made(plain) and self.random.random() < 0.35:
            return self.labelled_step(plain)
        if self.random.random() < 0.2:
            return IN_CHUNKS[int(self.random.integers(len(IN_CHUNKS)))]
        if self.random.random() < 0.4 and {"k", "x"} <= as_made(plain):
            kind = self.one_of(sorted({*OF_TYPES} & as_made(plain)) or [""])
            is_common = not kind or self.random.random() < 0.6
            words = self.one_of(COMMON if is_common else OF_TYPES[kind])
            return words, of_words(words)
        if "narrow" in plain and self.random.random() < 0.5:
            return CONCERNED[int(self.random.integers(len(CONCERNED)))]
        return super().step(plain)

    def labelled_step(self, plain: pandas.DataFrame) -> tuple[str, Callable[[Any, Any], Any]]:
        """Return a step with labels that are no plain text, or times in bins."""
        kind = self.one_of(["made", "given", "given", "given", "bins"])
        if kind == "bins" and "t" in as_made(plain):
            words = f"dropna(subset='t').{self.one_of(BINNED)}"
            return words, of_words(words)
        if kind == "given":
            names = ["k", "x", *(["w"] if "w" in as_made(plain) and self.random.random() < 0.3 else [])]
            labels, words = self.one_of(LABELS), self.one_of(UNDER_LABELS)
            relabel, step = LABELS[labels], of_words(words)
            return f"[{names}] labelled by {labels}: {words}", lambda f, o: step(relabel(f[names]), o)
        words = self.one_of(LABELLED)
        return words, of_words(words)

    def frame(self, rows: int) -> pandas.DataFrame:
        """Return rows of every type, in half of the programs of those alone that NumPy knows."""
        made = super().frame(rows)
        if self.random.random() < 0.5:
            made = made.drop(columns=[name for name in NULLABLE if name in made])
        rare = np.random.default_rng([self.seed, 1])
        return made if rare.random() < 0.6 else with_rare_types(made, rare)

    def lazy(self, frame: pandas.DataFrame) -> Any:
        return akdask.pandas.DataFrame(frame)

    def run(self) -> None:
        """Take random steps; compare the rows now and then, and in the end."""
        plain = self.frame(int(self.random.integers(0, 9)) if self.random.random() < 0.9 else 40)
        lazy = self.lazy(plain)
        others = [(lazy, plain)]
        for _ in range(int(self.random.integers(1, 6))):
            name, step = self.step(plain)
            self.steps.append(name)
            found = self.both(step, lazy, plain, others)
            if found is None:
                continue
            ours, theirs = found
            if self.random.random() < 0.4 or not isinstance(theirs, pandas.DataFrame):
                self.check(ours, theirs)
            if isinstance(theirs, pandas.DataFrame) and {"k", "x"} <= set(theirs.columns):
                others.append((ours, theirs))
                lazy, plain = ours, theirs
        self.check(lazy, plain)

    def both(
        self, step: Callable[..., Any], lazy: Any, plain: Any, others: list[tuple[Any, Any]]
    ) -> tuple[Any, Any] | None:
        """Return what both make of a step, None where both refuse it."""
        other, plain_other = self.one_of(others)
        wanted = refused = None
        try:
            wanted = step(plain, plain_other)
        except Exception as error:  # whatever pandas raises, the face has to raise, too
            refused = error
        try:
            found = step(lazy, other)
            if refused is not None and isinstance(found, Face):
                found.to_pandas()
        except Exception as error:
            if isinstance(error, AkdaskError) and refused is not None and isinstance(error, type(refused)):
                return None
            if isinstance(error, NonUniqueError) and isinstance(refused, IndexError):
                # pandas takes a mask of other labels by their positions, also beyond the rows, where labels repeat.
                return None
            wanted = "an answer" if refused is None else f"{type(refused).__name__}: {refused}"
            raise AssertionError(f"{type(error).__mro__[:3]}: {error}, pandas {wanted}") from error
        is_assignment = self.steps[-1].startswith("loc[") and self.steps[-1].endswith("another frame")
        if is_assignment and isinstance(refused, ValueError) and re.search("iterable|sequence", str(refused)):
            # pandas wants a Series of as many values as the frame has rows if a mask chooses none of them.
            return None
        assert refused is None, f"gives {found!r:.200}, pandas {type(refused).__name__}: {refused}"
        return found, wanted

    def check(self, ours: Any, theirs: Any) -> None:
        try:
            different = difference(ours, theirs)
        except NonUniqueError:
            # Whether repeated labels are those of the other rows, one by one, shows at compute: they are refused.
            raise Refused from None
        if different is not None and isinstance(theirs, pandas.DataFrame) and "describe" in self.steps:
            # pandas computes means of times with floats.
            different = difference(in_microseconds(computed(ours)), in_microseconds(theirs))
        if different is not None and different.startswith("shown as") and not computed(ours).equals(theirs):
            # Sums in another order are rounded otherwise, which a display of very small numbers shows.
            return
        assert different is None, different


def failure(seed: int) -> str | None:
    """Run a program lazily wherever there is a lazy form; return how it ends otherwise than in pandas, if it does."""
    program = FaceProgram(seed)
    with warnings.catch_warnings(), config.set(pandas_fallback="silent"):
        warnings.simplefilter("ignore")
        small = mock.patch.multiple(tuning, EAGER_VALUES=-1, CHUNK_ROWS=3, GROUPED_BYTES=0)
        with small, small_limits(seed):
            try:
                program.run()
            except Refused:
                return None
            except Exception as error:
                return "\n".join([*program.steps, f"{type(error).__name__}: {error}"])
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", type=int, default=5, help="how many failures are shown")
    options = parser.parse_args()
    failures = {
        seed: text
        for seed in range(options.first, options.first + options.count)
        if (text := failure(seed)) is not None
    }
    for seed, text in list(failures.items())[: options.show]:
        print(f"--- program {seed}\n{text}\n")
    print(f"{len(failures)} of {options.count} programs end otherwise")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
