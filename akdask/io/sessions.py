"""A session in files: variables of a caller by `snapshot` and `restore`, and arrays in checkpoints of Arkouda.

A checkpoint is a folder in the layout of Arkouda's ``save_checkpoint``: each array is a text file of JSON lines and one
Parquet file for each locale; integers of any size are files of bytes. Sources: Arkouda's ``CheckpointMsg.chpl``.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import stat
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote, unquote
from uuid import uuid4

import numpy as np
import pyarrow.parquet as pq

from akdask.arrays.creation import array
from akdask.arrays.groupby import GroupBy
from akdask.arrays.ndarray import ArrayView
from akdask.arrays.pdarray import pdarray
from akdask.arrays.shapes import chained
from akdask.arrays.stored_arrays import open_prefix, read_objects
from akdask.arrays.strings import Strings
from akdask.arrays.writable import Writable
from akdask.arrays.writing import Storable, stored_column, write_objects
from akdask.cluster import transfer_limit
from akdask.columns.bigint import to_ints
from akdask.columns.dtypes import BIGINT, NULLABLE_STR
from akdask.columns.table import Table
from akdask.deferred import pa
from akdask.engine.file_writes import fitted
from akdask.engine.missing import is_missing, is_missing_text, parts
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.run import check_bytes, run
from akdask.errors import (
    AkdaskError,
    ArgumentError,
    ArgumentTypeError,
    ExistsError,
    FileError,
    FileFormatError,
    MissingFileError,
    UnsupportedError,
    WriteError,
)
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.records import record
from akdask.storage.files import absolute, check_status, is_remote, open_regular, path_text, written_path
from akdask.storage.objects import KEY, LEVEL, ROW_LABELS, VALUES
from akdask.storage.recovery import recover_folders, settled_folder
from akdask.storage.transaction import FolderTransaction, errors_naming, previous, write_error

FOLDER = ".akdata"
SERVER = "server.md"
ENTRY_TYPE = "PrimitiveTypedArraySymEntry"
TYPES = ("int64", "uint64", "float64", "bool")
_FILES = re.compile(r".*\.md|.*_LOCALE\d+\.(data|bin)", re.DOTALL)
_MAX_TEXT_BYTES = 2**26
MODES = ("overwrite", "preserve_previous", "error")

SUFFIX = "_SNAPSHOT"

MISSING = "_missing_"
"""Prefix of the variables that hold which rows of others are missing; no variable of the caller starts with it."""


def snapshot(filename: str | os.PathLike[str]) -> None:
    """Write all akdask variables of the caller to HDF5 files, which Arkouda's `restore` reads; computes.

    Arrays, Strings, Categoricals, indexes, groupings and DataFrames are written, each under the name of its variable.
    Names that begin with an underscore are left out: notebooks keep old results under such.  Which text, integers
    and bools are missing is written beside arrays, labels, keys of groupings and the columns of DataFrames, as a
    variable whose name begins so.

    Parameters
    ----------
    filename : str or path
        The files are named so, with ``_SNAPSHOT`` behind.

    Raises
    ------
    ArgumentError
        If the name is that of a folder or a device.
    FileError
        If there are no such variables.

    Examples
    --------
    >>> ports = ak.array([80, 443])
    >>> ak.snapshot("session")
    >>> sorted(ak.restore("session"))
    ['ports']
    """
    frame = inspect.currentframe()
    variables = caller_variables(None if frame is None else frame.f_back)
    if not variables:
        raise FileError("there is nothing to write: no variable holds a lazy object.")
    written_path(filename)
    objects = {name: _storable(item) for name, item in variables.items()}
    validity = dict(pair for name, item in objects.items() for pair in _validity(name, item))
    objects = {name: _filled(item) for name, item in objects.items()}
    write_objects({**objects, **validity}, f"{os.fspath(filename)}{SUFFIX}", "truncate", "distribute", na_rep="")


def restore(filename: str | os.PathLike[str]) -> dict[str, Any]:
    """Open a `snapshot` of akdask or Arkouda.  Reads metadata only.

    Parameters
    ----------
    filename : str or path
        The file name given to `snapshot`.

    Returns
    -------
    dict
        The variables by name.

    Raises
    ------
    MissingFileError
        If there is no such snapshot.

    Examples
    --------
    >>> ports = ak.array([80, 443])
    >>> ak.snapshot("session")
    >>> ak.restore("session")["ports"].tolist()
    [80, 443]
    """
    found = read_objects(open_prefix(f"{path_text(filename)}{SUFFIX}"))
    for name in [name for name in found if name.startswith(MISSING)]:
        _lose(found, unquote(name.removeprefix(MISSING)), found.pop(name))
    return found


def _validity(name: str, item: Storable) -> Iterator[tuple[str, Storable]]:
    """Yield which rows of a variable, or of its parts, are missing, under a name derived from the variable's."""
    for path, stored in item.named(name):
        value = stored.members.get(VALUES)
        if value is not None and value.dtype.nullable:
            missing = is_missing_text(value) if value.dtype == NULLABLE_STR else is_missing(value)
            yield f"{MISSING}{quote(path, safe='')}", stored_column(stored.frame, missing)


def _filled(item: Storable) -> Storable:
    """Return an object with 0 in place of missing integers, and False in place of missing bools."""
    return replace(
        item,
        members={member: (parts(value) or (value,))[0] for member, value in item.members.items()},
        children={member: _filled(child) for member, child in item.children.items()},
    )


def _without(array: Any, missing: Any) -> Any:
    """Return text, integers or bools that are missing in the given rows."""
    return array._operate("make_missing" if isinstance(array, Strings) else "nullable", array, missing)


def _lose(variables: dict[str, Any], path: str, missing: Any) -> None:
    """Mark rows of a variable, or of its parts, as missing again."""
    name, _, member = path.partition("/")
    known = variables.get(name)
    if isinstance(known, DataFrame):
        if member in known.columns:
            known[member] = _without(known[member], missing)
        elif member.startswith(ROW_LABELS):
            known.index = _relabelled(known.index, member.removeprefix(ROW_LABELS).lstrip("/"), missing)
    elif isinstance(known, Strings | pdarray):
        variables[name] = _without(known, missing)
    elif isinstance(known, Index):
        variables[name] = _relabelled(known, member, missing)
    elif isinstance(known, GroupBy):
        variables[name] = _with_key(known, int(member.removeprefix(KEY)), missing)


def _relabelled(index: Index, member: str, missing: Any) -> Index:
    """Return row labels with missing rows in the level of a member."""
    if not isinstance(index, MultiIndex):
        return Index(_without(index.values, missing), name=index.name)
    levels = list(index.levels)
    number = int(member.removeprefix(LEVEL))
    levels[number] = _without(levels[number], missing)
    return MultiIndex(levels, names=index.names)


def _with_key(groups: GroupBy, number: int, missing: Any) -> GroupBy:
    """Return the same groups, with missing values in one of the keys."""
    keys = list(groups._arrays)
    keys[number] = _without(keys[number], missing)
    return GroupBy.build_from_components(
        orig_keys=keys if len(keys) > 1 else keys[0],
        permutation=groups.permutation,
        segments=groups.segments,
        unique_key_idx=groups.unique_key_idx,
        dropna=groups.dropna,
    )


def caller_variables(frame: FrameType | None) -> Mapping[str, Any]:
    """Return the local variables of a stack frame that can be written."""
    variables = {} if frame is None else frame.f_locals
    return {
        name: item
        for name, item in variables.items()
        if isinstance(item, Writable | DataFrame) and not name.startswith("_")
    }


def _storable(item: Any) -> Storable:
    """Return the stored form of a variable; multidimensional arrays are flat, so that today's servers read them."""
    return item.flat_storable() if isinstance(item, ArrayView) else item._storable()


def save_checkpoint(name: str = "", path: str | os.PathLike[str] = FOLDER, mode: str = "overwrite") -> str:
    """Write the numeric arrays among the caller's variables to a checkpoint; computes.

    Other objects are left out, as in Arkouda; `snapshot` writes them too.  The numbers of a bigint array are stored,
    but not its limit of bits.  A checkpoint is replaced completely or not at all, even if this process is killed. A
    folder is removed only if it contains nothing but a checkpoint.

    Parameters
    ----------
    name : str
        Name of the checkpoint, by default ``akdask``.
    path : str or path
        The folder of checkpoints.
    mode : {"overwrite", "preserve_previous", "error"}
        Treatment of an existing checkpoint of that name: replace it, keep it as ``<name>.prev``, or refuse to write.

    Returns
    -------
    str
        The name.

    Raises
    ------
    ArgumentError
        If `mode` is none of these, or the name is no name of a folder.
    ArgumentTypeError
        If the name is no text.
    ExistsError
        If a checkpoint of that name exists and `mode` is "error"; or the name belongs to something else.
    FileError
        If no variable holds an array of numbers.
    WriteError
        If the checkpoint cannot be written; an existing one stays.

    Examples
    --------
    >>> ports = ak.array([80, 443])
    >>> ak.save_checkpoint("work")
    'work'
    """
    name = _named(name) or "akdask"
    if mode not in MODES:
        raise ArgumentError(f"mode is {', '.join(map(repr, MODES))}, not {mode!r}.")
    if os.path.basename(name) != name or name in {".", ".."}:
        raise ArgumentError(f"{name!r} is no name of a checkpoint.", hint="the folder is given by path=.")
    frame = inspect.currentframe()
    variables = caller_variables(None if frame is None else frame.f_back)
    arrays = {
        entry: item
        for entry, item in variables.items()
        if isinstance(item, pdarray) and item.ndim == 1 and item._value.dtype.name in {*TYPES, BIGINT.name}
    }
    if not arrays:
        raise FileError("there is nothing to write: no variable holds an array of numbers.")
    target = written_path(_local(os.path.join(path, name)))
    recover_folders(os.path.dirname(target))
    if mode == "error" and os.path.lexists(target):
        raise ExistsError(f"there is a checkpoint {target!r} already.", hint="use mode='overwrite'.")
    _replace(target, arrays, preserves=mode == "preserve_previous")
    return name


def load_checkpoint(name: str, path: str | os.PathLike[str] = FOLDER) -> dict[str, pdarray]:
    """Read the arrays of a checkpoint, of akdask or of an Arkouda server, into memory.

    Parameters
    ----------
    name : str
        Name of the checkpoint.
    path : str or path
        The folder of checkpoints.

    Returns
    -------
    dict of str to pdarray
        The arrays by the names of their entries.  Arkouda returns the name alone, as its server holds the arrays.

    Raises
    ------
    ArgumentError
        If no folder can have that name.
    ArgumentTypeError
        If the name is no text.
    MissingFileError
        If there is no such checkpoint.
    FileFormatError
        If it is damaged.
    TransferError
        If its arrays would take more than the setting ``max_transfer_bytes`` allows.
    UnsupportedError
        If an entry is no array of numbers.

    Examples
    --------
    >>> ports = ak.array([80, 443])
    >>> ak.save_checkpoint("work")
    'work'
    >>> [array.tolist() for array in ak.load_checkpoint("work").values()]
    [[80, 443]]
    """
    folder = absolute(_local(os.path.join(path, _named(name))))
    return settled_folder(folder, lambda found: _read(Path(found)))


def _local(path: str) -> str:
    """Return the path of a checkpoint, a folder that is replaced as a whole.

    Raises
    ------
    UnsupportedError
        If it is a URL: object stores have no folders, and cannot rename.
    """
    if is_remote(path):
        raise UnsupportedError(
            f"a checkpoint is a folder of this machine, which {path!r} is not.",
            hint="write to object stores with ak.snapshot or ak.to_hdf; or copy the folder of a checkpoint.",
        )
    return path


def _named(name: Any) -> str:
    if not isinstance(name, str):
        raise ArgumentTypeError("a checkpoint is named by a str.", details=[f"given: {name!r}"])
    return name


# writing


def _replace(target: str, arrays: Mapping[str, pdarray], *, preserves: bool) -> None:
    """Write a checkpoint beside its target, and put it in place when it is complete."""
    for path in [target, *([previous(target)] if preserves else [])]:
        if os.path.lexists(path):
            _demand_checkpoint(path)
    staging = FolderTransaction(target)
    folder = staging.create()
    try:
        _write(Path(folder), Path(target), arrays)
    except AkdaskError:
        raise
    except OSError as error:
        raise write_error(target, error) from error
    except Exception as error:
        raise WriteError(
            f"{target!r} was not written: {type(error).__name__}: {error}", hint="what was there before is untouched."
        ) from error
    else:
        staging.commit(_demand_checkpoint, preserves=preserves)
    finally:
        staging.discard()


def _demand_checkpoint(path: str) -> None:
    """Refuse to have something replaced that holds anything else than a checkpoint."""
    try:
        found = os.listdir(path) if stat.S_ISDIR(os.lstat(path).st_mode) else None
    except OSError as error:
        raise write_error(path, error) from error
    foreign = [] if found is None else [name for name in found if not _FILES.fullmatch(name)]
    if found is None or foreign or not _is_server_file(Path(path, SERVER)):
        raise ExistsError(
            f"{path!r} is no checkpoint, and is not replaced by one.",
            details=[f"it holds {name!r}" for name in sorted(foreign)],
            hint="choose another name, or another folder by path=; or move it away.",
        )


def _is_server_file(path: Path) -> bool:
    try:
        return "serverid" in json.loads(_text(path).partition("\n")[0])
    except (FileFormatError, ValueError, TypeError, RecursionError):
        return False


def _write(folder: Path, target: Path, arrays: Mapping[str, pdarray]) -> None:
    count = max(item.npartitions for item in arrays.values())
    placed = os.path.join(target.parent.name, target.name)
    for entry, item in arrays.items():
        dtype = item._value.dtype.name
        is_big = dtype == BIGINT.name
        # Servers number the files of integers of any size from 1, and record only their common name.
        files = [f"{entry}_LOCALE{k + 1:04d}.bin" if is_big else f"{entry}_LOCALE{k:04d}.data" for k in range(count)]
        counts = _write_chunks(item, [str(folder / file) for file in files], _write_big if is_big else _write_chunk)
        shape = {"dtype": dtype, "size": sum(counts), "ndim": 1, "numTargetLocales": count}
        paths = [os.path.join(placed, file) for file in files]
        chunks = [{"filename": path, "numElems": size} for path, size in zip(paths, counts, strict=True)]
        lines = [
            {"entryName": entry, "entryType": ENTRY_TYPE},
            {**shape, "numChunks": 0 if is_big else count},
            *([os.path.join(placed, entry)] if is_big else chunks),
        ]
        _write_lines(folder / f"{entry}.md", lines)
    _write_lines(folder / SERVER, [{"serverid": target.name, "numLocales": count}])


def _write_chunks(item: pdarray, paths: Sequence[str], write: Callable[[Sequence[Table], str], int]) -> list[int]:
    """Write the rows of an array to as many files, and return how many each has."""
    rows = fitted(Project(item._frame, ("data",), (item._value,)), len(paths))
    calls = tuple((((0, index),), (path,)) for index, path in enumerate(paths))
    written = Tasks(f"checkpoint {rows._name}", write, calls, rows, _determ_token=uuid4().hex)
    gather = ((tuple((0, index) for index in range(len(paths))), ()),)
    (counts,) = run(Tasks(f"counts {written._name}", list, gather, written, _determ_token=uuid4().hex))
    return list(counts)


def _write_chunk(tables: Sequence[Table], path: str) -> int:
    """Write one partition in the servers' form; the function of its task."""
    (table,) = tables
    column = pa.table({"data": pa.array(table.columns["data"])})
    schema = pa.schema([pa.field("data", column.schema.field("data").type, nullable=False)])
    with errors_naming(path):
        pq.write_table(column.cast(schema), path, compression="none", store_schema=False)
    return table.nrows


def _write_big(tables: Sequence[Table], path: str) -> int:
    """Write one partition of integers of any size, in the form of `_big_numbers`; the function of its task."""
    (table,) = tables
    parts = [struct.pack("=Q", table.nrows)]
    for number in to_ints(table.columns["data"]):
        magnitude = abs(number).to_bytes((number.bit_length() + 7) // 8, "big")
        parts += [struct.pack("=I", len(magnitude) | (number < 0) << 31), magnitude]
    with errors_naming(path):
        Path(path).write_bytes(b"".join(parts))
    return table.nrows


def _write_lines(path: Path, lines: Sequence[Mapping[str, Any] | str]) -> None:
    encoded = (line if isinstance(line, str) else json.dumps(line, separators=(", ", ":")) for line in lines)
    path.write_text("".join(f"{text}\n" for text in encoded))


# reading


@record
class _Entry:
    """The description of one array in a text file of a checkpoint."""

    path: Path
    name: str
    kind: str
    dtype: str
    size: int
    chunks: Sequence[Any]


def _read(folder: Path) -> dict[str, pdarray]:
    if not os.path.isfile(folder / SERVER):
        raise MissingFileError(f"there is no checkpoint {str(folder)!r}.", hint="write one with ak.save_checkpoint.")
    entries: dict[str, _Entry] = {}
    for file in sorted(file for file in folder.glob("*.md") if file.name != SERVER):
        entry = _described(file)
        if (other := entries.setdefault(entry.name, entry)) is not entry:
            raise FileFormatError(
                f"two files of the checkpoint {str(folder)!r} describe the entry {entry.name!r}.",
                details=[str(other.path), str(file)],
            )
    check_bytes(sum(entry.size * np.dtype(entry.dtype).itemsize for entry in entries.values() if entry.dtype in TYPES))
    return {name: _array(entry) for name, entry in entries.items()}


def _bytes(path: Path, most: float | None = None) -> bytes:
    """Return the content of a checkpoint file, refusing links and files whose reading may block.

    By default the size is limited by the setting for transfers to this process.
    """
    try:
        with os.fdopen(open_regular(str(path)), "rb") as file:
            status = os.fstat(file.fileno())
            check_status(status, transfer_limit() if most is None else most, None, str(path))
            return file.read(status.st_size)
    except OSError as error:
        raise FileFormatError(f"{str(path)!r} cannot be read.", details=[str(error)]) from error


def _text(path: Path) -> str:
    return _bytes(path, _MAX_TEXT_BYTES).decode()


def _described(path: Path) -> _Entry:
    """Return the description in a text file, after validating the number of elements."""
    try:
        lines = [line for line in _text(path).splitlines() if line.strip()]
        first, about = json.loads(lines[0]), json.loads(lines[1])
        entry, kind, dtype, size = first["entryName"], first["entryType"], about["dtype"], about["size"]
        chunks = lines[2:] if dtype == BIGINT.name else list(map(json.loads, lines[2:]))
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise FileFormatError(f"{str(path)!r} describes no entry of a checkpoint.", details=[str(error)]) from error
    if not isinstance(entry, str) or type(size) is not int or size < 0:
        raise FileFormatError(
            f"{str(path)!r} describes no entry of a checkpoint.", details=[f"{size!r} elements of {entry!r}"]
        )
    if dtype != BIGINT.name and (dtype not in TYPES or about.get("ndim") != 1):
        raise UnsupportedError(f"the entry {entry!r} of a checkpoint is {kind} of {dtype}, which cannot be read.")
    return _Entry(path, entry, kind, dtype, size, chunks)


def _array(entry: _Entry) -> pdarray:
    """Read an array and join its parts, if they have the number of elements in its entry."""
    if entry.dtype == BIGINT.name:
        parts = [array(_read_big(entry.path, entry.chunks), BIGINT)]
    else:
        parts = [array(part) for part in _read_chunks(entry)] or [array(np.empty(0, entry.dtype))]
    found = sum(part.size for part in parts)
    if found != entry.size:
        raise FileFormatError(f"{str(entry.path)!r} tells of {entry.size} elements, there are {found}.")
    joined: pdarray = chained(parts) if len(parts) > 1 else parts[0]
    return joined


def _read_chunks(entry: _Entry) -> Iterator[np.ndarray[Any, Any]]:
    """Read the chunks of an entry, wherever the server that wrote them ran: they are beside the entry."""
    seen: set[str] = set()
    for chunk in entry.chunks:
        try:
            file, count = entry.path.parent / os.path.basename(chunk["filename"]), chunk["numElems"]
            if file.name in seen:
                raise ValueError(f"{file.name!r} is told of twice")
            seen.add(file.name)
            stored = pq.ParquetFile(pa.BufferReader(_bytes(file)))
            dtype, rows = stored.schema_arrow.field("data").type, stored.metadata.num_rows
            # A few bytes may encode any number of equal elements, so the number is checked before decoding.
            is_told = dtype == pa.from_numpy_dtype(np.dtype(entry.dtype)) and rows == count and rows <= entry.size
            column = stored.read(["data"]).column("data").to_numpy() if is_told else None
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
            raise FileFormatError(f"a chunk of {str(entry.path)!r} cannot be read.", details=[str(error)]) from error
        if column is None or column.dtype != entry.dtype or len(column) != count:
            raise FileFormatError(
                f"{str(file)!r} is not the chunk that {entry.path.name!r} tells of.",
                details=[f"{rows} elements of {dtype}", f"wanted: {count} of {entry.dtype}"],
            )
        yield column


def _read_big(path: Path, bases: Sequence[str]) -> list[int]:
    """Read integers of any size, in files that are numbered from 1: a count, then for each its length and bytes.

    The highest bit of the length is the sign; the most significant byte comes first.
    """
    names = "|".join(re.escape(os.path.basename(base)) for base in bases)
    files = [file for file in path.parent.iterdir() if re.fullmatch(rf"({names})_LOCALE\d+\.bin", file.name)]
    try:
        return [number for file in sorted(files, key=_locale) for number in _big_numbers(_bytes(file))]
    except (ValueError, TypeError, OSError, struct.error) as error:
        raise FileFormatError(f"integers of {str(path)!r} cannot be read.", details=[str(error)]) from error


def _locale(file: Path) -> int:
    return int(file.stem.rpartition("_LOCALE")[2])


def _big_numbers(data: bytes) -> Iterator[int]:
    (count,) = struct.unpack_from("=Q", data)
    position = 8
    for _ in range(count):
        (header,) = struct.unpack_from("=I", data, position)
        stop = position + 4 + (header & 0x7FFFFFFF)
        if stop > len(data):
            raise ValueError("a number ends beyond its file")
        magnitude = int.from_bytes(data[position + 4 : stop], "big")
        yield -magnitude if header >> 31 else magnitude
        position = stop
