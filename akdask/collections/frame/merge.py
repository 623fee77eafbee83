"""Joining a DataFrame with another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from akdask.collections.frame.joining import merge
from akdask.collections.frame_core.base import FrameBase

LABELS = "\0labels"
"""The column of labels to join by, which no user sees."""


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

    def join(  # noqa: PLR0917 - pandas' signature
        self,
        other: FrameBase,
        on: str | None = None,
        how: str = "left",
        lsuffix: str = "",
        rsuffix: str = "",
        sort: bool = False,
    ) -> Self:
        """Join with another DataFrame by the labels of its rows; lazy.

        Parameters
        ----------
        other : DataFrame
            The other rows.
        on : str, optional
            The column of this frame that has labels of `other`; the labels of its own rows unless given.
        how : {"left", "inner", "right", "outer", "semi", "anti"}
            Which rows to keep; see `merge`.
        lsuffix, rsuffix : str
            Appended to names of columns that both have.
        sort : bool
            Put the rows in order of the labels.

        Returns
        -------
        DataFrame
            The columns of both; integers and bool are float64 where rows may lack a match.  Rows keep the labels that
            they were joined by; joined by a column, they are numbered anew.

        Raises
        ------
        MissingColumnError
            If there is no column `on`.
        SchemaError
            If columns of both have the same name, and no suffixes.

        Notes
        -----
        Follows ``pandas.DataFrame.join``; Arkouda has no such method.

        Examples
        --------
        >>> import akdask as ak
        >>> left = ak.DataFrame({"x": [1, 2]}, index=["a", "b"])
        >>> right = ak.DataFrame({"y": [20, 10]}, index=["b", "a"])
        >>> left.join(right).to_pandas(retain_index=True)
           x     y
        a  1  10.0
        b  2  20.0
        """
        ours, theirs = self._columns, other._columns
        labels = ours.index_array() if on is None else ours.array(on)
        left = self._of(ours.labelled(None).having(LABELS, labels))
        right = other._of(theirs.labelled(None).having(LABELS, theirs.index_array()))
        joined = merge(left, right, LABELS, None, None, how, lsuffix, rsuffix, sort=sort)._columns
        columns = joined.only(name for name in joined.values if name != LABELS)
        return self._of(columns.labelled(joined.array(LABELS)) if on is None else columns)
