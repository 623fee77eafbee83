"""Operations on lists against plain Python, list by list."""

import math
from functools import reduce
from itertools import groupby

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.arrow import lists_of
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT64, bigint_of, list_of
from akdask.columns.table import concat_rows, to_objects
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.values.segarray import codes_of, distinct_keys, parts_of, ranked
from akdask.operators.values.segarray import rows_of as segarray_rows

pytestmark = pytest.mark.light

VALUES = {
    "int64": st.sampled_from([-(2**63), -1, 0, 1, 2, 3, 2**63 - 1]),
    "uint64": st.sampled_from([0, 1, 2, 3, 2**64 - 1]),
    "float64": st.sampled_from([-np.inf, -1.5, 0.0, 0.25, 2.0]),
    "bool": st.booleans(),
    "bigint": st.sampled_from([-(2**70), -1, 0, 1, 2**64, 2**200]),
    "str": st.sampled_from(["", "a", "b", "ab", "é", "日本"]),
}
TYPES = {"int64": INT64, "uint64": UINT64, "float64": FLOAT64, "bool": BOOL, "bigint": BIGINT, "str": STR}


def rows_of(kind):
    return st.lists(st.lists(VALUES[kind], max_size=5), max_size=6)


def as_column(kind, values):
    if kind == "bigint":
        return from_ints(values)
    return pa.array(values, pa.large_string()) if kind == "str" else np.array(values, kind)


def as_lists(kind, rows):
    """Return lists as a slice of more, since slices have offsets that do not start at 0."""
    more = [[*row] for row in rows]
    filler = {"str": "filler", "bool": True}.get(kind, 1)
    padded = [[filler, filler], *more, [filler]]
    offsets = np.cumsum([0, *map(len, padded)])
    return lists_of(offsets, as_column(kind, [item for row in padded for item in row])).slice(1, len(rows))


def run(name, *args, **params):
    found = OPERATIONS[name].evaluate(*args, **params)
    return to_objects(found)


KINDS = st.sampled_from(list(VALUES))


@given(kind=KINDS, data=st.data())
def test_lists_keep_their_values_through_slices_and_joins(kind, data):
    rows, others = data.draw(rows_of(kind)), data.draw(rows_of(kind))
    assert to_objects(as_lists(kind, rows)) == rows
    empty = lists_of(np.zeros(1, np.int64), pa.nulls(0))
    assert to_objects(concat_rows([as_lists(kind, rows), empty, as_lists(kind, others)])) == rows + others
    assert run("list_lengths", as_lists(kind, rows)) == list(map(len, rows))


@given(kind=KINDS, data=st.data(), place=st.integers(-4, 4))
def test_a_place_gives_a_value_or_the_default(kind, data, place):
    rows = data.draw(rows_of(kind))
    default = {"str": "?", "bool": False}.get(kind, 7)
    expected = [row[place] if -len(row) <= place < len(row) else default for row in rows]
    assert run("list_get", as_lists(kind, rows), j=place, default=default) == expected


@given(kind=KINDS, data=st.data(), place=st.integers(-3, 2))
def test_a_place_can_be_set_where_a_mask_holds(kind, data, place):
    rows = data.draw(rows_of(kind))
    mask = np.array([-len(row) <= place < len(row) and data.draw(st.booleans()) for row in rows], np.bool_)
    items = [data.draw(VALUES[kind]) for _ in rows]
    expected = [[*row] for row in rows]
    for row, item, chosen in zip(expected, items, mask, strict=True):
        if chosen:
            row[place] = item
    assert run("list_set", as_lists(kind, rows), mask, as_column(kind, items), j=place) == expected


@pytest.mark.parametrize("kind", VALUES)
def test_a_place_that_is_not_there_cannot_be_set(kind):
    lists = as_lists(kind, [[], []])
    for place in (0, -1):
        with pytest.raises(ArgumentError, match="0 values"):
            OPERATIONS["list_set"].evaluate(lists, np.array([True, False]), as_column(kind, []), j=place)


@given(kind=KINDS, data=st.data())
def test_lists_are_joined_row_by_row(kind, data):
    pairs = data.draw(st.lists(st.tuples(*[st.lists(VALUES[kind], max_size=4)] * 2), max_size=5))
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    assert run("list_join", as_lists(kind, left), as_lists(kind, right)) == [a + b for a, b in pairs]
    items = [data.draw(VALUES[kind]) for _ in pairs]
    column = as_column(kind, items)
    assert run("list_append", as_lists(kind, left), column) == [[*a, x] for a, x in zip(left, items, strict=True)]
    prepended = run("list_append", as_lists(kind, left), column, prepend=True)
    assert prepended == [[x, *a] for a, x in zip(left, items, strict=True)]


@given(kind=KINDS, data=st.data(), n=st.integers(1, 4))
def test_windows_are_the_values_at_a_place_of_all_runs(kind, data, n):
    rows = data.draw(rows_of(kind))
    for place in range(n):
        expected = [[row[start + place] for start in range(len(row) - n + 1)] for row in rows]
        assert run("list_window", as_lists(kind, rows), n=n, place=place) == expected


@given(kind=KINDS, data=st.data())
def test_repeats_are_removed_and_counted(kind, data):
    rows = data.draw(rows_of(kind))
    runs = [[(item, len(list(same))) for item, same in groupby(row)] for row in rows]
    assert run("list_remove_repeats", as_lists(kind, rows)) == [[item for item, _ in row] for row in runs]
    assert run("list_multiplicity", as_lists(kind, rows)) == [[count for _, count in row] for row in runs]


@given(kind=KINDS, data=st.data())
def test_values_of_a_table_are_left_out(kind, data):
    rows, unwanted = data.draw(rows_of(kind)), data.draw(st.lists(VALUES[kind], max_size=3))
    expected = [[item for item in row if item not in unwanted] for row in rows]
    assert run("list_without", as_lists(kind, rows), as_column(kind, unwanted)) == expected


@given(kind=KINDS, data=st.data())
def test_lists_are_sets_in_ascending_order(kind, data):
    pairs = data.draw(st.lists(st.tuples(*[st.lists(VALUES[kind], max_size=5)] * 2), max_size=5))
    left, right = as_lists(kind, [a for a, _ in pairs]), as_lists(kind, [b for _, b in pairs])
    key = str.encode if kind == "str" else None
    for name, combine in {
        "list_intersect": set.intersection,
        "list_union": set.union,
        "list_setdiff": set.difference,
        "list_setxor": set.symmetric_difference,
    }.items():
        assert run(name, left, right) == [sorted(combine(set(a), set(b)), key=key) for a, b in pairs]
    assert run("list_unique", left) == [sorted(set(a), key=key) for a, _ in pairs]
    assert run("list_nunique", left) == [len(set(a)) for a, _ in pairs]


@given(kind=KINDS, data=st.data())
def test_lists_are_equal_if_all_values_are(kind, data):
    pairs = data.draw(st.lists(st.tuples(*[st.lists(VALUES[kind], max_size=2)] * 2), max_size=6))
    left, right = as_lists(kind, [a for a, _ in pairs]), as_lists(kind, [b for _, b in pairs])
    assert run("equal", left, right) == [a == b for a, b in pairs]
    assert run("not_equal", left, right) == [a != b for a, b in pairs]
    assert OPERATIONS["equal"].result_type(list_of(TYPES[kind]), list_of(TYPES[kind])) == BOOL
    with pytest.raises(ArgumentTypeError):
        OPERATIONS["equal"].result_type(list_of(TYPES[kind]), TYPES[kind])


@given(kind=KINDS, data=st.data())
def test_hashes_are_those_of_equal_lists_and_no_others(kind, data):
    rows = data.draw(rows_of(kind))
    lists = as_lists(kind, rows)
    hashes = list(zip(*(run("list_hash", lists, part=part) for part in (0, 1)), strict=True))
    again = list(zip(*(run("list_hash", as_lists(kind, rows[::-1]), part=part) for part in (0, 1)), strict=True))
    assert again[::-1] == hashes
    for row, digest in zip(rows, hashes, strict=True):
        assert [other == digest for other in hashes] == [other == row for other in rows]


@given(
    rows=st.lists(st.lists(st.integers(-5, 5), max_size=6), max_size=6), low=st.sampled_from([-(2**63) + 5, 0, 2**62])
)
def test_codes_by_distance_and_by_rank_give_the_same_lists(rows, low):
    rows = [[low + item for item in row] for row in rows]
    offsets, values = parts_of(as_lists("int64", rows))
    found = [
        codes.lists(distinct_keys(codes.keys(segarray_rows(offsets))), len(rows)).to_pylist()
        for codes in (codes_of(values, len(rows)), ranked(values))
    ]
    assert found[0] == found[1] == [sorted(set(row)) for row in rows]


REDUCTIONS = {
    "sum": sum,
    "prod": math.prod,
    "min": min,
    "max": max,
    "any": any,
    "all": all,
    "argmin": lambda row: row.index(min(row)),
    "argmax": lambda row: row.index(max(row)),
    "OR": lambda row: reduce(lambda a, b: a | b, row),
    "AND": lambda row: reduce(lambda a, b: a & b, row),
    "XOR": lambda row: reduce(lambda a, b: a ^ b, row),
}


def wrapped(number, dtype):
    if dtype == INT64:
        return (number + 2**63) % 2**64 - 2**63
    return number % 2**64 if dtype == UINT64 else number


@given(kind=KINDS, data=st.data())
def test_reductions_are_pythons_for_lists_that_are_not_empty(kind, data):
    rows = data.draw(rows_of(kind))
    lists = as_lists(kind, rows)
    for name, compute in REDUCTIONS.items():
        if kind == "str" or (kind == "float64" and name in ("OR", "AND", "XOR")):
            with pytest.raises(ArgumentTypeError):
                OPERATIONS[f"list_{name}"].result_type(list_of(TYPES[kind]))
            continue
        result = OPERATIONS[f"list_{name}"].result_type(list_of(TYPES[kind]))
        found = OPERATIONS[f"list_{name}"].evaluate(lists)
        assert len(found) == len(rows)
        if result != BIGINT:
            assert found.dtype == result.numpy
        for item, row in zip(to_objects(found), rows, strict=True):
            if row:
                expected = wrapped(compute(row), result)
                np.testing.assert_equal(item, expected)


@given(kind=st.sampled_from(["int64", "uint64", "bool", "bigint"]), data=st.data())
def test_means_are_float64(kind, data):
    rows = data.draw(rows_of(kind))
    found = OPERATIONS["list_mean"].evaluate(as_lists(kind, rows))
    for item, row in zip(found.tolist(), rows, strict=True):
        if row:
            np.testing.assert_allclose(item, sum(row) / len(row), atol=1e-9 * float(sum(map(abs, row))))


def test_nan_is_left_out_but_where_there_is_nothing_else():
    lists = as_lists("float64", [[np.nan, 2.0, 1.0], [np.nan], [np.nan, np.nan]])
    expected = {"sum": [3, 0, 0], "prod": [2, 1, 1], "min": [1, np.nan, np.nan], "max": [2, np.nan, np.nan]}
    expected |= {"mean": [1.5, np.nan, np.nan], "argmin": [2, 0, 0], "argmax": [1, 0, 0], "nunique": [3, 1, 1]}
    for name, values in expected.items():
        np.testing.assert_array_equal(OPERATIONS[f"list_{name}"].evaluate(lists), values)


def test_sums_of_limited_integers_are_modular():
    lists = as_lists("bigint", [[2**63, 2**63, 5], [7]])
    assert OPERATIONS["list_sum"].result_type(list_of(bigint_of(64))) == bigint_of(64)
    assert run("list_sum", lists, max_bits=64) == [5, 7]


LISTS, OTHERS = list_of(INT64), list_of(FLOAT64)


@pytest.mark.parametrize(
    ("names", "types", "result"),
    [
        (("list_lengths",), (LISTS,), INT64),
        (("list_hash",), (LISTS,), UINT64),
        (("list_get",), (LISTS,), INT64),
        (("list_window", "list_remove_repeats", "list_unique"), (OTHERS,), OTHERS),
        (("list_multiplicity",), (OTHERS,), list_of(INT64)),
        (("list_append", "list_without"), (OTHERS, FLOAT64), OTHERS),
        (("list_set",), (LISTS, BOOL, INT64), LISTS),
        (("list_join", "list_intersect", "list_union", "list_setdiff", "list_setxor"), (LISTS, LISTS), LISTS),
        (("list_join", "list_union"), (list_of(bigint_of(5)), list_of(BIGINT)), list_of(bigint_of(5))),
    ],
)
def test_results_of_lists_have_the_type_of_the_operation(names, types, result):
    """Other types are refused: no list, lists of two types, and values that are not those of the lists."""
    for name in names:
        operation = OPERATIONS[name]
        assert operation.result_type(*types) == result
        wrong = [(INT64, *types[1:]), (STR, *types[1:])]
        if name != "list_get" and len(types) > 1:
            wrong += [(*types[:-1], STR), (list_of(STR), *types[1:])]
        for given_types in wrong:
            with pytest.raises(ArgumentTypeError):
                operation.result_type(*given_types)
