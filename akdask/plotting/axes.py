"""Axes of plots, with their labels and extents of numbers or times; lines and boxes, which are reduced for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from importlib import import_module
from typing import Any

import dask
import numpy as np

from akdask.arrays.array import Array, Labelled, unlabelled
from akdask.arrays.creation import arange, array
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.elementwise import cast, elementwise, where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import known_lengths
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import FLOAT64, INT64, NOT_A_TIME
from akdask.deferred import is_pandas, pd
from akdask.engine.alignment import align
from akdask.engine.node import Frame
from akdask.engine.run import run
from akdask.engine.values import Call, Constant, Value
from akdask.engine.values import cast as cast_value
from akdask.engine.values import cast as to_type
from akdask.errors import ArgumentError, ArgumentTypeError, PositionError
from akdask.frames.columnset import VALUES, ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import numbers_among
from akdask.frames.series import Series
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.records import record

OPTIONS = ("figsize", "title", "xlabel", "ylabel", "grid", "rot", "logx", "logy", "xlim", "ylim")
"""pandas' plot options of the axes, rather than of the drawing."""


def optional_package(name: str, extra: str = "") -> Any:
    """Return an optional module that only plots need.

    Raises
    ------
    ArgumentError
        If it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ArgumentError(
            f"this picture needs the package {package}, which is not installed.",
            hint=f"pip install {extra or package}",
        ) from error


def pyplot() -> Any:
    """Return Matplotlib's state: figures and axes that are current."""
    return optional_package("matplotlib.pyplot", "'akdask[plot]'")


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of axes, and the others."""
    axes = {name: value for name, value in options.items() if name in OPTIONS}
    return axes, {name: value for name, value in options.items() if name not in OPTIONS}


def drawing_axes(ax: Any = None, figsize: tuple[float, float] | None = None) -> Any:
    """Return axes to draw into: the given ones, or the axes of a new figure."""
    plt = pyplot()
    return plt.subplots(figsize=figsize, layout="constrained")[1] if ax is None else ax


def label_axes(ax: Any, options: Mapping[str, Any], *, xlabel: str | None = None, ylabel: str | None = None) -> None:
    """Label the axes by the options, or else by default labels."""
    ax.set_xlabel(options.get("xlabel", xlabel) or "")
    ax.set_ylabel(options.get("ylabel", ylabel) or "")
    if options.get("title") is not None:
        ax.set_title(options["title"])
    for axis, name in (("x", "logx"), ("y", "logy")):
        if options.get(name):
            getattr(ax, f"set_{axis}scale")("symlog" if options[name] == "sym" else "log")
    for name in ("xlim", "ylim"):
        if options.get(name) is not None:
            getattr(ax, f"set_{name}")(options[name])
    if options.get("grid") is not None:
        ax.grid(options["grid"])
    if options.get("rot") is not None:
        ax.tick_params(axis="x", labelrotation=options["rot"])


def by_pandas(drawn: Any, kind: str, **options: Any) -> Any:
    """Let pandas draw a DataFrame or Series of few rows, and widen new axes for the text beside them.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        If pandas refuses an option or a column.
    """
    settings = pyplot().rcParams
    before = settings["figure.autolayout"]
    # Its context manager would undo that the first figure of a notebook switches to Jupyter's backend.
    settings["figure.autolayout"] = True
    try:
        return drawn.plot(kind=kind, **options)
    except TypeError as error:
        raise ArgumentTypeError(f"{kind}: {error}.") from error
    except (ValueError, KeyError, AttributeError) as error:
        raise ArgumentError(f"{kind}: {error}.") from error
    finally:
        settings["figure.autolayout"] = before


Extent = tuple[Any, Any]
"""Smallest and largest place on an axis: floats, or integers of nanoseconds."""

NOTHING: Extent = (0, 1)
"""Extent of an empty axis."""


@record
class AxisValues:
    """A column on an axis.

    Parameters
    ----------
    label : str
        Label of the axis.
    frame : Frame
        The rows.
    value : Value
        Numbers, or nanoseconds of times.
    time : {"", "time", "span"}
        Whether nanoseconds are since 1970, or a span.
    """

    label: str
    frame: Frame
    value: Value
    time: str = ""

    @classmethod
    def of(cls, operation: str, values: Any, label: str | None = None) -> AxisValues:
        """Return the axis values of an array, a Series or data in memory; bool as 0 and 1.

        Raises
        ------
        ArgumentTypeError
            If it has no place on an axis, as text has none.
        """
        is_labelled = isinstance(values, Labelled) or is_pandas(values, "Series", "Index")
        name = getattr(values, "name", None) if label is None and is_labelled else label
        given = unlabelled(values)
        given = given if isinstance(given, Array) else array(given)
        label = "" if name is None else str(name)
        if isinstance(given, TimeArray):
            # Times with a zone are drawn as its clocks show them.
            shown = given.tz_localize(None) if isinstance(given, Datetime) else given
            numbers = shown.as_unit("ns")
            return cls(label, numbers._frame, numbers._value, "time" if isinstance(given, Datetime) else "span")
        kind = given._value.dtype.kind
        if isinstance(given, pdarray) and given._pandas_converter() is None:
            if kind in ("int", "uint", "float"):
                return cls(label, given._frame, given._value)
            if kind in ("bool", "bigint"):
                return cls(label, given._frame, cast_value(given._value, INT64 if kind == "bool" else FLOAT64))
        raise ArgumentTypeError(
            f"{operation} draws numbers and times, and {label or 'this'} is {given._describe()}.",
            hint="count what there is of each, as in df.groupby('x').size().plot.bar(), or choose other columns.",
        )

    @property
    def present(self) -> Value | None:
        """Whether each row has a place on the axis; None if all have."""
        if self.time:
            return Call("not_equal", self.value, Constant(NOT_A_TIME))
        return Call("isfinite", self.value) if self.value.dtype == FLOAT64 else None

    @property
    def array(self) -> pdarray:
        """The numbers or nanoseconds as a lazy array."""
        return pdarray(self.frame, self.value)

    @property
    def finite(self) -> pdarray:
        """The numbers or times as a lazy array of their type, NaN in place of infinities."""
        if self.time:
            return {"time": Datetime, "span": Timedelta}[self.time].of(self.frame, self.value)
        if self.present is None:
            return self.array
        return pdarray(self.frame, Call("where", self.present, self.value, Constant(np.nan)))

    def on(self, frame: Frame, value: Value) -> AxisValues:
        """Return the column on other rows."""
        return AxisValues(self.label, frame, value, self.time)

    def counted_from(self, extent: Extent) -> tuple[pdarray, Extent]:
        """Return the column for bins of an extent, and the extent for it: of times from 0, to lose no digits."""
        low, high = extent
        if not self.time:
            return self.array, extent
        there = Call("greater_equal", self.value, Constant(np.int64(low)))
        since = Call("subtract", self.value, Constant(np.int64(low)))
        # Earlier times and NaT wrap around.
        return pdarray(self.frame, Call("where", there, since, Constant(np.int64(-1)))), (0, int(high) - int(low))

    def shown(self, positions: Any, extent: Extent) -> Any:
        """Return numbers or NumPy's times for places that `counted_from` counts."""
        if not self.time:
            return np.asarray(positions, np.float64)
        numbers = np.int64(extent[0]) + np.round(positions).astype(np.int64)
        return numbers.view("datetime64[ns]" if self.time == "time" else "timedelta64[ns]")

    def limits(self, bounds: Any) -> Extent:
        """Return the extent that a user gives.

        Raises
        ------
        ArgumentError
            If it is no pair that ascends.
        """
        try:
            low, high = bounds
            if self.time:
                of_pandas = pd.Timestamp if self.time == "time" else pd.Timedelta
                low, high = (of_pandas(bound).as_unit("ns").value for bound in (low, high))
            else:
                low, high = float(low), float(high)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"range={bounds!r} is no pair of {self.time or 'number'}s: {error}.") from error
        if not low <= high:
            raise ArgumentError(f"the range {bounds!r} does not ascend.", hint="pass range=(low, high).")
        return low, high


def on_common_rows(operation: str, columns: Sequence[AxisValues]) -> list[AxisValues]:
    """Return columns on the rows of one frame.

    Raises
    ------
    AlignmentError
        If they do not share rows.
    """
    frame, values = align(operation, [(column.frame, column.value) for column in columns])
    return [column.on(frame, value) for column, value in zip(columns, values, strict=True)]


def extents(columns: Sequence[AxisValues], *, in_pairs: bool = False) -> list[Extent | None]:
    """Return the extents of columns of one frame, None without valid values; computes, in one pass.

    Missing values and infinities are left out; for columns drawn together, whole rows with one of them are.
    """
    masks = [column.present for column in columns]
    if in_pairs:
        there = [mask for mask in masks if mask is not None]
        masks = [reduce(lambda one, other: Call("logical_and", one, other), there) if there else None] * len(columns)
    wanted = [expr for column, mask in zip(columns, masks, strict=True) for expr in _extremes(column.value, mask)]
    try:
        (found,) = run(Aggregate(columns[0].frame, tuple(wanted)))
    except ArgumentError:
        if sum(known_lengths(columns[0].frame)):
            raise
        return [None] * len(columns)
    pairs = zip(found[::2], found[1::2], strict=True)
    return [None if low > high else (low.item(), high.item()) for low, high in pairs]


def _extremes(value: Value, mask: Value | None) -> tuple[AggregateExpr, AggregateExpr]:
    if mask is None:
        return AggregateExpr("min", value), AggregateExpr("max", value)
    limits: Any = np.iinfo(value.dtype.numpy) if value.dtype.numpy.kind in "iu" else None
    most, least = (limits.max, limits.min) if limits else (np.inf, -np.inf)
    low, high = (Constant(value.dtype.numpy.type(limit)) for limit in (most, least))
    return (
        AggregateExpr("min", Call("where", mask, value, low)),
        AggregateExpr("max", Call("where", mask, value, high)),
    )


MOST_POINTS = 10_000
"""Rows up to which each is drawn: more than a screen has pixels across."""

MOST_BARS = 1000
"""Rows up to which each has a bar or a slice, with its label."""


@record
class DrawnRows:
    """Columns that are drawn, and the labels of their rows.

    Parameters
    ----------
    columns : ColumnSet
        The columns.
    is_series : bool
        Whether pandas draws them as a Series, without a legend.
    name : hashable
        Name of a Series.
    bring : callable
        Returns all rows as a pandas object; computes.
    """

    columns: ColumnSet
    is_series: bool
    name: Any
    bring: Callable[[], Any]

    @classmethod
    def of(cls, data: DataFrame | Series) -> DrawnRows:
        """Return the rows of a DataFrame or Series."""
        if isinstance(data, Series):
            name = VALUES if data.name is None else str(data.name)
            columns = data._labelled._columns.only([VALUES]).renamed({VALUES: name})
            return cls(columns, True, data.name, data.to_pandas)
        return cls.of_columns(data._columns)

    @classmethod
    def of_columns(cls, columns: ColumnSet) -> DrawnRows:
        """Return all columns of a DataFrame."""
        return cls(columns, False, None, lambda: DataFrame._of(columns).to_pandas())

    def __len__(self) -> int:
        """Return the number of rows; counts them once if it is unknown."""
        return sum(self.columns.counted()) if self.columns.values else 0

    def chosen(self, x: Any = None, y: Any = None) -> DrawnRows:
        """Return the columns `y`, by name or position, labelled by the column `x`.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        """
        if self.is_series:
            if x is not None or y is not None:
                raise ArgumentError("a Series has no columns x and y.", hint="its labels are drawn along the axis.")
            return self
        columns = self.columns
        if x is not None:
            label = self.named(x)
            columns = columns.labelled(columns.array(label), label)
            columns = columns.only(name for name in columns.values if name != label or _names(self, y, label))
        if y is None:
            return self.of_columns(columns)
        is_one = isinstance(y, str | int)
        names = [self.named(item) for item in ([y] if is_one else y)]
        chosen = columns.only(names)
        if not is_one:
            return self.of_columns(chosen)
        return DrawnRows(chosen, True, names[0], lambda: DataFrame._of(chosen).to_pandas()[names[0]])

    def named(self, column: Any) -> str:
        """Return the name of a column that is given by name or position."""
        if not isinstance(column, int):
            self.columns.array(column)
            return str(column)
        names = list(self.columns.values)
        try:
            return names[column]
        except IndexError:
            raise PositionError(f"there is no column {column} of {len(names)}.") from None

    def numbers(self, kind: str) -> list[str]:
        """Return the numeric columns; bool columns are not, as in pandas.

        Raises
        ------
        ArgumentTypeError
            If there are none.
        """
        names = [name for name in numbers_among(self.columns) if self.columns.values[name].dtype.kind != "bool"]
        return self._some(kind, names)

    def plottable(self, kind: str) -> list[str]:
        """Return the columns of numbers, or the columns of times if there are none."""
        numbers = [name for name in numbers_among(self.columns) if self.columns.values[name].dtype.kind != "bool"]
        return self._some(kind, numbers or self._times())

    def keys(self, by: Any) -> list[str]:
        """Return the columns that rows are grouped by, none of None."""
        return [] if by is None else [self.named(name) for name in ([by] if isinstance(by, str) else by)]

    def beside(self, kind: str, keys: Iterable[str], names: Iterable[str]) -> list[str]:
        """Return the columns that are not keys.

        Raises
        ------
        ArgumentTypeError
            If there are none.
        """
        keys = set(keys)
        found = [name for name in names if name not in keys]
        if not found:
            raise ArgumentTypeError(
                f"{kind} draws numbers, and there are none beside the keys.", hint="pass column='x'."
            )
        return found

    def axis_values(self, kind: str, names: Iterable[str]) -> list[AxisValues]:
        """Return columns as axis values."""
        return [AxisValues.of(kind, self.columns.array(name), name) for name in names]

    def labels(self, kind: str) -> AxisValues:
        """Return the labels of the rows as axis values."""
        name = self.columns.index_name
        return AxisValues.of(kind, self.columns.index_array(), "" if name is None else str(name))

    def drawn_by_pandas(self, kind: str, options: dict[str, Any]) -> Any:
        """Bring all rows and let pandas draw them."""
        if not options.get("include_bool"):
            self._some(kind, [*numbers_among(self.columns), *self._times()])
        return by_pandas(self.bring(), kind, **self.labelled(kind, options))

    def labelled(self, kind: str, options: dict[str, Any]) -> dict[str, Any]:
        """Return options, with the name of a Series as the label where pandas would write none."""
        axis = {"hist": "xlabel", "kde": "xlabel", "barh": "xlabel"}.get(kind, "ylabel")
        is_named = self.is_series and self.name is not None and kind != "pie"
        return {axis: str(self.name), **options} if is_named else options

    def demand_few(self, kind: str) -> None:
        """Check that each row can have a mark.

        Raises
        ------
        ArgumentError
            If there are too many, or none.
        """
        if not len(self):
            raise ArgumentError(f"{kind} draws a mark for each row, and there is none.")
        if len(self) > MOST_BARS:
            raise ArgumentError(
                f"{kind} draws a mark for each row, and there are {len(self):,}: up to {MOST_BARS:,} have room.",
                hint="reduce them first: groupby, resample, value_counts, nlargest or head; plot.hist counts in bins.",
            )

    def _times(self) -> list[str]:
        return [name for name, kind in self._kinds() if isinstance(kind, TimeArray)]

    def _kinds(self) -> Iterable[tuple[str, Array]]:
        return [(name, self.columns.kinds[name]) for name in self.columns.values]

    def _some(self, kind: str, names: Sequence[str]) -> list[str]:
        if not names:
            raise ArgumentTypeError(
                f"{kind} draws numbers, and no column has some.",
                details=[f"{name}: {column._type_name()}" for name, column in self._kinds()],
                hint="count what there is of each, as in df.groupby('x').size().plot.bar().",
            )
        return list(names)


def _names(rows: DrawnRows, y: Any, label: str) -> bool:
    """Whether a column is chosen to be drawn."""
    given = [] if y is None else [y] if isinstance(y, str | int) else y
    return label in [rows.named(item) for item in given]


@record
class DrawnGroups:
    """Groups of rows.

    Parameters
    ----------
    by : GroupBy
        The groups, in the order of their keys.
    labels : list of str
        Labels of the groups.
    number : pdarray of float64
        The number of the group of each row, NaN of rows whose key is missing; lazy.
    """

    by: GroupBy
    labels: list[str]
    number: Any

    @classmethod
    def of(cls, keys: Sequence[Any], most: int) -> DrawnGroups:
        """Return the groups of some keys; computes the keys.

        Raises
        ------
        ArgumentError
            If there are more than have room.
        """
        by = GroupBy(keys[0] if len(keys) == 1 else list(keys))
        if by.ngroups > most:
            raise ArgumentError(
                f"there are {by.ngroups:,} groups, and up to {most} have room.",
                hint="choose some: df[df['k'].isin(…)], or cut the keys into intervals.",
            )
        (found,) = dask.compute(by.unique_keys)
        names = found if len(keys) == 1 else [f"({', '.join(map(str, key))})" for key in zip(*found, strict=True)]
        return cls(by, [str(name) for name in names], cast(by.broadcast(arange(by.ngroups)), np.float64))


def step_numbers(column: AxisValues, extent: Extent, number: int) -> tuple[Any, Any]:
    """Return the number of each row's step among equal ones, and whether it is inside the extent; lazy."""
    values, (low, high) = column.counted_from(extent)
    inside = (values >= low) & (values <= high)
    steps = number / (high - low) if high > low else 0.0
    position = elementwise("floor", (cast(where(inside, values, low), np.float64) - float(low)) * steps)
    return where(position > number - 1, number - 1, cast(position, np.int64)), inside


# ---------------------------------------------------------------------------------------- boxes, and lines of many rows


PIXELS = 500
"""Steps of the axis; in each the smallest and largest value beyond the whiskers are drawn."""

MOST_BOXES = 200

QUARTILES = (0.25, 0.5, 0.75)


@record
class Box:
    """The drawn statistics of some values.

    Parameters
    ----------
    label : str
        Label of the values.
    quartiles : ndarray of float64, shape (3,)
        NaN of no values.
    whiskers : tuple of float
        The least and the most value that is not beyond.
    beyond : ndarray of float64
        Values beyond the whiskers, in order; of many, only distinguishable ones.
    """

    label: str
    quartiles: np.ndarray[Any, Any]
    whiskers: tuple[float, float]
    beyond: np.ndarray[Any, Any]

    def statistics(self) -> dict[str, Any]:
        """Return them by the names that Matplotlib has."""
        low, middle, high = self.quartiles
        ends = {"whislo": self.whiskers[0], "whishi": self.whiskers[1], "fliers": self.beyond}
        return {"label": self.label, "q1": low, "med": middle, "q3": high, **ends}


def draw_boxes(rows: DrawnRows, columns: DrawnRows, by: Any, options: dict[str, Any]) -> Any:
    """Draw a box for each of some columns, or for each group in axes for each column; return the axes."""
    keys = rows.keys(by)
    names = columns.beside("box", keys, columns.numbers("box"))
    whis = options.pop("whis", 1.5)
    of_axes, others = split_options(options)
    ax, color = others.pop("ax", None), others.pop("color", None)
    others.pop("legend", None)
    if color is not None:
        others |= {f"{part}props": {"color": color} for part in ("box", "whisker", "cap", "median")}
    if not keys:
        ax = drawing_axes(ax, of_axes.get("figsize"))
        boxes = boxes_of_columns(rows.axis_values("box", names), whis)
        ax.bxp([box.statistics() for box in boxes], **others)
        label_axes(ax, of_axes)
        return ax
    groups = [rows.columns.array(name) for name in keys]
    if ax is None:
        _, axes = pyplot().subplots(1, len(names), figsize=of_axes.get("figsize"), squeeze=False, layout="constrained")
    else:
        axes = np.array(ax, object).reshape(1, -1)
    for each, name, values in zip(axes.flat, names, rows.axis_values("box", names), strict=True):
        boxes = boxes_of_groups(values, groups, whis)
        if boxes:
            each.bxp([box.statistics() for box in boxes], **others)
        label_axes(each, {"title": name, **of_axes}, xlabel=", ".join(keys))
    return pd.Series(list(axes[0]), index=names)


def boxes_of_columns(columns: Sequence[AxisValues], whis: float = 1.5) -> list[Box]:
    """Return a box of each column; computes, in two passes and further ones for quantiles."""
    columns = on_common_rows("box", columns)
    floats = [to_type(column.value, FLOAT64) for column in columns]
    frame = columns[0].frame
    wanted = [AggregateExpr("quantile", value, q=QUARTILES, method="linear", skipna=True) for value in floats]
    (found,) = run(Aggregate(frame, tuple(wanted)))
    return [
        _boxes([column.label], AxisValues(column.label, frame, value), np.array([quartiles]), None, whis)[0]
        for column, value, quartiles in zip(columns, floats, found, strict=True)
    ]


def boxes_of_groups(values: AxisValues, keys: Sequence[Any], whis: float = 1.5) -> list[Box]:
    """Return a box of the values of each group, in the order of the keys; computes."""
    groups = DrawnGroups.of(keys, MOST_BOXES)
    # Pictures have floats.
    numbers = cast(values.array, np.float64)
    quartiles = dask.compute(*[groups.by.quantile(numbers, q)[1] for q in QUARTILES])
    return _boxes(groups.labels, AxisValues.of("box", numbers), np.column_stack(quartiles), groups.number, whis)


def _boxes(
    labels: Sequence[str], values: AxisValues, quartiles: np.ndarray[Any, Any], number: Any, whis: float
) -> list[Box]:
    """Return the boxes of groups, given each row's group number as float, or of one group if None; in two passes."""
    low, _, high = quartiles.T
    fences = (low - whis * (high - low), high + whis * (high - low))
    floats = values.array
    place, drawn = step_numbers(values, extents([values])[0] or NOTHING, PIXELS)
    if number is None:
        group: Any = 0
        lower, upper = (fence[0] for fence in fences)
    else:
        drawn &= elementwise("isfinite", number)
        group = cast(where(drawn, number, 0.0), np.int64)
        lower, upper = (array(fence)[group] for fence in fences)
    is_near = (floats >= lower) & (floats <= upper)
    cell = where(is_near, PIXELS, place) + group * (PIXELS + 1)
    keys, ends = GroupBy(where(drawn, cell, -1)).reduce_at_once([(floats, "min"), (floats, "max")])
    at, least, most = dask.compute(keys, *ends)
    boxes = []
    for row, label in enumerate(labels):
        first, last = np.searchsorted(at, [row * (PIXELS + 1), (row + 1) * (PIXELS + 1)])
        near = at[first:last] % (PIXELS + 1) == PIXELS
        smallest, largest = least[first:last], most[first:last]
        # As in Matplotlib, whiskers do not end inside the box.
        whiskers = (
            np.fmin.reduce([quartiles[row][0], *smallest[near]]),
            np.fmax.reduce([quartiles[row][2], *largest[near]]),
        )
        beyond = np.unique(np.concatenate([smallest[~near], largest[~near]]))
        boxes.append(Box(label, quartiles[row], whiskers, beyond))
    return boxes


CURVE_PIXELS = 2000
"""Steps along the axis of a line of many rows, as many as a wide plot on a fine screen has pixels."""


def draw_lines(rows: DrawnRows, options: dict[str, Any]) -> Any:
    """Draw a line for each column: through all rows, or through the least and the most of each pixel."""
    return _draw("line", rows, ("min", "max"), options)


def draw_areas(rows: DrawnRows, options: dict[str, Any]) -> Any:
    """Draw the area below each column: of all rows, or of the mean of each pixel, as means add up."""
    return _draw("area", rows, ("mean",), options)


def _draw(kind: str, rows: DrawnRows, reductions: Sequence[str], options: dict[str, Any]) -> Any:
    if len(rows) <= MOST_POINTS:
        return rows.drawn_by_pandas(kind, options)
    drawn: Any = by_pixel(kind, rows, reductions, CURVE_PIXELS)
    if rows.is_series:
        drawn = drawn.iloc[:, 0].rename(rows.name)
    return by_pandas(drawn, kind, **rows.labelled(kind, options))


def by_pixel(kind: str, rows: DrawnRows, reductions: Sequence[str], number: int) -> pd.DataFrame:
    """Return reductions of columns in a number of equal steps along the labels; computes, in two passes.

    Parameters
    ----------
    kind : str
        Kind of plot.
    rows : DrawnRows
        The columns, on labels that are numbers or times.
    reductions : sequence of str
        Names of reductions: each gives a row for each step that has rows.
    number : int
        How many steps.

    Returns
    -------
    pandas.DataFrame
        Labelled by the middles of the steps.  NaN and infinities are left out of a step
        that has others.

    Raises
    ------
    ArgumentTypeError
        If the labels have no place on an axis, or no column has numbers.
    """
    names = rows.numbers(kind) if "mean" in reductions else rows.plottable(kind)
    try:
        labels = rows.labels(kind)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(
            f"{kind} of {len(rows):,} rows needs numbers or times along the axis.",
            details=[error.message],
            hint="pass x=, a column of numbers or times, or reduce rows first: groupby, head.",
        ) from error
    labels, *values = on_common_rows(kind, [labels, *rows.axis_values(kind, names)])
    extent = extents([labels])[0] or NOTHING
    place, inside = step_numbers(labels, extent, number)
    groups = GroupBy(where(inside, place, -1))
    keys, found = groups.reduce_at_once(
        [(column.finite, name) for column in values for name in reductions], skipna=True
    )
    at, *results = dask.compute(keys, *found)
    is_inside = at >= 0
    index = middles(labels, extent, number)[at[is_inside]]
    columns = {
        name: np.column_stack(results[start : start + len(reductions)])[is_inside].ravel()
        for name, start in zip(names, range(0, len(results), len(reductions)), strict=True)
    }
    return pd.DataFrame(columns, index=pd.Index(np.repeat(index, len(reductions)), name=labels.label or None))


def middles(column: AxisValues, extent: Extent, number: int) -> Any:
    """Return the middles of the steps, as numbers or times."""
    _, (low, high) = column.counted_from(extent)
    return column.shown(low + (np.arange(number) + 0.5) * ((high - low) / number), extent)
