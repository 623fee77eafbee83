"""Lazy forms of `query` and `eval`: the house evaluates expressions of columns and labels of pandas' names."""

from __future__ import annotations

import ast
from typing import Any

from akdask.columns.dtypes import BOOL
from akdask.frames.series import Series
from akdask.pandas.labels import computed, data_names, labels_of_frame
from akdask.pandas.lazy import LazyFrame, as_series
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.selection import taken


def query(
    frame: LazyFrame,
    expr: Any,
    parser: str = "pandas",
    engine: Any = None,
    local_dict: Any = None,
    global_dict: Any = None,
) -> Any:
    """Return the rows for which an expression holds."""
    _check(expr, parser, engine)
    variables = {"local_dict": local_dict, "global_dict": global_dict}
    if labels_of_frame(frame) is None:
        return frame.query(expr, **variables)
    mask: Any = _named(frame).eval(expr, **variables)
    values = getattr(mask, "values", None)
    if values is None or values._value.dtype != BOOL:
        raise NotLazyError("the expression is no condition")
    return taken(frame, values)


def evaluated(
    frame: LazyFrame,
    expr: Any,
    parser: str = "pandas",
    engine: Any = None,
    local_dict: Any = None,
    global_dict: Any = None,
) -> Any:
    """Return the value of an expression, or the frame with columns that expressions give."""
    if labels_of_frame(frame) is not None:
        raise NotLazyError("columns are not named by text, or rows have labels of several levels")
    _check(expr, parser, engine)
    found = frame.eval(expr, local_dict=local_dict, global_dict=global_dict)
    if not isinstance(found, Series):
        return found
    try:  # pandas names the result by the operands, whatever their rows.
        name = computed(frame.head(0)).eval(expr, local_dict=local_dict, global_dict=global_dict).name
    except Exception:
        raise NotLazyError("pandas does not say the name of the result") from None
    return as_series(found, name)


def _check(expr: Any, parser: str, engine: Any) -> None:
    """Raise NotLazyError unless an expression means the same to the parser of pandas and to that of the house."""
    if not isinstance(expr, str) or engine not in (None, "numexpr", "python") or parser not in ("pandas", "python"):
        raise NotLazyError("the expression is no text, or its parser is unknown")
    if parser == "pandas":
        return
    try:
        tree = ast.parse(expr.strip(), mode="eval")
    except SyntaxError:
        raise NotLazyError("the expression is not one of Python") from None
    for node in ast.walk(tree):
        is_chain = isinstance(node, ast.Compare) and (len(node.ops) > 1 or isinstance(node.ops[0], ast.In | ast.NotIn))
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (
            is_chain
            or is_text
            or isinstance(node, ast.BoolOp | ast.UnaryOp | ast.BitAnd | ast.BitOr | ast.List | ast.Tuple)
        ):
            raise NotLazyError("Python's parser reads such an expression in its own way")


def _named(frame: LazyFrame) -> LazyFrame:
    """Return the columns and levels of a frame that text names, by these names."""
    labels = labels_of_frame(frame)
    assert labels is not None
    outer = [*zip(data_names(frame), labels.columns, strict=True)]
    for number, (column, name) in enumerate(labels.levels):
        outer.append((column, f"ilevel_{number}" if name is None else name))
    names = [name for _, name in outer]
    known = {column: name for column, name in outer if isinstance(name, str) and names.count(name) == 1}
    if not known:
        raise NotLazyError("no column is named by text")
    return LazyFrame._of(frame._columns.only(known).renamed(known))
