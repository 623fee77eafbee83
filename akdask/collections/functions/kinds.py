"""Kinds of arrays: telling them, converting them, and joining whatever is of one kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from akdask.collections.core.array import Array
from akdask.collections.core.base import unlabelled
from akdask.collections.frame_core.index import Index
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.concatenation import concatenate
from akdask.collections.time.bit_vectors import BitVector
from akdask.collections.time.datetimes import Datetime, Timedelta
from akdask.collections.time.ipv4 import IPv4
from akdask.errors import ArgumentTypeError


def is_numeric(arry: Any) -> bool:
    """Return whether the elements of an array, or the labels of an index, are numbers; bools are none.

    Examples
    --------
    >>> import akdask as ak
    >>> is_numeric(ak.arange(3)), is_numeric(ak.array(["a"]))
    (True, False)
    """
    return _kind(arry) in {"int", "uint", "float", "bigint"}


def is_float(arry: Any) -> bool:
    """Return whether the elements of an array, or the labels of an index, are floats.

    Examples
    --------
    >>> import akdask as ak
    >>> is_float(ak.array([0.5])), is_float(ak.arange(3))
    (True, False)
    """
    return _kind(arry) == "float"


def is_int(arry: Any) -> bool:
    """Return whether the elements of an array, or the labels of an index, are integers, signed or not.

    Examples
    --------
    >>> import akdask as ak
    >>> is_int(ak.arange(3)), is_int(ak.array([True]))
    (True, False)
    """
    return _kind(arry) in {"int", "uint", "bigint"}


def _kind(arry: Any) -> str:
    """Return the kind of type that elements have; none of what is no single array, or stands for something else."""
    values = unlabelled(arry)
    is_plain = isinstance(values, Array) and not isinstance(values, Categorical | Datetime | Timedelta)
    return values._value.dtype.kind if is_plain else ""


def convert_if_categorical(values: Any) -> Any:
    """Return a Categorical as Strings, and anything else as it is; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> convert_if_categorical(ak.Categorical(ak.array(["a", "b"]))).tolist()
    ['a', 'b']
    """
    return values.to_strings() if isinstance(values, Categorical) else values


def identity(x: Any) -> Any:
    """Return the same object."""
    return x


def get_callback(x: Any) -> Callable[[Any], Any]:
    """Return what makes an array of the kind of another of plain numbers: for times, addresses and bits.

    Examples
    --------
    >>> import akdask as ak
    >>> get_callback(ak.IPv4(["10.0.0.1"]))(ak.array([7])).tolist()
    ['0.0.0.7']
    """
    if isinstance(x, BitVector):
        return x._of_numbers
    return type(x) if type(x) in {Datetime, Timedelta, IPv4} else identity


def generic_concat(items: Sequence[Any], ordered: bool = True) -> Any:
    """Return arrays, indices, DataFrames or lists, all of one kind, end to end; lazy.

    Parameters
    ----------
    items : sequence
        At least one.
    ordered : bool, default True
        Accepted for compatibility with Arkouda; the order is always kept.

    Raises
    ------
    ArgumentTypeError
        If they are not of one kind.

    Examples
    --------
    >>> import akdask as ak
    >>> generic_concat([ak.arange(2), ak.arange(2)]).tolist(), generic_concat([[1], [2, 3]])
    ([0, 1, 0, 1], [1, 2, 3])
    """
    kinds = {type(item) for item in items}
    if len(kinds) != 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds)) or "none"
        raise ArgumentTypeError(f"objects of one kind are joined, not {names}.")
    (kind,) = kinds
    if kind is list:
        return list(chain.from_iterable(items))
    if issubclass(kind, Index):
        joined = items[0]
        for item in items[1:]:
            joined = joined.concat(item)
        return joined
    return kind.concat(items) if hasattr(kind, "concat") else concatenate(items)
