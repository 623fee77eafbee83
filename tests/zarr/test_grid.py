from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from akdask.formats.zarr.metadata import Grid, inside, runs

SIDES = st.lists(st.tuples(st.integers(1, 7), st.integers(1, 9)), min_size=1, max_size=4)


@given(SIDES, st.data())
def test_runs_are_the_elements_of_the_array_in_order(sides, data):
    shape = tuple(length for length, _ in sides)
    array = np.arange(np.prod(shape)).reshape(shape)
    start = data.draw(st.integers(0, array.size))
    stop = data.draw(st.integers(start, array.size))
    whole = tuple((0, length) for length in shape)
    found = [(place, array[inside(box, whole)].ravel().tolist()) for place, box in runs(shape, start, stop)]
    assert [element for _, elements in found for element in elements] == list(range(start, stop))
    assert [place for place, _ in found] == [elements[0] - start for _, elements in found]
    assert len(found) <= 2 * len(shape) + 1


@given(SIDES)
def test_stripes_are_runs_of_elements_that_share_no_chunk(sides):
    grid = Grid(*(tuple(numbers) for numbers in zip(*sides, strict=True)))
    array = np.arange(grid.size).reshape(grid.shape)
    whole = tuple((0, length) for length in grid.shape)
    for stripe in range(grid.nstripes):
        chunks = list(grid.stripe_chunks(stripe))
        elements = np.sort(np.concatenate([array[inside(grid.box_of(chunk), whole)].ravel() for chunk in chunks]))
        assert elements.tolist() == list(range(grid.stripe_start(stripe), grid.stripe_start(stripe + 1)))
        assert {grid.stripe_at(element) for element in elements.tolist()} == {stripe}
        assert {chunk[: grid.axis + 1] for chunk in chunks} == {grid.stripe_prefix(stripe)}
    assert grid.stripe_start(grid.nstripes) == grid.size
    assert sum(len(list(grid.stripe_chunks(stripe))) for stripe in range(grid.nstripes)) == np.prod(grid.counts)
