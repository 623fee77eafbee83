"""Files are read and written as pandas does, large ones lazily, and columns pass between the faces."""

from __future__ import annotations

import copy
import datetime
import errno
import functools
import gzip
import os
import pickle
import sqlite3
import stat

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
import akdask.pandas as face
from akdask import config
from akdask.errors import UnsupportedError, WriteError
from akdask.formats.csv.lines import scanned
from akdask.pandas import lazy_csv, tuning, writing
from akdask.pandas.face import WRITERS
from akdask.pandas.refusals import FallbackError
from akdask.storage.transaction import staged_files


@pytest.fixture
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    found = pd.DataFrame(
        {
            "i": rng.integers(-5, 5, 40),
            "u": rng.integers(0, 9, 40).astype("uint64"),
            "x": rng.normal(size=40),
            "s": rng.choice(["a", "bb", "ß"], 40),
            "b": rng.random(40) > 0.5,
            "t": pd.date_range("2020-01-01", periods=40, freq="7h"),
            "z": pd.date_range("2020-01-01", periods=40, freq="7h", tz="Europe/Paris"),
            "d": pd.to_timedelta(rng.integers(0, 10**6, 40), unit="s"),
        }
    )
    found.loc[::7, "x"] = np.nan
    found.loc[::5, "s"] = None
    found.loc[::6, "t"] = pd.NaT
    return found


@pytest.fixture
def lazily(monkeypatch):
    """Let all files be large."""
    monkeypatch.setattr(tuning, "READ_VALUES", 0)
    monkeypatch.setattr(tuning, "READ_BYTES", 0)
    monkeypatch.setattr(tuning, "WRITTEN_BYTES", 500)


def is_lazy(found) -> bool:
    return found._lazy is not None and found._in_memory is None


def same(found, wanted) -> None:
    pd.testing.assert_frame_equal(found.to_pandas(), wanted, check_freq=False)


@pytest.mark.parametrize(
    "labels",
    [None, "i", "s", "t", "z", ["s", "i"], ["b", "d", "t"]],
    ids=str,
)
def test_large_parquet_is_lazy_with_its_labels(rows, lazily, tmp_path, labels):
    path = tmp_path / "x.parquet"
    (rows if labels is None else rows.set_index(labels)).to_parquet(path)
    found = face.read_parquet(path)
    assert is_lazy(found)
    same(found, pd.read_parquet(path))


def _gone(path) -> None:
    path.unlink()


def _written_over(path) -> None:
    pd.DataFrame({"other": range(1000)}).to_parquet(path)


def _replaced(path) -> None:
    other = path.with_name("other.parquet")
    pd.DataFrame({"i": [1], "x": [0.5]}).to_parquet(other)
    other.replace(path)


@pytest.mark.parametrize("change", [_gone, _written_over, _replaced])
@pytest.mark.parametrize("read", ["read_parquet", "scan"])
@pytest.mark.parametrize("labels", [None, ["s", "i"]], ids=str)
def test_small_parquet_has_the_rows_of_when_it_was_read(rows, tmp_path, change, read, labels):
    path = tmp_path / "x.parquet"
    wanted = rows if labels is None else rows.set_index(labels)
    wanted.to_parquet(path)
    found = getattr(face, read)(path)
    chosen = found[found["x"] > 0]
    change(path)
    same(chosen, wanted[wanted["x"] > 0])
    same(found, wanted)
    assert len(found) == len(rows)


def test_small_parquet_that_has_changed_has_its_days_and_decimals_as_scan_gives_them(tmp_path):
    path = tmp_path / "x.parquet"
    days = [datetime.date(1970, 1, 1), None, datetime.date(1970, 1, 10)]
    pq.write_table(pa.table({"day": days, "price": pa.array([1, None, 25], pa.decimal128(9, 2))}), path)
    found, changed = face.scan(path), face.scan(path)
    wanted = pd.DataFrame({"day": pd.to_datetime(days), "price": [1.0, np.nan, 25.0]})
    same(found, wanted)
    path.unlink()
    same(changed, wanted)


@pytest.mark.parametrize("change", [None, _gone, _written_over])
def test_joins_with_rows_on_disk_read_small_parquet_once(rows, tmp_path, monkeypatch, change):
    few, many = tmp_path / "few.parquet", tmp_path / "many.parquet"
    rows.iloc[:10].to_parquet(few)
    pd.concat([rows] * 20, ignore_index=True).to_parquet(many)
    small = face.read_parquet(few)
    monkeypatch.setattr(tuning, "READ_VALUES", 0)
    large = face.read_parquet(many)
    assert is_lazy(large)
    wanted = pd.read_parquet(many).merge(rows.iloc[:10], on="i")
    if change is None:
        monkeypatch.delattr(pd, "read_parquet")
    else:
        change(few)
    found = large.merge(small, on="i")
    assert is_lazy(found)
    same(found, wanted)


def test_small_parquet_of_many_bytes_is_read_at_once(rows, tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    rows.to_parquet(path)
    monkeypatch.setattr(tuning, "READ_AT_ONCE", path.stat().st_size)
    assert face.read_parquet(path)._pending is not None
    monkeypatch.setattr(tuning, "READ_AT_ONCE", path.stat().st_size - 1)
    found = face.read_parquet(path)
    assert found._pending is None
    same(found, rows)


@pytest.mark.parametrize("columns", [None, ["x"], ["s", "i"]], ids=str)
def test_values_of_chosen_columns_decide_whether_parquet_is_small(rows, tmp_path, monkeypatch, columns):
    path = tmp_path / "x.parquet"
    rows.to_parquet(path)
    values = len(rows) * (rows.shape[1] if columns is None else len(columns))
    for most in (values, values - 1):
        monkeypatch.setattr(tuning, "READ_VALUES", most)
        found = face.read_parquet(path, columns=columns)
        assert is_lazy(found) == (most < values)
        same(found, rows if columns is None else rows[columns])


STATEMENTS = """df["y"] = df["x"] * 2
df.loc[1, "x"] = 9
del df["s"]
df.insert(0, "n", 1)
df.columns = ["a", "b", "c"]
df.index = list("vwxyz")
df.rename(columns={"x": "q"}, inplace=True)
df.sort_values("k", inplace=True)
df.pop("x")
df.iloc[0, 0] = 7
df = copy.deepcopy(df)
df = pickle.loads(pickle.dumps(df))
same = df; same["z"] = 1
few = df[df.k > 1]; few["w"] = 1
df = df[["k", "x"]]; df["w"] = 1
df.k += 1
df[df.k == 1] = None
df.at[0, "k"] = 5
df.dropna(inplace=True)
other = df.copy(); other["k"] = 0
df.columns.name = "c"; df.index.name = "i"
df = df.merge(df, on="k")"""


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("statements", STATEMENTS.split("\n"))
def test_changes_of_small_parquet_are_those_of_pandas(tmp_path, statements):
    path = tmp_path / "x.parquet"
    pd.DataFrame({"k": [3, 1, 2, 1, 4], "x": [0.5, None, 2.0, 3.0, 1.0], "s": ["a", None, "b", "a", ""]}).to_parquet(
        path
    )
    frames = []
    for module in (pd, face):
        names = {"df": module.read_parquet(path), "copy": copy, "pickle": pickle}
        exec(statements, names)
        frames.append(names["df"])
    same(frames[1], frames[0])
    same(face.read_parquet(path), pd.read_parquet(path))


JOINS = {
    "inner": {"on": "k"},
    "of names": {"left_on": "k", "right_on": "n"},
    "of two": {"on": ["k", "s"]},
    "left": {"on": "k", "how": "left"},
    "right": {"on": "s", "how": "right"},
    "outer": {"on": "k", "how": "outer", "suffixes": ("", "_r")},
    "cross": {"how": "cross"},
    "sorted": {"on": "s", "sort": True},
    "marked": {"on": "k", "how": "outer", "indicator": True},
    "by labels": {"left_index": True, "right_index": True},
    "of one": {"on": "k", "validate": "many_to_one"},
    "of none": {"on": "q"},
}


@pytest.fixture
def three(tmp_path, monkeypatch):
    """Return the paths of two small Parquet files, and of one that is large beside them."""
    left = pd.DataFrame({"k": [3, 1, 2, 1, 4], "x": [0.5, None, 2.0, 3.0, 1.0], "s": ["a", None, "b", "a", ""]})
    right = pd.DataFrame({"k": [1, 2, 2, 9], "n": [2, 1, 7, 3], "s": ["b", "a", None, "z"], "y": [1.0, 2.0, None, 4.0]})
    large = pd.DataFrame({"k": np.arange(60) % 5, "w": np.arange(60.0)})
    paths = [tmp_path / f"{name}.parquet" for name in ("left", "right", "large")]
    for frame, path in zip((left, right, large), paths, strict=True):
        frame.to_parquet(path)
    monkeypatch.setattr(tuning, "READ_VALUES", 100)
    return paths


def _joined(module, paths, how):
    left, right = map(module.read_parquet, paths[:2])
    try:
        return left[left["k"] < 4].merge(right, **how)
    except (KeyError, pd.errors.MergeError) as error:
        return error


@pytest.mark.parametrize("how", JOINS.values(), ids=JOINS)
def test_joins_of_small_parquet_are_those_of_pandas_whoever_looks_at_them(three, how):
    wanted = _joined(pd, three, how)
    if isinstance(wanted, Exception):
        found = _joined(face, three, how)
        assert isinstance(found, type(wanted))
        assert found.args == wanted.args
        return
    same(_joined(face, three, how), wanted)
    if "k" in wanted:
        wanted = pd.read_parquet(three[2]).merge(wanted, on="k")
        found = face.read_parquet(three[2]).merge(_joined(face, three, how), on="k")
        assert is_lazy(found)
        same(found, wanted)


def test_joins_of_small_parquet_wait_until_a_large_file_takes_their_plan(three):
    joined = _joined(face, three, {"on": "k"})
    assert joined._pending is not None
    assert not joined._pending.is_computed()
    found = (
        face.read_parquet(three[2]).merge(joined, on="k").merge(joined[["k", "y"]].rename(columns={"y": "v"}), on="k")
    )
    assert not joined._pending.is_computed()
    wanted = _joined(pd, three, {"on": "k"})
    same(
        found,
        pd.read_parquet(three[2]).merge(wanted, on="k").merge(wanted[["k", "y"]].rename(columns={"y": "v"}), on="k"),
    )


def test_small_parquet_that_has_changed_is_joined_as_it_was(three):
    joined, wanted = (_joined(module, three, {"on": "k"}) for module in (face, pd))
    pd.DataFrame({"k": [1], "x": [0.0], "s": ["new"]}).to_parquet(three[0])
    same(face.read_parquet(three[2]).merge(joined, on="k"), pd.read_parquet(three[2]).merge(wanted, on="k"))
    same(joined, wanted)


def test_small_parquet_has_no_lazy_form_of_what_pandas_alone_does(rows, tmp_path):
    path = tmp_path / "x.parquet"
    rows.to_parquet(path)
    with config.set(pandas_fallback="error"), pytest.raises(FallbackError, match="has no lazy form"):
        face.read_parquet(path)[["i", "x"]].unstack()


def test_parquet_that_is_opened_again_is_another_frame_of_the_same_rows(rows, lazily, tmp_path):
    path = tmp_path / "x.parquet"
    rows.set_index(["s", "i"]).to_parquet(path)
    first = face.read_parquet(path)
    first["x"] = 0.0
    first.index.names = ["a", "b"]
    again = face.read_parquet(path)
    assert is_lazy(again)
    same(again, pd.read_parquet(path))
    assert face.read_parquet(path, columns=["u", "x"]).columns.tolist() == ["u", "x"]
    assert face.read_parquet(path).columns.tolist() == ["u", "x", "b", "t", "z", "d"]
    kinds = {"dtype_backend": "numpy_nullable"}
    same(face.read_parquet(path, **kinds), pd.read_parquet(path, **kinds))
    rows.iloc[:7].to_parquet(path)
    same(face.read_parquet(path), rows.iloc[:7])


def test_text_of_parquet_that_is_opened_again_is_stored_as_pandas_is_told(rows, lazily, tmp_path):
    path = tmp_path / "x.parquet"
    rows.to_parquet(path)
    for storage in ("pyarrow", "python", "pyarrow"):
        with pd.option_context("mode.string_storage", storage):
            found, wanted = face.read_parquet(path)["s"], pd.read_parquet(path)["s"]
            assert found.dtype == found.to_pandas().dtype == wanted.dtype
            assert found.dtype.storage == wanted.dtype.storage


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.set_axis(range(8), axis=1),
        lambda rows: rows.set_axis(pd.MultiIndex.from_product([["a", "b"], list("wxyz")]), axis=1),
        lambda rows: rows.rename_axis("number"),
        lambda rows: rows.rename_axis("named", axis=1),
        lambda rows: rows.iloc[10:],
        lambda rows: rows.iloc[::2],
        lambda rows: rows[rows["i"] > 0],
        lambda rows: rows.iloc[:0],
        lambda rows: rows.assign(i=rows["i"].astype("int32"), x=rows["x"].astype("float32")),
        lambda rows: rows.assign(i=rows["i"].astype("Int64")),
        lambda rows: rows.assign(s=rows["s"].astype("category")),
        lambda rows: rows.assign(s=[[1]] * 40),
        lambda rows: rows.assign(s=[b"x"] * 40),
        lambda rows: rows.assign(t=rows["t"].dt.date),
        lambda rows: rows.assign(b=rows["b"].where(rows["i"] > 0)),
        lambda rows: rows[["i"]].set_index("i"),
    ],
)
def test_parquet_of_any_columns_and_labels_is_as_in_pandas(rows, lazily, tmp_path, change):
    path = tmp_path / "x.parquet"
    change(rows).to_parquet(path)
    same(face.read_parquet(path), pd.read_parquet(path))


@pytest.mark.usefixtures("lazily")
def test_categories_of_parquet_stay_lazy(rows, tmp_path):
    path = tmp_path / "x.parquet"
    rows["s"] = pd.Categorical(rows["s"], categories=["unseen", "bb", "ß", "a"])
    rows.to_parquet(path)
    found = face.read_parquet(path)
    assert is_lazy(found)
    same(found, rows)
    with config.set(pandas_fallback="error"):
        sums = found.groupby("s")["i"].sum()
    pd.testing.assert_series_equal(sums.to_pandas(), rows.groupby("s")["i"].sum())
    filters = [("s", "==", "a"), ("i", ">", 0)]
    same(face.read_parquet(path, filters=filters), pd.read_parquet(path, filters=filters))
    filters = [("s", "in", ["a", "bb"])]
    same(face.read_parquet(path, filters=filters), pd.read_parquet(path, filters=filters))
    for other in (
        pd.Categorical(rows["s"], ordered=True),
        pd.Categorical(["N/A", None] * 20),
        pd.Categorical([1] * 40),
    ):
        rows.assign(s=other).to_parquet(path)
        same(face.read_parquet(path), pd.read_parquet(path))


def test_integers_of_other_writers_with_nulls_are_floats(lazily, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"i": [1, None, 3], "b": pa.array([1, 2, 3], pa.int64()), "s": ["x", None, "z"]}), path)
    found = face.read_parquet(path)
    assert is_lazy(found)
    same(found, pd.read_parquet(path))
    assert found["i"].sum() == 4
    assert found["i"].dtype == "float64"
    pq.write_table(pa.table({"b": [True, None]}), path)
    same(face.read_parquet(path), pd.read_parquet(path))


@pytest.mark.parametrize(
    "filters",
    [
        [("i", ">", 0)],
        [("x", "<=", 0.5), ("b", "==", True)],
        [[("s", "=", "a")], [("i", "<", -2), ("u", ">=", 3)]],
        [("s", "in", ["a", "bb"])],
        [("s", "not in", ["a"])],
        [("x", "!=", 1.0)],
        [("s", "!=", "a")],
        [("t", ">", pd.Timestamp("2020-01-05"))],
        [("i", ">", 100)],
    ],
    ids=str,
)
@pytest.mark.parametrize("columns", [None, ["x", "s"]])
def test_filters_and_columns_choose_as_pandas_does(rows, lazily, tmp_path, filters, columns):
    path = tmp_path / "x.parquet"
    rows.to_parquet(path)
    wanted = pd.read_parquet(path, columns=columns, filters=filters)
    same(face.read_parquet(path, columns=columns, filters=filters), wanted)
    rows.set_index("u").to_parquet(path)
    wanted = pd.read_parquet(path, columns=columns, filters=[("i", "<", 3)])
    same(face.read_parquet(path, columns=columns, filters=[("i", "<", 3)]), wanted)


def test_patterns_lists_and_folders_are_put_together(rows, tmp_path):
    for number in range(3):
        rows.iloc[number * 10 : number * 10 + 10].to_parquet(tmp_path / f"p{number}.parquet", index=False)
        rows.iloc[number * 10 : number * 10 + 10].to_csv(tmp_path / f"c{number}.csv", index=False)
    wanted = rows.iloc[:30]
    same(face.read_parquet(f"{tmp_path}/p*.parquet"), wanted)
    same(face.read_parquet([tmp_path / f"p{number}.parquet" for number in range(3)]), wanted)
    parts = [pd.read_csv(tmp_path / f"c{number}.csv") for number in range(3)]
    same(face.read_csv(f"{tmp_path}/c*.csv"), pd.concat(parts, ignore_index=True))
    same(face.read_csv([tmp_path / "c0.csv", tmp_path / "c1.csv"]), pd.concat(parts[:2], ignore_index=True))
    labelled = [part.set_index("i") for part in parts]
    same(face.read_csv(f"{tmp_path}/c*.csv", index_col="i"), pd.concat(labelled))
    os.mkdir(tmp_path / "inner")
    parts[0].to_csv(tmp_path / "inner" / "a.csv", index=False)
    parts[1].to_csv(tmp_path / "inner" / "b.csv", index=False)
    same(face.read_csv(tmp_path / "inner"), pd.concat(parts[:2], ignore_index=True))
    assert sum(len(chunk) for chunk in face.read_csv(f"{tmp_path}/c*.csv", chunksize=4)) == 30
    for name in (f"{tmp_path}/none*.csv", str(tmp_path / "no.csv"), []):
        with pytest.raises(FileNotFoundError) as caught:
            face.read_csv(name)
        assert isinstance(caught.value, ak.AkdaskError)


def test_set_of_parquet_files_is_lazy(rows, lazily, tmp_path):
    for number in range(3):
        rows.iloc[number * 10 : number * 10 + 10].to_parquet(tmp_path / f"p{number}.parquet")
    found = face.read_parquet(f"{tmp_path}/p*.parquet")
    assert is_lazy(found)
    same(found, pd.read_parquet([f"{tmp_path}/p{number}.parquet" for number in range(3)]))


def test_files_beyond_the_memory_limit_are_refused(rows, tmp_path):
    path = tmp_path / "x.json"
    pd.concat([rows[["x", "i"]]] * 500).to_json(path, orient="records")
    with config.set(memory_limit=10_000), pytest.raises(face.FallbackError, match="memory"):
        face.read_json(path)


def test_errors_of_reading_are_those_of_pandas(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n1,2,3\n")
    with pytest.raises(pd.errors.ParserError):
        face.read_csv(path)
    with pytest.raises(TypeError):
        face.read_csv(path, nonsense=1)
    path.write_text("")
    with pytest.raises(pd.errors.EmptyDataError) as caught:
        face.read_csv(path)
    assert isinstance(caught.value, ak.AkdaskError)


# large CSV files


ALL_TEXT = [{"keep_default_na": False}, {"na_filter": False}, {"header": None}]
"""Arguments with which text stands among numbers."""


@pytest.fixture
def in_parts(monkeypatch, lazily):
    """Let CSV files have many parts."""
    monkeypatch.setattr(lazy_csv, "partition_size", lambda: 600)
    monkeypatch.setattr(lazy_csv, "HEAD", 400)


@pytest.mark.parametrize(
    "options", [{}, {"skiprows": 2}, {"names": ["p", "q", "r"]}, {"names": ["p", "q", "r"], "skiprows": 1}], ids=str
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "marked"])
@pytest.mark.usefixtures("in_parts")
def test_large_csv_without_names_is_lazy_from_its_first_row(rows, tmp_path, options, mark):
    text = rows[["i", "u", "x"]].assign(i=rows["i"] + 20).to_csv(index=False, header=False) * 4
    (tmp_path / "x.csv").write_bytes(mark + text.encode())
    found = face.read_csv(tmp_path / "x.csv", header=None, **options)
    assert is_lazy(found)
    same(found, pd.read_csv(tmp_path / "x.csv", header=None, **options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"index_col": "i"},
        {"index_col": ["s", 0]},
        {"usecols": ["x", "s"]},
        {"usecols": lambda name: name < "t"},
        {"parse_dates": ["t"]},
        {"parse_dates": ["t"], "index_col": "t"},
        {"dtype": {"i": "float64", "u": str}},
        {"dtype": str},
        {"header": None},
        {"header": None, "names": list("abcdefgh"), "skiprows": 1},
        {"header": 0, "names": list("abcdefgh")},
        {"names": list("abcdefgh"), "skiprows": 1},
        {"names": None},
        {"skiprows": 3, "header": None},
        {"na_values": ["a"]},
        {"na_values": {"s": ["bb"], "u": [3]}},
        {"keep_default_na": False},
        {"na_filter": False},
        {"encoding": "utf-8"},
        {"comment": "5"},
        {"low_memory": False, "memory_map": True},
        {"dtype": {"i": "int32", "x": np.float32, "s": "category"}},
        {"dtype": {"i": np.dtype("int16")}, "usecols": ["i", "s"]},
        {"skiprows": [1]},
        {"skiprows": range(1, 3)},
        {"skiprows": {2, 0, 1}, "header": None},
        {"true_values": ["bb"], "false_values": ["a", "ß"]},
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("in_parts")
def test_large_csv_is_lazy(rows, tmp_path, options):
    path, of_several_types = tmp_path / "x.csv", options in ALL_TEXT
    rows = rows.astype({"d": str}).fillna({"s": "a"} if "true_values" in options else {"u": 0})
    rows.drop(columns=["z"]).assign(y=rows["u"].where(rows["u"] > 3)).to_csv(path, index=False)
    found = face.read_csv(path, **options)
    if "comment" not in options and not of_several_types:
        assert is_lazy(found)
        assert found._lazy._columns.frame.npartitions > 3
    same(found, pd.read_csv(path, **options))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,b\n1,x\n", {}),
        ("a;b\n1,5;x\n2,5;\n", {"sep": ";", "decimal": ","}),
        ("a,b\n\n1,x\n   \n2,y\n", {}),
        ("a,a\n1,2\n", {}),
        (",a\n0,2\n1,3\n", {"index_col": 0}),
        (",a\n0,2\n1,3\n", {}),
        ("a,b\n1,2,3\n4,5,6\n", {}),
        ('"a","b c"\n"1","x,""y"\n"2","z\nw"\n', {}),
        ("# made by hand\na,b\n1,2\n# more\n3,4\n", {"comment": "#"}),
        ("a,b\r\n1,2\r\n3,4\r\n", {}),
        ("a,b\n1,2\n3,4", {}),
        ("a\n1\n\n2\n", {}),
        ("\ufeffa,b\n1,2\n", {}),
        ("a,b\n1,2\n3\n", {}),
        ("a,b\nTrue,1\nFalse,\n", {}),
        ("a,b\nTrue,1\n,2\n", {}),
        ("a,b\n007,+5\n8, 6\n", {}),
        ("a,b\n18446744073709551615,1\n2,1\n", {}),
        ("a,b\n1,x\n" * 1 + "2,3\n" * 300 + "z,4\n", {}),
        ("a,b\n,\n,\n", {}),
        ("t,b\n2020-01-01,1\n2020-01-02 10:00,2\n", {"parse_dates": ["t"]}),
        ("t,b\n" + "2020-01-01,1\n" * 200 + "no time,1\n", {"parse_dates": ["t"]}),
        ("t,b\n01/02/2020,1\n13/02/2020,1\n", {"parse_dates": ["t"], "dayfirst": True}),
        ("t,b\n2020-01-01T00:00:00Z,1\n", {"parse_dates": ["t"]}),
        ("a\tb\n1\t2\n", {"sep": "\t"}),
        ("a  b\n1  2\n", {"sep": r"\s+"}),
        ("a,b\n1.234,2\n", {"thousands": "."}),
        ("a,b\n1,2\n", {"nrows": 0}),
        ("a,b\n1,2\n3,4\n", {"skipfooter": 1, "engine": "python"}),
        ("a,b\n1,2\n3,4,5\n6,7\n", {"on_bad_lines": "skip"}),
        ("x,y\n1,2\n3,4\n", {"header": [0, 1]}),
        ("a,b\n" + "1,2\n" * 300 + "x,2\n", {}),
        ("a,b\n" + "1,2\n" * 300 + "1.5,2\n", {}),
        ("a,b\n" + "1,2\n" * 300 + ",2\n", {}),
        ("a,b\n" + "1,2\n" * 300 + ",2\n", {"dtype": {"a": "int64"}}),
        ("a,b\n" + "1,2\n" * 300 + ",2\n" * 600, {}),
        ("t,b\n" + "2020-01-01,1\n" * 200 + "2020-01-01 10:00,1\n" * 200, {"parse_dates": ["t"]}),
        ("t,b\n" + "2020-01-01,1\n" * 200 + "2020-01-01 10:00:00,1\n" * 200, {"parse_dates": ["t"]}),
        ("t,b\n" + "2020-01-01T10:00:00,1\n" * 200 + "2020-01-01 10:00:00,1\n" * 200, {"parse_dates": ["t"]}),
        ("a,b\n" + "1,2\n" * 300, {"dtype": {"a": "category", "b": "int32"}}),
        ("a,b\n" + ",2\n" * 300 + "x,2\n", {}),
        ("a,b\n" + "1,2\n" * 300, {"converters": {"a": str}}),
        ("a,b\n" + "1,x\n" * 300, {"dtype": "category"}),
        ("a,b\n" + "1,.5\n" * 300, {"dtype": "category"}),
        ("a,b\n" + "1,2\n" * 300, {"skiprows": [3]}),
        ("a,b\n" + "1,2\n" * 300, {"skiprows": [1, 400]}),
        ("a,b\n\nkm,h\n" + "1,2\n" * 300, {"skiprows": [2]}),
        ("# c\na,b\nkm,h\n" + "1,2\n" * 300, {"skiprows": [2], "comment": "#"}),
        ("a,b\n" + "1,2\n" * 300, {"skiprows": lambda number: number == 1}),
        ("a,b\n" + "300,2\n" * 300, {"dtype": {"a": "int8"}}),
        ("a,b\n" + "300,2\n" * 300 + ",1\n", {"dtype": {"a": "int32"}}),
        ("a,b\n" + "300,2\n" * 300 + "x,1\n", {"dtype": {"a": "float32"}}),
        ("a,b\n" + "300,2\n" * 300 + ",1\n", {"dtype": "category", "index_col": 0}),
        ("a,b\n" + "300,2\n" * 300 + ",1\n", {"dtype": {"a": "category", "z": "int8"}}),
    ],
)
@pytest.mark.usefixtures("in_parts")
@pytest.mark.filterwarnings("ignore")
def test_csv_of_any_kind_is_as_in_pandas(tmp_path, text, options):
    path = tmp_path / "x.csv"
    path.write_text(text, newline="")
    try:
        wanted = pd.read_csv(path, **options)
    except Exception as error:
        with pytest.raises(type(error)):
            face.read_csv(path, **options).to_pandas()
    else:
        same(face.read_csv(path, **options), wanted)


CELLS = {
    "integers": ["0", "-1", "+5", " 7", "007", "9007199254740993", "9223372036854775807"],
    "floats": ["1.5", "-0.0", "1e-5", ".5", "5.", "1.7976931348623157e308", "0.1234567890123456789", "inf", "1e400"],
    "words": ["True", "FALSE", "true"],
    "text": ["a", '"b,c"', '"d""e"', '"f\ng"', "ü", "2020-01-01", "tRue", "1.2.3", "0x10", " "],
    "gaps": ["", "NA", '""', "null", "-nan"],
    "wide": ["9223372036854775808", "18446744073709551616"],
    "zeros": ["-0"],
    "days": ["2020-01-01", "1969-12-31", '"2024-02-29"'],
    "times": ["2020-01-01 10:00:00", "2020-01-01T10:00:00", "2020-01-01 10", "2020-13-01"],
    "fractions": ["2020-01-01 10:00:00.5", "1969-12-31 23:59:59.999999", '"2024-02-29 00:00:00.123"'],
    "fractions behind T": ["2020-01-01T10:00:00.000000", "1677-12-31T23:59:59.01"],
    "fine fractions": ["2020-01-01 10:00:00.123456700"],
    "blanks": ["2020-01-01 10:00:00", "2020-01-01 10:00   ", "   2020-01-01 10:00"],
}

WAYS: list[dict[str, object]] = [
    {},
    {"na_values": ["a", "-"]},
    {"na_values": [7]},
    {"keep_default_na": False},
    {"keep_default_na": False, "na_values": "NA"},
    {"na_filter": False},
    {"dtype": str},
    {"dtype": "float64"},
    {"dtype": {"c0": "int64"}},
    {"parse_dates": ["c0"]},
    {"parse_dates": [1], "index_col": "c0"},
    {"usecols": ["c1"]},
    {"header": None, "skiprows": 1},
    {"low_memory": False},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.usefixtures("in_parts")
@pytest.mark.filterwarnings("ignore")
def test_generated_csv_is_as_in_pandas(tmp_path, way):
    rng = np.random.default_rng(len(str(way)))
    path = tmp_path / "x.csv"
    for _ in range(12):
        columns = []
        for _ in range(2):
            kinds = rng.choice(list(CELLS), rng.integers(1, 3), replace=False)
            cells = [cell for kind in kinds for cell in CELLS[kind][: rng.integers(1, 9)]]
            columns.append(rng.choice(cells, 60))
        path.write_text("c0,c1\n" + "".join(f"{one},{other}\n" for one, other in zip(*columns, strict=True)))
        try:
            wanted = pd.read_csv(path, **way)
        except Exception as error:
            with pytest.raises(type(error)):
                face.read_csv(path, **way).to_pandas()
        else:
            pd.testing.assert_frame_equal(face.read_csv(path, **way).to_pandas(), wanted, check_exact=True)


@pytest.mark.parametrize(
    ("kinds", "way", "is_own"),
    [
        (["integers"], {}, True),
        (["integers", "floats"], {}, True),
        (["floats", "gaps"], {}, True),
        (["words"], {}, True),
        (["words", "gaps"], {}, False),
        (["text", "gaps"], {"na_values": "a"}, True),
        (["text"], {"na_values": ["1.2.3"]}, False),
        (["days"], {"parse_dates": ["c0"]}, True),
        (["times"], {"parse_dates": ["c0"]}, False),
        (["fractions"], {"parse_dates": ["c0"]}, True),
        (["fractions", "gaps"], {"parse_dates": ["c0"]}, True),
        (["fractions behind T"], {"parse_dates": ["c0"]}, True),
        (["fractions", "fractions behind T"], {"parse_dates": ["c0"]}, False),
        (["fractions", "fine fractions"], {"parse_dates": ["c0"]}, False),
        (["fractions", "days"], {"parse_dates": ["c0"]}, False),
        (["blanks"], {"parse_dates": ["c0"]}, False),
        (["wide"], {}, False),
        (["floats", "zeros"], {}, False),
        (["integers"], {"thousands": ","}, False),
    ],
)
@pytest.mark.usefixtures("in_parts")
def test_own_loops_parse_what_they_know(tmp_path, monkeypatch, kinds, way, is_own):
    calls = []
    of_pandas = lazy_csv._types_of
    monkeypatch.setattr(lazy_csv, "_types_of", lambda *given: (calls.append(given), of_pandas(*given))[1])
    cells = [cell for kind in kinds for cell in CELLS[kind]] * 20
    (tmp_path / "x.csv").write_text("c0,c1\n" + "".join(f"{cell},1\n" for cell in cells))
    same(face.read_csv(tmp_path / "x.csv", **way), pd.read_csv(tmp_path / "x.csv", **way))
    assert is_own == (not calls)


@pytest.mark.usefixtures("in_parts")
def test_text_with_a_stretch_of_numbers_is_left_to_pandas(tmp_path, monkeypatch):
    monkeypatch.setattr("akdask.formats.csv.lines.scanned.__kwdefaults__", {**scanned.__kwdefaults__, "block": 200})
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "x,1\n" * 100 + "2,1\n" * 100)
    same(face.read_csv(path), pd.read_csv(path))
    assert not is_lazy(face.read_csv(path))
    path.write_text("a,b\n" + "x,1\n" * 100 + ",1\n" * 100)
    same(face.read_csv(path), pd.read_csv(path))
    assert is_lazy(face.read_csv(path))


@pytest.mark.usefixtures("in_parts")
def test_csv_in_another_encoding_is_refused_as_pandas_does(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"a,b\n" + b"x,1\n" * 300 + b"\xe9,1\n")
    with pytest.raises(UnicodeDecodeError):
        face.read_csv(tmp_path / "x.csv")


@pytest.mark.parametrize("way", [{}, {"thousands": "'"}, {"on_bad_lines": "skip"}], ids=str)
@pytest.mark.usefixtures("in_parts")
def test_long_rows_far_behind_are_those_of_pandas(tmp_path, way):
    (tmp_path / "x.csv").write_text("a,b\n" + "x,1\n" * 300 + "x,1,2\n" + "x,1\n" * 300)
    if way.get("on_bad_lines"):
        same(face.read_csv(tmp_path / "x.csv", **way), pd.read_csv(tmp_path / "x.csv", **way))
        return
    with pytest.raises(pd.errors.ParserError, match="Expected 2 fields in line 302, saw 3"):
        face.read_csv(tmp_path / "x.csv", **way)


@pytest.mark.usefixtures("in_parts")
def test_csv_files_of_different_types_are_left_to_pandas(tmp_path):
    (tmp_path / "x0.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "x1.csv").write_text("a,b\nx,2.5\ny,4\n")
    parts = [pd.read_csv(tmp_path / f"x{number}.csv") for number in range(2)]
    same(face.read_csv(f"{tmp_path}/x*.csv"), pd.concat(parts, ignore_index=True))
    same(face.read_csv(f"{tmp_path}/x*.csv", usecols=["b"]), pd.concat(parts, ignore_index=True)[["b"]])


@pytest.mark.usefixtures("in_parts")
def test_large_csv_files_of_a_pattern_are_one_lazy_frame(rows, tmp_path):
    for number in range(2):
        rows.to_csv(tmp_path / f"c{number}.csv", index=False)
    found = face.read_csv(f"{tmp_path}/c*.csv", index_col="i")
    assert is_lazy(found)
    same(found, pd.concat([pd.read_csv(tmp_path / "c0.csv", index_col="i")] * 2))
    assert found["u"].sum() == 2 * rows["u"].sum()
    assert found.groupby("s")["x"].mean().to_pandas().round(9).to_dict() == pytest.approx(
        rows.groupby("s")["x"].mean().round(9).to_dict()
    )


@pytest.mark.usefixtures("in_parts")
def test_large_csv_that_changes_is_refused(rows, tmp_path):
    path = tmp_path / "x.csv"
    rows.to_csv(path, index=False)
    found = face.read_csv(path)
    rows.head(20).to_csv(path, index=False)
    with config.set(pandas_fallback="silent"), pytest.raises(ak.AkdaskError, match="changed"):
        found["u"].max()


# writing


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"index": False},
        {"sep": ";", "na_rep": "-", "float_format": "%.2f"},
        {"header": False},
        {"columns": ["s", "x"], "index_label": "n"},
        {"date_format": "%Y"},
        {"chunksize": 3, "quoting": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("labels", [None, "t", ["s", "i"]])
def test_csv_in_parts_is_what_pandas_writes(rows, lazily, tmp_path, options, labels):
    if labels is not None:
        rows = rows.set_index(labels)
        options = {word: value for word, value in options.items() if word != "columns"}
    held = face.DataFrame._of(face.DataFrame(rows).lazy(), None)
    held.to_csv(tmp_path / "x.csv", **options)
    rows.to_csv(tmp_path / "y.csv", **options)
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "y.csv").read_bytes()
    assert held.to_csv(**options) == rows.to_csv(**options)
    held.to_csv(tmp_path / "x.csv.gz", **options)
    with gzip.open(tmp_path / "x.csv.gz") as file:
        assert file.read() == (tmp_path / "y.csv").read_bytes()


def test_csv_decides_how_times_look_as_pandas_does(lazily, tmp_path, monkeypatch):
    days = pd.date_range("2020-01-01", periods=150_000, freq="D", unit="s")[:90_000]
    times = pd.Series(days).where(np.arange(90_000) != 80_000, pd.Timestamp("2020-01-01 12:00"))
    rows = pd.DataFrame({"t": times, "n": range(90_000)})
    monkeypatch.setattr(tuning, "WRITTEN_BYTES", 400_000)
    held = face.DataFrame._of(face.DataFrame(rows).lazy(), None)
    held.to_csv(tmp_path / "x.csv")
    rows.to_csv(tmp_path / "y.csv")
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "y.csv").read_bytes()


@pytest.mark.parametrize("labels", [None, "i", "s", ["s", "i"]], ids=str)
@pytest.mark.parametrize("options", [{}, {"index": True}, {"index": False, "compression": None}], ids=str)
@pytest.mark.usefixtures("lazily")
def test_parquet_in_parts_reads_as_what_pandas_writes(rows, tmp_path, monkeypatch, labels, options):
    monkeypatch.setattr(writing, "ROWS_OF_GROUP", 7)
    rows = rows.rename_axis("number") if labels is None else rows.set_index(labels)
    held = face.DataFrame._of(face.DataFrame(rows).lazy(), None)
    held.to_parquet(tmp_path / "x.parquet", **options)
    rows.to_parquet(tmp_path / "y.parquet", **options)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "x.parquet"), pd.read_parquet(tmp_path / "y.parquet"))


@pytest.mark.parametrize("labels", [None, "i"], ids=str)
@pytest.mark.usefixtures("lazily")
def test_options_for_the_library_that_writes_reach_it(rows, tmp_path, labels):
    rows = rows if labels is None else rows.set_index(labels)
    for held in (face.DataFrame(rows), face.DataFrame._of(face.DataFrame(rows).lazy(), None)):
        held.to_parquet(tmp_path / "x.parquet", row_group_size=9, compression=None)
        stored = pq.ParquetFile(tmp_path / "x.parquet").metadata
        assert [stored.row_group(number).num_rows for number in range(stored.num_row_groups)] == [9, 9, 9, 9, 4]
        assert held.to_markdown(tablefmt="grid") == rows.to_markdown(tablefmt="grid")


def test_series_and_tables_are_written_in_parts(rows, lazily, tmp_path):
    held = face.DataFrame._of(face.DataFrame(rows).lazy(), None)
    held["x"].to_csv(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == rows["x"].to_csv()
    with sqlite3.connect(":memory:") as connection:
        held[["i", "x"]].to_sql("t", connection)
        same(face.read_sql("select * from t", connection), rows[["i", "x"]].reset_index())
        with pytest.raises(ValueError, match="exists"):
            held[["i", "x"]].to_sql("t", connection)
        few = held[["i", "x"]][held["i"] == held["i"].iloc[0]]
        assert few.to_sql("few", connection) == few.to_pandas().to_sql("few again", connection)
        assert held[["i"]].to_sql("none", connection, method=lambda *_: None) is None


@pytest.mark.parametrize("name", ["csv", "json", "parquet", "feather", "pkl", "h5", "html", "dta"])
def test_failed_writes_leave_the_old_file(rows, tmp_path, name, monkeypatch):
    method = {"pkl": "to_pickle", "h5": "to_hdf", "dta": "to_stata"}.get(name, f"to_{name}")
    options = {"key": "k"} if name == "h5" else {}
    path = tmp_path / f"x.{name}"
    held = face.DataFrame(rows[["i", "x"]])
    getattr(held, method)(path, **options)
    before = path.read_bytes()

    @functools.wraps(getattr(pd.DataFrame, method))
    def fail(self, **given):
        with open(given[WRITERS[method]], "ab") as file:
            file.write(b"half")
        raise ValueError("broken off")

    monkeypatch.setattr(pd.DataFrame, method, fail)
    with pytest.raises(ValueError, match="broken off"):
        getattr(held, method)(path, **options)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("name", ["csv", "csv.gz", "json", "parquet", "feather", "pkl", "h5", "html", "dta"])
def test_small_files_are_the_bytes_of_transactions(rows, tmp_path, name, monkeypatch):
    extension = name.partition(".")[0]
    method = {"pkl": "to_pickle", "h5": "to_hdf", "dta": "to_stata"}.get(extension, f"to_{extension}")
    options = {
        "h5": {"key": "k"},
        "gz": {"compression": {"method": "gzip", "mtime": 1}},
        "dta": {"time_stamp": pd.Timestamp(2024, 1, 1).to_pydatetime()},
    }.get(name.rpartition(".")[2], {})
    held = face.DataFrame(rows[["i", "x"]])
    found = []
    for folder in ("small", "large"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / f"x.{name}"
        with monkeypatch.context() as context:
            if folder == "large":
                context.setattr(face.DataFrame, "is_at_hand", lambda self: False)
            for _ in range(2):  # a new file, and one in place of an older one
                getattr(held, method)(path, **options)
        assert os.listdir(path.parent) == [path.name]
        found.append((path.stat().st_mode, b"" if name == "h5" else path.read_bytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("method", ["to_csv", "to_json", "to_pickle", "to_xml", "to_stata"])
@pytest.mark.parametrize("where", ["small", "large"])
@pytest.mark.usefixtures("lazily")
def test_packed_files_are_named_within_as_pandas_names_them(rows, tmp_path, method, where):
    rows = rows[["i", "x"]]
    options = {"compression": {"method": "gzip", "mtime": 1}}
    if method == "to_xml":
        pytest.importorskip("lxml")
    if method == "to_stata":
        options["time_stamp"] = pd.Timestamp(2024, 1, 1).to_pydatetime()
    held = face.DataFrame(rows)
    for folder in ("own", "pandas"):
        (tmp_path / folder).mkdir()
    getattr(rows, method)(tmp_path / "pandas" / "x.gz", **options)
    if where == "large":
        held = face.DataFrame._of(held.lazy(), None)
    getattr(held, method)(tmp_path / "own" / "x.gz", **options)
    assert (tmp_path / "own" / "x.gz").read_bytes() == (tmp_path / "pandas" / "x.gz").read_bytes()


@pytest.mark.parametrize("where", ["small", "large"])
def test_files_keep_the_rights_of_those_that_they_replace(rows, tmp_path, where, monkeypatch):
    held, path = face.DataFrame(rows[["i", "x"]]), tmp_path / "x.csv"
    if where == "large":
        monkeypatch.setattr(face.DataFrame, "is_at_hand", lambda self: False)
    held.to_csv(path)
    rows.to_csv(tmp_path / "y.csv")
    assert path.stat().st_mode == (tmp_path / "y.csv").stat().st_mode
    path.chmod(0o640)
    held.to_csv(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_small_files_leave_writes_under_way_to_transactions(rows, tmp_path):
    held = face.DataFrame(rows[["i", "x"]])
    path = tmp_path / "x.csv"
    with staged_files(str(path), [str(path)]) as add:
        with pytest.raises(WriteError, match="another write of it is under way"):
            held.to_csv(path)
        add(str(path), lambda attempt: held.head(1).to_csv(attempt))
    assert path.read_text() == rows[["i", "x"]].head(1).to_csv()


@pytest.mark.parametrize("durable", [True, False, "replaced"])
def test_small_files_are_on_disk_before_they_replace_others(rows, tmp_path, durable, monkeypatch):
    held, path, steps = face.DataFrame(rows[["i", "x"]]), tmp_path / "x.csv", []
    replace = os.replace

    def synced(descriptor):
        steps.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")).split(".")[:3])

    def replaced(made, target):
        steps.append("replace")
        replace(made, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    with ak.config.set(durable=durable):
        held.to_csv(path)
        held.to_csv(path)
    on_disk = [["", "x", "csv"], "replace", [tmp_path.name]]
    assert steps == [*(on_disk if durable is True else ["replace"]), *(on_disk if durable else ["replace"])]


def test_small_files_that_cannot_be_put_in_place_name_their_place(rows, tmp_path, monkeypatch):
    held, path = face.DataFrame(rows[["i", "x"]]), tmp_path / "x.csv"

    def full(made, target):
        raise OSError(errno.ENOSPC, "No space left on device", made, None, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(WriteError, match=r"cannot write '.*/x.csv'.*\n?.*the disk is full"):
        held.to_csv(path)
    assert os.listdir(tmp_path) == []


def test_writes_into_missing_folders_and_open_files_are_pandas(rows, tmp_path):
    held = face.DataFrame(rows)
    with pytest.raises(OSError, match="non-existent directory"):
        held.to_csv(tmp_path / "no" / "x.csv")
    with open(tmp_path / "x.csv", "w") as file:
        held.to_csv(file)
    assert (tmp_path / "x.csv").read_text() == rows.to_csv()
    held.to_csv(tmp_path / "x.csv", mode="a", header=False)
    assert (tmp_path / "x.csv").read_text() == rows.to_csv() + rows.to_csv(header=False)
    os.symlink(tmp_path / "x.csv", tmp_path / "link.csv")
    held.head().to_csv(tmp_path / "link.csv")
    assert os.path.islink(tmp_path / "link.csv")
    assert (tmp_path / "x.csv").read_text() == rows.head().to_csv()


def test_stores_take_and_give_frames_of_this_face(rows, tmp_path):
    rows = rows[["i", "x"]]
    held = face.DataFrame(rows)
    with face.HDFStore(tmp_path / "x.h5") as store:
        store["a"] = held
        store.append("t", held)
        store.append("t", held)
        same(store["a"], rows)
        assert len(store.select("t", "index > 30")) == 18
        same(face.read_hdf(store, "a"), rows)
    assert all(isinstance(part, face.DataFrame) for part in face.read_hdf(tmp_path / "x.h5", "t", chunksize=30))


def test_folder_of_parquet_files_is_lazy(rows, lazily, tmp_path):
    for number in range(2):
        rows.to_parquet(tmp_path / f"p{number}.parquet")
    (tmp_path / "_SUCCESS").touch()
    found = face.read_parquet(tmp_path)
    assert is_lazy(found)
    same(found, pd.read_parquet(tmp_path))
    rows.dropna().to_parquet(tmp_path / "by", partition_cols=["s"])
    wanted = pd.read_parquet(tmp_path / "by")
    same(face.read_parquet(tmp_path / "by"), wanted)
    single = list((tmp_path / "by").rglob("*.parquet"))[:1]
    same(face.read_parquet(single), pd.read_parquet(single))


def test_parquet_behind_urls_is_lazy(rows, lazily):
    rows.to_parquet("memory://folder/x.parquet")
    found = face.read_parquet("memory://folder/x.parquet", columns=["i", "s"])
    assert is_lazy(found)
    same(found, rows[["i", "s"]])
    same(face.read_parquet("memory://folder/*.parquet"), rows)
    rows[["i", "x"]].to_csv("memory://folder/x.csv", index=False)
    same(face.read_csv("memory://folder/*.csv"), rows[["i", "x"]])


# Arkouda's files


@pytest.mark.parametrize("extension", ["h5", "parquet", "csv"])
def test_sets_are_written_and_opened(rows, tmp_path, extension):
    rows = rows[["i", "x", "b"]]
    face.DataFrame(rows).to_arkouda(tmp_path / f"x.{extension}")
    assert (tmp_path / f"x_LOCALE0000.{extension}").exists()
    found = face.read_arkouda(tmp_path / f"x.{extension}")
    assert isinstance(found, face.DataFrame)
    same(found, rows)
    same(face.read_arkouda(f"{tmp_path}/x*.{extension}", ["i"]), rows[["i"]])
    assert isinstance(ak.scan(tmp_path / f"x.{extension}"), ak.DataFrame)
    same(face.scan(tmp_path / f"x.{extension}"), rows)


def test_scan_chooses_by_content(rows, tmp_path):
    rows = rows[["i", "x"]]
    rows.to_parquet(tmp_path / "a")
    rows.to_csv(tmp_path / "b", index=False, sep="\t")
    rows.to_json(tmp_path / "c", orient="records", double_precision=15)
    rows.to_feather(tmp_path / "d")
    rows.to_hdf(tmp_path / "e", key="k")
    rows.to_csv(tmp_path / "f.csv.gz", index=False)
    for name in ("a", "b", "c", "d", "e", "f.csv.gz"):
        same(face.scan(tmp_path / name), rows)
        found = ak.scan(tmp_path / name)
        assert isinstance(found, ak.DataFrame)
        pd.testing.assert_frame_equal(found.to_pandas(), rows)
    rows.to_pickle(tmp_path / "g")
    with pytest.raises(UnsupportedError, match="read_pickle"):
        face.scan(tmp_path / "g")


def test_mapping_of_arrays_names_this_face(rows, tmp_path):
    rows[["i", "x"]].to_parquet(tmp_path / "x.parquet")
    found = ak.read_parquet(tmp_path / "x.parquet")
    assert isinstance(found, dict)
    assert repr(found) == repr(dict(found))
    for name in ("head", "groupby", "describe"):
        with pytest.raises(AttributeError, match=r"akdask\.pandas"):
            getattr(found, name)
    with pytest.raises(AttributeError, match="nothing"):
        found.nothing  # noqa: B018


# passing between the faces


def test_functions_of_arkouda_take_columns_of_this_face(rows):
    held = face.DataFrame(rows)
    assert int(ak.sum(held["i"])) == rows["i"].sum()
    assert ak.sort(held["i"]).tolist() == sorted(rows["i"])
    assert ak.where(held["b"], held["i"], 0).tolist() == rows["i"].where(rows["b"], 0).tolist()
    assert ak.concatenate([held["i"], held["u"].astype("int64")]).size == 80
    keys, sums = ak.GroupBy(held["i"]).sum(held["u"])
    assert dict(zip(keys.tolist(), sums.tolist(), strict=True)) == rows.groupby("i")["u"].sum().to_dict()
    assert ak.array(held["i"]).tolist() == rows["i"].tolist()
    assert ak.in1d(held["i"], ak.array([1, 2])).tolist() == rows["i"].isin([1, 2]).tolist()
    assert (ak.arange(40) + held["i"]).tolist() == (rows["i"] + np.arange(40)).tolist()


def test_frames_pass_between_the_faces(rows):
    held = face.DataFrame(rows.drop(columns="z"))
    passed = ak.DataFrame(held)
    assert isinstance(passed, ak.DataFrame)
    assert isinstance(passed["i"], ak.pdarray)
    same(face.DataFrame(passed), rows.drop(columns="z"))
    assert isinstance(held.to_arkouda(), ak.DataFrame)
    assert isinstance(held["i"].to_arkouda(), ak.Series)
    assert np.isnan(ak.Series(held["x"]).sum())  # as Arkouda has it
    passed["more"] = held["i"] * 2
    assert passed["more"].tolist() == (rows["i"] * 2).tolist()
    held["more"] = ak.arange(40)
    assert held["more"].sum() == 780
    assert ak.DataFrame({"a": held["i"], "b": ak.arange(40)})["a"].tolist() == rows["i"].tolist()
    labelled = face.DataFrame(rows.set_index(["s", "i"])[["x"]]).to_arkouda()
    assert list(labelled.columns.values) == ["s", "i", "x"]
    with pytest.raises(UnsupportedError):
        face.DataFrame({"o": [1, "a", None]}).to_arkouda()


def test_cells_and_chosen_rows_of_lazy_groups_are_those_of_pandas(rows, lazily, tmp_path):
    rows.to_parquet(tmp_path / "x.parquet")
    found = face.read_parquet(tmp_path / "x.parquet")
    assert type(found.at[1, "s"]) is str
    same(found.groupby("s").nth(0), rows.groupby("s").nth(0))
    with config.set(pandas_fallback="silent"):
        same(found.groupby("s").nth([0, 1]), rows.groupby("s").nth([0, 1]))


def test_a_file_that_is_opened_again_has_its_own_labels_and_the_types_of_the_moment(rows, lazily, tmp_path):
    rows = rows.rename_axis("named", axis=1)
    rows.to_parquet(tmp_path / "x.parquet")
    first = face.read_parquet(tmp_path / "x.parquet")
    first.columns.name, first.index.name = "c", "i"
    first["new"] = 1
    again = face.read_parquet(tmp_path / "x.parquet")
    assert is_lazy(again)
    assert (again.columns.name, again.index.name) == ("named", None)
    same(again, rows)
    with pd.option_context("mode.string_storage", "python"):
        same(face.read_parquet(tmp_path / "x.parquet"), pd.read_parquet(tmp_path / "x.parquet"))
