"""`BitVector`: a lazy array of integers that show as bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.assignment import assigned
from akdask.collections.core.operators import combine
from akdask.collections.core.scalar import value_of
from akdask.collections.core.wrap import wrap
from akdask.columns import Table
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Value, cast
from akdask.schema import UINT64

BITS = 64

CONSERVING = frozenset({
    *("add", "subtract", "bitwise_or", "bitwise_and", "bitwise_xor", "right_shift", "left_shift"),
    *("where", "invert"),
})  # fmt: skip
"""Operations whose results are bits again."""

IN_PLACE = {
    "+=": operator.iadd, "-=": operator.isub, "|=": operator.ior, "&=": operator.iand, "^=": operator.ixor,
    ">>=": operator.irshift, "<<=": operator.ilshift, "*=": operator.imul, "//=": operator.ifloordiv,
    "%=": operator.imod,
}  # fmt: skip
"""Operators in place, as `BitVector.opeq` names them."""


class ShownForm:
    """How numbers show: what makes text of them."""

    def __call__(self, table: Table) -> np.ndarray[Any, Any]:
        """Return the only column of a table of numbers as they show."""
        return self.show(table.columns[0])

    def show(self, numbers: Any) -> np.ndarray[Any, Any]:
        """Return numbers of uint64 as NumPy strings."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ShownBits(ShownForm):
    """Bits as ``|`` where they are set, and ``.`` elsewhere."""

    width: int
    reverse: bool

    def show(self, numbers: Any) -> np.ndarray[Any, Any]:
        """Return numbers of uint64 as NumPy strings."""
        width = max(self.width, 1)
        if width < BITS and (numbers >> np.uint64(width)).any():
            strings = [f"{number:b}".zfill(width).replace("0", ".").replace("1", "|") for number in numbers.tolist()]
            return np.array([text[::-1] for text in strings] if self.reverse else strings)
        bit_numbers = np.arange(width, dtype=np.uint64)
        bits = (numbers[:, None] >> np.minimum(bit_numbers, np.uint64(BITS - 1))) & (bit_numbers < BITS)
        shown = np.where(bits.astype(np.bool_), "|", ".")
        joined: np.ndarray[Any, Any] = np.ascontiguousarray(shown if self.reverse else shown[:, ::-1]).view(f"U{width}")
        return joined[:, 0]


class BitVector(pdarray):
    """A lazy array of uint64 numbers that show as bits, such as sets of flags.

    Operators compute with the numbers.  Those on bits, sums and differences give a BitVector again.

    Parameters
    ----------
    values : pdarray of int or uint
        The numbers.
    width : int, default 64
        How many bits to show at least.
    reverse : bool, default False
        Show the lowest bit first.

    Raises
    ------
    ArgumentTypeError
        If they are no array of integers.

    Examples
    --------
    >>> import akdask as ak
    >>> bits = ak.BitVector(ak.array([3, 5, 7]), width=4)
    >>> bits
    BitVector([..||,
               .|.|,
               .|||],
              width=4, reverse=False)
    >>> (bits & 4).tolist(), bits[0], (bits == 5).tolist()
    (['....', '.|..', '.|..'], '..||', [False, True, False])
    """

    __array_priority__ = 1500
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    def __init__(self, values: Any, width: int = 64, reverse: bool = False) -> None:
        if not isinstance(values, pdarray) or values._value.dtype.kind not in ("int", "uint"):
            raise ArgumentTypeError(f"bits are those of an array of integers, not of a {type(values).__name__}.")
        self.width = int(width)
        self.reverse = bool(reverse)
        super().__init__(values._frame, cast(values._value, UINT64))

    def _like(self, frame: Frame, value: Value) -> Self:
        return self._of_numbers(pdarray(frame, value))

    def _of_numbers(self, numbers: pdarray) -> Self:
        """Return numbers as bits that show as these do."""
        return type(self)(numbers, self.width, self.reverse)

    @property
    def values(self) -> pdarray:
        """The numbers as uint64; lazy."""
        return pdarray(self._frame, self._value)

    def format(self, x: Any) -> str:
        """Return one number as it shows."""
        return str(self._shown_form.show(np.array([int(value_of(x))], np.uint64))[0])

    @property
    def _shown_form(self) -> ShownForm:
        return ShownBits(self.width, self.reverse)

    def _converter(self) -> Callable[..., Any]:
        return self._shown_form

    def _type_name(self) -> str:
        return type(self).__name__

    def _element(self, position: int) -> str:
        return str(super()._element(position))

    def _operate(self, operation: str, *items: Any, **params: Any) -> Any:
        frame, value = combine(operation, [self._operand(item) for item in items], **params)
        stays = operation in CONSERVING and value.dtype == UINT64
        return self._like(frame, value) if stays else wrap(frame, value)

    def _operand(self, item: Any) -> Any:
        if isinstance(item, BitVector):
            return item.values
        return item.astype("uint64") if isinstance(item, pdarray) and item._value.dtype.kind == "int" else item

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign numbers or bits to rows; see `pdarray.__setitem__`."""
        self._frame, self._value = assigned(self.values, key, self._operand(item))

    def opeq(self, other: Any, op: str) -> None:
        """Compute in place, as the operator that is named does; lazy.

        Parameters
        ----------
        other : int, pdarray of int, or BitVector
            What stands to the right of the operator.
        op : str
            The operator, such as ``+=`` or ``|=``.

        Raises
        ------
        ArgumentError
            If there is no such operator.
        """
        if op not in IN_PLACE:
            raise ArgumentError(f"{op!r} is no operator in place.", hint=f"there are {', '.join(IN_PLACE)}.")
        in_place: Any = IN_PLACE[op]
        in_place(self, other)

    def astype(self, dtype: Any) -> Any:
        """Return the numbers converted to another type; lazy."""
        return self.values.astype(dtype)

    def equals(self, other: Any) -> bool:
        """Whether the other array has the same numbers in the same order; computes."""
        return isinstance(other, BitVector) and self.values.equals(other.values)

    def _printed(self, items: Any) -> list[str]:
        return list(map(str, items))

    @property
    def _footer(self) -> str:
        return f"width={self.width}, reverse={self.reverse}"

    def _describe(self) -> str:
        return Array._describe(self)


def bit_vectorizer(width: int = 64, reverse: bool = False) -> Callable[[Any], BitVector]:
    """Return a function that makes a `BitVector` of an array of integers.

    Parameters
    ----------
    width : int, default 64
        How many bits to show at least.
    reverse : bool, default False
        Show the lowest bit first.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.bit_vectorizer(4)(ak.array([3, 5])).tolist()
    ['..||', '.|.|']
    """
    return partial(BitVector, width=width, reverse=reverse)
