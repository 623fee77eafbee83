from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import dask
import pytest

from akdask.kernels import compiled
from akdask.plan.expr import lengths

if TYPE_CHECKING:
    from distributed import Client

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


# On the oldest dependencies one path is enough.
PATHS = os.environ.get("AKDASK_TEST_PATHS", "general compiled").split()

# What is not run by both paths: folders and modules that reach no compiled loop, or only in processes of their own, and
# those that choose the path themselves.
RUN_ONCE = {"atomic", "cli", "columns", "mutations", "storage", "testing"}
RUN_ONCE |= {"test_assertions.py", "test_benchmarks.py", "test_docs.py", "test_notebooks.py", "test_package.py"}
RUN_ONCE |= {"test_readme.py", "test_typing.py", "test_vocabulary.py"}
RUN_ONCE |= {
    "test_cluster_memory.py",
    "test_fork.py",
    "test_machine.py",
    "test_pandas_hdf.py",
    "test_targets.py",
    "test_web.py",
}
# What files hold is found without any loop; how their strings are decoded is tested by both paths in hdf5/encoding.
RUN_ONCE |= {f"hdf5/test_{name}.py" for name in ("damaged", "hostile_manifest", "lost", "odd_links", "pandas_file")}
RUN_ONCE |= {f"hdf5/test_{name}.py" for name in ("validate", "validate_facts", "validate_fixtures", "wide_sets")}
RUN_ONCE |= {"hdf5/metadata", "hdf5/schema", "hdf5/sets/test_manifest.py"}
RUN_ONCE |= {"test_chains.py", "test_compiled.py", "kernels/compiled/keys/test_strings.py", "test_same_bits.py"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Have each test run by the general path of every kernel, and again by compiled loops for any few rows."""
    is_cluster = metafunc.definition.get_closest_marker("cluster") is not None
    path = metafunc.definition.path.relative_to(TESTS)
    if not is_cluster and RUN_ONCE.isdisjoint({path.as_posix(), path.parent.as_posix(), *path.parts}):
        metafunc.parametrize("either_path", PATHS, indirect=True)


@pytest.fixture(autouse=True)
def either_path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """Return which path the kernels take in this test, None if as in a user's process."""
    # What the run by the other path has counted would stand in for what this one counts.
    monkeypatch.setattr(lengths, "_known", OrderedDict())
    path: str | None = getattr(request, "param", None)
    if path is not None:
        _take_path(monkeypatch, path == "compiled")
    return path


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
