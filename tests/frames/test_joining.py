from __future__ import annotations

from contextlib import contextmanager

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.engine.optimizer import inputs_first, kinds_of, optimize
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError, SchemaError, UnsupportedError
from akdask.operators.join import tuning
from akdask.testing.strategies import DTYPES, columns, partition_lengths, partitioned
from tests.gaps import merged_with_gaps

MAY_LACK = {"inner": [], "left": ["y"], "right": ["x"], "outer": ["x", "y"]}
KEYS = st.lists(st.sampled_from(DTYPES), min_size=1, max_size=2)


@st.composite
def sides(draw, kinds=KEYS):
    """Two DataFrames and their plain columns, with keys drawn from few; column x or y tells the rows apart."""
    dtypes = draw(kinds)
    pool = draw(st.integers(1, 6))
    values = [draw(columns(dtype, pool)) for dtype in dtypes]
    made = []
    for payload in ("x", "y"):
        rows = draw(st.integers(0, 15))
        plain = {}
        for number, column in enumerate(values):
            picks = draw(st.lists(st.integers(0, pool - 1), min_size=rows, max_size=rows))
            plain[f"k{number}"] = column[np.array(picks, int)]
        plain[payload] = np.arange(rows) * 10
        plain["s"] = np.array([f"{payload}{row}" for row in range(rows)], str)
        lengths = draw(partition_lengths(rows))
        made.append((ak.DataFrame({name: partitioned(c, lengths) for name, c in plain.items()}), pd.DataFrame(plain)))
    return made


def on(frame):
    return [name for name in frame.columns if name.startswith("k")]


def plain_rows(frame):
    """Rows with all NaN equal, and missing text another thing than empty text."""
    return list(frame.astype(object).where(frame.notna(), "missing").itertuples(index=False, name=None))


def expected(left, right, how):
    """The rows of a join by pandas, in the order that akdask promises."""
    keys = on(left)
    if how == "inner":
        # With several keys pandas keeps no order.
        pairs = left.assign(l=np.arange(len(left))).merge(right.assign(r=np.arange(len(right))), on=keys)
        return pairs.sort_values(["l", "r"]).drop(columns=["l", "r"])
    if how != "outer":
        return left.merge(right, how, on=keys, suffixes=("_x", "_y"), sort=False)
    numbered = right.assign(number=np.arange(len(right)))
    matched = left.merge(numbered, "inner", on=keys)["number"]
    rest = right[~np.isin(np.arange(len(right)), matched)]
    first = left.merge(right, "left", on=keys, suffixes=("_x", "_y"), sort=False)
    return pd.concat([first, rest.rename(columns={"s": "s_y"})]).reindex(columns=first.columns)


@contextmanager
def searched_for(smaller):
    """Search the side with so many times as many rows for those of the other one, whatever the numbers are if 0."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "SMALLER_SIDE", smaller)
        yield


@pytest.mark.parametrize("smaller", [0, 2, 2**60])
@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@given(both=sides())
def test_joins_are_those_of_pandas(how, smaller, both):
    (left, plain_left), (right, plain_right) = both
    with searched_for(smaller):
        joined = ak.merge(left, right, on=on(plain_left), how=how, sort=False)
    wanted = expected(plain_left, plain_right, how)
    assert joined.columns == list(wanted.columns)
    found = joined.to_pandas()
    assert plain_rows(found) == plain_rows(wanted)
    # int64 that may lack a match are floats, also where all rows have one; pandas has integers there.
    wanted = wanted.astype({"x": "int64", "y": "int64"} | dict.fromkeys(MAY_LACK[how], "float64"))
    assert [kind.kind for kind in found.dtypes] == [kind.kind for kind in wanted.dtypes] or not len(wanted)
    assert len(joined) == len(wanted)


@given(both=sides(st.just(["int64"])), how=st.sampled_from(["inner", "left"]))
def test_columns_of_a_join_share_rows_and_are_computed_alone_or_together(both, how):
    (left, plain_left), (right, plain_right) = both
    wanted = expected(plain_left, plain_right, how)
    with searched_for(0):
        joined = ak.merge(left, right, on=["k0"], how=how, sort=False)
        again = joined.merge(right, ["k0"], how, right_suffix="_2", sort=False)
    sums = dask.compute(joined["x"].sum(), (joined["x"] + joined["k0"]).sum(), joined["x"].any())
    assert sums == (wanted["x"].sum(), (wanted["x"] + wanted["k0"]).sum(), wanted["x"].any())
    kept = joined[joined["x"] > 30]
    assert plain_rows(kept.to_pandas()) == plain_rows(wanted[wanted["x"] > 30])
    assert plain_rows(joined.head(3).to_pandas()) == plain_rows(wanted.head(3))
    twice = expected(wanted, plain_right.rename(columns={"y": "y_2", "s": "s_2"}), how)
    assert again["x"].tolist() == twice["x"].tolist()
    assert again["x"].sum() == twice["x"].sum()
    counts = again.groupby("k0").size()
    assert sorted(plain_rows(counts.to_pandas().reset_index())) == sorted(
        plain_rows(twice.groupby("k0").size().reset_index())
    )


@given(both=sides(), how=st.sampled_from(["inner", "left", "right", "outer"]), smaller=st.sampled_from([0, 2]))
def test_sorted_joins_have_the_same_rows_in_order_of_the_keys(both, how, smaller):
    with searched_for(smaller):
        check_order_of_keys(both, how)


def check_order_of_keys(both, how):
    (left, plain_left), (right, _) = both
    keys = on(plain_left)
    plain = left.merge(right, keys, how, sort=False).to_pandas()
    words = {name: plain[name].map(str.encode) for name in keys if plain[name].dtype == object}
    order = plain.assign(**words).sort_values(keys, kind="stable").index
    assert plain_rows(left.merge(right, keys, how).to_pandas()) == plain_rows(plain.loc[order])


@given(both=sides())
def test_rows_with_or_without_a_match_are_kept_once(both):
    (left, plain_left), (right, plain_right) = both
    keys = on(plain_left)
    found = plain_left.assign(row=np.arange(len(plain_left))).merge(plain_right, "inner", on=keys)["row"]
    has = np.isin(np.arange(len(plain_left)), found)
    for how, mask in (("semi", has), ("anti", ~has)):
        assert plain_rows(left.merge(right, keys, how, sort=False).to_pandas()) == plain_rows(plain_left[mask])


@given(sides(st.just(["str"])), st.booleans())
def test_categoricals_join_by_their_labels(both, one_sided):
    (left, plain_left), (right, plain_right) = both
    left["k0"] = ak.Categorical(left["k0"])
    if not one_sided:
        right["k0"] = ak.Categorical(right["k0"])
    joined = left.merge(right, "k0", "left", sort=False).to_pandas()
    wanted = expected(plain_left, plain_right, "left")
    assert plain_rows(joined.astype({"k0": object})) == plain_rows(wanted)


def frames():
    left = ak.DataFrame({"k": [3, 1, 2, 3], "x": [30, 10, 20, 31]})
    right = ak.DataFrame({"k": [1, 3, 4], "x": [1, 2, 3], "b": [True, False, True], "s": ["a", "b", "c"]})
    right["c"] = ak.Categorical(ak.array(["p", "q", "p"]))
    return left, right


def test_what_lacks_a_match_is_missing():
    left, right = frames()
    joined = left.merge(right, "k", "left").to_pandas()
    assert joined["x_y"].tolist()[0] == 1.0
    assert joined["x_y"].isna().tolist() == joined["b"].isna().tolist() == [False, True, False, False]
    assert joined["s"].fillna("none").tolist() == ["a", "none", "b", "b"]
    assert joined["c"].astype(object).fillna("none").tolist() == ["p", "none", "q", "q"]


def test_integers_stay_so_if_asked_for():
    left, right = frames()
    joined = left.merge(right, "k", "outer", convert_ints=False)
    assert joined.dtypes == {"k": "int64", "x_x": "int64", "x_y": "int64", "b": "bool", "s": "str", "c": "Categorical"}
    assert joined["x_x"].tolist() == [10, 20, 30, 31, -(2**63)]
    assert joined["c"].tolist() == ["p", "N/A", "q", "q", "p"]


BIG = 2**53 + 1


def test_int64_that_may_lack_a_match_are_floats_as_in_arkouda():
    values = {"i": [BIG, 5], "u": np.array([2**64 - 1, 7], np.uint64), "b": [True, False]}
    left = ak.DataFrame({"k": [1, 2], **values, "l": [1, 2]})
    right = ak.DataFrame({"k": [2, 3], **values})
    kinds = {"i": "float64", "u": "uint64", "b": "bool"}
    for how, lacking in (("left", "y"), ("right", "x"), ("outer", "xy"), ("inner", "")):
        joined = ak.merge(left, right, on="k", how=how)
        assert joined["k"].dtype == np.int64
        for name, side in ((name, side) for name in kinds for side in "xy"):
            plain = np.asarray(values[name]).dtype
            assert joined[f"{name}_{side}"].dtype == (kinds[name] if side in lacking else plain)
        assert joined["l"].dtype == ("float64" if "x" in lacking else "int64")
    outer = ak.merge(left, right, on="k", how="outer").to_pandas()
    assert outer["i_x"].tolist()[:2] == [2.0**53, 5.0]
    assert outer["i_y"].tolist()[1:] == [2.0**53, 5.0]
    assert outer["i_x"].isna().tolist() == outer["u_x"].isna().tolist() == outer["b_x"].isna().tolist()
    assert outer["u_x"].tolist()[:2] == [2**64 - 1, 7]
    assert outer["i_x"].isna().tolist() == [False, False, True]
    assert left[:0].merge(right, "k", "right")["i_x"].dtype == np.float64
    assert np.isnan(left.merge(right[:0], "k", "left")["i_y"].to_ndarray()).tolist() == [True, True]


def test_all_rows_with_a_match_are_floats_too():
    found = ak.DataFrame({"k": [1, 2]}).merge(ak.DataFrame({"k": [2, 1], "v": [5, BIG]}), "k", "left")
    assert found["v"].dtype == np.float64
    assert found["v"].tolist() == [2.0**53, 5.0]


def test_integers_with_missing_rows_become_floats_in_a_join():
    right = ak.DataFrame({"k": [1, 2, 3], "v": [5, None, BIG]})
    found = ak.DataFrame({"k": [4, 3, 2, 1]}).merge(right, "k", "left", sort=False)["v"]
    assert found.dtype == np.float64
    assert np.array_equal(found.to_ndarray(), [np.nan, 2.0**53, np.nan, 5.0], equal_nan=True)


def test_keys_of_other_names_become_floats_but_match_and_sort_as_integers():
    left = ak.DataFrame({"a": [BIG + 1, BIG, BIG - 1], "x": [0, 1, 2]})
    right = ak.DataFrame({"b": [BIG, BIG + 2], "y": [3, 4]})
    found = ak.merge(left, right, left_on="a", right_on="b", how="outer").to_pandas()
    assert found["x"].fillna(-1).tolist() == [2, 1, 0, -1]
    assert found["y"].fillna(-1).tolist() == [-1, 3, -1, 4]
    assert found["a"].dtype == found["b"].dtype == np.float64
    left_join = ak.merge(left, right, left_on="a", right_on="b", how="left")
    assert left_join["a"].tolist() == [BIG - 1, BIG, BIG + 1]


@pytest.mark.parametrize("how", ["left", "right", "outer"])
@pytest.mark.parametrize(("type_", "cast"), [("int64", -(2**63)), ("uint64", 2**63), ("bool", True), ("uint8", 0)])
def test_without_conversion_rows_have_what_nan_is_cast_to(how, type_, cast):
    left, right = (
        ak.DataFrame({"k": ak.array([k]), name: ak.ones(1).astype(type_)}) for k, name in ((1, "x"), (2, "y"))
    )
    found = left.merge(right, "k", how, convert_ints=False)
    for name in ("x", "y"):
        assert found[name].dtype == type_
        expected = {1: cast, 2: True} if name == "y" else {1: True, 2: cast}
        assert found[name].tolist() == [expected[key] for key in found["k"].tolist()]


def test_joins_by_labels_keep_integers_exactly():
    left, right = ak.DataFrame({"k": [1, 2]}), ak.DataFrame({"k": [1], "v": [BIG]})
    found = left.join(right.set_index("k"), on="k").to_pandas()["v"]
    assert found.tolist() == [BIG, pd.NA]
    assert str(found.dtype) == "Int64"


@pytest.mark.parametrize("convert_ints", [True, False])
def test_sides_of_an_outer_join_are_told_whatever_becomes_of_integers(convert_ints):
    left, right = ak.DataFrame({"k": [1, 2]}), ak.DataFrame({"k": [2, 3]})
    found = left.merge(right, how="outer", indicator=True, convert_ints=convert_ints)["_merge"]
    assert found.tolist() == ["left_only", "both", "right_only"]


def test_columns_of_other_names_stay_both():
    left, right = frames()
    joined = ak.merge(left, right, left_on="k", right_on="x", how="outer").to_pandas()
    assert joined["k_x"].tolist() == [1, 2, 3, 3]
    assert joined["k_y"].tolist() == [1, 3, 4, 4]
    assert len(ak.merge(left, right, left_on=["k"], right_on=["x"], sort=False)) == 4


def test_without_names_all_common_columns_are_keys():
    left, right = frames()
    assert ak.merge(left, right[["k", "b"]]).columns == ["k", "x", "b"]
    assert len(ak.merge(left, right)) == 0


def test_keys_of_several_types_of_numbers_meet():
    left = ak.DataFrame({"k": [1, 2]})
    right = ak.DataFrame({"k": [2.0, 2.5], "y": [5, 6]})
    assert left.merge(right, "k").to_pandas().to_dict("list") == {"k": [2], "y": [5]}
    assert left.merge(right, "k", "outer")["k"].tolist() == [1.0, 2.0, 2.5]


def test_a_join_of_what_was_joined_and_filtered():
    left, right = frames()
    joined = left.merge(right[["k", "s"]], "k", sort=False)
    again = joined[joined["x"] > 10].merge(right[["k", "b"]], "k", "left", sort=False)
    assert again[1:].to_pandas().to_dict("list") == {"k": [3], "x": [31], "s": ["b"], "b": [0.0]}
    total = again["x"] + again["k"]
    assert total.tolist() == [33, 34]
    assert len(joined.persist().merge(right[["k", "b"]], "k")) == 3


def test_rows_of_a_join_are_labelled_anew():
    left, right = frames()
    joined = left[left["k"] == 3].merge(right[["k", "s"]], "k")
    assert joined.index.tolist() == [0, 1]


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_columns_that_nobody_asks_for_are_not_looked_up():
    left, right = frames()
    plan = left.merge(right, "k", sort=False)["x_x"].explain()
    assert "lookup" not in plan
    assert "Match" in plan


def test_few_rows_with_very_many_matches_come_in_blocks():
    with ak.config.set(block_size=2**12):
        left = ak.DataFrame({"k": ak.arange(4) * 0, "x": ak.arange(4)})
        right = ak.DataFrame({"k": ak.arange(3000) // 2999, "y": ak.arange(3000)})
        joined = left.merge(right, "k", sort=False)
        assert len(joined) == 4 * 2999
        assert int((joined["x"] * joined["y"]).sum()) == 6 * sum(range(2999))
        assert joined[joined["y"] == 17]["x"].tolist() == [0, 1, 2, 3]
        assert joined["y"][2990:3005].tolist() == [*range(2990, 2999), *range(6)]


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_one_key_may_have_half_of_the_rows(partitions):
    plain = np.where(np.arange(1000) % 2, 7, np.arange(1000))
    others = pd.DataFrame({"k": plain[:100], "y": np.arange(100)})
    lengths = [len(piece) for piece in np.array_split(plain, partitions)]
    wanted = pd.DataFrame({"k": plain}).merge(others, on="k")
    with dask.config.set(scheduler="threads"):
        joined = ak.DataFrame({"k": partitioned(plain, lengths)}).merge(ak.DataFrame(others), "k", sort=False)
        assert (len(joined), int(joined["y"].sum())) == (len(wanted), wanted["y"].sum())


def test_pairs_of_equal_elements():
    lefts, rights = ak.inner_join(ak.array(["b", "a", "b"]), ak.array(["a", "b", "b"]))
    assert (lefts.tolist(), rights.tolist()) == ([0, 0, 1, 2, 2], [1, 2, 0, 1, 2])


def test_pairs_that_a_function_keeps():
    a, b = ak.array([1, 2, 1]), ak.array([1, 1])
    pairs = ak.inner_join(a, b, lambda x, y: x < y, (ak.array([5, 6, 7]), ak.array([6, 9])))
    assert [side.tolist() for side in pairs] == [[0, 0, 2], [0, 1, 1]]
    lists = [ak.array([5, 6, 7]), ak.array([0, 0, 1])], [ak.array([6, 9]), ak.array([1, 0])]
    kept = ak.inner_join(a, b, lambda x, y: (x[0] < y[0]) & (x[1] == y[1]), lists)
    assert [side.tolist() for side in kept] == [[0], [1]]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (lambda x, y: x < y, None),
        (lambda x, y: x < y, (ak.arange(3),)),
        (lambda x: x, (ak.arange(3), ak.arange(2))),
        (lambda x, y: x < y, (ak.arange(2), ak.arange(2))),
        (lambda x, y: 1 / 0, (ak.arange(3), ak.arange(2))),
    ],
)
def test_functions_that_cannot_keep_pairs_are_refused(function, arguments):
    with pytest.raises(ArgumentError, match="where"):
        ak.inner_join(ak.array([1, 2, 1]), ak.array([1, 1]), function, arguments)


def test_mistakes_are_told():
    left, right = frames()
    with pytest.raises(ArgumentError, match="'sideways'"):
        left.merge(right, "k", "sideways")
    with pytest.raises(MissingColumnError):
        left.merge(right, "z")
    with pytest.raises(ArgumentTypeError, match="cannot compare"):
        ak.merge(left, right, left_on="k", right_on="s")
    with pytest.raises(ArgumentError, match="same number of columns"):
        ak.merge(left, right, left_on=["k"], right_on=["k", "x"])
    with pytest.raises(ArgumentError, match="of both sides"):
        ak.merge(left, right[["s"]])
    with pytest.raises(ArgumentError, match="left_on"):
        ak.merge(left, right, on="k", left_on="k")
    with pytest.raises(ArgumentTypeError, match="not int"):
        left.merge(5)
    with pytest.raises(ArgumentTypeError, match="named by str"):
        left.merge(right, 5)


def test_columns_of_either_side_go_before_those_of_both():
    left, right = ak.DataFrame({"k": [1, 2], "j": [5, 6]}), ak.DataFrame({"k": [7, 8], "j": [2, 9]})
    joined = ak.merge(left, right, on="k", left_on="k", right_on="j")
    assert joined.to_pandas().to_dict("list") == {"k_x": [2], "j_x": [6], "k_y": [7], "j_y": [2]}
    with pytest.raises(SchemaError, match="same name"):
        left.merge(right, "k", left_suffix="", right_suffix="")


@pytest.mark.cluster
def test_joins_are_made_on_a_cluster(cluster_client):
    left = ak.DataFrame({"k": ak.concatenate([ak.arange(5), ak.arange(3, 9)])})
    left["x"] = left["k"] * 10
    right = ak.DataFrame({"k": ak.array([8, 3, 3]), "s": ak.array(["a", "b", "c"])})
    joined = left.merge(right, "k", "outer")
    assert joined.dropna().to_pandas().query("s != ''").to_dict("list") == {
        "k": [3, 3, 3, 3, 8], "x": [30, 30, 30, 30, 80], "s": ["b", "c", "b", "c", "a"]}  # fmt: skip


@pytest.mark.slow
@pytest.mark.cluster
def test_a_join_survives_the_loss_of_a_worker():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
        dask.config.set(scheduler="distributed"),
    ):
        left = ak.DataFrame({"k": partitioned(np.arange(100) % 7, [25] * 4), "x": ak.arange(100)})
        right = ak.DataFrame({"k": ak.arange(5), "y": ak.arange(5) * 10}).persist()
        joined = left.merge(right, "k", sort=False).persist()
        wanted = [k * 10 for k in (np.arange(100) % 7).tolist() if k < 5]
        assert joined["y"].tolist() == wanted
        victim = cluster.workers[0]
        cluster.sync(victim.kill)
        assert joined["y"].tolist() == wanted
        assert left.merge(right, "k", sort=False)["y"].tolist() == wanted


def test_columns_of_every_kind_come_along():
    times = np.array(["2026-01-01", "2026-01-02"], "datetime64[ns]")
    left = ak.DataFrame({"k": [1, 2, 3]})
    right = ak.DataFrame(
        {"k": [3, 1], "t": ak.Datetime(times), "l": ak.SegArray(ak.array([0, 1]), ak.array([7, 8, 9]))}
    )
    inner = left.merge(right, "k")
    assert inner["t"].to_ndarray().tolist() == times[::-1].tolist()
    assert [list(row) for row in inner["l"].tolist()] == [[8, 9], [7]]
    lacking = left.merge(right[["k", "t"]], "k", "left")
    np.testing.assert_array_equal(lacking["t"].to_ndarray(), np.array([times[1], "NaT", times[0]], "datetime64[ns]"))
    assert lacking.dropna()["k"].tolist() == [1, 3]
    assert len(left.append(left).merge(right[["k", "t"]], "k", "outer")) == 6
    for how in ("left", "outer"):
        with pytest.raises(UnsupportedError, match=r"list\[int64\]"):
            right.merge(left, "k", "right") if how == "left" else right.merge(left, "k", how)


KEYS_WITH_GAPS = {
    "numbers": ([2.0, np.nan, 1.0, 3.0], [np.nan, 3.0, 0.0, 1.0]),
    "text": (["b", None, "a", "c"], [None, "c", "0", "a"]),
    "times": tuple(np.array(days, "M8[ns]") for days in (["2026-01-02", "NaT", "2026-01-01"], ["NaT", "2025-01-01"])),
    "spans": tuple(np.array(days, "m8[ns]") for days in ([2, "NaT", 1], ["NaT", 0, 1])),
    "categories": tuple(
        pd.Categorical(labels, categories=["c", "b", "a", "0"]) for labels in (["b", None, "a", "c"], [None, "0", "a"])
    ),
    "other categories": (pd.Categorical(["b", None, "a"]), pd.Categorical([None, "c", "0", "a"])),
}


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("kind", KEYS_WITH_GAPS)
def test_joined_rows_are_sorted_with_missing_keys_where_pandas_has_them(kind, how):
    # First among times and categories, last among all else; labels that are joined by have them last.
    left, right = (
        pd.DataFrame({"k": keys, name: range(len(keys))}) for keys, name in zip(KEYS_WITH_GAPS[kind], "xy", strict=True)
    )
    wanted = left.merge(right, on="k", how=how, sort=True)
    joined = ak.DataFrame(left).merge(ak.DataFrame(right), "k", how).to_pandas()
    pd.testing.assert_frame_equal(joined, wanted, check_dtype=False, check_categorical=False)
    if how == "outer":
        sides = [
            ak.DataFrame(side[[name]], index=ak.DataFrame(side)["k"]) for side, name in ((left, "x"), (right, "y"))
        ]
        wanted = left.set_index("k").join(right.set_index("k"), how="outer")
        by_labels = {"how": "outer", "left_index": True, "right_index": True}
        for rows in (sides[0].join(sides[1], how="outer"), sides[0].merge(sides[1], **by_labels)):
            found = rows.to_pandas()
            assert found.index.astype(str).tolist() == wanted.index.astype(str).tolist()
            pd.testing.assert_frame_equal(
                found.reset_index(drop=True), wanted.reset_index(drop=True), check_dtype=False
            )


def test_outer_joins_have_the_labels_and_the_integers_of_both_sides():
    large = 2**53 + 1
    left = ak.DataFrame({"k": ak.Categorical(ak.array(["a", "b"])), "i": [large, 2]})
    right = ak.DataFrame({"k": ak.Categorical(ak.array(["a", "c"])), "j": [5, large]})
    joined = merged_with_gaps(left, right, "k", "outer", sort=False)
    assert joined.to_pandas(nullable=True).to_dict("list") == {
        "k": ["a", "b", "c"], "i": [large, 2, None], "j": [5, None, large]}  # fmt: skip


def test_a_missing_label_is_last_wherever_it_stands_among_the_categories():
    labels = ak.Categorical.from_codes(ak.array([2, 0, 1]), ak.array(["c", "N/A", "b"]))
    left = ak.DataFrame({"x": ak.array([1, 2, 3]), "y": ak.array([4, 5, 6])}, index=labels)
    index = pd.CategoricalIndex(["b", "c", None], categories=["c", "b"])
    wanted = pd.DataFrame({"x": [1, 2, 3], "y": [4, 5, 6]}, index=index)
    found = left[["x"]].join(left[["y"]], how="outer").to_pandas(retain_index=True)
    expected = wanted[["x"]].join(wanted[["y"]], how="outer")
    assert found.to_dict("list") == expected.to_dict("list")
    assert [str(label) for label in found.index] == [str(label) for label in expected.index] == ["c", "b", "nan"]


@pytest.mark.lazy_only
def test_the_order_of_few_indexed_rows_is_restored_only_where_it_is_read():
    given = [
        {"k": [2, 1]},
        {"k": np.arange(20) % 3, "j": np.arange(20) % 10},
        {"j": np.arange(90) % 11, "x": np.arange(90)},
    ]
    first, second, third = map(ak.DataFrame, given)
    joined = first.merge(second, "k", sort=False).merge(third, "j", sort=False)
    plain = pd.DataFrame(given[0]).merge(pd.DataFrame(given[1])).merge(pd.DataFrame(given[2]))
    few, plain_few = joined[joined["x"] % 7 < 3], plain[plain["x"] % 7 < 3]
    for rows, wanted in ((joined, plain), (few, plain_few)):
        assert rows.to_pandas().to_numpy().tolist() == wanted.to_numpy().tolist()
        for result in (rows["x"].sum(), rows.groupby("k")["j"].sum()):
            assert "Sort" not in kinds_of(inputs_first(optimize([result.expr])))
        assert rows["x"].sum() == wanted["x"].sum()
        assert rows.groupby("k")["j"].sum().to_pandas().tolist() == wanted.groupby("k")["j"].sum().tolist()
    few = first.merge(second, "k", sort=False)
    wanted = pd.DataFrame(given[2]).merge(pd.DataFrame(given[0]).merge(pd.DataFrame(given[1])), on="j")
    assert third.merge(few, "j", sort=False).to_pandas().to_numpy().tolist() == wanted.to_numpy().tolist()


def test_indexed_rows_are_computed_once_for_their_keys_and_other_columns():
    left = {"k": [3, 1, 2, 3, 9]}
    right = {"k": [1, 3, 4, 3, 2], "at": [1, 0, 2, 1, 0], "y": [1, 2, 3, 4, -5]}
    plain = pd.DataFrame(right).query("y > 0").reset_index(drop=True)
    kept = ak.DataFrame(right)
    kept = kept[kept["y"] > 0]
    joined = ak.DataFrame(left).merge(kept, "k", sort=False)
    wanted = pd.DataFrame(left).merge(plain, on="k")
    nodes = inputs_first(optimize([(joined["y"] + joined["at"]).sum().expr]))
    assert kinds_of(nodes)["Gather"] == 1
    assert [type(node.frame.frame).__name__ for node in nodes if type(node).__name__ == "BuildIndex"] == ["Gather"]
    assert joined.to_pandas().to_numpy().tolist() == wanted.to_numpy().tolist()
    # One of the columns takes rows of another one of the same rows, which is computed first.
    moved = ak.DataFrame({"k": kept["k"], "y": kept["y"], "other": kept["y"][kept["at"]]})
    found = ak.DataFrame(left).merge(moved, "k", sort=False).to_pandas()
    wanted = pd.DataFrame(left).merge(
        plain.assign(other=plain["y"].to_numpy()[plain["at"]])[["k", "y", "other"]], on="k"
    )
    assert found.to_numpy().tolist() == wanted.to_numpy().tolist()
