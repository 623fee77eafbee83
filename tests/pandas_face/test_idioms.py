"""Idioms of pandas give with `akdask.pandas` what they give with pandas, most of them lazily.

``python -m tests.pandas_face.idioms_in_pandas`` lists those that run in pandas anew.
"""

from __future__ import annotations

import warnings

import pytest

from tests.pandas_face.compare import listed, outcome, subjects, title

THROUGH_PANDAS = listed()

CASES = [
    pytest.param(subject, data, idiom, id=f"{subject}-{number}")
    for subject, (data, idioms) in subjects().items()
    for number, idiom in enumerate(idioms)
]


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize(("subject", "data", "idiom"), CASES)
def test_idiom_gives_what_pandas_gives(subject, data, idiom):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        way, different = outcome(idiom, data)
    assert different is None, idiom
    assert (way == "through pandas") == (title(subject, idiom) in THROUGH_PANDAS), f"{idiom} ran {way}"
