"""Units in which the memory of columns and labels is told."""

from __future__ import annotations

from akdask.errors import ArgumentError

UNITS = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


def convert_bytes(nbytes: int, unit: str = "B") -> int | float:
    """Return a number of bytes in another unit: ``B``, ``KB``, ``MB`` or ``GB``, of 1024 each.

    Raises
    ------
    ArgumentError
        If there is no such unit.

    Examples
    --------
    >>> convert_bytes(3 * 2**20, "MB")
    3.0
    """
    if unit not in UNITS:
        raise ArgumentError(f"memory is measured in {', '.join(UNITS)}, not {unit!r}.")
    return nbytes if unit == "B" else nbytes / UNITS[unit]
