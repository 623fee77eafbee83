"""File systems of URLs: the options that they are opened with, and requests that are repeated when they fail.

Options hold for a call, in the context of its thread: `accessing` sets them, `file_system` uses them, and a
`FileIdentity` stores them for tasks on workers.  They may contain secrets, and no message shows them.
"""

from __future__ import annotations

import contextvars
import errno
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from dask.base import tokenize

from akdask import config
from akdask.deferred import fsspec
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, FileError

Parameters = ParamSpec("Parameters")
Found = TypeVar("Found")
Item = TypeVar("Item")

AT_ONCE = 32
"""Requests under way at a time."""

_PAUSE = 0.05  # seconds before the second attempt; doubled for each further one
_LONGEST_PAUSE = 5.0
_CACHING = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss"})
"""Protocols whose file systems cache listings, so that changes since then are not seen."""

_TRANSIENT = frozenset(
    {
        errno.EAGAIN,
        errno.EBUSY,
        errno.ECONNABORTED,
        errno.ECONNREFUSED,
        errno.ECONNRESET,
        errno.EHOSTUNREACH,
        errno.EINTR,
        errno.EIO,
        errno.ENETUNREACH,
        errno.EPIPE,
        errno.ETIMEDOUT,
    }
)
_TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})


class NoAnswerError(FileError):
    """A file system raises an error of its own kind."""


class StorageOptions:
    """Options with which fsspec opens a file system, such as keys or ``anon=True``.  Immutable; compared by value.

    Parameters
    ----------
    given : mapping of str to value
        The options.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = dict(given)
        self._token = tokenize(sorted(self._given.items())) if given else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StorageOptions) and self._token == other._token

    def __hash__(self) -> int:
        return hash(self._token)

    def __repr__(self) -> str:
        return f"StorageOptions({self._token})"

    def for_protocol(self, url: str) -> dict[str, Any]:
        """Return the options with which the file system of a URL is opened."""
        fresh = {"use_listings_cache": False} if url.partition("://")[0] in _CACHING else {}
        return {**fresh, **self._given}


NO_OPTIONS = StorageOptions({})
_CURRENT: contextvars.ContextVar[StorageOptions] = contextvars.ContextVar("storage_options", default=NO_OPTIONS)


def current_options() -> StorageOptions:
    """Return the options of the current call."""
    return _CURRENT.get()


@contextmanager
def accessing(options: StorageOptions) -> Iterator[None]:
    """Have URLs opened with some options inside the ``with``."""
    before = _CURRENT.set(options)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def takes_storage_options(function: Callable[Parameters, Found]) -> Callable[Parameters, Found]:
    """Make a function with a parameter `storage_options` open URLs with these options.

    Raises
    ------
    ArgumentTypeError
        If that is no mapping.
    """

    @wraps(function)
    def accessed(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Found:
        given = kwargs.get("storage_options")
        if given is None:
            return function(*args, **kwargs)
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise ArgumentTypeError(
                f"storage_options is a dict of options by name, not a {type(given).__name__}.",
                hint="pass what the fsspec file system takes, such as {'anon': True}.",
            )
        with accessing(StorageOptions(given)):
            return function(*args, **kwargs)

    return accessed


def file_system(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL with the options of this call, and the path inside it.

    Raises
    ------
    ArgumentError
        If no installed file system opens it.
    """
    check_protocol(url)
    _USED.add(url.partition("://")[0])
    try:
        system, path = fsspec.core.url_to_fs(url, **current_options().for_protocol(url))
    except AkdaskError:
        raise
    except Exception as error:  # each file system has errors of its own
        raise ArgumentError(
            f"the file system of {url!r:.200} cannot be opened.",
            details=[f"{type(error).__name__}: {error}"],
            hint="check the URL, and give what the file system needs as storage_options={…}.",
        ) from error
    return system, path


def check_protocol(url: str) -> None:
    """Refuse a URL that no installed file system opens.

    Raises
    ------
    ArgumentError
        If there is none.
    """
    # Of a chain such as simplecache::s3://bucket, the last one has the files.
    protocol = url.partition("://")[0].rpartition("::")[2]
    try:
        fsspec.get_filesystem_class(protocol)
    except (ValueError, ImportError) as error:
        raise ArgumentError(f"no file system opens {url!r}.", details=[str(error)], hint="check the URL.") from error


_USED: set[str] = set()
"""Protocols of the file systems that this process has opened."""


def is_used() -> bool:
    """Whether this process has opened a remote file system; otherwise no plan reads remote files."""
    return bool(_USED)


def retrying(request: Callable[[], Found]) -> Found:
    """Return a request's result, repeating it after ever longer pauses where its failure may pass.

    The setting ``remote_tries`` bounds how often.

    Raises
    ------
    OSError
        Errors of the file system.
    NoAnswerError
        In place of errors of its own, such as missing keys.
    """
    tries = config.get("remote_tries")
    for number in range(1, tries + 1):
        try:
            return request()
        except Exception as error:
            if number == tries or not is_transient(error):
                if isinstance(error, OSError | AkdaskError):
                    raise
                raise NoAnswerError(
                    f"a remote file system does not answer: {type(error).__name__}: {error}",
                    hint="check the address, and the keys and options in storage_options.",
                ) from error
            pause = min(_PAUSE * 2**number, _LONGEST_PAUSE)
            time.sleep(pause * random.uniform(0.5, 1))
    raise AssertionError("the last try returns or raises")


def is_transient(error: BaseException) -> bool:
    """Whether a failure may pass: no answer, or a server that is busy or broken."""
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    status = getattr(error, "status", None) or getattr(error, "code", None)
    if status in _TRANSIENT_STATUS or getattr(error, "errno", None) in _TRANSIENT:
        return True
    # aiohttp's errors for broken connections are not OSErrors. They are recognized by name, as aiohttp may be absent.
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"ClientConnectionError", "ClientPayloadError", "EndpointConnectionError"})


def concurrently(function: Callable[[Item], Found], items: Iterable[Item]) -> list[Found]:
    """Return a function's results for items, many of which run concurrently, with the options of this call."""
    given = list(items)
    if len(given) < 2:
        return list(map(function, given))
    options = current_options()

    def called(item: Item) -> Found:
        with accessing(options):
            return function(item)

    with ThreadPoolExecutor(min(AT_ONCE, len(given))) as pool:
        return list(pool.map(called, given))
