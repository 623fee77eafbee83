"""Numbers and times in intervals: `cut` and `qcut`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.arrays.array import Array, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import DEFAULT_NA
from akdask.arrays.creation import array
from akdask.arrays.elementwise import cast
from akdask.arrays.pdarray import pdarray
from akdask.arrays.sorting import insertion_points
from akdask.arrays.time_bins import TimeExtent
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import FLOAT64, NOT_A_TIME, TimeForm
from akdask.deferred import pd
from akdask.engine.alignment import align_by_plan
from akdask.engine.run import run
from akdask.engine.values import Call, Constant
from akdask.engine.values import cast as to_type
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.dtypes import is_number
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.operators.reduce.quantiles import checked_quantiles

MOST_BINS = 10_000


def cut(
    x: Any,
    bins: int | Sequence[Any],
    right: bool = True,
    labels: Sequence[str] | bool | None = None,
    retbins: bool = False,
    precision: int = 3,
    include_lowest: bool = False,
    duplicates: str = "raise",
) -> Any:
    """Return the interval that each number or time is in.

    Parameters
    ----------
    x : pdarray, Datetime, Timedelta or Series
        The numbers, times or spans.
    bins : int or sequence of float, Timestamp or Timedelta
        The bounds of the intervals, ascending; lazy.  Of a number of them, intervals of the same width are made from
        the smallest to the largest element, which are computed for it.
    right : bool, default True
        Whether intervals contain their upper bound; otherwise they contain the lower one.
    labels : sequence of str, or False, optional
        Names of the intervals, their bounds unless given; False gives their numbers.
    retbins : bool, default False
        Return the bounds as well: an array, or pandas' index of times.
    precision : int, default 3
        Digits of the bounds in names.
    include_lowest : bool, default False
        Whether the first interval contains its lower bound.
    duplicates : {"raise", "drop"}
        Refuse equal bounds, or keep one of them.

    Returns
    -------
    Categorical, or pdarray of int64
        With the rows of `x`.  Elements in no interval, NaN and NaT are missing: the label ``"N/A"``, or the number -1,
        where pandas has NaN.

    Raises
    ------
    ArgumentTypeError
        If `x` has neither numbers nor times.
    ArgumentError
        If the bounds do not ascend or are no times where `x` has times, one side has a zone and the other none, or
        there are not as many labels as intervals.

    Notes
    -----
    Follows ``pandas.cut``; intervals are labels.

    Examples
    --------
    >>> ak.cut(ak.array([1, 5, 9]), [0, 4, 8]).tolist()
    ['(0, 4]', '(4, 8]', 'N/A']
    >>> ak.cut(ak.array([1, 5, 9]), 2, labels=["low", "high"]).tolist()
    ['low', 'low', 'high']
    >>> ak.cut(ak.Datetime(["2026-01-05", "2026-03-01"]), pd.to_datetime(["2026-01-01", "2026-02-01"])).tolist()
    ['(2026-01-01 00:00:00, 2026-02-01 00:00:00]', 'N/A']
    """
    values = _values("cut", x)
    is_timely = isinstance(values, TimeArray)
    proxy = _index([], values._form) if is_timely else np.empty(0, np.float64)
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        if not 1 <= bins <= MOST_BINS:
            raise ArgumentError(f"cut: bins={bins} is not from 1 to {MOST_BINS}.")
        proxy, bins = _ends(values), int(bins)
    params = {"right": right, "precision": precision, "include_lowest": include_lowest, "duplicates": duplicates}
    return _placed("cut", values, proxy, bins, labels=labels, retbins=retbins, **params)


def qcut(
    x: Any,
    q: int | Sequence[float],
    labels: Sequence[str] | bool | None = None,
    retbins: bool = False,
    precision: int = 3,
    duplicates: str = "raise",
) -> Any:
    """Return the quantile range that each number or time is in; computes the quantiles.

    Parameters
    ----------
    x : pdarray, Datetime, Timedelta or Series
        The numbers, times or spans.
    q : int or sequence of float
        Number of ranges with as many elements, or the quantiles that bound them, from 0 to 1.
    labels, retbins, precision, duplicates
        As in `cut`.

    Returns
    -------
    Categorical, or pdarray of int64
        As `cut`.

    Raises
    ------
    ArgumentTypeError
        If `x` has neither numbers nor times.
    ArgumentError
        If quantiles are equal, unless `duplicates` is ``"drop"``.

    Examples
    --------
    >>> ak.qcut(ak.arange(4), 2, labels=["lower", "upper"]).tolist()
    ['lower', 'lower', 'upper', 'upper']
    """
    values = _values("qcut", x)
    if isinstance(q, int | np.integer) and not 1 <= q <= MOST_BINS:
        raise ArgumentError(f"qcut: q={q} is not from 1 to {MOST_BINS}.")
    wanted = _equal_parts(int(q)) if isinstance(q, int | np.integer) else list(q)
    quantiles = checked_quantiles(wanted, "linear")
    bounds = _quantiles(values, quantiles)
    none = bounds[:0]
    params = {"right": True, "precision": precision, "include_lowest": True, "duplicates": duplicates}
    return _placed("qcut", values, none, bounds, labels=labels, retbins=retbins, **params)


def _equal_parts(count: int) -> list[float]:
    """Return the quantiles between ranges of the same size, rounded up where floats miss them, as in pandas."""
    found = np.linspace(0, 1, count + 1)
    parts: list[float] = np.where(count * found == np.arange(count + 1), found, np.nextafter(found, 1)).tolist()
    return parts


def _quantiles(values: Array, wanted: Any) -> Any:
    """Return quantiles of the values that are not missing, as an array or an index of times; computes."""
    if isinstance(values, TimeArray):
        present = values[values == values] if values._form.may_lack else values  # noqa: PLR0124 - NaT is not equal
        found = np.asarray(present.quantile(wanted).values.to_ndarray())
        if (found == NOT_A_TIME).any():
            raise ArgumentError("qcut: there are no times to take quantiles of.")
        return _index(found, values._form)
    # Bounds between numbers are floats, and numbers compare with them as floats, as in pandas.
    expr = AggregateExpr("quantile", to_type(values._value, FLOAT64), q=wanted, method="linear", skipna=True)
    ((bounds,),) = run(Aggregate(values._frame, (expr,)))
    if np.isnan(bounds).any():
        raise ArgumentError("qcut: there are no numbers to take quantiles of.")
    return np.asarray(bounds)


def _placed(operation: str, values: Array, proxy: Any, bins: Any, *, labels: Any, retbins: bool, **params: Any) -> Any:
    """Return the interval of each element; pandas makes bounds and labels of a few elements at hand."""
    given = labels if labels is False or labels is None else list(labels)
    try:
        made, bounds = pd.cut(proxy, bins, labels=given, retbins=True, **params)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{operation}: {error}.") from error
    if isinstance(values, TimeArray):
        if bounds.dtype.kind != values._form.numpy.kind:
            raise ArgumentError(f"{operation}: bins of {values._form} are such, not {bounds.dtype}.")
        compared, lowest = values, values == bounds[0]
    else:
        bounds = np.asarray(bounds, np.float64)
        # Bounds that are made of the numbers are floats near them, and compare as floats.
        compared = cast(values, np.float64) if isinstance(bins, int) or operation == "qcut" else values
        lowest = pdarray(compared._frame, Call("equal", compared._value, Constant(bounds[0])))
    place = insertion_points(array(bounds), compared, side="left" if params["right"] else "right")
    frame, (number, is_lowest) = align_by_plan(
        operation, [(place._frame, place._value), (lowest._frame, lowest._value)]
    )
    if params["include_lowest"]:
        number = Call("where", is_lowest, Constant(1), number)
    inside = Call("logical_and", Call("greater", number, Constant(0)), Call("less", number, Constant(len(bounds))))
    code = Call("where", inside, Call("subtract", number, Constant(1)), Constant(-1))
    codes = pdarray(frame, code)
    if labels is False:
        return (codes, bounds) if retbins else codes
    names = [str(label) for label in made.categories]
    if len({*names}) < len(names) or DEFAULT_NA in names:
        raise ArgumentError(f"{operation}: labels are all different, and none is {DEFAULT_NA!r}.")
    known = pdarray(frame, Call("where", inside, code, Constant(len(names))))
    found = Categorical.from_codes(known, array([*names, DEFAULT_NA]), ordered=True)
    return (found, bounds) if retbins else found


def _ends(values: Array) -> Any:
    """Return the smallest and the largest element, as an array or an index of times; computes."""
    if isinstance(values, TimeArray):
        extent = TimeExtent.of(values)
        if extent.is_empty:
            raise ArgumentError("cut: a number of bins needs times that are not all missing.")
        return _index([extent.first, extent.last], values._form)
    expr = AggregateExpr("quantile", to_type(values._value, FLOAT64), q=(0.0, 1.0), method="linear", skipna=True)
    ((found,),) = run(Aggregate(values._frame, (expr,)))
    if np.isnan(found[0]):
        raise ArgumentError("cut: a number of bins needs numbers that are not all missing.")
    ends = np.array([float(found[0]), float(found[1])])
    return ends.astype(np.int64) if values._value.dtype.kind in ("int", "uint") else ends


def _index(numbers: Any, form: TimeForm) -> Any:
    """Return pandas' index of a few times or spans."""
    found: Any = pd.Index(np.asarray(numbers, np.int64).view(form.numpy))
    return found if form.zone is None else found.tz_localize("UTC").tz_convert(form.zone)


def _values(operation: str, x: Any) -> Array:
    given = unlabelled(x)
    if isinstance(given, Array):
        values = given
    elif isinstance(given, list | tuple | np.ndarray | pd.Series | pd.Index | range):
        values = array(given)
    else:
        raise ArgumentTypeError(f"{operation} takes an array of numbers or times, not {type(given).__name__}.")
    if isinstance(values, TimeArray):
        return values
    if not is_number(values):
        raise ArgumentTypeError(f"{operation} takes an array of numbers or times, not {values._describe()}.")
    return cast(values, np.int64) if values._value.dtype.kind == "bool" else values
