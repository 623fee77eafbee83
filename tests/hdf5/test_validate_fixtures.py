"""Files of real servers, and files made as servers make them: their oddities are no errors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from akdask.formats.hdf5.metadata import read_file_metadata
from akdask.formats.hdf5.validate import Severity, validate

V2 = Path(__file__).parents[1] / "golden" / "arkouda_v2"
SETS = json.loads((V2 / "INDEX.json").read_text())


def told(name):
    expected = json.loads((V2 / name / "expected.json").read_text())
    return expected, validate([str(V2 / name / file) for file in expected["files"]])


@pytest.mark.parametrize("name", SETS)
def test_what_servers_write_has_neither_errors_nor_warnings(name):
    _, report = told(name)
    assert [v for v in report.violations if v.severity != Severity.NOTE] == []
    assert report.is_readable


@pytest.mark.parametrize("name", SETS)
def test_the_release_that_wrote_a_set_can_read_it_and_todays_if_it_knows_the_kind(name):
    expected, report = told(name)
    writer = expected["writer"].partition("+")[0]
    assert (report.reach.oldest or "") <= writer
    assert report.reach.newest is None or report.reach.newest >= writer
    assert (report.reach.newest is None) == expected["head_reads"]


@pytest.mark.parametrize("name", SETS)
def test_a_survey_tells_the_age_of_the_layout(name):
    era = name[:2] if name.startswith(("v0", "v1")) else "v2"
    _, report = told(name)
    assert {read_file_metadata(path).era for path in report.files} == {era}


@pytest.mark.parametrize(
    ("name", "rules", "oldest"),
    [
        ("array_v0_LOCALE0000.hdf5", set(), None),
        ("array_v1_LOCALE0000.hdf5", {"root.metadata"}, None),
        ("UnitTestHDF5_withOffsets_LOCALE0000", set(), None),
        ("UnitTestHDF5_noOffsets_LOCALE0000", {"strings.segments"}, "v2021.08.20"),
        ("sample.hdf5", {"dataset.width"}, None),
    ],
)
def test_files_that_arkouda_carries_are_told_from_new_ones(name, rules, oldest, shared_fixtures):
    report = validate([os.fspath(shared_fixtures / "arkouda" / "hdf5" / name)])
    assert {violation.rule for violation in report.violations} == rules
    assert report.reach.oldest == oldest
