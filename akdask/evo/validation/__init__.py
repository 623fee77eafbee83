"""Checks of blobs against the rules of the format, their descriptions, their roles and each other."""

from akdask.evo.blobs.findings import Finding

__all__ = ["Finding"]
