"""How much memory there is where akdask computes, and how much of it is taken, in Arkouda's words."""

from __future__ import annotations

import socket
from typing import Any

from akdask import machine
from akdask._distributed import default_client
from akdask.errors import ArgumentError

UNITS = {unit: 2 ** (10 * power) for power, unit in enumerate(("b", "kb", "mb", "gb", "tb", "pb"))}

MAX_RANK = 3
"""The dimensions that Arkouda is built for where it is built for more than one."""


def get_mem_used(unit: str = "b", as_percent: bool = False) -> int:
    """Return the bytes of memory that all workers have taken, or this process, programs and data.

    An Arkouda server counts its objects; those of akdask are plans.

    Parameters
    ----------
    unit : {"b", "kb", "mb", "gb", "tb", "pb"}
        What is counted, in any case.
    as_percent : bool, default False
        Return percents of all memory instead.

    Raises
    ------
    ArgumentError
        If there is no such unit.
    """
    factor = _factor(unit)
    used, total = _sums()
    return round(100 * used / total) if as_percent else used // factor


def get_mem_avail(unit: str = "b", as_percent: bool = False) -> int:
    """Return the bytes of memory that all workers may still take, or this process.

    Parameters
    ----------
    unit : {"b", "kb", "mb", "gb", "tb", "pb"}
        What is counted, in any case.
    as_percent : bool, default False
        Return percents of all memory instead.

    Raises
    ------
    ArgumentError
        If there is no such unit.
    """
    factor = _factor(unit)
    used, total = _sums()
    available = max(total - used, 0)
    return round(100 * available / total) if as_percent else available // factor


def get_mem_status() -> list[dict[str, Any]]:
    """Return the memory of each worker, or of this process.

    Returns
    -------
    list of dict
        ``total_mem``, ``avail_mem``, ``arkouda_mem_alloc``, ``mem_used`` (bytes), ``pct_avail_mem``, ``locale_id``,
        ``locale_hostname``.
    """
    return [
        {
            "total_mem": total,
            "avail_mem": max(total - used, 0),
            "arkouda_mem_alloc": used,
            "mem_used": used,
            "pct_avail_mem": round(100 * max(total - used, 0) / total),
            "locale_id": number,
            "locale_hostname": host,
        }
        for number, (host, used, total) in enumerate(_by_locale())
    ]


def get_max_array_rank() -> int:
    """Return how many dimensions scripts may count on: those of Arkouda.  akdask takes as many as NumPy."""
    return MAX_RANK


def get_array_ranks() -> list[int]:
    """Return the numbers of dimensions that scripts may count on; see `get_max_array_rank`."""
    return list(range(1, MAX_RANK + 1))


def _factor(unit: str) -> int:
    found = UNITS.get(str(unit).lower())
    if found is None:
        raise ArgumentError(f"memory is measured in {', '.join(UNITS)}, not {unit!r}.")
    return found


def report_mem(pre: str = "") -> None:
    """Print how much memory is taken, and what part of all that is; see `get_mem_used`.

    Parameters
    ----------
    pre : str
        What the line begins with.
    """
    used, total = _sums()
    print(f"{pre} mem use: {used / 2**40: .2f} TB ({used / total:.1%})")


def _sums() -> tuple[int, int]:
    by_locale = _by_locale()
    return sum(used for _, used, _ in by_locale), sum(total for _, _, total in by_locale) or 1


def _by_locale() -> list[tuple[str, int, int]]:
    """Return the host, and the bytes that are taken and may be, of each worker or of this process."""
    client = default_client()
    if client is None:
        return [(socket.gethostname(), machine.memory_in_use(), machine.memory())]
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return [
        (str(facts["host"]), int(facts["metrics"]["memory"]), int(facts["memory_limit"] or machine.memory()))
        for facts in workers
    ]
