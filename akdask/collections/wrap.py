"""From a frame and a value to the object that users see: each kind of array registers for the types that it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from akdask.collections.array import Array
from akdask.plan.node import Frame
from akdask.plan.values import Value

ArrayType = TypeVar("ArrayType", bound=type[Array])

_shown_by: dict[bool, type[Array]] = {}


def shows(*, numbers: bool) -> Callable[[ArrayType], ArrayType]:
    """Register a class for values of numbers, or of strings."""

    def register(cls: ArrayType) -> ArrayType:
        _shown_by[numbers] = cls
        return cls

    return register


def wrap(frame: Frame, value: Value) -> Array:
    """Return the array of the kind that the value's type asks for."""
    return _shown_by[value.dtype.is_number](frame, value)
