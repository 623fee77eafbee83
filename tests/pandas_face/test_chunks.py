"""ChunkResults give what pandas gives for all rows, however small the chunks are."""

from __future__ import annotations

import warnings

import numpy as np
import pandas
import pytest

import akdask.pandas as pd
from akdask import config
from akdask.pandas import group_chunks, tuning
from akdask.pandas.refusals import FallbackError
from tests.pandas_face.compare import difference, listed, outcome, subjects, title

IN_PANDAS = listed()

OF_SEVERAL_TYPES = ("counts.sum() > 30", 'return rows["count"] / ', 'idxmax(), ["kind", "count"]]')
"""Idioms whose results for one group have another type than those for several, so that pandas has all rows."""

CASES = [
    pytest.param(subject, data, idiom, id=f"{subject}-{number}")
    for subject, (data, idioms) in subjects().items()
    if subject.startswith("functions_")
    for number, idiom in enumerate(idioms)
]


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(("subject", "data", "idiom"), CASES)
def test_chunks_give_what_all_rows_give(subject, data, idiom, monkeypatch):
    monkeypatch.setattr(tuning, "CHUNK_ROWS", 11)
    monkeypatch.setattr(tuning, "GROUPED_BYTES", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        way, different = outcome(idiom, data)
    assert different is None, idiom
    is_of_several = any(part in idiom for part in OF_SEVERAL_TYPES)
    assert way == ("through pandas" if is_of_several else IN_PANDAS.get(title(subject, idiom), "lazily")), idiom


def test_functions_of_groups_may_return_series_of_the_face():
    df = pd.DataFrame({"shop": [1, 1, 2], "price": [1.0, 2.0, 3.0]})
    found = df.groupby("shop").apply(lambda rows: pd.Series({"most": rows["price"].max(), "rows": len(rows)}))
    assert found.to_pandas().to_dict() == {"most": {1: 2.0, 2: 3.0}, "rows": {1: 2.0, 2: 1.0}}


def test_functions_see_groups_in_order_one_after_the_other(monkeypatch):
    monkeypatch.setattr(tuning, "CHUNK_ROWS", 2)
    monkeypatch.setattr(tuning, "GROUPED_BYTES", 0)
    seen = []
    df = pd.DataFrame({"shop": [3, 1, 2, 3, 1], "price": [1.0, 2.0, 3.0, 4.0, 5.0]})
    with config.set(pandas_fallback="error"):
        df.groupby("shop")["price"].apply(lambda prices: seen.append(prices.name) or prices.sum())
    assert seen == [1, 2, 3]


@pytest.mark.parametrize("as_index", [True, False])
@pytest.mark.parametrize("by", ["c", ["c"], ["k", "c"]], ids=str)
def test_groups_of_categories_are_left_to_pandas(monkeypatch, by, as_index):
    monkeypatch.setattr(tuning, "CHUNK_ROWS", 2)
    monkeypatch.setattr(tuning, "GROUPED_BYTES", 0)
    rows = pandas.DataFrame({"c": [*"aaccab", None], "k": [1, 1, 2, 2, 1, 1, 3], "x": [1, -2, 3.5, 4, 1, 1, 9]})
    rows["c"] = pandas.Categorical(rows["c"], list("zabc"))
    for observed, dropna in ((True, True), (True, False), (False, True), (False, False)):
        groups, wanted = (
            frame.groupby(by, observed=observed, dropna=dropna, as_index=as_index)
            for frame in (pd.DataFrame(rows), rows)
        )
        with config.set(pandas_fallback="error"), pytest.raises(FallbackError):
            groups.filter(lambda group: len(group) < 3)
        with config.set(pandas_fallback="silent"):
            found = groups.filter(lambda group: len(group) < 3)
        assert difference(found, wanted.filter(lambda group: len(group) < 3)) is None


def test_results_of_different_types_are_left_to_pandas(monkeypatch):
    monkeypatch.setattr(tuning, "CHUNK_ROWS", 1)
    monkeypatch.setattr(tuning, "GROUPED_BYTES", 0)
    df = pd.DataFrame({"shop": [1, 2, 3], "price": [1.0, 2.0, 3.0]})
    with config.set(pandas_fallback="error"), pytest.raises(FallbackError, match="groups"):
        df.groupby("shop").apply(lambda rows: rows if rows["price"].iloc[0] > 1 else 0.0)


def test_errors_of_functions_are_those_of_pandas(monkeypatch):
    monkeypatch.setattr(tuning, "CHUNK_ROWS", 1)
    monkeypatch.setattr(tuning, "GROUPED_BYTES", 0)
    df = pd.DataFrame({"shop": [1, 2, 3], "price": [1.0, 2.0, 3.0]})
    with config.set(pandas_fallback="error"), pytest.raises(ZeroDivisionError):
        df.groupby("shop")["price"].agg(lambda prices: 1 // int(prices.iloc[0] - 2))


def test_a_chunk_has_the_groups_that_begin_in_its_rows(monkeypatch):
    monkeypatch.setattr(tuning, "CHUNK_ROWS", 2)
    ids = np.array([2, 0, -1, 1, 0, 2, 3, 3, 3, 4])
    found = [chunk.tolist() for chunk in group_chunks._chunks(ids)]
    assert found == [[1, 4], [0, 3, 5], [6, 7, 8], [2, 9]]
