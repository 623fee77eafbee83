import subprocess
import sys

import h5py
import numpy as np
import pytest

from akdask.cli import demo as chart
from akdask.cli import demo as flows
from akdask.cli import demo as steps
from akdask.cli import main

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def demo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*options):
        return main(["demo", "--folder", str(tmp_path / "out"), *options])

    return run


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 3, 2000])
def test_demo_runs_with_any_number_of_records(demo, rows, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert demo("--rows", str(rows)) == 0
    printed = capsys.readouterr().out
    assert "answers are equal to NumPy's" in printed
    assert str(tmp_path / "out") in printed
    assert (tmp_path / "out" / "traffic.png").read_bytes().startswith(PNG)


def test_demo_writes_the_records_to_four_files_in_arkouda_layout(demo, tmp_path):
    assert demo("--rows", "500") == 0
    files = sorted((tmp_path / "out").glob("flows_LOCALE*.h5"))
    assert [file.name for file in files] == [f"flows_LOCALE000{k}.h5" for k in range(4)]
    ports = []
    for path in files:
        with h5py.File(path) as file:
            assert file["src"].attrs["ObjType"] == 2
            assert file["country"].attrs["ObjType"] == 4
            assert file["blocked"].dtype == np.uint8
            ports += file["dst_port"][:].tolist()
    assert ports == flows.make_flows(500).column("dst_port").tolist()


@pytest.mark.slow
def test_demo_may_run_again_in_the_same_folder(demo, tmp_path):
    assert demo("--rows", "400") == 0
    assert demo("--rows", "40") == 0
    with h5py.File(tmp_path / "out" / "flows_LOCALE0001.h5") as file:
        assert len(file["start"]) < 40


@pytest.mark.slow
def test_a_wrong_answer_is_told_and_gives_code_1(demo, monkeypatch, capsys):
    monkeypatch.setattr(steps, "_web_bytes", lambda pattern: -1)
    assert demo("--rows", "300") == 1
    printed = capsys.readouterr().out
    assert "WRONG web bytes, akdask: -1 != " in printed
    assert "1 of 25 answers are WRONG: web bytes, akdask." in printed


@pytest.mark.slow
def test_without_matplotlib_the_demo_tells_how_to_get_it(demo, monkeypatch, capsys):
    monkeypatch.setattr(chart, "find_spec", lambda name: None)
    assert demo("--rows", "300") == 0
    assert "pip install 'akdask[plot]'" in capsys.readouterr().out


def test_demo_opens_files_of_arkouda_servers(demo, shared_fixtures, capsys):
    path = shared_fixtures / "arkouda" / "hdf5" / "array_v1_LOCALE0000.hdf5"
    assert demo("--rows", "10", "--fixture", str(path)) == 0
    assert f"array = array([{' '.join(map(str, range(50)))}])" in capsys.readouterr().out


@pytest.mark.parametrize("rows", ["0", "-5", "many", "1.5", ""])
def test_numbers_of_records_that_make_no_sense_give_code_2(demo, rows, capsys):
    with pytest.raises(SystemExit) as exit_:
        demo(f"--rows={rows}")
    assert exit_.value.code == 2
    assert "argument --rows" in capsys.readouterr().err


def test_more_records_than_disk_and_memory_hold_give_code_2(demo, capsys):
    assert demo("--rows", str(10**15)) == 2
    message = capsys.readouterr().err
    assert "on the disk of" in message
    assert "in memory: 350,000.0 TB needed" in message


def test_a_folder_that_cannot_be_written_to_gives_code_2(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert main(["demo", "--folder", str(tmp_path / "file" / "out")]) == 2
    message = capsys.readouterr().err
    assert "cannot write to the folder" in message
    assert "--folder" in message
    assert "Traceback" not in message


def test_a_missing_fixture_gives_code_2(demo, tmp_path, capsys):
    assert demo("--fixture", str(tmp_path / "none.h5")) == 2
    assert "there is no file" in capsys.readouterr().err


@pytest.mark.slow
def test_a_reader_that_goes_away_gives_no_traceback(tmp_path):
    code = f"import sys; from akdask.cli import main; sys.exit(main(['demo', '--rows=9', '--folder={tmp_path}']))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_records_are_the_same_each_time_and_in_order_of_time():
    first, second = flows.make_flows(1000), flows.make_flows(1000)
    for name in first.names:
        np.testing.assert_array_equal(first.column(name), second.column(name))
    assert (np.diff(first.column("start")) >= 0).all()


def test_records_have_every_type_that_columns_have():
    made = flows.make_flows(5000)
    types = {name: np.asarray(made.partitions[0][name]).dtype.kind for name in made.names}
    assert set(types.values()) == {"i", "u", "f", "b", "O"}
    assert len(set(made.column("protocol"))) == 3
    assert len(set(made.column("host"))) > 50
    nbytes = np.sort(made.column("bytes").astype(float))
    assert nbytes[-len(nbytes) // 10 :].sum() > nbytes.sum() / 2
