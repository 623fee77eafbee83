"""Groups of rows that are drawn side by side: what they are called, and which of them each row is in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dask
import numpy as np

from akdask.collections.arrays.creation import arange
from akdask.collections.arrays.elementwise import cast
from akdask.collections.groups.groupby import GroupBy
from akdask.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class DrawnGroups:
    """Groups of rows.

    Parameters
    ----------
    by : GroupBy
        The groups, in the order of their keys.
    labels : list of str
        What they are called.
    number : pdarray of float64
        The number of the group of each row, NaN of rows whose key is missing; lazy.
    """

    by: GroupBy
    labels: list[str]
    number: Any

    @classmethod
    def of(cls, keys: Sequence[Any], most: int) -> DrawnGroups:
        """Return the groups of some keys; computes the keys.

        Raises
        ------
        ArgumentError
            If there are more than have room.
        """
        by = GroupBy(keys[0] if len(keys) == 1 else list(keys))
        if by.ngroups > most:
            raise ArgumentError(
                f"there are {by.ngroups:,} groups, and up to {most} have room.",
                hint="choose some: df[df['k'].isin(…)], or cut the keys into intervals.",
            )
        (found,) = dask.compute(by.unique_keys)
        names = found if len(keys) == 1 else [f"({', '.join(map(str, key))})" for key in zip(*found, strict=True)]
        return cls(by, [str(name) for name in names], cast(by.broadcast(arange(by.ngroups)), np.float64))
