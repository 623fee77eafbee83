"""HDF5 files that pandas wrote, which hold its own layout and not Arkouda's: from those, and to those."""

from __future__ import annotations

import os
from importlib.util import find_spec
from uuid import uuid4

import pandas as pd

from akdask.collections.core.writing import Path
from akdask.collections.frame.dataframe import DataFrame
from akdask.errors import FileError, SchemaError, UnsupportedError, WriteError
from akdask.storage.atomic.commit import write_error
from akdask.storage.formats.registry import format_of_files
from akdask.storage.paths.files import absolute, is_remote, written_path


def import_data(
    read_path: Path, write_file: Path | None = None, return_obj: bool = True, index: bool = False
) -> DataFrame | None:
    """Bring a file that pandas wrote into memory, and write it as a set that Arkouda reads.

    The file is read as data, without pandas' reader: nothing in it is unpickled, for a pickle can run any program.  So
    columns that pandas pickled are refused by name: those of Python objects, and of text in pandas' fixed format, which
    ``to_hdf(…, format="table")`` stores as data.  Times come in UTC.

    Parameters
    ----------
    read_path : str or path
        An HDF5 file of ``pandas.DataFrame.to_hdf`` with one DataFrame, or one Series.
    write_file : str or path, optional
        Prefix of the set, as `DataFrame.to_hdf` takes it; none is written unless given.
    return_obj : bool
        Whether to return the DataFrame.
    index : bool
        Write the labels of the rows as well.

    Returns
    -------
    DataFrame or None

    Raises
    ------
    MissingFileError
        If there is no such file.
    FileError
        If the path is a pattern.
    FileFormatError
        If pandas did not write the file, it holds several objects, or it is damaged.
    UnsupportedError
        If it is of another format, or columns are pickled.
    """
    path = absolute(read_path)
    if "*" in path and not os.path.exists(path):
        raise FileError(f"import_data takes one HDF5 file, not the pattern {path!r}.", hint="import them one by one.")
    found = format_of_files(path)
    if found.name != "HDF5":
        raise UnsupportedError(f"{path!r} is a {found.name} file, none of HDF5 that pandas wrote.")
    # h5py is loaded when it is needed, and not with akdask.
    from akdask.hdf5.pandas_file import read_frame

    frame = DataFrame.from_pandas(read_frame(path))
    if write_file is not None:
        frame.to_hdf(write_file, index=index)
    return frame if return_obj else None


def export(
    read_path: Path,
    dataset_name: str = "ak_data",
    write_file: Path | None = None,
    return_obj: bool = True,
    index: bool = False,
) -> pd.DataFrame | None:
    """Bring a set of Arkouda's HDF5 files into memory as a pandas DataFrame, and write it as pandas does.

    Parameters
    ----------
    read_path : str or path
        Prefix of the set, as `load` takes it.
    dataset_name : str
        Key of the DataFrame in the new file.
    write_file : str or path, optional
        The new file, which replaces what was there; none is written unless given.  It is of pandas' fixed format, or,
        where there is text, of its table format, as the other pickles text.  Categoricals are written as text.
    return_obj : bool
        Whether to return the DataFrame.
    index : bool
        Keep the labels of the rows.

    Returns
    -------
    pandas.DataFrame or None

    Raises
    ------
    ArgumentError
        If the path of the new file names a folder or a device.
    MissingFileError
        If there is no such set.
    AlignmentError
        If its objects do not have as many rows.
    SchemaError
        If a column that is to be written is of Python objects, such as lists.
    UnsupportedError
        If PyTables is missing.
    WriteError
        If the file cannot be written; what was there before stays.
    """
    target = None if write_file is None else written_path(write_file)
    if target is not None:
        if is_remote(target):
            raise UnsupportedError(
                f"pandas writes HDF5 to files of this machine, which {target!r} is not.",
                hint="write a local file and copy it; or write for akdask and Arkouda with ak.to_hdf.",
            )
        _demand_pytables()
    frame = DataFrame.load(read_path).to_pandas(retain_index=index)
    if target is not None:
        _write(frame, target, dataset_name)
    return frame if return_obj else None


def _write(frame: pd.DataFrame, path: str, key: str) -> None:
    plain = frame.astype({name: str for name, dtype in frame.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)})
    objects = [f"{name!r}" for name, column in plain.items() if _is_of_objects(column)]
    if objects:
        raise SchemaError("pandas would pickle columns of Python objects.", details=objects, hint="leave them out.")
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise WriteError(f"cannot write {path!r}: there is no folder {folder!r}.")
    staged = os.path.join(folder, f".{name}.{uuid4().hex}")
    try:
        _to_hdf(plain, staged, key)
        os.replace(staged, path)
    except OSError as error:
        raise write_error(path, error) from error
    except (RuntimeError, ValueError, TypeError) as error:  # what pandas and PyTables raise
        raise WriteError(f"cannot write {path!r}: {error}.") from error
    finally:
        if os.path.exists(staged):
            os.unlink(staged)


def _to_hdf(frame: pd.DataFrame, path: str, key: str) -> None:
    """Write a file of pandas' in which nothing is pickled but names."""
    text_columns = [
        column for _, column in frame.items() if not pd.api.types.is_numeric_dtype(column) and _is_text(column)
    ]
    labels = frame.index.to_series()
    if not text_columns and not _is_text(labels):
        frame.to_hdf(path, key=key, mode="w", format="fixed")
        return
    missing = "nan"
    while any((column == missing).any() for column in [*text_columns, labels]):
        missing = f"_{missing}_"
    frame.to_hdf(path, key=key, mode="w", format="table", nan_rep=missing, index=False)


def _is_text(column: pd.Series) -> bool:
    return pd.api.types.is_string_dtype(column)


def _is_of_objects(column: pd.Series) -> bool:
    return column.dtype == object and pd.api.types.infer_dtype(column) not in {"string", "empty"}


def _demand_pytables() -> None:
    if find_spec("tables") is None:
        raise UnsupportedError(
            "pandas writes its HDF5 files with PyTables, which is not installed.",
            hint="pip install 'akdask[pytables]'",
        )
