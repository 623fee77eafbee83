"""Copies, and whether two objects are made of the same elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from akdask.collections.arrays.creation import full
from akdask.collections.core.array import Array
from akdask.errors import ArgumentTypeError


def copy(a: Any) -> Any:
    """Return a copy of an array, which keeps its elements when the array is assigned to; lazy.

    Parameters
    ----------
    a : pdarray, Strings, Categorical or another lazy object that has copies
        What to copy.

    Raises
    ------
    ArgumentTypeError
        If it has none.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(3)
    >>> b = ak.copy(a)
    >>> a[0] = 9
    >>> b.tolist()
    [0, 1, 2]
    """
    if not hasattr(a, "copy") or not hasattr(type(a), "__dask_graph__"):
        raise ArgumentTypeError(f"copy takes a lazy object, not {type(a).__name__}.")
    return a.copy()


def scalar_array(value: Any, dtype: Any = None) -> Any:
    """Return an array of one element; takes no memory.

    Parameters
    ----------
    value : scalar
        The element.
    dtype : dtype-like, optional
        The value's type unless given.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.scalar_array(5, "float64").tolist()
    [5.0]
    """
    return full(1, value, dtype)


def shares_memory(a: Any, b: Any) -> bool:
    """Whether two objects are the same array, or one holds columns that the other holds too.

    What is assigned to one of two arrays is never seen in another, so that arrays share with nothing but themselves:
    an array and its copy do not.  DataFrames, dicts and other collections share with what has been put into them, for
    as long as it has not been assigned to.

    Parameters
    ----------
    a, b : object
        Lazy objects, or lists, tuples and mappings of them.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(3)
    >>> ak.shares_memory(a, a), ak.shares_memory(a, ak.copy(a)), ak.shares_memory(ak.DataFrame({"a": a}), a)
    (True, False, True)
    """
    if a is b:
        return next(_columns(a), None) is not None
    if isinstance(a, Array) and isinstance(b, Array):
        return False
    return not set(_columns(a)).isdisjoint(_columns(b))


def may_share_memory(a: Any, b: Any) -> bool:
    """Whether two objects hold columns that are the same; see `shares_memory`, which is exact."""
    return shares_memory(a, b)


def _columns(item: Any) -> Iterator[tuple[str, str]]:
    """Yield names of the expressions that an object is made of."""
    if isinstance(item, Array):
        yield item._frame._name, item._value.token
    elif isinstance(item, Mapping):
        for part in item.values():
            yield from _columns(part)
    elif isinstance(item, list | tuple):
        for part in item:
            yield from _columns(part)
    elif hasattr(item, "items") and callable(item.items):
        yield from _columns(dict(item.items()))
    else:
        parts = [getattr(type(item), name, None) and getattr(item, name) for name in ("values", "keys", "segments")]
        yield from _columns([part for part in parts if part is not None and not callable(part)])
