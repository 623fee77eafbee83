"""Errors of pandas are AkdaskErrors that say what pandas says."""

import pickle

import pandas
import pytest

import akdask.pandas as pd
from akdask.errors import AkdaskError


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
