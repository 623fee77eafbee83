"""Writing files as pandas does, never half of them: each is written under a hidden name and put into place.

pandas itself writes what is in memory, and what is small.  Large lazy frames are computed and written some rows at a
time where the format allows it: CSV, Parquet and SQL.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from typing import Any

import numpy as np
import pandas

from akdask.errors import AkdaskError
from akdask.pandas import tuning
from akdask.pandas.arguments import signature_of
from akdask.pandas.face import WRITERS, Face, faced, in_pandas
from akdask.pandas.refusals import NotLazyError, refusal
from akdask.storage.single_file import may_have_transactions, put_file

PACKED = frozenset({"to_csv", "to_json", "to_pickle", "to_stata", "to_xml"})
"""Methods that compress as the name of the file says."""


def write(face: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Write an object as a method of pandas does, and return what that returns."""
    try:
        given = _arguments(face, name, args, kwargs)
        target = given.pop(WRITERS[name], None)
        if name == "to_sql":
            return _rows_to_sql(face, target, given)
        path = _plain_path(name, target, given)
        if path is None:
            return _by_pandas(face, name, target, given)
        return _put(face, path, lambda attempt: _as_before(path, attempt, _written(face, name, attempt, path, given)))
    except Exception as error:
        raise refusal(error) from error


def _arguments(face: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name."""
    signature = signature_of(face.pandas_class, name)
    given = dict(signature.bind(None, *args, **kwargs).arguments)
    given.pop("self", None)
    for word, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            given |= given.pop(word, {})
    return {word: in_pandas(value) for word, value in given.items()}


def _by_pandas(face: Any, name: str, target: Any, given: dict[str, Any]) -> Any:
    if isinstance(face, Face):
        face = face.to_pandas()
    target_given = {} if target is None else {WRITERS[name]: target}
    return faced(getattr(face, name)(**target_given, **given))


# one file, put into place


def _plain_path(name: str, target: Any, given: dict[str, Any]) -> str | None:
    """Return the file of this machine that is replaced, None where pandas writes into an existing object."""
    if not isinstance(target, str | os.PathLike):
        return None
    path = os.path.expanduser(os.fsdecode(target))
    if "://" in path:
        return None
    path = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(path)) or (os.path.exists(path) and not os.path.isfile(path)):
        return None
    mode = given.get("mode", "a" if name == "to_hdf" else "w")
    writes_anew = mode in {"w", "wt", "wb"} or (name == "to_hdf" and mode in {"a", "r+"})
    if not writes_anew or given.get("partition_cols") or given.get("storage_options"):
        return None
    if name == "to_excel" and not path.lower().endswith(".xlsx"):
        return None
    return None if name in PACKED and _compression(path, given) == "tar" else path


def _put(face: Any, path: str, write: Callable[[str], Any]) -> Any:
    """Have a file written aside, and put it into place; what is in memory and small needs no transaction."""
    if face.is_at_hand() and not may_have_transactions(os.path.dirname(path)):
        try:
            return put_file(path, write)
        except OSError:
            from akdask.storage.transaction import errors_naming

            with errors_naming(path):
                raise
    return _put_by_transaction(path, write)


def _as_before(path: str, attempt: str, found: Any) -> Any:
    """Give a file the rights and the owner of the one whose place it takes, as pandas leaves them; return a result."""
    with suppress(FileNotFoundError):
        before, made = os.stat(path), os.stat(attempt)
        if (before.st_uid, before.st_gid) != (made.st_uid, made.st_gid):
            with suppress(PermissionError):
                os.chown(attempt, before.st_uid, before.st_gid)
        os.chmod(attempt, stat.S_IMODE(before.st_mode))
    return found


def _put_by_transaction(path: str, write: Callable[[str], Any]) -> Any:
    from akdask.storage.transaction import staged_files

    found: list[Any] = []
    failed: list[Exception] = []

    def attempted(attempt: str) -> None:
        try:
            found.append(write(attempt))
        except (AkdaskError, OSError):
            raise
        except Exception as error:
            failed.append(error)
            raise

    try:
        with staged_files(path, [path]) as add:
            add(path, attempted)
    except Exception as error:
        raise (failed[0] if failed else error) from None
    return found[0]


def _written(face: Any, name: str, attempt: str, path: str, given: dict[str, Any]) -> Any:
    """Write a file under another name than it will have."""
    given = dict(given)
    if name in PACKED:
        given["compression"] = _packing(path, given)
    if name == "to_hdf" and os.path.exists(path) and given.get("mode", "a") != "w":
        shutil.copyfile(path, attempt)
    with open(attempt, "wb") if _names_its_file(name, given) else nullcontext(attempt) as target:
        if name in _IN_PARTS and _is_large(face):
            try:
                return _IN_PARTS[name](face, target, given)
            except NotLazyError:
                pass
        return _by_pandas(face, name, target, given)


def _names_its_file(name: str, given: dict[str, Any]) -> bool:
    """Return whether a name would be written into the file, or decide about its content."""
    packing = given.get("compression")
    return name == "to_excel" or (isinstance(packing, dict) and packing["method"] == "gzip")


def _compression(path: str, given: dict[str, Any]) -> str | None:
    """Return how a file is compressed, by an argument or by its name."""
    from pandas.io.common import (  # type: ignore[import-not-found, unused-ignore]
        get_compression_method,
        infer_compression,
    )

    method, _ = get_compression_method(given.get("compression", "infer"))
    found: str | None = infer_compression(path, method)
    return found


def _packing(path: str, given: dict[str, Any]) -> dict[str, Any] | None:
    """Return the compression of a file in words that do not depend on its name."""
    method, noted = _compression(path, given), given.get("compression", "infer")
    if method is None:
        return None
    options = {key: value for key, value in noted.items() if key != "method"} if isinstance(noted, dict) else {}
    if method == "zip":
        inner = os.path.basename(path)
        options.setdefault("archive_name", inner[: -len(".zip")] if inner.lower().endswith(".zip") else inner)
    if method == "gzip":
        options.setdefault("filename", os.path.basename(path))
    return {"method": method, **options}


# in parts


def _is_large(face: Any) -> bool:
    """Return whether an object is not in memory, and too large to be brought there at once."""
    return face._in_memory is None and face._extent()[1] > tuning.WRITTEN_BYTES


def parts(face: Any, most: int) -> Iterator[Any]:
    """Yield the rows of a lazy object in memory, some at a time: a multiple of a number of rows."""
    rows, nbytes = face._extent()
    wanted = max(rows * tuning.WRITTEN_BYTES // max(nbytes, 1), 1)
    step = max(wanted // most, 1) * most
    for start in range(0, max(rows, 1), step):
        part = face[start : start + step] if face.pandas_class is pandas.DataFrame else face.iloc[start : start + step]
        yield part.to_pandas()


def _to_csv(face: Any, target: Any, given: dict[str, Any]) -> None:
    """Write CSV in parts of whole chunks of pandas, which decides for each of them how times look."""
    from pandas.io.common import get_handle

    columns = given.get("columns")
    width = 1 if face.pandas_class is pandas.Series else len(face.columns if columns is None else columns)
    chunk = given.get("chunksize") or (100_000 // (width or 1)) or 1
    options = {word: value for word, value in given.items() if word not in {"mode", "compression"}}
    handles = get_handle(
        target,
        "w",
        encoding=given.get("encoding"),
        errors=given.get("errors", "strict"),
        compression=given.get("compression"),
    )
    with handles:
        for number, part in enumerate(parts(face, chunk)):
            part.to_csv(handles.handle, **({**options, "header": False} if number else options))


def _to_parquet(face: Any, target: Any, given: dict[str, Any]) -> None:
    """Write Parquet in parts of whole row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    index, compression = given.get("index"), given.get("compression", "snappy")
    if given.get("engine", "auto") not in {"auto", "pyarrow", pandas.api.extensions.no_default} or (
        given.keys() - {"index", "compression", "engine", "partition_cols", "storage_options", "filesystem"}
    ):
        raise NotLazyError("an argument has no form in parts")
    rows, writer = len(face), None
    try:
        for part in parts(face, ROWS_OF_GROUP):
            if writer is None:
                if any(isinstance(dtype, np.dtype) and dtype.kind == "O" for dtype in part.dtypes):
                    raise NotLazyError("the rows of a part do not tell the type of all")
                schema = _of_all_rows(pa.Table.from_pandas(part, preserve_index=index).schema, rows)
                writer = pq.ParquetWriter(target, schema, compression=compression or "none")
            table = pa.Table.from_pandas(part, schema=schema, preserve_index=index)
            writer.write_table(table.replace_schema_metadata(schema.metadata), ROWS_OF_GROUP)
    finally:
        if writer is not None:
            writer.close()


ROWS_OF_GROUP = 2**20
"""Rows of a row group, as pyarrow has them."""


def _of_all_rows(schema: Any, rows: int) -> Any:
    """Return the schema of the first rows with the labels of all."""
    noted = json.loads(schema.metadata[b"pandas"])
    for labels in noted["index_columns"]:
        if isinstance(labels, dict) and labels.get("kind") == "range":
            labels["stop"] = labels["start"] + rows * labels["step"]
    return schema.with_metadata({**schema.metadata, b"pandas": json.dumps(noted).encode()})


def _rows_to_sql(face: Any, name: str, given: dict[str, Any]) -> Any:
    """Write a table; later parts are appended to the first."""
    if not _is_large(face):
        return _by_pandas(face, "to_sql", name, given)
    written = []
    for number, part in enumerate(parts(face, 1)):
        options = {**given, "if_exists": "append"} if number else given
        written.append(_by_pandas(part, "to_sql", name, options))
    return None if None in written else sum(written)


_IN_PARTS: dict[str, Callable[[Any, Any, dict[str, Any]], Any]] = {"to_csv": _to_csv, "to_parquet": _to_parquet}
