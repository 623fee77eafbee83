"""``akdask lbann``: lists, schemas and samples of LBANN."""

from __future__ import annotations

import argparse
import glob
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from shutil import get_terminal_size
from typing import Any

import numpy as np

from akdask.cli.console import counted, print_json, printable, table
from akdask.cli.sets import EXIT_CODES
from akdask.engine.explain import progress_bar
from akdask.errors import ArgumentError, MissingFileError
from akdask.lbann.dataset import Dataset
from akdask.lbann.make_lists import choose, find_prototype, list_samples, split_indices
from akdask.lbann.read_lists import read_list
from akdask.lbann.sample_list import SampleList
from akdask.lbann.schema import generate, load
from akdask.lbann.verification import SampleSetReport, verify
from akdask.storage.transaction import write_file, write_files

_SHOWN_VALUES = 4
_MOST_FAULTS = 1000
_MANY_FILES, _AT_ONCE = 32, 8
"""Files for which it is worth to start processes, and that go to one of them at a time."""


def register(commands: Any) -> None:
    """Add the subcommand, with commands of its own, to the parser."""
    parser = commands.add_parser(
        "lbann",
        help="lists, schemas and samples of LBANN",
        description="Sample lists, schemas and samples that LBANN's HDF5 data reader reads.",
        epilog=EXIT_CODES,
    )
    inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _register_verify(inner)
    _register_schema(inner)
    _register_list(inner)
    _register_show(inner)
    _register_split(inner)


def _register_verify(commands: Any) -> None:
    parser = commands.add_parser(
        "verify",
        help="find all faults of a sample set",
        description="Compare a list, schemas and files of samples, in parallel, and tell every fault. "
        "Warnings leave the exit code at 0.",
    )
    parser.add_argument("list", help="the sample list")
    _add_schemas(parser)
    parser.add_argument("--metadata-only", action="store_true", help="do not look for NaN and infinities")
    parser.add_argument("--resume", metavar="FILE", help="note there what was found, and go on from what it notes")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_verify)


def _register_schema(commands: Any) -> None:
    parser = commands.add_parser(
        "schema", help="make a schema from a sample", description="Print the data schema of a sample in a file."
    )
    parser.add_argument("file", help="an HDF5 file of samples")
    parser.add_argument("--sample", metavar="ID", help="which sample; one that is found unless given")
    parser.add_argument(
        "--experiment", action="store_true", help="print the experiment schema, which selects all fields"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write it to a file")
    parser.set_defaults(run=_schema)


def _register_list(commands: Any) -> None:
    parser = commands.add_parser(
        "list",
        help="make the sample list of files",
        description="Find the samples of files: groups that hold what a prototype in the first file holds.",
    )
    parser.add_argument("files", nargs="+", help="HDF5 files, or patterns of them")
    parser.add_argument("--sample", metavar="ID", help="the prototype; one that is found unless given")
    parser.add_argument("--exclude", metavar="ID", nargs="+", default=[], help="samples to leave out")
    parser.add_argument("--base", metavar="FOLDER", help="base directory of the list; what files share unless given")
    parser.add_argument("--exclusion", metavar="FILE", help="write the exclusion list of the same samples, too")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the inclusion list to a file")
    parser.set_defaults(run=_list)


def _register_show(commands: Any) -> None:
    parser = commands.add_parser(
        "show",
        help="show the values of a sample",
        description="Show what a sample becomes by the schemas; without any, what the file holds.",
    )
    parser.add_argument("sample", metavar="ID", help="ID of a sample, or its number in the list")
    parser.add_argument("file", help="the sample list, or an HDF5 file")
    _add_schemas(parser)
    parser.add_argument("--explain", action="store_true", help="tell where the metadata of each field was written")
    parser.add_argument("--json", action="store_true", help="print all values, as JSON")
    parser.set_defaults(run=_show)


def _register_split(commands: Any) -> None:
    parser = commands.add_parser(
        "split",
        help="split a list for training, validation and tournament",
        description="Write the lists of parts beside a list, as name_train, name_validation and name_tournament.",
    )
    parser.add_argument("list", help="the sample list")
    parser.add_argument("--validation", type=float, default=0.0, metavar="FRACTION", help="from 0 and below 1")
    parser.add_argument("--tournament", type=float, default=0.0, metavar="FRACTION", help="from 0 and below 1")
    parser.add_argument("--fraction", type=float, help="share of the samples to use at all")
    parser.add_argument("--count", type=int, help="how many samples to use at all")
    parser.add_argument("--seed", type=int, default=0, help="of the shuffle (default 0)")
    parser.add_argument("--no-shuffle", action="store_true", help="cut the list as it is")
    parser.add_argument("-o", "--output", metavar="FILE", help="name that parts are named after; the list unless given")
    parser.set_defaults(run=_split)


def _add_schemas(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-schema", metavar="FILE", help="describes a sample")
    parser.add_argument("--experiment-schema", metavar="FILE", help="selects fields of it")


def _verify(options: argparse.Namespace) -> int:
    """Check; return the exit code, 1 if there are faults."""
    if options.experiment_schema and not options.data_schema:
        raise ArgumentError("an experiment schema needs a data schema.", hint="give it with --data-schema.")
    if not os.path.exists(options.list):
        raise MissingFileError(f"no sample list {options.list!r}.")
    report = verify(
        options.list,
        options.data_schema,
        options.experiment_schema,
        reads_data=not options.metadata_only,
        resume=options.resume,
        progress=_progress if sys.stderr.isatty() else None,
    )
    if options.json:
        print_json(report.as_json())
    else:
        print(_report(report))
    return 0 if report.is_good else 1


def _progress(done: int, total: int) -> None:
    columns = get_terminal_size().columns
    shown = progress_bar(done, total, f"{done:,} of {total:,} files", columns) if done < total else " " * (columns - 1)
    print(f"\r{shown}", end="\r" if done == total else "", file=sys.stderr, flush=True)


def _report(report: SampleSetReport) -> str:
    kinds = Counter((fault.kind, "warning" if fault.is_warning else "fault") for fault in report.faults)
    said = ", ".join(f"{counted(count, what)} ({kind})" for (kind, what), count in kinds.items()) or "all is well"
    lines = [f"{counted(report.n_samples, 'sample')} in {counted(report.n_files, 'file')}: {said}"]
    if report.faults:
        rows = [
            ["warning" if fault.is_warning else "fault", fault.kind, fault.file, fault.sample, fault.field, fault.text]
            for fault in report.faults[:_MOST_FAULTS]
        ]
        lines.append(table(["severity", "kind", "file", "sample", "field", "what"], rows, widest=200))
    if len(report.faults) > _MOST_FAULTS:
        lines.append(f"… and {len(report.faults) - _MOST_FAULTS:,} more; --json tells all")
    return "\n".join(lines)


def _schema(options: argparse.Namespace) -> int:
    made = generate(options.file, options.sample or _found_prototype(options.file))
    return _written(options.output, (made.experiment if options.experiment else made.data).encode())


def _list(options: argparse.Namespace) -> int:
    files = [path for given in options.files for path in _matching(given)]
    found = list_samples(
        files,
        options.sample or _found_prototype(files[0]),
        exclude=options.exclude,
        base_directory=options.base,
        over=_each_of,
    )
    if options.output is not None:
        found.write(options.output, options.exclusion)
        return 0
    if options.exclusion:
        write_file(options.exclusion, [found.exclusion_text()])
    return _written(None, found.included.to_text())


def _each_of(function: Callable[[str], Any], paths: Sequence[str]) -> list[Any]:
    """Apply a function to each of many files: in processes, since threads wait for the HDF5 library in turns."""
    shown = _progress if sys.stderr.isatty() else lambda done, total: None
    found: list[Any] = []
    with ExitStack() as stack:
        results: Iterator[Any]
        if len(paths) < _MANY_FILES:
            results = map(function, paths)
        else:
            pool = stack.enter_context(ProcessPoolExecutor(mp_context=get_context("spawn")))
            stack.callback(pool.shutdown, cancel_futures=True)
            results = pool.map(function, paths, chunksize=_AT_ONCE)
        for one in results:
            found.append(one)
            shown(len(found), len(paths))
    return found


def _matching(given: str) -> list[str]:
    if os.path.exists(given):
        return [given]
    found = sorted(glob.glob(given))
    if not found:
        raise MissingFileError(f"no file {given!r}, and none that matches it.")
    return found


def _found_prototype(path: str) -> str:
    found = find_prototype(path)
    print(f"akdask: the prototype is {printable(found)!r}; choose another with --sample", file=sys.stderr)
    return found


def _written(path: str | None, text: bytes) -> int:
    if path is None:
        print(text.decode(), end="")
    else:
        write_file(path, [text])
    return 0


def _show(options: argparse.Namespace) -> int:
    samples = _samples_of(options.file, options.sample)
    schema = load(generate(*samples[0]).data if options.data_schema is None else options.data_schema)
    dataset = Dataset(samples, schema, options.experiment_schema, keep_packed_fields=True)
    found = dataset[0]
    path, sample = samples[0]
    if options.json:
        values = {name: {"type": str(one.dtype), "values": one.tolist()} for name, one in found.items()}
        print_json({"file": path, "sample": sample, "values": values})
        return 0
    print(f"{printable(sample)} of {printable(path)}")
    rows = [
        [name, str(one.dtype), " x ".join(map(str, dataset.dims_of(name))), *_about(one)] for name, one in found.items()
    ]
    print(table(["name", "type", "dims", "min", "mean", "max", "first values"], rows))
    if options.explain:
        print(dataset.explain())
    return 0


def _samples_of(path: str, wanted: str) -> SampleList:
    """Return the list of the one sample that is meant."""
    if not os.path.isfile(path):
        raise MissingFileError(f"no file {path!r}.")
    with open(path, "rb") as file:
        is_hdf5 = file.read(8) == b"\x89HDF\r\n\x1a\n"
    if is_hdf5:
        return (
            SampleList.of({path: [wanted]}, base_directory=".")
            if not os.path.isabs(path)
            else SampleList.of({os.path.basename(path): [wanted]}, base_directory=os.path.dirname(path))
        )
    listed = read_list(path)
    index = listed.find(wanted)
    if index is None:
        index = int(wanted) if wanted.isdigit() and int(wanted) < len(listed) else -1
    if index < 0:
        some = ", ".join(listed[number][1] for number in range(min(len(listed), _SHOWN_VALUES)))
        there = f"it has {len(listed):,} samples: {some}{', …' if len(listed) > _SHOWN_VALUES else ''}"
        raise ArgumentError(f"the list {path!r} has no sample {wanted!r}.", details=[there])
    return listed.take([index])


def _about(values: np.ndarray) -> list[Any]:
    first = ", ".join(map(str, values[:_SHOWN_VALUES].tolist())) + ("" if len(values) <= _SHOWN_VALUES else ", …")
    if values.dtype.kind not in "iuf" or not len(values):
        return [None, None, None, first]
    return [values.min().item(), float(values.mean()), values.max().item(), first]


def _split(options: argparse.Namespace) -> int:
    listed = read_list(options.list)
    shuffle = not options.no_shuffle
    used = choose(len(listed), fraction=options.fraction, count=options.count, seed=options.seed, shuffle=shuffle)
    parts = split_indices(
        len(used), validation=options.validation, tournament=options.tournament, seed=options.seed, shuffle=shuffle
    )
    stem, extension = os.path.splitext(options.output or options.list)
    rows: list[list[Any]] = []
    contents: dict[str | os.PathLike[str], list[bytes]] = {}
    for name in ("train", "validation", "tournament"):
        chosen = used[getattr(parts, name)]
        if len(chosen):
            path = f"{stem}_{name}{extension}"
            contents[path] = [listed.take(np.sort(chosen)).to_text()]
            rows.append([name, len(chosen), path])
    # All at once: of lists of two splits, one could train with samples that another validates with.
    write_files(contents)
    print(table(["part", "samples", "list"], rows, widest=200))
    return 0
