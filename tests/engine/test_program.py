"""Routines against NumPy: every instruction, alone and one after the other, with and without a mask."""

import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT64, column_type
from akdask.engine import vector_program as vectors
from akdask.engine.loops import run
from akdask.engine.operations import BLOCK, CHOICES, OPERATIONS, VECTOR, Opcode, StoredForm
from akdask.engine.vector_program import FORMS, NoInstructionError, VectorProgram
from akdask.errors import AkdaskError
from akdask.operators.reduce.reductions import ScalarReduction
from akdask.storage.source import IN_MEMORY

SIZES = (1, VECTOR - 1, VECTOR, VECTOR + 1, BLOCK, 2 * BLOCK + VECTOR + 5)
SPECIAL = {
    "float64": [0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 5e-324, 1.7e308],
    "int64": [0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1],
    "uint64": [0, 1, 2**64 - 1, 2**63, 2**53 + 1],
    "bool": [True, False],
}
PARAMS = {"cast": [{"dtype": name} for name in ("float64", "int64", "uint64", "bool")]}
NAMES = [*CHOICES, "where", "isnan", "cast"]


def columns_of(seed, size):
    """Two columns of each type: plain numbers, with special ones among them."""
    generator = np.random.default_rng(seed)
    found = []
    for name, special in SPECIAL.items():
        for _ in range(2):
            column = generator.integers(-5, 6, size).astype(name)
            at = generator.integers(0, size, size // 4 + 1)
            column[at] = generator.choice(np.array(special, name), len(at))
            found.append(column)
    return found


class Rows:
    """Columns in one file, and the registers that a routine reads them into."""

    def __init__(self, folder, columns, forms=None):
        self.columns = columns
        self.forms = forms or {}
        self.nrows = len(columns[0])
        self.path = folder / "rows"
        self.path.write_bytes(b"header" + b"".join(column.tobytes() for column in columns))
        ends = np.cumsum([6, *(column.nbytes for column in columns)])
        self.offsets = ends[:-1].tolist()

    def address(self, descriptor, position):
        return descriptor, self.offsets[position], self.forms.get(position, FORMS[self.columns[position].dtype.name])

    def run(self, program, positions):
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            return program.run([(self.nrows, [self.address(descriptor, position) for position in positions])])
        finally:
            os.close(descriptor)


def read(program, columns):
    return [program.column(column_type(column.dtype.name)) for column in columns]


def extended(data, program, pairs, steps):
    """Apply operations to values and registers alike; those that there are no instructions for are left out."""
    for _ in range(steps):
        name = data.draw(st.sampled_from(NAMES))
        arity = OPERATIONS[name].arity
        chosen = [data.draw(st.sampled_from(pairs)) for _ in range(arity)]
        params = data.draw(st.sampled_from(PARAMS.get(name, [{}])))
        values, registers = zip(*chosen, strict=True)
        try:
            result = OPERATIONS[name].result_type(*(register.dtype for register in registers), **params)
            register = program.apply(name, registers, result, params)
        except (AkdaskError, NoInstructionError):
            continue
        pairs = [*pairs, (OPERATIONS[name].evaluate(*values, **params), register)]
    return pairs


NUMPY = {
    "sum": np.sum,
    "mean": lambda rows: np.mean(rows, dtype=np.float64),
    "count": len,
    "count_nonzero": np.count_nonzero,
    "min": np.min,
    "max": np.max,
    "any": np.any,
    "all": np.all,
}


def reduced(program, pairs, mask):
    """Reduce all values by all reductions that there are for them; return what NumPy finds."""
    expected = []
    for values, register in pairs:
        for name, numpy_finds in NUMPY.items():
            try:
                program.reduce(name, register)
            except NoInstructionError:
                continue
            rows = values if mask is None else values[mask]
            with np.errstate(all="ignore"):
                expected.append((name, numpy_finds(rows) if len(rows) else None))
    return expected


def check(found, expected):
    assert len(found) == len(expected)
    for state, (name, wanted) in zip(found, expected, strict=True):
        if wanted is None:
            assert state is None, name
            continue
        value = ScalarReduction(name, FLOAT64).finalize(state)
        both_nan = math.isnan(value) and math.isnan(wanted)
        assert value == wanted or both_nan or math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-6), name
        if name == "sum":
            assert np.asarray(value).dtype == np.asarray(wanted).dtype


@settings(max_examples=settings().max_examples * 2)
@given(data=st.data(), seed=st.integers(0, 2**32), size=st.sampled_from(SIZES), is_filtered=st.booleans())
def test_routines_find_what_numpy_finds(tmp_path_factory, data, seed, size, is_filtered):
    rows = Rows(tmp_path_factory.mktemp("rows"), columns_of(seed, size))
    program = VectorProgram()
    registers = read(program, rows.columns)
    constants = [np.float64(2.5), np.int64(-3), np.uint64(7), np.True_]
    pairs = [*zip(rows.columns, registers, strict=True), *((one, program.constant(one)) for one in constants)]
    mask = None
    if is_filtered:
        masks = [pair for pair in extended(data, program, pairs, 4) if pair[1].dtype == BOOL and np.ndim(pair[0])]
        chosen = [data.draw(st.sampled_from(masks)) for _ in range(data.draw(st.integers(1, 2)))]
        program.select([register for _, register in chosen])
        mask = np.logical_and.reduce([np.broadcast_to(values, size) for values, _ in chosen])
    values = [pair for pair in extended(data, program, pairs, 6) if np.ndim(pair[0])]
    # Sums of numbers that cancel each other out depend on the order; that NaN come of them is checked all the same.
    calm = [(item, register) for item, register in values if item.dtype != np.float64 or _is_calm(item)]
    expected = reduced(program, calm, mask)
    check(rows.run(program, range(len(registers))), expected)


def _is_calm(values):
    return np.all(np.abs(values[np.isfinite(values)]) < 1e15)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_every_operation_is_that_of_numpy(tmp_path, name, size):
    """What NumPy finds is read as one more column, and rows that differ from it are counted."""
    columns = columns_of(7, size)
    checked = 0
    for left in range(0, len(columns), 2):
        for right in range(1, len(columns), 2):
            for params in PARAMS.get(name, [{}]):
                args = [columns[6], columns[left], columns[right]][-OPERATIONS[name].arity :]
                if name == "where":
                    args = [columns[6], columns[left], columns[right]]
                checked += _is_checked(tmp_path, name, args, params)
    assert checked


def _is_checked(folder, name, args, params):
    types = [column_type(arg.dtype.name) for arg in args]
    try:
        result = OPERATIONS[name].result_type(*types, **params)
        wanted = OPERATIONS[name].evaluate(*args, **params)
        program = VectorProgram()
        rows = Rows(folder, [*args, wanted])
        registers = read(program, rows.columns)
        found = program.apply(name, registers[:-1], result, params)
    except (AkdaskError, NoInstructionError):
        return False
    differs = program.apply("not_equal", [found, registers[-1]], BOOL, {})
    if result == FLOAT64:
        known = [program.apply("equal", [item, item], BOOL, {}) for item in (found, registers[-1])]
        differs = program.apply("logical_and", [differs, program.apply("logical_or", known, BOOL, {})], BOOL, {})
    program.reduce("sum", differs)
    assert rows.run(program, range(len(registers))) == [0], (types, params)
    return True


def test_bytes_that_are_neither_0_nor_1_are_true(tmp_path):
    rows = Rows(tmp_path, [np.array([0, 1, 2, 255, 128, 0], np.uint8)], {0: StoredForm.BOOLS})
    program = VectorProgram()
    marks = program.column(BOOL)
    program.reduce("sum", marks)
    assert rows.run(program, [0]) == [4]


class Memory:
    """Columns in memory to which rows are appended."""

    def __init__(self, dtypes, nrows):
        self.nrows = 0
        self.columns = [np.zeros(nrows, dtype) for dtype in dtypes]

    def reserve(self, nrows):
        assert all(self.nrows + nrows <= len(column) for column in self.columns)
        return [column[self.nrows :] for column in self.columns]


NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float32")


@given(data=st.data(), seed=st.integers(0, 2**32), size=st.sampled_from(SIZES), is_filtered=st.booleans())
def test_rows_that_are_stored_are_those_that_numpy_selects(tmp_path_factory, data, seed, size, is_filtered):
    columns = columns_of(seed, size)
    generator = np.random.default_rng(seed)
    numbers = generator.integers(0, 2**62, (len(NARROW), size)).view(np.uint8)
    columns += [row.view(name)[:size].copy() for row, name in zip(numbers, NARROW, strict=True)]
    columns.append(generator.random(size) < data.draw(st.sampled_from([0.0, 0.01, 0.5, 1.0])))
    rows = Rows(tmp_path_factory.mktemp("rows"), columns)
    program = VectorProgram()
    with np.errstate(invalid="ignore"):  # signalling NaN
        wide = [column.astype({"i": "i8", "u": "u8", "f": "f8", "b": "?"}[column.dtype.kind]) for column in columns]
    registers = read(program, wide)
    if is_filtered:
        program.select([registers[-1]])
    for register in registers:
        program.store(register)
    descriptor = os.open(rows.path, os.O_RDONLY)
    try:
        extent = size, [rows.address(descriptor, position) for position in range(len(columns))]
        found = Memory([column.dtype for column in wide], 2 * size)
        assert program.run_into(found, [extent, extent])
    finally:
        os.close(descriptor)
    selected = [np.tile(column[columns[-1]] if is_filtered else column, 2) for column in wide]
    assert found.nrows == len(selected[0])
    for ours, numpys in zip(found.columns, selected, strict=True):
        assert ours[: found.nrows].tobytes() == numpys.tobytes()


def test_columns_that_only_marked_rows_need_are_not_read_without_any(tmp_path):
    rows = Rows(tmp_path, [np.arange(3)])
    program = VectorProgram()
    column = program.column(INT64)
    program.select([program.apply("less", [column, program.constant(np.int64(0))], BOOL, {})])
    program.reduce("sum", program.column(FLOAT64))
    # The file ends before the second column.
    assert rows.run(program, [0, 0]) == [None]


def test_a_file_that_ends_early_is_no_result(tmp_path):
    rows = Rows(tmp_path, [np.arange(BLOCK + 1)])
    program = VectorProgram()
    program.reduce("sum", program.column(INT64))
    rows.nrows += 1
    assert rows.run(program, [0]) is None


def test_no_rows_have_no_states(tmp_path):
    rows = Rows(tmp_path, [np.empty(0, np.uint64)])
    program = VectorProgram()
    program.reduce("max", program.column(UINT64))
    assert rows.run(program, [0]) == [None]


def test_registers_that_nobody_reads_are_used_again():
    program = VectorProgram()
    value = program.column(FLOAT64)
    for _ in range(100):
        following = program.apply("sqrt", [value], FLOAT64, {})
        program.release(value)
        value = following
    assert program._nrows <= 2 * (BLOCK // VECTOR)


def test_memory_does_not_grow_with_the_columns_without_end():
    program = VectorProgram()
    for _ in range(vectors.MOST_COLUMNS):
        program.column(INT64)
    with pytest.raises(NoInstructionError):
        program.column(INT64)


@pytest.mark.parametrize(
    ("name", "types", "result", "params"),
    [
        ("equal", (INT64, UINT64), BOOL, {}),
        ("sin", (FLOAT64,), FLOAT64, {}),
        ("add", (BOOL, BOOL), BOOL, {}),
        ("cast", (FLOAT64,), INT64, {"dtype": "int64"}),
        ("where", (BOOL, BOOL, BOOL), BOOL, {}),
    ],
)
def test_what_there_is_no_instruction_for_is_refused(name, types, result, params):
    program = VectorProgram()
    registers = [program.column(dtype) for dtype in types]
    with pytest.raises(NoInstructionError):
        program.apply(name, registers, result, params)


@settings(max_examples=settings().max_examples // 2)
@given(
    seed=st.integers(0, 2**32),
    size=st.sampled_from(SIZES),
    share=st.sampled_from([None, 0.0, 0.001, 0.5, 1.0]),
    at_a_time=st.sampled_from([1, BLOCK, 2**22]),
)
def test_variances_have_the_bits_of_the_general_path_however_rows_are_divided(
    tmp_path_factory, seed, size, share, at_a_time
):
    generator = np.random.default_rng(seed)
    plain = generator.normal(5, 1, size) * 10.0 ** generator.integers(-3, 4, size)
    rows = Rows(tmp_path_factory.mktemp("rows"), [*columns_of(seed, size), plain])
    program = VectorProgram()
    registers = read(program, rows.columns)
    chosen = generator.random(size) < (1.0 if share is None else share)
    values = dict(zip(registers, rows.columns, strict=True))
    if share is not None:
        flags = next(register for register in registers if register.dtype == BOOL)
        rows = Rows(tmp_path_factory.mktemp("rows"), [chosen if one is values[flags] else one for one in rows.columns])
        values = dict(zip(registers, rows.columns, strict=True))
        program.select([flags])
    values[program.apply("multiply", [registers[-1], registers[-1]], FLOAT64, {})] = plain * plain
    for register in values:
        program.reduce("var", register)
        program.reduce("min", registers[-1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "AT_A_TIME", at_a_time)
        found = rows.run(program, range(len(registers)))
    mask = None if share is None else chosen
    if not chosen.any():
        assert found == [None] * len(found)
        return
    for state, column in zip(found[::2], values.values(), strict=True):
        with np.errstate(all="ignore"):
            expected = ScalarReduction("var", FLOAT64).partial(np.asarray(column), mask)
        assert repr(state) == repr(expected)
    variance = ScalarReduction("var", FLOAT64).finalize(found[-4])
    assert math.isclose(variance, np.var(plain[chosen]), rel_tol=1e-9, abs_tol=1e-12)
    assert found[-1] == (plain[chosen].min(),)


def test_reductions_of_other_kinds_are_refused():
    program = VectorProgram()
    with pytest.raises(NoInstructionError):
        program.reduce("prod", program.column(FLOAT64))
    with pytest.raises(NoInstructionError):
        program.constant("text")


def arguments_of_the_loop():
    """Arguments of a sum of filtered floats in memory, with a variance and stored rows beside it."""
    rows = np.arange(100.0)
    program = VectorProgram()
    column = program.column(FLOAT64)
    program.select([program.apply("less", [column, program.constant(np.float64(50))], BOOL, {})])
    for name in ("sum", "var", "max"):
        program.reduce(name, column)
    program.store(column)
    columns, code, moves = program._laid_out
    stored = np.zeros(100)
    return {
        "addresses": np.array([IN_MEMORY, rows.__array_interface__["data"][0], StoredForm.NUMBERS]),
        "columns": columns,
        "code": code,
        "parts": program._parts,
        "moves": moves,
        "mask": program._mask.row,
        "is_filtered": True,
        "lengths": np.array([100]),
        "memory": program._memory().rows,
        "sums": np.zeros((program._nsums, 1)),
        "totals": np.zeros(program._ntotals, np.int64),
        "moments": np.array(program._moments),
        "stores": np.array([stored.__array_interface__["data"][0]]),
    }, (rows, stored)


OUTSIDE = {
    "an opcode": ("code", (0, 0), len(Opcode)),
    "a result": ("code", (0, 1), 10**6),
    "the number of a sum": ("code", (2, 1), 10**4),
    "an argument": ("code", (0, 2), 10**6),
    "an argument below 0": ("code", (0, 3), -1),
    "a column": ("columns", 0, 10**6),
    "a part": ("parts", (1, 2), 10**3),
    "parts that go backwards": ("parts", (0, 1), -1),
    "a step to the next vector": ("moves", BLOCK // VECTOR // 2 + 1, 10**6),
    "no rows": ("lengths", 0, 0),
    "rows of more units": ("lengths", 0, 10**6),
    "a form": ("addresses", 2, len(StoredForm)),
    "the place of a variance": ("moments", (0, 0), 10**6),
    "the sum of a variance": ("moments", (0, 1), 3),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_the_loop_refuses_what_is_outside_of_its_memory(name):
    argument, at, number = OUTSIDE[name]
    arguments, _ = arguments_of_the_loop()
    arguments[argument] = arguments[argument].copy()
    arguments[argument][at] = number
    with pytest.raises(ValueError, match=r"outside|parts|instruction|extent|sums|form"):
        run(*arguments.values())


def test_the_loop_finds_sums_and_variances_and_stores_rows():
    arguments, (rows, stored) = arguments_of_the_loop()
    assert run(*arguments.values()) == 50
    assert arguments["sums"][:, 0].tolist()[0] == rows[:50].sum()
    assert stored.tolist() == [*range(50), *[0] * 50]


def test_the_loop_refuses_a_mask_outside_of_its_memory():
    arguments, _ = arguments_of_the_loop()
    with pytest.raises(ValueError, match="mask"):
        run(*(arguments | {"mask": 10**6}).values())
