"""Alignment: brings columns of several frames to common rows, or refuses; columns are never aligned by guess."""

from __future__ import annotations

from collections.abc import Sequence

from akdask.engine.combine import Compact, Realign
from akdask.engine.missing import recombined, separated
from akdask.engine.node import Frame
from akdask.engine.rowwise import SELECTIONS, Project, Zip, reselect, selected_by
from akdask.engine.values import Value, substitute
from akdask.errors import AlignmentError

Aligned = tuple[Frame, Value]


def align(operation: str, items: Sequence[Aligned], *, keeps_rows: bool = False) -> tuple[Frame, list[Value]]:
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
    apart = separated(values)
    new = Compact(Project(frame, tuple(range(len(apart))), tuple(apart)), packed.counts)
    return new, recombined(values, [new.column(number) for number in range(len(apart))])


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
            details=[_origin("left", frame), _origin("right", other)],
            hint="apply the same mask to both sides.",
        )
    apart = separated([value])
    realigned = Realign(Project(other, tuple(range(len(apart))), tuple(apart)), given, lengths)
    return realigned, recombined([value], [realigned.column(number) for number in range(len(apart))])[0]


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
    apart = separated(values)
    project = Project(frame, tuple(range(len(apart))), tuple(apart))
    return project, recombined(values, [project.column(number) for number in range(len(apart))])


def _zip(left: Frame, right: Frame) -> Frame:
    bases = {base._name: base for base in (*left.bases, *right.bases)}
    return Zip(tuple(bases.values())) if len(bases) > 1 else left


def _origin(side: str, frame: Frame) -> str:
    sources = ", ".join(dict.fromkeys(base.describe().split("  ")[0] for base in frame.bases))
    selected = "selection from " if isinstance(frame, SELECTIONS) else ""
    rows = frame.rows
    size = "" if rows.size is None else f"{rows.size:,} row{'' if rows.size == 1 else 's'} in "
    return f"{side + ':':6} {size}{rows.describe()}   from {selected}{sources}"
