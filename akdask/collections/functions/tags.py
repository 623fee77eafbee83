"""Which file each row of a set is from."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from akdask.collections.arrays.pdarray import pdarray
from akdask.errors import ArgumentError, InconsistentFilesError
from akdask.plan.expr.sources import Rows
from akdask.plan.expr.values import Call
from akdask.storage.formats.objects import CODES, VALUES, StoredObject, StoredSet

FILE_CODES = "Filename_Codes"
"""Arkouda's name for the numbers of the files among the objects read."""


def file_codes(files: StoredSet, objects: Mapping[str, StoredObject]) -> pdarray:
    """Return of each row the number of its file, as lazy int64; files without rows count too.

    Raises
    ------
    ArgumentError
        If an object is no column.
    InconsistentFilesError
        If the objects have different numbers of rows in a file.
    """
    shares = {name: _shares(name, stored) for name, stored in objects.items()}
    rows = {name: _by_file(share) for name, share in shares.items()}
    first, expected = next(iter(rows.items()))
    differing = [name for name in rows if rows[name] != expected]
    if differing:
        raise InconsistentFilesError(
            "objects of different lengths cannot be tagged with their files together.",
            details=[f"{name!r} has other numbers of rows than {first!r}" for name in differing],
            hint="name the datasets to be read together.",
        )
    number = {path: position for position, path in reversed(list(enumerate(files.paths)))}
    paths, lengths = zip(*shares[first], strict=True)
    starts = tuple(accumulate(lengths, initial=0))[:-1]
    rows_of_set = Rows(lengths)
    codes = Call("of_range", rows_of_set.position, starts=starts, numbers=tuple(number[path] for path in paths))
    return pdarray(rows_of_set, codes)


def _shares(name: str, stored: StoredObject) -> list[tuple[str, int]]:
    """Return file and number of rows of each partition."""
    column = stored.members.get(VALUES) or stored.members.get(CODES)
    if column is None:
        raise ArgumentError(f"{name!r} is no column whose rows could be tagged.", hint="name the datasets to read.")
    return list(zip(column.source.paths, column.source.lengths, strict=True))


def _by_file(shares: list[tuple[str, int]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for path, rows in shares:
        counts[path] = counts.get(path, 0) + rows
    return counts
