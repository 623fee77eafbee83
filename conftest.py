"""What holds for tests and doctests alike."""

from __future__ import annotations

import os
from collections.abc import Iterator

import dask
import numpy as np
import pytest
from hypothesis import settings

import akdask as ak

# Neither profile has a deadline: time depends on the machine, answers must not.
settings.register_profile("dev", max_examples=30, deadline=None)
settings.register_profile("ci", max_examples=30, deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(autouse=True)
def synchronous_scheduler() -> Iterator[None]:
    """Run tasks in this thread, so that a failure shows where it happened; a test may set another scheduler."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace.update(ak=ak, np=np)
