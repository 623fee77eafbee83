"""Reductions of groups: by name, several in one pass over the rows, for each type of column.

Grouped reductions take times and spans as int64, with NaT as the smallest number.  The rules of columns leave NaT out
or make it the result, as each reduction demands, and turn the results into times again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from akdask.arrays.array import Array, wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.keys import as_array, codes_of, is_several, lazy_array, like
from akdask.arrays.pdarray import pdarray
from akdask.arrays.timearray import CLASSES, TimeArray
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, SPAN, TIME
from akdask.engine import times
from akdask.engine.alignment import align
from akdask.engine.missing import call, demanded, is_missing, is_missing_text, is_present, negated, parts
from akdask.engine.node import Frame
from akdask.engine.sources import row_numbers
from akdask.engine.values import Call, Constant, Value, as_floats, cast, column_in_errors, key_parts, with_missing
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.group.plan import GroupStatistic
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.records import record

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


def no_bools(name: str, values: Any) -> Any:
    """Return values, and refuse bools, as Arkouda does."""
    if getattr(values, "dtype", None) == BOOL.numpy:
        raise ArgumentTypeError(f"{name} of groups is of numbers, not of bool.", hint="use any or all.")
    return values


def exact_values(name: str, values: Any, *, of_text: bool = True) -> Any:
    """Return values that groups are made of besides the keys, and refuse floats, as Arkouda does, and text if told."""
    for item in values if is_several(values) else [values]:
        array = lazy_array(name, item)
        if array._value.dtype == FLOAT64 and type(array) is pdarray:
            raise ArgumentTypeError(f"{name} of groups is not of floats.", hint="round or cast them to integers first.")
        if not of_text and (isinstance(array, Categorical) or array._value.dtype.kind == "str"):
            raise ArgumentTypeError(f"{name} of groups is not of text.", hint="group by the keys and the text.")
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
    if name in ("min", "max"):
        return reduced(groups, name, values, skipna=skipna)
    if name in ("nunique", "unique", "mode"):
        return of_any_type(groups, name, values)
    method = getattr(groups, name)
    given = {"skipna": skipna, "ddof": ddof}
    return method(values, **{name: given[name] for name in signature(method).parameters if name in given})


def of_any_type(groups: Any, name: str, values: Any, **params: Any) -> tuple[Keys, Any]:
    """Return the keys and a reduction of values of any type, also of those that methods of `GroupBy` refuse."""
    of_any = {"nunique": nunique, "unique": unique, "mode": mode}
    return of_any[name](groups, values) if name in of_any else getattr(groups, name)(values, **params)


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
    from akdask.operators.reduce.quantiles import checked_quantiles

    wanted = checked_quantiles(q, method)
    if not isinstance(wanted, float):
        raise ArgumentError("one quantile of groups is found at a time.", hint="call quantile for each.")
    return statistic(groups, "quantile", values, skipna, q=wanted, method=method)


def _counted(groups: Any, name: str, values: Array) -> Array:
    """Return the column to count or compare: codes or numbers of values, with NaN for missing values."""
    if name in _OF_NUMBERS and len(key_parts(values._value)) > 1:
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
    if given._value.dtype.is_nullable_number:
        given = pdarray(given._frame, as_floats(given._value))
    form = REDUCTIONS[name].distinct
    assert form is not None, "others are reduced in one pass"
    operand = given if form.of_numbers else codes_of(given)
    items = [operand._as_operand()]
    if REDUCTIONS[name].by_position:
        items.append(row_numbers(groups._by.common(*items)))
    frame, keys, (value, *numbers) = groups._by.beside(*items)
    arguments = tuple(sorted(params.items()))
    node = GroupStatistic(
        frame, keys, groups._by.identity, value, name, skipna, are_times, tuple(numbers), arguments, True
    )
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


# rules of columns

Make: TypeAlias = Callable[[Frame, Value], Any]

BY_ORDER = ("min", "max", "argmin", "argmax")
"""Reductions of Categoricals whose labels are in order."""

CHOICES = ("first", "min", "max")
"""Reductions that choose among the values; results have the kind of the values."""


@record
class ColumnRule:
    """How one column is reduced.

    Parameters
    ----------
    reductions : sequence of (str, Value)
        Names of reductions with a grouped form, and the value that each one reduces on the rows of the column.
    finish : callable
        Makes the result of theirs.
    make : callable
        Makes it the user's array.
    """

    reductions: Sequence[tuple[str, Value]]
    finish: Callable[..., Value]
    make: Make


def column_rule(name: str, values: Array, skipna: bool) -> ColumnRule:
    """Return how a column is reduced.

    Raises
    ------
    ArgumentTypeError
        If the reduction has no meaning for such values.
    """
    if isinstance(values, TimeArray):
        return _of_times(name, values, skipna)
    if isinstance(values, Categorical) and values.ordered and name in BY_ORDER:
        return _of_ordered(name, values)
    # All reductions but the first value work on the elements, not on their codes.
    as_codes = isinstance(values, Categorical) and name in ("first", "size", "count")
    value = values._value if as_codes else values._as_operand()[1]
    if name in _OF_GAPS and len(key_parts(value)) > 1:
        return _of_integers(name, value, skipna)
    make: Make = values._like if name in CHOICES else wrap
    if name == "count" and value.dtype != FLOAT64 and not value.dtype.nullable:
        # None is missing: rows are counted, and the column is not read for it.
        return ColumnRule([("size", value)], _itself, wrap)
    if name == "count" and value.dtype == NULLABLE_STR:
        return ColumnRule([("sum", cast(is_present(value), INT64))], _itself, wrap)
    if value.dtype.kind == "str" and name in (*BY_ORDER, "any", "all"):
        return _of_text(name, values, value, skipna)
    known = REDUCTIONS[name].of_bools if value.dtype == BOOL else None
    return ColumnRule([(known or name, value)], lambda result: _limited(result, value), make)


_OF_NUMBERS = ("nunique", "argmin", "argmax")
"""Reductions of integers of which some are missing that are found by their numbers among the distinct ones."""

_OF_GAPS = ("sum", "prod", "min", "max", "count", "first")
"""Reductions of integers of which some are missing that are found without making floats of them."""


def _of_integers(name: str, value: Value, skipna: bool) -> ColumnRule:
    """Return the reduction of integers with gaps: over integers, with neutral ones in the gaps."""
    apart = parts(value)
    assert apart is not None, "other values have no parts"
    integers, missing = apart
    present, lacking = cast(negated(missing), INT64), cast(missing, INT64)
    if name == "count":
        return ColumnRule([("sum", present)], _itself, wrap)
    column = column_in_errors(value)
    if name == "first":
        reductions = [("first", integers), ("first", lacking)]
        return ColumnRule(reductions, lambda found, lacks: with_missing(found, _is_positive(lacks), column), wrap)
    limits = np.iinfo(integers.dtype.numpy)
    neutral = {"sum": 0, "prod": 1, "min": limits.max, "max": limits.min}[name]
    filled = Call("where", missing, Constant(integers.dtype.numpy.type(neutral)), integers)

    def finish(found: Value, there: Value, absent: Value) -> Value:
        if not skipna:
            return with_missing(found, _is_positive(absent), column)
        return with_missing(found, Call("equal", there, Constant(0)), column) if name in CHOICES else found

    return ColumnRule([(name, filled), ("sum", present), ("sum", lacking)], finish, wrap)


def _of_text(name: str, values: Array, value: Value, skipna: bool) -> ColumnRule:
    """Return the reduction of text by its order, or of whether it is empty; missing text is left out."""
    lacks = is_missing_text(value) if value.dtype == NULLABLE_STR else None
    if name in ("any", "all"):
        are_long = call("not_equal", value, Constant(""))
        if lacks is not None:
            # Missing text differs from all text, and counts as long then.
            are_long = Call("logical_and", are_long, negated(lacks)) if name == "any" else are_long
        return ColumnRule([(name, are_long)], _itself, wrap)
    if isinstance(values, Categorical):
        raise ArgumentTypeError(
            f"labels that are in no order have no {name}.",
            hint="as_ordered() gives them the order in which they are; to_strings() are ordered as text.",
        )
    if skipna or lacks is None or name not in CHOICES:
        return ColumnRule([(name, value)], _itself, wrap)
    return ColumnRule(
        [(name, value), ("sum", cast(lacks, INT64))],
        lambda found, absent: Call("make_missing", found, _is_positive(absent)),
        wrap,
    )


def _of_ordered(name: str, values: Categorical) -> ColumnRule:
    """Return the reduction of ordered labels: over their positions, with NaN for missing labels."""
    _, place = values._sort_key()
    if name in ("argmin", "argmax"):
        return ColumnRule([(name, place)], _itself, wrap)
    na_code = values._category_table.na_code

    def code(found: Value) -> Value:
        return Call("where", Call("isnan", found), na_code, cast(found, INT64))

    return ColumnRule([(name, place)], code, values._like)


def has_meaning(name: str, values: Array) -> bool:
    """Whether values of that type may be reduced so."""
    if isinstance(values, Categorical) and values.ordered and name in BY_ORDER:
        return True
    if isinstance(values, TimeArray) and name in values._refused:
        return False
    return REDUCTIONS[name].takes(values._as_operand()[1].dtype)


def _of_times(name: str, values: TimeArray, skipna: bool) -> ColumnRule:
    if name in values._refused or (name in ("any", "all") and values._is == TIME):
        raise ArgumentTypeError(f"{name} of groups has no meaning for a {type(values).__name__}.")
    value = values._value
    present = cast(times.is_present_time(value), INT64)
    like = values._like if name in ("first", "sum") else values._lacking()._like
    match name:
        case "mean":
            return ColumnRule([*_halves(value), *_counts(value)], partial(_mean, skipna), like)
        case "sum":
            return ColumnRule([*_halves(value), *_counts(value)], partial(_sum, skipna), like)
        case "std":
            numbers = times.as_floats(value)
            spans = partial(CLASSES[SPAN].of, form=values._form.of_span().lacking())
            return ColumnRule([(name, numbers)], times.of_floats, spans)
        case "count":
            return ColumnRule([("sum", present)], _itself, wrap)
        case "min" | "max" if skipna == (name == "min"):
            # NaT sorts on the other side of all values, so it is the result only in a group that has only NaT.
            return ColumnRule([(name, times.ordered(value))], times.of_order, like)
        case "argmin" | "argmax" if skipna:
            sought = times.ordered(value) if name == "argmin" else value
            return ColumnRule([(name, sought), ("sum", present)], _position, wrap)
        case "argmax":
            return ColumnRule([(name, times.ordered(value))], _itself, wrap)
    return ColumnRule([(name, value)], _itself, like if name in CHOICES else wrap)


def _halves(value: Value) -> list[tuple[str, Value]]:
    """Return the sums of both halves of times, without NaT; they do not overflow."""
    return [("sum", half) for half in times.halves(value)]


def _counts(value: Value) -> list[tuple[str, Value]]:
    return [("sum", cast(check(value), INT64)) for check in (times.is_present_time, times.is_missing_time)]


def _sum(skipna: bool, high: Value, low: Value, count: Value, missing: Value) -> Value:
    found = times.of_halves(high, low)
    return found if skipna else times.with_missing_times(found, _is_positive(missing))


def _mean(skipna: bool, high: Value, low: Value, count: Value, missing: Value) -> Value:
    """Divide sums of both halves by the number of times; fractions of a unit are dropped, as in pandas."""
    rest = Call("add", Call("left_shift", Call("remainder", high, count), times.HALF), low)
    down = Call(
        "add", Call("left_shift", Call("floor_divide", high, count), times.HALF), Call("floor_divide", rest, count)
    )
    is_above = Call(
        "bitwise_and", Call("less", down, Constant(0)), Call("not_equal", Call("remainder", rest, count), Constant(0))
    )
    found = Call("add", down, cast(is_above, INT64))
    lacks = Call("equal", count, Constant(0))
    return times.with_missing_times(found, lacks if skipna else Call("bitwise_or", lacks, _is_positive(missing)))


def _is_positive(count: Value) -> Value:
    return Call("greater", count, Constant(0))


def _position(position: Value, count: Value) -> Value:
    return Call("where", Call("equal", count, Constant(0)), Constant(-1), position)


def _itself(result: Value) -> Value:
    return result


def _limited(result: Value, value: Value) -> Value:
    """Return a result with the limit of bits of the integers that were reduced."""
    dtype = value.dtype
    return cast(result, dtype) if result.dtype.kind == dtype.kind == "bigint" and dtype.max_bits > 0 else result
