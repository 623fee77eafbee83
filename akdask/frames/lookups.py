"""Look-ups: positions of elements, values in tables and in intervals, and codes that several arrays share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from akdask.arrays.array import Array, wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array
from akdask.arrays.groupby import GroupBy
from akdask.arrays.keys import as_arrays, as_comparable, comparable_keys, is_several
from akdask.arrays.pdarray import pdarray
from akdask.arrays.setops import contained, unique
from akdask.arrays.shapes import chained
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import NOT_A_TIME, ColumnType
from akdask.deferred import is_pandas
from akdask.engine.alignment import align as on_common_rows
from akdask.engine.explain import is_cheap
from akdask.engine.missing import missing_text
from akdask.engine.rowwise import Project
from akdask.engine.run import run
from akdask.engine.sources import row_numbers
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.dtypes import missing_rows
from akdask.frames.join import left_join
from akdask.frames.series import Series
from akdask.operators.join.plan import BuildIntervals, join_row_numbers
from akdask.operators.rows.plan import broadcast


def find(query: Any, space: Any, all_occurrences: bool = False, remove_missing: bool = False) -> Any:
    """Return where elements are first found in an array, or all positions where they are; lazy.

    Parameters
    ----------
    query : array, or sequence of arrays
        The elements; of several arrays, each row is one.
    space : array, or sequence of arrays
        Where to look; every task gets an index of all its rows.
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
    >>> find(ak.array([5, 7, 6]), ak.array([7, 5, 7])).tolist()
    [1, 0, -1]
    >>> find(ak.array([5, 7, 6]), ak.array([7, 5, 7]), all_occurrences=True).tolist()
    [[1], [0, 2], []]
    """
    if all_occurrences:
        numbers, positions = left_join(query, space)
        return GroupBy(numbers).unique(positions)[1].filter(-1)
    arrays = as_arrays(query)
    keys, others = comparable_keys("find", arrays, as_arrays(as_comparable(arrays[0], space)))
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
    >>> indexof1d(ak.array([7, 6, 5]), ak.array([7, 5, 7])).tolist()
    [0, 2, 1]
    """
    arrays = as_arrays(query)
    keys, others = comparable_keys("indexof1d", arrays, as_arrays(as_comparable(arrays[0], space)))
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
    >>> lookup(ak.array([5, 7]), ak.array([50, 70]), ak.array([7, 6, 5])).tolist()
    [70, -1, 50]
    """
    wanted = as_arrays(arguments)
    sought, known = comparable_keys("look up", wanted, as_arrays(as_comparable(wanted[0], keys)))
    values = values if isinstance(values, Array) else array(values)
    labels = values._category_table if isinstance(values, Categorical) else None
    operand = values._as_operand() if labels is None else (values._frame, values._value)
    frame, (*on_rows, value) = on_common_rows("look up", [*((known.frame, key) for key in known.values), operand])
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
        keys, found = as_comparable(given, array(list(news)) if news else []), array(list(news.values()))
    if found._value.dtype.kind == "str":
        return lookup(keys, found, given, fillvalue=absent)
    if isinstance(found, TimeArray):
        numbers = lookup(keys, pdarray(found._frame, found._value), given, fillvalue=NOT_A_TIME)
        return found._lacking()._like(numbers._frame, numbers._value)
    if found._value.dtype.kind == "float":
        return lookup(keys, found, given, fillvalue=np.nan)
    are_known = contained(given, keys)
    numbers = lookup(keys, found, given, fillvalue=0)
    if bool(are_known.all()):
        return numbers
    if found._value.dtype.kind == "bigint":
        raise ArgumentTypeError(
            "the dict lacks elements, and integers of any size have no missing values.",
            hint="give a value to each element, or floats.",
        )
    frame, (value, known) = on_common_rows("map", [(item._frame, item._value) for item in (numbers, are_known)])
    return missing_rows(numbers, frame, value, Call("logical_not", known))


def filling(fillvalue: Any, dtype: ColumnType) -> Value:
    """Return the value of arguments without a match."""
    if dtype.kind == "str" and (fillvalue is None or (fillvalue == -1 and dtype.nullable)):
        return missing_text()
    return Constant("" if dtype.kind == "str" and fillvalue == -1 else fillvalue, dtype)


def search_intervals(vals: Any, intervals: Any, tiebreak: pdarray | None = None, hierarchical: bool = True) -> pdarray:
    """Return the number of the best interval that holds each value, as int64; lazy.

    Parameters
    ----------
    vals : pdarray, or sequence of pdarrays
        The values; each row of several arrays is one value.
    intervals : tuple of two pdarrays, or of two sequences of pdarrays
        Lower and upper bounds, of the types of the values.  Both are within, as Arkouda takes them, whatever its
        documentation says.  Every task gets all of them.
    tiebreak : pdarray, optional
        A number for each interval.  Of several intervals that hold a value, the one with the least number is taken,
        and the first of them without numbers or with equal ones.
    hierarchical : bool, default True
        Compare rows by the first array first.  Otherwise intervals of several arrays are boxes, which hold a value
        if each array's interval holds its element.

    Returns
    -------
    pdarray of int64
        With the rows of `vals`; -1 where no interval holds the value, and for NaN.

    Raises
    ------
    ArgumentTypeError
        If the types of values and bounds differ, or are no numbers, or there are not as many arrays of each.
    ArgumentError
        If there are not two sets of bounds, an upper bound is below the lower one, or lower bounds do not ascend,
        which only boxes need not.  Lazy bounds are checked when they are computed.
    AlignmentError
        If the arrays of one side do not share rows.

    Examples
    --------
    >>> starts, ends = (ak.array([0, 5]), ak.array([0, 11])), (ak.array([5, 9]), ak.array([10, 20]))
    >>> vals = (ak.array([0, 0, 2, 5, 5, 6, 6, 9]), ak.array([0, 20, 1, 5, 15, 0, 12, 30]))
    >>> ak.search_intervals(vals, (starts, ends)).tolist()
    [0, 0, 0, 0, 1, 1, 1, -1]
    >>> ak.search_intervals(vals, (starts, ends), hierarchical=False).tolist()
    [0, -1, 0, 0, 1, -1, 1, -1]
    """
    if len(intervals) != 2:
        raise ArgumentError(f"intervals have lower and upper bounds, not {len(intervals)} sets of them.")
    values, lows, highs = as_arrays(vals), *(as_arrays(side) for side in intervals)
    _check_types(values, lows, highs)
    if tiebreak is not None and array(tiebreak).size != lows[0].size:
        raise ArgumentTypeError(f"a tiebreak is an array of {lows[0].size} numbers, one for each interval.")
    operands = [item._as_operand() for item in [*lows, *highs, *([] if tiebreak is None else [array(tiebreak)])]]
    frame, columns = on_common_rows("search intervals of", operands)
    project = Project(frame, tuple(range(len(columns))), tuple(columns))
    index = BuildIntervals(project, len(values), hierarchical or len(values) == 1)
    value_frame, sought = on_common_rows("search intervals for", [item._as_operand() for item in values])
    if is_cheap(frame, columns):
        # Errors of intervals in memory are raised at the call.
        run(pdarray(arange(1)._frame, index.find([_zero(value.dtype) for value in sought])).expr)
    return pdarray(value_frame, index.find(sought))


def _zero(dtype: ColumnType) -> Value:
    return cast(Constant(0), dtype) if dtype.kind == "bigint" else Constant(dtype.numpy.type(0))


def _check_types(values: list[Array], lows: list[Array], highs: list[Array]) -> None:
    if len({len(values), len(lows), len(highs)}) != 1:
        raise ArgumentTypeError(
            "values and bounds are as many arrays.",
            details=[f"values: {len(values)}, lower bounds: {len(lows)}, upper bounds: {len(highs)}"],
        )
    for items in zip(values, lows, highs, strict=True):
        kinds = [item._value.dtype for item in items]
        if (
            any(kind.nullable for kind in kinds)
            or kinds[0].kind not in ("int", "uint", "float", "bigint")
            or len({kind.kind for kind in kinds}) > 1
        ):
            raise ArgumentTypeError(
                "values and bounds are numbers of one type.",
                details=[f"values: {kinds[0]}, lower bounds: {kinds[1]}, upper bounds: {kinds[2]}"],
                hint="cast() converts between types.",
            )


def interval_lookup(
    keys: Any,
    values: Any,
    arguments: Any,
    fillvalue: Any = -1,
    tiebreak: pdarray | None = None,
    hierarchical: bool = False,
) -> Any:
    """Return the value that belongs to the interval of each argument; lazy.

    Parameters
    ----------
    keys : tuple of two pdarrays, or of two sequences of pdarrays
        Lower and upper bounds of intervals, both within; see `search_intervals`.
    values : pdarray, Strings or Categorical
        The value of each interval.
    arguments : pdarray, or sequence of pdarrays
        Keys to look up.
    fillvalue : scalar
        Value of arguments in no interval; for Strings see `lookup`.  With a Categorical they are missing.
    tiebreak : pdarray, optional
        A number for each interval, of which the least is the best.
    hierarchical : bool, default False
        Compare rows by the first array first; otherwise intervals of several arrays are boxes.

    Returns
    -------
    array of the kind of `values`
        With the rows of `arguments`.

    Raises
    ------
    AlignmentError
        If there are not as many values as intervals, where their number is known.

    Examples
    --------
    >>> keys = (ak.array([0, 5]), ak.array([3, 10]))
    >>> ak.interval_lookup(keys, ak.array([100, 200]), ak.array([1, 4, 8])).tolist()
    [100, -1, 200]
    """
    found = search_intervals(arguments, keys, tiebreak, hierarchical)
    if isinstance(values, Categorical):
        codes = interval_lookup(keys, values.codes, arguments, 0, tiebreak, hierarchical)
        lost = Call("less", found._value, Constant(0))
        frame, (missing, code) = on_common_rows("look up", [(found._frame, lost), codes._as_operand()])
        return values._like(frame, Call("where", missing, values._category_table.na_code, code))
    values = values if isinstance(values, Array) else array(values)
    bound = as_arrays(keys[0])[0]
    frame, (value, _) = on_common_rows("look up", [values._as_operand(), bound._as_operand()])
    lacks, taken = Call("less", found._value, Constant(0)), Call("lookup_found", broadcast(frame, value), found._value)
    return wrap(found._frame, Call("where", lacks, filling(fillvalue, value.dtype), taken))


def in1d_intervals(vals: Any, intervals: Any, symmetric: bool = False) -> Any:
    """Return which values are in any interval; lazy.

    Parameters
    ----------
    vals : pdarray, or sequence of pdarrays
        The values.
    intervals : tuple of two pdarrays, or of two sequences of pdarrays
        Lower and upper bounds, both within; see `search_intervals`.
    symmetric : bool, default False
        Return, too, which intervals are the first to hold a value.

    Returns
    -------
    pdarray of bool, or tuple of two of them
        On the rows of `vals`, and on the rows of the intervals.

    Examples
    --------
    >>> intervals = ak.array([0, 5, 9]), ak.array([3, 8, 9])
    >>> found, holding = ak.in1d_intervals(ak.array([1, 4, 8]), intervals, symmetric=True)
    >>> found.tolist(), holding.tolist()
    ([True, False, True], [True, True, False])
    """
    numbers = search_intervals(vals, intervals)
    found = numbers >= 0
    return (found, contained(arange(as_arrays(intervals[0])[0].size), numbers)) if symmetric else found


def unsqueeze(p: Any) -> Any:
    """Return a single array in a list, and anything else as it is.

    Examples
    --------
    >>> a = ak.arange(2)
    >>> ak.unsqueeze(a)[0] is a, ak.unsqueeze([a])[0] is a
    (True, True)
    """
    return [p] if isinstance(p, Array) else p


def zero_up(vals: Any) -> pdarray:
    """Return for each element how many distinct ones are below it, as int64; lazy.

    Parameters
    ----------
    vals : array, or sequence of arrays
        The elements; of several arrays, each row is one.  All NaN are one element, the last.

    Returns
    -------
    pdarray of int64
        With the rows of `vals`.

    Examples
    --------
    >>> ak.zero_up(ak.array([30, 10, 30, 20])).tolist()
    [2, 0, 2, 1]
    """
    groups = GroupBy(vals, dropna=False)
    codes: pdarray = groups.broadcast(pdarray(*row_numbers(groups._grouped())))
    return codes


def align(*args: Any) -> list[pdarray]:
    """Return for each element of several arrays how many distinct elements of all of them are below it; lazy.

    Parameters
    ----------
    *args : array, or sequence of arrays
        The elements; of sequences, all of which have as many arrays, each row is one.

    Returns
    -------
    list of pdarrays of int64
        Each with the rows of its argument.

    Raises
    ------
    ArgumentError
        If there are no arrays, or not as many in each sequence.
    ArgumentTypeError
        If some are sequences, and others are not, or the arrays have nothing in common.

    Examples
    --------
    >>> [codes.tolist() for codes in ak.align(ak.array([30, 10]), ak.array([20, 30, 30]))]
    [[2, 0], [1, 2, 2]]
    """
    columns = [as_arrays(arg) for arg in args]
    if len({len(column) for column in columns}) != 1:
        raise ArgumentError(
            "arrays to align are one or more, and sequences have as many each.",
            details=[f"given: {', '.join(str(len(column)) for column in columns) or 'none'}"],
        )
    if len({is_several(arg) for arg in args}) != 1:
        raise ArgumentTypeError("arrays are aligned with arrays, and sequences of arrays with such.")
    joined = [chained(list(parts)) for parts in zip(*columns, strict=True)]
    elements = unique(joined if len(joined) > 1 else joined[0])
    return [find(arg, elements) for arg in args]


def right_align(left: Any, right: Any) -> tuple[pdarray, list[pdarray]]:
    """Align two arrays as `align` does, without elements of the left one that the right one lacks; lazy.

    Parameters
    ----------
    left, right : array, or sequence of arrays
        The elements; of several arrays, each row is one.

    Returns
    -------
    keep : pdarray of bool
        Which elements of `left` are in `right`.
    aligned : list of two pdarrays of int64
        The remaining elements of `left`, and all of `right`, as numbers.

    Examples
    --------
    >>> keep, (left, right) = ak.right_align(ak.array([10, 20, 30, 40]), ak.array([20, 10, 40, 50]))
    >>> keep.tolist(), left.tolist(), right.tolist()
    ([True, True, False, True], [0, 1, 2], [1, 0, 2, 3])
    """
    keep: pdarray = contained(left, right)
    chosen = [item[keep] for item in left] if is_several(left) else as_arrays(left)[0][keep]
    return keep, align(chosen, right)


def left_align(left: Any, right: Any) -> tuple[pdarray, list[pdarray]]:
    """Align two arrays as `align` does, without elements of the right one that the left one lacks; lazy.

    The sides are exchanged, so that `right` comes first in the result.  See `right_align`.

    Examples
    --------
    >>> keep, (right, left) = ak.left_align(ak.array([10, 20]), ak.array([30, 20]))
    >>> keep.tolist(), right.tolist(), left.tolist()
    ([False, True], [1], [0, 1])
    """
    return right_align(right, left)
