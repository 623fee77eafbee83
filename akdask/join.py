"""Pairs of rows with equal elements, under the name that Arkouda has for them: ``ak.join``."""

from akdask.collections.frame.joining import inner_join
from akdask.collections.functions.pairing import compute_join_size, gen_ranges, join_on_eq_with_dt, left_join

__all__ = ["compute_join_size", "gen_ranges", "inner_join", "join_on_eq_with_dt", "left_join"]
