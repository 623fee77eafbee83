"""Fetched slices: split partitions stay on their workers, and tasks of new partitions fetch slices from there.

So there is one task for each new partition, whatever the number of workers. Slices are not results of tasks, so plugins
(`akdask.engine.shuffle_service`) make Dask keep the partitions that they belong to.
"""

from __future__ import annotations

import pickle
import time
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Protocol, TypeAlias

from akdask._distributed import answers_of, current_worker, holders_of, own_results, run_again, worker_ttl
from akdask.caches import cached_results
from akdask.engine.slices import Part, Slices
from akdask.errors import UnreachableWorkerError

FETCH = "akdask_slices"
"""The name of the workers' handler for requests of slices."""

PAUSE = 0.25
"""Seconds to wait for the scheduler to know that results are lost, before a task is handed back to it."""

MANY_PARTS = 16
"""From this number of source partitions on, parts are concatenated before they travel, to save messages."""

NOWHERE = ""
"""Stands for the worker of partitions that are being recomputed."""

_silence: dict[tuple[str, str], tuple[float, float]] = {}
"""For a pair of addresses, here and there: when the silent worker was first and last called."""

Holders: TypeAlias = Mapping[str, Sequence[int]]
"""The ascending numbers of the partitions that each worker holds, by its address."""

Run: TypeAlias = Sequence[int]
"""Consecutive numbers of old partitions."""


class FinishPartition(Protocol):
    """Makes a new partition of its parts."""

    def __call__(self, parts: Sequence[Part], /) -> Any:
        """Return a new partition, given all its parts."""
        ...

    def pack(self, parts: Sequence[Part], /) -> list[Part]:
        """Merge parts to fewer parts of the same rows, which keep nothing else in memory."""
        ...


@dataclass(frozen=True)
class SplitIndex:
    """Where the split partitions of an exchange are.

    Parameters
    ----------
    keys : tuple of hashable
        Dask's name of each split partition, in order.
    holders : dict of str to list of int
        The numbers of the partitions that each worker holds, by its address.
    here : sequence
        The split partitions themselves, in order, where no worker runs the tasks.
    """

    keys: tuple[Hashable, ...]
    holders: Holders = field(default_factory=dict)
    here: Sequence[Slices] = ()

    @staticmethod
    def of(tokens: Sequence[Any], keys: tuple[Hashable, ...]) -> SplitIndex:
        """Make the index of partitions from the results of `tell_place`.  This is the function of a task."""
        if not all(isinstance(token, str) for token in tokens):
            return SplitIndex(keys, here=tokens)
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, token in enumerate(tokens):
            holders[token].append(number)
        return SplitIndex(keys, dict(holders))

    def fetch(self, number: int, finish: FinishPartition) -> list[Part]:
        """Return the parts of a new partition from all old ones, in their order.

        If some are lost, the task is handed back to the scheduler, which recomputes them before it runs the task again.

        Raises
        ------
        UnreachableWorkerError
            If a worker that holds some has been silent for longer than a scheduler takes to give it up.
        """
        if not self.holders:
            return taken(self.here, number)
        worker = current_worker()
        assert worker is not None, "workers hold what is to be fetched"
        found: dict[int, Sequence[Part]] = {}
        lost = self._ask(worker, self._known, number, finish, found)
        if lost:
            # The worker that split them is gone, or has handed them on.
            holders = self._found_again(worker, lost)
            if self._ask(worker, holders, number, finish, found):
                _check_silence(worker.address, holders)
                time.sleep(PAUSE)
                run_again()
        return [part for first in sorted(found) for part in found[first]]

    def _ask(
        self, worker: Any, holders: Holders, number: int, finish: FinishPartition, found: dict[int, Sequence[Part]]
    ) -> list[int]:
        """Fetch parts, keyed by the number of the first partition of a run; return the numbers of lost partitions."""
        runs = {address: list(_runs(numbers)) for address, numbers in holders.items()}
        pickled = pickle.dumps(finish)
        asked: dict[str, dict[str, Any]] = {
            address: {
                "runs": [[self.keys[index] for index in run] for run in wanted],
                "number": number,
                "finish": pickled,
            }
            for address, wanted in runs.items()
            if address != NOWHERE
        }
        # All other workers are asked at once; parts of this worker need no message.
        own = asked.pop(worker.address, None)
        answers = answers_of(worker, FETCH, asked)
        _note_silence(worker.address, answers)
        lost: list[int] = []
        for address, wanted in runs.items():
            if own is not None and address == worker.address:
                split = own_results(worker, list(chain(*own["runs"])))
                parts = parts_of_runs(split, own["runs"], number, finish)
            else:
                answer = answers.get(address)
                parts = [None] * len(wanted) if answer is None else pickle.loads(answer["parts"])
            for run, items in zip(wanted, parts, strict=True):
                if items is None:
                    lost.extend(run)
                else:
                    found[run[0]] = items
        return lost

    @cached_property
    def _known(self) -> Holders:
        """The holders of partitions as far as this process knows."""
        return self.holders

    def _found_again(self, worker: Any, lost: Sequence[int]) -> Holders:
        """Ask the scheduler which workers hold partitions, and remember the answer."""
        who_has = holders_of(worker, [self.keys[index] for index in lost])
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for index in lost:
            holders[next(iter(who_has.get(self.keys[index], ())), NOWHERE)].append(index)
        gone = set(lost)
        known = {address: [index for index in numbers if index not in gone] for address, numbers in self._known.items()}
        for address, numbers in holders.items():
            known[address] = sorted([*known.get(address, ()), *numbers])
        self.__dict__["_known"] = {address: numbers for address, numbers in known.items() if numbers}
        return holders

    def __reduce__(self) -> tuple[Any, ...]:
        return SplitIndex, (self.keys, self.holders, self.here)


def _note_silence(here: str, answers: Mapping[str, Any]) -> None:
    """Note since when workers have not answered the worker at the address `here`."""
    now = time.monotonic()
    for there, answer in answers.items():
        since, last = _silence.pop((here, there), (now, now))
        if answer is None:
            # After a long pause, another worker may have had this address.
            _silence[here, there] = (since if now - last < worker_ttl() else now), now


def _check_silence(here: str, holders: Holders) -> None:
    """Raise if a worker that still holds needed partitions, as the scheduler says, has long been silent.

    A scheduler takes some minutes to give up a worker whose machine has gone; this waits twice as long.
    """
    now = time.monotonic()
    silent = {there: now - _silence[here, there][0] for there in holders if (here, there) in _silence}
    if any(seconds > 2 * worker_ttl() for seconds in silent.values()):
        raise UnreachableWorkerError(
            f"the worker {here} cannot reach others, although the scheduler can, and they hold rows that it needs.",
            details=[f"{there}: no answer for {seconds:.0f} s" for there, seconds in silent.items()],
            hint="let all workers connect to each other: see to firewalls, and to the network that workers listen on "
            "(dask worker --interface …); or retire those that cannot be reached: client.retire_workers([…]).",
        )


def tell_place(slices: Slices) -> str | Slices:
    """Return the address of the worker that holds the slices of a partition.  This is the function of a task.

    Without workers, all tasks share the slices themselves.
    """
    worker = current_worker()
    return slices if worker is None else worker.address


def taken(split: Sequence[Slices], number: int) -> list[Part]:
    """Return the parts of a new partition from several old ones."""
    return [part for slices in split if slices is not None for part in slices[number]]


def parts_of_runs(
    split: Mapping[Hashable, Slices], runs: Sequence[Sequence[Hashable]], number: int, finish: FinishPartition
) -> list[Sequence[Part] | None]:
    """Return the parts of a new partition for each run of old ones, few for a long run; None if one is missing."""
    found: list[Sequence[Part] | None] = []
    for run in runs:
        if not all(key in split for key in run):
            found.append(None)
            continue
        parts = taken([split[key] for key in run], number)
        found.append(finish.pack(parts) if len(run) > MANY_PARTS and parts else parts)
    return found


def answer(split: Mapping[Hashable, Slices], runs: Sequence[Sequence[Hashable]], number: int, finish: bytes) -> bytes:
    """Return the parts of runs as bytes: the answer of a worker to another.

    They are copied to one string of bytes, since messages of many small parts would take longer.
    """
    return pickle.dumps(parts_of_runs(split, runs, number, _loaded(finish)), 5)


@cached_results("functions of exchanges", 16)
def _loaded(finish: bytes) -> Any:
    return pickle.loads(finish)


def _runs(numbers: Sequence[int]) -> Iterator[Run]:
    """Cut ascending numbers where one does not follow the other.

    Examples
    --------
    >>> list(_runs([1, 2, 3, 7, 8]))
    [[1, 2, 3], [7, 8]]
    """
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run
