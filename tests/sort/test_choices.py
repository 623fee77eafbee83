"""Keys, sizes and types decide how rows are sorted: the order of partitions, kinds of sorts, words that keys become."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR
from akdask.columns.table import Table
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.cache import Materialized
from akdask.engine.rowwise import Filter, Project, column_identity
from akdask.engine.slices import CutTables
from akdask.engine.values import BroadcastInput, Call, ColumnRef, Compiler, Constant, Mask
from akdask.operators.keys.keys import span, word
from akdask.operators.keys.string_codes import layout_of
from akdask.operators.sort import partition, plan, tuning
from akdask.operators.sort.partition import KEYS, NUMBERS, TEXT, RangePartition, SplitColumn, Splitters, lost_bits
from akdask.operators.sort.plan import Sort, SortOrder, key_order, sorted_along, sorted_rows
from akdask.operators.sort.ranges import ROW, PackedKeys, RangedRows, TextCodes, common_bounds, joined_slices
from akdask.operators.sort.top_k import TopK
from akdask.testing.memory import MemorySource

pytestmark = [pytest.mark.lazy_only, pytest.mark.few_rows_only]


def columns_of(lengths=(10,), **columns):
    """Return columns in memory, as arrays."""
    nrows = sum(lengths)
    columns = columns or {"k": np.arange(nrows), "x": np.arange(nrows) * 0.5, "s": np.array(["a"] * nrows)}
    return MemorySource(columns, list(lengths)).arrays()


def aligned(array):
    return array._frame, array._value


# ---- order


@pytest.mark.parametrize(
    ("known", "count", "stride", "straddle"),
    [
        # One row in most / (partitions * 4), at least one in 16, and a hundred of all.
        (True, 1, 8, False),
        (True, 2, 8, True),
        (False, 2, 16, False),
        (False, 1, 16, False),
    ],
)
def test_rows_of_unknown_number_are_sampled_least_and_equal_ones_stay_together(
    monkeypatch, known, count, stride, straddle
):
    monkeypatch.setattr(tuning, "SAMPLES", 4)
    monkeypatch.setattr(tuning, "MOST_SAMPLED", 16)
    monkeypatch.setattr(tuning, "ALL_SAMPLES", 100)
    key = columns_of([32, 32])["k"]
    if not known:
        monkeypatch.setattr(plan, "max_rows", lambda _: None)
        key = key[key > 3]
    order = SortOrder.of(key._frame, [aligned(key)], [False], count)
    assert (order.count, order.stride, order.straddle, order.ascending) == (count, stride, straddle, (False,))
    assert order.numbered


def test_many_rows_are_sampled_more_rarely_than_one_in_a_fixed_number(monkeypatch):
    monkeypatch.setattr(tuning, "SAMPLES", 4)
    monkeypatch.setattr(tuning, "MOST_SAMPLED", 16)
    monkeypatch.setattr(tuning, "ALL_SAMPLES", 2)
    key = columns_of([50, 50])["k"]
    assert SortOrder.of(key._frame, [aligned(key)], [True], 2).stride == 50


def test_orders_are_told_apart_by_keys_directions_and_partitions():
    columns = columns_of()
    frame, key, other = columns["k"]._frame, aligned(columns["k"]), aligned(columns["x"])
    orders = [
        SortOrder.of(frame, [key], [True], 1),
        SortOrder.of(frame, [key], [False], 1),
        SortOrder.of(frame, [other], [True], 1),
        SortOrder.of(frame, [key, other], [True, True], 1),
        SortOrder.of(frame, [other, key], [True, True], 1),
        SortOrder.of(frame, [key], [True], 2),
        SortOrder.of(frame, [key], [True], 3),
    ]
    assert len({order.token for order in orders}) == len(orders)
    assert SortOrder.of(frame, [key], [True], 1).token == orders[0].token


def test_missing_rows_come_last_by_a_key_of_their_own():
    text, whole = aligned(ak.array(pa.array(["b", None]))), aligned(ak.array([2, 1]))
    missing = aligned(ak.array(pa.array([2, None])))
    assert (text[1].dtype.nullable, missing[1].dtype.is_nullable_number) == (True, True)
    assert key_order([whole], [False]) == ([whole], [False])
    assert key_order([text, whole], [True, False]) == ([text, whole], [True, False])
    keys, ascending = key_order([whole, text], [True, False])
    assert (keys[0], len(keys), keys[2], ascending) == (whole, 3, text, [True, True, False])
    assert keys[1][1].dtype == BOOL
    for upwards in True, False:
        keys, ascending = key_order([missing, whole], [upwards, True])
        assert (len(keys), ascending, keys[2]) == (3, [True, upwards, True], whole)
        assert [value.dtype.is_nullable_number for _, value in keys] == [False] * 3


def test_sorted_rows_carry_what_is_asked_for_and_their_numbers_last():
    columns = columns_of([10], k=np.arange(10)[::-1].copy(), x=np.arange(10) * 0.5)
    key, other = aligned(columns["k"]), aligned(columns["x"])
    sort, found = sorted_rows([key], [True], [other, key, other])
    assert [value.name for value in found] == [3, 2, 3]
    assert sort.names == (3, 2)
    assert sort.keys == (key[1],)
    assert sorted_rows([key], [True])[1] == []
    sort, found = sorted_rows([key], [True], [other], with_row=True, count=1)
    assert [value.name for value in found] == [1, ROW]
    assert sort.describe().startswith("Sort by ")
    assert not sort.describe().endswith("descending")
    assert sorted_rows([key], [False])[0].describe().endswith(" descending")
    # Columns of the same rows are sorted along, unless positions are others.
    row = found[-1]
    frame, value = other
    along = sorted_along(frame, [value], sort, row)
    assert along is not None
    assert along[0].order is sort.order
    assert sorted_along(frame, [value], sort, found[0]) is None
    assert sorted_along(frame, [value], frame, row) is None
    elsewhere = columns_of([9])["x"]
    assert sorted_along(elsewhere._frame, [elsewhere._value], sort, row) is None


def sort_of(by, names, count=2, **changed):
    """Return a sort of some columns."""
    columns = columns_of()
    frame = columns["k"]._frame
    used = dict.fromkeys([*by, *names])
    values = tuple(columns["k" if name == ROW else name]._value for name in used)
    order = replace(
        SortOrder.of(frame, [(frame, columns[name]._value) for name in by], [True] * len(by), count), **changed
    )
    return Sort(Project(frame, tuple(used), values), tuple(by), tuple(names), order)


@pytest.mark.parametrize(
    ("by", "names", "count", "numbered", "expected"),
    [
        ("x", "x", 16, True, NUMBERS),
        ("k", "k", 2, False, NUMBERS),
        ("x", "x", 17, True, KEYS),
        ("x", "xk", 2, True, KEYS),
        ("x", "k", 2, True, KEYS),
        ("xk", "xk", 2, True, KEYS),
        ("s", "s", 16, True, TEXT),
        ("s", "s", 17, True, KEYS),
        ("s", [ROW], 2, True, TEXT),
        ("s", [ROW], 2, False, KEYS),
        ("s", ["s", ROW], 2, True, KEYS),
        ("x", [ROW], 2, True, KEYS),
        ("sk", "s", 2, True, KEYS),
    ],
)
def test_one_column_alone_is_sorted_by_itself_in_few_partitions(by, names, count, numbered, expected):
    assert tuning.MOST_COMPARED_RANGES == 16
    assert plan._kind_of(sort_of(by, names, count, numbered=numbered)) == expected


def test_plain_numbers_are_read_twice_and_what_is_computed_or_selected_is_kept():
    columns = columns_of()
    frame, key, text = columns["k"]._frame, columns["k"]._value, columns["s"]._value
    order = SortOrder.of(frame, [(frame, key)], [True], 2)
    predicate = Call("less", key, Constant(3))
    few = Filter(frame, predicate, column_identity(frame, predicate))
    for rows, value, by, is_read in (
        (frame, key, (0,), True), (frame, text, (0,), False), (few, key, (0,), False), (frame, key, (0, 1), False),
        (frame, Call("negative", key), (0,), False),
    ):  # fmt: skip
        project = Project(rows, (0, 1), (value, text))
        source, values = plan._read_twice(Sort(project, by, (1,), order))
        assert source is frame if is_read else isinstance(source, Materialized)
        assert list(values) == [0, 1]
        assert [one.source for one in values.values()] == [
            value.source if is_read else source._name,
            text.source if is_read else source._name,
        ]


def test_first_and_last_rows_are_described_by_keys_and_directions():
    columns = columns_of()
    project = Project(columns["k"]._frame, ("a", "b"), (columns["k"]._value, columns["x"]._value))
    for ascending, count, words in (
        ((True, True), 3, "First 3 by k, x"), ((False, True), 3, "First 3 by k descending, x"),
        ((True, False), -2, "Last 2 by k, x descending"),
    ):  # fmt: skip
        top = TopK(project, ("a", "b"), ascending, ("a",), count)
        assert top.describe() == words
        assert [top._lengths(lengths) for lengths in ([1, 1], [2, 3])] == [[min(2, abs(count))], [min(5, abs(count))]]


# ---- splitters


def splitters_of(keys, rows=None, nrows=8, within=1, ascending=None, **changed):
    """Return splitters of some columns, whose spans are those of the columns."""
    columns = [np.array(key) for key in keys]
    ascending = ascending or (True,) * len(keys)
    made = Splitters(
        tuple(columns),
        np.zeros(len(columns[0]), np.int64) if rows is None else np.array(rows),
        tuple(span(column, upwards) for column, upwards in zip(columns, ascending, strict=True)),
        (1,) * len(keys),
        nrows,
        within,
        ascending,
        False,
        None,
    )
    return replace(made, **changed)


@pytest.mark.parametrize(
    ("spans", "shift", "lost"),
    [
        ([(0, 2**60 - 1)], 4, 0),
        ([(0, 2**60 - 1)], 5, 1),
        ([(8, 15), (0, 1)], 60, 0),
        ([(8, 15), (0, 1)], 61, 1),
        ([(5, 5)], 64, 0),
        ([(0, 2**64 - 1), (0, 2**64 - 1)], 3, 67),
    ],
)
def test_bits_of_keys_are_lost_that_do_not_fit_beside_a_row_number(spans, shift, lost):
    assert lost_bits(spans, shift) == lost


def test_splitters_tell_how_keys_are_packed():
    near = splitters_of([[3, 5, 10]], nrows=9)
    assert (near.shift, near.lost, near.fits, near.nearly_fits) == (4, 0, True, True)
    low, high = span(np.array([3, 10]))
    assert near.word_span == (low, high)
    assert near.words_of([np.array([4])]).tolist() == word(np.array([4]), 0).tolist()
    both = splitters_of([[3, 5, 10], [0, 1, 1]])
    assert (both.word_span, both.nearly_fits) == ((0, 15), False)
    assert both.words_of([np.array([4, 10]), np.array([1, 0])]).tolist() == [3, 14]
    down = splitters_of([[3, 5, 10], [0, 1, 1]], ascending=(False, True))
    assert down.words_of([np.array([4, 10]), np.array([1, 0])]).tolist() == [13, 0]
    far = splitters_of([[-(2**62), 0, 2**62], [0, 1, 1]])
    assert (far.word_span, far.lost, far.fits) == (None, 4, False)
    unknown = splitters_of([[3, 5, 10]], spans=None)
    assert (unknown.word_span, unknown.lost, unknown.fits, unknown.nearly_fits) == (None, 64, False, False)
    assert not splitters_of([[3, 5]], alike=True).nearly_fits


@pytest.mark.parametrize(("within", "expected"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4]), (3, [3]), (6, [])])
def test_partitions_begin_at_the_last_splitters_of_the_ranges_within_them(within, expected):
    found = splitters_of([[1, 2, 3, 4, 5]], rows=[9, 8, 7, 6, 5], within=within)
    numbers = found.of_numbers()
    assert numbers._splitters.tolist() == word(np.array(expected, np.int64), 0).tolist()
    assert numbers._rows.tolist() == [10 - number for number in expected]
    text = pa.array([f"t{number}" for number in range(1, 6)], pa.large_string())
    of_text = replace(found, columns=(text,), layout=layout_of(text)).of_text()
    assert len(of_text._rows) == len(expected)
    assert of_text._rows.tolist() == [10 - number for number in expected]
    assert replace(found, columns=(text,)).of_text() is None


# ---- splitting


def range_partition(names, by, ascending, dtypes, count=2, **changed):
    """Return the split of rows of columns of some types."""
    columns = tuple(dtypes)
    refs = [ColumnRef("here", name, dtype) for name, dtype in dtypes.items()]
    program = Compiler([refs], {"here": 0}, {}).last(refs)
    made = RangePartition(columns, tuple(names), tuple(by), ascending, program, BroadcastInput(0, 0), count, None)
    return replace(made, **changed)


TYPES = {"k": INT64, "x": FLOAT64, "s": STR, ROW: INT64}


@pytest.mark.parametrize(
    ("names", "words", "by"),
    [
        ((ROW,), (1, 1), ((("word", "k", 0), True), (("word", "s", 0), True))),
        (("k",), (1, 1), (("k", False), (("word", "s", 0), True))),
        (("s",), (1, 2), ((("word", "k", 0), True), ("s", True))),
        ((ROW,), (1, 2), ((("word", "k", 0), True), (("word", "s", 0), True), (("word", "s", 1), True))),
        # Long text goes to the new partitions itself.
        ((ROW,), (1, 3), ((("word", "k", 0), True), ("s", True))),
        (("k", "s"), (1, 1), (("k", False), ("s", True))),
    ],
)
def test_unwanted_keys_become_words_and_long_text_stays(names, words, by):
    assert tuning.MOST_WORDS == 2
    split = range_partition(names, ("k", "s"), (False, True), TYPES)
    keys = np.array([3, 1]), pa.array(["b", "a"], pa.large_string())
    splitters = Splitters(keys, np.zeros(2, np.int64), None, words, 8, 1, (False, True), False, None)
    assert split._by(splitters) == by
    found = split._with_words(dict(zip("ks", keys, strict=True)), splitters)
    assert set(found) == {name for name, _ in by}
    if ("word", "k", 0) in found:
        assert found["word", "k", 0].tolist() == word(keys[0], 0, False).tolist()
    if "s" in found:
        assert found["s"].to_pylist() == ["b", "a"]


@pytest.mark.parametrize(
    ("splitters", "expected"),
    [
        (splitters_of([[3]]), True),
        (splitters_of([[3, 5]]), True),
        (splitters_of([[3, 5, 7]]), True),
        (splitters_of([[3, 5, 7, 9]]), False),
        (splitters_of([np.empty(0, np.int64)], spans=((0, 1),)), False),
        (splitters_of([[3, 5]], spans=None), False),
    ],
)
def test_few_ranges_of_one_word_are_those_of_radix_partitioning(monkeypatch, splitters, expected):
    monkeypatch.setattr(tuning, "MOST_RADIX_RANGES", 4)
    assert range_partition("k", "k", (True,), TYPES)._has_radix_ranges(splitters) == expected


class Few:
    """Stands for the rows of a partition, of which nobody reads any."""

    def __init__(self, splitters):
        self.replicas = [[splitters]]
        self.nrows = 2


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "radix words"),
        ({"numbered": False}, "radix runs"),
        ({"names": ("k",)}, "radix runs"),
        ({"names": (ROW, "k")}, "radix runs"),
        ({"text": True}, "runs"),
        ({"spans": None}, "runs"),
        # Bits are lost: full keys stay in memory that all tasks share, while it is large enough for them.
        ({"nrows": 2**3, "far": True, "share": 128}, "radix words"),
        ({"nrows": 2**3, "far": True, "share": 127}, "radix runs"),
        ({"nrows": 2**3, "far": True, "share": 128, "memory_budget": 10**9}, "radix runs"),
        ({"nrows": 2**3, "far": True, "share": 128, "alike": True}, "radix runs"),
        ({"memory_budget": 10**9, "share": 0}, "radix words"),
    ],
)
def test_rows_are_split_by_packed_keys_by_words_or_by_sorting_blocks(monkeypatch, changed, expected):
    changed = dict(changed)
    share = changed.pop("share", 2**40)
    monkeypatch.setattr(partition, "memory_share", lambda: share)
    monkeypatch.setattr(partition, "spilled", lambda *args: args[0])
    for name in "_radix_words", "_radix_runs", "_runs":
        monkeypatch.setattr(RangePartition, name, lambda self, *_, name=name: [name])
    monkeypatch.setattr(RangePartition, "_cut", lambda self, tables, _: tables)
    far = [-(2**63), 0, 2**63 - 1] if changed.pop("far", False) else [3, 5]
    facts = {name: changed.pop(name) for name in ("spans", "nrows", "alike") if name in changed}
    splitters = splitters_of([far], **facts)
    types = {"k": INT64, ROW: INT64} | ({"s": STR} if changed.pop("text", False) else {})
    names = ("s",) if "s" in types else changed.pop("names", (ROW,))
    split = range_partition(names, ("k",), (True,), types, **changed)
    (found,) = split.run(Few(splitters))
    assert (found if isinstance(found, str) else found[0]).lstrip("_").replace("_", " ") == expected


def test_tables_of_few_rows_have_empty_ranges_at_the_end():
    split = range_partition("k", "k", (True,), {"k": INT64}, count=2)
    tables = [
        (Table({"k": np.arange(4)}, 4), np.array([0, 1, 4])),
        (Table({"k": np.arange(2)}, 2), np.array([0, 1, 1, 2, 2])),
    ]
    slices = split._cut(iter(tables), splitters_of([[3, 5, 7]], within=2))
    assert isinstance(slices, CutTables)
    found = [[(run.table.columns["k"].tolist(), run.bounds) for run in slices[number]] for number in range(2)]
    assert found[0] == [([0, 1, 2, 3], [0, 1, 4]), ([0], [0, 1, 1])]
    assert [rows for rows in found[1] if rows[0]] == [([1], [0, 1, 1])]


@pytest.mark.parametrize(
    ("dtype", "nrows", "splitters", "expected"),
    [
        (FLOAT64, 4, [0.5, 2.5], True),
        (FLOAT64, 3, [0.5, 2.5], False),
        (INT64, 4, [1, 3], True),
        (FLOAT64, 4, [], False),
        (BOOL, 4, [False, True], False),
    ],
)
def test_numbers_of_eight_bytes_in_memory_are_split_in_ranges_that_fit_the_cache(
    monkeypatch, dtype, nrows, splitters, expected
):
    monkeypatch.setattr(tuning, "WORTH_RANGES", 4)
    split = SplitColumn(range_partition(["v"], ["v"], (True,), {"v": dtype}))
    column = np.arange(nrows).astype(dtype.numpy)
    made = splitters_of([np.array(splitters, dtype.numpy)], spans=((0, 1),))
    with Partition([Table({"v": column}, nrows)], (), (), 10) as rows:
        found = split._numbers_in_memory(rows, made)
    assert (found is not None) == expected
    if found is not None:
        _, (values,), first = found
        assert (values.tolist(), first) == (column.tolist(), 0)


def test_numbers_are_split_in_fine_ranges_only_where_all_partitions_and_the_first_row_are_in_memory(monkeypatch):
    monkeypatch.setattr(tuning, "WORTH_RANGES", 4)
    numbered = SplitColumn(range_partition(["v"], ["v"], (True,), {"v": INT64, ROW: INT64}))
    plain = SplitColumn(range_partition(["v"], ["v"], (True,), {"v": INT64}))
    made = splitters_of([[1, 3]])
    table = Table({"v": np.arange(5), ROW: np.arange(5) + 70}, 5)
    below = Compiler([[ColumnRef("here", "v", INT64)]], {"here": 0}, {})
    kept = Mask(below.last([Call("less", ColumnRef("here", "v", INT64), Constant(2))]))
    whole, filtered = Partition([table], (), (), 10), Partition([table], (), (kept,), 10)
    for split, partitions, expected in (
        (plain, [whole], [5]),
        (plain, [whole, whole], [5, 5]),
        (plain, [whole, filtered], None),
        (plain, [filtered], None),
        # Row numbers that are a column are computed.
        (numbered, [whole], None),
        (numbered, [whole, filtered], None),
    ):
        found = split._numbers_in_memory(PartitionBatch(partitions), made)
        assert (None if found is None else [len(values) for values in found[1]]) == expected


# ---- ranges


def run_of(keys, bounds, name="k"):
    return RangedRows(Table({name: np.array(keys)}, len(keys)), ((name, True),), bounds)


def test_finer_ranges_are_joined_to_the_coarsest():
    runs = [run_of([1, 2, 5, 6], [0, 2, 4]), run_of([1, 3, 5, 7, 8], [0, 1, 2, 4, 5]), run_of([4], [0, 0, 1])]
    assert common_bounds(runs) == [[0, 2, 4], [0, 2, 5], [0, 0, 1]]
    joined = RangedRows.joined(runs)
    assert joined.table.columns["k"].tolist() == [1, 2, 1, 3, 5, 6, 5, 7, 8, 4]
    assert (joined.bounds, joined.by, joined.table.nrows) == ([0, 4, 10], runs[0].by, 10)
    alone = RangedRows.joined(runs[1:2])
    assert (alone.bounds, alone.table.columns["k"].tolist()) == (runs[1].bounds, [1, 3, 5, 7, 8])
    assert not np.shares_memory(alone.table.columns["k"], runs[1].table.columns["k"])


def test_packed_keys_are_joined_range_by_range_and_ordered_by_keys_that_lost_bits():
    # Keys 4 to 7 lose their lowest bit; rows take three.
    def packed(keys, rows):
        return (np.array(keys, np.uint64) >> np.uint64(1) << np.uint64(3)) | np.array(rows, np.uint64)

    parts = [
        PackedKeys(packed([5, 4, 7], [0, 1, 2]), 3, [0, 2, 3], {0: np.array([5, 4, 7], np.uint64)}),
        PackedKeys(packed([4, 6, 6], [3, 4, 5]), 3, [0, 1, 3], {3: np.array([4, 6, 6], np.uint64)}),
    ]
    joined = PackedKeys.joined(parts)
    assert joined.bounds == [0, 3, 6]
    assert joined.words.tolist() == [*packed([5, 4, 4], [0, 1, 3]).tolist(), *packed([7, 6, 6], [2, 4, 5]).tolist()]
    assert sorted(joined.full_keys) == [0, 3]
    for some in parts, [joined]:
        assert PackedKeys.rows(some).tolist() == [1, 3, 0, 4, 5, 2]
    bare = [replace(part, full_keys={}) for part in parts]
    assert PackedKeys.rows(bare).tolist() == [0, 1, 3, 2, 4, 5]
    assert parts[0].__sizeof__() == 24


@pytest.mark.parametrize("with_rows", [True, False])
def test_codes_of_text_are_joined_part_by_part(with_rows):
    layout = layout_of(pa.array(["ab", "cd"], pa.large_string()))
    parts = [
        TextCodes([np.array(codes, np.uint64)], np.array(rows) if with_rows else None, layout, True)
        for codes, rows in (([3, 1], [0, 1]), ([2], [2]))
    ]
    joined = TextCodes.joined(parts)
    assert (joined.codes[0].tolist(), joined.layout, joined.ascending) == ([3, 1, 2], layout, True)
    assert (joined.rows is None) == (not with_rows)
    assert joined.__sizeof__() == 24 * (1 + with_rows)
    if with_rows:
        assert joined.rows.tolist() == [0, 1, 2]
        assert TextCodes.ordered(parts).tolist() == TextCodes.ordered([joined]).tolist() == [1, 2, 0]


def test_slices_of_columns_are_joined_in_order_and_own_their_memory():
    column = np.arange(9)
    assert joined_slices([(column, 2, 4), (column, 0, 1), (column, 8, 9)]).tolist() == [2, 3, 0, 8]
    alone = joined_slices([(column, 2, 4)])
    assert alone.tolist() == [2, 3]
    assert not np.shares_memory(alone, column)


def test_sampled_keys_are_alike_in_what_is_left_of_their_bits():
    for keys, lost, alike in (
        ([0, 1, 2, 3], 0, False), ([0, 1, 2, 2], 0, True), ([0, 1, 2, 4], 1, True), ([0, 2, 4, 6], 1, False),
        ([0, 2, 4, 6], 2, True), ([5], 0, False), ([3, 0, 3], 0, True), ([0, 2**62], 64, True),
    ):  # fmt: skip
        assert partition._alike([np.array(keys)], [True], lost) == alike, (keys, lost)
        # Several keys are, as far as one is looked at.
        assert partition._alike([np.array(keys), np.arange(len(keys))], [True, True], lost)
