"""Write blobs: rows of any origin become one Parquet file, whose name is known after its last byte."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal

import pyarrow as pa

from akdask.errors import AkdaskError, ArgumentError, TransferError, warn
from akdask.evo import tuning
from akdask.evo.canonical import CanonicalForm, Names
from akdask.evo.description import ArrayDescription, new_uuid
from akdask.evo.errors import BlobWriteError, ContentError, EvoError
from akdask.evo.findings import ContentRules, Finding, RowFacts, conclude, errors_among, examine_column
from akdask.evo.folders import BlobSink, OpenTarget, opener
from akdask.evo.kinds import role_named
from akdask.evo.rows import RowStream, in_order, lazy_rows
from akdask.formats.parquet.footers import PARQUET_ERRORS
from akdask.formats.parquet.write import EncodedRowGroup, RowGroupAssembly, RowGroupEncoding
from akdask.records import record

_LEVELS = range(1, 10)


@record
class RowGroupOutcome:
    """The result of encoding one row group, or one of its columns.

    Parameters
    ----------
    encoded : EncodedRowGroup or None
        Its bytes, None if something is wrong.
    facts : RowFacts
        Facts about its values.
    error : EvoError, optional
        Why they do not even have the types of the blob.
    """

    encoded: EncodedRowGroup | None
    facts: RowFacts
    error: EvoError | None = None


@record
class ColumnEncoder:
    """Encodes the columns of row groups one by one in tasks, and collects their violations.

    Parameters
    ----------
    form : CanonicalForm
        Form of the rows in the blob.
    rules : ContentRules
        Requirements on their values.
    encoding : RowGroupEncoding
        How they are encoded.
    """

    form: CanonicalForm
    rules: ContentRules
    encoding: RowGroupEncoding

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.form.schema)

    def __call__(self, rows: pa.Table, number: int) -> RowGroupOutcome:
        """Return the outcome of one column of rows.  The caller, who knows where the rows are, reports errors."""
        try:
            column = self.form.column(rows, number)
        except EvoError as error:
            return RowGroupOutcome(None, RowFacts(), error)
        field = self.form.schema.field(number)
        facts = examine_column(column, field.name, number, self.rules)
        if errors_among(facts.findings(self.rules, 0)):
            return RowGroupOutcome(None, facts)
        return RowGroupOutcome(self.encoding.encode(pa.Table.from_arrays([column], schema=pa.schema([field]))), facts)

    def joined(self, columns: Sequence[RowGroupOutcome]) -> RowGroupOutcome:
        """Return the outcome of a row group, given the outcomes of its columns."""
        facts = reduce(RowFacts.joined, [column.facts for column in columns])
        parts = [column.encoded for column in columns if column.encoded is not None]
        encoded = EncodedRowGroup.side_by_side(parts) if len(parts) == len(columns) else None
        return RowGroupOutcome(encoded, facts, next((column.error for column in columns if column.error), None))


def write_blob(
    table: Any,
    open_target: OpenTarget | str | os.PathLike[str],
    *,
    role: str = "attribute",
    names: Names = None,
    data_type: str | None = None,
    row_group_rows: int | None = None,
    level: int | None = None,
    identifier: Literal["hash", "uuid"] = "hash",
    vertices: int | None = None,
    time_zone: str | None = None,
    truncate_times: bool = False,
    dictionaries: bool | None = None,
) -> ArrayDescription:
    """Write rows as one blob, and return its description; computes.

    Columns of row groups are encoded in parallel and written in order, so that only a few are in memory at a time.  The
    bounds of row groups depend on the types of the columns alone: equal rows give equal bytes, however they are
    partitioned.  If the number of rows is unknown, as after a filter, they are counted first.

    Parameters
    ----------
    table : DataFrame, array, mapping or iterator
        Lazy rows: a DataFrame or array of akdask or of Dask, or a dict of such arrays.  Or a pandas DataFrame, whose
        labels are left out; an Arrow table or any producer of Arrow streams; an array of NumPy, HDF5 or Zarr of one or
        two dimensions; a dict of columns; or an iterator of any of these.
    open_target : path or callable
        A folder on this machine, where the blob gets its name; the path of a file, which becomes the blob; or a
        function that begins an `akdask.evo.folders.BlobSink`.
    role : str, default "attribute"
        Role of the array, which decides about nulls, NaN and indices: ``geometry``, ``attribute``, ``index``,
        ``category``, ``lookup``, ``mask``, ``color`` or ``time``.
    names : list of str or "keep", optional
        Names of the columns; "keep" uses the names in the table.  By default the kind of array names them.
    data_type : str, optional
        Type to store all columns as, or a type for each, joined by slashes, as in a description.  Only lossless
        conversions are made.  By default types stay, except for text, dictionaries of text, and times of other units
        and zones. Integers of role ``index`` become uint64, 64-bit integers of role ``color`` become uint32, and floats
        of role ``category``, whose NaN is missing, become int32.
    row_group_rows : int, optional
        Rows of a row group; by default 2**17 of floats and 2**19 of other types, fewer of very wide rows.
    level : int, default 6
        Level of gzip, from 1 to 9.
    identifier : {"hash", "uuid"}, default "hash"
        Whether the blob is named by the SHA-256 of its bytes, or by a new UUID.
    vertices : int, optional
        Number of vertices, which indices must be below.
    time_zone : str, optional
        The zone that times without one are of.
    truncate_times : bool, default False
        Drop digits of times below microseconds, which are refused otherwise.
    dictionaries : bool, optional
        Whether columns have dictionaries of their values.  By default each column has one where its values repeat often
        enough, which each row group decides by its own values.

    Returns
    -------
    ArrayDescription
        With the name of the blob.

    Raises
    ------
    KindError
        If no kind of array has such columns, or the role forbids their types.
    ContentError
        If values are null, NaN, out of range or repeated where the role forbids that, or lose by conversion.
    ShapeError
        If there are not as many names or types as columns.
    UnsupportedTableError
        If it is no table.
    BlobWriteError
        If the bytes cannot be written.

    Warns
    -----
    UserWarning
        If text has NUL characters, or geometry infinite values.

    Notes
    -----
    Any error leaves no blob behind, and an existing file of that name unchanged.
    """
    if identifier not in ("hash", "uuid"):
        raise ArgumentError(f"identifier is 'hash' or 'uuid', not {identifier!r:.100}.")
    if level is not None and level not in _LEVELS:
        raise ArgumentError(f"level is a number from 1 to 9, not {level!r:.100}.")
    _check_count("row_group_rows", row_group_rows, 1)
    _check_count("vertices", vertices, 0)
    begin = opener(open_target)
    lazy = lazy_rows(table)
    stream = RowStream.of(table) if lazy is None else None
    schema = lazy.schema if lazy is not None else stream.schema  # type: ignore[union-attr]
    chosen = role_named(role)
    form = CanonicalForm.of(
        schema, chosen, names=names, data_type=data_type, time_zone=time_zone, truncate_times=truncate_times
    )
    rules = ContentRules(chosen, form.kind.name, vertices)
    nrows = form.group_rows if row_group_rows is None else int(row_group_rows)
    encoder = ColumnEncoder(form, rules, form.encoding(level, dictionaries=dictionaries))
    at_once = max(1, tuning.WRITTEN_BYTES // form.bytes_of(nrows))
    if lazy is not None:
        encoded = lazy.encoded(nrows, encoder)
    writer = BlobWriter(begin(), rules, form.schema.names[0])
    try:
        if lazy is not None:
            encoded.results(writer.add, at_once)
        else:
            assert stream is not None, "rows are lazy or come as a stream"
            for columns in in_order(encoder, stream.groups(nrows), encoder.width, at_once):
                writer.add(encoder.joined(columns))
        name = writer.finish(None if identifier == "hash" else new_uuid())
    except BaseException as error:
        writer.abort()
        if isinstance(error, AkdaskError) and not isinstance(error, TransferError):
            raise
        if isinstance(error, PARQUET_ERRORS):
            raise BlobWriteError(
                "a blob was not written.",
                details=[f"{type(error).__name__}: {error}"],
                hint="nothing of it is left; look at the rows that it was to have.",
            ) from error
        raise
    return ArrayDescription.of_schema(form.schema, writer.nrows, name)


class BlobWriter:
    """One blob being written: takes row groups in order, and names the blob by the digest of its bytes.

    Parameters
    ----------
    sink : BlobSink
        Where bytes go.
    rules : ContentRules
        Requirements on values.
    name : str
        Name of the first column.
    """

    def __init__(self, sink: BlobSink, rules: ContentRules, name: str) -> None:
        self._sink, self._rules, self._name = sink, rules, name
        self._digest = hashlib.sha256()
        self._assembly = RowGroupAssembly()
        self._facts: list[RowFacts] = []
        self._write(self._assembly.start())

    @property
    def nrows(self) -> int:
        """Rows that have gone out."""
        return self._assembly.nrows

    def _write(self, data: Any) -> None:
        self._digest.update(data)
        self._sink.write(data)

    def add(self, group: RowGroupOutcome) -> None:
        """Write the next row group.

        Raises
        ------
        ContentError
            If the role of the array, or the type of a column, forbids a value.
        """
        number, facts = len(self._facts), group.facts.moved(self.nrows)
        if group.error is not None:
            where = f"row group {number}, which begins at row {self.nrows:,}"
            error = group.error
            raise type(error)(error.message, details=[where, *error.details], hint=error.hint) from error
        _refuse(facts.findings(self._rules, number))
        assert group.encoded is not None, "nothing is wrong"
        for data in self._assembly.add(group.encoded):
            self._write(data)
        self._facts.append(facts)

    def finish(self, name: str | None) -> str:
        """Write the end of the blob, give it its name, and return that.

        Parameters
        ----------
        name : str or None
            The name; None for the digest of the bytes.

        Raises
        ------
        ContentError
            If something is wrong with the array as a whole.
        """
        _refuse(list(conclude(self._facts, self._rules, self._name)))
        for data in self._assembly.finish():
            self._write(data)
        found = self._digest.hexdigest() if name is None else name
        self._sink.commit(found)
        for number, facts in enumerate(self._facts):
            for finding in facts.findings(self._rules, number):
                warn(str(finding), UserWarning)
        return found

    def abort(self) -> None:
        """Drop all that was written."""
        self._sink.abort()


def _check_count(name: str, value: Any, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ArgumentError(f"{name} is a whole number from {least} on, not {value!r:.100}.")


def _refuse(findings: Any) -> None:
    wrong: list[Finding] = errors_among(findings)
    if wrong:
        raise ContentError(
            "an array has values that its role forbids, and is not written.",
            details=[str(finding) for finding in wrong],
            hint="correct the rows, or name another role.",
        )
