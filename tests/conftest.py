from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from cProfile import Profile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import dask
import pytest
from _pytest.runner import runtestprotocol

from akdask import compiled
from akdask.engine import node

if TYPE_CHECKING:
    from distributed import Client

# A cluster stays while all tests run, and spends a tenth of a processor on looking at itself unless told not to.
dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"})

HAS_COMPILER = compiled.INSTALLED
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
        with Profile(builtins=False) as profile:
            function()
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
def cluster_client(session_client: Client, synchronous_scheduler: None) -> Iterator[Client]:
    """Return a client of two workers with one thread each, current while the test runs.

    The cluster starts once a session; only tests marked `cluster` may ask for it.
    """
    with session_client.as_current(), dask.config.set(scheduler="distributed"):
        yield session_client


PATHS = os.environ.get("AKDASK_TEST_PATHS", "general compiled").split()

# What is run as in a user's process: folders and modules that call kernels in processes of their own or choose the path
# themselves, and those of objects that other folders' tests run by both paths.
AS_INSTALLED = {"atomic", "cli", "evo", "extension", "lbann", "mutations", "storage", "testing"}
AS_INSTALLED |= {
    "test_benchmarks.py",
    "test_cheat_sheets.py",
    "test_docs.py",
    "test_notebooks.py",
    "test_readme.py",
    "test_import_export.py",
}
AS_INSTALLED |= {"test_chains.py", "test_compiled.py", "test_programs.py", "test_same_bits.py"}

# What asks how rows, labels, bins or plans are chosen, by hundreds of cases, whatever a kernel then does with them.
BY_THE_GENERAL_PATH = {"engine/test_rules.py"}
BY_THE_GENERAL_PATH |= {
    f"frames/{name}"
    for name in ("test_label_alignment.py", "test_resampling.py", "test_rows_by_label.py", "test_second_columns.py")
}

# Objects and files that users hold call kernels that the folders of operators and formats run by both paths.
BY_EITHER_PATH = {"arrays", "frames", "io", "plotting"}
BY_EITHER_PATH |= {"test_fixture_objects.py", "test_missing_operations.py", "test_pandas_programs.py"}

path_of_run = pytest.StashKey[str]()
has_both_paths = pytest.StashKey[bool]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test by the general path of every kernel, and by compiled loops for any few rows if it came to any.

    A test that never comes to where the path is chosen is one and the same by either path.
    """
    paths = _paths(item)
    if not paths:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for number, path in enumerate(paths):
        if number and (not item.stash.get(has_both_paths, False) or item.session.shouldfail or item.session.shouldstop):
            break
        item.stash[path_of_run] = path
        # Coverage that notes which test comes to a line is to note all that do.
        is_noted = item.config.getoption("cov_context", None) is not None
        is_needless = not is_noted and (number or item.get_closest_marker("hypothesis"))
        with _unmeasured() if is_needless else contextlib.nullcontext():
            runtestprotocol(item, nextitem=nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@contextlib.contextmanager
def _unmeasured() -> Iterator[None]:
    """Pause coverage: second paths and dozens of examples reach few more lines, for half as much work more."""
    measuring = None if (coverage := sys.modules.get("coverage")) is None else coverage.Coverage.current()
    if measuring is None:
        yield
        return
    measuring.stop()
    try:
        yield
    finally:
        measuring.start()


def _paths(item: pytest.Item) -> list[str]:
    if TESTS not in item.path.parents or item.get_closest_marker("cluster") is not None:
        return []
    path = item.path.relative_to(TESTS)
    if not AS_INSTALLED.isdisjoint({path.as_posix(), path.parent.as_posix(), *path.parts}):
        return []
    if "calls" in item.fixturenames:  # type: ignore[attr-defined]
        # What planning takes does not depend on what a kernel does.
        return []
    if path.as_posix() in BY_THE_GENERAL_PATH:
        return ["general"]
    if path.parts[0] in BY_EITHER_PATH:
        # The seed of the run decides which, so that all tests come by both in a few runs.
        return PATHS[crc32(f"{item.config.getoption('--hypothesis-seed')} {item.nodeid}".encode()) % len(PATHS) :][:1]
    return PATHS


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say by which path a test has failed."""
    report = yield
    if path_of_run in item.stash:
        report.sections.append(("path of the kernels", item.stash[path_of_run]))
    return report


@pytest.fixture(autouse=True)
def either_path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """Return which path the kernels take in this test, None if as in a user's process."""
    # What the run by the other path has counted would stand in for what this one counts.
    node.forget_lengths()
    path: str | None = request.node.stash.get(path_of_run, None)
    if path is not None:
        _take_path(monkeypatch, path == "compiled")
        _note_choices(monkeypatch, request.node)
    return path


def _note_choices(patch: pytest.MonkeyPatch, item: pytest.Item) -> None:
    """Note with the test that it came to where a kernel chooses its path."""
    is_loaded = compiled.is_loaded

    def noted() -> bool:
        item.stash[has_both_paths] = True
        return is_loaded()

    patch.setattr(compiled, "is_loaded", noted)


@pytest.fixture
def take_path(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Return what has the test go on by compiled loops for any few rows, or by the general path of every kernel."""
    return partial(_take_path, monkeypatch)


def _take_path(patch: pytest.MonkeyPatch, is_compiled: bool) -> None:
    """Have every kernel take the compiled loop for any few rows, or never."""
    if is_compiled and not HAS_COMPILER:
        pytest.skip("Numba is not installed; pip install 'akdask[fast]'")
    patch.setattr(compiled, "INSTALLED", is_compiled)
    patch.setattr(compiled, "WORTH_LOADING", 0 if is_compiled else sys.maxsize)
    patch.setattr(compiled._Process, "is_enabled", True)
    if is_compiled:
        compiled.load()
