"""Scripts as jobs on threads of this process: exit codes, what is told, what is left."""

from __future__ import annotations

import json
import os
import signal
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from akdask.cli import main, report
from akdask.cli.run import run_script

SUM = "import sys\nimport akdask as ak\nprint(sys.argv[1:], __name__, ak.arange(1000).sum())\n"


@pytest.fixture
def job(tmp_path, monkeypatch):
    """Return what runs a script with options, which stand behind it, and gives the exit code."""
    monkeypatch.chdir(tmp_path)

    def job(text, *arguments):
        Path("script.py").write_text(text)
        return main(["run", "--folder", "job", "script.py", *arguments])

    return job


def facts():
    return json.loads(Path("job/job.json").read_text())


def test_a_script_has_its_arguments_and_leaves_a_report(job, capsys):
    assert job(SUM, "a", "--cluster", "threads", "--level=3", "--threads", "1", "-h", "--", "--workers", "9") == 0
    said = "['a', '--level=3', '-h', '--workers', '9'] __main__ 499500\n"
    found = capsys.readouterr()
    assert found.out == said
    assert Path("job/output.log").read_text() == said
    assert found.err.startswith("akdask: done after ")
    assert found.err.endswith("report: job/report.html\n")
    assert facts()["exit_code"] == 0
    assert facts()["cluster"] == "1 thread"
    assert sum(step["tasks"] for step in facts()["steps"].values()) > 0
    assert sorted(os.listdir("job")) == ["job.json", "output.log", "report.html"]


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("import sys; sys.exit(7)", 7, ""),
        ("import sys; sys.exit(259)", 3, ""),
        ("import sys; sys.exit()", 0, ""),
        ("raise SystemExit('no luck')", 1, "no luck\n"),
        ("1 / 0", 1, 'Traceback (most recent call last):\n  File "script.py", line 1, in <module>'),
        ("raise KeyboardInterrupt", 130, "akdask: interrupted\n"),
        ("x = (", 1, "SyntaxError"),
    ],
)
def test_the_exit_code_is_that_of_the_script(text, code, said, job, capsys):
    assert job(text) == code
    found = capsys.readouterr().err
    assert said in found
    assert facts()["exit_code"] == code
    assert "runpy" not in found
    assert "akdask/cli" not in found


def test_an_error_of_akdask_is_told_with_its_place_in_the_script(job, capsys):
    text = "import akdask as ak\n\n\ndef total(df):\n    return df['y'].sum()\n\n\ntotal(ak.DataFrame({'x': [1]}))\n"
    assert job(text) == 1
    told = capsys.readouterr().err
    place = "akdask: script.py, line 5, in total:\n    return df['y'].sum()\n"
    assert told.startswith(
        f"{place}MissingColumnError: the DataFrame has no column 'y'.\n  columns: x\nakdask: exit code"
    )
    assert "Traceback" not in told
    assert "Traceback" in Path("job/traceback.log").read_text()
    assert "no column" in Path("job/output.log").read_text()


def test_an_error_in_a_module_beside_the_script_is_told_there(job, capsys, tmp_path):
    (tmp_path / "beside.py").write_text("import akdask as ak\nak.read_hdf('nothing.h5')\n")
    assert job("import beside\n") == 1
    assert f"akdask: {tmp_path / 'beside.py'}, line 2:\n    ak.read_hdf('nothing.h5')\n" in capsys.readouterr().err
    sys.modules.pop("beside", None)


def test_sigterm_ends_a_job_with_a_report(job, capsys):
    before = signal.getsignal(signal.SIGTERM)
    assert job("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nprint('never')") == 143
    assert "akdask: terminated" in capsys.readouterr().err
    assert facts()["exit_code"] == 143
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_process_is_as_before(job):
    main_module, argv, path = sys.modules["__main__"], [*sys.argv], [*sys.path]
    streams = sys.stdout, sys.stderr
    assert job("x = 3") == 0
    assert (sys.modules["__main__"], sys.argv, sys.path) == (main_module, argv, path)
    assert (sys.stdout, sys.stderr) == streams


def test_functions_of_the_script_reach_tasks(job):
    text = "import dask\nimport akdask as ak\ndef f(x): return x + 1\nassert dask.delayed(f)(1).compute() == 2\n"
    assert job(text) == 0


def test_import_arkouda_means_akdask_where_that_is_asked_for(job, monkeypatch):
    called = []
    monkeypatch.setattr("akdask.install_as_arkouda", lambda: called.append(1), raising=False)
    assert job("pass", "--arkouda") == 0
    assert called == [1]


def test_without_a_report_nothing_is_left(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text("raise SystemExit(5)")
    assert main(["run", "--no-report", "script.py"]) == 5
    assert os.listdir() == ["script.py"]
    assert capsys.readouterr().err == ""


def test_folders_have_new_names_unless_one_is_chosen(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text("pass")
    assert [main(["run", "script.py"]) for _ in range(2)] == [0, 0]
    found = [name for name in os.listdir() if name.startswith("script.run-")]
    assert len(found) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "none.py"], "there is no script 'none.py'"),
        (["run", "script.py", "--cluster", "slurmm"], "there is no cluster 'slurmm'"),
        (["run", "script.py", "--cluster", "threads", "--workers", "3"], "does not take --workers"),
        (["run", "script.py", "--cluster", "tcp://x:1", "--memory", "1GB"], "does not take --memory"),
        (["run", "script.py", "--cluster", "tcp://x:1", "--workers", "1:3"], "does not take --workers MIN:MAX"),
        (["run", "script.py", "--cluster", "local", "--option", "x"], "--option takes NAME=VALUE"),
        (["run", "script.py", "--cluster", "tcp://127.0.0.1:9", "--folder", "f"], "no Dask scheduler answers"),
        (["run", "script.py", "--folder", "/proc/no"], "cannot write to the folder"),
    ],
)
def test_what_cannot_begin_is_told_and_gives_code_2(arguments, said, tmp_path, monkeypatch, capsys):
    import dask

    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text("raise AssertionError")
    with dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}):
        assert main(arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [["--workers", "0"], ["--workers", "5:2"], ["--memory", "much"], ["--threads", "-1"]]
)
def test_numbers_that_make_no_sense_give_usage(option, tmp_path, capsys):
    (tmp_path / "script.py").write_text("")
    with pytest.raises(SystemExit, match="2"):
        main(["run", str(tmp_path / "script.py"), *option])
    assert "usage: akdask run" in capsys.readouterr().err


class Tags(HTMLParser):
    """Counts tags, and demands that each is closed in its turn."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_is_a_page_that_runs_nothing(job):
    assert job(SUM, "<script>alert(1)</script>") == 0
    page = Path("job/report.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "script" not in tags.seen
    assert {"table", "svg", "h1"} <= set(tags.seen)
    assert "&lt;script&gt;" in page


def test_a_tee_is_the_stream_otherwise(tmp_path):
    with (tmp_path / "copy").open("w") as copy:
        tee = report.Tee(sys.__stderr__, copy)
        assert tee.fileno() == sys.__stderr__.fileno()
        tee.writelines(["\r50 %", "\r     \r"])
    assert (tmp_path / "copy").read_text() == ""


def test_a_script_without_a_place_of_its_own_still_tells_the_error(tmp_path):
    path = tmp_path / "script.py"
    path.write_text("import akdask.errors as e\nexec('raise e.ArgumentError(\"x\")', {'e': e})")
    found = run_script(path, [])
    assert found.code == 1
    assert found.message.endswith("ArgumentError: x")
