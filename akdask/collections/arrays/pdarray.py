"""`pdarray`: a lazy one-dimensional array of numbers or bools."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.collections.arrays.extremes import ExtremeMethods
from akdask.collections.arrays.reductions import ReductionMethods, reduced
from akdask.collections.arrays.sort_methods import SortMethods
from akdask.collections.arrays.statistics import corr, cov
from akdask.collections.arrays.ufuncs import clz, ctz, logical_not, parity, popcount, rotl, rotr
from akdask.collections.core.array import as_ndarray
from akdask.collections.core.assignment import assigned
from akdask.collections.core.later import later
from akdask.collections.core.operators import OperatorMethods
from akdask.collections.core.wrap import shows
from akdask.columns import Table, to_objects
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.core.exact import first_changed
from akdask.plan.expr.missing_integers import key_parts, of_key_parts, parts
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Value, cast
from akdask.plan.run.result import CollectionRows
from akdask.plan.run.run import run
from akdask.schema import BIGINT, ColumnType, bigint_of
from akdask.schema.bigint import bigint, bigint_
from akdask.schema.scalar_types import NUMBER_FORMAT_STRINGS

if TYPE_CHECKING:
    from akdask.plan.group import aggregate as group_nodes
else:
    group_nodes = DeferredModule("akdask.plan.group.aggregate")

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
}
"""Python's operators that change their first operand."""


@shows("int", "uint", "float", "bool", "bigint")
class pdarray(OperatorMethods, ReductionMethods, ExtremeMethods, SortMethods["pdarray"]):
    """A lazy array of int64, uint64, float64, bool or bigint.

    Made by reading files, by `array`, `arange` and their like, and by computing with other arrays.  Everything is lazy
    unless its description says otherwise.  Arithmetic follows Arkouda's type promotion, comparison gives bool arrays,
    and NumPy's ufuncs work on it.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(6)
    >>> (a * 2)[a > 3].tolist()
    [8, 10]
    >>> int(a.sum())
    15
    """

    objType = "pdarray"

    _widened: ColumnType | None = None
    """What the elements were before a join made floats of them, for rows without a match."""

    def _like(self, frame: Frame, value: Value) -> Self:
        made = super()._like(frame, value)
        made._widened = self._widened
        return made

    @property
    def dtype(self) -> Any:
        """NumPy dtype of the elements; of integers of any size ``ak.bigint``."""
        return bigint if self._value.dtype.kind == "bigint" else self._value.dtype.numpy

    @property
    def name(self) -> str:
        """What Dask calls the plan: arrays of the same name have the same elements."""
        return self.expr._name

    @property
    def max_bits(self) -> int:
        """Bits of integers of any size, which are taken modulo ``2**max_bits``; -1 for no limit.

        It may be set, which changes the elements of this array; lazy.
        """
        return self._value.dtype.max_bits

    @max_bits.setter
    def max_bits(self, bits: int | None) -> None:
        if self._value.dtype.kind != "bigint":
            raise ArgumentTypeError(f"only bigint has max_bits; the array is of {self.dtype}.")
        self._value = cast(self._value, bigint_of(bits))

    def bigint_to_uint_arrays(self) -> list[pdarray]:
        """Return the elements as arrays of uint64, the highest 64 bits first; computes how many there are.

        Raises
        ------
        ArgumentTypeError
            If the elements are not bigint.
        SchemaError
            If some are below 0.
        """
        if self._value.dtype.kind != "bigint":
            raise ArgumentTypeError(f"only bigint is split into uint64; the array is of {self.dtype}.")
        count = int(reduced(self, "limbs"))
        return [self._operate("limb", self, number=number) for number in reversed(range(count))]

    def slice_bits(self, low: int, high: int) -> pdarray:
        """Return bits `low` to `high`, both included, of integers; as bigint where they are 64 or more; lazy.

        Raises
        ------
        ArgumentError
            If there are no such bits.
        """
        if not 0 <= low <= high:
            raise ArgumentError(f"there are no bits {low} to {high}.", hint="bits are counted from 0, the lowest.")
        count = high - low + 1
        fits = self._value.dtype.kind in ("int", "uint") and low < 64 and count < 64
        shifted: pdarray = (self if fits else self.astype(BIGINT)) >> low
        return shifted & (2**count - 1)

    popcount, parity, clz, ctz, logical_not = popcount, parity, clz, ctz, logical_not
    cov, corr = cov, corr

    def rotl(self, other: Any) -> Any:
        """Return the elements with their bits rotated left by a scalar or row by row; lazy."""
        return rotl(self, other)

    def rotr(self, other: Any) -> Any:
        """Return the elements with their bits rotated right by a scalar or row by row; lazy."""
        return rotr(self, other)

    @property
    def inferred_type(self) -> str:
        """The word of pandas for the kind of elements: ``integer``, ``floating`` or ``boolean``."""
        return {"float": "floating", "bool": "boolean"}.get(self._value.dtype.kind, "integer")

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._value.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements; counts rows if their number is unknown."""
        return self.size * self.itemsize

    def _converter(self) -> Callable[..., Any]:
        return as_objects if self._value.dtype.kind == "bigint" else as_ndarray

    def tolist(self) -> list[Any]:
        """Return the elements as a list of Python objects; computes.

        Integers of which some are missing are floats, NaN where they are, unless one of them is no float.
        """
        apart = parts(self._value)
        if apart is None:
            return super().tolist()
        (found,) = run(CollectionRows(Project(self._frame, (0, 1), apart), as_list, (), None).here())
        listed: list[Any] = found
        return listed

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign to rows: lazy, and what was derived from the array before keeps the old values.

        Parameters
        ----------
        key : int, slice, or array of bool or int
            Which rows.
        item : scalar or pdarray
            One value for all of them, or an array as long as the selection.
        """
        self._frame, self._value = assigned(self, key, item)

    def value_counts(self) -> tuple[Any, pdarray]:
        """Return the distinct elements in ascending order, and how often each occurs, as int64; lazy."""
        frame, key = self._key()
        keys = key_parts(key)
        groups = group_nodes.GroupAggregate.of(frame, keys, [group_nodes.GroupReduction("size")])
        found = of_key_parts(key, list(map(groups.key, range(len(keys)))))
        return self._of_key(groups, found), pdarray(groups, groups.result(0))

    def fill(self, value: Any) -> None:
        """Set every element; lazy."""
        self[:] = value

    def opeq(self, other: Any, op: str) -> None:
        """Compute in place what an operator of Python does, given as text: ``a.opeq(5, "+=")`` is ``a += 5``; lazy.

        Parameters
        ----------
        other : array or scalar
            The other operand.
        op : str
            The operator, such as ``+=``.

        Raises
        ------
        ArgumentError
            If there is no such operator.
        """
        if op not in IN_PLACE:
            raise ArgumentError(f"there is no operator {op!r} in place.", details=[f"operators: {' '.join(IN_PLACE)}"])
        IN_PLACE[op](self, other)

    def format_other(self, other: Any) -> str:
        """Return a scalar as text, in the type of the elements.

        Parameters
        ----------
        other : scalar
            The scalar.

        Raises
        ------
        ArgumentTypeError
            If it cannot have that type.
        """
        try:
            item = bigint_(other) if self._value.dtype.kind == "bigint" else self._value.dtype.numpy.type(other)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentTypeError(f"{other!r:.100} is no {self._value.dtype}.", details=[str(error)]) from None
        return NUMBER_FORMAT_STRINGS[self._value.dtype.name].format(item)

    def reshape(self, *shape: Any) -> Any:
        """Return the elements in another shape, in row-major order; lazy.

        Parameters
        ----------
        *shape : int, or one sequence of int
            Length of each dimension; one of them may be -1, which is found from the number of elements.
        """
        return later("reshaped", self, *shape)

    def flatten(self) -> pdarray:
        """Return the array itself, which is flat."""
        return self

    def equals(self, other: Any) -> Any:
        """Whether the other array has the same elements in the same order; computes."""
        if not isinstance(other, pdarray) or self.shape != other.shape:
            return False
        return self._operate("equal", self, other).all().value()


def as_objects(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table of integers of any size as Python ints."""
    objects = np.empty(table.nrows, object)
    objects[:] = to_objects(table.columns[0])
    return objects


def as_list(table: Table) -> list[Any]:
    """Return integers of which some are missing as floats, or as they are where one of them is no float.

    Examples
    --------
    >>> as_list(Table({0: np.array([2**60 + 1, 0]), 1: np.array([False, True])}, 2))
    [1152921504606846977, nan]
    """
    integers, missing = table.columns[0], table.columns[1]
    if first_changed(integers, np.logical_not(missing)) is None:
        found: list[Any] = np.where(missing, np.nan, integers).tolist()
        return found
    pairs = zip(np.asarray(integers).tolist(), np.asarray(missing).tolist(), strict=True)
    return [np.nan if lacks else integer for integer, lacks in pairs]
