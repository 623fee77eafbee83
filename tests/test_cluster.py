"""A few runs on a cluster of two worker processes: what a process of its own could break."""

import pickle

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError, MissingFileError, PositionError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partitioned

pytestmark = pytest.mark.cluster

ROWS = np.arange(100)


@pytest.fixture
def x(cluster_client):
    return partitioned(ROWS, [30, 0, 50, 20])


def test_chains_and_reductions_run_on_workers(x):
    assert (x * 2)[x > 50].sum() == (ROWS * 2)[ROWS > 50].sum()
    assert_equal(x[x > x.mean()], ROWS[ROWS.mean() < ROWS], lazy=True)
    assert_equal(x[::-7][[1, 0]], ROWS[::-7][[1, 0]])
    assert len(x[x > 50]) == 49


def test_arrays_of_several_dimensions_are_computed_on_workers(x):
    lazy, grid = x.reshape(4, 5, 5), ROWS.reshape(4, 5, 5)
    found = ak.matmul(ak.sort(-lazy.T, axis=1), lazy[0, :4])
    assert_equal(found.flatten(), (np.sort(-grid.T, axis=1) @ grid[0, :4]).ravel())


def test_files_in_memory_are_scanned_on_workers(cluster_client):
    columns = MemorySource({"x": ROWS, "s": ROWS.astype(str)}, [50, 50]).arrays()
    assert columns["x"][columns["s"] == "7"].tolist() == [7]


def test_results_stay_on_the_workers_until_they_are_asked_for(x, cluster_client):
    kept = (x + 1)[x > 50].persist()
    graph = kept._frame.graph
    assert {type(item).__name__ for item in graph.values()} == {"Future"}
    assert kept.sum() == (ROWS + 1)[ROWS > 50].sum()
    assert_equal(kept + x[x > 50], (ROWS * 2 + 1)[ROWS > 50])
    assert_equal(cluster_client.persist(x * 3), ROWS * 3, lazy=True, lengths=[30, 0, 50, 20])


def test_a_persisted_scalar_is_a_number_and_serves_in_expressions(x):
    (total,) = dask.persist(x.sum())
    assert total == ROWS.sum()
    assert total + 1 == ROWS.sum() + 1
    assert_equal(x + total, ROWS + ROWS.sum())


def test_the_client_computes_to_futures_and_gathers_them(x, cluster_client):
    futures = cluster_client.compute([x.sum(), x.max(), x[:3]])
    total, largest, first = cluster_client.gather(futures)
    assert (total, largest) == (ROWS.sum(), 99)
    assert_equal(first, ROWS[:3])
    assert cluster_client.compute(x.mean()).result() == ROWS.mean()


def test_progress_and_wait_take_persisted_arrays(x, capsys):
    from distributed import progress, wait

    kept = (x + 1).persist()
    wait(kept)
    progress(kept, notebook=False)
    assert_equal(kept, ROWS + 1)


def test_several_plans_share_one_pass(x, cluster_client):
    assert dask.compute(x.sum(), x.min(), x[x > 50].size) == (ROWS.sum(), 0, 49)


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda x: x[[0, 100]], PositionError),
        (lambda x: x[x > 1000].min(), ArgumentError),
        (lambda x: x ** (x * 0 - 1), ArgumentError),
    ],
)
def test_an_error_in_a_worker_arrives_as_what_it_is(x, build, error):
    lazy = build(x)
    with pytest.raises(error) as found:
        lazy.compute()
    assert found.value.hint
    assert "Hint:" in str(found.value)


def test_lazy_objects_travel_to_tasks_and_back(x, cluster_client):
    future = cluster_client.submit(
        lambda data: int(pickle.loads(data).compute(scheduler="sync").sum()), pickle.dumps(x)
    )
    assert future.result() == ROWS.sum()


def test_sets_are_written_and_read_by_the_workers(x, prefix):
    ak.to_hdf({"x": x, "doubled": x * 2}, prefix)
    columns = ak.read_hdf(f"{prefix}*")
    assert_equal(columns["doubled"], ROWS * 2, lengths=[30, 0, 50, 20])
    assert columns["x"][columns["doubled"] > 100].sum() == ROWS[ROWS > 50].sum()
    for path in prefix.parent.iterdir():
        path.unlink()
    with pytest.raises((MissingFileError, OSError)):
        columns["x"].sum().compute()


def test_a_long_expression_reaches_the_workers(x):
    total = x
    for _ in range(1500):
        total = total + 1
    assert total.sum() == (ROWS + 1500).sum()


def test_connect_makes_a_client_current_and_disconnect_leaves_it(cluster_client):
    with dask.config.set(scheduler=None):
        assert ak.connect(cluster_client) is cluster_client
        assert [ak.get_config()[name] for name in ("numLocales", "numNodes")] == [2, 1]
        assert partitioned(ROWS, [50, 50]).sum() == ROWS.sum()
        ak.disconnect()
    assert cluster_client.status == "running"


def test_loops_that_ask_for_values_go_on_from_what_workers_hold(cluster_client):
    rank, wanted = ak.arange(1000) * 1.0, np.arange(1000) * 1.0
    tasks = []
    for _ in range(40):
        rank, wanted = rank * 1.01 - rank.mean(), wanted * 1.01 - wanted.mean()
        assert float(rank.max()) == pytest.approx(wanted.max())
        tasks.append(len(rank.max().__dask_graph__()))
    assert max(tasks[8:]) <= max(tasks[:8]) + 2
    np.testing.assert_allclose(rank.to_ndarray(), wanted, atol=1e-9)
    with dask.config.set(scheduler="synchronous"):
        np.testing.assert_allclose(rank.to_ndarray(), wanted, atol=1e-9)


def test_integers_with_missing_rows_on_workers(cluster_client, tmp_path):
    random = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "k": pd.Series(random.integers(2**62, 2**62 + 9, 4000), dtype="Int64").mask(random.random(4000) < 0.1),
            "v": pd.Series(random.integers(-(2**60), 2**60, 4000), dtype="Int64").mask(random.random(4000) < 0.2),
            "b": pd.Series(random.random(4000) < 0.5, dtype="boolean").mask(random.random(4000) < 0.2),
            "n": np.arange(4000),
        }
    )
    for part in range(4):
        table.iloc[part * 1000 : (part + 1) * 1000].to_parquet(tmp_path / f"rows_LOCALE{part:04d}.parquet")
    lazy = ak.DataFrame(ak.read_parquet(str(tmp_path / "rows*")))
    chosen, expected = lazy[lazy.v > 0], table[table["v"].gt(0).fillna(False)]

    def plain(rows):
        pandas = rows.to_pandas(nullable=True) if isinstance(rows, ak.DataFrame) else rows
        return pandas.reset_index(drop=True)

    def same(found, expected):
        pd.testing.assert_frame_equal(plain(found), plain(expected), check_dtype=False)

    same(chosen, expected)
    same(chosen.sort_values(["k", "n"]), expected.sort_values(["k", "n"]))
    grouped = chosen.groupby("k", dropna=False).agg({"v": "max", "b": "count"}).reset_index()
    same(grouped, expected.groupby("k", dropna=False).agg({"v": "max", "b": "count"}).reset_index())
    other = pd.DataFrame(
        {"k": pd.array([2**62 + 1, 2**62 + 2, None], "Int64"), "w": pd.array([None, 2**61 + 1, 3], "Int64")}
    )
    joined = chosen.merge(ak.DataFrame(other), on="k", how="left").sort_values("n")
    # Integers whose rows may lack a match are floats, as in Arkouda.
    same(joined, expected.merge(other, on="k", how="left").sort_values("n").astype({"w": "Float64"}))
    joined.to_parquet(str(tmp_path / "joined"), num_locales=3)
    same(ak.DataFrame(ak.read_parquet(str(tmp_path / "joined*"))), joined.to_pandas(nullable=True))
    assert (chosen.v.sum().value(), chosen.v.max()) == (expected["v"].sum(), expected["v"].max())
    assert np.isnan(lazy.v.sum().value())
