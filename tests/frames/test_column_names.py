import pytest

import akdask as ak
from akdask.errors import ArgumentError

NAMES = ["\ud800", "a\udcff"]


def assigned(name):
    df = ak.DataFrame({"a": ak.arange(3)})
    df[name] = ak.arange(3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "give",
    [
        lambda name: ak.DataFrame({name: ak.arange(3)}),
        lambda name: ak.DataFrame([ak.arange(3)], columns=[name]),
        lambda name: ak.DataFrame({"a": ak.arange(3)}).rename(column={"a": name}),
        assigned,
    ],
)
def test_a_name_with_half_of_a_surrogate_pair_is_refused(name, give):
    with pytest.raises(ArgumentError, match="no column can have that name") as caught:
        give(name)
    assert ascii(name) in str(caught.value)
    assert "hold no half of a surrogate pair" in str(caught.value)


def test_names_beyond_ascii_are_kept():
    df = ak.DataFrame({"ä\U0001f600": ak.arange(3)})
    assert df.to_pandas()["ä\U0001f600"].tolist() == [0, 1, 2]
