"""Idioms of pandas give with `akdask.pandas` what they give with pandas, most of them lazily.

``python -m tests.pandas_face.idioms_in_pandas`` writes the lists of those that run in pandas.
"""

from __future__ import annotations

import warnings

import pytest

from tests.pandas_face.compare import listed, outcome, subjects, title

IN_PANDAS = listed()

CASES = [
    pytest.param(subject, data, idiom, id=f"{subject}-{number}")
    for subject, (data, idioms) in subjects().items()
    for number, idiom in enumerate(idioms)
]


@pytest.mark.sampled(one_of=8)
@pytest.mark.parametrize(("subject", "data", "idiom"), CASES)
def test_idiom_gives_what_pandas_gives(subject, data, idiom):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        way, different = outcome(idiom, data)
    assert different is None, idiom
    assert way == IN_PANDAS.get(title(subject, idiom), "lazily"), f"{idiom} ran {way}"
