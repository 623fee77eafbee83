"""What plugins of the scheduler do with the tasks of exchanges, beside a scheduler that notes it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from akdask.engine import plugins, slices
from akdask.engine.plugins import HAS_AFFINITY, IS_INDEX, KeepSplit, RelaxAffinity


class Scheduler:
    """Knows tasks, workers, and clients with the results that they want; notes transitions."""

    def __init__(self, tasks=(), workers=()):
        self.tasks = {task.key: task for task in tasks}
        self.workers = dict.fromkeys(workers)
        self.clients, self.moved = {}, []

    def transitions(self, wanted, stimulus_id):
        self.moved += [dict(wanted)] if wanted else []

    def client_desires_keys(self, keys, client):
        self.clients[client] = SimpleNamespace(wants_what=[self.tasks[key] for key in keys])

    def client_releases_keys(self, keys, client):
        assert [task.key for task in self.clients[client].wants_what] == keys

    @property
    def kept(self):
        return {client: [task.key for task in state.wants_what] for client, state in self.clients.items()}


def task(key, *dependencies, state="memory", annotations=None, workers=(), waiters=()):
    return SimpleNamespace(
        key=key, dependencies=dependencies, state=state, annotations=annotations, worker_restrictions=set(workers),
        loose_restrictions=False, waiters=waiters,
    )  # fmt: skip


def exchange(**states):
    """Return the tasks of an exchange: two partitions, the token of each, and their index."""
    first, second = (task(f"split {number}", state=states.get(f"split{number}", "memory")) for number in "12")
    tokens = task("token 1", first), task("token 2", second)
    index = task("index", *tokens, state=states.get("index", "memory"), annotations={IS_INDEX: True})
    return [first, second, *tokens, index, task("other", index)]


SPLIT = ["token 1", "split 1", "token 2", "split 2"]


def started(tasks):
    scheduler, plugin = Scheduler(tasks), KeepSplit()
    asyncio.run(plugin.start(scheduler))
    return scheduler, plugin


def test_split_partitions_are_kept_for_the_index_that_needs_them():
    scheduler, plugin = started(exchange())
    assert scheduler.kept == {"akdask index": SPLIT}
    assert scheduler.moved == []
    # An exchange that comes later is kept, too, and tasks without an annotation are not.
    late = [task("late", task("late token"), annotations={IS_INDEX: True}), task("plain", annotations={"x": 1})]
    scheduler.tasks |= {item.key: item for item in [*late, *late[0].dependencies]}
    plugin.update_graph(scheduler, tasks=["late", "plain"])
    assert scheduler.kept == {"akdask index": SPLIT, "akdask late": ["late token"]}


@pytest.mark.parametrize(
    ("states", "moved"),
    [
        ({}, []),
        ({"split1": "waiting"}, [{"token 1": "released"}, {"index": "released"}]),
        (
            {"split1": "waiting", "split2": "released"},
            [{"token 1": "released", "token 2": "released"}, {"index": "released"}],
        ),
        # An index that waits already is not released again.
        ({"split2": "waiting", "index": "waiting"}, [{"token 2": "released"}]),
    ],
)
def test_lost_partitions_are_split_again_before_the_index_tells_where_they_are(states, moved):
    scheduler, plugin = started(exchange(**states))
    assert scheduler.moved == moved
    scheduler.moved.clear()
    plugin.remove_worker(scheduler, "gone", stimulus_id="test")
    assert scheduler.moved == moved
    # Tasks that the scheduler has forgotten are no exchanges.
    del scheduler.tasks["index"]
    scheduler.moved.clear()
    plugin.remove_worker(scheduler, "gone", stimulus_id="test")
    assert scheduler.moved == []


@pytest.mark.parametrize(
    ("finish", "state", "waiters", "is_known", "is_kept"),
    [
        ("released", "released", (), True, False),
        ("released", "released", ("other",), True, True),
        ("released", "memory", (), True, True),
        ("forgotten", "forgotten", (), False, False),
        ("memory", "memory", (), True, True),
        ("erred", "released", (), True, True),
    ],
)
def test_partitions_are_let_go_once_the_index_is_not_wanted(finish, state, waiters, is_known, is_kept):
    tasks = exchange()
    scheduler, plugin = started(tasks)

    async def pass_on(key):
        plugin.transition(key, "memory", finish)
        # It happens after the transition.
        assert scheduler.kept == {"akdask index": SPLIT}
        await asyncio.sleep(0)

    asyncio.run(pass_on("split 1"))
    assert scheduler.kept == {"akdask index": SPLIT}
    tasks[4].state, tasks[4].waiters = state, waiters
    if not is_known:
        del scheduler.tasks["index"]
    asyncio.run(pass_on("index"))
    assert bool(scheduler.kept) == is_kept
    assert plugin._exchanges == ({"index"} if is_known else set())


def test_partitions_of_an_index_that_waits_again_are_kept_again():
    scheduler, plugin = started(exchange())
    scheduler.clients.clear()
    plugin.transition("other", "memory", "waiting")
    assert scheduler.kept == {}
    plugin.transition("index", "released", "waiting")
    assert scheduler.kept == {"akdask index": SPLIT}


def test_tasks_run_anywhere_once_all_their_workers_are_gone():
    placed = {HAS_AFFINITY: True}
    tasks = [
        task("here", annotations=placed, workers=["a"]),
        task("gone", annotations=placed, workers=["b"], state="no-worker"),
        task("both", annotations=placed, workers=["a", "b"]),
        task("memory", annotations=placed, workers=["b"]),
        task("of others", annotations={}, workers=["b"], state="no-worker"),
        task("bare", workers=["b"], state="no-worker"),
    ]
    scheduler, plugin = Scheduler(tasks, ["a"]), RelaxAffinity()
    plugin.update_graph(scheduler, tasks=["here", "memory", "bare"])
    assert [one.key for one in tasks if one.loose_restrictions] == ["memory"]
    plugin.remove_worker(scheduler, "b", stimulus_id="test")
    assert [one.key for one in tasks if one.loose_restrictions] == ["gone", "memory"]
    assert scheduler.moved == [{"gone": "processing"}]


def test_workers_hand_out_slices_of_the_partitions_that_they_hold(monkeypatch):
    monkeypatch.setattr(plugins, "answer", lambda split, runs, number, finish: (split, runs, number, finish))
    monkeypatch.setattr(plugins, "as_message", list)
    worker = SimpleNamespace(data={"a": 1, "b": 2, "c": 3}, handlers={})
    plugins.HandOutSlices().setup(worker)
    found = asyncio.run(worker.handlers[slices.FETCH]([["a", "x"], ["c"]], 5, b"finish"))
    assert found == {"parts": [{"a": 1, "c": 3}, [["a", "x"], ["c"]], 5, b"finish"]}
