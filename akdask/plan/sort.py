"""Rows in order of their keys: cut into ranges of about equal size, each put in order by one task."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from akdask.plan import sinks
from akdask.plan._dask import Expr
from akdask.plan.align import Aligned, align
from akdask.plan.boundaries import Boundaries
from akdask.plan.chain import Chain, mask_name
from akdask.plan.combine import OfProject
from akdask.plan.exchange import exchanged, partition_count
from akdask.plan.lengths import uncounted_rows
from akdask.plan.lower import lower
from akdask.plan.node import Frame
from akdask.plan.numbered import row_numbers
from akdask.plan.pipeline import Compile, pipeline
from akdask.plan.program import Whole
from akdask.plan.rowwise import Project
from akdask.plan.runs import ROW, PutInOrder, Split, sort_tables
from akdask.plan.tables import Tasks
from akdask.plan.tokens import token
from akdask.plan.values import ColumnRef, Replica, Value
from akdask.schema import INT64, RowSpace

MOST_SAMPLED = 2**11
"""Of so many rows, at least one is looked at to find the ranges."""

SAMPLES = 32
"""Rows of a partition that are looked at, where it has so many."""


class Sort(OfProject):
    """The columns `names` of a projection, with its rows in order of the columns `by`; equal rows stay in order.

    `order` names the rows: all that is sorted by the same keys shares rows.  `count` is the number of partitions and
    `stride` how the ranges are found (`Boundaries`).  If `straddle`, rows with equal keys may be parted by their number,
    which is the column `ROW` of the projection.
    """

    frame: Project
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    names: tuple[Hashable, ...]
    order: str
    count: int
    stride: int
    straddle: bool

    @property
    def rows(self) -> RowSpace:
        size = self.frame.rows.size
        if self.count == 1 and size is not None:
            return RowSpace.of_lengths([size])
        return uncounted_rows(self.order, self.count, size)

    @property
    def keys(self) -> tuple[Value, ...]:
        """What the rows are ordered by."""
        return tuple(self.value(name) for name in self.by)

    def value(self, name: Hashable) -> Value:
        """Return what a column is computed by."""
        return self.frame.values[self.frame.names.index(name)]

    def describe(self) -> str:
        keys = zip(self.keys, self.ascending, strict=True)
        return "Sort by " + ", ".join(f"{value!r}{'' if upwards else ' descending'}" for value, upwards in keys)


class Kept(OfProject):
    """A projection whose results stay in memory, for those who go over them twice."""

    frame: Project

    @property
    def rows(self) -> RowSpace:
        return self.frame.rows


def sorted_rows(
    keys: Sequence[Aligned], ascending: Sequence[bool], payload: Sequence[Aligned] = (), *, with_row: bool = False
) -> tuple[Sort, list[ColumnRef]]:
    """Return columns in order of some keys, and the number that each row had if asked for, which comes last.

    Raises
    ------
    AlignmentError
        If keys and payload do not share rows.
    """
    frame, values = align("sort", [*keys, *payload])
    straddle = frame.rows.lengths is not None
    count, stride = partition_count(frame), _stride(frame)
    named = tuple(mask_name(*key) for key in keys)
    order = token("sort", frame.rows.token, named, tuple(ascending), count, stride, straddle)
    if straddle or with_row:
        frame, values = align("number", [*((frame, value) for value in values), row_numbers(frame)])
    names: dict[Value, Hashable] = {value: number for number, value in enumerate(values)}
    if straddle or with_row:
        names[values[-1]] = ROW
    by = tuple(names[value] for value in values[: len(keys)])
    wanted = [names[value] for value in values[len(keys) : len(keys) + len(payload)]] + [ROW] * with_row
    project = Project(frame, tuple(names.values()), tuple(names))
    sort = Sort(project, by, tuple(ascending), tuple(dict.fromkeys(wanted)), order, count, stride, straddle)
    return sort, [sort.column(name) for name in wanted]


def _stride(frame: Frame) -> int:
    """Look at one row in 8,192, and at some rows of each partition where these are small."""
    lengths = frame.rows.lengths
    if lengths is None:
        return MOST_SAMPLED // SAMPLES
    return min(max(sum(lengths) // (len(lengths) * SAMPLES), 1), MOST_SAMPLED)


@lower.register
def _(frame: Kept) -> Expr:
    return lower(frame.frame)


@lower.register
def _(frame: Sort) -> Expr:
    if frame.count == 1:
        everything = tuple((0, index) for index in range(frame.frame.npartitions))
        return Tasks(frame._name, sort_tables, ((everything, (frame.by, frame.ascending, frame.names)),), frame.frame)
    source, values = _read_twice(frame)
    by = tuple(values[name] for name in frame.by)
    boundaries = Boundaries(source, by, frame.ascending, frame.count, frame.stride, frame.straddle)
    names = tuple(dict.fromkeys([*frame.by, *frame.names, *([ROW] if frame.straddle else [])]))

    def sink(compile_these: Compile, given: Sequence[Value]) -> sinks.Sink:
        (marks,) = compile_these(given[-1:]).steps
        assert isinstance(marks, Whole), "a replica is whole"
        return Split(names, frame.names, frame.by, frame.ascending, compile_these(given[:-1]), marks, frame.count)

    given = [*(values[name] for name in names), Replica(boundaries, 0, INT64)]
    split = pipeline(source, given, sink, f"split {frame._name}")
    return exchanged(split, frame.count, PutInOrder(frame.names, tuple(map(frame.dtype_of, frame.names))))


def _read_twice(frame: Sort) -> tuple[Frame, dict[Hashable, Value]]:
    """Return where to read the columns from, once to find the ranges and once to cut at them.

    Numbers are read from files again; what takes work to find is kept in memory.
    """
    project = frame.frame
    is_plain = all(isinstance(value, ColumnRef) and value.dtype.is_number for value in frame.keys)
    if is_plain and not Chain.of(project.frame).selections:
        return project.frame, dict(zip(project.names, project.values, strict=True))
    kept = Kept(project)
    return kept, {name: kept.column(name) for name in project.names}
