"""Caches of the process: bounded, listed, emptied together, and empty in a forked process."""

from __future__ import annotations

import ast
import gc
import os
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask import caches
from akdask.caches import Cache, CacheMemory, cached_attribute, cached_results

ROOT = Path(ak.__file__).parent


def test_threads_compute_attributes_of_different_instances_at_the_same_time():
    both = threading.Barrier(2, timeout=60)

    class Chunk:
        calls = 0

        @cached_attribute
        def size(self) -> int:
            """The size."""
            self.calls += 1
            # The second thread would not get here if the first one held a lock of the class.
            both.wait()
            return int(7 + self.calls)

    chunks = [Chunk(), Chunk()]
    threads = [threading.Thread(target=getattr, args=(chunk, "size")) for chunk in chunks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(chunk.size, chunk.calls) for chunk in chunks] == [(8, 1), (8, 1)]
    assert Chunk.size.__doc__ == "The size."


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


def test_items_are_dropped_while_other_threads_use_them():
    cache, ends, failures = Cache("test", entries=20), threading.Event(), []

    def put():
        try:
            for number in range(10_000):
                cache.put(number % 40, number)
        except RuntimeError as error:
            failures.append(error)
        ends.set()

    def use():
        while not ends.is_set():
            for key in cache:
                cache.get(key)

    before = sys.getswitchinterval()
    # Threads take turns between any two steps.
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=put), *(threading.Thread(target=use) for _ in range(2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(before)
    assert not failures
    assert len(cache) == 20


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
    "_zstandard": "one decompressor",
    "_bytes_of": "a number for each 262,144 random texts, at most 65,536 of them",
    "can_undo": CLOSED,
    "_code": "a function for each form of records: how many fields there are, and which of them functions make",
    "signature_of": CLOSED,
    "register_at_fork": "the hook of all others",
    "_CachedResults": "the cache itself",
    "Cache": "the cache itself",
    "_owner": CLOSED,
    "_is_importable": CLOSED,
    "_arrow_classes": CLOSED,
    "manage_freed_memory": "runs once",
    "_class_in_words": CLOSED,
    "_have_names_spilled": "runs once",
    "_threads": "threads, which a forked process forgets",
    "_field_names": CLOSED,
    "_defaults": CLOSED,
    "_result": "types by operation, types and constants, at most 1024, needed by each operation on typed columns",
    "_result_type": "types by operation and types, at most 4096, needed by each operator that is written",
    "_running_type": "types by type of number and operation, at most 128",
    "_machine_memory": CLOSED,
    "_class_names": CLOSED,
    "_signature": CLOSED,
    "_ascii_table": "a table of bytes for each class of characters",
    "_layout_arrays": "a few words for each layout of codes, at most 64",
    "_common": "a few words",
    "_layout": "a few words",
    "moves": "six numbers",
    "_is_like_ascii": CLOSED,
    "encoding_name": CLOSED,
    "_unpacker": CLOSED,
    "_load_built_in": "runs once",
    "_load_entry_points": "runs once",
    "_kernel": CLOSED,
    "_types": CLOSED,
    "_fallocate": CLOSED,
    "threads": "threads, which a forked process forgets",
    "looking_threads": "threads, which a forked process forgets",
    "_dtype": CLOSED,
    "_numpy_name": CLOSED,
    "_type": CLOSED,
    "_access": CLOSED,
    "_creation": CLOSED,
    "_stored_type": CLOSED,
    "_scalar": CLOSED,
    "_text_type": CLOSED,
    "members": "a bit for each character, for each class of characters",
    "allowed_and_needed": "two bits for each character, for each class of characters",
    "cases": "a word for each character, for each change of case",
    "_letters": "the letters that have cases",
    "_parameters": CLOSED,
    "_refusal_class": CLOSED,
    "NDFrame": "puts rows into the cache of computed rows",
    "_parser": "one parser, of the commands that there are",
    # Blocks and chunks of one file or task, which go with it.
    "RemoteFile": "blocks of one open file",
    "ChunkStore": "chunks of one task",
}
"""Functions and classes with a cache or a fork hook of their own, and the reason why it is no `Cache`."""

MAKERS = {"cache", "lru_cache", "OrderedDict", "register_at_fork"}


def names_of_caches(tree):
    """Yield the functions and classes that make caches or hooks without `akdask.caches`."""
    for node in tree.body:
        for part in ast.walk(node):
            called = [part.func] if isinstance(part, ast.Call) else []
            for maker in (*getattr(part, "decorator_list", []), *called):
                name = getattr(maker, "attr", None) or getattr(maker, "id", None)
                if name in MAKERS:
                    yield getattr(node, "name", name)


def grown(tree):
    """Yield the names of a module's containers that are empty at first."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_empty(node.value):
            yield ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])


def names_in_package(names, words):
    """Return the names in modules that have one of some words, as to parse all takes seconds."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))]
    having = re.compile(words, re.MULTILINE)
    return {name for text in texts if having.search(text) for name in names(ast.parse(text))}


def test_every_cache_is_one_or_is_named_here():
    assert names_in_package(names_of_caches, rf"\b({'|'.join(MAKERS)})\b") - set(NAMED) == set()


REGISTRY = "classes and functions of this package or of others, which register themselves"

CONTAINERS = {
    "HANDLED_FUNCTIONS": REGISTRY,
    "ARKOUDA_PATHS": REGISTRY,
    "_chosen": "addresses of schedulers whose clients nobody has closed",
    "_COMPUTED": "objects that live elsewhere",
    "_registrations": "registrations of plugins that have begun, until they are done",
    "_opened": "what a user has opened",
    "_objects": "what a user has registered",
    "_makers": REGISTRY,
    "CLASSES": REGISTRY,
    "_asked_for": REGISTRY,
    "_adapters": REGISTRY,
    "_made_of": REGISTRY,
    "_shown_by": REGISTRY,
    "_caches": "all caches",
    "_in_child": REGISTRY,
    "_of_parent": "items of the parent of a forked process, in memory that both share",
    "_heard": "the last answer of each scheduler",
    "_OF_ARROW": REGISTRY,
    "_understood": "one value of each setting",
    "_leases": "leases that live elsewhere",
    "_reducers": "programs of plans that live elsewhere",
    "_registered": "clients that live elsewhere",
    "_spilled": "results that Dask has spilled, until it has forgotten them",
    "_in_memory": "results that live elsewhere",
    "_silence": "workers that do not answer now",
    "_OPEN": "datasets that a user has open",
    "_CLASSES": REGISTRY,
    "_last": "the last four schemas, which are compared one by one",
    "_IDLE": "at most four arrays of free memory",
    "_global": "one generator",
    "_FORMATS": REGISTRY,
    "_USED": "names of protocols",
    "_known": "the last 64 types of categories",
    "_warned": "methods that have warned",
    "reasons": "one text for each method",
    "_folders": "folders of the user's scripts",
}
"""Containers of modules that grow while the process runs, and the reason why they are no `Cache`."""

EMPTY = {
    "dict",
    "list",
    "set",
    "deque",
    "defaultdict",
    "OrderedDict",
    "WeakSet",
    "WeakValueDictionary",
    "WeakKeyDictionary",
}


def is_empty(value):
    """Whether an expression is an empty container."""
    if isinstance(value, ast.Call):
        function = value.func.value if isinstance(value.func, ast.Subscript) else value.func
        return getattr(function, "id", getattr(function, "attr", "")) in EMPTY and not value.args
    return isinstance(value, ast.Dict | ast.List) and not (getattr(value, "keys", None) or getattr(value, "elts", None))


def test_every_container_that_grows_is_named_here():
    # They begin with a name at the left end of a line.
    beginning = rf"^[A-Za-z_]\w*(:[^=]*)? = (\{{\}}|\[\]|(\w+\.)*({'|'.join(EMPTY)})\b)"
    assert names_in_package(grown, beginning) - set(CONTAINERS) == set()
