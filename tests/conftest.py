from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from cProfile import Profile
from pathlib import Path
from typing import TYPE_CHECKING

import dask
import pytest

from akdask.arrays.writable import ARKOUDA_PATHS
from akdask.engine import node, tuning

if TYPE_CHECKING:
    from distributed import Client

# A cluster stays while all tests run, and spends a tenth of a processor on looking at itself unless told not to.
dask.config.set(
    {
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.system-monitor.interval": "10s",
        "distributed.worker.memory.monitor-interval": "1s",
    }
)

# Where a test fails, its developer wants to see where.
dask.config.set({"akdask.full_tracebacks": True})

TESTS = Path(__file__).parent
SHARED_FIXTURES = TESTS.parents[1] / "shared" / "fixtures"
NO_FIXTURES = f"no folder {SHARED_FIXTURES} beside the repository"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Say last what was skipped and why."""
    yield
    skipped = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if skipped:
        terminalreporter.section(f"NOT TESTED: {skipped.total()}", yellow=True, bold=True)
    for reason, count in skipped.most_common():
        terminalreporter.line(f"{count} {'test' if count == 1 else 'tests'}: {reason}")
    if NO_FIXTURES in skipped:
        terminalreporter.section("NOTHING WAS READ THAT REAL SERVERS WROTE", red=True, bold=True)


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    match report.longrepr:
        case (_, _, reason):
            return str(reason).removeprefix("Skipped: ")
    return str(report.longrepr)


@pytest.fixture(scope="session")
def golden() -> Path:
    """Return the folder of sets in every layout of Arkouda's, with the values that they hold in ``expected.json``."""
    return TESTS / "golden" / "arkouda_v2"


@pytest.fixture(scope="session")
def golden_files(golden: Path) -> list[Path]:
    """Return the files of all these sets."""
    return [path for path in sorted(golden.glob("*/*")) if path.suffix not in {".json", ".npz"}]


@pytest.fixture(scope="session")
def shared_fixtures() -> Path:
    """Return the folder of files from real Arkouda servers, which this repository does not carry."""
    if not SHARED_FIXTURES.is_dir():
        pytest.skip(NO_FIXTURES)
    return SHARED_FIXTURES


@pytest.fixture(scope="session", autouse=True)
def nothing_is_flushed() -> Iterator[None]:
    """Leave files in the cache of the system, as no test has a power failure, and each flush takes milliseconds.

    Tests of what is flushed, and when, note the calls.  A wrong descriptor is an error still.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture
def open_files(tmp_path: Path) -> Callable[[], list[str]]:
    """Return what tells the files in the test's folder that this process has open."""

    def found() -> list[str]:
        links = []
        for descriptor in os.listdir("/proc/self/fd"):
            # One of another thread may be closed meanwhile, and that of the listing is.
            with contextlib.suppress(FileNotFoundError):
                links.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        return [path for path in links if path.startswith(f"{tmp_path}/")]

    return found


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], int]:
    """Return what counts the calls of Python functions that something takes in a process that has computed nothing."""

    def count(function: Callable[[], object]) -> int:
        # Columns that are kept go with the last object of their plan; counts of rows stay.
        gc.collect()
        node.forget_lengths()
        # Collections call what Hypothesis has them call.
        gc.disable()
        try:
            with Profile(builtins=False) as profile:
                function()
        finally:
            gc.enable()
        return sum(entry.callcount for entry in profile.getstats())

    return count


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """Return a path prefix for a set of files in a folder of its own."""
    return tmp_path / "set"


@pytest.fixture(scope="session")
def session_client() -> Iterator[Client]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def cluster_client(
    session_client: Client, synchronous_scheduler: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Client]:
    """Return a client of two workers with one thread each, current while the test runs.

    The cluster starts once a session; only tests marked `cluster` may ask for it.  Few rows have several tasks, as many
    rows do.
    """
    monkeypatch.setattr(tuning, "ONE_TASK_ROWS", -1)
    with session_client.as_current(), dask.config.set(scheduler="distributed"):
        yield session_client


@pytest.fixture(autouse=True)
def nothing_is_counted() -> None:
    """Forget what other tests have counted, which would stand in for what this one counts."""
    node.forget_lengths()


@pytest.fixture(autouse=True)
def classes_are_shown_as_before() -> Iterator[None]:
    """Show classes by their own paths again after a test that has installed akdask as Arkouda."""
    before = dict(ARKOUDA_PATHS)
    yield
    if before != ARKOUDA_PATHS:
        ARKOUDA_PATHS.clear()
        ARKOUDA_PATHS.update(before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Pause coverage for dozens of examples, which reach few more lines, unless it notes tests with lines."""
    is_noted = item.config.getoption("cov_context", None) is not None
    is_needless = not is_noted and item.get_closest_marker("hypothesis") is not None
    with _unmeasured() if is_needless else contextlib.nullcontext():
        return (yield)


@contextlib.contextmanager
def _unmeasured() -> Iterator[None]:
    measuring = None if (coverage := sys.modules.get("coverage")) is None else coverage.Coverage.current()
    if measuring is None:
        yield
        return
    measuring.stop()
    try:
        yield
    finally:
        measuring.start()
