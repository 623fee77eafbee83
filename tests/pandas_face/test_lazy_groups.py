"""Results of groups that nobody has looked at: what follows them is one plan, and gives what pandas gives."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
import akdask.pandas as face
from akdask.pandas.frame import DataFrame
from akdask.pandas.lazy import lazy_frame
from tests.pandas_face.compare import difference


@pytest.fixture(autouse=True)
def _all_lazy() -> Iterator[None]:
    with ak.config.set(pandas_fallback="error"):
        yield


def _rows(seed: int) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 400))
    some = pandas.DataFrame(
        {
            "k": rng.integers(0, 20, count),
            "text": rng.choice(["a", "b", "ç"], count),
            "v": np.where(rng.random(count) < 0.2, np.nan, rng.integers(0, 9, count).astype(float)),
            "n": rng.integers(-5, 5, count),
            "t": pandas.Timestamp("2024-01-01") + pandas.to_timedelta(rng.integers(0, 5, count), unit="D"),
            "short": rng.integers(-9, 9 if seed % 2 else 2**15, count).astype(np.int16),
        }
    )
    other = pandas.DataFrame({"k": rng.integers(0, 25, 300), "w": rng.integers(0, 9, 300)})
    return some, other


def _lazily(rows: pandas.DataFrame) -> Any:
    return DataFrame._of(lazy_frame(rows))


def _joined_totals(some: Any, other: Any) -> Any:
    totals = some.groupby("k", as_index=False)["v"].sum()
    return other.merge(totals[totals["v"] > 5].rename(columns={"v": "total"}), on="k")


def _kept(some: Any, other: Any) -> Any:
    counts = some.groupby("k", as_index=False).agg(rows=("v", "count"), kinds=("text", "nunique"))
    return other[other["k"].isin(counts[(counts["rows"] > 3) & (counts["kinds"] < 3)]["k"])]


def _left(some: Any, other: Any) -> Any:
    return other.merge(some.groupby("k")["n"].nunique().rename("found").reset_index(), on="k", how="left")


def _of_two_keys(some: Any, other: Any) -> Any:
    found = some.groupby(["k", "text"]).agg(mean=("v", "mean"), least=("n", "min"), std=("n", "std")).reset_index()
    return some.merge(found[found["mean"] / (found["least"] + 7) > 0.3], on=["k", "text"])


def _in_order_of_rows(some: Any, other: Any) -> Any:
    return some.groupby("text", sort=False, as_index=False)["n"].max().merge(some, on="text")


def _by_labels(some: Any, other: Any) -> Any:
    return some.merge(some.groupby("t")["v"].median().rename("middle"), left_on="t", right_index=True)


def _sizes(some: Any, other: Any) -> Any:
    return other.merge(some.groupby("k", as_index=False).size(), on="k", how="inner")


def _columns_of_frames(some: Any, other: Any) -> Any:
    found = some.groupby("k")[["v", "n"]].sum().reset_index()
    return other.merge(found.rename(columns={"v": "x"})[["x", "k"]], on="k")


PROGRAMS = [_joined_totals, _kept, _left, _of_two_keys, _in_order_of_rows, _by_labels, _sizes, _columns_of_frames]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__[1:])
@pytest.mark.parametrize("seed", range(4))
def test_joins_with_results_of_groups_are_those_of_pandas(program: Callable[..., Any], seed: int) -> None:
    some, other = _rows(seed)
    pandas.testing.assert_frame_equal(program(_lazily(some), _lazily(other)).to_pandas(), program(some, other))


def _computations(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    from akdask.pandas import group_forms

    found = list[int]()

    def counted(own: Any, *given: Any) -> Any:
        found.append(1)
        return own(*given)

    for name in ("_by_house", "computed"):
        monkeypatch.setattr(group_forms, name, partial(counted, getattr(group_forms, name)))
    return found


@pytest.mark.parametrize("how", ["sum", "mean", "min", "count", "nunique", "std"])
@pytest.mark.parametrize("is_method", [True, False])
def test_a_join_takes_the_plan(how: str, is_method: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    some, other = map(_lazily, _rows(1))
    computed = _computations(monkeypatch)
    totals = some.groupby("k", as_index=False)["n"].agg(how)
    large = totals[totals["n"] > 1].rename(columns={"n": "found"})
    found = other.merge(large, on="k") if is_method else face.merge(other, large, on="k")
    assert "group by" in str(found.explain())
    assert not computed
    assert found.to_pandas().columns.tolist() == ["k", "w", "found"]
    assert not computed


@pytest.mark.parametrize("dropna", [True, False])
@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("by", ["text", ["k", "text"], ["text", "k"]], ids=str)
def test_groups_of_missing_keys_and_of_repeated_columns_are_joined(by: Any, sort: bool, dropna: bool) -> None:
    some: Any = _rows(1)[0]
    some.loc[::3, "text"] = None
    options = {"sort": sort, "dropna": dropna}
    for columns in (["n"], ["n", "n"], ["v", "n"]):
        totals, wanted = (frame.groupby(by, **options)[columns].sum() for frame in (_lazily(some), some))
        assert difference(totals.copy(), wanted) is None
        if len({*columns}) == len(columns):
            joined, expected = (
                rows.merge(frame.groupby(by, as_index=False, **options)[columns].sum(), on=by, suffixes=("", "_total"))
                for rows, frame in ((_lazily(some), _lazily(some)), (some, some))
            )
            pandas.testing.assert_frame_equal(joined.to_pandas(), expected)


def test_two_readers_share_what_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    given, _ = _rows(2)
    computed = _computations(monkeypatch)
    totals = _lazily(given).groupby("k")["n"].sum()
    shares, large = totals * 2, totals[totals > 3]
    assert not computed
    expected = given.groupby("k")["n"].sum()
    pandas.testing.assert_series_equal(large.to_pandas(), expected[expected > 3])
    pandas.testing.assert_series_equal(shares.to_pandas(), expected * 2)
    assert str(totals) == str(expected)
    assert len(computed) == 1


def test_what_was_taken_before_a_change_stays() -> None:
    given, other = _rows(3)
    totals = _lazily(given).groupby("k", as_index=False)["n"].sum()
    before, named = totals["n"], totals.rename(columns={"n": "m"})
    totals["n"] = 0
    totals.columns = ["a", "b"]
    expected: Any = given.groupby("k", as_index=False)["n"].sum()
    pandas.testing.assert_series_equal(before.to_pandas(), expected["n"])
    joined = _lazily(other).merge(named, on="k")
    pandas.testing.assert_frame_equal(joined.to_pandas(), other.merge(expected.rename(columns={"n": "m"}), on="k"))
    assert totals.to_pandas()["b"].tolist() == [0] * len(expected)


def test_columns_that_are_not_there_raise_at_once() -> None:
    totals = _lazily(_rows(4)[0]).groupby("k", as_index=False)["n"].sum()
    with pytest.raises(KeyError):
        totals["nope"]


def test_integers_with_missing_rows_are_floats_as_in_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = _computations(monkeypatch)
    some, other = _rows(5)
    given = some.merge(other.drop_duplicates("k"), on="k", how="left")
    lazily = _lazily(some).merge(_lazily(other.drop_duplicates("k")), on="k", how="left")
    expected = given.groupby("text", as_index=False)["w"].sum()
    pandas.testing.assert_frame_equal(
        _lazily(some).merge(lazily.groupby("text", as_index=False)["w"].sum(), on="text").to_pandas(),
        some.merge(expected, on="text"),
    )
    assert computed, "the type of the sums depends on values"


def test_columns_of_groups_beside_levels_keep_their_types() -> None:
    rows = pandas.DataFrame(
        {"when": pandas.to_datetime(["2024-01-03", "2024-01-02", "2024-01-01"]), "k": ["a", "b", "a"], "n": [3, 2, 1]},
        index=pandas.MultiIndex.from_arrays([[7, 8, 9], ["x", "y", "z"]]),
    )
    from akdask.pandas.labels import lazily

    made = DataFrame._of(lazily(rows))
    pandas.testing.assert_frame_equal(made.groupby("k").min().to_pandas(), rows.groupby("k").min())


RESULTS: list[Callable[..., Any]] = [
    lambda f: f.groupby("text").size(),
    lambda f: f.groupby(["text", "k"]).size(),
    lambda f: f.groupby("k")["v"].size(),
    lambda f: f[f["n"] > 0].groupby(["k", "text"])["v"].mean(),
    lambda f: f.groupby("k")["v"].max(),
    lambda f: f.groupby(["text", "t"])["n"].nunique(),
    lambda f: f.groupby(f["t"].dt.day)["v"].mean(),
    lambda f: f[f["n"] > 0].groupby([f["t"].dt.floor("2D"), "k"]).size(),
    lambda f: f.groupby((f["k"] % 3).rename("rest"))["short"].sum(),
    lambda f: f.groupby("k")["short"].sum(),
]
FRAMES: list[Callable[..., Any]] = [
    lambda f: f.groupby("text", as_index=False).agg(n=("n", "size"), v=("v", "mean")),
    lambda f: f.groupby(["k", "text"]).agg(n=("n", "sum"), v=("v", "min")),
    lambda f: f.groupby(["t", "k"], as_index=False).agg(v=("v", "median"), n=("k", "count")),
    lambda f: f.groupby("k").agg(n=("n", "max"), v=("v", "count")),
    lambda f: f.groupby("k", as_index=False).agg(n=("short", "sum"), v=("short", "mean")),
    lambda f: f.groupby(["text", "k"]).agg(n=("short", "size"), v=("short", "sum"), least=("short", "min")),
    lambda f: f.groupby(["k", (f["n"] + 1).rename("more")], as_index=False).agg(n=("short", "sum"), v=("v", "max")),
]
FIRST_ROWS: list[Callable[..., Any]] = [
    lambda r, **by: r.sort_values(ascending=False, **by).head(3),
    lambda r, **by: r.sort_values(**by).head(),
    lambda r, **by: r.sort_values(kind="stable", ascending=False, **by).head(7),
    lambda r, **by: r.sort_values(ascending=[False], **by).head(10),
    lambda r, **by: r.sort_values(**by).head(200),
    lambda r, **by: r.sort_values(ascending=False, **by),
    lambda r, **by: r.sort_values(ascending=False, ignore_index=True, **by).head(2),
    lambda r, **by: r.sort_values(na_position="first", **by).head(4),
    lambda r, **by: r.sort_values(**by).head(0),
    lambda r, **by: r.sort_values(**by).head(-2),
    lambda r, **by: r.head(4),
    lambda r, **by: r.sort_values(kind="stable", ascending=False, **by),
    lambda r, **by: r.iloc[2:6],
    lambda r, **by: r.sort_values(ascending=False, **by).iloc[3:9],
    lambda r, **by: r.sort_values(kind="stable", **by).iloc[:4],
    lambda r, **by: r.sort_values(kind="heapsort", **by).iloc[:4],
    lambda r, **by: r.sort_values(**by).iloc[5:5],
    lambda r, **by: r.sort_values(**by).iloc[6:2],
    lambda r, **by: r.sort_values(**by).iloc[100:500],
    lambda r, **by: r.sort_values(**by).iloc[-3:],
    lambda r, **by: r.sort_values(**by).iloc[1:-1],
    lambda r, **by: r.sort_values(**by).iloc[:6:2],
    lambda r, **by: r.sort_values(**by).iloc[[0]],
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("first", range(len(FIRST_ROWS)))
def test_the_first_rows_of_results_in_order_are_those_of_pandas(first: int, seed: int) -> None:
    given, take = _rows(seed)[0], FIRST_ROWS[first]
    rows = _lazily(given)
    with ak.config.set(pandas_fallback="silent"):
        for found in RESULTS:
            pandas.testing.assert_series_equal(take(found(rows)).to_pandas(), take(found(given)))
        for found in FRAMES:
            for by in ("n", "v", ["v"]):
                pandas.testing.assert_frame_equal(take(found(rows), by=by).to_pandas(), take(found(given), by=by))


@pytest.mark.sampled(one_of=8)
@pytest.mark.parametrize("seed", range(3))
def test_the_largest_and_smallest_results_are_those_of_pandas(seed: int) -> None:
    given = _rows(seed)[0]
    rows = _lazily(given)
    with ak.config.set(pandas_fallback="silent"):
        for name in ("nlargest", "nsmallest"):
            for n in (1, 3, 500, 0):
                for found in RESULTS:
                    pandas.testing.assert_series_equal(
                        getattr(found(rows), name)(n).to_pandas(), getattr(found(given), name)(n)
                    )
                for found in FRAMES:
                    for columns in ("n", ["v"], ["n", "v"]):
                        pandas.testing.assert_frame_equal(
                            getattr(found(rows), name)(n, columns).to_pandas(), getattr(found(given), name)(n, columns)
                        )


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("seed", range(2))
def test_first_rows_in_the_order_of_several_columns_are_those_of_pandas(seed: int) -> None:
    given = _rows(seed)[0]
    rows = _lazily(given)
    with ak.config.set(pandas_fallback="silent"):
        for found in FRAMES:
            for by in (["n", "v"], ["v", "n"]):
                for ascending in (True, False, [True, False], [False, True]):
                    pandas.testing.assert_frame_equal(
                        found(rows).sort_values(by, ascending=ascending).to_pandas(),
                        found(given).sort_values(by, ascending=ascending),
                    )
                    for n in (1, 4, 500):
                        pandas.testing.assert_frame_equal(
                            found(rows).sort_values(by, ascending=ascending).head(n).to_pandas(),
                            found(given).sort_values(by, ascending=ascending).head(n),
                        )
        for by in (["n", "text"], ["text", "n"]):
            pandas.testing.assert_frame_equal(
                FRAMES[0](rows).sort_values(by, ascending=[False, True]).head(2).to_pandas(),
                FRAMES[0](given).sort_values(by, ascending=[False, True]).head(2),
            )
        levels = FRAMES[1](rows).sort_values("text", kind="stable").head(3).to_pandas()
        pandas.testing.assert_frame_equal(levels, FRAMES[1](given).sort_values("text", kind="stable").head(3))
        for wrong in ("nope", ["n", "nope"]):
            with pytest.raises(KeyError):
                FRAMES[0](rows).sort_values(wrong)


def test_the_first_results_are_found_without_the_others_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    given = _rows(3)[0].assign(w=np.arange(len(_rows(3)[0])))
    computed = _computations(monkeypatch)
    totals, sums = _lazily(given).groupby("k")["w"].max(), given.groupby("k")["w"].max()
    pandas.testing.assert_series_equal(totals.nlargest(3).to_pandas(), sums.nlargest(3))
    few = totals.sort_values(ascending=False).head(3)
    pandas.testing.assert_series_equal(few.to_pandas(), sums.sort_values(ascending=False).head(3))
    assert not computed


def test_parts_of_results_in_order_are_found_without_the_others_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    given = _rows(2)[0].assign(w=np.arange(len(_rows(2)[0])))
    given = given.astype({"w": np.int32})
    computed = _computations(monkeypatch)
    for found in (
        lambda f: f.groupby([f["t"].dt.day, "k"])["w"].max().sort_values(ascending=False).iloc[2:5],
        lambda f: f.groupby("k")["w"].max().iloc[1:3],
        lambda f: f.groupby(f["t"].dt.day)["w"].sum().sort_values().head(2),
        lambda f: f.groupby(f["k"] + 1)["short"].sum().nlargest(2),
    ):
        made = found(_lazily(given))
        assert made._pending is not None
        pandas.testing.assert_series_equal(made.to_pandas(), found(given))
    assert not computed


@pytest.mark.parametrize("is_read", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_labels_become_columns_whether_or_not_the_result_is_read(seed: int, is_read: bool) -> None:
    given = _rows(seed)[0]
    for found in (*RESULTS, *FRAMES):
        result, expected = found(_lazily(given)), found(given)
        made, column = result.reset_index(), expected.reset_index()
        if isinstance(expected, pandas.DataFrame):
            by = ["v", "n"]
            made, column = made.sort_values(by), column.sort_values(by)
        held = result if is_read else None
        del result
        pandas.testing.assert_frame_equal(made.to_pandas(), column)
        assert held is None or held.to_pandas().equals(expected)


@pytest.mark.parametrize("most", [2**15 - 1, 2**15, -(2**15), -(2**15) - 1])
@pytest.mark.parametrize("count", [1, 5])
def test_sums_are_narrow_if_all_of_them_fit(most: int, count: int) -> None:
    given = pandas.DataFrame({"k": [1, 2, 2, 3], "n": np.array([5, most // 2, most - most // 2, 7], np.int16)})
    rows = _lazily(given)
    for found in (
        lambda f: f.groupby("k")["n"].sum().sort_values().head(count),
        lambda f: f.groupby("k")["n"].sum(),
        lambda f: f.groupby("k")["n"].sum().sort_values(kind="stable", ascending=False).iloc[1:count],
    ):
        pandas.testing.assert_series_equal(found(rows).to_pandas(), found(given))
    for found in (
        lambda f: f.groupby("k").agg(n=("n", "sum"), m=("n", "max")).nsmallest(count, "m"),
        lambda f: f.groupby("k", as_index=False)["n"].sum().head(count),
        lambda f: f[f["k"] > 5].groupby("k", as_index=False)["n"].sum().nlargest(count, "n"),
    ):
        pandas.testing.assert_frame_equal(found(rows).to_pandas(), found(given))


def test_sums_that_may_be_narrow_are_computed_before_operators() -> None:
    given: Any = pandas.DataFrame({"k": [1, 2, 2], "n": np.array([300, 100, 100], np.int16)})
    with np.errstate(over="ignore"):
        expected = given.groupby("k")["n"].sum() * np.int16(200)
        found = _lazily(given).groupby("k")["n"].sum() * np.int16(200)
    pandas.testing.assert_series_equal(found.to_pandas(), expected)


@pytest.mark.parametrize("seed", range(4))
def test_keys_that_are_no_columns_stand_beside_the_results(seed: int) -> None:
    given = _rows(seed)[0]
    rows = _lazily(given)
    for found in (
        lambda f: f.groupby(f["t"].dt.day, as_index=False).agg(s=("v", "sum")),
        lambda f: f.groupby([f["k"] % 4, "text"], as_index=False)["v"].mean(),
        lambda f: f.groupby((f["k"] + f["n"]).rename(None), as_index=False)["v"].sum(),
        lambda f: f.groupby([(f["k"] + f["n"]).rename(None), "text"], as_index=False)["v"].quantile(0.3),
        lambda f: f.groupby([f["t"].dt.day, f["k"] % 3], as_index=False).size(),
        lambda f: f.groupby(f["k"] % 3, as_index=False).agg({"v": ["min", "max"]}),
    ):
        pandas.testing.assert_frame_equal(found(rows).to_pandas(), found(given))


def test_equal_rows_are_in_the_order_of_pandas_unless_they_are_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    from akdask.pandas import tuning

    given = pandas.DataFrame({"k": np.arange(300) % 150, "v": np.arange(300) % 3})
    sizes, found = given.groupby("k").size(), _lazily(given).groupby("k").size()
    pandas.testing.assert_series_equal(
        found.sort_values(ascending=False).head(9).to_pandas(), sizes.sort_values(ascending=False).head(9)
    )
    monkeypatch.setattr(tuning, "SORTED_BY_PANDAS", 100)
    again = _lazily(given).groupby("k").size()
    stable = sizes.sort_values(ascending=False, kind="stable").head(9)
    pandas.testing.assert_series_equal(again.sort_values(ascending=False).head(9).to_pandas(), stable)


def test_groups_by_text_are_found_once_where_first_ones_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    from akdask.operators.group import plan
    from akdask.pandas import tuning

    lowered, own = list[Any](), plan._aggregated

    def noted(frame: Any) -> Any:
        lowered.append(frame)
        return own(frame)

    monkeypatch.setattr(plan, "_aggregated", noted)
    rng = np.random.default_rng(5)
    for count, most in ((0, 2**20), (1, 2**20), (3_000, 2**20), (3_000, 10)):
        monkeypatch.setattr(tuning, "SORTED_BY_PANDAS", most)
        # Sorts of very many rows keep the order of equal ones.
        stable: dict[str, Any] = {"kind": "stable"} if most < count else {}
        text = pandas.Series(rng.choice(["a", "", "ç" * 9, "b" * 40], count), dtype="str")
        text += pandas.Series(rng.integers(0, 40, count)).astype("str")
        values = np.where(rng.random(count) < 0.3, np.nan, rng.integers(0, 4, count).astype(float))
        given = pandas.DataFrame({
            "text": text.where(pandas.Series(rng.random(count) < 0.9)),
            "k": rng.integers(-2, 2, count) + 2**60,
            "v": values,
        })  # fmt: skip
        for groups in (
            lambda f: f.groupby("text").size(),
            lambda f: f.groupby(["k", "text"]).size(),
            lambda f: f.groupby("text")["v"].max(),
            lambda f: f.groupby(["text", "k"])["v"].count().rename("0 values"),
            lambda f: f.groupby("text", as_index=False).agg(n=("v", "sum"))["n"],
        ):
            for take in (
                lambda s, **by: s.sort_values(ascending=False, **by).head(3),
                lambda s, **by: s.sort_values(**by).iloc[2:40],
                lambda s, **by: s.nlargest(5),
                lambda s, **by: s.head(4),
            ):
                lowered.clear()
                found = take(groups(_lazily(given))).to_pandas()
                lacks = take(groups(given), **stable).isna().any()
                assert len(lowered) == 1 or (lacks and len(lowered) == 2)
                pandas.testing.assert_series_equal(found, take(groups(given), **stable))


def test_first_ones_of_filtered_groups_by_text_are_those_of_pandas() -> None:
    given = _rows(1)[0].assign(text=lambda rows: rows["text"] + rows["n"].astype("str"))
    for groups, take in (
        (lambda f: f.groupby("text").size(), lambda n: n[n > 3].sort_values(ascending=False).head(4)),
        (lambda f: f.groupby(["text", "k"]).size(), lambda n: n[n > n.mean()].sort_values().head(4)),
        (lambda f: f.groupby(["k", "text"])["v"].count(), lambda n: n[n % 2 == 0][n > 1].nsmallest(3)),
        (lambda f: f.groupby("text")["v"].count(), lambda n: (n * 2).sort_values().iloc[1:9]),
    ):
        with ak.config.set(pandas_fallback="silent"):
            pandas.testing.assert_series_equal(take(groups(_lazily(given))).to_pandas(), take(groups(given)))


def test_groups_by_dates_and_decimals_are_plans_and_those_of_pandas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from akdask.pandas import tuning

    monkeypatch.setattr(tuning, "READ_VALUES", -1)
    for seed, (count, share) in enumerate(((0, 0.0), (1, 0.0), (300, 0.0), (300, 0.3))):
        rng, path = np.random.default_rng(seed), tmp_path / f"{seed}.parquet"
        days = (np.datetime64("1969-12-28") + rng.integers(0, 9, count)).astype("M8[D]")
        prices = [Decimal(int(number)) / 100 for number in rng.integers(-9, 9, count)]
        columns = {
            "day": pa.array(days, mask=rng.random(count) < share),
            "price": pa.array(prices, pa.decimal128(9, 2)),
            "text": pa.array(rng.choice(["a", "b"], count), pa.string()),
            "k": pa.array(rng.integers(0, 3, count)),
            "v": pa.array(rng.random(count)),
        }
        pq.write_table(pa.table(columns), path)
        given = pandas.read_parquet(path)
        assert share or face.read_parquet(path).groupby(["price", "day"]).size()._pending is not None
        for found in (
            lambda f: f.groupby("day").size(),
            lambda f: f.groupby(["k", "day"]).size().sort_values(ascending=False).head(4),
            lambda f: f.groupby(["day", "text"])["v"].max().reset_index(),
            lambda f: f.groupby("price", as_index=False)["v"].mean(),
            lambda f: f.groupby(["price", "day"]).agg(n=("v", "sum"), size=("k", "size")).nlargest(3, "n"),
            lambda f: f.groupby("day").size().loc[lambda sizes: sizes > 2],
            lambda f: f.merge(f.groupby("day", as_index=False)["v"].sum().rename(columns={"v": "all"}), on="day"),
        ):
            with ak.config.set(pandas_fallback="silent"):
                made = found(face.read_parquet(path))
                check = pandas.testing.assert_frame_equal if made.ndim == 2 else pandas.testing.assert_series_equal
                check(made.to_pandas(), found(given))
