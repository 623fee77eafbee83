"""Keys whose hashes are all alike: whatever is found by hashes is compared before it counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.operators.group import tuning as group_tuning
from akdask.operators.join import tuning as join_tuning
from akdask.operators.keys import hashing
from akdask.testing.strategies import partition_lengths, partitioned


@pytest.fixture(autouse=True, params=[0, 2**64 - 1, None])
def colliding_hashes(request, monkeypatch):
    """Give rows one of few hashes, the extremes among them, and leave no way around hashes."""

    def few(whole):
        def hashed(columns):
            hashes = whole(columns)
            return hashes % np.uint64(2) if request.param is None else np.full_like(hashes, request.param)

        return hashed

    monkeypatch.setattr(hashing, "hash_rows", few(hashing.hash_rows))
    monkeypatch.setattr(hashing, "hash_words", few(hashing.hash_words))
    monkeypatch.setattr(hashing, "is_exact", lambda columns: False)
    monkeypatch.setattr(join_tuning, "FEW_STRINGS", -1)
    monkeypatch.setattr(group_tuning, "FEW_SPLIT_ROWS", 0)


KEY = st.tuples(st.sampled_from(["", "a", "é", "a long string, of several words"]), st.sampled_from([0.5, 2.0**70]))


@st.composite
def sides(draw):
    """Rows of text and numbers, twice: as arrays in some partitions, and as plain tuples."""
    made = []
    for _ in range(2):
        rows = draw(st.lists(KEY, min_size=1, max_size=12))
        lengths = draw(partition_lengths(len(rows), 3))
        made.append(([partitioned(np.array(column), lengths) for column in zip(*rows, strict=True)], rows))
    return made


def chosen(rows, columns):
    return [tuple(row[column] for column in columns) for row in rows]


@pytest.mark.parametrize("columns", [[0], [0, 1], [1]])
@settings(max_examples=settings().max_examples // 2)
@given(both=sides())
def test_rows_with_other_keys_do_not_meet(columns, both):
    (left, left_rows), (right, right_rows) = both
    lefts, rights = ([arrays[column] for column in columns] for arrays in (left, right))
    mine, theirs = chosen(left_rows, columns), chosen(right_rows, columns)
    pairs = [(i, j) for i, row in enumerate(mine) for j, other in enumerate(theirs) if row == other]
    assert list(zip(*(found.tolist() for found in ak.inner_join(lefts, rights)), strict=True)) == pairs
    assert ak.in1d(lefts, rights).tolist() == [row in theirs for row in mine]
    assert ak.find(lefts, rights).tolist() == [theirs.index(row) if row in theirs else -1 for row in mine]
    alone = [(i, -1) for i, row in enumerate(mine) if row not in theirs]
    assert list(zip(*(found.tolist() for found in ak.left_join(lefts, rights)), strict=True)) == sorted(pairs + alone)


@pytest.mark.parametrize("columns", [[0], [0, 1]])
@settings(max_examples=settings().max_examples // 2)
@given(both=sides())
def test_rows_with_other_keys_are_not_grouped(columns, both):
    (arrays, rows), _ = both
    keys = chosen(rows, columns)
    wanted = sorted(set(keys), key=lambda key: (key[0].encode(), *key[1:]))
    found, sums = ak.GroupBy([arrays[column] for column in columns]).sum(ak.arange(len(rows)))
    assert list(zip(*(column.tolist() for column in found), strict=True)) == wanted
    assert sums.tolist() == [sum(row for row, other in enumerate(keys) if other == key) for key in wanted]
    labels = ak.Categorical(arrays[0])
    assert labels.tolist() == [text for text, _ in rows]
