"""Settings, kept in Dask's configuration under ``akdask`` so that YAML files and ``DASK_AKDASK__…`` work too."""

from __future__ import annotations

from typing import Any

import dask

from akdask.errors import ArgumentError

DEFAULTS: dict[str, Any] = {
    # Bytes of the largest column of a partition; larger files are split into row ranges when they are opened.
    "partition_size": 128 * 2**20,
    # Bytes of a column that are evaluated at a time inside a partition task; several columns share twice as much.
    "block_size": 2**21,
    # Elements up to which a created array has a single partition.
    "small_array": 2**20,
    # Wait until written files are on disk, so that a power failure spares them: True, False, or "replaced", which is
    # where they take the place of older ones, as both would be lost.
    "durable": "replaced",
    # Persist every array as it is made, as an Arkouda server does.
    "eager": False,
    # Use the manifests of sets: what they tell need not be looked up in the files, nor partitions read in vain.
    "manifest": True,
    # Check the stored bytes of a column against the manifest before it is read.
    "verify_checksums": False,
    # Read data that HDF5 files keep in other files (external storage, virtual datasets), if these are below the folder
    # of the file; changes of theirs are not noticed.  Never so by default: such a file may name any file of its reader.
    "external_files": False,
    # Write Datetime, Timedelta and IPv4 as plain numbers, which Arkouda servers before v2023.09.06 demand.
    "compat": False,
    # Bytes of groups that are kept in this process while a GroupBy is in use, so that it need not sort again.
    "kept_groups": 2**30,
    # Bytes of freed arrays that this process keeps for half a minute, as new memory takes long to get.
    "spare_memory": 2**31,
    # Bytes of columns that every task holds whole: of the side of a join, of what rows are taken from by position.
    # Of larger ones rows are exchanged.  None for a part of the memory that a worker has.
    "replicate_size": None,
    # Bytes that one conversion (to_ndarray, to_pandas, tolist) may bring into this process; None for no limit.
    "max_transfer_bytes": None,
}

dask.config.update_defaults({"akdask": DEFAULTS})


def get(name: str) -> Any:
    """Return the current value of one setting.

    Examples
    --------
    >>> get("eager")
    False
    """
    _check(name)
    return dask.config.get(f"akdask.{name}")


def set(**settings: Any) -> dask.config.set:
    """Change settings, for good or inside a ``with`` block.

    Examples
    --------
    >>> with set(block_size=4096):
    ...     get("block_size")
    4096
    """
    for name in settings:
        _check(name)
    return dask.config.set({f"akdask.{name}": value for name, value in settings.items()})


def _check(name: str) -> None:
    if name not in DEFAULTS:
        raise ArgumentError(f"akdask has no setting {name!r}.", details=[f"settings: {', '.join(DEFAULTS)}"])
