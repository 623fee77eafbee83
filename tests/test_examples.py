"""The recipes of `examples/`: shells accept them, they ask batch systems for workers, and their job can go on."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import akdask as ak
from akdask.cli import main

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.sh"))


@pytest.fixture
def flows(tmp_path, monkeypatch):
    """Write flows to files in the folder of the test, which has the examples too; returns them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(EXAMPLES)
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"port": random.integers(0, 2000, 5000), "bytes": random.integers(0, 10**6, 5000)})
    ak.DataFrame(frame).to_hdf("flows.h5", num_locales=2)
    return frame


def expected(frame):
    known = frame[frame["port"] < 1024]
    large = known[known["bytes"] > known["bytes"].mean()]
    return large.groupby("port")["bytes"].sum().sort_values(ascending=False, kind="stable")


def results():
    return ak.DataFrame(ak.read_hdf("results/totals.h5")).to_pandas()


def assert_results(frame):
    assert results()["bytes"].tolist() == expected(frame).tolist()


def test_the_job_finds_what_pandas_finds_and_goes_on_after_what_is_there(flows, capsys):
    command = ["run", "--folder", "job", "examples/flows.py", "flows.h5", "results"]
    assert main(command) == 0
    assert "busy: begins\nbusy: is there\ntotals: begins\ntotals: is there\n" in capsys.readouterr().out
    assert_results(flows)
    for path in Path("results").glob("totals_LOCALE*"):
        path.unlink()
    assert main(command) == 0
    assert "busy: is there\ntotals: begins\n" in capsys.readouterr().out
    assert_results(flows)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_shells_accept_the_scripts(path):
    subprocess.run(["bash", "-n", path], check=True)
    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/usr/bin/env bash\n")


def called(path):
    """Return the arguments of the command akdask in a script, as its shell reads them."""
    text = path.read_text().replace("\\\n", " ")
    (command,) = re.findall(r"^(?:exec )?(?:mpirun )?akdask (run .*)$", text, re.MULTILINE)
    return shlex.split(re.sub(r'"\$\{\w+:-([^}]*)\}"', r"\1", command).replace('"$@"', "flows.h5 results"))


@pytest.mark.parametrize(
    ("name", "directives"),
    [
        ("slurm", ["#SBATCH -p short", "#SBATCH --cpus-per-task=4", "#SBATCH --mem=15G", "#SBATCH -t 02:00:00"]),
        ("pbs", ["#PBS -q short", "#PBS -l select=1:ncpus=4:mem=16gb", "#PBS -l walltime=02:00:00"]),
        ("lsf", ["#BSUB -q short", "#BSUB -n 4", "#BSUB -M 16000", "#BSUB -W 02:00"]),
    ],
)
def test_workers_are_asked_for_as_the_recipes_say(name, directives, monkeypatch, capsys):
    if find_spec("dask_jobqueue") is None:
        pytest.skip("dask-jobqueue is not installed")
    monkeypatch.chdir(EXAMPLES.parent)
    interrupts = signal.getsignal(signal.SIGINT)
    assert main([*called(EXAMPLES / f"{name}.sh"), "--option", "interface=lo", "--dry-run"]) == 0
    assert signal.getsignal(signal.SIGINT) is interrupts
    script = capsys.readouterr().out
    assert set(directives) <= set(script.splitlines())
    assert "--nthreads 4 " in script


@pytest.mark.parametrize("system", ["slurm", "pbs", "lsf"])
def test_settings_of_a_site_are_those_that_batch_systems_read(system):
    package = find_spec("dask_jobqueue")
    if package is None:
        pytest.skip("dask-jobqueue is not installed")
    import dask

    settings = yaml.safe_load((EXAMPLES / "jobqueue.yaml").read_text())
    known = yaml.safe_load(Path(package.origin).with_name("jobqueue.yaml").read_text())["jobqueue"][system]
    assert set(settings["jobqueue"][system]) <= set(known)
    for name, value in settings["distributed"]["worker"]["memory"].items():
        assert dask.config.get(f"distributed.worker.memory.{name}") is not None, (name, value)


def test_the_job_of_kubernetes_calls_the_command_as_it_is():
    documents = [*yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text())]
    assert [document["kind"] for document in documents] == ["ServiceAccount", "Role", "RoleBinding", "Job"]
    (container,) = documents[-1]["spec"]["template"]["spec"]["containers"]
    command = [*container["command"], *container["args"]]
    assert command[:2] == ["akdask", "run"]
    from akdask.cli import clusters

    assert command[command.index("--cluster") + 1] in clusters.CLUSTERS
    assert clusters.worker_range(command[command.index("--workers") + 1]) == (2, 8)


SRUN = '#!/usr/bin/env bash\nshift\nexec "$@"\n'


@pytest.mark.cluster
@pytest.mark.slow
def test_a_scheduler_and_workers_of_one_job_find_each_other(flows, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "srun").write_text(SRUN)
    (programs / "srun").chmod(0o755)
    python = Path(sys.executable).parent
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path), "PATH": f"{programs}:{python}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", "examples/srun.sh", "flows.h5", "results"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert_results(flows)
    assert json.loads(Path("job-0/job.json").read_text())["exit_code"] == 0
