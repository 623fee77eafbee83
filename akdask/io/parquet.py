"""Reading and writing Parquet files, under Arkouda's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from akdask.arrays.writing import count_files, update_objects, write_objects
from akdask.errors import ArgumentError, FileError
from akdask.frames.dataframe import DataFrame
from akdask.io.files import Path, read_objects, storables
from akdask.storage.locales import Filenames
from akdask.storage.registry import format_named, open_files
from akdask.storage.remote import takes_storage_options

__all__ = ["get_null_indices", "read_parquet", "to_parquet", "update_parquet"]

_NULL_HANDLING = ("none", "only floats", "all")


@takes_storage_options
def read_parquet(  # noqa: PLR0917 - Arkouda's signature
    filenames: Filenames,
    datasets: str | Sequence[str] | None = None,
    iterative: bool = False,
    strict_types: bool = True,
    allow_errors: bool = False,
    tag_data: bool = False,
    read_nested: bool = True,
    has_non_float_nulls: bool = False,
    null_handling: str | None = None,
    fixed_len: int = -1,
    *,
    widen: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Open Parquet files of any writer as lazy arrays.  Reads footers only.

    Numbers are widened to 64 bits and decimals become floats.  Times become Datetime and Timedelta of their unit and
    zone; dates are midnight, in seconds.  Lists become SegArray, dictionaries of text Categorical, ordered where
    Arrow's schema says so, by the dictionary that is read first.  A null is NaN among floats, NaT among times, empty
    text and an empty list elsewhere.  Whole numbers and bools with nulls become floats; one that would change, beyond
    2**53, is an error where it is read.
    Where a file has no statistics, optional whole numbers are read to look for nulls.

    Row groups that statistics rule out are not read, nor are columns that nobody asks for.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files, folders or glob patterns; several files are read as one set, in the order of their ``_LOCALE`` numbers.
        A folder stands for all files in it and below; those named ``key=value`` give a column of that name:
        of whole numbers, if all are spelt without zeros in front, else of text.
    datasets : str or sequence of str, optional
        Names of the columns to read, all unless given.
    iterative : bool
        Accepted for compatibility with Arkouda; nothing is read before it is needed anyway.
    strict_types : bool
        Accepted for compatibility with Arkouda, where it changes nothing for Parquet: widths may differ over the files.
    allow_errors : bool, default False
        Leave out files that are missing, cannot be read or lack a column, with one warning.
    tag_data : bool, default False
        Add ``Filename_Codes``: of each row the number of its file; see `read_tagged_data`.
    read_nested : bool, default True
        Read lists as well, unless columns are named.
    has_non_float_nulls, null_handling
        Accepted for compatibility with Arkouda: ``none``, ``only floats`` or ``all``.  Nulls are honoured anyway.
    fixed_len : int
        Accepted for compatibility with Arkouda, where it is a hint.
    widen : bool, default False
        Read numbers that files have in different types, such as int64 and float64, in one that has all of them; an
        integer that a float would change is an error where it is read.  Otherwise what files have differently is left
        out, with one warning, and is an error where it is asked for.
    storage_options : mapping of str to value, optional
        What fsspec needs to open URLs, such as keys or ``anon=True``.

    Returns
    -------
    dict of str to lazy array
        All with the same rows, in the order of the file.

    Raises
    ------
    MissingFileError, FileFormatError
        If files are missing or damaged.
    MissingDatasetError
        If a name is in none of the files.
    InconsistentFilesError
        If the files have a column differently that is named, or have all of them so; all disagreements are told.
    UnsupportedError
        If a column that is named is of a type that cannot be read, or all are; others are left out, with one warning.
    FileError
        If there is nothing in the files, or tags are asked for one by one.
    """
    if tag_data and iterative:
        raise FileError("rows cannot be tagged with their files when files are read one by one.")
    if null_handling is not None and null_handling not in _NULL_HANDLING:
        raise ArgumentError(f"null_handling is one of {', '.join(map(repr, _NULL_HANDLING))}, not {null_handling!r}.")
    opened = open_files(
        filenames, format_named("Parquet"), allow_errors=allow_errors, read_nested=read_nested, widen=widen
    )
    return read_objects(opened, datasets, tagged=tag_data)


@takes_storage_options
def get_null_indices(
    filenames: Filenames,
    datasets: str | Sequence[str] | None = None,
    *,
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return which rows of the columns of Parquet files are null, as lazy int64: 1 for null, else 0.

    Parameters
    ----------
    filenames : str, path or sequence of them
        As in `read_parquet`.
    datasets : str or sequence of str, optional
        Names of the columns, of any type; all unless given.
    storage_options : mapping of str to value, optional
        What fsspec needs to open URLs, such as keys or ``anon=True``.

    Returns
    -------
    dict of str to pdarray
        A server's own files have null for empty text where they have a single column.

    Raises
    ------
    FileError
        As `read_parquet` does.
    """
    return read_objects(open_files(filenames, format_named("Parquet"), null_indices=True), datasets)


@takes_storage_options
def to_parquet(  # noqa: PLR0917 - Arkouda's signature
    columns: Mapping[str, Any] | Sequence[Any],
    prefix_path: Path,
    names: Sequence[str] | None = None,
    mode: str = "truncate",
    compression: str | None = None,
    convert_categoricals: bool = False,
    *,
    num_locales: int | None = None,
    file_size: int | None = None,
    checksums: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> None:
    """Write arrays to one set of Parquet files, which Arkouda, pandas, polars and others read; computes.

    Servers know numbers, strings and lists, so other readers have times and addresses as numbers, a Categorical as
    strings, and integers of any size as bytes, lowest first.  What they are is noted for akdask in the key-value
    metadata of each file; of a Categorical with more than 64 KiB of labels the labels are found in the rows again.

    In a folder the set appears whole or not at all.  In an object store it does so for akdask's readers: a catalog
    beside the set is written last, and a set that is not what it says is an error; other programs may for a moment see
    files of the old set and of the new.  Nothing can be added to files of an object store.

    Parameters
    ----------
    columns : mapping or list of pdarray, Strings, Categorical, SegArray or Index
        What to write; all have the same number of rows.
    prefix_path : str or path
        Prefix and extension of the files: ``d/x.parquet`` gives ``d/x_LOCALE0000.parquet`` and so on.
    names : list of str, optional
        Names for the columns, instead of the keys of a mapping or of ``"0"``, ``"1"`` and so on.
    mode : {"truncate", "append"}
        Replace files of that prefix, or add columns to them, behind those that are there.
    compression : {"snappy", "gzip", "brotli", "zstd", "lz4"}, optional
        How pages are packed; not at all unless given, and numbers then have no dictionaries either.  With append, as
        the files are packed unless given.
    convert_categoricals : bool, default False
        Write each Categorical as its strings and nothing else; otherwise akdask reads it as one again.
    num_locales : int, optional
        Number of files; as many as the array with the most partitions has unless given.
    file_size : int, optional
        Instead of that number, how many bytes each file is to have at most.  These are counted as in memory, so files
        that are packed, and those with dictionaries, are smaller.  Strings are measured first, which computes them.
    checksums : bool, default False
        Give each page a checksum (CRC-32).  Pages that have one are compared with it whenever they are read.
    storage_options : mapping of str to value, optional
        What fsspec needs to open URLs, such as keys or ``anon=True``.

    Raises
    ------
    ArgumentError
        If `mode`, `compression`, `num_locales` or `file_size` are none of these, both of the last are given, or the
        path names a folder or a device.
    SchemaError
        If the arrays do not have the same number of rows.
    ExistsError
        If columns are to be added that are there already.
    InconsistentFilesError
        If columns are to be added to files with other numbers of rows.
    UnsupportedError
        If something is no single column.
    WriteError
        If the files cannot be written; what was there before stays.
    """
    stored = storables(columns, names)
    arrays = dict(columns).values() if isinstance(columns, Mapping | DataFrame) else columns
    write_objects(
        stored,
        prefix_path,
        mode,
        "distribute",
        num_locales=count_files(arrays, num_locales, file_size),
        file_format="Parquet",
        compression=compression,
        convert_categoricals=convert_categoricals,
        checksums=checksums,
    )


def update_parquet(
    columns: Mapping[str, Any] | Sequence[Any], prefix_path: Path, names: Sequence[str] | None = None
) -> None:
    """Write arrays into the Parquet files of a prefix, replacing columns of the same names; computes.

    Columns keep their places; those that are not there yet come behind.  Other columns, of any writer, stay as they
    are, and pages are packed as before.  The set is replaced whole or not at all.

    Parameters
    ----------
    columns : mapping or list of pdarray, Strings, Categorical, SegArray or Index
        What to write; cut into as many partitions as there are files, each has the rows of its file.
    prefix_path : str or path
        Prefix and extension of the files, as `to_parquet` takes it, or the path of a single file.
    names : list of str, optional
        Names for the columns, as in `to_parquet`.

    Raises
    ------
    InconsistentFilesError
        If the files have other numbers of rows.
    MissingFileError
        If there are no files.
    UnsupportedError
        If something is no single column.
    WriteError
        If the files cannot be written; what was there before stays.
    """
    update_objects(storables(columns, names), prefix_path, "Parquet")
