"""Integers of 64 bits of either sign beside each other and beside floats: Python's numbers are the reference."""

import itertools
import math
import operator
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentTypeError, ConversionError
from akdask.frames.windows import running_of_groups
from akdask.operators.windows.neighbours import TOTAL
from akdask.testing.memory import MemorySource

BIG = 2**53
INTEGERS = [BIG + 1, -1, 5, BIG, -(2**63), 2**63 - 1, 0, -BIG - 1, 5]
NATURALS = [BIG, 2**64 - 1, 5, 2**63 - 1, 0, 2**63, BIG + 1, 5, 1]
FLOATS = [float(BIG), -1.0, 5.0, 0.5, -0.0, 2.0**63, -(2.0**63), float("nan"), 2.0**64]
COLUMNS = {
    "int64": np.array(INTEGERS),
    "uint64": np.array(NATURALS, np.uint64),
    "float64": np.array(FLOATS),
    "uint8": np.array([0, 5, 255, 1, 0, 5, 2, 3, 4], np.uint8),
    "bool": np.array([True, False] * 4 + [True]),
}
PAIRS = list(itertools.permutations(COLUMNS, 2))


def is_nan(number):
    return isinstance(number, float) and math.isnan(number)


def key(number):
    """Return what tells a number from others: all NaN are one."""
    return "nan" if is_nan(number) else number


@pytest.fixture(params=[[9], [2, 3, 0, 4]])
def columns(request):
    """Return all columns, in one partition and in several."""
    return MemorySource(COLUMNS, request.param).arrays()


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_elements_are_looked_for_as_what_they_are(columns, left, right):
    a, b = columns[left], columns[right]
    own, others = ([key(item) for item in COLUMNS[name].tolist()] for name in (left, right))
    among = [item in others for item in own]
    assert ak.in1d(a, b).tolist() == among
    assert ak.in1d(a, b, invert=True).tolist() == [not item for item in among]
    assert ak.Series(a).isin(ak.Series(b)).tolist() == among
    assert [key(item) for item in ak.intersect1d(a, b).tolist()] == _distinct(x for x in own if x in others)
    assert [key(item) for item in ak.setdiff1d(a, b).tolist()] == _distinct(x for x in own if x not in others)
    assert ak.find(a, b, remove_missing=False).tolist() == [others.index(x) if x in others else -1 for x in own]
    known = ak.array(pd.unique(COLUMNS[right]))
    first = [key(item) for item in pd.unique(COLUMNS[right]).tolist()]
    assert ak.lookup(known, ak.arange(len(first)), a).tolist() == [first.index(x) if x in first else -1 for x in own]


def _distinct(items):
    numbers = {*items}
    return [*sorted(numbers - {"nan"}), *(["nan"] if "nan" in numbers else [])]


@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize("how", ["inner", "left"])
def test_rows_are_joined_by_what_keys_are(columns, left, right, how):
    found = ak.DataFrame({"k": columns[left], "a": ak.arange(9)}).merge(
        ak.DataFrame({"k": columns[right], "b": ak.arange(9)}), on="k", how=how
    )
    own, others = ([key(item) for item in COLUMNS[name].tolist()] for name in (left, right))
    wanted = {(i, j) for i, x in enumerate(own) for j, y in enumerate(others) if x == y}
    if how == "left":
        wanted |= {(i, None) for i, x in enumerate(own) if x not in others}
    pairs = zip(found["a"].tolist(), found["b"].tolist(), strict=True)
    assert {(i, None if is_nan(j) else int(j)) for i, j in pairs} == wanted
    assert found["k"].dtype == columns[left].dtype
    first, second = ak.inner_join(columns[left], columns[right])
    assert {*zip(first.tolist(), second.tolist(), strict=True)} == {pair for pair in wanted if None not in pair}


COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]

SOME = {
    "int64": st.sampled_from(INTEGERS) | st.integers(-(2**63), 2**63 - 1),
    "uint64": st.sampled_from(NATURALS) | st.integers(0, 2**64 - 1),
    "float64": st.sampled_from(FLOATS[:-2]) | st.integers(-(2**64), 2**64).map(float) | st.floats(allow_nan=False),
}


@given(data=st.data())
def test_equality_and_order_are_those_of_exact_numbers(data):
    left, right = data.draw(st.tuples(*[st.sampled_from(list(SOME))] * 2))
    size = data.draw(st.integers(1, 6))
    own, others = (data.draw(st.lists(SOME[name], min_size=size, max_size=size)) for name in (left, right))
    # What one side has stands on the other, too, and what is next to it.
    near = [x for x in [*own, *(int(x) + 1 for x in own if math.isfinite(x))] if _is_of(x, right)]
    others = [data.draw(st.sampled_from(near)) if near and data.draw(st.booleans()) else x for x in others]
    a, b = ak.array(np.array(own, left)), ak.array(np.array(others, right))
    own, others = [_exact(x) for x in a.tolist()], [_exact(x) for x in b.tolist()]
    for compare in COMPARISONS:
        assert compare(a, b).tolist() == list(map(compare, own, others))
    known = list(dict.fromkeys(others))
    unique = b[ak.array([others.index(x) for x in known])]
    assert ak.lookup(unique, ak.arange(len(known)), a).tolist() == [known.index(x) if x in known else -1 for x in own]
    assert ak.find(a, unique, remove_missing=True).tolist() == [known.index(x) for x in own if x in known]
    assert ak.indexof1d(a, unique).tolist() == [known.index(x) for x in own if x in known]
    assert ak.intx(ak.DataFrame({"k": a}), ak.DataFrame({"k": b})).tolist() == [x in others for x in own]
    pairs = [(i, j) for i, x in enumerate(own) for j, y in enumerate(others) if x == y]
    pairs += [(i, -1) for i, x in enumerate(own) if x not in others]
    found = ak.left_join(a, b)
    assert list(zip(*(part.tolist() for part in found), strict=True)) == sorted(pairs)
    ascending = sorted(own)
    assert ak.searchsorted(ak.sort(a), b).tolist() == [sum(x < y for x in ascending) for y in others]


def _is_of(number, dtype):
    if dtype == "float64" or not math.isfinite(number):
        return dtype == "float64" and isinstance(number, float)
    return number == int(number) and np.iinfo(dtype).min <= number <= np.iinfo(dtype).max


def _exact(number):
    return number if isinstance(number, float) and math.isinf(number) else Fraction(number)


STORED = {
    "parquet": (lambda frame, path: frame.to_parquet(path, num_locales=3), ak.read_parquet),
    "hdf5": (lambda frame, path: frame.to_hdf(path, num_locales=3), ak.read_hdf),
    "csv": (lambda frame, path: frame.to_csv(path, num_locales=3), ak.read_csv),
}
LIMITS = [
    -(2**63),
    -BIG - 1,
    -1,
    BIG,
    BIG + 1,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    float(BIG),
    2.0**63,
    -0.5,
    float("nan"),
]


@pytest.mark.parametrize("form", STORED)
def test_filters_of_files_leave_out_no_row_that_they_choose(tmp_path, form):
    # Ascending, so that each file has bounds of its own.
    numbers = {"i": sorted(INTEGERS), "u": sorted(NATURALS)}
    write, read = STORED[form]
    write(ak.DataFrame({"i": np.array(numbers["i"]), "u": np.array(numbers["u"], np.uint64)}), tmp_path / "x")
    found = ak.DataFrame(read(f"{tmp_path}/x_LOCALE*"))
    for name, items in numbers.items():
        assert found[name].tolist() == items
        assert (found[name].min(), found[name].max()) == (min(items), max(items))
        for compare, limit in itertools.product([operator.eq, operator.lt, operator.ge], LIMITS):
            chosen = [number for number in items if compare(number, limit)]
            assert found[name][compare(found[name], limit)].tolist() == chosen, (compare, limit)
    among = ak.in1d(found["i"], found["u"])
    assert found["i"][among].tolist() == [number for number in numbers["i"] if number in numbers["u"]]


def test_integers_of_any_size_are_keys_beside_all_others():
    of_any = ak.array([2**70, BIG + 1, 5, 2**64 - 1])
    assert of_any.dtype == ak.bigint
    for name, wanted in (("int64", [False, True, True, False]), ("uint64", [False, True, True, True])):
        assert ak.in1d(of_any, ak.array(COLUMNS[name])).tolist() == wanted
    assert ak.in1d(of_any, ak.array([float(2**70), float(BIG), 5.0])).tolist() == [True, False, True, False]
    assert ak.in1d(ak.array([0.5, float(2**70)]), of_any).tolist() == [False, True]
    # 301 has the lowest 8 bits of 45.
    limited = ak.array([45], max_bits=8, dtype=ak.bigint)
    assert ak.in1d(ak.array([301, 45]), limited).tolist() == [False, True]


@pytest.mark.parametrize("compare", COMPARISONS)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_numbers_compare_as_what_they_are(columns, left, right, compare):
    own, others = COLUMNS[left].tolist(), COLUMNS[right].tolist()
    assert compare(columns[left], columns[right]).tolist() == list(map(compare, own, others))
    for item in COLUMNS[right]:
        wanted = [compare(x, item.item()) for x in own]
        for scalar in (item, item.item()):
            assert compare(columns[left], scalar).tolist() == wanted, scalar
            assert compare(scalar, columns[left]).tolist() == [compare(item.item(), x) for x in own]
        assert columns[left][compare(columns[left], item)].size == sum(wanted)


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.sampled_from(INTEGERS), min_size=1, max_size=5),
    st.floats() | st.sampled_from(FLOATS),
    st.sampled_from(COMPARISONS),
)
def test_filters_by_floats_compare_integers_exactly(numbers, limit, compare):
    array = ak.array(np.array(numbers))
    assert array[compare(array, limit)].tolist() == [number for number in numbers if compare(number, limit)]


def test_constants_in_queries_are_exact():
    frame = ak.DataFrame({"x": [BIG + 1, BIG, 5], "u": np.array([2**64 - 1, BIG + 1, 5], np.uint64)})
    for text, wanted in {
        "x > 9007199254740992.0": [BIG + 1],
        "x <= 9007199254740992.0": [BIG, 5],
        "x == 9007199254740993": [BIG + 1],
        "x == u": [5],
        "u > 18446744073709551614": [BIG + 1],
        "x < 9007199254740994.0": [BIG + 1, BIG, 5],
        "x in [9007199254740993, 0.5]": [BIG + 1],
    }.items():
        assert frame.query(text)["x"].tolist() == wanted, text
    assert frame.eval("x - 9007199254740992").tolist() == [1, 0, 5 - BIG]


def test_what_is_put_together_is_never_another_number():
    i, u, f = ak.array([BIG + 1, 5]), ak.array(np.array([2**63, 7], np.uint64)), ak.array([0.5, 1.5])
    yes, no = ak.array([True, False]), ak.array([False, True])
    for made in (
        lambda: ak.concatenate([i, f]),
        lambda: ak.concatenate([i, u]),
        lambda: ak.union1d(i, u),
        lambda: ak.where(yes, i, f),
        lambda: ak.maximum(i, f),
        lambda: ak.clip(i, 0.5, 1e300),
        lambda: ak.concat([ak.DataFrame({"x": i}), ak.DataFrame({"x": f})])["x"],
        lambda: ak.concat([ak.Series(i), ak.Series(f)]).values,
    ):
        with pytest.raises(ConversionError, match=r"the integer 9007199254740993 .*would become 9007199254740992"):
            made().tolist()
    assert ak.where(no, i, f).tolist() == [0.5, 5.0]
    assert ak.minimum(i, f).tolist() == [0.5, 1.5]
    assert ak.concatenate([i[1:], u]).tolist() == [5.0, 2.0**63, 7.0]
    assert ak.setxor1d(i[1:], u).tolist() == [5.0, 7.0, 2.0**63]


def test_differences_of_wide_integers_are_exact():
    numbers = [1700000000000000001, 1700000000000000003, -(2**62) - 1, 2**63 - 1]
    wanted = [float(b - a) for a, b in itertools.pairwise(numbers)]
    assert ak.Series(numbers).diff().tolist()[1:] == wanted
    assert ak.Series(numbers).diff(-1).tolist()[:-1] == [-item for item in wanted]
    naturals = ak.Series(np.array([2**64 - 1, 2**64 - 4, 1], np.uint64))
    assert naturals.diff().tolist()[1:] == [-3.0, float(5 - 2**64)]
    frame = ak.DataFrame({"k": [1, 2, 1, 2], "x": [2**60 + 1, 5, 2**60 + 4, 5]})
    np.testing.assert_array_equal(frame.groupby("k")["x"].diff().tolist(), [np.nan, np.nan, 3.0, 0.0])


@pytest.mark.parametrize("method", ["ffill", "bfill"])
def test_filling_leaves_integers_integers(method):
    frame = ak.DataFrame({"k": [1, 2, 1], "x": [2**60 + 1, 5, 7], "b": [True, False, True]})
    for column, dtype in (("x", "int64"), ("b", "bool")):
        for found in (getattr(frame.groupby("k")[column], method)(), getattr(ak.Series(frame[column]), method)()):
            assert found.dtype == dtype
            assert found.tolist() == frame[column].tolist()
    gaps = ak.DataFrame({"k": [2, 1]}).merge(ak.DataFrame({"k": [1], "i": [2**60 + 1]}), "k", "left")
    again = ak.concat([gaps, gaps])
    for found in (again, again.assign(k=1)):
        filled = getattr(found.groupby("k"), method)().to_pandas(nullable=True)["i"].tolist()
        wanted = getattr(found.to_pandas(nullable=True).groupby("k"), method)()["i"].tolist()
        assert [None if item is pd.NA else item for item in filled] == [
            None if item is pd.NA else item for item in wanted
        ]


def test_integers_are_rounded_to_tens_as_numpy_does():
    given = [15, 25, -5, 2**60 + 15]
    wanted = [20, 20, 0, round(2**60 + 15, -1)]
    assert ak.Series(given).round(-1).tolist() == ak.DataFrame({"x": given}).round(-1)["x"].tolist() == wanted
    assert ak.round(ak.array(given), -1).tolist() == ak.array(given).round(-1).tolist() == wanted
    assert np.round(given[:3], -1).tolist() == wanted[:3]
    assert ak.Series(given).round(1).tolist() == given


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(("table", "sought"), PAIRS)
def test_places_in_a_sorted_array_are_those_of_the_numbers(columns, table, sought, side):
    # NaN comes after all numbers.
    order = sorted(COLUMNS[table].tolist(), key=lambda item: (is_nan(item), item))
    before = operator.lt if side == "left" else operator.le

    def place(number):
        if is_nan(number):
            return len(order) if side == "right" else sum(not is_nan(item) for item in order)
        return sum(before(item, number) for item in order)

    found = ak.searchsorted(ak.array(np.array(order, COLUMNS[table].dtype)), columns[sought], side=side)
    assert found.tolist() == [place(number) for number in COLUMNS[sought].tolist()]


def test_bins_take_integers_as_what_they_are():
    numbers = ak.Series([BIG + 1, BIG, 5, 0])
    assert ak.cut(numbers, [0.0, float(BIG), float(2 * BIG)], labels=False).tolist() == [1, 0, 0, -1]
    assert ak.cut(numbers, [0.0, float(BIG), float(2 * BIG)], right=False, labels=False).tolist() == [1, 1, 0, 0]
    assert numbers.between(0.0, float(BIG)).tolist() == [False, True, True, True]


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_windows_are_values_or_are_refused(name):
    numbers = [2**60, 2**60 + 2**9, 5]
    found = getattr(ak.Series(numbers).rolling(2), name)()
    np.testing.assert_array_equal(found.tolist(), getattr(pd.Series(numbers).rolling(2), name)())
    with pytest.raises(ConversionError, match="the integer 9007199254740993 would become"):
        getattr(ak.Series([BIG + 1, 5]).rolling(1), name)().tolist()


@pytest.mark.parametrize("bounds", [(5.0, None), (None, 5.0), (2.0, 6.0), (np.float64(5), None), (5.5, None)])
def test_integers_stay_integers_between_bounds_that_are(bounds):
    found, wanted = (made.clip(*bounds) for made in (ak.Series([1, 5, 9]), pd.Series([1, 5, 9])))
    assert (found.dtype, found.tolist()) == (wanted.dtype, wanted.tolist())
    if bounds[0] != 5.5:
        assert ak.Series([BIG + 1, -BIG - 1, 3]).clip(*bounds).tolist() == [
            *pd.Series([BIG + 1, -BIG - 1, 3]).clip(*bounds)
        ]


def test_unsigned_integers_stay_integers_between_bounds_that_are():
    numbers = np.array([2**64 - 1, 3], np.uint64)
    found = ak.Series(ak.array(numbers)).clip(5.0)
    assert found.dtype == np.uint64
    assert found.tolist() == [2**64 - 1, 5]


@pytest.mark.parametrize("name", ["min", "max", "sum"])
def test_results_of_columns_are_what_they_are_or_are_refused(name):
    frame = ak.DataFrame({"i": [BIG + 1], "x": [1.5]})
    with pytest.raises(ConversionError, match="the integer 9007199254740993 of column 'i' would become"):
        getattr(frame, name)()
    assert getattr(frame[["i"]], name)().tolist() == [BIG + 1]
    assert getattr(ak.DataFrame({"i": [BIG], "x": [1.5]}), name)().tolist() == [BIG, 1.5]


@pytest.mark.parametrize("errors", ["raise", "coerce"])
def test_text_of_integers_is_the_number_that_it_says_or_is_refused(errors):
    texts = [str(BIG), "-2.5", str(BIG + 2), "1e300", "9007199254740993.0"]
    found = ak.to_numeric(ak.Series(texts), errors=errors)
    np.testing.assert_array_equal(found.tolist(), pd.to_numeric(pd.Series(texts)))
    for text in (str(BIG + 1), str(-BIG - 1), str(2**64 + 1), "9" * 400):
        with pytest.raises(ConversionError, match="is an integer that no float is equal to"):
            ak.to_numeric(ak.Series(["0.5", text]), errors=errors).tolist()


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([BIG + 1, -(2**63), 2**63 - 1], "int64"),
        ([2**64 - 1, 0], "uint64"),
        ([2**64 + 1, -1], "bigint"),
        ([2**63, -1], "bigint"),
    ],
)
def test_text_of_nothing_but_integers_has_their_type(numbers, dtype):
    found = ak.to_numeric(ak.array([f" {number:+d} " for number in numbers]))
    assert (str(found.dtype), found.tolist()) == (dtype, numbers)


def test_integers_beside_text_that_is_none_are_exact():
    numbers = [BIG + 1, None, -5]
    for texts, errors in ((["9007199254740993", None, "-5"], "raise"), (["9007199254740993", "x", "-5"], "coerce")):
        found = ak.to_numeric(ak.Series(texts), errors=errors)
        assert found.dtype == np.float64
        exact = found.to_frame("v").to_pandas(nullable=True)["v"]
        assert [None if item is pd.NA else item for item in exact] == numbers
        assert found.isna().tolist() == [False, True, False]
    assert ak.to_numeric(ak.Series([None, "x"]), errors="coerce").isna().tolist() == [True, True]


WINDOWS = {
    "rows": lambda made: made.x.rolling(3),
    "some rows": lambda made: made.x.rolling(3, min_periods=1),
    "centred": lambda made: made.x.rolling(3, center=True),
    "all so far": lambda made: made.x.expanding(),
    "spans": lambda made: made.set_index("t").x.rolling("3s"),
    "spans before": lambda made: made.set_index("t").x.rolling("3s", closed="left"),
    "rows of groups": lambda made: made.groupby("k")["x"].rolling(2),
    "spans of groups": lambda made: made.set_index("t").groupby("k")["x"].rolling("3s"),
    "all of groups so far": lambda made: made.groupby("k")["x"].expanding(),
}
WIDE = {
    np.int64: (st.sampled_from([BIG, -BIG, 1]), st.sampled_from(INTEGERS) | st.integers(-(2**63), 2**63 - 1)),
    np.uint64: (st.sampled_from([BIG, 1]), st.sampled_from(NATURALS) | st.integers(0, 2**64 - 1)),
}
"""Integers whose sums are no floats, though they are themselves, and others."""


@pytest.mark.parametrize("windows", WINDOWS)
@given(data=st.data())
@settings(max_examples=10)
def test_sums_of_windows_are_the_floats_nearest_to_the_exact_ones(windows, data):
    dtype = data.draw(st.sampled_from(list(WIDE)))
    items = data.draw(st.sampled_from(WIDE[dtype]))
    numbers = np.array(data.draw(st.lists(items, min_size=1, max_size=9)), dtype)
    lengths = [len(numbers)] if data.draw(st.booleans()) else _cut(data.draw, len(numbers))
    rows = np.arange(len(numbers))
    columns = {"x": numbers, "k": np.array([1, 1, 1, 1, 2, 2, 1, 1, 2])[rows], "row": rows}
    plain = pd.DataFrame(columns)
    seconds = (rows + (rows > 4)) * 10**9
    plain["t"] = pd.to_datetime(seconds)
    made = MemorySource(columns | {"t": seconds}, lengths).arrays()
    frame = ak.DataFrame(made | {"t": ak.Datetime(made["t"])})
    # Which rows are in each window does not depend on what they have.
    places = WINDOWS[windows](plain.assign(x=rows)).apply(_mask, raw=True).sort_index(level=-1)
    chosen = [[] if np.isnan(place) else _rows_of(int(place)) for place in places.tolist()]
    wanted = [float(sum(int(numbers[row]) for row in of)) if of else np.nan for of in chosen]
    made = WINDOWS[windows](frame)
    np.testing.assert_array_equal(made.sum().tolist(), wanted)
    np.testing.assert_array_equal(
        made.mean().tolist(), [total / len(of) if of else np.nan for total, of in zip(wanted, chosen, strict=True)]
    )


@given(data=st.data())
def test_running_totals_go_on_in_the_next_partition(data):
    numbers = data.draw(st.lists(WIDE[np.int64][1], min_size=1, max_size=9))
    groups = sorted(data.draw(st.lists(st.integers(0, 3), min_size=len(numbers), max_size=len(numbers))))
    columns = {"x": np.array(numbers), "k": np.array(groups)}
    made = MemorySource(columns, _cut(data.draw, len(numbers))).arrays()
    wanted = [
        float(sum(numbers[other] for other in range(row + 1) if groups[other] == group))
        for row, group in enumerate(groups)
    ]
    assert running_of_groups(TOTAL, made["x"], made["k"]).tolist() == wanted


def _cut(draw, nrows):
    edges = sorted(draw(st.lists(st.integers(0, nrows), min_size=2, max_size=2)))
    return [stop - start for start, stop in itertools.pairwise([0, *edges, nrows])]


def _mask(rows):
    return float(sum(2 ** int(row) for row in rows))


def _rows_of(mask):
    return [row for row in range(9) if mask >> row & 1]


@pytest.mark.parametrize(
    "windows",
    [
        lambda of: of.x.rolling(2),
        lambda of: of.x.expanding(),
        lambda of: of.x.ewm(alpha=0.5),
        lambda of: of.groupby("k")["x"].rolling(2),
        lambda of: of.groupby("k")["x"].expanding(),
        lambda of: of.groupby("k")["x"].ewm(alpha=0.5),
    ],
)
@pytest.mark.parametrize("name", ["var", "std"])
def test_windows_refuse_integers_that_would_become_others(windows, name):
    frame = ak.DataFrame({"x": [2**60 + 1, -(2**60), 1], "k": 1})
    with pytest.raises(ConversionError, match="the integer 1152921504606846977 would become"):
        getattr(windows(frame), name)().tolist()
    frame = pd.DataFrame({"x": [2**53, 5, 2**40 + 1], "k": 1})
    wanted = getattr(windows(frame), name)().tolist()
    np.testing.assert_allclose(getattr(windows(ak.DataFrame(frame)), name)().tolist(), wanted, rtol=1e-15)


def test_products_of_wide_integers_are_those_of_their_distances():
    near = pd.DataFrame({"x": [1, 3, 9, 4], "u": [5, 5, 2, 6], "f": [0.5, 1.5, -1.0, 2.0]})
    # The mean of what is as large as can be is no integer of the type, as a float.
    largest = (np.uint64(2**64 - 7) + near["u"].astype(np.uint64)).to_numpy()
    far = ak.DataFrame({"x": near["x"] + 2**60, "u": largest, "f": near["f"]})
    for name in ("cov", "corr"):
        np.testing.assert_allclose(getattr(far, name)().to_pandas(), getattr(near, name)())
        for one, other in itertools.permutations(near, 2):
            wanted = getattr(near[one], name)(near[other])
            assert getattr(ak.Series(far[one]), name)(ak.Series(far[other])) == pytest.approx(wanted)
            assert getattr(ak, name)(far[one], far[other]) == pytest.approx(wanted)
    for name in ("skew", "kurt", "autocorr"):
        assert getattr(far.x, name)() == pytest.approx(getattr(near["x"], name)())


@pytest.mark.parametrize(
    "items",
    [
        [0.5, BIG + 1],
        (BIG + 1, 0.5),
        [BIG + 1, None, 0.5],
        [[BIG + 1, 0.5], [1, 2]],
        [np.int64(BIG + 1), np.float64(0.5)],
        [0.5, 2**64 + 1],
    ],
)
def test_integers_given_beside_floats_are_floats_or_are_refused(items):
    with pytest.raises(ConversionError, match=r"would become .* as a float"):
        ak.array(items)
    assert ak.array([BIG, None, 0.5]).tolist()[::2] == [BIG, 0.5]


def assign_element(floats, item):
    floats[0] = item
    return floats


def assign_chosen(floats, item):
    floats[ak.array([True, False])] = item
    return floats


def assign_rows(floats, item):
    floats[:1] = ak.array([item])
    return floats


def assign_by_label(floats, item):
    series = ak.Series(floats)
    series.loc[0] = item
    return series


def put_where(floats, item):
    ak.putmask(floats, ak.array([True, False]), ak.array(np.array([item, 5], np.uint64)))
    return floats


@pytest.mark.parametrize("assign", [assign_element, assign_chosen, assign_rows, assign_by_label, put_where])
@pytest.mark.parametrize("item", [BIG + 1, 2**64 - 1])
def test_integers_assigned_to_floats_are_floats_or_are_refused(assign, item):
    floats = ak.array([0.5, 1.5])
    with pytest.raises(ConversionError, match=f"the integer {item} would become"):
        assign(floats, item).tolist()
    assert assign(ak.array([0.5, 1.5]), BIG + 2).tolist() == [BIG + 2, 1.5]


@pytest.mark.parametrize("reshape", [lambda of: of.melt()["value"], lambda of: of.stack(), lambda of: of.unstack()])
def test_columns_below_each_other_are_what_they_are_or_are_refused(reshape):
    with pytest.raises(ConversionError, match="the integer 9007199254740993 would become"):
        reshape(ak.DataFrame({"i": [BIG + 1, 3], "x": [0.5, 1.5]})).tolist()
    assert sorted(reshape(ak.DataFrame({"i": [BIG, 3], "x": [0.5, 1.5]})).tolist()) == [0.5, 1.5, 3, BIG]


@pytest.mark.parametrize(
    ("columns", "total"),
    [
        ({"a": [2**63 - 1], "b": [2**63 - 1]}, 2**64 - 2),
        ({"a": [BIG + 1], "b": [-BIG]}, 1),
        ({"a": np.array([2**64 - 1], np.uint64), "b": np.array([2**64 - 1], np.uint64)}, 2**65 - 2),
        ({"a": [2**62], "b": np.array([2**63], np.uint64)}, 2**62 + 2**63),
        ({"a": [2**62], "b": [2**62], "c": [0.5]}, 2**63),
        ({"a": np.array([255], np.uint8), "b": np.array([1], np.uint8)}, 256),
    ],
)
def test_sums_of_rows_do_not_wrap_on_their_way_to_floats(columns, total):
    frame = ak.DataFrame(columns)
    assert frame.mean(axis=1).tolist() == [float(total) / len(columns)]
    if len({column.dtype for column in map(np.asarray, columns.values())}) > 1 or total == 256:
        assert frame.sum(axis=1).tolist() == pd.DataFrame(columns).sum(axis=1).tolist() == [total]


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (lambda item: item - 1, "uint64"),
        (lambda item: item + 1, "bigint"),
        (lambda item: -item, "bigint"),
        (lambda item: item % 7, "int64"),
    ],
)
def test_functions_of_elements_return_what_they_return(function, dtype):
    numbers = [2**63, 2**64 - 1, 5]
    found = ak.Series(np.array(numbers, np.uint64)).apply(function)
    assert (str(found.dtype), found.tolist()) == (dtype, list(map(function, numbers)))
    assert ak.apply(ak.array([1, 2]), lambda item: 2**63 + item, "uint64").tolist() == [2**63 + 1, 2**63 + 2]
    with pytest.raises(ConversionError, match="the integer 9007199254740993 that the applied function returns"):
        ak.Series([1, 2]).apply(lambda item: 0.5 if item == 1 else BIG + 1).tolist()


def test_values_of_a_dict_are_what_they_are_beside_missing_ones():
    found = ak.Series([1, 2]).map({1: BIG + 1})
    assert found.isna().tolist() == [False, True]
    assert found.fillna(0).tolist() == [BIG + 1, 0]
    assert found.to_frame("x").to_pandas(nullable=True)["x"][0] == found.tolist()[0] == BIG + 1
    with pytest.raises(ConversionError, match="the integer 9007199254740993 would become"):
        (found + 0.5).tolist()
    with pytest.raises(ArgumentTypeError, match="the dict lacks elements"):
        ak.Series([1, 2]).map({1: 2**70})
    assert ak.Series([1, 2]).map({1: 2**70, 2: 0}).tolist() == [2**70, 0]
    np.testing.assert_array_equal(ak.Series([1, 2]).map({1: 5}).tolist(), pd.Series([1, 2]).map({1: 5}))


def test_integers_meet_those_that_may_be_missing_as_what_they_are_or_are_refused():
    gaps = ak.DataFrame({"k": [1, 2]}).merge(ak.DataFrame({"k": [1], "x": [BIG + 1]}), on="k", how="left")
    assert gaps.x.dropna().astype("int64").tolist() == [BIG + 1]
    assert gaps.x.fillna(-1).astype("int64").tolist() == [BIG + 1, -1]
    few, many = ak.DataFrame({"x": [1, 2]}), ak.DataFrame({"x": [BIG + 1, 5, 7]})
    for compute in (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod):
        with pytest.raises(ConversionError, match="the integer 9007199254740993 would become"):
            compute(many, few)["x"].tolist()
        with pytest.raises(ConversionError, match="the integer 9007199254740993 would become"):
            compute(few.reindex([0, 5])["x"], BIG + 1).tolist()
    given = {"x": [BIG + 2, 5, 7]}, {"x": [2, 2]}
    found, wanted = [made.DataFrame(given[0]) + made.DataFrame(given[1]) for made in (ak, pd)]
    np.testing.assert_array_equal(found["x"].tolist(), wanted["x"])


def test_rows_of_a_frame_have_its_integers():
    frame = ak.DataFrame({"i": [BIG + 1, 5], "x": [0.5, 1.5]})
    assert [row["i"] for _, row in frame.iterrows()] == [BIG + 1, 5]
    assert frame.apply(lambda row: row["i"] + 1, axis=1).tolist() == [BIG + 2, 6]
    (_, plain), *_ = ak.DataFrame({"i": [BIG, 5], "x": [0.5, 1.5]}).iterrows()
    assert plain.dtype == np.float64
