"""Rows, selection, conversion and display, which all one-dimensional arrays share."""

import operator

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.engine import scheduler
from akdask.engine.scheduler import time_limit
from akdask.errors import AlignmentError, ArgumentTypeError, PositionError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

ROWS = np.arange(12) * 10


@pytest.fixture
def x():
    return MemorySource({"x": ROWS}, [4, 0, 3, 5]).arrays()["x"]


@pytest.fixture
def s():
    return MemorySource({"s": [f"s{row}" for row in range(12)]}, [4, 0, 3, 5]).arrays()["s"]


# --------------------------------------------------------------------------------------------------------- selection


@pytest.mark.parametrize("key", [0, 5, -1, -12, np.int64(3), np.uint8(3), np.array(3)])
def test_an_int_finds_an_element(x, key):
    assert x[key] == ROWS[key]
    assert isinstance(x[key], np.int64)


def test_a_lazy_scalar_is_a_position(x):
    assert x[x.argmax()] == 110
    assert x[: x.argmax()].size == 11


def test_an_element_of_strings_is_a_str(s):
    assert s[3] == "s3"
    assert isinstance(s[3], str)


@pytest.mark.parametrize("position", [12, -13, 2**63 - 1])
def test_a_position_outside_is_an_index_error_at_once(x, position):
    with pytest.raises(PositionError, match=f"position {position} is outside an array of 12 rows"):
        x[position]


def test_no_position_is_inside_an_empty_array():
    with pytest.raises(PositionError, match="the array has no rows"):
        ak.array([])[0]


@pytest.mark.lazy_only
@pytest.mark.parametrize("positions", [[12], [0, -13], np.array([2**40])])
def test_positions_outside_are_an_index_error_when_computed(x, positions):
    taken = x[positions]
    with pytest.raises(PositionError, match=r"is outside an array of 12 rows.\nHint: positions run from -12 to 11"):
        taken.compute()


@pytest.mark.parametrize(
    "key",
    [
        [],
        (),
        [0, -1, 5, 5],
        np.array([], dtype=int),
        np.array([7, 2], dtype=np.uint8),
        np.array([7, 2], dtype=np.uint64),
        ROWS > 50,
        (ROWS > 50).tolist(),
        pd.Series([3, 1]).to_numpy(),
    ],
    ids=repr,
)
def test_arrays_and_lists_select_as_in_numpy(x, key):
    wanted = ROWS[list(key) if isinstance(key, tuple) else np.asarray(key, dtype=None if len(key) else int)]
    assert_equal(x[key], wanted, lazy=True)


def test_lazy_arrays_select_as_in_numpy(x, s):
    assert_equal(x[ak.array([3, 1])], ROWS[[3, 1]])
    assert_equal(x[x % 20 == 0], ROWS[ROWS % 20 == 0])
    assert_equal(s[x % 20 == 0], [f"s{row}" for row in range(0, 12, 2)])
    assert_equal(x[s == "s3"], [30])
    assert_equal(x.take([2, 2]), [20, 20])


@pytest.mark.parametrize("key", [True, np.False_, 1.5, "x", {1}, [0.5], ["a"]], ids=repr)
def test_keys_of_other_kinds_are_refused_at_once(x, key):
    with pytest.raises(ArgumentTypeError):
        x[key]


@pytest.mark.parametrize("mask", [np.ones(11, bool), [True]])
def test_a_mask_of_another_length_is_refused_at_once(x, mask):
    with pytest.raises(AlignmentError, match="cannot filter columns that do not share rows"):
        x[mask]


@pytest.mark.parametrize("number", [0, 1, 5, 12, 99, -1, -12, -99])
def test_head_and_tail_are_those_of_pandas(x, number):
    series = pd.Series(ROWS)
    assert_equal(x.head(number), series.head(number).to_numpy(), lazy=True)
    assert_equal(x.tail(number), series.tail(number).to_numpy(), lazy=True)


# -------------------------------------------------------------------------------------------------------- conversion


def test_an_array_answers_what_it_is(x, s):
    assert (x.size, x.shape, x.ndim, x.npartitions, len(x)) == (12, (12,), 1, 4, 12)
    assert (x.dtype, x.itemsize, x.nbytes) == (np.dtype("int64"), 8, 96)
    assert s.dtype.kind == "U"
    assert x.rows.lengths == (4, 0, 3, 5)


def test_kinds_of_numbers_have_the_words_of_pandas():
    kinds = [ak.array(given).inferred_type for given in ([1], [2**64], [0.5], [True])]
    assert kinds == ["integer", "integer", "floating", "boolean"]


def test_an_ellipsis_selects_everything_and_a_tuple_of_one_what_is_in_it(x):
    assert x[...].tolist() == x.tolist()
    assert x[(1,)] == x[1]
    assert x[(slice(1, 3),)].tolist() == x[1:3].tolist()


def test_conversion_gives_numpy_lists_and_iterators(x, s):
    assert_equal(x.to_ndarray(), ROWS)
    assert x.tolist() == list(x) == ROWS.tolist()
    assert np.asarray(x, dtype=float).dtype == np.float64
    assert s.to_ndarray().dtype.kind == "U"
    assert s.tolist() == [f"s{row}" for row in range(12)]
    assert pd.Series(x.to_ndarray()).sum() == ROWS.sum()


def test_a_list_has_two_names(x, s):
    assert x.to_list() == x.tolist()
    assert s.to_list() == s.tolist()


def test_a_result_is_the_users_own():
    a = ak.arange(3) + ak.array([0, 0, 0])
    for lazy in (ak.array([0, 1, 2]), a.persist(), a, ak.concatenate([a])):
        lazy.to_ndarray()[0] = 99
        lazy.compute()[0] = 99
        assert lazy.tolist() == [0, 1, 2]


def test_data_that_the_caller_changes_later_do_not_change_the_array():
    mine = np.arange(3)
    series = pd.Series([1.0, 2.0])
    a, b, c = ak.array(mine), ak.arange(3) + mine, ak.array(series)
    mine[:] = 99
    series[:] = 99
    assert a.tolist() == [0, 1, 2]
    assert b.tolist() == [0, 2, 4]
    assert c.tolist() == [1, 2]
    assert ak.array(np.arange(3)).tolist() == [0, 1, 2]


def test_more_than_the_limit_is_not_brought_into_this_process(x):
    # Arkouda raises RuntimeError.
    with ak.config.set(max_transfer_bytes=95), pytest.raises(RuntimeError, match="96 bytes"):
        x.to_ndarray()
    with ak.config.set(max_transfer_bytes=96):
        assert_equal(x.to_ndarray(), ROWS)


# ----------------------------------------------------------------------------------------------------------- display


@pytest.mark.lazy_only
@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.lt])
def test_what_would_take_long_to_show_is_described(function):
    rows = 300_000
    x = MemorySource({"x": np.zeros(rows, int)}, [rows // 3] * 3).arrays()["x"]
    lazy = function(x, x.sum())
    with ak.config.set(display_seconds=0):
        described = repr(lazy)
    assert described.startswith("<pdarray(")
    assert "3 partitions, lengths (100000, 100000, 100000)): lazy; reads 600,000 rows, 4.58 MiB of files" in described
    assert repr(lazy).startswith("array([0 0 0 ...") or function is operator.lt


def test_the_first_rows_of_a_filter_are_shown_from_its_first_partition():
    rows = np.arange(300_000)
    x = MemorySource({"x": rows}, [100_000] * 3).arrays()["x"]
    kept = x[x % 1000 == 999]
    assert repr(kept.head()) == "array([999 1999 2999 3999 4999])"
    assert repr(kept.head(50)) == f"array([{' '.join(str(number) for number in range(999, 50_000, 1000))}])"
    assert repr(kept.tail(2)) == "array([298999 299999])"
    assert repr(kept.head(3) * 2) == "array([1998 3998 5998])"
    frame = ak.DataFrame({"x": x, "y": -x})
    assert repr(frame[x % 1000 == 999].head(2)).splitlines()[:3] == [
        "         x     y",
        "999    999  -999",
        "1999  1999 -1999 (2 rows x 2 columns)",
    ]


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_showing_the_first_rows_looks_into_one_partition_only():
    rows = np.arange(300_000)
    x = MemorySource({"x": rows}, [100_000] * 3).arrays()["x"]
    last = x[x >= 299_998]
    assert repr(last.head()) == "array([...])"
    assert repr(last.tail()) == "array([... 299998 299999])"
    assert last.head().tolist() == [299_998, 299_999]
    frame = ak.DataFrame({"x": x})
    assert repr(frame[x >= 299_998].tail()).splitlines()[1].split() == ["...", "..."]


@pytest.mark.lazy_only
def test_the_hint_where_no_values_are_shown_shows_some():
    running = ak.cumsum(ak.arange(2_000_000))
    with ak.config.set(display_seconds=0):
        assert ".head().compute() shows some values" in repr(running)
        assert ".head().compute() shows some values" in repr(ak.DataFrame({"x": running}))
    assert running.head().compute().tolist() == [0, 1, 3, 6, 10]


@pytest.mark.lazy_only
def test_what_takes_a_moment_is_computed_to_be_shown():
    running = ak.cumsum(ak.arange(2_000_000))
    with ak.config.set(display_seconds=60):
        last = " ".join(map(str, np.cumsum(np.arange(2_000_000))[-3:]))
        assert repr(running) == f"array([0 1 3 ... {last}])"
        frame = ak.DataFrame({"x": ak.arange(300_000) % 3, "y": 1}).groupby("x").sum("y")
        plain = pd.DataFrame({"x": np.arange(300_000) % 3, "y": 1}).groupby("x").sum()
        assert repr(frame) == f"{plain} (3 rows x 1 columns)"


@pytest.mark.lazy_only
def test_what_takes_longer_than_it_may_is_not_shown(monkeypatch):
    monkeypatch.setattr("akdask.arrays.display.time_limit", lambda seconds: time_limit(0))
    with dask.config.set(scheduler=scheduler.get):
        assert "lazy; reads " in repr(ak.sort(ak.arange(2_000_000) % 7))


def test_objects_say_what_they_are():
    values = ak.arange(2)
    made = [
        values,
        ak.array(["a", "b"]),
        ak.Categorical(["a", "b"]),
        ak.SegArray(values, values),
        ak.Series(values),
        ak.Index(values),
        ak.MultiIndex([values, values]),
        ak.DataFrame({"x": values}),
        ak.GroupBy(values),
    ]
    assert [item.objType for item in made] == [type(item).__name__ for item in made]
    times = [ak.Datetime(values), ak.Timedelta(values), ak.IPv4(values), ak.BitVector(values)]
    assert [item.special_objType for item in times] == [type(item).__name__ for item in times]
