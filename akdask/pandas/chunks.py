"""Chunks of lazy rows on which functions of pandas are called one after the other, as if each were all rows.

The rows are put in the order of the chunks by one plan, and no more of them is in memory than the chunks that are at
work; what is returned for them is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate
from typing import Any
from uuid import uuid4

import numpy as np

from akdask._dask import Expr, GraphNode, List, Task, TaskRef
from akdask.engine.alignment import Realign
from akdask.engine.node import Frame, Node, RowSpace, lower
from akdask.engine.rowwise import Tasks
from akdask.engine.run import resolve_lengths, run
from akdask.pandas import labels as labelling
from akdask.pandas.refusals import ArrangementError, NotLazyError
from akdask.pandas.selection import taken

Call = Callable[[Any, int], Any]
"""Takes the rows of a chunk, as pandas has them, and the number of the chunk."""


class ChunkResults(Frame):
    """What a function returns for each partition of a frame, in a list.

    Operands after `call` are one-partition nodes that the form takes, such as tables of categories.
    """

    frame: Frame
    form: Callable[..., Any]
    call: Call

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([self.frame.npartitions])

    @property
    def npartitions(self) -> int:
        return 1


class InTurn(Node):
    """Results of a function for each partition, which is called when the one before is done."""

    form: Callable[..., Any]
    call: Call
    starts: tuple[int, ...]
    frame: Expr

    @property
    def npartitions(self) -> int:
        return len(self.frame.__dask_keys__())

    def _layer(self) -> dict[Any, Any]:
        extras = [TaskRef(node.__dask_keys__()[0]) for node in self.operands[4:]]
        graph: dict[Any, GraphNode] = {}
        before: list[Hashable] = []
        for number, key in enumerate(self.frame.__dask_keys__()):
            own = (self._name, number)
            inputs = List(TaskRef(key), *extras)
            graph[own] = Task(
                own, _called, inputs, self.form, self.call, number, self.starts[number], *map(TaskRef, before)
            )
            before = [own]
        return graph


def _called(inputs: Sequence[Any], form: Callable[..., Any], call: Call, number: int, start: int, *_: Any) -> Any:
    """Call a function with the rows of a table; the result before this one only says that its call is done."""
    try:
        return call(form(*inputs, start=start), number)
    except (NotLazyError, ArrangementError):
        raise
    except Exception as error:
        raise ArrangementError(error) from error


@lower.register
def _(frame: ChunkResults) -> Expr:
    name = frame._name
    starts = tuple(accumulate(frame.frame.rows.lengths or (), initial=0))
    found = InTurn(frame.form, frame.call, starts, frame.frame, *frame.operands[3:], _determ_token=uuid4().hex)
    numbers = tuple((0, number) for number in range(frame.frame.npartitions))
    return Tasks(name, list, ((numbers, ()),), found)


def by_chunk(lazy: Any, numbers: Sequence[Any], call: Call) -> list[Any]:
    """Call a function with chunks of the rows of a lazy frame or Series, and return its results.

    Parameters
    ----------
    lazy : LazyFrame or LazySeries
        The rows.
    numbers : sequence of array or range
        The numbers of the rows of each chunk; ranges follow one another.
    call : callable
        Takes the rows of a chunk, as pandas has them, and the number of the chunk.

    Raises
    ------
    ArrangementError
        With the error that the function raises.
    """
    follow = all(isinstance(one, range) for one in numbers)
    rows = slice(numbers[0].start, numbers[-1].stop) if follow else np.concatenate(numbers)
    plan = labelling.plan(taken(lazy, rows))
    resolve_lengths(plan.frame)
    lengths, wanted = plan.frame.rows.lengths or (), tuple(map(len, numbers))
    cut = plan.frame if tuple(lengths) == wanted else Realign(plan.frame, lengths, wanted)
    (found,) = run(ChunkResults(cut, plan.form, call, *plan.extras, _determ_token=uuid4().hex))
    return list(found)
