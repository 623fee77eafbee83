import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.plan.tokens import token
from akdask.testing.memory import MemorySource

SCRIPT = """
import numpy as np
import akdask as ak
from akdask.testing.memory import MemorySource

def queries():
    big = MemorySource({"x": np.arange(9), "s": [str(k) for k in range(9)]}, [4, 0, 5]).arrays()
    a, s = ak.array(np.arange(5)), ak.array(["ä", "", "b"])
    x = big["x"]
    put = x.copy()
    put[x > 3] = -1
    put[[1, 2]] = ak.array([7, 8])
    return [
        a + 1, s.upper(), x[x > x.mean()].sum(), x[2:6], ak.concatenate([x, x]), x + ak.arange(9), put,
        x[::-1][[1, 0]], big["s"].contains("1"), ak.uniform(4, seed=3) * 2, x[x > 2].head(3),
    ]

def names():
    return [query.expr._name for query in queries()] + [
        str(key) for query in queries() for key in query.expr.optimize().__dask_graph__()
    ]
"""


def test_the_same_plan_has_the_same_names_in_another_process():
    space = {}
    exec(SCRIPT, space)
    ours = space["names"]()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT + "print('\\n'.join(names()))"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split("\n")[:-1] == ours


def test_the_same_plan_written_again_is_the_same_object():
    source = MemorySource({"x": np.arange(9)}, [4, 5])
    one, other = (source.arrays()["x"][source.arrays()["x"] > 3] * 2 for _ in range(2))
    assert one._frame is other._frame
    assert one.expr._name == other.expr._name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.arange(3), np.arange(3) + 1),
        (np.arange(3), np.arange(3).astype(float)),
        (["a", "b"], ["ab", ""]),
        (["a"], ["b"]),
    ],
)
def test_other_data_give_other_names(one, other):
    assert ak.array(one).expr._name != ak.array(other).expr._name


def test_slices_of_one_arrow_array_are_told_apart():
    column = pa.array(["x", "a", "b", "a", "b"], pa.large_string())
    assert ak.array(column[0:2]).tolist() == ["x", "a"]
    assert ak.array(column[1:3]).tolist() == ["a", "b"]
    assert ak.array(column[1:3]).expr._name != ak.array(column[0:2]).expr._name


def test_equal_data_have_one_name_however_they_lie_in_memory():
    column = pa.array(["x", "a", "b"], pa.large_string())
    assert ak.array(column[1:]).expr._name == ak.array(["a", "b"]).expr._name
    assert ak.array(np.arange(6)[::2]).expr._name == ak.array([0, 2, 4]).expr._name
    assert ak.array(column[:0]).expr._name == ak.array(column[3:]).expr._name


def test_nothing_but_equal_parts_gives_equal_tokens():
    parts = ["a", ("a",), ("a", "b"), "a\x1eb", "'a'", 1, 1.0, True, "1", None, "None", (), ((),)]
    assert len({token(part) for part in parts}) == len(parts)
    assert token("a", "b") != token("a\x1f'b'")
    assert token("\ud800") != token("\ud801")
