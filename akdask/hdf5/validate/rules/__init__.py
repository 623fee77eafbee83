"""The rules, one module for each family; importing them registers them, in the order in which they are checked."""

from __future__ import annotations

from akdask.hdf5.validate.rules import (
    agreement,
    attributes,
    contents,
    data,
    grouping,
    names,
    segments,
    tables,
)

__all__ = ["agreement", "attributes", "contents", "data", "grouping", "names", "segments", "tables"]
