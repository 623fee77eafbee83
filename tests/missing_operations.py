"""What operations make of missing values: a table of operations by kinds of values, beside what pandas makes of them.

`tests/test_missing_operations.py` runs all of it on values of which none, one, some and all are missing.  Run as
``python -m tests.missing_operations`` it writes the page of the documentation that says the same.
"""

from __future__ import annotations

import datetime
import math
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import akdask as ak
from akdask.errors import AkdaskError

nan = float("nan")

VALUES: dict[str, list[Any]] = {
    "floats": [2.5, -1.0, 4.0, 2.5, 0.5, -3.0],
    "text": ["b", "a", "c", "b", "ab", ""],
    "Categoricals": ["b", "a", "c", "b", "ab", "d"],
    "integers": [3, -1, 5, 3, 7, 0],
    "bools": [True, False, True, True, False, False],
    "times": ["2024-01-05", "2023-03-01", "2024-07-01T12:30", "2024-01-05", "1999-12-31", "2001-01-01"],
}
KINDS = tuple(VALUES)
MISSING: dict[str, tuple[int, ...]] = {"none": (), "one": (1,), "some": (1, 4), "all": (0, 1, 2, 3, 4, 5)}

SAMPLE: dict[str, Any] = {
    "floats": 2.5,
    "text": "b",
    "Categoricals": "b",
    "integers": 3,
    "bools": True,
    "times": np.datetime64("2024-01-05", "ns"),
}
OTHER: dict[str, Any] = {
    "floats": 0.0,
    "text": "zz",
    "Categoricals": "a",
    "integers": 9,
    "bools": False,
    "times": np.datetime64("2020-01-01", "ns"),
}


def reference(kind: str, missing: str) -> pd.Series:
    """Return values of a kind as pandas has them, some of them missing."""
    values: list[Any] = [None if at in MISSING[missing] else item for at, item in enumerate(VALUES[kind])]
    match kind:
        case "floats":
            return pd.Series(values, dtype=float)
        case "text":
            return pd.Series(values, dtype="str")
        case "Categoricals":
            return pd.Series(pd.Categorical(values, categories=sorted(set(VALUES[kind]))))
        case "integers":
            return pd.Series(values, dtype="Int64")
        case "bools":
            return pd.Series(values, dtype="boolean")
    return pd.Series(np.array([np.datetime64(item or "NaT") for item in values], "M8[ns]"))


def compared_with(kind: str, series: pd.Series) -> pd.Series:
    """Return what pandas computes with: floats where integers or bools are missing."""
    if kind not in ("integers", "bools"):
        return series
    return series.astype(float if series.hasnans else {"integers": np.int64, "bools": np.bool_}[kind])


def plain(item: Any) -> Any:
    """Return a value in a form in which results of akdask and pandas are equal: None for what is missing."""
    if isinstance(item, list | tuple | np.ndarray):
        return [plain(one) for one in item]
    if item is None or item is pd.NA or item is pd.NaT:
        return None
    if isinstance(item, datetime.datetime | np.datetime64):
        return None if np.isnat(np.datetime64(item)) else str(np.datetime64(pd.Timestamp(item), "ns"))
    if isinstance(item, datetime.timedelta | np.timedelta64):
        return None if item != item else f"{pd.Timedelta(item).value:.11g} ns"  # noqa: PLR0124 - NaT
    if isinstance(item, float | np.floating | int | np.integer | np.bool_):
        number = float(item)
        return None if math.isnan(number) else float(f"{number:.11g}")
    return item


def as_plain(found: Any) -> Any:
    """Return a result of akdask or pandas as lists, with its labels."""
    if isinstance(found, ak.DataFrame):
        found = found.to_pandas(retain_index=True)
    elif isinstance(found, ak.Series | ak.Index):
        found = found.to_pandas()
    elif hasattr(found, "to_ndarray"):
        found = found.to_ndarray()
    elif type(found).__name__ == "Scalar":
        found = found.value()
    if isinstance(found, pd.DataFrame):
        columns = {str(name): plain(found.iloc[:, at].tolist()) for at, name in enumerate(found.columns)}
        return columns, plain(found.index.tolist())
    if isinstance(found, pd.Series):
        return plain(found.tolist()), plain(found.index.tolist())
    if isinstance(found, np.ndarray | pd.Index | pd.api.extensions.ExtensionArray):
        return plain(
            found.tolist() if not isinstance(found, np.ndarray) or found.dtype.kind not in "mM" else list(found)
        )
    return plain(found)


REFUSED = "refused"


def outcome(function: Callable[..., Any], *items: Any) -> Any:
    """Return what a function returns, `REFUSED` for an error of the kind that it should raise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return as_plain(function(*items))
        except AkdaskError:
            return REFUSED
        except Exception as error:
            if str(error).startswith("unsupported operand type(s)"):
                return REFUSED  # Python's own word for an operator that there is not
            if any(isinstance(item, ak.Series | ak.DataFrame) for item in items):
                raise
            return REFUSED


Operation = Callable[[Any, Any, Any], Any]
"""Takes a Series of akdask or pandas, a value that occurs in it, and another one."""


def one_type(series: Any, items: list[Any], **named: Any) -> Any:
    """Return a Series of the library that another one is of."""
    return (pd.Series if isinstance(series, pd.Series) else ak.Series)(items, **named)


def called(series: Any, name: str) -> Any:
    """Return a property of pandas that is a method of akdask."""
    found = getattr(series, name)
    return found() if callable(found) else found


SERIES: dict[str, dict[str, Operation]] = {
    "Found, filled, left out": {
        "isna": lambda s, v, o: s.isna(),
        "notna": lambda s, v, o: s.notna(),
        "hasnans": lambda s, v, o: called(s, "hasnans"),
        "count": lambda s, v, o: s.count(),
        "dropna": lambda s, v, o: s.dropna(),
        "fillna": lambda s, v, o: s.fillna(o),
        "ffill": lambda s, v, o: s.ffill(),
        "bfill": lambda s, v, o: s.bfill(),
        "ffill(limit=1)": lambda s, v, o: s.ffill(limit=1),
        "bfill(limit=1)": lambda s, v, o: s.bfill(limit=1),
    },
    "Compared": {
        "==": lambda s, v, o: s == v,
        "!=": lambda s, v, o: s != v,
        "eq": lambda s, v, o: s.eq(v),
        "ne": lambda s, v, o: s.ne(v),
        "<": lambda s, v, o: s < v,
        ">=": lambda s, v, o: s >= v,
        "< of two columns": lambda s, v, o: s < s.shift(1),
        "between": lambda s, v, o: s.between(v, v),
        "isin": lambda s, v, o: s.isin([v, o]),
        "isin([…, None])": lambda s, v, o: s.isin([v, None]),
        "isin([nan])": lambda s, v, o: s.isin([nan]),
        "a mask": lambda s, v, o: s[s == v],
        "a mask by !=": lambda s, v, o: s[s != v],
        "a mask by isna": lambda s, v, o: s[s.isna()],
        "duplicated": lambda s, v, o: s.duplicated(),
        "duplicated(keep=False)": lambda s, v, o: s.duplicated(keep=False),
        "drop_duplicates": lambda s, v, o: s.drop_duplicates(),
        "drop_duplicates(keep='last')": lambda s, v, o: s.drop_duplicates(keep="last"),
        "is_unique": lambda s, v, o: called(s, "is_unique"),
        "equals": lambda s, v, o: s.equals(s.copy()),
    },
    "Computed with": {
        "+": lambda s, v, o: s + s,
        "-": lambda s, v, o: s - s,
        "/": lambda s, v, o: s / 2,
        "//": lambda s, v, o: s // 2,
        "%": lambda s, v, o: s % 2,
        "**": lambda s, v, o: s**2,
        "abs": lambda s, v, o: s.abs(),
        "clip": lambda s, v, o: s.clip(v, v),
        "round": lambda s, v, o: s.round(1),
        "diff": lambda s, v, o: s.diff(),
        "pct_change": lambda s, v, o: s.pct_change(),
        "cumsum": lambda s, v, o: s.cumsum(),
        "cumprod": lambda s, v, o: s.cumprod(),
        "cummin": lambda s, v, o: s.cummin(),
        "cummax": lambda s, v, o: s.cummax(),
        "rolling(2).sum": lambda s, v, o: s.rolling(2).sum(),
        "rolling(3, min_periods=1).mean": lambda s, v, o: s.rolling(3, min_periods=1).mean(),
        "rolling(3).count": lambda s, v, o: s.rolling(3).count(),
        "expanding.sum": lambda s, v, o: s.expanding().sum(),
        "expanding(2).max": lambda s, v, o: s.expanding(2).max(),
        "ewm.mean": lambda s, v, o: s.ewm(alpha=0.5).mean(),
    },
    "Chosen and replaced": {
        "where": lambda s, v, o: s.where(s == v),
        "where(…, other)": lambda s, v, o: s.where(s == v, o),
        "mask": lambda s, v, o: s.mask(s == v),
        "mask(…, other)": lambda s, v, o: s.mask(s.isna(), o),
        "map of a dict": lambda s, v, o: s.map({v: o}),
        "map of a dict of text": lambda s, v, o: s.map({v: "x"}),
        "map of a Series": lambda s, v, o: s.map(one_type(s, [7.5], index=[v])),
        "replace": lambda s, v, o: s.replace(v, o),
        "replace(nan)": lambda s, v, o: s.replace(nan, o),
        "replace of a dict": lambda s, v, o: s.replace({v: o}),
        "shift": lambda s, v, o: s.shift(1),
        "shift(-2)": lambda s, v, o: s.shift(-2),
        "shift(fill_value=…)": lambda s, v, o: s.shift(1, fill_value=o),
        "reindex": lambda s, v, o: s.reindex([0, 1, 9]),
        "combine_first": lambda s, v, o: s.combine_first(s.shift(1)),
        "unique": lambda s, v, o: s.unique(),
        "concat": lambda s, v, o: (pd if isinstance(s, pd.Series) else ak).concat([s, s]),
    },
    "Ordered": {
        "sort_values": lambda s, v, o: s.sort_values(kind="stable") if isinstance(s, pd.Series) else s.sort_values(),
        "sort_values(ascending=False)": lambda s, v, o: (
            s.sort_values(ascending=False, kind="stable")
            if isinstance(s, pd.Series)
            else s.sort_values(ascending=False)
        ),
        "sort_values(na_position='first')": lambda s, v, o: (
            s.sort_values(na_position="first", kind="stable")
            if isinstance(s, pd.Series)
            else s.sort_values(na_position="first")
        ),
        "nlargest": lambda s, v, o: s.nlargest(6),
        "nsmallest": lambda s, v, o: s.nsmallest(3),
        "rank": lambda s, v, o: s.rank(),
        "rank(na_option='top')": lambda s, v, o: s.rank(na_option="top"),
        "rank(na_option='bottom')": lambda s, v, o: s.rank(na_option="bottom"),
        "rank(method='dense')": lambda s, v, o: s.rank(method="dense"),
        "rank(pct=True)": lambda s, v, o: s.rank(pct=True),
        "rank(ascending=False)": lambda s, v, o: s.rank(ascending=False),
        "is_monotonic_increasing": lambda s, v, o: called(s, "is_monotonic_increasing"),
        "is_monotonic_decreasing": lambda s, v, o: called(s, "is_monotonic_decreasing"),
    },
    "Reduced": {
        "sum(skipna=True)": lambda s, v, o: s.sum(skipna=True),
        "sum(skipna=False)": lambda s, v, o: s.sum(skipna=False),
        "prod(skipna=True)": lambda s, v, o: s.prod(skipna=True),
        "mean(skipna=True)": lambda s, v, o: s.mean(skipna=True),
        "mean(skipna=False)": lambda s, v, o: s.mean(skipna=False),
        "min(skipna=True)": lambda s, v, o: s.min(skipna=True),
        "max(skipna=True)": lambda s, v, o: s.max(skipna=True),
        "min(skipna=False)": lambda s, v, o: s.min(skipna=False),
        "max(skipna=False)": lambda s, v, o: s.max(skipna=False),
        "std(skipna=True)": lambda s, v, o: s.std(ddof=1, skipna=True),
        "var(skipna=True)": lambda s, v, o: s.var(ddof=1, skipna=True),
        "any": lambda s, v, o: s.any(),
        "all": lambda s, v, o: s.all(),
        "any(skipna=False)": lambda s, v, o: s.any(skipna=False),
        "median": lambda s, v, o: s.median(),
        "median(skipna=False)": lambda s, v, o: s.median(skipna=False),
        "quantile": lambda s, v, o: s.quantile(0.5),
        "quantile([…])": lambda s, v, o: s.quantile([0.25, 0.75]),
        "idxmin": lambda s, v, o: s.idxmin(),
        "idxmax": lambda s, v, o: s.idxmax(),
        "nunique": lambda s, v, o: s.nunique(),
        "nunique(dropna=False)": lambda s, v, o: s.nunique(dropna=False),
        "mode": lambda s, v, o: s.mode(),
        "mode(dropna=False)": lambda s, v, o: s.mode(dropna=False),
        "skew": lambda s, v, o: s.skew(),
        "kurt": lambda s, v, o: s.kurt(),
        "sem": lambda s, v, o: s.sem(),
        "corr": lambda s, v, o: s.corr(s),
        "cov": lambda s, v, o: s.cov(s),
        "autocorr": lambda s, v, o: s.autocorr(),
        "describe": lambda s, v, o: s.describe(),
    },
    "Counted and grouped": {
        "value_counts": lambda s, v, o: s.value_counts().sort_index(),
        "value_counts(dropna=False)": lambda s, v, o: s.value_counts(dropna=False).sort_index(),
        "value_counts(normalize=True)": lambda s, v, o: s.value_counts(normalize=True).sort_index(),
        "groupby": lambda s, v, o: s.groupby(s, **observed(s)).size(),
        "groupby(dropna=False)": lambda s, v, o: s.groupby(s, dropna=False, **observed(s)).size(),
    },
    "Handed out": {
        "to_pandas": lambda s, v, o: s,
        "tolist": lambda s, v, o: s.tolist(),
        "to_numpy": lambda s, v, o: s.to_numpy(),
        "items": lambda s, v, o: [value for _, value in s.items()],
    },
}


def _of_text(name: str, *args: Any, **named: Any) -> Operation:
    return lambda s, v, o: getattr(s.str, name)(*args, **named)


TEXT: dict[str, Operation] = {
    **{
        f"str.{name}": _of_text(name)
        for name in (
            *(
                "capitalize",
                "casefold",
                "isalnum",
                "isalpha",
                "isdecimal",
                "isdigit",
                "islower",
                "isnumeric",
                "isspace",
            ),
            *("istitle", "isupper", "len", "lower", "lstrip", "rstrip", "strip", "swapcase", "title", "upper", "split"),
        )
    },
    "str.contains": _of_text("contains", "a"),
    "str.startswith": _of_text("startswith", "a"),
    "str.endswith": _of_text("endswith", "b"),
    "str.match": _of_text("match", "a"),
    "str.fullmatch": _of_text("fullmatch", "a"),
    "str.find": _of_text("find", "b"),
    "str.rfind": _of_text("rfind", "b"),
    "str.count": _of_text("count", "a"),
    "str.get": _of_text("get", 0),
    "str[i]": lambda s, v, o: s.str[-1],
    "str[i:]": lambda s, v, o: s.str[1:],
    "str.slice": _of_text("slice", 0, 1),
    "str.replace": _of_text("replace", "a", "x"),
    "str.pad": _of_text("pad", 3),
    "str.zfill": _of_text("zfill", 3),
    "str.center": _of_text("center", 4),
    "str.ljust": _of_text("ljust", 4),
    "str.rjust": _of_text("rjust", 4),
    "str.repeat": _of_text("repeat", 2),
    "str.removeprefix": _of_text("removeprefix", "a"),
    "str.removesuffix": _of_text("removesuffix", "b"),
    "str.cat": _of_text("cat"),
    "str.cat(na_rep='-')": _of_text("cat", na_rep="-"),
    "str.cat of two": lambda s, v, o: s.str.cat(s),
    "str.cat of two(na_rep='-')": lambda s, v, o: s.str.cat(s, na_rep="-"),
    "str.extract": _of_text("extract", "(a)"),
    "str.partition": _of_text("partition", "b"),
    "str.rpartition": _of_text("rpartition", "b"),
    "str.get_dummies": _of_text("get_dummies", "|"),
    "str.split of a delimiter": _of_text("split", "b"),
    "str.split.str.len": lambda s, v, o: s.str.split().str.len(),
    "str.split.str[i]": lambda s, v, o: s.str.split("b").str[0],
    "str.split.str.get": lambda s, v, o: s.str.split("b").str.get(1),
    "str.split(expand=True)": _of_text("split", "b", expand=True),
    "str.split.isna": lambda s, v, o: s.str.split().isna(),
    "str.split.dropna": lambda s, v, o: s.str.split().dropna().str.len(),
    "+ of text": lambda s, v, o: s + "x",
    "text +": lambda s, v, o: "x" + s,
}
SERIES["Methods of text"] = TEXT


def observed(series: Any) -> dict[str, bool]:
    """Return the argument that has pandas' groups of Categoricals be those that occur, as akdask's are."""
    return {"observed": True} if isinstance(series, pd.Series) else {}


GroupOperation = Callable[[Any], Any]
"""Takes the groups of a frame of akdask or pandas."""

KEYS: dict[str, list[Any]] = {
    "floats": [1.0, nan, 2.0, 1.0, nan, 2.0],
    "text": ["a", None, "b", "a", None, "b"],
    "Categoricals": ["a", None, "b", "a", None, "b"],
    "integers": [1, None, 2, 1, None, 2],
    "bools": [True, None, False, True, None, False],
    "times": ["2024-01-05", None, "2023-03-01", "2024-01-05", None, "2023-03-01"],
}


def keyed(kind: str) -> pd.DataFrame:
    """Return rows with keys of a kind, some of which are missing, as are some of their values."""
    dtype = {"floats": "float", "text": "str", "Categoricals": "category", "integers": "Int64", "bools": "boolean"}
    keys = KEYS[kind]
    key = pd.Series(pd.to_datetime(keys).astype("M8[ns]")) if kind == "times" else pd.Series(keys, dtype=dtype[kind])
    return pd.DataFrame(
        {
            "k": key,
            "x": [1.0, nan, 3.0, 4.0, 5.0, nan],
            "n": [6, 5, 4, 3, 2, 1],
            "s": pd.Series(["p", None, "q", "p", "r", None], dtype="str"),
        }
    )


def _of_frame(name: str) -> GroupOperation:
    return lambda g: getattr(g[["x", "n"]], name)()


def _of_floats(name: str) -> GroupOperation:
    return lambda g: getattr(g["x"], name)()


def _of_texts(name: str) -> GroupOperation:
    return lambda g: getattr(g["s"], name)()


GROUPS: dict[str, GroupOperation] = {
    **{name: _of_frame(name) for name in ("sum", "mean", "min", "max", "prod", "count", "std", "var", "median", "any")},
    **{name: _of_frame(name) for name in ("first", "last", "nunique", "all", "size")},
    **{f"text.{name}": _of_texts(name) for name in ("count", "first", "last", "nunique", "min", "max", "value_counts")},
    **{f"text.{name}": _of_texts(name) for name in ("shift", "ffill")},
    **{name: _of_floats(name) for name in ("cumsum", "cumprod", "cummin", "cummax", "shift", "diff", "rank", "ffill")},
    **{name: _of_floats(name) for name in ("bfill", "cumcount", "ngroup", "head", "tail", "sem", "describe", "idxmax")},
    **{name: _of_floats(name) for name in ("idxmin", "value_counts", "pct_change", "quantile")},
    "rank of integers": lambda g: g["n"].rank(),
    "shift of integers": lambda g: g["n"].shift(),
    "transform('sum')": lambda g: g["x"].transform("sum"),
    "transform('mean')": lambda g: g["n"].transform("mean"),
    "nth": lambda g: g["n"].nth(0),
    "nlargest": lambda g: g["n"].nlargest(1),
    "agg by name": lambda g: g.agg(a=("x", "sum"), b=("n", "max")),
    "agg of a list": lambda g: g["x"].agg(["sum", "count"]),
    "rolling.sum": lambda g: g["n"].rolling(2).sum(),
    "expanding.sum": lambda g: g["n"].expanding().sum(),
    "filter": lambda g: g.filter(lambda rows: len(rows) > 1),
    "ngroups": lambda g: g.ngroups,
    "reset_index": lambda g: g["n"].sum().reset_index(),
}

FrameOperation = Callable[[Any], Any]
"""Takes a frame of akdask or pandas."""

ROWS_MISSING = {"none": [], "one": [1], "all": [0, 1, 2, 3]}


def rows_of_kinds(missing: str) -> pd.DataFrame:
    """Return rows of floats, text, Categoricals and times, some of which are missing, and integers that are there."""
    times = ["2024-01-05", "2023-03-01", "2024-01-05", "1999-01-01"]
    rows = pd.DataFrame(
        {
            "x": [1.0, -2.0, 3.0, 4.0],
            "n": [4, 3, 2, 1],
            "s": pd.Series(["p", "q", "p", "r"], dtype="str"),
            "c": pd.Categorical(["u", "v", "u", "v"]),
            "t": pd.Series(np.array(times, "M8[ns]")),
        }
    )
    for row in ROWS_MISSING[missing]:
        rows.loc[row, ["x", "s", "c", "t"]] = None
    return rows


def _of_rows(name: str, *args: Any, **named: Any) -> FrameOperation:
    return lambda d: getattr(d, name)(*args, **named)


def _of_numbers(name: str, *args: Any, **named: Any) -> FrameOperation:
    return lambda d: getattr(d[["x", "n"]], name)(*args, **named)


FRAMES: dict[str, FrameOperation] = {
    **{name: _of_rows(name) for name in ("isna", "notna", "count", "dropna", "ffill", "bfill", "shift", "nunique")},
    **{name: _of_rows(name) for name in ("duplicated", "drop_duplicates", "copy")},
    **{name: _of_numbers(name) for name in ("abs", "cumsum", "cumprod", "cummin", "cummax", "diff", "pct_change")},
    **{name: _of_numbers(name) for name in ("rank", "median", "describe", "cov", "mode")},
    **{f"{name}(skipna=True)": _of_numbers(name, skipna=True) for name in ("sum", "prod", "mean", "min", "max")},
    **{f"{name}(axis=1)": _of_numbers(name, axis=1, skipna=True) for name in ("sum", "mean", "min", "max")},
    "std(ddof=1)": _of_numbers("std", ddof=1, skipna=True),
    "quantile": _of_numbers("quantile", 0.5),
    "idxmax": _of_numbers("idxmax"),
    "idxmin": _of_numbers("idxmin"),
    "dropna(how='all')": lambda d: d[["x", "s", "t"]].dropna(how="all"),
    "dropna(subset=…)": _of_rows("dropna", subset=["s"]),
    "dropna(thresh=4)": _of_rows("dropna", thresh=4),
    "fillna of a dict": _of_rows("fillna", {"x": 0.0, "s": "-"}),
    "replace(nan)": _of_numbers("replace", nan, 5.0),
    "replace by nan": _of_numbers("replace", 3.0, nan),
    "replace of text by nan": lambda d: d[["s"]].replace("p", nan),
    "round": _of_numbers("round", 1),
    "clip": _of_numbers("clip", 0, 2),
    "where": lambda d: d[["x"]].where(d[["x"]] > 1),
    "mask": lambda d: d[["x"]].mask(d[["x"]] > 1),
    "combine_first": lambda d: d[["x"]].combine_first(d[["x"]].shift()),
    "add(fill_value=…)": lambda d: d[["x"]].add(d[["x"]].shift(), fill_value=1),
    "eq": lambda d: d.eq(d.copy()),
    "ne": lambda d: d.ne(d.copy()),
    "equals": lambda d: d.equals(d.copy()),
    "isin": lambda d: d[["x"]].isin([1.0, nan]),
    "query": _of_rows("query", "x > 1"),
    "query of missing": _of_rows("query", "x != x"),
    "nlargest": _of_rows("nlargest", 3, "x"),
    "sort_values": _of_rows("sort_values", ["s", "x"]),
    "set_index.sort_index": lambda d: d.set_index("x")[["n"]].sort_index(),
    "rank of all kinds": lambda d: d[["x", "s", "t"]].rank(),
    "describe of text": lambda d: d[["s"]].describe(),
    "describe of Categoricals": lambda d: d[["c"]].describe(),
    "describe of times": lambda d: d[["t"]].describe(),
    "mode of text": lambda d: d[["s"]].mode(),
    "rolling.sum": lambda d: d[["x"]].rolling(2).sum(),
    "expanding.max": lambda d: d[["x"]].expanding().max(),
    "melt": _of_rows("melt", id_vars="s", value_vars=["x", "n"]),
    "stack": lambda d: d[["x", "n"]].stack(),
    "pivot_table": _of_rows("pivot_table", index="t", values="x"),
    "agg": _of_rows("agg", {"x": "sum", "n": "max"}),
    "aggregate": _of_rows("aggregate", {"x": "sum", "n": "max"}),
    **{name: _of_numbers(name, 2) for name in ("ge", "gt", "le", "lt")},
    **{name: _of_numbers(name, 2) for name in ("sub", "mul", "div", "truediv", "floordiv", "mod", "pow")},
    **{name: _of_rows(name) for name in ("isnull", "notnull", "head", "tail")},
    "size": lambda d: d.size,
    **{name: _of_rows(name, "a_") for name in ("add_prefix", "add_suffix")},
    "apply": lambda d: d[["x", "n"]].apply(lambda column: column.max(skipna=True)),
    "assign": lambda d: d.assign(y=d.x),
    "astype": _of_rows("astype", {"x": str, "n": float}),
    "at": lambda d: d.at[1, "x"],
    "iat": lambda d: d.iat[1, 0],
    "loc": lambda d: d.loc[1, "x"],
    "iloc": lambda d: d.iloc[[1, 0]],
    "drop": _of_rows("drop", columns="x"),
    "eval": _of_numbers("eval", "x + n"),
    "ewm.mean": lambda d: d[["x"]].ewm(alpha=0.5).mean(),
    "filter": _of_rows("filter", like="x"),
    "get": _of_rows("get", ["x", "s"]),
    "groupby": lambda d: d.groupby("n")[["x"]].sum(),
    "items": lambda d: [name for name, _ in d.items()],
    "itertuples": lambda d: [tuple(row) for row in d[["x", "s"]].itertuples(index=False)],
    "join": lambda d: d[["x"]].join(d[["s"]]),
    "map": lambda d: d[["x"]].map(lambda value: value * 2),
    "merge": lambda d: d.merge(d[["n", "x"]], on="n"),
    "nsmallest": _of_rows("nsmallest", 3, "x"),
    "pipe": lambda d: d.pipe(lambda rows: rows[["x"]]),
    "pivot": lambda d: d[["n", "x"]].assign(k="k").pivot(index="n", columns="k", values="x"),
    "reindex": _of_rows("reindex", [1, 9]),
    "reindex_like": lambda d: d.reindex_like(d.iloc[[1, 0]]),
    "rename": _of_rows("rename", columns={"x": "y"}),
    "rename_axis": _of_rows("rename_axis", "r"),
    "reset_index": lambda d: d.set_index("n").reset_index(drop=True),
    "select_dtypes": _of_rows("select_dtypes", "number"),
    "set_axis": _of_rows("set_axis", [5, 6, 7, 8]),
    "sort_index": _of_rows("sort_index", ascending=False),
    "squeeze": lambda d: d[["x"]].squeeze(),
    "take": _of_rows("take", [1, 0]),
    "to_dict": lambda d: list(d[["x", "s"]].to_dict("list").values()),
    "to_numpy": lambda d: d[["x", "n"]].to_numpy(),
    "values": lambda d: d[["x", "n"]].to_numpy(),
    "unstack": lambda d: d[["x", "n"]].unstack().tolist(),
    "value_counts": lambda d: d[["s"]].value_counts(),
    "var(ddof=1)": _of_numbers("var", ddof=1, skipna=True),
    "corr": lambda d: d[["n"]].corr(),
    "min of all kinds": lambda d: d[["x", "n", "s", "t"]].min(skipna=True),
    "max of all kinds": lambda d: d[["x", "n", "s", "t"]].max(skipna=True),
    "idxmin of all kinds": lambda d: d[["x", "n", "s", "t"]].idxmin(),
    "idxmax of all kinds": lambda d: d[["x", "n", "s", "t"]].idxmax(),
    "max(axis=1) of times": lambda d: d[["t"]].max(axis=1, skipna=True),
    "replace by None": lambda d: d[["s"]].replace("p", None),
    "describe of all kinds": lambda d: d[["x", "n", "s"]].describe(include="all"),
    "any": lambda d: d[["x", "n", "s"]].any(),
    "all": lambda d: d[["x", "n", "s"]].all(),
}

_SHAPE = "it tells of columns and rows, not of values"
_ENTRIES = "it takes entries, whatever their values"
_IN_PLACE = "it changes the frame, whose values other methods show"
_OF_LABELS = "it goes by labels that are times; see the tests of times"
_WRITES = "it writes or shows; see the tests of formats"

UNTRIED: dict[str, str] = {
    **dict.fromkeys(
        ("axes", "columns", "dtypes", "dtype", "empty", "index", "keys", "memory_usage", "ndim", "shape"), _SHAPE
    ),
    **dict.fromkeys(("insert", "pop", "update"), _IN_PLACE),
    **dict.fromkeys(
        ("asfreq", "at_time", "between_time", "resample", "tz_convert", "tz_localize", "first_valid_index"), _OF_LABELS
    ),
    **dict.fromkeys(("info", "plot", "to_csv", "to_hdf", "to_markdown", "to_parquet", "iterrows"), _WRITES),
    **dict.fromkeys(("from_dict", "from_records"), "it makes frames; see the tests of those"),
    "to_xarray": "see test_labelled_arrays.py, as xarray is not installed everywhere",
    "sample": "rows are chosen at random",
}
"""Methods that pandas has too and that no operation tries, and the reason."""


UNTRIED_OF_SERIES: dict[str, str] = {
    "dt": "its methods are those of times; see their tests",
    **dict.fromkeys(
        ("add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "ge", "gt", "le", "lt"),
        "frames have the same method, and operators are tried",
    ),
    **dict.fromkeys(
        ("isnull", "notnull", "kurtosis", "to_list", "aggregate"), "another name of a method that is tried"
    ),
    **dict.fromkeys(("align", "at", "drop", "head", "iat", "iloc", "loc", "tail", "rename", "reset_index"), _ENTRIES),
    **dict.fromkeys(("to_dict", "to_frame", "unstack", "values"), _ENTRIES),
    **dict.fromkeys(("agg", "apply", "pipe", "transform"), "what it calls is tried"),
    **dict.fromkeys(("argmax", "argmin"), "as in Arkouda, the first NaN is the extreme"),
    "astype": "casts have tests of their own",
    "dot": "it is a product and a sum",
}
"""The same of Series."""

UNTRIED_OF_TEXT: dict[str, str] = {}
"""The same of the methods of text."""


def tried(operations: Iterable[Callable[..., Any]]) -> set[str]:
    """Return the names that operations use: those in their code, and those that they are made with."""
    names: set[str] = set()
    for function in operations:
        names |= {*function.__code__.co_names}
        names |= {cell.cell_contents for cell in function.__closure__ or () if isinstance(cell.cell_contents, str)}
        names |= {one for one in function.__code__.co_consts if isinstance(one, str)}
    return names


_LABELS = "rows keep their labels and their order"

_TRUTH = "as in Arkouda, any and all of a frame look at columns of bool alone"

ALONE_OF_FRAMES: dict[str, str] = {
    "any": _TRUTH,
    "all": _TRUTH,
    "value_counts": "distinct rows and their counts are columns of a frame",
    "merge": "as in Arkouda, joined rows are in the order of the keys",
}
"""Differences of operations on frames, and the reason."""

ALONE_OF_GROUPS: dict[str, str] = {
    "first": "Arkouda's first is that of the rows, missing or not",
    "text.first": "Arkouda's first is that of the rows, missing or not",
    **dict.fromkeys(("nlargest", "rolling.sum", "expanding.sum"), _LABELS),
}
"""Differences of operations on groups, and the reason."""

_NO_TEXT = "text is not added up, accumulated or bounded"
_AS_NUMBERS = "bools are computed with as the numbers 1 and 0"
_WINDOWS = "windows are of numbers"
_OCCURRING = "labels that do not occur are not counted"
_UNORDERED = "labels that are in no order have no places"


def _because(reason: str, kind: str, *operations: str) -> dict[tuple[str, str], str]:
    return {(operation, kind): reason for operation in operations}


ALONE: dict[tuple[str, str], str] = {
    **_because(_NO_TEXT, "text", "sum(skipna=True)", "sum(skipna=False)", "clip"),
    **_because(_NO_TEXT, "text", "cumsum", "cummin", "cummax", "autocorr"),
    **_because(_WINDOWS, "text", "rolling(2).sum", "rolling(3, min_periods=1).mean", "rolling(3).count", "ewm.mean"),
    **_because(_WINDOWS, "text", "expanding.sum", "expanding(2).max"),
    **_because("pandas knows no lists where all are missing", "text", "str.split.str.len", "str.split.str[i]"),
    **_because("pandas knows no lists where all are missing", "text", "str.split.str.get"),
    **_because("lists are only looked at where some may be missing", "text", "str.split.isna", "str.split.dropna"),
    **_because("pandas has a column for blank text, and none of nothing but missing text", "text", "str.get_dummies"),
    **_because("pandas has one column where all are missing", "text", "str.partition", "str.rpartition"),
    **_because(_WINDOWS, "times", "rolling(3).count"),
    **_because(_WINDOWS, "Categoricals", "rolling(2).sum", "rolling(3, min_periods=1).mean", "rolling(3).count"),
    **_because(_WINDOWS, "Categoricals", "expanding.sum", "expanding(2).max", "ewm.mean"),
    **_because("bounds that are not compared with a column leave it", "Categoricals", "clip"),
    **_because(_UNORDERED, "Categoricals", "quantile", "quantile([…])", "idxmin", "idxmax", "is_monotonic_increasing"),
    **_because(_UNORDERED, "Categoricals", "is_monotonic_decreasing"),
    **_because(_OCCURRING, "Categoricals", "value_counts(dropna=False)"),
    **_because("correlations are of numbers", "times", "cov", "autocorr"),
    **_because("correlations are of numbers", "Categoricals", "autocorr"),
    **_because("as in Arkouda, the label for missing is listed", "Categoricals", "tolist", "to_numpy", "unique"),
    **_because("as in Arkouda, times are listed as integers", "times", "tolist"),
    **_because(_AS_NUMBERS, "bools", "diff", "pct_change", "quantile", "quantile([…])"),
    **_because(_AS_NUMBERS, "bools", "map of a dict", "map of a dict of text"),
    **_because(_AS_NUMBERS, "bools", "replace", "replace of a dict"),
    **_because("bools of which some are missing are described as bools", "bools", "describe"),
}
"""Differences to pandas, by operation and kind (or ``*``), and the reason."""


def kinds_of(operation: str) -> tuple[str, ...]:
    """Return the kinds of values that an operation is tried with."""
    return ("text",) if operation in TEXT else KINDS


def differs(operation: str, kind: str) -> str | None:
    """Return the reason for which an operation is not that of pandas, None if it is."""
    return ALONE.get((operation, kind)) or ALONE.get((operation, "*"))


PAGE = Path(__file__).parents[1] / "docs/howto/missing.md"

INTRODUCTION = """# Missing values

NaN among floats, NaT among times, missing text, the label of a Categorical that stands for missing, and integers and
bools of which some are missing follow one rule: comparisons with them are False (`!=` is True), arithmetic propagates
them, a mask chooses no row where it is missing, they come last in every order and last among the keys of groups, and
`isna` finds them.

- **Reductions.** `sum`, `prod`, `mean`, `min`, `max`, `std` and `var` of arrays, Series and frames propagate NaN, as
  in Arkouda, and leave it out with `skipna=True`. Methods that only pandas has, such as `median`, `quantile`,
  `nunique` and `idxmax`, leave missing values out, and so do groups.
- **Integers and bools.** They arrive with missing values from `Int64`, `boolean`, Arrow, nulls of Parquet, masked
  arrays of NumPy, `None` in lists, left joins, `shift` and reshaping. Such a column has a type of its own, which plans
  show as `int64?`, and keeps every integer exactly through filters, arithmetic, comparisons, sorts, groups and joins.
  Quotients, functions such as `sqrt`, means, quantiles, ranks and windows give the nearest floats, as of integers none
  of which is missing; sums, products, extremes and differences are integers. Where integers become floats as they are,
  as in `astype(float)` or beside other floats, one that no float equals is an error with column and value.
- **Exits of integers and bools.** `to_pandas()` gives `Int64` and `boolean` where values are missing, Arrow and Parquet
  get nulls, `to_ndarray()` gives floats with NaN, or an error if an integer would change. CSV files have `nan`. HDF5
  files of Arkouda have no value for them: writing such a column is an error until `fillna` has filled it.
- **Casts.** In columns, `astype(str)` leaves missing values missing, and `astype(int)` is an error where one is missing
  or infinite. Arrays are cast as in Arkouda: floats of which some are NaN become text `nan`, or the smallest integer.
- **Categoricals.** Columns of them equal nothing where they are missing; arrays compare their codes, as in Arkouda.
- **Frames.** `df.fillna(0)` fills columns of numbers, and is an error when computed if columns of other kinds have
  missing values; name these, as in `df.fillna({"name": "-", "count": 0})`.
- **Fields of times.** `s.dt.year` and its like are integers, and missing where a time is. Arrays
  of files without a manifest, which nobody has looked at, give integers, and an error where a time is NaT.
- **Joins.** Missing keys match missing keys, as in pandas and unlike SQL. In a sorted `merge`, rows with a missing
  time or Categorical come first, as in pandas.
- **Lists.** `.str.split()` of missing text is missing, and of blank text an empty list.

## Operations by kinds of values

`=` does what pandas 3 does, with none, one, some and all values missing; `-` is refused by both. Numbers name the
differences below. Integers and bools are compared with the floats that pandas has for them.
"""


def page() -> str:
    """Return the page of the documentation that the tests hold."""
    reasons = list(dict.fromkeys([*ALONE.values(), *ALONE_OF_GROUPS.values(), *ALONE_OF_FRAMES.values()]))
    lines = [INTRODUCTION]
    for title, operations in SERIES.items():
        kinds = ("text",) if operations is TEXT else KINDS
        lines += [f"### {title}", "", f"| | {' | '.join(kinds)} |", f"| --- |{' --- |' * len(kinds)}"]
        for name, function in operations.items():
            cells = [_cell(name, kind, function, reasons) for kind in kinds]
            lines.append(f"| `{name}` | {' | '.join(cells)} |")
        lines.append("")
    lines += ["## Frames", "", "Each is tried with none, one and all rows missing but for a column of integers.", ""]
    lines += ["| | of all kinds of columns |", "| --- | --- |"]
    lines += [f"| `{name}` | {_number(ALONE_OF_FRAMES.get(name), reasons)} |" for name in FRAMES]
    lines += [
        "",
        "## Groups of missing keys",
        "",
        "Each is tried with keys of all kinds, and with `dropna` both ways.",
        "",
    ]
    lines += ["| | of all kinds of keys |", "| --- | --- |"]
    lines += [f"| `{name}` | {_number(ALONE_OF_GROUPS.get(name), reasons)} |" for name in GROUPS]
    lines += ["", "## Differences", "", *(f"{number}. {reason}" for number, reason in enumerate(reasons, 1)), ""]
    return "\n".join(lines)


def _number(reason: str | None, reasons: list[str]) -> str:
    return "=" if reason is None else str(reasons.index(reason) + 1)


def _cell(name: str, kind: str, function: Operation, reasons: list[str]) -> str:
    reason = differs(name, kind)
    if reason is not None:
        return str(reasons.index(reason) + 1)
    series = compared_with(kind, reference(kind, "none"))
    return "-" if outcome(function, series, SAMPLE[kind], OTHER[kind]) == REFUSED else "="


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
