from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.join.key_tables import MatchMultiplicity

TABLES = st.lists(st.integers(0, 6), max_size=20)


def joined(multiplicity, found, keep_all, limit):
    """All pairs that a fanout yields, which must be within the limit unless no row is repeated."""
    made = []
    for positions, rows in multiplicity.pairs(found, keep_all, limit):
        whole = np.arange(len(found)) if positions is None else positions
        made += zip(whole.tolist(), rows.tolist(), strict=True)
        assert len(rows) <= max(limit, len(found))
    return made


@given(TABLES, TABLES, st.booleans(), st.integers(1, 5))
def test_every_row_is_paired_with_all_that_are_equal(table, wanted, keep_all, limit):
    firsts = np.array([table.index(item) for item in table], np.int64)
    found = np.array([table.index(item) if item in table else -1 for item in wanted], np.int64)
    expected = []
    for position, item in enumerate(wanted):
        rows = [row for row, other in enumerate(table) if other == item]
        expected += [(position, row) for row in rows or [-1] * keep_all]
    assert joined(MatchMultiplicity(firsts), found, keep_all, limit) == expected
    assert joined(MatchMultiplicity(firsts), found, keep_all, 1000) == expected


def test_positions_are_left_out_where_they_are_all_rows():
    multiplicity = MatchMultiplicity(None)
    ((positions, rows),) = multiplicity.pairs(np.array([2, 0]), False, 10)
    assert (positions, rows.tolist()) == (None, [2, 0])


def test_pairs_of_a_row_with_many_matches_come_in_several_batches():
    multiplicity = MatchMultiplicity(np.zeros(10, np.int64))
    lots = [rows.tolist() for _, rows in multiplicity.pairs(np.array([0, 0]), False, 8)]
    assert lots == [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]
