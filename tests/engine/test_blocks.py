"""Blocks of one partition: which rows they have, what they read for them, and the memory that they use again."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR
from akdask.columns.summation import UNIT
from akdask.columns.table import Table
from akdask.engine import blocks, tuning
from akdask.engine.blocks import Block, Partition, PartitionBatch, RowPositions, coalesce_partitions
from akdask.engine.values import (
    BroadcastInput,
    Call,
    ColumnRef,
    Compiler,
    Constant,
    ExpandMatches,
    Load,
    Mask,
    Program,
    Range,
)
from akdask.operators.join.key_tables import MatchMultiplicity
from akdask.storage.source import ConsecutiveParts, PartReader

X, F, S = ColumnRef("rows", "x", INT64), ColumnRef("rows", "f", FLOAT64), ColumnRef("rows", "s", STR)
ROWS = 24
PLAIN = {"x": np.arange(ROWS), "f": np.arange(ROWS) / 2, "s": pa.array([f"t{row % 5}" for row in range(ROWS)])}
TABLE = Table(PLAIN | {"s": PLAIN["s"].cast(pa.large_string())}, ROWS)


@pytest.fixture(autouse=True)
def _short_blocks(monkeypatch):
    """Have few rows cut to blocks as many are."""
    monkeypatch.setattr(tuning, "FEW_BLOCK_ROWS", 0)


def compiled(predicates, outputs):
    """Return the masks of some predicates, and the program of the values that come after them."""
    compiler = Compiler([*([predicate] for predicate in predicates), outputs], {"rows": 0, "pairs": 1}, {})
    masks = [Mask(compiler.next([predicate])) for predicate in predicates]
    return masks, compiler.last(outputs)


def flat(parts):
    return list(chain.from_iterable(parts))


def less(value, limit):
    return Call("less", value, Constant(np.int64(limit)))


def rest(divisor, wanted=0):
    """Return the condition that a row's number has a rest."""
    return Call("equal", Call("remainder", X, Constant(np.int64(divisor))), Constant(np.int64(wanted)))


def blocks_of(selections, program, block_rows=8, inputs=(TABLE,), **options):
    """Return the results of each block, copied before the next one takes their memory."""
    found = []
    with Partition(inputs, (), selections, block_rows, **options) as partition:
        for block in partition.blocks():
            columns = [
                column.to_pylist() if isinstance(column, pa.Array) else column.tolist()
                for column in block.evaluate(program)
            ]
            assert all(len(column) == block.nrows for column in columns)
            found.append(columns)
    return found


DOUBLED = Call("multiply", X, Constant(np.int64(2)))

CHOSEN = {
    "all": [],
    "a range": [Range(3, 17, 1)],
    "every third": [Range(2, 23, 3)],
    "a range beyond the end": [Range(20, 90, 1)],
    "an empty range": [Range(9, 9, 1)],
    "nothing behind the end": [Range(40, 50, 2)],
    "a condition": [rest(3)],
    "a range of a condition": [rest(3), Range(1, 6, 2)],
    "a condition of a range": [Range(5, 20, 2), rest(3)],
    "a range of a range": [Range(1, 22, 2), Range(2, 9, 3)],
    "a range between conditions": [rest(2), Range(1, 10, 2), less(DOUBLED, 30)],
    "no row": [less(X, 0)],
}


def of_numpy(rows, chosen):
    for item in chosen:
        if isinstance(item, Range):
            rows = rows[item.start : item.stop : item.step]
        elif item.operation == "equal":
            rows = rows[rows % item.args[0].args[1].value == 0]
        else:
            value, limit = item.args[0], item.args[1].value
            rows = rows[(rows * 2 if value is DOUBLED else rows) < limit]
    return rows


@pytest.mark.parametrize("name", CHOSEN)
def test_selected_rows_are_those_of_slices_and_masks(name):
    chosen = CHOSEN[name]
    masks, program = compiled([item for item in chosen if not isinstance(item, Range)], [X, DOUBLED, S])
    remaining = iter(masks)
    selections = [item if isinstance(item, Range) else next(remaining) for item in chosen]
    wanted = of_numpy(np.arange(ROWS), chosen)
    for block_rows in (1, 5, 8, ROWS, 50):
        found = blocks_of(selections, program, block_rows)
        assert [row for numbers, _, _ in found for row in numbers] == wanted.tolist()
        assert [row for _, doubled, _ in found for row in doubled] == (wanted * 2).tolist()
        assert [row for _, _, text in found for row in text] == [f"t{row % 5}" for row in wanted]
        assert all(numbers for numbers, _, _ in found)
        if not masks:
            # Cuts are where those of all rows are.
            assert [len({row // block_rows for row in numbers}) for numbers, _, _ in found] == [1] * len(found)
    with Partition((TABLE,), (), selections, 8) as partition:
        assert partition.keeps_all_rows == (not chosen)
        assert partition.keeps_row_numbers == (len(masks) == len(chosen))


def marked(text):
    """Return flags, and a table of the rows that have them."""
    flags = np.array([letter == "1" for letter in text.replace(" ", "")])
    letters = pa.array(list(map(str, range(len(flags)))), pa.large_string())
    return flags, Table({"b": flags, "x": np.arange(len(flags)), "s": letters}, len(flags))


def joined_by_hand(flags):
    """Return the rows of each block of four, of which those with at most two rows left are put together."""
    found, waiting = [], []
    for start in range(0, len(flags), 4):
        rows = [row for row in range(start, min(start + 4, len(flags))) if flags[row]]
        is_sparse = len(rows) <= 2
        if waiting and (not is_sparse or len(waiting) + len(rows) > 4):
            found.append(waiting)
            waiting = []
        if is_sparse:
            waiting = waiting + rows
        else:
            found.append(rows)
    return [*found, waiting] if waiting else found


@pytest.mark.parametrize(
    "kept",
    [
        "1000 0100 0010", "1100 0011 1000", "0000 0000 0000", "1110 0001 1000", "0001 1110 1000", "1111 1111 1111",
        "1000 1000 1000 1000 1000", "0000 1100 0000 0110 1", "1000 0000 0000 1000 0100", "1110 0000 1000 1000 0000",
        "1100 1000 1100 11", "0111 11",
    ],
)  # fmt: skip
def test_blocks_of_which_a_mask_leaves_few_rows_are_put_together(monkeypatch, kept):
    monkeypatch.setattr(tuning, "JOINED_BLOCK_SHARE", 2)
    flags, table = marked(kept)
    (mask,), program = compiled([ColumnRef("rows", "b", BOOL)], [X, DOUBLED, S])
    wanted = joined_by_hand(flags)
    found = blocks_of([mask], program, 4, [table])
    assert [numbers for numbers, _, _ in found] == wanted
    assert [doubled for _, doubled, _ in found] == [[2 * row for row in rows] for rows in wanted]
    assert [text for _, _, text in found] == [list(map(str, rows)) for rows in wanted]
    # Consumers that stop early, or take the mask, have the blocks as they are read.
    apart = [rows for rows in np.split(np.arange(len(flags)), range(4, len(flags), 4)) if flags[rows].any()]
    found = blocks_of([mask], program, 4, [table], ends_early=True)
    assert [numbers for numbers, _, _ in found] == [rows[flags[rows]].tolist() for rows in apart]
    found = blocks_of([mask], program, 4, [table], leave_last_mask=True)
    assert [numbers for numbers, _, _ in found] == [rows.tolist() for rows in apart]


def test_blocks_that_are_put_together_keep_what_programs_hand_on(monkeypatch):
    """The first mask computes a value and reads a column in place, and the results of later blocks take its memory."""
    monkeypatch.setattr(tuning, "JOINED_BLOCK_SHARE", 2)
    source = Files({"x": np.arange(48), "f": np.arange(48) / 2})
    handed_on = Call("add", DOUBLED, X)
    first, second = (
        Call("equal", Call("remainder", handed_on, Constant(np.int64(n))), Constant(np.int64(0))) for n in (9, 2)
    )
    masks, program = compiled([first, second], [X, handed_on, F])
    wanted = np.arange(0, 48, 6)
    for block_rows in (4, 5, 16):
        found = blocks_of(masks, program, block_rows, [source])
        assert flat(rows for rows, _, _ in found) == wanted.tolist()
        assert flat(rows for _, rows, _ in found) == (3 * wanted).tolist()
        assert flat(rows for _, _, rows in found) == (wanted / 2).tolist()
        assert len(found) < len(wanted)


def test_a_mask_that_is_left_to_the_consumer_is_none_where_it_holds_everywhere():
    flags, table = marked("1111 1010 0000 1111")
    (mask,), program = compiled([ColumnRef("rows", "b", BOOL)], [X])
    with Partition((table,), (), [mask], 4, leave_last_mask=True) as partition:
        masks = []
        for block in partition.blocks():
            (before,) = block.evaluate(program)
            masks.append(None if block.mask is None else block.mask.tolist())
            block.apply_mask()
            (after,) = block.evaluate(program)
            assert block.mask is None
            assert after.tolist() == [row for row in before.tolist() if flags[row]]
            assert block.nrows == len(after)
    assert masks == [None, [True, False, True, False], None]


# ---- what is read


class Files(PartReader):
    """A part that reads like a file: into memory that it is given, and notes what is read."""

    is_remote = False

    def __init__(self, columns, log=None, name=""):
        self.columns, self.nrows = columns, len(next(iter(columns.values())))
        self.read_at, self.log, self.name = [], log, name

    def open(self):
        return self

    def __enter__(self):
        if self.log is not None:
            self.log.append(f"+{self.name}")
        return self

    def __exit__(self, *_):
        if self.log is not None:
            self.log.append(f"-{self.name}")

    def read(self, column, start, stop, out=None):
        self.read_at.append((column, start, stop))
        rows = self.columns[column][start:stop]
        if out is None:
            return rows
        assert len(out) == stop - start
        out[:] = rows
        return out


LOAD = {name: Load(0, name, dtype) for name, dtype in (("x", INT64), ("f", FLOAT64), ("s", STR))}


def test_columns_are_read_once_for_each_block_into_the_same_memory():
    source = Files(TABLE.columns)
    with Partition((source,), (), [], 10) as partition:
        seen = []
        for block in partition.blocks():
            first, again = block.load(LOAD["x"]), block.load(LOAD["x"])
            assert first is again
            block.load(LOAD["s"])
            seen.append(first.__array_interface__["data"][0])
        assert len(set(seen)) == 1
        wider = partition.read(LOAD["x"], 0, 24, None)
        assert wider.tolist() == list(range(24))
        out = np.zeros(3, np.int64)
        assert partition.read(LOAD["x"], 4, 7, out) is out
        assert partition.read(LOAD["s"], 4, 7, out).to_pylist() == ["t4", "t0", "t1"]
    bounds = [(0, 10), (10, 20), (20, 24)]
    assert source.read_at[:6] == [(name, *bound) for bound in bounds for name in "xs"]


@pytest.mark.parametrize(
    ("rows", "reads"),
    [
        ([3], [(3, 4)]), ([0, 2, 5], [(0, 6)]), ([0, 9, 10, 19], [(0, 10), (10, 20)]), ([7, 23], [(7, 8), (23, 24)]),
        ([10, 11, 12], [(10, 13)]), ([9, 10], [(9, 10), (10, 11)]),
    ],
)  # fmt: skip
def test_rows_of_files_that_have_no_other_way_are_read_within_ranges(rows, reads):
    source = Files(TABLE.columns)
    rows = np.array(rows)
    with Partition((source,), (), [], 10) as partition:
        assert partition.read_rows(LOAD["x"], rows, None).tolist() == rows.tolist()
        assert source.read_at == [("x", *bounds) for bounds in reads]
        out = np.zeros(30)
        found = partition.read_rows(LOAD["f"], rows, out)
        assert np.shares_memory(found, out)
        assert found.tolist() == (rows / 2).tolist()
        assert partition.read_rows(LOAD["s"], rows, out).to_pylist() == [f"t{row % 5}" for row in rows]
        for block_rows in (10, 3):
            again = Partition((source,), (), [], block_rows)
            with again:
                found = [block.numbers_of(np.arange(block.nrows)).tolist() for block in again.blocks_of(rows)]
                assert flat(found) == rows.tolist()
                assert all(part[-1] - part[0] < block_rows for part in found)


def test_blocks_of_chosen_rows_are_selected_from_and_have_their_places():
    source = Files(TABLE.columns)
    masks, program = compiled([rest(2), less(DOUBLED, 40)], [DOUBLED, F])
    rows = np.array([4, 6, 7, 12, 13, 22])
    with Partition((source,), (), masks, 10) as partition:
        found = [block.evaluate(program)[0].tolist() for block in partition.blocks_of(rows)]
        assert found == [[8, 12], [24]]
    with Partition((source,), (), [], 10) as partition:
        extents = [block.unit_positions().extent for block in partition.blocks_of(rows)]
        assert extents == [8, 14, 23]


def test_columns_are_read_of_the_rows_that_are_left_alone():
    source = Files(TABLE.columns)
    masks, program = compiled([rest(12, 11)], [F, S])
    assert blocks_of(masks, program, 24, [source]) == [[[5.5, 11.5], ["t1", "t3"]]]
    assert source.read_at == [("x", 0, 24), ("f", 11, 24), ("s", 11, 24)]


@pytest.mark.parametrize("block_rows", [4, 10, 24])
def test_memory_of_results_is_used_again(block_rows):
    """Of each type as many arrays are made as a block needs at a time, however many blocks there are."""
    values = [Call("add", Call("multiply", X, X), X), Call("sqrt", F)]
    masks, program = compiled([less(Call("remainder", X, Constant(np.int64(7))), 6)], values)
    with Partition((TABLE,), (), masks, block_rows, leave_last_mask=True) as partition:
        counts = []
        for block in partition.blocks():
            block.evaluate(program)
            lent = {id(buffer) for _, buffer in partition._lent}
            free = {id(buffer) for buffers in partition._free.values() for buffer in buffers}
            assert not lent & free
            assert len(free) == sum(map(len, partition._free.values()))
            counts.append(len(lent | free))
        assert len(set(counts)) == 1
        assert partition._lent == []
        made = {dtype: [id(buffer) for buffer in buffers] for dtype, buffers in partition._free.items()}
        assert all(len(buffer) == block_rows for buffers in partition._free.values() for buffer in buffers)
        following = Partition((TABLE.slice(0, 3),), (), [], block_rows)
        following.take_over(partition)
        assert {dtype: [id(buffer) for buffer in buffers] for dtype, buffers in following._free.items()} == made
        taken = following.take_buffer(INT64)
        assert id(taken) in made[INT64]
        longer = Partition((RowPositions(0, 40),), (), [], block_rows + 1)
        longer.take_over(partition)
        assert not any(longer._free.values())


PAIRS = (Program((Load(0, "x", INT64),), (0,), (INT64,)), BroadcastInput(0, 0), False, Load(1, "row", INT64))

WAYS = {
    "masks": ([rest(2), less(DOUBLED, 10**6)], {}),
    "blocks that are put together": ([rest(5), less(DOUBLED, 10**6)], {}),
    "blocks that are not put together": ([rest(5), less(DOUBLED, 10**6)], {"ends_early": True}),
    "the last mask is left": ([rest(2), rest(3)], {"leave_last_mask": True}),
    "a range before": ([Range(1, 10**6, 1), rest(2)], {}),
    "pairs": ([ExpandMatches(*PAIRS), less(DOUBLED, 10**6)], {}),
}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("is_chosen", [False, True])
def test_blocks_take_as_much_memory_however_many_there_are(monkeypatch, name, is_chosen):
    chosen, options = WAYS[name]
    taken = {}
    take = Partition.take_buffer
    monkeypatch.setattr(
        Partition, "take_buffer", lambda self, dtype: taken.setdefault(id(found := take(self, dtype)), found)
    )
    masks, program = compiled([item for item in chosen if isinstance(item, Call)], [Call("add", DOUBLED, X), F])
    remaining = iter(masks)
    selections = [next(remaining) if isinstance(item, Call) else item for item in chosen]
    counts = []
    for rows in (2 * ROWS, 8 * ROWS):
        taken.clear()
        source = Files({"x": np.arange(rows), "f": np.arange(rows) / 2})
        multiplicity = MatchMultiplicity(np.arange(rows) // 2 * 2)
        with Partition((source,), ([multiplicity],), selections, 8, **options) as partition:
            for block in partition.blocks_of(np.arange(rows)) if is_chosen else partition.blocks():
                block.apply_mask()
                block.evaluate(program)
        counts.append(len(taken))
    assert counts[0] == counts[1]


def test_buffers_have_room_for_rows_that_are_repeated():
    masks, _ = compiled([rest(2)], [X])
    short = (Files({"x": np.arange(3)}),)
    for selections, rows in (([], 3), (masks, 3), ([*masks, ExpandMatches(*PAIRS)], 8), ([ExpandMatches(*PAIRS)], 8)):
        assert len(Partition(short, (), selections, 8).take_buffer(INT64)) == rows


def test_blocks_are_put_together_before_a_mask_that_is_left():
    masks, program = compiled([rest(5), rest(2)], [X])
    found = blocks_of(masks, program, 8, [Files({"x": np.arange(80)})], leave_last_mask=True)
    assert [rows for (rows,) in found] == [[0, 5, 10, 15, 20], [25, 30, 35, 40, 45], [50, 55, 60, 65, 70], [75]] or (
        flat(rows for (rows,) in found) == list(range(0, 80, 5)) and len(found) < 10
    )


@pytest.mark.parametrize(
    ("columns", "before", "now", "is_kept"),
    [(10, 10, 10, True), (10, 10, 4, True), (4, 10, 10, False), (10, 10, 11, False)],
)
def test_a_partition_takes_over_memory_that_is_large_enough(columns, before, now, is_kept):
    first = Partition((Files({"x": np.arange(columns)}),), (), [], before)
    second = Partition((Files({"x": np.arange(24)}),), (), [], now)
    with first, second:
        kept = first.read(LOAD["x"], 0, columns, None)
        second.take_over(first)
        assert np.shares_memory(kept, second.read(LOAD["x"], 0, 3, None)) == is_kept


def test_ranges_of_several_blocks_begin_units():
    def extents(rows, block_rows, nblocks, left=None):
        partition = Partition((RowPositions(0, rows),), (), [], block_rows)
        partition._left = left
        return list(partition.extents(nblocks))

    assert extents(24, 5, 2) == [(0, 10), (10, 20), (20, 24)]
    assert extents(3 * UNIT, UNIT, 2) == [(0, 2 * UNIT), (2 * UNIT, 3 * UNIT)]
    left = np.array([[UNIT + 5, 2 * UNIT + 7]])
    assert extents(3 * UNIT, UNIT, 1, left) == [(UNIT, 2 * UNIT), (2 * UNIT, 2 * UNIT + 7)]
    assert extents(3 * UNIT, UNIT + 1, 2, left) == [(UNIT + 5, 2 * UNIT + 2), (2 * UNIT + 2, 2 * UNIT + 7)]


def parts(*lengths):
    return ConsecutiveParts([blocks.TablePart(Table({"x": np.arange(length)}, length)) for length in lengths])


def test_rows_have_their_places_in_units_of_sums():
    """A block that begins with a unit needs none; parts of one block begin a unit each."""
    with Partition((RowPositions(0, 5 * UNIT),), (), [], 8) as partition:
        assert partition.unit_positions(0, 3) is None
        assert partition.unit_positions(2 * UNIT, 2 * UNIT + 3) is None
        found = partition.unit_positions(UNIT + 3, UNIT + 7)
        assert (found.offsets.tolist(), found.extent) == ([3, 4, 5, 6], 7)
    lengths = (3, UNIT + 1, UNIT, 2)
    with Partition((parts(*lengths),), (), [], 8) as partition:
        begins = [0, UNIT, 3 * UNIT, 4 * UNIT]
        every = np.concatenate([begin + np.arange(length) for begin, length in zip(begins, lengths, strict=True)])
        for start, stop in ((0, 4), (0, sum(lengths)), (2, 2 * UNIT)):
            found = partition.unit_positions(start, stop)
            assert found.offsets.tolist() == every[start:stop].tolist()
            assert found.extent == 5 * UNIT
        block = Block(partition, 0, 10)
        assert block.unit_positions().offsets.tolist() == every[:10].tolist()
        block.select_rows(np.array([1, 4]), 2)
        assert (block.unit_positions().offsets.tolist(), block.unit_positions().extent) == ([1, UNIT + 1], 5 * UNIT)
    with Partition((TABLE,), (), [], 8) as partition:
        block = Block(partition, 0, 8)
        assert block.unit_positions() is None
        block.select_rows(slice(1, 8, 2), 4)
        block.select_rows(np.array([0, 3]), 2)
        assert (block.unit_positions().offsets.tolist(), block.unit_positions().extent) == ([1, 7], 8)


@pytest.mark.parametrize(
    ("inputs", "is_read"),
    [
        ([TABLE], False), ([RowPositions(0, 3)], False), ([parts(1, 2)], False),
        ([Files({"x": np.arange(3)})], True), ([Files({"x": np.arange(3)}), RowPositions(0, 3)], False),
    ],
)  # fmt: skip
def test_rows_are_adjacent_in_files_alone(inputs, is_read):
    assert Partition(inputs, (), [], 8).reads_files == is_read


# ---- text in dictionaries


def test_text_in_a_dictionary_is_computed_once_for_each_of_its_strings(monkeypatch):
    monkeypatch.setattr(tuning, "DISTINCT_FOR_ROW", 2)
    calls = []
    operation = SimpleNamespace(evaluate=lambda *args: calls.append(args) or f"result {len(calls)}")
    monkeypatch.setattr(blocks, "OPERATIONS", {"of text": operation})
    one, other = (SimpleNamespace(operation="of text", params={}) for _ in range(2))
    few, many = (pa.array([f"t{n}" for n in range(count)]) for count in (4, 5))
    rows = pa.DictionaryArray.from_arrays(pa.array([0, 1]), few)
    with Partition((TABLE,), (), [], 8) as partition:
        assert partition.of_distinct(one, rows, ["a", "b"], 1) == "result 1"
        assert calls == [("a", few, "b")]
        assert partition.of_distinct(one, rows, ["a", "b"], 1) == "result 1"
        assert partition.of_distinct(other, rows, ["a"], 0) == "result 2"
        assert calls[1:] == [(few, "a")]
        too_many = pa.DictionaryArray.from_arrays(pa.array([0, 1]), many)
        assert partition.of_distinct(one, too_many, [], 0) is None
        enough = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), many)
        assert partition.of_distinct(one, enough, [], 0) == "result 3"
        assert partition.of_distinct(one, rows, ["a", "b"], 1) == "result 4"


# ---- rows that are repeated for their matches


@pytest.mark.parametrize("keep_all", [False, True])
@pytest.mark.parametrize("block_rows", [3, 8, 24])
@pytest.mark.parametrize("is_filtered", [False, True])
def test_rows_are_repeated_for_their_matches(keep_all, block_rows, is_filtered):
    """Row n matches the rows of another table whose number is n % 4 in a sequence of them."""
    other = np.array([0, 2, 0, 1, 0, 2])
    firsts = np.array([0, 1, 0, 3, 0, 1])
    first_of = np.array([0, 3, 1, -1])
    source = Files({"x": np.arange(ROWS), "f": np.arange(ROWS) / 2, "k": first_of[np.arange(ROWS) % 4]})
    key, pair = ColumnRef("rows", "k", INT64), ColumnRef("pairs", "row", INT64)
    before, after = less(X, 17), Call("greater", X, Constant(np.int64(2)))
    compiler = Compiler(
        [*([before],) * is_filtered, [key], [after], [X, F, pair, DOUBLED]], {"rows": 0, "pairs": 1}, {}
    )
    selections = [Mask(compiler.next([before]))] * is_filtered
    found = compiler.next([key])
    selections.append(ExpandMatches(found, BroadcastInput(0, 0), keep_all, Load(1, "row", INT64)))
    selections.append(Mask(compiler.next([after])))
    program = compiler.last([X, F, pair, DOUBLED])
    wanted = [
        (row, match)
        for row in range(ROWS)
        for match in (np.flatnonzero(other == row % 4).tolist() or ([-1] if keep_all else []))
        if row > 2 and (row < 17 or not is_filtered)
    ]
    assert np.array_equal(first_of[other], firsts)
    with Partition((source,), ([MatchMultiplicity(firsts)],), selections, block_rows) as partition:
        assert not partition.keeps_row_numbers
        results = []
        for block in partition.blocks():
            assert 0 < block.nrows <= block_rows
            results.append([column.tolist() for column in block.evaluate(program)])
    columns = [flat(part[number] for part in results) for number in range(4)]
    assert list(zip(columns[0], columns[2], strict=True)) == wanted
    assert columns[1] == [row / 2 for row, _ in wanted]
    assert columns[3] == [row * 2 for row, _ in wanted]


def test_columns_of_few_pairs_are_read_of_these_alone(monkeypatch):
    monkeypatch.setattr(tuning, "FEW_PAIRED", 4)
    source = Files(TABLE.columns)
    load = LOAD["f"]
    with Partition((source,), (), [], 24) as partition:
        for positions, read in (([5, 5, 9], [(5, 10)]), (list(range(0, 14, 2)), [(0, 24)])):
            source.read_at.clear()
            block = Block(partition, 0, 24)
            pairs = block.expanded(np.array(positions), Load(1, "row", INT64), np.arange(len(positions)))
            assert pairs._rows_left().tolist() == positions
            assert pairs.load(load).tolist() == [row / 2 for row in positions]
            assert source.read_at == [("f", *bounds) for bounds in read]
        # What is there of all rows is not read again.
        source.read_at.clear()
        block = Block(partition, 0, 24)
        block.load(load)
        pairs = block.expanded(np.array([5]), Load(1, "row", INT64), np.arange(1))
        assert pairs.load(load).tolist() == [2.5]
        assert source.read_at == [("f", 0, 24)]
        # Pairs of pairs, and pairs of all rows.
        block = Block(partition, 4, 24)
        block.select_rows(np.arange(0, 20, 2), 10)
        once = block.expanded(np.array([1, 1, 3, 8]), Load(1, "row", INT64), np.arange(4))
        twice = once.expanded(np.array([0, 2, 2]), Load(2, "row", INT64), np.arange(3))
        assert once._rows_left().tolist() == [6, 6, 10, 20]
        assert twice._rows_left().tolist() == [6, 10, 10]
        assert twice.load(load).tolist() == [3.0, 5.0, 5.0]
        assert twice.load(Load(1, "row", INT64)).tolist() == [0, 2, 2]
        every = block.expanded(None, Load(1, "row", INT64), np.arange(10))
        assert every._rows_left().tolist() == list(range(4, 24, 2))
        plain = Block(partition, 4, 24).expanded(None, Load(1, "row", INT64), np.arange(20))
        assert plain._rows_left() is None
        assert (plain._has_all_rows, every._has_all_rows, once._has_all_rows) == (True, False, False)
        once.select_rows(slice(2, 4, None), 2)
        assert once._rows_left().tolist() == [10, 20]
        once.select_rows(slice(None, None, -1), 2)
        assert once._rows_left() is None


# ---- partitions of a task


def given(name, rows, selections=(), **options):
    kind = {"t": lambda: Table({"x": np.arange(rows)}, rows), "n": lambda: RowPositions(0, rows)}
    return tuple(selections), [kind[letter]() for letter in name]


MASK, RANGE = compiled([less(X, 3)], [X])[0][0], Range(0, 5, 1)


@pytest.mark.parametrize(
    ("members", "block_rows", "found"),
    [
        ([given("t", 3), given("t", 4), given("t", 1)], 8, [8]),
        ([given("t", 3), given("t", 4), given("t", 2), given("t", 6)], 8, [7, 8]),
        ([given("t", 9), given("t", 1), given("t", 1)], 8, [9, 2]),
        ([given("t", 3, [MASK]), given("t", 4, [MASK]), given("t", 1, [RANGE])], 8, [7, 1]),
        ([given("t", 1, [RANGE]), given("t", 1, [RANGE])], 8, [1, 1]),
        ([given("n", 1), given("n", 1)], 8, [1, 1]),
        ([given("tt", 1), given("tn", 1), given("tt", 1), given("tt", 2)], 8, [1, 1, 3]),
        ([given("t", 1)] * 7, 8, [3, 3, 1]),
        ([given("t", 0), given("t", 8), given("t", 0)], 8, [8]),
        ([given("t", 5)], 1, [5]),
    ],
)  # fmt: skip
def test_small_partitions_that_are_read_alike_are_one(monkeypatch, members, block_rows, found):
    monkeypatch.setattr(tuning, "MOST_OPEN_FILES", 3)
    coalesced = list(coalesce_partitions(members, block_rows))
    assert [inputs[0].nrows for _, inputs in coalesced] == found
    assert coalesced[0][0] is members[0][0]
    assert all(len(inputs) == len(members[0][1]) for _, inputs in coalesced)


def test_partitions_whose_inputs_disagree_stay_alone():
    uneven = (), [Table({"x": np.arange(2)}, 2), Table({"x": np.arange(1)}, 1)]
    members = [given("tt", 1), uneven, given("tt", 1), given("tt", 3)]
    assert [[item.nrows for item in inputs] for _, inputs in coalesce_partitions(members, 8)] == [
        [1, 1],
        [2, 1],
        [4, 4],
    ]


class Remote(Files):
    """A file that is fetched when it is opened."""

    is_remote = True


def opened(kinds, count, monkeypatch, room=10**6):
    """Return what is opened, read and closed, in order, of partitions that are here or remote."""
    log = []
    monkeypatch.setattr(
        blocks,
        "can_read_ahead",
        lambda: sum(item[0] == "+" for item in log) - sum(item[0] == "-" for item in log) < room,
    )
    files = [
        (Remote if kind == "r" else Files)({"x": np.arange(3)}, log, str(number)) for number, kind in enumerate(kinds)
    ]
    with PartitionBatch([Partition((file,), (), [], 8) for file in files]) as batch:
        assert batch.nrows == 3 * len(kinds)
        groups = batch.open_several() if count > 1 else ([one] for one in batch.each())
        log.extend("".join(str(files.index(one.inputs[0])) for one in some) for some in groups)
    return " ".join(log)


def test_partitions_are_open_while_they_are_read_and_remote_ones_before(monkeypatch):
    monkeypatch.setattr(tuning, "OPEN_AHEAD", 3)
    monkeypatch.setattr(tuning, "OPEN_PARTITIONS", 2)
    assert opened("hhh", 1, monkeypatch) == "+0 0 -0 +1 1 -1 +2 2 -2"
    assert opened("rrrrr", 1, monkeypatch) == "+0 +1 +2 0 -0 +3 1 -1 +4 2 -2 3 -3 4 -4"
    assert opened("rrhrr", 1, monkeypatch) == "+0 +1 0 -0 1 -1 +2 +3 +4 2 -2 3 -3 4 -4"
    assert opened("rrrrr", 1, monkeypatch, room=2) == "+0 +1 0 -0 +2 1 -1 +3 2 -2 +4 3 -3 4 -4"
    assert opened("hhhhh", 2, monkeypatch) == "+0 +1 01 -0 -1 +2 +3 23 -2 -3 +4 4 -4"
    assert opened("rrrrr", 2, monkeypatch) == "+0 +1 +2 01 -0 -1 +3 +4 23 -2 -3 4 -4"


def test_partitions_of_a_task_pass_on_their_memory_and_are_closed(monkeypatch):
    log = []
    files = [Remote({"x": np.arange(5)}, log, str(number)) for number in range(3)]
    values = [Call("add", Call("multiply", X, X), X)]
    _, program = compiled([], values)
    with ExitStack() as stack:
        batch = stack.enter_context(PartitionBatch([Partition((file,), (), [], 8) for file in files]))
        rows = batch.blocks()
        seen = []
        for _ in range(2):
            block = next(rows)
            (found,) = block.evaluate(program)
            assert found.tolist() == [row * row + row for row in range(5)]
            seen.append((found.__array_interface__["data"][0], block.load(LOAD["x"]).__array_interface__["data"][0]))
        assert seen[0] == seen[1]
        assert log.count("-0") == 1
    assert sorted(log) == ["+0", "+1", "+2", "-0", "-1", "-2"]
    assert all(one.opens_early for one in batch.partitions)
    assert Partition((files[0], RowPositions(0, 5)), (), [], 8).opens_early
    assert not Partition((TABLE, RowPositions(0, ROWS)), (), [], 8).opens_early


# ---- columns as they are


def test_programs_that_pass_on_columns_give_them_as_they_are():
    _, program = compiled([], [X, S])
    with Partition((TABLE,), (), [], 8) as partition:
        numbers, text = partition.unfiltered_columns(program)
        assert np.shares_memory(numbers, TABLE.columns["x"])
        assert not numbers.flags.writeable
        assert text.to_pylist() == PLAIN["s"].to_pylist()
        out = [np.zeros(30, np.int64), np.zeros(30)]
        assert partition.unfiltered_columns(program, out)[0].tolist() == list(range(ROWS))
        assert out[0].tolist() == [*range(ROWS), *[0] * 6]
        assert partition.unfiltered_columns(compiled([], [X, DOUBLED])[1]) is None
    with Partition((TABLE,), (), [RANGE], 8) as partition:
        assert partition.unfiltered_columns(program) is None
    with Partition((Files(TABLE.columns),), (), [], 8) as partition:
        assert partition.unfiltered_columns(program, out)[0].flags.writeable
    with Partition((RowPositions(0, 0),), (), [], 8) as partition:
        assert [len(column) for column in partition.unfiltered_columns(program)] == [0, 0]


def test_numbers_that_blocks_share_are_not_written_to():
    assert not blocks._numbers(8).flags.writeable


def test_several_inputs_are_told_by_their_parts():
    assert [blocks.is_several(item) for item in (TABLE, parts(1), parts(1, 2), RowPositions(0, 1))] == [
        False,
        False,
        True,
        False,
    ]
