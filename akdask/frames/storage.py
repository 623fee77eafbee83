"""Files of a DataFrame: written as a set of columns, or as one object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from akdask.arrays.categorical import Categorical
from akdask.arrays.operators import cast
from akdask.arrays.writing import Path, Storable, count_files, update_objects, write_csv, write_objects
from akdask.errors import ArgumentError
from akdask.frames.base import FrameBase
from akdask.frames.columnset import ColumnSet
from akdask.storage.objects import ROW_LABELS, ObjType
from akdask.storage.remote import takes_storage_options


class FileMethods(FrameBase):
    """Writing files."""

    @takes_storage_options
    def to_hdf(
        self,
        path: Path,
        index: bool | None = None,
        columns: Sequence[str] | None = None,
        file_type: str = "distribute",
        *,
        num_locales: int | None = None,
        na_rep: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns to HDF5 files, which Arkouda reads; computes.

        Parameters
        ----------
        path : str or path
            Prefix and extension of the files: ``d/x.h5`` gives ``d/x_LOCALE0000.h5`` and so on.
        index : bool, optional
            Write the labels of the rows as well, as ``Index``.  Unless given, labels such as the keys of groups are
            written, and plain row numbers are not.  `DataFrame.load` makes them labels again.
        columns : list of str, optional
            The columns to write, all unless given.
        file_type : {"distribute", "single"}
            A set of files, or one in all at exactly that path.
        num_locales : int, optional
            Number of files of a set, to which rows are repartitioned; one for each partition unless given.
        na_rep : str, optional
            Text for missing text, which HDF5 cannot store; empty text, with a warning, unless given.
        storage_options : mapping of str to value, optional
            Options with which fsspec opens URLs, such as keys or ``anon=True``.

        Raises
        ------
        ArgumentError
            If labels are to be written beside a column that is called as they are.

        Warns
        -----
        UserWarning
            If text is missing and `na_rep` is not given.
        """
        objects = self._storables(index, columns)
        write_objects(objects, path, "truncate", file_type, num_locales=num_locales, na_rep=na_rep)

    @takes_storage_options
    def save(  # noqa: PLR0917 - Arkouda's signature
        self,
        path: Path,
        index: bool | None = None,
        columns: Sequence[str] | None = None,
        file_format: str = "HDF5",
        file_type: str = "distribute",
        compression: str | None = None,
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns as `to_hdf` does, in any format: the name of old Arkouda releases.

        Parameters
        ----------
        path, index, columns
            As in `to_hdf`.
        file_format : str, default "HDF5"
            The format.
        file_type
            As in `to_hdf`.
        compression : str, optional
            For formats that take it.
        storage_options : mapping of str to value, optional
            Options with which fsspec opens URLs, such as keys or ``anon=True``.

        Raises
        ------
        UnsupportedError
            If the format cannot be written, or not so.
        """
        objects = self._storables(index, columns)
        write_objects(objects, path, "truncate", file_type, file_format=file_format, compression=compression)

    @takes_storage_options
    def update_hdf(
        self,
        prefix_path: Path,
        index: bool | None = None,
        columns: Sequence[str] | None = None,
        repack: bool = True,
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns into the HDF5 files of a prefix, replacing columns of the same names; computes.

        `index` is as in `to_hdf`.  `repack` is accepted for compatibility with Arkouda; the space of old columns
        is always freed.

        Parameters
        ----------
        storage_options : mapping of str to value, optional
            Options with which fsspec opens URLs, such as keys or ``anon=True``.
        """
        update_objects(self._storables(index, columns), prefix_path)

    def update_parquet(
        self, prefix_path: Path, index: bool | None = None, columns: Sequence[str] | None = None
    ) -> None:
        """Write the columns into the Parquet files of a prefix, replacing columns of the same names; computes.

        Parameters
        ----------
        prefix_path : str or path
            As in `to_parquet`; the files must be there.
        index, columns
            As in `to_hdf`.

        Raises
        ------
        InconsistentFilesError
            If the files have other numbers of rows.
        MissingFileError
            If there are no files.
        WriteError
            If the files cannot be written; existing files stay as they are.
        """
        update_objects(self._storables(index, columns), prefix_path, "Parquet")

    @takes_storage_options
    def to_parquet(
        self,
        path: Path,
        index: bool | None = None,
        columns: Sequence[str] | None = None,
        compression: str | None = None,
        convert_categoricals: bool = False,
        *,
        num_locales: int | None = None,
        file_size: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns to Parquet files, which Arkouda, pandas, polars and others read; computes.

        Parameters
        ----------
        path : str or path
            Prefix and extension of the files: ``d/x.parquet`` gives ``d/x_LOCALE0000.parquet`` and so on.
        index, columns
            As in `to_hdf`.
        compression : {"snappy", "gzip", "brotli", "zstd", "lz4"}, optional
            How pages are packed, not at all unless given.
        convert_categoricals : bool, default False
            Write each Categorical as strings alone; otherwise akdask reads it as a Categorical again.
        num_locales : int, optional
            Number of files, as in `to_hdf`.
        file_size : int, optional
            Bytes of a file, as in `akdask.to_parquet`.
        storage_options : mapping of str to value, optional
            Options with which fsspec opens URLs, such as keys or ``anon=True``.
        """
        chosen = self._columns if columns is None else self._columns.only(columns)
        write_objects(
            self._storables(index, columns),
            path,
            "truncate",
            "distribute",
            num_locales=count_files(map(chosen.array, chosen.values), num_locales, file_size),
            file_format="Parquet",
            compression=compression,
            convert_categoricals=convert_categoricals,
        )

    @takes_storage_options
    def to_csv(
        self,
        path: Path,
        index: bool | None = False,
        columns: Sequence[str] | None = None,
        col_delim: str = ",",
        overwrite: bool = False,
        *,
        num_locales: int | None = None,
        na_rep: str = "",
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns to CSV files with Arkouda's header; computes.

        Times and addresses are written as their numbers.

        Parameters
        ----------
        path : str or path
            Prefix and extension of the files: ``d/x.csv`` gives ``d/x_LOCALE0000.csv`` and so on.
        index : bool, default False
            Write the labels of the rows as well, as the last column ``Index``.
        columns : list of str, optional
            The columns to write, all unless given.
        col_delim : str, default ","
            Delimiter of fields; text of any length.
        overwrite : bool, default False
            Replace files of that prefix.
        num_locales : int, optional
            Number of files, one for each partition unless given.
        na_rep : str, default ""
            Text for missing text.
        storage_options : mapping of str to value, optional
            Options with which fsspec opens URLs, such as keys or ``anon=True``.

        Raises
        ------
        ExistsError
            If there are files of that prefix, which are not to be replaced.
        UnsupportedError
            If a column holds no numbers or strings: a Categorical, for example, whose labels `to_strings` gives.
        WriteError
            If the files cannot be written; existing files stay as they are.
        """
        objects = self._storables(index, columns)
        write_csv(objects, path, col_delim, overwrite=overwrite, num_locales=num_locales, na_rep=na_rep)

    def _storables(self, index: bool | None, names: Sequence[str] | None) -> dict[str, Storable]:
        columns = self._columns if names is None else self._columns.only(names)
        labelled = columns.index is not None if index is None else index
        columns = columns.numbered() if labelled else columns
        objects = {name: columns.array(name)._storable() for name in columns.values}
        if labelled:
            _check_names(columns, "be written with its labels")
            objects[ROW_LABELS] = columns.index_array()._storable()
        return objects

    def _storable(self) -> Storable:
        """Return the frame as one object, as snapshots hold it."""
        columns = self._columns.numbered()
        _check_names(columns, "be written as one object")
        children = {ROW_LABELS: _labels(columns)}
        children.update((name, columns.array(name)._storable()) for name in columns.values)
        return Storable(ObjType.DATAFRAME, columns.frame, children=children)


def _check_names(columns: ColumnSet, purpose: str) -> None:
    taken = [name for name in columns.values if name.lower() == ROW_LABELS.lower()]
    if taken:
        raise ArgumentError(
            f"a DataFrame with a column {taken[0]!r} cannot {purpose}.",
            hint="the labels of the rows have that name in files; rename the column, or leave them with index=False.",
        )


def _labels(columns: ColumnSet) -> Storable:
    """Return the labels of the rows in a form that servers take: 64-bit numbers or Strings."""
    labels: Any = columns.index_array()
    if isinstance(labels, Categorical):
        labels = labels.to_strings()
    elif labels._value.dtype.kind == "bool":
        labels = cast(labels, "int64")
    return labels._storable().as_inner()
