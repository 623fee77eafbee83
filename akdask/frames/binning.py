"""Numbers in intervals: `cut` and `qcut`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import unlabelled
from akdask.arrays.categorical import DEFAULT_NA, Categorical
from akdask.arrays.creation import array
from akdask.arrays.operators import cast
from akdask.arrays.pdarray import pdarray
from akdask.arrays.sorting import searchsorted
from akdask.columns.dtypes import FLOAT64
from akdask.deferred import pd
from akdask.engine.alignment import align
from akdask.engine.run import run
from akdask.engine.values import Call, Constant
from akdask.engine.values import cast as to_type
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.kinds import is_number
from akdask.operators.reduce.aggregate import Aggregate, AggregateExpr
from akdask.operators.reduce.quantiles import checked_quantiles

MOST_BINS = 10_000


def cut(  # noqa: PLR0917 - pandas' signature
    x: Any,
    bins: int | Sequence[float],
    right: bool = True,
    labels: Sequence[str] | bool | None = None,
    retbins: bool = False,
    precision: int = 3,
    include_lowest: bool = False,
    duplicates: str = "raise",
) -> Any:
    """Return the interval that each number is in.

    Parameters
    ----------
    x : pdarray or Series
        The numbers.
    bins : int or sequence of float
        The bounds of the intervals, ascending; lazy.  Of a number of them, intervals of the same width are made from
        the smallest to the largest number, which are computed for it.
    right : bool, default True
        Whether intervals contain their upper bound; otherwise they contain the lower one.
    labels : sequence of str, or False, optional
        What the intervals are called, their bounds unless given; False gives their numbers.
    retbins : bool, default False
        Return the bounds as well.
    precision : int, default 3
        Digits of the bounds in names.
    include_lowest : bool, default False
        Whether the first interval contains its lower bound.
    duplicates : {"raise", "drop"}
        What becomes of bounds that are equal.

    Returns
    -------
    Categorical, or pdarray of int64
        With the rows of `x`.  Numbers in no interval, and NaN, are missing: the label ``"N/A"``, or the number -1,
        where pandas has NaN.

    Raises
    ------
    ArgumentTypeError
        If `x` has no numbers.
    ArgumentError
        If the bounds do not ascend, or there are not as many labels as intervals.

    Notes
    -----
    Follows ``pandas.cut``; intervals are labels.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.cut(ak.array([1, 5, 9]), [0, 4, 8]).tolist()
    ['(0, 4]', '(4, 8]', 'N/A']
    >>> ak.cut(ak.array([1, 5, 9]), 2, labels=["low", "high"]).tolist()
    ['low', 'low', 'high']
    """
    values = _numbers("cut", x)
    proxy = np.empty(0, np.float64)
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        if not 1 <= bins <= MOST_BINS:
            raise ArgumentError(f"cut: bins={bins} is not from 1 to {MOST_BINS}.")
        low, high = _extent(values)
        if np.isnan(low):
            raise ArgumentError("cut: a number of bins needs numbers that are not all missing.")
        proxy, bins = np.array([low, high]), int(bins)
        if values._value.dtype.kind in ("int", "uint"):
            proxy = proxy.astype(np.int64)
    params = {"right": right, "precision": precision, "include_lowest": include_lowest, "duplicates": duplicates}
    return _placed("cut", values, proxy, bins, labels=labels, retbins=retbins, **params)


def qcut(  # noqa: PLR0917 - pandas' signature
    x: Any,
    q: int | Sequence[float],
    labels: Sequence[str] | bool | None = None,
    retbins: bool = False,
    precision: int = 3,
    duplicates: str = "raise",
) -> Any:
    """Return the quantile range that each number is in; computes the quantiles.

    Parameters
    ----------
    x : pdarray or Series
        The numbers.
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
        If `x` has no numbers.
    ArgumentError
        If quantiles are equal, unless `duplicates` is ``"drop"``.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.qcut(ak.arange(4), 2, labels=["lower", "upper"]).tolist()
    ['lower', 'lower', 'upper', 'upper']
    """
    values = _numbers("qcut", x)
    if isinstance(q, int | np.integer) and not 1 <= q <= MOST_BINS:
        raise ArgumentError(f"qcut: q={q} is not from 1 to {MOST_BINS}.")
    wanted = np.linspace(0, 1, int(q) + 1) if isinstance(q, int | np.integer) else q
    quantiles = checked_quantiles(list(wanted), "linear")
    value = to_type(values._value, FLOAT64)
    expr = AggregateExpr("quantile", value, q=quantiles, method="linear", skipna=True)
    ((bounds,),) = run(Aggregate(values._frame, (expr,)))
    if np.isnan(bounds).any():
        raise ArgumentError("qcut: there are no numbers to take quantiles of.")
    none = np.empty(0, np.float64)
    params = {"right": True, "precision": precision, "include_lowest": True, "duplicates": duplicates}
    return _placed("qcut", values, none, bounds, labels=labels, retbins=retbins, **params)


def _placed(
    operation: str, values: Array, proxy: np.ndarray[Any, Any], bins: Any, *, labels: Any, retbins: bool, **params: Any
) -> Any:
    """Return the interval of each number; pandas makes bounds and labels of a few numbers at hand."""
    given = labels if labels is False or labels is None else list(labels)
    try:
        made, bounds = pd.cut(proxy, bins, labels=given, retbins=True, **params)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{operation}: {error}.") from error
    bounds = np.asarray(bounds, np.float64)
    # Bounds that are made of the numbers are floats near them, and compare as floats.
    compared = cast(values, np.float64) if isinstance(bins, int) or operation == "qcut" else values
    place = searchsorted(array(bounds), compared, side="left" if params["right"] else "right")
    frame, (value, number) = align(operation, [(compared._frame, compared._value), (place._frame, place._value)])
    if params["include_lowest"]:
        number = Call("where", Call("equal", value, Constant(bounds[0])), Constant(1), number)
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


def _extent(values: Array) -> tuple[float, float]:
    """Return the smallest and the largest number, NaN of none; computes."""
    value = to_type(values._value, FLOAT64)
    expr = AggregateExpr("quantile", value, q=(0.0, 1.0), method="linear", skipna=True)
    ((found,),) = run(Aggregate(values._frame, (expr,)))
    return float(found[0]), float(found[1])


def _numbers(operation: str, x: Any) -> Array:
    given = unlabelled(x)
    if isinstance(given, Array):
        values = given
    elif isinstance(given, list | tuple | np.ndarray | pd.Series | range):
        values = array(given)
    else:
        raise ArgumentTypeError(f"{operation} takes an array of numbers, not {type(given).__name__}.")
    if not is_number(values):
        raise ArgumentTypeError(f"{operation} takes an array of numbers, not {values._describe()}.")
    return cast(values, np.int64) if values._value.dtype.kind == "bool" else values
