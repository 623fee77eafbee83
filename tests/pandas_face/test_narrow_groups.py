"""Groups of numbers of few bits, and sizes beside other reductions: planned where types are known, else in one pass."""

import numpy as np
import pandas as pd
import pytest

import akdask.pandas as face
from akdask import config
from akdask.pandas import group_chunks, group_forms, tuning

ROWS = 200
RANDOM = np.random.default_rng(5)
FRAME = pd.DataFrame(
    {
        "byte": RANDOM.integers(0, 9, ROWS).astype("i1"),
        "short": RANDOM.integers(-3, 100, ROWS).astype("i2"),
        "word": RANDOM.integers(0, 5, ROWS).astype("u2"),
        "half": RANDOM.random(ROWS).astype("f4"),
        "wide": RANDOM.integers(0, 2**40, ROWS),
        "text": RANDOM.choice(["p", "q", "r"], ROWS),
        "large": RANDOM.integers(2**13, 2**14, ROWS).astype("i2"),
    }
)
FRAME["text"] = FRAME["text"].astype("str")


@pytest.fixture(autouse=True)
def _without_pandas(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("chunks of rows were given to pandas")

    monkeypatch.setattr(tuning, "EAGER_VALUES", -1)
    monkeypatch.setattr(group_chunks, "answered", refuse)
    with config.set(pandas_fallback="error"):
        yield


def _equal(found, wanted):
    pd.testing.assert_frame_equal(found.to_pandas(), wanted)


@pytest.mark.parametrize("column", ["short", "large", "wide", "half", "text"])
def test_sizes_beside_other_reductions_have_the_types_of_pandas(column):
    hows = ["size", "min", "max", "count", "nunique"]
    hows += [] if column in ("text", "half") else ["sum", "mean", "std", "median"]
    hows += ["first"] if column == "half" else []
    named = {how: (column, how) for how in hows}
    for keys in ("byte", ["byte", "word"], ["text", "byte"], ["half"]):
        for as_index in (True, False):
            if column not in keys:
                wanted = FRAME.groupby(keys, as_index=as_index).agg(**named)
                _equal(face.DataFrame(FRAME).groupby(keys, as_index=as_index).agg(**named), wanted)


@pytest.mark.parametrize(
    ("hows", "is_planned"),
    [
        (["size"], True),
        (["size", "min", "max"], True),
        (["mean", "count", "nunique", "std", "var", "median"], True),
        (["size", "sum"], True),
        (["first"], False),
    ],
)
@pytest.mark.parametrize("key", ["byte", "wide"])
def test_results_whose_types_are_known_stay_plans(hows, is_planned, key):
    rows = face.DataFrame(FRAME)
    found = rows.groupby(key, as_index=False).agg(**{how: ("short", how) for how in hows})
    assert (found._pending is not None) is is_planned
    wanted = FRAME.groupby(key, as_index=False).agg(**{how: ("short", how) for how in hows})
    _equal(found, wanted)


@pytest.mark.parametrize("as_index", [True, False])
def test_groups_of_narrow_keys_are_ordered_and_chosen_by_plans(as_index):
    def ask(frame):
        found = frame.groupby(["byte", "word"], as_index=as_index).agg(n=("short", "size"), least=("short", "min"))
        found = found[found["least"] > -3]
        return found.sort_values(["n", "least"], ascending=[False, True], kind="stable").head(7)

    _equal(ask(face.DataFrame(FRAME)), ask(FRAME))


def test_sizes_are_found_in_the_pass_of_the_other_reductions(monkeypatch):
    passes = []
    own = group_forms.house_reduction

    def counted(house, asked, params):
        passes.append([how for _, _, how in asked])
        return own(house, asked, params)

    monkeypatch.setattr(group_forms, "house_reduction", counted)
    found = face.DataFrame(FRAME).groupby("byte").agg(n=("short", "size"), f=("short", "first"), w=("wide", "size"))
    _equal(found, FRAME.groupby("byte").agg(n=("short", "size"), f=("short", "first"), w=("wide", "size")))
    assert passes == [["size", "first_present", "size"]]
