"""`BitVector` and `Fields`: lazy arrays of integers that are shown as bits, or as named flags."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, Self

import numpy as np

from akdask.arrays.array import Array, unlabelled, wrap
from akdask.arrays.elementwise import assigned, combine
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import value_of
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import UINT64
from akdask.columns.table import Table
from akdask.engine.node import Frame
from akdask.engine.values import Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError, errors_end_at_caller
from akdask.records import record

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
    """How numbers are shown as text."""

    def __call__(self, table: Table) -> np.ndarray[Any, Any]:
        """Return the only column of a table of numbers as they show."""
        return self.show(table.columns[0])

    def show(self, numbers: Any) -> np.ndarray[Any, Any]:
        """Return numbers of uint64 as NumPy strings."""
        raise NotImplementedError


@record
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


@errors_end_at_caller
class BitVector(pdarray):
    """A lazy array of uint64 numbers that show as bits, such as sets of flags.

    Operators compute with the numbers.  Bit operators, sums and differences give a BitVector again.

    Parameters
    ----------
    values : pdarray of int or uint
        The numbers.
    width : int, default 64
        The least number of bits to show.
    reverse : bool, default False
        Show the lowest bit first.

    Raises
    ------
    ArgumentTypeError
        If they are no array of integers.

    Examples
    --------
    >>> bits = ak.BitVector(ak.array([3, 5, 7]), width=4)
    >>> bits
    BitVector([..||,
               .|.|,
               .|||],
              width=4, reverse=False)
    >>> (bits & 4).tolist(), bits[0], (bits == 5).tolist()
    (['....', '.|..', '.|..'], '..||', [False, True, False])
    """

    special_objType = "BitVector"

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
        """Return numbers as bits of the same width and order."""
        return type(self)(numbers, self.width, self.reverse)

    @property
    def values(self) -> pdarray:
        """The numbers as uint64; lazy.

        Examples
        --------
        >>> bits = ak.BitVector(ak.array([5, 2]), width=3)
        >>> bits.values.tolist()
        [5, 2]
        """
        return pdarray(self._frame, self._value)

    def format(self, x: Any) -> str:
        """Return one number as it shows.

        Examples
        --------
        >>> bits = ak.BitVector(ak.array([5, 2]), width=3)
        >>> bits.format(5)
        '|.|'
        """
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
        item = unlabelled(item)
        if isinstance(item, BitVector):
            return item.values
        return item.astype("uint64") if isinstance(item, pdarray) and item._value.dtype.kind == "int" else item

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign numbers or bits to rows; see `pdarray.__setitem__`."""
        self._frame, self._value = assigned(self.values, key, self._operand(item))

    def opeq(self, other: Any, op: str) -> Self:
        """Compute in place, as the operator that is named does; lazy.

        Parameters
        ----------
        other : int, pdarray of int, or BitVector
            The right operand.
        op : str
            The operator, such as ``+=`` or ``|=``.

        Returns
        -------
        BitVector
            The array itself.

        Raises
        ------
        ArgumentError
            If the operator is unknown.

        Examples
        --------
        >>> bits = ak.BitVector(ak.array([5, 2]), width=3)
        >>> bits.opeq(1, "|=").tolist()
        ['|.|', '.||']
        """
        if op not in IN_PLACE:
            raise ArgumentError(f"{op!r} is no operator in place.", hint=f"there are {', '.join(IN_PLACE)}.")
        in_place: Any = IN_PLACE[op]
        found: Self = in_place(self, other)
        return found

    def astype(self, dtype: Any) -> Any:
        """Return the numbers converted to another type; lazy.

        Examples
        --------
        >>> bits = ak.BitVector(ak.array([5, 2]), width=3)
        >>> bits.astype(str).tolist()
        ['5', '2']
        """
        return self.values.astype(dtype)

    def equals(self, other: Any) -> bool:
        """Whether the other array has the same numbers in the same order; computes.

        Examples
        --------
        >>> bits = ak.BitVector(ak.array([5, 2]), width=3)
        >>> bits.equals(bits.copy())
        np.True_
        """
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
        The least number of bits to show.
    reverse : bool, default False
        Show the lowest bit first.

    Examples
    --------
    >>> ak.bit_vectorizer(4)(ak.array([3, 5])).tolist()
    ['..||', '.|.|']
    """
    return partial(BitVector, width=width, reverse=reverse)


MOST = 63
"""Names that bits may have."""


@record
class ShownFields(ShownForm):
    """The names of bits where they are set, and padding elsewhere."""

    bits: tuple[tuple[str, int], ...]
    width: int
    pad: str
    separator: str
    show_int: bool

    def show(self, numbers: Any) -> np.ndarray[Any, Any]:
        """Return numbers of uint64 as NumPy strings."""
        parts = []
        for name, shift in self.bits:
            is_set = (numbers >> np.uint64(shift)) & np.uint64(1) != 0
            parts.append(np.where(is_set, name.center(self.width) + self.separator, self.pad + self.separator))
        if self.show_int:
            parts.append(np.char.add(np.char.add(" (", numbers.astype(str)), ")"))
        return reduce(np.char.add, parts)


@errors_end_at_caller
class Fields(BitVector):
    """A lazy array of uint64 numbers whose bits have names, such as flags.

    Beside the array, operators take a number, or text with the names of bits.

    Parameters
    ----------
    values : pdarray of int or uint, or Strings
        The numbers, or for each the names of its bits, between separators.
    names : str or sequence of str
        The names of the bits, one character each if it is one str.
    MSB_left : bool, default True
        Whether the first name belongs to the highest bit.
    pad : str, default "-"
        Character for a bit that is not set: one character, or none.
    separator : str, default ""
        Text between names.
    show_int : bool, default True
        Show the number behind the names.

    Raises
    ------
    ArgumentError
        If names are empty, more than 63, come twice, equal the separator, or are longer than a character without one;
        or `pad` is.
    ArgumentTypeError
        If the values are neither integers nor text.

    Examples
    --------
    >>> flags = ak.Fields(ak.array([1, 6]), names="SAF")
    >>> flags.tolist(), (flags == "F").tolist(), ak.Fields(ak.array(["SF"]), names="SAF").values.tolist()
    (['--F (1)', 'SA- (6)'], [True, False], [5])
    """

    def __init__(  # noqa: PLR0917 - Arkouda's signature
        self,
        values: Any,
        names: str | Sequence[str],
        MSB_left: bool = True,
        pad: str = "-",
        separator: str = "",
        show_int: bool = True,
    ) -> None:
        self.names = tuple(names)
        _check_names(self.names, pad, separator)
        self.namewidth = max(map(len, self.names))
        self.padchar, self.pad = pad, self.namewidth * pad
        self.separator = separator
        self.MSB_left = bool(MSB_left)
        count = len(self.names)
        self.shifts = range(count - 1, -1, -1) if MSB_left else range(count)
        self.show_int = bool(show_int)
        numbers = self._parsed(values) if isinstance(values, Strings) else values
        super().__init__(numbers, width=count, reverse=not MSB_left)

    def _of_numbers(self, numbers: pdarray) -> Self:
        return type(self)(numbers, self.names, self.MSB_left, self.padchar, self.separator, self.show_int)

    def _parsed(self, strings: Strings) -> Any:
        """Return the numbers whose bits are named in text."""
        # Between separators, each name is found together with its separators.
        text: Any = self.separator + strings + self.separator
        found = [text.contains(f"{self.separator}{name}{self.separator}") for name in self.names]
        bits = [bit.astype("uint64") << np.uint64(shift) for bit, shift in zip(found, self.shifts, strict=True)]
        return reduce(lambda one, other: one | other, bits)

    def _number(self, text: str) -> int:
        """Return the number whose bits are named in text."""
        given = text.split(self.separator) if self.separator else text
        return sum(1 << shift for name, shift in zip(self.names, self.shifts, strict=True) if name in given)

    @property
    def _shown_form(self) -> ShownForm:
        bits = tuple(zip(self.names, self.shifts, strict=True))
        return ShownFields(bits, self.namewidth, self.pad, self.separator, self.show_int)

    def _operand(self, item: Any) -> Any:
        return super()._operand(np.uint64(self._number(item)) if isinstance(item, str) else item)


def _check_names(names: tuple[str, ...], pad: str, separator: str) -> None:
    problems = {
        f"there are {len(names)} names, where 1 to {MOST} bits have one": not 0 < len(names) <= MOST,
        "a name comes twice": len(set(names)) < len(names),
        "a name is empty": "" in names,
        "the separator is a name": bool(separator) and separator in names,
        "names of several characters need a separator": not separator and any(len(name) > 1 for name in names),
        "pad is one character or none": len(pad) > 1,
    }
    found = [problem for problem, is_found in problems.items() if is_found]
    if found:
        raise ArgumentError("the names do not tell bits apart.", details=found)
