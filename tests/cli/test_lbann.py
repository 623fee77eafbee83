"""The commands of akdask lbann."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import h5py
import pytest

from akdask.cli import main
from akdask.lbann import read_list
from tests.lbann.sample_sets import make_samples


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_samples(tmp_path, files=2, per_file=10)
    return tmp_path


class PicklingPool(ThreadPoolExecutor):
    """Stands in for processes, which take seconds to start."""

    def __init__(self, mp_context):
        super().__init__(2)

    def map(self, function, *arguments, **options):
        return super().map(pickle.loads(pickle.dumps(function)), *arguments, **options)


def told(capsys, *argv):
    code = main(["lbann", *argv])
    return code, capsys.readouterr().out


def test_verify_tells_faults_and_the_exit_code(folder, capsys):
    schemas = ("--data-schema", "data.yaml")
    code, text = told(capsys, "verify", "train.samples", *schemas)
    assert (code, text.strip()) == (0, "20 samples in 2 files: all is well")
    with h5py.File("a_1.h5", "a") as file:
        del file["RUN/000000012/in/energy"]
    code, text = told(capsys, "verify", "train.samples", *schemas, "--resume", "notes")
    assert code == 1
    assert text.startswith("20 samples in 2 files: 1 fault (field)\n")
    assert "in/energy" in text
    code, text = told(capsys, "verify", "train.samples", *schemas, "--resume", "notes", "--json")
    report = json.loads(text)
    assert (code, report["known_from_before"], report["faults"][0]["sample"]) == (1, 2, "RUN/000000012")


def test_lists_are_made_of_patterns(folder, capsys):
    code, text = told(capsys, "list", "a_*.h5", "--exclude", "RUN/000000003", "--exclusion", "ex")
    assert code == 0
    assert text.splitlines()[:3] == ["CONDUIT_HDF5_INCLUSION", "19 1 2", "."]
    told(capsys, "list", "a_*.h5", "--sample", "RUN/000000000", "--exclude", "RUN/000000003", "-o", "in")
    assert read_list("in").to_text().decode() == text == read_list("ex").to_text().decode()


def test_lists_of_many_files_are_made_by_processes(folder, capsys, monkeypatch):
    alone = told(capsys, "list", "a_*.h5", "--sample", "RUN/000000000")
    monkeypatch.setattr("akdask.cli.lbann._MANY_FILES", 2)
    monkeypatch.setattr("akdask.cli.lbann.ProcessPoolExecutor", PicklingPool)
    assert told(capsys, "list", "a_*.h5", "--sample", "RUN/000000000") == alone
    (folder / "a_2.h5").write_bytes(b"no HDF5")
    assert main(["lbann", "list", "a_*.h5", "--sample", "RUN/000000000"]) == 2
    assert "a_2.h5" in capsys.readouterr().err


def test_a_schema_is_made_of_a_sample(folder, capsys):
    code, text = told(capsys, "schema", "a_0.h5", "--sample", "RUN/000000001")
    assert code == 0
    assert "image:" in text
    assert told(capsys, "schema", "a_0.h5", "--experiment", "-o", "e.yaml") == (0, "")
    assert (folder / "e.yaml").read_text()


def test_a_sample_is_shown(folder, capsys):
    for sample, file in (("RUN/000000011", "train.samples"), ("11", "train.samples"), ("RUN/000000011", "a_1.h5")):
        code, text = told(capsys, "show", sample, file, "--data-schema", "data.yaml", "--explain")
        assert code == 0
        assert text.startswith("RUN/000000011 of ")
        assert "1 x 2 x 3" in text
        # More values than are shown are said to be there, and no others.
        cut = {line.split()[0]: line.endswith("…") for line in text.splitlines() if "float" in line}
        assert (cut["image"], cut["responses"], cut["in/count"]) == (True, False, False)
    values = json.loads(told(capsys, "show", "11", "train.samples", "--json")[1])["values"]
    assert values["in/count"]["values"] == [11]


def test_a_list_is_split_as_upstream_splits_it(folder, capsys):
    code, _ = told(capsys, "split", "train.samples", "--validation", ".1", "--tournament", ".16", "--seed", "1")
    assert code == 0
    parts = [read_list(f"train_{part}.samples") for part in ("train", "validation", "tournament")]
    assert [len(part) for part in parts] == [15, 2, 3]
    assert len({part[index] for part in parts for index in range(len(part))}) == 20


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["verify", "nothing"], "no sample list"),
        (["verify", "train.samples", "--experiment-schema", "x"], "needs a data schema"),
        (["verify", "train.samples", "--resume", "none/notes"], "cannot write 'none/notes'"),
        (["verify", "train.samples", "--resume", "."], "cannot write '.'"),
        (["list", "no*.h5"], "no file"),
        (["schema", "nothing.h5"], "no such file"),
        (["schema", "data.yaml"], "cannot"),
        (["show", "no", "train.samples"], "samples: RUN/"),
        (["show", "no", "a_0.h5"], "no such sample"),
        (["show", "1", "nothing"], "no file"),
        (["split", "train.samples", "--validation", "2"], "between 0 and 1"),
        (["split", "a_0.h5"], "names no type"),
    ],
)
def test_what_cannot_be_done_is_told(folder, capsys, argv, message):
    assert main(["lbann", *argv]) == 2
    error = capsys.readouterr().err
    assert error.splitlines()[-1 if "prototype" in error else 0].startswith("akdask: ") or "akdask: " in error
    assert message in error


def test_commands_within_commands_are_completed(capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert "lbann_verify" in script.replace("-", "_")
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("command", ["list", "schema"])
def test_files_of_another_kind_are_no_hdf5(folder, capsys, command):
    (folder / "notes.h5").write_text("hello")
    assert main(["lbann", command, "notes.h5"]) == 2
    assert "no HDF5 file" in capsys.readouterr().err


def test_warnings_have_no_lines_of_python(folder):
    (folder / "schema.yaml").write_text("x: {metadata: {pack: s}}\n")
    (folder / "some.samples").write_text("CONDUIT_HDF5_INCLUSION\n1 0 0\n.\n")
    found = subprocess.run(
        [sys.executable, "-m", "akdask", "lbann", "split", "some.samples"], capture_output=True, text=True, check=False
    )
    assert "Warning:" not in found.stderr
    assert "main()" not in found.stderr
    assert "akdask: warning: totals on line 2" in found.stderr
