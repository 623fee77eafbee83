"""A session in files: `snapshot` writes the variables of its caller, `restore` reads them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any
from urllib.parse import quote, unquote

from akdask.arrays.groupby import GroupBy
from akdask.arrays.ndarray import ArrayView
from akdask.arrays.stored_arrays import open_prefix, read_objects
from akdask.arrays.strings import Strings
from akdask.arrays.writable import Writable
from akdask.arrays.writing import Storable, stored_column, write_objects
from akdask.engine.missing import is_missing_text
from akdask.errors import FileError
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.storage.files import path_text, written_path
from akdask.storage.objects import KEY, LEVEL, ROW_LABELS, VALUES, ObjType

SUFFIX = "_SNAPSHOT"

MISSING = "_missing_"
"""Prefix of the variables that hold which text of others is missing; no variable of the caller starts with it."""


def snapshot(filename: str | os.PathLike[str]) -> None:
    """Write all akdask variables of the caller to HDF5 files, which Arkouda's `restore` reads; computes.

    Arrays, Strings, Categoricals, indexes, groupings and DataFrames are written, each under the name of its variable.
    Names that begin with an underscore are left out: notebooks keep old results under such.  Which text is missing is
    written beside Strings, labels, keys of groupings and the columns of DataFrames, as a variable whose name begins so.

    Parameters
    ----------
    filename : str or path
        The files are named so, with ``_SNAPSHOT`` behind.

    Raises
    ------
    ArgumentError
        If the name is that of a folder or a device.
    FileError
        If there are no such variables.
    """
    frame = inspect.currentframe()
    variables = caller_variables(None if frame is None else frame.f_back)
    if not variables:
        raise FileError("there is nothing to write: no variable holds a lazy object.")
    written_path(filename)
    objects = {name: _storable(item) for name, item in variables.items()}
    validity = dict(pair for name, item in objects.items() for pair in _validity(name, item))
    write_objects({**objects, **validity}, f"{os.fspath(filename)}{SUFFIX}", "truncate", "distribute", na_rep="")


def restore(filename: str | os.PathLike[str]) -> dict[str, Any]:
    """Open a `snapshot` of akdask or Arkouda.  Reads metadata only.

    Parameters
    ----------
    filename : str or path
        The file name given to `snapshot`.

    Returns
    -------
    dict
        The variables by name.

    Raises
    ------
    MissingFileError
        If there is no such snapshot.
    """
    found = read_objects(open_prefix(f"{path_text(filename)}{SUFFIX}"))
    for name in [name for name in found if name.startswith(MISSING)]:
        _lose(found, unquote(name.removeprefix(MISSING)), found.pop(name))
    return found


def _validity(name: str, item: Storable) -> Iterator[tuple[str, Storable]]:
    """Yield which text of a variable, or of its parts, is missing, under a name derived from the variable's."""
    for path, stored in item.named(name):
        value = stored.members.get(VALUES)
        if stored.kind is ObjType.STRINGS and value is not None and value.dtype.nullable:
            yield f"{MISSING}{quote(path, safe='')}", stored_column(stored.frame, is_missing_text(value))


def _without(strings: Any, missing: Any) -> Any:
    """Return strings with missing text in the given rows."""
    return strings._operate("make_missing", strings, missing)


def _lose(variables: dict[str, Any], path: str, missing: Any) -> None:
    """Mark text of a variable, or of its parts, as missing again."""
    name, _, member = path.partition("/")
    known = variables.get(name)
    if isinstance(known, DataFrame):
        if member in known.columns:
            known[member] = _without(known[member], missing)
        elif member.startswith(ROW_LABELS):
            known.index = _relabelled(known.index, member.removeprefix(ROW_LABELS).lstrip("/"), missing)
    elif isinstance(known, Strings):
        variables[name] = _without(known, missing)
    elif isinstance(known, Index):
        variables[name] = _relabelled(known, member, missing)
    elif isinstance(known, GroupBy):
        variables[name] = _with_key(known, int(member.removeprefix(KEY)), missing)


def _relabelled(index: Index, member: str, missing: Any) -> Index:
    """Return row labels with missing text in the level of a member."""
    if not isinstance(index, MultiIndex):
        return Index(_without(index.values, missing), name=index.name)
    levels = list(index.levels)
    number = int(member.removeprefix(LEVEL))
    levels[number] = _without(levels[number], missing)
    return MultiIndex(levels, names=index.names)


def _with_key(groups: GroupBy, number: int, missing: Any) -> GroupBy:
    """Return the same groups, with missing values in one of the keys."""
    keys = list(groups._arrays)
    keys[number] = _without(keys[number], missing)
    return GroupBy.build_from_components(
        orig_keys=keys if len(keys) > 1 else keys[0],
        permutation=groups.permutation,
        segments=groups.segments,
        unique_key_idx=groups.unique_key_idx,
        dropna=groups.dropna,
    )


def caller_variables(frame: FrameType | None) -> Mapping[str, Any]:
    """Return the local variables of a stack frame that can be written."""
    variables = {} if frame is None else frame.f_locals
    return {
        name: item
        for name, item in variables.items()
        if isinstance(item, Writable | DataFrame) and not name.startswith("_")
    }


def _storable(item: Any) -> Storable:
    """Return the stored form of a variable; multidimensional arrays are flat, so that today's servers read them."""
    return item.flat_storable() if isinstance(item, ArrayView) else item._storable()
