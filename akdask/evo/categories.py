"""Categories: columns of text as integer codes and one lookup table of keys and values that serves all of them.

Codes are looked up by key, never by position, and a code without a key is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import dask
import numpy as np
import pyarrow as pa

from akdask.arrays.categorical import Categorical
from akdask.deferred import pc, pd
from akdask.errors import ArgumentTypeError
from akdask.evo.canonical import table_of
from akdask.evo.errors import ContentError, KindError, ShapeError
from akdask.evo.reader import Lookup, lookup_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.interchange import from_dask

_MOST = np.iinfo(np.int32).max


class Categories(NamedTuple):
    """Columns of codes, and the lookup table of all of them.

    Parameters
    ----------
    codes : pyarrow.Table
        Columns of int32 with the names of the text columns, null where text is.  For lazy rows a lazy DataFrame of
        float64, NaN where text is missing, which is stored as ``data_type="int32"``.
    table : pyarrow.Table
        Columns ``key`` of int32, from 0 on, and ``value`` of string.
    """

    codes: Any
    table: Any


def encode(data: Any) -> Categories:
    """Return the codes of columns of text, in the order in which values first appear, column by column.

    Categories of pandas and dictionaries of Arrow keep their own order, including categories without rows.

    Parameters
    ----------
    data : object
        Columns of text: a pandas DataFrame or Series, an Arrow table or array, a mapping of names to columns; or a lazy
        DataFrame or Strings of akdask, or a Dask DataFrame.

    Returns
    -------
    Categories
        The codes, and the lookup table.  For lazy rows the values are computed at once, the codes lazily.

    Raises
    ------
    KindError
        If a column is not of text.
    ContentError
        If there are more values than int32 counts.

    Examples
    --------
    >>> codes, table = encode({"a": ["x", "y", None, "x"], "b": ["z", "x", "z", None]})
    >>> codes.to_pydict()
    {'a': [0, 1, None, 0], 'b': [2, 0, 2, None]}
    >>> table.to_pydict()
    {'key': [0, 1, 2], 'value': ['x', 'y', 'z']}
    """
    lazy = _as_dask(data)
    if lazy is not None:
        return _encoded_lazily(lazy, _labels(data))
    table = _with_dictionaries(data)
    values = _merged(_values(table))
    codes = [_codes(_text(column), values) for column in table.columns]
    return Categories(pa.table(codes, names=table.column_names), lookup_table(values))


def decode(codes: Any, table: Any) -> Any:
    """Return the text of codes; null where a code is null or not a key.

    Parameters
    ----------
    codes : object
        Columns of integers: an Arrow table or array, a pandas DataFrame or Series, a mapping of names to columns, an
        array; or a lazy DataFrame or array of akdask, or a Dask DataFrame.
    table : object
        The lookup table: an Arrow table, a pandas DataFrame or a DataFrame of akdask, keys in the first column and
        values in the second; or a mapping of keys to values.

    Returns
    -------
    pyarrow.Table
        Columns of text with the names of the columns of codes. An array or Series gives an Arrow array, lazy rows give
        a lazy DataFrame.

    Raises
    ------
    KindError
        If codes are not integers.
    ArgumentError
        If the lookup table has other columns.
    ContentError
        If keys are null or repeated.

    Examples
    --------
    >>> decode(pa.array([7, 5, 6, None]), {5: "clay", 7: "sand"}).to_pylist()
    ['sand', 'clay', None, None]
    """
    lookup = lookup_of(table)
    if lookup is None:
        raise ArgumentTypeError("codes are looked up in a table, and none is given.")
    lazy = _as_dask(codes)
    if lazy is not None:
        text = pd.ArrowDtype(pa.string())
        meta = pd.DataFrame({name: pd.Series([], dtype=text) for name in lazy.columns})
        return from_dask(lazy.map_partitions(_decoded_frame, lookup, meta=meta))
    found = table_of(codes)
    columns = [_decoded(column, lookup) for column in found.columns]
    if isinstance(codes, pa.Array | pa.ChunkedArray | pd.Series | np.ndarray) and len(columns) == 1:
        return columns[0].combine_chunks() if isinstance(columns[0], pa.ChunkedArray) else columns[0]
    return pa.table(columns, names=found.column_names)


def lookup_table(values: Any) -> Any:
    """Return a lookup table of values in the order of their codes, which count from 0 on.

    Raises
    ------
    ContentError
        If there are more values than int32 counts.
    """
    text = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
    if len(text) > _MOST:
        raise ContentError(f"{len(text)} values are more than codes of int32 count.", hint="store the column as text.")
    return pa.table({"key": pa.array(np.arange(len(text), dtype=np.int32)), "value": text})


def _with_dictionaries(data: Any) -> Any:
    """Return a table of text whose categories are still dictionaries.

    Raises
    ------
    KindError
        If a column is not of text.
    """
    match data:
        case pa.Table():
            table = data
        case pa.RecordBatch():
            table = pa.Table.from_batches([data])
        case pa.RecordBatchReader():
            table = data.read_all()
        case pa.Array() | pa.ChunkedArray():
            table = pa.table([data], names=["values"])
        case pd.Series() | pd.Index():
            return _with_dictionaries(pd.DataFrame({"values": data.array}))
        case pd.DataFrame():
            columns = {str(name): _of_pandas(data[name].array) for name in data.columns}
            table = pa.table(columns)
        case _:
            table = table_of(data)
    wrong = [f"column {field.name!r}: {field.type}" for field in table.schema if not _is_text(field.type)]
    if wrong:
        raise KindError(
            "only text has categories.", details=wrong, hint="leave these columns out, or cast them to text."
        )
    return table


def _of_pandas(array: Any) -> Any:
    if not isinstance(array, pd.Categorical):
        return table_of(pd.Series(array)).column(0)
    labels = pa.array(array.categories.to_numpy(object), from_pandas=True)
    codes = np.asarray(array.codes, np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), labels)


def _is_text(kind: Any) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner) or pa.types.is_null(inner))


def _text(column: Any) -> Any:
    kind = column.type
    return _text(column.cast(kind.value_type)) if pa.types.is_dictionary(kind) else column.cast(pa.string())


def _values(table: Any) -> Iterable[Any]:
    """Yield the values of each column in order: all entries of a dictionary, or the text of the rows."""
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
            yield from (chunk.dictionary.cast(pa.string()) for chunk in chunks)
        else:
            yield _text(column).unique()


def _merged(parts: Iterable[Any]) -> Any:
    """Return values in the order of their first appearance, each once."""
    chunks = [part.drop_null() for part in parts]
    if not chunks:
        return pa.array([], pa.string())
    return pa.chunked_array(chunks, pa.string()).unique().cast(pa.string())


def _codes(text: Any, values: Any) -> Any:
    found = pc.index_in(text, value_set=values, skip_nulls=True)
    return found if found.type == pa.int32() else found.cast(pa.int32())


def _decoded(column: Any, lookup: Lookup) -> Any:
    if pa.types.is_floating(column.type):
        # Integers with missing values are floats in pandas, and wherever nulls of integers are not supported.
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    elif not pa.types.is_integer(column.type) and not pa.types.is_null(column.type):
        raise KindError(f"codes are integers, not {column.type}.")
    try:
        codes = column.cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise KindError("codes are not whole numbers of 64 bits.", details=str(error).splitlines()) from None
    return lookup.decode(codes).cast(pa.string())


def _as_dask(data: Any) -> Any:
    """Return lazy rows as a Dask DataFrame; None for rows in memory."""
    if isinstance(getattr(data, "_meta", None), pd.DataFrame):
        return data
    if isinstance(getattr(data, "_meta", None), pd.Series):
        return data.to_frame(data.name or "values")
    if not hasattr(data, "to_dask"):
        return None
    return data.to_dask() if hasattr(data, "columns") else DataFrame({"values": data}).to_dask()


def _labels(data: Any) -> dict[str, Any]:
    """Return the labels of akdask's Categorical columns, without the missing label."""
    columns = {"values": data} if not hasattr(data, "columns") else data if hasattr(data, "to_arrow") else {}
    found = {name: columns[name] for name in columns if isinstance(columns[name], Categorical)}
    return {
        name: pa.array([label for label in column.categories.tolist() if label != column.na_value], pa.string())
        for name, column in found.items()
    }


def _encoded_lazily(frame: Any, labels: Mapping[str, Any]) -> Categories:
    names = list(frame.columns)
    known = {name: labels.get(name, _known_categories(frame._meta[name].dtype)) for name in names}
    asked = [name for name in names if known[name] is None]
    parts = dask.compute(*[dask.delayed(_first_values)(part, asked) for part in frame.to_delayed()])
    by_column = {name: [part[number] for part in parts] for number, name in enumerate(asked)}
    ordered: list[Any] = []
    for name in names:
        ordered += by_column[name] if known[name] is None else [known[name]]
    values = _merged(ordered)
    meta = pd.DataFrame({name: pd.Series([], dtype=np.float64) for name in names})
    return Categories(from_dask(frame.map_partitions(_codes_frame, values, meta=meta)), lookup_table(values))


def _known_categories(dtype: Any) -> Any:
    """Return a column's categories as known to Dask, None if unknown."""
    if not isinstance(dtype, pd.CategoricalDtype) or "__UNKNOWN_CATEGORIES__" in dtype.categories:
        return None
    return pa.array(dtype.categories.to_numpy(object), pa.string())


def _first_values(frame: pd.DataFrame, names: Sequence[Any]) -> list[Any]:
    """Return the values of a partition's columns, in order of first appearance; a function of tasks."""
    if not names:
        return []
    table = _with_dictionaries(frame[list(names)])
    return [_merged(_values(pa.table([column], names=["values"]))) for column in table.columns]


def _codes_frame(frame: pd.DataFrame, values: Any) -> pd.DataFrame:
    """Return the codes of a partition; a function of tasks."""
    table = _with_dictionaries(frame)
    made = {
        # Codes are floats for as long as some are missing: lazy integers have no null.
        name: np.asarray(_codes(_text(column), values).cast(pa.float64()), np.float64)
        for name, column in zip(frame.columns, table.columns, strict=True)
    }
    return pd.DataFrame(made, index=frame.index)


def _decoded_frame(frame: pd.DataFrame, lookup: Lookup) -> pd.DataFrame:
    """Return the text of a partition of codes; a function of tasks."""
    found = table_of(frame)
    if found.num_columns != len(frame.columns):
        raise ShapeError("columns of codes have names that are not alone.")
    made = {
        name: pd.arrays.ArrowExtensionArray(_decoded(column, lookup))
        for name, column in zip(frame.columns, found.columns, strict=True)
    }
    return pd.DataFrame(made, index=frame.index)
