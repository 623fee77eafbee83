"""What holds for tests and doctests alike."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import dask
import numpy as np
import pytest
from hypothesis import settings

import akdask as ak

# No profile has a deadline: time depends on the machine, answers must not.  `ci` draws the same examples every time, so
# that a change is judged by what it changes, and `few` fewer of them, for what another run tests with more; `fresh`
# draws others in every run, and `long` many more, by hand:
#
#     pytest -m hypothesis --hypothesis-profile=long
#
# A run that draws others prints its seed.  What fails by one is drawn again by `--hypothesis-seed`, is reduced by
# Hypothesis to its smallest form, and stays with the test as `@example(…)` above `@given`, where every profile runs it.
settings.register_profile("few", max_examples=10, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("dev", max_examples=30, deadline=None)
settings.register_profile("ci", max_examples=30, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("fresh", max_examples=15, deadline=None, print_blob=True)
settings.register_profile("long", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

SEED_OF_RUN = "AKDASK_HYPOTHESIS_SEED"
seed_of_run = pytest.StashKey[str]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose a seed for Hypothesis where none is given, before its plugin and the workers of xdist ask for it."""
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


@pytest.fixture(autouse=True)
def synchronous_scheduler() -> Iterator[None]:
    """Run tasks in this thread, so that a failure shows where it happened; a test may set another scheduler."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace.update(ak=ak, np=np)
