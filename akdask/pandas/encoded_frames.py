"""Frames with encoded columns: what a call does not concern is left out, or moves with the rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas

from akdask.deferred import loaded_module
from akdask.frames.columnset import VALUES
from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas.arguments import bound_arguments
from akdask.pandas.encoded import EncodedArray, Narrow, columns_of, lazily, on_columns, widened, with_codings
from akdask.pandas.face import faced, words
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
    form = OF_COLUMNS.get(name)
    if form is not None and (_asks_columns(own, names, name) or (form is aggregated and _names_columns(own, args))):
        return form(face, own, name, args, kwargs)
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
    if name == "pivot_table":
        found = _pivoted(face, own, names, given, args, kwargs)
        are_ordered = all(own._columns.kinds[column].coding.is_ordered for column in names)
        return face._lazily(name, args, kwargs) if found is NotImplemented and are_ordered else found
    return NotImplemented


BY_COLUMN = words(
    "bfill clip cummax cummin cumprod cumsum diff ffill fillna isin mask pct_change replace round shift where"
)
"""Methods that give a column for each column, with nullable columns as such columns give it themselves."""

REDUCED = words("count all any max mean median min sem std sum var")
"""Reductions that give a value for each column."""


DEFAULTS: Mapping[str, Any] = {"axis": 0, "skipna": True, "ddof": 1, "min_count": 0, "bool_only": False}
"""Arguments of reductions as pandas has them unless others are given."""


def _asks_columns(own: Any, names: list[str], name: str) -> bool:
    """Return whether a method is called of each column: nullable or narrow ones that stay so."""
    masked = loaded_module("akdask.pandas.masked_types")
    if labels_of_frame(own) is not None:
        return False
    codings = [own._columns.kinds[column].coding for column in names]
    if masked is not None and any(isinstance(coding, masked.Masked) for coding in codings):
        return True
    narrow = [coding for coding in codings if isinstance(coding, Narrow)]
    if name in BY_COLUMN:
        return bool(narrow)
    return name in REDUCED and any(coding.dtype.kind in "fu" for coding in narrow)


def _names_columns(own: Any, args: Any) -> bool:
    """Return whether the reductions of columns are asked for by their names."""
    return len(args) == 1 and isinstance(args[0], dict) and labels_of_frame(own) is None


def _by_column(face: Any, own: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Call a method of each column."""
    given = bound_arguments(pandas.DataFrame, name, args, kwargs)
    if given.pop("inplace", False) or given.pop("axis", None) not in (None, 0, "index"):
        raise NotLazyError("a frame with nullable columns is changed in place, or along its rows")
    if given.pop("numeric_only", False):
        raise NotLazyError("columns are left out")
    plain = [column for column in own._columns.values if not isinstance(own._columns.kinds[column], EncodedArray)]
    arrays = {}
    if plain:
        its = {word: _of_columns(value, plain) for word, value in given.items()}
        found = type(face)._of(on_columns(own, own._columns.only(plain)))._lazily(name, (), its)
        arrays = {column: found.lazy()._columns.array(column) for column in plain}
    for column in own._columns.values:
        its = {word: _of_column(value, column, word) for word, value in given.items()}
        if column in arrays:
            continue
        if its.get("value", its) is None:  # A mapping has no value for it.
            arrays[column] = own._columns.array(column)
            continue
        found = _column(own, column)._lazily_by_type(name, (), its)
        arrays[column] = columns_of(found.lazy()).array(VALUES)
    return face._faced(own._with_columns({column: arrays[column] for column in own._columns.values}))


def _of_columns(given: Any, names: list[str]) -> Any:
    """Return the part of an argument that concerns several columns."""
    from akdask.pandas.face import NDFrame

    if isinstance(given, dict):
        return {name: value for name, value in given.items() if name in names}
    if not isinstance(given, NDFrame) or not isinstance(given.lazy(), DataFrame):
        return given
    own: Any = given.lazy()
    if labels_of_frame(own) is not None or not own._columns.values.keys() >= {*names}:
        raise NotLazyError("an argument has no such columns")
    return type(given)._of(on_columns(own, own._columns.only(names)))


def _column(own: Any, name: str) -> Any:
    from akdask.pandas.lazy import column_of
    from akdask.pandas.series import Series

    return Series._of(column_of(own, name, name))


def _of_column(given: Any, name: str, word: str) -> Any:
    """Return the part of an argument that concerns a column."""
    from akdask.pandas.face import NDFrame

    if isinstance(given, dict):
        if any(isinstance(value, dict) for value in given.values()):
            raise NotLazyError("values are given for columns")
        return given.get(name)
    if not isinstance(given, NDFrame):
        if isinstance(given, pandas.DataFrame | pandas.Series):
            raise NotLazyError("an argument is lined up with columns")
        return given
    own = given.lazy()
    if word == "cond" and isinstance(own, Series):
        return given
    if not isinstance(own, DataFrame) or labels_of_frame(own) is not None or name not in own._columns.values:
        raise NotLazyError("an argument has no such column")
    return _column(own, name)


def _reduced(face: Any, own: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Return a reduction of each column, as pandas puts these together."""
    given = bound_arguments(pandas.DataFrame, name, args, kwargs)
    numbers_only = given.pop("numeric_only", False)
    if given != {word: value for word, value in DEFAULTS.items() if word in given}:
        raise NotLazyError("rows are reduced, or missing values count")
    found = {}
    for column, dtype in face.dtypes.to_pandas().items():
        is_number = pandas.api.types.is_numeric_dtype(dtype)
        if not is_number and numbers_only:
            continue
        if not is_number and name != "count":
            raise NotLazyError("a column has no numbers")
        value = _column(own, column)._lazily_by_type(name, (), {})
        # pandas knows the type of the result.
        sample = pandas.DataFrame({column: pandas.Series([1, 1], dtype=dtype if is_number else "float64")})
        found[column] = pandas.Series([value], dtype=getattr(sample, name)().dtype)
    if not found:
        raise NotLazyError("there is no column of numbers")
    return face._faced(pandas.DataFrame(found).iloc[0].rename(None))


def _described(face: Any, own: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Return the description of each column of numbers, side by side."""
    if args or kwargs:
        raise NotLazyError("other columns, or other quantiles, are asked for")
    dtypes = face.dtypes.to_pandas()
    if any(getattr(dtype, "kind", "O") in "mM" for dtype in dtypes):
        raise NotLazyError("times are described beside nullable numbers")
    found = {
        column: _column(own, column)._lazily_by_type(name, (), {}).to_pandas()
        for column, dtype in dtypes.items()
        if pandas.api.types.is_numeric_dtype(dtype) and not pandas.api.types.is_bool_dtype(dtype)
    }
    if not found:
        raise NotLazyError("there is no column of numbers")
    return face._faced(pandas.DataFrame(found))


def aggregated(face: Any, own: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Return several reductions of columns, side by side."""
    func = bound_arguments(pandas.DataFrame, name, args, kwargs).get("func")
    if len(args) + len(kwargs) > 1 or not isinstance(func, dict | list):
        raise NotLazyError("functions of the user run in pandas")
    asked = func if isinstance(func, dict) else dict.fromkeys(own._columns.values, func)
    if not asked or not asked.keys() <= own._columns.values.keys():
        raise NotLazyError("there is no such column")
    if {*map(type, asked.values())} == {str}:
        if not REDUCED.issuperset(asked.values()):
            raise NotLazyError("columns are not reduced")
        found = [_column(own, column)._lazily_by_type(how, (), {}) for column, how in asked.items()]
        return face._faced(pandas.Series(found, index=[*asked]))
    asked = {column: [how] if isinstance(how, str) else how for column, how in asked.items()}
    parts, dtypes = {}, face.dtypes.to_pandas()
    for column, how in asked.items():
        found = _column(own, column)._lazily_by_type("agg", (how,), {}).to_pandas()
        # pandas finds a type for the column of a frame otherwise than for a Series.
        sample = pandas.DataFrame({column: pandas.Series([1, 1], dtype=dtypes[column])})
        parts[column] = found.astype(sample.agg(func if isinstance(func, list) else {column: how})[column].dtype)
    return face._faced(pandas.concat(parts, axis=1))


OF_COLUMNS: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(BY_COLUMN, _by_column),
    **dict.fromkeys(REDUCED, _reduced),
    "describe": _described,
    "agg": aggregated,
    "aggregate": aggregated,
}
"""Methods that may be called of each column."""


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
    plain = widened(own, asked, floats=name in MOST_ROWS, nullable="as they are")
    found = type(face)._of(plain)._lazily(name, args, kwargs).lazy()
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
    if any(isinstance(node, ast.NotEq | ast.NotIn) for node in nodes):
        raise NotLazyError("missing values are unequal to none")
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


def _pivoted(face: Any, own: Any, names: list[str], given: Mapping[str, Any], args: Any, kwargs: Any) -> Any:
    """Make a table by keys that are narrow integers as by wide ones, and name its rows and columns by narrow ones."""
    named = [given.get(word) for word in OF_NAMED["pivot_table"]]
    values, *keys = [_named([] if one is None else one) for one in named]
    if not values or None in keys or given.get("margins"):
        return NotImplemented
    asked = {column for one in keys if one is not None for column in one if column in names}
    types = {column: own._columns.kinds[column].coding.dtype for column in asked}
    is_narrow = all(isinstance(own._columns.kinds[column].coding, Narrow) for column in asked)
    if not asked or not is_narrow or any(dtype.kind == "f" for dtype in types.values()) or asked & {*values}:
        return NotImplemented
    if any(column in names for column in values):
        return NotImplemented
    found = type(face)._of(widened(own, list(asked)))._lazily("pivot_table", args, kwargs).to_pandas()
    return faced(found.set_axis(_named_by(found.index, types)).set_axis(_named_by(found.columns, types), axis=1))


def _named_by(labels: pandas.Index, types: Mapping[Any, Any]) -> pandas.Index:
    """Return labels with the levels of some names in narrower types."""
    if not isinstance(labels, pandas.MultiIndex):
        return labels.astype(types[labels.name]) if labels.name in types else labels
    for number, name in enumerate(labels.names):
        if name in types:
            labels = labels.set_levels(labels.levels[number].astype(types[name]), level=number)
    return labels
