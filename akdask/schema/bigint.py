"""The type of integers of any size as users name it, and single such integers."""

from __future__ import annotations

from typing import Any, Self


class BigintDtype:
    """The dtype of arrays of integers of any size: ``ak.bigint``.

    Calling it with a value makes a single integer, and without one gives the dtype.  It equals its name, and itself
    whatever the number of bits of an array.

    Examples
    --------
    >>> bigint == "bigint", bigint("0x10"), bigint()
    (True, ak.bigint_(16), dtype(bigint))
    >>> isinstance(bigint, bigint)
    True
    """

    name = "bigint"
    kind = "ui"
    itemsize = 128
    ndim = 0
    shape: tuple[int, ...] = ()
    is_signed = True
    is_variable_width = True

    @property
    def type(self) -> type[bigint_]:
        """The type of single elements."""
        return bigint_

    def __call__(self, *value: Any) -> BigintDtype | bigint_:
        """Return a single integer, of a number or of text, or without one the dtype."""
        return bigint_(*value) if value else self

    def __instancecheck__(self, item: object) -> bool:
        """Whether something is the dtype: Arkouda's is a class."""
        return isinstance(item, BigintDtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BigintDtype) or (isinstance(other, str) and other.lower() == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"dtype({self.name})"

    def __str__(self) -> str:
        return self.name


class bigint_(int):
    """An integer of any size that knows its dtype; for the rest an int.

    Parameters
    ----------
    x : int or str
        The integer; as text in the notation of any base, such as ``"0xff"``.
    """

    def __new__(cls, x: Any = 0) -> Self:
        """Return the integer of a number or of text."""
        return super().__new__(cls, int(x, 0) if isinstance(x, str | bytes) else int(x))

    @property
    def dtype(self) -> BigintDtype:
        """``ak.bigint``."""
        return bigint

    def item(self) -> int:
        """Return the plain int."""
        return int(self)

    def __repr__(self) -> str:
        return f"ak.bigint_({int(self)})"

    def __str__(self) -> str:
        return str(int(self))


bigint = BigintDtype()
