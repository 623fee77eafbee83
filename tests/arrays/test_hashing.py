import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AlignmentError, ArgumentTypeError
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths

VALUES = {
    "i": ("i8", st.integers(-3, 3)),
    "u": ("u8", st.integers(2**63, 2**63 + 3)),
    "f": ("f8", st.sampled_from([0.0, -0.0, 1.5, np.nan, np.inf])),
    "b": ("?", st.booleans()),
    "s": (str, st.sampled_from(["", "a", "b", "ab"])),
}


def same(one, other):
    return one == other or str(one) == str(other) == "nan"


@given(st.data(), st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3, unique=True), st.integers(0, 12))
def test_hashes_are_equal_where_rows_are(data, names, count):
    columns = {name: data.draw(st.lists(VALUES[name][1], min_size=count, max_size=count)) for name in names}
    plain = {name: np.array(items, VALUES[name][0]) for name, items in columns.items()}
    lazy = MemorySource(plain, data.draw(partition_lengths(count))).arrays()
    arrays = [lazy[name] for name in names]
    high, low = ak.hash(arrays if names != ["b"] else arrays[0].astype(int))
    assert high.dtype == low.dtype == np.uint64
    hashes = list(zip(high.tolist(), low.tolist(), strict=True))
    rows = list(zip(*columns.values(), strict=True))
    for hashed, row in zip(hashes, rows, strict=True):
        assert [hashed == other for other in hashes] == [all(map(same, row, other)) for other in rows]


def test_kinds_of_arrays_have_the_hashes_of_their_own_methods():
    s = ak.array(["a", None, "b"])
    assert [half.tolist() for half in ak.hash(s)] == [half.tolist() for half in s.hash()]
    assert ak.hash(s, full=False).tolist() == s.hash()[0].tolist()
    lists = ak.SegArray(ak.array([0, 1]), ak.array([1, 2]))
    assert len(set(ak.hash([lists, ak.array([2**70, 2**70])])[1].tolist())) == 2
    assert len(set(ak.hash(ak.array([2**70, 2**70 + 1, 2**70]))[0].tolist())) == 2


def test_what_has_no_rows_in_common_is_refused():
    with pytest.raises(ArgumentTypeError):
        ak.hash(np.zeros((2, 2)))
    with pytest.raises(AlignmentError):
        ak.hash([ak.arange(2), ak.arange(3)])
