"""Where the time of a computation goes: its plan, with the seconds that the tasks of each node took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from time import perf_counter
from typing import Any

from dask.utils import format_time

from akdask._distributed import default_client, recorded_by_cluster
from akdask.plan.explain.explanation import Explanation, Spent
from akdask.plan.explain.tree import planned, written
from akdask.plan.expr.node import Node
from akdask.plan.run.observers import recorded
from akdask.plan.run.result import tasks_of
from akdask.plan.run.run import run


class Profile(Explanation):
    """A plan that was computed, with what its tasks took.

    Attributes
    ----------
    result : object
        What was computed.
    seconds : float
        From the call until the result was there.
    """

    result: Any
    seconds: float


def profile(plan: Node) -> Profile:
    """Compute a plan, and return what it took with the result.

    Seconds are those of tasks, which run beside each other: of one node they may be more than those of the whole.
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
    """Return what was spent on each node, by its name, which the keys of its tasks begin with."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for key, taken in seconds.items():
        found[key[0] if isinstance(key, tuple) else str(key)].append(taken)
    return {name: Spent(sum(taken), len(taken)) for name, taken in found.items()}
