"""Columns of files in memory: the same answers, no more bytes than allowed, and changed files are noticed."""

from __future__ import annotations

import os
import threading
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
import akdask.pandas as pdx
from akdask import caches
from akdask.columns.dtypes import FLOAT64, INT64
from akdask.engine.memory import memory_budget
from akdask.storage import decoded_columns, tuning

NROWS = 1000


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    caches.clear_caches()
    monkeypatch.setattr(decoded_columns._readings, "was_memory_short", False)
    yield
    caches.clear_caches()


def kept():
    """Return how many entries are in memory, and their bytes."""
    return next(((len_, size) for name, len_, size in caches.caches() if name == "decoded columns of files"), (0, 0))


def rows_of(nrows, seed=0):
    random = np.random.default_rng(seed)
    numbers = np.arange(nrows)
    return pd.DataFrame(
        {
            "x": random.permutation(nrows) + 2**53 + 1,
            "f": np.where(numbers % 7 == 3, np.nan, random.normal(size=nrows)),
            "n": pd.array([None if row % 5 == 2 else int(row) for row in numbers], "Int64"),
            "b": numbers % 3 == 1,
            "few": [None if row % 11 == 5 else f"täxt {row % 4}" for row in numbers],
            "many": [f"{row * 7919 % 1009}" for row in numbers],
            "t": pd.to_datetime(numbers * 10**9 + seed).astype("datetime64[ns]"),
        }
    )


def written(folder, kind, frame, **options):
    path = str(folder / f"rows.{kind}")
    if kind == "parquet":
        frame.to_parquet(path, **{"row_group_size": 300, **options})
    else:
        frame.to_csv(path, index=False)
    return path


def opened(path):
    if path.endswith("parquet"):
        return ak.scan(path)
    return ak.DataFrame(ak.read_csv(path, dtypes={"x": "int64", "many": "str"}))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_columns_are_kept_when_they_are_read_for_the_second_time_or_parsed(tmp_path, kind):
    frame = rows_of(NROWS)
    found = opened(written(tmp_path, kind, frame))
    sums = [int(found["x"].sum()), kept(), int(found["x"].sum()), kept(), int(found["x"].sum()), kept()]
    first = (0, 0) if kind == "parquet" else (1, 8000)
    assert sums == [frame.x.sum(), first, frame.x.sum(), (1, 8000), frame.x.sum(), (1, 8000)]
    # Another column adds its rows, and leaves the others where they are.
    assert [found["many"].to_ndarray().tolist() for _ in range(3)] == [frame.many.tolist()] * 3
    assert kept()[0] == 2


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_nothing_is_kept_without_room(tmp_path, kind):
    frame = rows_of(NROWS)
    found = opened(written(tmp_path, kind, frame))
    for size, entries in ((0, 0), (7999, 0), (8000, 1)):
        with ak.config.set(cache_size=size):
            for _ in range(4):
                assert int(found["x"].sum()) == frame.x.sum()
                assert kept()[1] <= size
            assert kept()[0] == entries


def test_rows_that_do_not_fit_do_not_drive_each_other_out(tmp_path):
    frame = rows_of(NROWS)
    for first in range(0, NROWS, 100):
        frame.iloc[first : first + 100].to_parquet(tmp_path / f"{first:04}.parquet", index=False)
    found = ak.scan(str(tmp_path))
    with ak.config.set(cache_size=5 * 800):
        seen = []
        for _ in range(5):
            assert int(found["x"].sum()) == frame.x.sum()
            seen.append(set(decoded_columns._columns))
        assert [len(keys) for keys in seen] == [0, 5, 5, 5, 5]
        assert seen[1] == seen[2] == seen[4]


def test_what_is_read_now_takes_the_place_of_what_was_read_long_ago(tmp_path):
    frame = rows_of(NROWS)
    found = opened(written(tmp_path, "parquet", frame, row_group_size=NROWS))
    with ak.config.set(cache_size=2 * 8000):
        for name in ("x", "f", "t"):
            for _ in range(3):
                found[name].max().compute() if name == "x" else found[name].to_ndarray()
        assert [key[1].name for key in decoded_columns._columns] == ["f", "t"]


def test_columns_parsed_for_the_first_time_drive_nothing_out(tmp_path):
    frame = rows_of(NROWS)
    found = opened(written(tmp_path, "csv", frame))
    with ak.config.set(cache_size=12000):
        seen = []
        for name in ("x", "f", "f"):
            np.testing.assert_array_equal(found[name].to_ndarray(), frame[name])
            seen.append([{key[-2].position for key in decoded_columns._columns}, kept()])
    assert seen == [[{0}, (1, 8000)], [{0}, (1, 8000)], [{1}, (1, 8000)]]


def test_parsed_columns_stay_in_files_once_memory_was_short(tmp_path):
    frame = rows_of(NROWS)
    found = opened(written(tmp_path, "csv", frame))
    assert int(found["x"].sum()) == frame.x.sum()
    assert kept() == (1, 8000)
    assert decoded_columns.release()
    assert [(int(found["x"].sum()), kept()) for _ in range(2)] == [(frame.x.sum(), (0, 0)), (frame.x.sum(), (1, 8000))]


def test_few_rows_of_a_column_are_not_kept(tmp_path):
    frame = rows_of(NROWS).sort_values("x", ignore_index=True)
    found = opened(written(tmp_path, "parquet", frame))
    for _ in range(4):
        assert found["x"][:5].to_ndarray().tolist() == frame.x[:5].tolist()
        assert found["x"][5:10].to_ndarray().tolist() == frame.x[5:10].tolist()
    assert kept() == (0, 0)
    few = found["x"] == 2**53 + 1 + 650
    for _ in range(4):
        # Bounds leave one row group, and the filter one row of it.
        assert found[few]["many"].to_ndarray().tolist() == [frame.many[650]]
    assert kept() == (0, 0)


def test_rows_that_a_filter_leaves_make_a_column_be_kept(tmp_path):
    frame = rows_of(NROWS)
    # The last rows are never asked for.
    found = opened(written(tmp_path, "parquet", frame, row_group_size=NROWS))
    keep = frame.b & (frame.index < 950)
    mask = ak.array(keep.to_numpy())
    for _ in range(3):
        assert found["f"][found["b"]].to_ndarray()[:3].tolist() == frame.f[frame.b].tolist()[:3]
        assert found["many"][found["b"]].to_ndarray().tolist() == frame.many[frame.b].tolist()
    assert {(key[1].name, key[-1]) for key in decoded_columns._columns} == {
        ("b", NROWS),
        ("f", NROWS),
        ("many", NROWS),
    }
    assert found["many"].to_ndarray().tolist() == frame.many.tolist()
    assert mask.sum() == keep.sum()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_changed_file_is_noticed(tmp_path, kind):
    before, after = rows_of(NROWS), rows_of(NROWS, seed=1)
    after["x"] += 1
    found = opened(path := written(tmp_path, kind, before))
    for _ in range(3):
        assert int(found["x"].max()) == before.x.max()
        assert found["many"].to_ndarray().tolist() == before.many.tolist()
    assert kept()[0]
    # In place of the other one, as a notebook does that runs again.
    os.rename(path, f"{path}.old")
    with pytest.raises(ak.errors.MissingFileError, match="no file"):
        found["x"].to_ndarray()
    written(tmp_path, kind, after)
    with pytest.raises(ak.errors.FileError, match="changed"):
        found["x"].to_ndarray()
    again = opened(path)
    for _ in range(3):
        assert int(again["x"].max()) == after.x.max()
        assert again["x"].to_ndarray().tolist() == after.x.tolist()
    os.truncate(path, 500)
    with pytest.raises(ak.errors.FileError, match="changed"):
        again["x"].to_ndarray()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_what_users_change_is_their_own(tmp_path, kind):
    frame = rows_of(NROWS)
    found = opened(written(tmp_path, kind, frame, **({"row_group_size": NROWS} if kind == "parquet" else {})))
    for _ in range(4):
        array = found["x"].to_ndarray()
        array[:] = 0
        whole = found[["x", "f"]].to_pandas()
        whole.iloc[:, 0] = 0
        whole["f"] += 1
        column = found["f"].to_ndarray()
        column += 1
        held = found["x"].persist()
        held[3] = 5
        assert int(held[3]) == 5
    assert kept()[0] == 2
    assert found["x"].to_ndarray().tolist() == frame.x.tolist()
    np.testing.assert_array_equal(found["f"].to_ndarray(), frame.f)
    for column in decoded_columns._columns.values():
        assert not column.flags.writeable


def test_a_column_read_in_two_ways_is_two_columns(tmp_path, monkeypatch):
    monkeypatch.setattr("akdask.pandas.tuning.READ_VALUES", 0)
    monkeypatch.setattr("akdask.pandas.tuning.EAGER_VALUES", 0)
    path = str(tmp_path / "rows.parquet")
    amounts = [None if row == 3 else Decimal(f"{row}.25") for row in range(50)]
    pq.write_table(pa.table({"d": pa.array(amounts, pa.decimal128(12, 2))}), path)
    stored = [amount and float(amount) for amount in amounts]
    digits = pdx.read_parquet(path)
    for _ in range(3):
        floats = ak.scan(path)["d"].to_ndarray()
        assert [None if np.isnan(number) else number for number in floats] == stored
        assert digits["d"].max() == amounts[-1]
        with ak.config.set(partition_size=80):
            assert ak.scan(path)["d"].to_ndarray()[[4, 49]].tolist() == [stored[4], stored[49]]
    assert len({key[1].stored for key in decoded_columns._columns}) == 2


def test_nulls_of_a_column_are_another_column(tmp_path):
    path = str(tmp_path / "rows.parquet")
    times = pa.array([None if row % 4 == 1 else row for row in range(40)], pa.timestamp("us"))
    pq.write_table(pa.table({"t": times}), path)
    for _ in range(3):
        assert ak.get_null_indices(path, ["t"])["t"].to_ndarray().tolist() == [row % 4 == 1 for row in range(40)]
        assert ak.scan(path)["t"].to_ndarray().astype("M8[us]").tolist() == times.to_pylist()


def test_columns_go_before_results_are_spilled(tmp_path, monkeypatch):
    frame = rows_of(NROWS)
    found = opened(written(tmp_path, "parquet", frame))
    for _ in range(2):
        found["x"].sum().compute()
    assert kept()[0] == 1
    used = iter([2**50, 10])
    monkeypatch.setattr("akdask.cluster.memory_in_use", lambda: next(used))
    assert not memory_budget._is_in_use(100)
    assert kept() == (0, 0)
    monkeypatch.undo()
    # They are read twice again before they are kept.
    found["x"].sum().compute()
    assert kept() == (0, 0)
    assert int(found["x"].sum()) == frame.x.sum()
    assert kept()[0] == 1


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_begins_without_columns(tmp_path):
    found = opened(written(tmp_path, "parquet", rows_of(NROWS)))
    for _ in range(2):
        found["x"].sum().compute()
    child = os.fork()
    if not child:
        os._exit(kept()[0])
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert kept()[0] == 1


def test_threads_read_a_column_at_once(tmp_path):
    frame = rows_of(NROWS)
    path = written(tmp_path, "parquet", frame)
    wrong = []

    def read():
        for _ in range(5):
            found = ak.scan(path)
            if found["x"].to_ndarray().tolist() != frame.x.tolist() or found["b"].sum() != frame.b.sum():
                wrong.append(1)

    with ak.config.set(cache_size=9000):
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
    assert kept()[1] <= 9000


def test_damage_in_rows_that_nobody_wants_stays_unnoticed():
    """The rest of a column is read for the next time alone."""
    stored = np.arange(100)

    def read(start, stop, out=None):
        if stop > 90:
            raise ak.errors.FileFormatError("damaged")
        out[:] = stored[start:stop]
        return out

    for _ in range(2):
        column = decoded_columns.FileColumn("key", 100, INT64, read)
    assert column.rows(0, 85).tolist() == stored[:85].tolist()
    column.finish()
    assert column.in_memory is None
    # Wanted ones are another matter.
    assert column.take(np.array([86, 95])) is None
    with pytest.raises(ak.errors.FileFormatError):
        decoded_columns.FileColumn("key", 100, INT64, read).rows(0, 100)


def test_rows_between_which_others_are_left_out_are_read_from_the_file():
    stored = np.linspace(0, 1, 100)
    asked = []

    def read(start, stop, out):
        asked.append((start, stop))
        out[:] = stored[start:stop]
        return out

    decoded_columns.FileColumn("key", 100, FLOAT64, read)
    column = decoded_columns.FileColumn("key", 100, FLOAT64, read)
    assert column.rows(10, 20) is None
    assert column.rows(0, 30).tolist() == stored[:30].tolist()
    assert column.rows(10, 20) is None
    assert column.take(np.array([40, 41])).tolist() == stored[40:42].tolist()
    assert column.take(np.array([30, 60])) is None
    assert column.take(np.array([42, 42 + 2 * tuning.FEW_ROWS_READ])) is None
    assert column.rows(42, 80).tolist() == stored[42:80].tolist()
    column.finish()
    assert column.in_memory is None
    assert column.rows(80, 81).tolist() == [stored[80]]
    column.finish()
    assert column.in_memory.tolist() == stored.tolist()
    assert asked == [(0, 30), (30, 42), (42, 80), (80, 81), (81, 100)]
    assert column.take(np.array([3, 99])).tolist() == stored[[3, 99]].tolist()
    assert column.rows(7, 9).tolist() == stored[7:9].tolist()


QUESTIONS = {
    "sums": (
        lambda df, _: [int(df["x"].sum() - df["x"].min()), int(df["b"].sum())],
        lambda df, _: [int(df.x.sum() - df.x.min()), int(df.b.sum())],
    ),
    "numbers": (lambda df, _: df["x"].to_ndarray().tolist(), lambda df, _: df.x.tolist()),
    "floats": (
        lambda df, _: np.nan_to_num(df["f"].to_ndarray(), nan=77).tolist(),
        lambda df, _: df.f.fillna(77).tolist(),
    ),
    "integers": (
        lambda df, _: df[["n"]].to_pandas()["n"].astype("float64").fillna(-1).tolist(),
        lambda df, _: df.n.astype("float64").fillna(-1).tolist(),
    ),
    "text": (
        lambda df, _: df[["few", "many"]].to_pandas().fillna("-").to_numpy().tolist(),
        lambda df, _: df[["few", "many"]].fillna("-").to_numpy().tolist(),
    ),
    "slice": (
        lambda df, row: df["many"][row : row + 90].to_ndarray().tolist() + df["x"][row:].to_ndarray().tolist(),
        lambda df, row: df.many[row : row + 90].tolist() + df.x[row:].tolist(),
    ),
    "filter": (
        lambda df, row: df[df["x"] > 2**53 + row][["x", "many", "b"]].to_pandas().to_numpy().tolist(),
        lambda df, row: df[df.x > 2**53 + row][["x", "many", "b"]].to_numpy().tolist(),
    ),
    "filter by text": (
        lambda df, row: df["x"][df["many"] == str(row)].to_ndarray().tolist(),
        lambda df, row: df.x[df.many == str(row)].tolist(),
    ),
    "filtered text": (
        lambda df, row: df[df["b"] & (df["x"] > 2**53 + row)][["few"]].to_pandas()["few"].fillna("-").tolist(),
        lambda df, row: df.few[df.b & (df.x > 2**53 + row)].fillna("-").tolist(),
    ),
    "groups": (
        lambda df, _: df.groupby("many")["x"].max().to_pandas().sort_index().tolist(),
        lambda df, _: df.groupby("many")["x"].max().sort_index().tolist(),
    ),
    "times": (
        lambda df, _: df["t"].to_ndarray().astype("M8[ns]").astype("int64").tolist(),
        lambda df, _: df.t.astype("int64").tolist(),
    ),
    "sorted": (
        lambda df, _: df["x"][ak.argsort(df["x"])].to_ndarray().tolist(),
        lambda df, _: df.x.sort_values().tolist(),
    ),
}

ALL = [(name, 100) for name in sorted(QUESTIONS)] * 2


@settings(deadline=None, max_examples=20)
@given(
    asked=st.lists(st.tuples(st.sampled_from(sorted(QUESTIONS)), st.integers(0, 700)), min_size=1, max_size=8),
    nrows=st.sampled_from([1, 2, 299, 300, 301, 700]),
    partition=st.sampled_from([400, 1600, 2**20]),
    limit=st.sampled_from([0, 3000, 10**8]),
    options=st.fixed_dictionaries(
        {
            "row_group_size": st.sampled_from([100, 300, 1000]),
            "version": st.sampled_from(["1.0", "2.6"]),
            "compression": st.sampled_from(["NONE", "SNAPPY"]),
        }
    ),
)
@example(asked=ALL, nrows=700, partition=1600, limit=10**8, options={"row_group_size": 300, "compression": "SNAPPY"})
@example(asked=ALL, nrows=700, partition=2**20, limit=10**8, options={"row_group_size": 100, "compression": "NONE"})
def test_answers_are_the_same_from_memory(tmp_path_factory, *, asked, nrows, partition, limit, options):
    frame = rows_of(nrows)
    path = written(tmp_path_factory.mktemp("rows"), "parquet", frame, **options)
    caches.clear_caches()
    with ak.config.set(cache_size=limit, partition_size=partition):
        found = ak.scan(path)
        for name, row in asked * 2:
            ours, theirs = QUESTIONS[name]
            assert ours(found, row) == theirs(frame, row), name
            assert kept()[1] <= limit


@settings(deadline=None, max_examples=20)
@given(
    asked=st.lists(st.sampled_from(["numbers", "floats", "slice", "filter by text", "sums"]), min_size=1, max_size=6),
    row=st.integers(0, 700),
    partition=st.sampled_from([2**12, 2**20]),
    limit=st.sampled_from([0, 3000, 10**8]),
)
@example(["numbers", "floats", "slice", "filter by text", "sums"] * 2, 100, 2**12, 10**8)
def test_answers_of_csv_are_the_same_from_memory(tmp_path_factory, asked, row, partition, limit):
    frame = rows_of(700)
    path = written(tmp_path_factory.mktemp("rows"), "csv", frame)
    caches.clear_caches()
    with ak.config.set(cache_size=limit, partition_size=partition):
        found = opened(path)
        for name in asked * 2:
            ours, theirs = QUESTIONS[name]
            assert ours(found, row) == theirs(frame, row), name
            assert kept()[1] <= limit
