"""The numbers of a few rows, in the order of their keys, are counted without sorting all rows."""

import numpy as np
import pandas
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.strings import SENTINEL
from akdask.engine.optimizer import inputs_first, optimize
from akdask.operators.group import plan, tuning
from akdask.operators.group.plan import Groups
from akdask.operators.sort.kernels import are_before, comparable
from akdask.operators.sort.top_k import Ranks

TEXT = st.sampled_from(["", "a", "ab", "b", "\x00", "ä", "url number 17", "url number 18"])


@given(
    st.lists(st.tuples(TEXT, st.sampled_from([-1.5, -0.0, 0.0, 2.0, np.nan]), TEXT), min_size=1, max_size=30),
    st.integers(0, 29),
)
def test_rows_before_a_row_are_those_of_smaller_keys(rows, number):
    number %= len(rows)
    texts, floats, others = zip(*rows, strict=True)
    columns = [pa.array(texts, pa.large_string()), np.array(floats), pa.array(others, pa.large_string())]
    # NaN comes last, zeros are equal.
    keys = [
        (text.encode(), np.isnan(value), 0 if np.isnan(value) else value, other.encode()) for text, value, other in rows
    ]
    found = are_before(columns, [comparable(column, number) for column in columns])
    assert found.tolist() == [key < keys[number] for key in keys]
    assert are_before(columns[:1], [comparable(columns[0], number)]).tolist() == [
        key[0] < keys[number][0] for key in keys
    ]


def test_missing_text_comes_last():
    column = pa.array([b"z", SENTINEL, b""], pa.large_binary()).view(pa.large_string())
    assert are_before([column], [comparable(column, 1)]).tolist() == [True, False, True]
    assert are_before([column], [comparable(column, 0)]).tolist() == [False, False, True]


def rows_of(count):
    random = np.random.default_rng(count)
    rows = pandas.DataFrame({
        "s": [f"{number * 2654435761 % 2**32:08x}" * 6 for number in random.integers(0, 300, count)],
        "k": random.integers(0, 4, count),
        "x": random.integers(0, 1000, count),
    })  # fmt: skip
    return rows.assign(t=rows["s"].where(rows["x"] % 7 > 0))


def by(groups, *columns, up=False):
    options = {"kind": "stable"} if isinstance(groups, pandas.DataFrame) else {}
    return groups.sort_values([*columns], ascending=[up, *[True] * (len(columns) - 1)], **options)


QUESTIONS = {
    "largest": (lambda rows: by(rows.groupby("s", as_index=False).agg(n=("x", "size")), "n").head(9), True),
    "last": (lambda rows: by(rows.groupby("s", as_index=False).agg(n=("x", "max")), "n", up=True).tail(7), True),
    "two keys": (lambda rows: by(rows.groupby(["k", "s"], as_index=False).agg(n=("x", "sum")), "n").head(9), True),
    "missing": (lambda rows: by(rows.groupby(["t", "k"], as_index=False).agg(n=("x", "max")), "n", "k").head(9), True),
    "distinct": (lambda rows: by(rows.groupby("s", as_index=False).agg(n=("x", "nunique")), "n", "s").head(9), True),
    "by key": (lambda rows: by(rows.groupby("s", as_index=False).agg(n=("x", "size")), "s", "n").head(9), True),
    "many": (lambda rows: by(rows.groupby("s", as_index=False).agg(n=("x", "size")), "n").head(99), False),
    "numbers": (lambda rows: by(rows.groupby("k", as_index=False).agg(n=("x", "size")), "n").head(2), False),
    "two": (
        lambda rows: by(rows.groupby("s", as_index=False).agg(n=("x", "size"), m=("x", "nunique")), "n").head(9),
        False,
    ),
}


@pytest.mark.few_rows_only
@pytest.mark.parametrize("hashed", [True, False])
@pytest.mark.parametrize(("count", "ranges"), [(2000, 3), (2000, 1), (1, 1)])
@pytest.mark.parametrize("name", QUESTIONS)
def test_first_groups_have_the_labels_of_all_groups_in_order(name, count, ranges, hashed, tmp_path, monkeypatch):  # noqa: PLR0917
    monkeypatch.setattr(plan, "have_long_text", lambda keys: hashed)
    monkeypatch.setattr(tuning, "MOST_STRINGS", 0)
    monkeypatch.setattr(tuning, "RANGE_ROWS", -(-count // ranges))
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 10)
    (question, is_ranked), rows = QUESTIONS[name], rows_of(count)
    for number in range(4):
        rows[number::4].to_parquet(tmp_path / f"rows{number}.parquet", index=False)
    rows = pandas.concat([rows[number::4] for number in range(4)], ignore_index=True)
    asked = question(ak.DataFrame(ak.read_parquet(str(tmp_path / "rows*.parquet"))))
    pandas.testing.assert_frame_equal(asked.to_pandas(), question(rows), check_dtype=False)
    nodes = inputs_first(optimize([*(asked[name].expr for name in asked.columns), asked.index.values.expr]))
    assert any(isinstance(node, Ranks) for node in nodes) is is_ranked
    assert all(node.ordered for node in nodes if isinstance(node, Groups)) is not is_ranked
