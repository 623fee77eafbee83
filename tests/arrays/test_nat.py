"""NaT is missing everywhere, as in pandas; NumPy and pandas are the reference."""

import operator

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.engine.values import Call, walk
from akdask.errors import ArgumentError, ArgumentTypeError, TimeOverflowError

NAT = np.iinfo(np.int64).min
TIMES = np.array(["2026-01-05", "NaT", "2024-02-29T12:34:56.789", "2026-01-05", "1969-07-20", "NaT"], "M8[ns]")
SPANS = TIMES - TIMES[0]
KEYS = np.array([1, 1, 2, 2, 3, 4])

COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)

edges = st.sampled_from([NAT, NAT + 1, 0, 1, 2**63 - 1])
elements = st.lists(st.one_of(edges, st.integers(-5, 5)), min_size=1, max_size=12)


@pytest.fixture(params=[1, 3])
def frames(request):
    given = pd.DataFrame({"t": TIMES, "k": KEYS, "d": SPANS})
    with ak.config.set(small_array=2 if request.param > 1 else 2**20):
        yield given, ak.DataFrame({"t": TIMES, "k": KEYS, "d": SPANS})


def same(found, expected):
    """Compare with a Series of pandas, whose labels do not matter."""
    found = found.to_pandas() if hasattr(found, "to_pandas") else found
    pd.testing.assert_series_equal(
        pd.Series(found).reset_index(drop=True), expected.reset_index(drop=True), check_names=False, check_dtype=False
    )


@given(elements, elements, st.sampled_from("Mm"))
def test_comparisons_are_those_of_numpy(left, right, kind):
    count = min(len(left), len(right))
    one, other = (np.array(side[:count], np.int64).view(f"{kind}8[ns]") for side in (left, right))
    lazy, more = ak.array(one), ak.array(other)
    for compare in COMPARISONS:
        expected = compare(one, other).tolist()
        assert compare(lazy, more).tolist() == expected
        assert compare(lazy, other).tolist() == expected
        for known in other[:3]:
            assert compare(lazy, known).tolist() == compare(one, known).tolist()
            assert compare(lazy, known.astype(f"{kind}8[ns]")).tolist() == compare(one, known).tolist()


@pytest.mark.parametrize("compare", COMPARISONS)
def test_masks_leave_out_times_that_are_not_there(compare, tmp_path):
    ak.DataFrame({"t": TIMES, "k": KEYS}).to_parquet(f"{tmp_path}/x")
    df = ak.DataFrame(ak.read_parquet(f"{tmp_path}/x*"))
    for bound in (TIMES[0], TIMES[2], TIMES[4], np.datetime64("NaT", "ns")):
        assert df["k"][compare(df["t"], bound)].tolist() == KEYS[compare(TIMES, bound)].tolist()


def test_a_row_without_a_match_does_not_pass_a_comparison():
    left, right = {"k": [1, 2]}, {"k": [1], "t": TIMES[:1]}
    joined = ak.DataFrame(left).merge(ak.DataFrame(right), on="k", how="left")
    expected = pd.DataFrame(left).merge(pd.DataFrame(right), on="k", how="left")
    bound = np.datetime64("2026-01-10")
    assert joined[joined["t"] < bound].shape == expected[expected["t"] < bound].shape == (1, 2)
    assert joined.query("t < '2026-01-10'").shape == (1, 2)
    same(joined.t.dt.year, expected.t.dt.year)
    same(joined.t.dt.floor("D"), expected.t.dt.floor("D"))


@pytest.mark.parametrize(
    "field",
    [
        "year",
        "month",
        "day",
        "hour",
        "minute",
        "second",
        "nanosecond",
        "day_of_year",
        "day_of_week",
        "quarter",
        "days_in_month",
        "is_leap_year",
        "is_month_start",
        "is_month_end",
        "is_quarter_start",
        "is_year_end",
    ],
)
def test_fields_of_times(frames, field):
    expected, df = frames
    same(getattr(df.t.dt, field), getattr(expected.t.dt, field))
    there = pd.Series(TIMES).dropna()
    assert getattr(ak.Datetime(there), field).dtype == (bool if field.startswith("is") else np.int64)


@pytest.mark.parametrize("method", ["day_name", "month_name", "normalize"])
def test_names_of_times(frames, method):
    expected, df = frames
    same(getattr(df.t.dt, method)(), getattr(expected.t.dt, method)())


@pytest.mark.parametrize("field", ["days", "seconds", "microseconds", "nanoseconds"])
def test_fields_of_spans(frames, field):
    expected, df = frames
    same(getattr(df.d.dt, field), getattr(expected.d.dt, field))
    same(df.d.dt.total_seconds(), expected.d.dt.total_seconds())


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@pytest.mark.parametrize("freq", ["D", "h", "7s"])
def test_rounding_keeps_what_is_missing(frames, how, freq):
    expected, df = frames
    for name in "td":
        same(getattr(df[name], how)(freq), getattr(expected[name].dt, how)(freq))


@pytest.mark.parametrize(
    "compute",
    [
        lambda t, d: t + d,
        lambda t, d: d + t,
        lambda t, d: t - d,
        lambda t, d: t - t,
        lambda t, d: d + d,
        lambda t, d: d - d,
        lambda t, d: d * 3,
        lambda t, d: 3 * d,
        lambda t, d: d * 1.5,
        lambda t, d: d / 2,
        lambda t, d: d / 2.5,
        lambda t, d: d / pd.Timedelta("1h"),
        lambda t, d: d // pd.Timedelta("7h"),
        lambda t, d: d % pd.Timedelta("7h"),
        lambda t, d: -d,
        abs,
        lambda t, d: t + pd.Timedelta("1D"),
        lambda t, d: t - pd.Timestamp("2020-01-01"),
        lambda t, d: pd.Timestamp("2020-01-01") - t,
        lambda t, d: t - pd.NaT,
        lambda t, d: t + pd.NaT,
        lambda t, d: d + pd.NaT,
    ],
)
def test_arithmetic_propagates(frames, compute):
    expected, df = frames
    if compute is abs:
        same(abs(df["d"]), abs(expected["d"]))
    else:
        same(compute(df["t"], df["d"]), compute(expected["t"], expected["d"]))


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("name", ["t", "d"])
def test_sorts_put_what_is_missing_last(frames, name, ascending):
    expected, df = frames
    order = expected.sort_values(name, ascending=ascending, kind="stable").index.tolist()
    # Downwards, positions of equal elements are reversed.
    rows = expected if ascending else expected[::-1]
    positions = rows.sort_values(name, ascending=ascending, kind="stable").index.tolist()
    assert ak.argsort(df[name], ascending=ascending).tolist() == positions
    assert df.argsort(name, ascending=ascending).tolist() == positions
    same(ak.sort(df[name], ascending=ascending), expected[name].iloc[order])
    assert df.sort_values(name, ascending=ascending).index.tolist() == order
    assert df.sort_values(name, ascending=ascending, na_position="first").index.tolist() == (
        expected.sort_values(name, ascending=ascending, kind="stable", na_position="first").index.tolist()
    )
    same(df.set_index(name).sort_index(ascending=ascending)["k"], expected["k"].iloc[order])
    both = expected.sort_values([name, "k"], ascending=[ascending, not ascending], kind="stable").index.tolist()
    assert df.sort_values([name, "k"], ascending=[ascending, not ascending]).index.tolist() == both
    assert ak.coargsort([df[name], df["k"]], ascending=[ascending, not ascending]).tolist() == both
    sought = np.sort(expected[name].to_numpy())
    assert ak.searchsorted(ak.sort(df[name]), df[name]).tolist() == np.searchsorted(sought, expected[name]).tolist()


@pytest.mark.parametrize("name", ["t", "d"])
def test_groups_of_missing_keys_are_last(frames, name):
    expected, df = frames
    sums = expected.groupby(name, dropna=False).k.sum()
    keys, found = ak.GroupBy(df[name], dropna=False).sum(df["k"])
    same(keys, sums.index.to_series())
    assert found.tolist() == sums.tolist()
    assert ak.GroupBy(df[name]).sum(df["k"])[1].tolist() == expected.groupby(name).k.sum().tolist()
    same(ak.unique(df[name]), pd.Series(np.unique(expected[name].to_numpy())))
    several = expected.groupby([name, "k"], dropna=False).d.count()
    found = ak.GroupBy([df[name], df["k"]], dropna=False).count(df["d"])
    assert found[0][1].tolist() == several.index.get_level_values(1).tolist()
    counted = df[name].value_counts()
    assert counted[1].tolist()[-1] == 2
    assert pd.isna(counted[0].to_pandas()[-1])


@pytest.mark.parametrize("how", ["min", "max", "mean", "sum", "std", "count", "nunique", "median"])
@pytest.mark.parametrize("name", ["t", "d"])
def test_reductions_of_groups_skip_what_is_missing(frames, name, how):
    expected, df = frames
    if (name, how) == ("t", "sum"):
        with pytest.raises(ArgumentTypeError):
            df.groupby("k")[name].sum()
        return
    found, wanted = (getattr(item.groupby("k")[name], how)() for item in (df, expected))
    if how in ("mean", "median", "std"):
        # pandas computes them of floats, which do not hold nanoseconds since 1970.
        gap = (found.to_pandas() - wanted).abs().max()
        assert pd.isna(gap) or gap < pd.Timedelta(300, unit="ns")
        assert found.to_pandas().isna().tolist() == wanted.isna().tolist()
    else:
        same(found, wanted)


@pytest.mark.parametrize("how", ["min", "max", "mean", "sum"])
def test_reductions_of_groups_propagate_where_asked_to(how):
    keys, spans = ak.array(KEYS), ak.array(SPANS)
    found = getattr(ak.GroupBy(keys), how)(spans, skipna=False)[1].to_ndarray()
    expected = [getattr(np, how)(SPANS[key == KEYS]) for key in np.unique(KEYS)]
    np.testing.assert_array_equal(found, np.array(expected))


def test_reductions_of_all_propagate_and_those_of_what_is_there_do_not(frames):
    expected, df = frames
    for name in "td":
        for how in ("min", "max", "mean", "median", "std"):
            assert getattr(df[name], how)().value() is pd.NaT
            there = ak.array(expected[name].dropna().to_numpy())
            found, wanted = (
                getattr(there, how)().value(),
                getattr(expected[name].dropna(), how)(**({"ddof": 0} if how == "std" else {})),
            )
            assert abs(found - wanted) < pd.Timedelta(300, unit="ns")
            if how != "std":
                assert getattr(getattr(df, name), how, None) is not None
        assert int(df[name].argmin()) == int(df[name].argmax()) == 1
        assert getattr(df, name).min(skipna=True) == expected[name].min()
        assert getattr(df, name).max(skipna=True) == expected[name].max()
    assert df["d"].sum().value() is pd.NaT
    assert df.d.sum(skipna=True) == expected.d.sum()


@pytest.mark.parametrize("how", ["cummin", "cummax", "shift", "diff", "rank"])
@pytest.mark.parametrize("name", ["t", "d"])
def test_running_results_and_ranks(frames, name, how):
    expected, df = frames
    same(getattr(getattr(df, name), how)(), getattr(expected[name], how)())


def test_running_sums_of_spans(frames):
    expected, df = frames
    same(df.d.cumsum(), expected.d.cumsum())
    assert np.isnat(ak.cumsum(df["d"]).to_ndarray()).tolist() == [False, *[True] * 5]
    with pytest.raises(ArgumentTypeError):
        df.t.cumsum()


def test_filling_dropping_and_choosing(frames):
    expected, df = frames
    for name, item in (("t", pd.Timestamp("2000-01-01")), ("d", pd.Timedelta("1D"))):
        same(getattr(df, name).fillna(item), expected[name].fillna(item))
        same(df.fillna({name: item})[name], expected[name].fillna(item))
        same(getattr(df, name).dropna(), expected[name].dropna())
        assert getattr(df, name).isna().tolist() == expected[name].isna().tolist()
        same(getattr(df, name).where(df.k > 1), expected[name].where(expected.k > 1))
        same(getattr(df, name).mask(df.k > 1, item), expected[name].mask(expected.k > 1, item))
        same(ak.where(df["k"] > 1, df[name], np.nan), expected[name].where(expected.k > 1))
        assert getattr(df, name).isin([item, pd.NaT]).tolist() == expected[name].isin([item, pd.NaT]).tolist()
        assert ak.in1d(df[name], df[name][:2]).tolist() == expected[name].isin(expected[name][:2]).tolist()
    assert df.t.between("2020-01-01", "2026-01-05").tolist() == expected.t.between("2020-01-01", "2026-01-05").tolist()
    bounds = pd.Timestamp("2021-01-01"), pd.Timestamp("2025-01-01")
    same(df.t.clip(*bounds), expected.t.clip(*bounds))
    for name, other in (("t", "k"), ("d", "t")):
        # pandas takes NaT for a number here.
        there = expected[[name, other]].dropna().astype("int64")
        found = getattr(df, name).corr(getattr(df, other)), getattr(df, name).cov(getattr(df, other))
        wanted = there[name].corr(there[other]), there[name].cov(there[other])
        assert found == pytest.approx(wanted, rel=1e-6)
    assert df.dropna().k.tolist() == expected.dropna().k.tolist()
    filled = df.t.fillna(pd.Timestamp("2000-01-01"))
    assert filled.dt.year.dtype == np.int64


def test_fields_of_times_that_were_not_known_to_be_missing_are_an_error():
    unknown = ak.Datetime(ak.array([NAT, 0]))
    with pytest.raises(ArgumentError, match="NaT"):
        unknown.year.tolist()


@pytest.mark.parametrize(
    "compute",
    [
        lambda: ak.to_datetime(ak.array([2932896]), unit="D"),
        lambda: ak.Timedelta(ak.array([200000]), unit="D"),
        lambda: ak.Datetime(ak.array([2**40]), unit="s"),
        lambda: ak.Datetime(np.array(["2262-01-01"], "M8[ns]")) + pd.Timedelta("365D"),
        lambda: ak.Datetime(np.array(["1678-01-01"], "M8[ns]")) - pd.Timedelta("365D"),
        lambda: ak.Datetime(np.array(["2262-01-01"], "M8[ns]")) - ak.Datetime(np.array(["1700-01-01"], "M8[ns]")),
        lambda: ak.array(SPANS) * 2**40,
        lambda: ak.array(SPANS) * 1e200,
        lambda: ak.array(SPANS) / 1e-200,
        lambda: ak.Timedelta(np.array([2**62, 2**62], "m8[ns]")) + ak.Timedelta(np.array([2**62, 2**62], "m8[ns]")),
        lambda: ak.Datetime(ak.array(np.array([2**63], np.uint64))),
        lambda: ak.Datetime(np.array([-(2**63) + 5], "M8[ns]")).floor("D"),
        lambda: ak.Datetime(np.array([2**63 - 5], "M8[ns]")).ceil("D"),
        lambda: ak.cumsum(ak.Timedelta(np.array([2**62, 2**62], "m8[ns]"))),
        lambda: ak.GroupBy(ak.array([1, 1])).sum(ak.Timedelta(np.array([2**62, 2**62], "m8[ns]")))[1],
    ],
)
def test_what_64_bits_do_not_hold_is_an_error(compute):
    with pytest.raises(TimeOverflowError, match="64 bits"):
        compute().to_ndarray()


def test_sums_of_all_spans_are_exact_or_an_error():
    spans = ak.Timedelta(np.array([2**62, 2**62, -(2**62)], "m8[ns]"))
    assert spans.sum() == pd.Timedelta(2**62, unit="ns")
    with pytest.raises(TimeOverflowError):
        spans[:2].sum().value()


@given(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, max_size=20))
def test_means_of_times_are_exact(numbers):
    lazy = ak.Datetime(np.array(numbers).view("M8[ns]"))
    mean = abs(sum(numbers)) // len(numbers) * (1 if sum(numbers) >= 0 else -1)
    assert int(lazy.mean().value().as_unit("ns").value) == mean
    _keys, means = ak.GroupBy(ak.zeros(len(numbers), dtype="int64")).mean(lazy)
    assert means.values.tolist() == [mean]


def test_fields_of_times_that_labels_leave_missing():
    times = pd.Series(TIMES[[0, 2, 3]])
    keys = pd.Series([3, 1, 2])
    expected, lazy = (pandas.DataFrame({"t": times, "k": keys}) for pandas in (pd, ak))
    for frame in (expected, lazy):
        frame["u"] = frame.sort_values("k")["t"].head(2) if frame is expected else frame.sort_values("k").t.head(2)
    same(lazy.u.dt.year, expected.u.dt.year)
    assert lazy.sort_values("u").k.tolist() == expected.sort_values("u").k.tolist()
    same(lazy.reindex([0, 7]).t.dt.day, expected.reindex([0, 7]).t.dt.day)
    same((lazy.t.head(2) - lazy.t.tail(2)).dt.days, (expected.t.head(2) - expected.t.tail(2)).dt.days)
    both = ak.concat([lazy.t.head(2), lazy.t.tail(2)], axis=1, keys=["x", "y"]).to_pandas()
    assert (
        both.isna().to_numpy().tolist() == pd.concat([times.head(2), times.tail(2)], axis=1).isna().to_numpy().tolist()
    )


@pytest.mark.parametrize("replicate_size", [0, None])
def test_fields_that_are_looked_up_are_those_of_filtered_rows(replicate_size):
    plain = pd.DataFrame(
        {"x": [1, np.nan, 2, 3], "t": pd.to_datetime(["2024-02-03", "2024-03-31", None, "2024-04-30"])}
    )
    kept = plain.dropna(subset=["x"]).t.dt
    with ak.config.set(replicate_size=replicate_size):
        found = ak.DataFrame(plain).dropna(subset=["x"]).t.dt
        assert found.is_month_end.tolist() == kept.is_month_end.tolist()
        np.testing.assert_array_equal(found.days_in_month.to_pandas(), kept.days_in_month)
        pd.testing.assert_series_equal(found.day_name().to_pandas(), kept.day_name())
        pd.testing.assert_series_equal(found.month_name().to_pandas(), kept.month_name())


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_comparisons_take_at_most_one_more_comparison():
    lazy, bound = ak.Datetime(ak.array([1, 2])), np.datetime64(1, "ns")
    for compare in (operator.gt, operator.ge, operator.eq, operator.ne):
        assert [step.operation for step in walk(compare(lazy, bound)._value) if isinstance(step, Call)] == [
            {operator.gt: "greater", operator.ge: "greater_equal", operator.eq: "equal", operator.ne: "not_equal"}[
                compare
            ]
        ]
    for compare in (operator.lt, operator.le):
        steps = [step.operation for step in walk(compare(lazy, bound)._value) if isinstance(step, Call)]
        assert steps[-1] == "bitwise_and"
        assert len(steps) == 3
