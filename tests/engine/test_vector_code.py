"""Vector programs as code: the rows of memory of registers, instructions, and how rows and columns are divided."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_INT64, STR, UINT8, UINT64
from akdask.columns.summation import UNIT
from akdask.columns.table import Table
from akdask.engine import tuning
from akdask.engine import vector_program as vectors
from akdask.engine.blocks import Partition
from akdask.engine.operations import BLOCK, VECTOR, Opcode, StoredForm
from akdask.engine.values import BroadcastInput, Call, ColumnRef, Compiler, Constant, Load, Mask, Program, Range
from akdask.engine.vector_program import NoInstructionError, VectorizedPipeline, VectorProgram
from akdask.operators.reduce.reductions import ScalarReduction
from akdask.storage.source import IN_MEMORY, PartReader, Stretch, stretch_of

WIDE = BLOCK // VECTOR
"""Rows of memory of a column."""

TRUE = WIDE // 2
"""The row of the mask of all rows, behind those that stored columns are read to."""

FIRST = TRUE + 1


def code_of(program):
    return [(Opcode(op).name, *rest) for op, *rest in program._code]


def test_registers_have_rows_of_memory_of_their_own():
    program = VectorProgram()
    x, y = program.column(INT64), program.column(FLOAT64)
    one = program.constant(np.int64(1))
    assert (x.row, y.row, one.row) == (FIRST, FIRST + WIDE, FIRST + 2 * WIDE)
    after = one.row + 1
    added = program.apply("add", [x, one], INT64, {})
    assert (added.row, program._nrows) == (after, after + 1)
    program.release(one)
    program.release(x)
    doubled = program.apply("add", [added, added], INT64, {})
    assert doubled.row == after + 1
    program.release(added)
    again = program.apply("negative", [doubled], INT64, {})
    assert again.row == after
    program.select([program.apply("less", [x, one], BOOL, {})])
    mask = after + 3
    assert (program._mask.row, program._nrows, program.nmarking) == (mask, mask + WIDE, 2)
    program.store(y)
    program.store(again)
    assert program._nrows == mask + WIDE + 1
    assert code_of(program) == [
        ("ADD_INTS", after, FIRST, one.row, 0), ("ADD_INTS", after + 1, after, after, 0),
        ("NEGATE_INTS", after, after + 1, 0, 0), ("LESS_INTS", after + 2, FIRST, one.row, 0),
        ("AND_BOOLS", mask, after + 2, after + 2, 0), ("STORE_NUMBERS", 0, y.row, mask + WIDE, 0),
        ("STORE_NUMBERS", 1, again.row, mask + WIDE, 0),
    ]  # fmt: skip
    assert program._parts.tolist() == [[0, 2, 2], [0, 5, 7]]
    columns, code, moves = program._laid_out
    assert (columns.tolist(), code.shape) == ([x.row, y.row], (7, 5))
    assert np.flatnonzero(moves).tolist() == [x.row, y.row, mask]
    assert len(moves) == program._nrows + 2


@pytest.mark.parametrize(
    ("operation", "types", "result", "code"),
    [
        ("greater", (INT64, INT64), BOOL, [("LESS_INTS", 1, 0)]),
        ("greater_equal", (UINT64, UINT64), BOOL, [("LESS_EQUAL_UINTS", 1, 0)]),
        ("subtract", (FLOAT64, INT64), FLOAT64, [("FLOATS_OF_INTS", 1), ("SUBTRACT_FLOATS", 0, 2)]),
        ("divide", (INT64, UINT64), FLOAT64, [("FLOATS_OF_INTS", 0), ("FLOATS_OF_UINTS", 1), ("DIVIDE_FLOATS", 2, 3)]),
        ("less", (BOOL, FLOAT64), BOOL, [("FLOATS_OF_BOOLS", 0), ("LESS_FLOATS", 2, 1)]),
        ("equal", (INT64, UINT64), BOOL, None), ("less", (INT64, FLOAT64), BOOL, None),
        ("isnan", (FLOAT64,), BOOL, [("NOT_EQUAL_FLOATS", 0, 0)]),
        ("isnan", (INT64,), BOOL, None), ("logical_and", (BOOL, INT64), BOOL, None),
        ("remainder", (INT64, INT64), INT64, None),
        ("add", (UINT8, UINT8), UINT8, None),
    ],
)  # fmt: skip
def test_operations_have_instructions_by_their_types(operation, types, result, code):
    """Arguments are 0 and 1, and what is converted gets the numbers from 2 on."""
    program = VectorProgram()
    try:
        args = [program.column(dtype) for dtype in types]
        found = program.apply(operation, args, result, {})
    except NoInstructionError:
        assert code is None
        return
    numbers = {arg.row: number for number, arg in enumerate(args)}
    seen = []
    for op, target, *rows in code_of(program):
        seen.append((op, *[numbers[row] for row in rows if row in numbers]))
        numbers[target] = len(args) + len(seen) - 1
    assert seen == code
    assert found.dtype == result
    # What was converted is not read again.
    assert len(program._free) == len(code) - 1


@pytest.mark.parametrize(
    ("operation", "constant", "dtype", "code"),
    [
        ("less", np.float64(2.5), INT64, ("LESS_INTS", 3)),
        ("less_equal", np.float64(2.5), INT64, ("LESS_EQUAL_INTS", 2)),
        ("less", np.float64(3.0), UINT64, ("LESS_UINTS", 3)), ("equal", np.float64(2.0), INT64, ("EQUAL_INTS", 2)),
        ("equal", np.float64(2.5), INT64, None), ("less", np.float64(np.nan), INT64, None),
        ("greater", np.float64(2.5), INT64, ("LESS_INTS", 2)), ("less", np.int64(5), FLOAT64, ("LESS_FLOATS", 5.0)),
        ("less", np.int64(2**53 + 1), FLOAT64, None), ("add", np.int64(2), FLOAT64, ("ADD_FLOATS", 2.0)),
        ("less", np.uint64(2), INT64, None),
    ],
)  # fmt: skip
def test_constants_become_numbers_of_the_column_that_they_are_compared_with(operation, constant, dtype, code):
    program = VectorProgram()
    column = program.column(dtype)
    result = BOOL if operation != "add" else FLOAT64
    for turned in (False, True):
        args = [column, program.constant(constant)]
        before = len(program._code)
        if turned:
            operation = {"less": "greater", "less_equal": "greater_equal", "greater": "less"}.get(operation, operation)
            args.reverse()
        if code is None:
            with pytest.raises(NoInstructionError):
                program.apply(operation, args, result, {})
            continue
        program.apply(operation, args, result, {})
        ((op, _, *rows, _),) = code_of(program)[before:]
        constants = {register.row: value for register, value in program._constants.items()}
        assert (op, *[constants[row] for row in rows if row != column.row]) == code
        assert column.row in rows


@pytest.mark.parametrize(
    ("sides", "result", "is_taken"),
    [
        ((INT64, INT64), INT64, True), ((FLOAT64, FLOAT64), FLOAT64, True), ((INT64, FLOAT64), FLOAT64, False),
        ((FLOAT64, UINT64), FLOAT64, False), ((BOOL, FLOAT64), FLOAT64, True), ((BOOL, BOOL), BOOL, False),
        ((INT64, UINT64), FLOAT64, False),
    ],
)  # fmt: skip
def test_no_integer_that_is_chosen_may_change(sides, result, is_taken):
    program = VectorProgram()
    args = [program.column(BOOL), *(program.column(dtype) for dtype in sides)]
    if not is_taken:
        with pytest.raises(NoInstructionError):
            program.apply("where", args, result, {})
        return
    found = program.apply("where", args, result, {})
    op, target, condition, _, last = code_of(program)[-1]
    assert (op, target, condition, last) == ("WHERE", found.row, args[0].row, args[2].row)


def test_casts_and_missing_numbers():
    program = VectorProgram()
    flag, number, decimal = (program.column(dtype) for dtype in (BOOL, INT64, FLOAT64))
    assert program.apply("cast", [flag], INT64, {}).dtype == INT64
    assert program.apply("cast", [flag], FLOAT64, {"errors": "strict"}).dtype == FLOAT64
    for args, result, params in (
        ([decimal], INT64, {}), ([flag], INT64, {"errors": "ignore"}), ([number], INT64, {}), ([number], BOOL, {}),
    ):  # fmt: skip
        with pytest.raises(NoInstructionError):
            program.apply("cast", args, result, params)
    before = len(program._code)
    missing = program.column(BOOL)
    program.apply("missing_as_nan", [flag, missing], FLOAT64, {})
    op, _, condition, chosen, other = code_of(program)[-1]
    constants = {register.row: value for register, value in program._constants.items()}
    assert (op, condition, np.isnan(constants[chosen])) == ("WHERE", missing.row, True)
    assert code_of(program)[before:-1] == [("FLOATS_OF_BOOLS", other, flag.row, 0, 0)]
    with pytest.raises(NoInstructionError):
        program.apply("missing_as_nan", [number, missing], FLOAT64, {})
    for dtype in (STR, UINT8, NULLABLE_INT64):
        with pytest.raises(NoInstructionError):
            program.column(dtype)


@pytest.mark.parametrize(
    ("lengths", "at_a_time", "parts"),
    [
        ([5], 1, [[(5, 0)]]), ([UNIT + 1], 1, [[(UNIT, 0)], [(1, UNIT)]]), ([UNIT, 3], UNIT, [[(UNIT, 0)], [(3, 0)]]),
        ([3, 4], UNIT, [[(3, 0), (4, 0)]]), ([3, UNIT, 2], UNIT, [[(3, 0), (UNIT, 0)], [(2, 0)]]),
        ([2 * UNIT + 5], UNIT + 1, [[(2 * UNIT, 0)], [(5, 2 * UNIT)]]), ([], 4, []), ([0, 3], 8, [[(3, 0)]]),
        ([UNIT - 1, 2 * UNIT], UNIT, [[(UNIT - 1, 0), (UNIT, 0)], [(UNIT, UNIT)]]),
    ],
)  # fmt: skip
def test_rows_are_divided_into_whole_units(monkeypatch, lengths, at_a_time, parts):
    monkeypatch.setattr(vectors, "AT_A_TIME", at_a_time)
    forms = (StoredForm.NUMBERS, StoredForm.INT16)
    extents = [(rows, [(number, 100, form) for form in forms]) for number, rows in enumerate(lengths)]
    found = list(VectorProgram()._divided(extents))
    assert [[(rows, (moved[0][1] - 100) // 8) for rows, moved in part] for part in found] == parts
    assert all(moved[1][1] - 100 == (moved[0][1] - 100) // 4 for part in found for _, moved in part)
    assert [moved[0][0] for part in found for _, moved in part] == sorted(
        moved[0][0] for part in found for _, moved in part
    )


# ---- pipelines as one program

X, Y, F = ColumnRef("rows", "x", INT64), ColumnRef("rows", "y", INT64), ColumnRef("rows", "f", FLOAT64)


def number(value):
    return Constant(np.int64(value))


def compiled(predicates, *outputs):
    compiler = Compiler([*([predicate] for predicate in predicates), [*outputs]], {"rows": 0}, {"found": 0})
    return [Mask(compiler.next([predicate])) for predicate in predicates], compiler.last(outputs)


class InFiles(PartReader):
    """A part whose columns lie in memory as if in a file: the vectors are read from there."""

    def __init__(self, columns, without=()):
        self.columns, self.nrows, self.without = columns, len(next(iter(columns.values()))), without
        self.read_at = []

    def open(self):
        return self

    def read(self, column, start, stop, out=None):
        self.read_at.append((column, start, stop))
        out[:] = self.columns[column][start:stop]
        return out

    def stretches(self, column):
        return None if column in self.without else [stretch_of(self.columns[column])]


ROWS = 3 * UNIT + 7
COLUMNS = {"x": np.arange(ROWS), "y": np.arange(ROWS) % 100, "f": np.arange(ROWS) / 4}


def test_states_of_files_and_of_rows_that_are_read_first_are_those_of_numpy(monkeypatch):
    twice = Call("multiply", X, number(2))
    conditions = [Call("greater", twice, number(2 * UNIT + 10)), Call("less", Call("add", twice, Y), number(4 * UNIT))]
    masks, program = compiled(conditions, twice, Call("add", Call("add", twice, Y), X), F)
    pipeline = VectorizedPipeline(masks, ())
    pipeline.reduce(program, ["sum", "max", "sum"])
    x, y, f = COLUMNS.values()
    kept = (2 * x > 2 * UNIT + 10) & (2 * x + y < 4 * UNIT)
    wanted = [2 * x[kept].sum(), (3 * x + y)[kept].max(), f[kept].sum()]

    with Partition((InFiles(COLUMNS),), (), masks, UNIT) as partition:
        states = pipeline.run([partition])
        assert states is not None
        assert states[0] == wanted[0]
        assert np.max(states[1]) == wanted[1]
        assert ScalarReduction("sum", FLOAT64).finalize(states[2]) == wanted[2]
    source = InFiles(COLUMNS, without={"y"})
    monkeypatch.setattr(vectors, "_BLOCKS", 1)
    with Partition((source,), (), masks, UNIT) as partition:
        assert pipeline.run([partition]) is None
        found = list(pipeline.run_in_memory(partition))
    assert sum(states[0] for states in found) == wanted[0]
    assert max(np.max(states[1]) for states in found) == wanted[1]
    assert sum(ScalarReduction("sum", FLOAT64).finalize(states[2]) for states in found) == wanted[2]


def test_columns_of_rows_in_memory_are_read_where_rows_are_selected(monkeypatch):
    """After a block without a selected row the mask is asked first; after another all columns are read."""
    monkeypatch.setattr(vectors, "_BLOCKS", 1)
    monkeypatch.setattr(tuning, "FEW_BLOCK_ROWS", 0)
    for limit, others in ((0, []), (1, [0, 1]), (UNIT + 1, [0, 1, 2]), (2 * UNIT, [0, 1, 2]), (ROWS, [0, 1, 2, 3])):
        masks, program = compiled([Call("less", X, number(limit))], F)
        pipeline = VectorizedPipeline(masks, ())
        pipeline.reduce(program, ["sum"])
        assert pipeline._program.nmarking == 1
        source = InFiles(COLUMNS, without={"x"})
        with Partition((source,), (), masks, UNIT) as partition:
            assert len(list(pipeline.run_in_memory(partition))) == -(-limit // UNIT)
        assert [start // UNIT for name, start, _ in source.read_at if name == "x"] == [0, 1, 2, 3]
        assert [start // UNIT for name, start, _ in source.read_at if name == "f"] == others


def test_results_that_masks_hand_on_are_computed_again():
    base = Call("add", X, Y)
    shared = Call("multiply", base, base)
    masks, program = compiled(
        [Call("less", shared, number(10**6)), Call("greater", Call("subtract", shared, X), number(50))], shared, base
    )
    assert any(mask.predicate.hands_on for mask in masks)
    pipeline = VectorizedPipeline(masks, ())
    pipeline.store(program)
    x, y, _ = COLUMNS.values()
    kept = ((x + y) ** 2 < 10**6) & ((x + y) ** 2 - x > 50)
    rows = SimpleNamespace(nrows=0, columns=[np.zeros(ROWS, np.int64) for _ in range(2)])
    rows.reserve = lambda nrows: [column[rows.nrows :] for column in rows.columns]
    with Partition((InFiles(COLUMNS),), (), masks, UNIT) as partition:
        assert pipeline.run_into(rows, [partition])
    assert rows.nrows == kept.sum()
    assert rows.columns[0][: rows.nrows].tolist() == ((x + y) ** 2)[kept].tolist()
    assert rows.columns[1][: rows.nrows].tolist() == (x + y)[kept].tolist()


@pytest.mark.parametrize(
    ("stretches", "extents"),
    [
        ({"x": [Stretch(3, 8, 5)]}, [(5, [(3, 8, 0)])]),
        ({"x": [Stretch(3, 8, 5), Stretch(4, 0, 2, "int16")]}, [(5, [(3, 8, 0)]), (2, [(4, 0, StoredForm.INT16)])]),
        ({"x": [Stretch(3, 8, 5, "float16")]}, None), ({"x": None}, None), ({"x": []}, []),
    ],
)  # fmt: skip
def test_places_of_rows_are_those_of_stretches(stretches, extents):
    masks, program = compiled([Call("less", X, number(5))], X)
    pipeline = VectorizedPipeline(masks, ())
    pipeline.reduce(program, ["sum"])
    found = SimpleNamespace(
        stretches=lambda loads: None if None in stretches.values() else [stretches[load.column] for load in loads]
    )
    assert pipeline._extents([found]) == extents
    assert pipeline._extents([found, found]) == (None if extents is None else extents * 2)


def test_columns_that_are_cut_at_different_rows_are_read_first():
    masks, program = compiled([Call("less", X, number(5))], F)
    pipeline = VectorizedPipeline(masks, ())
    pipeline.reduce(program, ["sum"])
    even, odd = [Stretch(3, 0, 4), Stretch(3, 64, 4)], [Stretch(3, 128, 3), Stretch(3, 256, 5)]
    for columns, is_read in (([even, odd], True), ([even, even], False), ([odd, odd], False)):
        found = pipeline._extents([SimpleNamespace(stretches=lambda loads, columns=columns: columns)])
        assert (found is None) == is_read
    moved = [Stretch(3, 1000, 4, "float32"), Stretch(3, 2000, 4)]
    assert pipeline._extents([SimpleNamespace(stretches=lambda loads: [even, moved])]) == [
        (4, [(3, 0, 0), (3, 1000, StoredForm.FLOAT32)]), (4, [(3, 64, 0), (3, 2000, 0)])
    ]  # fmt: skip


def test_what_selects_otherwise_than_masks_has_no_program():
    masks, program = compiled([Call("less", X, number(5))], X)
    for selections in ([Range(0, 3, 1)], [*masks, Range(0, 3, 1)]):
        with pytest.raises(NoInstructionError):
            VectorizedPipeline(selections, ())
    table = Table({"x": np.arange(9)}, 9)
    assert vectors.selection(Partition((table,), (), [], 8), program) is None
    assert vectors.selection(Partition((table,), (), [Range(0, 3, 1)], 8), program) is None
    assert isinstance(vectors.selection(Partition((table,), (), masks, 8), program), VectorizedPipeline)
    wider = Program(program.steps, program.outputs, (FLOAT64,))
    assert vectors.selection(Partition((table,), (), masks, 8), wider) is None


def test_replicated_results_are_constants():
    compare = Program(
        (Load(0, "x", INT64), BroadcastInput(1, "limit"), *compiled([], Call("less", X, Y))[1].steps[2:]), (2,), (BOOL,)
    )
    pipeline = VectorizedPipeline([Mask(compare)], ({}, {"limit": np.int64(40)}))
    _, program = compiled([], X)
    pipeline.reduce(program, ["sum"])
    with Partition((InFiles(COLUMNS),), (), [Mask(compare)], UNIT) as partition:
        assert pipeline.run([partition]) == [sum(range(40))]


def test_addresses_of_rows_in_memory():
    rows = np.arange(4.0)
    assert vectors._address(rows) == (IN_MEMORY, rows.__array_interface__["data"][0], StoredForm.NUMBERS)
    assert vectors._address(rows > 1)[2] == StoredForm.BOOLS
