"""Reductions of groups: several in one pass over the rows, others by sorted values, and by name."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from itertools import islice
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.group_columns import column_rule
from akdask.arrays.group_keys import codes_of, like
from akdask.arrays.keys import as_array, is_several, lazy_array
from akdask.arrays.pdarray import pdarray
from akdask.arrays.timearray import TimeArray
from akdask.arrays.wrap import wrap
from akdask.columns.dtypes import BOOL, FLOAT64
from akdask.engine.alignment import align
from akdask.engine.missing import demanded, is_missing, key_parts
from akdask.engine.values import Call, Constant, cast
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.group.plan import GroupStatistic
from akdask.operators.reduce.quantiles import checked_quantiles
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.operators.rows.numbers import row_numbers

Keys = Any
"""One array, or a tuple of arrays where the rows are grouped by several."""


GROUP_REDUCTIONS = {
    name.lower(): name
    for name, item in REDUCTIONS.items()
    if item.group_types and name not in ("size", "time_quantile")
}
"""The name that each reduction of values has here, by the name that users write in any case."""

GROUPBY_REDUCTION_TYPES = frozenset(GROUP_REDUCTIONS)


def reduces_at_once(name: str, values: Any) -> bool:
    """Whether groups of an array are reduced in one pass over the rows, with other reductions."""
    reduction = REDUCTIONS[name]
    return reduction.distinct is None or (
        isinstance(values, Array) and reduction.has_grouped_form(values._as_operand()[1].dtype)
    )


def _as_text(values: Any) -> Any:
    return values.to_strings() if isinstance(values, Categorical) else values


def _check_types(skipna: Any = True, ddof: Any = 1, **_: Any) -> None:
    if not isinstance(skipna, bool | np.bool_) or not isinstance(ddof, int | float | np.number):
        raise ArgumentTypeError(f"skipna is a bool and ddof a number, not {skipna!r:.50} and {ddof!r:.50}.")


def bools(name: str, values: Any) -> Any:
    """Return bools, and refuse numbers, as Arkouda does."""
    if getattr(values, "dtype", BOOL.numpy) != BOOL.numpy:
        raise ArgumentTypeError(f"{name} of groups is of bool, not of {values.dtype}.", hint="compare: values != 0.")
    return values


def reduced(groups: Any, name: str, values: Any, **params: Any) -> tuple[Keys, Any]:
    """Return the keys, and one reduction of the groups that takes one pass over the rows."""
    keys, (result,) = reduced_at_once(groups, [(values, name)], **params)
    return keys, result


def reduced_at_once(groups: Any, calls: Sequence[tuple[Any, str]], **params: Any) -> tuple[Keys, list[Any]]:
    """Return the keys and several reductions of the groups; see `GroupBy.reduce_at_once`."""
    _check_types(**params)
    arrays = [(_counted(groups, name, lazy_array(name, values)), name) for values, name in calls]
    rules = [column_rule(name, values, params.get("skipna", True)) for values, name in arrays]
    reductions = [
        (name, wrap(values._frame, value), params)
        for rule, (values, _) in zip(rules, arrays, strict=True)
        for name, value in rule.reductions
    ]
    grouped = groups._grouped(*reductions)
    found = map(grouped.result, range(len(reductions)))
    results = [rule.make(grouped, rule.finish(*islice(found, len(rule.reductions)))) for rule in rules]
    return groups._keys_of(grouped), results


def reduced_column(groups: Any, name: str, values: Any, **params: Any) -> Any:
    """Return a reduction of each group, by its name, without the keys."""
    reduce = reduced if reduces_at_once(name, values) else statistic
    return reduce(groups, name, values, **params)[1]


def aggregated(groups: Any, values: Any, operator: str | Sequence[str], skipna: bool, ddof: int) -> tuple[Keys, Any]:
    """Return the keys and reductions of each group by their names; see `GroupBy.aggregate`."""
    if not isinstance(operator, str):
        found = [aggregated(groups, values, name, skipna, ddof) for name in operator]
        return found[0][0], [result for _, result in found]
    name = GROUP_REDUCTIONS.get(operator.lower())
    if name is None:
        raise ArgumentError(
            f"groups cannot be reduced by {operator!r}.",
            details=[f"reductions: {', '.join(sorted(GROUPBY_REDUCTION_TYPES))}"],
        )
    if name in ("any", "all"):
        # By name they take numbers for truth, in Arkouda too.
        return reduced(groups, name, values)
    method = getattr(groups, name)
    given = {"skipna": skipna, "ddof": ddof}
    return method(values, **{name: given[name] for name in signature(method).parameters if name in given})


def nunique(groups: Any, values: Any) -> tuple[Keys, Any]:
    """Return the keys and the number of distinct values, or rows of several arrays, of each group."""
    return statistic(groups, "nunique", numbered_rows(groups, values)[0] if is_several(values) else values)


def unique(groups: Any, values: Any) -> tuple[Keys, Any]:
    """Return the keys and the distinct values of each group; see `GroupBy.unique`."""
    if is_several(values):
        numbers, arrays = numbered_rows(groups, values)
        keys, found = statistic(groups, "unique", numbers, skipna=False)
        from akdask.arrays.segarray import SegArray

        return keys, [SegArray(found.segments, _as_text(array)[found.values]) for array in arrays]
    labels = as_array(_as_text(values))
    there = labels._like(labels._frame, demanded(labels._value))
    return statistic(groups, "unique", there, skipna=False)


def mode(groups: Any, values: Any) -> tuple[Keys, Any]:
    """Return the keys and the commonest value of each group; see `GroupBy.mode`."""
    if not is_several(values):
        return statistic(groups, "mode", values)
    numbers, arrays = numbered_rows(groups, values)
    keys, commonest = statistic(groups, "mode", numbers)
    return keys, [array[commonest] for array in arrays]


def quantile(groups: Any, values: Any, q: Any, skipna: bool, method: str) -> tuple[Keys, Any]:
    """Return the keys and a quantile of each group; see `GroupBy.quantile`."""
    wanted = checked_quantiles(q, method)
    if not isinstance(wanted, float):
        raise ArgumentError("one quantile of groups is found at a time.", hint="call quantile for each.")
    return statistic(groups, "quantile", values, skipna, q=wanted, method=method)


def _counted(groups: Any, name: str, values: Array) -> Array:
    """Return the column to count: codes or numbers of values, with NaN for missing values."""
    if name == "nunique" and len(key_parts(values._value)) > 1:
        return _numbered(groups, values)
    if not (groups._drops_labels and isinstance(values, Categorical) and name in ("count", "nunique")):
        return values
    lacks = values._missing_among(values._value)
    return pdarray(values._frame, Call("where", lacks, Constant(np.nan), cast(values._value, FLOAT64)))


def statistic(groups: Any, name: str, values: Any, skipna: bool = True, **params: Any) -> tuple[Keys, Any]:
    """Return the keys and a reduction of the sorted values of each group; others take one pass over the rows."""
    given = _counted(groups, name, lazy_array(name, values))
    if reduces_at_once(name, given):
        return reduced(groups, name, given, skipna=skipna, **params)
    are_times = isinstance(given, TimeArray)
    if are_times and name in ("median", "quantile"):
        name = "time_quantile"
    form = REDUCTIONS[name].distinct
    assert form is not None, "others are reduced in one pass"
    operand = given if form.of_numbers else codes_of(given)
    frame, keys, (value,), numbers = groups._on(operand)
    arguments = tuple(sorted(params.items()))
    node = GroupStatistic(frame, keys, groups._by.identity, value, name, skipna, are_times, numbers, arguments)
    # Before the keys, as columns without such a statistic are refused.
    if form.of_numbers and are_times:
        result: Any = given._lacking()._like(node, node.result)
    else:
        result = like(given if name == "mode" else None, node, node.result)
    return groups._keys_of(node), result


def numbered_rows(groups: Any, values: Sequence[Any]) -> tuple[pdarray, tuple[Any, ...]]:
    """Return the number of each row of several arrays among their distinct rows, and the distinct rows."""
    made: Any = type(groups)(list(values), dropna=False)
    grouped = made._grouped()
    return made.broadcast(pdarray(*row_numbers(grouped))), made._tuple_of(made._keys_of(grouped))


def _numbered(groups: Any, values: Array) -> pdarray:
    """Return the number of each value among the distinct ones, as floats; NaN for missing values."""
    numbers, _ = numbered_rows(groups, [values])
    frame, (number, given) = align("number", [numbers._as_operand(), values._as_operand()])
    return pdarray(frame, Call("where", is_missing(given), Constant(np.nan), cast(number, FLOAT64)))
