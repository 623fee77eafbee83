"""Progress of computations of over a second: a line on a terminal, or an output below a notebook's cell.

One thread of the process watches the computation that the main thread waits for, and sleeps otherwise. Most
computations end before there is anything to show. Without a terminal or notebook, as in a job, there is no such thread.

"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, copy_context
from html import escape
from shutil import get_terminal_size
from threading import Condition, Thread, current_thread, main_thread
from time import perf_counter
from typing import Any, Protocol

from dask.callbacks import Callback
from dask.utils import format_bytes, format_time, key_split

from akdask import config
from akdask._distributed import default_client, recorded_by_cluster, tasks_by_step
from akdask.caches import after_fork
from akdask.engine import scheduler
from akdask.engine.explain import Estimate, Explanation, Spent, estimate_node, planned, written
from akdask.engine.node import Node
from akdask.engine.pipeline import Pipeline
from akdask.engine.run import run, tasks_of
from akdask.engine.scheduler import recorded

_BAR = 30
"""Largest number of characters of a bar."""


class Shown(Protocol):
    """Place where progress is shown."""

    def show(self, done: int, total: int, said: str) -> None:
        """Show the finished part of the total, and a few words about it."""

    def clear(self) -> None:
        """Remove the output."""


class Line:
    """A line of a terminal, which is erased at the end."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, done: int, total: int, said: str) -> None:
        """Write the line over the previous one."""
        self._write(progress_bar(done, total, said, get_terminal_size().columns))

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

    def show(self, done: int, total: int, said: str) -> None:
        """Show a bar with words."""
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


def progress_bar(done: int, total: int, said: str, columns: int) -> str:
    """Return a line with a bar, a percentage and words, cut to the columns of the terminal.

    Examples
    --------
    >>> progress_bar(3, 4, "3 of 4 tasks", 60)
    '[██████████████████████        ]  75%  3 of 4 tasks'
    """
    share = done / max(total, 1)
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
            found += Estimate(int(all_tasks.rows * share), int(all_tasks.nbytes * share), 0)
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
                        shown.show(*_told(tasks))
                    except Exception:  # a failure here must not end the computation
                        self._current = None
                    self._changed.wait(PAUSE)


def _told(tasks: _Tasks | _ClusterTasks) -> tuple[int, int, str]:
    """Return the finished part, and a text: step, tasks, rows and bytes a second, time left."""
    (done, total, step), taken = tasks.counts(), tasks.taken()
    elapsed = max(perf_counter() - tasks.begun, 1e-9)
    words = [step, f"{done:,} of {total:,} tasks"]
    if taken.rows:
        words.append(f"{taken.rows / elapsed / 1e6:,.1f} M rows/s")
    if taken.nbytes:
        words.append(f"{format_bytes(int(taken.nbytes / elapsed))}/s")
    if done:
        words.append(f"{format_time(elapsed * (total - done) / done)} left")
    return done, total, ", ".join(filter(None, words))


def _node_of(key: Hashable) -> str:
    return str(key[0]) if isinstance(key, tuple) else str(key)


_watch: _Watch | None = None


@contextmanager
def progress() -> Iterator[None]:
    """Show the progress of computations inside, if the setting ``progress`` allows it and there is a place for it."""
    shown = _place() if current_thread() is main_thread() else None
    if shown is None:
        yield
        return
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


def _place() -> Shown | None:
    """Return the place to show progress, None without one."""
    wanted = config.get("progress")
    if wanted is False:
        return None
    if _in_notebook():
        return CellOutput(copy_context())
    return Line() if wanted is True or (sys.stderr is not None and sys.stderr.isatty()) else None


def _in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython: Callable[[], Any] | None = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return ipython is not None and getattr(ipython(), "kernel", None) is not None


def _start_anew() -> None:
    """Forget the thread of the parent, which a forked process does not have."""
    global _watch  # noqa: PLW0603 - there is one for the process
    _watch = None


after_fork(_start_anew)
scheduler.surround(progress)


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
