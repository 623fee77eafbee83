from __future__ import annotations

import numpy as np

import akdask as ak
from akdask.plan import combine


def test_rows_of_many_partitions_are_looked_up_in_several_at_once(monkeypatch):
    values = np.random.default_rng(0).permutation(100)
    lazy = ak.concatenate([ak.array(part) for part in np.split(values, 20)])
    positions = ak.concatenate([ak.array(part) for part in np.split(np.arange(99, -101, -2), 10)])
    many = len(lazy[positions].__dask_graph__())
    monkeypatch.setattr(combine, "MOST_PICKS", 30)
    monkeypatch.setattr(combine, "FEWEST_SOURCES", 3)
    assert len(lazy[positions].__dask_graph__()) < many / 2
    assert lazy[positions].tolist() == values[np.arange(99, -101, -2)].tolist()
