"""pandas' functions of DataFrames, Series and arrays: `concat`, `melt`, `to_datetime` and the like."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from akdask.arrays.array import Array, unlabelled
from akdask.arrays.bit_vectors import BitVector
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.functions import apply
from akdask.arrays.ipv4 import IPv4
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.shapes import chained
from akdask.arrays.sorting import coargsort
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import BIGINT, FLOAT64, INT64, NOT_A_TIME, UINT64
from akdask.deferred import pd
from akdask.engine import missing as missing_text
from akdask.engine.run import run
from akdask.engine.sources import refuses_foreign, row_numbers
from akdask.engine.values import Call, Constant, Value, with_missing
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    SchemaError,
    TimeOverflowError,
    UnfitArgumentError,
    UnsupportedError,
)
from akdask.frames.alignment import Matched, RowLabels, comparable, missing_like, same_labels
from akdask.frames.columnset import ColumnSet, axis_number
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import missing_rows
from akdask.frames.index import Index, MultiIndex
from akdask.frames.join import stacked
from akdask.frames.series import Series
from akdask.operators.reduce.plan import Aggregate, AggregateExpr

ERRORS = ("raise", "coerce")


@refuses_foreign()
def concat(
    objs: Iterable[Any] | Mapping[Any, Any],
    axis: int | str = 0,
    join: str = "outer",
    ignore_index: bool = False,
    keys: Sequence[Any] | None = None,
) -> Any:
    """Put DataFrames or Series below each other, or side by side; lazy.

    Parameters
    ----------
    objs : iterable of DataFrame or Series, or mapping of key to such
        At least one that is not None.  A Series among DataFrames is a column of its name.
    axis : {0, 1, "index", "columns"}
        Below each other, or side by side: rows meet by their labels.
    join : {"outer", "inner"}
        Keep all columns, or labels for ``axis=1``, with missing values for cells that an item lacks; or only those
        that all items have.
    ignore_index : bool, default False
        Number the rows from 0, or with ``axis=1`` the columns.
    keys : sequence, optional
        Of Series: labels of an outer level, or with ``axis=1`` names of columns.

    Returns
    -------
    DataFrame or Series
        With the labels of the rows, which may come twice.  Series below each other are a Series.

    Raises
    ------
    ArgumentError
        If there is nothing to put together, or `join` is something else.
    ArgumentTypeError
        If something is neither DataFrame nor Series.
    SchemaError
        If columns of one name are of kinds that cannot be put below each other, or two side by side have one name.
    NonUniqueError
        When it is computed, if rows stand side by side, and a label comes twice on a side that has not the same labels.
    UnsupportedError
        If `keys` are given for rows of DataFrames, which have labels of one level.

    Notes
    -----
    Follows ``pandas.concat``.  `DataFrame.concat` and `Series.concat` follow Arkouda.

    Examples
    --------
    >>> one, two = ak.DataFrame({"x": [1, 2], "s": ["a", "b"]}), ak.DataFrame({"x": [3]})
    >>> concat([one, two], ignore_index=True).to_pandas()
       x    s
    0  1    a
    1  2    b
    2  3  NaN
    >>> concat([ak.Series([1, 2], name="a"), ak.Series([3, 4], name="b")], axis=1).to_pandas()
       a  b
    0  1  3
    1  2  4
    """
    if join not in ("outer", "inner"):
        raise ArgumentError(f"concat: join={join!r} is neither 'outer' nor 'inner'.")
    if isinstance(objs, DataFrame | Series | Array | str):
        raise ArgumentTypeError(f"concat takes a list of objects, not one {type(objs).__name__}.")
    if isinstance(objs, Mapping):
        keys, objs = list(objs) if keys is None else list(keys), list(objs.values())
    given = [(None if keys is None else keys[number], item) for number, item in enumerate(objs) if item is not None]
    items = [item for _, item in given]
    labels = None if keys is None else [key for key, _ in given]
    if not items:
        raise ArgumentError("concat needs at least one DataFrame or Series.")
    for item in items:
        if not isinstance(item, DataFrame | Series):
            raise ArgumentTypeError(
                f"concat takes DataFrames and Series, not {type(item).__name__}.",
                hint="ak.concatenate puts arrays below each other.",
            )
    if axis_number(axis) == 1:
        return _side_by_side(items, join, labels, ignore_index)
    if all(isinstance(item, Series) for item in items):
        return _series_below(items, labels, ignore_index)
    return _frames_below(items, join, labels, ignore_index)


def melt(
    frame: DataFrame,
    id_vars: str | Sequence[str] | None = None,
    value_vars: str | Sequence[str] | None = None,
    var_name: str = "variable",
    value_name: str = "value",
) -> DataFrame:
    """Return the columns of a DataFrame one below the other; see `DataFrame.melt`.

    Examples
    --------
    >>> df = ak.DataFrame({"day": [1, 2], "a": [10, 20], "b": [30, 40]})
    >>> ak.melt(df, "day", ["a", "b"]).to_pandas()
       day variable  value
    0    1        a     10
    1    2        a     20
    2    1        b     30
    3    2        b     40
    """
    return _frame_of("melt", frame).melt(id_vars, value_vars, var_name, value_name)


def pivot_table(
    data: DataFrame,
    values: str | Sequence[str] | None = None,
    index: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    aggfunc: str | Mapping[str, str] = "mean",
    fill_value: Any = None,
) -> DataFrame:
    """Return reductions of groups with keys as labels and names; see `DataFrame.pivot_table`.

    Examples
    --------
    >>> df = ak.DataFrame({"day": [1, 1, 2], "host": ["a", "b", "a"], "bytes": [10, 20, 30]})
    >>> ak.pivot_table(df, "bytes", "day", "host", aggfunc="sum").to_pandas()
            a     b
    day
    1    10.0  20.0
    2    30.0   NaN
    """
    return _frame_of("pivot_table", data).pivot_table(values, index, columns, aggfunc, fill_value)


def isna(obj: Any) -> Any:
    """Return where something is missing: NaN, NaT, missing text and elements of Categoricals; lazy.

    Parameters
    ----------
    obj : DataFrame, Series, array or scalar
        Values to check.

    Returns
    -------
    DataFrame, Series or pdarray of bool, or bool

    Examples
    --------
    >>> isna(ak.array([1.0, float("nan")])).tolist(), isna(None)
    ([False, True], True)
    """
    if isinstance(obj, DataFrame | Series):
        return obj.isna()
    if isinstance(obj, Array):
        return Series(obj).isna().values
    return pd.isna(obj)


def notna(obj: Any) -> Any:
    """Return where something is not missing; lazy.  See `isna`.

    Examples
    --------
    >>> ak.notna(ak.array([1.0, float("nan")])).tolist(), ak.notna(None)
    ([True, False], False)
    """
    found = isna(obj)
    return not found if isinstance(found, bool) else ~found


isnull = isna
notnull = notna


@refuses_foreign()
def to_datetime(
    arg: Any,
    errors: str = "raise",
    format: str | None = None,
    unit: str = "ns",
    *,
    dayfirst: bool = False,
    utc: bool = False,
) -> Any:
    """Return text or numbers as times; lazy where `arg` is.

    Parameters
    ----------
    arg : array, Series, Index, sequence or scalar
        ISO 8601 text, text as `format` has it, numbers of `unit` since 1970, or times.
    errors : {"raise", "coerce"}
        Whether text that is no time is an error when it is computed, or gives NaT.
    format : str, optional
        How text is written, in the directives of ``datetime.strptime``; whole numbers such as 20260131 are text then.
    unit : str, default "ns"
        Unit of numbers.
    dayfirst : bool, default False
        Whether text such as 03/02/2026 begins with the day.
    utc : bool, default False
        Give the times the zone UTC, which they are told by.

    Returns
    -------
    Datetime, Series for a Series, or pandas.Timestamp for a scalar

    Raises
    ------
    ArgumentError
        If `errors` is something else; when it is computed, if text is no time.

    Examples
    --------
    >>> to_datetime(ak.array(["03/02/2026", "?"]), "coerce", "%d/%m/%Y").to_ndarray().astype(str).tolist()
    ['2026-02-03T00:00:00.000000000', 'NaT']
    """
    options = {"format": format, "dayfirst": dayfirst or None, "utc": utc or None}
    given = {name: option for name, option in options.items() if option is not None}
    made = _times("to_datetime", arg, errors, unit, given, Datetime, pd.to_datetime)
    if not utc or not isinstance(made, Datetime | Series):
        return made
    times: Any = unlabelled(made)
    zoned = times.tz_localize("UTC") if times.tz is None else times.tz_convert("UTC")
    return made._with(zoned) if isinstance(made, Series) else zoned


@refuses_foreign()
def to_timedelta(arg: Any, unit: str = "ns", errors: str = "raise") -> Any:
    """Return text or numbers as spans of time; lazy where `arg` is.  See `to_datetime`.

    Examples
    --------
    >>> to_timedelta(ak.array([1, 2]), "h")[1]
    Timedelta('0 days 02:00:00')
    """
    return _times("to_timedelta", arg, errors, unit, {}, Timedelta, pd.to_timedelta)


def to_numeric(arg: Any, errors: str = "raise") -> Any:
    """Return text as numbers: int64, uint64 or bigint if all are such integers, else float64.

    The text is read once, to find the type.  Numbers stay as they are.

    Parameters
    ----------
    arg : array or Series
        The text.  Integers beside missing text stay exact.  Conversions give them as floats, and
        ``to_pandas(nullable=True)`` as integers.
    errors : {"raise", "coerce"}
        Whether text that is no number is an error when it is computed, or gives NaN.

    Returns
    -------
    pdarray, or Series for a Series
        On the same rows; lazy.

    Raises
    ------
    ArgumentError
        If `errors` is something else; when it is computed, if text is no number.
    ConversionError
        When it is computed, if text is an integer that no float is equal to and other text makes the numbers floats.
    ArgumentTypeError
        If it is neither text nor numbers.

    Examples
    --------
    >>> to_numeric(ak.array(["1.5", "x"]), errors="coerce").tolist()
    [1.5, nan]
    >>> to_numeric(ak.array(["9007199254740993", "-1"])).tolist()
    [9007199254740993, -1]
    """
    values = unlabelled(arg)
    _check_errors("to_numeric", errors)
    values = values if isinstance(values, Array) else array(values)
    if isinstance(values, Categorical):
        values = values.to_strings()
    if isinstance(values, Strings):
        values = pdarray(values._frame, _numbers_of(values, errors))
    elif not isinstance(values, pdarray) or isinstance(values, TimeArray):
        raise ArgumentTypeError(f"to_numeric takes text or numbers, not {values._type_name()}.")
    return arg._with(values) if isinstance(arg, Series) else values


def _numbers_of(text: Strings, errors: str) -> Value:
    """Return text as numbers of the type that has all of them."""
    digits = missing_text.filled_text(text._value, "0")
    mode = "strict" if errors == "raise" else "ignore"
    floats = missing_text.call("cast", text._value, dtype=FLOAT64.name, errors=mode)
    missing = Call("isnan", floats)
    types = (INT64, UINT64, BIGINT)
    fitting = [Call("logical_or", Call("is_integer", digits, dtype=dtype.name), missing) for dtype in types]
    asked = [AggregateExpr("all", of_type) for of_type in fitting]
    asked += [AggregateExpr("any", missing), AggregateExpr("all", missing)]
    ((*fit, some_lack, all_lack),) = run(Aggregate(text._frame, tuple(asked)))
    dtype = next((dtype for dtype, fits in zip(types, fit, strict=True) if fits), FLOAT64)
    if dtype == FLOAT64 or (some_lack and (all_lack or dtype == BIGINT)):
        # Integers of any size have no missing values.
        return Call("demand_equal", floats, digits)
    integers = Call("cast", digits, dtype=dtype.name, errors="ignore")
    return with_missing(integers, missing) if some_lack else integers


# below each other


def _frames_below(items: list[Any], join: str, keys: Any, ignore_index: bool) -> DataFrame:
    if keys is not None:
        raise UnsupportedError(
            "rows of a DataFrame have labels of one level, so that concat takes no keys for them.",
            hint="put the key into a column: concat([df.assign(part=key) for key, df in …]).",
        )
    frames = [item if isinstance(item, DataFrame) else item.to_frame() for item in items]
    parts: list[ColumnSet] = [frame._columns for frame in frames]
    known: dict[Hashable, Array] = {}
    for part in parts:
        known = {**{name: part.array(name) for name in part.values}, **known}
    names = list(dict.fromkeys(name for part in parts for name in part.values))
    if join == "inner":
        names = [name for name in names if all(name in part.values for part in parts)]
    complete = [_with_columns(part if ignore_index else part.numbered(), names, known) for part in parts]
    found = stacked(complete)
    return DataFrame._of(found.labelled(None) if ignore_index else found)


def _with_columns(part: ColumnSet, names: Sequence[str], known: Mapping[Hashable, Array]) -> ColumnSet:
    """Return some columns of rows, filled with missing values if the rows lack them."""
    lacking = {name: _nothing(known[name], part) for name in names if name not in part.values}
    for name, nothing in lacking.items():
        part = part.having(name, nothing)
    return part.only(names)


def _nothing(like: Array, part: ColumnSet) -> Array:
    """Return a column of a kind that is missing in all rows."""
    dtype = like._value.dtype
    filler = Constant("" if dtype.kind == "str" else dtype.numpy.type(0))
    return missing_rows(like, part.frame, filler, Constant(np.bool_(True)))


def _series_below(items: list[Any], keys: Any, ignore_index: bool) -> Series:
    names = {item.name for item in items}
    name = next(iter(names)) if len(names) == 1 else None
    joined = Series.concat(items)
    if ignore_index:
        return Series(joined.values, name)
    if keys is None:
        joined.name = name
        return joined
    if any(isinstance(item.index, MultiIndex) for item in items):
        raise UnsupportedError("concat takes no keys for Series that have labels of several levels.")
    sizes = [len(item) for item in items]
    outer = array(np.repeat(np.asarray(keys), sizes))
    return Series(joined.values, name, MultiIndex([outer, joined.index.values], names=[None, joined.index.name]))


# side by side


def _side_by_side(items: list[Any], join: str, keys: Any, ignore_index: bool) -> DataFrame:
    frames = [_columns_of(item, number, keys) for number, item in enumerate(items)]
    names = [name for frame in frames for name in frame.columns]
    if ignore_index:
        frames = _numbered_columns(frames)
    elif len({*names}) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise SchemaError(
            "columns side by side need different names.", details=twice, hint="pass keys= for Series, or rename them."
        )
    first, *others = frames
    found = first._columns
    for other in others:
        found = _beside(found, other._columns, join)
    return DataFrame._of(found)


def _beside(first: ColumnSet, other: ColumnSet, join: str) -> ColumnSet:
    """Return columns beside others by the labels of the rows, which each side has once unless they are the same."""
    own, its = RowLabels.of(first), RowLabels.of(other)
    arrays = {name: other.array(name) for name in other.values}
    if own.are_those_of(its):
        for name, array in arrays.items():
            first = first.having(name, array)
        return first
    there, back = Matched.of(own, its, list(arrays.values())), Matched.of(its, own, [])
    found = first
    for number, name in enumerate(arrays):
        found = found.having(name, there.array(number) if join == "inner" else there.with_missing(number))
    if join == "inner":
        return found.on(lambda frame, values: filter_columns(frame, values, there.frame, there.has_label))
    if back.lacks is None:
        return _in_order_of_times(found, own, its)
    lacks = back.lacks
    rest = other.on(lambda frame, values: filter_columns(frame, values, back.frame, lacks))
    nothing = {name: missing_like(rest.frame, first.array(name)) for name in first.values}
    named = {name: rest.array(name) for name in rest.values}
    below = ColumnSet.of({**nothing, **named}, rest.index_array(), first.index_name)
    return _in_order_of_times(stacked([found.numbered(), below]), own, its)


def _in_order_of_times(columns: ColumnSet, own: RowLabels, its: RowLabels) -> ColumnSet:
    """Return rows labelled by times in their order, unless both sides have the same labels, as pandas does."""
    labels = columns.index
    pair = comparable(own, its)
    if labels is None or pair is None or not isinstance(columns.index_array(), Datetime):
        return columns
    frame, number = row_numbers(columns.frame)
    stays = pdarray(frame, Call("where", same_labels(*pair), number, Constant(np.int64(0))))
    return DataFrame._of(columns)._rows(coargsort([stays, columns.index_array()]))._columns


def _columns_of(item: Any, number: int, keys: Any) -> Any:
    if isinstance(item, DataFrame):
        if keys is not None:
            raise UnsupportedError("columns of a DataFrame have names of one level, so that concat takes no keys.")
        return item
    name = keys[number] if keys is not None else number if item.name is None else item.name
    if isinstance(item.index, MultiIndex):
        raise UnsupportedError("Series that have labels of several levels do not stand side by side.")
    return item.to_frame(str(name))


def _numbered_columns(frames: list[Any]) -> list[Any]:
    found, count = [], 0
    for frame in frames:
        new = {name: str(count + place) for place, name in enumerate(frame.columns)}
        found.append(frame.rename(columns=new))
        count += len(new)
    return found


# times


def _times(
    operation: str,
    arg: Any,
    errors: str,
    unit: str,
    given: dict[str, Any],
    kind: type[TimeArray],
    of_scalar: Callable[..., Any],
) -> Any:
    _check_errors(operation, errors)
    values = unlabelled(arg)
    if (not isinstance(values, Array) and not hasattr(values, "__len__")) or isinstance(values, str):
        more = {} if isinstance(values, str) else {"unit": unit}
        return of_scalar(values, errors=errors, **({} if "format" in given else more), **given)
    values = values if isinstance(values, Array) else _at_hand(values)
    if isinstance(values, Categorical):
        values = values.to_strings()
    are_numbers = isinstance(values, pdarray) and values._value.dtype.kind in ("int", "uint", "float")
    is_read = isinstance(values, Strings) and (given or errors == "coerce" or kind is Timedelta)
    if is_read or (are_numbers and "format" in given):
        # Missing text is read as NaT.
        values = values.fillna("NaT") if isinstance(values, Strings) else values
        values = apply(values, _Parser(of_scalar, given, errors), np.int64)
        made = kind(values, "ns")._lacking()
    elif isinstance(values, kind):
        made = values
    elif are_numbers:
        made = kind.counted(values, unit, coerce=errors == "coerce")
    else:
        made = kind(values, unit)
    return arg._with(made) if isinstance(arg, Series) else made


def _at_hand(values: Any) -> Any:
    given = np.asarray(values)
    if given.dtype.kind in "Mm":
        return given
    return array(values if given.dtype.kind != "O" else list(values))


class _Parser:
    """Makes nanoseconds of text, as a function that goes to workers.

    Parameters
    ----------
    parse : callable
        pandas' function for one value.
    given : dict
        How text is written.
    errors : str
        Treatment of text that is no time.
    """

    def __init__(self, parse: Callable[..., Any], given: dict[str, Any], errors: str) -> None:
        self._parse = parse
        self._given = given
        self._errors = errors

    def __call__(self, text: Any) -> int:
        if not isinstance(text, str):
            if np.isnan(text):
                return int(NOT_A_TIME)
            text = str(int(text) if text == int(text) else text)
        try:
            found = self._parse(text, errors=self._errors, **self._given)
            return int(NOT_A_TIME if found is pd.NaT else found.as_unit("ns")._value)
        except (pd.errors.OutOfBoundsDatetime, pd.errors.OutOfBoundsTimedelta) as error:
            if self._errors == "coerce":
                return int(NOT_A_TIME)
            raise TimeOverflowError(
                f"{text!r:.100} is beyond what 64 bits of nanoseconds hold.", details=[str(error)]
            ) from None
        except ValueError as error:
            raise UnfitArgumentError(
                f"{text!r:.100} is no time.", details=[str(error)], hint="errors='coerce' makes NaT of it."
            ) from None


def _check_errors(operation: str, errors: str) -> None:
    if errors not in ERRORS:
        raise ArgumentError(f"{operation}: errors={errors!r} is neither 'raise' nor 'coerce'.")


def _frame_of(operation: str, frame: Any) -> Any:
    if not isinstance(frame, DataFrame):
        raise ArgumentTypeError(f"{operation} takes a DataFrame, not {type(frame).__name__}.")
    return frame


def is_numeric(arry: Any) -> bool:
    """Return whether the elements of an array, or the labels of an index, are numbers; bools are none.

    Examples
    --------
    >>> is_numeric(ak.arange(3)), is_numeric(ak.array(["a"]))
    (True, False)
    """
    return _kind(arry) in {"int", "uint", "float", "bigint"}


def is_float(arry: Any) -> bool:
    """Return whether the elements of an array, or the labels of an index, are floats.

    Examples
    --------
    >>> is_float(ak.array([0.5])), is_float(ak.arange(3))
    (True, False)
    """
    return _kind(arry) == "float"


def is_int(arry: Any) -> bool:
    """Return whether the elements of an array, or the labels of an index, are integers, signed or not.

    Examples
    --------
    >>> is_int(ak.arange(3)), is_int(ak.array([True]))
    (True, False)
    """
    return _kind(arry) in {"int", "uint", "bigint"}


def _kind(arry: Any) -> str:
    """Return the kind of type of the elements; empty for Categoricals, times, and objects that are no single array."""
    values = unlabelled(arry)
    is_plain = isinstance(values, Array) and not isinstance(values, Categorical | Datetime | Timedelta)
    return values._value.dtype.kind if is_plain else ""


def convert_if_categorical(values: Any) -> Any:
    """Return a Categorical as Strings, and anything else as it is; lazy.

    Examples
    --------
    >>> convert_if_categorical(ak.Categorical(ak.array(["a", "b"]))).tolist()
    ['a', 'b']
    """
    return values.to_strings() if isinstance(values, Categorical) else values


def identity(x: Any) -> Any:
    """Return the same object."""
    return x


def get_callback(x: Any) -> Callable[[Any], Any]:
    """Return a function from plain numbers to an array of the kind of another: times, addresses or bits.

    Examples
    --------
    >>> get_callback(ak.IPv4(["10.0.0.1"]))(ak.array([7])).tolist()
    ['0.0.0.7']
    """
    if isinstance(x, BitVector):
        return x._of_numbers
    return type(x) if type(x) in {Datetime, Timedelta, IPv4} else identity


def generic_concat(items: Sequence[Any], ordered: bool = True) -> Any:
    """Return arrays, indices, DataFrames or lists, all of one kind, end to end; lazy.

    Parameters
    ----------
    items : sequence
        At least one.
    ordered : bool, default True
        Accepted for compatibility with Arkouda; the order is always kept.

    Raises
    ------
    ArgumentTypeError
        If they are not of one kind.

    Examples
    --------
    >>> generic_concat([ak.arange(2), ak.arange(2)]).tolist(), generic_concat([[1], [2, 3]])
    ([0, 1, 0, 1], [1, 2, 3])
    """
    kinds = {type(item) for item in items}
    if len(kinds) != 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds)) or "none"
        raise ArgumentTypeError(f"objects of one kind are joined, not {names}.")
    (kind,) = kinds
    if kind is list:
        return list(chain.from_iterable(items))
    if issubclass(kind, Index):
        joined = items[0]
        for item in items[1:]:
            joined = joined.concat(item)
        return joined
    return kind.concat(items) if hasattr(kind, "concat") else chained(items)
