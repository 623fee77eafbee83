"""Frames with encoded columns: what a call does not concern is left out, or moves with the rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas

from akdask.pandas.arguments import bound_arguments
from akdask.pandas.encoded import columns_of, lazily, on_columns, widened, with_codings
from akdask.pandas.face import words
from akdask.pandas.labels import labels_of_frame
from akdask.pandas.refusals import NotLazyError

OF_NAMED: Mapping[str, tuple[str, ...]] = {
    "melt": ("value_vars", "id_vars"),
    "pivot": ("values", "index", "columns"),
    "pivot_table": ("values", "index", "columns"),
}
"""Methods whose results are made of the columns that arguments name, if the first argument names any."""

EQUAL_ROWS = words("drop_duplicates duplicated")
"""Methods that compare the columns that `subset` names, or all, and choose or mark rows."""

MOST_ROWS = words("nlargest nsmallest")
"""Methods that compare the columns that `columns` names, and choose rows."""

CONCERNING = words("describe query select_dtypes") | EQUAL_ROWS | MOST_ROWS | OF_NAMED.keys()
"""Methods that may concern some columns alone."""

CONDITIONS = (ast.BitAnd, ast.BitOr)
"""Operators of expressions that compute no numbers."""


def of_frame(face: Any, own: Any, names: list[str], name: str, args: Any, kwargs: Any) -> Any:
    """Call a method that concerns some of the encoded columns, `names`; NotImplemented if it may concern them all."""
    if (name not in CONCERNING and "numeric_only" not in kwargs) or labels_of_frame(own) is not None:
        return NotImplemented
    given = bound_arguments(pandas.DataFrame, name, args, kwargs)
    left_out = _left_out(own, names, name, given)
    if left_out:
        concerned = [column for column in own._columns.values if column not in left_out]
        return lazily(type(face)._of(on_columns(own, own._columns.only(concerned))), name, args, kwargs)
    if name == "select_dtypes":
        return face._lazily(name, args, kwargs)
    if name in EQUAL_ROWS:
        asked = _among(names, given.get("subset"))
        is_ordered = all(own._columns.kinds[column].coding.is_ordered for column in asked)
        return face._lazily(name, args, kwargs) if is_ordered else NotImplemented
    if name in MOST_ROWS:
        return _by_numbers(face, own, _among(names, given["columns"]), name, args, kwargs)
    if name == "query":
        return _by_numbers(face, own, _compared(given["expr"], names), name, args, kwargs)
    if name == "melt":
        return _melted(face, own, names, given, args, kwargs)
    return NotImplemented


def _among(names: Sequence[str], given: Any) -> list[str]:
    """Return the columns that an argument names, all if it names none."""
    if given is None:
        return list(names)
    named = [given] if isinstance(given, str) else list(given)
    return [column for column in names if column in named]


def _named(given: Any) -> list[str] | None:
    """Return the columns that an argument names beside values that it may have; None if it may name others."""
    from akdask.pandas.face import NDFrame

    found = []
    for item in given if isinstance(given, list) else [given]:
        if isinstance(item, str):
            found.append(item)
        elif not isinstance(item, NDFrame | pandas.Series | np.ndarray):
            return None
    return found


def _left_out(own: Any, names: list[str], name: str, given: Mapping[str, Any]) -> list[str]:
    """Return the encoded columns that have no part in the result of a method."""
    types = {column: own._columns.kinds[column].dtype for column in names}
    if given.get("numeric_only") is True:
        return [column for column in names if not pandas.api.types.is_numeric_dtype(types[column])]
    if name == "describe" and given.get("include") is None and given.get("exclude") is None:
        described = [column for column in names if pandas.api.types.is_numeric_dtype(types[column])]
        plain = [value.dtype.name for column, value in own._columns.values.items() if column not in types]
        has_numbers = described or any(dtype in ("int64", "float64") for dtype in plain)
        is_known = all(
            isinstance(dtype, np.dtype | pandas.CategoricalDtype | pandas.PeriodDtype) for dtype in types.values()
        )
        return [column for column in names if column not in described] if has_numbers and is_known else []
    if name not in OF_NAMED:
        return []
    first, *others = OF_NAMED[name]
    named = [_named(given[word]) for word in (first, *others) if given.get(word) is not None]
    if given.get(first) is None or None in named:
        return []
    return [column for column in names if not any(column in one for one in named if one is not None)]


def _by_numbers(face: Any, own: Any, asked: list[str], name: str, args: Any, kwargs: Any) -> Any:
    """Call a method that chooses rows by narrow numbers as by wide ones."""
    if not asked:
        return face._lazily(name, args, kwargs)
    if kwargs.get("inplace"):
        raise NotLazyError("a frame is changed in place")
    found = type(face)._of(widened(own, asked, floats=name in MOST_ROWS))._lazily(name, args, kwargs).lazy()
    codings = {column: own._columns.kinds[column].coding for column in asked}
    return type(face)._of(on_columns(found, with_codings(columns_of(found), codings)))


def _compared(expression: Any, names: list[str]) -> list[str]:
    """Return the columns of an expression, which must compute no numbers of them.

    Raises
    ------
    NotLazyError
        If it does.
    """
    if not isinstance(expression, str):
        raise NotLazyError("the expression is no text")
    there = set(re.findall(r"\w+", expression))
    asked = [column for column in names if column in there or not column.isidentifier()]
    if not asked:
        return asked
    try:
        nodes = list(ast.walk(ast.parse(expression.strip().replace("@", ""), mode="eval")))
    except SyntaxError:
        raise NotLazyError("the expression is not one of Python") from None
    computes = any(isinstance(node, ast.BinOp) and not isinstance(node.op, CONDITIONS) for node in nodes)
    if computes or any(isinstance(node, ast.Call | ast.Attribute | ast.UnaryOp | ast.Subscript) for node in nodes):
        raise NotLazyError("an expression computes with a column that has no lazy type")
    return asked


def _melted(face: Any, own: Any, names: list[str], given: Mapping[str, Any], args: Any, kwargs: Any) -> Any:
    """Put columns below each other; narrow numbers are wide ones below such."""
    ids, values = _named(given.get("id_vars") or []), _named(given.get("value_vars") or [])
    if ids is None or not values:
        raise NotLazyError("the columns that are put below each other are not named")
    narrow = [column for column in values if column in names]
    types = {own._columns.values[column].dtype.name for column in values if column not in names}
    kinds = [own._columns.kinds[column] for column in values if column not in names]
    is_plain = types <= {"int64", "float64"} and all(kind._pandas_converter() is None for kind in kinds)
    if narrow and types:
        if not is_plain:
            raise NotLazyError("values of different types come below each other")
        if types == {"int64"} and any(own._columns.kinds[column].dtype.kind == "f" for column in narrow):
            raise NotLazyError("integers and narrow floats come below each other")
        own = widened(own, narrow, floats=True)
    return type(face)._of(own)._lazily("melt", args, kwargs)
