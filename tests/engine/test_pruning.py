"""Partitions that a filter leaves nothing of are not read, and nothing else changes."""

import itertools
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.engine.sources import partitions_left
from akdask.storage.source import Bounds, text_prefix
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import elements, partition_lengths

LENGTHS = [10] * 100
ROWS = np.arange(1000)
WIDEST = {
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
    "float64": (-np.inf, np.inf),
    "bool": (False, True),
    "str": (b"", b"\xff" * 16),
}


def bounds_of(values, lengths, known=None):
    """Bounds from NumPy's minimum and maximum, and those of the type where they are not `known` or there are none."""
    lows, highs, nans = [], [], []
    dtype = "str" if values.dtype.kind in "UO" else values.dtype.name
    stops = np.cumsum(lengths)
    for index, (length, stop) in enumerate(zip(lengths, stops, strict=True)):
        part = values[stop - length : stop]
        has_nan = dtype == "float64" and bool(np.isnan(part).any())
        rest = part[~np.isnan(part)] if dtype == "float64" else part
        if known is not None and not known[index]:
            (low, high), has_nan = WIDEST[dtype], dtype == "float64"
        elif not len(rest):
            low, high = (np.inf, -np.inf) if len(part) else WIDEST[dtype]
        elif dtype == "str":
            low, high = text_prefix(min(rest)), text_prefix(max(rest))
        else:
            low, high = rest.min(), rest.max()
        lows.append(low)
        highs.append(high)
        nans.append(has_nan)
    kind = "S16" if dtype == "str" else dtype
    return Bounds(np.array(lows, kind), np.array(highs, kind), np.array(nans, bool))


def source_of(columns, lengths, known=None, label="bounded"):
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    bounds = {name: bounds_of(values, lengths, known) for name, values in arrays.items()}
    return MemorySource(columns, lengths, label, bounds)


@pytest.fixture
def source():
    columns = {"x": ROWS, "y": ROWS * 0.5, "even": ROWS % 2 == 0, "s": [f"s{row:04d}" for row in ROWS]}
    return source_of(columns, LENGTHS)


def partitions_read(source):
    return {read.partition for read in source.reads}


# ------------------------------------------------------------------------------------------------------ what is read


def test_a_filter_that_matches_one_of_a_hundred_partitions_reads_one(source):
    big = source.arrays()
    assert float(big["y"][big["x"] == 777].sum()) == 388.5
    assert partitions_read(source) == {77}


@pytest.mark.parametrize(
    ("where", "partitions"),
    [
        (lambda a: a["x"] < 10, {0}),
        (lambda a: a["x"] <= 10, {0, 1}),
        (lambda a: a["x"] > 989, {99}),
        (lambda a: a["x"] >= 989, {98, 99}),
        (lambda a: (a["x"] >= 500) & (a["x"] < 520), {50, 51}),
        (lambda a: (a["x"] < 5) | (a["y"] > 499), {0, 99}),
        (lambda a: ~((a["x"] != 123) | (a["x"] < 0)), {12}),
        (lambda a: (a["x"] > 980) ^ (a["x"] > 990), {98, 99}),
        (lambda a: a["x"] == 1.5, {0}),
        (lambda a: a["s"] == "s0455", {45}),
        (lambda a: a["s"] < "s0010", {0, 1}),
        (lambda a: (a["x"] + 1 == 5) & (a["y"] < 10), {0, 1}),
        (lambda a: a["x"] == a["y"], {0}),
        (lambda a: np.isnan(a["y"]), set()),
        (lambda a: (a["x"] < 10) & a["even"], {0}),
        (lambda a: (a["x"] < 10) & (a["x"] % 2 == 0), {0}),
    ],
)
def test_comparisons_and_logic_say_which_partitions_are_read(source, where, partitions):
    columns = {"x": ROWS, "y": ROWS * 0.5, "even": ROWS % 2 == 0, "s": np.array([f"s{row:04d}" for row in ROWS])}
    big = source.arrays()
    assert big["x"][where(big)].tolist() == ROWS[where(columns)].tolist()
    assert partitions_read(source) == partitions


def test_a_filter_that_nothing_is_known_of_reads_all(source):
    big = source.arrays()
    assert len(big["x"][big["x"] % 500 == 7]) == 2
    assert partitions_read(source) == set(range(100))


def test_a_partition_of_nan_alone_is_read_only_for_what_holds_for_nan():
    source = source_of({"y": [1.0, 2.0, np.nan, np.nan, np.nan, 3.0]}, [2, 2, 2])
    y = source.arrays()["y"]
    assert y[y >= -np.inf].tolist() == [1.0, 2.0, 3.0]
    source.reads.clear()
    assert y[y < 5].tolist() == [1.0, 2.0, 3.0]
    assert partitions_read(source) == {0, 2}
    source.reads.clear()
    assert len(y[~(y < 5)]) == 3
    assert partitions_read(source) == {1, 2}
    source.reads.clear()
    assert len(y[np.isnan(y)]) == 3
    assert partitions_read(source) == {1, 2}


def test_the_beginning_of_a_string_rules_out_no_partition_that_may_hold_it():
    same = "a beginning of sixteen bytes and "
    source = source_of({"s": [same + "b", same + "d", same + "f", "b"]}, [1, 1, 1, 1])
    s = source.arrays()["s"]
    for text in (same, same + "c", same + "d", same + "z", "a beginning of s", "a", "é"):
        given = np.array([same + "b", same + "d", same + "f", "b"])
        for compare in OPERATORS:
            assert s[compare(s, text)].tolist() == given[compare(given, text)].tolist()
    source.reads.clear()
    assert s[s == same + "d"].tolist() == [same + "d"]
    assert partitions_read(source) == {0, 1, 2}


# ------------------------------------------------------------------------------------------------ what stays as it is


def test_filtered_rows_have_the_partitions_that_they_had(source):
    big = source.arrays()
    kept = big["x"][big["x"] == 777]
    assert kept.npartitions == 100
    assert (kept + big["y"][big["x"] == 777] + kept.copy()).tolist() == [777 + 388.5 + 777]
    assert partitions_read(source) == {77}
    kept.resolve_lengths()
    assert kept.rows.lengths == tuple(int(k == 77) for k in range(100))
    assert partitions_read(source) == {77}


def test_slices_and_filters_of_filtered_rows_read_no_more(source):
    big = source.arrays()
    late = big["x"][500:][::3]
    assert late[(late > 600) & (late < 604)].tolist() == [602]
    assert partitions_read(source) == {60}
    source.reads.clear()
    once = big["x"][big["x"] > 300]
    assert int(once[once < 305].sum()) == 301 + 302 + 303 + 304
    assert partitions_read(source) == {30}


def test_joined_rows_are_skipped_in_each_part(source):
    x = source.arrays()["x"]
    joined = ak.concatenate([x, x + 1000, x])
    assert joined[joined == 5].tolist() == [5, 5]
    assert joined[joined == 5].npartitions == 300


def test_reductions_make_no_task_for_partitions_that_are_skipped(source, monkeypatch):
    monkeypatch.setattr("akdask.engine.pipeline.CORES", 100)
    big = source.arrays()
    total = big["y"][big["x"] < 20].sum()
    plan = total.explain()
    assert "read x, y  (2 of 4 columns, 2 of 100 partitions)" in plan
    assert "go through rows  2 tasks" in plan


def as_lists(found):
    return [as_lists(part) for part in found] if isinstance(found, tuple) else found.tolist()


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(
    ("where", "partitions"),
    [(lambda x: (x >= 120) & (x < 140), {12, 13}), (lambda x: x < 0, set()), (lambda x: x == 999, {99})],
)
@pytest.mark.parametrize(
    "question",
    [
        lambda x, y: ak.sort(y),
        lambda x, y: ak.argsort(x % 7),
        lambda x, y: ak.coargsort([x % 7, y]),
        lambda x, y: ak.cumsum(x),
        lambda x, y: ak.unique(x % 7),
        lambda x, y: ak.GroupBy(x % 7).sum(y),
        lambda x, y: ak.GroupBy([x % 7, x % 2]).max(y),
        lambda x, y: ak.mink(y, 3) if y.size > 0 else y,
        lambda x, y: ak.argmaxk(y, 3) if y.size > 0 else y,
        lambda x, y: ak.histogram(y, 4) if y.size > 0 else y,
        lambda x, y: x[::-1],
        lambda x, y: ak.concatenate([x, x]),
        lambda x, y: x[:3],
        lambda x, y: y - y.sum(),
    ],
)
def test_everything_that_uses_filtered_rows_answers_as_without_bounds(source, where, partitions, question):
    plain = MemorySource({"x": ROWS, "y": ROWS * 0.5}, LENGTHS, "plain")
    answers = []
    for columns in (source.arrays(), plain.arrays()):
        mask = where(columns["x"])
        answers.append(as_lists(question(columns["x"][mask], columns["y"][mask])))
    assert answers[0] == answers[1]
    assert partitions_read(source) <= partitions


def test_a_filter_that_nothing_passes_reads_nothing(source):
    big = source.arrays()
    none = big["x"] < 0
    assert big["x"][none].tolist() == []
    assert float(big["y"][none].sum()) == 0
    assert len(big["s"][none]) == 0
    assert np.isnan(float(big["y"][none].mean()))
    assert source.reads == []


def test_the_same_plan_with_and_without_bounds_is_named_by_what_it_makes():
    columns = {"x": ROWS}
    plain, bounded = MemorySource(columns, LENGTHS), source_of(columns, LENGTHS, label="memory")
    assert plain.token == bounded.token
    for source in (plain, bounded, plain):
        x = source.arrays()["x"]
        assert int(x[x < 15].sum()) == sum(range(15))
        del x


# -------------------------------------------------------------------------------------------- every pair of few values

POOLS = {
    "int64": [-(2**63), -1, 0, 1, 2**53 + 1, 2**63 - 1],
    "uint64": [0, 1, 2**53 + 1, 2**63, 2**64 - 1],
    "float64": [np.nan, -np.inf, -0.0, 0.0, 2.0**53, 2.0**63, np.inf],
    "bool": [False, True],
    "str": ["", "a", "a" * 16, "a" * 17, "a" * 16 + "b", "b", "é"],
}
NUMBERS = [name for name in POOLS if name != "str"]
OPERATORS = {
    np.less: "lt",
    np.less_equal: "le",
    np.equal: "eq",
    np.not_equal: "ne",
    np.greater: "gt",
    np.greater_equal: "ge",
}


def compared(compare, left, right):
    """Compare as Python does, exactly: NumPy rounds integers of 64 bits to floats beside those."""
    function = getattr(operator, OPERATORS[compare])
    left, right = np.broadcast_arrays(left, right)
    rows = zip(left.ravel().tolist(), right.ravel().tolist(), strict=True)
    return np.array([function(*row) for row in rows], bool).reshape(left.shape)


@pytest.mark.parametrize(
    ("name", "other"), [*itertools.product(NUMBERS, NUMBERS), ("str", "str")], ids=lambda name: name
)
def test_no_pair_of_values_is_ruled_out_by_a_comparison_that_holds_for_one(name, other):
    pool = POOLS[name]
    pairs = np.array(list(itertools.product(pool, pool)), "U" if name == "str" else name)
    values, lengths = pairs.ravel(), [2] * len(pairs)
    lazy = MemorySource({"x": values}, lengths, name, {"x": bounds_of(values, lengths)}).arrays()["x"]
    for constant in POOLS["str"] if other == "str" else np.array(POOLS[other], other):
        for compare in OPERATORS:
            for mask, holds in [
                (compare(lazy, constant), compared(compare, pairs, constant)),
                (~compare(lazy, constant), ~compared(compare, pairs, constant)),
            ]:
                left = partitions_left(mask._frame.bases, [mask._value])
                assert left is None or (left >= holds.any(axis=1)).all(), (compare, constant)


# -------------------------------------------------------------------------------------------------------- properties

COLUMNS = ("int64", "uint64", "float64", "bool", "str")
COMPARISONS = tuple(OPERATORS)
LOGIC = (np.bitwise_and, np.bitwise_or, np.bitwise_xor)


def predicates(pools):
    """Predicates as nested tuples: comparisons of columns with columns or constants, and logic on them."""
    numbers = st.sampled_from([name for name in COLUMNS if name != "str"])
    compared = numbers | st.just("str")
    leaves = st.one_of(
        compared.flatmap(
            lambda name: st.tuples(
                st.just("constant"),
                st.sampled_from(COMPARISONS),
                st.just(name) if name == "str" else numbers,
                st.sampled_from(pools[name]),
            )
        ),
        st.tuples(st.just("columns"), st.sampled_from(COMPARISONS), numbers, numbers),
        st.just(("columns", np.less, "str", "str")),
        st.just(("nan",)),
        st.just(("column",)),
    )
    return st.recursive(
        leaves,
        lambda inner: (
            st.tuples(st.just("logic"), st.sampled_from(LOGIC), inner, inner) | st.tuples(st.just("not"), inner)
        ),
        max_leaves=4,
    )


def evaluate(predicate, columns, comparison=lambda compare, left, right: compare(left, right)):
    match predicate:
        case "constant", compare, name, value:
            return comparison(compare, columns[name], value)
        case "columns", compare, left, right:
            return comparison(compare, columns[left], columns[right])
        case ("nan",):
            return np.isnan(columns["float64"])
        case ("column",):
            return columns["bool"]
        case "logic", operation, left, right:
            return operation(evaluate(left, columns, comparison), evaluate(right, columns, comparison))
        case "not", inner:
            return ~evaluate(inner, columns, comparison)
    raise AssertionError(predicate)


@st.composite
def cases(draw):
    """Columns in partitions, of few distinct values and often in order, and a predicate on them."""
    lengths = draw(partition_lengths(draw(st.integers(1, 12)), 4))
    pools, values = {}, {}
    for name in COLUMNS:
        items = draw(st.lists(elements(name), min_size=1, max_size=4))
        pools[name] = items if name == "str" else [np.dtype(name).type(item) for item in items]
        drawn = draw(st.lists(st.sampled_from(items), min_size=sum(lengths), max_size=sum(lengths)))
        values[name] = sorted(drawn) if draw(st.booleans()) else drawn
    known = draw(st.lists(st.booleans(), min_size=len(lengths), max_size=len(lengths)))
    return values, lengths, known, draw(predicates(pools))


def as_numpy(values):
    return {name: np.array(items, object if name == "str" else name) for name, items in values.items()}


@settings(max_examples=settings().max_examples * 2)
@given(cases())
def test_filters_answer_as_numpy_does_whatever_is_known(case):
    values, lengths, known, predicate = case
    columns = as_numpy(values)
    with np.errstate(all="ignore"):
        mask = evaluate(predicate, columns, compared).astype(bool)
    bounds = {name: bounds_of(_typed(array), lengths, known) for name, array in columns.items()}
    lazy = MemorySource(columns, lengths, f"{known}", bounds).arrays()
    kept = evaluate(predicate, lazy)
    assert lazy["int64"][kept].tolist() == columns["int64"][mask].tolist()
    assert int(ak.sum(lazy["bool"][kept])) == int(columns["bool"][mask].sum())


@settings(max_examples=settings().max_examples * 2)
@given(cases())
def test_no_partition_is_ruled_out_that_has_a_row_left(case):
    values, lengths, known, predicate = case
    columns = as_numpy(values)
    with np.errstate(all="ignore"):
        mask = evaluate(predicate, columns, compared).astype(bool)
    bounds = {name: bounds_of(_typed(array), lengths, known) for name, array in columns.items()}
    lazy = MemorySource(columns, lengths, f"{known}", bounds).arrays()
    kept = lazy["int64"][evaluate(predicate, lazy)]
    left = partitions_left(kept._frame.bases, [kept._frame.predicate])
    has_rows = [mask[stop - n : stop].any() for n, stop in zip(lengths, np.cumsum(lengths), strict=True)]
    assert left is None or not (np.array(has_rows) & ~left).any()


def _typed(array):
    return array if array.dtype != object else array.astype("U")
