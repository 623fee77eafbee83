"""Look-ups of elements: their positions in an array (`find`), and their values in a table (`lookup`, `map`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.groupby import GroupBy
from akdask.arrays.keys import as_arrays, comparable_keys, like
from akdask.arrays.pdarray import pdarray
from akdask.arrays.setops import in1d
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.arrays.wrap import wrap
from akdask.columns.dtypes import NOT_A_TIME, ColumnType
from akdask.deferred import is_pandas
from akdask.engine.alignment import align
from akdask.engine.missing import missing_text
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentTypeError
from akdask.frames.kinds import missing_rows
from akdask.frames.pairing import left_join
from akdask.frames.series import Series
from akdask.operators.join.join import join_row_numbers
from akdask.operators.rows.take import broadcast


def find(query: Any, space: Any, all_occurrences: bool = False, remove_missing: bool = False) -> Any:
    """Return where elements are first found in an array, or all positions where they are; lazy.

    Parameters
    ----------
    query : array, or sequence of arrays
        The elements; of several arrays, each row is one.
    space : array, or sequence of arrays
        Where to look; every task gets an index of all of it.
    all_occurrences : bool
        Return lists of all positions, ascending, instead of the first ones.
    remove_missing : bool
        Leave out elements that are not found, rather than give -1 for them.  Lists have no positions of them anyway.

    Returns
    -------
    pdarray of int64, or SegArray of int64
        A position, or with `all_occurrences` a list of positions, for each element of `query`: -1 or an empty list for
        elements that are not found.  Places have the rows of `query`, unless `remove_missing`.

    Examples
    --------
    >>> import akdask as ak
    >>> find(ak.array([5, 7, 6]), ak.array([7, 5, 7])).tolist()
    [1, 0, -1]
    >>> find(ak.array([5, 7, 6]), ak.array([7, 5, 7]), all_occurrences=True).tolist()
    [[1], [0, 2], []]
    """
    if all_occurrences:
        numbers, positions = left_join(query, space)
        return GroupBy(numbers).unique(positions)[1].filter(-1)
    arrays = as_arrays(query)
    keys, others = comparable_keys("find", arrays, as_arrays(like(arrays[0], space)))
    found = pdarray(keys.frame, others.indexed().find(keys.values))
    return found[found >= 0] if remove_missing else found


def indexof1d(query: Any, space: Any) -> pdarray:
    """Return all positions where elements are found in an array, as int64; lazy.

    Parameters
    ----------
    query : array, or sequence of arrays
        The elements; elements without a match are left out.
    space : array, or sequence of arrays
        Where to look; the positions of one element ascend.

    Examples
    --------
    >>> import akdask as ak
    >>> indexof1d(ak.array([7, 6, 5]), ak.array([7, 5, 7])).tolist()
    [0, 2, 1]
    """
    arrays = as_arrays(query)
    keys, others = comparable_keys("indexof1d", arrays, as_arrays(like(arrays[0], space)))
    paired, numbers = join_row_numbers(keys.side(), others.side())
    return pdarray(paired.frame, numbers)


def lookup(keys: Any, values: Any, arguments: Any, fillvalue: Any = -1) -> Any:
    """Return the value that belongs to each argument; lazy.

    Parameters
    ----------
    keys : array, or sequence of arrays
        The known arguments, each once.  Of repeated keys the first counts, and the computation warns.
    values : pdarray, Strings or Categorical
        Their values.
    arguments : array, or sequence of arrays
        Keys to look up.
    fillvalue : scalar
        Value of arguments that are not among the keys; for Strings a str, or None for missing text.  Unless given it is
        "", or None if the values may be missing text.  A Categorical has its own label for missing values.

    Returns
    -------
    pdarray, Strings or Categorical
        With the rows of `arguments`, in the type that values and `fillvalue` have in common.

    Notes
    -----
    Follows ``arkouda.lookup``, which warns at once where akdask warns when it computes.

    Examples
    --------
    >>> import akdask as ak
    >>> lookup(ak.array([5, 7]), ak.array([50, 70]), ak.array([7, 6, 5])).tolist()
    [70, -1, 50]
    """
    wanted = as_arrays(arguments)
    sought, known = comparable_keys("look up", wanted, as_arrays(like(wanted[0], keys)))
    values = values if isinstance(values, Array) else array(values)
    labels = values._category_table if isinstance(values, Categorical) else None
    operand = values._as_operand() if labels is None else (values._frame, values._value)
    frame, (*on_rows, value) = align("look up", [*((known.frame, key) for key in known.values), operand])
    rows = type(known)(frame, tuple(on_rows)).indexed("unique rows").find(sought.values)
    replica = broadcast(frame, value)
    lacks, found = Call("less", rows, Constant(0)), Call("lookup_found", replica, rows)
    lacking = filling(fillvalue, value.dtype) if labels is None else labels.na_code
    filled = Call("where", lacks, lacking, found)
    return wrap(sought.frame, filled) if labels is None else Categorical.of(sought.frame, filled, labels)


def map(values: Any, mapping: Mapping[Any, Any], absent: str | None = "null") -> Any:
    """Return the value of a dict or a Series for each element of an array; lazy.

    If all values of a dict are integers or bools, the call computes whether the dict has all elements; if not, results
    are floats.

    Parameters
    ----------
    values : pdarray, Strings or Categorical
        The elements.
    mapping : dict or Series
        Values by element, all numbers or all text.
    absent : str, optional
        The text for elements that a dict of text lacks, None for missing text.

    Returns
    -------
    pdarray or Strings
        With the rows of `values`; NaN, or the text `absent`, for elements that the dict lacks.

    Raises
    ------
    ArgumentTypeError
        If `mapping` is neither dict nor Series, its keys and the array have other types, or it lacks elements and has
        integers of any size as values.

    Examples
    --------
    >>> import akdask as ak
    >>> from akdask.frames.lookups import map
    >>> map(ak.array([2, 3, 2, 4]), {4: 25.0, 2: 30.0}).tolist()
    [30.0, nan, 30.0, 25.0]
    """
    if not (is_pandas(mapping, "Series") or isinstance(mapping, Mapping | Series)):
        raise ArgumentTypeError(f"elements are mapped by a dict, not by a {type(mapping).__name__}.")
    given = values.to_strings() if isinstance(values, Categorical) else values
    if not isinstance(given, pdarray | Strings):
        raise ArgumentTypeError(f"elements of an array are mapped, not of a {type(values).__name__}.")
    if isinstance(mapping, Series):
        keys, found = mapping.index.values, mapping.values
    else:
        news = dict(mapping.items())
        keys, found = like(given, array(list(news)) if news else []), array(list(news.values()))
    if found._value.dtype.kind == "str":
        return lookup(keys, found, given, fillvalue=absent)
    if isinstance(found, TimeArray):
        numbers = lookup(keys, pdarray(found._frame, found._value), given, fillvalue=NOT_A_TIME)
        return found._lacking()._like(numbers._frame, numbers._value)
    if found._value.dtype.kind == "float":
        return lookup(keys, found, given, fillvalue=np.nan)
    are_known = in1d(given, keys)
    numbers = lookup(keys, found, given, fillvalue=0)
    if bool(are_known.all()):
        return numbers
    if found._value.dtype.kind == "bigint":
        raise ArgumentTypeError(
            "the dict lacks elements, and integers of any size have no missing values.",
            hint="give a value to each element, or floats.",
        )
    frame, (value, known) = align("map", [(item._frame, item._value) for item in (numbers, are_known)])
    return missing_rows(numbers, frame, value, Call("logical_not", known))


def filling(fillvalue: Any, dtype: ColumnType) -> Value:
    """Return the value of arguments without a match."""
    if dtype.kind == "str" and (fillvalue is None or (fillvalue == -1 and dtype.nullable)):
        return missing_text()
    return Constant("" if dtype.kind == "str" and fillvalue == -1 else fillvalue, dtype)
