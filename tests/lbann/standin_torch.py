"""As much of ``torch.utils.data`` as data sets meet: the protocol, not the speed.

Workers run one after the other, in copies that were pickled, and the loader takes batches from them in turns.
"""

from __future__ import annotations

import pickle
import sys
import types
from dataclasses import dataclass
from itertools import islice

import numpy as np

_current = [None]


@dataclass
class WorkerInfo:
    id: int
    num_workers: int


class Dataset:
    pass


class IterableDataset(Dataset):
    pass


def get_worker_info():
    return _current[0]


class _Sampler:
    def __init__(self, dataset, num_replicas, rank, *, shuffle=True, seed=0):
        self.size, self.replicas, self.rank, self.shuffle, self.seed, self.epoch = (
            len(dataset),
            num_replicas,
            rank,
            shuffle,
            seed,
            0,
        )

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = (
            np.random.default_rng([self.seed, self.epoch]).permutation(self.size)
            if self.shuffle
            else np.arange(self.size)
        )
        order = np.resize(order, -(-self.size // self.replicas) * self.replicas)
        return iter(order[self.rank :: self.replicas].tolist())


def _collated(samples):
    return {name: np.stack([sample[name] for sample in samples]) for name in samples[0]}


class DataLoader:
    def __init__(self, dataset, batch_size=1, num_workers=0, sampler=None, worker_init_fn=None, **others):
        self.dataset, self.batch_size, self.workers, self.sampler = dataset, batch_size, num_workers, sampler
        self.worker_init_fn = worker_init_fn

    def __iter__(self):
        if isinstance(self.dataset, IterableDataset):
            return self._streams()
        return self._fetched()

    def _copy(self):
        return pickle.loads(pickle.dumps(self.dataset)) if self.workers else self.dataset

    def _fetched(self):
        indices = iter(self.sampler if self.sampler is not None else range(len(self.dataset)))
        copies = [self._copy() for _ in range(max(self.workers, 1))]
        number = 0
        while chosen := list(islice(indices, self.batch_size)):
            copy = copies[number % len(copies)]
            fetch = getattr(copy, "__getitems__", None)
            yield _collated(fetch(chosen) if fetch else [copy[index] for index in chosen])
            number += 1

    def _streams(self):
        if not self.workers:
            yield from self.dataset
            return
        streams = []
        for worker in range(self.workers):
            _current[0] = WorkerInfo(worker, self.workers)
            if self.worker_init_fn is not None:
                self.worker_init_fn(worker)
            streams.append(iter(list(self._copy())))
        _current[0] = None
        while streams:
            for stream in list(streams):
                batch = next(stream, None)
                if batch is None:
                    streams.remove(stream)
                else:
                    yield batch


def modules():
    """Return the modules that stand in for torch, by name."""
    torch, utils, data = (types.ModuleType(name) for name in ("torch", "torch.utils", "torch.utils.data"))
    distributed, sampler = types.ModuleType("torch.distributed"), types.ModuleType("torch.utils.data.distributed")
    distributed.is_available = lambda: True
    distributed.is_initialized = lambda: False
    this = sys.modules[__name__]
    for name in ("Dataset", "IterableDataset", "DataLoader", "get_worker_info"):
        setattr(data, name, getattr(this, name))
    sampler.DistributedSampler = _Sampler
    torch.utils, torch.distributed, utils.data, data.distributed = utils, distributed, data, sampler
    return {m.__name__: m for m in (torch, utils, data, distributed, sampler)}
