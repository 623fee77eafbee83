"""The queries as lazy frames of polars."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import polars as pl
from polars import col

Tables = Mapping[str, pl.LazyFrame]

REVENUE = col("l_extendedprice") * (1 - col("l_discount"))


def _within(column: str, first: date, after: date) -> pl.Expr:
    return col(column).is_between(first, after, closed="left")


def q1(tables: Tables) -> pl.LazyFrame:
    return (
        tables["lineitem"]
        .filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            col("l_quantity").sum().alias("sum_qty"),
            col("l_extendedprice").sum().alias("sum_base_price"),
            REVENUE.sum().alias("sum_disc_price"),
            (REVENUE * (1 + col("l_tax"))).sum().alias("sum_charge"),
            col("l_quantity").mean().alias("avg_qty"),
            col("l_extendedprice").mean().alias("avg_price"),
            col("l_discount").mean().alias("avg_disc"),
            pl.len().alias("count_order"),
        )
        .sort("l_returnflag", "l_linestatus")
    )


def q2(tables: Tables) -> pl.LazyFrame:
    offers = (
        tables["part"]
        .filter(col("p_size") == 15, col("p_type").str.ends_with("BRASS"))
        .join(tables["partsupp"], left_on="p_partkey", right_on="ps_partkey")
        .join(tables["supplier"], left_on="ps_suppkey", right_on="s_suppkey")
        .join(tables["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .join(tables["region"].filter(col("r_name") == "EUROPE"), left_on="n_regionkey", right_on="r_regionkey")
    )
    least = offers.group_by("p_partkey").agg(col("ps_supplycost").min())
    return (
        offers.join(least, on=["p_partkey", "ps_supplycost"])
        .select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr")
        .sort("s_acctbal", "n_name", "s_name", "p_partkey", descending=[True, False, False, False])
        .head(100)
    )


def q3(tables: Tables) -> pl.LazyFrame:
    day = date(1995, 3, 15)
    return (
        tables["customer"]
        .filter(col("c_mktsegment") == "BUILDING")
        .join(tables["orders"].filter(col("o_orderdate") < day), left_on="c_custkey", right_on="o_custkey")
        .join(tables["lineitem"].filter(col("l_shipdate") > day), left_on="o_orderkey", right_on="l_orderkey")
        .group_by("o_orderkey", "o_orderdate", "o_shippriority")
        .agg(REVENUE.sum().alias("revenue"))
        .select(col("o_orderkey").alias("l_orderkey"), "o_orderdate", "o_shippriority", "revenue")
        .sort("revenue", "o_orderdate", descending=[True, False])
        .head(10)
    )


def q4(tables: Tables) -> pl.LazyFrame:
    late = tables["lineitem"].filter(col("l_commitdate") < col("l_receiptdate"))
    return (
        tables["orders"]
        .filter(_within("o_orderdate", date(1993, 7, 1), date(1993, 10, 1)))
        .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .group_by("o_orderpriority")
        .agg(pl.len().alias("order_count"))
        .sort("o_orderpriority")
    )


def q5(tables: Tables) -> pl.LazyFrame:
    orders = tables["orders"].filter(_within("o_orderdate", date(1994, 1, 1), date(1995, 1, 1)))
    return (
        tables["region"]
        .filter(col("r_name") == "ASIA")
        .join(tables["nation"], left_on="r_regionkey", right_on="n_regionkey")
        .join(tables["customer"], left_on="n_nationkey", right_on="c_nationkey")
        .join(orders, left_on="c_custkey", right_on="o_custkey")
        .join(tables["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
        .join(tables["supplier"], left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
        .group_by("n_name")
        .agg(REVENUE.sum().alias("revenue"))
        .sort("revenue", descending=True)
    )


def q6(tables: Tables) -> pl.LazyFrame:
    return (
        tables["lineitem"]
        .filter(
            _within("l_shipdate", date(1994, 1, 1), date(1995, 1, 1)),
            col("l_discount").is_between(0.049, 0.071),
            col("l_quantity") < 24,
        )
        .select((col("l_extendedprice") * col("l_discount")).sum().alias("revenue"))
    )


def q7(tables: Tables) -> pl.LazyFrame:
    nations = tables["nation"].filter(col("n_name").is_in(["FRANCE", "GERMANY"])).select("n_nationkey", "n_name")
    customers = tables["customer"].join(nations, left_on="c_nationkey", right_on="n_nationkey")
    suppliers = tables["supplier"].join(nations, left_on="s_nationkey", right_on="n_nationkey")
    return (
        customers.rename({"n_name": "cust_nation"})
        .join(tables["orders"], left_on="c_custkey", right_on="o_custkey")
        .join(
            tables["lineitem"].filter(_within("l_shipdate", date(1995, 1, 1), date(1997, 1, 1))),
            left_on="o_orderkey",
            right_on="l_orderkey",
        )
        .join(suppliers.rename({"n_name": "supp_nation"}), left_on="l_suppkey", right_on="s_suppkey")
        .filter(col("cust_nation") != col("supp_nation"))
        .group_by("supp_nation", "cust_nation", col("l_shipdate").dt.year().alias("l_year"))
        .agg(REVENUE.sum().alias("volume"))
        .sort("supp_nation", "cust_nation", "l_year")
    )


def q8(tables: Tables) -> pl.LazyFrame:
    america = tables["nation"].join(
        tables["region"].filter(col("r_name") == "AMERICA"), left_on="n_regionkey", right_on="r_regionkey"
    )
    orders = tables["orders"].filter(col("o_orderdate").is_between(date(1995, 1, 1), date(1996, 12, 31)))
    return (
        tables["part"]
        .filter(col("p_type") == "ECONOMY ANODIZED STEEL")
        .join(tables["lineitem"], left_on="p_partkey", right_on="l_partkey")
        .join(orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(tables["customer"], left_on="o_custkey", right_on="c_custkey")
        .join(america, left_on="c_nationkey", right_on="n_nationkey", how="semi")
        .join(tables["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .join(tables["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .group_by(col("o_orderdate").dt.year().alias("o_year"))
        .agg((REVENUE.filter(col("n_name") == "BRAZIL").sum() / REVENUE.sum()).alias("mkt_share"))
        .sort("o_year")
    )


def q9(tables: Tables) -> pl.LazyFrame:
    amount = REVENUE - col("ps_supplycost") * col("l_quantity")
    return (
        tables["part"]
        .filter(col("p_name").str.contains("green", literal=True))
        .join(tables["lineitem"], left_on="p_partkey", right_on="l_partkey")
        .join(tables["partsupp"], left_on=["l_suppkey", "p_partkey"], right_on=["ps_suppkey", "ps_partkey"])
        .join(tables["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .join(tables["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .join(tables["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .group_by("n_name", col("o_orderdate").dt.year().alias("o_year"))
        .agg(amount.sum().alias("amount"))
        .sort("n_name", "o_year", descending=[False, True])
    )


def q10(tables: Tables) -> pl.LazyFrame:
    orders = tables["orders"].filter(_within("o_orderdate", date(1993, 10, 1), date(1994, 1, 1)))
    return (
        tables["customer"]
        .join(orders, left_on="c_custkey", right_on="o_custkey")
        .join(tables["lineitem"].filter(col("l_returnflag") == "R"), left_on="o_orderkey", right_on="l_orderkey")
        .join(tables["nation"], left_on="c_nationkey", right_on="n_nationkey")
        .group_by("c_custkey", "c_name", "c_acctbal", "n_name")
        .agg(REVENUE.sum().alias("revenue"))
        .sort("revenue", descending=True)
        .head(20)
    )


def q11(tables: Tables) -> pl.LazyFrame:
    stock = (
        tables["nation"]
        .filter(col("n_name") == "GERMANY")
        .join(tables["supplier"], left_on="n_nationkey", right_on="s_nationkey")
        .join(tables["partsupp"], left_on="s_suppkey", right_on="ps_suppkey")
        .with_columns((col("ps_supplycost") * col("ps_availqty")).alias("value"))
    )
    values = stock.group_by("ps_partkey").agg(col("value").sum())
    total = stock.select((col("value").sum() * 0.0001).alias("least"))
    return (
        values.join(total, how="cross")
        .filter(col("value") > col("least"))
        .select("ps_partkey", "value")
        .sort("value", descending=True)
    )


def q12(tables: Tables) -> pl.LazyFrame:
    chosen = tables["lineitem"].filter(
        col("l_shipmode").is_in(["MAIL", "SHIP"]),
        col("l_commitdate") < col("l_receiptdate"),
        col("l_shipdate") < col("l_commitdate"),
        _within("l_receiptdate", date(1994, 1, 1), date(1995, 1, 1)),
    )
    urgent = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    return (
        tables["orders"]
        .join(chosen, left_on="o_orderkey", right_on="l_orderkey")
        .group_by("l_shipmode")
        .agg(urgent.sum().cast(pl.Int64).alias("high"), (~urgent).sum().cast(pl.Int64).alias("low"))
        .sort("l_shipmode")
    )


def q13(tables: Tables) -> pl.LazyFrame:
    orders = tables["orders"].filter(~col("o_comment").str.contains("special.*requests"))
    return (
        tables["customer"]
        .join(orders, left_on="c_custkey", right_on="o_custkey", how="left")
        .group_by("c_custkey")
        .agg(col("o_orderkey").count().alias("c_count"))
        .group_by("c_count")
        .agg(pl.len().alias("custdist"))
        .sort("custdist", "c_count", descending=True)
    )


def q14(tables: Tables) -> pl.LazyFrame:
    promoted = REVENUE.filter(col("p_type").str.starts_with("PROMO"))
    return (
        tables["lineitem"]
        .filter(_within("l_shipdate", date(1995, 9, 1), date(1995, 12, 1)))
        .join(tables["part"], left_on="l_partkey", right_on="p_partkey")
        .select((100 * promoted.sum() / REVENUE.sum()).alias("promo_revenue"))
    )


def q15(tables: Tables) -> pl.LazyFrame:
    revenue = (
        tables["lineitem"]
        .filter(_within("l_shipdate", date(1996, 1, 1), date(1996, 4, 1)))
        .group_by("l_suppkey")
        .agg(REVENUE.sum().alias("total_revenue"))
    )
    return (
        revenue.filter(col("total_revenue") == col("total_revenue").max())
        .join(tables["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .select(col("l_suppkey").alias("s_suppkey"), "s_name", "total_revenue")
        .sort("s_suppkey")
    )


def q16(tables: Tables) -> pl.LazyFrame:
    bad = tables["supplier"].filter(col("s_comment").str.contains("Customer.*Complaints"))
    chosen = tables["part"].filter(
        col("p_brand") != "Brand#45",
        ~col("p_type").str.starts_with("PROMO"),
        col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]),
    )
    return (
        chosen.join(tables["partsupp"], left_on="p_partkey", right_on="ps_partkey")
        .join(bad, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
        .group_by("p_brand", "p_type", "p_size")
        .agg(col("ps_suppkey").n_unique().alias("supplier_cnt"))
        .sort("supplier_cnt", "p_brand", "p_type", "p_size", descending=[True, False, False, False])
    )


def q17(tables: Tables) -> pl.LazyFrame:
    sold = (
        tables["part"]
        .filter(col("p_brand") == "Brand#23", col("p_container") == "MED BOX")
        .join(tables["lineitem"], left_on="p_partkey", right_on="l_partkey")
    )
    means = sold.group_by("p_partkey").agg((0.2 * col("l_quantity").mean()).alias("least"))
    return (
        sold.join(means, on="p_partkey")
        .filter(col("l_quantity") < col("least"))
        .select((col("l_extendedprice").sum() / 7).alias("avg_yearly"))
    )


def q18(tables: Tables) -> pl.LazyFrame:
    large = (
        tables["lineitem"]
        .group_by("l_orderkey")
        .agg(col("l_quantity").sum().alias("sum_quantity"))
        .filter(col("sum_quantity") > 300)
    )
    return (
        tables["orders"]
        .join(large, left_on="o_orderkey", right_on="l_orderkey")
        .join(tables["customer"], left_on="o_custkey", right_on="c_custkey")
        .select(
            "c_name", col("o_custkey").alias("c_custkey"), "o_orderkey", "o_orderdate", "o_totalprice", "sum_quantity"
        )
        .sort("o_totalprice", "o_orderdate", descending=[True, False])
        .head(100)
    )


def q19(tables: Tables) -> pl.LazyFrame:
    def kind(brand: str, containers: list[str], first: int, last: int) -> pl.Expr:
        return (
            (col("p_brand") == brand) & col("p_container").is_in(containers) & col("l_quantity").is_between(first, last)
        )

    return (
        tables["lineitem"]
        .filter(col("l_shipmode").is_in(["AIR", "REG AIR"]))
        .join(tables["part"], left_on="l_partkey", right_on="p_partkey")
        .filter(
            kind("Brand#12", ["SM BOX", "SM CASE"], 1, 30)
            | kind("Brand#23", ["MED BOX"], 10, 40)
            | kind("Brand#45", ["LG BOX"], 20, 50)
        )
        .select(REVENUE.sum().alias("revenue"))
    )


def q20(tables: Tables) -> pl.LazyFrame:
    sold = (
        tables["lineitem"]
        .filter(_within("l_shipdate", date(1994, 1, 1), date(1995, 1, 1)))
        .group_by("l_partkey", "l_suppkey")
        .agg((0.5 * col("l_quantity").sum()).alias("least"))
    )
    forest = tables["part"].filter(col("p_name").str.starts_with("forest"))
    stock = (
        tables["partsupp"]
        .join(forest, left_on="ps_partkey", right_on="p_partkey", how="semi")
        .join(sold, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .filter(col("ps_availqty") > col("least"))
    )
    return (
        tables["supplier"]
        .join(tables["nation"].filter(col("n_name") == "CANADA"), left_on="s_nationkey", right_on="n_nationkey")
        .join(stock, left_on="s_suppkey", right_on="ps_suppkey", how="semi")
        .select("s_name", "n_name")
        .sort("s_name")
    )


def q21(tables: Tables) -> pl.LazyFrame:
    late = tables["lineitem"].filter(col("l_receiptdate") > col("l_commitdate"))
    several = (
        tables["lineitem"].group_by("l_orderkey").agg(col("l_suppkey").n_unique().alias("all")).filter(col("all") > 1)
    )
    alone = late.group_by("l_orderkey").agg(col("l_suppkey").n_unique().alias("late")).filter(col("late") == 1)
    return (
        tables["supplier"]
        .join(tables["nation"].filter(col("n_name") == "SAUDI ARABIA"), left_on="s_nationkey", right_on="n_nationkey")
        .join(late, left_on="s_suppkey", right_on="l_suppkey")
        .join(several, on="l_orderkey", how="semi")
        .join(alone, on="l_orderkey", how="semi")
        .join(
            tables["orders"].filter(col("o_orderstatus") == "F"),
            left_on="l_orderkey",
            right_on="o_orderkey",
            how="semi",
        )
        .group_by("s_name")
        .agg(pl.len().alias("numwait"))
        .sort("numwait", "s_name", descending=[True, False])
        .head(100)
    )


def q22(tables: Tables) -> pl.LazyFrame:
    customers = (
        tables["customer"]
        .with_columns(col("c_phone").str.slice(0, 2).alias("cntrycode"))
        .filter(col("cntrycode").is_in(["13", "31", "23", "29", "30", "18", "17"]))
    )
    average = customers.filter(col("c_acctbal") > 0).select(col("c_acctbal").mean().alias("average"))
    return (
        customers.join(average, how="cross")
        .filter(col("c_acctbal") > col("average"))
        .join(tables["orders"], left_on="c_custkey", right_on="o_custkey", how="anti")
        .group_by("cntrycode")
        .agg(pl.len().alias("numcust"), col("c_acctbal").sum().alias("totacctbal"))
        .sort("cntrycode")
    )


QUERIES = (q1, q2, q3, q4, q5, q6, q7, q8, q9, q10, q11, q12, q13, q14, q15, q16, q17, q18, q19, q20, q21, q22)
