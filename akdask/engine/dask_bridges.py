"""Bridges to Dask's own collections: lazy partitions of a dask.dataframe and chunks of a dask.array."""

from __future__ import annotations

import math
import re
from collections import UserDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from akdask._dask import Expr, GraphNode
from akdask.columns.dtypes import ColumnType
from akdask.columns.table import Table, empty, to_objects
from akdask.deferred import pd
from akdask.engine.node import Frame, RowSpace, lower, materialize
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.values import token
from akdask.records import record

LONGEST_KEY = 100
"""Characters of a key that Dask's checks allow."""


class ToDask(Frame):
    """The partitions of a projection as pandas frames.

    `form` makes the frame of a table and of the results of `extras`, with the number of the first row as ``start``.
    """

    frame: Project
    form: Callable[..., Any]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows


class NamedGraph(UserDict[Any, Any]):
    """Tasks known by the name of their plan; Dask would hash the whole contents of a plain dict."""

    name: str

    def __dask_tokenize__(self) -> str:
        return self.name


def to_dask(frame: Project, form: Callable[..., Any], extras: Sequence[Frame], meta: pd.DataFrame) -> Any:
    """Return a Dask DataFrame with the same rows and partitions.

    Parameters
    ----------
    frame : Project
        The columns.
    form : callable
        ``form(table, *extras, start=...)`` gives the pandas frame of a partition.
    extras : sequence of Frame
        One-partition nodes.
    meta : DataFrame
        The result of `form` for no rows.
    """
    import dask.dataframe as dd

    plan = ToDask(frame, form, *extras)
    graph = NamedGraph(_with_plain_keys(materialize(plan)))
    graph.name = plan._name
    keys = [_plain_key(key) for key in plan.__dask_keys__()]
    return dd.from_graph(graph, meta, _divisions(frame.rows, meta), keys, "akdask")


def _with_plain_keys(graph: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a graph whose keys begin with identifiers, like keys of Dask's own collections."""
    names = {key: _plain_key(key) for key in graph}
    return {
        names[key]: task.substitute(names, key=names[key]) if isinstance(task, GraphNode) else task
        for key, task in graph.items()
    }


def _plain_key(key: Any) -> Any:
    name, *number = key if isinstance(key, tuple) else (key,)
    if not isinstance(name, str) or not number:
        return key
    begin, dash, digest = name.rpartition("-")
    if (begin or digest).isidentifier() and len(name) < LONGEST_KEY:
        return key
    plain = re.sub(r"\W+", "_", begin or digest)[: LONGEST_KEY - len(digest) - 2]
    return (f"{plain if plain[:1].isalpha() else f'_{plain}'}{dash}{digest if begin else ''}", *number)


def _divisions(rows: RowSpace, meta: pd.DataFrame) -> tuple[int | None, ...]:
    """Return the known divisions of rows that are only numbered, if no partition is empty."""
    if not isinstance(meta.index, pd.RangeIndex) or not rows.lengths or not all(rows.lengths):
        return (None,) * (rows.npartitions + 1)
    starts = list(accumulate(rows.lengths, initial=0))
    return (*starts[:-1], starts[-1] - 1)


@lower.register
def _(frame: ToDask) -> Expr:
    extras = frame.operands[2:]
    lengths = frame.rows.lengths or (0,) * frame.npartitions
    starts = accumulate(lengths, initial=0)
    shared = tuple((1 + number, 0) for number in range(len(extras)))
    calls = tuple((((0, partition), *shared), (frame.form, start)) for partition, start in enumerate(starts))
    return Tasks(frame._name, _to_pandas, calls[: frame.npartitions], frame.frame, *extras)


def _to_pandas(tables: Sequence[Any], form: Callable[..., Any], start: int) -> Any:
    return form(*tables, start=start)


@record
class _Chunk:
    """Makes the array of a partition; text becomes Python objects, since string widths differ between partitions."""

    form: Callable[..., Any]
    is_number: bool

    @property
    def token(self) -> str:
        return token("chunk", self.form, self.is_number)

    def __call__(self, table: Table, *extras: Any, start: int = 0) -> np.ndarray[Any, Any]:
        if not self.is_number:
            objects = np.empty(table.nrows, object)
            objects[:] = to_objects(table.columns[0])
            return objects
        found: np.ndarray[Any, Any] = self.form(table, *extras)
        return found.astype(object) if found.dtype.kind == "U" else found


def to_dask_array(project: Project, form: Callable[..., Any], extras: Sequence[Frame], dtype: ColumnType) -> Any:
    """Return a Dask array of one dimension with the same elements and partitions.

    Parameters
    ----------
    project : Project
        The elements.
    form : callable
        ``form(table, *extras)`` gives the NumPy array of a partition.
    extras : sequence of Frame
        One-partition nodes.
    dtype : ColumnType
        The type of the elements in partitions.
    """
    import dask.array as da

    chunk = _Chunk(form, dtype.is_number)
    plan = ToDask(project, chunk, *extras)
    graph = NamedGraph(materialize(plan))
    graph.name = plan._name
    lengths = project.rows.lengths or (math.nan,) * project.npartitions
    # A column of labels shows text, and an empty array has no labels to look up.
    meta = np.empty(0, object) if extras else chunk(Table({0: empty(dtype)}, 0))
    return da.Array(graph, plan._name, (tuple(lengths),), meta=meta, dtype=meta.dtype)
