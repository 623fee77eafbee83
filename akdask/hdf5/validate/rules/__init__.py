"""The rules, one module for each family."""

from __future__ import annotations

from akdask.hdf5.validate.rule import Rule
from akdask.hdf5.validate.rules import agreement, attributes, contents, data, grouping, names, segments, tables

# In this order they are checked: `data` tells of what could not be read for the others.
_MODULES = (contents, names, attributes, agreement, segments, grouping, tables, data)

RULES = {found.id: found for module in _MODULES for found in vars(module).values() if isinstance(found, Rule)}
"""All rules by id."""
