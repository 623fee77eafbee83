"""`Fields`: a lazy array of integers whose bits have names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.text.strings import Strings
from akdask.collections.time.bit_vectors import BitVector, ShownForm
from akdask.errors import ArgumentError

MOST = 63
"""Names that bits may have."""


@dataclass(frozen=True, slots=True)
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
        Whether the first name is that of the highest bit.
    pad : str, default "-"
        What shows for each character of a bit that is not set: one character, or none.
    separator : str, default ""
        What stands between names.
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
    >>> import akdask as ak
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
        # Between separators, each name is found with those around it.
        text = strings.stick(self.separator).lstick(self.separator)
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
