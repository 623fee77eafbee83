"""Errors of pandas are AkdaskErrors that say what pandas says."""

import pickle
from decimal import Decimal

import pandas
import pytest

import akdask.pandas as pd
from akdask import config
from akdask.errors import AkdaskError
from akdask.pandas import tuning


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda p: p.read_csv("no such file.csv"), FileNotFoundError),
        (lambda p: p.DataFrame({"a": [1, 2]})["b"], KeyError),
        (lambda p: p.DataFrame({"a": [1, 2]}).iloc[10], IndexError),
        (lambda p: p.DataFrame({"a": [1, 2], "b": [1]}), ValueError),
        (lambda p: p.DataFrame({"a": [1, 2]}).query("a > c"), NameError),
        (lambda p: p.DataFrame({"a": [1, 2]}).set_index("a", drop=False).sort_values("a"), ValueError),
        (lambda p: p.DataFrame({"a": [1, 2]}).set_index("a", drop=False).groupby("a").sum(), ValueError),
        (lambda p: p.DataFrame({"a": [1], "b": [2]}).set_index(["a", "b"], drop=False).sort_values("b"), ValueError),
    ],
)
def test_error_says_what_pandas_says_also_from_another_process(call, kind):
    with pytest.raises(kind) as wanted:
        call(pandas)
    with pytest.raises(kind) as found:
        call(pd)
    for error in (found.value, pickle.loads(pickle.dumps(found.value))):
        assert isinstance(error, AkdaskError)
        assert isinstance(error, type(wanted.value))
        assert str(error) == str(wanted.value)
        assert getattr(error, "filename", None) == getattr(wanted.value, "filename", None)


HINTS = [
    (lambda frame: frame["prot"], "did you mean 'port'?"),
    (lambda frame: frame[["port", "zz"]], "columns: port, name, time"),
    (lambda frame: frame.groupby("prot"), "did you mean 'port'?"),
    (lambda frame: frame.groupby("port")["zz"].sum(), "columns: port, name, time"),
    (lambda frame: frame.merge(frame, on="prot"), "did you mean 'port'?"),
    (lambda frame: frame.drop(columns="prot"), "did you mean 'port'?"),
    (lambda frame: frame.astype({"prot": float}), "did you mean 'port'?"),
    (lambda frame: frame.query("prot > 1"), "did you mean 'port'?"),
    (lambda frame: frame.sort_value("port"), "did you mean 'sort_values'?"),
    (lambda frame: frame.prot, "did you mean 'port'?"),
    (lambda frame: frame.sort_values("port", ascendin=False), "did you mean 'ascending'?"),
    (lambda frame: frame["name"].str.uper(), "did you mean 'upper'?"),
    (lambda frame: frame["time"].dt.yeer, "did you mean 'year'?"),
    (lambda frame: frame.groupby("port").meen(), "did you mean 'mean'?"),
    (lambda frame: frame.append(frame), "write pd.concat([a, b])"),
    (lambda frame: frame["port"].iteritems(), "write items"),
    (lambda frame: pd.DataFrame({"a": [1, 2], "b": [1]}), "'a' has 2 rows, 'b' has 1 row"),
    (lambda frame: pd.read_csv("flow.csv"), "nearby: flows.csv"),
    (lambda frame: pd.read_cvs("flows.csv"), "did you mean 'read_csv'?"),  # type: ignore[attr-defined]
    (lambda frame: frame.loc["port"], None),
    (lambda frame: frame.nope, None),
    (lambda frame: frame["name"] + 1, None),
    (lambda frame: frame._prot, None),
]


@pytest.fixture(params=["at once", "lazy"])
def flows(request, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tuning, "EAGER_VALUES", 0 if request.param == "lazy" else tuning.EAGER_VALUES)
    (tmp_path / "flows.csv").write_text("port,name,time\n1,a,2024-01-01\n")
    return pd.read_csv("flows.csv", parse_dates=["time"])


@pytest.mark.parametrize(("call", "hint"), HINTS)
def test_note_below_the_error_says_what_there_is(flows, call, hint):
    with pytest.raises(AkdaskError) as raised:
        call(flows)
    assert raised.value.hint == hint
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.hint, str(again)) == (hint, str(raised.value))


def test_note_is_shown_below_the_text_of_pandas(flows):
    with pytest.raises(KeyError) as raised:
        flows["prot"]
    assert str(raised.value) == "'prot'"
    assert raised.value.__notes__ == ["Hint: did you mean 'port'?"]


def test_calls_that_forms_cannot_answer_are_refused_where_pandas_is_ruled_out():
    prices = pd.Series([Decimal("1.25"), Decimal("2.50")], dtype=object)
    numbers = pd.Series([2**63 // 10**6, 1])
    calls = (
        lambda: prices < Decimal(10**20),
        lambda: prices < Decimal("Infinity"),
        lambda: numbers.shift([1, 2]),
        lambda: pd.to_timedelta(numbers, unit="s"),
        lambda: pd.to_timedelta(-numbers, unit="s"),
        lambda: numbers.astype("int8") & 1,
        lambda: pd.melt(numbers.to_frame("n"), col_level=0),
    )
    for call in calls:
        with config.set(pandas_fallback="error"), pytest.raises(AkdaskError):
            call()
