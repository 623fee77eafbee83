"""Ordered Categoricals keep the order of their labels; the reference is pandas."""

import operator
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError

GRADES = pd.CategoricalDtype(["lo", "mid", "hi", "top"], ordered=True)
"""In alphabetical order they would be hi, lo, mid, top."""

ROWS = pd.DataFrame(
    {
        "c": pd.Categorical(["mid", "lo", None, "hi", "lo", "mid"], dtype=GRADES),
        "d": pd.Categorical(["hi", "lo", "mid", None, "top", "lo"], dtype=GRADES),
        "k": [1, 2, 1, 2, 1, 2],
        "x": [10, 20, 30, 40, 50, 60],
    }
)
FULL = ROWS.dropna(ignore_index=True)


@pytest.fixture
def lazy():
    # Rows of several partitions, of frames whose categories are equal and not the same.
    return ak.DataFrame.concat([ak.DataFrame(ROWS[:2]), ak.DataFrame(ROWS[2:].reset_index(drop=True))])


@pytest.fixture
def full(lazy):
    return lazy.dropna().reset_index(drop=True)


def same(found, wanted, **options):
    found = found.to_pandas() if hasattr(found, "to_pandas") else found
    if isinstance(wanted, pd.DataFrame):
        pd.testing.assert_frame_equal(found, wanted, check_dtype=False, check_index_type=False, **options)
    elif isinstance(wanted, pd.Series):
        if isinstance(wanted.dtype, pd.CategoricalDtype):
            assert found.cat.ordered == wanted.cat.ordered
            assert found.cat.categories.tolist() == wanted.cat.categories.tolist()
        pd.testing.assert_series_equal(
            found, wanted, check_dtype=False, check_categorical=False, check_index_type=False, **options
        )
    elif isinstance(wanted, pd.Categorical):
        same(pd.Series(found), pd.Series(wanted))
    else:
        assert found == wanted or (pd.isna(found) and pd.isna(wanted))


def test_the_order_comes_from_pandas_and_goes_back():
    for given in (ROWS, ROWS.c, ROWS.c.array):
        made = ak.DataFrame(given) if given is ROWS else ak.Series(given) if given is ROWS.c else ak.Categorical(given)
        found = made.to_pandas()
        found = found.c if given is ROWS else pd.Series(found, name="c")
        same(found, ROWS.c)
    assert ak.Categorical(ROWS.c.array).ordered
    assert not ak.Categorical(ROWS.c.cat.as_unordered().array).ordered
    plain = ak.Categorical(pd.Categorical(["b", "a"], categories=["b", "a"])).to_pandas()
    assert (plain.ordered, plain.categories.tolist()) == (False, ["b", "a", "N/A"])


def test_the_order_comes_from_a_type(full):
    text = ak.array(["lo", "top", "none", "hi"])
    wanted = pd.Series(["lo", "top", None, "hi"]).astype(GRADES)
    same(text.astype(GRADES), wanted.array)
    same(ak.cast(text, GRADES), wanted.array)
    same(ak.Series(text).astype(GRADES), wanted)
    same(ak.DataFrame({"s": text}).astype({"s": GRADES}).s, wanted.rename("s"))
    backwards = pd.CategoricalDtype(GRADES.categories[::-1], ordered=True)
    same(full.c.astype(backwards), FULL.c.astype(backwards))
    same(full.c.astype(pd.CategoricalDtype(ordered=True)), FULL.c)


def test_the_order_comes_from_arrow_and_goes_back(lazy):
    column = pa.array(ROWS.c)
    assert column.type.ordered
    same(ak.from_arrow(pa.table({"c": column})).c, ROWS.c)
    table = lazy.to_arrow()
    assert table.column("c").type.ordered
    pd.testing.assert_series_equal(table.column("c").to_pandas(), ROWS.c, check_names=False)
    assert lazy["c"].to_arrow().type.ordered
    assert lazy["c"].to_arrow().null_count == 1
    assert not lazy["c"].as_unordered().to_arrow().type.ordered


KEEPING = [
    lambda f: f, lambda f: f[f.x > 20], lambda f: f.sort_values("x", ascending=False), lambda f: f.head(3),
    lambda f: f.tail(2), lambda f: f.iloc[1:4], lambda f: f.iloc[[3, 0]], lambda f: f.loc[[4, 1]], lambda f: f[["c"]],
    lambda f: f.assign(y=1), lambda f: f.rename(columns={"x": "z"}), lambda f: f.dropna(),
    lambda f: f.drop_duplicates("c"),
    lambda f: f.shift(1), lambda f: f.set_index("x"), lambda f: f.reset_index(drop=True), lambda f: f.nlargest(3, "x"),
    lambda f: f.reindex([3, 1]), lambda f: f.take([2, 1]), lambda f: f.query("x > 20"),
    lambda f: (ak if isinstance(f, ak.DataFrame) else pd).concat([f, f]), lambda f: f.sort_values("c"),
    lambda f: f.merge(f[["x"]], on="x"), lambda f: f.sort_index(), lambda f: f.copy(),
]  # fmt: skip


@pytest.mark.parametrize("call", KEEPING)
def test_rows_that_are_chosen_keep_the_order(lazy, call):
    wanted = call(ROWS)
    found = call(lazy).to_pandas()
    assert found.c.cat.ordered
    assert found.c.cat.categories.tolist() == GRADES.categories.tolist()
    same(found.c.reset_index(drop=True), wanted.c.reset_index(drop=True))


def test_plans_keep_the_order_when_they_are_kept_or_sent(lazy):
    for column in (lazy["c"].persist(), lazy.persist()["c"], pickle.loads(pickle.dumps(lazy))["c"], lazy["c"].copy()):
        assert column.ordered
        same(column, ROWS.c.array)


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("by", ["c", ["c", "x"], ["d", "c"], ["k", "c"]])
def test_sorts_go_by_the_order(lazy, by, ascending):
    same(lazy.sort_values(by, ascending=ascending), ROWS.sort_values(by, ascending=ascending, kind="stable"))


def test_arrays_are_sorted_by_the_order(lazy):
    column = lazy["c"]
    wanted = ROWS.c.sort_values(kind="stable")
    same(column.sort_values(), wanted.array)
    same(ak.sort(column), wanted.array)
    assert column.argsort().tolist() == wanted.index.tolist()
    assert ak.argsort(column).tolist() == wanted.index.tolist()
    assert ak.coargsort([column, lazy["x"]]).tolist() == ROWS.sort_values(["c", "x"]).index.tolist()
    same(lazy.c.sort_values(ascending=False), ROWS.c.sort_values(ascending=False, kind="stable"))
    same(lazy.set_index("c").sort_index(), ROWS.set_index("c").sort_index(kind="stable"))
    assert bool(column.sort_values()[:5].is_sorted())
    assert not bool(column.is_sorted())


def test_extremes_go_by_the_order(lazy, full):
    for how in ("min", "max"):
        assert getattr(lazy["c"], how)() == getattr(ROWS.c, how)()
        assert getattr(lazy.c, how)() == getattr(ROWS.c, how)()
        assert int(getattr(lazy["c"], f"arg{how}")()) == getattr(ROWS.c, f"idx{how}")()
        assert getattr(lazy.c, f"idx{how}")() == getattr(ROWS.c, f"idx{how}")()
        with pytest.raises(ArgumentTypeError, match="no order"):
            getattr(lazy["c"].as_unordered(), how)()
    assert np.isnan(lazy["c"][lazy["c"].isna()].max())
    same(full.c.rank(), FULL.c.rank())
    same(full.c.rank(method="dense", ascending=False), FULL.c.rank(method="dense", ascending=False))


COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("compare", COMPARISONS)
def test_comparisons_go_by_the_order(lazy, compare):
    for label in GRADES.categories:
        if compare is not operator.ne:
            same(compare(lazy.c, label), compare(ROWS.c, label))
            assert compare(lazy["c"], label).tolist() == compare(ROWS.c, label).tolist()
    found = compare(lazy["c"], lazy["d"])
    there = (ROWS.c.notna() & ROWS.d.notna()).to_numpy()
    assert np.array(found.tolist())[there].tolist() == compare(ROWS.c, ROWS.d).to_numpy()[there].tolist()
    if compare not in (operator.ne, operator.eq):
        assert found.tolist() == compare(ROWS.c, ROWS.d).tolist()
        same(compare(lazy.c, lazy.d), compare(ROWS.c, ROWS.d))


@pytest.mark.parametrize("compare", COMPARISONS[:4])
def test_what_has_no_order_is_not_compared_by_it(lazy, compare):
    unordered = lazy["c"].as_unordered()
    others = ak.Categorical(pd.Categorical(["lo"] * 6, categories=["lo", "hi"], ordered=True))
    for one, other in ((unordered, "lo"), (unordered, unordered), (lazy["c"], unordered), (lazy["c"], others)):
        with pytest.raises(ArgumentTypeError):
            compare(one, other)
    for wrong in ("none", 5, None):
        with pytest.raises(TypeError):
            compare(lazy["c"], wrong)
        with pytest.raises(TypeError):
            compare(ROWS.c, wrong)


def test_masks_and_queries_go_by_the_order(lazy):
    same(lazy[lazy.c > "lo"], ROWS[ROWS.c > "lo"])
    same(lazy[lazy["c"] <= "mid"], ROWS[ROWS["c"] <= "mid"])
    same(lazy.query("c > 'lo'"), ROWS.query("c > 'lo'"))
    same(lazy.c.between("lo", "mid"), ROWS.c.between("lo", "mid"))


@pytest.mark.parametrize(
    "call",
    [
        lambda f: f.groupby("c", observed=True)["x"].sum(), lambda f: f.groupby("c", observed=True)[["x"]].mean(),
        lambda f: f.groupby(["k", "c"], observed=True)["x"].sum(), lambda f: f.groupby("c", observed=True).size(),
        lambda f: f.groupby("k").c.max(), lambda f: f.groupby("k").c.min(), lambda f: f.groupby("k").c.first(),
        lambda f: f.groupby("k")[["c"]].max(), lambda f: f.groupby("k").agg(least=("c", "min"), most=("c", "max")),
        lambda f: f.groupby("k").c.idxmax(), lambda f: f.groupby("k").c.idxmin(), lambda f: f.groupby("k").max(),
        lambda f: f.groupby("c", observed=True).agg(x=("x", "sum")).reset_index(),
    ],
)  # fmt: skip
def test_groups_go_by_the_order(full, call):
    def observed(frame):
        if isinstance(frame, pd.DataFrame):
            return frame
        return Plain(frame)

    same(call(observed(full)), call(FULL), check_names=False)


class Plain:
    """Groups of a frame, of whose keys only those that occur are ever there."""

    def __init__(self, frame):
        self._frame = frame

    def groupby(self, by, observed=True):
        return self._frame.groupby(by)


def test_rows_below_each_other_keep_an_order_that_they_share(lazy):
    other = ak.DataFrame(ROWS)
    same(ak.concat([lazy, other]).c, pd.concat([ROWS, ROWS]).c)
    same(ak.concatenate([lazy["c"], other["c"]]), pd.concat([ROWS, ROWS]).c.array)
    same(lazy["c"].concatenate([other["c"]]), pd.concat([ROWS, ROWS]).c.array)
    different = ak.Categorical(pd.Categorical(["hi"], categories=["hi", "lo"], ordered=True))
    assert not ak.concatenate([lazy["c"], different]).ordered
    assert ak.concatenate([lazy["c"], different]).tolist()[-1] == "hi"


def test_joins_keep_the_order(full):
    other = ak.DataFrame(FULL)
    for how in ("inner", "left"):
        wanted = FULL.merge(FULL, on="c", how=how).sort_values(["c", "x_x", "x_y"], ignore_index=True)
        found = full.merge(other, on="c", how=how).sort_values(["c", "x_x", "x_y"], ignore_index=True)
        same(found, wanted)


def test_values_that_are_replaced_keep_the_order(lazy):
    same(lazy.c.where(lazy.x > 20, "top"), ROWS.c.where(ROWS.x > 20, "top"))
    same(lazy.c.where(lazy.x > 20, lazy.d), ROWS.c.where(ROWS.x > 20, ROWS.d))
    found = ak.where(lazy["x"] > 20, lazy["c"], "new")
    assert not found.ordered
    assert found.tolist()[0] == "new"


def test_other_categories(full):
    for categories in (["hi", "lo", "mid", "top"], ["top", "hi", "mid", "lo"]):
        same(full.c.cat.reorder_categories(categories), FULL.c.cat.reorder_categories(categories))
        same(
            full.c.cat.reorder_categories(categories, ordered=False).cat.as_ordered(),
            FULL.c.cat.reorder_categories(categories),
        )
    same(full.c.cat.set_categories(["hi", "lo"]), FULL.c.cat.set_categories(["hi", "lo"]))
    same(full.c.cat.reset_categories(), FULL.c.cat.remove_unused_categories())
    with pytest.raises(ArgumentError):
        full["c"].reorder_categories(["lo"])
    assert full["c"].ordered
    assert not full["c"].as_unordered().ordered
    same(full["c"].as_unordered().as_ordered(), FULL.c.array)
    # Without an order, labels are sorted as text, as in Arkouda.
    assert full["c"].as_unordered().sort_values().tolist() == sorted(FULL.c.tolist())


def test_bins_are_ordered():
    values = [1.0, 7.0, 3.0, 20.0]
    found, wanted = ak.cut(ak.array(values), [0, 5, 10, 100]), pd.cut(values, [0, 5, 10, 100])
    assert found.ordered
    assert found.to_pandas().categories.tolist() == [str(one) for one in wanted.categories]
    assert found.argsort().tolist() == wanted.argsort(kind="stable").tolist()
    named = ak.cut(ak.array(values), [0, 5, 10, 100], labels=["small", "big", "huge"])
    assert (named < "huge").tolist() == (
        pd.cut(values, [0, 5, 10, 100], labels=["small", "big", "huge"]) < "huge"
    ).tolist()
    assert ak.qcut(ak.array(values), 2).ordered


def test_missing_labels_are_last_in_every_order(lazy):
    unordered = lazy["c"].as_unordered()
    for ascending in (True, False):
        found = unordered[ak.argsort(unordered, ascending=ascending)]
        assert found.isna().tolist() == [False] * 5 + [True]


@pytest.mark.parametrize("side", ["left", "right"])
def test_labels_are_looked_for_in_their_order(full, side):
    ordered, wanted = ak.sort(full["c"]), FULL.c.sort_values()
    for label in GRADES.categories:
        assert ak.searchsorted(ordered, label, side=side) == wanted.searchsorted(label, side=side)
    several = ["top", "lo", "hi"]
    assert ak.searchsorted(ordered, ak.array(several), side=side).tolist() == list(
        wanted.searchsorted(several, side=side)
    )
    assert ak.searchsorted(ordered, full["c"], side=side).tolist() == list(wanted.searchsorted(FULL.c, side=side))
    with pytest.raises(TypeError):
        wanted.searchsorted("new")
    with pytest.raises(ArgumentTypeError, match="'new'"):
        ak.searchsorted(ordered, "new")


def test_missing_labels_are_filled_with_one_that_has_a_place(lazy):
    same(lazy.c.fillna("top"), ROWS.c.fillna("top"))
    same(lazy.fillna({"c": "hi"}).c, ROWS.fillna({"c": "hi"}).c)
    with pytest.raises(TypeError):
        ROWS.c.fillna("new")
    with pytest.raises(ArgumentTypeError, match="'new'"):
        lazy.c.fillna("new")
    assert lazy["c"].as_unordered().fillna("new").tolist()[2] == "new"


def test_bounds_go_by_the_order(full):
    for bounds in (("lo", "mid"), ("mid", None), (None, "lo"), (None, None)):
        same(full.c.clip(*bounds), FULL.c.clip(*bounds))
    same(full.c.clip("mid"), FULL.c.clip("mid"))


def test_dask_and_other_libraries_see_the_order(lazy):
    dd = pytest.importorskip("dask.dataframe")
    assert ak.from_dask(dd.from_pandas(ROWS, npartitions=2))["c"].ordered
    same(lazy.to_dask().compute().c.reset_index(drop=True), ROWS.c)
    told = lazy.__dataframe__().get_column_by_name("c").describe_categorical
    assert told["is_ordered"]


def test_the_label_for_missing_has_no_place_wherever_it_stands(tmp_path):
    made = ak.Categorical.from_codes([2, 1, 0, 2], ["lo", "none", "hi"], na_value="none", ordered=True)
    wanted = pd.Series(pd.Categorical(["hi", None, "lo", "hi"], categories=["lo", "hi"], ordered=True))
    same(made, wanted.array)
    same(ak.Series(made), wanted)
    pd.testing.assert_series_equal(made.to_arrow().to_pandas(), wanted, check_names=False)
    assert made.argsort().tolist() == wanted.argsort(kind="stable").tolist()
    assert (made.min(), made.max(), int(made.argmin()), int(made.argmax())) == ("lo", "hi", 2, 0)
    assert (made < "hi").tolist() == (wanted < "hi").tolist()
    ak.DataFrame({"c": made}).to_parquet(tmp_path / "set.parquet")
    pd.testing.assert_series_equal(pd.concat(map(pd.read_parquet, tmp_path.glob("set*"))).c, wanted, check_names=False)
    same(ak.DataFrame.load(tmp_path / "set.parquet").c, wanted.rename("c"))


def test_an_order_is_shared_only_if_all_have_it(lazy):
    other = ak.Categorical(ROWS.c.cat.as_unordered().array)
    for found in (ak.concatenate([lazy["c"], other]), ak.concatenate([other, lazy["c"]])):
        assert not found.ordered
        assert found[6:].isna().tolist() == ROWS.c.isna().tolist()


# categories that no row has


UNUSED = {
    "value_counts": lambda d: d.c.value_counts(),
    "value_counts of all": lambda d: d.c.value_counts(dropna=False),
    "value_counts in order": lambda d: d.c.value_counts(sort=False),
    "value_counts from the rarest": lambda d: d.c.value_counts(ascending=True),
    "value_counts as parts": lambda d: d.c.value_counts(normalize=True),
    "value_counts of groups": lambda d: d.groupby("k")["c"].value_counts(sort=False).sort_index(),
    "nunique of groups": lambda d: d.groupby("k")["c"].nunique(),
    "sum": lambda d: d.groupby("c", observed=False)["x"].sum(),
    "mean": lambda d: d.groupby("c", observed=False)["x"].mean(),
    "prod": lambda d: d.groupby("c", observed=False)["x"].prod(),
    "any": lambda d: d.groupby("c", observed=False)["x"].any(),
    "all": lambda d: d.groupby("c", observed=False)["x"].all(),
    "first": lambda d: d.groupby("c", observed=False)["t"].first(),
    "size": lambda d: d.groupby("c", observed=False).size(),
    "with missing keys": lambda d: d.groupby("c", observed=False, dropna=False)["x"].sum(),
    "of two keys": lambda d: d.groupby(["c", "k"], observed=False)["x"].min(),
    "of two Categoricals": lambda d: d.groupby(["c", "d"], observed=False)["x"].count(),
    "of a Series": lambda d: d.x.groupby(d.c, observed=False).sum(),
    "agg": lambda d: d.groupby("c", observed=False).agg(a=("x", "sum"), n=("x", "count"), b=("x", "min")),
    "observed": lambda d: d.groupby("c", observed=True)["x"].sum(),
    "pivot_table": lambda d: d.pivot_table(values="x", index="c", columns="k", aggfunc="sum", observed=False),
    "pivot_table, observed": lambda d: d.pivot_table(values="x", index="k", columns="c", aggfunc="sum"),
    "codes": lambda d: d.c.cat.codes,
    "remove_unused_categories": lambda d: d.c.cat.remove_unused_categories().value_counts(sort=False),
    "add_categories": lambda d: d.c.cat.add_categories(["z", "y"]).value_counts(sort=False),
    "remove_categories": lambda d: d.c.cat.remove_categories("lo").value_counts(sort=False),
    "rename_categories": lambda d: d.c.cat.rename_categories({"lo": "mid", "mid": "lo"}).value_counts(sort=False),
    "rename_categories by a function": lambda d: d.c.cat.rename_categories(str.upper).value_counts(sort=False),
    "rename_categories in order": lambda d: d.c.cat.rename_categories(list("dcba")).value_counts(sort=False),
}


@pytest.mark.parametrize("call", UNUSED)
def test_categories_that_no_row_has(call):
    rows = ROWS.assign(t=pd.date_range("2024", periods=len(ROWS), unit="ns"), k=["q", "p", "q", "p", "q", "q"])
    expected = UNUSED[call](rows)
    found = UNUSED[call](ak.DataFrame(rows)).to_pandas()
    check = pd.testing.assert_frame_equal if isinstance(expected, pd.DataFrame) else pd.testing.assert_series_equal
    expected.index, found.index = (
        pd.MultiIndex.from_tuples(one.index) if one.index.nlevels > 1 else one.index.astype(str)
        for one in (expected, found)
    )
    if isinstance(expected, pd.DataFrame):
        expected.columns = expected.columns.astype(str)
    check(found, expected, check_dtype=False, check_names=False, check_freq=False)


def test_names_of_categories_are_checked(lazy):
    categories = lazy.c.cat
    for call in (
        lambda: categories.add_categories("lo"),
        lambda: categories.remove_categories(["nowhere"]),
        lambda: categories.rename_categories(["a"]),
        lambda: categories.rename_categories({"lo": "mid"}),
    ):
        with pytest.raises(ArgumentError):
            call()
    assert categories.categories.tolist() == [*GRADES.categories]
    # The label for missing may stand anywhere among those of files, and is no category of pandas'.
    labels = ak.Categorical.from_codes(ak.array([0, 1, 2]), ["N/A", "b", "a"])
    assert ak.Series(labels).cat.codes.tolist() == [-1, 0, 1]
    assert ak.Series(labels).cat.categories.tolist() == ["b", "a"]
    with pytest.raises(UnsupportedError):
        ak.DataFrame(ROWS).groupby(["c", "k"], observed=False, dropna=False).size()
