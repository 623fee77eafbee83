"""Operations on narrow and nullable columns: lazily as in pandas, or not lazily."""

from __future__ import annotations

import operator
import random
import warnings
from typing import Any

import numpy as np
import pandas
import pytest

import akdask.pandas as pd
from akdask import config
from tests.pandas_face.compare import difference

NARROW = ("int8", "int32", "uint16", "float32")

NULLABLE = ("Int8", "Int64", "UInt8", "Float32", "Float64", "boolean")

PLAIN = ("int64", "uint8", "float64", "bool")


def _column(kind: str) -> Any:
    if kind in ("bool", "boolean"):
        values: list[Any] = [True, False, None, True, False, False] if kind == "boolean" else [True, False] * 3
        return pandas.Series(values, dtype=kind)
    if kind in NULLABLE:
        return pandas.Series([1, None, 0, 5, 100, 7], dtype=kind)
    if "float" in kind:
        return pandas.Series([1.5, np.nan, 0, -2, np.inf, 1e30], dtype=kind)
    bounds = np.iinfo(kind)
    return pandas.Series(np.array([bounds.min, bounds.max, 0, 1, 7, 3], dtype=kind))


COLUMNS = {kind: _column(kind) for kind in (*NARROW, *NULLABLE, *PLAIN)}

VALUES: list[Any] = [1, -1, 0, 100, 300, 2.5, 0.1, np.nan, True, pandas.NA, np.int8(3), np.float32(0.1), 2**62, 2**70]

OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "lt", "ge", "and_", "or_", "xor")

LAZY_AT_LEAST = {"floordiv": 0.2, "mod": 0.2, "and_": 0.3, "or_": 0.3, "xor": 0.3}
"""Part of the pairs of which pandas has a result, and so have lazy columns."""


def _outcome(operate: Any, one: Any, other: Any) -> Any:
    try:
        found = operate(one, other)
        return found.to_pandas() if hasattr(found, "to_pandas") else found
    except Exception as error:
        return error


def _faced(item: Any) -> Any:
    return pd.Series(item) if isinstance(item, pandas.Series) else item


@pytest.mark.parametrize("name", OPERATORS)
def test_pairs_of_types_give_what_pandas_gives_or_nothing(name):
    operate = getattr(operator, name)
    pairs: list[tuple[Any, Any]] = []
    for kind in (*NARROW, *NULLABLE):
        own = COLUMNS[kind]
        backwards = [other[::-1].reset_index(drop=True) for other in COLUMNS.values()]
        pairs += [(own, item) for item in (*VALUES, *backwards)]
        pairs += [(item, own) for item in (*VALUES, *(COLUMNS[plain] for plain in PLAIN))]
    chosen = random.Random(name).sample(pairs, 60)
    wanted_of, lazy = 0, 0
    with config.set(pandas_fallback="error"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one, other in chosen:
            found = _outcome(operate, _faced(one), _faced(other))
            wanted = _outcome(operate, one, other)
            wanted_of += not isinstance(wanted, Exception)
            if isinstance(found, Exception):
                continue
            assert not isinstance(wanted, Exception), (name, one, other)
            lazy += 1
            pandas.testing.assert_series_equal(found, wanted, obj=f"{one} {name} {other}")
    assert lazy >= LAZY_AT_LEAST.get(name, 0.55) * wanted_of


FRAME = pandas.DataFrame(
    {
        "a": np.array([1, -128, 127, 0], dtype="int8"),
        "b": np.array([1, 2, 3, 4], dtype="int32"),
        "f": np.array([1, np.nan, 2, 3], dtype="float32"),
        "I": pandas.array([1, None, 3, 4], dtype="Int64"),
        "J": pandas.array([0, 5, None, -2], dtype="Int64"),
        "F": pandas.array([1, None, 3, 4.5], dtype="Float64"),
        "B": pandas.array([True, None, False, True], dtype="boolean"),
        "C": pandas.array([None, None, True, False], dtype="boolean"),
        "s": pandas.array(["a", None, "b", "c"], dtype=pandas.StringDtype(na_value=pandas.NA)),
        "x": [1.0, 2, 3, 4],
        "n": [1, 2, 3, 4],
    }
)

LAZY = """
df[["a", "b"]] * 2
df[["a", "b", "f", "x", "n", "I", "F"]] + 1
df[["a", "b", "I"]] + df[["a", "b", "I"]]
df[["I", "F"]] > 1
df[["a", "b"]] == df[["a", "b"]]
df["a"] + df["b"], df["b"] + df["b"], df["a"] * df["a"], df["a"] - df["n"]
-df["a"], abs(df["a"]), df["a"].abs(), ~df["a"], df["f"].abs(), -df["I"], df["I"].abs()
df["B"] & df["C"], df["B"] | df["C"], df["B"] ^ df["C"], ~df["B"]
df["B"] & True, df["B"] | False, df["B"] & pandas.NA, df["I"] + pandas.NA
df["b"] + df["b"].iloc[::-1]
df["b"] + df["b"].iloc[:2]
df["I"] + df["I"].iloc[:2]
df["f"] + df["f"].iloc[1:]
np.sqrt(df["f"]), np.sqrt(df["I"]), np.log(df["b"]), np.sqrt(df["a"]), np.maximum(df["b"], df["a"])
df["b"].add(1), df["b"].radd(df["a"]), df["b"].div(4), df["I"].mul(df["b"]), df["I"].ge(df["n"])
df["I"] // 0, df["I"] % 3, df["I"] // df["J"], df["I"] / df["J"], df["I"] / 0, df["F"] / 0
df[df["I"] * 2 > df["b"]]
df[(df["I"] > 2) | df["B"]]
df["B"] ^ (df["F"] < 2)
df.assign(z=df["b"] + df["a"]).groupby("z")["n"].sum()
df.assign(z=df["I"] + df["a"]).groupby("z")["n"].sum()
df.assign(z=df["b"] + df["a"]).sort_values("z", kind="stable")
(df["b"] * 2).sum(), (df["I"] + 1).isna(), df["I"] == df["J"], df["s"] == df["s"]
2 - df["I"], 1 / df["b"], df["b"] + np.int8(3), df["b"] + np.int64(3), df["b"] * 1.5, df["f"] > 0.1
""".strip().splitlines()


@pytest.mark.parametrize("rows", [slice(None), slice(0, 0), slice(0, 1)], ids=["all", "none", "one"])
def test_frames_and_columns_of_other_rows_are_lazy(rows):
    frame = FRAME.iloc[rows]
    names = {"np": np, "pandas": pandas}
    with config.set(pandas_fallback="error"), np.errstate(all="ignore"):
        for expression in LAZY:
            wanted = eval(expression, {**names, "df": frame})
            found = eval(expression, {**names, "df": pd.DataFrame(frame)})
            assert difference(found, wanted) is None, expression


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "lt"])
def test_compiled_loops_know_narrow_integers_beside_floats(name):
    operate = getattr(operator, name)
    for kind in ("int8", "int32", "uint16"):
        frame = pandas.DataFrame({"i": COLUMNS[kind], "x": COLUMNS["float64"]})
        faced = pd.DataFrame(frame)
        for one, other in (("i", "x"), ("x", "i"), ("i", 2.5), (0.1, "i"), ("i", float("nan"))):
            found, wanted = (
                operate(*(of[side] if isinstance(side, str) else side for side in (one, other)))
                for of in (faced, frame)
            )
            assert "piecewise" not in str(found.explain()), (kind, one, other)
            pandas.testing.assert_series_equal(found.to_pandas(), wanted)


REDUCTIONS = ("sum", "mean", "std", "var", "median", "sem", "min", "max", "count", "any", "all")


@pytest.mark.parametrize("rows", [slice(None), slice(0, 0), slice(0, 1)], ids=["all", "none", "one"])
def test_reductions_of_nullable_columns_give_what_pandas_gives_or_nothing(rows):
    for kind in NULLABLE:
        for name in REDUCTIONS:
            column = COLUMNS[kind].iloc[rows]
            wanted = getattr(column, name)()
            with config.set(pandas_fallback="error"):
                found = _outcome(lambda one, how: getattr(one, how)(), pd.Series(column), name)
            if isinstance(found, Exception):
                assert kind in ("boolean", "Float32") or name in ("min", "max") or rows.stop is not None, (kind, name)
                continue
            assert type(found) is type(wanted), (kind, name)
            assert found is wanted or np.isclose(found, wanted, rtol=1e-12), (kind, name)


def test_columns_that_lack_nothing_are_not_read_for_missing_values():
    frame = pd.DataFrame(FRAME[["n", "x"]])
    with config.set(pandas_fallback="error"):
        marked = frame.isna()
        assert marked.to_pandas().equals(FRAME[["n", "x"]].isna())
        assert frame.iloc[:0].isna().to_pandas().equals(FRAME[["n", "x"]].iloc[:0].isna())
    assert "n=logical_not(True)" in str(marked.explain())


def test_functions_of_numpy_put_values_into_another_column():
    target = pd.Series([0.0, 0.0])
    np.sqrt(pd.Series([4.0, 9.0]), out=target)
    assert target.tolist() == [2.0, 3.0]


def test_results_of_another_type_in_some_rows_are_refused():
    from akdask.pandas.refusals import NotLazyError
    from akdask.pandas.typed_operations import Piecewise, Plain

    divided = Piecewise("floor_divide", (Plain("int32"), Plain("int32")), "int32", "int64")
    assert divided(np.array([7, 8], np.int32), np.array([2, 2], np.int32)).tolist() == [3, 4]
    with pytest.raises(NotLazyError, match="float64 for some rows"):
        divided(np.array([7, 8], np.int32), np.array([2, 0], np.int32))
