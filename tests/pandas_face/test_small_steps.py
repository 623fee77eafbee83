"""Steps of a few lines of pandas' face, each by itself."""

from __future__ import annotations

import datetime
import decimal
import inspect
import io
import operator
import sys
from types import SimpleNamespace

import numpy as np
import pandas
import pyarrow.parquet as pq
import pytest

import akdask.pandas as pd
from akdask.formats.csv.lines import MISSING
from akdask.pandas import (
    arguments,
    cached_rows,
    chunks,
    csv_rows,
    face,
    frame_forms,
    group_chunks,
    labels,
    scripts,
    selection,
    tuning,
    writing,
)
from akdask.pandas.encoded import encoded
from akdask.pandas.encoded_steps import _columns_taken
from akdask.pandas.frame import only_moves_labels
from akdask.pandas.lazy import _plain_labels, as_labels, lazy_frame
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.steps import FrameGroups, SeriesGroups
from tests.pandas_face.compare import difference

# ---- rows


@pytest.mark.parametrize(
    ("numbers", "is_slice"),
    [
        ([3], True), ([3, 4, 5], True), ([0, 1], True), ([0, 2, 1, 3], False), ([1, 4, 3, 2, 5], False),
        ([1, 1, 3], False), ([4, 3], False), ([1, 3], False), ([], False), ([-2, -1], True), ([2, 2], False),
    ],
)  # fmt: skip
def test_consecutive_numbers_of_rows_are_a_slice(numbers, is_slice):
    given = np.array(numbers, np.int64)
    found = selection._as_slice(given)
    assert isinstance(found, slice) == is_slice
    assert (list(range(found.start, found.stop)) if is_slice else found.tolist()) == numbers
    assert selection._as_slice(numbers) is numbers


@pytest.mark.parametrize("numbers", [[0, 2, 1, 3], [1, 2, 3], [4, 3, 2], [1, 1, 3], [3]])
def test_rows_of_chosen_numbers_come_in_their_order(numbers):
    rows = pandas.DataFrame({"x": [1.5, 2, 3, 4, 5]}, index=list("vwxyz"))
    held = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    for found, wanted in (
        (held.iloc[numbers], rows.iloc[numbers]), (held.take(numbers), rows.take(numbers)),
        (held["x"].iloc[numbers], rows["x"].iloc[numbers]),
    ):  # fmt: skip
        assert difference(found, wanted) is None


def test_labels_that_number_rows_from_0_are_kept_as_they_are():
    plain = pandas.RangeIndex(3)
    kept, coding = _plain_labels(plain)
    assert kept is plain
    assert coding is None
    for given in (pandas.RangeIndex(1, 4), pandas.RangeIndex(0, 6, 2), pandas.RangeIndex(3, name="n")):
        found, coding = _plain_labels(given)
        assert coding is None
        assert not isinstance(found, pandas.RangeIndex)
        pandas.testing.assert_index_equal(found, given, exact=False)


def test_calls_on_groups_tell_which_columns_they_ask_for():
    chosen = SimpleNamespace(_step="__getitem__", _args=("x",), _kwargs={})
    several = SimpleNamespace(_step="__getitem__", _args=(["x", "y"],), _kwargs={})
    windows = SimpleNamespace(_step="rolling", _args=(3,), _kwargs={})
    for steps, name, args, kwargs, wanted in (
        ([chosen], "agg", (len,), {}, ["x"]), ([several], "apply", (len,), {}, ["x", "y"]),
        ([windows], "sum", (), {}, None), ([], "apply", (len,), {}, None), ([], "agg", (), {}, None),
        ([], "agg", (), {"n": ("x", len), "m": ("y", "sum")}, ["x", "y"]),
        ([], "agg", (), {"n": ("x", len), "p": 3}, None),
        ([], "agg", ({"y": len, "x": "sum"},), {}, ["y", "x"]), ([], "agg", ({"y": len},), {"p": 3}, ["y"]),
        ([], "aggregate", ({"y": len},), {"p": (1, 2)}, ["y"]), ([], "agg", (len,), {}, None),
        ([], "agg", (len,), {"p": (1, 2)}, None), ([], "agg", ({"y": len}, 3), {}, None),
    ):  # fmt: skip
        assert group_chunks.Replay(steps, name, args, kwargs).columns == wanted, (name, args, kwargs)


def test_computed_rows_take_a_part_of_memory(monkeypatch):
    monkeypatch.setattr(cached_rows.cluster, "process_memory", lambda: 800)
    monkeypatch.setattr(tuning, "CACHED_SHARE", 8)
    assert cached_rows._limit() == 100


# ---- programs


@pytest.mark.parametrize(
    ("arguments", "code", "is_asked"),
    [([], 2, False), (["-h"], 0, True), (["--help", "x.py"], 0, True), (["-m"], 2, True)],
)
def test_usage_goes_to_who_asks_for_it_and_to_errors_otherwise(capsys, arguments, code, is_asked):
    with pytest.raises(SystemExit) as ended:
        scripts.main(arguments)
    assert ended.value.code == code
    told = capsys.readouterr()
    assert (told.out, told.err) == ((f"{scripts.USAGE}\n", "") if is_asked else ("", f"{scripts.USAGE}\n"))


def test_programs_get_their_own_arguments_and_this_face(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["before"])
    monkeypatch.setattr(sys, "path", ["before", *sys.path])
    monkeypatch.chdir(tmp_path)
    text = "import sys\nimport pandas\nprint(pandas.__name__, sys.argv[1:], sys.path[0])\n"
    (tmp_path / "program.py").write_text(text)
    for given in (["program.py", "a", "b"], ["-m", "program", "a", "b"]):
        scripts.main(given)
        assert capsys.readouterr().out == f"akdask.pandas ['a', 'b'] {tmp_path.resolve()}\n"
    assert scripts.builtins.__import__ is scripts._import


@pytest.mark.parametrize(
    ("name", "fromlist", "level", "found"),
    [
        ("pandas", (), 0, "akdask.pandas"), ("pandas", ("DataFrame",), 0, "akdask.pandas"),
        ("pandas.testing", (), 0, "akdask.pandas"), ("pandas.testing", ("x",), 0, "akdask.pandas.testing"),
        ("pandas.plotting", ("x",), 0, "akdask.pandas.plotting"), ("pandas.api.types", ("x",), 0, "pandas.api.types"),
        ("pandas.errors", ("x",), 0, "pandas.errors"), ("numpy", (), 0, "numpy"),
        ("numpy.linalg", ("x",), 0, "numpy.linalg"),
    ],
)  # fmt: skip
def test_imports_of_own_programs_give_this_face(name, fromlist, level, found):
    given = {"__name__": "__main__"}
    assert scripts._imported(name, given, None, fromlist, level).__name__ == found
    # Libraries get pandas.
    for other in ({"__name__": "library", "__file__": "/x/site-packages/library.py"}, {}):
        assert not scripts._imported(name, other, None, fromlist, level).__name__.startswith("akdask")


@pytest.mark.parametrize("path", [None, 3, "/a/site-packages/b.py", "/a/b.py", "/a/bc/d.py", "/ab/c.py"])
def test_modules_below_the_folder_of_a_program_are_its_own(monkeypatch, path):
    monkeypatch.setattr(scripts, "_folders", ["/a/b/", "/a/bc/"])
    assert scripts.is_own({"__name__": "x", "__file__": path}) is (path == "/a/bc/d.py")
    assert scripts.is_own({"__name__": "__main__", "__file__": path})


# ---- files


@pytest.mark.parametrize(
    ("name", "given", "is_plain"),
    [
        ("to_csv", {}, True), ("to_csv", {"mode": "w"}, True), ("to_csv", {"mode": "wb"}, True),
        ("to_csv", {"mode": "a"}, False), ("to_csv", {"mode": "x"}, False), ("to_csv", {"compression": "tar"}, False),
        ("to_csv", {"storage_options": {"a": 1}}, False), ("to_parquet", {"partition_cols": ["x"]}, False),
        ("to_hdf", {}, True), ("to_hdf", {"mode": "r+"}, True), ("to_parquet", {"compression": "tar"}, True),
        ("to_excel", {}, False),
    ],
)  # fmt: skip
def test_files_that_are_written_anew_are_put_into_place(tmp_path, monkeypatch, name, given, is_plain):
    path = str(tmp_path / "file.x")
    assert writing._plain_path(name, path, given) == (path if is_plain else None)
    # Other objects, folders, and addresses are left to pandas.
    for target in (
        None,
        io.StringIO(),
        str(tmp_path),
        str(tmp_path / "no folder" / "x"),
        "memory://x",
        f"file://{path}",
    ):
        assert writing._plain_path(name, target, given) is None
    monkeypatch.setenv("HOME", str(tmp_path))
    assert writing._plain_path(name, "~/file.x", given) == (path if is_plain else None)
    assert writing._plain_path("to_excel", str(tmp_path / "x.XLSX"), {}) == str(tmp_path / "x.XLSX")
    assert writing._plain_path("to_csv", str(tmp_path / "x.tar.gz"), {}) is None


def test_rows_are_written_to_parquet_in_row_groups_unless_objects_hide_their_type(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "ROWS_OF_GROUP", 10)
    monkeypatch.setattr(tuning, "WRITTEN_BYTES", 1)
    count = 25
    rows = pandas.DataFrame({"n": np.arange(count), "x": np.arange(count) * 0.5, "s": [f"t{n}" for n in range(count)]})
    labelled = rows.set_axis([f"r{n}" for n in range(count)])
    for own, given in (
        (rows, {}), (rows, {"index": True}), (rows, {"index": False, "compression": None}), (labelled, {}),
        (rows, {"engine": "pyarrow", "compression": "gzip"}), (rows[["n"]], {}), (rows.head(0), {}),
    ):  # fmt: skip
        path = tmp_path / "x.parquet"
        writing._to_parquet(pd.DataFrame(own), path, given)
        pandas.testing.assert_frame_equal(pandas.read_parquet(path), own)
        assert pq.ParquetFile(path).metadata.num_row_groups == max(-(-len(own) // 10), 1)
    hidden = rows.assign(s=pandas.Series([None] * 10 + ["a"] * 15, dtype=object))
    for own, given in ((hidden, {}), (rows, {"engine": "fastparquet"}), (rows, {"schema": None})):
        with pytest.raises(NotLazyError):
            writing._to_parquet(pd.DataFrame(own), tmp_path / "y.parquet", given)


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
def test_decimals_are_compared_with_numbers_of_any_size():
    decimals = [*map(decimal.Decimal, ["1.25", "-3.50", "2.00"]), None]
    rows = pandas.Series(decimals, dtype=object)
    edges = [decimal.Decimal(2**63 + number) / 100 for number in (-2, -1, 0, 1)]
    for limit in (2, *map(decimal.Decimal, ["1.25", "1.251"]), *edges, *(-edge for edge in edges), 2**63, -(2**70)):
        own = pd.Series._of(pd.Series(rows).lazy(), None)
        for name in ("lt", "le", "gt", "ge", "eq", "ne"):
            compare = getattr(operator, name)
            found = [bool(one) for one in compare(own, limit).to_pandas()]
            assert found == [name == "ne" if one is None else compare(one, limit) for one in decimals], (name, limit)


def test_rows_of_a_file_are_read_some_at_a_time_and_then_the_rest(tmp_path):
    rows = pandas.DataFrame({"n": range(20), "s": [f"t{number}" for number in range(20)]})
    rows.to_csv(tmp_path / "x.csv", index=False)
    with pd.read_csv(tmp_path / "x.csv", chunksize=3) as chunks_of_file:
        found = [next(chunks_of_file), chunks_of_file.get_chunk(), chunks_of_file.get_chunk(4)]
        found += [chunks_of_file.read(2), chunks_of_file.read()]
    assert [len(part) for part in found] == [3, 3, 4, 2, 8]
    assert {type(part) for part in found} == {pd.DataFrame}
    pandas.testing.assert_frame_equal(pandas.concat([part.to_pandas() for part in found]), rows)
    with pd.read_csv(tmp_path / "x.csv", iterator=True) as chunks_of_file:
        assert len(chunks_of_file.read()) == 20
        with pytest.raises(StopIteration):
            next(chunks_of_file)
    assert [len(part) for part in pd.read_csv(tmp_path / "x.csv", chunksize=8)] == [8, 8, 4]


# ---- groups

ROWS = {"k": [2, 1, 2, 1], "x": [1, 2, 3, 4], "y": [0.5, 1.5, 2.5, 3.5], "sum": [1, 1, 1, 1]}


def test_columns_of_groups_are_attributes_unless_groups_have_a_method_of_the_name():
    groups, wanted = pd.DataFrame(ROWS).groupby("k"), pandas.DataFrame(ROWS).groupby("k")
    assert type(groups) is FrameGroups
    assert type(groups.x) is SeriesGroups
    for found, given in ((groups.x, wanted.x), (groups, wanted)):
        assert np.asarray(found.sum()).tolist() == np.asarray(given.sum()).tolist()
    assert callable(groups.sum)
    for name in ("z", "_x", "__x"):
        with pytest.raises(AttributeError):
            getattr(groups, name)


def test_columns_that_groups_reduce_are_those_beside_keys_or_those_that_are_chosen():
    own = pd.DataFrame(ROWS).groupby("k")._origin.lazy()

    def taken(groups):
        chain = []
        while isinstance(groups, FrameGroups | SeriesGroups):
            chain.append(groups)
            groups = groups._origin
        return _columns_taken(own, chain)

    frame = pd.DataFrame(ROWS)
    for groups, columns in (
        (frame.groupby("k"), ["x", "y", "sum"]), (frame.groupby(by="k"), ["x", "y", "sum"]),
        (frame.groupby(["k", "x"]), ["y", "sum"]), (frame.groupby(by=["k", "x"]), ["y", "sum"]),
        (frame.groupby("k")["y"], ["y"]), (frame.groupby("k")[["y", "x"]], ["y", "x"]),
        (frame.groupby("k")[["y", "x"]]["x"], ["x"]),
    ):  # fmt: skip
        assert taken(groups) == columns
    with pytest.raises(NotLazyError):
        _columns_taken(own, [SimpleNamespace(_step="rolling")])


# ---- joins

BIG, SMALL, FLOATS = [2**53 + 1, 5], [2**53 - 1, 5], [2.0**53, 5.0]


@pytest.mark.parametrize(
    ("keys", "left", "right", "is_exact"),
    [
        (("a", None, None), BIG, FLOATS, False), (("a", None, None), FLOATS, BIG, False),
        (("a", None, None), SMALL, FLOATS, True), (("a", None, None), BIG, BIG, True),
        (("a", None, None), FLOATS, FLOATS, True), (("b", None, None), BIG, FLOATS, True),
        ((None, "a", "a"), BIG, FLOATS, False), ((None, "a", "b"), BIG, FLOATS, True),
        ((None, "b", "a"), BIG, FLOATS, True), ((None, ["b", "a"], ["b", "a"]), FLOATS, BIG, False),
        ((None, ["b", "a"], ["a", "b"]), FLOATS, BIG, True), (("a", None, None), [-(2**53) - 1, 5], FLOATS, False),
    ],
)  # fmt: skip
def test_integers_that_floats_do_not_hold_are_no_keys_beside_floats(keys, left, right, is_exact):
    one, other = (pd.DataFrame({"a": items, "b": ["x", "y"]}).lazy() for items in (left, right))
    if is_exact:
        frame_forms._check_exact(one, other, *keys)
    else:
        with pytest.raises(NotLazyError, match="which are rounded"):
            frame_forms._check_exact(one, other, *keys)


@pytest.mark.parametrize("first", ["int64", "Int64", "boolean", "int16", "category", "string", "datetime64[ns]"])
def test_groups_by_two_keys_have_labels_of_the_types_of_pandas(first, monkeypatch):
    monkeypatch.setattr(tuning, "EAGER_VALUES", -1)
    items = {
        "boolean": [True, False, True, None], "string": ["b", "a", None, "b"], "category": ["b", "a", "b", "a"],
        "datetime64[ns]": ["2024-01-02", "2024-01-01", "2024-01-02", "NaT"], "Int64": [2, 1, None, 2],
    }.get(first, [2, 1, 2, 1])  # fmt: skip
    wanted = pandas.DataFrame({"a": pandas.Series(items).astype(first), "b": [1, 1, 2, 2], "x": [1.0, 2.0, 3.0, 4.0]})
    for keys in (["a", "b"], ["b", "a"]):
        one, other = (df.groupby(keys, observed=True)["x"].sum() for df in (pd.DataFrame(wanted), wanted))
        pandas.testing.assert_series_equal(one.to_pandas(), other)
        one, other = (df.groupby(keys, observed=True).agg({"x": "max"}) for df in (pd.DataFrame(wanted), wanted))
        pandas.testing.assert_frame_equal(one.to_pandas(), other)


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NaT])
def test_dates_are_days_since_1970(missing):
    dates = [datetime.date.min, missing, datetime.date(1969, 12, 31), datetime.date(2013, 7, 1), datetime.date.max]
    days, _ = encoded(pandas.Series(dates, dtype=object))
    epoch = datetime.date(1970, 1, 1).toordinal()
    assert days.isna().tolist() == [False, True, False, False, False]
    assert days[[0, 2, 3, 4]].tolist() == [date.toordinal() - epoch for date in dates if date is not missing]


# ---- arguments


def test_arguments_change_nothing_that_are_defaults_or_as_good_as_these():
    signature = inspect.signature(pandas.DataFrame.sort_values).parameters
    for word, value, wanted in (
        ("ascending", True, True), ("ascending", False, False), ("ascending", 1, False), ("kind", "stable", True),
        ("kind", "other", False), ("axis", "index", True), ("axis", 0, True), ("axis", 1, False),
        ("axis", False, False), ("copy", False, True), ("copy", None, True), ("copy", 0, False), ("key", None, True),
        ("key", abs, False), ("errors", "ignore", False), ("nothing", None, False), ("sort", True, False),
        ("sort", False, False),
    ):  # fmt: skip
        assert arguments._changes_nothing(word, value, signature) is wanted, (word, value)
    default = signature["na_position"].default
    assert arguments._changes_nothing("na_position", default, signature)
    assert not arguments._changes_nothing("na_position", [default], signature)


def test_calls_that_touch_no_row_are_known():
    rows = pandas.Series([1])
    for name, args, kwargs, wanted in (
        ("set_index", ("k",), {}, True), ("set_index", (["k", "g"],), {}, True),
        ("set_index", ("k",), {"verify_integrity": True}, False), ("set_index", (["k", rows],), {}, False),
        ("set_index", (rows,), {}, False), ("set_axis", (rows,), {"axis": 1}, True), ("set_axis", (rows,), {}, False),
        ("set_axis", (rows.to_numpy(),), {"axis": "columns"}, True), ("__getitem__", ("k",), {}, True),
        ("__getitem__", (["k", "g"],), {}, True), ("__getitem__", ([True, False],), {}, False),
        ("__getitem__", (slice(3),), {}, False), ("drop", (), {"columns": "k"}, True), ("drop", (0,), {}, False),
        ("drop", (), {"columns": "k", "index": 0}, False), ("drop", ("k",), {"axis": 1}, True),
        ("rename", (), {"columns": {"k": "l"}}, True), ("rename", ({0: 1},), {}, False),
        ("reindex", (), {"columns": ["k"]}, True), ("reindex", (), {"columns": ["k"], "fill_value": 0}, False),
        ("filter", (), {"like": "k"}, True), ("filter", (), {"like": "k", "axis": 0}, False),
        ("filter", (), {"like": "k", "axis": "columns"}, True), ("rename_axis", ("k",), {}, True),
        ("rename_axis", (str.upper,), {}, False), ("sort_values", ("k",), {}, False),
    ):  # fmt: skip
        assert bool(only_moves_labels(name, args, kwargs)) is wanted, (name, args, kwargs)


# ---- words of CSV files


def test_words_for_missing_values_are_neither_numbers_nor_bools():
    for options, own in (
        ({}, [*MISSING]), ({"na_values": "none"}, [*MISSING, b"none"]),
        ({"na_values": ["a", "b"]}, [*MISSING, b"a", b"b"]),
        ({"na_values": ("a", "a")}, [*MISSING, b"a"]), ({"na_values": {"a"}}, [*MISSING, b"a"]),
        ({"na_values": "a", "keep_default_na": False}, [b"a"]), ({"keep_default_na": False}, []),
        ({"na_filter": False}, []), ({"na_filter": False, "na_values": "a"}, []),
    ):  # fmt: skip
        assert csv_rows._missing_of(options) == tuple(own), options
    for options in (
        {"na_values": "-1"}, {"na_values": 1}, {"na_values": {"a": "b"}}, {"na_values": ["a", 1]},
        {"na_values": "true"}, {"na_values": "x" * 256}, {"na_values": ["a", "2"]}, {"na_filter": 1},
        {"na_filter": "no"}, {"keep_default_na": 0},
    ):  # fmt: skip
        with pytest.raises(NotLazyError):
            csv_rows._missing_of(options)


# ---- parts


def test_parts_are_multiples_of_rows_that_take_as_much_memory_as_they_may(monkeypatch):
    monkeypatch.setattr(tuning, "WRITTEN_BYTES", 160)
    for rows, most, nbytes, wanted in (
        (0, 10, 0, [0]), (25, 10, 200, [20, 5]), (25, 10, 400, [10, 10, 5]), (25, 10, 25, [25]),
        (25, 10, 10**6, [10, 10, 5]), (25, 1, 200, [20, 5]), (25, 3, 200, [18, 7]),
    ):  # fmt: skip
        table = pandas.DataFrame({"n": np.arange(rows), "m": np.arange(rows) * 0.5})
        for own, kind in ((table, pd.DataFrame), (table["n"], pd.Series)):
            monkeypatch.setattr(kind, "_extent", lambda _, told=(rows, nbytes): told)
            found = [*writing.parts(kind(own), most)]
            assert [len(part) for part in found] == wanted
            assert pandas.concat(found).equals(own)


def test_chunks_are_rows_that_follow_one_another_or_any():
    rows = pandas.DataFrame({"n": np.arange(50) * 2, "t": [f"t{number}" for number in range(50)]})
    lazily = pd.DataFrame(rows).lazy()
    for numbers in (
        [range(5), range(5, 30), range(30, 31)], [range(10, 20), range(20, 50)], [np.array([3, 1]), np.array([49])],
        [range(3), np.array([40, 7])], [np.array([5, 6]), range(7, 9)],
    ):  # fmt: skip
        found = chunks.by_chunk(lazily, numbers, lambda some, number: (some["n"].tolist(), some["t"].tolist(), number))
        assert found == [
            ((np.array(one) * 2).tolist(), [f"t{row}" for row in one], number) for number, one in enumerate(numbers)
        ]


# ---- what pandas returns


def test_frames_among_what_pandas_returns_become_those_of_this_face():
    frame, series = pandas.DataFrame({"a": [1]}), pandas.Series([1])
    for given, kinds in (
        ({"a": 1, "b": frame}, [int, pd.DataFrame]), ({"a": series, "b": "x"}, [pd.Series, str]),
        ({"a": 1, "b": 2}, [int, int]), ((1, frame), [int, pd.DataFrame]),
        ([frame, 1, series], [pd.DataFrame, int, pd.Series]), ([1, 2], [int, int]),
    ):  # fmt: skip
        found = face.faced(given)
        assert type(found) is type(given)
        assert [type(one) for one in (found.values() if isinstance(found, dict) else found)] == kinds
    assert [type(one) for one in face.faced(iter([frame, 1]))] == [pd.DataFrame, int]
    assert face.faced(np.float64(1.5)) == 1.5


def test_names_of_levels_are_given_and_kept():
    rows = pandas.DataFrame({"a": [1, 2], "b": [3, 4]}, index=pandas.Index([5, 6], name="row"))
    levels = rows.set_index("a", append=True)
    for own, index, columns in (
        (rows, ["row"], [None]), (rows, ["other"], None), (rows, None, ["column"]), (rows, ["other"], ["column"]),
        (rows, [None], None), (rows, None, None), (levels, ["p", "q"], None), (levels, ["row", "a"], ["column"]),
    ):  # fmt: skip
        frame = pd.DataFrame._of(pd.DataFrame(own).lazy(), None)
        found = labels.named(frame.lazy(), index, columns)
        wanted = own.copy()
        if index is not None:
            wanted.index.names = index
        if columns is not None:
            wanted.columns.names = columns
        pandas.testing.assert_frame_equal(labels.computed(found), wanted)
        is_same = (index in (None, [*own.index.names])) and columns in (None, [None])
        assert (found is frame.lazy()) == is_same
    column = pd.Series._of(pd.Series(rows["b"]).lazy(), None).lazy()
    assert labels.named(column, ["row"]) is labels.named(column, None) is column
    assert labels.computed(labels.named(column, ["other"])).index.name == "other"


def test_labels_of_any_type_are_given_back_or_refused():
    refused = []
    for index in (
        pandas.RangeIndex(3), pandas.RangeIndex(1, 4), pandas.RangeIndex(0, 6, 2), pandas.RangeIndex(3, name="row"),
        pandas.Index([3, 1, 2]), pandas.Index([3, 1, 2], name="row"), pandas.Index([0.5, 1, np.nan]),
        pandas.Index(["a", "b", None]), pandas.Index([True, False, True]), pandas.Index([1, 2, 3], dtype="int8"),
        pandas.Index([1, 2, 3], dtype="float32"), pandas.Index([1, None, 3], dtype="Int64"),
        pandas.Index(["a", 1, 2.5], dtype=object), pandas.Index([1j, 2, 3]), pandas.CategoricalIndex(["a", "b", "a"]),
        pandas.CategoricalIndex(["a", None, "a"]), pandas.CategoricalIndex([1, 2, 1]),
        pandas.PeriodIndex(["2024-01", "2024-02", "2024-02"], freq="M"), pandas.interval_range(0, 3),
        pandas.PeriodIndex(["2024-01", None, "2024-02"], freq="M"), pandas.date_range("2024", periods=3),
        pandas.DatetimeIndex(["2024", "2023", "NaT"]), pandas.date_range("2024", periods=3, tz="Europe/Zurich"),
        pandas.TimedeltaIndex(["1D", "2h", "NaT"]), pandas.MultiIndex.from_product([[1], [1, 2, 3]]),
        pandas.Index([1, 2, 3], dtype="uint64"), pandas.Index([2**64 - 1, 2, 3], dtype="uint64"),
    ):  # fmt: skip
        rows = pandas.DataFrame({"a": [1, 2, 3]}, index=index)
        try:
            made = lazy_frame(rows)
        except NotLazyError:
            refused.append(str(index.dtype))
        else:
            pandas.testing.assert_frame_equal(labels.computed(made), rows)
    narrow, others = ["int8", "float32"], ["Int64", "object", "complex128"]
    assert refused == [*narrow, *others, "category", "interval[int64, right]", "period[M]", "object"]
    for start, stop, step, name in ((1, 4, 1, None), (0, 6, 2, None), (0, 3, 1, "row"), (3, 0, -1, None)):
        with pytest.raises(NotLazyError, match="a range of their own"):
            as_labels(pandas.RangeIndex(start, stop, step, name=name))
    assert as_labels(pandas.RangeIndex(3)).tolist() == [0, 1, 2]
