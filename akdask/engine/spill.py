"""Spill files: results and slices of partitions on the disk of a worker, which are read in part.

An item is pickled with its buffers out of band. They are written unchanged and read at once, to arrays that a sort may
write to, or read in part (`akdask.engine.tables_on_disk`). Arrow's IPC format takes as many bytes, but a schema with
each small slice takes long to write, and a batch without a schema lacks the bounds and positions of a slice.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import IO, Any
from weakref import finalize, ref

import dask
import numpy as np

from akdask._distributed import worker_folder
from akdask.caches import after_fork
from akdask.columns.memory import new_array
from akdask.errors import AkdaskError, WriteError

FULL = 2**28
"""Bytes after which a file is full, so that space is freed before all spill files are gone."""

ALIGNMENT = 64
"""Alignment of buffers in bytes, for Arrow's kernels."""

SMALL = 2**18
"""Bytes of an item that are copied together and written at once."""


class SpillFile:
    """A file without a name; one thread at a time appends to it, and any number of threads read it.

    Parameters
    ----------
    folder : str
        The folder on whose disk it is.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 -- closed with this object
        self.nbytes = 0
        finalize(self, _close, self._file)

    def append(self, item: Any) -> list[int]:
        """Append an item: the buffers of its arrays, and the pickle that makes the arrays again.

        Returns
        -------
        list of int
            The position of each buffer.
        """
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(item, 5, buffer_callback=buffers.append)
        raw = [buffer.raw() for buffer in buffers]
        sizes = np.array([len(pickled), *(len(buffer) for buffer in raw)])
        parts: list[bytes | memoryview] = [np.array([len(sizes)]).tobytes(), sizes.tobytes(), pickled]
        end = sum(map(len, parts))
        starts = []
        for buffer in raw:
            padding = -end % ALIGNMENT
            parts += [bytes(padding), buffer]
            starts.append(self.nbytes + end + padding)
            end += padding + len(buffer)
        for part in [b"".join(parts)] if end <= SMALL else parts:
            self._write(part)
        self.nbytes += end
        return starts

    def truncate(self, nbytes: int) -> None:
        """Remove the bytes that were appended since the file had the given size."""
        with suppress(OSError):
            self._file.truncate(nbytes)
            self._file.seek(nbytes)
        self.nbytes = nbytes

    def read(self, start: int, stop: int) -> Any:
        """Read the item between two positions."""
        content = new_array(stop - start, np.uint8)
        memory = content.data
        self.read_into(memory, start)
        count = int(content[:8].view(np.int64)[0])
        first, *sizes = content[8 : 8 * (1 + count)].view(np.int64).tolist()
        begin = 8 * (1 + count)
        at, buffers = begin + first, []
        for size in sizes:
            at += -at % ALIGNMENT
            buffers.append(memory[at : at + size])
            at += size
        return pickle.loads(memory[begin : begin + first], buffers=buffers)

    def read_into(self, memory: memoryview, start: int) -> None:
        """Fill memory with the bytes from a position on."""
        done = 0
        while done < len(memory):
            count = os.preadv(self._file.fileno(), [memory[done:]], start + done)
            if not count:
                raise OSError(f"a file of {self.nbytes} bytes ends at byte {start + done}")
            done += count

    def _write(self, part: bytes | memoryview) -> None:
        rest = memoryview(part)
        while rest:
            rest = rest[self._file.write(rest) :]


class SpillSpace:
    """The files that are not full, each for one thread at a time; a file lives as long as something in it is needed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._files: list[ref[SpillFile]] = []

    @contextmanager
    def file_in(self, folder: str) -> Iterator[SpillFile]:
        """Give the caller a file in a folder to append to; an error truncates the file again."""
        file = self._take(folder)
        start = file.nbytes
        try:
            yield file
        except BaseException:
            file.truncate(start)
            raise
        finally:
            if file.nbytes < FULL:
                with self._lock:
                    self._files.append(ref(file))

    def _take(self, folder: str) -> SpillFile:
        with self._lock:
            there = [(name, file) for name in self._files if (file := name()) is not None]
            found = next((pair for pair in there if pair[1].folder == folder), None)
            self._files = [name for name, _ in there if found is None or name is not found[0]]
        return SpillFile(folder) if found is None else found[1]


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):
        file.close()


_space = SpillSpace()


def spill_space() -> SpillSpace:
    """Return the spill space of this process."""
    return _space


def _start_anew() -> None:
    """Forget the parent's files in a forked process, which may read but not append to them."""
    global _space  # noqa: PLW0603 - there is one for the process
    _space = SpillSpace()


after_fork(_start_anew)


def spill_folder() -> str:
    """Return the folder for spilled data: the worker's, or Dask's for temporary files."""
    return worker_folder() or dask.config.get("temporary_directory", None) or gettempdir()


@contextmanager
def naming_the_folder() -> Iterator[str]:
    """Give the caller the spill folder; errors of the operating system then name it."""
    folder = spill_folder()
    try:
        yield folder
    except AkdaskError:
        raise
    except OSError as error:
        raise WriteError(
            f"rows that do not fit in memory cannot be kept on disk: {error.strerror or error}.",
            details=[f"folder: {folder}"],
            hint="free space there, or choose a folder: dask.config.set(temporary_directory=…) or TMPDIR for this "
            "process, local_directory for Dask's workers.",
        ) from error
