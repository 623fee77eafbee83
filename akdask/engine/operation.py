"""Row-wise operations: a name, a rule for the type of the result, and a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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
    bigint_of,
    column_type,
)
from akdask.errors import ArgumentTypeError

Rule = Callable[..., ColumnType | None]
"""Column types in (and the parameters by name), the type of the result out; None if the types do not fit."""

Kernel = Callable[..., Any]
"""Columns or scalars in, ``out=`` and the parameters by name; a column out, or a scalar if all arguments are
scalars."""

BINDING = frozenset("&|^")
"""Operators that Python binds more strongly than comparisons."""

PARENTHESES = "& | ^ bind more strongly than comparisons: write (a == 1) & (b == 2), with parentheses."


@dataclass(frozen=True, slots=True)
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
    """

    name: str
    arity: int | None
    rule: Rule
    kernel: Kernel
    symbol: str | None = None
    in_place: bool = False
    modular: bool = False

    def result_type(self, *types: ColumnType, **params: Any) -> ColumnType:
        """Return the type of the result for arguments of the given types.

        Raises
        ------
        ArgumentTypeError
            If the operation does not take such types, or so many.
        """
        found = self.rule(*types, **params) if self.arity in (None, len(types)) else None
        if found is None:
            raise ArgumentTypeError(
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


def _hint(operation: Operation, types: Sequence[ColumnType]) -> str:
    if any(dtype.nullable for dtype in types):
        return "some of the text may be missing: put other text in its place, with fillna('')."
    return PARENTHESES if operation.symbol in BINDING else "cast() converts between types."


def promote(*types: ColumnType) -> ColumnType | None:
    """Return the common type of number columns, None if one of them holds strings or lists.

    Text has a common type with text that may have missing rows.

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
    if not all(t.is_number for t in types):
        return None
    return column_type(np.result_type(*[t.numpy for t in types]).name)


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
    if other == UINT8 and 0 <= value < 2**8:
        return UINT8
    return UINT64 if value >= 2**63 or (other == UINT64 and value >= 0) else INT64


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
