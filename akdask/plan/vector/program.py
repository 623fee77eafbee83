"""Row-wise chains and the reductions at their end, run by a compiled loop on vectors of some thousand rows.

The general path evaluates large blocks by NumPy, which asks for Python's lock several times for each, and threads wait
for each other.  Here one call reads the rows of a partition, computes on them and reduces them while they are in the
core's cache, as MonetDB/X100 does (Boncz, Zukowski and Nes, CIDR 2005).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from akdask.columns.scratch import scratch
from akdask.kernels.aggregates.registry import REDUCTIONS
from akdask.kernels.aggregates.specification import State
from akdask.kernels.core.opcodes import BLOCK, CHOICES, CONVERSIONS, FAILED, VECTOR, Instruction, Opcode
from akdask.kernels.core.summation import LANES, UNIT, ExactSum
from akdask.schema import BOOL, FLOAT64, INT64, UINT64, ColumnType
from akdask.typing import NumberArray

IS_SUPPORTED = os.name == "posix"
"""Whether the system has the call that reads at a position."""

ITEMSIZE = 8
LINE = 64
"""Bytes that the cache moves at a time: vectors begin where one begins."""

ROW = VECTOR * ITEMSIZE

MOST_COLUMNS = 64
"""Blocks of so many take 16 MiB; with more of them little is gained, as they do not fit in a core's cache."""

DTYPES = {dtype.numpy: dtype for dtype in (INT64, UINT64, FLOAT64, BOOL)}

Place: TypeAlias = tuple[int, int]
"""The descriptor of a file and the position of the first row there, in bytes."""


class NoInstructionError(Exception):
    """Nothing here does what is asked for: the general path has to."""


class Register(NamedTuple):
    """Where a routine keeps a vector of rows, as a row of its memory, and their type."""

    row: int
    dtype: ColumnType


class VectorMemory:
    """Rows of `VECTOR` numbers, taken for whatever type the instructions name, until this thread runs others."""

    def __init__(self, nrows: int) -> None:
        room = scratch(nrows * ROW + LINE)
        self.rows = room[-room.ctypes.data % LINE :][: nrows * ROW].reshape(-1, ROW)
        self.floats, self.ints = self.rows.view(np.float64), self.rows.view(np.int64)

    def vector(self, register: Register) -> NumberArray:
        """Return the vector in a register."""
        dtype = register.dtype.numpy
        vector: NumberArray = self.rows[register.row, : VECTOR * dtype.itemsize].view(dtype)
        return vector


@dataclass(frozen=True, slots=True)
class Results:
    """What a run leaves: how many rows were selected, and what they come to."""

    nrows: int
    sums: NumberArray
    totals: NumberArray
    memory: VectorMemory


Finish: TypeAlias = Callable[[Results], State]


class VectorProgram:
    """Instructions for the rows of a partition: first those that mark rows, then those that reduce the marked ones.

    All methods but `run` add to it, and raise `NoInstructionError` where there is no instruction.
    """

    def __init__(self) -> None:
        if not IS_SUPPORTED:
            raise NoInstructionError
        self._nrows = 0
        self._moving: list[int] = []
        self._constants: dict[Register, Any] = {}
        self._vectors: set[int] = set()
        self._free: list[int] = []
        self._columns: list[tuple[int, int]] = []
        self._code: list[Instruction] = []
        self._finish: list[Finish] = []
        self._nsums = self._ntotals = 0
        self._marks = self.constant(np.True_)
        self._marking: tuple[int, int] | None = None

    # ------------------------------------------------------------------------------------------------ rows and values

    def column(self, dtype: ColumnType) -> Register:
        """Return the register of one more column, which is read."""
        _check(dtype)
        if len(self._columns) == MOST_COLUMNS:
            raise NoInstructionError
        register = self._block(dtype)
        if dtype != BOOL:
            self._columns.append((register.row, ITEMSIZE))
        else:
            # Files hold any byte that is not 0 for true.
            stored = self._take(BLOCK // ROW)
            self._columns.append((stored, 1))
            self._code.append((Opcode.READ_BOOLS, register.row, stored, 0, 0))
        return register

    def constant(self, value: Any) -> Register:
        """Return the register of a NumPy scalar, the same on all rows."""
        if not isinstance(value, np.generic) or value.dtype not in DTYPES:
            raise NoInstructionError
        dtype = DTYPES[value.dtype]
        register = Register(self._take(1), dtype)
        self._constants[register] = value
        return register

    def apply(
        self, operation: str, args: Sequence[Register], result: ColumnType, params: Mapping[str, Any]
    ) -> Register:
        """Return the register of the result of an operation of `akdask.kernels.rowwise.operations`."""
        _check(result)
        if operation == "where":
            return self._chosen(args, result)
        if operation == "isnan" and args[0].dtype == FLOAT64:
            return self._emit(Opcode.NOT_EQUAL_FLOATS, BOOL, args[0], args[0])
        if operation == "cast" and params.get("errors", "strict") == "strict" and args[0].dtype != result:
            return self._converted(args[0], result)
        choice = CHOICES.get(operation)
        dtype = None if choice is None else choice.operand_type(result, tuple(arg.dtype for arg in args))
        op = None if choice is None or dtype is None else choice.by_type.get(dtype)
        if choice is None or dtype is None or op is None:
            raise NoInstructionError
        operands = [self._converted(arg, dtype) for arg in args]
        found = self._emit(op, result, *(reversed(operands) if choice.swapped else operands))
        for operand in operands:
            if operand not in args:
                self.release(operand)
        return found

    def _chosen(self, args: Sequence[Register], result: ColumnType) -> Register:
        condition, *sides = args
        if result == BOOL:
            raise NoInstructionError
        return self._emit(Opcode.WHERE, result, condition, *(self._converted(side, result) for side in sides))

    def release(self, register: Register) -> None:
        """Say that nobody reads a register any more."""
        if register.row in self._vectors:
            self._vectors.remove(register.row)
            self._free.append(register.row)

    # -------------------------------------------------------------------------------------------- what becomes of rows

    def mark(self, masks: Sequence[Register]) -> None:
        """Let only rows count where all of some conditions hold; what is added later does without other rows."""
        marks = self._block(BOOL)
        first, *others = masks
        self._code.append((Opcode.AND_BOOLS, marks.row, first.row, first.row, 0))
        self._code += [(Opcode.AND_BOOLS, marks.row, marks.row, mask.row, 0) for mask in others]
        self._marks = marks
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
            value = self._converted(value, FLOAT64)
        opcode = form.opcodes.get(value.dtype)
        if opcode is None:
            raise NoInstructionError
        accumulated = self._accumulate(opcode, value)
        self._finish.append(lambda results: form.state(results.nrows, accumulated(results)))

    def _accumulate(self, opcode: Opcode, value: Register) -> Finish:
        """Return what finds the sum of floats, the sum of integers, or the extreme that an instruction accumulates."""
        if opcode in EXTREMES:
            start, ufunc = EXTREMES[opcode]
            best = self.constant(value.dtype.numpy.type(start))
            self._code.append((opcode, best.row, value.row, 0, 0))
            return lambda results: ufunc.reduce(results.memory.vector(best))
        if opcode == Opcode.SUM_FLOATS:
            self._nsums += 1
            position = self._nsums - 1
            self._code.append((opcode, position, value.row, 0, 0))
            return lambda results: ExactSum.of(results.sums[position])
        self._ntotals += 1
        wanted = np.uint64 if value.dtype == UINT64 else np.int64
        position = self._ntotals - 1
        self._code.append((opcode, position, value.row, 0, 0))
        return lambda results: results.totals.view(wanted)[position]

    # --------------------------------------------------------------------------------------------------------- running

    def run(self, pieces: Sequence[tuple[int, Sequence[Place]]]) -> list[State] | None:
        """Return the states of all reductions of some rows, None for each where none counts.

        Parameters
        ----------
        pieces : sequence of (int, sequence of (int, int))
            How many rows follow each other, and where each column of them is read from, in the order in which they
            were added.

        Returns
        -------
        list or None
            None if a file could not be read: the general path says why.
        """
        from akdask.plan.vector.loop import run

        memory = VectorMemory(self._nrows)
        for register, value in self._constants.items():
            memory.vector(register)[:] = value
        lengths = np.array([nrows for nrows, _ in pieces if nrows], np.int64)
        if not len(lengths):
            return [None] * len(self._finish)
        places = np.array([columns for nrows, columns in pieces if nrows], np.int64)
        # Every piece of the rows begins a unit.
        nunits = int((-(-lengths // UNIT)).sum())
        sums, totals = np.zeros((self._nsums, nunits)), np.zeros(self._ntotals, np.int64)
        selected = run(
            places.reshape(len(lengths), -1, 2),
            *self._laid_out,
            lengths,
            memory.floats,
            memory.ints,
            memory.rows,
            sums,
            np.zeros((self._nsums, LANES)),
            totals,
        )
        if selected == FAILED:
            return None
        results = Results(int(selected), sums, totals, memory)
        return [finish(results) if selected else None for finish in self._finish]

    @cached_property
    def _laid_out(self) -> tuple[NumberArray, NumberArray, NumberArray, NumberArray, int, bool]:
        """What is the same for all runs."""
        is_filtered = self._marking is not None
        marking = self._marking or (0, 0)
        parts = np.array([[0, marking[0], len(self._columns)], [0, marking[1], len(self._code)]])
        # Numbers of sums are looked up there as well.
        moves = np.zeros(self._nrows + self._nsums + self._ntotals, np.int64)
        moves[self._moving] = 1
        columns, code = np.array(self._columns, np.int64), np.array(self._code, np.int64)
        return columns.reshape(-1, 2), code.reshape(-1, 5), parts, moves, self._marks.row, is_filtered

    def _take(self, nrows: int) -> int:
        """Return the first of some more rows of memory."""
        self._nrows += nrows
        return self._nrows - nrows

    def _block(self, dtype: ColumnType) -> Register:
        """Return the register of what stays until the next block is read: its vectors follow each other."""
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


def _check(dtype: ColumnType) -> None:
    if dtype not in DTYPES.values():
        raise NoInstructionError


EXTREMES: dict[Opcode, tuple[Any, np.ufunc]] = {
    Opcode.LEAST_FLOATS: (np.inf, np.minimum),
    Opcode.LEAST_INTS: (2**63 - 1, np.minimum),
    Opcode.LEAST_UINTS: (2**64 - 1, np.minimum),
    Opcode.MOST_FLOATS: (-np.inf, np.maximum),
    Opcode.MOST_INTS: (-(2**63), np.maximum),
    Opcode.MOST_UINTS: (0, np.maximum),
}
"""What no value is beyond, and what finds the extreme of two, of the instructions that accumulate extremes."""


def warm_up() -> None:
    """Load the loop that runs programs."""
    from akdask.plan.vector import loop

    loop.warm_up()
