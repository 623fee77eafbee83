"""What reductions of moving, expanding and other windows share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from operator import index
from typing import Any, ClassVar, Generic, Self, TypeVar

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.base import Labelled
from akdask.collections.core.later import later
from akdask.collections.frame_core.alignment import RowLabelled
from akdask.collections.frame_core.analysis.kinds import demand_numbers
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import present
from akdask.errors import ArgumentError
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Value, cast, widened
from akdask.plan.rows.neighbours import WithNeighbours
from akdask.schema import FLOAT64

Owner = TypeVar("Owner", bound="Analysed")
Result = TypeVar("Result")


class Analysed(RowLabelled):
    """What the methods of this package need: columns on common rows, and a way to return others on the same rows."""

    def _analysed(self) -> ColumnSet:
        """Return the columns, without those that are only labels."""
        raise NotImplementedError

    def _resulting(self, arrays: Mapping[str, Array]) -> Self:
        """Return an object of this kind with other columns and the same labels."""
        raise NotImplementedError


class NamedReductions(Generic[Result]):
    """Reductions of windows, by name; lazy, but that those of groups count rows."""

    reductions: ClassVar[tuple[str, ...]] = ("sum", "mean", "min", "max", "var", "std", "count")
    """Names that `agg` takes."""

    def _reduced(self, name: str, ddof: int = 1) -> Result:
        raise NotImplementedError

    def sum(self) -> Result:
        """Return the sum of each window, as float64."""
        return self._reduced("sum")

    def mean(self) -> Result:
        """Return the mean of each window, as float64."""
        return self._reduced("mean")

    def min(self) -> Result:
        """Return the smallest value of each window, as float64."""
        return self._reduced("min")

    def max(self) -> Result:
        """Return the largest value of each window, as float64."""
        return self._reduced("max")

    def var(self, ddof: int = 1) -> Result:
        """Return the variance of each window, as float64."""
        return self._reduced("var", ddof=ddof)

    def std(self, ddof: int = 1) -> Result:
        """Return the standard deviation of each window, as float64."""
        return self._reduced("std", ddof=ddof)

    def _by_name(self, name: str) -> Any:
        """Return the reduction of a name that `agg` was given."""
        if name not in self.reductions:
            raise ArgumentError(
                f"windows are not reduced by {name!r}.", hint=f"take one of {', '.join(self.reductions)}."
            )
        return getattr(self, name)()


class WindowReductions(NamedReductions[Owner]):
    """Reductions of the window that each row has: rows around it, or all before it.

    Parameters
    ----------
    owner : DataFrame or Series
        What reductions are made like.
    columns : ColumnSet
        The columns to reduce.
    names : list of str
        Which of them: those that are reduced have numbers.
    """

    def __init__(self, owner: Owner, columns: ColumnSet, names: Sequence[str]) -> None:
        self._owner = owner
        self._columns = columns
        self._names = names

    def _node(self, project: Project, name: str, ddof: int, q: float) -> WithNeighbours:
        """Return the windows of all columns of a projection, reduced."""
        raise NotImplementedError

    def count(self) -> Owner:
        """Return the number of values of each window that are not NaN, as float64; lazy.

        As in pandas, `min_periods` then asks for rows, whether they are missing or not.
        """
        columns = self._columns
        demand_numbers("count of windows", columns, self._names)
        return self._windows("sum", [cast(present(columns, name), FLOAT64) for name in self._names])

    def __getitem__(self, names: str | list[str]) -> Any:
        """Return the windows of some columns: ``df.rolling(3)[["x", "y"]]``; of one name as those of a Series.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        chosen: Any = copy(self)
        wanted = [names] if isinstance(names, str) else list(names)
        for name in wanted:
            self._columns.array(name)
        chosen._names = wanted
        chosen._owner = self._owner if not isinstance(names, str) else _OneColumn(self._columns, names)
        return chosen

    def agg(self, func: str | Sequence[str]) -> Any:
        """Return the reduction of that name, or of a Series several as the columns of a DataFrame; lazy.

        Raises
        ------
        ArgumentError
            If there is none, or several are asked for of a DataFrame.
        """
        if not isinstance(func, str):
            owner: Any = self._owner
            if not isinstance(owner, Labelled):
                raise ArgumentError("windows of a DataFrame are reduced by one name.", hint="choose a column first.")
            found = {name: self.agg(name) for name in func}
            return later("DataFrame", {name: one.values for name, one in found.items()}, getattr(owner, "index", None))
        return self._by_name(func)

    aggregate = agg

    def _reduced(self, name: str, ddof: int = 1, q: float = 0.5) -> Owner:
        # No value may become another first: of sums of wide integers that cancel, all that is left would be error.
        names = demand_numbers(f"{name} of windows", self._columns, self._names)
        return self._windows(name, [widened(self._columns.values[column], FLOAT64) for column in names], ddof, q)

    def _windows(self, name: str, values: list[Value], ddof: int = 1, q: float = 0.5) -> Owner:
        if not values:
            return self._owner._resulting({})
        project = Project(self._columns.frame, tuple(range(len(values))), tuple(values))
        node = self._node(project, name, index(ddof), q)
        made = {column: pdarray(node, node.column(number)) for number, column in enumerate(self._names)}
        return self._owner._resulting(made)


class _OneColumn(Analysed):
    """The column of a DataFrame that windows were chosen of: results are Series.

    Parameters
    ----------
    columns : ColumnSet
        The columns of the frame.
    name : str
        Which of them.
    """

    def __init__(self, columns: ColumnSet, name: str) -> None:
        self._columns = columns
        self._name = name

    def _resulting(self, arrays: Mapping[str, Array]) -> Any:
        return later("series of", self._columns, arrays[self._name], self._name)
