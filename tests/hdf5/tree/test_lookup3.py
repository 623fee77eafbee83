"""Hashes are those that are published, for one and for many."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.formats.hdf5.binary import lookup3, lookup3_of_rows


def test_published_hashes():
    assert lookup3(b"") == 0xDEADBEEF
    assert lookup3(b"Four score and seven years ago") == 0x17770551


@pytest.mark.parametrize("n", [0, 1, 7, 8, 100])
@pytest.mark.parametrize("nbytes", [1, 4, 11, 12, 13, 24, 131])
def test_many_are_hashed_as_one(n, nbytes):
    rows = np.random.default_rng(nbytes).integers(0, 256, (n, nbytes + 5), np.uint8)[:, :nbytes]
    assert lookup3_of_rows(rows).tolist() == [lookup3(row.tobytes()) for row in rows]
