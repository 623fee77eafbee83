"""The report of a job: one HTML file that needs nothing else, and the same facts as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from akdask.cli.console import duration, size
from akdask.cli.job.figures import Steps
from akdask.cli.job.folder import DASK_REPORT, FACTS, REPORT
from akdask.cli.job.watch import Sample
from akdask.cli.table import counted

STYLE = """
:root { color-scheme: light dark; --line: #8884; --bar: #4a90d9; --good: #2a7d46; --bad: #b3372c; }
@media (prefers-color-scheme: dark) { :root { --good: #6fce8f; --bad: #ff8a7a; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.bar { width: 12rem; } td.bar div { background: var(--bar); height: .8rem; border-radius: 2px; }
pre { background: #8881; padding: .8rem; overflow-x: auto; }
svg { width: 100%; height: 9rem; } svg path { fill: none; stroke: var(--bar); stroke-width: 1.5; }
svg line { stroke: var(--line); } svg text { fill: currentColor; font-size: 11px; }
"""


@dataclass
class JobReport:
    """What is told of a job."""

    script: str
    arguments: Sequence[str]
    cluster: str
    began: datetime
    seconds: float
    code: int
    message: str
    steps: Steps
    samples: Sequence[Sample]
    facts: dict[str, Any] = field(default_factory=dict)
    """Further ones, for the table at the top."""
    notes: list[str] = field(default_factory=list)
    """What could not be found out, and why."""
    files: list[str] = field(default_factory=list)
    """Names of what else the job has left in its folder."""

    def as_json(self) -> dict[str, Any]:
        """Return the facts for programs."""
        return {
            "script": self.script,
            "arguments": [*self.arguments],
            "cluster": self.cluster,
            "began": self.began.isoformat(timespec="seconds"),
            "seconds": round(self.seconds, 3),
            "exit_code": self.code,
            "message": self.message,
            **self.facts,
            "steps": {name: step._asdict() for name, step in self.steps.items()},
            "notes": self.notes,
            "files": self.files,
        }

    def write(self, folder: Path) -> Path:
        """Write both files, and return the path of the page."""
        (folder / FACTS).write_text(json.dumps(self.as_json(), indent=1) + "\n", encoding="utf-8")
        path = folder / REPORT
        path.write_text(self.page(), encoding="utf-8")
        return path

    def page(self) -> str:
        """Return the page."""
        name = escape(Path(self.script).name)
        verdict = "done" if self.code == 0 else f"ended with exit code {self.code}"
        body = [
            f"<h1>{name} <span class='{'bad' if self.code else 'good'}'>{verdict}</span></h1>",
            _facts(self._told()),
            *([f"<h2>Message</h2><pre>{escape(self.message)}</pre>"] if self.message else []),
            "<h2>Where the time went</h2>",
            _steps(self.steps),
            "<h2>Memory</h2>",
            _chart(self.samples),
            *([f"<h2>Notes</h2>{_list(map(escape, self.notes))}"] if self.notes else []),
            *([f"<h2>Files</h2>{_list(map(_link, self.files))}"] if self.files else []),
        ]
        return (
            "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            f"<title>{name}: {verdict}</title><style>{STYLE}</style></head>\n<body>\n"
            + "\n".join(body)
            + "\n</body></html>\n"
        )

    def _told(self) -> dict[str, Any]:
        done, busy = sum(step.tasks for step in self.steps.values()), sum(step.seconds for step in self.steps.values())
        return {
            "command": " ".join([self.script, *self.arguments]),
            "began": f"{self.began:%Y-%m-%d %H:%M:%S}",
            "took": f"{duration(self.seconds)}, {done:,} tasks of {duration(busy)} in all",
            "where": self.cluster,
            **{name.replace("_", " "): fact for name, fact in self.facts.items()},
        }


def _facts(facts: dict[str, Any]) -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(fact))}</td></tr>" for name, fact in facts.items())
    return f"<div class='wide'><table>{rows}</table></div>"


def _steps(steps: Steps) -> str:
    """Return a table of steps, those first that took longest."""
    if not steps:
        return "<p>No tasks of Dask ran, or the scheduler does not tell.</p>"
    longest = max(*(step.seconds for step in steps.values()), 1e-9)
    rows = [
        f"<tr><td>{escape(name)}</td><td class='number'>{step.tasks:,}</td>"
        f"<td class='number'>{duration(step.seconds)}</td>"
        f"<td class='bar'><div style='width:{100 * step.seconds / longest:.1f}%'></div></td>"
        f"<td class='number'>{duration(step.transfer) if step.transfer else ''}</td>"
        f"<td class='number'>{size(step.nbytes) if step.nbytes else ''}</td>"
        f"<td class='number bad'>{step.failed or ''}</td></tr>"
        for name, step in sorted(steps.items(), key=lambda item: -item[1].seconds)
    ]
    heads = (
        "<tr><th>step</th><th class='number'>tasks</th><th class='number'>computed</th><th></th>"
        "<th class='number'>transferred</th><th class='number'>results</th><th class='number'>failed</th></tr>"
    )
    shown = f"<div class='wide'><table>{heads}{''.join(rows)}</table></div>"
    return f"{shown}<p>Times are sums over tasks, of which several ran at once.</p>"


def _chart(samples: Sequence[Sample], width: int = 900, height: int = 120) -> str:
    """Return the memory over time as a drawing."""
    longest = max((sample.seconds for sample in samples), default=0.0) or 1.0
    most = max((sample.memory for sample in samples), default=0)
    if not most:
        return "<p>Nothing was measured.</p>"
    points = " L".join(
        f"{width * sample.seconds / longest:.1f},{height - height * sample.memory / most:.1f}" for sample in samples
    )
    workers = max(sample.workers for sample in samples)
    of = f" of {counted(workers, 'worker')}" if workers else ""
    return (
        f"<svg viewBox='-2 -16 {width + 4} {height + 36}' preserveAspectRatio='none' role='img' "
        f"aria-label='memory over time'><line x1='0' y1='{height}' x2='{width}' y2='{height}'/><path d='M{points}'/>"
        f"</svg><p>At most {size(most)}{of}, in {duration(longest)}.</p>"
    )


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _link(name: str) -> str:
    said = " (Dask's report: tasks on workers over time)" if name == DASK_REPORT else ""
    return f"<a href='{escape(name)}'>{escape(name)}</a>{said}"
