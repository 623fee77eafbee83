"""Joins: the rows of one frame, each with those rows of another that have the same keys.

Here is chosen how: every task holds the other side whole, or, where that is too large, rows of both are exchanged.
Pairs, their order and their row space are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from akdask.plan.align import Aligned, align
from akdask.plan.buckets import FOUND, Kind
from akdask.plan.chain import column_identity
from akdask.plan.exchange import partition_count
from akdask.plan.hashjoin import HashJoin
from akdask.plan.held import held, is_held
from akdask.plan.lengths import ColumnIdentity
from akdask.plan.membership import Indexed, KeySets
from akdask.plan.node import Frame
from akdask.plan.numbered import row_numbers
from akdask.plan.rowwise import Match, Project
from akdask.plan.tokens import token
from akdask.plan.values import Call, Constant, Value

_NO_PAIRS = ColumnIdentity("no pairs")
"""Stands for pairs where rows are only marked, and stay as they are."""


@dataclass(frozen=True, slots=True)
class Side:
    """Rows of a frame, the keys that they are joined by, and what is wanted of them."""

    frame: Frame
    keys: Sequence[Value]
    columns: Sequence[Value] = ()

    @property
    def is_held(self) -> bool:
        """Whether every task can hold it whole."""
        return is_held(self.frame, [*self.keys, *self.columns])

    def numbered(self) -> Side:
        """Return the side with the number of each row as one column more."""
        given = [*self.keys, *self.columns]
        frame, values = align("number", [*((self.frame, value) for value in given), row_numbers(self.frame)])
        return Side(frame, values[: len(self.keys)], values[len(self.keys) :])


@dataclass(frozen=True, slots=True)
class Paired:
    """Columns of both sides on the rows of a join; `lacks` tells which of them lack a match."""

    frame: Frame
    left: Sequence[Value]
    right: Sequence[Value]
    lacks: Value


def pairs(left: Side, right: Side, *, keep_all: bool) -> Paired:
    """Return the rows of a side, each as often as the other has rows with the same keys.

    They stay in order; what they are paired with is in order, too, among those of one row.

    Parameters
    ----------
    left, right : Side
        Keys of both have the same types.
    keep_all : bool
        Keep rows without a match, once; with NaN, 0, False or no text in the columns of the other side.
    """
    match = _held(left, right, keep_all)
    if not right.is_held:
        return _exchanged(left, right, keep_all, match.match)
    found = [_of_match(match, right.frame, value) for value in right.columns]
    return Paired(match, left.columns, found, Call("less", match.row, Constant(0)))


def numbered_pairs(left: Side, right: Side) -> tuple[Paired, Value]:
    """Return the rows of a side that have matches, and the numbers of these among the rows of the other side."""
    if right.is_held:
        return pairs(left, right, keep_all=False), _held(left, right, False).row
    paired = pairs(left, right.numbered(), keep_all=False)
    return paired, paired.right[-1]


def has_match(left: Side, right: Side) -> Aligned:
    """Return which rows of a side have keys that are among those of the other."""
    if right.is_held:
        return left.frame, KeySets.of(right.frame, right.keys).has(left.keys)
    joined = _hash_join(Side(left.frame, left.keys), Side(right.frame, right.keys), "mark", (FOUND,), _NO_PAIRS)
    return joined, joined.column(FOUND)


def _held(left: Side, right: Side, keep_all: bool) -> Match:
    index = Indexed.of(right.frame, right.keys, "all rows")
    names = tuple(column_identity(left.frame, key) for key in left.keys)
    match = ColumnIdentity(token("match", names, index, keep_all))
    return Match(left.frame, index.find(left.keys), index.fanout, keep_all, match)


def _of_match(match: Match, frame: Frame, value: Value) -> Value:
    """Return a column of the other rows, on the rows that they are paired with."""
    return Call("lookup_found" if match.keep_all else "lookup", held(frame, value), match.row)


def _exchanged(left: Side, right: Side, keep_all: bool, match: ColumnIdentity) -> Paired:
    mine, theirs = _names("left", left), _names("right", right)
    wanted = dict.fromkeys([*(mine[value] for value in left.columns), *(theirs[value] for value in right.columns)])
    names = (*wanted, FOUND) if keep_all else tuple(wanted)
    joined = _hash_join(left, right, "left" if keep_all else "inner", names, match)
    return Paired(
        joined,
        [joined.column(mine[value]) for value in left.columns],
        [joined.column(theirs[value]) for value in right.columns],
        Call("logical_not", joined.column(FOUND)) if keep_all else Constant(False),
    )


def _hash_join(left: Side, right: Side, kind: Kind, names: tuple[Hashable, ...], match: ColumnIdentity) -> HashJoin:
    mine, theirs = _names("left", left), _names("right", right)
    return HashJoin(
        Project(left.frame, tuple(mine.values()), tuple(mine)),
        tuple(mine[key] for key in left.keys),
        Project(right.frame, tuple(theirs.values()), tuple(theirs)),
        tuple(theirs[key] for key in right.keys),
        names,
        kind,
        max(partition_count(left.frame), partition_count(right.frame)),
        match,
    )


def _names(side: str, rows: Side) -> dict[Value, Hashable]:
    """Name all that is needed of a side, each value once."""
    return {value: (side, number) for number, value in enumerate(dict.fromkeys([*rows.keys, *rows.columns]))}
