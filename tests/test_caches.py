"""Caches of the process: bounded, listed, emptied together, and empty in a forked process."""

from __future__ import annotations

import ast
import gc
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask import caches
from akdask.caches import Cache, CacheMemory, cached_results

ROOT = Path(ak.__file__).parent


def test_the_least_recently_used_items_are_dropped():
    cache = Cache("test", entries=2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert list(cache) == ["a", "c"]
    assert cache.get("b") is None
    assert "b" not in cache
    assert len(cache) == 2


def test_the_bytes_of_items_are_bounded():
    dropped = []
    cache = Cache("test", nbytes=100, size=len, dropped=dropped.append)
    for item in (b"1" * 60, b"2" * 40, b"3" * 10):
        assert cache.put(item[:1], item) is item
    assert list(cache) == [b"2", b"3"]
    assert cache.nbytes == 50
    assert dropped == [b"1" * 60]
    cache.put(b"4", b"4" * 101)
    assert len(cache) == cache.nbytes == 0
    cache.put(b"5", b"5")
    cache.pop(b"5")
    cache.put(b"6", b"6")
    cache.clear()
    assert [item[:1] for item in dropped] == [b"1", b"2", b"3", b"4", b"6"]


def test_some_items_are_cached_however_large():
    cache = Cache("test", nbytes=10, size=len, at_least=1)
    cache.put(1, b"x" * 20)
    cache.put(2, b"x" * 30)
    assert list(cache) == [2]


def test_a_limit_may_change():
    most = [3]
    cache = Cache("test", entries=lambda: most[0])
    for key in range(3):
        cache.put(key, key)
    most[0] = 1
    cache.put(3, 3)
    assert list(cache) == [3]


def test_an_item_may_be_nothing():
    cache = Cache("test")
    cache.put("a", None)
    assert "a" in cache
    assert cache.get("a") is None


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9) | st.none())))
def test_bytes_are_the_sum_of_all_items(steps):
    cache = Cache("test", nbytes=20, size=int)
    for key, size in steps:
        if size is None:
            cache.pop(key)
        else:
            cache.put(key, size)
        assert cache.nbytes == cache.size_of("abcd") == sum(map(cache.get, list(cache))) <= 20
    cache.clear()
    assert cache.nbytes == len(cache) == 0


def test_results_of_functions_are_cached():
    computed = []

    @cached_results("test results", 2, len)
    def double(text):
        computed.append(text)
        return 2 * text

    assert [double(text) for text in ("ab", "ab", "cd", "ef", "ab")] == ["abab", "abab", "cdcd", "efef", "abab"]
    assert computed == ["ab", "cd", "ef", "ab"]
    assert CacheMemory("test results", 2, 8) in caches.caches()
    caches.clear_caches()
    assert "test results" not in {cache.name for cache in caches.caches()}
    double("ab")
    assert computed[4:] == ["ab"]


def test_caches_are_listed_by_size_in_the_memory_report():
    cache = Cache("a large one", size=lambda item: item)
    cache.put("x", 2**50)
    cache.put("y", 1)
    report = ak.memory()
    assert report.caches[0] == CacheMemory("a large one", 2, 2**50 + 1)
    assert "1,125,899,906,842,625" in repr(report)
    assert "a large one" in report._repr_html_()
    del cache
    gc.collect()
    assert "a large one" not in {cache.name for cache in ak.memory().caches}


def test_all_caches_are_emptied_together():
    cache = Cache("test")
    cache.put("x", 1)
    array = ak.array(np.arange(10))
    assert array[array > 3].size == 6
    assert len(caches.caches()) > 1
    caches.clear_caches()
    assert caches.caches() == []
    assert array[array > 3].size == 6


def test_threads_share_a_cache():
    cache = Cache("test", entries=50, nbytes=2000, size=lambda item: item % 60)

    def use(first):
        for number in range(3000):
            key = (first + number) % 97
            found = cache.get(key)
            assert found in (None, key)
            cache.put(key, key)
            if number % 7 == 0:
                cache.pop(key)

    threads = [threading.Thread(target=use, args=(10 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.nbytes == cache.size_of(range(97)) == sum(key % 60 for key in cache)


def in_child(function):
    """Return whether a function returns true in a forked process."""
    child = os.fork()
    if not child:
        os._exit(0 if function() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_begins_without_items_or_locks(monkeypatch):
    cache = Cache("test")
    cache.put("x", 1)
    called = []
    monkeypatch.setattr(caches, "_in_child", [lambda: called.append(len(cache))])
    taken, done = threading.Event(), threading.Event()

    def hold():
        with cache.lock:
            taken.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait()
    assert in_child(lambda: cache.get("x") is None and cache.put("x", 2) == 2 and called == [0])
    done.set()
    holder.join()
    assert cache.get("x") == 1
    assert not called


CLOSED = "few results, by types, names or constants of this package or of the system"

NAMED = {
    "caches._CachedResults": "the cache itself",
    "caches.Cache": "the cache itself",
    "caches": "the hook of all others",
    "arkouda.parity_page._owner": CLOSED,
    "compiled._is_importable": CLOSED,
    "deferred._arrow_classes": CLOSED,
    "engine.allocator.manage_freed_memory": "runs once",
    "engine.pipeline._class_in_words": CLOSED,
    "engine.slices._have_names_spilled": "runs once",
    "engine.scheduler._threads": "threads, which a forked process forgets",
    "engine.tokens._field_names": CLOSED,
    "engine.values._result_type": "types by operation and types, at most 4096, needed by each operator that is written",
    "frames.conversion._text_type": CLOSED,
    "machine._machine_memory": CLOSED,
    "engine.optimizer._class_names": CLOSED,
    "operators.keys.string_code_loops._common": "a few words",
    "operators.keys.string_code_loops._layout": "a few words",
    "operators.keys.string_codes.moves": "six numbers",
    "operators.values.text._is_like_ascii": CLOSED,
    "operators.values.text.encoding_name": CLOSED,
    "formats.parquet.pages._unpacker": CLOSED,
    "storage.registry._load_built_in": "runs once",
    "storage.registry._load_entry_points": "runs once",
    "storage.hidden._kernel": CLOSED,
    "storage.manifest._types": CLOSED,
    "storage.ranges._fallocate": CLOSED,
    "storage.read_ahead.threads": "threads, which a forked process forgets",
    "storage.read_ahead.looking_threads": "threads, which a forked process forgets",
    "formats.hdf5.library_file._dtype": CLOSED,
    "formats.hdf5.metadata._numpy_name": CLOSED,
    "formats.hdf5.metadata._type": CLOSED,
    "formats.hdf5.library._access": CLOSED,
    "formats.hdf5.new_file._creation": CLOSED,
    "formats.hdf5.new_file._stored_type": CLOSED,
    "formats.hdf5.layout._scalar": CLOSED,
    "formats.hdf5.layout._text_type": CLOSED,
    "arrays.array": "objects that live elsewhere",
    "engine.cache": "leases that live elsewhere",
    "engine.pipeline": "programs of plans that live elsewhere",
    "evo.grids": "datasets that a user has open",
    # Blocks and chunks of one file or task, which go with it.
    "storage.remote_file.RemoteFile": "blocks of one open file",
    "formats.hdf5.chunks.ChunkStore": "chunks of one task",
}
"""Functions and classes with a cache or a fork hook of their own, and the reason why it is no `Cache`."""

MAKERS = {"cache", "lru_cache", "OrderedDict", "WeakValueDictionary", "WeakKeyDictionary", "register_at_fork"}


def own_caches(module, tree):
    """Yield the functions, classes and modules that make caches or hooks without `akdask.caches`."""
    for node in tree.body:
        name = f"{module}.{node.name}" if isinstance(node, ast.FunctionDef | ast.ClassDef) else module
        for part in ast.walk(node):
            decorators = getattr(part, "decorator_list", [])
            called = [part.func] if isinstance(part, ast.Call) else []
            for maker in (*decorators, *called):
                if (getattr(maker, "attr", None) or getattr(maker, "id", None)) in MAKERS:
                    yield name


def test_every_cache_is_one_or_is_named_here():
    found = set()
    for path in sorted(ROOT.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found |= set(own_caches(module, ast.parse(path.read_text(encoding="utf-8"))))
    assert found == set(NAMED)


REGISTRY = "classes and functions of this package or of others, which register themselves"

CONTAINERS = {
    "array_api.array_object.HANDLED_FUNCTIONS": REGISTRY,
    "arrays.array._COMPUTED": "objects that live elsewhere",
    "arrays.connection._opened": "what a user has opened",
    "arrays.registered._objects": "what a user has registered",
    "arrays.stored._makers": REGISTRY,
    "arrays.timearray.CLASSES": REGISTRY,
    "arrays.wrap._asked_for": REGISTRY,
    "arrays.wrap._made_of": REGISTRY,
    "arrays.wrap._shown_by": REGISTRY,
    "caches._caches": "all caches",
    "caches._in_child": REGISTRY,
    "caches._of_parent": "items of the parent of a forked process, in memory that both share",
    "cluster._heard": "the last answer of each scheduler",
    "columns.rows._OF_ARROW": REGISTRY,
    "config._understood": "one value of each setting",
    "engine.cache._leases": "leases that live elsewhere",
    "engine.pipeline._reducers": "programs of plans that live elsewhere",
    "engine.scheduler._surrounding": REGISTRY,
    "engine.shuffle_service._registered": "clients that live elsewhere",
    "engine.slices._spilled": "results that Dask has spilled, until it has forgotten them",
    "engine.spillable._in_memory": "results that live elsewhere",
    "engine.split_index._silence": "workers that do not answer now",
    "evo.grids._OPEN": "datasets that a user has open",
    "extension.base._CLASSES": REGISTRY,
    "formats.hdf5.codec_registry.CODECS": REGISTRY,
    "formats.hdf5.codec_registry.COLUMN_CODECS": REGISTRY,
    "formats.parquet.footers._last": "the last four schemas, which are compared one by one",
    "lbann.transform._IDLE": "at most four arrays of free memory",
    "random._global": "one generator",
    "storage.registry._FORMATS": REGISTRY,
    "storage.remote._USED": "names of protocols",
}
"""Containers of modules that grow while the process runs, and the reason why they are no `Cache`."""

EMPTY = {"dict", "list", "set", "deque", "defaultdict", "WeakSet", "WeakValueDictionary", "WeakKeyDictionary"}


def is_empty(value):
    """Whether an expression is an empty container."""
    if isinstance(value, ast.Call):
        function = value.func.value if isinstance(value.func, ast.Subscript) else value.func
        return getattr(function, "id", getattr(function, "attr", "")) in EMPTY and not value.args
    return isinstance(value, ast.Dict | ast.List) and not (getattr(value, "keys", None) or getattr(value, "elts", None))


def test_every_container_that_grows_is_named_here():
    found = set()
    for path in sorted(ROOT.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and is_empty(node.value):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                found.add(f"{module}.{ast.unparse(target)}")
    assert found == set(CONTAINERS)
