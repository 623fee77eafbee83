"""Base class of `GroupBy` and its mixins: the keys, their rows, and the nodes of reductions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.substitutes import Substitutes
from akdask.collections.core.wrap import wrap
from akdask.collections.groups.group_keys import GroupKeys
from akdask.collections.groups.keys import lazy_array
from akdask.collections.text.categorical import Categorical
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.aggregates.registry import REDUCTIONS
from akdask.plan.expr.cache import CacheLease, lease
from akdask.plan.expr.missing_integers import key_parts, of_key_parts
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Value
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.rows.broadcast import broadcast

if TYPE_CHECKING:
    from akdask.plan.group import aggregate as group_nodes
else:
    group_nodes = DeferredModule("akdask.plan.group.aggregate")

Keys = Any
"""One array, or a tuple of arrays where the rows are grouped by several."""


class GroupBase(Substitutes):
    """Rows grouped by equal keys."""

    _drops_labels = False
    """Whether `dropna` leaves out the label of a Categorical that stands for missing; Arkouda's groups keep it."""

    def __init__(self, keys: Any = None, assume_sorted: bool = False, dropna: bool = True) -> None:
        if keys is None or (isinstance(keys, list | tuple) and not keys):
            raise ArgumentError("rows are grouped by at least one array.")
        if not isinstance(assume_sorted, bool | np.bool_):
            raise ArgumentTypeError(
                f"assume_sorted is a bool, not {type(assume_sorted).__name__}.",
                hint="to group by several arrays, put them into a list.",
            )
        several = isinstance(keys, list | tuple) and isinstance(keys[0], Array)
        self.dropna = dropna
        self.assume_sorted = assume_sorted
        self._several = several
        # Arrays may be assigned to; the groups stay those of the values that they were made of.
        self._arrays: list[Array] = [lazy_array("GroupBy", key).copy() for key in (keys if several else [keys])]
        lists = [key for key in self._arrays if key._value.dtype.kind == "list"]
        if lists:
            raise ArgumentTypeError(
                f"rows are not grouped by lists; got {lists[0]._describe()}.",
                hint="group by what tells the lists apart, such as their lengths or their hash().",
            )
        self._by = GroupKeys.of(self._arrays, dropna=self.dropna, labels=self._drops_labels)
        self._leases: dict[str, CacheLease] = {}
        # Where the number of each row's group is known, the keys of the groups.
        self._known_keys: list[Array] | None = None

    @property
    def keys(self) -> Any:
        """The arrays that the rows are grouped by, one or a list, as they were when the groups were made."""
        copies = [key.copy() for key in self._arrays]
        return copies if self._several else copies[0]

    @property
    def nkeys(self) -> int:
        """Number of arrays that the rows are grouped by."""
        return len(self._arrays)

    @property
    def unique_keys(self) -> Keys:
        """The distinct keys: one array, or a tuple of arrays; lazy."""
        return self._keys_of(self._grouped())

    def _on(self, *values: Array) -> tuple[Frame, tuple[Value, ...], list[Value], Value]:
        """Return common rows, the keys on them, other values, and the numbers of the rows."""
        others = [value._as_operand() for value in values]
        frame, keys, (*aligned, numbers) = self._by.beside(*others, row_numbers(self._by.common(*others)))
        return frame, keys, aligned, numbers

    def _grouped(self, *reductions: tuple[str, Array | None, dict[str, Any]]) -> group_nodes.GroupAggregate:
        """Return the node of reductions, given by name, array and arguments; None stands for the row numbers."""
        arrays = [values for _, values, _ in reductions if values is not None]
        frame, keys, aligned, numbers = self._on(*arrays)
        remaining = iter(aligned)
        made = []
        for name, values, params in reductions:
            taken: list[Value] = [numbers] if values is None else [next(remaining)]
            if name == "size":
                taken = []
            elif REDUCTIONS[name].by_position:
                taken.append(numbers)
            made.append(group_nodes.GroupReduction(name, *taken, **params))
        grouped = group_nodes.GroupAggregate(frame, keys, self._by.identity, tuple(made))
        self._leases[grouped.grouping] = lease(grouped.grouping)
        return grouped

    def _keys_of(self, frame: group_nodes.GroupAggregate | group_nodes.GroupStatistic) -> Keys:
        """Return the distinct keys that a node has found."""
        if self._known_keys is None:
            numbers, arranged = count(), [(array, array._key()[1]) for array in self._arrays]
            made = tuple(
                array._of_key(frame, of_key_parts(key, [frame.key(next(numbers)) for _ in key_parts(key)]))
                for array, key in arranged
            )
        else:
            made = tuple(_looked_up(key, frame, frame.key(0)) for key in self._known_keys)
        return made if self._several else made[0]

    def _use_numbers(self, numbers: Array, keys: Sequence[Array]) -> None:
        """Group by the number of each row's group from now on, -1 of rows in none; `keys` are those of the groups."""
        self._by = GroupKeys.of_numbers(numbers)
        self._known_keys = list(keys)

    def _tuple_of(self, keys: Keys) -> tuple[Array, ...]:
        return keys if isinstance(keys, tuple) else (keys,)

    def _result(self, grouped: group_nodes.GroupAggregate) -> pdarray:
        return pdarray(grouped, grouped.result(0))


def _looked_up(keys: Array, frame: Frame, number: Value) -> Any:
    """Return the keys of groups by their numbers, on the rows of what was computed of these."""
    return like(keys, frame, Call("lookup", broadcast(keys._frame, keys._value), number))


def projected(frame: Frame, values: Sequence[Value]) -> Project:
    """Return values as columns that are named by their numbers."""
    return Project(frame, tuple(range(len(values))), tuple(values))


def codes_of(values: Array) -> Array:
    """Return what stands for the values where only equality and order matter."""
    return values.codes if isinstance(values, Categorical) else values


def like(model: Array | None, frame: Frame, value: Value) -> Any:
    """Return an array of the kind of another, or of that which shows the value's type."""
    return wrap(frame, value) if model is None else model._like(frame, value)
