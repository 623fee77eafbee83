"""What an array is for, and which of its values that forbids.

Nothing in a blob or its description tells the role: it is an argument of what reads, writes and checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from akdask.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Role:
    """What an array is for.

    Parameters
    ----------
    name : str
        Its name.
    has_nulls : bool, default False
        Whether values may be null or NaN.
    types : tuple of str, optional
        Names of the types that columns may have; any unless given.
    tolerated : mapping of str to str, optional
        Types that are read for others with a warning, and never written.
    """

    name: str
    has_nulls: bool = False
    types: tuple[str, ...] | None = None
    tolerated: Mapping[str, str] | None = None


_ROLES = (
    Role("geometry"),
    Role("attribute", has_nulls=True),
    Role("index", types=("uint64",), tolerated={"int64": "uint64"}),
    Role("category", has_nulls=True, types=("int32", "int64")),
    Role("lookup", types=("int32", "int64", "string")),
    Role("mask", types=("bool",)),
    Role("color", has_nulls=True, types=("uint32",), tolerated={"int32": "uint32"}),
    Role("time", has_nulls=True, types=("timestamp",)),
)

ROLES = {role.name: role for role in _ROLES}
"""All roles by name: the two of the format, and those that say more."""


def role_named(name: Any) -> Role:
    """Return the role of a name.

    Raises
    ------
    ArgumentError
        If there is none.

    Examples
    --------
    >>> role_named("geometry").has_nulls
    False
    """
    found = ROLES.get(name) if isinstance(name, str) else None
    if found is None:
        raise ArgumentError(f"role is one of {', '.join(map(repr, ROLES))}, not {name!r:.100}.")
    return found
