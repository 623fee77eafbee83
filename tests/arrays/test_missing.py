"""Missing text beside pandas' `str`: random programs of filters, sorts, groups and joins, and what hands text out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.sorting import in_order
from akdask.engine import alignment
from akdask.engine import tuning as engine_tuning
from akdask.errors import AkdaskError, ArgumentTypeError, MissingColumnError
from akdask.operators.sort import tuning as sort_tuning
from akdask.testing.strategies import partition_lengths

WORDS = ["", " ", "a", "ab", "B", "é", "\U0001f9ea", "\U0010ffff", "ÿ", "x" * 40]

texts = st.sampled_from([None, None, *WORDS])


def partitioned(items, lengths):
    """Text in partitions of some lengths."""
    bounds = np.cumsum([0, *lengths])
    parts = [items[start:stop] for start, stop in pairwise(bounds)]
    return ak.concatenate([ak.array(pa.array(part, pa.large_string())) for part in parts])


def series(items):
    return pd.Series(items, dtype="str")


@st.composite
def columns(draw, max_rows=20):
    """Text in any partitions, and the same as a list with None."""
    items = draw(st.lists(texts, max_size=max_rows))
    return partitioned(items, draw(partition_lengths(len(items)))), items


@st.composite
def frames(draw, rows=None, names=("s", "t")):
    """A DataFrame of two columns of text and the numbers of its rows, in any partitions, and the same in pandas."""
    count = draw(st.integers(0, 20)) if rows is None else rows
    lengths = draw(partition_lengths(count))
    plain = {name: draw(st.lists(texts, min_size=count, max_size=count)) for name in names}
    lazy = {name: partitioned(items, lengths) for name, items in plain.items()}
    frame = pd.DataFrame({name: series(items) for name, items in plain.items()} | {"x": np.arange(count)})
    return ak.DataFrame(lazy | {"x": ak.arange(count)}), frame


def none_for_missing(items):
    return [None if pd.isna(item) else item for item in items]


def same(lazy, frame):
    """Compare rows; text is missing in one where it is in the other, and empty where it is empty."""
    found = lazy.to_pandas().reset_index(drop=True)
    pd.testing.assert_frame_equal(found, frame.reset_index(drop=True), check_dtype=False, check_index_type=False)


TESTS = {
    "contains": (lambda s: s.contains("a"), lambda p: p.str.contains("a", regex=False)),
    "matches": (lambda s: s.contains("^.$", regex=True), lambda p: p.str.contains("^.$")),
    "startswith": (lambda s: s.startswith("a"), lambda p: p.str.startswith("a")),
    "endswith": (lambda s: s.endswith("b"), lambda p: p.str.endswith("b")),
    "isupper": (lambda s: s.isupper(), lambda p: p.str.isupper()),
    "isspace": (lambda s: s.isspace(), lambda p: p.str.isspace()),
    "isempty": (lambda s: s.isempty(), lambda p: p == ""),
    "isna": (lambda s: s.isna(), lambda p: p.isna()),
    "notnull": (lambda s: s.notnull(), lambda p: p.notna()),
    "equal": (lambda s: s == "a", lambda p: p == "a"),
    "not equal": (lambda s: s != "a", lambda p: p != "a"),
    "less": (lambda s: s < "b", lambda p: p < "b"),
    "greater or equal": (lambda s: s >= "", lambda p: p >= ""),
    "between": (lambda s: (s >= "a") & (s <= "ab"), lambda p: (p >= "a") & (p <= "ab")),
    "one of": (lambda s: ak.in1d(s, ak.array(["a", "é"])), lambda p: p.isin(["a", "é"])),
}

CHANGES = {
    "upper": (lambda s: s.upper(), lambda p: p.str.upper()),
    "strip": (lambda s: s.strip(), lambda p: p.str.strip()),
    "stuck": (lambda s: s + "-", lambda p: p + "-"),
    "before": (lambda s: "-" + s, lambda p: "-" + p),
    "filled": (lambda s: s.fillna("?"), lambda p: p.fillna("?")),
    "chosen": (lambda s: ak.where(s == "a", "b", s), lambda p: p.mask(p == "a", "b")),
    "lost": (lambda s: ak.where(s == "a", None, s), lambda p: p.mask(p == "a")),
}


@given(drawn=columns(), name=st.sampled_from(sorted(TESTS)))
def test_tests_of_missing_text_are_those_of_pandas(drawn, name):
    lazy, items = drawn
    test, expected = TESTS[name]
    assert test(lazy).tolist() == expected(series(items)).tolist()


@given(drawn=columns(), name=st.sampled_from(sorted(CHANGES)))
def test_changed_text_stays_missing(drawn, name):
    lazy, items = drawn
    change, expected = CHANGES[name]
    assert change(lazy).tolist() == none_for_missing(expected(series(items)))


@given(drawn=frames())
def test_columns_are_compared_and_joined_row_by_row(drawn):
    lazy, frame = drawn
    s, t = frame["s"], frame["t"]
    assert (lazy["s"] == lazy["t"]).tolist() == (s == t).tolist()
    assert (lazy["s"] != lazy["t"]).tolist() == (s != t).tolist()
    assert (lazy["s"] <= lazy["t"]).tolist() == (s <= t).tolist()
    assert (lazy["s"] + lazy["t"]).tolist() == none_for_missing(s + t)
    assert lazy["s"].fillna(lazy["t"]).tolist() == none_for_missing(s.fillna(t))


def _filter(draw, lazy, frame):
    test, expected = TESTS[draw(st.sampled_from(sorted(TESTS)))]
    return lazy[test(lazy["s"])], frame[expected(frame["s"]).astype(bool)]


def _slice(draw, lazy, frame):
    start = draw(st.integers(0, len(frame)))
    return lazy[start:], frame.iloc[start:]


def _take(draw, lazy, frame):
    positions = draw(st.lists(st.integers(0, len(frame) - 1), max_size=8)) if len(frame) else []
    at = np.array(positions, np.int64)
    return lazy[ak.array(at)], frame.iloc[at]


def _change(draw, lazy, frame):
    change, expected = CHANGES[draw(st.sampled_from(sorted(CHANGES)))]
    return lazy.assign(s=change(lazy["s"])), frame.assign(s=expected(frame["s"]))


def _sort(draw, lazy, frame):
    by = draw(st.sampled_from([["s"], ["t", "s"], ["s", "x"]]))
    ways = [draw(st.booleans()) for _ in by]
    return lazy.sort_values(by, ascending=ways), frame.sort_values(by, ascending=ways, kind="stable")


def _twice(draw, lazy, frame):
    return ak.DataFrame.concat([lazy, lazy]), pd.concat([frame, frame])


def _dropna(draw, lazy, frame):
    how = draw(st.sampled_from(["any", "all"]))
    return lazy.dropna(how=how), frame.dropna(how=how)


def _persist(draw, lazy, frame):
    return lazy.persist(), frame


STEPS = [_filter, _slice, _take, _change, _sort, _twice, _dropna, _persist]


def _sums(draw, lazy, frame):
    dropna = draw(st.booleans())
    by = draw(st.sampled_from([["s"], ["s", "t"]]))
    other = next(name for name in ("t", "x") if name not in by)
    found = lazy.groupby(by, dropna=dropna, as_index=False).agg(x=("x", "sum"), n=(other, "count"))
    grouped = frame.groupby(by, dropna=dropna)
    return found, grouped.agg(x=("x", "sum"), n=(other, "count")).reset_index()


def _first_rows(draw, lazy, frame):
    return lazy.drop_duplicates(["s"]), frame.drop_duplicates(["s"])


def _nothing(draw, lazy, frame):
    return lazy, frame


ENDS = [_sums, _first_rows, _nothing]


@given(drawn=frames(), data=st.data())
def test_programs_give_what_pandas_gives(drawn, data):
    lazy, frame = drawn
    for step in data.draw(st.lists(st.sampled_from(STEPS), max_size=4)):
        lazy, frame = step(data.draw, lazy, frame)
    same(*data.draw(st.sampled_from(ENDS))(data.draw, lazy, frame))


@pytest.fixture
def small_exchange(monkeypatch):
    """Exchange rows of small arrays as if they were large, with several ranges of keys."""
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 4)
    monkeypatch.setattr(alignment, "CPU_COUNT", 3)
    monkeypatch.setattr(sort_tuning, "RANGE_ROWS", 3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=frames(), ascending=st.booleans(), end=st.sampled_from(ENDS), data=st.data())
def test_exchanged_rows_keep_missing_text(small_exchange, drawn, ascending, end, data):
    lazy, frame = drawn
    lazy = lazy.sort_values(["t", "x"], ascending=[ascending, True])
    same(*end(data.draw, lazy, frame.sort_values(["t", "x"], ascending=[ascending, True])))


@given(drawn=columns())
def test_distinct_text_and_its_counts(drawn):
    lazy, items = drawn
    expected = series(items).value_counts(dropna=False).sort_index()
    found, counts = ak.value_counts(lazy)
    assert found.tolist() == none_for_missing(expected.index)
    assert counts.tolist() == expected.tolist()
    assert ak.unique(lazy).tolist() == none_for_missing(expected.index)
    assert lazy.nunique() == series(items).nunique()


@given(drawn=columns(), ascending=st.booleans())
def test_missing_text_comes_last_in_both_directions(drawn, ascending):
    lazy, items = drawn
    expected = series(items).sort_values(ascending=ascending, kind="stable")
    assert in_order(lazy, ascending=ascending).tolist() == none_for_missing(expected)
    rows = series(items) if ascending else series(items)[::-1]
    positions = rows.sort_values(ascending=ascending, kind="stable").index.tolist()
    assert lazy.argsort(ascending=ascending).tolist() == positions


@given(drawn=columns())
def test_order_is_not_that_of_missing_text(drawn):
    lazy, items = drawn
    assert bool(lazy.is_sorted()) == (series(items).is_monotonic_increasing and None not in items)


@given(drawn=columns(), k=st.integers(1, 5))
def test_extremes_leave_out_missing_text(drawn, k):
    lazy, items = drawn
    if not items:
        with pytest.raises(ValueError, match="elements"):
            ak.mink(lazy, k)
        return
    ordered = series(items).dropna().sort_values(kind="stable")
    assert ak.mink(lazy, k).tolist() == ordered.head(k).tolist()
    assert ak.maxk(lazy, k).tolist() == ordered.tail(k).tolist()
    assert [items[position] for position in ak.argmink(lazy, k).tolist()] == ordered.head(k).tolist()


@given(drawn=frames())
def test_reductions_of_groups_leave_out_missing_text(drawn):
    lazy, frame = drawn
    groups = ak.GroupBy(lazy["x"] % 3)
    expected = frame.groupby(frame["x"] % 3)["s"]
    assert groups.count(lazy["s"])[1].tolist() == expected.count().tolist()
    assert groups.nunique(lazy["s"])[1].tolist() == expected.nunique().tolist()
    assert groups.first(lazy["s"])[1].tolist() == none_for_missing(expected.first(skipna=False))
    modes = groups.mode(lazy["s"])[1].tolist()
    for found, (_, rows) in zip(modes, expected, strict=True):
        counts = rows.value_counts()
        wanted = next((item for item in rows if counts.get(item, 0) == counts.max()), None) if len(counts) else None
        assert found == wanted


@pytest.mark.parametrize("held", [0, 2**60])
@given(
    left=frames(names=("k", "a")),
    right=frames(names=("k", "b")),
    how=st.sampled_from(["inner", "left", "right", "outer"]),
)
def test_missing_keys_match_as_they_do_in_pandas(held, left, right, how):
    (lazy, plain), (other, wanted) = left, right
    names = ["k", "a", "b", "x_x", "x_y"]
    with ak.config.set(replicate_size=held):
        found = lazy.merge(other, "k", how).to_pandas()[names]
    expected = plain.merge(wanted, on="k", how=how)[names]
    rows = [
        sorted(map(repr, frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)))
        for frame in (found.astype({"x_x": float, "x_y": float}), expected.astype({"x_x": float, "x_y": float}))
    ]
    assert rows[0] == rows[1]


@given(drawn=columns(), sought=st.lists(texts, max_size=5))
def test_missing_text_is_found_among_missing_text(drawn, sought):
    lazy, items = drawn
    wanted = ak.array(pa.array(sought, pa.large_string()))
    assert ak.in1d(lazy, wanted).tolist() == series(items).isin(series(sought)).tolist()
    assert ak.find(wanted, lazy).tolist() == [items.index(item) if item in items else -1 for item in sought]


@given(drawn=columns())
def test_a_categorical_has_its_label_for_missing_text(drawn):
    lazy, items = drawn
    made = ak.Categorical(lazy, na_value="none")
    assert made.isna().tolist() == series(items).isna().tolist()
    assert made.tolist() == ["none" if item is None else item for item in items]
    expected = sorted({item for item in items if item is not None}, key=str.encode)
    assert made.categories.tolist() == [*expected, "none"]


@given(drawn=columns())
def test_everything_that_hands_text_out(drawn):
    lazy, items = drawn
    assert lazy.tolist() == items
    assert list(lazy.to_ndarray()) == items
    assert lazy.to_arrow().to_pylist() == items
    assert pa.chunked_array(lazy).to_pylist() == items
    assert lazy.to_dask().compute().tolist() == items
    frame = ak.DataFrame({"s": lazy})
    pd.testing.assert_frame_equal(frame.to_pandas(), pd.DataFrame({"s": series(items)}))
    assert frame.to_arrow()["s"].to_pylist() == items
    assert frame.to_polars()["s"].to_list() == items
    assert none_for_missing(frame.to_dask().compute()["s"]) == items
    assert ak.from_dask(frame.to_dask())["s"].tolist() == items
    assert ak.from_arrow(frame)["s"].tolist() == items
    assert frame["s"].equals(lazy)


def _objects(items):
    return np.array(items, object)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_what_is_taken_for_missing(missing):
    for given_as in (list, tuple, _objects, pd.Series, lambda items: pd.Series(items).values):
        assert ak.array(given_as(["a", missing, ""])).tolist() == ["a", None, ""]
    assert ak.array([missing, "a"]).tolist() == [None, "a"]
    assert ak.DataFrame({"s": ["a", missing]})["s"].isna().tolist() == [False, True]
    assert ak.DataFrame(pd.DataFrame({"s": ["a", missing]}))["s"].tolist() == ["a", None]


def test_nothing_but_missing_text():
    assert ak.array([None, None]).tolist() == [None, None]
    assert ak.GroupBy(ak.array([None, None])).unique_keys.tolist() == []
    assert ak.sort(ak.array([None, None]), ascending=False).tolist() == [None, None]
    assert ak.Categorical(ak.array([None, None])).codes.tolist() == [0, 0]


def test_numbers_beside_none_are_floats():
    np.testing.assert_array_equal(ak.array([1.0, None]).to_ndarray(), [1.0, np.nan])
    np.testing.assert_array_equal(ak.array([1, None]).to_ndarray(), pd.Series([1, None]).to_numpy())
    np.testing.assert_array_equal(ak.array([True, None]).to_ndarray(), [1.0, np.nan])


def test_rows_are_assigned_missing_text():
    text = ak.array(["a", "b", "c"])
    text[1] = None
    text[ak.array([2])] = ak.array([None])
    assert text.tolist() == ["a", None, None]
    text[text.isna()] = "d"
    assert text.tolist() == ["a", "d", "d"]


def test_single_elements_and_repr():
    text = ak.array(["a", None, ""])
    assert text[1] is None
    assert text[0] == "a"
    assert repr(text) == "array(['a', None, ''])"


def test_conversions():
    text = ak.array(["1", None, "2.5"])
    np.testing.assert_array_equal(text.astype(float).to_ndarray(), [1.0, np.nan, 2.5])
    assert text.astype(str).tolist() == ["1", None, "2.5"]
    times = ak.Datetime(ak.array(["2026-01-01", None]))
    assert pd.isna(times.to_ndarray()[1])
    assert ak.array(["ab", None]).get_lengths().tolist() == [2, 0]
    left, right = ak.array(["a.b", None]).peel(".")
    assert left.tolist() == ["a", None]
    assert right.tolist() == ["b", None]


REFUSED = {
    "split": lambda s: s.split("a"),
    "get_bytes": lambda s: s.get_bytes(),
    "addresses": ak.IPv4,
    "integers": lambda s: s.astype(int),
    "values of lists": lambda s: ak.SegArray(ak.array([0]), s),
    "categories": lambda s: ak.Categorical.from_codes([0], s),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_nothing_for_missing_text_says_so_only_where_there_is_some(name):
    with pytest.raises(AkdaskError):
        REFUSED[name](ak.array(["10.0.0.1", None])).tolist()
    digits = ak.array(["1", None, "2"]).dropna()
    REFUSED[name](digits if name == "integers" else ak.array(["10.0.0.1", None, "10.0.0.2"]).dropna()).tolist()


def test_what_fills_missing_text_is_text():
    with pytest.raises(ArgumentTypeError, match="filled with text"):
        ak.array(["a", None]).fillna(0)


def test_text_of_which_none_is_missing_has_no_such_type():
    text = ak.array(["a", "b"])
    assert text.isna().tolist() == [False, False]
    assert text.notna().tolist() == [True, True]
    assert text.fillna("c").tolist() == ["a", "b"]
    assert text.dropna().tolist() == ["a", "b"]
    assert not text._value.dtype.nullable
    assert text.to_ndarray().dtype.kind == "U"


def test_long_columns_give_what_pandas_gives():
    rng = np.random.default_rng(5)
    words = np.array([None, "", "a", "bb", "é", *(f"word {n}" for n in range(400))], object)
    items = words[rng.integers(0, len(words), 40_000)].tolist()
    lazy, plain = partitioned(items, [15_000, 0, 25_000]), series(items)
    assert lazy.contains("1").sum() == plain.str.contains("1").sum()
    frame = pd.DataFrame({"s": plain, "x": np.arange(len(items))})
    found = ak.DataFrame({"s": lazy, "x": ak.arange(len(items))})
    same(found.groupby("s", dropna=False, as_index=False).sum(), frame.groupby("s", dropna=False).sum().reset_index())
    same(found.sort_values("s", ascending=False), frame.sort_values("s", ascending=False, kind="stable"))
    right = ak.DataFrame({"s": ak.array(["a", None]), "y": [1, 2]})
    joined = found.merge(right, "s", sort=False)
    same(joined, frame.merge(pd.DataFrame({"s": series(["a", None]), "y": [1, 2]}), on="s"))


@given(drawn=frames())
def test_columns_of_frames_are_filled_by_kind(drawn):
    lazy, frame = drawn
    y = np.where(frame["x"] % 2, np.nan, frame["x"])
    lazy, frame = lazy.assign(y=ak.array(y)), frame.assign(y=y)
    same(lazy.fillna({"s": "-", "y": 7}), frame.fillna({"s": "-", "y": 7}))
    texts, numbers = lazy[["s", "t", "x"]], lazy[["x", "y"]]
    same(texts.fillna("-"), frame[["s", "t", "x"]].fillna({"s": "-", "t": "-"}))
    same(numbers.fillna(0.5), frame[["x", "y"]].fillna({"y": 0.5}))


def test_one_value_for_all_is_an_error_where_it_would_leave_missing_ones():
    frame = ak.DataFrame({"s": ["a", None], "y": [1.5, 2.0], "t": pd.to_datetime(["2024-01-05", "2024-01-06"])})
    for value, name in [(0, "s"), (0.5, "s"), (pd.Timestamp("2024-01-01"), "s")]:
        with pytest.raises(ArgumentTypeError, match=f"column {name!r} has missing values"):
            frame.fillna(value).to_pandas()
    assert frame.fillna("-").to_pandas()["s"].tolist() == ["a", "-"]
    there = ak.DataFrame({"s": ["a", "b"], "y": [1.5, None]})
    assert there.fillna(0).to_pandas()["y"].tolist() == [1.5, 0.0]
    with pytest.raises(ArgumentTypeError, match="column 'y' has missing values"):
        there.fillna("-").to_pandas()
    for series, value in [(frame.s, 0), (there.y, "-")]:
        with pytest.raises(ArgumentTypeError):
            series.fillna(value)


def test_frames_are_not_filled_with_what_does_not_fit():
    frame = ak.DataFrame({"s": ["a", None], "x": [1, 2]})
    for value in ({"s": 0}, {"x": "a"}, None, [1], {"s": True}):
        with pytest.raises(ArgumentTypeError):
            frame.fillna(value)
    # Integers of which none is missing have nothing to fill, as in pandas.
    assert frame.fillna({"x": 1})["x"].tolist() == [1, 2]
    with pytest.raises(MissingColumnError, match="'z'"):
        frame.fillna({"z": "a"})


@given(
    st.lists(st.none() | st.text("aé🙂z", max_size=3)), st.lists(st.none() | st.text("aé🙂z", max_size=3), min_size=1)
)
def test_missing_text_is_behind_all_other_in_what_is_sorted(table, wanted):
    def order(text):
        return (text is None, text or "")

    ascending = sorted(table, key=order)
    a, v = ak.array([*ascending, None])[: len(table)], ak.array([*wanted, None])[: len(wanted)]
    for side, bisect in (("left", bisect_left), ("right", bisect_right)):
        expected = [bisect([order(text) for text in ascending], order(text)) for text in wanted]
        assert ak.searchsorted(a, v, side=side).tolist() == expected


def test_missing_text_has_a_hash_of_its_own():
    lazy = ak.array(["a", None, "", None, "ÿ"])
    hashes = list(zip(*(part.tolist() for part in lazy.hash()), strict=True))
    assert hashes[1] == hashes[3]
    assert len(set(hashes)) == 4
    filled = list(zip(*(part.tolist() for part in lazy.fillna("-").hash()), strict=True))
    assert [hashes[row] for row in (0, 2, 4)] == [filled[row] for row in (0, 2, 4)]


@pytest.mark.parametrize("items", [["a\0", "\0", "b\0c\0\0", ""], ["a\0", None, "é"], []])
def test_lists_have_all_of_the_text(items):
    text = ak.from_arrow(pa.array(items, pa.string()))
    assert text.tolist() == text.to_list() == items
    assert ak.Series(text).tolist() == items
