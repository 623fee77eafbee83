"""File systems of URLs: ``faulty://`` in memory, slow or failing as tests want it; ``distant://`` for workers."""

import os
import stat
import threading
import time
from typing import ClassVar

import fsspec
from fsspec import AbstractFileSystem
from fsspec.implementations.memory import MemoryFileSystem


class Killed(BaseException):
    """The process of a writer ends."""


class FaultyFileSystem(MemoryFileSystem):
    protocol = "faulty"
    store: ClassVar[dict] = {}
    pseudo_dirs = [""]
    latency = 0.0
    mutations_left = None  # until the process is killed
    failures: ClassVar[dict] = {}  # errors by method, each raised once
    requests: ClassVar[list] = []
    ranges: ClassVar[list] = []  # that were given
    lengths: ClassVar[list] = []  # bytes after which replies end, one for each of the next
    replaced_after: ClassVar[dict] = {}  # by path: replies until it has other content, and that
    _lock = threading.Lock()

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.replace("faulty://", "memory://"))

    def unstrip_protocol(self, name):
        return f"faulty://{name.lstrip('/')}"

    @classmethod
    def reset(cls):
        cls.store.clear()
        cls.latency, cls.mutations_left, cls.failures, cls.requests = 0.0, None, {}, []
        cls.ranges, cls.lengths, cls.replaced_after = [], [], {}
        cls.clear_instance_cache()

    @classmethod
    def _request(cls, method, path, *, mutates=False):
        with cls._lock:
            cls.requests.append((method, path))
            errors = cls.failures.get(method)
            error = errors.pop(0) if errors else None
            if mutates and cls.mutations_left is not None:
                cls.mutations_left -= 1
                if cls.mutations_left < 0:
                    raise Killed
        time.sleep(cls.latency)
        if error is not None:
            raise error

    def info(self, path, **kwargs):
        self._request("info", path)
        return super().info(path, **kwargs)

    def ls(self, path, detail=True, **kwargs):
        self._request("ls", path)
        return super().ls(path, detail, **kwargs)

    def cat_file(self, path, start=None, end=None, **kwargs):
        self._request("cat_file", path)
        content = self.store.get(self._strip_protocol(path))
        if content is None:
            raise FileNotFoundError(path)
        found = content.getvalue()[start:end]
        with self._lock:
            self.ranges.append((path, start, end))
            if self.lengths:
                found = found[: self.lengths.pop(0)]
            left, other = self.replaced_after.get(self._strip_protocol(path), (0, None))
            if left == 1:
                super().pipe_file(path, other)
            self.replaced_after[self._strip_protocol(path)] = left - 1, other
        return found

    def pipe_file(self, path, value, mode="overwrite", **kwargs):
        self._request("pipe_file", path, mutates=True)
        return super().pipe_file(path, value, mode, **kwargs)

    def put_file(self, lpath, rpath, **kwargs):
        self._request("put_file", rpath, mutates=True)
        with open(lpath, "rb") as file:
            super().pipe_file(rpath, file.read())

    def cp_file(self, path1, path2, **kwargs):
        self._request("cp_file", path2, mutates=True)
        return super().cp_file(path1, path2, **kwargs)

    def rm_file(self, path):
        self._request("rm_file", path, mutates=True)
        if self.store.pop(self._strip_protocol(path), None) is None:
            raise FileNotFoundError(path)

    def rm(self, path, recursive=False, maxdepth=None):
        self._request("rm", path, mutates=True)
        prefix = self._strip_protocol(path) + "/"
        names = [name for name in self.store if name.startswith(prefix)]
        if not names:
            raise FileNotFoundError(path)
        for name in names:
            del self.store[name]


fsspec.register_implementation("faulty", FaultyFileSystem, clobber=True)


class DistantFileSystem(AbstractFileSystem):
    """Files of this machine under URLs ``distant:///path``: each request takes a latency, and leaves a line in a log.

    So processes other than that of the test read them too: a worker imports this module where it opens one, since
    options travel with what is read.  ``latency`` and ``log`` are options of the file system.
    """

    protocol = "distant"

    def __init__(self, latency=0.0, log=None, **options):
        super().__init__(latency=latency, log=log, **options)
        self.latency, self.log = latency, log

    @classmethod
    def _strip_protocol(cls, path):
        return path.removeprefix("distant://").rstrip("/")

    def _request(self, method, path, start=None, end=None):
        if self.log is not None:
            with open(self.log, "ab", buffering=0) as file:  # one write of a line is whole
                file.write(f"{os.getpid()} {threading.get_ident()} {method} {path} {start} {end}\n".encode())
        time.sleep(self.latency)

    def _described(self, path):
        status = os.stat(path)
        kind = "directory" if stat.S_ISDIR(status.st_mode) else "file"
        return {"name": path, "size": status.st_size, "mtime": status.st_mtime_ns, "type": kind}

    def info(self, path, **kwargs):
        path = self._strip_protocol(path)
        self._request("info", path)
        return self._described(path)

    def ls(self, path, detail=True, **kwargs):
        path = self._strip_protocol(path)
        self._request("ls", path)
        names = [f"{path}/{name}" for name in sorted(os.listdir(path))]
        return [self._described(name) for name in names] if detail else names

    def cat_file(self, path, start=None, end=None, **kwargs):
        path = self._strip_protocol(path)
        self._request("cat_file", path, start, end)
        with open(path, "rb") as file:
            return file.read()[start:end]


fsspec.register_implementation("distant", DistantFileSystem, clobber=True)
