"""Joining a DataFrame with another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from akdask.collections.frame_base import FrameBase
from akdask.collections.joining import merge


class MergeMethods(FrameBase):
    """Joins by the values of columns."""

    def merge(  # noqa: PLR0917 - Arkouda's signature
        self,
        right: FrameBase,
        on: str | Sequence[str] | None = None,
        how: str = "inner",
        left_suffix: str = "_x",
        right_suffix: str = "_y",
        convert_ints: bool = True,
        sort: bool = True,
        *,
        left_on: str | Sequence[str] | None = None,
        right_on: str | Sequence[str] | None = None,
    ) -> Self:
        """Join with another DataFrame by equal values of columns; lazy.  See `merge`."""
        return merge(self, right, on, left_on, right_on, how, left_suffix, right_suffix, convert_ints, sort)
