"""Reductions by instructions, from files: what is taken so, what is not, and that nobody sees it."""

import operator
import os

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.engine import tuning
from akdask.engine.blocks import Partition
from akdask.engine.sinks import Reduce
from akdask.engine.vector_program import CompiledPredicate, VectorProgram
from akdask.errors import FileError, FileFormatError
from akdask.storage import tuning as storage_tuning
from akdask.testing import assert_equal

ROWS = 100_000
LOCALES = 6


@pytest.fixture(scope="module")
def columns():
    generator = np.random.default_rng(5)
    found = {
        "i": generator.integers(-1000, 1000, ROWS),
        "u": generator.integers(0, 1000, ROWS).astype(np.uint64),
        "f": generator.normal(size=ROWS),
        "b": generator.random(ROWS) > 0.7,
    }
    found["f"][::1000] = np.nan
    return found


@pytest.fixture(scope="module")
def files(columns, tmp_path_factory):
    prefix = str(tmp_path_factory.mktemp("set") / "rows")
    arrays = {name: ak.array(column) for name, column in columns.items()}
    frame = ak.DataFrame({**arrays, "s": ak.array(columns["i"].astype(str))})
    frame.to_hdf(prefix, num_locales=LOCALES)
    return f"{prefix}_LOCALE*"


def by_blocks(monkeypatch):
    """Have NumPy compute all that comes, block by block: the reference of the instructions."""
    monkeypatch.setattr(Reduce, "_reducer", lambda *_: None)
    monkeypatch.setattr("akdask.engine.sinks.selection", lambda *_: None)


@pytest.fixture
def runs(monkeypatch):
    """Note what routines are run on."""
    seen = []
    run = VectorProgram.run

    def noted(self, pieces):
        found = run(self, pieces)
        seen.append((sum(nrows for nrows, _ in pieces), len(pieces), found is not None))
        return found

    monkeypatch.setattr(VectorProgram, "run", noted)
    return seen


COMPILED = {
    "a column": (lambda d: d["i"].sum(), lambda c: c["i"].sum()),
    "of unsigned numbers": (lambda d: d["u"].max(), lambda c: c["u"].max()),
    "with NaN": (lambda d: d["f"].min(), lambda c: c["f"].min()),
    "of marks": (lambda d: d["b"].sum(), lambda c: c["b"].sum()),
    "any and all": (lambda d: d["b"].any() == d["b"].all(), lambda c: c["b"].any() == c["b"].all()),
    "an expression": (
        lambda d: ak.where(d["b"], d["f"] * 2.5 - d["i"], d["u"] / 3).sum(),
        lambda c: np.where(c["b"], c["f"] * 2.5 - c["i"], c["u"] / 3).sum(),
    ),
    "under a filter": (lambda d: d["u"][d["i"] > 10].sum(), lambda c: c["u"][c["i"] > 10].sum()),
    "under two filters": (
        lambda d: (d["i"] * 2)[d["f"] > 0][d["b"][d["f"] > 0]].mean(),
        lambda c: (c["i"] * 2)[(c["f"] > 0) & c["b"]].mean(),
    ),
    "that leaves nothing": (lambda d: d["i"][d["i"] * 0 > 1].sum(), lambda c: 0),
    "by another result": (
        lambda d: d["i"][d["i"] > d["i"].mean()].min(),
        lambda c: c["i"][c["i"] > c["i"].mean()].min(),
    ),
}

GENERAL = {
    "of strings": (lambda d: d["i"][d["s"] == "7"].sum(), lambda c: 7 * (c["i"] == 7).sum()),
    "of some rows by position": (lambda d: d["i"][100:90_000].sum(), lambda c: c["i"][100:90_000].sum()),
    "that there is no instruction for": (lambda d: ak.sin(d["f"] * 0).sum(), lambda c: np.nan),
    "of other kinds": (lambda d: (d["i"] * 0 + 1).prod(), lambda c: 1),
}


@pytest.mark.parametrize("name", COMPILED)
def test_what_there_are_instructions_for_is_run_by_them(files, columns, runs, name):
    ours, numpys = COMPILED[name]
    found = ours(ak.read_hdf(files)).item()
    np.testing.assert_allclose(found, numpys(columns), rtol=1e-12)
    assert runs
    assert all(is_done for _, _, is_done in runs)


@pytest.mark.parametrize("name", GENERAL)
def test_anything_else_is_done_block_by_block(files, columns, runs, name):
    ours, numpys = GENERAL[name]
    np.testing.assert_allclose(ours(ak.read_hdf(files)).item(), numpys(columns), rtol=1e-12)
    assert not runs


def test_partitions_of_a_task_are_run_together(files, columns, runs, monkeypatch):
    monkeypatch.setattr("akdask.engine.pipeline.CORES", 1)
    for block_size, calls in ((2**20, [(ROWS, 6)]), (2**10, [(ROWS - ROWS // 3, 4), (ROWS // 3, 2)])):
        runs.clear()
        with ak.config.set(block_size=block_size):
            assert ak.read_hdf(files)["i"].sum() == columns["i"].sum()
        assert [(pytest.approx(nrows, abs=10), npieces) for nrows, npieces in calls] == [run[:2] for run in runs]


def test_partitions_that_are_part_of_a_file_begin_where_they_begin(files, columns, runs):
    with ak.config.set(partition_size=8 * 5000):
        array = ak.read_hdf(files)["i"]
    assert array.npartitions > LOCALES
    assert (array * 1).max() == columns["i"].max()
    assert array[array < 0].sum() == columns["i"][columns["i"] < 0].sum()
    assert runs


@pytest.fixture
def copied(runs, monkeypatch):
    """Note which rows are read to memory before instructions are run on them."""
    seen = []
    extents = Partition.extents

    def noted(self, nblocks):
        for start, stop in extents(self, nblocks):
            seen.append((start, stop))
            yield start, stop

    monkeypatch.setattr(Partition, "extents", noted)
    return seen


@pytest.mark.parametrize(("dtype", "options"), [(">i4", {}), (">i8", {}), ("i8", {"chunks": (100,)}), ("f2", {})])
def test_columns_that_are_stored_otherwise_are_read_to_memory_first(tmp_path, runs, copied, dtype, options):
    rows = np.arange(1000)
    with h5py.File(tmp_path / "one.h5", "w") as file:
        file.create_dataset("x", data=rows.astype(dtype), **options)
    assert ak.read_hdf(tmp_path / "one.h5")["x"].sum() == rows.sum()
    assert copied == [(0, 1000)]
    assert runs == [(1000, 1, True)]


@pytest.fixture(scope="module")
def packed(columns, tmp_path_factory):
    path = tmp_path_factory.mktemp("packed") / "rows.h5"
    with h5py.File(path, "w") as file:
        for name, column in columns.items():
            file.create_dataset(name, data=column, compression="gzip")
        # What is selected by this begins and ends within blocks, and leaves some without a row.
        file.create_dataset("n", data=np.arange(ROWS), compression="gzip")
    return str(path)


FROM_MEMORY = {
    **COMPILED,
    "few neighbours": (
        lambda d: d["f"][(d["n"] > 40_000) & (d["n"] < 40_100)].sum(),
        lambda c: c["f"][40_001:40_100].sum(),
    ),
    "rows with gaps": (
        lambda d: d["i"][(d["n"] < 10) | (d["n"] > 99_000)].sum(),
        lambda c: c["i"][:10].sum() + c["i"][99_001:].sum(),
    ),
    "no rows": (lambda d: d["i"][d["n"] < 0].sum(), lambda c: 0),
}


@pytest.mark.parametrize("case", [(name, block_size) for name in FROM_MEMORY for block_size in (2**18, 2**21)])
def test_rows_in_memory_give_the_same_bits_as_blocks(packed, columns, copied, monkeypatch, case):
    name, block_size = case
    ours, numpys = FROM_MEMORY[name]
    with ak.config.set(block_size=block_size):
        found = ours(ak.read_hdf(packed)).item()
        assert copied
        by_blocks(monkeypatch)
        monkeypatch.setattr(VectorProgram, "run", lambda *_: pytest.fail("not compiled"))
        assert_equal(np.array([found]), np.array([ours(ak.read_hdf(packed)).item()]))
    np.testing.assert_allclose(found, numpys(columns), rtol=1e-12)


def test_other_columns_of_blocks_without_a_selected_row_are_not_read(packed, columns, runs, monkeypatch):
    read = []
    reading = Partition.read
    monkeypatch.setattr(Partition, "read", lambda self, load, *a: read.append(load.column) or reading(self, load, *a))
    monkeypatch.setattr(tuning, "FEW_BLOCK_ROWS", 0)  # which would be one block
    with ak.config.set(block_size=2**18):
        data = ak.read_hdf(packed)
        assert data["i"][data["n"] == 5].sum() == columns["i"][5]
    assert 1 <= read.count("i") < read.count("n")


def test_a_file_with_holes_is_read_without_its_holes(tmp_path, copied, runs):
    with h5py.File(tmp_path / "one.h5", "w") as file:
        file.create_dataset("x", shape=4 * 10**6, dtype="f8")
        file["x"][0] = 1.0
        assert file["x"].id.get_offset() is not None
    path = tmp_path / "one.h5"
    status = os.stat(path)
    assert ak.read_hdf(path)["x"].sum() == 1.0
    assert (not copied) == (status.st_blocks * 512 >= status.st_size), "not on file systems without holes"


def test_a_file_that_has_become_shorter_is_told_of_as_ever(files, tmp_path, runs, monkeypatch):
    path = tmp_path / "one.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(10**5)
    array = ak.read_hdf(path)["x"]
    os.truncate(path, 10**5)
    with pytest.raises(FileError, match="has changed since it was opened"):
        array.sum().item()
    monkeypatch.setattr("akdask.storage.ranges.has_status", lambda *_: True)
    with pytest.raises(FileFormatError, match="ends before the last byte of dataset 'x'"):
        (array + 1).sum().item()
    assert [is_done for _, _, is_done in runs] == [False]


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "u2", "u4", "f4", "?"])
def test_narrow_numbers_are_widened_as_they_are_read(tmp_path, runs, copied, dtype):
    rows = np.random.default_rng(0).integers(-1000, 1000, 100_000).astype(dtype)
    with h5py.File(tmp_path / "one.h5", "w") as file:
        file["x"], file["n"] = rows, np.arange(len(rows))
    data = ak.read_hdf(tmp_path / "one.h5")
    assert data["x"].sum() == rows.sum(dtype=data["x"].dtype if dtype != "?" else int)
    assert data["n"][data["x"] > rows[0]].sum() == np.flatnonzero(rows > rows[0]).sum()
    selected = data["x"][data["n"] > 70_000]
    assert_equal(selected, rows[70_001:].astype(selected.dtype))
    assert runs
    assert not copied


def test_results_in_memory_are_reduced_where_they_are(columns, runs):
    data = {name: ak.array(column).persist() for name, column in columns.items()}
    assert data["i"].sum() == columns["i"].sum()
    assert data["u"][data["b"]].max() == columns["u"][columns["b"]].max()
    assert [is_done for _, _, is_done in runs] == [True, True]


SELECTED = {
    "a column": (lambda d: d["i"][d["f"] > 0], lambda c: c["i"][c["f"] > 0]),
    "with NaN": (lambda d: d["f"][d["b"]], lambda c: c["f"][c["b"]]),
    "of marks": (lambda d: d["b"][d["u"] < 10], lambda c: c["b"][c["u"] < 10]),
    "an expression": (lambda d: (d["f"] * 2 - d["i"])[d["i"] > 10], lambda c: (c["f"] * 2 - c["i"])[c["i"] > 10]),
    "under two filters": (
        lambda d: d["u"][d["f"] > 0][d["b"][d["f"] > 0]],
        lambda c: c["u"][(c["f"] > 0) & c["b"]],
    ),
    "by what is selected": (lambda d: (d["i"] * 3)[d["i"] * 3 > 100], lambda c: (c["i"] * 3)[c["i"] * 3 > 100]),
    "by another result": (lambda d: d["i"][d["i"] > d["i"].mean()], lambda c: c["i"][c["i"] > c["i"].mean()]),
    "by another result of unsigned numbers": (
        lambda d: d["u"][d["u"].mean() >= d["u"]],
        lambda c: c["u"][c["u"].mean() >= c["u"]],
    ),
    "nearly all": (lambda d: d["i"][d["i"] > -1000], lambda c: c["i"][c["i"] > -1000]),
    "nothing": (lambda d: d["i"][d["i"] * 2 > 5000], lambda c: c["i"][:0]),
}


@pytest.fixture
def stored(runs, monkeypatch):
    """Note how many rows are stored by instructions."""
    seen = []
    run_into = VectorProgram.run_into

    def noted(self, rows, extents):
        seen.append(run_into(self, rows, extents) and rows.nrows)
        return seen[-1] is not False

    monkeypatch.setattr(VectorProgram, "run_into", noted)
    return seen


@pytest.mark.parametrize("case", [(name, is_in_memory) for name in SELECTED for is_in_memory in (False, True)])
def test_rows_are_selected_by_instructions_to_the_same_bits(files, columns, stored, monkeypatch, case):
    (ours, numpys), is_in_memory = SELECTED[case[0]], case[1]
    data = ak.read_hdf(files)
    if is_in_memory:
        data = {name: column.persist() for name, column in data.items()}
    assert_equal(ours(data), numpys(columns))
    assert sum(stored) == len(numpys(columns))
    assert stored
    stored.clear()
    by_blocks(monkeypatch)
    assert_equal(ours(data), numpys(columns))
    assert not stored


@pytest.mark.parametrize("name", ["lt", "le", "eq", "ne", "gt", "ge"])
@pytest.mark.parametrize("is_first", [False, True])
def test_integers_are_compared_with_a_result_by_instructions_as_the_numbers_that_they_are(stored, name, is_first):
    compare, found = getattr(operator, name), np.array([-(2**63), -3, -2, 0, 2, 3, 2**53, 2**53 + 1, 2**63 - 1])
    integers, others = ak.array(found).persist(), ak.array([-2.5, 2.5, 2.0**53]).persist()
    for least, number in [(True, -2.5), (False, 2.0**53)]:
        result = others.min() if least else others.max()
        mask = compare(result, integers) if is_first else compare(integers, result)
        kept = [row for row in found.tolist() if (compare(number, row) if is_first else compare(row, number))]
        assert integers[mask].tolist() == kept
        # No integer equals one between two.
        assert bool(stored) == (name not in ("eq", "ne") or not least)
        stored.clear()


def test_rows_of_more_partitions_than_memory_was_reserved_for_are_selected(files, columns, stored, monkeypatch):
    monkeypatch.setattr("akdask.engine.tuning.MOST_RESERVED_ROWS", 1000)
    monkeypatch.setattr("akdask.engine.vector_program.AT_A_TIME", 2**15)
    data = ak.read_hdf(files)
    assert_equal(data["i"][data["b"]], columns["i"][columns["b"]])
    assert stored


def test_rows_of_a_file_that_has_become_shorter_are_told_of_as_ever(tmp_path, stored, monkeypatch):
    path = tmp_path / "one.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(10**5)
    array = ak.read_hdf(path)["x"]
    os.truncate(path, 10**5)
    monkeypatch.setattr("akdask.storage.ranges.has_status", lambda *_: True)
    with pytest.raises(FileFormatError, match="ends before the last byte of dataset 'x'"):
        array[array > 0].to_ndarray()
    assert stored == [False]


@pytest.mark.parametrize("length", [1, 3, 4, 7, 20])
@pytest.mark.parametrize("source", ["files", "memory"])
def test_filters_of_a_chain_stay_apart(source, length, columns, files, runs):
    found = ak.read_hdf(files)["i"]
    if source == "memory":
        found = found.persist()
    for _ in range(length):
        found = found[found >= found.min()] + 1
    assert found.to_ndarray().tolist() == (columns["i"] + length).tolist()
    assert runs


def test_a_part_of_a_filter_may_filter_what_is_left(columns, files, runs):
    def left(i, u):
        is_positive, is_either = i > 0, (i > 0) | (u > 500)
        kept = [column[is_either][is_positive[is_either]] for column in (i, u)]
        kept = [column[(kept[1] * 2 + 1) * 3 > 500] for column in kept]
        return kept[0][(kept[0] * 7 - 5) * (kept[0] - 2) != 2]

    d = ak.read_hdf(files)
    assert left(d["i"], d["u"]).sum() == left(columns["i"], columns["u"]).sum()
    assert runs


def test_partitions_without_rows_do_not_decide_what_those_with_rows_are_filtered_by(tmp_path):
    rows = np.arange(4000)
    ak.DataFrame({"x": rows, "m": rows % 3 > 0}).to_hdf(str(tmp_path / "set"), num_locales=4)
    d = ak.read_hdf(str(tmp_path / "set_LOCALE*"))
    # The first file has nothing above 1500 and is not read.
    left = rows[(rows > 1500) & (rows % 3 > 0)]
    late = d["x"][(d["x"] > 1500) & d["m"]]
    assert ak.cumsum(late).tolist() == np.cumsum(left).tolist()
    assert ak.cumsum(late[late * 2 % 5 > 0]).tolist() == np.cumsum(left[left * 2 % 5 > 0]).tolist()


PREDICATES = {
    "of integers": lambda d: (d["i"] > 10) & (d["i"] <= 500),
    "of floats with NaN": lambda d: (d["f"] > 0.5) | ~(d["f"] < 0),
    "of two results": lambda d: d["f"] < d["f"] * d["f"],
    "of unsigned numbers": lambda d: d["u"] >= 500,
    "of integers beside a float": lambda d: d["i"] > 2.5,
    "of marks": lambda d: ~d["b"],
    "that hold everywhere": lambda d: d["i"] * d["i"] >= 0,
    "that hold nowhere": lambda d: d["i"] * d["i"] < 0,
}


@pytest.fixture
def marked(monkeypatch):
    """Note the rows of blocks whose predicate is compiled."""
    seen = []
    evaluate = CompiledPredicate.evaluate

    def noted(self, out, columns):
        seen.append(len(out))
        return evaluate(self, out, columns)

    monkeypatch.setattr(CompiledPredicate, "evaluate", noted)
    return seen


@pytest.mark.parametrize("form", ["files", "mapped", "memory", "blocks"])
def test_predicates_on_large_blocks_are_compiled_and_choose_the_same_text(files, columns, marked, monkeypatch, form):
    monkeypatch.setattr(storage_tuning, "LEAST_WINDOW_BYTES", 1 if form == "mapped" else 2**40)
    text = columns["i"].astype(str)
    with ak.config.set(block_size=2**14 if form == "blocks" else 2**23):
        read = ak.read_hdf(files)
        if form == "memory":
            read = {name: ak.array(column) for name, column in columns.items()} | {"s": ak.array(text)}
        for name, predicate in PREDICATES.items():
            for least, compiled in ((1, ROWS), (ROWS + 1, 0)):
                marked.clear()
                monkeypatch.setattr(tuning, "COMPILED_ROWS", least)
                found = read["s"][predicate(read)].to_ndarray().tolist()
                assert found == text[predicate(columns)].tolist(), name
                assert sum(marked) == compiled, name


def test_predicates_of_what_has_no_instruction_are_evaluated_by_blocks(files, columns, marked, monkeypatch):
    monkeypatch.setattr(tuning, "COMPILED_ROWS", 1)
    read = ak.read_hdf(files)
    found = read["s"][ak.sin(read["f"]) > 0.5].to_ndarray().tolist()
    assert found == columns["i"][np.sin(columns["f"]) > 0.5].astype(str).tolist()
    assert not marked


def test_predicates_are_compiled_with_the_result_that_they_compare_with(files, columns, marked, monkeypatch):
    monkeypatch.setattr(tuning, "COMPILED_ROWS", 1)
    read = ak.read_hdf(files)
    found = read["s"][read["i"] > read["i"].mean()].to_ndarray().tolist()
    assert found == columns["i"][columns["i"] > columns["i"].mean()].astype(str).tolist()
    assert sum(marked) == ROWS


@pytest.mark.parametrize("stored", ["i1", "i2", "i4", "u2", "u4", "f4"])
def test_predicates_are_compiled_on_narrow_numbers_where_they_are_stored(tmp_path, marked, monkeypatch, stored):
    monkeypatch.setattr(tuning, "COMPILED_ROWS", 1)
    monkeypatch.setattr(storage_tuning, "LEAST_WINDOW_BYTES", 1)
    values = np.arange(100).astype(stored)
    with h5py.File(tmp_path / "one.h5", "w") as file:
        file["x"], file["t"] = values, [str(value) for value in range(100)]
    read = ak.read_hdf(tmp_path / "one.h5")
    assert read["t"][read["x"] >= 60].to_ndarray().tolist() == [str(value) for value in range(60, 100)]
    assert marked == [100]
