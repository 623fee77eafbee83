"""Alignment: brings columns of several frames to common rows, or refuses; columns are never aligned by guess.

Frames that gather, repartition, limit, reverse and concatenate rows of several partitions serve it.

Arkouda knows the length of each array, so scripts combine the results of two filters that leave equally many rows. A
plan knows only counted lengths. Combining columns is the one place where lengths are counted without a request.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Hashable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from dask.system import CPU_COUNT

from akdask._dask import Expr
from akdask.cluster import partition_size
from akdask.columns.dtypes import ColumnType
from akdask.columns.table import Table
from akdask.engine import tuning
from akdask.engine.node import Frame, RowSpace, each_after_its_inputs, lower, rows_rearranged
from akdask.engine.pipeline import ITEMSIZE, Compile, pipeline
from akdask.engine.rowwise import SELECTIONS, Concat, Filter, Project, Tasks, Zip, passed_on, reselect, selected_by
from akdask.engine.sinks import Collect, Sink
from akdask.engine.sources import Literal, Rows, Scan
from akdask.engine.values import ColumnRef, Value, substitute
from akdask.errors import AlignmentError


class OverProject(Frame):
    """Base of frames with the columns of one projection."""

    no_more_rows = True
    weight = 1

    frame: Project

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns, to compute with further."""
        return ColumnRef(self._name, name, self.dtype_of(name))

    def dtype_of(self, name: Hashable) -> ColumnType:
        """Return the type of a column."""
        return self.operands[0].column(name).dtype


class Gather(OverProject):
    """All rows in one partition."""

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("gather", [self.frame.rows], 1, lambda lengths: [sum(lengths)])

    def describe(self) -> str:
        return "Rows put together"


class Limit(OverProject):
    """The first `count` rows, or the last ``-count``, in one partition."""

    frame: Project
    count: int

    @cached_property
    def planned_rows(self) -> RowSpace:
        if not self.count:
            return RowSpace.of_lengths([0])
        return rows_rearranged("limit", [self.frame.rows], 1, self._limited, self.count)

    def _limited(self, lengths: Sequence[int]) -> list[int]:
        return [min(abs(self.count), sum(lengths))]

    def of_columns(self, names: Container[Hashable]) -> Limit:
        """Return the same rows with fewer columns; rows are few, so each reader may find its own."""
        project = self.frame
        used = {name: value for name, value in zip(project.names, project.values, strict=True) if name in names}
        if len(used) == len(project.names):
            return self
        # Counting rows takes one column.
        used = used or {project.names[0]: project.values[0]}
        return Limit(Project(project.frame, tuple(used), tuple(used.values())), self.count)

    def describe(self) -> str:
        return f"{'First' if self.count >= 0 else 'Last'} {abs(self.count)} rows"


class Reverse(OverProject):
    """The rows in reverse order."""

    frame: Project

    @classmethod
    def of(cls, frame: Frame, values: Sequence[Value]) -> tuple[Reverse, list[Value]]:
        """Return columns of a frame from the last row to the first."""
        reverse = cls(Project(frame, tuple(range(len(values))), tuple(values)))
        return reverse, [reverse.column(number) for number in range(len(values))]

    @cached_property
    def planned_rows(self) -> RowSpace:
        rows = self.frame.rows
        return rows_rearranged("reverse", [rows], rows.npartitions, lambda lengths: lengths[::-1])


class Realign(OverProject):
    """The same rows in the same order, repartitioned from the lengths `given` to `lengths`."""

    frame: Project
    given: tuple[int, ...]
    lengths: tuple[int, ...]

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths(self.lengths)


def row_slices(lengths: Sequence[int], wanted: Sequence[int]) -> list[list[tuple[int, int, int]]]:
    """Return the slices of given partitions that each wanted partition consists of, as (partition, start, stop).

    Examples
    --------
    >>> row_slices([3, 2], [4, 1])
    [[(0, 0, 3), (1, 0, 1)], [(1, 1, 2)]]
    """
    starts = list(accumulate(lengths, initial=0))
    return [slices_of_range(starts, first, last) for first, last in row_bounds(wanted)]


def slices_of_range(starts: Sequence[int], first: int, last: int) -> list[tuple[int, int, int]]:
    """Return the slices of partitions, whose first rows are given, that some rows lie in."""
    slices = []
    partition = bisect_right(starts, first) - 1
    while first < last:
        stop = min(last, starts[partition + 1])
        if stop > first:
            slices.append((partition, first - starts[partition], stop - starts[partition]))
        first, partition = stop, partition + 1
    return slices


def row_bounds(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first row of each partition, and the row after its last."""
    return list(pairwise(accumulate(lengths, initial=0)))


def concat_tables(tables: Sequence[Table]) -> Table:
    """Return the rows of all tables: the function of a task."""
    return Table.concat(tables)


def _concat_limited(tables: Sequence[Table], count: int) -> Table:
    table = Table.concat(tables)
    return (
        table.slice(0, min(count, table.nrows)) if count >= 0 else table.slice(max(table.nrows + count, 0), table.nrows)
    )


def _reverse(tables: Sequence[Table]) -> Table:
    return tables[0].slice(tables[0].nrows - 1, -1, -1)


def _concat_slices(tables: Sequence[Table], ranges: Sequence[tuple[int, int]]) -> Table:
    slices = [table.slice(start, stop) for table, (start, stop) in zip(tables, ranges, strict=True)]
    return Table.concat(slices) if len(slices) > 1 else slices[0].own()


def all_partitions(count: int) -> tuple[tuple[int, int], ...]:
    """Return references to all partitions of a task's first input."""
    return tuple((0, partition) for partition in range(count))


@lower.register
def _(frame: Project) -> Expr:
    found = passed_on(frame)
    if found is not None:
        return found

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        return Collect(frame.names, compile_these(values))

    return pipeline(frame.frame, frame.values, sink, "collect " + ", ".join(map(repr, frame.names)))


@lower.register
def _(frame: Gather) -> Expr:
    if frame.frame.npartitions == 1:
        return frame.frame
    calls = ((all_partitions(frame.frame.npartitions), ()),)
    return Tasks(frame._name, concat_tables, calls, frame.frame)


@lower.register
def _(frame: Limit) -> Expr:
    project = frame.frame

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        return Collect(project.names, compile_these(values), frame.count)

    purpose = f"{frame.describe().lower()} of " + ", ".join(map(repr, project.names))
    limited = pipeline(project.frame, project.values, sink, purpose)
    return Tasks(frame._name, _concat_limited, ((all_partitions(project.npartitions), (frame.count,)),), limited)


@lower.register
def _(frame: Reverse) -> Expr:
    count = frame.npartitions
    calls = tuple((((0, count - 1 - partition),), ()) for partition in range(count))
    return Tasks(frame._name, _reverse, calls, frame.frame)


@lower.register
def _(frame: Realign) -> Expr:
    calls = []
    for slices in row_slices(frame.given, frame.lengths):
        used = slices or [(0, 0, 0)]
        refs = tuple((0, partition) for partition, _, _ in used)
        calls.append((refs, (tuple((start, stop) for _, start, stop in used),)))
    return Tasks(frame._name, _concat_slices, tuple(calls), frame.frame)


_AT_MOST = "_rows_at_most"
_ORIGIN = "_partitions_of_origin"


class Compact(OverProject):
    """The same rows in the same order, with adjacent partitions merged; `counts` has the size of each merger."""

    frame: Project
    counts: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("packed", [self.frame.rows], len(self.counts), self._joined, self.counts)

    def _joined(self, lengths: Sequence[int]) -> list[int]:
        return [sum(lengths[start:stop]) for start, stop in self.runs]

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The range of old partitions of each new one."""
        return list(pairwise(accumulate(self.counts, initial=0)))


def joined(parts: Sequence[Project]) -> Concat | Compact:
    """Concatenate the rows of projections with the same names and types."""
    concat = Concat(tuple(parts))
    count, wanted = concat.npartitions, _partitions(concat)
    if wanted is None or count < 2 * wanted:
        return concat
    bounds = pairwise(number * count // wanted for number in range(wanted + 1))
    everything = Project(concat, parts[0].names, tuple(concat.column(name) for name in parts[0].names))
    return Compact(everything, tuple(stop - start for start, stop in bounds))


def _partitions(concat: Concat) -> int | None:
    """Return the number of partitions to compact a concatenation to, None to leave it as it is.

    A concatenation of files that are read a few times stays as it is, since its partitions may be pruned and only the
    needed columns are read. The answer depends on the plan alone and not on lengths counted later, as equal plans must
    have equal partitions.
    """
    bases = {base.rows.token: base for part in concat.frames for base in part.frame.bases[:1]}
    most_times = tuning.MOST_CONCATENATED * max(
        each_after_its_inputs(base, _ORIGIN, _origin) for base in bases.values()
    )
    if all(isinstance(base, Scan | Rows | Literal) for base in bases.values()) and concat.npartitions <= most_times:
        return None
    most = rows_at_most(concat)
    if most is not None and most <= tuning.SMALL_ROWS:
        return tuning.FEW_PARTITIONS
    if concat.rows.is_fixed:
        return max(tuning.FEW_PARTITIONS, -(-sum(concat.rows.lengths or ()) * ITEMSIZE // partition_size()))
    return max(tuning.FEW_PARTITIONS, min(sum(base.npartitions for base in bases.values()), most_times))


def _origin(frame: Frame, inputs: Sequence[int]) -> int:
    """Return the largest number of partitions among the parts of a concatenation, materialized or merged since or not.

    Otherwise each step of a loop could mistake the partitions of the step before for those of its largest base.
    """
    is_seen_through = isinstance(frame, Concat | Compact | Project | Zip | Filter) or frame.is_materialized
    return max(inputs) if inputs and is_seen_through else frame.npartitions


def rows_at_most(frame: Frame) -> int | None:
    """Return an upper bound of the rows of a frame, None if the plan has none.

    Each frame on the way caches the bound, since loops need it at each step. The walk is iterative, as chains may be
    long.
    """
    stack = [frame]
    while stack:
        node = stack[-1]
        inputs = _bounding(node)
        unknown = [item for item in inputs if _AT_MOST not in item.__dict__]
        if unknown and _AT_MOST not in node.__dict__:
            stack += unknown
            continue
        stack.pop()
        if _AT_MOST not in node.__dict__:
            known = [item.__dict__[_AT_MOST] for item in inputs]
            node.__dict__[_AT_MOST] = _bound(node, known)
    found: int | None = frame.__dict__[_AT_MOST]
    return found


def _bounding(node: Frame) -> list[Frame]:
    """Return the frames that bound the rows of a frame of unknown length; the bound of a concatenation is their sum."""
    if node.rows.is_fixed:
        return []
    if isinstance(node, Concat):
        return [part.frame for part in node.frames]
    return [] if node.limiting is None else [node.limiting]


def _bound(node: Frame, known: Sequence[int | None]) -> int | None:
    if node.rows.is_fixed:
        return node.rows.size
    return sum(filter(None, known)) if known and None not in known else None


def partition_count(frame: Frame) -> int:
    """Return the number of partitions to exchange the rows of a frame into, by size.

    A small count is a multiple of the threads. Many rows make partitions as large as a worker's thread can hold.
    """
    rows = max_rows(frame)
    if rows is None:
        return frame.npartitions
    if rows <= tuning.SMALL_ROWS:
        return 1
    sizes = exchanged_partition_size(), max(partition_size(), ITEMSIZE)
    fine, coarse = (-(-rows * ITEMSIZE // nbytes) for nbytes in sizes)
    return max(min(-(-fine // CPU_COUNT) * CPU_COUNT, tuning.FINE_PARTITIONS), coarse)


def exchanged_partition_size() -> int:
    """Return the bytes of a column of a partition that an exchange makes."""
    return max(min(partition_size(), tuning.EXCHANGED_ROWS * ITEMSIZE), ITEMSIZE)


def max_rows(frame: Frame) -> int | None:
    """Return the number of rows, or of the rows that they are selected from; None if the plan tells neither.

    Counted lengths do not matter: a plan has to run in the same way before and after a count.
    """
    source = _read_from(frame).rows
    return source.size if source.is_fixed else None


_READ_FROM = "_read_from"


def _read_from(frame: Frame) -> Frame:
    """Return the frame below all selections, projections and sorts, or an earlier one whose length the plan tells.

    Frames on the way cache it, since loops need it at each step.
    """
    asked = [frame]
    while _READ_FROM not in asked[-1].__dict__ and not asked[-1].rows.is_fixed:
        node = asked[-1]
        is_over_one = node.keeps_rows or isinstance(node, (Project, *SELECTIONS))
        below = node.operands[0] if is_over_one else node.bases[0]
        if below is node:
            break
        asked.append(below)
    source: Frame = asked[-1].__dict__.get(_READ_FROM, asked[-1])
    # The last frame may be the source itself; a reference to itself would keep it until garbage is collected.
    for node in asked[:-1]:
        node.__dict__[_READ_FROM] = source
    return source


@lower.register
def _(frame: Compact) -> Expr:
    calls = tuple((tuple((0, number) for number in range(*run)), ()) for run in frame.runs)
    return Tasks(frame._name, concat_tables, calls, frame.frame)


Aligned = tuple[Frame, Value]


def align_by_plan(operation: str, items: Sequence[Aligned], *, keeps_rows: bool = False) -> tuple[Frame, list[Value]]:
    """Return one frame on which all values can be evaluated, and the values rewritten for it.

    Parameters
    ----------
    operation : str
        Name of the operation in the error message, such as ``add``.
    items : sequence of (Frame, Value)
        Values with the frames of their columns.
    keeps_rows : bool
        Whether the first item keeps its rows, however many partitions others have.

    Returns
    -------
    frame : Frame
        The rows of the item with the most partitions (of the first such item), unless the first item keeps its own. So
        small inputs are partitioned like large ones, and columns filtered by one mask have the same rows.
    values : list of Value
        In the order of the items.

    Raises
    ------
    AlignmentError
        If the rows differ, or are not known to be the same.
    """
    # No generators and no keys of sorting, as frames may have very many columns, of few frames.
    frames = {id(frame): frame for frame, _ in items}
    if len(frames) == 1:
        return items[0][0], [value for _, value in items]
    order = list(range(len(items)))
    if not keeps_rows:
        counts = {name: frame.npartitions for name, frame in frames.items()}
        if len({*counts.values()}) > 1:
            order.sort(key=lambda number: -counts[id(items[number][0])])
    frame, first = items[order[0]]
    values = [first]
    for number in order[1:]:
        other, value = items[number]
        if other is not frame:
            if keeps_rows:
                other, value = _unpacked_like(frame, other, value)
            frame, values, value = _combine(operation, frame, values, other, value)
        values.append(value)
    found = dict(zip(order, values, strict=True))
    return frame, [found[number] for number in range(len(items))]


def _combine(
    operation: str, frame: Frame, values: list[Value], other: Frame, value: Value
) -> tuple[Frame, list[Value], Value]:
    if not frame.rows.same_rows(other.rows):
        frame, values = _packed_like(other, frame, values)
        other, (value,) = _packed_like(frame, other, [value])
    if not frame.rows.same_rows(other.rows):
        other, value = _realigned(operation, frame, other, value)
    common = _side_by_side(frame, other)
    if common is not None:
        return common, values, value
    # Rows that were selected in different ways can only meet in memory.
    left, values = _settled(frame, values)
    right, (value,) = _settled(other, [value])
    return _zip(left, right), values, value


def _packed_like(packed: Frame, frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
    """Return rows repartitioned like a `Compact` of the same rows."""
    if not isinstance(packed, Compact) or packed.frame.rows.token != frame.rows.token:
        return frame, values
    new = Compact(Project(frame, tuple(range(len(values))), tuple(values)), packed.counts)
    return new, [new.column(number) for number in range(len(values))]


def _unpacked_like(frame: Frame, packed: Frame, value: Value) -> Aligned:
    """Return a value of a `Compact` on the unmerged partitions, if a frame of the same rows has these."""
    if not isinstance(packed, Compact) or packed.frame.rows.token != frame.rows.token:
        return packed, value
    rows = packed.frame
    return rows, substitute(value, {packed.column(name).token: rows.column(name) for name in rows.names})


def _realigned(operation: str, frame: Frame, other: Frame, value: Value) -> Aligned:
    """Repartition a frame like another frame with the same number of rows."""
    lengths, given = frame.rows.lengths, other.rows.lengths
    if lengths is None or given is None or sum(lengths) != sum(given):
        raise AlignmentError(
            f"cannot {operation} columns that do not share rows.",
            details=[_side_in_words("left", frame), _side_in_words("right", other)],
            hint="apply the same mask to both sides.",
        )
    realigned = Realign(Project(other, (0,), (value,)), given, lengths)
    return realigned, realigned.column(0)


def _side_by_side(left: Frame, right: Frame) -> Frame | None:
    """Return a frame with the columns of both, under unchanged references; None if there is none."""
    if left is right:
        return left
    if not (isinstance(left, SELECTIONS) or isinstance(right, SELECTIONS)):
        return _zip(left, right)
    if not isinstance(left, SELECTIONS) or not isinstance(right, SELECTIONS):
        return None
    # Equal selections of different rows (no rows of either, for example) do not make the rows equal.
    if selected_by(left) != selected_by(right) or not left.frame.rows.same_rows(right.frame.rows):
        return None
    inner = _side_by_side(left.frame, right.frame)
    return None if inner is None else reselect(inner, left)


def _settled(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
    """Return a frame without selections; the values become its columns if the given frame has any selection."""
    if not isinstance(frame, SELECTIONS):
        return frame, values
    project = Project(frame, tuple(range(len(values))), tuple(values))
    return project, [project.column(number) for number in range(len(values))]


def _zip(left: Frame, right: Frame) -> Frame:
    bases = {base._name: base for base in (*left.bases, *right.bases)}
    return Zip(tuple(bases.values())) if len(bases) > 1 else left


def _side_in_words(side: str, frame: Frame) -> str:
    sources = ", ".join(dict.fromkeys(base.describe().split("  ")[0] for base in frame.bases))
    selected = "selection from " if isinstance(frame, SELECTIONS) else ""
    rows = frame.rows
    size = "" if rows.size is None else f"{rows.size:,} row{'' if rows.size == 1 else 's'} in "
    return f"{side + ':':6} {size}{rows.describe()}   from {selected}{sources}"


def align(operation: str, items: Sequence[Aligned], *, keeps_rows: bool = False) -> tuple[Frame, list[Value]]:
    """Return one frame on which all values can be evaluated, and the values there, as `align_by_plan` does.

    Counts rows of unknown number, in one computation, where the plan does not tell that all have the same rows.

    Raises
    ------
    AlignmentError
        If the rows differ in number.
    """
    try:
        return align_by_plan(operation, items, keeps_rows=keeps_rows)
    except AlignmentError:
        if not _may_share_rows([frame for frame, _ in items]):
            raise
    from akdask.engine.run import resolve_lengths

    resolve_lengths(*[frame for frame, _ in items])
    return align_by_plan(operation, items, keeps_rows=keeps_rows)


def share_rows(operation: str, items: Sequence[Aligned]) -> Sequence[Aligned]:
    """Return columns unchanged, for a node that aligns them itself; count their rows where `align` would."""
    align(operation, items)
    return items


def _may_share_rows(frames: Sequence[Frame]) -> bool:
    """Whether a count may show equal lengths: some frames are not counted, and no two are known to differ."""
    rows = [frame.rows for frame in frames]
    return any(item.lengths is None for item in rows) and len({item.size for item in rows} - {None}) < 2
