"""Lazy objects in Dask's own functions; and that nothing computes before it must."""

import pickle
import shutil

import dask
import numpy as np
import pytest
from dask.base import is_dask_collection, tokenize

import akdask as ak
from akdask.engine import scheduler
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

ROWS = np.arange(12)


@pytest.fixture
def big():
    return MemorySource({"x": ROWS, "s": ROWS.astype(str)}, [4, 0, 3, 5]).arrays()


@pytest.fixture
def nothing_computes():
    def refuse(graph, keys, **options):
        raise AssertionError("something computes")

    with dask.config.set(scheduler=refuse):
        yield


def test_arrays_and_scalars_are_dask_collections(big):
    assert is_dask_collection(big["x"])
    assert is_dask_collection(big["s"])
    assert is_dask_collection(big["x"].sum())


def test_dask_compute_takes_them_in_any_structure(big):
    found = dask.compute({"sum": big["x"].sum(), "rows": [big["x"], big["s"][:2]]}, 7)
    assert found[1] == 7
    assert found[0]["sum"] == 66
    assert_equal(found[0]["rows"][0], ROWS)
    assert found[0]["rows"][1].tolist() == ["0", "1"]


def test_compute_gives_what_dask_compute_gives(big):
    assert_equal(big["x"].compute(), ROWS)
    assert big["x"].sum().compute() == 66
    assert isinstance(big["x"].sum().compute(), np.int64)


@pytest.mark.lazy_only
def test_persisted_arrays_keep_partitions_and_are_not_computed_again(big, nothing_computes):
    doubled = big["x"] * 2
    with dask.config.set(scheduler="synchronous"):
        kept, total = dask.persist(doubled, doubled.sum())
        reads = len(big["x"]._frame.source.reads)
        assert_equal(kept, ROWS * 2, lazy=True, lengths=[4, 0, 3, 5])
        assert len(big["x"]._frame.source.reads) == reads
    assert int(total) == 132


def test_persisted_arrays_combine_with_what_they_were_made_of(big):
    x = big["x"]
    kept = x[x > 5].persist()
    assert_equal(kept + x[x > 5], ROWS[6:] * 2)
    assert_equal((x + 1).persist() + x, ROWS * 2 + 1)


def test_the_same_array_persisted_again_is_held_on_its_own(big):
    assert big["x"].persist()._frame is not big["x"].persist()._frame


def test_the_same_rows_twice_over_can_be_persisted(big):
    assert_equal(ak.concatenate([big["x"], big["x"]]).persist(), np.concatenate([ROWS, ROWS]))


def test_many_partitions_are_persisted_in_order():
    x = MemorySource({"x": np.arange(30)}, [1] * 30).arrays()["x"]
    assert_equal((x + 1).persist(), np.arange(30) + 1)


def test_optimize_gives_collections_with_the_same_answer(big):
    optimized, total = dask.optimize(big["x"] + 1, big["x"].sum())
    assert_equal(optimized.compute(), ROWS + 1)
    assert total.compute() == 66


def test_the_graph_can_be_had_and_run(big):
    doubled = big["x"] * 2
    tables = dask.get(doubled.dask, doubled.__dask_keys__())
    assert np.concatenate([table.columns[0] for table in tables]).tolist() == (ROWS * 2).tolist()


def test_lazy_objects_are_arguments_of_delayed_functions(big):
    total = dask.delayed(lambda numbers, offset: int(numbers.sum()) + int(offset))(big["x"], big["x"].max())
    assert total.compute() == 66 + 11


def test_lazy_objects_have_deterministic_tokens(big):
    assert tokenize(big["x"] + 1) == tokenize(big["x"] + 1)
    assert tokenize(big["x"] + 1) != tokenize(big["x"] + 2)
    assert tokenize(big["x"].sum()) != tokenize(big["x"].max())


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_plans_can_be_drawn(big, tmp_path):
    pytest.importorskip("graphviz")
    assert dask.visualize(big["x"] + 1, filename=str(tmp_path / "plan.svg"))


def test_lazy_objects_survive_pickling(big):
    x = big["x"]
    expected = ROWS[ROWS > 3] * 2
    for lazy in (x[x > 3] * 2, (x[x > 3] * 2).persist(), x[ROWS > 3] * 2):
        assert_equal(pickle.loads(pickle.dumps(lazy)), expected, lazy=True)
    assert pickle.loads(pickle.dumps(big["s"].upper())).tolist() == ROWS.astype(str).tolist()


def test_scalars_survive_pickling_before_and_after_they_are_known(big):
    total = big["x"].sum()
    assert pickle.loads(pickle.dumps(total)) == 66
    assert total == 66
    assert pickle.loads(pickle.dumps(total)) == 66


def test_the_default_scheduler_is_threads(big):
    with dask.config.set(scheduler=None):
        assert big["x"].__dask_scheduler__ is scheduler.get
        assert big["x"].sum() == 66


# ---------------------------------------------------------------------------------------------------------- laziness


def build(big):
    """Write about everything that is said to be lazy."""
    x, s = big["x"], big["s"]
    kept = x[x > x.mean()]
    yield from (x + 1, x * x, -x, x > 3, ~(x > 3), x[x > 3], kept, kept * 2, kept[kept > 7], x[2:9], x[::-1], x[::3])
    yield from (x[[1, 2]], x[x % 12], x.take([0]), x.head(), x.tail(), kept.head(), kept.tail(), x.astype(float))
    yield from (s.upper(), s == "3", s[x > 3], s.stick(s), s.contains("1"), s.get_lengths())
    yield from (ak.where(x > 3, x, 0), np.where(x > 3, x, 0), np.sqrt(x), ak.concatenate([kept, kept]), ak.sqrt(x))
    yield from (ak.zeros(5), ak.arange(10), ak.uniform(5), ak.randint(0, 5, 5), ak.linspace(0, 1, 5), ak.full(3, 2))
    for key in (3, slice(1, 5), x > 3, [1, 2], x % 12):
        changed = x.copy()
        changed[key] = 0
        yield changed
    changed = x.copy()
    changed += 1
    changed[[1, 2]] = ak.array([7, 8])
    yield changed
    for name in ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax", "is_sorted"):
        yield getattr(kept, name)()
    yield kept + x.sum()
    yield kept.mean() * x


@pytest.mark.lazy_only
def test_building_computes_nothing_nor_does_asking_for_types(big, nothing_computes):
    built = list(build(big))
    for item in built:
        assert item.dtype.kind in "iufbU"
        assert item.expr.npartitions >= 1
        assert item.explain()
        assert isinstance(item.__dask_graph__(), dict)
        assert pickle.dumps(item)
        tokenize(item)
    assert len(built) > 50
    assert big["x"]._frame.source.reads == []


@pytest.mark.lazy_only
def test_a_repr_of_much_work_computes_nothing(nothing_computes):
    x = MemorySource({"x": np.zeros(3_000_000, int)}, [1_500_000] * 2).arrays()["x"]
    assert repr(x[np.arange(3_000_000)]).startswith("<pdarray")
    assert repr(x - x.mean()).startswith("<pdarray")


def test_looking_for_attributes_of_a_scalar_computes_nothing(big, nothing_computes):
    total = big["x"].sum()
    for name in ("_repr_html_", "_ipython_display_", "__array_interface__", "_no_such", "__len__"):
        assert not hasattr(total, name)
