from __future__ import annotations

import pickle
import sys

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns import Table
from akdask.plan.shelf import Shelf, shelved


def table(start, stop):
    rows = np.arange(start, stop)
    return Table({"n": rows, "s": pa.array([f"é{row}" for row in rows], pa.large_string())}, len(rows))


def listed(pieces):
    return [[(part.columns["n"].tolist(), part.columns["s"].to_pylist()) for part in parts] for parts in pieces]


@pytest.fixture
def pieces():
    return [[table(0, 3)], [], [table(3, 4), table(4, 1000)]]


def test_pieces_come_back_from_a_shelf_one_by_one(pieces):
    shelf = Shelf(iter(pieces))
    assert listed([shelf[2]]) == listed(pieces[2:])
    assert listed(shelf) == listed(shelf[:]) == listed(pieces)
    assert len(shelf) == 3
    with pytest.raises(IndexError):
        shelf[3]


def test_arrays_from_a_shelf_may_be_written_to(pieces):
    # Sorting does, in place.
    read = Shelf(pieces)[0][0].columns["n"]
    read.sort()
    assert read.flags.writeable


def test_what_is_on_a_shelf_travels_with_it(pieces):
    assert listed(pickle.loads(pickle.dumps(Shelf(pieces)))) == listed(pieces)


def test_a_shelf_says_what_it_would_cost_to_move(pieces):
    assert 8_000 + 1_000 < sys.getsizeof(Shelf(pieces)) < 30_000


def joined(parts):
    return [Table.concat(parts)] if parts else []


def test_pieces_are_joined_and_put_on_a_shelf_if_they_take_more_than_there_is_room(pieces):
    assert shelved(pieces, None, joined) is pieces
    wanted = listed([joined(parts) for parts in pieces])
    held, stored = (shelved(pieces, room, joined) for room in (2**20, 100))
    assert (type(held), type(stored)) == (list, Shelf)
    assert listed(held) == listed(stored) == wanted
