"""Display of a DataFrame: some rows if only the edge partitions are needed, otherwise its columns and types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from akdask.arrays.array import GAP
from akdask.arrays.categorical import Categorical
from akdask.arrays.display import framed, lazy_text, rows_in_memory, types_table
from akdask.columns.dtypes import INT64
from akdask.deferred import pd
from akdask.engine.alignment import Limit
from akdask.engine.explain import edge_of_limit, is_cheap, is_small
from akdask.engine.rowwise import Partitions
from akdask.frames.columnset import VALUES, ColumnSet, level_column
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import convert_bytes

if TYPE_CHECKING:
    from akdask.frames.series import Series


UNITS = ("B", "KB", "MB", "GB")
SHOWN_COLUMNS = 20
SHOWN_ROWS = 60
"""Where pandas is told to show all of them."""


class Info(str):
    """Text that prints more when it is called: a property in Arkouda, ``info`` is a method in pandas.

    Examples
    --------
    >>> info = Info("2 rows", ["  x: int64"])
    >>> info
    '2 rows'
    >>> info()
    2 rows
      x: int64
    """

    _details: list[str]

    def __new__(cls, text: str, details: list[str]) -> Info:
        """Return a text with lines that are printed below it when it is called."""
        self = super().__new__(cls, text)
        self._details = details
        return self

    def __call__(self, verbose: bool | None = None, buf: TextIO | None = None, **_: Any) -> None:
        """Print the outline and the types, to `buf` if given; other arguments of pandas are ignored."""
        print(self, *self._details, sep="\n", file=buf)


def text_of(frame: DataFrame) -> str:
    shown = edge_rows(frame)
    if shown is None:
        return "\n".join([f"<{_summary(frame)}: {lazy_text(frame)}>", *types_of_columns(frame)])
    with pd.option_context("display.show_dimensions", False):
        return f"{shown!r} ({_shape_text(frame, shown)})"


def outline(frame: DataFrame, size: int | None) -> str:
    names = list(frame.columns)
    if not names:
        return "DataFrame([ -- ][ 0 rows : 0 B])"
    rows = "unknown number of rows" if size is None else f"{size:,} row{'' if size == 1 else 's'}"
    memory = "" if size is None else f", {_memory_text(size * sum(_widths(frame).values()))}"
    return f"DataFrame([{', '.join(map(repr, names))}], {rows}{memory})"


def html_of(frame: DataFrame) -> str:
    shown = edge_rows(frame)
    types = frame.dtypes
    if shown is None:
        named = [(name, str(kind)) for name, kind in list(types.items())[:SHOWN_COLUMNS]]
        more = len(types) - len(named)
        return framed(
            f"{_summary(frame)}: {lazy_text(frame)}",
            types_table([*named, *([("…", f"{more} more")] if more else [])]),
        )
    return framed(_summary(frame, shown), _rows_table(shown, types))


def info(frame: DataFrame) -> Info:
    return Info(outline(frame, frame._columns.frame.rows.size), types_of_columns(frame, limit=None))


def _shape_text(frame: DataFrame, shown: pd.DataFrame | None = None) -> str:
    size: Any = size_at_hand(frame)
    plan = frame._columns.frame
    if shown is not None and isinstance(plan, Limit) and len(shown) == abs(plan.count) and GAP not in shown.index:
        size = len(shown)
    if size is None:
        size = "unknown number of" if frame.columns else None
    return f"{size} rows x {len(frame.columns)} columns"


def size_at_hand(frame: DataFrame) -> int | None:
    """Return the number of rows where it is known or cheap to count, and None without columns that have any."""
    columns = frame._columns
    if not columns.values:
        return None
    size = columns.frame.rows.size
    return sum(columns.counted()) if size is None and is_small(columns.frame, ()) else size


def _summary(frame: DataFrame, shown: pd.DataFrame | None = None) -> str:
    rows = frame._columns.frame.rows
    parts = f"{rows.npartitions} partition{'' if rows.npartitions == 1 else 's'}"
    return f"{type(frame).__name__}: {_shape_text(frame, shown)}, {parts}"


def types_of_columns(frame: DataFrame, limit: int | None = SHOWN_COLUMNS) -> list[str]:
    types = frame.dtypes
    lines = [f"  {name}: {dtype}" for name, dtype in list(types.items())[:limit]]
    return lines if limit is None or len(types) <= limit else [*lines, f"  … {len(types) - limit} more"]


def memory_usage(frame: DataFrame, index: bool, unit: str) -> Any:
    size, widths = sum(frame._columns.counted()), _widths(frame, index)
    from akdask.frames.series import by_column

    return by_column([convert_bytes(size * width, unit) for width in widths.values()], list(widths))


def _widths(frame: DataFrame, index: bool = True) -> dict[str, int]:
    """Return how many bytes a row takes in each column, and in the labels."""
    columns = frame._columns
    labels = {"Index": INT64.itemsize if columns.index is None else columns.index.dtype.itemsize} if index else {}
    return {**labels, **{name: value.dtype.itemsize for name, value in columns.values.items()}}


def to_markdown(owner: Any, mode: str, index: bool, tablefmt: str, storage_options: Any, **kwargs: Any) -> str | None:
    # Further arguments decide whether pandas returns text.
    given = owner._of(owner._columns.labelled(None)) if isinstance(owner, DataFrame) else owner
    rows: Any = given.to_pandas()
    text: str | None = rows.to_markdown(
        mode=mode, index=index, tablefmt=tablefmt, storage_options=storage_options, **kwargs
    )
    return text


def _memory_text(size: int) -> str:
    power = min(len(UNITS) - 1, max(0, size.bit_length() - 1) // 10)
    return f"{convert_bytes(size, UNITS[power]):.2f} {UNITS[power]}"


def edge_rows(frame: DataFrame) -> pd.DataFrame | None:
    """Return all rows or the first and last ones, where at most the edge partitions are needed, else None.

    There are more than pandas shows where there are more rows than these.
    """
    names = frame.columns
    half = SHOWN_COLUMNS // 2
    shown = names if len(names) <= SHOWN_COLUMNS else [*names[:half], *names[-half:]]
    columns = frame._columns.only(shown)
    values = [array._as_operand()[1] for array in columns.arrays()]
    small = is_small(columns.frame, values)
    rows: pd.DataFrame | None
    if small or is_cheap(columns.frame, values):
        rows = _edge_rows(frame, columns, small)
    else:
        rows = _edge_of_limit(frame, columns)
    if rows is None:
        in_memory: DataFrame | None = rows_in_memory(frame, columns.frame, values)
        if in_memory is None:
            return None
        in_memory._columns.counted()
        rows = _edge_rows(in_memory, in_memory._columns.only(shown), False)
    if len(shown) < len(names):
        rows.insert(half, GAP, GAP)
    return rows


def head_and_tail(frame: DataFrame) -> pd.DataFrame:
    """Return all rows, or as many first and last ones as pandas shows and one more; labels of Categoricals are text."""
    most = pd.get_option("display.max_rows") or SHOWN_ROWS
    shown = frame.copy()
    for name in frame.columns:
        if isinstance(frame[name], Categorical):
            shown[name] = frame[name].to_strings()
    if sum(frame._columns.counted()) <= most:
        return shown.compute()
    return pd.concat([shown.head(most // 2 + 1).compute(), shown.tail(most // 2).compute()])


def _edge_of_limit(frame: DataFrame, columns: ColumnSet) -> pd.DataFrame | None:
    """Return the first or last rows as far as one partition has them, if this partition can be shown."""
    edge = edge_of_limit(columns.frame, columns.all_values())
    if edge is None:
        return None
    part, values, count = edge
    found = columns.placed(part, values)
    rows: pd.DataFrame = frame._of(found.head(count) if count >= 0 else found.tail(-count)).compute()
    if len(rows) == abs(count):
        return rows
    return pd.concat([rows.astype(object), _dots(rows)] if count >= 0 else [_dots(rows), rows.astype(object)])


def _edge_rows(frame: DataFrame, columns: ColumnSet, small: bool) -> pd.DataFrame:
    # One more row than pandas shows makes it leave some out.
    most: int = pd.get_option("display.max_rows") or SHOWN_ROWS
    half = most // 2 + 1
    first, last = (columns, columns) if small else _edge_partitions(columns)
    size = columns.frame.rows.size
    if first is last and (size is None or size <= most):
        head: pd.DataFrame = frame._of(first.head(most + 1)).compute()
        if len(head) <= most:
            return head
        head = head.head(half)
    else:
        head = frame._of(first.head(half)).compute()
    if first is not last and columns.index is None:
        # Numbering the last rows would count all others.
        return pd.concat([head.head(most // 2).astype(object), _dots(head)])
    return pd.concat([head, frame._of(last.tail(half)).compute()])


def _dots(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(GAP, index=pd.Index([GAP], name=rows.index.name), columns=rows.columns)


def _edge_partitions(columns: ColumnSet) -> tuple[ColumnSet, ColumnSet]:
    """Return plans with the first and the last rows, or one plan of all rows if that is as cheap."""
    count = columns.frame.npartitions
    if columns.frame.rows.lengths is not None or count == 1:
        return columns, columns
    first, last = (replace(columns, frame=Partitions(columns.frame, (number,))) for number in (0, count - 1))
    return first, last


def _rows_table(shown: pd.DataFrame, types: Mapping[str, Any]) -> str:
    """Return rows as a table, shortened as pandas shortens longer ones.

    Parameters
    ----------
    shown : pandas.DataFrame
        The rows, at least the rows at both ends.
    types : mapping of str to object
        The types of columns; the ellipsis for omitted columns has none.
    """
    most: int | None = pd.get_option("display.max_rows")
    cut = most is not None and len(shown) > most
    labelled = shown.copy(deep=False)
    labelled.columns = pd.MultiIndex.from_arrays(
        [shown.columns, [str(types.get(name, "")) for name in shown.columns]], names=[None, None]
    )
    return labelled.to_html(
        max_rows=pd.get_option("display.min_rows") if cut else None,
        sparsify=False,
        show_dimensions=False,
        border=0,
        index_names=any(name is not None for name in shown.index.names),
        float_format=None if pd.get_option("display.float_format") or pd.get_option("display.precision") != 6 else str,
    )


def series_text(series: Series) -> str:
    shown = edge_rows(series._labelled)
    if shown is None:
        return f"<Series({series.values._describe()}): {lazy_text(series._labelled)}>"
    return _series_rows(series, shown)


def series_html(series: Series) -> str:
    """Return first and last rows as a table, like that of a DataFrame."""
    shown = edge_rows(series._labelled)
    if shown is None:
        return framed(f"{series._title()}: {lazy_text(series._labelled)}")
    name = "" if series.name is None else series.name
    return framed(
        series._title(), _rows_table(_labelled_values(series, shown).to_frame(name), {name: series.values._type_name()})
    )


def _labelled_values(series: Series, shown: pd.DataFrame) -> pd.Series[Any]:
    if series._level_names:
        levels = [shown[level_column(number)] for number in range(len(series._level_names))]
        shown.index = pd.MultiIndex.from_arrays(levels, names=list(series._level_names))
    return shown[VALUES].rename(series.name)


def _series_rows(series: Series, shown: pd.DataFrame) -> str:
    """Return first and last rows as pandas writes a Series."""
    values: Any = _labelled_values(series, shown)
    if not len(values):
        return "Series([ -- ][ 0 values : 0 B])"
    size = series.rows.size
    length = "" if size is None or size == len(values) else f"\nLength {size}"
    most = pd.get_option("display.max_rows")
    text = values.to_string(dtype=values.dtype, min_rows=pd.get_option("display.min_rows"), max_rows=most, length=False)
    return f"{text}{length}"
