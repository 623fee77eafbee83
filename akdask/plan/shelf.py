"""Pieces of a partition on a worker's disk, from where they are read one at a time.

Dask, too, writes results to disk where memory is short.  But it reads them back whole, for each task anew: partitions
that are split into a hundred pieces would be read a hundred times.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from itertools import accumulate, pairwise
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, TypeAlias, overload
from weakref import finalize

Extent: TypeAlias = tuple[int, tuple[int, ...]]
"""Where a piece starts, and the bytes of each of its buffers."""

Name: TypeAlias = tuple[str, Hashable]
"""The address of a worker, and the key of the task whose result a shelf is."""

_spilled: dict[Name, Shelf] = {}
"""Shelves that Dask has written to disk, which means no more than their names."""


class Shelf(Sequence[Any]):
    """Pieces in a file without a name, which is gone when the shelf or its process is.

    Parameters
    ----------
    pieces : iterable
        Each is written before the next is asked for.
    name : tuple of str and hashable, optional
        What Dask calls it; without one, Dask spills what is in the file.
    """

    def __init__(self, pieces: Iterable[Any], name: Name | None = None) -> None:
        self.name = name
        self._lock = Lock()
        self._file = TemporaryFile(dir=_folder())  # noqa: SIM115 -- closed with the shelf
        finalize(self, self._file.close)
        self._extents: list[Extent] = []
        for piece in pieces:
            buffers: list[pickle.PickleBuffer] = []
            start = self._file.tell()
            head = self._file.write(pickle.dumps(piece, 5, buffer_callback=buffers.append))
            self._extents.append((start, (head, *(self._file.write(item.raw()) for item in buffers))))
        self._size = self._file.tell()

    @classmethod
    def of_task(cls, pieces: Iterable[Any]) -> Shelf:
        """Return the shelf that a worker's task, the one that runs now, is to give."""
        return cls(pieces, _task())

    def __sizeof__(self) -> int:
        # Not what it takes of memory, but what it would cost to have it on another worker.
        return self._size

    def __len__(self) -> int:
        return len(self._extents)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        start, lengths = self._extents[index]
        data = bytearray(sum(lengths))
        with self._lock:
            self._file.seek(start)
            self._file.readinto(data)
        bounds = pairwise(accumulate(lengths, initial=0))
        head, *buffers = [memoryview(data)[first:last] for first, last in bounds]
        return pickle.loads(head, buffers=buffers)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what is in the file, for other processes."""
        return Shelf, (list(self),)


def shelved(pieces: Sequence[Any], room: int | None, join: Callable[[Sequence[Any]], Sequence[Any]]) -> Sequence[Any]:
    """Return pieces as they are, to stay in this process, or the parts of each joined.

    With more than `room` bytes they are put on a shelf, one by one.
    """
    if room is None:
        return pieces
    joined = map(join, pieces)
    if sum(sys.getsizeof(part) for parts in pieces for part in parts) <= room:
        return list(joined)
    return Shelf.of_task(joined)


def clear_shelves() -> None:
    """Let go of the shelves that Dask has spilled, and forgotten since."""
    if not _spilled:
        return
    from distributed import get_worker

    worker = get_worker()
    for address, key in list(_spilled):
        if address == worker.address and key not in worker.data:
            _spilled.pop((address, key), None)


def _folder() -> str | None:
    from distributed import get_worker

    try:
        return str(get_worker().local_directory)
    except ValueError:
        return None


def _task() -> Name | None:
    """Return what Dask calls the task of a worker that runs now."""
    from distributed import get_worker

    try:
        worker = get_worker()
        name = worker.address, worker.get_current_task()
    except (ValueError, AttributeError):
        return None
    _have_names_spilled()
    return name


@cache
def _have_names_spilled() -> None:
    """Tell Dask how to spill shelves, without reading them."""
    from distributed.protocol import dask_deserialize, dask_serialize

    def spill(shelf: Shelf, context: Any = None) -> tuple[dict[str, Name], list[bytes]]:
        # Only what goes to other workers has a context: that is pickled.
        if context is not None or shelf.name is None:
            raise NotImplementedError
        _spilled[shelf.name] = shelf
        return {"name": shelf.name}, []

    def load(header: dict[str, Any], frames: Sequence[bytes]) -> Shelf:
        address, key = header["name"]
        return _spilled[address, key]

    dask_serialize.register(Shelf, spill)
    dask_deserialize.register(Shelf, load)
