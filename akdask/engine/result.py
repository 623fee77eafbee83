"""Roots of plans: the rows of a collection, and their transfer to the user's process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from akdask._dask import Expr, List, Task, TaskRef
from akdask._distributed import expect_arrow
from akdask.cluster import transfer_limit
from akdask.columns.row_space import RowSpace
from akdask.columns.table import Table
from akdask.deferred import is_arrow
from akdask.engine import threads
from akdask.engine.delivery import Delivery, can_be_delivered
from akdask.engine.lower import lower
from akdask.engine.needs import Need, ReaderNeed, ReaderNeeds, needs_of_inputs
from akdask.engine.node import Frame, Node, materialize
from akdask.engine.rowwise import Project
from akdask.errors import TransferError


def check_transfer(project: Project, limit: float | None = None) -> None:
    """Refuse to bring a projection into this process if it takes more than a limit, or than the setting allows.

    Columns without fixed width count by their offsets only. Rows of unknown number do not count, since a count would
    read the columns that they are selected by a second time.

    Raises
    ------
    TransferError
        If the projection would take more.
    """
    size = project.rows.size
    if size is not None:
        check_bytes(size * sum(value.dtype.itemsize for value in project.values), limit)


def check_bytes(nbytes: int, limit: float | None = None) -> None:
    """Refuse a result of more bytes than a limit, or than the setting allows.

    Raises
    ------
    TransferError
        If the result has more.
    """
    limit = transfer_limit() if limit is None else limit
    if nbytes > limit:
        raise TransferError(
            f"this would bring {nbytes:,} bytes into this process, more than the limit of {limit:,.0f}.",
            hint="select fewer rows or columns, or raise the limit with ak.config.set(max_transfer_bytes=…): a number "
            "of bytes, text such as '64 GiB', or None for no limit; unless set, it is half of the memory.",
        )


class CollectionRows(Frame):
    """The rows of a collection.

    `form` makes the user's object from a table and the results of `extras`. These are one-partition nodes, such as
    category tables. `limit` is the largest number of bytes to transfer to this process, None for the setting.
    """

    frame: Project
    form: Callable[..., Any]
    extras: tuple[Frame, ...]
    limit: float | None

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    def finalize_compute(self) -> Expr:
        check_transfer(self.frame, self.limit)
        return self.finish()

    def here(self, *, chunked: bool = False) -> Node:
        """Return the plan of the user's object, with columns of files read straight into it.

        If `chunked`, string columns may reach the form as Arrow's chunked arrays.

        Raises
        ------
        TransferError
            If the rows would take more than the limit.
        """
        if not can_be_delivered(self.frame, chunked=chunked):
            return self
        check_transfer(self.frame, self.limit)
        return FinishResult(self.form, Delivery(self.frame, chunked), *self.extras)

    def finish(self) -> FinishResult:
        """Return the plan of the user's object, of any size."""
        return FinishResult(self.form, self.frame, *self.extras)


class FinishResult(Node):
    """All rows in this process, as the user's object; operands after `frame` are the extras."""

    form: Callable[..., Any]
    frame: Expr

    @property
    def npartitions(self) -> int:
        return 1

    def _layer(self) -> dict[Any, Any]:
        if isinstance(self.frame, Frame):
            return materialize(self)
        key = (self._name, 0)
        tables = List(*map(TaskRef, self.frame.__dask_keys__()))
        extras = List(*[TaskRef(node.__dask_keys__()[0]) for node in self.operands[2:]])
        return {key: Task(key, finish_result, self.form, tables, extras)}


def tasks_of(plan: Node) -> Expr:
    """Return the lowered plan of a result of any size; nothing is computed."""
    return (plan.finish() if isinstance(plan, CollectionRows) else plan.finalize_compute()).lower_completely()


def finish_result(form: Callable[..., Any], tables: Sequence[Table], extras: Sequence[Any]) -> Any:
    """Concatenate the partitions, and make the user's object from them."""
    found = form(Table.concat(tables), *extras)
    if is_arrow(found, "Table"):
        expect_arrow()
    return found


@lower.register
def _(frame: CollectionRows) -> Expr:
    return lower(frame.frame)


@needs_of_inputs.register
def _(node: FinishResult, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(partitions=False)
    for extra in node.operands[2:]:
        yield extra, ReaderNeed()


class Root:
    """A plan with the interface of a Dask collection.

    Runs on threads of this process unless a client or another scheduler is current.
    """

    __dask_scheduler__ = staticmethod(threads.get)

    def __init__(self, expr: Node) -> None:
        self._expr = expr

    @property
    def expr(self) -> Node:
        """The plan."""
        return self._expr

    def __dask_graph__(self) -> Mapping[Any, Any]:
        return self.expr.__dask_graph__()

    def __dask_keys__(self) -> list[Any]:
        return self.expr.__dask_keys__()

    def __dask_layers__(self) -> tuple[str, ...]:
        return (self.expr._name,)

    def __dask_tokenize__(self) -> str:
        return self.expr._name
