"""Steps of rows on a grid that is as fine as a picture: what many rows are grouped by before they are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.collections.arrays.elementwise import cast, elementwise, where
from akdask.plotting.axis_values import AxisValues, Extent


def step_numbers(column: AxisValues, extent: Extent, number: int) -> tuple[Any, Any]:
    """Return which of a number of equal steps each row is at, and whether it is inside the extent; lazy."""
    values, (low, high) = column.counted_from(extent)
    inside = (values >= low) & (values <= high)
    steps = number / (high - low) if high > low else 0.0
    position = elementwise("floor", (cast(where(inside, values, low), np.float64) - float(low)) * steps)
    return where(position > number - 1, number - 1, cast(position, np.int64)), inside


def middles(column: AxisValues, extent: Extent, number: int) -> Any:
    """Return the middles of the steps, as numbers or times."""
    _, (low, high) = column.counted_from(extent)
    return column.shown(low + (np.arange(number) + 0.5) * ((high - low) / number), extent)
