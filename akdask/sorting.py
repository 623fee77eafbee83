"""Orders of rows, under the name that Arkouda has for them: ``ak.sorting``."""

from akdask.collections.arrays.sort_methods import SortingAlgorithm
from akdask.collections.arrays.sorting import argsort, coargsort, searchsorted, sort

__all__ = ["SortingAlgorithm", "argsort", "coargsort", "searchsorted", "sort"]
