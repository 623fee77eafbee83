"""Where plans will run: a cluster or this process, and how much memory there is."""

from __future__ import annotations

import math
from time import monotonic
from typing import TypeAlias

from dask.system import CPU_COUNT

from akdask import config, machine
from akdask._distributed import default_client, workers_of
from akdask.errors import TransferError

SHARE = 64
"""The part of a worker's memory that a column of a partition may take: there may be several columns, and they are in
memory as they are read, in order, and on their way to the next task."""

SHARE_HERE = 32
"""The same without a cluster: tasks run one by one where memory is nearly exhausted.  Of partitions half as large, an
exchange has four times as many slices: a join of 94 million rows took twice the processor time."""

PROGRAM = 2**28
"""Bytes of memory that the program of a worker, or of this process, takes itself, about."""

NEWS = 0.1
"""Seconds for which an answer of the scheduler holds: planning asks many times, and each takes a millisecond."""

Workers: TypeAlias = dict[str, tuple[int, int]]
"""The bytes of memory for data and the number of threads of each worker, by its address."""

_heard: dict[str, tuple[float, Workers]] = {}


def on_cluster() -> bool:
    """Whether a client of a cluster is current in this process."""
    return default_client() is not None


def memory() -> int:
    """Return the bytes of memory for data that the smallest worker has for each of its threads.

    Without a cluster, the bytes of the whole process: its threads share the arrays that each of them needs in full.
    """
    return _least(data_memory(machine.memory()))


def all_memory() -> int:
    """Return the memory for data of all workers, or of this process, in bytes."""
    return sum(nbytes for nbytes, _ in _workers().values()) or data_memory(machine.memory())


def partition_size() -> int:
    """Return the bytes that a column of a partition may take: the setting, or less if memory is short."""
    per_thread = _least(data_memory(machine.memory()) // CPU_COUNT)
    share = SHARE if on_cluster() else SHARE_HERE
    return max(min(int(config.get("partition_size")), per_thread // share), 1)


def transfer_limit() -> float:
    """Return the bytes that one conversion may bring into this process: the setting, or half of its memory.

    Half, since the results of tasks and the array that joins them are in memory at the same time.
    """
    limit = config.get("max_transfer_bytes")
    if limit == config.BY_MEMORY:
        return machine.memory() // 2
    return math.inf if limit is None else float(limit)


def check_memory(nbytes: int, what: str, hint: str) -> None:
    """Refuse to hold bytes at once that are more than one conversion may bring into this process.

    Parameters
    ----------
    nbytes : int
        How many.
    what : str
        Begins the message: "a chunk takes".
    hint : str
        A remedy besides raising the limit.

    Raises
    ------
    TransferError
        If they are more.
    """
    limit = transfer_limit()
    if nbytes > limit:
        raise TransferError(
            f"{what} {nbytes:,} bytes in memory, more than the limit of {limit:,.0f}.",
            hint=f"raise it with ak.config.set(max_transfer_bytes=…), or {hint}.",
        )


def addresses() -> tuple[str, ...]:
    """Return the addresses of all workers."""
    return tuple(sorted(_workers()))


def _least(here: int) -> int:
    """Return the memory for each thread of the smallest worker, or `here` without a cluster."""
    return min((nbytes // threads for nbytes, threads in _workers().values()), default=here)


def data_memory(limit: int) -> int:
    """Return the memory for data of a process with a limit; without one, the memory of the machine."""
    return max(limit - PROGRAM, limit // 4) if limit else machine.memory()


def _workers() -> Workers:
    """Return the workers of the current cluster, as the scheduler has known them a moment ago."""
    client = default_client()
    if client is None:
        return {}
    until, workers = _heard.get(client.id, (0.0, {}))
    if monotonic() > until:
        workers = {address: (data_memory(limit), threads) for address, (limit, threads) in workers_of(client).items()}
        _heard.clear()
        _heard[client.id] = monotonic() + NEWS, workers
    return workers
