"""Each row with all rows before it: expanding reductions, and means whose weights decay."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np

from akdask.collections.arrays.elementwise import cast as as_type
from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.scans import cumsum
from akdask.collections.arrays.ufuncs import isfinite
from akdask.collections.frame_core.analysis.kinds import demand_numbers
from akdask.collections.frame_core.analysis.moving.windows import Analysed, WindowReductions, as_integer, shifted
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.errors import ArgumentError
from akdask.plan.expr.rowwise import Project
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.rows.expanding import Expanded, Recurrence
from akdask.plan.rows.neighbours import LastValid, WithNeighbours
from akdask.plan.task.align import align

Owner = TypeVar("Owner", bound="Analysed")


class ExpandingMethods(Analysed):
    """Windows from the first row to each row.  Rows of unknown number need not be counted."""

    def expanding(self, min_periods: int = 1) -> Expanding[Any]:
        """Return windows of each row and all rows before it, to be reduced: ``df.expanding().mean()``; lazy.

        Parameters
        ----------
        min_periods : int, default 1
            Fewest rows that must not be missing; with fewer the result is NaN.

        Raises
        ------
        ArgumentError
            If `min_periods` is negative.
        ArgumentTypeError
            If it is no whole number, or a column has no numbers.

        Notes
        -----
        Follows ``pandas.DataFrame.expanding``: infinite values count as missing.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2, 6]).expanding().mean().tolist()
        [1.0, 1.5, 3.0]
        """
        return Expanding(self, self._analysed(), min_periods)

    def ewm(  # noqa: PLR0917 - pandas' signature
        self,
        com: float | None = None,
        span: float | None = None,
        halflife: float | None = None,
        alpha: float | None = None,
        min_periods: int = 0,
        adjust: bool = True,
        ignore_na: bool = False,
    ) -> Decaying[Any]:
        """Return windows from the first row to each row, with weights that decay: ``df.ewm(span=5).mean()``; lazy.

        Parameters
        ----------
        com, span, halflife, alpha : float
            How fast weights decay: one of them.  They become ``1 - alpha`` times as much with each row, where alpha is
            ``1 / (1 + com)``, ``2 / (span + 1)`` or ``1 - 0.5 ** (1 / halflife)``.
        min_periods : int, default 0
            Fewest rows that must not be missing, at least 1; with fewer the result is NaN.
        adjust : bool, default True
            Divide by the sum of the weights; otherwise weigh each value by `alpha`, and what was before by the rest.
        ignore_na : bool, default False
            Let weights decay only with values that are not missing.

        Raises
        ------
        ArgumentError
            If not exactly one of the four is given, or it is out of range.
        ArgumentTypeError
            If a column has no numbers.

        Notes
        -----
        Follows ``pandas.DataFrame.ewm`` as it is documented.  Where `alpha` is 0.5, values are missing, and neither
        `adjust` nor `ignore_na` is given, pandas has other weights than it documents.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([8.0, 0.0, 4.0]).ewm(alpha=0.5, adjust=False).mean().tolist()
        [8.0, 4.0, 4.0]
        """
        decay = 1 - _alpha(com, span, halflife, alpha)
        return Decaying(self, self._analysed(), decay, min_periods, adjust, ignore_na)


class Expanding(WindowReductions[Owner]):
    """Windows of each row and all rows before it, as `DataFrame.expanding` gives them.

    Parameters
    ----------
    owner : DataFrame or Series
        What reductions are made like.
    columns : ColumnSet
        The columns to reduce.
    min_periods : int
        Fewest rows that must not be missing.
    """

    def __init__(self, owner: Owner, columns: ColumnSet, min_periods: Any) -> None:
        self._least = as_integer("min_periods", min_periods)
        if self._least < 0:
            raise ArgumentError(f"min_periods is not negative: got {min_periods!r}.")
        super().__init__(owner, columns, demand_numbers("expanding", columns, columns.values))

    def _node(self, project: Project, name: str, ddof: int, q: float) -> WithNeighbours:
        return Expanded(project, name, self._least, ddof)


class Decaying(Generic[Owner]):
    """Windows from the first row to each row with weights that decay, as `DataFrame.ewm` gives them.

    Parameters
    ----------
    owner : DataFrame or Series
        What means are made like.
    columns : ColumnSet
        The columns.
    decay : float
        What weights become with each row.
    min_periods : int
        Fewest rows that must not be missing.
    adjust : bool
        Whether sums are divided by the sums of the weights.
    ignore_na : bool
        Whether missing values are passed over.
    """

    def __init__(  # noqa: PLR0917 - what `ewm` was given
        self, owner: Owner, columns: ColumnSet, decay: float, min_periods: Any, adjust: bool, ignore_na: bool
    ) -> None:
        self._least = as_integer("min_periods", min_periods)
        self._owner = owner
        self._columns = columns
        self._decay = decay
        self._adjust = adjust
        self._ignore_na = ignore_na
        self._names = demand_numbers("ewm", columns, columns.values)

    def mean(self) -> Owner:
        """Return the weighted mean of each row and all before it, as float64; lazy."""
        return self._owner._resulting({name: self._mean(self._columns.array(name)) for name in self._names})

    def _mean(self, array: Any) -> Any:
        values = as_type(array, np.float64)
        is_valid = isfinite(values)
        known = cumsum(as_type(is_valid, np.float64))
        found = self._adjusted(values, is_valid) if self._adjust else self._weighed(values, is_valid, known)
        frame, columns = align("decay", [(found._frame, found._value), (is_valid._frame, is_valid._value)])
        # Where a value is missing, the mean is that of the last one that is not.
        node = LastValid(Project(frame, (0, 1), tuple(columns)), False)
        return where(known >= max(self._least, 1), pdarray(node, node.column(0)), np.nan)

    def _adjusted(self, values: Any, is_valid: Any) -> Any:
        factors = where(is_valid, self._decay, 1.0 if self._ignore_na else self._decay)
        total = recurrence(factors, where(is_valid, values, 0.0))
        return total / recurrence(factors, as_type(is_valid, np.float64))

    def _weighed(self, values: Any, is_valid: Any, known: Any) -> Any:
        is_first = known == 1
        share = 1 - self._decay
        before = self._decay if self._ignore_na else self._decay ** _rows_since_valid(is_valid)
        total = before + share
        factors = where(is_valid, where(is_first, 0.0, before / total), 1.0)
        terms = where(is_valid, where(is_first, values, values * (share / total)), 0.0)
        return recurrence(factors, terms)


def recurrence(factors: Any, terms: Any) -> pdarray:
    """Return ``y = factor * y + term``, row by row from 0; lazy."""
    frame, columns = align("recur", [(factors._frame, factors._value), (terms._frame, terms._value)])
    node = Recurrence(Project(frame, (0, 1), tuple(columns)))
    return pdarray(node, node.column(1))


def _rows_since_valid(is_valid: Any) -> Any:
    """Return how many rows each is below the last one before it that is valid, as float64."""
    rows = pdarray(*row_numbers(is_valid._frame))
    frame, columns = align("find", [(rows._frame, rows._value), (is_valid._frame, is_valid._value)])
    node = LastValid(Project(frame, (0, 1), tuple(columns)), False)
    before = shifted(ColumnSet.of({"row": pdarray(node, node.column(0))}), ["row"], 1, fill_value=-1)["row"]
    return as_type(rows - before, np.float64)


def _alpha(com: float | None, span: float | None, halflife: float | None, alpha: float | None) -> float:
    """Return the weight of a new value."""
    given = [value for value in (com, span, halflife, alpha) if value is not None]
    if len(given) != 1:
        raise ArgumentError("ewm takes one of com, span, halflife and alpha.")
    if com is not None and com >= 0:
        return 1 / (1 + com)
    if span is not None and span >= 1:
        return 2 / (span + 1)
    if halflife is not None and halflife > 0:
        return float(1 - 0.5 ** (1 / halflife))
    if alpha is not None and 0 < alpha <= 1:
        return float(alpha)
    raise ArgumentError(
        f"{given[0]!r} is out of range.", hint="com >= 0, span >= 1, halflife > 0, and alpha above 0 and at most 1."
    )
