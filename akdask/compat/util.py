"""``ak.util``: helpers that Arkouda's own modules and scripts share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from akdask.collections.arrays.broadcasting import broadcast
from akdask.collections.core.array import Array
from akdask.collections.frame_core.index import Index
from akdask.collections.frame_core.memory_units import in_unit
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.session.connection import get_config
from akdask.collections.session.memory import get_mem_used
from akdask.collections.session.registry import register
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.concatenation import concatenate
from akdask.collections.time.datetimes import Datetime, Timedelta
from akdask.collections.time.ipv4 import IPv4
from akdask.errors import ArgumentTypeError, AxisError, warn

__all__ = ["register"]

Item = TypeVar("Item")


def identity(x: Item) -> Item:
    """Return the object itself.

    Parameters
    ----------
    x : object
        The object.
    """
    return x


def get_callback(x: Any) -> Callable[[Any], Any]:
    """Return what makes, of plain numbers, an array of the same kind as another.

    Parameters
    ----------
    x : array
        The other.

    Examples
    --------
    >>> import akdask as ak
    >>> get_callback(ak.ip_address(["1.2.3.4"])) is ak.IPv4, get_callback(ak.arange(3)) is identity
    (True, True)
    """
    if isinstance(x, Datetime | Timedelta | IPv4):
        return type(x)
    if type(x).__name__ == "BitVector":
        return lambda numbers: type(x)(numbers, width=x.width, reverse=x.reverse)
    return identity


def generic_concat(items: Sequence[Any], ordered: bool = True) -> Any:
    """Join objects of one kind end to end: arrays, lists, DataFrames, Series; lazy.

    Parameters
    ----------
    items : sequence
        The objects.
    ordered : bool
        Keep their order; the order is kept in any case.

    Raises
    ------
    ArgumentTypeError
        If they are not of one kind.
    """
    kinds = {type(item) for item in items}
    if len(kinds) != 1:
        names = sorted(kind.__name__ for kind in kinds)
        raise ArgumentTypeError("objects of one kind are joined.", details=[f"given: {', '.join(names) or 'none'}"])
    (kind,) = kinds
    if kind is list:
        return [element for item in items for element in item]
    if issubclass(kind, Index):
        first, *others = items
        for other in others:
            first = first.concat(other)
        return first
    return kind.concat(items, ordered=ordered) if hasattr(kind, "concat") else concatenate(items, ordered=ordered)


def convert_if_categorical(values: Any) -> Any:
    """Return the labels of a Categorical as Strings, and anything else as it is; lazy.

    Parameters
    ----------
    values : array
        The elements.
    """
    return values.to_strings() if isinstance(values, Categorical) else values


def convert_bytes(nbytes: int, unit: str = "B") -> int | float:
    """Return a number of bytes in another unit.

    Parameters
    ----------
    nbytes : int
        The bytes.
    unit : {"B", "KB", "MB", "GB"}
        The unit.

    Raises
    ------
    ArgumentError
        If there is no such unit.
    """
    return in_unit(nbytes, unit)


def report_mem(pre: str = "") -> None:
    """Print how much memory is taken; see `akdask.get_mem_used`.

    Parameters
    ----------
    pre : str
        What the line begins with.
    """
    facts, used = get_config(), get_mem_used()
    share = used / ((facts["numLocales"] * facts["physicalMemory"]) or 1)
    print(f"{pre} mem use: {used / 2**40: .2f} TB ({share:.1%})")


def is_numeric(arry: Any) -> bool:
    """Whether an array, an Index or a Series is of numbers; bools are none.

    Parameters
    ----------
    arry : array, Index or Series
        What is asked about.

    Examples
    --------
    >>> import akdask as ak
    >>> is_numeric(ak.arange(3)), is_numeric(ak.array(["1"])), is_numeric(ak.array([True]))
    (True, False, False)
    """
    return _kind(arry) in {"int", "uint", "float", "bigint"}


def is_float(arry: Any) -> bool:
    """Whether an array, an Index or a Series is of floats.

    Parameters
    ----------
    arry : array, Index or Series
        What is asked about.
    """
    return _kind(arry) == "float"


def is_int(arry: Any) -> bool:
    """Whether an array, an Index or a Series is of integers.

    Parameters
    ----------
    arry : array, Index or Series
        What is asked about.
    """
    return _kind(arry) in {"int", "uint", "bigint"}


def _kind(arry: Any) -> str:
    """Return what sort of elements something has; none where numbers stand for something else."""
    values = arry if isinstance(arry, Array) else getattr(arry, "values", None)
    return values._value.dtype.kind if isinstance(values, Array) and not isinstance(values, Categorical) else ""


def map(values: Any, mapping: Any) -> Any:
    """Return other values for those of an array; lazy.

    Parameters
    ----------
    values : pdarray, Strings or Categorical
        The array.
    mapping : dict or Series
        New values by old ones.

    Returns
    -------
    pdarray or Strings
        Strings where the values were a Categorical.  See `Index.map` for what is not in the mapping.

    Raises
    ------
    ArgumentTypeError
        If it is neither.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.util.map(ak.array([2, 3, 2, 3, 4]), {4: 25.0, 2: 30.0, 1: 7.0, 3: 5.0}).tolist()
    [30.0, 5.0, 30.0, 5.0, 25.0]
    """
    is_known = isinstance(mapping, Mapping) or not hasattr(mapping, "to_pandas")
    return Index(values).map(mapping if is_known else mapping.to_pandas()).values


def sparse_sum_help(  # noqa: PLR0917 - Arkouda's signature
    idx1: Any, idx2: Any, val1: Any, val2: Any, merge: bool = True, percent_transfer_limit: int = 100
) -> tuple[Any, Any]:
    """Return the indices of two sparse arrays, each once, and the sums of their values; lazy.

    Parameters
    ----------
    idx1, idx2 : pdarray of int
        Where there are values.
    val1, val2 : pdarray
        The values.
    merge, percent_transfer_limit
        Accepted for compatibility with Arkouda: how it is done is decided by the data.

    Examples
    --------
    >>> import akdask as ak
    >>> at, sums = sparse_sum_help(ak.array([0, 2]), ak.array([2, 3]), ak.array([5, 6]), ak.array([10, 20]))
    >>> at.tolist(), sums.tolist()
    ([0, 2, 3], [5, 16, 20])
    """
    return GroupBy(concatenate([idx1, idx2])).sum(concatenate([val1, val2]))


def bounds_check(axis: int, rank: int) -> bool:
    """Whether an array of some dimensions has one of a number, which counts from the end below 0.

    Parameters
    ----------
    axis : int
        The number of the dimension.
    rank : int
        How many there are.
    """
    return -rank <= axis < rank


def adjust_negs(axis: int, rank: int) -> int:
    """Return the number of a dimension counted from the first.

    Parameters
    ----------
    axis : int
        The number, which counts from the end below 0.
    rank : int
        How many dimensions there are.

    Raises
    ------
    AxisError
        If there is none of that number.
    """
    if not bounds_check(axis, rank):
        raise AxisError(f"an array of {rank} dimensions has none of number {axis}.")
    return axis % rank


def expand(size: int, segs: Any, vals: Any) -> Any:
    """Spread one value per segment over its rows: `akdask.broadcast` with its arguments in another order; lazy.

    Parameters
    ----------
    size : int
        Rows in all.
    segs : pdarray of int
        Where each segment begins.
    vals : pdarray
        The value of each.
    """
    warn("expand(size, segs, vals) is now broadcast(segs, vals, size).", DeprecationWarning)
    return broadcast(segs, vals, size)


def most_common(g: GroupBy, values: Any) -> Any:
    """Return the keys of groups and the commonest value of each; lazy.

    Parameters
    ----------
    g : GroupBy
        The groups.
    values : array
        The values, with the rows of the keys.
    """
    warn("most_common(g, values) is now g.mode(values).", DeprecationWarning)
    return g.mode(values)
