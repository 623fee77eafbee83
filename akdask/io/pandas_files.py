"""Convert files in pandas' own layout from and to akdask's."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

from akdask.arrays.creation import arange
from akdask.arrays.stored_arrays import from_stored
from akdask.arrays.writing import Path
from akdask.deferred import pd
from akdask.errors import AkdaskError, FileError, SchemaError, UnsupportedError, WriteError
from akdask.frames.dataframe import DataFrame
from akdask.storage.files import absolute, is_remote, written_path
from akdask.storage.locales import locale_files
from akdask.storage.registry import format_named, format_of_files, open_files
from akdask.storage.transaction import staged_files


def import_data(
    read_path: Path,
    write_file: Path | None = None,
    return_obj: bool = True,
    index: bool = False,
    *,
    key: str | None = None,
) -> DataFrame | None:
    """Open a file that pandas wrote, and write it as a set of the same format that Arkouda reads.

    An HDF5 file is brought into memory.  It is read without pandas' reader and without unpickling, since a pickle can
    run any program.  So columns that pandas pickled are refused by name: columns of Python objects, and of text in
    pandas' fixed format, which ``to_hdf(…, format="table")`` stores as data.  Times are in UTC.

    Parquet files stay lazy, as with `read_parquet`.  The labels in pandas' metadata become the row labels.  Labels of
    several levels are columns, in HDF5 named ``level_0`` and so on where they have no names.

    Parameters
    ----------
    read_path : str or path
        An HDF5 file of ``pandas.DataFrame.to_hdf``; or files for `read_parquet`.
    write_file : str or path, optional
        Prefix of the set to write, as for `DataFrame.to_hdf`; by default no set is written.
    return_obj : bool
        Whether to return the DataFrame.
    index : bool
        Write the labels of the rows as well.
    key : str, optional
        Which DataFrame or Series of an HDF5 file with several.

    Returns
    -------
    DataFrame or None

    Raises
    ------
    MissingFileError
        If there is no such file.
    MissingDatasetError
        If the file has no object of that key.
    FileError
        If the path is a pattern of other files than Parquet.
    FileFormatError
        If pandas did not write the file, it holds several objects and none is named, or it is damaged.
    UnsupportedError
        If it is of another format, or columns are pickled.

    Examples
    --------
    >>> pd.DataFrame({"x": [1, 2]}).to_parquet("rows.parquet")
    >>> ak.import_data("rows.parquet")["x"].tolist()
    [1, 2]
    """
    path = absolute(read_path)
    file_format = format_of_files(path)
    if file_format.name == "Parquet":
        frame = _of_parquet(path)
        if write_file is not None:
            frame.to_parquet(write_file, index=index)
        return frame if return_obj else None
    if "*" in path and not os.path.exists(path):
        raise FileError(f"import_data takes one HDF5 file, not the pattern {path!r}.", hint="import them one by one.")
    if file_format.name != "HDF5":
        raise UnsupportedError(f"{path!r} is a {file_format.name} file, none of HDF5 or Parquet that pandas wrote.")
    # h5py is loaded when it is needed, and not with akdask.
    from akdask.formats.hdf5.pandas_file import read_frame

    found = read_frame(path, key)
    frame = DataFrame.from_pandas(found.reset_index() if isinstance(found.index, pd.MultiIndex) else found)
    if write_file is not None:
        frame.to_hdf(write_file, index=index)
    return frame if return_obj else None


def is_of_pandas(path: str) -> bool:
    """Whether pandas wrote an HDF5 file."""
    from akdask.formats.hdf5.pandas_file import has_frames

    return has_frames(path)


def _of_parquet(path: str) -> DataFrame:
    from akdask.formats.parquet.footers import labels_of

    opened = open_files(path, format_named("Parquet"))
    columns = {name: from_stored(stored) for name, stored in opened.objects().items()}
    match labels_of(opened.paths[0]):
        case [str() as name] if name in columns and len(columns) > 1:
            return DataFrame(columns, index=columns.pop(name))
        case [range() as labels] if len(opened.paths) == 1 and labels != range(len(labels)):
            return DataFrame(columns, index=arange(labels.start, labels.stop, labels.step))
    return DataFrame(columns)


def export(
    read_path: Path,
    dataset_name: str = "ak_data",
    write_file: Path | None = None,
    return_obj: bool = True,
    index: bool = False,
) -> pd.DataFrame | None:
    """Bring a set of Arkouda's files into memory as a pandas DataFrame, and write it as pandas does in that format.

    Parameters
    ----------
    read_path : str or path
        Prefix of the set, as for `load`.
    dataset_name : str
        Key of the DataFrame in a new HDF5 file.
    write_file : str or path, optional
        The new file, which replaces an existing one; by default no file is written.  An HDF5 file has pandas' fixed
        format, or with text its table format, as the fixed format pickles text; Categoricals are written as text.
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
        If a column that is to be written to HDF5 is of Python objects, such as lists.
    UnsupportedError
        If PyTables is missing.
    WriteError
        If the file cannot be written; an existing one stays.

    Examples
    --------
    >>> ak.DataFrame({"x": [1, 2]}).to_parquet("rows")
    >>> ak.export("rows", write_file="rows.parquet")["x"].tolist()
    [1, 2]
    """
    target = None if write_file is None else written_path(write_file)
    files = locale_files(written_path(read_path))
    is_parquet = bool(files) and format_of_files(files[0]).name == "Parquet"
    if target is not None and is_remote(target):
        raise UnsupportedError(
            f"pandas writes to files of this machine, which {target!r} is not.",
            hint="write a local file and copy it; or write for akdask and Arkouda with ak.to_hdf.",
        )
    if target is not None and not is_parquet:
        _demand_pytables()
    frame = DataFrame.load(read_path).to_pandas(retain_index=index)
    if target is not None and is_parquet:
        from akdask.formats.parquet.footers import write_frame

        _write(partial(write_frame, frame), target)
    elif target is not None:
        _write(partial(_to_hdf, _without_objects(frame), key=dataset_name), target)
    return frame if return_obj else None


def _without_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame none of whose columns pandas would pickle: Categoricals are text."""
    plain = frame.astype({name: str for name, dtype in frame.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)})
    objects = [f"{name!r}" for name, column in plain.items() if _is_of_objects(column)]
    if objects:
        raise SchemaError("pandas would pickle columns of Python objects.", details=objects, hint="leave them out.")
    return plain


def _write(write: Callable[[str], None], path: str) -> None:
    """Have a file written aside, and put it into place."""
    try:
        with staged_files(path, [path]) as add:
            add(path, write)
    except AkdaskError:
        raise
    except (RuntimeError, ValueError, TypeError) as error:  # errors of pandas and PyTables
        raise WriteError(f"cannot write {path!r}: {error}.") from error


def _to_hdf(frame: pd.DataFrame, path: str, key: str) -> None:
    """Write a file in pandas' layout in which only names are pickled."""
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
