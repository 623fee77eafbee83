"""What a query of a thousand rows takes at least, in calls of Python functions: planning, and handing over to kernels.

Each limit is what was counted when it was written, and a tenth more.
"""

import numpy as np
import pytest

import akdask as ak

ROWS = 1_000


@pytest.fixture(scope="module")
def frames():
    random = np.random.default_rng(25)
    columns = {name: random.random(ROWS) for name in "abcdefghi"}
    x = ak.DataFrame({"k": random.integers(0, 100, ROWS), "m": random.integers(0, 200, ROWS), **columns}).persist()
    y = ak.DataFrame({"m": np.arange(0, 200, 2), "u": random.random(100)}).persist()
    return x, y


QUERIES = {
    "filtered sum": (lambda x, y: float(x["a"][x["b"] > 0.5].sum()), 1_170),
    "groups": (lambda x, y: x[["k", "a"]].groupby("k", as_index=False).agg(a=("a", "sum")).persist(), 2_150),
    "sort": (lambda x, y: x[["k", "a", "b"]].sort_values("k").persist(), 1_870),
    "distinct": (lambda x, y: ak.unique(x["k"]).persist(), 1_820),
    "membership": (lambda x, y: int(ak.in1d(x["m"], y["m"]).sum()), 1_600),
    "join": (lambda x, y: ak.merge(x[["m", "a"]], y, on="m", sort=False).persist(), 2_680),
    "numbers of distinct values": (lambda x, y: x.nunique(), 3_720),
    "numbers of values": (lambda x, y: x[["k", "m"]].count(), 560),
    "sample": (lambda x, y: x[["a"]].sample(5, random_state=1).persist(), 2_450),
    "largest": (lambda x, y: x.sort_values("a", ascending=False).head(3).persist(), 3_730),
    "rows": (lambda x, y: x[["a", "b"]].to_pandas(), 890),
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_of_few_rows_takes_no_more_calls_than_it_did(name, frames, calls):
    query, most = QUERIES[name]
    query(*frames)
    assert calls(lambda: query(*frames)) <= most


def test_a_query_of_no_rows_takes_no_more_calls_than_one_of_some(frames, calls):
    x, y = frames
    none = x[x["a"] > 2].persist()
    query, most = QUERIES["groups"]
    query(none, y)
    assert calls(lambda: query(none, y)) <= most


def test_calls_grow_with_the_operations_of_a_chain(frames, calls):
    x, _ = frames

    def chain(operations):
        column = x["a"]
        for _ in range(operations):
            column = column + 1
        return float(column.sum())

    for operations in (5, 15, 25):
        chain(operations)
    few, some, more = (calls(lambda count=count: chain(count)) for count in (5, 15, 25))
    assert more - some < 1.2 * (some - few)


def test_instructions_for_few_rows_are_chosen_in_no_more_calls_than_other_queries_take(frames, calls):
    query, most = QUERIES["filtered sum"]
    query(*frames)
    assert calls(lambda: query(*frames)) <= most
