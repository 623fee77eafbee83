"""HDF5 files that pandas wrote, which hold its own layout and not Arkouda's: from those, and to those."""

from __future__ import annotations

import os
from importlib.util import find_spec
from uuid import uuid4

import pandas as pd

from akdask.collections.dataframe import DataFrame
from akdask.collections.reading import demand_hdf5
from akdask.collections.writing import Path
from akdask.errors import FileError, FileFormatError, SchemaError, UnsupportedError, WriteError
from akdask.storage.files import absolute


def import_data(
    read_path: Path, write_file: Path | None = None, return_obj: bool = True, index: bool = False
) -> DataFrame | None:
    """Bring a file that pandas wrote into memory, and write it as a set that Arkouda reads.

    pandas unpickles columns of Python objects: import such files only from whom you trust.

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
        If pandas cannot read the file, or it holds several objects.
    UnsupportedError
        If it is of another format, or PyTables is missing.
    """
    path = absolute(read_path)
    if "*" in path and not os.path.exists(path):
        raise FileError(f"import_data takes one HDF5 file, not the pattern {path!r}.", hint="import them one by one.")
    demand_hdf5(path)
    frame = DataFrame.from_pandas(_read(path))
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
        The new file, of pandas' fixed format, which replaces what was there; none is written unless given.  It holds
        Categoricals as text, as the format has none.
    return_obj : bool
        Whether to return the DataFrame.
    index : bool
        Keep the labels of the rows.

    Returns
    -------
    pandas.DataFrame or None

    Raises
    ------
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
    if write_file is not None:
        _demand_pytables()
    frame = DataFrame.load(read_path).to_pandas(retain_index=index)
    if write_file is not None:
        _write(frame, absolute(write_file), dataset_name)
    return frame if return_obj else None


def _read(path: str) -> pd.DataFrame:
    _demand_pytables()
    try:
        found = pd.read_hdf(path)
    except (ValueError, TypeError, KeyError, NotImplementedError, AttributeError, OSError) as error:
        raise FileFormatError(
            f"pandas cannot read {path!r}.",
            details=[str(error)],
            hint="sets of Arkouda are read with ak.read_hdf; of several objects, write one to a file of its own.",
        ) from error
    return found.to_frame() if isinstance(found, pd.Series) else pd.DataFrame(found)


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
        plain.to_hdf(staged, key=key, mode="w", format="fixed")
        os.replace(staged, path)
    except OSError as error:
        raise WriteError(f"cannot write {path!r}: {error.strerror or error}.") from error
    finally:
        if os.path.exists(staged):
            os.unlink(staged)


def _is_of_objects(column: pd.Series) -> bool:
    return column.dtype == object and pd.api.types.infer_dtype(column) not in {"string", "empty"}


def _demand_pytables() -> None:
    if find_spec("tables") is None:
        raise UnsupportedError(
            "pandas reads and writes its HDF5 files with PyTables, which is not installed.",
            hint="pip install 'akdask[pytables]'",
        )
