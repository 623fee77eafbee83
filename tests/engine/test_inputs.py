"""Which partitions of a lot are read as one, and that nobody sees it in the answers."""

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.table import Table
from akdask.engine import tuning
from akdask.engine.blocks import Partition, RowPositions, coalesce_partitions
from akdask.engine.values import Compiler, Mask, Range
from akdask.errors import InconsistentFilesError
from akdask.testing.memory import MemoryPart


def part(count):
    return MemoryPart(0, 0, count, {"n": np.arange(count)}, [])


def rows_of(members):
    return [inputs[0].nrows for _, inputs in members]


def test_small_partitions_fill_blocks_and_large_ones_stay():
    given = [((), [part(count)]) for count in (3, 3, 4, 1, 20, 0, 5, 5)]
    assert rows_of(coalesce_partitions(given, 10)) == [10, 1, 20, 10]


def test_few_files_are_open_at_once():
    given = [((), [part(1)]) for _ in range(2 * tuning.MOST_OPEN_FILES + 1)]
    assert rows_of(coalesce_partitions(given, 1000)) == [tuning.MOST_OPEN_FILES, tuning.MOST_OPEN_FILES, 1]


def test_small_tables_in_memory_are_read_as_one():
    tables = [
        Table({"n": np.arange(count), "s": pa.array(["a"] * count, pa.large_string())}, count) for count in (3, 4)
    ]
    ((_, (joined,)),) = coalesce_partitions([((), [table]) for table in tables], 10)
    with joined.open() as reader:
        out = np.empty(7, np.int64)
        assert reader.read("n", 0, 7, out).tolist() == out.tolist() == [0, 1, 2, 0, 1, 2, 3]
        assert reader.read("n", 2, 4).tolist() == [2, 0]
        assert reader.read("s", 0, 7).to_pylist() == ["a"] * 7


def test_rows_that_are_only_counted_stay_apart():
    assert rows_of(coalesce_partitions([((), [RowPositions(0, 2)])] * 3, 10)) == [2, 2, 2]


def test_what_counts_rows_stays_apart():
    mask = Mask(Compiler([[]], {}, {}).last([]))
    assert rows_of(coalesce_partitions([((mask,), [part(2)])] * 3, 10)) == [6]
    assert rows_of(coalesce_partitions([((mask, Range(0, 2, 1)), [part(2)])] * 3, 10)) == [2, 2, 2]


def test_inputs_that_disagree_are_noticed_where_others_would_make_up_for_it():
    given = [((), [part(2), part(3)]), ((), [part(3), part(2)])]
    members = list(coalesce_partitions(given, 10))
    assert len(members) == 2
    with pytest.raises(InconsistentFilesError):
        Partition(members[0][1], (), (), 10)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return {"k": rng.integers(0, 50, 4000), "v": rng.random(4000), "s": rng.choice(["a", "bc", "ö", ""], 4000)}


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("locales", [1, 3, 8 * tuning.FEW_PARTITIONS, 40 * tuning.FEW_PARTITIONS])
@pytest.mark.parametrize("block_size", [8 * 37, 2**21])
def test_answers_are_those_of_one_partition(data, locales, block_size, prefix):
    ak.DataFrame({name: ak.array(column) for name, column in data.items()}).to_hdf(prefix, num_locales=locales)
    with ak.config.set(block_size=block_size):
        df = ak.DataFrame(ak.read_hdf(f"{prefix}_LOCALE*"))
        kept = df[(df["v"] > 0.25) & (df["s"] != "bc")]
        keys, sums = ak.GroupBy(kept["k"]).sum(kept["v"])
        texts, counts = ak.unique(kept["s"]), ak.GroupBy(kept["s"]).size()[1]
        mask = (data["v"] > 0.25) & (data["s"] != "bc")
        assert keys.tolist() == np.unique(data["k"][mask]).tolist()
        expected = [data["v"][mask & (data["k"] == key)].sum() for key in np.unique(data["k"])]
        np.testing.assert_allclose(sums.to_ndarray(), expected)
        names, sizes = np.unique(data["s"][mask], return_counts=True)
        assert dict(zip(texts.tolist(), counts.tolist(), strict=True)) == dict(zip(names, sizes, strict=True))
        assert ak.sort(kept["v"]).tolist() == np.sort(data["v"][mask]).tolist()
