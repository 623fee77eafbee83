"""Settings: what each takes, wherever it is given."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import dask
import numpy as np
import pytest

import akdask as ak
from akdask.config import SETTINGS
from akdask.errors import ArgumentError

SIZES = ["partition_size", "block_size", "cache_size", "spare_memory", "replicate_size", "max_transfer_bytes"]
FLAGS = ["eager", "manifest", "verify_checksums", "compat"]


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_takes_its_default(name):
    with ak.config.set(**{name: SETTINGS[name].default}):
        assert ak.config.get(name) == SETTINGS[name].default


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(
    "value", ["abc", "", "MiB", -3, -1.5, 1.5, math.nan, -math.inf, [1], {}, np.arange(2), object(), b"1"]
)
def test_no_setting_takes_values_of_other_types_or_ranges(name, value):
    before = ak.config.get(name)
    with pytest.raises(ArgumentError, match=f"the setting '{name}' does not take") as caught:
        ak.config.set(**{name: value})
    assert f"ak.config.set({name}=" in caught.value.details[0]
    assert "it is " in caught.value.hint
    assert ak.config.get(name) == before


@pytest.mark.parametrize("name", ["partition_size", "block_size"])
def test_sizes_of_what_is_cut_are_not_0(name):
    with pytest.raises(ArgumentError, match="bytes from 1"):
        ak.config.set(**{name: 0})


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize(
    ("given", "expected"), [(5, 5), (1e9, 10**9), ("2 GiB", 2**31), ("1e6", 10**6), (np.int64(7), 7), (2**70, 2**70)]
)
def test_sizes_are_whole_numbers_or_text_with_a_unit(name, given, expected):
    with ak.config.set(**{name: given}):
        assert ak.config.get(name) == expected
        assert type(ak.config.get(name)) is int


@pytest.mark.parametrize("name", FLAGS)
def test_flags_are_truth_values(name):
    for given in (True, False, np.True_, 0, 1):
        with ak.config.set(**{name: given}):
            assert ak.config.get(name) is bool(given)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in SETTINGS
        if name not in ("cache_size", "memory_limit", "read_ahead", "replicate_size", "max_transfer_bytes")
    ],
)
def test_none_is_only_taken_where_it_has_a_meaning(name):
    with pytest.raises(ArgumentError, match="None"):
        ak.config.set(**{name: None})


def test_nothing_is_set_where_one_of_several_does_not_do():
    before = ak.config.get("block_size")
    with pytest.raises(ArgumentError, match="spare_memory"):
        ak.config.set(block_size=before + 1, spare_memory="abc")
    assert ak.config.get("block_size") == before


def test_a_with_block_that_is_refused_is_not_entered():
    with pytest.raises(ArgumentError, match="block_size"), ak.config.set(block_size=-3):
        raise AssertionError


def test_settings_are_undone_after_a_with_block():
    before = ak.config.get("block_size")
    with ak.config.set(block_size=4096):
        assert ak.config.get("block_size") == 4096
    assert ak.config.get("block_size") == before


def test_unknown_settings_are_named():
    with pytest.raises(ArgumentError, match="no setting 'blok_size'"):
        ak.config.set(blok_size=1)
    with pytest.raises(ArgumentError, match="no setting 'blok_size'"):
        ak.config.get("blok_size")


def test_values_that_dask_was_given_are_refused_where_they_are_used():
    with (
        dask.config.set({"akdask.block_size": -3}),
        pytest.raises(ArgumentError, match="does not take -3") as caught,
    ):
        (ak.arange(10) * 2).tolist()
    assert "dask.config.set" in caught.value.details[0]


def run_with(code, tmp_path, **variables):
    environment = {**os.environ, "DASK_CONFIG": str(tmp_path), **variables}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)


@pytest.mark.slow
def test_values_of_the_environment_are_refused_with_the_variable(tmp_path):
    ran = run_with("import akdask as ak; ak.arange(9).tolist()", tmp_path, DASK_AKDASK__BLOCK_SIZE="-3")
    assert ran.returncode == 1
    assert "the environment variable DASK_AKDASK__BLOCK_SIZE" in ran.stderr


@pytest.mark.slow
def test_values_of_a_file_are_refused_with_its_path(tmp_path):
    (tmp_path / "mine.yaml").write_text("akdask:\n  small-array: many\n")
    ran = run_with("import akdask as ak; ak.arange(9).tolist()", tmp_path)
    assert ran.returncode == 1
    assert f"the file {tmp_path / 'mine.yaml'}" in ran.stderr


@pytest.mark.slow
def test_files_and_the_environment_may_write_sizes_as_text(tmp_path):
    (tmp_path / "mine.yaml").write_text("akdask:\n  block-size: 4 KiB\n")
    code = "import akdask as ak; print(ak.config.get('block_size'), ak.config.get('max_transfer_bytes'))"
    ran = run_with(code, tmp_path, DASK_AKDASK__MAX_TRANSFER_BYTES="inf")
    assert ran.stdout.split() == ["4096", "inf"]


@pytest.mark.slow
def test_misspelt_settings_of_a_file_are_warned_of(tmp_path):
    (tmp_path / "mine.yaml").write_text("akdask:\n  blok-size: 4096\n")
    ran = run_with("import akdask", tmp_path)
    assert "settings that akdask does not know: blok" in ran.stderr
