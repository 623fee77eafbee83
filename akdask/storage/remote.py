"""Bytes of remote files: ranges in a known state of the file, fetched ahead of their use, and a file object.

`RemoteBytes` repeats requests and refuses replies of a wrong length.  `ReadAhead` fetches bytes before they are read,
by several requests at a time.  The opener of a file announces the ranges that it will read, as streams. Each stream is
read about from its first byte to its last, all of them side by side, as the columns of a partition are.  Ranges that
lie close together become one request, long ones several.  A few requests of each stream are under way or wait in
memory; reading on in it starts the next.  A stream that nobody reads, such as a column behind a filter that leaves no
rows, gets no further than its first requests.

The setting ``read_ahead`` bounds the bytes that a process buffers in this way.  Bytes that a task waits for are fetched
in any case, so that no task waits for another.
"""

from __future__ import annotations

import io
import math
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from threading import Lock, local
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from akdask import cluster, config
from akdask.caches import Cache, after_fork
from akdask.errors import FileError, MissingFileError
from akdask.storage import tuning
from akdask.storage.files import FileIdentity, accessing, changed_error, file_system, identify, retrying

ByteRange: TypeAlias = tuple[int, int]
Stream: TypeAlias = Sequence[ByteRange]


class _Buffers:
    """The bytes that this process has fetched ahead, or is fetching."""

    def __init__(self) -> None:
        self.reset_in_child()

    def reset_in_child(self) -> None:
        """Forget all buffers."""
        self.nbytes = 0
        self.lock = Lock()

    def reserve(self, nbytes: int, limit: float) -> bool:
        """Count bytes if there are no more than a limit of them then."""
        with self.lock:
            if self.nbytes + nbytes > limit:
                return False
            self.nbytes += nbytes
            return True

    def release(self, nbytes: int) -> None:
        """Count bytes no more."""
        with self.lock:
            self.nbytes -= nbytes


_BUFFERS = _Buffers()


@cache
def threads() -> ThreadPoolExecutor:
    """Return the threads that wait for the requests of this process."""
    return ThreadPoolExecutor(tuning.AT_ONCE, "akdask-fetch")


@cache
def looking_threads() -> ThreadPoolExecutor:
    """Return the threads that check whether files have changed, apart from the threads that fetch bytes.

    Each of many small files is checked once. In the queue of `threads` these short requests would delay the bytes of
    the next files.
    """
    return ThreadPoolExecutor(tuning.AT_ONCE, "akdask-look")


def _reset_in_child() -> None:
    """Forget the parent's threads and buffers: a forked process has neither."""
    _BUFFERS.reset_in_child()
    threads.cache_clear()
    looking_threads.cache_clear()


after_fork(_reset_in_child)


def can_read_ahead() -> bool:
    """Whether more could be read ahead."""
    return _BUFFERS.nbytes + tuning.REQUEST <= _early_limit()


def buffer_limit() -> int:
    """Return the limit of bytes read ahead, from the setting."""
    limit = config.get("read_ahead")
    if limit is not None:
        return int(limit)
    return min(tuning.MOST_READ_AHEAD, cluster.process_memory() // tuning.READ_AHEAD_SHARE)


def _early_limit() -> int:
    """Return the limit of bytes fetched before the first of them are read, which leaves room for running reads."""
    return buffer_limit() // 2


class _Request:
    """One range of bytes, fetched at once."""

    __slots__ = ("future", "positions", "start", "stop", "users")

    def __init__(self, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        self.future: Future[bytes] | None = None
        self.positions: list[_Place] = []
        self.users = 0

    def begin(self, fetch: Callable[[int, int], bytes], limit: float = math.inf) -> bool:
        """Fetch the bytes unless that has begun or the limit is reached; return whether it has begun."""
        if self.future is None:
            if not _BUFFERS.reserve(self.stop - self.start, limit):
                return False
            self.future = threads().submit(fetch, self.start, self.stop)
        return True

    def drop(self) -> None:
        """Hold the bytes no more."""
        future, self.future = self.future, None
        if future is not None:
            nbytes = self.stop - self.start
            future.cancel()
            future.add_done_callback(lambda _: _BUFFERS.release(nbytes))


@dataclass(slots=True)
class _Place:
    """The place of a request among those of a stream, and where one of the stream's ranges begins and ends."""

    progress: _Progress
    number: int
    start: int
    stop: int


class _Progress:
    """The requests of one stream, and how far it has been read."""

    def __init__(self, lookback: int) -> None:
        self.requests: list[_Request] = []
        self.lookback = lookback
        self.at = -1  # the last that was read from
        self.begun = self.passed = 0

    @property
    def done(self) -> float:
        """The part of the requests before the one that is read from."""
        return self.at / len(self.requests)

    def add(self, request: _Request, start: int, stop: int) -> None:
        """Append a request, unless it is the last one, for a range of the stream."""
        if not self.requests or self.requests[-1] is not request:
            request.users += 1
            self.requests.append(request)
        request.positions.append(_Place(self, len(self.requests) - 1, start, stop))

    def go_on(self, number: int, depth: int, fetch: Callable[[int, int], bytes]) -> None:
        """Drop the requests before a position, but for some, and begin the following ones."""
        while self.passed < number - self.lookback:
            before = self.requests[self.passed]
            before.users -= 1
            if before.users <= 0:
                before.drop()
            self.passed += 1
        self.at = max(self.at, number)
        self.begin(number, depth, fetch, buffer_limit())

    def begin(self, number: int, depth: int, fetch: Callable[[int, int], bytes], limit: int) -> bool:
        """Begin some requests if there is room for them, and return whether there was."""
        self.begun = max(self.begun, number)
        stop = min(number + depth, len(self.requests))
        while self.begun < stop and self.requests[self.begun].begin(fetch, limit):
            self.begun += 1
        return self.begun >= stop


class ReadAhead:
    """Bytes of one file, for one thread.

    Parameters
    ----------
    fetch : callable
        Returns the bytes between two positions; called by several threads at a time.
    done : callable
        Called when all that was expected has been fetched, by any thread.
    """

    def __init__(self, fetch: Callable[[int, int], bytes], done: Callable[[], object]) -> None:
        self._get, self._done = fetch, done
        self._left: set[int] = set()
        self._streams: list[_Progress] = []
        self._requests: list[_Request] = []
        self._starts: list[int] = []
        self._depth = tuning.AT_ONCE
        self._is_read = False
        self._last: _Request | None = None

    def expect(self, streams: Sequence[Stream], lookback: int = 0) -> None:
        """Begin to fetch the ranges that will be read.

        Parameters
        ----------
        streams : sequence of sequence of (int, int)
            Where the ranges of each stream begin and end, in the order in which they will be read.
        lookback : int, default 0
            Requests kept behind the one being read, for readers that step back a little.
        """
        made = sorted(_requests(streams, _request_size(len(streams))), key=lambda request: request.start)
        for request in made:
            place = bisect_right(self._starts, request.start)
            if place and self._requests[place - 1].stop > request.start:
                continue
            if place < len(self._starts) and self._starts[place] < request.stop:
                continue
            self._starts.insert(place, request.start)
            self._requests.insert(place, request)
            self._left.add(request.start)
        begun = len(self._streams)
        for stream in streams:
            progress = _Progress(lookback)
            for start, stop in stream:
                for request in self._within(start, stop):
                    progress.add(request, start, stop)
            if progress.requests:
                self._streams.append(progress)
        self._depth = max(tuning.FEWEST_REQUESTS, tuning.AT_ONCE // max(len(self._streams), 1))
        has_begun = self._begin(self._streams[begun:], _early_limit())
        self._is_read = False

        if not has_begun:
            _waiting().append(self)

    def _begin(self, streams: Sequence[_Progress], limit: int) -> bool:
        """Begin the first requests of all streams before the second of any; return whether all fit into the limit."""
        return all(
            progress.begin(0, depth, self._fetch, limit) for depth in range(1, self._depth + 1) for progress in streams
        )

    def _fetch(self, start: int, stop: int) -> bytes:
        found = self._get(start, stop)
        if start in self._left:
            self._left.discard(start)
            if not self._left:
                self._done()
        return found

    def _within(self, start: int, stop: int) -> Iterator[_Request]:
        """Yield the requests that overlap a range."""
        for place in range(max(bisect_right(self._starts, start) - 1, 0), len(self._starts)):
            request = self._requests[place]
            if request.start >= stop:
                return
            if request.stop > start:
                yield request

    def read_into(self, target: npt.NDArray[np.uint8], offset: int) -> None:
        """Fill an array with the bytes at a position; bytes that were not announced are fetched now."""
        if self._has_copied_last(target, offset):
            return
        if not self._is_read:
            # There may have been less room when the file was opened.
            self._begin(self._streams, buffer_limit())
            self._is_read = True
            self._stop_waiting()
        stop = offset + len(target)
        expected = list(self._within(offset, stop))
        parts: list[_Request] = []
        position = offset
        for request in expected:
            parts += _split(position, request.start, tuning.REQUEST)
            parts.append(request)
            position = request.stop
        parts += _split(position, stop, tuning.REQUEST)
        try:
            for number, part in enumerate(parts):
                for place in part.positions:
                    # Other streams may be behind: one reads several row groups before the next stream reads any.
                    if place.start < stop and place.stop > offset:
                        place.progress.go_on(place.number, self._depth, self._fetch)
                if part.future is None:
                    self._catch_up(part)
                for later in parts[number : number + tuning.AT_ONCE]:
                    later.begin(self._fetch)
                future = part.future
                assert future is not None, "it has begun"
                begin, end = max(part.start, offset), min(part.stop, stop)
                found = np.frombuffer(future.result(), np.uint8, end - begin, begin - part.start)
                target[begin - offset : end - offset] = found  # without the lock of the interpreter
                if part.users <= 0:
                    part.drop()
                self._last = part
        except BaseException:
            for part in parts:
                part.drop()
            raise
        waiting = _waiting()
        while waiting and waiting[0]._begin(waiting[0]._streams, _early_limit()):
            waiting.popleft()

    def _has_copied_last(self, target: npt.NDArray[np.uint8], offset: int) -> bool:
        """Fill an array from the last request, if that has all of its bytes; return whether it has.

        Headers and pages of Parquet are thousands of short reads, which start no requests.
        """
        last = self._last
        if last is None or offset < last.start or offset + len(target) > last.stop or last.future is None:
            return False
        target[:] = np.frombuffer(last.future.result(), np.uint8, len(target), offset - last.start)
        return True

    def _catch_up(self, part: _Request) -> None:
        """Begin the requests that will be needed after this one: the next of all streams that are behind its own.

        So they are not waited for one after the other where there is no room to read ahead.
        """
        most = max((place.progress.done for place in part.positions), default=0)
        for progress in self._streams:
            is_behind = 0 <= progress.done < most or (progress.at < 0 and not most)
            if is_behind and progress.at + 1 < len(progress.requests):
                progress.requests[progress.at + 1].begin(self._fetch)

    def close(self) -> None:
        """Drop all buffers."""
        for request in self._requests:
            request.drop()
            request.positions.clear()
        self._streams.clear()
        self._last = None
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        waiting = _waiting()
        if self in waiting:
            waiting.remove(self)


_OF_THREAD = local()


def _waiting() -> deque[ReadAhead]:
    """Return the files that this thread opened early without room to read ahead, in the order of their tasks."""
    found: deque[ReadAhead] | None = getattr(_OF_THREAD, "waiting", None)
    if found is None:
        found = _OF_THREAD.waiting = deque()
    return found


def _split(start: int, stop: int, size: int) -> list[_Request]:
    """Return requests for a range; a short rest joins the last one, as alone it would cost a whole latency."""
    found = [_Request(first, min(first + size, stop)) for first in range(start, stop, size)]
    if len(found) > 1 and found[-1].stop - found[-1].start < tuning.NEAR_BYTES:
        found.pop()
        found[-1].stop = stop
    return found


def _request_size(nstreams: int) -> int:
    """Return the bytes of a request, fewer where one of each of very many streams is in memory at a time."""
    share = (buffer_limit() or tuning.MOST_READ_AHEAD) // tuning.TASK_SHARE // max(nstreams, 1)
    return min(tuning.REQUEST, max(tuning.NEAR_BYTES, share))


def _requests(streams: Sequence[Stream], size: int) -> Iterator[_Request]:
    """Yield requests for all ranges of some streams; short ranges that are close together share one."""
    last: _Request | None = None
    end = -1
    for start, stop in sorted(found for stream in streams for found in stream):
        begin = max(start, end)
        if begin >= stop:
            continue
        end = stop
        if stop - begin > size:
            if last is not None:
                yield last
                last = None
            yield from _split(begin, stop, size)
        elif last is not None and begin - last.stop <= tuning.NEAR_BYTES and stop - last.start <= size:
            last.stop = stop
        else:
            if last is not None:
                yield last
            last = _Request(begin, stop)
    if last is not None:
        yield last


class RemoteBytes:
    """Fetches ranges of bytes of a file, for several threads at a time.

    The first request is that of the first range.  The file may be replaced between two requests, so `is_same` tells
    only afterwards whether all ranges came from the same state.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that is known.

    Raises
    ------
    FileError
        If it is on a web server that does not give ranges.
    """

    def __init__(self, file: FileIdentity) -> None:
        self.file = file
        with accessing(file.options):
            demand_ranges(file.path)
            self._system, self._inner = file_system(file.path)
        self._lock = Lock()
        self._replies = 0  # that have come
        self._looking: tuple[int, Future[FileIdentity]] | None = None

    @property
    def has_replied(self) -> bool:
        """Whether any bytes have come."""
        return self._replies > 0

    def fetch(self, start: int, stop: int) -> bytes:
        """Return the bytes from one position to another, both within the file.

        Raises
        ------
        FileError
            If more bytes come than requested, or the file no longer exists.
        OSError
            If the file system does not answer, or fewer bytes come, as often as the request is repeated.
        """
        try:
            found = retrying(lambda: self._reply(start, stop))
        except FileNotFoundError:
            raise changed_error(self.file) from None
        with self._lock:
            self._replies += 1
        return found

    def _reply(self, start: int, stop: int) -> bytes:
        found = bytes(self._system.cat_file(self._inner, start=start, end=stop))
        if len(found) > stop - start:
            raise ranges_error(self.file.path)
        if len(found) < stop - start:
            raise ConnectionError(f"only {len(found):,} of {stop - start:,} bytes have come")
        return found

    def look(self) -> None:
        """Begin to check whether the file is unchanged, as all bytes to be read have arrived."""
        with self._lock:
            self._looking = self._replies, looking_threads().submit(self._identity)

    def is_same(self) -> bool:
        """Wait for the check whether the file was unchanged until the last bytes arrived.

        Raises
        ------
        FileError
            If the file system does not answer.
        """
        try:
            if self._looking is not None and self._looking[0] == self._replies:
                return self._looking[1].result() == self.file
            return self._identity() == self.file
        except MissingFileError:
            return False

    def _identity(self) -> FileIdentity:
        with accessing(self.file.options):
            return identify(self.file.path)


_WITH_RANGES: Cache[str, None] = Cache("web servers with ranges", entries=1000)
"""Web servers that have given a range of bytes."""


def demand_ranges(url: str) -> None:
    """Refuse a web server that gives whole files only: each of many ranges would be the whole file, in memory.

    Tests each web server once in a process, and other file systems never.

    Raises
    ------
    FileError
        If it does, or does not answer.
    """
    server = urlsplit(url)
    if server.scheme not in {"http", "https"} or server.netloc in _WITH_RANGES:
        return
    last = identify(url).size - 1
    if last < 1:  # any server sends the first byte
        return
    system, inner = file_system(url)
    try:
        # Opened files stop at the first bytes of a reply that is longer than requested.
        with system.open(inner, "rb") as file:
            file.seek(last)
            file.read(1)
    except ValueError:
        raise ranges_error(url) from None
    except Exception as error:  # each file system has errors of its own
        raise FileError(f"cannot read {url!r}: {error}.") from error
    _WITH_RANGES.put(server.netloc, None)


def ranges_error(url: str) -> FileError:
    """Return the error for a server that sends more of a file than requested."""
    return FileError(
        f"the server of {url!r} does not support ranges: it gives more bytes of a file than it is asked for.",
        hint="download the file and read the copy, or use a server that answers range requests.",
    )


class RemoteFile(io.RawIOBase):
    """A file object that caches blocks and repeats failed requests.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that is known.
    """

    def __init__(self, file: FileIdentity) -> None:
        super().__init__()
        self._bytes = RemoteBytes(file)
        self._size = file.size
        self._position = 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        if self._size:
            # Before a library holds its lock.
            self._block(0)

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether positions can be gone to."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position."""
        self._position = offset + (0, self._position, self._size)[whence]
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next available bytes and return their number."""
        target = memoryview(buffer).cast("B")
        count = max(min(len(target), self._size - self._position), 0)
        if not count:
            return 0
        start, stop = self._position, self._position + count
        size = tuning.NEAR_BYTES
        first, last = -(-start // size), stop // size
        if last - first > 1:
            # Long reads bypass the cache of blocks, by one request.
            target[:count] = self._bytes.fetch(start, stop)
        else:
            for number in range(start // size, -(-stop // size)):
                begin, end = max(start, number * size), min(stop, (number + 1) * size)
                target[begin - start : end - start] = self._block(number)[begin - number * size : end - number * size]
        self._position = stop
        return count

    def _block(self, number: int) -> bytes:
        found = self._blocks.get(number)
        if found is None:
            start = number * tuning.NEAR_BYTES
            found = self._blocks[number] = self._bytes.fetch(start, min(start + tuning.NEAR_BYTES, self._size))
            if len(self._blocks) > tuning.CACHED_BLOCKS:
                self._blocks.popitem(last=False)
        else:
            self._blocks.move_to_end(number)
        return found
