"""Reading and writing Parquet files, under Arkouda's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from akdask.errors import CallError, FileError, warn
from akdask.io.files import Path, read_objects, storables
from akdask.storage.files import takes_storage_options
from akdask.storage.locales import Filenames
from akdask.storage.registry import format_named, open_files

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
    decimals: Literal["float", "integer"] = "float",
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Open Parquet files of any writer as lazy arrays.  Reads footers only.

    Numbers are widened to 64 bits and decimals become floats.  Times become Datetime and Timedelta of their unit and
    zone; dates are midnight, in seconds.  Lists become SegArray. Dictionaries of text become Categorical, ordered where
    Arrow's schema declares it, in the order of the first dictionary.  A null is NaN among floats, NaT among times,
    missing text, or an empty list.  Integers and bools with nulls keep their type and have missing rows; within lists
    they become floats, and NaN.  Where statistics do not tell, optional integers are read to look for nulls.

    Fields of structs, and keys and values of maps, are columns named like ``name.field``, ``name.key`` and
    ``name.value``. Columns of one name get numbers. Bytes are text if the first ones are UTF-8, else hex digits, as
    bytes of a fixed length and geometries always are; UUIDs have the usual groups.  Items of lists that are
    times, or lists again, are text: as Arrow writes times, and in JSON.

    Row groups that statistics rule out and unused columns are not read.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files, folders or glob patterns; several files are read as one set, in the order of their ``_LOCALE`` numbers. A
        folder means all files in it and below. Folders named ``key=value`` add a column of that name: integers, if no
        value has leading zeros, else text.
    datasets : str or sequence of str, optional
        Names of the columns to read; all by default.
    iterative : bool
        Accepted for compatibility with Arkouda; reading is lazy anyway.
    strict_types : bool
        Accepted for compatibility with Arkouda, where it does not affect Parquet: widths may differ between files.
    allow_errors : bool, default False
        Leave out files that are missing, cannot be read or lack a column, with one warning.
    tag_data : bool, default False
        Add ``Filename_Codes``, the number of each row's file; see `read_tagged_data`.
    read_nested : bool, default True
        Read lists as well, unless columns are named.
    has_non_float_nulls, null_handling
        Accepted for compatibility with Arkouda: ``none``, ``only floats`` or ``all``.  Nulls are honoured anyway.  The
        first is deprecated, as in Arkouda.
    fixed_len : int
        Accepted for compatibility with Arkouda, where it is a hint.
    widen : bool, default False
        Read numbers of different types in the files, such as int64 and float64, as their common type; an integer that a
        float would change is an error on reading.  Otherwise columns whose types differ are left out, with one warning,
        and are an error if named.
    decimals : {"float", "integer"}
        Read decimals as the floats next to them, or exactly, as integers that count their last digit: 1.25 of a type
        with two digits after the point is 125.  Integers of more than 18 digits are of any size, and none may be null.
        Decimals in lists are floats.

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
        If the files differ in a named column, or in all columns; all disagreements are listed.
    UnsupportedError
        If a named column is of an unsupported type, or all are; others are left out, with one warning.
    FileError
        If the files have no columns, or tags are requested with `iterative`.

    Examples
    --------
    >>> ak.DataFrame({"x": [1, 2], "y": ["a", "b"]}).to_parquet("rows")
    >>> ak.read_parquet("rows*", "y")["y"].tolist()
    ['a', 'b']
    """
    if tag_data and iterative:
        raise FileError("rows cannot be tagged with their files when files are read one by one.")
    if null_handling is not None and null_handling not in _NULL_HANDLING:
        raise CallError(f"null_handling is one of {', '.join(map(repr, _NULL_HANDLING))}, not {null_handling!r}.")
    if datasets is None and has_non_float_nulls:
        warn("has_non_float_nulls=True is now null_handling='all'.", DeprecationWarning)
        if null_handling is not None:
            warn("null_handling is given, so has_non_float_nulls is ignored.", UserWarning)
    opened = open_files(
        filenames,
        format_named("Parquet"),
        allow_errors=allow_errors,
        read_nested=read_nested,
        widen=widen,
        decimals=decimals,
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
        Names of the columns, of any type; all by default.

    Returns
    -------
    dict of str to pdarray
        A server's own files have null for empty text where they have a single column.

    Raises
    ------
    FileError
        As for `read_parquet`.

    Examples
    --------
    >>> import pyarrow.parquet
    >>> pyarrow.parquet.write_table(pyarrow.table({"x": [1, None, 3]}), "rows.parquet")
    >>> ak.get_null_indices("rows.parquet", "x")["x"].tolist()
    [0, 1, 0]
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

    Servers read numbers, strings and lists. So times and addresses are stored as numbers, a Categorical as strings, and
    integers of any size as bytes, lowest first.  The key-value metadata of each file records the types for akdask; the
    labels of a Categorical with more than 64 KiB of labels are found in the rows again.

    In a folder the set appears completely or not at all.  In an object store this holds for akdask's readers: a catalog
    beside the set is written last, and a set that differs from its catalog is an error. Other programs may for a moment
    see files of both the old and the new set.  Files of an object store cannot be extended.

    Parameters
    ----------
    columns : mapping or list of pdarray, Strings, Categorical, SegArray or Index
        Arrays to write, with the same number of rows.
    prefix_path : str or path
        Prefix and extension of the files: ``d/x.parquet`` gives ``d/x_LOCALE0000.parquet`` and so on.
    names : list of str, optional
        Names for the columns, instead of the keys of a mapping or of ``"0"``, ``"1"`` and so on.
    mode : {"truncate", "append"}
        Replace files of that prefix, or append columns to them.
    compression : {"snappy", "gzip", "brotli", "zstd", "lz4"}, optional
        Compression of pages; none by default, and then numbers have no dictionaries either.  With append, by default
        that of the files.
    convert_categoricals : bool, default False
        Write each Categorical as plain strings; otherwise akdask reads it as a Categorical again.
    num_locales : int, optional
        Number of files; by default the largest number of partitions of the arrays.
    file_size : int, optional
        Alternatively the maximum size of each file in bytes.  Sizes are in memory, so files with compression or
        dictionaries are smaller.  Strings are measured first, which computes them.
    checksums : bool, default False
        Give each page a checksum (CRC-32).  Pages that have one are compared with it whenever they are read.

    Raises
    ------
    ArgumentError
        If `mode`, `compression`, `num_locales` or `file_size` are none of these, both of the last are given, or the
        path names a folder or a device.
    SchemaError
        If the arrays do not have the same number of rows.
    ExistsError
        If columns to be added exist already.
    InconsistentFilesError
        If columns are to be added to files with other numbers of rows.
    UnsupportedError
        If something is no single column.
    WriteError
        If the files cannot be written; existing files stay.

    Examples
    --------
    >>> ak.to_parquet({"x": ak.array([3, 1]), "y": ak.array(["b", "a"])}, "rows")
    >>> ak.read_parquet("rows*")["y"].tolist()
    ['b', 'a']
    """
    from akdask.arrays.writing import count_files, warn_of_appending, write_objects
    from akdask.frames.dataframe import DataFrame

    warn_of_appending(mode)
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

    Columns keep their places; new ones are appended.  Other columns, of any writer, stay unchanged, and pages keep
    their compression.  The set is replaced completely or not at all.

    Parameters
    ----------
    columns : mapping or list of pdarray, Strings, Categorical, SegArray or Index
        Arrays to write; each is cut into the rows of the files.
    prefix_path : str or path
        Prefix and extension of the files, as for `to_parquet`, or the path of a single file.
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
        If the files cannot be written; existing files stay.

    Examples
    --------
    >>> ak.to_parquet({"x": ak.array([3, 1])}, "rows")
    >>> ak.update_parquet({"y": ak.array(["b", "a"])}, "rows")
    >>> ak.get_datasets("rows*")
    ['x', 'y']
    """
    from akdask.arrays.writing import update_objects

    update_objects(storables(columns, names), prefix_path, "Parquet")
