"""Row-wise operations: a name, a rule for the type of the result, a kernel, and maybe an opcode of the compiled loop.

`OPERATIONS` finds every operation by name. Opcodes name their types, since the registers of the loop have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum, auto
from typing import Any, TypeAlias

import numpy as np

from akdask.columns.dtypes import (
    BIGINT,
    BOOL,
    FLOAT64,
    INT64,
    NULLABLE_STR,
    STR,
    UINT8,
    UINT64,
    ColumnType,
    Kind,
    bigint_of,
    column_type,
)
from akdask.columns.summation import UNIT
from akdask.deferred import is_arrow, module_named
from akdask.errors import ArgumentTypeError, UnfitArgumentError
from akdask.records import record

Rule = Callable[..., ColumnType | None]
"""Column types in (and the parameters by name), the type of the result out; None if the types do not fit."""

Kernel = Callable[..., Any]
"""Columns or scalars in, ``out=`` and the parameters by name; a column out, or a scalar if all arguments are
scalars."""

BINDING = frozenset("&|^")
"""Operators that Python binds more strongly than comparisons."""

PARENTHESES = "& | ^ bind more strongly than comparisons: write (a == 1) & (b == 2), with parentheses."


@record
class Operation:
    """An operation on columns, row by row.

    Parameters
    ----------
    name : str
        Its key in ``OPERATIONS``; NumPy's name where NumPy has it.
    arity : int or None
        Number of columns or scalars that it takes; None for any.
    rule : callable
        Column types of the arguments to the type of the result, None where the types do not fit.
    kernel : callable
        The computation.
    symbol : str, optional
        The operator that users write for it.
    in_place : bool
        Whether the result may be written over an argument of the same type. True for single ufuncs, not for kernels
        that read their arguments again.
    modular : bool
        Whether the kernel takes ``max_bits`` if arguments are integers of any size.
    of_distinct : bool
        Whether it may be computed of the strings of a dictionary instead of the rows: it raises for no string.
    """

    name: str
    arity: int | None
    rule: Rule
    kernel: Kernel
    symbol: str | None = None
    in_place: bool = False
    modular: bool = False
    of_distinct: bool = False

    def result_type(self, *types: ColumnType, **params: Any) -> ColumnType:
        """Return the type of the result for arguments of the given types.

        Raises
        ------
        ArgumentTypeError
            If the operation does not take such types, or so many.
        """
        found = self.rule(*types, **params) if self.arity in (None, len(types)) else None
        if found is None:
            raise UnfitArgumentError(
                f"{self.symbol or self.name} does not take arguments of type {', '.join(map(str, types)) or 'none'}.",
                details=[f"operation: {self.name}, which takes {'any number' if self.arity is None else self.arity}"],
                hint=_hint(self, types),
            )
        return found

    def evaluate(self, *args: Any, out: Any = None, **params: Any) -> Any:
        """Compute the operation.

        Parameters
        ----------
        *args : NumPy array or scalar, Arrow string array or str
            All of one length, except that scalars stand for every row.
        out : ndarray, optional
            Where to write a result of numbers: contiguous, of exactly the result's dtype and length, and sharing no
            memory with the arguments unless the operation works in place.
        **params
            Further parameters of the operation.

        Returns
        -------
        column or scalar
            Of exactly the result's type; `out` if it was given and the result is numbers.
        """
        # Division by zero, overflow and NaN have defined results here; a warning from a worker would be of no use.
        with np.errstate(all="ignore"):
            return self.kernel(*args, out=out, **params)


NEED_LIMIT = frozenset({"clz", "invert", "rotl", "rotr"})
"""Operations on bits that need to know the highest one."""


def _hint(operation: Operation, types: Sequence[ColumnType]) -> str:
    if NULLABLE_STR in types:
        return "some of the text may be missing: put other text in its place, with fillna('')."
    if operation.name in NEED_LIMIT and any(dtype.kind == "bigint" for dtype in types):
        return "integers of any size need a limit of bits: set max_bits."
    return PARENTHESES if operation.symbol in BINDING else "cast() converts between types."


def promote(*types: ColumnType) -> ColumnType | None:
    """Return the common type of number columns, None if one of them holds strings or lists.

    Text has a common type with text that may have missing rows, and so have integers; floats have NaN for them.

    Arkouda's rule, ``mySafeCast`` in its BinOp.chpl, is NumPy's: int64 with uint64 gives float64.

    Examples
    --------
    >>> promote(INT64, UINT64).name, promote(BOOL, UINT8).name
    ('float64', 'uint8')
    """
    if any(t.kind == "bigint" for t in types) and all(t.kind in {"bigint", "int", "uint", "bool"} for t in types):
        limits = [t.max_bits for t in types if t.kind == "bigint"]
        return bigint_of(-1 if -1 in limits else max(limits))
    if NULLABLE_STR in types and all(t.kind == "str" for t in types):
        return NULLABLE_STR
    if not all(t.is_number or t.is_nullable_number for t in types):
        return None
    found = column_type(np.result_type(*[t.numpy for t in types]).name)
    may_lack = found != FLOAT64 and any(t.nullable for t in types)
    return replace(found, nullable=True) if may_lack else found


def scalar_type(value: Any, other: ColumnType | None = None) -> ColumnType:
    """Return the column type of a plain value beside a column of type `other`.

    A Python int is int64, but uint64 from 2**63 on, and beside a column of uint64 or uint8 it is of that type if it
    fits, so that ``unsigned + 1`` stays unsigned; of more than 64 bits it is a bigint.  NumPy scalars keep their own
    type, widened.

    Raises
    ------
    ArgumentTypeError
        If no column can hold the value.

    Examples
    --------
    >>> scalar_type(1).name, scalar_type(1, UINT64).name, scalar_type(-1, UINT64).name, scalar_type(2**64).name
    ('int64', 'uint64', 'int64', 'bigint')
    """
    match value:
        case np.generic():
            return STR if isinstance(value, np.str_) else column_type(value.dtype.name)
        case bool():
            return BOOL
        case int():
            return _int_type(value, other)
        case float():
            return FLOAT64
        case str():
            return STR
    raise ArgumentTypeError(
        f"a {type(value).__name__} is not a value that a column can hold.",
        details=[f"value: {value!r:.100}"],
        hint="use a number, a bool or a str.",
    )


def _int_type(value: int, other: ColumnType | None) -> ColumnType:
    if not -(2**63) <= value < 2**64:
        return BIGINT
    beside = None if other is None else other.plain
    if beside == UINT8 and 0 <= value < 2**8:
        return UINT8
    return UINT64 if value >= 2**63 or (beside == UINT64 and value >= 0) else INT64


def numbers_to(result: ColumnType) -> Rule:
    """Return the rule that accepts any numbers and has one result type."""
    return lambda *types, **_: result if all(t.is_number for t in types) else None


def wide_integers(*types: ColumnType, **_: Any) -> ColumnType | None:
    """Return the type of the first of 64-bit integers: the rule of operations on bits."""
    return types[0] if all(t in (INT64, UINT64) for t in types) else None


def by_numpy(ufunc: np.ufunc) -> Rule:
    """Return NumPy's type rule for a ufunc, in the types of columns.

    NumPy's 8- and 16-bit results for bool and uint8 become uint8 (Arkouda's result of ``bool ** bool`` and the like)
    and float64.
    """

    def rule(*types: ColumnType, **_: Any) -> ColumnType | None:
        if not all(t.is_number for t in types):
            return None
        try:
            found = ufunc.resolve_dtypes((*[t.numpy for t in types], None))[-1]
        except TypeError:
            return None
        return UINT8 if found == np.int8 else column_type(found.name)

    return rule


_MODULES = {
    "NUMBER_OPERATIONS": "operators.values.elementwise",
    "GENERIC_OPERATIONS": "operators.values.elementwise",
    "CAST_OPERATIONS": "operators.values.cast",
    "NULLABLE_OPERATIONS": "operators.values.missing",
    "BIT_OPERATIONS": "operators.keys.keys",
    "LOOKUP_OPERATIONS": "operators.values.lookup",
    "POSITION_OPERATIONS": "operators.values.random",
    "TIME_OPERATIONS": "operators.values.times",
    "OFFSET_OPERATIONS": "operators.values.times",
    "LIMB_OPERATIONS": "operators.values.bigint",
    "VARIATE_OPERATIONS": "operators.values.random",
    "DIGEST_OPERATIONS": "operators.keys.hashing",
    "STRING_OPERATIONS": "operators.text.strings",
    "MISSING_TEXT_OPERATIONS": "operators.text.strings",
    "CHARACTER_OPERATIONS": "operators.text.characters",
    "PATTERN_OPERATIONS": "operators.text.patterns",
    "CHAIN_OPERATIONS": "operators.text.chains",
    "ENCODING_OPERATIONS": "operators.text.encodings",
    "FIELD_OPERATIONS": "operators.text.matches",
    "MATCH_OPERATIONS": "operators.text.matches",
    "LIST_OPERATIONS": "operators.values.segarray",
    "LIST_REDUCTIONS": "operators.values.segarray",
}
"""Modules of `akdask.operators` by the operations that they have.  Modules of numbers come first; they load no
others."""

_LIST_COMPARISONS = ("equal", "not_equal")
"""Comparisons that `akdask.operators.values.segarray` has for lists as well."""


def _with(operation: Operation, kind: Kind, holds: Callable[[Any], bool], rule: Rule, kernel: Kernel) -> Operation:
    """Return an operation on numbers and strings, extended by another kernel for columns of another kind."""

    def either_rule(*types: ColumnType, **params: Any) -> ColumnType | None:
        chosen = rule if any(dtype.kind == kind for dtype in types) else operation.rule
        return chosen(*types, **params)

    def either_kernel(*args: Any, out: Any = None, **params: Any) -> Any:
        chosen = kernel if any(map(holds, args)) else operation.kernel
        return chosen(*args, out=out, **params)

    return replace(operation, rule=either_rule, kernel=either_kernel, modular=True)


_FORMS = {"BIGINT_OPERATIONS": "operators.values.bigint", "LIST_COMPARISONS": "operators.values.segarray"}
"""Modules of `akdask.operators` by their tables of kernels for columns that are neither numbers nor strings."""


def _table(name: str) -> dict[str, Any]:
    module = _MODULES.get(name) or _FORMS[name]
    found: dict[str, Any] = getattr(module_named(f"akdask.{module}"), name)
    return found


def is_bigint(item: Any) -> bool:
    """Whether an argument of a kernel is a column of integers of any size, or a single one."""
    return isinstance(item, int) or is_arrow(item, "FixedSizeBinaryArray")


def _is_list(item: Any) -> bool:
    """Whether an argument of a kernel is a column of lists."""
    return is_arrow(item, "LargeListArray")


def _of_lists(name: str) -> tuple[Rule, Kernel]:
    """Return a comparison of lists; its module is loaded when lists are first compared."""

    def rule(*types: ColumnType, **params: Any) -> ColumnType | None:
        return _table("LIST_COMPARISONS")[name][0](*types, **params)

    def kernel(*args: Any, out: Any = None, **params: Any) -> Any:
        return _table("LIST_COMPARISONS")[name][1](*args, out=out, **params)

    return rule, kernel


class _Operations(Mapping[str, Operation]):
    """The operations of all families; modules are loaded in their order until one has the operation."""

    def __init__(self) -> None:
        # Threads that look for the same operation at once find equal ones.
        self._found: dict[str, Operation] = {}

    def __getitem__(self, name: str) -> Operation:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._find(name)
        return found

    @staticmethod
    def _find(name: str) -> Operation:
        found = next((table[name] for table in map(_table, _MODULES) if name in table), None)
        if found is None:
            raise KeyError(name)
        bigints = _table("BIGINT_OPERATIONS")
        if name in bigints:
            found = _with(found, "bigint", is_bigint, *bigints[name])
        return _with(found, "list", _is_list, *_of_lists(name)) if name in _LIST_COMPARISONS else found

    def __iter__(self) -> Iterator[str]:
        return (name for table in map(_table, _MODULES) for name in table)

    def __len__(self) -> int:
        return sum(map(len, map(_table, _MODULES)))


OPERATIONS = _Operations()


VECTOR = 2**10
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


@record
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
