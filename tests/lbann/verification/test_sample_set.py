"""All faults of a sample set are found, and none ends the check."""

from __future__ import annotations

import json

import dask
import h5py
import numpy as np
import pytest

from akdask.lbann import SampleList, verify
from tests.lbann.sample_sets import make_samples


@pytest.fixture
def folder(tmp_path):
    make_samples(tmp_path, files=4, per_file=6)
    return tmp_path


def check(folder, **options):
    return verify(folder / "train.samples", folder / "data.yaml", **options)


def damage(folder):
    with h5py.File(folder / "a_1.h5", "a") as file:
        run = file["RUN"]
        run["000000006/image"][0, 1] = np.nan
        del run["000000007/in/energy"], run["000000008"], run["000000009/image"], run["000000010/in/count"]
        run["000000009/image"] = np.arange(7.0)
        run["000000010/in/count"] = True
    with open(folder / "a_2.h5", "r+b") as file:
        file.truncate(1000)
    (folder / "a_3.h5").unlink()


FOUND = [
    ("value", "a_1.h5", "RUN/000000006", "image"),
    ("field", "a_1.h5", "RUN/000000007", "in/energy"),
    ("sample", "a_1.h5", "RUN/000000008", None),
    ("size", "a_1.h5", "RUN/000000009", "image"),
    ("type", "a_1.h5", "RUN/000000010", "in/count"),
    ("file", "a_2.h5", None, None),
    ("file", "a_3.h5", None, None),
]


def places(report):
    return [(f.kind, f.file.rpartition("/")[2], f.sample, f.field) for f in report.faults if not f.is_warning]


def test_a_good_set_has_no_faults(folder):
    report = check(folder)
    assert (report.is_good, report.faults, report.n_files, report.n_samples) == (True, (), 4, 24)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_all_faults_are_found(folder, scheduler):
    damage(folder)
    with dask.config.set(scheduler=scheduler):
        report = check(folder)
    assert places(report) == FOUND
    assert json.loads(json.dumps(report.as_json()))["good"] is False


def test_values_need_not_be_looked_at(folder):
    damage(folder)
    assert places(check(folder, reads_data=False)) == FOUND[1:]


def test_a_check_goes_on_where_it_was_ended(folder, monkeypatch):
    damage(folder)
    notes = folder / "notes"
    monkeypatch.setattr("akdask.lbann.tuning.CHECKED_FILES", 2)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(folder, resume=notes, progress=stop)
    with open(notes, "a") as file:
        file.write('{"asked": "cut sh')
    report = check(folder, resume=notes)
    assert (report.n_known, places(report)) == (2, FOUND)
    assert check(folder, resume=notes).n_known == 3  # the file that is not there is looked for again
    with h5py.File(folder / "a_0.h5", "a") as file:
        del file["RUN/000000000"]
    assert places(check(folder, resume=notes))[0] == ("sample", "a_0.h5", "RUN/000000000", None)


def test_files_that_differ_from_most_are_told(folder):
    with h5py.File(folder / "a_3.h5", "a") as file:
        for group in file["RUN"].values():
            del group["image"]
            group["image"] = np.zeros(8)
    assert places(check(folder)) == [("size", "a_3.h5", None, "image")]


def test_lists_and_files_are_compared(folder):
    with h5py.File(folder / "a_0.h5", "a") as file:
        file.create_group("RUN/more")
    report = check(folder)
    assert report.is_good
    assert [fault.kind for fault in report.faults] == ["count"]
    assert "RUN/more" in report.faults[0].text


def test_a_list_or_schema_that_cannot_be_read_is_a_fault(folder):
    (folder / "data.yaml").write_text("a: [")
    assert [fault.kind for fault in check(folder).faults] == ["schema"]
    (folder / "train.samples").write_text("no list")
    assert [fault.kind for fault in check(folder).faults] == ["schema", "list"]
    assert not check(folder).is_good


def test_without_schemas_lists_and_files_are_compared(folder):
    (folder / "a_3.h5").unlink()
    assert [fault.kind for fault in verify(folder / "train.samples").faults] == ["file"]


def test_missing_and_repeated_samples_are_found_without_schemas_at_any_depth(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name in ("one/x", "two/three/x"):
            file[name] = 1.0
    listed = SampleList.of({"a.h5": ["one", "two/three", "two/three", "gone", "two/gone"]}, base_directory=tmp_path)
    report = verify(listed)
    assert [(fault.kind, fault.sample) for fault in report.faults if not fault.is_warning] == [
        ("sample", "gone"),
        ("sample", "two/gone"),
    ]
    assert [fault.text for fault in report.faults if fault.is_warning] == ["samples that are listed more than once: 1"]
