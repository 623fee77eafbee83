"""Times and peaks: everything is run in turns and judged by medians, after all answers have been found equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

Run = Callable[[], object]
"""Finds one answer, from nothing but files or what was set up before."""


class WrongAnswerError(Exception):
    """Two ways to the same answer differ, so that their times mean nothing."""


@dataclass(frozen=True)
class Timed:
    """An answer that brings its own time, from another process."""

    answer: object
    seconds: float


def interleave(runs: Mapping[str, Run], repeat: int, patience: float = 10.0) -> dict[str, float]:
    """Return the median seconds of each run.

    The first turn warms caches and compares the answers; it counts only for those who used up `patience` seconds in
    it.  Whoever has used up as much in the turns that count drops out of the rest.
    """
    first = {name: _timed(run) for name, run in runs.items()}
    compare({name: timed.answer for name, timed in first.items()})
    seconds = {name: [timed.seconds] if timed.seconds > patience else [] for name, timed in first.items()}
    for _ in range(repeat):
        for name, run in runs.items():
            if sum(seconds[name]) < patience:
                seconds[name].append(_timed(run).seconds)
    return {name: median(values) for name, values in seconds.items()}


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
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    return left == right


def _timed(run: Run) -> Timed:
    start = perf_counter()
    result = run()
    elapsed = perf_counter() - start
    return result if isinstance(result, Timed) else Timed(result, elapsed)


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
