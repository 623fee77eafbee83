"""Operations at the ends of what types hold, beside Python's integers; places and sets of lists beside its lists."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from akdask.columns.arrow import lists_of
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT8, UINT64
from akdask.columns.table import to_objects
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, PositionError, TimeOverflowError
from akdask.operators.values import elementwise, lookup, segarray, times

pytestmark = pytest.mark.light

NAT, LAST = -(2**63), 2**63 - 1
EDGES = [NAT, NAT + 1, NAT + 2, -(2**62), -7, -1, 0, 1, 2, 7, 2**62 - 1, 2**62, LAST - 1, LAST]


def computed(operation, *columns, **params):
    return OPERATIONS[operation].evaluate(*columns, **params)


def outcome(operation, *columns, **params):
    """Return the results, or the error where one is beyond 64 bits."""
    try:
        return computed(operation, *columns, **params).tolist()
    except TimeOverflowError:
        return TimeOverflowError


def held(number):
    return TimeOverflowError if number is not None and not NAT < number <= LAST else [NAT if number is None else number]


@pytest.mark.parametrize("beside", [[], [0], [NAT]])
@pytest.mark.parametrize(
    ("operation", "compute"),
    [
        ("add_times", lambda one, other: one + other),
        ("subtract_times", lambda one, other: one - other),
        ("multiply_times", lambda one, other: one * other),
    ],
)
def test_sums_differences_and_multiples_of_all_edges_are_exact_or_an_error(operation, compute, beside):
    for one, other in product(EDGES, EDGES):
        if operation == "multiply_times" and other == NAT:
            continue
        is_missing = one == NAT or (other == NAT and operation != "multiply_times")
        expected = held(None if is_missing else compute(one, other))
        columns = np.array([one, *beside]), np.array([other, *(0 for _ in beside)])
        more = [] if expected is TimeOverflowError else [NAT if row == NAT else 0 for row in beside]
        found = outcome(operation, *columns)
        assert found == (expected if expected is TimeOverflowError else expected + more), (one, other)


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
def test_edges_are_rounded_or_an_error(how):
    for time, step in product(EDGES, [1, 2, 3, 10**9, 2**62, LAST]):
        down, rest = divmod(time, step)
        up = rest > 0 if how == "ceil" else how == "round" and (2 * rest > step or (2 * rest == step and down % 2))
        expected = held(None if time == NAT else (down + up) * step)
        assert outcome("round_time", np.array([time]), how=how, step=step) == expected, (time, step)
    # Halves go to the even multiple.
    found = computed("round_time", np.arange(-6, 7), how="round", step=4).tolist()
    assert found == [round(Fraction(number, 4)) * 4 for number in range(-6, 7)]


def test_times_of_other_units_have_the_numbers_of_python_or_are_an_error():
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    numbers = [
        *EDGES,
        LAST // 10**3,
        LAST // 10**3 + 1,
        -(LAST // 10**3),
        -(LAST // 10**3) - 1,
        999,
        1000,
        -1001,
        LAST // 10**9,
    ]
    for given, wanted, number in product(per, per, numbers):
        expected = held(None if number == NAT else number * per[wanted] // per[given])
        assert outcome("time_in_unit", np.array([number]), given=given, wanted=wanted) == expected, (
            given,
            wanted,
            number,
        )


def test_edges_of_two_units_are_compared_exactly():
    per = {"s": 1, "ms": 10**3, "ns": 10**9}
    numbers = [NAT, NAT + 1, -(10**9), -1, 0, 1, 999, 1000, 1001, 10**9, LAST]
    pairs = list(product(numbers, numbers))
    one, other = (np.array(side) for side in zip(*pairs, strict=True))
    for (left, right), how in product(
        product(per, per), ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    ):
        expected = [
            how == "not_equal" if NAT in pair else bool(getattr(np, how)(pair[0] * per[right], pair[1] * per[left]))
            for pair in pairs
        ]
        assert computed("compare_times", one, other, how=how, units=(left, right)).tolist() == expected


@pytest.mark.parametrize("round_down", [True, False])
def test_spans_are_divided_by_numbers(round_down):
    for span, by in product(EDGES, [-(2**62), -7, -1, 0, 1, 2, 7, LAST]):
        quotient = Fraction(span, by or 1)
        expected = NAT if span == NAT or not by else quotient.__floor__() if round_down else int(quotient)
        assert computed("divide_times", np.array([span]), np.array([by]), round_down=round_down).tolist() == [expected]
    found = computed(
        "divide_times", np.array([7, -7, 7, NAT, 7]), np.array([2.0, 2.0, np.nan, 1.0, 0.0]), round_down=round_down
    )
    assert found.tolist() == [3, -4 if round_down else -3, NAT, NAT, NAT]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("step", [1, 1000, 10**9])
def test_counted_times_are_those_of_pandas_or_nat_where_that_is_asked_for(dtype, step):
    most = LAST // step
    numbers = [0, 7, most, most + 1, LAST]
    numbers += [-1, -most, -most - 1, -LAST] if dtype == np.int64 else [2**63, 2**64 - 1]
    for number in numbers:
        if number > np.iinfo(dtype).max:
            continue
        column = np.array([number], dtype)
        expected = held(None if number == NAT else number * step)
        assert outcome("counted_time", column, step=step) == expected
        assert outcome("counted_time", column, step=step, coerce=True) == (
            [NAT] if expected is TimeOverflowError else expected
        )


def test_counted_floats_are_rounded_as_in_pandas():
    numbers = [0.1, -1.5, 1e9, np.nan, 9.2e9, 9.3e9, -9.3e9, np.inf]
    found = computed("counted_time", np.array(numbers), step=10**9, coerce=True).tolist()
    assert found == pd.to_datetime(numbers, unit="s", errors="coerce").astype("int64").tolist()
    assert outcome("counted_time", np.array([9.3e9]), step=10**9) is TimeOverflowError
    assert computed("counted_time", np.array([1.2345, -0.001]), step=1000).tolist() == [1234, -1]


def test_times_by_floats_are_truncated_and_nan_is_nat():
    found = computed("multiply_times", np.array([3, -3, 3, NAT, 0]), np.array([0.5, 0.5, np.nan, 1.0, 5.0]))
    assert found.tolist() == [1, -1, NAT, NAT, 0]
    assert outcome("multiply_times", np.array([2**62]), np.array([2.0])) is TimeOverflowError
    assert outcome("multiply_times", np.array([2**62]), np.array([-1.5])) == [-(2**62) - 2**61]
    assert outcome("multiply_times", np.array([1]), np.array([2**63], np.uint64)) is TimeOverflowError
    assert outcome("multiply_times", np.array([1]), np.array([LAST], np.uint64)) == [LAST]


def test_quotients_and_ratios_and_rests_of_spans():
    left, right = np.array([7, -7, NAT, 7, 0]), np.array([2, 2, 2, NAT, 7])
    np.testing.assert_array_equal(times._ratio(left, right), [3.5, -3.5, np.nan, np.nan, 0.0])
    with pytest.raises(ArgumentError, match="NaT"):
        times._quotient(left, right)
    assert times._quotient(left[:2], right[:2]).tolist() == [3, -4]
    assert times._quotient(left, right, missing=True)[[0, 1, 4]].tolist() == [3, -4, 0]
    with np.errstate(all="ignore"):
        assert times._remaining(np.array([7, -7, NAT, 7, 5]), np.array([2, 2, 2, NAT, 0])).tolist() == [
            1,
            1,
            NAT,
            NAT,
            NAT,
        ]


def test_fields_are_those_of_pandas_on_the_days_between_which_they_change():
    days = [
        date
        for year in (1, 1582, 1600, 1899, 1900, 1999, 2000, 2004, 2023, 2024, 9999)
        for date in (f"{year:04}-01-01", f"{year:04}-02-28", f"{year:04}-03-01", f"{year:04}-12-31")
    ]
    days += [
        "2000-02-29",
        "2024-02-29",
        "2004-02-29",
        *(f"2021-{month:02}-01" for month in range(1, 13)),
        *(f"2020-12-{day}" for day in range(25, 32)),
        *(f"2021-01-0{day}" for day in range(1, 10)),
    ]
    moments = pd.DatetimeIndex(np.array(days, "datetime64[s]"))
    seconds = moments.astype("int64").to_numpy()
    iso = moments.isocalendar()
    wanted = {
        "year": moments.year, "month": moments.month, "day": moments.day, "day_of_year": moments.day_of_year,
        "day_of_week": moments.day_of_week, "week": iso["week"], "iso_year": iso["year"],
        "is_leap_year": moments.is_leap_year,
    }  # fmt: skip
    for field, expected in wanted.items():
        for some in (slice(None), *(slice(number, number + 1) for number in range(len(days)))):
            # The last second of a day is of that day.
            for more in 0, 86_399:
                found = computed("calendar", seconds[some] + more, field=field, unit="s")
                assert found.tolist() == list(expected)[some], (field, days[some])


# ---- looked-up rows


TABLE = {
    "numbers": (np.array([10, 20, 30]), [10, 20, 30], 0),
    "floats": (np.array([1.5, 2.5, 3.5]), [1.5, 2.5, 3.5], None),
    "bools": (np.array([True, False, True]), [True, False, True], False),
    "text": (pa.array(["a", "é" * 9, ""], pa.large_string()), ["a", "é" * 9, ""], ""),
    "wide": (from_ints([2**70, -1, 5]), [2**70, -1, 5], 0),
}


def plain(column):
    values = column.tolist() if isinstance(column, np.ndarray) else to_objects(column)
    return [None if isinstance(item, float) and np.isnan(item) else item for item in values]


@pytest.mark.parametrize("kind", TABLE)
def test_rows_are_looked_up_by_codes_by_positions_and_where_they_are_found(kind):
    table, rows, nothing = TABLE[kind]
    codes = np.array([2, 0, 1, 2])
    assert plain(computed("lookup", table, codes)) == [rows[code] for code in codes]
    assert plain(computed("take", table, np.array([-1, 0, -3, 2]))) == [rows[at] for at in (-1, 0, -3, 2)]
    found = computed("lookup_found", table, np.array([-1, 2, 0, -1]))
    assert plain(found) == [nothing, rows[2], rows[0], nothing]
    none = table[:0] if isinstance(table, np.ndarray) else table.slice(0, 0)
    assert plain(computed("lookup_found", none, np.array([-1, -1]))) == [nothing, nothing]


def test_codes_exist_and_the_first_and_the_last_do():
    lookup.check_codes(np.array([0, 2]), 3)
    lookup.check_codes(np.empty(0, np.int64), 0)
    for wrong in -1, 3:
        with pytest.raises(PositionError, match=f"the code {wrong} has no category"):
            lookup.check_codes(np.array([0, wrong, 1]), 3)
    assert lookup.from_start(np.array([-3, -1, 0, 2]), 3).tolist() == [0, 2, 0, 2]


SHAPES = {
    "rows": ((4, 3), (3, 1), 0), "columns": ((3, 4), (1, 3), 0), "reversed": ((12,), (-1,), 11), "part": ((2, 2),
    (3, 1), 4),
    "three": ((2, 3, 2), (6, 2, 1), 0), "turned": ((2, 3, 2), (1, 2, 6), 0), "repeated": ((3, 4), (0, 1), 2),
    "every other": ((2, 2), (6, 2), 1),
}  # fmt: skip


@pytest.mark.parametrize("kind", SHAPES)
def test_any_successive_elements_of_an_arrangement_are_those_of_numpy(kind):
    shape, strides, offset = SHAPES[kind]
    table = np.arange(100, 112)
    view = np.lib.stride_tricks.as_strided(table[offset:], shape, [8 * stride for stride in strides])
    flat = view.ravel().tolist()
    for start in range(len(flat)):
        for stop in range(start, len(flat) + 1):
            rows = np.arange(start, stop)
            found = lookup.strided(table, rows, shape=shape, strides=strides, offset=offset)
            assert found.tolist() == flat[start:stop]
    mixed = np.array([0, len(flat) - 1, 1])
    places = lookup.strided_positions(mixed, shape=shape, strides=strides, offset=offset)
    assert table[places].tolist() == [flat[row] for row in mixed]
    out = np.full(3, -1)
    assert lookup.strided_positions(mixed, out, shape=shape, strides=strides, offset=offset) is out
    assert out.tolist() == places.tolist()


# ---- numbers


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize(("start", "stop"), [(0, 10), (3, 7), (9, 10), (10, 10), (0, 1), (2, 9)])
def test_items_are_put_in_ranges_of_any_block_of_rows(start, stop, step):
    wanted = np.arange(10) * 10
    wanted[start:stop:step] = -1
    for first in range(10):
        for last in range(first, 11):
            old = np.arange(first, last) * 10
            for rows in (
                np.arange(first, last),
                np.arange(first, last)[::2].copy(),
                np.arange(first, last)[::-1].copy(),
            ):
                given = old[rows - first].copy()
                out = np.full(len(rows), 77)
                found = elementwise._put_range(given, rows, np.int64(-1), out, start=start, stop=stop, step=step)
                assert found.tolist() == wanted[rows].tolist(), (first, last)


def test_integers_are_rounded_to_tens_with_halves_to_even_up_to_their_ends():
    numbers = [-(2**63), -25, -15, -5, -4, 0, 4, 5, 6, 14, 15, 25, 95, 105, 2**63 - 8]
    for zeros in 1, 2, 18:
        expected = [round(number, -zeros) for number in numbers]
        inside = [number for number, one in zip(numbers, expected, strict=True) if -(2**63) <= one < 2**63]
        found = computed("round", np.array(inside), decimals=-zeros)
        assert found.tolist() == [round(number, -zeros) for number in inside]
    assert computed("round", np.array([0, 5 * 10**18]), decimals=-19).tolist() == [0, 0]
    with pytest.raises(ArgumentError, match="18 places"):
        computed("round", np.array([5 * 10**18 + 1]), decimals=-19)
    assert computed("round", np.array([LAST]), decimals=-20).tolist() == [0]
    assert computed("round", np.array([255, 250, 245], np.uint8), decimals=-1).tolist() == [4, 250, 240]
    assert computed("round", np.array([True, False])).tolist() == [1.0, 0.0]


def test_ranges_are_as_long_as_those_of_python():
    bounds = list(product([-7, 0, 3], [-7, 0, 3, 4, 9]))
    for (start, stop), stride in product(bounds, [1, 2, 3, 10]):
        given = np.array([start]), np.array([stop])
        if start > stop:
            with pytest.raises(ArgumentError, match=f"from {start} to {stop}"):
                computed("range_length", *given, stride=stride)
        else:
            assert computed("range_length", *given, stride=stride).tolist() == [len(range(start, stop, stride))]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
def test_numbers_within_bounds_are_given_back(dtype):
    numbers = np.array([1, 5, 9], dtype)
    assert computed("within", numbers, low=1, high=9).tolist() == [1, 5, 9]
    for low, high, wrong in ((2, 9, 1), (1, 8, 9), (2, 8, 1)):
        with pytest.raises(ArgumentError, match=rf"^{numbers.dtype.type(wrong)} is not from {low} to {high}"):
            computed("within", numbers, low=low, high=high)
    assert computed("within", numbers[:0], low=1, high=9).tolist() == []


def test_differences_of_integers_are_the_nearest_floats():
    for one, other in product(EDGES, EDGES):
        assert computed("difference", np.array([one]), np.array([other])).tolist() == [float(one - other)]
    for one, other in product([0, 1, 2**63, 2**64 - 1], repeat=2):
        found = computed("difference", np.array([one], np.uint64), np.array([other], np.uint64))
        assert found.tolist() == [float(one - other)]


def test_types_of_results_are_those_of_the_columns():
    assert OPERATIONS["round"].rule(BOOL) == FLOAT64
    assert OPERATIONS["round"].rule(UINT8) == UINT8
    assert OPERATIONS["round"].rule(STR) is None
    assert OPERATIONS["difference"].rule(INT64, UINT64) is None
    assert OPERATIONS["take"].rule(STR, UINT8) == STR
    assert OPERATIONS["take"].rule(STR, FLOAT64) is None
    assert OPERATIONS["lookup"].rule(STR, UINT64) is None
    assert OPERATIONS["from_start"].rule(UINT64) == INT64
    assert OPERATIONS["stored_position"].rule(FLOAT64) is None
    assert OPERATIONS["calendar"].rule(INT64, field="is_leap_year") == BOOL
    assert OPERATIONS["calendar"].rule(INT64, field="year") == INT64
    assert OPERATIONS["calendar"].rule(FLOAT64, field="year") is None


# ---- lists


LISTS = {
    "numbers": [[3, 1, 1], [], [2], [5, 5, 5, 4]],
    "text": [["b", "a", "a"], [], [""], ["é", "é", "é", "c"]],
}


def column_of(rows, kind):
    values = [item for row in rows for item in row]
    column = pa.array(values, pa.large_string()) if kind == "text" else np.array(values, np.int64)
    return lists_of(np.cumsum([0, *map(len, rows)]), column)


def rows_of(lists):
    offsets, values = segarray.parts_of(lists)
    items = plain(values)
    return [items[start:stop] for start, stop in zip(offsets[:-1], offsets[1:], strict=True)]  # noqa: RUF007


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("j", range(-5, 5))
def test_places_of_lists_are_read_and_set_from_either_end(kind, j):
    rows = LISTS[kind]
    default, item = ("z", "new") if kind == "text" else (-9, 77)
    lists = column_of(rows, kind)
    has = [-len(row) <= j < len(row) for row in rows]
    found = segarray._get(lists, j=j, default=default)
    assert plain(found) == [row[j] if there else default for row, there in zip(rows, has, strict=True)]
    assert plain(segarray._get(lists, j=j))[1] == ("" if kind == "text" else 0)
    wanted = [row[:] for row in rows]
    for row, there in zip(wanted, has, strict=True):
        if there:
            row[j] = item
    assert rows_of(segarray._set(lists, np.array(has), item, j=j)) == wanted
    for number, there in enumerate(has):
        if not there:
            chosen = np.arange(len(rows)) == number
            with pytest.raises(ArgumentError, match=rf"no value {j}(.|\n)*has {len(rows[number])} values"):
                segarray._set(lists, chosen, item, j=j)


@pytest.mark.parametrize("kind", LISTS)
def test_lists_are_joined_windowed_and_freed_of_repeats(kind):
    rows = LISTS[kind]
    lists = column_of(rows, kind)
    others = column_of(rows[::-1], kind)
    assert rows_of(segarray._joined(lists, others)) == [
        one + other for one, other in zip(rows, rows[::-1], strict=True)
    ]
    item = "x" if kind == "text" else 8
    assert rows_of(segarray._append(lists, item)) == [[*row, item] for row in rows]
    assert rows_of(segarray._append(lists, item, prepend=True)) == [[item, *row] for row in rows]
    for n in 1, 2, 3, 4, 5:
        for place in range(n):
            found = rows_of(segarray._window(lists, n=n, place=place))
            assert found == [[row[start + place] for start in range(len(row) - n + 1)] for row in rows]
    firsts = [[item for number, item in enumerate(row) if not number or item != row[number - 1]] for row in rows]
    assert rows_of(segarray._remove_repeats(lists)) == firsts
    counts = segarray._multiplicity(lists)
    assert rows_of(counts) == [[1, 2], [], [1], [3, 1]]
    unwanted = pa.array(["a", "é"], pa.large_string()) if kind == "text" else np.array([1, 5])
    assert rows_of(segarray._without(lists, unwanted)) == [
        [one for one in row if one not in unwanted.tolist()] for row in rows
    ]


@pytest.mark.parametrize("kind", LISTS)
def test_lists_are_sets(kind):
    rows, others = LISTS[kind], [LISTS[kind][0][:1], LISTS[kind][2], LISTS[kind][2], LISTS[kind][3][3:]]
    pair = column_of(rows, kind), column_of(others, kind)
    combine = {
        "list_intersect": set.intersection, "list_union": set.union, "list_setdiff": set.difference,
        "list_setxor": set.symmetric_difference,
    }  # fmt: skip
    for name, function in combine.items():
        found = rows_of(segarray.SET_OPERATIONS[name](*pair))
        assert found == [sorted(function(set(one), set(other))) for one, other in zip(rows, others, strict=True)]
    assert rows_of(segarray._unique(pair[0])) == [sorted(set(row)) for row in rows]
    assert segarray._equal(*pair).tolist() == [one == other for one, other in zip(rows, others, strict=True)]
    assert segarray._not_equal(pair[0], pair[0]).tolist() == [False] * 4
    assert segarray.lengths_of(pair[0]).tolist() == [3, 0, 1, 4]


def test_values_are_coded_by_their_distance_while_pairs_with_rows_have_62_bits():
    far = np.array([0, 2**61])
    for nrows, is_near in ((1, True), (2, False)):
        codes = segarray.codes_of(far, nrows)
        assert (codes.count == 2**61 + 1) == is_near
        assert plain(codes.decode(codes.codes)) == far.tolist()
    assert segarray.codes_of(np.array([5, 3, 5]), 3).codes.tolist() == [2, 0, 2]
    assert segarray.codes_of(np.array([5.5, 3.5, 5.5]), 3).codes.tolist() == [1, 0, 1]
    assert segarray.codes_of(np.empty(0, np.int64), 3).count == 1


# ---- zones, text and offsets

CLOCKS = pd.DatetimeIndex(["2024-03-31 01:30", "2024-10-27 02:30", "2024-07-01", "1970-01-01"])


@pytest.mark.parametrize("unit", ["s", "ms", "ns"])
def test_clocks_of_zones_are_those_of_pandas(unit):
    numbers = CLOCKS.as_unit(unit).asi8
    for zone in "Europe/Berlin", "UTC", "+05:30":
        wanted = CLOCKS.as_unit(unit).tz_localize("UTC").tz_convert(zone).tz_localize(None).asi8
        found = computed("local_time", numbers, zone=zone, unit=unit)
        assert found.tolist() == wanted.tolist()
        out = np.empty(4, np.int64)
        assert computed("local_time", numbers, out=out, zone=zone, unit=unit) is out
        assert out.tolist() == wanted.tolist()
        assert computed("utc_time", wanted[2:], zone=zone, unit=unit).tolist() == numbers[2:].tolist()
        assert computed("local_time", np.int64(numbers[2]), zone=zone, unit=unit) == wanted[2]
    assert computed("local_time", np.array([NAT]), zone="UTC", unit=unit).tolist() == [NAT]


def test_times_that_clocks_show_twice_or_never_are_told_or_decided():
    twice, never = (pd.DatetimeIndex([time]).as_unit("ns").asi8 for time in ("2024-10-27 02:30", "2024-03-31 02:30"))
    for wrong in twice, never:
        with pytest.raises(ArgumentError, match="clocks of Europe/Berlin"):
            computed("utc_time", wrong, zone="Europe/Berlin", unit="ns")
    hour = 3600 * 10**9
    for is_first, expected in ((True, twice - 2 * hour), (False, twice - hour)):
        assert times.utc(twice, "Europe/Berlin", ambiguous=is_first).tolist() == expected.tolist()
        flags = np.array([is_first])
        assert computed("utc_time", twice, flags, zone="Europe/Berlin", unit="ns").tolist() == expected.tolist()
    assert times.utc(twice, "Europe/Berlin", ambiguous="NaT").tolist() == [NAT]
    shifted = times.utc(never, "Europe/Berlin", nonexistent="shift_forward")
    assert shifted.tolist() == pd.DatetimeIndex(["2024-03-31 01:00"]).as_unit("ns").asi8.tolist()


@pytest.mark.parametrize(
    ("items", "kind", "unit", "expected"),
    [
        (["1970-01-02", None], "M", "s", ([86400, NAT], "s", None)),
        (["1970-01-01T02:00+02:00"], "M", "ns", ([0], "ns", None)),
        (np.array([5, -5], "M8[ms]"), "M", None, ([5, -5], "ms", None)),
        (np.array([5], "M8[ms]"), "M", "ns", ([5 * 10**6], "ns", None)),
        (np.array([1999], "M8[ms]"), "M", "s", ([1], "s", None)),
        (pd.DatetimeIndex(["1970-01-01 01:00"], tz="Europe/Berlin"), "M", "s", ([0], "s", "Europe/Berlin")),
        (np.array([7], "m8[us]"), "m", None, ([7], "us", None)),
        (["1s", "2min"], "m", "s", ([1, 120], "s", None)),
    ],
)  # fmt: skip
def test_times_and_spans_of_any_form_are_numbers_of_a_unit(items, kind, unit, expected):
    numbers, found, zone = times.numbers_of(items, kind, unit)
    assert (numbers.tolist(), found, zone) == expected


def test_what_is_no_time_or_too_far_is_told():
    for items, kind, words in ((["x"], "M", "not all a time"), (["x"], "m", "not all a span")):
        with pytest.raises(ArgumentError, match=words):
            times.numbers_of(items, kind)
    with pytest.raises(TimeOverflowError):
        times.nanoseconds(np.array([2**62], "M8[s]"), "M")
    with pytest.raises(ArgumentError, match="is no zone"):
        times.checked_zone("Nowhere/At_all")
    assert [times.checked_zone(zone) for zone in ("UTC", "Europe/Berlin")] == ["UTC", "Europe/Berlin"]
