"""The fields of each sample, with their merged metadata and the origin of each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from akdask.lbann.directives import Directives, directives_of
from akdask.lbann.errors import LbannSchemaError, UnknownNameError
from akdask.lbann.schema_nodes import MetadataEntry, Schema, SchemaNode


class FieldMetadata(Mapping[str, Any]):
    """Merged metadata of one field: a mapping of keys to values.

    Parameters
    ----------
    path : str
        The field, as a path in the sample.
    entries : mapping of str to MetadataEntry
        Values by key, with where they were written.

    Attributes
    ----------
    directives : Directives
        Validated directives of the metadata.

    Raises
    ------
    LbannSchemaError
        If the metadata cannot be followed.
    """

    def __init__(self, path: str, entries: Mapping[str, MetadataEntry]) -> None:
        self.path = path
        self.entries = dict(entries)
        self.directives: Directives = directives_of(path, self.entries)

    def __getitem__(self, key: str) -> Any:
        return self.entries[key].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"FieldMetadata({self.path!r}, {dict(self)})"

    def without(self, key: str) -> FieldMetadata:
        """Return metadata that lacks a key."""
        return FieldMetadata(self.path, {name: entry for name, entry in self.entries.items() if name != key})

    def explain(self) -> str:
        """Return the values, a line each, with the file, line and node that each one comes from."""
        lines = [self.path, *(f"  {key}: {_explained(entry)}" for key, entry in self.entries.items())]
        return "\n".join(lines if self.entries else [*lines, "  no metadata"])


class SampleFields(Mapping[str, FieldMetadata]):
    """Fields that are read of each sample: an ordered mapping of paths to metadata.

    Parameters
    ----------
    fields : mapping of str to FieldMetadata
        In the order in which packing breaks ties.
    """

    def __init__(self, fields: Mapping[str, FieldMetadata]) -> None:
        self._fields = dict(fields)

    def __getitem__(self, path: str) -> FieldMetadata:
        if path not in self._fields:
            close = get_close_matches(path, self._fields, 1)
            raise UnknownNameError(
                f"no field {path!r} is selected.",
                details=[f"fields: {', '.join(self._fields)}"],
                hint=f"did you mean {close[0]!r}?" if close else None,
            )
        return self._fields[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, path: object) -> bool:
        return path in self._fields

    def __repr__(self) -> str:
        return f"SampleFields({', '.join(self._fields)})"

    def explain(self, path: str | None = None) -> str:
        r"""Return the final metadata of a field, or of all, and the origin of each value.

        Parameters
        ----------
        path : str, optional
            One field.

        Raises
        ------
        UnknownNameError
            If the field is not selected.

        Examples
        --------
        >>> from akdask.lbann import schema
        >>> data = schema.load("a:\n  metadata: {scale: 2.0}\n", name="data")
        >>> experiment = schema.load("metadata: {scale: 3.0}\na:\n", name="experiment")
        >>> print(schema.merge(data, experiment).explain("a"))
        a
          scale: 3.0  from experiment, line 1 (root); overrides 2.0 from data, line 2 (a)
        """
        found = self._fields.values() if path is None else [self[path]]
        return "\n".join(metadata.explain() for metadata in found)


def _explained(entry: MetadataEntry) -> str:
    shown = "nothing" if entry.value is None else entry.value
    text = f"{shown}  from {entry.place}"
    return text if entry.overrides is None else f"{text}; overrides {_explained(entry.overrides)}"


def merge(data: Schema, experiment: Schema | None = None) -> SampleFields:
    """Return the fields that an experiment schema selects of a data schema.

    Parameters
    ----------
    data : Schema
        Describes a sample.
    experiment : Schema, optional
        The part of the sample to use; each of its leaves selects everything below it in the data schema.  All fields of
        the data schema by default.

    Returns
    -------
    SampleFields
        In the order of the experiment schema, below each of its leaves in the order of the data schema.  Of two values
        of a key the nearest wins, and values of the experiment schema precede those of the data schema.

    Raises
    ------
    LbannSchemaError
        If the experiment schema selects no fields, or fields missing from the data schema; or the metadata of a field
        cannot be followed.
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
