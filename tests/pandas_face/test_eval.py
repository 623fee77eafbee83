"""`pd.eval` finds the variables of its caller."""

import numpy as np
import pandas
import pytest

import akdask as ak
import akdask.pandas as pd
from akdask.pandas import tuning
from akdask.pandas.testing import assert_frame_equal, assert_series_equal
from tests.pandas_face.compare import difference

ROWS = pandas.DataFrame({"A": [1.0, -2.0, 3.5], "B": [0.5, 2.0, -1.0]})
OTHER = pandas.DataFrame({"A": [4.0, 5.0, 6.0], "B": [1.0, 1.0, 1.0]})


@pytest.fixture(params=[2**20, -1], ids=["at once", "lazily"], autouse=True)
def way(request, monkeypatch):
    monkeypatch.setattr(tuning, "EAGER_VALUES", request.param)
    with ak.config.set(pandas_fallback="silent"):
        yield


def test_variables_of_a_function_and_of_its_module():
    df, other = pd.DataFrame(ROWS), pd.DataFrame(OTHER)  # noqa: F841 - the expressions name them
    assert_frame_equal(pd.eval("-df * other / (df + other) - 2"), -ROWS * OTHER / (ROWS + OTHER) - 2)
    assert_frame_equal(pd.eval("df < OTHER and OTHER != 5"), (ROWS < OTHER) & (OTHER != 5))
    assert_series_equal(pd.eval("df.T[0] + other.iloc[1]"), ROWS.T[0] + OTHER.iloc[1])
    assert_series_equal(pd.eval("(df.A + df.B) / (df.B - 1)"), (ROWS.A + ROWS.B) / (ROWS.B - 1))


def test_variables_that_are_given():
    found = pd.eval("x + y", local_dict={"x": pd.DataFrame(ROWS)}, global_dict={"y": 1})
    assert_frame_equal(found, ROWS + 1)
    assert pd.eval("1 + 2") == 3
    target = pd.eval("C = target.A + 1", target=pd.DataFrame(ROWS), local_dict={"target": ROWS})
    assert_frame_equal(target, ROWS.assign(C=ROWS.A + 1))


def test_names_that_nothing_has_are_pandas_error():
    with pytest.raises(NameError, match="nowhere"):
        pd.eval("nowhere + 1")
    with pytest.raises(ak.AkdaskError):
        pd.eval("nowhere + 1")


def test_functions_of_numpy_are_asked():
    x = pd.Series([1.0, 4.0])  # noqa: F841 - the expression names it
    assert np.allclose(pd.eval("sqrt(x)"), [1.0, 2.0])


def test_queries_in_pandas_compute_no_variables_but_those_that_they_name(tmp_path):
    pandas.DataFrame({"x": range(5)}).to_parquet(tmp_path / "other.parquet")
    other = pd.read_parquet(tmp_path / "other.parquet")  # noqa: F841 - a variable beside the query
    (tmp_path / "other.parquet").unlink()
    least, rows = 2, pandas.DataFrame({"x": [1, 2, 3], "y": [3, 2, 1]}, index=pandas.Index([4, 5, 6], dtype="int32"))
    assert_frame_equal(pd.DataFrame(rows).query("x >= @least and y < 3"), rows.query("x >= @least and y < 3"))
    limits = {"y": 2}  # noqa: F841 - the expression names it
    assert_frame_equal(pd.DataFrame(rows).query("y < @limits['y']"), rows[rows["y"] < 2])
    assert_series_equal(pd.DataFrame(rows).eval("x + y * @least"), rows["x"] + rows["y"] * least)


def test_expressions_that_another_parser_reads_otherwise_are_left_to_pandas():
    rows = ROWS.assign(n=[1, 2, 3], b=[True, False, True])
    held = pd.DataFrame(rows)
    for expression in (
        "A < n & b", "A < B < n", "A > 0 & B > 0", "(A > 0) & (B > 0)", "A > 0 and B > 0", "not b", "n in [1, 2]",
        "n & 1 == 1", "A + B",
    ):  # fmt: skip
        for options in ({}, {"parser": "python"}, {"parser": "none"}, {"engine": "python"}, {"engine": "none"}):
            for name in ("eval", "query"):
                try:
                    wanted = getattr(rows, name)(expression, **options)
                except Exception as error:
                    with pytest.raises(type(error)):
                        getattr(held, name)(expression, **options)
                else:
                    found = getattr(held, name)(expression, **options)
                    assert difference(found, wanted) is None, (expression, options, name)
