"""``akdask doctor``: check this machine for optional packages and settings, and advise how to get them."""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, NamedTuple

import dask
from dask.system import CPU_COUNT

import akdask
from akdask import cluster, native
from akdask.cli.console import print_json, size, table

GOOD, NOTE, WRONG = "ok", "note", "wrong"

EXTRAS = {
    "matplotlib": ("plot", "charts"),
    "tables": ("pytables", "HDF5 files of pandas' own layout"),
    "numcodecs": ("zarr", "Zarr files that are compressed"),
    "duckdb": ("sql", "queries in SQL"),
    "bokeh": ("jobs", "Dask's dashboard, and its report of a job"),
    "dask-jobqueue": ("jobs", "akdask run --cluster slurm, pbs, lsf, …"),
}
"""Optional packages: the extra of akdask that has each, and its purpose."""

OTHERS = {
    "dask-kubernetes": "akdask run --cluster k8s",
    "dask-gateway": "akdask run --cluster gateway",
    "dask-mpi": "akdask run --cluster mpi",
    "s3fs": "files at s3://",
    "gcsfs": "files at gs://",
    "adlfs": "files at abfs://",
    "aiohttp": "files at https://",
}
"""The same of packages that no extra has: they depend on where one works."""

LEAST_HANDLES = 4096
"""File handles below which a cluster, or a sort of many files, may run out of them."""

LEAST_FREE = 2 * 10**9
"""Bytes of the temporary folder below which little can be spilled."""


class Diagnosis(NamedTuple):
    """The result of one check."""

    what: str
    state: str
    """`GOOD`, `NOTE` for possible improvements, `WRONG` for future failures."""
    found: str
    hint: str = ""


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "doctor",
        help="list what is installed, what is missing, and how to get it",
        description="Look at versions, compiled loops, processors, memory and its limits, the temporary folder, file "
        "handles, and HDF5.  The exit code is 1 if something is wrong, and 0 otherwise.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run all checks and print them; return the exit code."""
    findings = [*_versions(), *_extras(), *_loops(), *_processors(), *_memory(), *_folders(), *_handles(), *_hdf5()]
    if options.json:
        print_json([finding._asdict() for finding in findings])
    else:
        print(table(["what", "state", "found"], [finding[:3] for finding in findings], widest=100))
        hints = [finding for finding in findings if finding.hint]
        if hints:
            print("\n" + "\n".join(f"{finding.what}: {finding.hint}" for finding in hints))
    return int(any(finding.state == WRONG for finding in findings))


# ------------------------------------------------------------------------------------------------------------ packages


def _versions() -> Iterator[Diagnosis]:
    yield Diagnosis("akdask", GOOD, f"{akdask.__version__} in {Path(akdask.__file__).parent}")
    yield Diagnosis("Python", GOOD, f"{platform.python_version()} {platform.machine()} in {sys.prefix}")
    for requirement in requires("akdask") or []:
        match = re.fullmatch(r"([\w.-]+)(?:\[[\w,]*\])?>=([\d.]+)", requirement)
        if match is not None:
            yield _package(*match.groups())
    yield Diagnosis("distributed", GOOD, version("distributed"))


def _package(name: str, least: str) -> Diagnosis:
    try:
        found = version(name)
    except PackageNotFoundError:
        return Diagnosis(name, WRONG, "is missing", f"pip install '{name}>={least}'")
    if _numbers(found) < _numbers(least):
        return Diagnosis(name, WRONG, f"{found}, older than {least}", f"pip install '{name}>={least}'")
    return Diagnosis(name, GOOD, found)


def _numbers(found: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", found)[:3]))


def _extras() -> Iterator[Diagnosis]:
    installs = {name: (f"pip install 'akdask[{extra}]'", use) for name, (extra, use) in EXTRAS.items()}
    installs |= {name: (f"pip install {name}", use) for name, use in OTHERS.items()}
    for name, (install, use) in installs.items():
        try:
            yield Diagnosis(name, GOOD, version(name))
        except PackageNotFoundError:
            yield Diagnosis(name, NOTE, "is not there", f"{install}, for {use}")


def _loops() -> Iterator[Diagnosis]:
    found = f"level {native.LEVEL} of {', '.join(native.BUILT)}, compiled by {native.COMPILER}"
    cap = os.environ.get("AKDASK_CPU_LEVEL")
    if native.LEVEL in native.BUILT[-1:]:
        yield Diagnosis("compiled loops", GOOD, found)
    elif cap == native.LEVEL:
        yield Diagnosis("compiled loops", NOTE, f"{found}, capped by AKDASK_CPU_LEVEL", "unset AKDASK_CPU_LEVEL")
    else:
        yield Diagnosis("compiled loops", NOTE, f"{found}, as this processor has no more")


# ----------------------------------------------------------------------------------------------------------- resources


def _processors() -> Iterator[Diagnosis]:
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Diagnosis("processors", GOOD, f"{os.cpu_count()} cores, {allowed} allowed, {CPU_COUNT} threads compute")
    threads = {name: os.environ[name] for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS") if name in os.environ}
    if threads:
        yield Diagnosis("threads of libraries", GOOD, ", ".join(f"{name}={count}" for name, count in threads.items()))


def _memory() -> Iterator[Diagnosis]:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    usable = cluster.process_memory()
    less = "" if usable >= physical else f", of which a limit of this process leaves {size(usable)}"
    yield Diagnosis("memory", GOOD, f"{size(physical)}{less}")
    limits = [limit for limit in cluster.cgroup_limits() if limit < physical]
    yield Diagnosis("cgroup limit", GOOD, size(min(limits)) if limits else "none")
    names = {resource.RLIMIT_AS: "-v", resource.RLIMIT_DATA: "-d"}
    set_limits = {name: resource.getrlimit(kind)[0] for kind, name in names.items()}
    shown = ", ".join(
        f"ulimit {name} {size(limit)}" for name, limit in set_limits.items() if limit != resource.RLIM_INFINITY
    )
    yield Diagnosis("limits of the shell", GOOD, shown or "none")


def _folders() -> Iterator[Diagnosis]:
    chosen = dask.config.get("temporary-directory", None)
    for what, path in {"temporary folder": tempfile.gettempdir(), "folder of Dask's workers": chosen}.items():
        if path is not None:
            yield _folder(what, Path(path))


def _folder(what: str, path: Path) -> Diagnosis:
    hint = "name a folder on a local disk: TMPDIR=…, or dask.config.set(temporary_directory=…)"
    try:
        with tempfile.TemporaryFile(dir=path):
            free = shutil.disk_usage(path).free
    except OSError as error:
        return Diagnosis(what, WRONG, f"{path}: {error.strerror or error}", hint)
    kind = _file_system(path)
    found = f"{path}: {size(free)} free{f', {kind}' if kind else ''}"
    if free < LEAST_FREE:
        return Diagnosis(what, NOTE, found, f"little can be spilled there; {hint}")
    if kind in {"tmpfs", "ramfs"}:
        return Diagnosis(what, NOTE, found, f"what is spilled there takes memory; {hint}")
    if kind.startswith(("nfs", "cifs", "lustre", "gpfs", "beegfs")):
        return Diagnosis(what, NOTE, found, f"what is spilled there goes over the network; {hint}")
    return Diagnosis(what, GOOD, found)


def _file_system(path: Path) -> str:
    """Return the kind of file system of a folder, empty where the system does not report it."""
    try:
        mounts = [line.split()[1:3] for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return ""
    folder = path.resolve()
    above = [(len(place), kind) for place, kind in mounts if folder.is_relative_to(place)]
    return max(above, default=(0, ""))[1]


def _handles() -> Iterator[Diagnosis]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = "any number" if hard == resource.RLIM_INFINITY else f"{hard:,}"
    found = f"{'any number' if soft == resource.RLIM_INFINITY else f'{soft:,}'}, {most} if asked for"
    if soft != resource.RLIM_INFINITY and soft < LEAST_HANDLES:
        yield Diagnosis("file handles", NOTE, found, f"ulimit -n {LEAST_HANDLES} before a cluster of many workers")
    else:
        yield Diagnosis("file handles", GOOD, found)


def _hdf5() -> Iterator[Diagnosis]:
    # Imported by name, as HDF5 is a format like others, none of which commands import.
    h5py = import_module("h5py")
    drivers = ", ".join(sorted(h5py.registered_drivers()))
    yield Diagnosis(
        "HDF5", GOOD, f"{h5py.version.hdf5_version}, built for h5py {h5py.version.version}; drivers {drivers}"
    )
    locking = os.environ.get("HDF5_USE_FILE_LOCKING")
    if locking is not None:
        yield Diagnosis("locking of HDF5 files", GOOD, f"HDF5_USE_FILE_LOCKING={locking}")
