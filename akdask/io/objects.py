"""Between names and files: the lazy objects of a set, and what is to be written of objects."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from akdask.collections.core.storage_methods import StorageMethods
from akdask.collections.core.stored import from_stored
from akdask.collections.functions.tags import FILE_CODES, file_codes
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError, ArgumentTypeError, ExistsError, FileError
from akdask.storage.formats.objects import StoredSet

if TYPE_CHECKING:
    from akdask.collections.core.writing import Storable
    from akdask.collections.frame_core import base as frames
else:
    frames = DeferredModule("akdask.collections.frame_core.base")

Path = str | os.PathLike[str]


def read_objects(files: StoredSet, datasets: str | Sequence[str] | None, *, tagged: bool = False) -> dict[str, Any]:
    """Return the lazy objects of a set by name, all or those that are named.

    Raises
    ------
    FileError
        If there are none.
    """
    found = files.objects(None if datasets is None else dataset_names(datasets))
    if not found:
        hint = None if datasets is None else "name some of them, or leave datasets out for all."
        raise FileError("no objects to read.", details=[f"objects: {', '.join(files.kinds) or 'none'}"], hint=hint)
    objects = {name: from_stored(stored) for name, stored in found.items()}
    return {**objects, FILE_CODES: file_codes(files, found)} if tagged else objects


def dataset_names(datasets: Any) -> list[str]:
    """Return the names of objects that are asked for.

    Raises
    ------
    ArgumentTypeError
        If they are no text, or no list of such.
    """
    names = [datasets] if isinstance(datasets, str) else datasets
    is_list = isinstance(names, Collection) and getattr(names, "ndim", 1) == 1
    if not is_list or not all(isinstance(name, str) for name in names):
        raise ArgumentTypeError(
            f"datasets are named by a str or a list of them, not by {type(datasets).__name__}.",
            hint="leave datasets out for all.",
        )
    return list(names)


def storables(columns: Any, names: Sequence[str] | None) -> dict[str, Storable]:
    """Return what is to be written, by name."""
    if isinstance(columns, StorageMethods):
        raise ArgumentTypeError(
            "a dict or list of arrays is wanted, not one.", hint="for one array: a.to_hdf(prefix), and so on."
        )
    named = isinstance(columns, Mapping | frames.FrameBase)
    if not named and (isinstance(columns, str) or not isinstance(columns, Sequence)):
        raise ArgumentTypeError(
            f"what is written is a dict or a list of arrays, not a {type(columns).__name__}.",
            hint="pass {'name': array}.",
        )
    given = list(columns.keys()) if named else [str(number) for number in range(len(columns))]
    arrays = [columns[name] for name in given] if named else list(columns)
    if names is not None and len(names) != len(arrays):
        raise ArgumentError(f"{len(arrays)} columns need as many names, got {len(names)}.")
    wanted = given if names is None else list(names)
    for name in wanted:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"objects are named by a str, not by {type(name).__name__}.", hint="pass names.")
    again = sorted({name for name in wanted if wanted.count(name) > 1})
    if again:
        raise ExistsError("two columns cannot have the same name.", details=[repr(name) for name in again])
    return dict(zip(wanted, map(_storable, arrays), strict=True))


def _storable(item: Any) -> Storable:
    if not isinstance(item, StorageMethods | frames.FrameBase):
        raise ArgumentTypeError(
            f"a {type(item).__name__} cannot be written.", hint="make it an array with ak.array(…)."
        )
    return item._storable()
