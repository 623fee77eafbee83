"""Questions of a web log: a wide table of visits to pages, of which each question needs a few columns.

Rows are in the order of time.  Few pages, users and phrases have most of the visits, most visits have no phrase, and
columns are as narrow as their values allow.  akdask answers in the words of pandas, of Parquet files and of locale
files; its rivals answer of the same Parquet files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import dask
import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import akdask as ak
from benchmarks.answers import answer_table, connect, timed, total
from benchmarks.data import make_once
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting

SEED = 43
SHARE = 0.5
"""Rows, as a share of those of the other tasks."""
FLOORS = {"Parquet": 0.7, "locale files": 1.0}
START = np.datetime64("2025-03-01", "s")
DAYS = 30
SITE = 7
"""The site that some questions are about."""
VISITOR = 4_000
"""Position of a user among all, most frequent first."""
TOP = 10

Ints = npt.NDArray[np.int64]


# ---------------------------------------------------------------------------------------------------------------- data


def make_visits(rows: int) -> pa.Table:
    """Return the table."""
    random = np.random.default_rng(SEED)
    draw = partial(_drawn, random, rows)
    site, page, user = draw(max(rows // 2_000, 20), 2.5), draw(max(rows // 8, 20), 1.6), draw(max(rows // 12, 20), 1.5)
    phrase, engine = draw(max(rows // 30, 20), 2.0), draw(12, 3.0) + 1
    without = random.random(rows) < 0.85
    phrase[without], engine[without] = 0, 0
    seconds = np.sort(random.integers(0, DAYS * 86_400, rows))
    model, screen = draw(200, 3.0), draw(30, 2.0)
    model[random.random(rows) < 0.7] = 0
    urls, sources = _urls(site, page), _referers(draw(max(rows // 10, 20), 1.7), without)
    return pa.table({
        "visit_id": _mixed(np.arange(rows)),
        "event_time": pa.array((START + seconds).astype("M8[us]")),
        "event_date": pa.array((START + seconds).astype("M8[D]")),
        "site_id": (site + 1).astype("i4"),
        "user_id": user_numbers(user),
        "client_ip": (_mixed(user + 7) >> 32).astype("i4"),
        "region_id": draw(1_000, 2.0).astype("i4"),
        "country": _named([f"country {number:03d}" for number in range(90)], draw(90, 2.0)),
        "url": urls,
        "url_hash": _mixed(site * 2**32 + page),
        "title": _named([f"{word} — page about {word.lower()}" for word in _words(4_000)], page % 4_000),
        "referer": sources,
        "search_engine": engine.astype("i2"),
        "search_phrase": _named(["", *_phrases(int(phrase.max()))], phrase),
        "source": draw(9, 2.0).astype("i2"),
        "campaign": (draw(500, 6.0) * (draw(10, 1.0) == 0)).astype("i2"),
        "is_refresh": (draw(8, 1.0) == 0).astype("i2"),
        "is_mobile": (model > 0).astype("i2"),
        "mobile_model": _named(["", *(f"Model {number}" for number in range(1, 200))], model),
        "os": draw(40, 2.5).astype("i2"),
        "browser": draw(60, 2.5).astype("i2"),
        "width": (800 + 64 * screen).astype("i2"),
        "height": (600 + 36 * screen).astype("i2"),
        "age": draw(6, 1.0).astype("i2"),
        "status": np.array([200, 301, 304, 404, 500], "i2")[draw(5, 4.0)],
        "duration_ms": random.exponential(900.0, rows).astype("i4"),
        "wait_ms": random.exponential(90.0, rows).astype("i4"),
        "bytes_sent": random.exponential(30_000.0, rows).astype("i8"),
        "price": pa.array((random.exponential(20.0, rows) * (draw(40, 1.0) == 0)).round(2)),
        "parameters": _named(["", *(f"a={number}&b={number * 7 % 91}" for number in range(1, 800))], draw(800, 9.0)),
    })  # fmt: skip


def user_numbers(positions: Ints) -> Ints:
    """Return the numbers of users, given their positions among all."""
    return _mixed(positions + 1_000)


def _drawn(random: np.random.Generator, rows: int, high: int, skew: float) -> Ints:
    return (random.random(rows) ** skew * high).astype(np.int64)


def _mixed(numbers: Ints) -> Ints:
    """Return a number of 63 bits for each."""
    found: Ints = ((numbers.astype("u8") * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(1)).astype("i8")
    return found


def _words(count: int) -> list[str]:
    parts = ("ka", "lo", "mi", "ru", "sen", "to", "vi", "dar", "nor", "pel", "gus", "hem")
    size = len(parts)
    return [
        (parts[number % size] + parts[number // size % size] + parts[number // size**2 % size]).capitalize()
        + (str(number) if number >= size**3 else "")
        for number in range(count)
    ]


def _phrases(count: int) -> list[str]:
    words = _words(1_700)
    return [
        f"{words[number * 31 % 1_700]} {words[number * 17 % 1_699]} {number}".lower() for number in range(1, count + 1)
    ]


def _named(names: list[str], numbers: Ints) -> pa.Array:
    return pa.array(names, pa.string()).take(pa.array(numbers))


def _joined(*parts: pa.Array | str) -> pa.Array:
    return pc.binary_join_element_wise(*parts, pa.scalar("", pa.string()))


def _urls(site: Ints, page: Ints) -> pa.Array:
    hosts = [f"http://{word.lower()}.example/" for word in _words(int(site.max()) + 1)]
    sections = ["news/", "shop/item/", "forum/topic/", "video/watch/", "market/offers/", "google/maps/"]
    numbers = pa.array(page).cast(pa.string())
    ends = _named(["", ".html", "?from=main", "?utm_source=mail&utm_medium=list", "/comments#last"], page * 7 % 5)
    return _joined(_named(hosts, site), _named(sections, page % 11 // 2), numbers, ends)


def _referers(page: Ints, is_direct: npt.NDArray[np.bool_]) -> pa.Array:
    hosts = [f"https://www.{word.lower()}.test/" for word in _words(900)]
    found = _joined(_named(hosts, page % 900), pa.scalar("links/", pa.string()), pa.array(page // 3).cast(pa.string()))
    return pc.if_else(pa.array(is_direct & (page % 3 > 0)), "", found)


# ----------------------------------------------------------------------------------------------------------- questions


@dataclass(frozen=True)
class Question:
    """One question, in the language of everybody.

    Parameters
    ----------
    name : str
    columns : str
        The columns that it needs.
    pandas : callable
        The table to the answer, in the words of pandas.
    polars : callable
    sql : str
        Of a table `visits`.
    """

    name: str
    columns: str
    pandas: Callable[[Any], Any]
    polars: Callable[[pl.LazyFrame], pl.LazyFrame]
    sql: str


def _top(found: Any, key: str | list[str], column: str = "n") -> Any:
    """Return the rows with the largest values of a column, equal ones in the order of keys."""
    keys = [key] if isinstance(key, str) else key
    return found.sort_values([column, *keys], ascending=[False, *[True] * len(keys)]).head(TOP)


def _top_of_polars(found: pl.LazyFrame, key: str | list[str], column: str = "n") -> pl.LazyFrame:
    keys = [key] if isinstance(key, str) else key
    return found.sort([column, *keys], descending=[True, *[False] * len(keys)]).head(TOP)


def _most_frequent(
    name: str, key: str, where: tuple[str, str, Any] | None = None, column: str = "user_id", how: str = "size"
) -> Question:
    """Return a question of the groups with most rows, or most users."""
    keys = key.split()
    test = "" if where is None else f"where {where[0]} {where[1]} {where[2]!r}"

    def kept(visits: Any) -> Any:
        return visits if where is None else visits[_compared(visits[where[0]], where[1], where[2])]

    def by_polars(visits: pl.LazyFrame) -> pl.LazyFrame:
        rows = visits if where is None else visits.filter(_compared(pl.col(where[0]), where[1], where[2]))
        count = pl.len() if how == "size" else pl.col(column).n_unique()
        return _top_of_polars(rows.group_by(keys).agg(count.cast(pl.Int64).alias("n")), keys)

    counted = "count(*)" if how == "size" else f"count(distinct {column})"
    used = dict.fromkeys([*keys, *([] if where is None else [where[0]]), *([] if how == "size" else [column])])
    first = keys[0] if how == "size" else column
    return Question(
        name,
        " ".join(used),
        lambda visits: _top(kept(visits).groupby(keys, as_index=False).agg(n=(first, how)), keys),
        by_polars,
        f"select {', '.join(keys)}, {counted} as n from visits {test} group by {', '.join(keys)} "
        f"order by n desc, {', '.join(keys)} limit {TOP}",
    )


def _compared(column: Any, sign: str, value: Any) -> Any:
    return column != value if sign == "<>" else column == value


def _one(**values: Any) -> Any:
    """Return numbers, which are computed together, as a frame of one row."""
    found = dask.compute(*values.values())
    return ak.DataFrame({name: ak.array([float(value)]) for name, value in zip(values, found, strict=True)})


WIDTHS = 8
"""Sums of the question of many sums."""
USER = int(user_numbers(np.array([VISITOR]))[0])

QUESTIONS = (
    Question(
        "rows of a campaign",
        "campaign",
        lambda visits: _one(n=(visits["campaign"] != 0).sum()),
        lambda visits: visits.filter(pl.col("campaign") != 0).select(n=pl.len()),
        "select count(*) as n from visits where campaign <> 0",
    ),
    Question(
        "sum and mean of all rows",
        "campaign width bytes_sent",
        lambda visits: _one(
            a=visits["campaign"].sum(), b=visits["width"].mean(), c=visits["bytes_sent"].mean(), n=len(visits)
        ),
        lambda visits: visits.select(
            a=pl.col("campaign").cast(pl.Int64).sum(),
            b=pl.col("width").mean(),
            c=pl.col("bytes_sent").mean(),
            n=pl.len(),
        ),
        "select sum(campaign) as a, avg(width) as b, avg(bytes_sent) as c, count(*) as n from visits",
    ),
    Question(
        "distinct users",
        "user_id",
        lambda visits: _one(n=visits["user_id"].nunique()),
        lambda visits: visits.select(n=pl.col("user_id").n_unique()),
        "select count(distinct user_id) as n from visits",
    ),
    Question(
        "distinct phrases",
        "search_phrase",
        lambda visits: _one(n=visits["search_phrase"].nunique()),
        lambda visits: visits.select(n=pl.col("search_phrase").n_unique()),
        "select count(distinct search_phrase) as n from visits",
    ),
    Question(
        "rows of each day",
        "event_date bytes_sent",
        lambda visits: visits.groupby("event_date", as_index=False).agg(n=("bytes_sent", "sum"))[["n"]],
        lambda visits: visits.group_by("event_date").agg(n=pl.col("bytes_sent").sum()).select("n"),
        "select sum(bytes_sent) as n from visits group by event_date",
    ),
    _most_frequent("campaigns by rows", "campaign", ("campaign", "<>", 0)),
    _most_frequent("regions by users", "region_id", how="nunique"),
    Question(
        "regions by sums, means and users",
        "region_id campaign width user_id",
        lambda visits: _top(
            visits.groupby("region_id", as_index=False).agg(
                a=("campaign", "sum"), n=("width", "size"), b=("width", "mean"), u=("user_id", "nunique")
            ),
            "region_id",
        ),
        lambda visits: _top_of_polars(
            visits.group_by("region_id").agg(
                a=pl.col("campaign").cast(pl.Int64).sum(),
                n=pl.len(),
                b=pl.col("width").mean(),
                u=pl.col("user_id").n_unique(),
            ),
            "region_id",
        ),
        "select region_id, sum(campaign) as a, count(*) as n, avg(width) as b, count(distinct user_id) as u "
        f"from visits group by region_id order by n desc, region_id limit {TOP}",
    ),
    _most_frequent("models of phones by users", "mobile_model", ("mobile_model", "<>", ""), how="nunique"),
    _most_frequent("phrases by rows", "search_phrase", ("search_phrase", "<>", "")),
    _most_frequent("phrases by users", "search_phrase", ("search_phrase", "<>", ""), how="nunique"),
    _most_frequent("engines and phrases by rows", "search_engine search_phrase", ("search_phrase", "<>", "")),
    _most_frequent("users by rows", "user_id"),
    _most_frequent("users and phrases by rows", "user_id search_phrase"),
    _most_frequent("pages by rows", "url"),
    Question(
        "rows of one user",
        "user_id event_time url title duration_ms",
        lambda visits: visits[visits["user_id"] == USER][["url", "title", "duration_ms"]],
        lambda visits: visits.filter(pl.col("user_id") == USER).select("url", "title", "duration_ms"),
        f"select url, title, duration_ms from visits where user_id = {USER}",
    ),
    Question(
        "addresses that contain a word",
        "url",
        lambda visits: _one(n=visits["url"].str.contains("google", regex=False).sum()),
        lambda visits: visits.filter(pl.col("url").str.contains("google", literal=True)).select(n=pl.len()),
        "select count(*) as n from visits where url like '%google%'",
    ),
    Question(
        "phrases of addresses that contain a word",
        "url search_phrase user_id",
        lambda visits: _top(
            visits[visits["url"].str.contains("google", regex=False) & (visits["search_phrase"] != "")]
            .groupby("search_phrase", as_index=False)
            .agg(n=("user_id", "size")),
            "search_phrase",
        ),
        lambda visits: _top_of_polars(
            visits.filter(pl.col("url").str.contains("google", literal=True), pl.col("search_phrase") != "")
            .group_by("search_phrase")
            .agg(n=pl.len()),
            "search_phrase",
        ),
        "select search_phrase, count(*) as n from visits where url like '%google%' and search_phrase <> '' "
        f"group by search_phrase order by n desc, search_phrase limit {TOP}",
    ),
    Question(
        "first phrases in the order of time",
        "event_time visit_id search_phrase",
        lambda visits: visits[visits["search_phrase"] != ""][["event_time", "visit_id", "search_phrase"]]
        .sort_values(["event_time", "visit_id"])
        .head(TOP)[["search_phrase"]],
        lambda visits: visits.filter(pl.col("search_phrase") != "")
        .select("event_time", "visit_id", "search_phrase")
        .sort("event_time", "visit_id")
        .head(TOP)
        .select("search_phrase"),
        f"select search_phrase from visits where search_phrase <> '' order by event_time, visit_id limit {TOP}",
    ),
    Question(
        "sites by the length of addresses",
        "site_id url",
        lambda visits: _top(
            visits[["site_id"]]
            .assign(length=visits["url"].str.len())
            .groupby("site_id", as_index=False)
            .agg(mean=("length", "mean"), n=("length", "size")),
            "site_id",
        ),
        lambda visits: _top_of_polars(
            visits.group_by("site_id").agg(mean=pl.col("url").str.len_chars().mean(), n=pl.len()), "site_id"
        ),
        f"select site_id, avg(length(url)) as mean, count(*) as n from visits group by site_id "
        f"order by n desc, site_id limit {TOP}",
    ),
    Question(
        "many sums of a narrow column",
        "width",
        lambda visits: _one(**{f"s{add}": (visits["width"] + add).sum() for add in range(WIDTHS)}),
        lambda visits: visits.select(
            **{f"s{add}": (pl.col("width").cast(pl.Int64) + add).sum() for add in range(WIDTHS)}
        ),
        f"select {', '.join(f'sum(width + {add}) as s{add}' for add in range(WIDTHS))} from visits",
    ),
    Question(
        "pages of a site in some days",
        "site_id event_date is_refresh url user_id",
        lambda visits: _top(
            visits[
                (visits["site_id"] == SITE)
                & (visits["event_date"] >= START + np.timedelta64(5, "D"))
                & (visits["event_date"] < START + np.timedelta64(20, "D"))
                & (visits["is_refresh"] == 0)
            ]
            .groupby("url", as_index=False)
            .agg(n=("user_id", "size")),
            "url",
        ),
        lambda visits: _top_of_polars(
            visits.filter(
                pl.col("site_id") == SITE,
                pl.col("event_date") >= (START + np.timedelta64(5, "D")).astype("M8[D]").item(),
                pl.col("event_date") < (START + np.timedelta64(20, "D")).astype("M8[D]").item(),
                pl.col("is_refresh") == 0,
            )
            .group_by("url")
            .agg(n=pl.len()),
            "url",
        ),
        f"select url, count(*) as n from visits where site_id = {SITE} and event_date >= '2025-03-06' "
        f"and event_date < '2025-03-21' and is_refresh = 0 group by url order by n desc, url limit {TOP}",
    ),
    Question(
        "slow answers by status and browser",
        "status browser duration_ms wait_ms",
        lambda visits: _top(
            visits[visits["duration_ms"] > 2_000]
            .groupby(["status", "browser"], as_index=False)
            .agg(n=("duration_ms", "size"), d=("duration_ms", "sum"), w=("wait_ms", "max")),
            ["status", "browser"],
        ),
        lambda visits: _top_of_polars(
            visits.filter(pl.col("duration_ms") > 2_000)
            .group_by("status", "browser")
            .agg(n=pl.len(), d=pl.col("duration_ms").cast(pl.Int64).sum(), w=pl.col("wait_ms").max()),
            ["status", "browser"],
        ),
        "select status, browser, count(*) as n, sum(duration_ms) as d, max(wait_ms) as w from visits "
        f"where duration_ms > 2000 group by status, browser order by n desc, status, browser limit {TOP}",
    ),
    _most_frequent("addresses and engines by rows", "search_engine client_ip", ("search_phrase", "<>", "")),
)  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- measure


def web_log(setting: Setting) -> list[Result]:
    """Ask the questions of Parquet files and of locale files."""
    rows = max(int(setting.rows * SHARE), 10)
    folder = setting.folder / f"web-log-{rows}-rows"
    make_once(folder, partial(write_visits, rows=rows))
    results = []
    for form, floor in FLOORS.items():
        for question in QUESTIONS:
            seconds = setting.interleave(runs_of(question, folder, setting.threads, form))
            floors = {peer: floor for peer in seconds if peer != OURS}
            results.append(Result(question.name, MILLISECONDS, seconds, floors, case=form))
    return results


def write_visits(folder: Path, rows: int) -> None:
    """Write the table in both forms."""
    pq.write_table(make_visits(rows), folder / "visits.parquet")
    ak.DataFrame(ak.read_parquet(folder / "visits.parquet")).to_hdf(folder / "set")


def runs_of(question: Question, folder: Path, threads: int, form: str) -> Mapping[str, Callable[[], Any]]:
    """Return how everybody answers a question."""
    path = str(folder / "visits.parquet")
    columns = question.columns.split()

    def by_akdask() -> Any:
        found = ak.read_parquet(path, columns) if form == "Parquet" else ak.read_hdf(f"{folder}/set_LOCALE*", columns)
        return question.pandas(ak.DataFrame(found)).persist()

    def by_polars() -> Any:
        return question.polars(pl.scan_parquet(path)).collect()

    def by_duckdb() -> Any:
        connection = connect(threads)
        connection.execute(f"create view visits as select * from read_parquet('{path}')")
        return answer_table(connection, question.sql)

    return {
        OURS: lambda: timed(by_akdask, total),
        "polars": lambda: timed(by_polars, total),
        "duckdb": lambda: timed(by_duckdb, total),
    }
