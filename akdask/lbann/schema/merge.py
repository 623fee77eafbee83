"""Merging of schemas: the fields that the experiment schema selects of the data schema, with metadata of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from akdask.lbann.errors import LbannSchemaError
from akdask.lbann.schema.fields import FieldMetadata, SampleFields
from akdask.lbann.schema.nodes import MetadataEntry, Schema, SchemaNode


def merge(data: Schema, experiment: Schema | None = None) -> SampleFields:
    """Return the fields that an experiment schema selects of a data schema.

    Parameters
    ----------
    data : Schema
        Describes a sample.
    experiment : Schema, optional
        The part of the sample to use; a leaf of it stands for all that the data schema has below.  All fields of the
        data schema unless given.

    Returns
    -------
    SampleFields
        In the order of the experiment schema, below each of its leaves in that of the data schema.  Of two values of
        a key the nearest wins, and those of the experiment schema come before those of the data schema.

    Raises
    ------
    LbannSchemaError
        If the experiment schema selects nothing, or what the data schema does not have; or the metadata of a field
        demands what cannot be done.
    """
    if not data.root.children:
        raise LbannSchemaError("the data schema has no fields.", schema=data.name)
    if experiment is None:
        return _fields({leaf.path: leaf.metadata for leaf in data.root.leaves()})
    if not experiment.root.children:
        raise LbannSchemaError(
            "the experiment schema selects no field.",
            schema=experiment.name,
            hint="name the fields to use; metadata of the root alone selects nothing.",
        )
    selected: dict[str, Mapping[str, MetadataEntry]] = {}
    for leaf in experiment.root.leaves():
        node = data.find(leaf.path)
        if node is None:
            raise _missing(leaf, data, experiment)
        for found in node.leaves():
            selected[found.path] = _overridden(found.metadata, leaf.metadata)
    return _fields(selected)


def _fields(selected: Mapping[str, Mapping[str, MetadataEntry]]) -> SampleFields:
    fields = SampleFields({path: FieldMetadata(path, entries) for path, entries in selected.items()})
    _check_groups(fields)
    return fields


def _overridden(data: Mapping[str, MetadataEntry], experiment: Mapping[str, MetadataEntry]) -> dict[str, MetadataEntry]:
    merged = dict(data)
    for key, entry in experiment.items():
        merged[key] = replace(entry, overrides=data.get(key))
    return merged


def _missing(leaf: SchemaNode, data: Schema, experiment: Schema) -> LbannSchemaError:
    close = get_close_matches(leaf.path, [found.path for found in data.root.leaves()], 1)
    return LbannSchemaError(
        f"the experiment schema selects {leaf.path!r}, which the data schema does not have.",
        schema=f"{experiment.name}, line {leaf.line} ({leaf.path})",
        details=[f"data schema: {data.name}"],
        hint=f"did you mean {close[0]!r}?" if close else "describe it in the data schema as well.",
    )


def _check_groups(fields: SampleFields) -> None:
    """Refuse a group under the name of a field that stays: only one of them could be retrieved."""
    groups = {field.directives.pack: path for path, field in fields.items() if field.directives.pack is not None}
    for group, path in groups.items():
        if group in fields and fields[group].directives.pack is None:
            raise LbannSchemaError(
                f"the group {group!r} has the name of a field that is not packed.",
                field=path,
                schema=fields[path].entries["pack"].place,
                hint="give the group another name.",
            )
