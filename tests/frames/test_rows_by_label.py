"""`loc`, masks, `drop` and `reindex` choose the rows that pandas chooses, for labels of all kinds."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, LabelTypeError, MissingLabelError

LABELS = {
    "ints": [10, 20, 30, 20, 40, 10],
    "ascending": [10, 20, 20, 30, 40, 50],
    "descending": [50, 40, 30, 20, 20, 10],
    "unsigned": np.array([2**64 - 1, 3, 7, 3, 2**63, 1], np.uint64),
    "floats": [0.5, np.nan, 2.5, -1.0, np.nan, 7.0],
    "text": ["b", "a", "d", "a", "c", "e"],
    "ascending text": ["a", "b", "b", "c", "d", "e"],
    "missing text": ["b", None, "d", "a", None, "e"],
    "bools": [True, False, True, True, False, False],
    "times": pd.to_datetime(["2024-02-01", "2024-01-31", "2024-03-05", "2024-02-01", "2023-12-31", "2024-02-29"]),
    "times in order": pd.DatetimeIndex(
        [
            *map(pd.Timestamp, ["2023-12-31", "2024-01-31", "2024-02-01 03:00", "2024-02-29", "2024-03-05 04:05:06"]),
            pd.Timestamp("2024-03-05 04:05:07.5"),
        ]
    ),
    "times downwards": pd.DatetimeIndex(
        [
            *map(
                pd.Timestamp, ["2024-03-05 04:05", "2024-03-05 04:04", "2024-02-29", "2024-02-01 12:00", "2024-02-01"]
            ),
            pd.Timestamp("2023-12-31"),
        ]
    ),
    "spans": pd.to_timedelta([1, 2, 3, 2, 5, 6], unit="h"),
    "categories": pd.Categorical(["b", "a", "c", "a", "b", "b"], categories=["a", "b", "c", "d"]),
    "numbers": None,
}

KEYS: dict[str, list[Any]] = {
    "ints": [[30, 10], [40], [20, 20, 10], [], [99], [30, 99, 98], ["a"], [True], [30.0], [30.5], np.array([40, 30])],
    "ascending": [[30, 10], [20, 20], [11]],
    "descending": [[30, 20], [11]],
    "unsigned": [[2**63, 3], [2**64 - 1], [-1], np.array([3, 2**63 + 1], np.uint64)],
    "floats": [[7.0, np.nan], [np.nan], [2.5, 0.5], [1.0], [-1]],
    "text": [["d", "a"], ["a", "a"], ["z", "a"], [1], np.array(["e", "b"]), pd.Series(["c", "d"]), pd.Index(["e"])],
    "missing text": [["d", "a"], [None, "a"], ["z"]],
    "times": [
        ["2024-02-01"],
        [pd.Timestamp("2024-02-29"), pd.Timestamp("2024-02-01")],
        [np.datetime64("2023-12-31", "ns")],
        ["2024-02-02"],
        pd.to_datetime(["2024-03-05", "2024-01-31"]),
    ],
    "spans": [[pd.Timedelta(2, "h")], pd.to_timedelta([5, 1], unit="h"), [pd.Timedelta(4, "h")]],
    "categories": [["c", "a"], ["b", "b"], ["z"], ["d"]],
    "numbers": [[3, 1], [5, 5, 0], [6], [-1], [2, 99]],
}

ONE: dict[str, list[Any]] = {
    "ints": [40, 20, 99, 40.0, 40.5],
    "ascending": [30, 20, 11],
    "floats": [7.0, np.nan, 1.0, -1],
    "text": ["d", "a", "z"],
    "missing text": ["d", None],
    "bools": [True, False],
    "times": [pd.Timestamp("2024-02-29"), pd.Timestamp("2024-02-01"), pd.Timestamp("2020-01-01")],
    "spans": [pd.Timedelta(2, "h"), pd.Timedelta(3, "h")],
    "categories": ["c", "a", "z"],
    "numbers": [3, 9, -1],
}

TEXT_OF_TIMES = ["2024", "2024-02", "2024-01", "2023", "2022", "2025", "2024-02-01", "2024-02-01 03", "2024-03-05",
                 "2024-03-05 04", "2024-03-05 04:05", "2024-03-05 04:05:07", "2024Q1", "Feb 2024", "2024-02-02",
                 "2024-02-01 03:00:00", "2023-12-31", "2024-03-05 04:05:07.500", "nothing"]  # fmt: skip

SLICES: dict[str, list[Any]] = {
    "ints": [(30, 40), (40, 30), (99, 10), (None, 30), (40, None), (20, 40), (10, 40)],
    "ascending": [(15, 45), (20, 30), (None, 20), (35, None), (60, 70), (45, 15), (20.5, 40.5)],
    "descending": [(45, 15), (40, 20), (None, 20), (15, 45), (30, None)],
    "text": [("d", "c"), ("b", "e"), ("z", "e"), (None, "c"), ("a", "e")],
    "ascending text": [("b", "c"), ("aa", "cc"), ("b", None), ("x", "z")],
    "floats": [(2.5, 7.0), (3.0, 9.0), (0.5, None)],
    "times": [("2024-02", "2024-03"), ("2024-01-31", "2024-02-29"), ("2023-12-31 00:00", None),
              (pd.Timestamp("2024-03-05"), pd.Timestamp("2023-12-31")), (pd.Timestamp("2024-02-01"), None)],
    "times in order": [("2024-02", "2024-03"), ("2024", "2024"), (None, "2024-02-01"), ("2024-02-01", None),
                       ("2024-03-05 04:05:06", "2024-03-05 04:05:06"), (pd.Timestamp("2024-02-01"), "2024-02"),
                       ("2022", "2023"), ("2025", None), (np.datetime64("2024-02-29"), None)],
    "times downwards": [("2024-03", "2024-02"), (pd.Timestamp("2024-03-01"), pd.Timestamp("2024-01-01")),
                        (None, pd.Timestamp("2024-02-10"))],
    "spans": [(pd.Timedelta(3, "h"), pd.Timedelta(5, "h"))],
    "categories": [("c", "c"), ("c", None)],
    "numbers": [(1, 3), (4, 99), (-5, 2), (3, 1), (None, 2)],
}  # fmt: skip


def pair(name):
    rows = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6], "s": list("uvwxyz")})
    labels = LABELS[name]
    if labels is not None:
        rows = rows.set_axis(pd.Index(labels, dtype=None if name != "missing text" else "str"), axis=0)
    whole = ak.DataFrame(rows)
    if labels is None:
        return whole, rows
    # Rows of several partitions.
    parts = [whole[:4], whole[4:]]
    return ak.DataFrame.concat(parts), rows


def answer(call):
    try:
        return call(), None
    except (KeyError, IndexError, ValueError, TypeError) as error:
        return None, error


def same(ours, theirs):
    """Compare what two calls give: rows, values and labels, or an error of the same class."""
    found, failed = answer(lambda: evaluated(ours()))
    wanted, refused = answer(theirs)
    if refused is not None:
        assert failed is not None, f"{found} is no {type(refused).__name__}: {refused}"
        assert isinstance(failed, AkdaskError)
        # A slice bounded by what is no label at all is a TypeError or a KeyError.
        kind = next(kind for kind in (KeyError, IndexError, ValueError, TypeError) if isinstance(refused, kind))
        assert isinstance(failed, kind) or kind is TypeError, (failed, refused)
        return
    assert failed is None, failed
    if isinstance(wanted, pd.DataFrame):
        if isinstance(found, dict):
            found = pd.DataFrame([found], index=wanted.index)
        pd.testing.assert_frame_equal(found, wanted, check_dtype=False, check_index_type=False, check_categorical=False)
    elif isinstance(wanted, pd.Series) and isinstance(found, dict):
        assert found == wanted.to_dict()
    elif isinstance(wanted, pd.Series):
        if not isinstance(found, pd.Series):  # one entry of a list is its value, as in Arkouda
            (wanted,) = wanted.tolist()
            assert found == wanted
            return
        pd.testing.assert_series_equal(
            found, wanted, check_dtype=False, check_index_type=False, check_categorical=False
        )
    else:
        assert found == wanted


def evaluated(found):
    return found.to_pandas() if isinstance(found, ak.DataFrame | ak.Series) else found


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(("name", "key"), [(name, key) for name, keys in KEYS.items() for key in keys], ids=repr)
def test_rows_come_in_the_order_of_the_labels_that_are_asked_for(name, key):
    frame, rows = pair(name)
    same(lambda: frame.loc[key], lambda: rows.loc[key])
    same(lambda: frame.loc[key, "x"], lambda: rows.loc[key, "x"])
    same(lambda: frame.x.loc[key], lambda: rows.x.loc[key])
    if len(key) and not (name == "times" and isinstance(key[0], str | np.datetime64)):  # which pandas passes over
        same(lambda: frame.drop(index=key), lambda: rows.drop(index=key))
        same(lambda: frame.x.drop(key), lambda: rows.x.drop(key))


@pytest.mark.parametrize(("name", "key"), [(name, key) for name, keys in ONE.items() for key in keys], ids=repr)
def test_rows_of_one_label(name, key):
    frame, rows = pair(name)
    same(lambda: frame.loc[key], lambda: rows.loc[key])
    same(lambda: frame.loc[key, "x"], lambda: rows.loc[key, "x"])
    same(lambda: frame.x.loc[key], lambda: rows.x.loc[key])
    same(lambda: frame.at[key, "x"], lambda: rows.at[key, "x"])
    same(lambda: frame.drop(index=key), lambda: rows.drop(index=key))


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("name", ["times", "times in order", "times downwards"])
@pytest.mark.filterwarnings("ignore:Parsing '2024Q1'")
@pytest.mark.parametrize("text", TEXT_OF_TIMES)
def test_text_names_a_period_of_times(name, text):
    frame, rows = pair(name)
    same(lambda: frame.loc[text], lambda: rows.loc[text])
    same(lambda: frame.loc[text, "s"], lambda: rows.loc[text, "s"])
    same(lambda: frame.x.loc[text], lambda: rows.x.loc[text])


@pytest.mark.parametrize(("name", "bounds"), [(name, key) for name, keys in SLICES.items() for key in keys], ids=repr)
@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("step", [None, 2, -1, -2])
def test_rows_between_labels(name, bounds, step):
    frame, rows = pair(name)
    key = slice(*(bounds if step is None or step > 0 else bounds[::-1]), step)
    same(lambda: frame.loc[key], lambda: rows.loc[key])
    same(lambda: frame.x.loc[key], lambda: rows.x.loc[key])


def test_a_column_of_a_year_stays_a_column():
    times = pd.to_datetime(["2024-01-01", "2024-05-01"])
    rows = pd.DataFrame({"2024": [1, 2], "x": [3, 4]}, index=times)
    frame = ak.DataFrame(rows)
    assert frame["2024"].tolist() == [1, 2]
    same(lambda: frame.loc["2024-05"], lambda: rows.loc["2024-05"])
    same(lambda: frame.set_index("2024").loc[[2, 1]], lambda: rows.set_index("2024").loc[[2, 1]])


MASKS = [
    lambda rows: [True, False, True, False, False, True],
    lambda rows: np.array([True, False, True, False, False, True]),
    lambda rows: (rows.x > 2).to_numpy() if isinstance(rows, pd.DataFrame) else rows["x"] > 2,
    lambda rows: rows.x > 2,
    lambda rows: rows.x > 100,
    lambda rows: rows.x > 0,
]


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("name", [name for name in LABELS if name != "numbers"])
@pytest.mark.parametrize("mask", MASKS)
def test_bools_are_a_mask_whatever_the_labels_are(name, mask):
    frame, rows = pair(name)
    same(lambda: frame[mask(frame)], lambda: rows[mask(rows)])
    same(lambda: frame.loc[mask(frame)], lambda: rows.loc[mask(rows)])
    same(lambda: frame.x[mask(frame)], lambda: rows.x[mask(rows)])
    same(lambda: frame.x.loc[mask(frame)], lambda: rows.x.loc[mask(rows)])
    same(lambda: frame.x.iloc[mask(frame)], lambda: rows.x.iloc[np.asarray(mask(rows))])
    same(lambda: frame.iloc[mask(frame)], lambda: rows.iloc[np.asarray(mask(rows))])
    index = frame.index[ak.array(np.asarray(mask(rows)))]
    assert len(index) == len(rows.index[np.asarray(mask(rows))])


def test_a_mask_on_groups_of_bools():
    plain = pd.DataFrame({"b": [True, False, True], "x": [1, 2, 3]})
    found, wanted = (rows.groupby("b")["x"].sum() for rows in (ak.DataFrame(plain), plain))
    same(lambda: found[found > 100], lambda: wanted[wanted > 100])
    same(lambda: found[found > 2], lambda: wanted[wanted > 2])
    same(lambda: found.loc[[True, False]], lambda: wanted.loc[[True, False]])
    same(lambda: found.loc[True], lambda: wanted.loc[True])
    changed = found.copy()
    changed[changed > 2] = 0
    assert changed.tolist() == [2, 0]
    for short in ([True], [True, False, True]):
        with pytest.raises(IndexError):
            found[short]
        with pytest.raises(IndexError):
            found.loc[short]


def test_what_is_missing_is_named():
    frame, _ = pair("ints")
    with pytest.raises(MissingLabelError, match="98, 99"):
        frame.loc[[10, 98, 99]]
    with pytest.raises(LabelTypeError, match="'a'"):
        frame.loc["a"]
    with pytest.raises(LabelTypeError):
        frame.loc[ak.array(["a"])]
    with pytest.raises(MissingLabelError, match="97, 96"):
        ak.DataFrame({"x": [1]}).loc[[97, 96]]


LEVELS = pd.MultiIndex.from_arrays([[1, 1, 2, 2, 3, 1], list("abbaab")], names=["n", "s"])
TUPLES = [
    (1, "a"), (1, "b"), (9, "a"), (1,), 1, 2, 9, [(2, "a"), (1, "a")], [(1, "b"), (1, "b")], [(1, "a"), (9, "a")],
    [3, 1], [1], [9], (slice(None), "a"), (1, ["b", "a"]), ([3, 1], "a"), (slice(None), ["b", "a"]), (1, ["z"]),
    [True, False, True, False, True, True], slice(None), [(1, "z")], "a", ("a", 1), ([2, 1], ["b", "a"]),
    ([1, 2], ["b", "a"]), ([2, 1], ["a", "b"]), ([1, 2], ["a", "b"]),
]  # fmt: skip


@pytest.mark.parametrize("key", TUPLES, ids=repr)
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
def test_labels_of_several_levels(key, ordered):
    wanted = pd.Series([1, 2, 3, 4, 5, 6], LEVELS, name="x")
    wanted = wanted.sort_index() if ordered else wanted
    found = ak.Series(wanted)
    same(lambda: found.loc[key], lambda: wanted.loc[key])


@pytest.mark.parametrize(
    "key",
    [slice(1, 2), slice((1, "b"), (2, "a")), slice(2, None), slice(None, (1, "b")), slice((1, "aa"), 5)],
    ids=repr,
)
@pytest.mark.parametrize("ordered", [False, True])
def test_slices_of_labels_of_several_levels(key, ordered):
    wanted = pd.Series([1, 2, 3, 4, 5, 6], LEVELS, name="x")
    wanted = wanted.sort_index() if ordered else wanted
    found = ak.Series(wanted)
    same(lambda: found.loc[key], lambda: wanted.loc[key])


def assigned(rows, key, value, name="x"):
    rows = rows.copy()
    rows.loc[key, name] = value
    return rows


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("ints", [30, 40], 0), ("ints", [40, 30], [7, 8]), ("ints", [20], [7, 8]), ("ints", [99], 0), ("ints", 20, 9),
        ("ints", [10, 99], 0), ("text", ["d", "b"], [7, 8]), ("text", "a", 0), ("times", "2024-02", 0),
        ("times", ["2024-02-29", "2024-03-05"], [7, 8]), ("times in order", slice("2024-02", "2024-03"), 0),
        ("ascending", slice(20, 30), 0), ("categories", ["c"], 0), ("bools", [True, False, True, False, True, True], 0),
        ("numbers", [5, 2], [7, 8]), ("numbers", slice(1, 3), 0), ("floats", [7.0, np.nan], 0), ("ints", 40, 9),
    ],
    ids=repr,
)  # fmt: skip
def test_assigning_by_labels(name, key, value):
    frame, rows = pair(name)
    same(lambda: assigned(frame, key, value), lambda: assigned(rows, key, value))
    if name == "numbers" or isinstance(key, slice | str | list):

        def changed(series):
            series = series.copy()
            series.loc[key] = value
            return series

        same(lambda: changed(frame.x), lambda: changed(rows.x))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_periods_end_with_the_last_moment_of_any_unit(unit):
    times = pd.DatetimeIndex(["2024-01-31", "2024-02-01", "2024-02-29 23:59:59", "2024-03-01"]).as_unit(unit)
    if unit == "ns":
        times = times.insert(3, pd.Timestamp("2024-02-29 23:59:59.999999999"))
    rows = pd.DataFrame({"x": range(len(times))}, index=times)
    frame = ak.DataFrame(rows)
    for key in (
        "2024-02",
        "2024-02-29",
        "2024-02-29 23:59:59",
        slice("2024-02", "2024-02"),
        slice(None, "2024-02-29"),
        "2024",
    ):
        same(lambda key=key: frame.loc[key], lambda key=key: rows.loc[key])


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "US/Eastern"])
def test_text_names_local_times_of_a_zone(zone):
    times = ["2024-01-31 23:30", "2024-02-01 00:30", "2024-02-29 23:59:59", "2024-03-01", "2024-03-31 03:30"]
    rows = pd.DataFrame({"x": range(5)}, index=pd.DatetimeIndex(times, tz=zone))
    frame = ak.DataFrame(rows)
    for key in (
        "2024-02", "2024-02-01", "2024-03-01", "2024-03-31 03", ["2024-03-01"], [pd.Timestamp("2024-03-01", tz=zone)],
        slice("2024-02", "2024-02"), slice("2024-02-01 00:30+00:00", None), pd.Timestamp("2024-03-01", tz=zone),
        pd.Timestamp("2024-03-01"), slice(pd.Timestamp("2024-03-01", tz="UTC"), None), "2024-03-01 00:00:00+00:00",
    ):  # fmt: skip
        same(lambda key=key: frame.loc[key], lambda key=key: rows.loc[key])
        same(lambda key=key: frame.x.loc[key], lambda key=key: rows.x.loc[key])


def test_what_is_left_out_may_be_absent_if_it_is_said():
    frame, rows = pair("ints")
    for key in ([99], [10, 99], 99, 20, ["a"], ["a", 10]):
        same(
            lambda key=key: frame.drop(index=key, errors="ignore"),
            lambda key=key: rows.drop(index=key, errors="ignore"),
        )
        same(lambda key=key: frame.x.drop(key, errors="ignore"), lambda key=key: rows.x.drop(key, errors="ignore"))
        same(lambda key=key: frame.x.drop(index=key), lambda key=key: rows.x.drop(index=key))
    same(
        lambda: frame.drop(columns=["x", "z"], errors="ignore"), lambda: rows.drop(columns=["x", "z"], errors="ignore")
    )
    for call in (lambda: frame.drop(index=10, errors="none"), frame.x.drop, lambda: frame.x.drop(1, index=1)):
        with pytest.raises(ValueError, match=r"errors=|labels="):
            call()


@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
def test_labels_of_several_levels_are_left_out():
    wanted = pd.Series([1, 2, 3, 4, 5, 6], LEVELS, name="x")
    found = ak.Series(wanted)
    for key in ([(1, "a")], [(1, "a"), (3, "a")], [(9, "a")], [("z", 5)], (1, "b")):
        same(lambda key=key: found.drop(key), lambda key=key: wanted.drop(key))
    same(
        lambda: found.drop([(9, "a"), (1, "a")], errors="ignore"),
        lambda: wanted.drop([(9, "a"), (1, "a")], errors="ignore"),
    )


def test_columns_are_chosen_by_a_mask_and_rows_by_a_tuple():
    frame, rows = pair("ints")
    for key in ([True, False], np.array([False, True])):
        same(lambda key=key: frame.loc[:, key], lambda key=key: rows.loc[:, key])
    same(lambda: frame.loc[(30, 10), :], lambda: rows.loc[(30, 10), :])
    with pytest.raises(IndexError):
        frame.loc[:, [True]]


def rows_of(module, labels=(10, 20, 30)):
    return module.DataFrame({"x": [1, 2, 3], "y": [0.5, 1.5, 2.5], "s": ["a", "b", "c"]}, index=list(labels))


CELLS = {
    "a new row": lambda m, d: d.loc.__setitem__(40, [9, 9.5, "z"]),
    "a new row by names": lambda m, d: d.loc.__setitem__(40, {"y": 9.5, "x": 9}),
    "a new row of a Series": lambda m, d: d.loc.__setitem__(40, pd.Series([2.5, "q"], index=["y", "s"])),
    "a cell of a new row": lambda m, d: d.at.__setitem__((40, "y"), 9),
    "cells of a new row": lambda m, d: d.loc.__setitem__((5, ["y", "x"]), [7, 8]),
    "a new row and a new column": lambda m, d: d.loc.__setitem__((40, ["x", "new"]), [1, 2]),
    "a new row by a float": lambda m, d: d.loc.__setitem__(2.5, [1, 2.0, "q"]),
    "nothing in a new row": lambda m, d: d.loc.__setitem__((40, "x"), None),
    "floats in a new row": lambda m, d: d.loc.__setitem__((40, "x"), 1.5),
    "text among numbers of a new row": lambda m, d: d.loc.__setitem__((40, "x"), "q"),
    "too few items": lambda m, d: d.loc.__setitem__(40, [1, 2]),
    "several new labels": lambda m, d: d.loc.__setitem__([40, 50], 9),
    "a row": lambda m, d: d.loc.__setitem__(20, [9, 9.5, "z"]),
    "a row by names": lambda m, d: d.loc.__setitem__(20, {"y": 2, "x": 1, "s": "q"}),
    "a row of a Series": lambda m, d: d.loc.__setitem__(20, pd.Series([2.0, "q"], index=["y", "s"])),
    "rows of a mask": lambda m, d: d.loc.__setitem__(d.x > 1, [9, 9.5, "q"]),
    "rows of a frame": lambda m, d: d.loc.__setitem__(
        [20, 30], m.DataFrame({"x": [7, 8], "y": [1.0, 2.0], "s": ["u", "v"]}, index=[30, 20])
    ),
    "nothing among integers": lambda m, d: d.loc.__setitem__((d.y > 1, "x"), np.nan),
    "nothing among integers by labels": lambda m, d: d.loc.__setitem__(([30, 10], "x"), np.nan),
    "nothing among text": lambda m, d: d.loc.__setitem__((20, "s"), None),
    "floats among integers": lambda m, d: d.loc.__setitem__((20, "x"), 1.5),
    "some rows of a new column of text": lambda m, d: d.loc.__setitem__((d.x > 1, "new"), "q"),
    "some rows of a new column": lambda m, d: d.loc.__setitem__(([30, 10], "new"), 5),
    "each column of all rows": lambda m, d: d.loc.__setitem__((slice(None), ["x", "y"]), [7, 8]),
    "df[mask]": lambda m, d: d.__setitem__(d.x > 1, [7, 8.5, "q"]),
    "df[list of bool]": lambda m, d: d.__setitem__([True, False, True], [7, 8.5, "q"]),
    "df[mask] of a frame": lambda m, d: d.__setitem__(
        d.x > 1, m.DataFrame({"x": [7, 8], "y": [1.0, 2.0], "s": ["u", "v"]}, index=[30, 20])
    ),
    "nothing at a position": lambda m, d: d.iloc.__setitem__((1, 0), np.nan),
    "a row at a position": lambda m, d: d.iloc.__setitem__(-1, [5, 6.5, "z"]),
    "each column at positions": lambda m, d: d.iloc.__setitem__((slice(0, 2), [0, 1]), [9, 8]),
    "a cell at a position": lambda m, d: d.iat.__setitem__((0, 1), 9),
}


@pytest.mark.parametrize("name", CELLS)
def test_cells_are_assigned_as_in_pandas(name):
    expected, found = rows_of(pd), rows_of(ak)
    try:
        with warnings.catch_warnings():
            # pandas 4 will refuse some of what pandas 3 does.
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", FutureWarning)
            CELLS[name](pd, expected)
    except (ValueError, KeyError, TypeError):
        with pytest.raises(AkdaskError):
            CELLS[name](ak, found)
        expected = rows_of(pd)
    else:
        CELLS[name](ak, found)
    pd.testing.assert_frame_equal(found.to_pandas(), expected, check_dtype=False, check_index_type=False)


def test_cells_of_a_mask_are_assigned_by_labels():
    for value in (0, np.nan):
        expected, found = rows_of(pd)[["x", "y"]], rows_of(ak)[["x", "y"]]
        expected[expected > 1] = value
        found[found.loc[[30, 20, 10]] > 1] = value
        pd.testing.assert_frame_equal(found.to_pandas(), expected, check_dtype=False)


NEW_LABELS = {
    "default": ([1, 2, 3], None, 3),
    "text": ([1, 2], ["a", "b"], "c"),
    "times": ([1, 2], pd.to_datetime(["2024-01-02", "2024-01-01"]), pd.Timestamp("2024-02-01")),
    "times by text": ([1, 2], pd.to_datetime(["2024-01-02", "2024-01-01"]), "2024-02-01"),
    "times of a zone": ([1, 2], pd.date_range("2024", periods=2, tz="Asia/Tokyo"), pd.Timestamp("2025", tz="UTC")),
    "missing": ([1, 2], [0.5, 1.5], np.nan),
    "missing that is there": ([1, 2], [0.5, np.nan], np.nan),
    "of text": (["u", "v"], [1, 2], 3),
    "of times": (pd.date_range("2024", periods=2), [1, 2], 3),
    "of categories": (pd.Categorical(["u", "v"], categories=["v", "w", "u"], ordered=True), [1, 2], 3),
    "of bool": ([True, False], None, 2),
}
NEW_ITEMS = {"of text": "w", "of times": pd.Timestamp("2026-01-01"), "of categories": "w", "of bool": True}


@pytest.mark.parametrize("name", NEW_LABELS)
def test_a_new_label_adds_an_entry_or_a_row(name):
    values, labels, label = NEW_LABELS[name]
    item = NEW_ITEMS.get(name, 9)
    series = pd.Series(values, index=labels)
    found, frame = ak.Series(series), ak.DataFrame(series.to_frame("x"))
    found.loc[label] = item
    frame.loc[label] = [item]
    series.loc[label] = item
    if name == "times of a zone":
        series.index = series.index.tz_convert("Asia/Tokyo")
    for one in (found.to_pandas(), frame.to_pandas()["x"]):
        pd.testing.assert_series_equal(
            one, series, check_dtype=False, check_index_type=False, check_names=False, check_freq=False
        )
        assert one.tolist() == series.tolist()
        assert one.dtype.kind == series.dtype.kind


def test_new_labels_of_several_levels_and_of_other_kinds():
    rows = {"a": [1, 1, 2], "b": ["x", "y", "x"], "v": [1, 2, 3]}
    expected = pd.DataFrame(rows).groupby(["a", "b"])["v"].sum()
    found = ak.DataFrame(rows).groupby(["a", "b"])["v"].sum()
    for series in (expected, found):
        series.loc[2, "y"] = 9
    pd.testing.assert_series_equal(found.to_pandas(), expected)
    empty = ak.DataFrame({"x": np.array([], np.int64)})
    for number in range(3):
        empty.loc[len(empty)] = number
    assert empty["x"].tolist() == [0, 1, 2]
    with pytest.raises(LabelTypeError, match="no label for a new row"):
        empty.loc["a"] = 1
    with pytest.raises(AkdaskError, match="one value"):
        ak.Series([1, 2]).loc[5] = [1, 2]


@pytest.mark.parametrize("name", ["floats", "missing text", "times", "categories"])
@pytest.mark.parametrize("options", [{}, {"na_position": "first"}, {"na_position": "first", "ascending": False}])
def test_rows_are_sorted_by_labels_with_missing_ones_at_either_end(name, options):
    labels = pd.Series(LABELS[name]).where([True, False, True, True, True, True])
    expected = pd.DataFrame({"x": range(6)}, index=pd.Index(labels))
    found = ak.DataFrame(expected)
    wanted = expected.sort_index(kind="stable", **options)["x"].tolist()
    assert found.sort_index(**options)["x"].tolist() == wanted
    assert found.x.sort_index(**options).tolist() == wanted
    with pytest.raises(AkdaskError, match="na_position"):
        found.sort_index(na_position="middle")


def test_times_side_by_side_are_in_order_with_missing_ones_last():
    one, two = (
        pd.Series(range(len(days)), index=pd.to_datetime(days), name=name)
        for name, days in (("a", ["2024-01-02", None, "2024-01-01"]), ("b", [None, "2023-01-01", "2024-01-01"]))
    )
    for other in (two, one.rename("b")):
        wanted = pd.concat([one, other], axis=1, sort=other is two)
        found = ak.concat([ak.Series(one), ak.Series(other)], axis=1).to_pandas()
        pd.testing.assert_frame_equal(found, wanted, check_dtype=False, check_index_type=False, check_freq=False)
    assert ak.DataFrame(one.to_frame()).reindex_like(ak.DataFrame(two.to_frame("a"))).to_pandas()["a"].isna().sum() == 1


@pytest.mark.parametrize(
    "key",
    [
        *((1, slice("b", None)), (slice(2, 3), "b"), (slice(None, 1), slice("a", "a")), (1, slice("x", None))),
        *(([1, 2], slice("b", None)), (slice(None, 2), ["a", "b"]), (slice(2, None),), (slice(None), slice("b", None))),
    ],
    ids=repr,
)
def test_a_level_is_sliced_beside_another(key):
    rows = pd.Series([1, 2, 3, 4, 5, 6], LEVELS, name="x")
    found = ak.Series(rows.sort_index()).loc[key].to_pandas()
    pd.testing.assert_series_equal(found, rows.sort_index().loc[key], check_index_type=False)
    for one in (pd.Series, ak.Series):
        with pytest.raises(KeyError):
            one(rows.iloc[::-1]).loc[key]


def test_a_label_beside_a_slice_must_be_there():
    rows = ak.Series(pd.Series([1, 2, 3, 4, 5, 6], LEVELS).sort_index())
    with pytest.raises(KeyError):
        rows.loc[(9, slice("b", None))]


@pytest.mark.parametrize("names", [{10: 11, 99: 5}, lambda label: label + 1])
def test_labels_of_a_series_are_renamed(names):
    expected = pd.Series([1, 2, 3], index=[10, 20, 10], name="x")
    found = ak.Series(expected)
    for renamed in (found.rename(names), found.rename(index=names)):
        pd.testing.assert_series_equal(renamed.to_pandas(), expected.rename(names))
    assert found.rename("y").name == "y"
    with pytest.raises(AkdaskError, match="several levels"):
        ak.DataFrame({"a": [1], "b": [2], "x": [3]}).groupby(["a", "b"])["x"].sum().rename(names)
