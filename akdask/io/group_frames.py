"""Groups of datasets, opened as the frames that they stand for.

A group of HDF5 or Zarr that no server wrote has its members as columns.  The conventions of AnnData are known: the
codes and categories of a Categorical, ``_index`` for the labels of rows, sparse matrices by their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import DEFAULT_NA
from akdask.arrays.elementwise import where
from akdask.arrays.segarray import SegArray
from akdask.arrays.stored_arrays import from_stored
from akdask.arrays.strings import Strings
from akdask.errors import AkdaskError
from akdask.frames.dataframe import DataFrame
from akdask.io.scanning import with_common_rows
from akdask.storage.objects import StoredObject, warn_of_left_out

_LABELS = "_index"
"""AnnData's labels of rows."""

_OLD_CATEGORIES = "__categories"
"""AnnData's group of all categories, before version 0.8."""

_SPARSE = {"data", "indices", "indptr"}
"""Members of a sparse matrix: numbers, their columns, and where each row starts."""


def members_of(name: str, names: Iterable[str]) -> list[str]:
    """Return the names of the datasets in a group and below."""
    prefix = name.strip("/") + "/"
    return [one for one in names if one.startswith(prefix)]


def frame_of_group(
    name: str, members: Iterable[str], select: Callable[[list[str]], Mapping[str, StoredObject]], label: str
) -> DataFrame:
    """Return the frame of a group; members that cannot be read are left out, with one warning.

    Parameters
    ----------
    name : str
        The name of the group.
    members : iterable of str
        The names of its datasets.
    select : callable
        Returns stored objects by their names.
    label : str
        How a user names the set.

    Raises
    ------
    AkdaskError
        If no member can be read.
    """
    found: dict[str, Any] = {}
    problems: dict[str, AkdaskError] = {}
    prefix = name.strip("/") + "/"
    for member in members:
        try:
            found[member.removeprefix(prefix)] = from_stored(select([member])[member])
        except AkdaskError as error:
            problems[member] = error
    if not found:
        raise next(iter(problems.values()))
    warn_of_left_out(label, {}, {member: error.message for member, error in problems.items()})
    if set(found) == _SPARSE:
        return DataFrame({part: _rows_of(found[part], found["indptr"]) for part in ("indices", "data")})
    columns = with_common_rows(_with_categories(found))
    labels = columns.pop(_LABELS, None)
    return DataFrame(columns, index=labels)


def _rows_of(values: Any, starts: Any) -> SegArray:
    """Return the values of each row of a sparse matrix, whose starts end with the number of all values."""
    return SegArray(starts[:-1], values)


def _with_categories(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns in which codes and their categories are one Categorical."""
    labelled: dict[str, tuple[str, str]] = {}
    for name in found:
        group, _, last = name.rpartition("/")
        if last == "categories" and f"{group}/codes" in found:
            labelled[group] = (f"{group}/codes", name)
        elif group == _OLD_CATEGORIES and last in found:
            labelled[last] = (last, name)
    labelled = {name: parts for name, parts in labelled.items() if isinstance(found[parts[1]], Strings)}
    named = {codes: name for name, (codes, _) in labelled.items()}
    used = {categories for _, categories in labelled.values()}
    return {
        named.get(name, name): _categorical(one, found[labelled[named[name]][1]]) if name in named else one
        for name, one in found.items()
        if name not in used
    }


def _categorical(codes: Any, categories: Strings) -> Categorical:
    """Return a Categorical of codes, of which -1 stands for a missing element."""
    labels = [*dict.fromkeys([*categories.tolist(), DEFAULT_NA])]
    return Categorical.from_codes(where(codes < 0, labels.index(DEFAULT_NA), codes), labels)
