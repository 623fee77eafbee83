"""Frames and Series as pandas shows them.

What is small is computed, and kept.  Of more rows the first and last ones are computed, and counted: pandas shows them
as it shows all rows, and its line about the number of rows is corrected.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from akdask.pandas import tuning
from akdask.pandas.refusals import refusal

if TYPE_CHECKING:
    from akdask.frames.columnset import ColumnSet
    from akdask.pandas.frame import DataFrame
    from akdask.pandas.series import Series


def frame_text(frame: DataFrame) -> str:
    text: str = _shown(frame, repr, r"\[(\d+) rows x \d+ columns\]$")
    return text


def frame_html(frame: DataFrame) -> str | None:
    html: str | None = _shown(frame, lambda rows: rows._repr_html_(), r"<p>(\d+) rows × \d+ columns</p>\s*</div>$")
    return html


def frame_latex(frame: DataFrame) -> str | None:
    if pandas.get_option("styler.render.repr") != "latex":
        return None
    text: str | None = frame.to_pandas()._repr_latex_()
    return text


def series_text(series: Series) -> str:
    text: str = _shown(series, repr, r"(?m)^(?:Name: .*, )?Length: (\d+), dtype: .*$")
    return text


def _shown(frame: Any, text: Callable[[Any], Any], counted: str) -> Any:
    """Return the text of an object, with the number of rows where the pattern finds another one."""
    if frame._in_memory is not None:
        return text(frame._in_memory)
    try:
        size = len(frame)
        rows = edges(frame, size)
        shown = text(rows)
    except Exception as error:
        raise refusal(error) from error
    if len(rows) == size or shown is None:
        return shown
    found = list(re.finditer(counted, shown))[-1:]  # Cells may look like it, above.
    return f"{shown[: found[0].start(1)]}{size}{shown[found[0].end(1) :]}" if found else shown


class Outline:
    """What pandas asks a frame for to write its ``info``.

    Parameters
    ----------
    frame : DataFrame
        A frame of many rows, of which none are computed but the labels.
    """

    def __init__(self, frame: DataFrame) -> None:
        self.frame, self.index, self.columns = frame, frame.index, frame.columns
        self.dtypes = frame.dtypes.to_pandas()

    def __len__(self) -> int:
        return len(self.frame)

    def count(self) -> Any:
        """Return the number of values that are not missing, by column."""
        return self.frame.count().to_pandas()

    def memory_usage(self, **_given: bool) -> Any:
        """Return about how many bytes the rows take in memory."""
        return pandas.Series([self.frame._extent()[1], self.index.memory_usage()])


def outline(frame: DataFrame, buf: Any, memory_usage: Any, **options: Any) -> None:
    """Write what ``info`` writes of a frame of many rows."""
    from pandas.io.formats.info import DataFrameInfo  # type: ignore[import-not-found]

    text, given = StringIO(), Outline(frame)
    try:
        DataFrameInfo(given, memory_usage).render(buf=text, **options)
    except Exception as error:
        raise refusal(error) from error
    print(text.getvalue().replace(str(Outline), str(pandas.DataFrame), 1), end="", file=buf)


def edges(frame: Any, size: int) -> Any:
    """Return the rows of an object that pandas shows, as pandas has them; all of them where they are few."""
    most: int | None = pandas.get_option("display.max_rows")
    is_outline = frame.ndim == 2 and pandas.get_option("display.large_repr") == "info"
    half = (most or 0) // 2 + 1
    columns = len(frame.columns) if frame.ndim == 2 else 1
    if size * max(columns, 1) <= tuning.CACHED_VALUES or not most or is_outline or size <= 2 * half:
        return frame.to_pandas()
    head, tail = _head_and_tail(frame, half)
    types = [part.dtypes if frame.ndim == 2 else pandas.Series([part.dtype, part.index.dtype]) for part in (head, tail)]
    if not types[0].equals(types[1]):
        return frame.to_pandas()
    return pandas.concat([head, tail])


def _head_and_tail(frame: Any, count: int) -> tuple[Any, Any]:
    """Return the first and the last rows, from the partitions that have them; kept for the next look."""
    own = frame.lazy()
    looked_at: tuple[Any, int, tuple[Any, Any]] | None = frame.__dict__.get("_edges")
    if looked_at is not None and looked_at[0] is own and looked_at[1] == count:
        return looked_at[2]
    import dask

    from akdask.pandas.labels import by_rows

    is_sorted = _is_sorted(own)
    first, last = (own, own) if is_sorted else _ends(own, count)
    if frame.ndim == 2:
        first, last = by_rows(first, lambda rows: rows.head(count)), by_rows(last, lambda rows: rows.tail(count))
    else:
        first, last = first.head(count), last.tail(count)
    faces = frame._of(first), frame._of(last)
    # The first rows in an order are found without the order of the others.
    found = tuple(face.to_pandas() for face in faces) if is_sorted else dask.compute(*faces)
    object.__setattr__(frame, "_edges", (own, count, found))
    return found


def _columns(own: Any) -> ColumnSet:
    found: ColumnSet = own._columns if hasattr(own, "_columns") else own._labelled._columns
    return found


def _is_sorted(own: Any) -> bool:
    from akdask.engine.rowwise import Project
    from akdask.operators.sort.plan import Sort

    frame = _columns(own).frame
    while isinstance(frame, Project):
        frame = frame.frame
    return isinstance(frame, Sort)


def _ends(own: Any, count: int) -> tuple[Any, Any]:
    """Return an object with the partitions that have the first rows, and one with those of the last ones.

    Rows without labels of their own are numbered from the first partition on.
    """
    from akdask.engine.rowwise import Partitions
    from akdask.frames.dataframe import DataFrame
    from akdask.pandas.labels import relabelled

    columns = _columns(own)
    if columns.index is None:
        return own, own
    lengths = columns.counted()
    ends = []
    for numbers in (range(len(lengths)), range(len(lengths) - 1, -1, -1)):
        chosen, rows = list[int](), 0
        for number in numbers:
            chosen.append(number)
            rows += lengths[number]
            if rows >= count:
                break
        part = replace(columns, frame=Partitions(columns.frame, tuple(sorted(chosen))))
        if hasattr(own, "_columns"):
            ends.append(relabelled(own._of(part), own))
        else:
            ends.append(own._moved(DataFrame._of(part)))
    return ends[0], ends[1]


def sizes_of_columns(frame: DataFrame, index: bool, deep: bool) -> pandas.Series:
    """Return the ``memory_usage`` of a frame of many rows; columns whose types do not tell it are computed."""
    sizes = [
        len(frame) * dtype.itemsize
        if isinstance(dtype, np.dtype) and dtype.kind != "O"
        else frame.iloc[:, position].to_pandas().memory_usage(index=False, deep=deep)
        for position, dtype in enumerate(frame.dtypes.to_pandas())
    ]
    found = pandas.Series(sizes, frame.columns, dtype=np.intp)
    if not index:
        return found
    rows = pandas.Series(frame.index.memory_usage(deep=deep), ["Index"], dtype=np.intp)
    every: pandas.Series = pandas.concat([rows, found])
    return every
