"""Memory that this process may use: its setting, or the least of machine, container and shell."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

from akdask import config

MEMBERSHIP = Path("/proc/self/cgroup")
"""Which groups of processes (cgroups) this process is in, one line for each hierarchy."""

HIERARCHIES = Path("/sys/fs/cgroup")
"""Where the system shows them."""

RESIDENT = 1
COUNTED = {resource.RLIMIT_AS: 0, resource.RLIMIT_DATA: 5}
"""Where the system tells how many pages are in memory, and how many pages a ulimit counts."""

ULIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_RSS)


def memory() -> int:
    """Return the bytes of memory that this process may use: the setting, or the least of machine, cgroup and ulimit.

    Examples
    --------
    >>> memory() > 2**20
    True
    """
    limit: int | None = config.get("memory_limit")
    if limit is not None:
        return limit
    # Loops instead of comprehensions: planning calls this often, and each comprehension is one more call.
    least = _machine_memory()
    for kind in ULIMITS:
        ulimit = resource.getrlimit(kind)[0]
        if ulimit not in (resource.RLIM_INFINITY, 0) and ulimit < least:
            least = ulimit
    return least


@cache
def _machine_memory() -> int:
    """Return the limits that do not change while the process runs; cached, as planning reads them often."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *cgroup_limits()])


def memory_in_use() -> int:
    """Return the bytes of memory that this process has now, or its peak where the system tells no more.

    If a ulimit counts reserved pages, these count as well: the system may refuse more of them while much less memory is
    touched.
    """
    try:
        pages = list(map(int, Path("/proc/self/statm").read_text(encoding="ascii").split()))
        counted = [at for kind, at in COUNTED.items() if resource.getrlimit(kind)[0] != resource.RLIM_INFINITY]
        return max(pages[at] for at in (RESIDENT, *counted)) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cgroup_limits() -> Iterator[int]:
    """Yield the limits in bytes of the cgroups of this process and of their ancestors.

    A container may show its own group as the root of the hierarchy while the line that names it has the path of the
    host, so that the root is looked at in any case.
    """
    try:
        lines = MEMBERSHIP.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers:
            yield from _limits(HIERARCHIES, group, ("memory.max", "memory.high"))
        elif "memory" in controllers.split(","):
            yield from _limits(HIERARCHIES / "memory", group, ("memory.limit_in_bytes",))


def _limits(root: Path, group: str, names: tuple[str, ...]) -> Iterator[int]:
    path = PurePosixPath(group.lstrip("/"))
    for folder in (path, *path.parents):
        for name in names:
            try:
                text = (root / folder / name).read_text().strip()
            except OSError:
                continue
            # "max" stands for no limit, and so does, in the older hierarchy, a number near 2**63.
            if text.isdecimal() and int(text):
                yield int(text)
