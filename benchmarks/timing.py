"""Times and peaks: everything is run in turns and judged by medians, after all answers have been found equal."""

from __future__ import annotations

import gc
import math
import mmap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from benchmarks.process import HERE

PIECE = 2**26
EACH_PAGE = bytes(PIECE // mmap.PAGESIZE)
"""Memory that is touched at a time, and a byte for each page of it."""

WRITTEN_EACH_SECOND, MOST_WRITTEN = 2 * 10**9, 2 * 10**9
"""Bytes that a run may write to new memory, about."""

Run = Callable[[], object]
"""Finds one answer, from nothing but files or what was set up before."""


class WrongAnswerError(Exception):
    """Two ways to the same answer differ, so that their times mean nothing."""


@dataclass(frozen=True)
class Timed:
    """An answer that brings its own time, from another process or without what came before or after.

    `cpu` are seconds of processors; None if they are not known.
    """

    answer: object
    seconds: float
    cpu: float | None = None


class Seconds(dict[str, float]):
    """The seconds that pass, by name of whose they are, and those of processors of whoever computes in this process."""

    def __init__(self, seconds: Mapping[str, float], cpu: Mapping[str, float]) -> None:
        super().__init__(seconds)
        self.cpu = dict(cpu)


def interleave(runs: Mapping[str, Run], repeat: int, patience: float = 10.0) -> Seconds:
    """Return the median seconds of each run.

    The first turn warms caches and compares the answers; it counts only for those who used up `patience` seconds in
    it.  Whoever has used up as much in the turns that count drops out of the rest.
    """
    with _looking_through_new_objects_only():
        first = {name: _measure_alone(run, 0) for name, run in runs.items()}
        compare({name: timed.answer for name, timed in first.items()})
        turns = {name: [timed] if timed.seconds > patience else [] for name, timed in first.items()}
        if not HERE.get():
            gc.freeze()
        longest = max(timed.seconds for timed in first.values())
        touched = min(int(WRITTEN_EACH_SECOND * longest), MOST_WRITTEN)
        for _ in range(repeat):
            for name, run in runs.items():
                if sum(turn.seconds for turn in turns[name]) < patience:
                    turns[name].append(_measure_alone(run, touched))
    return _medians(turns)


@contextmanager
def _looking_through_new_objects_only() -> Iterator[None]:
    """Let the garbage collector leave out what is there: it takes half a second to go through all.

    Where times mean nothing, it looks when it will.
    """
    if HERE.get():
        yield
        return
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _measure_alone(run: Run, touched: int) -> Timed:
    """Time a run after what others have left is collected, with memory at hand, unless times mean nothing."""
    if not HERE.get():
        gc.collect()
        touch_memory(touched)
    return measure(run)


def touch_memory(most: int) -> None:
    """Take as many bytes as there are, or as the limit of this process leaves, write to each page, and free them.

    On virtual machines memory that was free for some seconds is given back to the host, from which it comes at a tenth
    of the speed: who needs much of it would be measured by who was asked before.
    """
    pieces = []
    with suppress(OSError):
        for _ in range(most // PIECE):
            # A limit of the process counts what is private.
            piece = mmap.mmap(-1, PIECE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            pieces.append(piece)
            # As large arrays of NumPy are.
            piece.madvise(getattr(mmap, "MADV_HUGEPAGE", mmap.MADV_NORMAL))
            piece[:: mmap.PAGESIZE] = EACH_PAGE
    for piece in pieces:
        piece.close()


def _medians(turns: Mapping[str, Sequence[Timed]]) -> Seconds:
    spent = {name: [turn.cpu for turn in taken if turn.cpu is not None] for name, taken in turns.items()}
    return Seconds(
        {name: median(turn.seconds for turn in taken) for name, taken in turns.items()},
        {name: median(seconds) for name, seconds in spent.items() if seconds},
    )


def compare(answers: Mapping[str, object]) -> None:
    """Raise unless all answers are the same, up to the order of floating-point additions.

    Raises
    ------
    WrongAnswerError
        Naming every answer.
    """
    first = next(iter(answers.values()))
    if not all(_same(first, answer) for answer in answers.values()):
        raise WrongAnswerError(", ".join(f"{name}: {answer!r}" for name, answer in answers.items()))


def _same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9)
    # JSON makes lists of tuples.
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        return len(left) == len(right) and all(map(_same, left, right))
    return left == right


def measure(run: Run) -> Timed:
    """Return an answer and the seconds that it takes, which are the answer's own if it brings them."""
    start, cpu = perf_counter(), process_time()
    result = run()
    elapsed, spent = perf_counter() - start, process_time() - cpu
    return result if isinstance(result, Timed) else Timed(result, elapsed, spent)


def reset_peak() -> int:
    """Forget this process's peak of resident memory and return what is resident now, in bytes (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak() -> int:
    """Return the peak of this process's resident memory since `reset_peak`, in bytes (Linux)."""
    return _status("VmHWM")


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(field)
