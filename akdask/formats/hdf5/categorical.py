"""Categorical: codes for each row, and the labels that the codes index.

No part is repeated in every file.  Each is cut on its own, so the labels are complete only when all files are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from akdask.columns.dtypes import INT64
from akdask.columns.rows import slice_rows
from akdask.formats.hdf5 import layout, pdarray, strings
from akdask.formats.hdf5.composite import describe_group, describe_integers, lay_out_children
from akdask.formats.hdf5.description import Described
from akdask.formats.hdf5.metadata import Dataset, Group, group_of
from akdask.storage.objects import CATEGORIES, CODES, NA_CODES, PERMUTATION, SEGMENTS, Columns, ObjectSpec, ObjType
from akdask.typing import Column

if TYPE_CHECKING:
    from akdask.formats.hdf5.new_file import NewObject, Share

KINDS = (ObjType.CATEGORICAL,)

OPTIONAL = (PERMUTATION, SEGMENTS)
"""Members that group the rows by their codes."""

_WRONG_GROUPING = "v2023.05.05"
"""This release wrote the codes as both `permutation` and `segments`."""


def describe(node: Group | Dataset, kind: ObjType) -> Described:
    """Describe codes, categories, NA code and, where there are any, permutation and segments."""
    group = group_of(node)
    labels = group.subgroup(group.find(CATEGORIES), CATEGORIES)
    found = {
        CODES: describe_integers(group, CODES),
        CATEGORIES: strings.describe_column(f"{group.path}/{CATEGORIES}", labels),
    }
    wanted = [NA_CODES] if group.find(NA_CODES) else []
    if all(map(group.find, OPTIONAL)) and group.text(layout.ARKOUDA_VERSION) != _WRONG_GROUPING:
        wanted += OPTIONAL
    found.update((member, describe_integers(group, member)) for member in wanted)
    return describe_group(group.path, kind, found)


def lay_out(spec: ObjectSpec, columns: Columns, tables: Columns, share: Share) -> NewObject:
    """Lay out this partition's codes, and its share of all other parts."""
    from akdask.formats.hdf5.new_file import NewGroup, NewObject

    labels = tables[spec.tables[CATEGORIES]]
    na_codes = tables[spec.tables[NA_CODES]]
    made = (
        pdarray.numbers(f"{spec.name}/{CODES}", columns[spec.members[CODES]], INT64),
        strings.group_of_strings(f"{spec.name}/{CATEGORIES}", _share(labels, share)),
        pdarray.numbers(f"{spec.name}/{NA_CODES}", _share(na_codes, share), INT64),
        # Permutation and segments are children, for they have other numbers of rows than the codes.
        *lay_out_children(spec, columns, tables, share),
    )
    return NewObject.group(NewGroup(spec.name, ObjType.CATEGORICAL), made)


def _share(table: Column, share: Share) -> Column:
    rows = share.of(len(table))
    return slice_rows(table, rows.start, rows.stop)
