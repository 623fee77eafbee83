"""Integers of which joins leave some missing come to pandas exactly, however large they are."""

from __future__ import annotations

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ConversionError
from akdask.operators.join import plan as join_strategy
from tests.gaps import merged_with_gaps

BIG = 2**60 + 1
LEFT = {"k": [1, 2, 3, 2], "i": [BIG, BIG + 1, -BIG, BIG + 2]}
RIGHT = {"k": [1, 4], "u": np.array([2**64 - 1, 8], np.uint64), "b": [True, False]}
KINDS = ("left", "right", "outer")


def plain(data):
    return pd.DataFrame({name: pd.array(values) for name, values in data.items()}).astype({"k": "Int64"})


def rows(frame):
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


@pytest.fixture(params=["held", "exchanged"])
def joined(request, monkeypatch):
    if request.param == "exchanged":
        monkeypatch.setattr(join_strategy.JoinSide, "fits_broadcast", False)

    def join(how, sort=True):
        found = merged_with_gaps(ak.DataFrame(LEFT), ak.DataFrame(RIGHT), "k", how, sort=sort)
        expected = plain(LEFT).merge(plain(RIGHT), on="k", how=how)
        return found, expected.sort_values("k", ignore_index=True, kind="stable") if sort else expected

    return join


@pytest.mark.parametrize("how", KINDS)
def test_joins_are_those_of_pandas(joined, how):
    found, expected = joined(how)
    table = found.to_pandas(nullable=True)
    assert [str(dtype) for dtype in table.dtypes] == ["Int64", "Int64", "UInt64", "boolean"]
    assert rows(table) == rows(expected)


@pytest.mark.parametrize("how", KINDS)
def test_rows_that_are_moved_keep_their_integers(joined, how):
    found, expected = joined(how)
    for chosen, wanted in [
        (found[found["k"] > 1], expected[expected["k"] > 1]),
        (found[::-1], expected[::-1]),
        (found[[1, 0]], expected.iloc[[1, 0]]),
        (found.head(2), expected.head(2)),
        (found.tail(1), expected.tail(1)),
        (found.sort_values("k", ascending=False), expected.sort_values("k", ascending=False, kind="stable")),
        (found[["u", "i"]], expected[["u", "i"]]),
        (found.rename(column={"i": "j"}), expected.rename(columns={"i": "j"})),
        (found.repartition(3), expected),
        (ak.DataFrame({"u": found["u"], "i": found["i"]}), expected[["u", "i"]]),
        (ak.DataFrame.concat([found, found]), pd.concat([expected, expected])),
        (found.dropna(), expected.dropna()),
        (found.persist(), expected),
        (found.persist()[found["k"] > 1], expected[expected["k"] > 1]),
        (dask.optimize(found)[0], expected),
    ]:
        assert rows(chosen.to_pandas(nullable=True)) == rows(wanted)


def test_joins_of_joins_keep_integers_of_both(joined):
    found, expected = joined("outer")
    again = merged_with_gaps(found, ak.DataFrame({"k": [9, 4]}), "k", "outer")
    wanted = expected.merge(pd.DataFrame({"k": pd.array([9, 4])}), on="k", how="outer")
    assert rows(again.to_pandas(nullable=True)) == rows(wanted.sort_values("k", kind="stable"))


def test_integers_that_are_put_below_others_meet_them_as_in_pandas():
    found = merged_with_gaps(ak.DataFrame(LEFT), ak.DataFrame(RIGHT), "k", "right")[["i"]]
    for more, dtype, last in [([BIG], "Int64", BIG), ([0.5], "Float64", 0.5)]:
        if dtype == "Float64":
            found = ak.DataFrame({"k": [1, 2], "i": [7, None]})[["i"]]
        for parts in ([found, ak.DataFrame({"i": more})], [ak.DataFrame({"i": more}), found]):
            table = ak.DataFrame.concat(parts).to_pandas(nullable=True)
            assert str(table.dtypes["i"]) == dtype
            assert last in table["i"].dropna().tolist()
            assert table["i"].isna().sum() == 1


NARROW = {"k": [1, 2, 3, 2], "i": [5, 2**53, -(2**53), 7]}
NARROW_RIGHT = {"k": [1, 4], "u": np.array([2**63, 8], np.uint64), "b": [True, False]}


def narrow(how="left"):
    """Return a join with integers and bools of which some are missing."""
    return merged_with_gaps(ak.DataFrame(NARROW), ak.DataFrame(NARROW_RIGHT), "k", how)


def test_integers_with_missing_rows_have_nullable_types_in_pandas():
    found = narrow()
    assert [str(dtype) for dtype in found.to_pandas().dtypes] == ["int64", "int64", "UInt64", "boolean"]
    assert [str(dtype) for dtype in narrow("inner").to_pandas().dtypes] == ["int64", "int64", "uint64", "bool"]
    assert [str(dtype) for dtype in found[:1].to_pandas().dtypes] == ["int64", "int64", "uint64", "bool"]
    wanted = pd.DataFrame(NARROW).merge(pd.DataFrame(NARROW_RIGHT).astype({"u": "UInt64", "b": "boolean"}), "left", "k")
    pd.testing.assert_frame_equal(found.to_pandas(), wanted.sort_values("k", kind="stable", ignore_index=True))
    assert found["u"].dtype == np.uint64
    assert found["u"].to_ndarray().dtype == np.float64
    assert np.nansum(found["b"].to_ndarray()) == 1.0


def test_they_may_label_rows():
    found = narrow()
    labelled = ak.DataFrame({"i": found["i"]}, index=found["u"])
    expected = found["u"].to_ndarray()
    for given in (labelled, labelled.persist()):
        for table in (given.to_pandas(), given.to_pandas(nullable=True), given.compute(), given.to_dask().compute()):
            assert np.array_equal(table.index.to_numpy(), expected, equal_nan=True)
            assert table["i"].tolist() == found["i"].tolist()


def test_a_series_may_have_them():
    found = narrow()
    series = ak.Series(found["u"], index=found["u"])
    expected = found["u"].to_ndarray()
    for made in (series.to_pandas(), series.compute(), series.persist().to_pandas()):
        assert np.array_equal(made.to_numpy(), expected, equal_nan=True)
        assert np.array_equal(made.index.to_numpy(), expected, equal_nan=True)


def test_persisted_rows_are_the_same_floats():
    found = narrow("outer")
    pd.testing.assert_frame_equal(found.persist().to_pandas(), found.to_pandas())
    pd.testing.assert_frame_equal(found.compute(), found.to_pandas())
    pd.testing.assert_frame_equal(found.to_dask().compute().reset_index(drop=True), found.to_pandas())


def test_what_is_computed_of_them_is_computed_of_floats():
    found = narrow()
    found["u"] = found["u"] * 0.5
    table = found.to_pandas(nullable=True)
    assert str(table.dtypes["u"]) == "Float64"
    assert table["u"].tolist()[0] == 2.0**62


WIDE = {
    "to_ndarray": lambda df: df["i"].to_ndarray(),
    "astype": lambda df: df.astype({"i": float})["i"].to_ndarray(),
    "where": lambda df: ak.where(df["i"] > 0, df["i"], 0.5).tolist(),
}


@pytest.mark.parametrize("use", WIDE.values(), ids=WIDE)
def test_integers_that_are_no_floats_do_not_become_others(use):
    wide = {
        "join": merged_with_gaps(ak.DataFrame({"k": [1, 2]}), ak.DataFrame({"k": [1], "i": [BIG]}), "k", "left"),
        "shift": ak.DataFrame({"i": [BIG, 5]}).shift(1),
        "given": ak.DataFrame({"i": [BIG, None]}),
    }
    for df in wide.values():
        with pytest.raises(ConversionError, match=f"integer {BIG}( of column '(i|values)')? would become {BIG - 1}"):
            use(df)
        assert np.nanmax((df["i"] / 1).to_ndarray()) == float(BIG)
        assert np.isnan(float(df["i"].sum()))
        assert (df["i"] + 1).tolist().count(BIG + 1) == 1


def test_natural_numbers_filled_with_one_are_exact():
    table = pd.DataFrame({"u": pd.array([2**63 + 5, None], "UInt64"), "i": pd.array([-(2**60) - 1, None], "Int64")})
    assert ak.DataFrame(table).fillna(7)["u"].tolist() == [2**63 + 5, 7]
    assert ak.DataFrame(table).fillna(7)["i"].tolist() == [-(2**60) - 1, 7]


def test_integers_that_are_filled_compared_and_chosen_are_exact():
    df = ak.DataFrame({"i": [BIG, None, BIG + 2, 5, -1]})
    ref = pd.DataFrame({"i": pd.array([BIG, None, BIG + 2, 5, -1], "Int64")})
    assert df.fillna({"i": 0})["i"].tolist() == ref.i.fillna(0).tolist()
    assert df.i.fillna(0).tolist() == ref.i.fillna(0).tolist()
    assert ak.where(ak.isnan(df["i"]), 7, df["i"]).tolist() == ref.i.fillna(7).tolist()
    for other in (BIG, BIG + 1, 5, -1):
        for name in ("eq", "ne", "lt", "le", "gt", "ge"):
            expected = getattr(ref.i, name)(other).fillna(name == "ne").astype(bool).tolist()
            assert getattr(df.i, name)(other).tolist() == expected
            assert df[getattr(df["i"], f"__{name}__")(other)].to_pandas(nullable=True).i.tolist() == (
                ref.i[expected].tolist()
            )
    assert df.i.isna().tolist() == ref.i.isna().tolist()
    assert df.dropna()["i"].size == 4


def test_bools_of_which_some_are_missing_are_masks_and_know_three_values():
    values = [True, False, None]
    left, right = [one for one in values for _ in values], values * 3
    df, ref = ak.DataFrame({"p": left, "q": right}), pd.DataFrame({"p": left, "q": right}, dtype="boolean")
    for found, expected in [
        (df["p"] & df["q"], ref.p & ref.q),
        (df["p"] | df["q"], ref.p | ref.q),
        (~df["p"], ~ref.p),
        (df["p"] & True, ref.p & True),
        (df["p"] | False, ref.p | False),
    ]:
        table = ak.DataFrame({"r": found}).to_pandas(nullable=True)
        assert str(table.dtypes["r"]) == "boolean"
        assert rows(table) == rows(expected.to_frame())
        assert rows(df[found].to_pandas(nullable=True)) == rows(ref[expected.fillna(False)])


@pytest.mark.parametrize("how", ["left", "right", "outer"])
def test_integers_of_which_none_is_missing_leave_as_integers(how):
    plain = pd.DataFrame({"k": [1, 2], "w": [2**53 + 1, -(2**62) - 1], "b": [True, False]})
    other = pd.DataFrame({"k": [2, 1], "v": [2**61 + 1, 5]})
    expected = plain.merge(other, on="k", how=how)
    words = {"on": "k", "how": how, "sort": how == "outer"}
    found = merged_with_gaps(ak.DataFrame(plain), ak.DataFrame(other), **words).to_pandas()
    pd.testing.assert_frame_equal(found, expected)
    assert found["v"].tolist() == expected["v"].tolist()
