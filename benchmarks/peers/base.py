"""What a peer can be asked to do.  A peer that has no way to do something says None and is left out of that task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.data import FileSet
from benchmarks.timing import Run


@dataclass(frozen=True)
class Peer:
    """One way to answer.

    Each method sets up what a user would keep between questions (a thread pool, say) and returns what is timed,
    which begins with the files, unless the peer's name says otherwise.
    """

    threads: int
    name: ClassVar[str]

    def sum_column(self, files: FileSet) -> Run | None:
        """Sum of column `a`."""
        return None

    def filtered_sum(self, files: FileSet) -> Run | None:
        """Sum of column `b` where `a` is above one half."""
        return None

    def expression_sum(self, files: FileSet) -> Run | None:
        """Sum of ``sqrt(a * 2.5 + b)``."""
        return None
