"""Plans as graphs of Dask's own collections."""

from __future__ import annotations

from akdask.engine.dask_bridges import LONGEST_KEY, _plain_key


def test_keys_begin_with_identifiers_and_are_short():
    longest = "x" * (LONGEST_KEY - 4)
    for name, plain in (
        ("sum-12", "sum-12"), ("12-ab", "_12-ab"), ("sum of x-12", "sum_of_x-12"), ("(x)-12", "__x_-12"),
        ("digest", "digest"), ("two words", "two_words"), (f"{longest}-12", f"{longest}-12"),
        (f"{longest}y-12", f"{longest}-12"), ("x " * LONGEST_KEY + "-12", ("x_" * LONGEST_KEY)[: len(longest)] + "-12"),
    ):  # fmt: skip
        assert _plain_key((name, 0)) == (plain, 0)
        assert _plain_key((name, 1, 2)) == (plain, 1, 2)
        assert (_plain_key(name), _plain_key((name,))) == (name, (name,))
    assert _plain_key((3, 0)) == (3, 0)
