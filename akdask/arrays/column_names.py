"""Names of columns: checks of the names that a user gives, and errors that suggest similar ones."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError, refuses_foreign

SHOWN = 20
"""Names of columns that an error lists."""


class ColumnNames(list[str]):
    """The names of the columns of a DataFrame: a list with the attributes of Arkouda's index of names.

    Examples
    --------
    >>> names = ColumnNames(["x", "y"])
    >>> names.values, names.size, names == ["x", "y"]
    (['x', 'y'], 2, True)
    """

    def __repr__(self) -> str:
        return f"Index({list(self)!r}, dtype='<U0')"

    @property
    def values(self) -> list[str]:
        """The names as a plain list."""
        return list(self)

    @property
    def size(self) -> int:
        """Number of columns."""
        return len(self)

    def tolist(self) -> list[str]:
        """Return the names as a plain list."""
        return list(self)


@refuses_foreign()
def names_of(keys: Any) -> list[str]:
    """Return one name, or several, as a list.

    Raises
    ------
    ArgumentTypeError
        If others than str are among them.
    """
    if isinstance(keys, str):
        return [keys]
    try:
        names = list(keys)
    except TypeError:
        names = [keys]
    bad = [repr(name) for name in names if not isinstance(name, str)]
    if bad:
        raise ArgumentTypeError("columns are named by str, one or a list of them.", details=bad)
    return names


def check_names(names: Iterable[Any]) -> None:
    """Refuse a key that is no name of a column.

    Raises
    ------
    ArgumentTypeError
        If others than str are among the names.
    ArgumentError
        If a name has half of a surrogate pair, which UTF-8 cannot hold.
    """
    names = list(names)
    bad = [repr(name) for name in names if not isinstance(name, str)]
    if bad:
        raise ArgumentTypeError("columns are named by str.", details=bad)
    halves = [ascii(name) for name in names if not _is_text(name)]
    if halves:
        raise ArgumentError(
            "no column can have that name.", details=halves, hint="names hold no half of a surrogate pair."
        )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def axis_number(axis: Any) -> int:
    """Return 0 for ``"index"`` and 1 for ``"columns"``, as Arkouda and pandas spell axes.

    Raises
    ------
    ArgumentError
        If the axis is unknown.
    """
    numbers = {0: 0, "index": 0, "rows": 0, 1: 1, "column": 1, "columns": 1}
    found = numbers.get(axis) if isinstance(axis, int | str) else None
    if found is None:
        raise ArgumentError(f"axis is 0 for rows or 1 for columns, not {axis!r}.")
    return found


def missing_column(name: Any, known: Iterable[Any]) -> MissingColumnError:
    """Return the error for a column that a DataFrame lacks; it lists the present columns.

    Examples
    --------
    >>> missing_column("prot", ["port", "bytes"]).hint
    "did you mean 'port'?"
    """
    names = [str(one) for one in known]
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")
    return MissingColumnError(
        f"the DataFrame has no column {name!r}.", details=[f"columns: {shown}"], hint=nearby(name, names)
    )


def nearby(name: Any, known: Iterable[str]) -> str | None:
    """Return a hint at the most similar name, None if no name is similar."""
    found = get_close_matches(str(name), list(known), 1)
    return f"did you mean {found[0]!r}?" if found else None
