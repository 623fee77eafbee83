"""What a plan reads, how many tasks it takes, and that writing plans costs little however large the data."""

import dask
import numpy as np
import pytest
from dask.base import collections_to_expr

import akdask as ak
from akdask.engine.alignment import Realign, align_by_plan
from akdask.engine.rowwise import Filter
from akdask.engine.sources import Scan
from akdask.errors import AlignmentError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

LENGTHS = [4, 0, 3, 5]
ROWS = sum(LENGTHS)


@pytest.fixture
def source():
    columns = {name: np.arange(ROWS) * factor for name, factor in [("bytes", 10), ("port", 1), ("rate", 0.5)]}
    return MemorySource({**columns, "proto": [f"p{row}" for row in range(ROWS)]}, LENGTHS)


def tasks_of(*collections):
    """Return the graph that computing would run."""
    return dict(collections_to_expr(list(collections)).optimize().__dask_graph__())


def columns_read(source):
    return {read.column for read in source.reads}


def read_once(source):
    """Whether no row of any column was read twice."""
    rows = [(read.partition, read.column, row) for read in source.reads for row in range(read.start, read.stop)]
    return len(rows) == len(set(rows))


# ------------------------------------------------------------------------------------------------------ what is read


def test_only_the_columns_that_are_needed_are_read_and_once(source):
    big = source.arrays()
    large = big["port"] > 3
    assert int(big["bytes"][large].sum()) == sum(range(40, ROWS * 10, 10))
    assert columns_read(source) == {"bytes", "port"}
    assert read_once(source)


def test_the_number_of_rows_of_files_is_known_without_reading(source):
    assert len(source.arrays()["bytes"]) == ROWS
    assert source.reads == []


def test_counting_filtered_rows_reads_the_columns_of_the_filter_alone(source):
    big = source.arrays()
    kept = big["bytes"][big["port"] % 2 == 0]
    assert len(kept) == 6
    assert columns_read(source) == {"port"}
    source.reads.clear()
    assert kept.size == len(big["rate"][big["port"] % 2 == 0]) == 6
    assert source.reads == [], "the count is kept for every column of the same rows"


def test_reductions_computed_together_read_their_rows_once(source):
    big = source.arrays()
    dask.compute(big["bytes"].sum(), big["bytes"].mean(), big["rate"].max(), (big["bytes"] / big["port"]).min())
    assert columns_read(source) == {"bytes", "port", "rate"}
    assert read_once(source)


def test_reductions_of_the_same_filtered_rows_read_them_once(source):
    big = source.arrays()
    dask.compute(big["bytes"][big["port"] > 2].sum(), big["rate"][big["port"] > 2].mean())
    assert read_once(source)


def test_columns_beside_a_filter_are_not_read_where_it_leaves_nothing(source):
    big = source.arrays()
    assert big["bytes"][big["port"] == 5].tolist() == [50]
    assert {read.partition for read in source.reads if read.column == "port"} == {0, 2, 3}
    assert {read.partition for read in source.reads if read.column == "bytes"} == {2}


def test_a_slice_reads_the_rows_that_it_covers(source):
    assert source.arrays()["bytes"][5:9].tolist() == [50, 60, 70, 80]
    assert sorted((read.partition, read.start, read.stop) for read in source.reads) == [(2, 1, 3), (3, 0, 2)]


def test_an_element_reads_one_row(source):
    assert source.arrays()["bytes"][-1] == 110
    assert [(read.partition, read.start, read.stop) for read in source.reads] == [(3, 4, 5)]


def test_a_slice_of_a_slice_reads_the_rows_that_it_covers(source):
    assert source.arrays()["bytes"][4:][1:3].tolist() == [50, 60]
    assert {read.partition for read in source.reads} == {2}
    assert sum(read.stop - read.start for read in source.reads) <= 3


def test_the_head_of_filtered_rows_stops_reading_when_it_has_enough():
    # Smaller partitions are one block.
    source = MemorySource({"x": np.arange(200_000)}, [200_000])
    x = source.arrays()["x"]
    with ak.config.set(block_size=8000):
        assert x[x >= 5].head(3).tolist() == [5, 6, 7]
    assert source.reads[-1].stop == 1000


def test_showing_an_array_reads_its_edges():
    source = MemorySource({"x": np.arange(1000)}, [100] * 10)
    assert repr(source.arrays()["x"]) == "array([0 1 2 ... 997 998 999])"
    assert {read.partition for read in source.reads} == {0, 9}
    assert sum(read.stop - read.start for read in source.reads) <= 10


def test_parts_of_a_concatenation_are_read_as_if_they_were_alone(source):
    big = source.arrays()
    both = ak.concatenate([big["bytes"], big["port"]])
    assert int(both[both > 50].sum()) == sum(range(60, 120, 10))
    assert columns_read(source) == {"bytes", "port"}
    assert read_once(source)


def test_columns_beside_those_that_are_asked_for_are_not_made(source):
    big = source.arrays()
    reverse = big["rate"][np.arange(ROWS)[::-1].copy()]
    frame, (_, value) = align_by_plan(
        "add", [(big["bytes"]._frame, big["bytes"]._value), (reverse._frame, reverse._value)]
    )
    beside = ak.pdarray(frame, big["bytes"]._value)
    assert int(beside.sum()) == 660
    assert columns_read(source) == {"bytes"}
    source.reads.clear()
    assert float(ak.pdarray(frame, value).sum()) == 33.0
    assert columns_read(source) == {"rate"}


# ----------------------------------------------------------------------------------------------------- how many tasks


@pytest.fixture
def many_batches(monkeypatch):
    """Have as many tasks on every machine."""
    monkeypatch.setattr("akdask.engine.pipeline.CORES", 64)


def test_tasks_grow_with_partitions_and_not_with_operators_or_columns(many_batches):
    def count(partitions, columns, operators):
        source = MemorySource({f"c{k}": np.arange(partitions) for k in range(columns)}, [1] * partitions)
        arrays = source.arrays().values()
        for _ in range(operators):
            arrays = [array * 2 + 1 for array in arrays]
        total = sum(arrays)
        return len(tasks_of(total[total > 5].sum()))

    assert count(4, 1, 1) == count(4, 7, 1) == count(4, 7, 9) == 4 + 1
    assert count(8, 1, 1) == 8 + 1


def test_a_reduction_is_a_tree(source, many_batches):
    arrays = MemorySource({"x": np.arange(300)}, [1] * 300).arrays()
    tasks = tasks_of(arrays["x"].sum())
    # 64 partials of 4 or 5 small partitions each, combined by 16: 4, then the last.
    assert len(tasks) == 64 + 4 + 1
    assert arrays["x"].sum() == sum(range(300))


def test_reductions_computed_together_share_their_tasks(source):
    big = source.arrays()
    alone = len(tasks_of(big["bytes"].sum()))
    together = len(tasks_of(big["bytes"].sum(), big["rate"].mean(), big["port"].max()))
    assert together == alone + 3, "one more task for each of several results"


def test_reductions_of_different_rows_keep_their_own_passes(source):
    big = source.arrays()
    found = dask.compute(big["bytes"].sum(), big["bytes"][big["port"] > 5].sum(), big["bytes"][1:3].sum())
    assert found == (660, sum(range(60, 120, 10)), 30)


def test_a_slice_takes_tasks_for_the_partitions_that_it_touches(source):
    assert len(tasks_of(source.arrays()["bytes"][5:9])) == 2


def test_keys_are_in_the_order_of_the_partitions(source):
    expr = collections_to_expr([source.arrays()["bytes"] + 1]).optimize()
    ((name, *_), *_) = keys = list(dask.core.flatten(expr.__dask_keys__()))
    assert keys == [(name, index) for index in range(len(LENGTHS))]


# --------------------------------------------------------------------------------------------------------- alignment


def test_the_same_mask_on_both_sides_costs_one_filter(source):
    big = source.arrays()
    mask = big["port"] > 2
    total = big["bytes"][mask] + big["rate"][mask]
    assert isinstance(total._frame, Filter)
    assert isinstance(total._frame.frame, Scan)
    assert len(tasks_of(total)) == len(LENGTHS)


def test_a_mask_written_twice_is_the_same_mask(source):
    big = source.arrays()
    total = big["bytes"][big["port"] > 2] + big["rate"][big["port"] > 2]
    assert total.tolist() == [row * 10.5 for row in range(3, ROWS)]


def test_filtering_twice_by_the_same_masks_is_the_same_rows(source):
    big = source.arrays()
    sides = []
    for name in ("bytes", "rate"):
        once, port = big[name][big["port"] > 2], big["port"][big["port"] > 2]
        sides.append(once[port < 6])
    assert (sides[0] + sides[1]).tolist() == [row * 10.5 for row in range(3, 6)]


def test_rows_of_which_different_masks_leave_other_numbers_do_not_combine(source):
    big = source.arrays()
    with pytest.raises(AlignmentError) as error:
        big["bytes"][big["port"] > 2] + big["rate"][big["port"] > 3]
    assert str(error.value) == (
        "cannot add columns that do not share rows.\n"
        "  left:  9 rows in 4 partitions, lengths (1, 0, 3, 5)   from selection from Scan memory\n"
        "  right: 8 rows in 4 partitions, lengths (0, 0, 3, 5)   from selection from Scan memory\n"
        "Hint: apply the same mask to both sides."
    )


def test_rows_of_other_numbers_do_not_combine(source):
    with pytest.raises(AlignmentError, match=r"cannot add columns that do not share rows"):
        source.arrays()["bytes"] + ak.arange(ROWS + 1)


def test_slices_of_rows_of_other_numbers_combine_by_position():
    assert (ak.arange(5)[:3] + ak.arange(8)[:3]).tolist() == [0, 2, 4]
    assert (ak.arange(5)[1:3] + ak.arange(8)[6:]).tolist() == [7, 9]


def test_counted_rows_of_equal_number_combine_by_position(source):
    big = source.arrays()
    evens, odds = big["port"][big["port"] % 2 == 0], big["port"][big["port"] % 2 == 1]
    evens.resolve_lengths()
    odds.resolve_lengths()
    assert (odds - evens).tolist() == [1] * 6


def test_rows_in_other_partitions_are_cut_to_those_of_the_left_side(source):
    big = source.arrays()
    total = big["bytes"] + ak.arange(ROWS)
    assert any(isinstance(base, Realign) for base in total._frame.bases)
    assert_equal(total, np.arange(ROWS) * 11, lengths=LENGTHS)


# --------------------------------------------------------------------------------------------------- large plans


def test_a_wide_and_long_plan_is_written_without_a_task_or_a_read_too_many(many_batches):
    columns, partitions, added = 1000, 1000, 100
    source = MemorySource({f"c{k}": np.arange(partitions) for k in range(columns)}, [1] * partitions)
    arrays = source.arrays()
    mask = arrays["c0"] > 5
    arrays = {name: array[mask] for name, array in arrays.items()}
    arrays |= {f"n{k}": arrays[f"c{k}"] * 2 + arrays[f"c{k + 1}"] for k in range(added)}
    graph = tasks_of(*[array.sum() for array in arrays.values()])
    # A task for 15 or 16 small partitions, so 64, a tree of combinations, and one for each result.
    assert len(graph) == 64 + 4 + 1 + columns + added
    assert source.reads == []


def test_cost_of_planning_grows_with_columns_plus_partitions(monkeypatch):
    calls = 0
    real = MemorySource.part

    def counted(self, *args):
        nonlocal calls
        calls += 1
        return real(self, *args)

    monkeypatch.setattr(MemorySource, "part", counted)
    source = MemorySource({f"c{k}": np.arange(50) for k in range(40)}, [1] * 50)
    tasks_of(*[array.sum() for array in source.arrays().values()])
    assert calls == 50, "each partition is asked for once, whatever the number of columns"
