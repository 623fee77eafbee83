"""From a frame and a value to the object that users see."""

from __future__ import annotations

from akdask.collections.array import Array
from akdask.collections.pdarray import pdarray
from akdask.collections.strings import Strings
from akdask.plan.node import Frame
from akdask.plan.values import Value


def wrap(frame: Frame, value: Value) -> Array:
    """Return the array of the kind that the value's type asks for."""
    return pdarray(frame, value) if value.dtype.is_number else Strings(frame, value)
