"""Samples for ``torch.utils.data``: by position for its samplers, or as batches in akdask's own order.

Only `Dataset.to_torch` imports this module.  Values are NumPy arrays, which the collation of a DataLoader turns into
tensors. Samples can be read by position even without torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.errors import ArgumentError
from akdask.formats.hdf5.open_files import OPEN_FILES
from akdask.lbann.epochs import Batch, Batches, BatchOptions, GroupedReader

if TYPE_CHECKING:
    from akdask.lbann.dataset import Dataset

try:
    import torch.distributed
    from torch.utils.data import IterableDataset, get_worker_info

    HAS_TORCH = True
except ImportError:
    HAS_TORCH = False
    IterableDataset = object


def torch_dataset(dataset: Dataset, kind: str, **options: Any) -> Any:
    """Return samples as a data set of torch; see `Dataset.to_torch`.

    Raises
    ------
    ArgumentError
        If the kind is unknown, or needs torch and there is none.
    """
    match kind:
        case "map":
            return MapSamples(dataset, **options)
        case "iterable" if HAS_TORCH:
            return IterableSamples(dataset, **options)
        case "iterable":
            raise ArgumentError("torch is not installed.", hint="install it: pip install torch; kind='map' needs none.")
    raise ArgumentError(f"kind is {kind!r}.", hint="it is 'map' or 'iterable'.")


class MapSamples:
    """Samples by position, for any sampler of torch, distributed ones included.

    Batches are fetched at once, grouped by file.  Each worker process opens its own files.

    Parameters
    ----------
    dataset : Dataset
        The samples.
    names : sequence of str, optional
        Names of values in each sample; all by default.
    dtype : dtype, default float32
        Type of all values except text; None keeps the types given by the schemas.
    shaped : bool, default True
        Give values the dimensions in the schemas, channels first.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        names: Sequence[str] | None = None,
        dtype: Any = np.float32,
        shaped: bool = True,
    ) -> None:
        self._reader = dataset.grouped(names, dtype)
        self._indices = dataset.indices
        self._is_shaped = shaped

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return the values of one sample by name."""
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[dict[str, Any]]:
        """Return the values of several samples; a DataLoader calls this for whole batches."""
        found = self._reader.read(self._indices[np.asarray(indices, np.int64)])
        shaped = _shaped(found, self._reader) if self._is_shaped else found
        return [{name: values[row] for name, values in shaped.items()} for row in range(len(indices))]


class IterableSamples(IterableDataset):  # type: ignore[misc]  # torch may be absent
    """Batches, to be given to a DataLoader with ``batch_size=None``.

    Workers of a DataLoader take turns, so that batches come in the same order for any number of workers.  In
    distributed training each process takes its share, as many batches as the others. The rest is left out; with
    shuffling the rest differs in each epoch.

    Parameters
    ----------
    dataset : Dataset
        The samples.
    batch_size : int
        Samples of a batch.
    shuffle : bool or "files", default False
        As for `Dataset.batches`.
    seed : int, default 0
        Of the order, the same in all processes.
    rank, world_size : int, optional
        Rank of this process and number of processes; from ``torch.distributed`` by default.
    names : sequence of str, optional
        Names of values in each batch; all by default.
    dtype : dtype, default float32
        Type of all values except text; None keeps the types given by the schemas.
    shaped : bool, default True
        Give values the dimensions in the schemas, channels first.
    **options
        ``prefetch``, ``on_error``, ``drop_last`` and ``threads`` of `Dataset.batches`.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        batch_size: int,
        shuffle: Any = False,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        names: Sequence[str] | None = None,
        dtype: Any = np.float32,
        shaped: bool = True,
        **options: Any,
    ) -> None:
        super().__init__()
        self._options = BatchOptions(batch_size, shuffle, seed, **options)
        self._batches = Batches(dataset.grouped(names, dtype), dataset.indices, self._options)
        self._share = _share(rank, world_size)
        self._is_shaped = shaped
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the next epoch, which determines the order of shuffled samples."""
        self.epoch = epoch

    def __len__(self) -> int:
        """Return the number of batches for this process."""
        return len(self._batches) // self._share[1]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        rank, world_size = self._share
        worker = get_worker_info()
        number, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
        mine = range(rank, len(self) * world_size, world_size)[number::workers]
        for batch in self._batches.of_epoch(self.epoch, mine):
            yield _shaped(batch, self._batches.reader) if self._is_shaped else batch


def _share(rank: int | None, world_size: int | None) -> tuple[int, int]:
    if (rank is None) != (world_size is None):
        raise ArgumentError("rank and world_size are given together, or neither.")
    if rank is not None and world_size is not None:
        if not 0 <= rank < world_size:
            raise ArgumentError(f"rank {rank} of {world_size} processes.", hint="ranks count from 0.")
        return rank, world_size
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


def _shaped(batch: Batch, reader: GroupedReader) -> dict[str, Any]:
    """Return values with the dimensions in the schemas, where these have as many elements."""
    shaped = {}
    for name, values in batch.items():
        dims = reader.reader.dims_of(name)
        shaped[name] = values.reshape(len(values), *dims) if np.prod(dims) == values.shape[1] else values
    return shaped


def worker_init(worker: int) -> None:
    """Prepare a worker process of a DataLoader: pass it as ``worker_init_fn``.

    Optional, as each process opens its own files; closes the open files of a reused worker.

    Parameters
    ----------
    worker : int
        Number of the worker.
    """
    OPEN_FILES.close()
