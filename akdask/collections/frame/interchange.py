"""A DataFrame for other libraries: Arrow, polars, duckdb, Dask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from akdask.collections.core.later import later
from akdask.collections.core.selection import repartitioned
from akdask.collections.frame.dataframe_protocol import InterchangeFrame, arrow_table
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.to_pandas import ToPandas
from akdask.deferred import pa
from akdask.plan.expr._dask import unknown_categories
from akdask.plan.run.dask_dataframe import to_dask


class InterchangeMethods(FrameBase):
    """Conversion to the frames of other libraries."""

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table; computes.

        Types are those of `pdarray.to_arrow`: numbers and text are not copied.  Labels of the rows, where they are more
        than their numbers, are the last column ``Index``, which `akdask.from_arrow` makes labels again.

        Raises
        ------
        TransferError
            If they would take more than the setting ``max_transfer_bytes`` allows: half of the memory unless set.
        ArgumentError
            If there are labels, and a column that is called as they are.
        UnsupportedError
            If integers have more digits than Arrow's decimals.
        """
        return arrow_table(self._columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the rows to any library that reads Arrow's stream of tables; see `to_arrow`.  Computes."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> InterchangeFrame:
        """Hand the rows to any library that reads the dataframe interchange protocol; see `to_arrow`.  Lazy.

        Rows are computed when a column is asked for, or partition by partition when chunks are.

        Parameters
        ----------
        nan_as_null : False
            Accepted for the protocol.
        allow_copy : bool, default True
            Whether columns may be copied; without, columns of several partitions and of bools are refused when they
            are asked for.

        Raises
        ------
        UnsupportedError
            If the protocol has no type for a column: spans of time, integers of any size, lists.
        """
        return InterchangeFrame(self, nan_as_null, allow_copy)

    def to_polars(self) -> Any:
        """Return the rows as a polars DataFrame; see `to_arrow`.  Computes."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def to_duckdb(self, connection: Any = None) -> Any:
        """Return the rows as a duckdb relation, which queries can be asked of; see `to_arrow`.  Computes.

        Parameters
        ----------
        connection : duckdb connection, optional
            Where queries run, duckdb's own unless given.
        """
        import duckdb

        return duckdb.from_arrow(self.to_arrow()) if connection is None else connection.from_arrow(self.to_arrow())

    def to_dask(self) -> Any:
        """Return a Dask DataFrame with the same rows, labels and partitions; lazy.

        Strings are what Dask's setting ``dataframe.convert-string`` asks for, ``string[pyarrow]`` unless it is off.
        Categoricals have categories that Dask calls unknown.
        """
        import dask

        arrow = dask.config.get("dataframe.convert-string", None) is not False
        columns = self._columns
        converter, labels = ToPandas.of(columns, with_index=True, arrow_strings=arrow)
        project = columns.apart()
        meta = unknown_categories(converter.of_nothing(project, len(labels)))
        return to_dask(project, converter, labels, meta)

    def map_partitions(self, func: Callable[..., Any], *args: Any, meta: Any = None, **params: Any) -> Any:
        """Return what a function makes of the pandas DataFrame of each partition, as a DataFrame; lazy.

        Parameters
        ----------
        func : callable
            ``func(frame, *args, **params)`` returns a pandas DataFrame.
        *args
            Further arguments of the function.
        meta : pandas.DataFrame or mapping of str to dtype, optional
            Names and types of what it returns; found by calling it with a made-up frame unless given.
        **params
            Further arguments of the function, by name.
        """
        frame = self.to_dask()
        given = {} if meta is None else {"meta": meta}
        return later("from_dask", frame.map_partitions(func, *args, **given, **params))

    def repartition(self, npartitions: int) -> Self:
        """Return the rows in another number of partitions, of about equal length.

        Lazy, but for counting rows of unknown number.  Rows keep their labels.

        Raises
        ------
        ArgumentError
            If that is no number of partitions.
        """
        columns = self._columns
        frame, values = repartitioned(columns.apart(), npartitions)
        return self._of(columns.of_parts(frame, values))
