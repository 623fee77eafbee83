"""Methods of nullable and narrow columns give what pandas gives, none of them through pandas.

Each line is an expression of ``s`` and ``t``, columns of the type, of ``k``, ``m`` and ``f``: keys, a mask and a frame
of ``s`` and ``k``.
"""

from __future__ import annotations

import warnings
from typing import Any
from unittest import mock

import numpy as np
import pandas
import pytest

import akdask.pandas as face
from akdask import config
from akdask.pandas import tuning
from akdask.pandas.refusals import FallbackError
from tests.pandas_face.compare import difference

BEYOND_FLOATS = 2**53 + 1

COLUMNS = {
    "Int64": [1, None, BEYOND_FLOATS, -4, None, 7],
    "Int32": [1, None, 3, -4, None, 7],
    "UInt8": [1, None, 3, 4, None, 255],
    "UInt64": [1, None, 2**64 - 1, 4, None, 7],
    "Float64": [1.5, None, 3, -4, None, 7],
    "Float32": [1.5, None, 3, -4, None, 7],
    "boolean": [True, None, False, True, None, False],
    "string": ["a", None, "c", "", None, "é"],
}

NARROW = {
    "int32": [1, 2, 3, -4, 5, 7],
    "uint16": [1, 2, 3, 4, 5, 65535],
    "float32": [1.5, np.nan, 3, -4, 1e8, 7],
}

KEEPING = """
s.shift(), s.shift(-2), s.shift(0)
s.where(m), s.mask(m), s.mask(s == s.dropna().iloc[0]), s.where(s == s.dropna().iloc[0])
s.where(m, t), s.mask(m, t)
s.ffill(), s.bfill(), s.ffill(limit=1)
s.fillna(t), s.fillna(s.dropna().iloc[0])
s.combine_first(t), s.combine_first(t.iloc[:2])
s.drop_duplicates(), s.unique(), s.mode(), s.duplicated(), s.nunique(), s.nunique(dropna=False)
s.equals(t), s.equals(s), s.equals(k)
s.is_unique, s.hasnans, s.dropna().hasnans, s.fillna(s.dropna().iloc[0]).is_unique
s.reindex([0, 9, 2])
f.shift(), f.ffill(), f.where(m)
"""

NUMBERS = """
s.fillna(0), s.fillna(3), s.fillna(0).sort_values()
s.shift(1, fill_value=3), s.where(s > 1, 0), s.mask(s > 1, 0), s.mask(s > 1), s.where(~(s > 1))
s.clip(0, 5), s.clip(lower=2), s.clip(upper=3)
s.diff(), s.diff(2), s.diff(-1), s.cummax(), s.cummin()
s.replace(1, 2), s.replace({1: 2, 7: 3}), s.isin([1, 7])
s.between(1, 7), s.between(1, 7, inclusive="left"), s.between(1, 7, "right"), s.between(1, 7, "neither")
s.value_counts(), s.value_counts(normalize=True), s.value_counts(ascending=True)
s.nlargest(2), s.nsmallest(2), s.idxmax(), s.idxmin()
s.min(), s.max(), s.count(), s.any(), s.all()
s.is_monotonic_increasing, s.sort_values().dropna().is_monotonic_increasing
f.fillna(0), f.fillna({"s": 1}), f.clip(0, 5), f.diff(), f.mask(f > 1), f.where(f > 1, 0), f.isin([1])
f.min(), f.max(), f.count()
f.query("s > 1"), f.query("s > 1 and k == 2"), f.nlargest(2, "s"), f[s > 1]
"""

WIDE_NUMBERS = """
s.rank(), s.rank(ascending=False, pct=True), s.pct_change()
s.mean(), s.median(), s.sum(), s.sem(), s.skew(), s.kurt(), s.agg(["min", "max"])
s.astype("Float64"), s.astype("float64"), s.corr(t), s.cov(t)
s.rolling(2).sum(), s.rolling(2, min_periods=1).mean(), s.expanding().sum(), s.ewm(span=2).mean()
f.sum(), f.mean(), f.median(), f.agg({"s": ["sum", "mean"]}), f.agg(["min", "max"])
"""

LAZY = {
    "Int64": NUMBERS + WIDE_NUMBERS + "s.cumsum(), s.cumprod(), f.cumsum(), s.round(1), f.round(1)",
    "Int32": NUMBERS + WIDE_NUMBERS + "s.cumsum(), s.astype('Int64'), f.corr(), f.std(), s.describe(), f.describe()",
    "UInt8": NUMBERS + WIDE_NUMBERS + "s.astype('Int64'), s.astype('Int32')",
    "UInt64": "s.clip(2, 5)\ns.cummax()\ns.fillna(0)\ns.shift(1, fill_value=2**63)",
    "Float64": NUMBERS + WIDE_NUMBERS + "s.cumsum(), s.round(0), s.quantile(0.3), f.describe(), f.std(), f.corr()",
    "Float32": NUMBERS + "s.astype('Float64')",
    "boolean": """
        s.fillna(False), s.shift(1, fill_value=True), s.mask(m, True), s.where(s), s.mask(s)
        s.min(), s.max(), s.mean(), s.sum(), s.all(), s.any(), s.count()
        s.fillna(True).all(), s.fillna(False).min(), f[s.fillna(False)]
        f.fillna({"s": True})
    """,
    "string": """
        s + "x", "x" + s, s + s, s + t, s.add("x"), s.radd("x")
        s.fillna("z"), s.shift(1, fill_value="q"), s.where(s == "a", "n"), s.mask(s == "a", "n")
        s.replace("a", "b"), s.replace({"a": "z", "": "y"}), s.isin(["a", ""])
        s.value_counts(), s.value_counts(normalize=True), s.min(), s.max(), s.astype("str")
        f.assign(u=f["s"] + "x")
        f[["s"]].fillna("z")
    """,
}

NARROW_LINES = """
s.shift(), s.shift(-2), s.shift(1, fill_value=3)
s.where(m, 0), s.mask(m, 9), s.where(s > 1, t), s.where(m), s.mask(m), s.where(s == s)
s.fillna(0), s.fillna(t), s.ffill(), s.bfill()
s.clip(0, 5), s.clip(lower=2), s.clip(upper=3), s.replace(1, 2), s.replace({3: 4, 7: 5}), s.between(1, 5)
s.rank(), s.rank(ascending=False, pct=True), s.agg(["min", "max"]), s.agg(["sum", "mean"]), s.describe()
s.sum(), s.mean(), s.std(), s.var(), s.median(), s.min(), s.max(), s.count(), s.any(), s.all(), s.skew(), s.kurt()
s.is_monotonic_increasing, s.hasnans, s.idxmax(), s.idxmin(), s.astype("Float64")
f.fillna(0), f.shift(), f.clip(0, 5), f.where(f > 1, 0), f.sum(), f.mean(), f.min(), f.std(), f.describe()
pd.cut(s, [-5, 2, 4, 9])
"""

CASES = [
    (kind, line.strip()) for kind, lines in LAZY.items() for line in (KEEPING + lines).splitlines() if line.strip()
]
CASES += [(kind, line.strip()) for kind in NARROW for line in NARROW_LINES.splitlines() if line.strip()]
CASES += [(kind, "s.diff(), s.diff(-2), f.diff()") for kind in ("int32", "float32")]
CASES += [("int32", "s.cumsum(), s.cumprod(), s.round(1), f.cumsum(), s.astype('Int64')")]
CASES += [("int64", "s.astype('Int64'), s.astype('Float64')"), ("bool", "s.astype('boolean')")]
CASES += [("float64", "s.astype('Int64'), s.astype('Float64')"), ("str", "s.astype('string')")]


def names(kind: str, pd: Any, values: list[object]) -> dict[str, object]:
    """Return the variables of the lines."""
    frame = pd.DataFrame({"s": pandas.Series(values, dtype=kind), "k": np.arange(len(values)) // 2 + 1})
    backwards = pd.DataFrame({"t": pandas.Series(values[::-1], dtype=kind)})
    mask = pd.DataFrame({"m": (np.arange(len(values)) % 3 == 0)})
    return {"s": frame["s"], "t": backwards["t"], "k": frame["k"], "m": mask["m"], "f": frame, "pd": pd}


COLUMNS |= NARROW | {
    "int64": [1, BEYOND_FLOATS],
    "bool": [True, False],
    "float64": [1.0, np.nan, -3],
    "str": ["a", None, ""],
}


@pytest.mark.filterwarnings("ignore:.*ran in pandas", "ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("is_complete", [False, True])
def test_types_become_other_types_as_in_pandas(kind, is_complete):
    column = pandas.Series(COLUMNS[kind], dtype=kind)
    rows = pandas.DataFrame({"s": column.dropna() if is_complete else column})
    held = face.DataFrame._of(face.DataFrame(rows).lazy(), None)
    for wanted in (
        "Int64", "Int32", "UInt64", "UInt8", "Float64", "Float32", "boolean", "int64", "float64", "float32", "bool",
        "str", "string",
    ):  # fmt: skip
        try:
            expected = rows["s"].astype(wanted)
        except (TypeError, ValueError) as error:
            with pytest.raises(ValueError if isinstance(error, ValueError) else TypeError):
                held["s"].astype(wanted).to_pandas()
        else:
            assert difference(held["s"].astype(wanted), expected) is None, wanted


@pytest.mark.parametrize("rows", [0, 1, 7, 129, 1000, 4099])
@pytest.mark.parametrize("chunk", [1, 130, 1000])
def test_sums_of_narrow_floats_have_the_bits_of_pandas(rows, chunk):
    random = np.random.default_rng(rows)
    values = (random.normal(size=rows) * 10.0 ** random.integers(-3, 8, rows)).astype("float32")
    values[random.random(rows) < 0.1] = np.nan
    column = pandas.Series(values)
    small = mock.patch.multiple(tuning, CHUNK_ROWS=chunk, EAGER_VALUES=-1)
    with config.set(pandas_fallback="silent"), small:
        lazy = face.DataFrame({"x": column})["x"]
        found = lazy.sum(), lazy.mean()
    wanted = column.sum(), column.mean()
    assert [type(one) for one in found] == [type(one) for one in wanted]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("values", [[1.5, np.nan], [np.inf], [2.0**63], [-(2.0**64), 1.0]])
def test_floats_that_are_no_integers_are_not_converted_lazily(values):
    with config.set(pandas_fallback="error"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        column = face.DataFrame({"x": values})["x"]
        with pytest.raises((FallbackError, TypeError, ValueError, OverflowError)):
            column.astype("Int64")


@pytest.mark.parametrize("reduction", ["describe", "count", "nunique", "min", "mean"])
@pytest.mark.parametrize("kind", ["Int64", "float32", "boolean"])
def test_frames_of_nullable_columns_beside_others_are_reduced_as_by_pandas(kind, reduction):
    rows = pandas.DataFrame(
        {
            "s": pandas.Series([1, 0, 1], dtype=kind),
            "t": pandas.date_range("2024-01-01", periods=3),
            "d": pandas.to_timedelta([1, 2, 3], unit="D"),
            "b": [True, False, True],
            "x": [1.5, 2.5, 4.0],
        }
    )
    for columns in (["s", "t"], ["s", "d"], ["s", "b", "x"], [*rows]):
        with config.set(pandas_fallback="silent"), mock.patch.multiple(tuning, EAGER_VALUES=-1):
            found = getattr(face.DataFrame(rows[columns]), reduction)()
        assert difference(found, getattr(rows[columns], reduction)()) is None, columns


def test_a_column_of_one_column_frame_is_its_column():
    frame = face.DataFrame({"a": [1, 2], "b": [3, 4]})
    with config.set(pandas_fallback="error"):
        frame["c"] = frame[["b"]] + 1
        with pytest.raises((FallbackError, ValueError)):
            frame["d"] = frame[["a", "b"]]
    assert frame["c"].tolist() == [4, 5]


@pytest.mark.sampled(one_of=2)
@pytest.mark.light
@pytest.mark.parametrize(("kind", "line"), CASES)
def test_methods_of_nullable_columns_are_lazy_and_give_what_pandas_gives(kind, line):
    with config.set(pandas_fallback="error"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with mock.patch.multiple(tuning, CHUNK_ROWS=3):
            found = eval(line, names(kind, face, COLUMNS[kind]))
        wanted = eval(line, names(kind, pandas, COLUMNS[kind]))
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for number, (one, other) in enumerate(pairs):
        assert difference(one, other) is None, f"{line}: result {number}"


@pytest.mark.parametrize("kind", ["Int64", "Float64", "boolean", "string"])
@pytest.mark.parametrize("rows", [0, 1])
def test_few_or_no_nullable_rows_give_what_pandas_gives(kind, rows):
    for line in KEEPING.splitlines():
        if not line.strip() or ".iloc[0]" in line:
            continue
        with config.set(pandas_fallback="silent"), mock.patch.multiple(tuning, EAGER_VALUES=-1):
            found = eval(line, names(kind, face, COLUMNS[kind][:rows]))
        wanted = eval(line, names(kind, pandas, COLUMNS[kind][:rows]))
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
        for one, other in pairs:
            assert difference(one, other) is None, line


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("Int64", "s.fillna(1.5)"),
        ("Int64", "s.fillna(True)"),
        ("UInt8", "s.fillna(300)"),
        ("Int64", "s.where(m, 'a')"),
        ("Float32", "s.cumsum()"),
        ("string", "s.isin([1])"),
        ("boolean", "s.fillna(2)"),
    ],
)
def test_values_of_another_type_are_left_to_pandas(kind, line):
    with config.set(pandas_fallback="error"), pytest.raises((FallbackError, TypeError, ValueError, OverflowError)):
        eval(line, names(kind, face, COLUMNS[kind]))
    small = mock.patch.multiple(tuning, EAGER_VALUES=-1)
    with config.set(pandas_fallback="silent"), small, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = []
        for pd in (face, pandas):
            try:
                ends.append(eval(line, names(kind, pd, COLUMNS[kind])))
            except (TypeError, ValueError, OverflowError) as error:
                ends.append(str(error))
    assert (ends[0] == ends[1]) if isinstance(ends[1], str) else difference(*ends) is None


def test_numbers_become_narrow_floats_lazily(monkeypatch):
    monkeypatch.setattr(tuning, "EAGER_VALUES", 0)
    monkeypatch.setattr(tuning, "CHUNK_ROWS", 16)
    random = np.random.default_rng(7)
    rows = pandas.DataFrame(
        {
            "i": np.append(random.integers(-(2**62), 2**62, 99), 2**62 + 2**38 + 1),
            "u": random.integers(2**62, 2**63, 100).astype(np.uint64) * np.uint64(2),
            "f": np.where(random.random(100) < 0.2, np.nan, random.normal(size=100) * 1e-3),
            "b": random.random(100) < 0.5,
        }
    )
    held = face.DataFrame(rows)
    with config.set(pandas_fallback="error"):
        for name in rows:
            narrow, wanted = held[name].astype("float32"), rows[name].astype("float32")
            pandas.testing.assert_series_equal(narrow.to_pandas(), wanted, check_exact=True)
            pandas.testing.assert_series_equal(narrow[narrow > 0].to_pandas(), wanted[wanted > 0], check_exact=True)
            assert (narrow.max(), narrow.dtype) == (wanted.max(), wanted.dtype)
            assert narrow.sum() == pytest.approx(wanted.sum(), rel=1e-5)
