from __future__ import annotations

import math
import pickle
import sqlite3
from pathlib import Path
from typing import Any

import pandas
import pytest

import akdask as ak
from akdask.errors import ArgumentError, FileError, FileFormatError, MissingFileError, UnsupportedError
from akdask.io.tables import database
from akdask.io.tables.database import Database

N = 3000
"""More rows than the driver looks at to tell types, unless it is asked to."""

ROWS = pandas.DataFrame(
    {
        "id": [3 * row - 500 for row in range(N)],
        "port": pandas.array([None if row % 11 == 0 else row % 7 for row in range(N)], "Int64"),
        "bytes": [row * 0.5 for row in range(N)],
        "host": [f"h'{row % 5}é" for row in range(N)],
        "late": [None] * 2500 + ["x"] * 500,
        "mixed": [2**40] * 2600 + [1.5] * 400,
        "big": [2**62 + row for row in range(N)],
    }
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    found = tmp_path / "net?.db"
    with sqlite3.connect(found) as connection:
        names = "id integer primary key, port int, bytes real, host text, late text, mixed, big int"
        connection.execute(f'create table "my flows" ({names})')
        places = ", ".join("?" * len(ROWS.columns))
        rows = [tuple(None if pandas.isna(one) else one for one in row) for row in ROWS.astype(object).values.tolist()]
        connection.executemany(f'insert into "my flows" values ({places})', rows[::-1])
    connection.close()
    return str(found)


def opened(path: str, *arguments: Any, **options: Any) -> ak.DataFrame:
    pytest.importorskip("adbc_driver_sqlite")
    return ak.scan_table(path, *arguments, **{"table": "my flows", **options})


def same(found: ak.DataFrame, expected: pandas.DataFrame) -> None:
    missing = [[None if pandas.isna(one) else one for one in expected[name]] for name in found.columns]
    got = found.to_arrow()
    assert [got.column(name).to_pylist() for name in found.columns] == missing


@pytest.mark.parametrize("options", [{}, {"on": "id"}, {"on": "id", "parts": 7}, {"on": "big", "parts": 2}])
def test_tables_have_all_rows_with_types(path, options):
    found = opened(path, **options)
    assert list(found.columns) == list(ROWS)
    same(found.sort_values("id"), ROWS)
    assert found["big"].sum() == sum(ROWS["big"].tolist()) % 2**64 - 2**64 * (
        sum(ROWS["big"].tolist()) % 2**64 >= 2**63
    )
    assert found["port"].isna().sum() == ROWS["port"].isna().sum()


def test_ranges_are_partitions_in_order(path):
    found = opened(path, ["host", "id"], on="id", parts=7)
    source = found["id"]._frame.source
    assert sum(source.lengths) == N
    assert len(source.lengths) == 7
    assert found["id"].tolist() == ROWS["id"].tolist()
    part = pickle.loads(pickle.dumps(source.part(6, ["host"])))
    with part.open() as reader:
        assert reader.read("host", 0, part.nrows).to_pylist() == ROWS["host"].tolist()[N - part.nrows :]


CONDITIONS = [
    ([("port", "==", 3)], "port == 3"),
    ([("port", "!=", 3), ("bytes", "<=", 40.5)], "port != 3 and port.notna() and bytes <= 40.5"),
    (
        [[("host", "==", "h'1é"), ("id", "<", 0)], [("port", "in", [1, 2])]],
        'host == "h\'1é" and id < 0 or port in [1, 2]',
    ),
    ([("port", "not in", [1, 2])], "port.notna() and port not in [1, 2]"),
    ([("port", "in", [])], "port in []"),
    ([("port", "not in", [])], "port.notna()"),
    ([("id", ">", 10**6)], "id > 1000000"),
    ([("id", ">=", 400)], "id >= 400"),
    ([], "id == id"),
]


@pytest.mark.parametrize("on", [None, "id"])
@pytest.mark.parametrize(("filters", "wanted"), CONDITIONS, ids=[wanted for _, wanted in CONDITIONS])
def test_conditions_hold_in_the_database(path, on, filters, wanted):
    found = opened(path, filters=filters, **({"on": on, "parts": 3} if on else {}))
    same(found[["id", "host"]].sort_values("id"), ROWS.query(wanted, engine="python")[["id", "host"]])


def test_queries_are_tables(path):
    pytest.importorskip("adbc_driver_sqlite")
    text = 'select host, count(*) as n, sum(bytes) as "a b" from "my flows" group by host'
    found = ak.scan_table(f"sqlite:///{path}", query=text, filters=[("host", "!=", "h'0é")]).sort_values("host")
    wanted = ROWS.groupby("host").agg(n=("id", "size"), b=("bytes", "sum")).iloc[1:]
    assert found["n"].tolist() == wanted["n"].tolist()
    assert found["a b"].tolist() == wanted["b"].tolist()


def test_columns_that_tell_no_rows_apart_are_refused(path):
    with pytest.raises(ArgumentError, match="3,000 rows, 2,727 of them with a value, 7 distinct"):
        opened(path, on="port")
    with pytest.raises(ArgumentError, match="'host' has no integers, but string"):
        opened(path, on="host")
    with pytest.raises(KeyError, match="no column 'nobody'"):
        opened(path, on="nobody")
    with pytest.raises(ArgumentError, match="parts is 0"):
        opened(path, on="id", parts=0)


def test_more_parts_than_keys_are_one_for_each(path):
    found = opened(path, on="id", parts=100, filters=[("id", "<", -490)])
    assert found["id"].tolist() == [-500, -497, -494, -491]
    assert set(found["id"]._frame.source.lengths) == {1}


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 1000, None])
def test_ranges_are_equally_wide_and_have_the_rows_between_their_bounds(path, parts, monkeypatch):
    monkeypatch.setattr(database, "ROWS", 1024)
    rows = database.Query(database.Database.at(path, None), 'SELECT * FROM "my flows"', "", [])
    found = database._ranges(rows, rows.schema(), "id", parts)
    first, last = int(ROWS["id"].min()), int(ROWS["id"].max())
    width = math.ceil((last - first + 1) / (parts or 3))
    assert [(one.first, one.last) for one in found] == [
        (start, min(start + width - 1, last)) for start in range(first, last + 1, width)
    ]
    assert [one.nrows for one in found] == [int(ROWS["id"].between(one.first, one.last).sum()) for one in found]
    table = found[-1](["host", "id"])
    assert table.to_pandas().to_dict("list") == ROWS[ROWS["id"] >= found[-1].first][["host", "id"]].to_dict("list")
    assert found[-1]([]).num_rows == found[-1].nrows
    empty = database.Query(rows.database, rows.text, '"id" < -500', [])
    assert database._ranges(empty, rows.schema(), "id", parts) == []


def test_rows_that_came_later_are_told(path):
    found = opened(path, on="id", parts=2)
    with sqlite3.connect(path) as connection:
        connection.execute('delete from "my flows" where id = -500')
    connection.close()
    with pytest.raises(FileError, match="open it again"):
        found["bytes"].sum().compute()
    again = opened(path, on="id", parts=2)
    with sqlite3.connect(path) as connection:
        connection.execute("update \"my flows\" set port = 'x' where id = -497")
    connection.close()
    with pytest.raises(FileError, match="other types"):
        again["port"].sum().compute()


def test_mistakes_are_told(path, tmp_path, monkeypatch):
    with pytest.raises(ArgumentError, match="which rows") as told:
        opened(path, table=None)
    assert "query=" in told.value.hint
    with pytest.raises(ArgumentError, match="filters cannot be read"):
        opened(path, filters=[("port", "~", 1)])
    with pytest.raises(FileFormatError, match="no such table"):
        opened(path, table="nobody")
    with pytest.raises(MissingFileError, match="nowhere"):
        opened(f"sqlite:///{tmp_path}/nowhere.db")
    assert not (tmp_path / "nowhere.db").exists()
    monkeypatch.setitem(__import__("sys").modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(UnsupportedError, match="needs the driver adbc_driver_postgresql") as told:
        opened("postgresql://me:secret@host/net")
    assert "secret" not in str(told.value)
    with pytest.raises(ArgumentError, match="no driver is known"):
        opened("mysql://host/net", library="database")


def test_passwords_are_not_shown(monkeypatch):
    module = type("Driver", (), {})
    monkeypatch.setattr("akdask.io.tables.database.module_named", lambda name: module)
    found = Database.at("postgresql://me:se@cret@host/net?password=x", None)
    assert found.label == "postgresql://host/net"
    assert "cret" in found.uri
