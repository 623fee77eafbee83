"""The rules, one module for each family."""

from __future__ import annotations

from akdask.formats.hdf5 import (
    rules_of_agreement,
    rules_of_attributes,
    rules_of_data,
    rules_of_files,
    rules_of_grouping,
    rules_of_names,
    rules_of_segments,
    rules_of_tables,
)
from akdask.formats.hdf5.validation import Rule

# They are checked in this order: `rules_of_data` reports data that the others could not read.
_MODULES = (
    rules_of_files,
    rules_of_names,
    rules_of_attributes,
    rules_of_agreement,
    rules_of_segments,
    rules_of_grouping,
    rules_of_tables,
    rules_of_data,
)

RULES = {found.id: found for module in _MODULES for found in vars(module).values() if isinstance(found, Rule)}
"""All rules by id."""
