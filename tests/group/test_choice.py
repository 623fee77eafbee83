"""Any mix of strategies gives the groups that pandas finds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.table import Table
from akdask.operators.group import tuning
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.group.grouping import are_too_many
from akdask.operators.group.plan import STRATEGIES, _hashing, choose_strategy, merged_in_process
from akdask.operators.group.strategies import (
    GroupTable,
    as_one_kind,
    choose_splitters,
    merge_partial_tables,
)
from akdask.operators.keys.string_codes import EncodedStrings, StringLayout, codes_of

SUMS = Aggregation(1, (AggregationStep("sum", (0,)), AggregationStep("max", (0,)), AggregationStep("size", ())))
VARIANCES = Aggregation(1, (AggregationStep("var", (0,)),))
ALL = frozenset(STRATEGIES)
TEXT = pa.array(["a", "b"] * 10, pa.large_string())
LAYOUT = StringLayout.of(b"a").joined(StringLayout.of(b"b"))


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Let few rows go to strategies for many."""
    for name, value in {"FEWEST_RADIX_ROWS": 20, "RADIX_SLICE_ROWS": 2, "HEAVIEST": 1000}.items():
        monkeypatch.setattr(tuning, name, value)
    for name, value in {"MOST_SLOTS": 4, "CHUNK_SLOTS": 4}.items():
        monkeypatch.setattr(tuning, name, value)
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 0)


@pytest.mark.parametrize(
    ("keys", "aggregation", "allowed", "wanted"),
    [
        (np.arange(100) * 1000, SUMS, ALL, "radix"),
        (np.arange(100) * 1000, SUMS, ALL - {"radix"}, "sorted"),
        (np.arange(100) // 10, SUMS, ALL, "dense"),
        (np.arange(100) // 10, VARIANCES, ALL, "sorted"),
        (np.arange(100) // 10, SUMS, frozenset(), "sorted"),
        (np.arange(10) * 1000, SUMS, ALL, "sorted"),
        (np.repeat(np.arange(10), 10) * 1.5, SUMS, ALL, "sorted"),
        (TEXT, SUMS, ALL, "hashed"),
        (TEXT, SUMS, ALL - {"hashed"}, "sorted"),
        (EncodedStrings(LAYOUT, list(codes_of(TEXT, LAYOUT))), SUMS, ALL, "sorted"),
    ],
)
def test_keys_types_and_the_plan_decide(keys, aggregation, allowed, wanted):
    strategy, _ = choose_strategy(aggregation, allowed, [keys], [np.ones(len(keys))])
    assert type(strategy) is STRATEGIES[wanted]


@given(data=st.data(), count=st.integers(1, 4))
def test_partial_tables_of_any_strategies_merge_to_the_groups_of_all_rows(data, count):
    near, far = st.integers(0, 12), st.integers(-(2**60), 2**60)
    parts, all_keys, all_values = [], [], []
    for _ in range(data.draw(st.integers(1, 4))):
        plain = data.draw(st.lists(data.draw(st.sampled_from([near, far])), max_size=40))
        keys = np.array(plain, np.int64)
        values = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=len(keys), max_size=len(keys))), np.int64)
        strategy, grouping = choose_strategy(SUMS, ALL, [keys], [values])
        strategy.add(grouping, [values])
        parts.append(strategy.finish())
        all_keys.append(keys)
        all_values.append(values)
    alike = as_one_kind(parts)
    splitters = choose_splitters([part.sample(1, 256, 0) for part in alike], count)
    ranges = zip(*(part.split(splitters, count, 1) for part in alike), strict=True)
    in_ranges = [SUMS.finish(merge_partial_tables(SUMS, same)[0]) for same in ranges]
    at_once = SUMS.finish(merge_partial_tables(SUMS, parts)[0])
    wanted = pd.Series(np.concatenate(all_values)).groupby(np.concatenate(all_keys)).agg(["sum", "max", "size"])
    for number, column in enumerate([wanted.index, wanted["sum"], wanted["max"], wanted["size"]]):
        assert at_once.columns[number].tolist() == column.tolist()
        assert np.concatenate([table.columns[number] for table in in_ranges]).tolist() == column.tolist()


def test_similar_tables_are_split_into_ranges_of_about_the_same_size_even_where_each_gives_few_samples():
    random = np.random.default_rng(25)
    tables = [GroupTable(Table({0: np.sort(random.random(1000))}, 1000)) for _ in range(60)]
    count = 40
    splitters = choose_splitters([part.sample(1, 10, number) for number, part in enumerate(tables)], count)
    sizes = np.sum([np.diff(splitters.bounds(part.rows, count, 1)) for part in tables], axis=0)
    assert sizes.sum() == 60_000
    assert sizes.max() < 1.5 * 60_000 / count


@pytest.mark.parametrize(
    ("tables", "count", "nbytes", "wanted"),
    [(129, 128, 0, False), (128, 128, 1000, True), (128, 128, 1001, False), (10**6, 1, 10**9, True)],
)
def test_one_task_takes_all_tables_where_their_slices_and_bytes_are_few(monkeypatch, tables, count, nbytes, wanted):
    monkeypatch.setattr("akdask.operators.group.plan.memory_share", lambda: 1000)
    assert merged_in_process(tables, count, nbytes) == wanted


def test_long_text_is_hashed_where_one_task_puts_its_groups_in_order_or_no_order_is_asked_for(monkeypatch):
    monkeypatch.setattr(tuning, "MOST_ORDERED_RANGES", 4)
    frame = SimpleNamespace(frame=SimpleNamespace(npartitions=9), keys=["s", "n"])
    for has_text, ordered, npartitions, is_merged, wanted in (
        (True, True, 1, True, ({"hashed"}, 2)),
        (True, True, 1, False, ({"hashed"}, 2)),
        (True, True, 4, True, ({"hashed"}, 2)),
        (True, True, 4, False, (set(), 0)),
        (True, True, 5, True, (set(), 0)),
        (True, False, 5, False, ({"hashed"}, 0)),
        (True, False, 1, True, ({"hashed"}, 0)),
        (False, False, 1, True, (set(), 0)),
        (False, True, 1, True, (set(), 0)),
    ):
        monkeypatch.setattr(
            "akdask.operators.group.plan.merged_in_process",
            lambda tables, count, nbytes, is_merged=is_merged: (tables, nbytes) == (9, 7) and is_merged,
        )
        frame.has_text, frame.ordered, frame.npartitions = has_text, ordered, npartitions
        assert _hashing(frame, 7) == wanted, (has_text, ordered, npartitions, is_merged)


def test_values_are_too_many_where_a_sample_has_more_different_ones_than_of_so_many_at_random():
    random = np.random.default_rng(6)
    for different, most, wanted in (
        (100, 2**15, False), (2**14, 2**15, False), (2**16, 2**15, True), (2**62, 2**15, True), (100, 50, True),
    ):  # fmt: skip
        values = random.integers(0, different, 2**17)
        assert are_too_many(values.astype(np.uint64), most) == wanted
        assert are_too_many(pa.array(values.astype(str), pa.large_string()), most) == wanted
