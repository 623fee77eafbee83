"""Some rows of each group: the first ones, the last ones, or ones chosen at random."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from akdask.operators.group.rows import Arrangement, RowsPerGroup

KEYS = np.array([2, 0, 2, 1, 0, 2, 0, 2, 2])
ROWS = np.arange(len(KEYS))


def chosen_rows(*carried, keys=KEYS, **options):
    arrangement = Arrangement(1, RowsPerGroup(**options))
    # The last column says where in the stream of random numbers those of the row's group begin.
    begins = np.asarray(keys) * len(keys)
    table = arrangement.grouped(arrangement.group([keys]), [np.arange(len(keys)), *carried, begins])
    return arrangement.finish(table).columns[0]


@pytest.mark.parametrize("kind", ["head", "tail"])
def test_the_first_and_last_rows_of_groups_are_those_of_pandas(kind):
    groups = pd.DataFrame({"k": KEYS, "row": ROWS}).groupby("k")
    for count in range(-6, 7):
        wanted = getattr(groups, kind)(count).sort_values("k", kind="stable")["row"]
        assert chosen_rows(kind=kind, count=count).tolist() == wanted.tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_a_share_of_each_group_is_chosen_once(weighted):
    for share in (0.0, 0.2, 0.5, 0.7, 1.0):
        odds = [ROWS + 1.0] if weighted else []
        rows = chosen_rows(*odds, kind="sample", share=share, weighted=weighted, seed=4)
        sizes = [np.count_nonzero(key == KEYS[rows]) for key in range(3)]
        assert sizes == [round(size * share) for size in (3, 1, 5)]
        assert len(set(rows.tolist())) == len(rows)


@pytest.mark.parametrize("replace", [False, True])
def test_rows_are_chosen_as_often_as_their_odds_say(replace):
    keys, odds = np.tile(np.arange(4000), 3), np.repeat([1.0, 5.0, 2.0], 4000)
    rows = chosen_rows(odds, keys=keys, kind="sample", count=1, weighted=True, replace=replace, seed=9)
    assert keys[rows].tolist() == list(range(4000))
    # Three standard deviations are 90 rows.
    np.testing.assert_allclose(np.bincount(rows // 4000), [500, 2500, 1000], atol=90)


def test_rows_that_are_chosen_several_times_depend_on_the_seed_and_on_the_draw():
    found = [chosen_rows(kind="sample", count=50, replace=True, seed=seed).reshape(3, 50) for seed in range(3)]
    for rows in found:
        assert [set(KEYS[of_group].tolist()) for of_group in rows] == [{0}, {1}, {2}]
        assert [len(set(of_group.tolist())) for of_group in rows] == [3, 1, 5]
    assert len({tuple(rows.ravel().tolist()) for rows in found}) == 3
