"""Rows and columns of a DataFrame by expressions in pandas' grammar."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any, Self

from akdask.collections.core.array import Array
from akdask.collections.core.later import later
from akdask.collections.frame_core.analysis.expressions import Expression
from akdask.collections.frame_core.columns import ColumnMethods
from akdask.collections.frame_core.rows import RowMethods
from akdask.errors import ArgumentError, ArgumentTypeError

_ASSIGNMENT = re.compile(r"\s*(?:`(?P<quoted>[^`]+)`|(?P<name>[^\W\d]\w*))\s*=(?!=)(?P<expression>.*)", re.DOTALL)

RESULT = "result"


class QueryMethods(ColumnMethods, RowMethods):
    """`query` and `eval`."""

    def query(
        self,
        expr: str,
        inplace: bool = False,
        *,
        local_dict: Mapping[str, Any] | None = None,
        global_dict: Mapping[str, Any] | None = None,
    ) -> Self | None:
        """Return the rows for which an expression holds; lazy.

        Parameters
        ----------
        expr : str
            In pandas' grammar: columns by name, in backticks if it has other characters than letters, ``index`` for
            the labels; ``@name`` for variables of the caller; comparisons, also chained, ``in`` and ``not in``;
            ``and``, ``or``, ``not``, ``&``, ``|``, ``~``; arithmetic and its functions; ``x.isna()``,
            ``x.between(1, 2)``, ``s.str.contains("a")``, ``t.dt.year`` and the like.  Nothing else is done, whatever
            it says.
        inplace : bool, default False
            Change this frame and return None.
        local_dict, global_dict : mapping of str to value, optional
            Variables in place of the caller's.

        Raises
        ------
        ArgumentError
            If the expression is not in the grammar; the message shows where.
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If an operator is not for columns of a type.

        Notes
        -----
        Follows ``pandas.DataFrame.query``.  Other functions, attributes and subscripts are refused, and so are ``is``,
        ``<<``, ``>>``, ``^`` and ``if``.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2, 3, 4], "s": ["tcp", "udp", "tcp", "icmp"]})
        >>> least = 2
        >>> df.query("x >= @least and s in ['tcp', 'icmp']").to_pandas()
           x     s
        2  3   tcp
        3  4  icmp
        """
        variables = _variables(local_dict, global_dict)
        mask = Expression(_text_of(expr), self._columns, variables).mask()
        chosen: Self = self._rows(mask)
        return self._changed(chosen._columns, inplace)

    def eval(
        self,
        expr: str,
        inplace: bool = False,
        *,
        local_dict: Mapping[str, Any] | None = None,
        global_dict: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value of an expression, or the frame with columns that expressions give; lazy.

        Parameters
        ----------
        expr : str
            An expression as `query` takes it; or one line for each column, ``z = x + y``, which may use those before.
        inplace : bool, default False
            Put the columns into this frame and return None.
        local_dict, global_dict : mapping of str to value, optional
            Variables in place of the caller's.

        Returns
        -------
        Series, plain value, DataFrame or None
            The value, with the labels of the rows; or the frame.

        Raises
        ------
        ArgumentError, MissingColumnError, ArgumentTypeError
            As in `query`.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2], "y": [10, 20]})
        >>> df.eval("x + y").tolist()
        [11, 22]
        >>> df.eval("z = x * y").to_pandas()
           x   y   z
        0  1  10  10
        1  2  20  40
        """
        variables = _variables(local_dict, global_dict)
        lines = [line for line in _text_of(expr).splitlines() if line.strip()]
        assignments = [_ASSIGNMENT.fullmatch(line) for line in lines]
        if not any(assignments):
            if inplace:
                raise ArgumentError("with inplace=True, an expression is assigned: 'z = x + y'.")
            found = Expression(expr, self._columns, variables).value()
            return self._as_series(found) if isinstance(found, Array) else found
        changed = self.copy()
        for line, assignment in zip(lines, assignments, strict=True):
            if assignment is None:
                raise ArgumentError("of several lines, each assigns a column: 'z = x + y'.", details=[line])
            name = assignment["quoted"] or assignment["name"]
            changed[name] = Expression(assignment["expression"], changed._columns, variables).value()
        return self._changed(changed._columns, inplace)

    def _as_series(self, found: Array) -> Any:
        shown = self.copy()
        shown[RESULT] = found
        series = later("column Series", shown, RESULT)
        series.name = None
        return series


def _text_of(expr: Any) -> str:
    if not isinstance(expr, str):
        raise ArgumentTypeError(f"an expression is a str, not {type(expr).__name__}.")
    return expr


def _variables(local_dict: Mapping[str, Any] | None, global_dict: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what ``@name`` may stand for: what is given, or the variables of the function that calls akdask."""
    caller: Any = sys._getframe(2)
    given_locals = caller.f_locals if local_dict is None else local_dict
    given_globals = caller.f_globals if global_dict is None else global_dict
    del caller
    return {**given_globals, **given_locals}
