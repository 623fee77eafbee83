"""What Arkouda's documentation says that a call refuses, and by which of Python's errors: one line for each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import akdask
from akdask.errors import AkdaskError

ak: Any = akdask
"""Calls of wrong types are what is tested."""

A = ak.arange(5)
F = A * 1.5
B = A > 2
S = ak.array(list("abcde"))
C = ak.Categorical(S)
U = ak.array([1, 2, 3], dtype="uint64")
LISTS = ak.SegArray(ak.array([0, 2]), A)
TIMES = ak.Datetime(A)
GROUPS = ak.GroupBy(A)
FRAME = ak.DataFrame({"a": A, "s": S})


def put(array, key, item):
    array = array.copy()
    array[key] = item
    return array


MISUSES = [
    # making
    (TypeError, lambda: ak.array({"a": 1})),
    (TypeError, lambda: ak.array(5)),
    (TypeError, lambda: ak.array(None)),
    (ValueError, lambda: ak.array([1, "a"])),
    (ValueError, lambda: ak.array([[1], [1, 2]])),
    (TypeError, lambda: ak.arange("x")),
    (ZeroDivisionError, lambda: ak.arange(0, 5, 0)),
    (ValueError, lambda: ak.zeros(-1)),
    (TypeError, lambda: ak.zeros(1.5)),
    (TypeError, lambda: ak.zeros(3, dtype="str")),
    (TypeError, lambda: ak.ones(3, dtype=str)),
    (TypeError, lambda: ak.full(3, 1, dtype="no type")),
    (TypeError, lambda: ak.zeros_like([1, 2])),
    (TypeError, lambda: ak.linspace("a", 1, 2)),
    (ValueError, lambda: ak.linspace(0, 1, -2)),
    (ValueError, lambda: ak.randint(0, 10, -5)),
    (ValueError, lambda: ak.randint(10, 0, 5)),
    (TypeError, lambda: ak.randint("0", 10, 5)),
    (ValueError, lambda: ak.uniform(-1)),
    (TypeError, lambda: ak.uniform(5, low="0")),
    (ValueError, lambda: ak.random_strings_uniform(5, 1, 10)),
    (TypeError, lambda: ak.random_strings_uniform("a", 5, 10)),
    (ValueError, lambda: ak.random_strings_lognormal(2, -1, 100)),
    (TypeError, lambda: ak.from_series(np.array([1]))),
    (ValueError, lambda: ak.from_series(pd.Series(["a"]), dtype="no type")),
    (TypeError, lambda: ak.bigint_from_uint_arrays([A, A])),
    (ValueError, lambda: ak.bigint_from_uint_arrays([U, U[:2]])),
    (TypeError, lambda: ak.cast([1], "int64")),
    (TypeError, lambda: ak.cast(A, "no type")),
    (RuntimeError, lambda: ak.cast(S, "int64").tolist()),
    # elements
    (TypeError, lambda: ak.abs([1])),
    (TypeError, lambda: ak.where(B, [0] * 5, A)),
    (TypeError, lambda: ak.where(B, A, np.arange(5))),
    (TypeError, lambda: ak.hash([1, 2])),
    (ValueError, lambda: ak.array(["a"]) == S),
    (ValueError, lambda: S.stick(ak.array(["a"]))),
    *[
        (TypeError, lambda name=name: getattr(ak, name)(np.arange(3)))
        for name in ("sum", "max", "std", "any", "argmin")
    ],
    (ValueError, lambda: ak.invert_permutation(ak.array([0, 0, 1])).tolist()),
    (ValueError, lambda: ak.invert_permutation(ak.array([0, 1, 3])).tolist()),
    (TypeError, lambda: ak.invert_permutation(F)),
    (TypeError, lambda: GROUPS.var(A, ddof="1")),
    (TypeError, lambda: GROUPS.sum(F, skipna="no")),
    (TypeError, lambda: ak.SegArray([0, 2], A)),
    (TypeError, lambda: ak.abs(S)),
    (TypeError, lambda: ak.log(S)),
    (TypeError, lambda: ak.sin([1])),
    (TypeError, lambda: ak.cos(F, where=A)),
    (TypeError, lambda: ak.cumsum(S)),
    (TypeError, lambda: ak.isnan([1])),
    (TypeError, lambda: ak.where(A, A, A)),
    (TypeError, lambda: ak.where([True], 1, 2)),
    (TypeError, lambda: ak.where(B, 1, "a")),
    (ValueError, lambda: ak.where(B, A[:3], A)),
    (ValueError, lambda: ak.clip(A, None, None)),
    (TypeError, lambda: ak.rotl(F, 1)),
    (TypeError, lambda: ak.popcount(F)),
    (TypeError, lambda: A & F),
    (TypeError, lambda: ~F),
    (TypeError, lambda: A + "x"),
    (TypeError, lambda: A + None),
    (ValueError, lambda: A + A[:2]),
    (ValueError, lambda: bool(A)),
    (IndexError, lambda: A[10]),
    (TypeError, lambda: A[F]),
    (TypeError, lambda: A[1.5]),
    (ValueError, lambda: A[B[:3]]),
    (TypeError, lambda: put(A, 0, "x")),
    (ValueError, lambda: put(A, B, A[:4])),
    # reductions
    (TypeError, lambda: ak.sum([1, 2])),
    (TypeError, lambda: ak.mean(S)),
    (ValueError, lambda: ak.min(A[:0]).value()),
    (ValueError, lambda: ak.var(A, ddof=5).value()),
    (TypeError, lambda: ak.var(A, ddof="1")),
    (ValueError, lambda: ak.dot(A, A[:2])),
    (TypeError, lambda: A.cov(S)),
    (ValueError, lambda: ak.mink(A, 0)),
    (TypeError, lambda: ak.mink(A, "2")),
    (ValueError, lambda: ak.histogram(A, bins=0)),
    (TypeError, lambda: ak.histogram(S)),
    (TypeError, lambda: ak.value_counts([1, 2])),
    # groups, sets, order
    (TypeError, lambda: ak.unique([1])),
    (ValueError, lambda: ak.unique([A, A[:3]])),
    (TypeError, lambda: ak.in1d(A, S)),
    (TypeError, lambda: ak.union1d(A, 5)),
    (ValueError, lambda: ak.setxor1d([A, A], [A])),
    (TypeError, lambda: ak.argsort([1])),
    (ValueError, lambda: ak.coargsort([])),
    (ValueError, lambda: ak.coargsort([A, A[:3]])),
    (ValueError, lambda: ak.concatenate([])),
    (TypeError, lambda: ak.concatenate([A, S])),
    (TypeError, lambda: ak.concatenate(A)),
    (TypeError, lambda: ak.GroupBy([1, 2])),
    (ValueError, lambda: ak.GroupBy([])),
    (ValueError, lambda: ak.GroupBy([A, A[:2]])),
    (ValueError, lambda: GROUPS.aggregate(A, "no reduction")),
    (TypeError, lambda: GROUPS.sum(S)),
    (TypeError, lambda: GROUPS.sum([1, 2, 3, 4, 5])),
    (TypeError, lambda: GROUPS.nunique([1])),
    (TypeError, lambda: GROUPS.OR(F)),
    (TypeError, lambda: GROUPS.head(A, n="x")),
    (ValueError, lambda: GROUPS.sum(A[:3])),
    (ValueError, lambda: GROUPS.broadcast(A[:2])),
    (ValueError, lambda: GROUPS.sample(A, n=2, frac=0.5)),
    (ValueError, lambda: ak.lookup(A, A[:2], A)),
    (TypeError, lambda: ak.find(A, S)),
    (ValueError, lambda: ak.join_on_eq_with_dt(A, A, A, A, 1, "no predicate")),
    (ValueError, lambda: ak.join_on_eq_with_dt(A, A, A, A, -1, "abs_dt")),
    (ValueError, lambda: ak.gen_ranges(A, A, 0)),
    (ValueError, lambda: ak.gen_ranges(A, A - 1)),
    # text, lists, times
    (TypeError, lambda: S.contains(5)),
    (ValueError, lambda: S.contains("(", regex=True)),
    (ValueError, lambda: S.peel("a", times=0)),
    (ValueError, lambda: S.peel("")),
    (TypeError, lambda: S.stick(A)),
    (ValueError, lambda: S.stick(S[:2])),
    (ValueError, lambda: S[:2] == S),
    (TypeError, lambda: C.contains(5)),
    (TypeError, lambda: C.concatenate([A])),
    (TypeError, lambda: ak.Categorical.from_codes(F, S)),
    (TypeError, lambda: ak.SegArray(F, A)),
    (ValueError, lambda: ak.SegArray(ak.array([1, 2]), A).tolist()),
    (TypeError, lambda: LISTS["a"]),
    (TypeError, lambda: LISTS.append(ak.SegArray(ak.array([0]), F))),
    (ValueError, lambda: ak.Datetime(A, unit="fortnight")),
    (TypeError, lambda: ak.Datetime(F)),
    (TypeError, lambda: TIMES + TIMES),
    # frames
    (ValueError, lambda: ak.DataFrame({"a": A, "b": A[:2]})),
    (KeyError, lambda: FRAME["none"]),
    (KeyError, lambda: FRAME.drop("none", axis=1)),
    (KeyError, lambda: FRAME.sort_values("none")),
    (KeyError, lambda: FRAME.groupby("none")),
    (TypeError, lambda: FRAME.merge(5)),
    (ValueError, lambda: FRAME.merge(FRAME, on="a", how="none")),
    (ValueError, lambda: ak.MultiIndex([A, A[:2]])),
    (TypeError, lambda: ak.Index(A).lookup("x")),
    (TypeError, lambda: A.to_hdf("x", mode="none")),
    (ValueError, lambda: ak.to_hdf([A, A], "x", names=["a"])),
    (RuntimeError, lambda: ak.read_hdf("none*")),
    # what pandas refuses too
    (TypeError, lambda: FRAME.join(5)),
    (TypeError, lambda: FRAME.merge([1], indicator=True)),
    (TypeError, lambda: FRAME.merge(FRAME, left_index=True, right_index=True, suffixes="x")),
    (TypeError, lambda: FRAME.head("x")),
    (TypeError, lambda: FRAME.sample("x")),
    (TypeError, lambda: FRAME.sample(frac="x")),
    (TypeError, lambda: FRAME.sample(1, random_state="x")),
    (ValueError, lambda: FRAME.sample(1, random_state=-1)),
    (TypeError, lambda: GROUPS.sample(A, 1, random_state="x")),
    (TypeError, lambda: FRAME.insert("x", "b", A)),
    (ValueError, lambda: FRAME.groupby({})),
    (TypeError, lambda: FRAME.groupby("a").nth("x")),
    (TypeError, lambda: FRAME.tail(1.5)),
    (TypeError, lambda: A.head("x")),
    (TypeError, lambda: S.tail(None)),
    (TypeError, lambda: A.astype("2020-01-01")),
    (TypeError, lambda: TIMES.floor(5)),
]


@pytest.mark.parametrize(("error", "call"), MISUSES, ids=range(len(MISUSES)))
def test_misuse_is_refused_by_the_error_that_arkouda_documents(error, call):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, AkdaskError)
