"""The memory of this process, by what the system shows in files of both kinds of cgroups."""

from __future__ import annotations

import mmap
import os
import resource
import subprocess
import sys

import pytest

from akdask import cluster, config

PHYSICAL = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Return what writes the line that names the group of this process, and the limits of groups."""
    monkeypatch.setattr(cluster, "MEMBERSHIP", tmp_path / "cgroup")
    monkeypatch.setattr(cluster, "HIERARCHIES", tmp_path / "sys")
    cluster._machine_memory.cache_clear()

    def write(line, limits):
        (tmp_path / "cgroup").write_text(line)
        for name, limit in limits.items():
            path = tmp_path / "sys" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{limit}\n")

    yield write
    cluster._machine_memory.cache_clear()


@pytest.mark.parametrize(
    ("line", "limits", "expected"),
    [
        ("0::/job/step\n", {"job/step/memory.max": 2**20}, 2**20),
        ("0::/job/step\n", {"job/step/memory.max": "max", "job/memory.max": 2**21}, 2**21),
        ("0::/job/step\n", {"job/step/memory.max": 2**22, "job/step/memory.high": 2**20}, 2**20),
        ("0::/of/the/host\n", {"memory.max": 2**20}, 2**20),
        ("0::/\n", {"memory.max": "max"}, PHYSICAL),
        ("5:cpu:/x\n4:memory:/job\n0::/\n", {"memory/job/memory.limit_in_bytes": 2**20}, 2**20),
        ("4:cpu,memory:/of/the/host\n", {"memory/memory.limit_in_bytes": 2**20}, 2**20),
        ("4:memory:/job\n", {"memory/job/memory.limit_in_bytes": 2**63 - 4096}, PHYSICAL),
        ("4:memory:/job\n", {"memory/job/memory.limit_in_bytes": 0}, PHYSICAL),
    ],
)
def test_the_least_limit_of_all_groups_holds(system, line, limits, expected):
    system(line, limits)
    assert cluster.process_memory() == expected


def test_the_setting_goes_before_what_is_found(system):
    system("0::/\n", {"memory.max": 2**30})
    with config.set(memory_limit="3 GiB"):
        assert cluster.process_memory() == 3 * 2**30
    assert cluster.process_memory() == 2**30


def test_without_groups_the_machine_has_what_it_has(system):
    assert cluster.process_memory() == PHYSICAL


@pytest.mark.slow
def test_a_ulimit_holds():
    code = "from akdask import cluster; print(cluster.process_memory())"
    shell = f"ulimit -v 6000000; exec {sys.executable} -c '{code}'"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert int(ran.stdout) == 6_000_000 * 1024


@pytest.mark.parametrize("kind", cluster.COUNTED)
def test_what_is_reserved_is_in_use_where_a_ulimit_counts_it(kind, monkeypatch):
    before = cluster.memory_in_use()
    getrlimit = resource.getrlimit
    reserved = mmap.mmap(-1, 2**31, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    assert cluster.memory_in_use() < before + 2**30
    monkeypatch.setattr(resource, "getrlimit", lambda asked: (2**40, 2**40) if asked == kind else getrlimit(asked))
    assert cluster.memory_in_use() > 2**31
    reserved.close()
