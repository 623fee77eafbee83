"""`connect`, `disconnect` and related functions; scripts may call them, but threads of this process need no set-up."""

from __future__ import annotations

import logging
import platform
import socket
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import dask
from dask.system import CPU_COUNT

from akdask import cluster
from akdask.cluster import check_address, check_versions, chosen_client, default_client
from akdask.errors import ArgumentError, ArgumentTypeError, VersionError

if TYPE_CHECKING:
    from distributed import Client

# The cluster's machinery takes longer to import than everything else, so it is imported only where it is used.

_opened: list[Any] = []
"""Clients and local clusters, in the order in which they were opened."""

_current = ExitStack()

_LOG = logging.getLogger("akdask")


def connect(  # noqa: PLR0917 - Arkouda's signature
    server: Any = "localhost",
    port: int = 5555,
    timeout: float | None = 0,
    access_token: str | None = None,
    connect_url: str | None = None,
    access_channel: Any = None,
) -> Client | None:
    """Choose where akdask computes; calling it is optional.

    Parameters
    ----------
    server : str, Client or cluster object of Dask, optional
        ``"tcp://host:port"`` for a Dask scheduler (``"inproc://…"`` for one in this process), ``"local"`` for a cluster
        of processes on this machine with spilling, a `Client`, or an object such as a `LocalCluster`.  Host names
        without a protocol, as Arkouda scripts pass them, mean this process: akdask has no server, and computes on
        threads.
    port : int
        Accepted for compatibility with Arkouda and ignored: akdask has no server.
    timeout : float, optional
        Seconds to wait for a Dask scheduler; 0 stands for Dask's setting ``distributed.comm.timeouts.connect``.
    access_token, connect_url, access_channel
        Accepted as `port` is.

    Returns
    -------
    Client or None
        The client that is current now, None for threads.

    Raises
    ------
    ArgumentError
        If no scheduler answers, or `timeout` is below 0.
    ArgumentTypeError
        If `server` or `timeout` is something else.
    VersionError
        If workers have no akdask, or another version.

    Examples
    --------
    >>> ak.connect()
    >>> ak.get_config()["numLocales"]
    1
    >>> ak.disconnect()
    """
    if server is None or (isinstance(server, str) and server != "local" and "://" not in server):
        return None
    from distributed import Client, LocalCluster

    if isinstance(server, Client):
        if server is default_client():
            return server
        check_versions(server)
        _current.enter_context(server.as_current())
        return server
    waiting = _waiting(timeout)
    if server == "local":
        server = LocalCluster(dashboard_address=":0")
        _opened.append(server)
    elif not isinstance(server, str) and not hasattr(server, "scheduler_address"):
        raise ArgumentTypeError(
            f"cannot connect to {type(server).__name__}.",
            hint="pass the address of a Dask scheduler, 'local', a Client or a cluster object of Dask.",
        )
    try:
        if isinstance(server, str):
            check_address(server)
        client = chosen_client(server, **waiting)
    except (OSError, ValueError, AssertionError) as error:
        # Dask asserts that it has tried at least once, even if a name is not resolved in time.
        raise ArgumentError(
            f"no Dask scheduler answers at {server}.",
            details=[str(error) or "the host is not found"],
            hint="start one with `dask scheduler`.",
        ) from error
    _opened.append(client)
    try:
        check_versions(client)
    except VersionError:
        _opened.pop().close()
        raise
    _LOG.info("computing on the Dask cluster at %s", client.scheduler.address)
    return client


def _waiting(timeout: Any) -> dict[str, float]:
    """Return the arguments of a Client for its timeout; none if Dask's setting applies."""
    if isinstance(timeout, bool) or not (timeout is None or isinstance(timeout, int | float)):
        raise ArgumentTypeError(f"timeout is a number of seconds, not {timeout!r:.100}.")
    if timeout is not None and not timeout >= 0:
        raise ArgumentError(f"timeout is a number of seconds from 0, not {timeout}.")
    return {"timeout": timeout} if timeout else {}


def disconnect() -> None:
    """Close the clients and local clusters that `connect` opened; computing goes on in threads.

    Examples
    --------
    >>> ak.disconnect()
    """
    # A cell of a notebook may have its own context, which has ended, and its client with it.
    with suppress(ValueError):
        _current.close()
    while _opened:
        _opened.pop().close()


def get_config() -> dict[str, Any]:
    """Return facts about where akdask computes, under the names that Arkouda scripts read.

    Returns
    -------
    dict
        ``numLocales`` (workers, or 1), ``numNodes`` (machines that they run on), ``maxTaskPar`` (threads of each),
        ``physicalMemory`` (bytes of each, where known), ``numPUs``, ``LocaleConfigs``, ``arkoudaVersion``,
        ``pythonVersion``, ``serverHostname``, ``byteorder``, ``authenticate``.

    Examples
    --------
    >>> sorted(ak.get_config())[:3]
    ['LocaleConfigs', 'arkoudaVersion', 'authenticate']
    """
    client = default_client()
    if client is None:
        facts = {"physicalMemory": cluster.process_memory(), "maxTaskPar": CPU_COUNT}
        locales = [{"id": 0, "name": socket.gethostname(), **facts}]
        node_count = 1
    else:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        locales = [
            {"id": number, "name": str(name), "physicalMemory": facts["memory_limit"], "maxTaskPar": facts["nthreads"]}
            for number, (name, facts) in enumerate(workers.items())
        ]
        node_count = len({facts["host"] for facts in workers.values()})
    first = locales[0] if locales else {"physicalMemory": 0, "maxTaskPar": 0}
    return {
        "arkoudaVersion": f"akdask on dask {dask.__version__}",
        "serverHostname": socket.gethostname(),
        "byteorder": sys.byteorder,
        "authenticate": False,
        "pythonVersion": platform.python_version(),
        "numLocales": len(locales),
        "numNodes": node_count,
        "numPUs": first["maxTaskPar"],
        "maxTaskPar": first["maxTaskPar"],
        "physicalMemory": first["physicalMemory"],
        "LocaleConfigs": locales,
    }
