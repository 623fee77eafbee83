import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.engine.explain import profile


def test_a_profile_has_the_result_and_the_seconds_of_every_step():
    frame = ak.DataFrame({"k": ak.arange(300_000) % 7, "x": ak.arange(300_000)})
    found = frame.sort_values("k").profile()
    plain = pd.DataFrame({"k": np.arange(300_000) % 7, "x": np.arange(300_000)})
    pd.testing.assert_frame_equal(found.result, plain.sort_values("k", kind="stable"))
    ran = [branch for branch in found._planned if branch.estimate is not None]
    assert {branch.name for branch in ran} <= set(found._spent)
    assert all(spent.seconds >= 0 for spent in found._spent.values())
    assert {branch.name: branch.estimate.tasks for branch in ran} == {
        branch.name: found._spent[branch.name].tasks for branch in ran
    }
    assert found.splitlines()[0] == "As written"
    assert f"As it ran, in {found.splitlines()[0]}" not in found
    assert found.seconds > 0


def test_notebooks_show_a_profile_as_a_table_with_bars():
    html = ak.arange(10).sum().profile()._repr_html_()
    assert "<th>seconds</th>" in html
    assert "<i style=" in html
    assert "As written" in html


def test_computations_outside_of_a_profile_are_not_recorded():
    found = profile(ak.arange(10).sum().expr)
    count = len(found._spent)
    assert int(ak.arange(11).sum()) == 55
    assert len(found._spent) == count


@pytest.mark.parametrize("lazy", [ak.arange(5), ak.array(["a", "b"]), ak.DataFrame({"<x>": [1, 2]})])
def test_explanations_are_text_that_notebooks_show_as_tables(lazy):
    found = lazy.explain()
    assert isinstance(found, str)
    assert repr(found) == str(found) == found
    html = found._repr_html_()
    assert "<th>tasks</th>" in html
    assert "<x>" not in html
