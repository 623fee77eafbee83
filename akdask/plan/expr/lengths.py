"""Names of rows whose number depends on values, and their partition lengths, counted once for every later question.

What decides which rows there are is part of their name: each value with the frame that it is read on, and with how the
rows of that frame were selected.  The two together are a `ColumnIdentity`, and no name is made of a value alone, for
the same value is another column on other rows.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from akdask.plan.expr.tokens import token
from akdask.schema import RowSpace

_LIMIT = 10_000
_known: OrderedDict[str, tuple[int, ...]] = OrderedDict()
_lock = Lock()

Lengths = tuple[int, ...]


def _start_anew() -> None:
    """Leave the lock that a thread may hold which a forked process does not have of its parent."""
    global _lock  # noqa: PLW0603 - there is one for the process
    _lock = Lock()


os.register_at_fork(after_in_child=_start_anew)


@dataclass(frozen=True, slots=True)
class ColumnIdentity:
    """What the rows of a column hold: columns of equal identities are equal, row by row.

    Made by `akdask.plan.expr.chain.column_identity`, of a value and of the frame that it is read on.
    """

    token: str

    def partitioned_like(self, own: RowSpace, other: RowSpace) -> ColumnIdentity:
        """Return the identity of the same column once its rows are cut into the partitions of other rows."""
        return self if own.same_rows(other) else ColumnIdentity(token("cut", self, other.token))


def rows_decided_by(kind: str, deciding: Sequence[ColumnIdentity], npartitions: int, *params: Any) -> RowSpace:
    """Return rows that are selected or made, as many as the values of columns decide.

    Parameters
    ----------
    kind : str
        How.
    deciding : sequence of ColumnIdentity
        All columns whose values have a say in how many rows are made.
    npartitions : int
        Number of partitions.
    *params
        Whatever else has, such as the token of the row space that rows are selected from.
    """
    assert all(isinstance(column, ColumnIdentity) for column in deciding), "a value alone names no rows"
    return RowSpace(token(kind, tuple(deciding), npartitions, *params), npartitions)


def rows_rearranged(
    kind: str, given: Sequence[RowSpace], npartitions: int, lengths_of: Callable[..., Sequence[int]], *params: Any
) -> RowSpace:
    """Return rows whose number follows from the lengths of others, which `lengths_of` is called with.

    Their name does not depend on whether the others have been counted.
    """
    known = [rows.lengths for rows in given]
    if all(rows.is_fixed for rows in given):
        return RowSpace.of_lengths(lengths_of(*known))
    name = token(kind, tuple(rows.token for rows in given), *params)
    if all(lengths is not None for lengths in known):
        remember_lengths(name, tuple(lengths_of(*known)))
    return RowSpace(name, npartitions)


def counted(rows: RowSpace) -> RowSpace:
    """Return rows with their lengths if they have been counted by now."""
    lengths = None if rows.is_fixed else known_lengths(rows.token)
    return rows if lengths is None else RowSpace(rows.token, rows.npartitions, lengths, rows.total)


def known_lengths(row_token: str) -> Lengths | None:
    """Return the lengths of the rows of that name, None if they have not been counted."""
    return _known.get(row_token)


def remember_lengths(row_token: str, lengths: Lengths) -> None:
    """Keep the outcome of a count."""
    with _lock:
        _known[row_token] = lengths
        while len(_known) > _LIMIT:
            _known.popitem(last=False)
