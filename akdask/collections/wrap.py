"""From a frame and a value to the object that users see: each kind of array registers for the types that it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from akdask.collections.array import Array
from akdask.plan.node import Frame
from akdask.plan.values import Value
from akdask.schema.dtypes import Kind

MakeArray = TypeVar("MakeArray", bound=Callable[[Frame, Value], Array])

_shown_by: dict[Kind, Callable[[Frame, Value], Array]] = {}


def shows(*kinds: Kind) -> Callable[[MakeArray], MakeArray]:
    """Register a class, or what makes its objects, for values of some kinds of column types."""

    def register(make: MakeArray) -> MakeArray:
        _shown_by.update(dict.fromkeys(kinds, make))
        return make

    return register


def wrap(frame: Frame, value: Value) -> Array:
    """Return the array of the kind that the value's type asks for."""
    return _shown_by[value.dtype.kind](frame, value)
