"""Steps of a few lines of frames, each by itself: pandas is the reference."""

from __future__ import annotations

from itertools import product

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, PositionError, UnfitArgumentError
from akdask.frames import alignment, conversion, display, distinct, elementwise, expressions, functions, reductions
from akdask.frames.interchange import Samples
from akdask.storage.objects import ObjType
from akdask.testing.memory import MemorySource

GAPS = np.array([np.nan, 2.0, 5.0, np.nan, np.nan, 1.0, -3.0, 4.0, np.nan, 7.0])
WHEN = pd.to_datetime("2024-01-01") + pd.to_timedelta([0, 1, 3, 4, 9, 10, 12, 13, 20, 21], "D")
KEYS = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2])


def same(found, wanted):
    """Compare two objects of rows of numbers, one lazy and one of pandas."""
    found = found.to_pandas() if hasattr(found, "to_pandas") else found
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(wanted, float), rtol=1e-9, atol=1e-12)


# ---- weights that decay


@pytest.mark.parametrize("adjust", [True, False])
@pytest.mark.parametrize("ignore_na", [True, False])
@pytest.mark.parametrize("weight", [{"com": 1}, {"span": 4, "min_periods": 3}])
def test_decaying_weights_are_those_of_pandas(adjust, ignore_na, weight):
    how = weight | {"adjust": adjust, "ignore_na": ignore_na}
    for items in (GAPS, GAPS[1:2]):
        lazy, wanted = ak.Series(items).ewm(**how), pd.Series(items).ewm(**how)
        calls = [("mean", {}), ("var", {}), ("var", {"bias": True}), ("std", {}), ("std", {"bias": True})]
        for name, options in calls + [("sum", {})] * adjust:
            same(getattr(lazy, name)(**options), getattr(wanted, name)(**options))
    if not adjust:
        with pytest.raises(ArgumentError, match="adjust=True"):
            ak.Series(GAPS).ewm(**how).sum()
    frame = pd.DataFrame({"k": KEYS, "x": GAPS})
    lazy, wanted = ak.DataFrame({"k": KEYS, "x": GAPS}).groupby("k").ewm(**how), frame.groupby("k").ewm(**how)
    for name in ("mean", "var"):
        same(getattr(lazy, name)()["x"], getattr(wanted, name)()["x"])


@pytest.mark.parametrize("ignore_na", [True, False])
@pytest.mark.parametrize("adjust", [True, False])
def test_weights_decay_with_the_time_between_rows(ignore_na, adjust):
    how = {"halflife": "2D", "times": WHEN, "ignore_na": ignore_na, "adjust": adjust}
    lazy = lambda: ak.Series(GAPS).ewm(**how | {"times": ak.Datetime(WHEN)})  # noqa: E731
    try:
        wanted = pd.Series(GAPS).ewm(**how).mean()
    except NotImplementedError:
        with pytest.raises(AkdaskError):
            lazy().mean()
        return
    same(lazy().mean(), wanted)
    for name in ("var", "std", "sum"):
        with pytest.raises(AkdaskError):
            getattr(lazy(), name)()


@pytest.mark.parametrize("least", [1, 2, 3])
def test_growing_windows_of_groups_have_rows_enough(least):
    for items in (GAPS, np.arange(10), np.arange(10) / 4):
        frame = pd.DataFrame({"k": KEYS, "x": items})
        lazy = ak.DataFrame({"k": KEYS, "x": items}).groupby("k").expanding(least)
        wanted = frame.groupby("k").expanding(least)
        for name in ("sum", "mean", "var", "std", "min", "max", "count"):
            same(getattr(lazy, name)()["x"], getattr(wanted, name)()["x"])


# ---- expressions


def test_expressions_have_a_length():
    for text in ("", " \n", "x" + " " * expressions.LONGEST):
        with pytest.raises(ArgumentError, match="characters, not"):
            expressions.ExpressionText(text)
    assert expressions.ExpressionText("x" + " " * (expressions.LONGEST - 1)).tree is not None


FRAME = pd.DataFrame({"x": GAPS, "y": np.arange(10.0) - 4, "n": np.arange(10), "s": list("abcdeabcde"), "t": WHEN})
LAZY = ak.DataFrame({name: ak.Datetime(WHEN) if name == "t" else FRAME[name].to_numpy() for name in FRAME})


@pytest.mark.parametrize(
    "text",
    [
        "arctan2(x, y)", "sqrt(abs(y))", "sin(x) + cos(y)", "y.abs() > 2", "x.isna()", "x.notna() & (n > 3)",
        "~x.isnull()",
        "n.isin([1, 3, 7])", "n.between(2, 5)", "n.between(2, 5, inclusive='left')", "x.notnull()",
        "t.between('2024-01-04', '2024-01-11')",
    ],
)  # fmt: skip
def test_functions_and_methods_of_expressions_are_those_of_pandas(text):
    same(LAZY.eval(text), FRAME.eval(text, engine="python"))


@pytest.mark.parametrize(
    "text", ["nothing(x)", "sin(x, y)", "arctan2(x)", "arctan2(x, y, n)", "sin(x=x)", "x.cumsum()", "(1).isna()"]
)
def test_other_functions_and_methods_of_expressions_are_refused(text):
    with pytest.raises(AkdaskError):
        LAZY.eval(text)


# ---- types


@pytest.mark.parametrize(
    ("items", "dtype", "wanted"),
    [
        ([1.0, np.nan], "Int64", pd.array([1, None], "Int64")),
        ([1.0, 0.5], "Int64", pd.array([1.0, 0.5], "Float64")),
        ([2.0**53 - 1, np.nan], "Int64", pd.array([2**53 - 1, None], "Int64")),
        ([2.0**53, np.nan], "Int64", pd.array([2.0**53, None], "Float64")),
        ([-(2.0**54), 1.0], "Int64", pd.array([-(2.0**54), 1.0], "Float64")),
        ([1.0, 0.0, np.nan], "boolean", pd.array([True, False, None], "boolean")),
        ([2.0, 0.0], "boolean", pd.array([2.0, 0.0], "Float64")),
        ([1.0, np.nan], "Float64", pd.array([1.0, None], "Float64")),
        ([1, 2], "Int64", pd.array([1, 2], "Int64")),
        ([np.inf], "Int64", pd.array([np.inf], "Float64")),
    ],
)
def test_floats_become_nullable_where_the_type_holds_them(items, dtype, wanted):
    found = conversion.as_nullable(np.array(items), dtype)
    pd.testing.assert_extension_array_equal(found, wanted)


def test_masks_become_nan_and_other_columns_stay():
    given = pd.DataFrame(
        {"i": pd.array([2, None], "Int64"), "b": pd.array([None, True], "boolean"), "f": [0.5, 1.5], "s": ["a", "b"]}
    )
    found = conversion.without_masks(given)
    assert str(given["i"].dtype) == "Int64"
    assert [str(found[name].dtype) for name in "ibf"] == ["float64"] * 3
    np.testing.assert_array_equal(found["i"], [2.0, np.nan])
    np.testing.assert_array_equal(found["b"], [np.nan, 1.0])
    assert found["s"].tolist() == ["a", "b"]
    plain = given[["f", "s"]]
    assert conversion.without_masks(plain) is plain


@pytest.mark.parametrize("convert", [None, True, False])
def test_text_of_dasks_frames_is_of_the_type_that_dask_is_set_to(convert):
    with dask.config.set({"dataframe.convert-string": convert}):
        dtype = ak.DataFrame({"s": ["a", "b"]}).to_dask().dtypes["s"]
    assert (dtype == "string[pyarrow]") == (convert is not False)


@pytest.mark.parametrize(
    ("results", "wanted"),
    [
        ([], None), (["a", None, np.nan, pd.NA], str), ([1, -2], np.int64), ([2**63, 1], np.uint64),
        ([2**63, -1], "bigint"), ([2**64], "bigint"), ([-(2**63), 2**63 - 1], np.int64), ([-(2**63) - 1], "bigint"),
        ([1, 2.5], np.float64), ([True, False], np.bool_), ([1, None], np.float64), ([np.float32(1)], np.float64),
    ],
)  # fmt: skip
def test_results_of_functions_have_a_type_in_common(results, wanted):
    assert elementwise._type_in_common(results) == wanted


def test_results_that_are_no_single_values_are_refused():
    for results in ([1, "a"], [[1, 2]], [{}], [1j], ["a", 1.5]):
        with pytest.raises(ArgumentTypeError, match="returns numbers, bool or text"):
            elementwise._type_in_common(results)


@pytest.mark.parametrize(
    "function", [len, str.upper, lambda item: item if isinstance(item, str) else "none", lambda _: 1.5]
)
def test_functions_of_text_see_nan_for_missing_text_if_they_can(function):
    for items in (["b", None, "ab"], ["b", "", "ab"]):
        wanted = []
        for item in items:
            try:
                wanted.append(function(np.nan if item is None else item))
            except TypeError:
                wanted.append(None)
        found = ak.Series(ak.array(pd.Series(items))).apply(function).tolist()
        assert [None if pd.isna(item) else item for item in found] == wanted


BIG = 2**53


@pytest.mark.parametrize("name", ["__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"])
def test_integers_are_rounded_beside_floats_as_numpy_rounds_them(name):
    integers, floats = np.array([BIG - 1, BIG, BIG + 1, BIG + 2]), np.array([BIG, BIG, BIG, BIG + 2], float)
    for one, other in product((integers, floats, floats - 1), (integers, floats, float(BIG), BIG + 1, BIG)):
        given = [ak.array(side) if isinstance(side, np.ndarray) else side for side in (one, other)]
        left, right = elementwise.rounded_sides(*given)
        assert getattr(left, name)(right).tolist() == getattr(one, name)(other).tolist()
        for side, rounded in zip(given, (left, right), strict=True):
            if not isinstance(side, int | float) and side.dtype.kind == "f":
                assert rounded is side
    for one, other in (
        (ak.array(integers), 0.5),
        (ak.array(integers), 3),
        (ak.array(["a"]), 1e300),
        (True, ak.array(floats)),
    ):
        assert elementwise.rounded_sides(one, other)[0] is one


# ---- several columns


@pytest.mark.parametrize("ddof", [0, 1, 2, 9])
def test_covariances_leave_out_pairs_with_missing_rows(ddof):
    gaps = pd.DataFrame({"x": GAPS, "y": np.arange(10.0) ** 2, "z": GAPS[::-1] * 3, "n": np.arange(10) * 2**55})
    for columns in (["x", "y", "z", "n"], ["y", "n"], ["x"]):
        lazy = ak.DataFrame({name: gaps[name].to_numpy() for name in columns})
        wanted = np.full((len(columns),) * 2, np.nan)
        for one, other in product(range(len(columns)), repeat=2):
            rows = gaps[[columns[one], columns[other]]].to_numpy(float)
            rows = rows[~np.isnan(rows).any(axis=1)]
            if len(rows) > ddof:
                wanted[one, other] = np.cov(*rows.T, ddof=ddof)[0, 1]
        same(lazy.cov(ddof=ddof), wanted)
    names, (counts, products, first, second) = reductions.moments_of_pairs(ak.DataFrame({"x": GAPS, "y": GAPS[::-1]}))
    both = ~np.isnan(GAPS) & ~np.isnan(GAPS[::-1])
    left, right = (side[both] - side[both].mean() for side in (GAPS, GAPS[::-1]))
    assert names == ["x", "y"]
    assert counts.tolist() == [[6, both.sum()], [both.sum(), 6]]
    np.testing.assert_allclose([products[0, 1], first[0, 1], second[0, 1]], [left @ right, left @ left, right @ right])
    np.testing.assert_allclose([products[1, 0], first[1, 0], second[1, 0]], [left @ right, right @ right, left @ left])


def test_large_integers_across_columns_have_the_mean_of_pandas():
    frame = pd.DataFrame({"a": [2**62, -(2**62), 5, 2**63 - 1], "b": [2**62, -(2**62), 6, 2**63 - 1]})
    lazy = ak.DataFrame({name: frame[name].to_numpy() for name in frame})
    exact = [sum(map(int, row)) / 2 for row in frame.to_numpy()]
    assert lazy.mean(axis=1).tolist() == exact
    mixed = ak.DataFrame({"a": np.array([2**63 + 2**11, 2**64 - 1], np.uint64), "b": np.array([-1, 2**62])})
    assert mixed.mean(axis=1).tolist() == [(2**63 + 2**11 - 1) / 2, (2**64 - 1 + 2**62) / 2]


def test_missing_rows_come_from_another_frame():
    one = pd.DataFrame({"a": [1.0, np.nan, np.nan], "b": [np.nan, 5.0, 6.0]}, index=[0, 1, 2])
    other = pd.DataFrame({"b": [10.0, 20.0, 30.0], "c": [7.0, 8.0, 9.0]}, index=[1, 0, 5])
    lazy = [ak.DataFrame({c: f[c].to_numpy() for c in f}, index=ak.array(f.index.to_numpy())) for f in (one, other)]
    found, wanted = lazy[0].combine_first(lazy[1]).to_pandas(), one.combine_first(other)
    pd.testing.assert_frame_equal(
        found.sort_index()[wanted.columns.tolist()],
        wanted.sort_index(),
        check_dtype=False,
        check_index_type=False,
        check_names=False,
    )
    with pytest.raises(ArgumentTypeError, match="takes a DataFrame"):
        lazy[0].combine_first([1])


@pytest.mark.parametrize("q", [0.5, 0.0, [0.25, 1.0], [0.1]])
def test_quantiles_of_columns_are_those_of_pandas(q):
    frame = pd.DataFrame({"x": GAPS, "n": np.arange(10)})
    lazy = ak.DataFrame({name: frame[name].to_numpy() for name in frame})
    for interpolation in ("linear", "lower", "nearest"):
        found, wanted = lazy.quantile(q, interpolation=interpolation), frame.quantile(q, interpolation=interpolation)
        same(found, wanted)
        assert (found.to_pandas() if hasattr(found, "to_pandas") else found).index.tolist() == wanted.index.tolist()


def test_descriptions_of_times_are_those_of_pandas():
    for times in (WHEN, WHEN[:0], pd.DatetimeIndex([*WHEN[:3], pd.NaT])):
        found = ak.DataFrame({"t": ak.Datetime(times)}).describe(percentiles=[0.75, 0.25])
        wanted = pd.DataFrame({"t": times}).describe(percentiles=[0.75, 0.25])
        found = found.to_pandas() if hasattr(found, "to_pandas") else found
        kept = [name for name in wanted.index if name in found.index]
        assert kept == list(found.index)
        assert {"count", "mean", "min", "max", "25%", "75%"} <= set(kept)
        for name in kept:
            one, other = found["t"][name], wanted["t"][name]
            assert one == other or (pd.isna(one) and pd.isna(other))


# ---- rows


def test_samples_are_rows_by_position():
    samples = Samples(LAZY[["n", "y", "s"]])
    assert len(samples) == 10
    rows = FRAME[["n", "y", "s"]].to_dict("records")
    for index in (0, 9, -1, -10):
        assert samples[index] == rows[index]
    assert samples.__getitems__([3, -2, 3]) == [rows[3], rows[-2], rows[3]]
    assert samples.__getitems__([]) == []
    for wrong in ([10], [-11], [0, 10], [0, -11]):
        with pytest.raises(PositionError, match="there are 10 rows"):
            samples.__getitems__(wrong)


def test_rows_are_looked_for_among_those_of_a_frame_with_the_same_columns():
    one = {"x": [1, 2, 2, 3], "s": ["a", "b", "c", "a"]}
    other = {"x": [2, 3, 9], "s": ["b", "b", "a"]}
    rows = set(zip(*other.values(), strict=True))
    found = distinct.intx(ak.DataFrame(one), ak.DataFrame(other))
    assert found.tolist() == [row in rows for row in zip(*one.values(), strict=True)]
    for wrong in ({"s": other["s"], "x": other["x"]}, {"x": other["x"]}, {}):
        with pytest.raises(ArgumentError, match="same columns"):
            distinct.intx(ak.DataFrame(one), ak.DataFrame(wrong))
    for pair in ((ak.DataFrame(one), one), (one, ak.DataFrame(one))):
        with pytest.raises(ArgumentTypeError, match="another DataFrame"):
            distinct.intx(*pair)


def test_objects_of_one_kind_are_joined():
    assert functions.generic_concat([[1], [2, 3]]) == [1, 2, 3]
    assert functions.generic_concat([ak.arange(2), ak.arange(3)]).tolist() == [0, 1, 0, 1, 2]
    indices = [ak.Index(ak.array([1, 2])), ak.Index(ak.array([5])), ak.Index(ak.array([2]))]
    assert functions.generic_concat(indices).tolist() == [1, 2, 5, 2]
    frames = [ak.DataFrame({"x": [1]}), ak.DataFrame({"x": [2, 3]})]
    assert functions.generic_concat(frames)["x"].tolist() == [1, 2, 3]
    for wrong in ([], [ak.arange(2), [1]], [frames[0], indices[0]]):
        with pytest.raises(ArgumentTypeError, match="of one kind"):
            functions.generic_concat(wrong)


def test_numbers_become_arrays_of_the_kind_of_another():
    numbers = ak.array([7, 8])
    assert functions.get_callback(numbers)(numbers) is numbers
    for kind in (ak.Datetime, ak.Timedelta, ak.IPv4):
        found = functions.get_callback(kind(ak.array([1])))(numbers)
        assert type(found) is kind
    bits = ak.BitVector(ak.array([1]), width=4, reverse=True)
    found = functions.get_callback(bits)(numbers)
    assert (type(found), found.width, found.reverse) == (type(bits), 4, True)


def test_series_take_calls_of_ufuncs_alone():
    series = ak.Series(np.array([1.0, 4.0]))
    assert np.sqrt(series).tolist() == [1.0, 2.0]
    assert np.add.reduce(series) == 5.0
    for call in (
        lambda: np.add.accumulate(series), lambda: np.add.outer(series, series), lambda: np.add(series, 1, dtype="f4"),
        lambda: np.add(series, 1, where=np.array([True, False])), lambda: np.sqrt(series, out=np.zeros(2)),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call()
    target = ak.Series(np.array([0.0, 0.0]))
    assert np.sqrt(series, out=target) is target
    assert target.tolist() == [1.0, 2.0]


def test_tables_of_counts_take_rows_whose_labels_all_have():
    one = pd.Series([1, 2, 1, 2], index=[0, 1, 2, 3])
    other, third = pd.Series(list("abba"), index=[3, 2, 1, 9]), pd.Series([0, 0, 1, 1], index=[1, 2, 3, 4])
    lazy = [ak.Series(ak.array(item.to_numpy()), index=ak.array(item.index.to_numpy())) for item in (one, other, third)]
    for sides in ((0, 1), (1, 0), (2, 0), (0, 0), (1, 2)):
        left, right = ((one, other, third)[side] for side in sides)
        wanted = pd.crosstab(left, right)
        found = ak.crosstab(*(lazy[side] for side in sides)).to_pandas()
        assert found.to_numpy().tolist() == wanted.to_numpy().tolist()


# ---- labels


@pytest.mark.parametrize("labels", [[3.0, np.nan, 1.0, 2.0], [2, 1, 3], ["b", "a", "c"], list(WHEN[[2, 0, 1]])])
@pytest.mark.parametrize("ascending", [True, False])
def test_sorted_labels_have_missing_ones_at_either_end(labels, ascending):
    wanted = pd.Index(labels)
    index = ak.Index(ak.Datetime(wanted) if wanted.dtype.kind == "M" else ak.array(np.array(labels)), "name")
    for where in ("first", "last"):
        how = {"ascending": ascending, "na_position": where}
        found = index.sort_values(**how)
        both, positions = index.sort_values(return_indexer=True, **how)
        for one in (found, both):
            pd.testing.assert_index_equal(one.to_pandas(), wanted.sort_values(**how), check_names=False, exact=False)
            assert one.name == "name"
        assert wanted.take(positions.to_ndarray()).equals(wanted.sort_values(**how))
    with pytest.raises(ArgumentError):
        index.sort_values(na_position="middle")


def test_sorted_levels_come_with_their_positions():
    levels = [[2, 1, 1, 2], ["b", "b", "a", "a"]]
    index, wanted = ak.MultiIndex([ak.array(level) for level in levels]), pd.MultiIndex.from_arrays(levels)
    for ascending in (True, False):
        found = index.sort_values(ascending=ascending)
        both, positions = index.sort_values(return_indexer=True, ascending=ascending)
        for one in (found, both):
            assert list(zip(*(level.tolist() for level in one.levels), strict=True)) == list(
                wanted.sort_values(ascending=ascending)
            )
        assert wanted.take(positions.to_ndarray()).equals(wanted.sort_values(ascending=ascending))
    assert type(index.sort_values()) is ak.MultiIndex


def test_times_among_labels_move_by_steps_spans_and_offsets():
    wanted = pd.DatetimeIndex(WHEN, name="t")
    index = ak.Index(ak.Datetime(wanted), "t")
    for periods, freq in ((2, "D"), (-1, "h"), (1, "ME")):
        pd.testing.assert_index_equal(index.shift(periods, freq).to_pandas(), wanted.shift(periods, freq), exact=False)
    for step in (pd.Timedelta("1h"), pd.offsets.MonthEnd()):
        pd.testing.assert_index_equal((index + step).to_pandas(), wanted + step, exact=False)
        pd.testing.assert_index_equal((index - step).to_pandas(), wanted - step, exact=False)
    assert index.day.tolist() == wanted.day.tolist()
    assert type(index.floor("2D")) is ak.Index
    assert index.floor("2D").name == "t"
    numbers = ak.Index(ak.array([3, 1]))
    assert ((numbers + 1).tolist(), (numbers - 1).tolist()) == ([4, 2], [2, 0])
    with pytest.raises(ArgumentTypeError, match="labels that are times"):
        numbers.shift(1, "D")
    with pytest.raises(TypeError):
        ak.MultiIndex([ak.array([1]), ak.array([2])]) + 1


@pytest.mark.parametrize("nlevels", [1, 2])
def test_indices_are_stored_by_their_levels(tmp_path, nlevels):
    levels = [ak.array([3, 1]), ak.array(["b", "a"])][:nlevels]
    index = ak.Index(levels[0]) if nlevels == 1 else ak.MultiIndex(levels)
    assert index._storable().kind is (ObjType.INDEX if nlevels == 1 else ObjType.MULTIINDEX)
    index.to_hdf(str(tmp_path / "x.h5"))
    (found,) = ak.read_hdf(str(tmp_path / "x*")).values()
    assert type(found) is type(index)
    assert found.nlevels == nlevels


@pytest.mark.parametrize("values", [[1, 2, 2], [3, 3, 1], [2], [1, 3, 2], [1.0, np.nan], [np.nan, 1.0], [], ["b", "a"]])
def test_values_that_never_fall_or_rise_are_told(values):
    wanted = pd.Series(values, dtype=None if values else float)
    found = ak.Series(ak.array(np.array(values, dtype=None if values else float)))
    assert found.is_monotonic_increasing is wanted.is_monotonic_increasing
    assert found.is_monotonic_decreasing is wanted.is_monotonic_decreasing


def test_times_with_missing_ones_have_no_order():
    for times, rises, falls in (
        (WHEN[:3], True, False),
        (WHEN[:3][::-1], False, True),
        ([*WHEN[:2], pd.NaT], False, False),
    ):
        found = ak.Series(ak.Datetime(pd.DatetimeIndex(times)))
        assert (found.is_monotonic_increasing, found.is_monotonic_decreasing) == (rises, falls)


@pytest.mark.parametrize("sep", ["|", ",", "ab"])
def test_fields_of_text_become_columns(sep):
    items = [f"x{sep}y", "y", "", f"z{sep}x", f"yy{sep}y", None]
    for some in (items[:5], items):
        wanted = pd.Series(some, dtype=object).str.get_dummies(sep)
        found = ak.Series(ak.array(pd.Series(some))).str.get_dummies(sep).to_pandas()
        assert found[wanted.columns.tolist()].to_numpy().tolist() == wanted.to_numpy().tolist()
        assert sorted(found) == sorted(wanted)


def test_rows_are_grouped_by_their_only_level():
    frame = pd.DataFrame({"x": [1, 2, 4]}, index=pd.Index([5, 7, 5], name="k"))
    lazy = ak.DataFrame({"x": [1, 2, 4]}, index=ak.Index(ak.array([5, 7, 5]), "k"))
    for level in (0, -1, "k"):
        assert lazy.groupby(level=level).sum()["x"].tolist() == frame.groupby(level=level).sum()["x"].tolist()
    for level in (1, -2, "x", True, False):
        with pytest.raises(ArgumentError, match="one level"):
            lazy.groupby(level=level)
    with pytest.raises(ArgumentError, match="either by keys"):
        lazy.groupby("x", level=0)
    with pytest.raises(ArgumentError, match="at least one column"):
        lazy.groupby([])


def test_missing_rows_are_filled_by_the_labels_of_another_frame():
    one = pd.DataFrame({"a": [1.0, np.nan, 3.0], "n": [1, 2, 3]}, index=[0, 1, 2])
    for other in (
        pd.DataFrame({"a": [9.0, 8.0, np.nan], "n": [5, 6, 7]}, index=[0, 1, 2]),
        pd.DataFrame({"a": [9.0, np.nan], "n": [5, 6]}, index=[1, 5]),
    ):
        lazy, its = (
            ak.DataFrame({c: f[c].to_numpy() for c in f}, index=ak.array(f.index.to_numpy())) for f in (one, other)
        )
        same(lazy.fillna(its)["a"], one.fillna(other)["a"])


def test_windows_need_a_column_of_numbers():
    lazy = ak.DataFrame({"s": ["a", "b"], "x": [1.0, 2.0]})
    assert lazy.ewm(com=1).mean(numeric_only=True)["x"].tolist() == pytest.approx([1.0, 5 / 3])
    assert lazy.expanding().sum(numeric_only=True)["x"].tolist() == [1.0, 3.0]
    for windows in (lambda df: df.ewm(com=1), lambda df: df.expanding()):
        with pytest.raises(ArgumentTypeError, match="needs columns of numbers"):
            windows(ak.DataFrame({"s": ["a", "b"]}))


def labels_of(frame):
    return alignment._origin_of(frame._row_labels)


@pytest.mark.lazy_only
def test_labels_that_are_chosen_from_the_default_ones_are_known_by_their_plan():
    lazy = ak.DataFrame({"x": [3, 1, 2, 5]})
    x = lazy["x"]
    for frame, origin in (
        (lazy, (4, True)), (lazy[x > 1], (4, False)), (lazy.head(2), (2, True)), (lazy.tail(1), (4, False)),
        (lazy.sort_values("x"), (4, True)), (lazy[::-1], (4, True)), (lazy[1:3], (4, False)),
        (lazy.sort_values("x").head(3), (4, False)),
        (ak.DataFrame({"x": [1, 2]}, index=ak.array([1, 0])), (2, True)),
        (ak.DataFrame({"x": [1, 2]}, index=ak.array([2, 0])), (3, False)),
        (ak.DataFrame({"x": [1, 2]}, index=ak.array([0, 0])), None),
        (ak.DataFrame({"x": [1, 2]}, index=ak.array([-1, 0])), None),
        (ak.DataFrame({"x": [1, 2]}, index=ak.array([0.0, 1.0])), None),
    ):  # fmt: skip
        found = labels_of(frame)
        assert (found and (found.rows, found.is_all)) == origin
    whole, part = labels_of(lazy), labels_of(lazy[x > 1])
    assert whole.has_all_of(part)
    assert whole.has_all_of(whole)
    assert not part.has_all_of(whole)
    assert not part.has_all_of(part)
    assert not labels_of(ak.DataFrame({"x": [1, 2]})).has_all_of(whole)


@pytest.mark.lazy_only
@pytest.mark.parametrize("lengths", [[4], [2, 2], [1, 2, 1], [4, 0, 0, 0]])
@pytest.mark.parametrize("is_filtered", [False, True])
def test_edges_of_rows_that_are_not_counted_are_those_of_the_first_and_last_partition(lengths, is_filtered):
    x = MemorySource({"x": np.arange(4)}, lengths).arrays()["x"]
    columns = ak.DataFrame({"x": x[x > 0] if is_filtered else x})._columns
    first, last = display._edge_partitions(columns)
    if is_filtered and len(lengths) > 1:
        assert (first.frame.numbers, last.frame.numbers) == ((0,), (len(lengths) - 1,))
        assert first.frame.frame is last.frame.frame is columns.frame
    else:
        assert first is last is columns


def test_levels_are_equal_where_all_are():
    levels = ([1, 2, 2], ["a", "b", "a"])
    index = ak.MultiIndex([ak.array(level) for level in levels])
    for others, are_equal in (
        (levels, True), (([1, 2, 3], levels[1]), False), ((levels[0], ["a", "b", "b"]), False),
        (([0, 0, 0], ["x", "y", "z"]), False), ((levels[1], levels[0]), False), ((*levels, [1, 1, 1]), False),
        ((levels[0], ak.Categorical(ak.array(levels[1]))), False),
    ):  # fmt: skip
        other = ak.MultiIndex([level if isinstance(level, ak.Categorical) else ak.array(level) for level in others])
        assert bool(index.equal_levels(other)) is are_equal


def test_quantiles_of_windows_are_from_0_to_1_and_in_proportion():
    rows = ak.Series(np.arange(4.0))
    for q in (0, 0.25, 1):
        same(rows.rolling(2).quantile(q), pd.Series(np.arange(4.0)).rolling(2).quantile(q))
    for q in (-0.01, 1.01, np.nan):
        with pytest.raises(ArgumentError, match="from 0 to 1"):
            rows.rolling(2).quantile(q)
    for interpolation in ("lower", "nearest"):
        with pytest.raises(AkdaskError, match="in proportion"):
            rows.rolling(2).quantile(0.5, interpolation=interpolation)


@pytest.mark.parametrize("value", [7, 0.5, np.int64(7), np.float64(0.5), [7, 8], [0.5, 1.5]])
def test_new_columns_of_some_rows_are_nan_elsewhere(value):
    chosen = np.array([True, False, True])
    df, wanted = ak.DataFrame({"x": [1, 2, 3]}), pd.DataFrame({"x": [1, 2, 3]})
    df.loc[ak.array(chosen), "new"] = ak.array(value) if isinstance(value, list) else value
    wanted.loc[chosen, "new"] = value
    same(df["new"], wanted["new"])
    for other in (["a", "b"], [True, False]):
        with pytest.raises(ArgumentTypeError, match="only numbers make a new column"):
            df.loc[ak.array(chosen), "other"] = ak.array(other)


@pytest.mark.parametrize("least", [-1, 0, 1, 2, 3, 4])
def test_groups_of_fewer_values_than_wanted_have_no_result(least):
    frame = pd.DataFrame({"k": [0, 1, 0, 1, 0, 2], "x": [1.0, np.nan, 3.0, 5.0, 6.0, np.nan]})
    lazy = ak.DataFrame({name: frame[name].to_numpy() for name in frame})
    for name in ("sum", "min", "max", "prod"):
        found, wanted = (getattr(df.groupby("k"), name)(min_count=least)["x"] for df in (lazy, frame))
        same(found, wanted)


def test_kinds_of_arrays_are_told():
    arrays = {
        "int": ak.arange(2), "uint": ak.arange(2, dtype="uint64"), "float": ak.array([0.5]), "bool": ak.array([True]),
        "bigint": ak.array([2**70]), "str": ak.array(["a"]), "time": ak.Datetime(ak.arange(2)),
        "category": ak.Categorical(ak.array(["a"])),
    }  # fmt: skip
    for test, kinds in (
        (functions.is_numeric, {"int", "uint", "float", "bigint"}), (functions.is_float, {"float"}),
        (functions.is_int, {"int", "uint", "bigint"}),
    ):  # fmt: skip
        assert {name for name, array in arrays.items() if test(array)} == kinds
        assert {name for name, array in arrays.items() if test(ak.Series(array))} == kinds
        assert not test(7)


def test_conditions_are_arrays_columns_or_functions():
    rows = pd.DataFrame({"x": [1.5, 2, 3], "y": [4, 5, 6.5]})
    frame = ak.DataFrame(rows)
    series, truths = ak.Series(frame["x"]), [True, False, True]
    with pytest.raises(ArgumentTypeError, match="a condition is an array"):
        series.where(truths, 0)
    for cond, wanted in (
        (ak.array(truths), truths), (lambda own: own > 1.75, lambda own: own > 1.75), (frame["x"] != 2, rows["x"] != 2),
    ):  # fmt: skip
        for name in ("where", "mask"):
            found = getattr(series, name)(cond, 0).to_pandas()
            assert found.tolist() == getattr(rows["x"], name)(wanted, 0).tolist()


def test_labels_and_values_of_a_series_are_arrays_both():
    values = ak.array([1, 2])
    assert ak.Series([[values, values], values]).to_pandas().to_dict() == {(1, 1): 1, (2, 2): 2}
    for labels in ([values, "x"], [values, [1, 2]]):
        with pytest.raises(UnfitArgumentError):
            ak.Series([labels, values])
