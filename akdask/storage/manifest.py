"""Manifests: one Arrow table in a hidden file beside each set, written, found, validated and trusted.

It is a cache.  A manifest that is absent, cut short, damaged or of another version is no manifest, never an error.

Its checksum finds accidental damage.  Against forgery, a manifest is believed only if it has the right owner, and its
size, types and every offset are checked before use.

Formats describe their files in manifests of their own (`ManifestRows`), with checksums of whole files or of parts.  A
`SummedManifest` has nothing but checksums of files.
"""

from __future__ import annotations

import json
import os
import re
import struct
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum, auto
from functools import cache, partial
from time import sleep
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64

from akdask.caches import Cache
from akdask.columns.arrow import arrow_bytes, arrow_numbers, numpy_numbers
from akdask.deferred import pa
from akdask.errors import AkdaskError, FileError, FileFormatError
from akdask.records import record
from akdask.storage import tuning
from akdask.storage.files import FileIdentity, check_status, exists, is_remote, last_changed, open_regular, owner_of
from akdask.storage.locales import sort_key, split_locale
from akdask.storage.ranges import RangeReader, range_reader
from akdask.storage.tuning import BLOCK_BYTES
from akdask.typing import NumberArray

_FORMAT = b"akdask\0\4"
"""Last bytes of a manifest before its checksum; the last byte is the version."""

_END = 16  # bytes of format and checksum
_LARGEST = 2**31  # bytes; 10,000 files of 1,000 columns take half of it

_PLACE = b"place"
"""Key in the table's metadata for the file that this manifest was written to, and the time of writing."""


def manifest_path(path: str) -> str:
    """Return the manifest of the set that is written under `path`.

    Examples
    --------
    >>> manifest_path("d/flows.h5"), manifest_path("d/flows")
    ('d/.flows.h5.akdask', 'd/.flows.akdask')
    """
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.akdask"


def later_than(time: int, path: str) -> int:
    """Make an empty file and return its time of modification in ns, after waiting until that is later than `time`.

    Raises
    ------
    OSError
        If the file cannot be made.
    """
    now = 0
    for _ in range(tuning.MOST_TICKS):
        with open(path, "wb") as file:
            now = os.fstat(file.fileno()).st_mtime_ns
        if now > time:
            break
        sleep(tuning.TICK)
    return now


def write_manifest(path: str, batch: pa.RecordBatch) -> None:
    """Write a table to a new file, as an Arrow stream with format and checksum behind it.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    with open(path, "wb") as file:
        status = os.fstat(file.fileno())
        told = {**(batch.schema.metadata or {}), _PLACE: _place(status)}
        batch = batch.replace_schema_metadata(told)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        table = sink.getvalue()
        file.write(table)
        file.write(_FORMAT)
        file.write(checksum(np.frombuffer(table, np.uint8)).to_bytes(8, "little"))
        file.flush()
        # Writing moves the time on, and a copy has another inode or another time.
        os.utime(file.fileno(), ns=(status.st_mtime_ns, status.st_mtime_ns))


def is_original(path: str, batch: pa.RecordBatch) -> bool:
    """Whether a manifest is the very file that was written, and no copy; it may have been renamed.

    Parameters
    ----------
    path : str
        Path of the manifest.
    batch : pyarrow.RecordBatch
        Its table.
    """
    try:
        return bool((batch.schema.metadata or {}).get(_PLACE) == _place(os.lstat(path)))
    except OSError:
        return False


def _place(status: os.stat_result) -> bytes:
    return f"{status.st_ino}/{status.st_mtime_ns}".encode()


def read_manifest(
    path: str, owners: Container[int] | None = None, schema: Callable[[], pa.Schema] | None = None
) -> pa.RecordBatch | None:
    """Return the table of a manifest; None if it is missing, damaged, or of another version or schema.

    Parameters
    ----------
    path : str
        Path of the manifest; links are not followed.
    owners : container of int, optional
        Users one of whom must own the file. None allows any user.
    schema : callable, optional
        Returns the schema that the table must have, checked before the table is read; metadata do not count.
    """
    try:
        raw = _content(path, owners)
    except (OSError, ValueError):
        return None
    try:
        end = len(raw) - _END
        if end < 0 or raw[end:].tobytes() != _FORMAT + checksum(raw[:end]).to_bytes(8, "little"):
            return None
        return _table(pa.py_buffer(raw[:end]), None if schema is None else schema())
    except (OSError, ValueError, TypeError, struct.error, pa.ArrowException, StopIteration):
        return None


def _content(path: str, owners: Container[int] | None) -> np.typing.NDArray[np.uint8]:
    with os.fdopen(open_regular(path), "rb") as file:
        check_status(os.fstat(file.fileno()), _LARGEST, owners, path)
        return np.fromfile(file, np.uint8)


def _table(stream: pa.Buffer, schema: pa.Schema | None) -> pa.RecordBatch | None:
    """Return the one table of a stream, None if it is not made as `write_manifest` makes it.

    Arrow does not validate a stream unless told to, and decodes dictionaries, compressed bodies and foreign byte orders
    even earlier.  A manifest has none of these, so they are refused first.
    """
    messages = pa.ipc.MessageReader.open_stream(stream)
    head, rows = messages.read_next_message(), messages.read_next_message()
    if (head.type, rows.type) != ("schema", "record batch") or _is_compressed(rows.metadata.to_pybytes()):
        return None
    found = pa.ipc.read_schema(head)
    if schema is not None and not found.equals(schema):
        return None
    batch = pa.ipc.read_record_batch(rows, found)
    batch.validate(full=True)
    return None if any(map(_has_nulls, batch.columns)) else batch


def _is_compressed(metadata: bytes) -> bool:
    """Whether the header of a record batch, verified by Arrow, declares a compressed body.

    It is a FlatBuffers table: the third member of the message is the header, the fourth of that names the compression.
    """
    (message,) = struct.unpack_from("<I", metadata)
    header = _member(metadata, message, 2)
    if header is None:
        return True
    (offset,) = struct.unpack_from("<I", metadata, header)
    return _member(metadata, header + offset, 3) is not None


def _member(metadata: bytes, table: int, number: int) -> int | None:
    """Return where a member of a FlatBuffers table is, None if it has none."""
    (back,) = struct.unpack_from("<i", metadata, table)
    members = table - back
    (size,) = struct.unpack_from("<H", metadata, members)
    place = 4 + 2 * number
    if place + 2 > size:
        return None
    (offset,) = struct.unpack_from("<H", metadata, members + place)
    return table + offset if offset else None


def _has_nulls(column: pa.Array) -> bool:
    if column.null_count:
        return True
    if pa.types.is_struct(column.type):
        return any(map(_has_nulls, column.flatten()))
    return pa.types.is_list(column.type) and _has_nulls(column.values)


def to_struct(*arrays: npt.NDArray[np.void]) -> pa.StructArray:
    """Return structured arrays as one Arrow struct with the same fields."""
    columns = {name: _to_arrow(array[name]) for array in arrays for name in array.dtype.names or ()}
    return pa.StructArray.from_arrays(list(columns.values()), list(columns))


def _to_arrow(values: npt.NDArray[Any]) -> pa.Array:
    if values.dtype.kind != "S":
        return arrow_numbers(values)
    raw = pa.py_buffer(np.ascontiguousarray(values))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(values.itemsize), len(values), [None, raw])


def from_struct(struct: pa.StructArray, dtype: np.dtype[np.void]) -> npt.NDArray[np.void]:
    """Return an Arrow struct as a structured array with the same fields."""
    found = np.empty(len(struct), dtype)
    for name in dtype.names or ():
        column = struct.field(name)
        if column.type == pa.binary(dtype[name].itemsize):
            found[name] = np.frombuffer(column.buffers()[1], dtype[name], len(column))
        else:
            found[name] = numpy_numbers(column)
    return found


class OfFile(Protocol):
    """The description of one file in a manifest."""

    @property
    def file(self) -> FileIdentity:
        """Which file, in which state."""
        ...


Description = TypeVar("Description", bound=OfFile)


class Standing(Enum):
    """Relation of a file to the manifest's row of the same name; see the module."""

    IN_PLACE = auto()
    UNPROVEN = auto()
    OTHER = auto()


class ManifestRows(ABC, Generic[Description]):
    """The descriptions in one manifest of the files of its set.

    A subclass reads its own columns, and checks them, in its constructor.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The table of the manifest, of the types that `read_manifest` has compared.
    original : bool, default False
        Whether it was written where it is, and is no copy.

    Attributes
    ----------
    key : bytes
        Key in the table's metadata for the schemas of the files.
    """

    key: ClassVar[bytes]

    def __init__(self, batch: pa.RecordBatch, *, original: bool = False) -> None:
        self._is_original = original
        names = batch["name"].to_pylist()
        self._schemas_read = json.loads(batch.schema.metadata[self.key])
        self._schema_of = batch["made"].to_pylist()
        self._rows = {os.fsdecode(name): row for row, name in enumerate(names)}
        self._sizes = batch["size"].to_pylist()
        self._versions = batch["version"].to_pylist()
        if len(self._rows) != len(names) or not _are_single_names(names) or min(self._schema_of, default=0) < 0:
            raise ValueError("no manifest")

    @classmethod
    @abstractmethod
    def to_batch(cls, files: Sequence[Description]) -> pa.RecordBatch:
        """Return the table that describes some files; see `rows_batch`."""

    @abstractmethod
    def describe(self, file: FileIdentity, row: int) -> Description | None:
        """Return the description that a row gives of a file, None if it cannot be true."""

    @classmethod
    def compared(cls, found: Description, claimed: Description) -> Description:
        """Return the description of an unproven file, completed by claims of a manifest that agree with it.

        Raises
        ------
        FileFormatError
            If the file's metadata are damaged; checked where the setting ``verify_checksums`` is on.
        """
        return found

    @property
    def names(self) -> list[str]:
        """Names of the files."""
        return list(self._rows)

    def find(self, file: FileIdentity) -> tuple[Standing, Description | None]:
        """Return a file's relation to the manifest, and its description unless the file is another one."""
        # Called for thousands of files; `os.path.basename` is slower.
        row = self._rows.get(file.path[file.path.rfind("/") + 1 :])
        if row is None or self._sizes[row] != file.size:
            return Standing.OTHER, None
        told = self._versions[row]
        if told == file.version:
            standing = Standing.IN_PLACE
        elif self._is_original and told.partition("/")[0] != file.version.partition("/")[0]:
            return Standing.OTHER, None
        else:
            standing = Standing.UNPROVEN
        found = self.describe(file, row)
        return (Standing.OTHER if found is None else standing), found

    @classmethod
    def of_set(cls, path: str, owner: int) -> Self | None:
        """Return the rows of the manifest of a set, None if there is none that is to be believed.

        Parameters
        ----------
        path : str
            The set.
        owner : int
            The user who owns the set's files.
        """
        batch = read_manifest(manifest_path(path), {os.geteuid(), owner}, partial(_types, cls))
        try:
            return None if batch is None else cls(batch, original=is_original(manifest_path(path), batch))
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError, pa.ArrowException):
            return None

    @classmethod
    def write(cls, path: str, files: Sequence[Description], *, are_in_place: bool = True) -> None:
        """Write the manifest of a set to a new file.

        Parameters
        ----------
        path : str
            The file.
        files : sequence of descriptions
            The files of the set, all in one folder, in their final state.
        are_in_place : bool, default True
            Whether the files have been renamed to their final paths. Until then they are described as copies.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        if are_in_place:
            # A file that changes again within the same tick of the clock has the same times as before.  So a time is
            # only good if the clock is past it.
            now = later_than(max(last_changed(each.file) for each in files), path)
            versions = [each.file.version if last_changed(each.file) < now else "" for each in files]
        else:
            versions = [f"{each.file.version.partition('/')[0]}/" for each in files]
        batch = cls.to_batch(files)
        index = batch.schema.get_field_index("version")
        write_manifest(path, batch.set_column(index, "version", _strings(versions)))

    @classmethod
    def described(cls, files: Sequence[FileIdentity]) -> dict[FileIdentity, Description]:
        """Return descriptions of the files that manifests describe in their present state; others must be inspected."""
        return {found.file: found for found in cls.told(files).in_place.values()}

    @classmethod
    def told(cls, files: Sequence[FileIdentity], patterns: Sequence[re.Pattern[str]] = ()) -> Told[Description]:
        """Return the descriptions in manifests of present files and of missing ones.

        Only a manifest can reveal that the last files of the numbering are missing.

        Parameters
        ----------
        files : sequence of FileIdentity
            All present files.
        patterns : sequence of re.Pattern
            Patterns of whole paths. A file that matches none of them is not reported missing.
        """
        in_place: dict[str, Description] = {}
        unproven: dict[str, Description] = {}
        lost: list[str] = []
        present = {file.path for file in files} if patterns else set()
        for (path, owner), members in by_set(files).items():
            rows = cls.of_set(path, owner)
            if rows is None:
                continue
            known = 0
            for file in members:
                standing, found = rows.find(file)
                if found is not None:
                    (in_place if standing is Standing.IN_PLACE else unproven)[file.path] = found
                    known += 1
            if known and patterns and known < len(rows.names):
                named = (os.path.join(os.path.dirname(path), name) for name in sorted(rows.names, key=sort_key))
                absent = (path for path in named if path not in present)
                lost.extend(path for path in absent if any(pattern.fullmatch(path) for pattern in patterns))
        return Told(in_place, unproven, list(dict.fromkeys(lost)))


@record
class Told(Generic[Description]):
    """Descriptions of files from manifests, and the files that are missing.

    Parameters
    ----------
    in_place : mapping of str to description
        Descriptions of unchanged files, by path.
    unproven : mapping of str to description
        Files that may be.
    lost : list of str
        Paths of files that are not there.
    """

    in_place: dict[str, Description]
    unproven: dict[str, Description]
    lost: list[str]


@cache
def _types(rows: type[ManifestRows[Any]]) -> pa.Schema:
    return rows.to_batch([]).schema.remove_metadata()


def rows_batch(
    key: bytes,
    files: Sequence[FileIdentity],
    schemas: Sequence[Any],
    schema_of: Sequence[int],
    columns: Mapping[str, pa.Array],
) -> pa.RecordBatch:
    """Return the table of a manifest.

    Parameters
    ----------
    key : bytes
        See `ManifestRows`.
    files : sequence of FileIdentity
        A row for each.
    schemas : sequence of str, list or dict
        Schemas of the files, in their JSON form.
    schema_of : sequence of int
        Number of the schema of each file.
    columns : mapping of str to Arrow array
        Further columns of the format, with a row for each file.
    """
    found = {
        "name": arrow_bytes([os.fsencode(os.path.basename(file.path)) for file in files], pa.binary()),
        "size": arrow_numbers([file.size for file in files], np.int64),
        "version": _strings([file.version for file in files]),
        "made": arrow_numbers(schema_of, np.int32),
        **columns,
    }
    metadata = {key: json.dumps(schemas).encode()}
    schema = pa.schema([pa.field(name, column.type) for name, column in found.items()], metadata)
    return pa.RecordBatch.from_arrays(list(found.values()), schema=schema)


def by_set(files: Sequence[FileIdentity]) -> dict[tuple[str, int], list[FileIdentity]]:
    """Group local files of sets by the path under which their set was written, and by their owner."""
    sets: defaultdict[tuple[str, int], list[FileIdentity]] = defaultdict(list)
    for file in files:
        found = None if is_remote(file.path) else split_locale(file.path)
        if found is not None:
            sets[found[0], owner_of(file)].append(file)
    return sets


def _strings(values: Sequence[str]) -> pa.Array:
    return arrow_bytes([value.encode() for value in values], pa.string())


def _are_single_names(names: Sequence[bytes]) -> bool:
    """Whether every name is that of a direct entry of a folder; vectorized, as there may be thousands."""
    joined = b"".join(names)
    return b"/" not in joined and b"\0" not in joined and {b"", b".", b".."}.isdisjoint(names)


class OfSummedFile(OfFile, Protocol):
    """The description of one file with checksums."""

    @property
    def sums(self) -> FileSums | None:
        """Its checksums, None if they are not known."""
        ...


@record
class SummedFile:
    """A file of which only checksums are known.

    Parameters
    ----------
    file : FileIdentity
        Which file, in which state.
    sums : FileSums, optional
        Its checksums.
    is_proven : bool, default True
        Whether the checksums belong to this file, and not to the original of a copy.
    """

    file: FileIdentity
    sums: FileSums | None
    is_proven: bool = True

    def at(self, path: str) -> SummedFile:
        """Return the description of the file at another path."""
        return replace(self, file=replace(self.file, path=path))


def sum_columns(files: Sequence[OfSummedFile]) -> dict[str, pa.Array]:
    """Return the manifest columns of file checksums, which `SumsOfRows` reads."""
    known = [file.sums for file in files]
    return {
        "stop": arrow_numbers([-1 if sums is None else sums.stop for sums in known], np.int64),
        "data": arrow_numbers([0 if sums is None else sums.data for sums in known], np.uint64),
        "rest": arrow_numbers([0 if sums is None else sums.rest for sums in known], np.uint64),
    }


class SumsOfRows:
    """The checksums that a manifest has of its files.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The table of the manifest.

    Raises
    ------
    ValueError
        If more bytes are data than there are.
    """

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._rows = list(zip(*(batch[name].to_pylist() for name in ("stop", "data", "rest")), strict=True))
        sizes = batch["size"].to_pylist()
        if any(not -1 <= row[0] <= size for row, size in zip(self._rows, sizes, strict=True)):
            raise ValueError("no manifest")

    def __getitem__(self, row: int) -> FileSums | None:
        found = self._rows[row]
        return None if found[0] < 0 else FileSums(*found)


class SummedManifest(ManifestRows[SummedFile]):
    """The rows of a manifest with checksums only, as for CSV."""

    key: ClassVar[bytes] = b"summed"

    def __init__(self, batch: pa.RecordBatch, *, original: bool = False) -> None:
        super().__init__(batch, original=original)
        self._sums = SumsOfRows(batch)

    def describe(self, file: FileIdentity, row: int) -> SummedFile:
        """Return the description of a file from a row."""
        return SummedFile(file, self._sums[row])

    @classmethod
    def to_batch(cls, files: Sequence[SummedFile]) -> pa.RecordBatch:
        """Return the table that describes some files."""
        return rows_batch(cls.key, [file.file for file in files], [None], [0] * len(files), sum_columns(files))

    @classmethod
    def compared(cls, found: SummedFile, claimed: SummedFile) -> SummedFile:
        """Return the description of an unproven file with its claimed checksums."""
        return replace(claimed, is_proven=False)


def differing_files(manifest: type[ManifestRows[Any]], files: Sequence[FileIdentity]) -> Iterable[tuple[str, str]]:
    """Read all bytes of files with known checksums, and yield the path and damage of differing files.

    Missing files are yielded as well.  If a manifest was copied with its files, and all of them match it, it is adopted
    for the copies.
    """
    told = manifest.told(files, [re.compile(".*", re.DOTALL)])
    lost, is_right = [path for path in told.lost if not exists(path)], True
    for path in lost:
        yield path, "the file is missing from the set."
    for path, found in [*told.in_place.items(), *told.unproven.items()]:
        if found.sums is not None:
            try:
                is_right = found.sums.check_once(found.file, is_proven=path in told.in_place) and is_right
            except AkdaskError as error:
                is_right = False
                yield path, " ".join([error.message, *error.details])
    if told.unproven and is_right and not lost:
        adopt(manifest, told)


def adopt(manifest: type[ManifestRows[Any]], told: Told[Any]) -> None:
    """Rewrite manifests for copied files that all match; manifests with a missing file stay as they are.

    So they do where this user may not write, and while another process writes the set.

    Parameters
    ----------
    manifest : subclass of ManifestRows
        The manifests of the format.
    told : Told
        Descriptions of the files, all of which were found to match.
    """
    from akdask.storage.transaction import staged_files  # few who read adopt a manifest

    known = told.in_place | told.unproven
    for (path, owner), members in by_set([found.file for found in told.unproven.values()]).items():
        rows = manifest.of_set(path, owner)
        files = [] if rows is None else [known.get(os.path.join(os.path.dirname(path), name)) for name in rows.names]
        if members and files and all(file is not None for file in files):
            with suppress(FileError), staged_files(path, [manifest_path(path)]) as add:
                add(manifest_path(path), partial(manifest.write, files=files))


# -------------------------------------------------------------------------------------------- checksums of stored bytes


class Checksum:
    """The checksum of bytes that come in blocks of any size; block bounds do not change it.

    Examples
    --------
    >>> whole, cut = Checksum(), Checksum()
    >>> whole.add(np.arange(5, dtype=np.uint8))
    >>> cut.add(np.arange(2, dtype=np.uint8))
    >>> cut.add(np.arange(2, 5, dtype=np.uint8))
    >>> whole.value == cut.value
    True
    """

    def __init__(self) -> None:
        self._hash = xxh3_64()

    def add(self, block: NumberArray) -> None:
        """Add the bytes of a contiguous array."""
        self._hash.update(block.view(np.uint8).data)

    @property
    def value(self) -> int:
        """The checksum of all bytes so far, 0 to 2**64 - 1."""
        return int(self._hash.intdigest())


def checksum(block: NumberArray) -> int:
    """Return the checksum of the bytes of one contiguous array."""
    found = Checksum()
    found.add(block)
    return found.value


VERIFIED: Cache[Hashable, None] = Cache("verified checksums", entries=2**16, size=lambda _: tuning.FILE_BYTES)
"""Comparisons that found equal checksums; keys begin with the file in its state, so that they end with it."""


def sum_of_ranges(reader: RangeReader, ranges: Iterable[tuple[int, int]], what: str) -> int:
    """Return the checksum of several byte ranges of an open file, one after the other.

    Raises
    ------
    FileFormatError
        If the file ends before the last range does; `what` names the ranges in the message.
    """
    found, buffer = Checksum(), np.empty(BLOCK_BYTES, np.uint8)
    for begin, end in ranges:
        for start in range(begin, end, BLOCK_BYTES):
            block = buffer[: min(BLOCK_BYTES, end - start)]
            reader.read_into(block, start, what)
            found.add(block)
    return found.value


@record
class FileSums:
    """The checksums of a whole file: one of its data, and one of the metadata that describe the data.

    Parameters
    ----------
    stop : int
        Bytes of data.
    data : int
        Their checksum.
    rest : int
        That of the bytes behind.
    """

    stop: int
    data: int
    rest: int

    @classmethod
    def of(cls, file: FileIdentity, stop: int | None = None) -> FileSums:
        """Read a file and sum its data, the first `stop` bytes or all, and its metadata.

        Raises
        ------
        FileFormatError
            If the file ends before.
        """
        stop = file.size if stop is None else stop
        with range_reader(file) as reader:
            data = sum_of_ranges(reader, [(0, stop)], "all bytes")
            return cls(stop, data, sum_of_ranges(reader, [(stop, file.size)], "all bytes"))

    def check_once(self, file: FileIdentity, *, is_proven: bool) -> bool:
        """Compare all bytes of a file, unless this process has found them right already.

        Parameters
        ----------
        file : FileIdentity
            The file.
        is_proven : bool
            Whether the checksums belong to this very file. If not, it is a copy, or another program has written it
            since; then it is right if both its data and its metadata have these checksums.

        Returns
        -------
        bool
            Whether the file is the one that was summed up.

        Raises
        ------
        FileFormatError
            If bytes have changed.
        """
        if (file, self) in VERIFIED:
            return True
        found = FileSums.of(file, self.stop)
        if found == self:
            VERIFIED.put((file, self), None)
            return True
        if not is_proven and found.data != self.data and found.rest != self.rest:
            return False
        sides = (found.data, self.data) if found.data != self.data else (found.rest, self.rest)
        raise differing_error(repr(file.path), *sides)


def differing_error(what: str, found: int, expected: int) -> FileFormatError:
    """Return the error for bytes whose checksum differs from the one written."""
    return FileFormatError(
        f"{what} is not what was written.",
        details=[f"checksum {found:016x}, written with {expected:016x}"],
        hint="the disk or a copy has changed bytes: restore the file, or write the set again.  If another program has "
        "written it since, remove the manifest beside it.",
    )
