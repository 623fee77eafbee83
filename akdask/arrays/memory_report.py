"""`memory`: reports the memory in use, by object and by worker, and Arkouda's functions for the memory of servers."""

from __future__ import annotations

import socket
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from akdask import cluster
from akdask.arrays import writable
from akdask.arrays.array import Labelled
from akdask.arrays.groupby import GroupBy
from akdask.caches import CacheMemory, caches
from akdask.cluster import default_client
from akdask.deferred import pd
from akdask.engine.cache import HERE, names_below, other_bytes, results_in_memory, spilled_bytes
from akdask.engine.node import Node
from akdask.engine.run import Root
from akdask.errors import ArgumentError

MOST_SHOWN = 40
"""Lines of a report that are printed; `MemoryReport.to_pandas` has all."""


class ObjectMemory(NamedTuple):
    """Bytes that an object keeps at one place."""

    object: str
    """The names of variables and the registered names that it goes by; empty where none is known."""
    what: str
    """Why it is kept."""
    process: str
    """The address of a worker, or "this process"."""
    nbytes: int


class ProcessMemory(NamedTuple):
    """The memory of a worker, or of this process."""

    process: str
    host: str
    used: int
    """Bytes that the process has, programs included."""
    limit: int
    spilled: int
    """Bytes of results that are on disk."""


class MemoryReport:
    """Objects and results held in memory; prints itself, and shows itself as a table in notebooks.

    Attributes
    ----------
    objects : list of ObjectMemory
        Holder, reason, place and bytes of each; the largest first.
    processes : list of ProcessMemory
        The memory of this process, and of each worker of a cluster.
    caches : list of CacheMemory
        Name, number of entries and bytes of each cache of this process, as far as these are known; the largest first.
        Columns and groups that are cached for later steps are among the objects as well.
    """

    def __init__(
        self, objects: list[ObjectMemory], processes: list[ProcessMemory], caches: Sequence[CacheMemory] = ()
    ) -> None:
        self.objects = objects
        self.processes = processes
        self.caches = list(caches)

    @property
    def nbytes(self) -> int:
        """Bytes of all that is held."""
        return sum(line.nbytes for line in self.objects)

    def to_pandas(self) -> pd.DataFrame:
        """Return the held objects as a DataFrame of pandas, one row for each object and place."""
        return pd.DataFrame(self.objects, columns=list(ObjectMemory._fields))

    def __repr__(self) -> str:
        return "\n\n".join("\n".join(_text(rows)) for rows in self._tables())

    def _repr_html_(self) -> str:
        return "".join(map(_html, self._tables()))

    def _tables(self) -> list[list[list[str]]]:
        caches = [["cache", "entries", "bytes"]]
        caches += [[cache.name, f"{cache.entries:,}", f"{cache.nbytes:,}"] for cache in self.caches]
        return [self._object_rows(), self._process_rows(), *([caches] if self.caches else [])]

    def _object_rows(self) -> list[list[str]]:
        rows = [["object", "what", "where", "bytes"]]
        rows += [
            [line.object or "(without a name)", line.what, line.process, f"{line.nbytes:,}"]
            for line in self.objects[:MOST_SHOWN]
        ]
        rest = self.objects[MOST_SHOWN:]
        if rest:
            rows.append([f"{len(rest):,} more", "", "", f"{sum(line.nbytes for line in rest):,}"])
        return [*rows, ["all", "", "", f"{self.nbytes:,}"]]

    def _process_rows(self) -> list[list[str]]:
        rows = [["memory of", "host", "used", "limit", "on disk"]]
        shown = self.processes[:MOST_SHOWN]
        rows += [
            [line.process, line.host, *(f"{n:,}" for n in (line.used, line.limit, line.spilled))] for line in shown
        ]
        rest = self.processes[MOST_SHOWN:]
        if rest:
            used, limit, spilled = zip(*((line.used, line.limit, line.spilled) for line in rest), strict=True)
            rows.append([f"{len(rest):,} more", "", *(f"{sum(numbers):,}" for numbers in (used, limit, spilled))])
        return rows


def memory() -> MemoryReport:
    """Return the contents of memory by object, reason and worker; computes nothing.

    Lazy objects hold plans.  Memory is held by results of `persist`, by arrays that were made of values, by
    columns that are kept for later steps of a loop, and by groups that a GroupBy has found.  Caches of metadata of
    files, and of other results that are used again, are listed by their names.  Objects are named by the
    variables of the caller and by their registered names; several may share their inputs.  Memory that workers
    hold for other clients, or for a computation that runs, is "other results".

    Returns
    -------
    MemoryReport
        Prints itself; ``objects``, ``processes`` and ``caches`` are lists, and ``to_pandas()`` makes a table of the
        objects.

    See Also
    --------
    get_mem_used : The memory of all processes, as Arkouda reports it.

    Examples
    --------
    >>> squares = (ak.arange(1000) ** 2).persist()
    >>> [(line.what, line.nbytes) for line in ak.memory().objects if line.object == "squares"]
    [('persisted', 8000)]
    """
    caller = sys._getframe(1)
    variables = {**caller.f_globals, **caller.f_locals}
    results = results_in_memory()
    owners = _owners(variables)
    sums: Counter[tuple[str, str, str]] = Counter()
    for result in results:
        for process, nbytes in result.nbytes.items():
            sums[", ".join(owners.get(result.name, ())), result.kind, process] += nbytes
    for process, nbytes in other_bytes(results).items():
        sums["", "other results", process] += nbytes
    objects = [ObjectMemory(*what, nbytes) for what, nbytes in sums.most_common()]
    return MemoryReport(objects, _processes(), caches())


def _owners(variables: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the names of the user's objects by the name of the node that they are made from."""
    found: dict[str, list[str]] = {}
    for name, item in [*variables.items(), *_registered()]:
        if not name.startswith("_"):
            for node in _names_of(item):
                found.setdefault(node, []).append(name)
    return found


def _registered() -> Iterator[tuple[str, Any]]:
    return ((repr(name), item) for name, item in writable.registered_objects().items())


def _names_of(item: Any) -> set[str]:
    """Return the names of the nodes, and of the groups, that an object keeps."""
    if isinstance(item, GroupBy):
        return names_below(_plans(item._arrays)) | set(item._leases)
    return names_below(_plans([item]))


def _plans(items: Iterable[Any]) -> Iterator[Node]:
    for item in items:
        if isinstance(item, Labelled) and not isinstance(item, Root):
            yield from _plans(item.values if isinstance(item.values, list) else [item.values])
        elif isinstance(item, Root):
            yield item.expr


def _processes() -> list[ProcessMemory]:
    here = ProcessMemory(HERE, socket.gethostname(), cluster.memory_in_use(), cluster.process_memory(), spilled_bytes())
    client = default_client()
    if client is None:
        return [here]
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return [
        here,
        *(
            ProcessMemory(
                address,
                str(facts["host"]),
                int(facts["metrics"]["memory"]),
                int(facts["memory_limit"] or 0),
                int(facts["metrics"].get("spilled_bytes", {}).get("disk", 0)),
            )
            for address, facts in sorted(workers.items())
        ),
    ]


def _text(rows: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a table, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = _numbers(rows)
    for row in rows:
        columns = (
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, numbers, strict=True)
        )
        yield "  ".join(columns).rstrip()


def _html(rows: list[list[str]]) -> str:
    numbers = _numbers(rows)
    lines = []
    for index, row in enumerate(rows):
        tag = "td" if index else "th"
        columns = (
            f"<{tag} style='text-align: {'right' if is_number else 'left'}'>{escape(cell)}</{tag}>"
            for cell, is_number in zip(row, numbers, strict=True)
        )
        lines.append(f"<tr>{''.join(columns)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _numbers(rows: list[list[str]]) -> list[bool]:
    """Return which columns hold numbers, by their heads."""
    return [head in {"entries", "bytes", "used", "limit", "on disk"} for head in rows[0]]


UNITS = {unit: 2 ** (10 * power) for power, unit in enumerate(("b", "kb", "mb", "gb", "tb", "pb"))}

MAX_RANK = 3
"""The dimensions that Arkouda is built for where it is built for more than one."""


def get_mem_used(unit: str = "b", as_percent: bool = False) -> int:
    """Return the bytes of memory that all workers use, or this process, for programs and data.

    An Arkouda server counts its objects; akdask's objects are plans.

    Parameters
    ----------
    unit : {"b", "kb", "mb", "gb", "tb", "pb"}
        The unit, in upper or lower case.
    as_percent : bool, default False
        Return percents of all memory instead.

    Raises
    ------
    ArgumentError
        If the unit is unknown.

    Examples
    --------
    >>> ak.get_mem_used("MB") > 0
    True
    """
    factor = _factor(unit)
    used, total = _sums()
    return round(100 * used / total) if as_percent else used // factor


def get_mem_avail(unit: str = "b", as_percent: bool = False) -> int:
    """Return the bytes of memory that are still available to all workers, or to this process.

    Parameters
    ----------
    unit : {"b", "kb", "mb", "gb", "tb", "pb"}
        The unit, in upper or lower case.
    as_percent : bool, default False
        Return percents of all memory instead.

    Raises
    ------
    ArgumentError
        If the unit is unknown.

    Examples
    --------
    >>> 0 < ak.get_mem_avail(as_percent=True) <= 100
    True
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

    Examples
    --------
    >>> sorted(ak.get_mem_status()[0])
    ['arkouda_mem_alloc', 'avail_mem', 'locale_hostname', 'locale_id', 'mem_used', 'pct_avail_mem', 'total_mem']
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
    """Return the highest number of dimensions in Arkouda; akdask takes as many as NumPy.

    Examples
    --------
    >>> ak.get_max_array_rank()
    3
    """
    return MAX_RANK


def get_array_ranks() -> list[int]:
    """Return the numbers of dimensions that Arkouda has; see `get_max_array_rank`."""
    return list(range(1, MAX_RANK + 1))


def _factor(unit: str) -> int:
    found = UNITS.get(str(unit).lower())
    if found is None:
        raise ArgumentError(f"memory is measured in {', '.join(UNITS)}, not {unit!r}.")
    return found


def report_mem(pre: str = "") -> None:
    """Print the used memory and its share of all memory; see `get_mem_used`.

    Parameters
    ----------
    pre : str
        The start of the line.
    """
    used, total = _sums()
    print(f"{pre} mem use: {used / 2**40: .2f} TB ({used / total:.1%})")


def _sums() -> tuple[int, int]:
    by_locale = _by_locale()
    return sum(used for _, used, _ in by_locale), sum(total for _, _, total in by_locale) or 1


def _by_locale() -> list[tuple[str, int, int]]:
    """Return the host, and the used and the available bytes, of each worker or of this process."""
    client = default_client()
    if client is None:
        return [(socket.gethostname(), cluster.memory_in_use(), cluster.process_memory())]
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return [
        (str(facts["host"]), int(facts["metrics"]["memory"]), int(facts["memory_limit"] or cluster.process_memory()))
        for facts in workers
    ]
