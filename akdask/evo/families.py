"""The families of schemas as a table: the arrays of an object, their kinds, and the arrays that share rows.

Properties that the table neither lists nor forbids are left to the schemas.  `akdask.evo.objects` implements the
table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from akdask.evo.references import matches
from akdask.records import record

FLOATS = ("float-array",)
INTEGERS = ("integer-array",)
BOOLS = ("bool-array",)
LOOKUP = ("lookup-table",)


@record
class ArrayRule:
    """One array of an object.

    Parameters
    ----------
    path : str
        Path of the array.
    kinds : tuple of str
        Prefixes of the kinds that it may have.
    rows : str
        The component with the same rows.
    role : str, default "geometry"
        Role of the array.
    below : str, optional
        The component whose row numbers are its values.
    chunks : tuple of (int, int, str), optional
        Positions of the columns with offset and count of runs, and the component that the runs refer to.
    is_required : bool, default True
        Whether the array must exist where its surrounding object does.
    keys : str, optional
        The lookup table with the codes of its first column.
    instead : tuple of str, default ()
        Arrays within the array's place that stand for it where it has no ``data``; the first has its rows.
    """

    path: str
    kinds: tuple[str, ...]
    rows: str
    role: str = "geometry"
    below: str | None = None
    chunks: tuple[int, int, str] | None = None
    is_required: bool = True
    keys: str | None = None
    instead: tuple[str, ...] = ()

    def is_split(self, value: Any) -> bool:
        """Whether the value at the array's place has other arrays instead."""
        return isinstance(value, Mapping) and "data" not in value and any(name in value for name in self.instead)


@record
class AttributesRule:
    """A list of attributes.

    Parameters
    ----------
    Path of the list.
        Where it is.
    rows : str
        The component with the same rows.
    """

    path: str
    rows: str


@record
class AttributeRule:
    """One attribute with its own rows.

    Parameters
    ----------
    path : str
        Path of the attribute.
    """

    path: str


@record
class TableRule:
    """A table whose columns make no kind of array.

    Parameters
    ----------
    path : str
        Path of the table, which is also the name of its rows.
    data_type : str
        The types of its columns.
    """

    path: str
    data_type: str


@record
class AttributeType:
    """The values of an attribute type.

    Parameters
    ----------
    kinds : tuple of str
        Prefixes of the kinds that its values may have.
    role : str, default "attribute"
        Role of its values.
    has_missing : bool, default True
        Whether it names values for missing.
    has_table : bool, default False
        Whether its values are codes of a lookup table.
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
"""Attribute types by their ``attribute_type``."""

Rule = ArrayRule | AttributesRule | AttributeRule | TableRule
Count = Callable[[Mapping[str, Any]], int]


@record
class Family:
    """A family of schemas.

    Parameters
    ----------
    rules : tuple of rules
        Its arrays and lists of attributes.
    counts : mapping of str to callable, optional
        Paths of row counts in documents.
    active : str, optional
        The array that is a mask; its true values are the rows ``active``.
    nested : tuple of (str, str), optional
        Path of a list whose items may have lists of such items themselves, and the path of these within an item.
    """

    rules: tuple[Rule, ...]
    counts: Mapping[str, Count] = ()  # type: ignore[assignment]  # a mapping, or nothing
    active: str | None = None
    nested: tuple[str, str] | None = None

    def rules_of(self, document: Mapping[str, Any]) -> tuple[Rule, ...]:
        """Return the rules with one for each depth of nested lists in a document."""
        if self.nested is None:
            return self.rules
        outer, inner = self.nested
        found, path = list(self.rules), outer
        while any(True for _ in matches(document, f"{path}.{inner}")):
            path = f"{path}.{inner}"
            found += [_moved(rule, outer, path) for rule in self.rules if rule.path.startswith(outer)]
        return tuple(found)


def _moved(rule: Rule, outer: str, path: str) -> Rule:
    """Return a rule of items in another list."""
    paths: dict[str, Any] = {
        one.name: value for one in fields(rule) if isinstance(value := getattr(rule, one.name), str)
    }
    return replace(rule, **{name: value.replace(outer, path, 1) for name, value in paths.items()})


HOLES = ("downhole-collection-location-holes",)


def _mesh(prefix: str, kind: str) -> list[Rule]:
    """Return the rules of vertices, and of cells that are rows of numbers of vertices."""
    vertices, indices = f"{prefix}.vertices", f"{prefix}.indices"
    return [
        ArrayRule(vertices, ("float-array-3",), vertices),
        ArrayRule(indices, (kind,), indices, "index", below=vertices),
        AttributesRule(f"{vertices}.attributes", vertices),
        AttributesRule(f"{indices}.attributes", indices),
    ]


def _parts(prefix: str, of: str) -> list[Rule]:
    """Return the rules of parts, which are runs of cells."""
    return [
        ArrayRule(f"{prefix}.chunks", ("index-array-2",), prefix, chunks=(0, 1, of)),
        AttributesRule(f"{prefix}.attributes", prefix),
    ]


def _triangle_parts(prefix: str, triangles: str) -> list[Rule]:
    """Return the rules of parts: runs of the numbers of triangles where there are such, else of the triangles."""
    numbers = f"{prefix}.triangle_indices"
    return [
        ArrayRule(numbers, ("index-array-1",), numbers, "index", below=triangles, is_required=False),
        *_parts(prefix, f"{numbers}|{triangles}"),
    ]


def _text(prefix: str, rows: str, *, is_required: bool = True) -> list[Rule]:
    """Return the rules of text that is stored as codes."""
    return [
        ArrayRule(f"{prefix}.values", ("integer-array-1",), rows, "category", is_required=is_required),
        ArrayRule(f"{prefix}.table", LOOKUP, f"{prefix}.table", "lookup", is_required=is_required),
    ]


def _points(prefix: str, *more: ArrayRule) -> list[Rule]:
    return [
        ArrayRule(f"{prefix}.coordinates", ("float-array-3",), prefix),
        *more,
        AttributesRule(f"{prefix}.attributes", prefix),
    ]


def _holes(prefix: str, path: str | None, keys: str, kinds: tuple[str, ...] = ("float-array-3",)) -> list[Rule]:
    """Return the rules of drill-hole collars, and of the paths of the holes, whose names are keys of a lookup table."""
    found = _points(
        prefix,
        ArrayRule(f"{prefix}.distances", ("float-array-3",), prefix),
        ArrayRule(
            f"{prefix}.holes", HOLES, f"{prefix}.holes", chunks=None if path is None else (1, 2, path), keys=keys
        ),
    )
    if path is not None:
        found += [
            ArrayRule(path, kinds, path, is_required=False, instead=("segment_type", "segment_properties")),
            ArrayRule(f"{path}.segment_type", ("string-array",), f"{path}.segment_type", is_required=False),
            ArrayRule(f"{path}.segment_properties", FLOATS, f"{path}.segment_type", is_required=False),
            AttributesRule(f"{path}.attributes", path),
        ]
    return found


def _collections(prefix: str, keys: str) -> list[Rule]:
    """Return the rules of tables along drill holes: distances, intervals, planes, lineations."""
    rows = prefix
    optional: list[tuple[str, tuple[str, ...], str]] = [
        ("distance.values", ("float-array-1",), "attribute"),
        ("from_to.intervals.start_and_end", ("float-array-2",), "attribute"),
        ("relative_plane_angles", ("float-array-2",), "attribute"),
        ("plane_polarity", ("bool-array-1",), "attribute"),
        ("relative_lineation_angles", ("float-array-3",), "attribute"),
    ]
    return [
        *(ArrayRule(f"{prefix}.{path}", kinds, rows, role, is_required=False) for path, kinds, role in optional),
        AttributesRule(f"{prefix}.attributes", rows),
        AttributesRule(f"{prefix}.distance.attributes", rows),
        AttributesRule(f"{prefix}.from_to.attributes", rows),
        ArrayRule(f"{prefix}.holes", HOLES, f"{prefix}.holes", chunks=(1, 2, rows), keys=keys),
    ]


def _channels(*lists: str) -> list[Rule]:
    """Return the rules of lists of survey lines, whose channels each have their own distance between values."""
    return [AttributeRule(f"{lines}[].channel_attributes[].attribute") for lines in lists]


def _surveyed(*lists: str) -> list[Rule]:
    """Return the rules of lists of survey collections, whose attributes each have their own distance between values."""
    kinds = (*BOOLS, *FLOATS, *INTEGERS, "date-time-array", "string-array", "color-array")
    found: list[Rule] = []
    for one in lists:
        coordinates = f"{one}[].locations.coordinates"
        values = f"{one}[].survey_attributes[].values"
        found += [
            ArrayRule(coordinates, ("float-array-3",), coordinates, is_required=False),
            ArrayRule(values, kinds, values, "attribute"),
        ]
    return found


def _item_count(name: str) -> Count:
    """Return the function that counts the items of a list of the document."""
    return lambda document: len(document.get(name, ()))


def _cell_count(document: Mapping[str, Any]) -> int:
    return math.prod(map(int, document["size"]))


def _vertex_count(document: Mapping[str, Any]) -> int:
    return math.prod(int(count) + 1 for count in document["size"])


def _active_count(document: Mapping[str, Any]) -> int:
    return int(document["number_of_active_cells"])


_QAQC = ("qaqc_magnetic_azimuth_test_list", "qaqc_noise_test_list")
"""Lists of test flights."""

_GRID = Family(
    (AttributesRule("cell_attributes", "cells"), AttributesRule("vertex_attributes", "vertices")),
    {"cells": _cell_count, "vertices": _vertex_count},
)

SCHEMAS: Mapping[str, Family] = {
    "pointset": Family(tuple(_points("locations"))),
    "planar-data-pointset": Family(
        tuple(
            _points(
                "locations",
                ArrayRule("locations.plane_orientations", ("float-array-2",), "locations", "attribute"),
                ArrayRule("locations.plane_polarity", BOOLS, "locations", "attribute", is_required=False),
            )
        )
    ),
    "lineations-data-pointset": Family(
        tuple(_points("locations", ArrayRule("locations.lineations", ("float-array-2",), "locations", "attribute")))
    ),
    "line-segments": Family((*_mesh("segments", "index-array-2"), *_parts("parts", "segments.indices"))),
    "triangle-mesh": Family(
        (
            *_mesh("triangles", "index-array-3"),
            *_triangle_parts("parts", "triangles.indices"),
            ArrayRule("edges.indices", ("index-array-2",), "edges.indices", "index", below="triangles.vertices"),
            AttributesRule("edges.attributes", "edges.indices"),
            *_parts("edges.parts", "edges.indices"),
        )
    ),
    "regular-2d-grid": _GRID,
    "regular-3d-grid": _GRID,
    "tensor-2d-grid": _GRID,
    "tensor-3d-grid": _GRID,
    "regular-masked-3d-grid": Family(
        (ArrayRule("mask.values", ("bool-array-1",), "cells", "mask"), AttributesRule("cell_attributes", "active")),
        {"cells": _cell_count, "active": _active_count},
        active="mask.values",
    ),
    "unstructured-hex-grid": Family(tuple(_mesh("hexahedrons", "index-array-8"))),
    "unstructured-quad-grid": Family(tuple(_mesh("quadrilaterals", "index-array-4"))),
    "unstructured-tet-grid": Family(tuple(_mesh("tetrahedra", "index-array-4"))),
    "unstructured-grid": Family(
        (
            ArrayRule("geometry.vertices", ("float-array-3",), "geometry.vertices"),
            ArrayRule("geometry.indices", ("index-array-1",), "geometry.indices", "index", below="geometry.vertices"),
            ArrayRule(
                "geometry.cells",
                ("unstructured-grid-geometry-cells",),
                "geometry.cells",
                chunks=(1, 2, "geometry.indices"),
            ),
            AttributesRule("geometry.vertices.attributes", "geometry.vertices"),
            AttributesRule("geometry.cells.attributes", "geometry.cells"),
        )
    ),
    "downhole-collection": Family(
        (
            *_holes("location", "location.path", "location.hole_id.table"),
            *_text("location.hole_id", "location"),
            *_collections("collections[]", "location.hole_id.table"),
        )
    ),
    "downhole-intervals": Family(
        (
            *(
                ArrayRule(f"{name}.coordinates", ("float-array-3",), "intervals")
                for name in ("start", "end", "mid_points")
            ),
            ArrayRule("from_to.intervals.start_and_end", ("float-array-2",), "intervals"),
            *_text("hole_id", "intervals"),
            AttributesRule("attributes", "intervals"),
        )
    ),
    "drilling-campaign": Family(
        (
            *_text("hole_id", "hole_id"),
            *_holes("planned.collar", "planned.path", "hole_id.table", FLOATS),
            *_collections("planned.collections[]", "hole_id.table"),
            *_holes("interim.collar", "interim.path", "hole_id.table"),
            *_collections("interim.collections[]", "hole_id.table"),
        )
    ),
    "local-ellipsoids": Family(
        (
            ArrayRule("ellipsoids.values", ("float-array-6",), "ellipsoids"),
            ArrayRule("locations.coordinates", ("float-array-3",), "ellipsoids", is_required=False),
            AttributesRule("ellipsoids.attributes", "ellipsoids"),
        )
    ),
    "geophysical-records-1d": Family(
        (
            *_points("locations"),
            ArrayRule("depths.lengths", ("float-array-1",), "depths"),
            AttributesRule("depths.attributes", "depths"),
            *_text("line_numbers", "locations", is_required=False),
        )
    ),
    "geological-sections": Family(
        (
            ArrayRule("line_geometry.vertices", ("float-array-2",), "line_geometry.vertices"),
            ArrayRule(
                "line_geometry.indices",
                ("index-array-1",),
                "line_geometry.indices",
                "index",
                below="line_geometry.vertices",
                is_required=False,
            ),
            ArrayRule(
                "line_geometry.chunks",
                ("index-array-2",),
                "line_geometry.chunks",
                chunks=(0, 1, "line_geometry.indices|line_geometry.vertices"),
            ),
            AttributesRule("line_geometry.vertices.attributes", "line_geometry.vertices"),
            AttributesRule("line_geometry.chunks.attributes", "line_geometry.chunks"),
            *(AttributesRule(f"{name[:-1]}_attributes", name) for name in ("sections", "volumes", "surfaces")),
        ),
        {name: _item_count(name) for name in ("sections", "volumes", "surfaces")},
    ),
    "geological-model-meshes": Family(
        (
            ArrayRule(
                "folders[].items[].vertices", ("float-array-3",), "folders[].items[].vertices", is_required=False
            ),
            ArrayRule(
                "folders[].items[].indices",
                ("index-array-3",),
                "folders[].items[].indices",
                "index",
                below="folders[].items[].vertices",
                is_required=False,
            ),
            AttributesRule("folders[].items[].vertices.attributes", "folders[].items[].vertices"),
            AttributesRule("folders[].items[].indices.attributes", "folders[].items[].indices"),
            # Since version 2 volumes and surfaces are parts of one mesh.
            *_mesh("triangle_geometry.triangles", "index-array-3"),
            *_triangle_parts("triangle_geometry.parts", "triangle_geometry.triangles.indices"),
            *(AttributesRule(f"{name[:-1]}_attributes", name) for name in ("volumes", "surfaces")),
        ),
        {name: _item_count(name) for name in ("volumes", "surfaces")},
        nested=("folders[].items[]", "items[]"),
    ),
    "design-geometry": Family(
        (
            ArrayRule("vertices_2d.vertices", ("float-array-2",), "vertices_2d"),
            ArrayRule("vertices_3d.vertices", ("float-array-3",), "vertices_3d"),
            ArrayRule("lines_2d.indices", ("lines-2d-indices",), "lines_2d", below="vertices_2d"),
            ArrayRule("lines_3d.indices", ("index-array-2",), "lines_3d", "index", below="vertices_3d"),
            ArrayRule(
                "parts[].geometry.mesh.triangles",
                ("index-array-3",),
                "parts[].geometry.mesh",
                "index",
                below="vertices_3d",
                is_required=False,
            ),
            ArrayRule(
                "parts[].geometry.brep_container.brep",
                ("brep-container-brep",),
                "parts[].geometry.brep_container",
                is_required=False,
            ),
        )
    ),
    "non-parametric-continuous-cumulative-distribution": Family((ArrayRule("cdf.values", ("float-array-2",), "cdf"),)),
    # Until version 1.2 surveys had lines of channels.
    "gravity": Family(
        (
            *_channels("gravity_line_list", "base_stations[].gravity_line_list"),
            *_surveyed("collections", "base_stations[].collections"),
        )
    ),
    "magnetics": Family(
        (
            *_channels("magnetic_line_list", "base_stations[].magnetic_line_list", *_QAQC),
            *_surveyed("collections", "base_stations[].collections", *_QAQC),
        )
    ),
    "radiometric": Family((*_channels("line_list"), *_surveyed("collections"))),
    "resistivity-ip": Family(tuple(_channels("line_list"))),
    "frequency-domain-electromagnetic": Family(tuple(_channels("line_list"))),
    "time-domain-electromagnetic": Family(tuple(_channels("line_list"))),
    "experimental-variogram": Family(
        (
            TableRule("directions", "/".join(["uint64", "uint64", "string", *["float64"] * 6])),
            AttributesRule("directions.attributes", "directions"),
            TableRule("lags", "/".join([*["float64"] * 4, "uint64"])),
            AttributesRule("lags.attributes", "lags"),
        )
    ),
    # These hold numbers in their documents alone.
    "variogram": Family(()),
    "global-ellipsoid": Family(()),
    # A separate service stores the values of block models: their attributes name its columns, and no blobs.
    "block-model": Family(()),
}
"""Known families, by the names of their schemas."""

LATEST: Mapping[str, str] = {
    "regular-2d-grid": "1.3.0",
    "regular-3d-grid": "1.3.0",
    "tensor-2d-grid": "1.3.0",
    "tensor-3d-grid": "1.3.0",
    "pointset": "1.3.0",
    "planar-data-pointset": "1.3.0",
    "lineations-data-pointset": "1.3.0",
    "line-segments": "2.2.0",
    "triangle-mesh": "2.3.0",
    "regular-masked-3d-grid": "1.3.0",
    "unstructured-hex-grid": "1.3.0",
    "unstructured-quad-grid": "1.3.0",
    "unstructured-tet-grid": "1.3.0",
    "unstructured-grid": "1.3.0",
    "downhole-collection": "1.3.1",
    "downhole-intervals": "1.3.0",
    "drilling-campaign": "1.0.0",
    "local-ellipsoids": "1.3.0",
    "geophysical-records-1d": "1.3.0",
    "geological-sections": "1.2.0",
    "geological-model-meshes": "2.2.0",
    "design-geometry": "1.1.0",
    "non-parametric-continuous-cumulative-distribution": "1.2.0",
    "gravity": "2.0.0",
    "magnetics": "2.0.0",
    "radiometric": "2.0.0",
    "resistivity-ip": "1.1.0",
    "frequency-domain-electromagnetic": "1.1.0",
    "time-domain-electromagnetic": "1.1.0",
    "experimental-variogram": "1.0.0",
    "variogram": "1.2.0",
    "global-ellipsoid": "1.2.0",
    "block-model": "1.0.0",
}
"""The latest versions of the schemas that are known."""

_SCHEMA = re.compile(r"/objects/([a-z0-9-]+)/(\d+\.\d+\.\d+)/\1\.schema\.json")


def family_name(document: Mapping[str, Any]) -> str | None:
    """Return the family name in a document, None if it has none.

    Examples
    --------
    >>> family_name({"schema": "/objects/pointset/1.2.0/pointset.schema.json"})
    'pointset'
    """
    found = _SCHEMA.fullmatch(str(document.get("schema", "")))
    return None if found is None else found[1]
