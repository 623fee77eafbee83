"""What every part of a `GroupBy` builds on: its keys, their rows, and the nodes of what is computed of groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from akdask.collections.array import Array
from akdask.collections.categorical import Categorical
from akdask.collections.keys import as_array
from akdask.collections.pdarray import pdarray
from akdask.collections.substitutes import Substitutes
from akdask.collections.timearray import NOT_A_TIME, TimeArray
from akdask.collections.wrap import wrap
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.grouped import GROUPED
from akdask.plan.align import align
from akdask.plan.chain import mask_name
from akdask.plan.group import Grouped, GroupReduction, GroupStatistic
from akdask.plan.held import held
from akdask.plan.kept import Wish, wish
from akdask.plan.node import Frame
from akdask.plan.numbered import row_numbers
from akdask.plan.rowwise import Filter, Project
from akdask.plan.values import Call, Constant, Value
from akdask.schema import FLOAT64

Keys = Any
"""One array, or a tuple of arrays where the rows are grouped by several."""


class GroupBase(Substitutes):
    """Rows grouped by equal keys."""

    def __init__(self, keys: Any = None, assume_sorted: bool = False, dropna: bool = True) -> None:
        if keys is None or (isinstance(keys, list | tuple) and not keys):
            raise ArgumentError("rows are grouped by at least one array.")
        if not isinstance(assume_sorted, bool | np.bool_):
            raise ArgumentTypeError(
                f"assume_sorted is a bool, not {type(assume_sorted).__name__}.",
                hint="to group by several arrays, put them into a list.",
            )
        several = isinstance(keys, list | tuple) and isinstance(keys[0], Array)
        self.keys: Any = list(keys) if several else as_array(keys)
        self.dropna = dropna
        self.assume_sorted = assume_sorted
        self._arrays: list[Array] = [as_array(key) for key in (self.keys if several else [self.keys])]
        lists = [key for key in self._arrays if key._value.dtype.kind == "list"]
        if lists:
            raise ArgumentTypeError(
                f"rows are not grouped by lists; got {lists[0]._describe()}.",
                hint="group by what tells the lists apart, such as their lengths or their hash().",
            )
        # Keys that do not share rows are a mistake of whoever makes the groups, not of who asks for something of them.
        align("group", [(key._frame, key._value) for key in self._arrays])
        self._wishes: dict[str, Wish] = {}
        # The number of each row's group where it is known, and the keys of the groups.
        self._numbered: tuple[Array, list[Array]] | None = None

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
        arrays = self._arrays if self._numbered is None else [self._numbered[0]]
        keys = [(key._frame, key._value) for key in arrays]
        frame, aligned = align("group", [*keys, *(value._as_operand() for value in values)])
        frame, (*aligned, numbers) = align("group", [*((frame, value) for value in aligned), row_numbers(frame)])
        count = len(keys)
        if self._numbered is not None:
            inside = Call("greater_equal", aligned[0], Constant(0))
            frame = Filter(frame, inside, mask_name(frame, inside))
        elif self.dropna:
            frame = _without_missing(frame, arrays, aligned[:count])
        return frame, tuple(aligned[:count]), aligned[count:], numbers

    def _grouped(self, *reductions: tuple[str, Array | None, dict[str, Any]]) -> Grouped:
        """Return the node of reductions, given by name, array and arguments; None stands for the row numbers."""
        arrays = [values for _, values, _ in reductions if values is not None]
        frame, keys, aligned, numbers = self._on(*arrays)
        remaining = iter(aligned)
        made = []
        for name, values, params in reductions:
            taken: list[Value] = [numbers] if values is None else [next(remaining)]
            if name == "size":
                taken = []
            elif GROUPED[name].by_position:
                taken.append(numbers)
            made.append(GroupReduction(name, *taken, **params))
        grouped = Grouped(frame, keys, tuple(made))
        self._wishes[grouped.grouping] = wish(grouped.grouping)
        return grouped

    def _keys_of(self, frame: Grouped | GroupStatistic) -> Keys:
        """Return the distinct keys that a node has found."""
        if self._numbered is None:
            made = tuple(like(key, frame, frame.key(number)) for number, key in enumerate(self._arrays))
        else:
            made = tuple(_looked_up(key, frame, frame.key(0)) for key in self._numbered[1])
        return made if isinstance(self.keys, list) else made[0]

    def _tuple_of(self, keys: Keys) -> tuple[Array, ...]:
        return keys if isinstance(keys, tuple) else (keys,)

    def _result(self, grouped: Grouped) -> pdarray:
        return pdarray(grouped, grouped.result(0))


def _without_missing(frame: Frame, arrays: Sequence[Array], keys: Sequence[Value]) -> Frame:
    """Leave out the rows with NaN or NaT among the keys; named by the keys alone, so that all results share rows."""
    missing: list[Value] = [
        Call("isnan", key) if key.dtype == FLOAT64 else Call("equal", key, Constant(NOT_A_TIME))
        for array, key in zip(arrays, keys, strict=True)
        if key.dtype == FLOAT64 or isinstance(array, TimeArray)
    ]
    if not missing:
        return frame
    present = Call("logical_not", reduce(lambda one, other: Call("logical_or", one, other), missing))
    return Filter(frame, present, mask_name(frame, present))


def _looked_up(keys: Array, frame: Frame, number: Value) -> Any:
    """Return the keys of groups by their numbers, on the rows of what was computed of these."""
    return like(keys, frame, Call("lookup", held(keys._frame, keys._value), number))


def projected(frame: Frame, values: Sequence[Value]) -> Project:
    """Return values as columns that are named by their numbers."""
    return Project(frame, tuple(range(len(values))), tuple(values))


def codes_of(values: Array) -> Array:
    """Return what stands for the values where only equality and order matter."""
    return values.codes if isinstance(values, Categorical) else values


def like(model: Array | None, frame: Frame, value: Value) -> Any:
    """Return an array of the kind of another, or of that which shows the value's type."""
    return wrap(frame, value) if model is None else model._like(frame, value)
