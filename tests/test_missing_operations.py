"""Operations on values of which none, one, some and all are missing, beside those of pandas."""

from __future__ import annotations

import pandas as pd
import pytest
from pandas.core.strings.accessor import StringMethods

import akdask as ak
from tests import missing_operations as table

CASES = [
    (name, kind, function)
    for operations in table.SERIES.values()
    for name, function in operations.items()
    for kind in table.kinds_of(name)
]


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize(("name", "kind", "function"), CASES, ids=[f"{kind}-{name}" for name, kind, _ in CASES])
def test_a_series_is_that_of_pandas(name, kind, function):
    different = []
    for missing in table.MISSING:
        wanted = table.reference(kind, missing)
        given = ak.Series(wanted)
        items = table.SAMPLE[kind], table.OTHER[kind]
        expected = table.outcome(function, table.compared_with(kind, wanted), *items)
        found = table.outcome(function, given, *items)
        if found != expected:
            different.append((missing, expected, found))
    reason = table.differs(name, kind)
    if reason is None:
        assert not different, "\n".join(
            f"{missing} missing: pandas {one}, akdask {other}" for missing, one, other in different
        )
    else:
        assert different, f"it is that of pandas, although {reason}"


@pytest.mark.parametrize("name", table.FRAMES)
def test_a_frame_is_that_of_pandas(name):
    different = []
    for missing in table.ROWS_MISSING:
        rows = table.rows_of_kinds(missing)
        expected = table.outcome(table.FRAMES[name], rows)
        found = table.outcome(table.FRAMES[name], ak.DataFrame(rows))
        if found != expected:
            different.append((missing, expected, found))
    reason = table.ALONE_OF_FRAMES.get(name)
    if reason is None:
        assert not different, "\n".join(f"{missing}: pandas {one}, akdask {other}" for missing, one, other in different)
    else:
        assert different, f"it is that of pandas, although {reason}"


OPERATIONS_OF_SERIES = [function for operations in table.SERIES.values() for function in operations.values()]


@pytest.mark.parametrize(
    ("ours", "theirs", "operations", "untried"),
    [
        (ak.DataFrame, pd.DataFrame, table.FRAMES.values(), table.UNTRIED),
        (ak.Series, pd.Series, OPERATIONS_OF_SERIES, table.UNTRIED | table.UNTRIED_OF_SERIES),
        (type(ak.Series(["a"]).str), StringMethods, table.TEXT.values(), table.UNTRIED_OF_TEXT),
    ],
    ids=["frames", "Series", "text"],
)
def test_every_method_is_tried(ours, theirs, operations, untried):
    public = {name for name in dir(ours) if not name.startswith("_")} & set(dir(theirs))
    names = table.tried(operations)
    assert not public - names - set(untried), "neither tried nor said why not"
    assert not names & public & set(untried), "tried, although it is said why not"


def groups(frame, kind, dropna):
    if isinstance(frame, ak.DataFrame):
        return frame.groupby("k", dropna=dropna)
    if kind in ("integers", "bools"):
        frame = frame.astype({"k": float})
    return frame.groupby("k", dropna=dropna, observed=True)


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("kind", table.KINDS)
@pytest.mark.parametrize(("name", "function"), table.GROUPS.items(), ids=table.GROUPS)
def test_groups_of_missing_keys_are_those_of_pandas(name, function, kind):
    frame = table.keyed(kind)
    different = []
    for dropna in (True, False):
        expected = table.outcome(lambda rows: function(groups(rows, kind, dropna)), frame)  # noqa: B023 - called at once
        found = table.outcome(lambda rows: function(groups(rows, kind, dropna)), ak.DataFrame(frame))  # noqa: B023
        if found != expected:
            different.append((dropna, expected, found))
    reason = table.ALONE_OF_GROUPS.get(name)
    if reason is None:
        assert not different, "\n".join(f"{dropna=}: pandas {one}, akdask {other}" for dropna, one, other in different)
    else:
        assert different, f"it is that of pandas, although {reason}"


def test_the_page_says_what_the_table_does():
    assert table.PAGE.read_text(encoding="utf-8") == table.page(), "run python -m tests.missing_operations"
