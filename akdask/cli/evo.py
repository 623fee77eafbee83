"""``akdask evo``: blobs of Evo objects, in stores and as files."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import akdask
from akdask import evo
from akdask.cli.console import counted, print_json, printable, table
from akdask.cli.sets import EXIT_CODES
from akdask.errors import AkdaskError, ArgumentError, FileFormatError, MissingColumnError
from akdask.storage.files import concurrently, is_remote

_LONGEST = 200
_CSV = re.compile(r"\.(csv|tsv)(\.(gz|bz2|zst|lz4))?$", re.IGNORECASE)
"""Names of text files in columns."""

_OPTION = re.compile(
    r"\b(time_zone|data_type|row_group_rows|truncate_times|level|storage_options)=(?:True|'?([\w/]+)'?)?"
)
"""Keywords of Python in hints that are options here."""

_ROLES = ("geometry", "attribute", "index", "category", "lookup", "mask", "color", "time")


def register(commands: Any) -> None:
    """Add the subcommand and its own subcommands to the parser."""
    parser = commands.add_parser(
        "evo",
        help="store, read and check blobs of Evo objects: put, get, ls, validate, verify, gc",
        description="Store, read and check the arrays of Evo geoscience objects: Parquet blobs that are named by their "
        "SHA-256.  A store is a folder, or the URL of one.",
    )
    actions = parser.add_subparsers(title="commands", metavar="ACTION", required=True)
    for add in (_add_put, _add_get, _add_ls, _add_validate, _add_verify, _add_gc):
        add(actions)


def _added(
    actions: Any, name: str, run: Callable[[argparse.Namespace], int], text: str, *, has_store: bool = True
) -> argparse.ArgumentParser:
    """Add a subcommand that prints its errors in one line."""
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    if has_store:
        parser.add_argument("store", metavar="STORE", help="the folder of the blobs, or its URL")
    parser.add_argument("--storage-options", metavar="JSON", help="what fsspec needs to open URLs, such as keys")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.epilog = EXIT_CODES
    parser.set_defaults(run=lambda options: _in_one_line(run, options))
    return parser


def _in_one_line(run: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    try:
        return run(options)
    except AkdaskError as error:
        parts = [error.message, *error.details[:3], *([] if error.hint is None else [_OPTION.sub(_option, error.hint)])]
        text = "; ".join(part.strip().rstrip(".;") for part in parts)
        raise AkdaskError(printable(" ".join(text.split()))) from error


def _option(match: re.Match[str]) -> str:
    """Return the option of the command line that a keyword of Python is."""
    return f"--{match[1].replace('_', '-')}{' ' if match[2] else ''}{match[2] or ''}"


def _store(options: argparse.Namespace) -> Any:
    return evo.Store(options.store, storage_options=_storage_options(options))


def _existing_store(options: argparse.Namespace) -> Any:
    """Return the store, whose folder must exist: a misspelled folder is an error and not an empty store."""
    store = _store(options)
    if not is_remote(store.place) and not os.path.isdir(store.place):
        raise ArgumentError(f"there is no folder {store.place!r}.", hint="a store is made by `akdask evo put`.")
    return store


def _storage_options(options: argparse.Namespace) -> Mapping[str, Any] | None:
    return None if options.storage_options is None else _parsed(options.storage_options, "--storage-options")


def _parsed(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"{what} is JSON.", details=[str(error)]) from None


def _add_put(actions: Any) -> None:
    parser = _added(
        actions, "put", _put, "write rows of files as blobs, one of each file, and print their descriptions"
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILES", help="Parquet, HDF5, CSV or Zarr; or blobs, with --as-blob"
    )
    parser.add_argument("--as-blob", action="store_true", help="take each file as it is, if it is a blob")
    parser.add_argument("--role", choices=_ROLES, help="what the arrays are for (default: attribute)")
    parser.add_argument("--columns", metavar="NAMES", help="columns in their order, separated by commas (default: all)")
    parser.add_argument("--data-type", metavar="TYPE", help="type to store the columns as, such as int32")
    parser.add_argument("--keep-names", action="store_true", help="keep the names of the columns")
    parser.add_argument("--categories", action="store_true", help="store columns of text as codes and a lookup table")
    parser.add_argument("--uuid", action="store_true", help="name the blobs by UUIDs")
    parser.add_argument("--level", type=int, metavar="N", help="level of gzip, 1 to 9")
    parser.add_argument("--row-group-rows", type=int, metavar="N", help="rows of a row group")
    parser.add_argument("--vertices", type=int, metavar="N", help="number of vertices, which indices must be below")
    parser.add_argument("--time-zone", metavar="ZONE", help="the zone of times that have none")
    parser.add_argument("--truncate-times", action="store_true", help="drop what times have beyond microseconds")


def _put(options: argparse.Namespace) -> int:
    store = _store(options)
    identifier = "uuid" if options.uuid else "hash"
    found = []
    for file in options.files:
        if options.as_blob:
            found.append(store.add(file, role=options.role, identifier=identifier))
            continue
        given = {
            "data_type": options.data_type,
            "names": "keep" if options.keep_names else None,
            "row_group_rows": options.row_group_rows,
            "level": options.level,
            "identifier": identifier,
            "vertices": options.vertices,
            "time_zone": options.time_zone,
            "truncate_times": options.truncate_times,
        }
        rows = _rows(file, options)
        if options.categories:
            given = {name: value for name, value in given.items() if name not in {"data_type", "vertices"}}
            found.append(store.put_categories(rows, **given))
        else:
            found.append(store.put(rows, role=options.role or "attribute", **given))
    print_json(found[0] if len(found) == 1 and not options.json else found)
    return 0


def _rows(file: str, options: argparse.Namespace) -> Any:
    """Return the rows of a file: of Parquet exactly as stored, of other formats lazily."""
    columns = None if options.columns is None else options.columns.split(",")
    if _is_parquet(file):
        return _rows_of_parquet(file, columns)
    found = _read(file, columns, _storage_options(options))
    frame = found if isinstance(found, akdask.DataFrame) else akdask.DataFrame(found)
    return frame if columns is None else frame[columns]


def _read(file: str, columns: Sequence[str] | None, storage_options: Mapping[str, Any] | None) -> Any:
    """Return the lazy columns of a file, also of CSV that others wrote."""
    try:
        return akdask.read(file, datasets=columns, storage_options=storage_options)
    except FileFormatError:
        if not _CSV.search(file):
            raise
        column_delim = "\t" if ".tsv" in file.lower() else ","
        return akdask.read_csv(file, columns, column_delim, storage_options=storage_options)


def _is_parquet(file: str) -> bool:
    """Whether this is a single local Parquet file, whose exact types are kept."""
    try:
        with open(file, "rb") as opened:
            return opened.read(4) == b"PAR1"
    except OSError:
        return False


def _rows_of_parquet(file: str, columns: Sequence[str] | None) -> pa.RecordBatchReader:
    """Return the rows of a Parquet file, batch by batch."""
    try:
        opened = pq.ParquetFile(file)
        schema = opened.schema_arrow
    except (OSError, pa.ArrowException) as error:
        raise FileFormatError(f"{file!r} cannot be read.", details=[str(error)]) from error
    names = list(columns or [name for name in schema.names if name not in _labels(schema)])
    missing = [repr(name) for name in names if name not in schema.names]
    if missing:
        known = f"columns: {', '.join(schema.names)}"
        raise MissingColumnError(f"{file!r} has no column {', '.join(missing)}.", details=[known])
    schema = pa.schema([schema.field(name) for name in names])
    batches = (batch.select(names) for batch in opened.iter_batches(columns=names))
    return pa.RecordBatchReader.from_batches(schema, batches)


def _labels(schema: pa.Schema) -> list[Any]:
    """Return the names of the columns with the labels of rows in a file of pandas."""
    found = (schema.pandas_metadata or {}).get("index_columns", [])
    return [] if len(found) == len(schema) else found


def _add_get(actions: Any) -> None:
    parser = _added(actions, "get", _get, "show rows of a blob, or copy it to a file")
    parser.add_argument("blob", metavar="BLOB", help="its name, its description as JSON, or a file with that")
    parser.add_argument("--out", metavar="FILE", help="write a blob of that name instead")
    parser.add_argument("--columns", metavar="NAMES", help="columns, separated by commas (default: all)")
    parser.add_argument("--rows", metavar="A:B", help="rows to take")
    parser.add_argument("-n", "--number", type=int, default=10, metavar="N", help="rows to show (default: 10)")
    parser.add_argument("--lookup", metavar="BLOB", help="the lookup table of codes")


def _get(options: argparse.Namespace) -> int:
    store, blob = _existing_store(options), _blob(options.blob)
    columns = None if options.columns is None else options.columns.split(",")
    rows = _row_range(options.rows)
    if options.out is not None:
        if columns is None and rows is None:
            described = store.export(blob, options.out)
        else:
            taken = store.get_arrow(blob, columns=columns, rows=rows)
            described = evo.write_blob(taken, options.out).to_json()
        print_json(described)
        return 0
    shown = rows if rows is not None else slice(0, max(options.number, 0))
    if options.lookup is None:
        found = store.get_arrow(blob, columns=columns, rows=shown)
    else:
        found = store.get(blob, columns=columns, rows=shown, lookup=_blob(options.lookup)).to_arrow()
    listed = found.to_pydict()
    if options.json:
        print_json(listed)
    else:
        print(table(list(listed), zip(*map(_shown, listed.values()), strict=True)))
    return 0


def _shown(column: Sequence[Any]) -> list[Any]:
    return [item.isoformat() if isinstance(item, datetime) else item for item in column]


def _blob(text: str) -> Any:
    """Return a reference to a blob: text, or the JSON of a description, given directly or in a file."""
    if text.lstrip().startswith("{"):
        return _parsed(text, "a description")
    if os.path.isfile(text):
        return evo.load_document(text)
    return text


def _row_range(text: str | None) -> slice | None:
    if text is None:
        return None
    first, colon, last = text.partition(":")
    try:
        bounds = [int(part) if part else None for part in (first, last)]
    except ValueError:
        bounds = []
    if not colon or not bounds:
        raise ArgumentError(f"rows are given as A:B, such as 0:1000, not {text!r:.60}.")
    return slice(*bounds)


def _add_ls(actions: Any) -> None:
    _added(actions, "ls", _ls, "list the blobs of a store: kind, rows, columns, bytes")


def _ls(options: argparse.Namespace) -> int:
    store = _existing_store(options)
    entries = store.ls()
    about = concurrently(lambda entry: _described(store, entry.identifier), entries)
    listed = [
        {**found, "name": entry.identifier, "bytes": entry.size, "modified": _time(entry.modified)}
        for entry, found in zip(entries, about, strict=True)
    ]
    if options.json:
        print_json(listed)
        return 0
    print(f"{printable(store.place)}: {counted(len(entries), 'blob')}")
    if listed:
        rows = [[item["name"], item["kind"], item["length"], item["bytes"], item["modified"]] for item in listed]
        print(table(["name", "kind", "rows", "bytes", "modified"], rows, widest=_LONGEST))
    for item in listed:
        if item["problem"] is not None:
            print(f"! {item['name']}: {printable(item['problem'])}")
    return 0


def _described(store: Any, name: str) -> dict[str, Any]:
    try:
        described = store.describe(name)
        kind = evo.ArrayDescription.from_json(described).kind
    except AkdaskError as error:
        return {"kind": None, "length": None, "width": None, "problem": error.message}
    return {"kind": kind, "length": described["length"], "width": described.get("width"), "problem": None}


def _time(seconds: float) -> str | None:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else None


def _add_validate(actions: Any) -> None:
    text = "check blobs against all rules, or an object with its blobs"
    parser = _added(actions, "validate", _validate, text, has_store=False)
    parser.add_argument("files", nargs="*", metavar="FILES", help="blobs; none with --object")
    parser.add_argument("--description", metavar="JSON", help="what the blob should be, or a file with that")
    parser.add_argument("--role", choices=_ROLES, help="what the arrays are for")
    parser.add_argument("--vertices", type=int, metavar="N", help="number of vertices, which indices must be below")
    parser.add_argument("--footer-only", action="store_true", help="check only what footers tell")
    parser.add_argument("--object", metavar="FILE", help="check the object that a JSON file describes")
    parser.add_argument("--store", metavar="STORE", help="where the blobs of the object are")


def _validate(options: argparse.Namespace) -> int:
    if (options.object is None) == (not options.files):
        raise ArgumentError("validate checks either files or, with --object, an object.")
    storage_options = _storage_options(options)
    if options.object is not None:
        store = None if options.store is None else evo.Store(options.store, storage_options=storage_options)
        return _report_findings(evo.check_object(options.object, store, footer_only=options.footer_only), options)
    if options.description is not None and len(options.files) > 1:
        raise ArgumentError("one description is of one file.", details=[f"{len(options.files)} files are named"])
    if len(options.files) > 1 and options.vertices is None:
        many = evo.validate_many(
            options.files, role=options.role, footer_only=options.footer_only, storage_options=storage_options
        )
        return _report_findings([finding for findings in many.values() for finding in findings], options)
    found = [
        finding
        for file in options.files
        for finding in evo.validate(
            file,
            None if options.description is None else _blob(options.description),
            role=options.role,
            footer_only=options.footer_only,
            vertices=options.vertices,
            storage_options=storage_options,
        )
    ]
    return _report_findings(found, options)


def _add_verify(actions: Any) -> None:
    parser = _added(actions, "verify", _verify, "hash blobs of a store again, and tell which are damaged")
    parser.add_argument("blobs", nargs="*", metavar="BLOBS", help="which (default: all)")
    parser.add_argument("--remove", action="store_true", help="remove blobs that are damaged")


def _verify(options: argparse.Namespace) -> int:
    blobs = [_blob(text) for text in options.blobs] or None
    return _report_findings(_existing_store(options).verify(blobs, remove=options.remove), options)


def _report_findings(findings: Sequence[Any], options: argparse.Namespace) -> int:
    """Print findings; return the exit code, 1 if there are errors."""
    if options.json:
        print_json([finding.to_json() for finding in findings])
    else:
        for finding in findings:
            print(printable(str(finding)))
        errors = sum(finding.is_error for finding in findings)
        print(
            f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'warning')}" if findings else "all is well"
        )
    return 1 if any(finding.is_error for finding in findings) else 0


def _add_gc(actions: Any) -> None:
    parser = _added(actions, "gc", _gc, "remove blobs that no object refers to, and what killed writers have left")
    parser.add_argument(
        "roots", nargs="+", metavar="ROOTS", help="JSON files of all objects, and names of blobs to keep"
    )
    parser.add_argument(
        "--grace", type=float, default=86400.0, metavar="SECONDS", help="age that blobs stay to (default: a day)"
    )
    parser.add_argument("--dry-run", action="store_true", help="tell what would be removed, and remove nothing")


def _gc(options: argparse.Namespace) -> int:
    found = _existing_store(options).gc(options.roots, grace=options.grace, dry_run=options.dry_run)
    if options.json:
        print_json(
            {
                "removed": found.names,
                "bytes": found.nbytes,
                "temporaries": found.temporaries,
                "recent": found.recent,
                "problems": list(found.problems),
                "dry_run": options.dry_run,
            }
        )
        return 1 if found.problems else 0
    for name in found.names:
        print(name)
    done = "would be removed" if options.dry_run else "removed"
    left = counted(found.recent, "recent one")
    print(f"{counted(len(found.names), 'blob')} {done}, {found.nbytes:,} bytes; {left} left")
    for problem in found.problems:
        print(f"! {printable(problem)}")
    return 1 if found.problems else 0
