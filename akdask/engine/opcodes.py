"""Opcodes of the compiled loop over vectors of rows; each names its types, since registers have none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto
from typing import TypeAlias

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT64, ColumnType
from akdask.columns.summation import UNIT
from akdask.engine.operation import promote

VECTOR = 2**11
"""Rows that an instruction runs on at a time; two or three vectors of numbers fill the cache next to the core."""

BLOCK = UNIT
"""Rows that are read at a time; the cost of a system call is small beside copying that many rows."""

FAILED = -1
"""The result for files that end early or cannot be read."""


class StoredForm(IntEnum):
    """Storage formats of the numbers of a column."""

    NUMBERS = 0
    """As they are in memory, in eight bytes."""

    BOOLS = auto()
    """Any bytes; every byte but 0 is true."""

    INT8 = auto()
    INT16 = auto()
    INT32 = auto()
    UINT8 = auto()
    UINT16 = auto()
    UINT32 = auto()
    FLOAT32 = auto()


WIDTHS = (8, 1, 1, 2, 4, 1, 2, 4, 4)
"""Bytes of a number in each `StoredForm`."""


class Opcode(IntEnum):
    """Instructions; ``INTS`` work on either sign, which makes no difference to the bits."""

    ADD_FLOATS = 0
    SUBTRACT_FLOATS = auto()
    MULTIPLY_FLOATS = auto()
    DIVIDE_FLOATS = auto()
    NEGATE_FLOATS = auto()
    ABSOLUTE_FLOATS = auto()
    ROOT_FLOATS = auto()
    LESS_FLOATS = auto()
    LESS_EQUAL_FLOATS = auto()
    EQUAL_FLOATS = auto()
    NOT_EQUAL_FLOATS = auto()
    ADD_INTS = auto()
    SUBTRACT_INTS = auto()
    MULTIPLY_INTS = auto()
    NEGATE_INTS = auto()
    ABSOLUTE_INTS = auto()
    AND_INTS = auto()
    OR_INTS = auto()
    XOR_INTS = auto()
    INVERT_INTS = auto()
    LESS_INTS = auto()
    LESS_EQUAL_INTS = auto()
    LESS_UINTS = auto()
    LESS_EQUAL_UINTS = auto()
    EQUAL_INTS = auto()
    NOT_EQUAL_INTS = auto()
    AND_BOOLS = auto()
    OR_BOOLS = auto()
    XOR_BOOLS = auto()
    NOT_BOOLS = auto()
    WHERE = auto()
    FLOATS_OF_INTS = auto()
    FLOATS_OF_UINTS = auto()
    FLOATS_OF_BOOLS = auto()
    INTS_OF_BOOLS = auto()
    SUM_FLOATS = auto()
    KEEP_FLOATS = auto()
    SUM_INTS = auto()
    SUM_WIDE_INTS = auto()
    SUM_WIDE_UINTS = auto()
    COUNT_BOOLS = auto()
    LEAST_FLOATS = auto()
    LEAST_INTS = auto()
    LEAST_UINTS = auto()
    MOST_FLOATS = auto()
    MOST_INTS = auto()
    MOST_UINTS = auto()
    STORE_NUMBERS = auto()
    STORE_BOOLS = auto()


@dataclass(frozen=True, slots=True)
class OpcodeChoice:
    """The instructions of an operation, by the type that its arguments have in common.

    Parameters
    ----------
    by_type : dict of ColumnType to Opcode
        The instruction for arguments of each type. They are converted to the type of the result, or, if it `compares`,
        to the type in which NumPy compares them.
    compares : bool
        Whether the result is bool for all arguments.
    swapped : bool
        Whether the instruction takes the arguments the other way round.
    """

    by_type: dict[ColumnType, Opcode]
    compares: bool = False
    swapped: bool = False

    def operand_type(self, result: ColumnType, args: tuple[ColumnType, ...]) -> ColumnType | None:
        """Return the type that arguments are converted to, None if there is none."""
        if not self.compares:
            return result
        if args.count(args[0]) == len(args):
            return args[0]
        # Integers of different signs, or beside floats, are compared exactly, which no instruction does.
        common = promote(*args)
        return None if common == FLOAT64 and not {INT64, UINT64}.isdisjoint(args) else common


def _ints(op: Opcode) -> dict[ColumnType, Opcode]:
    return {INT64: op, UINT64: op}


def _numbers(floats: Opcode, ints: Opcode) -> dict[ColumnType, Opcode]:
    return {FLOAT64: floats, **_ints(ints)}


_LESS = {FLOAT64: Opcode.LESS_FLOATS, INT64: Opcode.LESS_INTS, UINT64: Opcode.LESS_UINTS}
_LESS_EQUAL = {FLOAT64: Opcode.LESS_EQUAL_FLOATS, INT64: Opcode.LESS_EQUAL_INTS, UINT64: Opcode.LESS_EQUAL_UINTS}
_AND, _OR, _XOR = {BOOL: Opcode.AND_BOOLS}, {BOOL: Opcode.OR_BOOLS}, {BOOL: Opcode.XOR_BOOLS}

CHOICES: dict[str, OpcodeChoice] = {
    "add": OpcodeChoice(_numbers(Opcode.ADD_FLOATS, Opcode.ADD_INTS)),
    "subtract": OpcodeChoice(_numbers(Opcode.SUBTRACT_FLOATS, Opcode.SUBTRACT_INTS)),
    "multiply": OpcodeChoice(_numbers(Opcode.MULTIPLY_FLOATS, Opcode.MULTIPLY_INTS)),
    "divide": OpcodeChoice({FLOAT64: Opcode.DIVIDE_FLOATS}),
    "negative": OpcodeChoice(_numbers(Opcode.NEGATE_FLOATS, Opcode.NEGATE_INTS)),
    "absolute": OpcodeChoice({FLOAT64: Opcode.ABSOLUTE_FLOATS, INT64: Opcode.ABSOLUTE_INTS}),
    "sqrt": OpcodeChoice({FLOAT64: Opcode.ROOT_FLOATS}),
    "bitwise_and": OpcodeChoice({**_ints(Opcode.AND_INTS), **_AND}),
    "bitwise_or": OpcodeChoice({**_ints(Opcode.OR_INTS), **_OR}),
    "bitwise_xor": OpcodeChoice({**_ints(Opcode.XOR_INTS), **_XOR}),
    "invert": OpcodeChoice({**_ints(Opcode.INVERT_INTS), BOOL: Opcode.NOT_BOOLS}),
    "less": OpcodeChoice(_LESS, compares=True),
    "less_equal": OpcodeChoice(_LESS_EQUAL, compares=True),
    "greater": OpcodeChoice(_LESS, compares=True, swapped=True),
    "greater_equal": OpcodeChoice(_LESS_EQUAL, compares=True, swapped=True),
    "equal": OpcodeChoice(_numbers(Opcode.EQUAL_FLOATS, Opcode.EQUAL_INTS), compares=True),
    "not_equal": OpcodeChoice(
        {**_numbers(Opcode.NOT_EQUAL_FLOATS, Opcode.NOT_EQUAL_INTS), BOOL: Opcode.XOR_BOOLS},
        compares=True,
    ),
    "logical_and": OpcodeChoice(_AND, compares=True),
    "logical_or": OpcodeChoice(_OR, compares=True),
    "logical_xor": OpcodeChoice(_XOR, compares=True),
    "logical_not": OpcodeChoice({BOOL: Opcode.NOT_BOOLS}, compares=True),
}
"""Opcodes of operations by the names in `akdask.engine.operations`; other operations use their NumPy kernels."""

CONVERSIONS: dict[tuple[ColumnType, ColumnType], Opcode] = {
    (INT64, FLOAT64): Opcode.FLOATS_OF_INTS,
    (UINT64, FLOAT64): Opcode.FLOATS_OF_UINTS,
    (BOOL, FLOAT64): Opcode.FLOATS_OF_BOOLS,
    (BOOL, INT64): Opcode.INTS_OF_BOOLS,
    (BOOL, UINT64): Opcode.INTS_OF_BOOLS,
}

LEAST = {FLOAT64: Opcode.LEAST_FLOATS, INT64: Opcode.LEAST_INTS, UINT64: Opcode.LEAST_UINTS}
MOST = {FLOAT64: Opcode.MOST_FLOATS, INT64: Opcode.MOST_INTS, UINT64: Opcode.MOST_UINTS}
Instruction: TypeAlias = tuple[Opcode, int, int, int, int]
"""The opcode, the row of the result (for sums and counts, their number), and the rows of up to three arguments."""
