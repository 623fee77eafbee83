"""Calls of the public methods and functions of pandas, each with one argument after the other at several values.

Signatures of pandas say which arguments there are, so that none is left out; tables say what they are given.  A call
has an outcome: what pandas gives for it, and which way `akdask.pandas` takes.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow as pa

import akdask.pandas
from akdask import config
from akdask.errors import AkdaskError
from akdask.pandas.arguments import SELECTOR, signature_of
from akdask.pandas.face import words
from akdask.pandas.refusals import FallbackError
from tests.pandas_face.compare import computed, difference, ways_noted

LIST = Path(__file__).with_name("ways_of_calls.lst")

LABELS = [7, 3, 3, 9, 1, 0, 4]

WORDS = ["b", None, "a b", "b", "", "ç1", "B"]

DAYS = [date(2024, 2, 29), None, date(2023, 12, 31), date(2024, 2, 29), date(2024, 1, 1), None, date(1969, 7, 20)]

DECIMALS = [Decimal("1.25"), None, Decimal("-0.50"), Decimal("1.25"), Decimal("10.00"), Decimal("0.00"), None]

TIMES: Any = ["2024-02-29 10:30", "2024-01-31", None, "2023-12-31 23:59:59", "2024-02-29", None, "2024-01-01"]
ROWS = pandas.DataFrame(
    {
        "i": [3, -1, 2, 2, 0, 5, -1],
        "x": [0.5, np.nan, -2.25, 0.5, 4.0, np.nan, 1.0],
        "s": WORDS,
        "t": pandas.to_datetime(TIMES, format="ISO8601"),
        "b": [True, False, True, True, False, False, True],
        "c": pandas.Categorical(["u", None, "v", "u", "u", "w", "v"], ["w", "u", "v", "none"]),
        "n": pandas.array([1, None, 3, 3, None, -2, 1], "Int64"),
    },
    index=LABELS,
)  # fmt: skip

NUMBERS = pandas.DataFrame(
    {"i": ROWS["i"].to_numpy(), "x": ROWS["x"].to_numpy(), "y": [1.5, 2.5, 1.5, np.nan, -1.0, 0.0, 8.0]},
    index=pandas.DatetimeIndex(["2024-01-01", "2024-01-01 12:00", "2024-01-02", "2024-01-04", "2024-01-04",
        "2024-01-05", "2024-01-09"], name="when"),
)  # fmt: skip

LEVELS = pandas.DataFrame(
    {"x": [1.0, np.nan, 3.0, 4.0, 5.0], "i": [5, 4, 3, 2, 1]},
    index=pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 3), ("c", 1)], names=["k", "l"]),
)

SPANS = pandas.Series(pandas.to_timedelta(["1h", None, "-2D", "36h", "0s", "1h", "5ms"]), index=LABELS, name="d")

TYPED: dict[str, pandas.Series] = {
    "arrow ints": pandas.Series([1, None, 3, 3, -2, 0, 1], LABELS, pandas.ArrowDtype(pa.int64())),
    "arrow floats": pandas.Series([0.5, None, 3, 3, -2, 0, 1], LABELS, pandas.ArrowDtype(pa.float64())),
    "arrow bools": pandas.Series([True, None, False, True, True, None, False], LABELS, pandas.ArrowDtype(pa.bool_())),
    "arrow text": pandas.Series(WORDS, LABELS, pandas.ArrowDtype(pa.string())),
    "arrow days": pandas.Series(DAYS, LABELS, pandas.ArrowDtype(pa.date32())),
    "arrow times": pandas.Series(
        [*ROWS["t"].astype(object).where(ROWS["t"].notna(), None)], LABELS, pandas.ArrowDtype(pa.timestamp("us"))
    ),
    "arrow decimals": pandas.Series(DECIMALS, LABELS, pandas.ArrowDtype(pa.decimal128(6, 2))),
    "masked floats": ROWS["x"].astype("Float64"),
    "masked bools": pandas.Series([True, None, False, True, True, None, False], LABELS, "boolean"),
    "masked text": ROWS["s"].astype("string"),
    "text objects": pandas.Series(WORDS, LABELS, object),
    "days": pandas.Series(DAYS, LABELS, object),
    "decimals": pandas.Series(DECIMALS, LABELS, object),
    "periods": ROWS["t"].dt.to_period("M"),
    "intervals": pandas.cut(ROWS["i"], [-2, 0, 2, 9]),
    "ordered": ROWS["c"].cat.set_categories(["w", "v", "u"], ordered=True).rename(None),
    "numbered": ROWS["i"].astype("category"),
    "zoned": ROWS["t"].dt.tz_localize("Europe/Zurich"),
    "bytes": pandas.Series([3, 0, 255, 3, 7, 0, 1], LABELS, "uint8"),
}
"""Values of types that the engine lacks."""

MADE: dict[str, Any] = {
    "mixed": ROWS,
    "numbers": NUMBERS,
    "plain": NUMBERS.reset_index(drop=True),
    "levels": LEVELS,
    "none": ROWS.iloc[:0],
    "one": ROWS.iloc[[2]],
    "some": ROWS[["i", "x", "s"]],
    "keyed": ROWS[["s", "i", "x", "n", "b"]].rename(columns={"s": "k"}),
    "d": SPANS,
    **{str(name): ROWS[name] for name in ROWS},
    "y": NUMBERS["y"],
    "l": LEVELS["x"],
    "nothing": ROWS["x"].iloc[:0],
    "float32": NUMBERS["y"].astype("float32").reset_index(drop=True),
    "small": ROWS["i"].astype("int8").reset_index(drop=True),
    "flags": ROWS["b"].astype("boolean"),
    **TYPED,
    "types": ROWS[["s", "n"]].assign(
        **{name: TYPED[name] for name in ("arrow ints", "masked bools", "days", "periods")}
    ),
}
"""Frames and Series with labels that repeat and are out of order, and with missing values."""

FRAMES = [name for name, made in MADE.items() if isinstance(made, pandas.DataFrame)]
SERIES = [name for name in MADE if name not in FRAMES and name not in TYPED]

GROUPS = {
    "k": lambda one: one["keyed"].groupby("k"),
    "i": lambda one: one["keyed"].groupby("i"),
    "k, all": lambda one: one["keyed"].groupby("k", sort=False, dropna=False),
    "columns": lambda one: one["keyed"].groupby("k")[["i", "x"]],
    "flat": lambda one: one["keyed"].groupby("b", as_index=False)[["i", "x"]],
    "bare": lambda one: one["keyed"].groupby(["b", "i"], group_keys=False)[["x", "n"]],
    "level": lambda one: one["levels"].groupby(level="k"),
    "types": lambda one: one["types"].groupby("s"),
    "category": lambda one: one["mixed"][["c", "i", "x"]].groupby("c", observed=False),
}
GROUPS_OF_SERIES = {
    "x by k": lambda one: one["keyed"].groupby("k")["x"],
    "i by b": lambda one: one["keyed"].groupby("b", sort=False)["i"],
    "n by k": lambda one: one["keyed"].groupby("k", dropna=False)["n"],
    "k by b": lambda one: one["keyed"].groupby("b")["k"],
    "t by b": lambda one: one["mixed"].groupby("b")["t"],
    "x by i": lambda one: one["x"].groupby(one["i"]),
    "arrow ints by s": lambda one: one["types"].groupby("s")["arrow ints"],
    "days by s": lambda one: one["types"].groupby("s")["days"],
    "masked bools by s": lambda one: one["types"].groupby("s")["masked bools"],
    "arrow floats by i": lambda one: one["arrow floats"].groupby(one["i"]),
    "x by level": lambda one: one["l"].groupby(level=0),
}
WINDOWS = {
    "numbers": lambda one: one["plain"].rolling(2),
    "centred": lambda one: one["plain"].rolling(3, min_periods=1, center=True),
    "x": lambda one: one["x"].rolling(3, min_periods=1),
    "i": lambda one: one["i"].rolling(2, closed="left"),
    "step": lambda one: one["plain"]["y"].rolling(2, step=2),
    "spans": lambda one: one["numbers"].rolling("2D"),
    "of groups": lambda one: one["keyed"].groupby("b")["x"].rolling(2, min_periods=1),
}
GROWING = {
    "numbers": lambda one: one["plain"].expanding(),
    "x": lambda one: one["x"].expanding(2),
    "of groups": lambda one: one["keyed"].groupby("b")["i"].expanding(),
}
DECAYING = {
    "x": lambda one: one["x"].ewm(alpha=0.5),
    "y": lambda one: one["y"].ewm(span=3, min_periods=2),
    "numbers": lambda one: one["plain"].ewm(com=1, ignore_na=True),
    "bare": lambda one: one["plain"]["y"].ewm(halflife=2, adjust=False),
}
BINS = {
    "days": lambda one: one["numbers"].resample("D"),
    "x": lambda one: one["y"].resample("2D", closed="right", label="right"),
    "hours": lambda one: one["numbers"]["i"].resample("36h"),
    "on": lambda one: one["numbers"].reset_index().resample("D", on="when")["x"],
}


def _made(name: str, accessor: str | None = None) -> Callable[[Any], Any]:
    return lambda one: one[name] if accessor is None else getattr(one[name], accessor)


def _module_of(name: str) -> Callable[[Any], Any]:
    return lambda one: one.module(name)


TARGETS: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "DataFrame": {name: _made(name) for name in FRAMES},
    "Series": {name: _made(name) for name in SERIES},
    "typed": {name: _made(name) for name in TYPED},
    "str": {name: _made(name, "str") for name in ("s", "arrow text", "masked text", "text objects")},
    "dt": {name: _made(name, "dt") for name in ("t", "d", "zoned", "arrow times", "arrow days", "periods")},
    "cat": {name: _made(name, "cat") for name in ("c", "ordered", "numbered", "intervals")},
    "DataFrameGroupBy": GROUPS,
    "SeriesGroupBy": GROUPS_OF_SERIES,
    "Rolling": WINDOWS,
    "Expanding": GROWING,
    "ExponentialMovingWindow": DECAYING,
    "Resampler": BINS,
    **{
        name: {made: _made(made, name) for made in ("some", "keyed", "plain", "x", "s", "levels", "y")}
        for name in ("loc", "iloc", "at", "iat")
    },
    "pandas": {
        name: _module_of(name)
        for name in ("some", "keyed", "plain", "levels", "i", "x", "s", "t", "n", "c", "none", "b", "y")
    },
}
"""Objects whose methods are called, by what they are."""

LEFT_OUT = words(
    """boxplot hist plot to_clipboard to_csv to_excel to_feather to_hdf to_html to_iceberg to_json to_latex to_markdown
    to_orc to_parquet to_pickle to_sql to_stata to_string to_xarray to_xml style sparse list struct attrs flags
    set_flags info memory_usage nbytes array index columns axes pipe iterrows itertuples items keys hvplot indices
    groups grouper obj exclusions ndim online str dt cat ak loc iloc at iat kwds window closed center method step
    min_periods on win_type com span halflife alpha adjust ignore_na times ax binner"""
)
"""What draws, writes or hands out what is inside, or is only the word that was given."""

T, F, N = True, False, None

ABSENT: Any = object()
"""An argument that is not given."""


def first(rows: Any) -> Any:
    """Return the first value, or nothing."""
    return rows.iloc[0] if len(rows) else None


VALUES: dict[str, list[Any]] = {
    "axis": [0, 1, "index", "columns", N, 2], "skipna": [F, N], "numeric_only": [T, F], "min_count": [0, 1, 4, -1],
    "ddof": [0, 2], "dropna": [T, F], "keep": ["first", "last", F, "all", "other"], "inplace": [T], "sort": [T, F],
    "ascending": [T, F, [F], 0], "na_position": ["first", "last", "other"], "ignore_index": [T, F],
    "kind": ["stable", "other"], "key": [lambda one: one], "level": [0, "k", -1, 7], "fill_value": [0, 1.5, N, "z"],
    "limit": [1, 2, 0, N], "limit_area": ["inside", "outside"], "limit_direction": ["backward", "both", "forward"],
    "method": ["min", "max", "first", "dense", "linear", "pearson", "nearest", "table"], "pct": [T],
        "freq": ["D", "h"],
    "na_option": ["top", "bottom", "other"], "interpolation": ["lower", "higher", "midpoint", "nearest", "z"],
    "q": [0.25, [0.25, 0.5], 0, 2], "n": [0, 1, 3, -1, "z"], "periods": [1, 2, -1, 0], "decimals": [1, -1, {"x": 1}],
    "normalize": [T], "bins": [2], "subset": ["x", ["x"], ["i", "x"], ["z"], []], "how": ["any", "all", "z"],
    "thresh": [1, 3], "errors": ["ignore", "raise"], "inclusive": ["neither", "left", "right", "z"], "weights": [N],
    "na_action": ["ignore", "z"], "na": [F, T, N], "case": [T, F], "flags": [2], "regex": [T, F],
        "pat": ["b", ".", ""],
    "expand": [T, F], "drop": [T, F], "name": ["z", N, 3], "names": ["z", ["p"], N], "col_level": [0],
    "ambiguous": ["NaT", "raise"], "nonexistent": ["NaT", "shift_forward"], "engine": [N], "engine_kwargs": [N],
    "other": [N, 2, 0, -1.5, "b"], "fill_method": [N], "observed": [T, F], "as_index": [T, F], "group_keys": [F, T],
    "min_periods": [0, 1, 3], "pairwise": [T, F], "copy": [T, F], "deep": [F], "random_state": [3], "frac": [0.5],
    "replace": [T], "bool_only": [T, F], "percentiles": [[0.1], []], "include": ["all", ["number"], "object"],
    "exclude": ["number", ["object"]], "verify_integrity": [T], "append": [T],
        "join": ["left", "inner", "outer", "z"],
    "use_inf_as_na": [F], "dtype": ["float64", "str", "int64", "category"], "na_value": [0],
        "side": ["right", "left"],
    "sort_remaining": [F], "index": [T, F], "value": [1, 0.5, "z", N], "upper": [1, N], "lower": [0, N], "cond": [N],
    "closed": ["left", "right", "both"], "label": ["left", "right"], "origin": ["start"], "offset": ["1h"],
    "convention": ["end"], "by": ["x", N], "width": [4], "fillchar": ["-", "--"], "to_strip": ["b", N],
        "sep": [" ", "-"],
    "start": [0, 1, -1], "stop": [1, 3, N], "end": [1, 3, N], "repl": ["-", ""], "before": [1], "after": [4],
    "tolerance": [1], "indicator": [T], "validate": ["1:1", "m:m"], "suffixes": [("_l", "_r")], "bias": [T],
    "raw": [T, F], "result_type": ["expand", "reduce"], "args": [()], "by_row": [F, "compat"],
        "quantile": [0.25, 0, 2],
    "lsuffix": ["_l"], "rsuffix": ["_r"], "overwrite": [F], "keep_shape": [T], "keep_equal": [T], "ordered": [T, F],
    "rename": [T, F], "removals": ["u", ["z"]], "step": [2, -1, N], "unit": ["s"], "as_unit": ["s"], "locale": [N],
    "infer_objects": [F], "convert_string": [F], "columns": [["i", "x"], "x", ["z"]], "level_0": [0],
    "allow_duplicates": [T], "fill": [0], "squeeze": [T], "take": [1], "default": [0, N],
        "dtype_backend": ["pyarrow"],
    "margins": [T, F], "aggfunc": ["sum", ["sum", "max"]], "values": ["x", ["x"]], "autocorr": [1], "lag": [1, 2],
    "bw_method": [N], "form": ["NFD"], "encoding": ["utf-8"], "prefix": ["p_"], "suffix": ["_p"], "tz": ["UTC", N],
    "axis_style": [0], "na_rep": ["-"], "dropna_": [T],
}  # fmt: skip
"""What arguments are given, by their names, wherever they are not needed."""

VALUES_OF: dict[str, list[Any]] = {
    "DataFrame.eval.level": [], "DataFrame.query.level": [], "pandas.eval.level": [],  # depths of the stack
    "pandas.concat.keys": [["p", "q"], ["p"]], "pandas.concat.names": [["r"]],
        "pandas.concat.join": ["inner", "outer", "z"],
    "pandas.cut.right": [F], "pandas.cut.labels": [F, ["p", "q"], ["p", "q", "r"]], "pandas.cut.retbins": [T],
    "pandas.cut.precision": [1], "pandas.cut.include_lowest": [T], "pandas.cut.duplicates": ["drop"],
        "pandas.cut.ordered": [F],
    "pandas.qcut.labels": [F, ["p", "q"]], "pandas.qcut.retbins": [T], "pandas.qcut.precision": [1],
        "pandas.qcut.duplicates": ["drop"],
    "pandas.get_dummies.prefix": ["p", ["p", "q"]], "pandas.get_dummies.prefix_sep": ["-"],
        "pandas.get_dummies.dummy_na": [T],
    "pandas.get_dummies.columns": [["s"], ["i", "s"]], "pandas.get_dummies.drop_first": [T],
        "pandas.get_dummies.dtype": [int, float],
    "pandas.to_datetime.errors": ["coerce", "raise", "z"], "pandas.to_datetime.dayfirst": [T],
        "pandas.to_datetime.utc": [T],
    "pandas.to_datetime.format": ["%Y", "ISO8601"], "pandas.to_datetime.unit": ["s", "D", "z"],
        "pandas.to_datetime.origin": ["2000-01-01"],
    "pandas.to_datetime.cache": [F], "pandas.to_datetime.exact": [F],
        "pandas.to_timedelta.unit": ["h", "s", "z"], "pandas.to_timedelta.errors": ["coerce"],
    "pandas.to_numeric.errors": ["coerce", "raise", "z"],
        "pandas.to_numeric.downcast": ["integer", "float", "unsigned", "z"],
    "pandas.merge.how": ["left", "right", "outer", "inner", "cross", "left_anti", "z"],
        "pandas.merge.left_on": ["i"], "pandas.merge.right_on": ["i"],
    "pandas.merge.on": ["i", ["i", "x"], "z"], "pandas.merge.validate": ["1:1", "m:m", "1:m", "z"],
        "pandas.merge.suffixes": [("_l", "_r"), (N, "_r"), (N, N)],
    "DataFrame.merge.how": ["left", "right", "outer", "inner", "cross", "z"],
        "DataFrame.join.how": ["left", "right", "outer", "inner", "z"],
    "DataFrame.merge.suffixes": [("_l", "_r"), (N, "_r"), (N, N)],
        "DataFrame.merge.validate": ["1:1", "m:m", "1:m", "z"],
    "pandas.merge_asof.direction": ["forward", "nearest", "z"], "pandas.merge_asof.allow_exact_matches": [F],
        "pandas.merge_asof.tolerance": [1],
    "pandas.merge_ordered.how": ["left", "inner"], "pandas.merge_ordered.fill_method": ["ffill"],
        "pandas.merge_ordered.left_by": ["x"],
    "pandas.crosstab.normalize": [T, "index", "columns", "z"], "pandas.crosstab.margins": [T],
        "pandas.crosstab.rownames": [["p"]], "pandas.crosstab.colnames": [["q"]],
    "pandas.crosstab.values": ["itself"], "pandas.factorize.use_na_sentinel": [F],
        "pandas.pivot_table.margins_name": ["z"], "pandas.melt.value_name": ["w"],
    "pandas.pivot_table.columns": ["s", "b"], "pandas.pivot_table.fill_value": [0],
        "pandas.pivot.index": ["x"], "pandas.pivot.values": ["s"],
    "DataFrame.pivot_table.columns": ["b", "s"], "DataFrame.pivot_table.fill_value": [0],
        "DataFrame.pivot_table.aggfunc": ["sum", ["sum", "max"], {"x": "max"}],
    "str.cat.others": [["1"] * 7], "str.count.flags": [2], "str.contains.flags": [2], "str.split.n": [1, 0, -1],
    "str.split.pat": ["b", "."], "str.rsplit.pat": ["b", "."],
    "str.rsplit.n": [1], "str.replace.n": [1, 0, -1], "str.replace.case": [F], "str.normalize.form": ["NFC", "NFD"],
    "str.pad.side": ["right", "both", "z"], "str.get_dummies.sep": [" ", "b"], "str.find.end": [1, N],
    "str.startswith.pat": [("b", "a")], "str.slice_replace.repl": ["-", N], "Series.replace.value": [1, "z"],
    "Series.fillna.value": [N], "Series.sample.replace": [T], "Series.shift.suffix": [N],
        "DataFrame.set_index.drop": [F],
    "DataFrame.shift.suffix": ["_p"], "DataFrame.reset_index.level": [0, "k", 5], "DataFrame.replace.value": [1],
    "Series.map.engine": [N], "DataFrame.to_dict.orient": ["list", "records", "split", "index", "tight", "z"],
    "DataFrame.groupby.level": [0], "Series.interpolate.method": ["linear", "nearest", "z"],
    "DataFrame.interpolate.method": ["linear", "z"], "DataFrame.quantile.method": ["table", "single"],
    "Series.argsort.axis": [0, 1], "DataFrame.sort_index.level": [0, "l", ["l"]], "Series.sort_index.level": [0, "l"],
    "DataFrame.groupby.by": [N], "Series.groupby.by": [N], "Series.groupby.level": [0],
        "Series.rename.index": ["z", N],
    "DataFrame.rename.index": [{3: 33}, str], "DataFrame.rename.columns": [{"x": "z"}, str.upper],
    "DataFrame.rename.mapper": [{3: 33}, N], "DataFrame.drop.index": [[3], 99],
        "DataFrame.drop.columns": ["x", ["z"]],
    "Series.drop.index": [[3]], "DataFrame.reindex.index": [[0, 9], N], "DataFrame.reindex.columns": [["x", "z"]],
    "DataFrame.reset_index.names": ["z", ["p"]], "Series.reset_index.level": [0, "k"], "Series.agg.func": [["min"]],
    "DataFrame.transform.axis": [0], "DataFrame.apply.axis": [0, 1], "Series.to_dict.into": [dict],
    "cat.rename_categories.new_categories": [["1", "2", "3", "4"]], "DataFrame.isetitem.value": [1],
    "DataFrame.nlargest.columns": ["i", ["x"], ["i", "x"]], "DataFrame.nsmallest.columns": ["i", ["i", "x"]],
    "DataFrame.rolling.min_periods": [1], "DataFrame.value_counts.subset": ["i", ["x"]], "Series.rolling.window": [1],
    "Series.rename_axis.index": ["z"], "DataFrame.rename_axis.index": ["z"], "DataFrame.rename_axis.columns": ["z"],
    "Series.str.cat.sep": ["-"], "DataFrame.diff.axis": [0, 1], "Series.unstack.level": [0, 1],
        "Series.mode.dropna": [F],
    "DataFrame.unstack.level": [0, 1], "DataFrame.stack.level": [0], "DataFrame.melt.id_vars": ["i", ["i"]],
    "DataFrame.melt.value_vars": ["x", ["x"]], "DataFrame.melt.var_name": ["v"], "DataFrame.melt.value_name": ["w"],
    "DataFrame.pivot.index": ["i"], "DataFrame.pivot.values": ["x"], "Resampler.interpolate.method": ["linear"],
}  # fmt: skip
"""What arguments of one method are given instead."""


def _of_series(*items: Any) -> list[dict[str, Any]]:
    return [{"other": item} for item in items]


OTHERS = _of_series(2, 0, 0.5, "itself", "another", [1, 2, 3, 4, 5, 6, 7],
    "b", True, pandas.Timestamp("2024-02-01"), pandas.Timedelta("1h"))  # fmt: skip

ARITHMETIC = sorted(
    words(
        """add radd sub rsub subtract mul rmul multiply div divide rdiv truediv rtruediv floordiv rfloordiv mod rmod pow
    rpow divmod rdivmod eq ne lt le gt ge"""
    )
)

NEEDED: dict[str, list[dict[str, Any]]] = {
    **dict.fromkeys(ARITHMETIC, OTHERS),
    "add_prefix": [{"prefix": "p_"}], "add_suffix": [{"suffix": "_p"}],
    "agg": [{"func": "sum"}, {"func": ["min", "max"]}, {"func": {"x": "max"}},
        {"func": {"x": ["sum", "count"]}}, {"func": first}, {"func": "z"}, {}],
    "aggregate": [{"func": "mean"}, {"func": ["std", "size"]}],
    "align": [{"other": "another"}, {"other": "itself"}], "apply": [{"func": first}, {"func": "sum"},
        {"func": np.abs}],
    "map": [{"func": {"b": 1}}, {"func": {2: 1.5, 3: 4}}, {"func": str}, {"func": {"b": True}}, {"func": abs},
        {"func": N}],
    "transform": [{"func": "sum"}, {"func": "cumsum"}, {"func": np.abs}, {"func": ["abs"]}, {"func": first}],
    "asfreq": [{"freq": "D"}, {}], "asof": [{"where": 3}], "assign": [{"z": 1},
        {"x": lambda one: one["x"] * 2}, {"i": "itself"}],
    "astype": [{"dtype": name} for name in ("float64", "int64", "int32", "str", "bool", "category", "Int64",
        "datetime64[ns]", "object", "z")] + [{"dtype": {"x": "float32"}}, {"dtype": {"z": int}}],
    "at_time": [{"time": "12:00"}], "between_time": [{"start_time": "9:00", "end_time": "13:00"}],
    "between": [{"left": 0, "right": 2}, {"left": "a", "right": "b"}, {"left": 0.5, "right": 0.5},
        {"left": "2024-01-01", "right": "2024-02-29"}],
    "case_when": [{"caselist": [(lambda one: one > 1, 9)]}], "combine": [{"other": "itself", "func": max}],
    "combine_first": [{"other": "another"}], "compare": [{"other": "itself"}, {"other": "another"}],
    "clip": [{}, {"lower": 0, "upper": 1}, {"upper": "itself"}, {"lower": "z"}], "corr": [{},
        {"other": "itself"}, {"other": "another"}],
    "corrwith": [{"other": "itself"}], "cov": [{}, {"other": "itself"}, {"other": "another"}],
        "dot": [{"other": "itself"}],
    "drop": [{"labels": 3}, {"labels": [3, 9]}, {"labels": "x", "axis": 1}, {"labels": 99}, {}],
    "droplevel": [{"level": 0}, {"level": "k"}], "equals": [{"other": "itself"}, {"other": "another"}, {"other": 3}],
    "eval": [{"expr": "x + i"}, {"expr": "z = x * 2"}], "query": [{"expr": "x > 0"},
        {"expr": "i == 2 or x < 1"}, {"expr": "z"}, {"expr": "x + 1"}],
    "explode": [{"column": "x"}, {}], "fillna": [{"value": 0}, {"value": 1.5}, {"value": "z"},
        {"value": {"x": 1}}, {"value": "another"}, {"value": pandas.Timestamp("2024")}],
    "filter": [{"items": ["x", "i"]}, {"like": "x"}, {"regex": "^[ix]$"}, {"items": [3, 0], "axis": 0},
        {"func": lambda some: len(some) > 1}, {}],
    "get": [{"key": "x"}, {"key": 3}, {"key": ["x"]}, {"key": "z"}, {"i": 0}, {"i": -1}, {"i": 9}],
    "get_group": [{"name": "b"}, {"name": True}], "groupby": [{"by": "i"}, {"by": ["i"]}, {"by": "z"},
        {"level": 0}, {"by": lambda one: one}],
    "insert": [{"loc": 1, "column": "z", "value": 1}], "isetitem": [{"loc": 0, "value": 9}],
    "isin": [{"values": [2, 0.5]}, {"values": ["b", None]}, {"values": {"x": [0.5]}}, {"values": []},
        {"values": "b"}, {"values": "itself"}],
    "join": [{"other": "renamed"}, {"other": "renamed", "how": "outer"}, {"sep": "-"}],
        "mask": [{"cond": "truth"}, {"cond": "truth", "other": 0}, {"cond": "truth", "other": "itself"}],
    "where": [{"cond": "truth"}, {"cond": "truth", "other": 0}, {"cond": "truth", "other": "another"}],
    "merge": [{"right": "renamed", "on": "i"}, {"right": "another", "left_index": T, "right_index": T},
        {"right": "another"}, {"right": "another", "on": "z"}],
    "nlargest": [{}, {"n": 2}, {"n": 2, "columns": "x"}, {"n": 3, "columns": ["i", "x"]}], "nsmallest": [{},
        {"n": 2}, {"n": 2, "columns": "x"}, {"n": 3, "columns": ["i", "x"]}],
    "nth": [{"n": 0}, {"n": [0, -1]}, {"n": -1}, {"n": 5}], "pivot": [{"columns": "i"}],
        "pivot_table": [{"values": "x", "index": "i"}, {"values": "x", "index": "i", "columns": "b"}],
    "pop": [{"item": "x"}, {"item": 9}, {"item": "z"}], "quantile": [{}, {"q": 0.5}],
        "reindex": [{"labels": [9, 1, 77]}, {"labels": ["x", "z"], "axis": 1}, {"index": [9, 1]}, {}],
    "reindex_like": [{"other": "another"}], "rename": [{"columns": {"x": "z"}}, {"index": {3: 33}}, {}],
        "rename_axis": [{"mapper": "z"}, {}],
    "reorder_levels": [{"order": ["l", "k"]}, {"order": [1, 0]}], "repeat": [{"repeats": 2}, {"repeats": 0}],
    "replace": [{"to_replace": 2, "value": 9}, {"to_replace": "b", "value": "z"}, {"to_replace": {0.5: 1}},
        {"to_replace": [2, 3], "value": [3, 2]}, {"pat": "b", "repl": "-"}, {"pat": "[ab]", "repl": "-", "regex": T}],
    "resample": [{"rule": "D"}, {"rule": "z"}], "rolling": [{"window": 2}, {"window": "2D"}, {"window": "z"}],
        "round": [{}, {"freq": "D"}, {"freq": "h"}, {"freq": "z"}],
    "ceil": [{"freq": "D"}, {"freq": "2h"}, {"freq": "z"}], "floor": [{"freq": "D"}, {"freq": "15min"},
        {"freq": "z"}],
    "sample": [{"n": 2, "random_state": 1}, {"frac": 0.5, "random_state": 1}], "searchsorted": [{"value": 1}],
        "select_dtypes": [{"include": "number"}, {"exclude": "number"}],
    "set_axis": [{"labels": list("abcdefg")}, {"labels": ["p", "q", "r"], "axis": 1}],
        "set_index": [{"keys": "i"}, {"keys": ["i", "x"]}, {"keys": "z"}],
    "sort_values": [{}, {"by": "x"}, {"by": ["i", "x"]}, {"by": "z"}, {"by": ["s"]}], "swaplevel": [{},
        {"i": 0, "j": 1}], "take": [{"indices": [2, 0]}, {"indices": [-1]}, {"indices": [99]}],
    "truncate": [{"before": 1, "after": 4}], "to_period": [{"freq": "D"}, {"freq": "M"}],
        "tz_localize": [{"tz": "UTC"}, {"tz": "Europe/Zurich"}, {"tz": "z"}], "tz_convert": [{"tz": "UTC"}],
    "update": [{"other": "another"}], "xs": [{"key": 3}, {"key": "a"}, {"key": 1, "level": "l"}, {"key": 99}],
        "as_unit": [{"unit": "s"}, {"unit": "z"}], "strftime": [{"date_format": "%d.%m.%Y"}],
    "contains": [{"pat": "b"}, {"pat": "[ab]"}, {"pat": "("}], "count": [{}, {"pat": "b"}],
        "endswith": [{"pat": "b"}, {"pat": ("b", "1")}, {"pat": 1}], "startswith": [{"pat": "b"},
        {"pat": ("b", "a")}, {"pat": 1}],
    "extract": [{"pat": "([ab])"}, {"pat": "(?P<p>[ab])(.)?"}, {"pat": "b"}],
        "extractall": [{"pat": "([ab])"}], "find": [{"sub": "b"}, {"sub": ""}], "rfind": [{"sub": "b"}],
        "index": [{"sub": ""}], "rindex": [{"sub": ""}, {"sub": "q"}],
    "findall": [{"pat": "b"}], "fullmatch": [{"pat": "b"}, {"pat": "[ab]"}], "match": [{"pat": "b"},
        {"pat": "[ab]"}], "center": [{"width": 4}], "ljust": [{"width": 4}], "rjust": [{"width": 4},
        {"width": "z"}], "zfill": [{"width": 4}],
    "pad": [{"width": 4}], "repeat_": [{}], "removeprefix": [{"prefix": "b"}],
        "removesuffix": [{"suffix": "b"}], "translate": [{"table": {98: "c"}}], "wrap": [{"width": 2}],
        "decode": [{"encoding": "utf-8"}], "encode": [{"encoding": "utf-8"}],
    "normalize": [{}, {"form": "NFD"}, {"form": "z"}], "cat": [{}, {"others": "itself"},
        {"sep": "-", "na_rep": "?"}], "add_categories": [{"new_categories": "z"}, {"new_categories": ["u"]}],
        "remove_categories": [{"removals": "u"}, {"removals": "z"}],
    "rename_categories": [{"new_categories": {"u": "z"}}, {"new_categories": ["p", "q", "r", "s"]},
        {"new_categories": str.upper}, {"new_categories": ["p"]}],
        "reorder_categories": [{"new_categories": ["none", "v", "u", "w"]}, {"new_categories": ["u"]}],
    "set_categories": [{"new_categories": ["u", "v"]}, {"new_categories": ["u", "z"]}], "corr_": [],
        "nunique": [{}], "ohlc": [{}], "swapaxes": [{"axis1": 0, "axis2": 1}], "squeeze": [{}],
        "expanding": [{}], "ewm": [{"alpha": 0.5}, {"alpha": 2}],
    "swapcase": [{}], "isocalendar": [{}], "to_dict": [{}], "melt": [{"id_vars": ["i"], "value_vars": ["x"]},
        {"id_vars": "z"}], "first": [{}], "last": [{}], "head": [{}, {"n": 2}], "tail": [{}, {"n": 2}],
}  # fmt: skip
"""What methods are given, more than once where it matters, before one argument after the other is added."""

KEYS = [
    3, 0, 1, -1, 99, [0, 1], [3], [], slice(0, 2), slice(2, None), slice(N, N, -1), [T, F, T, F, T, F, T],
        (slice(N), "x"),
    (0, "x"), (0, 1), ([0, 1], [1, 0]), ([0, 1], ["x", "i"]), (slice(0, 3), "i"), (1, ["i"]), "a", ("a", 1),
        ("truth of x", "x"),
    "truth of x", (0, "z"), lambda one: one.index[:2], (slice(N), 0), (slice(N), -1),
]  # fmt: skip
"""What indexers are given: labels and positions, one, several, in slices and by truth."""

ASSIGNED = [("x", 1), ("z", 0.5), ("i", "itself"), (["i", "x"], 0), ("x", [1, 2, 3, 4, 5, 6, 7]), ("s", "b"),
    (0, 9), (slice(0, 2), 7), ("truth of x", -1), ("x", N), ("z", "another"), ("x", [1]), ((0, "x"), 2),
        (([0, 1], "x"), 4), ((slice(N), "x"), 3), ((slice(N), "z"), "b"), (("truth of x", "x"), 8), (99, 5),
        ((1, 1), 6), (lambda one: one.index[:1], 2)]  # fmt: skip
"""Keys and the values that are assigned to them."""

BY_OPERATOR: dict[str, list[dict[str, Any]]] = {
    "__getitem__": [{"key": key} for key in KEYS],
    "__setitem__": [{"key": key, "value": value} for key, value in ASSIGNED],
}
OF_OPERATORS: dict[str, list[dict[str, Any]]] = {
    "__setitem__": BY_OPERATOR["__setitem__"],
    "__getitem__": [{"key": key} for key in ("x", ["x", "i"], "truth", slice(1, 3), 3, [3, 9],
        "z", slice(3, 9), slice(N, N, -1), [T, F] * 3 + [T])],
    **{name: [{"other": other} for other in ("itself", T, 2, "truth")] for name in ("__and__", "__ror__", "__xor__")},
    **{name: [{"other": other} for other in ("itself", 2, [1] * 7, "b", N)] for name in ("__add__", "__rsub__",
        "__lt__", "__eq__")},
    **{name: [{}] for name in ("__invert__", "__neg__", "__pos__", "__abs__", "__len__", "__round__")},
    "__contains__": [{"key": key} for key in (3, "x", 99)],
}  # fmt: skip
"""What operators of frames and Series are given; indexers have the first two."""

FUNCTIONS = sorted(
    words(
        """concat merge merge_asof merge_ordered melt pivot pivot_table crosstab cut qcut get_dummies factorize unique
    to_datetime to_timedelta to_numeric isna notna isnull notnull wide_to_long eval"""
    )
)

OF_FUNCTIONS: dict[str, list[dict[str, Any]]] = {
    "concat": [{"objs": ["itself", "another"]}, {"objs": ["itself", "renamed"]},
        {"objs": {"p": "itself", "q": "another"}}, {"objs": []}, {"objs": ["itself", N]}, {"objs": ["itself"]},
        {"objs": ["itself", "renamed"], "axis": 1}],
    "merge": [{"left": "itself", "right": "another"}, {"left": "itself", "right": "renamed", "on": "i"},
        {"left": "itself", "right": "another", "left_index": T, "right_index": T},
        {"left": "itself", "right": "itself", "how": "cross"}],
    "merge_asof": [{"left": "sorted", "right": "sorted", "on": "i"}],
        "merge_ordered": [{"left": "itself", "right": "itself", "on": "i"}],
    "melt": [{"frame": "itself", "id_vars": ["i"]}], "pivot": [{"data": "itself", "columns": "i"}],
        "pivot_table": [{"data": "itself", "values": "x", "index": "i"}],
    "crosstab": [{"index": "itself", "columns": "itself"}], "cut": [{"x": "itself", "bins": 2},
        {"x": "itself", "bins": [-9, 0, 1, 9]}, {"x": "itself", "bins": [0, 1, 1]}],
        "qcut": [{"x": "itself", "q": 2}, {"x": "itself", "q": [0, 0.5, 1]}],
    "get_dummies": [{"data": "itself"}], "factorize": [{"values": "itself"}], "unique": [{"values": "itself"}],
        "to_datetime": [{"arg": "itself"}], "to_timedelta": [{"arg": "itself"}], "to_numeric": [{"arg": "itself"}],
    **{name: [{"obj": "itself"}] for name in ("isna", "notna", "isnull", "notnull")},
        "wide_to_long": [{"df": "itself", "stubnames": "x", "i": "i", "j": "j"}], "eval": [{"expr": "1 + 2"}],
}  # fmt: skip
"""What functions are given."""

INDEXERS = ("loc", "iloc", "at", "iat")

INDEXING = (
    *(LookupError, ValueError, TypeError, NotImplementedError),
    *(pandas.errors.IndexingError, pandas.errors.InvalidIndexError),
)
"""Errors of indexers, of which pandas raises now one, now another."""

ITSELF = ("insert", "pop", "update", "isetitem")
"""Methods that change their object."""

SUMMED = {"groupby": "count", "rolling": "count", "expanding": "count", "resample": "count", "ewm": "mean"}
"""What is asked of steps that methods return."""


@dataclass(frozen=True)
class Call:
    """One call: of which object, by which name, with which arguments."""

    target: str
    receiver: str
    name: str
    given: tuple[tuple[str, Any], ...]
    by_position: int
    """How many arguments are given by position."""

    def __str__(self) -> str:
        given = ", ".join(f"{word}={item!r}" for word, item in self.given)
        return f"{self.target} {self.receiver}: {self.name}({given})"

    def value(self, pd: Any) -> Any:
        """Return what it gives, and its object if it changes that."""
        objects = _Objects(pd)
        receiver = TARGETS[self.target][self.receiver](objects)
        if _signature(self.target, self.name) is None:
            return getattr(receiver, self.name)
        given = [(word, objects.filled(item)) for word, item in self.given]
        if self.name == "__setitem__":
            receiver[given[0][1]] = given[1][1]
            return objects.made
        args = [item for _, item in given[: self.by_position]]
        found = getattr(receiver, self.name)(*args, **dict(given[self.by_position :]))
        if self.name in SUMMED and self.target in ("DataFrame", "Series", "typed"):
            found = getattr(found, SUMMED[self.name])()
        elif isinstance(found, Iterator):
            found = list(found)
        return (found, receiver) if self.name in ITSELF or "inplace" in dict(self.given) else found


class _Objects:
    """The objects of calls, made where they are asked for: those of akdask are plans where they can be."""

    def __init__(self, pd: Any) -> None:
        self._pd, self._root, self.made = pd, "mixed", None

    def __getitem__(self, name: str) -> Any:
        self._root, self.made = name, self._made(name)
        return self.made

    def module(self, name: str) -> Any:
        """Return the module, whose functions get an object."""
        self._root = name
        return self._pd

    def _made(self, name: str) -> Any:
        return MADE[name].copy() if self._pd is pandas else _plan(name)

    def filled(self, item: Any) -> Any:
        """Return an argument, with an object in the place of a word that stands for one."""
        if isinstance(item, list):
            return [self.filled(one) for one in item] if any(type(one) is str for one in item) else list(item)
        if isinstance(item, dict):
            return {key: self.filled(one) for key, one in item.items()}
        if isinstance(item, tuple):
            return tuple(map(self.filled, item))
        match item:
            case "truth of x":
                found = self._made(self._root)
                return (found["x"] if isinstance(MADE[self._root], pandas.DataFrame) else found).notna()
            case "sorted":
                return self._made(self._root).sort_values("i")
            case "itself":
                return self._made(self._root)
            case "another":
                return self._made(self._root).iloc[::-1]
            case "renamed":
                found = self._made(self._root)
                is_frame = isinstance(MADE[self._root], pandas.DataFrame)
                return found.rename(columns={"x": "z", "s": "r"}).drop_duplicates() if is_frame else found.rename("z")
            case "truth":
                return self._made(self._root).notna()
        return item


@cache
def _lazily(name: str) -> Any:
    return akdask.pandas.DataFrame(MADE[name]).lazy() if name in FRAMES else akdask.pandas.Series(MADE[name]).lazy()


def _plan(name: str) -> Any:
    kind: Any = akdask.pandas.DataFrame if name in FRAMES else akdask.pandas.Series
    try:
        return kind._of(_lazily(name), None)
    except Exception:  # labels without a lazy form
        return kind(MADE[name])


@cache
def kinds() -> Mapping[str, Any]:
    """Return the classes of pandas of which objects are asked."""
    objects = _Objects(pandas)
    found = {target: type(next(iter(made.values()))(objects)) for target, made in TARGETS.items() if target != "pandas"}
    return found | {"pandas": pandas}


def methods() -> list[tuple[str, str]]:
    """Return the names of methods and attributes, with what they are of."""
    found = []
    for target, kind in kinds().items():
        if target in ("pandas", "loc", "iloc", "at", "iat"):
            found += [(target, name) for name in (FUNCTIONS if target == "pandas" else BY_OPERATOR)]
            continue
        names = [name for name in dir(kind) if not name.startswith("_") and (name not in LEFT_OUT or target == "str")]
        names += [name for name in OF_OPERATORS if target in ("DataFrame", "Series", "typed")]
        found += [(target, name) for name in names]
    return found


@cache
def _signature(target: str, name: str) -> inspect.Signature | None:
    """Return the signature of a method, None of an attribute."""
    if name == SELECTOR:
        return signature_of(kinds()[target], name)
    member = getattr(kinds()[target], name, None)
    return inspect.signature(member) if callable(member) and not isinstance(member, type) else None


def calls_of(target: str, name: str) -> Iterator[Call]:
    """Yield the calls of a method."""
    receivers = list(TARGETS[target])
    signature = _signature(target, name)
    if signature is None:
        yield from (Call(target, receiver, name, (), 0) for receiver in receivers)
        return
    parameters = [*signature.parameters.values()][target != "pandas" :]
    known = {each.name: each for each in parameters}
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
    needed = {
        each.name
        for each in parameters
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }
    choices = OF_FUNCTIONS[name] if target == "pandas" else _choices(target, name)
    bases = [base for base in choices if needed <= base.keys() and (base.keys() <= known.keys() or takes_any)]
    if not bases:
        bases = [{word: VALUES.get(word, [N])[0] for word in needed}]
    number = 0
    for base in bases:
        fitting = []
        for receiver in receivers:
            call = _call(target, receiver, name, base, known=known, number=number)
            number += 1
            yield call
            if _works(call):
                fitting.append(receiver)
        if base is not bases[0] and len(bases) > 3:
            continue
        for word in known:
            if word in base and base is not bases[0]:
                continue
            for value in VALUES_OF.get(
                f"{'Series' if target == 'typed' else target}.{name}.{word}", VALUES.get(word, [])
            ):
                for _ in range(1 if target == "typed" else 2):
                    number += 1
                    receiver = (fitting or receivers)[number % len(fitting or receivers)]
                    yield _call(target, receiver, name, base | {word: value}, known=known, number=number)


def _choices(target: str, name: str) -> list[dict[str, Any]]:
    if not name.startswith("__"):
        return NEEDED.get(name, [])
    return (OF_OPERATORS if target in ("DataFrame", "Series", "typed") else BY_OPERATOR)[name]


def _call(
    target: str, receiver: str, name: str, given: Mapping[str, Any], *, known: Mapping[str, Any], number: int
) -> Call:
    """Return a call, of whose arguments every other one has the first ones by position."""
    ordered = {word: given[word] for word in [*known, *given] if word in given}
    positional = 0
    for word, (at, parameter) in zip(ordered, enumerate(known.values()), strict=False):
        if word != parameter.name or parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            break
        if number % 2 or parameter.kind is parameter.POSITIONAL_ONLY or name.startswith("__"):
            positional = at + 1
    return Call(target, receiver, name, tuple(ordered.items()), positional)


def _works(call: Call) -> bool:
    try:
        call.value(pandas)
    except Exception:
        return False
    return True


def outcome(call: Call) -> tuple[str, str | None]:
    """Return which way a call took, as a letter, and how what it gives differs from pandas.

    Ways are lazily, in Chunks, through Pandas, and Refused, which is S for silently where all rows are computed before.
    """
    try:
        wanted = computed(call.value(pandas))
    except Exception as error:
        return _refusal(call, error)
    try:
        with config.set(pandas_fallback="error"), ways_noted() as (failures, in_chunks):
            found = call.value(akdask.pandas)
            different = difference(found, wanted)
            failure = next((one for one in failures if "unexpected keyword" not in one), None)
            return "C" if in_chunks else "L", failure or different
    except Exception as refused:
        with config.set(pandas_fallback="silent"):
            try:
                different = difference(call.value(akdask.pandas), wanted)
            except Exception as error:
                return "P", f"raised {error!r:.200}"
        return "P", different or (
            None if isinstance(refused, AkdaskError) else f"raised {refused!r:.200} if not by pandas"
        )


def _refusal(call: Call, wanted: Exception) -> tuple[str, str | None]:
    for mode, way in (("error", "R"), ("silent", "S")):
        try:
            with config.set(pandas_fallback=mode):
                found = computed(call.value(akdask.pandas))
        except FallbackError:
            continue
        except Exception as error:
            is_same = isinstance(error, INDEXING if call.target in INDEXERS else type(wanted))
            return way, None if is_same else f"raised {error!r:.150}, not {wanted!r:.150}"
        return way, f"gave {found!r:.150}, and did not raise {wanted!r:.150}"
    raise AssertionError(call)


def ways(target: str, name: str) -> tuple[str, list[str]]:
    """Return the letters of the ways of a method's calls, small ones for what differs from pandas, and differences."""
    letters, differences = "", []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls_of(target, name):
            way, different = outcome(call)
            letters += way if different is None else way.lower()
            if different is not None:
                differences.append(f"{call}: {way}: {different}")
    return letters, differences


def listed(name: str = LIST.name) -> dict[str, str]:
    """Return the letters of a list."""
    return dict(line.split() for line in LIST.with_name(name).read_text().splitlines())


def main() -> None:
    """Write the ways of all calls, and show those that differ from pandas."""
    lines = []
    for target, name in methods():
        letters, differences = ways(target, name)
        lines.append(f"{target}.{name} {letters}\n")
        print(*differences, sep="\n")
    LIST.write_text("".join(lines))


if __name__ == "__main__":
    main()
