"""Large CSV files as lazy frames, parsed part by part, with the values, types and labels that pandas would give.

pandas reads the first rows of a file to say what its frame is like.  The loops of the house parse the parts where they
do so as pandas (`csv_rows`), else pandas itself.
"""

from __future__ import annotations

import io
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
import pandas
import pyarrow as pa
from dask.base import tokenize
from dask.system import CPU_COUNT

from akdask.arrays.stored_arrays import from_stored
from akdask.cluster import partition_size
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR
from akdask.columns.strings import from_nulls
from akdask.errors import FileFormatError
from akdask.formats.csv.file_set import CsvSource
from akdask.formats.csv.lines import MARGIN, ByteRange, Lines, LongRowError, UnclosedQuoteError, last_end, scanned
from akdask.formats.csv.text_file import read_text, text_file
from akdask.formats.csv.types import CsvColumn
from akdask.frames.columnset import ColumnSet
from akdask.pandas import tuning
from akdask.pandas.csv_rows import OwnRows, rules_of, types_of
from akdask.pandas.face import words
from akdask.pandas.labels import by_rows, computed
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.lazy_parquet import PandasTypes, with_labels
from akdask.pandas.refusals import NotLazyError
from akdask.records import record
from akdask.storage.files import FileIdentity, identify
from akdask.storage.objects import MAY_LACK, UNIT, VALUES, ZONE, ObjType, StoredColumn, StoredObject

LINEWISE = words(
    """sep delimiter header names index_col usecols dtype engine skiprows na_values keep_default_na na_filter
    parse_dates date_format dayfirst cache_dates decimal thousands comment encoding encoding_errors skipinitialspace
    skip_blank_lines true_values false_values float_precision low_memory compression doublequote
    on_bad_lines"""
)
"""Arguments of `read_csv` whose meaning does not depend on where a file is ranges_of_file."""

OF_HEADER = words(
    "sep delimiter header names skiprows comment encoding encoding_errors skipinitialspace skip_blank_lines"
)
"""Arguments that choose rows and name columns."""

OF_PLACE = words("header names index_col usecols dtype engine skiprows parse_dates date_format low_memory compression")
"""Arguments that are not passed to the parser of a part as they are."""

DTYPES: Mapping[Any, str] = {
    int: "int64",
    float: "float64",
    str: "str",
    bool: "bool",
    **{name: name for name in ("int64", "float64", "str", "bool")},
}

NARROW: Mapping[Any, str | None] = {
    **dict.fromkeys(("int8", "int16", "int32", "uint8", "uint16", "uint32"), "int64"),
    "float32": "float64",
    "category": None,
}
"""Types that columns are given once they are parsed, and those that they are parsed as; None is inferred."""

HEAD = 2**18
"""Bytes at the beginning of a file that say what its frame is like."""


def types_in_turn(options: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return arguments with the types that columns are parsed as, and the types that they are given then."""
    dtype = options.get("dtype")
    is_mapping = isinstance(dtype, dict)
    given: dict[Any, Any] = dtype if isinstance(dtype, dict) else {None: dtype}
    kinds = {name: _type_name(kind) for name, kind in given.items()}
    narrow = {name: kind for name, kind in kinds.items() if kind in NARROW}
    if not narrow:
        return dict(options), None
    parsed = {name: NARROW.get(kinds[name], kind) for name, kind in given.items()}
    if not is_mapping:
        return {**options, "dtype": parsed[None]}, narrow[None]
    return {**options, "dtype": {name: kind for name, kind in parsed.items() if kind is not None}}, narrow


def _type_name(kind: Any) -> str | None:
    """Return the name of a type without parameters."""
    if isinstance(kind, str):
        return kind
    return np.dtype(kind).name if isinstance(kind, np.dtype) or kind in np.sctypeDict.values() else None


def csv(files: str | Sequence[str], **options: Any) -> LazyFrame:
    """Return CSV files as a lazy frame.

    All of the text is read once to learn the types, since pandas infers them from all rows, and again part by part when
    values are needed.

    Raises
    ------
    NotLazyError
        If an argument has no meaning for parts of a file, or cells of a column are of several types.
    """
    given = [files] if isinstance(files, str) else list(files)
    options.pop("memory_map", None)
    _check_linewise(options)
    opened = [_opened(path, options) for path in given]
    first = opened[0]
    if any(not one.names.equals(first.names) for one in opened[1:]):
        raise NotLazyError("the files have different columns")
    index = _index_positions(options.get("index_col"), first.names, options)
    shown = first.sample
    positions: list[Any] = [*(first.names.get_loc(label) for label in shown.columns), *index]
    if shown.index.nlevels != max(len(index), 1) or len(set(positions)) < len(positions):
        raise NotLazyError("columns are labels by another rule")
    parser = _parser_of(first, positions, options)
    names = list(dict.fromkeys(map(str, positions)))
    source_class: type[CsvSource] = CsvSource
    ranges: Sequence[Sequence[ByteRange]]
    try:
        lines = rules_of(options)
        starts, times = [(one.file, one.start) for one in opened], [name for name, _ in parser.times]
        ranges, columns = types_of(starts, lines, _limit(), len(parser.names), dict(parser.dtypes), times, names)
        rows: list[Any] = [OwnRows(one.file.path, parser.names, lines, file=one.file) for one in opened]
    except LongRowError:
        raise NotLazyError("rows have more cells than the first") from None
    except NotLazyError:
        source_class = PandasCsvSource
        ranges, columns = _types_of(opened, parser, names)
        rows = [replace(parser, dtypes=tuple(columns.items()), path=one.file.path) for one in opened]
    source = source_class(
        [one.file for one in opened], ranges, rows, _stored_columns(columns), f"read_csv({given[0]!r})"
    )
    arrays = {name: from_stored(_stored(source, name, kind)) for name, kind in columns.items()}
    frame = LazyFrame._of(ColumnSet.of(arrays))
    nothing, levels = PandasTypes.of(shown.iloc[:0]), [str(position) for position in index]
    made = with_labels(frame, names[: len(shown.columns)], levels, nothing, None)
    _compare_rows(made, shown)
    return made


def _check_linewise(options: dict[str, Any]) -> None:
    """Refuse arguments that have no meaning for parts of a file, or change the types of columns."""
    unable = [word for word, value in options.items() if word not in LINEWISE and value is not NO_DEFAULT]
    delimiter = options.get("sep", options.get("delimiter")) or ","
    checks = {
        f"the argument {unable and unable[0]}": bool(unable),
        "the delimiter": not isinstance(delimiter, str) or len(delimiter) > 1 or delimiter in '"\r\n ',
        "engine": options.get("engine") not in (None, "c"),
        "skiprows": callable(options.get("skiprows")),
        "header": not isinstance(options.get("header", "infer"), int | str | type(None)),
        "compression": options.get("compression", "infer") not in (None, "infer"),
        "encoding": (options.get("encoding") or "utf-8").lower() not in ENCODINGS,
        "on_bad_lines": options.get("on_bad_lines", "error") not in ("error", "skip"),
        "parse_dates": not isinstance(options.get("parse_dates") or [], list),
        "date_format": not isinstance(options.get("date_format"), str | type(None)),
        "na_values": callable(options.get("na_values")),
    }
    refused = [what for what, is_refused in checks.items() if is_refused]
    if refused:
        raise NotLazyError(f"{refused[0]} has no lazy form")


ENCODINGS = frozenset({"utf-8", "utf8", "utf_8", "utf-8-sig", "ascii", "latin-1", "latin1", "iso-8859-1", "cp1252"})
"""Encodings in which a line break is one byte that is part of nothing else."""

NO_DEFAULT = pandas.api.extensions.no_default


@record
class OpenedCsv:
    """A CSV file of which the head is read.

    Parameters
    ----------
    file : FileIdentity
        The file.
    names : pandas.Index
        Labels of all columns.
    sample : pandas.DataFrame
        The first rows, as pandas reads them.
    start : int
        Where the first row begins, in bytes.
    """

    file: FileIdentity
    names: pandas.Index
    sample: pandas.DataFrame
    start: int


def _opened(path: str, options: dict[str, Any]) -> OpenedCsv:
    from pandas.io.common import infer_compression  # type: ignore[import-not-found, unused-ignore]

    file = text_file(identify(path))
    if not isinstance(file, FileIdentity) or infer_compression(path, "infer") is not None:
        raise NotLazyError("the file is compressed")
    head = read_text(file, 0, HEAD)
    if len(head) == HEAD:
        head = head[: last_end(head, Lines(b",", keeps_blank=True))]
    header = {word: value for word, value in options.items() if word in OF_HEADER}
    first_rows = pandas.read_csv(io.BytesIO(head), **header, dtype=str)
    sample = pandas.read_csv(io.BytesIO(head), **{**options, "compression": None})
    if not isinstance(first_rows.index, pandas.RangeIndex) or first_rows.columns.nlevels > 1 or not len(sample):
        raise NotLazyError("the first column has no name, or there are no rows")
    return OpenedCsv(file, first_rows.columns, sample, _start_of_rows(head, options))


def _start_of_rows(head: bytes, options: dict[str, Any]) -> int:
    """Return where the rows begin: behind skipped lines and those of names."""
    names, header = options.get("names", NO_DEFAULT), options.get("header", "infer")
    if header == "infer":
        header = None if names is not None and names is not NO_DEFAULT else 0
    position = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    given = options.get("skiprows")
    skipped = {*(range(given or 0) if isinstance(given, int | None) else given)}
    comment = (options.get("comment") or "\n").encode()
    lines, number = 0 if header is None else header + 1, 0
    while lines or number in skipped:
        start, position = position, _next_line(head, position)
        is_row = head[start:position].strip() and not head[start:position].startswith(comment)
        lines -= number not in skipped and bool(is_row)
        number += 1
    if any(number < line for line in skipped):
        raise NotLazyError("lines between the rows are skipped")
    return position


def _next_line(head: bytes, position: int) -> int:
    stop = head.find(b"\n", position)
    if stop < 0 or (b'"' in head[position:stop] and head[position:stop].count(b'"') % 2):
        raise NotLazyError("the lines of names have quotes")
    return stop + 1


def _index_positions(index_col: Any, names: pandas.Index, options: dict[str, Any]) -> list[int]:
    if index_col is None or index_col is NO_DEFAULT:
        return []
    given = index_col if isinstance(index_col, list) else [index_col]
    if any(isinstance(one, bool) for one in given) or (options.get("usecols") is not None):
        raise NotLazyError("the labels are chosen in another way")
    found: list[Any] = [
        one % len(names) if isinstance(one, int) and one not in names else names.get_loc(one) for one in given
    ]
    return [int(one) for one in found]


@record
class PandasRows:
    """How pandas parses a part of a file; has what `CsvSource` asks of `RowParser`.

    Parameters
    ----------
    path : str
        The file.
    names : tuple of str
        Positions of all columns, as text.
    options : tuple of (str, value)
        Arguments of `pandas.read_csv`.
    times : tuple of (str, str)
        Columns of times, with their formats; pandas finds that of an empty text.
    dtypes : tuple of (str, str)
        Types of the columns, None where pandas is to find them.
    """

    path: str
    names: tuple[str, ...]
    options: tuple[tuple[str, Any], ...]
    times: tuple[tuple[str, str], ...] = ()
    dtypes: tuple[tuple[str, str], ...] = ()

    lines: ClassVar[None] = None
    allow_errors: ClassVar[bool] = False

    @property
    def identity(self) -> Hashable:
        """What columns that are parsed alike have in common; options may be lists and dicts."""
        return self.names, self.times, self.dtypes, tokenize(self.options)

    def column_of(self, name: str, column: CsvColumn) -> CsvColumn:
        """Return a column of the set as this file has it: all files have it alike."""
        return column

    def frame(self, data: Any, names: Sequence[str], dtypes: Mapping[str, str]) -> pandas.DataFrame:
        """Return the rows of some text as pandas parses them."""
        times = {name: form for name, form in self.times if name in names}
        plain = {name: kind for name, kind in dtypes.items() if name in names and name not in times}
        read: Any = pandas.read_csv
        found: pandas.DataFrame = read(
            io.BytesIO(data),
            header=None,
            names=list(self.names),
            usecols=list(names),
            index_col=False,
            dtype=plain,
            parse_dates=list(times),
            date_format={name: form for name, form in times.items() if form} or None,
            low_memory=False,
            engine="c",
            **dict(self.options),
        )
        return found[list(names)]

    def parse(self, data: Any, columns: Mapping[str, CsvColumn], start: int, nrows: int) -> dict[str, Any]:
        """Return columns of the rows that some bytes are.

        Raises
        ------
        FileFormatError
            If there are not as many rows as when the file was opened.
        """
        dtypes = dict(self.dtypes)
        if not nrows:
            return {name: _column(pandas.Series(dtype=dtypes[name])) for name in columns}
        frame = self.frame(data[: len(data) - MARGIN], list(columns), dtypes)
        if len(frame) != nrows:
            raise FileFormatError(f"{self.path!r} has changed: from byte {start} on it had {nrows} rows.")
        return {name: _column(frame[name]) for name in columns}


def _column(column: pandas.Series) -> Any:
    """Return a column of pandas as partitions hold it."""
    if isinstance(column.dtype, pandas.StringDtype) or column.dtype == "object":
        text = pa.array(column, pa.large_string(), from_pandas=True)
        return from_nulls(text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text)
    values = column.to_numpy()
    return values.view("int64") if values.dtype.kind == "M" else values


class PandasCsvSource(CsvSource):
    """The rows of CSV files as pandas parses them."""

    @cached_property
    def token(self) -> str:
        """Changes whenever a file, the parts, the columns or the way of parsing change."""
        told = [(file, found, rows) for file, found, rows in self._parts]
        return blake2b(repr((told, self._columns)).encode(errors="surrogateescape"), digest_size=16).hexdigest()


def _parser_of(opened: OpenedCsv, positions: Sequence[int], options: dict[str, Any]) -> PandasRows:
    """Return how parts are parsed: columns are named by their positions."""

    def named(item: Any) -> str:
        place = opened.names.get_loc(item) if item in opened.names else item
        if not isinstance(place, int):
            raise NotLazyError("columns are chosen by other than their names")
        return str(place)

    passed = {word: value for word, value in options.items() if word not in OF_PLACE and value is not NO_DEFAULT}
    missing = passed.get("na_values")
    if isinstance(missing, dict):
        passed["na_values"] = {named(word): value for word, value in missing.items()}
    dtype = options.get("dtype")
    given = {} if dtype is None or dtype is NO_DEFAULT else dtype
    if not isinstance(given, dict):
        given = {opened.names[position]: given for position in positions}
    if any(not isinstance(kind, Hashable) or kind not in DTYPES for kind in given.values()):
        raise NotLazyError("a type has no lazy form")
    times = {}
    for item in options.get("parse_dates") or []:
        name = named(item)
        times[name] = options.get("date_format") or ""
    return PandasRows(
        opened.file.path,
        tuple(map(str, range(len(opened.names)))),
        tuple(passed.items()),
        tuple(times.items()),
        tuple((named(word), DTYPES[kind]) for word, kind in given.items()),
    )


def _limit() -> int:
    """Return the bytes of a part."""
    return max(min(partition_size() // 2, tuning.PARSED_BYTES), 1)


def _format_of(text: bytes, name: str, parser: PandasRows) -> str | None:
    """Return the format that pandas guesses from the first time of some rows, None if there is none in the first."""
    from pandas.tseries.api import guess_datetime_format

    first = text[: text.find(b"\n", _GUESSED_BYTES) + 1] or text
    column = replace(parser, times=()).frame(first, [name], {name: "str"})[name].dropna()
    if not len(column):
        return None
    dayfirst = bool(dict(parser.options).get("dayfirst"))
    return str(guess_datetime_format(column.iloc[0], dayfirst=dayfirst))


_GUESSED_BYTES = 2**14
"""Bytes of a part whose first time says which format pandas takes all times of the part to have."""


def _types_of(
    opened: Sequence[OpenedCsv], parser: PandasRows, names: Sequence[str]
) -> tuple[list[list[ByteRange]], dict[str, str]]:
    """Parse all files once; return the parts with their rows, and the types of the columns."""
    passed = dict(parser.options)
    delimiter, comment = passed.get("sep") or passed.get("delimiter") or ",", passed.get("comment") or ""
    if not comment.isascii():
        raise NotLazyError("comments begin with a letter of several bytes")
    lines = Lines(delimiter.encode(), keeps_blank=False, comment=comment)
    try:
        # Of parts, whose columns are chosen, pandas refuses no rows.
        ranges_of_files = [
            scanned(one.file, one.start, lines, _limit(), columns=len(parser.names)).ranges for one in opened
        ]
    except UnclosedQuoteError:
        raise NotLazyError("a quote is never closed") from None
    except LongRowError:
        raise NotLazyError("rows have more cells than the first") from None
    given = dict(parser.dtypes)

    guessed = [name for name, form in parser.times if not form]

    def look(place: tuple[OpenedCsv, ByteRange]) -> tuple[int, dict[str, str | None], dict[str, str | None]]:
        one, found = place
        data = read_text(one.file, found.start, found.stop)
        if not data.strip():
            return 0, {}, {}
        frame = parser.frame(data, names, given)
        kinds = {name: None if frame[name].isna().all() else str(frame[name].dtype) for name in names}
        return len(frame), kinds, {name: _format_of(data, name, parser) for name in guessed}

    located = [
        (one, found) for one, ranges_of_file in zip(opened, ranges_of_files, strict=True) for found in ranges_of_file
    ]
    with ThreadPoolExecutor(CPU_COUNT) as threads:
        seen = list(threads.map(look, located))
    counts = iter([rows for rows, _, _ in seen])
    ranges = [
        [ByteRange(found.start, found.stop, next(counts)) for found in ranges_of_file]
        for ranges_of_file in ranges_of_files
    ]
    with_rows = [(kinds, formats) for rows, kinds, formats in seen if rows]
    if any(len({formats[name] for _, formats in with_rows}) > 1 for name in guessed):
        raise NotLazyError("times have several formats: give date_format=")
    return ranges, {name: _common_type(name, [kinds[name] for kinds, _ in with_rows], given, parser) for name in names}


def _common_type(name: str, found: Sequence[str | None], given: Mapping[str, str], parser: PandasRows) -> str:
    """Return the type that pandas gives a column whose parts have some types; None is that of missing cells alone."""
    if name in given:
        return given[name]
    kinds, gaps = {kind for kind in found if kind is not None}, None in found
    if kinds <= {"int64", "float64"}:
        return "int64" if kinds == {"int64"} and not gaps else "float64"
    (kind, *others) = kinds
    times = name in dict(parser.times)
    if others or (kind not in {"str", "bool"} and not times) or (kind == "bool" and gaps) or (times and kind == "str"):
        raise NotLazyError(f"cells of column {name} are of several types: give dtype=")
    return kind


def _stored_columns(columns: Mapping[str, str]) -> dict[str, CsvColumn]:
    kinds = {"int64": INT64, "float64": FLOAT64, "bool": BOOL, "str": NULLABLE_STR}
    return {
        name: CsvColumn(
            int(name), kinds.get(kind, INT64), is_time=kind not in kinds, is_found=True, unit=kind.partition("[")[2][:2]
        )
        for name, kind in columns.items()
    }


def _stored(source: CsvSource, name: str, kind: str) -> StoredObject:
    if not kind.startswith("datetime64"):
        what = ObjType.STRINGS if kind == "str" else ObjType.PDARRAY
        return StoredObject(name, what, {VALUES: StoredColumn(source, name)})
    dtype: Any = pandas.api.types.pandas_dtype(kind)
    if not isinstance(dtype, np.dtype):
        raise NotLazyError("times have a zone")
    params = {MAY_LACK: True, UNIT: np.datetime_data(dtype)[0], ZONE: None}
    return StoredObject(name, ObjType.DATETIME, {VALUES: StoredColumn(source, name)}, params=params)


def _compare_rows(frame: LazyFrame, sample: pandas.DataFrame) -> None:
    """Refuse a frame whose first rows are not those that pandas reads."""
    found = computed(by_rows(frame, lambda rows: rows.head(len(sample))))
    try:
        pandas.testing.assert_frame_equal(found, sample, check_dtype=False, check_index_type=False, rtol=1e-12)
    except AssertionError as error:
        raise NotLazyError("the first rows are others than those of pandas") from error
