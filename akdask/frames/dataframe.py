"""`DataFrame`: lazy columns that share their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, overload

from akdask.arrays.array import Array
from akdask.arrays.column_names import names_of
from akdask.arrays.stored import open_prefix, read_objects
from akdask.arrays.writing import Path
from akdask.deferred import is_pandas, pd
from akdask.engine.run import CollectionRows, run
from akdask.errors import ArgumentTypeError, refuses_foreign
from akdask.frames.access import AccessMethods
from akdask.frames.alignment import RowLabels, as_labelled, on_all_labels, on_rows_of
from akdask.frames.base import Content
from akdask.frames.build import arrays_of, is_scalar, named_items, split_index, spread
from akdask.frames.cells import CellMethods
from akdask.frames.choice import CountMethods
from akdask.frames.columns import ColumnMethods, RenameMethods
from akdask.frames.columnset import ColumnSet
from akdask.frames.display import DisplayMethods
from akdask.frames.expanding import ExpandingMethods
from akdask.frames.expressions import QueryMethods
from akdask.frames.index import Index
from akdask.frames.interchange import InterchangeMethods
from akdask.frames.join import ConcatMethods, MergeMethods
from akdask.frames.missing import MissingMethods
from akdask.frames.operators import ArithmeticMethods
from akdask.frames.reshaping import ReshapingMethods
from akdask.frames.series_base import SeriesBase
from akdask.frames.sorting import ReindexMethods
from akdask.frames.statistics import AggregationMethods, StatisticsMethods, TruthMethods
from akdask.frames.storage import FileMethods
from akdask.frames.summaries import SummaryMethods
from akdask.frames.time_rows import ResampleMethods
from akdask.frames.to_pandas import ToPandas
from akdask.frames.windows import WindowMethods
from akdask.storage.locales import Filenames
from akdask.storage.registry import format_named, open_files
from akdask.storage.remote import takes_storage_options


class AnalysisMethods(
    QueryMethods,
    SummaryMethods,
    ReshapingMethods,
    ResampleMethods,
    AccessMethods,
    CellMethods,
    WindowMethods,
    ExpandingMethods,
    ReindexMethods,
):
    """All families, on the columns of a DataFrame."""

    def _analysed(self) -> ColumnSet:
        return self._columns

    def _resulting(self, arrays: Mapping[str, Array]) -> Self:
        return self._of(self._columns.beside(arrays))


class DataFrame(
    AnalysisMethods,
    ColumnMethods,
    RenameMethods,
    CountMethods,
    MissingMethods,
    MergeMethods,
    ConcatMethods,
    StatisticsMethods,
    AggregationMethods,
    ArithmeticMethods,
    TruthMethods,
    FileMethods,
    InterchangeMethods,
    DisplayMethods,
):
    """Named lazy columns that share their rows.

    Parameters
    ----------
    initialdata : mapping, DataFrame, pandas.DataFrame or sequence, optional
        Columns by name (lazy arrays, data at hand, Series, or a scalar for all rows; Series meet on the labels of all
        of them, or on those of `index`), or arrays in the order of `columns`; or
        rows, as a list of mappings or a NumPy array of two dimensions.  A key ``index``, in any case, becomes the
        index, as `to_hdf` stores it.
    index : Index, lazy array or data at hand, optional
        Labels of the rows, instead of their numbers.
    columns : list of str, optional
        Names of the columns, ``"0"``, ``"1"`` and so on unless given; of a mapping, the columns to take.

    Raises
    ------
    AlignmentError
        If the columns do not share rows.
    ArgumentError
        If there are not as many names as arrays, or `initialdata` is something else.
    ArgumentTypeError
        If columns are not named by str.

    Examples
    --------
    >>> import akdask as ak
    >>> df = DataFrame({"x": ak.arange(4), "y": ["a", "b", "c", "d"]})
    >>> df[df["x"] > 1].to_pandas()
       x  y
    2  2  c
    3  3  d
    """

    objType = "DataFrame"

    @refuses_foreign()
    def __init__(self, initialdata: Any = None, index: Any = None, columns: Sequence[str] | None = None) -> None:
        named, found = split_index(named_items(initialdata, columns))
        labels = found if index is None else Index(index)
        if isinstance(initialdata, Mapping):
            named, labels = _on_common_labels(named, labels)
        if labels is not None and all(map(is_scalar, named.values())):
            named = {name: spread(labels.values._frame, item) for name, item in named.items()}
        arrays = arrays_of(named)
        self._content = Content(
            ColumnSet.of(arrays) if labels is None else ColumnSet.of(arrays, labels.values, labels.name)
        )

    @classmethod
    def of(cls, columns: Mapping[str, Array], index: Array | None = None) -> Self:
        """Return the frame of arrays that share rows, whatever the columns are called."""
        return cls._of(ColumnSet.of(columns, index))

    @classmethod
    def from_pandas(cls, pd_df: pd.DataFrame) -> Self:
        """Return the columns and index of a pandas DataFrame as lazy columns.

        Categorical columns stay so; column names become str.
        """
        if not is_pandas(pd_df, "DataFrame"):
            raise ArgumentTypeError(f"from_pandas takes a pandas DataFrame, got {type(pd_df).__name__}.")
        return cls(pd_df)

    @classmethod
    @takes_storage_options
    def load(
        cls,
        prefix_path: Path,
        file_format: str = "INFER",
        *,
        widen: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Open the files that were written under a prefix as a DataFrame.  Reads metadata only.

        Parameters
        ----------
        prefix_path : str or path
            Prefix, as for `to_hdf`.
        file_format : str, default "INFER"
            The format, told from the first bytes unless given.
        widen : bool, default False
            As in `akdask.read_hdf`.
        storage_options : mapping of str to value, optional
            Options with which fsspec opens URLs, such as keys or ``anon=True``.

        Raises
        ------
        MissingFileError
            If there are no files of that prefix.
        AlignmentError
            If the objects in the files do not have as many rows.
        """
        objects = read_objects(open_prefix(prefix_path, file_format, widen=widen))
        # A snapshot of one DataFrame is a set with one object.
        (first, *rest) = objects.values()
        return first if isinstance(first, cls) and not rest else cls(objects)

    @classmethod
    @takes_storage_options
    def read_csv(
        cls,
        filename: Filenames,
        col_delim: str = ",",
        *,
        dtypes: Any = None,
        widen: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Open CSV files of Arkouda or other writers as a DataFrame; see `akdask.read_csv`.

        Parameters
        ----------
        filename : str, path or sequence of them
            Files or glob patterns.
        col_delim : str, default ","
            Delimiter of fields.
        dtypes : mapping of str to dtype, or dtype, optional
            Types of columns.
        widen : bool, default False
            As in `akdask.read_csv`.
        storage_options : mapping of str to value, optional
            Options with which fsspec opens URLs, such as keys or ``anon=True``.
        """
        options = {"column_delim": col_delim, "dtypes": dtypes, "widen": widen}
        return cls(read_objects(open_files(filename, format_named("CSV"), **options)))

    @overload
    def __getitem__(self, key: list[str] | slice | Array) -> Self: ...

    @overload
    def __getitem__(self, key: Any) -> Any: ...

    def __getitem__(self, key: Any) -> Any:
        """Return a column, some columns, or some rows.

        Parameters
        ----------
        key : str, list of str, int, slice, or array of bool or int
            A name gives the column, several a DataFrame.  An int gives one `Row`, at once; other keys choose
            rows as keys of an array do, and stay lazy.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If the key is of another kind, such as a list of names and numbers.
        """
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, list | tuple) and any(isinstance(name, str) for name in key):
            return self._of(self._columns.only(names_of(key)))
        return self._rows(key)

    @property
    def plot(self) -> Any:
        """Pictures of the rows, as in pandas: ``df.plot.line()``, ``df.plot(kind="hist")``; see `Plots`."""
        from akdask.plotting.accessor import Plots

        return Plots(self)

    # conversion

    def to_pandas(
        self, datalimit: float | None = None, retain_index: bool = True, *, nullable: bool = False
    ) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; computes.

        Parameters
        ----------
        datalimit : float, optional
            Most megabytes (2**20 bytes) to bring into this process; ``config.get("max_transfer_bytes")`` unless given.
        retain_index : bool, default True
            Keep the labels of the rows, such as the keys of groups, as pandas does; otherwise number the rows from 0.
        nullable : bool, default False
            Give pandas' nullable types: ``Int64``, ``UInt64``, ``boolean``, ``Float64`` and ``string``, with
            ``pandas.NA`` for missing values.  Integers and bool that a join has made floats, for rows without a
            match, become integers and bool again.  They are exact after rows are selected, sorted, persisted or
            concatenated.  Results computed from the floats, and keys of groups, become integers only if none is
            beyond 2**53, where floats may have been rounded; otherwise they stay ``Float64``.

        Raises
        ------
        TransferError
            If the data would take more than that.
        """
        columns = self._columns
        limit = None if datalimit is None else datalimit * 2**20
        converter, labels = ToPandas.of(columns, with_index=retain_index, nullable=nullable)
        project = (columns if retain_index else columns.labelled(None)).apart()
        rows = CollectionRows(project, converter, tuple(labels), limit)
        (result,) = run(rows.here(chunked=True))
        return result


def _on_common_labels(named: dict[str, Any], labels: Index | None) -> tuple[dict[str, Any], Index | None]:
    """Return columns of which Series are on given labels, or on all labels that one of them has; and these."""
    items = {name: as_labelled(item) for name, item in named.items()}
    series = {name: item for name, item in items.items() if isinstance(item, SeriesBase)}
    if not series:
        return named, labels
    if labels is not None:
        target = RowLabels(labels._levels[0]._frame, tuple(labels._levels))
        return items | {name: on_rows_of(target, item) for name, item in series.items()}, labels
    first, *others = series.values()
    found, arrays = first._row_labels, [first.values]
    for item in others:
        joined = on_all_labels(found, arrays, item._row_labels, [item.values])
        found, arrays = joined.labels, [*joined.ones, *joined.others]
    items |= dict(zip(series, arrays, strict=True))
    # Rows of a DataFrame have labels of one level.
    return items, Index(found.levels[0], first.index.name) if len(found.levels) == 1 else None


from_pandas = DataFrame.from_pandas
