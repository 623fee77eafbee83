"""Direct results: tasks of this process read columns of files straight into the arrays that a user gets.

Elsewhere each partition has its own arrays, which are joined later.  That takes twice the memory, and most of the time
goes into allocating and clearing it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask._distributed import shares_memory
from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import new_array
from akdask.columns.table import Table, concat_rows, is_slice
from akdask.deferred import is_arrow, pa
from akdask.engine.alignment import all_partitions, concat_tables
from akdask.engine.allocator import manage_freed_memory
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.optimizer import Need, ReaderNeed, ReaderNeeds, needs_of_inputs
from akdask.engine.rowwise import Chain, Project, Tasks
from akdask.engine.sources import Scan
from akdask.engine.values import ColumnRef
from akdask.errors import TransferError
from akdask.storage.source import Part
from akdask.typing import NumberArray

Columns = tuple[tuple[Hashable, Any], ...]
"""Columns of a part: their names in the table, and in the part."""


class Destination(dict[Hashable, Any]):
    """Arrays for the numbers of all partitions; the tasks of one process fill them."""

    def __reduce__(self) -> Any:
        raise TransferError(
            "columns are read into the memory of this process, and tasks run in another.",
            hint="name the scheduler with dask.config.set(scheduler=…), or make a Client the current one.",
        )


class CollectColumns(Frame):
    """All rows of a projection of stored columns, or of any with strings, in one partition.

    Strings stay in the chunks in which they are read or made if `chunked`; otherwise they are joined.
    """

    frame: Project
    chunked: bool

    @cached_property
    def planned_rows(self) -> RowSpace:
        lengths = self.frame.rows.lengths
        return RowSpace.of_lengths([sum(lengths)]) if lengths is not None else RowSpace(self._name, 1)


def can_collect(frame: Project, *, chunked: bool = False) -> bool:
    """Whether tasks share the memory of this process, and a projection is columns of files.

    A projection with strings may have any columns if the strings stay in chunks.
    """
    return shares_memory() and (
        _is_read(frame)
        or (chunked and frame.npartitions > 1 and any(value.dtype.kind == "str" for value in frame.values))
    )


def _is_read(frame: Project) -> bool:
    chain = Chain.of(frame.frame)
    return (
        not chain.selections
        and all(isinstance(base, Scan) for base in chain.bases)
        and all(
            isinstance(value, ColumnRef) and (value.dtype.is_number or value.dtype.kind == "str")
            for value in frame.values
        )
    )


@needs_of_inputs.register
def _(node: CollectColumns, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(partitions=False)


@lower.register
def _(frame: CollectColumns) -> Expr:
    project = frame.frame
    if not _is_read(project):
        return _joined(project, frame.chunked)
    lengths = project.rows.lengths
    assert lengths is not None, "files tell their rows"
    dtypes = tuple((name, value.dtype) for name, value in zip(project.names, project.values, strict=True))
    destination = Tasks(f"destination {frame._name}", _new_destination, (((), (dtypes, sum(lengths))),))
    calls = []
    for index, start in enumerate(accumulate(lengths[:-1], initial=0)):
        calls.append((((0, 0),), (_parts(project, index), start)))
    read = Tasks(f"read {frame._name}", _read, tuple(calls), destination)
    every = tuple((1, partition) for partition in range(len(lengths)))
    return Tasks(
        frame._name, _collected, ((((0, 0), *every), (dtypes, sum(lengths), frame.chunked)),), destination, read
    )


def _joined(project: Project, chunked: bool) -> Expr:
    calls = ((all_partitions(project.npartitions), ()),)
    return Tasks(f"join {project._name}", _in_chunks if chunked else concat_tables, calls, project)


def _parts(project: Project, index: int) -> tuple[tuple[Part, Columns], ...]:
    """Return the sources of one partition, with the columns of each file."""
    found = []
    for base in Chain.of(project.frame).bases:
        assert isinstance(base, Scan), "nothing else is read so"
        columns = tuple(
            (name, value.name)
            for name, value in zip(project.names, project.values, strict=True)
            if isinstance(value, ColumnRef) and value.source == base._name
        )
        if columns:
            wanted = tuple(dict.fromkeys(str(column) for _, column in columns))
            found.append((base.source.part(index, wanted), columns))
    return tuple(found)


def _new_destination(inputs: Sequence[Any], dtypes: Sequence[tuple[Hashable, ColumnType]], nrows: int) -> Destination:
    """Allocate arrays for the numbers of all partitions, in a task, so that each computation has its own arrays."""
    manage_freed_memory()
    return Destination({name: new_array(nrows, dtype.numpy) for name, dtype in dtypes if dtype.is_number})


def _read(inputs: Sequence[Any], parts: Sequence[tuple[Part, Columns]], start: int) -> dict[Hashable, pa.Array]:
    """Read the numbers of one partition to their place in the result, and return its strings."""
    (destination,) = inputs
    strings = {}
    for part, columns in parts:
        with part.open() as reader:
            for name, column in columns:
                if name in destination:
                    target: NumberArray = destination[name][start : start + part.nrows]
                    found = reader.read(column, 0, part.nrows, target)
                    if not np.may_share_memory(found, target):
                        target[:] = found
                else:
                    strings[name] = reader.read(column, 0, part.nrows)
    return strings


def _collected(
    inputs: Sequence[Any], dtypes: Sequence[tuple[Hashable, ColumnType]], nrows: int, chunked: bool
) -> Table:
    destination, *strings = inputs
    columns = {}
    for name, dtype in dtypes:
        if dtype.is_number:
            columns[name] = destination[name]
        else:
            chunks = [found[name] for found in strings]
            columns[name] = pa.chunked_array(chunks) if chunked else concat_rows(chunks)
    return Table(columns, nrows)


def _in_chunks(tables: Sequence[Table]) -> Table:
    """Concatenate tables; chunks of strings are not copied."""
    if len(tables) == 1:
        return tables[0]
    columns = {}
    for name in tables[0].columns:
        chunks = [table.columns[name] for table in tables]
        # A view of a few rows would keep the whole buffer in memory.
        in_chunks = is_arrow(chunks[0], "LargeStringArray") and not any(map(is_slice, chunks))
        columns[name] = pa.chunked_array(chunks) if in_chunks else concat_rows(chunks)
    return Table(columns, sum(table.nrows for table in tables))
