"""When loops are compiled, and what happens where they cannot be."""

import sys

import pytest

from akdask.kernels import compiled


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    monkeypatch.setattr(compiled, "INSTALLED", True)
    monkeypatch.setattr(compiled._Process, "seen", 0)
    monkeypatch.setattr(compiled._Process, "passed", 0)
    monkeypatch.setattr(compiled._Process, "has_room", True)
    monkeypatch.setattr(compiled._Process, "plans", True)
    forget = compiled._is_loaded.cache_clear
    forget()
    yield
    forget()


def test_small_tasks_do_not_wait_for_the_compiler(monkeypatch):
    monkeypatch.setattr(compiled, "_is_loaded", lambda: True)
    assert not compiled.pays(compiled.WORTH_LOADING - 1)
    assert compiled.pays(1)
    assert compiled.pays(0)


def test_processes_with_little_memory_never_load_the_compiler(monkeypatch):
    monkeypatch.setattr(compiled, "_is_loaded", lambda: pytest.fail("loads the compiler"))
    compiled.forgo()
    assert not compiled.pays(compiled.WORTH_LOADING)


def test_a_numba_that_does_not_fit_is_told_once_and_done_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.warns(UserWarning, match="install a release that fits your NumPy"):
        assert not compiled.pays(compiled.WORTH_LOADING)
    assert not compiled.pays(compiled.WORTH_LOADING)


@pytest.mark.parametrize(("module", "loaded"), [(None, False), (sys, True)])
def test_loops_that_gain_little_wait_until_others_have_loaded_the_compiler(monkeypatch, module, loaded):
    monkeypatch.setitem(sys.modules, "numba", module)
    monkeypatch.setattr(compiled, "WORTH_LOADING", 10)
    assert not compiled.is_at_hand()
    monkeypatch.setattr(compiled._Process, "seen", 10)
    assert compiled.is_at_hand() == loaded
    monkeypatch.delitem(sys.modules, "numba")
    assert not compiled.is_at_hand()


def test_processes_that_only_work_for_others_load_the_compiler_amid_tasks(monkeypatch):
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setattr(compiled, "_is_loaded", lambda: True)
    monkeypatch.setattr(compiled, "WORTH_LOADING", 10)
    assert not compiled.is_at_hand(10)
    compiled.serve()
    assert compiled.is_at_hand(0)
    compiled.forgo()
    assert not compiled.is_at_hand(0)


def test_the_compiler_is_loaded_before_a_large_computation_that_follows_others(monkeypatch):
    loaded = []
    monkeypatch.setattr(compiled, "_is_loaded", lambda: loaded.append(True))
    monkeypatch.setattr(compiled, "WORTH_LOADING", 10)
    compiled.is_at_hand(9)
    compiled.expect_more(10)
    assert not loaded
    compiled.is_at_hand(1)
    compiled.expect_more(9)
    assert not loaded
    compiled.expect_more(10)
    assert loaded == [True]
    compiled.forgo()
    compiled.expect_more(10)
    assert loaded == [True]
