"""``akdask run``: run a script as a job, with its own cluster, a report, logs, and the exit code of the script."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dask.utils import parse_bytes

import akdask as ak
from akdask.cli import clusters
from akdask.cli.job import Job, Terminated, ended_by_sigterm
from akdask.errors import MissingFileError

DESCRIPTION = """Run a Python script as a job: start or join a cluster, make it the one that akdask computes on, show
how far the script is, and leave a folder with a report, logs and what it printed.  The script needs no line about
clusters.  Options may stand before or behind the script; all else behind it is the script's, and so is everything
behind --.  The exit code is the script's: 1 after an error, 130 after Ctrl-C, 143 after SIGTERM; it is 2 if the job
cannot begin."""

WHERE = """threads of this process (the default), local for processes of this machine, the address of a scheduler
(tcp://host:port) or the .json file that it has written, slurm, pbs, lsf, sge, oar, moab or htcondor for jobs of a
batch system, k8s for Kubernetes, gateway for Dask Gateway, or mpi within mpirun"""


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "run", help="run a script on a cluster of its own, with a report", description=DESCRIPTION, allow_abbrev=False
    )
    _add_options(parser)
    parser.add_argument("script", type=Path, metavar="SCRIPT", help="a Python script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="what the script finds in sys.argv")
    parser.set_defaults(run=run)


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that may precede or follow the script; without defaults, so that the first one holds."""
    options: list[tuple[str, dict[str, Any]]] = [
        ("--cluster", {"metavar": "WHERE", "help": " ".join(WHERE.split())}),
        (
            "--workers",
            {"type": _workers, "metavar": "N", "help": "how many, or MIN:MAX for as many as there is work for"},
        ),
        ("--memory", {"type": _bytes, "metavar": "SIZE", "help": "of each worker, such as 16GB"}),
        ("--threads", {"type": _threads, "metavar": "N", "help": "of each worker, or of this process"}),
        (
            "--option",
            {
                "action": "append",
                "metavar": "NAME=VALUE",
                "help": "further argument of what starts the cluster, such as queue=short; may be repeated",
            },
        ),
        ("--folder", {"type": Path, "metavar": "DIR", "help": "for report and logs (default: ./SCRIPT.run-TIME)"}),
        ("--no-report", {"action": "store_true", "help": "leave no folder"}),
        ("--arkouda", {"action": "store_true", "help": "have `import arkouda` mean akdask"}),
        ("--dry-run", {"action": "store_true", "help": "print what would be started: the job script of a worker"}),
    ]
    for name, arguments in options:
        parser.add_argument(name, default=argparse.SUPPRESS, **arguments)


def _workers(text: str) -> tuple[int, int]:
    try:
        return clusters.worker_range(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number from 1 nor MIN:MAX") from None


def _bytes(text: str) -> int:
    try:
        return int(parse_bytes(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes such as 16GB") from None


def _threads(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run the job; return the exit code of the script."""
    given, arguments = _split(options)
    path: Path = given.script
    if not path.is_file():
        raise MissingFileError(f"there is no script {str(path)!r}.")
    request = _request(given)
    clusters.check(request)
    if getattr(given, "dry_run", False):
        print(clusters.described(request))
        return 0
    if getattr(given, "arkouda", False):
        ak.install_as_arkouda()
    has_report = not getattr(given, "no_report", False)
    with ended_by_sigterm():
        try:
            return Job(path, arguments, request, getattr(given, "folder", None)).run(has_report=has_report)
        except Terminated as ended:
            # While the cluster was started, or stopped.
            return int(str(ended.code))


def _split(options: argparse.Namespace) -> tuple[argparse.Namespace, list[str]]:
    """Return options, including those after the script, and the arguments of the script."""
    behind = list(options.arguments)
    cut = behind.index("--") if "--" in behind else len(behind)
    parser = argparse.ArgumentParser(prog="akdask run", add_help=False, allow_abbrev=False)
    _add_options(parser)
    found, arguments = parser.parse_known_args(behind[:cut], options)
    return found, [*arguments, *behind[cut + 1 :]]


def _request(given: argparse.Namespace) -> clusters.Request:
    workers, memory = getattr(given, "workers", None), getattr(given, "memory", None)
    where = getattr(given, "cluster", None) or ("local" if workers or memory else clusters.THREADS)
    return clusters.Request(
        where, workers, memory, getattr(given, "threads", None), clusters.options_of(getattr(given, "option", []))
    )
