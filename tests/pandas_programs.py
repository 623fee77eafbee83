"""Random programs in the words of pandas, run on lazy frames and on pandas' own, and compared step by step.

Run as ``python -m tests.pandas_programs --count 3000 --seed 0``.  A failure names the seed of its program and prints
the steps.  What akdask documents to differ from pandas is the short list `DIFFERENCES`.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import dask
import numpy as np
import pandas as pd

import akdask as ak
from akdask.errors import AkdaskError, ArgumentTypeError, ConversionError, NonUniqueError, UnsupportedError
from akdask.testing.memory import MemorySource
from tests.gaps import merged_with_gaps

DIFFERENCES = {
    "merge with rows that lack a match": "makes float64 of int64, as in Arkouda: programs join by the rules of pandas",
    "merge": "rows come sorted by the key unless sort=False is given, as in Arkouda: programs give it",
    "sum, mean, min, max of frames and Series": "propagate NaN, as in Arkouda: programs give skipna=True",
    "merge(how='outer') by times, Categoricals": "puts missing keys last, pandas first: programs leave it out",
    "labels that are bools": "are no numbers; pandas takes False for the label 0: programs assign to no such rows",
    "labels of integers and of text": "have no order in common, and are refused where pandas makes objects of them",
    "assignment to a frame without rows": "leaves it without rows; pandas takes over the labels of the Series",
    "first of groups": "is the first row of each, missing or not, as in Arkouda: programs take the last",
    "value_counts of Categoricals": "counts the labels that are there, as in Arkouda: programs count other columns",
    "corr of times": "leaves NaT out, which pandas takes for the smallest integer: programs correlate numbers",
    "corr of frames": "is NaN where a value is missing, as in Arkouda: programs drop such rows first",
    "== of two Categoricals": "holds where both are missing, as in Arkouda: programs compare with labels",
    "std, var of Series": "have ddof=0, as in Arkouda: programs give it",
    "repeated labels": "of another plan are refused on the right of an assignment, equal ones too",
    "order of ties of nlargest(keep='last')": "is from the last row to the first: programs take the first, or all",
    "operators of two Series": "compute with 0 for absent labels, as in Arkouda: programs assign instead",
    "integers with gaps": "stay integers: programs go on without what pandas has rounded to floats",
    "DataFrame.concat": "numbers rows anew, as in Arkouda: programs do so after it",
    "loc[mask, …] = value of another type": "is refused, also where pandas lets a mask of all rows change the type",
    "bools": "are computed with as 1 and 0, in diff, too, where pandas has True - False as True",
    "windows of groups": "keep the rows and labels of the frame: programs compare their sorted values",
    'df["x"]': "is an array, which goes by position: programs write df.x",
}
"""What is another answer than pandas', on purpose."""

REFUSALS = (UnsupportedError, ConversionError, NonUniqueError)
"""What akdask says it does not do."""

STEPS = 5

Frame = Any
T = TypeVar("T")
Step = Callable[[Frame], Any]


@dataclass
class Program:
    """One random program: a frame of akdask and one of pandas, changed by the same steps."""

    seed: int
    steps: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    has_differences: ClassVar[bool] = True
    """Whether `DIFFERENCES` are allowed for."""

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def one_of(self, items: Iterable[T]) -> T:
        items = list(items)
        return items[int(self.random.integers(len(items)))]

    def some(self, items: Iterable[Any], most: int = 2) -> list[Any]:
        items = list(items)
        count = min(len(items), int(self.random.integers(1, most + 1)))
        return [items[number] for number in self.random.permutation(len(items))[:count]]

    # data

    def frame(self, rows: int) -> pd.DataFrame:
        """Return rows of every type, with missing values where the type knows them."""
        random = self.random
        missing = random.random(rows) < self.one_of([0, 0.2, 0.2, 1])
        day = np.datetime64("2026-01-30T23:30", "ns")
        times = day + random.integers(-90, 90, rows) * np.timedelta64(7, "h")
        wide = random.integers(-3, 3, rows) * 2**61 + random.integers(-2, 3, rows)
        columns = {
            "k": random.integers(0, 4, rows),
            "b": random.random(rows) < 0.5,
            "w": wide,
            "x": np.where(missing, np.nan, random.integers(-4, 5, rows) / 2),
            "s": pd.Series(pd.Series(random.choice(["ab", "bc", "ca", "a"], rows)).mask(missing), dtype="str"),
            "t": np.where(random.permutation(missing), np.datetime64("NaT", "ns"), times),
            "d": np.where(random.permutation(missing), np.timedelta64("NaT", "ns"), times - day),
            "c": pd.Categorical.from_codes(
                random.integers(0, 3, rows), pd.Index(["lo", "mid", "hi"], dtype="str"), ordered=True
            ),
            "n": with_gaps(random.integers(-2, 3, rows), random.permutation(missing)),
            "v": with_gaps(self.one_of([wide, np.abs(wide).astype(np.uint64) * 2]), random.permutation(missing)),
            "m": with_gaps(random.random(rows) < 0.5, random.permutation(missing)),
        }
        frame = pd.DataFrame(columns)
        labels = self.one_of(["default", "default", "shuffled", "text", "repeated"])
        if labels == "shuffled":
            frame.index = pd.Index(random.permutation(rows) * 10)
        elif labels == "text":
            frame.index = pd.Index([f"r{number}" for number in random.permutation(rows)], dtype="str")
        elif labels == "repeated":
            frame.index = pd.Index(random.integers(0, 3, rows))
        self.steps.append(f"{rows} rows labelled {labels}: {frame.to_dict('list')} index {frame.index.tolist()}")
        return frame

    def lazy(self, frame: pd.DataFrame) -> ak.DataFrame:
        """Return the same rows as a lazy frame, of one partition or of several that are read."""
        ours = ak.DataFrame(frame)
        if not len(frame) or self.random.random() < 0.4:
            return ours
        cuts = np.sort(self.random.integers(0, len(frame) + 1, 2))
        lengths = np.diff([0, *cuts, len(frame)]).tolist()
        in_parts = MemorySource({"k": frame.k.to_numpy(), "w": frame.w.to_numpy(), "x": frame.x.to_numpy()}, lengths)
        for name, array in in_parts.arrays().items():
            ours[name] = array
        self.steps.append(f"in partitions of {lengths}")
        return ours[list(frame.columns)]

    def run(self) -> None:
        """Take random steps; compare the rows now and then, and several results at once in the end."""
        plain = self.frame(int(self.random.integers(0, 9)) if self.random.random() < 0.9 else 40)
        try:
            lazy = self.lazy(plain)
            others = [(lazy, plain)]
            for _ in range(int(self.random.integers(1, STEPS + 1))):
                name, step = self.step(plain)
                self.steps.append(name)
                found = self.both(step, lazy, plain, others)
                if found is None:
                    continue
                ours, theirs = found
                if isinstance(theirs, pd.DataFrame) and has_wide_gaps(theirs):
                    continue
                if self.random.random() < 0.4:
                    self.check(ours, theirs)
                if (
                    isinstance(ours, ak.DataFrame)
                    and isinstance(theirs, pd.DataFrame)
                    and {"k", "x"} <= set(theirs.columns)
                ):
                    others.append((ours, theirs))
                    lazy, plain = ours, theirs
                else:
                    self.check(ours, theirs)
            self.several(others)
        except AssertionError:
            raise
        except REFUSALS as refusal:
            # Also where the plan cannot tell that none is missing, or that labels are equal.
            self.refused[type(refusal).__name__] += 1
        except ArgumentTypeError as refusal:
            # Pandas makes floats of integers with gaps, to which any float may be assigned.
            if "no order in common" not in str(refusal) and "of an array of int64?" not in str(refusal):
                raise AssertionError(f"{type(refusal).__name__}: {refusal}") from refusal
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}") from error

    def both(
        self, step: Callable[..., Any], lazy: Any, plain: Any, others: list[tuple[Any, Any]]
    ) -> tuple[Any, Any] | None:
        """Return what both make of a step; None where pandas refuses it, or akdask says that it has no such thing."""
        alike = [pair for pair in others if as_made(pair[1]) >= as_made(plain)] or [(lazy, plain)]
        other, plain_other = self.one_of(alike)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = with_numbers_for_bools(step(plain, plain_other))
        except Exception as refusal:  # whatever pandas raises, akdask has to refuse, too
            self.steps.append(f"  which pandas refuses: {type(refusal).__name__}: {str(refusal)[:80]}")
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    plainly(step(lazy, other))
            except AkdaskError:
                return None
            except UNLIKE:
                return None
            self.refused[f"not refused: {self.steps[-2]}"] += 1
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours = step(lazy, other)
                if not isinstance(theirs, pd.DataFrame) or self.random.random() < 0.5:
                    plainly(ours)
        except REFUSALS as refusal:
            self.refused[f"{self.steps[-1]}: {str(refusal)[:100]}"] += 1
            return None
        return ours, theirs

    def check(self, ours: Any, theirs: Any) -> None:
        compare(plainly(ours), theirs)

    def several(self, pairs: list[tuple[Any, Any]]) -> None:
        """Compare several results of one computation."""
        self.steps.append("all frames and sums at once")
        pairs = [pair for pair in pairs if not has_wide_gaps(pair[1])]
        sums = [(ours.k.sum(), theirs.k.sum()) for ours, theirs in pairs if theirs.k.dtype.kind in "iu"]
        found = dask.compute(*[ours for ours, _ in pairs], *[one for one, _ in sums])
        for result, (_, theirs) in zip(found, [*pairs, *sums], strict=True):
            compare(result, theirs)

    # steps

    def step(self, plain: pd.DataFrame) -> tuple[str, Callable[[Any, Any], Any]]:
        """Return a step, for frames of akdask and of pandas alike, and what it is in words."""
        make = self.one_of(MAKERS)
        return make(self, sorted(as_made(plain)))


KINDS = {"k": "iuf", "b": "b", "w": "iu", "x": "iuf", "s": "OU", "t": "M", "d": "m", "c": "O"}
KINDS |= {"n": "iu", "v": "iu", "m": "b"}
"""What NumPy calls the types that steps take columns for; others may have been put in their places."""


NULLABLE = ("n", "v", "m")
"""Columns of pandas' nullable types."""


def with_gaps(values: Any, missing: Any) -> Any:
    """Return integers or bools of which some are missing, in pandas' nullable type."""
    found = pd.array(values)
    found[missing] = pd.NA
    return found


def as_made(frame: pd.DataFrame) -> set[str]:
    """Return the columns that have the types in which programs begin."""
    return {name for name in frame.columns if frame[name].dtype.kind in KINDS.get(name, "")}


UNLIKE = (TypeError, ValueError, KeyError, IndexError)
"""What pandas raises of bad input; akdask's own errors derive from these."""


def plainly(item: Any) -> Any:
    """Return what a lazy object has computed; integers with gaps as integers, which pandas has as floats."""
    if isinstance(item, ak.DataFrame):
        return item.to_pandas(nullable=True)
    return item.to_pandas() if hasattr(item, "to_pandas") else item.compute() if hasattr(item, "compute") else item


def with_numbers_for_bools(item: Any) -> Any:
    """Return what pandas gives with floats in place of bools with gaps, which it has as objects."""
    if not isinstance(item, pd.DataFrame) or not item.columns.is_unique:
        return item
    there = {name: item[name].dropna() for name in item.columns if item[name].dtype == np.dtype(object)}
    mixed = [name for name, values in there.items() if len(values) and values.isin([True, False]).all()]
    return item.astype(dict.fromkeys(mixed, float))


def has_wide_gaps(frame: pd.DataFrame) -> bool:
    """Whether pandas has made floats of wide integers, which stay exact in akdask."""
    return any(frame[name].dtype.kind == "f" and (frame[name].abs() > 2**53).any() for name in frame.columns)


def compare(ours: Any, theirs: Any) -> None:
    """Compare values, labels, names and order; types of numbers may differ, as where integers have gaps."""
    if isinstance(theirs, pd.DataFrame):
        assert isinstance(ours, pd.DataFrame), type(ours)
        assert names_of(ours) == names_of(theirs), (list(ours.columns), list(theirs.columns))
        compare_labels(ours.index, theirs.index)
        for position, name in enumerate(theirs.columns):
            compare_values(ours.iloc[:, position], theirs.iloc[:, position], str(name))
    elif isinstance(theirs, pd.Series):
        assert isinstance(ours, pd.Series), type(ours)
        compare_labels(ours.index, theirs.index)
        compare_values(ours, theirs, str(theirs.name))
    elif theirs is None or theirs is pd.NaT or theirs is pd.NA or (isinstance(theirs, float) and np.isnan(theirs)):
        assert pd.isna(ours), (ours, theirs)
    elif isinstance(theirs, float | np.floating):
        np.testing.assert_allclose(float(ours), float(theirs), rtol=1e-9, atol=1e-9)
    else:
        assert ours == theirs, (ours, theirs)


def names_of(frame: pd.DataFrame) -> list[str]:
    """Return names of columns as text, those that bools and integers with gaps have given as numbers."""
    numbers = {"False": "0.0", "True": "1.0"}
    texts = [numbers.get(str(name), str(name)) for name in frame.columns]
    return [str(float(name)) if name.lstrip("-").isdigit() else name for name in texts]


def compare_labels(ours: pd.Index, theirs: pd.Index) -> None:
    assert len(ours) == len(theirs), f"{len(ours)} rows {ours.tolist()}, pandas {len(theirs)} {theirs.tolist()}"
    assert ours.nlevels == theirs.nlevels, (ours, theirs)
    for level in range(theirs.nlevels):
        compare_values(
            pd.Series(ours.get_level_values(level)), pd.Series(theirs.get_level_values(level)), f"labels {level}"
        )


def compare_values(ours: pd.Series, theirs: pd.Series, name: str) -> None:
    gone = theirs.isna().to_numpy()
    message = f"{name}: {ours.tolist()}, pandas {theirs.tolist()}"
    assert ours.isna().to_numpy().tolist() == gone.tolist(), message
    mine, its = ours[~gone].tolist(), theirs[~gone].tolist()
    if any(isinstance(value, float) for value in (*mine, *its)):
        np.testing.assert_allclose(np.array(mine, float), np.array(its, float), rtol=1e-7, atol=1e-9, err_msg=message)
    else:
        assert mine == its, message
    is_time = theirs.dtype.kind in "mM" or ours.dtype.kind in "mM"
    assert not is_time or len(its) == 0 or ours.dtype.kind == theirs.dtype.kind, (ours.dtype, theirs.dtype)


# what steps are made of

Made = tuple[str, Callable[[Any, Any], Any]]
NUMBERS, MISSING, ORDERED, ANY = (
    ["k", "x"],
    ["x", "s", "t", "d"],
    ["k", "w", "x", "t", "d", "c", "s", "b", "n", "v", "m"],
    list("kbwxstdcnvm"),
)


def module_of(frame: Any) -> Any:
    """Return pandas, or what stands in its place for a frame."""
    return pd if isinstance(frame, pd.DataFrame) else sys.modules["akdask.pandas"]


def column(frame: Any, name: str) -> Any:
    return getattr(frame, name)


def there(columns: list[str], names: Iterable[str]) -> list[str]:
    return [name for name in names if name in columns] or ["k"]


def sort(p: Program, columns: list[str]) -> Made:
    by, ascending = p.some(there(columns, ORDERED)), bool(p.random.random() < 0.6)
    # With several keys in descending order pandas turns ties around, unless it sorts by one after the other.
    if ascending or len(by) == 1:
        return f"sort_values({by}, ascending={ascending})", lambda f, o: f.sort_values(
            by, ascending=ascending, **stable(f)
        )
    return f"sort_values({by[0]}, descending)", lambda f, o: f.sort_values(by[0], ascending=False, **stable(f))


def stable(frame: Any) -> dict[str, str]:
    return {} if isinstance(frame, ak.DataFrame | ak.Series) else {"kind": "stable"}


VALUES = {"k": 1, "x": 0.5, "s": "b", "w": 2**61 + 1, "c": "mid"}
VALUES |= {"n": 1, "v": 2**61 + 1}
VALUES |= {"t": pd.Timestamp("2026-01-31"), "d": pd.Timedelta("1D")}
"""What columns are compared with."""


def compared(p: Program, columns: list[str]) -> tuple[str, Callable[[Any], Any]]:
    name = p.one_of(there(columns, ["k", "x", "t", "s", "w", "c", "d", "n", "v"]))
    value = VALUES[name]
    sign = p.one_of(["<", "<=", ">", ">=", "==", "!="])
    methods = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}

    def compare(f: Any) -> Any:
        found = getattr(column(f, name), methods[sign])(value)
        # In pandas' nullable types a comparison may be missing, where it is False elsewhere.
        return found.fillna(sign == "!=").astype(bool) if str(found.dtype) == "boolean" else found

    return f"{name} {sign} {value}", compare


def mask(p: Program, columns: list[str]) -> Made:
    words, make = compared(p, columns)
    if p.random.random() < 0.3:
        return f"f[~({words})]", lambda f, o: f[~make(f)]
    if p.random.random() < 0.3:
        return f"f[f sorted by x: {words}]", lambda f, o: f[make(f.sort_values("x", **stable(f)))]
    return f"f[{words}]", lambda f, o: f[make(f)]


def query(p: Program, columns: list[str]) -> Made:
    if not {"k", "x", "b", "w"} <= {*columns}:
        return cut(p, columns)
    text = p.one_of(
        ["k > 1", "x < 1 and k != 2", "k in [0, 3]", "not (x > 0)", "b", "x == x", "w > 2305843009213693952"]
    )
    return f"query({text!r})", lambda f, o: f.query(text)


def cut(p: Program, columns: list[str]) -> Made:
    method, count = p.one_of(["head", "tail"]), int(p.random.integers(-2, 5))
    return f"{method}({count})", lambda f, o: getattr(f, method)(count)


def sliced(p: Program, columns: list[str]) -> Made:
    start, stop, step = p.one_of([(None, 3, None), (1, None, 2), (-3, None, None), (None, None, -1)])
    return f"iloc[{start}:{stop}:{step}]", lambda f, o: f.iloc[start:stop:step]


def assigned(p: Program, columns: list[str]) -> Made:
    names = ["k", "x", "t", "s", "w", "c", *NULLABLE]
    name, target = p.one_of(there(columns, names)), p.one_of(["n1", "x", "k"])
    if (target == "k" and name != "k") or name in NULLABLE:
        target = "n1"
    words, make = transformed(p, columns, name)
    if p.random.random() < 0.4:
        return f"f[{target!r}] = {words} of f sorted by x", lambda f, o: put(
            p, f, target, make(f.sort_values("x", **stable(f)))
        )
    if p.random.random() < 0.3:
        return f"f[{target!r}] = {words} of another frame", lambda f, o: put(p, f, target, make(o))
    return f"f[{target!r}] = {words}", lambda f, o: put(p, f, target, make(f))


def put(p: Program, frame: Any, name: str, values: Any) -> Any:
    changed = frame.copy()
    differs = p.has_differences and not isinstance(frame, ak.DataFrame)
    if differs and frame.index.dtype.kind == "b":
        raise TypeError("labels that are bools equal 0 and 1")
    if differs and not len(frame):
        values = values.reindex(frame.index)
    changed[name] = values
    return changed


def transformed(p: Program, columns: list[str], name: str) -> tuple[str, Callable[[Any], Any]]:
    """Return a Series of the same labels."""
    choices: list[tuple[str, Callable[[Any], Any]]] = [
        (name, lambda f: column(f, name)),
        (f"{name}.shift(1)", lambda f: column(f, name).shift(1)),
        (f"{name}.isna()", lambda f: column(f, name).isna()),
        (f"{name}.ffill()", lambda f: column(f, name).ffill()),
        (f"group k {name}.shift(1)", lambda f: column(f.groupby("k"), name).shift(1)),
        (f"group k {name}.ffill()", lambda f: column(f.groupby("k"), name).ffill()),
        (f"{name}.where(k > 1)", lambda f: column(f, name).where(f.k > 1)),
        (f"{name}.mask(x < 1)", lambda f: column(f, name).mask(f.x < 1)),
        (f"{name}.duplicated()", lambda f: column(f, name).duplicated()),
    ]
    if name in ("k", "x"):
        choices += [
            (f"{name}.cumsum()", lambda f: column(f, name).cumsum()),
            (f"{name}.cummax()", lambda f: column(f, name).cummax()),
            (f"{name}.diff()", lambda f: column(f, name).diff()),
            (f"{name}.rank()", lambda f: column(f, name).rank()),
            (f"{name}.rank(dense, descending)", lambda f: column(f, name).rank(method="dense", ascending=False)),
            (f"{name}.rolling(2)", lambda f: column(f, name).rolling(2, min_periods=1).mean()),
            (f"{name}.rolling(3).std(ddof=0)", lambda f: column(f, name).rolling(3).std(ddof=0)),
            (f"{name}.rolling(3, center).max()", lambda f: column(f, name).rolling(3, center=True).max()),
            (f"{name}.expanding().sum()", lambda f: column(f, name).expanding().sum()),
            (f"{name}.clip(0, 1)", lambda f: column(f, name).clip(0, 1)),
            (f"group k {name}.cumsum()", lambda f: column(f.groupby("k"), name).cumsum()),
            (f"group b {name}.transform(max)", lambda f: column(f.groupby("b"), name).transform("max")),
            (f"group s {name}.transform(sum)", lambda f: column(f.groupby("s"), name).transform("sum")),
            (f"group k {name}.rank()", lambda f: column(f.groupby("k"), name).rank()),
            (f"{name}.fillna(0) * 2 + 1", lambda f: column(f, name).fillna(0) * 2 + 1),
            (f"{name}.between(0, 1)", lambda f: column(f, name).between(0, 1)),
            (f"{name}.isin([0, 1])", lambda f: column(f, name).isin([0, 1])),
            (f"{name}.map", lambda f: column(f, name).map({0: 10, 1: 20})),
            (f"{name}.round(0)", lambda f: column(f, name).round(0)),
        ]  # fmt: skip
    elif name == "n":
        choices += [
            ("n.cumsum()", lambda f: f.n.cumsum()),
            ("n.cummin()", lambda f: f.n.cummin()),
            ("n.diff()", lambda f: f.n.diff()),
            ("n.rank()", lambda f: f.n.rank()),
            ("n.rolling(2)", lambda f: f.n.rolling(2, min_periods=1).mean()),
            ("n.expanding().sum()", lambda f: f.n.expanding().sum()),
            ("n.clip(0, 1)", lambda f: f.n.clip(0, 1)),
            ("n + k", lambda f: f.n + f.k),
            ("n ** 2", lambda f: f.n**2),
            ("n / 2", lambda f: f.n / 2),
            ("n.fillna(0) * 2", lambda f: f.n.fillna(0) * 2),
            ("n.isin([0, 1])", lambda f: f.n.isin([0, 1])),
            ("group k n.cumsum()", lambda f: f.groupby("k").n.cumsum()),
            ("group b n.transform(max)", lambda f: f.groupby("b").n.transform("max")),
        ]
    elif name == "v":
        choices += [
            ("v.fillna(1)", lambda f: f.v.fillna(1)),
            ("v.cummax()", lambda f: f.v.cummax()),
            ("v // 3", lambda f: f.v // 3),
            ("v.rank()", lambda f: f.v.rank(method="min")),
            ("group k v.cummin()", lambda f: f.groupby("k").v.cummin()),
            ("group k v.transform(max)", lambda f: f.groupby("k").v.transform("max")),
        ]
    elif name == "m":
        choices += [
            ("m.fillna(True)", lambda f: f.m.fillna(True)),
            ("~m", lambda f: ~f.m),
            ("m & b", lambda f: f.m & (f.k > 1)),
            ("m | b", lambda f: f.m | (f.k > 1)),
        ]
    elif name == "w":
        choices += [
            ("w.diff()", lambda f: f.w.map({0: 1, 2**61: 2})),
            ("w > k", lambda f: f.w > f.k),
            ("w.rank()", lambda f: f.w.rank(method="min")),
            ("w // 3", lambda f: f.w // 3),
        ]
    elif name == "t":
        choices += [
            ("t.dt.year", lambda f: f.t.dt.year),
            ("t.dt.dayofweek", lambda f: f.t.dt.dayofweek),
            ("t.dt.floor(D)", lambda f: f.t.dt.floor("D")),
            ("t + 1 day", lambda f: f.t + pd.Timedelta("1D")),
            ("t.diff()", lambda f: f.t.diff()),
            ("t.dt.hour", lambda f: f.t.dt.hour),
            ("t.dt.is_month_end", lambda f: f.t.dt.is_month_end),
            ("t.cummax()", lambda f: f.t.cummax()),
        ]
    elif name == "s":
        choices += [
            ("s.str.upper()", lambda f: f.s.str.upper()),
            ("s.str.len()", lambda f: f.s.str.len()),
            ("s.str.contains(a)", lambda f: f.s.str.contains("a")),
            ("s.str[:1]", lambda f: f.s.str[:1]),
            ("s.fillna('-')", lambda f: f.s.fillna("-")),
            ("s.map", lambda f: f.s.map({"ab": "yes", "a": "no"})),
            ("s.str.replace", lambda f: f.s.str.replace("a", "__", regex=False)),
        ]
    words, make = p.one_of(choices)
    return words, make


def concat(frames: list[Any]) -> Any:
    concatenate: Any = ak.DataFrame.concat if isinstance(frames[0], ak.DataFrame) else module_of(frames[0]).concat
    return concatenate(frames).reset_index(drop=True)


def columnwise(p: Program, columns: list[str]) -> Made:
    numbers = there(columns, NUMBERS)
    return p.one_of([
        ("fillna(x=0)", lambda f, o: f.fillna({"x": 0.0}) if "x" in columns else f),
        ("dropna()", lambda f, o: f.dropna()),
        ("dropna(subset)", lambda f, o: f.dropna(subset=[numbers[-1]])),
        ("ffill()", lambda f, o: f.ffill()),
        ("isna()", lambda f, o: f.isna()),
        ("drop_duplicates(k, b)", lambda f, o: f.drop_duplicates(subset=["k"])),
        ("drop_duplicates(x, last)", lambda f, o: f.drop_duplicates(subset=["x"], keep="last")),
        ("nlargest(3, x)", lambda f, o: f.nlargest(3, "x")),
        ("nsmallest(2, [k, x])", lambda f, o: f.nsmallest(2, ["k", "x"])),
        ("nlargest(3, [k, x], all)", lambda f, o: f.nlargest(3, ["k", "x"], keep="all")),
        ("[k, x] + 1", lambda f, o: f[["k", "x"]] + 1),
        ("[k, x] + [k, x] of another", lambda f, o: f[["k", "x"]] + o[["k", "x"]]),
        ("[k, x].clip(0)", lambda f, o: f[["k", "x"]].clip(lower=0)),
        ("[k, x].where(x > 0)", lambda f, o: f[["k", "x"]].where(f.x > 0)),
        ("[k, x].cumsum()", lambda f, o: f[["k", "x"]].cumsum()),
        ("[k, x].shift(1)", lambda f, o: f[["k", "x"]].shift(1)),
        ("[k, x].diff()", lambda f, o: (f[["k", "x"]] * 1.0).diff()),
        ("reset_index", lambda f, o: f.reset_index(drop=True)),
        ("sort_index", lambda f, o: f.sort_index(**stable(f))),
        ("round(0)", lambda f, o: f[["k", "x"]].round(0)),
        ("rename", lambda f, o: f.rename(columns={"w": "u"})),
        ("concat twice", lambda f, o: concat([f, f])),
        ("set_index k", lambda f, o: f.assign(k2=f.k).set_index("k2")),
        ("loc first labels", lambda f, o: f.loc[f.index[:2].tolist()]),
    ])  # fmt: skip


def merged(p: Program, columns: list[str]) -> Made:
    on = p.one_of(["k", "k", "s", "x", "w", "c", "t", ["k", "b"], "n", "v", ["k", "n"]])
    how = p.one_of(["inner", "left", "left", "right", "right" if on in ("t", "c") else "outer"])
    keys = [on] if isinstance(on, str) else on
    names = list(dict.fromkeys([*keys, "k", "x"]))
    if not set(keys) <= set(columns):
        on, names = "k", ["k", "x"]
    small = {name: name if name in (on, *keys) else f"{name}_r" for name in names}
    # Of an outer join pandas sorts the keys in any case.
    options = {"sort": True} if how == "outer" else {"sort": False}

    def join(frame: Any, other: Any) -> Any:
        merge: Any = merged_with_gaps if isinstance(frame, ak.DataFrame) else type(frame).merge
        chosen = other[[name for name in names if name in columns]].head(3)
        return merge(frame, chosen.rename(columns=small), on=on, how=how, **options)

    return f"merge(other, on={on}, how={how})", join


def observed(frame: Any) -> dict[str, bool]:
    """Return what has pandas leave out labels without rows, as akdask always does."""
    return {"observed": True} if isinstance(frame, pd.DataFrame) else {}


def grouped(p: Program, columns: list[str]) -> Made:
    key = p.one_of(there(columns, ["k", "b", "s", "c", "t", "w", "x", "n", "v", "m"]))
    keys = [key] if p.random.random() < 0.7 else list(dict.fromkeys([key, "k"]))
    by = keys[0] if len(keys) == 1 else keys
    dropna = bool(p.random.random() < 0.6)
    options = f"dropna={dropna}"
    names = ["x", "t", "s", "k", "d", "n", "v"]
    name = p.one_of([name for name in there(columns, names) if name not in keys] or ["x"])
    how = p.one_of(["sum", "mean", "min", "max", "count", "nunique", "last", "size", "median", "std"])
    if name in ("t", "s", "d") and how in ("sum", "mean", "median", "std"):
        how = p.one_of(["count", "nunique", "last"] if name == "s" else ["min", "max", "count", "last"])
    if name == "s" and how in ("min", "max"):
        how = "count"
    if name == "v" and how in ("mean", "std"):
        how = "median"

    def group(f: Any) -> Any:
        return f.groupby(by, dropna=dropna, **observed(f))

    if name in keys:
        how = "size"
    if how == "size":
        return f"groupby({by}, {options}).size()", lambda f, o: group(f).size()
    if p.random.random() < 0.3:
        return (
            f"groupby({by}, {options}).agg(n=({name}, {how})).reset_index()",
            lambda f, o: group(f).agg(n=(name, how)).reset_index(),
        )
    return f"groupby({by}, {options}).{name}.{how}()", lambda f, o: getattr(column(group(f), name), how)()


def group_rows(p: Program, columns: list[str]) -> Made:
    key = p.one_of(there(columns, ["k", "b", "s", "c", "t", "n", "v"]))
    name = p.one_of(there(columns, ["x", "k", "t", "s", "n", "v"]))
    numbers = ["cumsum()", "cummin()", "rank(method='min')", "diff()", "transform('mean')"]
    calls = ["shift(-1)", "ffill()", "bfill()", "transform('count')", "nth(0)", "head(1)"]
    call = p.one_of(calls + (numbers if name in ("x", "k", "n") else []))
    frames = ["head(2)", "tail(1)", "cumcount()", "ngroup()", "nth(0)", "nth(-1)", "cumcount(ascending=False)"]
    if key == name or p.random.random() < 0.3:
        return called(f"groupby({key!r}).{p.one_of(frames)}")
    return called(f"groupby({key!r}).{name}.{call}")


def called(words: str) -> Made:
    """Return a step that is the same text for frames of akdask and of pandas."""
    code = compile(f"f.{words}", words, "eval")
    names = {"pd": pd, "np": np}
    return words, lambda f, o: eval(code, names, {"f": f, "o": o})


def windows(p: Program, columns: list[str]) -> Made:
    name, least = p.one_of(there(columns, ["k", "x", "n"])), p.one_of([None, 1, 2, 0])
    how = p.one_of(["sum()", "mean()", "min()", "max()", "count()", "std()", "var(ddof=0)", "std(ddof=2)", "median()"])
    kind = p.one_of(["rolling", "rolling", "expanding", "ewm"])
    group = p.one_of(["", "groupby('b').", "groupby('k')."] if {"b", "x"} <= {*columns} else [""])
    if kind == "rolling":
        width = int(p.random.integers(1, 4))
        least = None if least is None else min(least, width)
        centred = f", center={p.one_of([True, False])}" if not group else ""
        window = f"rolling({width}, min_periods={least}{centred})"
    elif kind == "expanding":
        window, how = f"expanding({least or 1})", how.replace("median()", "mean()")
    else:
        window = p.one_of(
            [
                "ewm(alpha=0.4)",
                "ewm(com=1, adjust=False)",
                "ewm(span=5, adjust=False)",
                "ewm(com=2, ignore_na=True, min_periods=2)",
            ]
        )
        how = p.one_of(["mean()", "std()", "var()"])
        if how != "mean()":
            # Of one value and gaps, pandas' rounding makes 0 of what it documents to be missing.
            window = window.removesuffix(")").replace(", min_periods=2", "") + ", min_periods=2)"
    if group:
        # pandas puts the rows of a group together, below its key; akdask leaves them where they are.
        words = f"{group}x.{window}.{how}.dropna().reset_index(drop=True).sort_values().reset_index(drop=True)"
        return called(words)
    return called(f"{name}.{window}.{how}")


def reduced(p: Program, columns: list[str]) -> Made:
    name = p.one_of(there(columns, ["x", "t", "k", "d", "w", "n", "v"]))
    how = p.one_of(
        ["min", "max", "count", "nunique"] + (["sum", "mean", "median", "std"] if name in ("k", "x", "n") else [])
    )
    numbers = there(columns, ["k", "x"])
    options = {"ddof": 1} if how == "std" else {"skipna": True} if how in ("min", "max") else {}
    return p.one_of([
        (f"{name}.dropna().{how}()", lambda f, o: getattr(column(f, name).dropna(), how)(**options)),
        ("x.corr(k of another)", lambda f, o: (f.x if "x" in columns else f.k).corr(o.k)),
        (f"{name}.value_counts()", lambda f, o: column(f, name).value_counts().sort_index()),
        ("[k, x].sum(skipna)", lambda f, o: f[numbers].sum(skipna=True)),
        ("[k, x].mean(skipna)", lambda f, o: f[numbers].mean(skipna=True)),
        ("[k, x].min(skipna)", lambda f, o: f[numbers].min(skipna=True)),
        ("[k, x, t].count()", lambda f, o: f[there(columns, ["k", "x", "t"])].count()),
        ("[k, x].quantile(0.3)", lambda f, o: f[numbers].quantile(0.3)),
        (f"{name}.idxmax()", lambda f, o: f.k.idxmax()),
        ("nunique()", lambda f, o: f[there(columns, ["k", "x", "s", "t"])].nunique()),
    ])  # fmt: skip


def reshaped(p: Program, columns: list[str]) -> Made:
    if not {"k", "b", "x", "t", "s"} <= {*columns}:
        return cut(p, columns)
    day = p.one_of(["D", "12h", "W", "MS", "ME", "QS", "2D"])
    how = p.one_of(["count", "sum", "mean", "max", "size"])
    return called(p.one_of([
        f"pivot_table(values='x', index='k', columns='b', aggfunc={p.one_of(['sum', 'mean', 'count', 'max'])!r})",
        "pivot_table(values='x', index='b', columns='k', aggfunc='sum', fill_value=0)",
        "loc[:, ['k', 'x']].melt(id_vars='k')",
        "groupby(['k', 'b']).x.sum().unstack()",
        "groupby(['k', 'b']).size().unstack(fill_value=0)",
        "x.reindex([0, 10, 99])",
        "v.reindex([0, 10, 99])",
        "groupby(['k', 'b']).n.max().unstack()",
        "loc[:, ['k', 'n']].melt(id_vars='k')",
        "n.value_counts(dropna=False).sort_index()",
        "loc[:, ['k', 'x']].reindex([0, 10, 99], fill_value=0)",
        f"dropna(subset=['t']).set_index('t').x.resample({day!r}).{how}()",
        "groupby('b').agg({'k': 'sum', 'x': 'max'})",
        "groupby('b').agg(n=('k', 'count'), s=('x', 'sum')).reset_index()",
        "groupby('k').x.agg(['min', 'max'])",
        "groupby('k').filter(lambda g: len(g) > 1)",
        "x.describe()",
        "loc[:, ['k', 'x']].agg(['min', 'max'])",
        "loc[:, ['k', 'x']].dropna().corr().round(6)",
        "k.value_counts(normalize=True).sort_index()",
        "s.value_counts(dropna=False).sort_index()",
        "loc[:, ['k', 'x']].stack()",
    ]))  # fmt: skip


def changed(p: Program, columns: list[str]) -> Made:
    """Change rows of a copy."""
    if not {"x", "n"} & {*columns}:
        return cut(p, columns)
    words, make = compared(p, columns)
    name = p.one_of(there(columns, ["x", "x", "n"]))
    value = p.one_of([9.5, np.nan]) if name == "x" else 7

    def change(f: Any, o: Any) -> Any:
        copy = f.copy()
        is_of_pandas = p.has_differences and isinstance(f, pd.DataFrame)
        if is_of_pandas and isinstance(value, float) and f[name].dtype.kind in "iu":
            raise TypeError(f"{value} among integers")
        copy.loc[make(f), name] = value
        return copy

    def change_of_rows(f: Any, o: Any) -> Any:
        copy = f.copy()
        copy.loc[make(f), name] = column(o, name)
        return copy

    if p.random.random() < 0.3:
        return f"loc[{words}, {name!r}] = {name} of another frame", change_of_rows
    return f"loc[{words}, {name!r}] = {value}", change


MAKERS = [
    sort, mask, mask, query, cut, sliced, assigned, assigned, assigned, changed, columnwise, columnwise, merged, merged,
    grouped, grouped, group_rows, windows, reduced, reshaped,
]  # fmt: skip
"""Where steps come from; what stands twice is drawn twice as often."""


@contextmanager
def small_limits(seed: int) -> Any:
    """Have most programs run with small blocks, partitions and limits, as large data do."""
    with ExitStack() as stack:
        if seed % 4:
            stack.enter_context(ak.config.set(block_size=64, small_array=4, replicate_size=[0, None, 64][seed % 3]))
        yield


def run_programs(seeds: Iterable[int], refused: Counter[str] | None = None) -> list[str]:
    """Run programs; return what fails."""
    failures = []
    for seed in seeds:
        program = Program(seed)
        try:
            with small_limits(seed):
                program.run()
        except AssertionError as error:
            shown = "\n  ".join(program.steps)
            failures.append(f"program {seed} fails: {error}\n  {shown}")
        if refused is not None:
            refused.update(program.refused)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    refused: Counter[str] = Counter()
    failures = run_programs(range(options.seed, options.seed + options.count), refused)
    for failure in failures:
        print(failure, "\n")
    for words, count in refused.most_common(40):
        print(f"{count} refused: {words}")
    print(f"{options.count - len(failures)} of {options.count} programs as pandas")
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
