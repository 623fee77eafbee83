"""Codecs read what others have laid out, from wherever the elements come."""

import numpy as np
import pytest

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT64, bigint_of, list_of
from akdask.columns.table import to_objects
from akdask.errors import FileFormatError
from akdask.formats.hdf5.codecs import read_column
from akdask.formats.hdf5.description import ColumnLocation, Elements
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import Extent


class Memory(Elements):
    """Elements of arrays in memory, which notes what is asked for."""

    def __init__(self, **datasets):
        super().__init__(FileIdentity("memory", 0, ""))
        self.datasets = {name: np.asarray(values) for name, values in datasets.items()}
        self.reads = []

    def read_into(self, out, extent, start):
        self.reads.append((extent.dataset, start, len(out)))
        out[:] = self.datasets[extent.dataset][start : start + len(out)]

    def place(self, dtype):
        return ColumnLocation(
            dtype, tuple(Extent(name, values.dtype.str, 0, len(values)) for name, values in self.datasets.items())
        )


TEXTS = ["a", "", "zwölf", "drei", ""]
BYTES = np.frombuffer(b"".join(text.encode() + b"\0" for text in TEXTS), np.uint8)
STARTS = np.cumsum([0, *(len(text.encode()) + 1 for text in TEXTS)])[:-1]


@pytest.mark.parametrize(
    ("dtype", "stored", "expected"),
    [
        (INT64, np.arange(-3, 5), np.arange(-3, 5)),
        (INT64, np.arange(-3, 5).astype(">i2"), np.arange(-3, 5)),
        (UINT64, np.array([2**64 - 1, 0, 7, 8, 9, 1, 2, 3], np.uint64), None),
        (FLOAT64, np.linspace(0, 1, 8).astype("<f4"), None),
        (BOOL, np.array([0, 1, 2, 255, 0, 0, 7, 1], np.uint8), np.array([0, 1, 1, 1, 0, 0, 1, 1], bool)),
        (BOOL, np.array([0, 1, -1, 4, 0, 0, 7, 1], np.int64), np.array([0, 1, 1, 1, 0, 0, 1, 1], bool)),
    ],
)
@pytest.mark.parametrize("given", [False, True])
def test_numbers_are_read_in_the_type_of_their_column(dtype, stored, expected, given):
    elements = Memory(x=stored)
    out = np.empty(10, dtype.numpy) if given else None
    found = read_column(elements, elements.place(dtype), 2, 7, out)
    assert found.dtype == dtype.numpy
    np.testing.assert_array_equal(found, (stored if expected is None else expected)[2:7])
    assert elements.reads == [("x", 2, 5)]
    assert not given or np.shares_memory(found, out)


def test_only_the_bytes_of_the_wanted_strings_are_read():
    elements = Memory(values=BYTES, segments=STARTS)
    assert to_objects(read_column(elements, elements.place(STR), 1, 3)) == TEXTS[1:3]
    assert elements.reads == [("segments", 1, 3), ("values", 2, 8)]
    assert to_objects(read_column(elements, elements.place(STR), 0, 5)) == TEXTS


def test_strings_without_segments_are_looked_through_once():
    elements = Memory(values=BYTES)
    assert [to_objects(read_column(elements, elements.place(STR), k, k + 1)) for k in range(5)] == [
        [text] for text in TEXTS
    ]
    assert sum(start == 0 and count == len(BYTES) for _, start, count in elements.reads) == 1


def test_limbs_are_read_as_integers():
    numbers = [0, 1, 2**64, 2**127 + 5, 2**64 - 1]
    low, high = ([number >> shift & 2**64 - 1 for number in numbers] for shift in (0, 64))
    elements = Memory(a=np.array(low, np.uint64), b=np.array(high, np.uint64))
    assert to_objects(read_column(elements, elements.place(bigint_of(-1)), 1, 4)) == numbers[1:4]
    assert to_objects(read_column(elements, elements.place(bigint_of(65)), 1, 4)) == [1, 2**64, 5]


def test_lists_of_strings_are_read_by_the_codecs_of_both():
    elements = Memory(values=BYTES, starts=STARTS, segments=np.array([0, 2, 2, 4]))
    found = read_column(elements, elements.place(list_of(STR)), 0, 3)
    assert found.to_pylist() == [TEXTS[:2], [], TEXTS[2:4]]
    assert read_column(elements, elements.place(list_of(STR)), 3, 4).to_pylist() == [TEXTS[4:]]


@pytest.mark.parametrize("segments", [[1, 2, 3, 4], [0, 3, 2, 4], [0, 2, 2, 9]])
def test_segments_that_do_not_fit_are_told_with_file_and_dataset(segments):
    elements = Memory(values=np.arange(5), segments=np.array(segments))
    with pytest.raises(FileFormatError, match="'memory' holds no valid"):
        read_column(elements, elements.place(list_of(INT64)), 0, 4)
