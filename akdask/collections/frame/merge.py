"""Joining a DataFrame with another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.sorting import argsort, coargsort
from akdask.collections.core.array import Array
from akdask.collections.frame.joining import merge
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.series.base import SeriesBase
from akdask.collections.text.categorical import Categorical
from akdask.errors import ArgumentError, ArgumentTypeError

LABELS = "\0labels"
"""The column of labels to join by, which no user sees."""


ROW = "\0row"
"""The column of labels of one side, which its rows keep, and which no user sees."""

FROM_LEFT, FROM_RIGHT = "\0left", "\0right"
"""Columns that tell from which side a row of a join comes."""


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
        suffixes: tuple[str, str] | None = None,
        indicator: bool | str = False,
        left_index: bool = False,
        right_index: bool = False,
    ) -> Self:
        """Join with another DataFrame by equal values of columns; lazy.  See `merge`.

        Parameters
        ----------
        right : DataFrame
            The other rows; a Series with a name is a column.
        on, how, left_suffix, right_suffix, convert_ints, sort, left_on, right_on
            As `merge` has them.  ``how="cross"`` pairs each row with all others.
        suffixes : (str, str), optional
            The same as `left_suffix` and `right_suffix`, as pandas spells it.
        indicator : bool or str, default False
            Add a column, ``_merge`` or of that name, which says whether a row comes from ``left_only``,
            ``right_only`` or ``both``.
        left_index, right_index : bool, default False
            Join by the labels of the rows in place of columns.  Joined by the labels of both, rows keep these; by those
            of one side, rows of the other keep theirs where all that are kept have some.

        Raises
        ------
        ArgumentError
            If keys are given twice.
        ArgumentTypeError
            If `right` is neither a DataFrame nor a Series, or `suffixes` are not two.

        Examples
        --------
        >>> import akdask as ak
        >>> left, right = ak.DataFrame({"k": [1, 2]}), ak.DataFrame({"k": [2, 3]})
        >>> left.merge(right, how="outer", indicator=True).to_pandas()
           k      _merge
        0  1   left_only
        1  2        both
        2  3  right_only
        """
        if suffixes is not None:
            given: Any = suffixes
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise ArgumentTypeError(f"suffixes are two, for left and right, not {suffixes!r:.100}.")
            left_suffix, right_suffix = (suffix or "" for suffix in given)
        ours: Any = self
        theirs = _as_frame(right)
        label_column = None
        if left_index or right_index:
            label_column = LABELS if left_index and right_index else ROW
            if right_index and not left_index and how in ("inner", "left"):
                ours = ours.assign(**{ROW: ours.index})
            elif left_index and not right_index and how in ("inner", "right"):
                theirs = theirs.assign(**{ROW: theirs.index})
            elif label_column == ROW:
                label_column = None
            ours, left_on = _by_labels(ours, left_on if on is None else on, is_by_label=left_index)
            theirs, right_on = _by_labels(theirs, right_on if on is None else on, is_by_label=right_index)
            on = None
        if how == "cross":
            if on is not None or left_on is not None or right_on is not None:
                raise ArgumentError("a cross join pairs all rows, and has no columns to join by.")
            ours, theirs, on, how = ours.assign(**{LABELS: 0}), theirs.assign(**{LABELS: 0}), LABELS, "inner"
        name = indicator if isinstance(indicator, str) else "_merge"
        if indicator:
            ours, theirs = (side.assign(**{of: True}) for side, of in ((ours, FROM_LEFT), (theirs, FROM_RIGHT)))
            if on is None and left_on is None:
                on = [one for one in ours.columns if one in theirs.columns]
        by_both = left_index and right_index
        found: Any = merge(
            ours, theirs, on, left_on, right_on, how, left_suffix, right_suffix, convert_ints, sort and not by_both
        )
        if by_both and (sort or how == "outer"):
            labels = [side._columns.index_array() for side in (self, _as_frame(right))]
            found = _in_order_of_labels(found, *labels)
        if indicator:
            found[name] = _sources(found)
        hidden = (LABELS, ROW, FROM_LEFT, FROM_RIGHT)
        shown = found._columns.only(one for one in found.columns if one not in hidden)
        if label_column is None:
            return self._of(shown)
        sides = [self, _as_frame(right)] if by_both else [self if right_index else _as_frame(right)]
        names = {side._columns.index_name for side in sides}
        return self._of(shown.labelled(found._columns.array(label_column), names.pop() if len(names) == 1 else None))

    def join(  # noqa: PLR0917 - pandas' signature
        self,
        other: Any,
        on: str | None = None,
        how: str = "left",
        lsuffix: str = "",
        rsuffix: str = "",
        sort: bool = False,
    ) -> Self:
        """Join with another DataFrame by the labels of its rows; lazy.

        Parameters
        ----------
        other : DataFrame or Series
            The other rows; a Series is a column of its name.
        on : str, optional
            The column of this frame that has labels of `other`; the labels of its own rows unless given.
        how : {"left", "inner", "right", "outer", "semi", "anti"}
            Which rows to keep; see `merge`.
        lsuffix, rsuffix : str
            Appended to names of columns that both have.
        sort : bool
            Put the rows in order of the labels.  All labels of both, ``how="outer"``, are in order in any case.

        Returns
        -------
        DataFrame
            The columns of both; integers and bool are float64 where rows lack a match.  Rows keep the labels that
            they were joined by, in order where those of both are kept; joined by a column they keep their own, but
            where rows of `other` are kept, which are numbered anew.

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
           x   y
        a  1  10
        b  2  20
        """
        given = _as_frame(other)
        ours, theirs = self._columns, given._columns
        labels = ours.index_array() if on is None else ours.array(on)
        left = self._of(ours.labelled(None).having(LABELS, labels))
        keeps_rows = on is not None and how in ("left", "inner", "semi", "anti")
        if keeps_rows:
            left = left._of(left._columns.having(ROW, ours.index_array()))
        right = given._of(theirs.labelled(None).having(LABELS, theirs.index_array()))
        found: Any = merge(left, right, LABELS, None, None, how, lsuffix, rsuffix, sort=sort and on is not None)
        if on is None and (sort or how == "outer"):
            found = _in_order_of_labels(found, labels, theirs.index_array())
        joined = found._columns
        columns = joined.only(name for name in joined.values if name not in (LABELS, ROW))
        if on is not None and not keeps_rows:
            return self._of(columns)
        return self._of(columns.labelled(joined.array(ROW if keeps_rows else LABELS), ours.index_name))


def _as_frame(other: Any) -> Any:
    """Return the other side of a join, a Series as a DataFrame of one column."""
    found = other.to_frame() if isinstance(other, SeriesBase) else other
    if not isinstance(found, FrameBase):
        raise ArgumentTypeError(f"a DataFrame is joined with DataFrames and Series, not {type(other).__name__}.")
    return found


def _in_order_of_labels(joined: Any, mine: Array, theirs: Array) -> Any:
    """Return joined rows in order of their labels; as in pandas, Categoricals of the same categories go by these."""
    labels: Any = joined._columns.array(LABELS)
    same: list[Any] = [side._category_table for side in (mine, theirs) if isinstance(side, Categorical)]
    is_by_code = len(same) > 1 and same[0] is same[1]
    order = coargsort([labels.isna(), labels.codes]) if is_by_code else argsort(labels)
    return joined._of(joined._rows(order)._columns.labelled(None))


def _by_labels(frame: Any, names: Any, *, is_by_label: bool) -> tuple[Any, Any]:
    """Return a side with its labels as a column, and the names of the columns to join by."""
    if not is_by_label:
        return frame, names
    if names is not None:
        raise ArgumentError("a side is joined either by its labels or by columns.")
    return frame.assign(**{LABELS: frame.index}), LABELS


def _sources(joined: Any) -> Any:
    """Return from which sides the rows of an outer join come."""
    there = [joined.notna()[name] & (joined[name] != 0) for name in (FROM_LEFT, FROM_RIGHT)]
    return where(there[0], where(there[1], "both", "left_only"), "right_only")
