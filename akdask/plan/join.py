"""Joins: the rows of one frame, each with those rows of another, held whole by every task, that have the same keys."""

from __future__ import annotations

from collections.abc import Sequence

from akdask.plan.chain import mask_name
from akdask.plan.combine import Gather
from akdask.plan.membership import Indexed
from akdask.plan.node import Frame
from akdask.plan.rowwise import Match, Project
from akdask.plan.tokens import token
from akdask.plan.values import Call, Replica, Value


def matched(frame: Frame, keys: Sequence[Value], index: Indexed, *, keep_all: bool) -> Match:
    """Return the rows of a frame, each as often as the index has rows with the same keys.

    They stay in order; what they are paired with is in order, too, among those of one row.

    Parameters
    ----------
    frame : Frame
        The rows.
    keys : sequence of Value
        Their keys, of the types that the keys of the index have.
    index : Indexed
        The other rows, with their fanout.
    keep_all : bool
        Keep rows without a match, once.
    """
    names = tuple(mask_name(frame, key) for key in keys)
    match = token("match", names, index, keep_all)
    return Match(frame, index.find(keys), index.fanout, keep_all, match)


def of_match(match: Match, frame: Frame, value: Value) -> Value:
    """Return a column of the other rows, on the rows that they are paired with.

    Rows without a match have NaN, 0, False or no text.
    """
    whole = Replica(Gather(Project(frame, (0,), (value,))), 0, value.dtype)
    return Call("lookup_found" if match.keep_all else "lookup", whole, match.row)
