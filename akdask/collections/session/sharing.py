"""Whether two objects are one: whether what is assigned to elements of one changes the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akdask.collections.arrays.ndarray import ArrayView
from akdask.collections.core.array import Array
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.index import Index
from akdask.collections.groups.groupby import GroupBy


def shares_memory(a: Any, b: Any) -> bool:
    """Whether what is assigned to elements of one object changes another; computes nothing.

    Parameters
    ----------
    a, b : object
        Arrays, and what is made of arrays: Index, Series, DataFrame, GroupBy.

    Returns
    -------
    bool
        A copy shares nothing, though both are found by one plan, and of a plan no elements may be in memory.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(3)
    >>> shares_memory(a, a), shares_memory(a, a.copy()), shares_memory(ak.DataFrame({"x": a}), a)
    (True, False, False)
    """
    return not {id(item) for item in _changeable(a)}.isdisjoint(id(item) for item in _changeable(b))


def may_share_memory(a: Any, b: Any) -> bool:
    """Whether what is assigned to elements of one object changes another; see `shares_memory`, which is as quick.

    Parameters
    ----------
    a, b : object
        The objects.
    """
    return shares_memory(a, b)


def _changeable(item: Any) -> Iterator[Any]:
    """Yield the objects that are changed by what is assigned to elements of one."""
    match item:
        case FrameBase():
            yield item._content
            yield from (array for array, _ in item._content.handed.values())
        case Index():
            yield from item._levels
        case GroupBy():
            yield from item._arrays
        case Array() | ArrayView():
            yield item
        case _ if isinstance(getattr(item, "values", None), Array):
            yield item.values
