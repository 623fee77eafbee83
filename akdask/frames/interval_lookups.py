"""Interval look-ups: the interval that holds each value, and its value in a table."""

from __future__ import annotations

from typing import Any

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array
from akdask.arrays.keys import as_arrays
from akdask.arrays.pdarray import pdarray
from akdask.arrays.setops import in1d
from akdask.arrays.wrap import wrap
from akdask.columns.dtypes import ColumnType
from akdask.engine.alignment import align
from akdask.engine.explain import is_cheap
from akdask.engine.rowwise import Project
from akdask.engine.run import run
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.lookups import filling
from akdask.operators.join.membership import BuildIntervals
from akdask.operators.rows.take import broadcast


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
    >>> import akdask as ak
    >>> starts, ends = (ak.array([0, 5]), ak.array([0, 11])), (ak.array([5, 9]), ak.array([10, 20]))
    >>> vals = (ak.array([0, 0, 2, 5, 5, 6, 6, 9]), ak.array([0, 20, 1, 5, 15, 0, 12, 30]))
    >>> ak.search_intervals(vals, (starts, ends)).tolist()
    [0, 0, 0, 0, 1, 1, 1, -1]
    >>> ak.search_intervals(vals, (starts, ends), hierarchical=False).tolist()
    [0, -1, 0, 0, 1, -1, 1, -1]
    """
    if len(intervals) != 2:
        raise ArgumentError(f"intervals have lower and upper bounds, not {len(intervals)} sets of them.")
    values, lows, highs = as_arrays(vals), *map(as_arrays, intervals)
    _check_types(values, lows, highs)
    operands = [item._as_operand() for item in [*lows, *highs, *([] if tiebreak is None else [array(tiebreak)])]]
    frame, columns = align("search intervals of", operands)
    project = Project(frame, tuple(range(len(columns))), tuple(columns))
    index = BuildIntervals(project, len(values), hierarchical or len(values) == 1)
    value_frame, sought = align("search intervals for", [item._as_operand() for item in values])
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
        if kinds[0].kind not in ("int", "uint", "float", "bigint") or len({kind.kind for kind in kinds}) > 1:
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
    >>> import akdask as ak
    >>> keys = (ak.array([0, 5]), ak.array([3, 10]))
    >>> ak.interval_lookup(keys, ak.array([100, 200]), ak.array([1, 4, 8])).tolist()
    [100, -1, 200]
    """
    found = search_intervals(arguments, keys, tiebreak, hierarchical)
    if isinstance(values, Categorical):
        codes = interval_lookup(keys, values.codes, arguments, 0, tiebreak, hierarchical)
        lost = Call("less", found._value, Constant(0))
        frame, (missing, code) = align("look up", [(found._frame, lost), codes._as_operand()])
        return values._like(frame, Call("where", missing, values._category_table.na_code, code))
    values = values if isinstance(values, Array) else array(values)
    bound = as_arrays(keys[0])[0]
    frame, (value, _) = align("look up", [values._as_operand(), bound._as_operand()])
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
    >>> import akdask as ak
    >>> intervals = ak.array([0, 5, 9]), ak.array([3, 8, 9])
    >>> found, holding = ak.in1d_intervals(ak.array([1, 4, 8]), intervals, symmetric=True)
    >>> found.tolist(), holding.tolist()
    ([True, False, True], [True, True, False])
    """
    numbers = search_intervals(vals, intervals)
    found = numbers >= 0
    return (found, in1d(arange(as_arrays(intervals[0])[0].size), numbers)) if symmetric else found
