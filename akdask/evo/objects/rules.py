"""What the table of schemas is made of: rules for arrays, for attributes by their types, and families of these.

Paths are those of the JSON document, ``[]`` for each item of a list.  A number of rows is named by the path of the
component that has it; it is the length of the first array of that component, or told by the document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

FLOATS = ("float-array",)
INTEGERS = ("integer-array",)
BOOLS = ("bool-array",)
LOOKUP = ("lookup-table",)


@dataclass(frozen=True, slots=True)
class ArrayRule:
    """One array of an object.

    Parameters
    ----------
    path : str
        Where it is.
    kinds : tuple of str
        The kinds that it may have, by how their names begin.
    rows : str
        The component whose rows it has.
    role : str, default "geometry"
        What it is for.
    below : str, optional
        The component whose rows its values are numbers of.
    chunks : tuple of (int, int, str), optional
        Positions of the columns with offset and count of runs, and the component in whose rows they are.
    is_required : bool, default True
        Whether an object that has what surrounds the array has the array.
    keys : str, optional
        The lookup table that has the codes in its first column.
    """

    path: str
    kinds: tuple[str, ...]
    rows: str
    role: str = "geometry"
    below: str | None = None
    chunks: tuple[int, int, str] | None = None
    is_required: bool = True
    keys: str | None = None


@dataclass(frozen=True, slots=True)
class AttributesRule:
    """A list of attributes.

    Parameters
    ----------
    path : str
        Where it is.
    rows : str
        The component whose rows its attributes have.
    """

    path: str
    rows: str


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """One attribute, which has rows of its own.

    Parameters
    ----------
    path : str
        Where it is.
    """

    path: str


@dataclass(frozen=True, slots=True)
class TableRule:
    """A table whose columns make no kind of array.

    Parameters
    ----------
    path : str
        Where it is, which is also the component whose rows it has.
    data_type : str
        The types of its columns.
    """

    path: str
    data_type: str


@dataclass(frozen=True, slots=True)
class AttributeType:
    """What an attribute of a type holds.

    Parameters
    ----------
    kinds : tuple of str
        The kinds that its values may have, by how their names begin.
    role : str, default "attribute"
        What its values are for.
    has_missing : bool, default True
        Whether it says which values stand for missing.
    has_table : bool, default False
        Whether its values are codes, which a lookup table has.
    has_steps : bool, default False
        Whether it has a column for each time step.
    """

    kinds: tuple[str, ...]
    role: str = "attribute"
    has_missing: bool = True
    has_table: bool = False
    has_steps: bool = False


ATTRIBUTE_TYPES: Mapping[str, AttributeType] = {
    "scalar": AttributeType(("float-array-1",)),
    "integer": AttributeType(("integer-array-1",)),
    "bool": AttributeType(("bool-array-1",), has_missing=False),
    "string": AttributeType(("string-array",), has_missing=False),
    "date_time": AttributeType(("date-time-array",), "time"),
    "color": AttributeType(("color-array",), "color", has_missing=False),
    "vector": AttributeType(FLOATS),
    "ensemble_continuous": AttributeType(FLOATS),
    "category": AttributeType(("integer-array-1",), "category", has_table=True),
    "ensemble_category": AttributeType(INTEGERS, "category", has_table=True),
    "indices": AttributeType(("index-array-1",), has_missing=False),
    "continuous_time_series": AttributeType(FLOATS, has_steps=True),
    "bool_time_series": AttributeType(BOOLS, has_missing=False, has_steps=True),
    # so spelled in the schemas
    "categoral_time_series": AttributeType(INTEGERS, "category", has_table=True, has_steps=True),
}
"""What attributes hold, by their ``attribute_type``."""

Rule = ArrayRule | AttributesRule | AttributeRule | TableRule
Count = Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of schemas.

    Parameters
    ----------
    rules : tuple of rules
        Its arrays and lists of attributes.
    counts : mapping of str to callable, optional
        Numbers of rows that documents tell.
    active : str, optional
        The array that is a mask, whose true values are counted by the rows ``active``.
    """

    rules: tuple[Rule, ...]
    counts: Mapping[str, Count] = ()  # type: ignore[assignment]  # a mapping, or nothing
    active: str | None = None
