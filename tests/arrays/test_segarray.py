"""SegArrays in any partitions against lists of lists."""

from itertools import accumulate

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, PositionError
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths, partitioned

ROWS = [[3, 1], [], [4, 1, 5], [9], [], [2, 6, 5, 3]]
FILLED = [row for row in ROWS if row]
BIG = [[2**70, 1], [], [2**64, 2**64 - 1]]
TEXT = [["b", "a"], [], ["", "é", "a"], ["b"]]


def segarray(rows, segment_lengths=None, value_lengths=None):
    """Return a SegArray of segments and values that are in any partitions."""
    starts = np.array(list(accumulate(map(len, rows), initial=0))[:-1], np.int64)
    flat = [item for row in rows for item in row]
    values = ak.array(flat) if flat else ak.array(np.empty(0, np.int64))
    if value_lengths is not None:
        values = partitioned(np.array(flat, np.int64), value_lengths)
    return ak.SegArray(partitioned(starts, segment_lengths or [len(rows)]), values)


@pytest.fixture(params=[[6], [2, 0, 3, 1], [0, 5, 1, 0]])
def lazy(request):
    return segarray(ROWS, request.param, [5, 0, 5])


@given(data=st.data())
def test_segments_and_values_meet_in_any_partitions(data):
    rows = data.draw(st.lists(st.lists(st.integers(-9, 9), max_size=4), max_size=8))
    count = sum(map(len, rows))
    made = segarray(rows, data.draw(partition_lengths(len(rows))), data.draw(partition_lengths(count)))
    if not rows:
        assert made.tolist() == []
        return
    assert made.tolist() == rows
    assert made.lengths.tolist() == list(map(len, rows))
    assert made.values.tolist() == [item for row in rows for item in row]
    assert made.segments.tolist() == list(accumulate(map(len, rows), initial=0))[:-1]


@pytest.mark.parametrize(
    ("segments", "values"),
    [([1, 2], [1, 2, 3]), ([0, 2, 1], [1, 2, 3]), ([0, 4], [1, 2, 3]), ([], [1]), ([0, -1], [1]), ([0, 5, 2], [1] * 5)],
)
def test_segments_that_do_not_fit_are_refused(segments, values):
    starts = np.array(segments, np.int64)
    with pytest.raises(ArgumentError, match="segments"):
        ak.SegArray(ak.array(starts), ak.array(values)).tolist()
    if len(segments) > 1:
        with pytest.raises(ArgumentError, match="segments"):
            ak.SegArray(partitioned(starts, [1, len(starts) - 1]), ak.array(values)).tolist()


def test_segments_are_integers_and_values_no_lists(lazy):
    for segments, values in [(ak.array([0.0]), ak.array([1])), (ak.array(["a"]), ak.array([1])), (ak.array([0]), lazy)]:
        with pytest.raises(ArgumentTypeError):
            ak.SegArray(segments, values)


@pytest.mark.lazy_only
def test_building_reads_nothing_but_the_first_segments():
    source = MemorySource({"s": np.arange(0, 40, 2)}, [10, 10])
    values = MemorySource({"v": np.arange(40)}, [15, 25])
    made = ak.SegArray(source.arrays()["s"], values.arrays()["v"])
    assert not values.reads
    assert made.lengths.tolist() == [2] * 20


def test_attributes_tell_of_lists_and_values(lazy):
    assert (lazy.size, len(lazy), lazy.valsize, lazy.nbytes, lazy.shape) == (6, 6, 10, 80, (6,))
    assert lazy.dtype == np.int64
    assert lazy.non_empty.tolist() == [True, False, True, True, False, True]
    assert segarray(BIG).dtype == ak.bigint
    assert segarray(TEXT).dtype.kind == "U"
    assert isinstance(segarray(TEXT).values, ak.Strings)
    assert segarray(TEXT).nbytes == sum(len(word.encode()) + 1 for row in TEXT for word in row)


def test_values_are_grouped_by_their_lists(lazy):
    keys, sums = lazy.grouping.sum(lazy.values)
    assert keys.tolist() == [0, 1, 2, 3]
    assert sums.tolist() == [sum(row) for row in FILLED]
    spread = lazy.grouping.broadcast(lazy.lengths[lazy.non_empty])
    assert (lazy.values * spread).tolist() == [item * len(row) for row in ROWS for item in row]
    assert segarray([[], []]).grouping.size()[1].tolist() == []


@pytest.mark.parametrize("key", [slice(1, 4), slice(None, None, -2), [5, 0, -1], [True, False] * 3, slice(3, 3)])
def test_lists_are_selected_as_rows_are(lazy, key):
    expected = [ROWS[k] for k in np.arange(6)[key]]
    assert lazy[key].tolist() == expected
    if isinstance(key, list):
        assert lazy[ak.array(key)].tolist() == expected


def test_one_list_is_an_array_of_its_values(lazy):
    assert isinstance(lazy[2], ak.pdarray)
    assert [lazy[k].tolist() for k in (0, 1, -1)] == [[3, 1], [], [2, 6, 5, 3]]
    assert segarray(TEXT)[2].tolist() == TEXT[2]
    with pytest.raises(PositionError):
        lazy[6]


def test_conversion_gives_arrays_of_arrays(lazy):
    found = lazy.to_ndarray()
    assert found.dtype == object
    assert [row.tolist() for row in found] == ROWS
    assert all(row.dtype == np.int64 for row in found)
    assert [row.tolist() for row in lazy] == lazy.to_list() == ROWS
    (computed,) = dask.compute(lazy)
    assert [row.tolist() for row in computed] == ROWS
    assert lazy.persist().tolist() == lazy.copy().tolist() == ROWS
    for rows in (BIG, TEXT):
        assert segarray(rows).tolist() == rows
        assert ak.SegArray.from_multi_array(rows).tolist() == rows
    same = ak.SegArray.from_parts(ak.array([0, 1]), ak.array([True, False]))
    assert same.tolist() == ak.SegArray.from_multi_array([np.array([True]), [False]]).tolist() == [[True], [False]]
    assert ak.SegArray.from_multi_array([]).tolist() == []
    assert ak.SegArray.from_multi_array(ak.array([7, 8])).tolist() == [[7], [8]]


def test_repr_shows_lists(lazy):
    assert repr(ak.SegArray.from_multi_array([[1, 2], []])) == "SegArray([\n[1 2]\n[]\n])"
    assert repr(segarray(TEXT[:1])) == "SegArray([\n['b', 'a']\n])"
    assert "..." in repr(ak.SegArray(ak.arange(50), ak.arange(50)))


REDUCTIONS = {
    "sum": np.sum,
    "prod": np.prod,
    "min": np.min,
    "max": np.max,
    "mean": np.mean,
    "any": np.any,
    "all": np.all,
    "nunique": lambda row: len(np.unique(row)),
    "OR": np.bitwise_or.reduce,
    "AND": np.bitwise_and.reduce,
    "XOR": np.bitwise_xor.reduce,
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_lists_that_are_not_empty_are_reduced(lazy, name):
    expected = [REDUCTIONS[name](row) for row in FILLED]
    if name in ("any", "all"):
        lazy = ak.SegArray(lazy.segments, lazy.values != 0)
    assert getattr(lazy, name)().tolist() == expected
    keys, values = lazy.aggregate(name)
    assert (keys.tolist(), values.tolist()) == ([0, 1, 2, 3], expected)


def test_reductions_share_rows_with_what_is_not_empty(lazy):
    weights = ak.arange(6)
    assert (lazy.sum() * weights[lazy.non_empty]).tolist() == [0, 20, 27, 80]
    full = segarray([[1, 2], [3]], [1, 1])
    assert (full.sum().resolve_lengths() + ak.array([10, 20])).tolist() == [13, 23]


def test_positions_of_extremes_are_among_all_values(lazy):
    flat = np.array([item for row in ROWS for item in row])
    assert lazy.argmin().tolist() == [1, 3, 5, 6]
    assert lazy.argmax().tolist() == [0, 4, 5, 7]
    assert flat[lazy.argmin().to_ndarray()].tolist() == [min(row) for row in FILLED]
    assert flat[lazy.argmax().to_ndarray()].tolist() == [max(row) for row in FILLED]


def test_other_values_can_stand_for_the_lists(lazy):
    assert lazy.sum(lazy.values * 2).tolist() == [2 * sum(row) for row in FILLED]
    assert lazy.max(ak.arange(10)).tolist() == [1, 4, 5, 9]
    assert lazy.all(lazy.values > 1).tolist() == [False, False, True, True]
    assert lazy.unique(lazy.values % 2).tolist() == [[1], [], [0, 1], [1], [], [0, 1]]
    with pytest.raises(AlignmentError):
        lazy.sum(ak.arange(9))
    with pytest.raises(ArgumentTypeError, match="'int64'"):
        lazy.any("int64")
    with pytest.raises(ArgumentError, match="median"):
        lazy.aggregate("median")


def test_integers_of_any_size_and_strings_are_reduced_too():
    assert segarray(BIG).sum().tolist() == [2**70 + 1, 2**65 - 1]
    assert segarray(BIG).max().tolist() == [2**70, 2**64]
    assert segarray(TEXT).nunique().tolist() == [2, 3, 1]
    with pytest.raises(ArgumentTypeError):
        segarray(TEXT).sum()
    with pytest.raises(ArgumentTypeError):
        ak.SegArray(ak.array([0]), ak.array([1.5])).OR()


def test_the_jth_values_of_lists(lazy):
    values, there = lazy.get_jth(1, default=-7)
    assert values.tolist() == [1, -7, 1, -7, -7, 6]
    assert there.tolist() == [True, False, True, False, False, True]
    assert lazy.get_jth(-1, return_origins=False, compressed=True).tolist() == [1, 5, 9, 3]
    for wrong in (1.5, "a", True):
        with pytest.raises(ArgumentTypeError):
            lazy.get_jth(wrong)
    text, there = segarray(TEXT).get_jth(0)
    assert (text.tolist(), there.tolist()) == (["b", "", "b"], [True, False, True, True])


def columns(found):
    return [list(row) for row in zip(*(column.tolist() for column in found), strict=True)]


def test_beginnings_ends_and_lists_of_a_length(lazy):
    found, there = lazy.get_prefixes(2)
    assert columns(found) == [[4, 1], [2, 6]]
    assert there.tolist() == [False, False, True, False, False, True]
    assert columns(lazy.get_prefixes(2, return_origins=False, proper=False)) == [[3, 1], [4, 1], [2, 6]]
    assert columns(lazy.get_suffixes(2, return_origins=False)) == [[1, 5], [5, 3]]
    assert columns(lazy.get_suffixes(1, return_origins=False, proper=False)) == [[1], [5], [9], [3]]
    found, there = lazy.get_length_n(2)
    assert columns(found) == [[3, 1]]
    assert there.tolist() == [True] + [False] * 5


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_runs_of_values_with_the_lists_that_they_are_from(lazy, n):
    expected = [(row[k : k + n], number) for number, row in enumerate(ROWS) for k in range(len(row) - n + 1)]
    found, origins = lazy.get_ngrams(n)
    assert columns(found) == [run for run, _ in expected]
    assert origins.tolist() == [number for _, number in expected]
    with pytest.raises(ArgumentError):
        lazy.get_ngrams(0)


def test_setting_values_leaves_what_was_derived_before(lazy):
    before, sums = lazy.copy(), lazy.sum()
    lazy.set_jth(ak.array([0, 5]), -1, 100)
    assert lazy.tolist() == [[3, 100], [], [4, 1, 5], [9], [], [2, 6, 5, 100]]
    lazy.set_jth(ak.array([5, 2]), 0, ak.array([-1, -2]))
    assert lazy.tolist() == [[3, 100], [], [-2, 1, 5], [9], [], [-1, 6, 5, 100]]
    lazy.set_jth(3, 0, 0)
    assert lazy[3].tolist() == [0]
    assert (before.tolist(), sums.tolist()) == (ROWS, [sum(row) for row in FILLED])
    lazy.set_jth(ak.array([1]), 0, 5)
    with pytest.raises(ArgumentError, match="0 values"):
        lazy.tolist()
    with pytest.raises(ArgumentTypeError):
        before.set_jth(0, 0, "text")


def test_single_values_are_put_behind_or_before(lazy):
    assert lazy.append_single(7).tolist() == [[*row, 7] for row in ROWS]
    assert lazy.prepend_single(ak.arange(6)).tolist() == [[k, *row] for k, row in enumerate(ROWS)]
    with pytest.raises(ArgumentTypeError, match="no single text"):
        segarray(TEXT).append_single("z")
    assert segarray(BIG).append_single(5).tolist() == [[*row, 5] for row in BIG]
    with pytest.raises(ArgumentTypeError):
        lazy.append_single(1.5)
    with pytest.raises(AlignmentError):
        lazy.append_single(ak.arange(5))


def test_segarrays_join_end_to_end_or_row_by_row(lazy):
    other = segarray([[7]] * 6, [3, 3])
    assert lazy.append(other).tolist() == ROWS + [[7]] * 6
    assert lazy.append(other, axis=1).tolist() == [[*row, 7] for row in ROWS]
    assert ak.SegArray.concat([lazy, other, lazy]).tolist() == ROWS + [[7]] * 6 + ROWS
    assert ak.concatenate([lazy, other]).tolist() == ROWS + [[7]] * 6
    for wrong in ([], [lazy, segarray(TEXT)], [lazy, 5]):
        with pytest.raises((ArgumentError, ArgumentTypeError)):
            ak.SegArray.concat(wrong)
    with pytest.raises(AlignmentError):
        lazy.append(segarray([[1]]), axis=1)


def test_sets_row_by_row(lazy):
    other = segarray([[1], [2], [5, 4], [], [], [9, 2]], [6])
    assert lazy.intersect(other).tolist() == [[1], [], [4, 5], [], [], [2]]
    assert lazy.union(other).tolist() == [[1, 3], [2], [1, 4, 5], [9], [], [2, 3, 5, 6, 9]]
    assert lazy.setdiff(other).tolist() == [[3], [], [1], [9], [], [3, 5, 6]]
    assert lazy.setxor(other).tolist() == [[3], [2], [1], [9], [], [3, 5, 6, 9]]
    assert lazy.unique().tolist() == [sorted(set(row)) for row in ROWS]
    with pytest.raises(ArgumentTypeError):
        lazy.union(ak.arange(6))


def test_values_and_repeats_are_left_out(lazy):
    assert lazy.filter([1, 9]).tolist() == [[3], [], [4, 5], [], [], [2, 6, 5, 3]]
    assert lazy.filter(ak.array([1, 9]), discard_empty=True).tolist() == [[3], [4, 5], [2, 6, 5, 3]]
    assert lazy.filter(3).tolist() == [[1], [], [4, 1, 5], [9], [], [2, 6, 5]]
    assert segarray(TEXT).filter("a").tolist() == [["b"], [], ["", "é"], ["b"]]
    repeats = segarray([[1, 1, 2, 1], [], [3, 3]], [1, 2])
    kept, counts = repeats.remove_repeats(return_multiplicity=True)
    assert (kept.tolist(), counts.tolist()) == ([[1, 2, 1], [], [3]], [[2, 1, 1], [], [2]])
    assert repeats.remove_repeats().tolist() == kept.tolist()


def test_equality_goes_list_by_list(lazy):
    changed = lazy.copy()
    changed.set_jth(0, 0, 8)
    assert (lazy == changed).tolist() == [False] + [True] * 5
    assert (lazy != changed).tolist() == [True] + [False] * 5
    assert lazy.equals(segarray(ROWS)) is True
    assert lazy.equals(changed) is lazy.equals(segarray(ROWS[:5])) is lazy.equals(ROWS) is False
    assert (segarray(TEXT) == segarray(TEXT)).all()
    assert (lazy == 5) is False


def test_equal_lists_have_equal_hashes(lazy):
    high, low = lazy.hash()
    again = segarray(ROWS[::-1]).hash()
    assert [high.tolist()[::-1], low.tolist()[::-1]] == [half.tolist() for half in again]
    assert len(set(high.tolist())) == 5
    assert high.dtype == np.uint64


def test_lists_are_columns_of_dataframes(lazy):
    frame = ak.DataFrame({"lists": lazy, "n": ak.arange(6), "big": ak.array([2**70] * 6)})
    expected = pd.DataFrame({"lists": ROWS, "n": range(6), "big": [2**70] * 6})
    pd.testing.assert_frame_equal(frame.to_pandas(), expected)
    chosen = frame[frame["n"] > 2]
    assert chosen["lists"].tolist() == ROWS[3:]
    assert chosen.to_pandas()["lists"].tolist() == ROWS[3:]
    assert "[4, 1, 5]" in repr(frame)


@pytest.mark.parametrize("file_type", ["distribute", "single"])
@pytest.mark.parametrize("rows", [ROWS, BIG, TEXT, [[True], [], [False, True]], [[1.5, -0.0], []], [[], []]], ids=str)
def test_files_give_back_what_was_written(prefix, rows, file_type):
    made = ak.SegArray.concat([segarray(rows), segarray(rows)[1:]])
    expected = [*rows, *rows[1:]]
    made.to_hdf(prefix, file_type=file_type)
    found = ak.SegArray.read_hdf(prefix)["segarray"]
    assert found.tolist() == expected
    assert found.dtype == made.dtype
    made[:2].to_hdf(prefix.with_name("other"))
    other = ak.load(prefix.with_name("other"), dataset="segarray")["segarray"]
    assert other.tolist() == expected[:2]
    found.update_hdf(prefix.with_name("other"))
    assert ak.load_all(prefix.with_name("other"))["segarray"].tolist() == expected


def test_any_partitions_are_written_to_any_files(lazy, prefix):
    ak.to_hdf({"s": lazy, "n": ak.arange(4), "t": segarray(TEXT)}, prefix)
    found = ak.read_hdf(f"{prefix}_LOCALE*")
    assert found["s"].tolist() == ROWS
    assert found["t"].tolist() == TEXT
    assert found["n"].tolist() == [0, 1, 2, 3]
    assert found["s"][found["s"].lengths > 1].values.tolist() == [3, 1, 4, 1, 5, 2, 6, 5, 3]


def test_lists_are_not_added_to_parquet_files(tmp_path):
    with pytest.raises(ValueError, match="a SegArray is not added to Parquet files"):
        segarray([[1]]).to_parquet(tmp_path / "lists", mode="append")
    assert not list(tmp_path.iterdir())
