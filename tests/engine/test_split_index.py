"""Slices that are fetched from workers that do not answer."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import pytest

from akdask.engine import slices
from akdask.engine.slices import SplitIndex
from akdask.errors import UnreachableWorkerError
from akdask.operators.sort.ranges import SortPartition

HERE, THERE = "tcp://here:1", "tcp://there:1"


class RunAgainError(Exception):
    """Stands for what hands a task back to the scheduler."""


@pytest.fixture
def cluster(monkeypatch):
    """Return a worker's view of another one, whose answers and clock a test decides."""
    seen = SimpleNamespace(now=1000.0, answer=None, holder=THERE)

    def hand_back():
        raise RunAgainError

    monkeypatch.setattr(slices, "_silence", {})
    monkeypatch.setattr(slices, "current_worker", lambda: SimpleNamespace(address=HERE))
    monkeypatch.setattr(slices, "answers_of", lambda worker, question, asked: dict.fromkeys(asked, seen.answer))
    monkeypatch.setattr(slices, "holders_of", lambda worker, keys: {key: [seen.holder] for key in keys})
    monkeypatch.setattr(slices, "run_again", hand_back)
    monkeypatch.setattr(slices, "worker_ttl", lambda: 300.0)
    monkeypatch.setattr(slices, "time", SimpleNamespace(monotonic=lambda: seen.now, sleep=lambda seconds: None))
    return seen


def ask_until(cluster, seconds, index=None):
    """Fetch again and again, as a scheduler has a task do, for some seconds; each time all must be silent."""
    index = index or SplitIndex((("split", 0),), {THERE: [0]})
    until = cluster.now + seconds
    while cluster.now < until:
        with pytest.raises(RunAgainError):
            index.fetch(0, SortPartition((), ()))
        cluster.now += 10


def test_a_worker_that_cannot_be_reached_is_named_after_twice_the_time_in_which_a_scheduler_gives_one_up(cluster):
    index = SplitIndex((("split", 0),), {THERE: [0]})
    ask_until(cluster, 600, index)
    cluster.now += 10
    with pytest.raises(UnreachableWorkerError, match="cannot reach") as raised:
        index.fetch(0, SortPartition((), ()))
    assert HERE in str(raised.value)
    assert f"{THERE}: no answer for 610 s" in str(raised.value)
    assert isinstance(raised.value, ConnectionError)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_a_worker_that_answers_in_between_is_waited_for_again(cluster):
    ask_until(cluster, 590)
    cluster.answer = {"parts": pickle.dumps([["part"]])}
    assert SplitIndex((("split", 0),), {THERE: [0]}).fetch(0, SortPartition((), ())) == ["part"]
    cluster.answer = None
    ask_until(cluster, 590)


def test_silence_of_long_ago_was_that_of_another_worker(cluster):
    ask_until(cluster, 590)
    cluster.now += 400
    ask_until(cluster, 590)


def test_a_worker_that_the_scheduler_has_given_up_is_not_blamed(cluster):
    ask_until(cluster, 590)
    cluster.holder = slices.NOWHERE
    ask_until(cluster, 100)
