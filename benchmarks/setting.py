"""What a run is asked for: sizes, folders and who takes part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import FileSet, floats, make_set
from benchmarks.peers import Peer, find_peers
from benchmarks.timing import Run, Seconds, interleave

FULL_SIZE = 1_000_000


@dataclass(frozen=True)
class Setting:
    """The parameters of one run.

    Parameters
    ----------
    rows : int
        Rows of the data that is read and written.  Below a million, everything else shrinks in proportion, for a
        quick look at whether all works; the bars mean nothing then.
    repeat : int
        Turns that count.
    folder : Path
        Where data is made, and kept for the next run.
    threads : int
        Threads of everybody.
    vaex_python : str, optional
        The interpreter that has vaex.
    patience : float
        Seconds after which whoever has used them up drops out of the turns of a task.
    sparse_rows : int
        Rows of the set that is mostly holes.
    files : int
        Files that data is cut into.
    curve_rows : int
        The most rows that time is drawn against.
    questions : tuple of str
        What the questions that are asked begin with, of tasks that have many; all if there is none.
    """

    rows: int
    repeat: int
    folder: Path
    threads: int
    vaex_python: str | None = None
    patience: float = 10.0
    sparse_rows: int = 2_000_000_000
    files: int = 4
    curve_rows: int = 100_000_000
    questions: tuple[str, ...] = ()

    def scaled(self, count: int) -> int:
        """Return `count`, or less of it in a run of few rows."""
        return max(10, min(count, count * self.rows // FULL_SIZE))

    def interleave(self, runs: Mapping[str, Run]) -> Seconds:
        """Return the median seconds of each run, with the turns and the patience of this setting."""
        return interleave(runs, self.repeat, self.patience)

    def peers(self) -> list[Peer]:
        """Return akdask and the alternatives that are at hand."""
        return find_peers(self.threads, self.vaex_python)

    def numbers(self, rows: int | None = None, files: int = 4) -> FileSet:
        """Return the set of two float64 columns, `a` and `b`, from 0 to 1."""
        return make_set(self.folder, "numbers", {"a": floats, "b": floats}, rows or self.rows, files)
