"""Tables that other libraries keep, lazily: Delta, Iceberg, Lance, SQL databases, Hugging Face's data sets, Arrow, ORC.

A library is a line of `LIBRARIES`, and a module here.  Its function `opened` returns the `Opened` table: its schema,
and the parts in which it is read, of some columns and of the rows for which a condition holds.  `source.py` makes
columns of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from akdask.arrays.array import wrap
from akdask.deferred import module_named, pa
from akdask.engine.sources import Scan
from akdask.errors import ArgumentError, FileFormatError, MissingColumnError, MissingFileError, UnsupportedError, warn
from akdask.io.tables.database import DRIVERS
from akdask.io.tables.source import TableSource, stored_type

if TYPE_CHECKING:
    from akdask.frames.dataframe import DataFrame

__all__ = ["scan_table"]


class Library(NamedTuple):
    """A library that keeps tables."""

    module: str
    """The module of its objects, which tells them from others."""

    package: str
    """What is installed to have it."""


LIBRARIES = {
    "delta": Library("deltalake", "akdask[delta]"),
    "iceberg": Library("pyiceberg", "akdask[iceberg]"),
    "lance": Library("lance", "akdask[lance]"),
    "hugging_face": Library("datasets", "akdask[hugging-face]"),
    "database": Library("adbc_driver_manager", "akdask[adbc]"),
    "arrow": Library("pyarrow", "pyarrow"),
}

_MOST_NAMED = 10


def scan_table(
    source: Any,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    *,
    library: str | None = None,
    **options: Any,
) -> DataFrame:
    """Open a table that another library keeps as a lazy DataFrame.

    Only the columns that are used are read, in tasks, partition by partition.  Rows that `filters` leaves out are not
    read where the library knows them by its statistics; the others are counted when the table is opened.

    Parameters
    ----------
    source : str, path or object
        The folder of a Delta table, a Lance data set, or a data set that Hugging Face's library saved; the
        ``metadata.json`` of an Iceberg table; Feather, Arrow's IPC and ORC files; the URL of an SQL database that a
        driver of ADBC reads, or a file of SQLite; or an object of these libraries, such as a ``DeltaTable``, a table of
        an Iceberg catalog or a ``pyarrow.dataset.Dataset``.
    columns : sequence of str, optional
        The columns; all that have types for which there are arrays, by default.
    filters : list of tuple, list of list of tuple, or pyarrow.compute.Expression, optional
        Conditions ``(column, relation, value)`` that hold together, or lists of which one holds, as
        `pandas.read_parquet` takes them.  Relations are ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` and
        ``not in``.
    library : str, optional
        ``delta``, ``iceberg``, ``lance``, ``hugging_face``, ``database`` or ``arrow``; told from the source by default.
    **options
        Of the library, such as ``version=`` and ``storage_options=`` of Delta, or ``split=`` of Hugging Face.  A
        database has ``table=`` or ``query=``.  Its rows are read at once, unless ``on=`` names a column of integers
        that tells rows apart, such as the primary key: then ranges of it are read when they are used, in ``parts=``
        tasks, by default of a million rows.  ``driver=`` is the module of a driver.

    Returns
    -------
    DataFrame
        Integers and bools that may be missing are of nullable types, text may be missing.  Times keep unit and zone.

    Raises
    ------
    MissingFileError
        If there is no such file or folder.
    FileFormatError
        If no library is known for it.
    MissingColumnError
        If there is no column of a name.
    UnsupportedError
        If the library is not installed, or a column that `columns` names is of a type for which there is no array.

    See Also
    --------
    scan : Opens HDF5, Parquet, CSV and Zarr.

    Examples
    --------
    >>> import akdask as ak, pyarrow.dataset, pyarrow as pa
    >>> rows = pyarrow.dataset.dataset(pa.table({"port": [80, 443, 80], "bytes": [1, 2, 3]}))
    >>> ak.scan_table(rows, filters=[("port", "==", 80)])["bytes"].sum()
    np.int64(4)
    """
    from akdask.frames.dataframe import DataFrame

    name = library or _library_of(source)
    if name not in LIBRARIES:
        raise ArgumentError(f"there is no library {name!r}.", hint=f"name one of {', '.join(LIBRARIES)}.")
    try:
        module_named(LIBRARIES[name].module)
    except ImportError:
        raise UnsupportedError(
            f"the table {source!r} needs the library {LIBRARIES[name].module}, which is not installed.",
            hint=f"pip install '{LIBRARIES[name].package}'",
        ) from None
    opened = module_named(f"akdask.io.tables.{name}").opened(source, filters, **options)
    chosen = _chosen(opened.schema, columns)
    scanned = Scan(TableSource(opened, {field.name: stored.dtype for field, stored in chosen}))
    return DataFrame(
        {
            field.name: wrap(scanned, scanned.column(field.name))
            if stored.make is None
            else stored.make(scanned, scanned.column(field.name))
            for field, stored in chosen
        }
    )


def _chosen(schema: pa.Schema, columns: Sequence[str] | None) -> list[tuple[pa.Field, Any]]:
    """Return the fields of columns, each with the type that it becomes."""
    missing = [] if columns is None else [name for name in columns if name not in schema.names]
    if missing:
        raise MissingColumnError(
            f"the table has no column {missing[0]!r}.", details=[f"columns: {', '.join(schema.names)}"]
        )
    fields = [schema.field(name) for name in (schema.names if columns is None else columns)]
    found = [(field, stored_type(field)) for field in fields]
    without = [f"{field.name}: {field.type}" for field, stored in found if stored is None]
    if without and (columns is not None or len(without) == len(found)):
        raise UnsupportedError("no array can hold values of such a type.", details=without)
    if without:
        warn(f"left out columns of types for which there is no array: {', '.join(without[:_MOST_NAMED])}", UserWarning)
    return [(field, stored) for field, stored in found if stored is not None]


def _library_of(source: Any) -> str:
    """Return the library of an object, a file or a folder."""
    if not isinstance(source, str | os.PathLike):
        package = type(source).__module__.partition(".")[0]
        found = next((name for name, library in LIBRARIES.items() if library.module == package), None)
        if found is None:
            raise FileFormatError(
                f"a {type(source).__name__} is no table of a library that is known.",
                hint="ak.from_arrow(…) takes what has __arrow_c_stream__; ak.DataFrame(…) takes frames of pandas.",
            )
        return found
    path = os.fspath(source)
    if path.partition("://")[0] in DRIVERS:
        return "database"
    if path.rstrip("/").endswith(".lance"):
        return "lance"
    if path.endswith(".metadata.json"):
        return "iceberg"
    if not os.path.exists(path):
        if "://" in path:
            raise ArgumentError(f"what {path!r} is cannot be told.", hint=f"library= one of {', '.join(LIBRARIES)}.")
        raise MissingFileError(f"there is no file or folder {path!r}.")
    if os.path.isdir(path):
        inside = {*os.listdir(path)}
        if "_delta_log" in inside:
            return "delta"
        if inside & {"state.json", "dataset_dict.json"}:
            return "hugging_face"
        if {"_versions", "data"} <= inside:
            return "lance"
        if "metadata" in inside and any(
            name.endswith(".metadata.json") for name in os.listdir(os.path.join(path, "metadata"))
        ):
            return "iceberg"
    else:
        with open(path, "rb") as file:
            begin = file.read(6)
        if begin.startswith((b"ARROW1", b"ORC")):
            return "arrow"
        if begin == b"SQLite":
            return "database"
    raise FileFormatError(
        f"{path!r} is no table of a library that is known.",
        hint="ak.scan opens HDF5, Parquet, CSV and Zarr; library= names one of other tables.",
    )
