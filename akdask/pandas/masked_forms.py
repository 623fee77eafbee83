"""Lazy forms of methods of nullable columns: those of the numbers or the text that stand for the values.

A result has the type that pandas gives it on two rows, one of them missing.  What the engine would round, and what
pandas itself rounds, has no form here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np
import pandas
import pyarrow as pa

from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import INT64
from akdask.engine.run import compute
from akdask.engine.values import Call, Constant, apart, cast, nearest_floats, with_missing
from akdask.frames.columnset import INDEX, VALUES
from akdask.frames.dataframe import DataFrame
from akdask.pandas import narrow_forms
from akdask.pandas.arguments import NOT_GIVEN, accepted, bound_arguments
from akdask.pandas.arrow_types import BOOL, REDUCTIONS, Arrow, as_mask, is_bool, plain_of, reduced
from akdask.pandas.encoded import EncodedArray, coding_of, columns_of, series_of, with_codings
from akdask.pandas.face import NDFrame, lazy_argument, words
from akdask.pandas.masked_types import Masked, coding_of_masked
from akdask.pandas.refusals import NotLazyError

KINDS = {"i": "int", "u": "int", "f": "float", "b": "bool", "U": "str"}
"""The engine's kinds of numbers and text that stand for values of a kind; those of 64 bits without a sign differ."""

FLOAT32 = pandas.Float32Dtype()


def typed(found: Any, coding: Masked) -> Any:
    """Return a Series of numbers or text as one of values of a nullable type.

    Raises
    ------
    NotLazyError
        If the engine has numbers of another kind.
    """
    array: Any = columns_of(found).array(VALUES)
    if isinstance(array, EncodedArray):
        array = array.plain()
    kind = "uint" if coding.type == pa.uint64() else KINDS[coding.kind]
    if array._value.dtype.kind != kind:
        raise NotLazyError(f"values of {coding.dtype} have no such lazy form")
    return series_of(found, EncodedArray(array._frame, array._value, coding))


def result_type(coding: Masked, name: str, *args: Any, **options: Any) -> Masked:
    """Return the coding of what pandas' method gives; asks pandas.

    Raises
    ------
    NotLazyError
        If pandas refuses it, or gives no nullable type.
    """
    sample = pandas.Series(["1" if coding.kind == "U" else 1, None], dtype=coding.dtype)
    try:
        dtype = getattr(sample, name)(*args, **options).dtype
    except Exception as error:
        raise NotLazyError(f"pandas refuses it for {coding.dtype}") from error
    found = coding_of_masked(dtype)
    if found is None:
        raise NotLazyError(f"pandas gives {dtype}")
    return found


# operands


def value_of(coding: Masked, given: Any) -> Any:
    """Return a plain value as one of a type, None if it stands for a missing one.

    Raises
    ------
    NotLazyError
        If pandas refuses it, or makes another type of the column.
    """
    if not pandas.api.types.is_scalar(given):
        raise NotLazyError("the value has no lazy form")
    if pandas.isna(given):
        return None
    if coding.kind in "iu" and isinstance(given, bool | np.bool_):
        raise NotLazyError("a truth value comes among numbers")
    if coding.kind == "U" and not isinstance(given, str):
        raise NotLazyError("the value is no text")
    sample = pandas.Series([None], dtype=coding.dtype)
    try:
        (found,) = sample.fillna(given).array
    except (TypeError, ValueError, OverflowError) as error:
        raise NotLazyError(f"pandas refuses the value for {coding.dtype}") from error
    if found != given:
        raise NotLazyError("pandas rounds the value")
    return found.item() if isinstance(found, np.generic) else found


def operand(coding: Masked, given: Any) -> Any:
    """Return a plain value, or the numbers of a column of the same type."""
    if not isinstance(given, NDFrame):
        return value_of(coding, given)
    other = given.lazy()
    if isinstance(other, DataFrame):
        raise NotLazyError("an argument is a frame")
    its_coding = coding_of(other)
    if its_coding is None or not coding.shares_numbers(its_coding):
        raise NotLazyError("an argument is of another type")
    return plain_of(other)


def condition(given: Any, *, invert: bool) -> Any:
    """Return bools as plain ones, False where they are missing; those of `invert` the other way round."""
    if not isinstance(given, NDFrame):
        cond = lazy_argument(given)
        if not isinstance(cond, np.ndarray | pdarray) or cond.dtype != np.bool_:
            raise NotLazyError("the condition has no lazy form")
        return ~cond if invert else cond
    cond = given.lazy()
    if isinstance(cond, DataFrame):
        raise NotLazyError("the condition is a frame")
    if not is_bool(coding_of(cond)):
        return ~cond if invert else cond
    if not invert:
        return as_mask(cond)
    return is_false(cond)


def is_false(bools: Any) -> Any:
    """Return where bools are False and not missing."""
    return ~as_mask(bools) & plain_of(bools).notna()


# methods that keep the type


def shift(own: Any, coding: Masked, periods: Any = 1, fill_value: Any = NOT_GIVEN) -> Any:
    if not isinstance(periods, int):
        raise NotLazyError("rows are shifted by several periods")
    plain = plain_of(own)
    value = None if fill_value is NOT_GIVEN else value_of(coding, fill_value)
    return typed(plain.shift(periods, fill_value=value), coding)


def fillna(own: Any, coding: Masked, value: Any = None, limit: Any = None) -> Any:
    if limit is not None or value is None:
        raise NotLazyError("only some of the missing values are filled")
    filled = operand(coding, value)
    return own if filled is None else typed(plain_of(own).fillna(filled), coding)


def where(own: Any, coding: Masked, cond: Any, other: Any = np.nan) -> Any:
    return typed(plain_of(own).where(condition(cond, invert=False), operand(coding, other)), coding)


def mask(own: Any, coding: Masked, cond: Any, other: Any = np.nan) -> Any:
    return typed(plain_of(own).where(condition(cond, invert=True), operand(coding, other)), coding)


def clip(own: Any, coding: Masked, lower: Any = None, upper: Any = None) -> Any:
    if coding.kind not in "iuf":
        raise NotLazyError("values have no bounds")
    bounds = [None if bound is None else value_of(coding, bound) for bound in (lower, upper)]
    return typed(plain_of(own).clip(*bounds), coding)


def filled_along(name: str) -> Callable[..., Any]:
    """Return the form of a method that fills with neighbours."""

    def fill(own: Any, coding: Masked, limit: Any = None) -> Any:
        return typed(getattr(plain_of(own), name)(limit=limit), coding)

    return fill


def mode(own: Any, coding: Masked, dropna: bool = True) -> Any:
    return typed(plain_of(own).mode(dropna=dropna), coding)


def drop_duplicates(own: Any, coding: Masked, keep: Any = "first") -> Any:
    return typed(plain_of(own).drop_duplicates(keep=keep), coding)


def nlargest(own: Any, coding: Masked, n: int = 5, keep: str = "first") -> Any:
    return typed(plain_of(own).nlargest(n, keep), _number(coding))


def nsmallest(own: Any, coding: Masked, n: int = 5, keep: str = "first") -> Any:
    return typed(plain_of(own).nsmallest(n, keep), _number(coding))


def _number(coding: Masked) -> Masked:
    if coding.kind not in "iuf":
        raise NotLazyError("values are no numbers")
    return coding


# methods whose type pandas chooses


def running(name: str) -> Callable[..., Any]:
    """Return the form of a running reduction."""

    def run(own: Any, coding: Masked, skipna: bool = True) -> Any:
        if not skipna or (_number(coding).dtype == FLOAT32 and name in ("cumsum", "cumprod")):
            raise NotLazyError("missing values count, or pandas rounds narrow floats")
        return typed(getattr(plain_of(own), name)(), result_type(coding, name))

    return run


def diff(own: Any, coding: Masked, periods: Any = 1) -> Any:
    return own - shift(own, _number(coding), periods)


def rounded(own: Any, coding: Masked, decimals: int | None = 0) -> Any:
    if coding.kind == "f":
        if coding.dtype == FLOAT32:
            raise NotLazyError("pandas rounds narrow floats")
        return typed(plain_of(own).round(decimals), coding)
    if coding.kind not in "iu" or decimals is None or decimals < 0:
        raise NotLazyError("the values are not rounded lazily")
    return own


@wraps(narrow_forms.rank)
def rank(own: Any, coding: Masked, **options: Any) -> Any:
    return typed(narrow_forms.rank(own, coding, **options), result_type(_number(coding), "rank", **options))


def replace(own: Any, coding: Masked, to_replace: Any = None, value: Any = NOT_GIVEN) -> Any:
    if isinstance(to_replace, dict) and value is NOT_GIVEN:
        pairs = to_replace
    elif pandas.api.types.is_scalar(to_replace) and value is not NOT_GIVEN:
        pairs = {to_replace: value}
    else:
        raise NotLazyError("several values are replaced")
    known = {value_of(coding, old): value_of(coding, new) for old, new in pairs.items()}
    if None in known or None in known.values() or coding.kind == "b":
        raise NotLazyError("missing values are replaced")
    return typed(plain_of(own).replace(known), coding)


# counts, and other results


def value_counts(
    own: Any,
    coding: Masked,
    normalize: bool = False,
    sort: bool = True,
    ascending: bool = False,
    bins: Any = None,
    dropna: bool = True,
) -> Any:
    if bins is not None or not dropna:
        raise NotLazyError("missing values or bins are counted")
    found = plain_of(own).value_counts(normalize=normalize, sort=sort, ascending=ascending)
    sample = pandas.Series(["1"] if coding.kind == "U" else [1], dtype=coding.dtype)
    dtype = (sample.value_counts(normalize=True) if normalize else sample.value_counts()).dtype
    counts = (Arrow if isinstance(dtype, pandas.ArrowDtype) else Masked)((FLOATS if normalize else INTEGERS).type)
    kinds: dict[Any, Any] = {INDEX: coding, VALUES: counts}
    return found._on_columns(with_codings(columns_of(found), kinds))


def pct_change(own: Any, coding: Masked, periods: int = 1) -> Any:
    return own / shift(own, _number(coding), periods) - 1


def describe(own: Any, coding: Masked) -> Any:
    if _number(coding).dtype == FLOAT32:
        raise NotLazyError("pandas rounds narrow floats")
    found = plain_of(own).describe()
    return (found if isinstance(found, pandas.Series) else found.to_pandas()).astype("Float64").rename(own.name)


def quantile(own: Any, coding: Masked, q: Any = 0.5) -> Any:
    if not isinstance(q, float) or coding.type != FLOATS.type:
        raise NotLazyError("several quantiles, and those of integers, have no lazy form")
    (found,) = compute(plain_of(own).quantile(q))
    return pandas.NA if pandas.isna(found) else np.float64(found)


def extreme(name: str) -> Callable[..., Any]:
    """Return the form of the least or the greatest text."""

    def reduce(own: Any, coding: Masked) -> Any:
        (found,) = compute(getattr(plain_of(own), name)())
        if not isinstance(found, str):
            raise NotLazyError("there is no value")
        return str(found)

    return reduce


def unique(own: Any, coding: Masked) -> Any:
    return typed(plain_of(own).drop_duplicates(), coding).to_pandas().array


def combine_first(own: Any, coding: Masked, other: Any) -> Any:
    if not isinstance(other, NDFrame):
        raise NotLazyError("the other side is no column")
    return typed(plain_of(own).combine_first(operand(coding, other)), coding)


def equals(own: Any, coding: Masked, other: Any) -> bool:
    its = other.lazy() if isinstance(other, NDFrame) else None
    if its is None or isinstance(its, DataFrame):
        raise NotLazyError("the other side is no column")
    its_coding = coding_of(its)
    return its_coding is not None and its_coding.dtype == coding.dtype and bool(plain_of(own).equals(plain_of(its)))


def reindex(own: Any, coding: Masked, index: Any = None, fill_value: Any = None) -> Any:
    if index is None or (fill_value is not None and not pandas.isna(fill_value)):
        raise NotLazyError("rows without a source have a value")
    return typed(plain_of(own).reindex(lazy_argument(index)), coding)


def agg(own: Any, coding: Masked, func: Any = None) -> Any:
    if not isinstance(func, list) or not func or not all(isinstance(how, str) for how in func):
        raise NotLazyError("functions of the user run in pandas")
    if len({*func}) < len(func) or not REDUCTIONS.issuperset(func):
        raise NotLazyError("a reduction has no lazy form")
    from akdask.pandas.series import Series

    dtype = pandas.Series([1, None], dtype=coding.dtype).agg(func).dtype
    found = [reduced(Series._of(own), own, coding, how) for how in func]
    return pandas.Series(found, index=func, name=own.name, dtype=dtype)


def isin(own: Any, coding: Masked, values: Any) -> Any:
    if not isinstance(values, list | tuple | set):
        raise NotLazyError("the values sought have no lazy form")
    sought = [value_of(coding, value) for value in values]
    if None in sought or coding.kind == "b":
        raise NotLazyError("missing values are sought")
    found = plain_of(own).isin(sought)
    return found if coding.kind == "U" else typed(found, TRUTH)


def astype(own: Any, coding: Masked, dtype: Any, errors: str = "raise") -> Any:
    wanted = pandas.api.types.pandas_dtype(dtype)
    if errors != "raise":
        raise NotLazyError("errors are ignored")
    if wanted == coding.dtype:
        return own
    plain = plain_of(own)
    if coding.kind == "U":
        if wanted == "str":
            return plain
        raise NotLazyError("text is read as values")
    if isinstance(wanted, np.dtype):
        if wanted == np.float64:
            if coding.kind not in "iuf":
                raise NotLazyError(f"{coding.dtype} has no lazy form as {wanted}")
            return floats_of(plain)
        if wanted not in (np.int64, np.bool_) or wanted.kind != coding.kind or bool(plain.isna().any()):
            raise NotLazyError(f"{coding.dtype} has no lazy form as {wanted}")
        array: Any = columns_of(plain).array(VALUES)
        value = array._value
        return series_of(plain, pdarray(array._frame, apart(value)[0] if value.dtype.nullable else value))
    target = coding_of_masked(wanted)
    if coding.kind == "f" and target == INTEGERS:
        return as_nullable(plain, columns_of(plain).array(VALUES), wanted)
    if target is None or not _is_wider(coding, target):
        raise NotLazyError(f"{coding.dtype} has no lazy form as {wanted}")
    return typed(plain if target.kind == "i" or coding.kind == "f" else floats_of(plain), target)


def floats_of(plain: Any) -> Any:
    """Return numbers as the floats nearest to them, NaN where they are missing."""
    array: Any = columns_of(plain).array(VALUES)
    return series_of(plain, pdarray(array._frame, nearest_floats(array._value)))


def as_nullable(series: Any, array: Any, wanted: Any) -> Any:
    """Return plain numbers, bools or text as values of a nullable type; computes whether floats are integers.

    Raises
    ------
    NotLazyError
        If they are not, and for other types.
    """
    coding = coding_of_masked(wanted)
    if coding is None or (type(array) is not pdarray and not isinstance(array, Strings)):
        raise NotLazyError("the type has no lazy form")
    value = array._value
    kind = value.dtype.kind
    if coding.kind == "U" and kind == "str":
        return series_of(series, EncodedArray(array._frame, value, coding))
    if value.dtype.nullable:  # They are floats in pandas.
        if kind not in ("int", "uint"):
            raise NotLazyError("truth values that may be missing are objects")
        value, kind = nearest_floats(value), "float"
    if coding.type == FLOATS.type and kind in ("int", "uint", "float"):
        return series_of(series, EncodedArray(array._frame, nearest_floats(value), coding))
    if coding.type == INTEGERS.type and kind == "float":
        value = _integers(array._frame, value)
        kind = "int"
    if not (coding.type == INTEGERS.type and kind == "int") and not (coding.kind == "b" and kind == "bool"):
        raise NotLazyError(f"the type has no lazy form as {wanted}")
    return series_of(series, EncodedArray(array._frame, value, coding))


def _integers(frame: Any, floats: Any) -> Any:
    """Return floats as integers that are missing where they are NaN."""
    column = pdarray(frame, floats)
    there = column[column == column]  # noqa: PLR0124
    is_integral = (there % 1 == 0) & (abs(there) < 2.0**63)
    if not bool(is_integral.all()):
        raise NotLazyError("pandas makes no integers of such floats")
    missing = Call("isnan", floats)
    return with_missing(cast(Call("where", missing, Constant(0.0), floats), INT64), missing)


def _is_wider(coding: Masked, target: Masked) -> bool:
    """Return whether a type has all values of another one, in numbers of the engine that are the same or floats."""
    if target.type == FLOATS.type:
        return coding.kind in "iuf"
    if coding.kind not in "iu" or target.kind != "i":
        return False
    return bool(target.type.bit_width >= coding.type.bit_width + (coding.kind == "u"))


def joined_text(own: Any, coding: Masked, other: Any, *, reflected: bool) -> Any:
    """Return text with other text after, or before it."""
    its = operand(coding, other)
    if its is None:
        raise NotLazyError("nothing is put behind text")
    plain = plain_of(own)
    return typed(its + plain if reflected else plain + its, coding)


FLOATS, INTEGERS, TRUTH = Masked(pa.float64()), Masked(pa.int64()), Masked(BOOL)

ADDING = {"__add__": False, "__radd__": True, "add": False, "radd": True}
"""Methods that put text together, and whether the other side comes first."""

SAME = words("duplicated nunique skew kurt kurtosis corr cov idxmax idxmin argmax argmin autocorr")
"""Methods whose results are those of numbers or text."""

ROUNDED = words("skew kurt kurtosis")
"""Methods whose results pandas rounds as it does their values."""

FORMS: Mapping[str, Callable[..., Any]] = {
    **{name: running(name) for name in ("cummax", "cummin", "cumprod", "cumsum")},
    **{name: filled_along(name) for name in ("bfill", "ffill")},
    "astype": astype,
    "between": narrow_forms.between,
    "clip": clip,
    "agg": agg,
    "aggregate": agg,
    "combine_first": combine_first,
    "describe": describe,
    "equals": equals,
    "reindex": reindex,
    "unique": unique,
    "diff": diff,
    "drop_duplicates": drop_duplicates,
    "fillna": fillna,
    "isin": isin,
    "mask": mask,
    "mode": mode,
    "nlargest": nlargest,
    "nsmallest": nsmallest,
    "pct_change": pct_change,
    "quantile": quantile,
    "rank": rank,
    "replace": replace,
    "round": rounded,
    "shift": shift,
    "value_counts": value_counts,
    "where": where,
}
"""Lazy forms of methods; each takes the column, what its numbers stand for, and pandas' arguments."""


def of_column(face: Any, own: Any, coding: Masked, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call the lazy form of a method of a nullable column; NotImplemented leaves it to those of all columns of Arrow.

    Raises
    ------
    NotLazyError
        If there is none.
    """
    if kwargs.get("inplace") is True:
        raise NotLazyError("a nullable column is changed in place")
    if coding.kind == "U" and name in ADDING and len(args) == 1 and not kwargs:
        return face._faced(joined_text(own, coding, *args, reflected=ADDING[name]))
    form = FORMS.get(name)
    if coding.kind == "U" and name in ("max", "min"):
        form = extreme(name)
    if form is not None:
        given = accepted(pandas.Series, name, form, bound_arguments(pandas.Series, name, args, kwargs))
        return face._faced(form(own, coding, **given))
    if name in SAME:
        if coding.dtype == FLOAT32 and name in ROUNDED:
            raise NotLazyError("pandas rounds narrow floats")
        plain = type(face)._of(plain_of(own))
        return plain._lazily(name, tuple(map(_plain, args)), {word: _plain(item) for word, item in kwargs.items()})
    return NotImplemented


def _plain(given: Any) -> Any:
    if not isinstance(given, NDFrame):
        return given
    own = given.lazy()
    coding = coding_of(own)
    return type(given)._of(plain_of(own)) if isinstance(coding, Masked) else given
