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
    ("mean", lambda f, o: f.mean(numeric_only=True)),
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
    text = words if words.startswith("~") else f"f.{words}"
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
