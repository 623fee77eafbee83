"""Reductions of floats are the same to the last bit, however they are computed."""

from __future__ import annotations

import math

import dask
import numpy as np
import pytest

import akdask as ak
from akdask.caches import clear_caches
from akdask.columns.dtypes import FLOAT64
from akdask.columns.summation import UNIT, UnitPositions
from akdask.engine import pipeline, sinks
from akdask.engine import tuning as engine_tuning
from akdask.engine.vector_program import VectorProgram
from akdask.operators.group import tuning as group_tuning
from akdask.operators.reduce.reductions import ScalarReduction
from akdask.storage.ranges import ALIGNED_ROWS, split_rows
from tests.columns.test_summation import reference

ROWS = 200_003
LOCALES = 5

REDUCED = {
    "sum": lambda f: f["x"].sum(),
    "mean": lambda f: f["x"].mean(),
    "variance": lambda f: f["x"].var(),
    "product": lambda f: (1 + f["x"] * 1e-18).prod(),
    "mean of integers": lambda f: f["i"].mean(),
    "under a filter": lambda f: f["x"][f["y"] > 0].sum(),
    "deviation under a filter": lambda f: f["x"][f["y"] > 0].std(),
    "of few rows": lambda f: f["x"][f["y"] > 3].sum(),
    "of a chain": lambda f: ak.sqrt(ak.abs(f["x"] * 2.5 + f["y"])).sum(),
    "of a chain under a filter": lambda f: (f["x"] * 2 + f["y"])[f["y"] > 1].mean(),
    "product under a filter": lambda f: (1 + f["x"][f["y"] > 0] * 1e-18).prod(),
    "under two filters": lambda f: (f["x"] * 2)[f["y"] > 0][f["i"][f["y"] > 0] > 3].sum(),
    "of a slice": lambda f: f["x"][1234:190_001].sum(),
    "of every third row": lambda f: f["x"][7::3].mean(),
    "of a slice under a filter": lambda f: f["x"][5:][f["y"][5:] > 0].sum(),
    "running": lambda f: ak.cumsum(f["x"])[-1],
}

GROUPED = {
    f"{name} by {key}": lambda f, name=name, key=key: getattr(ak.GroupBy(f[key]), name)(f["x"])[1].to_ndarray()
    for name in ("sum", "mean", "var", "prod")
    for key in ("i", "many", "wide", "f", "s")
}


@pytest.fixture(scope="module")
def columns():
    generator = np.random.default_rng(3)
    return {
        # Magnitudes so different that any other order of additions gives another sum.
        "x": generator.normal(size=ROWS) * 10.0 ** generator.integers(-15, 15, ROWS),
        "y": generator.normal(size=ROWS),
        "i": generator.integers(0, 9, ROWS),
        "many": generator.integers(0, 30_000, ROWS),
        "wide": generator.integers(0, 20_000, ROWS) * 10**12,
        "f": generator.integers(0, 500, ROWS) * 0.5,
    }


@pytest.fixture(scope="module")
def files(columns, tmp_path_factory):
    prefix = str(tmp_path_factory.mktemp("bits") / "rows")
    arrays = {name: ak.array(column) for name, column in columns.items()}
    ak.DataFrame({**arrays, "s": ak.array(columns["i"].astype(str))}).to_hdf(prefix, num_locales=LOCALES)
    return f"{prefix}_LOCALE*"


@pytest.fixture(scope="module")
def many_files(columns, tmp_path_factory):
    prefix = str(tmp_path_factory.mktemp("many") / "rows")
    arrays = {name: ak.array(column[:60_000]) for name, column in columns.items()}
    frame = ak.DataFrame({**arrays, "s": ak.array(columns["i"][:60_000].astype(str))})
    frame.to_hdf(prefix, num_locales=3 * engine_tuning.GROUP_BATCHES)
    return f"{prefix}_LOCALE*"


@pytest.fixture
def set_batches(monkeypatch):
    """Return what sets how many partitions a task goes over, at most."""

    def of(cores):
        monkeypatch.setattr(pipeline, "CORES", cores)
        monkeypatch.setattr(engine_tuning, "FEW_PARTITIONS", cores)
        clear_caches()

    yield of
    clear_caches()


def by_blocks(monkeypatch):
    """Have NumPy reduce all rows, block by block."""
    monkeypatch.setattr(sinks.Reduce, "_reducer", lambda *_: None)


def bits(result):
    return np.asarray(result if isinstance(result, np.ndarray) else float(result)).tobytes()


@pytest.mark.parametrize("name", REDUCED)
def test_reductions_are_the_same_for_any_threads_batches_and_blocks(files, set_batches, name, monkeypatch):
    found = set()
    for is_by_blocks in (False, True):
        if is_by_blocks:
            by_blocks(monkeypatch)
        for threads, cores, block_size in ((1, 1, 2**21), (2, 2, 2**13), (5, 64, 3 * 10**5), (2, 1, 2**10)):
            set_batches(cores)
            with ak.config.set(block_size=block_size), dask.config.set(scheduler="threads", num_workers=threads):
                found |= {bits(REDUCED[name](ak.read_hdf(files))) for _ in range(2)}
    assert len(found) == 1


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("name", GROUPED)
def test_reductions_of_groups_are_the_same_for_any_threads_and_batches(files, set_batches, name):
    found = set()
    for threads, cores in ((1, 1), (2, 2), (5, 64)):
        set_batches(cores)
        with dask.config.set(scheduler="threads", num_workers=threads):
            found.add(bits(GROUPED[name](ak.read_hdf(files))))
    assert len(found) == 1


@pytest.mark.cluster
@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("name", GROUPED)
def test_a_cluster_finds_the_same_bits_of_groups_as_threads(many_files, cluster_client, monkeypatch, name):
    monkeypatch.setattr("akdask.operators.group.tuning.RANGE_ROWS", 20_000)
    there = bits(GROUPED[name](ak.read_hdf(many_files)))
    with dask.config.set(scheduler="synchronous"):
        assert bits(GROUPED[name](ak.read_hdf(many_files))) == there


@pytest.mark.parametrize("name", ["sum by i", "mean by many", "var by wide", "prod by f"])
def test_groups_of_many_files_add_up_in_the_same_batches_on_every_machine(many_files, set_batches, monkeypatch, name):
    monkeypatch.setattr("akdask.operators.group.tuning.RANGE_ROWS", 20_000)
    found = set()
    for cores in (1, 3, 64):
        set_batches(cores)
        # Fewer tables are cut and merged as they are, more are merged beforehand where it does not change a bit.
        monkeypatch.setattr(group_tuning, "FEW_TABLES", cores)
        for most_slices in (0, group_tuning.MOST_SLICES):
            monkeypatch.setattr(group_tuning, "MOST_SLICES", most_slices)
            found.add(bits(GROUPED[name](ak.read_hdf(many_files))))
    assert len(found) == 1


@pytest.mark.parametrize("key", ["i", "many", "wide", "f", "s"])
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_sums_of_groups_are_the_same_in_blocks_of_any_size(files, key, reduction):
    found = set()
    for block_size in (2**15, 3 * 10**5, 2**21):
        with ak.config.set(block_size=block_size):
            found.add(bits(GROUPED[f"{reduction} by {key}"](ak.read_hdf(files))))
    assert len(found) == 1


@pytest.mark.cluster
@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("name", REDUCED)
def test_a_cluster_finds_the_same_bits_as_threads(files, cluster_client, name):
    there = bits(REDUCED[name](ak.read_hdf(files)))
    with dask.config.set(scheduler="synchronous"):
        assert bits(REDUCED[name](ak.read_hdf(files))) == there


def test_nothing_that_was_computed_before_changes_a_sum(files, columns):
    sums = {bits(ak.read_hdf(files)["x"].sum()) for _ in range(3)}
    for _ in range(3):
        ak.sort(ak.array(columns["i"])).to_ndarray()
        sums.add(bits(ak.read_hdf(files)["x"].sum()))
    assert len(sums) == 1


def test_files_that_are_split_otherwise_have_the_same_sum(columns, tmp_path):
    ak.DataFrame({"x": ak.array(np.tile(columns["x"], 10))}).to_hdf(tmp_path / "one", num_locales=1)
    found, counts = set(), set()
    for partition_size in (2**40, 35 * 10**5, 3 * 10**6):
        with ak.config.set(partition_size=partition_size):
            array = ak.read_hdf(str(tmp_path / "one_LOCALE*"))["x"]
        counts.add(array.npartitions)
        found.add((bits(array.sum()), bits(array.var())))
    assert len(counts) == 3
    assert len(found) == 1


@pytest.mark.parametrize("is_by_blocks", [False, True])
def test_many_small_files_are_units_of_their_own(tmp_path, is_by_blocks, set_batches, monkeypatch):
    rows = np.random.default_rng(1).normal(size=3000) * 10.0 ** np.random.default_rng(2).integers(-12, 12, 3000)
    ak.DataFrame({"x": ak.array(rows), "y": ak.array(np.arange(3000))}).to_hdf(tmp_path / "set", num_locales=30)
    if is_by_blocks:
        by_blocks(monkeypatch)
    sizes = np.full(30, 100)
    for cores in (1, 4, 64):
        set_batches(cores)
        frame = ak.read_hdf(str(tmp_path / "set_LOCALE*"))
        kept = np.arange(3000) % 7 != 3
        chosen = np.split(np.where(kept, rows, 0.0), np.cumsum(sizes)[:-1])
        assert float(frame["x"].sum()) == reference(np.split(rows, np.cumsum(sizes)[:-1]))
        assert float(frame["x"][frame["y"] % 7 != 3].sum()) == reference(chosen)
        assert float((frame["x"] * 2)[frame["y"] % 7 != 3].sum()) == 2 * reference(chosen)


def test_instructions_are_what_adds_up_the_rows_of_files(files, monkeypatch):
    runs = []
    run = VectorProgram.run
    monkeypatch.setattr(VectorProgram, "run", lambda self, pieces: runs.append(len(pieces)) or run(self, pieces))
    for name in ("sum", "mean", "under a filter", "of a chain", "of a chain under a filter", "under two filters"):
        runs.clear()
        REDUCED[name](ak.read_hdf(files)).value()
        assert runs, name


def test_files_are_split_where_units_begin():
    assert ALIGNED_ROWS % UNIT == 0
    assert np.array_equal(split_rows(np.array([10**6]), np.array([8 * 10**6]), 3 * 10**6).starts % UNIT, [0] * 4)


@pytest.mark.parametrize("spoilt", [math.nan, math.inf, -math.inf, 1e308])
@pytest.mark.parametrize("share", [0.9, 0.3, 0.05])
def test_rows_that_are_masked_spoil_no_sum(spoilt, share):
    generator = np.random.default_rng(5)
    rows, mask = generator.normal(size=3 * UNIT + 5), generator.random(3 * UNIT + 5) < share
    clean = np.where(mask, rows, 0.0)
    rows[~mask] = spoilt
    sums, moments = ScalarReduction("sum", FLOAT64), ScalarReduction("var", FLOAT64)
    assert sums.finalize(sums.partial(rows, mask)) == reference([clean])
    found = moments.partial(rows, mask).distances()
    places = UnitPositions(np.flatnonzero(mask), len(mask))
    assert found == moments.partial(rows[mask], None, places).distances()
    np.testing.assert_allclose(found, np.var(rows[mask]) * mask.sum(), rtol=1e-12)
