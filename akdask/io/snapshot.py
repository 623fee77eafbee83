"""A session in files: `snapshot` writes the variables of its caller, `restore` reads them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from types import FrameType
from typing import Any

from akdask.collections.arrays.ndarray import ArrayView
from akdask.collections.core.reading import open_prefix, read_objects
from akdask.collections.core.writing import Storable, StorageMethods, write_objects
from akdask.collections.frame.dataframe import DataFrame
from akdask.errors import FileError
from akdask.storage.paths.files import written_path

SUFFIX = "_SNAPSHOT"


def snapshot(filename: str | os.PathLike[str]) -> None:
    """Write all akdask variables of the caller to HDF5 files, which Arkouda's `restore` reads; computes.

    Arrays, Strings, Categoricals, indexes, groupings and DataFrames are written, each under the name of its variable.
    Names that begin with an underscore are left out: notebooks keep old results under such.

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
    write_objects(objects, f"{os.fspath(filename)}{SUFFIX}", "truncate", "distribute")


def restore(filename: str | os.PathLike[str]) -> dict[str, Any]:
    """Open what `snapshot`, of akdask or of Arkouda, wrote.  Reads metadata only.

    Parameters
    ----------
    filename : str or path
        What `snapshot` was given.

    Returns
    -------
    dict
        The variables by name.

    Raises
    ------
    MissingFileError
        If there is no such snapshot.
    """
    return read_objects(open_prefix(f"{os.fspath(filename)}{SUFFIX}"))


def caller_variables(frame: FrameType | None) -> Mapping[str, Any]:
    """Return the local variables of a stack frame that hold what can be written."""
    variables = {} if frame is None else frame.f_locals
    return {
        name: item
        for name, item in variables.items()
        if isinstance(item, StorageMethods | DataFrame) and not name.startswith("_")
    }


def _storable(item: Any) -> Storable:
    """Return what is stored of a variable; arrays of several dimensions flat, for today's servers to read."""
    return item.flat_storable() if isinstance(item, ArrayView) else item._storable()
