"""DataFrames one below the other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np

from akdask.collections.core.array import Array
from akdask.collections.core.later import provides
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columnset import INDEX, ColumnSet
from akdask.collections.text.categorical import Categorical
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError, SchemaError
from akdask.kernels.core.rules import promote
from akdask.plan.expr.missing_integers import (
    exact_type,
    is_in_parts,
    recombined,
    separated,
    with_missing,
)
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Constant, Value, widened
from akdask.plan.run.alignment import align
from akdask.plan.task.compact import joined
from akdask.schema import ColumnType


class ConcatMethods(FrameBase):
    """Putting rows below others."""

    @classmethod
    def concat(cls, items: Sequence[FrameBase], ordered: bool = True) -> Self:
        """Return the rows of several DataFrames, one below the other; lazy.  Partitions stay as they are.

        Parameters
        ----------
        items : sequence of DataFrame
            At least one.  All have the same columns, in any order; types of numbers meet in their common type, and
            Categoricals put their categories together.
            Those without columns are left out.
        ordered : bool
            Accepted for compatibility with Arkouda; the order is always kept.

        Returns
        -------
        DataFrame
            With the labels of the rows where all items have some; otherwise rows are numbered anew.

        Raises
        ------
        ArgumentError
            If there are no items.
        ArgumentTypeError
            If one of them is no DataFrame.
        MissingColumnError
            If their columns differ.
        SchemaError
            If strings meet numbers.
        """
        if not items:
            raise ArgumentError("concat needs at least one DataFrame.")
        return cls._of(stacked([_columns_of(item) for item in items]))

    def append(self, other: FrameBase, ordered: bool = True) -> Self:
        """Put the rows of another DataFrame below those of this one, in place; lazy.  See `concat`.

        Returns
        -------
        DataFrame
            The frame itself.  What was derived from it before keeps its rows.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2]})
        >>> df.append(ak.DataFrame({"x": [3]})) is df
        True
        >>> df["x"].tolist()
        [1, 2, 3]
        """
        self._become(self.concat([self, other], ordered)._columns)
        return self


def _columns_of(item: Any) -> ColumnSet:
    if not isinstance(item, FrameBase):
        raise ArgumentTypeError(f"only DataFrames can be put below each other, not {type(item).__name__}.")
    return item._columns


@provides("rows below")
def stacked(parts: Sequence[ColumnSet]) -> ColumnSet:
    """Return the rows of several sets of columns, one below the other."""
    parts = [part for part in parts if part.values] or parts[:1]
    names: list[Hashable] = list(parts[0].values)
    for part in parts[1:]:
        if set(part.values) != set(names):
            raise MissingColumnError(
                "only rows with the same columns can be put below each other.",
                details=[", ".join(map(str, item.values)) for item in parts],
            )
    unified: dict[Hashable, list[Array]] = {
        name: _unified(str(name), [part.array(str(name)) for part in parts]) for name in names
    }
    if all(part.index is not None for part in parts):
        unified[INDEX] = _unified("the index", [part.index_array() for part in parts])
    projects = []
    for number, part in enumerate(parts):
        # Columns that are brought to a common type may be kept in memory, each for itself.  Integers that may be
        # missing are plain floats once they are on the rows of others.
        own = [arrays[number] for arrays in unified.values()]
        columns = [(array._frame, value) for array in own for value in separated([array._value])]
        rows, values = align("put below each other", columns) if columns else (part.frame, [])
        projects.append(Project(rows, tuple(range(len(values))), tuple(values)))
    frame = joined(projects)
    stacks = recombined([arrays[0]._value for arrays in unified.values()], list(map(frame.column, projects[0].names)))
    made = {name: arrays[0]._like(frame, value) for (name, arrays), value in zip(unified.items(), stacks, strict=True)}
    called = {part.index_name for part in parts}
    index_name = called.pop() if len(called) == 1 else None
    return ColumnSet.of({str(name): made[name] for name in names}, made.get(INDEX), index_name)


def _unified(name: str, arrays: list[Array]) -> list[Array]:
    """Return arrays as ones of the same kind and type, each on its own rows."""
    categoricals = [array for array in arrays if isinstance(array, Categorical)]
    if len(categoricals) == len(arrays):
        same = all(array._category_table is categoricals[0]._category_table for array in categoricals)
        return [*categoricals] if same else [*Categorical.standardize_categories(categoricals)]
    plain: list[Any] = [array.to_strings() if isinstance(array, Categorical) else array for array in arrays]
    kinds = {type(array) for array in plain}
    wanted = promote(*[array._value.dtype for array in plain]) or plain[0]._value.dtype
    if len(kinds) > 1 or any(array._value.dtype.kind != wanted.kind and not wanted.is_number for array in plain):
        raise SchemaError(
            f"column {name!r} has values of kinds that cannot be put below each other.",
            details=[f"{type(array).__name__} of {array._value.dtype}" for array in plain],
        )
    plain = plain[0]._in_common(f"column {name!r}", plain[1:])
    exact = {exact_type(array._value) for array in plain}
    if len(exact) == 1 and any(is_in_parts(array._value) for array in plain):
        return [array._like(array._frame, _maybe_missing(array._value)) for array in plain]
    return [array._like(array._frame, _as_type(array._value, wanted, len(exact) > 1)) for array in plain]


def _maybe_missing(value: Value) -> Value:
    """Return integers as ones that may be missing."""
    return value if is_in_parts(value) else with_missing(value, Constant(np.bool_(False)))


def _as_type(value: Value, wanted: ColumnType, is_mixed: bool) -> Value:
    """Return a value of a type; integers that may be missing as plain floats among values of several types."""
    found = widened(value, wanted)
    return Call("positive", found) if is_mixed and is_in_parts(found) else found
