"""Names under which arrays are retrieved."""

from __future__ import annotations

import pytest

from akdask.lbann.errors import UnknownNameError
from akdask.lbann.transform import resolve


@pytest.mark.parametrize(("old", "new"), [("datum", "samples"), ("label", "labels"), ("response", "responses")])
def test_groups_are_found_by_old_and_new_names(old, new):
    assert resolve(old, [new]) == new
    assert resolve(new, [old]) == old
    assert resolve(old, [new, old]) == old


@pytest.mark.parametrize("name", ["labels", "foo", "sample", ""])
def test_other_names_are_errors(name):
    with pytest.raises(UnknownNameError, match="samples, responses"):
        resolve(name, ["samples", "responses"])
