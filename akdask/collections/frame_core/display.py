"""Display of a DataFrame: some rows where only the edge partitions are needed, else its columns and types."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any, TextIO

import pandas as pd

from akdask.collections.core.array import LAZY
from akdask.collections.core.later import later
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.memory_units import convert_bytes
from akdask.plan.expr.rowwise import Partitions
from akdask.plan.run.cost import edge_of_limit, is_cheap
from akdask.schema import INT64

SHOWN_ROWS = 5
SHOWN_COLUMNS = 20


class Row(dict[str, Any]):
    """The values of one row by the names of the columns: a dict that shows as a table.

    Examples
    --------
    >>> import akdask as ak
    >>> row = ak.DataFrame({"x": [1, 2], "name": ["a", "b"]})[1]
    >>> row["name"]
    'b'
    >>> print(row)
    keys    values
    ------  --------
    x       2
    name    b
    """

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


class Info(str):
    """Text that prints itself when it is called: a property in Arkouda, ``info`` is a method in pandas.

    Examples
    --------
    >>> Info("2 rows")()
    2 rows
    """

    __slots__ = ()

    def __call__(self, verbose: bool | None = None, buf: TextIO | None = None, **_: Any) -> None:
        """Print the text, to `buf` if given; what else pandas takes makes no difference."""
        print(self, file=buf)


class DisplayMethods(FrameBase):
    """Text and HTML."""

    def __repr__(self) -> str:
        shown = edge_rows(self)
        if shown is None:
            return "\n".join([f"<{self._summary()}: {LAZY}>", *self._types()])
        return f"{shown.to_string()}\n\n[{self._summary()}]"

    def _repr_html_(self) -> str:
        shown = edge_rows(self)
        if shown is None:
            rows = "".join(f"<tr><td>{escape(line)}</td></tr>" for line in self._types())
            return f"<p>{escape(self._summary())}: {escape(LAZY)}</p><table>{rows}</table>"
        return f"{shown.to_html()}<p>{escape(self._summary())}</p>"

    @property
    def info(self) -> Info:
        """Columns, types and rows in words; nothing is computed.  Called, as in pandas, it prints them."""
        return Info("\n".join([self._summary(), *self._types(limit=None)]))

    def _summary(self) -> str:
        columns = self._columns
        rows = columns.frame.rows
        count = "unknown number of" if rows.size is None else f"{rows.size:,}"
        partitions = f"{rows.npartitions} partition" + ("" if rows.npartitions == 1 else "s")
        return f"DataFrame: {count} rows x {len(columns.values)} columns, {partitions}"

    def _types(self, limit: int | None = SHOWN_COLUMNS) -> list[str]:
        types = self.dtypes
        lines = [f"  {name}: {dtype}" for name, dtype in list(types.items())[:limit]]
        return lines if limit is None or len(types) <= limit else [*lines, f"  … {len(types) - limit} more"]

    def memory_usage(self, index: bool = True, unit: str = "B") -> Any:
        """Return how much memory each column takes when it is in memory; counts rows of unknown number.

        Parameters
        ----------
        index : bool
            Include the labels of the rows.
        unit : {"B", "KB", "MB", "GB"}
            What to count in.  Of Strings only the offsets are counted, of Categoricals the codes.

        Returns
        -------
        Series
            By the names of the columns, after ``Index``; int64 if counted in bytes, else float64.

        Raises
        ------
        ArgumentError
            If there is no such unit.
        """
        columns = self._columns
        size = sum(columns.counted())
        widths = {name: value.dtype.itemsize for name, value in columns.values.items()}
        if index:
            widths = {"Index": INT64.itemsize if columns.index is None else columns.index.dtype.itemsize, **widths}
        return later("by column", [convert_bytes(size * width, unit) for width in widths.values()], list(widths))

    def memory_usage_info(self, unit: str = "GB") -> str:
        """Return in words how much memory all columns and the labels take; see `memory_usage`.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": ak.arange(1000), "y": ak.arange(1000)}).memory_usage_info(unit="KB")
        '23.44 KB'
        """
        return f"{self.memory_usage(unit=unit).sum():.2f} {unit}"

    def to_markdown(
        self, mode: str = "wt", index: bool = True, tablefmt: str = "grid", storage_options: Any = None, **kwargs: Any
    ) -> str | None:
        """Return the rows as a table in text, or write it to a file; computes.  For small frames.

        Parameters
        ----------
        mode : str
            How a file is opened that is named by ``buf=``.
        index : bool
            Number the rows.
        tablefmt : str, default "grid"
            A format of the package tabulate, which must be installed.
        storage_options : dict, optional
            What fsspec needs where the file is named by a URL.
        **kwargs
            What else ``pandas.DataFrame.to_markdown`` takes.
        """
        # What else pandas takes decides whether text comes back.
        rows: Any = self._of(self._columns.labelled(None)).compute()
        text: str | None = rows.to_markdown(
            mode=mode, index=index, tablefmt=tablefmt, storage_options=storage_options, **kwargs
        )
        return text


def edge_rows(frame: FrameBase) -> pd.DataFrame | None:
    """Return some first and last rows where at most the edge partitions are needed, else None."""
    names = frame.columns
    half = SHOWN_COLUMNS // 2
    shown = names if len(names) <= SHOWN_COLUMNS else [*names[:half], *names[-half:]]
    columns = frame._columns.only(shown)
    if not is_cheap(columns.frame, [array._as_operand()[1] for array in columns.arrays()]):
        rows = _edge_of_limit(frame, columns)
    else:
        rows = _edge_rows(frame, columns)
    if rows is None:
        return None
    if len(shown) < len(names):
        rows.insert(half, "...", "...")
    return rows


def _edge_of_limit(frame: FrameBase, columns: ColumnSet) -> pd.DataFrame | None:
    """Return the first or last rows that were asked for, as far as one partition has them, if it can be shown."""
    edge = edge_of_limit(columns.frame, columns._all())
    if edge is None:
        return None
    part, values, count = edge
    found = columns._placed(part, values)
    rows: pd.DataFrame = frame._of(found.head(count) if count >= 0 else found.tail(-count)).compute()
    if len(rows) == abs(count):
        return rows
    dots = pd.DataFrame("...", index=pd.Index(["..."], name=rows.index.name), columns=rows.columns)
    return pd.concat([rows.astype(object), dots] if count >= 0 else [dots, rows.astype(object)])


def _edge_rows(frame: FrameBase, columns: ColumnSet) -> pd.DataFrame:
    first, last = _edge_partitions(columns)
    head: pd.DataFrame = frame._of(first.head(2 * SHOWN_ROWS + 1)).compute()
    if first is last and len(head) <= 2 * SHOWN_ROWS:
        return head
    head = head.head(SHOWN_ROWS).astype(object)
    dots = pd.DataFrame("...", index=pd.Index(["..."], name=head.index.name), columns=head.columns)
    if columns.index is None and columns.frame.rows.lengths is None:
        # Numbering the last rows would count all others.
        return pd.concat([head, dots])
    return pd.concat([head, dots, frame._of(last.tail(SHOWN_ROWS)).compute().astype(object)])


def _edge_partitions(columns: ColumnSet) -> tuple[ColumnSet, ColumnSet]:
    """Return what the first and the last rows are to be found in: all of it, if that is as cheap."""
    count = columns.frame.npartitions
    if columns.frame.rows.lengths is not None or count == 1:
        return columns, columns
    first, last = (replace(columns, frame=Partitions(columns.frame, (number,))) for number in (0, count - 1))
    return first, last
