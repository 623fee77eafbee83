"""What plans do, for their users: explained plans with estimates, progress while they run, and profiles of their time.

Explanations are text, shown as a table by notebooks. Progress of computations of over a second is a line on a terminal,
or an output below a notebook's cell. One thread of the process watches the computation that the main thread waits for,
and sleeps otherwise. Most computations end before there is anything to show. Without a terminal or notebook, as in a
job, there is no such thread.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context, copy_context
from html import escape
from shutil import get_terminal_size
from threading import Condition, Thread
from time import perf_counter
from typing import Any, NamedTuple, Protocol

from dask.callbacks import Callback
from dask.utils import format_bytes, format_time, key_split

from akdask._dask import Expr
from akdask.caches import after_fork
from akdask.cluster import default_client, recorded_by_cluster, shares_memory, tasks_by_step
from akdask.columns.dtypes import ColumnType
from akdask.engine import scheduler
from akdask.engine.alignment import Limit
from akdask.engine.node import Frame, Node, in_words
from akdask.engine.pipeline import Pipeline, PipelineLayout
from akdask.engine.rowwise import Chain, Filter, MatchRows, Partitions, PersistedResults, Project, Tables, Tasks, Union
from akdask.engine.run import CollectionRows, FinishResult, Place, run, tasks_of
from akdask.engine.scheduler import recorded
from akdask.engine.sinks import Collect
from akdask.engine.sources import Literal, Persisted, Rows, Scan
from akdask.engine.values import (
    TEXT_BYTES,
    ColumnRef,
    Replica,
    Value,
    columns_in_words,
    columns_named,
    describe,
    substitute,
    walk,
)
from akdask.operators.reduce.plan import Aggregate, Element, TreeReduce
from akdask.storage.files import is_remote


class Estimate(NamedTuple):
    """The work of a node, or of a plan."""

    rows: int = 0
    """Rows that are read from files and from memory."""

    nbytes: int = 0
    """Bytes that are read from files, counted as they are in memory."""

    tasks: int = 0
    """Tasks."""

    def describe(self) -> str:
        """Describe the work in words.

        Examples
        --------
        >>> Estimate(2_000_000, 16_000_000, 6).describe()
        'reads 2,000,000 rows, 15.26 MiB of files, in 6 tasks'
        """
        files = f", {format_bytes(self.nbytes)} of files," if self.nbytes else ""
        return f"reads {self.rows:,} rows{files} in {self.tasks:,} task{'' if self.tasks == 1 else 's'}"

    def __add__(self, other: object) -> Estimate:
        if not isinstance(other, Estimate):
            return NotImplemented
        return Estimate(*map(sum, zip(self, other, strict=True)))


def estimate(lowered: Iterable[Expr]) -> Estimate:
    """Estimate the work of lowered plans together; shared nodes are counted once."""
    total = Estimate()
    for node in distinct_nodes(lowered):
        total += estimate_node(node)
    return total


def distinct_nodes(roots: Iterable[Expr]) -> Iterator[Expr]:
    """Yield all nodes of some plans, each once, without nested calls."""
    stack, seen = list(roots), set[str]()
    while stack:
        node = stack.pop()
        if node._name not in seen:
            seen.add(node._name)
            yield node
            stack.extend(node.dependencies())


def estimate_node(node: Expr) -> Estimate:
    """Estimate the work of one lowered node's tasks, without its inputs."""
    match node:
        case Pipeline():
            return Estimate(*_read(node.layout), node.layout.ntasks)
        case TreeReduce():
            return Estimate(tasks=len(node._layer()))
        case Tasks():
            return Estimate(tasks=node.npartitions)
        case Tables() | PersistedResults():
            return Estimate()
    return Estimate(tasks=1)


def _read(layout: PipelineLayout) -> tuple[int, int]:
    """Return the rows that a pipeline goes through, and the bytes that it reads from files."""
    numbers = [number for batch in layout.batches for number in batch]
    rows = nbytes = 0
    for position, base in enumerate(layout.chain.bases):
        lengths = base.rows.lengths
        if lengths is None:
            continue
        found = _rows_of(layout.chain, numbers, lengths)
        rows = max(rows, found)
        if isinstance(base, Scan):
            columns = base.source.columns
            nbytes += found * sum(width(columns[name]) for name in layout.scanned(position))
    return rows, nbytes


def _rows_of(chain: Chain, numbers: Sequence[int], lengths: Sequence[int]) -> int:
    """Count the rows that partitions of a chain go through, given the rows of each partition of its bases."""
    if not chain.selections:
        return sum(lengths[number] for number in numbers)
    rows = 0
    for number in numbers:
        source, ranges = chain.partition(number)
        first = ranges[0] if ranges else None
        rows += lengths[source] if first is None else len(range(*first))
    return rows


def width(dtype: ColumnType) -> int:
    """Return the approximate bytes of an element of a type."""
    return TEXT_BYTES if dtype.kind == "str" else dtype.itemsize


_TOKENS = re.compile("-[0-9a-f]{32}|  [0-9a-f]{8}$")
_COLLECTS = re.compile(r"collect|(first|last) \d+ rows of")

MOST_LEVELS = 24
"""Levels of nested nodes that are shown; a loop makes plans of thousands of similar levels."""


class Branch(NamedTuple):
    """A node of a tree, without its inputs."""

    level: int
    """The number of nodes between this one and the result."""

    title: str
    """The node in words."""

    details: Sequence[str] = ()
    """Further lines about the node."""

    name: str = ""
    """The name of the node, with which its tasks' keys begin; empty for a node that is only mentioned."""

    estimate: Estimate | None = None
    """The work of its tasks; None for a node without tasks."""

    def text(self) -> Iterator[str]:
        """Yield the lines of the node."""
        taken = self.estimate
        parts = [] if taken is None else [f"{taken.tasks:,} task{'' if taken.tasks == 1 else 's'}"]
        if taken is not None and taken.rows:
            parts.append(f"{taken.rows:,} rows")
        if taken is not None and taken.nbytes:
            parts.append(f"{format_bytes(taken.nbytes)} of files")
        yield f"{'  ' * self.level}{self.title}{'  ' if parts else ''}{', '.join(parts)}"
        yield from (f"{'  ' * (self.level + 1)}{line}" for line in self.details)


class _Described(NamedTuple):
    """A node in words, further lines about it, its inputs, and the work of its tasks."""

    title: str
    details: Sequence[str]
    inputs: Sequence[Any]
    estimate: Estimate | None = None


def written(plan: Node) -> list[Branch]:
    """Return the tree of a plan as it was written."""
    with columns_named(_Names(plan)):
        return list(_tree(plan, _logical))


def planned(lowered: Expr) -> list[Branch]:
    """Return the tree of the tasks that a plan has been lowered to."""
    return list(_tree(lowered, _physical))


def _tree(root: Any, describe_node: Callable[[Any], _Described | list[Any]]) -> Iterator[Branch]:
    """Yield each node, with its inputs below it; shared inputs are described once.

    The walk is iterative, as a long chain would exceed Python's recursion limit.
    """
    seen: set[str] = set()
    stack = [(root, 1)]
    while stack:
        node, level = stack.pop()
        described = describe_node(node)
        if isinstance(described, list):
            stack += [(child, level) for child in reversed(described)]
            continue
        title, details, children, taken = described
        if children and node._name in seen:
            yield Branch(level, f"{title}, as above")
            continue
        seen.add(node._name)
        yield Branch(level, title, details, node._name, taken)
        if children and level == MOST_LEVELS:
            yield Branch(level + 1, "…")
            continue
        stack += [(child, level + 1) for child in reversed(children)]


_MOST_NESTED = 8
"""Numbered columns made of each other that are described by values; columns inside keep their numbers.

Each takes up to six nested calls, of which few are left to callers near Python's recursion limit.
"""


class _Names:
    """Finds how users wrote the columns that a plan numbers: the values that were projected to them."""

    def __init__(self, plan: Node) -> None:
        self._nodes: dict[str, Any] = {}
        stack: list[Any] = [plan]
        while stack:
            node = stack.pop()
            if node._name not in self._nodes:
                self._nodes[node._name] = node
                stack += _inputs(node)
        self._found: dict[tuple[str, Hashable], str | None] = {}
        self._level = 0

    def __call__(self, column: ColumnRef) -> str | None:
        """Return the text of a column's value, None if it has a name, or comes from a node of other rows."""
        if isinstance(column.name, str):
            return None
        key = column.source, column.name
        if key not in self._found:
            if self._level == _MOST_NESTED:
                return None
            self._level += 1
            self._found[key] = self._find(*key)
            self._level -= 1
        return self._found[key]

    def _find(self, source: str, name: Hashable) -> str | None:
        """Return the text of the value that a column was made of, below nodes that only choose or order its rows."""
        node = self._nodes.get(source)
        while isinstance(node, Frame):
            found = node.describe_column(name)
            inputs = node.dependencies()
            if found is not None or len(inputs) != 1:
                return found
            (node,) = inputs
        return None


def _logical(node: Any) -> _Described | list[Any]:
    """Describe a logical node; return its inputs in place of a node without a description."""
    match node:
        case CollectionRows():
            return [node.frame]
        case Element():
            return [node.aggregate]
        case Frame():
            return _Described(node.describe(), [], node.dependencies())
    return []


def _physical(node: Any) -> _Described | list[Any]:
    inputs = node.dependencies()
    match node:
        case FinishResult() | Element() | Union():
            return [*inputs]
        case Pipeline():
            return _Described("go through rows", _pipeline(node), inputs, estimate_node(node))
        case TreeReduce():
            return _Described("combine partial results", [], inputs, estimate_node(node))
        case Tasks():
            return _Described(Tasks.step(*node.operands), [], inputs, estimate_node(node))
        case Tables() | PersistedResults():
            parts = node.npartitions
            return _Described(f"rows in memory  {parts} partition{'' if parts == 1 else 's'}", [], [])
    return _Described(in_words(type(node).__name__), [], inputs)


def _pipeline(node: Pipeline) -> list[str]:
    layout = node.layout
    lines = []
    for number, base in enumerate(layout.chain.bases):
        if isinstance(base, Scan):
            columns = layout.scanned(number)
            shown = ", ".join(columns[:8]) + (", …" if len(columns) > 8 else "")
            parts = [f"{len(columns)} of {len(base.source.columns)} columns"]
            if layout.nread < layout.npartitions:
                parts.append(f"{layout.nread} of {layout.npartitions} partitions")
            lines.append(f"read {shown or 'nothing'}  ({', '.join(parts)})")
    for selection in layout.chain.selections:
        kind = "filter " + describe(selection.predicate) if isinstance(selection, Filter) else selection.describe()
        lines.append(kind)
    sink = layout.sink
    if isinstance(sink, Collect) and (collects := _COLLECTS.match(layout.purpose)):
        return [*lines, f"{collects[0]} {columns_in_words(sink.names)}"]
    return [*lines, _TOKENS.sub("", layout.purpose)]


STYLE = """<style scoped>
.akdask-plan table {border-collapse: collapse; border: none; margin-bottom: .8em}
.akdask-plan th, .akdask-plan td {padding: .15em .7em; border: none; background: none; color: inherit;
  text-align: right; vertical-align: top; white-space: nowrap; font-variant-numeric: tabular-nums}
.akdask-plan th {font-weight: normal; font-size: 85%; opacity: .65; border-bottom: 1px solid rgba(127, 127, 127, .5)}
.akdask-plan td:first-child, .akdask-plan th:first-child, .akdask-plan td:has(i) {text-align: left}
.akdask-plan small {display: block; opacity: .65}
.akdask-plan i {display: inline-block; height: .7em; background: rgba(80, 140, 220, .7)}
</style>"""
_CELL_BAR = 8.0
"""Width of the longest bar, in ems."""


class Spent(NamedTuple):
    """The time and number of tasks that a node took when it ran."""

    seconds: float
    """Seconds of all its tasks, one after the other."""

    tasks: int
    """Number of tasks that ran."""


class Explanation(str):
    """A plan as it was written, and as it will run: text that notebooks show as tables.

    Examples
    --------
    >>> import akdask as ak
    >>> print(ak.arange(10).sum().explain())
    As written
      Aggregate sum(position)
        Row numbers  1 partition, lengths (10)
    As it will run
      combine partial results  1 task
        go through rows  1 task, 10 rows
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
        """Make the text of two trees; the second one shows the time of its nodes if it has run."""
        lines = ["As written", *_lines(written), title, *_lines(planned, spent)]
        self = super().__new__(cls, "\n".join(lines))
        self._written, self._planned, self._spent, self._title = written, planned, spent, title
        return self

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """Return the trees as HTML tables: a line for each node, its inputs below it."""
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
            bar = f'<i style="width: {_CELL_BAR * found.seconds / longest:.2f}em"></i>' if found and longest else ""
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


class Budget(NamedTuple):
    """A limit of work that may be computed without a request."""

    rows: int
    """Rows of all inputs; each input counts once."""

    partitions: int
    """Partitions of all inputs."""

    nbytes: int
    """Bytes read from files; of remote files, a sixteenth."""


SMALL = Budget(100_000, 64, 2**24)
"""Work that takes no noticeable time."""

SHOWN = Budget(20_000_000, 512, 2**28)
"""Work of up to a second: shown rows of groups, joins and sorts."""

CLUSTER = Budget(2_000_000, 64, 2**25)
"""Work of shown rows on a cluster, which cannot be stopped when it takes long."""

REMOTE = 16
"""The assumed ratio of the time to read a remote file to that of a local one."""

LEAVES = (Scan, Rows, Literal, Persisted)


def shown_budget() -> Budget:
    """Return the work that may be done to show rows, on the scheduler that is current."""
    return SHOWN if shares_memory() else CLUSTER


def is_cheap(frame: Frame, values: Sequence[Value]) -> bool:
    """Whether the first and last partition can be shown at once.

    True if they need no other partitions except for small tables, and all inputs are small.
    """
    chain = Chain.of(frame)
    needed = [base for base in chain.bases if not isinstance(base, LEAVES)]
    return _is_within(SMALL, [*needed, *_replicated(*chain.predicates, *chain.replicas, *values)])


def partitions_stand_alone(project: Project) -> bool:
    """Whether each partition is found without the others, and without tables that all of them need."""
    chain = Chain.of(project.frame)
    return all(isinstance(base, LEAVES) for base in chain.bases) and not _replicated(
        *chain.predicates, *chain.replicas, *project.values
    )


def is_small(frame: Frame, values: Sequence[Value], within: Budget = SMALL) -> bool:
    """Whether all rows can be computed at once, since all their inputs are known to be small."""
    return _is_within(within, [Project(frame, tuple(range(len(values))), tuple(values))])


def edge_of_limit(frame: Frame, values: Sequence[Value]) -> tuple[Frame, list[Value], int] | None:
    """Return values on the first or last partition of a `Limit`'s input, where its rows are sought first.

    If a filter leaves few rows, all partitions may have to be read for the wanted rows.

    Returns
    -------
    (Frame, list of Value, int) or None
        The partition, the values on it, and the number of wanted rows, negative for the last ones; None if the frame is
        no `Limit`, or the partition cannot be shown at once.
    """
    if not isinstance(frame, Limit):
        return None
    project = frame.frame
    by_column = {frame.column(name).token: value for name, value in zip(project.names, project.values, strict=True)}
    found = [substitute(value, by_column) for value in values]
    if not is_cheap(project.frame, found):
        return None
    number = 0 if frame.count >= 0 else project.npartitions - 1
    return Partitions(project.frame, (number,)), found, frame.count


def _is_within(budget: Budget, nodes: Sequence[Frame]) -> bool:
    """Whether any computation on the rows of some nodes is within a budget."""
    rows = partitions = 0
    for leaf in _leaves(nodes):
        if leaf.rows.size is None:
            return False
        rows += leaf.rows.size
        partitions += leaf.npartitions
    if rows > budget.rows or partitions > budget.partitions:
        return False
    if rows <= SMALL.rows and partitions <= SMALL.partitions:
        return True
    # Only the tasks tell which columns are read.
    lowered = [node.lower_completely() for node in nodes]
    return estimate(lowered).nbytes * (REMOTE if _reads_remote(nodes) else 1) <= budget.nbytes


def _leaves(nodes: Sequence[Frame]) -> Iterator[Frame]:
    """Yield the sources of the rows of some nodes, each once."""
    stack, seen = list(nodes), set[str]()
    while stack:
        node = stack.pop()
        if node._name in seen:
            continue
        seen.add(node._name)
        if isinstance(node, LEAVES):
            yield node
        stack.extend(_inputs(node))


def _reads_remote(nodes: Sequence[Frame]) -> bool:
    """Whether the rows of some nodes are read from remote files."""
    return any(isinstance(leaf, Scan) and any(map(is_remote, leaf.source.paths)) for leaf in _leaves(nodes))


def _inputs(node: Any) -> Iterator[Frame]:
    yield from node.dependencies()
    match node:
        case Filter():
            yield from _replicated(node.predicate)
        case MatchRows():
            yield from _replicated(node.found, node.multiplicity)
        case Project():
            yield from _replicated(*node.values)
        case Aggregate():
            yield from _replicated(*[reduction.value for reduction in node.reductions])


def _replicated(*values: Value) -> list[Frame]:
    return [value.node for value in walk(*values) if isinstance(value, Replica)]


_BAR, _LEAST_BAR = 30, 10
"""Largest number of characters of a bar, and the smallest one that words leave to it."""


class Shown(Protocol):
    """Place where progress is shown."""

    def show(self, done: int, total: int, words: Sequence[str]) -> None:
        """Show the finished part of the total, and a few words about it, the most important first."""

    def clear(self) -> None:
        """Remove the output."""


class Line:
    """A line of a terminal, which is erased at the end."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, done: int, total: int, words: Sequence[str]) -> None:
        """Write the line over the previous one."""
        self._write(progress_bar(done, total, words, get_terminal_size().columns))

    def clear(self) -> None:
        """Erase the line."""
        if self._width:
            self._write("")
            print("\r", end="", file=sys.stderr, flush=True)

    def _write(self, line: str) -> None:
        print(f"\r{line.ljust(self._width)}", end="", file=sys.stderr, flush=True)
        self._width = len(line)


class CellOutput:
    """An output below a notebook's cell, which is cleared at the end."""

    def __init__(self, context: Context) -> None:
        # The parent cell is a variable of the context.
        self._context = context
        self._handle: Any = None

    def show(self, done: int, total: int, words: Sequence[str]) -> None:
        """Show a bar with words."""
        said = ", ".join(words)
        self._context.run(self._display, f"<progress value='{done}' max='{max(total, 1)}'></progress> {escape(said)}")

    def clear(self) -> None:
        """Clear the output."""
        if self._handle is not None:
            self._context.run(self._display, "")

    def _display(self, html: str) -> None:
        from IPython.display import HTML, display

        if self._handle is None:
            self._handle = display(HTML(html), display_id=True)
        else:
            self._handle.update(HTML(html))


def progress_bar(done: int, total: int, words: Sequence[str], columns: int) -> str:
    """Return a line with a bar, a percentage and the words that fit into the columns of the terminal.

    Examples
    --------
    >>> progress_bar(3, 4, ["3 of 4 tasks", "2.00 s left"], 70)
    '[██████████████████████        ]  75%  3 of 4 tasks, 2.00 s left'
    >>> progress_bar(3, 4, ["3 of 4 tasks", "2.00 s left"], 40)
    '[█████████████     ]  75%  3 of 4 tasks'
    """
    share = done / max(total, 1)
    fitting = [*words]
    while len(fitting) > 1 and len(", ".join(fitting)) > columns - _LEAST_BAR - 10:
        fitting.pop()
    said = ", ".join(fitting)
    width = min(max(columns - len(said) - 10, 1), _BAR)
    return f"[{('█' * int(width * share)).ljust(width)}] {share:4.0%}  {said}"[: max(columns - 1, 1)]


PATIENCE = 1.0
"""Seconds until progress is first shown."""

PAUSE = 0.25
"""Seconds between two updates."""


class _Tasks(Callback):
    """The tasks of one computation by threads of this process: for each node, their total and finished numbers."""

    def __init__(self) -> None:
        self.begun = perf_counter()
        self.total: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.step = ""
        self._nodes: dict[str, Pipeline] = {}
        self._taken: dict[str, Estimate] | None = None

    def _start(self, dsk: Mapping[Hashable, Any]) -> None:
        self.total += Counter(map(_node_of, dsk))
        # The nodes may be freed once their tasks are made.
        self._nodes = {name: node for name in self.total if (node := Pipeline.named(name)) is not None}

    def _pretask(self, key: Hashable, dsk: Any, state: Any) -> None:
        self.step = _node_of(key)

    def _posttask(self, key: Hashable, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        self.done[_node_of(key)] += 1

    def counts(self) -> tuple[int, int, str]:
        """Return the number of finished tasks, of all tasks, and the step that began last."""
        return sum(list(self.done.values())), sum(self.total.values()), key_split(self.step)

    def taken(self) -> Estimate:
        """Return the rows and bytes that have been read until now."""
        if self._taken is None:
            self._taken = {name: estimate_node(node) for name, node in self._nodes.items()}
        found = Estimate()
        for name, all_tasks in self._taken.items():
            share = self.done[name] / max(self.total[name], 1)
            found += Estimate(int(all_tasks.rows * share), int(all_tasks.nbytes * share))
        return found


class _ClusterTasks:
    """The tasks of a cluster, including the tasks of other clients."""

    def __init__(self, client: Any) -> None:
        self.begun = perf_counter()
        self._client = client

    def counts(self) -> tuple[int, int, str]:
        """Return the number of finished tasks, of all tasks, and the step that most running tasks belong to."""
        steps = tasks_by_step(self._client)
        done = sum(states.get("memory", 0) + states.get("released", 0) for states in steps.values())
        total = sum(sum(states.values()) for states in steps.values())
        busiest = max(steps, key=lambda step: steps[step].get("processing", 0), default="")
        return done, total, str(busiest)

    def taken(self) -> Estimate:
        """Return nothing; the scheduler does not know what tasks read."""
        return Estimate()


class _Watch:
    """The thread that watches the computation of the main thread."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._current: tuple[_Tasks | _ClusterTasks, Shown] | None = None
        Thread(target=self._look, name="akdask progress", daemon=True).start()

    def begin(self, tasks: _Tasks | _ClusterTasks, shown: Shown) -> None:
        """Begin to watch the tasks of a computation."""
        with self._changed:
            self._current = tasks, shown
            self._changed.notify()

    def end(self) -> None:
        """Stop watching, and remove the output."""
        with self._changed:
            if self._current is not None:
                self._current[1].clear()
            self._current = None

    def _look(self) -> None:
        with self._changed:
            while True:
                current = self._current
                if current is None:
                    self._changed.wait()
                    continue
                self._changed.wait(PATIENCE)
                while self._current is current:
                    tasks, shown = current
                    try:
                        shown.show(*_progress(tasks))
                    except Exception:  # a failure here must not end the computation
                        self._current = None
                    self._changed.wait(PAUSE)


def _progress(tasks: _Tasks | _ClusterTasks) -> tuple[int, int, list[str]]:
    """Return the finished part, and words about it: tasks, time left, step, bytes and rows a second."""
    (done, total, step), taken = tasks.counts(), tasks.taken()
    elapsed = max(perf_counter() - tasks.begun, 1e-9)
    words = [f"{done:,} of {total:,} tasks"]
    if done:
        words.append(f"{format_time(elapsed * (total - done) / done)} left")
    words.append(step)
    if taken.nbytes:
        words.append(f"{format_bytes(int(taken.nbytes / elapsed))}/s")
    if taken.rows:
        words.append(f"{taken.rows / elapsed / 1e6:,.1f} M rows/s")
    return done, total, [*filter(None, words)]


def _node_of(key: Hashable) -> str:
    return str(key[0]) if isinstance(key, tuple) else str(key)


_watch: _Watch | None = None


@contextmanager
def progress(place: Place) -> Iterator[None]:
    """Show the progress of computations inside."""
    shown = Line() if place == "terminal" else CellOutput(copy_context())
    global _watch  # noqa: PLW0603 - there is one for the process
    if _watch is None:
        _watch = _Watch()
    client = default_client()
    tasks = _Tasks() if client is None else _ClusterTasks(client)
    _watch.begin(tasks, shown)
    try:
        if isinstance(tasks, _Tasks):
            with scheduler.observed_by(tasks):
                yield
        else:
            yield
    finally:
        _watch.end()


def _reset_in_child() -> None:
    """Forget the thread of the parent, which a forked process does not have."""
    global _watch  # noqa: PLW0603 - there is one for the process
    _watch = None


after_fork(_reset_in_child)


class Profile(Explanation):
    """A computed plan, with the time that its tasks took.

    Attributes
    ----------
    result : object
        The result.
    seconds : float
        Time from the call to the result.
    """

    result: Any
    seconds: float


def profile(plan: Node) -> Profile:
    """Compute a plan, and return the result with the time of each node.

    A node's seconds are the sum over its tasks. Tasks run in parallel, so a node may take more seconds than the whole
    plan.
    """
    tree = planned(tasks_of(plan))
    client = default_client()
    start = perf_counter()
    with recorded() if client is None else recorded_by_cluster(client) as seconds:
        (result,) = run(plan)
    taken = perf_counter() - start
    found = Profile(written(plan), tree, _by_node(seconds), f"As it ran, in {format_time(taken)}")
    found.result, found.seconds = result, taken
    return found


def _by_node(seconds: Mapping[Hashable, float]) -> dict[str, Spent]:
    """Return the time of each node by its name, with which the keys of its tasks begin."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for key, taken in seconds.items():
        found[key[0] if isinstance(key, tuple) else str(key)].append(taken)
    return {name: Spent(sum(taken), len(taken)) for name, taken in found.items()}
