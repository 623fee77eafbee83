"""`pdarray`: a lazy one-dimensional array of numbers or bools, with its reductions and sorts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import numpy as np

from akdask.arrays import sorting
from akdask.arrays.array import Array, as_ndarray, check_axis, shows
from akdask.arrays.elementwise import ElementwiseArray, assigned
from akdask.arrays.families import reduction, shown_by
from akdask.arrays.reductions import checked_ddof, corr, cov, distinct_count, quantiles, reduced, reduced_along_rows
from akdask.arrays.scalar import Scalar
from akdask.arrays.sorting import SortingAlgorithm
from akdask.arrays.ufuncs import clz, ctz, logical_not, parity, popcount, rotl, rotr
from akdask.columns.dtypes import BIGINT, bigint, bigint_, bigint_of
from akdask.columns.exact import first_changed
from akdask.columns.scalar_types import NUMBER_FORMAT_STRINGS
from akdask.columns.table import Table, to_objects
from akdask.engine.node import Frame
from akdask.engine.run import CollectionRows
from akdask.engine.values import Value, cast, column_in_errors
from akdask.errors import ArgumentError, ArgumentTypeError, errors_end_at_caller
from akdask.records import record

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

BETWEEN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<<<": rotl,
    ">>>": rotr,
}
"""The operators between two operands; Arkouda writes rotations ``<<<`` and ``>>>``."""


def _between(op: str) -> Callable[[Any, Any], Any]:
    if op not in BETWEEN:
        raise ArgumentError(f"bad operator {op}", details=[f"operators: {' '.join(BETWEEN)}"])
    return BETWEEN[op]


_OF_ELEMENTS = """
>>> ak.array([2, 4, 3]).{name}().item()
{of_all}
"""


@shown_by(_OF_ELEMENTS)
def _of_elements(array: pdarray, name: str, axis: int | None = None, keepdims: bool = False) -> Scalar:
    """Return {what} as a lazy scalar: {dtype}.

    NaN among the elements gives NaN.  Of no elements sums are 0, products 1, and means NaN; other results are an error
    when they are computed.

    Parameters
    ----------
    axis : int, optional
        The only axis, 0.
    keepdims : bool
        Return an array of one element.
    """
    return array._reduced(name, axis, keepdims)


@shown_by(_OF_ELEMENTS)
def _spread_of_elements(
    array: pdarray, name: str, ddof: int = 0, axis: int | None = None, keepdims: bool = False
) -> Scalar:
    """Return {what} as a lazy scalar: {dtype}.

    Parameters
    ----------
    ddof : int
        Subtracted from the number of elements, which must be larger.
    axis : int, optional
        The only axis, 0.
    keepdims : bool
        Return an array of one element.
    """
    return array._reduced(name, axis, keepdims, ddof=checked_ddof(array, ddof))


@errors_end_at_caller
class Sortable(Array):
    """Arrays whose elements have an order."""

    def is_sorted(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return whether the elements are in ascending order, which no NaN or missing element is part of; lazy.

        Examples
        --------
        >>> bool(ak.array([1, 1, 3]).is_sorted())
        True
        """
        return sorting.is_sorted(self, axis)

    def mink(self, k: int) -> Any:
        """Return the `k` smallest elements in ascending order; see `akdask.mink`.

        Examples
        --------
        >>> ak.array([3, 1, 3]).mink(2).tolist()
        [1, 3]
        """
        return sorting.few_extremes("mink", self, k)

    def maxk(self, k: int) -> Any:
        """Return the `k` largest elements in ascending order; see `akdask.maxk`.

        Examples
        --------
        >>> ak.array(["b", "a", "B2"]).maxk(2).tolist()
        ['a', 'b']
        """
        return sorting.few_extremes("maxk", self, k)

    def argmink(self, k: int) -> Any:
        """Return the positions of the `k` smallest elements; see `akdask.argmink`.

        Examples
        --------
        >>> ak.Categorical(ak.array(["b", "a", "b"])).as_ordered().argmink(2).tolist()
        [1, 0]
        """
        return sorting.few_extremes("argmink", self, k)

    def argmaxk(self, k: int) -> Any:
        """Return the positions of the `k` largest elements; see `akdask.argmaxk`.

        Examples
        --------
        >>> ak.array([3, 1, 5]).argmaxk(2).tolist()
        [0, 2]
        """
        return sorting.few_extremes("argmaxk", self, k)


@errors_end_at_caller
@shows("int", "uint", "float", "bool", "bigint")
class pdarray(Sortable, ElementwiseArray):
    """A lazy array of int64, uint64, float64, bool or bigint.

    Made by reading files, by `array`, `arange` and their like, and by computing with other arrays.  Everything is lazy
    unless its description says otherwise.  Arithmetic follows Arkouda's type promotion, comparison gives bool arrays,
    and NumPy's ufuncs work on it.

    Examples
    --------
    >>> a = ak.arange(6)
    >>> (a * 2)[a > 3].tolist()
    [8, 10]
    >>> int(a.sum())
    15
    """

    objType = "pdarray"

    BinOps = frozenset(BETWEEN)
    """Operators of two operands, by the names that an Arkouda server knows them by."""

    OpEqOps = frozenset(f"{sign}=" for sign in (*"+-*/%&|^", "//", "<<", ">>", "**"))
    """Operators that change an array in place, as `opeq` takes them."""

    @property
    def dtype(self) -> Any:
        """NumPy dtype of the elements; ``ak.bigint`` for integers of any size.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.dtype
        dtype('int64')
        """
        return bigint if self._value.dtype.kind == "bigint" else self._value.dtype.numpy

    @property
    def name(self) -> str:
        """The name of the plan in Dask: arrays of the same name have the same elements.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.name == a.copy().name
        True
        """
        return self.expr._name

    @property
    def max_bits(self) -> int:
        """Bits of integers of any size, which are taken modulo ``2**max_bits``; -1 for no limit.

        It may be set, which changes the elements of this array; lazy.

        Examples
        --------
        >>> ak.array([2**70], max_bits=80).max_bits
        80
        """
        return self._value.dtype.max_bits

    @max_bits.setter
    def max_bits(self, bits: int | None) -> None:
        if self._value.dtype.kind != "bigint":
            raise ArgumentTypeError(f"only bigint has max_bits; the array is of {self.dtype}.")
        self._value = cast(self._value, bigint_of(bits))

    def bigint_to_uint_arrays(self) -> list[pdarray]:
        """Return the elements as arrays of uint64, the highest 64 bits first; computes the number of arrays.

        Raises
        ------
        ArgumentTypeError
            If the elements are not bigint.
        SchemaError
            If some are below 0.

        Examples
        --------
        >>> [part.tolist() for part in ak.array([2**64 + 5], dtype=ak.bigint).bigint_to_uint_arrays()]
        [[1], [5]]
        """
        if self._value.dtype.kind != "bigint":
            raise ArgumentTypeError(f"only bigint is split into uint64; the array is of {self.dtype}.")
        count = int(reduced(self, "limbs"))
        return [self._operate("limb", self, number=number) for number in reversed(range(count))]

    def slice_bits(self, low: int, high: int) -> pdarray:
        """Return bits `low` to `high`, both included, of integers; as bigint if there are 64 or more; lazy.

        Raises
        ------
        ArgumentError
            If there are no such bits.

        Examples
        --------
        >>> ak.array([0b110100]).slice_bits(2, 4).tolist()
        [5]
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
        """Return the elements with their bits rotated left by a scalar or row by row; lazy.

        Examples
        --------
        >>> ak.array([1, 2**62]).rotl(2).tolist()
        [4, 1]
        """
        return rotl(self, other)

    def rotr(self, other: Any) -> Any:
        """Return the elements with their bits rotated right by a scalar or row by row; lazy.

        Examples
        --------
        >>> ak.array([4, 8]).rotr(2).tolist()
        [1, 2]
        """
        return rotr(self, other)

    @property
    def inferred_type(self) -> str:
        """The word of pandas for the kind of elements: ``integer``, ``floating`` or ``boolean``.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.inferred_type
        'integer'
        """
        return {"float": "floating", "bool": "boolean"}.get(self._value.dtype.kind, "integer")

    @property
    def itemsize(self) -> int:
        """Bytes of one element.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.itemsize
        8
        """
        return self._value.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements; counts rows if their number is unknown.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.nbytes
        24
        """
        return self.size * self.itemsize

    _earlier: tuple[tuple[Frame, Value], ...] = ()
    """Rows and values of the steps before in which integers or bools may have been missing."""

    def _like(self, frame: Frame, value: Value) -> Self:
        made = super()._like(frame, value)
        if value.dtype.kind == self._value.dtype.kind and (earlier := self._with_gaps()):
            made._earlier = self._earlier if earlier[-1] == (frame, value) else earlier
        return made

    def __dlpack__(self, **options: Any) -> Any:
        """Pass the elements to any library that reads DLPack, such as ``torch.from_dlpack``; computes."""
        return self.to_ndarray().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's number of the device: memory of this process."""
        found: tuple[int, int] = np.empty(0).__dlpack_device__()
        return found

    def _operate(self, operation: str, *items: Any, **params: Any) -> Any:
        found = super()._operate(operation, *items, **params)
        if type(found) is pdarray and operation not in ("cast", "where"):
            found._made_of(items)
        return found

    def _made_of(self, items: Iterable[Any]) -> Self:
        """Return integers themselves, after noting in which steps those that they are made of may be missing."""
        if self._value.dtype.kind in ("int", "uint"):
            given = (step for item in items if isinstance(item, pdarray) for step in item._with_gaps())
            self._earlier = tuple(dict.fromkeys(given))
        return self

    def _with_gaps(self) -> tuple[tuple[Frame, Value], ...]:
        """Return the steps up to here in which integers or bools may be missing."""
        own = ((self._frame, self._value),) if self._value.dtype.is_nullable_number else ()
        return (*self._earlier, *own)

    def _converter(self) -> Callable[..., Any]:
        if self._value.dtype.is_nullable_number:
            return OfNullable(column_in_errors(self._value))
        return as_objects if self._value.dtype.kind == "bigint" else as_ndarray

    @property
    def _shown(self) -> CollectionRows:
        if not self._value.dtype.is_nullable_number:
            return super()._shown
        return CollectionRows(self._project(), as_printed, (), None)

    def tolist(self) -> list[Any]:
        """Return the elements as a list of Python objects; computes.

        Integers with gaps become floats with NaN in the gaps, unless one of the integers fits no float.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.tolist()
        [3, 1, 3]
        """
        if not self._value.dtype.is_nullable_number:
            return super().tolist()
        found: list[Any] = CollectionRows(self._project(), as_list, (), None).result()
        return found

    # reductions

    sum = reduction("sum", _of_elements)
    prod = reduction("prod", _of_elements)
    min = reduction("min", _of_elements)
    max = reduction("max", _of_elements)
    mean = reduction("mean", _of_elements)
    var = reduction("var", _spread_of_elements)
    std = reduction("std", _spread_of_elements)
    any = reduction("any", _of_elements)
    all = reduction("all", _of_elements)
    argmin = reduction("argmin", _of_elements)
    argmax = reduction("argmax", _of_elements)
    median = reduction("median", _of_elements)

    def quantile(
        self, q: float | Sequence[float] = 0.5, axis: int | None = None, method: str = "linear", keepdims: bool = False
    ) -> Any:
        """Return one or several quantiles of the elements, exactly; lazy.

        Parameters
        ----------
        q : float or sequence of float
            Which quantiles, from 0 to 1.
        axis : int, optional
            The only axis.
        method : str
            How to choose between two elements, by the names of ``numpy.quantile``.
        keepdims : bool
            Return an array of one element.

        Returns
        -------
        Scalar, or pdarray of several quantiles
            float64, NaN where an element is NaN; methods that choose elements (``lower``, ``higher``, ``nearest``,
            ``inverted_cdf``, ``closest_observation``) keep their type.  Several are computed at once, together.

        Raises
        ------
        ArgumentError
            If `q` is not from 0 to 1, or the method is unknown; at compute, if integers or bools have no elements.

        Notes
        -----
        Every block of rows is sorted.  Sorted blocks are not merged, but meet in the last task, with eight bytes for
        each element, fewer where elements repeat.  Follows ``numpy.quantile``.

        Examples
        --------
        >>> a = ak.array([3, 1, 2, 10])
        >>> a.quantile(0.5), a.quantile([0, 1], method="lower").tolist()
        (np.float64(2.5), [1, 10])
        """
        return quantiles(self, q, axis, method, keepdims)

    def count_nonzero(self) -> Scalar:
        """Return the number of elements that are not zero as int64; lazy.

        Examples
        --------
        >>> ak.array([3, 0, 3]).count_nonzero()
        np.int64(2)
        """
        return self._reduced("count_nonzero", None, False)

    def nunique(self) -> Scalar:
        """Return the number of distinct elements as int64, all NaN being one; lazy.

        Examples
        --------
        >>> int(ak.array([3, 1, 3]).nunique())
        2
        """
        return distinct_count(self)

    def _reduced(self, name: str, axis: int | None, keepdims: bool, **params: Any) -> Scalar:
        return reduced_along_rows(self, name, axis, keepdims, **params)

    # order

    def argsort(self, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int = 0, ascending: bool = True) -> pdarray:
        """Return the positions that put the elements in order, as int64; lazy.

        Parameters
        ----------
        algorithm : SortingAlgorithm
            Accepted for compatibility with Arkouda.
        axis : 0
            There is only one axis.
        ascending : bool, default True
            The direction; see `akdask.argsort`.

        Returns
        -------
        pdarray
            As many positions as elements, in partitions of their own.  Indexing an array that shares rows with this one
            by it sorts that array along, without looking up single rows.

        Examples
        --------
        >>> ak.array([3, 1, 2]).argsort().tolist()
        [1, 2, 0]
        """
        check_axis("argsort", axis)
        return sorting.coargsort([self], algorithm, ascending)

    # elements

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign to rows; lazy.  Arrays derived from this one before keep the old values.

        Parameters
        ----------
        key : int, slice, or array of bool or int
            Which rows.
        item : scalar or pdarray
            One value for all of them, or an array as long as the selection.
        """
        self._frame, self._value = assigned(self, key, item)

    def value_counts(self) -> tuple[Any, pdarray]:
        """Return the distinct elements in ascending order, and how often each occurs, as int64; lazy.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> values, counts = a.value_counts()
        >>> values.tolist(), counts.tolist()
        ([1, 3], [1, 2])
        """
        from akdask.operators.group.plan import GroupAggregate, GroupReduction

        frame, key = self._key()
        groups = GroupAggregate.of(frame, [key], [GroupReduction("size")])
        (found,) = groups.keys_of([key])
        return self._of_key(groups, found), pdarray(groups, groups.result(0))

    def fill(self, value: Any) -> None:
        """Set every element; lazy.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.fill(7)
        >>> a.tolist()
        [7, 7, 7]
        """
        self[:] = value

    def _binop(self, other: Any, op: str) -> Any:
        """Return the result of an operator given as text, as in Arkouda: ``a._binop(5, "+")`` is ``a + 5``."""
        if isinstance(other, ElementwiseArray) and type(other) is not pdarray:
            return NotImplemented
        return _between(op)(self, other)

    def _r_binop(self, other: Any, op: str) -> Any:
        """Return the result of an operator with a scalar on its left: ``a._r_binop(5, "-")`` is ``5 - a``."""
        return _between(op)(other, self)

    def opeq(self, other: Any, op: str) -> Self:
        """Compute in place with an operator given as text: ``a.opeq(5, "+=")`` is ``a += 5``; lazy.

        Parameters
        ----------
        other : array or scalar
            The other operand.
        op : str
            The operator, such as ``+=``.

        Returns
        -------
        pdarray
            The array itself.

        Raises
        ------
        ArgumentError
            If the operator is unknown.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.opeq(2, "+=").tolist()
        [5, 3, 5]
        """
        if op not in IN_PLACE:
            raise ArgumentError(f"there is no operator {op!r} in place.", details=[f"operators: {' '.join(IN_PLACE)}"])
        found: Self = IN_PLACE[op](self, other)
        return found

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

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.format_other(2)
        '2'
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
            Length of each dimension; one of them may be -1, and follows from the number of elements.

        Examples
        --------
        >>> ak.arange(4).reshape(2, 2).tolist()
        [[0, 1], [2, 3]]
        """
        from akdask.arrays.ndarray import reshaped

        return reshaped(self, *shape)

    def flatten(self) -> pdarray:
        """Return the array itself, which is flat.

        Examples
        --------
        >>> ak.arange(4).reshape(2, 2).flatten().tolist()
        [0, 1, 2, 3]
        """
        return self

    def equals(self, other: Any) -> Any:
        """Whether the other array has the same elements in the same order; computes.

        Examples
        --------
        >>> a = ak.array([3, 1, 3])
        >>> a.equals(a.copy()), a.equals(a + 1)
        (np.True_, np.False_)
        """
        if not isinstance(other, pdarray) or self.shape != other.shape:
            return False
        return self._operate("equal", self, other).all().value()


def as_objects(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table of integers of any size as Python ints."""
    objects = np.empty(table.nrows, object)
    objects[:] = to_objects(table.columns[0])
    return objects


@record
class OfNullable:
    """Makes floats of integers with missing rows, the only column of a table; integers if none is missing.

    Parameters
    ----------
    column : str
        The name of the column, for the message of the error where an integer equals no float.
    """

    column: str

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return f"of nullable {self.column}"

    def __call__(self, table: Table) -> np.ndarray[Any, Any]:
        """Return the elements."""
        column: Any = table.columns[0]
        if column.missing is None:
            return np.array(column.values)
        from akdask.operators.values.cast import missing_as_nan

        found: np.ndarray[Any, Any] = missing_as_nan(column.values, column.missing, column=self.column)
        return found


def as_printed(table: Table) -> np.ndarray[Any, Any]:
    """Return integers with missing rows as Python objects, NaN where they are missing.

    Examples
    --------
    >>> from akdask.columns.nullable import NullableColumn
    >>> as_printed(Table({0: NullableColumn(np.array([2**60 + 1, 0]), np.array([False, True]))}, 2)).tolist()
    [1152921504606846977, nan]
    """
    column: Any = table.columns[0]
    found = column.values.astype(object)
    found[column.mask] = np.nan
    return found


def as_list(table: Table) -> list[Any]:
    """Return integers with gaps as floats, or as integers if one of them fits no float.

    Examples
    --------
    >>> from akdask.columns.nullable import NullableColumn
    >>> as_list(Table({0: NullableColumn(np.array([2**60 + 1, 0]), np.array([False, True]))}, 2))
    [1152921504606846977, nan]
    """
    column: Any = table.columns[0]
    integers, missing = column.values, column.mask
    if first_changed(integers, np.logical_not(missing)) is None:
        found: list[Any] = np.where(missing, np.nan, integers).tolist()
        return found
    pairs = zip(np.asarray(integers).tolist(), np.asarray(missing).tolist(), strict=True)
    return [np.nan if lacks else integer for integer, lacks in pairs]
