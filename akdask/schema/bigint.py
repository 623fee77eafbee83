"""The type of integers of any size as users name it, and single such integers."""

from __future__ import annotations

from typing import Any


class BigintDtype:
    """The dtype of arrays of integers of any size: ``ak.bigint``.

    Calling it makes a single integer.  It equals its name, and itself whatever the number of bits of an array.

    Examples
    --------
    >>> bigint == "bigint", bigint("0x10").item()
    (True, 16)
    """

    name = "bigint"
    kind = "ui"
    is_signed = True
    is_variable_width = True

    @property
    def type(self) -> type[bigint_]:
        """The type of single elements."""
        return bigint_

    def __call__(self, value: Any = 0) -> bigint_:
        """Return a single integer, of a number or of text."""
        return bigint_(value, 0) if isinstance(value, str) else bigint_(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BigintDtype) or (isinstance(other, str) and other == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"dtype({self.name})"

    def __str__(self) -> str:
        return self.name


class bigint_(int):
    """An integer of any size that knows its dtype; for the rest an int."""

    @property
    def dtype(self) -> BigintDtype:
        """``ak.bigint``."""
        return bigint

    def item(self) -> int:
        """Return the plain int."""
        return int(self)


bigint = BigintDtype()
