"""Vector programs: row-wise chains and their final reductions, run by a native loop on vectors of some thousand rows.

The general path evaluates large blocks with NumPy. NumPy takes Python's lock several times for each block, so threads
wait for each other. Here one call reads the rows of a partition, and computes and reduces them while they are in the
cache of the core, as MonetDB/X100 does (Boncz, Zukowski and Nes, CIDR 2005). That takes an opcode for every operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT64, ColumnType
from akdask.columns.exact import COMPARISONS, are_floats, comparable_with
from akdask.columns.memory import scratch
from akdask.columns.summation import UNIT, ExactSum, Moments, completed
from akdask.engine.blocks import Block, Partition, PartitionBatch
from akdask.engine.loops import run
from akdask.engine.operations import (
    BLOCK,
    CHOICES,
    CONVERSIONS,
    FAILED,
    VECTOR,
    WIDTHS,
    Instruction,
    Opcode,
    StoredForm,
)
from akdask.engine.reduction import State
from akdask.engine.values import Apply, BroadcastInput, ConstantRows, Load, Mask, Program, Recall, Selection
from akdask.interruption import AT_A_TIME, end_if_interrupted
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.records import record
from akdask.storage.source import IN_MEMORY, Stretch
from akdask.typing import Column, NumberArray

ITEMSIZE = 8
LINE = 64
"""Bytes of a cache line, to which vectors are aligned."""

ROW = VECTOR * ITEMSIZE

MOST_COLUMNS = 64
"""Blocks of this number of columns take 16 MiB; more would not fit in the cache of a core."""

DTYPES = {dtype.numpy: dtype for dtype in (INT64, UINT64, FLOAT64, BOOL)}

Address: TypeAlias = tuple[int, int, int]
"""A file descriptor, the position of the first row there in bytes, and the `StoredForm` of the rows. For rows in
memory: `IN_MEMORY`, the address of the first row, and the form."""

Extent: TypeAlias = tuple[int, Sequence[Address]]
"""The number of consecutive rows, and the place of the first row of each column."""

NOWHERE = np.zeros(0, np.int64)
"""Addresses of stored columns, for a program that stores none."""


class GrowingRows(Protocol):
    """Columns in memory to which rows are appended."""

    nrows: int

    def reserve(self, nrows: int) -> Sequence[NumberArray]:
        """Reserve memory for at least so many more rows, and return its address for each column."""


class NoInstructionError(Exception):
    """An operation, type or reduction has no opcode; the general path applies."""


class Register(NamedTuple):
    """A vector of rows: its row in the memory of the program, and its type."""

    row: int
    dtype: ColumnType


class VectorMemory:
    """Rows of `VECTOR` numbers, which each instruction sees as the type that it needs.

    Valid until this thread runs another program.
    """

    def __init__(self, nrows: int) -> None:
        memory = scratch(nrows * ROW + LINE)
        self.rows = memory[-memory.ctypes.data % LINE :][: nrows * ROW].reshape(-1, ROW)

    def vector(self, register: Register) -> NumberArray:
        """Return the vector in a register."""
        dtype = register.dtype.numpy
        vector: NumberArray = self.rows[register.row, : VECTOR * dtype.itemsize].view(dtype)
        return vector


@record
class Results:
    """The outcome of a run: the number of selected rows, and their sums and totals."""

    nrows: int
    sums: NumberArray
    totals: NumberArray
    memory: VectorMemory


Finish: TypeAlias = Callable[[Results], State]


class VectorProgram:
    """Instructions for the rows of a partition: selections first, then reductions of the selected rows.

    All methods except `run` append instructions, and raise `NoInstructionError` if there is no opcode.
    """

    def __init__(self) -> None:
        # The memory begins with a block of stored rows, which take at most half as many bytes.
        self._nrows = BLOCK // VECTOR // 2
        self._moving: list[int] = []
        self._constants: dict[Register, Any] = {}
        self._vectors: set[int] = set()
        self._free: list[int] = []
        self._columns: list[int] = []
        self._code: list[Instruction] = []
        self._finish: list[Finish] = []
        self._nsums = self._ntotals = 0
        self._moments: list[tuple[int, int]] = []
        self._nstores = 0
        self._mask = self.constant(np.True_)
        self._marking: tuple[int, int] | None = None

    # ------------------------------------------------------------------------------------------------ rows and values

    def column(self, dtype: ColumnType) -> Register:
        """Return the register of another column, which is read from files."""
        _check(dtype)
        if len(self._columns) == MOST_COLUMNS:
            raise NoInstructionError
        register = self._block(dtype)
        self._columns.append(register.row)
        return register

    def constant(self, value: Any) -> Register:
        """Return the register of a NumPy scalar."""
        if not isinstance(value, np.generic) or value.dtype not in DTYPES:
            raise NoInstructionError
        dtype = DTYPES[value.dtype]
        register = Register(self._take(1), dtype)
        self._constants[register] = value
        return register

    def apply(
        self, operation: str, args: Sequence[Register], result: ColumnType, params: Mapping[str, Any]
    ) -> Register:
        """Return the register of the result of an operation of `akdask.engine.operations`."""
        _check(result)
        if operation == "where":
            return self._chosen(args, result)
        if operation == "missing_as_nan" and args[0].dtype.itemsize < 8:
            # Wider integers may equal no float, for which the operation checks.
            return self._chosen((args[1], self.constant(np.float64(np.nan)), args[0]), result)
        if operation == "isnan" and args[0].dtype == FLOAT64:
            return self._emit(Opcode.NOT_EQUAL_FLOATS, BOOL, args[0], args[0])
        if operation == "cast" and params.get("errors", "strict") == "strict" and args[0].dtype != result:
            return self._converted(args[0], result)
        args = self._comparable(operation, args)
        choice = CHOICES.get(operation)
        dtype = None if choice is None else choice.operand_type(result, self._types(args))
        op = None if choice is None or dtype is None else choice.by_type.get(dtype)
        if choice is None or dtype is None or op is None:
            raise NoInstructionError
        operands = [self._converted(arg, dtype) for arg in args]
        found = self._emit(op, result, *(reversed(operands) if choice.swapped else operands))
        for operand in operands:
            if operand not in args:
                self.release(operand)
        return found

    def _types(self, args: Sequence[Register]) -> tuple[ColumnType, ...]:
        """Return the types of arguments; beside floats, integer constants are floats if they equal one."""
        dtypes = tuple([arg.dtype for arg in args])
        if FLOAT64 not in dtypes or dtypes.count(FLOAT64) == len(dtypes):
            return dtypes
        constants = [self._constants.get(arg) for arg in args]
        return tuple(
            arg.dtype if constant is None or not are_floats(constant) else FLOAT64
            for arg, constant in zip(args, constants, strict=True)
        )

    def _comparable(self, operation: str, args: Sequence[Register]) -> Sequence[Register]:
        """Return the operands of a comparison; a float constant beside integers becomes an equivalent integer."""
        if operation not in COMPARISONS or args[0].dtype == args[1].dtype:
            return args
        if {arg.dtype for arg in args} not in ({INT64, FLOAT64}, {UINT64, FLOAT64}):
            return args
        is_first = args[0].dtype == FLOAT64
        floats, integers = args if is_first else reversed(args)
        if floats not in self._constants:
            return args
        comparison = COMPARISONS[operation] if is_first else operation
        number = comparable_with(comparison, float(self._constants[floats]), integers.dtype.kind)
        if number is None:
            return args
        constant = self.constant(integers.dtype.numpy.type(number))
        return (constant, integers) if is_first else (integers, constant)

    def _chosen(self, args: Sequence[Register], result: ColumnType) -> Register:
        condition, *sides = args
        if result == BOOL:
            raise NoInstructionError
        if result == FLOAT64 and not {INT64, UINT64}.isdisjoint(self._types(sides)):
            # No chosen integer may change.
            raise NoInstructionError
        return self._emit(Opcode.WHERE, result, condition, *(self._converted(side, result) for side in sides))

    def release(self, register: Register) -> None:
        """Declare that a register is not read any more."""
        if register.row in self._vectors:
            self._vectors.remove(register.row)
            self._free.append(register.row)

    # -------------------------------------------------------------------------------------------- what becomes of rows

    def select(self, masks: Sequence[Register]) -> None:
        """Select the rows where all conditions hold; instructions added later skip the others."""
        mask = self._block(BOOL)
        first, *others = masks
        self._code.append((Opcode.AND_BOOLS, mask.row, first.row, first.row, 0))
        self._code += [(Opcode.AND_BOOLS, mask.row, mask.row, other.row, 0) for other in others]
        self._mask = mask
        self._marking = len(self._columns), len(self._code)

    def reduce(self, reduction: str, value: Register) -> None:
        """Reduce a value by a reduction that has a compiled form."""
        form = REDUCTIONS[reduction].compiled
        if form is None:
            raise NoInstructionError
        if not form.opcodes:
            self._finish.append(lambda results: form.state(results.nrows, None))
            return
        if form.as_floats:
            # Only moments ask for that: variances are of floats.
            value = self._converted(value, FLOAT64)
        opcode = form.opcodes.get(value.dtype)
        if opcode is None:
            raise NoInstructionError
        accumulated = self._accumulate(opcode, value)
        self._finish.append(lambda results: form.state(results.nrows, accumulated(results)))

    def _accumulate(self, opcode: Opcode, value: Register) -> Finish:
        """Return the accumulator of an opcode: a float sum, an integer sum, or an extreme."""
        if opcode in EXTREMES:
            start, ufunc = EXTREMES[opcode]
            best = self.constant(value.dtype.numpy.type(start))
            self._code.append((opcode, best.row, value.row, 0, 0))
            return lambda results: ufunc.reduce(results.memory.vector(best))
        if opcode == Opcode.SUM_FLOATS:
            position = self._summed(value)
            return lambda results: ExactSum.of(results.sums[position])
        if opcode == Opcode.KEEP_FLOATS:
            if value.row not in self._moving:
                copied = self._block(FLOAT64)
                self._code.append((opcode, copied.row, value.row, 0, 0))
                value = copied
            position = self._summed(value)
            self._moments.append((value.row, position))
            self._nsums += 2
            return lambda results: _moments(*results.sums[position : position + 3])
        if opcode in (Opcode.SUM_WIDE_INTS, Opcode.SUM_WIDE_UINTS):
            place = self._ntotals
            self._ntotals += 2
            self._code.append((opcode, place, value.row, 0, 0))
            return lambda results: completed(*results.totals[place : place + 2].tolist())
        self._ntotals += 1
        wanted = np.uint64 if value.dtype == UINT64 else np.int64
        position = self._ntotals - 1
        self._code.append((opcode, position, value.row, 0, 0))
        return lambda results: results.totals.view(wanted)[position]

    def _summed(self, value: Register) -> int:
        """Add an instruction that sums floats, and return the number of the sum."""
        self._nsums += 1
        self._code.append((Opcode.SUM_FLOATS, self._nsums - 1, value.row, 0, 0))
        return self._nsums - 1

    def store(self, value: Register) -> None:
        """Store the selected rows of a value as the next column of the rows that `run_into` makes."""
        opcode = Opcode.STORE_BOOLS if value.dtype == BOOL else Opcode.STORE_NUMBERS
        self._code.append((opcode, self._nstores, value.row, self._packed, 0))
        self._nstores += 1

    # --------------------------------------------------------------------------------------------------------- running

    def run(self, extents: Sequence[Extent]) -> list[State] | None:
        """Return the states of all reductions, None for each if no row is selected.

        Parameters
        ----------
        extents : sequence of (int, sequence of (int, int))
            Stretches of consecutive rows: their number, and the address of each column, in the order in which columns
            were added.

        Returns
        -------
        list or None
            None if a file could not be read; the general path then reports the reason.
        """
        memory = self._memory()
        sums, totals = [np.zeros((self._nsums, 0))], np.zeros(self._ntotals, np.int64)
        selected = 0
        for part in self._divided(extents):
            end_if_interrupted()
            lengths, addresses = _arrays(part)
            # Every extent begins a unit of summation.
            sums.append(np.zeros((self._nsums, int((-(-lengths // UNIT)).sum()))))
            found = self._run(addresses, lengths, memory, (sums[-1], totals, NOWHERE), self._parts)
            if found == FAILED:
                return None
            selected += found
        if not selected:
            return [None] * len(self._finish)
        results = Results(selected, np.concatenate(sums, axis=1), totals, memory)
        return [finish(results) for finish in self._finish]

    def run_into(self, rows: GrowingRows, extents: Sequence[Extent]) -> bool:
        """Append the selected rows of all stored columns, and return whether all could be read; see `run`."""
        memory, before = self._memory(), rows.nrows
        nothing = np.zeros((0, 0)), np.zeros(0, np.int64)  # computed by the reductions
        for part in self._divided(extents):
            end_if_interrupted()
            lengths, addresses = _arrays(part)
            reserved = rows.reserve(int(lengths.sum()))
            stores = np.array([array.__array_interface__["data"][0] for array in reserved], np.int64)
            found = self._run(addresses, lengths, memory, (*nothing, stores), self._parts)
            if found == FAILED:
                rows.nrows = before
                return False
            rows.nrows += found
        return True

    def _divided(self, extents: Sequence[Extent]) -> Iterator[list[Extent]]:
        """Yield stretches of `AT_A_TIME` rows in whole units, so that threads can be interrupted in between."""
        part: list[Extent] = []
        remaining = AT_A_TIME
        for nrows, addresses in extents:
            first = 0
            while first < nrows:
                rows = min(nrows - first, -(-remaining // UNIT) * UNIT)
                moved = [(file, offset + first * WIDTHS[form], form) for file, offset, form in addresses]
                part.append((rows, moved))
                first, remaining = first + rows, remaining - rows
                if remaining <= 0:
                    yield part
                    part, remaining = [], AT_A_TIME
        if part:
            yield part

    @property
    def nmarking(self) -> int:
        """Number of leading columns that the mask of selected rows needs."""
        return self._marking[0] if self._marking is not None else 0

    def selects_any(self, nrows: int, addresses: Sequence[Address]) -> bool:
        """Whether any rows in memory are selected, given the addresses of the mask's columns."""
        if self._marking is None:
            return nrows > 0
        parts = self._parts.copy()
        parts[:, 2] = parts[:, 1]
        sums, totals = np.zeros((self._nsums, -(-nrows // UNIT))), np.zeros(self._ntotals, np.int64)
        found = sums, totals, NOWHERE
        return self._run(np.array(addresses, np.int64), np.array([nrows]), self._memory(), found, parts) > 0

    def _memory(self) -> VectorMemory:
        memory = VectorMemory(self._nrows)
        for register, value in self._constants.items():
            memory.vector(register)[:] = value
        return memory

    def _run(
        self,
        addresses: NumberArray,
        lengths: NumberArray,
        memory: VectorMemory,
        found: tuple[NumberArray, NumberArray, NumberArray],
        parts: NumberArray,
    ) -> int:
        """Run the instructions of some parts, and return the number of selected rows.

        `found` has the sums and totals, which grow, and the addresses of stored columns.
        """
        columns, code, moves = self._laid_out
        return run(
            addresses.reshape(-1),
            columns[: parts[0, 2]],
            code,
            parts,
            moves,
            self._mask.row,
            self._marking is not None,
            lengths,
            memory.rows,
            found[0],
            found[1],
            np.array(self._moments, np.int64).reshape(-1, 2),
            found[2],
        )

    @cached_property
    def _packed(self) -> int:
        """The row of memory for the selected rows of a vector that are stored."""
        return self._take(1)

    @cached_property
    def _parts(self) -> NumberArray:
        """Bounds of columns and instructions: the part that the mask needs, and the rest."""
        marking = self._marking or (0, 0)
        return np.array([[0, marking[0], len(self._columns)], [0, marking[1], len(self._code)]])

    @cached_property
    def _laid_out(self) -> tuple[NumberArray, NumberArray, NumberArray]:
        """Columns, instructions, and the distance of each row of memory between vectors."""
        # Numbers of sums and stored columns are mapped to themselves there.
        moves = np.zeros(self._nrows + self._nsums + self._ntotals + self._nstores, np.int64)
        moves[self._moving] = 1
        columns, code = np.array(self._columns, np.int64), np.array(self._code, np.int64)
        return columns, code.reshape(-1, 5), moves

    def _take(self, nrows: int) -> int:
        """Reserve rows of memory, and return the first."""
        self._nrows += nrows
        return self._nrows - nrows

    def _block(self, dtype: ColumnType) -> Register:
        """Return a register of a whole block, whose vectors are adjacent in memory."""
        register = Register(self._take(BLOCK // VECTOR), dtype)
        self._moving.append(register.row)
        return register

    def _emit(self, op: Opcode, result: ColumnType, *args: Register) -> Register:
        register = Register(self._free.pop() if self._free else self._take(1), result)
        self._vectors.add(register.row)
        a, b, c = [*(arg.row for arg in args), 0, 0][:3]
        self._code.append((op, register.row, a, b, c))
        return register

    def _converted(self, value: Register, dtype: ColumnType) -> Register:
        if value.dtype == dtype:
            return value
        op = CONVERSIONS.get((value.dtype, dtype))
        if op is None:
            raise NoInstructionError
        if value in self._constants:
            return self.constant(dtype.numpy.type(self._constants[value]))
        return self._emit(op, dtype, value)


def _arrays(extents: Sequence[Extent]) -> tuple[NumberArray, NumberArray]:
    """Return the lengths of extents, and the place of each column's first row in each."""
    return np.array([nrows for nrows, _ in extents]), np.array([columns for _, columns in extents], np.int64)


def _moments(sums: NumberArray, within: NumberArray, counts: NumberArray) -> Moments:
    return Moments.joined(counts.astype(np.int64), sums, within)


def _check(dtype: ColumnType) -> None:
    if dtype.nullable or dtype.numpy not in DTYPES:
        raise NoInstructionError


EXTREMES: dict[Opcode, tuple[Any, np.ufunc]] = {
    Opcode.LEAST_FLOATS: (np.inf, np.minimum),
    Opcode.LEAST_INTS: (2**63 - 1, np.minimum),
    Opcode.LEAST_UINTS: (2**64 - 1, np.minimum),
    Opcode.MOST_FLOATS: (-np.inf, np.maximum),
    Opcode.MOST_INTS: (-(2**63), np.maximum),
    Opcode.MOST_UINTS: (0, np.maximum),
}
"""Identity and ufunc of the opcodes that accumulate extremes."""


_BLOCKS = 2
"""Blocks that are read to memory at a time; programs need no room beside them, and fewer calls are made."""


FORMS = {
    **dict.fromkeys(("int64", "uint64", "float64"), StoredForm.NUMBERS),
    "bool": StoredForm.BOOLS,
    **{form.name.lower(): form for form in StoredForm if form > StoredForm.BOOLS},
}
"""Storage formats of numbers, by the names of their NumPy types."""


def selection(partition: Partition | PartitionBatch, program: Program) -> VectorizedPipeline | None:
    """Return the pipeline that stores the results of a program under masks, None if only blocks work."""
    # Columns without dropped rows are read to their final place.
    if not partition.selections:
        return None
    try:
        found = VectorizedPipeline(partition.selections, partition.replicas)
        found.store(program)
    except NoInstructionError:
        return None
    return found


def compiled_predicate(predicate: Program, replicas: Sequence[Any]) -> CompiledPredicate | None:
    """Return a predicate as a vector program, None if something has no opcode or is handed on to other programs."""
    try:
        return None if predicate.hands_on or predicate.forgets else CompiledPredicate(predicate, replicas)
    except NoInstructionError:
        return None


def blocks_in_turn(partitions: Sequence[Partition]) -> Iterator[Block]:
    """Yield the blocks of open partitions, which pass on their buffers."""
    for before, partition in zip([None, *partitions], partitions, strict=False):
        if before is not None:
            partition.take_over(before)
        yield from partition.blocks()


class VectorizedPipeline:
    """Masks and programs of a pipeline as one vector program, which reduces or stores the results.

    Parameters
    ----------
    selections : sequence of Mask
        The masks that select rows.
    replicas : sequence
        The broadcast inputs of the programs.

    Raises
    ------
    NoInstructionError
        If something has no opcode.
    """

    def __init__(self, selections: Sequence[Selection], replicas: Sequence[Any]) -> None:
        self._program = VectorProgram()
        self._replicas = replicas
        self._columns: dict[Load, Register] = {}
        self._handed_on: dict[int, Register] = {}
        self._predicates = [selection.predicate for selection in selections if isinstance(selection, Mask)]
        if len(self._predicates) < len(selections):
            raise NoInstructionError
        self._masks: list[Register] = []
        for predicate in self._predicates:
            self._masks += self._evaluate(predicate)
        self._handed_on.clear()
        if self._masks:
            self._program.select(self._masks)

    def reduce(self, program: Program, names: Sequence[str]) -> None:
        """Reduce each result of a program by the reduction with the name at the same position."""
        self._compute_again({step.slot for step in program.steps if isinstance(step, Recall)})
        for name, value in zip(names, self._evaluate(program), strict=True):
            self._program.reduce(name, value)

    def store(self, program: Program) -> None:
        """Store the results of a program; rows are appended to the target of `run_into`."""
        self._compute_again({step.slot for step in program.steps if isinstance(step, Recall)})
        for value, dtype in zip(self._evaluate(program), program.dtypes, strict=True):
            if value.dtype != dtype:
                raise NoInstructionError
            self._program.store(value)

    def _compute_again(self, slots: set[int]) -> None:
        """Recompute the results that predicates hand on; their registers are lost once all rows are selected."""
        wanted: list[Program] = []
        for predicate in reversed(self._predicates):
            registers = {register for register, slot in predicate.hands_on if slot in slots - self._handed_on.keys()}
            if registers:
                wanted.append(predicate.only(registers))
                slots |= {step.slot for step in wanted[-1].steps if isinstance(step, Recall)}
        for program in reversed(wanted):
            self._evaluate(program)

    def run(self, partitions: Sequence[Partition]) -> list[State] | None:
        """Return the states of the rows of open partitions, None if their columns cannot be read directly."""
        extents = self._extents(partitions)
        return None if extents is None else self._program.run(extents)

    def run_into(self, rows: GrowingRows, partitions: Sequence[Partition]) -> bool:
        """Append the rows of open partitions, and return whether their columns could be read directly."""
        extents = self._extents(partitions)
        return extents is not None and self.run_at(rows, extents)

    def run_at(self, rows: GrowingRows, extents: Sequence[Extent]) -> bool:
        """Append the rows at some places, and return whether they could be read."""
        return self._program.run_into(rows, extents)

    def _extents(self, partitions: Sequence[Partition]) -> list[Extent] | None:
        """Return the places of the rows of open partitions, None if they must be decoded to memory first."""
        extents: list[Extent] = []
        for partition in partitions:
            columns = partition.stretches(self._columns)
            lengths = {tuple(stretch.nrows for stretch in column) for column in columns or ()}
            if columns is None or len(lengths) != 1:
                return None
            if any(stretch.stored and stretch.stored not in FORMS for column in columns for stretch in column):
                return None
            for stretches in zip(*columns, strict=True):
                addresses = [
                    (stretch.descriptor, stretch.offset, FORMS[stretch.stored or load.dtype.name])
                    for load, stretch in zip(self._columns, stretches, strict=True)
                ]
                extents.append((stretches[0].nrows, addresses))
        return extents

    def run_in_memory(self, partition: Partition) -> Iterator[list[State]]:
        """Yield the states of each block of an open partition, whose columns are read to memory first."""
        loads = list(self._columns)
        nmarking = self._program.nmarking
        is_sparse = True
        for start, stop in partition.extents(_BLOCKS):
            addresses = [_address(partition.read(load, start, stop, None)) for load in loads[:nmarking]]
            # A block with selected rows is mostly followed by another.
            if is_sparse and not self._program.selects_any(stop - start, addresses):
                continue
            addresses += [_address(partition.read(load, start, stop, None)) for load in loads[nmarking:]]
            states = self._program.run([(stop - start, addresses)])
            assert states is not None, "memory can be read"
            is_sparse = all(state is None for state in states)
            if not is_sparse:
                yield states

    @property
    def columns(self) -> Sequence[Load]:
        """The columns that are read, in the order of their addresses."""
        return list(self._columns)

    def _evaluate(self, program: Program) -> list[Register]:
        registers: list[Register] = []
        for step in program.steps:
            match step:
                case Load():
                    if step not in self._columns:
                        self._columns[step] = self._program.column(step.dtype)
                    registers.append(self._columns[step])
                case ConstantRows():
                    registers.append(self._program.constant(step.value))
                case BroadcastInput():
                    registers.append(self._program.constant(self._replicas[step.position][step.field]))
                case Recall():
                    registers.append(self._handed_on[step.slot])
                case Apply():
                    args = [registers[arg] for arg in step.args]
                    registers.append(self._program.apply(step.operation, args, step.dtype, step.params))
                    for arg in step.release:
                        # Results handed on by another program are released when they are forgotten.
                        if isinstance(program.steps[arg], Apply):
                            self._program.release(registers[arg])
        results = [registers[register] for register in program.outputs]
        forgotten = [self._handed_on.pop(slot) for slot in program.forgets]
        for register in forgotten:
            # A forgotten result may be a mask, of an earlier program or of this one.
            if register not in self._masks and register not in results:
                self._program.release(register)
        self._handed_on.update((slot, registers[register]) for register, slot in program.hands_on)
        return results


class CompiledPredicate:
    """A predicate of numbers as a vector program.

    Parameters
    ----------
    predicate : Program
        It hands on no results.
    replicas : sequence
        Its broadcast inputs.

    Raises
    ------
    NoInstructionError
        If something has no opcode.
    """

    def __init__(self, predicate: Program, replicas: Sequence[Any]) -> None:
        self._pipeline = VectorizedPipeline((), replicas)
        self._pipeline.store(predicate)

    @property
    def columns(self) -> Sequence[Load]:
        """The columns that it reads."""
        return self._pipeline.columns

    def evaluate(self, out: NumberArray, columns: Sequence[Stretch]) -> NumberArray:
        """Fill an array of bool with where the predicate holds, given the rows of its columns in memory."""
        addresses = [
            (stretch.descriptor, stretch.offset, FORMS[stretch.stored or load.dtype.name])
            for load, stretch in zip(self.columns, columns, strict=True)
        ]
        is_read = self._pipeline.run_at(_Filled(out), [(len(out), addresses)])
        assert is_read, "memory can be read"
        return out


class _Filled:
    """Rows of one column, all of which have their place."""

    def __init__(self, column: NumberArray) -> None:
        self._column = column
        self.nrows = 0

    def reserve(self, nrows: int) -> Sequence[NumberArray]:
        return [self._column[self.nrows :]]


def _address(column: Column) -> Address:
    """Return the addresses of rows that stay in memory until the next block is read."""
    assert isinstance(column, np.ndarray), "columns of programs have numbers"
    assert column.flags.c_contiguous, "they are read to a buffer"
    address: int = column.__array_interface__["data"][0]
    return IN_MEMORY, address, FORMS[column.dtype.name]
