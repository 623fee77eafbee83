"""What `akdask doctor` finds, on this machine and on worse ones."""

from __future__ import annotations

import json
import resource
from collections import namedtuple
from importlib.metadata import PackageNotFoundError, version

import dask
import pytest

from akdask.cli import doctor, main


@pytest.fixture
def found(capsys):
    """Return what calls the command, and gives its exit code and findings by name."""

    def found():
        code = main(["doctor", "--json"])
        return code, {finding["what"]: finding for finding in json.loads(capsys.readouterr().out)}

    return found


def test_a_machine_on_which_tests_run_is_well(found):
    code, findings = found()
    assert code == 0
    assert findings["numpy"]["found"] == version("numpy")
    assert {"akdask", "Python", "dask", "memory", "cgroup limit", "temporary folder", "file handles"} <= set(findings)
    assert "HDF5" in findings
    assert {finding["state"] for finding in findings.values()} <= {"ok", "note"}


def test_it_is_told_as_a_table_with_hints_below(capsys):
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["what", "state", "found"]
    assert any(line.startswith("h5py ") for line in lines)


def test_what_is_missing_or_old_is_told_with_the_way_to_get_it(found, monkeypatch):
    def installed(name):
        if name in {"xxhash", "matplotlib"}:
            raise PackageNotFoundError(name)
        return "1.26.4" if name == "numpy" else version(name)

    monkeypatch.setattr(doctor, "version", installed)
    code, findings = found()
    assert code == 1
    assert findings["numpy"] | {"hint": ""} == {
        "what": "numpy",
        "state": "wrong",
        "found": "1.26.4, older than 2.0.0",
        "hint": "",
    }
    assert findings["xxhash"]["hint"].startswith("pip install 'xxhash>=")
    assert findings["matplotlib"]["state"] == "note"
    assert findings["matplotlib"]["hint"].startswith("pip install 'akdask[plot]', for charts")


Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("free", "kind", "said"),
    [
        (10**11, "ext4", ""),
        (10**9, "ext4", "little can be spilled"),
        (10**11, "tmpfs", "takes memory"),
        (10**11, "nfs4", "over the network"),
    ],
)
def test_folders_that_spilling_suffers_from_are_told(free, kind, said, tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: Usage(2 * free, free, free))
    monkeypatch.setattr(doctor, "_file_system", lambda path: kind)
    finding = doctor._folder("temporary folder", tmp_path)
    assert finding.state == ("note" if said else "ok")
    assert said in finding.hint


def test_a_folder_that_nobody_may_write_to_is_wrong(found, tmp_path):
    with dask.config.set(temporary_directory=str(tmp_path / "none")):
        code, findings = found()
    assert code == 1
    assert findings["folder of Dask's workers"]["state"] == "wrong"


def test_few_file_handles_are_told(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1024, 4096))
    (finding,) = doctor._handles()
    assert (finding.state, finding.found) == ("note", "1,024, 4,096 if asked for")
    assert "ulimit -n" in finding.hint


@pytest.mark.parametrize(
    ("level", "cap", "state", "said"),
    [
        ("v3", None, "ok", "level v3 of v2, v3, compiled by GCC 12.2.0"),
        ("v3", "v3", "ok", "level v3 of v2, v3, compiled by GCC 12.2.0"),
        ("v2", "v2", "note", "level v2 of v2, v3, compiled by GCC 12.2.0, capped by AKDASK_CPU_LEVEL"),
        ("v2", None, "note", "level v2 of v2, v3, compiled by GCC 12.2.0, as this processor has no more"),
    ],
)
def test_the_level_of_loops_and_their_compiler_are_told(level, cap, state, said, monkeypatch):
    for name, value in {"LEVEL": level, "BUILT": ["v2", "v3"], "COMPILER": "GCC 12.2.0"}.items():
        monkeypatch.setattr(doctor.native, name, value)
    monkeypatch.setenv("AKDASK_CPU_LEVEL", cap or "")
    (finding,) = doctor._loops()
    assert (finding.state, finding.found) == (state, said)
