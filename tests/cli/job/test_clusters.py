"""What is asked of batch systems, Kubernetes, gateways and MPI, as far as a machine without any can tell."""

from __future__ import annotations

import gc
import re
import sys
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import pytest
import yaml

from akdask.cli import clusters, main
from akdask.cli.clusters import Request, options_of
from akdask.errors import ArgumentError


def needs_jobqueue():
    # To import it here would leave its handler of Ctrl-C with the test.
    if find_spec("dask_jobqueue") is None:
        pytest.skip("dask-jobqueue is not installed")


@pytest.fixture
def dry_run(tmp_path, capsys):
    """Return what tells what would be started for a job."""
    (tmp_path / "script.py").write_text("raise AssertionError")

    def dry_run(*arguments):
        assert main(["run", str(tmp_path / "script.py"), *arguments, "--dry-run"]) == 0
        return capsys.readouterr().out

    return dry_run


DIRECTIVES = {
    "slurm": ["#SBATCH -p short", "#SBATCH --cpus-per-task=4", "#SBATCH --mem=15G", "#SBATCH -t 12:00:00"],
    "pbs": ["#PBS -q short", "#PBS -l select=1:ncpus=4:mem=15GB", "#PBS -l walltime=12:00:00"],
    "lsf": ["#BSUB -q short", "#BSUB -n 4", "#BSUB -M 16000000", "#BSUB -W 12:00:00"],
}


@pytest.mark.parametrize("system", DIRECTIVES)
def test_job_scripts_ask_for_one_worker_of_the_size_that_was_asked_for(system, dry_run):
    needs_jobqueue()
    options = ("--option", "queue=short", "--option", "walltime=12:00:00", "--option", "interface=lo")
    script = dry_run("--cluster", system, "--workers", "2:8", "--threads", "4", "--memory", "16GB", *options)
    lines = script.splitlines()
    assert set(DIRECTIVES[system]) <= set(lines)
    (command,) = [line for line in lines if "distributed.cli.dask_worker" in line]
    assert command.startswith(f"{sys.executable} -m ")
    assert re.search(r"--nthreads 4 --memory-limit 14\.\d+GiB --nanny", command)
    assert "--nworkers" not in command


def test_lists_of_directives_are_handed_on(dry_run):
    needs_jobqueue()
    wanted = "job_extra_directives=['--constraint=avx2', --exclusive]"
    script = dry_run("--cluster", "slurm", "--threads", "1", "--memory", "1GB", "--option", wanted)
    assert {"#SBATCH --constraint=avx2", "#SBATCH --exclusive"} <= set(script.splitlines())


# What is refused while it is made cannot be closed, which Dask says when it is dropped.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--cluster", "slurm"), "a cluster of slurm cannot be started"),
        (("--cluster", "slurm", "--threads", "1", "--option", "cores=3"), "--option cores says what another"),
        (("--cluster", "slurm", "--threads", "1", "--memory", "1GB", "--option", "colour=red"), "cannot be started"),
    ],
)
def test_what_a_batch_system_is_not_told_is_an_error(arguments, said, tmp_path, capsys):
    needs_jobqueue()
    (tmp_path / "script.py").write_text("")
    assert main(["run", str(tmp_path / "script.py"), *arguments, "--dry-run"]) == 2
    assert said in capsys.readouterr().err
    gc.collect()


@pytest.mark.parametrize("where", ["k8s", "gateway", "slurm", "mpi"])
def test_packages_that_are_missing_are_named(where, monkeypatch):
    for module in ("dask_kubernetes.operator", "dask_gateway", "dask_jobqueue", "dask_mpi"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ArgumentError, match=r"is not installed.*\n.*\nHint: pip install"):
        clusters._started(Request(where, memory=10**9))


@pytest.fixture
def given(monkeypatch):
    """Have packages that are not here note what they are given; returns the notes."""
    noted: dict[str, dict] = {}

    def note(name, result=None):
        return lambda **arguments: noted.update({name: arguments}) or result

    modules = {
        "dask_kubernetes.operator": {
            "make_cluster_spec": note("specification", {"kind": "DaskCluster", "spec": {"worker": {}}}),
            "KubeCluster": note("cluster"),
        },
        "dask_gateway": {"Gateway": lambda: SimpleNamespace(new_cluster=note("cluster"))},
        "dask_mpi": {"initialize": note("mpi")},
    }
    for name, members in modules.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    return noted


def test_kubernetes_is_told_the_size_of_workers(given, dry_run):
    options = ("--option", "image=here/akdask:1", "--option", "env={AKDASK: x}")
    printed = dry_run("--cluster", "k8s", "--workers", "2:8", "--threads", "4", "--memory", "16GB", *options)
    assert yaml.safe_load(printed) == {"kind": "DaskCluster", "spec": {"worker": {}}}
    size = {"memory": "16000000000", "cpu": "4"}
    assert given["specification"] == {
        "name": "akdask",
        "n_workers": 2,
        "resources": {"requests": size, "limits": size},
        "image": "here/akdask:1",
        "env": {"AKDASK": "x"},
    }
    clusters._started(Request("k8s"))
    assert given["cluster"] == {"custom_cluster_spec": {"kind": "DaskCluster", "spec": {"worker": {}}}}


def test_gateways_and_mpi_are_told_the_size_of_workers(given):
    clusters._started(Request("gateway", memory=2**31, threads=3, options={"image": "x"}))
    assert given["cluster"] == {"worker_memory": 2.0, "worker_cores": 3, "image": "x", "shutdown_on_close": True}
    clusters._started(Request("mpi", memory=10**9, options={"nthreads": 4}))
    assert given["mpi"] == {"dashboard": False, "memory_limit": 10**9, "nthreads": 4}


def test_workers_are_asked_for_once_or_as_there_is_work():
    asked = []
    cluster = SimpleNamespace(adapt=lambda **n: asked.append(n), scale=asked.append)
    clusters._scale(cluster, Request("slurm", workers=(2, 8)))
    clusters._scale(cluster, Request("slurm", workers=(8, 8)))
    clusters._scale(cluster, Request("local", workers=(8, 8)))
    clusters._scale(cluster, Request("slurm"))
    assert asked == [{"minimum": 2, "maximum": 8}, 8]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12:00:00", "12:00:00"),
        ("1:30", "1:30"),
        ("007", 7),
        ("1.5", 1.5),
        ("1e5", "1e5"),
        ("true", True),
        ("null", None),
        ("no", "no"),
        ("[a, 3]", ["a", 3]),
        ("{a: {b: false}}", {"a": {"b": False}}),
        ("select=1:ncpus=4", "select=1:ncpus=4"),
        ("", ""),
    ],
)
def test_values_of_options_are_what_they_look_like(text, value):
    assert options_of([f"x={text}"]) == {"x": value}


@pytest.mark.parametrize("text", ["x", "=3", "a b=3", "x=[1"])
def test_options_that_make_no_sense_are_refused(text):
    with pytest.raises(ArgumentError, match="--option"):
        options_of([text])
