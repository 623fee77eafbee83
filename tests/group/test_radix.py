"""Groups of radix-partitioned rows are the groups that are found by sorting."""

import pickle
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.group import tuning
from akdask.operators.group.aggregation import COUNT, Aggregation, AggregationStep
from akdask.operators.group.grouping import Grouping
from akdask.operators.group.plan import MergeGroups
from akdask.operators.group.radix import (
    LeadingBits,
    NumberedGroups,
    RadixAggregation,
    RadixPlan,
    RadixRange,
    SlotGroups,
)
from akdask.operators.group.strategies import GroupTable, merge_partial_tables

STEPS = Aggregation(
    1,
    (
        AggregationStep("sum", (0,)),
        AggregationStep("min", (0,)),
        AggregationStep("size", ()),
        AggregationStep("first", (0, 1)),
        AggregationStep("min", (0,), False),
    ),
)

LOOPS_KNOW = Aggregation(
    1, (AggregationStep("size", ()), *(AggregationStep(name, (0,)) for name in ("max", "sum", "count", "mean", "min")))
)

EXTREMES = {
    np.int64: [-(2**63), -1, 0, 2**63 - 1],
    np.uint64: [0, 2**63, 2**64 - 1],
    np.float64: [-np.inf, -1.5, -0.0, 0.0, 5e-324, np.inf, np.nan],
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(tuning, "FEWEST_RADIX_ROWS", 1)
    monkeypatch.setattr(tuning, "RADIX_SLICE_ROWS", 2)
    monkeypatch.setattr(tuning, "HEAVIEST", 1000)
    monkeypatch.setattr(tuning, "FEWEST_SLICES", 1)
    monkeypatch.setattr(tuning, "ROWS_OF_A_GROUP", 1000)


@st.composite
def keys(draw):
    """Keys close together, or anywhere in what the type holds."""
    dtype = draw(st.sampled_from(list(EXTREMES)))
    near = st.integers(0, 60).map(dtype)
    values = draw(
        st.lists(
            near | st.sampled_from(EXTREMES[dtype]).map(dtype) if draw(st.booleans()) else near, min_size=1, max_size=60
        )
    )
    return np.array(values, dtype)


def partitioned_rows(aggregation, keys, values):
    strategy = RadixAggregation(aggregation)
    strategy.add(strategy.accepts(keys, values), values)
    return strategy.finish()


def columns_of(table):
    return {name: np.asarray(column) for name, column in table.columns.items()}


@pytest.mark.parametrize(
    "steps",
    [STEPS, LOOPS_KNOW, Aggregation(1, ()), Aggregation(2, STEPS.steps), Aggregation(3, LOOPS_KNOW.steps)],
    ids=["any", "loops know", "none", "any of two keys", "loops know, of three keys"],
)
@given(keys=keys(), data=st.data())
def test_ranges_of_several_batches_of_rows_are_the_table_that_sorting_gives(steps, keys, data):
    floats = st.sampled_from([0.0, 1.5, -2.0, np.nan, np.inf])
    values = np.array(data.draw(st.lists(floats, min_size=len(keys), max_size=len(keys))))
    numbers = np.arange(len(keys))
    batches = [rows for rows in np.array_split(numbers, data.draw(st.integers(1, 4))) if len(rows)]
    others = np.array(data.draw(st.lists(floats, min_size=len(keys), max_size=len(keys))))
    all_keys = [keys, others, numbers % 3][: steps.nkeys]
    rows = [([key[part] for key in all_keys], [values[part], numbers[part]]) for part in batches]
    in_tables = data.draw(st.integers(0, len(batches) - 1))
    parts = [partitioned_rows(steps, *some) for some in rows[in_tables:]]
    tables = [steps.rows(*some) for some in rows[:in_tables]]
    count = data.draw(st.integers(1, 3))
    ranges = divided(parts, count, tables)
    found = [columns_of(part.table()) for part in ranges]
    for name, wanted in columns_of(steps.rows(all_keys, [values, numbers])).items():
        for tables_of_ranges in (found, split_and_sent(parts, count, tables)):
            made = np.concatenate([columns[name] for columns in tables_of_ranges])
            assert made.dtype == wanted.dtype
            np.testing.assert_array_equal(made, wanted)
    for part, columns in zip(ranges, found, strict=True):
        first, groupings = part.grouped()
        again, _ = part.grouped(groupings)
        for name, column in columns.items():
            np.testing.assert_array_equal(columns_of(first)[name], column)
            np.testing.assert_array_equal(columns_of(again)[name], column)


@pytest.mark.parametrize("slots", [0, tuning.SLOTS_PER_ROW], ids=["words", "as chosen"])
@given(data=st.data())
def test_sizes_of_groups_by_integers_are_those_of_pandas(slots, data):
    nrows, nkeys = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 3))
    columns = []
    for dtype in data.draw(st.lists(st.sampled_from(["i8", "u8", "i4", "?"]), min_size=nkeys, max_size=nkeys)):
        least, most = (0, 1) if dtype == "?" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        low = data.draw(st.sampled_from([least, max(least, -3), most - (dtype != "?") * 40]))
        values = st.integers(low, min(low + 40, most)) | st.sampled_from([low, most])
        columns.append(np.array(data.draw(st.lists(values, min_size=nrows, max_size=nrows)), dtype))
    before = [column.copy() for column in columns]
    aggregation, numbers = Aggregation(nkeys, COUNT), np.arange(nrows)
    batches = [rows for rows in np.array_split(numbers, data.draw(st.integers(1, 4))) if len(rows)]
    in_tables = data.draw(st.integers(0, len(batches) - 1))
    parts = [partitioned_rows(aggregation, [key[rows] for key in columns], []) for rows in batches[in_tables:]]
    tables = [aggregation.rows([key[rows] for key in columns], []) for rows in batches[:in_tables]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "SLOTS_PER_ROW", slots)
        found = columns_of(RadixRange.of(parts, tables).table())
    wanted = pd.DataFrame(dict(enumerate(columns))).groupby(list(range(nkeys))).size()
    for number, key in enumerate(columns):
        assert found[number].dtype == key.dtype
        assert found[number].tolist() == wanted.index.get_level_values(number).tolist()
    assert found[0, 0].tolist() == wanted.tolist()
    assert all(map(np.array_equal, columns, before))


def test_no_rows_have_no_sizes():
    (part,) = [partitioned_rows(Aggregation(2, COUNT), [np.arange(4), np.arange(4)], [])]
    found = columns_of(RadixRange.of([part.split(LeadingBits.choose_splitters([part.bits], 1), 1, 2)[0]], ()).table())
    assert found[0, 0].tolist() == [1] * 4
    nothing = RadixRange([part], 0, range(9, 9), ()).table()
    assert nothing.nrows == 0
    assert len(nothing.columns) == 3


def divided(parts, count, tables=()):
    """Return the rows of each range of the keys, beside the groups of tables."""
    splitters = LeadingBits.choose_splitters([part.bits for part in parts], count)
    split = zip(*(part.split(splitters, count, 1) for part in parts), strict=True)
    of_tables = list(zip(*(splitters.split_table(table, count, 1) for table in tables), strict=True)) or [()] * count
    return [RadixRange.of(rows, others) for rows, others in zip(split, of_tables, strict=True)]


def split_and_sent(parts, count, tables):
    """Return the table of each range, made of what other processes have sent of it."""
    splitters = LeadingBits.choose_splitters([part.bits for part in parts], count)
    slices = [[item.own() for item in part.split(splitters, count, 1)] for part in pickle.loads(pickle.dumps(parts))]
    of_tables = [[GroupTable(item) for item in splitters.split_table(table, count, 1)] for table in tables]
    merge = MergeGroups(parts[0].aggregation)
    found = []
    for number in range(count):
        sent = pickle.loads(pickle.dumps([item[number] for item in [*of_tables, *slices]]))
        (merged,) = merge.pack(sent)
        assert sys.getsizeof(merged) <= sum(map(sys.getsizeof, sent)) + 10_000
        table, _ = merge_partial_tables(parts[0].aggregation, sent)
        assert merge([merged]).nrows == table.nrows
        found.append(columns_of(table))
    return found


@pytest.mark.parametrize(
    ("steps", "numbers", "kind"),
    [
        (LOOPS_KNOW, np.arange(16), SlotGroups),
        (LOOPS_KNOW, np.arange(16) << 40, NumberedGroups),
        (LOOPS_KNOW, np.arange(16.0), Grouping),
        (Aggregation(2, LOOPS_KNOW.steps), np.arange(16), Grouping),
        (STEPS, np.arange(16), Grouping),
    ],
    ids=["close integers", "integers", "floats", "two keys", "other steps"],
)
def test_loops_add_rows_of_integer_keys_to_their_groups(steps, numbers, kind):
    parts = [partitioned_rows(steps, [numbers] * steps.nkeys, [numbers * 1.0, np.arange(16)]) for _ in range(2)]
    _, known = merge_partial_tables(steps, parts, caches=True)
    assert {type(grouping) for grouping in known.groupings} == {kind}
    _, again = merge_partial_tables(steps, parts, known, caches=True)
    assert all(one is other for one, other in zip(known.groupings, again.groupings, strict=True))


def test_groupings_are_kept_where_that_is_asked_for_and_serve_again():
    parts = [partitioned_rows(STEPS, [keys], [keys * 1.0, keys]) for keys in (np.arange(40) % 7, np.arange(5))]
    table, nothing = merge_partial_tables(STEPS, parts)
    first, known = merge_partial_tables(STEPS, parts, caches=True)
    again, same = merge_partial_tables(STEPS, parts, known, caches=True)
    assert nothing is None
    assert known.kind == "radix"
    assert all(one is other for one, other in zip(known.groupings, same.groupings, strict=True))
    for name, column in columns_of(table).items():
        np.testing.assert_array_equal(columns_of(first)[name], column)
        np.testing.assert_array_equal(columns_of(again)[name], column)


def test_parts_whose_keys_lie_far_apart_make_few_pieces():
    low, high = np.arange(50), np.arange(2**62, 2**62 + 50)
    parts = [partitioned_rows(STEPS, [keys], [keys * 1.0, keys]) for keys in (high, low)]
    first, second = (columns_of(part.table()) for part in divided(parts, 2))
    np.testing.assert_array_equal(first[0], low)
    np.testing.assert_array_equal(second[0], high)


def test_ranges_have_about_as_many_rows_as_others():
    random = np.random.default_rng(8)
    parts = [partitioned_rows(STEPS, [keys], [keys * 1.0, keys]) for keys in random.integers(0, 2**40, (3, 2000))]
    splitters = LeadingBits.choose_splitters([part.bits for part in parts], 4)
    sizes = np.sum([[item.nrows for item in part.split(splitters, 4, 1)] for part in parts], axis=0)
    np.testing.assert_allclose(sizes, 1500, rtol=0.1)


def test_strings_are_reduced_as_well():
    first = Aggregation(1, (AggregationStep("first", (0, 1)),))
    texts = pa.array(["b", "a", "c", "d"], pa.large_string())
    part = partitioned_rows(first, [np.array([7, 5, 7, 6])], [texts, np.arange(4)])
    assert first.finish(part.table()).columns[1].to_pylist() == ["a", "d", "b"]


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ([np.arange(1000) % 10], "few groups"),
        ([np.where(np.arange(1000) < 900, 5, np.arange(1000))], "a heavy key"),
        ([np.array([2.0**n for n in range(-500, 500)])], None),
        ([np.arange(1000), np.arange(1000)], None),
        ([np.arange(1000) % 50, np.arange(1000)], None),
        ([np.arange(1000) % 20, np.arange(1000)], "few values of the first of two keys"),
        ([np.arange(1000) % 50, np.arange(1000) % 2], "few groups of two keys"),
        ([np.arange(1000), pa.array(["a"] * 1000, pa.large_string())], "one of two keys is a string"),
        ([pa.array(["a"] * 1000, pa.large_string())], "strings"),
        ([np.arange(10)], "few rows"),
    ],
)
def test_other_strategies_are_taken_where_partitioning_is_slower(keys, reason, monkeypatch):
    monkeypatch.setattr(tuning, "FEWEST_RADIX_ROWS", 100)
    monkeypatch.setattr(tuning, "HEAVIEST", 8)
    monkeypatch.setattr(tuning, "FEWEST_SLICES", 32)
    monkeypatch.setattr(tuning, "ROWS_OF_A_GROUP", 2)
    assert (RadixPlan.of(keys) is None) == (reason is not None)


def test_its_size_is_that_of_its_columns():
    part = partitioned_rows(STEPS, [np.arange(1000)], [np.ones(1000), np.arange(1000)])
    assert 24_000 <= sys.getsizeof(part) < 25_000
