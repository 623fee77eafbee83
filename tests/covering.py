"""Cases that cover a grid of parameters without all of its points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any


def in_turns(*axes: Sequence[Any], turning: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return all combinations of some axes, with the values of another one in turns behind them.

    Each of these values meets each value of each axis, if one of the other axes is as long as they are.
    """
    grid = product(*[list(enumerate(axis)) for axis in axes])
    return [
        (*(value for _, value in point), turning[sum(place for place, _ in point) % len(turning)]) for point in grid
    ]


def named(value: Any) -> str | None:
    """Return what a case is called by a mapping of parameters; pytest has names for other values."""
    return "-".join(map(str, value.values())) if isinstance(value, dict) else None
