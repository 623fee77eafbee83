"""Groups of datasets, opened as the frames that they stand for.

A group of HDF5 or Zarr that no server wrote has its members as columns.  The conventions of AnnData are known: the
codes and categories of a Categorical, values with a mask of missing ones, ``_index`` for the labels of rows, sparse
matrices by their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from akdask.arrays.array import wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import DEFAULT_NA
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.segarray import SegArray
from akdask.arrays.stored_arrays import from_stored
from akdask.arrays.strings import Strings
from akdask.engine.alignment import align
from akdask.engine.values import with_missing
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
    columns = with_common_rows(_with_missing(_with_categories(found)))
    labels = columns.pop(_LABELS, None)
    return DataFrame(columns, index=labels)


def _rows_of(values: Any, starts: Any) -> SegArray:
    """Return the values of each row of a sparse matrix, whose starts end with the number of all values."""
    return SegArray(starts[:-1], values)


def _with_missing(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns in which integers or bools and the mask of their missing ones are one column."""
    masked = {group for group in {name.rpartition("/")[0] for name in found} if _is_masked(group, found)}
    made: dict[str, Any] = {}
    for name, one in found.items():
        group, _, last = name.rpartition("/")
        if group not in masked:
            made[name] = one
        elif last == "values":
            mask = found[f"{group}/mask"]
            frame, (values, lacking) = align("a mask", [(one._frame, one._value), (mask._frame, mask._value)])
            made[group] = wrap(frame, with_missing(values, lacking))
    return made


def _is_masked(group: str, found: Mapping[str, Any]) -> bool:
    """Whether a group has integers or bools, the mask of those that are missing, and nothing else."""
    members = {name.removeprefix(f"{group}/"): one for name, one in found.items() if name.startswith(f"{group}/")}
    if not group or set(members) != {"mask", "values"}:
        return False
    kinds = {name: one._value.dtype.kind for name, one in members.items() if type(one) is pdarray}
    is_plain = kinds.get("mask") == "bool" and kinds.get("values") in {"int", "uint", "bool"}
    return is_plain and members["mask"].size == members["values"].size


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
