"""Modules of pandas below the name of pandas' face."""

import importlib

import pandas
import pytest

import akdask.pandas


@pytest.mark.parametrize("name", ["api", "api.types", "errors", "io.json", "tseries.offsets", "util"])
def test_public_modules_are_those_of_pandas(name):
    expected = importlib.import_module(f"pandas.{name}")
    assert importlib.import_module(f"akdask.pandas.{name}") is expected


def test_modules_that_know_frames_are_of_this_face():
    assert akdask.pandas.testing is not pandas.testing
    assert akdask.pandas.plotting is not pandas.plotting


def test_other_modules_of_pandas_are_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"akdask\.pandas\.core"):
        importlib.import_module("akdask.pandas.core")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("akdask.pandas.tseries.nothing")
