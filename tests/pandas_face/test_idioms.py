"""Idioms of pandas give with `akdask.pandas` what they give with pandas, most of them lazily."""

from __future__ import annotations

import warnings

import pytest

from tests.pandas_face.compare import FOLDER, outcome, subjects

THROUGH_PANDAS = {line for line in (FOLDER / "through_pandas.lst").read_text().splitlines() if line}

CASES = [
    pytest.param(data, idiom, id=f"{subject}-{number}")
    for subject, (data, idioms) in subjects().items()
    for number, idiom in enumerate(idioms)
]


@pytest.mark.parametrize(("data", "idiom"), CASES)
def test_idiom_gives_what_pandas_gives(data, idiom):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        way, different = outcome(idiom, data)
    assert different is None, idiom
    assert (way == "through pandas") == (idiom.splitlines()[-1] in THROUGH_PANDAS), f"{idiom} ran {way}"
