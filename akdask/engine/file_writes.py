"""Writes: one task writes each file of a set, and the end commits all files or none."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from akdask._dask import Expr
from akdask.cluster import partition_size
from akdask.columns.strings import filled, missing_rows
from akdask.columns.table import Table
from akdask.engine.alignment import Realign
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.rowwise import Project, Tables, Tasks
from akdask.engine.run import resolve_lengths, run
from akdask.engine.sources import block_split
from akdask.engine.values import assumed_width
from akdask.errors import AkdaskError, SchemaError, TransferError, WriteError
from akdask.records import record
from akdask.storage.objects import JoiningWriter, Receipt, Writer


@record
class Filling:
    """Replacement of missing text, for file formats that cannot store it.

    Parameters
    ----------
    columns : frozenset
        The text columns that may have missing rows.
    text : str
        The replacement.
    """

    columns: frozenset[Hashable]
    text: str

    def __call__(self, rows: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], list[Hashable]]:
        """Return the columns without missing text, and the names of columns that had any."""
        missing = {name for name in self.columns if missing_rows(rows[name]).any()}
        return {name: filled(rows[name], self.text) if name in missing else rows[name] for name in rows}, list(missing)


class Write(Frame):
    """One file for each partition; the result is one partition with a list of receipts and the filled columns.

    Operands after `filling` are the frames, with as many partitions as there are files, then one-partition frames whose
    tables every file gets whole.
    """

    writer: Writer
    nrows: int
    filling: Filling | None

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([self.writer.npartitions])

    @property
    def npartitions(self) -> int:
        return 1

    def describe(self) -> str:
        return f"Write {self.writer.path}  {self.writer.npartitions} files"


def write(
    writer: Writer, rows: Sequence[Frame], tables: Sequence[Frame], filling: Filling | None = None
) -> tuple[list[str], set[Hashable]]:
    """Write frames with a writer that has not begun; return the files and the columns that were filled.  Computes.

    After any error, existing files are unchanged.

    Raises
    ------
    WriteError
        If a file cannot be written, a worker fails, or memory does not suffice.
    AkdaskError
        Any error of reading or computing the rows.
    """
    writer.begin()
    try:
        # A write is an event, not a value; the same plan written again is another write.
        (found,) = run(Write(writer, len(rows), filling, *rows, *tables, _determ_token=uuid4().hex))
    except Exception as error:
        writer.abort()
        if isinstance(error, AkdaskError) and not isinstance(error, TransferError):
            raise
        raise WriteError(
            f"{writer.path!r} was not written: {type(error).__name__}: {error}",
            hint="the files that were there before are untouched.",
        ) from error
    except BaseException:
        writer.abort()
        raise
    return writer.commit([receipt for receipt, _ in found]), {name for _, names in found for name in names}


def fitted(frame: Project, count: int, per_file: int = 1) -> Frame:
    """Return the rows in a number of partitions for each file; counts them if they must be repartitioned."""
    if frame.npartitions == count and per_file == 1:
        return frame
    return cut(frame, lambda nrows: file_split(nrows, count, per_file))


def file_split(nrows: int, count: int, per_file: int) -> tuple[int, ...]:
    """Return the lengths of partitions, several for each file; files have the same rows as Arkouda's servers give them.

    Examples
    --------
    >>> file_split(10, 4, 2), file_split(10, 4, 1)
    ((3, 2, 3, 2), (3, 2, 3, 2))
    """
    files = block_split(nrows, count // per_file)
    return tuple(length for rows in files for length in block_split(rows, per_file))


def partitions_per_file(frames: Sequence[Project], count: int) -> int:
    """Return the number of partitions that each file is made from, so that no large file is in memory as a whole.

    If a file may be larger than a partition, it is the number of partitions read for it; otherwise one, which is
    faster.
    """
    most = max(-(-frame.npartitions // count) for frame in frames)
    if most == 1:
        return 1
    nbytes = 0
    for frame in frames:
        resolve_lengths(frame)
        nbytes += sum(frame.rows.lengths or ()) * sum(map(assumed_width, frame.values))
    return most if nbytes > partition_size() * count else 1


def cut(frame: Project, bounds: Callable[[int], Sequence[int]]) -> Frame:
    """Return the rows in partitions of lengths that depend on their number; counts them."""
    resolve_lengths(frame)
    lengths = frame.rows.lengths
    assert lengths is not None, "resolve_lengths has just found them"
    wanted = tuple(bounds(sum(lengths)))
    return frame if wanted == tuple(lengths) else Realign(frame, lengths, wanted)


def aligned(frames: Sequence[Project], count: int, per_file: int = 1) -> list[Frame]:
    """Return frames with equal partitions, the given number for each file. Counts the rows if they may differ.

    Raises
    ------
    SchemaError
        If the frames have different numbers of rows.
    """
    if len(frames) == 1:
        return [fitted(frames[0], count, per_file)]
    for frame in frames:
        resolve_lengths(frame)
    found = [frame.rows.lengths or () for frame in frames]
    totals = [sum(lengths) for lengths in found]
    if len(set(totals)) > 1:
        raise SchemaError(
            "the columns of a table have as many rows each.",
            details=[f"{frame.names[0]}: {total:,} rows" for frame, total in zip(frames, totals, strict=True)],
            hint="write columns of other lengths to files of their own.",
        )
    is_cut = len(found[0]) == count and per_file == 1
    wanted = found[0] if is_cut else file_split(totals[0], count, per_file)
    pairs = zip(frames, found, strict=True)
    return [frame if lengths == wanted else Realign(frame, lengths, wanted) for frame, lengths in pairs]


@lower.register
def _(frame: Write) -> Expr:
    inputs = frame.operands[3:]
    # The writer is a task of its own, so that a graph of many files holds its list of names once.
    writer = Tables(f"writer {frame._name}", (frame.writer,), _determ_token=uuid4().hex)
    shared = tuple((1 + number, 0) for number in range(frame.nrows, len(inputs)))
    count = frame.writer.npartitions
    calls = tuple(
        (
            ((0, 0), *((1 + number, index) for number in range(frame.nrows)), *shared),
            (index, frame.nrows, frame.filling),
        )
        for index in range(count)
    )
    written = Tasks(f"write {frame._name}", _write, calls, writer, *inputs)
    per_file = frame.writer.per_file if isinstance(frame.writer, JoiningWriter) else 1
    if per_file > 1:
        count //= per_file
        of_file = (tuple((1, file * per_file + number) for number in range(per_file)) for file in range(count))
        joins = tuple((((0, 0), *refs), (file,)) for file, refs in enumerate(of_file))
        written = Tasks(f"join {frame._name}", _join, joins, writer, written)
    return Tasks(frame._name, list, ((tuple((0, index) for index in range(count)), ()),), written)


def _write(
    inputs: Sequence[Any], index: int, nrows: int, filling: Filling | None
) -> tuple[Receipt, Sequence[Hashable]]:
    """Write one file.  This is the function of its task."""
    writer, *tables = inputs
    rows = _merged(tables[:nrows])
    rows, names = (rows, []) if filling is None else filling(rows)
    most = max(table.nrows for table in tables[:nrows])
    return writer.write(index, Table(rows, most), _merged(tables[nrows:])), names


def _join(inputs: Sequence[Any], index: int) -> tuple[Receipt, Sequence[Hashable]]:
    """Make one file from the results of several partitions.  This is the function of its task."""
    writer, *written = inputs
    receipt = writer.join(index, [receipt for receipt, _ in written])
    return receipt, list(dict.fromkeys(name for _, names in written for name in names))


def _merged(tables: Sequence[Table]) -> Mapping[Any, Any]:
    return {name: column for table in tables for name, column in table.columns.items()}
