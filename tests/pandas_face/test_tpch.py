"""The 22 queries of TPC-H, written for pandas, give with pandas' face what they give with pandas.

The tables are small and random, with the names and types of the benchmark's; constants of some queries are wider than
there, so that few rows suffice for an answer.
"""

from __future__ import annotations

import ast
import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas
import pytest

import akdask.pandas
from akdask import config
from akdask.pandas.face import Face
from benchmarks.tpch.engines import pandas_sources
from tests.pandas_face.compare import computed, difference

WIDER = {
    8: {"ANODIZED STEEL": "BRASS"},
    11: {"0.0001": "0.01"},
    16: {"[49, 14, 23, 45, 19, 3, 36, 9]": "[1, 9, 15, 19]"},
    17: {"0.2 *": "0.8 *"},
    18: {"> 300": "> 180"},
    20: {'["CANADA"]': '["CANADA", "FRANCE"]', "1995-01-01": "1996-01-01"},
    21: {'["SAUDI ARABIA"]': '["GERMANY", "FRANCE", "CANADA"]'},
}
"""Constants in place of the benchmark's, by the numbers of queries."""


def _few_rows(number: int) -> str:
    query = pandas_sources()[number - 1]
    for constant, wider in WIDER.get(number, {}).items():
        assert constant in query
        query = query.replace(constant, wider)
    return query


QUERIES = [_few_rows(number) for number in range(1, len(pandas_sources()) + 1)]

THROUGH_PANDAS: frozenset[int] = frozenset()
"""Queries that have no lazy form from end to end."""


@cache
def tables() -> dict[str, pandas.DataFrame]:
    """Return the tables."""
    rng = np.random.default_rng(22)
    orders, lines, customers, parts, suppliers = 1500, 6000, 150, 200, 30

    def days(count: int, first: str = "1992-01-01", span: int = 2400) -> Any:
        return pandas.Timestamp(first).to_datetime64() + rng.integers(0, span, count).astype("timedelta64[D]")

    def of(words: str, count: int) -> Any:
        return rng.choice(words.split(","), count)

    nations = ["ALGERIA", "ARGENTINA", "BRAZIL", "CANADA", "CHINA", "EGYPT", "FRANCE", "GERMANY", "INDIA", "JAPAN"]
    regions = ["AFRICA", "AMERICA", "ASIA", "EUROPE"]
    pairs = pandas.DataFrame({"ps_partkey": np.repeat(np.arange(parts), 4), "ps_suppkey": 0})
    pairs["ps_suppkey"] = (pairs["ps_partkey"] * 7 + np.tile(np.arange(4) * 5, parts)) % suppliers
    pairs["ps_availqty"] = rng.integers(1, 1000, len(pairs))
    pairs["ps_supplycost"] = rng.integers(100, 100_000, len(pairs)) / 100
    sold = pairs.iloc[rng.integers(0, len(pairs), lines)]
    placed = days(orders)
    order = rng.integers(0, orders, lines)
    shipped = placed[order] + rng.integers(1, 120, lines).astype("timedelta64[D]")
    return {
        "region": pandas.DataFrame({"r_regionkey": range(4), "r_name": regions}),
        "nation": pandas.DataFrame(
            {"n_nationkey": range(10), "n_name": nations, "n_regionkey": [0, 1, 1, 1, 2, 0, 3, 3, 2, 2]}
        ),
        "supplier": pandas.DataFrame(
            {
                "s_suppkey": range(suppliers),
                "s_name": [f"Supplier#{number:03}" for number in range(suppliers)],
                "s_nationkey": rng.integers(0, 10, suppliers),
                "s_acctbal": rng.integers(-1000, 10_000, suppliers) / 1.0,
                "s_comment": of("quick,Customer slow Complaints,fine", suppliers),
            }
        ),
        "part": pandas.DataFrame(
            {
                "p_partkey": range(parts),
                "p_name": of("forest green,dark green,lace blue,forest red", parts),
                "p_mfgr": of("Maker#1,Maker#2", parts),
                "p_brand": of("Brand#12,Brand#23,Brand#45", parts),
                "p_type": of("PROMO BRASS,ECONOMY BRASS,SMALL TIN", parts),
                "p_size": rng.choice([1, 9, 15, 19, 30], parts),
                "p_container": of("SM BOX,SM CASE,MED BOX,LG BOX", parts),
            }
        ),
        "partsupp": pairs,
        "customer": pandas.DataFrame(
            {
                "c_custkey": range(customers),
                "c_name": [f"Customer#{number:04}" for number in range(customers)],
                "c_nationkey": rng.integers(0, 10, customers),
                "c_phone": [f"{number}-{number * 7}" for number in rng.integers(10, 35, customers)],
                "c_acctbal": rng.integers(-1000, 10_000, customers) / 1.0,
                "c_mktsegment": of("BUILDING,MACHINERY", customers),
            }
        ),
        "orders": pandas.DataFrame(
            {
                "o_orderkey": range(orders),
                "o_custkey": rng.integers(0, customers - 50, orders),
                "o_orderstatus": of("F,O,P", orders),
                "o_totalprice": rng.integers(1000, 400_000, orders) / 1.0,
                "o_orderdate": placed,
                "o_orderpriority": of("1-URGENT,2-HIGH,3-MEDIUM,5-LOW", orders),
                "o_shippriority": np.zeros(orders, "int64"),
                "o_comment": of("fast,special big requests,none", orders),
            }
        ),
        "lineitem": pandas.DataFrame(
            {
                "l_orderkey": order,
                "l_partkey": sold["ps_partkey"].to_numpy(),
                "l_suppkey": sold["ps_suppkey"].to_numpy(),
                "l_quantity": rng.integers(1, 51, lines) / 1.0,
                "l_extendedprice": rng.integers(900, 100_000, lines) / 1.0,
                "l_discount": rng.integers(0, 11, lines) / 100,
                "l_tax": rng.integers(0, 9, lines) / 100,
                "l_returnflag": of("A,N,R", lines),
                "l_linestatus": of("F,O", lines),
                "l_shipdate": shipped,
                "l_commitdate": placed[order] + rng.integers(20, 100, lines).astype("timedelta64[D]"),
                "l_receiptdate": shipped + rng.integers(1, 31, lines).astype("timedelta64[D]"),
                "l_shipmode": of("MAIL,SHIP,AIR,REG AIR,RAIL", lines),
            }
        ),
    }


def answer(query: str, pd: Any) -> Any:
    """Run a query on tables that pandas has made, and return its answer as pandas has it."""
    names: dict[str, Any] = {"pd": pd, **{name: pd.DataFrame(table.copy()) for name, table in tables().items()}}
    *statements, last = ast.parse(query).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(statements, []), "<query>", "exec"), names)
    return computed(eval(compile(ast.Expression(last.value), "<query>", "eval"), names))


def test_there_are_all_queries():
    assert len(QUERIES) == 22


@pytest.mark.parametrize("number", range(1, 23))
def test_query_gives_what_pandas_gives(number):
    query = QUERIES[number - 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = answer(query, pandas)
        assert np.ndim(wanted) == 0 or len(wanted), "the query finds no rows"
        with config.set(pandas_fallback="silent"):
            assert difference(answer(query, akdask.pandas), wanted) is None
        if number not in THROUGH_PANDAS:
            with config.set(pandas_fallback="error"):
                assert difference(answer(query, akdask.pandas), wanted) is None


def test_answers_are_lazy():
    found = akdask.pandas.DataFrame(tables()["lineitem"])
    assert isinstance(found.groupby("l_returnflag")["l_quantity"].sum(), Face)


def test_methods_of_several_chosen_columns_of_groups_compute_no_columns(monkeypatch):
    rows = akdask.pandas.DataFrame(akdask.DataFrame(tables()["lineitem"]))
    groups = rows.groupby("l_returnflag")[["l_quantity", "l_tax"]]
    monkeypatch.setattr(akdask.pandas.DataFrame, "_computed", lambda self: pytest.fail("all rows are computed"))
    assert isinstance(groups.sum(), Face)
