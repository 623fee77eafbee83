from __future__ import annotations

import contextlib
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import dask
import pytest

from akdask.kernels import compiled

if TYPE_CHECKING:
    from distributed import Client

HAS_COMPILER = compiled.INSTALLED
SHARED_FIXTURES = Path(__file__).parents[2] / "shared" / "fixtures"


@pytest.fixture(scope="session")
def shared_fixtures() -> Path:
    """Return the folder of files from real Arkouda servers."""
    if not SHARED_FIXTURES.is_dir():
        pytest.skip(f"no folder {SHARED_FIXTURES} beside the repository")
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


@pytest.fixture(autouse=True)
def one_path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run half of the tests by the general path of every kernel, half by compiled loops for any few rows.

    Which, is told by the test's name, so that it is the same every time, and most kernels meet both.
    """
    if "either_path" not in request.fixturenames:
        _take_path(monkeypatch, bool(zlib.crc32(request.node.nodeid.encode()) % 2))


@pytest.fixture(scope="module", params=["general", "compiled"])
def either_path(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the tests of a module by the general path of every kernel, and again by compiled loops for any few rows."""
    if request.param == "compiled":
        pytest.importorskip("numba", reason="Numba is not installed; pip install 'akdask[fast]'")
    with pytest.MonkeyPatch.context() as patch:
        _take_path(patch, request.param == "compiled")
        yield request.param


@pytest.fixture
def take_path(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Return what has the test go on by compiled loops for any few rows, or by the general path of every kernel."""

    def take(is_compiled: bool) -> None:
        if is_compiled:
            pytest.importorskip("numba", reason="Numba is not installed; pip install 'akdask[fast]'")
        _take_path(monkeypatch, is_compiled)

    return take


def _take_path(patch: pytest.MonkeyPatch, is_compiled: bool) -> None:
    """Have every kernel take the compiled loop for any few rows, or never."""
    patch.setattr(compiled, "INSTALLED", HAS_COMPILER and is_compiled)
    patch.setattr(compiled, "WORTH_LOADING", 0 if is_compiled else sys.maxsize)
    if is_compiled:
        compiled.load()
