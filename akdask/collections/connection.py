"""`connect` and friends: optional here, for threads of this process need no set-up."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import dask
from dask.system import CPU_COUNT

from akdask.cluster import current_client
from akdask.errors import ArgumentError

if TYPE_CHECKING:
    from distributed import Client

# The cluster's machinery is imported only where it is used: it takes longer to import than all the rest.

_opened: list[Client] = []
_current = ExitStack()


def connect(server: Any = None, port: int = 5555, timeout: int = 0, **_: Any) -> Client | None:
    """Choose where akdask computes; calling it is optional.

    Parameters
    ----------
    server : str or Client, optional
        ``"tcp://host:port"`` for a Dask scheduler, ``"local"`` for a cluster of processes on this machine with
        spilling, or a `Client`.  Host names without a protocol, as Arkouda scripts pass them, mean this process: akdask
        has no server, and computes on threads.
    port, timeout
        Accepted as Arkouda spells them.  `timeout` is used for Dask schedulers, in seconds.

    Returns
    -------
    Client or None
        The client that is current now, None for threads.
    """
    from distributed import Client, LocalCluster

    if isinstance(server, Client):
        _current.enter_context(server.as_current())
        return server
    if server == "local":
        _opened.append(Client(LocalCluster(dashboard_address=":0")))
        return _opened[-1]
    if isinstance(server, str) and "://" in server:
        try:
            _opened.append(Client(server, timeout=timeout or None))
        except OSError as error:
            raise ArgumentError(
                f"no Dask scheduler answers at {server}.", details=[str(error)], hint="start one with `dask scheduler`."
            ) from error
        return _opened[-1]
    return None


def disconnect() -> None:
    """Close the clients and local clusters that `connect` opened; computing goes on in threads."""
    _current.close()
    while _opened:
        client = _opened.pop()
        cluster = client.cluster
        client.close()
        if cluster is not None:
            cluster.close()


def get_config() -> dict[str, Any]:
    """Return facts about where akdask computes, under the names that Arkouda scripts read.

    Returns
    -------
    dict
        ``numLocales`` (workers, or 1), ``maxTaskPar`` (threads of each), ``physicalMemory`` (bytes of each, where
        known), ``numPUs``, ``LocaleConfigs``, ``arkoudaVersion``, ``serverHostname``.
    """
    client = current_client()
    if client is None:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        locales = [{"id": 0, "name": socket.gethostname(), "physicalMemory": memory, "maxTaskPar": CPU_COUNT}]
    else:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        locales = [
            {"id": number, "name": str(name), "physicalMemory": facts["memory_limit"], "maxTaskPar": facts["nthreads"]}
            for number, (name, facts) in enumerate(workers.items())
        ]
    first = locales[0] if locales else {"physicalMemory": 0, "maxTaskPar": 0}
    return {
        "arkoudaVersion": f"akdask on dask {dask.__version__}",
        "serverHostname": socket.gethostname(),
        "numLocales": len(locales),
        "numPUs": first["maxTaskPar"],
        "maxTaskPar": first["maxTaskPar"],
        "physicalMemory": first["physicalMemory"],
        "LocaleConfigs": locales,
    }
