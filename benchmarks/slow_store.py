"""A file system of URLs ``slow://visit/path``: files of this machine behind a simulated network.

Each request takes a latency, and its bytes the time of one connection; any number of connections run at a time.  The
visit only makes one file known under many names, so that nothing that was remembered of it helps.
"""

from __future__ import annotations

import os
import stat
import time
from typing import Any

import fsspec
from fsspec import AbstractFileSystem

LATENCY = 0.02
"""Seconds."""

BANDWIDTH = 100e6
"""Bytes that one connection brings in a second."""


class SlowFileSystem(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """Reads files, each range by a request that takes its time."""

    protocol = "slow"

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path.removeprefix("slow://").rstrip("/")

    @staticmethod
    def _local(path: str) -> str:
        return "/" + path.removeprefix("slow://").partition("/")[2].lstrip("/")

    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Return size and time of change of a file."""
        time.sleep(LATENCY)
        return self._described(path)

    def _described(self, path: str) -> dict[str, Any]:
        status = os.stat(self._local(path))
        kind = "directory" if stat.S_ISDIR(status.st_mode) else "file"
        return {"name": self._strip_protocol(path), "size": status.st_size, "mtime": status.st_mtime_ns, "type": kind}

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        """Return what a folder holds."""
        time.sleep(LATENCY)
        names = [f"{self._strip_protocol(path)}/{name}" for name in sorted(os.listdir(self._local(path)))]
        return [self._described(name) for name in names] if detail else names

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        """Return a range of bytes of a file."""
        with open(self._local(path), "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            first = start or 0
            first = first + size if first < 0 else first
            found = os.pread(file.fileno(), (size if end is None else end) - first, first)
        time.sleep(LATENCY + len(found) / BANDWIDTH)
        return found


fsspec.register_implementation("slow", SlowFileSystem, clobber=True)
