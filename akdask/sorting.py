"""Orders of rows, under the name that Arkouda has for them: ``ak.sorting``."""

from akdask.collections.arrays.sorting import SortingAlgorithm, argsort, coargsort, searchsorted, sort

__all__ = ["SortingAlgorithm", "argsort", "coargsort", "searchsorted", "sort"]
