"""Queries in SQL over frames of both faces: results, what is read, and what is said of mistakes."""

import sys

import numpy as np
import pandas
import pyarrow
import pytest

import akdask as ak
import akdask.pandas as pd
from akdask.engine.rowwise import Filter
from akdask.frames import sql as module
from akdask.frames.sql import FrameDataset, comparisons

pytest.importorskip("duckdb")


@pytest.fixture
def flows():
    return ak.DataFrame(
        {
            "ip": ak.array(["a", "b", "a", "c"]),
            "bytes": ak.array([10, 20, 30, 40]),
            "rate": ak.array([0.5, np.nan, 1.5, 2.5]),
            "when": ak.date_range("2024-01-01", periods=4),
        }
    )


def test_names_are_variables_of_the_caller_and_frames_of_both_faces(flows):
    hosts = pd.DataFrame({"ip": ["a", "b"], "name": ["web", "mail"]})
    more = pandas.DataFrame({"name": ["web"], "floor": [3]})
    found = ak.sql(
        "select name, floor, sum(bytes) as total from flows join hosts using (ip) join more using (name) group by all"
    )
    assert type(found) is ak.DataFrame
    assert found.to_pandas().to_dict("list") == {"name": ["web"], "floor": [3], "total": [40]}
    assert found["total"].dtype == np.int64
    assert flows.size
    assert hosts.size
    assert more.size


def test_tables_are_given_by_name_before_variables(flows):
    assert flows.size
    assert ak.sql("select count(*) as n from flows", flows=ak.DataFrame({"a": [1, 2]}))["n"].tolist() == [2]


@pytest.mark.parametrize(("query", "params"), [("bytes > ? and ip = ?", [15, "a"]), ("bytes > $low", {"low": 25})])
def test_parameters_stand_for_values(flows, query, params):
    assert ak.sql(f"select max(bytes) as most from flows where {query}", params)["most"].tolist() in ([30], [40])


def test_missing_floats_are_null(flows):
    found = ak.sql("select avg(rate) as mean, count(rate) as n from flows where rate is not null", flows=flows)
    assert found["mean"].tolist() == [1.5]
    assert found["n"].tolist() == [3]
    assert np.isnan(ak.sql("select rate from flows where ip = 'b'", flows=flows)["rate"].tolist()).all()


def test_labels_come_and_go_as_a_column():
    frame = ak.DataFrame({"a": [1, 2, 3]}, index=ak.array(["x", "y", "z"]))
    assert ak.sql("""from frame where "Index" > 'x' order by a""", frame=frame).to_pandas().index.tolist() == ["y", "z"]


@pytest.mark.parametrize(
    "where",
    [
        "k = 3",
        "k > 90 and s = 't7'",
        "k in (1, 2)",
        "s = 't7\"(' or k = 5",
        """s = 'x) and (k == 1' or s = 'x "q" \\'""",
        "k between 10 and 20 and c = 'even'",
        "k <> 3 and k < 6",
        "u > 97",
        "x > 1.5",
        "x is null",
        "n > 2 and n < 50",
        "t >= '2024-03-01' and t < '2024-03-05'",
        "z > '2024-04-01 12:00:00+00'",
        "b",
        "not b and k >= 95",
        '"a b" = 7',
        '"a.b" = 8',
        """ "q""" + '""' + """x" = 9""",
        "s is null",
    ],
)
def test_rows_are_those_of_pandas_rows(where):
    count = 100
    rows = {
        "k": np.arange(count),
        "s": [None if k % 13 == 0 else f"t{k % 10}" for k in range(count)],
        "c": ["odd" if k % 2 else "even" for k in range(count)],
        "u": np.arange(count, dtype=np.uint64),
        "x": [np.nan if k % 7 == 0 else k / 50 for k in range(count)],
        "n": pandas.array([None if k % 9 == 0 else k for k in range(count)], "Int64"),
        "t": pandas.date_range("2024-01-01", periods=count, unit="us"),
        "z": pandas.date_range("2024-01-01", periods=count, tz="Europe/Berlin", unit="us"),
        "b": np.arange(count) % 3 == 0,
        "a b": np.arange(count),
        "a.b": np.arange(count),
        'q"x': np.arange(count),
    }
    plain = pandas.DataFrame(rows)
    lazy = ak.from_pandas(plain).repartition(7)
    lazy["c"] = ak.Categorical(lazy["c"])
    wanted = ak.sql(f"select k, s, x from plain where {where} order by k", plain=plain).to_pandas()
    found = ak.sql(f"select k, s, x from lazy where {where} order by k", lazy=lazy).to_pandas()
    pandas.testing.assert_frame_equal(found, wanted, check_dtype=False)


def test_only_wanted_columns_and_rows_are_read(flows, monkeypatch):
    read = []
    monkeypatch.setattr(module, "arrow_table", lambda columns: read.append(columns) or whole(columns))
    whole = sys.modules["akdask.frames.interchange"].arrow_table
    assert ak.sql("select rate from flows where bytes > 15 and ip = 'a'", flows=flows)["rate"].tolist() == [1.5]
    (columns,) = read
    assert set(columns.values) == {"rate", "bytes", "ip"}
    assert isinstance(columns.frame, Filter)


@pytest.mark.parametrize(
    "where", ["bytes <= 20", "ip = 'a'", "kind = 'x'", "start >= '2024-01-03'", "zoned < '2024-01-03 00:00:00+00'"]
)
def test_simple_conditions_are_part_of_the_plan(flows, where, monkeypatch):
    flows["kind"] = ak.Categorical(ak.array(["x", "y", "x", "y"]))
    times = pandas.date_range("2024-01-01", periods=4, unit="us")
    # duckdb compares times of nanoseconds itself.
    flows["start"] = ak.from_arrow(pyarrow.array(times))
    flows["zoned"] = ak.from_arrow(pyarrow.array(times.tz_localize("Europe/Berlin")))
    read = []
    original = module.arrow_table
    monkeypatch.setattr(module, "arrow_table", lambda columns: read.append(original(columns)) or read[-1])
    assert 1 <= ak.sql(f"select bytes from flows where {where}").shape[0] < 4
    assert read[0].num_rows < 4


def test_partitions_come_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(module, "CPU_COUNT", 2)
    read = []
    whole = module.arrow_table
    monkeypatch.setattr(module, "arrow_table", lambda columns: read.append(columns.frame.npartitions) or whole(columns))
    frame = ak.DataFrame({"a": ak.arange(10)}).repartition(5)
    assert ak.sql("select sum(a) as s from frame", frame=frame)["s"].tolist() == [45]
    assert read == [2, 2, 1]
    assert ak.sql("from frame limit 2", frame=frame.sort_values("a", ascending=False))["a"].tolist() == [9, 8]


def test_sums_beyond_64_bits_keep_their_digits():
    frame = ak.DataFrame({"a": ak.array([2**62] * 4)})
    assert ak.sql("select sum(a) as s from frame", frame=frame)["s"].tolist() == [2**64]


def test_mistakes_are_told(flows):
    assert flows.size
    with pytest.raises(
        ak.errors.ArgumentError, match=r"there is no table 'flow' for the query.\n.*flows\nHint: did you mean 'flows'"
    ):
        ak.sql("select * from flow")
    with pytest.raises(ak.errors.ArgumentError, match=r"the query cannot run: .*byte"):
        ak.sql("select byte from flows")
    with pytest.raises(ak.errors.ArgumentError, match="syntax error"):
        ak.sql("selec 1")
    with pytest.raises(ak.errors.ArgumentTypeError, match="'numbers' is an int, and no table"):
        ak.sql("select * from numbers", numbers=3)
    numbers = ak.arange(3)
    with pytest.raises(ak.errors.ArgumentError, match="'numbers' is a pdarray"):
        ak.sql("select * from numbers")
    assert numbers.size
    with pytest.raises(ak.errors.ArgumentError, match="several columns of the result are called 'ip'"):
        ak.sql("select l.ip, r.ip from flows l join flows r on l.ip = r.ip")
    with pytest.raises(ak.errors.UnsupportedError, match="integers of any size, as in column 'big'"):
        ak.sql("from frame", frame=ak.DataFrame({"big": ak.array([2**70])}))


def test_errors_while_rows_are_read_are_ours(tmp_path):
    ak.to_parquet({"a": ak.array(["1", "x"])}, str(tmp_path / "x.parquet"))
    frame = ak.DataFrame({"a": ak.cast(ak.read_parquet(str(tmp_path / "x*"))["a"], ak.int64)})
    with pytest.raises(ak.errors.ConversionError):
        ak.sql("from frame", frame=frame)


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ak.errors.UnsupportedError, match=r"needs the package duckdb(.|\n)*akdask\[sql\]"):
        ak.sql("select 1")


@pytest.mark.parametrize(
    "condition",
    [
        "",
        "(a > 1.5)",
        "invert((a == 1))",
        '(s == "x\\"")',
        "((a == 1) and (b > c))",
        "((a == 1) and (a == 2)",
        "(a == 1) x",
    ],
)
def test_conditions_of_other_kinds_are_left_to_arrow(condition):
    assert comparisons(condition) == []


def test_types_are_known_without_rows(flows):
    frame = flows[flows["bytes"] > 15]
    assert FrameDataset(frame).schema == frame.to_arrow().schema


def test_columns_that_only_pandas_has_are_read_as_arrow_has_them():
    pytest.importorskip("duckdb")
    rows = pd.DataFrame({"b": [True, None, False], "i": [2**53 + 1, 1, 2], "s": ["x", None, "y"]})
    found = ak.sql("select s, b, i from held where b is not null order by i", held=rows)
    assert [found[name].tolist() for name in ("s", "b", "i")] == [["y", "x"], [False, True], [2, 2**53 + 1]]
    mixed = pd.DataFrame({"o": [1, "a", None]})
    with pytest.raises(ak.errors.UnsupportedError, match="'o'"):
        ak.sql("select * from mixed", mixed=mixed)
