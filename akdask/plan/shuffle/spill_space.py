"""Space on disk for rows that do not fit in memory: unnamed files, which go with the process, however it ends.

A file without a name is removed by the system when the last process that has it open is gone, also if that is killed
and cannot tidy up.  So nothing of ours can be left behind, and nobody else's can be taken for ours.

Spill files share a few of them, as a process may have a thousand files open, and there may be more partitions.
"""

from __future__ import annotations

import mmap
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Any
from weakref import finalize, ref

import numpy as np

from akdask.columns import new_array
from akdask.deferred import pa

FULL = 2**28
"""Bytes from which on a file takes no more, so that space is freed before all spill files are gone."""

ALIGNMENT = 64
"""What buffers begin at multiples of, as Arrow's kernels like it best."""

SMALL = 2**18
"""Bytes of an item that are copied together, to write them at once."""


class UnnamedFile:
    """A file that one thread at a time appends to, and any number read.

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

    def append(self, item: Any) -> None:
        """Write an item: buffers of arrays as they are, and what is needed to make arrays of them again."""
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(item, 5, buffer_callback=buffers.append)
        raw = [buffer.raw() for buffer in buffers]
        sizes = np.array([len(pickled), *(len(buffer) for buffer in raw)])
        parts: list[bytes | memoryview] = [np.array([len(sizes)]).tobytes(), sizes.tobytes(), pickled]
        end = sum(map(len, parts))
        for buffer in raw:
            padding = -end % ALIGNMENT
            parts += [bytes(padding), buffer]
            end += padding + len(buffer)
        for part in [b"".join(parts)] if end <= SMALL else parts:
            self._write(part)
        self.nbytes += end

    def append_batch(self, batch: pa.RecordBatch) -> list[tuple[int, ...]]:
        """Write a batch of rows in Arrow's IPC format; return where the buffers of each column begin, 0 for none."""
        start = self.nbytes
        sink = _Sink(self)
        with pa.ipc.new_stream(pa.PythonFile(sink, "w"), batch.schema) as stream:
            stream.write_batch(batch)
        sink.flush()
        first = start - start % mmap.ALLOCATIONGRANULARITY
        mapped = mmap.mmap(self._file.fileno(), self.nbytes - first, offset=first, access=mmap.ACCESS_READ)
        content = pa.py_buffer(mapped)
        written = pa.ipc.open_stream(content.slice(start - first)).read_next_batch()
        base = content.address - first
        return [
            tuple(0 if buffer is None else buffer.address - base for buffer in column.buffers())
            for column in written.columns
        ]

    def truncate(self, nbytes: int) -> None:
        """Give back what has been appended since the file had so many bytes."""
        with suppress(OSError):
            self._file.truncate(nbytes)
            self._file.seek(nbytes)
        self.nbytes = nbytes

    def read(self, start: int, stop: int) -> Any:
        """Return the item that was written from one byte to another."""
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
        """Fill memory with the bytes from one on."""
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


class _Sink:
    """What Arrow writes a stream to: small pieces are collected, to write them at once.

    Parameters
    ----------
    file : UnnamedFile
        Where they go.
    """

    closed = False

    def __init__(self, file: UnnamedFile) -> None:
        self._file = file
        self._collected = bytearray()

    def write(self, part: Any) -> None:
        """Take the next bytes."""
        view = memoryview(part)
        if len(self._collected) + len(view) > SMALL:
            self.flush()
        if len(view) > SMALL:
            self._file._write(view)
        else:
            self._collected += view
        self._file.nbytes += len(view)

    def flush(self) -> None:
        """Write what has been collected."""
        self._file._write(bytes(self._collected))
        self._collected.clear()


class SpillSpace:
    """The files that are not full, each for one thread at a time; they stay only while something in them is needed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._files: list[ref[UnnamedFile]] = []

    @contextmanager
    def file_in(self, folder: str) -> Iterator[UnnamedFile]:
        """Give the caller a file of a folder to append to; after an error, what has been appended is given back."""
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

    def _take(self, folder: str) -> UnnamedFile:
        with self._lock:
            there = [(name, file) for name in self._files if (file := name()) is not None]
            found = next((pair for pair in there if pair[1].folder == folder), None)
            self._files = [name for name, _ in there if found is None or name is not found[0]]
        return UnnamedFile(folder) if found is None else found[1]


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):
        file.close()


_space = SpillSpace()


def spill_space() -> SpillSpace:
    """Return the files of this process."""
    return _space


def _start_anew() -> None:
    """Leave the files of the parent to it: a forked process may read what is in them, but not append to them."""
    global _space  # noqa: PLW0603 - there is one for the process
    _space = SpillSpace()


os.register_at_fork(after_in_child=_start_anew)
