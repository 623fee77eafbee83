"""Comparison of parameters with those of a signature that is written as text."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import akdask as ak
from akdask.arkouda.parity_page import difference, listed_parameters

HERE = sys.modules[__name__]


def plain(a, b=1, *, c="x"): ...


def positional(a, b, /): ...


def anything(*args, **kwargs): ...


class Holder:
    _default_dataset = "strings"

    def method(self, a, dataset=None): ...

    @staticmethod
    def static(a): ...

    @classmethod
    def of_class(cls, a): ...


@pytest.mark.parametrize(
    ("signature", "item", "expected"),
    [
        ("", plain, None),
        ("(a, b=1)", plain, None),
        ("(a, b=1, *, c='x')", plain, None),
        ("(x, /, b=1)", plain, None),
        ("(a, b)", plain, None),
        ("(a, b=2)", plain, "`b` is `1` unless given, not `2`"),
        ("(x, b=1)", plain, "parameter 1 is `a`, not `x`"),
        ("(a, b=1, c='x', d=None)", plain, "takes no `c`"),
        ("(a, *, d=None)", plain, "takes no `d`"),
        ("(a, b=1, *, c='y')", plain, "`c` is `x` unless given, not `'y'`"),
        ("(a=None)", plain, "`a` is none unless given, not `None`"),
        ("(a)", positional, "needs `b` besides"),
        ("(a, b, c=3, *, d=4)", anything, None),
        ("(*args, **kwargs)", plain, None),
        ("(a)", 5, "is no function"),
        ("(x)", np.sin, None),
    ],
)
def test_what_differs_is_told(signature, item, expected):
    assert difference(signature, item, HERE) == expected


def test_the_first_parameter_of_methods_is_left_out():
    assert difference("(a, dataset='strings')", Holder.method, Holder) is None
    assert difference("(a, dataset='other')", Holder.method, Holder) is not None
    assert difference("(a)", Holder.static, Holder) is None
    assert difference("(a)", Holder.of_class, Holder) is None


def test_defaults_may_be_written_by_their_names():
    assert difference("(pda, algorithm=RadixSortLSD, axis=-1)", ak.sort, ak) is None
    assert difference("(low, high, size=1, dtype=int64, seed=None)", ak.randint, ak) is None
    assert difference("(names=RegisteredSymbols)", ak.information, ak) is None


def test_kinds_of_parameters_are_read():
    found = listed_parameters("(a, /, b=1, *c, d=2.5, **e)")
    assert [item.kind.name for item in found] == [
        "POSITIONAL_ONLY",
        "POSITIONAL_OR_KEYWORD",
        "VAR_POSITIONAL",
        "KEYWORD_ONLY",
        "VAR_KEYWORD",
    ]
    assert [item.default for item in found if item.default is not item.empty] == ["1", "2.5"]
