"""Odd values for every public entry point: each is taken, or refused by an error of akdask that says what to do."""

from __future__ import annotations

import datetime
import decimal
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import AkdaskError


def _recursive():
    found = []
    found.append(found)
    return found


def _closed():
    file = io.StringIO("a")
    file.close()
    return file


VALUES = {
    "half of a surrogate": lambda: "\ud800",
    "halves of surrogates": lambda: ["\ud800", "a"],
    "NUL": lambda: ["a\0b"],
    "bytes": lambda: b"a\xff",
    "list of bytes": lambda: [b"a\xff"],
    "None": lambda: None,
    "Nones": lambda: [None, None],
    "huge": lambda: 2**200,
    "list of huge": lambda: [2**200, -1],
    "below all": lambda: -(2**200),
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "complex": lambda: 1j,
    "list of complex": lambda: [1j],
    "date": lambda: [datetime.date(1, 1, 1)],
    "time": lambda: [datetime.datetime(9999, 12, 31)],
    "zone": lambda: [datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)],
    "span": lambda: [datetime.timedelta(days=10**8)],
    "object": object,
    "objects": lambda: [object()],
    "class": lambda: int,
    "function": lambda: len,
    "ragged": lambda: [[1, 2], [3]],
    "deep": lambda: [[[1], [2]], [[3]]],
    "recursive": _recursive,
    "mixed": lambda: [1, None, "a", 2.5],
    "dict": lambda: {"a": [1, 2]},
    "ragged dict": lambda: {"a": [1], "b": [1, 2]},
    "dict of numbers": lambda: {1: [1], None: [2]},
    "dict of surrogates": lambda: {"\ud800": [1]},
    "set": lambda: {1, 2},
    "iterator": lambda: iter([1, 2]),
    "generator": lambda: (number for number in range(3)),
    "range": lambda: range(3),
    "empty list": list,
    "empty text": str,
    "decimals": lambda: [decimal.Decimal("1.5")],
    "half floats": lambda: np.zeros(2, "f2"),
    "long doubles": lambda: np.zeros(2, np.longdouble),
    "records": lambda: np.zeros(2, [("a", "i4")]),
    "void": lambda: np.zeros(2, "V3"),
    "array of objects": lambda: np.array([1, "a", None], object),
    "array of text": lambda: np.array(["a", "\ud800"]),
    "no dimension": lambda: np.array(5),
    "two dimensions": lambda: np.zeros((2, 2)),
    "no rows": lambda: np.zeros((0, 3)),
    "days": lambda: np.array(["9999-12-31"], "M8[D]"),
    "years": lambda: np.array([1], "m8[Y]"),
    "masked": lambda: np.ma.masked_array([1, 2], [False, True]),
    "big-endian": lambda: np.arange(3, dtype=">i8"),
    "periods": lambda: pd.period_range("2020", periods=2, freq="M"),
    "intervals": lambda: pd.interval_range(0, 2),
    "labels of two levels": lambda: pd.MultiIndex.from_tuples([(1, 2)]),
    "Categorical of numbers": lambda: pd.Categorical([1, 2]),
    "sparse": lambda: pd.arrays.SparseArray([0, 1]),
    "frame": lambda: pd.DataFrame({"a": [1]}),
    "frame with one name twice": lambda: pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"]),
    "nullable": lambda: pd.array([1, None], "Int64"),
    "times with a zone": lambda: pd.date_range("2020", periods=2, tz="UTC"),
    "Arrow nulls": lambda: pa.nulls(2),
    "Arrow records": lambda: pa.array([{"a": 1}]),
    "Arrow bytes": lambda: pa.array([b"\xff"]),
    "Arrow chunks": lambda: pa.chunked_array([[1], [2]]),
    "Arrow table": lambda: pa.table({"a": [1]}),
    "closed file": _closed,
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "slice": lambda: slice(1, 2),
    "ellipsis": lambda: ...,
    "lazy numbers": lambda: ak.arange(3),
    "lazy text": lambda: ak.array(["a", "b"]),
    "lazy frame": lambda: ak.DataFrame({"a": ak.arange(2)}),
    "lazy lists": lambda: ak.SegArray(ak.array([0]), ak.arange(2)),
}


def _set_and_restored(value):
    with ak.config.set(partition_size=value):
        pass


CALLS = {
    "array": ak.array,
    "array of a type": lambda value: ak.array([1, 2], dtype=value),
    "Categorical": ak.Categorical,
    "Series": ak.Series,
    "labels of a Series": lambda value: ak.Series([1, 2], index=value),
    "DataFrame": ak.DataFrame,
    "Index": ak.Index,
    "Datetime": ak.Datetime,
    "Timedelta": ak.Timedelta,
    "IPv4": ak.IPv4,
    "SegArray": lambda value: ak.SegArray(value, ak.arange(3)),
    "zeros": ak.zeros,
    "full": lambda value: ak.full(3, value),
    "arange": ak.arange,
    "GroupBy": ak.GroupBy,
    "to_datetime": ak.to_datetime,
    "to_timedelta": ak.to_timedelta,
    "date_range": lambda value: ak.date_range(value, periods=2),
    "concat": ak.concat,
    "coargsort": ak.coargsort,
    "in1d": lambda value: ak.in1d(ak.arange(3), value),
    "sum": ak.sum,
    "plus": lambda value: ak.arange(3) + value,
    "equals": lambda value: ak.array(["a", "b"]) == value,
    "contains": lambda value: ak.array(["a", "b"]).contains(value),
    "elements": lambda value: ak.arange(3)[value],
    "column": lambda value: ak.DataFrame({"a": ak.arange(2)})[value],
    "assign": lambda value: ak.DataFrame({"a": ak.arange(2)}).__setitem__("b", value),
    "merge": lambda value: ak.DataFrame({"a": ak.arange(2)}).merge(ak.DataFrame({"a": ak.arange(2)}), on=value),
    "groupby": lambda value: ak.DataFrame({"a": ak.arange(2)}).groupby(value),
    "fillna": lambda value: ak.Series([1.0, 2.0]).fillna(value),
    "astype": lambda value: ak.arange(3).astype(value),
    "setting": _set_and_restored,
    "name of a setting": ak.config.get,
    "to_hdf": lambda value: ak.to_hdf(value, "out.h5"),
    "to_parquet": lambda value: ak.to_parquet(value, "out.parquet"),
    "to_csv": lambda value: ak.to_csv(value, "out.csv", overwrite=True),
    "names of datasets": lambda value: ak.read_csv("table.csv", value),
}
PATHS: list[Any] = [
    "reference://x",
    "nowhere://x",
    "http://",
    "zip://x::y",
    "dask://x",
    "tar://x",
    "hdfs://x",
    "github://x",
    "::",
]
PATHS += ["\0", "a\0b", "\ud800", "", "folder", "fifo", "empty", "text", "none", "a" * 5000, "[", "*", "/dev/null"]
PATHS += [
    "~nobody/x",
    b"x",
    b"\xff",
    5,
    None,
    [],
    [""],
    [5],
    ["text", None],
    {"a": 1},
    Path("none"),
    object(),
    {"text"},
]
READERS = ["read_hdf", "read_parquet", "read_csv", "read_zarr", "read", "load", "load_all", "ls", "get_datasets"]
READERS += ["get_filetype", "ls_csv", "get_columns", "restore", "read_tagged_data", "import_data", "load_checkpoint"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    Path("folder").mkdir()
    Path("empty").touch()
    Path("text").write_text("hello")
    Path("table.csv").write_text("a\n1\n")
    return tmp_path


def _refused(call):
    """Call something, and compute what it gives; a refusal must be akdask's own, and say more than one sentence."""
    try:
        found = call()
        for name in ("tolist", "to_pandas"):
            if type(found).__module__.startswith("akdask") and hasattr(found, name):
                getattr(found, name)()
                break
    except AkdaskError as error:
        refusal: Exception = error
    else:
        return
    assert str(refusal)
    assert isinstance(refusal, TypeError | ValueError | RuntimeError | LookupError | NotImplementedError)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_odd_values_are_taken_or_refused_by_an_error_of_our_own(folder, name):
    for made in VALUES.values():
        _refused(lambda made=made: CALLS[name](made()))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_odd_paths_are_refused_by_an_error_of_our_own(folder, name):
    for path in PATHS:
        _refused(lambda path=path: getattr(ak, name)(path))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["to_hdf", "to_parquet", "to_csv"])
def test_so_are_those_to_write_to(folder, name):
    for path in PATHS:
        _refused(lambda path=path: getattr(ak, name)({"a": ak.arange(2)}, path))


def test_a_refusal_says_what_it_is_about_and_what_to_do():
    with pytest.raises(ValueError, match=r"surrogates(.|\n)*Hint"):
        ak.array(["\ud800"])
    with pytest.raises(ValueError, match=r"reference://x(.|\n)*Hint: .*storage_options"):
        ak.read_hdf("reference://x")
    with pytest.raises(TypeError, match=r"named by a str or a path, not by int(.|\n)*Hint"):
        ak.load(5)
    with pytest.raises(TypeError, match=r"dict or a list of arrays, not a NoneType(.|\n)*Hint"):
        ak.to_parquet(None, "x.parquet")
