"""What holds for tests and doctests alike."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import signal
import sys
import zlib
from collections import Counter
from collections.abc import Generator, Iterator
from itertools import compress
from typing import Any

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, settings

import akdask as ak
import akdask.array_api as xp

IN_CI = "CI" in os.environ
"""Whether a change is about to land: tests then draw the same examples each time, and take samples of full grids."""

# No profile has a deadline, and none asks how long drawing takes: time depends on the machine, answers must not.  Each
# run draws examples that none has drawn before, and prints its seed, but where CI is set: what lands must not depend on
# luck, and there they are fewer, as the same ones have been drawn for the change before.  `few` and `fewest` draw the
# same ones every time, for what another run tests with more; `unreduced` is for runs that ask only whether a test
# fails; and `long` draws many more, by hand:
#
#     pytest -m hypothesis --hypothesis-profile=long
#
# What fails is drawn again by `--hypothesis-seed`, is reduced by Hypothesis to its smallest form, and stays with the
# test as `@example(…)` above `@given`, where every profile runs it.
EXAMPLES = 6 if IN_CI else 25
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True, derandomize=IN_CI)
settings.register_profile("few", PATIENT, max_examples=10, derandomize=True)
settings.register_profile("fewest", PATIENT, max_examples=3, derandomize=True)
settings.register_profile("usual", PATIENT, max_examples=EXAMPLES)
settings.register_profile(
    "unreduced", PATIENT, max_examples=EXAMPLES, phases=set(Phase) - {Phase.shrink, Phase.explain}
)
settings.register_profile("long", PATIENT, max_examples=2000, derandomize=False)
settings.load_profile("usual")

SEED_OF_RUN = "AKDASK_HYPOTHESIS_SEED"
seed_of_run = pytest.StashKey[str]()


CASES_IN_QUICK_RUNS = 2

SAMPLES = ((12, 8), (6, 4), (3, 3))
"""Of a test with more cases than the first, CI runs one of the second, unless the test is marked as sampled."""

VARIABLES = ("AKDASK", "DASK", "PATH", "PYTHON", "HOME", "TMPDIR", "COLUMNS", "NO_COLOR")
"""Beginnings of the names of variables that akdask, Dask and processes that tests start read."""

SET_BY_DASK = {"PYTHONHASHSEED"}
"""Variables that Dask sets, so that processes that it starts hash alike."""

# Importing it gives another module, which pytest would not find in it.
collect_ignore = ["akdask/arkouda/array_api.py"]
# They are run by a test, in a folder with their data.
collect_ignore_glob = ["tests/pandas_face/notebooks/*.py"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="at most two cases of each test but light ones, few examples, no other processes",
    )
    parser.addoption("--cases", type=int, metavar="COUNT", help="at most so many cases of each test")
    parser.addoption("--eager", action="store_true", help="compute each array as it is made")
    parser.addoption("--large", action="store_true", help="choose strategies for a few rows as for very many")
    parser.addoption("--materialized", action="store_true", help="as --large, and keep each step on rows for the next")


@pytest.fixture
def same_state() -> Iterator[None]:
    """Fail the test that leaves something changed, rather than one that comes after it, and put that right."""
    before = _state()
    yield
    after = _state()
    if before != after:
        _restore(before)
        left = [_change(what, before[what], after[what]) for what in before if before[what] != after[what]]
        pytest.fail("\n".join(["The test leaves changed:", *left]), pytrace=False)


@pytest.fixture(autouse=True)
def another_way(same_state: None, request: pytest.FixtureRequest) -> Iterator[None]:
    """Have arrays computed as they are made, or few rows treated as very many, where that is asked for."""
    with contextlib.ExitStack() as contexts:
        if request.config.getoption("--eager"):
            contexts.enter_context(ak.config.set(eager=True))
        if _takes_few_for_many(request.config):
            from tests.thresholds import small_data_as_large

            is_materialized = request.config.getoption("--materialized")
            contexts.enter_context(small_data_as_large(materialized=is_materialized))
        yield


def _takes_few_for_many(config: pytest.Config) -> bool:
    return bool(config.getoption("--large") or config.getoption("--materialized"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what asks how plans are made where they are made another way, and of quick runs what takes long."""
    needless = {"lazy_only"} if config.getoption("--eager") else set()
    if _takes_few_for_many(config):
        needless.add("few_rows_only")
    _keep(config, items, [not any(map(item.get_closest_marker, needless)) for item in items])
    if IN_CI:
        _keep(config, items, _sample(items))
    _leave_out_cases(config, items)


def _sample(items: list[pytest.Item]) -> list[bool]:
    """Whether CI runs tests: of many cases, or where a mark says so, one of some, chosen by its name, and the first.

    Cases are those of all classes of a module, as these repeat tests on other types.
    """
    tests = [(item.path, item.nodeid.partition("[")[0].rpartition("::")[2]) for item in items]
    cases = Counter(tests)
    marks = [item.get_closest_marker("sampled") for item in items]
    steps = [
        mark.kwargs["one_of"] if mark else next((step for most, step in SAMPLES if cases[test] > most), 1)
        for mark, test in zip(marks, tests, strict=True)
    ]
    is_kept = [zlib.crc32(item.nodeid.encode()) % step == 0 for item, step in zip(items, steps, strict=True)]
    kept = {test for test, is_in in zip(tests, is_kept, strict=True) if is_in}
    for place, test in enumerate(tests):
        if test not in kept:
            kept.add(test)
            is_kept[place] = True
    return is_kept


def _keep(config: pytest.Config, items: list[pytest.Item], is_kept: list[bool]) -> None:
    config.hook.pytest_deselected(items=[item for item, keeps in zip(items, is_kept, strict=True) if not keeps])
    items[:] = compress(items, is_kept)


def _leave_out_cases(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out of quick runs what takes long, and of these and where it is asked for all but the first cases.

    Quick runs have all cases of tests that are marked as light.
    """
    is_quick = config.getoption("--quick")
    wanted = config.getoption("--cases")
    most = CASES_IN_QUICK_RUNS if is_quick and wanted is None else wanted
    if most is None:
        return
    cases: Counter[str] = Counter()
    is_kept = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        is_long = is_quick and any(map(item.get_closest_marker, ("slow", "cluster")))
        cases[test] += not is_long
        is_light = is_quick and wanted is None and item.get_closest_marker("light") is not None
        is_kept.append(not is_long and (is_light or cases[test] <= most))
    _keep(config, items, is_kept)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Have Python look for garbage among what tests make, and not among thousands of tests each time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose a seed for Hypothesis where none is given, before its plugin and the workers of xdist ask for it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Shells have what runs in the background ignore Ctrl-C, and so would processes that tests start and interrupt.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    name = config.getoption("--hypothesis-profile")
    profile = settings.get_profile(name) if name else settings()
    if not profile.derandomize:
        if config.getoption("--hypothesis-seed") is None:
            # Workers of xdist are told by the environment, as they do not get options that were set after parsing.
            config.option.hypothesis_seed = os.environ.setdefault(
                SEED_OF_RUN, str(random.SystemRandom().getrandbits(32))
            )
        config.stash[seed_of_run] = config.getoption("--hypothesis-seed")


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [_told(config)] if seed_of_run in config.stash else []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Say how to draw the same examples again, as the header is not there in quiet runs."""
    yield
    if seed_of_run in terminalreporter.config.stash:
        terminalreporter.line(_told(terminalreporter.config))


def _told(config: pytest.Config) -> str:
    return f"examples of this run: --hypothesis-seed={config.stash[seed_of_run]}"


def _change(what: str, before: Any, after: Any) -> str:
    if isinstance(before, dict):
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        before, after = ({name: state.get(name) for name in names} for state in (before, after))
    return f"{what}: {before!r} -> {after!r}"


def _is_ours(name: str) -> bool:
    return name.startswith(VARIABLES) and name not in SET_BY_DASK


def _state() -> dict[str, Any]:
    """Return what tests have to leave as they find it."""
    return {
        "handler of SIGINT": signal.getsignal(signal.SIGINT),
        "handler of SIGTERM": signal.getsignal(signal.SIGTERM),
        "working folder": os.getcwd(),
        # Packages set variables of their own as they are loaded.
        "environment": {name: value for name, value in os.environ.items() if _is_ours(name)},
        "settings": dask.config.config["akdask"].copy(),
        "scheduler": dask.config.get("scheduler", None),
        "errors of floats": np.geterr(),
    }


def _restore(state: dict[str, Any]) -> None:
    signal.signal(signal.SIGINT, state["handler of SIGINT"])
    signal.signal(signal.SIGTERM, state["handler of SIGTERM"])
    os.chdir(state["working folder"])
    for name in filter(_is_ours, list(os.environ)):
        del os.environ[name]
    os.environ.update(state["environment"])
    dask.config.config["akdask"] = state["settings"]
    dask.config.set(scheduler=state["scheduler"])
    np.seterr(**state["errors of floats"])


@pytest.fixture(autouse=True)
def synchronous_scheduler() -> Iterator[None]:
    """Run tasks in this thread, so that a failure shows where it happened; a test may set another scheduler."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(autouse=True)
def doctest_names(request: pytest.FixtureRequest, doctest_namespace: dict[str, object]) -> Iterator[None]:
    """Give examples the names that they need, and those of docstrings a folder for files and no figures of others."""
    doctest_namespace.update(ak=ak, np=np, pd=pd, xp=xp)
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
    yield
    if isinstance(request.node, pytest.DoctestItem) and (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")
