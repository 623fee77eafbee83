"""The engine of xarray that opens Arkouda's sets, Parquet and what else `akdask.scan` reads: ``engine="akdask"``.

Xarray finds it by the entry point ``xarray.backends`` of this package.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

import xarray

from akdask.errors import ArgumentTypeError, MissingColumnError
from akdask.io.scanning import scan

__all__ = ["AkdaskBackend"]

_FILE_OF_SET = re.compile(r"_LOCALE\d{4,}$")


class AkdaskBackend(xarray.backends.BackendEntrypoint):
    """Opens files as a data set of one dimension: a variable for each column.  See `akdask.scan`."""

    description = "Arkouda's HDF5 and Parquet sets, and other files that akdask reads"

    open_dataset_parameters = ("filename_or_obj", "drop_variables", "options")

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        options: dict[str, Any] | None = None,
    ) -> xarray.Dataset:
        """Open a file, or all files of a set by its prefix or a pattern.

        Parameters
        ----------
        filename_or_obj : str or path
            As `akdask.scan` takes it.
        drop_variables : str or iterable of str, optional
            Columns to leave out.
        options : dict, optional
            Of `akdask.scan`.

        Returns
        -------
        xarray.Dataset
            Of Dask arrays; ``chunks=None`` of `xarray.open_dataset` keeps what has been read.

        Raises
        ------
        ArgumentTypeError
            If an open file is given.
        MissingColumnError
            If there is no column to leave out.
        """
        if not isinstance(filename_or_obj, str | os.PathLike):
            raise ArgumentTypeError(
                f"a {type(filename_or_obj).__name__} is no name of files.",
                hint="give the path, or the prefix of a set.",
            )
        frame = scan(filename_or_obj, **(options or {}))
        left_out = [drop_variables] if isinstance(drop_variables, str) else list(drop_variables or ())
        missing = [name for name in left_out if name not in frame.columns]
        if missing:
            raise MissingColumnError(f"the files have no column {missing[0]!r} to leave out.")
        return frame[[name for name in frame.columns if name not in left_out]].to_xarray()

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Return whether a name is that of a file of one of Arkouda's sets."""
        return isinstance(filename_or_obj, str | os.PathLike) and bool(
            _FILE_OF_SET.search(os.path.splitext(os.fspath(filename_or_obj))[0])
        )
