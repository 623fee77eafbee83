"""When loops are compiled, and what happens where they cannot be."""

import sys
import time

import pytest

from akdask import compiled


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    monkeypatch.setattr(compiled, "INSTALLED", True)
    monkeypatch.setattr(compiled, "WORTH_LOADING", 10)
    monkeypatch.setattr(compiled, "DELAY", 0)
    monkeypatch.setattr(compiled._Process, "is_enabled", True)
    monkeypatch.setattr(compiled._Process, "is_preparing", False)
    monkeypatch.setattr(compiled._Process, "is_ready", False)
    monkeypatch.setattr(compiled._Process, "callers", set())
    monkeypatch.setattr(compiled._Process, "number", 0)
    forget = compiled._is_importable.cache_clear
    forget()
    yield
    forget()


def test_many_small_tasks_never_add_up_to_a_large_one(monkeypatch):
    monkeypatch.setattr(compiled, "_is_importable", lambda: pytest.fail("loads the compiler"))
    for _ in range(100):
        assert not compiled.should_compile(9)
        assert not compiled.is_loaded()


def test_a_large_task_loads_the_compiler_for_all(monkeypatch):
    monkeypatch.setattr(compiled, "_is_importable", lambda: True)
    assert compiled.should_compile(10)
    assert compiled.should_compile(1)
    assert compiled.is_loaded()


def test_text_is_worth_it_for_fewer_rows(monkeypatch):
    monkeypatch.setattr(compiled, "_is_importable", lambda: True)
    assert not compiled.should_compile(9)
    assert compiled.should_compile_text(9)


def test_what_is_called_for_again_and_again_waits_until_nothing_is_or_patience_ends(monkeypatch):
    waiting, loaded, clock = [], [], [0.0]
    monkeypatch.setattr(compiled, "DELAY", 1.0)
    monkeypatch.setattr(compiled, "monotonic", lambda: clock[0])
    monkeypatch.setattr(compiled, "_load_later", lambda warm_up, latest: waiting.append((warm_up, latest)))
    monkeypatch.setattr(compiled, "_is_importable", lambda: loaded.append(clock[0]) or True)
    for clock[0], called in ((10.0, True), (10.9, True), (11.0, False), (11.8, True), (12.0, False)):
        if called:
            compiled.prepare()
            assert len(waiting) == 1
        else:
            compiled._load_when_idle(*waiting.pop())
    assert set(loaded) == {12.0}
    assert compiled.is_loaded()


@pytest.mark.parametrize("computations", [1, 2])
def test_one_computation_is_not_disturbed_by_the_compiler_and_several_are_after_a_while(monkeypatch, computations):
    waiting, loaded, clock = [], [], [0.0]
    monkeypatch.setattr(compiled, "DELAY", 1.0)
    monkeypatch.setattr(compiled, "monotonic", lambda: clock[0])
    monkeypatch.setattr(compiled, "_load_later", lambda warm_up, latest: waiting.append((warm_up, latest)))
    monkeypatch.setattr(compiled, "_is_importable", lambda: loaded.append(clock[0]) or True)
    for _ in range(computations - 1):
        with compiled.computation():
            compiled.prepare()
    with compiled.computation():
        compiled.prepare()
        for clock[0] in (1.5, 5.0):
            compiled._load_when_idle(*waiting.pop())
            if loaded:
                break
    assert set(loaded) == ({5.0} if computations > 1 else set())
    if not loaded:
        clock[0] = 5.5
        compiled._load_when_idle(*waiting.pop())
        assert not loaded
        clock[0] = 6.0
        compiled._load_when_idle(*waiting.pop())
        assert set(loaded) == {6.0}


def test_plans_that_are_not_worth_the_wait_have_the_compiler_loaded_for_later_ones(monkeypatch):
    prepared = []
    monkeypatch.setattr(compiled, "WORTH_LOADING", 100)
    monkeypatch.setattr(compiled, "WORTH_PREPARING", 10)
    monkeypatch.setattr(compiled, "prepare", lambda: prepared.append(True))
    assert not compiled.should_compile(9)
    assert not prepared
    assert not compiled.should_compile(10)
    assert prepared


def test_processes_with_little_memory_never_load_the_compiler(monkeypatch):
    monkeypatch.setattr(compiled, "_is_importable", lambda: pytest.fail("loads the compiler"))
    compiled.disable()
    assert not compiled.load()
    assert not compiled.should_compile(10)
    compiled._load_loop(lambda: None)
    assert not compiled.is_loaded()


def test_a_numba_that_does_not_fit_is_told_once_and_done_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.warns(UserWarning, match="install a release that fits your NumPy"):
        assert not compiled.should_compile(10)
    assert not compiled.should_compile(10)


def test_the_compiler_is_loaded_once_beside_what_is_computed(monkeypatch):
    pytest.importorskip("numba", reason="the compiler is not installed")
    asked = []
    monkeypatch.setattr(compiled, "_is_importable", lambda: asked.append(True) or True)
    for _ in range(5):
        compiled.prepare(lambda: None)
    deadline = time.monotonic() + 60
    while not compiled.is_loaded() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert compiled.is_loaded()
    asked.clear()
    compiled.prepare(lambda: None)
    assert not asked
