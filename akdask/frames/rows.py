"""Rows of DataFrames and Series: selected by positions, masks and labels, dropped, sampled and renumbered.

Labels choose rows by the rules of pandas' `loc`.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import reduce
from html import escape
from operator import and_
from typing import Any

import numpy as np

from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import Array, Labelled, of_rows, special, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import sample_of
from akdask.arrays.sorting import coargsort, is_cosorted
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.deferred import is_na, is_pandas, pd
from akdask.engine.node import Frame
from akdask.engine.run import compute
from akdask.engine.sources import as_column, literal
from akdask.engine.values import Value
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    LabelTypeError,
    MissingLabelError,
    PositionError,
    SchemaError,
    errors_end_at_caller,
)
from akdask.frames.alignment import mask_on_rows_of
from akdask.frames.columnset import ColumnSet, Select, axis_number, names_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex, present_labels
from akdask.frames.series import Series
from akdask.records import record

NAMED = 5
"""How many of the labels that are not there a message names."""

UNITS = {"D": "D", "h": "h", "min": "min", "s": "s", "ms": "ms", "us": "us"}
"""Periods that text may name and times may be finer than, as `floor` calls them."""

TIMES = (np.datetime64, datetime.date)
SPANS = (np.timedelta64, datetime.timedelta)


@record
class Chosen:
    """Rows that a key of labels chooses.

    Parameters
    ----------
    rows : pdarray of bool or int, or slice
        The selection: a mask, positions in the order of the key, or a slice of positions.
    step : int, optional
        Take each `step`-th of these rows, from the last if negative.
    is_one : bool, default False
        Whether the key is one label, for which a single row stands by itself.
    levels : tuple of int, optional
        Levels of the labels that remain, where the key names the others; all unless given.
    """

    rows: Any
    step: int | None = None
    is_one: bool = False
    levels: tuple[int, ...] | None = None


def rows_by_label(index: Index, key: Any, *, numbered: bool = False) -> Chosen:
    """Return which rows a key of labels chooses; computes whether there are such.

    Parameters
    ----------
    index : Index or MultiIndex
        The labels of the rows.
    key : label, array or sequence of labels, mask, or slice of labels; of several levels a tuple, or a list of them
        The key of `loc`.
    numbered : bool, default False
        Whether rows are labelled by their numbers, which are then not looked for.

    Raises
    ------
    MissingLabelError
        If no row has one of the labels, or rows are not in order and a slice is bounded by a label that is not there.
    LabelTypeError
        If labels are looked for in an array of another kind.
    PositionError
        If a mask has not as many elements as there are rows.
    """
    item = key if isinstance(key, Index) else unlabelled(key)
    item = list(item) if isinstance(item, tuple) and index.nlevels == 1 else item
    if isinstance(item, slice):
        return _between(index, item, numbered=numbered)
    mask = as_mask(item)
    if mask is not None:
        check_mask(mask, index)
        return Chosen(mask)
    if isinstance(index, MultiIndex):
        return _of_levels(index, item)
    if is_many(item):
        return Chosen(_positions(index.values, item.values if isinstance(item, Index) else item, numbered=numbered))
    return _of_one(index.values, item)


def is_many(item: Any) -> bool:
    """Whether a key is several labels, and not one."""
    return isinstance(item, Array | Index | list | np.ndarray | range | set | dict) or is_pandas(
        item, "Series", "Index", "Categorical"
    )


def as_mask(item: Any) -> Any:
    """Return a key that is an array or sequence of bools as an array, any other as None.

    Bools at hand with missing ones among them choose nothing there.

    Examples
    --------
    >>> as_mask([True, False]).tolist(), as_mask([1, 0]), as_mask([])
    ([True, False], None, None)
    """
    if isinstance(item, Array):
        return item if item._value.dtype.kind == "bool" else None
    if isinstance(item, Index):
        return as_mask(item.values) if not isinstance(item, MultiIndex) else None
    if is_pandas(item, "Series", "Index"):
        item = item.to_numpy(dtype=object) if item.dtype == "boolean" else item.to_numpy()
    if isinstance(item, np.ndarray) and item.dtype.kind == "b":
        return item
    if isinstance(item, list | np.ndarray) and len(item) and np.ndim(item) == 1:
        items = list(item)
        if all(isinstance(one, bool | np.bool_) or is_na(one) for one in items) and not all(map(is_na, items)):
            return np.array([False if is_na(one) else bool(one) for one in items])
    return None


def check_mask(mask: Any, index: Index) -> None:
    """Refuse a mask that has not as many elements as there are rows, where both numbers are known."""
    count = mask.rows.size if isinstance(mask, Array) else len(mask)
    size = index._levels[0].rows.size
    if not isinstance(mask, Array) and size is None:
        size = index.size
    if count is not None and size is not None and count != size:
        raise PositionError(f"a mask of {count} elements does not fit {size} rows.")


# several labels


def _positions(own: Array, labels: Any, *, numbered: bool = False) -> Any:
    """Return the positions of all rows that have some labels, in the order of these labels."""
    sought, lacking = sought_labels(own, labels)
    if sought is None or lacking:
        _demand_none_lacking(lacking)
        return arange(0)
    if numbered:
        outside = (sought < 0) | (sought >= own.size)
        if bool(outside.any()):
            _demand_none_lacking(sought[outside].head(NAMED).tolist())
        return sought
    check_labels(own, sought)
    from akdask.frames.lookups import indexof1d

    return indexof1d(sought, own)


def check_labels(own: Any, sought: Any) -> None:
    """Refuse labels that no row has; computes.

    Raises
    ------
    MissingLabelError
        If there are such.
    """
    from akdask.arrays.setops import contained

    lacks = contained(sought, own, invert=True)
    if bool(lacks.any()):
        levels = sought if isinstance(sought, list) else [sought]
        named = [_plain(level[lacks].head(NAMED)) for level in levels]
        _demand_none_lacking([*zip(*named, strict=True)] if len(levels) > 1 else named[0])


def _plain(labels: Array) -> list[Any]:
    found: Any = labels
    return found.to_pandas().tolist() if isinstance(labels, TimeArray) else found.tolist()


def _demand_none_lacking(labels: Sequence[Any]) -> None:
    if len(labels):
        named = ", ".join(repr(_shown(label)) for label in labels[:NAMED])
        more = " and more" if len(labels) > NAMED else ""
        raise MissingLabelError(
            f"no row has the label{'s' * (len(labels) > 1)} {named}{more}.", hint="reindex gives missing rows for them."
        )


def _shown(label: Any) -> Any:
    return str(label) if isinstance(label, np.str_) else label.item() if isinstance(label, np.number) else label


def sought_labels(own: Array, labels: Any) -> tuple[Any, list[Hashable]]:
    """Return sought labels as an array of the kind of a frame's labels, and sought labels of other kinds.

    Parameters
    ----------
    own : Array
        The labels of the rows.
    labels : array, sequence, pandas Series or Index
        The sought labels.

    Returns
    -------
    array, or None if there are no labels
        Sought labels that may be among the labels.
    list
        Sought labels of another kind, such as text among numbers, or integers beyond the type of the labels.

    Raises
    ------
    LabelTypeError
        If a lazy array has elements of another kind.
    """
    if isinstance(labels, Array):
        if kind_of(labels) != kind_of(own):
            raise LabelTypeError(
                f"labels are {own._type_name()}, and {labels._type_name()} is looked for.", hint="convert with ak.cast."
            )
        return labels, []
    if is_pandas(labels, "Series", "Index", "Categorical"):
        labels = labels.tolist()
    elif isinstance(labels, np.ndarray) and labels.dtype == _numpy(own):
        return (array(labels) if labels.size else None), []
    found = [(label_in(own, label), label) for label in labels]
    lacking = [label for (fits, _), label in found if not fits]
    fitting = [value for (fits, value), _ in found if fits]
    return _array_of(own, fitting) if fitting else None, lacking


def kind_of(labels: Array) -> str:
    """Return the kind of values that may equal labels: ``number``, ``bool``, ``text``, or the name of their class."""
    if isinstance(labels, Strings | Categorical):
        return "text"
    if type(labels) is not pdarray and not isinstance(labels, Datetime | Timedelta):
        return type(labels).__name__
    if isinstance(labels, TimeArray):
        return type(labels).__name__
    kind = labels._value.dtype.kind
    return kind if kind == "bool" else "number"


def _numpy(own: Array) -> Any:
    """Return the NumPy type of numbers that labels are, None for labels of other kinds."""
    return own._value.dtype.numpy if kind_of(own) == "number" and own._value.dtype.is_number else None


def label_in(own: Array, label: Any) -> tuple[bool, Any]:
    """Return whether a value can be among labels, and the value converted to their type."""
    kind = kind_of(own)
    if kind == "text":
        return (True, str(label)) if isinstance(label, str) else (_is_missing(label), None)
    if kind == "bool":
        return isinstance(label, bool | np.bool_), label
    if kind in ("Datetime", "Timedelta"):
        return _as_time(own, label)
    if kind != "number":
        return True, label
    if isinstance(label, bool | np.bool_) or not (isinstance(label, int | float | np.number) or _is_missing(label)):
        return False, label
    dtype = own._value.dtype.plain
    if own._value.dtype.is_nullable_number and _is_missing(label):
        return True, np.nan
    if dtype.kind == "float":
        value = np.nan if _is_missing(label) else float(label)
        return _is_missing(label) or value == label, value
    if _is_missing(label) or not np.isfinite(label) or int(label) != label:
        return False, label
    if dtype.kind == "bigint":
        return True, int(label)
    limits = np.iinfo(dtype.numpy)
    return limits.min <= int(label) <= limits.max, int(label)


def _as_time(own: Array, label: Any) -> tuple[bool, Any]:
    """Return whether a value can be among times or spans, and the value converted to their type."""
    makes: Any = pd.Timestamp if isinstance(own, Datetime) else pd.Timedelta
    if _is_missing(label):
        return True, pd.NaT
    if not isinstance(label, (str, *(TIMES if isinstance(own, Datetime) else SPANS))):
        return False, label
    try:
        found = makes(label)
    except (ValueError, OverflowError):
        return False, label
    if not isinstance(own, Datetime):
        return True, found
    if isinstance(label, str) and own.tz is not None and found.tzinfo is None:
        found = found.tz_localize(own.tz)  # text names local times
    return (own.tz is None) == (found.tzinfo is None), found


def _is_missing(label: Any) -> bool:
    return label is None or (pd.api.types.is_scalar(label) and bool(pd.isna(label)))


def _array_of(own: Array, labels: list[Any]) -> Any:
    if isinstance(own, TimeArray):
        made: Any = pd.DatetimeIndex(labels) if isinstance(own, Datetime) else pd.TimedeltaIndex(labels)
        return special(made)
    dtype = _numpy(own)
    if own._value.dtype.is_nullable_number and not any(map(_is_missing, labels)):
        dtype = own._value.dtype.plain.numpy
    return array(labels if dtype is None else np.array(labels, dtype))


# one label


def _of_one(own: Array, label: Any) -> Chosen:
    if isinstance(label, str) and isinstance(own, Datetime):
        period = _period(own, label)
        if period is not None:
            return Chosen(_within(own, label, period))
    if isinstance(label, Hashable) and not isinstance(label, tuple):
        fits, value = label_in(own, label)
        if fits:
            return Chosen(equal_to(own, value), is_one=True)
    raise LabelTypeError(f"no row has the label {label!r}.", details=[f"labels are {own._type_name()}"])


def equal_to(own: Array, label: Any) -> Any:
    """Return which labels equal one, or are missing where that is; lazy bool array."""
    return ~present_labels(own) if _is_missing(label) else own == label


def _period(own: Datetime, text: str) -> Any:
    """Return the period that text names, None if it is a single time: where no time is finer than it; computes.

    Raises
    ------
    MissingLabelError
        If the text is no time.
    """
    try:
        period = pd.Period(text)
    except ValueError:
        raise MissingLabelError(f"no row has the label {text!r}, which is no time.") from None
    unit = period.freqstr
    if unit == "ns":
        return None
    if unit in UNITS:
        clock = own.tz_localize(None)
        is_finer = (clock != clock.floor(UNITS[unit])) & present_labels(own)
        return period if bool(is_finer.any()) else None
    return period


def _bounds(own: Datetime, period: Any, text: str) -> tuple[Any, Any]:
    """Return the first and the last nanosecond of a period, in the zone that its text names, or in that of labels."""
    zone: Any = pd.Timestamp(text).tzinfo if "Q" not in text.upper() else None
    if zone is not None and own.tz is None:
        raise LabelTypeError(f"times without a zone are not among those of {text!r}, which names one.")
    zone = own.tz if zone is None else zone
    first, last = period.start_time, (period + 1).start_time - pd.Timedelta(1, "ns")
    return (first.tz_localize(zone), last.tz_localize(zone)) if zone is not None else (first, last)


def _within(own: Datetime, text: str, period: Any) -> Any:
    """Return which times are within a period; refuse a period before or after all times if these are in order."""
    first, last = _bounds(own, period, text)
    mask = (own >= first) & (own <= last)
    there, before, after, is_ascending, is_descending, is_full = compute(
        mask.any(), (own < first).all(), (own > last).all(), *_orders(own)
    )
    if not there and (before or after) and (is_ascending or is_descending) and is_full and own.size:
        raise MissingLabelError(f"no row has a time within {text!r}.")
    return mask


# slices


def _orders(own: Any) -> tuple[Any, Any, Any]:
    """Return whether labels ascend, whether they descend, and whether none is missing; lazy bools."""
    return own.is_sorted(), own[::-1].is_sorted(), present_labels(own).all()


def _between(index: Index, key: slice, *, numbered: bool) -> Chosen:
    if key.start is None and key.stop is None:
        return Chosen(slice(None), key.step)
    if isinstance(index, MultiIndex):
        return _between_tuples(index, key)
    own: Any = index.values
    step = 1 if key.step is None else key.step
    if not isinstance(step, int | np.integer) or not step:
        raise ArgumentError(f"labels are stepped through by a number other than 0, not by {key.step!r}.")
    taken = None if step == 1 else int(step)
    first, last = (key.start, key.stop) if step > 0 else (key.stop, key.start)
    is_text = all(bound is None or isinstance(bound, str) for bound in (first, last))
    low, high = _bound(own, first, last=False), _bound(own, last, last=True)
    if numbered:
        return Chosen(_inside(own, low, high), taken)
    # Bounds of a Categorical must be among the labels, as in pandas.
    is_ascending, is_descending, is_full = (
        (False, False, False) if isinstance(own, Categorical) else map(bool, compute(*_orders(own)))
    )
    if is_ascending and is_full:
        return Chosen(_inside(own, low, high), taken)
    if isinstance(own, Datetime) and is_text:
        low, high = _bound(own, key.start, last=False), _bound(own, key.stop, last=True)
        _demand_bounds(own, key, low, high)
        return Chosen(_inside(own, low, high), taken)
    if is_descending and is_full:
        return Chosen(_inside(own, high, low), taken)
    start = 0 if first is None else _place(own, first, low)[0]
    stop = index.size if last is None else _place(own, last, high)[1]
    rows = slice(start, max(start, stop))
    return Chosen(rows, taken)


def _bound(own: Any, label: Any, *, last: bool) -> Any:
    """Return a bound of a slice; text for times gives the first or last moment of the period that it names."""
    if label is None or not isinstance(own, TimeArray):
        return label
    if isinstance(own, Datetime) and isinstance(label, str):
        try:
            return _bounds(own, pd.Period(label), label)[last]
        except ValueError:
            raise MissingLabelError(f"rows are not bounded by {label!r}, which is no time.") from None
    if isinstance(own, Timedelta) and isinstance(label, str):
        given: Any = pd.Timedelta(label)
        lowest = given.round(given.resolution_string)
        unit: Any = given.resolution_string
        return lowest + pd.Timedelta(1, unit) - pd.Timedelta(1, "ns") if last else lowest
    fits, value = _as_time(own, label)
    if not fits:
        raise ArgumentTypeError(f"rows that are labelled by times are not bounded by {label!r}.")
    return value


def _inside(own: Any, low: Any, high: Any) -> Any:
    """Return which labels lie between two, both of them included."""
    parts = [] if low is None else [own >= low]
    parts += [] if high is None else [own <= high]
    return reduce(and_, parts)


def _demand_bounds(own: Any, key: slice, *bounds: Any) -> None:
    """Refuse times that are not in order where none is at a bound, as pandas does."""
    given = [bound for bound in bounds if bound is not None]
    if not all(compute(*[(own == bound).any() for bound in given])):
        raise MissingLabelError(
            f"times that are not in order are not bounded by {key.start!r} and {key.stop!r}, which are not among them.",
            hint="sort_index() puts them in order.",
        )


def _place(own: Any, given: Any, label: Any) -> tuple[int, int]:
    """Return where the rows of a label begin and end among labels that are in no order; computes."""
    fits, value = label_in(own, label)
    if not fits:
        raise LabelTypeError(f"rows that are labelled by {own._type_name()} are not bounded by {given!r}.")
    return _contiguous(equal_to(own, value), given)


def _contiguous(is_it: Any, given: Any) -> tuple[int, int]:
    found = arange(is_it.size)[is_it].to_ndarray()
    if not found.size:
        raise MissingLabelError(
            f"rows that are not in order are not bounded by {given!r}, which no row has.",
            hint="sort_index() puts them in order.",
        )
    first, last = int(found[0]), int(found[-1])
    if last - first + 1 != found.size:
        raise MissingLabelError(
            f"rows that are not in order are not bounded by {given!r}, which several rows apart have.",
            hint="sort_index() puts them in order.",
        )
    return first, last + 1


# labels of several levels


def _of_levels(index: MultiIndex, key: Any) -> Chosen:
    if isinstance(key, tuple):
        return _of_tuple(index, key)
    if isinstance(key, MultiIndex) or is_pandas(key, "MultiIndex"):
        key = list(key)
    if not is_many(key):
        return _of_tuple(index, (key,))
    listed = key if isinstance(key, Array | Index) else list(key)
    if isinstance(listed, list) and listed and all(isinstance(one, tuple) for one in listed):
        return Chosen(_positions_of_tuples(index, listed))
    return Chosen(_positions(index.levels[0], listed.values if isinstance(listed, Index) else listed))


def _positions_of_tuples(index: MultiIndex, tuples: list[tuple[Any, ...]]) -> Any:
    levels, lacking = _sought_tuples(index, tuples)
    _demand_none_lacking(lacking)
    check_labels(index.levels, levels)
    from akdask.frames.lookups import indexof1d

    return indexof1d(levels, index.levels)


def _sought_tuples(index: MultiIndex, tuples: list[tuple[Any, ...]]) -> tuple[Any, list[Hashable]]:
    """Return sought tuples of labels as an array for each level, and sought tuples of other kinds."""
    wrong = [one for one in tuples if len(one) != index.nlevels]
    if wrong:
        raise LabelTypeError(f"labels have {index.nlevels} levels, and {wrong[0]!r} has {len(wrong[0])}.")
    if not tuples:
        return [None], []
    levels = [
        sought_labels(own, list(labels)) for own, labels in zip(index.levels, zip(*tuples, strict=True), strict=True)
    ]
    lacking = [lacking for _, lacking in levels]
    named: list[Hashable] = [one for one in tuples if any(a in b for a, b in zip(one, lacking, strict=True))]
    return [sought for sought, _ in levels], named


def _of_tuple(index: MultiIndex, key: tuple[Any, ...]) -> Chosen:
    from akdask.arrays.setops import contained

    if len(key) > index.nlevels:
        raise MissingLabelError(f"labels have {index.nlevels} levels, and {key!r} has {len(key)}.")
    parts = list(zip(range(len(key)), index.levels, key, strict=False))
    masks: list[Any] = []
    asked: dict[int, Any] = {}
    ranged = [number for number, _, wanted in parts if isinstance(wanted, slice) and wanted != slice(None)]
    if ranged:
        _demand_order(index, ranged[-1] + 1)
    for number, own, wanted in parts:
        if isinstance(wanted, slice):
            if wanted != slice(None):
                masks.append(_inside(own, wanted.start, wanted.stop))
        elif (among := as_mask(wanted)) is not None:
            masks.append(among if isinstance(among, Array) else array(among))
        elif is_many(wanted):
            sought, lacking = sought_labels(own, wanted)
            _demand_none_lacking(lacking)
            if sought is None:
                return Chosen(arange(0))
            check_labels(own, sought)
            masks.append(contained(own, sought))
            asked[number] = sought
        else:
            masks.append(_of_one(own, wanted).rows)
            if ranged and not bool(masks[-1].any()):
                raise MissingLabelError(f"no row has the label {wanted!r}.")
    if not masks:
        return Chosen(slice(None))
    mask = reduce(and_, masks)
    if ranged:
        # As in pandas, rows between labels keep all levels, and there may be none.
        return Chosen(_as_asked(index, mask, asked))
    if not bool(mask.any()):
        raise MissingLabelError(f"no row has the label {key if len(key) > 1 else key[0]!r}.")
    single = [number for number, _, one in parts if not isinstance(one, slice) and not is_many(one)]
    left = tuple(number for number in range(index.nlevels) if number not in single)
    return Chosen(_as_asked(index, mask, asked), is_one=not left, levels=left if single and left else None)


def _demand_order(index: MultiIndex, count: int) -> None:
    """Check that rows are in order of their first levels, between labels of the last of which some are sought."""
    if bool(is_cosorted(index.levels[:count]).value()):
        return
    raise MissingLabelError(
        f"rows between labels of level {count - 1} need the first {count} levels in order, which they are not.",
        hint="sort_index() puts them in order.",
    )


def _as_asked(index: MultiIndex, mask: Any, asked: Mapping[int, Any]) -> Any:
    """Return a mask, or the positions where it is true in the order of the sought labels of some levels."""
    several = {number: sought for number, sought in asked.items() if len(sought) > 1}
    if not several:
        return mask
    is_in_order = bool(coargsort(index.levels).is_sorted())
    if is_in_order and all(bool(sought.is_sorted()) for sought in several.values()):
        return mask
    from akdask.frames.lookups import find

    where_asked = [find(index.levels[number], sought)[mask] for number, sought in sorted(several.items())]
    return arange(index.size)[mask][coargsort(where_asked)]


def _between_tuples(index: MultiIndex, key: slice) -> Chosen:
    """Return the rows between two labels of several levels, which must be in order as in pandas."""
    if key.step not in (None, 1):
        raise ArgumentError("labels of several levels are not stepped through.", hint="use iloc for every nth row.")
    bounds = [bound if isinstance(bound, tuple) or bound is None else (bound,) for bound in (key.start, key.stop)]
    labels: Any = index.to_pandas()
    try:
        found = labels.slice_indexer(*bounds)
    except (KeyError, TypeError) as error:
        raise MissingLabelError(
            f"rows are not bounded by {key.start!r} and {key.stop!r}: {error.args[0]}.",
            hint="sort_index() puts them in order.",
        ) from None
    return Chosen(found)


# shared by loc of a frame and of a Series


def called_with(key: Any, rows: Any) -> Any:
    """Call a key that is a function with the rows; return any other key as it is."""
    function: Callable[[Any], Any] = key
    return function(rows) if callable(key) and not isinstance(key, Array | Labelled) else key


def demands_all(errors: str) -> bool:
    """Whether labels to drop must exist, by the argument `errors` of `drop`.

    Raises
    ------
    ArgumentError
        If it is neither ``raise`` nor ``ignore``.
    """
    if errors not in ("raise", "ignore"):
        raise ArgumentError(f"errors={errors!r} is neither 'raise' nor 'ignore'.")
    return errors == "raise"


def without_labels(index: Index, labels: Any, errors: str = "raise") -> Any:
    """Return which rows have none of some labels, as a lazy bool array; computes whether all labels exist.

    Parameters
    ----------
    index : Index or MultiIndex
        The labels of the rows.
    labels : label, or array or sequence of labels
        The labels to leave out.
    errors : {"raise", "ignore"}
        Whether labels that no row has are an error.

    Raises
    ------
    MissingLabelError
        If no row has one of them.
    """
    from akdask.arrays.setops import contained

    listed = _listed(index, labels)
    if isinstance(index, MultiIndex) and isinstance(listed, list) and listed and isinstance(listed[0], tuple):
        own: Any = index.levels
        sought, lacking = _sought_tuples(index, listed)
        if lacking and not demands_all(errors):
            sought, lacking = _sought_tuples(index, [one for one in listed if one not in lacking])
    else:
        own = index._levels[0]
        sought, lacking = sought_labels(own, listed)
    is_demanded = demands_all(errors)
    if is_demanded:
        _demand_none_lacking(lacking)
    if sought is None or (isinstance(sought, list) and any(level is None for level in sought)):
        return slice(None)
    if is_demanded:
        check_labels(own, sought)
    return contained(own, sought, invert=True)


def _listed(index: Index, labels: Any) -> Any:
    """Return one label or several as a lazy array, or as something at hand to iterate over."""
    labels = labels if isinstance(labels, Index) else unlabelled(labels)
    if isinstance(labels, MultiIndex) or is_pandas(labels, "MultiIndex"):
        return list(labels)
    if isinstance(labels, Index):
        return labels.values
    if is_many(labels):
        return (
            labels if isinstance(labels, Array | np.ndarray) or is_pandas(labels, "Series", "Index") else list(labels)
        )
    return list(labels) if isinstance(labels, tuple) and index.nlevels == 1 else [labels]


def select(frame: DataFrame, key: Any) -> Any:
    key = unlabelled(mask_on_rows_of(frame._row_labels, key))
    if isinstance(key, Array):
        return frame._of(frame._columns.on(_choose(*of_rows(key)._as_operand())))
    key = row_tools.row_key(key)
    if isinstance(key, int):
        return _row(frame, key)
    if isinstance(key, slice):
        return frame._of(frame._columns.sliced(key))
    return frame._of(frame._columns.on(_choose(*literal(as_column(key)))))


@errors_end_at_caller
class Row(dict[str, Any]):
    """The values of one row by the names of the columns: a dict that shows as a table.

    Examples
    --------
    >>> row = ak.DataFrame({"x": [1, 2], "name": ["a", "b"]})[1]
    >>> row["name"]
    np.str_('b')
    >>> print(row)
    keys    values
    ------  --------
    x       2
    name    b
    """

    def __getattr__(self, name: str) -> Any:
        """Return the value of the column of that name."""
        if name not in self:
            raise AttributeError(name)
        return self[name]

    def __str__(self) -> str:
        shown = [("keys", "values"), *((str(name), str(value)) for name, value in self.items())]
        # The widths of a table that has room for its heads and two spaces more.
        first, second = (
            max(len(head) + 2, *map(len, column))
            for head, column in zip(("keys", "values"), zip(*shown, strict=True), strict=True)
        )
        rule = f"{'-' * first}  {'-' * second}"
        lines = [f"{name:<{first}}  {value}".rstrip() for name, value in shown]
        return "\n".join([lines[0], rule, *lines[1:]])

    def _repr_html_(self) -> str:
        """Return the row as a table of HTML, for Jupyter."""
        rows = "".join(
            f"<tr><td>{escape(str(name))}</td><td>{escape(str(value))}</td></tr>" for name, value in self.items()
        )
        return f"<table><thead><tr><th>keys</th><th>values</th></tr></thead><tbody>{rows}</tbody></table>"


def _row(frame: DataFrame, position: int) -> Row:
    columns = frame._columns
    one = row_tools.one_row(columns.frame, position)
    row = frame._of(ColumnSet(one, columns.values, columns.kinds)).compute()
    # As single elements are, text is NumPy's.
    values = {name: row[name].iloc[0] for name in columns.values}
    return Row({name: np.str_(value) if type(value) is str else value for name, value in values.items()})


def drop(
    frame: DataFrame,
    keys: Any,
    axis: int | str,
    inplace: bool,
    *,
    columns: str | Iterable[str] | None,
    index: Any,
    errors: str,
) -> DataFrame | None:
    if keys is None and columns is None and index is None:
        raise ArgumentError("nothing is left out.", hint="pass columns= or index=.")
    found = frame._columns if index is None else _without_labels(frame._columns, index, errors)
    if keys is not None and axis_number(axis) == 1:
        found = _without_columns(found, keys, errors)
    elif keys is not None:
        found = _without_positions(found, keys)
    return frame._changed(found if columns is None else _without_columns(found, columns, errors), inplace)


def reset_index(
    frame: DataFrame, size: Any, inplace: bool, *, level: Any, drop: bool | None, names: Any
) -> DataFrame | None:
    columns = frame._columns
    _check_level(columns, size if isinstance(size, str | list | tuple) else level)
    if drop is None:
        drop = columns.index_name is None and names is None and not frame._rules.keeps_unnamed_labels
    if drop:
        return frame._changed(columns.labelled(None), inplace)
    name = _column_of_labels(columns, names)
    if name in columns.values:
        raise SchemaError(f"there is a column {name!r} already.", hint="rename it first, or pass drop=True.")
    labels = columns.index_array()
    return frame._changed(columns.labelled(None).having(name, labels).only([name, *columns.values]), inplace)


def _check_level(columns: ColumnSet, level: Any) -> None:
    """Refuse levels that labels of one level do not have."""
    for one in level if isinstance(level, list | tuple) else [level]:
        if isinstance(one, int | np.integer) and one not in (0, -1):
            raise PositionError(f"the labels have one level, not one of number {one}.", hint="pass level=0.")
        if isinstance(one, str) and one != columns.index_name:
            raise MissingLabelError(f"the labels are not called {one!r}, but {columns.index_name!r}.")


def _column_of_labels(columns: ColumnSet, names: Any) -> str:
    """Return the name of the column that labels become, as pandas chooses it."""
    if names is not None:
        given = [names] if isinstance(names, str) else list(names)
        if len(given) != 1 or not isinstance(given[0], str):
            raise ArgumentTypeError(f"labels of one level take one name, not {names!r}.")
        return given[0]
    if columns.index_name is not None:
        return str(columns.index_name)
    return "level_0" if "index" in columns.values else "index"


def _without_columns(columns: ColumnSet, names: Any, errors: str) -> ColumnSet:
    left_out = names_of(names)
    if demands_all(errors):
        columns.only(left_out)
    return columns.only(name for name in columns.values if name not in left_out)


def _without_positions(columns: ColumnSet, keys: Any) -> ColumnSet:
    keys = list(keys) if isinstance(keys, Iterable) and not isinstance(keys, str) else [keys]
    is_left = np.ones(sum(columns.counted()), np.bool_)
    is_left[[row_tools.row_position(columns.frame, row_tools.position(key)) for key in keys]] = False
    return columns.on(_choose(*literal(is_left)))


def _without_labels(columns: ColumnSet, labels: Any, errors: str) -> ColumnSet:
    remaining = without_labels(Index(columns.index_array()), labels, errors)
    return columns if isinstance(remaining, slice) else columns.on(_choose(*remaining._as_operand()))


def _choose(key_frame: Frame, key: Value) -> Select:
    return lambda frame, values: row_tools.select_columns(frame, values, key_frame, key)


def drop_entries(series: Series, labels: Any, *, index: Any, errors: str) -> Series:
    if (labels is None) == (index is None):
        raise ArgumentError("drop takes labels= or index=, which mean the same.")
    left = without_labels(series.index, index if labels is None else labels, errors)
    return series[:] if isinstance(left, slice) else series._rows(left)


def sample_entries(series: Series, n: int, *, frac: float | None, random_state: Any) -> Series:
    size = len(series)
    count, draw = sample_of(size, n, frac, random_state)
    if count > size:
        raise ArgumentError(f"{count} of {size} entries cannot be chosen.")
    return series._rows(draw.choice(size, count, replace=False))


def reset_series_index(series: Series, level: Any, *, drop: bool, name: str | None, inplace: bool) -> Any:
    index = series.index
    taken = _levels(index, level)
    left = [number for number in range(index.nlevels) if number not in taken]
    labels = _some_levels(index, left)
    if drop:
        dropped = type(series)._of(series.values, labels, series.name)
        if not inplace:
            return dropped
        series._labelled, series._level_names = dropped._labelled, dropped._level_names
        return None
    if inplace:
        raise ArgumentError("labels and values are a DataFrame, which a Series cannot become in place.")
    if len(left) > 1:
        raise ArgumentError(
            "rows of a DataFrame have labels of one level.", hint=f"name all levels but one: {index.names}."
        )
    columns = {_called(index, number): index._levels[number] for number in taken}
    called = name if name is not None else "0" if series.name is None else str(series.name)
    if called in columns:
        raise SchemaError(f"labels and values cannot both be called {called!r}.", hint="pass name=.")
    named = {**columns, called: series.values}
    found = ColumnSet.of(named) if labels is None else ColumnSet.of(named, labels.values, labels.name)
    return DataFrame._of(found)


def _levels(index: Index, level: Any) -> list[int]:
    """Return the numbers of some levels of labels, all if None."""
    if level is None:
        return list(range(index.nlevels))
    found = []
    for one in level if isinstance(level, list | tuple) else [level]:
        number = index.names.index(one) if one in index.names else one
        if not isinstance(number, int | np.integer) or not -index.nlevels <= number < index.nlevels:
            raise ArgumentError(f"there is no level {one!r}.", details=[f"levels: {index.names}"])
        found.append(int(number) % index.nlevels)
    return sorted(found)


def _some_levels(index: Index, numbers: Sequence[int]) -> Index | None:
    """Return labels of some of the levels, none where rows are to be numbered."""
    if not numbers:
        return None
    if len(numbers) == 1:
        return Index(index._levels[numbers[0]], index.names[numbers[0]])
    return MultiIndex([index._levels[at] for at in numbers], names=[index.names[at] for at in numbers])


def _called(index: Index, number: int) -> str:
    """Return the name of the column for a level of labels."""
    name = index.names[number]
    if name is not None:
        return str(name)
    return f"level_{number}" if index.nlevels > 1 else "index"


def sample(frame: DataFrame, n: int, *, frac: float | None, random_state: Any) -> DataFrame:
    size = len(frame)
    count, draw = sample_of(size, n, frac, random_state)
    return frame if count >= size else frame._rows(draw.choice(size, count, replace=False))
