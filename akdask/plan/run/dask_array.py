"""The bridge to dask.array: one NumPy array for each partition, lazily."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import Table, empty, to_objects
from akdask.plan.expr.node import Frame, materialize
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.tokens import token
from akdask.plan.run.dask_dataframe import NamedGraph, ToDask
from akdask.schema import ColumnType


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Makes the array of a partition; text is Python objects, as the longest string differs between partitions."""

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
    # What refers to labels shows text, and there are none to look up.
    meta = np.empty(0, object) if extras else chunk(Table({0: empty(dtype)}, 0))
    return da.Array(graph, plan._name, (tuple(lengths),), meta=meta, dtype=meta.dtype)
