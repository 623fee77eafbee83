"""Local paths and fsspec URLs: the files that they name, and the identity by which changes are noticed.

Options with which the file systems of URLs are opened hold for a call, in the context of its thread: `accessing` sets
them, `file_system` uses them, and a `FileIdentity` stores them for tasks on workers.  They may contain secrets, and no
message shows them.  Requests that fail are repeated.
"""

from __future__ import annotations

import contextvars
import errno
import glob
import inspect
import os
import random
import re
import stat
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from urllib.parse import unquote

from dask.base import tokenize

from akdask import config
from akdask.deferred import fsspec
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, FileError, FileFormatError, MissingFileError
from akdask.records import record
from akdask.storage import tuning

# ------------------------------------------------------------------------------------------------- file systems of URLs

Parameters = ParamSpec("Parameters")
Found = TypeVar("Found")
Item = TypeVar("Item")

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
    """Make a function with a parameter `storage_options`, which is documented last, open URLs with these options.

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

    documented = inspect.cleandoc(function.__doc__ or "")
    if "storage_options :" not in documented:
        accessed.__doc__ = _PARAMETERS.sub(rf"\g<0>\n{_DOCUMENTED}", documented, count=1)
    return accessed


_PARAMETERS = re.compile(r"^Parameters\n-+\n.*?(?=\n\n\w+\n---|\Z)", re.DOTALL | re.MULTILINE)

_DOCUMENTED = """storage_options : mapping of str to value, optional
    Options with which fsspec opens URLs, such as keys or ``anon=True``."""


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


def uses_remote_files() -> bool:
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
                if isinstance(error, OSError | AkdaskError) and not _is_said_missing(error):
                    raise
                raise NoAnswerError(
                    f"a remote file system does not answer: {_failure(error)}",
                    hint="check the address, and the keys and options in storage_options.",
                ) from error
            pause = min(tuning.RETRY_PAUSE * 2**number, tuning.LONGEST_RETRY_PAUSE)
            time.sleep(pause * random.uniform(0.5, 1))
    raise AssertionError("the last try returns or raises")


def _failure(error: BaseException) -> str:
    cause = error.__cause__
    if cause is None or not _is_said_missing(error):
        return f"{type(error).__name__}: {error}"
    return f"{error}: {type(cause).__name__}{f': {cause}' if str(cause) else ''}"


def is_transient(error: BaseException) -> bool:
    """Whether a failure may pass: no answer, or a server that is busy or broken."""
    if isinstance(error, FileNotFoundError) and error.__cause__ is not None:
        return is_transient(error.__cause__)
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    status = getattr(error, "status", None) or getattr(error, "code", None)
    if status in _TRANSIENT_STATUS or getattr(error, "errno", None) in _TRANSIENT:
        return True
    # aiohttp's errors for broken connections are not OSErrors. They are recognized by name, as aiohttp may be absent.
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"ClientConnectionError", "ClientPayloadError", "EndpointConnectionError"})


def _is_said_missing(error: BaseException) -> bool:
    """Whether a file is said to be missing because its server did not answer, as fsspec says of web servers."""
    return isinstance(error, FileNotFoundError) and is_transient(error)


def concurrently(function: Callable[[Item], Found], items: Iterable[Item]) -> list[Found]:
    """Return a function's results for items, many of which run concurrently, with the options of this call."""
    given = list(items)
    if len(given) < 2:
        return list(map(function, given))
    options = current_options()

    def called(item: Item) -> Found:
        with accessing(options):
            return function(item)

    with ThreadPoolExecutor(min(tuning.AT_ONCE, len(given))) as pool:
        return list(pool.map(called, given))


# ------------------------------------------------------------------------------------------------- names and identities

_LOCAL = "file://"
_SYSTEM = ("/dev/", "/proc/", "/sys/")
_VERSIONS = ("ETag", "etag", "md5Hash", "content_md5", "crc32c", "checksum")
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "created")
_MEMORY = "/dev/shm/"
"""A folder of files in memory, which is addressed like a local one."""


@record
class FileIdentity:
    """One file in one state: another size or version means that everything known about it is stale.

    Parameters
    ----------
    path : str
        Absolute path or URL.
    size : int
        Bytes.
    version : str
        State of the file: from `state_of` for local files, the file system's own mark for remote ones.
    options : StorageOptions
        Options with which a remote file is opened.
    """

    path: str
    size: int
    version: str
    options: StorageOptions = field(default=NO_OPTIONS, repr=False)

    def __hash__(self) -> int:
        # Keys of caches have it, and few files are known in several states: the rest would take ten times as long.
        return hash(self.path)


def is_remote(path: str) -> bool:
    """Whether the path is a URL, to be opened through fsspec.

    Examples
    --------
    >>> is_remote("s3://bucket/flows.h5"), is_remote("/data/flows.h5")
    (True, False)
    """
    return "://" in path


def path_text(path: Any) -> str:
    """Return a path or a URL as text.

    Raises
    ------
    ArgumentTypeError
        If it is neither text nor a path.
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise ArgumentTypeError(
            f"a file is named by a str or a path, not by {type(path).__name__}.", hint="pass its name, such as 'x.h5'."
        )
    return text


def absolute(path: str | os.PathLike[str]) -> str:
    """Return the absolute path with ``~`` expanded, which any worker can use.  URLs stay as they are.

    Raises
    ------
    ArgumentTypeError
        If it is neither text nor a path.
    ArgumentError
        If no file can have that name.
    """
    text = path_text(path)
    if is_remote(text):
        return text
    try:
        is_name = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise ArgumentError(
            "no file can have that name.", details=[ascii(text)], hint="names hold no NUL and no half of a surrogate."
        )
    return os.path.abspath(os.path.expanduser(text))


def written_path(path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a file to be written.

    Raises
    ------
    ArgumentError
        If it names a folder, lies where the system shows its devices, or no file system opens the URL.
    ArgumentTypeError
        If it is neither text nor a path.
    """
    text: Any = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise ArgumentTypeError("files are written under a str or path.", details=[f"given: {path!r:.100}"])
    if text.startswith(_LOCAL):
        text = unquote(text.removeprefix(_LOCAL))  # with the guarantees of local folders
    if is_remote(text):
        return _written_url(text)
    if not text.strip():
        raise ArgumentError("files are written under a name, and none is given.", hint="name them: 'folder/name.h5'.")
    path = absolute(text)  # refuses names that no file system can hold
    folder, name = os.path.split(text)
    if name in {"", ".", ".."}:
        raise ArgumentError(
            f"{text!r} names a folder, not files in it.", hint=f"name them: {os.path.join(text, 'name.h5')!r}."
        )
    real = os.path.join(os.path.realpath(os.path.expanduser(folder)), "")
    if real.startswith(_SYSTEM) and not real.startswith(_MEMORY):
        raise ArgumentError(
            f"{text!r} lies where the system shows its devices and processes.", hint="write to another folder."
        )
    return path


def _written_url(url: str) -> str:
    folder, _, name = url.partition("://")[2].strip("/").rpartition("/")
    if not folder or not name.strip() or url.endswith("/"):
        raise ArgumentError(
            f"{url!r} names no files in a bucket or folder.", hint="name them: 's3://bucket/folder/name.h5'."
        )
    check_protocol(url)
    return url


def identify(path: str) -> FileIdentity:
    """Return size and version of a file.

    Raises
    ------
    MissingFileError
        If the file does not exist.
    FileFormatError
        If it is a folder, a FIFO or a device, or cannot be read.
    """
    return _identified(path, _remote_identity if is_remote(path) else _local_identity)


def _local_identity(path: str) -> FileIdentity:
    return identity_of(path, os.stat(path))


def _identified(path: str, look: Callable[[str], FileIdentity]) -> FileIdentity:
    try:
        return look(path)
    except FileNotFoundError:
        raise MissingFileError(f"no file {path!r}.") from None
    except OSError as error:
        raise FileFormatError(f"cannot look at {path!r}: {error.strerror or error}.") from error


def _remote_identity(url: str) -> FileIdentity:
    system, inner = file_system(url)
    return _described(url, retrying(lambda: system.info(inner)))


def _described(url: str, info: Mapping[str, Any]) -> FileIdentity:
    size = info.get("size")
    if info.get("type") == "directory":
        raise FileFormatError(f"{url!r} is a folder.", hint="name the files in it, for example with a pattern '…/*'.")
    if size is None:
        raise FileFormatError(
            f"cannot look at {url!r}: its server does not tell how large it is.",
            hint="download the file and read the copy.",
        )
    return FileIdentity(url, int(size), version_of(info), current_options())


def version_of(info: Mapping[str, Any]) -> str:
    """Return the version of a remote file: the mark of its content, else its time of modification.

    Examples
    --------
    >>> version_of({"name": "b/x", "size": 1, "ETag": '"5d41"', "LastModified": 7})
    '"5d41"'
    """
    found = next((info[name] for name in (*_VERSIONS, *_TIMES) if info.get(name)), "")
    return str(found.timestamp() if isinstance(found, datetime) else found)


def identify_all(paths: Sequence[str]) -> tuple[FileIdentity, ...]:
    """Return size and version of files, by one listing for each remote folder where possible; see `identify`.

    Raises
    ------
    MissingFileError, FileFormatError
        As for `identify`.
    """
    remote = [path for path in paths if is_remote(path)]
    if not remote:
        return tuple([_identified(path, _local_identity) for path in paths])
    listed: dict[str, FileIdentity] = {}
    folders: dict[str, list[str]] = {}
    for path in remote:
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    for folder, members in folders.items():
        infos = infos_in(folder) if len(members) > 1 else {}
        found = ((path, infos.get(path.rpartition("/")[2])) for path in members)
        listed |= {path: _described(path, info) for path, info in found if info is not None and version_of(info)}
    rest = [path for path in remote if path not in listed]
    listed |= dict(zip(rest, concurrently(identify, rest), strict=True))
    return tuple(listed[path] if path in listed else identify(path) for path in paths)


def infos_in(folder: str) -> dict[str, Mapping[str, Any]]:
    """Return a remote file system's records of the files in a folder, by name; empty where it cannot list."""
    if folder.startswith(("http://", "https://")):  # pages of links are no listings
        return {}
    system, inner = file_system(folder)
    try:
        entries = retrying(lambda: system.ls(inner, detail=True))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise FileError(f"cannot list {folder!r}: {error.strerror or error}.") from error
    return {entry["name"].rpartition("/")[2]: entry for entry in entries if entry.get("type") == "file"}


def is_unchanged(file: FileIdentity) -> bool:
    """Whether the file exists in the same state.

    Raises
    ------
    NoAnswerError
        If a remote file system does not tell.
    """
    try:
        with accessing(file.options):
            return identify(file.path) == file
    except NoAnswerError:
        raise
    except FileError:
        return False


def changed_error(file: FileIdentity) -> FileError:
    """Return the error for a file that has changed since it was opened, or no longer exists."""
    return FileError(
        f"file {file.path!r} has changed since it was opened.",
        details=[f"it had {file.size} bytes"],
        hint="read the set again to see its present content; persist() keeps what was read before.",
    )


def identity_of(path: str, status: os.stat_result) -> FileIdentity:
    """Return the identity of a local file from its `os.stat`."""
    if stat.S_ISDIR(status.st_mode):
        raise FileFormatError(f"{path!r} is a folder.", hint="name the files in it, for example with a pattern '…/*'.")
    if not stat.S_ISREG(status.st_mode):
        raise FileFormatError(f"{path!r} is a FIFO, a socket or a device, and no file.", hint="copy it to a file.")
    return FileIdentity(path, status.st_size, state_of(status))


def has_status(file: FileIdentity, status: os.stat_result) -> bool:
    """Whether a local file is unchanged, given its `os.stat`."""
    return status.st_size == file.size and state_of(status) == file.version


def state_of(status: os.stat_result) -> str:
    """Return a mark that changes with the state of a local file or folder, to be compared besides its size.

    The mark holds the times of modification and change, the inode and the owner.  Any program may set the time of
    modification back. Only the system sets the time of change, with each change of content, times, owner, rights or
    names.
    """
    return f"{status.st_mtime_ns}/{status.st_ctime_ns}/{status.st_ino}/{status.st_uid}"


def last_changed(file: FileIdentity) -> int:
    """Return the later of the times of modification and of change of a local file, in ns."""
    modified, changed, *_ = file.version.split("/")
    return max(int(modified), int(changed))


def owner_of(file: FileIdentity) -> int:
    """Return the user who owns a local file."""
    return int(file.version.rpartition("/")[2])


def exists(path: str) -> bool:
    """Whether there is a file or folder at the path."""
    if is_remote(path):
        system, inner = file_system(path)
        return bool(retrying(lambda: system.exists(inner)))
    return os.path.lexists(path)


def is_file(path: str) -> bool:
    """Whether there is a file, and not a folder, at the path."""
    if is_remote(path):
        system, inner = file_system(path)
        return bool(retrying(lambda: system.isfile(inner)))
    return os.path.isfile(path)


def matching(pattern: str) -> list[str]:
    """Return the files that match a glob pattern, unordered; hidden ones only if the pattern begins with a dot."""
    if is_remote(pattern):
        system, inner = file_system(pattern)
        shows_hidden = inner.rpartition("/")[2].startswith(".")
        found = [
            path
            for path in retrying(lambda: system.glob(inner))
            if shows_hidden or not path.rpartition("/")[2].startswith(".")
        ]
        return [system.unstrip_protocol(path) for path in found]
    return glob.glob(pattern)


def is_folder(path: str) -> bool:
    """Whether there is a folder at the path."""
    if is_remote(path):
        system, inner = file_system(path)
        return bool(retrying(lambda: system.isdir(inner)))
    return os.path.isdir(path)


def files_below(folder: str) -> list[str]:
    """Return all files in a folder and its folders, unordered.

    Names that begin with a dot are hidden. Spark and Hive do not count names that begin with an underscore as data.
    """
    if is_remote(folder):
        system, inner = file_system(folder)
        found = [
            path
            for path in retrying(lambda: system.find(inner))
            if _are_data(path[len(inner.rstrip("/")) :].split("/"))
        ]
        return [system.unstrip_protocol(path) for path in found]
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if _are_data([name])]
        found += [os.path.join(parent, name) for name in names if _are_data([name])]
    return found


def identities_below(folder: str) -> dict[str, FileIdentity]:
    """Return size and version of all files in a folder and its folders, hidden ones too, by their path in it.

    Links to folders are not followed.

    Raises
    ------
    MissingFileError, FileFormatError
        If a file disappears meanwhile, an entry is not a regular file, or the folder cannot be listed.
    """
    if is_remote(folder):
        system, inner = file_system(folder)
        infos = retrying(lambda: system.find(inner, detail=True))
        below = inner.rstrip("/") + "/"
        return {
            path.removeprefix(below): _described(system.unstrip_protocol(path), info) for path, info in infos.items()
        }
    found: dict[str, FileIdentity] = {}
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        try:
            with os.scandir(os.path.join(folder, inside)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{inside}{entry.name}/")
                    elif not entry.is_dir():
                        found[f"{inside}{entry.name}"] = identify(entry.path)
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise FileFormatError(f"cannot list {folder!r}: {error.strerror or error}.") from error
    return found


def _are_data(names: list[str]) -> bool:
    return not any(name.startswith((".", "_")) for name in names)


def names_in(folder: str) -> list[str]:
    """Return the names of the files in a folder; empty where it cannot be listed."""
    try:
        if is_remote(folder):
            system, inner = file_system(folder)
            return [entry.rstrip("/").rpartition("/")[2] for entry in retrying(lambda: system.ls(inner, detail=False))]
        return os.listdir(folder or ".")
    except OSError:
        return []


# ----------------------------------------------------------------------------------------------------------- open files

_DESCRIPTORS = "/proc/self/fd"


def open_regular(
    path: str, flags: int = os.O_RDONLY, *, folder: int | None = None, follows: bool = False, shown: str | None = None
) -> int:
    """Open a regular file without waiting, and return its descriptor.

    The path is a single name if the descriptor of its folder is given, and errors show it as `shown`. `follows` says
    whether a link in its place is followed.
    """
    flags |= os.O_NONBLOCK | os.O_CLOEXEC | (0 if follows else os.O_NOFOLLOW)
    descriptor = os.open(path, flags, 0o666, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "Not a regular file", shown or path)
    return descriptor


def path_of_open(descriptor: int, path: str) -> str:
    """Return a path of this very file or folder, while it is open, for libraries that open by path; else `path`."""
    anchor = f"{_DESCRIPTORS}/{descriptor}"
    return anchor if os.path.exists(anchor) else path


def check_status(status: os.stat_result, most: float, owners: Container[int] | None, path: str) -> None:
    """Refuse an open file that is too large or that none of the given users owns; None allows any user."""
    if owners is not None and status.st_uid not in owners:
        raise PermissionError(errno.EPERM, "It belongs to another user", path)
    if status.st_size > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)


def is_single_name(name: object) -> bool:
    """Whether this is the name of a direct entry of a folder, and not a path that leads elsewhere.

    Examples
    --------
    >>> [is_single_name(name) for name in ("x.h5", "..", "a/b", "nul" + chr(0), chr(0xD800), 3)]
    [True, False, False, False, False, False]
    """
    if not isinstance(name, str) or name in {"", ".", ".."} or "/" in name or "\0" in name:
        return False
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True
