"""For tests of code that uses akdask: `assert_equal`, and Hypothesis strategies in `akdask.testing.strategies`."""

from akdask.testing.equality import assert_equal

__all__ = ["assert_equal"]
