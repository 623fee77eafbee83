"""Each row with all rows before it: expanding reductions, and those whose weights decay."""

from __future__ import annotations

from typing import Any, TypeVar

from akdask.collections.frame_core.analysis.kinds import demand_some_numbers
from akdask.collections.frame_core.analysis.moving.decaying import Decaying, Weights, as_column_of_times
from akdask.collections.frame_core.analysis.moving.reductions import Analysed, WindowReductions
from akdask.collections.frame_core.analysis.moving.windows import as_integer, demand_plain_windows
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.errors import ArgumentError
from akdask.plan.expr.rowwise import Project
from akdask.plan.rows.expanding import Expanded
from akdask.plan.rows.neighbours import WithNeighbours

Owner = TypeVar("Owner", bound="Analysed")


class ExpandingMethods(Analysed):
    """Windows from the first row to each row.  Rows of unknown number need not be counted."""

    def expanding(self, min_periods: int = 1, method: str = "single") -> Expanding[Any]:
        """Return windows of each row and all rows before it, to be reduced: ``df.expanding().mean()``; lazy.

        Parameters
        ----------
        min_periods : int, default 1
            Fewest rows that must not be missing; with fewer the result is NaN.
        method : {"single"}
            Accepted for compatibility with pandas; see `rolling`.

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
        demand_plain_windows(None, method)
        return Expanding(self, self._analysed(), min_periods)

    def ewm(  # noqa: PLR0917 - pandas' signature
        self,
        com: float | None = None,
        span: float | None = None,
        halflife: Any = None,
        alpha: float | None = None,
        min_periods: int | None = 0,
        adjust: bool = True,
        ignore_na: bool = False,
        times: Any = None,
        method: str = "single",
    ) -> Decaying[Any]:
        """Return windows from the first row to each row, with weights that decay: ``df.ewm(span=5).mean()``; lazy.

        Parameters
        ----------
        com, span, halflife, alpha : float
            How fast weights decay: one of them.  They become ``1 - alpha`` times as much with each row, where alpha is
            ``1 / (1 + com)``, ``2 / (span + 1)`` or ``1 - 0.5 ** (1 / halflife)``.  Beside `times`, halflife is a span
            such as ``"2D"``.
        min_periods : int, default 0
            Fewest rows that must not be missing, at least 1; with fewer the result is NaN.
        adjust : bool, default True
            Divide by the sum of the weights; otherwise weigh each value by `alpha`, and what was before by the rest.
        ignore_na : bool, default False
            Let weights decay only with values that are not missing.
        times : Datetime or Series, optional
            When each row was: weights become half of what they were within each `halflife`.
        method : {"single"}
            Accepted for compatibility with pandas; see `rolling`.

        Raises
        ------
        ArgumentError
            If not exactly one of the four is given, or it is out of range.
        ArgumentTypeError
            If a column has no numbers, or `times` are none.
        UnsupportedError
            If another method is asked for.

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
        when = None if times is None else as_column_of_times(times)
        weights = Weights.of(com, span, halflife, alpha, min_periods, adjust, ignore_na, when, method)
        return Decaying(self, self._analysed(), weights)


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
        super().__init__(owner, columns, demand_some_numbers("expanding", columns))

    def _node(self, project: Project, name: str, ddof: int, q: float) -> WithNeighbours:
        return Expanded(project, name, self._least, ddof)
