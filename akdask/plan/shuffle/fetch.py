"""Slices that stay where partitions were split until the tasks of new partitions fetch them, worker from worker.

So there is one task for each new partition, whatever the number of workers, and slices are results of no task.  What
Dask does not know of it is told to it by the plugins of `akdask.plan.shuffle.keeping`.
"""

from __future__ import annotations

import pickle
import time
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from akdask._distributed import answers_of, current_worker, holders_of, own_results, run_again

Part = Any
"""What an old partition gives to a new one."""

FETCH = "akdask_slices"
"""What workers call the question for slices."""

PAUSE = 0.25
"""Seconds to wait for the scheduler to know that results are lost, before a task is handed back to it."""

Found: TypeAlias = dict[int, Sequence[Part]]
"""Parts by the number of the old partition, of those that have been found."""


@dataclass(frozen=True)
class SplitIndex:
    """Where the split partitions of an exchange are.

    Parameters
    ----------
    keys : tuple of hashable
        Dask's name of each split partition, in order.
    places : dict of str to list of int
        The numbers of those that each worker holds, by its address.
    here : dict of int to sequence
        Those that are in this process, as no worker runs the tasks.
    """

    keys: tuple[Hashable, ...]
    places: Mapping[str, Sequence[int]] = field(default_factory=dict)
    here: Mapping[int, Any] = field(default_factory=dict)

    @staticmethod
    def of(tokens: Sequence[Any], keys: tuple[Hashable, ...]) -> SplitIndex:
        """Return the index of partitions, given what `tell_place` returned for each: the function of a task."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        here: dict[int, Any] = {}
        for number, token in enumerate(tokens):
            if isinstance(token, str):
                places[token].append(number)
            else:
                here[number] = token
        return SplitIndex(keys, dict(places), here)

    def fetch(self, number: int) -> list[Part]:
        """Return the parts of a new partition from all old ones, in their order.

        A task that finds some lost is handed back to the scheduler, which computes these anew before it runs again.
        """
        found = {index: taken(slices, number) for index, slices in self.here.items()}
        if self.places:
            self._fetch_from_workers(number, found)
        return [part for index in range(len(self.keys)) for part in found[index]]

    def _fetch_from_workers(self, number: int, found: Found) -> None:
        worker = current_worker()
        assert worker is not None, "workers hold what is to be fetched"
        self._ask(worker, self._known, number, found)
        lost = [index for index in range(len(self.keys)) if index not in found]
        if lost:
            # The worker that split them is gone, or has handed them on.
            self._ask(worker, self._found_again(worker, lost), number, found)
            lost = [index for index in lost if index not in found]
        if lost:
            time.sleep(PAUSE)
            run_again()

    def _ask(self, worker: Any, places: Mapping[str, Sequence[int]], number: int, found: Found) -> None:
        own = {self.keys[index]: index for index in places.get(worker.address, ())}
        questions = {
            address: {"keys": [self.keys[index] for index in indices], "number": number}
            for address, indices in places.items()
            if address != worker.address
        }
        for address, answer in answers_of(worker, FETCH, questions).items():
            if answer is not None:
                for index, parts in zip(places[address], pickle.loads(answer["parts"]), strict=True):
                    if parts is not None:
                        found[index] = parts
        for key, slices in own_results(worker, list(own)).items() if own else ():
            found[own[key]] = taken(slices, number)

    @cached_property
    def _known(self) -> dict[str, Sequence[int]]:
        """Where partitions are as far as this process knows."""
        return dict(self.places)

    def _found_again(self, worker: Any, lost: Sequence[int]) -> dict[str, Sequence[int]]:
        """Ask the scheduler where partitions are, and remember it."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        holders = holders_of(worker, [self.keys[index] for index in lost])
        for index in lost:
            for address in list(holders.get(self.keys[index], ()))[:1]:
                places[address].append(index)
        moved = {index for indices in places.values() for index in indices}
        known = {address: [n for n in indices if n not in moved] for address, indices in self._known.items()}
        for address, indices in places.items():
            known[address] = [*known.get(address, ()), *indices]
        self.__dict__["_known"] = {address: indices for address, indices in known.items() if indices}
        return dict(places)

    def __reduce__(self) -> tuple[Any, ...]:
        return SplitIndex, (self.keys, self.places, self.here)


def tell_place(slices: Any) -> Any:
    """Return the address of the worker that holds the slices of a partition: the function of a task.

    Without workers, all tasks share the slices themselves.
    """
    worker = current_worker()
    return slices if worker is None else worker.address


def taken(slices: Sequence[Sequence[Part]] | None, number: int) -> Sequence[Part]:
    """Return the parts of a new partition."""
    return () if slices is None else slices[number]


def packed(slices: Sequence[Any], number: int) -> bytes:
    """Return the parts of a new partition from several old ones, None for those that are not there, as bytes.

    Copied to one string of bytes, since messages of many small parts would take longer.
    """
    return pickle.dumps([None if item is MISSING else taken(item, number) for item in slices], 5)


MISSING = object()
"""Stands for a partition that a worker does not hold."""
