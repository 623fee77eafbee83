"""What the compiled loop over vectors of rows can do: each instruction names its types, as registers have none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto
from typing import TypeAlias

from akdask.kernels.rules import promote
from akdask.kernels.summation import UNIT
from akdask.schema import BOOL, FLOAT64, INT64, UINT64, ColumnType

VECTOR = 2**11
"""Rows that an instruction is run on at a time: two or three vectors of numbers fill the cache next to the core."""

BLOCK = UNIT
"""Rows that are read at a time: what a call of the system costs is little beside copying as many."""

FAILED = -1
"""Answers that a file ends early, or cannot be read."""


class Op(IntEnum):
    """Instructions; ``INTS`` are of either sign where that makes no difference to their bits."""

    READ_BOOLS = 0
    ADD_FLOATS = auto()
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
    SUM_INTS = auto()
    COUNT_BOOLS = auto()
    LEAST_FLOATS = auto()
    LEAST_INTS = auto()
    LEAST_UINTS = auto()
    MOST_FLOATS = auto()
    MOST_INTS = auto()
    MOST_UINTS = auto()


@dataclass(frozen=True, slots=True)
class Choice:
    """The instructions of an operation, by the type that its arguments have in common.

    Parameters
    ----------
    by_type : dict of ColumnType to Op
        What it does on arguments of each type; they are converted to that of the result, or, where `compares`, to the
        one that NumPy compares them in.
    compares : bool
        Whether the result is bool whatever the arguments are.
    swapped : bool
        Whether the instruction takes the arguments the other way round.
    """

    by_type: dict[ColumnType, Op]
    compares: bool = False
    swapped: bool = False

    def operand_type(self, result: ColumnType, args: tuple[ColumnType, ...]) -> ColumnType | None:
        """Return the type that arguments are converted to, None where there is none."""
        if not self.compares:
            return result
        # NumPy compares integers of different signs as what they are, not as floats.
        return None if {INT64, UINT64} <= set(args) else promote(*args)


def _ints(op: Op) -> dict[ColumnType, Op]:
    return {INT64: op, UINT64: op}


def _numbers(floats: Op, ints: Op) -> dict[ColumnType, Op]:
    return {FLOAT64: floats, **_ints(ints)}


_LESS = {FLOAT64: Op.LESS_FLOATS, INT64: Op.LESS_INTS, UINT64: Op.LESS_UINTS}
_LESS_EQUAL = {FLOAT64: Op.LESS_EQUAL_FLOATS, INT64: Op.LESS_EQUAL_INTS, UINT64: Op.LESS_EQUAL_UINTS}
_AND, _OR, _XOR = {BOOL: Op.AND_BOOLS}, {BOOL: Op.OR_BOOLS}, {BOOL: Op.XOR_BOOLS}

CHOICES: dict[str, Choice] = {
    "add": Choice(_numbers(Op.ADD_FLOATS, Op.ADD_INTS)),
    "subtract": Choice(_numbers(Op.SUBTRACT_FLOATS, Op.SUBTRACT_INTS)),
    "multiply": Choice(_numbers(Op.MULTIPLY_FLOATS, Op.MULTIPLY_INTS)),
    "divide": Choice({FLOAT64: Op.DIVIDE_FLOATS}),
    "negative": Choice(_numbers(Op.NEGATE_FLOATS, Op.NEGATE_INTS)),
    "absolute": Choice({FLOAT64: Op.ABSOLUTE_FLOATS, INT64: Op.ABSOLUTE_INTS}),
    "sqrt": Choice({FLOAT64: Op.ROOT_FLOATS}),
    "bitwise_and": Choice({**_ints(Op.AND_INTS), **_AND}),
    "bitwise_or": Choice({**_ints(Op.OR_INTS), **_OR}),
    "bitwise_xor": Choice({**_ints(Op.XOR_INTS), **_XOR}),
    "invert": Choice({**_ints(Op.INVERT_INTS), BOOL: Op.NOT_BOOLS}),
    "less": Choice(_LESS, compares=True),
    "less_equal": Choice(_LESS_EQUAL, compares=True),
    "greater": Choice(_LESS, compares=True, swapped=True),
    "greater_equal": Choice(_LESS_EQUAL, compares=True, swapped=True),
    "equal": Choice(_numbers(Op.EQUAL_FLOATS, Op.EQUAL_INTS), compares=True),
    "not_equal": Choice(
        {**_numbers(Op.NOT_EQUAL_FLOATS, Op.NOT_EQUAL_INTS), BOOL: Op.XOR_BOOLS},
        compares=True,
    ),
    "logical_and": Choice(_AND, compares=True),
    "logical_or": Choice(_OR, compares=True),
    "logical_xor": Choice(_XOR, compares=True),
    "logical_not": Choice({BOOL: Op.NOT_BOOLS}, compares=True),
}
"""Operations by their names in `akdask.kernels.operations`; one that is not here is left to its own kernel."""

CONVERSIONS: dict[tuple[ColumnType, ColumnType], Op] = {
    (INT64, FLOAT64): Op.FLOATS_OF_INTS,
    (UINT64, FLOAT64): Op.FLOATS_OF_UINTS,
    (BOOL, FLOAT64): Op.FLOATS_OF_BOOLS,
    (BOOL, INT64): Op.INTS_OF_BOOLS,
    (BOOL, UINT64): Op.INTS_OF_BOOLS,
}

LEAST = {FLOAT64: Op.LEAST_FLOATS, INT64: Op.LEAST_INTS, UINT64: Op.LEAST_UINTS}
MOST = {FLOAT64: Op.MOST_FLOATS, INT64: Op.MOST_INTS, UINT64: Op.MOST_UINTS}
Instruction: TypeAlias = tuple[Op, int, int, int, int]
"""What to do, the row of the result (of sums and counts, their number), and those of up to three arguments."""
