"""What `explain` returns: a plan as text, and as a table for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from dask.utils import format_bytes, format_time

from akdask.plan.explain.tree import Branch, planned, written
from akdask.plan.expr.node import Node
from akdask.plan.run.result import tasks_of

STYLE = """<style scoped>
.akdask-plan table {border-collapse: collapse; border: none; margin-bottom: .8em}
.akdask-plan th, .akdask-plan td {padding: .15em .7em; border: none; background: none; color: inherit;
  text-align: right; vertical-align: top; white-space: nowrap; font-variant-numeric: tabular-nums}
.akdask-plan th {font-weight: normal; font-size: 85%; opacity: .65; border-bottom: 1px solid rgba(127, 127, 127, .5)}
.akdask-plan td:first-child, .akdask-plan th:first-child, .akdask-plan td:has(i) {text-align: left}
.akdask-plan small {display: block; opacity: .65}
.akdask-plan i {display: inline-block; height: .7em; background: rgba(80, 140, 220, .7)}
</style>"""
_BAR = 8.0
"""Width of the longest bar, in ems."""


class Spent(NamedTuple):
    """What the tasks of a node took when they ran."""

    seconds: float
    """Of all its tasks, one after the other."""

    tasks: int
    """How many of them ran."""


class Explanation(str):
    """A plan as it was written, and as it will run: text that notebooks show as tables.

    Examples
    --------
    >>> import akdask as ak
    >>> print(ak.arange(10).sum().explain())
    As written
      Aggregate sum(position)
        Rows  1 partition, lengths (10)
    As it will run
      Combine  1 task
        Pipeline  1 task, 10 rows
          reduce sum(position)
    """

    _written: Sequence[Branch]
    _planned: Sequence[Branch]
    _spent: Mapping[str, Spent] | None
    _title: str

    def __new__(
        cls,
        written: Sequence[Branch],
        planned: Sequence[Branch],
        spent: Mapping[str, Spent] | None = None,
        title: str = "As it will run",
    ) -> Explanation:
        """Return the text of two trees; of the second with what was spent on its nodes, if it has run."""
        lines = ["As written", *_lines(written), title, *_lines(planned, spent)]
        self = super().__new__(cls, "\n".join(lines))
        self._written, self._planned, self._spent, self._title = written, planned, spent, title
        return self

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """Return the trees as tables: a line for each node, below it what it is made of."""
        head = "<tr><th>{}</th><th>tasks</th><th>rows</th><th>read of files</th>{}</tr>"
        timed = "" if self._spent is None else "<th>seconds</th><th></th>"
        longest = max((found.seconds for found in (self._spent or {}).values()), default=0.0)
        rows = "".join(self._row(branch, longest) for branch in self._planned)
        plan = "".join(f"<tr><td>{_indented(branch)}</td></tr>" for branch in self._written)
        return (
            f'<div class="akdask-plan">{STYLE}<table>{head.format(escape(self._title), timed)}{rows}</table>'
            f"<details><summary>As written</summary><table>{plan}</table></details></div>"
        )

    def _row(self, branch: Branch, longest: float) -> str:
        taken, fields = branch.estimate, ["", "", ""]
        if taken is not None:
            read = format_bytes(taken.nbytes) if taken.nbytes else ""
            fields = [f"{taken.tasks:,}", f"{taken.rows:,}" if taken.rows else "", read]
        if self._spent is not None:
            found = self._spent.get(branch.name)
            bar = f'<i style="width: {_BAR * found.seconds / longest:.2f}em"></i>' if found and longest else ""
            fields += ["" if found is None else f"{found.seconds:.3f}", bar]
        return f"<tr><td>{_indented(branch)}</td>{''.join(f'<td>{field}</td>' for field in fields)}</tr>"


def _indented(branch: Branch) -> str:
    details = "".join(f"<small>{escape(line)}</small>" for line in branch.details)
    return f'<div style="padding-left: {1.2 * (branch.level - 1):.1f}em">{escape(branch.title)}{details}</div>'


def _lines(branches: Iterable[Branch], spent: Mapping[str, Spent] | None = None) -> Iterator[str]:
    for branch in branches:
        first, *others = branch.text()
        found = (spent or {}).get(branch.name)
        yield first if found is None else f"{first}: {format_time(found.seconds)}"
        yield from others


def explain(plan: Node) -> Explanation:
    """Return two trees: the plan as written, and the tasks that it lowers to; nothing is computed."""
    return Explanation(written(plan), planned(tasks_of(plan)))
