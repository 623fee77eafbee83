"""Reading and writing CSV files, under Arkouda's names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from akdask import config
from akdask.arrays.writing import write_csv
from akdask.errors import ArgumentTypeError, FileError
from akdask.io.files import DeferredObjects, Path, dataset_names, read_objects, storables
from akdask.storage.files import is_remote, takes_storage_options
from akdask.storage.locales import Filenames, names_of
from akdask.storage.registry import format_named, open_files

__all__ = ["get_columns", "ls_csv", "read_csv", "to_csv"]


@takes_storage_options
def read_csv(
    filenames: Filenames,
    datasets: str | Sequence[str] | None = None,
    column_delim: str = ",",
    allow_errors: bool = False,
    *,
    dtypes: Any = None,
    names: Sequence[str] | None = None,
    widen: bool = False,
    encoding: str = "utf-8",
    on_bad_lines: str = "error",
    comment: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    skiprows: int = 0,
    na_values: Any = (),
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    r"""Open CSV files of Arkouda or any other writer as lazy arrays.

    Opening reads the names of the columns. When a column is asked for, all bytes are scanned once, to count rows and to
    find the types of their cells; that is done at once for several files, whose types are compared, and for URLs. What
    a scan finds is cached for as long as the file does not change. Fields are parsed when values are needed; unused
    columns are not converted. Large files are cut into partitions where rows end, whatever stands inside quotes.

    Files compressed by gzip, bz2, zstd or lz4 are recognized by their first bytes, whatever their names.  Each is one
    partition: it is unpacked once to count its rows, in blocks, and again as a whole whenever its rows are needed, when
    it has to fit in memory.

    Blank lines are skipped; columns of one name get numbers, and those without any are ``Unnamed``, as in pandas. As
    there, quotes have a meaning at the beginning of a field, and fields that a row lacks are empty.

    Arkouda's header gives the types, and its rows have all fields.  Without it all cells of all files decide, as in
    pandas. Digits are int64, or uint64 beyond its range, or bigint where neither has all of them, or float64 where
    cells are empty or ``NA``, ``null`` and the like. ``True`` and ``false`` are bools, which may be missing.  Dates and
    times in the form of ISO 8601 are Datetimes: in the zone of their offset, in UTC if they have several, and in
    microseconds if they are beyond the years of nanoseconds. All else is text, which is left as it is.  An integer
    without an equal float, in a column that was inferred to be float64, is an error on reading.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files, glob patterns, or the prefix given to `to_csv`; several files are read as one set, in the order of their
        ``_LOCALE`` numbers.
    datasets : str or sequence of str, optional
        Names of the columns to read; all by default.
    column_delim : str, default ","
        The delimiter between fields; text of any length.
    allow_errors : bool, default False
        Give the smallest value of its type for a cell that is not of its column's type, and leave out files that are
        missing or cannot be read, with one warning.
    dtypes : mapping of str to dtype, or dtype, optional
        Types of some columns, or of all: int64, uint64, float64, bool, str or ``datetime64[ns]``.
    names : sequence of str, optional
        Names of the columns, for files that begin with a row.
    widen : bool, default False
        Read numbers of different types in the files, such as int64 and float64, as their common type; an integer that a
        float would change is an error on reading.  Otherwise columns whose types differ are left out, with one warning,
        and are an error if named.
    encoding : str, default "utf-8"
        The encoding of text, in which ASCII is as in UTF-8, such as ``latin-1``.  Files in UTF-16 are recognized by
        their first bytes.
    on_bad_lines : {"error", "skip"}, default "error"
        What to do with rows that have more fields than there are columns.
    comment : str, optional
        The character behind which the rest of a line is left out.
    decimal : str, default "."
        The character before decimals.
    thousands : str, optional
        The character between thousands.
    skiprows : int, default 0
        How many lines at the beginning of each file are passed over.
    na_values : str, number or list of them, optional
        Further cells that have no value, as they are written, besides empty ones, ``NA``, ``null`` and the like.

    Returns
    -------
    dict of str to lazy array
        All with the same rows.

    Raises
    ------
    MissingFileError, FileFormatError
        If files are missing, or no CSV files.
    MissingDatasetError
        If there is no column of a name.
    InconsistentFilesError
        If files have a column differently that is named, or lack it, or have all of them so.
    ArgumentError
        If the delimiter is empty, or holds a quote or a line break, or the encoding is unknown.

    Examples
    --------
    >>> ak.DataFrame({"x": [1, 2], "y": ["a", "b"]}).to_csv("rows")
    >>> ak.read_csv("rows*", "x")["x"].tolist()
    [1, 2]
    """
    opened: Any = open_files(
        filenames,
        format_named("CSV"),
        column_delim=column_delim,
        allow_errors=allow_errors,
        dtypes=dtypes,
        names=names,
        widen=widen,
        encoding=encoding,
        on_bad_lines=on_bad_lines,
        comment=comment,
        decimal=decimal,
        thousands=thousands,
        skiprows=skiprows,
        na_values=na_values,
    )
    if config.get("eager") or len(opened.paths) != 1 or is_remote(opened.paths[0]):
        return read_objects(opened, datasets)
    wanted = opened.names if datasets is None else list(dict.fromkeys(dataset_names(datasets)))
    if not wanted or not set(wanted) <= set(opened.names):
        return read_objects(opened, datasets)
    return DeferredObjects(wanted, partial(read_objects, opened, datasets))


@takes_storage_options
def to_csv(
    columns: Mapping[str, Any] | Sequence[Any],
    prefix_path: Path,
    names: Sequence[str] | None = None,
    col_delim: str = ",",
    overwrite: bool = False,
    *,
    num_locales: int | None = None,
    compression: str | None = None,
    na_rep: str = "",
    storage_options: Mapping[str, Any] | None = None,
) -> None:
    """Write arrays to one set of CSV files with Arkouda's header; computes.

    Text is quoted where it holds the delimiter, a quote or a line break, which Arkouda reads since v2025.12.16. Floats
    have as many digits as distinguish them.  Times and addresses are written as their numbers.

    In a folder the set appears completely or not at all.  In an object store this holds for akdask's readers: a catalog
    beside the set is written last, and a set that differs from its catalog is an error. Other programs may for a moment
    see files of both the old and the new set.  Files of an object store cannot be extended.

    Parameters
    ----------
    columns : mapping or list of pdarray, Strings or Index
        Arrays to write, with the same number of rows.
    prefix_path : str or path
        Prefix and extension of the files: ``d/x.csv`` gives ``d/x_LOCALE0000.csv`` and so on.
    names : list of str, optional
        Names for the columns, instead of the keys of a mapping or of ``"0"``, ``"1"`` and so on.
    col_delim : str, default ","
        The delimiter between fields; text of any length.
    overwrite : bool, default False
        Replace files of that prefix.
    num_locales : int, optional
        Number of files; by default the largest number of partitions of the arrays.
    compression : {"gzip", "bz2", "zstd", "lz4"}, optional
        Compression of the files, whatever the extension; none by default.  Arkouda reads no compressed files.
    na_rep : str, default ""
        Text written for missing text.

    Raises
    ------
    ExistsError
        If there are files of that prefix, which are not to be replaced.
    SchemaError
        If the arrays do not have the same number of rows.
    UnsupportedError
        If elements are no numbers or strings.
    WriteError
        If the files cannot be written; existing files stay.

    Examples
    --------
    >>> ak.to_csv({"x": ak.array([1, 2]), "y": ak.array(["a", "b"])}, "rows")
    >>> ak.read_csv("rows*", "y")["y"].tolist()
    ['a', 'b']
    """
    write_csv(
        storables(columns, names),
        prefix_path,
        col_delim,
        overwrite=overwrite,
        num_locales=num_locales,
        compression=compression,
        na_rep=na_rep,
    )


@takes_storage_options
def ls_csv(filename: Path, col_delim: str = ",", *, storage_options: Mapping[str, Any] | None = None) -> list[str]:
    """Return the names of the columns of a CSV file, with Arkouda's header or without; reads its first lines.

    Parameters
    ----------
    filename : str or path
        A file, or a pattern for a set of files.
    col_delim : str, default ","
        The delimiter between fields.

    Examples
    --------
    >>> ak.to_csv({"x": ak.array([1, 2]), "y": ak.array(["a", "b"])}, "rows")
    >>> ak.ls_csv("rows_LOCALE0000")
    ['x', 'y']
    """
    if not isinstance(filename, str | os.PathLike):
        raise ArgumentTypeError(f"ls_csv takes one file name, got {type(filename).__name__}.", hint="use get_columns.")
    return list(open_files(filename, format_named("CSV"), column_delim=col_delim).kinds)


@takes_storage_options
def get_columns(
    filenames: Filenames,
    col_delim: str = ",",
    allow_errors: bool = False,
    *,
    storage_options: Mapping[str, Any] | None = None,
) -> list[str]:
    """Return the names of the columns of the first readable CSV file; see `ls_csv`.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files or glob patterns.
    col_delim : str, default ","
        The delimiter between fields.
    allow_errors : bool, default False
        Pass over files that are missing or cannot be read.

    Raises
    ------
    MissingFileError, FileFormatError
        If a file is missing or no CSV file, and errors are not allowed.
    FileError
        If no file can be read.

    Examples
    --------
    >>> ak.to_csv({"x": ak.array([1, 2]), "y": ak.array(["a", "b"])}, "rows")
    >>> ak.get_columns("rows*")
    ['x', 'y']
    """
    for name in names_of(filenames):
        try:
            return ls_csv(name, col_delim)
        except FileError:
            if not allow_errors:
                raise
    raise FileError("none of the files can be read.", details=[repr(name) for name in names_of(filenames)])
