"""Writing the rows of plans to a set of files: a task for each file, and all or nothing at the end."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from akdask.columns import Table
from akdask.columns.missing_text import filled, missing_rows
from akdask.errors import AkdaskError, SchemaError, TransferError, WriteError
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.created import block_split
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.run.run import resolve_lengths, run
from akdask.plan.task.combine import Realign
from akdask.plan.task.tables import Tables, Tasks
from akdask.schema import RowSpace
from akdask.storage.formats.objects import Receipt, Writer


@dataclass(frozen=True, slots=True)
class Filling:
    """What is written in place of missing text, where files have nothing for it.

    Parameters
    ----------
    columns : frozenset
        The columns of text that may be missing.
    text : str
        What is written.
    """

    columns: frozenset[Hashable]
    text: str

    def __call__(self, rows: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], list[Hashable]]:
        """Return the columns without missing text, and which of them had any."""
        missing = {name for name in self.columns if missing_rows(rows[name]).any()}
        return {name: filled(rows[name], self.text) if name in missing else rows[name] for name in rows}, list(missing)


class Write(Frame):
    """One file for each partition; the result is one partition: a list of receipts and the columns that were filled.

    Operands after `filling` are that many frames with as many partitions as there are files, then one-partition frames
    whose tables every file gets whole.
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

    Whatever goes wrong, what was there before is there unchanged.

    Raises
    ------
    WriteError
        If a file cannot be written, a worker fails, or memory does not suffice.
    AkdaskError
        What reading or computing the rows raises.
    """
    writer.begin()
    try:
        # A write is an event, not a value: doing it again is another one.
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


def fitted(frame: Project, count: int) -> Frame:
    """Return the rows in a number of partitions; counts them where they must be cut anew."""
    if frame.npartitions == count:
        return frame
    resolve_lengths(frame)
    lengths = frame.rows.lengths
    assert lengths is not None, "resolve_lengths has just found them"
    return Realign(frame, lengths, block_split(sum(lengths), count))


def aligned(frames: Sequence[Project], count: int) -> list[Frame]:
    """Return rows that stand beside each other in each of a number of partitions; counts them where they may not.

    Raises
    ------
    SchemaError
        If there are not as many of all.
    """
    if len(frames) == 1:
        return [fitted(frames[0], count)]
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
    wanted = found[0] if len(found[0]) == count else block_split(totals[0], count)
    pairs = zip(frames, found, strict=True)
    return [frame if lengths == wanted else Realign(frame, lengths, wanted) for frame, lengths in pairs]


@lower.register
def _(frame: Write) -> Expr:
    inputs = frame.operands[3:]
    # The writer is a task of its own, so that a graph of many files holds its lists of names once.
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
    return Tasks(frame._name, list, ((tuple((0, index) for index in range(count)), ()),), written)


def _write(
    inputs: Sequence[Any], index: int, nrows: int, filling: Filling | None
) -> tuple[Receipt, Sequence[Hashable]]:
    """Write one file: the function of its task."""
    writer, *tables = inputs
    rows = _merged(tables[:nrows])
    rows, names = (rows, []) if filling is None else filling(rows)
    most = max(table.nrows for table in tables[:nrows])
    return writer.write(index, Table(rows, most), _merged(tables[nrows:])), names


def _merged(tables: Sequence[Table]) -> Mapping[Any, Any]:
    return {name: column for table in tables for name, column in table.columns.items()}
