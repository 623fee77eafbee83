"""The commands on files: ls, info, head, validate, convert, repack.  Files are made and read with raw h5py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import h5py
import numpy as np
import pandas as pd
import pytest
import zarr

import akdask as ak
from akdask.cli import main, validate
from akdask.formats.hdf5.validate import Severity, Violation

COMMANDS = ["ls", "info", "head", "validate", "repack"]


def write_share(path, numbers, texts, extra=()):
    encoded = [text.encode() + b"\0" for text in texts]
    with h5py.File(path, "w", libver="earliest") as file:
        file["number"] = np.array(numbers, np.int64)
        file["text/values"] = np.frombuffer(b"".join(encoded), np.uint8)
        file["text/segments"] = np.cumsum([0, *map(len, encoded)])[:-1]
        for name, values in extra:
            file[name] = values


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a set of three files, a single file, and a set of a longer prefix."""
    monkeypatch.chdir(tmp_path)
    write_share("x_LOCALE0000.h5", [1, 2], ["a", "βeta"])
    write_share("x_LOCALE0001.h5", [], [])
    write_share("x_LOCALE0002.h5", [3], ["c"], [("short", np.array([np.nan]))])
    for name in ("x_LOCALE0000.h5", "x_LOCALE0001.h5"):
        with h5py.File(name, "r+") as file:
            file["short"] = np.array([], float)
    write_share("one.h5", [4, 5], ["d", "e"])
    write_share("xy_LOCALE0000.h5", [9], ["z"])
    return tmp_path


def told(capsys, *argv):
    """Run a command, and return its code, and what it prints as lines or as JSON."""
    code = main(list(argv))
    printed = capsys.readouterr().out
    return code, json.loads(printed) if "--json" in argv else printed.splitlines()


def values(*paths, name="number"):
    found = []
    for path in paths:
        with h5py.File(path) as file:
            found += file[name][:].tolist()
    return found


@pytest.mark.parametrize("name", ["x", "x.h5", "x_LOCALE*", "x_LOCALE*.h5", "./x.h5", "x_LOCALE000[012].h5"])
def test_prefixes_and_patterns_mean_the_set_and_no_longer_prefix(name, folder, capsys):
    code, (found,) = told(capsys, "ls", name, "--json")
    assert code == 0
    assert found["set"] == str(folder / "x.h5")
    assert [os.path.basename(path) for path in found["files"]] == [f"x_LOCALE000{k}.h5" for k in range(3)]


def test_files_that_a_shell_has_found_are_put_together_to_sets(folder, capsys):
    names = sorted(str(path) for path in folder.iterdir())
    _, found = told(capsys, "ls", *reversed(names), "--json")
    assert {os.path.basename(one["set"]): len(one["files"]) for one in found} == {"x.h5": 3, "xy.h5": 1, "one.h5": 1}
    assert sorted(found[-1]["files"]) == found[-1]["files"]


def test_locales_without_leading_zeros_are_put_in_the_order_of_their_numbers(folder, capsys):
    for number in range(12):
        write_share(f"many_LOCALE{number}.h5", [number], ["t"])
    for names in (["many"], [f"many_LOCALE{number}.h5" for number in (11, 2, 1, 10, *range(3, 10), 0)]):
        _, (found,) = told(capsys, "ls", *names, "--json")
        assert [os.path.basename(path) for path in found["files"]] == [f"many_LOCALE{k}.h5" for k in range(12)]
        _, (shown,) = told(capsys, "head", *names, "--json", "--rows", "12")
        assert {one["name"]: one["columns"] for one in shown["objects"]}["number"] == {"number": list(range(12))}


def test_objects_without_rows_are_shown_beside_each_other(folder, capsys):
    write_share("empty.h5", [], [])
    assert told(capsys, "head", "empty.h5") == (0, ["number  text"])


def test_a_set_and_a_single_file_of_one_path_are_two(folder, capsys):
    write_share("x.h5", [0], ["s"])
    _, found = told(capsys, "ls", "x.h5", "x_LOCALE*", "--json")
    assert [len(one["files"]) for one in found] == [1, 3]


def test_a_folder_is_listed_without_files_of_no_format(tmp_path, capsys):
    write_share(tmp_path / "a [1].h5", [1], ["a"])
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.csv").write_text("n\n1\n2\n")
    ak.to_zarr(str(tmp_path / "below" / "z"), ak.arange(5), 2)
    for name in ("readme.txt", ".hidden"):
        (tmp_path / name).write_text("words")
    (tmp_path / "gone.h5").symlink_to("nowhere")
    os.mkfifo(tmp_path / "fifo.h5")
    assert main(["ls", "--json", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    listed = {os.path.relpath(one["set"], tmp_path): one["objects"][-1]["rows"] for one in json.loads(printed.out)}
    assert listed == {"a [1].h5": 1, "below/b.csv": 2, "below/z": 5}
    assert printed.err.splitlines() == [f"akdask: 3 files of {tmp_path} left out: fifo.h5, gone.h5, readme.txt"]
    assert main(["validate", str(tmp_path / "below")]) == 0
    assert "left out" not in capsys.readouterr().err


def test_a_folder_of_no_formats_is_an_error(tmp_path, capsys):
    (tmp_path / "readme.bin").write_bytes(b"\0words")
    assert main(["ls", str(tmp_path)]) == 2
    assert "is none of" in capsys.readouterr().err


@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_ls_tells_files_that_cannot_be_read_and_lists_the_others(folder, capsys, json_too):
    (folder / "empty.parquet").touch()
    code, printed = told(capsys, "ls", *json_too, "one.h5", "empty.parquet")
    assert code == 2
    if json_too:
        assert [len(one.get("objects", [])) for one in printed] == [2, 0]
        assert "is none of" in printed[1]["problem"]
    else:
        assert printed[0] == "one.h5: 1 file, 2 objects"
        assert printed[-2] == "empty.parquet: 1 file"
        assert printed[-1].startswith(f"! {str(folder / 'empty.parquet')!r} is none of")
    code, printed = told(capsys, "validate", "empty.parquet")
    assert code == 1
    assert "does not end as a Parquet file" in " ".join(printed)


def test_ls_tells_kind_type_and_rows(folder, capsys):
    code, lines = told(capsys, "ls", "x")
    assert code == 0
    assert lines == [
        "x.h5: 3 files, 3 objects",
        "name    kind     type     rows",
        "number  pdarray  int64       3",
        "short   pdarray  float64     1",
        "text    Strings  str         3",
    ]


def test_ls_names_objects_that_cannot_be_read_and_lists_the_others(folder, capsys):
    with h5py.File("one.h5", "r+") as file:
        file.create_group("strange").attrs["ObjType"] = 77
    code, lines = told(capsys, "ls", "one.h5")
    assert code == 0
    assert "strange  Unknown  -         -" in lines
    assert any(line.startswith("! dataset 'strange'") for line in lines)
    _, (found,) = told(capsys, "ls", "one.h5", "--json")
    assert {item["name"]: item["rows"] for item in found["objects"]} == {"number": 2, "strange": None, "text": 2}


def test_info_tells_files_rows_and_attributes(folder, capsys):
    with h5py.File("x_LOCALE0000.h5", "r+") as file:
        file["number"].attrs["ObjType"] = 1
        file["number"].attrs["arkouda_version"] = "v2024.01.02"
    code, lines = told(capsys, "info", "x")
    assert code == 0
    assert "3 files" in lines[0]
    assert lines[0].endswith("layout v2 and v0, no manifest")
    assert [line.split()[:2] for line in lines[2:5]] == [
        [f"x_LOCALE000{k}.h5", era] for k, era in enumerate(("v2", "v0", "v0"))
    ]
    assert lines[2].endswith("2; 0  v2024.01.02")
    assert any(line.split() == ["number", "pdarray", "int64", "2", "ObjType=1"] for line in lines)


def test_info_shows_members_and_all_of_it_as_json(folder, capsys):
    _, lines = told(capsys, "info", "-m", "one.h5")
    assert any(line.split() == ["text/values", "-", "uint8", "4"] for line in lines)
    (folder / ".one.h5.akdask").touch()
    _, (found,) = told(capsys, "info", "--json", "one.h5")
    assert found["manifest"] == str(folder / ".one.h5.akdask")
    assert found["files"][0]["objects"][1]["members"][1] == {
        "name": "values",
        "kind": "pdarray",
        "stored_as": "uint8",
        "rows": 4,
        "attributes": {},
    }


def test_head_shows_objects_of_equal_rows_side_by_side(folder, capsys):
    code, lines = told(capsys, "head", "x", "-n", "2")
    assert code == 0
    assert lines == ["number  text", "     1  a", "     2  βeta", "… 1 more row", "", "short", "  nan"]


def test_head_shows_numbers_as_they_are_typed(folder, capsys):
    write_share("one.h5", [12345678], ["1,234"])
    _, lines = told(capsys, "head", "one.h5")
    assert lines == ["  number  text", "12345678  1,234"]


def test_head_as_json_has_floats_that_json_lacks_as_text(folder, capsys):
    _, (found,) = told(capsys, "head", "x", "--json", "-o", "short", "-o", "text")
    assert [item["name"] for item in found["objects"]] == ["short", "text"]
    assert found["objects"][0]["columns"] == {"short": ["nan"]}
    assert found["objects"][1]["columns"] == {"text": ["a", "βeta", "c"]}


def test_head_says_what_it_cannot_read_and_shows_the_rest(folder, capsys):
    with h5py.File("one.h5", "r+") as file:
        file.create_group("strange").attrs["ObjType"] = 77
    assert main(["head", "one.h5"]) == 2
    printed = capsys.readouterr()
    assert "     4  d" in printed.out
    assert "'strange'" in printed.err


def test_text_that_a_terminal_would_obey_is_escaped(folder, capsys):
    write_share("one.h5", [1], ["\x1b[2J"], [("na\nme", np.array([1]))])
    for command in ("ls", "info", "head"):
        _, lines = told(capsys, command, "one.h5")
        assert any("na\\nme" in line for line in lines)
        assert not any("\x1b" in line for line in lines)


def test_validate_is_silent_on_what_is_well_and_tells_who_reads_it(folder, capsys):
    code, lines = told(capsys, "validate", "xy")
    assert code == 0
    assert lines[:2] == ["xy.h5: 1 file, all is well", "Arkouda: read by all releases"]


def test_validate_lists_violations_once_for_files_that_share_them_and_gives_code_1(folder, capsys):
    for name in ("x_LOCALE0000.h5", "x_LOCALE0002.h5"):
        with h5py.File(name, "r+") as file:
            file["text/values"][-1] = ord("x")
    code, lines = told(capsys, "validate", "x")
    assert code == 1
    assert lines[0] == "x.h5: 3 files, 2 errors"
    assert lines[2].split(maxsplit=3)[:3] == ["error", "strings.terminated", "text"]
    assert lines[2].endswith("x_LOCALE0000.h5 and 1 more")
    assert "no release reads all of it right" in lines[3]
    _, (found,) = told(capsys, "validate", "x", "--json")
    assert [item["file"] for item in found["violations"]] == [
        str(folder / "x_LOCALE0000.h5"),
        str(folder / "x_LOCALE0002.h5"),
    ]
    assert not found["arkouda"]["readable"]


def test_notes_leave_the_code_at_0_and_can_be_left_out(folder, capsys):
    with h5py.File("one.h5", "r+") as file:
        file.create_group("_arkouda_metadata")
    code, lines = told(capsys, "validate", "one.h5")
    assert (code, lines[0]) == (0, "one.h5: 1 file, 1 note")
    _, lines = told(capsys, "validate", "one.h5", "--severity", "warning")
    assert lines[0] == "one.h5: 1 file, all is well"


@pytest.mark.parametrize(("least", "shown"), [("note", "EWN"), ("warning", "EW"), ("error", "E")])
def test_the_least_severity_decides_what_is_shown_and_counted(folder, capsys, monkeypatch, least, shown):
    report = validate.validate(["one.h5"])
    found = [Violation("a.rule", severity, "one.h5", None, "text") for severity in reversed(Severity)]
    monkeypatch.setattr(validate, "validate", lambda *given, **options: replace(report, violations=found))
    code, (told_of,) = told(capsys, "validate", "one.h5", "--severity", least, "--json")
    assert sorted(item["severity"][0].upper() for item in told_of["violations"]) == sorted(shown)
    assert code == 1
    monkeypatch.setattr(validate, "validate", lambda *given, **options: replace(report, violations=found[:2]))
    assert told(capsys, "validate", "one.h5", "--severity", least, "--json")[0] == (0 if least == "error" else 1)


def test_validate_finds_what_other_commands_refuse(folder, capsys):
    os.truncate("x_LOCALE0002.h5", 100)
    os.unlink("x_LOCALE0001.h5")
    code, (found,) = told(capsys, "validate", "x", "--json")
    assert code == 1
    assert {item["rule"] for item in found["violations"]} == {"file.readable", "files.numbering"}
    code, (found,) = told(capsys, "validate", "x", "--json", "--metadata-only")
    assert code == 1


def test_validate_lists_its_rules(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["validate", "--rules"])
    assert exit_.value.code == 0
    assert "strings.terminated" in capsys.readouterr().out


@pytest.mark.parametrize("count", [1, 2, 5])
def test_convert_writes_any_number_of_files(count, folder, capsys):
    code, found = told(capsys, "convert", "x", "out.h5", "--num-locales", str(count), "--json")
    assert code == 0
    assert found["files"] == [str(folder / f"out_LOCALE{k:04d}.h5") for k in range(count)]
    assert values(*found["files"]) == [1, 2, 3]
    assert ak.load_all("out.h5")["text"].tolist() == ["a", "βeta", "c"]
    with h5py.File("out_LOCALE0000.h5") as file:
        assert file["number"].attrs["ObjType"] == 1


def test_convert_makes_one_file_of_a_set_and_a_set_of_one_file(folder, capsys):
    code, lines = told(capsys, "convert", "x", "single.h5", "--file-type", "single")
    assert (code, values("single.h5")) == (0, [1, 2, 3])
    assert lines[0].startswith("3 objects of 3 files to 1 file, ")
    assert main(["convert", "one.h5", "out"]) == 0
    assert values("out_LOCALE0000") == [4, 5]


def test_convert_joins_files_in_the_order_given(folder, capsys):
    assert main(["convert", "one.h5", "xy", "out.h5", "--num-locales", "1"]) == 0
    assert values("out_LOCALE0000.h5") == [4, 5, 9]


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_convert_reads_text_of_other_programs(delimiter, folder, capsys):
    pd.DataFrame({"n": [1, 2], "t": ["a", "b"]}).to_csv("plain.csv", index=False, sep=delimiter)
    assert main(["convert", "plain.csv", "out.parquet", "--file-type", "single"]) == 0
    assert pd.read_parquet("out.parquet").to_dict("list") == {"n": [1, 2], "t": ["a", "b"]}


def test_convert_goes_by_the_extension_from_one_format_to_another_and_back(folder, capsys):
    assert main(["convert", "one.h5", "out.csv", "--num-locales", "2"]) == 0
    lines = [line for k in range(2) for line in (folder / f"out_LOCALE000{k}.csv").read_text().splitlines()]
    header = ["**HEADER**", "int64,str", "*/HEADER/*", "number,text"]
    assert lines == [*header, "4,d", *header, "5,e"]
    assert main(["convert", "out.csv", "back.h5"]) == 0
    assert values(*sorted(folder.glob("back_LOCALE*"))) == [4, 5]
    assert main(["convert", "--format", "csv", "out.csv", "one.txt", "--file-type", "single", "--delimiter", "|"]) == 0
    assert (folder / "one.txt").read_text().splitlines()[3:] == ["number|text", "4|d", "5|e"]


def test_convert_refuses_to_put_columns_of_several_lengths_into_one_table(folder, capsys):
    assert main(["convert", "x", "out.csv"]) == 2
    assert "3 rows" in capsys.readouterr().err
    assert not list(folder.glob("out*"))


def test_convert_reads_text_of_other_names_as_csv_if_told_so(folder, capsys):
    (folder / "plain.txt").write_text("number;text\n7;a\n8;b\n")
    assert main(["convert", "plain.txt", "made.h5"]) == 2
    assert "read_csv" in capsys.readouterr().err
    assert main(["convert", "--input-format", "CSV", "--input-delimiter", ";", "plain.txt", "made.h5"]) == 0
    assert values("made_LOCALE0000.h5") == [7, 8]


def test_csv_files_of_other_writers_are_shown(folder, capsys):
    (folder / "plain.csv").write_text("number,text\n7,a\n8,b\n")
    assert main(["head", "plain.csv"]) == 0
    assert capsys.readouterr().out.split() == ["number", "text", "7", "a", "8", "b"]
    assert main(["info", "plain.csv"]) == 0
    assert capsys.readouterr().out.startswith("plain.csv: 1 file, 20 B, CSV\n")
    assert main(["info", "--json", "plain.csv"]) == 0
    assert [item["name"] for item in json.loads(capsys.readouterr().out)[0]["objects"]] == ["number", "text"]


FRAME = pd.DataFrame({"number": [7, 8], "text": ["a", "b"]})
SCANNED = {
    "x.json": ("JSON", lambda path: FRAME.to_json(path, orient="records")),
    "x.feather": ("Feather", FRAME.to_feather),
    "x.orc": ("ORC", FRAME.to_orc),
    "x.tsv": ("CSV", lambda path: FRAME.to_csv(path, sep="\t", index=False)),
    "x.txt": ("CSV", lambda path: FRAME.to_csv(path, sep=";", index=False)),
    "x": ("CSV", lambda path: FRAME.to_csv(path, index=False)),
}


@pytest.mark.parametrize("name", SCANNED)
def test_all_that_scan_opens_is_shown(folder, capsys, name):
    file_format, write = SCANNED[name]
    (folder / "sub").mkdir()
    write(folder / "sub" / name)
    assert main(["head", f"sub/{name}"]) == 0
    assert capsys.readouterr().out.split() == ["number", "text", "7", "a", "8", "b"]
    assert main(["head", f"sub/{name}", "-o", "text", "-n", "1"]) == 0
    assert capsys.readouterr().out.split() == ["text", "a", "…", "1", "more", "row"]
    assert main(["head", f"sub/{name}", "-o", "other"]) == 2
    assert "objects: number, text" in capsys.readouterr().err
    assert main(["info", f"sub/{name}"]) == 0
    first, *table = capsys.readouterr().out.splitlines()
    assert first.startswith(f"sub/{name}: 1 file, ")
    assert first.endswith(file_format)
    assert [line.split()[0] for line in table] == ["column", "number", "text"]
    for listed in (f"sub/{name}", "sub"):
        assert main(["ls", "--json", listed]) == 0
        (found,) = json.loads(capsys.readouterr().out)
        assert [(item["name"], item["type"], item["rows"]) for item in found["objects"]] == [
            ("number", "int64", 2),
            ("text", "str", 2),
        ]


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_stores_are_shown(tmp_path, capsys, version):
    group = zarr.open_group(tmp_path / "x.zarr", mode="w", zarr_format=version)
    group.create_array("a", data=np.arange(5), chunks=(2,))
    group.create_array("g/m", data=np.ones((3, 2)), chunks=(3, 2))
    group.create_array("odd", data=np.ones(3, "c16"), chunks=(3,))
    path = str(tmp_path / "x.zarr")
    assert main(["info", path]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.endswith("Zarr")
    assert " 1 file," not in first
    assert [line.split() for line in rest[:4]] == [
        ["array", "kind", "type", "rows"],
        ["a", "pdarray", "int64", "5"],
        ["g/m", "ArrayView", "float64", "3"],
        ["odd", "Unknown", "-", "-"],
    ]
    assert rest[4].startswith("! ")
    assert "which cannot be read" in rest[4] or "complex" in rest[4]
    assert main(["info", "--json", path]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert [item["name"] for item in found["objects"]] == ["a", "g/m", "odd"]
    assert main(["head", "-o", "a", path]) == 0
    assert capsys.readouterr().out.split() == ["a", "0", "1", "2", "3", "4"]


def test_convert_refuses_an_extension_that_no_format_has(folder, capsys):
    assert main(["convert", "one.h5", "out.foo"]) == 2
    assert "no format has the extension '.foo'" in capsys.readouterr().err
    assert not list(folder.glob("out*"))
    assert main(["convert", "one.h5", "out.2024", "--num-locales", "1"]) == 0


@pytest.mark.parametrize("out", ["out.csv", "out.zarr"])
def test_convert_writes_labels_of_categoricals_where_there_are_none(out, folder, capsys):
    ak.DataFrame({"c": ak.Categorical(ak.array(["a", "b", "a"]))}).to_hdf("labels.h5")
    assert main(["convert", "labels.h5", out]) == 0
    assert "written as text: c" in capsys.readouterr().err
    assert main(["head", out]) == 0
    assert capsys.readouterr().out.split() == ["c", "a", "b", "a"]


def test_validate_says_that_pandas_wrote_a_file(folder, capsys):
    with h5py.File("frame.h5", "w") as file:
        file.create_group("df").attrs["pandas_type"] = "frame"
    assert main(["validate", "frame.h5"]) == 2
    assert "pandas wrote this" in capsys.readouterr().err


def test_convert_replaces_files_only_when_told_to(folder, capsys):
    before = values("one.h5")
    assert main(["convert", "x", "one.h5", "--file-type", "single"]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert values("one.h5") == before
    assert main(["convert", "x", "one.h5", "--file-type", "single", "--overwrite"]) == 0
    assert values("one.h5") == [1, 2, 3]


@pytest.mark.parametrize("argv", [["--num-locales", "0"], ["--file-type", "single", "--num-locales", "1"]])
def test_numbers_of_files_that_make_no_sense_give_code_2(argv, folder, capsys):
    assert main(["convert", "x", "out", *argv]) == 2
    assert "--num-locales" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["convert", "one.h5", "out.h5"], ["repack", "one.h5"]])
def test_nothing_is_written_if_an_object_would_be_lost_or_changed(command, folder, capsys):
    with h5py.File("one.h5", "r+") as file:
        file.create_group("strange").attrs["ObjType"] = 77
    before = (folder / "one.h5").read_bytes()
    assert main(command) == 2
    assert "strange" in capsys.readouterr().err
    assert (folder / "one.h5").read_bytes() == before
    assert not list(folder.glob("out*"))


def test_repack_frees_what_removed_objects_took_and_keeps_the_cut(folder, capsys):
    with h5py.File("x_LOCALE0000.h5", "r+") as file:
        file["large"], file["last"] = np.zeros(100_000), [1]
    for name in ("x_LOCALE0001.h5", "x_LOCALE0002.h5"):
        with h5py.File(name, "r+") as file:
            file["last"] = [1]
    with h5py.File("x_LOCALE0000.h5", "r+") as file:
        del file["large"]
    large = os.path.getsize("x_LOCALE0000.h5")
    code, (found,) = told(capsys, "repack", "x", "--json")
    assert code == 0
    assert found["saved"] == found["bytes_before"] - found["bytes_after"]
    assert os.path.getsize("x_LOCALE0000.h5") < large - 700_000
    assert [values(f"x_LOCALE000{k}.h5") for k in range(3)] == [[1, 2], [], [3]]
    assert values("xy_LOCALE0000.h5") == [9]
    code, lines = told(capsys, "repack", "one.h5", "xy")
    assert (code, len(lines)) == (0, 2)


def test_repack_refuses_a_part_of_a_set(folder, capsys):
    assert main(["repack", "x_LOCALE0000.h5"]) == 2
    assert "x_LOCALE0002.h5" in capsys.readouterr().err
    assert values("x_LOCALE0002.h5") == [3]


@pytest.mark.parametrize("command", ["head", "repack"])
def test_a_set_that_lacks_a_file_is_refused(command, folder, capsys):
    os.unlink("x_LOCALE0001.h5")
    assert main([command, "x"]) == 2
    assert "missing: " in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_names_of_nothing_give_code_2_and_a_hint(command, folder, capsys):
    assert main([command, "one.h6"]) == 2
    assert "nearby: one.h5" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["ls", "info", "head", "repack"])
@pytest.mark.parametrize("content", [b"", b"no HDF5", b"\x89HDF\r\n\x1a\n and no more"])
def test_what_is_no_hdf5_gives_code_2_and_no_traceback(command, content, folder, capsys):
    (folder / "one.h5").write_bytes(content)
    assert main([command, "one.h5"]) == 2
    assert capsys.readouterr().err.startswith("akdask: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_tells_the_exit_codes(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    printed = " ".join(capsys.readouterr().out.split())
    assert "exit codes: 0 fine; 1 violations or differences found; 2 wrong use" in printed


@pytest.mark.slow
@pytest.mark.parametrize("argv", [["ls", "x"], ["head", "x", "--json"], ["validate", "--rules"]])
def test_a_reader_that_goes_away_is_no_error_to_speak_of(argv, folder):
    code = f"import sys; from akdask.cli import main; sys.exit(main({argv}))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_files_of_old_servers_are_shown(shared_fixtures, capsys):
    path = shared_fixtures / "arkouda" / "hdf5" / "UnitTestHDF5_noOffsets_LOCALE0000"
    _, lines = told(capsys, "head", str(path), "-n", "2")
    assert lines == ["strings", "one", "two", "… 3 more rows"]
