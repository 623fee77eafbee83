"""Export of a DataFrame to other libraries: Arrow, polars, duckdb, Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from akdask._dask import unknown_categories
from akdask.arrays.categorical import Categorical
from akdask.arrays.to_arrow import ToArrow
from akdask.deferred import pa
from akdask.engine.dask_bridges import to_dask
from akdask.engine.explain import partitions_stand_alone
from akdask.engine.rowwise import Partitions
from akdask.engine.run import CollectionRows, run
from akdask.errors import ArgumentError, MissingColumnError, PositionError, UnsupportedError
from akdask.frames.columnset import INDEX, ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.to_pandas import ToPandas
from akdask.storage.objects import ROW_LABELS

NOT_EXCHANGED = {
    "duration": "numbers: timedelta // ak.Timedelta(1)",
    "bigint": "text: ak.cast(…, str)",
    "list": "one column of values",
}
"""What the protocol has no type for, and what can be handed on instead."""


def shown_names(columns: ColumnSet) -> dict[Any, str]:
    """Return the names of Arrow's columns, by names of columns; labels of the rows are the last column.

    Raises
    ------
    ArgumentError
        If there are labels, and a column that is called as they are.
    """
    taken = [name for name in columns.values if columns.index is not None and name.lower() == ROW_LABELS.lower()]
    if taken:
        raise ArgumentError(
            f"a DataFrame with a column {taken[0]!r} cannot be an Arrow table with its labels.",
            hint="rename the column, or drop the labels with reset_index(drop=True).",
        )
    return {name: name for name in columns.values} | ({} if columns.index is None else {INDEX: ROW_LABELS})


def arrow_table(columns: ColumnSet) -> pa.Table:
    """Return the rows as an Arrow table; computes.  See `DataFrame.to_arrow`."""
    shown = shown_names(columns)
    tables = {name: kind._category_table for name, kind in columns.kinds.items() if isinstance(kind, Categorical)}
    labelled = [name for name in shown if name in tables]
    form = ToArrow(
        tuple((name, text, columns.kinds[name]._arrow_meaning) for name, text in shown.items()),
        tuple((name, position) for position, name in enumerate(labelled)),
        columns.nullable(),
        frozenset(name for name, table in tables.items() if table.is_ordered),
    )
    extras = tuple(tables[name] for name in labelled)
    (table,) = run(CollectionRows(columns.project(with_index=True), form, extras, None).here(chunked=True))
    return table


class InterchangeFrame:
    """The object that ``DataFrame.__dataframe__`` returns.

    Names and numbers of columns are known at once; requests for a column or a chunk compute its rows.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    nan_as_null : bool
        Must be False, as for Arrow's tables.
    allow_copy : bool
        Whether columns may be copied to be handed on.

    Raises
    ------
    UnsupportedError
        If the protocol has no type for a column.

    Notes
    -----
    Follows the dataframe interchange protocol, version 0.  Its chunks are the partitions.  Arrow's own implementation
    hands on their columns.
    """

    version = 0

    def __init__(self, frame: DataFrame, nan_as_null: bool = False, allow_copy: bool = True) -> None:
        if nan_as_null:
            raise UnsupportedError("nan_as_null has no effect.", hint="leave it False; missing text is null.")
        self._frame = frame
        self._allow_copy = allow_copy
        columns = frame._columns
        self._shown = shown_names(columns)
        for name, text in self._shown.items():
            kind = columns.kinds[name]
            of = kind._arrow_meaning.partition(" ")[0] or kind._value.dtype.kind
            if of in NOT_EXCHANGED:
                raise UnsupportedError(
                    f"the interchange protocol has no type for column {text!r}, of {kind._type_name()}.",
                    hint=f"hand on {NOT_EXCHANGED[of]}, or let Arrow's stream be read: pyarrow.table(df).",
                )

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> InterchangeFrame:
        """Return the same rows under other conditions."""
        return InterchangeFrame(self._frame, nan_as_null, allow_copy)

    @property
    def metadata(self) -> dict[str, Any]:
        """Nothing beyond the protocol."""
        return {}

    def num_columns(self) -> int:
        """Return the number of columns."""
        return len(self._shown)

    def num_rows(self) -> int:
        """Return the number of rows; counts them, once, where a filter has left that open."""
        return len(self._frame)

    def num_chunks(self) -> int:
        """Return the number of partitions."""
        return self._frame.npartitions

    def column_names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._shown.values())

    def get_column(self, i: int) -> Any:
        """Return a column by its position; computes.

        Raises
        ------
        PositionError
            If there is none.
        """
        if not 0 <= i < len(self._shown):
            raise PositionError(f"there is no column {i} among {len(self._shown)}.")
        return self.get_column_by_name(self.column_names()[i])

    def get_column_by_name(self, name: str) -> Any:
        """Return a column by its name; computes.

        Raises
        ------
        MissingColumnError
            If there is none.
        """
        return self._chosen([name])._exchanged.get_column(0)

    def get_columns(self) -> Iterable[Any]:
        """Return all columns; computes them at once."""
        columns: Iterable[Any] = self._exchanged.get_columns()
        return columns

    def select_columns(self, indices: Sequence[int]) -> InterchangeFrame:
        """Return some columns by their positions; lazy."""
        names = self.column_names()
        return self._chosen([names[number] for number in indices])

    def select_columns_by_name(self, names: Sequence[str]) -> InterchangeFrame:
        """Return some columns by their names; lazy."""
        return self._chosen(list(names))

    def get_chunks(self, n_chunks: int | None = None) -> Iterator[Any]:
        """Return the partitions one after the other, each computed when it is reached, or parts of them.

        Where partitions cannot be found one without the others, as after a sort, all are computed and kept first.

        Parameters
        ----------
        n_chunks : int, optional
            A multiple of the number of partitions, each of which is cut into as many parts.

        Raises
        ------
        ArgumentError
            If it is none.
        """
        count = self.num_chunks()
        if n_chunks is not None and (n_chunks < 1 or n_chunks % count):
            raise ArgumentError(f"{count} partitions cannot be handed on in {n_chunks!r} chunks.")
        return self._chunks(1 if n_chunks is None else n_chunks // count)

    def _chunks(self, parts: int) -> Iterator[Any]:
        frame = self._frame
        if not partitions_stand_alone(frame._columns.project(with_index=True)):
            frame = frame.persist()
        columns = frame._columns
        for number in range(self.num_chunks()):
            one = replace(columns, frame=Partitions(columns.frame, (number,)))
            table = arrow_table(one)
            size = -(-table.num_rows // parts)
            for part in range(parts):
                # A consumer takes a chunk for one piece of memory.
                piece = table.slice(part * size, size).combine_chunks()
                yield piece.__dataframe__(allow_copy=self._allow_copy)

    @cached_property
    def _exchanged(self) -> Any:
        return arrow_table(self._frame._columns).__dataframe__(allow_copy=self._allow_copy)

    def _chosen(self, names: Sequence[str]) -> InterchangeFrame:
        own = {text: name for name, text in self._shown.items()}
        missing = [name for name in names if name not in own]
        if missing:
            raise MissingColumnError(
                f"there is no column {missing[0]!r}.", details=[f"columns: {', '.join(map(str, own))}"]
            )
        columns = self._frame._columns
        arrays = {name: columns.index_array() if own[name] == INDEX else columns.array(own[name]) for name in names}
        return InterchangeFrame(self._frame._of(ColumnSet.of(arrays)), allow_copy=self._allow_copy)


def to_arrow(frame: DataFrame) -> pa.Table:
    return arrow_table(frame._columns)


def __dataframe__(frame: DataFrame, nan_as_null: bool, allow_copy: bool) -> InterchangeFrame:
    return InterchangeFrame(frame, nan_as_null, allow_copy)


def dask_frame(frame: DataFrame) -> Any:
    import dask

    arrow = dask.config.get("dataframe.convert-string", None) is not False
    columns = frame._columns
    converter, labels = ToPandas.of(columns, with_index=True, arrow_strings=arrow)
    project = columns.apart()
    meta = unknown_categories(converter.of_nothing(project, len(labels)))
    return to_dask(project, converter, labels, meta)


def map_partitions(frame: DataFrame, func: Callable[..., Any], *args: Any, meta: Any, **params: Any) -> Any:
    rows = frame.to_dask()
    given = {} if meta is None else {"meta": meta}
    from akdask.frames.from_dask import from_dask

    return from_dask(rows.map_partitions(func, *args, **given, **params))
