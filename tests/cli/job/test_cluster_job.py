"""Jobs on clusters: of this machine, of a scheduler that runs, and of a batch system that is only pretended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from akdask.cli import main

pytestmark = pytest.mark.cluster

GROUPS = """
import sys
from importlib.util import find_spec
import akdask as ak
row = ak.arange(1000) * 1
print(ak.GroupBy(row % 7).sum(row)[1].sum(), ak.get_config()["numLocales"])
if "fail" in sys.argv:
    row[[2000]].compute()
"""

# There is no guard for the main module, and a worker that is started again must not run this.
DYING = """
import os, sys
from distributed import get_client
import akdask as ak

print("begins", flush=True)
client, kept = get_client(), (ak.arange(100) + 1).persist()


def die(path):
    if not os.path.exists(path):
        open(path, "w").close()
        os._exit(1)
    return os.getpid()


assert client.submit(die, sys.argv[1]).result()
client.wait_for_workers(2)
print(kept.sum())
"""

# The task says when it runs: where Ctrl-C comes before the request has left this process, Dask tells a traceback.
WAITING = """
import time
from dask import delayed

@delayed
def wait():
    print("begins", flush=True)
    time.sleep(60)

wait().compute()
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Return what writes a script in the folder of the test."""
    monkeypatch.chdir(tmp_path)

    def script(text):
        Path("script.py").write_text(text)
        return "script.py"

    return script


def command(*arguments):
    return [sys.executable, "-m", "akdask", "run", *arguments, "--folder", "job"]


@pytest.fixture
def environment():
    return {
        **os.environ,
        "PYTHONPATH": ":".join(sys.path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


def facts():
    return json.loads(Path("job/job.json").read_text())


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["fail"], 1)])
def test_a_job_joins_a_scheduler_and_leaves_it(arguments, code, script, session_client, capsys):
    address = session_client.scheduler.address
    called = ["run", "--folder", "job", script(GROUPS), "--cluster", address, "--workers", "2", *arguments]
    assert main(called) == code
    assert capsys.readouterr().out == "499500 2\n"
    found = facts()
    assert found["workers"].startswith("2 of 1 thread")
    assert sum(step["tasks"] for step in found["steps"].values()) > 0
    assert sum(step["failed"] for step in found["steps"].values()) == code
    assert {"output.log", "scheduler.log"} <= set(found["files"])
    assert len([name for name in found["files"] if name.startswith("workers/")]) == 2
    assert session_client.status == "running"
    assert not [name for name in session_client.run_on_scheduler(plugins) if "figures" in name]


def plugins(dask_scheduler):
    return list(dask_scheduler.plugins)


def test_dask_draws_its_report_where_it_can(script, session_client):
    pytest.importorskip("bokeh")
    address = session_client.scheduler.address
    assert main(["run", "--folder", "job", script(GROUPS), "--cluster", address]) == 0
    assert "bokeh" in Path("job/dask-report.html").read_text().lower()
    assert facts()["notes"] == []


def test_without_bokeh_the_report_tells_how_to_get_dasks(script, session_client, monkeypatch):
    monkeypatch.setattr("akdask.cli.run.find_spec", lambda name: None)
    address = session_client.scheduler.address
    assert main(["run", "--folder", "job", script(GROUPS), "--cluster", address]) == 0
    assert facts()["notes"] == ["Dask's own report needs Bokeh: pip install 'akdask[jobs]'."]
    assert "akdask[jobs]" in Path("job/report.html").read_text()


@pytest.mark.slow
def test_a_worker_that_dies_is_started_again_and_does_not_run_the_script(script, environment, tmp_path):
    options = ["--cluster", "local", "--workers", "2", "--threads", "1", "--memory", "1GB"]
    ran = subprocess.run(
        command(script(DYING), str(tmp_path / "died"), *options),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "begins\n5050\n"), ran.stderr
    assert facts()["workers_gone"] == 1


@pytest.mark.slow
def test_ctrl_c_ends_job_and_cluster_with_a_report(script, environment):
    process = subprocess.Popen(
        command(script(WAITING), "--cluster", "local", "--workers", "1"),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout.readline() == "begins\n"
        # It reaches all processes of a terminal.
        os.killpg(process.pid, signal.SIGINT)
        # Which returns when no process has its end of the pipes any more: the workers have ended as well.
        told = process.communicate(timeout=60)[1]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert process.returncode == 130, told
    assert "Traceback" not in told
    assert facts()["exit_code"] == 130


SUBMIT = """#!/usr/bin/env bash
script=$(mktemp {folder}/XXXXXX)
cp "$1" "$script"
setsid bash "$script" > "$script.log" 2>&1 &
echo "Submitted batch job $!"
"""
CANCEL = '#!/usr/bin/env bash\nkill -- "-$1" 2> /dev/null || true\n'


@pytest.mark.slow
def test_workers_of_a_batch_system_are_started_and_cancelled(script, environment, tmp_path):
    if find_spec("dask_jobqueue") is None:
        pytest.skip("dask-jobqueue is not installed")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {"sbatch": SUBMIT.format(folder=tmp_path), "scancel": CANCEL}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    environment["PATH"] = f"{programs}:{environment['PATH']}"
    options = [
        "--cluster",
        "slurm",
        "--workers",
        "1:2",
        "--threads",
        "1",
        "--memory",
        "1GB",
        "--option",
        "interface=lo",
    ]
    ran = subprocess.run(
        command(script(GROUPS), *options), env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("499500 ")
    assert facts()["cluster"] == "slurm: 1 to 2 workers of 1 thread and 1.0 GB"
