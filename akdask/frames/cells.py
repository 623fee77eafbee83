"""Methods on all cells of a DataFrame: bound, round, replace, and choose by a condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Self

import numpy as np

from akdask.arrays import operators, ufuncs
from akdask.arrays.array import Array
from akdask.arrays.base import Labelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Timedelta
from akdask.arrays.operators import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray, form_of
from akdask.columns.dtypes import INT64, UINT64
from akdask.deferred import is_na, pd
from akdask.engine.alignment import align_by_plan
from akdask.engine.missing import exact_type, negated
from akdask.engine.values import Call, Constant
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.alignment import (
    Matched,
    Owner,
    RowLabelled,
    as_labelled,
    columns_on_rows_of,
    condition_on_rows_of,
    conditions_on_rows_of,
    on_rows_of,
)
from akdask.frames.dataframe import NOT_GIVEN
from akdask.frames.kinds import demand_numbers, is_number, missing_rows
from akdask.frames.missing import can_be_missing, present_among

_UNEQUAL = (float, np.floating, np.datetime64, np.timedelta64, datetime, timedelta)
"""Types of which one value, NaN or NaT, does not equal itself."""


class CellMethods(RowLabelled):
    """Element by element, in every column; lazy.  Shared by DataFrames and Series."""

    def clip(self, lower: Any = None, upper: Any = None) -> Self:
        """Return numbers, times and ordered labels bounded below and above; all else stays; lazy.

        Parameters
        ----------
        lower, upper : number, array, Series or DataFrame, optional
            The bounds of all values, of each row, or of each value.  None or a missing bound is no bound.  A Series or
            DataFrame is aligned by labels; values whose labels it lacks become missing.  Of two scalar bounds the
            lesser is the lower one, as in pandas.

        Raises
        ------
        ArgumentTypeError
            If a Series of times has bounds of another kind; of a DataFrame such columns stay as they are.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 5, 9]).clip(2, 6).tolist()
        [2, 5, 6]
        """
        return clip(self, lower, upper)

    def abs(self) -> Self:
        """Return the absolute values; lazy.

        Raises
        ------
        ArgumentTypeError
            If a column has no numbers.
        """
        return absolute(self)

    def round(self, decimals: int | Mapping[str, int] = 0) -> Self:
        """Return numbers rounded to a number of decimals, half to even; other columns stay; lazy.

        Parameters
        ----------
        decimals : int, or mapping of str to int
            Digits for all columns, or digits by name; -1 rounds to tens, integers too.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1.25, 2.346]).round(1).tolist()
        [1.2, 2.3]
        >>> ak.Series([15, 25, -5]).round(-1).tolist()
        [20, 20, 0]
        """
        return round_values(self, decimals)

    def where(self, cond: Any, other: Any = None) -> Self:
        """Return the values where a condition holds, and others elsewhere; lazy.  See `mask`.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 5]})
        >>> df.where(df["x"] > 4, 0).to_pandas()["x"].tolist()
        [0, 5]
        """
        return choose(self, cond, other, invert=True)

    def mask(self, cond: Any, other: Any = None) -> Self:
        """Return the values with others where a condition holds; lazy.

        Parameters
        ----------
        cond : array of bool, Series, DataFrame of bool, or function of this object that returns one
            The choice: row by row, or of a DataFrame cell by cell, by the names of the columns.  Series and DataFrames
            go by their labels; rows and columns that they lack get the other values.
        other : scalar, array, Series or DataFrame, optional
            Replacements, aligned by labels if they have any; missing values unless given, for which integers and bool
            become float64.

        Raises
        ------
        ArgumentTypeError
            If the condition is no bool.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 5, 9]})
        >>> df.mask(df["x"] > 4, 0).to_pandas()["x"].tolist()
        [1, 0, 0]
        """
        return choose(self, cond, other, invert=False)

    def replace(self, to_replace: Any, value: Any = NOT_GIVEN) -> Self:
        """Return the values with some of them replaced by others; lazy.

        Parameters
        ----------
        to_replace : scalar, list, or mapping
            Old values: one, several, a mapping of old values to new ones, or such mappings by column.
        value : scalar or list
            New values, one for all or one for each old value; None and NaN stand for a missing value.

        Returns
        -------
        DataFrame or Series
            Columns of other types than the old values stay as they are.

        Raises
        ------
        ArgumentError
            If there are not as many new values as old ones.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series(["a", "b", "a"]).replace({"a": "z"}).tolist()
        ['z', 'b', 'z']
        >>> ak.DataFrame({"x": [1, 2]}).replace([1, 2], 0).to_pandas()["x"].tolist()
        [0, 0]
        """
        return replace(self, to_replace, value)


def clip(owner: Owner, lower: Any, upper: Any) -> Owner:
    arrays = _arrays(owner)
    if all(item is not None and pd.api.types.is_scalar(item) for item in (lower, upper)) and lower > upper:
        lower, upper = upper, lower
    is_series = isinstance(owner, Labelled)
    bounds = [(_bounds(owner, lower, arrays), np.less), (_bounds(owner, upper, arrays), np.greater)]
    made = dict(arrays)
    for name, array in arrays.items():
        given = [by_column[name][0] for by_column, _ in bounds if name in by_column]
        if not (is_number(array) or getattr(array, "ordered", False) or _are_times(array, given)):
            if is_series and isinstance(array, TimeArray):
                raise ArgumentTypeError(f"bounds of a {array._type_name()} are of its kind, and not {given!r:.60}.")
            continue
        for by_column, is_outside in bounds:
            if name in by_column:
                made[name] = _bounded(made[name], *by_column[name], is_outside)
    return owner._with_columns(made)


def absolute(owner: Owner) -> Owner:
    columns = owner._value_columns()
    demand_numbers("abs", columns, [name for name in columns.values if not isinstance(columns.kinds[name], Timedelta)])
    return owner._with_columns({name: ufuncs.abs(array) for name, array in _arrays(owner).items()})


def round_values(owner: Owner, decimals: int | Mapping[str, int]) -> Owner:
    arrays = _arrays(owner)
    wanted = decimals if isinstance(decimals, Mapping) else dict.fromkeys(arrays, decimals)
    return owner._with_columns(
        {
            name: operators.round(array, wanted[name]) if _is_rounded(array, wanted.get(name)) else array
            for name, array in arrays.items()
        }
    )


def replace(owner: Owner, to_replace: Any, value: Any) -> Owner:
    arrays = _arrays(owner)
    by_column = isinstance(to_replace, Mapping) and any(isinstance(item, Mapping) for item in to_replace.values())
    if by_column:
        pairs = {name: dict(to_replace[name]) for name in to_replace if name in arrays}
    else:
        pairs = dict.fromkeys(arrays, _pairs(to_replace, value))
    return owner._with_columns(
        {name: _replaced(array, pairs[name]) if name in pairs else array for name, array in arrays.items()}
    )


def _arrays(owner: Owner) -> dict[str, Array]:
    columns = owner._value_columns()
    return {name: columns.array(name) for name in columns.values}


def choose(owner: Owner, cond: Any, other: Any, *, invert: bool) -> Owner:
    cond = cond(owner) if callable(cond) and not isinstance(cond, Array | Labelled | RowLabelled) else cond
    other = other(owner) if callable(other) and not isinstance(other, Array | Labelled | RowLabelled) else other
    arrays = _arrays(owner)
    # Cells that a condition has no label for get the other value, in both directions, as in pandas.
    conditions = _by_column(owner, cond if invert else _inverted(as_labelled(cond)), arrays, is_condition=True)
    others = _by_column(owner, other, arrays)
    return owner._with_columns(
        {name: _masked(array, conditions.get(name), others.get(name), True) for name, array in arrays.items()}
    )


def _bounds(owner: Owner, item: Any, arrays: Mapping[str, Array]) -> dict[str, tuple[Any, Array | None]]:
    """Return the bound of each column on these rows, and which rows it lacks; none for columns without a bound."""
    item = as_labelled(item)
    if not isinstance(item, RowLabelled):
        bound = item.values if isinstance(item, Labelled) else item
        return {} if is_nothing(item) else dict.fromkeys(arrays, (bound, None))
    given: Any = item
    if isinstance(item, Labelled):
        bounds = dict.fromkeys(arrays, given.values)
    else:
        bounds = {name: given._value_columns().array(name) for name in arrays if name in given._value_columns().values}
    if owner._row_labels.are_those_of(item._row_labels):
        return {name: (bound, None) for name, bound in bounds.items()}
    matched = Matched.of(owner._row_labels, item._row_labels, list(bounds.values()))
    lacks = None if matched.lacks is None else pdarray(matched.frame, matched.lacks)
    return {name: (matched.array(number), lacks) for number, name in enumerate(bounds)}


def _by_column(owner: Owner, item: Any, arrays: Mapping[str, Array], *, is_condition: bool = False) -> dict[str, Any]:
    """Return the operand for each column, aligned to these rows: a column of that name, or the item itself.

    Names that a DataFrame lacks have no operand; a condition is False there.
    """
    item = as_labelled(item)
    if not isinstance(item, RowLabelled) or isinstance(item, Labelled):
        move = condition_on_rows_of if is_condition else on_rows_of
        return dict.fromkeys(arrays, move(owner._row_labels, item))
    columns = item._value_columns()
    names = [name for name in arrays if name in columns.values]
    move_all = conditions_on_rows_of if is_condition else columns_on_rows_of
    found = move_all(owner._row_labels, item._row_labels, [columns.array(name) for name in names])
    lacking = dict.fromkeys(arrays, pdarray(owner._value_columns().frame, Constant(np.False_))) if is_condition else {}
    return lacking | dict(zip(names, found, strict=True))


def _inverted(cond: Any) -> Any:
    """Return a condition the other way round."""
    is_array = isinstance(cond, pdarray) and cond.dtype == np.bool_
    return ~cond if is_array or isinstance(cond, RowLabelled) else np.logical_not(cond)


def _bounded(array: Any, bound: Any, lacks: Array | None, is_outside: np.ufunc) -> Any:
    """Return numbers bounded on one side, where the bound is not missing; missing where its label lacks."""
    if isinstance(array, Categorical):
        is_beyond = array < bound if is_outside is np.less else array > bound
        return where(is_beyond, bound, array)
    if isinstance(bound, float | np.floating) and array._value.dtype in (INT64, UINT64):
        # As in pandas, integers stay integers if the bound is one.  A bound beyond their type is applied to floats.
        limits = np.iinfo(array._value.dtype.numpy)
        if float(bound).is_integer() and limits.min <= int(bound) <= limits.max:
            bound = array._value.dtype.numpy.type(int(bound))
    if not isinstance(bound, Array | np.ndarray | list):
        return operators.clip(array, *((bound, None) if is_outside is np.less else (None, bound)))
    found = where(is_outside(array, bound), bound, array)
    if lacks is None:
        return found
    frame, (value, missing) = align_by_plan("clip", [(found._frame, found._value), (lacks._frame, lacks._value)])
    return missing_rows(found, frame, value, missing)


def _masked(array: Array, condition: Any, other: Any, invert: bool) -> Array:
    if not isinstance(condition, pdarray) or condition.dtype != np.bool_:
        raise ArgumentTypeError(f"a condition is an array of bool, not {condition!r:.60}.")
    if not is_nothing(other):
        found: Array = where(condition, array, other) if invert else where(condition, other, array)
        return found
    frame, (value, chosen) = align_by_plan("mask", [(array._frame, array._value), (condition._frame, condition._value)])
    return missing_rows(array, frame, value, Call("logical_not", chosen) if invert else chosen)


def _are_times(array: Array, bounds: Sequence[Any]) -> bool:
    """Whether bounds are of the kind of times that an array has."""
    if not isinstance(array, TimeArray):
        return False
    given = [array._operand(bound) for bound in bounds if bound is not None]
    return all(form is not None and form.kind == array._is for form in map(form_of, given))


def is_nothing(item: Any) -> bool:
    """Whether an item stands for a missing value: None, NaN, NaT, or ``pandas.NA``."""
    # Checks the type of the item itself: a lazy scalar shows the class of a value that is still to be computed.
    return item is None or is_na(item) or (issubclass(type(item), _UNEQUAL) and str(item) in ("nan", "NaT"))


def _is_rounded(array: Array, decimals: int | None) -> bool:
    kind = array._value.dtype.kind if decimals is not None and is_number(array) else ""
    return kind == "float" or (kind in ("int", "uint") and decimals is not None and decimals < 0)


def _is_float(array: Array) -> bool:
    return is_number(array) and array._value.dtype.kind == "float"


def _pairs(to_replace: Any, value: Any) -> dict[Any, Any]:
    """Return new values by old ones."""
    if isinstance(to_replace, Mapping):
        return dict(to_replace)
    if value is NOT_GIVEN:
        raise ArgumentError("replace needs a value, or a mapping of old values to new ones.")
    old = list(to_replace) if isinstance(to_replace, list | tuple | np.ndarray) else [to_replace]
    new = list(value) if isinstance(value, list | tuple | np.ndarray) else [value] * len(old)
    if len(new) != len(old):
        raise ArgumentError(f"replace: {len(old)} old values need as many new ones, got {len(new)}.")
    return dict(zip(old, new, strict=True))


def _replaced(array: Array, pairs: Mapping[Any, Any]) -> Array:
    """Return an array with old values replaced; a new value is never replaced in turn."""
    found: Any = array
    for old, new in pairs.items():
        if not _is_of_kind(array, old):
            continue
        at = pdarray(array._frame, negated(present_among(array, array._value))) if is_nothing(old) else array == old
        found = _masked(found, at, None if is_nothing(new) else new, invert=False)
    return found


def _is_of_kind(array: Array, old: Any) -> bool:
    """Whether elements of an array may equal a value."""
    if is_nothing(old):
        return can_be_missing(array, array._value)
    if isinstance(array, Strings | Categorical):
        return isinstance(old, str)
    if isinstance(array, TimeArray):
        return isinstance(old, pd.Timestamp | pd.Timedelta | np.datetime64 | np.timedelta64)
    is_text = isinstance(old, str)
    return (
        not is_text
        and is_number(array)
        and isinstance(old, bool | np.bool_) == (exact_type(array._value).kind == "bool")
    )


def between(array: Any, left: Any, right: Any, inclusive: str = "both") -> Any:
    """Return which elements lie between two bounds; lazy.

    Parameters
    ----------
    array : array
        The elements.
    left, right : scalar or array
        The bounds.
    inclusive : {"both", "neither", "left", "right"}
        Which of them count as between.

    Raises
    ------
    ArgumentError
        If `inclusive` is something else.
    """
    if inclusive not in ("both", "neither", "left", "right"):
        raise ArgumentError(f"inclusive={inclusive!r} is none of 'both', 'neither', 'left', 'right'.")
    above = array >= left if inclusive in ("both", "left") else array > left
    below = array <= right if inclusive in ("both", "right") else array < right
    return above & below
