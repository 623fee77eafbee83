"""A set of Parquet files as one thing: what it holds, and the source to scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from akdask import config
from akdask.cluster import partition_size
from akdask.errors import FileFormatError, MissingDatasetError
from akdask.parquet.metadata.description import ParquetFileDescription
from akdask.parquet.metadata.footers import inspect_ahead, inspect_file
from akdask.parquet.metadata.manifest import ParquetManifest
from akdask.parquet.reading.partitions import partitions_of
from akdask.parquet.sets.agreement import ColumnAgreement, ColumnsOfSet, NullsOfSet
from akdask.parquet.sets.hive import roots_of
from akdask.parquet.sets.source import ParquetSource
from akdask.storage.formats.differences import Difference, differing_error, warn_of_left_out
from akdask.storage.formats.objects import LEVEL, VALUES, ObjType, StoredColumn, StoredObject
from akdask.storage.formats.opening import SetOpener, manifest_describer, shown, warn_of_skipped
from akdask.storage.paths.locales import Filenames

_MOST_ROWS = 2**62


@dataclass(frozen=True, slots=True)
class ParquetReadOptions:
    """How a set is read.

    Parameters
    ----------
    read_nested : bool
        Whether lists are read unless they are named.
    null_indices : bool
        Whether not columns are wanted, but which of their rows are null.
    partition_size : int
        Bytes of a column of a partition.
    manifest : bool
        Use the manifest of the set.
    roots : tuple of str
        Folders below which folders name columns.
    widen : bool
        Whether numbers of different types go together.
    label : str
        How a user names the set.
    """

    read_nested: bool
    null_indices: bool
    partition_size: int
    manifest: bool
    roots: tuple[str, ...]
    widen: bool
    label: str


class ParquetSet:
    """Files that belong together, described but not read; implements `akdask.storage.formats.objects.StoredSet`.

    Parameters
    ----------
    files : sequence of ParquetFileDescription
        In the order of the rows.
    options : ParquetReadOptions
        How they are read.
    allow_errors : bool
        Leave out files that lack what is asked for, with a warning.
    """

    def __init__(
        self, files: Sequence[ParquetFileDescription], options: ParquetReadOptions, *, allow_errors: bool
    ) -> None:
        self._files = tuple(files)
        self._options = options
        self._allow_errors = allow_errors

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in order."""
        return tuple(file.file.path for file in self._files)

    @cached_property
    def kinds(self) -> Mapping[str, ObjType]:
        """Kinds of all columns, in the order of the first file; also of those that cannot be read."""
        found = {name: self._agreement.kind(name) for name in self._agreement.names}
        if self._options.read_nested:
            return found
        return {name: kind for name, kind in found.items() if kind != ObjType.SEGARRAY}

    def objects(self, names: Sequence[str] | None = None) -> dict[str, StoredObject]:
        """Return the columns of the given names, all that can be read if None, ready to be scanned.

        Reads no data, except where a column of whole numbers may have nulls and no statistics tell.

        Raises
        ------
        MissingDatasetError
            If there is no column of a name.
        InconsistentFilesError
            If a file lacks a column, or has it in another type; all such files are told.
        UnsupportedError
            If a column is of a type that cannot be read.
        """
        agreement = self._agreement
        wanted = self._readable() if names is None else list(dict.fromkeys(names))
        missing = [name for name in wanted if not agreement.has(name)]
        if missing:
            raise MissingDatasetError(
                f"{self._options.label} has no column {', '.join(map(repr, missing))}.",
                details=[f"columns: {', '.join(agreement.names)}"],
                hint="name some of these, or none for all.",
            )
        agreement.check_readable(wanted)
        source = self._source_of(wanted)
        return {name: _stored(source, name) for name in wanted}

    @property
    def differences(self) -> Mapping[str, Difference]:
        """Columns that the files have differently, and how."""
        return {name: found for name, found in self._agreement.differences.items() if name in self.kinds}

    def _readable(self) -> list[str]:
        """Return the columns that are read where none are named.

        These are all but those that cannot be read, and those that the files have differently.  Of sets whose files
        may be left out they are those of the first file.
        """
        refusals = {name: self._agreement.refusal(name) for name in self.kinds}
        unreadable = {name: refusal for name, refusal in refusals.items() if refusal is not None}
        differing = {name: found for name, found in self.differences.items() if self._leaves_out(name)}
        differing = {name: found for name, found in differing.items() if name not in unreadable}
        rest = [name for name in self.kinds if name not in differing and name not in unreadable]
        if not rest and differing:
            raise differing_error(differing)
        if not rest:
            return list(unreadable)
        warn_of_left_out(self._options.label, differing, unreadable)
        return rest

    def _leaves_out(self, name: str) -> bool:
        """Whether a column that files have differently is left out, rather than the files."""
        return not self._allow_errors or name not in next(
            (file.schema.named for file in self._files if file.schema.columns), {}
        )

    @cached_property
    def _agreement(self) -> ColumnAgreement:
        return ColumnAgreement(self._files, self._options.roots, widen=self._options.widen)

    @cached_property
    def _source(self) -> ParquetSource:
        return self._source_over(self._agreement)

    def _source_of(self, names: Sequence[str]) -> ParquetSource:
        differing = {name: found for name in names if (found := self._agreement.differences.get(name)) is not None}
        if not differing:
            return self._source
        error = differing_error(differing)
        unlike = self._agreement.unlike_first(differing)
        if not self._allow_errors or len(unlike) == len(self._files):
            raise error
        warn_of_skipped(error.details, len(unlike))
        rest = [file for number, file in enumerate(self._files) if number not in unlike]
        return self._source_over(ColumnAgreement(rest, self._options.roots, widen=self._options.widen))

    def _source_over(self, agreement: ColumnAgreement) -> ParquetSource:
        rows = sum(file.nrows for file in agreement.files)
        if rows >= _MOST_ROWS:
            raise FileFormatError(f"the files of {self._options.label} claim {rows:,} rows.")
        partitions = partitions_of(agreement.files, self._options.partition_size)
        columns = (NullsOfSet if self._options.null_indices else ColumnsOfSet)(agreement)
        return ParquetSource(agreement.files, columns, partitions, self._options.label)


def _stored(source: ParquetSource, name: str) -> StoredObject:
    column = source.column(name)
    found = StoredObject(name, column.kind, {VALUES: StoredColumn(source, name)}, params=source.params(name))
    if column.kind != ObjType.INDEX:
        return found
    return StoredObject(name, column.kind, {}, {f"{LEVEL}0": replace(found, kind=ObjType.PDARRAY)}, {"count": 1})


def open_set(
    filenames: Filenames,
    *,
    allow_errors: bool = False,
    read_nested: bool = True,
    null_indices: bool = False,
    widen: bool = False,
) -> ParquetSet:
    """Open a set of Parquet files: find them and read their footers.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Each a file, a folder or a glob pattern.
    allow_errors : bool, default False
        Leave out files that are missing or cannot be read, with one warning.
    read_nested : bool, default True
        Read lists as well, unless columns are named.
    null_indices : bool, default False
        Give for each column which of its rows are null, as 0 and 1.
    widen : bool, default False
        Read numbers that files have in different types in one that has all of them.

    Returns
    -------
    ParquetSet
        The same one as before, if the files have not changed.

    Raises
    ------
    MissingFileError, InconsistentFilesError, FileFormatError
        If files are missing, missing from within a set, or not readable as Parquet.
    """
    label = f"read_parquet({shown(filenames)})"
    options = ParquetReadOptions(
        read_nested, null_indices, partition_size(), config.get("manifest"), roots_of(filenames), widen, label
    )
    return _OPENER.open(
        filenames,
        options,
        lambda files: ParquetSet(files, options, allow_errors=allow_errors),
        allow_errors=allow_errors,
    )


_OPENER: SetOpener[ParquetFileDescription, ParquetSet] = SetOpener(
    manifest_describer(ParquetManifest, inspect_ahead, inspect_file)
)
