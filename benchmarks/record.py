"""Figures that are kept, in a file for each task: whoever measures a task again replaces its figures and no others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import UNITS, Result, Work

RESULTS = Path(__file__).with_name("results")
"""Where those figures are that are published."""

BUSY = 2.0
"""Threads that run or wait, for each that is asked for, above which a machine is busy with other things."""

DIGITS = 4
"""Digits of what is kept: more would change with each run and say nothing."""


@dataclass(frozen=True)
class Record:
    """What one task found, and what that depends on.

    Parameters
    ----------
    task : str
        The name that the command line takes.
    machine : mapping of str to str
        Machine and versions.
    rows, threads, repeat : int
        Of the setting.
    results : sequence of Result
    load : float
        Threads that ran or waited to run on the machine, in the mean over the last minute, when the task ended.
    """

    task: str
    machine: Mapping[str, str]
    rows: int
    threads: int
    repeat: int
    results: Sequence[Result]
    load: float = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether other programs took so much of the machine that the time that passes tells little."""
        return self.load > BUSY * self.threads


def keep(folder: Path, record: Record) -> Path:
    """Write the figures of a task, in place of those that were kept before."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record.task}.json"
    # A line for each result, so that changes of a file tell which.
    results = ",\n".join(_json(_entry(result)) for result in record.results)
    rest = _json({**vars(record), "results": []})
    path.write_text(rest.replace('"results": []', f'"results": [\n{results}\n]') + "\n", encoding="utf-8")
    return path


def _json(entries: Any) -> str:
    return json.dumps(entries, ensure_ascii=False)


def kept(folder: Path) -> dict[str, Record]:
    """Return all figures that are kept, by task."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.json")))
    return {record.task: record for record in map(_parse, texts)}


def _entry(result: Result) -> dict[str, Any]:
    entry = {**vars(result), "unit": result.unit.name, "work": result.work and vars(result.work)}
    for name in ("values", "cpu"):
        entry[name] = {who: _rounded(value) for who, value in entry[name].items()}
    return {name: value for name, value in entry.items() if value not in (None, "", {})}


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _parse(text: str) -> Record:
    entries = json.loads(text)
    return Record(**{**entries, "results": [_result(entry) for entry in entries["results"]]})


def _result(entry: dict[str, Any]) -> Result:
    work = Work(**entry["work"]) if "work" in entry else None
    return Result(**{**entry, "unit": UNITS[entry.get("unit", "")], "work": work})
