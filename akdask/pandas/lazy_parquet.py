"""Large Parquet files as lazy frames with the values, types and labels that pandas would give.

pandas itself says what the frame is like: it reads the same columns without their rows.
"""

from __future__ import annotations

import io
import json
import os
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas
import pyarrow as pa

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Datetime
from akdask.arrays.pdarray import pdarray
from akdask.arrays.stored_arrays import from_stored
from akdask.arrays.strings import Strings
from akdask.caches import Cache, cached_results
from akdask.deferred import pq
from akdask.engine.sources import row_numbers
from akdask.engine.values import token
from akdask.formats.parquet.columns import MOST_DIGITS
from akdask.formats.parquet.footers import metadata_of
from akdask.frames.columnset import ColumnSet, level_column
from akdask.pandas import tuning
from akdask.pandas.encoded import NARROW, Coding, EncodedArray, Narrow, Objects, OpaqueRows, series_of
from akdask.pandas.files import without_views
from akdask.pandas.labels import FrameLabels, by_rows, computed, data_names, labelled, labels_of_frame
from akdask.pandas.lazy import LazyFrame, check_names, column_of, is_lazy_type
from akdask.pandas.object_forms import number_of
from akdask.pandas.refusals import NotLazyError
from akdask.records import record
from akdask.storage.files import FileIdentity, StorageOptions, accessing, files_below, identify, identify_all, is_folder
from akdask.storage.recovery import settled
from akdask.storage.registry import format_named, open_files
from akdask.storage.tuning import COLUMN_BYTES, KNOWN_SETS

NO_DEFAULT = pandas.api.extensions.no_default


def parquet(
    files: str | Sequence[str],
    engine: Any = "auto",
    columns: Any = None,
    storage_options: Any = None,
    filters: Any = None,
    dtype_backend: Any = NO_DEFAULT,
    plain: bool = False,
    **others: Any,
) -> LazyFrame:
    """Return Parquet files as a lazy frame; with `plain`, days are times and decimals are floats.

    Raises
    ------
    NotLazyError
        If pandas gives something that no lazy frame is.
    """
    if engine not in ("auto", "pyarrow", NO_DEFAULT) or any(
        value is not NO_DEFAULT and value is not None for value in others.values()
    ):
        raise NotLazyError("an argument has no lazy form")
    with accessing(StorageOptions(storage_options or {})):
        return _parquet(_files(files), columns, filters, storage_options, _backend(dtype_backend), plain)


def are_small(
    files: str | Sequence[str], columns: Sequence[Any] | None = None, storage_options: Any = None, **_others: Any
) -> bool:
    """Return whether Parquet files have so few values in the wanted columns that their rows are read at once."""
    with accessing(StorageOptions(storage_options or {})):
        footers = [metadata_of(file) for file in settled(_files(files), identify_all)]
    ncolumns = max(footer.num_columns for footer in footers) if columns is None else len(columns)
    return bool(sum(footer.num_rows for footer in footers) * ncolumns <= tuning.READ_VALUES)


def _files(files: str | Sequence[str]) -> list[str]:
    """Return the files that pyarrow reads: those of a folder in the order of their names."""
    given = [files] if isinstance(files, str) else list(files)
    found = []
    for path in given:
        if not is_folder(path):
            found.append(path)
            continue
        inner = [path.rstrip("/"), *sorted(files_below(path))]
        if any("=" in name[len(inner[0]) :] for name in inner[1:]) or len(given) > 1:
            raise NotLazyError("folders name columns, or there are several")
        found += inner[1:]
    if not isinstance(files, str) and any("=" in path for path in found):
        raise NotLazyError("folders name columns")
    return found


def _backend(dtype_backend: Any) -> dict[str, Any]:
    if dtype_backend is NO_DEFAULT:
        return {}
    if dtype_backend not in ("pyarrow", "numpy_nullable"):
        raise NotLazyError("the types have no lazy form")
    return {"dtype_backend": dtype_backend}


def _parquet(
    given: list[str], columns: Any, filters: Any, storage_options: Any, backend: dict[str, Any], plain: bool
) -> LazyFrame:
    files = settled(given, identify_all)
    if filters is not None or storage_options:
        return _compared(given, files, columns, filters, storage_options, backend, plain)
    chosen = None if columns is None else tuple(columns)
    alike = (*_type_of_text(), plain, *backend.values())
    found = _OPENED.get((files, chosen, alike))
    if found is None:
        found = _OPENED.put((files, chosen, alike), _compared(given, files, columns, None, None, backend, plain))
    labels = labels_of_frame(found)
    # Names of labels can be changed.
    own = None if labels is None else FrameLabels(labels.columns.copy(), labels.levels)
    return labelled(LazyFrame._of(found._columns), own)


_OPENED: Cache[Hashable, LazyFrame] = Cache(
    "frames of Parquet files", entries=KNOWN_SETS, size=lambda frame: COLUMN_BYTES * len(frame._columns.values)
)
"""Frames of files, columns and types: what pandas has for them takes as long to find as a small question."""


def _compared(
    given: list[str],
    identities: Sequence[FileIdentity],
    columns: Any,
    filters: Any,
    storage_options: Any,
    backend: dict[str, Any],
    plain: bool,
) -> LazyFrame:
    """Return files as a lazy frame after a comparison with what pandas has without their rows."""
    footers = [metadata_of(file) for file in identities]
    schema = footers[0].schema.to_arrow_schema()
    # Stored without Arrow's schema, files of one name may differ; pandas would unite them.
    if any(not footer.schema.equals(footers[0].schema) for footer in footers[1:]):
        raise NotLazyError("the files have different columns")
    rows = sum(footer.num_rows for footer in footers)
    chosen = list(schema.names) if columns is None else list(columns)
    nothing = _known_types(schema, columns, filters, backend, plain)
    if nothing is None:
        nothing = PandasTypes.of(_with_categories(_without_rows(schema, columns, filters, backend, plain), given))
    stored = _stored_labels(schema, nothing)
    names = [name for name in chosen if name not in stored]
    if len(names) != len(nothing.dtypes) or len(stored) != len(set(stored)):
        raise NotLazyError("columns are nested, or named twice")
    expected = dict(zip(names, nothing.dtypes, strict=True))
    expected |= {name: nothing.index.get_level_values(number).dtype for number, name in enumerate(stored)}
    wanted = [*names, *stored, *_filtered_names(filters)]
    arrays = _arrays(given, schema, wanted, expected, {"storage_options": storage_options, **backend})
    if any(isinstance(getattr(arrays[name], "coding", None), StoredRows) for name in stored):
        raise NotLazyError("labels are of a type that has no lazy form")
    everything = LazyFrame._of(ColumnSet.of(arrays))
    if filters is not None:
        everything = LazyFrame._of(everything[_mask(everything, filters)]._columns.labelled(None))
    numbered = _numbered(schema, nothing, rows if filters is None and len(given) == 1 else -1)
    made = with_labels(everything, names, stored, nothing, numbered)
    _compare(made, nothing)
    return made


@record
class PandasTypes:
    """What pandas makes of files, without their rows.

    Parameters
    ----------
    columns : pandas.Index
        Labels of the columns.
    dtypes : tuple of dtype
        Their types.
    index : pandas.Index
        Labels of the rows, none of them.
    """

    columns: pandas.Index
    dtypes: tuple[Any, ...]
    index: pandas.Index

    @classmethod
    def of(cls, nothing: pandas.DataFrame) -> PandasTypes:
        """Return those of a frame without rows."""
        return cls(nothing.columns, tuple(nothing.dtypes), nothing.index)


def _type_of_text() -> tuple[Any, ...]:
    """Return the type that pandas has for text, about which options decide."""
    text = pandas.Series([""]).dtype
    return text, getattr(text, "storage", None)


_TYPES: Cache[Hashable, Any] = Cache("types of pandas for those of Arrow", entries=1024)


def _known_types(
    schema: pa.Schema, columns: Any, filters: Any, backend: dict[str, Any], plain: bool
) -> PandasTypes | None:
    """Return what pandas makes of files by the types of their columns alone, None where something else tells."""
    kinds = [*(_with_plain_types(schema) if plain else schema).types]
    is_noted = b"pandas" in (schema.metadata or {}) or any(map(pa.types.is_dictionary, kinds))
    if not _has_defaults(schema, columns, filters, backend) or is_noted or not kinds:
        return None
    text = _type_of_text()
    lacking = [kind for kind in dict.fromkeys(kinds) if (kind, text) not in _TYPES]
    if lacking:
        found = _without_rows(pa.schema([(str(number), kind) for number, kind in enumerate(lacking)]), None, None, {})
        for kind, dtype in zip(lacking, found.dtypes, strict=True):
            _TYPES.put((kind, text), dtype)
    dtypes = [_TYPES.get((kind, text)) for kind in kinds]
    if any(dtype is None for dtype in dtypes):  # Another thread has put many others.
        return None
    return PandasTypes(pandas.Index(schema.names), tuple(dtypes), pandas.RangeIndex(0))


def _has_defaults(schema: pa.Schema, columns: Any, filters: Any, backend: dict[str, Any]) -> bool:
    """Return whether pandas reads all columns in its own types, each of another name."""
    return columns is None and filters is None and not backend and len(set(schema.names)) == len(schema.names)


def _plain_types(schema: pa.Schema) -> dict[str, str]:
    """Return the types of days and decimals as the engine reads them."""
    days = {field.name: "datetime64[s]" for field in schema if pa.types.is_date32(field.type)}
    return days | {field.name: "float64" for field in schema if pa.types.is_decimal(field.type)}


def _without_rows(
    schema: pa.Schema, columns: Any, filters: Any, backend: dict[str, Any], plain: bool = False
) -> pandas.DataFrame:
    """Return the frame that pandas reads from a file of the same columns without rows; for `plain` see `parquet`."""
    if _has_defaults(schema, columns, filters, backend) and b"PANDAS_ATTRS" not in (schema.metadata or {}):
        found = _made_of(_with_plain_types(schema) if plain else schema)
    else:
        target = io.BytesIO()
        pq.write_table(schema.empty_table(), target)
        found = pandas.read_parquet(io.BytesIO(target.getvalue()), columns=columns, filters=filters, **backend)
        dtypes = {name: dtype for name, dtype in _plain_types(schema).items() if plain and name in found}
        found = found.astype(dtypes)
    if found.attrs:
        raise NotLazyError("the frame has attributes")
    made: pandas.DataFrame = without_views(found)
    return made


def _made_of(schema: pa.Schema) -> pandas.DataFrame:
    """Convert a table without rows as pandas does; its reader would load much of Arrow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pandas.errors.Pandas4Warning)
        found: pandas.DataFrame = pandas.DataFrame.from_arrow(schema.empty_table())  # type: ignore[attr-defined]
    return found


def _with_plain_types(schema: pa.Schema) -> pa.Schema:
    """Return a schema with times in place of days and floats in place of decimals, but for labels."""
    labels = _noted(schema).get("index_columns", ())
    for name, dtype in _plain_types(schema).items():
        if name not in labels:
            number = schema.get_field_index(name)
            schema = schema.set(number, schema.field(number).with_type(pa.from_numpy_dtype(np.dtype(dtype))))
    return schema


def _with_categories(nothing: pandas.DataFrame, files: Sequence[str]) -> pandas.DataFrame:
    """Return a frame without rows with the categories of files, which stand in their dictionaries."""
    found = {}
    for name, dtype in nothing.dtypes.items():
        if not isinstance(dtype, pandas.CategoricalDtype):
            continue
        if not isinstance(name, str) or not all(map(os.path.isfile, files)):
            raise NotLazyError("categories have no names, or are not on this machine")
        kind: Any = pq.read_table(list(files), columns=[name], use_pandas_metadata=False).column(0).to_pandas().dtype
        found[name] = pandas.Categorical([], dtype=kind)
    return nothing.assign(**found) if found else nothing


BOOL = np.dtype(bool)

NULLABLE = (
    *(pandas.Int8Dtype(), pandas.Int16Dtype(), pandas.Int32Dtype(), pandas.Int64Dtype()),
    *(pandas.Float64Dtype(), pandas.BooleanDtype(), pandas.StringDtype(na_value=pandas.NA)),
)
"""pandas' nullable types that have lazy columns; the last one is text."""

NO_LABEL = "N/A"
"""The label that stands for missing elements of a Categorical of files."""


def _noted(schema: pa.Schema) -> dict[str, Any]:
    """Return the notes of pandas about a frame that it wrote; nothing for files of others."""
    try:
        found = json.loads((schema.metadata or {})[b"pandas"])
    except (LookupError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _stored_labels(schema: pa.Schema, nothing: PandasTypes) -> list[str]:
    """Return the columns of a file that become labels of the rows."""
    found = [name for name in _noted(schema).get("index_columns", ()) if isinstance(name, str) and name in schema.names]
    index = nothing.index
    if not found and isinstance(index, pandas.RangeIndex):
        return []
    if len(found) != index.nlevels:
        raise NotLazyError("labels are not stored as they are named")
    return found


def _numbered(schema: pa.Schema, nothing: PandasTypes, rows: int) -> pandas.RangeIndex | None:
    """Return the labels of rows that are noted as a range."""
    ranges = [one for one in _noted(schema).get("index_columns", ()) if isinstance(one, dict)]
    if not isinstance(nothing.index, pandas.RangeIndex) or not ranges:
        return None
    (noted,) = ranges
    labels = pandas.RangeIndex(noted["start"], noted["stop"], noted["step"], name=noted.get("name"))
    return labels if len(labels) == rows else None


def _arrays(
    files: list[str], schema: pa.Schema, names: Sequence[str], dtypes: Mapping[str, Any], options: dict[str, Any]
) -> dict[str, Array]:
    """Return columns as pandas has them; those that the engine lacks are the numbers of their rows."""
    wanted = list(dict.fromkeys(names))
    computed_with = [name for name in wanted if _is_read(schema.field(name).type, dtypes.get(name))]
    integers = frozenset(name for name in wanted if _is_integer(schema.field(name).type, dtypes.get(name)))
    opened = open_files(files, format_named("Parquet"), as_integers=integers).objects(computed_with)
    arrays = {name: from_stored(stored) for name, stored in opened.items()}
    if not arrays:
        raise NotLazyError("no column is of a lazy type")
    numbers = pdarray(*row_numbers(next(iter(arrays.values()))._frame))
    found: dict[str, Array] = {}
    for name in wanted:
        made = _as_pandas_has(arrays[name], name, schema.field(name).type, dtypes.get(name)) if name in arrays else None
        if made is None:
            identities = tuple(map(identify, files))
            dtype = dtypes.get(name)
            if dtype is None or (name in arrays and dtype is BOOL):  # With missing ones among them, bools are objects.
                dtype = np.dtype(object)
            made = encoded_as(numbers, StoredRows(identities, name, dtype, json.dumps(options)))
        found[name] = made
    return found


def _is_integer(stored: pa.DataType, dtype: Any) -> bool:
    """Return whether a column is read as the integers that are stored."""
    types = pa.types
    is_time = types.is_timestamp(stored) and isinstance(dtype, pandas.ArrowDtype)
    if types.is_decimal(stored):
        return bool(dtype != np.float64)
    is_day = types.is_date32(stored) and not (isinstance(dtype, np.dtype) and dtype.kind == "M")
    return bool(is_time or is_day)


def _is_read(stored: pa.DataType, dtype: Any) -> bool:
    """Return whether the engine reads a column without loss."""
    types = pa.types
    if types.is_dictionary(stored):
        plain = isinstance(dtype, pandas.CategoricalDtype) and not dtype.ordered and NO_LABEL not in dtype.categories
        return plain and dtype.categories.dtype == "str"
    if types.is_decimal(stored):
        return dtype == np.float64 or bool(0 <= stored.scale <= stored.precision <= MOST_DIGITS)
    text = (types.is_string, types.is_large_string, types.is_string_view)
    times = (types.is_date32, types.is_timestamp, types.is_duration)
    numbers = (types.is_integer, types.is_float32, types.is_float64, types.is_boolean)
    return any(test(stored) for test in (*text, *times, *numbers))


def _as_pandas_has(array: Any, name: str, stored: pa.DataType, dtype: Any) -> Array | None:
    """Return a column as pandas has it: integers with missing rows are floats; None if it is no lazy column."""
    own = array._value.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        if not isinstance(array, Categorical):
            raise NotLazyError(f"column {name!r} has no dictionary")
        return array.set_categories(list(dtype.categories))
    if isinstance(dtype, pandas.ArrowDtype):
        from akdask.pandas.arrow_types import coding_of_column

        coding = coding_of_column(dtype.pyarrow_dtype, array)
        return None if coding is None else encoded_as(array, coding)
    if isinstance(dtype, pandas.api.extensions.ExtensionDtype) and not is_lazy_type(dtype):
        if dtype not in NULLABLE:
            return None
        from akdask.pandas.arrow_types import coding_of_column
        from akdask.pandas.masked_types import Masked

        coding = coding_of_column(pa.string() if dtype == NULLABLE[-1] else stored, array, Masked)
        return None if coding is None else encoded_as(array, coding)
    if isinstance(array, Datetime) or (pa.types.is_decimal(stored) and own.kind == "float"):
        return array  # type: ignore[no-any-return]
    if pa.types.is_date32(stored):
        return encoded_as(array, Objects("date", "None" if own.nullable else "NaN"))
    if pa.types.is_decimal(stored):
        return encoded_as(array, Objects("decimal", "None" if own.nullable else "NaN", stored.scale, stored.precision))
    if own.is_nullable_number:
        return array.astype("float64") if own.kind in ("int", "uint") else None
    if isinstance(dtype, np.dtype) and dtype.name in NARROW:
        return encoded_as(array, Narrow(dtype.name))
    return array if dtype is None or is_lazy_type(dtype) else None


def encoded_as(array: Any, coding: Coding) -> EncodedArray:
    """Return numbers as what they stand for."""
    return EncodedArray(array._frame, array._value, coding)


@record
class StoredRows(OpaqueRows):
    """Numbers of rows in a column of files, which pandas reads where values are wanted."""

    files: tuple[FileIdentity, ...]
    name: str
    kind: Any
    options: str

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return token("stored rows", self.name, [str(file) for file in self.files])

    @property
    def dtype(self) -> Any:
        """The type of pandas."""
        return self.kind

    @property
    def rows(self) -> Any:
        """The column."""
        return _column(self.files, self.name, self.options)


@cached_results("columns of Parquet files that pandas reads", 16, lambda rows: rows.nbytes)
def _column(files: tuple[FileIdentity, ...], name: str, options: str) -> Any:
    paths: Any = [file.path for file in files]
    found = pandas.read_parquet(paths if len(paths) > 1 else paths[0], columns=[name], **json.loads(options))
    return found.iloc[:, 0].array


def _filtered_names(filters: Any) -> list[str]:
    return [name for rule in _rules(filters) for name, _, _ in rule]


def _rules(filters: Any) -> list[list[tuple[str, str, Any]]]:
    """Return conditions as a list of alternatives, each a list of conditions that all hold.

    Raises
    ------
    NotLazyError
        If they are an expression of pyarrow, or not well formed.
    """
    if filters is None:
        return []
    if not isinstance(filters, list) or not filters:
        raise NotLazyError("the filter is an expression")
    rules = [filters] if isinstance(filters[0], tuple) else filters
    for rule in rules:
        if not isinstance(rule, list | tuple) or not all(isinstance(one, tuple) and len(one) == 3 for one in rule):
            raise NotLazyError("the filter is not well formed")
    return [list(rule) for rule in rules]


def _mask(frame: LazyFrame, filters: Any) -> Any:
    found: Any = None
    for rule in _rules(filters):
        both: Any = None
        for name, comparison, value in rule:
            one = _condition(column_of(frame, name, name), comparison, value)
            both = one if both is None else both & one
        found = both if found is None else found | both
    return found


def _condition(column: Any, comparison: str, value: Any) -> Any:
    values = column.values
    if isinstance(values, EncodedArray):
        column, value = _of_numbers(column, values, value)
        values = column.values
    kind = values._value.dtype.kind if isinstance(values, pdarray | Strings) else type(values).__name__
    fitting: Any = {"str": str, "Datetime": pandas.Timestamp}.get(kind, bool | int | float | np.number)
    plain = isinstance(value, fitting) and kind in {"str", "Datetime", "int", "uint", "float", "bool"}
    match comparison:
        case "=" | "==" if plain:
            return column == value
        case "<" if plain:
            return column < value
        case "<=" if plain:
            return column <= value
        case ">" if plain:
            return column > value
        case ">=" if plain:
            return column >= value
        case "in" if kind in ("int", "uint", "str") and all(isinstance(one, str | int) for one in value):
            return column.isin(list(value))
    # NaN that is stored is unlike 1, and nulls are not; the columns do not tell one from the other.
    raise NotLazyError(f"the filter {comparison!r} has no lazy form here")


def _of_numbers(column: Any, values: EncodedArray, value: Any) -> tuple[Any, Any]:
    """Return the numbers of a column, and one value or several as numbers."""
    coding = values.coding
    if isinstance(coding, Narrow) and values.dtype.kind in "iu":
        return series_of(column, values.plain()), value
    if isinstance(coding, Objects) and coding.what == "date":
        is_one = not isinstance(value, list | tuple | set)
        days = [number_of(coding, one) for one in ([value] if is_one else value)]
        return series_of(column, values.plain()), days[0] if is_one else days
    raise NotLazyError("the filter has no lazy form")


def with_labels(
    frame: LazyFrame,
    names: Sequence[str],
    stored: Sequence[str],
    nothing: PandasTypes,
    numbered: pandas.RangeIndex | None,
) -> LazyFrame:
    """Return the columns of a file with the labels that pandas gives them."""
    if not names:
        raise NotLazyError("there are no columns")
    arrays = {own: frame._columns.array(name) for own, name in zip(_own_names(nothing, names), names, strict=True)}
    if len(stored) > 1:
        own = [f"{level_column(number)}{'_' * len(max(arrays, key=len))}" for number in range(len(stored))]
        levels = {level: frame._columns.array(name) for level, name in zip(own, stored, strict=True)}
        noted = FrameLabels(nothing.columns, tuple(zip(own, nothing.index.names, strict=True)))
        made = labelled(LazyFrame._of(ColumnSet.of(levels | arrays)), noted)
    else:
        index, name = (frame._columns.array(stored[0]), nothing.index.name) if stored else (None, None)
        if numbered is not None:
            name = numbered.name
            if numbered.start or numbered.step != 1:
                index = pdarray(*row_numbers(frame._columns.frame)) * numbered.step + numbered.start
        made = labelled(LazyFrame._of(ColumnSet.of(arrays, index, name)), FrameLabels(nothing.columns))
    return made


def _own_names(nothing: PandasTypes, names: Sequence[str]) -> list[str]:
    """Return the names of columns in a lazy frame: their labels, if these are plain text."""
    try:
        check_names(nothing.columns)
    except NotLazyError:
        return list(names)
    return list(nothing.columns)


_ALIKE: Cache[Hashable, bool] = Cache("kinds of arrays beside types of pandas that they have", entries=1024)


def _compare(frame: LazyFrame, nothing: PandasTypes) -> None:
    """Refuse a frame whose columns and labels are of other types than pandas gives."""
    arrays = [frame._columns.array(name) for name in data_names(frame)]
    has_labels = frame._columns.index is not None or nothing.index.nlevels > 1
    kinds = [None if has_labels else _kind_of(array) for array in arrays]
    known = [None if kind is None else (kind, dtype) for kind, dtype in zip(kinds, nothing.dtypes, strict=True)]
    if all(pair is not None and pair in _ALIKE for pair in known):
        return
    found = computed(by_rows(frame, lambda rows: rows.head(0)))
    pairs = [*zip(found.dtypes, nothing.dtypes, strict=True)]
    pairs += [
        (found.index.get_level_values(number).dtype, nothing.index.get_level_values(number).dtype)
        for number in range(nothing.index.nlevels)
    ]
    for one, other in pairs:
        numbers = isinstance(other, np.dtype) and other.kind in "iub"
        has_gaps = numbers and one == ("object" if other.kind == "b" else "float64")
        if one != other and not has_gaps:
            raise NotLazyError(f"a column of type {other} is read as {one}")
    for pair in known:
        if pair is not None:
            _ALIKE.put(pair, True)


def _kind_of(array: Array) -> Hashable:
    """Return what decides about the type of an array in pandas; None where its values do."""
    about = vars(array)
    if isinstance(array, Categorical) or isinstance(about.get("coding"), StoredRows):
        return None
    return type(array), array._value.dtype, *[about[name] for name in sorted(about) if name not in _ROWS]


_ROWS = ("_frame", "_value")
