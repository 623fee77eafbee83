"""``akdask validate``: all violations in files, and the releases of Arkouda that can read them."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from akdask.cli.console import counted, print_json, printable, table
from akdask.cli.sets import NamedSet, add_files, demand_format, format_of_set, named_sets
from akdask.errors import AkdaskError, InconsistentFilesError, UnsupportedError
from akdask.formats.hdf5.pandas_file import has_frames
from akdask.formats.hdf5.validate import RULES, Reach, Report, Severity, Violation, validate
from akdask.storage.registry import format_named, open_files

_LONGEST = 200
_WRITTEN = ("data.checksums", Severity.ERROR)
"""The rule of formats that are not Arkouda's own."""


class _ListRules(argparse.Action):
    """Prints the rules and ends the program, as ``--help`` does."""

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> None:
        rows = [[rule.id, rule.severity, rule.sentence] for rule in RULES.values()]
        print(table(["rule", "severity", "what holds"], rows, widest=_LONGEST))
        parser.exit()


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "validate",
        help="check files against all rules of Arkouda's layout, and against their manifest",
        description="Check sets of HDF5 files against all rules of Arkouda's layout, list every violation, and tell "
        "which releases can read them.  Errors: servers refuse or misread something; warnings: some releases or "
        "functions do; notes: servers write it otherwise.  Notes leave the exit code at 0.  Files of other formats can "
        "be opened, and of all formats, copies included, those are there whose manifest tells, with the bytes that "
        "akdask has written.",
    )
    add_files(parser)
    parser.add_argument(
        "--severity",
        choices=[str(severity) for severity in Severity],
        default="note",
        help="the least severity that is shown and counted (default: note)",
    )
    parser.add_argument("--metadata-only", action="store_true", help="check only what can be known without the data")
    parser.add_argument("--rules", action=_ListRules, nargs=0, help="list the rules, and end")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check; return the exit code, 1 if there are errors or warnings."""
    counted_ones = list(Severity)[: list(Severity).index(Severity(options.severity)) + 1]
    sets = named_sets(options.files)
    demand_format(sets, ["HDF5", "Parquet", "CSV", "Zarr"], "validate")
    found = [(files, _report(files, read_data=not options.metadata_only)) for files in sets]
    shown = [[v for v in report.violations if v.severity in counted_ones] for _, report in found]
    if options.json:
        print_json([_as_json(files, report, some) for (files, report), some in zip(found, shown, strict=True)])
    else:
        for number, ((files, report), some) in enumerate(zip(found, shown, strict=True)):
            print("\n" * (number > 0) + _as_text(files, report, some))
    return 1 if any(violation.severity != Severity.NOTE for some in shown for violation in some) else 0


def _report(files: NamedSet, *, read_data: bool) -> Report:
    """Check a set: HDF5 files by Arkouda's layout, others by the checksums in a manifest."""
    name = format_of_set(files)
    if name == "HDF5":
        _refuse_files_of_pandas(files)
        return validate(files.files, read_data=read_data)
    told = [*_unopened(files, name), *(format_named(name).damages(files.files) if read_data else ())]
    return Report(files.files, tuple(Violation(*_WRITTEN, path, "", text) for path, text in told), None)


def _refuse_files_of_pandas(files: NamedSet) -> None:
    """Refuse files that pandas wrote, whose groups break all rules of Arkouda's layout.

    Raises
    ------
    UnsupportedError
        If there are some.
    """
    found = []
    for path in files.files:
        with suppress(AkdaskError):  # Damaged files are told by the rules.
            found += [path] if has_frames(path) else []
    if found:
        raise UnsupportedError(
            "pandas wrote this, in a layout of its own.",
            details=found,
            hint="ak.import_data reads it; akdask validate checks Arkouda's layout.",
        )


def _unopened(files: NamedSet, name: str) -> Iterator[tuple[str, str]]:
    """Yield the reason why a set cannot be opened, unless its manifest reports it."""
    try:
        open_files(files.files[0] if name == "Zarr" else list(files.files), format_named(name))
    except InconsistentFilesError:
        return
    except AkdaskError as error:
        yield files.files[0], " ".join([error.message, *error.details])


def _as_text(files: NamedSet, report: Report, shown: Sequence[Violation]) -> str:
    lines = [f"{printable(files.name)}: {counted(len(files.files), 'file')}, {_summary(shown)}"]
    if shown:
        lines.append(table(["severity", "rule", "object", "what", "file"], _by_place(shown), widest=_LONGEST))
    if report.reach is None:
        return "\n".join(lines)
    lines.append(f"Arkouda: {_readers(report, report.reach)}")
    return "\n".join([*lines, *(f"  {printable(reason)}" for reason in report.reach.reasons)])


def _by_place(violations: Sequence[Violation]) -> list[list[str]]:
    """Group equal violations in several files."""
    files: dict[tuple[str, ...], list[str]] = {}
    for found in violations:
        key = (str(found.severity), found.rule, found.object or "-", found.text)
        files.setdefault(key, []).append(os.path.basename(found.file))
    return [
        [*key, names[0] + (f" and {len(names) - 1:,} more" if len(names) > 1 else "")] for key, names in files.items()
    ]


def _summary(violations: Sequence[Violation]) -> str:
    counts = Counter(violation.severity for violation in violations)
    return ", ".join(counted(counts[severity], severity) for severity in Severity if counts[severity]) or "all is well"


def _readers(report: Report, reach: Reach) -> str:
    if not report.counts[Severity.ERROR]:
        return f"read by {reach}" if not reach.is_empty else str(reach)
    return f"no release reads all of it right, for the errors; without them: {reach}"


def _as_json(files: NamedSet, report: Report, shown: Sequence[Violation]) -> dict[str, Any]:
    reach = report.reach
    return {
        "set": files.path,
        "files": list(files.files),
        "violations": [asdict(violation) for violation in shown],
        "arkouda": None
        if reach is None
        else {
            "readable": report.is_readable,
            "oldest": reach.oldest,
            "newest": reach.newest,
            "reasons": list(reach.reasons),
        },
    }
