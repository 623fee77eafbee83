"""Settings, kept in Dask's configuration under ``akdask`` so that YAML files and ``DASK_AKDASK__…`` work too.

A setting is one line of the table `SETTINGS`: its default, and the values that it takes.  Values from Python are
checked when they are set, values from YAML files and the environment when they are used.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import dask
from dask.utils import parse_bytes

from akdask.errors import ArgumentError, traced_to_caller, warn


class Kind(NamedTuple):
    """The values that a setting takes."""

    wanted: str
    """The values in words."""

    read: Callable[[Any], Any]
    """Returns a value as it is used; a ValueError or TypeError for one that does not do."""


class Setting(NamedTuple):
    """A setting."""

    default: Any
    kind: Kind


def _truth(value: Any) -> bool:
    if value in (True, False):
        return bool(value)
    raise ValueError


def _integer(value: Any) -> int:
    if type(value) is int:
        return value
    # A bool is an int in Python, and is refused.  Whole floats such as 1e9 are accepted.
    if isinstance(value, bool | str) or int(value) != value:
        raise TypeError
    return int(value)


def _number_from(low: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        number = _integer(value)
        if number < low:
            raise ValueError
        return number

    return read


def _bytes_from(low: int) -> Callable[[Any], int]:
    from_number = _number_from(low)

    def read(value: Any) -> int:
        # Dask reads a unit without a number as one of it, and an empty variable as one byte.
        if isinstance(value, str) and not any(letter.isdecimal() for letter in value):
            raise ValueError
        return from_number(parse_bytes(value) if isinstance(value, str) else value)

    return read


def _or(kind: Kind, meaning: str, *others: Any) -> Kind:
    """Return the kind that takes some other values as well."""

    def read(value: Any) -> Any:
        for other in others:
            # The environment has only text.
            if value is other or (isinstance(value, float | str) and value in (other, str(other))):
                return other
        return kind.read(value)

    return Kind(f"{kind.wanted}, or {meaning}", read)


FLAG = Kind("True or False", _truth)
SECONDS = Kind("a whole number of seconds from 0", _number_from(0))
ROWS = Kind("a whole number from 0", _number_from(0))
BYTES = Kind("a number of bytes from 0, as an int or as text such as '2 GiB'", _bytes_from(0))
TRIES = Kind("a whole number from 1", _number_from(1))
SOME_BYTES = Kind("a number of bytes from 1, as an int or as text such as '2 GiB'", _bytes_from(1))
BY_MEMORY = "memory"


def _fallback(value: Any) -> str:
    if value not in ("warn", "silent", "error"):
        raise ValueError
    return str(value)


FALLBACK = Kind("'warn', 'silent' or 'error'", _fallback)

SETTINGS: dict[str, Setting] = {
    # What methods of akdask.pandas do that have no lazy form: "warn" and run in pandas, do so in silence, or refuse.
    "pandas_fallback": Setting("warn", FALLBACK),
    # Bytes of the largest column of a partition; larger files are split into row ranges when they are opened.
    "partition_size": Setting(128 * 2**20, SOME_BYTES),
    # Bytes of a column that are evaluated at a time inside a partition task; several columns share twice as much.
    "block_size": Setting(2**23, SOME_BYTES),
    # Elements up to which a created array has a single partition.
    "small_array": Setting(2**20, ROWS),
    # Wait until written files are on disk, so that a power failure spares them: True, False, or "replaced", which is
    # where they take the place of older ones, as both would be lost.
    "durable": Setting("replaced", _or(FLAG, "'replaced'", "replaced")),
    # Seconds that may go into showing an object whose values are not in memory; 0 to show only values in memory.
    "display_seconds": Setting(1, SECONDS),
    # Show how far computations are that take longer than a second: True, False, or "auto", which is on terminals and in
    # notebooks.
    "progress": Setting("auto", _or(FLAG, "'auto'", "auto")),
    # Show all frames of akdask in the tracebacks of its errors, which otherwise end at the line of the user.
    "full_tracebacks": Setting(False, FLAG),
    # Persist every array as it is made, as an Arkouda server does.
    "eager": Setting(False, FLAG),
    # Rewrite plans before they run, so that nothing is sorted, joined or read that nobody needs.  The results are the
    # same without, but for the last bits of floats that are added up in another order.
    "optimize": Setting(True, FLAG),
    # Use the manifests of sets: fewer files are opened, and partitions without a match are not read.
    "manifest": Setting(True, FLAG),
    # Check the stored bytes of a column against the manifest before it is read.
    "verify_checksums": Setting(False, FLAG),
    # Read data that HDF5 files keep in other files (external storage, virtual datasets), if these are below the folder
    # of the file.  Changes of these are not noticed.  Off by default, as such a file may name any file of its reader.
    "external_files": Setting(False, FLAG),
    # Bytes of memory that this process may use: data beyond it go to disk, in Dask's temporary_directory.  None for the
    # least of the memory of the machine and the limits of cgroups and ulimits.
    "memory_limit": Setting(None, _or(SOME_BYTES, "None for what machine, cgroup and ulimit allow", None)),
    # How often a request to a remote file system is made, where it fails in a way that may pass.
    "remote_tries": Setting(6, TRIES),
    # Bytes of remote files that a process fetches before its tasks read them; 0 to fetch nothing in advance.
    # None for a sixteenth of the memory, 512 MiB at most.
    "read_ahead": Setting(None, _or(BYTES, "None for a sixteenth of the memory, 512 MiB at most", None)),
    # Write Datetime, Timedelta and IPv4 as plain numbers, which Arkouda servers before v2023.09.06 demand.
    "compat": Setting(False, FLAG),
    # Bytes of results that are kept in this process: of groupings while a GroupBy is in use, so that it need not sort
    # again, of groups that were found, and of columns in programs that go on asking for values. As many again of
    # columns that were decoded from files. None for an eighth of the memory.
    "cache_size": Setting(None, _or(BYTES, "None for an eighth of the memory", None)),
    # Bytes of freed arrays that this process keeps for half a minute, as new memory takes long to get.
    "spare_memory": Setting(2**31, BYTES),
    # Bytes of columns that every task may hold in full: one side of a join, or columns of rows taken by position.
    # Rows of larger columns are exchanged, of all columns for 0.  None for a part of the memory of a worker.
    "replicate_size": Setting(None, _or(BYTES, "None for a part of the memory of a worker", None)),
    # Bytes that one conversion (to_ndarray, to_pandas, tolist, compute) may bring into this process; "memory" for half
    # of the memory of this process, None or inf for no limit.
    "max_transfer_bytes": Setting(
        BY_MEMORY, _or(BYTES, "'memory' for half of the memory, or None or inf for no limit", BY_MEMORY, None, math.inf)
    ),
}

_understood: dict[str, tuple[Any, Any]] = {}
"""By name: a value as it was set, and what it means."""

dask.config.update_defaults({"akdask": {name: setting.default for name, setting in SETTINGS.items()}})


def get(name: str) -> Any:
    """Return the current value of one setting.

    Raises
    ------
    ArgumentError
        If there is no such setting, or a YAML file, the environment or Dask's configuration give it a value that it
        does not take.

    Examples
    --------
    >>> get("eager")
    False
    """
    setting = _setting(name)
    # Small operations read settings several times, so Dask looks for other spellings only if this one is not found.
    section = dask.config.config["akdask"]
    value = section[name] if name in section else dask.config.get(f"akdask.{name}")
    known = _understood.get(name)
    if known is not None and known[0] is value:
        return known[1]
    try:
        _understood[name] = value, setting.kind.read(value)
        return _understood[name][1]
    except (TypeError, ValueError, OverflowError):
        raise _refused(name, value, _source(name)) from None


@traced_to_caller
def set(**settings: Any) -> dask.config.set:
    """Change settings, for good or inside a ``with`` block.

    Raises
    ------
    ArgumentError
        If there is no such setting, or it does not take the value.  All settings stay as they were then.

    Examples
    --------
    >>> with set(block_size=4096):
    ...     get("block_size")
    4096
    """
    read = {}
    for name, value in settings.items():
        kind = _setting(name).kind
        try:
            read[f"akdask.{name}"] = kind.read(value)
        except (TypeError, ValueError, OverflowError):
            raise _refused(name, value, f"ak.config.set({name}={value!r:.100})") from None
    return dask.config.set(read)


def __dir__() -> list[str]:
    return ["SETTINGS", "get", "set"]


def _setting(name: str) -> Setting:
    # Small operations read settings several times, so a known name takes one lookup.
    try:
        return SETTINGS[name]
    except (KeyError, TypeError):
        details = [f"settings: {', '.join(SETTINGS)}"]
        raise ArgumentError(f"akdask has no setting {name!r}.", details=details) from None


def _refused(name: str, value: Any, source: str) -> ArgumentError:
    return ArgumentError(
        f"the setting {name!r} does not take {value!r:.100}.",
        details=[f"given by {source}"],
        hint=f"it is {SETTINGS[name].kind.wanted}; {SETTINGS[name].default!r} unless set.",
    )


def _source(name: str) -> str:
    """Return the source of a setting's value, as far as it is known: the environment goes before files."""
    value = dask.config.get(f"akdask.{name}")
    for variable in os.environ:
        given = dask.config.collect_env({variable: os.environ[variable]})
        if variable != "DASK_INTERNAL_INHERIT_CONFIG" and _given(given, name) == value:
            return f"the environment variable {variable}"
    files = list(dask.config.collect_yaml(dask.config.paths, return_paths=True))
    for path, given in reversed(files):
        if _given(given, name) == value:
            return f"the file {path}"
    return f"dask.config.set({{'akdask.{name}': …}}), or a configuration that was handed on to this process"


def _given(config: dict[str, Any], name: str) -> Any:
    return dask.config.get(f"akdask.{name}", _NOTHING, config=config)


_NOTHING = object()


def _warn_of_unknown() -> None:
    """Warn of names under ``akdask`` in YAML files and the environment that are no settings, such as misspelt ones."""
    found = dask.config.get("akdask")
    unknown = [name for name in found if name.replace("-", "_") not in SETTINGS]
    if unknown:
        warn(
            f"the configuration has settings that akdask does not know: {', '.join(unknown)}; "
            f"it knows {', '.join(SETTINGS)}.",
            UserWarning,
        )


_warn_of_unknown()
