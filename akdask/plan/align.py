"""Bringing values of several frames onto common rows, or refusing to: columns are never aligned by guess."""

from __future__ import annotations

from collections.abc import Sequence

from akdask.errors import AlignmentError
from akdask.plan.combine import Realign
from akdask.plan.node import Frame
from akdask.plan.rowwise import SELECTIONS, Filter, Partitions, Project, Slice, Zip
from akdask.plan.values import Value

Aligned = tuple[Frame, Value]


def align(operation: str, items: Sequence[Aligned]) -> tuple[Frame, list[Value]]:
    """Return one frame on which all values can be evaluated, and the values as they read there.

    Parameters
    ----------
    operation : str
        What the values are needed for, for the error message: ``add``.
    items : sequence of (Frame, Value)
        Values with the frames that their columns come from.

    Returns
    -------
    frame : Frame
        With the rows of the first item.
    values : list of Value
        In the order of the items.

    Raises
    ------
    AlignmentError
        If the rows differ, or cannot be known to be the same.
    """
    frame, first = items[0]
    values = [first]
    for item in items[1:]:
        other, value = item
        if other is not frame:
            frame, values, value = _combine(operation, frame, values, other, value)
        values.append(value)
    return frame, values


def _combine(
    operation: str, frame: Frame, values: list[Value], other: Frame, value: Value
) -> tuple[Frame, list[Value], Value]:
    if not frame.rows.same_rows(other.rows):
        other, value = _realigned(operation, frame, other, value)
    common = _side_by_side(frame, other)
    if common is not None:
        return common, values, value
    # Rows that were selected in different ways can only meet in memory.
    left, values = _settled(frame, values)
    right, (value,) = _settled(other, [value])
    return _zip(left, right), values, value


def _realigned(operation: str, frame: Frame, other: Frame, value: Value) -> Aligned:
    """Cut rows of the same number into the partitions of another frame."""
    lengths, given = frame.rows.lengths, other.rows.lengths
    if lengths is None or given is None or sum(lengths) != sum(given):
        raise AlignmentError(
            f"cannot {operation} columns that do not share rows.",
            details=[_origin("left", frame), _origin("right", other)],
            hint="apply the same mask to both sides, or call .resolve_lengths() on rows of unknown number first.",
        )
    realigned = Realign(Project(other, (0,), (value,)), given, lengths)
    return realigned, realigned.column(0)


def _side_by_side(left: Frame, right: Frame) -> Frame | None:
    """Return a frame that shows the columns of both without changing what values refer to, None if there is none."""
    if left is right:
        return left
    match left, right:
        case Filter(), Filter() if left.predicate == right.predicate:
            inner = _side_by_side(left.frame, right.frame)
            return None if inner is None else Filter(inner, left.predicate)
        case Slice(), Slice() if left.ranges == right.ranges:
            inner = _side_by_side(left.frame, right.frame)
            return None if inner is None else Slice(inner, left.ranges)
        case Partitions(), Partitions() if left.numbers == right.numbers:
            inner = _side_by_side(left.frame, right.frame)
            return None if inner is None else Partitions(inner, left.numbers)
    if isinstance(left, SELECTIONS) or isinstance(right, SELECTIONS):
        return None
    return _zip(left, right)


def _settled(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
    """Return a frame that selects no rows, with the values as its columns where the given one does."""
    if not isinstance(frame, SELECTIONS):
        return frame, values
    project = Project(frame, tuple(range(len(values))), tuple(values))
    return project, [project.column(number) for number in range(len(values))]


def _zip(left: Frame, right: Frame) -> Frame:
    bases = {base._name: base for base in (*left.bases, *right.bases)}
    return Zip(tuple(bases.values())) if len(bases) > 1 else left


def _origin(side: str, frame: Frame) -> str:
    sources = ", ".join(dict.fromkeys(base.describe().split("  ")[0] for base in frame.bases))
    selected = "selection from " if isinstance(frame, SELECTIONS) else ""
    return f"{side + ':':6} {frame.rows.describe()}   from {selected}{sources}"
