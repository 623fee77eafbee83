from __future__ import annotations

import sys
from itertools import pairwise, product

import dask
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.sorting import in_order, stable_argsort
from akdask.columns.dtypes import FLOAT64, INT64, STR
from akdask.columns.table import Table
from akdask.engine import alignment, exchange
from akdask.engine import tuning as engine_tuning
from akdask.engine.exchange import concat_slices
from akdask.engine.run import resolve_lengths
from akdask.operators.sort import partition
from akdask.operators.sort import plan as plan_sort
from akdask.operators.sort import tuning as sort_tuning
from akdask.operators.sort.partition import sample_positions
from akdask.operators.sort.ranges import FineRanges, PackedKeys, RangedRows, SortPartition
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partitioned


@pytest.fixture(autouse=True)
def many_small_partitions(monkeypatch):
    """Exchange rows of small arrays as if they were large, with several ranges in each partition."""
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 300)
    monkeypatch.setattr(alignment, "CPU_COUNT", 3)
    monkeypatch.setattr(sort_tuning, "RANGE_ROWS", 16)
    monkeypatch.setattr(sort_tuning, "MOST_SAMPLED", 8)
    monkeypatch.setattr(sort_tuning, "WORTH_RANGES", 0)
    with ak.config.set(small_array=100, block_size=2**10):
        yield


def random_frame(seed=0, nrows=2000):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "few": random.integers(0, 5, nrows),
            "wide": random.integers(-(2**63), 2**63 - 1, nrows),
            "real": np.where(random.random(nrows) < 0.1, np.nan, random.normal(size=nrows).round(1)),
            "text": [f"label {number}" * (number % 3) for number in random.integers(0, 40, nrows)],
        }
    )
    return ak.DataFrame(frame), frame


def computed_lengths(array):
    """Return the rows of each partition as its task gives them, whatever is known of their number."""
    plan = array._frame
    return tuple(table.nrows for table in dask.get(plan.__dask_graph__(), plan.__dask_keys__()))


BY = [["few"], ["wide"], ["real"], ["text"], ["few", "real"], ["text", "few"], ["few", "few"]]


@pytest.mark.parametrize("ascending", [True, False])
def test_frames_and_permutations_sort_as_in_pandas(ascending):
    lazy, frame = random_frame()
    for by in BY:
        wanted = frame.sort_values(list(dict.fromkeys(by)), ascending=ascending, kind="stable")
        ordered = lazy.sort_values(by, ascending)
        assert ordered.npartitions > 2
        pd.testing.assert_frame_equal(ordered.compute(), wanted)
        rows = frame if ascending else frame[::-1]
        permuted = rows.sort_values(list(dict.fromkeys(by)), ascending=ascending, kind="stable")
        assert np.array_equal(lazy.coargsort(by, ascending).to_ndarray(), permuted.index)


def several_keys(seed, nrows=1500):
    """Keys of which some are one word together, others not; integers and bools of which rows are missing."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "few": random.integers(-2, 3, nrows),
            "small": random.integers(0, 200, nrows).astype(np.uint8),
            "flag": random.random(nrows) < 0.3,
            "near": random.integers(2**62, 2**62 + 500, nrows),
            "wide": random.choice([-(2**63), 0, 2**63 - 1], nrows),
            "gaps": pd.array(random.integers(-40, 40, nrows), "Int64"),
            "maybe": pd.array(random.random(nrows) < 0.5, "boolean"),
            "row": np.arange(nrows),
        }
    )
    frame.loc[random.random(nrows) < 0.2, ["gaps", "maybe"]] = pd.NA
    return frame


SEVERAL = [
    ["few", "flag"],
    ["flag", "near", "few", "small"],
    ["small", "wide"],
    ["wide", "few"],
    ["gaps"],
    ["maybe"],
    ["few", "gaps"],
    ["gaps", "maybe", "near"],
]


@pytest.mark.light
@pytest.mark.parametrize("by", SEVERAL, ids="-".join)
@pytest.mark.parametrize("together", [True, False])
def test_several_keys_sort_alike_as_one_word_and_apart(tmp_path, monkeypatch, by, together):
    if not together:
        monkeypatch.setattr(partition.Splitters, "word_span", None)
    frame = several_keys(len(by[0]))
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=400)
    lazy = ak.DataFrame(ak.read_parquet(str(tmp_path / "x.parquet")))
    directions = [(number + len(by[-1])) % 2 == 0 for number in range(len(by))]
    for ascending in (directions, [not upwards for upwards in directions]):
        # Missing rows come last in both directions, which pandas tells of one key at a time.
        wanted = frame
        for name, upwards in reversed(list(zip(by, ascending, strict=True))):
            wanted = wanted.sort_values(name, ascending=upwards, kind="stable")
        ordered = lazy.sort_values(by, ascending)
        assert ordered.npartitions > 2
        found = ordered.to_pandas(nullable=True)
        assert found["row"].tolist() == wanted["row"].tolist()
        for name in frame:
            assert found[name].isna().tolist() == wanted[name].isna().tolist()
            assert found[name].dropna().tolist() == wanted[name].dropna().tolist()
        assert lazy.coargsort(by, ascending).tolist() == wanted["row"].tolist()


def test_filtered_rows_sort_as_in_pandas():
    lazy, frame = random_frame()
    kept, wanted = lazy[lazy["few"] > 1], frame[frame["few"] > 1]
    wanted = wanted.sort_values(["few", "real"], ascending=[False, True], kind="stable")
    pd.testing.assert_frame_equal(kept.sort_values(["few", "real"], [False, True]).compute(), wanted)
    permutation = kept.coargsort(["few", "real"], [False, True])
    pd.testing.assert_frame_equal(kept[permutation].compute(), wanted)


@pytest.mark.few_rows_only
def test_rows_sorted_by_the_same_keys_are_aligned_whatever_is_sorted_along():
    lazy, frame = random_frame()
    for by in BY:
        permutation = lazy.coargsort(by)
        ordered = lazy.sort_values(by)
        along = lazy["wide"][permutation]
        assert permutation.rows.token == ordered.rows.token == along.rows.token
        wanted = frame.sort_values(list(dict.fromkeys(by)), kind="stable")
        assert np.array_equal((along ^ ordered["few"]).to_ndarray(), wanted["wide"] ^ wanted["few"])
        resolve_lengths(permutation._frame)
        for array in (permutation, ordered["few"], along):
            assert computed_lengths(array) == permutation.rows.lengths


def test_taking_by_a_permutation_looks_up_no_single_rows():
    lazy, _ = random_frame()
    assert "pick" not in lazy["wide"][lazy.argsort("few")].explain()


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
def test_plans_name_keys_that_descend():
    columns = {"few": np.arange(20) % 5, "text": [f"{number}" for number in range(20)]}
    lazy = ak.DataFrame(MemorySource(columns, [12, 8]).arrays())
    ordered = lazy.sort_values(["few", "text"], [True, False])
    assert "Sort by few, text descending\n" in ordered.explain()
    assert "first 3 by few, text descending" in ordered.head(3).explain()
    assert "first 1 by few, text descending" in ordered.head(1).explain()
    assert "last 4 by few, text descending" in ordered.tail(4).explain()


def test_positions_of_a_permutation_of_other_rows_are_looked_up():
    lazy, frame = random_frame()
    permutation = lazy["few"][:500].argsort()
    wanted = frame["wide"].to_numpy()[np.argsort(frame["few"][:500], kind="stable")]
    assert np.array_equal(lazy["wide"][permutation].to_ndarray(), wanted)


@pytest.mark.parametrize("values", [np.zeros(2000, np.int64), np.repeat([1, 7, 7, 7, 9], 400)])
def test_a_key_that_holds_most_rows_is_shared_out(values):
    ordered = ak.array(values).argsort()
    resolve_lengths(ordered._frame)
    lengths = ordered.rows.lengths
    assert lengths is not None
    assert max(lengths) < 2 * 2000 / len(lengths)
    assert np.array_equal(ordered.to_ndarray(), np.argsort(values, kind="stable"))


def test_the_number_of_sorted_rows_is_known_without_sorting(monkeypatch):
    ordered = ak.arange(2000).argsort()
    monkeypatch.setattr(dask, "compute", lambda *_, **__: pytest.fail("nothing need be computed"))
    assert len(ordered) == 2000


@pytest.mark.parametrize("nrows", [0, 1, 2])
def test_partitions_without_rows_are_sorted(nrows):
    values = ak.arange(1000)
    kept = values[values < nrows]
    assert in_order(kept, ascending=False).tolist() == list(range(nrows))[::-1]
    assert kept.argsort(ascending=False).tolist() == list(range(nrows))[::-1]
    text = ak.cast(kept, "str")
    assert in_order(text).tolist() == [str(number) for number in range(nrows)]


@given(st.integers(1, 9), st.lists(st.integers(0, 40), max_size=5))
def test_rows_looked_at_do_not_depend_on_blocks(stride, cuts):
    bounds = [0, *sorted(cuts), 50]
    parts = [sample_positions(start, stop, stride) for start, stop in pairwise(bounds)]
    assert np.concatenate(parts).tolist() == sample_positions(0, 50, stride).tolist()
    assert len(sample_positions(0, 50, stride)) >= 50 // stride


def test_rows_that_repeat_at_the_stride_are_not_all_the_same_in_the_sample():
    assert len(set((sample_positions(0, 800, 16) % 16).tolist())) > 1


def test_slices_of_several_partitions_are_joined_in_order():
    finish = SortPartition((), ())
    given = ([1, 9], [0, 2]), ([2], [0, 0]), ([0, 7], [0, 1])
    first, second, third = (PackedKeys(np.array(words, np.uint64), 0, [*bounds, len(words)]) for words, bounds in given)
    joined = concat_slices([[[first], []], None, [[second, third], [first]]], finish)
    (everything,), (alone,) = joined
    assert [words.tolist() for (words,) in PackedKeys.ranges([everything])] == [[1, 9, 0], [2, 7]]
    assert alone.words.tolist() == [1, 9]
    assert concat_slices([None, None], finish) is None
    assert sys.getsizeof(everything) >= everything.words.nbytes


def test_rows_of_several_files_are_sorted_together():
    lazy, frame = random_frame(nrows=3000)
    parts = ak.DataFrame({name: ak.concatenate([lazy[name]] * 3) for name in lazy.columns})
    numbers, together = parts[["few", "wide", "real"]], pd.concat([frame] * 3, ignore_index=True)
    for by in BY:
        wanted = together.sort_values(list(dict.fromkeys(by)), kind="stable")
        assert np.array_equal(parts.coargsort(by).to_ndarray(), wanted.index)
        if "text" not in by:
            pd.testing.assert_frame_equal(numbers.sort_values(by).compute(), wanted.drop(columns="text"))


@given(
    st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=5), st.lists(st.integers(0, 9), max_size=3)
)
def test_runs_that_are_packed_up_make_the_same_rows(blocks, marks):
    """A run is a sorted block, cut at marks; rows of equal keys stay in the order of the blocks."""
    runs, marks = [], np.sort(marks)
    for number, block in enumerate(blocks):
        keys = np.sort(np.array(block, np.int64))
        text = pa.array([f"{number} {row}" for row in range(len(keys))], pa.large_string())
        table = Table({"key": keys, "text": text}, len(keys))
        runs.append(RangedRows(table, (("key", True),), [0, *np.searchsorted(keys, marks).tolist(), len(keys)]))
    finish = SortPartition(("key", "text"), (INT64, STR))
    (packed,) = finish.pack(runs)
    for name in ("key", "text"):
        assert finish([packed]).columns[name].tolist() == finish(runs).columns[name].tolist()
    assert sys.getsizeof(packed) >= packed.table.nbytes


def test_runs_are_merged_by_keys_of_any_kind_with_and_without_other_columns():
    random = np.random.default_rng(7)
    frame = pd.DataFrame({"i": random.integers(-3, 3, 60), "f": random.integers(0, 4, 60) / 2, "row": np.arange(60)})
    frame["t"] = [f"text {number}" for number in random.integers(0, 5, 60)]
    types = {"i": INT64, "f": FLOAT64, "t": STR, "row": INT64}
    for names, by in (
        (["i"], ["i"]), (["f"], ["f"]), (["t"], ["t"]), (["i", "f"], ["i", "f"]), (["f", "i"], ["i", "f"]),
        (["i", "t"], ["i", "t"]), (["i", "row"], ["i"]), (["row"], ["f", "i"]), (["row", "t"], ["t"]),
    ):  # fmt: skip
        for ascending in ([True, True], [False, True]):
            runs = []
            for first in (0, 20):
                rows = frame.iloc[first : first + 20 + first]
                columns = {name: rows[name].to_numpy() for name in {*names, *by} - {"t"}}
                if "t" in {*names, *by}:
                    columns["t"] = pa.array(rows["t"].tolist(), pa.large_string())
                keys = tuple(zip(by, ascending, strict=False))
                runs.append(RangedRows(Table(columns, len(rows)), keys, [0, len(rows)]))
            found = SortPartition(tuple(names), tuple(types[name] for name in names))(runs)
            wanted = frame.sort_values(by, ascending=ascending[: len(by)], kind="stable")
            for name in names:
                assert found.columns[name].tolist() == wanted[name].tolist(), (names, by, ascending)


def test_nothing_to_sort_has_the_columns_all_the_same():
    table = SortPartition(("key", "text"), (INT64, STR))([])
    assert table.nrows == 0
    assert (table.columns["key"].dtype, table.columns["text"].type) == (np.int64, pa.large_string())


@pytest.mark.parametrize("ascending", [[True, False], [False, True]])
def test_missing_integers_are_sorted_last(ascending):
    random = np.random.default_rng(2)
    few = pd.array(random.integers(-3, 3, 2000), "Int64")
    few[random.random(2000) < 0.2] = pd.NA
    frame = pd.DataFrame({"few": few, "x": random.integers(0, 9, 2000)})
    wanted = frame.sort_values(["few", "x"], ascending=ascending, kind="stable")
    found = ak.DataFrame(frame).sort_values(["few", "x"], ascending).to_pandas()
    assert found["x"].tolist() == wanted["x"].tolist()
    assert found.index.tolist() == wanted.index.tolist()


@pytest.mark.few_rows_only
def test_lengths_of_rows_that_one_task_sorts_are_known(monkeypatch):
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 2000)
    assert in_order(ak.arange(2000)).rows.lengths == (2000,)
    assert ak.arange(2000).argsort().npartitions == 1


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=6),
    st.lists(st.integers(0, 6), max_size=3),
    st.booleans(),
)
def test_rows_are_cosorted_if_python_would_leave_them(rows, cuts, is_sorted):
    rows = sorted(rows) if is_sorted else rows
    lengths = np.diff([0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]).tolist()
    columns = [partitioned(np.array([row[number] for row in rows], np.int64), lengths) for number in (0, 1)]
    assert bool(ak.is_cosorted(columns)) == (rows == sorted(rows))


@pytest.mark.parametrize("side", ["left", "right"])
def test_values_are_put_among_sorted_rows_of_several_partitions(side):
    table, values = np.sort(np.random.default_rng(0).integers(0, 50, 300)), np.arange(-1, 52)
    lazy = partitioned(table, [0, 120, 180])
    assert ak.searchsorted(lazy, ak.array(values), side).tolist() == np.searchsorted(table, values, side).tolist()


def test_slices_travel_apart_on_a_cluster(monkeypatch):
    lazy, frame = random_frame()
    wanted = frame.sort_values("text", kind="stable")
    together = len(lazy.sort_values("text").__dask_graph__())
    monkeypatch.setattr(exchange, "on_cluster", lambda: True)
    assert len(lazy.sort_values("text").__dask_graph__()) > together
    pd.testing.assert_frame_equal(lazy.sort_values("text").compute(), wanted)


@pytest.mark.cluster
def test_workers_sort_what_threads_sort(cluster_client):
    lazy, frame = random_frame()
    wanted = frame.sort_values(["text", "real"], kind="stable")
    pd.testing.assert_frame_equal(lazy.sort_values(["text", "real"]).compute(), wanted)
    assert np.array_equal(lazy.coargsort(["text", "real"]).to_ndarray(), wanted.index)
    assert np.array_equal(lazy.argsort("few").to_ndarray(), np.argsort(frame["few"], kind="stable"))
    assert in_order(lazy["text"]).tolist() == sorted(frame["text"])
    assert np.array_equal(in_order(lazy["real"]).to_ndarray(), np.sort(frame["real"]), equal_nan=True)


@given(
    st.integers(1, 40),
    st.sampled_from([np.int64, np.uint64, np.float64]),
    st.booleans(),
    st.integers(0, 5),
    st.booleans(),
)
def test_keys_that_lose_bits_beside_row_numbers_are_put_in_order_all_the_same(beginnings, dtype, low_bits, seed, alike):
    """Few beginnings make rows alike in what is packed, at the cuts too; whoever looks at keys would not pack those."""
    random = np.random.default_rng(seed)
    keys = random.integers(0, 2**63, beginnings)[random.integers(0, beginnings, 1500)]
    keys = (keys + random.integers(0, 3, 1500) * low_bits).astype(np.uint64).view(dtype)
    keys = np.where(np.isnan(keys), 0, keys).astype(dtype)
    with pytest.MonkeyPatch.context() as patch:
        if not alike:
            patch.setattr(partition, "_alike", lambda columns, ascending, lost: False)
        lazy = ak.array(keys)
        permutation, ordered = ak.argsort(lazy), in_order(lazy)
        # They have one name for their rows, so what is known of one is said of both: only counting tells them apart.
        lengths = computed_lengths(permutation)
        assert len(lengths) > 2
        assert computed_lengths(ordered) == lengths
        assert permutation.resolve_lengths().rows.lengths == lengths
        assert np.array_equal(permutation.to_ndarray(), np.argsort(keys, kind="stable"))
        assert np.array_equal(ordered.to_ndarray(), np.sort(keys))


@pytest.mark.parametrize("most_radix_ranges", [0, 2**16])
@pytest.mark.parametrize("low", [0, 2**20, -(2**62)])
def test_keys_that_lose_bits_beside_row_numbers_are_cut_at_row_numbers_too(monkeypatch, most_radix_ranges, low):
    """Distinct keys of the full width, and one that many rows have, which the bits that are kept tell from none."""
    monkeypatch.setattr(sort_tuning, "MOST_RADIX_RANGES", most_radix_ranges)
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 300)
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    generator = np.random.default_rng(1)
    keys = generator.integers(-(2**62), 2**62, 3000)
    keys[generator.random(3000) < 0.7] = low
    parts = [ak.array(part) for part in np.array_split(keys, 6)]
    permutation = ak.argsort(ak.concatenate(parts))
    wanted = np.argsort(keys, kind="stable")
    assert permutation.tolist() == wanted.tolist()
    lengths = computed_lengths(permutation)
    assert len(lengths) > 2
    assert max(lengths) < 2 * len(keys) / len(lengths)


NUMBERS = {
    "int64": lambda random, nrows: random.integers(-(2**63), 2**63 - 1, nrows),
    "uint64": lambda random, nrows: random.integers(0, 2**64 - 1, nrows, np.uint64),
    "bool": lambda random, nrows: random.random(nrows) < 0.5,
    "few": lambda random, nrows: random.integers(0, 3, nrows),
    "float64": lambda random, nrows: random.choice([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.5, -2.5], nrows),
}


@pytest.mark.parametrize("ascending", [True, False])
def test_sorted_numbers_are_those_of_their_permutation_to_the_last_bit(monkeypatch, ascending):
    """In few partitions, in more than are compared with each splitter, and in one."""
    for name, rows_of_a_partition in product(NUMBERS, [100, 30, 600]):
        monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", rows_of_a_partition)
        monkeypatch.setattr(engine_tuning, "SMALL_ROWS", rows_of_a_partition // 600 * 600)
        values = NUMBERS[name](np.random.default_rng(3), 600)
        lazy = ak.concatenate([ak.array(part) for part in np.array_split(values, 4)])
        ordered, permutation = in_order(lazy, ascending=ascending), stable_argsort(lazy, ascending=ascending)
        assert computed_lengths(ordered) == computed_lengths(permutation)
        wanted, same_size = values[permutation.to_ndarray()], f"u{values.itemsize}"
        assert ordered.to_ndarray().view(same_size).tolist() == wanted.view(same_size).tolist()


def test_numbers_that_some_tasks_split_in_finer_ranges_are_the_same(monkeypatch):
    for name, worth_ranges in product(["few", "float64", "int64"], [0, 600, 2**30]):
        monkeypatch.setattr(sort_tuning, "WORTH_RANGES", worth_ranges)
        given_values = NUMBERS[name](np.random.default_rng(4), 3000)
        lazy = ak.concatenate([ak.array(part) for part in np.split(given_values, [300, 1200, 1400, 2600])])
        lengths = computed_lengths(in_order(lazy))
        assert lengths == computed_lengths(ak.argsort(lazy))
        assert np.array_equal(in_order(lazy).to_ndarray(), np.sort(given_values), equal_nan=name == "float64")


@pytest.mark.lazy_only
def test_numbers_in_memory_are_split_in_fine_ranges_by_their_row_numbers(monkeypatch):
    firsts, split = [], FineRanges.split
    monkeypatch.setattr(
        FineRanges, "split", lambda self, parts, first: firsts.append(first) or split(self, parts, first)
    )
    values = np.random.default_rng(4).integers(-(2**62), 2**62, 3000)
    lazy = ak.concatenate([ak.array(part) for part in np.split(values, 4)])
    assert np.array_equal(in_order(lazy).to_ndarray(), np.sort(values))
    assert sorted(firsts) == [0, 750, 1500, 2250]


def test_sorted_numbers_of_a_user_may_be_changed():
    given_values = np.random.default_rng(5).integers(0, 99, 2000)
    ordered = in_order(ak.array(given_values))
    found = ordered.to_ndarray()
    assert found.flags.writeable
    found[:] = -1
    assert np.array_equal(ordered.to_ndarray(), np.sort(given_values))
    assert np.array_equal(ordered.persist().to_ndarray(), np.sort(given_values))
    assert np.array_equal((ordered + 1).to_ndarray(), np.sort(given_values) + 1)


def test_what_is_sorted_of_no_rows_and_of_filtered_ones_is_whole():
    given_values = np.random.default_rng(6).normal(size=2000)
    lazy = ak.array(given_values)
    assert in_order(lazy[lazy > 9]).to_ndarray().tolist() == []
    assert np.array_equal(in_order(lazy[lazy > 0]).to_ndarray(), np.sort(given_values[given_values > 0]))
    assert np.array_equal(in_order(lazy).to_arrow().to_numpy(), np.sort(given_values))


TEXT = {
    "hosts": lambda number: f"host-{number}.example.org",
    "long": lambda number: f"{number:09d}" * 9,
    "lengths": lambda number: "\0" * (number % 7),
    "few": lambda number: "éa"[number % 2 :] * (number % 3),
}


@pytest.mark.parametrize("ascending", [True, False])
def test_sorted_text_is_that_of_its_permutation(monkeypatch, ascending):
    for name, rows_of_a_partition in product(TEXT, [100, 30, 600]):
        monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", rows_of_a_partition)
        monkeypatch.setattr(engine_tuning, "SMALL_ROWS", rows_of_a_partition // 600 * 600)
        plain = [TEXT[name](number) for number in np.random.default_rng(3).integers(0, 900, 600).tolist()]
        strings = pa.array(plain, pa.large_string())
        lazy = ak.concatenate([ak.from_arrow(strings[start : start + 150]) for start in range(0, 600, 150)])
        ordered, permutation = in_order(lazy, ascending=ascending), stable_argsort(lazy, ascending=ascending)
        assert computed_lengths(ordered) == computed_lengths(permutation)
        found = ordered.to_arrow().to_pylist()
        assert found == sorted(plain, key=str.encode, reverse=not ascending)
        assert permutation.tolist() == sorted(range(600), key=lambda row: plain[row].encode(), reverse=not ascending)


@pytest.mark.parametrize("ascending", [True, False])
def test_missing_text_is_sorted_last(ascending):
    plain = [None if number % 5 == 0 else f"{number % 7}" * (number % 3) for number in range(1000)]
    lazy = ak.Series(pd.Series(plain, dtype="str")).values
    there = sorted((text for text in plain if text is not None), reverse=not ascending)
    assert in_order(lazy, ascending=ascending).to_arrow().to_pylist() == there + [None] * plain.count(None)


@pytest.mark.parametrize("of", [NUMBERS["float64"], lambda random, nrows: random.integers(0, 99, nrows).astype(str)])
def test_sorted_values_that_are_spilled_are_the_same(monkeypatch, of):
    values = of(np.random.default_rng(3), 600)
    lazy = ak.array(values)
    wanted = in_order(lazy).to_ndarray()
    monkeypatch.setattr(plan_sort, "buffer_bytes", lambda count: 0)
    assert np.array_equal(in_order(ak.array(values)).to_ndarray(), wanted, equal_nan=values.dtype.kind == "f")


@pytest.mark.parametrize("low", [0, -(2**40)])
def test_one_computation_sorts_the_same_keys_upwards_and_downwards(low):
    keys = np.random.default_rng(3).integers(low, 2**40, 2000)
    lazy = partitioned(keys, [500] * 4)
    found = dask.compute(*(ak.coargsort([lazy], ascending=[upwards]) for upwards in (True, False)), ak.sort(lazy))
    upwards, downwards, ordered = map(np.asarray, found)
    np.testing.assert_array_equal(upwards, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(downwards, np.argsort(-keys, kind="stable"))
    np.testing.assert_array_equal(ordered, np.sort(keys))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64, np.bool_, np.str_, "M8[ns]"])
def test_rows_are_sorted_along_downwards_from_the_last_of_equal_ones(dtype):
    items = np.random.default_rng(4).integers(0, 40, 2000)
    keys = items > 20 if dtype is np.bool_ else items.astype(dtype)
    lacks = np.zeros(len(keys), np.bool_)
    if dtype in (np.float64, "M8[ns]"):
        lacks = items % 7 == 0
        keys[lacks] = np.nan if dtype is np.float64 else np.datetime64("NaT")
    upwards = np.argsort(keys, kind="stable")[::-1]
    wanted = np.concatenate([upwards[~lacks[upwards]], upwards[lacks[upwards]]])
    lengths, row = [700, 0, 900, 400], np.arange(2000)
    bounds = np.cumsum([0, *lengths])
    lazy = ak.concatenate([ak.array(keys[start:stop]) for start, stop in pairwise(bounds)])
    order = ak.argsort(lazy, ascending=False)
    np.testing.assert_array_equal(order.to_ndarray(), wanted)
    along, other = lazy[order], partitioned(row, lengths)[order]
    np.testing.assert_array_equal(along.to_ndarray(), keys[wanted])
    np.testing.assert_array_equal(other.to_ndarray(), wanted)
    np.testing.assert_array_equal((other + order).to_ndarray(), 2 * wanted)
    for few in (slice(None, 5), slice(-3, None), slice(10, 30)):
        np.testing.assert_array_equal(along[few].to_ndarray(), keys[wanted][few])
        np.testing.assert_array_equal(other[few].to_ndarray(), wanted[few])


@pytest.mark.few_rows_only
def test_first_rows_downwards_are_the_last_ones_upwards():
    lazy = partitioned(np.random.default_rng(6).permutation(2000), [1000, 1000])
    plan = lazy[ak.argsort(lazy, ascending=False)][:3].explain()
    assert "last 3 by" in str(plan)
