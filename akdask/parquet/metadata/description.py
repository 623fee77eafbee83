"""What is known of one file without its data: columns, row groups, and where each column chunk lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from akdask.errors import FileFormatError
from akdask.parquet.metadata.columns import ParquetColumn, columns_of
from akdask.parquet.metadata.row_groups import PROBLEMS
from akdask.storage.data.compared import FileSums
from akdask.storage.paths.files import FileIdentity


@dataclass(frozen=True)
class FileSchema:
    """What files have in common that are made alike.

    Parameters
    ----------
    columns : tuple of ParquetColumn
        All columns, in the order of the file.
    footer : bytes
        The footer of one of them, from which a manifest makes the columns again.
    leaves : int
        Leaves of the schema.
    """

    columns: tuple[ParquetColumn, ...]
    footer: bytes = field(repr=False)
    leaves: int

    @classmethod
    def of(cls, metadata: pq.FileMetaData, footer: bytes) -> FileSchema:
        """Return what a footer tells; for errors see `columns_of`."""
        return cls(columns_of(metadata), footer, len(metadata.schema))

    @cached_property
    def named(self) -> Mapping[str, ParquetColumn]:
        """The columns by name."""
        return {column.name: column for column in self.columns}


@dataclass(frozen=True, slots=True, eq=False)
class ParquetFileDescription:
    """One file.

    Parameters
    ----------
    file : FileIdentity
        Which file, in which state.
    schema : FileSchema
        Its columns.
    rows : ndarray, shape (nrowgroups,), int64
        Rows of each row group.
    chunks : ndarray, shape (nleaves, nrowgroups), dtype `CHUNK`
        Where the columns lie.
    sums : FileSums, optional
        The checksums of the file, if a manifest has them.
    is_proven : bool, default True
        Whether they are those of this file, and not of what it may be a copy of.
    """

    file: FileIdentity
    schema: FileSchema
    rows: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.void]
    sums: FileSums | None = None
    is_proven: bool = True

    @property
    def columns(self) -> Mapping[str, ParquetColumn]:
        """The columns by name."""
        return self.schema.named

    @property
    def nrows(self) -> int:
        """Rows of all row groups."""
        return sum(self.rows.tolist())

    def chunks_of(self, column: ParquetColumn) -> npt.NDArray[np.void]:
        """Return the chunks of a column's first leaf, shape (nrowgroups,).

        Raises
        ------
        FileFormatError
            If one of the column's cannot be read.
        """
        leaves = self.chunks[column.leaf : column.leaf + column.leaves]
        if leaves["problem"].any():
            group = int(np.flatnonzero(leaves["problem"].any(axis=0))[0])
            raise FileFormatError(
                f"column {column.name!r} of {self.file.path!r} cannot be read: "
                f"{PROBLEMS[int(leaves['problem'][:, group].max())]}.",
                details=[f"row group {group}"],
                hint="the file is damaged; write it again, or read its other columns.",
            )
        found: npt.NDArray[np.void] = leaves[0]
        return found

    def at(self, path: str) -> ParquetFileDescription:
        """Return the description of the file when it is in another place."""
        return replace(self, file=replace(self.file, path=path))
