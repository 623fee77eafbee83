"""Lazy rows as encoded row groups: a task for each, which reads only the rows that it needs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from uuid import uuid4

import pyarrow as pa

from akdask._distributed import default_client, shares_memory
from akdask.collections.arrays.ndarray import ArrayView
from akdask.collections.core.array import Array
from akdask.collections.core.to_arrow import ToArrow
from akdask.collections.frame.dataframe import DataFrame
from akdask.collections.functions.from_dask import from_dask
from akdask.collections.text.categorical import Categorical
from akdask.columns import Table, empty
from akdask.evo.errors import UnsupportedTableError
from akdask.plan.expr._dask import Expr, List, Task, TaskRef
from akdask.plan.expr.chain import Chain
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame, Node, materialize
from akdask.plan.expr.rowwise import Project, Slice
from akdask.plan.expr.sources import Literal, Rows, Scan
from akdask.plan.join.categories import LABEL
from akdask.plan.run.run import resolve_lengths, run
from akdask.plan.task.combine import Realign, row_slices
from akdask.plan.task.tables import Tables, Tasks
from akdask.schema import STR, RowSpace

Encode = Callable[[pa.Table, int], Any]
"""What is made of the rows of a row group, given its number."""


class LazyRows:
    """Columns of a plan that share rows.

    Parameters
    ----------
    frame : DataFrame
        The columns.
    """

    def __init__(self, frame: DataFrame) -> None:
        columns = frame._columns
        shown = {name: str(name) for name in columns.values}
        self._labels = {name: kind for name, kind in columns.kinds.items() if isinstance(kind, Categorical)}
        self._project: Project = columns.project(with_index=False)
        positions = tuple((name, position) for position, name in enumerate(self._labels))
        meanings = tuple((name, text, columns.kinds[name]._arrow_meaning) for name, text in shown.items())
        self._form = ToArrow(meanings, positions, columns.nullable())

    @property
    def schema(self) -> pa.Schema:
        """The types that the columns have in Arrow."""
        project = self._project
        nothing = {name: empty(value.dtype) for name, value in zip(project.names, project.values, strict=True)}
        labels = [Table({LABEL: empty(STR)}, 0) for _ in self._labels]
        return self._form(Table(nothing, 0), *labels).schema

    @property
    def nrows(self) -> int:
        """Number of rows; counts them where it is not known."""
        resolve_lengths(self._project)
        return sum(self._project.rows.lengths or ())

    def encoded(self, nrows: int, encode: Encode) -> EncodedRows:
        """Return the plan of encoded row groups of a number of rows each; counts rows where they are not known."""
        total = self.nrows
        lengths = self._project.rows.lengths or ()
        wanted = tuple(min(nrows, total - start) for start in range(0, total, nrows)) or (0,)
        extras = [kind._category_table for kind in self._labels.values()]
        slices = row_slices(lengths, wanted)
        project = self._project
        if tuple(lengths) == wanted:
            pieces: Frame = project
            runs = tuple((number, number + 1) for number in range(len(wanted)))
        elif _is_cheap(project):
            # Each task reads its rows alone, so that partitions may be of any size.
            ranges = [(partition, start, stop, 1) for some in slices for partition, start, stop in some or [(0, 0, 0)]]
            pieces = Project(Slice(project.frame, tuple(ranges)), project.names, project.values)
            runs = tuple(_runs([max(len(some), 1) for some in slices]))
        else:
            pieces = Realign(project, tuple(lengths), wanted)
            runs = tuple((number, number + 1) for number in range(len(wanted)))
        return EncodedRows(pieces, runs, self._form, encode, *extras, _determ_token=uuid4().hex)


def _runs(counts: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for count in counts:
        yield start, start + count
        start += count


def _is_cheap(project: Project) -> bool:
    """Whether rows of a partition are found without computing those before them."""
    chain = Chain.of(project.frame)
    return not chain.selections and all(isinstance(base, Scan | Rows | Literal) for base in chain.bases)


class EncodedRows(Frame):
    """Encoded row groups, each of some partitions of `frame`; operands after `encode` are the tables of labels."""

    frame: Frame
    runs: tuple[tuple[int, int], ...]
    form: ToArrow
    encode: Encode

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([0] * len(self.runs))

    @property
    def npartitions(self) -> int:
        return len(self.runs)

    def results(self, consume: Callable[[Any], None]) -> None:
        """Hand all row groups to a function in their order, each as soon as those before it are there; computes.

        Threads of this process hand them on within tasks.  Results of a cluster are fetched one by one.

        Raises
        ------
        AkdaskError
            What finding the rows, encoding them or the function raises.
        """
        client = None if shares_memory() else default_client()
        if client is None:
            if shares_memory():
                run(InOrder(consume, self, _determ_token=uuid4().hex))
            else:
                (found,) = run(Tasks(f"all {self._name}", list, ((tuple((0, n) for n in range(self.npartitions)), ()),), self))
                for item in found:
                    consume(item)
            return
        futures = client.get(materialize(self), self.__dask_keys__(), sync=False)
        try:
            for number, future in enumerate(futures):
                consume(future.result())
                futures[number] = None
                future.release()
        except BaseException:
            client.cancel([future for future in futures if future is not None])
            raise


class InOrder(Frame):
    """A function called with the results of a frame, one after the other in their order; there is one result: None."""

    consume: Callable[[Any], None]
    frame: Frame

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([0])


class _Calls(Node):
    """The tasks of `InOrder`: each waits for the one before."""

    consume: Callable[[Any], None]
    frame: Expr

    @property
    def npartitions(self) -> int:
        return 1

    def _layer(self) -> dict[Any, Any]:
        keys = self.frame.__dask_keys__()
        graph: dict[Any, Any] = {}
        before: Any = None
        for number, key in enumerate(keys):
            ours = (self._name, 0) if number == len(keys) - 1 else (f"{self._name}-after", number)
            waits = [] if before is None else [TaskRef(before)]
            graph[ours] = Task(ours, _call, self.consume, TaskRef(key), List(*waits))
            before = ours
        return graph


def _call(consume: Callable[[Any], None], item: Any, before: Sequence[None]) -> None:
    consume(item)


@lower.register
def _(frame: InOrder) -> Expr:
    return _Calls(frame.consume, frame.frame, _determ_token=frame._name)


@lower.register
def _(frame: EncodedRows) -> Expr:
    extras = frame.operands[4:]
    shared = Tables(f"encoding {frame._name}", ((frame.form, frame.encode),), _determ_token=uuid4().hex)
    labels = tuple((2 + number, 0) for number in range(len(extras)))
    calls = tuple(
        (((0, 0), *labels, *((1, piece) for piece in range(start, stop))), (number, len(extras)))
        for number, (start, stop) in enumerate(frame.runs)
    )
    return Tasks(frame._name, _encode, calls, shared, frame.frame, *extras)


def _encode(inputs: Sequence[Any], number: int, nlabels: int) -> Any:
    """Encode one row group: the function of its task."""
    (form, encode), *rest = inputs
    labels, tables = rest[:nlabels], rest[nlabels:]
    return encode(form(Table.concat(tables), *labels), number)


def lazy_rows(given: Any) -> LazyRows | None:
    """Return what is lazy as lazy rows, None if it is not lazy.

    Parameters
    ----------
    given : object
        A DataFrame or array of akdask or of Dask, also an array of two dimensions, or a mapping of names to such arrays.

    Raises
    ------
    UnsupportedTableError
        If it is lazy, but no table.
    AlignmentError
        If arrays do not share rows.
    """
    if isinstance(given, DataFrame):
        return LazyRows(given)
    if isinstance(given, ArrayView):
        raise UnsupportedTableError("an array of several dimensions is no table.", hint="flatten it first.")
    if isinstance(given, Array):
        return LazyRows(DataFrame({"data": given}))
    if _is_dask(given):
        return LazyRows(_of_dask(given))
    if isinstance(given, Mapping) and any(isinstance(item, Array) or _is_dask(item) for item in given.values()):
        columns: dict[Hashable, Any] = {}
        for name, item in given.items():
            columns[str(name)] = from_dask(item) if _is_dask(item) else item
        return LazyRows(DataFrame(columns))
    return None


def _is_dask(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "dask" and hasattr(given, "__dask_graph__")


def _of_dask(given: Any) -> DataFrame:
    ndim = getattr(given, "ndim", 0)
    if hasattr(given, "chunks") and ndim == 2:
        return DataFrame({str(number): from_dask(given[:, number]) for number in range(given.shape[1])})
    if hasattr(given, "chunks") and ndim > 2:
        raise UnsupportedTableError(
            f"an array of {ndim} dimensions is no table.", hint="flatten grids with akdask.evo.flatten."
        )
    found = from_dask(given)
    return DataFrame({"data": found}) if isinstance(found, Array) else found
