"""Parts that are read as one, beside their rows end to end."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_ints, to_ints
from akdask.storage.source import ConsecutiveParts
from akdask.testing.memory import MemoryPart


def parts_of(columns, lengths):
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    return [
        MemoryPart(k, start, count, columns, []) for k, (start, count) in enumerate(zip(starts, lengths, strict=True))
    ]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any), st.data())
def test_any_range_of_rows_is_read_as_if_it_were_one_part(lengths, data):
    total = sum(lengths)
    start = data.draw(st.integers(0, total - 1))
    stop = data.draw(st.integers(start + 1, total))
    columns = {"n": np.arange(total) * 3, "s": pa.array([f"é{k}" for k in range(total)], pa.large_string())}
    joined = ConsecutiveParts(parts_of(columns, lengths))
    assert joined.nrows == total
    out = np.full(total + 1, -1)
    with joined.open() as reader:
        assert reader.read("n", start, stop).tolist() == columns["n"][start:stop].tolist()
        assert reader.read("s", start, stop).to_pylist() == columns["s"][start:stop].to_pylist()
        filled = reader.read("n", start, stop, out)
    assert np.shares_memory(filled, out)
    assert filled.tolist() == columns["n"][start:stop].tolist()
    assert (out[stop - start :] == -1).all()


def test_integers_of_different_widths_are_joined():
    few, many = from_ints([1, -2]), from_ints([2**200])
    parts = [MemoryPart(0, 0, 2, {"b": few}, []), MemoryPart(1, 0, 1, {"b": many}, [])]
    with ConsecutiveParts(parts).open() as reader:
        assert to_ints(reader.read("b", 0, 3)) == [1, -2, 2**200]


def test_parts_without_rows_are_not_opened_and_the_others_closed():
    events = []

    class Counted(MemoryPart):
        def __enter__(self):
            events.append(("open", self.index))
            return self

        def __exit__(self, kind, error, trace):
            events.append(("close", self.index))

    columns = {"n": np.arange(3)}
    parts = [Counted(k, 0, count, columns, []) for k, count in enumerate((2, 0, 1))]
    with ConsecutiveParts(parts).open():
        assert events == [("open", 0), ("open", 2)]
    assert events[2:] == [("close", 2), ("close", 0)]


def test_a_part_that_cannot_be_opened_leaves_none_open():
    closed = []

    class Broken(MemoryPart):
        def __enter__(self):
            if self.index:
                raise OSError("gone")
            return self

        def __exit__(self, kind, error, trace):
            closed.append(self.index)

    parts = [Broken(k, 0, 1, {"n": np.arange(1)}, []) for k in range(2)]
    try:
        with ConsecutiveParts(parts).open():
            raise AssertionError("it was opened")
    except OSError:
        assert closed == [0]
