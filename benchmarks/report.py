"""What a task found, and the table of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

from benchmarks.timing import Seconds

OURS = "akdask"


@dataclass(frozen=True)
class Unit:
    """How a quantity is printed: `scale` of them make one of the base (seconds, bytes, pieces)."""

    name: str
    scale: float


SECONDS = Unit("s", 1.0)
MILLISECONDS = Unit("ms", 1e3)
MICROSECONDS = Unit("µs", 1e6)
MEBIBYTES = Unit("MiB", 2.0**-20)
PIECES = Unit("", 1.0)
UNITS = {unit.name: unit for unit in (SECONDS, MILLISECONDS, MICROSECONDS, MEBIBYTES, PIECES)}


@dataclass(frozen=True)
class Work:
    """What a task goes through: rows, and the bytes that they take in files."""

    rows: int
    nbytes: int


@dataclass(frozen=True)
class Result:
    """One quantity, the smaller the better, of akdask and its peers.

    Parameters
    ----------
    task : str
        What was measured.
    unit : Unit
    values : mapping of str to float
        By name of who did it; seconds, bytes or pieces.
    floors : mapping of str to float
        The least ratio to a peer that is good enough: 2.0 asks akdask for half of the peer's value.
    limit : float, optional
        What akdask's own value must stay below.
    work : Work, optional
        What the task goes through, if its throughput is worth telling.
    case : str
        Which of several this is, where the same is measured of data of many sizes or kinds.
    cpu : mapping of str to float
        Seconds of processors, by name of whoever is known to have taken them.
    """

    task: str
    unit: Unit
    values: Mapping[str, float]
    floors: Mapping[str, float] = field(default_factory=dict)
    limit: float | None = None
    work: Work | None = None
    case: str = ""
    cpu: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.values, Seconds):
            object.__setattr__(self, "cpu", self.values.cpu)

    @property
    def name(self) -> str:
        """The task, and which of several."""
        return f"{self.task}, {self.case}" if self.case else self.task

    @property
    def best_peer(self) -> str | None:
        """The peer with the smallest value, if there is any."""
        return min((name for name in self.values if name != OURS), key=self.values.__getitem__, default=None)

    @property
    def rival(self) -> str | None:
        """The peer that the goal is missed by most or met by least; the best one if there is no goal beside peers."""
        margins = {name: self.ratio(name) / floor for name, floor in self.floors.items() if name in self.values}
        return min(margins, key=margins.__getitem__, default=self.best_peer)

    def shown(self, name: str) -> str:
        """Return a value with its unit."""
        value = self.values[name] * self.unit.scale
        return f"{value:,.{_digits(value)}f} {self.unit.name}".rstrip()

    def ratio(self, peer: str) -> float:
        """Return how many times better akdask is than a peer."""
        return self.values[peer] / self.values[OURS]

    def cpu_ratio(self, peer: str) -> float | None:
        """Return how many times the processor time of akdask a peer takes, if that is known."""
        return self.cpu[peer] / self.cpu[OURS] if self.cpu.get(OURS) and peer in self.cpu else None

    def bar(self, name: str) -> str:
        """Return the goal that this line is held against, or nothing."""
        if name == OURS and self.limit is not None:
            return f"< {self.limit * self.unit.scale:,.6g} {self.unit.name}".rstrip()
        return f"≥ {self.floors[name]:.2f}x" if name in self.floors else ""

    def met(self, name: str) -> bool | None:
        """Return whether the goal of this line is met; None where it has none."""
        if name == OURS and self.limit is not None:
            return self.values[OURS] < self.limit
        return self.ratio(name) >= self.floors[name] if name in self.floors else None


IN_MEMORY, FROM_FILES = "in memory", "from files"
MEAN_FLOORS = {IN_MEMORY: 1.5, FROM_FILES: 1.2}
BEST = "best of each"


def geometric_means(results: Sequence[Result]) -> list[Result]:
    """Return how many times as long as akdask the best peers take, in the mean of questions that were asked there."""
    means = []
    for where, floor in MEAN_FLOORS.items():
        ratios = [result.ratio(result.best_peer or OURS) for result in results if result.case == where]
        if ratios:
            mean = exp(sum(map(log, ratios)) / len(ratios))
            task = f"geometric mean of {len(ratios)} questions"
            means.append(Result(task, PIECES, {OURS: 1.0, BEST: mean}, {BEST: floor}, case=where))
    return means


HEADER = ("task", "by", "value", "ratio", "of CPU", "bar", "met")
NUMBERS = {"value", "ratio", "of CPU"}


def table(results: Iterable[Result]) -> str:
    """Return all results as text; a ratio above 1 means that akdask is that many times better."""
    rows = [HEADER, *(row for result in results for row in _rows(result))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(_pad(cell, width, index) for index, (cell, width) in enumerate(zip(row, widths, strict=True)))
             for row in rows]  # fmt: skip
    return "\n".join([lines[0].rstrip(), "-" * (sum(widths) + 2 * len(widths) - 2), *(s.rstrip() for s in lines[1:])])


def _rows(result: Result) -> Iterator[tuple[str, ...]]:
    for name in result.values:
        ratio = "" if name == OURS else f"{result.ratio(name):.2f}x"
        of_cpu = "" if name == OURS or (found := result.cpu_ratio(name)) is None else f"{found:.2f}x"
        met = {None: "", True: "yes", False: "NO"}[result.met(name)]
        yield (result.name if name == OURS else "", name, result.shown(name), ratio, of_cpu, result.bar(name), met)


def _digits(value: float) -> int:
    return 0 if value >= 100 or value == int(value) else 1 if value >= 10 else 2


def _pad(cell: str, width: int, index: int) -> str:
    return cell.rjust(width) if HEADER[index] in NUMBERS else cell.ljust(width)
